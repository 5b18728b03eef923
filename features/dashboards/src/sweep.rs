//! What is kept for a time only: the trash, and pages that expired.

use crate::{Publications, publish, trash};
use kit::{Ctx, Result};
use std::time::Duration;
use store::HasDb;

/// How often it is looked: a program may run for months without a start.
const LOOK_EVERY: Duration = Duration::from_secs(60 * 60);

/// Lets go of what was kept long enough, now and from time to time.
pub(crate) async fn start(ctx: Ctx) {
    let mut goes_on = look(&ctx).await;
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    runtime.spawn(async move {
        while goes_on {
            tokio::time::sleep(LOOK_EVERY).await;
            goes_on = look(&ctx).await;
        }
    });
}

/// Whether to look again later.
async fn look(ctx: &Ctx) -> bool {
    match step(ctx).await {
        Err(error) if error.is(&store::PROGRAM_ENDING) => return false,
        // Of no matter for anything else: it is tried again.
        Err(error) => tracing::warn!(error = ?error, "what dashboards keep for a time was not cleared"),
        Ok(()) => {}
    }
    true
}

pub(crate) async fn step(ctx: &Ctx) -> Result<()> {
    let now_ms = ctx.now_ms();
    ctx.service::<Publications>().forget_expired(now_ms);
    ctx.db()
        .write(move |tx| {
            trash::empty_due(tx, now_ms)?;
            publish::forget_expired(tx, now_ms)
        })
        .await
}

//! What is kept for a time only: the trash, and pages that expired.

use crate::{Publications, publish, trash};
use kit::{Ctx, Job, Result};
use std::time::Duration;
use store::HasDb;

/// Lets go of what was kept long enough.
pub(crate) fn job() -> Job {
    Job::every(Duration::from_secs(60 * 60), "dashboards.expired", "couldn't clear expired dashboards", |ctx| {
        Box::pin(async move { step(&ctx).await })
    })
}

pub(crate) async fn step(ctx: &Ctx) -> Result<()> {
    let now_ms = ctx.now_ms();
    ctx.service::<Publications>().end_expired(ctx).await?;
    ctx.db()
        .write(move |tx| {
            trash::empty_due(tx, now_ms)?;
            publish::forget_expired(tx, now_ms)
        })
        .await
}

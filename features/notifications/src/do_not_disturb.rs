//! The system's Do Not Disturb: read before something is shown, and again while it's on.

use crate::notifier::Notifier;
use crate::store_rows;
use kit::{Ctx, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use store::{HasDb, Tx};

/// Whether it's on, as it was read last.
#[derive(Default)]
pub(crate) struct DoNotDisturb {
    is_on: AtomicBool,
    /// Whether it was read since the program started.
    is_read: AtomicBool,
}

impl DoNotDisturb {
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Reads it. What can't be read is off.
    pub(crate) async fn refresh(ctx: &Ctx) -> bool {
        let is_on = match ctx.find_service::<Notifier>() {
            Some(notifier) => notifier.0.do_not_disturb().await.unwrap_or(false),
            None => false,
        };
        let own = ctx.service::<DoNotDisturb>();
        own.is_on.store(is_on, Ordering::Relaxed);
        own.is_read.store(true, Ordering::Relaxed);
        is_on
    }
}

/// While it's on, looks whether it ended, and then releases what it held. Also once after a start, for what it held before.
pub(crate) async fn check(ctx: Ctx) -> Result<()> {
    let own = ctx.service::<DoNotDisturb>();
    let is_of_interest = own.is_on() || !own.is_read.load(Ordering::Relaxed);
    if !is_of_interest || DoNotDisturb::refresh(&ctx).await {
        return Ok(());
    }
    let accounts = ctx.db().read(store_rows::accounts_without_end).await?;
    if accounts.is_empty() {
        return Ok(());
    }
    let again = ctx.clone();
    let release = move |tx: &mut Tx<'_>| {
        accounts.iter().try_for_each(|account| store_rows::release(tx, &again, account, i64::MAX))
    };
    ctx.db().write(release).await
}

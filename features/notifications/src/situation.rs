//! The present situation of an account, for a decision.

use crate::focus;
use crate::presence::Presence;
use crate::settings::{NotificationBehavior, focusModeFeatureEnabled, notificationBehavior};
use futures_core::future::BoxFuture;
use kit::lookup::ReadFocus;
use kit::{Ctx, Result};
use notify::{Behavior, Focus, Situation};
use store::{HasDb, Tx};

/// Reads the situation.
pub(crate) fn read(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) -> Result<Situation> {
    let now_ms = ctx.now_ms();
    Ok(Situation {
        behavior: match ctx.setting(account, &notificationBehavior) {
            NotificationBehavior::Always => Behavior::Always,
            NotificationBehavior::Backgrounded => Behavior::Backgrounded,
            NotificationBehavior::Never => Behavior::Never,
        },
        focus: focus(tx, ctx, account)?,
        quiet_until_ms: None,
        is_in_front: ctx.service::<Presence>().is_in_front(account, now_ms),
        shows_notices: true,
    })
}

/// The account's Focus Mode, if it's active and the feature is on.
fn focus(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) -> Result<Option<Focus>> {
    match ctx.setting(account, &focusModeFeatureEnabled) {
        true => focus::active(tx, account, ctx.now_ms()),
        false => Ok(None),
    }
}

/// Tells other features of Focus Mode.
pub(crate) struct FocusReader;

impl ReadFocus for FocusReader {
    fn until_ms(&self, ctx: Ctx, account: &str) -> BoxFuture<'static, Result<Option<i64>>> {
        let account = account.to_owned();
        Box::pin(async move {
            let again = ctx.clone();
            let focus = ctx.db().read(move |tx| focus(tx, &again, &account)).await?;
            Ok(focus.map(|focus| focus.until_ms))
        })
    }
}

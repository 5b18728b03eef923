//! The present situation of an account, for a decision.

use crate::focus;
use crate::presence::Presence;
use crate::settings::{NotificationBehavior, focusModeFeatureEnabled, notificationBehavior};
use kit::{Ctx, Result};
use notify::{Behavior, Situation};
use store::Tx;

/// Reads the situation.
pub(crate) fn read(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) -> Result<Situation> {
    let now_ms = ctx.now_ms();
    let focus = match ctx.setting(account, &focusModeFeatureEnabled) {
        true => focus::active(tx, account, now_ms)?,
        false => None,
    };
    Ok(Situation {
        behavior: match ctx.setting(account, &notificationBehavior) {
            NotificationBehavior::Always => Behavior::Always,
            NotificationBehavior::Backgrounded => Behavior::Backgrounded,
            NotificationBehavior::Never => Behavior::Never,
        },
        focus,
        quiet_until_ms: None,
        is_in_front: ctx.service::<Presence>().is_in_front(account, now_ms),
        shows_notices: true,
    })
}

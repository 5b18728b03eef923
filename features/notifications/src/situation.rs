//! The present situation of an account, for a decision.

use crate::do_not_disturb::DoNotDisturb;
use crate::focus;
use crate::presence::Presence;
use crate::settings::{
    NotificationBehavior, notificationBehavior, pmInboxQuietHoursEnabled, pmInboxQuietHoursEnd, pmInboxQuietHoursStart,
    pmInboxQuietHoursTimeZone, traySystemNotificationsEnabled,
};
use inbox_rows::Severity;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use kit::{Ctx, InboxKind, Result, Urgency};
use notify::{Behavior, QuietHours, Row, Situation, Subject, quiet_until};
use store::Tx;

/// What a decision needs to know of a row.
pub(crate) fn subject(ctx: &Ctx, account: &str, kind: &InboxKind, severity: Severity) -> Subject {
    if kind.urgency == Urgency::Notice {
        return Subject::Notice;
    }
    Subject::Row(Row {
        need: kind.need,
        is_critical: severity == Severity::Critical,
        of_board: kind.urgency == Urgency::OfBoard,
        is_overdue: kind.urgency == Urgency::Always,
        is_hidden: inbox_rows::is_hidden(ctx, account, kind),
    })
}

/// Reads the situation.
pub(crate) fn read(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) -> Result<Situation> {
    let now_ms = ctx.now_ms();
    Ok(Situation {
        behavior: match ctx.setting(account, &notificationBehavior) {
            NotificationBehavior::Always => Behavior::Always,
            NotificationBehavior::Backgrounded => Behavior::Backgrounded,
            NotificationBehavior::Never => Behavior::Never,
        },
        focus: focus::current(tx, ctx, account)?,
        quiet_until_ms: quiet_until_ms(ctx, account),
        is_in_front: ctx.service::<Presence>().is_in_front(account, now_ms),
        shows_notices: ctx.setting(account, &traySystemNotificationsEnabled),
        is_do_not_disturb: ctx.service::<DoNotDisturb>().is_on(),
    })
}

/// The end of the quiet hours for board events, during them.
fn quiet_until_ms(ctx: &Ctx, account: &str) -> Option<i64> {
    if !ctx.setting(account, &pmInboxQuietHoursEnabled) {
        return None;
    }
    // The setting accepts nothing else.
    let time = |text: String| text.parse::<Time>().ok();
    let start = time(ctx.setting(account, &pmInboxQuietHoursStart))?;
    let end = time(ctx.setting(account, &pmInboxQuietHoursEnd))?;
    let zone = ctx.setting(account, &pmInboxQuietHoursTimeZone);
    let zone = TimeZone::get(&zone).unwrap_or_else(|_| ctx.home_zone());
    quiet_until(QuietHours { start, end }, &zone, ctx.now_ms())
}

//! The kinds of inbox rows that sessions post.

use crate::settings::inboxShowSessions;
use kit::{InboxKind, Need, Urgency};

pub(crate) static ALL: &[&InboxKind] =
    &[&APPROVAL, &PLAN, &QUESTION, &SESSION, &DONE, &NOTICE, &OUTAGE, &SPEND_CAP, &LOGIN_LOAD];

/// A permission request.
pub(crate) static APPROVAL: InboxKind = of_session("approval", "Permission request", "session", Need::Answer);
/// A plan that needs approval.
pub(crate) static PLAN: InboxKind = of_session("plan", "Plan", "task", Need::Answer);
/// A question.
pub(crate) static QUESTION: InboxKind = of_session("question", "Question", "info", Need::Answer);
/// A session that failed or needs attention.
pub(crate) static SESSION: InboxKind = of_session("session", "Session", "session", Need::Attention);
/// A turn that ended and needs nobody.
pub(crate) static DONE: InboxKind = of_session("done", "Turn done", "check", Need::Nothing).done();
/// A notice from Pilothouse, such as a page that an agent wants to show.
pub(crate) static NOTICE: InboxKind = InboxKind::new("notice", "Notice", "info");

/// An engine whose service fails.
pub(crate) static OUTAGE: InboxKind =
    InboxKind::new("engine-outage", "Engine outage", "warning").urgency(Urgency::Notice);
/// The spending cap of revived sessions.
pub(crate) static SPEND_CAP: InboxKind =
    InboxKind::new("revival-cap", "Spending cap", "warning").urgency(Urgency::Notice);
/// A login that carries most running sessions.
pub(crate) static LOGIN_LOAD: InboxKind =
    InboxKind::new("login-load", "Load of logins", "people").urgency(Urgency::Notice);

const fn of_session(name: &'static str, label: &'static str, icon: &'static str, need: Need) -> InboxKind {
    InboxKind::new(name, label, icon).asking(need).shown_by(&inboxShowSessions)
}

/// The key of the row about a session's last turn.
pub(crate) fn done_key(session: &str) -> String {
    format!("done:{session}")
}

/// The key of the row about an engine's outage.
pub(crate) fn outage_key(engine: &str) -> String {
    format!("engine-outage:{engine}")
}

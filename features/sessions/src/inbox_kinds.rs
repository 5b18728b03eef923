//! The kinds of inbox rows that sessions post.

use crate::settings::inboxShowSessions;
use kit::{InboxKind, Need};

pub(crate) static ALL: &[&InboxKind] = &[&APPROVAL, &PLAN, &QUESTION, &SESSION, &DONE, &NOTICE];

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

const fn of_session(name: &'static str, label: &'static str, icon: &'static str, need: Need) -> InboxKind {
    InboxKind::new(name, label, icon).asking(need).shown_by(&inboxShowSessions)
}

/// The key of the row about a session's last turn.
pub(crate) fn done_key(session: &str) -> String {
    format!("done:{session}")
}

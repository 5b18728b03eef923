//! The kinds of inbox rows that scheduled messages post.

use kit::{InboxKind, Urgency};

pub(crate) static ALL: &[&InboxKind] = &[&MESSAGE, &PROBLEM];

/// A message. Its body is Markdown.
pub(crate) static MESSAGE: InboxKind = InboxKind::new("scheduled-message", "Scheduled message", "clock");
/// A message that couldn't be sent to its session or hub.
pub(crate) static PROBLEM: InboxKind =
    InboxKind::new("scheduled-message-problem", "Scheduled message problem", "warning").urgency(Urgency::Notice);
/// The kind of approvals, which the inbox declares with the setting that hides it.
pub(crate) const APPROVAL: &str = "cron-approval";

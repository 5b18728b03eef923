//! The kinds of inbox rows that alarms post.

use kit::InboxKind;

pub(crate) static ALL: &[&InboxKind] = &[&MISSED, &NOTICE];

/// An alarm that nobody answered.
pub(crate) static MISSED: InboxKind = InboxKind::new("alarm", "Missed alarm", "clock");
/// A problem with alarms.
pub(crate) static NOTICE: InboxKind = InboxKind::new("alarm-notice", "Alarm notice", "info");

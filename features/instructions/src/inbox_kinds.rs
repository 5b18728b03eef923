//! The kinds of inbox rows about instruction files.

use kit::{InboxKind, Need};

pub(crate) static ALL: &[&InboxKind] = &[&ASK, &NOTICE];

/// A file that you wrote is where a copy is to be.
pub(crate) static ASK: InboxKind = InboxKind::new("instruction-file", "Instruction file", "file").asking(Need::Answer);
/// A problem with instruction files.
pub(crate) static NOTICE: InboxKind = InboxKind::new("instruction-notice", "Instruction file notice", "info");

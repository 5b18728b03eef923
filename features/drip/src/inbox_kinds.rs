//! The kind of inbox rows that drips post.

use kit::InboxKind;

pub(crate) static ALL: &[&InboxKind] = &[&ITEM];

/// A released item.
pub(crate) static ITEM: InboxKind = InboxKind::new("drip", "Drip", "inbox");

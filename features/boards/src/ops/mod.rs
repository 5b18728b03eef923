//! Requests about boards, their columns, groups, and items.

pub(crate) mod boards;
pub(crate) mod columns;
pub(crate) mod groups;
pub(crate) mod items;
pub(crate) mod undo;

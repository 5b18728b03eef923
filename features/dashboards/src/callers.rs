//! Callers and scopes that several groups of operations share.

use kit::CallerSet;

/// Scopes of operations that show values of boards: they need what reading boards needs.
pub(crate) const READ_BOARDS: &str = "dashboards:read boards:read";

/// Callers with pages.
pub(crate) const AT_PAGE: CallerSet = CallerSet::OWNER.and(CallerSet::MEMBER);
/// Callers that decide about proposals: people, at the page or by script.
pub(crate) const DECIDES: CallerSet = CallerSet::PERSON.and(CallerSet::MEMBER);

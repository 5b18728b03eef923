//! iCalendar: reading it as other programs write it, the occurrences of a series, and changing it without losing anything.
//!
//! Invariants: no text makes it panic or run without end; a property that it doesn't know stays, as written; an occurrence in local
//! time stays at that time across changes of clocks; what is changed by an override shows once, whatever time zone names it.
//! Deliberately not here: servers, storage, and the clock. Times come from the caller.

mod edit;
mod rule;
mod series;
mod text;
mod value;
mod write_zone;
mod zone;

pub use edit::{
    Fields, When, complete, create, delete_from, delete_one, override_of, update_all, update_following, update_one,
};
pub use rule::{Frequency, Rule};
pub use series::{Expansion, Occurrence, Resource, Span, split};
pub use text::{Component, Line, escape, parse, unescape};
pub use value::{Moment, duration_ms, parse_moment};
pub use zone::{Zone, Zones, find_zone};

#[cfg(test)]
mod tests;

//! The contract between features and the platform: what a setting, an operation, a feature, an error and a caller are.
//!
//! Invariant: this crate knows neither HTTP nor SQL, and changes seldom; everything else is built from its rows.
//! Deliberately not here: any feature's types. What passes between features is an event (`crates/events`).

pub mod caller;
pub mod clock;
pub mod ctx;
pub mod days;
pub mod error;
pub mod fault;
pub mod feature;
pub mod ids;
mod input;
pub mod job;
pub mod json;
pub mod lookup;
pub mod op;
pub mod page;
pub mod secret;
pub mod setting;
pub mod tag;
pub mod text;
pub mod words;

pub use caller::{Caller, CallerSet, Kind, SessionsSeen};
pub use clock::{Clock, date, rfc3339};
pub use ctx::{Authenticator, Ctx, DataDir, SettingsSource, SpareDir};
pub use error::{Code, Error, FieldError, Result, invalid, not_found};
pub use fault::Fault;
pub use feature::{Catalog, Feature, InboxKind, Migration, NOTHING_TO_END, Need, Obstacle, Purpose, Urgency};
pub use ids::new_id;
pub use job::{Job, Missed, Reaction, Rule, TimerKind};
pub use op::{
    Accepted, Answer, Body, Cached, Call, Created, CreatedPart, Done, Media, Method, Op, Raw, Reply, call, limits,
};
pub use page::{Page, Part};
pub use secret::Secret;
pub use setting::Setting;
pub use words::Words;

/// For macros of this crate.
pub use serde_json;

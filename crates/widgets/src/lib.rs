//! The widget engine: every value on a dashboard is computed here, natively and as WebAssembly in the page's worker, so that a
//! number has one definition.
//!
//! Boards come in as Arrow streams ([`Engine::load`]) and are kept as columns: codes of labels and sets, scaled integers,
//! days. A [`Query`] carries the shared filters and the widgets' configurations; filters become look-up tables over codes and
//! a set of passing rows for each board, once for all widgets; a widget adds up into cells keyed by code.
//!
//! Deliberately not here: files, networks, clocks, threads. `now` and the time zone are the caller's.

mod accents;
mod axis;
mod board;
mod column;
pub mod dates;
mod derived;
mod engine;
mod error;
mod family;
mod filter;
mod fold;
mod format;
mod history;
mod ipc;
mod linked;
mod meaning;
mod operators;
mod percents;
mod pieces;
mod planes;
mod predicate;
mod query;
mod raw_result;
mod reading;
mod row_test;
mod rows;
mod select;
mod selection;
mod tally;
mod total;
mod view;
#[cfg(target_arch = "wasm32")]
mod wasm;
pub mod widgets;

pub use board::{BoardInfo, ROWS_MAX};
pub use dates::{Bucket, is_day};
pub use engine::{Answer, ColumnInfo, Engine, Items, ItemsQuery};
pub use error::EngineError;
pub use filter::{InertRule, LabelReach, OwnList, Reach};
pub use format::{Format, Side, Written, write};
pub use history::{BoardHistory, DAYS_AFTER, DAYS_BEFORE, History};
pub use linked::{Linked, LinkedItem, SprintDays};
pub use meaning::{
    CANCELED_WORDS, Category, FINISHED_WORDS, Meant, MeantLabel, NOT_STARTED_WORDS, categories, done_checks, due,
    means_canceled, means_done,
};
pub use operators::{Operand, Operator, all_operators, family, operators};
pub use query::{ColRef, Filters, Locale, People, Query, Rule, RuleOrGroup};
pub use select::{Selected, Sort, Table, select, sorted};
pub use total::Function;
pub use view::{ColumnTotal, GroupTotal, Step, Totals, ViewAnswer, ViewQuery};
pub use widgets::{looks_back, roles};

#[cfg(test)]
mod tests;

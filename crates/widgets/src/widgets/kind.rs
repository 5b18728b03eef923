//! Kinds of widgets, and what each kind can do.

use super::input::{Input, Outcome};
use super::mapping::Role;
use super::sprints;
use crate::raw_result::RawResult;
use crate::reading::read_as;
use crate::selection::Selection;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A kind of widget.
pub struct Kind {
    /// Its name in a configuration's `kind`.
    pub name: &'static str,
    /// JSON Schema of its configuration's own members.
    pub schema: fn() -> Value,
    /// All parts that columns can play in it; which of them they do depends on its configuration.
    pub roles: &'static [Role],
    /// The members that name a part of its result, each with its choices where it has some.
    pub(super) parts: &'static [(&'static str, &'static [&'static str])],
    /// By how many keys its items are told apart at most: the finest tallies are made first, and others are read off them.
    pub(super) keys: u8,
    /// Reads its configuration, with the columns of all boards where they are known.
    pub(super) read: fn(&Value) -> Result<Box<dyn Widget>, String>,
}

impl Kind {
    /// Whether its widgets are made of boards at all.
    pub fn reads_boards(&self) -> bool {
        !self.roles.is_empty()
    }
}

/// A widget whose configuration has been read.
pub trait Widget: Send + Sync {
    /// Those of its kind's roles that columns play in it, as configured.
    fn roles(&self) -> Vec<Role>;
    fn compute(&self, input: &Input<'_>) -> Outcome;
    /// What it shows where it reads no boards.
    fn alone(&self) -> Option<RawResult> {
        None
    }
    /// How its sprints are found, where it asks how they were on earlier days.
    fn looks_back(&self) -> Option<&sprints::Config> {
        None
    }
    /// The items that a part of the result is made of; which parts there are is the kind's to say.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String>;
}

/// What reads a configuration of this form.
pub(super) fn read<W: Widget + DeserializeOwned + 'static>(config: &Value) -> Result<Box<dyn Widget>, String> {
    read_as::<W>(config).map(|widget| Box::new(widget) as Box<dyn Widget>)
}

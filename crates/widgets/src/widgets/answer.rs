//! What is answered of a widget: what it shows or why it shows nothing, and what that is made of.

use super::mapping::{Cols, Role};
use crate::filter::{InertRule, LabelReach, Reach};
use crate::raw_result::RawResult;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::sync::Arc;

/// Something that does not contribute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Skipped {
    /// `empty-value`, `empty-category`, `other-type` (items), `subitem` (subitems that pass, where they are not counted), `unmapped`, `failed` (boards).
    pub reason: &'static str,
    /// How many items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// Which boards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<String>,
}

impl Skipped {
    pub(super) fn items(reason: &'static str, count: u64) -> Option<Skipped> {
        (count > 0).then(|| Skipped { reason, items: Some(count), boards: Vec::new() })
    }
}

/// What a widget shows: its result, or why there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum State {
    /// There is a result.
    Ok,
    /// Some boards have not arrived.
    Loading {
        /// Which.
        boards: Vec<String>,
    },
    /// It cannot be computed.
    Error {
        /// Boards that could not be fetched.
        boards: Vec<String>,
        /// What is wrong with the configuration.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// No board is connected.
    NoBoards,
    /// No board has columns for all required roles.
    Unmapped {
        /// The roles that no board has a column for; all required ones where no board has them together.
        roles: Vec<&'static str>,
    },
    /// The boards are empty.
    NoItems,
    /// No item passes the filters.
    AllFiltered {
        /// How many items there are.
        total: u64,
    },
    /// The passing items have no values.
    NoValues,
}

/// What an answer was made of.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Boards that contribute.
    pub boards_used: usize,
    /// Boards that the widget is connected to.
    pub boards_total: usize,
    /// Passing items that the result is made of.
    pub items_used: u64,
    /// Passing items of the contributing boards that it is not made of.
    pub items_skipped: u64,
    /// All items of the contributing boards, subitems only where they are counted.
    pub items_total: u64,
    /// What was left out and why.
    pub skipped_why: Vec<Skipped>,
    /// Rules that constrain nothing, or go on with less than they were meant to.
    pub inert_rules: Vec<InertRule>,
    /// How many of the boards each rule reaches: the shared ones first, in the same order in all widgets, then its own.
    pub reach: Vec<Reach>,
    /// Labels that rules name and that some of the boards that these reach do not know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelReach>,
}

/// What is known of a widget without looking at any item.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fixed {
    /// The widget's id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its settings in the present form, where they were in an older one.
    pub settings: Option<Value>,
    /// What parts columns play in it as it is configured.
    pub roles: Vec<Role>,
    /// The columns that play them: the chosen ones, and those that were found.
    pub cols: Cols,
}

/// One widget's answer.
#[derive(Clone, PartialEq, Debug)]
pub struct WidgetAnswer {
    /// What does not depend on the filters.
    pub fixed: Arc<Fixed>,
    /// Where who asks has been told that already, the number under which it was told the reach of rules.
    pub told: Option<u32>,
    /// Whether there is a result.
    pub state: State,
    /// The result, of the kind's own form. Present with `ok`, `no-items`, `all-filtered` and `no-values`.
    pub result: Option<RawResult>,
    /// What it was made of.
    pub coverage: Coverage,
    /// Whether it is not exact.
    pub approximate: bool,
    /// Why not, and what else is to be said: codes.
    pub reasons: Vec<String>,
}

impl Serialize for WidgetAnswer {
    /// As one object, what is fixed among the rest.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(reach) = self.told {
            return self.rest(reach).serialize(serializer);
        }
        let Fixed { id, kind, settings, roles, cols } = &*self.fixed;
        let mut told = serializer.serialize_struct("WidgetAnswer", 10)?;
        told.serialize_field("id", id)?;
        told.serialize_field("kind", kind)?;
        told.serialize_field("state", &self.state)?;
        if let Some(result) = &self.result {
            told.serialize_field("result", result)?;
        }
        told.serialize_field("coverage", &self.coverage)?;
        if let Some(settings) = settings {
            told.serialize_field("settings", settings)?;
        }
        told.serialize_field("roles", roles)?;
        told.serialize_field("cols", cols)?;
        told.serialize_field("approximate", &self.approximate)?;
        told.serialize_field("reasons", &self.reasons)?;
        told.end()
    }
}

impl WidgetAnswer {
    fn rest(&self, reach: u32) -> Rest<'_> {
        let coverage = &self.coverage;
        let counts = [coverage.items_used, coverage.items_skipped, coverage.items_total];
        Rest {
            state: Some(&self.state).filter(|state| **state != State::Ok),
            result: self.result.as_ref(),
            boards: [coverage.boards_used, coverage.boards_total],
            items: counts,
            skipped_why: &coverage.skipped_why,
            inert_rules: &coverage.inert_rules,
            reach,
            labels: &coverage.labels,
            approximate: self.approximate,
            reasons: &self.reasons,
        }
    }
}

/// What is left to tell whoever has been told the rest: nothing that is as it mostly is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawResult>,
    /// Those that are used, and all.
    boards: [usize; 2],
    /// Those that are used, those that are not, and all.
    items: [u64; 3],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    skipped_why: &'a [Skipped],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    inert_rules: &'a [InertRule],
    reach: u32,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    labels: &'a [LabelReach],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    approximate: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reasons: &'a [String],
}

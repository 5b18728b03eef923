//! What is asked: the boards, the shared filters, the widgets, and what the clock and the person's settings say.

use crate::dates::{DAY_MAX, DAY_MIN, DAY_MS};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// A dashboard's question.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Query {
    /// Ids of the connected boards, in the order that decides colors and the order of labels.
    pub boards: Vec<String>,
    /// Boards that could not be fetched.
    #[serde(default)]
    pub failed: Vec<String>,
    /// Under which name the history was given that sprints are looked up in; none where the past is not known.
    #[serde(default)]
    pub history: Option<String>,
    /// The filters that all widgets share.
    #[serde(default)]
    pub filters: Filters,
    /// Whether what passes is to hold subitems too. Of views and selections; each widget's configuration says it for itself.
    #[serde(default)]
    pub include_subitems: bool,
    /// Configurations of the widgets: `{"id", "kind", ...}` and the members that the kind's schema names.
    #[serde(default)]
    pub widgets: Vec<Value>,
    /// The instant of asking in milliseconds since the epoch, UTC.
    #[serde(default)]
    pub now: i64,
    /// Minutes that the viewer's time is ahead of UTC. Used for instants, never for calendar dates.
    #[serde(default)]
    pub utc_offset_minutes: i32,
    /// The first day of the week: 0 Monday to 6 Sunday.
    #[serde(default)]
    pub week_start: u8,
    /// How numbers are written.
    #[serde(default)]
    pub locale: Locale,
    /// The member that `"me"` stands for.
    #[serde(default)]
    pub me: Option<String>,
    /// Members by what names them in rules, their ids included: whoever is not in it is none, whom no item
    /// holds. Left out, every text is an id.
    #[serde(default)]
    pub members: Option<HashMap<String, String>>,
    /// Members of each team.
    #[serde(default)]
    pub teams: BTreeMap<String, Vec<String>>,
}

impl Query {
    /// Milliseconds to add to an instant for the viewer's wall clock.
    pub(crate) fn shift_ms(&self) -> i64 {
        // No place on earth is more than a day off.
        i64::from(self.utc_offset_minutes.clamp(-1440, 1440)) * 60_000
    }
    /// The viewer's calendar day of an instant.
    pub(crate) fn day(&self, instant: i64) -> i32 {
        let day = instant.saturating_add(self.shift_ms()).div_euclid(DAY_MS);
        day.clamp(i64::from(DAY_MIN), i64::from(DAY_MAX)) as i32
    }
    pub(crate) fn today(&self) -> i32 {
        self.day(self.now)
    }
    pub(crate) fn week_start(&self) -> u8 {
        self.week_start % 7
    }
}

/// The marks of a number.
#[derive(Clone, Debug, Deserialize)]
pub struct Locale {
    /// Between the whole and the fraction.
    pub decimal: String,
    /// Between groups of three digits; may be empty.
    pub group: String,
}

impl Default for Locale {
    fn default() -> Locale {
        Locale { decimal: ".".into(), group: ",".into() }
    }
}

/// The shared filters of a dashboard.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Filters {
    /// Version of the format: 1.
    #[serde(default)]
    pub v: u32,
    /// The people control.
    #[serde(default)]
    pub people: Option<People>,
    /// Every one of these has to be met.
    #[serde(default)]
    pub all: Vec<RuleOrGroup>,
}

/// Whose items to show.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct People {
    /// Member ids, `me` and `none` (nobody assigned).
    #[serde(default)]
    pub ids: Vec<String>,
    /// Team ids.
    #[serde(default)]
    pub teams: Vec<String>,
}

/// A rule, or several of which one has to be met.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub enum RuleOrGroup {
    /// Several rules, one of which has to be met.
    Any {
        /// The rules.
        any: Vec<Rule>,
    },
    /// One rule.
    Rule(Rule),
}

impl TryFrom<Value> for RuleOrGroup {
    type Error = &'static str;
    fn try_from(mut sent: Value) -> Result<RuleOrGroup, &'static str> {
        match sent.get_mut("any").map(Value::take) {
            Some(Value::Array(any)) => {
                Ok(RuleOrGroup::Any { any: any.into_iter().map(Rule::try_from).collect::<Result<_, _>>()? })
            }
            _ => Rule::try_from(sent).map(RuleOrGroup::Rule),
        }
    }
}

impl RuleOrGroup {
    /// Its rules, of which one has to be met.
    pub fn rules(&self) -> &[Rule] {
        match self {
            RuleOrGroup::Any { any } => any,
            RuleOrGroup::Rule(rule) => std::slice::from_ref(rule),
        }
    }
}

/// A condition on one column.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub struct Rule {
    /// Its id, by which the answer names it.
    pub id: String,
    /// The column that it is about.
    pub col: ColRef,
    /// What is asked of the cell.
    pub op: String,
    /// What the cell is compared with.
    pub value: Value,
    /// Switched off by the person.
    pub off: bool,
}

impl TryFrom<Value> for Rule {
    type Error = &'static str;
    fn try_from(mut sent: Value) -> Result<Rule, &'static str> {
        const WRONG: &str = "a rule needs `id`, `col`, and `op`, or a list of rules in `any`";
        Ok(Rule {
            id: text(&mut sent, "id").ok_or(WRONG)?,
            col: ColRef::try_from(sent.get_mut("col").ok_or(WRONG)?.take())?,
            op: text(&mut sent, "op").ok_or(WRONG)?,
            value: sent.get_mut("value").map(Value::take).unwrap_or_default(),
            off: sent.get("off").is_some_and(|off| off == true),
        })
    }
}

/// Takes a text out of an object.
fn text(sent: &mut Value, name: &str) -> Option<String> {
    match sent.get_mut(name)?.take() {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Which column of each board a rule is about.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub enum ColRef {
    /// Columns of this title, but for case, and of the same family of types.
    Title {
        /// The title.
        title: String,
        /// The column's type.
        type_name: String,
    },
    /// These columns of each board.
    Ids {
        /// Column IDs by board ID.
        ids: BTreeMap<String, Vec<String>>,
    },
    /// What every item has: board, group, name, created, updated; subitem, whether it is one, asked as of a checkbox.
    Builtin {
        /// Which of them.
        name: String,
    },
}

impl TryFrom<Value> for ColRef {
    type Error = &'static str;
    fn try_from(mut sent: Value) -> Result<ColRef, &'static str> {
        let by = text(&mut sent, "by").unwrap_or_default();
        let col = match by.as_str() {
            "title" => text(&mut sent, "title")
                .zip(text(&mut sent, "type"))
                .map(|(title, type_name)| ColRef::Title { title, type_name }),
            "ids" => {
                let ids = sent.get_mut("ids").map(Value::take).unwrap_or_default();
                BTreeMap::deserialize(ids).ok().map(|ids| ColRef::Ids { ids })
            }
            "builtin" => text(&mut sent, "name").map(|name| ColRef::Builtin { name }),
            _ => None,
        };
        col.ok_or("a column needs `title` and `type`, `ids`, or for a `builtin` one `name`")
    }
}

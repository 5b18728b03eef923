//! Sprints: what Velocity, Planned and Burndown have in common. Which sprint each item belongs to, from when to when a sprint
//! lasts, what an item weighs, and which items are done.
//!
//! None of this depends on the filters: a sprint keeps its days and its place in the order whoever's items are shown.

mod effort;
mod fates;
mod found;

use super::input::{Input, Part, settled};
use super::mapping::{NUMBER_TYPES, Role};
use super::measure::Measure;
use super::schema::{format_schema, include_subitems_schema};
use crate::board::{Board, CREATED as BOARD_CREATED};
use crate::column::{Data, stamp};
use crate::dates::iso;
use crate::derived::CacheKey;
use crate::fold::{fold_case, natural};
use crate::format::Format;
use crate::pieces::{Figure, Name, Piece};
use crate::query::Query;
use crate::reading::read_as;
use crate::row_test::Test;
use crate::selection::Selection;
use crate::tally::{Days, Key, Keyed, Places};
use crate::total::{Function, Total};
use found::{Found, spans};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) use effort::{Counts, Effort, Scale, Tally, Weighed};
pub(super) use fates::{Fate, Fates};

/// An item that belongs to no sprint.
pub(super) const BACKLOG: u32 = u32::MAX;
/// How many sprints are shown where nothing else is asked for, and at most.
const SHOWN: usize = 6;
const SHOWN_MAX: usize = 50;

/// The members that the kinds have in common.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Config {
    #[serde(default)]
    sprint_by: SprintBy,
    /// Days of sprints that nothing else gives.
    #[serde(default)]
    sprints: Vec<Dates>,
    #[serde(default)]
    pub format: Format,
    #[serde(skip)]
    pub chosen: Chosen,
    /// Whether items count by their number, and not one each.
    #[serde(skip)]
    pub has_effort: bool,
}

/// What labels of the done column mean.
#[derive(Default, Deserialize)]
pub(super) struct Chosen {
    /// The labels that mean done, by board; the column's own marks where a board is not named.
    #[serde(default)]
    done: BTreeMap<String, Vec<String>>,
    /// The labels that take an item out of its sprint, by board; those of the category canceled where a board is not named.
    #[serde(default)]
    cancelled: BTreeMap<String, Vec<String>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SprintBy {
    #[default]
    Column,
    /// Each group is a sprint.
    Group,
}

#[derive(Deserialize)]
struct Dates {
    key: String,
    from: String,
    to: String,
}

/// A widget's configuration: what all kinds over sprints have, and what is its kind's own.
pub(super) fn read<Own: DeserializeOwned>(config: &Value) -> Result<(Config, Own), String> {
    Ok((Config::read(config)?, read_as(config)?))
}

impl Config {
    fn read(config: &Value) -> Result<Config, String> {
        let mut read: Config = read_as(config)?;
        read.chosen = read_as(config)?;
        let boards = config["cols"]["effort"].as_object();
        read.has_effort =
            boards.is_some_and(|boards| boards.values().any(|ids| ids.as_array().is_some_and(|ids| !ids.is_empty())));
        Ok(read)
    }
    /// What items weigh: those whose effort is below zero weigh nothing.
    pub fn measure(&self, input: &Input<'_>) -> Measure {
        Measure::from_role(input, EFFORT.name, false)
    }
    pub fn is_by_group(&self) -> bool {
        self.sprint_by == SprintBy::Group
    }
    /// What columns are needed; `date` is the kind's to say.
    pub fn roles(&self, date_required: bool) -> Vec<Role> {
        let sprint = (self.sprint_by == SprintBy::Column).then_some(SPRINT);
        // A board without efforts would count its items beside the points of the others.
        let effort = Role { required: self.has_effort, ..EFFORT };
        let days = [Role { required: date_required, ..DATE }, SPRINT_START, SPRINT_END];
        sprint.into_iter().chain([effort, DONE]).chain(days).collect()
    }
}

/// The parts that columns play in all of the kinds.
pub(super) const ROLES: &[Role] = &[SPRINT, EFFORT, DONE, DATE, SPRINT_START, SPRINT_END];
pub(super) const SPRINT: Role = Role {
    called: &["sprint", "iteration", "cycle"],
    likely: &["sprint"],
    called_else: &["week", "woche"],
    ..Role::new("sprint", "Sprint of an item, if `sprintBy` is `column`.", SPRINT_TYPES, true)
};
pub(super) const EFFORT: Role = Role {
    called: &["points", "estimate", "effort", "aufwand", "size"],
    // Any other number, such as a cost, is no effort.
    likely: &[],
    ..Role::new("effort", "Weight of an item. Without it, each counts as 1.", NUMBER_TYPES, false)
};
pub(super) const DONE: Role = Role {
    called: &["status", "done", "state"],
    ..Role::new("done", "Column that marks items done, by labels or a checkbox.", DONE_TYPES, true)
};
pub(super) const DATE: Role = Role {
    called: &["done", "completed", "finished", "closed", "resolved", "ended", "erledigt"],
    // When an item was made, or when its sprint is, says nothing of when it was finished.
    never: &[CREATED.called, SPRINT_START.called, SPRINT_END.called],
    ..Role::new("date", "Completion date of an item. For a timeline, its last day.", DATE_TYPES, false)
};
pub(super) const SPRINT_START: Role = Role {
    called: &[
        "sprint start",
        "cycle start",
        "iteration start",
        "sprint starts",
        "sprint beginn",
        "sprintbeginn",
        "sprintstart",
    ],
    likely: &[],
    ..Role::new("sprintStart", "First day of an item's sprint, if not known otherwise.", &["date"], false)
};
pub(super) const SPRINT_END: Role = Role {
    called: &["sprint end", "cycle end", "iteration end", "sprint ends", "sprint ende", "sprintende"],
    likely: &[],
    ..Role::new("sprintEnd", "Last day of an item's sprint, if not known otherwise.", &["date"], false)
};
pub(super) const CREATED: Role = Role {
    called: &[
        "created",
        "creation",
        "erstellt",
        "erstelldatum",
        "angelegt",
        "créé",
        "créée",
        "création",
        "creado",
        "creación",
        "criado",
        "creato",
        "aangemaakt",
    ],
    likely: &[],
    ..Role::new("created", "Creation date of an item, such as an imported one.", &["date"], false)
};

const SPRINT_TYPES: &[&str] = &["sprint", "itemLink", "status", "dropdown", "tags", "text", "timeline"];
const DONE_TYPES: &[&str] = &["status", "dropdown", "checkbox"];
const DATE_TYPES: &[&str] = &["date", "timeline"];

/// Members that list ids of labels by board, and the role of the column whose labels they are.
pub const LABEL_LISTS: [(&str, &str); 3] = [("done", "done"), ("cancelled", "done"), ("unplanned", "unplanned")];

/// What the lists of labels that take items out are, for schemas.
pub(super) const CANCELLED: &str =
    "IDs of the labels that remove an item from its sprint, by board. Default: labels of the category canceled.";

/// JSON Schema of ids of labels by board.
pub(super) fn labels_schema(text: &str) -> Value {
    json!({"type": "object", "description": text, "additionalProperties": {"type": "array", "items": {"type": "string"}}})
}

/// JSON Schema of how many sprints are shown.
pub(super) fn last_schema(min: usize) -> Value {
    json!({"type": "integer", "minimum": min, "maximum": SHOWN_MAX, "default": SHOWN, "description": "Number of sprints to show."})
}

/// The common members of the kinds' JSON Schemas, with a kind's own.
pub(super) fn schema(own: Value) -> Value {
    let day = json!({"type": "string", "format": "date"});
    let mut schema = json!({"type": "object", "properties": {
        "sprintBy": {"enum": ["column", "group"], "default": "column", "description": "Whether a column or the group is an item's sprint."},
        "sprints": {"type": "array", "description": "Dates of sprints whose linked items have none.", "items": {
            "type": "object", "required": ["key", "from", "to"], "properties": {"key": {"type": "string"}, "from": day, "to": day}}},
        "done": labels_schema("IDs of the labels that mean done, by board. Default: labels marked done."),
        "cancelled": labels_schema(CANCELLED),
        "format": format_schema(), "includeSubitems": include_subitems_schema()}});
    if let (Some(all), Value::Object(own)) = (schema["properties"].as_object_mut(), own) {
        all.extend(own);
    }
    schema
}

/// A sprint.
pub(super) struct Sprint {
    pub key: String,
    pub label: String,
    /// First day.
    pub from: Option<i32>,
    /// Last day.
    pub to: Option<i32>,
    /// The days are those of its items' dates, for want of better ones.
    pub inferred: bool,
    /// Somebody gave it days that cannot be: it has none, and none are guessed.
    impossible: bool,
}

/// Where a sprint stands today.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    Closed,
    Active,
    Future,
    /// Nothing says when it is.
    Undated,
}

/// A sprint as it is told.
#[derive(Serialize)]
pub(super) struct ShownSprint<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inferred: Option<bool>,
    key: &'a str,
    label: &'a str,
    phase: Phase,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
}

/// A sprint with what it came to.
#[derive(Serialize)]
pub(super) struct With<'a, Own> {
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u32>,
    #[serde(flatten)]
    sprint: Option<ShownSprint<'a>>,
    #[serde(flatten)]
    own: Own,
}

impl<'a, Own> With<'a, Own> {
    pub fn new(sprint: Piece<ShownSprint<'a>>, own: Own) -> With<'a, Own> {
        let (of, sprint) = sprint.apart();
        With { of, sprint, own }
    }
}

impl Sprint {
    /// Takes days that were given; none where the last is before the first.
    fn take_days(&mut self, from: Option<i32>, to: Option<i32>) {
        self.impossible = from.zip(to).is_some_and(|(from, to)| to < from);
        if !self.impossible {
            (self.from, self.to) = (from, to);
        }
    }
    fn is_undated(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }
    pub fn phase(&self, today: i32) -> Phase {
        match (self.from, self.to) {
            (None, None) => Phase::Undated,
            (_, Some(to)) if to < today => Phase::Closed,
            (Some(from), _) if from > today => Phase::Future,
            _ => Phase::Active,
        }
    }
    pub fn shown(&self, today: i32) -> ShownSprint<'_> {
        ShownSprint {
            from: self.from.map(iso),
            inferred: self.inferred.then_some(true),
            key: &self.key,
            label: &self.label,
            phase: self.phase(today),
            to: self.to.map(iso),
        }
    }
    /// By its first day, then by name; without days last.
    fn compare(&self, other: &Sprint) -> Ordering {
        let day = |sprint: &Sprint| sprint.from.or(sprint.to).unwrap_or(i32::MAX);
        let name = |sprint: &Sprint| fold_case(&sprint.label);
        day(self).cmp(&day(other)).then_with(|| natural(&name(self), &name(other)))
    }
}

/// The sprints that items of the boards belong to, in their order, and for each board the way from its rows to them.
pub(super) struct Sprints {
    known: Arc<Known>,
    /// What says of each board's rows which sprints they name; nothing where a board has none.
    pub keys: Vec<Option<Key>>,
    /// Which rows name several, where any do.
    several: Option<Arc<Places>>,
}

/// What does not depend on the filters.
struct Known {
    stamp: u64,
    all: Vec<Sprint>,
    ways: Vec<Way>,
}

/// A board's way from codes to sprints.
struct Way {
    named: Vec<Vec<u32>>,
    /// The one sprint of each code: the latest that it names.
    table: Vec<u32>,
}

impl Sprints {
    pub fn new<'a>(input: &Input<'a>, config: &Config) -> Sprints {
        let keys: Vec<Option<Key>> = input.parts.iter().map(|part| key(part, config)).collect();
        let column = |part: &Part<'_>, role: &str| part.column(role).map_or(0, |column| column.stamp);
        let stamps = input.parts.iter().flat_map(|part| {
            let of_roles = ["sprint", "date", SPRINT_START.name, SPRINT_END.name].map(|role| column(part, role));
            [part.board.groups.codes.stamp].into_iter().chain(of_roles)
        });
        let how = [u64::from(config.sprint_by == SprintBy::Group), u64::from(input.include_subitems)];
        let days = config.sprints.iter().map(|dates| json!([dates.key, dates.from, dates.to]));
        let of = (how.into_iter().chain(stamps).collect(), format!("sprints {}", days.collect::<Value>()));
        let known = input.across.get(of, || {
            let mut found = Found::default();
            let mut ways: Vec<Way> =
                input.parts.iter().zip(&keys).map(|(part, key)| found.way(part, key.as_ref(), config)).collect();
            found.take_dates(&config.sprints);
            for ((way, part), key) in ways.iter().zip(&input.parts).zip(&keys) {
                found.take_columns(way, part, key.as_ref(), input);
            }
            let boards = ways.iter().zip(&input.parts).zip(&keys);
            let used: Vec<Vec<bool>> =
                boards.map(|((way, part), key)| found.see(way, part, key.as_ref(), input)).collect();
            let all = found.settle(&mut ways, &used);
            Known { stamp: stamp(), all, ways }
        });
        let names_several = known.ways.iter().any(|way| way.named.iter().any(|named| named.len() > 1));
        let keyed =
            |(part, key): (&Part<'a>, &Option<Key>)| Keyed { board: part.board, keys: [key.clone(), None, None] };
        let several = names_several.then(|| {
            let boards: Vec<_> = input.parts.iter().zip(&keys).map(|one| (keyed(one), true)).collect();
            let places =
                Places::new(&boards, &mut |at, [code, ..]| u64::from(known.ways[at].named[code as usize].len() > 1));
            input.register(places)
        });
        Sprints { known, keys, several }
    }
    pub fn all(&self) -> &[Sprint] {
        &self.known.all
    }
    /// A sprint as it is told.
    pub fn described(&self, input: &Input<'_>, at: usize) -> Piece<ShownSprint<'_>> {
        // Today is the same for all who have been told the same.
        let name = Name::Part(self.known.stamp, at as u32);
        Piece::new(input.told, name, || self.all()[at].shown(input.query.today()))
    }
    /// The places of the sprints that are shown: of those that have begun the last, as many as are asked for.
    pub fn shown(&self, last: Option<usize>, min: usize, today: i32) -> Vec<usize> {
        let begun = (0..self.all().len()).rev().filter(|at| self.all()[*at].phase(today) != Phase::Future);
        let mut shown: Vec<usize> = begun.take(last.unwrap_or(SHOWN).clamp(min, SHOWN_MAX)).collect();
        shown.reverse();
        shown
    }
    /// The sprint of a board's code, or `BACKLOG`.
    #[inline]
    pub fn sprint_at(&self, part: usize, code: u32) -> u32 {
        self.known.ways[part].table[code as usize]
    }
    /// What is said by each of a board's codes of its sprint.
    pub fn by_code<T>(&self, part: usize, say: impl Fn(&Sprint) -> Option<T>) -> Vec<Option<T>> {
        self.known.ways[part].table.iter().map(|at| say(self.known.all.get(*at as usize)?)).collect()
    }
    /// For each of a board's codes whether it stands for a sprint.
    pub fn is_in(&self, part: usize, sprint: usize) -> Vec<bool> {
        self.known.ways[part].table.iter().map(|at| *at as usize == sprint).collect()
    }
    /// The rows of a board that belong to a sprint.
    pub fn rows(&self, part: usize, board: &Board, sprint: usize) -> Arc<Selection> {
        let table = self.is_in(part, sprint);
        match &self.keys[part] {
            Some(key) => board.derived.get(CacheKey::Rows(key.codes().stamp, table.clone()), || {
                Test::Codes(key.codes(), table).select(board.rows)
            }),
            None => Arc::new(Test::Const(table[0]).select(board.rows)),
        }
    }
    /// What is said where somebody gave sprints days that cannot be.
    pub fn impossible(&self) -> Option<String> {
        self.all().iter().any(|sprint| sprint.impossible).then(|| "impossible-days".to_owned())
    }
    /// The place of the sprint with a key.
    pub fn place(&self, key: &str) -> Option<usize> {
        self.all().iter().position(|sprint| sprint.key == key)
    }
    /// The place of the sprint that a part of a widget names; none where it names none.
    pub fn named(&self, part: &Value) -> Result<Option<usize>, String> {
        let place = |key: &Value| self.place(key.as_str()?);
        part.get("sprint").map(|key| place(key).ok_or_else(|| "sprint not found".to_owned())).transpose()
    }
    /// How many passing items name several sprints, and so count for the latest.
    pub fn several(&self, input: &Input<'_>) -> u64 {
        let mut count = 0;
        if let Some(places) = &self.several {
            input.tallies.cells(places, None).each(|place, sums| count += places.of[place] * sums.items());
        }
        count
    }
}

/// What names the sprints of a board's rows.
fn key(part: &Part<'_>, config: &Config) -> Option<Key> {
    let column = part.column("sprint");
    match (config.sprint_by, column.map(|column| (column.stamp, &column.data))) {
        (SprintBy::Group, _) => Some(Key::from_coded(&part.board.groups)),
        (_, Some((_, Data::Coded(coded)))) => Some(Key::from_coded(coded)),
        (_, Some((_, Data::Text(texts)))) => Some(Key::from_coded(texts.coded())),
        (_, Some((stamp, Data::Spans(from, to)))) => {
            Some(Key::Derived(part.board.derived.get(CacheKey::Spans(stamp), || spans(from, to))))
        }
        _ => None,
    }
}

/// When a board's items were finished, by its date column.
pub(super) fn finished<'a>(part: &Part<'a>) -> Option<Days<'a>> {
    let column = part.column("date")?;
    match &column.data {
        // What has a span is finished when it ends.
        Data::Days(days) | Data::Spans(_, days) => Some(Days::Of(column.stamp, days)),
        _ => None,
    }
}

/// When a board's items were created: by the column that says it, else when they were made here.
pub(super) fn created<'a>(part: &Part<'a>, query: &'a Query) -> Days<'a> {
    let instants = &part.board.created;
    match part.column(CREATED.name).map(|column| (column.stamp, &column.data)) {
        Some((stamp, Data::Days(days))) => Days::Or(stamp, days, instants, query),
        _ => Days::At(BOARD_CREATED, instants, query),
    }
}

/// What is said beneath the result: how many items are not as they should be.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(super) struct Notes(Vec<Note>);

#[derive(Serialize)]
struct Note {
    code: &'static str,
    items: u64,
}

impl Notes {
    pub fn add(&mut self, code: &'static str, items: u64) {
        if items > 0 {
            self.0.push(Note { code, items });
        }
    }
}

/// How sums of effort are written.
pub(super) struct Written<'a> {
    input: &'a Input<'a>,
    function: Function,
    pub format: Format,
}

impl<'a> Written<'a> {
    /// With the warning where the boards' units differ.
    pub fn new(input: &'a Input<'a>, config: &Config) -> (Written<'a>, Option<String>) {
        if !config.has_effort {
            let format = Format { abbreviate: config.format.abbreviate, ..Format::default() };
            return (Written { input, function: Function::Count, format }, None);
        }
        let (format, warning) = settled(&config.format, &input.parts, "effort");
        (Written { input, function: Function::Sum, format }, warning)
    }
    pub fn value(&self, total: &Total) -> f64 {
        total.value(self.function).unwrap_or(f64::NAN)
    }
    /// What several totals come to together.
    pub fn sum(&self, totals: &[&Total]) -> f64 {
        let mut sum = Total::default();
        totals.iter().for_each(|total| sum.merge(total));
        self.value(&sum)
    }
    pub fn figure(&self, value: f64) -> Figure {
        self.in_format(value, &self.format)
    }
    pub fn percent(&self, value: f64) -> Figure {
        let format = Format { percent: Some(true), abbreviate: Some(false), decimals: Some(0), ..Format::default() };
        self.in_format(value, &format)
    }
    fn in_format(&self, value: f64, format: &Format) -> Figure {
        Figure::new(self.input.told, value, format, &self.input.query.locale)
    }
    pub fn measure(&self) -> &'static str {
        if self.function == Function::Count { "items" } else { "effort" }
    }
}

//! Sprints: what Velocity, Planned and Burndown have in common. Which sprint each item belongs to, from when to when a sprint
//! lasts, what an item weighs, and which items are done.
//!
//! None of this depends on the filters: a sprint keeps its days and its place in the order whoever's items are shown.

use super::{Cols, Input, NUMBER_TYPES, Part, Role, Skipped, number, object, settled};
use crate::board::Family;
use crate::column::{Coded, Codes, Data, Entry, NO_DAY, NO_INT, Numbers};
use crate::dates::{iso, parse};
use crate::fold::{fold_case, natural};
use crate::format::{Format, write};
use crate::total::{Cell, Function, Total};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

/// An item that belongs to no sprint.
pub(super) const BACKLOG: u32 = u32::MAX;

/// The members that the kinds have in common.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Config {
    #[serde(default)]
    sprint_by: SprintBy,
    /// Days of sprints that nothing else gives.
    #[serde(default)]
    sprints: Vec<Dates>,
    #[serde(flatten)]
    pub chosen: Chosen,
    #[serde(default)]
    cols: Cols,
    #[serde(default)]
    pub format: Format,
}

/// What labels of the done column mean.
#[derive(Default, Deserialize)]
pub(super) struct Chosen {
    /// The labels that mean done, by board; the column's own marks where a board is not named.
    #[serde(default)]
    done: BTreeMap<String, Vec<String>>,
    /// The labels that take an item out of its sprint, by board.
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

impl Config {
    /// Whether items count by their number, and not one each.
    pub fn has_effort(&self) -> bool {
        self.cols.get("effort").is_some_and(|boards| boards.values().any(|ids| !ids.is_empty()))
    }
    /// What columns are needed; `date` is the kind's to say.
    pub fn roles(&self, date_required: bool) -> Vec<Role> {
        let mut roles = Vec::new();
        if self.sprint_by == SprintBy::Column {
            roles.push(Role {
                called: &["sprint", "iteration", "cycle"],
                likely: &["sprint"],
                ..Role::new("sprint", SPRINT_TYPES, true)
            });
        }
        // A board without it would count its items beside the points of the others.
        let called = &["points", "estimate", "effort", "aufwand", "size"];
        // Any other number, such as a cost, is no effort.
        roles.push(Role { called, likely: &[], ..Role::new("effort", NUMBER_TYPES, self.has_effort()) });
        roles.push(Role { called: &["status", "done", "state"], ..Role::new("done", DONE_TYPES, true) });
        let called = &["done", "completed", "finished", "closed", "resolved", "erledigt"];
        roles.push(Role { called, ..Role::new("date", DATE_TYPES, date_required) });
        roles
    }
}

const SPRINT_TYPES: &[&str] = &["sprint", "itemLink", "status", "dropdown", "tags", "text", "timeline"];
const DONE_TYPES: &[&str] = &["status", "dropdown", "checkbox"];
const DATE_TYPES: &[&str] = &["date", "timeline"];

/// JSON Schema of ids of labels by board.
pub(super) fn labels_schema(text: &str) -> Value {
    json!({"type": "object", "description": text, "additionalProperties": {"type": "array", "items": {"type": "string"}}})
}

/// The common members of the kinds' JSON Schemas, with a kind's own.
pub(super) fn schema(own: Value) -> Value {
    let day = json!({"type": "string", "format": "date"});
    let mut schema = json!({"type": "object", "properties": {
        "sprintBy": {"enum": ["column", "group"], "default": "column", "description": "Whether a column names an item's sprint or its group is it."},
        "sprints": {"type": "array", "description": "Days of sprints, for those whose linked items have none.", "items": {
            "type": "object", "required": ["key", "from", "to"], "properties": {"key": {"type": "string"}, "from": day, "to": day}}},
        "done": labels_schema("Ids of the labels that mean done, by board; by default those that the column marks."),
        "cancelled": labels_schema("Ids of the labels that take an item out of its sprint, by board."),
        "format": super::chart::format_schema(), "includeSubitems": super::include_subitems_schema()}});
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

impl Sprint {
    pub fn phase(&self, today: i32) -> Phase {
        match (self.from, self.to) {
            (None, None) => Phase::Undated,
            (_, Some(to)) if to < today => Phase::Closed,
            (Some(from), _) if from > today => Phase::Future,
            _ => Phase::Active,
        }
    }
    pub fn to_json(&self, today: i32) -> Value {
        let day = |day: Option<i32>| day.map_or(Value::Null, |day| iso(day).into());
        object([
            ("key", json!(self.key)),
            ("label", json!(self.label)),
            ("from", day(self.from)),
            ("to", day(self.to)),
            ("phase", json!(self.phase(today))),
            ("inferred", if self.inferred { true.into() } else { Value::Null }),
        ])
    }
    /// By its first day, then by name; without days last.
    fn compare(&self, other: &Sprint) -> Ordering {
        let day = |sprint: &Sprint| sprint.from.or(sprint.to).unwrap_or(i32::MAX);
        let name = |sprint: &Sprint| fold_case(&sprint.label);
        day(self).cmp(&day(other)).then_with(|| natural(&name(self), &name(other)))
    }
}

/// The sprints that items of the boards belong to, in their order, and for each board the way from its rows to them.
pub(super) struct Sprints<'a> {
    pub all: Vec<Sprint>,
    ways: Vec<Way<'a>>,
}

/// A board's way from rows to sprints: each row has a code, and each code names sprints.
struct Way<'a> {
    codes: Held<'a>,
    named: Vec<Vec<u32>>,
    /// The one sprint of each code: the latest that it names.
    table: Vec<u32>,
}

enum Held<'a> {
    Of(&'a Codes),
    Own(Vec<u32>),
}

impl Way<'_> {
    fn code(&self, row: usize) -> usize {
        match &self.codes {
            Held::Of(codes) => codes.get(row) as usize,
            Held::Own(codes) => codes[row] as usize,
        }
    }
}

impl<'a> Sprints<'a> {
    pub fn new(input: &Input<'a>, config: &Config) -> Sprints<'a> {
        let mut found = Found::default();
        let mut ways: Vec<Way<'a>> = input.parts.iter().map(|part| found.way(part, config)).collect();
        found.take_dates(&config.sprints);
        let used: Vec<Vec<bool>> =
            ways.iter().zip(&input.parts).map(|(way, part)| found.see(way, part, input)).collect();
        let all = found.settle(&mut ways, &used);
        Sprints { all, ways }
    }
    /// The sprint of a board's row, or `BACKLOG`.
    #[inline]
    pub fn of(&self, part: usize, row: usize) -> u32 {
        let way = &self.ways[part];
        way.table[way.code(row)]
    }
    /// The place of the sprint with a key.
    pub fn place(&self, key: &str) -> Option<usize> {
        self.all.iter().position(|sprint| sprint.key == key)
    }
    /// How many passing items name several sprints, and so count for the latest.
    pub fn several(&self, input: &Input<'_>) -> u64 {
        let mut count = 0;
        for (way, part) in self.ways.iter().zip(&input.parts).filter(|(way, _)| way.named.iter().any(|n| n.len() > 1)) {
            part.selection.each(|row| count += u64::from(way.named[way.code(row)].len() > 1));
        }
        count
    }
}

/// Sprints as they are met.
#[derive(Default)]
struct Found {
    all: Vec<Sprint>,
    by_key: HashMap<String, u32>,
}

impl Found {
    fn sprint(&mut self, key: &str, label: &str, from: Option<i32>, to: Option<i32>) -> u32 {
        let next = self.all.len() as u32;
        let at = *self.by_key.entry(key.to_owned()).or_insert(next);
        if at == next {
            let label = if label.is_empty() { key } else { label };
            self.all.push(Sprint {
                key: key.to_owned(),
                label: label.to_owned(),
                from: None,
                to: None,
                inferred: false,
            });
        }
        let sprint = &mut self.all[at as usize];
        if sprint.from.is_none() && sprint.to.is_none() {
            (sprint.from, sprint.to) = (from, to);
        }
        at
    }

    fn way<'a>(&mut self, part: &Part<'a>, config: &Config) -> Way<'a> {
        let column = part.columns("sprint").first();
        match (config.sprint_by, column.map(|column| &column.data)) {
            (SprintBy::Group, _) => self.coded(&part.board.groups, |group| (&group.id, None, None)),
            (_, Some(Data::Coded(coded))) => {
                let days = column.map(|column| part.board.linked_days(column)).unwrap_or_default();
                self.coded(coded, |entry| match column.is_some_and(|column| column.links.is_some()) {
                    true => {
                        let (from, to) = days.get(entry.id.as_str()).copied().unwrap_or_default();
                        (&entry.id, from, to)
                    }
                    false => (&entry.folded, None, None),
                })
            }
            (_, Some(Data::Text(texts))) => self.coded(texts.coded(), |entry| (&entry.folded, None, None)),
            (_, Some(Data::Spans(from, to))) => self.spans(from, to),
            _ => Way { codes: Held::Own(vec![0; part.board.rows]), named: vec![Vec::new()], table: Vec::new() },
        }
    }

    fn coded<'a>(
        &mut self,
        coded: &'a Coded,
        of: impl Fn(&'a Entry) -> (&'a String, Option<i32>, Option<i32>),
    ) -> Way<'a> {
        let sprint = |entry: &'a Entry| {
            let (key, from, to) = of(entry);
            // A label without a name is none.
            (!key.is_empty()).then(|| self.sprint(key, &entry.text, from, to))
        };
        let sprints: Vec<Option<u32>> = coded.entries.iter().map(sprint).collect();
        let named = |code| coded.entries_of(code).iter().filter_map(|entry| sprints[*entry as usize]).collect();
        Way { codes: Held::Of(&coded.codes), named: (0..coded.code_count()).map(named).collect(), table: Vec::new() }
    }

    /// Each span is a sprint of its own.
    fn spans(&mut self, from: &[i32], to: &[i32]) -> Way<'static> {
        let mut named: Vec<Vec<u32>> = vec![Vec::new()];
        let mut by_days: HashMap<(i32, i32), u32> = HashMap::new();
        let mut code = |days: (i32, i32)| {
            if days.0 == NO_DAY {
                return 0;
            }
            *by_days.entry(days).or_insert_with(|| {
                let (first, last) = (iso(days.0), iso(days.1));
                named.push(vec![self.sprint(
                    &format!("{first}/{last}"),
                    &format!("{first} – {last}"),
                    Some(days.0),
                    Some(days.1),
                )]);
                named.len() as u32 - 1
            })
        };
        let codes = from.iter().copied().zip(to.iter().copied()).map(&mut code).collect();
        Way { codes: Held::Own(codes), named, table: Vec::new() }
    }

    /// The configured days, where linked items have none.
    fn take_dates(&mut self, dates: &[Dates]) {
        for sprint in self.all.iter_mut().filter(|sprint| sprint.from.is_none() && sprint.to.is_none()) {
            let label = fold_case(&sprint.label);
            if let Some(dates) = dates.iter().find(|dates| dates.key == sprint.key || fold_case(&dates.key) == label) {
                (sprint.from, sprint.to) = (parse(&dates.from), parse(&dates.to));
            }
        }
    }

    /// Looks at all of a board's items: which codes they have, and from when to when the dates of sprints without days are.
    fn see(&mut self, way: &Way<'_>, part: &Part<'_>, input: &Input<'_>) -> Vec<bool> {
        let mut used = vec![false; way.named.len()];
        let mut days = vec![(i32::MAX, i32::MIN); way.named.len()];
        let finished = Finished::of(part);
        input.all(part).each(|row| {
            let code = way.code(row);
            used[code] = true;
            let day = finished.day(row);
            if day != NO_DAY {
                days[code] = (days[code].0.min(day), days[code].1.max(day));
            }
        });
        for (named, (first, last)) in way.named.iter().zip(days).filter(|(_, days)| days.0 <= days.1) {
            for sprint in named {
                let sprint = &mut self.all[*sprint as usize];
                if sprint.inferred || (sprint.from.is_none() && sprint.to.is_none()) {
                    sprint.inferred = true;
                    sprint.from = Some(sprint.from.map_or(first, |from| from.min(first)));
                    sprint.to = Some(sprint.to.map_or(last, |to| to.max(last)));
                }
            }
        }
        used
    }

    /// Puts the sprints that have items into their order, and gives each code the latest of those that it names.
    fn settle(self, ways: &mut [Way<'_>], used: &[Vec<bool>]) -> Vec<Sprint> {
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        order.sort_by(|a, b| self.all[*a].compare(&self.all[*b]));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, sprint)| place[*sprint] = at);
        let mut kept = vec![false; order.len()];
        for (way, used) in ways.iter_mut().zip(used) {
            way.table = way
                .named
                .iter()
                .map(|named| named.iter().map(|sprint| place[*sprint as usize] as u32).max().unwrap_or(BACKLOG))
                .collect();
            way.table
                .iter()
                .zip(used)
                .filter(|(at, used)| **used && **at != BACKLOG)
                .for_each(|(at, _)| kept[*at as usize] = true);
        }
        let mut next = 0;
        let renumbered: Vec<u32> = kept
            .iter()
            .map(|kept| {
                if *kept {
                    next += 1;
                    next - 1
                } else {
                    BACKLOG
                }
            })
            .collect();
        for at in ways.iter_mut().flat_map(|way| &mut way.table).filter(|at| **at != BACKLOG) {
            *at = renumbered[*at as usize];
        }
        let mut all: Vec<Option<Sprint>> = self.all.into_iter().map(Some).collect();
        order.iter().enumerate().filter(|(at, _)| kept[*at]).filter_map(|(_, sprint)| all[*sprint].take()).collect()
    }
}

/// When an item was finished, by its date column.
pub(super) enum Finished<'a> {
    Days(&'a [i32]),
    Unknown,
}

impl<'a> Finished<'a> {
    pub fn of(part: &Part<'a>) -> Finished<'a> {
        match part.columns("date").first().map(|column| &column.data) {
            // What has a span is finished when it ends.
            Some(Data::Days(days) | Data::Spans(_, days)) => Finished::Days(days),
            _ => Finished::Unknown,
        }
    }
    /// The day, or `NO_DAY`.
    #[inline]
    pub fn day(&self, row: usize) -> i32 {
        match self {
            Finished::Days(days) => days[row],
            Finished::Unknown => NO_DAY,
        }
    }
}

/// What becomes of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Open,
    Done,
    /// No longer part of its sprint.
    Cancelled,
}

/// What the items of a board have come to, by the codes of its done column.
pub(super) struct Fates<'a> {
    codes: &'a Codes,
    table: Vec<Fate>,
}

impl<'a> Fates<'a> {
    /// Nothing where the board has no such column, which the role does not allow.
    pub fn of(part: &Part<'a>, chosen: &Chosen) -> Option<Fates<'a>> {
        let column = *part.columns("done").first()?;
        let Data::Coded(coded) = &column.data else { return None };
        let listed = |lists: &BTreeMap<String, Vec<String>>, id: &String| {
            lists.get(&part.board.id).is_some_and(|ids| ids.contains(id))
        };
        let is_chosen = chosen.done.contains_key(&part.board.id);
        let fate = |members: &[u32]| {
            let is =
                |test: &dyn Fn(&Entry) -> bool| members.iter().any(|member| test(&coded.entries[*member as usize]));
            let is_done = |entry: &Entry| match (column.family, is_chosen) {
                (Family::Checkbox, _) => entry.id == "true",
                (_, true) => listed(&chosen.done, &entry.id),
                (_, false) => entry.done,
            };
            if is(&|entry| listed(&chosen.cancelled, &entry.id)) {
                Fate::Cancelled
            } else if is(&is_done) {
                Fate::Done
            } else {
                Fate::Open
            }
        };
        let table = (0..coded.code_count()).map(|code| fate(coded.entries_of(code))).collect();
        Some(Fates { codes: &coded.codes, table })
    }
    #[inline]
    pub fn fate(&self, row: usize) -> Fate {
        self.table[self.codes.get(row) as usize]
    }
    /// Whether any value of the column means done.
    pub fn can_be_done(&self) -> bool {
        self.table.contains(&Fate::Done)
    }
}

/// What an item weighs: its number, or one.
pub(super) struct Effort<'a> {
    numbers: Option<&'a Numbers>,
    /// Items whose number is below zero, which weigh nothing.
    pub negative: u64,
    /// Items without a number, which weigh nothing.
    pub empty: u64,
}

impl<'a> Effort<'a> {
    pub fn of(part: &Part<'a>) -> Effort<'a> {
        let numbers = part.columns("effort").first().and_then(|column| match &column.data {
            Data::Numbers(numbers) => Some(numbers),
            _ => None,
        });
        Effort { numbers, negative: 0, empty: 0 }
    }
    #[inline]
    pub fn add(&mut self, row: usize, cell: &mut Cell) {
        cell.items += 1;
        match self.numbers {
            None => {}
            Some(Numbers::Scaled { values, decimals }) => match values[row] {
                NO_INT => self.empty += 1,
                value if value < 0 => self.negative += 1,
                value => cell.add_scaled(value, *decimals, Function::Sum),
            },
            Some(Numbers::Float(values)) => match values[row] {
                value if value.is_nan() => self.empty += 1,
                value if value < 0.0 => self.negative += 1,
                value => cell.add_float(value, Function::Sum),
            },
        }
    }
    pub fn decimals(&self) -> u8 {
        self.numbers.map_or(0, Numbers::decimals)
    }
}

/// Where an item counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// In a sprint, as one of the classes that a kind divides its items into.
    In(u32, usize),
    /// It belongs to no sprint.
    Backlog,
    /// It belongs to its sprint no longer.
    Cancelled,
}

/// Effort by sprint and class.
pub(super) struct Tally<const CLASSES: usize> {
    pub sums: Vec<[Total; CLASSES]>,
    /// The same for each board.
    pub by_board: Vec<Vec<[Total; CLASSES]>>,
    pub used: u64,
    pub skipped: Vec<Skipped>,
    pub notes: Notes,
}

impl<const CLASSES: usize> Tally<CLASSES> {
    /// `counts` says of a board's row where it counts.
    pub fn of(input: &Input<'_>, sprints: &Sprints<'_>, counts: impl Fn(usize, usize) -> Counts) -> Tally<CLASSES> {
        let none = || vec![std::array::from_fn(|_| Total::default()); sprints.all.len()];
        let mut tally =
            Tally { sums: none(), by_board: Vec::new(), used: 0, skipped: Vec::new(), notes: Notes::default() };
        let (mut backlog, mut cancelled, mut empty, mut negative) = (0, 0, 0, 0);
        for (at, part) in input.parts.iter().enumerate() {
            let mut effort = Effort::of(part);
            let mut cells: Vec<[Cell; CLASSES]> = vec![std::array::from_fn(|_| Cell::default()); sprints.all.len()];
            part.selection.each(|row| match counts(at, row) {
                Counts::In(sprint, class) => {
                    tally.used += 1;
                    effort.add(row, &mut cells[sprint as usize][class]);
                }
                Counts::Backlog => backlog += 1,
                Counts::Cancelled => cancelled += 1,
            });
            let mut board = none();
            for (sprint, cells) in cells.iter().enumerate() {
                for (class, cell) in cells.iter().enumerate() {
                    tally.sums[sprint][class].add(cell, effort.decimals(), None);
                    board[sprint][class].add(cell, effort.decimals(), None);
                }
            }
            tally.by_board.push(board);
            (empty, negative) = (empty + effort.empty, negative + effort.negative);
        }
        let skipped = [Skipped::items("no-sprint", backlog), Skipped::items("cancelled", cancelled)];
        tally.skipped.extend(skipped.into_iter().flatten());
        tally.notes.add("no-effort", empty);
        tally.notes.add("negative-effort", negative);
        tally.notes.add("several-sprints", sprints.several(input));
        tally
    }
}

/// What is said beneath the result: how many items are not as they should be.
#[derive(Default)]
pub(super) struct Notes(Vec<Value>);

impl Notes {
    pub fn add(&mut self, code: &str, items: u64) {
        if items > 0 {
            self.0.push(json!({"code": code, "items": items}));
        }
    }
    pub fn into_json(self) -> Value {
        Value::Array(self.0)
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
        if !config.has_effort() {
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
    /// A value with its short and its full form.
    pub fn to_json(&self, value: f64) -> Value {
        let written = write(value, &self.format, &self.input.query.locale);
        let mut json = json!({"text": written.text, "full": written.full});
        json["value"] = number(Some(value).filter(|value| value.is_finite()));
        json
    }
    pub fn percent(&self, value: f64) -> Value {
        let format = Format { percent: Some(true), abbreviate: Some(false), decimals: Some(0), ..Format::default() };
        let written = write(value, &format, &self.input.query.locale);
        let mut json = json!({"text": written.text, "full": written.full});
        json["value"] = number(Some(value).filter(|value| value.is_finite()));
        json
    }
    pub fn measure(&self) -> &'static str {
        if self.function == Function::Count { "items" } else { "effort" }
    }
}

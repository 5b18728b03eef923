//! Sprints: what Velocity, Planned and Burndown have in common. Which sprint each item belongs to, from when to when a sprint
//! lasts, what an item weighs, and which items are done.
//!
//! None of this depends on the filters: a sprint keeps its days and its place in the order whoever's items are shown.

use super::{Input, NUMBER_TYPES, Part, Role, Skipped, read_as, settled};
use crate::board::{Board, Family};
use crate::column::{Coded, Data, Entry, NO_DAY, NO_INT, Numbers, POWERS, stamp};
use crate::dates::{iso, parse};
use crate::derived::Of;
use crate::filter::Test;
use crate::fold::{fold_case, natural, sort};
use crate::format::Format;
use crate::selection::Selection;
use crate::tally::{Addends, Days, KEYS_MAX, Key, Keyed, Made, Ways};
use crate::told::{Figure, Name, Piece};
use crate::total::{Cell, Function, Ledger, Total};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

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
    pub fn is_by_group(&self) -> bool {
        self.sprint_by == SprintBy::Group
    }
    /// What columns are needed; `date` is the kind's to say.
    pub fn roles(&self, date_required: bool) -> Vec<Role> {
        let sprint = (self.sprint_by == SprintBy::Column).then_some(SPRINT);
        // A board without efforts would count its items beside the points of the others.
        let effort = Role { required: self.has_effort, ..EFFORT };
        sprint.into_iter().chain([effort, DONE, Role { required: date_required, ..DATE }]).collect()
    }
}

/// The parts that columns play in all of the kinds.
pub(super) const ROLES: &[Role] = &[SPRINT, EFFORT, DONE, DATE];
pub(super) const SPRINT: Role = Role {
    called: &["sprint", "iteration", "cycle"],
    likely: &["sprint"],
    called_else: &["week", "woche"],
    ..Role::new("sprint", "Which sprint an item belongs to, where `sprintBy` is `column`.", SPRINT_TYPES, true)
};
pub(super) const EFFORT: Role = Role {
    called: &["points", "estimate", "effort", "aufwand", "size"],
    // Any other number, such as a cost, is no effort.
    likely: &[],
    ..Role::new("effort", "What an item weighs; without it each is one.", NUMBER_TYPES, false)
};
pub(super) const DONE: Role = Role {
    called: &["status", "done", "state"],
    ..Role::new("done", "Whether an item is done: by its labels, or where it is checked.", DONE_TYPES, true)
};
pub(super) const DATE: Role = Role {
    called: &["done", "completed", "finished", "closed", "resolved", "ended", "erledigt"],
    ..Role::new("date", "The day on which an item was finished; of a timeline its last.", DATE_TYPES, false)
};

const SPRINT_TYPES: &[&str] = &["sprint", "itemLink", "status", "dropdown", "tags", "text", "timeline"];
const DONE_TYPES: &[&str] = &["status", "dropdown", "checkbox"];
const DATE_TYPES: &[&str] = &["date", "timeline"];

/// Members that list ids of labels by board, and the role of the column whose labels they are.
pub const LABEL_LISTS: [(&str, &str); 3] = [("done", "done"), ("cancelled", "done"), ("unplanned", "unplanned")];

/// JSON Schema of ids of labels by board.
pub(super) fn labels_schema(text: &str) -> Value {
    json!({"type": "object", "description": text, "additionalProperties": {"type": "array", "items": {"type": "string"}}})
}

/// JSON Schema of how many sprints are shown.
pub(super) fn last_schema(min: usize) -> Value {
    json!({"type": "integer", "minimum": min, "maximum": SHOWN_MAX, "default": SHOWN, "description": "How many sprints to show."})
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
pub(super) struct Sprints<'a> {
    known: Arc<Known>,
    /// What says of each board's rows which sprints they name; nothing where a board has none.
    pub keys: Vec<Option<Key<'a>>>,
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

impl<'a> Sprints<'a> {
    pub fn new(input: &Input<'a>, config: &Config) -> Sprints<'a> {
        let keys: Vec<Option<Key<'a>>> = input.parts.iter().map(|part| key(part, config)).collect();
        let column = |part: &Part<'_>, role: &str| part.column(role).map_or(0, |column| column.stamp);
        let stamps = input
            .parts
            .iter()
            .flat_map(|part| [part.board.groups.codes.stamp, column(part, "sprint"), column(part, "date")]);
        let how = [u64::from(config.sprint_by == SprintBy::Group), u64::from(input.include_subitems)];
        let days = config.sprints.iter().map(|dates| json!([dates.key, dates.from, dates.to]));
        let of = (how.into_iter().chain(stamps).collect(), format!("sprints {}", days.collect::<Value>()));
        let known = input.across.get(of, || {
            let mut found = Found::default();
            let mut ways: Vec<Way> =
                input.parts.iter().zip(&keys).map(|(part, key)| found.way(part, key.as_ref(), config)).collect();
            found.take_dates(&config.sprints);
            let boards = ways.iter().zip(&input.parts).zip(&keys);
            let used: Vec<Vec<bool>> =
                boards.map(|((way, part), key)| found.see(way, part, key.as_ref(), input)).collect();
            let all = found.settle(&mut ways, &used);
            Known { stamp: stamp(), all, ways }
        });
        Sprints { known, keys }
    }
    pub fn all(&self) -> &[Sprint] {
        &self.known.all
    }
    /// A sprint as it is told.
    pub fn told(&self, input: &Input<'_>, at: usize) -> Piece<ShownSprint<'_>> {
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
    pub fn of(&self, part: usize, code: u32) -> u32 {
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
            Some(key) => board.derived.get(Of::Rows(key.codes().stamp, table.clone()), || {
                Selection::of(board.rows, &Test::Codes(key.codes(), table))
            }),
            None => Arc::new(Selection::of(board.rows, &Test::Const(table[0]))),
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
        part.get("sprint").map(|key| place(key).ok_or_else(|| "no such sprint".to_owned())).transpose()
    }
    /// How many passing items name several sprints, and so count for the latest.
    pub fn several(&self, input: &Input<'_>) -> u64 {
        let mut count = 0;
        for ((way, part), key) in self.known.ways.iter().zip(&input.parts).zip(&self.keys) {
            if way.named.iter().any(|named| named.len() > 1) {
                let keyed = Keyed { board: part.board, keys: [key.clone(), None, None] };
                input.tallies.of(&part.selection, &keyed, None).each(|[code, ..], sums| {
                    if way.named[code as usize].len() > 1 {
                        count += u64::from(sums.items);
                    }
                });
            }
        }
        count
    }
}

/// What names the sprints of a board's rows.
fn key<'a>(part: &Part<'a>, config: &Config) -> Option<Key<'a>> {
    let column = part.column("sprint");
    match (config.sprint_by, column.map(|column| (column.stamp, &column.data))) {
        (SprintBy::Group, _) => Some(Key::of(&part.board.groups)),
        (_, Some((_, Data::Coded(coded)))) => Some(Key::of(coded)),
        (_, Some((_, Data::Text(texts)))) => Some(Key::of(texts.coded())),
        (_, Some((stamp, Data::Spans(from, to)))) => {
            Some(Key::Made(part.board.derived.get(Of::Spans(stamp), || spans(from, to))))
        }
        _ => None,
    }
}

/// A code for each span that there is.
fn spans(from: &[i32], to: &[i32]) -> Made {
    let (mut there, mut by_days) = (Vec::new(), HashMap::new());
    let mut code = |days: (&i32, &i32)| {
        let days = (*days.0, *days.1);
        if days.0 == NO_DAY {
            return 0;
        }
        *by_days.entry(days).or_insert_with(|| {
            there.push(days);
            there.len() as u32
        })
    };
    let codes = from.iter().zip(to).map(&mut code).collect();
    Made { spans: there.clone(), ..Made::new(codes, there.len() + 1) }
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
                impossible: false,
            });
        }
        let sprint = &mut self.all[at as usize];
        if sprint.is_undated() && !sprint.impossible {
            sprint.take_days(from, to);
        }
        at
    }

    fn way(&mut self, part: &Part<'_>, key: Option<&Key<'_>>, config: &Config) -> Way {
        let column = part.column("sprint");
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
            _ => {
                let spans = if let Some(Key::Made(made)) = key { made.spans.as_slice() } else { &[] };
                Way {
                    named: std::iter::once(Vec::new()).chain(spans.iter().map(|days| self.span(*days))).collect(),
                    table: Vec::new(),
                }
            }
        }
    }

    fn coded<'e>(&mut self, coded: &'e Coded, of: impl Fn(&'e Entry) -> (&'e String, Option<i32>, Option<i32>)) -> Way {
        let sprint = |entry: &'e Entry| {
            let (key, from, to) = of(entry);
            // A label without a name is none.
            (!key.is_empty()).then(|| self.sprint(key, &entry.text, from, to))
        };
        let sprints: Vec<Option<u32>> = coded.entries.iter().map(sprint).collect();
        let named = |code| coded.entries_of(code).iter().filter_map(|entry| sprints[*entry as usize]).collect();
        Way { named: (0..coded.code_count()).map(named).collect(), table: Vec::new() }
    }

    /// Each span is a sprint of its own.
    fn span(&mut self, (from, to): (i32, i32)) -> Vec<u32> {
        let (first, last) = (iso(from), iso(to));
        vec![self.sprint(&format!("{first}/{last}"), &format!("{first} – {last}"), Some(from), Some(to))]
    }

    /// The configured days, where linked items have none.
    fn take_dates(&mut self, dates: &[Dates]) {
        for sprint in self.all.iter_mut().filter(|sprint| sprint.is_undated()) {
            let label = fold_case(&sprint.label);
            if let Some(dates) = dates.iter().find(|dates| dates.key == sprint.key || fold_case(&dates.key) == label) {
                let (from, to) = (parse(&dates.from), parse(&dates.to));
                sprint.take_days(from, to);
                sprint.impossible |= from.is_none() || to.is_none();
                if sprint.impossible {
                    (sprint.from, sprint.to) = (None, None);
                }
            }
        }
    }

    /// Looks at all of a board's items: which codes they have, and from when to when the dates of sprints without days are.
    fn see(&mut self, way: &Way, part: &Part<'_>, key: Option<&Key<'_>>, input: &Input<'_>) -> Vec<bool> {
        let finished = finished(part);
        let look = || {
            let mut seen =
                Seen { used: vec![false; way.named.len()], days: vec![(i32::MAX, i32::MIN); way.named.len()] };
            input.all(part).each(|row| {
                let code = key.map_or(0, |key| key.codes().get(row) as usize);
                seen.used[code] = true;
                if let Some(day) = finished.and_then(|days| days.get(row)) {
                    seen.days[code] = (seen.days[code].0.min(day), seen.days[code].1.max(day));
                }
            });
            seen
        };
        let seen = match key {
            Some(key) => part.board.derived.get(
                Of::Seen {
                    codes: key.codes().stamp,
                    days: part.column("date").map(|column| column.stamp),
                    with_subitems: input.include_subitems,
                },
                look,
            ),
            None => Arc::new(look()),
        };
        let Seen { used, days } = &*seen;
        for (named, (first, last)) in way.named.iter().zip(days.iter().copied()).filter(|(_, days)| days.0 <= days.1) {
            for sprint in named {
                let sprint = &mut self.all[*sprint as usize];
                if sprint.inferred || (sprint.is_undated() && !sprint.impossible) {
                    sprint.inferred = true;
                    sprint.from = Some(sprint.from.map_or(first, |from| from.min(first)));
                    sprint.to = Some(sprint.to.map_or(last, |to| to.max(last)));
                }
            }
        }
        used.clone()
    }

    /// Puts the sprints that have items into their order, and gives each code the latest of those that it names.
    fn settle(self, ways: &mut [Way], used: &[Vec<bool>]) -> Vec<Sprint> {
        let mut order: Vec<u32> = (0..self.all.len() as u32).collect();
        sort(&mut order, &mut |a, b| self.all[a].compare(&self.all[b]));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, sprint)| place[*sprint as usize] = at);
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
        order
            .iter()
            .enumerate()
            .filter(|(at, _)| kept[*at])
            .filter_map(|(_, sprint)| all[*sprint as usize].take())
            .collect()
    }
}

/// Of a board's codes of sprints, which there are, and between which days their items were finished.
struct Seen {
    used: Vec<bool>,
    days: Vec<(i32, i32)>,
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

/// What becomes of an item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Open,
    Done,
    /// No longer part of its sprint.
    Cancelled,
}

/// What the items of a board have come to, by the codes of its done column.
pub(super) struct Fates<'a> {
    coded: &'a Coded,
    is_checkbox: bool,
    /// The labels that were chosen to mean done; the column's own marks where none were.
    done: Option<Vec<String>>,
    cancelled: Vec<String>,
    table: Vec<Fate>,
}

impl<'a> Fates<'a> {
    /// The key of a board's done column.
    pub fn key(part: &Part<'a>) -> Option<Key<'a>> {
        match &part.column("done")?.data {
            Data::Coded(coded) => Some(Key::of(coded)),
            _ => None,
        }
    }
    /// Nothing where the board has no such column, which the role does not allow.
    pub fn of(part: &Part<'a>, chosen: &Chosen) -> Option<Fates<'a>> {
        let column = part.column("done")?;
        let Data::Coded(coded) = &column.data else { return None };
        let listed = |lists: &BTreeMap<String, Vec<String>>| lists.get(&part.board.id).cloned();
        let mut fates = Fates {
            coded,
            is_checkbox: column.family == Family::Checkbox,
            done: listed(&chosen.done),
            cancelled: listed(&chosen.cancelled).unwrap_or_default(),
            table: Vec::new(),
        };
        let of_code = |code| {
            let each = coded.entries_of(code).iter().map(|at| &coded.entries[*at as usize]);
            each.map(|entry| fates.of_entry(&entry.id, entry.done)).max().unwrap_or(Fate::Open)
        };
        fates.table = (0..coded.code_count()).map(of_code).collect();
        Some(fates)
    }
    fn of_entry(&self, id: &str, is_marked: bool) -> Fate {
        let is_done = match (self.is_checkbox, &self.done) {
            (true, _) => id == "true",
            (_, Some(done)) => done.iter().any(|one| one == id),
            (_, None) => is_marked,
        };
        match (self.cancelled.iter().any(|one| one == id), is_done) {
            (true, _) => Fate::Cancelled,
            (_, true) => Fate::Done,
            _ => Fate::Open,
        }
    }
    /// What a label means, which the column may not have any more.
    pub fn of_label(&self, id: Option<&str>) -> Fate {
        let Some(id) = id else { return Fate::Open };
        let entry = self.coded.entries.iter().find(|entry| entry.id == id);
        self.of_entry(id, entry.is_some_and(|entry| entry.done))
    }
    /// The id of a row's label.
    pub fn label(&self, row: usize) -> Option<&'a str> {
        let entry = self.coded.entries_of(self.coded.codes.get(row) as usize).first()?;
        Some(&self.coded.entries[*entry as usize].id)
    }
    #[inline]
    pub fn fate(&self, code: u32) -> Fate {
        self.table[code as usize]
    }
    /// The fate of each code.
    pub fn by_code(&self) -> Vec<u8> {
        self.table.iter().map(|fate| *fate as u8).collect()
    }
    /// Whether any value of the column means done.
    pub fn can_be_done(&self) -> bool {
        self.table.contains(&Fate::Done)
    }
}

/// What a board's items weigh: their number, or one each.
pub(super) struct Effort<'a> {
    pub numbers: Option<&'a Numbers>,
    /// The stamp of the column that they are all of; nothing where they are a choice of one's.
    column: Option<u64>,
}

/// What items weigh together.
#[derive(Clone, Default)]
pub(super) struct Weighed {
    pub sums: Cell,
    /// Items whose number is below zero, which weigh nothing.
    pub negative: u64,
    /// Items without a number, which weigh nothing.
    pub empty: u64,
}

impl Weighed {
    /// Decimals of the numbers that are added one by one: the most that any column has.
    pub const DECIMALS: u8 = 4;

    /// Adds an item by its number.
    pub fn add_number(&mut self, number: Option<f64>) {
        self.sums.items += 1;
        match number {
            None => self.empty += 1,
            Some(number) if number < 0.0 => self.negative += 1,
            Some(number) => {
                // As whole numbers where that loses nothing: sums then are as exact as a column's.
                let scaled = (number * POWERS[usize::from(Self::DECIMALS)]).round();
                match scaled < f64::from(i32::MAX) && scaled / POWERS[usize::from(Self::DECIMALS)] == number {
                    true => self.sums.add_scaled(scaled as i32, Self::DECIMALS, Function::Sum),
                    false => self.sums.add_float(number, Function::Sum),
                }
            }
        }
    }
}

/// What items of several boards weigh, in so many places.
pub(super) struct Scale {
    pub totals: Ledger,
    /// The places behind these are for items that count nowhere, whose numbers do not matter.
    counted: usize,
    places: usize,
    pub negative: u64,
    pub empty: u64,
}

impl Scale {
    /// With so many places, and others behind them for what counts nowhere.
    pub fn new(counted: usize, others: usize) -> Scale {
        let places = counted + others;
        Scale { totals: Ledger::new(places), counted, places, negative: 0, empty: 0 }
    }
}

impl<'a> Effort<'a> {
    pub fn of(part: &Part<'a>) -> Effort<'a> {
        let column = part.column("effort");
        let numbers = column.and_then(|column| match &column.data {
            Data::Numbers(numbers) => Some(numbers),
            _ => None,
        });
        Effort { numbers, column: column.map(|column| column.stamp) }
    }
    /// By numbers of a choice of rows, which are their rows.
    pub fn by(numbers: Option<&'a Numbers>) -> Effort<'a> {
        Effort { numbers, column: None }
    }
    pub fn is_number(&self) -> bool {
        self.numbers.is_some()
    }
    /// A row's number.
    pub fn of_row(&self, row: usize) -> Option<f64> {
        self.numbers?.get(row)
    }
    #[inline]
    pub fn add(&self, row: usize, weighed: &mut Weighed) {
        weighed.sums.items += 1;
        match self.numbers {
            None => {}
            Some(Numbers::Scaled { values, decimals, .. }) => match values[row] {
                NO_INT => weighed.empty += 1,
                value if value < 0 => weighed.negative += 1,
                value => weighed.sums.add_scaled(value, *decimals, Function::Sum),
            },
            Some(Numbers::Float(values)) => match values[row] {
                value if value.is_nan() => weighed.empty += 1,
                value if value < 0.0 => weighed.negative += 1,
                value => weighed.sums.add_float(value, Function::Sum),
            },
        }
    }
    /// Adds up what the passing items weigh: `place` says where the items with some codes belong.
    pub fn weigh(
        &self,
        input: &Input<'_>,
        part: &Part<'_>,
        keyed: &Keyed<'_>,
        scale: &mut Scale,
        ways: &Ways,
        place: impl Fn([u32; KEYS_MAX]) -> usize,
    ) {
        let addends = match (self.numbers, self.column) {
            (None, _) => None,
            (Some(Numbers::Scaled { values, negative: false, .. }), Some(column)) => Some(Addends { column, values }),
            _ => {
                let mut weighed = vec![Weighed::default(); scale.places];
                part.selection.each(|row| self.add(row, &mut weighed[place(keyed.codes(row))]));
                for (at, weighed) in weighed.iter().enumerate() {
                    scale.totals.add(at, &weighed.sums, self.decimals(), None);
                }
                for weighed in &weighed[..scale.counted] {
                    scale.empty += weighed.empty;
                    scale.negative += weighed.negative;
                }
                return;
            }
        };
        let tally = input.tallies.of(&part.selection, keyed, addends);
        // Where items weigh one each, none is without, and what else is counted of them does not matter.
        let totals = scale.totals.sums(self.decimals());
        if addends.is_none() {
            return tally.each_at(ways, place, |at, sums| totals[at].items += sums.items);
        }
        tally.each_at(ways, place, |at, sums| {
            scale.empty += if at < scale.counted { u64::from(sums.items - sums.filled) } else { 0 };
            totals[at].merge(sums);
        });
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
    totals: Ledger,
    sprints: usize,
    pub used: u64,
    pub skipped: Vec<Skipped>,
    pub notes: Notes,
}

impl<const CLASSES: usize> Tally<CLASSES> {
    /// Of the boards at these places; `counts` says where a board's items with some codes count.
    pub fn of(
        input: &Input<'_>,
        sprints: &Sprints<'_>,
        boards: &[Keyed<'_>],
        at: Range<usize>,
        counts: impl Fn(usize, [u32; KEYS_MAX]) -> Counts,
    ) -> Tally<CLASSES> {
        let counted = sprints.all().len() * CLASSES;
        let mut scale = Scale::new(counted, 2);
        for at in at {
            let part = &input.parts[at];
            Effort::of(part).weigh(input, part, &boards[at], &mut scale, part.ways(), |codes| {
                match counts(at, codes) {
                    Counts::In(sprint, class) => sprint as usize * CLASSES + class,
                    Counts::Backlog => counted,
                    Counts::Cancelled => counted + 1,
                }
            });
        }
        let Scale { totals, empty, negative, .. } = scale;
        let used = (0..counted).map(|at| totals.items(at)).sum();
        let (backlog, cancelled) = (totals.items(counted), totals.items(counted + 1));
        let mut tally =
            Tally { totals, sprints: sprints.all().len(), used, skipped: Vec::new(), notes: Notes::default() };
        let skipped = [Skipped::items("no-sprint", backlog), Skipped::items("cancelled", cancelled)];
        tally.skipped.extend(skipped.into_iter().flatten());
        tally.notes.add("no-effort", empty);
        tally.notes.add("negative-effort", negative);
        tally.notes.add("several-sprints", sprints.several(input));
        tally
    }
    /// What a class of a sprint came to.
    pub fn total(&self, sprint: usize, class: usize) -> Total {
        self.totals.total(sprint * CLASSES + class)
    }
    /// What each class of a sprint came to.
    pub fn of_sprint(&self, sprint: usize) -> [Total; CLASSES] {
        std::array::from_fn(|class| self.total(sprint, class))
    }
    /// How many items of a class all sprints have.
    pub fn items(&self, class: usize) -> u64 {
        (0..self.sprints).map(|sprint| self.totals.items(sprint * CLASSES + class)).sum()
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

//! Planned and unplanned: how much of each sprint was there when it began, and how much came later.
//!
//! Without a record of the past this is an approximation: what was created by the sprint's first day counts as planned. A
//! column that says so makes it exact, and so does the dashboard's history, of the sprints that it has seen: planned is then what
//! was in the sprint when the grace was over, and counted is what was in it at its end, done or open as it then was.

use super::input::{Input, Outcome, Part};
use super::kind::{Kind, Widget};
use super::mapping::Role;
use super::measure::Measure;
use super::schema::server_only;
use super::seen::{ById, Counted, Seen, State, weigh};
use super::sprints::{
    self, BACKLOG, Config, Counts, Fate, Fates, Notes, Sprints, Tally, Weighed, With, Written, labels_schema,
    last_schema, read, schema as sprints_schema,
};
use crate::column::Data;
use crate::family::Family;
use crate::format::Format;
use crate::meaning::has_word;
use crate::pieces::Figure;
use crate::raw_result::RawResult;
use crate::selection::Selection;
use crate::tally::{BEHIND, BY_LIMIT, Key, Keyed, Places};
use crate::total::Total;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    name: "planned",
    schema: server_only(schema),
    roles: &[
        sprints::SPRINT,
        sprints::EFFORT,
        sprints::DONE,
        sprints::DATE,
        sprints::SPRINT_START,
        sprints::SPRINT_END,
        sprints::CREATED,
        SAYS_UNPLANNED,
    ],
    parts: &[("sprint", &[]), ("which", &CLASSES)],
    keys: 3,
    read: made,
};

const SAYS_UNPLANNED: Role = Role {
    called: &["unplanned", "ungeplant"],
    likely: &[],
    ..Role::new(
        "unplanned",
        "Column that marks unplanned items. Makes the result exact.",
        &["checkbox", "status", "dropdown"],
        false,
    )
};

const SPRINTS_SHOWN_MIN: usize = 1;
/// Days after a sprint's first within which items still count as planned.
const GRACE_DAYS: i32 = 1;
const GRACE_DAYS_MAX: i32 = 30;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    #[serde(default)]
    last: Option<usize>,
    #[serde(default)]
    grace_days: Option<i32>,
    /// The labels that mean unplanned, by board.
    #[serde(default)]
    unplanned: BTreeMap<String, Vec<String>>,
}

impl Own {
    fn grace(&self) -> i32 {
        self.grace_days.unwrap_or(GRACE_DAYS).clamp(0, GRACE_DAYS_MAX)
    }
}

fn schema() -> Value {
    sprints_schema(json!({
        "last": last_schema(SPRINTS_SHOWN_MIN),
        "graceDays": {"type": "integer", "minimum": 0, "maximum": GRACE_DAYS_MAX, "default": GRACE_DAYS, "description": "Days after a sprint's first day within which new items count as planned."},
        "unplanned": labels_schema("IDs of the labels that mean unplanned, by board. Default: labels with that name.")}))
}

struct Planned {
    config: Config,
    own: Own,
}

fn made(config: &Value) -> Result<Box<dyn Widget>, String> {
    let (config, own) = read(config)?;
    Ok(Box::new(Planned { config, own }))
}

/// A column that says which items were not planned.
struct UnplannedColumn {
    key: Key,
    unplanned: Vec<bool>,
}

impl UnplannedColumn {
    fn from_part(part: &Part<'_>, own: &Own) -> Option<UnplannedColumn> {
        let column = part.column("unplanned")?;
        let Data::Coded(coded) = &column.data else { return None };
        let chosen = own.unplanned.get(&part.board.id);
        let is_unplanned = |members: &[u32]| {
            members.iter().map(|member| &coded.entries[*member as usize]).any(|entry| match (column.family, chosen) {
                (Family::Checkbox, _) => entry.id == "true",
                (_, Some(ids)) => ids.contains(&entry.id),
                (_, None) => has_word(&entry.text, |word| word == "unplanned" || word == "ungeplant"),
            })
        };
        Some(UnplannedColumn { key: Key::from_coded(coded), unplanned: coded.table(is_unplanned) })
    }
}

/// The classes of items in a sprint: open ones, and then done ones.
const CLASSES: [&str; 6] =
    ["plannedOpen", "unplannedOpen", "unknownOpen", "plannedDone", "unplannedDone", "unknownDone"];
const PLANNED: usize = 0;
const UNPLANNED: usize = 1;
/// Nobody knows when it was created, or when its sprint began.
const UNKNOWN: usize = 2;
const DONE: usize = 3;

/// All that does not depend on the filters.
struct Model {
    sprints: Sprints,
    measure: Measure,
    places: Arc<Places>,
    unplanned_columns: Vec<Option<UnplannedColumn>>,
}

impl Model {
    fn new<'a>(input: &Input<'a>, config: &Config, own: &Own) -> Model {
        let sprints = Sprints::new(input, config);
        let unplanned_columns: Vec<Option<UnplannedColumn>> =
            input.parts.iter().map(|part| UnplannedColumn::from_part(part, own)).collect();
        let fates: Vec<Option<Fates>> = input.parts.iter().map(|part| Fates::from_part(part, &config.chosen)).collect();
        let board = |(at, part): (usize, &Part<'a>)| {
            let sprint = sprints.keys[at].clone();
            // What says whether an item was planned: a column, or else when it was created.
            let planned = match (&unplanned_columns[at], &sprint) {
                (Some(unplanned_columns), _) => Some(unplanned_columns.key.clone()),
                (None, Some(key)) => {
                    let limits = sprints.by_code(at, |sprint| Some(sprint.from?.saturating_add(own.grace())));
                    Some(sprints::created(part, input.query).compared(part.board, key, limits))
                }
                (None, None) => None,
            };
            (Keyed { board: part.board, keys: [sprint, Fates::key(part), planned] }, true)
        };
        let boards: Vec<_> = input.parts.iter().enumerate().map(board).collect();
        let places = Places::new(&boards, &mut |at, [sprint, done, planned]| {
            let sprint = sprints.sprint_at(at, sprint);
            let done = match (sprint, fates[at].as_ref().map_or(Fate::Open, |fates| fates.fate(done))) {
                (BACKLOG, _) => return Counts::Backlog.means(CLASSES.len()),
                (_, Fate::Cancelled) => return Counts::Cancelled.means(CLASSES.len()),
                (_, Fate::Open) => 0,
                (_, Fate::Done) => DONE,
            };
            let origin = match (&unplanned_columns[at], sprints.all()[sprint as usize].from, planned) {
                (Some(unplanned_columns), ..) if unplanned_columns.unplanned[planned as usize] => UNPLANNED,
                (Some(_), ..) | (None, Some(_), BY_LIMIT) => PLANNED,
                (None, Some(_), BEHIND) => UNPLANNED,
                _ => UNKNOWN,
            };
            Counts::In(sprint, done + origin).means(CLASSES.len())
        });
        Model { measure: config.measure(input), places: input.register(places), unplanned_columns, sprints }
    }
}

/// A sprint that was seen: exactly what it was made of.
#[derive(Default)]
struct Exact {
    sums: [Total; CLASSES.len()],
    /// The class of each board's rows, those that do not count in it have none of `CLASSES`.
    classes: Vec<Vec<u8>>,
    weighed: Weighed,
    /// Items that were planned and not in the sprint at its end.
    taken_out: u64,
    /// Items that are gone and not counted, as filters cannot be asked of them.
    gone: u64,
}

impl Exact {
    /// Nothing where the sprint was not seen: when the grace was over, and at its end.
    fn new<'a>(
        seen: &Seen<'a>,
        input: &Input<'a>,
        model: &Model,
        config: &Config,
        at: usize,
        grace: i32,
    ) -> Option<Exact> {
        let sprint = &model.sprints.all()[at];
        let today = input.query.today();
        let end = sprint.to.unwrap_or(today).min(today);
        let begun = sprint.from.filter(|_| !sprint.inferred)?.saturating_add(grace).min(end);
        let is_said = |board: usize| model.unplanned_columns[board].is_some();
        let knows = |board: usize, day: i32| seen.knows(board, &sprint.key, day, day);
        if !(0..input.parts.len()).all(|board| is_said(board) || (knows(board, begun) && knows(board, end))) {
            return None;
        }
        let mut exact = Exact::default();
        for board in 0..input.parts.len() {
            let mut classes = vec![u8::MAX; input.parts[board].board.rows];
            // What a column says is so today, and counts as it counts without a history.
            let mut ended = seen.on(board, &model.sprints, at, if is_said(board) { today } else { end });
            let planned = if is_said(board) { State::default() } else { seen.on(board, &model.sprints, at, begun) };
            let mut planned_ids = ById::new();
            for one in planned.items.iter().filter(|one| one.fate != Fate::Cancelled) {
                planned_ids.insert(one.item.to_owned(), 0);
            }
            let mut stayed = 0;
            for counted in &mut ended.items {
                let was_planned = planned_ids.contains_key(counted.item);
                stayed += u64::from(was_planned);
                let origin = match (&model.unplanned_columns[board], counted.row) {
                    (Some(unplanned_columns), Some(row))
                        if unplanned_columns.unplanned[unplanned_columns.key.codes().get(row) as usize] =>
                    {
                        UNPLANNED
                    }
                    (Some(_), _) => PLANNED,
                    (None, _) if was_planned => PLANNED,
                    _ => UNPLANNED,
                };
                counted.class = match counted.fate {
                    Fate::Cancelled => continue,
                    Fate::Open => origin,
                    Fate::Done => origin + DONE,
                };
                if let Some(row) = counted.row {
                    classes[row] = counted.class as u8;
                }
            }
            for (class, sum) in exact.sums.iter_mut().enumerate() {
                let is_of = |one: &Counted<'_>| one.class == class && one.fate != Fate::Cancelled;
                sum.merge(&weigh(&ended.items, &is_of, config.has_effort, &mut exact.weighed));
            }
            exact.classes.push(classes);
            exact.taken_out += planned_ids.len() as u64 - stayed;
            exact.gone += planned.gone.max(ended.gone);
        }
        Some(exact)
    }
}

/// Of each shown sprint what it exactly was made of, where it was seen.
fn exact<'a>(input: &'a Input<'a>, model: &Model, config: &Config, own: &Own, shown: &[usize]) -> Vec<Option<Exact>> {
    let seen = Seen::new(input, config);
    let one = |at: &usize| Exact::new(seen.as_ref()?, input, model, config, *at, own.grace());
    shown.iter().map(one).collect()
}

impl Widget for Planned {
    fn roles(&self) -> Vec<Role> {
        let mut roles = self.config.roles(false);
        roles.extend([sprints::CREATED, SAYS_UNPLANNED]);
        roles
    }

    fn looks_back(&self) -> Option<&Config> {
        Some(&self.config)
    }

    /// Items of a sprint, or of all where none is named: `{"sprint": key, "which": "unplannedDone"}`, or all of it.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
        let model = input.model(|| Model::new(input, &self.config, &self.own));
        let shown = model.sprints.shown(self.own.last, SPRINTS_SHOWN_MIN, input.query.today());
        let exact = exact(input, &model, &self.config, &self.own, &shown);
        let seen_of = |of: usize| exact[shown.iter().position(|at| *at == of)?].as_ref();
        let sprint = model.sprints.named(part)?;
        let which = part["which"].as_str();
        let is_asked = |of: usize, class: usize| {
            sprint.is_none_or(|sprint| of == sprint) && which.is_none_or(|which| CLASSES[class] == which)
        };
        let is_meant = |at: usize, row: usize| {
            let was_in = |(of, one): (&usize, &Option<Exact>)| {
                let class = one.as_ref().map_or(CLASSES.len(), |one| usize::from(one.classes[at][row]));
                class < CLASSES.len() && is_asked(*of, class)
            };
            shown.iter().zip(&exact).any(was_in)
                || match model.places.meaning(at, row).map(|means| Counts::from_meaning(means, CLASSES.len())) {
                    Some(Counts::In(of, class)) => seen_of(of as usize).is_none() && is_asked(of as usize, class),
                    _ => false,
                }
        };
        Ok(input.only(is_meant))
    }

    fn compute(&self, input: &Input<'_>) -> Outcome {
        let own = &self.own;
        let model = input.model(|| Model::new(input, &self.config, own));
        let sprints = &model.sprints;
        let today = input.query.today();
        let mut tally = Tally::<{ CLASSES.len() }>::new(input, sprints, &model.measure, &model.places);
        let shown = sprints.shown(own.last, SPRINTS_SHOWN_MIN, today);
        let exact = exact(input, &model, &self.config, own, &shown);
        let is_said = model.unplanned_columns.iter().all(Option::is_some);
        let (written, warning) = Written::new(input, &self.config);
        let sprint = |(at, exact): (&usize, &Option<Exact>)| {
            let sums = exact.as_ref().map_or_else(|| tally.of_sprint(*at), |exact| exact.sums.clone());
            let of = |origin: usize| written.sum(&[&sums[origin], &sums[origin + DONE]]);
            let class = |class: usize| written.figure(written.value(&sums[class]));
            With::new(
                sprints.described(input, *at),
                OfSprint {
                    seen: exact.is_some().then_some(true),
                    planned_open: class(PLANNED),
                    unplanned_open: class(UNPLANNED),
                    unknown_open: class(UNKNOWN),
                    planned_done: class(DONE + PLANNED),
                    unplanned_done: class(DONE + UNPLANNED),
                    unknown_done: class(DONE + UNKNOWN),
                    unplanned_percent: written.percent(100.0 * of(UNPLANNED) / (of(PLANNED) + of(UNPLANNED))),
                },
            )
        };
        let told: Vec<_> = shown.iter().zip(&exact).map(sprint).collect();
        let why_none = match (sprints.all().is_empty(), shown.is_empty()) {
            (true, _) => Some("no-sprints"),
            (_, true) => Some("only-future-sprints"),
            _ => None,
        };
        // Of a sprint without days nothing is guessed: it is not divided.
        let is_guessed = |(at, exact): (&usize, &Option<Exact>)| {
            exact.is_none() && (input.history.is_none() || sprints.all()[*at].from.is_some())
        };
        let approximate = !is_said && (shown.is_empty() || shown.iter().zip(&exact).any(is_guessed));
        let gone: u64 = exact.iter().flatten().map(|exact| exact.gone).sum();
        let inferred = !is_said && shown.iter().any(|at| sprints.all()[*at].inferred);
        let reasons = [
            why_none.map(str::to_owned),
            approximate.then(|| "created-after-start".to_owned()),
            (gone > 0).then(|| "gone-items".to_owned()),
            inferred.then(|| "inferred-dates".to_owned()),
            sprints.impossible(),
            warning,
        ];
        tally.notes.add("taken-out", exact.iter().flatten().map(|exact| exact.taken_out).sum());
        let result = RawResult::new(&Shown {
            measure: written.measure(),
            grace_days: own.grace(),
            sprints: told,
            format: &written.format,
            footnotes: &tally.notes,
        });
        Outcome {
            result,
            no_values: why_none.is_some(),
            items_used: tally.used,
            skipped: tally.skipped,
            approximate: approximate || gone > 0,
            reasons: reasons.into_iter().flatten().collect(),
            ..Outcome::default()
        }
    }
}

/// What is told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    measure: &'static str,
    grace_days: i32,
    sprints: Vec<With<'a, OfSprint>>,
    format: &'a Format,
    footnotes: &'a Notes,
}

/// Efforts of a sprint, each named as in `CLASSES`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OfSprint {
    /// Whether this is exact by the dashboard's history.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<bool>,
    planned_open: Figure,
    unplanned_open: Figure,
    unknown_open: Figure,
    planned_done: Figure,
    unplanned_done: Figure,
    unknown_done: Figure,
    unplanned_percent: Figure,
}

//! Velocity: how much was finished in each of the last sprints, and on average.

use super::input::{Input, Outcome, Part};
use super::kind::{Kind, Widget};
use super::mapping::Role;
use super::measure::Measure;
use super::schema::server_only;
use super::sprints::{
    BACKLOG, Config, Counts, Fate, Fates, Notes, Phase, ROLES, Sprints, Tally, With, Written, finished, last_schema,
    read, schema as sprints_schema,
};
use crate::derived::KEYS_MAX;
use crate::format::Format;
use crate::pieces::Figure;
use crate::raw_result::RawResult;
use crate::selection::Selection;
use crate::tally::{BEHIND, BY_LIMIT, Keyed, Places};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    name: "velocity",
    schema: server_only(schema),
    roles: ROLES,
    parts: &[("sprint", &[]), ("which", &["completed", "scope"]), ("board", &[])],
    keys: 2,
    read: made,
};

const SPRINTS_SHOWN_MIN: usize = 3;
/// Closed sprints that the average is of.
const AVERAGED: usize = 5;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    #[serde(default)]
    last: Option<usize>,
    #[serde(default)]
    by_board: bool,
    #[serde(default)]
    only_inside: bool,
}

fn schema() -> Value {
    sprints_schema(json!({
        "last": last_schema(SPRINTS_SHOWN_MIN),
        "byBoard": {"type": "boolean", "default": false, "description": "Show each board separately."},
        "onlyInside": {"type": "boolean", "default": false, "description": "Count only items finished by the sprint's last day."}}))
}

struct Velocity {
    config: Config,
    own: Own,
}

fn made(config: &Value) -> Result<Box<dyn Widget>, String> {
    let (config, own) = read(config)?;
    Ok(Box::new(Velocity { config, own }))
}

/// The classes of items in a sprint.
const OPEN: usize = 0;
const COMPLETED: usize = 1;
/// Done, but not by the sprint's last day, or nobody knows when: only where that is asked for.
const LATE: usize = 2;
const UNDATED: usize = 3;
const CLASSES: usize = 4;

/// All that does not depend on the filters.
struct Model {
    sprints: Sprints,
    measure: Measure,
    places: Arc<Places>,
    /// The same for each board apart, where boards are told apart.
    by_board: Vec<Arc<Places>>,
    can_be_done: bool,
}

impl Model {
    fn new(input: &Input<'_>, config: &Config, own: &Own) -> Model {
        let sprints = Sprints::new(input, config);
        let board = |(at, part): (usize, &Part<'_>)| {
            let sprint = sprints.keys[at].clone();
            let inside = sprint
                .as_ref()
                .zip(finished(part))
                .filter(|_| own.only_inside)
                .map(|(key, finished)| finished.compared(part.board, key, sprints.by_code(at, |sprint| sprint.to)));
            [sprint, Fates::key(part), inside]
        };
        let fates: Vec<Option<Fates>> = input.parts.iter().map(|part| Fates::from_part(part, &config.chosen)).collect();
        let mut means = |at: usize, [sprint, done, inside]: [u32; KEYS_MAX]| {
            let sprint = sprints.sprint_at(at, sprint);
            let class = match (sprint, fates[at].as_ref().map_or(Fate::Open, |fates| fates.fate(done))) {
                (BACKLOG, _) => return Counts::Backlog.means(CLASSES),
                (_, Fate::Cancelled) => return Counts::Cancelled.means(CLASSES),
                (_, Fate::Open) => OPEN,
                (_, Fate::Done) if !own.only_inside => COMPLETED,
                (_, Fate::Done) => match inside {
                    BY_LIMIT => COMPLETED,
                    BEHIND => LATE,
                    _ => UNDATED,
                },
            };
            Counts::In(sprint, class).means(CLASSES)
        };
        let mut places = |only: Option<usize>| {
            let boards: Vec<(Keyed<'_>, bool)> = (input.parts.iter().enumerate())
                .map(|(at, part)| {
                    let takes_part = only.is_none_or(|only| only == at);
                    (Keyed { board: part.board, keys: board((at, part)) }, takes_part)
                })
                .collect();
            input.register(Places::new(&boards, &mut means))
        };
        let all = places(None);
        let by_board =
            if own.by_board { (0..input.parts.len()).map(|at| places(Some(at))).collect() } else { Vec::new() };
        let can_be_done = fates.iter().flatten().any(Fates::can_be_done);
        Model { measure: config.measure(input), places: all, by_board, can_be_done, sprints }
    }
}

impl Widget for Velocity {
    fn roles(&self) -> Vec<Role> {
        self.config.roles(self.own.only_inside)
    }

    /// Items of a sprint, or of all where none is named: `{"sprint": key, "which": "completed"}`, or `scope` for all of it; with
    /// `board` of that board alone.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
        let model = input.model(|| Model::new(input, &self.config, &self.own));
        let sprint = model.sprints.named(part)?;
        let only_completed = part["which"] == "completed";
        if part.get("board").is_some_and(|board| !input.parts.iter().any(|on| board == on.board.id.as_str())) {
            return Err("board not found".into());
        }
        let is_here: Vec<bool> =
            input.parts.iter().map(|on| part["board"].as_str().is_none_or(|board| board == on.board.id)).collect();
        let is_meant = |at: usize, row: usize| match model
            .places
            .meaning(at, row)
            .map(|means| Counts::from_meaning(means, CLASSES))
        {
            Some(Counts::In(of, class)) => {
                let is_of_class = class == COMPLETED || !only_completed;
                is_here[at] && sprint.is_none_or(|sprint| of as usize == sprint) && is_of_class
            }
            _ => false,
        };
        Ok(input.only(is_meant))
    }

    fn compute(&self, input: &Input<'_>) -> Outcome {
        let own = &self.own;
        let model = input.model(|| Model::new(input, &self.config, own));
        let sprints = &model.sprints;
        let today = input.query.today();
        let tally = |places: &Arc<Places>| Tally::<CLASSES>::new(input, sprints, &model.measure, places);
        let boards = own.by_board.then(|| model.by_board.iter().map(tally).collect::<Vec<_>>());
        let mut tally = tally(&model.places);
        let (written, warning) = Written::new(input, &self.config);
        let completed = |at: usize| written.value(&tally.total(at, COMPLETED));
        let scope = |at: usize| written.sum(&tally.of_sprint(at).each_ref());
        let phase = |at: usize| sprints.all()[at].phase(today);
        // What has not begun has no velocity.
        let shown = sprints.shown(own.last, SPRINTS_SHOWN_MIN, today);
        let is_closed = |at: &usize| phase(*at) == Phase::Closed && scope(*at) > 0.0;
        let closed: Vec<usize> = (0..sprints.all().len()).filter(is_closed).collect();
        let averaged = &closed[closed.len().saturating_sub(AVERAGED)..];
        let mean = averaged.iter().map(|at| completed(*at)).sum::<f64>() / averaged.len() as f64;

        let sprint = |at: &usize| {
            With::new(
                sprints.described(input, *at),
                OfSprint {
                    completed: written.figure(completed(*at)),
                    scope: written.figure(scope(*at)),
                    items: tally.of_sprint(*at).iter().map(|total| total.items).sum(),
                },
            )
        };
        let board = |(part, tally): (&Part<'_>, &Tally<CLASSES>)| OfBoard {
            id: part.board.id.clone(),
            name: part.board.name.clone(),
            completed: shown.iter().map(|at| written.figure(written.value(&tally.total(*at, COMPLETED)))).collect(),
        };
        let boards = boards.map(|boards| input.parts.iter().zip(&boards).map(board).collect());
        let why_none = match (sprints.all().is_empty(), shown.is_empty(), model.can_be_done) {
            (true, ..) => Some("no-sprints"),
            (_, true, _) => Some("only-future-sprints"),
            (.., false) => Some("no-done-labels"),
            _ => None,
        };
        let undated = shown.iter().any(|at| phase(*at) == Phase::Undated).then(|| "undated-sprints".to_owned());
        let inferred = shown.iter().any(|at| sprints.all()[*at].inferred).then(|| "inferred-dates".to_owned());
        let impossible = sprints.impossible();
        let (undone, late) = (tally.items(UNDATED), tally.items(LATE));
        let shown_sprints = shown.iter().map(sprint).collect();
        tally.notes.add("done-without-date", undone);
        tally.notes.add("finished-late", late);
        let result = RawResult::new(&Shown {
            measure: written.measure(),
            sprints: shown_sprints,
            boards,
            average: written.figure(mean),
            average_of: averaged.iter().map(|at| sprints.all()[*at].key.as_str()).collect(),
            format: &written.format,
            footnotes: tally.notes,
        });
        Outcome {
            result,
            no_values: why_none.is_some(),
            items_used: tally.used,
            skipped: tally.skipped,
            approximate: inferred.is_some(),
            reasons: why_none
                .map(str::to_owned)
                .into_iter()
                .chain(inferred)
                .chain(undated)
                .chain(impossible)
                .chain(warning)
                .collect(),
            ..Outcome::default()
        }
    }
}

/// What is told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    measure: &'static str,
    sprints: Vec<With<'a, OfSprint>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boards: Option<Vec<OfBoard>>,
    average: Figure,
    average_of: Vec<&'a str>,
    format: &'a Format,
    footnotes: Notes,
}

#[derive(Serialize)]
struct OfSprint {
    completed: Figure,
    scope: Figure,
    items: u64,
}

#[derive(Serialize)]
struct OfBoard {
    id: String,
    name: String,
    completed: Vec<Figure>,
}

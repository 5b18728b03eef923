//! Velocity: how much was finished in each of the last sprints, and on average.

use super::sprints::{BACKLOG, Config, Effort, Fate, Fates, Finished, Notes, Phase, Sprints, Written, schema as sprints_schema};
use super::{Input, Kind, Outcome, Role, Skipped, object};
use crate::column::NO_DAY;
use crate::total::{Cell, Total};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const KIND: Kind = Kind { name: "velocity", schema, roles, compute };

/// How many sprints are shown where nothing else is asked for, and at most.
const SPRINTS_SHOWN: usize = 6;
const SPRINTS_SHOWN_MAX: usize = 50;
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
        "last": {"type": "integer", "minimum": SPRINTS_SHOWN_MIN, "maximum": SPRINTS_SHOWN_MAX, "default": SPRINTS_SHOWN, "description": "How many sprints to show."},
        "byBoard": {"type": "boolean", "default": false, "description": "Tell the boards apart."},
        "onlyInside": {"type": "boolean", "default": false, "description": "Count only what was finished by the sprint's last day."}}))
}

fn read(config: &Value) -> Result<(Config, Own), String> {
    let own = Own::deserialize(config).map_err(|e| e.to_string())?;
    Ok((Config::deserialize(config).map_err(|e| e.to_string())?, own))
}

fn roles(config: &Value) -> Result<Vec<Role>, String> {
    let (config, own) = read(config)?;
    Ok(config.roles(own.only_inside))
}

/// Of one sprint what was done, and all that is in it today.
#[derive(Clone, Default)]
struct Sums {
    completed: Total,
    scope: Total,
}

fn compute(input: &Input<'_>) -> Result<Outcome, String> {
    let (config, own) = read(input.config)?;
    let sprints = Sprints::new(input, &config);
    let today = input.query.today();
    let mut sums = vec![Sums::default(); sprints.all.len()];
    let mut by_board: Vec<Vec<Total>> = Vec::new();
    let (mut used, mut backlog, mut cancelled, mut late, mut no_date, mut empty, mut negative) = (0, 0, 0, 0, 0, 0, 0);
    let mut can_be_done = false;
    for (at, part) in input.parts.iter().enumerate() {
        let mut effort = Effort::of(part);
        let Some(fates) = Fates::of(part, &config) else { continue };
        can_be_done |= fates.can_be_done();
        let finished = Finished::of(part);
        // Open and done by sprint.
        let mut cells = vec![[Cell::default(), Cell::default()]; sprints.all.len()];
        part.selection.each(|row| {
            let sprint = sprints.of(at, row);
            let fate = fates.fate(row);
            if sprint == BACKLOG {
                backlog += 1;
                return;
            }
            if fate == Fate::Cancelled {
                cancelled += 1;
                return;
            }
            used += 1;
            let mut counts = fate == Fate::Done;
            if counts && own.only_inside {
                let day = finished.day(row);
                no_date += u64::from(day == NO_DAY);
                let inside = day != NO_DAY && sprints.all[sprint as usize].to.is_none_or(|to| day <= to);
                late += u64::from(!inside && day != NO_DAY);
                counts = inside;
            }
            effort.add(row, &mut cells[sprint as usize][usize::from(counts)]);
        });
        let mut done = vec![Total::default(); sprints.all.len()];
        for (sprint, [open, closed]) in cells.iter().enumerate() {
            done[sprint].add(closed, effort.decimals(), None);
            sums[sprint].completed.add(closed, effort.decimals(), None);
            sums[sprint].scope.add(open, effort.decimals(), None);
            sums[sprint].scope.add(closed, effort.decimals(), None);
        }
        by_board.push(done);
        (empty, negative) = (empty + effort.empty, negative + effort.negative);
    }
    let (written, warning) = Written::new(input, &config);
    let phases: Vec<Phase> = sprints.all.iter().map(|sprint| sprint.phase(today)).collect();
    // What has not begun has no velocity.
    let begun: Vec<usize> = (0..phases.len()).filter(|at| phases[*at] != Phase::Future).collect();
    let last = own.last.unwrap_or(SPRINTS_SHOWN).clamp(SPRINTS_SHOWN_MIN, SPRINTS_SHOWN_MAX);
    let shown = &begun[begun.len().saturating_sub(last)..];
    let is_closed = |at: &usize| phases[*at] == Phase::Closed && written.value(&sums[*at].scope) > 0.0;
    let closed: Vec<usize> = begun.iter().copied().filter(is_closed).collect();
    let averaged = &closed[closed.len().saturating_sub(AVERAGED)..];
    let mean = averaged.iter().map(|at| written.value(&sums[*at].completed)).sum::<f64>() / averaged.len() as f64;

    let mut notes = Notes::default();
    notes.add("no-effort", empty);
    notes.add("negative-effort", negative);
    notes.add("several-sprints", sprints.several(input));
    notes.add("done-without-date", no_date);
    notes.add("finished-late", late);
    let sprint = |at: &usize| {
        let mut json = sprints.all[*at].to_json(today);
        json["completed"] = written.to_json(written.value(&sums[*at].completed));
        json["scope"] = written.to_json(written.value(&sums[*at].scope));
        json["items"] = sums[*at].scope.items.into();
        json
    };
    let boards = own.by_board.then(|| {
        let completed = |done: &Vec<Total>| shown.iter().map(|at| written.to_json(written.value(&done[*at]))).collect::<Vec<_>>();
        let boards = input.parts.iter().zip(&by_board);
        boards.map(|(part, done)| json!({"id": part.board.id, "name": part.board.name, "completed": completed(done)})).collect()
    });
    let why_none = match (sprints.all.is_empty(), begun.is_empty(), can_be_done) {
        (true, ..) => Some("no-sprints"),
        (_, true, _) => Some("only-future-sprints"),
        (.., false) => Some("no-done-labels"),
        _ => None,
    };
    let undated = shown.iter().any(|at| phases[*at] == Phase::Undated).then(|| "undated-sprints".to_owned());
    let inferred = shown.iter().any(|at| sprints.all[*at].inferred).then(|| "inferred-dates".to_owned());
    Ok(Outcome {
        result: object([
            ("measure", written.measure().into()),
            ("sprints", shown.iter().map(sprint).collect()),
            ("boards", boards.map_or(Value::Null, Value::Array)),
            ("average", written.to_json(mean)),
            ("averageOf", averaged.iter().map(|at| sprints.all[*at].key.clone()).collect()),
            ("format", json!(written.format)),
            ("footnotes", notes.into_json()),
        ]),
        no_values: why_none.is_some(),
        items_used: used,
        skipped: [Skipped::items("no-sprint", backlog), Skipped::items("cancelled", cancelled)].into_iter().flatten().collect(),
        approximate: inferred.is_some(),
        reasons: why_none.map(str::to_owned).into_iter().chain(inferred).chain(undated).chain(warning).collect(),
        ..Outcome::default()
    })
}

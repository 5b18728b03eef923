//! Planned and unplanned: how much of each sprint was there when it began, and how much came later.
//!
//! Without a record of the past this is an approximation: what was created by the sprint's first day counts as planned. A
//! column that says so makes it exact.

use super::sprints::{BACKLOG, Config, Effort, Fate, Fates, Notes, Phase, Sprints, Written, schema as sprints_schema};
use super::{Input, Kind, Outcome, Part, Role, Skipped, object};
use crate::board::Family;
use crate::column::{Codes, Data};
use crate::meaning::has_word;
use crate::total::{Cell, Total};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) const KIND: Kind = Kind { name: "planned", schema, roles, compute };

const SPRINTS_SHOWN: usize = 6;
const SPRINTS_SHOWN_MAX: usize = 50;
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
        "last": {"type": "integer", "minimum": 1, "maximum": SPRINTS_SHOWN_MAX, "default": SPRINTS_SHOWN, "description": "How many sprints to show."},
        "graceDays": {"type": "integer", "minimum": 0, "maximum": GRACE_DAYS_MAX, "default": GRACE_DAYS, "description": "Days after a sprint's first day within which new items count as planned."},
        "unplanned": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}},
            "description": "Ids of the labels of the unplanned column that mean unplanned, by board; by default those called so."}}))
}

fn read(config: &Value) -> Result<(Config, Own), String> {
    let own = Own::deserialize(config).map_err(|e| e.to_string())?;
    Ok((Config::deserialize(config).map_err(|e| e.to_string())?, own))
}

fn roles(config: &Value) -> Result<Vec<Role>, String> {
    let mut roles = read(config)?.0.roles(false);
    roles.push(Role { called: &["unplanned", "ungeplant"], ..Role::new("unplanned", &["checkbox", "status", "dropdown"], false) });
    Ok(roles)
}

/// Whether an item was planned.
#[derive(Clone, Copy)]
enum Origin {
    Planned,
    Unplanned,
    Unknown,
}

/// A column that says which items were not planned.
struct Said<'a> {
    codes: &'a Codes,
    unplanned: Vec<bool>,
}

impl<'a> Said<'a> {
    fn of(part: &Part<'a>, own: &Own) -> Option<Said<'a>> {
        let column = *part.columns("unplanned").first()?;
        let Data::Coded(coded) = &column.data else { return None };
        let chosen = own.unplanned.get(&part.board.id);
        let is_unplanned = |members: &[u32]| {
            members.iter().map(|member| &coded.entries[*member as usize]).any(|entry| match (column.family, chosen) {
                (Family::Checkbox, _) => entry.id == "true",
                (_, Some(ids)) => ids.contains(&entry.id),
                (_, None) => has_word(&entry.text, |word| word == "unplanned" || word == "ungeplant"),
            })
        };
        Some(Said { codes: &coded.codes, unplanned: coded.table(is_unplanned) })
    }
}

/// Effort by what became of it and where it came from.
#[derive(Clone, Default)]
struct Sums {
    planned: [Total; 2],
    unplanned: [Total; 2],
    unknown: [Total; 2],
}

fn compute(input: &Input<'_>) -> Result<Outcome, String> {
    let (config, own) = read(input.config)?;
    let sprints = Sprints::new(input, &config);
    let today = input.query.today();
    let mut sums = vec![Sums::default(); sprints.all.len()];
    let (mut used, mut backlog, mut cancelled, mut empty, mut negative) = (0, 0, 0, 0, 0);
    let mut approximate = false;
    for (at, part) in input.parts.iter().enumerate() {
        let mut effort = Effort::of(part);
        let Some(fates) = Fates::of(part, &config) else { continue };
        let said = Said::of(part, &own);
        approximate |= said.is_none();
        let created = &part.board.created;
        let origin = |row: usize, sprint: usize| match (&said, sprints.all[sprint].from) {
            (Some(said), _) if said.unplanned[said.codes.get(row) as usize] => Origin::Unplanned,
            (Some(_), _) => Origin::Planned,
            (None, None) => Origin::Unknown,
            (None, Some(_)) if created[row] <= 0 => Origin::Unknown,
            (None, Some(from)) if input.query.day(created[row]) <= from.saturating_add(own.grace()) => Origin::Planned,
            (None, Some(_)) => Origin::Unplanned,
        };
        let mut cells: Vec<[[Cell; 2]; 3]> = vec![Default::default(); sprints.all.len()];
        part.selection.each(|row| match (sprints.of(at, row), fates.fate(row)) {
            (BACKLOG, _) => backlog += 1,
            (_, Fate::Cancelled) => cancelled += 1,
            (sprint, fate) => {
                used += 1;
                let sprint = sprint as usize;
                effort.add(row, &mut cells[sprint][origin(row, sprint) as usize][usize::from(fate == Fate::Done)]);
            }
        });
        for (sums, cells) in sums.iter_mut().zip(&cells) {
            let totals = [&mut sums.planned, &mut sums.unplanned, &mut sums.unknown];
            for (total, cell) in totals.into_iter().flatten().zip(cells.iter().flatten()) {
                total.add(cell, effort.decimals(), None);
            }
        }
        (empty, negative) = (empty + effort.empty, negative + effort.negative);
    }
    let (written, warning) = Written::new(input, &config);
    let begun: Vec<usize> = (0..sprints.all.len()).filter(|at| sprints.all[*at].phase(today) != Phase::Future).collect();
    let last = own.last.unwrap_or(SPRINTS_SHOWN).clamp(1, SPRINTS_SHOWN_MAX);
    let shown = &begun[begun.len().saturating_sub(last)..];
    let mut notes = Notes::default();
    notes.add("no-effort", empty);
    notes.add("negative-effort", negative);
    notes.add("several-sprints", sprints.several(input));
    let sprint = |at: &usize| {
        let sums = &sums[*at];
        let value = |total: &Total| written.value(total);
        let (planned, unplanned) = (value(&sums.planned[0]) + value(&sums.planned[1]), value(&sums.unplanned[0]) + value(&sums.unplanned[1]));
        let percent = 100.0 * unplanned / (planned + unplanned);
        let mut json = sprints.all[*at].to_json(today);
        json["plannedOpen"] = written.to_json(value(&sums.planned[0]));
        json["plannedDone"] = written.to_json(value(&sums.planned[1]));
        json["unplannedOpen"] = written.to_json(value(&sums.unplanned[0]));
        json["unplannedDone"] = written.to_json(value(&sums.unplanned[1]));
        json["unknown"] = written.to_json(value(&sums.unknown[0]) + value(&sums.unknown[1]));
        json["unplannedPercent"] = written.percent(percent);
        json
    };
    let why_none = match (sprints.all.is_empty(), begun.is_empty()) {
        (true, _) => Some("no-sprints"),
        (_, true) => Some("only-future-sprints"),
        _ => None,
    };
    let inferred = approximate && shown.iter().any(|at| sprints.all[*at].inferred);
    let reasons = [
        why_none.map(str::to_owned),
        approximate.then(|| "created-after-start".to_owned()),
        inferred.then(|| "inferred-dates".to_owned()),
        warning,
    ];
    Ok(Outcome {
        result: object([
            ("measure", written.measure().into()),
            ("graceDays", own.grace().into()),
            ("sprints", shown.iter().map(sprint).collect()),
            ("format", json!(written.format)),
            ("footnotes", notes.into_json()),
        ]),
        no_values: why_none.is_some(),
        items_used: used,
        skipped: [Skipped::items("no-sprint", backlog), Skipped::items("cancelled", cancelled)].into_iter().flatten().collect(),
        approximate,
        reasons: reasons.into_iter().flatten().collect(),
        ..Outcome::default()
    })
}

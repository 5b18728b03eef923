//! Battery: how much of the work stands at each label, and how much of it is done.

use super::sprints::{Chosen, Effort, Fate, Fates, Notes, labels_schema};
use super::{Input, Kind, NUMBER_TYPES, Outcome, Part, Role, object};
use crate::axis::{Axis, By, Place};
use crate::dates::Bucket;
use crate::selection::Selection;
use crate::total::{Cell, Function, Total};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const KIND: Kind = Kind { name: "battery", schema, roles, compute, pick };

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "done": labels_schema("Ids of the labels that mean done, by board; by default those that the column marks."),
        "includeSubitems": super::include_subitems_schema()}})
}

fn has_weight(config: &Value) -> bool {
    config["cols"]["effort"].as_object().is_some_and(|boards| !boards.is_empty())
}

fn roles(config: &Value) -> Result<Vec<Role>, String> {
    Ok(vec![
        Role { called: &["status", "state"], ..Role::new("done", &["status", "dropdown"], true) },
        // A board without it would count its items beside the numbers of the others.
        Role { likely: &[], ..Role::new("effort", NUMBER_TYPES, has_weight(config)) },
    ])
}

fn axis<'a>(input: &'a Input<'_>) -> Axis<'a> {
    let place = |part: &'a Part<'_>| Place {
        board: part.board,
        selection: &part.selection,
        column: part.columns("done").first().copied(),
    };
    let places: Vec<Place<'a>> = input.parts.iter().map(place).collect();
    Axis::new(By::Column, Bucket::Month, &places, input.query)
}

/// Items at a label: `{"label": {"kind", "key"}}`, those that are done with `{"which": "done"}`, or all.
fn pick(input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
    let chosen = Chosen::deserialize(&input.config).map_err(|e| e.to_string())?;
    let axis = axis(input);
    let label = part.get("label").map(|label| axis.place(label).ok_or("no such label")).transpose()?;
    let only_done = part["which"] == "done";
    let fates: Vec<Option<Fates<'_>>> = input.parts.iter().map(|part| Fates::of(part, &chosen)).collect();
    Ok(input.only(|at, row| {
        let keys = &axis.keys[at];
        let is_there = label.is_none_or(|label| keys.categories(keys.code(input.query, row) as usize).contains(&label));
        let is_done = fates[at].as_ref().is_some_and(|fates| fates.fate(row) == Fate::Done);
        is_there && (is_done || !only_done)
    }))
}

fn compute(input: &Input<'_>) -> Result<Outcome, String> {
    let chosen = Chosen::deserialize(&input.config).map_err(|e| e.to_string())?;
    let function = if has_weight(&input.config) { Function::Sum } else { Function::Count };
    let axis = axis(input);
    let mut by_label = vec![Total::default(); axis.categories.len()];
    let (mut all, mut done) = (Total::default(), Total::default());
    let (mut used, mut empty, mut negative) = (0, 0, 0);
    for (keys, part) in axis.keys.iter().zip(&input.parts) {
        let Some(fates) = Fates::of(part, &chosen) else { continue };
        let mut effort = Effort::of(part);
        let mut cells = vec![[Cell::default(), Cell::default()]; keys.code_count()];
        part.selection.each(|row| {
            used += 1;
            let is_done = fates.fate(row) == Fate::Done;
            effort.add(row, &mut cells[keys.code(input.query, row) as usize][usize::from(is_done)]);
        });
        for (code, [open, closed]) in cells.iter().enumerate() {
            for cell in [open, closed] {
                all.add(cell, effort.decimals(), None);
                // A label column has one category for each code; a mirror of several counts in each.
                keys.categories(code).iter().for_each(|at| by_label[*at as usize].add(cell, effort.decimals(), None));
            }
            done.add(closed, effort.decimals(), None);
        }
        (empty, negative) = (empty + effort.empty, negative + effort.negative);
    }
    let value = |total: &Total| total.value(function).unwrap_or_default();
    let whole = value(&all);
    let share = |total: &Total| percent(value(total), whole);
    // The labels' order, what has none last.
    let order = (1..by_label.len()).chain([0]).filter(|at| by_label[*at].items > 0);
    let segment = |at: usize| {
        let (category, total) = (&axis.categories[at], &by_label[at]);
        object([
            ("key", json!(category.key)),
            ("label", json!(category.label)),
            ("kind", json!(category.kind)),
            ("color", json!(category.color)),
            ("value", super::number(Some(value(total)))),
            ("items", total.items.into()),
            ("percent", share(total).into()),
        ])
    };
    let mut notes = Notes::default();
    notes.add("no-effort", empty);
    notes.add("negative-effort", negative);
    Ok(Outcome {
        result: json!({
            "segments": order.map(segment).collect::<Vec<_>>(),
            "donePercent": share(&done),
            "total": super::number(Some(whole)),
            "footnotes": notes.into_json(),
        }),
        no_values: whole <= 0.0,
        items_used: used,
        ..Outcome::default()
    })
}

/// In whole percents: never 100 before all is, and never 0 where something is.
fn percent(part: f64, whole: f64) -> u32 {
    if part <= 0.0 || whole <= 0.0 {
        return 0;
    }
    // 0.29 of 1 is 29, whatever binary fractions make of it.
    let percent = (100.0 * part / whole + 1e-9).floor() as u32;
    if part < whole { percent.clamp(1, 99) } else { 100 }
}

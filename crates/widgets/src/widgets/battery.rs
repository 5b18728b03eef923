//! Battery: how much of the work stands at each label, and how much of it is done.

use super::sprints::{Chosen, Effort, Fate, Fates, Notes, Scale, labels_schema};
use super::{Input, Kind, NUMBER_TYPES, Outcome, Part, Role, object, told};
use crate::axis::{Axis, By, Place};
use crate::dates::Bucket;
use crate::selection::Selection;
use crate::tally::Keyed;
use crate::total::{Function, Total};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const KIND: Kind = Kind { name: "battery", schema: told(schema), roles, keys: 1, compute, pick };

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

/// The labels, and each board's items by them.
fn axis<'a>(input: &'a Input<'_>) -> (Axis, Vec<Keyed<'a>>) {
    let place = |part: &'a Part<'_>| Place {
        board: part.board,
        selection: &part.selection,
        column: part.columns("done").first().copied(),
    };
    let places: Vec<Place<'a>> = input.parts.iter().map(place).collect();
    let keys: Vec<_> = places.iter().map(|place| place.key(By::Column, input.query)).collect();
    let axis = Axis::new(By::Column, Bucket::Month, &places, &keys, input);
    let keyed = |(place, key): (&Place<'a>, _)| Keyed { board: place.board, keys: [key, None, None] };
    (axis, places.iter().zip(keys).map(keyed).collect())
}

/// Items at a label: `{"label": {"kind", "key"}}`, those that are done with `{"which": "done"}`, or all.
fn pick(input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
    let chosen = Chosen::deserialize(&input.config).map_err(|e| e.to_string())?;
    let (axis, boards) = axis(input);
    let label = part.get("label").map(|label| axis.place(label).ok_or("no such label")).transpose()?;
    let only_done = part["which"] == "done";
    let fates: Vec<Option<Fates>> = input.parts.iter().map(|part| Fates::of(part, &chosen)).collect();
    Ok(input.only(|at, row| {
        let [code, ..] = boards[at].codes(row);
        let is_there = label.is_none_or(|label| axis.categories(at, code).contains(&label));
        let is_done = fates[at].as_ref().is_some_and(|fates| fates.fate(code) == Fate::Done);
        is_there && (is_done || !only_done)
    }))
}

fn compute(input: &Input<'_>) -> Result<Outcome, String> {
    let chosen = Chosen::deserialize(&input.config).map_err(|e| e.to_string())?;
    let function = if has_weight(&input.config) { Function::Sum } else { Function::Count };
    let (axis, boards) = axis(input);
    let (mut by_label, mut all) = (Scale::new(axis.named.categories.len()), Scale::new(2));
    let mut used = 0;
    for (at, (keyed, part)) in boards.iter().zip(&input.parts).enumerate() {
        let Some(fates) = Fates::of(part, &chosen) else { continue };
        let effort = Effort::of(part);
        let is_done = |code: u32| usize::from(fates.fate(code) == Fate::Done);
        effort.weigh(input, part, keyed, &mut all, |[code, ..], items| {
            used += items;
            Some(is_done(code))
        });
        // A label column has one category for each code; a mirror of several counts in each.
        let most = (0..keyed.count(0)).map(|code| axis.categories(at, code as u32).len()).max().unwrap_or_default();
        for nth in 0..most {
            effort.weigh(input, part, keyed, &mut by_label, |[code, ..], _| {
                Some(*axis.categories(at, code).get(nth)? as usize)
            });
        }
    }
    let (empty, negative) = (all.empty, all.negative);
    let all = all.into_totals();
    let by_label = by_label.into_totals();
    let done = all[1].clone();
    let mut whole = done.clone();
    whole.merge(&all[0]);
    let all = whole;
    let value = |total: &Total| total.value(function).unwrap_or_default();
    let whole = value(&all);
    let share = |total: &Total| percent(value(total), whole);
    // The labels' order, what has none last.
    let order = (1..by_label.len()).chain([0]).filter(|at| by_label[*at].items > 0);
    let segment = |at: usize| {
        let (category, total) = (&axis.named.categories[at], &by_label[at]);
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

//! Battery: how much of the work stands at each label, and how much of it is done.

use super::sprints::{Chosen, Effort, Fate, Fates, Notes, Scale, labels_schema};
use super::{Input, Kind, NUMBER_TYPES, Outcome, Part, Role, Told, Widget, read_as, told};
use crate::axis::{Axis, By, Category, Place};
use crate::dates::Bucket;
use crate::selection::Selection;
use crate::tally::{Keyed, Ways};
use crate::told::Piece;
use crate::total::{Function, Total};
use serde::Serialize;
use serde_json::{Value, json};

pub(super) const KIND: Kind = Kind {
    name: "battery",
    schema: told(schema),
    roles: &[DONE, EFFORT],
    parts: &[("label", &[]), ("which", &["done"])],
    keys: 1,
    read,
};

const DONE: Role = Role {
    called: &["status", "state"],
    ..Role::new("done", "The labels that it tells apart, some of which mean done.", &["status", "dropdown"], true)
};
const EFFORT: Role =
    Role { likely: &[], ..Role::new("effort", "What an item weighs; without it each is one.", NUMBER_TYPES, false) };

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "done": labels_schema("Ids of the labels that mean done, by board; by default those that the column marks."),
        "includeSubitems": super::include_subitems_schema()}})
}

struct Battery {
    chosen: Chosen,
    /// Whether items count by their number, and not one each.
    has_weight: bool,
}

fn read(config: &Value) -> Result<Box<dyn Widget>, String> {
    let chosen: Chosen = read_as(config)?;
    let has_weight = config["cols"]["effort"].as_object().is_some_and(|boards| !boards.is_empty());
    Ok(Box::new(Battery { chosen, has_weight }))
}

/// The labels, and each board's items by them.
fn axis<'a>(input: &'a Input<'_>) -> (Axis, Vec<Keyed<'a>>) {
    let place =
        |part: &'a Part<'_>| Place { board: part.board, selection: &part.selection, column: part.column("done") };
    let places: Vec<Place<'a>> = input.parts.iter().map(place).collect();
    let keys: Vec<_> = places.iter().map(|place| place.key(By::Column, Bucket::Month, input.query)).collect();
    let axis = Axis::new(By::Column, Bucket::Month, &places, &keys, input);
    let keyed = |(place, key): (&Place<'a>, _)| Keyed { board: place.board, keys: [key, None, None] };
    (axis, places.iter().zip(keys).map(keyed).collect())
}

impl Widget for Battery {
    fn roles(&self) -> Vec<Role> {
        vec![
            DONE,
            // A board without it would count its items beside the numbers of the others.
            Role { required: self.has_weight, ..EFFORT },
        ]
    }

    /// Items at a label: `{"label": {"kind", "key"}}`, those that are done with `{"which": "done"}`, or all.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
        let (axis, boards) = axis(input);
        let label = part.get("label").map(|label| axis.place(label).ok_or("no such label")).transpose()?;
        let only_done = part["which"] == "done";
        let fates: Vec<Option<Fates>> = input.parts.iter().map(|part| Fates::of(part, &self.chosen)).collect();
        Ok(input.only(|at, row| {
            let [code, ..] = boards[at].codes(row);
            let is_there = label.is_none_or(|label| axis.categories(at, code).contains(&label));
            let is_done = fates[at].as_ref().is_some_and(|fates| fates.fate(code) == Fate::Done);
            is_there && (is_done || !only_done)
        }))
    }

    fn compute(&self, input: &Input<'_>) -> Outcome {
        let function = if self.has_weight { Function::Sum } else { Function::Count };
        let (axis, boards) = axis(input);
        let (mut by_label, mut all) = (Scale::new(axis.named.categories.len(), 1), Scale::new(2, 0));
        let nowhere = axis.named.categories.len();
        for (at, (keyed, part)) in boards.iter().zip(&input.parts).enumerate() {
            let Some(fates) = Fates::of(part, &self.chosen) else { continue };
            let effort = Effort::of(part);
            let is_done = |code: u32| usize::from(fates.fate(code) == Fate::Done);
            // Where the codes of one key lead is not kept.
            effort.weigh(input, part, keyed, &mut all, &Ways::default(), |[code, ..]| is_done(code));
            // A label column has one category for each code; a mirror of several counts in each.
            let most = (0..keyed.count(0)).map(|code| axis.categories(at, code as u32).len()).max().unwrap_or_default();
            for nth in 0..most {
                effort.weigh(input, part, keyed, &mut by_label, &Ways::default(), |[code, ..]| {
                    axis.categories(at, code).get(nth).map_or(nowhere, |at| *at as usize)
                });
            }
        }
        let (empty, negative) = (all.empty, all.negative);
        let (done, mut whole) = (all.totals.total(1), all.totals.total(1));
        all.totals.add_to(&mut whole, 0);
        let used = whole.items;
        let by_label: Vec<Total> = (0..nowhere).map(|at| by_label.totals.total(at)).collect();
        let value = |total: &Total| total.value(function).unwrap_or_default();
        let whole = value(&whole);
        let share = |total: &Total| percent(value(total), whole);
        // The labels' order, what has none last.
        let order = (1..by_label.len()).chain([0]).filter(|at| by_label[*at].items > 0);
        let segment = |at: usize| {
            let category = Piece::new(input.told, axis.named.name(at as u32), || &*axis.named.categories[at]);
            let (of, category) = category.apart();
            let total = &by_label[at];
            Segment { of, category, value: value(total), items: total.items, percent: share(total) }
        };
        let mut footnotes = Notes::default();
        footnotes.add("no-effort", empty);
        footnotes.add("negative-effort", negative);
        let segments = order.map(segment).collect();
        Outcome {
            result: Told::of(&Shown { segments, done_percent: share(&done), total: whole, footnotes }),
            no_values: whole <= 0.0,
            items_used: used,
            ..Outcome::default()
        }
    }
}

/// What is told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    segments: Vec<Segment<'a>>,
    done_percent: u32,
    total: f64,
    footnotes: Notes,
}

#[derive(Serialize)]
struct Segment<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u32>,
    #[serde(flatten)]
    category: Option<&'a Category>,
    value: f64,
    items: u64,
    percent: u32,
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

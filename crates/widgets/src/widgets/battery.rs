//! Battery: how much of the work stands at each label, and how much of it is done.

use super::answer::Skipped;
use super::input::{Input, Outcome, Part};
use super::kind::{Kind, Widget};
use super::mapping::{NUMBER_TYPES, Role};
use super::measure::Measure;
use super::schema::{include_subitems_schema, server_only};
use super::sprints::{CANCELLED, Chosen, Fate, Fates, Notes, Scale, labels_schema};
use crate::axis::{By, Category, Place, Scheme};
use crate::dates::Bucket;
use crate::percents::percents;
use crate::pieces::Piece;
use crate::raw_result::RawResult;
use crate::reading::read_as;
use crate::selection::Selection;
use crate::tally::{Keyed, Places};
use crate::total::{Function, Total};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    name: "battery",
    schema: server_only(schema),
    roles: &[DONE, EFFORT],
    parts: &[("label", &[]), ("which", &["done"])],
    keys: 1,
    read,
};

const DONE: Role = Role {
    called: &["status", "state"],
    ..Role::new("done", "Column whose labels are compared. Some of them mean done.", &["status", "dropdown"], true)
};
const EFFORT: Role = Role {
    likely: &[],
    ..Role::new("effort", "Weight of an item. Without it, each counts as 1.", NUMBER_TYPES, false)
};

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "done": labels_schema("IDs of the labels that mean done, by board. Default: labels marked done."),
        "cancelled": labels_schema(CANCELLED),
        "includeSubitems": include_subitems_schema()}})
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

/// All that does not depend on the filters.
struct Model {
    labels: Scheme,
    measure: Measure,
    places: Arc<Places>,
}

/// What places tell stands for a mark of the labels, this for what is done, and this for what is canceled: that is no part of the
/// work, neither done nor left to do.
const IS_DONE: u64 = 1 << 32;
const IS_CANCELED: u64 = 1 << 33;

impl Model {
    fn new<'a>(input: &Input<'a>, chosen: &Chosen) -> Model {
        let place = |part: &Part<'a>| Place { board: part.board, column: part.column("done") };
        let places: Vec<Place<'_>> = input.parts.iter().map(place).collect();
        let keys: Vec<_> = places.iter().map(|place| place.key(By::Column, Bucket::Month, input.query)).collect();
        let (labels, marks) = Scheme::new(By::Column, Bucket::Month, &places, &keys, input.query, input.across);
        let fates: Vec<Option<Fates>> = input.parts.iter().map(|part| Fates::from_part(part, chosen)).collect();
        let keyed = |(part, key): (&Part<'a>, _)| Keyed { board: part.board, keys: [key, None, None] };
        let boards = input.parts.iter().zip(keys).zip(&fates).map(|(one, fates)| (keyed(one), fates.is_some()));
        let places = Places::new(&boards.collect::<Vec<_>>(), &mut |at, [code, ..]| {
            let fate = match fates[at].as_ref().map(|fates| fates.fate(code)) {
                Some(Fate::Done) => IS_DONE,
                Some(Fate::Cancelled) => IS_CANCELED,
                _ => 0,
            };
            u64::from(marks[at][code as usize]) | fate
        });
        Model { measure: Measure::from_role(input, EFFORT.name, false), places: input.register(places), labels }
    }
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
        let model = input.model(|| Model::new(input, &self.chosen));
        let axis = model.labels.axis([].into_iter());
        let label = part.get("label").map(|label| axis.place(label).ok_or("label not found")).transpose()?;
        let only_done = part["which"] == "done";
        Ok(input.only(|at, row| {
            let Some(means) = model.places.meaning(at, row).filter(|means| means & IS_CANCELED == 0) else {
                return false;
            };
            let is_there = label.is_none_or(|label| axis.categories(means as u32).contains(&label));
            is_there && (means & IS_DONE != 0 || !only_done)
        }))
    }

    fn compute(&self, input: &Input<'_>) -> Outcome {
        let function = if self.has_weight { Function::Sum } else { Function::Count };
        let model = input.model(|| Model::new(input, &self.chosen));
        let axis = model.labels.axis([].into_iter());
        // What is open, what is done, and both of each label: boards may disagree on what a label means.
        let labels = axis.named.categories.len();
        let of_label = |at: usize, is_done: bool| 2 + 2 * at + usize::from(is_done);
        let counted = 2 + 2 * labels;
        let slots = |means: u64, put: &mut dyn FnMut(usize)| {
            if means & IS_CANCELED != 0 {
                return put(counted);
            }
            let is_done = means & IS_DONE != 0;
            put(usize::from(is_done));
            axis.categories(means as u32).iter().for_each(|label| put(of_label(*label as usize, is_done)));
        };
        let scale = Scale::new(input, &model.measure, &model.places, (counted, counted + 1), &slots);
        let (empty, negative) = (scale.empty, scale.negative);
        let (open, done) = (scale.totals.total(0), scale.totals.total(1));
        let canceled = scale.totals.items(counted);
        let mut whole = scale.totals.total(1);
        scale.totals.add_to(&mut whole, 0);
        let used = whole.items;
        let value = |total: &Total| total.value(function).unwrap_or_default();
        let whole = value(&whole);
        let by_label: Vec<Total> = (0..labels)
            .map(|at| {
                let mut both = scale.totals.total(of_label(at, false));
                scale.totals.add_to(&mut both, of_label(at, true));
                both
            })
            .collect();
        // The labels' order, what has none last.
        let order: Vec<usize> = (1..by_label.len()).chain([0]).filter(|at| by_label[*at].items > 0).collect();
        let shares = percents(&order.iter().map(|at| value(&by_label[*at])).collect::<Vec<_>>());
        // What is done comes to what its labels do, unless items of one label are done on one board and open on another.
        let has = |at: usize, is_done: bool| scale.totals.total(of_label(at, is_done)).items > 0;
        let done_percent = match order.iter().any(|at| has(*at, true) && has(*at, false)) {
            true => percents(&[value(&open), value(&done)])[1],
            false => order.iter().zip(&shares).filter(|(at, _)| has(**at, true)).map(|(_, share)| share).sum(),
        };
        let segment = |(at, percent): (usize, u32)| {
            let category = Piece::new(input.told, axis.named.name(at as u32), || &*axis.named.categories[at]);
            let (of, category) = category.apart();
            let total = &by_label[at];
            Segment { of, category, value: value(total), items: total.items, percent }
        };
        let mut footnotes = Notes::default();
        footnotes.add("no-effort", empty);
        footnotes.add("negative-effort", negative);
        let segments = order.into_iter().zip(shares).map(segment).collect();
        Outcome {
            result: RawResult::new(&Shown { segments, done_percent, total: whole, footnotes }),
            no_values: whole <= 0.0,
            items_used: used,
            skipped: Skipped::items("cancelled", canceled).into_iter().collect(),
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

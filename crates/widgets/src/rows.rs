//! Single items as a person reads them: in a table, and behind a number that is asked about.

use crate::board::{Board, Column};
use crate::column::{Data, NO_DAY};
use crate::dates::iso;
use crate::format::{Format, write};
use crate::query::Query;
use serde_json::{Value, json};

/// Which item a row is, and what it is called.
pub(crate) fn item(board: &Board, row: usize) -> Value {
    let group = board.groups.entries_of(board.groups.codes.get(row) as usize).first();
    let group = group.map(|group| &board.groups.entries[*group as usize]);
    json!({
        "boardId": board.id,
        "itemId": board.ids.get(row),
        "name": board.names.get(row),
        "group": group.map(|group| &group.text),
    })
}

/// What a cell shows: `{"text"}`, with a label's color; null where it is empty.
pub(crate) fn cell(query: &Query, column: &Column, row: usize) -> Value {
    let text = |text: String| if text.is_empty() { Value::Null } else { json!({"text": text}) };
    let day = |day: i32| if day == NO_DAY { String::new() } else { iso(day) };
    match &column.data {
        Data::Text(texts) | Data::Files(texts) => text(texts.get(row).to_owned()),
        Data::Coded(coded) => {
            let entries: Vec<_> =
                coded.entries_of(coded.codes.get(row) as usize).iter().map(|at| &coded.entries[*at as usize]).collect();
            let mut json = text(entries.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>().join(", "));
            if let [only] = entries.as_slice()
                && let Some(color) = &only.color
            {
                json["color"] = json!(color);
            }
            json
        }
        Data::Numbers(numbers) => match numbers.get(row) {
            None => Value::Null,
            Some(value) => {
                let settings = &column.settings;
                let format = Format {
                    abbreviate: Some(false),
                    currency: settings.currency.clone(),
                    unit: settings.unit.clone(),
                    percent: settings.percent,
                    decimals: settings.decimals,
                    ..Format::default()
                };
                json!({"text": write(value, &format, &query.locale).full, "value": value})
            }
        },
        Data::Days(days) => text(day(days[row])),
        Data::Spans(from, to) if from[row] != NO_DAY => text(format!("{} – {}", day(from[row]), day(to[row]))),
        Data::Spans(..) | Data::Opaque => Value::Null,
        Data::Instants(instants) => text(iso(query.day(instants[row]))),
    }
}

//! What has changed of a loaded board since: items as they are now, held in the same form as the board itself, so that every
//! rule and every order means the same for them.

use super::{
    Board, Builder, Column, Head, HeadColumn, IS_ITEM, IS_SUBITEM, Incoming, ROWS_MAX, Settings, code_of, damaged,
    finish,
};
use crate::column::{Coded, CodedBuilder, Data, Entry, NO_DAY, Texts};
use crate::dates;
use crate::error::EngineError;
use crate::family::Family;
use crate::fold::fold_case;
use crate::ipc::Kind;
use crate::linked::{self, MIRROR};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Items that changed, above a loaded board.
#[derive(Deserialize)]
pub(crate) struct Patch {
    /// Board, groups, columns and members as they are now: what the stream's metadata holds.
    pub head: Head,
    /// Items that changed or were added, whole.
    items: Vec<PatchedItem>,
    /// Rows whose items are gone.
    #[serde(default)]
    gone: Vec<u32>,
    /// Rows that stand elsewhere than their number says: behind another one, or first where that is null, in their order.
    #[serde(default)]
    moved: Vec<(Option<u32>, Vec<u32>)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PatchedItem {
    /// Whose place it takes; rows behind the board's are new items.
    row: u32,
    group_id: String,
    name: String,
    #[serde(default)]
    created_at: i64,
    #[serde(default)]
    updated_at: i64,
    #[serde(default)]
    parent_id: Option<String>,
    #[serde(default)]
    cells: Map<String, Value>,
}

/// A patch that was read.
pub(crate) struct Overlay {
    pub board: Board,
    /// The row of each of its items, rising.
    pub rows: Vec<u32>,
    /// For each row of the board below whether it is hidden: replaced or gone.
    pub hidden: Vec<bool>,
    /// The place of each row; nothing where all stand in the order of their numbers.
    pub places: Option<Vec<u32>>,
    /// Whether columns of the board below hold other values than before.
    pub is_refilled: bool,
}

impl Overlay {
    /// Reads a patch, and gives the board below the columns, labels, titles, groups and linked items of now.
    pub fn read(patch: Patch, below: &mut Board) -> Result<Overlay, EngineError> {
        let Patch { head, mut items, gone, moved } = patch;
        let moved_by = moved.iter().flat_map(|(behind, rows)| behind.iter().chain(rows));
        let named = items.iter().map(|item| &item.row).chain(moved_by);
        let end = named.max().map_or(0, |last| *last as usize + 1).max(below.rows);
        if end > ROWS_MAX {
            return Err(damaged("the patch names a row far behind the board's"));
        }
        items.sort_by_key(|item| item.row);
        items.dedup_by_key(|item| item.row);
        let names: HashMap<&str, &str> = head.members.iter().map(|m| (m.id.as_str(), m.name.as_str())).collect();
        let group_entries = head.groups.iter().map(super::group_entry).collect();
        let mut incoming = vec![
            Incoming::new(Family::Opaque, Kind::Utf8, Builder::Skipped),
            Incoming::new(Family::Label, Kind::Utf8, Builder::Coded(CodedBuilder::new(group_entries, false))),
            Incoming::new(Family::Text, Kind::Utf8, Builder::Texts(Texts::default())),
            Incoming::new(Family::Date, Kind::Int64, Builder::Instants(items.iter().map(|i| i.created_at).collect())),
            Incoming::new(Family::Date, Kind::Int64, Builder::Instants(items.iter().map(|i| i.updated_at).collect())),
        ];
        for item in &items {
            incoming[1].take(&Value::from(item.group_id.as_str()), &names)?;
            incoming[2].take(&Value::from(item.name.as_str()), &names)?;
        }
        for column in &head.columns {
            let mut values = Incoming::from_column(column, kind_of(&column.type_name))?;
            for item in &items {
                values.take(item.cells.get(&column.id).unwrap_or(&Value::Null), &names)?;
            }
            incoming.push(values);
        }
        let mut parents = Incoming::parents();
        for item in &items {
            parents.take(&item.parent_id.as_deref().map_or(Value::Null, Value::from), &names)?;
        }
        incoming.push(parents);
        // Nothing of the board below changes before the whole patch was read.
        let is_refilled = refill(below, &head, &names)?;
        rename(below, &head, &names);
        let rows: Vec<u32> = items.iter().map(|item| item.row).collect();
        let mut hidden = vec![false; below.rows];
        for row in rows.iter().chain(&gone) {
            if let Some(hidden) = hidden.get_mut(*row as usize) {
                *hidden = true;
            }
        }
        let places = (!moved.is_empty()).then(|| places(end, &moved));
        Ok(Overlay { board: finish(head, incoming, rows.len())?, rows, hidden, places, is_refilled })
    }
}

/// The place of each of so many rows, of which some stand elsewhere than their number says.
fn places(end: usize, moved: &[(Option<u32>, Vec<u32>)]) -> Vec<u32> {
    let behind: HashMap<Option<u32>, &[u32]> = moved.iter().map(|(row, rows)| (*row, rows.as_slice())).collect();
    let elsewhere: HashSet<u32> = moved.iter().flat_map(|(_, rows)| rows).copied().collect();
    let own = (0..end as u32).filter(|row| !elsewhere.contains(row)).map(Some);
    let mut places = vec![u32::MAX; end];
    let mut next = 0;
    for own in std::iter::once(None).chain(own) {
        for row in own.iter().chain(behind.get(&own).copied().unwrap_or_default()) {
            places[*row as usize] = next;
            next += 1;
        }
    }
    places
}

/// Gives a board the columns of now, and what they show of linked boards; whether that changed anything. A column that is new
/// holds nothing in its rows, one that comes back what it held.
fn refill(board: &mut Board, head: &Head, names: &HashMap<&str, &str>) -> Result<bool, EngineError> {
    // A mirror is of its source's type once it is filled.
    let is_same = |(column, now): (&Column, &HeadColumn)| {
        let is_own = column.type_name == now.type_name || now.type_name == MIRROR;
        let shows = |settings: &Settings| (settings.link_column.clone(), settings.source_column.clone());
        column.id == now.id && is_own && shows(&column.settings) == now.settings.as_ref().map(shows).unwrap_or_default()
    };
    let is_alike = board.columns.len() == head.columns.len() && board.columns.iter().zip(&head.columns).all(is_same);
    if is_alike && board.linked == head.linked {
        return Ok(false);
    }
    let held = board.columns.iter().chain(&board.away).map(|column| (column.id.as_str(), column.type_name.as_str()));
    let mut held: HashMap<(&str, &str), usize> = held.zip(0..).collect();
    let (mut places, mut made) = (Vec::with_capacity(head.columns.len()), Vec::new());
    for now in &head.columns {
        let place = held.remove(&(now.id.as_str(), now.type_name.as_str())).filter(|_| now.type_name != MIRROR);
        places.push(place.ok_or(made.len()));
        if place.is_none() {
            made.push(Column::new(now, Family::from_type_name(&now.type_name), nothing(now, board)?));
        }
    }
    // From here on nothing fails. The board that a column links to is no setting that changes.
    let held = std::mem::take(&mut board.columns).into_iter().chain(std::mem::take(&mut board.away));
    let mut held: Vec<Option<Column>> = held.map(Some).collect();
    let mut made: Vec<Option<Column>> = made.into_iter().map(Some).collect();
    let at = |place: Result<usize, usize>| place.map_or_else(|new| made[new].take(), |old| held[old].take());
    board.columns = places.into_iter().filter_map(at).collect();
    // A mirror is made anew whenever it is shown.
    board.away = held.into_iter().flatten().filter(|column| column.settings.link_column.is_none()).collect();
    board.linked.clone_from(&head.linked);
    linked::fill(&mut board.columns, &board.linked, names);
    Ok(true)
}

/// What a new column holds in the rows of a board.
fn nothing(column: &HeadColumn, board: &Board) -> Result<Data, EngineError> {
    match column.type_name.as_str() {
        "createdAt" => return Ok(Data::Instants(board.created.clone())),
        "updatedAt" => return Ok(Data::Instants(board.updated.clone())),
        _ => {}
    }
    let mut values = Incoming::from_column(column, kind_of(&column.type_name))?;
    for _ in 0..board.rows {
        values.take(&Value::Null, &HashMap::new())?;
    }
    Ok(values.builder.data())
}

impl Incoming {
    /// Appends a cell as an item's JSON has it; a value of another type is an empty cell.
    fn take(&mut self, value: &Value, names: &HashMap<&str, &str>) -> Result<(), EngineError> {
        match &mut self.builder {
            Builder::Texts(texts) => texts.push(value.as_str().unwrap_or_default()),
            Builder::Files(names) => names.push(&super::file_names(value)),
            Builder::Numbers(numbers) => numbers.push(value.as_f64().unwrap_or(f64::NAN)),
            Builder::Days(days) => days.push(value.as_str().and_then(dates::parse).unwrap_or(NO_DAY)),
            Builder::Spans(from, to) => {
                let day = |end: &str| value.get(end).and_then(Value::as_str).and_then(dates::parse);
                let (first, last) = day("from").zip(day("to")).unwrap_or((NO_DAY, NO_DAY));
                from.push(first);
                to.push(last);
            }
            Builder::Instants(instants) => instants.push(value.as_i64().unwrap_or_default()),
            Builder::Coded(builder) => {
                let code = match (self.family, value) {
                    (Family::Checkbox, value) => 2 - u32::from(value.as_bool() == Some(true)),
                    (Family::Label, Value::String(id)) => code_of(builder, Family::Label, id, names)?,
                    (Family::People, Value::String(id)) => code_of(builder, Family::People, id, names)?,
                    (family @ (Family::Tags | Family::People | Family::Links), Value::Array(_)) => {
                        let list = value.to_string();
                        match self.by_list.get(&list) {
                            Some(code) => *code,
                            None => {
                                let code = code_of(builder, family, &list, names)?;
                                self.by_list.insert(list, code);
                                code
                            }
                        }
                    }
                    _ => 0,
                };
                builder.push(code);
            }
            Builder::Parents(builder) => builder.push(if value.is_null() { IS_ITEM } else { IS_SUBITEM }),
            Builder::Skipped => {}
        }
        Ok(())
    }
}

/// The Arrow type in which a stream sends a type of columns.
fn kind_of(type_name: &str) -> Kind {
    match (Family::from_type_name(type_name), type_name) {
        (Family::Text | Family::Files | Family::Opaque, _) => Kind::Utf8,
        (Family::Number, _) => Kind::Float64,
        (Family::Date, "timeline") => Kind::Span,
        (Family::Date, "createdAt" | "updatedAt") => Kind::Int64,
        (Family::Date, _) => Kind::Date32,
        (Family::Checkbox, _) => Kind::Bool,
        (Family::Label | Family::Tags | Family::People | Family::Links, _) => Kind::Dictionary(0),
    }
}

/// Gives a board the words of now; which cell holds what stays.
fn rename(board: &mut Board, head: &Head, names: &HashMap<&str, &str>) {
    let fresh: Vec<Entry> = head.groups.iter().map(super::group_entry).collect();
    renew(&mut board.groups, &fresh);
    board.name.clone_from(&head.board.name);
    for (column, now) in board.columns.iter_mut().zip(&head.columns) {
        column.title.clone_from(&now.title);
        column.title_folded = fold_case(&now.title);
        if now.type_name == MIRROR {
            continue;
        }
        column.settings = now.settings.clone().unwrap_or_default();
        let Data::Coded(coded) = &mut column.data else { continue };
        match column.family {
            Family::Label => renew(coded, &super::labels_of(now)),
            Family::People => {
                for entry in &mut coded.entries {
                    if let Some(name) = names.get(entry.id.as_str()) {
                        *entry = Entry::named(&entry.id, name);
                    }
                }
            }
            _ => {}
        }
    }
}

fn renew(coded: &mut Coded, fresh: &[Entry]) {
    for entry in &mut coded.entries {
        if let Some(now) = fresh.iter().find(|now| now.id == entry.id) {
            *entry = now.clone();
        }
    }
}

//! Changes that members are notified of: people added to an item, and new statuses.

use crate::board::{self, Board};
use crate::cells::Column;
use crate::ids;
use column_types::{ColumnType, Label};
use events::{Actor, Event};
use kit::Caller;
use kit::error::Result;
use serde_json::Value;
use std::cell::RefCell;
use store::{Change, Tx};
use widgets::Category;

/// Maximum individual events of one change; a summary replaces the rest.
pub const EVENTS_PER_CHANGE_MAX: usize = 50;

/// Changed cells, in the order in which they were recorded.
#[derive(Default)]
pub(crate) struct ChangeLog {
    cells: RefCell<Vec<Cell>>,
    /// The board's columns, where the change has read them and changes none.
    columns: Option<Vec<Column>>,
}

struct Cell {
    item_id: String,
    column_id: String,
    before: Option<Value>,
    after: Option<Value>,
}

impl ChangeLog {
    /// Every recorded change comes by here, so that no way of writing is forgotten.
    pub(crate) fn note(&self, change: &Change<'_>) {
        if change.subject != "item" {
            return;
        }
        let mut cells = self.cells.borrow_mut();
        let mut note = |column_id: &str, before: Option<&Value>, after: Option<&Value>| {
            let (item_id, column_id) = (change.subject_id.to_owned(), column_id.to_owned());
            cells.push(Cell { item_id, column_id, before: before.cloned(), after: after.cloned() });
        };
        match (change.field, change.after) {
            // Of a new item only its people: nothing was changed.
            ("", Some(after)) => {
                let lists = after["cells"].as_object().into_iter().flatten().filter(|(_, value)| value.is_array());
                lists.for_each(|(column_id, value)| note(column_id, None, Some(value)));
            }
            (field, after) if ids::number_in(field, b'c').is_some() => note(field, change.before, after),
            _ => {}
        }
    }

    /// Spares the events reading the board's columns once more.
    pub(crate) fn know(&mut self, columns: Vec<Column>) {
        self.columns = Some(columns);
    }

    /// Events for the recorded changes.
    pub(crate) fn events(&self, tx: &mut Tx<'_>, account: &str, board: &Board, caller: &Caller) -> Result<Vec<Event>> {
        let cells = self.cells.take();
        if cells.is_empty() {
            return Ok(Vec::new());
        }
        let read;
        let columns = match &self.columns {
            Some(columns) => columns,
            None => {
                read = board::columns(tx, account, &board.id)?;
                &read
            }
        };
        let by = Actor::from(caller);
        let of = |cell: Cell| {
            let column = columns.iter().find(|column| column.id == cell.column_id)?;
            event(&board.id, column, cell, &by)
        };
        let events: Vec<Event> = cells.into_iter().filter_map(of).collect();
        if events.len() <= EVENTS_PER_CHANGE_MAX {
            return Ok(events);
        }
        let assigned = events.iter().filter(|event| matches!(event, Event::ItemAssigned { .. })).count();
        let (items, item_ids) = events::items_of(&events);
        let (board_id, revision, status_changed) = (board.id.clone(), board.revision, events.len() - assigned);
        Ok(vec![Event::ItemsChanged { board_id, revision, assigned, status_changed, items, item_ids, by }])
    }
}

fn event(board_id: &str, column: &Column, cell: Cell, by: &Actor) -> Option<Event> {
    let (board_id, by) = (board_id.to_owned(), by.clone());
    let Cell { item_id, column_id, before, after } = cell;
    match column.kind? {
        ColumnType::People => {
            let before = before.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let added = after.as_ref()?.as_array()?.iter().filter(|id| !before.contains(id));
            let member_ids: Vec<String> = added.filter_map(Value::as_str).map(str::to_owned).collect();
            let event = Event::ItemAssigned { board_id, item_id, column_id, member_ids: member_ids.clone(), by };
            (!member_ids.is_empty()).then_some(event)
        }
        ColumnType::Status if before != after => {
            let labels = column.settings.labels.as_deref().unwrap_or_default();
            let label = |value: &Option<Value>| {
                let id = value.as_ref()?.as_str()?;
                labels.iter().find(|label| label.id == id)
            };
            let text = |value| label(value).map(|label| label.text.clone());
            let held = after.as_ref().and_then(Value::as_str);
            let is_done =
                |(label, category): (&Label, Category)| category == Category::Done && held == Some(label.id.as_str());
            let done = column.categories().any(is_done);
            let (from, to) = (text(&before), text(&after));
            Some(Event::ItemStatusChanged { board_id, item_id, column_id, from, to, done, by })
        }
        _ => None,
    }
}

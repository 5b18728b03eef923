//! Which items of boards pass a filter, by themselves: what the service answers to a program, and what a page shows as rows.

use crate::board::{self, Board};
use crate::filter::{InertRule, Plan, Reach};
use crate::{EngineError, Query};

/// A loaded board by itself, with the ids of its items.
pub struct Table(Board);

impl Table {
    /// Reads a board's stream, which is what [`crate::Engine::load`] takes.
    ///
    /// # Errors
    /// Bytes of another form.
    pub fn load(bytes: &[u8]) -> Result<Table, EngineError> {
        board::load_with(bytes, true).map(Table)
    }
    /// How many items it has, subitems not counted.
    pub fn items(&self) -> usize {
        self.0.items()
    }
    /// How many subitems they have.
    pub fn subitems(&self) -> usize {
        self.0.rows - self.0.items()
    }
    /// The id of the item in a row.
    pub fn item_id(&self, row: u32) -> &str {
        self.0.ids.get(row as usize)
    }
}

/// The items that pass a query's filters.
#[derive(Clone, PartialEq, Debug)]
pub struct Selected {
    /// For each board its rows, rising.
    pub rows: Vec<Vec<u32>>,
    /// How many of the boards each rule reaches.
    pub reach: Vec<Reach>,
    /// Rules that constrain nothing.
    pub inert: Vec<InertRule>,
}

/// The items of boards that pass the query's filters, with subitems where the query says so; which boards and widgets the query names does not matter.
pub fn select(tables: &[&Table], query: &Query) -> Selected {
    let boards: Vec<&Board> = tables.iter().map(|table| &table.0).collect();
    let plan = Plan::new(query, query.filters.people.as_ref(), &query.filters.all, &boards);
    let rows_of = |board: &&Board| {
        let mut selection = plan.select(board);
        if !query.include_subitems {
            selection = board.without_subitems(selection);
        }
        let mut rows = Vec::with_capacity(selection.count());
        selection.each(|row| rows.push(row as u32));
        rows
    };
    Selected { rows: boards.iter().map(rows_of).collect(), reach: plan.reach(&boards), inert: plan.inert.clone() }
}

//! Which items of boards pass a filter, by themselves: what the service answers to a program, and what a page shows as rows.

use crate::Query;
use crate::board::{self, Board};
use crate::column::{Coded, Data};
use crate::error::EngineError;
use crate::family::Family;
use crate::filter::{InertRule, Plan, Reach};
use crate::row_test::Test;
use crate::view::order::{self, EMPTY, Order};
use std::sync::{Arc, Mutex, PoisonError};

/// Orders of one board that are kept: four bytes for each item and the values that differ.
const ORDERS_KEPT: usize = 4;

/// A loaded board by itself, with the ids of its items.
pub struct Table(Board, Mutex<Vec<(String, Arc<Order>)>>);

impl Table {
    /// Reads a board's stream, which is what [`crate::Engine::load`] takes.
    ///
    /// # Errors
    /// Bytes of another form.
    pub fn load(bytes: &[u8]) -> Result<Table, EngineError> {
        board::load(bytes).map(|board| Table(board, Mutex::default()))
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
    /// Whether a member stands in a cell of people, one who has left too.
    pub fn has_member(&self, id: &str) -> bool {
        let people = self.0.columns.iter().filter(|column| column.family == Family::People);
        let mut coded =
            people.filter_map(|column| if let Data::Coded(coded) = &column.data { Some(coded) } else { None });
        // One who stands in no cell any more can still be among the entries.
        let holds = |coded: &Coded| {
            let table = coded.table(|members| members.iter().any(|member| coded.entries[*member as usize].id == id));
            table.contains(&true) && Test::Codes(&coded.codes, table).select(self.0.rows).count() > 0
        };
        coded.any(holds)
    }
    /// The order of its items by a column; made once, since pages of an answer ask for it again.
    fn order(&self, column_id: &str) -> Option<Arc<Order>> {
        let mut kept = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, order)) = kept.iter().find(|(id, _)| id == column_id) {
            return Some(order.clone());
        }
        let order = Arc::new(Order::from_column(&self.0, column_id)?);
        if kept.len() == ORDERS_KEPT {
            kept.remove(0);
        }
        kept.push((column_id.to_owned(), order.clone()));
        Some(order)
    }
}

/// The items that pass a query's filters.
#[derive(Clone, PartialEq, Debug)]
pub struct Selected {
    /// For each board its rows, rising.
    pub rows: Vec<Vec<u32>>,
    /// How many of the boards each rule reaches.
    pub reach: Vec<Reach>,
    /// Rules that constrain nothing, or go on with less than they were meant to.
    pub inert: Vec<InertRule>,
}

/// The items of boards that pass the query's filters, with subitems where the query says so; which boards and widgets the query
/// names does not matter. Once `goes_on` says no, the rest is left out: nobody waits for it any more, or it takes too long.
pub fn select(tables: &[&Table], query: &Query, goes_on: &dyn Fn() -> bool) -> Selected {
    let boards: Vec<&Board> = tables.iter().map(|table| &table.0).collect();
    let plan = Plan::new(query, query.filters.people.as_ref(), &query.filters.all, &boards);
    let rows_of = |board: &&Board| {
        let (mut selection, reach) = plan.select_while(board, goes_on);
        if !query.include_subitems {
            selection = board.without_subitems(selection);
        }
        let mut rows = Vec::with_capacity(selection.count());
        selection.each(|row| rows.push(row as u32));
        (rows, reach)
    };
    let (rows, reach): (Vec<Vec<u32>>, Vec<Vec<bool>>) = boards.iter().map(rows_of).unzip();
    let reach: Vec<&[bool]> = reach.iter().map(Vec::as_slice).collect();
    Selected { rows, reach: plan.reach(&reach), inert: plan.inert.clone() }
}

/// A step of an order over boards.
#[derive(Clone, Debug)]
pub struct Sort {
    /// For each board its column's id, `name`, `created` or `updated`; nothing where it has none, and its items stand last.
    pub columns: Vec<Option<String>>,
    /// From the largest to the smallest. Empty cells stand last in either direction.
    pub descending: bool,
}

/// Selected rows of boards in one order, as board and row: by the first step, where that is equal by the next, and then as
/// they stand. Once `goes_on` says no, the rest of the steps are left out.
pub fn sorted(tables: &[&Table], rows: &[Vec<u32>], steps: &[Sort], goes_on: &dyn Fn() -> bool) -> Vec<(usize, u32)> {
    let all = rows.iter().enumerate().flat_map(|(at, rows)| rows.iter().map(move |row| (at, *row)));
    let mut sorted: Vec<(usize, u32)> = all.collect();
    for step in steps.iter().rev().take_while(|_| goes_on()) {
        let order = |(at, table): (usize, &&Table)| table.order(step.columns.get(at)?.as_deref()?);
        let orders: Vec<Option<Arc<Order>>> = tables.iter().enumerate().map(order).collect();
        let places = order::all_united(&orders.iter().map(Option::as_deref).collect::<Vec<_>>());
        let place = |(at, row): (usize, u32)| {
            let rank = orders[at].as_ref().map_or(EMPTY, |order| order.ranks[row as usize]);
            match rank {
                EMPTY => EMPTY,
                rank if step.descending => EMPTY - 1 - places[at][rank as usize],
                rank => places[at][rank as usize],
            }
        };
        sorted.sort_by_key(|one| place(*one));
    }
    sorted
}

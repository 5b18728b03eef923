//! The loaded boards, and what queries of widgets make of them.

use crate::board::{self, Board, BoardInfo};
use crate::derived::Across;
use crate::error::EngineError;
use crate::filter::{InertRule, Plan, Reach};
use crate::history::{History, Nows};
use crate::pieces::Pieces;
use crate::query::Query;
use crate::raw_result::RawResult;
use crate::reading::read_as;
use crate::tally::Tallied;
use crate::widgets::{self, Cols, Prepared, Shared, WidgetAnswer, roles};
use crate::{column, rows, view};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers of all widgets of a query.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// In the query's order.
    pub widgets: Vec<WidgetAnswer>,
    /// Shared rules that constrain nothing.
    pub inert_rules: Vec<InertRule>,
}

/// A column of a board that is loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnInfo {
    /// Its ID.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its type; of a mirror that of what it shows.
    pub type_name: String,
    /// Ids and texts of its labels, where it has any.
    pub labels: Vec<(String, String)>,
}

/// What is asked of the items behind a widget.
#[derive(Clone, Debug, Deserialize)]
pub struct ItemsQuery {
    /// The widget's id.
    pub widget: String,
    /// Which part of what it shows, in the kind's own form; all of it where left out.
    #[serde(default)]
    pub part: Value,
    /// How many to pass over.
    #[serde(default)]
    pub offset: usize,
    /// How many to answer with, 1,000 at most.
    #[serde(default = "items_max")]
    pub limit: usize,
}

/// Items of one answer at most.
const ITEMS_MAX: usize = 1_000;

fn items_max() -> usize {
    ITEMS_MAX
}

/// The items behind a widget.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Items {
    /// How many there are.
    pub total: usize,
    /// Those asked for: `{"boardId", "itemId", "name", "group"}`.
    pub items: Vec<Value>,
}

/// The loaded boards.
#[derive(Default)]
pub struct Engine {
    pub(crate) boards: BTreeMap<String, Board>,
    /// What is held for views of boards, and goes with the board.
    pub(crate) board_caches: BTreeMap<String, view::BoardCache>,
    pub(crate) together: Together,
    /// What is remembered of boards, by the names that queries ask for.
    histories: BTreeMap<String, Value>,
}

/// What was made of several boards together: any change of a board ends it.
#[derive(Default)]
pub(crate) struct Together {
    /// What widgets have derived.
    across: Across,
    /// What their items have come to in the last selections.
    tallied: Tallied,
    /// The widgets of the last queries, as far as they do not depend on the filters.
    prepared: Mutex<Vec<Arc<Dashboard>>>,
}

impl Together {
    pub fn clear(&mut self) {
        self.across.clear();
        self.tallied.clear();
        self.prepared.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Dashboards that are kept prepared at most.
const PREPARED_MAX: usize = 8;

/// The widgets of queries, prepared for the boards that are loaded.
struct Dashboard {
    /// What those who ask have been told, and the number of it.
    told: Mutex<(u64, Pieces)>,
    boards: Vec<String>,
    failed: Vec<String>,
    /// The day on which they were asked for, by the viewer's clock and week.
    day: (i32, i64, u8),
    configs: String,
    widgets: Vec<Prepared>,
}

/// Makes a number for a caller's pieces. Never 0, which stands for a caller without any.
fn next_answer_number() -> u64 {
    column::stamp() + 1
}

/// An answer for those who ask again.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    /// The number of all that they have been told now.
    told: u64,
    /// Pieces that are new to them, which get the next numbers; none where all is told anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<Vec<RawResult>>,
    widgets: Vec<WidgetAnswer>,
    inert_rules: Vec<InertRule>,
}

impl Engine {
    /// Without boards.
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Takes a board in the place of the one with the same id.
    ///
    /// The bytes are an Arrow IPC stream, little-endian, uncompressed, of one record batch or more. The schema's metadata has
    /// under `board` a JSON text: `{"board": {"id", "name"}, "groups": [{"id", "name", "color"}], "columns": [{"id", "title",
    /// "type", "settings"}], "members": [{"id", "name"}], "linked": [{"boardId", "columns", "items": [{"id", "name",
    /// "days", "cells"}]}]}`, the last as [`Linked`] where cells link to items of boards. The columns, in this order, are `id` (Utf8), `groupId`
    /// (Dictionary<Int32, Utf8>), `name` (Utf8), `createdAt` and `updatedAt` (Int64, milliseconds since the epoch, UTC), then
    /// one for each of the board's columns, in the order of `columns`, named by its id and nullable; where the board has
    /// subitems, a last one, `parentId` (Utf8), is null for all other items:
    ///
    /// | type | Arrow | value |
    /// |---|---|---|
    /// | text, longText, link, email, phone | Utf8 | the text |
    /// | number, currency, rating, progress | Float64 | the number; `settings`: `unit`, `currency`, `decimals`, `percent` |
    /// | status, dropdown | Dictionary<Int32, Utf8> | a label's id; `settings.labels`: `[{"id", "text", "color", "done"}]` |
    /// | tags | Dictionary<Int32, Utf8> | the cell's set as a JSON array of texts |
    /// | people | Dictionary<Int32, Utf8> | the cell's set as a JSON array of member ids |
    /// | date | Date32 | days since 1970-01-01 |
    /// | timeline | Struct<from: Date32, to: Date32> | the first and the last day; filters ask for an overlap, axes take the last |
    /// | checkbox | Boolean | whether it is checked; null is not |
    /// | createdAt, updatedAt | Int64 | milliseconds since the epoch, UTC |
    /// | createdBy, updatedBy | Dictionary<Int32, Utf8> | a member's id, or the kind of the caller: owner, cli, agent |
    /// | itemLink, sprint | Dictionary<Int32, Utf8> | the linked items' ids as a JSON array; `settings.boardId`: their board |
    /// | mirror | Boolean, all null | what `settings.sourceColumn` holds of the items that `settings.linkColumn` links to |
    /// | any other | any of the above | kept, but neither filtered nor mapped |
    ///
    /// # Errors
    /// Bytes of another form; nothing changes.
    pub fn load(&mut self, bytes: &[u8]) -> Result<BoardInfo, EngineError> {
        let board = board::load(bytes)?;
        let info = BoardInfo {
            id: board.id.clone(),
            name: board.name.clone(),
            items: board.items(),
            columns: board.columns.len(),
        };
        self.board_caches.remove(&board.id);
        self.together.clear();
        self.boards.insert(board.id.clone(), board);
        Ok(info)
    }

    /// Forgets a board; says whether it was there.
    pub fn unload(&mut self, id: &str) -> bool {
        self.board_caches.remove(id);
        self.together.clear();
        self.boards.remove(id).is_some()
    }

    /// Takes what is remembered of boards, the JSON of a [`History`], for the queries that name it, in the place of what was there.
    pub fn set_history(&mut self, name: &str, history: Value) {
        self.histories.insert(name.to_owned(), history);
    }

    /// Adds to a history what the boards of a query's widgets over sprints are like now, whatever the filters say: of each board
    /// it stands for the ends of the days from the one named to `until`, days since 1970-01-01, that are not remembered yet.
    pub fn remember(&self, query: &Query, history: &mut History, from: &BTreeMap<String, i32>, until: i32) {
        let boards = self.loaded(&query.boards);
        let plan = Plan::new(query, None, &[], &boards);
        let shared = self.shared(query, boards.clone(), &plan);
        let without_rules = |config: &Value| {
            let mut config = config.clone();
            if let Some(members) = config.as_object_mut() {
                members.remove("rules");
            }
            Prepared::new(&config, query, &boards)
        };
        let prepared: Vec<Prepared> = query.widgets.iter().map(without_rules).collect();
        let mut nows = Nows::default();
        prepared.iter().for_each(|widget| widgets::now(&shared, widget, &mut nows));
        nows.take(history, from, until);
    }

    /// Computes all widgets of a query.
    pub fn query(&self, query: &Query) -> Answer {
        let boards = self.loaded(&query.boards);
        let prepared = self.prepare(query, &configs(query), &boards);
        self.answer(query, boards, &prepared, None)
    }

    /// The same of widgets whose configurations stand in a JSON list, for those who ask again: they say the number of what they have
    /// been told, and are not told that again.
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
    pub(crate) fn ask(&self, query: &Query, configs: &str, known: u64) -> Asked {
        let boards = self.loaded(&query.boards);
        let prepared = self.prepare(query, configs, &boards);
        let mut told = prepared.told.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, pieces) = &mut *told;
        let is_known = known == *number && !pieces.are_too_many();
        if !is_known {
            (*number, *pieces) = (next_answer_number(), Pieces::default());
        }
        let Answer { widgets, inert_rules } = self.answer(query, boards, &prepared, is_known.then_some(&*pieces));
        let pieces = is_known.then(|| pieces.take_new());
        if pieces.as_ref().is_some_and(|new| !new.is_empty()) {
            *number = next_answer_number();
        }
        Asked { told: *number, pieces, widgets, inert_rules }
    }

    fn answer(&self, query: &Query, boards: Vec<&Board>, prepared: &Dashboard, told: Option<&Pieces>) -> Answer {
        let plan = Plan::new(query, query.filters.people.as_ref(), &query.filters.all, &boards);
        let mut shared = self.shared(query, boards, &plan);
        shared.told = told;
        let widgets = widgets::answers(&shared, &prepared.widgets);
        Answer { widgets, inert_rules: plan.inert.clone() }
    }

    /// The widgets as they were prepared for an earlier query, or else anew.
    fn prepare(&self, query: &Query, configs: &str, boards: &[&Board]) -> Arc<Dashboard> {
        let day = (query.today(), query.shift_ms(), query.week_start());
        let mut kept = self.together.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |of: &Arc<Dashboard>| {
            of.configs == configs && of.boards == query.boards && of.failed == query.failed && of.day == day
        };
        let found = kept.iter().rposition(is_it).map(|at| kept.remove(at));
        let dashboard = found.unwrap_or_else(|| {
            let all: Vec<Value> = serde_json::from_slice(configs.as_bytes()).unwrap_or_default();
            Arc::new(Dashboard {
                told: Mutex::new((next_answer_number(), Pieces::default())),
                boards: query.boards.clone(),
                failed: query.failed.clone(),
                day,
                configs: configs.to_owned(),
                widgets: all.iter().map(|config| Prepared::new(config, query, boards)).collect(),
            })
        });
        if kept.len() == PREPARED_MAX {
            kept.remove(0);
        }
        kept.push(dashboard.clone());
        dashboard
    }

    /// The items that a widget of a query, or a part of what it shows, is made of.
    ///
    /// # Errors
    /// What is wrong: no such widget or part, or a widget that shows nothing.
    pub fn items(&self, query: &Query, asked: &ItemsQuery) -> Result<Items, String> {
        let boards = self.loaded(&query.boards);
        let prepared = self.prepare(query, &configs(query), &boards);
        let widget = prepared.widgets.iter().find(|widget| widget.fixed.id == asked.widget);
        let widget = widget.ok_or("widget not found")?;
        let plan = Plan::new(query, query.filters.people.as_ref(), &query.filters.all, &boards);
        let shared = self.shared(query, boards, &plan);
        let picked = widgets::pick(&shared, widget, &asked.part)?;
        let limit = asked.limit.min(ITEMS_MAX);
        let (mut total, mut items) = (0, Vec::new());
        for (board, selection) in &picked {
            let rows = selection.page(asked.offset.saturating_sub(total), limit - items.len());
            items.extend(rows.into_iter().map(|row| rows::item(board, row)));
            total += selection.count();
        }
        Ok(Items { total, items })
    }

    /// Completes the `cols` of a widget's configuration for the boards that it does not name for a role, as computing does: what
    /// is stored of it stays so when columns come and go.
    ///
    /// # Errors
    /// A configuration of unknown kind or form: what is wrong with it.
    pub fn auto_map(&self, boards: &[String], config: &Value) -> Result<Cols, String> {
        let config = widgets::present(config, &mut None);
        let own: Option<Vec<String>> = read_as(&config["boards"])?;
        let boards: Vec<String> =
            boards.iter().filter(|id| own.as_ref().is_none_or(|own| own.contains(id))).cloned().collect();
        let cols = match config.get("cols") {
            None | Some(Value::Null) => Cols::new(),
            Some(cols) => read_as(cols)?,
        };
        Ok(widgets::auto_map(&roles(&config)?, &cols, &self.loaded(&boards)))
    }

    /// The type and the title of a board's column; a mirror has the type of what it shows.
    pub fn column(&self, board: &str, column: &str) -> Option<(&str, &str)> {
        self.boards.get(board)?.column(column).map(|column| (column.type_name.as_str(), column.title.as_str()))
    }

    /// The columns of a board that is loaded.
    pub fn columns(&self, board: &str) -> Option<Vec<ColumnInfo>> {
        let info = |column: &board::Column| ColumnInfo {
            id: column.id.clone(),
            title: column.title.clone(),
            type_name: column.type_name.clone(),
            labels: column.labels().iter().map(|label| (label.id.clone(), label.text.clone())).collect(),
        };
        Some(self.boards.get(board)?.columns.iter().map(info).collect())
    }

    /// Ids and names of a board's groups; none where it is not loaded.
    pub fn groups(&self, board: &str) -> Option<Vec<(String, String)>> {
        let groups = &self.boards.get(board)?.groups.entries;
        Some(groups.iter().map(|group| (group.id.clone(), group.text.clone())).collect())
    }

    /// How many of a query's boards each shared rule reaches.
    pub fn reach(&self, query: &Query) -> Vec<Reach> {
        let boards = self.loaded(&query.boards);
        let plan = Plan::new(query, query.filters.people.as_ref(), &query.filters.all, &boards);
        // Which items pass is not asked.
        let reach: Vec<Vec<bool>> = boards.iter().map(|board| plan.select_while(board, &|| false).1).collect();
        plan.reach(&reach.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    fn shared<'a>(&'a self, query: &'a Query, boards: Vec<&'a Board>, plan: &'a Plan<'a>) -> Shared<'a> {
        let history = query.history.as_ref().and_then(|name| self.histories.get(name));
        Shared::new(query, boards, plan, history, &self.together.tallied, &self.together.across)
    }

    fn loaded(&self, ids: &[String]) -> Vec<&Board> {
        let mut boards: Vec<&Board> = Vec::new();
        for board in ids.iter().filter_map(|id| self.boards.get(id)) {
            // A board named twice counts once.
            if !boards.iter().any(|b| std::ptr::eq(*b, board)) {
                boards.push(board);
            }
        }
        boards
    }
}

/// The configurations of a query's widgets as a JSON list.
fn configs(query: &Query) -> String {
    serde_json::to_string(&query.widgets).unwrap_or_default()
}

//! Columns whose cells link to items of a board, and columns that mirror what the linked items hold.
//!
//! A cell holds ids only. What people read of them (names, days of sprints, mirrored cells) stands once beside the items, as
//! `linked`, and is read anew when the linked board has changed; the rows themselves stay as they are kept. An item that was
//! deleted since is in no `linked`, and so shows nowhere.

use crate::board::{self, ColumnRecord};
use crate::cells::{Column, ColumnType, Settings};
use events::{Bus, Event};
use kit::error::{Result, invalid, not_found};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use store::{Row, Tx, params};

/// Ids of linked items by the board that they stand on.
pub(crate) type Ids = BTreeMap<String, BTreeSet<String>>;

/// Linked items up to which each is looked up by itself; reading the whole board is cheaper past it.
const SINGLY_MAX: usize = if cfg!(test) { 3 } else { 2_000 };

/// What a board shows of another one (or of itself) that its cells link to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename = "LinkedBoard", rename_all = "camelCase")]
pub(crate) struct Linked {
    /// The board.
    board_id: String,
    /// The columns of it that are mirrored.
    columns: Vec<ColumnRecord>,
    /// The items that cells link to and that are still there, by id.
    items: Vec<LinkedItem>,
}

/// A linked item, as far as it is shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename = "LinkedItem")]
pub(crate) struct LinkedItem {
    id: String,
    name: String,
    /// Its days as a sprint, by the sprint column that shows them: each says where they stand.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    days: BTreeMap<String, SprintDays>,
    /// Its values in the mirrored columns, by column id.
    #[serde(skip_serializing_if = "Map::is_empty")]
    cells: Map<String, Value>,
}

/// The days of a sprint.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct SprintDays {
    /// The first, YYYY-MM-DD.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// The last, YYYY-MM-DD.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
}

impl LinkedItem {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
    pub(crate) fn cells(&self) -> &Map<String, Value> {
        &self.cells
    }
}

impl Linked {
    pub(crate) fn board_id(&self) -> &str {
        &self.board_id
    }
    pub(crate) fn items(&self) -> &[LinkedItem] {
        &self.items
    }
}

impl Column {
    /// Whether it shows who made or changed items.
    pub(crate) fn shows_by(&self) -> bool {
        matches!(self.kind, Some(ColumnType::CreatedBy | ColumnType::UpdatedBy))
    }

    /// The board that its cells link to.
    pub(crate) fn links_to(&self) -> Option<&str> {
        let is_link = self.kind.is_some_and(ColumnType::is_link);
        self.settings.board_id.as_deref().filter(|_| is_link)
    }
}

/// Checks what settings name: everything must be the account's and there, and of a type that serves. `before` are the
/// settings of a column that is there already.
pub(crate) fn expect_settings(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    kind: ColumnType,
    settings: &Settings,
    before: Option<&Settings>,
) -> Result<()> {
    match kind {
        kind if kind.is_link() => {
            let Some(target) = &settings.board_id else {
                return Err(refuse("boardId", "Name the board whose items cells link to."));
            };
            board::load(tx, account, target)?;
            if before.is_some_and(|before| before.board_id.as_ref() != Some(target)) {
                return Err(refuse("boardId", "The board that cells link to stays; add a column for another one."));
            }
            if let Some(group_id) = &settings.group_id
                && !board::groups(tx, account, target)?.iter().any(|group| group.id == *group_id)
            {
                return Err(not_found());
            }
            let columns = board::columns(tx, account, target)?;
            let wanted = [
                ("timelineColumn", &settings.timeline_column, ColumnType::Timeline),
                ("startColumn", &settings.start_column, ColumnType::Date),
                ("endColumn", &settings.end_column, ColumnType::Date),
            ];
            for (member, named, kind) in wanted {
                let Some(id) = named else { continue };
                if column_of(&columns, id)?.kind != Some(kind) {
                    return Err(refuse(member, format!("{member} is the id of a {} column.", kind.name())));
                }
            }
            Ok(())
        }
        ColumnType::Mirror => {
            let (Some(link), Some(source)) = (&settings.link_column, &settings.source_column) else {
                return Err(refuse("linkColumn", "A mirror names a linkColumn of its board and a sourceColumn."));
            };
            let columns = board::columns(tx, account, board_id)?;
            let Some(target) = column_of(&columns, link)?.links_to() else {
                return Err(refuse("linkColumn", "linkColumn is the id of an itemLink or sprint column."));
            };
            board::load(tx, account, target)?;
            let of_target = board::columns(tx, account, target)?;
            let source = column_of(&of_target, source)?;
            if source.kind.is_some_and(|kind| !kind.is_derived() && !kind.is_link() && kind != ColumnType::File) {
                return Ok(());
            }
            let detail =
                format!("A mirror shows a column that holds values of its own and no files; {} is none.", source.title);
            Err(refuse("sourceColumn", detail))
        }
        _ => Ok(()),
    }
}

fn column_of<'a>(columns: &'a [Column], id: &str) -> Result<&'a Column> {
    columns.iter().find(|column| column.id == id).ok_or_else(not_found)
}

fn refuse(member: &str, detail: impl Into<String>) -> kit::Error {
    invalid(&format!("/settings/{member}"), "invalid-settings", detail)
}

/// Whether every id of a cell is an item that the column links to. Those of other boards and accounts are as unknown as
/// those of nothing.
pub(crate) fn are_items(tx: &mut Tx<'_>, account: &str, column: &Column, cell: &Value) -> Result<bool> {
    let Some(target) = column.links_to() else { return Ok(true) };
    let group = column.settings.group_id.as_deref().unwrap_or_default();
    // What is left of a deleted board's items is no item any more.
    let sql = "SELECT i.item_id FROM items i JOIN boards b ON b.account_id = i.account_id AND b.board_id = i.board_id \
         WHERE i.account_id = $1 AND i.board_id = $2 AND i.item_id = $3 AND ($4 = '' OR i.group_id = $4) AND b.state = 'ready'";
    for id in cell.as_array().into_iter().flatten().filter_map(Value::as_str) {
        if tx.query_opt(sql, params![account, target, id, group], |_| Ok(()))?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Which items of boards are there, each asked once: what holds within one transaction.
#[derive(Default)]
pub(crate) struct Presence(HashMap<String, OfBoard>);

#[derive(Default)]
struct OfBoard {
    is_ready: bool,
    /// Items that were asked for, and whether they are there.
    known: HashMap<String, bool>,
    /// Whether all that are there are known.
    is_whole: bool,
    /// How many statements that took.
    #[cfg(test)]
    asked: usize,
}

impl Presence {
    /// How many of the items that a cell links to on a board are there.
    pub(crate) fn count(&mut self, tx: &mut Tx<'_>, account: &str, board_id: &str, cell: &Value) -> Result<usize> {
        if !self.0.contains_key(board_id) {
            let sql = "SELECT 1 FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
            let is_ready = tx.query_opt(sql, params![account, board_id], |_| Ok(()))?.is_some();
            self.0.insert(board_id.to_owned(), OfBoard { is_ready, ..OfBoard::default() });
        }
        let board = self.0.get_mut(board_id).expect("it was put there");
        let mut count = 0;
        for id in cell.as_array().into_iter().flatten().filter_map(Value::as_str) {
            count += usize::from(board.is_ready && board.has(tx, account, board_id, id)?);
        }
        Ok(count)
    }

    #[cfg(test)]
    pub(crate) fn asked(&self) -> usize {
        self.0.values().map(|board| board.asked).sum()
    }
}

impl OfBoard {
    fn has(&mut self, tx: &mut Tx<'_>, account: &str, board_id: &str, id: &str) -> Result<bool> {
        if let Some(is_there) = self.known.get(id) {
            return Ok(*is_there);
        }
        if self.is_whole {
            return Ok(false);
        }
        #[cfg(test)]
        {
            self.asked += 1;
        }
        if self.known.len() < SINGLY_MAX {
            let sql = "SELECT 1 FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
            let is_there = tx.query_opt(sql, params![account, board_id, id], |_| Ok(()))?.is_some();
            self.known.insert(id.to_owned(), is_there);
            return Ok(is_there);
        }
        let sql = "SELECT item_id FROM items WHERE account_id = $1 AND board_id = $2";
        tx.each(sql, params![account, board_id], |row| {
            self.known.insert(row.get(0)?, true);
            Ok(())
        })?;
        self.is_whole = true;
        Ok(self.known.get(id).copied().unwrap_or_default())
    }
}

/// How many items one cell of the column holds.
pub(crate) fn holds_many(column: &Column) -> bool {
    column.settings.many.unwrap_or(column.kind == Some(ColumnType::ItemLink))
}

/// Revisions of the boards that columns link to, in one order: while they stay, so does what is shown of them.
pub(crate) fn revisions(tx: &mut Tx<'_>, account: &str, boards: &[String]) -> Result<Vec<Option<i64>>> {
    let sql = "SELECT revision FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
    boards.iter().map(|id| tx.query_opt(sql, params![account, id], |row| row.get(0))).collect()
}

/// The boards that columns link to.
pub(crate) fn targets(columns: &[Column]) -> Vec<String> {
    columns.iter().filter_map(Column::links_to).map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What is shown of the boards that columns link to. A board that was deleted is left out.
pub(crate) fn linked(tx: &mut Tx<'_>, account: &str, columns: &[Column], ids: &Ids) -> Result<Vec<Linked>> {
    let mut all = Vec::new();
    for target in targets(columns) {
        let of_target = board::columns(tx, account, &target)?;
        let mirrored = mirrored(columns, &target);
        let shown: Vec<&Column> = of_target.iter().filter(|c| mirrored.contains(c.id.as_str())).collect();
        let sprints = columns.iter().filter(|c| c.kind == Some(ColumnType::Sprint) && c.links_to() == Some(&target));
        let sprints: Vec<_> = sprints.map(|sprint| (&sprint.id, Days::of(&sprint.settings, &of_target))).collect();
        if revisions(tx, account, std::slice::from_ref(&target))? == [None] {
            continue;
        }
        let none = BTreeSet::new();
        let items = items(tx, account, &target, ids.get(&target).unwrap_or(&none), |record| {
            let mut cells: Map<String, Value> = Map::new();
            for column in &shown {
                if let Some(value) = record.cells.get(&column.id) {
                    cells.insert(column.id.clone(), value.clone());
                }
            }
            let days =
                sprints.iter().filter_map(|(id, days)| Some(((*id).clone(), days.read(&record.cells)?))).collect();
            LinkedItem { id: record.id, name: record.name, days, cells }
        })?;
        let columns = shown.into_iter().map(Column::record).collect::<Result<_>>()?;
        all.push(Linked { board_id: target, columns, items });
    }
    Ok(all)
}

/// Types of the columns that mirrors show, by the mirror's id; those whose column is gone are left out.
pub(crate) fn mirrored_types(tx: &mut Tx<'_>, account: &str, columns: &[Column]) -> Result<HashMap<String, String>> {
    let (mut types, mut of_targets) = (HashMap::new(), HashMap::new());
    for mirror in columns.iter().filter(|column| column.kind == Some(ColumnType::Mirror)) {
        let link = columns.iter().find(|column| Some(&column.id) == mirror.settings.link_column.as_ref());
        let Some(target) = link.and_then(Column::links_to) else { continue };
        if !of_targets.contains_key(target) {
            of_targets.insert(target, board::columns(tx, account, target)?);
        }
        let shown = of_targets[target].iter().find(|column| Some(&column.id) == mirror.settings.source_column.as_ref());
        types.extend(shown.map(|shown| (mirror.id.clone(), shown.type_name.clone())));
    }
    Ok(types)
}

/// The columns of a board that those of another mirror.
fn mirrored<'a>(columns: &'a [Column], target: &str) -> BTreeSet<&'a str> {
    let links = |id: &str| columns.iter().any(|c| c.id == id && c.links_to() == Some(target));
    let mirrors = columns.iter().filter(|c| c.kind == Some(ColumnType::Mirror));
    mirrors
        .filter(|c| c.settings.link_column.as_deref().is_some_and(links))
        .filter_map(|c| c.settings.source_column.as_deref())
        .collect()
}

fn items(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    ids: &BTreeSet<String>,
    shown: impl Fn(crate::items::Record) -> LinkedItem,
) -> Result<Vec<LinkedItem>> {
    let read =
        |row: &dyn Row| -> Result<LinkedItem> { Ok(shown(serde_json::from_str(row.get(0)?).map_err(board::damaged)?)) };
    let mut items = Vec::with_capacity(ids.len());
    if ids.len() <= SINGLY_MAX {
        let sql = "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
        for id in ids {
            items.extend(tx.query_opt(sql, params![account, board_id, id], read)?);
        }
        return Ok(items);
    }
    let sql = "SELECT record_json, item_id FROM items WHERE account_id = $1 AND board_id = $2 ORDER BY item_id";
    tx.each(sql, params![account, board_id], |row| {
        if ids.contains(row.get::<&str>(1)?) {
            items.push(read(row)?);
        }
        Ok(())
    })?;
    Ok(items)
}

/// Where a sprint's first and last day stand.
enum Days {
    Timeline(String),
    Dates(Option<String>, Option<String>),
}

impl Days {
    /// As the settings say; else the board's first timeline, else its first two dates.
    fn of(settings: &Settings, columns: &[Column]) -> Days {
        let first = |kind| columns.iter().filter(move |c| c.kind == Some(kind)).map(|c| c.id.clone());
        if let Some(id) = &settings.timeline_column {
            return Days::Timeline(id.clone());
        }
        if settings.start_column.is_some() || settings.end_column.is_some() {
            return Days::Dates(settings.start_column.clone(), settings.end_column.clone());
        }
        if let Some(id) = first(ColumnType::Timeline).next() {
            return Days::Timeline(id);
        }
        let mut dates = first(ColumnType::Date);
        Days::Dates(dates.next(), dates.next())
    }

    /// `None` where neither day is there.
    fn read(&self, cells: &Map<String, Value>) -> Option<SprintDays> {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let (start, end) = match self {
            Days::Timeline(id) => {
                let span = cells.get(id);
                (text(span.and_then(|s| s.get("from"))), text(span.and_then(|s| s.get("to"))))
            }
            Days::Dates(start, end) => {
                let day = |id: &Option<String>| text(id.as_ref().and_then(|id| cells.get(id)));
                (day(start), day(end))
            }
        };
        (start.is_some() || end.is_some()).then_some(SprintDays { start, end })
    }
}

/// Ids of the members that mirrored cells name.
pub(crate) fn members(linked: &[Linked]) -> impl Iterator<Item = String> {
    linked
        .iter()
        .flat_map(|board| {
            let people = board.columns.iter().filter(|column| column.kind == ColumnType::People.name());
            people.flat_map(|column| board.items.iter().filter_map(|item| item.cells.get(&column.id)?.as_array()))
        })
        .flatten()
        .filter_map(|id| id.as_str().map(str::to_owned))
}

/// Tells those who follow a board that shows something of the changed one: its own revision stays, its tag may not.
pub(crate) fn tell(tx: &mut Tx<'_>, account: &str, changed: &str, bus: &Arc<Bus>) -> Result<()> {
    // Once a board in Rust: for the few that there are, SQLite would set up a table at every change.
    let sql = "SELECT b.board_id, b.revision FROM board_columns c JOIN boards b ON b.account_id = c.account_id \
         AND b.board_id = c.board_id WHERE c.account_id = $1 AND c.links_to = $2 AND c.board_id <> $2 AND c.type <> $3 \
         AND b.state = 'ready'";
    let showing = tx.query(sql, params![account, changed, board::DELETING], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let showing: BTreeMap<String, i64> = showing.into_iter().collect();
    if !showing.is_empty() {
        let (account, bus) = (account.to_owned(), bus.clone());
        let events = showing.into_iter().map(|(board_id, revision)| Event::BoardChanged { board_id, revision });
        tx.after_commit(move || events.for_each(|event| bus.emit(Some(&account), event)));
    }
    Ok(())
}

//! Columns whose cells link to items of a board, and columns that mirror cells of linked items.
//!
//! A cell holds only IDs. Displayed data (names, sprint days, mirrored cells) is returned once beside the items, as
//! `linked`, and reread when the linked board changes; cached rows stay the same. Deleted items are missing from
//! `linked` and aren't displayed.

use crate::board::{self, ColumnRecord};
use crate::cells::Column;
use crate::item::{Item, Record};
use crate::named::{self, Ids, targets};
use crate::presence::SINGLY_MAX;
use crate::{fault, ids};
use column_types::{ColumnType, Settings};
use events::{Bus, Event};
use kit::error::{Result, invalid};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use store::{Row, Tx, params};
use widgets::{LinkedItem, SprintDays};

/// Data shown from a linked board.
pub(crate) type Linked = widgets::Linked<ColumnRecord>;

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
                let whose = if kind == ColumnType::Sprint { "whose items are the sprints" } else { "to link to" };
                let needs = format!(
                    "A {} column needs `settings` such as {{\"boardId\": \"ID\"}}: the board {whose}.",
                    kind.name()
                );
                return Err(refuse("boardId", needs));
            };
            board::named(tx, account, target, "/settings/boardId")?;
            if before.is_some_and(|before| before.board_id.as_ref() != Some(target)) {
                return Err(refuse("boardId", "You can't change the linked board. Add another column instead."));
            }
            if let Some(group_id) = &settings.group_id
                && !board::groups(tx, account, target)?.iter().any(|group| group.id == *group_id)
            {
                return Err(ids::unknown(fault::UNKNOWN_GROUP, "/settings/groupId"));
            }
            let columns = board::columns(tx, account, target)?;
            let wanted = [
                ("timelineColumn", &settings.timeline_column, ColumnType::Timeline),
                ("startColumn", &settings.start_column, ColumnType::Date),
                ("endColumn", &settings.end_column, ColumnType::Date),
            ];
            for (member, named, kind) in wanted {
                let Some(id) = named else { continue };
                if column_of(&columns, id, member)?.kind != Some(kind) {
                    return Err(refuse(member, format!("Set {member} to the ID of a {} column.", kind.name())));
                }
            }
            Ok(())
        }
        ColumnType::Mirror => {
            let (Some(link), Some(source)) = (&settings.link_column, &settings.source_column) else {
                return Err(refuse("linkColumn", "A mirror needs a linkColumn and a sourceColumn."));
            };
            let columns = board::columns(tx, account, board_id)?;
            let Some(target) = column_of(&columns, link, "linkColumn")?.links_to() else {
                return Err(refuse("linkColumn", "Set linkColumn to the ID of an itemLink or sprint column."));
            };
            board::named(tx, account, target, "/settings/linkColumn")?;
            let of_target = board::columns(tx, account, target)?;
            let source = column_of(&of_target, source, "sourceColumn")?;
            if source.kind.is_some_and(|kind| !kind.is_derived() && !kind.is_link() && kind != ColumnType::File) {
                return Ok(());
            }
            let detail = format!(
                "A mirror needs a source column that isn't a mirror, link, or file column; {} can't be mirrored.",
                source.title
            );
            Err(refuse("sourceColumn", detail))
        }
        _ => Ok(()),
    }
}

fn column_of<'a>(columns: &'a [Column], id: &str, member: &str) -> Result<&'a Column> {
    let found = columns.iter().find(|column| column.id == id);
    found.ok_or_else(|| ids::unknown_column(id, format!("/settings/{member}")))
}

fn refuse(member: &str, detail: impl Into<String>) -> kit::Error {
    invalid(&format!("/settings/{member}"), fault::INVALID_SETTINGS, detail)
}

/// The places of those ids that are no items which the column links to. Those of other boards and accounts are as unknown as
/// those of nothing.
pub(crate) fn unknown(tx: &mut Tx<'_>, account: &str, column: &Column, ids: &[(usize, &Value)]) -> Result<Vec<usize>> {
    let mut unknown = Vec::new();
    let Some(target) = column.links_to() else { return Ok(unknown) };
    let group = column.settings.group_id.as_deref().unwrap_or_default();
    // What is left of a deleted board's items is no item any more.
    let sql = "SELECT i.item_id FROM items i JOIN boards b ON b.account_id = i.account_id AND b.board_id = i.board_id \
         WHERE i.account_id = $1 AND i.board_id = $2 AND i.item_id = $3 AND ($4 = '' OR i.group_id = $4) AND b.state = 'ready'";
    for (index, id) in ids {
        let id = id.as_str().unwrap_or_default();
        if tx.query_opt(sql, params![account, target, id, group], |_| Ok(()))?.is_none() {
            unknown.push(*index);
        }
    }
    Ok(unknown)
}

/// Revisions of linked boards in a fixed order. While they're unchanged, so is the displayed data.
pub(crate) fn revisions(tx: &mut Tx<'_>, account: &str, boards: &[String]) -> Result<Vec<Option<i64>>> {
    let sql = "SELECT revision FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
    boards.iter().map(|id| tx.query_opt(sql, params![account, id], |row| row.get(0))).collect()
}

/// When any of the boards that columns link to changed last, or went.
pub(crate) fn changed_ms(tx: &mut Tx<'_>, account: &str, boards: &[String]) -> Result<Option<i64>> {
    let sql = "SELECT updated_ms, kept_ms FROM boards WHERE account_id = $1 AND board_id = $2";
    let latest = |row: &dyn Row| Ok(row.get::<i64>(0)?.max(row.get(1)?));
    let all: Result<Vec<_>> = boards.iter().map(|id| tx.query_opt(sql, params![account, id], latest)).collect();
    Ok(all?.into_iter().flatten().max())
}

/// Displayed data of a linked board.
struct Shown {
    board_id: String,
    revision: i64,
    left_since: i64,
    /// The columns that are mirrored.
    columns: Vec<Column>,
    /// Where each sprint column reads days.
    sprints: Vec<(String, Days)>,
}

impl Shown {
    /// Of every board that columns link to; one that was deleted is left out.
    fn load(tx: &mut Tx<'_>, account: &str, columns: &[Column]) -> Result<Vec<Shown>> {
        let sql = "SELECT revision, left_since FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
        let mut all = Vec::new();
        for board_id in targets(columns) {
            let at = tx.query_opt(sql, params![account, &board_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let Some((revision, left_since)) = at else { continue };
            let mut of_target = board::columns(tx, account, &board_id)?;
            let sprints =
                columns.iter().filter(|c| c.kind == Some(ColumnType::Sprint) && c.links_to() == Some(&board_id));
            let sprints = sprints.map(|sprint| (sprint.id.clone(), Days::new(&sprint.settings, &of_target))).collect();
            let mirrored = mirrored(columns, &board_id);
            of_target.retain(|column| mirrored.contains(column.id.as_str()));
            all.push(Shown { board_id, revision, left_since, columns: of_target, sprints });
        }
        Ok(all)
    }

    /// Version mark: the revision, and a mark of the displayed fields.
    fn mark(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.columns.iter().for_each(|column| column.id.hash(&mut hasher));
        self.sprints.hash(&mut hasher);
        format!("{}.{:x}", self.revision, hasher.finish())
    }

    /// The revision that a mark names, where the same was shown of the items then and what left since is known.
    fn since(&self, mark: Option<&String>) -> Option<i64> {
        let ((revision, shown), now) = (mark?.split_once('.')?, self.mark());
        let revision = revision.parse::<i64>().ok()?;
        let is_known = (self.left_since..=self.revision).contains(&revision);
        (is_known && now.split_once('.')?.1 == shown).then_some(revision)
    }

    fn item(&self, record_json: &str) -> Result<LinkedItem> {
        let Record { id, name, cells: mut held, .. } = serde_json::from_str(record_json).map_err(board::damaged)?;
        let days = self.sprints.iter().filter_map(|(id, days)| Some((id.clone(), days.read(&held)?))).collect();
        let cells =
            self.columns.iter().filter_map(|column| Some((column.id.clone(), held.remove(&column.id)?))).collect();
        Ok(LinkedItem { id, name, days, cells })
    }

    fn linked(self, items: Vec<LinkedItem>) -> Result<Linked> {
        let columns = self.columns.iter().map(Column::record).collect::<Result<_>>()?;
        Ok(Linked { board_id: self.board_id, columns, items })
    }
}

/// Version marks of linked boards by ID; clients send them to get only later changes.
pub(crate) type Marks = BTreeMap<String, String>;

/// Displayed data of linked boards. Deleted boards are omitted.
pub(crate) fn linked(tx: &mut Tx<'_>, account: &str, columns: &[Column], ids: &Ids) -> Result<(Vec<Linked>, Marks)> {
    let (mut all, mut marks) = (Vec::new(), Marks::new());
    let none = BTreeSet::new();
    for shown in Shown::load(tx, account, columns)? {
        marks.insert(shown.board_id.clone(), shown.mark());
        let ids = ids.get(&shown.board_id).unwrap_or(&none);
        let items = items(tx, account, &shown.board_id, ids, |record| shown.item(record))?;
        all.push(shown.linked(items)?);
    }
    Ok((all, marks))
}

/// Changes to the data shown from a linked board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LinkedChange {
    /// Items changed since then, linked or not, and linked items of changed ones.
    #[serde(flatten)]
    linked: Linked,
    /// IDs of removed items.
    removed: Vec<String>,
    /// Whether this replaces all earlier data of that board.
    whole: bool,
}

/// Changes to linked boards since the caller's marks, data of items that changed items link to, and the new marks.
/// `None` if there are too many.
pub(crate) fn changes(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    columns: &[Column],
    held: &Marks,
    changed: &[Item],
) -> Result<Option<(Vec<LinkedChange>, Marks)>> {
    let (mut all, mut marks, mut room) = (Vec::new(), Marks::new(), Room::default());
    let mut every: Option<Ids> = None;
    for shown in Shown::load(tx, account, columns)? {
        marks.insert(shown.board_id.clone(), shown.mark());
        let links = columns.iter().filter(|column| column.links_to() == Some(&shown.board_id));
        let cells = links.flat_map(|column| changed.iter().filter_map(|item| item.record.cells.get(&column.id)));
        let named: BTreeSet<String> =
            cells.filter_map(Value::as_array).flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let since = shown.since(held.get(&shown.board_id));
        if since == Some(shown.revision) && named.is_empty() {
            continue;
        }
        let before = room.clone();
        let since = since.map(|since| shown.changed(tx, account, since, &mut room)).transpose()?.flatten();
        let whole = since.is_none();
        let (mut items, removed) = since.unwrap_or_default();
        let ids = if whole {
            room = before;
            if every.is_none() {
                every = Some(named::named_on(tx, account, board_id, columns)?.items);
            }
            every.as_ref().and_then(|every| every.get(&shown.board_id)).cloned().unwrap_or_default()
        } else {
            let sent: HashSet<&str> = items.iter().map(|item: &LinkedItem| item.id.as_str()).collect();
            named.into_iter().filter(|id| !sent.contains(id.as_str())).collect()
        };
        if ids.len() > room.items {
            return Ok(None);
        }
        items.extend(self::items(tx, account, &shown.board_id, &ids, |record| {
            room.take(record);
            shown.item(record)
        })?);
        if room.is_over {
            return Ok(None);
        }
        all.push(LinkedChange { linked: shown.linked(items)?, removed, whole });
    }
    Ok(Some((all, marks)))
}

impl LinkedChange {
    pub(crate) fn linked(&self) -> &Linked {
        &self.linked
    }
}

/// How much of linked items one answer still holds.
#[derive(Clone)]
struct Room {
    items: usize,
    bytes: usize,
    is_over: bool,
}

impl Default for Room {
    fn default() -> Room {
        Room { items: CHANGED_ITEMS_MAX as usize, bytes: CHANGED_BYTES_MAX, is_over: false }
    }
}

impl Room {
    fn take(&mut self, record: &str) {
        let (items, bytes) = (self.items.checked_sub(1), self.bytes.checked_sub(record.len()));
        self.is_over |= items.is_none() || bytes.is_none();
        (self.items, self.bytes) = (items.unwrap_or_default(), bytes.unwrap_or_default());
    }
}

impl Shown {
    /// Items that changed since a revision, and ids of those that left; `None` where there are too many.
    fn changed(
        &self,
        tx: &mut Tx<'_>,
        account: &str,
        since: i64,
        room: &mut Room,
    ) -> Result<Option<(Vec<LinkedItem>, Vec<String>)>> {
        let limit = room.items as i64 + 1;
        let sql = "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2 AND revision > $3 LIMIT $4";
        let mut items = Vec::new();
        tx.each(sql, params![account, &self.board_id, since, limit], |row| {
            let record = row.get::<&str>(0)?;
            room.take(record);
            if !room.is_over {
                items.push(self.item(record)?);
            }
            Ok(())
        })?;
        let sql = "SELECT DISTINCT l.item_id FROM items_left l WHERE l.account_id = $1 AND l.board_id = $2 AND l.revision > $3 \
             AND NOT EXISTS (SELECT 1 FROM items i WHERE i.account_id = l.account_id AND i.board_id = l.board_id \
             AND i.item_id = l.item_id) LIMIT $4";
        let removed = tx.query(sql, params![account, &self.board_id, since, limit], |row| row.get(0))?;
        room.is_over |= removed.len() as i64 >= limit;
        Ok((!room.is_over).then_some((items, removed)))
    }
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
    mut shown: impl FnMut(&str) -> Result<LinkedItem>,
) -> Result<Vec<LinkedItem>> {
    let mut read = |row: &dyn Row| -> Result<LinkedItem> { shown(row.get(0)?) };
    let mut items = Vec::with_capacity(ids.len());
    if ids.len() <= SINGLY_MAX {
        let sql = "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
        for id in ids {
            items.extend(tx.query_opt(sql, params![account, board_id, id], &mut read)?);
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

/// Columns of a sprint's first and last day.
#[derive(Hash)]
enum Days {
    Timeline(String),
    Dates(Option<String>, Option<String>),
}

impl Days {
    /// As the settings say; else the board's first timeline, else its first two dates.
    fn new(settings: &Settings, columns: &[Column]) -> Days {
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
pub(crate) fn members<'a>(linked: impl IntoIterator<Item = &'a Linked>) -> impl Iterator<Item = String> {
    linked
        .into_iter()
        .flat_map(|board| {
            let people = board.columns.iter().filter(|column| column.kind == ColumnType::People.name());
            people.flat_map(|column| board.items.iter().filter_map(|item| item.cells.get(&column.id)?.as_array()))
        })
        .flatten()
        .filter_map(|id| id.as_str().map(str::to_owned))
}

/// Notifies followers of boards that show data of the changed one. Their own revision stays, but their ETag may change.
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

/// Changed items that one answer holds; past it the whole board is the better answer.
pub const CHANGED_ITEMS_MAX: i64 = 5_000;

/// Bytes of changed items that one answer holds.
pub const CHANGED_BYTES_MAX: usize = 16 * 1024 * 1024;

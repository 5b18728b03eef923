//! Names for recorded changes: titles of columns, texts of labels, and names of groups, members, boards, and items. The record
//! itself holds ids, which stay valid when names change.

use crate::board::{self, Board, GroupRecord};
use crate::cells::Column;
use crate::item::{GROUP, NAME};
use crate::steps;
use crate::subitems::PARENT;
use column_types::ColumnType;
use futures_util::future::BoxFuture;
use kit::error::{NOT_FOUND, Result};
use kit::lookup::{ChangeNames, NameChanges, NamelessChange};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use store::{Db, Tx, params};

/// The parts of a board that changes name by id.
pub(crate) struct Parts {
    board: String,
    columns: Vec<Column>,
    groups: Vec<GroupRecord>,
}

impl Parts {
    pub(crate) fn load(tx: &mut Tx<'_>, account: &str, board: Board) -> Result<Parts> {
        let columns = board::columns(tx, account, &board.id)?;
        Ok(Parts { columns, groups: board::groups(tx, account, &board.id)?, board: board.name })
    }

    fn column(&self, id: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.id == id)
    }

    pub(crate) fn is_people(&self, field: &str) -> bool {
        self.column(field).is_some_and(|column| column.kind == Some(ColumnType::People))
    }

    /// Display name of an item's field or of a part of the board.
    pub(crate) fn title(&self, field: &str) -> Option<String> {
        let group = |id: &str| self.groups.iter().find(|group| group.id == id).map(|group| group.name.clone());
        match field.split_once('/') {
            Some(("columns", id)) => self.column(id).map(|column| format!("Column {}", column.title)),
            Some(("groups", id)) => group(id).map(|name| format!("Group {name}")),
            Some(("comments", _)) => Some("Comment".to_owned()),
            Some(_) => None,
            None => match field {
                NAME => Some("Name".to_owned()),
                GROUP => Some("Group".to_owned()),
                PARENT => Some("Parent".to_owned()),
                column => self.column(column).map(|column| column.title.clone()),
            },
        }
    }

    /// A value with names in place of ids; none where it has no ids that are known.
    pub(crate) fn value(&self, field: &str, value: &Value, members: &HashMap<String, String>) -> Option<Value> {
        if field == GROUP {
            let id = value.as_str()?;
            return self.groups.iter().find(|group| group.id == id).map(|group| group.name.clone().into());
        }
        if field.is_empty() {
            return self.item(value, members);
        }
        let column = self.column(field)?;
        if let Value::String(id) = value {
            let label = column.settings.labels.iter().flatten().find(|label| label.id == *id)?;
            return Some(label.text.clone().into());
        }
        let ids = value.as_array().filter(|_| column.kind == Some(ColumnType::People))?;
        let name =
            |id: &Value| id.as_str().and_then(|id| members.get(id)).map_or_else(|| id.clone(), |n| n.clone().into());
        Some(ids.iter().map(name).collect())
    }
}

impl Parts {
    /// A whole item with titles and names; none where the value is none.
    fn item(&self, item: &Value, members: &HashMap<String, String>) -> Option<Value> {
        let mut item = item.as_object()?.clone();
        let cells = item.get("cells")?.as_object()?;
        let named = cells.iter().map(|(id, cell)| {
            let title = self.title(id).unwrap_or_else(|| id.clone());
            (title, self.value(id, cell, members).unwrap_or_else(|| cell.clone()))
        });
        let named: serde_json::Map<String, Value> = named.collect();
        item.insert("cells".to_owned(), named.into());
        let group = item.get(GROUP).and_then(|id| self.value(GROUP, id, members));
        if let Some(name) = group {
            item.insert(GROUP.to_owned(), name);
        }
        Some(item.into())
    }
}

/// Names the things of recorded changes for other features.
pub(crate) struct Namer(pub(crate) Db);

impl NameChanges for Namer {
    fn items_of(&self, account: &str, board_id: &str) -> BoxFuture<'static, Result<HashSet<String>>> {
        let (db, account, board_id) = (self.0.clone(), account.to_owned(), board_id.to_owned());
        Box::pin(async move {
            db.read(move |tx| {
                board::load(tx, &account, &board_id)?;
                let sql = "SELECT item_id FROM items WHERE account_id = $1 AND board_id = $2 UNION ALL \
                     SELECT thing_id FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item'";
                let ids = tx.query(sql, params![&account, &board_id], |row| row.get(0))?;
                Ok(ids.into_iter().collect())
            })
            .await
        })
    }

    fn names(
        &self,
        account: &str,
        changes: Vec<NamelessChange>,
        members: HashMap<String, String>,
    ) -> BoxFuture<'static, Result<Vec<ChangeNames>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            db.read(move |tx| {
                let (mut boards, mut items, mut revisions) = (HashMap::new(), HashMap::new(), HashMap::new());
                let mut known = (&mut boards, &mut items, &mut revisions);
                changes.iter().map(|change| name(tx, &account, change, &members, &mut known)).collect()
            })
            .await
        })
    }
}

/// A board's parts by its id, an item's board and name by the item's id (none where they are gone), and the last revision
/// found of a board.
type Known<'a> = (
    &'a mut HashMap<String, Option<Parts>>,
    &'a mut HashMap<String, Option<(String, String)>>,
    &'a mut HashMap<String, i64>,
);

fn name(
    tx: &mut Tx<'_>,
    account: &str,
    change: &NamelessChange,
    members: &HashMap<String, String>,
    (boards, items, revisions): &mut Known<'_>,
) -> Result<ChangeNames> {
    let (board_id, item_name) = match change.subject.as_str() {
        "board" => (change.subject_id.clone(), None),
        "item" => {
            if !items.contains_key(&change.subject_id) {
                items.insert(change.subject_id.clone(), item(tx, account, &change.subject_id)?);
            }
            match &items[&change.subject_id] {
                Some((board_id, name)) => (board_id.clone(), Some(name.clone())),
                None => return Ok(ChangeNames::default()),
            }
        }
        _ => return Ok(ChangeNames::default()),
    };
    if !boards.contains_key(&board_id) {
        let parts = match board::load(tx, account, &board_id) {
            Ok(board) => Some(Parts::load(tx, account, board)?),
            Err(error) if error.is(&NOT_FOUND) => None,
            Err(error) => return Err(error),
        };
        boards.insert(board_id.clone(), parts);
    }
    let Some(parts) = &boards[&board_id] else {
        return Ok(ChangeNames { subject: item_name, ..ChangeNames::default() });
    };
    let newest = revisions.get(&board_id).copied().unwrap_or(i64::MAX);
    let revision = steps::revision_of(tx, account, &board_id, &change.id, newest)?;
    if let Some(revision) = revision {
        revisions.insert(board_id.clone(), revision);
    }
    let value = |value: &Option<Value>| parts.value(&change.field, value.as_ref()?, members);
    Ok(ChangeNames {
        revision,
        board: item_name.is_some().then(|| (board_id.clone(), parts.board.clone())),
        subject: Some(item_name.unwrap_or_else(|| parts.board.clone())),
        field: parts.title(&change.field),
        before: value(&change.before),
        after: value(&change.after),
    })
}

/// The board and the name of an item. Items are stored by board, so that each board is asked for it.
fn item(tx: &mut Tx<'_>, account: &str, item_id: &str) -> Result<Option<(String, String)>> {
    let sql = "SELECT items.board_id, items.record_json FROM boards CROSS JOIN items \
         WHERE boards.account_id = $1 AND items.account_id = $1 AND items.board_id = boards.board_id AND items.item_id = $2";
    tx.query_opt(sql, params![account, item_id], |row| {
        let record: crate::item::Record = serde_json::from_str(row.get(1)?).map_err(board::damaged)?;
        Ok((row.get(0)?, record.name))
    })
}

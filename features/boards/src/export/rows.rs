//! The rows of a board as people read them: labels by their texts, members by their names.

use super::derived::Derived;
use crate::board::{self, Board, GroupRecord};
use crate::cells::Column;
use crate::{attachments, directory, form, scan};
use column_types::ColumnType;
use kit::error::{self, Result};
use std::collections::HashMap;
use store::{Tx, params};

/// Every item's record, group after group.
const BY_GROUP: &str = "SELECT i.record_json FROM items i JOIN board_groups g ON g.account_id = i.account_id \
    AND g.board_id = i.board_id AND g.group_id = i.group_id WHERE i.account_id = $1 AND i.board_id = $2 \
    ORDER BY g.position, g.group_id, i.position, i.item_id";

/// The same with each item's subitems below it, and their parents' records.
const WITH_SUBITEMS: &str = "SELECT i.record_json, p.record_json FROM items i JOIN board_groups g ON g.account_id = i.account_id \
    AND g.board_id = i.board_id AND g.group_id = i.group_id LEFT JOIN items p ON p.account_id = i.account_id \
    AND p.board_id = i.board_id AND p.item_id = i.parent_id WHERE i.account_id = $1 AND i.board_id = $2 \
    ORDER BY g.position, g.group_id, coalesce(p.position, i.position), coalesce(p.item_id, i.item_id), \
    CASE WHEN i.parent_id = '' THEN 0 ELSE 1 END, i.position, i.item_id";

/// An item as the first columns have it.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    name: &'a str,
    group: &'a str,
    /// The name of its parent; empty for items, nothing where the board has no subitems.
    parent: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// Texts of the columns before the cells.
    pub(super) fn texts(self) -> impl Iterator<Item = &'a str> {
        [self.name, self.group].into_iter().chain(self.parent)
    }
}

/// Names of the account's members by ID.
pub(super) struct People {
    names: HashMap<String, String>,
    /// Text by which an import finds a member: the name, or the address if the name isn't unique or looks like a list.
    /// Callers without access to the directory get no address.
    findable: HashMap<String, String>,
}

impl People {
    /// `all` as (id, name, e-mail).
    pub(super) fn new(all: Vec<(String, String, String)>, tells_addresses: bool) -> People {
        let shared = directory::shared_names(&all);
        let (mut names, mut findable) = (HashMap::new(), HashMap::new());
        for (id, name, email) in all {
            let unclear = shared.contains(&directory::folded(&name)) || name.contains([',', ';', '\n']);
            let told = if tells_addresses && unclear && !email.trim().is_empty() { &email } else { &name };
            findable.insert(id.clone(), told.trim().to_owned());
            names.insert(id, name);
        }
        People { names, findable }
    }

    /// Text that identifies a member to readers and to imports.
    pub(super) fn findable(&self, id: &str) -> Option<&str> {
        self.findable.get(id).map(String::as_str)
    }

    pub(super) fn name(&self, id: &str) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }
}

/// A board without its items.
pub(super) struct Table {
    pub(super) account: String,
    pub(super) board: Board,
    pub(super) groups: Vec<GroupRecord>,
    pub(super) columns: Vec<Column>,
    pub(super) people: People,
    pub(super) derived: Derived,
    /// Labels by ID for each column; mirrors have those of their source.
    labels: Vec<HashMap<String, String>>,
    pub(super) by_number: Vec<Option<usize>>,
}

/// Displayed value of a cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Shown {
    #[default]
    Nothing,
    Text(String),
    Number(f64),
    Truth(bool),
    /// As `YYYY-MM-DD`.
    Date(String),
}

impl Table {
    pub(super) fn read(tx: &mut Tx<'_>, account: String, board_id: &str, people: People) -> Result<Table> {
        let board = board::load(tx, &account, board_id)?;
        let groups = board::groups(tx, &account, board_id)?;
        let columns = board::columns(tx, &account, board_id)?;
        let derived = Derived::read(tx, &account, board_id, &columns)?;
        let labels =
            columns.iter().enumerate().map(|(at, column)| labels(derived.source(at).unwrap_or(column))).collect();
        let by_number = form::columns_by_number(&columns);
        Ok(Table { account, board, groups, columns, people, derived, labels, by_number })
    }

    /// Titles of the columns before the cells.
    pub(super) fn first_titles(&self) -> &'static [&'static str] {
        if self.board.subitem_count > 0 { &["Name", "Group", "Parent"] } else { &["Name", "Group"] }
    }

    /// The titles above the rows.
    pub(super) fn titles(&self) -> impl Iterator<Item = &str> {
        self.first_titles().iter().copied().chain(self.columns.iter().map(|column| column.title.as_str()))
    }

    /// Calls `take` with each item and its cells in column order. Subitems follow their parents.
    pub(super) fn each(&self, tx: &mut Tx<'_>, mut take: impl FnMut(Line<'_>, &[Shown]) -> Result<()>) -> Result<()> {
        let damaged = || error::INTERNAL.error("Couldn't read a stored item of the board.");
        let groups: HashMap<&str, &str> = self.groups.iter().map(|g| (g.id.as_str(), g.name.as_str())).collect();
        let (mut scratch, mut of_parent) = (String::new(), String::new());
        let has_subitems = self.board.subitem_count > 0;
        let sql = if has_subitems { WITH_SUBITEMS } else { BY_GROUP };
        let mut cells = vec![Shown::Nothing; self.columns.len()];
        tx.each(sql, params![&self.account, &self.board.id], |row| {
            let record = scan::record(row.get(0)?).ok_or_else(damaged)?;
            cells.fill(Shown::Nothing);
            let read = scan::members(record.cells, |number, raw| {
                // Cells of a column that is being deleted are left over for a while.
                if let Some(index) = self.by_number.get(number).copied().flatten() {
                    cells[index] = self.shown(index, &self.columns[index], raw)?;
                }
                Some(())
            });
            read.ok_or_else(damaged)?;
            if !self.derived.is_empty() {
                self.derived.add(self, &record, &mut cells).ok_or_else(damaged)?;
            }
            let name = scan::unescape(record.name.0, record.name.1, &mut scratch).ok_or_else(damaged)?;
            let parent = match has_subitems.then(|| row.get::<Option<&str>>(1)).transpose()? {
                None => None,
                Some(None) => Some(""),
                Some(Some(parent)) => {
                    let (name, escaped) = scan::record(parent).ok_or_else(damaged)?.name;
                    Some(scan::unescape(name, escaped, &mut of_parent).ok_or_else(damaged)?)
                }
            };
            take(Line { name, group: groups.get(record.group_id).copied().unwrap_or_default(), parent }, &cells)
        })
    }

    /// The columns as their values are written: of a mirror the one that it shows.
    pub(super) fn as_written(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().enumerate().map(|(at, column)| self.derived.source(at).unwrap_or(column))
    }

    /// Displayed value of a cell; `column` is the column at the index or the source of its mirror.
    pub(super) fn shown(&self, at: usize, column: &Column, raw: scan::Raw<'_>) -> Option<Shown> {
        let mut scratch = String::new();
        Some(match (column.holds(), raw) {
            (Some(ColumnType::Status | ColumnType::Dropdown), scan::Raw::Text(id, _)) => {
                Shown::Text(self.labels[at].get(id).map_or(id, String::as_str).to_owned())
            }
            (Some(ColumnType::Date), scan::Raw::Text(date, false)) => Shown::Date(date.to_owned()),
            (Some(ColumnType::Timeline), scan::Raw::Object(object)) => {
                let (from, to) = scan::span(object)?;
                Shown::Text(format!("{from} – {to}"))
            }
            (Some(ColumnType::People), scan::Raw::List(list)) => {
                let ids: Vec<String> = serde_json::from_str(list).ok()?;
                let called = |id: &String| self.people.findable.get(id).unwrap_or(id).clone();
                Shown::Text(ids.iter().map(called).collect::<Vec<_>>().join(", "))
            }
            (Some(ColumnType::ItemLink | ColumnType::Sprint), scan::Raw::List(list)) => self.derived.names(at, list)?,
            (Some(ColumnType::Tags), scan::Raw::List(list)) => {
                Shown::Text(serde_json::from_str::<Vec<String>>(list).ok()?.join(", "))
            }
            (Some(ColumnType::File), scan::Raw::List(list)) => Shown::Text(attachments::names(list)?.join(", ")),
            (_, scan::Raw::Text(text, escaped)) => Shown::Text(scan::unescape(text, escaped, &mut scratch)?.to_owned()),
            // What a newer version wrote stands as it is stored.
            (_, scan::Raw::List(json) | scan::Raw::Object(json)) => Shown::Text(json.to_owned()),
            (_, scan::Raw::Plain("true")) => Shown::Truth(true),
            (_, scan::Raw::Plain("false")) => Shown::Truth(false),
            (_, scan::Raw::Plain(number)) => Shown::Number(scan::number(number)?),
        })
    }
}

fn labels(column: &Column) -> HashMap<String, String> {
    let labels = column.settings.labels.iter().flatten();
    labels.map(|label| (label.id.clone(), label.text.clone())).collect()
}

/// Whether the column's numbers are shown in percent.
pub(super) fn in_percent(column: &Column) -> bool {
    column.kind == Some(ColumnType::Progress) || column.settings.percent == Some(true)
}

//! Members and linked items that a board's cells reference.

use crate::cells::Column;
use crate::scan::{self, list_end};
use crate::{board, named};
use column_types::ColumnType;
use kit::error::Result;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use store::{Tx, params};
/// IDs in cells.
#[derive(Default)]
pub(crate) struct Named {
    pub(crate) members: BTreeSet<String>,
    /// Linked items.
    pub(crate) items: Ids,
}

/// Collects references of items: members in people cells, linked items, and authors if a column shows them.
pub(crate) struct Lists {
    people: Cells,
    links: Vec<(String, Cells)>,
    by: Option<BTreeSet<String>>,
}

/// References of all of a board's items, for callers that read only the items.
pub(crate) fn named_on(tx: &mut Tx<'_>, account: &str, board_id: &str, columns: &[Column]) -> Result<Named> {
    let mut lists = Lists::new(columns);
    if !lists.people.columns.is_empty() || !lists.links.is_empty() || lists.by.is_some() {
        let sql = "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2";
        tx.each(sql, params![account, board_id], |row| lists.see(row.get(0)?))?;
    }
    lists.take()
}

impl Lists {
    pub(crate) fn new(columns: &[Column]) -> Lists {
        let people = columns.iter().filter(|column| column.kind == Some(ColumnType::People));
        let links = named::targets(columns).into_iter().map(|target| {
            let cells = Cells::new(columns.iter().filter(|column| column.links_to() == Some(&target)));
            (target, cells)
        });
        let by = columns.iter().any(Column::shows_by).then(BTreeSet::new);
        Lists { people: Cells::new(people), links: links.collect(), by }
    }

    pub(crate) fn see(&mut self, record: &str) -> Result<()> {
        self.people.see(record);
        self.links.iter_mut().for_each(|(_, cells)| cells.see(record));
        if let Some(seen) = &mut self.by {
            let record = scan::record(record).ok_or_else(board::damaged_cells)?;
            for by in [record.created_by, record.updated_by].into_iter().flatten() {
                if !seen.contains(by) {
                    seen.insert(by.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Takes the references seen since the last call.
    pub(crate) fn take(&mut self) -> Result<Named> {
        let mut found = Named { members: self.people.take()?, items: Ids::new() };
        if let Some(seen) = &mut self.by {
            found.members.append(seen);
        }
        for (target, cells) in &mut self.links {
            found.items.insert(target.clone(), cells.take()?);
        }
        Ok(found)
    }
}

/// Finds lists in cells without parsing: `"c4":[` can only be that column's cell in a row, because quotes within texts
/// are escaped. Searching for brackets is much faster than for the whole pattern.
struct Cells {
    columns: Vec<String>,
    lists: FxHashSet<String>,
    last: String,
}

impl Cells {
    fn new<'a>(columns: impl Iterator<Item = &'a Column>) -> Cells {
        let columns = columns.map(|column| format!("\"{}\":", column.id)).collect();
        Cells { columns, lists: FxHashSet::default(), last: String::new() }
    }

    fn see(&mut self, record: &str) {
        if self.columns.is_empty() {
            return;
        }
        let mut found = 0;
        for at in memchr::memchr_iter(b'[', record.as_bytes()) {
            if !self.columns.iter().any(|column| record[..at].ends_with(column.as_str())) {
                continue;
            }
            let Some(end) = list_end(record.as_bytes(), at) else { return };
            let list = &record[at..end];
            if self.last != list {
                list.clone_into(&mut self.last);
                if !self.lists.contains(list) {
                    self.lists.insert(list.to_owned());
                }
            }
            found += 1;
            if found == self.columns.len() {
                return;
            }
        }
    }

    /// The ids seen since it was last asked.
    fn take(&mut self) -> Result<BTreeSet<String>> {
        self.last.clear();
        named(self.lists.drain())
    }
}

/// Ids in lists of them as JSON.
pub(crate) fn named(lists: impl IntoIterator<Item = impl AsRef<str>>) -> Result<BTreeSet<String>> {
    let mut named = BTreeSet::new();
    for list in lists {
        named.extend(serde_json::from_str::<Vec<String>>(list.as_ref()).map_err(board::damaged)?);
    }
    Ok(named)
}

/// IDs of linked items by board.
pub(crate) type Ids = BTreeMap<String, BTreeSet<String>>;

/// The boards that columns link to.
pub(crate) fn targets(columns: &[Column]) -> Vec<String> {
    columns.iter().filter_map(Column::links_to).map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

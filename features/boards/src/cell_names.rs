//! What texts in cells name: members, looked up before the change, and items that cells link to, looked up within it.

use crate::cells::Column;
use crate::directory::{self, Named};
use crate::{board, scan};
use kit::Ctx;
use kit::error::Result;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use store::{Tx, params};

/// Ids by what names them in the cells of a change.
#[derive(Default)]
pub(crate) struct CellNames {
    pub(crate) members: Named,
    /// By the column that links to them. Read once a text is no id of an item, so that ids alone read nothing.
    items: RefCell<HashMap<String, ItemNames>>,
}

/// Ids and names of a board's items by the name as names are compared.
type ItemNames = HashMap<String, Vec<(String, String)>>;

impl CellNames {
    pub(crate) fn with_members(members: Named) -> CellNames {
        CellNames { members, ..CellNames::default() }
    }

    /// With the members that the values name.
    pub(crate) async fn read<'a>(
        ctx: &Ctx,
        account: &str,
        values: impl Iterator<Item = &'a Value>,
    ) -> Result<CellNames> {
        Ok(CellNames::with_members(directory::members_in(ctx, account, values).await?))
    }

    /// The item that a column can link to and that alone has this name: written alike, or else but for the case.
    pub(crate) fn item(&self, tx: &mut Tx<'_>, account: &str, column: &Column, name: &str) -> Result<Option<String>> {
        let mut by_column = self.items.borrow_mut();
        if !by_column.contains_key(&column.id) {
            by_column.insert(column.id.clone(), item_names(tx, account, column)?);
        }
        let all = by_column[&column.id].get(&directory::folded(name)).map(Vec::as_slice).unwrap_or_default();
        let mut alike = all.iter().filter(|(_, other)| other == name);
        Ok(match (alike.next(), alike.next(), all) {
            (Some((id, _)), None, _) | (None, _, [(id, _)]) => Some(id.clone()),
            _ => None,
        })
    }
}

fn item_names(tx: &mut Tx<'_>, account: &str, column: &Column) -> Result<ItemNames> {
    let target = column.links_to().unwrap_or_default();
    let group = column.settings.group_id.as_deref().unwrap_or_default();
    let (mut names, mut scratch) = (ItemNames::new(), String::new());
    // What is left of a deleted board's items is no item any more.
    let sql = "SELECT i.record_json FROM items i JOIN boards b ON b.account_id = i.account_id AND b.board_id = i.board_id \
         WHERE i.account_id = $1 AND i.board_id = $2 AND ($3 = '' OR i.group_id = $3) AND b.state = 'ready'";
    tx.each(sql, params![account, target, group], |row| {
        let record = scan::record(row.get(0)?).ok_or_else(board::damaged_cells)?;
        let name = scan::unescape(record.name.0, record.name.1, &mut scratch).ok_or_else(board::damaged_cells)?;
        names.entry(directory::folded(name)).or_default().push((record.id.to_owned(), name.to_owned()));
        Ok(())
    })?;
    Ok(names)
}

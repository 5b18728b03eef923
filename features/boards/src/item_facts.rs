//! Items, as rows of the inbox about them need them.

use crate::{board, item};
use column_types::ColumnType;
use futures_util::future::BoxFuture;
use kit::error::{NOT_FOUND, Result};
use kit::lookup::{ItemFacts, ReadItems};
use serde_json::Value;
use store::{Db, Tx};

pub(crate) struct Facts(pub(crate) Db);

impl ReadItems for Facts {
    fn item(&self, account: &str, board_id: &str, item_id: &str) -> BoxFuture<'static, Result<Option<ItemFacts>>> {
        let (db, account, board_id, item_id) =
            (self.0.clone(), account.to_owned(), board_id.to_owned(), item_id.to_owned());
        Box::pin(async move {
            match db.read(move |tx| facts(tx, &account, &board_id, &item_id)).await {
                Err(error) if error.is(&NOT_FOUND) => Ok(None),
                found => found,
            }
        })
    }
}

fn facts(tx: &mut Tx<'_>, account: &str, board_id: &str, item_id: &str) -> Result<Option<ItemFacts>> {
    let board = board::load(tx, account, board_id)?.name;
    if item_id.is_empty() {
        return Ok(Some(ItemFacts { board, ..ItemFacts::default() }));
    }
    let Some(item) = item::find(tx, account, board_id, item_id)? else { return Ok(None) };
    let columns = board::columns(tx, account, board_id)?;
    let people = columns.iter().filter(|column| column.kind == Some(ColumnType::People));
    let named = people.filter_map(|column| item.record.cells.get(&column.id)?.as_array());
    let members = named.flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(Some(ItemFacts { name: item.record.name, board, members }))
}

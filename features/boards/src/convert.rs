//! Converts data of earlier versions: items stored in separate columns, and labels without a category. A later version
//! will remove this and the tables.

use crate::board;
use crate::item::{Item, Record, insert};
use column_types::Settings;
use kit::Ctx;
use kit::error::Result;
use store::{HasDb, Tx, params};

/// Items moved by one transaction.
const ITEMS_PER_WRITE: i64 = 2_000;

/// Columns whose labels get categories by one transaction.
const COLUMNS_PER_WRITE: i64 = 200;

/// Converts the remaining data in batches. After an interruption, the next start continues.
pub(crate) async fn all(ctx: &Ctx) -> Result<()> {
    loop {
        let left = "SELECT 1 FROM items_by_columns LIMIT 1";
        if ctx.db().read(|tx| tx.query_opt(left, &[], |_| Ok(()))).await?.is_none() {
            break;
        }
        ctx.db().write(some).await?;
    }
    loop {
        let left = "SELECT 1 FROM columns_to_categorize LIMIT 1";
        if ctx.db().read(|tx| tx.query_opt(left, &[], |_| Ok(()))).await?.is_none() {
            return Ok(());
        }
        ctx.db().write(some_columns).await?;
    }
}

/// Sets the categories of labels. The board's revision stays, because open pages derive the same categories.
fn some_columns(tx: &mut Tx<'_>) -> Result<()> {
    let sql = "SELECT account_id, board_id, column_id FROM columns_to_categorize \
         ORDER BY account_id, board_id, column_id LIMIT $1";
    let rows: Vec<(String, String, String)> =
        tx.query(sql, params![COLUMNS_PER_WRITE], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for (account, board_id, column_id) in rows {
        let key = || [account.as_str(), board_id.as_str(), column_id.as_str()].map(store::Value::from);
        let sql = "SELECT settings_json FROM board_columns WHERE account_id = $1 AND board_id = $2 AND column_id = $3";
        let stored: Option<String> = tx.query_opt(sql, &key(), |row| row.get(0))?;
        // What cannot be read is as it was: the program starts all the same, and says so where the board is opened.
        let mut settings: Option<Settings> = stored.and_then(|json| serde_json::from_str(&json).ok());
        if let Some(settings) = settings.as_mut().filter(|settings| settings.labels.is_some())
            && settings.give_categories()
        {
            let json = serde_json::to_string(settings).map_err(board::damaged)?;
            tx.execute(
                "UPDATE board_columns SET settings_json = $4 WHERE account_id = $1 AND board_id = $2 AND column_id = $3",
                params![account.as_str(), board_id.as_str(), column_id.as_str(), json],
            )?;
        }
        let sql = "DELETE FROM columns_to_categorize WHERE account_id = $1 AND board_id = $2 AND column_id = $3";
        tx.execute(sql, &key())?;
    }
    Ok(())
}

fn some(tx: &mut Tx<'_>) -> Result<()> {
    let sql = "SELECT account_id, board_id, position, item_id, group_id, name, created_ms, updated_ms, cells_json \
         FROM items_by_columns ORDER BY account_id, board_id, item_id LIMIT $1";
    let rows: Vec<(String, String, Item)> = tx.query(sql, params![ITEMS_PER_WRITE], |row| {
        let record = Record {
            id: row.get(3)?,
            group_id: row.get(4)?,
            name: row.get(5)?,
            created_at: kit::rfc3339(row.get(6)?),
            updated_at: kit::rfc3339(row.get(7)?),
            created_by: None,
            updated_by: None,
            parent_id: None,
            cells: serde_json::from_str(row.get(8)?).map_err(board::damaged)?,
        };
        Ok((row.get(0)?, row.get(1)?, Item { position: row.get(2)?, record }))
    })?;
    for (account, board_id, item) in rows {
        insert(tx, &account, &board_id, 0, &item)?;
        tx.execute(
            "DELETE FROM items_by_columns WHERE account_id = $1 AND board_id = $2 AND item_id = $3",
            params![account, board_id, item.record.id],
        )?;
    }
    Ok(())
}

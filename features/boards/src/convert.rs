//! Moves items over that an earlier version stored in columns of their own; a later version leaves this and the table out.

use crate::board;
use crate::items::{Item, Record, insert};
use kit::Ctx;
use kit::error::Result;
use store::{HasDb, Tx, params};

/// Items moved by one transaction.
const ITEMS_PER_WRITE: i64 = 2_000;

/// Moves what is left, some at a time: a stop in between is gone on from at the next start.
pub(crate) async fn all(ctx: &Ctx) -> Result<()> {
    loop {
        let left = "SELECT 1 FROM items_by_columns LIMIT 1";
        if ctx.db().read(|tx| tx.query_opt(left, &[], |_| Ok(()))).await?.is_none() {
            return Ok(());
        }
        ctx.db().write(some).await?;
    }
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

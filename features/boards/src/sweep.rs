//! Removes the rows of deleted boards and of unfinished imports.

use crate::full::Kept;
use crate::tables::Tables;
use crate::trash;
use kit::Ctx;
use kit::error::Result;
use store::{HasDb, params};

/// Items removed by one transaction.
const ITEMS_PER_WRITE: i64 = 5_000;
/// Comments removed by one transaction: each may hold 40 kB.
const COMMENTS_PER_WRITE: i64 = 1_000;

/// Removes every leftover of an earlier run of the program.
pub(crate) async fn all(ctx: &Ctx) -> Result<()> {
    let sql = "SELECT account_id, board_id FROM boards WHERE state IN ('importing', 'deleting')";
    let left = ctx.db().read(|tx| tx.query(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))).await?;
    for (account, board_id) in left {
        one(ctx, account, board_id).await?;
    }
    Ok(())
}

/// Removes an interrupted import's board in the background, unless the import did finish. If it fails, the next start
/// retries.
pub(crate) fn import_in_background(ctx: Ctx, account: String, board_id: String) {
    in_background(async move {
        let (a, b) = (account.clone(), board_id.clone());
        let mark =
            "UPDATE boards SET state = 'deleting' WHERE account_id = $1 AND board_id = $2 AND state = 'importing'";
        if ctx.db().write(move |tx| tx.execute(mark, params![&a, &b])).await? > 0 {
            one(&ctx, account, board_id).await?;
        }
        Ok(())
    });
}

/// Runs a cleanup in the background. If it fails, the next start or an earlier change retries.
pub(crate) fn in_background(work: impl Future<Output = Result<()>> + Send + 'static) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(work);
    }
}

/// Removes a board that isn't ready. Deletes its own row last, so that the next start continues after an interruption.
pub(crate) async fn one(ctx: &Ctx, account: String, board_id: String) -> Result<()> {
    if let Some(kept) = ctx.find_service::<Kept>() {
        kept.forget(&account, &board_id);
    }
    if let Some(tables) = ctx.find_service::<Tables>() {
        tables.forget(&account, &board_id);
    }
    let db = ctx.db();
    // From here on, an import that is still under way is refused its next rows.
    let (a, b) = (account.clone(), board_id.clone());
    let mark = "UPDATE boards SET state = 'deleting' WHERE account_id = $1 AND board_id = $2";
    db.write(move |tx| tx.execute(mark, params![&a, &b])).await?;
    // What there may be very much of goes in transactions that others can pass between.
    for (table, key, at_a_time) in [
        ("item_comments", "comment_id", COMMENTS_PER_WRITE),
        ("import_items", "external_id", ITEMS_PER_WRITE),
        ("import_changes", "place", ITEMS_PER_WRITE),
        // Their bytes go once nothing else stands for them.
        ("board_files", "file_id", ITEMS_PER_WRITE),
        ("items", "item_id", ITEMS_PER_WRITE),
    ] {
        let some = format!(
            "DELETE FROM {table} WHERE account_id = $1 AND board_id = $2 AND {key} IN \
             (SELECT {key} FROM {table} WHERE account_id = $1 AND board_id = $2 LIMIT $3)"
        );
        loop {
            let (sql, a, b) = (some.clone(), account.clone(), board_id.clone());
            if db.write(move |tx| tx.execute(&sql, params![&a, &b, at_a_time])).await? == 0 {
                break;
            }
        }
    }
    loop {
        let (a, b) = (account.clone(), board_id.clone());
        if db.write(move |tx| trash::purge_of_board(tx, &a, &b)).await? {
            break;
        }
    }
    db.write(move |tx| {
        for table in [
            "board_imports",
            "items_left",
            "board_steps",
            "board_sent_steps",
            "item_dues",
            "item_dues_told",
            "board_dues",
            "board_groups",
            "board_columns",
            "board_views",
            "board_formulas_left",
            "board_counts_left",
            "boards",
        ] {
            let sql = format!("DELETE FROM {table} WHERE account_id = $1 AND board_id = $2");
            tx.execute(&sql, params![&account, &board_id])?;
        }
        Ok(())
    })
    .await
}

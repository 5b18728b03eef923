//! Permanent deletion: on request, or when an entry's time in Trash is over.

use super::{Kind, Place, due_before};
use crate::edit::edit;
use crate::inputs::BoardParams;
use crate::{dues, sweep};
use events::{Event, HasEvents};
use kit::error::Result;
use kit::{Call, Ctx, Done};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::{HasDb, Tx, params};

/// Things, or cells of a column, that one transaction deletes.
const PER_WRITE: i64 = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "DeleteForGood", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Purge {
    /// ID, not the name.
    board_id: String,
    /// The kind of entry: `item`, `group`, or `column`.
    kind: Kind,
    /// Its ID.
    entry_id: String,
}

pub(crate) async fn purge(ctx: Ctx, call: Call, input: Purge) -> Result<Done> {
    let (account, board_id) = (call.account().to_owned(), input.board_id.clone());
    let (kind, id) = (input.kind, input.entry_id.clone());
    edit(ctx.clone(), call, input.board_id, move |tx, edit| {
        let kept = super::load(tx, edit, input.kind, &input.entry_id)?;
        // From here on it is due, so that nothing shows it while its rows go.
        tx.execute(
            "UPDATE board_kept SET state = 'trash', kept_ms = 0 WHERE account_id = $1 AND board_id = $2 AND kind = $3 AND thing_id = $4",
            params![edit.account.as_str(), &edit.board.id, kept.kind.as_str(), &kept.id],
        )?;
        let record: serde_json::Value = super::read(&kept.record_json)?;
        let before = json!({"boardId": edit.board.id, "record": record});
        match input.kind {
            Kind::Item => edit.record(tx, "item", &kept.id, "", Some(&before), None),
            Kind::Group => edit.record(tx, "board", &edit.board.id, &format!("trash/groups/{}", kept.id), Some(&before), None),
            Kind::Column => edit.record(tx, "board", &edit.board.id, &format!("trash/columns/{}", kept.id), Some(&before), None),
        }
    })
    .await?;
    remove_rows(&ctx, Due { account, board_id, kind: kind.name().to_owned(), id }).await?;
    Ok(Done)
}

/// Something whose rows go.
#[derive(Clone)]
struct Due {
    account: String,
    board_id: String,
    kind: String,
    id: String,
}

/// Deletes the rows of something that nothing shows any more, its own last, so that a stop in between is made good later.
async fn remove_rows(ctx: &Ctx, due: Due) -> Result<()> {
    loop {
        let due = due.clone();
        if ctx.db().write(move |tx| remove_some(tx, &due)).await? {
            return Ok(());
        }
    }
}

/// Whether all is gone.
fn remove_some(tx: &mut Tx<'_>, due: &Due) -> Result<bool> {
    let Due { account, board_id, kind, id } = due;
    let along = "SELECT thing_id FROM board_kept WHERE account_id = $1 AND board_id = $2 AND with_thing = $3 AND kind = 'item' LIMIT $4";
    let with = format!("{kind}/{id}");
    let mut items: Vec<String> = tx.query(along, params![account, board_id, with, PER_WRITE], |row| row.get(0))?;
    let all_along = (items.len() as i64) < PER_WRITE;
    if kind == Kind::Item.name() && all_along {
        items.push(id.clone());
    }
    for item in &items {
        let sql = "DELETE FROM item_comments WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
        tx.execute(sql, params![account, board_id, item])?;
        dues::forget_told(tx, account, board_id, item)?;
        let sql = "DELETE FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
        tx.execute(sql, params![account, board_id, item])?;
    }
    if !all_along {
        return Ok(false);
    }
    if kind == Kind::Column.name() {
        let sql = "DELETE FROM column_cells_kept WHERE account_id = $1 AND board_id = $2 AND column_id = $3 AND item_id IN \
             (SELECT item_id FROM column_cells_kept WHERE account_id = $1 AND board_id = $2 AND column_id = $3 LIMIT $4)";
        if tx.execute(sql, params![account, board_id, id, PER_WRITE])? > 0 {
            return Ok(false);
        }
    }
    let sql = "DELETE FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = $3 AND thing_id = $4";
    tx.execute(sql, params![account, board_id, kind, id])?;
    Ok(true)
}

/// Deletes expired Trash entries of all accounts.
pub(crate) async fn empty_due(ctx: &Ctx) -> Result<()> {
    while empty_some(ctx).await? {}
    Ok(())
}

/// The same behind the back of the caller.
pub(crate) fn empty_due_in_background(ctx: Ctx) {
    sweep::in_background(async move { empty_due(&ctx).await });
}

/// Removes at most [`PER_WRITE`] things; whether there may be more.
async fn empty_some(ctx: &Ctx) -> Result<bool> {
    let before = due_before(ctx.now_ms());
    let read = move |tx: &mut Tx<'_>| {
        let sql = "SELECT account_id, board_id, kind, thing_id FROM board_kept WHERE state = 'trash' AND with_thing = '' \
             AND kept_ms <= $1 LIMIT $2";
        let due = tx.query(sql, params![before, PER_WRITE], |row| {
            Ok(Due { account: row.get(0)?, board_id: row.get(1)?, kind: row.get(2)?, id: row.get(3)? })
        })?;
        let sql = "SELECT account_id, board_id FROM boards WHERE state = $1 AND kept_ms <= $2 LIMIT $3";
        let boards: Vec<(String, String)> =
            tx.query(sql, params![Place::Trash.name(), before, PER_WRITE], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((due, boards))
    };
    let (due, boards) = ctx.db().read(read).await?;
    let more = due.len().max(boards.len()) as i64 == PER_WRITE;
    for due in due {
        remove_rows(ctx, due).await?;
    }
    for (account, board_id) in boards {
        sweep::one(ctx, account.clone(), board_id.clone()).await?;
        ctx.events().emit(Some(&account), Event::BoardDeleted { board_id });
    }
    Ok(more)
}

/// Deletes a board of the archive or the trash for good.
pub(crate) async fn purge_board(ctx: Ctx, call: Call, input: BoardParams) -> Result<Done> {
    let (now_ms, bus, sweeper) = (ctx.now_ms(), ctx.events(), ctx.clone());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account().to_owned();
        let kept = super::boards::load(tx, &account, &input.board_id, now_ms)?;
        let board = kept.board;
        board.expected(&call)?;
        tx.execute(
            "UPDATE boards SET state = 'deleting' WHERE account_id = $1 AND board_id = $2",
            params![account.as_str(), &board.id],
        )?;
        let before = json!({"name": board.name, "workspaceId": board.workspace_id, "itemCount": board.item_count});
        let change =
            store::Change { subject: "board", subject_id: &board.id, field: "", before: Some(&before), after: None };
        tx.record(&call.caller, now_ms, change)?;
        // Whoever offers to bring it back cannot any more.
        let (heard_in, event) = (account.clone(), Event::BoardDeleted { board_id: board.id.clone() });
        tx.after_commit(move || bus.emit(Some(&heard_in), event));
        Ok((account, board.id))
    };
    let (account, board_id) = ctx.db().write(write).await?;
    // Its rows go in pieces behind the answer, so that a large board does not hold up other writes.
    sweep::in_background(async move { sweep::one(&sweeper, account, board_id).await });
    Ok(Done)
}

/// Deletes the next rows of a deleted board; returns whether all are gone.
pub(crate) fn purge_of_board(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<bool> {
    let kept = "DELETE FROM board_kept WHERE account_id = $1 AND board_id = $2 AND thing_id IN \
         (SELECT thing_id FROM board_kept WHERE account_id = $1 AND board_id = $2 LIMIT $3)";
    let cells = "DELETE FROM column_cells_kept WHERE account_id = $1 AND board_id = $2 AND item_id IN \
         (SELECT item_id FROM column_cells_kept WHERE account_id = $1 AND board_id = $2 LIMIT $3)";
    let mut gone = 0;
    for sql in [kept, cells] {
        gone += tx.execute(sql, params![account, board_id, PER_WRITE])?;
    }
    Ok(gone == 0)
}

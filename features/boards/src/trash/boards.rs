//! Whole boards in the archive and the trash.

use super::Place;
use crate::board::{self, Board, BoardRecord};
use crate::inputs::BoardParams;
use crate::tables::Tables;
use crate::{behind, full, links, recompute};
use events::{Event, HasEvents};
use kit::error::{NOT_FOUND, Result};
use kit::{Call, Ctx, Done};
use serde_json::json;
use store::{Change, HasDb, Row, Tx, params};

/// Moves a board to Trash.
pub(crate) async fn put_away(ctx: Ctx, call: Call, input: BoardParams) -> Result<Done> {
    let ctx_of_purge = ctx.clone();
    put_into(ctx, call, input, Place::Trash).await?;
    super::purge::empty_due_in_background(ctx_of_purge);
    Ok(Done)
}

pub(crate) async fn archive(ctx: Ctx, call: Call, input: BoardParams) -> Result<Done> {
    put_into(ctx, call, input, Place::Archive).await
}

async fn put_into(ctx: Ctx, call: Call, input: BoardParams, place: Place) -> Result<Done> {
    let (bus, now_ms) = (ctx.events(), ctx.now_ms());
    let behind = behind::Behind::new(&ctx);
    let (kept, tables) = (ctx.find_service::<full::Kept>(), ctx.find_service::<Tables>());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account().to_owned();
        let board = board::load(tx, &account, &input.board_id)?;
        board.expected(&call)?;
        tx.execute(
            "UPDATE boards SET state = $3, kept_ms = $4 WHERE account_id = $1 AND board_id = $2",
            params![&account, &board.id, place.name(), now_ms],
        )?;
        let after = json!(place.name());
        record(tx, &call, &board.id, now_ms, None, Some(&after))?;
        links::tell(tx, &account, &board.id, &bus)?;
        recompute::recount(tx, &behind, &account, &board.id)?;
        tx.after_commit(move || {
            kept.inspect(|kept| kept.forget(&account, &board.id));
            tables.inspect(|tables| tables.forget(&account, &board.id));
            bus.emit(Some(&account), Event::BoardDeleted { board_id: board.id });
        });
        Ok(Done)
    };
    ctx.db().write(write).await
}

pub(super) fn record(
    tx: &mut Tx<'_>,
    call: &Call,
    board_id: &str,
    now_ms: i64,
    before: Option<&serde_json::Value>,
    after: Option<&serde_json::Value>,
) -> Result<()> {
    tx.record(&call.caller, now_ms, Change { subject: "board", subject_id: board_id, field: "kept", before, after })?;
    Ok(())
}

/// A board in the archive or the trash.
pub(crate) struct KeptBoard {
    pub(crate) board: Board,
    pub(crate) state: String,
    pub(crate) kept_ms: i64,
}

/// Boards of an account that were put into a place and can be brought back.
pub(super) fn all(tx: &mut Tx<'_>, account: &str, place: Place, now_ms: i64) -> Result<Vec<KeptBoard>> {
    let sql = format!(
        "SELECT {}, state, kept_ms FROM boards WHERE account_id = $1 AND state = $2 AND ($2 = 'archive' OR kept_ms > $3)",
        board::FIELDS
    );
    tx.query(&sql, params![account, place.name(), super::due_before(now_ms)], kept_row)
}

/// One that can be brought back.
pub(super) fn load(tx: &mut Tx<'_>, account: &str, board_id: &str, now_ms: i64) -> Result<KeptBoard> {
    let sql = format!(
        "SELECT {}, state, kept_ms FROM boards WHERE account_id = $1 AND board_id = $2 AND state IN ('trash', 'archive')",
        board::FIELDS
    );
    let missing = || NOT_FOUND.error("This board isn't in Archive or Trash.");
    let kept = tx.query_opt(&sql, params![account, board_id], kept_row)?.ok_or_else(missing)?;
    let is_due = kept.state == Place::Trash.name() && kept.kept_ms <= super::due_before(now_ms);
    if is_due { Err(missing()) } else { Ok(kept) }
}

fn kept_row(row: &dyn Row) -> Result<KeptBoard> {
    let after = board::FIELDS.split(',').count();
    Ok(KeptBoard { board: board::board_row(row)?, state: row.get(after)?, kept_ms: row.get(after + 1)? })
}

pub(crate) async fn restore(ctx: Ctx, call: Call, input: BoardParams) -> Result<BoardRecord> {
    let (bus, now_ms, behind) = (ctx.events(), ctx.now_ms(), behind::Behind::new(&ctx));
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account().to_owned();
        let kept = load(tx, &account, &input.board_id, now_ms)?;
        kept.board.expected(&call)?;
        if kept.state == Place::Trash.name() {
            board::expect_room(tx, &account)?;
        }
        tx.execute(
            "UPDATE boards SET state = 'ready', revision = revision + 1, updated_ms = $3 WHERE account_id = $1 AND board_id = $2",
            params![&account, &input.board_id, now_ms],
        )?;
        let before = json!(kept.state);
        record(tx, &call, &input.board_id, now_ms, Some(&before), None)?;
        let board = board::load(tx, &account, &input.board_id)?;
        links::tell(tx, &account, &board.id, &bus)?;
        recompute::recount(tx, &behind, &account, &board.id)?;
        let event = Event::BoardChanged { board_id: board.id.clone(), revision: board.revision };
        tx.after_commit(move || bus.emit(Some(&account), event));
        Ok(board.record())
    };
    ctx.db().write(write).await
}

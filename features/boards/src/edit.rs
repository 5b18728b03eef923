//! [`edit`], the one way to change anything in a board: it records the change, and then does what follows from it.

use crate::announce::announce;
use crate::behind::Behind;
use crate::board::{self, Board};
use crate::change::Edit;
use crate::recompute;
use events::{Bus, HasEvents};
use kit::error::{self, Result};
use kit::{Call, Ctx};
use std::sync::Arc;
use store::{HasDb, Tx, params};

/// Runs a board change in one transaction: checks the account and `If-Match`, raises the revision by one, and sends
/// events after the commit. If nothing is recorded, the revision stays and no events are sent.
pub(crate) async fn edit<T: Send + 'static>(
    ctx: Ctx,
    call: Call,
    board_id: String,
    run: impl FnOnce(&mut Tx<'_>, &mut Edit) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (db, bus, now_ms) = (ctx.db(), ctx.events(), ctx.now_ms());
    let behind = Behind::new(&ctx);
    let change = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &board_id)?;
        let mut edit = begin(board, call, now_ms, behind)?;
        let answer = run(tx, &mut edit)?;
        if !edit.is_unchanged() {
            end(tx, edit, bus)?;
        }
        Ok(answer)
    };
    db.write(change).await
}

pub(crate) fn begin(board: Board, call: Call, now_ms: i64, behind: Behind) -> Result<Edit> {
    board.expected(&call)?;
    let mut edit = Edit::new(call.account().to_owned(), call.caller, now_ms, board, behind);
    edit.board.revision += 1;
    edit.board.updated_ms = now_ms;
    Ok(edit)
}

pub(crate) fn end(tx: &mut Tx<'_>, edit: Edit, bus: Arc<Bus>) -> Result<()> {
    recompute::recount_after(tx, &edit)?;
    save(tx, &edit)?;
    edit.step.save(tx, &edit.account, &edit.board)?;
    let Edit { account, board, noted, caller, behind, .. } = edit;
    let events = noted.events(tx, &account, &board, &caller)?;
    for event in &events {
        reactions::report(tx, &behind.ctx, &account, event)?;
    }
    announce(tx, account, board.id, board.revision, events, bus)
}

fn save(tx: &mut Tx<'_>, edit: &Edit) -> Result<()> {
    let board = &edit.board;
    let saved = tx.execute(
        "UPDATE boards SET name = $4, revision = $3, item_count = $5, next_column = $6, next_group = $7, last_position = $8, \
         left_since = $9, updated_ms = $10, subitem_count = $11 WHERE account_id = $1 AND board_id = $2 AND revision = $3 - 1",
        params![
            edit.account.as_str(),
            &board.id,
            board.revision,
            &board.name,
            board.item_count,
            board.next_column,
            board.next_group,
            board.last_position,
            board.left_since,
            board.updated_ms,
            board.subitem_count,
        ],
    )?;
    if saved == 1 { Ok(()) } else { Err(error::CONFLICT.error("The board was changed at the same time. Try again.")) }
}

//! Recomputes the formulas of a whole board in batches: the first within the change, the others after it.
//!
//! The remaining work is stored in a row of the board. It survives an interruption, and several changes share it: a
//! later one restarts it, and each worker takes the next batch with the current formulas.

use crate::cells::Column;
use crate::change::Edit;
use crate::formula::{Formulas, formula_of};
use crate::item::{self, ITEMS_PER_STEP};
use crate::{announce, board};
use events::HasEvents;
use kit::Ctx;
use kit::error::Result;
use store::{HasDb, Row, Tx, params};

/// Starts recomputing all of the board's formulas; the remaining batches follow the change.
pub(crate) fn again(tx: &mut Tx<'_>, edit: &Edit) -> Result<()> {
    begin(tx, &edit.account, &edit.board.id)?;
    if next(tx, &edit.account, &edit.board.id)?.is_some_and(|piece| piece.more) {
        edit.behind.follow(tx, &edit.account, &edit.board.id);
    }
    Ok(())
}

/// The same, all of it left to follow the change.
pub(super) fn begin(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<()> {
    tx.execute(
        "INSERT INTO board_formulas_left (account_id, board_id, after_item, done) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (account_id, board_id) DO UPDATE SET after_item = $3, done = $4",
        params![account, board_id, "", 0],
    )?;
    Ok(())
}

/// The same where the board has formulas, for changes of many items or of columns that are not looked at one by one.
pub(crate) fn again_if_any(tx: &mut Tx<'_>, edit: &Edit) -> Result<()> {
    let mut columns = board::columns(tx, &edit.account, &edit.board.id)?;
    if !columns.iter().any(|column| formula_of(column).is_some()) {
        return Ok(());
    }
    settle_results(tx, edit, &mut columns)?;
    again(tx, edit)
}

/// Items that were computed together.
struct Piece {
    /// Whether any of them has another result now.
    stored: bool,
    /// Whether others are left.
    more: bool,
}

/// Computes the next piece; nothing where none is left.
fn next(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<Piece>> {
    let sql = "SELECT after_item, done FROM board_formulas_left WHERE account_id = $1 AND board_id = $2";
    let place = |row: &dyn Row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?));
    let Some((after, done)) = tx.query_opt(sql, params![account, board_id], place)? else { return Ok(None) };
    let formulas = Formulas::new(&board::columns(tx, account, board_id)?);
    let mut stored = false;
    let last = item::change_some(tx, account, board_id, "", &after, |tx, record| {
        let changed = formulas.apply(tx, account, record)?;
        stored |= changed;
        Ok(changed)
    })?;
    match &last {
        Some(after) => tx.execute(
            "UPDATE board_formulas_left SET after_item = $3, done = $4 WHERE account_id = $1 AND board_id = $2",
            params![account, board_id, after, done + ITEMS_PER_STEP],
        )?,
        None => tx.execute(
            "DELETE FROM board_formulas_left WHERE account_id = $1 AND board_id = $2",
            params![account, board_id],
        )?,
    };
    Ok(Some(Piece { stored, more: last.is_some() }))
}

/// Computes a board's remaining batches. A batch that changes something raises the revision, so that open pages update.
pub(super) async fn finish(ctx: &Ctx, account: &str, board_id: &str) -> Result<()> {
    loop {
        let (bus, now_ms, account, board_id) = (ctx.events(), ctx.now_ms(), account.to_owned(), board_id.to_owned());
        let piece = move |tx: &mut Tx<'_>| {
            let Some(piece) = next(tx, &account, &board_id)? else { return Ok(false) };
            if piece.stored {
                announce::raise(tx, account, board_id, now_ms, bus)?;
            }
            Ok(piece.more)
        };
        if !ctx.db().write(piece).await? {
            return Ok(());
        }
    }
}

/// After a change of columns: formulas that now give another type than is stored with them are stored with the new one.
pub(crate) fn settle_results(tx: &mut Tx<'_>, edit: &Edit, columns: &mut [Column]) -> Result<()> {
    let formulas = Formulas::new(columns);
    for column in columns.iter_mut() {
        let gives = formulas.gives(&column.id);
        if gives.is_none() || gives == column.settings.result {
            continue;
        }
        column.settings.result = gives;
        column.settings_json = serde_json::to_string(&column.settings).map_err(board::damaged)?;
        tx.execute(
            "UPDATE board_columns SET settings_json = $4 WHERE account_id = $1 AND board_id = $2 AND column_id = $3",
            params![edit.account.as_str(), &edit.board.id, &column.id, &column.settings_json],
        )?;
    }
    Ok(())
}

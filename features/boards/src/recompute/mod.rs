//! Recomputes a board's formulas after their inputs change, in batches that follow the change.

mod left;
mod recount;

pub(crate) use left::{again, again_if_any, settle_results};
pub(crate) use recount::{recount, recount_after};

use kit::Ctx;
use kit::error::Result;
use store::{HasDb, Tx};

/// Computes all that is left on a board.
pub(crate) async fn finish(ctx: &Ctx, account: String, board_id: String) -> Result<()> {
    left::finish(ctx, &account, &board_id).await?;
    recount::finish(ctx, &account, &board_id).await
}

/// Continues recomputing after an interruption.
pub(crate) async fn finish_all(ctx: &Ctx) -> Result<()> {
    let read = |tx: &mut Tx<'_>| {
        let sql = "SELECT account_id, board_id FROM board_formulas_left \
             UNION SELECT account_id, board_id FROM board_counts_left";
        tx.query(sql, &[], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))
    };
    for (account, board_id) in ctx.db().read(read).await? {
        finish(ctx, account, board_id).await?;
    }
    Ok(())
}

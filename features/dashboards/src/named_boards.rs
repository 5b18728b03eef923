//! Checks that boards named in a config belong to the account.

use crate::config::NamedBoard;
use crate::errors::BOARD_NOT_FOUND;
use kit::lookup::Boards;
use kit::{Ctx, Result};
use std::collections::HashSet;

/// Rejects named boards that aren't the account's, except `kept` ones.
pub(crate) async fn expect_named_boards(
    ctx: &Ctx,
    account: &str,
    named: Vec<NamedBoard>,
    kept: &HashSet<String>,
) -> Result<()> {
    match first_missing(ctx, account, named, kept).await? {
        None => Ok(()),
        // The board isn't named, so that the error is the same for another account's board and a nonexistent one.
        Some(_) => {
            Err(BOARD_NOT_FOUND.error("The config names a board that isn't in this account. Nothing was changed."))
        }
    }
}

/// Boards looked up at once. A config can name more than an account has, and the first missing one is enough.
const LOOKED_UP_AT_ONCE: usize = 100;

/// The first of the named boards that is not the account's and not `kept`.
pub(crate) async fn first_missing(
    ctx: &Ctx,
    account: &str,
    named: Vec<NamedBoard>,
    kept: &HashSet<String>,
) -> Result<Option<NamedBoard>> {
    let mut seen = kept.clone();
    let mut new: Vec<NamedBoard> = named.into_iter().filter(|board| seen.insert(board.id.clone())).collect();
    let boards = ctx.service::<Boards>();
    while !new.is_empty() {
        let rest = new.split_off(new.len().min(LOOKED_UP_AT_ONCE));
        let missing = boards.0.missing(account, new.iter().map(|board| board.id.clone()).collect()).await?;
        if let Some(found) = new.into_iter().find(|board| missing.contains(&board.id)) {
            return Ok(Some(found));
        }
        new = rest;
    }
    Ok(None)
}

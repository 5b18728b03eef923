//! Boards that a config names must be the account's.

use crate::config::NamedBoard;
use crate::errors::BOARD_NOT_FOUND;
use kit::lookup::Boards;
use kit::{Ctx, Result};
use std::collections::HashSet;

/// Boards that are named must be the account's, but for those that are `kept`.
pub(crate) async fn expect_named_boards(
    ctx: &Ctx,
    account: &str,
    named: Vec<NamedBoard>,
    kept: &HashSet<String>,
) -> Result<()> {
    match first_missing(ctx, account, named, kept).await? {
        None => Ok(()),
        // Which one isn't said: the answer is the same for another account's board and for none at all.
        Some(_) => {
            Err(BOARD_NOT_FOUND.error("The config names a board that isn't in this account. Nothing was changed."))
        }
    }
}

/// Boards that are looked up at once: a config can name more than an account has, and the first that is missing is enough.
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

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
        Some(board) => Err(BOARD_NOT_FOUND.error(format!("{} Nothing was changed.", missing(&board.id)))),
    }
}

/// Characters of a text that an error repeats.
const SHOWN_CHARS_MAX: usize = 100;

/// What is wrong with a text that is no board's ID. An ID isn't repeated, so that the error is the same for another
/// account's board and a nonexistent one; a text that can't be an ID is probably a name.
pub(crate) fn missing(text: &str) -> String {
    let may_be_id = text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if may_be_id {
        return "The config names a board that isn't in this account.".to_owned();
    }
    let shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    format!("No board has the ID {shown}. `boards.list` shows the IDs; names aren't accepted here.")
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

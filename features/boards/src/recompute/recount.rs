//! Counts linked items again where some of them left their board or came back to it: only items that link to one of those are
//! looked at more closely, with the change itself on a small board, behind it on a larger one.

use super::left;
use crate::behind::Behind;
use crate::change::{Edit, Moved};
use crate::formula::Formulas;
use crate::{announce, board, ids, item, scan};
use events::HasEvents;
use kit::Ctx;
use kit::error::Result;
use std::collections::{BTreeSet, HashSet};
use store::{HasDb, Tx, params};

/// Items of a board that are looked through within a change.
const WITHIN_MAX: i64 = if cfg!(test) { 20 } else { 2_000 };
/// Maximum items scanned in one batch.
const LOOKED_AT: i64 = if cfg!(test) { 8 } else { 20_000 };
/// Items that one write computes.
const PER_WRITE: usize = if cfg!(test) { 4 } else { 2_000 };
/// Changes whose items are looked for together.
const CHANGES_TOGETHER: i64 = 100;

/// A board whose formulas count items of another one, or its own.
struct Counting {
    board_id: String,
    formulas: Formulas,
}

/// Boards whose formulas count items of a board that some have left, or came back to.
fn counting(tx: &mut Tx<'_>, account: &str, changed: &str) -> Result<Vec<Counting>> {
    let sql = "SELECT DISTINCT board_id FROM board_columns WHERE account_id = $1 AND links_to = $2 AND type <> $3";
    let linking: Vec<String> = tx.query(sql, params![account, changed, board::DELETING], |row| row.get(0))?;
    let mut counting = Vec::new();
    for board_id in linking {
        let formulas = Formulas::new(&board::columns(tx, account, &board_id)?);
        if formulas.counted().any(|(_, of)| of == changed) {
            counting.push(Counting { board_id, formulas });
        }
    }
    Ok(counting)
}

/// Recounts links on other boards after a whole board is removed or restored.
pub(crate) fn recount(tx: &mut Tx<'_>, behind: &Behind, account: &str, changed: &str) -> Result<()> {
    for Counting { board_id, .. } in counting(tx, account, changed)? {
        if board_id != changed {
            left::begin(tx, account, &board_id)?;
            behind.follow(tx, account, &board_id);
        }
    }
    Ok(())
}

/// Recounts links on boards if items left or returned in the current change.
pub(crate) fn recount_after(tx: &mut Tx<'_>, edit: &Edit) -> Result<()> {
    let ids = match &edit.moved {
        Moved::Some(ids) if ids.is_empty() => return Ok(()),
        Moved::Some(ids) => Some(ids),
        Moved::Many => None,
    };
    for counting in counting(tx, &edit.account, &edit.board.id)? {
        match ids {
            Some(ids) => again_for(tx, edit, &counting, ids)?,
            None if counting.board_id == edit.board.id => left::again(tx, edit)?,
            None => {
                left::begin(tx, &edit.account, &counting.board_id)?;
                edit.behind.follow(tx, &edit.account, &counting.board_id);
            }
        }
    }
    Ok(())
}

fn again_for(tx: &mut Tx<'_>, edit: &Edit, counting: &Counting, ids: &BTreeSet<String>) -> Result<()> {
    let (account, Counting { board_id, formulas }) = (edit.account.as_str(), counting);
    let is_own = *board_id == edit.board.id;
    let sql = "SELECT item_count FROM boards WHERE account_id = $1 AND board_id = $2";
    let count: i64 = match is_own {
        true => edit.board.item_count,
        false => tx.query_one(sql, params![account, board_id], |row| row.get(0))?,
    };
    if count > WITHIN_MAX {
        let ids_json = serde_json::to_string(ids).map_err(board::damaged)?;
        tx.execute(
            "INSERT INTO board_counts_left (account_id, board_id, of_board, of_revision, ids_json) VALUES ($1, $2, $3, $4, $5)",
            params![account, board_id, &edit.board.id, edit.board.revision, ids_json],
        )?;
        edit.behind.follow(tx, account, board_id);
        return Ok(());
    }
    let wanted = Wanted::new(formulas, ids.iter().cloned());
    let (found, _) = wanted.look(tx, account, board_id, "", WITHIN_MAX)?;
    if compute(tx, account, board_id, formulas, &found)? && !is_own {
        let (bus, now_ms) = (edit.behind.ctx.events(), edit.now_ms);
        announce::raise(tx, account.to_owned(), board_id.clone(), now_ms, bus)?;
    }
    Ok(())
}

/// Computes items; whether any of them has another result now.
fn compute(tx: &mut Tx<'_>, account: &str, board_id: &str, formulas: &Formulas, item_ids: &[String]) -> Result<bool> {
    let Some(revision) = board::next_revision(tx, account, board_id)? else { return Ok(false) };
    let mut any = false;
    for item_id in item_ids {
        let Some(mut item) = item::find(tx, account, board_id, item_id)? else { continue };
        if formulas.apply(tx, account, &mut item.record)? {
            item::store(tx, account, board_id, revision, &item)?;
            any = true;
        }
    }
    Ok(any)
}

/// Items to find: those that link to one of these in a counted column.
struct Wanted {
    /// Numbers of the columns.
    columns: HashSet<usize>,
    ids: HashSet<String>,
}

impl Wanted {
    fn new(formulas: &Formulas, ids: impl Iterator<Item = String>) -> Wanted {
        let columns = formulas.counted().filter_map(|(column_id, _)| ids::number_in(column_id, b'c')).collect();
        Wanted { columns, ids: ids.collect() }
    }

    /// The ids of those among the next items after an id, and the last id that was looked at, unless it was the board's last.
    fn look(
        &self,
        tx: &mut Tx<'_>,
        account: &str,
        board_id: &str,
        after: &str,
        limit: i64,
    ) -> Result<(Vec<String>, Option<String>)> {
        let sql = "SELECT item_id, record_json FROM items WHERE account_id = $1 AND board_id = $2 AND item_id > $3 \
             ORDER BY item_id LIMIT $4";
        let (mut found, mut last, mut count) = (Vec::new(), None, 0);
        tx.each(sql, params![account, board_id, after, limit], |row| {
            count += 1;
            if count == limit {
                last = Some(row.get(0)?);
            }
            if self.is_in(row.get(1)?).ok_or_else(board::damaged_cells)? {
                found.push(row.get(0)?);
            }
            Ok(())
        })?;
        Ok((found, last))
    }

    /// Whether an item links to any of them.
    fn is_in(&self, record_json: &str) -> Option<bool> {
        let mut is_in = false;
        scan::members(scan::record(record_json)?.cells, |number, value| {
            if let scan::Raw::List(list) = value
                && !is_in
                && self.columns.contains(&number)
            {
                // Between every other pair of quotes stands an id, which holds none.
                is_in = list.split('"').skip(1).step_by(2).any(|id| self.ids.contains(id));
            }
            Some(())
        })?;
        Some(is_in)
    }
}

/// Changes whose items are still to be looked for: board and revision of each.
type Changes = Vec<(String, i64)>;

/// A board's remaining work of recounting.
fn left_of(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<(Changes, Wanted)>> {
    let sql = "SELECT of_board, of_revision, ids_json FROM board_counts_left WHERE account_id = $1 AND board_id = $2 \
         ORDER BY of_board, of_revision LIMIT $3";
    let (mut changes, mut moved) = (Vec::new(), Vec::<String>::new());
    tx.each(sql, params![account, board_id, CHANGES_TOGETHER], |row| {
        changes.push((row.get(0)?, row.get(1)?));
        moved.extend(serde_json::from_str::<Vec<String>>(row.get(2)?).map_err(board::damaged)?);
        Ok(())
    })?;
    if changes.is_empty() {
        return Ok(None);
    }
    let formulas = Formulas::new(&board::columns(tx, account, board_id)?);
    Ok(Some((changes, Wanted::new(&formulas, moved.into_iter()))))
}

/// Recounts after changes. The scan is read-only, so others can write: an item that links to one of these in between is
/// counted by its own change.
pub(super) async fn finish(ctx: &Ctx, account: &str, board_id: &str) -> Result<()> {
    loop {
        let of = (account.to_owned(), board_id.to_owned());
        let read = move |tx: &mut Tx<'_>| left_of(tx, &of.0, &of.1);
        let Some((changes, mut wanted)) = ctx.db().read(read).await? else { return Ok(()) };
        let (mut found, mut after) = (Vec::new(), Some(String::new()));
        while let Some(last) = after {
            let of = (account.to_owned(), board_id.to_owned());
            let look = move |tx: &mut Tx<'_>| {
                let looked = wanted.look(tx, &of.0, &of.1, &last, LOOKED_AT)?;
                Ok((looked, wanted))
            };
            let ((some, last), same) = ctx.db().read(look).await?;
            found.extend(some);
            (after, wanted) = (last, same);
        }
        for piece in found.chunks(PER_WRITE) {
            write(ctx, account, board_id, piece.to_vec()).await?;
        }
        let of = (account.to_owned(), board_id.to_owned());
        let done = move |tx: &mut Tx<'_>| {
            let sql = "DELETE FROM board_counts_left WHERE account_id = $1 AND board_id = $2 AND of_board = $3 AND of_revision = $4";
            for (of_board, of_revision) in &changes {
                tx.execute(sql, params![&of.0, &of.1, of_board, *of_revision])?;
            }
            Ok(())
        };
        ctx.db().write(done).await?;
    }
}

async fn write(ctx: &Ctx, account: &str, board_id: &str, item_ids: Vec<String>) -> Result<()> {
    let (bus, now_ms, account, board_id) = (ctx.events(), ctx.now_ms(), account.to_owned(), board_id.to_owned());
    let piece = move |tx: &mut Tx<'_>| {
        let formulas = Formulas::new(&board::columns(tx, &account, &board_id)?);
        match compute(tx, &account, &board_id, &formulas, &item_ids)? {
            true => announce::raise(tx, account, board_id, now_ms, bus),
            false => Ok(()),
        }
    };
    ctx.db().write(piece).await
}

//! Lets go of attachments that nothing names any more, and then of their bytes, some at a time.

use super::{KEPT_MS, Keeper, disk};
use kit::error::{self, Result};
use kit::{Ctx, Job};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{HasDb, Row, Tx, params};

/// Attachments looked at by one transaction.
const ROWS_PER_STEP: i64 = 500;
/// Files looked at while uploads wait.
const FILES_PER_STEP: usize = 200;

/// Sweeps once a day.
pub(crate) fn daily() -> Job {
    Job::every(Duration::from_secs(24 * 60 * 60), "boards.files", "couldn't clean up attached files", |ctx| {
        Box::pin(async move { step(&ctx).await })
    })
}

/// Looks at every attachment, then at every file.
pub(crate) async fn step(ctx: &Ctx) -> Result<()> {
    let now_ms = ctx.now_ms();
    let (mut account, mut after) = (String::new(), String::new());
    loop {
        let (a, b) = (account.clone(), after.clone());
        let rows = ctx.db().read(move |tx| due(tx, &a, &b, now_ms)).await?;
        let Some(last) = rows.last else { break };
        (account, after) = last;
        if !rows.changes.is_empty() {
            // Looked at again where they are changed: a cell may name one since.
            ctx.db().write(move |tx| rows.changes.iter().try_for_each(|row| settle(tx, row, now_ms))).await?;
        }
    }
    let root = disk::root(ctx)?;
    for (account, folder) in folders(&root) {
        let names = list(&folder).into_iter().filter(|name| disk::is_hash(name));
        let names: Vec<String> = names.collect();
        for some in names.chunks(FILES_PER_STEP) {
            remove_unnamed(ctx, &root, &account, some.to_vec(), now_ms).await?;
        }
    }
    Ok(())
}

/// An attachment, as far as sweeping needs it.
struct Known {
    account: String,
    id: String,
    board_id: String,
    item_id: String,
    column_id: String,
    let_go_ms: i64,
}

fn known(row: &dyn Row) -> Result<Known> {
    Ok(Known {
        account: row.get(0)?,
        id: row.get(1)?,
        board_id: row.get(2)?,
        item_id: row.get(3)?,
        column_id: row.get(4)?,
        let_go_ms: row.get(5)?,
    })
}

struct Due {
    /// The last that was looked at, by account and id; none at the end.
    last: Option<(String, String)>,
    changes: Vec<Known>,
}

/// Of the next attachments those of which something changes.
fn due(tx: &mut Tx<'_>, account: &str, after: &str, now_ms: i64) -> Result<Due> {
    let sql = "SELECT account_id, file_id, board_id, item_id, column_id, let_go_ms FROM board_files \
         WHERE account_id >= $1 AND (account_id > $1 OR file_id > $2) ORDER BY account_id, file_id LIMIT $3";
    let rows = tx.query(sql, params![account, after, ROWS_PER_STEP], known)?;
    let last = rows.last().map(|row| (row.account.clone(), row.id.clone()));
    let mut changes = Vec::new();
    for row in rows {
        if verdict(tx, &row, now_ms)? != Verdict::Stays {
            changes.push(row);
        }
    }
    Ok(Due { last, changes })
}

#[derive(PartialEq)]
enum Verdict {
    Stays,
    /// Nothing names it from now on, or something does again.
    Since(i64),
    Goes,
}

fn verdict(tx: &mut Tx<'_>, row: &Known, now_ms: i64) -> Result<Verdict> {
    let of_item = params![&row.account, &row.board_id, &row.item_id];
    let here = "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    let away = "SELECT record_json FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
    let cell = "SELECT value_json FROM column_cells_kept WHERE account_id = $1 AND board_id = $2 AND item_id = $3 AND column_id = $4";
    // Within a text a quote is escaped: this meets the attachment's id and nothing else.
    let id = format!("\"{}\"", row.id);
    let names = |row: &dyn Row| Ok(row.get::<&str>(0)?.contains(&id));
    let on_board = tx.query_opt(here, of_item, names)?;
    let put_away = tx.query_opt(away, of_item, names)?;
    let of_column = tx.query_opt(cell, params![&row.account, &row.board_id, &row.item_id, &row.column_id], names)?;
    let is_named = [on_board, put_away, of_column].contains(&Some(true));
    // With the item everything went that could be taken back.
    let item_is_gone = on_board.is_none() && put_away.is_none();
    Ok(match (is_named, row.let_go_ms) {
        (true, 0) => Verdict::Stays,
        (true, _) => Verdict::Since(0),
        (false, _) if item_is_gone => Verdict::Goes,
        (false, 0) => Verdict::Since(now_ms),
        (false, since) if since <= now_ms - KEPT_MS => Verdict::Goes,
        (false, _) => Verdict::Stays,
    })
}

fn settle(tx: &mut Tx<'_>, row: &Known, now_ms: i64) -> Result<()> {
    match verdict(tx, row, now_ms)? {
        Verdict::Stays => {}
        Verdict::Since(at_ms) => {
            let sql = "UPDATE board_files SET let_go_ms = $3 WHERE account_id = $1 AND file_id = $2";
            tx.execute(sql, params![&row.account, &row.id, at_ms])?;
        }
        Verdict::Goes => {
            let sql = "DELETE FROM board_files WHERE account_id = $1 AND file_id = $2";
            tx.execute(sql, params![&row.account, &row.id])?;
        }
    }
    Ok(())
}

/// The folders with files, each with its account.
fn folders(root: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for account in list(root).into_iter().filter(|name| disk::is_account(name)) {
        let folder = root.join(&account);
        found.extend(list(&folder).into_iter().map(|part| (account.clone(), folder.join(part))));
    }
    found
}

/// The names in a folder; none where it cannot be read.
fn list(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Removes an account's files that have been unreferenced for long enough. Uploads can't reference them during this.
/// Files that can't be removed are recorded again.
async fn remove_unnamed(ctx: &Ctx, root: &Path, account: &str, hashes: Vec<String>, now_ms: i64) -> Result<()> {
    let _alone = ctx.service::<Keeper>().0.clone().write_owned().await;
    let owner = account.to_owned();
    let (read, of) = (hashes.clone(), owner.clone());
    // Mostly there is nothing to write.
    if ctx.db().read(move |tx| unnamed(tx, &of, &read, now_ms)).await?.is_nothing() {
        return Ok(());
    }
    let of = owner.clone();
    let remember = move |tx: &mut Tx<'_>| {
        let found = unnamed(tx, &of, &hashes, now_ms)?;
        for sha256 in &found.noted {
            let sql = "INSERT INTO files_unnamed (account_id, sha256, since_ms) VALUES ($1, $2, $3)";
            tx.execute(sql, params![&of, sha256, now_ms])?;
        }
        for sha256 in found.named.iter().chain(&found.due) {
            let sql = "DELETE FROM files_unnamed WHERE account_id = $1 AND sha256 = $2";
            tx.execute(sql, params![&of, sha256])?;
        }
        Ok(found.due)
    };
    let gone = ctx.db().write(remember).await?;
    let paths: Vec<PathBuf> = gone.iter().map(|sha256| disk::path_of(root, &owner, sha256)).collect::<Result<_>>()?;
    let remove = move || {
        for path in paths {
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(file = %path.display(), %error, "couldn't remove an unreferenced file");
            }
        }
    };
    let removed = tokio::task::spawn_blocking(remove).await;
    removed.map_err(|e| error::INTERNAL.error("Couldn't remove files.").caused_by(e))
}

/// Unreferenced files by required action.
struct Unnamed {
    /// Newly unreferenced.
    noted: Vec<String>,
    /// Referenced again.
    named: Vec<String>,
    /// Nothing has for long enough.
    due: Vec<String>,
}

impl Unnamed {
    fn is_nothing(&self) -> bool {
        self.noted.is_empty() && self.named.is_empty() && self.due.is_empty()
    }
}

fn unnamed(tx: &mut Tx<'_>, account: &str, hashes: &[String], now_ms: i64) -> Result<Unnamed> {
    let mut found = Unnamed { noted: Vec::new(), named: Vec::new(), due: Vec::new() };
    for sha256 in hashes {
        let of = params![account, sha256];
        let sql = "SELECT 1 FROM board_files WHERE account_id = $1 AND sha256 = $2 LIMIT 1";
        let is_named = tx.query_opt(sql, of, |_| Ok(()))?.is_some();
        let sql = "SELECT since_ms FROM files_unnamed WHERE account_id = $1 AND sha256 = $2";
        let since: Option<i64> = tx.query_opt(sql, of, |row| row.get(0))?;
        match (is_named, since) {
            (true, Some(_)) => found.named.push(sha256.clone()),
            (false, None) => found.noted.push(sha256.clone()),
            (false, Some(since)) if since <= now_ms - KEPT_MS => found.due.push(sha256.clone()),
            _ => {}
        }
    }
    Ok(found)
}

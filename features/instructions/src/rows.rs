//! Copies, replaced texts, and problems as rows.

use kit::ids::short_id;
use kit::{Result, not_found};
use std::collections::HashMap;
use store::{Row, Tx, params};

/// Replaced texts that are stored of one file; older ones are deleted.
const ORIGINALS_MAX: usize = 10;

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum State {
    /// The same as its source.
    InStep,
    /// You wrote a file there, and haven't decided about it.
    Waiting,
    /// You keep your own file.
    Kept,
    /// Can't be written.
    Skipped,
    /// Not looked at yet.
    #[default]
    Pending,
}

impl State {
    const ALL: [State; 5] = [State::InStep, State::Waiting, State::Kept, State::Skipped, State::Pending];

    /// As stored.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            State::InStep => "inStep",
            State::Waiting => "waiting",
            State::Kept => "kept",
            State::Skipped => "skipped",
            State::Pending => "pending",
        }
    }
}

/// A copy, or a file of yours where one is to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Copy {
    pub(crate) name: String,
    /// The file that it was made from.
    pub(crate) source: String,
    pub(crate) state: State,
    /// Why it's skipped.
    pub(crate) reason: String,
    /// What git does with it, if not what the setting says.
    pub(crate) note: String,
    pub(crate) warning: String,
    /// Hash of the file as it was written.
    pub(crate) written_hash: String,
    /// Hash of a write that may not have ended.
    pub(crate) pending_hash: String,
    /// Hash of the text that the user is asked about, or keeps.
    pub(crate) asked_hash: String,
    /// The exclude list that has a line of ours, and the line; both empty if none.
    pub(crate) exclude: (String, String),
    pub(crate) changed_ms: i64,
}

impl Copy {
    pub(crate) fn new(name: &str) -> Copy {
        Copy { name: name.to_owned(), ..Copy::default() }
    }

    /// Whether a file with this hash is ours.
    pub(crate) fn wrote(&self, hash: &str) -> bool {
        hash == self.written_hash || hash == self.pending_hash
    }
}

const COLUMNS: &str = "name, source, state, reason, note, warning, written_hash, pending_hash, asked_hash, exclude_file, \
     exclude_line, changed_ms";

fn copy(row: &dyn Row) -> Result<Copy> {
    let state: &str = row.get(2)?;
    Ok(Copy {
        name: row.get(0)?,
        source: row.get(1)?,
        state: State::ALL.into_iter().find(|one| one.name() == state).unwrap_or_default(),
        reason: row.get(3)?,
        note: row.get(4)?,
        warning: row.get(5)?,
        written_hash: row.get(6)?,
        pending_hash: row.get(7)?,
        asked_hash: row.get(8)?,
        exclude: (row.get(9)?, row.get(10)?),
        changed_ms: row.get(11)?,
    })
}

/// The copies in a folder.
pub(crate) fn copies(tx: &mut Tx<'_>, account: &str, folder: &str) -> Result<Vec<Copy>> {
    let sql = format!("SELECT {COLUMNS} FROM instruction_copies WHERE account_id = $1 AND folder = $2 ORDER BY name");
    tx.query(&sql, params![account, folder], copy)
}

pub(crate) fn store(tx: &mut Tx<'_>, account: &str, folder: &str, copy: &Copy) -> Result<()> {
    let sql = "INSERT INTO instruction_copies (account_id, folder, name, source, state, reason, note, warning, written_hash, \
         pending_hash, asked_hash, exclude_file, exclude_line, changed_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) \
         ON CONFLICT (account_id, folder, name) DO UPDATE SET source = excluded.source, state = excluded.state, \
         reason = excluded.reason, note = excluded.note, warning = excluded.warning, written_hash = excluded.written_hash, \
         pending_hash = excluded.pending_hash, asked_hash = excluded.asked_hash, exclude_file = excluded.exclude_file, \
         exclude_line = excluded.exclude_line, changed_ms = excluded.changed_ms";
    tx.execute(
        sql,
        params![
            account,
            folder,
            &copy.name,
            &copy.source,
            copy.state.name(),
            &copy.reason,
            &copy.note,
            &copy.warning,
            &copy.written_hash,
            &copy.pending_hash,
            &copy.asked_hash,
            &copy.exclude.0,
            &copy.exclude.1,
            copy.changed_ms
        ],
    )
    .map(drop)
}

pub(crate) fn delete(tx: &mut Tx<'_>, account: &str, folder: &str, name: &str) -> Result<()> {
    let sql = "DELETE FROM instruction_copies WHERE account_id = $1 AND folder = $2 AND name = $3";
    tx.execute(sql, params![account, folder, name]).map(drop)
}

/// Whether another hub, such as another worktree of the repository, needs a line of an exclude list.
pub(crate) fn is_line_shared(
    tx: &mut Tx<'_>,
    account: &str,
    folder: &str,
    (file, line): &(String, String),
) -> Result<bool> {
    let sql = "SELECT count(*) FROM instruction_copies WHERE exclude_file = $3 AND exclude_line = $4 \
         AND NOT (account_id = $1 AND folder = $2)";
    Ok(tx.query_one(sql, params![account, folder, file, line], |row| row.get::<i64>(0))? > 0)
}

/// A replaced text, without the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Original {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) characters: i64,
    pub(crate) replaced_ms: i64,
}

/// The replaced texts of a folder's files, the newest first.
pub(crate) fn originals(tx: &mut Tx<'_>, account: &str, folder: &str) -> Result<Vec<Original>> {
    let sql = "SELECT original_id, name, length(content), replaced_ms FROM instruction_originals \
         WHERE account_id = $1 AND folder = $2 ORDER BY original_id DESC";
    tx.query(sql, params![account, folder], |row| {
        Ok(Original { id: row.get(0)?, name: row.get(1)?, characters: row.get(2)?, replaced_ms: row.get(3)? })
    })
}

/// Stores a text that is about to be replaced.
pub(crate) fn store_original(
    tx: &mut Tx<'_>,
    account: &str,
    folder: &str,
    name: &str,
    content: &str,
    now_ms: i64,
) -> Result<()> {
    let sql = "INSERT INTO instruction_originals (account_id, original_id, folder, name, content, replaced_ms) \
         VALUES ($1, $2, $3, $4, $5, $6)";
    tx.execute(sql, params![account, &short_id(), folder, name, content, now_ms])?;
    let of_file: Vec<Original> =
        originals(tx, account, folder)?.into_iter().filter(|original| original.name == name).collect();
    for old in of_file.iter().skip(ORIGINALS_MAX) {
        delete_original(tx, account, &old.id)?;
    }
    Ok(())
}

/// The id and text of a file's replaced text: the named one, or else the newest.
pub(crate) fn original(
    tx: &mut Tx<'_>,
    account: &str,
    folder: &str,
    name: &str,
    id: Option<&str>,
) -> Result<(String, String)> {
    let sql = "SELECT original_id, content FROM instruction_originals WHERE account_id = $1 AND folder = $2 AND name = $3 \
         AND ($4 = '' OR original_id = $4) ORDER BY original_id DESC LIMIT 1";
    let found = tx
        .query_opt(sql, params![account, folder, name, id.unwrap_or_default()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    found.ok_or_else(not_found)
}

pub(crate) fn delete_original(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    let sql = "DELETE FROM instruction_originals WHERE account_id = $1 AND original_id = $2";
    tx.execute(sql, params![account, id]).map(drop)
}

/// The stored problems of an account's folders.
pub(crate) fn problems(tx: &mut Tx<'_>, account: &str) -> Result<HashMap<String, String>> {
    let sql = "SELECT folder, problem FROM instruction_problems WHERE account_id = $1";
    Ok(tx.query(sql, params![account], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
}

/// Stores a folder's problem, none if empty. Whether it's another one than before.
pub(crate) fn store_problem(tx: &mut Tx<'_>, account: &str, folder: &str, problem: &str) -> Result<bool> {
    if problems(tx, account)?.get(folder).map_or("", String::as_str) == problem {
        return Ok(false);
    }
    tx.execute("DELETE FROM instruction_problems WHERE account_id = $1 AND folder = $2", params![account, folder])?;
    if !problem.is_empty() {
        let sql = "INSERT INTO instruction_problems (account_id, folder, problem) VALUES ($1, $2, $3)";
        tx.execute(sql, params![account, folder, problem])?;
    }
    Ok(true)
}

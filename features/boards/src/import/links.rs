//! Stored data of imports: the items of a tool's rows, and the changes of each import.

use super::given::Given;
use crate::change::Edit;
use crate::errors::IMPORT_ID_TAKEN;
use crate::item::Record;
use crate::{board, ids};
use kit::Ctx;
use kit::clock::DAY_MS;
use kit::error::Result;
use std::collections::HashMap;
use store::{HasDb, Tx, params};

/// How long an import into a board can be undone, in milliseconds: 30 days.
pub(crate) const UNDO_KEPT_MS: i64 = 30 * DAY_MS;
/// Records of changes that one transaction removes.
const CHANGES_PER_WRITE: i64 = 5_000;

/// Deletes the records of imports that can no longer be undone, in batches.
pub(crate) async fn forget_old(ctx: &Ctx) -> Result<()> {
    let before = ctx.now_ms() - UNDO_KEPT_MS;
    let old = move |tx: &mut Tx<'_>| {
        let sql = "SELECT i.account_id, i.import_id FROM board_imports i WHERE i.account_id <> '' AND i.at_ms <= $1 AND EXISTS \
             (SELECT 1 FROM import_changes c WHERE c.account_id = i.account_id AND c.import_id = i.import_id)";
        tx.query(sql, params![before], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))
    };
    for (account, import_id) in ctx.db().read(old).await? {
        let some = "DELETE FROM import_changes WHERE account_id = $1 AND import_id = $2 AND place IN \
             (SELECT place FROM import_changes WHERE account_id = $1 AND import_id = $2 LIMIT $3)";
        loop {
            let (account, import_id) = (account.clone(), import_id.clone());
            let write = move |tx: &mut Tx<'_>| tx.execute(some, params![&account, &import_id, CHANGES_PER_WRITE]);
            if ctx.db().write(write).await? == 0 {
                break;
            }
        }
    }
    Ok(())
}

/// Imports of a board whose files are remembered.
const FILES_MAX: i64 = 20;
/// Stands among the titles of a file for that of its key; none is called so.
pub(crate) const KEY: &str = "\n";

/// The columns that recent imports filled, by title, and the key columns; newest first.
pub(crate) fn files(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Vec<HashMap<String, String>>> {
    let sql = "SELECT columns_json FROM board_imports WHERE account_id = $1 AND board_id = $2 ORDER BY at_ms DESC, import_id DESC LIMIT $3";
    tx.query(sql, params![account, board_id, FILES_MAX], |row| {
        serde_json::from_str(&row.get::<String>(0)?).map_err(board::damaged)
    })
}

/// The same of the file that made the board, where one did.
pub(crate) fn made_by(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<HashMap<String, String>>> {
    let sql =
        "SELECT columns_json FROM board_imports WHERE account_id = $1 AND board_id = $2 AND made_board = 1 LIMIT 1";
    tx.query_opt(sql, params![account, board_id], |row| {
        serde_json::from_str(&row.get::<String>(0)?).map_err(board::damaged)
    })
}

/// Source of the last import into a board.
pub(crate) fn last_source(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<String>> {
    let sql = "SELECT source FROM board_imports WHERE account_id = $1 AND board_id = $2 ORDER BY at_ms DESC, import_id DESC LIMIT 1";
    tx.query_opt(sql, params![account, board_id], |row| row.get(0))
}

/// An import that comes to its end.
pub(crate) struct Ended<'a> {
    pub(crate) import_id: &'a str,
    pub(crate) source: &'a str,
    /// Whether it made the board.
    pub(crate) made_board: bool,
    pub(crate) at_ms: i64,
    /// The board columns that the file's columns fill, by title.
    pub(crate) titles: &'a HashMap<String, String>,
}

/// Rejects the ID of an import into another board; a new board has no ID to compare. Import records are stored by this
/// ID, so reuse would lose the other board's columns. The ID becomes free if the import is undone or its board is
/// deleted.
pub(crate) fn expect_own_id(tx: &mut Tx<'_>, account: &str, import_id: &str, board_id: Option<&str>) -> Result<()> {
    let sql = "SELECT i.board_id FROM board_imports i JOIN boards b ON b.account_id = i.account_id AND b.board_id = i.board_id \
         WHERE i.account_id = $1 AND i.import_id = $2 AND i.undone = 0 AND b.state NOT IN ('trash', 'deleting')";
    match tx.query_opt(sql, params![account, import_id], |row| row.get::<String>(0))? {
        Some(other) if board_id != Some(&other) => {
            let detail = format!("The importId {import_id} was used for another board. Choose another.");
            Err(IMPORT_ID_TAKEN.error(detail).with("boardId", other))
        }
        _ => Ok(()),
    }
}

/// Records the end of an import. An earlier import with the same ID can't be undone anymore.
pub(crate) fn begin(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    Ended { import_id, source, made_board, at_ms, titles }: Ended<'_>,
) -> Result<()> {
    expect_own_id(tx, account, import_id, Some(board_id))?;
    let elsewhere = ids::short_id();
    for table in ["import_changes", "board_imports"] {
        let sql = format!("DELETE FROM {table} WHERE account_id = $1 AND import_id = $2 AND board_id = $3");
        tx.execute(&sql, params![account, import_id, board_id])?;
        // One of another board that gave its id up: what its file was like stays known there.
        let sql = format!("UPDATE {table} SET import_id = $3 WHERE account_id = $1 AND import_id = $2");
        tx.execute(&sql, params![account, import_id, &elsewhere])?;
    }
    let columns_json = serde_json::to_string(titles).map_err(board::damaged)?;
    tx.execute(
        "INSERT INTO board_imports (account_id, import_id, board_id, source, made_board, undone, at_ms, columns_json) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        params![account, import_id, board_id, source, i64::from(made_board), 0_i64, at_ms, &columns_json],
    )?;
    Ok(())
}

/// A row of the tool's exports that an earlier import has met.
pub(crate) struct Known {
    /// What files gave it.
    pub(crate) given: Given,
    /// Whether the item's parent, or its absence, came from a file.
    pub(crate) knows_parent: bool,
}

/// What imports of the tool gave the item of this row.
pub(crate) fn find(tx: &mut Tx<'_>, account: &str, board_id: &str, source: &str, key: &str) -> Result<Option<Known>> {
    let sql = "SELECT given_json, knows_parent FROM import_items \
         WHERE account_id = $1 AND board_id = $2 AND source = $3 AND external_id = $4";
    tx.query_opt(sql, params![account, board_id, source, key], |row| {
        let given = Given::read(row.get(0)?)?;
        let knows_parent = row.get::<i64>(1)? != 0 || given.has_parent();
        Ok(Known { given, knows_parent })
    })
}

/// The item that the rows of a key were met by.
pub(crate) fn item_of(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    source: &str,
    key: &str,
) -> Result<Option<String>> {
    let sql =
        "SELECT item_id FROM import_items WHERE account_id = $1 AND board_id = $2 AND source = $3 AND external_id = $4";
    tx.query_opt(sql, params![account, board_id, source, key], |row| row.get(0))
}

/// Records the item of these row keys and the file's values, including the parent or its absence.
pub(crate) fn put(tx: &mut Tx<'_>, of: [&str; 3], keys: &[String], given: &Given) -> Result<()> {
    put_known(tx, of, keys, given, true)
}

/// Like `put`, for items whose parent may not come from a file.
pub(crate) fn put_known(
    tx: &mut Tx<'_>,
    [account, board_id, source]: [&str; 3],
    keys: &[String],
    given: &Given,
    knows_parent: bool,
) -> Result<()> {
    let given_json = given.written()?;
    let item_id = given.item_id();
    keys.iter().try_for_each(|key| put_row(tx, [account, board_id, source, key, item_id], &given_json, knows_parent))
}

/// The same of a new item's record that is written already: account, board, source, the row's identity and the item.
pub(crate) fn put_json(tx: &mut Tx<'_>, of: [&str; 5], given_json: &str) -> Result<()> {
    put_row(tx, of, given_json, true)
}

fn put_row(tx: &mut Tx<'_>, of: [&str; 5], given_json: &str, knows_parent: bool) -> Result<()> {
    let [account, board_id, source, key, item_id] = of;
    tx.execute(
        "INSERT INTO import_items (account_id, board_id, source, external_id, item_id, given_json, knows_parent) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account_id, board_id, source, external_id) \
         DO UPDATE SET item_id = $5, given_json = $6, knows_parent = $7",
        params![account, board_id, source, key, item_id, given_json, i64::from(knows_parent)],
    )?;
    Ok(())
}

/// Records the file's values for an item if it is the one known for the row.
pub(crate) fn give(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    source: &str,
    key: &str,
    given: &Record,
) -> Result<()> {
    let given_json = serde_json::to_string(given).map_err(board::damaged)?;
    let sql = "UPDATE import_items SET given_json = $6 \
         WHERE account_id = $1 AND board_id = $2 AND source = $3 AND external_id = $4 AND item_id = $5";
    tx.execute(sql, params![account, board_id, source, key, &given.id, given_json])?;
    Ok(())
}

/// Forgets which item a row is.
pub(crate) fn forget(tx: &mut Tx<'_>, account: &str, board_id: &str, source: &str, key: &str) -> Result<()> {
    let sql = "DELETE FROM import_items WHERE account_id = $1 AND board_id = $2 AND source = $3 AND external_id = $4";
    tx.execute(sql, params![account, board_id, source, key])?;
    Ok(())
}

/// Substitute key for a row without one, so that its values are known once another file identifies the item. Real keys
/// never begin with a line break.
pub(crate) fn unkeyed(item_id: &str) -> String {
    format!("\n{item_id}")
}

/// Whether a key is a substitute.
pub(crate) fn is_unkeyed(key: &str) -> bool {
    key.starts_with('\n')
}

/// The keys of a board's items; keys from files follow a substitute.
pub(crate) fn keys(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    source: &str,
) -> Result<HashMap<String, Vec<String>>> {
    let sql = "SELECT external_id, item_id FROM import_items \
         WHERE account_id = $1 AND board_id = $2 AND source = $3 ORDER BY external_id";
    let mut keys: HashMap<String, Vec<String>> = HashMap::new();
    tx.each(sql, params![account, board_id, source], |row| {
        keys.entry(row.get(1)?).or_default().push(row.get(0)?);
        Ok(())
    })?;
    Ok(keys)
}

/// Looks at every row of the tool's exports: the item that it is, and what files gave that.
pub(crate) fn each(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    source: &str,
    mut look: impl FnMut(&str, &Given),
) -> Result<()> {
    let sql = "SELECT item_id, given_json FROM import_items \
         WHERE account_id = $1 AND board_id = $2 AND source = $3 ORDER BY external_id";
    tx.each(sql, params![account, board_id, source], |row| {
        look(row.get(0)?, &Given::read(row.get(1)?)?);
        Ok(())
    })
}

/// The items of rows of the tool's exports that are on the board, in its order.
pub(crate) fn present(tx: &mut Tx<'_>, account: &str, board_id: &str, source: &str) -> Result<Vec<String>> {
    let sql = "SELECT item_id FROM items WHERE account_id = $1 AND board_id = $2 AND item_id IN \
         (SELECT item_id FROM import_items WHERE account_id = $1 AND board_id = $2 AND source = $3) ORDER BY position, item_id";
    tx.query(sql, params![account, board_id, source], |row| row.get(0))
}

/// Updates an import's record of an added item that has changed since.
pub(crate) fn renote(tx: &mut Tx<'_>, account: &str, (import_id, place): (&str, i64), after: &Record) -> Result<()> {
    let after_json = serde_json::to_string(after).map_err(board::damaged)?;
    let sql = "UPDATE import_changes SET after_json = $4 WHERE account_id = $1 AND import_id = $2 AND place = $3";
    tx.execute(sql, params![account, import_id, place, after_json])?;
    Ok(())
}

/// Index of the record of labels and groups added to the board; items follow.
const ADDED: i64 = 0;

/// Stores the labels and groups that an import added to the board.
pub(crate) fn put_added(tx: &mut Tx<'_>, edit: &Edit, import_id: &str, json: &str) -> Result<()> {
    tx.execute(
        "INSERT INTO import_changes (account_id, import_id, place, board_id, external_id, item_id, after_json) \
         VALUES ($1, $2, $3, $4, '', '', $5)",
        params![edit.account.as_str(), import_id, ADDED, &edit.board.id, json],
    )?;
    Ok(())
}

/// Labels and groups that an import added to the board.
pub(crate) fn added(tx: &mut Tx<'_>, account: &str, import_id: &str) -> Result<Option<String>> {
    let sql = "SELECT after_json FROM import_changes WHERE account_id = $1 AND import_id = $2 AND place = $3";
    tx.query_opt(sql, params![account, import_id, ADDED], |row| row.get(0))
}

/// Records an import's change of an item: its state before (unless added) and after, and earlier imported values.
pub(crate) fn note(
    tx: &mut Tx<'_>,
    edit: &Edit,
    (import_id, place): (&str, i64),
    key: &str,
    before: Option<&Record>,
    after: &Record,
    given: Option<&Given>,
) -> Result<()> {
    let json = |record: Option<&Record>| record.map(serde_json::to_string).transpose().map_err(board::damaged);
    let (before_json, after_json) = (json(before)?, json(Some(after))?);
    let given_json = given.map(Given::written).transpose()?;
    let (account, board_id) = (edit.account.as_str(), &edit.board.id);
    tx.execute(
        "INSERT INTO import_changes (account_id, import_id, place, board_id, external_id, item_id, before_json, after_json, given_json) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        params![
            account,
            import_id,
            place,
            board_id,
            key,
            &after.id,
            before_json.as_deref(),
            after_json.as_deref(),
            given_json.as_deref()
        ],
    )?;
    Ok(())
}

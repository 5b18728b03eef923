//! Notes as rows.

use kit::{Result, not_found};
use store::{Row, Tx, params};

/// The size of a new note's window.
pub(crate) const SIZE: (i64, i64) = (260, 220);

/// A note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) color: String,
    pub(crate) is_open: bool,
    pub(crate) place: Option<(i64, i64)>,
    pub(crate) size: (i64, i64),
    pub(crate) created_ms: i64,
    pub(crate) changed_ms: i64,
}

const SELECT: &str = "SELECT note_id, text, color, is_open, place_x, place_y, width, height, created_ms, changed_ms \
     FROM sticky_notes WHERE account_id = $1";

fn of_row(row: &dyn Row) -> Result<Note> {
    let (x, y): (Option<i64>, Option<i64>) = (row.get(4)?, row.get(5)?);
    Ok(Note {
        id: row.get(0)?,
        text: row.get(1)?,
        color: row.get(2)?,
        is_open: row.get::<i64>(3)? == 1,
        place: x.zip(y),
        size: (row.get(6)?, row.get(7)?),
        created_ms: row.get(8)?,
        changed_ms: row.get(9)?,
    })
}

/// All notes, the newest first.
pub(crate) fn all(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Note>> {
    tx.query(&format!("{SELECT} ORDER BY created_ms DESC, note_id DESC"), params![account], of_row)
}

/// A note, or an error.
pub(crate) fn expect(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Note> {
    let found = tx.query_opt(&format!("{SELECT} AND note_id = $2"), params![account, id], of_row)?;
    found.ok_or_else(not_found)
}

pub(crate) fn put(tx: &mut Tx<'_>, account: &str, note: &Note) -> Result<()> {
    delete(tx, account, &note.id)?;
    tx.execute(
        "INSERT INTO sticky_notes (account_id, note_id, text, color, is_open, place_x, place_y, width, height, created_ms, \
         changed_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        params![
            account,
            &note.id,
            &note.text,
            &note.color,
            i64::from(note.is_open),
            note.place.map(|(x, _)| x),
            note.place.map(|(_, y)| y),
            note.size.0,
            note.size.1,
            note.created_ms,
            note.changed_ms
        ],
    )
    .map(drop)
}

pub(crate) fn delete(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    tx.execute("DELETE FROM sticky_notes WHERE account_id = $1 AND note_id = $2", params![account, id]).map(drop)
}

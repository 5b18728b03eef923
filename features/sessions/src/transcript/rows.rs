//! The first store: a row of the database for each entry.

use super::{Entry, Keep, Of, Part, Room};
use kit::error::Result;
use store::{Db, Row, params};

pub(super) struct Rows(pub(super) Db);

impl Keep for Rows {
    // A commit is always synced.
    async fn append(&self, of: &Of, entries: Vec<Entry>, _synced: bool) -> Result<()> {
        let of = of.clone();
        self.0
            .write(move |tx| {
                entries.iter().try_for_each(|entry| {
                    tx.execute(
                        "INSERT INTO session_entries (account_id, session_id, entry, at_ms, body) VALUES ($1, $2, $3, $4, $5)",
                        params![&*of.account, &*of.session, entry.number, entry.at_ms, &entry.body],
                    )
                    .map(drop)
                })
            })
            .await
    }

    async fn read(&self, of: &Of, part: Part, mut room: Room) -> Result<Vec<Entry>> {
        let of = of.clone();
        let (bound, beyond, order) = match part {
            Part::Newest => ("<", i64::MAX, "DESC"),
            Part::Before(number) => ("<", number, "DESC"),
            Part::After(number) => (">", number, "ASC"),
        };
        let these = format!(
            "FROM session_entries WHERE account_id = $1 AND session_id = $2 AND entry {bound} $3 ORDER BY entry {order} LIMIT $4"
        );
        let lengths = format!("SELECT length(body) {these}");
        let entries = format!("SELECT entry, at_ms, body {these}");
        self.0
            .read(move |tx| {
                let (account, session, most) = (&*of.account, &*of.session, room.entries as i64);
                let lengths = tx.query(&lengths, params![account, session, beyond, most], |row| row.get::<i64>(0))?;
                let fits = lengths.iter().take_while(|length| room.take(**length as usize)).count() as i64;
                let mut entries = tx.query(&entries, params![account, session, beyond, fits], entry)?;
                entries.sort_by_key(|entry| entry.number);
                Ok(entries)
            })
            .await
    }

    async fn last(&self, of: &Of) -> Result<i64> {
        let of = of.clone();
        let sql = "SELECT COALESCE(max(entry), 0) FROM session_entries WHERE account_id = $1 AND session_id = $2";
        self.0.read(move |tx| tx.query_one(sql, params![&*of.account, &*of.session], |row| row.get(0))).await
    }

    async fn remove(&self, of: &Of) -> Result<()> {
        let of = of.clone();
        let sql = "DELETE FROM session_entries WHERE account_id = $1 AND session_id = $2";
        self.0.write(move |tx| tx.execute(sql, params![&*of.account, &*of.session])).await.map(drop)
    }
}

fn entry(row: &dyn Row) -> Result<Entry> {
    Ok(Entry { number: row.get(0)?, at_ms: row.get(1)?, body: row.get(2)? })
}

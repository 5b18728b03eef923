//! The first store: a row of the database for each entry.

use super::{Entry, EntryStore, PageBudget, Part, SessionKey};
use kit::error::Result;
use store::{Db, Row, params};

pub(super) struct Rows(pub(super) Db);

impl EntryStore for Rows {
    // A commit is always synced.
    async fn append(&self, key: &SessionKey, entries: Vec<Entry>, _synced: bool) -> Result<()> {
        let key = key.clone();
        self.0
            .write(move |tx| {
                entries.iter().try_for_each(|entry| {
                    tx.execute(
                        "INSERT INTO session_entries (account_id, session_id, entry, at_ms, body) VALUES ($1, $2, $3, $4, $5)",
                        params![&*key.account, &*key.session, entry.number, entry.at_ms, &entry.body],
                    )
                    .map(drop)
                })
            })
            .await
    }

    async fn read(&self, key: &SessionKey, part: Part, mut budget: PageBudget) -> Result<Vec<Entry>> {
        let key = key.clone();
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
                let (account, session, most) = (&*key.account, &*key.session, budget.entries as i64);
                let lengths = tx.query(&lengths, params![account, session, beyond, most], |row| row.get::<i64>(0))?;
                let fits = lengths.iter().take_while(|length| budget.admit(**length as usize)).count() as i64;
                let mut entries = tx.query(&entries, params![account, session, beyond, fits], entry)?;
                entries.sort_by_key(|entry| entry.number);
                Ok(entries)
            })
            .await
    }

    async fn last(&self, key: &SessionKey) -> Result<i64> {
        let key = key.clone();
        let sql = "SELECT COALESCE(max(entry), 0) FROM session_entries WHERE account_id = $1 AND session_id = $2";
        self.0.read(move |tx| tx.query_one(sql, params![&*key.account, &*key.session], |row| row.get(0))).await
    }

    async fn remove(&self, key: &SessionKey) -> Result<()> {
        let key = key.clone();
        let sql = "DELETE FROM session_entries WHERE account_id = $1 AND session_id = $2";
        self.0.write(move |tx| tx.execute(sql, params![&*key.account, &*key.session])).await.map(drop)
    }
}

fn entry(row: &dyn Row) -> Result<Entry> {
    Ok(Entry { number: row.get(0)?, at_ms: row.get(1)?, body: row.get(2)? })
}

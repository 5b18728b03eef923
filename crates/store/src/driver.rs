//! Statements and rows of the embedded database.

use crate::errors::{Reason, failed};
use crate::tx::Statements;
use crate::value::{Cell, Row, Value};
use kit::error::{self, Result};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ToSql};
use std::cell::Cell as Slot;
use std::time::Duration;

/// Where a database keeps which copy it is.
pub(crate) const COPY: &str = "user_version";

/// Statements that each connection keeps prepared.
const STATEMENTS_KEPT_MAX: usize = 256;

/// What holds for every connection, whether it reads or writes.
pub(crate) fn settle(connection: &Connection, busy: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(busy)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT_MAX);
    // A plan must not depend on the values of parameters: SQLite would prepare statements anew whenever other values are bound,
    // which takes longer than running them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// A connection inside a transaction that changes nothing.
pub(crate) struct Reading<'a>(pub(crate) &'a Connection);

/// The writing connection inside a transaction.
pub(crate) struct Writing<'a> {
    pub(crate) connection: &'a Connection,
    /// Set when a statement failed because nothing can be written.
    pub(crate) hindered: Slot<Option<Reason>>,
}

impl Writing<'_> {
    /// Some failures (a full disk among them) end the whole transaction inside SQLite. A job that went on after one would
    /// change the database outside of any transaction.
    fn inside(&self) -> Result<()> {
        if self.connection.is_autocommit() {
            return Err(error::INTERNAL.error("The transaction failed. Nothing was changed."));
        }
        Ok(())
    }

    fn failed(&self, e: rusqlite::Error) -> kit::Error {
        if let Some(reason) = Reason::from_sqlite(&e) {
            self.hindered.set(Some(reason));
        }
        failed(e)
    }
}

impl Statements for Writing<'_> {
    fn query(&self, sql: &str, params: &[Value<'_>], row: &mut dyn FnMut(&dyn Row) -> Result<()>) -> Result<()> {
        self.inside()?;
        let mut statement = self.connection.prepare_cached(&numbered(sql)).map_err(|e| self.failed(e))?;
        let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(|e| self.failed(e))?;
        while let Some(next) = rows.next().map_err(|e| self.failed(e))? {
            row(next)?;
        }
        Ok(())
    }

    fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        self.inside()?;
        let mut statement = self.connection.prepare_cached(&numbered(sql)).map_err(|e| self.failed(e))?;
        let changed = statement.execute(rusqlite::params_from_iter(params)).map_err(|e| self.failed(e))?;
        Ok(changed as u64)
    }

    fn copy(&self) -> Result<i64> {
        copy_of(self.connection)
    }
}

impl Statements for Reading<'_> {
    fn query(&self, sql: &str, params: &[Value<'_>], row: &mut dyn FnMut(&dyn Row) -> Result<()>) -> Result<()> {
        let mut statement = self.0.prepare_cached(&numbered(sql)).map_err(failed)?;
        if !statement.readonly() {
            return Err(writes_in_a_read());
        }
        let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(failed)?;
        while let Some(next) = rows.next().map_err(failed)? {
            row(next)?;
        }
        Ok(())
    }

    fn execute(&self, _sql: &str, _params: &[Value<'_>]) -> Result<u64> {
        Err(writes_in_a_read())
    }

    fn copy(&self) -> Result<i64> {
        copy_of(self.0)
    }
}

fn copy_of(connection: &Connection) -> Result<i64> {
    connection.pragma_query_value(None, COPY, |row| row.get(0)).map_err(failed)
}

fn writes_in_a_read() -> kit::Error {
    error::INTERNAL.error("A statement that changes something ran in a read; it belongs in Db::write.")
}

/// `$1` is a name to SQLite, counted by first appearance; `?1` is a position. Text in quotes is left as it is.
fn numbered(sql: &str) -> String {
    let mut sql = sql.as_bytes().to_vec();
    // Nearly all have no quotes, and neither loop over those has a branch: each takes many letters in a step.
    if sql.iter().fold(false, |any, c| any | (*c == b'\'') | (*c == b'"')) {
        outside_quotes(&mut sql);
    } else {
        sql.iter_mut().for_each(|c| *c = if *c == b'$' { b'?' } else { *c });
    }
    String::from_utf8(sql).expect("one character of ASCII stands for another")
}

fn outside_quotes(sql: &mut [u8]) {
    let mut quote = None;
    for c in sql {
        match (*c, quote) {
            (b'\'' | b'"', None) => quote = Some(*c),
            (c, Some(q)) if c == q => quote = None,
            (b'$', None) => *c = b'?',
            _ => {}
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::ToSqlOutput::Borrowed;
        Ok(Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(n) => ValueRef::Integer(*n),
            Value::Real(n) => ValueRef::Real(*n),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

impl Row for rusqlite::Row<'_> {
    fn cell(&self, index: usize) -> Result<Cell<'_>> {
        Ok(match self.get_ref(index).map_err(failed)? {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(n) => Cell::Int(n),
            ValueRef::Real(n) => Cell::Real(n),
            ValueRef::Text(text) => Cell::Text(
                std::str::from_utf8(text)
                    .map_err(|e| error::INTERNAL.error("Stored text is not UTF-8.").caused_by(e))?,
            ),
            ValueRef::Blob(_) => return Err(error::INTERNAL.error("A column holds bytes; none is declared so.")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::StatementStatus::RePrepare;

    #[test]
    fn a_statement_is_prepared_once_whatever_its_parameters_hold() {
        let connection = Connection::open_in_memory().unwrap();
        settle(&connection, Duration::ZERO).unwrap();
        let table = "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, place BIGINT NOT NULL)";
        connection.execute_batch(table).unwrap();
        let sql = "SELECT id FROM t WHERE kind = ?1 AND place > ?2 ORDER BY place LIMIT ?3";
        let mut statement = connection.prepare(sql).unwrap();
        for (kind, place, limit) in [("a", 0, 1), ("b", 1, 0), ("c", 7, 100)] {
            assert!(!statement.exists((kind, place, limit)).unwrap());
        }
        assert_eq!(statement.get_status(RePrepare), 0);
    }
}

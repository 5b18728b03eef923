//! What SQL is run through, whatever the driver.

use crate::portable;
use crate::value::{Row, Value};
use kit::error::Result;

/// What SQL is run through, inside a closure handed to [`Db::read`] or [`Db::write`]. The driver is behind it.
pub struct Tx<'a> {
    pub(crate) driver: &'a dyn Statements,
    pub(crate) after_commit: Vec<Box<dyn FnOnce() + Send>>,
}

/// What a driver does for [`Tx`].
pub(crate) trait Statements {
    fn query(&self, sql: &str, params: &[Value<'_>], row: &mut dyn FnMut(&dyn Row) -> Result<()>) -> Result<()>;
    fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<u64>;
    fn copy(&self) -> Result<i64>;
}

impl Tx<'_> {
    /// Every row, read by `row`.
    pub fn query<T>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        mut row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        portable::hold(sql)?;
        self.driver.query(sql, params, &mut |r| {
            rows.push(row(r)?);
            Ok(())
        })?;
        Ok(rows)
    }
    /// The first row, if any.
    pub fn query_opt<T>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.query(sql, params, row)?.into_iter().next())
    }
    /// The first row; none is `not-found`, the same for what does not exist and what belongs to someone else.
    pub fn query_one<T>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<T> {
        self.query_opt(sql, params, row)?.ok_or_else(kit::not_found)
    }
    /// Every row in turn, nothing kept: for reads too large to collect.
    pub fn each(&mut self, sql: &str, params: &[Value<'_>], mut row: impl FnMut(&dyn Row) -> Result<()>) -> Result<()> {
        portable::hold(sql)?;
        self.driver.query(sql, params, &mut row)
    }
    /// Runs a statement; the number of rows it changed.
    pub fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        portable::hold(sql)?;
        self.driver.execute(sql, params)
    }
    /// Which copy of a database this is: 0 while it is none, and another number in each backup, which it keeps once it was
    /// restored. What must not come back with a backup names the copy that it was made in.
    pub fn copy(&mut self) -> Result<i64> {
        self.driver.copy()
    }
    /// Runs after this transaction is on disk, and only then: replacing caches, emitting events.
    pub fn after_commit(&mut self, run: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(run));
    }
}

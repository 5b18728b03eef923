//! Brings the tables up to date, one numbered step of a feature after another.

use crate::sqlite::failed;
use kit::Migration;
use kit::error::{self, Result};
use rusqlite::Connection;
use std::path::Path;

const OWN: &[Migration] = &[Migration { number: 1, sql: include_str!("../migrations/001_changes.sql") }];

pub(crate) fn run(db: &Connection, _file: &Path, features: &[(&'static str, &'static [Migration])]) -> Result<()> {
    db.execute_batch("CREATE TABLE IF NOT EXISTS migrations (feature TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (feature, number))")
        .map_err(failed)?;
    for (feature, steps) in [("store", OWN)].iter().chain(features) {
        for step in *steps {
            let done: bool = db
                .query_row(
                    "SELECT count(*) > 0 FROM migrations WHERE feature = ?1 AND number = ?2",
                    (feature, step.number),
                    |r| r.get(0),
                )
                .map_err(failed)?;
            if done {
                continue;
            }
            let sql = format!(
                "BEGIN IMMEDIATE;\n{}\n;INSERT INTO migrations VALUES ('{feature}', {}); COMMIT;",
                step.sql, step.number
            );
            db.execute_batch(&sql).map_err(|e| {
                error::INTERNAL
                    .error(format!("Step {} of the tables of {feature} failed; nothing of it was kept.", step.number))
                    .caused_by(e)
            })?;
        }
    }
    Ok(())
}

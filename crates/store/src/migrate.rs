//! Brings the tables up to date, one numbered step of a feature after another.

use crate::errors::{self, DATA_DIR_NOT_WRITABLE, Reason, failed};
use crate::portable;
use kit::Migration;
use kit::error::{self, Result};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::Path;

/// The program's features with their steps, in the order in which they run.
pub(crate) type Features<'a> = &'a [(&'static str, &'static [Migration])];
/// A step and whose it is.
pub(crate) type Step = (&'static str, &'static Migration);

const OWN: &[Migration] = &[
    Migration { number: 1, sql: include_str!("../migrations/001_changes.sql") },
    Migration { number: 2, sql: include_str!("../migrations/002_changes_by_key.sql") },
    Migration { number: 3, sql: include_str!("../migrations/003_changes_of_items.sql") },
    Migration { number: 4, sql: include_str!("../migrations/004_changes_of_members.sql") },
];
const LOG: &str = "CREATE TABLE IF NOT EXISTS migrations (feature TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (feature, number))";

fn steps(features: Features<'_>) -> Vec<Step> {
    let own = ("store", OWN);
    std::iter::once(&own).chain(features).flat_map(|(feature, steps)| steps.iter().map(|s| (*feature, s))).collect()
}

/// The steps that the database has behind it.
pub(crate) fn done(connection: &Connection) -> Result<BTreeSet<(String, u32)>, rusqlite::Error> {
    if !connection.table_exists(None, "migrations")? {
        return Ok(BTreeSet::new());
    }
    let mut statement = connection.prepare("SELECT feature, number FROM migrations")?;
    statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Whether the database has tables, but none that this program begins with.
pub(crate) fn foreign(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    Ok(tables > 0 && !connection.table_exists(None, "migrations")?)
}

/// Refuses a database with steps that this program does not have.
pub(crate) fn refuse_newer(file: &Path, done: &BTreeSet<(String, u32)>, features: Features<'_>) -> Result<()> {
    let known: BTreeSet<(&str, u32)> = steps(features).iter().map(|(feature, step)| (*feature, step.number)).collect();
    let unknown = done.iter().find(|(feature, number)| !known.contains(&(feature.as_str(), *number)));
    match unknown {
        None => Ok(()),
        Some((feature, number)) => Err(errors::newer(file, &format!("step {number} of the tables of {feature}"))),
    }
}

/// The steps still to run.
pub(crate) fn pending(done: &BTreeSet<(String, u32)>, features: Features<'_>) -> Vec<Step> {
    steps(features).into_iter().filter(|(feature, step)| !done.contains(&(feature.to_string(), step.number))).collect()
}

/// Runs the steps, each as one transaction.
pub(crate) fn run(connection: &Connection, pending: &[Step]) -> Result<()> {
    connection.execute_batch(LOG).map_err(failed)?;
    for (feature, step) in pending {
        // Released steps were held to this by the tests of the debug build; checking again would only delay the start.
        if cfg!(debug_assertions) {
            portable::check_portable(step.sql).map_err(|why| {
                error::INTERNAL.error(format!("Step {} of the tables of {feature}: {why}", step.number))
            })?;
        }
        let outcome = run_step(connection, feature, step);
        if outcome.is_err() && !connection.is_autocommit() {
            connection.execute_batch("ROLLBACK").map_err(failed)?;
        }
        outcome.map_err(|e| {
            let detail =
                format!("Step {} of the tables of {feature} failed; nothing of it was kept: {e}.", step.number);
            let code = if Reason::from_sqlite(&e).is_some() { &DATA_DIR_NOT_WRITABLE } else { &error::INTERNAL };
            code.error(detail).caused_by(e)
        })?;
    }
    Ok(())
}

fn run_step(connection: &Connection, feature: &str, step: &Migration) -> Result<(), rusqlite::Error> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    connection.execute_batch(&for_sqlite(step.sql))?;
    connection.execute("INSERT INTO migrations (feature, number) VALUES (?1, ?2)", (feature, step.number))?;
    connection.execute_batch("COMMIT")
}

/// What has SQLite keep the rows of a table in the order of its key, instead of beside an index of the key.
const BY_KEY: &str = "WITHOUT ROWID";

/// What only the embedded database is told stands in comments that begin with `sqlite:`; others pass over them.
fn for_sqlite(sql: &str) -> String {
    let mut parts = sql.split("/* sqlite:");
    let mut own = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        own.push_str(&part.replacen("*/", "", 1));
    }
    own
}

/// The tables and indexes that all migrations leave behind, sorted by table: what `docs/schema.sql` holds. For tests: it
/// panics where a migration fails.
pub fn schema_sql(features: Features<'_>) -> String {
    let connection = Connection::open_in_memory().expect("a database in memory opens");
    run(&connection, &pending(&BTreeSet::new(), features)).expect("every migration runs on an empty database");
    let query = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name";
    let mut statement = connection.prepare(query).expect("the schema can be read");
    let rows = statement.query_map((), |row| row.get::<_, String>(0)).expect("the schema can be read");
    let statements: Vec<String> = rows.collect::<Result<_, _>>().expect("the schema can be read");
    // As steps write it: a table that was renamed stands in quotes, and not every database knows the end of some.
    let as_written = |sql: &String| {
        let sql = match sql.strip_prefix("CREATE TABLE \"").and_then(|rest| rest.split_once('"')) {
            Some((name, rest)) => format!("CREATE TABLE {name}{rest}"),
            None => sql.clone(),
        };
        match sql.trim_end().strip_suffix(BY_KEY) {
            Some(table) => format!("{} /* sqlite: {BY_KEY} */", table.trim_end()),
            None => sql,
        }
    };
    statements.iter().map(as_written).collect::<Vec<_>>().join(";\n\n") + ";\n"
}

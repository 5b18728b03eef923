//! What the store promises, each promise with the failure that would break it. Nothing here sleeps; what must wait, waits
//! for a message or for another process to end.

mod damage;
mod derived;
mod disk;
mod files;
mod kill;
mod log;
mod migrations;
mod model;
mod portable;
mod readers;
mod writer;

use crate::open::Options;
use crate::{Db, Tx, open, params};
use kit::Migration;
use kit::error::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

type Steps = &'static [Migration];

const THINGS: &[(&str, Steps)] = &[(
    "things",
    &[Migration {
        number: 1,
        sql: "CREATE TABLE things (account_id TEXT NOT NULL, thing_id TEXT NOT NULL, n BIGINT NOT NULL, text TEXT, \
              PRIMARY KEY (account_id, thing_id))",
    }],
)];

/// The same with one step more.
const MORE_THINGS: &[(&str, Steps)] = &[(
    "things",
    &[
        THINGS[0].1[0],
        Migration {
            number: 2,
            sql: "ALTER TABLE things ADD COLUMN note TEXT; CREATE INDEX things_n ON things (account_id, n)",
        },
    ],
)];

/// A data directory for one test.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        Place { dir: TempDir::new().expect("a temporary folder") }
    }
    fn file(&self) -> PathBuf {
        self.dir.path().join(crate::FILE_NAME)
    }
    fn open(&self) -> Db {
        open_at(&self.file())
    }
}

fn open_at(file: &Path) -> Db {
    Db::open(file, THINGS).expect("the database opens")
}

/// Opens without patience for another program.
fn open_impatient(file: &Path) -> Result<Db> {
    let patience = Duration::from_millis(10);
    open::open(file, THINGS, Options { busy: patience, ending: patience, ..Options::default() })
}

fn put(tx: &mut Tx<'_>, id: &str, n: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO things (account_id, thing_id, n) VALUES ('a', $1, $2) \
         ON CONFLICT (account_id, thing_id) DO UPDATE SET n = excluded.n",
        params![id, n],
    )?;
    Ok(())
}

fn all(tx: &mut Tx<'_>) -> Result<BTreeMap<String, i64>> {
    let rows =
        tx.query("SELECT thing_id, n FROM things WHERE account_id = 'a'", &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.into_iter().collect())
}

async fn write(db: &Db, id: &'static str, n: i64) -> Result<()> {
    db.write(move |tx| put(tx, id, n)).await
}

/// The code of an error, for comparing.
#[track_caller]
fn code<T>(outcome: Result<T>) -> &'static str {
    outcome.err().expect("an error was expected").code().name
}

/// The error itself.
#[track_caller]
fn refusal<T>(outcome: Result<T>) -> kit::Error {
    outcome.err().expect("an error was expected")
}

/// This test program again, running one test of it as another process.
fn this_program(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("the test's own path"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command
}

/// The place that a test was given by the process that started it, if one did.
fn given_place() -> Option<PathBuf> {
    std::env::var_os("STORE_TEST_FILE").map(PathBuf::from)
}

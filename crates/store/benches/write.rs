//! What the store adds to a commit, and what sharing commits saves. Both sides write the same row, with the same durability
//! (WAL, synchronous=FULL), in folders beside each other.

use divan::Bencher;
use divan::counter::ItemsCount;
use kit::Migration;
use rusqlite::Connection;
use std::sync::atomic::{AtomicI64, Ordering};
use store::{Db, params};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const TABLE: &str = "CREATE TABLE things (account_id TEXT NOT NULL, thing_id TEXT NOT NULL, n BIGINT NOT NULL, \
                     PRIMARY KEY (account_id, thing_id))";
const FEATURES: &[(&str, &[Migration])] = &[("things", &[Migration { number: 1, sql: TABLE }])];
const BOARD: &[(&str, &[Migration])] = &[(
    "boards",
    &[Migration {
        number: 1,
        sql: "CREATE TABLE items (account_id TEXT NOT NULL, item_id TEXT NOT NULL, cells TEXT NOT NULL, PRIMARY KEY (account_id, item_id))",
    }],
)];
/// Writes of each writer in one sample.
const WRITES: i64 = 50;

/// Every write differs from the one before: SQLite leaves a page alone that would not change, and commits nothing.
fn fresh() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

fn main() {
    divan::main();
}

fn folder() -> TempDir {
    // Beside the build's output and not in the system's folder for temporary files, which may be memory.
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder")
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime starts")
}

async fn put(db: &Db, key: String, n: i64) {
    let sql = "INSERT INTO things (account_id, thing_id, n) VALUES ('a', $1, $2) ON CONFLICT (account_id, thing_id) DO UPDATE SET n = excluded.n";
    db.write(move |tx| tx.execute(sql, params![key, n])).await.expect("the write is kept");
}

/// `false` writes what is there already: nothing reaches the disk, and what is left is the processor's part.
#[divan::bench(sample_count = 20, args = [true, false])]
fn bare_rusqlite_one_row_changing(bencher: Bencher, changing: bool) {
    let dir = folder();
    let db = Connection::open(dir.path().join("bare.db")).expect("it opens");
    db.execute_batch(&format!("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; {TABLE}")).expect("it is set up");
    let sql = "INSERT INTO things (account_id, thing_id, n) VALUES ('a', ?1, ?2) ON CONFLICT (account_id, thing_id) DO UPDATE SET n = excluded.n";
    bencher.counter(ItemsCount::new(WRITES as usize)).bench_local(|| {
        for n in 0..WRITES {
            db.execute_batch("BEGIN IMMEDIATE").expect("it begins");
            db.prepare_cached(sql)
                .and_then(|mut s| s.execute((format!("k{n}"), if changing { fresh() } else { 7 })))
                .expect("it is written");
            db.execute_batch("COMMIT").expect("it is kept");
        }
    });
}

#[divan::bench(sample_count = 20, args = [true, false])]
fn store_one_row_changing(bencher: Bencher, changing: bool) {
    let dir = folder();
    let runtime = runtime();
    let db = Db::open(&dir.path().join(store::FILE_NAME), FEATURES).expect("it opens");
    bencher.counter(ItemsCount::new(WRITES as usize)).bench_local(|| {
        runtime.block_on(async {
            for n in 0..WRITES {
                put(&db, format!("k{n}"), if changing { fresh() } else { 7 }).await;
            }
        });
    });
}

#[divan::bench(sample_count = 20, args = [1, 8, 64])]
fn store_writers_at_once(bencher: Bencher, writers: usize) {
    let dir = folder();
    let runtime = runtime();
    let db = Db::open(&dir.path().join(store::FILE_NAME), FEATURES).expect("it opens");
    bencher.counter(ItemsCount::new(WRITES as usize * writers)).bench_local(|| {
        let tasks: Vec<_> = (0..writers)
            .map(|writer| {
                let db = db.clone();
                runtime.spawn(async move {
                    for n in 0..WRITES {
                        put(&db, format!("k{writer}-{n}"), fresh()).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            runtime.block_on(task).expect("it does not panic");
        }
    });
}

/// A start on a board of 100,000 items, as large as they get: mostly the check of the file.
#[divan::bench(sample_count = 20)]
fn start_with_a_full_board(bencher: Bencher) {
    let dir = folder();
    let file = dir.path().join(store::FILE_NAME);
    let db = Db::open(&file, BOARD).expect("it opens");
    let filled = db.write(|tx| {
        let cells = r#"{"status":"in progress","owner":"somebody","estimate":12.5,"due":1772366400000}"#.repeat(4);
        for n in 0..100_000 {
            tx.execute(
                "INSERT INTO items (account_id, item_id, cells) VALUES ('a', $1, $2)",
                params![format!("item-{n:032}"), &cells],
            )?;
        }
        Ok(())
    });
    runtime().block_on(filled).expect("the items are kept");
    drop(db);
    bencher.bench_local(|| Db::open(&file, BOARD).expect("it opens"));
}

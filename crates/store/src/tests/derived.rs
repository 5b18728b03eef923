//! Files of derived data: kept while they are whole, made anew where they aren't.

use crate::{DerivedDb, params};
use kit::error::INTERNAL;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SCHEMA: &str = "CREATE VIRTUAL TABLE words USING fts5 (text);";

struct Place {
    db: DerivedDb,
    made: Arc<AtomicUsize>,
}

impl Place {
    fn new(file: &Path, version: i64) -> Place {
        let made = Arc::new(AtomicUsize::new(0));
        let count = made.clone();
        let db = DerivedDb::new(file, version, SCHEMA, move || {
            count.fetch_add(1, Ordering::SeqCst);
        });
        Place { db, made }
    }

    async fn add(&self, text: &'static str) -> i64 {
        self.db.run(move |tx| tx.insert("INSERT INTO words (text) VALUES ($1)", params![text])).await.unwrap()
    }

    async fn find(&self, word: &'static str) -> Vec<String> {
        let sql = "SELECT text FROM words WHERE words MATCH $1 ORDER BY rowid";
        self.db.run(move |tx| tx.query(sql, params![word], |row| row.get(0))).await.unwrap()
    }

    fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn what_was_written_is_there_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("words.db");
    let place = Place::new(&file, 1);
    assert_eq!((place.add("one quokka").await, place.add("two quokkas").await), (1, 2));
    assert_eq!((place.find("quokka").await, place.made()), (vec!["one quokka".to_owned()], 1));
    drop(place);
    let again = Place::new(&file, 1);
    assert_eq!((again.find("quokkas").await, again.made()), (vec!["two quokkas".to_owned()], 0));
}

#[tokio::test]
async fn a_file_of_another_version_and_a_damaged_one_begin_empty() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("words.db");
    Place::new(&file, 1).add("quokka").await;
    let newer = Place::new(&file, 2);
    assert_eq!((newer.find("quokka").await, newer.made()), (Vec::new(), 1));
    newer.add("quokka").await;
    drop(newer);
    std::fs::write(&file, vec![b'x'; 5_000]).unwrap();
    let damaged = Place::new(&file, 2);
    assert_eq!((damaged.find("quokka").await, damaged.made()), (Vec::new(), 1));
}

#[tokio::test]
async fn a_run_that_fails_is_tried_once_more_on_an_empty_file_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::new(&folder.path().join("words.db"), 1);
    place.add("before").await;
    let failing = |tx: &crate::DerivedTx<'_>| {
        tx.execute("INSERT INTO words (text) VALUES ('half')", params![])?;
        Err::<(), _>(INTERNAL.error("no"))
    };
    assert_eq!(place.db.run(failing).await.unwrap_err().detail(), "no");
    assert_eq!((place.find("before").await, place.find("half").await, place.made()), (Vec::new(), Vec::new(), 2));
}

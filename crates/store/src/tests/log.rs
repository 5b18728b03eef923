//! A log that ends anywhere, as after a power failure, opens to the state of the last commit that is whole in it.

use super::{Place, all, open_at, put};
use crate::files::beside;
use std::collections::BTreeMap;
use std::fs;

const COMMITS: i64 = 30;
const LOG_HEAD_BYTES: usize = 32;
const FRAME_BYTES: usize = 24 + 4096;

#[tokio::test]
async fn a_log_cut_anywhere_opens_to_a_prefix_of_what_was_acknowledged() {
    let place = Place::new();
    let db = place.open();
    let log = beside(&place.file(), "-wal");
    // What was acknowledged, and the length of the log when it was.
    let mut states: Vec<(usize, BTreeMap<String, i64>)> =
        vec![(fs::metadata(&log).unwrap().len() as usize, BTreeMap::new())];
    for n in 0..COMMITS {
        // Every third is larger than a page, so that a commit has several frames.
        let text = if n % 3 == 0 { "long ".repeat(1500) } else { String::new() };
        db.write(move |tx| {
            put(tx, &format!("t{}", n % 7), n)?;
            put(tx, "newest", n)?;
            tx.execute("UPDATE things SET text = $1 WHERE thing_id = 'newest'", &[text.into()])
        })
        .await
        .unwrap();
        states.push((fs::metadata(&log).unwrap().len() as usize, db.read(all).await.unwrap()));
    }
    let (base, bytes) = (fs::read(place.file()).unwrap(), fs::read(&log).unwrap());
    assert!(states.windows(2).all(|pair| pair[0].0 < pair[1].0), "the log was begun anew; make fewer commits");
    let expected = |length: usize| &states.iter().rev().find(|(needed, _)| *needed <= length).unwrap().1;

    let first = states[0].0;
    let frames = (first..=bytes.len()).step_by(FRAME_BYTES);
    assert_eq!((bytes.len() - LOG_HEAD_BYTES) % FRAME_BYTES, 0);
    let cut = |length: usize| {
        let copy = Place::new();
        fs::write(copy.file(), &base).unwrap();
        fs::write(beside(&copy.file(), "-wal"), &bytes[..length]).unwrap();
        copy
    };
    for length in frames {
        let copy = cut(length);
        let opened = open_at(&copy.file());
        assert_eq!(&opened.read(all).await.unwrap(), expected(length), "{length} bytes of the log");
    }
    // Between the frames through a bare connection, which is what makes this many cuts affordable.
    for length in (first..bytes.len()).step_by(512) {
        let copy = cut(length);
        let bare = rusqlite::Connection::open(copy.file()).unwrap();
        let mut statement = bare.prepare("SELECT thing_id, n FROM things").unwrap();
        let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let found: BTreeMap<String, i64> = rows.collect::<Result<_, _>>().unwrap();
        assert_eq!(&found, expected(length), "{length} bytes of the log");
        assert_eq!(crate::open::check(&bare), None);
    }
    // A frame whose bytes never reached the disk ends the log just the same.
    for (at, (length, _)) in states.iter().enumerate().skip(1) {
        let copy = cut(bytes.len());
        let mut torn = bytes.clone();
        torn[length - 700..*length].fill(0);
        fs::write(beside(&copy.file(), "-wal"), torn).unwrap();
        assert_eq!(open_at(&copy.file()).read(all).await.unwrap(), states[at - 1].1);
    }
}

/// Writes texts of some pages until the log has grown by as many.
async fn write_pages(db: &crate::Db, pages: usize) {
    for n in 0..pages / 10 {
        let text = format!("{n} ").repeat(9_000);
        db.write(move |tx| {
            put(tx, "large", n as i64)?;
            tx.execute("UPDATE things SET text = $1 WHERE thing_id = 'large'", &[text.into()])
        })
        .await
        .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_is_moved_beside_the_writing_and_by_the_writer_before_it_is_too_long() {
    let place = Place::new();
    let db = place.open();
    let log = beside(&place.file(), "-wal");
    let pages = || fs::metadata(&log).unwrap().len() as usize / FRAME_BYTES;
    write_pages(&db, 20_000).await;
    // Below what was written: whoever moved it, its beginning was written again.
    assert!(pages() < 12_000, "{} pages", pages());
    let all_of_it = db.read(all).await.unwrap();
    db.close().await;
    assert!(!log.exists(), "nothing is left to be moved");
    assert_eq!(place.open().read(all).await.unwrap(), all_of_it);
}

#[test]
fn whose_turn_it_is_follows_from_how_long_the_log_is() {
    use crate::log::{Log, Turn};
    let place = Place::new();
    let log = Log::of(&place.file(), std::time::Duration::ZERO);
    let at = |pages: u32| {
        log.has(pages);
        log.turn()
    };
    for (pages, turn) in [
        (999, Turn::Nobodys),
        (1_000, Turn::Beside),
        (1_999, Turn::Nobodys),
        (2_000, Turn::Beside),
        // Begun anew.
        (10, Turn::Nobodys),
        (1_010, Turn::Beside),
        (8_000, Turn::Writers),
        (8_010, Turn::Nobodys),
        (9_000, Turn::Writers),
    ] {
        assert_eq!(at(pages), turn, "{pages}");
    }
}

//! What is relied on of transcripts, whichever store keeps them.

use crate::transcript::{BODY_BYTES_MAX, Entry, PAGE_BYTES_MAX, Part, SessionKey, Transcripts, WriteTarget};
use proptest::prelude::*;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use store::Db;
use tempfile::TempDir;
use testkit::refused;

/// A folder with a database, opened again by each start.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(TempDir::new().expect("a folder"))
    }
    fn logs(&self) -> PathBuf {
        self.0.path().join("transcripts")
    }
    async fn start<T>(&self, record: WriteTarget, run: impl AsyncFnOnce(Transcripts) -> T) -> T {
        let db = Db::open(
            &self.0.path().join("t.db"),
            &[(ledger::NAME, ledger::MIGRATIONS), ("sessions", crate::MIGRATIONS)],
        )
        .expect("a database");
        let done = run(Transcripts::new(db.clone(), self.logs(), record)).await;
        db.close().await;
        done
    }
}

fn key(session: &str) -> SessionKey {
    SessionKey { account: "a1".into(), session: session.into() }
}

fn file(place: &Place, session: &str) -> PathBuf {
    place.logs().join("a1").join(format!("{session}.log"))
}

fn numbers(entries: &[Entry]) -> Vec<i64> {
    entries.iter().map(|entry| entry.number).collect()
}

async fn add(transcripts: &Transcripts, session: &str, bodies: impl IntoIterator<Item = String>) -> i64 {
    transcripts.append(&key(session), 7, bodies.into_iter().collect(), false).await.expect("appended")
}

/// Everything, page by page from the front and from the back.
async fn all(transcripts: &Transcripts, session: &str, limit: usize) -> (Vec<Entry>, Vec<Entry>) {
    let (mut ahead, mut back) = (Vec::new(), Vec::new());
    loop {
        let after = ahead.last().map_or(0, |entry: &Entry| entry.number);
        let page = transcripts.page(&key(session), Part::After(after), limit).await.expect("a page");
        if page.is_empty() {
            break;
        }
        ahead.extend(page);
    }
    loop {
        let part = back.first().map_or(Part::Newest, |entry: &Entry| Part::Before(entry.number));
        let page = transcripts.page(&key(session), part, limit).await.expect("a page");
        if page.is_empty() {
            break;
        }
        back.splice(0..0, page);
    }
    (ahead, back)
}

const BOTH: [WriteTarget; 2] = [WriteTarget::Rows, WriteTarget::Log];

#[tokio::test]
async fn entries_are_counted_through_and_read_again_after_a_restart() {
    for record in BOTH {
        let place = Place::new();
        place
            .start(record, async |t| {
                assert_eq!(add(&t, "s1", ["1".into(), "2".into()]).await, 1);
                assert_eq!(add(&t, "s2", ["x".into()]).await, 1, "each session has numbers of its own");
                assert_eq!(t.append(&key("s1"), 8, vec!["3".into()], true).await.unwrap(), 3);
            })
            .await;
        place
            .start(record, async |t| {
                assert_eq!(add(&t, "s1", ["4".into()]).await, 4);
                let page = t.page(&key("s1"), Part::Newest, 10).await.unwrap();
                let read: Vec<_> = page.iter().map(|e| (e.number, e.at_ms, e.body.as_str())).collect();
                assert_eq!(read, [(1, 7, "1"), (2, 7, "2"), (3, 8, "3"), (4, 7, "4")], "{record:?}");
                assert_eq!(t.last(&key("s1")).await.unwrap(), 4);
                assert!(t.page(&key("nobody"), Part::Newest, 10).await.unwrap().is_empty());
            })
            .await;
    }
}

#[tokio::test]
async fn each_store_goes_on_where_the_other_one_stopped() {
    let place = Place::new();
    for (record, first) in
        [(WriteTarget::Log, 1), (WriteTarget::Rows, 4), (WriteTarget::Log, 7), (WriteTarget::Rows, 10)]
    {
        let added = place.start(record, async |t| add(&t, "s1", (0..3).map(|n| format!("{}", first + n))).await).await;
        assert_eq!(added, first);
    }
    for record in BOTH {
        for limit in [1, 2, 5, 100] {
            let (ahead, back) = place.start(record, async |t| all(&t, "s1", limit).await).await;
            assert_eq!(numbers(&ahead), (1..=12).collect::<Vec<_>>(), "{record:?} by {limit}");
            assert_eq!(ahead, back);
            assert!(ahead.iter().all(|entry| entry.body == entry.number.to_string()));
        }
    }
}

#[tokio::test]
async fn a_page_has_what_was_asked_for_on_either_side_of_a_number() {
    for record in BOTH {
        Place::new()
            .start(record, async |t| {
                add(&t, "s1", (1..=2_000).map(|n| n.to_string())).await;
                for (part, limit, expected) in [
                    (Part::Newest, 3, vec![1_998, 1_999, 2_000]),
                    (Part::Before(1_000), 2, vec![998, 999]),
                    (Part::Before(1), 5, vec![]),
                    (Part::Before(3), 5, vec![1, 2]),
                    (Part::After(0), 2, vec![1, 2]),
                    (Part::After(1_500), 2, vec![1_501, 1_502]),
                    (Part::After(1_999), 5, vec![2_000]),
                    (Part::After(2_000), 5, vec![]),
                    (Part::Before(i64::MAX), 1, vec![2_000]),
                    (Part::After(i64::MAX), 1, vec![]),
                    (Part::Newest, 0, vec![]),
                ] {
                    assert_eq!(
                        numbers(&t.page(&key("s1"), part, limit).await.unwrap()),
                        expected,
                        "{record:?} {part:?}"
                    );
                }
            })
            .await;
    }
}

#[tokio::test]
async fn a_page_of_large_entries_is_cut_and_goes_on_without_a_gap() {
    let place = Place::new();
    let large = |n: usize| format!("{n}{}", "x".repeat(BODY_BYTES_MAX - 2));
    place.start(WriteTarget::Rows, async |t| add(&t, "s1", (0..6).map(large)).await).await;
    place
        .start(WriteTarget::Log, async |t| {
            add(&t, "s1", (0..6).map(large).chain(["small".into()])).await;
            let newest = t.page(&key("s1"), Part::Newest, 100).await.unwrap();
            let bytes: usize = newest.iter().map(|entry| entry.body.len()).sum();
            assert!(bytes <= PAGE_BYTES_MAX && newest.len() >= 4, "{} entries of {bytes} bytes", newest.len());
            let (ahead, back) = all(&t, "s1", 100).await;
            assert_eq!(numbers(&ahead), (1..=13).collect::<Vec<_>>());
            assert_eq!(numbers(&back), numbers(&ahead));
            let told = refused(t.append(&key("s1"), 1, vec!["x".repeat(BODY_BYTES_MAX + 1)], false).await, "too-large");
            assert!(told.detail().contains("1048576"), "{told}");
            assert_eq!(t.last(&key("s1")).await.unwrap(), 13);
        })
        .await;
}

#[tokio::test]
async fn what_a_crash_cut_off_is_left_out_wherever_it_was_cut() {
    let place = Place::new();
    place.start(WriteTarget::Log, async |t| add(&t, "s1", ["one".into(), "zwei ü".into(), "three".into()]).await).await;
    let whole = fs::read(file(&place, "s1")).unwrap();
    let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
    for cut in 0..=whole.len() {
        fs::write(file(&place, "s1"), &whole[..cut]).unwrap();
        let record = ends.iter().filter(|end| **end <= cut).count() as i64;
        place
            .start(WriteTarget::Log, async |t| {
                assert_eq!(t.last(&key("s1")).await.unwrap(), record, "cut at {cut}");
                assert_eq!(add(&t, "s1", ["next".into()]).await, record + 1);
                let page = t.page(&key("s1"), Part::Newest, 10).await.unwrap();
                assert_eq!(numbers(&page), (1..=record + 1).collect::<Vec<_>>(), "cut at {cut}");
            })
            .await;
    }
}

#[tokio::test]
async fn a_damaged_line_takes_no_other_along() {
    let place = Place::new();
    place.start(WriteTarget::Log, async |t| add(&t, "s1", (1..=300).map(|n| format!("body {n}"))).await).await;
    let mut bytes = fs::read(file(&place, "s1")).unwrap();
    let at = bytes.windows(9).position(|w| w == b"body 150\n").unwrap();
    bytes[at] = b'B';
    fs::write(file(&place, "s1"), &bytes).unwrap();
    place
        .start(WriteTarget::Log, async |t| {
            let (ahead, back) = all(&t, "s1", 20).await;
            let expected: Vec<i64> = (1..=300).filter(|n| *n != 150).collect();
            assert_eq!((numbers(&ahead), numbers(&back)), (expected.clone(), expected));
            assert_eq!(add(&t, "s1", ["next".into()]).await, 301);
        })
        .await;
    // Bytes that are no lines of ours at all.
    let mut log = OpenOptions::new().append(true).open(file(&place, "s1")).unwrap();
    log.write_all(&[0xff, 0, b'\n', b'\n', b'x']).unwrap();
    drop(log);
    place
        .start(WriteTarget::Log, async |t| {
            assert_eq!(add(&t, "s1", ["after".into()]).await, 302);
            assert_eq!(numbers(&t.page(&key("s1"), Part::Newest, 2).await.unwrap()), [301, 302]);
        })
        .await;
}

#[tokio::test]
async fn those_who_append_at_once_get_numbers_of_their_own() {
    for record in BOTH {
        Place::new()
            .start(record, async |t| {
                let t = std::sync::Arc::new(t);
                let append = |n: usize| {
                    let t = t.clone();
                    tokio::spawn(async move { add(&t, "s1", [format!("{n}a"), format!("{n}b")]).await })
                };
                let tasks: Vec<_> = (0..50).map(append).collect();
                let mut firsts = Vec::new();
                for task in tasks {
                    firsts.push(task.await.unwrap());
                }
                firsts.sort_unstable();
                assert_eq!(firsts, (0..50).map(|n| 1 + 2 * n).collect::<Vec<_>>());
                let page = t.page(&key("s1"), Part::Newest, 1_000).await.unwrap();
                assert!(
                    page.chunks(2).all(|two| two[0].body.trim_end_matches('a') == two[1].body.trim_end_matches('b'))
                );
            })
            .await;
    }
}

#[tokio::test]
async fn a_removed_transcript_is_gone_from_both_stores() {
    let place = Place::new();
    place.start(WriteTarget::Rows, async |t| add(&t, "s1", ["1".into()]).await).await;
    place
        .start(WriteTarget::Log, async |t| {
            add(&t, "s1", ["2".into()]).await;
            add(&t, "s2", ["stays".into()]).await;
            t.remove(&key("s1")).await.unwrap();
            assert_eq!(t.last(&key("s1")).await.unwrap(), 0);
            assert_eq!(t.last(&key("s2")).await.unwrap(), 1);
            assert_eq!(add(&t, "s1", ["anew".into()]).await, 1);
        })
        .await;
}

#[tokio::test]
async fn an_id_leads_to_no_file_elsewhere() {
    let place = Place::new();
    place
        .start(WriteTarget::Log, async |t| {
            for session in ["../x", "a/b", "", ".", "a\0b"] {
                refused(t.append(&key(session), 1, vec!["x".into()], false).await, "internal");
            }
        })
        .await;
    assert!(!Path::new(&place.0.path().join("x.log")).exists());
}

#[cfg(unix)]
#[tokio::test]
async fn a_transcript_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.start(WriteTarget::Log, async |t| add(&t, "s1", ["secret".into()]).await).await;
    assert_eq!(fs::metadata(file(&place, "s1")).unwrap().permissions().mode() & 0o777, 0o600);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn both_stores_read_the_same(
        steps in prop::collection::vec((any::<bool>(), prop::collection::vec("[a-zü]{0,300}", 1..20)), 1..12),
        before in 1_i64..200,
        limit in 1_usize..50,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let place = Place::new();
            let mut bodies: Vec<String> = Vec::new();
            for (in_rows, step) in steps {
                let record = if in_rows { WriteTarget::Rows } else { WriteTarget::Log };
                place.start(record, async |t| add(&t, "s1", step.clone()).await).await;
                bodies.extend(step);
            }
            let (ahead, back) = place.start(WriteTarget::Log, async |t| all(&t, "s1", limit).await).await;
            prop_assert_eq!(ahead.iter().map(|e| e.body.clone()).collect::<Vec<_>>(), bodies.clone());
            prop_assert_eq!(&ahead, &back);
            let page = place.start(WriteTarget::Rows, async |t| t.page(&key("s1"), Part::Before(before), limit).await.unwrap()).await;
            let end = (before - 1).min(bodies.len() as i64);
            prop_assert_eq!(numbers(&page), ((end - limit as i64).max(0) + 1..=end).collect::<Vec<_>>());
            Ok(())
        })?;
    }
}

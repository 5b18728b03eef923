use super::{Place, all, code, open_impatient, put, write};
use crate::{Db, params};
use kit::{Migration, error};
use rusqlite::Connection;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::io::AsyncReadExt;

fn refuse<T>() -> kit::error::Result<T> {
    Err(error::CONFLICT.error("No."))
}

/// Keeps the writer busy until the answer is dropped, once it has begun.
async fn hold_writer(db: &Db) -> (mpsc::Sender<()>, tokio::task::JoinHandle<kit::error::Result<()>>) {
    let (release, released) = mpsc::channel::<()>();
    let (begin, begun) = tokio::sync::oneshot::channel();
    let held = db.clone();
    let write = tokio::spawn(async move {
        held.write(move |_| {
            let _ = begin.send(());
            let _ = released.recv();
            Ok(())
        })
        .await
    });
    begun.await.expect("the write begins");
    (release, write)
}

/// Lets the other tasks run until this many writes wait.
async fn until_waiting(db: &Db, writes: usize) {
    while db.writes.waiting().len() < writes {
        tokio::task::yield_now().await;
    }
}

/// What a power failure would take back no test can see without one; this holds what SQLite promises for it.
#[tokio::test]
async fn every_commit_is_synced_to_the_disk() {
    let place = Place::new();
    let db = place.open();
    for round in ["opened", "opened again after a failure"] {
        let kept = db.write(|tx| {
            let of = |pragma: &str| {
                let mut found = None;
                tx.driver.query(&format!("PRAGMA {pragma}"), &[], &mut |row| {
                    found = Some(row.get::<i64>(0)?);
                    Ok(())
                })?;
                Ok::<_, kit::Error>(found)
            };
            let numbers = [of("synchronous")?, of("fullfsync")?];
            let mut log = None;
            tx.driver.query("PRAGMA journal_mode", &[], &mut |row| {
                log = Some(row.get::<String>(0)?);
                Ok(())
            })?;
            Ok((numbers, log))
        });
        // 2 is FULL: the log is synced before the commit is answered.
        assert_eq!(kept.await.unwrap(), ([Some(2), Some(1)], Some("wal".to_owned())), "{round}");
        db.writes.forget_connection();
    }
}

#[tokio::test]
async fn an_error_rolls_back_all_of_its_write() {
    let place = Place::new();
    let db = place.open();
    let outcome = db
        .write(|tx| {
            put(tx, "x", 1)?;
            refuse::<()>()
        })
        .await;
    assert_eq!(code(outcome), "conflict");
    assert_eq!(db.read(all).await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_panic_rolls_back_and_the_writer_lives_on() {
    let place = Place::new();
    let db = place.open();
    let outcome = db
        .write(|tx| -> kit::error::Result<()> {
            put(tx, "x", 1)?;
            panic!("on purpose")
        })
        .await;
    assert_eq!(code(outcome), "internal");
    write(&db, "y", 2).await.unwrap();
    assert_eq!(db.read(all).await.unwrap(), [("y".to_owned(), 2)].into());
}

#[tokio::test]
async fn writes_that_wait_together_share_a_commit_and_a_refused_one_keeps_its_neighbors() {
    let place = Place::new();
    let db = place.open();
    let before = db.commits();
    let (release, held) = hold_writer(&db).await;
    let writes: Vec<_> = (0..40)
        .map(|n| {
            let db = db.clone();
            tokio::spawn(async move {
                db.write(move |tx| {
                    put(tx, &format!("t{n:02}"), n)?;
                    match n {
                        7 => refuse(),
                        9 => panic!("on purpose"),
                        _ => Ok(()),
                    }
                })
                .await
            })
        })
        .collect();
    until_waiting(&db, 40).await;
    drop(release);
    held.await.unwrap().unwrap();
    for (n, write) in writes.into_iter().enumerate() {
        match (n, write.await.unwrap()) {
            (7, outcome) => assert_eq!(code(outcome), "conflict"),
            (9, outcome) => assert_eq!(code(outcome), "internal"),
            (_, outcome) => outcome.unwrap(),
        }
    }
    assert_eq!(db.commits() - before, 2, "one for the write that held the writer, one for the forty");
    let rows = db.read(all).await.unwrap();
    assert_eq!(rows.len(), 38);
    assert!(!rows.contains_key("t07") && !rows.contains_key("t09"));
}

#[tokio::test]
async fn what_follows_a_commit_runs_after_it_and_never_after_a_refusal() {
    let place = Place::new();
    let db = place.open();
    let (tell, told) = mpsc::channel();
    let (file, after) = (place.file(), tell.clone());
    db.write(move |tx| {
        put(tx, "x", 1)?;
        tx.after_commit(move || {
            let other = Connection::open(file).unwrap();
            let seen: i64 = other.query_row("SELECT count(*) FROM things", (), |row| row.get(0)).unwrap();
            after.send(seen).unwrap();
        });
        tx.after_commit(|| panic!("on purpose"));
        Ok(())
    })
    .await
    .expect("a fault in what follows does not undo the write");
    let refused = db.write(move |tx| {
        tx.after_commit(move || tell.send(-1).unwrap());
        refuse::<()>()
    });
    assert_eq!(code(refused.await), "conflict");
    assert_eq!(told.iter().collect::<Vec<_>>(), [1]);
    write(&db, "y", 2).await.unwrap();
}

#[tokio::test]
async fn where_no_transaction_begins_no_job_runs() {
    let place = Place::new();
    let db = open_impatient(&place.file()).unwrap();
    let other = Connection::open(place.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ran = Arc::new(AtomicBool::new(false));
    let seen = ran.clone();
    let outcome = db
        .write(move |tx| {
            seen.store(true, Ordering::SeqCst);
            put(tx, "x", 1)
        })
        .await;
    let refused = super::refusal(outcome);
    assert_eq!((refused.code().name, refused.retry_after_s()), ("database-locked", Some(5)));
    assert!(!ran.load(Ordering::SeqCst));
    other.execute_batch("ROLLBACK").unwrap();
    write(&db, "y", 2).await.unwrap();
    assert_eq!(db.read(all).await.unwrap(), [("y".to_owned(), 2)].into());
}

#[tokio::test]
async fn a_commit_that_fails_is_told_to_each_and_keeps_nothing() {
    // A reference that is checked at the end of the transaction makes the commit itself fail.
    const LINKED: &[(&str, super::Steps)] = &[(
        "links",
        &[Migration {
            number: 1,
            sql: "CREATE TABLE nodes (account_id TEXT NOT NULL, node_id TEXT NOT NULL, PRIMARY KEY (account_id, node_id));
                  CREATE TABLE links (account_id TEXT NOT NULL, node_id TEXT NOT NULL, PRIMARY KEY (account_id, node_id),
                    FOREIGN KEY (account_id, node_id) REFERENCES nodes (account_id, node_id) DEFERRABLE INITIALLY DEFERRED)",
        }],
    )];
    let place = Place::new();
    let db = Db::open(&place.file(), LINKED).unwrap();
    let before = db.commits();
    let (release, held) = hold_writer(&db).await;
    let insert = |sql: &'static str| {
        let db = db.clone();
        tokio::spawn(async move { db.write(move |tx| tx.execute(sql, &[])).await })
    };
    let good = insert("INSERT INTO nodes VALUES ('a', 'fine')");
    let bad = insert("INSERT INTO links VALUES ('a', 'nowhere')");
    until_waiting(&db, 2).await;
    drop(release);
    held.await.unwrap().unwrap();
    assert_eq!(code(good.await.unwrap()), "internal");
    assert_eq!(code(bad.await.unwrap()), "internal");
    assert_eq!(db.commits() - before, 1, "only that of the write that held the writer");
    let nodes = || db.read(|tx| tx.query("SELECT node_id FROM nodes", &[], |row| row.get::<String>(0)));
    assert_eq!(nodes().await.unwrap(), Vec::<String>::new());
    insert("INSERT INTO nodes VALUES ('a', 'fine')").await.unwrap().unwrap();
    assert_eq!(nodes().await.unwrap(), ["fine"]);
}

#[tokio::test]
async fn a_job_that_ends_the_transaction_changes_nothing_more_and_those_behind_it_run() {
    let place = Place::new();
    let db = place.open();
    let (release, held) = hold_writer(&db).await;
    let start = |id: &'static str, ends: bool| {
        let db = db.clone();
        tokio::spawn(async move {
            db.write(move |tx| {
                put(tx, id, 1)?;
                if ends {
                    // What a full disk does inside SQLite; a feature's own statement for it is refused.
                    tx.driver.execute("ROLLBACK", &[])?;
                    assert_eq!(code(put(tx, "outside", 1)), "internal");
                }
                Ok(())
            })
            .await
        })
    };
    let (before, ending, behind) = (start("before", false), start("ending", true), start("behind", false));
    until_waiting(&db, 3).await;
    drop(release);
    held.await.unwrap().unwrap();
    assert_eq!(code(before.await.unwrap()), "internal");
    assert_eq!(code(ending.await.unwrap()), "internal");
    behind.await.unwrap().unwrap();
    assert_eq!(db.read(all).await.unwrap(), [("behind".to_owned(), 1)].into());
}

#[tokio::test]
async fn a_caller_that_went_away_does_not_take_its_change_along() {
    let place = Place::new();
    let db = place.open();
    let (release, held) = hold_writer(&db).await;
    let leaving = db.clone();
    let gone = tokio::spawn(async move { write(&leaving, "x", 1).await });
    until_waiting(&db, 1).await;
    gone.abort();
    drop(release);
    held.await.unwrap().unwrap();
    write(&db, "y", 2).await.unwrap();
    assert_eq!(db.read(all).await.unwrap().len(), 2);
}

#[tokio::test]
async fn dollars_in_quotes_are_text_and_parameters_are_positions() {
    let place = Place::new();
    let db = place.open();
    let query = |tx: &mut crate::Tx<'_>| {
        tx.query_one("SELECT 'costs $1', $2, $1", params!["one", "two"], |row| {
            Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<String>(2)?))
        })
    };
    assert_eq!(db.read(query).await.unwrap(), ("costs $1".into(), "two".into(), "one".into()));
}

/// Answers each line that is sent to it, by tasks of the runtime.
async fn echo() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = stream.split();
                tokio::io::copy(&mut from, &mut to).await
            });
        }
    });
    at
}

#[test]
fn sockets_are_answered_while_a_write_keeps_the_thread_that_saw_to_them() {
    let place = Place::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let db = place.open();
    let others = runtime.block_on(echo());
    for round in 0..20 {
        // The next is committed without handing anything over.
        db.writes.was_quick();
        let (asks, asked) =
            std::net::TcpListener::bind("127.0.0.1:0").map(|one| (one.local_addr().unwrap(), one)).unwrap();
        let (begins, begun) = mpsc::channel();
        let (ends, end) = mpsc::channel::<()>();
        let writes = db.clone();
        // The thread that hears of the answer is the one that saw to the sockets, and goes on with the write.
        let asking = runtime.spawn(async move {
            let mut stream = tokio::net::TcpStream::connect(asks).await.unwrap();
            stream.read_u8().await.unwrap();
            writes
                .write(move |tx| {
                    put(tx, "slow", round)?;
                    begins.send(()).unwrap();
                    // Until somebody else was answered, or has waited in vain and hung up.
                    let _ = end.recv();
                    Ok(())
                })
                .await
        });
        asked.accept().unwrap().0.write_all(&[1]).unwrap();
        begun.recv().unwrap();
        let mut other = std::net::TcpStream::connect(others).unwrap();
        other.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        other.write_all(&[2]).unwrap();
        let answer = other.read_exact(&mut [0]);
        drop(ends);
        runtime.block_on(asking).unwrap().unwrap();
        answer.expect("an answer beside the write");
        assert!(db.writes.is_relieved(), "nothing was handed over before");
    }
}

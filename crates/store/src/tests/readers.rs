use super::{Place, code, put, write};
use crate::params;
use kit::error;
use rusqlite::Connection;
use std::sync::{Arc, Condvar, Mutex};

#[tokio::test]
async fn a_read_that_fails_or_panics_leaves_no_transaction_open() {
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    for round in 0..20 {
        let outcome = db
            .read(move |tx| -> kit::error::Result<()> {
                tx.query("SELECT thing_id FROM things", &[], |row| row.get::<String>(0))?;
                match round % 3 {
                    0 => panic!("on purpose"),
                    1 => tx.each("SELECT thing_id FROM things", &[], |_| Err(error::CONFLICT.error("No."))),
                    _ => tx.execute("SELECT nonsense FROM nowhere", &[]).map(drop),
                }
            })
            .await;
        assert!(outcome.is_err());
    }
    // A checkpoint that cuts the log is held up by any transaction left open.
    let other = Connection::open(place.file()).unwrap();
    let busy: i64 = other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0)).unwrap();
    assert_eq!(busy, 0);
}

#[tokio::test]
async fn reads_are_limited_in_number_and_all_get_their_turn() {
    let place = Place::new();
    let db = place.open();
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let reads: Vec<_> = (0..20)
        .map(|_| {
            let (db, gate, tell) = (db.clone(), gate.clone(), tell.clone());
            tokio::spawn(async move {
                db.read(move |_| {
                    let _ = tell.send(());
                    let open = gate.0.lock().unwrap();
                    drop(gate.1.wait_while(open, |open| !*open).unwrap());
                    Ok(())
                })
                .await
            })
        })
        .collect();
    for _ in 0..8 {
        told.recv().await.unwrap();
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(told.try_recv().is_err(), "a ninth read began while eight were running");
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    for read in reads {
        read.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_read_sees_one_state_and_changes_nothing() {
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    let writer = db.clone();
    let runtime = tokio::runtime::Handle::current();
    let counts = db
        .read(move |tx| {
            let count =
                |tx: &mut crate::Tx<'_>| tx.query_one("SELECT count(*) FROM things", &[], |row| row.get::<i64>(0));
            let first = count(tx)?;
            runtime.block_on(write(&writer, "y", 2))?;
            Ok((first, count(tx)?))
        })
        .await;
    assert_eq!(counts.unwrap(), (1, 1));
    assert_eq!(code(db.read(|tx| put(tx, "z", 3)).await), "internal");
    let returning = "DELETE FROM things WHERE account_id = $1 RETURNING n";
    assert_eq!(code(db.read(move |tx| tx.query(returning, params!["a"], |row| row.get::<i64>(0))).await), "internal");
}

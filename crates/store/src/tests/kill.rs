//! A program that is killed at any instant loses nothing that it has acknowledged, and leaves no half of a write behind.

use super::{Place, given_place, open_at, put, this_program};
use crate::{Db, params};
use kit::error;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

const ROUNDS: u64 = 200;
const WORKERS: usize = 3;
const ACKNOWLEDGED_BEFORE_KILL_MAX: u64 = 30;

/// Writes without end and says each that was acknowledged; run as another process by the test below.
#[test]
fn writes_until_killed() {
    let Some(file) = given_place() else { return };
    let db = open_at(&file);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let workers: Vec<_> = (0..WORKERS).map(|worker| runtime.spawn(work(db.clone(), worker))).collect();
    for worker in workers {
        runtime.block_on(worker).unwrap();
    }
}

async fn work(db: Db, worker: usize) {
    let newest = db
        .read(move |tx| {
            let sql = "SELECT n FROM things WHERE account_id = 'a' AND thing_id = $1";
            tx.query_opt(sql, params![format!("w{worker}")], |row| row.get::<i64>(0))
        })
        .await
        .unwrap();
    for n in newest.unwrap_or(0) + 1.. {
        if n % 5 == 0 {
            let refused = db.write(move |tx| {
                put(tx, &format!("w{worker}-{n}"), -1)?;
                Err::<(), _>(error::CONFLICT.error("No."))
            });
            assert!(refused.await.is_err());
        }
        // Three statements that belong together: the row, the removal of a passing one, and the count.
        let write = db.write(move |tx| {
            put(tx, &format!("w{worker}-{n}"), n)?;
            put(tx, &format!("passing{worker}-{n}"), n)?;
            tx.execute(
                "DELETE FROM things WHERE account_id = 'a' AND thing_id = $1",
                params![format!("passing{worker}-{}", n - 1)],
            )?;
            put(tx, &format!("w{worker}"), n)
        });
        write.await.unwrap();
        let mut out = std::io::stdout().lock();
        out.write_all(format!("acknowledged {worker} {n}\n").as_bytes()).unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn two_hundred_kills_lose_no_acknowledged_write() {
    let place = Place::new();
    let mut acknowledged = [0_i64; WORKERS];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..ROUNDS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Zero kills it while it starts, which is while it recovers from the kill before.
        let until = random % ACKNOWLEDGED_BEFORE_KILL_MAX;
        let mut child = this_program("tests::kill::writes_until_killed")
            .env("STORE_TEST_FILE", place.file())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen = 0;
        let mut note = |line: String| {
            let Some(rest) = line.strip_prefix("acknowledged ") else { return 0 };
            // The last line may be cut off by the kill; what was not said whole was not acknowledged.
            let Some((worker, n)) = rest.split_once(' ') else { return 0 };
            let (worker, n): (usize, i64) = (worker.parse().unwrap(), n.parse().unwrap());
            acknowledged[worker] = acknowledged[worker].max(n);
            1
        };
        while seen < until {
            seen += note(lines.next().expect("it writes until killed").unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines.map_while(Result::ok) {
            note(line);
        }
        verify(&place, &acknowledged, round);
    }
    assert!(acknowledged.iter().sum::<i64>() > ROUNDS as i64);
    drop(place.open());
}

#[track_caller]
fn verify(place: &Place, acknowledged: &[i64; WORKERS], round: u64) {
    let file = place.file();
    if !file.exists() {
        assert_eq!(acknowledged, &[0; WORKERS]);
        return;
    }
    let db = rusqlite::Connection::open(file).unwrap();
    let number = |sql: &str| db.query_row(sql, (), |row| row.get::<_, Option<i64>>(0)).unwrap().unwrap_or(0);
    assert_eq!(crate::open::check(&db), None, "round {round}");
    if !db.table_exists(None, "things").unwrap() {
        assert_eq!(acknowledged, &[0; WORKERS]);
        return;
    }
    assert_eq!(number("SELECT count(*) FROM things WHERE n < 0"), 0, "round {round}: of a refused write");
    for (worker, least) in acknowledged.iter().enumerate() {
        let newest = number(&format!("SELECT max(n) FROM things WHERE thing_id = 'w{worker}'"));
        assert!(newest >= *least, "round {round}: {least} was acknowledged, {newest} is there");
        assert_eq!(number(&format!("SELECT count(*) FROM things WHERE thing_id LIKE 'w{worker}-%'")), newest);
        assert_eq!(number(&format!("SELECT max(n) FROM things WHERE thing_id LIKE 'w{worker}-%'")), newest);
        let passing = number(&format!("SELECT count(*) FROM things WHERE thing_id LIKE 'passing{worker}-%'"));
        assert_eq!(passing, newest.min(1), "round {round}: half of a write");
    }
}

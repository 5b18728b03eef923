//! Any order of writes, refusals, bursts and restarts leaves what a map would hold.

use super::{Place, all, put};
use crate::{Db, params};
use kit::error;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Step {
    Put(u8, i64),
    Remove(u8),
    /// Changes something and is refused.
    Refuse(u8, i64),
    /// Writes that are waiting at the same time, each kept or refused.
    Burst(Vec<(u8, i64, bool)>),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let key = || 0..6_u8;
    prop_oneof![
        4 => (key(), any::<i64>()).prop_map(|(k, n)| Step::Put(k, n)),
        2 => key().prop_map(Step::Remove),
        2 => (key(), any::<i64>()).prop_map(|(k, n)| Step::Refuse(k, n)),
        2 => prop::collection::vec((key(), any::<i64>(), any::<bool>()), 2..8).prop_map(Step::Burst),
        1 => Just(Step::Reopen),
    ]
}

async fn write(db: Db, key: u8, n: i64, keep: bool) -> bool {
    let write = db.write(move |tx| {
        put(tx, &format!("k{key}"), n)?;
        if keep { Ok(()) } else { Err(error::CONFLICT.error("No.")) }
    });
    write.await.is_ok()
}

async fn remove(db: &Db, key: u8) {
    let sql = "DELETE FROM things WHERE account_id = 'a' AND thing_id = $1";
    db.write(move |tx| tx.execute(sql, params![format!("k{key}")])).await.unwrap();
}

async fn run(steps: Vec<Step>) {
    let place = Place::new();
    let mut db = place.open();
    let mut model = BTreeMap::new();
    for step in steps {
        match step {
            Step::Put(key, n) => {
                assert!(write(db.clone(), key, n, true).await);
                model.insert(format!("k{key}"), n);
            }
            Step::Remove(key) => {
                remove(&db, key).await;
                model.remove(&format!("k{key}"));
            }
            Step::Refuse(key, n) => assert!(!write(db.clone(), key, n, false).await),
            Step::Burst(writes) => {
                // On a runtime of one thread tasks begin in the order in which they are spawned, and so do their writes.
                let spawned: Vec<_> =
                    writes.iter().map(|(key, n, keep)| tokio::spawn(write(db.clone(), *key, *n, *keep))).collect();
                for (task, (key, n, keep)) in spawned.into_iter().zip(writes) {
                    assert_eq!(task.await.unwrap(), keep);
                    if keep {
                        model.insert(format!("k{key}"), n);
                    }
                }
            }
            Step::Reopen => db = place.open(),
        }
        assert_eq!(db.read(all).await.unwrap(), model);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_database_is_the_map(steps in prop::collection::vec(step(), 1..30)) {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(run(steps));
    }
}

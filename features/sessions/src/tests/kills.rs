//! The program is killed at random instants: every task is dropped where it stands, and the same database is opened again. Nothing
//! that was acknowledged is lost, no prompt is sent twice without saying so, no approval is lost.

use super::practice::{Begun, begin};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use testkit::ACCOUNT;

/// Lives of the program, and how often each is killed: 200 times in all.
const SEEDS: u64 = 4;
const KILLS: usize = 50;
const SESSIONS_MAX: usize = 5;

struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// What the person was told that it is done.
#[derive(Default)]
struct Told {
    sessions: Vec<String>,
    /// Session, the prompt's number in it, and its mark.
    prompts: usize,
    /// Session, request, and whether it was allowed.
    answers: Vec<(String, String, bool)>,
}

fn is_fine<T>(outcome: Result<T, kit::Error>) -> Option<T> {
    match outcome {
        Ok(done) => Some(done),
        Err(why) if why.code().name == "not-now" => None,
        Err(why) => panic!("{why}"),
    }
}

fn prompt(mark: usize) -> String {
    match mark % 3 {
        0 => format!("practice: say mark-{mark}.; stream 40; write file-{mark} text; say end"),
        1 => format!("practice: say mark-{mark}.; stream 20; say end"),
        _ => format!("practice: write file-{mark} text; say mark-{mark}.; fail crash"),
    }
}

/// What people do, until it is cut off.
async fn live(begun: &Begun, chance: &mut Chance, told: &mut Told) {
    loop {
        let any = told.sessions.get(chance.below(SESSIONS_MAX)).cloned();
        let mark = told.prompts;
        match (chance.below(8), any) {
            (0..=2, None) => {
                told.prompts += 1;
                let input = json!({"engine": "practice", "prompt": prompt(mark), "projectId": begun.hub["id"]});
                let made = is_fine(begun.program.owner("sessions.create", input).await).expect("it is made");
                told.sessions.push(made["id"].as_str().unwrap().to_owned());
            }
            (0..=1, Some(id)) => {
                told.prompts += 1;
                let input = json!({"sessionId": id, "prompt": prompt(mark)});
                is_fine(begun.program.owner("sessions.message", input).await);
            }
            (2..=4, Some(id)) => {
                let need = begun.get(&id).await["need"]["id"].as_str().map(str::to_owned);
                let Some(ask) = need else { continue };
                let allow = chance.below(3) > 0;
                let input = json!({"sessionId": id, "askId": ask, "allow": allow});
                if is_fine(begun.program.owner("sessions.answer", input).await).is_some() {
                    told.answers.push((id, ask, allow));
                }
            }
            (5, Some(id)) if chance.below(4) == 0 => {
                is_fine(begun.program.owner("sessions.stop", json!({"sessionId": id})).await);
            }
            (6, Some(id)) => drop(is_fine(begun.program.owner("sessions.resume", json!({"sessionId": id})).await)),
            _ => begun.pass(chance.below(6_000) as i64).await,
        }
        tokio::task::yield_now().await;
    }
}

async fn column(begun: &Begun, sql: &'static str) -> Vec<String> {
    let read = move |tx: &mut store::Tx<'_>| tx.query(sql, store::params![ACCOUNT], |row| row.get::<String>(0));
    store::HasDb::db(&begun.program.ctx).read(read).await.unwrap()
}

/// What holds right after each start.
async fn check(begun: &Begun, told: &Told) {
    for id in &told.sessions {
        let session = begun.get(id).await;
        assert_ne!(session["why"], "", "{session}");
    }
    // Whatever waits for an answer waits in the session, in its list and in the inbox.
    let open =
        column(begun, "SELECT session_id || ':' || ask_id FROM session_asks WHERE account_id = $1 AND answered_ms = 0")
            .await;
    let rows = "SELECT row_key FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 AND kind = 'approval'";
    let rows: BTreeSet<String> =
        column(begun, rows).await.iter().map(|key| key["session:".len()..].to_owned()).collect();
    assert_eq!(open.iter().cloned().collect::<BTreeSet<_>>(), rows);
    let lives = column(begun, "SELECT session_id || '|' || life FROM sessions WHERE account_id = $1").await;
    let of_lives = lives.iter().flat_map(|line| {
        let (id, life) = line.split_once('|').unwrap();
        let life: Value = serde_json::from_str(life).unwrap();
        let open = life["open"].as_array().unwrap().clone();
        open.into_iter().map(move |open| format!("{id}:{}", open["id"].as_str().unwrap())).collect::<Vec<_>>()
    });
    assert_eq!(of_lives.collect::<BTreeSet<_>>(), rows);
    for (id, ask, allow) in &told.answers {
        let all = begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
        let one = all["items"].as_array().unwrap().iter().find(|one| one["id"] == json!(ask)).expect("it is kept");
        assert_eq!(one["answer"], if *allow { "allowed" } else { "refused" });
    }
}

/// The prompts that agents were sent, as they kept them.
fn sent(begun: &Begun) -> Vec<String> {
    let mut sent = Vec::new();
    let mut folders = vec![begun.program.dir().join("sessions")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "json") {
                let state: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
                let said = state["said"].as_array().unwrap().iter().filter(|said| said["by_person"] == true);
                sent.extend(said.map(|said| said["text"].as_str().unwrap().to_owned()));
            }
        }
    }
    sent
}

/// Answers whatever waits, until every session rests.
async fn settle(begun: &Begun, told: &Told) {
    for _ in 0..2_000 {
        let mut is_at_rest = true;
        for id in &told.sessions {
            let session = begun.get(id).await;
            if let Some(ask) = session["need"]["id"].as_str() {
                is_fine(
                    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": true})).await,
                );
                is_at_rest = false;
            }
            let rests = ["idle", "stopped", "failed", "interrupted", "finished"];
            is_at_rest &= rests.iter().any(|state| session["state"] == *state);
        }
        if is_at_rest {
            return;
        }
        begun.pass(1_000).await;
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    for id in &told.sessions {
        println!("{}", begun.get(id).await);
    }
    panic!("some session comes to no rest");
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Everything ends where it stands; what a thread is just writing is written, as it is by the system.
fn kill(runtime: tokio::runtime::Runtime) {
    runtime.shutdown_timeout(Duration::from_secs(60));
}

fn one_life(seed: u64) {
    println!("seed {seed}");
    let (mut chance, mut told) = (Chance(seed), Told::default());
    let first = runtime();
    let mut begun = first.block_on(begin());
    // So that it asks before it writes.
    begun.set(&[("agentPermissionLevel", json!("read_only"))]);
    kill(first);
    for n in 0..KILLS {
        println!("kill {n}");
        let life = runtime();
        begun = life.block_on(async {
            let begun = begun.crash().await;
            check(&begun, &told).await;
            let steps = chance.below(2_000);
            tokio::select! {
                biased;
                () = live(&begun, &mut chance, &mut told) => {}
                () = async { for _ in 0..steps { tokio::task::yield_now().await } } => {}
            }
            begun
        });
        kill(life);
    }
    let last = runtime();
    last.block_on(async {
        let begun = begun.crash().await;
        check(&begun, &told).await;
        settle(&begun, &told).await;
        check(&begun, &told).await;
        let sent = sent(&begun);
        for mark in 0..told.prompts {
            let word = format!("say mark-{mark}.");
            let plain = sent.iter().filter(|text| text.contains(&word) && !text.starts_with("[Pilothouse")).count();
            assert!(plain <= 1, "prompt {mark} was sent {plain} times without a word about it");
            let file = begun.folder.path().join(format!("file-{mark}"));
            let allowed = "SELECT request FROM session_asks WHERE account_id = $1 AND answer = 'allowed'";
            let is_allowed =
                column(&begun, allowed).await.iter().any(|request| request.contains(&format!("file-{mark}\"")));
            assert!(!file.exists() || is_allowed, "file {mark} was made without leave");
        }
        let waiting = "SELECT session_id FROM session_prompts WHERE account_id = $1 AND state = 'waiting' AND session_id IN \
             (SELECT session_id FROM sessions WHERE account_id = $1 AND state IN ('idle', 'stopped', 'finished'))";
        assert_eq!(column(&begun, waiting).await, Vec::<String>::new(), "each prompt was sent, or is told not to be");
    });
    kill(last);
}

#[test]
fn two_hundred_kills_lose_nothing_and_send_nothing_twice() {
    (0..SEEDS).for_each(one_life);
}

//! Whole sessions with the practice agent on the other side of a pipe, in this process.

use crate::engine_host::EngineHost;
use crate::service::Sessions;
pub(super) use crate::testing::{Never, start_here};
use crate::worktrees::WorkDir;
use crate::{feature, testing};
use engines::Machine;
use engines::world::{Sleep, World};
use kit::{Call, Caller, Feature, Kind, SettingsSource, SpareDir};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, json_of, refused};

#[path = "page.rs"]
mod page;

/// What a test hands its program, also where that starts again.
#[derive(Clone)]
pub(super) struct Hands {
    pub(super) start: crate::engine_host::Start,
    /// The share of memory in use, in percent.
    pub(super) memory: Arc<Mutex<Option<f64>>>,
    pub(super) machine: Machine,
    pub(super) sleep: Arc<dyn Sleep>,
    set: Arc<Set>,
}

impl Hands {
    pub(super) fn new(start: crate::engine_host::Start) -> Hands {
        let machine = Machine { home: "/home/tester".into(), ..Machine::default() };
        Hands { start, memory: Arc::default(), machine, sleep: Arc::new(Never), set: Arc::default() }
    }

    /// Settings that differ from their defaults from the start.
    pub(super) fn set(&self, values: &[(&'static str, Value)]) {
        self.set.0.lock().unwrap().extend(values.iter().cloned());
    }
}

thread_local! {
    /// Each test has a thread of its own.
    static HANDS: std::cell::RefCell<Option<Hands>> = const { std::cell::RefCell::new(None) };
}

/// Hands sessions a machine of their own, and brings the table of the inbox.
pub(super) fn machine() -> Feature {
    Feature {
        migrations: inbox_rows::MIGRATIONS,
        start: |ctx| {
            Box::pin(async move {
                ctx.provide(Arc::new(WorkDir(ctx.service::<SpareDir>().0.join("work"))));
                let hands = HANDS.with_borrow(Clone::clone);
                let Hands { start, memory, mut machine, sleep, set } =
                    hands.unwrap_or_else(|| Hands::new(Arc::new(start_here)));
                let host = testing::engine_host(&ctx);
                // Git is the machine's own, without anybody's configuration of it.
                let path = std::env::var("PATH").unwrap_or_default();
                for (name, value) in
                    [("PATH", &*path), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")]
                {
                    machine.env.entry(name.to_owned()).or_insert_with(|| value.to_owned());
                }
                let world = World { sleep, ..host.world.clone() };
                let memory = Arc::new(move || *memory.lock().unwrap());
                ctx.provide(Arc::new(EngineHost { machine, world, start, memory, ..host }));
                ctx.provide_settings(set);
                Ok(())
            })
        },
        ..Feature::named("machine")
    }
}

/// Settings that a test changed.
#[derive(Default)]
struct Set(Mutex<HashMap<&'static str, Value>>);

impl SettingsSource for Set {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        self.0.lock().unwrap().get(key).cloned()
    }
}

pub(super) struct Begun {
    pub(super) program: Program,
    pub(super) folder: TempDir,
    pub(super) hub: Value,
}

pub(super) async fn begin() -> Begun {
    begin_with(Hands::new(Arc::new(start_here))).await
}

pub(super) async fn begin_with(hands: Hands) -> Begun {
    HANDS.set(Some(hands));
    begun(|| vec![machine(), feature()]).await
}

pub(super) async fn begin_on(features: fn() -> Vec<Feature>) -> Begun {
    begin_on_with(features, Hands::new(Arc::new(start_here))).await
}

pub(super) async fn begin_on_with(features: fn() -> Vec<Feature>, hands: Hands) -> Begun {
    HANDS.set(Some(hands));
    begun(features).await
}

async fn begun(features: fn() -> Vec<Feature>) -> Begun {
    let program = Program::start(features).await;
    let folder = TempDir::new().unwrap();
    let hub = program.owner("hubs.create", json!({"folder": folder.path().to_str().unwrap()})).await.unwrap();
    Begun { program, folder, hub }
}

impl Begun {
    /// Settings that differ from their defaults from now on, also when the program starts again.
    pub(super) fn set(&self, values: &[(&'static str, Value)]) {
        let set = HANDS.with_borrow(|hands| hands.as_ref().unwrap().set.clone());
        *set.0.lock().unwrap() = values.iter().cloned().collect();
    }

    pub(super) async fn crash(self) -> Begun {
        let Begun { program, folder, hub } = self;
        Begun { program: program.crash().await, folder, hub }
    }

    /// Restores the newest backup, and starts again.
    pub(super) async fn restore(self) -> Begun {
        let Begun { program, folder, hub } = self;
        Begun { program: program.restore().await, folder, hub }
    }

    pub(super) async fn start(&self, prompt: &str) -> String {
        let input = json!({"engine": "practice", "prompt": prompt, "projectId": self.hub["id"]});
        let made = self.program.owner("sessions.create", input).await.expect("a session");
        made["id"].as_str().unwrap().to_owned()
    }

    pub(super) async fn get(&self, id: &str) -> Value {
        self.program.owner("sessions.get", json!({"sessionId": id})).await.unwrap()
    }

    /// Lets what runs run on until the session stands there.
    pub(super) async fn until(&self, id: &str, state: &str) -> Value {
        // Many, since other tests want the processor too.
        for _ in 0..200_000 {
            let session = self.get(id).await;
            if session["state"] == state {
                return session;
            }
            tokio::task::yield_now().await;
        }
        panic!("{} is expected, but it is {}", state, self.get(id).await);
    }

    /// The transcript once one of its entries is such.
    pub(super) async fn entries_once(&self, id: &str, such: impl Fn(&Value) -> bool) -> Vec<Value> {
        for _ in 0..20_000 {
            let sessions = self.program.ctx.service::<Sessions>();
            sessions.tick().await;
            let entries = self.entries(id).await;
            if entries.iter().any(&such) {
                return entries;
            }
            tokio::task::yield_now().await;
        }
        panic!("no such entry: {:?}", self.entries(id).await);
    }

    /// The same while time passes, second by second.
    pub(super) async fn later(&self, id: &str, state: &str) -> Value {
        for _ in 0..400 {
            for _ in 0..40 {
                let session = self.get(id).await;
                if session["state"] == state {
                    return session;
                }
                tokio::task::yield_now().await;
            }
            self.pass(1_000).await;
        }
        panic!("{} is expected, but it is {}", state, self.get(id).await);
    }

    /// So much time passes.
    pub(super) async fn pass(&self, ms: i64) {
        self.program.clock.advance_ms(ms);
        // A session that is just at something would be looked at the next time.
        self.program.ctx.service::<Sessions>().at_rest().await;
        self.program.do_chores().await;
    }

    /// Lets what runs run on until this holds.
    pub(super) async fn holds(&self, what: &str, is_so: impl AsyncFn() -> bool) {
        for _ in 0..30_000 {
            if is_so().await {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("{what} is waited for in vain");
    }

    /// The rows of the inbox about more than a turn's end: kind, and the outcome of those that are settled.
    pub(super) async fn rows(&self) -> Vec<(String, String)> {
        let read = |tx: &mut store::Tx<'_>| {
            let sql = "SELECT kind, outcome FROM inbox_rows WHERE account_id = $1 AND kind <> 'done' ORDER BY row_id";
            tx.query(sql, store::params![ACCOUNT], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))
        };
        store::HasDb::db(&self.program.ctx).read(read).await.unwrap()
    }

    /// How many entries of this kind the transcript has.
    pub(super) async fn count(&self, id: &str, kind: &str) -> usize {
        self.entries(id).await.iter().filter(|entry| entry["entry"] == kind).count()
    }

    pub(super) async fn entries(&self, id: &str) -> Vec<Value> {
        let input = json!({"sessionId": id, "after": 0, "limit": 1000});
        let read = self.program.owner("sessions.transcript", input).await.unwrap();
        read["entries"].as_array().unwrap().iter().map(|entry| entry["body"].clone()).collect()
    }

    /// What the agent said, as one text.
    pub(super) async fn said(&self, id: &str) -> String {
        let entries = self.entries(id).await;
        let said = entries.iter().filter(|entry| entry["told"]["event"] == "said");
        said.filter_map(|entry| entry["told"]["chunk"]["text"].as_str()).collect()
    }

    /// What waits for an answer.
    pub(super) async fn asked(&self, id: &str) -> String {
        self.until(id, "awaitingPermission").await["need"]["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_session_works_on_its_prompt_and_waits_for_the_next() {
    let place = begin().await;
    let id = place.start("practice: say Hello there").await;
    let session = place.until(&id, "idle").await;
    assert_eq!((&session["turns"], &session["title"]), (&json!(1), &json!("practice: say Hello there")));
    assert!(place.said(&id).await.contains("Hello there"));
    let next = json!({"sessionId": id, "prompt": "practice: say Again"});
    place.program.owner("sessions.message", next).await.unwrap();
    while place.get(&id).await["turns"] != 2 {
        tokio::task::yield_now().await;
    }
    let entries = place.entries(&id).await;
    let prompts: Vec<_> =
        entries.iter().filter(|entry| entry["entry"] == "prompt").map(|entry| &entry["prompt"]).collect();
    assert_eq!(prompts, [&json!(1), &json!(2)], "each was sent once");
}

#[tokio::test]
async fn what_may_not_be_done_alone_waits_for_the_person_once_in_the_inbox_too() {
    let place = begin().await;
    let id = place.start("practice: run echo done > made.txt; say finished").await;
    let ask = place.asked(&id).await;
    assert_eq!(place.rows().await, [("approval".to_owned(), String::new())]);
    let yes = json!({"sessionId": id, "askId": ask, "allow": true});
    place.program.owner("sessions.answer", yes.clone()).await.unwrap();
    refused(place.program.owner("sessions.answer", yes).await, "not-now");
    let asks = place.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    assert_eq!((&asks["items"][0]["answer"], &asks["items"][0]["answeredBy"]), (&json!("allowed"), &json!("owner")));
    assert!(asks["items"][0]["why"].as_str().unwrap().contains("agentPermissionLevel"), "{asks}");
    place.until(&id, "idle").await;
    assert_eq!(place.rows().await, [("approval".to_owned(), "allowed".to_owned())]);
    assert_eq!(std::fs::read_to_string(place.folder.path().join("made.txt")).unwrap().trim(), "done");
    assert!(place.said(&id).await.contains("finished"));
}

#[tokio::test]
async fn a_refused_command_does_not_run() {
    let place = begin().await;
    let id = place.start("practice: run touch made.txt").await;
    let ask = place.asked(&id).await;
    place.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": false})).await.unwrap();
    place.until(&id, "idle").await;
    assert!(!place.folder.path().join("made.txt").exists());
}

#[tokio::test]
async fn at_full_nobody_is_asked_and_sensitive_files_are_asked_for_below_it() {
    let place = begin().await;
    place.set(&[("agentPermissionLevel", json!("full"))]);
    let id = place.start("practice: run touch made.txt").await;
    place.until(&id, "idle").await;
    assert!(place.folder.path().join("made.txt").exists());
    place.set(&[("agentPermissionLevel", json!("autonomous"))]);
    let id = place.start("practice: read /home/tester/.ssh/id_ed25519").await;
    let ask = place.asked(&id).await;
    place.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": false})).await.unwrap();
    place.until(&id, "idle").await;
}

#[tokio::test]
async fn a_long_word_in_a_command_is_no_sensitive_file() {
    let place = begin().await;
    place.set(&[("agentPermissionLevel", json!("autonomous"))]);
    let id = place.start(&format!("practice: run echo {} > made.txt", "YWJj".repeat(200))).await;
    place.until(&id, "idle").await;
    assert!(place.folder.path().join("made.txt").exists(), "nobody was asked");
    let id = place.start(&format!("practice: run cat .env.{}", "a".repeat(300))).await;
    let ask = place.asked(&id).await;
    place.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": false})).await.unwrap();
    place.until(&id, "idle").await;
}

#[tokio::test]
async fn a_failure_is_never_shown_as_done_and_says_what_it_is() {
    let place = begin().await;
    for (prompt, state, kind) in [
        ("practice: fail auth", "failed", "auth"),
        ("practice: fail request", "failed", "request"),
        ("practice: fail limit", "parked", ""),
    ] {
        let id = place.start(prompt).await;
        let session = place.until(&id, state).await;
        if !kind.is_empty() {
            assert_eq!(session["detail"]["failure"]["kind"], kind, "{prompt}");
        }
        assert!(!session["why"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_stopped_session_stays_stopped_until_the_person_goes_on() {
    let place = begin().await;
    let id = place.start("practice: wait 30; say never").await;
    place.until(&id, "running").await;
    place.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "stopped").await;
    refused(place.program.owner("sessions.stop", json!({"sessionId": id})).await, "not-now");
    place.program.owner("sessions.message", json!({"sessionId": id, "prompt": "practice: say Back"})).await.unwrap();
    place.until(&id, "idle").await;
    assert!(place.said(&id).await.contains("Back") && !place.said(&id).await.contains("never"));
}

#[tokio::test]
async fn after_a_crash_what_ran_goes_on_and_what_waited_waits() {
    let place = begin().await;
    let running = place.start("practice: wait 30; say never").await;
    place.until(&running, "running").await;
    let waiting = place.start("practice: say Hi").await;
    place.until(&waiting, "idle").await;
    let stopped = place.start("practice: wait 30").await;
    place.until(&stopped, "running").await;
    place.program.owner("sessions.stop", json!({"sessionId": stopped})).await.unwrap();
    place.until(&stopped, "stopped").await;
    let asking = place.start("practice: run touch x").await;
    place.asked(&asking).await;

    let Begun { program, folder, hub } = place;
    let place = Begun { program: program.crash().await, folder, hub };
    place.until(&stopped, "stopped").await;
    for _ in 0..20 {
        // Those that come back keep a distance.
        place.program.clock.advance_ms(5_000);
        place.program.do_chores().await;
        tokio::task::yield_now().await;
    }
    place.until(&waiting, "idle").await;
    place.until(&asking, "awaitingPermission").await;
    let nudges = async |id: &str| place.entries(id).await.iter().filter(|entry| entry["entry"] == "nudge").count();
    for _ in 0..20_000 {
        if nudges(&running).await == 1 {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert_eq!((nudges(&running).await, nudges(&waiting).await), (1, 0));
    let entries = place.entries(&running).await;
    assert_eq!(entries.iter().filter(|entry| entry["entry"] == "prompt").count(), 1, "no prompt is sent twice");
}

pub(super) fn agent(session: &str) -> Caller {
    let scopes = ["sessions:spawn", "sessions:read", "sessions:write"].map(str::to_owned).to_vec();
    Caller { session: Some(session.into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") }
}

#[tokio::test]
async fn each_rule_of_starting_answers_with_its_code_and_names_its_setting() {
    let place = begin().await;
    let parent = place.start("practice: say parent").await;
    place.until(&parent, "idle").await;
    let spawn = async |caller: Caller, source: Option<&str>, driven: bool| {
        let call = Call { source_session: source.map(str::to_owned), ..Call::new(caller) };
        let input = json!({"engine": "practice", "prompt": "practice: say child", "projectId": place.hub["id"], "driven": driven});
        place.program.call(call, "sessions.create", input).await.map(|reply| json_of(&reply))
    };
    let cli = || Caller::new(Kind::Cli, ACCOUNT, "cli");
    let told = refused(spawn(agent(&parent), Some(&parent), false).await, "agent-token-spawn");
    assert_eq!(told.member("setting"), Some(&json!("allowAgentTokenSpawn")));
    for source in [None, Some("nobody")] {
        let told = refused(spawn(cli(), source, false).await, "source-session-required");
        assert_eq!(told.member("setting"), Some(&json!("requireSpawnSourceSession")));
    }
    let told = refused(spawn(cli(), Some(&parent), true).await, "agent-driven-disabled");
    assert_eq!(told.member("setting"), Some(&json!("agentDrivenSessionsEnabled")));
    let child = spawn(cli(), Some(&parent), false).await.unwrap();
    assert_eq!((&child["parentId"], &child["origin"]), (&json!(parent), &json!("agent")));
    place.set(&[("allowAgentTokenSpawn", json!(true))]);
    spawn(agent(&parent), Some(&parent), false).await.unwrap();
    refused(spawn(agent(&parent), Some(child["id"].as_str().unwrap()), false).await, "source-session-required");
    place.set(&[("requireSpawnSourceSession", json!(false))]);
    spawn(cli(), None, false).await.unwrap();
    let follow_up = json!({"sessionId": parent, "prompt": "practice: say more"});
    refused(place.program.as_caller(cli(), "sessions.message", follow_up).await, "agent-driven-disabled");
}

#[tokio::test]
async fn however_many_ask_at_once_no_more_agent_driven_sessions_start_than_may() {
    let place = begin().await;
    place.set(&[
        ("agentDrivenSessionsEnabled", json!(true)),
        ("requireSpawnSourceSession", json!(false)),
        ("agentDrivenMaxConcurrent", json!(3)),
        ("cliSpawnSpacingSeconds", json!(0)),
    ]);
    let program = Arc::new(place.program);
    let spawn = |n: usize| {
        let (program, hub) = (program.clone(), place.hub["id"].clone());
        tokio::spawn(async move {
            let input = json!({"engine": "practice", "prompt": format!("practice: wait {n}"), "projectId": hub, "driven": true});
            program.as_caller(Caller::new(Kind::Cli, ACCOUNT, "cli"), "sessions.create", input).await
        })
    };
    let tasks: Vec<_> = (100..150).map(spawn).collect();
    let mut made = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => made += 1,
            Err(why) => {
                assert_eq!((why.code().name, why.code().status), ("agent-concurrency", 429), "{why}");
                assert_eq!(why.member("setting"), Some(&json!("agentDrivenMaxConcurrent")));
            }
        }
    }
    assert_eq!(made, 3);
    let listed = program.owner("sessions.list", json!({})).await.unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 3, "of those that were refused nothing is there");
}

#[tokio::test]
async fn starts_of_scripts_keep_their_distance_and_the_persons_do_not_wait() {
    let place = begin().await;
    place.set(&[("requireSpawnSourceSession", json!(false)), ("cliSpawnSpacingSeconds", json!(10))]);
    let mut ids = Vec::new();
    for n in 0..3 {
        let input = json!({"engine": "practice", "prompt": format!("practice: say {n}"), "projectId": place.hub["id"]});
        let cli = Caller::new(Kind::Cli, ACCOUNT, "cli");
        let made = place.program.as_caller(cli, "sessions.create", input).await.unwrap();
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    // A script's session that nobody goes on with ends with its work.
    place.until(&ids[0], "finished").await;
    assert_eq!(place.get(&ids[1]).await["state"], "queued");
    let own = place.start("practice: say mine").await;
    place.until(&own, "idle").await;
    place.program.clock.advance_ms(9_999);
    place.program.do_chores().await;
    assert_eq!(place.get(&ids[1]).await["state"], "queued");
    place.program.clock.advance_ms(1);
    place.program.do_chores().await;
    place.until(&ids[1], "finished").await;
    assert_eq!(place.get(&ids[2]).await["state"], "queued");
    // A change counts for those that wait.
    place.set(&[("requireSpawnSourceSession", json!(false)), ("cliSpawnSpacingSeconds", json!(0))]);
    place.program.do_chores().await;
    place.until(&ids[2], "finished").await;
}

#[tokio::test]
async fn another_accounts_sessions_are_not_there() {
    let place = begin().await;
    let id = place.start("practice: say mine").await;
    place.until(&id, "idle").await;
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let listed = place.program.as_caller(other(), "sessions.list", json!({})).await.unwrap();
    assert_eq!(listed["items"], json!([]));
    for (op, input) in [
        ("sessions.get", json!({"sessionId": id})),
        ("sessions.transcript", json!({"sessionId": id})),
        ("sessions.asks", json!({"sessionId": id})),
        ("sessions.message", json!({"sessionId": id, "prompt": "x"})),
        ("sessions.answer", json!({"sessionId": id, "askId": "1", "allow": true})),
        ("sessions.stop", json!({"sessionId": id})),
        ("sessions.resume", json!({"sessionId": id})),
        ("sessions.pause", json!({"sessionId": id})),
        ("sessions.archive", json!({"sessionId": id})),
    ] {
        refused(place.program.as_caller(other(), op, input).await, "not-found");
    }
    let hub = json!({"engine": "practice", "prompt": "x", "projectId": place.hub["id"]});
    refused(place.program.as_caller(other(), "sessions.create", hub).await, "named-not-found");
}

#[tokio::test]
async fn a_session_takes_its_hub_by_unique_name() {
    let place = begin().await;
    let folders = tempfile::TempDir::new().unwrap();
    let make = async |folder: &str, name: &str| {
        let folder = folders.path().join(folder);
        std::fs::create_dir(&folder).unwrap();
        let hub = json!({"folder": folder.to_str().unwrap(), "name": name});
        place.program.owner("hubs.create", hub).await.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let (only, first, second) = (make("a", "Engine").await, make("b", "Twice").await, make("c", "Twice").await);
    let create = async |hub: &str| {
        let input = json!({"engine": "practice", "prompt": "practice: say Hi", "projectId": hub});
        place.program.owner("sessions.create", input).await
    };
    for name in [only.as_str(), "Engine", " engine "] {
        assert_eq!(create(name).await.unwrap()["projectId"], json!(only), "{name}");
    }
    let error = refused(create("Twice").await, "named-not-found");
    assert_eq!(error.fields()[0].pointer, "/projectId");
    assert!([&first, &second].iter().all(|id| error.detail().contains(*id)), "{error}");
    assert!(!error.detail().contains(&only), "{error}");
    let error = refused(create("Nothing").await, "named-not-found");
    assert!([&only, &first, &second].iter().all(|id| error.detail().contains(*id)), "{error}");
}

#[tokio::test]
async fn a_stopped_tree_leaves_nothing_in_memory() {
    let place = begin().await;
    let id = place.start("practice: say Hi").await;
    place.until(&id, "idle").await;
    place.program.owner("sessions.archive", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "archived").await;
    let lets_go = async || {
        place.program.do_chores().await;
        place.program.ctx.service::<Sessions>().at_work() == 0
    };
    place.holds("that nothing is in memory", lets_go).await;
    place.get(&id).await;
}

#[tokio::test]
async fn a_program_that_ends_in_order_ends_its_engines_and_brings_its_sessions_back() {
    let begun = begin().await;
    let running = begun.start("practice: say Begun; wait 30").await;
    // The turn is under way only then: an agent that is ended before it has begun one is not what this is about.
    while !begun.said(&running).await.contains("Begun") {
        tokio::task::yield_now().await;
    }
    let Begun { program, folder, hub } = begun;
    let begun = Begun { program: program.restart().await, folder, hub };
    begun.program.do_chores().await;
    begun.until(&running, "idle").await;
    let entries = begun.entries(&running).await;
    let nudges: Vec<_> = entries.iter().filter(|entry| entry["entry"] == "nudge").collect();
    assert_eq!(nudges.len(), 1, "{entries:?}");
    assert!(nudges[0]["text"].as_str().unwrap().contains("was closed"), "{nudges:?}");
}

#[tokio::test]
async fn a_question_is_answered_with_what_the_person_fills_in() {
    let begun = begin().await;
    let id = begun.start("practice: ask Which color?").await;
    let ask = begun.until(&id, "awaitingInput").await["need"]["id"].as_str().unwrap().to_owned();
    let asks = begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    assert_eq!((&asks["items"][0]["kind"], &asks["items"][0]["answer"]), (&json!("question"), &Value::Null));
    let answer = json!({"sessionId": id, "askId": ask, "allow": true, "value": {"answer": "green"}});
    begun.program.owner("sessions.answer", answer).await.unwrap();
    begun.until(&id, "idle").await;
    assert!(begun.said(&id).await.contains("green"), "{}", begun.said(&id).await);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_out_of_the_project_is_asked_about_by_where_it_leads() {
    let begun = begin().await;
    let elsewhere = TempDir::new().unwrap();
    std::fs::write(elsewhere.path().join("secret"), "s").unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("secret"), begun.folder.path().join("notes.txt")).unwrap();
    std::fs::write(begun.folder.path().join("plain.txt"), "p").unwrap();
    let id = begun.start("practice: write plain.txt changed").await;
    begun.until(&id, "idle").await;
    let id = begun.start("practice: write notes.txt changed").await;
    let ask = begun.asked(&id).await;
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": false})).await.unwrap();
    begun.until(&id, "idle").await;
    assert_eq!(std::fs::read_to_string(elsewhere.path().join("secret")).unwrap(), "s");
}

#[tokio::test]
async fn an_engine_that_crashes_in_mid_turn_comes_back_and_its_next_request_is_answered_too() {
    let begun = begin().await;
    let id = begun.start("practice: run touch one; fail crash").await;
    let first = begun.asked(&id).await;
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": first, "allow": true})).await.unwrap();
    begun.until(&id, "idle").await;
    let entries = begun.entries(&id).await;
    assert!(entries.iter().any(|entry| entry["entry"] == "nudge"), "it went on after the crash");
    begun
        .program
        .owner("sessions.message", json!({"sessionId": id, "prompt": "practice: run touch two"}))
        .await
        .unwrap();
    let second = begun.asked(&id).await;
    assert_ne!(first, second, "each launch counts its requests from the beginning, and they are told apart");
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": second, "allow": true})).await.unwrap();
    begun.until(&id, "idle").await;
    assert!(begun.folder.path().join("one").exists() && begun.folder.path().join("two").exists());
}

#[tokio::test]
async fn a_request_that_outlives_its_process_is_answered_and_leaves_the_inbox() {
    let begun = begin().await;
    let id = begun.start("practice: run touch x").await;
    let ask = begun.asked(&id).await;
    let Begun { program, folder, hub } = begun;
    let begun = Begun { program: program.crash().await, folder, hub };
    begun.until(&id, "awaitingPermission").await;
    let open = async || {
        let read = |tx: &mut store::Tx<'_>| {
            let sql = "SELECT count(*) FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 AND kind <> 'done'";
            tx.query_one(sql, store::params![ACCOUNT], |row| row.get::<i64>(0))
        };
        store::HasDb::db(&begun.program.ctx).read(read).await.unwrap()
    };
    assert_eq!(open().await, 1);
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": true})).await.unwrap();
    assert_eq!(open().await, 0);
    begun.until(&id, "idle").await;
}

#[tokio::test]
async fn a_session_steers_itself_and_its_children_and_no_other() {
    let begun = begin().await;
    begun.set(&[("agentDrivenSessionsEnabled", json!(true))]);
    let (own, other) = (begun.start("practice: say own").await, begun.start("practice: say other").await);
    begun.until(&own, "idle").await;
    begun.until(&other, "idle").await;
    let say = |id: &str| json!({"sessionId": id, "prompt": "practice: say more"});
    refused(begun.program.as_caller(agent(&own), "sessions.message", say(&other)).await, "not-found");
    begun.program.as_caller(agent(&own), "sessions.message", say(&own)).await.unwrap();
}

#[tokio::test]
async fn a_new_session_is_logged_as_made_and_its_transcript_begins_with_its_start() {
    let place = begin().await;
    let id = place.start("practice: say Hi").await;
    place.until(&id, "idle").await;
    let session = id.clone();
    let read = move |tx: &mut store::Tx<'_>| {
        let sql = "SELECT field, before_json, after_json FROM changes WHERE account_id = $1 AND subject_id = $2";
        tx.query(sql, store::params![ACCOUNT, &session], |row| {
            Ok((row.get::<String>(0)?, row.get::<Option<String>>(1)?, row.get::<String>(2)?))
        })
    };
    let logged = store::HasDb::db(&place.program.ctx).read(read).await.unwrap();
    let made = json!({"title": "practice: say Hi", "engine": "practice", "cwd": place.hub["folder"]});
    assert_eq!(logged, [(String::new(), None, made.to_string())]);
    let states = place.entries(&id).await.into_iter().filter(|entry| entry["entry"] == "state");
    let states: Vec<Value> = states.map(|entry| entry["state"]["state"].clone()).collect();
    assert_eq!(states, ["launching", "running", "idle"]);
}

//! The calls that settings and the state of the machine cause, on each system, recorded by a machine of the tests.

use crate::governor::{Governor, Problems};
use crate::{feature, look};
use futures_core::future::BoxFuture;
use kit::lookup::{AllSessions, ControlSessions, FirstAccount, MergeRun, MergingAll, SessionCounts, WindowInFront};
use kit::setting::Platform::{self, L, M, W};
use kit::{Feature, SettingsSource};
use platform::resources::{CpuCap, CpuTimes, Hold, Machine, Priority, Resources, Share};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use store::HasDb;
use testkit::{ACCOUNT, Program};

const GIB: u64 = 1 << 30;

/// A machine whose state the test sets, and that records what it's asked.
#[derive(Default)]
struct Fake {
    machine: Mutex<Machine>,
    sessions: Mutex<Vec<&'static str>>,
    cpu: Mutex<CpuTimes>,
    memory: Mutex<Option<f64>>,
    has_inhibitor: Mutex<bool>,
    calls: Arc<Mutex<Vec<String>>>,
}

/// Records its end.
struct Held(&'static str, Arc<Mutex<Vec<String>>>);

impl Drop for Held {
    fn drop(&mut self) {
        self.1.lock().unwrap().push(format!("{} ends", self.0));
    }
}

impl Fake {
    fn record(&self, call: String) -> io::Result<()> {
        self.calls.lock().unwrap().push(call);
        Ok(())
    }

    fn hold(&self, what: &'static str) -> Hold {
        Box::new(Held(what, self.calls.clone()))
    }

    /// The next look finds this CPU use.
    fn use_cpu(&self, percent: u64) {
        let mut cpu = self.cpu.lock().unwrap();
        *cpu = CpuTimes { busy: cpu.busy + percent, total: cpu.total + 100 };
    }
}

impl Resources for Fake {
    fn machine(&self) -> Machine {
        *self.machine.lock().unwrap()
    }
    fn sessions(&self) -> Vec<String> {
        self.sessions.lock().unwrap().iter().map(|id| (*id).to_owned()).collect()
    }
    fn cpu_times(&self) -> Option<CpuTimes> {
        Some(*self.cpu.lock().unwrap())
    }
    fn memory_used_percent(&self) -> Option<f64> {
        *self.memory.lock().unwrap()
    }
    fn set_cpu_cap(&self, cap: Option<CpuCap>) -> io::Result<()> {
        self.record(match cap {
            Some(CpuCap { percent, is_hard: true }) => format!("cap {percent} hard"),
            Some(CpuCap { percent, is_hard: false }) => format!("cap {percent}"),
            None => "no cap".into(),
        })
    }
    fn set_share(&self, session: &str, share: &Share) -> io::Result<()> {
        let mut parts = vec![session.to_owned()];
        parts.extend((share.priority == Priority::BelowNormal).then(|| "below normal".to_owned()));
        parts.extend(share.is_set_back.then(|| "set back".to_owned()));
        parts.extend(share.low_disk_priority.then(|| "low disk".to_owned()));
        parts.extend(share.low_memory_priority.then(|| "low memory".to_owned()));
        parts.extend(share.processes_max.map(|most| format!("{most} processes")));
        parts.extend(share.cores.map(|cores| format!("cores {cores:b}")));
        self.record(parts.join(", "))
    }
    fn trim_memory(&self, session: &str) -> io::Result<()> {
        self.record(format!("trim {session}"))
    }
    fn set_own_priority(&self, priority: Priority) -> io::Result<()> {
        self.record(format!("own {priority:?}"))
    }
    fn keep_resident(&self, file: &Path, bytes_max: u64) -> io::Result<Hold> {
        assert!(file.is_file(), "the database");
        self.record(format!("resident {} MiB", bytes_max >> 20))?;
        Ok(self.hold("resident"))
    }
    fn keep_awake(&self) -> BoxFuture<'static, io::Result<Hold>> {
        let _ = self.record("awake".into());
        let outcome = match *self.has_inhibitor.lock().unwrap() {
            true => Ok(self.hold("awake")),
            false => Err(io::Error::other("no service")),
        };
        Box::pin(std::future::ready(outcome))
    }
}

/// Sessions that work.
struct Working(Arc<Mutex<HashSet<&'static str>>>);

impl ControlSessions for Working {
    fn cancel_all(&self, _: &str) -> BoxFuture<'static, kit::Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn working(&self) -> BoxFuture<'static, kit::Result<HashSet<String>>> {
        let working = self.0.lock().unwrap().iter().map(|id| (*id).to_owned()).collect();
        Box::pin(std::future::ready(Ok(working)))
    }
    fn counts(&self, _: &str) -> BoxFuture<'static, kit::Result<SessionCounts>> {
        Box::pin(std::future::ready(Ok(SessionCounts::default())))
    }
}

/// Settings by key.
struct Stored(HashMap<&'static str, Value>);

impl SettingsSource for Stored {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }
}

struct Place {
    program: Program,
    fake: Arc<Fake>,
    governor: Governor,
    working: Arc<Mutex<HashSet<&'static str>>>,
    merging: Arc<Mutex<Option<i64>>>,
    in_front: Arc<Mutex<bool>>,
}

impl Place {
    async fn start(platform: Platform) -> Place {
        let program = Program::start(|| {
            let inbox = Feature { migrations: inbox_rows::MIGRATIONS, ..Feature::named("inbox") };
            vec![inbox, feature()]
        })
        .await;
        let fake = Arc::new(Fake::default());
        *fake.has_inhibitor.lock().unwrap() = true;
        let (working, merging, in_front) = (
            Arc::<Mutex<HashSet<&'static str>>>::default(),
            Arc::<Mutex<Option<i64>>>::default(),
            Arc::<Mutex<bool>>::default(),
        );
        program.ctx.provide(Arc::new(FirstAccount(ACCOUNT.into())));
        program.ctx.provide(Arc::new(AllSessions(Box::new(Working(working.clone())))));
        let since = merging.clone();
        program.ctx.provide(Arc::new(MergingAll(Box::new(move || {
            since.lock().unwrap().map(|since_ms| MergeRun { account: ACCOUNT.into(), since_ms })
        }))));
        let front = in_front.clone();
        program.ctx.provide(Arc::new(WindowInFront(Box::new(move |_, _| *front.lock().unwrap()))));
        let database = program.dir().join(store::FILE_NAME);
        let governor = Governor::new(fake.clone(), platform, database);
        let place = Place { program, fake, governor, working, merging, in_front };
        place.set(&[("keepAppResidentInMemory", json!(false))]);
        place
    }

    fn set(&self, values: &[(&'static str, Value)]) {
        let resident = ("keepAppResidentInMemory", json!(false));
        let values = [resident].iter().chain(values).cloned().collect();
        self.program.ctx.provide_settings(Arc::new(Stored(values)));
    }

    fn run(&self, sessions: &[&'static str], working: &[&'static str]) {
        *self.fake.sessions.lock().unwrap() = sessions.to_vec();
        *self.working.lock().unwrap() = working.iter().copied().collect();
    }

    /// The calls of one look.
    async fn look(&mut self) -> Vec<String> {
        look(&self.program.ctx, &mut self.governor).await.unwrap();
        std::mem::take(&mut *self.fake.calls.lock().unwrap())
    }
}

const NONE: [&str; 0] = [];

/// Everything on.
fn everything() -> Vec<(&'static str, Value)> {
    [
        "boostAppProcessPriority",
        "keepAppResidentInMemory",
        "keepAwakeWhileSessionsRunning",
        "mergePriorityBoostEnabled",
        "reserveUiCoreEnabled",
        "sessionAdaptiveEcoreAffinity",
        "sessionAdaptiveMemoryPaging",
        "sessionCpuCapEnabled",
        "sessionCpuCapStrict",
        "sessionMaxProcessesEnabled",
        "sessionTreeBelowNormalPriority",
        "sessionTreeLowIoPriority",
    ]
    .map(|key| (key, json!(true)))
    .to_vec()
}

#[tokio::test]
async fn the_computer_stays_awake_from_the_first_session_that_works_to_the_last() {
    let mut place = Place::start(L).await;
    assert_eq!(place.look().await, NONE);
    place.run(&[], &["a"]);
    assert_eq!(place.look().await, ["awake"]);
    place.run(&[], &["a", "b"]);
    assert_eq!(place.look().await, NONE, "one for all");
    place.run(&[], &["b"]);
    assert_eq!(place.look().await, NONE);
    place.run(&[], &[]);
    assert_eq!(place.look().await, ["awake ends"]);
    place.run(&[], &["c"]);
    assert_eq!(place.look().await, ["awake"]);
    place.set(&[("keepAwakeWhileSessionsRunning", json!(false))]);
    assert_eq!(place.look().await, ["awake ends"]);
}

#[tokio::test]
async fn without_a_service_that_keeps_it_awake_there_is_one_notice() {
    let mut place = Place::start(L).await;
    *place.fake.has_inhibitor.lock().unwrap() = false;
    let ctx = place.program.ctx.clone();
    let obstacle = crate::OBSTACLES[0].why;
    assert_eq!(obstacle(&ctx, ACCOUNT), None);
    for _ in 0..2 {
        place.run(&[], &["a"]);
        assert_eq!(place.look().await, ["awake"]);
        assert_eq!(place.look().await, NONE, "not asked again for the same sessions");
        place.run(&[], &[]);
        assert_eq!(place.look().await, NONE);
    }
    let titles = ctx
        .db()
        .read(|tx| tx.query("SELECT title FROM inbox_rows", store::params![], |row| row.get::<String>(0)))
        .await
        .unwrap();
    assert_eq!(titles, ["The computer may sleep while sessions run"]);
    assert!(obstacle(&ctx, ACCOUNT).unwrap().contains("no service"));
    // The service is there later.
    *place.fake.has_inhibitor.lock().unwrap() = true;
    place.run(&[], &["b"]);
    place.look().await;
    assert_eq!(obstacle(&ctx, ACCOUNT), None);
}

#[tokio::test]
async fn linux_limits_nothing() {
    let mut place = Place::start(L).await;
    place.set(&everything());
    *place.fake.machine.lock().unwrap() =
        Machine { memory_bytes: 64 * GIB, performance_cores: 0b11, efficiency_cores: 0b1100 };
    *place.fake.memory.lock().unwrap() = Some(99.0);
    *place.merging.lock().unwrap() = Some(place.program.ctx.now_ms());
    *place.in_front.lock().unwrap() = true;
    place.run(&["a"], &["a"]);
    assert_eq!(place.look().await, ["awake"]);
}

#[tokio::test]
async fn macos_lowers_sessions_and_nothing_else() {
    let mut place = Place::start(M).await;
    place.run(&["a"], &[]);
    place.set(&everything());
    *place.fake.memory.lock().unwrap() = Some(99.0);
    *place.in_front.lock().unwrap() = true;
    assert_eq!(place.look().await, ["a, below normal"]);
    *place.merging.lock().unwrap() = Some(place.program.ctx.now_ms());
    assert_eq!(place.look().await, ["a, below normal, set back"]);
}

#[tokio::test]
async fn windows_caps_all_sessions_together() {
    let mut place = Place::start(W).await;
    place.run(&["a"], &[]);
    assert_eq!(place.look().await, NONE, "nothing is limited by default");
    place.set(&[("sessionCpuCapEnabled", json!(true))]);
    assert_eq!(place.look().await, ["cap 60"]);
    place.set(&[
        ("sessionCpuCapEnabled", json!(true)),
        ("sessionCpuCapPercent", json!(25)),
        ("sessionCpuCapStrict", json!(true)),
    ]);
    assert_eq!(place.look().await, ["cap 25 hard"]);
    assert_eq!(place.look().await, NONE);
    place.set(&[]);
    assert_eq!(place.look().await, ["no cap"]);
}

#[tokio::test]
async fn windows_limits_each_session() {
    let mut place = Place::start(W).await;
    place.run(&["a", "b"], &[]);
    place.set(&[("sessionMaxProcessesEnabled", json!(true)), ("sessionTreeBelowNormalPriority", json!(true))]);
    assert_eq!(place.look().await, ["a, below normal, 512 processes", "b, below normal, 512 processes"]);
    place.run(&["a", "b", "c"], &[]);
    assert_eq!(place.look().await, ["c, below normal, 512 processes"], "a new session, and no other");
    place.set(&[]);
    assert_eq!(place.look().await, ["a", "b", "c"]);
    // What a session starts later has its disk priority too.
    place.run(&["a"], &[]);
    place.set(&[("sessionTreeLowIoPriority", json!(true))]);
    assert_eq!(place.look().await, ["a, low disk, low memory"]);
    assert_eq!(place.look().await, ["a, low disk, low memory"]);
}

#[tokio::test]
async fn a_busy_cpu_moves_sessions_to_efficiency_cores_until_it_is_free() {
    let mut place = Place::start(W).await;
    place.set(&[("sessionAdaptiveEcoreAffinity", json!(true))]);
    place.run(&["a"], &[]);
    let busy = async |place: &mut Place, percent| {
        let mut calls = Vec::new();
        // As many looks as are averaged.
        for _ in 0..6 {
            place.fake.use_cpu(percent);
            calls.extend(place.look().await);
        }
        calls
    };
    assert_eq!(busy(&mut place, 99).await, NONE, "all cores are the same");
    let obstacle = crate::OBSTACLES[3].why;
    assert!(obstacle(&place.program.ctx, ACCOUNT).is_some());
    busy(&mut place, 0).await;
    *place.fake.machine.lock().unwrap() =
        Machine { performance_cores: 0b0011, efficiency_cores: 0b1100, ..Machine::default() };
    assert_eq!(busy(&mut place, 84).await, NONE);
    assert_eq!(obstacle(&place.program.ctx, ACCOUNT), None);
    assert_eq!(busy(&mut place, 86).await, ["a, cores 1100"]);
    assert_eq!(busy(&mut place, 70).await, NONE, "still");
    assert_eq!(busy(&mut place, 59).await, ["a"], "released");
}

#[tokio::test]
async fn one_performance_core_is_kept_for_the_window() {
    let mut place = Place::start(W).await;
    place.set(&[("reserveUiCoreEnabled", json!(true))]);
    place.run(&["a"], &[]);
    assert_eq!(place.look().await, NONE, "all cores are the same");
    *place.fake.machine.lock().unwrap() =
        Machine { performance_cores: 0b0110, efficiency_cores: 0b1001, ..Machine::default() };
    assert_eq!(place.look().await, ["a, cores 1101"]);
}

#[tokio::test]
async fn sessions_that_work_give_memory_back_while_it_is_low() {
    let mut place = Place::start(W).await;
    place.set(&[("sessionAdaptiveMemoryPaging", json!(true)), ("keepAwakeWhileSessionsRunning", json!(false))]);
    place.run(&["a", "b"], &["a"]);
    let mut at = Vec::new();
    for used in [85.0, 86.0, 71.0, 69.0] {
        *place.fake.memory.lock().unwrap() = Some(used);
        at.push(place.look().await.join("; "));
    }
    assert_eq!(at, ["", "a, low memory; trim a", "a, low memory; trim a", "a"]);
}

#[tokio::test]
async fn a_merge_of_all_branches_goes_first_for_at_most_30_minutes() {
    let mut place = Place::start(W).await;
    place.set(&[("mergePriorityBoostEnabled", json!(true))]);
    place.run(&["a"], &[]);
    assert_eq!(place.look().await, NONE);
    let now = place.program.ctx.now_ms();
    let after = |minutes: i64, ms: i64| Some(now - minutes * 60_000 - ms);
    *place.merging.lock().unwrap() = after(29, 59_999);
    assert_eq!(place.look().await, ["a, set back", "own AboveNormal"]);
    *place.merging.lock().unwrap() = after(30, 0);
    assert_eq!(place.look().await, ["a", "own Normal"]);
    *place.merging.lock().unwrap() = after(0, 0);
    assert_eq!(place.look().await, ["a, set back", "own AboveNormal"]);
    place.set(&[]);
    assert_eq!(place.look().await, ["a", "own Normal"], "turned off");
    place.set(&[("mergePriorityBoostEnabled", json!(true))]);
    place.look().await;
    *place.merging.lock().unwrap() = None;
    assert_eq!(place.look().await, ["a", "own Normal"], "merged");
}

#[tokio::test]
async fn the_program_is_faster_while_its_window_is_in_front() {
    let mut place = Place::start(W).await;
    place.set(&[("boostAppProcessPriority", json!(true))]);
    assert_eq!(place.look().await, NONE);
    *place.in_front.lock().unwrap() = true;
    assert_eq!(place.look().await, ["own AboveNormal"]);
    *place.in_front.lock().unwrap() = false;
    assert_eq!(place.look().await, ["own Normal"]);
}

#[tokio::test]
async fn the_database_stays_in_memory_where_there_is_enough() {
    let mut place = Place::start(W).await;
    let on = [("keepAppResidentInMemory", json!(true))];
    place.set(&on);
    *place.fake.machine.lock().unwrap() = Machine { memory_bytes: 8 * GIB - 1, ..Machine::default() };
    assert_eq!(place.look().await, NONE);
    let why = place.program.ctx.service::<Problems>().known().resident;
    assert_eq!(why.as_deref(), Some("This computer has less than 8 GB of memory."));
    *place.fake.machine.lock().unwrap() = Machine { memory_bytes: 8 * GIB, ..Machine::default() };
    assert_eq!(place.look().await, ["resident 256 MiB"]);
    assert_eq!(place.program.ctx.service::<Problems>().known().resident, None);
    *place.fake.machine.lock().unwrap() = Machine { memory_bytes: 64 * GIB, ..Machine::default() };
    assert_eq!(place.look().await, ["resident ends", "resident 1310 MiB"]);
    place.set(&[]);
    assert_eq!(place.look().await, ["resident ends"]);
}

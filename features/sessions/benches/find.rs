//! What it costs to find a session by its title among many, and a file in a hub's folder.

use divan::Bencher;
use kit::{Caller, Feature, Kind};
use serde_json::{Value, json};
use std::fs;
use store::{HasDb, Tx, params};
use supervisor::state::Session;
use tempfile::TempDir;
use testkit::{ACCOUNT, Program, START_MS};
use tokio::runtime::Runtime;

const SESSIONS: [i64; 2] = [2_000, 100_000];
/// Folders of a hub, each with ten files.
const FOLDERS: usize = 1_000;
/// About as large as the latest reports of an engine.
const FACTS_BYTES: usize = 4_000;

fn main() {
    divan::main();
}

fn features() -> Vec<Feature> {
    let inbox = Feature { name: "inbox", migrations: inbox_rows::MIGRATIONS, ..empty() };
    vec![inbox, sessions::feature()]
}

fn empty() -> Feature {
    Feature {
        name: "",
        settings: Vec::new(),
        awaiting: Vec::new(),
        migrations: &[],
        errors: &[],
        faults: &[],
        ops: Vec::new(),
        groups: &[],
        start: |_| Box::pin(async { Ok(()) }),
        jobs: Vec::new(),
        timers: Vec::new(),
        stop: kit::NOTHING_TO_END,
    }
}

fn begun() -> (Runtime, Program) {
    let runtime = Runtime::new().expect("a runtime");
    let program = runtime.block_on(Program::start(features));
    (runtime, program)
}

fn fill(tx: &mut Tx<'_>, count: i64) -> kit::Result<()> {
    let life = serde_json::to_string(&Session::draft(false, START_MS)).expect("a life serializes");
    let facts = json!({"leftRunning": ["x".repeat(FACTS_BYTES)]}).to_string();
    let sql = "INSERT INTO sessions (account_id, session_id, hub_id, title, engine, model, cwd, origin, driven, counted, depth, \
         engine_session, state, active, life, turns, run_ms, used_tokens, size_tokens, created_ms, changed_ms, facts) \
         VALUES ($1, $2, '', $3, 'practice', '', '/work', 'person', 0, 0, 0, '', 'draft', 0, $4, 0, 0, 0, 0, $5, $5, $6)";
    for number in 0..count {
        let title = format!("Look at the failing tests of part {number}");
        tx.execute(sql, params![ACCOUNT, format!("{number:012}"), title, &life, START_MS, &facts])?;
    }
    Ok(())
}

fn ask(runtime: &Runtime, program: &Program, op: &str, input: Value) -> Value {
    let call = program.as_caller(Caller::new(Kind::Owner, ACCOUNT, "bench"), op, input);
    runtime.block_on(call).expect("an answer")
}

/// The words of one title, of all titles, and of none.
#[divan::bench(args = SESSIONS, consts = [1, 2, 3])]
fn sessions_by_title<const KIND: usize>(bencher: Bencher, count: i64) {
    let (runtime, program) = begun();
    runtime.block_on(program.ctx.db().write(move |tx| fill(tx, count))).expect("sessions");
    let (q, expected) = [("failing 1234", 1), ("failing tests", 20), ("nothing", 0)][KIND - 1];
    let found = ask(&runtime, &program, "sessions.find", json!({"q": q}));
    assert!(found["items"].as_array().expect("a list").len() >= expected);
    bencher.bench_local(|| ask(&runtime, &program, "sessions.find", json!({"q": q})));
}

/// In a folder that is no repository, which is walked.
#[divan::bench]
fn files_of_a_folder(bencher: Bencher) {
    let (runtime, program) = begun();
    let folder = TempDir::new().expect("a folder");
    for number in 0..FOLDERS {
        let below = folder.path().join(format!("part{number}"));
        fs::create_dir(&below).expect("a folder");
        for name in 0..10 {
            fs::write(below.join(format!("file{name}.rs")), "").expect("a file");
        }
    }
    let hub = ask(&runtime, &program, "hubs.create", json!({"folder": folder.path().to_str().expect("Unicode")}));
    bencher.bench_local(|| ask(&runtime, &program, "hubs.files", json!({"hubId": hub["id"], "q": "part77 file3"})));
}

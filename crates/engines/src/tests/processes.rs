//! Engines as processes: small shell scripts stand in for them.

use super::support::patient;
use crate::acp::{Conn, Events, connect};
use crate::engine::External;
use crate::event::{Chunk, Event, Failure, StopReason};
use crate::port::{Engine, Env, Machine, Open, SessionSpec};
use crate::probe::probe;
use crate::process;
use crate::world::RealSleep;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What a script answers to `initialize` and `session/new`.
const OPENS: &str = r#"
read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"script","version":"1"}}}'
read line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
"#;

/// The name of a session: the same tests may run on this machine at the same time, and each ends what carries its name.
fn named(session: &str) -> String {
    format!("{session}-{}", std::process::id())
}

fn machine() -> Machine {
    let env =
        Env::from([("PATH".into(), std::env::var("PATH").unwrap()), ("SECRET_OF_THE_PROGRAM".into(), "1".into())]);
    Machine { home: "/nowhere".into(), env }
}

fn script(text: &str) -> External {
    let args = vec!["-c".into(), text.into()];
    External { id: "script".into(), name: "Script".into(), command: "sh".into(), args, env: Env::new() }
}

async fn start(engine: External, session: &str, dir: &Path) -> (Conn, Events) {
    let machine = machine();
    let found = probe(&engine, &machine, None, &RealSleep).await.program.expect("a shell");
    let mut spec = SessionSpec::new(&named(session), dir, dir);
    spec.env.insert("APP_CLI_TOKEN".into(), "handed".into());
    let plan = engine.plan(&found, &machine, &spec);
    let streams = process::start(&plan, &Default::default()).expect("a shell");
    connect(Arc::new(engine), plan, streams, patient())
}

async fn said(events: &mut Events) -> String {
    loop {
        match events.next().await.expect("more events") {
            Event::Said { chunk: Chunk::Text { text }, .. } => return text,
            _ => continue,
        }
    }
}

async fn end(mut events: Events) -> Vec<Event> {
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        told.push(event);
    }
    told
}

#[tokio::test]
async fn only_what_is_meant_for_an_engine_is_in_its_environment() {
    let dir = tempfile::tempdir().unwrap();
    let tell = r#"names=$(env | cut -d= -f1 | sort | tr '\n' ' ')
        echo '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$names"'"}}}}'
        read line"#;
    let (conn, mut events) = start(script(&format!("{OPENS}{tell}")), "clean", dir.path()).await;
    conn.open(Open::New).await.expect("it opens");
    let names = said(&mut events).await;
    // The shell itself adds PWD, some add more that begin with an underscore or an S.
    let names: Vec<&str> =
        names.split_whitespace().filter(|name| !["PWD", "_", "SHLVL", "OLDPWD"].contains(name)).collect();
    assert_eq!(names, ["APP_CLI_TOKEN", "APP_SESSION_ID", "PATH", "TERM"]);
    conn.shutdown(Duration::from_secs(60)).await;
}

#[tokio::test]
async fn nothing_is_left_when_a_connection_is_shut_down() {
    let dir = tempfile::tempdir().unwrap();
    let text = format!(
        "echo 'a word' >&2; {OPENS}
        setsid sh -c 'trap \"\" TERM; sleep 1000; sleep 1000' & nohup sleep 1000 >/dev/null 2>&1 &
        (setsid sleep 1000 &)
        while read line; do :; done; sleep 1000"
    );
    let (conn, events) = start(script(&text), "shut-down", dir.path()).await;
    conn.open(Open::New).await.expect("it opens");
    assert!(process::left_behind().contains(&named("shut-down")));
    conn.shutdown(Duration::ZERO).await;
    assert!(!process::left_behind().contains(&named("shut-down")));
    let told = end(events).await;
    assert_eq!(told, [Event::Exited { status: None, stderr: "a word".into() }]);
    assert_eq!(conn.prompt(&[]).await, Err(crate::port::Refused::Ended));
}

#[tokio::test]
async fn an_engine_that_ends_in_a_turn_takes_its_shells_with_it_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let text = format!(
        r#"{OPENS} read line; setsid sleep 1000 &
        echo '{{"jsonrpc":"2.0","method":"session/update","params":{{"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"half a"}}}}}}}}'
        echo 'out of memory, key sk-abcdefghijkl' >&2; exit 3"#
    );
    let (conn, events) = start(script(&text), "crashed", dir.path()).await;
    conn.open(Open::New).await.expect("it opens");
    conn.prompt(&[Chunk::Text { text: "go".into() }]).await.expect("open");
    let detail = "The engine's process exited with status 3.";
    assert_eq!(
        end(events).await,
        [
            Event::Said { chunk: Chunk::Text { text: "half a".into() }, message: None, phase: None },
            Event::TurnEnded { stop: StopReason::EndTurn, failure: Some(Failure::Crash), detail: Some(detail.into()) },
            Event::Exited { status: Some(3), stderr: format!("out of memory, key sk-…\n{detail}") },
        ]
    );
    assert!(!process::left_behind().contains(&named("crashed")));
}

#[tokio::test]
async fn what_a_killed_program_left_is_found_by_its_session() {
    let dir = tempfile::tempdir().unwrap();
    let (conn, _events) = start(script(&format!("{OPENS} sleep 1000")), "left", dir.path()).await;
    conn.open(Open::New).await.expect("it opens");
    let ended = tokio::task::spawn_blocking(|| process::end_left_behind(&named("left"), Duration::from_secs(60))).await;
    assert_eq!(ended.unwrap(), 0);
    assert!(!process::left_behind().contains(&named("left")));
}

#[tokio::test]
async fn a_connection_that_nobody_holds_ends_its_engine() {
    let dir = tempfile::tempdir().unwrap();
    let (conn, events) = start(script(&format!("{OPENS} sleep 1000")), "dropped", dir.path()).await;
    conn.open(Open::New).await.expect("it opens");
    drop(conn);
    assert_eq!(end(events).await, [Event::Exited { status: None, stderr: String::new() }]);
    assert!(!process::left_behind().contains(&named("dropped")));
}

#[tokio::test]
async fn what_cannot_be_started_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let engine = script("");
    let found = crate::port::Program { file: "/nowhere/agent".into(), ..Default::default() };
    let start = |cwd: &Path| {
        let plan = engine.plan(&found, &machine(), &SessionSpec::new("none", cwd, cwd));
        process::start(&plan, &Default::default()).err().expect("nothing to start").to_string()
    };
    assert!(start(dir.path()).starts_with("couldn't start /nowhere/agent: "));
    assert_eq!(start(Path::new("/nowhere/project")), "the session's folder /nowhere/project doesn't exist");
}

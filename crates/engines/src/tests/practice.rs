//! The practice agent behind the adapter: what a session does from end to end.

use super::support::{practice, said, text, turn};
use crate::acp::{Conn, Events};
use crate::event::{Chunk, Event, Failure, PlanStatus, StopReason, ToolKind, ToolState, Transience};
use crate::offers::Verdict;
use crate::port::{Change, LaunchPlan, Open, Opened, Refused, Reply, Steered};
use std::path::Path;
use tempfile::TempDir;

struct Desk {
    dir: TempDir,
    conn: Conn,
    events: Events,
    opened: Opened,
}

async fn desk_with(plan: LaunchPlan) -> Desk {
    let dir = tempfile::tempdir().unwrap();
    let (conn, mut events) = practice(dir.path(), None, plan);
    let opened = conn.open(Open::New).await.expect("it opens");
    // What may be written as `/name` is told first.
    let first = events.next().await;
    assert!(matches!(&first, Some(Event::Commands { commands }) if commands.iter().any(|one| one.name == "compact")));
    Desk { dir, conn, events, opened }
}

async fn desk() -> Desk {
    desk_with(LaunchPlan::default()).await
}

impl Desk {
    async fn run(&mut self, script: &str, answer: Verdict) -> Vec<Event> {
        self.conn.prompt(&text(script)).await.expect("an open session");
        turn(&self.conn, &mut self.events, answer).await
    }

    fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.dir.path().join(name)).ok()
    }
}

fn ended(events: &[Event]) -> (StopReason, Option<Failure>) {
    match events.last() {
        Some(Event::TurnEnded { stop, failure, .. }) => (*stop, failure.clone()),
        other => panic!("{other:?}"),
    }
}

fn asked(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event, Event::Permission { .. })).count()
}

fn states(events: &[Event]) -> Vec<(ToolKind, ToolState)> {
    let tools = events.iter().filter_map(|event| match event {
        Event::Tool { tool, state, .. } => Some((tool.kind, *state)),
        _ => None,
    });
    tools.collect()
}

#[tokio::test]
async fn what_is_told_comes_as_it_was_told() {
    let mut desk = desk().await;
    let again = desk.conn.open(Open::New).await.unwrap_err();
    assert_eq!(again.detail, "A session is already open on this connection.");
    assert_eq!((desk.opened.mode.as_deref(), &*desk.opened.agent), (Some("default"), "practice"));
    let script = "practice: think hm; say one; say two; todo +a|~b|c; title A name; usage 10 100 0.25; image";
    let events = desk.run(script, Verdict::Cancelled).await;
    assert_eq!(events[0], Event::Thought { chunk: Chunk::Text { text: "hm".into() } });
    assert_eq!(said(&events), "one\ntwo\n");
    let plan = events.iter().find_map(|event| if let Event::Planned { plan } = event { Some(plan) } else { None });
    let plan: Vec<_> = plan.unwrap().iter().map(|entry| (&*entry.content, entry.status)).collect();
    assert_eq!(plan, [("a", PlanStatus::Completed), ("b", PlanStatus::InProgress), ("c", PlanStatus::Pending)]);
    assert!(events.contains(&Event::Titled { title: "A name".into() }));
    let used = events.iter().find_map(|event| if let Event::Used { usage } = event { Some(usage) } else { None });
    let used = used.unwrap();
    assert_eq!((used.used, used.size, used.cost.as_ref().map(|cost| cost.amount)), (10, 100, Some(0.25)));
    assert!(events.iter().any(|event| matches!(event, Event::Said { chunk: Chunk::Image { .. }, .. })));
    assert!(events.iter().any(|event| matches!(event, Event::Spent { .. })));
    assert_eq!(ended(&events), (StopReason::EndTurn, None));
}

#[tokio::test]
async fn nothing_is_written_or_run_without_leave() {
    let mut desk = desk().await;
    let script = "practice: write a.txt one two; run echo ran > b.txt; say done";
    let events = desk.run(script, Verdict::RejectOnce).await;
    assert_eq!((asked(&events), desk.file("a.txt"), desk.file("b.txt")), (2, None, None));
    assert_eq!((said(&events).as_str(), ended(&events)), ("done\n", (StopReason::EndTurn, None)));
    let last: Vec<_> = states(&events).into_iter().filter(|(_, state)| *state == ToolState::Failed).collect();
    assert_eq!(last, [(ToolKind::Edit, ToolState::Failed), (ToolKind::Execute, ToolState::Failed)]);

    let events = desk.run(script, Verdict::AllowOnce).await;
    assert_eq!(
        (asked(&events), desk.file("a.txt").as_deref(), desk.file("b.txt").as_deref()),
        (2, Some("one two"), Some("ran\n"))
    );

    let events = desk.run(script, Verdict::AllowAlways).await;
    assert_eq!(asked(&events), 2);
    let events = desk.run(script, Verdict::RejectOnce).await;
    assert_eq!(asked(&events), 0, "what is allowed for the session is not asked for again");
}

#[tokio::test]
async fn reading_asks_outside_of_the_folder_only() {
    let mut desk = desk().await;
    std::fs::write(desk.dir.path().join("in.txt"), "inside").unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    let script =
        format!("practice: read in.txt; read sub/../in.txt; read {}; read ../in.txt", outside.path().display());
    let events = desk.run(&script, Verdict::RejectOnce).await;
    assert_eq!(asked(&events), 2);
    let output = events.iter().find_map(|event| match event {
        Event::Tool { state: ToolState::Completed, output, tool } => Some((output[0].to_string(), tool.paths.clone())),
        _ => None,
    });
    let (output, paths) = output.unwrap();
    assert!(output.contains("inside"), "{output}");
    assert_eq!(paths, [desk.dir.path().join("in.txt").to_string_lossy()]);
}

#[tokio::test]
async fn commands_are_run_and_say_how_they_ended() {
    let mut desk = desk().await;
    let events = desk.run("practice: run echo out\\; echo err >&2\\; exit 3; run pwd", Verdict::AllowOnce).await;
    let mut outputs = events.iter().filter_map(|event| match event {
        Event::Tool { state, output, .. } if !output.is_empty() => Some((*state, output[0]["content"]["text"].clone())),
        _ => None,
    });
    assert_eq!(outputs.next().unwrap(), (ToolState::Failed, "out\nerr\n\nexit status: 3".into()));
    let (state, text) = outputs.next().unwrap();
    let cwd = desk.dir.path().canonicalize().unwrap();
    assert_eq!((state, text.as_str().unwrap().trim_end()), (ToolState::Completed, &*cwd.to_string_lossy()));
}

#[tokio::test]
async fn accepted_edits_are_made_without_a_question_and_commands_are_not() {
    let mut desk = desk_with(LaunchPlan { mode: Some("acceptEdits".into()), ..LaunchPlan::default() }).await;
    assert_eq!(desk.opened.mode.as_deref(), Some("acceptEdits"));
    let script = "practice: write a.txt x; write ../b.txt x; run echo > c.txt";
    let events = desk.run(script, Verdict::RejectOnce).await;
    assert_eq!((asked(&events), desk.file("a.txt").as_deref(), desk.file("c.txt")), (2, Some("x"), None));
}

#[tokio::test]
async fn a_mode_or_model_that_is_not_there_fails_the_start_and_says_what_is() {
    let dir = tempfile::tempdir().unwrap();
    let plan = LaunchPlan { choices: vec![("model", "gpt".into())], ..LaunchPlan::default() };
    let (conn, _events) = practice(dir.path(), None, plan);
    let failed = conn.open(Open::New).await.unwrap_err();
    assert_eq!(failed.failure, Failure::Request);
    assert_eq!(failed.detail, "Practice has no model \"gpt\". Available: practice, practice-mini.");
}

#[tokio::test]
async fn what_cannot_be_chosen_at_all_is_left_out_and_told() {
    let mut desk =
        desk_with(LaunchPlan { choices: vec![("thought_level", "high".into())], ..LaunchPlan::default() }).await;
    let text = "Practice has no setting thought level, so \"high\" isn't applied.".into();
    assert_eq!(desk.events.next().await, Some(Event::Notice { text }));
}

#[tokio::test]
async fn a_turn_is_canceled_wherever_it_stands() {
    let mut desk = desk().await;
    // The clock of this test never moves: nothing but a cancel ends these.
    for script in ["practice: wait 30; say never", "practice: fail silence"] {
        desk.conn.prompt(&text(&format!("{script}; title never"))).await.unwrap();
        desk.conn.cancel().await;
        let events = turn(&desk.conn, &mut desk.events, Verdict::Cancelled).await;
        assert_eq!(events, [Event::TurnEnded { stop: StopReason::Cancelled, failure: None, detail: None }], "{script}");
    }
    desk.conn.prompt(&text("practice: write a.txt x; say never")).await.unwrap();
    let request = loop {
        if let Event::Permission { request } = desk.events.next().await.unwrap() {
            break request;
        }
    };
    desk.conn.cancel().await;
    let events = turn(&desk.conn, &mut desk.events, Verdict::Cancelled).await;
    assert!(events.contains(&Event::Withdrawn { id: request.id.clone() }));
    assert_eq!((ended(&events).0, desk.file("a.txt")), (StopReason::Cancelled, None));
    assert_eq!(desk.conn.decide(&request.id, Verdict::AllowOnce).await, Err(Refused::NotAsked));
    assert_eq!(said(&desk.run("practice: say still here", Verdict::Cancelled).await), "still here\n");
}

#[tokio::test]
async fn a_command_ends_when_its_turn_is_cancelled() {
    let mut desk = desk().await;
    // The command says that it runs by opening this pipe; the pipe ends when nothing holds it any more.
    let pipe = desk.dir.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    desk.conn.prompt(&text("practice: run sleep 1000 > pipe")).await.unwrap();
    let conn = desk.conn.clone();
    let cancel = tokio::task::spawn_blocking(move || std::fs::File::open(pipe).unwrap());
    let allow = turn(&desk.conn, &mut desk.events, Verdict::AllowOnce);
    let (mut held, events) = tokio::join!(
        async {
            let held = cancel.await.unwrap();
            conn.cancel().await;
            held
        },
        allow
    );
    assert_eq!(ended(&events).0, StopReason::Cancelled);
    let read = tokio::task::spawn_blocking(move || std::io::Read::read(&mut held, &mut [0; 1]).unwrap()).await.unwrap();
    assert_eq!(read, 0);
}

#[tokio::test]
async fn an_accepted_plan_changes_the_mode() {
    let mut desk = desk_with(LaunchPlan { mode: Some("plan".into()), ..LaunchPlan::default() }).await;
    let events = desk.run("practice: plan look|change", Verdict::RejectOnce).await;
    assert!(!events.iter().any(|event| matches!(event, Event::Mode { .. })));
    let events = desk.run("practice: plan look|change", Verdict::Offer("plan-default".into())).await;
    let request =
        events.iter().find_map(|event| if let Event::Permission { request } = event { Some(request) } else { None });
    let tool = &request.unwrap().tool;
    assert_eq!((tool.kind, tool.input["plan"].as_str()), (ToolKind::SwitchMode, Some("1. look\n2. change")));
    assert!(events.contains(&Event::Mode { mode: "default".into() }));
    desk.conn.set(Change::Mode("acceptEdits".into())).await.unwrap();
    assert_eq!(asked(&desk.run("practice: write a.txt x", Verdict::Cancelled).await), 0);
    let refused = desk.conn.set(Change::Mode("none".into())).await;
    assert_eq!(refused, Err(Refused::ByEngine("\"none\" isn't a valid mode".into())));
}

#[tokio::test]
async fn a_question_is_asked_and_its_answer_heard() {
    let mut desk = desk().await;
    desk.conn.prompt(&text("practice: ask Which color?")).await.unwrap();
    let Some(Event::Asked { question }) = desk.events.next().await else { panic!("a question") };
    assert_eq!((&*question.message, &question.schema["required"][0]), ("Which color?", &"answer".into()));
    assert_eq!(desk.conn.decide(&question.id, Verdict::AllowOnce).await, Err(Refused::NotAsked));
    let given = Reply::Given(serde_json::json!({"answer": "blue"}));
    desk.conn.answer(&question.id, given.clone()).await.unwrap();
    assert_eq!(desk.conn.answer(&question.id, given).await, Err(Refused::NotAsked));
    assert_eq!(said(&turn(&desk.conn, &mut desk.events, Verdict::Cancelled).await), "You said: blue\n");
}

async fn reopen(dir: &Path, home: &Path, how: Open) -> (Conn, Events) {
    let (conn, events) = practice(dir, Some(home), LaunchPlan::default());
    conn.open(how).await.expect("it opens");
    (conn, events)
}

#[tokio::test]
async fn a_session_is_gone_on_with_after_its_agent_crashed() {
    let (dir, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (conn, mut events) = practice(dir.path(), Some(home.path()), LaunchPlan::default());
    let session = conn.open(Open::New).await.unwrap().session;
    conn.prompt(&text("practice: say first; fail crash")).await.unwrap();
    let told = turn(&conn, &mut events, Verdict::Cancelled).await;
    assert_eq!(ended(&told).1, Some(Failure::Crash));

    let (conn, mut events) = reopen(dir.path(), home.path(), Open::Resume(session.clone())).await;
    conn.prompt(&text("practice: say second")).await.unwrap();
    assert_eq!(said(&turn(&conn, &mut events, Verdict::Cancelled).await), "second\n");

    let load = |replay| Open::Load { session: session.clone(), replay };
    let (conn, mut events) = reopen(dir.path(), home.path(), load(true)).await;
    conn.prompt(&text("practice: say third")).await.unwrap();
    let told = turn(&conn, &mut events, Verdict::Cancelled).await;
    let heard = told.iter().filter(|event| matches!(event, Event::Heard { .. })).count();
    assert_eq!((heard, said(&told).as_str()), (2, "first\nsecond\nthird\n"));

    let (conn, mut events) = reopen(dir.path(), home.path(), load(false)).await;
    conn.prompt(&text("practice: say fourth")).await.unwrap();
    let told = turn(&conn, &mut events, Verdict::Cancelled).await;
    assert_eq!(said(&told), "fourth\n", "what was said before is not told again");

    for unknown in ["none", "../../etc/passwd"] {
        let (conn, _events) = practice(dir.path(), Some(home.path()), LaunchPlan::default());
        let failed = conn.open(Open::Resume(unknown.into())).await.unwrap_err();
        assert!(failed.detail.contains("not found"), "{failed:?}");
    }
}

#[tokio::test]
async fn failures_are_told_for_what_they_are() {
    let now_ms = super::support::patient().now().timestamp().as_millisecond();
    for (fail, expected) in [
        ("overload", Failure::Transient { what: Transience::Overload }),
        ("limit", Failure::Limit { until: Some(now_ms + 2 * 60 * 60 * 1_000) }),
        ("auth", Failure::Auth),
        ("context", Failure::ContextFull),
        ("request", Failure::Request),
    ] {
        let mut desk = desk().await;
        let events = desk.run(&format!("practice: fail {fail}; say never"), Verdict::Cancelled).await;
        assert_eq!(ended(&events), (StopReason::EndTurn, Some(expected)), "{fail}");
        let retries = events.iter().filter(|event| matches!(event, Event::Retrying { .. })).count();
        assert_eq!(retries, usize::from(fail == "overload"));
        assert_eq!(said(&desk.run("practice: say better", Verdict::Cancelled).await), "better\n");
    }
}

#[tokio::test]
async fn garbage_does_not_break_a_session() {
    let mut desk = desk().await;
    let events = desk.run("practice: fail garbage; say still here", Verdict::Cancelled).await;
    assert_eq!((said(&events).as_str(), ended(&events)), ("still here\n", (StopReason::EndTurn, None)));
    let raw = events.iter().filter(|event| matches!(event, Event::Raw { .. })).count();
    assert_eq!(raw, 3, "an unknown method, an unknown update and one of an unknown form are passed on");
    drop(desk.conn);
    let Some(Event::Exited { stderr, .. }) = desk.events.next().await else { panic!("the end") };
    assert!(stderr.starts_with("npm warn this is no message\n"), "{stderr}");
}

#[tokio::test]
async fn prompts_wait_for_their_turn_and_messages_are_taken_into_one() {
    let mut desk = desk().await;
    assert_eq!(desk.conn.steer(&text("hello")).await, Ok(Steered::PromptRequired));
    desk.conn.prompt(&text("practice: ask first?; say one")).await.unwrap();
    desk.conn.prompt(&text("practice: say two")).await.unwrap();
    let Some(Event::Asked { question }) = desk.events.next().await else { panic!("a question") };
    assert_eq!(desk.conn.steer(&text("between")).await, Ok(Steered::Injected));
    desk.conn.answer(&question.id, Reply::Declined).await.unwrap();
    let first = said(&turn(&desk.conn, &mut desk.events, Verdict::Cancelled).await);
    assert_eq!(first, "You declined to answer.\nHeard in between: betweenone\n");
    assert_eq!(said(&turn(&desk.conn, &mut desk.events, Verdict::Cancelled).await), "two\n");
}

#[tokio::test]
async fn instructions_and_servers_reach_the_session() {
    let mut plan = LaunchPlan { instructions: Some("Be brief.".into()), ..LaunchPlan::default() };
    plan.params.insert(
        "mcpServers".into(),
        serde_json::json!([{"name": "pilothouse", "command": "x", "args": [], "env": []}]),
    );
    let mut desk = desk_with(plan).await;
    let events = desk.run("practice: instructions; servers", Verdict::Cancelled).await;
    assert_eq!(said(&events), "Be brief.pilothouse");
}

#[tokio::test]
async fn who_is_slow_to_listen_loses_nothing_and_can_still_cancel() {
    let mut desk = desk().await;
    let events = desk.run("practice: stream 3000", Verdict::Cancelled).await;
    assert_eq!(said(&events).split_whitespace().count(), 6_000);
    assert!(events.len() < 1_500, "pieces are put together: {}", events.len());
    desk.conn.prompt(&text("practice: loop 1000; stream 1000000")).await.unwrap();
    desk.conn.cancel().await;
    let events = turn(&desk.conn, &mut desk.events, Verdict::Cancelled).await;
    assert_eq!(ended(&events).0, StopReason::Cancelled);
}

#[tokio::test]
async fn a_loop_reads_the_same_again_and_again_and_compaction_is_told() {
    let mut desk = desk().await;
    let events = desk.run("practice: loop 4 a.txt", Verdict::Cancelled).await;
    let ids: std::collections::BTreeSet<String> = events
        .iter()
        .filter_map(|event| if let Event::Tool { tool, .. } = event { Some(tool.id.clone()) } else { None })
        .collect();
    assert_eq!(ids.len(), 4);
    let events = desk.run("/compact", Verdict::Cancelled).await;
    assert_eq!(events[..2], [Event::Compacting { done: false }, Event::Compacting { done: true }]);
    let help = said(&desk.run("What can you do?", Verdict::Cancelled).await);
    assert!(help.contains("`write FILE TEXT`"), "{help}");
}

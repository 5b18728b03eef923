//! Engines and machines that fail: each ends in a state that says what happened and what to do.

use super::practice::{Hands, begin, begin_with};
use super::script::{answer, asks, error, is, scripted, update, wire};
use engines::LaunchPlan;
use engines::world::{Boxed, Sleep};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use testkit::refused;

/// What an engine does, and where its session stands in the end: state, kind of failure, and words that it says.
struct Case {
    what: &'static str,
    engine: &'static str,
    hands: Hands,
    state: &'static str,
    kind: Value,
    says: &'static str,
}

fn case(what: &'static str, hands: Hands, state: &'static str, kind: &str, says: &'static str) -> Case {
    let kind = if kind.is_empty() { Value::Null } else { json!(kind) };
    Case { what, engine: "practice", hands, state, kind, says }
}

/// Short pauses are over at once, long ones never.
struct Briefly;

impl Sleep for Briefly {
    fn sleep(&self, how_long: Duration) -> Boxed<()> {
        match how_long <= Duration::from_secs(1) {
            true => Box::pin(tokio::task::yield_now()),
            false => Box::pin(std::future::pending()),
        }
    }
}

fn said(text: &str) -> Value {
    update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}))
}

#[tokio::test]
async fn every_way_to_fail_ends_in_a_state_that_explains_it() {
    let gone = tempfile::TempDir::new().unwrap();
    let missing_folder = Hands::new(Arc::new({
        let folder = gone.path().join("gone");
        move |plan: &LaunchPlan| {
            engines::process::start(&LaunchPlan { cwd: folder.clone(), ..plan.clone() }, &Default::default())
        }
    }));
    let garbage = || {
        Hands::new(Arc::new(|_: &LaunchPlan| {
            Ok(wire(|mut fake| async move {
                while fake.hears().await.is_some() {
                    fake.sends_bytes(b"\xff\xfe{not json}\n\0\0\n").await;
                }
            }))
        }))
    };
    let long_line = Hands::new(Arc::new(|_: &LaunchPlan| {
        Ok(wire(|mut fake| async move {
            fake.hears().await;
            let part = vec![b'x'; 1 << 20];
            for _ in 0..100 {
                fake.sends_bytes(&part).await;
            }
            while fake.hears().await.is_some() {}
        }))
    }));
    let prompt =
        |does: fn(&Value) -> Vec<Value>| scripted(move |heard| is(heard, "session/prompt").then(|| does(heard)));
    let end = json!({"stopReason": "end_turn"});
    let mut cases = vec![
        case(
            "is not logged in",
            scripted(|heard| is(heard, "session/new").then(|| vec![error(heard, -32000, "Authentication required")])),
            "failed",
            "auth",
            "Authentication required",
        ),
        case(
            "speaks another version",
            scripted(|heard| is(heard, "initialize").then(|| vec![answer(heard, json!({"protocolVersion": 9}))])),
            "failed",
            "crash",
            "Install a version that supports it",
        ),
        case("prints garbage", garbage(), "failed", "crash", "didn't start within"),
        case("never answers", scripted(|_| Some(Vec::new())), "failed", "crash", "didn't start within"),
        case("sends 100 MB on one line", long_line, "failed", "crash", "a line longer than 16 MiB"),
        case("has no folder to work in", missing_folder, "failed", "request", "doesn't exist"),
        case(
            "does not start",
            Hands::new(Arc::new(|_| Err(std::io::Error::other("no such program")))),
            "failed",
            "request",
            "no such program",
        ),
        case("ends in mid-turn, always", prompt(|_| vec![Value::Null]), "failed", "crash", "3 attempts failed"),
        case(
            "refuses the request",
            prompt(|heard| vec![error(heard, -32602, "invalid request: no such model")]),
            "failed",
            "request",
            "no such model",
        ),
        case("fails as nothing known", prompt(|heard| vec![error(heard, -1, "wobble")]), "failed", "unknown", "wobble"),
        case(
            "says that a limit is reached",
            prompt(|heard| vec![error(heard, -32603, "You've hit your usage limit, try again in 2 hours.")]),
            "parked",
            "",
            "",
        ),
        case(
            "has no more to give and does not say until when",
            prompt(|heard| vec![error(heard, -32603, "insufficient_quota")]),
            "parked",
            "",
            "",
        ),
    ];
    cases.push(Case {
        what: "answers twice",
        hands: scripted(move |heard| {
            is(heard, "session/prompt")
                .then(|| vec![answer(heard, end.clone()), answer(heard, end.clone()), said("late")])
        }),
        ..case("", scripted(|_| None), "idle", "", "")
    });
    for Case { what, engine, hands, state, kind, says } in cases {
        let begun = begin_with(hands).await;
        let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": engine});
        let made = begun.program.owner("sessions.create", input).await.unwrap();
        let session = begun.later(made["id"].as_str().unwrap(), state).await;
        assert_eq!(session["detail"]["failure"]["kind"], kind, "{what}: {session}");
        let words = format!("{} {}", session["why"], session["detail"]["detail"]);
        assert!(words.contains(says) && session["why"] != "", "{what}: {words}");
        assert_eq!(
            session["need"].is_null(),
            state == "idle" || session["detail"]["until"].is_i64(),
            "{what}: {session}"
        );
        // The program goes on, and the person may try again.
        begun.pass(1_000).await;
        if state == "failed" {
            begun.program.owner("sessions.resume", json!({"sessionId": session["id"]})).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_flood_of_requests_stays_bounded_and_each_is_answered_once() {
    let hands = scripted(|heard| {
        is(heard, "session/prompt").then(|| (1..=300).map(|n| asks(n, &["allow_once", "reject_once"])).collect())
    });
    let begun = begin_with(hands).await;
    let id = begun.start("go").await;
    begun.asked(&id).await;
    loop {
        let entries = begun.entries(&id).await;
        if entries.iter().any(|entry| entry["told"]["text"].as_str().is_some_and(|text| text.contains("more than 64")))
        {
            break;
        }
        tokio::task::yield_now().await;
    }
    let all = begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    assert!(all["items"].as_array().unwrap().len() <= 64);
    begun.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    begun.until(&id, "stopped").await;
    let open = begun.rows().await.into_iter().filter(|(_, outcome)| outcome.is_empty()).count();
    assert_eq!(open, 0, "nobody is asked any more");
}

#[tokio::test]
async fn a_prompt_that_is_too_large_is_refused_and_an_entry_that_is_too_large_is_cut() {
    let begun = begin().await;
    let id = begun.start("practice: say Hi").await;
    begun.until(&id, "idle").await;
    let huge = "x".repeat(10 << 20);
    for op in ["sessions.message", "sessions.create"] {
        let input = match op {
            "sessions.create" => json!({"engine": "practice", "projectId": begun.hub["id"], "prompt": huge}),
            _ => json!({"sessionId": id, "prompt": huge}),
        };
        let told = refused(begun.program.owner(op, input).await, "invalid-input");
        assert!(told.to_string().len() < 2_000, "it does not say all of it again");
    }
    let title = "t".repeat(3 << 20);
    let tool = json!({"sessionUpdate": "tool_call", "toolCallId": title, "title": title, "kind": "read", "status": "completed"});
    let hands = scripted(move |heard| {
        is(heard, "session/prompt")
            .then(|| vec![update(tool.clone()), answer(heard, json!({"stopReason": "end_turn"}))])
    });
    let begun = begin_with(hands).await;
    let id = begun.start("go").await;
    begun.later(&id, "idle").await;
    let entries = begun.entries(&id).await;
    let cut = entries.iter().find(|entry| entry["cutBytes"].is_i64()).expect("what was cut says so");
    assert!(
        cut.to_string().len() < 1_000 && cut["told"]["tool"]["title"].as_str().unwrap().starts_with("ttt"),
        "{cut}"
    );
}

#[tokio::test]
async fn what_cannot_be_written_in_mid_turn_waits_until_it_can() {
    let mut hands = scripted(|heard| {
        is(heard, "session/prompt").then(|| vec![said("half"), answer(heard, json!({"stopReason": "end_turn"}))])
    });
    hands.sleep = Arc::new(Briefly);
    let begun = begin_with(hands).await;
    let write = async |sql: &'static str| {
        store::HasDb::db(&begun.program.ctx).write(move |tx| tx.execute(sql, &[]).map(drop)).await.unwrap();
    };
    let id = begun.start("go").await;
    begun.until(&id, "idle").await;
    // Nothing of a step can be written while a part of it cannot, as with a full disk.
    write("CREATE UNIQUE INDEX full_disk ON session_prompts (account_id)").await;
    let lost = begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "more"})).await;
    assert!(lost.is_err(), "whoever asks is told");
    let session = begun.get(&id).await;
    assert_eq!((&session["state"], &session["turns"]), (&json!("idle"), &json!(1)), "and nothing has happened");
    write("DROP INDEX full_disk").await;
    begun.say(&id, "more").await;
    begun.holds("a second turn", async || begun.get(&id).await["turns"] == 2).await;
    begun.until(&id, "idle").await;
}

#[tokio::test]
async fn a_clock_that_jumps_a_day_leaves_each_session_where_it_says_why() {
    let begun = begin().await;
    let working = begun.start("practice: wait 30").await;
    begun.until(&working, "running").await;
    let asking = begun.start("practice: run touch x").await;
    let ask = begun.asked(&asking).await;
    begun.pass(86_400_000).await;
    begun.later(&working, "running").await;
    begun.pass(-2 * 86_400_000).await;
    begun.later(&working, "running").await;
    assert_eq!(begun.asked(&asking).await, ask, "a request waits as long as it takes");
    begun.program.owner("sessions.answer", json!({"sessionId": asking, "askId": ask, "allow": false})).await.unwrap();
    begun.later(&asking, "idle").await;
    let own = begun.start("practice: say now").await;
    begun.until(&own, "idle").await;
}

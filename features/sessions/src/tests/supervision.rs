//! What each setting of supervision does to whole sessions. Every test begins with the name of its setting.

use super::practice::{Begun, begin, begin_with};
use super::script::{answer, error, is, read, scripted, text_of, update};
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::HasDb;
use testkit::{ACCOUNT, refused};

const MINUTE_MS: i64 = 60_000;

/// Two sessions, one at work and one that waits for a prompt.
async fn running_and_waiting(begun: &Begun) -> (String, String) {
    let running = begun.start("practice: wait 30; say never").await;
    begun.until(&running, "running").await;
    let waiting = begun.start("practice: say Hi").await;
    begun.until(&waiting, "idle").await;
    (running, waiting)
}

#[tokio::test]
async fn auto_resume_on_crash_brings_back_what_ran_with_one_nudge_and_what_waited_without() {
    let begun = begin().await;
    let (running, waiting) = running_and_waiting(&begun).await;
    let stopped = begun.start("practice: wait 30").await;
    begun.until(&stopped, "running").await;
    begun.program.owner("sessions.stop", json!({"sessionId": stopped})).await.unwrap();
    begun.until(&stopped, "stopped").await;
    let begun = begun.crash().await;
    // The nudge's turn may be over before anyone looks.
    begun.later(&running, "idle").await;
    begun.later(&waiting, "idle").await;
    assert_eq!((begun.count(&running, "nudge").await, begun.count(&waiting, "nudge").await), (1, 0));
    assert_eq!(begun.count(&running, "prompt").await, 1, "no prompt is sent twice");
    assert_eq!(begun.get(&stopped).await["state"], "stopped");
}

#[tokio::test]
async fn auto_resume_on_crash_off_lists_both_as_interrupted() {
    let begun = begin().await;
    begun.set(&[("autoResumeOnCrash", json!(false))]);
    let (running, waiting) = running_and_waiting(&begun).await;
    let begun = begun.crash().await;
    for id in [&running, &waiting] {
        let session = begun.until(id, "interrupted").await;
        assert!(session["why"].as_str().unwrap().contains("autoResumeOnCrash"), "{session}");
        assert_eq!(begun.count(id, "nudge").await, 0);
    }
}

#[tokio::test]
async fn a_restored_backup_resumes_nothing_and_shows_what_ran_as_interrupted() {
    let begun = begin().await;
    let (running, waiting) = running_and_waiting(&begun).await;
    let asking = begun.start("practice: ask Which way?").await;
    begun.until(&asking, "awaitingInput").await;
    let asks = begun.program.owner("sessions.asks", json!({"sessionId": asking})).await.unwrap();
    let ask = asks["items"][0]["id"].clone();
    begun.program.ctx.db().backup_now().await.unwrap();
    let begun = begun.restore().await;
    for id in [&running, &waiting, &asking] {
        let session = begun.until(id, "interrupted").await;
        assert_eq!(session["why"], "Restored from a backup", "{session}");
        assert_eq!(begun.count(id, "nudge").await, 0);
    }
    // An answer is kept until you resume the session, and is then in its transcript.
    let answer = json!({"sessionId": asking, "askId": ask, "value": "left"});
    let answered = begun.program.owner("sessions.answer", answer).await.unwrap();
    assert_eq!(answered["state"], "interrupted", "{answered}");
    begun.program.owner("sessions.resume", json!({"sessionId": asking})).await.unwrap();
    begun.later(&asking, "idle").await;
    let entries = begun.entries_once(&asking, |entry| entry["entry"] == "nudge").await;
    let told = entries.iter().find(|entry| entry["entry"] == "nudge").unwrap()["text"].to_string();
    assert!(told.contains("left"), "{told}");
    assert_eq!(begun.count(&asking, "prompt").await, 1, "the message isn't sent again");
    // The next start is an ordinary one.
    let begun = begun.crash().await;
    begun.later(&asking, "idle").await;
}

/// An engine whose service is overloaded for so many launches.
async fn overloaded(launches: usize) -> (Begun, Arc<Mutex<usize>>) {
    let tried = Arc::new(Mutex::new(0));
    let tries = tried.clone();
    let begun = begin_with(scripted(move |heard| {
        if !is(heard, "session/new") {
            return None;
        }
        let mut tries = tries.lock().unwrap();
        *tries += 1;
        (*tries <= launches).then(|| vec![error(heard, -32603, "529 Overloaded")])
    }))
    .await;
    (begun, tried)
}

/// Lets the session run until it waits before the next try; since when and until when.
async fn backoff(begun: &Begun, id: &str) -> (i64, i64) {
    loop {
        let session = begun.later(id, "queued").await;
        if session["detail"]["why"]["for"] == "backoff" {
            let since: jiff::Timestamp = session["since"].as_str().unwrap().parse().unwrap();
            return (since.as_millisecond(), session["detail"]["why"]["until"].as_i64().unwrap());
        }
        begun.pass(100).await;
    }
}

#[tokio::test]
async fn relentless_session_relaunch_tries_on_with_growing_pauses() {
    let (begun, tried) = overloaded(8).await;
    begun.set(&[("relentlessSessionRelaunch", json!(true)), ("sessionRestartSpacingSeconds", json!(0))]);
    let id = begun.start("go").await;
    for gap_ms in [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000] {
        let (since, until) = backoff(&begun, &id).await;
        let gap = until - since;
        assert!((gap_ms * 4 / 5..=gap_ms).contains(&gap), "{gap} ms instead of {gap_ms}, less a fifth at most");
        begun.pass(until - since).await;
        while begun.get(&id).await["detail"]["why"]["until"] == json!(until) {
            begun.pass(100).await;
        }
    }
    let outages = async || {
        let rows = begun.rows().await.into_iter().filter(|(kind, _)| kind == "engine-outage");
        rows.map(|(_, outcome)| outcome).collect::<Vec<_>>()
    };
    assert_eq!(outages().await, [""], "one notice for all attempts");
    begun.later(&id, "idle").await;
    assert_eq!(*tried.lock().unwrap(), 9);
    assert_eq!(outages().await, ["works again"]);
}

#[tokio::test]
async fn relentless_session_relaunch_off_tries_three_times() {
    let (begun, tried) = overloaded(usize::MAX).await;
    let id = begun.start("go").await;
    let session = begun.later(&id, "failed").await;
    assert_eq!(*tried.lock().unwrap(), 3);
    assert!(session["why"].as_str().unwrap().contains("relentlessSessionRelaunch"), "{session}");
    assert_eq!(session["detail"]["failure"], json!({"kind": "transient", "what": "overload"}));
}

#[tokio::test]
async fn relentless_session_relaunch_stops_at_once_at_what_trying_does_not_mend() {
    for (code, message, kind) in [(-32000, "Authentication required", "auth"), (-32602, "bad request", "request")] {
        let tried = Arc::new(Mutex::new(0));
        let tries = tried.clone();
        let begun = begin_with(scripted(move |heard| {
            *tries.lock().unwrap() += usize::from(is(heard, "session/new"));
            is(heard, "session/new").then(|| vec![error(heard, code, message)])
        }))
        .await;
        begun.set(&[("relentlessSessionRelaunch", json!(true))]);
        let id = begun.start("go").await;
        let session = begun.until(&id, "failed").await;
        assert_eq!(session["detail"]["failure"]["kind"], kind);
        begun.pass(10 * MINUTE_MS).await;
        assert_eq!(*tried.lock().unwrap(), 1, "{message}");
    }
}

/// An engine that answers its first prompts with these errors, and then ends its turns.
async fn limited(errors: impl Fn(i64) -> Vec<String>) -> Begun {
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let says = said.clone();
    let begun = begin_with(scripted(move |heard| {
        let next = is(heard, "session/prompt").then(|| says.lock().unwrap().pop())??;
        Some(vec![error(heard, -32603, &next)])
    }))
    .await;
    begun.set(&[("sessionRestartSpacingSeconds", json!(0))]);
    *said.lock().unwrap() = errors(begun.program.ctx.now_ms());
    said.lock().unwrap().reverse();
    begun
}

/// How long the session is parked, from its state's beginning to its next try.
async fn parked_ms(begun: &Begun, id: &str) -> i64 {
    let session = begun.later(id, "parked").await;
    assert!(session["need"].is_null(), "nobody has to do anything: {session}");
    let since: jiff::Timestamp = session["since"].as_str().unwrap().parse().unwrap();
    let until = session["detail"]["until"].as_i64().expect("the state says when it is tried again");
    begun.pass(until - begun.program.ctx.now_ms()).await;
    while begun.get(id).await["detail"]["until"] == json!(until) {
        begun.pass(100).await;
    }
    until - since.as_millisecond()
}

#[tokio::test]
async fn a_limit_that_should_just_be_over_is_tried_again_within_two_minutes() {
    for text in
        ["You've hit your session limit · resets %-I:%M%P (UTC)", "Usage limit reached, try again at %-I:%M %p."]
    {
        let begun = limited(|now_ms| {
            let just_past = jiff::Timestamp::from_millisecond(now_ms - MINUTE_MS).unwrap();
            vec![just_past.to_zoned(jiff::tz::TimeZone::UTC).strftime(text).to_string()]
        })
        .await;
        let id = begun.start("go").await;
        let parked = parked_ms(&begun, &id).await;
        assert!((MINUTE_MS..=2 * MINUTE_MS).contains(&parked), "{parked} ms for {text}");
        begun.later(&id, "idle").await;
    }
}

#[tokio::test]
async fn a_limit_without_a_reset_time_is_tried_again_after_growing_pauses() {
    let begun = limited(|_| vec!["insufficient_quota".to_owned(); 6]).await;
    let id = begun.start("go").await;
    for minutes in [5, 10, 20, 40, 60, 60] {
        assert_eq!(parked_ms(&begun, &id).await, minutes * MINUTE_MS);
    }
    begun.later(&id, "idle").await;
    assert_eq!(begun.rows().await, [], "it never waited for a person");
}

/// Waits for what the practice agent says of itself once it is open: its last sign of life where its prompt is silence.
pub(super) async fn told_commands(begun: &Begun, id: &str, launches: usize) {
    let told = async || begun.entries(id).await.iter().filter(|entry| entry["told"]["event"] == "commands").count();
    begun.holds("the agent's commands", async || told().await == launches).await;
}

#[tokio::test]
async fn auto_restart_unresponsive_sessions_sends_a_silent_turn_again_once() {
    let begun = begin().await;
    let id = begun.start("practice: fail silence").await;
    begun.until(&id, "running").await;
    told_commands(&begun, &id, 1).await;
    begun.pass(5 * MINUTE_MS - 1).await;
    assert_eq!(begun.count(&id, "prompt").await, 1, "not a moment earlier");
    begun.pass(1).await;
    begun.holds("a second prompt", async || begun.count(&id, "prompt").await == 2).await;
    let again = begun.entries(&id).await.into_iter().rfind(|entry| entry["entry"] == "prompt").unwrap();
    assert!(again["note"].as_str().unwrap().contains("got no response"), "{again}");
    begun.until(&id, "running").await;
    told_commands(&begun, &id, 2).await;
    begun.pass(5 * MINUTE_MS).await;
    let session = begun.until(&id, "interrupted").await;
    assert_eq!(session["need"]["need"], "stuck", "the second time it needs you");
    assert_eq!(begun.count(&id, "prompt").await, 2);
    assert_eq!(begun.rows().await, [("session".to_owned(), String::new())]);
}

#[cfg(unix)]
#[tokio::test]
async fn auto_restart_unresponsive_sessions_looks_first_whether_anybody_is_logged_in() {
    use std::os::unix::fs::PermissionsExt;
    let bin = tempfile::TempDir::new().unwrap();
    let file = bin.path().join("gemini");
    std::fs::write(&file, "#!/bin/sh\necho 0.61.0\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut hands = scripted(|heard| is(heard, "session/prompt").then(Vec::new));
    hands.machine.env.insert("PATH".into(), bin.path().to_str().unwrap().into());
    hands.machine.home = bin.path().into();
    let login = bin.path().join(".gemini/oauth_creds.json");
    std::fs::create_dir(login.parent().unwrap()).unwrap();
    std::fs::write(&login, "{}").unwrap();
    let begun = begin_with(hands).await;
    let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": "gemini"});
    let id = begun.program.owner("sessions.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    begun.until(&id, "running").await;
    std::fs::remove_file(login).unwrap();
    begun.pass(5 * MINUTE_MS).await;
    let session = begun.until(&id, "failed").await;
    assert_eq!(session["detail"]["failure"]["kind"], "auth", "{session}");
    assert_eq!(session["detail"]["detail"], "Run `gemini` in a terminal and choose how to log in.");
    assert_eq!(begun.count(&id, "prompt").await, 1, "a restart would not help");
}

#[tokio::test]
async fn auto_restart_unresponsive_sessions_takes_a_tool_at_work_for_a_sign_of_life() {
    let begun = begin_with(scripted(|heard| {
        let tool = json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "make", "kind": "execute", "status": "in_progress"});
        is(heard, "session/prompt").then(|| vec![update(tool)])
    }))
    .await;
    let id = begun.start("go").await;
    begun.until(&id, "running").await;
    begun.holds("a word of the engine", async || begun.count(&id, "engine").await > 0).await;
    for _ in 0..12 {
        begun.pass(5 * MINUTE_MS).await;
    }
    let session = begun.get(&id).await;
    assert_eq!((&session["state"], begun.count(&id, "prompt").await), (&json!("running"), 1));
}

#[tokio::test]
async fn auto_restart_unresponsive_sessions_off_only_marks_it() {
    let begun = begin().await;
    begun.set(&[("autoRestartUnresponsiveSessions", json!(false))]);
    let id = begun.start("practice: fail silence").await;
    assert_eq!(begun.until(&id, "running").await["isStuck"], false);
    told_commands(&begun, &id, 1).await;
    begun.pass(6 * MINUTE_MS).await;
    let session = begun.get(&id).await;
    assert_eq!((&session["state"], &session["isStuck"]), (&json!("running"), &json!(true)));
    assert_eq!(begun.count(&id, "prompt").await, 1);
}

/// An agent that reads a file again and again, whatever it is told; `texts` are what it reads. What it was told is handed out.
async fn looping(texts: Vec<&'static str>) -> (Begun, Arc<Mutex<Vec<String>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tells = told.clone();
    let begun = begin_with(scripted(move |heard| {
        if !is(heard, "session/prompt") {
            return None;
        }
        tells.lock().unwrap().push(text_of(heard));
        let reads = texts.iter().enumerate().map(|(n, text)| read(&format!("t{n}"), "notes.txt", text));
        Some(reads.chain([answer(heard, json!({"stopReason": "end_turn"}))]).collect())
    }))
    .await;
    (begun, told)
}

#[tokio::test]
async fn read_loop_breaker_enabled_relaunches_twice_and_then_needs_you() {
    let (begun, told) = looping(vec!["same"; 5]).await;
    let id = begun.start("go").await;
    let session = begun.later(&id, "interrupted").await;
    assert_eq!(session["need"]["need"], "loop");
    let told = told.lock().unwrap().clone();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[1..].iter().all(|told| told.contains("Read notes.txt was repeated 5 times")), "{told:?}");
}

#[tokio::test]
async fn read_loop_breaker_enabled_counts_anew_when_the_file_has_changed() {
    let (begun, told) = looping(vec!["a", "a", "a", "a", "b", "b", "b", "b", "a", "a", "a", "a"]).await;
    let id = begun.start("go").await;
    begun.later(&id, "idle").await;
    assert_eq!(told.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn read_loop_breaker_enabled_off_does_nothing() {
    let (begun, told) = looping(vec!["same"; 20]).await;
    begun.set(&[("readLoopBreakerEnabled", json!(false))]);
    let id = begun.start("go").await;
    begun.later(&id, "idle").await;
    assert_eq!(told.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn context_stall_auto_recover_enabled_makes_room_three_times_an_hour() {
    let begun = begin().await;
    let id = begun.start("practice: fail context").await;
    for n in 1..=3 {
        begun.until(&id, "idle").await;
        assert_eq!(begun.count(&id, "nudge").await, n, "it is told that there is room, and the transcript says so");
        let entries = begun.entries(&id).await;
        let states =
            entries.iter().filter(|entry| entry["entry"] == "state" && entry["state"]["state"] == "compacting");
        let whys: Vec<&str> = states.filter_map(|entry| entry["why"].as_str()).collect();
        assert!(whys.len() >= n && whys.iter().all(|why| why.contains("contextStallAutoRecoverEnabled")), "{whys:?}");
        begun.say(&id, "practice: fail context").await;
    }
    let session = begun.until(&id, "failed").await;
    assert_eq!(
        (&session["detail"]["failure"]["kind"], &session["need"]["need"]),
        (&json!("contextFull"), &json!("failed"))
    );
    begun.pass(61 * MINUTE_MS).await;
    begun.say(&id, "practice: fail context").await;
    begun.later(&id, "idle").await;
    assert_eq!(begun.count(&id, "nudge").await, 4, "an hour later there is room for another one");
}

#[tokio::test]
async fn context_stall_auto_recover_enabled_off_needs_you() {
    let begun = begin().await;
    begun.set(&[("contextStallAutoRecoverEnabled", json!(false))]);
    let id = begun.start("practice: fail context").await;
    let session = begun.until(&id, "failed").await;
    assert!(session["why"].as_str().unwrap().contains("contextStallAutoRecoverEnabled is off"), "{session}");
    assert_eq!(session["need"]["need"], "failed");
}

#[tokio::test]
async fn auto_detect_questions_has_a_question_need_you() {
    let begun = begin().await;
    let asking = begun.start("practice: say Should I remove the old table as well?").await;
    let quoting = begun.start("practice: say The log says `who is there?` and nothing more.").await;
    begun.until(&asking, "idle").await;
    begun.until(&quoting, "idle").await;
    assert_eq!(begun.get(&asking).await["need"]["need"], "question");
    assert_eq!(begun.get(&quoting).await["need"], Value::Null);
    assert_eq!(begun.rows().await, [("session".to_owned(), String::new())]);
    begun.set(&[("autoDetectQuestions", json!(false))]);
    let off = begun.start("practice: say Should I remove the old table as well?").await;
    begun.until(&off, "idle").await;
    assert_eq!(begun.get(&off).await["need"], Value::Null);
}

#[tokio::test]
async fn auto_approve_plans_answers_them_without_a_row() {
    let begun = begin().await;
    begun.set(&[("autoApprovePlans", json!(true))]);
    let id = begun.start("practice: plan Look|Change; say done").await;
    begun.until(&id, "idle").await;
    assert!(begun.said(&id).await.contains("done"));
    assert_eq!(begun.rows().await, []);
    assert_eq!(begun.count(&id, "answer").await, 1);
}

#[tokio::test]
async fn auto_approve_plans_off_has_the_turn_wait_for_your_answer() {
    let begun = begin().await;
    let id = begun.start("practice: plan Look|Change; say done").await;
    let ask = begun.asked(&id).await;
    assert_eq!(begun.rows().await, [("plan".to_owned(), String::new())]);
    begun.pass(30 * MINUTE_MS).await;
    assert_eq!(begun.get(&id).await["state"], "awaitingPermission");
    let answer = json!({"sessionId": id, "askId": ask, "allow": true, "offer": "plan-accept-edits"});
    begun.program.owner("sessions.answer", answer).await.unwrap();
    begun.until(&id, "idle").await;
    assert_eq!(begun.rows().await, [("plan".to_owned(), "allowed".to_owned())]);
}

/// So many sessions at work, then a crash: at which second each of them comes back, while `change` may turn settings at a second.
async fn come_back(count: usize, set: &[(&'static str, Value)], change: impl Fn(&Begun, i64)) -> Vec<i64> {
    let begun = begin().await;
    begun.set(set);
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(begun.start("practice: wait 30").await);
    }
    for id in &ids {
        begun.until(id, "running").await;
    }
    let begun = begun.crash().await;
    let mut starts = Vec::new();
    for half_second in 0..400 {
        change(&begun, half_second);
        begun.pass(0).await;
        for id in &ids {
            begun.get(id).await;
        }
        // Those that start now have as much time as they need.
        loop {
            let mut states = Vec::new();
            for id in &ids {
                states.push(begun.get(id).await["state"].as_str().unwrap().to_owned());
            }
            if !states.iter().any(|state| state == "launching") {
                // Some have come to the end of their turn already.
                let started = states.iter().filter(|state| *state != "queued").count();
                starts.resize(started.max(starts.len()), half_second * 500);
                break;
            }
            tokio::task::yield_now().await;
        }
        if starts.len() == count {
            break;
        }
        begun.pass(500).await;
    }
    starts
}

#[tokio::test]
async fn session_restart_spacing_seconds_keeps_sessions_apart_that_come_back() {
    let spacing = |seconds: f64| [("sessionRestartSpacingSeconds", json!(seconds))];
    assert_eq!(come_back(3, &spacing(3.0), |_, _| ()).await, [0, 3_000, 6_000]);
    assert_eq!(come_back(3, &spacing(0.0), |_, _| ()).await, [0, 1_000, 2_000], "0 is a second");
    let change = |begun: &Begun, half_second: i64| {
        if half_second == 8 {
            begun.set(&spacing(1.0));
        }
    };
    assert_eq!(
        come_back(4, &spacing(3.0), change).await,
        [0, 3_000, 4_000, 5_000],
        "a change counts for those that wait"
    );
}

#[tokio::test]
async fn session_restart_spacing_seconds_delays_no_start_of_yours() {
    let begun = begin().await;
    begun.set(&[("sessionRestartSpacingSeconds", json!(30))]);
    let (running, _) = running_and_waiting(&begun).await;
    let begun = begun.crash().await;
    // The nudge's turn may be over before anyone looks.
    begun.until(&running, "idle").await;
    assert_eq!(begun.count(&running, "nudge").await, 1, "it came back");
    let own = begun.start("practice: say mine").await;
    begun.until(&own, "idle").await;
}

#[tokio::test]
async fn session_restart_spacing_after_warmup_seconds_and_warmup_minutes() {
    let set = |after: f64, minutes: i64| {
        [
            ("sessionRestartSpacingSeconds", json!(30)),
            ("sessionRestartSpacingAfterWarmupSeconds", json!(after)),
            ("sessionRestartSpacingWarmupMinutes", json!(minutes)),
        ]
    };
    let starts = come_back(5, &set(5.0, 1), |_, _| ()).await;
    assert_eq!(starts, [0, 30_000, 60_000, 65_000, 70_000], "sessionRestartSpacingAfterWarmupSeconds");
    assert_eq!(come_back(3, &set(0.0, 1), |_, _| ()).await, [0, 30_000, 60_000], "0 keeps the first pause");
    let starts = come_back(3, &set(5.0, 0), |_, _| ()).await;
    assert_eq!(starts, [0, 5_000, 10_000], "sessionRestartSpacingWarmupMinutes 0 leaves the warm-up out");
}

async fn script_starts(begun: &Begun, n: usize) -> String {
    let input = json!({"engine": "practice", "prompt": format!("practice: say {n}"), "projectId": begun.hub["id"]});
    let made = begun.program.as_caller(Caller::new(Kind::Cli, ACCOUNT, "cli"), "sessions.create", input).await.unwrap();
    made["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn session_memory_guard_percent_holds_what_starts_in_bulk_and_nothing_of_yours() {
    let hands = super::practice::Hands::new(Arc::new(super::practice::start_here));
    let memory = hands.memory.clone();
    let begun = begin_with(hands).await;
    begun.set(&[("requireSpawnSourceSession", json!(false)), ("cliSpawnSpacingSeconds", json!(0))]);
    *memory.lock().unwrap() = Some(85.0);
    let held = script_starts(&begun, 1).await;
    let own = begun.start("practice: say mine").await;
    begun.until(&own, "idle").await;
    begun.pass(10 * MINUTE_MS).await;
    let session = begun.get(&held).await;
    assert_eq!((&session["state"], &session["detail"]["why"]["for"]), (&json!("queued"), &json!("memory")));
    assert!(session["why"].as_str().unwrap().contains("sessionMemoryGuardPercent"), "{session}");
    *memory.lock().unwrap() = Some(84.9);
    begun.pass(5_000).await;
    begun.until(&held, "finished").await;
}

#[tokio::test]
async fn session_memory_guard_enabled_off_holds_nothing() {
    let hands = super::practice::Hands::new(Arc::new(super::practice::start_here));
    *hands.memory.lock().unwrap() = Some(99.0);
    let begun = begin_with(hands).await;
    begun.set(&[("requireSpawnSourceSession", json!(false)), ("sessionMemoryGuardEnabled", json!(false))]);
    let id = script_starts(&begun, 1).await;
    begun.until(&id, "finished").await;
}

#[tokio::test]
async fn cli_spawn_spacing_seconds_keeps_new_ones_apart_and_says_so() {
    let begun = begin().await;
    let set = |seconds: i64| [("requireSpawnSourceSession", json!(false)), ("cliSpawnSpacingSeconds", json!(seconds))];
    begun.set(&set(10));
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(script_starts(&begun, n).await);
    }
    begun.until(&ids[0], "finished").await;
    let waits = async |id: &str| loop {
        let session = begun.get(id).await;
        if session["why"].as_str().unwrap().contains("cliSpawnSpacingSeconds") {
            return session["startsAt"].as_str().unwrap().to_owned();
        }
        tokio::task::yield_now().await;
    };
    for (id, at) in [(&ids[1], "12:00:10"), (&ids[2], "12:00:20"), (&ids[3], "12:00:30")] {
        assert!(waits(id).await.contains(at), "{at}");
    }
    begun.pass(9_900).await;
    assert_eq!(begun.get(&ids[1]).await["state"], "queued");
    begun.pass(100).await;
    begun.until(&ids[1], "finished").await;
    assert_eq!(begun.get(&ids[2]).await["state"], "queued", "in order");
    begun.set(&set(2));
    assert!(waits(&ids[2]).await.contains("12:00:12"), "a change counts for those that wait");
    begun.pass(2_000).await;
    begun.until(&ids[2], "finished").await;
    begun.set(&set(0));
    begun.pass(0).await;
    begun.until(&ids[3], "finished").await;
    assert_eq!(begun.get(&ids[3]).await["startsAt"], Value::Null);
}

fn cli() -> Caller {
    Caller::new(Kind::Cli, ACCOUNT, "cli")
}

async fn drive(begun: &Begun, prompt: &str) -> Result<String, kit::Error> {
    let input = json!({"engine": "practice", "prompt": prompt, "projectId": begun.hub["id"], "driven": true});
    let made = begun.program.as_caller(cli(), "sessions.create", input).await?;
    Ok(made["id"].as_str().unwrap().to_owned())
}

const DRIVEN: [(&str, bool); 2] = [("agentDrivenSessionsEnabled", true), ("requireSpawnSourceSession", false)];

fn driven(more: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    let base = DRIVEN.iter().map(|(key, value)| (*key, json!(value)));
    base.chain([("cliSpawnSpacingSeconds", json!(0))]).chain(more.iter().cloned()).collect()
}

#[tokio::test]
async fn agent_driven_max_concurrent_refuses_one_too_many_until_another_has_ended() {
    let begun = begin().await;
    begun.set(&driven(&[("agentDrivenMaxConcurrent", json!(2))]));
    let own = begun.start("practice: wait 30").await;
    let first = drive(&begun, "practice: wait 30").await.unwrap();
    drive(&begun, "practice: wait 31").await.unwrap();
    let told = refused(drive(&begun, "practice: wait 32").await, "agent-concurrency");
    assert_eq!(told.member("setting"), Some(&json!("agentDrivenMaxConcurrent")));
    begun.until(&own, "running").await;
    begun.until(&first, "running").await;
    begun.program.owner("sessions.stop", json!({"sessionId": first})).await.unwrap();
    begun.until(&first, "stopped").await;
    drive(&begun, "practice: say now").await.unwrap();
    begun.set(&driven(&[("agentDrivenMaxConcurrent", json!(0))]));
    refused(drive(&begun, "practice: say none").await, "agent-concurrency");
    let own = begun.start("practice: say mine").await;
    begun.until(&own, "idle").await;
}

#[tokio::test]
async fn agent_driven_max_dollars_per_session_and_max_turns_per_session_stop_nothing() {
    let begun = begin().await;
    begun.set(&driven(&[("agentDrivenMaxDollarsPerSession", json!(0)), ("agentDrivenMaxTurnsPerSession", json!(0))]));
    let id = drive(&begun, "practice: usage 10 100 7.5; say one").await.unwrap();
    begun.until(&id, "idle").await;
    let follow_up = json!({"sessionId": id, "prompt": "practice: say two"});
    begun.program.as_caller(cli(), "sessions.message", follow_up).await.unwrap();
    begun.holds("a second turn", async || begun.get(&id).await["turns"] == 2).await;
    assert_eq!(begun.until(&id, "idle").await["costUsd"], 7.5);
    for key in ["agentDrivenMaxDollarsPerSession", "agentDrivenMaxTurnsPerSession"] {
        let row = crate::feature().settings.into_iter().find(|row| row.key == key).expect("it is declared");
        assert!(row.stored_only, "{key} is shown as stored and not enforced");
    }
}

//! What the page of a session reads and does: the stream, the record, prompts with images, steering.

use super::*;
use crate::transcript::SessionKey;
use kit::Body;
use kit::op::ByteStream;
use std::future::poll_fn;

pub(super) struct Heard {
    pieces: ByteStream,
}

pub(super) struct Told {
    name: String,
    id: Option<i64>,
    data: Value,
}

impl Heard {
    /// The next event; retries and signs of life are none.
    async fn next(&mut self) -> Told {
        loop {
            let piece = poll_fn(|cx| self.pieces.as_mut().poll_next(cx)).await.expect("the stream goes on").unwrap();
            let text = String::from_utf8(piece.to_vec()).unwrap();
            let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
            if let (Some(name), Some(data)) = (field("event: "), field("data: ")) {
                let data = serde_json::from_str(data).unwrap();
                return Told { name: name.to_owned(), id: field("id: ").map(|id| id.parse().unwrap()), data };
            }
        }
    }

    /// Entries up to the first one that is wanted, that one included.
    async fn entries_until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let told = self.next().await;
            assert_ne!(told.name, "reset");
            if told.name == "entries" {
                all.extend(told.data["entries"].as_array().unwrap().iter().cloned());
                assert_eq!(told.id, all.last().unwrap()["number"].as_i64());
                if all.iter().any(|entry| is_wanted(&entry["body"])) {
                    return all;
                }
            }
        }
    }

    /// What an event of this name tells, as soon as it tells what is wanted.
    async fn until(&mut self, name: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let told = self.next().await;
            if told.name == name && is_wanted(&told.data) {
                return told.data;
            }
        }
    }
}

impl Begun {
    pub(super) async fn hear(&self, input: Value, last_event_id: Option<&str>) -> Heard {
        let caller = Caller::new(Kind::Owner, ACCOUNT, "test");
        let call = Call { last_event_id: last_event_id.map(str::to_owned), ..Call::new(caller) };
        let reply = self.program.call(call, "sessions.stream", input).await.unwrap();
        let Body::Stream(pieces) = reply.body else { panic!("the answer is no stream") };
        Heard { pieces }
    }

    fn key(&self, id: &str) -> SessionKey {
        SessionKey { account: ACCOUNT.into(), session: id.into() }
    }

    pub(in crate::tests) async fn say(&self, id: &str, prompt: &str) -> Value {
        self.program.owner("sessions.message", json!({"sessionId": id, "prompt": prompt})).await.unwrap()
    }
}

fn says(body: &Value, text: &str) -> bool {
    body["told"]["event"] == "said" && body["told"]["chunk"]["text"].as_str().is_some_and(|said| said.contains(text))
}

fn ends(body: &Value) -> bool {
    body["told"]["event"] == "turnEnded"
}

fn numbers(entries: &[Value]) -> Vec<i64> {
    entries.iter().map(|entry| entry["number"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn entries_are_heard_before_they_are_written_and_are_those_of_the_transcript() {
    let place = begin().await;
    let id = place.start("practice: say One").await;
    place.until(&id, "idle").await;
    let mut heard = place.hear(json!({"sessionId": id}), None).await;
    let record = heard.next().await;
    assert_eq!((record.name.as_str(), &record.data["id"]), ("session", &json!(id)));
    let before = record.data["lastEntry"].as_i64().unwrap();
    place.say(&id, "practice: say Two; wait 30").await;
    let entries = heard.entries_until(|body| says(body, "Two")).await;
    let last = *numbers(&entries).last().unwrap();
    let written = place.program.ctx.service::<Sessions>().common.transcripts.last(&place.key(&id)).await.unwrap();
    assert!(written < last, "nothing is written because time passes here, and it is heard: {written}, {last}");
    assert_eq!(numbers(&entries), (before + 1..=last).collect::<Vec<_>>());
    let read = place.program.owner("sessions.transcript", json!({"sessionId": id, "after": before})).await.unwrap();
    let read = read["entries"].as_array().unwrap();
    assert_eq!(read[..entries.len()], entries);
}

#[tokio::test]
async fn who_comes_back_gets_what_was_missed_and_who_names_what_never_was_reads_again() {
    let place = begin().await;
    let id = place.start("practice: say One; say Two; say Three").await;
    place.until(&id, "idle").await;
    let mut heard = place.hear(json!({"sessionId": id, "after": 0}), None).await;
    let all = heard.entries_until(ends).await;
    assert_eq!(numbers(&all)[0], 1);
    let mut again = place.hear(json!({"sessionId": id}), Some("3")).await;
    assert_eq!(numbers(&again.entries_until(ends).await)[0], 4);
    let mut lost = place.hear(json!({"sessionId": id}), Some("1000")).await;
    let told = lost.next().await;
    assert_eq!(
        (told.name.as_str(), &told.data["last"], told.id),
        ("reset", &all.last().unwrap()["number"], told.data["last"].as_i64())
    );
}

#[tokio::test]
async fn who_reads_slowly_holds_nobody_up_and_misses_nothing() {
    let place = begin().await;
    let id = place.start("practice: say One").await;
    place.until(&id, "idle").await;
    let mut slow = place.hear(json!({"sessionId": id, "after": 0}), None).await;
    slow.next().await;
    place.say(&id, &format!("practice: {}", "say a; think b;".repeat(400))).await;
    while place.get(&id).await["turns"] != 2 {
        tokio::task::yield_now().await;
    }
    let live = place.program.ctx.service::<Sessions>().common.listeners.live(&place.key(&id));
    let held = live.from(live.last() - 600).entries.len();
    assert!(held == 0 && !live.from(live.last()).entries.is_empty(), "no more than a few hundred are held");
    let mut ended = 0;
    let mut entries = Vec::new();
    while ended < 2 {
        let more = slow.entries_until(ends).await;
        ended += more.iter().filter(|entry| ends(&entry["body"])).count();
        entries.extend(more);
    }
    assert!(entries.len() > 600, "{}", entries.len());
    assert_eq!(numbers(&entries), (1..=entries.len() as i64).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_stream_tells_of_the_record_and_of_what_is_asked() {
    let place = begin().await;
    let id = place.start("practice: say One").await;
    place.until(&id, "idle").await;
    let mut heard = place.hear(json!({"sessionId": id}), None).await;
    assert_eq!(heard.until("asks", |_| true).await["items"], json!([]));
    place.say(&id, "practice: todo A|~B|+C; usage 1000 4000 0.5; run touch made").await;
    let record = heard.until("session", |record| record["state"] == "awaitingPermission").await;
    assert_eq!((&record["todo"], &record["needsYou"]), (&json!({"done": 1, "total": 3}), &json!(true)));
    assert_eq!((&record["usedTokens"], &record["costUsd"]), (&json!(1000), &json!(0.5)));
    let asks = heard.until("asks", |asks| asks["items"] != json!([])).await;
    let yes = json!({"sessionId": id, "askId": asks["items"][0]["id"], "allow": true});
    place.program.owner("sessions.answer", yes).await.unwrap();
    let (mut is_idle, mut is_answered) = (false, false);
    while !(is_idle && is_answered) {
        let told = heard.next().await;
        is_idle |= told.name == "session" && told.data["state"] == "idle";
        is_answered |= told.name == "asks" && told.data["items"] == json!([]);
    }
}

#[tokio::test]
async fn a_stream_of_another_accounts_session_is_not_there() {
    let place = begin().await;
    let id = place.start("practice: say mine").await;
    place.until(&id, "idle").await;
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(place.program.call(Call::new(other), "sessions.stream", json!({"sessionId": id})).await, "not-found");
}

#[tokio::test]
async fn lists_hear_that_a_session_came_and_changed() {
    let place = begin().await;
    let bus = events::HasEvents::events(&place.program.ctx);
    let (_, mut live) = bus.listen(None);
    let id = place.start("practice: say One").await;
    place.until(&id, "idle").await;
    let mut changes = 0;
    while let Ok(told) = live.try_recv() {
        if told.event == (events::Event::SessionChanged { session_id: id.clone() }) {
            assert_eq!(told.account.as_deref(), Some(ACCOUNT));
            changes += 1;
        }
    }
    assert!((3..20).contains(&changes), "queued, launching, running and idle are told, chunks are not: {changes}");
}

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test]
async fn the_record_has_what_the_page_shows_and_unread_is_what_was_not_looked_at() {
    let place = begin().await;
    let id = place.start("practice: todo +A|B; say One").await;
    place.until(&id, "idle").await;
    let record = place.get(&id).await;
    assert_eq!(
        (&record["canSteer"], &record["acceptsImages"], &record["mode"]),
        (&json!(true), &json!(true), &json!("default"))
    );
    assert_eq!(record["plan"][0], json!({"content": "A", "status": "completed"}));
    let models = record["choices"].as_array().unwrap().iter().find(|choice| choice["id"] == "model").unwrap();
    assert_eq!(models["options"].as_array().unwrap().len(), 2);
    let last = place.entries(&id).await.len();
    assert_eq!((&record["unread"], &record["lastEntry"]), (&json!(last), &json!(last)));
    let seen = |number: usize| place.program.owner("sessions.seen", json!({"sessionId": id, "number": number}));
    assert_eq!(seen(last - 2).await.unwrap()["unread"], 2);
    assert_eq!(seen(1).await.unwrap()["unread"], 2, "what was seen stays seen");
    assert_eq!(seen(last + 100).await.unwrap()["unread"], 0);
    place.say(&id, "practice: say Two").await;
    while place.get(&id).await["turns"] != 2 {
        tokio::task::yield_now().await;
    }
    let listed = place.program.owner("sessions.list", json!({})).await.unwrap();
    assert!(listed["items"][0]["unread"].as_i64().unwrap() > 0, "{listed}");
    place.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "stopped").await;
    let Begun { program, folder, hub } = place;
    let place = Begun { program: program.restart().await, folder, hub };
    let again = place.get(&id).await;
    assert_eq!((&again["plan"], &again["choices"]), (&record["plan"], &record["choices"]), "it outlives the program");
    assert_eq!(again["unread"], place.entries(&id).await.len() - last);
}

#[tokio::test]
async fn title_model_and_mode_are_changed_at_once_and_hold_after_a_restart() {
    let place = begin().await;
    let id = place.start("practice: say One").await;
    place.until(&id, "idle").await;
    let change = |input: Value| {
        let mut input = input;
        input["sessionId"] = json!(id);
        place.program.owner("sessions.change", input)
    };
    let changed = change(json!({"title": " Mine ", "model": "practice-mini", "mode": "plan"})).await.unwrap();
    assert_eq!(
        (&changed["title"], &changed["model"], &changed["mode"]),
        (&json!("Mine"), &json!("practice-mini"), &json!("plan"))
    );
    for bad in [json!({"title": ""}), json!({"title": "a\u{7}"}), json!({"model": "none"}), json!({"mode": "none"})] {
        refused(change(bad).await, "invalid-input");
    }
    let told = refused(change(json!({"mode": "bypassPermissions"})).await, "mode-too-wide");
    assert_eq!(told.member("setting"), Some(&json!("agentPermissionLevel")));
    let Begun { program, folder, hub } = place;
    let place = Begun { program: program.restart().await, folder, hub };
    place.program.do_chores().await;
    place.until(&id, "idle").await;
    let record = place.get(&id).await;
    assert_eq!(
        (&record["title"], &record["model"], &record["mode"]),
        (&json!("Mine"), &json!("practice-mini"), &json!("plan"))
    );
}

#[tokio::test]
async fn a_prompt_that_waits_is_listed_and_taken_back_once_and_one_that_was_sent_is_not() {
    let place = begin().await;
    let id = place.start("practice: run touch made").await;
    place.asked(&id).await;
    let waiting = place.say(&id, "practice: say never").await;
    assert_eq!((&waiting["outcome"], &waiting["promptId"]), (&json!("waiting"), &json!(2)));
    let record = place.get(&id).await;
    assert_eq!(
        (&record["prompts"][0]["text"], &record["prompts"][0]["promptId"]),
        (&json!("practice: say never"), &json!(2))
    );
    let back = |prompt: u64| place.program.owner("sessions.withdraw", json!({"sessionId": id, "promptId": prompt}));
    back(2).await.unwrap();
    for gone in [2, 1, 9] {
        refused(back(gone).await, "not-now");
    }
    assert_eq!(place.get(&id).await["prompts"], json!([]));
    let ask = place.asked(&id).await;
    place.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": false})).await.unwrap();
    place.until(&id, "idle").await;
    assert!(!place.said(&id).await.contains("never"));
}

#[tokio::test]
async fn a_canceled_turn_ends_and_its_session_goes_on() {
    let place = begin().await;
    let id = place.start("practice: say One; wait 30; say never").await;
    place.until(&id, "running").await;
    while !place.said(&id).await.contains("One") {
        tokio::task::yield_now().await;
    }
    let cancel = || place.program.owner("sessions.cancel", json!({"sessionId": id}));
    cancel().await.unwrap();
    place.until(&id, "idle").await;
    refused(cancel().await, "not-now");
    place.say(&id, "practice: say Two").await;
    while !place.said(&id).await.contains("Two") {
        tokio::task::yield_now().await;
    }
    assert!(!place.said(&id).await.contains("never"));
}

#[tokio::test]
async fn a_message_is_steered_into_a_turn_that_runs_and_waits_where_none_takes_it() {
    let place = begin().await;
    // The turn goes on only after the steered message has come.
    let id = place.start("practice: run touch made; say End").await;
    let ask = place.asked(&id).await;
    let steer = json!({"sessionId": id, "prompt": "practice: say Steered", "steer": true});
    let sent = place.program.owner("sessions.message", steer.clone()).await.unwrap();
    assert_eq!((&sent["outcome"], &sent["promptId"]), (&json!("steered"), &Value::Null));
    place.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": true})).await.unwrap();
    place.until(&id, "idle").await;
    let entries = place.entries(&id).await;
    let steered: Vec<_> = entries.iter().filter(|entry| entry["steered"] == true).collect();
    assert_eq!(steered.len(), 1);
    assert_eq!(steered[0]["content"][0]["text"], "practice: say Steered");
    assert!(place.said(&id).await.contains("Steered"));
    assert_eq!(place.get(&id).await["turns"], 1);
    let sent = place.program.owner("sessions.message", steer).await.unwrap();
    assert_eq!(sent["outcome"], "sent", "no turn runs, so it is a prompt of its own");
}

#[tokio::test]
async fn a_session_starts_with_the_chosen_model_mode_and_images() {
    let place = begin().await;
    let start = async |more: Value| {
        let mut input = json!({"engine": "practice", "prompt": "practice: say One", "projectId": place.hub["id"]});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        place.program.owner("sessions.create", input).await
    };
    refused(start(json!({"mode": "bypassPermissions"})).await, "mode-too-wide");
    refused(start(json!({"mode": "a\u{7}"})).await, "invalid-input");
    refused(start(json!({"images": [{"media": "image/png", "data": "%%%"}]})).await, "invalid-input");
    let image = json!({"media": "image/png", "data": PNG});
    let made = start(json!({"model": "practice-mini", "mode": "plan", "images": [image]})).await.unwrap();
    let id = made["id"].as_str().unwrap();
    place.until(id, "idle").await;
    let record = place.get(id).await;
    assert_eq!((&record["model"], &record["mode"]), (&json!("practice-mini"), &json!("plan")));
    let current = |name: &str| {
        let choices = record["choices"].as_array().unwrap();
        choices.iter().find(|choice| choice["id"] == name).map(|choice| choice["current"].clone())
    };
    assert_eq!((current("mode"), current("model")), (Some(json!("plan")), Some(json!("practice-mini"))));
    let entries = place.entries(id).await;
    let prompt = entries.iter().find(|entry| entry["prompt"] == 1).unwrap();
    assert_eq!(prompt["content"][1], json!({"type": "image", "mime": "image/png", "image": 0}));
}

#[tokio::test]
async fn images_are_sent_with_a_prompt_kept_out_of_the_transcript_and_read_by_their_place() {
    let place = begin().await;
    let id = place.start("practice: say One").await;
    place.until(&id, "idle").await;
    let image = json!({"media": "image/png", "data": PNG});
    let send = |images: Value| {
        place
            .program
            .owner("sessions.message", json!({"sessionId": id, "prompt": "practice: say Two", "images": images}))
    };
    for bad in [
        json!([{"media": "image/svg+xml", "data": PNG}]),
        json!([{"media": "image/png", "data": "%%%"}]),
        json!([{"media": "image/jpeg", "data": PNG}]),
        json!(vec![image.clone(); 9]),
    ] {
        refused(send(bad).await, "invalid-input");
    }
    send(json!([image])).await.unwrap();
    place.until(&id, "idle").await;
    let entries = place.entries(&id).await;
    let prompt = entries.iter().find(|entry| entry["prompt"] == 2).unwrap();
    assert_eq!(prompt["content"][1], json!({"type": "image", "mime": "image/png", "image": 0}));
    let read = async |prompt: u64, image: usize| {
        let caller = Caller::new(Kind::Owner, ACCOUNT, "test");
        let input = json!({"sessionId": id, "promptId": prompt, "image": image});
        place.program.call(Call::new(caller), "sessions.image", input).await
    };
    let reply = read(2, 0).await.unwrap();
    let Body::Whole(bytes) = reply.body else { panic!("an image is whole") };
    assert!(reply.content_type == "image/png" && bytes.starts_with(b"\x89PNG"));
    for (prompt, image) in [(2, 1), (1, 0), (7, 0)] {
        refused(read(prompt, image).await, "not-found");
    }
}

#[tokio::test]
async fn what_the_page_does_to_another_accounts_session_is_not_found() {
    let place = begin().await;
    let id = place.start("practice: say mine").await;
    place.until(&id, "idle").await;
    for (op, input) in [
        ("sessions.change", json!({"title": "x"})),
        ("sessions.seen", json!({"number": 1})),
        ("sessions.cancel", json!({})),
        ("sessions.withdraw", json!({"promptId": 1})),
        ("sessions.image", json!({"promptId": 1, "image": 0})),
    ] {
        let mut input = input;
        input["sessionId"] = json!(id);
        let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
        refused(place.program.as_caller(other, op, input).await, "not-found");
    }
}

impl Begun {
    pub(in crate::tests) async fn export(&self, id: &str, form: &str) -> String {
        let call = Call::new(Caller::new(Kind::Owner, ACCOUNT, "test"));
        let reply = self.program.call(call, "sessions.export", json!({"sessionId": id, "as": form})).await.unwrap();
        let Body::Stream(mut pieces) = reply.body else { panic!("an export is streamed") };
        let mut all = Vec::new();
        while let Some(piece) = poll_fn(|cx| pieces.as_mut().poll_next(cx)).await {
            all.extend(piece.unwrap());
        }
        String::from_utf8(all).unwrap()
    }
}

#[tokio::test]
async fn a_whole_transcript_is_exported_and_nothing_in_it_is_markup() {
    let place = begin().await;
    let many = "say a; think b;".repeat(300);
    let id =
        place.start(&format!("practice: say <script>alert(1)</script> & more; write a.txt <b>bold</b>; {many}")).await;
    place.until(&id, "idle").await;
    let entries = place.entries(&id).await;
    let lines = place.export(&id, "jsonl").await;
    let read: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(read.len() > 500 && read[..entries.len()].iter().map(|line| &line["body"]).eq(&entries));
    assert_eq!(read.last().unwrap()["number"], place.get(&id).await["lastEntry"]);
    for form in ["html", "markdown"] {
        let text = place.export(&id, form).await;
        let outside: String = text.split("```").step_by(2).collect();
        assert!(!outside.contains("<script>") && !outside.contains("<b>"), "{form}");
        assert!(text.contains("&lt;script"), "{form}");
    }
    let html = place.export(&id, "html").await;
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</body></html>\n"));
    let other = Call::new(Caller::new(Kind::Owner, OTHER_ACCOUNT, "o"));
    refused(place.program.call(other, "sessions.export", json!({"sessionId": id, "as": "html"})).await, "not-found");
    let bad = place.program.owner("sessions.export", json!({"sessionId": id, "as": "pdf"})).await;
    refused(bad, "invalid-input");
}

#[test]
fn code_of_an_agent_is_closed_where_it_ends_and_hides_no_tag() {
    let write = |said: &str| {
        let mut writer = crate::write::Writer::new(crate::write::Form::Markdown, "T # x\n<i>", "now");
        let mut out = String::new();
        let told = json!({"entry": "engine", "told": {"event": "said", "chunk": {"type": "text", "text": said}}});
        writer.entry(&mut out, "now", &told.to_string());
        writer.end(&mut out);
        out
    };
    assert!(write("x").starts_with("# T \\# x \\<i\\>\n"));
    assert!(write("```rust\nlet a: Vec<u8>;\n```\n<b>").contains("Vec<u8>;\n```\n&lt;b>"));
    assert!(write("````\n```\n<b>\n").ends_with("<b>\n\n````\n"), "{}", write("````\n```\n<b>\n"));
    for unsafe_one in ["```a`b\n<b>", "- x\n  ```\n<b>", " ```\n<b>", "~~~\n<b>"] {
        assert!(!write(unsafe_one).contains("<b>"), "{unsafe_one}");
    }
}

#[tokio::test]
async fn engines_are_looked_for_before_they_are_listed_and_again_when_asked() {
    let place = begin().await;
    let listed = place.program.owner("engines.list", json!({})).await.unwrap();
    let items = listed["items"].as_array().unwrap();
    let ids: Vec<&str> = items.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"practice") && ids.len() >= 5, "{ids:?}");
    assert!(
        items.iter().all(|one| one["isFound"] == (one["id"] == "practice")),
        "the test's machine has none: {items:?}"
    );
    let practice = place.program.owner("engines.check", json!({"engineId": "practice"})).await.unwrap();
    assert_eq!(
        (&practice["isFound"], &practice["login"], &practice["path"], &practice["notReady"]),
        (&json!(true), &json!("yes"), &json!("/practice"), &Value::Null)
    );
    let other = ids.iter().find(|id| **id != "practice").unwrap();
    let missing = place.program.owner("engines.check", json!({"engineId": other})).await.unwrap();
    assert_eq!(missing["isFound"], false);
    assert!(!missing["trouble"].as_str().unwrap().is_empty() && !missing["install"].as_str().unwrap().is_empty());
    let listed = place.program.owner("engines.list", json!({})).await.unwrap();
    let known = listed["items"].as_array().unwrap().iter().find(|one| one["id"] == *other).unwrap();
    assert_eq!(known, &missing);
    refused(place.program.owner("engines.check", json!({"engineId": "nobody"})).await, "not-found");
}

#[tokio::test]
async fn sessions_are_a_board_that_changes_with_them() {
    let place = begin().await;
    let read = || async {
        let board = place.program.ctx.service::<kit::lookup::AgentSessions>();
        board.0.seen(&place.program.ctx, ACCOUNT, &kit::SessionsSeen::All).await.unwrap()
    };
    assert_eq!(read().await.all, []);
    let bus = events::HasEvents::events(&place.program.ctx);
    let (_, mut live) = bus.listen(None);
    let id = place.start("practice: usage 10 100 0.25; run touch made").await;
    let ask = place.asked(&id).await;
    let before = read().await;
    assert_eq!((before.all[0].state, &*before.all[0].engine), (kit::lookup::SessionState::NeedsPerson, "Practice"));
    assert_eq!((before.all[0].cost_usd, &*before.all[0].model), (Some(0.25), "practice"));
    place.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": true})).await.unwrap();
    place.until(&id, "idle").await;
    place.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "stopped").await;
    let after = read().await;
    assert!(after.changed_ms > before.changed_ms, "the clock stands still, and the change is one all the same");
    assert_eq!((after.all[0].state, after.all[0].turns), (kit::lookup::SessionState::Stopped, 1));
    let mut revisions = Vec::new();
    while let Ok(told) = live.try_recv() {
        if let events::Event::BoardChanged { board_id, revision } = told.event {
            assert_eq!(board_id, kit::lookup::AGENT_SESSIONS);
            revisions.push(revision);
        }
    }
    assert!(revisions.is_sorted_by(|a, b| a < b) && revisions.len() > 3, "{revisions:?}");
    let board = place.program.ctx.service::<kit::lookup::AgentSessions>();
    assert_eq!(board.0.seen(&place.program.ctx, OTHER_ACCOUNT, &kit::SessionsSeen::All).await.unwrap().all, []);
}

impl Begun {
    pub(in crate::tests) async fn find(&self, input: Value) -> Value {
        self.program.owner("sessions.search", input).await.unwrap()
    }

    /// Has the index filled to the end.
    pub(in crate::tests) async fn fill(&self) {
        let sessions = self.program.ctx.service::<Sessions>();
        while sessions.common.search.pending() > 0 {
            sessions.common.search.catch_up(&self.program.ctx, &sessions.common.transcripts).await.unwrap();
        }
    }
}

#[tokio::test]
async fn words_are_found_in_all_transcripts_with_where_they_stand() {
    let place = begin().await;
    let id = place.start("practice: say The größe of a quokka is modest; say unrelated").await;
    place.until(&id, "idle").await;
    place.entries(&id).await;
    place.fill().await;
    let found = place.find(json!({"q": "grosse quokk modest"})).await;
    assert_eq!(found["items"], json!([]), "ß is no ss");
    let found = place.find(json!({"q": "GRÖSSE"})).await;
    assert_eq!(found["items"], json!([]));
    let found = place.find(json!({"q": "modest quokk"})).await;
    let items = found["items"].as_array().unwrap();
    let said = items.iter().find(|item| item["who"] == "agent").unwrap();
    assert_eq!((&said["sessionId"], said["title"].as_str().unwrap().contains("quokka")), (&json!(id), true));
    let units: Vec<u16> = said["snippet"].as_str().unwrap().encode_utf16().collect();
    let words: Vec<String> = said["marks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mark| {
            let at = |end: usize| mark[end].as_u64().unwrap() as usize;
            String::from_utf16(&units[at(0)..at(1)]).unwrap()
        })
        .collect();
    assert_eq!(words, ["quokka", "modest"]);
    let entry = said["entry"].as_i64().unwrap();
    let read = place
        .program
        .owner("sessions.transcript", json!({"sessionId": id, "after": entry - 1, "limit": 1}))
        .await
        .unwrap();
    assert_eq!(read["entries"][0]["body"]["told"]["event"], "said");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let theirs = place.program.as_caller(other, "sessions.search", json!({"q": "quokka"})).await.unwrap();
    assert_eq!(theirs["items"], json!([]));
    let page = place.find(json!({"q": "quokka", "limit": 1, "newest": true})).await;
    let next = place.find(json!({"q": "quokka", "limit": 1, "newest": true, "skip": page["next"]})).await;
    assert!(page["items"].as_array().unwrap().len() == 1 && page["items"] != next["items"]);
    place.program.owner("sessions.archive", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "archived").await;
    assert_eq!(place.find(json!({"q": "quokka"})).await["items"], json!([]));
    assert!(!place.find(json!({"q": "quokka", "archived": true})).await["items"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn whatever_stands_in_a_query_is_words_and_a_damaged_index_is_made_anew() {
    let place = begin().await;
    let id = place.start("practice: say needle in a haystack").await;
    place.until(&id, "idle").await;
    place.entries(&id).await;
    place.fill().await;
    for hostile in [
        "needle\" OR \"x",
        "needle NOT in",
        "text: needle",
        "needle*^-+",
        "NEAR(needle hay)",
        "'; DROP TABLE texts; --",
        "needle\u{0}",
        "*needle",
    ] {
        place.find(json!({"q": hostile})).await;
    }
    for bad in [json!({"q": "\"*()"}), json!({"q": ""}), json!({"q": "x".repeat(600)})] {
        refused(place.program.owner("sessions.search", bad).await, "invalid-input");
    }
    let needles = async |place: &Begun| place.find(json!({"q": "needle"})).await["items"].as_array().unwrap().len();
    let before = needles(&place).await;
    assert!(before > 0);
    let Begun { program, folder, hub } = place;
    let file = program.dir().join("search.db");
    for ending in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", file.display()));
    }
    std::fs::write(&file, "no database at all").unwrap();
    let place = Begun { program: program.restart().await, folder, hub };
    place.fill().await;
    assert_eq!(needles(&place).await, before);
}

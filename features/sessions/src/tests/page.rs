//! What the page of a session reads and does: the stream, the record, prompts with images, steering.

use super::*;
use crate::transcript::Of;
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
        let call = Call { last_event_id: last_event_id.map(str::to_owned), ..Call::of(caller) };
        let reply = self.program.call(call, "sessions.stream", input).await.unwrap();
        let Body::Stream(pieces) = reply.body else { panic!("the answer is no stream") };
        Heard { pieces }
    }

    fn of(&self, id: &str) -> Of {
        Of { account: ACCOUNT.into(), session: id.into() }
    }

    pub(super) async fn say(&self, id: &str, prompt: &str) -> Value {
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
    let written = place.program.ctx.service::<Sessions>().transcripts.last(&place.of(&id)).await.unwrap();
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
    place.say(&id, "practice: stream 2000").await;
    while place.get(&id).await["turns"] != 2 {
        tokio::task::yield_now().await;
    }
    let live = place.program.ctx.service::<Sessions>().live(&place.of(&id));
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
    heard.until("asks", |asks| asks["items"] == json!([])).await;
    heard.until("session", |record| record["state"] == "idle").await;
}

#[tokio::test]
async fn a_stream_of_another_accounts_session_is_not_there() {
    let place = begin().await;
    let id = place.start("practice: say mine").await;
    place.until(&id, "idle").await;
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(place.program.call(Call::of(other), "sessions.stream", json!({"sessionId": id})).await, "not-found");
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

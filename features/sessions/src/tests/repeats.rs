//! Requests that wait while the program ends: their rows stay as they are, and the answer is enough, since the engine makes them
//! again.

use super::practice::{Begun, Hands, begin_with};
use super::real_engines::{Real, end, real, said};
use super::script::{answer, asks, error, is, scripted, text_of};
use super::steering::answers;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::ACCOUNT;

type Heard = Arc<Mutex<Vec<Value>>>;

const OFFERS: &[&str] = &["allow_once", "reject_once"];

/// The same request as before, as engines make it again: by another name, and with other words of the model.
fn asks_again(id: u64) -> Value {
    let mut request = asks(id, OFFERS);
    request["params"]["toolCall"]["rawInput"]["description"] = json!(format!("Builds it, try {id}"));
    request
}

fn chosen(id: u64, offer: &str) -> Value {
    json!({"id": 1_000 + id, "offer": offer})
}

/// An agent that asks with its first prompt, does nothing with the next ones but the last of so many, and then asks the same twice.
fn repeating(prompts: u64) -> (Hands, Heard) {
    let heard = Heard::default();
    let (hears, mut count) = (heard.clone(), 0);
    let hands = scripted(move |said| {
        if said["result"]["outcome"].is_object() {
            hears.lock().unwrap().push(json!({"id": said["id"], "offer": said["result"]["outcome"]["optionId"]}));
            return Some(if said["id"] == 1_000 + prompts { vec![asks_again(prompts + 1)] } else { Vec::new() });
        }
        is(said, "session/prompt").then(|| {
            count += 1;
            if count == 1 || count == prompts { vec![asks_again(count)] } else { Vec::new() }
        })
    });
    (hands, heard)
}

async fn is_asked_anew(begun: &Begun, id: &str, before: &str) {
    let is_new = async || {
        let session = begun.get(id).await;
        session["state"] == "awaitingPermission" && session["need"]["id"] != before
    };
    begun.holds("another request", is_new).await;
}

/// The open rows of the inbox: kind, title, text, and since when.
async fn open_rows(begun: &Begun) -> Vec<(String, String, String, i64)> {
    let read = |tx: &mut store::Tx<'_>| {
        let sql = "SELECT kind, title, body, created_ms FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0";
        tx.query(sql, store::params![ACCOUNT], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
    };
    store::HasDb::db(&begun.program.ctx).read(read).await.unwrap()
}

#[tokio::test]
async fn an_answer_after_a_restart_answers_the_same_request_once() {
    for (allow, offer) in [(true, "o-allow_once"), (false, "o-reject_once")] {
        let (hands, heard) = repeating(2);
        let begun = begin_with(hands).await;
        let id = begun.start("go").await;
        let ask = begun.asked(&id).await;
        let begun = begun.crash().await;
        assert_eq!(begun.asked(&id).await, ask);
        answers(&begun, &id, &ask, json!({ "allow": allow })).await.unwrap();
        is_asked_anew(&begun, &id, &ask).await;
        assert_eq!(*heard.lock().unwrap(), [chosen(2, offer)], "the first one is answered, the second is asked");
        let entries = begun.entries(&id).await;
        let why = "You answered this before the session was interrupted";
        assert_eq!(entries.iter().filter(|entry| entry["why"] == why).count(), 1);
        let all = begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
        assert_eq!(all["items"].as_array().unwrap().len(), 2, "nobody was asked twice: {all}");
    }
}

#[tokio::test]
async fn an_answer_counts_after_one_more_restart_too() {
    let (hands, heard) = repeating(3);
    let begun = begin_with(hands).await;
    let id = begun.start("go").await;
    let ask = begun.asked(&id).await;
    let begun = begun.crash().await;
    begun.asked(&id).await;
    answers(&begun, &id, &ask, json!({})).await.unwrap();
    begun.until(&id, "running").await;
    let begun = begun.crash().await;
    is_asked_anew(&begun, &id, &ask).await;
    assert_eq!(*heard.lock().unwrap(), [chosen(3, "o-allow_once")]);
}

#[tokio::test]
async fn an_answer_counts_in_the_turn_that_it_was_given_in_alone() {
    let mut count = 0;
    let begun = begin_with(scripted(move |said| {
        is(said, "session/prompt").then(|| {
            count += 1;
            // The second turn ends without the request.
            if count == 2 { vec![end(said)] } else { vec![asks_again(count)] }
        })
    }))
    .await;
    let id = begun.start("go").await;
    let ask = begun.asked(&id).await;
    let begun = begun.crash().await;
    begun.asked(&id).await;
    answers(&begun, &id, &ask, json!({})).await.unwrap();
    begun.until(&id, "idle").await;
    begun.say(&id, "again").await;
    is_asked_anew(&begun, &id, &ask).await;
}

#[tokio::test]
async fn gemini_gets_its_prompt_and_the_answer_after_a_kill_in_its_first_turn() {
    let (prompts, outcomes): (Heard, Heard) = Default::default();
    let (told, answered) = (prompts.clone(), outcomes.clone());
    let mut prompt = Value::Null;
    let Real { begun, id, _bin } = real(
        "gemini",
        "0.61.0",
        scripted(move |heard| {
            if heard["result"]["outcome"].is_object() {
                answered
                    .lock()
                    .unwrap()
                    .push(json!({"id": heard["id"], "offer": heard["result"]["outcome"]["optionId"]}));
                return Some(vec![said("Done."), end(&prompt)]);
            }
            match heard["method"].as_str()? {
                "initialize" => {
                    let can = json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true}});
                    Some(vec![answer(heard, can)])
                }
                "session/load" => {
                    let mut failed = error(heard, -32603, "Internal error");
                    failed["error"]["data"] = json!({"details": "No previous sessions found for this project."});
                    Some(vec![failed])
                }
                "session/prompt" => {
                    prompt = heard.clone();
                    let mut all = told.lock().unwrap();
                    all.push(text_of(heard).into());
                    Some(vec![asks_again(all.len() as u64)])
                }
                _ => None,
            }
        }),
    )
    .await;
    let ask = begun.asked(&id).await;
    let begun = begun.crash().await;
    let again = begun.later(&id, "awaitingPermission").await;
    assert_eq!(again["need"]["id"], json!(ask));
    answers(&begun, &id, &ask, json!({})).await.unwrap();
    begun.until(&id, "idle").await;
    let sent = prompts.lock().unwrap().clone();
    let second = sent[1].as_str().unwrap();
    assert!(second.contains("(make) was allowed") && second.ends_with("go") && sent.len() == 2, "{sent:?}");
    assert_eq!(*outcomes.lock().unwrap(), [chosen(2, "o-allow_once")]);
}

#[tokio::test]
async fn rows_and_requests_keep_what_is_asked_and_since_when_over_a_restart() {
    let begun = super::practice::begin().await;
    let cases = [
        ("practice: run touch made", "awaitingPermission", "touch made"),
        ("practice: plan Look|Change", "awaitingPermission", "1. Look\n2. Change"),
        ("practice: ask Which color?", "awaitingInput", "Which color?"),
    ];
    let mut ids = Vec::new();
    for (prompt, state, _) in cases {
        let id = begun.start(prompt).await;
        begun.until(&id, state).await;
        ids.push(id);
    }
    let asks = async |begun: &Begun, id: &str| {
        begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap()["items"][0].clone()
    };
    let before = open_rows(&begun).await;
    for (_, _, text) in cases {
        assert!(before.iter().any(|(_, _, body, _)| body.starts_with(text)), "{text}: {before:?}");
    }
    let asked = asks(&begun, &ids[1]).await;
    begun.pass(90_000).await;
    let begun = begun.crash().await;
    for (id, (_, state, text)) in ids.iter().zip(cases) {
        begun.later(id, state).await;
        assert_eq!(asks(&begun, id).await["asked"], text);
    }
    assert_eq!(open_rows(&begun).await, before);
    assert_eq!(asks(&begun, &ids[1]).await, asked);
}

//! Following all sessions, and what a stop says of messages that it removed.

use super::practice::{Begun, begin};
use kit::{Body, Call, Caller, Kind};
use serde_json::{Value, json};
use std::future::poll_fn;
use testkit::{ACCOUNT, OTHER_ACCOUNT};

/// The lines of an account's sessions, as they come.
struct Watched(kit::op::ByteStream);

impl Watched {
    async fn of_account(begun: &Begun, account: &str, form: &str) -> Watched {
        let call = Call::new(Caller::new(Kind::Owner, account, "test"));
        let reply = begun.program.call(call, "sessions.watch", json!({"as": form})).await.unwrap();
        let Body::Stream(pieces) = reply.body else { panic!("it is streamed") };
        Watched(pieces)
    }

    async fn next(&mut self) -> String {
        let piece = poll_fn(|cx| self.0.as_mut().poll_next(cx)).await.unwrap().unwrap();
        String::from_utf8(piece.to_vec()).unwrap()
    }

    async fn until(&mut self, text: &str) -> String {
        loop {
            let line = self.next().await;
            assert!(line.ends_with('\n') && line.lines().count() == 1, "{line:?}");
            if line.contains(text) {
                return line;
            }
        }
    }
}

#[tokio::test]
async fn each_change_of_a_session_is_a_line_with_what_it_needs() {
    let begun = begin().await;
    let first = begun.start("practice: say One").await;
    begun.until(&first, "idle").await;
    let mut text = Watched::of_account(&begun, ACCOUNT, "text").await;
    let mut json = Watched::of_account(&begun, ACCOUNT, "jsonl").await;
    let there: Value = serde_json::from_str(&json.next().await).unwrap();
    assert_eq!((&there["id"], &there["state"]), (&json!(first), &json!("idle")));
    let mut foreign = Watched::of_account(&begun, OTHER_ACCOUNT, "text").await;
    let id = begun.start("practice: run rm -rf build").await;
    let line = text.until("Needs you").await;
    assert!(line.contains("(Practice") && line.contains("Needs you: Wants to run rm -rf build"), "{line}");
    let line: Value = serde_json::from_str(&json.until("awaitingPermission").await).unwrap();
    assert_eq!((&line["id"], &line["needsYou"]), (&json!(id), &json!(true)));
    assert!(line["at"].is_string());
    let heard = poll_fn(|cx| std::task::Poll::Ready(foreign.0.as_mut().poll_next(cx).is_ready())).await;
    assert!(!heard, "another account hears nothing");
}

#[tokio::test]
async fn a_stop_says_which_queued_messages_it_removed() {
    let begun = begin().await;
    let id = begun.start("practice: wait 30").await;
    begun.until(&id, "running").await;
    begun.say(&id, "Then test it").await;
    begun.say(&id, "Then publish it").await;
    let stopped = begun.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    assert_eq!(stopped["removedMessages"], json!(["Then test it", "Then publish it"]));
    let entries = begun.entries_once(&id, |entry| entry["entry"] == "note").await;
    let note = entries.iter().find(|entry| entry["entry"] == "note").unwrap();
    let said = "Stopping removed 2 queued messages without sending: Then test it | Then publish it";
    assert_eq!(note["why"], said);
    let id = begun.start("practice: wait 30").await;
    begun.until(&id, "running").await;
    let stopped = begun.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    assert_eq!(stopped["removedMessages"], json!([]));
}

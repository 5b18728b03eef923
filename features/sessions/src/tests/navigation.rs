//! What agents want to show: who may, what comes of it, and that one page alone takes it.

use super::practice::{Begun, begin};
use events::{Event, HasEvents};
use kit::{Caller, Ctx, Kind};
use serde_json::{Value, json};
use store::{HasDb, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

fn agent(session: &str) -> Caller {
    let scopes = vec!["navigation:write".to_owned()];
    Caller { session: Some(session.into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") }
}

/// The open rows of the inbox: title and link.
async fn notes(ctx: &Ctx) -> Vec<(String, String)> {
    let sql = "SELECT title, link FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 AND kind <> 'done' ORDER BY row_id";
    ctx.db().read(move |tx| tx.query(sql, params![ACCOUNT], |row| Ok((row.get(0)?, row.get(1)?)))).await.unwrap()
}

async fn ask(begun: &Begun, session: &str, to: Value) -> Value {
    begun.program.as_caller(agent(session), "navigation.ask", to).await.expect("a wish")
}

#[tokio::test]
async fn a_wish_is_one_note_that_names_the_session_until_a_page_takes_it() {
    let begun = begin().await;
    let program = &begun.program;
    let session = begun.start("practice: title Look here; say done").await;
    begun.until(&session, "idle").await;
    let (_, mut heard) = program.ctx.events().listen(None);
    let asked = ask(&begun, &session, json!({"place": "settings", "id": "agentPermissionLevel"})).await;
    assert_eq!((&asked["outcome"], &asked["path"]), (&json!("toast"), &json!("/settings?key=agentPermissionLevel")));
    let id = asked["rowId"].as_str().unwrap();
    let told: Vec<Event> = std::iter::from_fn(|| heard.try_recv().ok()).map(|told| told.event).collect();
    assert!(told.contains(&Event::ViewAsked { row_id: id.to_owned() }), "{told:?}");
    // Nobody looks: a second wish takes the place of the first.
    let again = ask(&begun, &session, json!({"place": "inbox"})).await;
    assert_eq!(again["rowId"], asked["rowId"]);
    let title = program.owner("sessions.get", json!({"sessionId": session})).await.unwrap()["title"].clone();
    let note = format!("{} wants to show you the inbox", title.as_str().unwrap());
    assert_eq!(notes(&program.ctx).await, [(note.clone(), "/app/inbox".to_owned())]);
    // Two windows: one of them gets it.
    let row = json!({"rowId": id});
    let taken = program.owner("navigation.take", row.clone()).await.unwrap();
    let expected = json!({"title": note, "path": "/inbox", "moves": false, "sessionId": session});
    assert_eq!(taken, expected);
    assert!(program.owner("navigation.take", row).await.is_err());
    assert_eq!(notes(&program.ctx).await, []);
}

#[tokio::test]
async fn with_the_setting_on_the_page_goes_there() {
    let begun = begin().await;
    begun.set(&[("allowAgentDirectNavigation", json!(true))]);
    let asked = ask(&begun, "s1", json!({"place": "hub", "id": begun.hub["id"]})).await;
    assert_eq!(asked["outcome"], "navigate");
    let taken = begun.program.owner("navigation.take", json!({"rowId": asked["rowId"]})).await.unwrap();
    assert_eq!(
        (&taken["moves"], &taken["path"]),
        (&json!(true), &json!(format!("/sessions?hub={}", begun.hub["id"].as_str().unwrap())))
    );
}

#[tokio::test]
async fn a_page_that_comes_back_later_does_not_jump() {
    let begun = begin().await;
    begun.set(&[("allowAgentDirectNavigation", json!(true))]);
    let asked = ask(&begun, "s1", json!({"place": "agentBoard"})).await;
    begun.program.clock.advance_ms(10_001);
    refused(begun.program.owner("navigation.take", json!({"rowId": asked["rowId"]})).await, "not-now");
    assert_eq!(notes(&begun.program.ctx).await.len(), 1, "the note stays");
}

#[tokio::test]
async fn what_there_is_not_is_refused_and_leaves_no_note() {
    let begun = begin().await;
    let program = &begun.program;
    for (to, code) in [
        (json!({"place": "note"}), "not-in-this-version"),
        (json!({"place": "mindMap", "id": "m"}), "not-in-this-version"),
        (json!({"place": "mailThread", "id": "t"}), "not-in-this-version"),
        (json!({"place": "session", "id": "nobody"}), "named-not-found"),
        (json!({"place": "hub", "id": "nobody"}), "named-not-found"),
        (json!({"place": "board", "id": "nobody"}), "named-not-found"),
        (json!({"place": "settings", "id": "noSuchSetting"}), "named-not-found"),
        (json!({"place": "dashboard", "id": "../../login"}), "named-not-found"),
        (json!({"place": "session"}), "invalid-input"),
        (json!({"place": "inbox", "id": "x"}), "invalid-input"),
        (json!({"place": "moon"}), "invalid-input"),
        (json!({}), "invalid-input"),
    ] {
        refused(program.as_caller(agent("s1"), "navigation.ask", to).await, code);
    }
    assert_eq!(notes(&program.ctx).await, []);
    let unscoped = Caller { scopes: Vec::new(), ..agent("s1") };
    refused(program.as_caller(unscoped, "navigation.ask", json!({"place": "inbox"})).await, "scope-missing");
}

#[tokio::test]
async fn only_a_person_of_the_account_takes_a_wish_and_nothing_else_is_taken() {
    let begun = begin().await;
    let program = &begun.program;
    let asked = ask(&begun, "s1", json!({"place": "inbox"})).await;
    let row = json!({"rowId": asked["rowId"]});
    refused(program.as_caller(agent("s1"), "navigation.take", row.clone()).await, "forbidden-caller");
    refused(program.as_caller(Caller::new(Kind::Owner, OTHER_ACCOUNT, "o"), "navigation.take", row).await, "not-found");
    // A row that waits for an answer is no wish.
    let session = begun.start("practice: run ls").await;
    begun.until(&session, "awaitingPermission").await;
    let sql = "SELECT row_id FROM inbox_rows WHERE account_id = $1 AND kind = 'approval'";
    let approval: String =
        program.ctx.db().read(move |tx| tx.query_one(sql, params![ACCOUNT], |row| row.get(0))).await.unwrap();
    refused(program.owner("navigation.take", json!({"rowId": approval})).await, "not-now");
    assert_eq!(notes(&program.ctx).await.len(), 2);
}

//! The inbox from outside: settling, attachments, watching, and hostile senders.

use super::*;
use futures_core::future::BoxFuture;
use futures_util::StreamExt;
use kit::Body;
use kit::lookup::{FindFolders, WorkFolder, WorkFolders};

#[tokio::test]
async fn a_session_settles_its_own_alerts_by_key_or_id_and_no_others() {
    let program = start().await;
    let own = alert(&program, "s1", json!({"title": "red", "key": "build"})).await;
    let other = alert(&program, "s2", json!({"title": "theirs", "key": "build"})).await;
    let settle = async |session: &str, input: Value| program.as_caller(agent(session), "inbox.settle", input).await;
    let row = settle("s1", json!({"key": "build", "outcome": "green again"})).await.unwrap();
    assert_eq!((&row["id"], &row["state"], &row["outcome"]), (&own["id"], &json!("settled"), &json!("green again")));
    refused(settle("s1", json!({"key": "build"})).await, "not-found");
    let again = settle("s1", json!({"rowId": own["id"], "outcome": "twice"})).await.unwrap();
    assert_eq!(again["outcome"], "green again", "a settled row stays as it is");
    refused(settle("s1", json!({"rowId": other["id"]})).await, "not-found");
    refused(settle("s1", json!({})).await, "invalid-input");
    refused(settle("s1", json!({"key": "a", "rowId": "b"})).await, "invalid-input");
    for outcome in ["", "dismissed", "a\u{1b}[2J", &"x".repeat(101)] {
        refused(settle("s2", json!({"key": "build", "outcome": outcome})).await, "invalid-input");
    }
    let unscoped = Caller { scopes: vec!["inbox:read".into()], ..agent("s2") };
    refused(program.as_caller(unscoped, "inbox.settle", json!({"key": "build"})).await, "scope-missing");
    assert_eq!(titles(&program, owner(), json!({})).await, ["theirs"]);
    let script = Call { source_session: Some("s2".into()), ..Call::new(Caller::new(Kind::Cli, ACCOUNT, "cli")) };
    program.call(script, "inbox.settle", json!({"key": "build"})).await.unwrap();
    assert!(titles(&program, owner(), json!({})).await.is_empty());
}

#[tokio::test]
async fn requests_and_rows_of_the_program_are_not_settled_from_outside() {
    let program = start().await;
    let ctx = program.ctx.clone();
    let write = move |tx: &mut store::Tx<'_>| {
        let post = |tx: &mut store::Tx<'_>, kind, key, actor| {
            let by = events::Actor { kind: actor, member_id: None, session_id: Some("s1".into()) };
            let row = NewRow { key: Some(key), session_id: Some("s1"), ..NewRow::new(kind, key, by) };
            inbox_rows::post(tx, &ctx, ACCOUNT, &row)
        };
        Ok([post(tx, &REQUEST, "session:s1:1", "agent")?, post(tx, &ATTENTION, "session:s1", "program")?])
    };
    for id in program.ctx.db().write(write).await.unwrap() {
        for caller in [agent("s1"), owner()] {
            refused(program.as_caller(caller, "inbox.settle", json!({"rowId": id})).await, "not-an-alert");
        }
    }
}

#[tokio::test]
async fn attachments_are_links_that_a_click_may_open() {
    let program = start().await;
    let link = |url: &str| json!({"label": "Log", "url": url});
    let say = async |attachments: Value| {
        program.owner("inbox.alert", json!({"title": "x", "key": "k", "attachments": attachments})).await
    };
    let good = json!([link("https://example.org/log"), link("/app/boards/b1")]);
    assert_eq!(say(good.clone()).await.unwrap()["attachments"], good);
    assert_eq!(say(json!([])).await.unwrap()["attachments"], json!([]), "those of the newer alert count");
    for (bad, pointer) in [
        (json!([link("/app/inbox"), link("javascript:alert(1)")]), "/attachments/1/url"),
        (json!([{"label": "a\u{7}", "url": "/app/inbox"}]), "/attachments/0/label"),
        (Value::Array(vec![link("/app/inbox"); 11]), "/attachments"),
    ] {
        assert_eq!(refused(say(bad).await, "invalid-input").fields()[0].pointer, pointer);
    }
    refused(say(json!([{"label": "x", "url": "/app/inbox", "onclick": "x"}])).await, "invalid-input");
}

#[tokio::test]
async fn ten_thousand_alerts_of_a_session_end_at_its_limits() {
    let program = start().await;
    let mut accepted = 0;
    for n in 0..10_000 {
        program.clock.advance_ms(100);
        let input = json!({"title": format!("{n}")});
        match program.as_caller(agent("s1"), "inbox.alert", input).await {
            Ok(_) => accepted += 1,
            Err(error) => assert!(error.retry_after_s().is_some(), "{error}"),
        }
    }
    assert_eq!(accepted, inbox_rows::OPEN_OF_SESSION_MAX);
    // A key takes the place of a row, but not of the allowance.
    let keyed = async || program.as_caller(agent("s1"), "inbox.alert", json!({"title": "x", "key": "k"})).await;
    refused(keyed().await, "too-many-requests");
}

async fn lines(program: &Program, form: &str) -> impl futures_util::Stream<Item = String> + Unpin {
    let reply = program.call(Call::new(owner()), "inbox.watch", json!({"as": form})).await.expect("a stream");
    let Body::Stream(pieces) = reply.body else { panic!("a stream") };
    pieces.map(|piece| String::from_utf8(piece.unwrap().to_vec()).unwrap().trim_end().to_owned())
}

#[tokio::test]
async fn watching_tells_of_each_row_once_and_of_what_becomes_of_it() {
    let program = start().await;
    let first = alert(&program, "s1", json!({"title": "was\u{202e}open"})).await;
    let mut text = lines(&program, "text").await;
    assert!(text.next().await.unwrap().ends_with("  was open  (Alert)"));
    program.clock.advance_ms(1_000);
    let second = alert(&program, "s1", json!({"title": "new", "key": "k"})).await;
    assert!(text.next().await.unwrap().ends_with("  new  (Alert)"));
    program.owner("inbox.read", json!({"rowId": second["id"]})).await.unwrap();
    program.clock.advance_ms(1_000);
    program.owner("inbox.snooze", json!({"rowId": second["id"], "until": "1 hour"})).await.unwrap();
    assert!(text.next().await.unwrap().ends_with("  Snoozed: new  (Alert)"));
    program.clock.advance_ms(3_600_000);
    program.fire_timers().await;
    assert!(text.next().await.unwrap().ends_with("  new  (Alert)"));
    program.as_caller(agent("s1"), "inbox.settle", json!({"key": "k"})).await.unwrap();
    assert!(text.next().await.unwrap().ends_with("  Settled (resolved): new  (Alert)"));
    program.owner("inbox.dismissAll", json!({"match": {}})).await.unwrap();
    assert!(text.next().await.unwrap().ends_with("  Dismissed: was open  (Alert)"));
    let mut rows = lines(&program, "jsonl").await;
    program.owner("inbox.restore", json!({"rowId": first["id"]})).await.unwrap();
    let row: Value = serde_json::from_str(&rows.next().await.unwrap()).unwrap();
    assert_eq!((&row["id"], &row["state"]), (&first["id"], &json!("open")));
}

#[tokio::test]
async fn watching_tells_a_whole_batch_though_pages_are_told_once() {
    let program = start().await;
    for n in 0..3 {
        program.owner("inbox.alert", json!({"title": format!("{n}")})).await.unwrap();
    }
    let mut text = lines(&program, "text").await;
    for _ in 0..3 {
        text.next().await.unwrap();
    }
    let (_, mut heard) = program.ctx.events().listen(None);
    program.owner("inbox.dismissAll", json!({"match": {}})).await.unwrap();
    for _ in 0..3 {
        assert!(text.next().await.unwrap().contains("Dismissed: "));
    }
    assert!(heard.try_recv().is_ok() && heard.try_recv().is_err(), "one event");
}

/// A hub that sessions start in by themselves.
struct Home;

impl kit::lookup::FindHub for Home {
    fn automatic(&self, _: &str) -> futures_core::future::BoxFuture<'static, kit::Result<Option<String>>> {
        Box::pin(std::future::ready(Ok(Some("home".to_owned()))))
    }
}

/// The setting of the hub in which sessions about alerts start.
struct StartsIn(&'static str);

impl SettingsSource for StartsIn {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == "alertSessionDefaultProjectId").then(|| self.0.into())
    }
}

#[tokio::test]
async fn a_session_about_an_alert_starts_in_its_hub_the_settings_or_the_automatic_one() {
    let program = start().await;
    let plain = program.owner("inbox.alert", json!({"title": "x"})).await.unwrap();
    let hub_of = async |row: &Value| program.owner("inbox.startHub", json!({"rowId": row["id"]})).await.unwrap();
    assert_eq!(hub_of(&plain).await, json!({"projectId": null, "notice": ""}), "without sessions there is no hub");
    program.ctx.provide(Arc::new(kit::lookup::Hubs(Box::new(Known(&["h1", "h2"])))));
    program.ctx.provide(Arc::new(kit::lookup::AutomaticHub(Box::new(Home))));
    assert_eq!(hub_of(&plain).await, json!({"projectId": "home", "notice": ""}));
    program.ctx.provide_settings(Arc::new(StartsIn("h2")));
    assert_eq!(hub_of(&plain).await, json!({"projectId": "h2", "notice": ""}));
    let own = program.owner("inbox.alert", json!({"title": "x", "projectId": "h1"})).await.unwrap();
    assert_eq!(hub_of(&own).await, json!({"projectId": "h1", "notice": ""}));
    program.ctx.provide_settings(Arc::new(StartsIn("gone")));
    let notice = "The hub in alertSessionDefaultProjectId doesn't exist.";
    assert_eq!(hub_of(&plain).await, json!({"projectId": "home", "notice": notice}));
    refused(program.as_caller(agent("s1"), "inbox.startHub", json!({"rowId": own["id"]})).await, "forbidden-caller");
}

/// The folders of sessions, of which only `s1` is there.
struct OnlyS1;

impl FindFolders for OnlyS1 {
    fn of_session(&self, _: &str, session: &str) -> BoxFuture<'static, kit::Result<Option<WorkFolder>>> {
        let found = (session == "s1").then(|| WorkFolder { path: "/work".into(), hub: None });
        Box::pin(std::future::ready(Ok(found)))
    }
    fn of_hub(&self, _: &str, _: &str) -> BoxFuture<'static, kit::Result<Option<WorkFolder>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}

#[tokio::test]
async fn a_row_of_a_deleted_session_does_all_that_rows_do_and_its_request_can_be_dismissed() {
    let program = start().await;
    program.ctx.provide(Arc::new(WorkFolders(Box::new(OnlyS1))));
    let ctx = program.ctx.clone();
    let write = move |tx: &mut store::Tx<'_>| {
        let post = |tx: &mut store::Tx<'_>, session: &'static str, key| {
            let by = events::Actor { kind: "program", member_id: None, session_id: None };
            let row = NewRow { key: Some(key), session_id: Some(session), ..NewRow::new(&REQUEST, key, by) };
            inbox_rows::post(tx, &ctx, ACCOUNT, &row)
        };
        Ok([post(tx, "s1", "session:s1:1")?, post(tx, "gone", "session:gone:1")?])
    };
    let [waiting, abandoned] = program.ctx.db().write(write).await.unwrap();
    refused(program.owner("inbox.dismiss", json!({"rowId": waiting})).await, "waited-for");
    let abandoned = json!({"rowId": abandoned});
    let until = json!({"rowId": abandoned["rowId"], "until": "in 2 hours"});
    for (op, input) in [
        ("inbox.get", &abandoned),
        ("inbox.read", &abandoned),
        ("inbox.unread", &abandoned),
        ("inbox.snooze", &until),
        ("inbox.unsnooze", &abandoned),
        ("inbox.dismiss", &abandoned),
        ("inbox.restore", &abandoned),
    ] {
        program.owner(op, input.clone()).await.unwrap_or_else(|why| panic!("{op}: {why}"));
    }
    assert_eq!(titles(&program, owner(), json!({})).await, ["session:gone:1", "session:s1:1"]);
}

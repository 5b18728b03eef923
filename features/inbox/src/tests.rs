use super::*;
use events::{Event, HasEvents};
use inbox_rows::RowKind;
use kit::{Call, Caller, Ctx, Kind, SettingsSource};
use serde_json::{Value, json};
use std::sync::Arc;
use store::HasDb;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

const DAY_MS: i64 = kit::clock::DAY_MS;

async fn start() -> Program {
    Program::start(|| vec![feature()]).await
}

fn agent(session: &str) -> Caller {
    let scopes = ["alert:write", "inbox:read"].map(str::to_owned).to_vec();
    Caller { session: Some(session.into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") }
}

async fn alert(program: &Program, session: &str, input: Value) -> Value {
    program.as_caller(agent(session), "inbox.alert", input).await.expect("an alert")
}

async fn titles(program: &Program, caller: Caller, input: Value) -> Vec<String> {
    let page = program.as_caller(caller, "inbox.list", input).await.expect("a list");
    let title = |row: &Value| row["title"].as_str().expect("a title").to_owned();
    page["items"].as_array().expect("rows").iter().map(title).collect()
}

fn owner() -> Caller {
    Caller::new(Kind::Owner, ACCOUNT, "o")
}

/// A setting that somebody changed.
struct Off(&'static str);

impl SettingsSource for Off {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == self.0).then_some(Value::Bool(false))
    }
}

#[tokio::test]
async fn an_alert_stays_unread_over_a_restart_until_it_is_dismissed() {
    let program = start().await;
    let input =
        json!({"title": "Build is red", "body": "3 tests\nfail", "severity": "warning", "link": "/app/boards/b1"});
    let row = alert(&program, "s1", input).await;
    assert_eq!(
        (&row["kind"], &row["read"], &row["state"], &row["by"]),
        (
            &json!("alert"),
            &json!(false),
            &json!("open"),
            &json!({"kind": "agent", "sessionId": "s1", "memberId": null})
        )
    );
    let program = program.restart().await;
    let id = json!({"rowId": row["id"]});
    assert_eq!(program.owner("inbox.get", id.clone()).await.unwrap(), row);
    program.owner("inbox.read", id.clone()).await.unwrap();
    assert_eq!(titles(&program, owner(), json!({})).await, ["Build is red"], "what was read is still there");
    program.owner("inbox.dismiss", id.clone()).await.unwrap();
    assert!(titles(&program, owner(), json!({})).await.is_empty());
    assert_eq!(titles(&program, owner(), json!({"state": "dismissed"})).await, ["Build is red"]);
    program.owner("inbox.restore", id).await.unwrap();
    assert_eq!(titles(&program, owner(), json!({})).await, ["Build is red"]);
}

#[tokio::test]
async fn while_alerts_are_off_nobody_adds_any() {
    let program = start().await;
    program.ctx.provide_settings(Arc::new(Off("agentAlertsEnabled")));
    for caller in [agent("s1"), Caller::new(Kind::Cli, ACCOUNT, "cli"), owner()] {
        let told = refused(program.as_caller(caller, "inbox.alert", json!({"title": "x"})).await, "alerts-disabled");
        assert_eq!(told.code().status, 403);
        assert!(told.detail().contains("agentAlertsEnabled"), "{told}");
    }
    assert!(titles(&program, owner(), json!({})).await.is_empty());
}

#[tokio::test]
async fn an_alert_of_the_same_key_takes_the_place_of_the_one_before_while_that_is_open() {
    let program = start().await;
    let say = async |title: &str| alert(&program, "s1", json!({"title": title, "key": "build"})).await;
    let first = say("red").await;
    program.owner("inbox.read", json!({"rowId": first["id"]})).await.unwrap();
    let second = say("still red").await;
    assert_eq!((&second["id"], &second["read"]), (&first["id"], &json!(false)));
    alert(&program, "s2", json!({"title": "another session's", "key": "build"})).await;
    assert_eq!(titles(&program, owner(), json!({})).await, ["another session's", "still red"]);
    program.owner("inbox.dismiss", json!({"rowId": first["id"]})).await.unwrap();
    let third = say("red again").await;
    assert_ne!(third["id"], first["id"]);
    refused(program.owner("inbox.restore", json!({"rowId": first["id"]})).await, "conflict");
}

#[tokio::test]
async fn a_session_sees_its_own_rows_and_changes_none() {
    let program = start().await;
    let own = alert(&program, "s1", json!({"title": "mine"})).await;
    let other = alert(&program, "s2", json!({"title": "theirs"})).await;
    assert_eq!(titles(&program, agent("s1"), json!({})).await, ["mine"]);
    assert_eq!(program.as_caller(agent("s1"), "inbox.count", json!({})).await.unwrap()["open"], 1);
    refused(program.as_caller(agent("s1"), "inbox.get", json!({"rowId": other["id"]})).await, "not-found");
    for op in ["inbox.read", "inbox.unread", "inbox.dismiss", "inbox.restore", "inbox.readAll"] {
        refused(program.as_caller(agent("s1"), op, json!({"rowId": own["id"]})).await, "forbidden-caller");
    }
    let unscoped = Caller { scopes: Vec::new(), ..agent("s1") };
    refused(program.as_caller(unscoped, "inbox.alert", json!({"title": "x"})).await, "scope-missing");
}

#[tokio::test]
async fn a_script_that_names_its_session_makes_a_row_of_that_session() {
    let program = start().await;
    let call = Call { source_session: Some("s7".into()), ..Call::new(Caller::new(Kind::Cli, ACCOUNT, "cli")) };
    let row = testkit::json_of(&program.call(call, "inbox.alert", json!({"title": "x"})).await.unwrap());
    assert_eq!(
        (&row["sessionId"], &row["by"]["sessionId"], &row["by"]["kind"]),
        (&json!("s7"), &json!("s7"), &json!("cli"))
    );
}

#[tokio::test]
async fn another_accounts_rows_are_not_there() {
    let program = start().await;
    let row = alert(&program, "s1", json!({"title": "mine"})).await;
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    assert!(titles(&program, other(), json!({})).await.is_empty());
    for op in ["inbox.get", "inbox.read", "inbox.unread", "inbox.dismiss", "inbox.restore", "inbox.readAll"] {
        refused(program.as_caller(other(), op, json!({"rowId": row["id"]})).await, "not-found");
    }
    assert_eq!(titles(&program, owner(), json!({})).await, ["mine"]);
}

#[tokio::test]
async fn links_lead_to_our_pages_or_the_web_alone() {
    let program = start().await;
    for link in ["/app/inbox", "https://example.org/a?b=c#d", "http://[::1]:8080/"] {
        alert(&program, "s1", json!({"title": "x", "link": link})).await;
    }
    for link in [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "/api",
        "/app/\\evil",
        "https:evil",
        "https:///evil",
        "file:///etc/passwd",
        " https://example.org",
        "https://exam\nple.org",
        "https://a\u{202e}b",
        "",
    ] {
        let outcome = program.as_caller(agent("s1"), "inbox.alert", json!({"title": "x", "link": link})).await;
        let told = refused(outcome, "invalid-input");
        assert_eq!(
            (told.fields()[0].pointer.as_str(), told.fields()[0].code.name()),
            ("/link", "not-a-link"),
            "{link}"
        );
    }
}

#[tokio::test]
async fn bad_texts_are_refused_and_markup_is_kept_as_text() {
    let program = start().await;
    let say = async |input: Value| program.as_caller(agent("s1"), "inbox.alert", input).await;
    for title in ["", " \u{200b}", "a\u{1b}[2J", &"x".repeat(201)] {
        assert_eq!(refused(say(json!({"title": title})).await, "invalid-input").fields()[0].pointer, "/title");
    }
    let long = json!({"title": "x", "body": "x".repeat(10_001)});
    assert_eq!(refused(say(long).await, "invalid-input").fields()[0].pointer, "/body");
    refused(say(json!({"title": "x", "severity": "urgent"})).await, "invalid-input");
    let hostile = alert(&program, "s1", json!({"title": "<img src=x onerror=alert(1)>", "body": "' OR 1=1 --"})).await;
    assert_eq!(hostile["title"], "<img src=x onerror=alert(1)>", "kept as it is: pages show it as text");
}

#[tokio::test]
async fn a_runaway_session_fills_its_share_and_not_the_inbox() {
    let program = start().await;
    for n in 0..inbox_rows::OPEN_OF_SESSION_MAX {
        program.clock.advance_ms(6_000);
        alert(&program, "s1", json!({"title": format!("{n}")})).await;
    }
    let told =
        refused(program.as_caller(agent("s1"), "inbox.alert", json!({"title": "one more"})).await, "too-many-requests");
    assert!(told.retry_after_s().is_some() && told.detail().contains("100 open inbox rows"), "{told}");
    alert(&program, "s2", json!({"title": "another session"})).await;
    let newest = program.as_caller(agent("s1"), "inbox.list", json!({"limit": 1})).await.unwrap();
    program.owner("inbox.dismiss", json!({"rowId": newest["items"][0]["id"]})).await.unwrap();
    alert(&program, "s1", json!({"title": "there is room again"})).await;
}

#[tokio::test]
async fn what_waits_for_an_answer_is_not_dismissed_and_is_settled_once() {
    let program = start().await;
    let ask = |key: &'static str| {
        let (db, bus) = (program.ctx.db(), program.ctx.events());
        async move {
            let by = events::Actor { kind: "program", member_id: None, session_id: None };
            let post = move |tx: &mut store::Tx<'_>| {
                let row = inbox_rows::NewRow {
                    kind: inbox_rows::RowKind::Approval,
                    key: Some(key),
                    title: "May I run it?",
                    body: "",
                    severity: inbox_rows::Severity::Info,
                    link: None,
                    session_id: Some("s1"),
                    project_id: None,
                    by,
                };
                inbox_rows::post(tx, &bus, ACCOUNT, 1, &row)
            };
            db.write(post).await.unwrap()
        }
    };
    let id = ask("permission-1").await;
    let told = refused(program.owner("inbox.dismiss", json!({"rowId": id})).await, "waited-for");
    assert_eq!(told.code().status, 409);
    assert_eq!(
        program.owner("inbox.count", json!({})).await.unwrap(),
        json!({"open": 1, "unread": 1, "waiting": 1, "needsYou": 1})
    );
    let settle = || {
        let (db, bus) = (program.ctx.db(), program.ctx.events());
        async move {
            db.write(move |tx| inbox_rows::settle(tx, &bus, ACCOUNT, "permission-1", "allowed once", 5)).await.unwrap()
        }
    };
    assert_eq!((settle().await, settle().await), (true, false), "who answers first is the only one");
    let row = program.owner("inbox.get", json!({"rowId": id})).await.unwrap();
    assert_eq!(
        (&row["state"], &row["outcome"], &row["waits"]),
        (&json!("settled"), &json!("allowed once"), &json!(false))
    );
    refused(program.owner("inbox.restore", json!({"rowId": id})).await, "conflict");
}

#[tokio::test]
async fn all_are_read_up_to_the_newest_that_was_seen() {
    let program = start().await;
    alert(&program, "s1", json!({"title": "1"})).await;
    let seen = alert(&program, "s1", json!({"title": "2"})).await;
    alert(&program, "s1", json!({"title": "came meanwhile"})).await;
    let count = program.owner("inbox.readAll", json!({"rowId": seen["id"]})).await.unwrap();
    assert_eq!(count, json!({"open": 3, "unread": 1, "waiting": 0, "needsYou": 0}));
    let row = program.owner("inbox.unread", json!({"rowId": seen["id"]})).await.unwrap();
    assert_eq!(row["read"], false);
}

#[tokio::test]
async fn pages_are_told_of_each_change_after_it_is_on_disk() {
    let program = start().await;
    let (_, mut heard) = program.ctx.events().listen(None);
    let row = alert(&program, "s1", json!({"title": "x"})).await;
    program.owner("inbox.dismiss", json!({"rowId": row["id"]})).await.unwrap();
    for _ in 0..2 {
        let told = heard.try_recv().expect("an event");
        assert_eq!(told.event, Event::InboxRowChanged { row_id: row["id"].as_str().unwrap().to_owned() });
        assert_eq!(told.account.as_deref(), Some(ACCOUNT));
    }
}

#[tokio::test]
async fn pages_of_a_long_inbox_follow_each_other() {
    let program = start().await;
    for n in 0..5 {
        alert(&program, &format!("s{n}"), json!({"title": format!("{n}")})).await;
    }
    let first = program.owner("inbox.list", json!({"limit": 2})).await.unwrap();
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    let second = program.owner("inbox.list", json!({"limit": 10, "cursor": first["nextCursor"]})).await.unwrap();
    let shown =
        second["items"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!((shown, &second["nextCursor"]), (vec!["2", "1", "0"], &Value::Null));
    assert_eq!(titles(&program, owner(), json!({"kind": "plan"})).await, Vec::<String>::new());
}

#[tokio::test]
async fn what_is_over_is_kept_thirty_days_and_what_is_open_for_ever() {
    let program = start().await;
    let gone = alert(&program, "s1", json!({"title": "gone"})).await;
    alert(&program, "s1", json!({"title": "open"})).await;
    program.owner("inbox.dismiss", json!({"rowId": gone["id"]})).await.unwrap();
    let sweep = async |ctx: &Ctx| rows::sweep(ctx.clone()).await.unwrap();
    program.clock.advance_ms(30 * DAY_MS);
    sweep(&program.ctx).await;
    assert_eq!(titles(&program, owner(), json!({"state": "dismissed"})).await, ["gone"]);
    program.clock.advance_ms(1);
    sweep(&program.ctx).await;
    assert!(titles(&program, owner(), json!({"state": "dismissed"})).await.is_empty());
    assert_eq!(titles(&program, owner(), json!({})).await, ["open"]);
}

/// The hubs of the account.
struct Known(&'static [&'static str]);

impl kit::lookup::Lookup for Known {
    fn missing(
        &self,
        account: &str,
        ids: Vec<String>,
    ) -> futures_core::future::BoxFuture<'static, kit::Result<Vec<String>>> {
        let known = if account == ACCOUNT { self.0 } else { &[] };
        let missing = ids.into_iter().filter(|id| !known.contains(&&**id)).collect();
        Box::pin(std::future::ready(Ok(missing)))
    }
}

#[tokio::test]
async fn an_alert_names_a_hub_of_its_account_and_no_other() {
    let program = start().await;
    let input = json!({"title": "x", "projectId": "h1"});
    refused(program.as_caller(agent("s1"), "inbox.alert", input.clone()).await, "named-not-found");
    program.ctx.provide(Arc::new(kit::lookup::Hubs(Box::new(Known(&["h1"])))));
    assert_eq!(alert(&program, "s1", input.clone()).await["projectId"], "h1");
    refused(
        program.as_caller(agent("s1"), "inbox.alert", json!({"title": "x", "projectId": "h2"})).await,
        "named-not-found",
    );
    let other = Caller { scopes: vec!["alert:write".into()], ..Caller::new(Kind::Agent, OTHER_ACCOUNT, "t") };
    refused(program.as_caller(other, "inbox.alert", input).await, "named-not-found");
    assert_eq!(titles(&program, owner(), json!({})).await, ["x"]);
}

#[tokio::test]
async fn an_older_row_that_said_something_new_meanwhile_stays_unread() {
    let program = start().await;
    let old = alert(&program, "s1", json!({"title": "old", "key": "build"})).await;
    program.clock.advance_ms(10);
    let newest = alert(&program, "s1", json!({"title": "newest"})).await;
    let seen = json!({"rowId": newest["id"], "seenAt": newest["changedAt"]});
    program.clock.advance_ms(10);
    alert(&program, "s1", json!({"title": "new again", "key": "build"})).await;
    assert_eq!(program.owner("inbox.readAll", seen).await.unwrap()["unread"], 1);
    let row = program.owner("inbox.get", json!({"rowId": old["id"]})).await.unwrap();
    assert_eq!((&row["title"], &row["read"]), (&json!("new again"), &json!(false)));
    for bad in ["yesterday", "2026-13-01T00:00:00Z", "", "1e9"] {
        let input = json!({"rowId": newest["id"], "seenAt": bad});
        refused(program.owner("inbox.readAll", input).await, "invalid-input");
    }
}

#[tokio::test]
async fn the_row_of_a_request_names_it_and_no_other_row_does() {
    let program = start().await;
    let post = async |kind: RowKind, key: &'static str, session: Option<&'static str>| {
        let bus = program.ctx.events();
        let by = events::Actor { kind: "program", member_id: None, session_id: None };
        let write = move |tx: &mut store::Tx<'_>| {
            let row = inbox_rows::NewRow {
                kind,
                key: Some(key),
                title: "t",
                body: "",
                severity: inbox_rows::Severity::Info,
                link: None,
                session_id: session,
                project_id: None,
                by,
            };
            inbox_rows::post(tx, &bus, ACCOUNT, 1, &row)
        };
        let id = program.ctx.db().write(write).await.unwrap();
        program.owner("inbox.get", json!({"rowId": id})).await.unwrap()["askId"].clone()
    };
    assert_eq!(post(RowKind::Approval, "session:s1:1-7", Some("s1")).await, "1-7");
    assert_eq!(post(RowKind::Approval, "session:s1", Some("s1")).await, Value::Null);
    assert_eq!(post(RowKind::Session, "session:s1:2", Some("s1")).await, Value::Null);
    assert_eq!(post(RowKind::Input, "asking:s1:3", Some("s1")).await, Value::Null);
    assert_eq!(post(RowKind::Approval, "session:s12:4", Some("s1")).await, Value::Null);
    // What an agent calls its alert is no request, whatever it looks like.
    let row = alert(&program, "s1", json!({"title": "x", "key": "session:s1:9"})).await;
    assert_eq!(row["askId"], Value::Null);
}

#[tokio::test]
async fn a_session_adds_alerts_at_a_limited_rate() {
    let program = start().await;
    let say = async |session: &str| program.as_caller(agent(session), "inbox.alert", json!({"title": "x"})).await;
    for _ in 0..20 {
        say("s1").await.expect("within the burst");
    }
    let refusal = refused(say("s1").await, "too-many-requests");
    assert_eq!(refusal.retry_after_s(), Some(6));
    say("s2").await.expect("another session has an allowance of its own");
    program.owner("inbox.alert", json!({"title": "x"})).await.expect("the owner has no such limit");
    program.clock.advance_ms(6_000);
    say("s1").await.expect("one more");
    refused(say("s1").await, "too-many-requests");
    program.clock.advance_ms(3_600_000);
    for _ in 0..20 {
        say("s1").await.expect("all of the burst again");
    }
}

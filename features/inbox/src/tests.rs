mod outside;
mod work;

use super::*;
use events::{Event, HasEvents};
use inbox_rows::NewRow;
use kit::{Call, Caller, Ctx, InboxKind, Kind, Need, SettingsSource};
use serde_json::{Value, json};
use std::sync::Arc;
use store::HasDb;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

/// A kind of requests, and one of things that need attention, as other features declare them.
static REQUEST: InboxKind = InboxKind::new("request", "Request", "info").asking(Need::Answer);
static ATTENTION: InboxKind = InboxKind::new("attention", "Attention", "info").asking(Need::Attention);

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
    for chars in [10_001, 1 << 20] {
        let long = json!({"title": "x", "body": "x".repeat(chars)});
        assert_eq!(refused(say(long).await, "invalid-input").fields()[0].pointer, "/body");
    }
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
        let (db, ctx) = (program.ctx.db(), program.ctx.clone());
        async move {
            let by = events::Actor { kind: "program", member_id: None, session_id: None };
            let post = move |tx: &mut store::Tx<'_>| {
                let row =
                    NewRow { key: Some(key), session_id: Some("s1"), ..NewRow::new(&REQUEST, "May I run it?", by) };
                inbox_rows::post(tx, &ctx, ACCOUNT, &row)
            };
            db.write(post).await.unwrap()
        }
    };
    let id = ask("permission-1").await;
    let told = refused(program.owner("inbox.dismiss", json!({"rowId": id})).await, "waited-for");
    assert_eq!(told.code().status, 409);
    assert_eq!(
        program.owner("inbox.count", json!({})).await.unwrap(),
        json!({"open": 1, "unread": 1, "waiting": 1, "needsYou": 1, "snoozed": 0, "hiddenWaiting": 0})
    );
    let settle = || {
        let (db, ctx) = (program.ctx.db(), program.ctx.clone());
        async move {
            db.write(move |tx| inbox_rows::settle(tx, &ctx, ACCOUNT, "permission-1", "allowed once")).await.unwrap()
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
    assert_eq!(count, json!({"open": 3, "unread": 1, "waiting": 0, "needsYou": 0, "snoozed": 0, "hiddenWaiting": 0}));
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
    assert_eq!(titles(&program, owner(), json!({"kind": "sms"})).await, Vec::<String>::new());
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
    let post = async |kind: &'static InboxKind, key: &'static str, session: Option<&'static str>| {
        let ctx = program.ctx.clone();
        let by = events::Actor { kind: "program", member_id: None, session_id: None };
        let write = move |tx: &mut store::Tx<'_>| {
            let row = NewRow { key: Some(key), session_id: session, ..NewRow::new(kind, "t", by) };
            inbox_rows::post(tx, &ctx, ACCOUNT, &row)
        };
        let id = program.ctx.db().write(write).await.unwrap();
        program.owner("inbox.get", json!({"rowId": id})).await.unwrap()["askId"].clone()
    };
    assert_eq!(post(&REQUEST, "session:s1:1-7", Some("s1")).await, "1-7");
    assert_eq!(post(&REQUEST, "session:s1", Some("s1")).await, Value::Null);
    assert_eq!(post(&ATTENTION, "session:s1:2", Some("s1")).await, Value::Null);
    assert_eq!(post(&REQUEST, "asking:s1:3", Some("s1")).await, Value::Null);
    assert_eq!(post(&REQUEST, "session:s12:4", Some("s1")).await, Value::Null);
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

/// Some settings that are off.
struct AllOff(&'static [&'static str]);

impl SettingsSource for AllOff {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        self.0.contains(&key).then_some(Value::Bool(false))
    }
}

#[tokio::test]
async fn each_category_is_hidden_and_shown_by_its_setting_and_nothing_is_deleted() {
    let program = start().await;
    let categories = [
        ("automation", "inboxShowAutomations"),
        ("calendar", "inboxShowCalendar"),
        ("cron", "inboxShowCron"),
        ("digest", "inboxShowDigest"),
        ("recipe", "inboxShowRecipes"),
        ("sms", "inboxShowSms"),
        ("messenger", "inboxShowMessenger"),
    ];
    program.owner("inbox.alert", json!({"title": "alert"})).await.unwrap();
    for (category, _) in categories {
        program.owner("inbox.alert", json!({"title": category, "category": category})).await.unwrap();
    }
    let counted = async || program.owner("inbox.count", json!({})).await.unwrap();
    assert_eq!((&counted().await["open"], &counted().await["unread"]), (&json!(8), &json!(8)));
    for (category, setting) in categories {
        program.ctx.provide_settings(Arc::new(Off(setting)));
        let left = titles(&program, owner(), json!({})).await;
        assert_eq!((left.len(), left.iter().any(|title| title == category)), (7, false), "{setting}");
        assert_eq!((&counted().await["open"], &counted().await["unread"]), (&json!(7), &json!(7)), "{setting}");
        assert_eq!(titles(&program, owner(), json!({"hidden": true})).await, [category]);
        let kinds = program.owner("inbox.kinds", json!({})).await.unwrap();
        let kinds = kinds["kinds"].as_array().unwrap();
        let of_it = kinds.iter().find(|kind| kind["name"] == category).unwrap();
        assert_eq!((&of_it["setting"], &of_it["hidden"]), (&json!(setting), &json!(true)));
    }
    program.ctx.provide_settings(Arc::new(AllOff(&[])));
    assert_eq!(titles(&program, owner(), json!({})).await.len(), 8, "shown again");
    assert!(titles(&program, owner(), json!({"hidden": true})).await.is_empty());
    assert_eq!(titles(&program, owner(), json!({"kind": "cron"})).await, ["cron"]);
    let told = refused(program.owner("inbox.list", json!({"kind": "mail"})).await, "invalid-input");
    assert!(told.to_string().contains("alert, automation, calendar"), "{told}");
}

//! Scheduled messages in a whole program. Tests start on Sunday 2026-03-01 at 12:00 UTC.

use crate::feature;
use futures_core::future::BoxFuture;
use kit::clock::HomeZone;
use kit::feature::Need;
use kit::lookup::{Hubs, LiveSessions, Lookup, ScheduledPrompt, ScheduledWork, StartScheduled};
use kit::{Call, Caller, Feature, InboxKind, Kind, Result, SettingsSource};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::{HasDb, Tx, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

static APPROVAL: InboxKind = InboxKind::new("cron-approval", "Scheduled job approval", "clock").asking(Need::Answer);
static KINDS: &[&InboxKind] = &[&APPROVAL];

struct Switch(bool);

impl SettingsSource for Switch {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == "scheduledMessagesEnabled").then(|| json!(self.0))
    }
}

/// Sessions `s1` and `s2`, and the hub `h1`.
struct Known;

impl Lookup for Known {
    fn missing(&self, _: &str, ids: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>> {
        let missing = ids.into_iter().filter(|id| !["s1", "s2", "h1"].contains(&id.as_str())).collect();
        Box::pin(std::future::ready(Ok(missing)))
    }
}

/// Records what is started and sent. Fails as often as it's told to.
#[derive(Clone, Default)]
struct Work {
    done: Arc<Mutex<Vec<(String, ScheduledPrompt)>>>,
    errors: Arc<Mutex<Vec<kit::Error>>>,
}

impl Work {
    fn run(&self, what: String, prompt: ScheduledPrompt) -> BoxFuture<'static, Result<()>> {
        let failure = self.errors.lock().unwrap().pop();
        if failure.is_none() {
            self.done.lock().unwrap().push((what, prompt));
        }
        Box::pin(std::future::ready(failure.map_or(Ok(()), Err)))
    }
    fn all(&self) -> Vec<String> {
        let done = self.done.lock().unwrap();
        done.iter().map(|(what, prompt)| format!("{what}: {} ({})", prompt.text, prompt.title)).collect()
    }
}

impl StartScheduled for Work {
    fn start(&self, _: &str, hub: &str, prompt: ScheduledPrompt) -> BoxFuture<'static, Result<()>> {
        self.run(format!("start {hub}"), prompt)
    }
    fn send(&self, _: &str, session: &str, prompt: ScheduledPrompt) -> BoxFuture<'static, Result<()>> {
        self.run(format!("send {session}"), prompt)
    }
}

struct Place {
    program: Program,
    work: Work,
}

impl Place {
    async fn start() -> Place {
        let program = Program::start(|| {
            let inbox = Feature { migrations: inbox_rows::MIGRATIONS, inbox_kinds: KINDS, ..Feature::named("inbox") };
            vec![inbox, feature()]
        })
        .await;
        Place { program, work: Work::default() }.provided()
    }

    fn provided(self) -> Place {
        let ctx = &self.program.ctx;
        ctx.provide(Arc::new(HomeZone("America/New_York".into())));
        ctx.provide(Arc::new(LiveSessions(Box::new(Known))));
        ctx.provide(Arc::new(Hubs(Box::new(Known))));
        ctx.provide(Arc::new(ScheduledWork(Box::new(self.work.clone()))));
        self
    }

    async fn crash(self) -> Place {
        let Place { program, work } = self;
        Place { program: program.crash().await, work }.provided()
    }

    async fn ask(&self, op: &str, input: Value) -> Value {
        self.program.owner(op, input).await.unwrap_or_else(|error| panic!("{op}: {error:?}"))
    }

    async fn create(&self, input: Value) -> String {
        self.ask("messages.create", input).await["id"].as_str().unwrap().to_owned()
    }

    async fn get(&self, id: &str) -> Value {
        self.ask("messages.get", json!({"messageId": id})).await
    }

    async fn agent(&self, op: &str, input: Value) -> Result<Value> {
        let mut caller = Caller::new(Kind::Agent, ACCOUNT, "agent");
        caller.session = Some("s1".into());
        caller.scopes = vec!["messages:read".into(), "messages:write".into()];
        self.program.as_caller(caller, op, input).await
    }

    /// Turns the clock, and does what is due then, deliveries included.
    async fn advance(&self, ms: i64) {
        self.program.clock.advance_ms(ms);
        self.program.fire_timers().await;
        self.program.fire_timers().await;
    }

    /// Titles and bodies of open rows, oldest first.
    async fn rows(&self) -> Vec<(String, String)> {
        let read = |tx: &mut Tx<'_>| {
            let sql = "SELECT title, body FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 ORDER BY row_id";
            tx.query(sql, params![ACCOUNT], |row| Ok((row.get(0)?, row.get(1)?)))
        };
        self.program.ctx.db().read(read).await.unwrap()
    }

    async fn titles(&self) -> Vec<String> {
        self.rows().await.into_iter().map(|(title, _)| title).collect()
    }
}

#[tokio::test]
async fn a_message_reaches_the_inbox_at_its_time_in_the_users_zone_once() {
    let place = Place::start().await;
    // 12:00 UTC is 7:00 in New York.
    let once = place.create(json!({"body": "# Tea\n**now**", "time": "08:00"})).await;
    assert_eq!(place.get(&once).await["nextAt"], "2026-03-01T13:00:00.000Z");
    place.advance(HOUR_MS - 1).await;
    assert!(place.rows().await.is_empty());
    place.advance(1).await;
    assert_eq!(place.rows().await, [("Tea".to_owned(), "# Tea\n**now**".to_owned())]);
    let message = place.get(&once).await;
    assert_eq!((&message["on"], &message["nextAt"], &message["sent"]), (&json!(false), &Value::Null, &json!(1)));
    let place = place.crash().await;
    place.advance(48 * HOUR_MS).await;
    assert_eq!(place.rows().await.len(), 1);
}

#[tokio::test]
async fn a_repeating_message_keeps_its_wall_clock_time_over_a_change_of_clocks() {
    let place = Place::start().await;
    let days = json!({"body": "Plan", "when": "every sunday at 8"});
    let id = place.create(days).await;
    let mut times = Vec::new();
    for _ in 0..3 {
        let next = place.get(&id).await["nextAt"].as_str().unwrap().to_owned();
        times.push(next);
        place.advance(if times.len() == 1 { 2 * HOUR_MS } else { 7 * 24 * HOUR_MS }).await;
    }
    // Clocks go forward on March 8.
    assert_eq!(times, ["2026-03-01T13:00:00.000Z", "2026-03-08T12:00:00.000Z", "2026-03-15T12:00:00.000Z"]);
    assert_eq!(place.rows().await.len(), 3);
}

#[tokio::test]
async fn what_was_due_while_the_program_was_closed_is_one_late_row() {
    let place = Place::start().await;
    let id = place.create(json!({"body": "Stand up", "when": "every day at 9"})).await;
    place.program.clock.advance_ms(3 * 24 * HOUR_MS);
    let place = place.crash().await;
    place.advance(0).await;
    let place = place.crash().await;
    place.advance(0).await;
    assert_eq!(place.titles().await, ["Stand up (due 2026-03-01 09:00)"]);
    assert_eq!(place.get(&id).await["nextAt"], "2026-03-04T14:00:00.000Z");
}

#[tokio::test]
async fn while_off_nothing_is_sent_and_everything_is_kept() {
    let place = Place::start().await;
    let (daily, once) = (
        place.create(json!({"body": "Daily", "when": "every day at 9"})).await,
        place.create(json!({"body": "Once", "when": "in 2 hours"})).await,
    );
    place.program.ctx.provide_settings(Arc::new(Switch(false)));
    refused(place.program.owner("messages.list", json!({})).await, "scheduled-messages-disabled");
    place.advance(3 * HOUR_MS).await;
    place.program.ctx.provide_settings(Arc::new(Switch(true)));
    place.advance(0).await;
    assert!(place.rows().await.is_empty());
    let (daily, once) = (place.get(&daily).await, place.get(&once).await);
    assert_eq!((&daily["on"], &daily["nextAt"]), (&json!(true), &json!("2026-03-02T14:00:00.000Z")));
    assert_eq!((&once["on"], &once["problem"]), (&json!(false), &json!("Not sent: scheduled messages were off.")));
}

#[tokio::test]
async fn a_message_starts_a_session_or_is_sent_to_one_and_problems_are_rows() {
    let place = Place::start().await;
    place.create(json!({"body": "Run the tests", "title": "Nightly", "when": "in 1 hour", "hubId": "h1"})).await;
    let sent = json!({"body": "Go on", "when": "every day at 9:00 to continue", "sessionId": "s2"});
    let sent = place.create(sent).await;
    let targets = [
        (json!({"hubId": "h2"}), "not-found"),
        (json!({"sessionId": "s3"}), "not-found"),
        (json!({"sessionId": "s1", "hubId": "h1"}), "invalid-input"),
    ];
    for (bad, code) in targets {
        let mut input = json!({"body": "B", "when": "in 1 hour"});
        input.as_object_mut().unwrap().extend(bad.as_object().unwrap().clone());
        refused(place.program.owner("messages.create", input).await, code);
    }
    place.advance(HOUR_MS).await;
    place.advance(HOUR_MS).await;
    assert_eq!(place.work.all(), ["start h1: Run the tests (Nightly)", "send s2: Go on (continue)"]);
    assert!(place.rows().await.is_empty());
    // A limit passes: the same delivery is tried again. What can't be done is a row.
    let ids = |work: &Work| work.done.lock().unwrap().iter().map(|(_, prompt)| prompt.id.clone()).collect::<Vec<_>>();
    place.work.errors.lock().unwrap().push(kit::error::TOO_MANY.error("Too many sessions."));
    place.advance(24 * HOUR_MS).await;
    assert_eq!(ids(&place.work).len(), 2);
    place.advance(HOUR_MS).await;
    assert_eq!(ids(&place.work).len(), 3);
    place.work.errors.lock().unwrap().push(kit::error::CONFLICT.error("The session has ended."));
    place.advance(24 * HOUR_MS).await;
    place.advance(HOUR_MS).await;
    assert_eq!(place.rows().await, [("Couldn't send: continue".to_owned(), "The session has ended.".to_owned())]);
    assert_eq!(place.get(&sent).await["problem"], "The session has ended.");
    assert_eq!(ids(&place.work).len(), 3);
}

#[tokio::test]
async fn a_delivery_survives_a_crash_with_its_id() {
    let place = Place::start().await;
    place.create(json!({"body": "Go", "when": "in 1 hour", "hubId": "h1"})).await;
    // Due and handed over, but not delivered before the crash.
    place.program.clock.advance_ms(HOUR_MS);
    place.work.errors.lock().unwrap().push(kit::error::TOO_MANY.error("Later."));
    place.program.fire_timers().await;
    let place = place.crash().await;
    place.advance(HOUR_MS).await;
    place.advance(HOUR_MS).await;
    assert_eq!(place.work.all(), ["start h1: Go (Go)"]);
}

#[tokio::test]
async fn an_agents_message_waits_for_approval_and_is_sent_late_once_approved() {
    let place = Place::start().await;
    let mine = place.create(json!({"body": "Mine", "when": "in 1 day"})).await;
    let input = json!({"body": "Check CI", "when": "every day at 8", "sessionId": "s1"});
    let theirs = place.agent("messages.create", input).await.unwrap();
    let id = theirs["id"].as_str().unwrap().to_owned();
    assert_eq!((&theirs["approval"], &theirs["bySessionId"]), (&json!("waiting"), &json!("s1")));
    assert_eq!(place.titles().await, ["Scheduled message needs approval: Check CI"]);
    // It sees its own only, names no other session, and doesn't approve.
    refused(place.agent("messages.get", json!({"messageId": mine})).await, "not-found");
    assert_eq!(place.agent("messages.list", json!({})).await.unwrap()["items"].as_array().unwrap().len(), 1);
    let other = json!({"body": "B", "when": "in 1 hour", "sessionId": "s2"});
    refused(place.agent("messages.create", other).await, "not-found");
    refused(place.agent("messages.approve", json!({"messageId": id})).await, "forbidden-caller");
    let mut call = Call::new(Caller::new(Kind::Cli, ACCOUNT, "cli"));
    call.source_session = Some("s1".into());
    refused(place.program.call(call, "messages.approve", json!({"messageId": id})).await, "forbidden-caller");
    place.advance(2 * HOUR_MS).await;
    assert!(place.work.all().is_empty());
    let approved = place.ask("messages.approve", json!({"messageId": id})).await;
    assert_eq!(approved["approval"], "approved");
    refused(place.program.owner("messages.approve", json!({"messageId": id})).await, "scheduled-message-not-waiting");
    place.advance(0).await;
    assert_eq!(place.work.all(), ["send s1: Check CI (Check CI)"]);
    assert!(place.rows().await.is_empty(), "the request is settled");
    // Turning it off and on needs no approval, other words do.
    for (input, approval) in
        [(json!({"on": false}), "approved"), (json!({"on": true}), "approved"), (json!({"body": "Push"}), "waiting")]
    {
        let mut input = input;
        input["messageId"] = json!(id);
        assert_eq!(place.agent("messages.update", input).await.unwrap()["approval"], approval);
    }
    assert_eq!(place.ask("messages.deny", json!({"messageId": id})).await["approval"], "denied");
    place.advance(48 * HOUR_MS).await;
    assert_eq!(place.work.all().len(), 1);
    assert_eq!(place.titles().await, ["Mine (due 2026-03-02 07:00)"]);
}

#[tokio::test]
async fn a_message_is_run_paused_changed_deleted_and_restored() {
    let place = Place::start().await;
    let id = place.create(json!({"body": "- Water plants", "time": "08:00", "days": ["mon"]})).await;
    let one = |more: Value| {
        let mut input = json!({"messageId": id});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let run = place.ask("messages.run", one(json!({}))).await;
    assert_eq!((&run["nextAt"], &run["sent"]), (&json!("2026-03-02T13:00:00.000Z"), &json!(1)));
    assert_eq!(place.titles().await, ["Water plants"]);
    let paused = place.ask("messages.update", one(json!({"on": false}))).await;
    assert_eq!((&paused["on"], &paused["nextAt"]), (&json!(false), &Value::Null));
    place.advance(48 * HOUR_MS).await;
    let changed =
        place.ask("messages.update", one(json!({"on": true, "when": "weekdays at 9", "title": "Plants"}))).await;
    assert_eq!((&changed["nextAt"], &changed["title"]), (&json!("2026-03-03T14:00:00.000Z"), &json!("Plants")));
    place.ask("messages.delete", one(json!({}))).await;
    refused(place.program.owner("messages.get", one(json!({}))).await, "not-found");
    place.advance(48 * HOUR_MS).await;
    assert_eq!(place.rows().await.len(), 1);
    let restored = place.ask("messages.restore", one(json!({}))).await;
    assert_eq!(restored["nextAt"], "2026-03-05T14:00:00.000Z");
    place.ask("messages.delete", one(json!({}))).await;
    place.program.clock.advance_ms(31 * 24 * HOUR_MS);
    place.program.do_chores().await;
    refused(place.program.owner("messages.restore", one(json!({}))).await, "not-found");
}

#[tokio::test]
async fn words_are_shown_as_understood_and_bad_input_is_refused() {
    let place = Place::start().await;
    let understood = place.ask("messages.understand", json!({"when": "every weekday at 9 to stand up"})).await;
    assert_eq!(
        understood,
        json!({"title": "stand up", "time": "09:00", "date": null, "days": ["mon", "tue", "wed", "thu", "fri"],
               "timeZone": "America/New_York", "nextAt": "2026-03-02T14:00:00.000Z"})
    );
    refused(
        place.program.owner("messages.understand", json!({"when": "when pigs fly"})).await,
        "scheduled-time-not-understood",
    );
    for bad in [
        json!({"body": "B"}),
        json!({"body": "", "time": "09:00"}),
        json!({"body": "B", "time": "9"}),
        json!({"body": "B", "time": "09:00", "date": "2026-02-01"}),
        json!({"body": "B", "time": "09:00", "when": "in 1 hour"}),
        json!({"body": "B", "time": "09:00", "timeZone": "Mars"}),
        json!({"body": "x".repeat(20_001), "time": "09:00"}),
    ] {
        refused(place.program.owner("messages.create", bad).await, "invalid-input");
    }
    let id = place.create(json!({"body": "B", "time": "09:00"})).await;
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "test");
    refused(place.program.as_caller(other, "messages.run", json!({"messageId": id})).await, "not-found");
}

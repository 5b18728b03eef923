//! Messages of the developers, from a server of the test to the inbox.

use crate::{Address, developerMessagesEnabled, feature};
use kit::lookup::FirstAccount;
use kit::{Catalog, Feature, SettingsSource};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::{HasDb, Tx, params};
use testkit::stub::{Reply, Stub};
use testkit::{ACCOUNT, Program};

const DAY_MS: i64 = 24 * 3_600_000;

fn features() -> Vec<Feature> {
    vec![Feature { migrations: inbox_rows::MIGRATIONS, ..Feature::named("inbox") }, feature()]
}

/// Whether the setting is on.
struct Enabled(bool);

impl SettingsSource for Enabled {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == developerMessagesEnabled.spec.key).then_some(json!(self.0))
    }
}

struct Place {
    program: Program,
    stub: Stub,
    answer: Arc<Mutex<Reply>>,
}

impl Place {
    /// A program whose server answers with these messages.
    async fn start(messages: Value) -> Place {
        let answer = Arc::new(Mutex::new(Reply::json(&json!({ "messages": messages }))));
        let told = answer.clone();
        let stub = Stub::start(move |_| told.lock().unwrap().clone()).await;
        let program = Program::start(features).await;
        program.ctx.provide(Arc::new(FirstAccount(ACCOUNT.into())));
        program.ctx.provide(Arc::new(Address(format!("{}/messages.json", stub.url))));
        Place { program, stub, answer }
    }

    fn turn(&self, is_on: bool) {
        self.program.ctx.provide_settings(Arc::new(Enabled(is_on)));
    }

    /// So many hours pass, one by one; how many requests arrived by then.
    async fn after_hours(&self, hours: i64) -> usize {
        for _ in 0..hours {
            self.program.clock.advance_ms(DAY_MS / 24);
            self.program.run_due().await;
        }
        self.stub.asked().len()
    }

    /// Kind, title, text, and link of each row.
    async fn rows(&self) -> Vec<(String, String, String, Option<String>)> {
        let read = |tx: &mut Tx<'_>| {
            let sql = "SELECT kind, title, body, link FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 ORDER BY row_id";
            tx.query(sql, params![ACCOUNT], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        };
        self.program.ctx.db().read(read).await.unwrap()
    }
}

fn announcement(id: &str) -> Value {
    json!({"id": id, "kind": "announcement", "title": format!("About {id}")})
}

#[tokio::test]
async fn on_there_is_one_request_a_day_and_off_there_is_none() {
    let place = Place::start(json!([announcement("a")])).await;
    place.turn(false);
    assert_eq!(place.after_hours(49).await, 0);
    place.turn(true);
    assert_eq!(place.after_hours(24).await, 1);
    assert_eq!(place.after_hours(3 * 24).await, 4);
    let asked = place.stub.asked();
    assert_eq!((&*asked[0].line, &*asked[0].body), ("GET /messages.json", ""));
    for sent in ["cookie", "authorization", "user-agent"] {
        assert!(!asked[0].headers.contains(sent), "{}", asked[0].headers);
    }
    let Place { program, stub, .. } = place;
    let program = program.restart().await;
    program.ctx.provide(Arc::new(FirstAccount(ACCOUNT.into())));
    program.ctx.provide(Arc::new(Address(stub.url.clone())));
    program.run_due().await;
    assert_eq!(stub.asked().len(), 4, "not again after a restart");
}

#[tokio::test]
async fn a_server_that_fails_is_asked_again_tomorrow() {
    let place = Place::start(json!([])).await;
    for (day, reply) in
        [Reply::error(503, &json!({})), Reply::Cut, Reply::Status(302, "location: /x\r\n".into(), vec![])]
            .into_iter()
            .enumerate()
    {
        *place.answer.lock().unwrap() = reply;
        assert_eq!(place.after_hours(24).await, day + 1);
    }
    assert_eq!(place.rows().await, []);
}

#[tokio::test]
async fn messages_are_shown_once_as_plain_text_and_surveys_as_links() {
    let place = Place::start(json!([
        {"id": "news", "kind": "announcement", "title": "<b>Version 2</b>\u{1b}[2J", "body": "One\nTwo\u{202e}"},
        {"id": "survey", "kind": "survey", "title": "How is it?", "link": "https://example.com/survey?id=1"},
    ]))
    .await;
    place.after_hours(1).await;
    let text = str::to_owned;
    let news = (text("announcement"), text("<b>Version 2</b> [2J"), text("One\nTwo"), None);
    let survey = (text("survey"), text("How is it?"), String::new(), Some(text("https://example.com/survey?id=1")));
    assert_eq!(place.rows().await, [news, survey]);
    let dismiss = "UPDATE inbox_rows SET settled_ms = 1, outcome = 'dismissed' WHERE account_id = $1";
    place.program.ctx.db().write(move |tx| tx.execute(dismiss, params![ACCOUNT])).await.unwrap();
    *place.answer.lock().unwrap() = Reply::json(&json!({"messages": [announcement("news"), announcement("more")]}));
    place.after_hours(48).await;
    let titles: Vec<String> = place.rows().await.into_iter().map(|row| row.1).collect();
    assert_eq!(titles, ["About more"]);
}

#[tokio::test]
async fn whatever_is_no_message_is_left_out() {
    let with = |more: Value| {
        let mut message = announcement("x");
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    };
    let place = Place::start(json!([
        "text",
        {"id": "no-title", "kind": "announcement"},
        with(json!({"id": "../x"})),
        with(json!({"id": "x".repeat(65)})),
        with(json!({"kind": "command"})),
        with(json!({"title": " \u{202e}"})),
        with(json!({"title": "x".repeat(201)})),
        with(json!({"body": "x".repeat(4_001)})),
        with(json!({"link": "javascript:alert(1)"})),
        with(json!({"link": "http://example.com"})),
        with(json!({"link": "https://good.example@bad.example/"})),
        with(json!({"link": "https:///app"})),
        with(json!({"link": "https://example.com/\u{202e}"})),
        with(json!({"kind": "survey"})),
        announcement("good"),
        announcement("good"),
    ]))
    .await;
    place.after_hours(1).await;
    let titles: Vec<String> = place.rows().await.into_iter().map(|row| row.1).collect();
    assert_eq!(titles, ["About good"]);
    let many: Vec<Value> = (0..1_000).map(|number| announcement(&format!("m{number}"))).collect();
    let html = Reply::Status(200, "content-type: text/html\r\n".into(), b"<html><script>".to_vec());
    let large = Reply::json(&json!({"messages": [with(json!({"body": "x".repeat(200_000)})), announcement("n")]}));
    for reply in [html, large, Reply::json(&json!([])), Reply::json(&json!({"messages": 7}))] {
        *place.answer.lock().unwrap() = reply;
        place.after_hours(24).await;
    }
    assert_eq!(place.rows().await.len(), 1);
    *place.answer.lock().unwrap() = Reply::json(&json!({ "messages": many }));
    place.after_hours(24).await;
    assert_eq!(place.rows().await.len(), 21, "twenty of a document at most");
}

#[tokio::test]
async fn without_an_address_nothing_is_fetched_and_the_setting_says_so() {
    let program = Program::start(features).await;
    let why = || {
        let catalog = program.ctx.service::<Catalog>();
        let obstacle = catalog.obstacles.iter().find(|one| one.setting.spec.key == "developerMessagesEnabled").unwrap();
        (obstacle.why)(&program.ctx, ACCOUNT)
    };
    assert!(why().unwrap().contains("PILOTHOUSE_MESSAGES_URL"));
    program.ctx.provide(Arc::new(FirstAccount(ACCOUNT.into())));
    program.run_due().await;
    program.ctx.provide(Arc::new(Address("http://127.0.0.1:9".into())));
    assert_eq!(why(), None);
}

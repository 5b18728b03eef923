//! Providers, choices, prices, tests, and usage, over the operations.

use crate::feature;
use kit::feature::Purpose;
use kit::{Caller, Feature, Kind};
use ledger::{Cap, Window};
use models::{AskError, HasModels, Question};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;
use store::{HasDb, Tx, params};
use testkit::stub::{Reply, Stub};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

const KEY: &str = "sk-fake-0123456789";

fn features() -> Vec<Feature> {
    vec![feature()]
}

fn with_inbox() -> Vec<Feature> {
    vec![Feature { migrations: inbox_rows::MIGRATIONS, ..Feature::named("inbox") }, feature()]
}

async fn call(program: &Program, op: &str, input: Value) -> Value {
    program.owner(op, input).await.unwrap_or_else(|why| panic!("{op}: {why:?}"))
}

async fn provider(program: &Program, url: &str) -> String {
    let new = json!({"kind": "compatible", "name": "Mine", "url": format!("{url}/v1/"), "key": KEY});
    let made = call(program, "models.providers.create", new).await;
    assert_eq!(
        (&made["url"], &made["hasKey"], &made["keyPlace"]),
        (&json!(format!("{url}/v1")), &json!(true), &json!("file"))
    );
    made["id"].as_str().unwrap().to_owned()
}

async fn stub() -> Stub {
    Stub::start(|asked| match &*asked.line {
        "GET /v1/models" => Reply::json(&json!({"data": [{"id": "small"}, {"id": "big"}]})),
        _ => Reply::json(&json!({
            "choices": [{"message": {"content": "{\"answer\": \"Hello!\"}"}}],
            "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 100_000}
        })),
    })
    .await
}

#[tokio::test]
async fn a_provider_is_added_tried_and_paid_for() {
    let (program, stub) = (Program::start(features).await, stub().await);
    let id = provider(&program, &stub.url).await;
    let models = call(&program, "models.available", json!({"providerId": id})).await;
    assert_eq!(models["models"], json!(["big", "small"]));
    let price = json!({"model": "small", "input": 0.25, "output": 2});
    assert_eq!(call(&program, "models.prices.set", price).await["day"], "2026-03-01");
    let tried = call(&program, "models.test", json!({"providerId": id, "model": "small"})).await;
    assert_eq!((&tried["answer"], &tried["model"]), (&json!("Hello!"), &json!("small")));
    let usage = call(&program, "usage.get", json!({})).await;
    let row = &usage["rows"][0];
    assert_eq!(
        (&row["purposeLabel"], &row["basis"], &row["priceDate"]),
        (&json!("Tests of models"), &json!("priced"), &json!("2026-03-01"))
    );
    assert_eq!(
        (&row["amount"], &row["inputTokens"], &row["provider"]),
        (&json!(0.45), &json!(1_000_000), &json!("Mine"))
    );
    assert_eq!(usage["sums"], json!([{"currency": "USD", "paid": 0.45, "subscription": 0.0, "unpriced": 0}]));
    call(&program, "models.prices.remove", json!({"model": "small"})).await;
    call(&program, "models.test", json!({"providerId": id, "model": "small"})).await;
    let usage = call(&program, "usage.get", json!({})).await;
    assert_eq!(usage["sums"][0]["unpriced"], 1, "an unknown price isn't 0");
    assert_eq!(usage["rows"].as_array().unwrap().iter().filter(|row| row["amount"].is_null()).count(), 1);
}

#[tokio::test]
async fn a_key_is_in_no_answer_no_change_and_no_error() {
    let program = Program::start(features).await;
    let rejecting = Stub::start(|asked| {
        let said = format!("wrong key {}", asked.headers.contains(KEY));
        Reply::error(401, &json!({"error": {"message": said}}))
    })
    .await;
    let id = provider(&program, &rejecting.url).await;
    let failed = program.owner("models.test", json!({"providerId": id, "model": "m"})).await;
    let failed = format!("{:?}", failed.unwrap_err());
    assert!(failed.contains("wrong key true") && !failed.contains(KEY), "{failed}");
    let all = call(&program, "models.providers.list", json!({})).await;
    assert!(!all.to_string().contains(KEY));
    for file in ["pilothouse.db", "pilothouse.db-wal"] {
        let bytes = std::fs::read(program.dir().join(file)).unwrap_or_default();
        assert!(!bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()), "{file}");
    }
    call(&program, "models.providers.update", json!({"providerId": id, "removeKey": true})).await;
    let sent = program.owner("models.test", json!({"providerId": id, "model": "m"})).await;
    assert!(format!("{:?}", sent.unwrap_err()).contains("wrong key false"));
}

#[tokio::test]
async fn the_first_provider_with_a_known_model_answers_and_a_deleted_one_is_chosen_no_more() {
    let program = Program::start(features).await;
    assert_eq!(call(&program, "models.get", json!({})).await["utility"], Value::Null);
    let made = call(&program, "models.providers.create", json!({"kind": "anthropic", "key": KEY})).await;
    assert_eq!((&made["name"], &made["url"]), (&json!("Anthropic"), &json!("https://api.anthropic.com/v1")));
    let chosen = call(&program, "models.get", json!({})).await;
    assert_eq!(chosen["utility"], json!({"providerId": made["id"], "model": made["suggestedModel"]}));
    let local = call(&program, "models.providers.create", json!({"kind": "ollama"})).await;
    let vision = json!({"vision": {"providerId": local["id"], "model": "llava"}, "freeOnly": true});
    let chosen = call(&program, "models.set", vision).await;
    assert_eq!((&chosen["freeOnly"], &chosen["vision"]["model"]), (&json!(true), &json!("llava")));
    assert_eq!(chosen["utility"]["providerId"], made["id"], "what isn't named stays");
    call(&program, "models.providers.delete", json!({"providerId": made["id"]})).await;
    let chosen = call(&program, "models.get", json!({})).await;
    assert_eq!((&chosen["utility"], &chosen["vision"]["model"]), (&Value::Null, &json!("llava")));
    let chosen = call(&program, "models.set", json!({"vision": null})).await;
    assert_eq!(chosen["vision"], Value::Null);
}

#[tokio::test]
async fn bad_input_is_rejected_and_nothing_changes() {
    let program = Program::start(features).await;
    let id = provider(&program, "http://127.0.0.1:9").await;
    for (op, input, code) in [
        ("models.providers.create", json!({"kind": "compatible"}), "invalid-input"),
        ("models.providers.create", json!({"kind": "unheard-of"}), "invalid-input"),
        ("models.providers.create", json!({"kind": "compatible", "url": "ftp://a"}), "invalid-input"),
        ("models.providers.create", json!({"kind": "compatible", "url": "http://user:p@a"}), "invalid-input"),
        ("models.providers.create", json!({"kind": "compatible", "url": "http://a/?key=1"}), "invalid-input"),
        ("models.providers.create", json!({"kind": "claude", "url": "http://a"}), "invalid-input"),
        ("models.providers.create", json!({"kind": "openai", "key": "two\nlines"}), "invalid-input"),
        ("models.providers.create", json!({"kind": "openai", "name": "mine"}), "model-provider-name-taken"),
        ("models.providers.update", json!({"providerId": "none", "name": "N"}), "not-found"),
        ("models.set", json!({"utility": {"providerId": "none", "model": "m"}}), "not-found"),
        ("models.set", json!({"utility": {"providerId": id, "model": " "}}), "invalid-input"),
        ("models.prices.set", json!({"model": "m", "input": -1, "output": 1}), "invalid-input"),
        ("models.prices.remove", json!({"model": "m"}), "not-found"),
        ("models.test", json!({"providerId": "none", "model": "m"}), "not-found"),
        ("models.test", json!({"providerId": id, "model": "m"}), "model-failed"),
        ("models.available", json!({"providerId": id}), "model-failed"),
        ("usage.get", json!({"from": "2026-02-30"}), "invalid-input"),
        ("usage.get", json!({"from": "2026-03-02", "to": "2026-03-01"}), "invalid-input"),
        ("usage.get", json!({"from": "2020-01-01"}), "invalid-input"),
    ] {
        refused(program.owner(op, input).await, code);
    }
    assert_eq!(call(&program, "models.providers.list", json!({})).await["items"].as_array().unwrap().len(), 1);
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let seen = program.as_caller(other, "models.providers.list", json!({})).await.unwrap();
    assert_eq!(seen["items"], json!([]));
}

/// What the list of models and a test question say about a server that answers like this.
async fn failures(reply: Reply) -> (String, String) {
    let program = Program::start(features).await;
    let server = Stub::start(move |_| reply.clone()).await;
    let id = provider(&program, &server.url).await;
    let failure = async |op: &str, input: Value| {
        let why = refused(program.owner(op, input).await, "model-failed").detail().to_owned();
        assert!(!why.contains(KEY) && why.len() < 400, "{why}");
        why
    };
    let listed = failure("models.available", json!({"providerId": id})).await;
    (listed, failure("models.test", json!({"providerId": id, "model": "m"})).await)
}

#[tokio::test]
async fn whatever_a_server_gets_wrong_you_are_told_what_happened_and_what_to_check() {
    let error = |status, text: &str| Reply::error(status, &json!({"error": {"message": text}}));
    let with = |headers: &str| Reply::Status(302, headers.to_owned(), Vec::new());
    let no_list = "The address doesn't list models.";
    let no_form = "The model's answer doesn't have the required form.";
    for (reply, listed, tested) in [
        (error(401, "expired"), "The key wasn't accepted: expired. Check", "The key wasn't accepted: expired. Check"),
        (Reply::Status(200, String::new(), b"<html>Welcome".to_vec()), no_list, no_form),
        (Reply::Status(200, String::new(), vec![0xff, 0, b'{']), no_list, no_form),
        (Reply::json(&json!({"data": "many"})), no_list, no_form),
        (
            Reply::json(&json!({"error": {"code": 402, "message": "no credit"}})),
            "The provider's limit is reached: no credit.",
            "The provider's limit is reached: no credit.",
        ),
        (error(404, "no such page"), no_list, "The provider has no model m. Check its name"),
        (Reply::Status(200, String::new(), vec![b'['; 10_000_000]), "The answer is larger", "The answer is larger"),
        (Reply::Cut, "The connection", "The connection"),
        (with("location: http://169.254.169.254/latest\r\n"), "169.254.169.254", "169.254.169.254"),
        (with(""), "The connection", "The connection"),
    ] {
        let shown = format!("{reply:?}").chars().take(80).collect::<String>();
        let (list, test) = failures(reply).await;
        assert!(list.contains(listed), "{shown}: {list}");
        assert!(test.contains(tested), "{shown}: {test}");
    }
}

#[tokio::test]
async fn names_of_models_that_could_not_be_shown_are_left_out() {
    let program = Program::start(features).await;
    let names = json!([{"id": "good"}, {"id": "a\u{1b}[2J"}, {"id": ""}, {"id": "x".repeat(201)}, {"id": 5}, "text", {"id": "good"}]);
    let server = Stub::start(move |_| Reply::json(&json!({"data": names}))).await;
    let id = provider(&program, &server.url).await;
    assert_eq!(call(&program, "models.available", json!({"providerId": id})).await["models"], json!(["good"]));
}

/// A question with a cap of 5 dollars on what it may cost.
fn question() -> Question {
    static PURPOSE: Purpose = Purpose { name: "alarm", label: "Understanding alarms" };
    Question {
        account: ACCOUNT.to_owned(),
        purpose: &PURPOSE,
        hub: String::new(),
        session: String::new(),
        task: "Rewrite it.".into(),
        material: "wake me".into(),
        image: None,
        schema: json!({"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}),
        output_tokens: 1_000,
        model: String::new(),
        cap: Some(Cap { usd: 0.5, window: Window::Day }),
        time: Duration::from_secs(10),
    }
}

/// The open notices: their titles.
async fn notices(program: &Program) -> Vec<String> {
    let read = |tx: &mut Tx<'_>| {
        let sql = "SELECT title FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 ORDER BY row_id";
        tx.query(sql, params![ACCOUNT], |row| row.get::<String>(0))
    };
    program.ctx.db().read(read).await.unwrap()
}

async fn dismiss(program: &Program) {
    let sql = "UPDATE inbox_rows SET settled_ms = 1, outcome = 'dismissed' WHERE account_id = $1";
    program.ctx.db().write(move |tx| tx.execute(sql, params![ACCOUNT])).await.unwrap();
}

async fn ask(program: &Program) -> Result<Value, AskError> {
    program.ctx.models().ask(&program.ctx, &question()).await.map(|answer| answer.value)
}

#[tokio::test]
async fn an_outage_a_limit_and_a_cost_cap_are_each_noticed_once_until_they_are_over() {
    let program = Program::start(with_inbox).await;
    static STATUS: AtomicU16 = AtomicU16::new(501);
    let stub = Stub::start(|_| match STATUS.load(Ordering::Relaxed) {
        200 => Reply::json(&json!({
            "choices": [{"message": {"content": "{\"answer\": \"Hello!\"}"}}],
            "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0}
        })),
        status => Reply::error(status, &json!({"error": {"message": "no"}})),
    })
    .await;
    let id = provider(&program, &stub.url).await;
    call(&program, "models.set", json!({"utility": {"providerId": id, "model": "small"}})).await;
    call(&program, "models.prices.set", json!({"model": "small", "input": 0.45, "output": 26})).await;
    for _ in 0..2 {
        ask(&program).await.unwrap_err();
    }
    assert_eq!(notices(&program).await, ["Mine isn't available"]);
    dismiss(&program).await;
    ask(&program).await.unwrap_err();
    assert_eq!(notices(&program).await, [] as [&str; 0], "you know");
    program.clock.advance_ms(25 * 3_600_000);
    ask(&program).await.unwrap_err();
    STATUS.store(402, Ordering::Relaxed);
    ask(&program).await.unwrap_err();
    assert_eq!(notices(&program).await, ["Mine isn't available", "Mine: limit reached or balance low"]);
    STATUS.store(401, Ordering::Relaxed);
    ask(&program).await.unwrap_err();
    assert_eq!(notices(&program).await.len(), 2, "a wrong key is no outage");
    program.clock.advance_ms(24 * 3_600_000);
    STATUS.store(200, Ordering::Relaxed);
    ask(&program).await.unwrap();
    assert_eq!(notices(&program).await, [] as [&str; 0], "it works again");
    for _ in 0..2 {
        let why = ask(&program).await.unwrap_err();
        assert!(matches!(why, AskError::Cap(_)), "{why:?}");
    }
    assert_eq!(notices(&program).await, ["Cost limit reached: Understanding alarms"]);
    dismiss(&program).await;
    ask(&program).await.unwrap_err();
    assert_eq!(notices(&program).await, [] as [&str; 0], "once a day");
}

//! What sessions cost, as it is added up and read.

use super::practice::{Begun, begin};
use crate::service::Sessions;
use crate::transcript::SessionKey;
use engines::Cost;
use engines::engine::{Claude, Codex, Gemini, OpenCode};
use engines::probe::is_paid_by_use;
use engines::{Engine, Machine};
use kit::{Caller, Kind};
use serde_json::{Value, json};
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

async fn usage(place: &Begun, days: Value) -> Value {
    place.program.owner("sessions.usage", days).await.unwrap()
}

/// What the session's engine tells it has cost since it began.
async fn report_usage(place: &Begun, id: &str, amount: f64, currency: &str, engine_session: &str) {
    let sessions = place.program.ctx.service::<Sessions>();
    let key = SessionKey { account: ACCOUNT.into(), session: id.into() };
    let mut record = sessions.driver(&key).await.unwrap().lock().await.record.clone();
    record.engine_session = engine_session.to_owned();
    sessions.common.count_cost(&key, &record, &Cost { amount, currency: currency.to_owned() }).await;
}

fn amounts(usage: &Value) -> Vec<(String, String, f64)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let items = usage["rows"].as_array().unwrap();
    items.iter().map(|item| (text(&item["day"]), text(&item["currency"]), item["amount"].as_f64().unwrap())).collect()
}

fn row(day: &str, currency: &str, amount: f64) -> (String, String, f64) {
    (day.to_owned(), currency.to_owned(), amount)
}

#[tokio::test]
async fn the_differences_of_what_an_engine_tells_go_to_the_days_on_which_they_are_told() {
    let place = begin().await;
    let id = place.start("practice: usage 1 100 0.25; usage 2 100 1.25").await;
    place.until(&id, "idle").await;
    place.program.clock.advance_ms(12 * 3_600_000);
    let next = json!({"sessionId": id, "prompt": "practice: usage 3 100 1.75"});
    place.program.owner("sessions.message", next).await.unwrap();
    while place.get(&id).await["costUsd"] != 1.75 {
        tokio::task::yield_now().await;
    }
    place.until(&id, "idle").await;
    let all = usage(&place, json!({})).await;
    assert_eq!(amounts(&all), [row("2026-03-02", "USD", 0.5), row("2026-03-01", "USD", 1.25)]);
    let first = &all["rows"][1];
    assert_eq!(
        (&first["sessionId"], &first["engine"], &first["revived"]),
        (&json!(id), &json!("practice"), &json!(false))
    );
    let sums = json!([{"currency": "USD", "amount": 1.75, "paidByUse": 1.75, "revived": 0.0}]);
    assert_eq!((&all["sums"], &all["complete"]), (&sums, &json!(true)));
    let one = usage(&place, json!({"from": "2026-03-01", "to": "2026-03-01"})).await;
    assert_eq!(amounts(&one), [row("2026-03-01", "USD", 1.25)]);
}

#[tokio::test]
async fn nothing_is_added_twice_and_a_new_session_of_the_engine_begins_at_nothing() {
    let place = begin().await;
    let id = place.start("practice: say Hi").await;
    place.until(&id, "idle").await;
    report_usage(&place, &id, 2.0, "USD", "one").await;
    report_usage(&place, &id, 2.0, "USD", "one").await;
    let Begun { program, folder, hub } = place;
    let place = Begun { program: program.crash().await, folder, hub };
    report_usage(&place, &id, 2.5, "USD", "one").await;
    report_usage(&place, &id, 3.0, "USD", "two").await;
    report_usage(&place, &id, 1.0, "USD", "two").await;
    assert_eq!(amounts(&usage(&place, json!({})).await), [row("2026-03-01", "USD", 6.5)]);
}

#[tokio::test]
async fn currencies_stay_apart_and_what_is_no_amount_is_left_out() {
    let place = begin().await;
    let id = place.start("practice: say Hi").await;
    place.until(&id, "idle").await;
    for (amount, currency) in [
        (1.0, "USD"),
        (3.0, "EUR"),
        (f64::NAN, "USD"),
        (f64::INFINITY, "USD"),
        (-5.0, "USD"),
        (7.0, "usd"),
        (7.0, "credits"),
        (7.0, ""),
    ] {
        report_usage(&place, &id, amount, currency, "one").await;
    }
    let all = usage(&place, json!({})).await;
    assert_eq!(amounts(&all), [row("2026-03-01", "EUR", 3.0), row("2026-03-01", "USD", 1.0)]);
    assert_eq!((&all["sums"][0]["amount"], &all["sums"][1]["amount"]), (&json!(3.0), &json!(1.0)));
}

#[tokio::test]
async fn days_that_are_none_are_refused_and_another_account_sees_nothing() {
    let place = begin().await;
    let id = place.start("practice: usage 1 100 1").await;
    place.until(&id, "idle").await;
    for days in [
        json!({"from": "2026-02-30"}),
        json!({"from": "yesterday"}),
        json!({"to": "2026-03-01T00:00:00"}),
        json!({"from": "2026-03-02", "to": "2026-03-01"}),
        json!({"from": "2020-01-01"}),
        json!({"from": "-009999-01-01"}),
        json!({"since": "2026-03-01"}),
    ] {
        refused(place.program.owner("sessions.usage", days).await, "invalid-input");
    }
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let seen = place.program.as_caller(other, "sessions.usage", json!({})).await.unwrap();
    assert_eq!((&seen["rows"], &seen["sums"]), (&json!([]), &json!([])));
}

#[test]
fn a_key_is_paid_by_use_and_a_subscription_has_paid() {
    let machine = |vars: &[&str]| Machine {
        env: vars.iter().map(|var| ((*var).to_owned(), "fake".to_owned())).collect(),
        ..Machine::default()
    };
    let is_paid = |engine: &dyn Engine, vars: &[&str]| is_paid_by_use(&engine.recipe(), &machine(vars));
    assert!(!is_paid(&Claude, &[]) && !is_paid(&Claude, &["CLAUDE_CODE_OAUTH_TOKEN"]));
    assert!(
        is_paid(&Claude, &["ANTHROPIC_API_KEY"]) && is_paid(&Claude, &["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"])
    );
    assert!(!is_paid(&Codex, &[]) && is_paid(&Codex, &["OPENAI_API_KEY"]));
    assert!(!is_paid(&Gemini, &[]) && is_paid(&Gemini, &["GEMINI_API_KEY"]));
    assert!(is_paid(&OpenCode, &[]), "its file may hold keys");
}

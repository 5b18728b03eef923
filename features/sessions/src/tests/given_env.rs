use crate::given_env;
use crate::tests::practice::begin;
use crate::transcript::SessionKey;
use engines::port::Env;
use futures_core::future::BoxFuture;
use kit::lookup::{GiveEnv, SessionEnv};
use kit::{Ctx, Result, Secret};
use std::sync::Arc;
use testkit::ACCOUNT;

const VALUE: &str = "sk-live-\"Zq8x\\Wv7Tn6";

/// What a person gave, whichever session asks.
struct Fixed;

impl GiveEnv for Fixed {
    fn variables(&self, _: &str, _: &str) -> BoxFuture<'static, Result<Vec<(String, Secret)>>> {
        let given = [("MAIL_KEY", VALUE), ("LONGER", &format!("{VALUE}-2")), ("PATH", "/evil"), ("SHORT", "say")];
        let given = given.map(|(name, value)| (name.to_owned(), Secret::new(value.to_owned()))).to_vec();
        Box::pin(async { Ok(given) })
    }
}

fn provide(ctx: &Ctx) {
    ctx.provide(Arc::new(SessionEnv(Box::new(Fixed))));
}

#[tokio::test]
async fn a_session_is_started_with_what_a_person_gave_and_what_the_program_sets_stays() {
    let place = begin().await;
    provide(&place.program.ctx);
    let mut env = Env::from([("PATH".to_owned(), "/usr/bin".to_owned())]);
    let key = SessionKey { account: ACCOUNT.into(), session: "s1".into() };
    let given = given_env::add(&place.program.ctx, &key, &mut env, Vec::new()).await;
    assert_eq!(env["MAIL_KEY"], VALUE);
    assert_eq!(env["PATH"], "/usr/bin");
    let told = serde_json::json!({"text": format!("say {VALUE}-2 or {VALUE}.")}).to_string();
    assert_eq!(given.hide(told), r#"{"text":"say … or …."}"#);
}

#[tokio::test]
async fn what_a_session_prints_of_a_value_is_not_kept() {
    let place = begin().await;
    provide(&place.program.ctx);
    let id = place.start(&format!("practice: say the key is {VALUE} indeed")).await;
    place.until(&id, "idle").await;
    assert_eq!(place.said(&id).await.trim(), "the key is … indeed");
    let all = serde_json::to_string(&place.entries(&id).await).unwrap();
    assert!(!all.contains("Zq8x"), "{all}");
}

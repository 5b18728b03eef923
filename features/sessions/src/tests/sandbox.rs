//! What a session is started with and what it says of it, where there is a wall and where there is none.

use super::practice::{Begun, begin, begin_on, machine};
use crate::engine_host::EngineHost;
use crate::judge::Judge;
use crate::service::Sessions;
use crate::testing;
use crate::transcript::SessionKey;
use engines::{LaunchPlan, SessionSpec};
use kit::Feature;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use supervisor::policy::Origin;
use testkit::ACCOUNT;

async fn wall_entry(begun: &Begun, id: &str) -> Value {
    let entries = begun.entries_once(id, |entry| entry["entry"] == "wall").await;
    entries.into_iter().find(|entry| entry["entry"] == "wall").unwrap()
}

#[tokio::test]
async fn the_transcript_says_what_keeps_the_session_from_sensitive_files() {
    let begun = begin().await;
    let id = begun.start("practice: say done").await;
    assert_eq!(wall_entry(&begun, &id).await["wall"], "up");
    begun.set(&[("agentPermissionLevel", json!("full"))]);
    let id = begun.start("practice: say done").await;
    assert_eq!(wall_entry(&begun, &id).await["wall"], "open");
}

/// What is kept from a session of this engine that began like this.
async fn denied(begun: &Begun, engine: &str, origin: Origin) -> Vec<String> {
    let id = begun.start("practice: say done").await;
    let sessions = begun.program.ctx.service::<Sessions>();
    let key = SessionKey { account: ACCOUNT.into(), session: id.as_str().into() };
    let me = sessions.driver(&key).await.unwrap();
    let mut record = me.lock().await.record.clone();
    (record.engine, record.origin) = (engine.to_owned(), origin);
    let denied = Judge::new(&sessions.common, &key, &record).denied();
    denied.into_iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn each_engine_keeps_its_own_login_and_no_other_and_only_full_opens_the_rest_never_to_external_ones() {
    let begun = begin().await;
    let home = |path: &str| format!("/home/tester/{path}");
    let logins =
        [("claude", ".claude.json"), ("codex", ".codex/auth.json"), ("opencode", ".local/share/opencode/auth.json")];
    let data = begun.program.ctx.service::<kit::DataDir>().0.to_string_lossy().into_owned();
    for (engine, own) in logins {
        let record = denied(&begun, engine, Origin::Person).await;
        assert!(record.contains(&home(".ssh")) && record.contains(&data), "{engine}: {record:?}");
        for (other, login) in logins {
            assert_eq!(record.contains(&home(login)), engine != other, "{engine} and {login}");
        }
        assert!(!record.contains(&home(own)));
    }
    begun.set(&[("agentPermissionLevel", json!("full"))]);
    for (engine, origin, is_open) in [
        ("claude", Origin::Person, true),
        ("codex", Origin::Agent, true),
        ("opencode", Origin::Person, false),
        ("nobody-knows-it", Origin::Person, false),
        ("claude", Origin::Email, false),
        ("codex", Origin::Email, false),
    ] {
        assert_eq!(denied(&begun, engine, origin).await.is_empty(), is_open, "{engine}, {origin:?}");
    }
}

/// The plan that a room makes.
async fn planned(sandbox: Result<(), String>, denied: Vec<PathBuf>) -> LaunchPlan {
    let begun = begin().await;
    let made = Arc::new(Mutex::new(None));
    let keep = made.clone();
    let start = move |plan: &LaunchPlan| {
        *keep.lock().unwrap() = Some(plan.clone());
        testing::start_here(plan)
    };
    let host = EngineHost { sandbox, start: Arc::new(start), ..testing::engine_host(&begun.program.ctx) };
    let spec = SessionSpec { denied, ..SessionSpec::new("s", "/p", "/data/s") };
    let set_up = crate::engine_host::SetUp::default();
    host.start(host.engine("practice").unwrap(), &spec, &set_up).await.unwrap();
    made.lock().unwrap().take().unwrap()
}

#[tokio::test]
async fn the_host_sandboxes_what_it_starts_where_anything_is_denied_and_there_is_a_sandbox() {
    let sandbox = planned(Ok(()), vec!["/h/.ssh".into()]).await.sandbox.expect("a wall");
    assert_eq!(
        (sandbox.denied, sandbox.open, sandbox.cwd),
        (vec!["/h/.ssh".into()], vec!["/data/s".into()], "/p".into())
    );
    assert!(planned(Ok(()), Vec::new()).await.sandbox.is_none());
    assert!(planned(Err("none".into()), vec!["/h/.ssh".into()]).await.sandbox.is_none());
}

fn without_sandbox() -> Feature {
    Feature {
        start: |ctx| {
            Box::pin(async move {
                (machine().start)(ctx.clone()).await?;
                let sandbox = Err("This system has none.".to_owned());
                ctx.provide(Arc::new(EngineHost { sandbox, ..testing::engine_host(&ctx) }));
                Ok(())
            })
        },
        ..machine()
    }
}

#[tokio::test]
async fn without_a_sandbox_sessions_say_so_and_those_of_mails_do_not_start() {
    let begun = begin_on(|| vec![without_sandbox(), crate::feature()]).await;
    let id = begun.start("practice: say done").await;
    let told = wall_entry(&begun, &id).await;
    assert_eq!(told["wall"], "none");
    assert!(told["why"].as_str().unwrap().contains("This system has none."), "{told}");
    begun.until(&id, "idle").await;
    begun.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    begun.until(&id, "stopped").await;
    let key = SessionKey { account: ACCOUNT.into(), session: id.as_str().into() };
    let me = begun.program.ctx.service::<Sessions>().driver(&key).await.unwrap();
    me.lock().await.record.origin = Origin::Email;
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "practice: say x"})).await.unwrap();
    let failed = begun.until(&id, "failed").await;
    assert!(failed["detail"]["detail"].as_str().unwrap().contains("This system has none."), "{failed}");
}

#[tokio::test]
async fn the_engines_own_configuration_is_asked_about_unless_the_setting_is_on() {
    let begun = begin().await;
    let prompt = "practice: write .practice/settings on";
    let id = begun.start(prompt).await;
    let ask = begun.asked(&id).await;
    let asks = begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    assert!(asks["items"][0]["why"].as_str().unwrap().contains("autoApproveConfigFiles is off"), "{asks}");
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": false})).await.unwrap();
    begun.until(&id, "idle").await;
    begun.set(&[("autoApproveConfigFiles", json!(true))]);
    let id = begun.start(prompt).await;
    begun.until(&id, "idle").await;
    let entries = begun.entries_once(&id, |entry| entry["entry"] == "answer").await;
    let answer = entries.iter().find(|entry| entry["entry"] == "answer").unwrap();
    assert_eq!(answer["verdict"], "allowed");
    assert!(answer["why"].as_str().unwrap().contains("autoApproveConfigFiles is on"), "{answer}");
}

//! What a session is started with and what it says of it, where there is a wall and where there is none.

use super::practice::{Begun, begin, begin_on, machine};
use crate::judge::Judge;
use crate::room::Room;
use crate::service::Sessions;
use crate::testing;
use crate::transcript::Of;
use engines::{LaunchPlan, SessionSpec};
use kit::Feature;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use supervisor::policy::Origin;
use testkit::ACCOUNT;

async fn told(begun: &Begun, id: &str) -> Value {
    let entries = begun.entries_once(id, |entry| entry["entry"] == "wall").await;
    entries.into_iter().find(|entry| entry["entry"] == "wall").unwrap()
}

#[tokio::test]
async fn the_transcript_says_what_keeps_the_session_from_sensitive_files() {
    let begun = begin().await;
    let id = begun.start("practice: say done").await;
    assert_eq!(told(&begun, &id).await["wall"], "up");
    begun.set(&[("agentPermissionLevel", json!("full"))]);
    let id = begun.start("practice: say done").await;
    assert_eq!(told(&begun, &id).await["wall"], "open");
}

/// What is kept from a session of this engine that began like this.
async fn denied(begun: &Begun, engine: &str, origin: Origin) -> Vec<String> {
    let id = begun.start("practice: say done").await;
    let sessions = begun.program.ctx.service::<Sessions>();
    let of = Of { account: ACCOUNT.into(), session: id.as_str().into() };
    let me = sessions.driver(&of).await.unwrap();
    let mut kept = me.lock().await.kept.clone();
    (kept.engine, kept.origin) = (engine.to_owned(), origin);
    let denied = Judge::new(&sessions, &of, &kept).denied();
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
        let kept = denied(&begun, engine, Origin::Person).await;
        assert!(kept.contains(&home(".ssh")) && kept.contains(&data), "{engine}: {kept:?}");
        for (other, login) in logins {
            assert_eq!(kept.contains(&home(login)), engine != other, "{engine} and {login}");
        }
        assert!(!kept.contains(&home(own)));
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
async fn planned(wall: Result<(), String>, denied: Vec<PathBuf>) -> LaunchPlan {
    let begun = begin().await;
    let made = Arc::new(Mutex::new(None));
    let keep = made.clone();
    let start = move |plan: &LaunchPlan| {
        *keep.lock().unwrap() = Some(plan.clone());
        testing::start_here(plan)
    };
    let room = Room { wall, start: Arc::new(start), ..testing::room(&begun.program.ctx) };
    let spec = SessionSpec { denied, ..SessionSpec::new("s", "/p", "/data/s") };
    room.start(room.engine("practice").unwrap(), &spec).await.unwrap();
    made.lock().unwrap().take().unwrap()
}

#[tokio::test]
async fn the_room_puts_a_wall_around_what_it_starts_where_anything_is_denied_and_there_is_one() {
    let wall = planned(Ok(()), vec!["/h/.ssh".into()]).await.wall.expect("a wall");
    assert_eq!((wall.denied, wall.open, wall.cwd), (vec!["/h/.ssh".into()], vec!["/data/s".into()], "/p".into()));
    assert!(planned(Ok(()), Vec::new()).await.wall.is_none());
    assert!(planned(Err("none".into()), vec!["/h/.ssh".into()]).await.wall.is_none());
}

fn without_wall() -> Feature {
    Feature {
        start: |ctx| {
            Box::pin(async move {
                (machine().start)(ctx.clone()).await?;
                let wall = Err("This system has none.".to_owned());
                ctx.provide(Arc::new(Room { wall, ..testing::room(&ctx) }));
                Ok(())
            })
        },
        ..machine()
    }
}

#[tokio::test]
async fn without_a_wall_sessions_say_so_and_those_of_mails_do_not_start() {
    let begun = begin_on(|| vec![without_wall(), crate::feature()]).await;
    let id = begun.start("practice: say done").await;
    let told = told(&begun, &id).await;
    assert_eq!(told["wall"], "none");
    assert!(told["why"].as_str().unwrap().contains("This system has none."), "{told}");
    begun.until(&id, "idle").await;
    begun.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    begun.until(&id, "stopped").await;
    let of = Of { account: ACCOUNT.into(), session: id.as_str().into() };
    let me = begun.program.ctx.service::<Sessions>().driver(&of).await.unwrap();
    me.lock().await.kept.origin = Origin::Email;
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

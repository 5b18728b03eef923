//! Agent sessions on a dashboard: what a finished one costs and the velocity of an agent are ordinary widgets.

use super::{owner, program};
use kit::lookup::{AgentSessions, ReadSessions, Session, SessionState, Sessions};
use kit::{Authenticator, Kind, SessionsSeen};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::START_MS;

/// The sessions that a test names, of every account.
struct Given(Arc<Mutex<Vec<Session>>>);

impl ReadSessions for Given {
    fn seen(
        &self,
        _: &kit::Ctx,
        _: &str,
        seen: &SessionsSeen,
    ) -> futures_core::future::BoxFuture<'static, kit::Result<Sessions>> {
        let mut all = self.0.lock().expect("the lock isn't poisoned").clone();
        all.retain(|session| seen.shows(&session.id, None));
        Box::pin(std::future::ready(Ok(Sessions { all, changed_ms: START_MS })))
    }
}

fn session(id: &str, engine: &str, state: SessionState, cost_usd: f64, turns: i64) -> Session {
    Session {
        id: id.into(),
        name: id.into(),
        engine: engine.into(),
        model: "m".into(),
        state,
        cost_usd: Some(cost_usd),
        turns,
        run_ms: 60_000,
        started_ms: Some(START_MS),
        ended_ms: None,
        created_ms: START_MS,
        updated_ms: START_MS,
    }
}

#[tokio::test]
async fn cost_and_velocity_of_agents_are_ordinary_widgets() {
    let program = program().await;
    let sessions = Arc::new(Mutex::new(vec![
        session("s1", "Claude Code", SessionState::Finished, 1.5, 4),
        session("s2", "Claude Code", SessionState::Finished, 0.5, 3),
        session("s3", "Codex", SessionState::Finished, 4.0, 20),
        session("s4", "Claude Code", SessionState::Running, 2.0, 5),
    ]));
    program.ctx.provide(Arc::new(AgentSessions(Box::new(Given(sessions.clone())))));
    let rule = |title: &str, kind: &str, label: &str| json!({"id": "r", "col": {"by": "title", "title": title, "type": kind}, "op": "anyOf", "value": [label]});
    let widget = |id: &str, kind: &str, settings: Value| json!({"id": id, "kind": kind, "title": "", "layout": {"x": 0, "y": 0, "w": 6, "h": 6}, "settings": settings});
    let of = |column: &str| json!({"agent-sessions": [column]});
    let cost =
        json!({"function": "average", "cols": {"value": of("c4")}, "rules": [rule("State", "status", "Finished")]});
    let cols = json!({"sprint": of("c9"), "effort": of("c5"), "done": of("c3")});
    let velocity = json!({"cols": cols, "rules": [rule("Engine", "dropdown", "Claude Code")]});
    // What all of them cost, for each that is done.
    let per = json!({"cols": {"value": of("c4")}, "per": {"rules": [rule("State", "status", "Finished")]}});
    let config = json!({"boardIds": ["agent-sessions"], "widgets": [widget("cost", "numbers", cost), widget("velocity", "velocity", velocity), widget("per", "numbers", per), widget("found", "velocity", json!({}))]});
    let workspace = owner(&program, "workspaces.list", json!({})).await.unwrap()["items"][0]["id"].clone();
    let dashboard = json!({"workspaceId": workspace, "name": "Agents", "config": config});
    let dashboard = owner(&program, "dashboards.create", dashboard).await.unwrap()["id"].clone();
    let shown = async || {
        let shown = owner(&program, "dashboards.show", json!({"dashboardId": dashboard})).await.unwrap();
        let (cost, sprint) = (&shown["widgets"][0]["result"], &shown["widgets"][1]["result"]["sprints"][0]);
        let per = &shown["widgets"][2]["result"];
        let texts =
            [&per["text"], &cost["text"], &sprint["label"], &sprint["completed"]["text"], &sprint["scope"]["text"]];
        texts.map(|text| text.as_str().unwrap_or("?").to_owned()).join(" ")
    };
    assert_eq!(shown().await, "$2.67 $2 2026-03-01 – 2026-03-07 7 12");
    // Nothing has to be chosen: a week is a sprint, and each session counts as one.
    let found =
        owner(&program, "dashboards.show", json!({"dashboardId": dashboard, "widgetId": "found"})).await.unwrap();
    let found = &found["widgets"][0];
    assert_eq!(found["cols"], json!({"sprint": of("c9"), "done": of("c3"), "date": of("c8")}));
    let sprint = &found["result"]["sprints"][0];
    let told = (&sprint["completed"]["text"], &sprint["scope"]["text"], &found["result"]["measure"]);
    assert_eq!(told, (&json!("3"), &json!("4"), &json!("items")), "{found:#}");
    let behind = async |part: Value| {
        let asked = json!({"dashboardId": dashboard, "widgetId": "per", "part": part});
        let items = owner(&program, "dashboards.items", asked).await.unwrap();
        items["items"].as_array().unwrap().len()
    };
    assert_eq!((behind(json!({})).await, behind(json!({"which": "met"})).await), (4, 3));
    // What changes of them is there with the next look.
    *sessions.lock().unwrap() = vec![session("s1", "Claude Code", SessionState::Finished, 3.0, 9)];
    assert_eq!(shown().await, "$3 $3 2026-03-01 – 2026-03-07 9 9");
}

/// What engines were started with.
#[derive(Default)]
pub(super) struct Launched(pub(super) Mutex<Vec<engines::LaunchPlan>>);

#[tokio::test]
async fn a_session_gets_a_token_of_its_own_which_ends_with_its_processes() {
    let program = program().await;
    let launched = program.ctx.service::<Launched>();
    let tokens = program.ctx.service::<accounts::Tokens>();
    let folder = tempfile::TempDir::new().unwrap();
    let hub = owner(&program, "hubs.create", json!({"folder": folder.path()})).await.unwrap()["id"].clone();
    let input = json!({"prompt": "practice: say done", "projectId": hub, "engine": "practice"});
    let session = owner(&program, "sessions.create", input).await.unwrap()["id"].clone();
    let until = async |state: &str| {
        for _ in 0..10_000 {
            let is = owner(&program, "sessions.get", json!({"sessionId": session})).await.unwrap()["state"].clone();
            if is == state {
                return;
            }
        }
        panic!("it never is {state}");
    };
    until("idle").await;
    let plan = launched.0.lock().unwrap()[0].clone();
    let ours: Vec<_> = plan.env.keys().filter(|name| name.starts_with("APP_")).collect();
    assert_eq!(ours, ["APP_BASE_URL", "APP_CLI_TOKEN", "APP_SESSION_ID"]);
    assert_eq!(plan.env["APP_SESSION_ID"], session);
    let token = plan.env["APP_CLI_TOKEN"].as_str();
    // It's told where the program is and how the variables are named, and never their values.
    let text = plan.instructions.as_deref().unwrap_or_default();
    for word in ["## Pilothouse", &plan.env["APP_BASE_URL"], "$APP_CLI_TOKEN", "$APP_SESSION_ID"] {
        assert_eq!(text.matches(word).count(), 1, "{word}");
    }
    assert!(!text.contains(token) && !text.contains(session.as_str().unwrap()));
    assert_eq!(text.matches("## No attribution").count(), 1);
    let caller = tokens.caller(token).expect("the token is known");
    assert_eq!((caller.kind, caller.session.as_deref()), (Kind::Agent, session.as_str()));
    assert_eq!(*caller.account, *tokens.first_account());
    let server = &plan.params["mcpServers"][0];
    assert_eq!((&server["name"], &server["args"]), (&json!("pilothouse"), &json!(["mcp"])));
    assert!(server["env"].to_string().contains(token), "its tools speak for it");
    // It may use what it is for, and no more than a session may.
    program.as_caller(caller.clone(), "boards.list", json!({})).await.unwrap();
    testkit::refused(program.as_caller(caller, "tokens.list", json!({})).await, "forbidden-caller");
    owner(&program, "sessions.stop", json!({"sessionId": session})).await.unwrap();
    until("stopped").await;
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
        if tokens.caller(token).is_none() {
            return;
        }
    }
    panic!("the token outlives the session's processes");
}

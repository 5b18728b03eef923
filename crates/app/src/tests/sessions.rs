//! Agent sessions on a dashboard: what a finished one costs and the velocity of an agent are ordinary widgets.

use super::{owner, program};
use kit::lookup::{AgentSessions, ReadSessions, Session, SessionState, Sessions};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::START_MS;

/// The sessions that a test names, of every account.
struct Given(Arc<Mutex<Vec<Session>>>);

impl ReadSessions for Given {
    fn all(&self, _: &kit::Ctx, _: &str) -> futures_core::future::BoxFuture<'static, kit::Result<Sessions>> {
        let all = self.0.lock().expect("no panic while held").clone();
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

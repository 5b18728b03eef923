//! Agent sessions as a board that is only read.

use super::*;
use kit::SessionsSeen;
use kit::lookup::{AgentSessions, Boards, ReadSessions, Session, SessionState, Sessions};
use std::sync::Mutex;
use testkit::refused;

/// Sessions that a test names; those of the first account alone.
struct Given(Arc<Mutex<Sessions>>);

impl ReadSessions for Given {
    fn seen(&self, _: &kit::Ctx, account: &str, seen: &SessionsSeen) -> BoxFuture<'static, kit::Result<Sessions>> {
        let mut all = if account == ACCOUNT { self.0.lock().unwrap().clone() } else { Sessions::default() };
        all.all.retain(|session| seen.shows(&session.id, None));
        Box::pin(async move { Ok(all) })
    }
}

/// Lets there be these sessions from now on; more can be said of them later.
fn provide(ctx: &Ctx, all: Vec<Session>) -> Arc<Mutex<Sessions>> {
    let given = Arc::new(Mutex::new(Sessions { all, changed_ms: START_MS }));
    ctx.provide(Arc::new(AgentSessions(Box::new(Given(given.clone())))));
    given
}

fn session(id: &str, engine: &str, state: SessionState, cost_usd: f64) -> Session {
    Session {
        id: id.into(),
        name: format!("Session \"{id}\""),
        engine: engine.into(),
        model: String::new(),
        state,
        cost_usd: Some(cost_usd),
        turns: 3,
        run_ms: 90_000,
        started_ms: Some(START_MS),
        ended_ms: None,
        created_ms: START_MS,
        updated_ms: START_MS + 1_000,
    }
}

#[tokio::test]
async fn sessions_are_read_as_a_board_in_both_forms() {
    let p = start().await;
    let none = p.owner("boards.get", json!({"boardId": "agent-sessions"})).await.unwrap();
    assert_eq!((&none["name"], &none["itemCount"]), (&json!("Agent sessions"), &json!(0)));
    let two = vec![
        session("s1", "Claude Code", SessionState::Finished, 1.5),
        session("s2", "Codex", SessionState::Running, 0.25),
    ];
    provide(&p.ctx, two);
    let full = p.owner("boards.full", json!({"boardId": "agent-sessions"})).await.unwrap();
    let titles: Vec<_> = full["columns"].as_array().unwrap().iter().map(|c| c["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Engine", "Model", "State", "Cost", "Turns", "Run time", "Started", "Ended", "Week"]);
    let week = json!({"from": "2026-03-01", "to": "2026-03-07"});
    let cells = json!({"c1": "l1", "c3": "l6", "c4": 1.5, "c5": 3, "c6": 1.5, "c7": "2026-03-01", "c9": week});
    assert_eq!((&full["items"][0]["name"], &full["items"][0]["cells"]), (&json!("Session \"s1\""), &cells));
    assert_ne!(full["items"][0]["createdAt"], full["items"][0]["updatedAt"]);
    // The engine reads the other form.
    let data = p.ctx.service::<lookup::BoardData>();
    let stream = data.0.stream(&p.ctx, ACCOUNT, "agent-sessions", &SessionsSeen::All).await.unwrap().unwrap();
    let mut engine = widgets::Engine::new();
    assert_eq!(engine.load(&stream.parts.concat()).unwrap().items, 2);
    // Another account sees its own.
    let other =
        p.as_caller(Caller::new(Kind::Owner, OTHER_ACCOUNT, "t"), "boards.full", json!({"boardId": "agent-sessions"}));
    assert_eq!(other.await.unwrap()["items"], json!([]));
}

#[tokio::test]
async fn a_deleted_session_is_a_change() {
    let p = start().await;
    let names = |ids: &[&str]| ids.iter().map(|id| session(id, "Codex", SessionState::Waiting, 0.0)).collect();
    let sessions = provide(&p.ctx, names(&["s1", "s2"]));
    let read = async || {
        let data = p.ctx.service::<lookup::BoardData>();
        let stream = data.0.stream(&p.ctx, ACCOUNT, "agent-sessions", &SessionsSeen::All).await.unwrap().unwrap();
        let board = p.owner("boards.get", json!({"boardId": "agent-sessions"})).await.unwrap();
        (stream.tag, stream.changed_ms, board["revision"].as_i64(), board["updatedAt"].clone())
    };
    let before = read().await;
    *sessions.lock().unwrap() = Sessions { all: names(&["s1"]), changed_ms: START_MS + 5_000 };
    let after = read().await;
    assert_ne!(before.0, after.0);
    assert_eq!((before.1, after.1), (START_MS, START_MS + 5_000));
    assert!(before.2 < after.2);
    assert_eq!(after.3, kit::rfc3339(START_MS + 5_000));
}

#[tokio::test]
async fn sessions_of_a_feature_that_starts_earlier_are_there() {
    fn features() -> Vec<Feature> {
        let mut features = super::features();
        features[0].start = |ctx| {
            let one = vec![session("s1", "Codex", SessionState::Running, 1.0)];
            provide(&ctx, one);
            Box::pin(super::provide_directory(ctx))
        };
        features
    }
    let p = Program::start(features).await;
    let board = p.owner("boards.get", json!({"boardId": "agent-sessions"})).await.unwrap();
    assert_eq!(board["itemCount"], 1);
}

#[tokio::test]
async fn nothing_else_can_be_done_with_it() {
    let p = start().await;
    let board = json!("agent-sessions");
    for (op, more) in [
        ("boards.update", json!({"name": "Mine"})),
        ("boards.delete", json!({})),
        ("boards.archive", json!({})),
        ("boards.items.create", json!({"name": "I"})),
        ("boards.items.delete", json!({"itemId": "s1"})),
        ("boards.columns.create", json!({"title": "T", "type": "text"})),
        ("boards.groups.create", json!({"name": "G"})),
        ("boards.views.create", json!({"name": "V", "kind": "table"})),
        ("boards.cells", json!({"items": [{"itemId": "s1", "cells": {"c4": 0}}]})),
    ] {
        let mut input = more;
        input["boardId"] = board.clone();
        let error = refused(p.owner(op, input).await, "only-connected");
        assert!(error.to_string().contains("dashboard"), "{op}: {error}");
    }
    // Nor where a board is named otherwise than by the path.
    let made = json!({"workspaceId": WORKSPACE, "name": "Work", "preset": "blank"});
    let work = p.owner("boards.create", made).await.unwrap()["id"].clone();
    let link = json!({"boardId": work, "title": "L", "type": "itemLink", "settings": {"boardId": board}});
    refused(p.owner("boards.columns.create", link).await, "only-connected");
    p.owner("boards.delete", json!({"boardId": work})).await.unwrap();
    refused(p.owner("query", json!({"boardIds": [board]})).await, "only-connected");
    let listed = p.owner("boards.list", json!({})).await.unwrap();
    assert_eq!(listed["items"], json!([]));
    let missing = p.ctx.service::<Boards>().0.missing(ACCOUNT, vec!["agent-sessions".into(), "b".into()]).await;
    assert_eq!(missing.unwrap(), ["b"]);
}

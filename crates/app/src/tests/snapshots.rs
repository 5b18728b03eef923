//! A sprint walked through day by day: with its snapshots, Burndown and Planned have the values that a person would have written
//! down every evening.

use super::{owner, program};
use kit::lookup::{BoardData, BoardStream, Calendar, ReadBoards};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{Program, START_MS, refused};

/// The labels by the ids that they are given.
const S: &str = "l1";
const NEXT: &str = "l2";
const OPEN: &str = "l1";
const DONE: &str = "l2";
const HOUR_MS: i64 = 3_600_000;

/// A board with a sprint from Monday 2026-03-02 to Friday the 13th, and a dashboard over it. It is Sunday the 1st.
struct Team {
    program: Program,
    board: Value,
    columns: [String; 3],
    dashboard: Value,
}

impl Team {
    async fn start() -> Team {
        let program = program().await;
        let ask = async |op: &str, input: Value| owner(&program, op, input).await.expect(op);
        let workspace = ask("workspaces.list", json!({})).await["items"][0]["id"].clone();
        let board = ask("boards.create", json!({"workspaceId": workspace, "name": "Team"})).await["id"].clone();
        let column = async |title: &str, kind: &str, labels: Value| {
            let settings = if labels.is_null() { json!({}) } else { json!({"labels": labels}) };
            let input = json!({"boardId": board, "title": title, "type": kind, "settings": settings});
            ask("boards.columns.create", input).await["id"].as_str().expect("an id").to_owned()
        };
        let columns = [
            column("Sprint", "dropdown", json!([{"text": "S"}, {"text": "Next"}])).await,
            column("Points", "number", Value::Null).await,
            column("Status", "status", json!([{"text": "Open"}, {"text": "Done", "done": true}])).await,
        ];
        column("Finished", "date", Value::Null).await;
        let id = board.as_str().expect("an id");
        let widget = |kind: &str| {
            let sprints = json!([{"key": "S", "from": "2026-03-02", "to": "2026-03-13"}]);
            let layout = json!({"x": 0, "y": 0, "w": 6, "h": 6});
            json!({"id": kind, "kind": kind, "title": "", "layout": layout, "settings": {"sprints": sprints, "cols": {"done": {id: [columns[2]]}}}})
        };
        let config = json!({"boardIds": [board], "widgets": [widget("burndown"), widget("planned")]});
        let dashboard = json!({"workspaceId": workspace, "name": "Sprint", "config": config});
        let dashboard = ask("dashboards.create", dashboard).await["id"].clone();
        Team { program, board, columns, dashboard }
    }
    async fn ask(&self, op: &str, more: Value) -> Value {
        let mut input = json!({});
        for (name, id) in [("boardId", &self.board), ("dashboardId", &self.dashboard)] {
            if op.starts_with(name.trim_end_matches("Id")) {
                input[name] = id.clone();
            }
        }
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        owner(&self.program, op, input).await.unwrap_or_else(|e| panic!("{op}: {e}"))
    }
    /// Turns the clock to an hour of a day of March; the program runs what is due.
    async fn at(&self, day: i64, hour: i64, looks: bool) {
        let at = START_MS + ((day - 1) * 24 + hour - 12) * HOUR_MS;
        self.program.clock.advance_ms(at - self.program.ctx.now_ms());
        if looks {
            self.program.run_due().await;
        }
    }
    fn cells(&self, sprint: &str, points: i64, status: &str) -> Value {
        let [s, p, d] = &self.columns;
        json!({s: sprint, p: points, d: status})
    }
    async fn add(&self, name: &str, points: i64, status: &str) -> Value {
        let input = json!({"name": name, "cells": self.cells(S, points, status)});
        self.ask("boards.items.create", input).await["id"].clone()
    }
    async fn set(&self, item: &Value, cells: Value) {
        self.ask("boards.items.update", json!({"itemId": item, "cells": cells})).await;
    }
    /// Days as `day:remaining/scope`, planned and unplanned as open+done, and why they are not exact.
    async fn shown(&self) -> (String, String, Vec<Value>) {
        let shown = self.ask("dashboards.show", json!({})).await;
        let text = |value: &Value| value["text"].as_str().unwrap_or("?").to_owned();
        let (burndown, planned) = (&shown["widgets"][0], &shown["widgets"][1]);
        let day = |day: &Value| {
            let name = day["day"].as_str().map_or("", |day| &day[8..]);
            format!("{name}:{}/{}", text(&day["remaining"]), text(&day["scope"]))
        };
        let days: Vec<String> = burndown["result"]["days"].as_array().into_iter().flatten().map(day).collect();
        let sprint = &planned["result"]["sprints"][0];
        let of =
            |name: &str| format!("{}+{}", text(&sprint[format!("{name}Open")]), text(&sprint[format!("{name}Done")]));
        let both = [burndown, planned];
        let reasons = both.iter().flat_map(|widget| widget["reasons"].as_array().unwrap());
        (days.join(" "), format!("{} {}", of("planned"), of("unplanned")), reasons.cloned().collect())
    }
}

#[tokio::test]
async fn a_sprint_that_was_seen_from_its_first_day_is_exact() {
    let team = Team::start().await;
    let off = json!({"on": false, "since": null, "until": null, "days": 0, "sprints": 0, "bytes": 0, "unreadable": 0});
    assert_eq!(team.ask("dashboards.snapshots.get", json!({})).await, off);
    let on = team.ask("dashboards.snapshots.set", json!({"on": true})).await;
    assert_eq!((&on["on"], &on["since"], &on["until"]), (&json!(true), &json!("2026-03-01"), &Value::Null));
    let a = team.add("a", 5, OPEN).await;
    let b = team.add("b", 3, OPEN).await;
    let c = team.add("c", 2, OPEN).await;
    let [sprint, points, status] = &team.columns;
    let exact = Vec::<Value>::new();

    team.at(2, 9, true).await;
    assert_eq!(team.shown().await, (":10/10 02:10/10".into(), "10+0 0+0".into(), exact.clone()));
    team.at(3, 9, true).await;
    let d = team.add("d", 4, OPEN).await;
    assert_eq!(team.shown().await, (":14/14 02:14/14 03:14/14".into(), "14+0 0+0".into(), exact.clone()));
    team.at(4, 9, true).await;
    team.set(&a, json!({status: DONE})).await;
    team.set(&b, json!({points: 8})).await;
    let e = team.add("e", 1, OPEN).await;
    assert_eq!(team.shown().await, (":14/14 02:14/14 03:14/14 04:15/20".into(), "14+5 1+0".into(), exact.clone()));
    team.at(5, 9, true).await;
    team.set(&c, json!({sprint: NEXT})).await;
    team.set(&d, json!({status: DONE})).await;
    team.at(6, 9, true).await;
    team.ask("boards.items.delete", json!({"itemId": e})).await;
    team.add("f", 2, DONE).await;
    let until_friday = ":14/14 02:14/14 03:14/14 04:15/20 05:9/18 06:8/19";
    assert_eq!(team.shown().await, (until_friday.into(), "8+9 0+2".into(), exact.clone()));
    // Twice a day is once.
    let before = team.ask("dashboards.snapshots.history", json!({})).await;
    team.at(6, 18, true).await;
    assert_eq!(team.ask("dashboards.snapshots.history", json!({})).await, before);

    // Over the weekend the program was off: nothing changed.
    team.at(9, 9, true).await;
    let until_monday = format!("{until_friday} 07:8/19 08:8/19 09:8/19");
    assert_eq!(team.shown().await, (until_monday, "8+9 0+2".into(), exact));
    let kept = team.ask("dashboards.snapshots.get", json!({})).await;
    assert_eq!((&kept["days"], &kept["until"]), (&json!(8), &json!("2026-03-08")));

    // On Tuesday and on Wednesday something changed, and nobody looked in between: how Tuesday ended is not known.
    team.at(10, 9, true).await;
    team.set(&b, json!({points: 9})).await;
    team.at(11, 15, false).await;
    team.set(&b, json!({points: 7})).await;
    team.at(12, 9, true).await;
    let (_, planned, reasons) = team.shown().await;
    assert_eq!((planned, reasons), ("7+9 0+2".into(), vec![json!("no-history"), json!("days-missing")]));

    // What is forgotten is forgotten, and the switch stays.
    team.ask("dashboards.snapshots.delete", json!({})).await;
    let kept = team.ask("dashboards.snapshots.get", json!({})).await;
    assert_eq!((&kept["on"], &kept["days"], &kept["bytes"]), (&json!(true), &json!(0), &json!(0)));
    assert_eq!(team.shown().await.2, [json!("no-history"), json!("created-after-start")]);
}

#[tokio::test]
async fn what_is_remembered_stays_when_it_is_switched_off_and_goes_with_the_dashboard() {
    let team = Team::start().await;
    team.add("a", 5, OPEN).await;
    team.at(3, 9, true).await;
    // Off as long as nobody switches it on.
    assert_eq!(team.ask("dashboards.snapshots.history", json!({})).await, json!({"history": null}));
    team.ask("dashboards.snapshots.set", json!({"on": true})).await;
    team.at(4, 9, true).await;
    team.ask("dashboards.snapshots.set", json!({"on": false})).await;
    team.at(6, 9, true).await;
    let kept = team.ask("dashboards.snapshots.get", json!({})).await;
    assert_eq!((&kept["on"], &kept["days"], &kept["sprints"]), (&json!(false), &json!(1), &json!(1)));
    // The sprint began before the first day that was seen.
    let reasons = team.shown().await.2;
    assert_eq!(reasons, [json!("no-history"), json!("days-missing")]);

    let rows = async || {
        let count = |table: &str| format!("SELECT count(*) FROM {table}");
        let (switches, history) = (count("dashboard_snapshots"), count("dashboard_history"));
        let read = move |tx: &mut store::Tx<'_>| {
            let of = |tx: &mut store::Tx<'_>, sql: &str| tx.query_one(sql, &[], |row| row.get::<i64>(0));
            Ok((of(tx, &switches)?, of(tx, &history)?))
        };
        store::HasDb::db(&team.program.ctx).read(read).await.expect("counts")
    };
    assert_eq!(rows().await, (1, 1));
    team.ask("dashboards.delete", json!({})).await;
    // In the trash it can still be brought back with all of it.
    assert_eq!(rows().await, (1, 1));
    team.ask("dashboards.trash.delete", json!({})).await;
    assert_eq!(rows().await, (0, 0));
    let gone = owner(&team.program, "dashboards.snapshots.get", json!({"dashboardId": team.dashboard})).await;
    refused(gone, "not-found");
}

#[tokio::test]
async fn what_cannot_be_read_any_more_is_said_and_deleted() {
    let team = Team::start().await;
    team.add("a", 5, OPEN).await;
    team.ask("dashboards.snapshots.set", json!({"on": true})).await;
    team.at(2, 9, true).await;
    for damaged in ["[{\"by\":", "[{\"later\":1}]"] {
        let damage = move |tx: &mut store::Tx<'_>| {
            tx.execute("UPDATE dashboard_history SET history_json = $1", store::params![damaged])
        };
        assert_eq!(store::HasDb::db(&team.program.ctx).write(damage).await.expect("a write"), 1, "{damaged}");
        let kept = team.ask("dashboards.snapshots.get", json!({})).await;
        let expected = (&json!(true), &json!(0), &json!(1), &json!(damaged.len()));
        assert_eq!((&kept["on"], &kept["days"], &kept["unreadable"], &kept["bytes"]), expected);
        let read = owner(&team.program, "dashboards.snapshots.history", json!({"dashboardId": team.dashboard})).await;
        if serde_json::from_str::<Value>(damaged).is_err() {
            let error = refused(read, "snapshots-unreadable");
            assert!(error.code().doc.contains("snapshots delete"), "{error}");
        }
        team.ask("dashboards.snapshots.delete", json!({})).await;
        let kept = team.ask("dashboards.snapshots.get", json!({})).await;
        assert_eq!((&kept["unreadable"], &kept["bytes"]), (&json!(0), &json!(0)));
        team.program.clock.advance_ms(24 * HOUR_MS);
        team.program.run_due().await;
    }
    let kept = team.ask("dashboards.snapshots.get", json!({})).await;
    assert!(kept["days"].as_i64() > Some(0), "new days are recorded: {kept}");
}

/// Boards that cannot be read for a while; days are known.
struct Unreadable(Arc<BoardData>);

type Answer<T> = futures_core::future::BoxFuture<'static, kit::Result<T>>;

impl ReadBoards for Unreadable {
    fn stream(&self, _: &kit::Ctx, _: &str, _: &str, _: &kit::SessionsSeen) -> Answer<Option<BoardStream>> {
        Box::pin(async { Err(kit::error::INTERNAL.error("The disk is busy.")) })
    }
    fn calendar(&self, ctx: &kit::Ctx, caller: &kit::Caller, zone: Option<&str>) -> Answer<Calendar> {
        self.0.0.calendar(ctx, caller, zone)
    }
}

#[tokio::test]
async fn what_fails_for_a_moment_is_tried_again() {
    let team = Team::start().await;
    team.ask("dashboards.snapshots.set", json!({"on": true})).await;
    team.add("a", 5, OPEN).await;
    let ctx = &team.program.ctx;
    let readable = ctx.service::<BoardData>();
    ctx.provide(Arc::new(BoardData(Box::new(Unreadable(readable.clone())))));
    let until = async || team.ask("dashboards.snapshots.get", json!({})).await["until"].clone();
    team.at(2, 0, true).await;
    assert_eq!(until().await, Value::Null);
    ctx.provide(readable.clone());
    team.program.clock.advance_ms(1_000);
    team.program.run_due().await;
    assert_eq!(until().await, json!("2026-03-01"));
    // After an hour the day is given up.
    ctx.provide(Arc::new(BoardData(Box::new(Unreadable(readable)))));
    team.at(3, 1, true).await;
    assert_eq!(until().await, json!("2026-03-02"));
}

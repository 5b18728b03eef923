//! The values of a dashboard: computed from the stored config by the engine, of the boards that are there.

use super::*;
use crate::show::{Computing, Ready, Viewpoint};
use bytes::Bytes;
use futures_core::future::BoxFuture;
use kit::SessionsSeen;
use kit::lookup::{BoardData, BoardStream, Calendar, ReadBoards};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The boards that the engine's golden answers are of, `alpha` and `beta`; all of them the first account's.
pub(crate) struct Golden;

/// Their streams, from where the engine's tests keep them.
fn golden(name: &str) -> Option<BoardStream> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/widgets/golden");
    let bytes = std::fs::read(path.join(format!("{name}.arrow"))).ok()?;
    Some(BoardStream { tag: name.into(), changed_ms: 0, parts: vec![Bytes::from(bytes)] })
}

impl ReadBoards for Golden {
    fn stream(
        &self,
        _: &Ctx,
        account: &str,
        board_id: &str,
        _: &SessionsSeen,
    ) -> BoxFuture<'static, Result<Option<BoardStream>>> {
        let is_theirs = account == ACCOUNT && ["alpha", "beta"].contains(&board_id);
        let found = if is_theirs { golden(board_id) } else { None };
        Box::pin(std::future::ready(Ok(found)))
    }
    fn calendar(&self, _: &Ctx, _: &Caller, zone: Option<&str>) -> BoxFuture<'static, Result<Calendar>> {
        let utc_offset_minutes = if zone.is_some() { 840 } else { 60 };
        Box::pin(std::future::ready(Ok(Calendar { utc_offset_minutes, week_start: 0 })))
    }
}

pub(crate) async fn with_boards() -> Program {
    let program = start().await;
    program.ctx.provide(Arc::new(Boards(Box::new(Every))));
    program.ctx.provide(Arc::new(BoardData(Box::new(Golden))));
    program
}

pub(crate) fn widget(id: &str, kind: &str, settings: Value) -> Value {
    json!({"id": id, "kind": kind, "title": "", "layout": {"x": 0, "y": 0, "w": 3, "h": 3}, "settings": settings})
}

async fn values(program: &Program, config: Value) -> Value {
    let dashboard = made(program, config).await;
    program.owner("dashboards.show", json!({"dashboardId": dashboard["id"]})).await.unwrap()
}

#[tokio::test]
async fn values_are_the_golden_ones() {
    let program = with_boards().await;
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/widgets/golden");
    let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    let queries: Vec<Value> = serde_json::from_str(&read("queries.json")).unwrap();
    let mut compared = 0;
    for (mut query, answer) in queries.into_iter().zip(read("answers.jsonl").lines()) {
        // What is remembered of the boards is of `snapshots`.
        if query["boards"] != json!(["alpha", "beta"]) || !query["history"].is_null() {
            continue;
        }
        program.clock.advance_ms(query["now"].as_i64().unwrap() - program.ctx.now_ms());
        let stored = query["widgets"].as_array_mut().unwrap().iter_mut().map(|asked| {
            let (id, kind) = (asked["id"].take(), asked["kind"].take());
            widget(id.as_str().unwrap(), kind.as_str().unwrap(), asked.clone())
        });
        let stored: Vec<Value> = stored.collect();
        let dashboard = made(&program, json!({})).await;
        // Written past the checks: earlier versions stored operators that nobody knows.
        let config = json!({"boardIds": query["boards"], "filters": query["filters"], "widgets": stored}).to_string();
        let id = dashboard["id"].as_str().unwrap().to_owned();
        let write = "UPDATE dashboards SET config_json = $1 WHERE dashboard_id = $2";
        program.ctx.db().write(move |tx| tx.execute(write, store::params![config, id])).await.unwrap();
        let member = Caller { member: Some("m1".into()), ..Caller::new(Kind::Member, ACCOUNT, "t") };
        let marks = &query["locale"];
        let input =
            json!({"dashboardId": dashboard["id"], "decimalMark": marks["decimal"], "groupMark": marks["group"]});
        let mut shown = program.as_caller(member, "dashboards.show", input).await.unwrap();
        for shown in shown["widgets"].as_array_mut().unwrap() {
            shown.as_object_mut().unwrap().remove("title");
        }
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert_eq!((&shown["widgets"], &shown["inertRules"]), (&answer["widgets"], &answer["inertRules"]));
        compared += stored.len();
    }
    assert!(compared > 50, "{compared}");
}

#[tokio::test]
async fn boards_that_are_gone_are_counted_and_not_named() {
    let program = with_boards().await;
    let config = json!({"boardIds": ["alpha", "secret-board", "alpha"], "widgets": [widget("n", "numbers", json!({"function": "count"}))]});
    let shown = values(&program, config).await;
    assert_eq!((&shown["boardIds"], &shown["boardsMissing"]), (&json!(["alpha"]), &json!(1)));
    assert_eq!(shown["widgets"][0]["coverage"]["boardsTotal"], 1);
    assert!(!shown.to_string().contains("secret-board"), "{shown}");
    let none = values(&program, json!({"widgets": [widget("n", "numbers", json!({}))]})).await;
    assert_eq!(none["widgets"][0]["state"]["name"], "no-boards");
}

#[tokio::test]
async fn what_cannot_be_read_in_a_config_is_said_and_the_rest_is_computed() {
    let program = with_boards().await;
    // A widget that is none is refused on the way in, so that only what has a layout is stored.
    let stored = json!([{"layout": {"x": 0, "y": 0, "w": 1, "h": 1}}, widget("a", "gantt", json!({})), widget("a", "numbers", json!({"function": "count"}))]);
    let filters = json!({"people": 7, "all": [{"id": "r", "col": "?"}, {"any": 3}]});
    let shown = values(&program, json!({"boardIds": ["alpha"], "widgets": stored, "filters": filters})).await;
    let told: Vec<_> = shown["widgets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| (w["id"].as_str().unwrap(), w["state"]["name"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [("widget-1", "error"), ("a", "error"), ("a-3", "ok")]);
    let inert: Vec<_> =
        shown["inertRules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(inert, ["people", "r", "2"]);
    assert_eq!(shown["widgets"][2]["coverage"]["inertRules"], shown["inertRules"]);
}

#[tokio::test]
async fn one_widget_can_be_asked_for_and_numbers_written_as_elsewhere() {
    let program = with_boards().await;
    let widgets = json!([widget("n", "numbers", json!({"function": "count"})), widget("s", "numbers", json!({}))]);
    let dashboard = made(&program, json!({"boardIds": ["alpha", "beta"], "widgets": widgets})).await;
    let show = async |more: Value| {
        let mut input = json!({"dashboardId": dashboard["id"]});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        program.owner("dashboards.show", input).await
    };
    let one = show(json!({"widgetId": "s", "decimalMark": ",", "groupMark": "."})).await.unwrap();
    assert_eq!(one["widgets"].as_array().unwrap().len(), 1);
    let refusal = refused(show(json!({"widgetId": "x"})).await, "named-not-found");
    assert_eq!(refusal.fields()[0].pointer, "/widgetId");
    refused(show(json!({"decimalMark": "comma"})).await, "invalid-input");
}

#[tokio::test]
async fn values_that_are_held_are_not_computed_again() {
    let program = with_boards().await;
    let widgets = json!([widget("n", "numbers", json!({"function": "count"}))]);
    let dashboard = made(&program, json!({"boardIds": ["alpha"], "widgets": widgets})).await;
    let show = async |tag: Option<&str>, zone: Option<&str>| {
        let call = Call { if_none_match: tag.map(str::to_owned), ..Call::new(Caller::new(Kind::Owner, ACCOUNT, "t")) };
        let reply = program
            .call(call, "dashboards.show", json!({"dashboardId": dashboard["id"], "timeZone": zone}))
            .await
            .unwrap();
        (reply.status, reply.headers.iter().find(|(name, _)| *name == "etag").unwrap().1.clone())
    };
    let (status, tag) = show(None, None).await;
    assert_eq!((status, show(Some(&tag), None).await.0), (200, 304));
    assert_eq!(show(Some(&tag), Some("Pacific/Kiritimati")).await.0, 200, "another day");
    program.clock.advance_ms(86_400_000);
    assert_eq!(show(Some(&tag), None).await.0, 200, "tomorrow");
}

/// Boards that count how often one is read.
struct Counted(Arc<AtomicUsize>);

impl ReadBoards for Counted {
    fn stream(
        &self,
        ctx: &Ctx,
        account: &str,
        board_id: &str,
        seen: &SessionsSeen,
    ) -> BoxFuture<'static, Result<Option<BoardStream>>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Golden.stream(ctx, account, board_id, seen)
    }
    fn calendar(&self, ctx: &Ctx, caller: &Caller, zone: Option<&str>) -> BoxFuture<'static, Result<Calendar>> {
        Golden.calendar(ctx, caller, zone)
    }
}

#[tokio::test]
async fn who_waits_for_a_turn_holds_no_board() {
    let program = with_boards().await;
    let read = Arc::new(AtomicUsize::new(0));
    program.ctx.provide(Arc::new(BoardData(Box::new(Counted(read.clone())))));
    let dashboard =
        made(&program, json!({"boardIds": ["alpha"], "widgets": [widget("n", "numbers", json!({}))]})).await;
    let computing = program.ctx.service::<Computing>();
    let turns = [computing.turn(false).await.unwrap(), computing.turn(false).await.unwrap()];
    let mut shown = Box::pin(program.owner("dashboards.show", json!({"dashboardId": dashboard["id"]})));
    // As often as it goes on by itself: in the end it waits.
    for _ in 0..1_000 {
        tokio::select! {
            biased;
            _ = &mut shown => panic!("it cannot end yet"),
            () = tokio::task::yield_now() => {}
        }
    }
    assert_eq!(read.load(Ordering::Relaxed), 0);
    drop(turns);
    shown.await.unwrap();
    assert_eq!(read.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn agents_leave_people_a_turn_and_say_for_whom_they_waited() {
    let program = with_boards().await;
    let dashboard =
        made(&program, json!({"boardIds": ["alpha"], "widgets": [widget("n", "numbers", json!({}))]})).await;
    // Nothing is waited for, and nothing has time enough.
    program.ctx.provide(Arc::new(Computing::within(Duration::ZERO)));
    let turn = program.ctx.service::<Computing>().turn(true).await.unwrap();
    let id = json!({"dashboardId": dashboard["id"]});
    let agent = Caller {
        scopes: vec!["dashboards:read".into(), "boards:read".into()],
        ..Caller::new(Kind::Agent, ACCOUNT, "a")
    };
    let by_script = Call { source_session: Some("s1".into()), ..Call::new(Caller::new(Kind::Cli, ACCOUNT, "cli")) };
    let had_to_wait = async |call: Call| {
        let error = refused(program.call(call, "dashboards.show", id.clone()).await, "dashboard-too-slow");
        error.to_string().contains("for agents")
    };
    assert!(had_to_wait(Call::new(agent.clone())).await && had_to_wait(by_script).await);
    assert!(!had_to_wait(Call::new(Caller::new(Kind::Owner, ACCOUNT, "t"))).await);
    drop(turn);
    assert!(!had_to_wait(Call::new(agent)).await);
}

#[tokio::test]
async fn what_takes_too_long_is_given_up_and_so_are_the_items_behind_it() {
    let program = with_boards().await;
    let config = json!({"boardIds": ["alpha"], "widgets": [widget("n", "numbers", json!({"function": "count"}))]});
    let dashboard = made(&program, config).await;
    program.ctx.provide(Arc::new(Computing::within(Duration::ZERO)));
    for (op, more) in [("dashboards.show", None), ("dashboards.items", Some("n"))] {
        let mut input = json!({"dashboardId": dashboard["id"]});
        if let Some(widget) = more {
            input["widgetId"] = widget.into();
        }
        refused(program.owner(op, input).await, "dashboard-too-slow");
    }
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_given_up() {
    let program = with_boards().await;
    let config = json!({"boardIds": ["alpha"]});
    let view = Viewpoint::load(&program.ctx, &Call::new(Caller::new(Kind::Owner, ACCOUNT, "t")), None).await.unwrap();
    let ready = Ready::read(&program.ctx, ACCOUNT, None, config.as_object().unwrap(), &view, &[]).await.unwrap();
    let ((begun, has_begun), (go_on, goes_on)) = (tokio::sync::oneshot::channel(), std::sync::mpsc::channel::<()>());
    let (tell, told) = tokio::sync::oneshot::channel();
    let computed = ready.compute(move |_, _, until| {
        begun.send(until.check().is_ok()).unwrap();
        goes_on.recv().unwrap();
        tell.send(until.check().is_err()).unwrap();
        Ok(())
    });
    let mut computed = Box::pin(computed);
    tokio::select! {
        _ = &mut computed => panic!("it cannot end yet"),
        begun = has_begun => assert!(begun.unwrap()),
    }
    drop(computed);
    go_on.send(()).unwrap();
    assert!(told.await.unwrap());
}

#[tokio::test]
async fn a_session_sees_of_boards_only_what_it_may_read_there() {
    let program = with_boards().await;
    let config = json!({"boardIds": ["alpha"], "widgets": [widget("t", "table", json!({}))]});
    let id = made(&program, config.clone()).await["id"].clone();
    let ask = async |scopes: &[&str], op: &str, input: Value| {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        program.as_caller(Caller { scopes, ..Caller::new(Kind::Agent, ACCOUNT, "a") }, op, input).await
    };
    for (op, input) in [
        ("dashboards.show", json!({"dashboardId": id})),
        ("dashboards.items", json!({"dashboardId": id, "widgetId": "t"})),
        ("dashboards.check", json!({"config": config})),
    ] {
        for alone in ["dashboards:read", "boards:read"] {
            let refusal = refused(ask(&[alone], op, input.clone()).await, "scope-missing");
            let missing = if alone == "boards:read" { "dashboards:read" } else { "boards:read" };
            assert!(refusal.to_string().contains(missing), "{refusal}");
        }
        ask(&["boards:read", "dashboards:read"], op, input).await.unwrap();
    }
    let read = ask(&["dashboards:read"], "dashboards.get", json!({"dashboardId": id})).await.unwrap();
    assert_eq!(read["config"]["boardIds"], json!(["alpha"]));
}

#[tokio::test]
async fn a_donut_and_a_battery_over_the_same_items_say_the_same_percentages() {
    let program = with_boards().await;
    let status = |role: &str| json!({role: {"alpha": ["alpha-s"], "beta": ["beta-s"]}});
    let donut = |id: &str, sort: Value| {
        let settings = json!({"variant": "donut", "x": {"by": "column"}, "sort": sort, "cols": status("x")});
        widget(id, "chart", settings)
    };
    let rule =
        |value: &str| json!({"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "contains", "value": value});
    for searched in ["", "1", "2", "3", "4", "5", "6", "7", "8", "9", "Task"] {
        let all = if searched.is_empty() { json!([]) } else { json!([rule(searched)]) };
        let widgets = [
            donut("a", json!("label")),
            donut("b", json!("yDesc")),
            widget("c", "battery", json!({"cols": status("done")})),
        ];
        let config = json!({"boardIds": ["alpha", "beta"], "widgets": widgets, "filters": {"v": 1, "all": all}});
        let made = json!({"workspaceId": "w1", "name": "Shares", "config": config});
        let id = program.owner("dashboards.create", made).await.unwrap()["id"].clone();
        let shown = program.owner("dashboards.show", json!({"dashboardId": id})).await.unwrap();
        let result = |at: usize| shown["widgets"][at]["result"].clone();
        let percents = |labels: &Value, percents: Vec<Value>| -> std::collections::BTreeMap<String, Value> {
            let labels = labels.as_array().unwrap().iter().map(|one| one["label"].to_string());
            labels.zip(percents).collect()
        };
        let of_donut = |at: usize| {
            let result = result(at);
            percents(&result["categories"], result["percents"].as_array().expect("percents").clone())
        };
        let battery = result(2);
        let segments = battery["segments"].as_array().unwrap();
        let of_battery = percents(&battery["segments"], segments.iter().map(|one| one["percent"].clone()).collect());
        assert_eq!(of_donut(0), of_battery, "{searched}");
        assert_eq!(of_donut(1), of_battery, "{searched}, in another order");
        assert_eq!(of_battery.values().filter_map(Value::as_u64).sum::<u64>(), 100, "{searched}");
        let done = segments.iter().find(|one| one["label"] == "Done").map_or(&json!(0), |one| &one["percent"]).clone();
        assert_eq!(battery["donePercent"], done, "{searched}");
    }
}

mod apps;
mod author;
mod proposals;
pub(crate) mod show;
mod trash;

use super::*;
use kit::lookup::{Boards, Lookup, MemberDirectory, Members};
use kit::{Caller, Kind};
use std::sync::Arc;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

/// Things that exist, as `ACCOUNT/id`.
struct Existing(&'static [&'static str]);

impl Lookup for Existing {
    fn missing(
        &self,
        account: &str,
        ids: Vec<String>,
    ) -> futures_core::future::BoxFuture<'static, Result<Vec<String>>> {
        let missing = ids.into_iter().filter(|id| !self.0.contains(&format!("{account}/{id}").as_str())).collect();
        Box::pin(std::future::ready(Ok(missing)))
    }
}

/// Everything that is asked for exists.
pub(crate) struct Every;

impl Lookup for Every {
    fn missing(&self, _: &str, _: Vec<String>) -> futures_core::future::BoxFuture<'static, Result<Vec<String>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

async fn start() -> Program {
    let program = Program::start(|| vec![feature()]).await;
    program.ctx.provide(Arc::new(Workspaces(Box::new(Existing(&["account-1/w1", "account-1/w2", "account-2/w3"])))));
    program.ctx.provide(Arc::new(Boards(Box::new(Existing(&["account-1/b1", "account-1/b2", "account-2/b3"])))));
    program
}

async fn made(program: &Program, config: Value) -> Value {
    program.owner("dashboards.create", json!({"workspaceId": "w1", "name": "Team", "config": config})).await.unwrap()
}

#[tokio::test]
async fn the_config_comes_back_as_it_was_sent() {
    let program = start().await;
    let config = json!({"boardIds": ["b1"], "widgets": [{"id": "n", "kind": "numbers", "layout": {"x": 0, "y": 0, "w": 4, "h": 3}, "later": [1.50, null]}], "filters": {"v": 1}, "ünknown": {"a": "\u{0}"}});
    let dashboard = made(&program, config.clone()).await;
    let read = program.owner("dashboards.get", json!({"dashboardId": dashboard["id"]})).await.unwrap();
    assert_eq!(read["config"], config);
    assert_eq!(read, dashboard);
}

#[tokio::test]
async fn lists_are_of_one_workspace() {
    let program = start().await;
    made(&program, json!({})).await;
    let count = async |workspace: &str| {
        program
            .owner("dashboards.list", json!({"workspaceId": workspace}))
            .await
            .map(|l| l["items"].as_array().unwrap().len())
    };
    assert_eq!(count("w1").await.unwrap(), 1);
    assert_eq!(count("w2").await.unwrap(), 0);
    refused(count("w3").await, "named-not-found");
}

#[tokio::test]
async fn lists_are_paged_and_leave_the_configs_out_where_nobody_wants_them() {
    let program = start().await;
    let mut made_ids = Vec::new();
    for _ in 0..3 {
        made_ids.push(made(&program, json!({"boardIds": ["b1"]})).await["id"].clone());
    }
    let list = async |input| program.owner("dashboards.list", input).await;
    let first = list(json!({"workspaceId": "w1", "limit": 2})).await.unwrap();
    let rest = list(json!({"workspaceId": "w1", "limit": 2, "cursor": first["nextCursor"]})).await.unwrap();
    assert_eq!(rest["nextCursor"], Value::Null);
    let items: Vec<_> = [&first, &rest].into_iter().flat_map(|page| page["items"].as_array().unwrap()).collect();
    assert_eq!(items.iter().map(|item| item["id"].clone()).collect::<Vec<_>>(), made_ids);
    let whole = program.owner("dashboards.get", json!({"dashboardId": made_ids[0]})).await.unwrap();
    assert_eq!(items[0], &whole);
    let brief = list(json!({"brief": true})).await.unwrap();
    let mut without = whole;
    without.as_object_mut().unwrap().remove("config");
    assert_eq!((&brief["items"][0], brief["items"].as_array().unwrap().len()), (&without, 3));
    refused(list(json!({"limit": 0})).await, "invalid-input");
    refused(list(json!({"limit": 1_001})).await, "invalid-input");
}

#[tokio::test]
async fn a_page_of_a_list_ends_before_its_configs_are_too_much() {
    let program = start().await;
    let mut made_ids = Vec::new();
    for _ in 0..10 {
        made_ids.push(made(&program, json!({"text": "t".repeat(90_000)})).await["id"].clone());
    }
    let (mut ids, mut sizes, mut cursor) = (Vec::new(), Vec::new(), Value::Null);
    loop {
        let page = program.owner("dashboards.list", json!({"limit": 9, "cursor": cursor})).await.unwrap();
        let items = page["items"].as_array().unwrap();
        ids.extend(items.iter().map(|item| item["id"].clone()));
        sizes.push(items.len());
        assert!(page.to_string().len() < PAGE_BYTES + 64 * 1024);
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!((ids, sizes), (made_ids, vec![5, 5]));
    let brief = program.owner("dashboards.list", json!({"limit": 9, "brief": true})).await.unwrap();
    assert_eq!(brief["items"].as_array().unwrap().len(), 9);
    assert!(brief["nextCursor"].is_string());
}

#[tokio::test]
async fn an_autosave_records_the_places_that_differ() {
    let program = start().await;
    let tile = |x: i64| json!({"id": "n", "layout": {"x": x, "y": 0, "w": 4, "h": 3}, "text": "t".repeat(100_000)});
    let dashboard = made(&program, json!({"widgets": [tile(0)]})).await;
    let update = async |config| {
        let input = json!({"dashboardId": dashboard["id"], "config": config});
        program.owner("dashboards.update", input).await.unwrap();
        program.ctx.db().read(|tx| tx.changes(ACCOUNT, "dashboard", "", None, 1)).await.unwrap().remove(0)
    };
    let moved = update(json!({"widgets": [tile(2)]})).await;
    assert_eq!(moved.field, "config");
    assert_eq!(moved.before, Some(json!({"/widgets/n/layout/x": 0})));
    assert_eq!(moved.after, Some(json!({"/widgets/n/layout/x": 2})));
    let emptied = update(json!({"widgets": []})).await;
    assert_eq!(emptied.before.unwrap()["omitted"], true);
    assert_eq!(emptied.after.unwrap()["places"], json!(["/widgets/n"]));
}

#[tokio::test]
async fn a_board_of_another_account_is_not_found_and_nothing_changes() {
    let program = start().await;
    for foreign in ["b3", "no-such-board"] {
        let create = json!({"workspaceId": "w1", "name": "X", "config": {"boardIds": ["b1", foreign]}});
        let refusal = refused(program.owner("dashboards.create", create).await, "board-not-found");
        assert!(!refusal.problem().to_string().contains(foreign), "the answer is the same for both");
    }
    assert_eq!(program.owner("dashboards.list", json!({})).await.unwrap()["items"], json!([]));
    let dashboard = made(&program, json!({"boardIds": ["b1"]})).await;
    let update = json!({"dashboardId": dashboard["id"], "config": {"boardIds": ["b1", "b3"]}});
    refused(program.owner("dashboards.update", update).await, "board-not-found");
    assert_eq!(program.owner("dashboards.get", json!({"dashboardId": dashboard["id"]})).await.unwrap(), dashboard);
}

/// Configs that each name a board at one place beside `boardIds`.
fn naming(board: &str) -> Vec<(&'static str, Value)> {
    let rule = || json!({"id": "r", "col": {"by": "ids", "ids": {board: ["c1"]}}, "op": "isEmpty"});
    let widget = |settings: Value| {
        let layout = json!({"x": 0, "y": 0, "w": 4, "h": 3});
        json!({"boardIds": ["b1"], "later": {board: 1}, "widgets": [{"id": "w", "kind": "velocity", "layout": layout, "settings": settings}]})
    };
    vec![
        ("widgets/0/settings/cols/sprint", widget(json!({"cols": {"sprint": {"b1": ["c1"], board: ["c1"]}}}))),
        ("widgets/0/settings/boards/1", widget(json!({"boards": ["b1", board]}))),
        ("widgets/0/settings/done", widget(json!({"done": {board: ["l1"]}}))),
        ("widgets/0/settings/cancelled", widget(json!({"cancelled": {board: ["l1"]}}))),
        ("widgets/0/settings/unplanned", widget(json!({"unplanned": {board: ["l1"]}}))),
        ("widgets/0/settings/rules/0", widget(json!({"rules": [rule()]}))),
        ("widgets/0/settings/ratio/rules/0", widget(json!({"ratio": {"rules": [rule()]}}))),
        ("widgets/0/settings/per/rules/0/any/0", widget(json!({"per": {"rules": [{"any": [rule()]}]}}))),
        ("filters/all/0", json!({"boardIds": ["b1"], "filters": {"v": 1, "all": [rule()]}})),
        (
            "filters/all/0/any/1",
            json!({"boardIds": ["b1"], "filters": {"v": 1, "all": [{"any": [{"id": "s", "col": {"by": "builtin", "name": "name"}, "op": "isEmpty"}, rule()]}]}}),
        ),
    ]
}

#[tokio::test]
async fn a_board_of_another_account_is_named_nowhere_in_a_config() {
    let program = start().await;
    let dashboard = made(&program, json!({"boardIds": ["b1"]})).await;
    let id = &dashboard["id"];
    for foreign in ["b3", "no-such-board"] {
        for (place, config) in naming(foreign) {
            let create = json!({"workspaceId": "w1", "name": "X", "config": config});
            let update = json!({"dashboardId": id, "config": config});
            for (op, input) in [("dashboards.create", create), ("dashboards.update", update)] {
                let refusal = refused(program.owner(op, input).await, "board-not-found");
                assert_eq!(refusal.code().status, 404, "{place}");
                assert!(
                    !refusal.problem().to_string().contains(foreign),
                    "{op} {place}: the answer is the same for both"
                );
            }
        }
        let settings = json!({"cols": {"sprint": {foreign: ["c1"]}}});
        let add = json!({"dashboardId": id, "kind": "velocity", "settings": settings});
        refused(program.owner("dashboards.widgets.add", add).await, "board-not-found");
    }
    assert_eq!(program.owner("dashboards.list", json!({})).await.unwrap()["items"].as_array().unwrap().len(), 1);
    assert_eq!(program.owner("dashboards.get", json!({"dashboardId": id})).await.unwrap(), dashboard);

    // Boards of the account are accepted everywhere, connected or not; what the client keeps for itself stays.
    for (place, config) in naming("b2") {
        let update = json!({"dashboardId": id, "config": config});
        let stored = program.owner("dashboards.update", update).await.unwrap();
        assert_eq!(stored["config"], config, "{place}");
    }
    let add = json!({"dashboardId": id, "kind": "velocity", "settings": {"cols": {"sprint": {"b2": ["c1"]}}}});
    let added = program.owner("dashboards.widgets.add", add).await.unwrap()["widget"]["id"].clone();
    let change = |board: &str| json!({"dashboardId": id, "widgetId": added, "settings": {"boards": [board]}});
    refused(program.owner("dashboards.widgets.update", change("b3")).await, "board-not-found");
    program.owner("dashboards.widgets.update", change("b1")).await.unwrap();
}

#[tokio::test]
async fn a_board_that_was_deleted_since_does_not_keep_a_config_from_being_stored() {
    let program = start().await;
    for (place, config) in naming("b2") {
        let dashboard = made(&program, config.clone()).await;
        let was = program.ctx.service::<Boards>();
        program.ctx.provide(Arc::new(Boards(Box::new(Existing(&["account-1/b1"])))));
        let mut later = config.clone();
        later["boardIds"] = json!([]);
        for config in [&later, &config] {
            let update = json!({"dashboardId": dashboard["id"], "config": config});
            let stored = program.owner("dashboards.update", update).await.unwrap();
            assert_eq!(stored["config"], *config, "{place}");
        }
        let create = json!({"workspaceId": "w1", "name": "Copy", "config": config});
        refused(program.owner("dashboards.create", create).await, "board-not-found");
        program.ctx.provide(was);
    }
}

#[tokio::test]
async fn a_member_of_another_account_is_in_no_filter() {
    let program = start_with_members().await;
    let of = |ids: Value| json!({"filters": {"v": 1, "people": {"ids": ids}, "all": []}});
    let dashboard = made(&program, of(json!(["me", "none", "ada"]))).await;
    let update = |ids: Value| json!({"dashboardId": dashboard["id"], "config": of(ids)});
    for foreign in ["dan", "nobody"] {
        let refusal =
            refused(program.owner("dashboards.update", update(json!(["ada", foreign]))).await, "named-not-found");
        assert_eq!(refusal.fields()[0].pointer, "/config/filters/people/ids/1");
        assert!(!refusal.problem().to_string().contains(foreign), "the answer is the same for both");
    }
    assert_eq!(program.owner("dashboards.get", json!({"dashboardId": dashboard["id"]})).await.unwrap(), dashboard);
    // Who has left since stays in the filters that name them.
    program.ctx.provide(Arc::new(Members(Box::new(Empty))));
    program.owner("dashboards.update", update(json!(["ada", "me"]))).await.unwrap();
}

#[tokio::test]
async fn a_hundred_boards_are_connected_at_most() {
    let program = start().await;
    let ids: Vec<String> = (0..config::BOARD_IDS_MAX).map(|n| format!("board-{n}")).collect();
    program.ctx.provide(Arc::new(Boards(Box::new(Every))));
    let dashboard = made(&program, json!({"boardIds": ids})).await;
    assert_eq!(dashboard["config"]["boardIds"], json!(ids));
    let one_more = [ids, vec!["more".to_owned()]].concat();
    let more = json!({"dashboardId": dashboard["id"], "config": {"boardIds": one_more}});
    let refusal = refused(program.owner("dashboards.update", more).await, "invalid-input");
    assert_eq!(
        (refusal.fields()[0].pointer.as_str(), refusal.fields()[0].code.name()),
        ("/config/boardIds", "too-many")
    );
    // Whoever sends one can read of it first.
    for op in crate::feature().ops.iter().filter(|op| ["dashboards.create", "dashboards.update"].contains(&op.name)) {
        let config = op.input_schema()["properties"]["config"]["description"].as_str().unwrap_or_default().to_owned();
        assert!(config.to_lowercase().contains(&format!("at most {}", config::BOARD_IDS_MAX)), "{}: {config}", op.name);
    }
}

#[tokio::test]
async fn boards_stay_in_the_order_that_was_sent_each_once() {
    let program = start().await;
    let dashboard = made(&program, json!({"boardIds": ["b2", "b1", "b2"]})).await;
    assert_eq!(dashboard["config"]["boardIds"], json!(["b2", "b1"]));
    let update = json!({"dashboardId": dashboard["id"], "config": {"boardIds": ["b1", "b2", "b1", "b1"]}});
    assert_eq!(program.owner("dashboards.update", update).await.unwrap()["config"]["boardIds"], json!(["b1", "b2"]));
}

#[tokio::test]
async fn a_board_that_was_deleted_does_not_block_saving() {
    let program = start().await;
    let dashboard = made(&program, json!({"boardIds": ["b1", "b2"]})).await;
    program.ctx.provide(Arc::new(Boards(Box::new(Existing(&["account-1/b2"])))));
    let update = json!({"dashboardId": dashboard["id"], "config": {"boardIds": ["b1", "b2"], "note": 1}});
    assert_eq!(program.owner("dashboards.update", update).await.unwrap()["config"]["note"], 1);
}

#[tokio::test]
async fn another_account_sees_nothing() {
    let program = start().await;
    let dashboard = made(&program, json!({})).await;
    for op in ["dashboards.get", "dashboards.update", "dashboards.delete"] {
        let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
        let theirs =
            refused(program.as_caller(other(), op, json!({"dashboardId": dashboard["id"]})).await, "not-found")
                .problem();
        let nobodys =
            refused(program.as_caller(other(), op, json!({"dashboardId": "nothing"})).await, "not-found").problem();
        assert_eq!(theirs, nobodys);
    }
    let foreign = json!({"workspaceId": "w3", "name": "X"});
    let refusal = refused(program.owner("dashboards.create", foreign).await, "named-not-found");
    assert_eq!(refusal.fields()[0].pointer, "/workspaceId");
}

#[tokio::test]
async fn a_stale_writer_is_told_and_loses_nothing() {
    let program = start().await;
    let dashboard = made(&program, json!({"v": 0})).await;
    let update = |revision: &str, v: i64| {
        let call =
            Call { if_match: Some(format!("\"{revision}\"")), ..Call::new(Caller::new(Kind::Owner, ACCOUNT, "t")) };
        program.call(call, "dashboards.update", json!({"dashboardId": dashboard["id"], "config": {"v": v}}))
    };
    update("1", 1).await.unwrap();
    let refusal = refused(update("1", 2).await, "stale-revision");
    assert_eq!(refusal.problem()["revision"], 2);
    assert_eq!(
        program.owner("dashboards.get", json!({"dashboardId": dashboard["id"]})).await.unwrap()["config"]["v"],
        1
    );
}

#[tokio::test]
async fn the_three_rules_name_each_wrong_place() {
    let program = start().await;
    let layout = json!({"x": 0, "y": 0, "w": 1, "h": 1});
    for (config, pointers) in [
        (json!({"boardIds": "b1"}), vec!["/config/boardIds"]),
        (json!({"boardIds": ["b1", 7]}), vec!["/config/boardIds/1"]),
        (json!({"widgets": {}}), vec!["/config/widgets"]),
        (
            json!({"widgets": [{"layout": layout}, {"layout": {"x": 0, "y": 0.5, "w": "1", "h": 1}}]}),
            vec!["/config/widgets/1/layout/y", "/config/widgets/1/layout/w"],
        ),
    ] {
        let refusal = refused(
            program.owner("dashboards.create", json!({"workspaceId": "w1", "name": "X", "config": config})).await,
            "invalid-input",
        );
        let found: Vec<_> = refusal.fields().iter().map(|f| f.pointer.as_str()).collect();
        assert_eq!(found, pointers);
    }
    let many = json!({"workspaceId": "w1", "name": "X", "config": {"widgets": vec![json!({}); 1_000]}});
    let refusal = refused(program.owner("dashboards.create", many).await, "invalid-input");
    assert_eq!(refusal.fields().len(), config::WRONG_MAX);
    let huge = json!({"workspaceId": "w1", "name": "X", "config": {"text": "x".repeat(LARGE_BYTES)}});
    refused(program.owner("dashboards.create", huge).await, "config-too-large");
    // A config of the largest size is taken however its characters are written.
    let config = json!({"text": "é".repeat((LARGE_BYTES - r#"{"text":""}"#.len()) / 2)});
    let largest = json!({"workspaceId": "w1", "name": "X", "config": config}).to_string();
    let escaped = largest.replace('é', "\\u00e9");
    let fits = |op: &Op| escaped.len() <= op.body_bytes_max;
    let with_config = |op: &&Op| ["dashboards.create", "dashboards.update"].contains(&op.name);
    assert_eq!(ops().iter().filter(with_config).map(fits).collect::<Vec<_>>(), [true, true]);
    program.owner("dashboards.create", kit::json::parse(escaped.as_bytes()).unwrap()).await.unwrap();
}

#[tokio::test]
async fn the_audit_names_a_deleted_dashboard_and_keeps_no_copy_of_it() {
    let program = start().await;
    let layout = json!({"x": 0, "y": 0, "w": 4, "h": 4});
    let widget = json!({"id": "n", "kind": "numbers", "title": "", "layout": layout, "settings": {}});
    let dashboard = made(&program, json!({"boardIds": ["b1"], "widgets": [widget]})).await;
    program.owner("dashboards.delete", json!({"dashboardId": dashboard["id"]})).await.unwrap();
    refused(program.owner("dashboards.get", json!({"dashboardId": dashboard["id"]})).await, "not-found");
    let changes = program.ctx.db().read(|tx| tx.changes(ACCOUNT, "dashboard", "", None, 10)).await.unwrap();
    assert_eq!(changes[0].subject_id, dashboard["id"]);
    assert_eq!(changes[0].before, Some(json!({"name": dashboard["name"], "widgets": 1})));
}

#[tokio::test]
async fn names_take_no_control_character_and_cursors_are_identifiers() {
    let program = start().await;
    let named = json!({"workspaceId": "w1", "name": "a\u{1b}b"});
    let refusal = refused(program.owner("dashboards.create", named).await, "invalid-input");
    assert_eq!((&*refusal.fields()[0].pointer, refusal.fields()[0].code.name()), ("/name", "control-character"));
    for odd in ["\0", "", "~"] {
        let refusal = refused(program.owner("dashboards.list", json!({"cursor": odd})).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, "/cursor", "{odd:?}");
    }
}

#[tokio::test]
async fn where_a_widget_stands_is_four_whole_numbers_and_kept_as_sent() {
    let program = start().await;
    let at = |x: f64, y: f64, w: f64, h: f64| json!({"widgets": [{"layout": {"x": x, "y": y, "w": w, "h": h}}]});
    for wrong in [at(1e300, 0.0, 4.0, 3.0), at(0.5, 0.0, 4.0, 3.0)] {
        let create = json!({"workspaceId": "w1", "name": "X", "config": wrong});
        let refusal = refused(program.owner("dashboards.create", create).await, "invalid-input");
        let field = &refusal.fields()[0];
        assert_eq!((&*field.pointer, field.code.name()), ("/config/widgets/0/layout/x", "wrong-type"));
    }
    let outside = json!({"boardIds": ["b1"], "widgets": [{"layout": {"x": -1, "y": 100_000, "w": 24, "h": 41}}]});
    assert_eq!(made(&program, outside.clone()).await["config"], outside);
    // A whole number may be written with a point, and comes back as it was written.
    let dashboard = made(&program, at(0.0, 0.0, 12.0, 1.0)).await;
    assert_eq!(dashboard["config"].to_string(), at(0.0, 0.0, 12.0, 1.0).to_string());
}

#[tokio::test]
async fn a_dashboard_has_a_tag_that_its_changes_name() {
    let program = start().await;
    let dashboard = made(&program, json!({"v": 0})).await;
    let call = || Call::new(Caller::new(Kind::Owner, ACCOUNT, "t"));
    let get = |call| program.call(call, "dashboards.get", json!({"dashboardId": dashboard["id"]}));
    let tag_of = |reply: &kit::Reply| reply.headers.iter().find(|(name, _)| *name == "etag").unwrap().1.clone();
    let tag = tag_of(&get(call()).await.unwrap());
    let held = get(Call { if_none_match: Some(tag.clone()), ..call() }).await.unwrap();
    assert_eq!(held.status, 304);
    let update = |v: i64| {
        let call = Call { if_match: Some(tag.clone()), ..call() };
        program.call(call, "dashboards.update", json!({"dashboardId": dashboard["id"], "config": {"v": v}}))
    };
    update(1).await.unwrap();
    refused(update(2).await, "stale-revision");
    let fresh = get(Call { if_none_match: Some(tag.clone()), ..call() }).await.unwrap();
    assert_eq!(fresh.status, 200);
    assert_ne!(tag_of(&fresh), tag);
}

/// Members of the account.
pub(crate) struct Directory;

impl Lookup for Directory {
    fn missing(
        &self,
        account: &str,
        ids: Vec<String>,
    ) -> futures_core::future::BoxFuture<'static, Result<Vec<String>>> {
        Existing(&["account-1/ada", "account-1/ben", "account-1/cy", "account-2/dan"]).missing(account, ids)
    }
}

impl MemberDirectory for Directory {
    fn all(&self, _: &str) -> futures_core::future::BoxFuture<'static, Result<Vec<(String, String, String)>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    fn zones(&self, _: &str) -> futures_core::future::BoxFuture<'static, Result<Vec<(String, String)>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// A directory without members.
struct Empty;

impl Lookup for Empty {
    fn missing(&self, _: &str, ids: Vec<String>) -> futures_core::future::BoxFuture<'static, Result<Vec<String>>> {
        Box::pin(std::future::ready(Ok(ids)))
    }
}

impl MemberDirectory for Empty {
    fn all(&self, _: &str) -> futures_core::future::BoxFuture<'static, Result<Vec<(String, String, String)>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    fn zones(&self, _: &str) -> futures_core::future::BoxFuture<'static, Result<Vec<(String, String)>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

async fn start_with_members() -> Program {
    let program = start().await;
    program.ctx.provide(Arc::new(Members(Box::new(Directory))));
    program
}

fn of_member(account: &str, member: Option<&str>) -> Caller {
    Caller { member: member.map(Into::into), ..Caller::new(Kind::Member, account, "token") }
}

#[tokio::test]
async fn once_somebody_is_invited_other_members_find_no_dashboard_and_viewers_only_read() {
    let program = start_with_members().await;
    let dashboard = made(&program, json!({})).await;
    let other = made(&program, json!({})).await;
    let id = &dashboard["id"];
    let ask = |member: &'static str, op: &'static str, more: Value| {
        let mut input = json!({"dashboardId": id});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        program.as_caller(of_member(ACCOUNT, (!member.is_empty()).then_some(member)), op, input)
    };
    let listed = async |member: &'static str| {
        let list = program.as_caller(of_member(ACCOUNT, Some(member)), "dashboards.list", json!({})).await.unwrap();
        list["items"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
    };
    ask("cy", "dashboards.update", json!({"name": "Open"})).await.unwrap();
    assert_eq!(listed("cy").await, [id.clone(), other["id"].clone()]);
    for (member, role) in [("ada", "viewer"), ("ben", "editor")] {
        let invite = json!({"dashboardId": id, "memberId": member, "role": role});
        program.owner("dashboards.members.put", invite).await.unwrap();
    }
    for member in ["cy", ""] {
        refused(ask(member, "dashboards.get", json!({})).await, "not-found");
        refused(ask(member, "dashboards.members.list", json!({})).await, "not-found");
        refused(ask(member, "dashboards.update", json!({"name": "Mine"})).await, "not-found");
        refused(ask(member, "dashboards.delete", json!({})).await, "not-found");
    }
    assert_eq!(listed("cy").await, [other["id"].clone()]);
    ask("ada", "dashboards.get", json!({})).await.unwrap();
    assert_eq!(listed("ada").await.len(), 2);
    refused(ask("ada", "dashboards.update", json!({"name": "Mine"})).await, "viewers-only-read");
    refused(ask("ada", "dashboards.delete", json!({})).await, "viewers-only-read");
    ask("ben", "dashboards.update", json!({"name": "Ours"})).await.unwrap();
    let list = ask("ada", "dashboards.members.list", json!({})).await.unwrap();
    let roles: Vec<_> = list["items"].as_array().unwrap().iter().map(|one| (&one["memberId"], &one["role"])).collect();
    assert_eq!(roles, [(&json!("ada"), &json!("viewer")), (&json!("ben"), &json!("editor"))]);
    let page = ask("ada", "dashboards.members.list", json!({"limit": 1})).await.unwrap();
    assert_eq!((page["items"].as_array().unwrap().len(), &page["nextCursor"]), (1, &json!("ada")));
    for member in ["ada", "ben"] {
        let taken = json!({"dashboardId": id, "memberId": member});
        program.owner("dashboards.members.remove", taken).await.unwrap();
    }
    ask("cy", "dashboards.update", json!({"name": "Open again"})).await.unwrap();
}

#[tokio::test]
async fn invitations_are_of_the_accounts_own_members_and_made_by_its_owner() {
    let program = start_with_members().await;
    let dashboard = made(&program, json!({})).await;
    let invite = |member: &str, role: &str| json!({"dashboardId": dashboard["id"], "memberId": member, "role": role});
    refused(program.owner("dashboards.members.put", invite("dan", "viewer")).await, "not-found");
    refused(program.owner("dashboards.members.put", invite("ada", "owner")).await, "invalid-input");
    refused(program.owner("dashboards.members.remove", invite_of(&dashboard, "ada")).await, "not-found");
    let member = of_member(ACCOUNT, Some("ada"));
    refused(program.as_caller(member, "dashboards.members.put", invite("ada", "editor")).await, "forbidden-caller");
    // Nor by a session, with the command line's token either: who sees a dashboard is a person's decision.
    let agent = Caller { scopes: vec!["dashboards:write".into()], ..Caller::new(Kind::Agent, ACCOUNT, "agent") };
    let session = || Call { source_session: Some("s1".into()), ..Call::new(Caller::new(Kind::Cli, ACCOUNT, "cli")) };
    for (op, input) in [
        ("dashboards.members.put", invite("ada", "editor")),
        ("dashboards.members.remove", invite_of(&dashboard, "ada")),
    ] {
        refused(program.as_caller(agent.clone(), op, input.clone()).await, "forbidden-caller");
        refused(program.call(session(), op, input).await, "forbidden-caller");
    }
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "owner");
    refused(program.as_caller(other, "dashboards.members.put", invite("dan", "editor")).await, "not-found");
    let first = program.owner("dashboards.members.put", invite("ada", "viewer")).await.unwrap();
    let changed = program.owner("dashboards.members.put", invite("ada", "editor")).await.unwrap();
    assert_eq!((&changed["role"], &changed["invitedAt"]), (&json!("editor"), &first["invitedAt"]));
}

#[tokio::test]
async fn nothing_tells_members_who_are_not_invited_of_a_dashboard_and_no_viewer_changes_it() {
    let program = show::with_boards().await;
    program.ctx.provide(Arc::new(Members(Box::new(Directory))));
    let widget = show::widget("w", "numbers", json!({"function": "count"}));
    let dashboard = made(&program, json!({"boardIds": ["alpha"], "widgets": [widget]})).await;
    let id = &dashboard["id"];
    let invite = json!({"dashboardId": id, "memberId": "ada", "role": "viewer"});
    program.owner("dashboards.members.put", invite).await.unwrap();
    let ask = |member: &str, op: &'static str, more: &Value| {
        let mut input = json!({"dashboardId": id});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        program.as_caller(of_member(ACCOUNT, Some(member)), op, input)
    };
    let of_widget = json!({"widgetId": "w"});
    let reads = [
        ("dashboards.get", json!({})),
        ("dashboards.show", json!({})),
        ("dashboards.items", of_widget.clone()),
        ("dashboards.check", json!({"config": {}})),
        ("dashboards.members.list", json!({})),
        ("dashboards.open", json!({"windowId": "one"})),
        ("dashboards.close", json!({"windowId": "one"})),
        ("dashboards.proposals.list", json!({})),
    ];
    for (op, more) in &reads {
        refused(ask("cy", op, more).await, "not-found");
        ask("ada", op, more).await.unwrap_or_else(|error| panic!("{op}: {error}"));
    }
    let writes = [
        ("dashboards.update", json!({"name": "Mine"})),
        ("dashboards.widgets.add", json!({"kind": "numbers"})),
        ("dashboards.widgets.update", json!({"widgetId": "w", "title": "Mine"})),
        ("dashboards.widgets.remove", of_widget),
        ("dashboards.delete", json!({})),
    ];
    for (op, more) in &writes {
        refused(ask("cy", op, more).await, "not-found");
        refused(ask("ada", op, more).await, "viewers-only-read");
    }
    // Nor once it is deleted; and restored it is for the same few as before.
    program.owner("dashboards.delete", json!({"dashboardId": id})).await.unwrap();
    let trash = async |member| {
        let list = program.as_caller(of_member(ACCOUNT, Some(member)), "dashboards.trash.list", json!({})).await;
        list.unwrap()["items"].as_array().unwrap().len()
    };
    assert_eq!((trash("cy").await, trash("ada").await), (0, 1));
    for op in ["dashboards.restore", "dashboards.trash.delete"] {
        refused(ask("cy", op, &json!({})).await, "not-found");
        refused(ask("ada", op, &json!({})).await, "viewers-only-read");
    }
    program.owner("dashboards.restore", json!({"dashboardId": id})).await.unwrap();
    refused(ask("cy", "dashboards.get", &json!({})).await, "not-found");
}

/// The members, and at last the owner, who hear what is told after an event.
fn hearers(program: &Program, after: u64) -> Vec<Vec<&'static str>> {
    let told = program.ctx.events().listen(Some(after)).0.unwrap();
    let hearers = told.iter().map(|one| {
        let mut names: Vec<_> =
            ["ada", "ben", "cy"].into_iter().filter(|name| one.is_for(&of_member(ACCOUNT, Some(name)))).collect();
        names.extend(one.is_for(&Caller::new(Kind::Owner, ACCOUNT, "t")).then_some("owner"));
        assert!(!one.is_for(&Caller::new(Kind::Owner, OTHER_ACCOUNT, "t")));
        names
    });
    hearers.collect()
}

#[tokio::test]
async fn events_of_a_dashboard_are_for_those_who_may_read_it() {
    let program = start_with_members().await;
    let dashboard = made(&program, json!({})).await;
    let id = &dashboard["id"];
    let newest = || program.ctx.events().newest();
    let owner = async |op: &str, more: Value| {
        let mut input = json!({"dashboardId": id});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let before = newest();
        program.owner(op, input).await.unwrap();
        hearers(&program, before)
    };
    let all = vec![vec!["ada", "ben", "cy", "owner"]];
    assert_eq!(owner("dashboards.update", json!({"name": "Open"})).await, all);
    let invite = |member: &str| json!({"memberId": member, "role": "editor"});
    // Those for whom it is gone now are told so: they knew of it.
    assert_eq!(owner("dashboards.members.put", invite("ada")).await, all);
    assert_eq!(owner("dashboards.update", json!({"name": "For Ada"})).await, [["ada", "owner"]]);
    assert_eq!(owner("dashboards.members.put", invite("ben")).await, [["ada", "ben", "owner"]]);
    let ada = json!({"memberId": "ada"});
    assert_eq!(owner("dashboards.members.remove", ada).await, [["ada", "ben", "owner"]]);
    assert_eq!(owner("dashboards.update", json!({"name": "For Ben"})).await, [["ben", "owner"]]);
    owner("dashboards.open", json!({"windowId": "one"})).await;
    let before = newest();
    let agent = Caller { scopes: vec!["dashboards:write".into()], ..Caller::new(Kind::Agent, ACCOUNT, "agent") };
    program.as_caller(agent, "dashboards.update", json!({"dashboardId": id, "name": "Theirs"})).await.unwrap();
    assert_eq!(hearers(&program, before), [["ben", "owner"]], "of the proposal");
    assert_eq!(owner("dashboards.delete", json!({})).await, [["ben", "owner"]]);
    assert_eq!(owner("dashboards.restore", json!({})).await, [["ben", "owner"]]);
    assert_eq!(owner("dashboards.members.remove", json!({"memberId": "ben"})).await, all);
}

fn invite_of(dashboard: &Value, member: &str) -> Value {
    json!({"dashboardId": dashboard["id"], "memberId": member})
}

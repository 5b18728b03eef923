//! What agents write a dashboard with: the schema, the dry run, single widgets; and the items behind what they read.

use super::show::{widget, with_boards};
use super::*;

fn pointers(checked: &Value) -> Vec<(String, String)> {
    let problems = checked["problems"].as_array().unwrap().iter();
    problems
        .map(|one| (one["pointer"].as_str().unwrap().to_owned(), one["code"].as_str().unwrap().to_owned()))
        .collect()
}

#[tokio::test]
async fn every_kind_has_its_settings_in_the_schema() {
    let program = with_boards().await;
    let schema = program.owner("dashboards.schema", json!({})).await.unwrap();
    let kinds = schema["properties"]["widgets"]["items"]["allOf"].as_array().unwrap();
    let told: Vec<_> = kinds.iter().map(|one| one["if"]["properties"]["kind"]["const"].as_str().unwrap()).collect();
    assert_eq!(told, widgets::widgets::KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>());
    for kind in kinds {
        let settings = &kind["then"]["properties"]["settings"]["properties"];
        // What is made of no board has nothing to choose of them.
        let of_boards = kind["if"]["properties"]["kind"]["const"] != "apps";
        assert_eq!((settings["cols"].is_object(), settings["rules"].is_object()), (of_boards, of_boards), "{kind}");
        let roles = settings["cols"]["properties"].as_object().into_iter().flatten();
        assert_eq!(roles.clone().count() > 0, of_boards, "{kind}");
        for (role, about) in roles {
            assert!(about["description"].as_str().is_some_and(|about| about.contains(". Of type ")), "{role}: {about}");
        }
    }
    assert_eq!(schema_json(), format!("{}\n", serde_json::to_string_pretty(&schema).unwrap()));
}

#[tokio::test]
async fn a_dry_run_names_each_place_and_stores_nothing() {
    let program = with_boards().await;
    program.ctx.provide(Arc::new(Boards(Box::new(Existing(&["account-1/alpha"])))));
    let config = json!({
        "boardIds": ["alpha", "nowhere"],
        "widgets": [
            widget("a", "gantt", json!({})),
            widget("b", "chart", json!({"variant": "pi", "y": {"function": "sum"}, "cols": {"y": {"alpha": ["no-such"]}}, "x": {"by": "group"}, "colour": 1})),
            widget("c", "numbers", json!({"function": "count", "rules": [{"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "sounds like", "value": "x"}]})),
            {"id": "d", "kind": "numbers", "settings": {"function": "count"}},
            widget("e", "numbers", json!({"function": "count", "per": {"rules": [{"any": [{"id": "t", "col": {"by": "builtin", "name": "name"}, "op": "sounds like", "value": "x"}]}]}})),
        ],
        "filters": {"v": 1, "all": [{"any": [{"id": "s", "col": {"by": "builtin", "name": "name"}, "op": "contains", "value": 5}]}]},
    });
    let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
    let found = pointers(&checked);
    let at = |pointer: &str, code: &str| (pointer.to_owned(), code.to_owned());
    for expected in [
        at("/config/boardIds/1", "unknown-board"),
        at("/config/widgets/0/kind", "unknown-kind"),
        at("/config/widgets/1/settings/variant", "not-a-choice"),
        at("/config/widgets/1/settings/colour", "unknown-field"),
        at("/config/widgets/2/settings/rules/0", "inert-rule"),
        at("/config/widgets/2/settings/rules/0/op", "not-a-choice"),
        at("/config/widgets/4/settings/per/rules/0/any/0/op", "not-a-choice"),
        at("/config/widgets/3/layout/x", "wrong-type"),
        at("/config/widgets/4/settings/per/rules/0/any/0", "inert-rule"),
        at("/config/filters/all/0/any/0", "inert-rule"),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:#?}");
    }
    assert_eq!((&checked["accepted"], &checked["boardsMissing"]), (&json!(false), &json!(1)));
    let states: Vec<_> =
        checked["widgets"].as_array().unwrap().iter().map(|one| one["state"]["name"].as_str().unwrap()).collect();
    assert_eq!(states, ["error", "error", "ok", "ok", "no-values"]);
    assert_eq!(program.owner("dashboards.list", json!({})).await.unwrap()["items"], json!([]));
}

#[tokio::test]
async fn a_dry_run_says_what_has_no_effect_and_where() {
    let program = with_boards().await;
    let at = |mut widget: Value, x: i64, y: i64| {
        widget["layout"] = json!({"x": x, "y": y, "w": 6, "h": 4});
        widget
    };
    let rule = |id: &str, title: &str| json!({"id": id, "col": {"by": "title", "title": title, "type": "status"}, "op": "anyOf", "value": ["Done"]});
    let rules = json!({"rules": [rule("no-column", "Statuss"), rule("there", "Status")], "function": "count", "per": {"rules": [rule("there", "Stage")]}});
    let config = json!({
        "boardIds": ["alpha"],
        "widgets": [
            at(widget("role", "numbers", json!({"cols": {"values": {"alpha": ["alpha-n"]}}})), 0, 0),
            at(widget("rules", "numbers", rules), 6, 0),
            at(widget("board", "numbers", json!({"function": "count", "boards": ["alpha", "beta"]})), 0, 4),
            at(widget("title", "numbers", json!({"cols": {"value": {"alpha": ["Budget"]}}})), 6, 4),
            at(widget("label", "battery", json!({"done": {"alpha": ["l3", "Done"]}})), 0, 8),
            at(widget("type", "velocity", json!({"cols": {"effort": {"alpha": ["alpha-t"]}}, "cancelled": {"alpha": ["l9"]}})), 6, 8),
            at(widget("upon", "numbers", json!({"function": "count"})), 3, 10),
            at(widget("out", "numbers", json!({"function": "count"})), 11, 17),
            at(widget("days", "velocity", json!({"sprints": [{"key": "a", "from": "2026-12-31", "to": "2026-01-01"}]})), 0, 20),
        ],
        "filters": {"v": 1, "all": [rule("there", "status"), {"any": [rule("f", "Stage")]}]},
    });
    let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
    let told = [
        ("/config/filters/all/1/any/0", "inert-rule"),
        ("/config/widgets/0/settings/cols/values", "unknown-field"),
        ("/config/widgets/1/settings/per/rules/0", "inert-rule"),
        ("/config/widgets/1/settings/rules/0", "inert-rule"),
        ("/config/widgets/2/settings/boards/1", "unknown-board"),
        ("/config/widgets/3/settings/cols/value/alpha/0", "unknown-column"),
        ("/config/widgets/4/settings/done/alpha/1", "not-a-choice"),
        ("/config/widgets/5/settings/cancelled/alpha/0", "not-a-choice"),
        ("/config/widgets/5/settings/cols/effort/alpha/0", "unknown-column"),
        ("/config/widgets/6/layout", "moved-layout"),
        ("/config/widgets/7/layout", "moved-layout"),
        ("/config/widgets/8/settings/sprints/0/to", "out-of-range"),
    ];
    let mut found = pointers(&checked);
    found.sort();
    assert_eq!(found, told.map(|(pointer, code)| (pointer.to_owned(), code.to_owned())), "{checked:#}");
    let detail = |pointer: &str| {
        let problems = checked["problems"].as_array().unwrap();
        problems.iter().find(|one| one["pointer"] == pointer).unwrap()["detail"].as_str().unwrap()
    };
    assert_eq!(detail(told[1].0), "Unknown field values. Accepted: value.");
    assert_eq!(detail(told[5].0), "Name the column by its ID. The ID of Budget is alpha-n.");
    assert_eq!(
        detail(told[6].0),
        "Status has no label with this ID. Labels: l1 (To do), l2 (Working on it), l3 (Done)."
    );
    assert!(detail(told[9].0).ends_with("drawn at x 3, y 12, w 6, h 4."), "{}", detail(told[9].0));
    assert_eq!(checked["accepted"], true);
}

#[tokio::test]
async fn a_dry_run_tells_what_stands_twice_or_does_nothing() {
    let program = with_boards().await;
    let mut untitled = widget("a", "numbers", json!({"function": "count", "rules": [{"any": []}]}));
    untitled["title"] = json!(5);
    let met = json!({"rules": [{"any": []}]});
    let config = json!({
        "boardIds": ["alpha", "beta", "alpha"],
        "filters": {"v": 2, "all": [{"any": []}]},
        "widgets": [untitled, widget("a", "numbers", json!({"function": "count", "per": met, "ratio": met}))],
    });
    let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
    let mut found = pointers(&checked);
    found.retain(|(_, code)| code != "moved-layout");
    found.sort();
    let told = [
        ("/config/boardIds/2", "repeated"),
        ("/config/filters/all/0/any", "missing"),
        ("/config/filters/v", "not-a-choice"),
        ("/config/widgets/0/settings/rules/0/any", "missing"),
        ("/config/widgets/0/title", "wrong-type"),
        ("/config/widgets/1/id", "repeated"),
        ("/config/widgets/1/settings/per", "one-of"),
        ("/config/widgets/1/settings/per/rules/0/any", "missing"),
        ("/config/widgets/1/settings/ratio/rules/0/any", "missing"),
    ];
    assert_eq!(found, told.map(|(pointer, code)| (pointer.to_owned(), code.to_owned())), "{checked:#}");
    assert_eq!(checked["accepted"], true);
}

#[tokio::test]
async fn a_dry_run_of_what_is_right_gives_the_coverage() {
    let program = with_boards().await;
    let config =
        json!({"boardIds": ["alpha", "beta"], "widgets": [widget("a", "numbers", json!({"function": "count"}))]});
    let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
    assert_eq!((&checked["accepted"], &checked["problems"]), (&json!(true), &json!([])));
    assert_eq!(checked["widgets"][0]["coverage"]["boardsUsed"], 2);
    let lost = json!({"boardIds": ["alpha"], "widgets": [widget("a", "numbers", json!({"cols": {"value": {"alpha": ["no-such"]}}}))]});
    let checked = program.owner("dashboards.check", json!({"config": lost})).await.unwrap();
    assert_eq!(checked["widgets"][0]["state"]["name"], "unmapped");
    // A board that is connected already may be gone: what is stored then is accepted.
    let dashboard = made(&program, json!({"boardIds": ["gone"]})).await;
    let again = json!({"dashboardId": dashboard["id"], "config": {"boardIds": ["gone"]}});
    assert_eq!(program.owner("dashboards.check", again).await.unwrap()["accepted"], true);
    refused(program.owner("dashboards.check", json!({"dashboardId": "x", "config": {}})).await, "not-found");
}

#[tokio::test]
async fn a_widget_is_added_changed_and_removed_and_all_else_stays() {
    let program = with_boards().await;
    let config = json!({"boardIds": ["alpha"], "widgets": [widget("own", "later", json!({"k": [1.5, null]}))], "theirs": {"z": 1, "a": 2}});
    let dashboard = made(&program, config.clone()).await;
    let id = &dashboard["id"];
    let read = async || program.owner("dashboards.get", json!({"dashboardId": id})).await.unwrap()["config"].clone();
    let added = program
        .owner(
            "dashboards.widgets.add",
            json!({"dashboardId": id, "kind": "chart", "title": "By status", "settings": {"variant": "bar"}}),
        )
        .await
        .unwrap();
    assert_eq!((&added["revision"], &added["widget"]["layout"]), (&json!(2), &json!({"x": 3, "y": 0, "w": 6, "h": 6})));
    let mut expected = config.clone();
    expected["widgets"].as_array_mut().unwrap().push(added["widget"].clone());
    assert_eq!(read().await.to_string(), expected.to_string());
    let widget_id = &added["widget"]["id"];
    let change = json!({"dashboardId": id, "widgetId": widget_id, "settings": {"sort": "yDesc", "variant": null}, "layout": {"w": 4}});
    let changed = program.owner("dashboards.widgets.update", change).await.unwrap();
    assert_eq!(changed["widget"]["settings"], json!({"sort": "yDesc"}));
    assert_eq!(changed["widget"]["layout"], json!({"x": 3, "y": 0, "w": 4, "h": 6}));
    assert_eq!(changed["widget"]["title"], "By status");
    let figure = program
        .owner("dashboards.widgets.add", json!({"dashboardId": id, "kind": "numbers", "layout": {"h": 2}}))
        .await
        .unwrap();
    assert_eq!(figure["widget"]["layout"], json!({"x": 7, "y": 0, "w": 3, "h": 2}));
    for one in [widget_id, &figure["widget"]["id"]] {
        program.owner("dashboards.widgets.remove", json!({"dashboardId": id, "widgetId": one})).await.unwrap();
    }
    assert_eq!(read().await.to_string(), config.to_string());
}

#[tokio::test]
async fn a_whole_number_is_one_however_it_is_written() {
    let program = with_boards().await;
    let dashboard = made(&program, json!({"boardIds": ["alpha"]})).await;
    let kinds =
        [("velocity", json!({"last": 6.0})), ("planned", json!({"graceDays": 2.0})), ("table", json!({"limit": 1e1}))];
    for (kind, settings) in kinds {
        let add = json!({"dashboardId": dashboard["id"], "kind": kind, "settings": settings});
        assert_eq!(program.owner("dashboards.widgets.add", add).await.unwrap()["widget"]["settings"], settings);
    }
    let shown = program.owner("dashboards.show", json!({"dashboardId": dashboard["id"]})).await.unwrap();
    for one in shown["widgets"].as_array().unwrap() {
        assert!(one["state"]["name"] != "error" && one.get("settings").is_none(), "{one}");
    }
}

#[tokio::test]
async fn a_widget_that_cannot_be_is_refused_by_its_place() {
    let program = with_boards().await;
    let dashboard = made(&program, json!({})).await;
    let add = async |kind: &str, settings: Value| {
        let input = json!({"dashboardId": dashboard["id"], "kind": kind, "settings": settings});
        let refusal = refused(program.owner("dashboards.widgets.add", input).await, "invalid-input");
        (refusal.fields()[0].pointer.clone(), refusal.fields()[0].code.name())
    };
    assert_eq!(add("gantt", json!({})).await, ("/kind".into(), "unknown-kind"));
    assert_eq!(add("numbers", json!({"func": "sum"})).await, ("/settings/func".into(), "unknown-field"));
    assert_eq!(add("velocity", json!({"last": 1})).await, ("/settings/last".into(), "out-of-range"));
    assert_eq!(add("chart", json!({"x": {"by": 7}})).await, ("/settings/x/by".into(), "not-a-choice"));
    let days = |from: &str, to: &str| json!({"sprints": [{"key": "a", "from": from, "to": to}]});
    assert_eq!(
        add("velocity", days("2026-12-31", "2026-01-01")).await,
        ("/settings/sprints/0/to".into(), "out-of-range")
    );
    assert_eq!(
        add("planned", days("2026-02-30", "2026-03-01")).await,
        ("/settings/sprints/0/from".into(), "wrong-format")
    );
    assert_eq!(add("burndown", days("2026-02-28", "x")).await, ("/settings/sprints/0/to".into(), "wrong-format"));
    let misspelt = json!({"cols": {"values": {"alpha": ["alpha-n"]}}});
    assert_eq!(add("numbers", misspelt).await, ("/settings/cols/values".into(), "unknown-field"));
    let outside = json!({"dashboardId": dashboard["id"], "kind": "numbers", "layout": {"x": 0, "w": 13}});
    let refusal = refused(program.owner("dashboards.widgets.add", outside).await, "invalid-input");
    assert_eq!(refusal.fields()[0].pointer, "/layout/w");
    let unknown = json!({"dashboardId": dashboard["id"], "widgetId": "w", "title": "T"});
    let refusal = refused(program.owner("dashboards.widgets.update", unknown).await, "named-not-found");
    assert_eq!(refusal.fields()[0].pointer, "/widgetId");
    let stale = Call { if_match: Some("\"9\"".into()), ..Call::new(Caller::new(Kind::Owner, ACCOUNT, "t")) };
    let input = json!({"dashboardId": dashboard["id"], "kind": "numbers"});
    refused(program.call(stale, "dashboards.widgets.add", input).await, "stale-revision");
}

#[tokio::test]
async fn the_items_behind_a_value_are_read_in_pages() {
    let program = with_boards().await;
    let chart = widget("c", "chart", json!({"x": {"by": "board"}}));
    let dashboard = made(&program, json!({"boardIds": ["alpha", "beta"], "widgets": [chart]})).await;
    let items = async |more: Value| {
        let mut input = json!({"dashboardId": dashboard["id"], "widgetId": "c"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        program.owner("dashboards.items", input).await
    };
    let first = items(json!({"limit": 40})).await.unwrap();
    let rest = items(json!({"limit": 40, "cursor": first["nextCursor"]})).await.unwrap();
    let count = |page: &Value| page["items"].as_array().unwrap().len() as u64;
    assert_eq!((first["total"].as_u64().unwrap(), &rest["nextCursor"]), (count(&first) + count(&rest), &Value::Null));
    let shown = program.owner("dashboards.show", json!({"dashboardId": dashboard["id"]})).await.unwrap();
    let result = &shown["widgets"][0]["result"];
    let (category, expected) = (&result["categories"][1], &result["series"][0]["items"][1]);
    let part = items(json!({"part": {"x": {"key": category["key"], "kind": category["kind"]}}})).await.unwrap();
    assert_eq!(&part["total"], expected);
    assert!(part["items"].as_array().unwrap().iter().all(|item| item["boardId"] == "beta"));
    // What is shown of the part is taken too.
    for shown in [category["label"].clone(), category.clone(), json!({"x": category["label"]}), json!({"x": category})]
    {
        assert_eq!(items(json!({"part": shown})).await.unwrap(), part, "{shown}");
    }
    let refusal = refused(items(json!({"part": "Nobody"})).await, "invalid-input");
    let labels: Vec<&str> =
        result["categories"].as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert!(refusal.fields()[0].detail.ends_with(&format!("It shows: {}.", labels.join(", "))), "{refusal}");
    let refusal = refused(items(json!({"part": {"x": {"key": "nobody", "kind": "value"}}})).await, "invalid-input");
    assert_eq!(refusal.fields()[0].pointer, "/part");
}

#[tokio::test]
async fn a_part_that_a_widget_has_not_is_refused() {
    let program = with_boards().await;
    let by_group = json!({"sprintBy": "group"});
    let kinds = [
        ("numbers", json!({"function": "count"})),
        ("chart", json!({"x": {"by": "board"}})),
        ("velocity", by_group.clone()),
        ("planned", by_group.clone()),
        (
            "burndown",
            json!({"sprintBy": "group", "sprints": [{"key": "To do", "from": "2026-01-01", "to": "2026-12-31"}]}),
        ),
        ("battery", json!({})),
        ("table", json!({})),
    ];
    let widgets: Vec<Value> = kinds.iter().map(|(kind, settings)| widget(kind, kind, settings.clone())).collect();
    let dashboard = made(&program, json!({"boardIds": ["alpha", "beta"], "widgets": widgets})).await;
    let items = async |kind: &str, part: Value| {
        let input = json!({"dashboardId": dashboard["id"], "widgetId": kind, "part": part});
        program.owner("dashboards.items", input).await
    };
    for (kind, _) in &kinds {
        for part in [json!({"nothing": 1}), json!("x"), json!([])] {
            let refusal = refused(items(kind, part).await, "invalid-input");
            assert_eq!(
                (refusal.fields()[0].pointer.as_str(), refusal.fields()[0].code.name()),
                ("/part", "no-such-part"),
                "{kind}"
            );
        }
    }
    for (kind, part, why) in [
        ("chart", json!({"which": "zzz"}), "a part has no `which`; it has x, z. It shows: Alpha, Beta"),
        ("chart", json!("x"), "no part is named x. It shows: Alpha, Beta"),
        ("numbers", json!("x"), "no part is named x"),
        ("numbers", json!({"which": "zzz"}), "`which` is one of met"),
        ("numbers", json!({"which": "met"}), "the widget has no divisor"),
        ("table", json!({"x": {}}), "the widget has no parts"),
        ("velocity", json!({"which": "done"}), "`which` is one of completed, scope"),
        ("velocity", json!({"sprint": 5}), "sprint not found"),
        ("velocity", json!({"board": "gamma"}), "board not found"),
        ("battery", json!({"label": "l1"}), "label not found. It shows: To do, Working on it, Done, (empty)"),
    ] {
        let refusal = refused(items(kind, part).await, "invalid-input");
        assert_eq!(refusal.fields()[0].detail, format!("There are no items: {why}."), "{kind}");
    }
    for (kind, part) in
        [("velocity", json!({"which": "scope", "board": "alpha"})), ("table", Value::Null), ("chart", json!({}))]
    {
        items(kind, part).await.unwrap();
    }
}

#[tokio::test]
async fn widgets_without_ids_of_their_own_are_changed_and_removed_by_those_that_they_are_shown_with() {
    let program = with_boards().await;
    let of = |id: &str| widget(id, "numbers", json!({"function": "count"}));
    let dashboard = made(&program, json!({"boardIds": ["alpha"], "widgets": [of("a"), of("a"), of("")]})).await;
    let input = |more: Value| {
        let mut input = json!({"dashboardId": dashboard["id"]});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    program.owner("dashboards.widgets.update", input(json!({"widgetId": "widget-3", "title": "Third"}))).await.unwrap();
    program.owner("dashboards.widgets.remove", input(json!({"widgetId": "a-2"}))).await.unwrap();
    let config = program.owner("dashboards.get", input(json!({}))).await.unwrap()["config"].clone();
    let left: Vec<_> = config["widgets"].as_array().unwrap().iter().map(|one| (&one["id"], &one["title"])).collect();
    assert_eq!(left, [(&json!("a"), &json!("")), (&json!(""), &json!("Third"))]);
}

#[tokio::test]
async fn there_is_a_limit_to_widgets_and_rules() {
    let program = with_boards().await;
    let widgets = vec![widget("a", "numbers", json!({})); 1001];
    let rules = vec![json!(1); 201];
    for config in [json!({"widgets": widgets}), json!({"filters": {"all": rules}})] {
        refused(program.owner("dashboards.check", json!({"config": config})).await, "invalid-input");
    }
}

#[tokio::test]
async fn a_dry_run_names_boards_that_are_not_the_accounts_wherever_they_are() {
    let program = with_boards().await;
    program.ctx.provide(Arc::new(Boards(Box::new(Existing(&["account-1/b1", "account-2/b3"])))));
    for (place, config) in naming("b3") {
        let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
        assert_eq!(checked["accepted"], false, "{place}");
        let found = pointers(&checked);
        let named = |(at, code): &(String, String)| at.contains(place) && code == "unknown-board";
        assert_eq!(found.iter().filter(|one| named(one)).count(), 1, "{place}: {found:?}");
    }
}

#[tokio::test]
async fn an_unknown_operator_is_refused_with_the_known_ones() {
    let program = with_boards().await;
    let rule = |op: &str| json!({"id": "r", "col": {"by": "builtin", "name": "name"}, "op": op, "value": "x"});
    let new = |config: Value| json!({"workspaceId": "w1", "name": "D", "config": config});
    for (config, pointer) in [
        (json!({"filters": {"v": 1, "all": [rule("sounds like")]}}), "/config/filters/all/0/op"),
        (
            json!({"widgets": [widget("w", "numbers", json!({"ratio": {"rules": [rule("sounds like")]}}))]}),
            "/config/widgets/0/settings/ratio/rules/0/op",
        ),
    ] {
        let error = refused(program.owner("dashboards.create", new(config)).await, "invalid-input");
        let field = &error.fields()[0];
        assert_eq!(field.pointer, pointer);
        assert!(field.detail.contains("sounds like") && field.detail.contains("startsWith"), "{}", field.detail);
    }
    program.owner("dashboards.create", new(json!({"filters": {"v": 1, "all": [rule("contains")]}}))).await.unwrap();
}

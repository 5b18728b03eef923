//! Rules that have lost something keep their widgets back, and those in force are stated.

use super::publications::{ask, seen, with_dashboard};
use crate::tests::show::widget;
use kit::lookup::{Lookup, MemberDirectory, Members};
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn a_rule_that_no_longer_works_hides_its_widgets() {
    let (program, id, _) = with_dashboard().await;
    let read = program.owner("dashboards.get", json!({"dashboardId": id})).await.unwrap();
    let mut config = read["config"].clone();
    config["filters"] = json!({"v": 1, "people": null, "all": [{"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "contains", "value": 5}]});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!(preview["document"]["widgets"], json!([]));
    let why: Vec<_> = preview["leftOut"].as_array().unwrap().iter().map(|left| left["why"].as_str().unwrap()).collect();
    assert_eq!(why, ["inert-rule", "inert-rule", "shows-items"]);
    // Nor one whose column is no more, or filters in a form that nobody can read.
    let lost = json!({"id": "r", "col": {"by": "title", "title": "Gone", "type": "text"}, "op": "is", "value": "x"});
    for filters in [json!({"v": 1, "people": null, "all": [lost]}), json!([lost]), json!({"all": {"0": lost}})] {
        config["filters"] = filters;
        program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
        let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
        assert_eq!(preview["document"]["widgets"], json!([]), "{}", config["filters"]);
    }
}

#[tokio::test]
async fn a_rule_that_has_lost_one_of_its_labels_hides_its_widgets_and_is_named_to_who_edits() {
    let (program, id, _) = with_dashboard().await;
    let read = program.owner("dashboards.get", json!({"dashboardId": id})).await.unwrap();
    let mut config = read["config"].clone();
    let status = json!({"by": "title", "title": "Status", "type": "status"});
    config["filters"] =
        json!({"v": 1, "all": [{"id": "r", "col": status, "op": "noneOf", "value": ["Done", "Secret"]}]});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!((&preview["document"]["widgets"], preview["leftOut"].as_array().unwrap().len()), (&json!([]), 3));
    let shown = program.owner("dashboards.show", json!({"dashboardId": id})).await.unwrap();
    assert_eq!(shown["inertRules"], json!([{"id": "r", "reason": "lost-label", "lost": ["Secret"]}]));
    assert_eq!(shown["widgets"][0]["state"]["name"], "ok");
    let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
    let mut problems = checked["problems"].as_array().unwrap().iter();
    let problem = problems.find(|problem| problem["pointer"] == "/config/filters/all/0").expect("the rule is named");
    assert!(problem["detail"].as_str().unwrap().ends_with("(lost-label, Secret)"), "{problem}");
}

#[tokio::test]
async fn a_rule_that_lost_its_column_hides_its_widget_whatever_other_rules_are_called() {
    let (program, id, _) = with_dashboard().await;
    let gone = json!({"id": "r1", "col": {"by": "title", "title": "Gone", "type": "status"}, "op": "noneOf", "value": ["Secret"]});
    let name = json!({"id": "r1", "col": {"by": "builtin", "name": "name"}, "op": "isNotEmpty"});
    let count = |id: &str, rule: &Value| widget(id, "numbers", json!({"function": "count", "rules": [rule]}));
    for filters in [json!([]), json!([name])] {
        let config = json!({"boardIds": ["alpha", "beta"], "widgets": [count("a", &gone), count("b", &name)], "filters": {"v": 1, "all": filters}});
        program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
        let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
        let left: Vec<&str> =
            preview["leftOut"].as_array().unwrap().iter().map(|left| left["why"].as_str().unwrap()).collect();
        assert_eq!((left, preview["document"]["widgets"].as_array().unwrap().len()), (vec!["inert-rule"], 1));
    }
    // A shared rule that reaches boards of other widgets has lost nothing.
    let due = json!({"id": "r1", "col": {"by": "ids", "ids": {"beta": ["beta-d"]}}, "op": "isNotEmpty"});
    let of = |id: &str, board: &str| widget(id, "numbers", json!({"function": "count", "boards": [board]}));
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": [of("a", "alpha"), of("b", "beta")], "filters": {"v": 1, "all": [due]}});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    assert_eq!(ask(&program, "preview", &id, json!({})).await.unwrap()["leftOut"], json!([]));
}

#[tokio::test]
async fn a_rule_whose_column_is_gone_on_one_board_hides_its_widgets_and_is_named_to_who_edits() {
    let (program, id, _) = with_dashboard().await;
    let ids = json!({"alpha": ["alpha-s"], "beta": ["beta-gone"]});
    let rule = json!({"id": "r", "col": {"by": "ids", "ids": ids}, "op": "noneOf", "value": ["Done"]});
    let count = widget("a", "numbers", json!({"function": "count"}));
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": [count], "filters": {"v": 1, "all": [rule]}});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!((&preview["document"]["widgets"], &preview["leftOut"][0]["why"]), (&json!([]), &json!("inert-rule")));
    let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
    let problem = &checked["problems"][0];
    assert!(problem["detail"].as_str().unwrap().ends_with("(lost-column, Beta)"), "{problem}");
}

/// Members who are known by name.
struct People;

impl Lookup for People {
    fn missing(&self, _: &str, _: Vec<String>) -> futures_core::future::BoxFuture<'static, kit::Result<Vec<String>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

impl MemberDirectory for People {
    fn all(&self, _: &str) -> futures_core::future::BoxFuture<'static, kit::Result<Vec<(String, String, String)>>> {
        let one = |id: &str, name: &str| (id.to_owned(), name.to_owned(), String::new());
        Box::pin(std::future::ready(Ok(vec![one("m1", "Ada"), one("m2", "Bo")])))
    }
    fn zones(&self, _: &str) -> futures_core::future::BoxFuture<'static, kit::Result<Vec<(String, String)>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

#[tokio::test]
async fn a_published_page_states_its_filters_and_names_only_what_is_ticked() {
    let (program, id, _) = with_dashboard().await;
    program.ctx.provide(Arc::new(Members(Box::new(People))));
    let titled = |title: &str, kind: &str| json!({"by": "title", "title": title, "type": kind});
    let rule = |id: &str, col: Value, op: &str, value: Value| json!({"id": id, "col": col, "op": op, "value": value});
    let all = json!([
        rule("a", titled("Status", "status"), "anyOf", json!(["Done", "l1"])),
        rule("h", json!({"by": "builtin", "name": "group"}), "noneOf", json!(["g2"])),
        rule("i", json!({"by": "builtin", "name": "board"}), "anyOf", json!(["Beta", "alpha"])),
        {"any": [
            rule("b", titled("Note", "text"), "contains", json!("Straße")),
            rule("c", titled("Budget", "number"), ">=", json!(1)),
            rule("d", titled("Owner", "people"), "anyOf", json!(["m2", "me", "none"])),
        ]},
        rule("e", json!({"by": "builtin", "name": "created"}), "after", json!("2026-01-05")),
        rule("f", json!({"by": "ids", "ids": {"alpha": ["alpha-c"], "beta": ["beta-c"]}}), "isNotChecked", Value::Null),
        {"id": "g", "col": titled("Note", "text"), "op": "is", "value": "Switched off", "off": true},
    ]);
    let own = rule("o", titled("Owner", "people"), "anyOf", json!(["m1"]));
    let count = |id: &str, settings: Value| widget(id, "numbers", settings);
    let widgets =
        json!([count("n", json!({"function": "count"})), count("o", json!({"function": "count", "rules": [own]})),]);
    let filters = json!({"v": 1, "people": {"ids": ["m1", "m2"]}, "all": all});
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": widgets, "filters": filters});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let said = |people: &str, note: &str, owners: &str| {
        json!([
            format!("People: {people}"),
            "Status is any of Done or To do",
            "Group is none of Later",
            "Board is any of Beta or A connected board",
            format!("Note contains {note}, or Budget ≥ 1, or Owner is any of {owners}"),
            "Created is after Jan 5, 2026",
            "Approved is not checked",
        ])
    };
    let who = "Whoever published this page or Nobody";
    let hidden = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!(hidden["leftOut"], json!([]));
    assert_eq!(hidden["document"]["filters"], said("Person 1, Person 2", "Text 1", &format!("Person 2 or {who}")));
    assert_eq!(hidden["document"]["widgets"][1]["notes"][0], "Only: Owner is any of Person 1.");
    for kept in ["Ada", "Bo ", "Straße", "Switched off", "m1", "alpha", "l1", "g2"] {
        for part in ["document", "html"] {
            assert!(!hidden[part].to_string().contains(kept), "{kept} in {part}");
        }
    }
    let holds: Vec<&str> = hidden["holds"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(
        holds,
        ["labels", "board-names", "group-names", "cell-texts", "people-names"],
        "the preview says what the filters name"
    );

    let named = ask(&program, "preview", &id, json!({"names": true, "texts": true})).await.unwrap();
    assert_eq!(named["document"]["filters"], said("Ada, Bo", "Straße", &format!("Bo or {who}")));
    let html = named["html"].as_str().unwrap();
    assert!(html.contains("<p class=\"note\">Filtered: People: Ada, Bo; Status is any of Done or To do; "), "{html}");
    assert!(html.contains("Only: Owner is any of Ada."), "{html}");

    let published = ask(&program, "publish", &id, json!({"digest": hidden["digest"]})).await.unwrap();
    let page = seen(&program.ctx, &published).unwrap();
    assert!(page.contains("Filtered: People: Person 1, Person 2; Status"), "{page}");

    let mut config = config;
    config["filters"] = Value::Null;
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert!(preview["html"].as_str().unwrap().contains("<p class=\"note\">All items.</p>"), "{preview}");
}

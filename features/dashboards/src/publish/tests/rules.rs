//! Rules that have lost something keep their widgets back.

use super::publications::{ask, with_dashboard};
use crate::tests::show::widget;
use serde_json::{Value, json};

#[tokio::test]
async fn a_rule_that_no_longer_works_hides_its_widgets() {
    let (program, id, _) = with_dashboard().await;
    let read = program.owner("dashboards.get", json!({"dashboardId": id})).await.unwrap();
    let mut config = read["config"].clone();
    config["filters"] = json!({"v": 1, "people": null, "all": [{"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "no such", "value": "x"}]});
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

//! Files of other tools, all the way from the import to what the widgets of a dashboard say.

use super::{owner, program};
use kit::{Call, Caller, Kind};
use serde_json::{Value, json};
use testkit::{Program, json_of};

/// A dashboard over what was imported. It is Sunday, March 1.
struct Imported {
    program: Program,
    board: Value,
    dashboard: Value,
}

impl Imported {
    /// Imports a file, and lays out a widget of each kind with its settings; columns are found by the widgets themselves.
    async fn start(file: &str, widgets: &[(&str, Value)]) -> Imported {
        let program = program().await;
        let ask =
            async |op: &str, input: Value| owner(&program, op, input).await.unwrap_or_else(|e| panic!("{op}: {e}"));
        let workspace = ask("workspaces.list", json!({})).await["items"][0]["id"].clone();
        let account = program.ctx.service::<accounts::Tokens>().first_account().to_owned();
        let mut call = Call::new(Caller::new(Kind::Owner, &account, "test"));
        let bytes = bytes::Bytes::copy_from_slice(file.as_bytes());
        call.upload = Some(("text/csv".to_owned(), Box::pin(futures_util::stream::iter([Ok(bytes)]))));
        let made = program.call(call, "boards.import", json!({"workspaceId": workspace, "name": "Work"})).await;
        let board = json_of(&made.expect("the file is imported"))["board"].clone();
        let widget = |(at, (kind, settings)): (usize, &(&str, Value))| {
            let layout = json!({"x": 0, "y": 6 * at, "w": 6, "h": 6});
            json!({"id": kind, "kind": kind, "title": "", "layout": layout, "settings": settings})
        };
        let widgets: Vec<Value> = widgets.iter().enumerate().map(widget).collect();
        let config = json!({"boardIds": [board["id"]], "widgets": widgets});
        let dashboard = json!({"workspaceId": workspace, "name": "Sprints", "config": config});
        let dashboard = ask("dashboards.create", dashboard).await["id"].clone();
        Imported { board, dashboard, program }
    }
    async fn ask(&self, op: &str, input: Value) -> Value {
        owner(&self.program, op, input).await.unwrap_or_else(|e| panic!("{op}: {e}"))
    }
    /// What the widgets say, in their order.
    async fn shown(&self) -> Vec<Value> {
        let shown = self.ask("dashboards.show", json!({"dashboardId": self.dashboard})).await;
        shown["widgets"].as_array().expect("widgets").clone()
    }
    /// The id of a column.
    fn column(&self, title: &str) -> &str {
        let columns = self.board["columns"].as_array().expect("columns");
        let column = columns.iter().find(|column| column["title"] == title).unwrap_or_else(|| panic!("no {title}"));
        column["id"].as_str().expect("an id")
    }
}

/// The items that a widget leaves out for a reason.
fn skipped(widget: &Value, reason: &str) -> Value {
    let all = widget["coverage"]["skippedWhy"].as_array().expect("reasons");
    all.iter().find(|one| one["reason"] == reason).map_or(json!(0), |one| one["items"].clone())
}

#[tokio::test]
async fn canceled_work_is_neither_done_nor_part_of_a_sprint() {
    let file = "ID,Team,Title,Status,Priority,Creator,Estimate,Cycle Name,Completed,Canceled,Due Date\n\
        E-1,Eng,Shipped,Done,High,anna,3,Cycle 4,2026-02-12,,2026-02-14\n\
        E-2,Eng,Given up,Canceled,High,anna,5,Cycle 4,,2026-02-13,2026-02-14\n\
        E-3,Eng,Twice,Duplicate,High,anna,8,Cycle 4,,2026-02-13,2026-02-14\n\
        E-4,Eng,Late,In Progress,High,anna,2,Cycle 4,,,2026-02-14\n";
    let days = json!({"sprints": [{"key": "Cycle 4", "from": "2026-02-09", "to": "2026-02-20"}]});
    let weighed = |imported: &Imported| {
        let board = imported.board["id"].as_str().expect("an id");
        json!({"cols": {"done": {board: [imported.column("Status")]}, "effort": {board: [imported.column("Estimate")]}}})
    };
    let kinds = [("velocity", days.clone()), ("planned", days.clone()), ("burndown", days), ("battery", json!({}))];
    let imported = Imported::start(file, &kinds).await;
    let shown = imported.shown().await;
    let [velocity, planned, burndown, battery] = &shown[..] else { panic!("four widgets: {shown:?}") };

    let sprint = &velocity["result"]["sprints"][0];
    assert_eq!([&sprint["completed"]["text"], &sprint["scope"]["text"]], ["3", "5"], "{velocity}");
    let sprint = planned["result"]["sprints"][0].as_object().expect("a sprint");
    let sum = |end: &str| -> u64 {
        let parts = sprint.iter().filter(|(member, _)| member.ends_with(end));
        parts.filter_map(|(_, figure)| figure["text"].as_str()?.parse::<u64>().ok()).sum()
    };
    assert_eq!([sum("Done"), sum("Open")], [3, 2], "{planned}");
    let first = &burndown["result"]["days"][0];
    assert_eq!([&first["scope"]["text"], &burndown["result"]["remaining"]["text"]], ["5", "2"], "{burndown}");
    assert_eq!(battery["result"]["donePercent"], 50, "{battery}");
    assert_eq!(battery["result"]["total"], 2.0, "two of the four items are work: {battery}");
    for widget in &shown {
        assert_eq!(skipped(widget, "cancelled"), 2, "{widget}");
    }

    // By what they weigh, it is three of five.
    let config = json!({"boardIds": [imported.board["id"]], "widgets": [
        {"id": "battery", "kind": "battery", "title": "", "layout": {"x": 0, "y": 0, "w": 6, "h": 6}, "settings": weighed(&imported)}]});
    imported.ask("dashboards.update", json!({"dashboardId": imported.dashboard, "config": config})).await;
    assert_eq!(imported.shown().await[0]["result"]["donePercent"], 60);

    // Nor is it overdue.
    let rule = json!({"col": {"by": "title", "title": "Due Date", "type": "date"}, "op": "overdue"});
    let query = json!({"boardId": imported.board["id"], "filters": {"v": 1, "all": [rule]}});
    let overdue = imported.ask("boards.query", query).await;
    let names: Vec<&Value> = overdue["items"].as_array().expect("items").iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["Late"]);
}

/// A sprint of Velocity as `label completed/scope from..to`.
fn velocity(widget: &Value) -> String {
    let sprint = &widget["result"]["sprints"][0];
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let [completed, scope] = ["completed", "scope"].map(|member| text(&sprint[member]["text"]));
    let [label, from, to] = ["label", "from", "to"].map(|member| text(&sprint[member]));
    format!("{label} {completed}/{scope} {from}..{to}")
}

#[tokio::test]
async fn a_file_says_when_its_items_were_created_and_when_its_sprints_were() {
    let file = "ID,Team,Title,Status,Priority,Creator,Estimate,Cycle Name,Cycle Start,Cycle End,Created,Completed\n\
        E-1,Eng,There,Done,High,anna,3,Cycle 4,2026-02-09,2026-02-20,2026-02-02,2026-02-12\n\
        E-2,Eng,Later,Todo,High,anna,2,Cycle 4,2026-02-09,2026-02-20,2026-02-16,\n";
    let kinds = ["velocity", "planned", "burndown"].map(|kind| (kind, json!({})));
    let imported = Imported::start(file, &kinds).await;
    let shown = imported.shown().await;
    let [velocity_shown, planned, burndown] = &shown[..] else { panic!("three widgets: {shown:?}") };
    assert_eq!(velocity(velocity_shown), "Cycle 4 3/5 2026-02-09..2026-02-20", "{velocity_shown}");
    assert_eq!(velocity_shown["approximate"], false, "the file says when the sprint was: {velocity_shown}");
    let sprint = &planned["result"]["sprints"][0];
    let classes = ["plannedDone", "plannedOpen", "unplannedDone", "unplannedOpen"];
    assert_eq!(classes.map(|class| sprint[class]["text"].clone()), ["3", "0", "0", "2"], "{planned}");
    let days = burndown["result"]["days"].as_array().expect("days");
    let on = |day: &str| {
        let one = days.iter().find(|one| one["day"] == day).unwrap_or_else(|| panic!("no {day}: {burndown}"));
        ["scope", "remaining"].map(|member| one[member]["text"].clone())
    };
    assert_eq!([on("2026-02-11"), on("2026-02-12"), on("2026-02-16")], [["3", "3"], ["3", "0"], ["5", "2"]]);

    // The activity still says that they were imported now.
    let items = imported.ask("boards.items.list", json!({"boardId": imported.board["id"]})).await;
    assert!(items["items"][0]["createdAt"].as_str().expect("an instant").starts_with("2026-03-01"), "{items}");
}

#[tokio::test]
async fn sprints_of_stories_below_epics_are_not_empty() {
    let file = "Summary,Issue key,Issue id,Issue Type,Status,Sprint,Parent id,Custom field (Story Points)\n\
        Shop,A-1,1,Epic,In Progress,,,\n\
        Cart,A-2,2,Story,Done,Sprint 1,1,3\n\
        Search,A-3,3,Story,To Do,Sprint 1,1,5\n";
    let days = json!([{"key": "Sprint 1", "from": "2026-02-09", "to": "2026-02-20"}]);
    let kinds =
        [("velocity", json!({"sprints": days})), ("planned", json!({"sprints": days, "includeSubitems": false}))];
    let imported = Imported::start(file, &kinds).await;
    let shown = imported.shown().await;
    assert_eq!(velocity(&shown[0]), "Sprint 1 3/8 2026-02-09..2026-02-20", "{}", shown[0]);
    // Who leaves subitems out is told that these are what is missing.
    assert_eq!(
        (&shown[1]["state"]["name"], &shown[1]["reasons"][0]),
        (&json!("no-values"), &json!("no-sprints")),
        "{}",
        shown[1]
    );
    assert_eq!(skipped(&shown[1], "subitem"), 2);
}

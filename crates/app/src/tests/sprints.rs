//! The days of linked sprints, all the way from cells of a real board through what `/boards/{boardId}/full` sends to what
//! widgets say and snapshots record.

use super::{owner, program};
use serde_json::{Value, json};
use testkit::Program;

const DAY_MS: i64 = 24 * 3_600_000;
const OPEN: &str = "l1";
const DONE: &str = "l2";

/// Where the days of sprints are: in one timeline, or in two dates.
#[derive(Clone, Copy, Debug)]
enum Days {
    Timeline,
    Dates,
}

/// A board of sprints, and a board of work that links to it. It is Sunday, March 1.
struct Linked {
    program: Program,
    sprints: Value,
    work: String,
    dashboard: Value,
    /// The day columns of the sprints, and those of the work: sprint, points, state.
    days: Vec<String>,
    columns: [String; 3],
    past: Value,
    running: Value,
}

async fn ask(program: &Program, op: &str, input: Value) -> Value {
    owner(program, op, input).await.unwrap_or_else(|e| panic!("{op}: {e}"))
}

async fn column(program: &Program, board: &Value, title: &str, kind: &str, settings: Value) -> String {
    let input = json!({"boardId": board, "title": title, "type": kind, "settings": settings});
    ask(program, "boards.columns.create", input).await["id"].as_str().expect("an id").to_owned()
}

impl Linked {
    async fn start(of: Days) -> Linked {
        let program = program().await;
        let p = &program;
        let workspace = ask(p, "workspaces.list", json!({})).await["items"][0]["id"].clone();
        let board = async |name: &str| {
            let input = json!({"workspaceId": workspace, "name": name, "preset": "blank"});
            ask(p, "boards.create", input).await["id"].clone()
        };
        let (sprints, work) = (board("Sprints").await, board("Work").await);
        // Days that mean something else come first: the sprint column says which count.
        let (days, settings) = match of {
            Days::Timeline => {
                column(p, &sprints, "Planning", "timeline", json!({})).await;
                let when = column(p, &sprints, "When", "timeline", json!({})).await;
                (vec![when.clone()], json!({"boardId": sprints, "timelineColumn": when}))
            }
            Days::Dates => {
                column(p, &sprints, "Review", "date", json!({})).await;
                let start = column(p, &sprints, "Start", "date", json!({})).await;
                let end = column(p, &sprints, "End", "date", json!({})).await;
                let settings = json!({"boardId": sprints, "startColumn": start, "endColumn": end});
                (vec![start, end], settings)
            }
        };
        let work_id = work.as_str().expect("an id").to_owned();
        let labels = json!({"labels": [{"text": "Open"}, {"text": "Done", "done": true}]});
        let columns = [
            column(p, &work, "Sprint", "sprint", settings).await,
            column(p, &work, "Points", "number", json!({})).await,
            column(p, &work, "State", "status", labels).await,
        ];
        column(p, &work, "Finished", "date", json!({})).await;
        let widget = |kind: &str| {
            let layout = json!({"x": 0, "y": 0, "w": 6, "h": 6});
            json!({"id": kind, "kind": kind, "title": "", "layout": layout, "settings": {}})
        };
        let widgets = ["velocity", "burndown", "planned"].map(widget);
        let config = json!({"boardIds": [work], "widgets": widgets});
        let input = json!({"workspaceId": workspace, "name": "Sprints", "config": config});
        let dashboard = ask(p, "dashboards.create", input).await["id"].clone();
        let mut linked = Linked {
            sprints,
            work: work_id,
            dashboard,
            days,
            columns,
            past: Value::Null,
            running: Value::Null,
            program,
        };
        linked.past = linked.sprint("Past", "2026-02-09", "2026-02-20").await;
        linked.running = linked.sprint("Running", "2026-02-23", "2026-03-06").await;
        linked
    }
    fn cells(&self, first: &str, last: &str) -> Value {
        match &*self.days {
            [when] => json!({when: {"from": first, "to": last}}),
            [start, end] => json!({start: first, end: last}),
            _ => unreachable!("one column or two"),
        }
    }
    async fn sprint(&self, name: &str, first: &str, last: &str) -> Value {
        let input = json!({"boardId": self.sprints, "name": name, "cells": self.cells(first, last)});
        ask(&self.program, "boards.items.create", input).await["id"].clone()
    }
    async fn add(&self, name: &str, sprint: &Value, points: i64, state: &str) -> Value {
        let [s, p, d] = &self.columns;
        let cells = json!({s: [sprint], p: points, d: state});
        let input = json!({"boardId": self.work, "name": name, "cells": cells});
        ask(&self.program, "boards.items.create", input).await["id"].clone()
    }
    async fn shown(&self) -> [Value; 3] {
        let shown = ask(&self.program, "dashboards.show", json!({"dashboardId": self.dashboard})).await;
        [0, 1, 2].map(|at| shown["widgets"][at].clone())
    }
}

/// Sprints as `label completed/scope phase from..to`.
fn velocity(widget: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let one = |sprint: &Value| {
        let [completed, scope] = ["completed", "scope"].map(|member| text(&sprint[member]["text"]));
        let [label, phase, from, to] = ["label", "phase", "from", "to"].map(|member| text(&sprint[member]));
        format!("{label} {completed}/{scope} {phase} {from}..{to}")
    };
    widget["result"]["sprints"].as_array().into_iter().flatten().map(one).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn the_days_of_linked_sprints_reach_the_widgets() {
    for of in [Days::Timeline, Days::Dates] {
        let linked = Linked::start(of).await;
        linked.add("a", &linked.past, 3, DONE).await;
        linked.add("b", &linked.past, 2, OPEN).await;
        linked.add("c", &linked.running, 5, DONE).await;
        linked.add("d", &linked.running, 8, OPEN).await;

        let [velocity_now, burndown, planned] = linked.shown().await;
        let past = "Past 3/5 closed 2026-02-09..2026-02-20";
        assert_eq!(velocity(&velocity_now), format!("{past}, Running 5/13 active 2026-02-23..2026-03-06"), "{of:?}");
        assert_eq!(velocity_now["approximate"], json!(false), "{of:?}: nothing is inferred");
        let sprint = &burndown["result"]["sprint"];
        let told = ["label", "phase", "from", "to"].map(|member| sprint[member].as_str().unwrap_or_default());
        assert_eq!(told, ["Running", "active", "2026-02-23", "2026-03-06"], "{of:?}");
        // The beginning, and each day from the first to today.
        assert_eq!(burndown["result"]["days"].as_array().map(Vec::len), Some(8), "{of:?}: {burndown}");
        assert_eq!(burndown["result"]["ideal"].as_array().map(Vec::len), Some(13), "{of:?}: {burndown}");
        // Items that were made today came after both sprints began, and that is known of sprints with days only.
        let split = |at: usize, member: &str| planned["result"]["sprints"][at][member]["text"].clone();
        for (at, done, open) in [(0, "3", "2"), (1, "5", "8")] {
            assert_eq!((split(at, "unplannedDone"), split(at, "unplannedOpen")), (json!(done), json!(open)), "{of:?}");
        }

        // The sprint's days change on its own board; what shows them follows.
        let cells = linked.cells("2026-02-23", "2026-02-27");
        let input = json!({"boardId": linked.sprints, "itemId": linked.running, "cells": cells});
        ask(&linked.program, "boards.items.update", input).await;
        let [velocity_now, ..] = linked.shown().await;
        assert_eq!(velocity(&velocity_now), format!("{past}, Running 5/13 closed 2026-02-23..2026-02-27"), "{of:?}");
    }
}

#[tokio::test]
async fn snapshots_see_linked_sprints() {
    for of in [Days::Timeline, Days::Dates] {
        let linked = Linked::start(of).await;
        let next = linked.sprint("Next", "2026-03-02", "2026-03-13").await;
        let first = linked.add("first", &next, 5, OPEN).await;
        let snapshots = async |op: &str, more: Value| {
            let mut input = json!({"dashboardId": linked.dashboard});
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            ask(&linked.program, op, input).await
        };
        snapshots("dashboards.snapshots.set", json!({"on": true})).await;
        let day = async || {
            linked.program.clock.advance_ms(DAY_MS);
            linked.program.run_due().await;
        };
        day().await;
        let kept = snapshots("dashboards.snapshots.get", json!({})).await;
        assert_eq!((&kept["days"], &kept["sprints"]), (&json!(1), &json!(1)), "{of:?}: {kept}");
        day().await;
        day().await;
        // What comes later than the day after the sprint began was not planned.
        let update = json!({"boardId": linked.work, "itemId": first, "cells": {&linked.columns[2]: DONE}});
        ask(&linked.program, "boards.items.update", update).await;
        linked.add("second", &next, 3, OPEN).await;
        day().await;
        let [_, burndown, planned] = linked.shown().await;
        let days = burndown["result"]["days"].as_array().expect("days");
        let text = |day: &Value| format!("{}/{}", day["remaining"]["text"], day["scope"]["text"]).replace('"', "");
        assert_eq!(days.iter().map(text).collect::<Vec<_>>(), ["5/5", "5/5", "5/5", "3/8", "3/8"], "{of:?}");
        let sprint = &planned["result"]["sprints"][0];
        let split = ["plannedDone", "unplannedOpen"].map(|member| sprint[member]["text"].clone());
        assert_eq!(split, [json!("5"), json!("3")], "{of:?}: {planned}");
        for widget in [&burndown, &planned] {
            assert_eq!((&widget["approximate"], &widget["reasons"]), (&json!(false), &json!([])), "{of:?}: {widget}");
        }
    }
}

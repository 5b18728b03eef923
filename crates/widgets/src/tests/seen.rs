//! Sprints that a dashboard's history has seen. Today is 2026-11-21, a Saturday; the sprint began on the Monday before.

use super::sprints::{burndown, cells, columns, planned};
use super::{NOW, board, engine};
use crate::dates::parse;
use crate::history::{By, Now, Recorded, Was};
use crate::{BoardHistory, DAYS_AFTER, DAYS_BEFORE, Engine, History, Query};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A board with items as `id = sprint | effort | status`.
fn team(items: &str) -> Value {
    let (ids, items): (Vec<&str>, Vec<&str>) = items.split(',').filter_map(|item| item.split_once('=')).unzip();
    let cells: Vec<Value> = items.iter().map(|item| cells(item)).collect();
    let mut team = board("a", columns(), &cells);
    ids.iter().enumerate().for_each(|(at, id)| team["items"][at]["id"] = json!(id.trim()));
    team
}

/// How the board was when each day ended, from the 16th on.
const DAYS: [&str; 6] = [
    "a=S|5|open, b=S|3|open, c=S|2|open, x=|9|open",
    "a=S|5|open, b=S|3|open, c=S|2|open, d=S|4|open, x=|9|open",
    "a=S|5|done, b=S|8|open, c=S|2|open, d=S|4|open, e=S|1|open, x=|9|open",
    "a=S|5|done, b=S|8|open, c=T|2|open, d=S|4|done, e=S|1|open, x=|9|open",
    "a=S|5|done, b=S|8|open, c=T|2|open, d=S|4|done, f=S|2|done, x=|9|open",
    "a=S|5|done, b=S|8|open, c=T|2|open, d=S|4|done, f=S|2|done, x=|9|open",
];

fn day(day: &str) -> i32 {
    parse(&format!("2026-11-{day}")).expect("a day")
}

fn query(kind: &str, to: &str, filters: Value) -> Query {
    let dates =
        json!([{"key": "S", "from": "2026-11-16", "to": to}, {"key": "T", "from": "2026-12-28", "to": "2026-12-31"}]);
    let cols = json!({"sprint": {"a": ["s"]}, "effort": {"a": ["e"]}, "done": {"a": ["d"]}, "date": {"a": ["f"]}});
    let widget = json!({"id": "w", "kind": kind, "sprints": dates, "cols": cols, "sprint": "s"});
    let query = json!({"boards": ["a"], "filters": filters, "widgets": [widget], "now": NOW, "history": "h"});
    serde_json::from_value(query).expect("a query")
}

/// What is remembered when each of these days has been recorded after it ended.
fn remembered(to: &str, days: &[i32]) -> History {
    let mut history = History::default();
    for at in days {
        let board = team(DAYS[(at - day("16")) as usize]);
        engine(&[board]).remember(
            &query("burndown", to, json!({})),
            &mut history,
            &BTreeMap::from([("a".into(), *at)]),
            *at,
        );
    }
    history
}

fn show(kind: &str, to: &str, filters: Value, history: &History) -> (Engine, Value) {
    let mut engine = engine(&[team(DAYS[5])]);
    engine.set_history("h", json!(history));
    let answer = serde_json::to_value(&engine.query(&query(kind, to, filters)).widgets[0]).expect("JSON");
    (engine, answer)
}

fn all() -> Vec<i32> {
    (day("16")..=day("20")).collect()
}

#[test]
fn a_burndown_of_a_sprint_that_was_seen_is_exact() {
    let (engine, answer) = show("burndown", "2026-11-29", json!({}), &remembered("2026-11-29", &all()));
    // What came within the grace was there from the beginning, at what it weighed then; b was estimated anew on the 18th, c
    // was moved out on the 19th, e was deleted on the 20th.
    assert_eq!(burndown(&answer), ":14/14 16:14/14 17:14/14 18:15/20 19:9/18 20:8/19 21:8/19");
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(false), &json!([])));
    assert_eq!(answer["result"]["remaining"]["value"], 8.0);
    let behind = |which: &str| {
        let asked = serde_json::from_value(json!({"widget": "w", "part": {"which": which}})).expect("a question");
        let items = engine.items(&query("burndown", "2026-11-29", json!({})), &asked).expect("items").items;
        items.iter().map(|item| item["itemId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (behind("remaining"), behind("done")),
        (vec!["b".to_owned()], vec!["a".to_owned(), "d".into(), "f".into()])
    );
}

#[test]
fn a_closed_burndown_stays_as_it_ended() {
    // The sprint ended on the 18th; d was finished a day late, f came and was done on the 20th.
    let (_, answer) = show("burndown", "2026-11-18", json!({}), &remembered("2026-11-18", &all()));
    assert_eq!(burndown(&answer), ":14/14 16:14/14 17:14/14 18:15/20 19:9/18 20:8/19");
    assert_eq!(answer["approximate"], false);
    // Long after its end the days behind are no longer looked at, and it stays as it was.
    let mut history = remembered("2026-11-18", &all());
    let query = query("burndown", "2026-11-18", json!({}));
    let emptied = team("a=T|5|done, x=|9|open");
    engine(&[emptied]).remember(&query, &mut history, &BTreeMap::from([("a".into(), day("21"))]), day("30") + 60);
    let (_, answer) = show("burndown", "2026-11-18", json!({}), &history);
    assert_eq!(burndown(&answer), ":14/14 16:14/14 17:14/14 18:15/20 19:9/18 20:8/19");
}

#[test]
fn planned_is_what_was_in_the_sprint_when_the_grace_was_over() {
    let history = remembered("2026-11-29", &all());
    let (_, answer) = show("planned", "2026-11-29", json!({}), &history);
    assert_eq!(planned(&answer), "S 8+9 0+2 ?0 11%");
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(false), &json!([])));
    assert_eq!(answer["result"]["footnotes"], json!([{"code": "taken-out", "items": 1}]));
    assert_eq!(answer["result"]["sprints"][0]["seen"], true);
    // Of a closed one what was in it at its end: e, which is deleted since, among it.
    let (engine, answer) = show("planned", "2026-11-19", json!({}), &remembered("2026-11-19", &all()));
    assert_eq!(planned(&answer), "S 8+9 1+0 ?0 6%");
    let asked =
        serde_json::from_value(json!({"widget": "w", "part": {"sprint": "s", "which": "plannedDone"}})).unwrap();
    let items = engine.items(&query("planned", "2026-11-19", json!({})), &asked).unwrap().items;
    assert_eq!(items.iter().map(|item| &item["itemId"]).collect::<Vec<_>>(), ["a", "d"]);
}

#[test]
fn days_that_nobody_saw_keep_the_reason() {
    let days: Vec<i32> = all().into_iter().filter(|at| *at != day("18")).collect();
    let history = remembered("2026-11-29", &days);
    let (_, answer) = show("burndown", "2026-11-29", json!({}), &history);
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(true), &json!(["no-history", "days-missing"])));
    // Planned needs the end of the grace alone, and today.
    let (_, answer) = show("planned", "2026-11-29", json!({}), &history);
    assert_eq!((planned(&answer), &answer["approximate"]), ("S 8+9 0+2 ?0 11%".into(), &json!(false)));
    let (_, answer) = show("planned", "2026-11-29", json!({}), &remembered("2026-11-29", &[day("18"), day("19")]));
    assert_eq!(answer["reasons"], json!(["created-after-start"]));
    // Nothing is remembered yet, and the switch is on.
    let (_, answer) = show("burndown", "2026-11-29", json!({}), &History::default());
    assert_eq!(answer["reasons"], json!(["no-history"]));
}

#[test]
fn a_sprint_that_got_its_days_later_was_not_seen_before() {
    // On the first two days the sprint lay far ahead: it was there and was not recorded.
    let far = |days: &[i32], history: &mut History| {
        let mut far = query("burndown", "2026-11-29", json!({}));
        far.widgets[0]["sprints"] = json!([{"key": "S", "from": "2027-02-01", "to": "2027-02-12"}]);
        for at in days {
            let board = team(DAYS[(at - day("16")) as usize]);
            engine(&[board]).remember(&far, history, &BTreeMap::from([("a".into(), *at)]), *at);
        }
    };
    let mut history = History::default();
    far(&all()[..2], &mut history);
    for at in &all()[2..] {
        let board = team(DAYS[(at - day("16")) as usize]);
        let query = query("burndown", "2026-11-29", json!({}));
        engine(&[board]).remember(&query, &mut history, &BTreeMap::from([("a".into(), *at)]), *at);
    }
    let (_, answer) = show("burndown", "2026-11-29", json!({}), &history);
    assert_eq!(answer["reasons"], json!(["no-history", "days-missing"]));
    // One that nothing was in is known to have been empty.
    let mut empty = History::default();
    for at in all() {
        let board = team(if at < day("18") { "x=|9|open" } else { "a=S|5|open, x=|9|open" });
        let query = query("burndown", "2026-11-29", json!({}));
        engine(&[board]).remember(&query, &mut empty, &BTreeMap::from([("a".into(), at)]), at);
    }
    let (_, answer) = show("burndown", "2026-11-29", json!({}), &empty);
    assert_eq!(burndown(&answer), ":0/0 16:0/0 17:0/0 18:5/5 19:5/5 20:5/5 21:8/19");
}

#[test]
fn what_is_gone_cannot_be_asked_for_filters() {
    let rule = json!({"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "contains", "value": "Item"});
    let filters = json!({"v": 1, "people": null, "all": [rule]});
    let (_, answer) = show("burndown", "2026-11-29", filters, &remembered("2026-11-29", &all()));
    // e is left out, and that is said.
    assert_eq!(burndown(&answer), ":14/14 16:14/14 17:14/14 18:14/19 19:8/17 20:8/19 21:8/19");
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(true), &json!(["gone-items"])));
}

#[test]
fn a_day_is_recorded_once_and_the_oldest_goes() {
    let mut history = remembered("2026-11-18", &all());
    let before = history.clone();
    let query = query("burndown", "2026-11-18", json!({}));
    let other = team("a=S|500|open");
    engine(&[other]).remember(&query, &mut history, &BTreeMap::from([("a".into(), day("16"))]), day("20"));
    assert_eq!(history, before);
    let board = history.0.get_mut("a").unwrap();
    assert_eq!(board.extent(), (5, 1));
    assert!(board.shrink(day("16"), 10_000));
    assert_eq!(board.extent(), (5, 1));
    assert!(board.shrink(day("18"), 10_000));
    assert_eq!(board.extent(), (3, 1));
    assert!(!board.shrink(day("18"), 10), "not even the days have room");
    assert!(board.shrink(day("21"), 10_000));
    assert_eq!(board.extent(), (0, 0));
}

/// A record of sprints of a week each, one after the other, of so many items that are archived when it is over, up to a day.
fn housekept(weeks: i32, items: usize, bytes_max: usize) -> BoardHistory {
    let mut board = BoardHistory::default();
    for day in 0..weeks * 7 {
        let week = day / 7;
        let items: Vec<String> = (0..items).map(|at| format!("w{week}-{at}")).collect();
        let items = items.iter().map(|item| Was { item, effort: Some(f64::from(day % 7)), label: None }).collect();
        let days = Some((week * 7 - DAYS_BEFORE, week * 7 + 6 + DAYS_AFTER));
        let by = By { sprint: Some("s".into()), effort: None, done: None, subitems: false };
        board.take(&Now { by, sprints: BTreeMap::from([(format!("W{week}"), (days, items))]) }, day, day);
        assert!(board.shrink(day - 99, bytes_max), "day {day}: all is lost");
    }
    board
}

#[test]
fn sprints_whose_items_are_gone_are_forgotten_as_any_other() {
    let knows = |board: &BoardHistory, week: i32| {
        let history = json!({"a": board});
        let by = By { sprint: Some("s".into()), effort: None, done: None, subitems: false };
        let record = Recorded::find(&history, "a", &by).expect("a record");
        (week * 7..week * 7 + 7).all(|day| record.knows(&format!("W{week}"), day))
    };
    // By age: 40 weeks are 280 days, of which 100 are kept.
    let by_age = housekept(40, 3, 1_000_000);
    assert_eq!(by_age.extent().0, 100);
    assert!(by_age.extent().1 <= (100 + DAYS_AFTER as usize) / 7 + 1, "{:?}", by_age.extent());
    assert_eq!([0, 20, 30, 39].map(|week| knows(&by_age, week)), [false, false, true, true]);
    // By size: the latest stay, as many as there is room for.
    let by_size = housekept(40, 100, 40_000);
    assert_eq!([0, 30, 38, 39].map(|week| knows(&by_size, week)), [false, false, true, true]);
}

#[test]
fn as_many_sprints_stay_as_there_is_room_for() {
    // Two widgets' columns, sprints that overlap, and names that take more bytes than letters.
    let mut board = BoardHistory::default();
    for day in 0..60 {
        for effort in [None, Some("e".to_owned())] {
            let keys = (day / 10..day / 10 + 3).map(|at| format!("\"S{at}\" ä"));
            let sprint = |key: String| {
                let was = Was { item: "i", effort: Some(f64::from(day)), label: None };
                let days = (!key.contains('4')).then_some((0, 40 + day));
                (key, (days, vec![was]))
            };
            let by = By { sprint: Some("s".into()), effort, done: None, subitems: false };
            board.take(&Now { by, sprints: keys.map(sprint).collect() }, day, day);
        }
    }
    let bytes = |board: &BoardHistory| json!(board).to_string().len();
    let shrunk = |bytes_max: usize| {
        let mut board = board.clone();
        board.shrink(0, bytes_max).then_some(board)
    };
    let (mut room, mut sizes) = (bytes(&board), Vec::new());
    while let Some(board) = shrunk(room) {
        // Exactly that has room: a byte less takes one more sprint.
        sizes.push(bytes(&board));
        assert!(sizes.last() <= Some(&room));
        assert_eq!(shrunk(bytes(&board)), Some(board));
        room = sizes[sizes.len() - 1] - 1;
    }
    assert_eq!(sizes.len(), 15, "{sizes:?}");
}

#[test]
fn a_sprint_is_recorded_by_the_days_of_each_widget_that_reads_the_same_columns() {
    let exact = show("burndown", "2026-11-29", json!({}), &remembered("2026-11-29", &all())).1["result"].clone();
    let without = json!([]);
    let of_another = json!([{"key": "T", "from": "2026-12-28", "to": "2026-12-31"}]);
    let far = json!([{"key": "S", "from": "2027-02-01", "to": "2027-02-12"}]);
    for other in [without, of_another, far] {
        for at in [0, 1] {
            let mut history = History::default();
            for today in all() {
                let mut both = query("burndown", "2026-11-29", json!({}));
                let mut planned = both.widgets[0].clone();
                planned["id"] = json!("p");
                planned["kind"] = json!("planned");
                planned["sprints"] = other.clone();
                both.widgets.insert(at, planned);
                let board = team(DAYS[(today - day("16")) as usize]);
                engine(&[board]).remember(&both, &mut history, &BTreeMap::from([("a".into(), today)]), today);
            }
            let (_, answer) = show("burndown", "2026-11-29", json!({}), &history);
            assert_eq!((&answer["result"], &answer["reasons"]), (&exact, &json!([])), "{other} at {at}");
        }
    }
}

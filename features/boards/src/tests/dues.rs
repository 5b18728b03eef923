//! Dates that come near and pass, by a clock that is turned by hand. The tests begin on 2026-03-01 at 12:00 UTC.

use super::{ANNA, BEN, add_column, start, tasks_board};
use crate::dues::{self, DUE_EVENTS_MAX};
use events::{HasEvents, Numbered};
use kit::clock::HomeZone;
use kit::{Ctx, SettingsSource};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{HasDb, params};
use testkit::{ACCOUNT, Program, START_MS};
use tokio::sync::broadcast::Receiver;

const HOUR: i64 = 3_600_000;

/// Follows what changed and sends what is due; the time of the next event.
pub(super) async fn step(program: &Program) -> Option<i64> {
    dues::follow_boards(&program.ctx).await.unwrap();
    program.fire_timers().await;
    program.ctx.db().read(|tx| schedule::due_of(tx, ACCOUNT, dues::NEXT, "")).await.unwrap()
}

fn listen(program: &Program) -> Receiver<Numbered> {
    program.ctx.events().listen(None).1
}

/// What is told now, each as `soon NAME` or `overdue NAME` with whom it is for; in the order told.
async fn due_events(program: &Program, heard: &mut Receiver<Numbered>) -> Vec<String> {
    step(program).await;
    let mut told = Vec::new();
    while let Ok(numbered) = heard.try_recv() {
        let event = serde_json::to_value(&numbered.event).unwrap();
        let kind = match event["event"].as_str().unwrap() {
            "item-due-soon" => "soon",
            "item-overdue" => "overdue",
            _ => continue,
        };
        assert_eq!(numbered.account.as_deref(), Some(ACCOUNT));
        let board = event["boardId"].as_str().unwrap();
        let items = program.owner("boards.items.list", json!({"boardId": board})).await.unwrap();
        let item = items["items"].as_array().unwrap().iter().find(|item| item["id"] == event["itemId"]).unwrap();
        let members: Vec<&str> = event["memberIds"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        told.push(
            format!(
                "{kind} {} {} {}",
                item["name"].as_str().unwrap(),
                &event["date"].as_str().unwrap()[5..],
                members.join("+")
            )
            .trim()
            .to_owned(),
        );
    }
    told
}

async fn add(program: &Program, board: &str, name: &str, due: &str, members: &[&str]) -> String {
    let input = json!({"boardId": board, "name": name, "cells": {"c3": due, "c2": members}});
    program.owner("boards.items.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn set(program: &Program, board: &str, item: &str, column: &str, value: Value) {
    let input = json!({"boardId": board, "itemId": item, "columnId": column, "value": value});
    program.owner("boards.cell", input).await.unwrap();
}

/// The label of the status column that means done, or the first that does not.
async fn label(program: &Program, board: &str, done: bool) -> Value {
    let board = program.owner("boards.get", json!({"boardId": board})).await.unwrap();
    let labels = board["columns"][0]["settings"]["labels"].as_array().unwrap();
    labels.iter().find(|label| (label["done"] == true) == done).unwrap()["id"].clone()
}

async fn live_in(program: &Program, member: &'static str, zone: &'static str) {
    let sql = "UPDATE members SET time_zone = $3 WHERE account_id = $1 AND member_id = $2";
    program.ctx.db().write(move |tx| tx.execute(sql, params![ACCOUNT, member, zone])).await.unwrap();
}

/// Turns the clock to an instant that many hours after midnight of 2026-03-01 in UTC.
fn turn(program: &Program, hours: i64) {
    let now = program.ctx.now_ms();
    program.clock.advance_ms(START_MS - 12 * HOUR + hours * HOUR - now);
}

#[tokio::test]
async fn the_day_before_and_the_end_of_the_day_are_told_once() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    add(&program, &board, "A", "2026-03-03", &[]).await;
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new());
    turn(&program, 24);
    program.clock.advance_ms(-1);
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new(), "a moment before midnight");
    program.clock.advance_ms(1);
    assert_eq!(due_events(&program, &mut heard).await, ["soon A 03-03"]);
    turn(&program, 72);
    program.clock.advance_ms(-1);
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new(), "the day itself has not ended");
    program.clock.advance_ms(1);
    assert_eq!(due_events(&program, &mut heard).await, ["overdue A 03-03"]);
    turn(&program, 500);
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new());
}

#[tokio::test]
async fn each_members_own_day_counts_and_nobodys_is_that_of_the_machine() {
    let program = start().await;
    program.ctx.provide(Arc::new(HomeZone("America/New_York".into())));
    live_in(&program, ANNA, "Asia/Tokyo").await;
    live_in(&program, BEN, "Europe/Berlin").await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    add(&program, &board, "A", "2026-03-02", &[ANNA, BEN]).await;
    add(&program, &board, "B", "2026-03-02", &[]).await;
    // Noon in UTC on the first: the day before has begun everywhere.
    let anna_and_ben = format!("soon A 03-02 {ANNA}+{BEN}");
    let mut first = due_events(&program, &mut heard).await;
    first.sort();
    assert_eq!(first, [anna_and_ben.as_str(), "soon B 03-02"]);
    // The second of March ends at 15:00 UTC in Tokyo, at 23:00 in Berlin, and at 5:00 of the third in New York.
    let ends = [
        (24 + 15, format!("overdue A 03-02 {ANNA}")),
        (24 + 23, format!("overdue A 03-02 {BEN}")),
        (48 + 5, "overdue B 03-02".to_owned()),
    ];
    for (hours, expected) in ends {
        turn(&program, hours);
        program.clock.advance_ms(-1);
        assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new(), "before {expected}");
        assert_eq!(step(&program).await, Some(program.ctx.now_ms() + 1), "it wakes just then");
        program.clock.advance_ms(1);
        assert_eq!(due_events(&program, &mut heard).await, [expected]);
    }
    assert_eq!(step(&program).await, None, "nothing is left to wake for");
}

#[tokio::test]
async fn a_day_of_23_or_25_hours_ends_when_clocks_say_so() {
    let program = start().await;
    live_in(&program, ANNA, "Europe/Berlin").await;
    // There clocks are put back over midnight, and the day of the change has 24:00 twice: it ends at the second.
    live_in(&program, BEN, "America/Havana").await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    add(&program, &board, "Spring", "2026-03-29", &[ANNA]).await;
    add(&program, &board, "Cuba", "2026-03-07", &[BEN]).await;
    // Havana puts its clocks forward at midnight of the eighth, to 1:00 (5:00 UTC): the seventh ends there.
    turn(&program, 7 * 24 + 5);
    program.clock.advance_ms(-1);
    assert_eq!(due_events(&program, &mut heard).await, [format!("soon Cuba 03-07 {BEN}")]);
    program.clock.advance_ms(1);
    assert_eq!(due_events(&program, &mut heard).await, [format!("overdue Cuba 03-07 {BEN}")]);
    // The 29th of March has 23 hours in Berlin: from 23:00 UTC of the 28th to 22:00 UTC.
    turn(&program, 28 * 24 + 22);
    program.clock.advance_ms(-1);
    assert_eq!(due_events(&program, &mut heard).await, [format!("soon Spring 03-29 {ANNA}")]);
    program.clock.advance_ms(1);
    assert_eq!(due_events(&program, &mut heard).await, [format!("overdue Spring 03-29 {ANNA}")]);
}

#[tokio::test]
async fn another_date_is_told_anew_and_the_same_one_is_not() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    let item = add(&program, &board, "A", "2026-03-02", &[]).await;
    assert_eq!(due_events(&program, &mut heard).await, ["soon A 03-02"]);
    set(&program, &board, &item, "c3", json!("2026-03-05")).await;
    turn(&program, 49);
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new(), "the first date was moved away");
    turn(&program, 73);
    assert_eq!(due_events(&program, &mut heard).await, ["soon A 03-05"]);
    set(&program, &board, &item, "c3", json!(null)).await;
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new());
    set(&program, &board, &item, "c3", json!("2026-03-05")).await;
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new(), "of this date it was told");
    set(&program, &board, &item, "c3", json!("2026-02-01")).await;
    assert_eq!(due_events(&program, &mut heard).await, ["overdue A 02-01"], "a date that is past already");
    program.owner("boards.items.delete", json!({"boardId": board, "itemId": item})).await.unwrap();
    program.owner("boards.trash.delete", json!({"boardId": board, "kind": "item", "entryId": item})).await.unwrap();
    turn(&program, 1000);
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new());
    let count = |tx: &mut store::Tx<'_>| {
        tx.query_one("SELECT count(*) FROM item_dues_told WHERE account_id = $1", params![ACCOUNT], |row| {
            row.get::<i64>(0)
        })
    };
    assert_eq!(program.ctx.db().read(count).await.unwrap(), 0, "nothing stays of an item that is gone");
}

#[tokio::test]
async fn what_is_done_is_not_told_unless_it_is_opened_again() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let (open, done) = (label(&program, &board, false).await, label(&program, &board, true).await);
    let mut heard = listen(&program);
    let item = add(&program, &board, "A", "2026-03-02", &[]).await;
    set(&program, &board, &item, "c1", done).await;
    turn(&program, 60);
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new());
    set(&program, &board, &item, "c1", open).await;
    assert_eq!(due_events(&program, &mut heard).await, ["overdue A 03-02"]);
}

#[tokio::test]
async fn a_restart_tells_what_came_about_meanwhile_and_nothing_twice() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    add(&program, &board, "A", "2026-03-02", &[]).await;
    add(&program, &board, "B", "2026-03-10", &[]).await;
    assert_eq!(due_events(&program, &mut heard).await, ["soon A 03-02"]);
    turn(&program, 47);
    let program = program.restart().await;
    let mut heard = listen(&program);
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new());
    program.clock.advance_ms(2 * HOUR);
    let program = program.restart().await;
    let mut heard = listen(&program);
    // The program's own watch may have been quicker: it tells the same bus.
    let now = due_events(&program, &mut heard).await;
    let earlier = program.ctx.events().listen(Some(0)).0.unwrap();
    let overdue = earlier.iter().filter(|numbered| numbered.event.name() == "item-overdue").count();
    assert_eq!(overdue, 1, "{now:?}");
}

struct Switch(AtomicBool);

impl SettingsSource for Switch {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == "projectBoardsEnabled").then(|| json!(self.0.load(Ordering::SeqCst)))
    }
}

fn switched_off(ctx: &Ctx) -> Arc<Switch> {
    let switch = Arc::new(Switch(AtomicBool::new(false)));
    ctx.provide_settings(switch.clone());
    switch
}

#[tokio::test]
async fn boards_that_are_switched_off_tell_nothing_until_they_are_on_again() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let switch = switched_off(&program.ctx);
    let mut heard = listen(&program);
    add(&program, &board, "A", "2026-03-02", &[]).await;
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new());
    assert_eq!(step(&program).await, None, "nothing wakes it");
    switch.0.store(true, Ordering::SeqCst);
    assert_eq!(due_events(&program, &mut heard).await, ["soon A 03-02"]);
}

#[tokio::test]
async fn the_date_is_the_due_one_else_the_only_one() {
    let program = start().await;
    let blank = json!({"workspaceId": super::WORKSPACE, "name": "Dates", "preset": "blank"});
    let board = program.owner("boards.create", blank).await.unwrap()["id"].as_str().unwrap().to_owned();
    let mut heard = listen(&program);
    let start_column = add_column(&program, &board, "Start", "date", json!({})).await;
    let cells = json!({start_column.clone(): "2026-03-02"});
    let item =
        program.owner("boards.items.create", json!({"boardId": board, "name": "A", "cells": cells})).await.unwrap();
    let item = item["id"].as_str().unwrap();
    assert_eq!(due_events(&program, &mut heard).await, ["soon A 03-02"], "the only date");
    let end = add_column(&program, &board, "Seen", "date", json!({})).await;
    set(&program, &board, item, &end, json!("2026-02-02")).await;
    turn(&program, 100);
    assert_eq!(due_events(&program, &mut heard).await, Vec::<String>::new(), "neither of two");
    let input = json!({"boardId": board, "columnId": end, "title": "Due by"});
    program.owner("boards.columns.update", input).await.unwrap();
    assert_eq!(due_events(&program, &mut heard).await, ["overdue A 02-02"]);
}

#[tokio::test]
async fn very_many_at_once_are_told_in_one_and_a_step_without_changes_writes_nothing() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    let items: Vec<_> =
        (0..=DUE_EVENTS_MAX).map(|i| json!({"name": format!("I{i}"), "cells": {"c3": "2026-02-20"}})).collect();
    let made = program.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
    let mut ids: Vec<_> = made["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    step(&program).await;
    let mut summaries = Vec::new();
    while let Ok(numbered) = heard.try_recv() {
        if numbered.event.name().starts_with("item") {
            summaries.push(serde_json::to_value(&numbered.event).unwrap());
        }
    }
    let mut told = summaries[0]["itemIds"].as_array_mut().map(std::mem::take).unwrap();
    for ids in [&mut ids, &mut told] {
        ids.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    }
    assert_eq!(told, ids);
    let expected =
        json!({"event": "items-due", "boardId": board, "dueSoon": 0, "overdue": 51, "items": 51, "itemIds": []});
    assert_eq!(summaries, [expected]);
    let commits = program.ctx.db().commits();
    assert_eq!(step(&program).await, None);
    assert_eq!(program.ctx.db().commits(), commits);
}

#[tokio::test]
async fn nothing_is_told_of_what_lies_in_the_trash_until_it_is_back() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let item = add(&p, &b, "Item", "2026-03-01", &[]).await;
    add(&p, &b, "Other", "2026-03-02", &[]).await;
    let mut heard = listen(&p);
    due_events(&p, &mut heard).await;
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": item})).await.unwrap();
    p.owner("boards.delete", json!({"boardId": b})).await.unwrap();
    turn(&p, 24 * 4);
    step(&p).await;
    while let Ok(numbered) = heard.try_recv() {
        let event = serde_json::to_value(&numbered.event).unwrap();
        assert_ne!(event["event"], "item-overdue");
    }
    p.owner("boards.restore", json!({"boardId": b})).await.unwrap();
    turn(&p, 24 * 5);
    assert_eq!(due_events(&p, &mut heard).await, ["overdue Other 03-02"]);
    p.owner("boards.items.restore", json!({"boardId": b, "itemId": item})).await.unwrap();
    assert_eq!(due_events(&p, &mut heard).await, ["overdue Item 03-01"]);
}

#[tokio::test]
async fn what_was_told_is_not_told_again_when_it_comes_back_from_wherever_it_was() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let id = |made: Value| made["id"].as_str().unwrap().to_owned();
    let group = id(p.owner("boards.groups.create", json!({"boardId": b, "name": "Group"})).await.unwrap());
    let of = |name: &str, due: &str, more: Value| {
        let mut input = json!({"boardId": b, "name": name, "cells": {"c3": due, "c2": [ANNA]}});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        p.owner("boards.items.create", input)
    };
    let parent = id(of("Parent", "2026-02-01", json!({"groupId": group})).await.unwrap());
    let part = id(of("Part", "2026-03-02", json!({"parentId": parent})).await.unwrap());
    let mut heard = listen(&p);
    let mut first = due_events(&p, &mut heard).await;
    first.sort();
    assert_eq!(first, [format!("overdue Parent 02-01 {ANNA}"), format!("soon Part 03-02 {ANNA}")]);

    let item = |id: &str| json!({"boardId": b, "itemId": id});
    let (in_group, board) = (json!({"boardId": b, "groupId": group}), json!({"boardId": b}));
    let with_items = json!({"boardId": b, "groupId": group, "withItems": true});
    let ways = [
        ("boards.items.archive", item(&part), Some(("boards.items.restore", item(&part)))),
        ("boards.items.delete", item(&part), None),
        ("boards.items.archive", item(&parent), Some(("boards.items.restore", item(&parent)))),
        ("boards.items.delete", item(&parent), None),
        ("boards.cells", json!({"boardId": b, "archive": [parent]}), None),
        ("boards.groups.delete", with_items.clone(), Some(("boards.groups.restore", in_group))),
        ("boards.groups.delete", with_items, None),
        ("boards.archive", board.clone(), Some(("boards.restore", board.clone()))),
        ("boards.delete", board.clone(), Some(("boards.restore", board.clone()))),
    ];
    for (away, input, back) in ways {
        p.owner(away, input).await.unwrap();
        // It was followed while it was away, for some minutes.
        step(&p).await;
        p.clock.advance_ms(HOUR / 10);
        step(&p).await;
        match back {
            Some((back, input)) => p.owner(back, input).await.unwrap(),
            None => {
                let revision = p.owner("boards.get", board.clone()).await.unwrap()["revision"].clone();
                p.owner("boards.undo", json!({"boardId": b, "revision": revision})).await.unwrap()
            }
        };
        assert_eq!(due_events(&p, &mut heard).await, Vec::<String>::new(), "{away}");
    }

    // What is another date by then is told, and what comes about later.
    p.owner("boards.items.delete", item(&parent)).await.unwrap();
    step(&p).await;
    p.owner("boards.items.restore", item(&parent)).await.unwrap();
    set(&p, &b, &parent, "c3", json!("2026-02-02")).await;
    assert_eq!(due_events(&p, &mut heard).await, [format!("overdue Parent 02-02 {ANNA}")]);
    turn(&p, 48);
    assert_eq!(due_events(&p, &mut heard).await, [format!("overdue Part 03-02 {ANNA}")]);
}

#[tokio::test]
async fn ends_other_languages_and_timelines_are_due_dates_too() {
    let program = start().await;
    let mut heard = listen(&program);
    for (first, second, cell, expected) in [
        (("Start", "date"), ("End", "date"), json!("2026-02-02"), "overdue A 02-02"),
        (("Erstellt", "date"), ("Fällig am", "date"), json!("2026-02-03"), "overdue A 02-03"),
        (
            ("Start", "date"),
            ("Phase", "timeline"),
            json!({"from": "2026-01-01", "to": "2026-02-04"}),
            "overdue A 02-04",
        ),
    ] {
        let blank = json!({"workspaceId": super::WORKSPACE, "name": "Dates", "preset": "blank"});
        let board = program.owner("boards.create", blank).await.unwrap()["id"].as_str().unwrap().to_owned();
        let first = add_column(&program, &board, first.0, first.1, json!({})).await;
        let second = add_column(&program, &board, second.0, second.1, json!({})).await;
        let cells = json!({first: "2026-01-01", second: cell});
        program.owner("boards.items.create", json!({"boardId": board, "name": "A", "cells": cells})).await.unwrap();
        assert_eq!(due_events(&program, &mut heard).await, [expected]);
    }
}

#[tokio::test]
async fn nothing_is_told_of_what_is_done_by_its_words_or_a_checkbox() {
    let program = start().await;
    let mut heard = listen(&program);
    for (kind, title, settings, done, is_done) in [
        ("status", "State", json!({"labels": [{"text": "Open"}, {"text": "Closed"}]}), json!("l2"), true),
        ("checkbox", "Finished", json!({}), json!(true), true),
        ("checkbox", "Urgent", json!({}), json!(true), false),
    ] {
        let blank = json!({"workspaceId": super::WORKSPACE, "name": "Dates", "preset": "blank"});
        let board = program.owner("boards.create", blank).await.unwrap()["id"].as_str().unwrap().to_owned();
        let due = add_column(&program, &board, "Due", "date", json!({})).await;
        let state = add_column(&program, &board, title, kind, settings).await;
        for (name, cells) in
            [("Open", json!({due.clone(): "2026-02-02"})), ("Done", json!({due: "2026-02-02", state: done}))]
        {
            program
                .owner("boards.items.create", json!({"boardId": board, "name": name, "cells": cells}))
                .await
                .unwrap();
        }
        let mut expected = vec!["overdue Open 02-02", "overdue Done 02-02"];
        expected.truncate(if is_done { 1 } else { 2 });
        // Two that are due at once come in the order of their ids, which within a millisecond is any.
        let mut heard = due_events(&program, &mut heard).await;
        heard.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(heard, expected, "{title}");
    }
}

#[tokio::test]
async fn a_change_is_followed_soon_and_writes_nothing_more_unless_a_date_changed() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let item = add(&p, &b, "A", "2026-03-10", &[]).await;
    p.run_due().await;
    let rename = json!({"boardId": b, "itemId": item, "name": "B"});
    p.owner("boards.items.update", rename).await.unwrap();
    let commits = p.ctx.db().commits();
    p.clock.advance_ms(1_000);
    p.run_due().await;
    assert_eq!(p.ctx.db().commits(), commits);
    let mut heard = listen(&p);
    set(&p, &b, &item, "c3", json!("2026-03-02")).await;
    p.run_due().await;
    p.clock.advance_ms(250);
    p.run_due().await;
    let names: Vec<String> = std::iter::from_fn(|| heard.try_recv().ok()).map(|one| one.event.name()).collect();
    assert!(names.iter().any(|name| name == "item-due-soon"), "{names:?}");
}

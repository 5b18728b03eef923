//! What changes of items cost: one cell, many editors at once, many items in one call, and what pages read afterwards.

use crate::client::Direct;
use crate::{Imported, ROUNDS, Started, median, row, yardstick};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};

const ARROW: &str = "application/vnd.apache.arrow.stream";
const JSON: &str = "application/json";
/// Editors at once.
const EDITORS: usize = 8;
/// How long editors are watched at a time.
const WATCHED: Duration = Duration::from_millis(700);

pub fn measure(started: &Started, dir: &Path) {
    println!("\n| what | ours | yardstick | ratio (median of {ROUNDS}) | goal |\n|---|---|---|---|---|");
    let workspace = started.workspace();
    let board = started.import(&workspace, 1_000);
    let items = some_items(started, &board, 1_000);
    one_cell(started, &board, &items[0], dir);
    many_editors(started, &board, &items);
    many_in_one_call(started, &board, &items);
    println!("\n| after one cell edit | at 1,000 items | at 10,000 | at 100,000 | goal |\n|---|---|---|---|---|");
    let boards = [1_000, 10_000, 100_000].map(|items| started.import(&workspace, items));
    for (what, accept) in [("JSON", JSON), ("Arrow", ARROW)] {
        let after = boards.each_ref().map(|board| next_full_read(started, board, accept));
        let cells = after.map(|(after, warm)| format!("{after:.1} ms ({warm:.1} unchanged)"));
        println!("| the next full read, {what} | {} | in proportion to the change |", cells.join(" | "));
    }
    let patches = boards.map(|board| next_patch(started, &board));
    let cells = patches.map(|(ms, bytes)| format!("{ms:.2} ms, {bytes} bytes"));
    println!("| the patch to open pages | {} | in proportion to the change |", cells.join(" | "));
}

/// Ids of the first items of a board.
fn some_items(started: &Started, board: &Imported, count: usize) -> Vec<String> {
    let (page, _) = started.page().json("GET", &format!("/boards/{}/items?limit={count}", board.id), &Value::Null);
    let ids =
        page["items"].as_array().expect("items").iter().map(|item| item["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

fn cell_of(board: &Imported, item: &str) -> String {
    format!("/boards/{}/items/{item}/cells/{}", board.id, board.text_column)
}

fn in_turn(ours: impl FnMut() -> f64, yardstick: impl FnMut() -> f64, rounds: usize) -> (f64, f64, f64) {
    let (mut ours, mut yardstick) = (ours, yardstick);
    let (mut a, mut b, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let (x, y) = (ours(), yardstick());
        // The first round warms up.
        if round > 0 {
            a.push(x);
            b.push(y);
            ratios.push(x / y);
        }
    }
    (median(a), median(b), median(ratios))
}

fn one_cell(started: &Started, board: &Imported, item: &str, dir: &Path) {
    let mut page = started.page();
    let cell = cell_of(board, item);
    beside_a_commit("one cell", dir, |value| page.json("PATCH", &cell, &json!({"value": format!("Text {value}")})).1);
}

/// The milliseconds of a change through HTTP beside a bare one-row commit: one after another, as a script's come, and from
/// rest, as a person's do.
pub fn beside_a_commit(what: &str, dir: &Path, mut change: impl FnMut(i64) -> f64) {
    const EACH: i64 = 40;
    let commits = yardstick::Commits::open(&dir.join(format!("{}.db", what.replace(['/', ' ', ':'], "-"))));
    let bare_route = yardstick::Bare::start(b"", None, dir);
    let mut client = Direct::connect(&bare_route.host, "");
    // From rest both sides have to be woken first, which a commit made here does not.
    for (how, pause, goal) in
        [("one after another", Duration::ZERO, "at most 1.5"), ("from rest", Duration::from_millis(20), "-")]
    {
        let mut value = 0;
        let commit = |value| {
            let begun = Instant::now();
            commits.commit(value);
            begun.elapsed().as_secs_f64() * 1e3
        };
        let mut round = || {
            // In turn, since a disk is quicker at one moment than at another.
            let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..EACH {
                value += 1;
                std::thread::sleep(pause);
                a.push(change(value) * 1e3);
                std::thread::sleep(pause);
                b.push(commit(value) * 1e3);
                std::thread::sleep(pause);
                c.push(client.json("PATCH", &format!("/commit/{value}"), &Value::Null).1 * 1e3);
            }
            [median(a), median(b), median(c)]
        };
        // The first round warms up.
        let rounds: Vec<[f64; 3]> = (0..=ROUNDS).map(|_| round()).skip(1).collect();
        let of = |figure: &dyn Fn(&[f64; 3]) -> f64| median(rounds.iter().map(figure).collect());
        let us = |at: usize| format!("{:.0}", of(&|round| round[at]));
        let ratio = |at: usize| of(&|round| round[at] / round[1]);
        row(&format!("{what}, {how}, µs, beside a bare commit"), us(0), us(1), ratio(0), goal);
        row(&format!("a bare axum route around that commit, {how}, µs"), us(2), us(1), ratio(2), "-");
    }
}

fn many_editors(started: &Started, board: &Imported, items: &[String]) {
    let watch = |editors: usize| {
        let barrier = Barrier::new(editors);
        let edits: usize = std::thread::scope(|scope| {
            let editors: Vec<_> = items
                .iter()
                .take(editors)
                .map(|item| scope.spawn(|| edits_of(started.page(), &cell_of(board, item), &barrier)))
                .collect();
            editors.into_iter().map(|editor| editor.join().expect("no edit fails")).sum()
        });
        edits as f64 / WATCHED.as_secs_f64()
    };
    let (many, one, ratio) = in_turn(|| watch(EDITORS), || watch(1), ROUNDS);
    let what = format!("cells a second of {EDITORS} editors, beside one editor");
    row(&what, format!("{many:.0}"), format!("{one:.0}"), ratio, "at least 3");
}

fn edits_of(mut page: Direct, cell: &str, together: &Barrier) -> usize {
    page.json("PATCH", cell, &json!({"value": "begun"}));
    together.wait();
    let begun = Instant::now();
    let mut edits = 0;
    while begun.elapsed() < WATCHED {
        page.json("PATCH", cell, &json!({"value": edits.to_string()}));
        edits += 1;
    }
    edits
}

fn many_in_one_call(started: &Started, board: &Imported, items: &[String]) {
    let (mut one, mut many) = (started.page(), started.page());
    let path = format!("/boards/{}/items", board.id);
    let new = |n: usize| json!({"name": format!("Item {n}"), "cells": {&board.text_column: "Text"}});
    let thousand = json!({"items": (0..1_000).map(new).collect::<Vec<_>>()});
    let created = in_turn(|| many.json("POST", &path, &thousand).1, || one.json("POST", &path, &new(0)).1, ROUNDS);
    let path = format!("/boards/{}/cells", board.id);
    let changes = |items: &[String], value: usize| {
        let change = |id: &String| json!({"itemId": id, "cells": {&board.text_column: format!("Text {value}")}});
        json!({"items": items.iter().map(change).collect::<Vec<_>>()})
    };
    let (mut thousands, mut ones) = (0, 0);
    let changed = in_turn(
        || {
            thousands += 1;
            many.json("PATCH", &path, &changes(items, thousands)).1
        },
        || {
            ones += 1;
            one.json("PATCH", &path, &changes(&items[..1], 1_000 + ones)).1
        },
        ROUNDS,
    );
    for (what, (many, one, ratio)) in [("created", created), ("changed", changed)] {
        let what = format!("1,000 items {what} in one call, ms, beside one");
        row(&what, format!("{many:.1}"), format!("{one:.2}"), ratio, "at most 20");
    }
}

/// Milliseconds of a full read after one edit, and of one after none.
fn next_full_read(started: &Started, board: &Imported, accept: &str) -> (f64, f64) {
    let mut page = started.page();
    let cell = cell_of(board, &some_items(started, board, 500)[499]);
    let full = format!("/boards/{}/full", board.id);
    page.send("GET", &full, accept, b"");
    let (mut after, mut warm) = (Vec::new(), Vec::new());
    for value in 0..ROUNDS {
        page.json("PATCH", &cell, &json!({"value": format!("{accept} {value}")}));
        after.push(page.send("GET", &full, accept, b"").1);
        warm.push(page.send("GET", &full, accept, b"").1);
    }
    (median(after), median(warm))
}

/// Milliseconds and bytes of what an open page asks for after one edit.
fn next_patch(started: &Started, board: &Imported) -> (f64, usize) {
    let mut page = started.page();
    let cell = cell_of(board, &some_items(started, board, 500)[499]);
    let mut revision = page.json("PATCH", &cell, &json!({"value": "before"})).0["boardRevision"].clone();
    let (mut spent, mut bytes) = (Vec::new(), 0);
    for value in 0..3 * ROUNDS {
        let changed = format!("/boards/{}/changed?since={revision}", board.id);
        revision = page.json("PATCH", &cell, &json!({"value": format!("patch {value}")})).0["boardRevision"].clone();
        let (answer, ms) = page.send("GET", &changed, JSON, b"");
        bytes = answer.len();
        spent.push(ms);
    }
    (median(spent), bytes)
}

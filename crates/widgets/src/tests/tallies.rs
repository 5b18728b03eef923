//! What is kept of the last selections beside what is counted row by row, and what is told by planes beside what each row holds.

use super::{board, column, stream};
use crate::board::Board;
use crate::column::{Coded, Data, NO_INT, Numbers};
use crate::planes::{Holders, Judge, Planes, Pool, lowest};
use crate::selection::{BLOCK, Selection};
use crate::tally::{Addends, Key, Keyed, Places, Tallied, Tallies};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn loaded(cells: &[(u8, u8, Option<i32>)]) -> Board {
    let labels = |prefix: &str| -> Value {
        (0..9).map(|at| json!({"id": format!("{prefix}{at}"), "text": format!("{prefix} {at}")})).collect()
    };
    let columns = vec![
        column("s", "Status", "status", json!({"labels": labels("s")})),
        column("k", "Sprint", "dropdown", json!({"labels": labels("k")})),
        column("n", "Points", "number", json!({})),
        column("g", "Tags", "tags", json!({})),
    ];
    // Tags are none, one or two.
    let tags = |s: &u8, k: &u8| if *s == 0 { json!([]) } else { json!([s.to_string(), k.to_string()]) };
    let cell = |(s, k, n): &(u8, u8, Option<i32>)| json!({"s": format!("s{s}"), "k": format!("k{k}"), "n": n, "g": tags(s, k)});
    let cells: Vec<Value> = cells.iter().map(cell).collect();
    crate::board::load(&stream(&board("b", columns, &cells))).expect("a board")
}

fn coded<'a>(board: &'a Board, id: &str) -> &'a Coded {
    match &board.column(id).expect("a column").data {
        Data::Coded(coded) => coded,
        _ => unreachable!("it holds labels"),
    }
}

fn whole(board: &Board) -> &[i32] {
    match &board.column("n").expect("a column").data {
        Data::Numbers(Numbers::Scaled { values, .. }) => values,
        _ => unreachable!("its numbers are whole"),
    }
}

/// Rows as one bit each, as a rule would leave them.
fn rows() -> impl Strategy<Value = Vec<bool>> {
    (0..=100u32, any::<u64>()).prop_map(|(percent, seed)| {
        let mut seed = seed;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as u32 % 100
        };
        (0..400).map(|_| next() < percent).collect()
    })
}

#[test]
fn places_made_again_are_those_that_are_there_also_where_labels_have_no_items() {
    let boards = [loaded(&[(1, 2, None), (3, 2, None)])];
    let tallied = Tallied::default();
    let by = |id: &str| {
        let keyed = Keyed { board: &boards[0], keys: [Some(Key::from_coded(coded(&boards[0], id))), None, None] };
        tallied.register(Places::new(&[(keyed, true)], &mut |_, [a, ..]| a.into()), &boards.each_ref())
    };
    let (status, sprint) = (by("s"), by("k"));
    assert!(Arc::ptr_eq(&status, &by("s")) && Arc::ptr_eq(&sprint, &by("k")));
    assert!(!Arc::ptr_eq(&status, &sprint));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn rows_that_come_and_go_count_as_if_all_were_counted(
        cells in prop::collection::vec((0..9u8, 0..9u8, prop::option::of(-5..500i32)), 300..400),
        others in prop::collection::vec((0..3u8, 0..9u8, prop::option::of(0..9i32)), 1..400),
        steps in prop::collection::vec((rows(), any::<bool>()), 1..24),
    ) {
        let boards = [loaded(&cells), loaded(&others)];
        let column = |board: &Board| board.column("n").expect("a column").stamp;
        let addends = Addends {
            columns: boards.iter().map(column).collect(),
            // The second board's numbers have fewer decimals.
            values: boards.iter().zip([1, 100]).map(|(board, power)| (whole(board), power)).collect(),
        };
        let tallied = Tallied::default();
        // By nothing, by labels, by both labels, by whether a tag is held, and by the labels of one board alone.
        let by = [(&[] as &[&str], true), (&["s"], true), (&["k"], true), (&["s", "k"], true), (&["g"], true), (&["k"], false)];
        let places = by.map(|(ids, with_others)| {
            let keyed = |(at, board)| {
                let mut keyed = Keyed { board, keys: [const { None }; 3] };
                ids.iter().enumerate().for_each(|(at, id)| keyed.keys[at] = Some(Key::from_coded(coded(board, id))));
                (keyed, at == 0 || with_others)
            };
            let keyed: Vec<_> = boards.iter().enumerate().map(keyed).collect();
            let places = Places::new(&keyed, &mut |at, [a, b, _]| match (ids, a) {
                (["g"], a) => a.min(5).into(),
                // What the second board has stands for something else in part.
                (_, a) => u64::from(a) * 100 + u64::from(b) + if a > 1 { 1_000 * at as u64 } else { 0 },
            });
            tallied.register(places, &boards.each_ref())
        });
        let all = boards.each_ref().map(|board| Selection::all(board.rows));
        let mut last = all.clone();
        for (rows, from_last) in steps {
            // A few other rows than before, or any.
            last = std::array::from_fn(|at| match from_last {
                true => last[at].only(|row| row % 7 != 0 || rows[row]),
                false => all[at].only(|row| rows[row]),
            });
            let selections = last.clone().map(Arc::new);
            let parts = boards.iter().zip(selections.iter().cloned());
            let tallies = Tallies::new(&tallied, parts);
            for places in &places {
                let mut expected: BTreeMap<u64, (u64, u64, i64)> = BTreeMap::new();
                for (at, board) in boards.iter().enumerate() {
                    selections[at].each(|row| {
                        let Some(means) = places.meaning(at, row) else { return };
                        let cell = expected.entry(means).or_default();
                        let value = whole(board)[row];
                        cell.0 += 1;
                        if value != NO_INT {
                            *cell = (cell.0, cell.1 + 1, cell.2 + i64::from(value) * [1, 100][at]);
                        }
                    });
                }
                let (mut told, mut items) = (BTreeMap::new(), BTreeMap::new());
                tallies.cells(places, None).each(|place, sums| {
                    items.insert(places.of[place], sums.items());
                });
                tallies.cells(places, Some(&addends)).each(|place, sums| {
                    told.insert(places.of[place], (sums.items(), sums.filled(), sums.whole()));
                });
                prop_assert_eq!(items, expected.iter().map(|(means, cell)| (*means, cell.0)).collect());
                prop_assert_eq!(told, expected);
            }
        }
    }

    #[test]
    fn planes_tell_what_lies_between_two_numbers(
        values in prop::collection::vec(prop_oneof![1 => Just(NO_INT), 6 => -40..40i32, 1 => any::<i32>()], 1..300),
        bounds in (prop_oneof![-50..50i64, Just(i64::from(i32::MIN) + 1)], prop_oneof![-50..50i64, Just(i64::from(i32::MAX))]),
    ) {
        let planes = Planes::new(&values, 1, lowest(&values));
        let mut words = vec![u64::MAX; values.len().div_ceil(64)];
        words.chunks_mut(BLOCK).enumerate().for_each(|(at, block)| planes.narrow(bounds.0, bounds.1, at * BLOCK, block));
        for (row, value) in values.iter().enumerate() {
            let is_between = *value != NO_INT && (bounds.0..=bounds.1).contains(&i64::from(*value));
            prop_assert_eq!(words[row / 64] >> (row % 64) & 1 == 1, is_between, "{} of row {}", value, row);
        }
        let mut there: Vec<i64> = values.iter().filter(|value| **value != NO_INT).map(|value| i64::from(*value)).collect();
        there.sort_unstable();
        let pool = Pool::new(vec![(Arc::new(planes), &Selection::all(values.len()))]);
        for at in 0..there.len() {
            let next = (at + 1).min(there.len() - 1);
            prop_assert_eq!(pool.two(at, next), Some((there[at], there[next])));
        }
        prop_assert_eq!(pool.two(there.len(), there.len()), None);
    }

    #[test]
    fn holders_tell_what_each_row_holds(
        cells in prop::collection::vec((0..9u8, 0..9u8, Just(None)), 1..200),
        marks in prop::collection::vec(prop::collection::vec(any::<bool>(), 9), 0..3),
        nobody in any::<bool>(),
        not in any::<bool>(),
    ) {
        let board = loaded(&cells);
        let tags = coded(&board, "g");
        let marks = marks.into_iter().map(|mut marks| marks.drain(..tags.entries.len()).collect()).collect();
        let judge = Judge { marks, nobody, not };
        let mut words = vec![u64::MAX; board.rows.div_ceil(64)];
        Holders::new(tags).narrow(&judge, 0, &mut words);
        for row in 0..board.rows {
            let is_met = judge.is_met(tags.entries_of(tags.codes.get(row) as usize));
            prop_assert_eq!(words[row / 64] >> (row % 64) & 1 == 1, is_met, "row {}", row);
        }
    }
}

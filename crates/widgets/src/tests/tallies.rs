//! What is kept of the last selections beside what is counted row by row, and what is told by planes beside what each row holds.

use super::{board, column, stream};
use crate::board::Board;
use crate::column::{Coded, Data, NO_INT, Numbers};
use crate::planes::{Holders, Planes, Pool, lowest};
use crate::predicate::Judge;
use crate::selection::{BLOCK, Selection};
use crate::tally::{Addends, Key, Keyed, Tallies};
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

fn counted(board: &Board, selection: &Selection, of: &[(usize, &Coded)]) -> BTreeMap<[u32; 3], (u32, u32, i64)> {
    let column = board.column("n").expect("a column");
    let Data::Numbers(Numbers::Scaled { values, .. }) = &column.data else { unreachable!("its numbers are whole") };
    let mut counted = BTreeMap::new();
    selection.each(|row| {
        let mut codes = [0; 3];
        of.iter().for_each(|(at, coded)| codes[*at] = coded.codes.get(row));
        let cell: &mut (u32, u32, i64) = counted.entry(codes).or_default();
        cell.0 += 1;
        if values[row] != NO_INT {
            cell.1 += 1;
            cell.2 += i64::from(values[row]);
        }
    });
    counted
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn rows_that_come_and_go_count_as_if_all_were_counted(
        cells in prop::collection::vec((0..9u8, 0..9u8, prop::option::of(-5..500i32)), 300..400),
        steps in prop::collection::vec((rows(), any::<bool>()), 1..24),
    ) {
        let board = loaded(&cells);
        let (status, sprint) = (coded(&board, "s"), coded(&board, "k"));
        let addends = Addends::of(board.column("n").expect("a column"));
        let all = Selection::all(board.rows);
        let mut last = all.clone();
        for (rows, from_last) in steps {
            // A few other rows than before, or any.
            last = if from_last { last.only(|row| row % 7 != 0 || rows[row]) } else { all.only(|row| rows[row]) };
            let (tallies, selection) = (Tallies::default(), Arc::new(last.clone()));
            for of in [vec![(0, status), (1, sprint)], vec![(0, sprint)], vec![(1, status)], vec![]] {
                let mut keyed = Keyed { board: &board, keys: [None, None, None] };
                of.iter().for_each(|(at, coded)| keyed.keys[*at] = Some(Key::of(coded)));
                let mut told: BTreeMap<[u32; 3], (u32, u32, i64)> = BTreeMap::new();
                tallies.of(&selection, &keyed, addends).each(|codes, sums| {
                    let cell = told.entry(codes).or_default();
                    *cell = (cell.0 + sums.items, cell.1 + sums.filled, cell.2 + sums.whole);
                });
                prop_assert_eq!(told, counted(&board, &selection, &of));
            }
            let tags = coded(&board, "g");
            let cells = tallies.of_entries(&selection, &board, tags, addends);
            let mut told = vec![(0, 0, 0); tags.entries.len() + 2];
            for ([code, ..], (items, filled, whole)) in counted(&board, &selection, &[(0, tags)]) {
                let entries = tags.entries_of(code as usize);
                let none = entries.is_empty().then_some(0);
                let all = [tags.entries.len() + 1];
                for cell in none.into_iter().chain(entries.iter().map(|entry| *entry as usize + 1)).chain(all) {
                    told[cell] = (told[cell].0 + items, told[cell].1 + filled, told[cell].2 + whole);
                }
            }
            let cells: Vec<_> = cells.dense().iter().map(|sums| (sums.items, sums.filled, sums.whole)).collect();
            prop_assert_eq!(cells, told);
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

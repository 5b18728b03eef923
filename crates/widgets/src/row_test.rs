//! Tests that rows pass: over codes, numbers, and texts, for 64 rows at a time.

use crate::column::{Codes, Form, TextOp, Texts};
use crate::planes::{Holders, Judge, Planes};
use crate::selection::Selection;
use memchr::memmem::Finder;
use std::sync::Arc;

/// What a rule asks of a board's rows.
pub(crate) enum Test<'a> {
    Const(bool),
    /// The rows whose code the table marks.
    Codes(&'a Codes, Vec<bool>),
    /// The rows whose entries meet it.
    Held(&'a Holders, Judge),
    /// From and to, both inclusive; empty cells lie outside.
    I32(&'a [i32], i32, i32),
    I64(&'a [i64], i64, i64),
    F64(&'a [f64], f64, f64),
    /// As `I32`, of whole numbers turned into planes.
    Planes(Arc<Planes>, i64, i64),
    Text(&'a Texts, TextOp, String),
    /// The rows whose text holds another, compared without case and accents.
    Holds(&'a Texts, Box<Finder<'a>>),
    Not(Box<Test<'a>>),
    Any(Vec<Test<'a>>),
    All(Vec<Test<'a>>),
}

impl<'a> Test<'a> {
    /// The rows that pass.
    pub fn select(&self, rows: usize) -> Selection {
        self.select_while(rows, &|| true)
    }
    /// The same, but without the rows that are left once `goes_on` says no.
    pub fn select_while(&self, rows: usize, goes_on: &dyn Fn() -> bool) -> Selection {
        Selection::narrowed(rows, |start, words| if goes_on() { self.narrow(start, words) } else { words.fill(0) })
    }
    /// Whether texts hold another, which is without case and accents already.
    pub fn holds(texts: &'a Texts, wanted: &str) -> Test<'a> {
        Test::Holds(texts, Box::new(Finder::new(wanted.as_bytes()).into_owned()))
    }
    /// Takes away the rows that do not pass from some that begin with `start`: one bit each. Only the rows that are there are looked
    /// at, so that what is asked first spares the rest.
    pub fn narrow(&self, start: usize, words: &mut [u64]) {
        match self {
            Test::Const(true) => {}
            Test::Const(false) => words.fill(0),
            Test::Codes(codes, table) => match &codes.form {
                Form::U16(codes) => keep(start, words, codes, |code| table[usize::from(*code)]),
                Form::U32(codes) => keep(start, words, codes, |code| table[*code as usize]),
            },
            Test::Held(holders, judge) => holders.narrow(judge, start / 64, words),
            Test::Planes(planes, from, to) => planes.narrow(*from, *to, start / 64, words),
            Test::I32(values, from, to) => keep(start, words, values, |v| from <= v && v <= to),
            Test::I64(values, from, to) => keep(start, words, values, |v| from <= v && v <= to),
            Test::F64(values, from, to) => keep(start, words, values, |v| from <= v && v <= to),
            Test::Text(texts, op, wanted) => texts.narrow(*op, wanted, start, words),
            Test::Holds(texts, wanted) => texts.narrow_to_holding(wanted, start, words),
            Test::Not(test) => {
                let mut met = words.to_vec();
                test.narrow(start, &mut met);
                words.iter_mut().zip(met).for_each(|(word, met)| *word &= !met);
            }
            Test::Any(tests) => {
                let mut left = words.to_vec();
                for test in tests {
                    let mut met = left.clone();
                    test.narrow(start, &mut met);
                    left.iter_mut().zip(met).for_each(|(left, met)| *left &= !met);
                }
                words.iter_mut().zip(left).for_each(|(word, left)| *word &= !left);
            }
            Test::All(tests) => tests.iter().for_each(|test| test.narrow(start, words)),
        }
    }

    /// The same test with the planes of its whole numbers, which are all of one column.
    pub fn turned(self, planes: &dyn Fn(&[i32]) -> Arc<Planes>) -> Self {
        match self {
            Test::I32(values, from, to) => Test::Planes(planes(values), i64::from(from), i64::from(to)),
            Test::Not(test) => Test::Not(Box::new(test.turned(planes))),
            Test::Any(tests) => Test::Any(tests.into_iter().map(|test| test.turned(planes)).collect()),
            other => other,
        }
    }

    /// How long it takes beside others: what is quick is asked first.
    pub fn cost(&self) -> usize {
        match self {
            Test::Const(_) => 0,
            Test::Held(..) => 1,
            Test::Planes(..) => 2,
            Test::I32(..) | Test::I64(..) | Test::F64(..) => 5,
            Test::Codes(..) => 10,
            Test::Text(..) | Test::Holds(..) => 100,
            Test::Not(test) => test.cost(),
            Test::Any(tests) | Test::All(tests) => tests.iter().map(Test::cost).sum(),
        }
    }
}

/// Keeps the rows whose values pass.
fn keep<T>(start: usize, words: &mut [u64], values: &[T], pass: impl Fn(&T) -> bool) {
    for (word, values) in words.iter_mut().zip(values[start..].chunks(64)) {
        if word.count_ones() > 16 {
            *word &= values.iter().enumerate().fold(0, |met, (bit, value)| met | u64::from(pass(value)) << bit);
            continue;
        }
        let mut left = *word;
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            if !pass(&values[bit]) {
                *word &= !(1 << bit);
            }
            left &= left - 1;
        }
    }
}

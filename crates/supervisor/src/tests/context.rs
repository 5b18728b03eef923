use crate::context::{ContextWarnings, Gauge, Mark, is_full};

const BOTH: ContextWarnings = ContextWarnings { context_warning75_enabled: true, context_warning90_enabled: true };

#[test]
fn each_note_comes_once_per_fill() {
    let mut gauge = Gauge::default();
    let mut told = |used| gauge.observe(used, 1000, BOTH);
    assert_eq!(told(749), []);
    assert_eq!(told(750), [Mark::Most]);
    assert_eq!(told(899), []);
    assert_eq!(told(900), [Mark::Nearly]);
    assert_eq!(told(1000), []);
    // Made smaller, and filled again at one go.
    assert_eq!(told(200), []);
    assert_eq!(told(950), [Mark::Most, Mark::Nearly]);
    assert_eq!(told(950), []);
}

#[test]
fn falling_below_one_mark_arms_only_that_one() {
    let mut gauge = Gauge::default();
    assert_eq!(gauge.observe(95, 100, BOTH), [Mark::Most, Mark::Nearly]);
    assert_eq!(gauge.observe(80, 100, BOTH), []);
    assert_eq!(gauge.observe(95, 100, BOTH), [Mark::Nearly]);
}

#[test]
fn a_note_that_is_off_is_not_made_up_for() {
    let off = ContextWarnings { context_warning75_enabled: false, context_warning90_enabled: false };
    let mut gauge = Gauge::default();
    assert_eq!(gauge.observe(80, 100, off), []);
    assert_eq!(gauge.observe(85, 100, BOTH), []);
    assert_eq!(gauge.observe(91, 100, ContextWarnings { context_warning90_enabled: false, ..BOTH }), []);
}

#[test]
fn an_unknown_size_says_nothing() {
    assert_eq!(Gauge::default().observe(500, 0, BOTH), []);
    assert!(!is_full(500, 0));
    assert!(!is_full(969, 1000) && is_full(970, 1000) && is_full(u64::MAX, u64::MAX));
}

use crate::admission::SessionId;
use crate::refill::{Candidate, Choice, Ledger, RefillRules, Revival, Skip, Spend, Standing, choose, standing};
use crate::state::{AfterStop, AttentionReason, Interruption, Session, State, Turn};
use jiff::civil::date;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use std::collections::BTreeSet;

const RULES: RefillRules = RefillRules {
    session_refill_target_count: 5,
    session_refill_batch: 20,
    session_refill_cooldown_minutes: 30,
    session_refill_daily_spend_cap_usd: 20.0,
    session_refill_include_paused: false,
    session_refill_allow_reopen_user_closed: false,
    session_refill_max_candidate_age_hours: 24,
    session_refill_max_revives_per_session_per_day: 5,
};
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// Noon of a day without a change of clocks.
const NOW: i64 = 1_795_435_200_000;

fn one(id: &str, standing: Standing, last_active: i64) -> Candidate {
    Candidate { id: id.into(), standing, is_work: true, last_active }
}

fn cut_off(id: &str) -> Candidate {
    one(id, Standing::Interrupted, NOW - MINUTE)
}

fn check(candidates: &[Candidate], running: usize, ledger: &Ledger, rules: RefillRules) -> Choice {
    choose(candidates, running, ledger, &rules, NOW, &TimeZone::UTC)
}

fn ids(ids: &[&str]) -> Vec<SessionId> {
    ids.iter().map(|id| SessionId::from(*id)).collect()
}

fn revived(id: &str, at: i64) -> Revival {
    Revival { id: id.into(), at }
}

#[test]
fn the_most_recently_active_come_first_up_to_the_target() {
    let candidates: Vec<_> =
        [("a", 3), ("b", 1), ("c", 2)].map(|(id, ago)| one(id, Standing::Interrupted, NOW - ago * MINUTE)).into();
    let choice = check(&candidates, 3, &Ledger::default(), RULES);
    assert_eq!(choice.revive, ids(&["b", "c"]));
    assert_eq!(choice.skipped, [("a".into(), Skip::Target)]);
    assert_eq!(check(&candidates, 5, &Ledger::default(), RULES).revive, []);
    assert_eq!(check(&candidates, 500, &Ledger::default(), RULES).revive, []);
}

#[test]
fn one_check_revives_no_more_than_a_batch() {
    let rules = RefillRules { session_refill_batch: 1, ..RULES };
    let choice = check(&[cut_off("a"), cut_off("b")], 0, &Ledger::default(), rules);
    assert_eq!((choice.revive, choice.skipped), (ids(&["a"]), vec![("b".into(), Skip::Batch)]));
}

#[test]
fn what_ended_well_waits_was_stopped_or_comes_back_by_itself_is_left_alone() {
    for (standing, skip) in [
        (Standing::Over, Skip::Over),
        (Standing::NeedsYou, Skip::NeedsYou),
        (Standing::Stopped, Skip::Stopped),
        (Standing::SelfRecovers, Skip::SelfRecovers),
    ] {
        let everything =
            RefillRules { session_refill_include_paused: true, session_refill_allow_reopen_user_closed: true, ..RULES };
        let choice = check(&[one("a", standing, NOW)], 0, &Ledger::default(), everything);
        assert_eq!(choice.skipped, [("a".into(), skip)]);
    }
    let tutor = Candidate { is_work: false, ..cut_off("a") };
    assert_eq!(check(&[tutor], 0, &Ledger::default(), RULES).skipped, [("a".into(), Skip::NoWork)]);
}

#[test]
fn paused_and_closed_sessions_count_only_where_their_setting_is_on() {
    let candidates = [one("p", Standing::Paused, NOW), one("u", Standing::UserClosed, NOW)];
    let both = check(&candidates, 0, &Ledger::default(), RULES);
    assert_eq!(both.skipped, [("p".into(), Skip::Paused), ("u".into(), Skip::UserClosed)]);
    let paused = RefillRules { session_refill_include_paused: true, ..RULES };
    assert_eq!(check(&candidates, 0, &Ledger::default(), paused).revive, ids(&["p"]));
    let closed = RefillRules { session_refill_allow_reopen_user_closed: true, ..RULES };
    assert_eq!(check(&candidates, 0, &Ledger::default(), closed).revive, ids(&["u"]));
}

#[test]
fn exactly_the_greatest_age_is_young_enough() {
    let candidates =
        [one("a", Standing::Interrupted, NOW - 24 * HOUR), one("b", Standing::Interrupted, NOW - 24 * HOUR - 1)];
    let choice = check(&candidates, 0, &Ledger::default(), RULES);
    assert_eq!((choice.revive, choice.skipped), (ids(&["a"]), vec![("b".into(), Skip::TooOld)]));
}

#[test]
fn a_revived_session_is_left_alone_for_the_cooldown() {
    for (ago, expected) in [(30 * MINUTE, None), (30 * MINUTE - 1, Some(Skip::Cooldown { until: NOW + 1 }))] {
        // The ledger comes from the store, so a restart in between changes nothing.
        let ledger = Ledger { revivals: vec![revived("b", NOW), revived("a", NOW - ago)], ..Ledger::default() };
        let choice = check(&[cut_off("a")], 0, &ledger, RULES);
        assert_eq!(choice.skipped.first().map(|(_, skip)| *skip), expected);
    }
}

#[test]
fn a_session_is_revived_only_so_often_a_day() {
    let rules = RefillRules { session_refill_max_revives_per_session_per_day: 2, ..RULES };
    let early = [NOW - 13 * HOUR, NOW - 3 * HOUR, NOW - 2 * HOUR];
    let ledger =
        |count| Ledger { revivals: early[..count].iter().map(|at| revived("a", *at)).collect(), ..Ledger::default() };
    // The first was yesterday.
    assert_eq!(check(&[cut_off("a")], 0, &ledger(2), rules).revive, ids(&["a"]));
    assert_eq!(check(&[cut_off("a")], 0, &ledger(3), rules).skipped, [("a".into(), Skip::DailyRevives)]);
}

#[test]
fn at_the_cap_it_rests_until_the_next_local_midnight() {
    let spend = |at, usd, is_pay_per_use| Spend { at, usd, is_pay_per_use };
    let ledger = |spends: &[Spend]| Ledger { spends: spends.to_vec(), ..Ledger::default() };
    let capped = Skip::SpendCap { until: NOW + 12 * HOUR };
    for (spends, expected) in [
        (vec![spend(NOW - HOUR, 19.99, true)], None),
        (vec![spend(NOW - HOUR, 19.0, true), spend(NOW - HOUR, 1.0, true)], Some(capped)),
        (vec![spend(NOW - HOUR, 500.0, false)], None),
        (vec![spend(NOW - 13 * HOUR, 500.0, true)], None),
    ] {
        let choice = check(&[cut_off("a")], 0, &ledger(&spends), RULES);
        assert_eq!(choice.skipped.first().map(|(_, skip)| *skip), expected, "{spends:?}");
    }
    // 0 takes the cap away, and the daily revives still count.
    let rules = RefillRules {
        session_refill_daily_spend_cap_usd: 0.0,
        session_refill_max_revives_per_session_per_day: 1,
        ..RULES
    };
    let spent = Ledger { revivals: vec![revived("b", NOW - HOUR)], spends: vec![spend(NOW, 1e9, true)] };
    let choice = check(&[cut_off("a"), cut_off("b")], 0, &spent, rules);
    assert_eq!((choice.revive, choice.skipped), (ids(&["a"]), vec![("b".into(), Skip::DailyRevives)]));
}

#[test]
fn a_day_is_the_persons_day_on_changes_of_the_clock_too() {
    let zone = TimeZone::get("Europe/Berlin").expect("a known zone");
    let at = |month, day, hour, minute| {
        let local = date(2026, month, day).at(hour, minute, 0, 0);
        local.to_zoned(zone.clone()).expect("a local time").timestamp().as_millisecond()
    };
    // The days of 25 and of 23 hours: spent in their first hour, they count until their last.
    for (month, day, hours) in [(10, 25, 25), (3, 29, 23)] {
        let ledger = Ledger {
            spends: vec![Spend { at: at(month, day, 0, 30), usd: 99.0, is_pay_per_use: true }],
            ..Ledger::default()
        };
        let until = at(month, day + 1, 0, 0);
        assert_eq!(until - at(month, day, 0, 0), hours * HOUR);
        let decide = |now| choose(&[one("a", Standing::Interrupted, now)], 0, &ledger, &RULES, now, &zone).skipped;
        assert_eq!(decide(at(month, day, 23, 59)), [("a".into(), Skip::SpendCap { until })]);
        assert_eq!(decide(until), []);
    }
}

#[test]
fn how_a_session_stands_is_read_from_its_state() {
    let work = Session { turn: Some(turn()), ..Session::draft(false, 0) };
    let stand = |state, session: &Session| standing(&Session { state, ..session.clone() });
    let idle = Session::draft(false, 0);
    let crash = State::Interrupted { by: Interruption::Crash };
    assert_eq!(stand(crash.clone(), &work), Standing::Interrupted);
    // It waited for the person when it was cut off.
    assert_eq!(stand(crash.clone(), &idle), Standing::NeedsYou);
    assert_eq!(
        stand(crash.clone(), &Session { need: Some(AttentionReason::Loop), ..work.clone() }),
        Standing::NeedsYou
    );
    assert_eq!(stand(State::Paused, &work), Standing::Paused);
    assert_eq!(stand(State::Closed, &work), Standing::UserClosed);
    assert_eq!(stand(State::Closed, &idle), Standing::Over);
    assert_eq!(stand(State::Finished, &idle), Standing::Over);
    assert_eq!(stand(State::Idle, &idle), Standing::NeedsYou);
    assert_eq!(stand(State::Parked { until: Some(1) }, &work), Standing::SelfRecovers);
    assert_eq!(stand(State::Stopping { then: AfterStop::Relaunch }, &work), Standing::SelfRecovers);
    let stopped = Session { stopped_by_user: true, ..work.clone() };
    for state in [crash, State::Closed, State::Archived, State::Stopped { by_user: true }] {
        assert_eq!(stand(state, &stopped), Standing::Stopped);
    }
    assert_eq!(stand(State::Stopped { by_user: false }, &work), Standing::Stopped);
}

fn turn() -> Turn {
    Turn {
        tools: BTreeSet::new(),
        prompt: 1,
        last_sign: 0,
        login_asked: None,
        was_silent: false,
        is_stuck: false,
        is_routine: false,
    }
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let standing = prop::sample::select(vec![
        Standing::Interrupted,
        Standing::Interrupted,
        Standing::Paused,
        Standing::UserClosed,
        Standing::Stopped,
        Standing::NeedsYou,
        Standing::SelfRecovers,
        Standing::Over,
    ]);
    let one = (standing, prop::bool::weighted(0.9), 0..48 * HOUR);
    prop::collection::vec(one, 0..30).prop_map(|all| {
        let candidate = |(n, (standing, is_work, ago))| Candidate {
            id: format!("s{n}").into(),
            standing,
            is_work,
            last_active: NOW - ago,
        };
        all.into_iter().enumerate().map(candidate).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_check_breaks_a_promise(
        candidates in candidates(),
        running in 0..12_usize,
        revivals in prop::collection::vec((0..30_usize, 0..48 * HOUR), 0..40),
        spends in prop::collection::vec((0..48 * HOUR, 0.0..15.0, any::<bool>()), 0..4),
        (target, batch, cooldown, age, per_day) in (1..12_i64, 1..6_i64, 1..1440_i64, 1..72_i64, 1..5_i64),
        cap in prop_oneof![Just(0.0), 0.0..30.0],
        (include_paused, reopen) in any::<(bool, bool)>(),
    ) {
        let rules = RefillRules {
            session_refill_target_count: target,
            session_refill_batch: batch,
            session_refill_cooldown_minutes: cooldown,
            session_refill_daily_spend_cap_usd: cap,
            session_refill_include_paused: include_paused,
            session_refill_allow_reopen_user_closed: reopen,
            session_refill_max_candidate_age_hours: age,
            session_refill_max_revives_per_session_per_day: per_day,
        };
        let ledger = Ledger {
            revivals: revivals.iter().map(|(n, ago)| revived(&format!("s{n}"), NOW - ago)).collect(),
            spends: spends.iter().map(|(ago, usd, paid)| Spend { at: NOW - ago, usd: *usd, is_pay_per_use: *paid }).collect(),
        };
        let choice = check(&candidates, running, &ledger, rules);
        prop_assert_eq!(choice.revive.len() + choice.skipped.len(), candidates.len(), "each has its answer");
        prop_assert!(choice.revive.len() as i64 <= batch);
        prop_assert!(choice.revive.is_empty() || (running + choice.revive.len()) as i64 <= target);
        let midnight = NOW - 12 * HOUR;
        let spent: f64 = ledger.spends.iter().filter(|s| s.is_pay_per_use && s.at >= midnight).map(|s| s.usd).sum();
        prop_assert!(choice.revive.is_empty() || cap == 0.0 || spent < cap);
        let mut before = i64::MAX;
        for id in &choice.revive {
            let one = candidates.iter().find(|one| one.id == *id).expect("a candidate");
            prop_assert!(one.is_work && one.last_active >= NOW - age * HOUR && one.last_active <= before);
            before = one.last_active;
            let may_be = match one.standing {
                Standing::Interrupted => true,
                Standing::Paused => include_paused,
                Standing::UserClosed => reopen,
                _ => false,
            };
            prop_assert!(may_be, "{:?}", one.standing);
            let at: Vec<i64> = ledger.revivals.iter().filter(|r| r.id == *id).map(|r| r.at).collect();
            prop_assert!(at.iter().all(|at| NOW - at >= cooldown * MINUTE));
            prop_assert!((at.iter().filter(|at| **at >= midnight).count() as i64) < per_day);
        }
        // Whoever could be revived is, as far as target and batch reach.
        if (running + choice.revive.len()) as i64 >= target { return Ok(()) }
        prop_assert!(choice.skipped.iter().all(|(_, skip)| *skip != Skip::Target));
    }
}

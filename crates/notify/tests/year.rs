//! A simulated year: 500 events a day in ten time zones, through every change of clocks, while all that decisions depend on
//! changes at random. Nothing is told twice, nothing is lost, and everything has a reason.

use jiff::Timestamp;
use jiff::civil::{Date, Time, date, time};
use jiff::tz::TimeZone;
use kit::Need;
use kit::job::{Missed, Rule};
use notify::{
    Behavior, Decision, Focus, NEVER_MS, QuietHours, Reason, Row, Situation, Subject, Through, decide, quiet_until,
};
use proptest::prelude::*;
use schedule::next_after;
use std::collections::BTreeSet;

const ZONES: [&str; 10] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "America/St_Johns",
    "Pacific/Auckland",
    "America/Santiago",
];
const DAYS: i64 = 365;
const STEPS_A_DAY: i64 = 50;
const EVENTS_A_STEP: usize = 10;
const STEP_MS: i64 = 24 * 3_600_000 / STEPS_A_DAY;
/// Quiet hours of up to a day, on a day with an hour more, and what the change of clocks adds.
const QUIET_MS_MAX: i64 = 26 * 3_600_000;

/// Numbers that look random, the same for a seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Once in so many times.
    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Held,
    Told,
    Dropped,
}

/// An event that is held, and when it's decided again.
struct Held {
    event: usize,
    subject: Subject,
    due_ms: i64,
}

/// One account with its settings, and the events so far.
struct Account {
    chance: Chance,
    zone: TimeZone,
    now_ms: i64,
    behavior: Behavior,
    focus_is_offered: bool,
    focus: Option<Focus>,
    quiet_hours: Option<QuietHours>,
    is_in_front: bool,
    shows_notices: bool,
    hides_kind: bool,
    is_do_not_disturb: bool,
    missed: Missed,
    /// When Focus Mode began by its schedule.
    focused_ms: i64,
    focus_days: BTreeSet<Date>,
    held: Vec<Held>,
    events: Vec<(Fate, Reason)>,
}

impl Account {
    fn new(zone: &TimeZone, seed: u64) -> Account {
        let begin_ms = date(2026, 1, 1).at(0, 0, 0, 0).to_zoned(zone.clone()).expect("a time").timestamp();
        Account {
            chance: Chance(seed),
            zone: zone.clone(),
            now_ms: begin_ms.as_millisecond(),
            behavior: Behavior::Always,
            focus_is_offered: true,
            focus: None,
            quiet_hours: None,
            is_in_front: false,
            shows_notices: true,
            hides_kind: false,
            is_do_not_disturb: false,
            missed: Missed::RunOnce,
            focused_ms: begin_ms.as_millisecond(),
            focus_days: BTreeSet::new(),
            held: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The situation now. Quiet hours are read once for all events of a step.
    fn situation(&self) -> Situation {
        Situation {
            behavior: self.behavior,
            focus: self.focus.filter(|focus| self.focus_is_offered && focus.until_ms > self.now_ms),
            quiet_until_ms: self.quiet_hours.and_then(|hours| quiet_until(hours, &self.zone, self.now_ms)),
            is_in_front: self.is_in_front,
            shows_notices: self.shows_notices,
            is_do_not_disturb: self.is_do_not_disturb,
        }
    }

    /// Time passes, sometimes the computer sleeps; then everything may change. Whatever a change ends is decided again, as
    /// the program does it.
    fn pass_step(&mut self) {
        self.now_ms += STEP_MS;
        if self.chance.once_in(200) {
            self.now_ms += self.chance.below(20) as i64 * 3_600_000;
        }
        self.start_scheduled_focus();
        let (before, was_disturbed) = (self.situation(), self.is_do_not_disturb);
        self.change_settings();
        let ends = before.focus.is_some() && self.situation().focus != before.focus;
        match (ends, was_disturbed && !self.is_do_not_disturb) {
            (true, _) => self.release(i64::MAX),
            (_, true) => self.release(NEVER_MS),
            _ => self.release(self.now_ms),
        }
    }

    /// Focus Mode begins each day at half past two, which some days don't have and others have twice.
    fn start_scheduled_focus(&mut self) {
        let rule = Rule::Daily(time(2, 30, 0, 0));
        let due_ms = next_after(&rule, self.missed, Some(self.focused_ms), self.now_ms, &self.zone);
        let Some(due_ms) = due_ms.filter(|due_ms| *due_ms <= self.now_ms) else { return };
        self.focused_ms = self.now_ms;
        let day = Timestamp::from_millisecond(due_ms).expect("a time").to_zoned(self.zone.clone()).date();
        assert!(self.focus_days.insert(day), "it began twice on {day}");
        let through = self.chance.one(&[Through::Nothing, Through::Critical, Through::NeedsYou]);
        self.focus = Some(Focus { until_ms: self.now_ms + self.chance.below(600) as i64 * 60_000, through });
        self.release(i64::MAX);
    }

    fn change_settings(&mut self) {
        let chance = &mut self.chance;
        if chance.once_in(20) {
            self.behavior = chance.one(&[Behavior::Always, Behavior::Backgrounded, Behavior::Never]);
        }
        if chance.once_in(10) {
            let until_ms = if chance.once_in(3) { NEVER_MS } else { self.now_ms + chance.below(300) as i64 * 60_000 };
            let through = chance.one(&[Through::Nothing, Through::Critical, Through::NeedsYou]);
            self.focus = (!chance.once_in(3)).then_some(Focus { until_ms, through });
        }
        if chance.once_in(15) {
            let minute = |chance: &mut Chance| -> Time {
                let minute = chance.below(24 * 60);
                time((minute / 60) as i8, (minute % 60) as i8, 0, 0)
            };
            let (start, end) = (minute(chance), minute(chance));
            self.quiet_hours = (!chance.once_in(3)).then_some(QuietHours { start, end });
        }
        let switches = [
            &mut self.focus_is_offered,
            &mut self.is_in_front,
            &mut self.shows_notices,
            &mut self.hides_kind,
            &mut self.is_do_not_disturb,
        ];
        for switch in switches {
            *switch ^= chance.once_in(12);
        }
        if chance.once_in(50) {
            self.missed = chance.one(&[Missed::RunOnce, Missed::Skip]);
        }
    }

    fn any_subject(&mut self) -> Subject {
        let chance = &mut self.chance;
        match chance.below(20) {
            0 => Subject::Notice,
            1 => Subject::Alarm { pierces_focus: chance.once_in(2) },
            _ => Subject::Row(Row {
                need: chance.one(&[Need::Nothing, Need::Attention, Need::Answer]),
                is_critical: chance.once_in(5),
                of_board: chance.once_in(2),
                is_overdue: chance.once_in(10),
                is_hidden: self.hides_kind && chance.once_in(3),
            }),
        }
    }

    fn post(&mut self, situation: &Situation) {
        let subject = self.any_subject();
        let event = self.events.len();
        // Whatever is decided replaces it.
        self.events.push((Fate::Held, Reason::Shown));
        self.settle(event, subject, situation);
    }

    /// Decides again about what is held and due by a time.
    fn release(&mut self, by_ms: i64) {
        let situation = self.situation();
        let held = std::mem::take(&mut self.held);
        let (due, rest): (Vec<_>, Vec<_>) = held.into_iter().partition(|held| held.due_ms <= by_ms);
        self.held = rest;
        for held in due {
            self.settle(held.event, held.subject, &situation);
        }
    }

    /// Decides about an event, and checks that the decision has its reason.
    fn settle(&mut self, event: usize, subject: Subject, now: &Situation) {
        let (decision, reason) = decide(&subject, now);
        let fate = match decision {
            Decision::Show => Fate::Told,
            Decision::Drop => Fate::Dropped,
            Decision::Hold { .. } => Fate::Held,
        };
        assert_eq!(self.events[event].0, Fate::Held, "event {event} was told or dropped before");
        self.events[event] = (fate, reason);
        let is_row = |is_so: fn(&Row) -> bool| matches!(&subject, Subject::Row(row) if is_so(row));
        let is_right = match (decision, reason) {
            (Decision::Show, Reason::Shown) => now.focus.is_none() && is_calm(&subject, now),
            (Decision::Show, Reason::Overdue) => is_row(|row| row.is_overdue) && is_calm(&subject, now),
            (Decision::Show, Reason::ThroughFocus) => now.focus.is_some() && is_calm(&subject, now),
            (Decision::Drop, Reason::Hidden) => is_row(|row| row.is_hidden),
            (Decision::Drop, Reason::Off) => now.behavior == Behavior::Never,
            (Decision::Drop, Reason::NoticesOff) => subject == Subject::Notice && !now.shows_notices,
            (Decision::Drop, Reason::InFront) => now.is_in_front && now.behavior == Behavior::Backgrounded,
            (Decision::Hold { until_ms }, Reason::Focus) => now.focus.is_some_and(|focus| focus.until_ms == until_ms),
            (Decision::Hold { until_ms }, Reason::QuietHours) => {
                is_row(|row| row.of_board && !row.is_overdue)
                    && now.quiet_until_ms == Some(until_ms)
                    && until_ms - self.now_ms <= QUIET_MS_MAX
            }
            (Decision::Hold { until_ms }, Reason::DoNotDisturb) => now.is_do_not_disturb && until_ms == NEVER_MS,
            _ => false,
        };
        assert!(is_right, "{decision:?} because of {reason:?}: {subject:?} in {now:?}");
        if let Decision::Hold { until_ms } = decision {
            assert!(until_ms > self.now_ms, "it would be decided again at once, for ever");
            self.held.push(Held { event, subject, due_ms: until_ms });
        }
    }
}

/// Whether nothing but Focus Mode speaks against showing it.
fn is_calm(subject: &Subject, now: &Situation) -> bool {
    let is_alarm = matches!(subject, Subject::Alarm { .. });
    let is_quiet = matches!(subject, Subject::Row(row) if row.of_board && !row.is_overdue)
        && now.quiet_until_ms.is_some()
        && now.focus.is_none();
    is_alarm || (now.behavior != Behavior::Never && !now.is_do_not_disturb && !is_quiet)
}

fn live_through_a_year(zone: &str, seed: u64) {
    let zone = TimeZone::get(zone).expect("a time zone");
    let mut account = Account::new(&zone, seed);
    for _ in 0..DAYS * STEPS_A_DAY {
        account.pass_step();
        let situation = account.situation();
        for _ in 0..EVENTS_A_STEP {
            account.post(&situation);
        }
    }
    // In the end nothing holds anything any more.
    account.behavior = Behavior::Always;
    (account.focus, account.quiet_hours, account.is_do_not_disturb) = (None, None, false);
    account.release(i64::MAX);
    assert_eq!(account.events.len() as i64, DAYS * STEPS_A_DAY * EVENTS_A_STEP as i64);
    assert!(account.held.is_empty());
    for (event, (fate, reason)) in account.events.iter().enumerate() {
        let begin = match fate {
            Fate::Told => "Shown",
            Fate::Dropped => "Not shown",
            Fate::Held => panic!("event {event} is lost"),
        };
        assert!(reason.text().starts_with(begin), "{fate:?}: {}", reason.text());
    }
    let count = |fate: Fate| account.events.iter().filter(|event| event.0 == fate).count();
    let (told, dropped) = (count(Fate::Told), count(Fate::Dropped));
    assert!(told > 10_000 && dropped > 10_000, "both happen: {told} told, {dropped} dropped");
    // A computer that sleeps through a day misses it; all others have their run.
    assert!(account.focus_days.len() as i64 > DAYS / 2, "{} days", account.focus_days.len());
}

// Each case is ten lives.
proptest! {
    #![proptest_config(ProptestConfig { cases: 1, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn in_a_year_nothing_is_told_twice_or_lost_and_everything_has_a_reason(seed in any::<u64>()) {
        std::thread::scope(|scope| {
            for (number, zone) in ZONES.iter().enumerate() {
                scope.spawn(move || live_through_a_year(zone, seed ^ number as u64));
            }
        });
    }
}

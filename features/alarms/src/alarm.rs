//! An alarm, and what becomes of it at a time: pure rules over one row.

use notify::Decision;
use when::occurrence::Occurrence;

/// What an alarm is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Waiting for its next occurrence, if it has one.
    Idle,
    /// Due, but Focus Mode holds it.
    Held,
    /// Ringing.
    Ringing,
    /// Rings again later.
    Snoozed,
}

impl State {
    pub(crate) const ALL: [State; 4] = [State::Idle, State::Held, State::Ringing, State::Snoozed];

    /// As stored and sent.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            State::Idle => "idle",
            State::Held => "held",
            State::Ringing => "ringing",
            State::Snoozed => "snoozed",
        }
    }
}

/// How an alarm sounds and snoozes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    /// The name of a built-in sound, or the path of a WAV file.
    pub(crate) sound: String,
    /// -1 plays until it's answered, 0 plays nothing.
    pub(crate) duration_s: i64,
    pub(crate) fade_in_s: i64,
    pub(crate) plays_once: bool,
    pub(crate) speaks_label: bool,
    /// -1 is no limit.
    pub(crate) snoozes_max: i64,
    pub(crate) snooze_minutes: i64,
}

/// An alarm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alarm {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) is_on: bool,
    pub(crate) occurrence: Occurrence,
    pub(crate) options: Options,
    /// The next occurrence; 0 if there is none.
    pub(crate) next_ms: i64,
    pub(crate) state: State,
    /// Since when it rings.
    pub(crate) since_ms: i64,
    /// When its state ends; 0 while idle.
    pub(crate) until_ms: i64,
    pub(crate) snoozes: i64,
    pub(crate) created_ms: i64,
    pub(crate) changed_ms: i64,
}

/// What a step depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Situation {
    pub(crate) now_ms: i64,
    /// The setting `alarmsEnabled`.
    pub(crate) enabled: bool,
    /// Whether an alarm that is due rings now.
    pub(crate) decision: Decision,
    /// How long an alarm rings.
    pub(crate) ringing_ms: i64,
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing that you notice.
    Quiet,
    /// It begins to ring.
    Rings,
    /// Nobody answered, or Pilothouse was off: it was due at this time.
    Missed { due_ms: i64 },
}

impl Alarm {
    /// What people call it.
    pub(crate) fn name(&self) -> &str {
        if self.label.is_empty() { "Alarm" } else { &self.label }
    }

    /// When something is to be done about it.
    pub(crate) fn due_ms(&self) -> Option<i64> {
        [self.next_ms, self.until_ms].into_iter().filter(|at_ms| *at_ms > 0).min()
    }

    /// Turns it on or off, and finds its next occurrence. Whatever it was doing ends.
    pub(crate) fn set_on(&mut self, is_on: bool, now_ms: i64) {
        self.rest();
        self.next_ms = if is_on { self.occurrence.next_after(now_ms).unwrap_or(0) } else { 0 };
        self.is_on = is_on && self.next_ms > 0;
    }

    /// Does what is due by now.
    pub(crate) fn step(&mut self, now: &Situation) -> Outcome {
        if self.next_ms > 0 && self.next_ms <= now.now_ms {
            let due_ms = self.next_ms;
            self.next_ms = match self.occurrence.repeats() {
                true => self.occurrence.next_after(now.now_ms).unwrap_or(0),
                false => 0,
            };
            self.snoozes = 0;
            return self.begin(due_ms, now);
        }
        if self.until_ms == 0 || self.until_ms > now.now_ms {
            return Outcome::Quiet;
        }
        match self.state {
            State::Idle => Outcome::Quiet,
            State::Held | State::Snoozed => self.begin(self.until_ms, now),
            State::Ringing => {
                let due_ms = self.since_ms;
                self.rest();
                Outcome::Missed { due_ms }
            }
        }
    }

    /// Rings, unless something is against it. `due_ms` is when it should have begun.
    fn begin(&mut self, due_ms: i64, now: &Situation) -> Outcome {
        if !now.enabled {
            self.rest();
            return Outcome::Quiet;
        }
        // A little late, it would still be ringing.
        if now.now_ms >= due_ms + now.ringing_ms {
            self.rest();
            return Outcome::Missed { due_ms };
        }
        match now.decision {
            Decision::Hold { until_ms } => {
                (self.state, self.since_ms, self.until_ms) = (State::Held, due_ms, until_ms);
                Outcome::Quiet
            }
            Decision::Show | Decision::Drop => {
                self.ring(now);
                Outcome::Rings
            }
        }
    }

    /// Rings now.
    pub(crate) fn ring(&mut self, now: &Situation) {
        (self.state, self.since_ms, self.until_ms) = (State::Ringing, now.now_ms, now.now_ms + now.ringing_ms);
    }

    /// Rings again later.
    pub(crate) fn snooze(&mut self, minutes: i64, now_ms: i64) {
        self.snoozes += 1;
        (self.state, self.until_ms) = (State::Snoozed, now_ms + minutes * 60_000);
    }

    /// Whether it may be snoozed once more.
    pub(crate) fn may_snooze(&self) -> bool {
        self.options.snoozes_max < 0 || self.snoozes < self.options.snoozes_max
    }

    /// Ends what it's doing. A one-time alarm that has rung is off.
    pub(crate) fn rest(&mut self) {
        (self.state, self.since_ms, self.until_ms, self.snoozes) = (State::Idle, 0, 0, 0);
        self.is_on = self.is_on && self.next_ms > 0;
    }
}

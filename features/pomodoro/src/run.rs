//! A run and its phases. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) const MINUTE_MS: i64 = 60_000;

/// Lengths of the phases, in minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) focus: i64,
    pub(crate) short: i64,
    pub(crate) long: i64,
    /// Focus blocks before a long break; 0 for none.
    pub(crate) every: i64,
}

/// A phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PomodoroPhase")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// A focus block.
    Focus,
    /// A short break.
    Break,
    /// A long break.
    Long,
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// Its preset's name.
    pub(crate) name: String,
    pub(crate) lengths: Lengths,
    pub(crate) phase: Phase,
    /// The focus block, counted from 1; that before a break.
    pub(crate) block: i64,
    pub(crate) started_ms: i64,
    /// The phase's length.
    pub(crate) phase_ms: i64,
    /// Since when it goes on.
    pub(crate) since_ms: i64,
    /// Time of the phase before that.
    pub(crate) worked_ms: i64,
    /// When the phase ends; 0 while it's paused.
    pub(crate) ends_ms: i64,
    /// What is left of the phase while it's paused.
    pub(crate) left_ms: i64,
    /// Whether it turns Focus Mode on and off.
    pub(crate) manages_focus: bool,
    /// How often Focus Mode was toggled by hand before the run.
    pub(crate) toggles: i64,
}

impl Run {
    /// A run whose first focus block begins now.
    pub(crate) fn new(name: String, lengths: Lengths, now_ms: i64) -> Run {
        let mut run = Run {
            name,
            lengths,
            phase: Phase::Focus,
            block: 1,
            started_ms: now_ms,
            phase_ms: 0,
            since_ms: now_ms,
            worked_ms: 0,
            ends_ms: 0,
            left_ms: 0,
            manages_focus: false,
            toggles: 0,
        };
        run.begin(Phase::Focus, now_ms);
        run
    }

    fn begin(&mut self, phase: Phase, now_ms: i64) {
        let minutes = match phase {
            Phase::Focus => self.lengths.focus,
            Phase::Break => self.lengths.short,
            Phase::Long => self.lengths.long,
        };
        let phase_ms = minutes * MINUTE_MS;
        (self.phase, self.phase_ms, self.since_ms, self.worked_ms) = (phase, phase_ms, now_ms, 0);
        (self.ends_ms, self.left_ms) = (now_ms + phase_ms, 0);
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.ends_ms == 0
    }

    /// Time of the phase so far, pauses left out.
    pub(crate) fn worked_ms(&self, now_ms: i64) -> i64 {
        let now_ms = if self.is_paused() { self.since_ms } else { now_ms.min(self.ends_ms) };
        self.worked_ms + (now_ms - self.since_ms).max(0)
    }

    /// Goes on to the next phase.
    pub(crate) fn advance(&mut self, now_ms: i64) {
        let is_long = self.lengths.every > 0 && self.block % self.lengths.every == 0;
        match self.phase {
            Phase::Focus => self.begin(if is_long { Phase::Long } else { Phase::Break }, now_ms),
            Phase::Break | Phase::Long => {
                self.block += 1;
                self.begin(Phase::Focus, now_ms);
            }
        }
    }

    pub(crate) fn pause(&mut self, now_ms: i64) {
        self.worked_ms = self.worked_ms(now_ms);
        self.left_ms = (self.ends_ms - now_ms).max(1);
        (self.ends_ms, self.since_ms) = (0, now_ms);
    }

    pub(crate) fn resume(&mut self, now_ms: i64) {
        (self.ends_ms, self.since_ms, self.left_ms) = (now_ms + self.left_ms, now_ms, 0);
    }

    /// Until when Focus Mode is to be on; 0 for off.
    pub(crate) fn focus_until_ms(&self) -> i64 {
        if self.phase == Phase::Focus { self.ends_ms } else { 0 }
    }
}

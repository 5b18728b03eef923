//! Use of the context: the notices at 75 and 90 percent, and when it counts as full.

use serde::{Deserialize, Serialize};

/// The notices that are enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextWarnings {
    /// Setting `contextWarning75Enabled`.
    pub context_warning75_enabled: bool,
    /// Setting `contextWarning90Enabled`.
    pub context_warning90_enabled: bool,
}

/// A share of the context at which a notice is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    /// 75 percent.
    Most,
    /// 90 percent.
    Nearly,
}

impl Mark {
    /// In percent of the context.
    pub const fn percent(self) -> u64 {
        match self {
            Mark::Most => 75,
            Mark::Nearly => 90,
        }
    }
}

/// The share in percent from which an interrupted turn is assumed to have run out of context.
pub const FULL_PERCENT: u64 = 97;

/// The marks that the context currently exceeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Gauge {
    above: [bool; 2],
}

impl Gauge {
    /// Records the used tokens and the context's size, and returns the notices that are due: each once, and again only
    /// after the use dropped below its mark. A mark that is passed while its setting is off counts as passed. A size of
    /// 0 is unknown and has no effect.
    pub fn observe(&mut self, used: u64, size: u64, wanted: ContextWarnings) -> Vec<Mark> {
        if size == 0 {
            return Vec::new();
        }
        let marks = [(Mark::Most, wanted.context_warning75_enabled), (Mark::Nearly, wanted.context_warning90_enabled)];
        let mut due = Vec::new();
        for (above, (mark, is_wanted)) in self.above.iter_mut().zip(marks) {
            let is_above = reaches(used, size, mark.percent());
            if is_above && !*above && is_wanted {
                due.push(mark);
            }
            *above = is_above;
        }
        due
    }
}

/// Whether there is no room for another step.
pub fn is_full(used: u64, size: u64) -> bool {
    size != 0 && reaches(used, size, FULL_PERCENT)
}

fn reaches(used: u64, size: u64, percent: u64) -> bool {
    u128::from(used) * 100 >= u128::from(size) * u128::from(percent)
}

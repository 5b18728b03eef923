//! What sessions and the program may use now, from the settings and the state of the machine. Nothing else.

use kit::setting::Platform;
use platform::resources::{CpuCap, Machine, Priority, Share};
use std::collections::BTreeMap;

/// The most processes of a session, with `sessionMaxProcessesEnabled`.
const PROCESSES_MAX: u32 = 512;
/// A machine with less memory keeps none of it for the database.
pub(crate) const RESIDENT_FROM: u64 = 8 << 30;
/// Memory for the database: the machine's memory divided by this, and at least the minimum in bytes.
const RESIDENT_PART: u64 = 50;
const RESIDENT_MIN: u64 = 256 << 20;
/// The longest that a merge of all ready branches changes priorities.
pub(crate) const BOOST_MAX_MS: i64 = 30 * 60 * 1000;

/// The settings, as they are now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named like the settings")]
pub(crate) struct Choices {
    pub(crate) boost_app: bool,
    pub(crate) keep_resident: bool,
    pub(crate) keep_awake: bool,
    pub(crate) boost_merge: bool,
    pub(crate) reserve_core: bool,
    pub(crate) adaptive_cores: bool,
    pub(crate) adaptive_memory: bool,
    pub(crate) cap: Option<CpuCap>,
    pub(crate) limit_processes: bool,
    pub(crate) below_normal: bool,
    pub(crate) low_disk: bool,
}

/// The state of the machine and of Pilothouse.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    pub(crate) platform: Platform,
    pub(crate) machine: Machine,
    /// Sessions with processes, and whether each works.
    pub(crate) sessions: BTreeMap<String, bool>,
    /// Whether any session works, with a process of its own or without.
    pub(crate) any_works: bool,
    /// How long all ready branches have been merging.
    pub(crate) merging_ms: Option<i64>,
    /// Whether a window of Pilothouse is in front.
    pub(crate) in_front: bool,
    /// Whether the CPU is busy, with hysteresis.
    pub(crate) cpu_busy: bool,
    /// Whether memory is low, with hysteresis.
    pub(crate) memory_low: bool,
}

/// What is to be in effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) cap: Option<CpuCap>,
    pub(crate) shares: BTreeMap<String, Share>,
    /// Sessions that give memory back.
    pub(crate) trim: Vec<String>,
    pub(crate) own: Priority,
    pub(crate) awake: bool,
    /// Bytes of the database to keep in memory.
    pub(crate) resident: Option<u64>,
}

/// What the settings ask for in this state.
pub(crate) fn wanted(choices: &Choices, state: &State) -> Wanted {
    let mut wanted = Wanted { awake: choices.keep_awake && state.any_works, ..Wanted::default() };
    if state.platform == Platform::L {
        return wanted;
    }
    let is_boosted = choices.boost_merge && state.merging_ms.is_some_and(|ms| ms < BOOST_MAX_MS);
    let on_windows = state.platform == Platform::W;
    let machine = &state.machine;
    let lowest = machine.performance_cores & machine.performance_cores.wrapping_neg();
    let cores =
        match (machine.is_hybrid() && on_windows, choices.adaptive_cores && state.cpu_busy, choices.reserve_core) {
            (true, true, _) => Some(machine.efficiency_cores),
            (true, false, true) => Some((machine.performance_cores | machine.efficiency_cores) & !lowest),
            _ => None,
        };
    let trims = on_windows && choices.adaptive_memory && state.memory_low;
    for (session, works) in &state.sessions {
        let share = Share {
            priority: if choices.below_normal { Priority::BelowNormal } else { Priority::Normal },
            is_set_back: is_boosted,
            low_disk_priority: on_windows && choices.low_disk,
            low_memory_priority: on_windows && choices.low_disk || trims && *works,
            processes_max: (on_windows && choices.limit_processes).then_some(PROCESSES_MAX),
            cores,
        };
        wanted.shares.insert(session.clone(), share);
        if trims && *works {
            wanted.trim.push(session.clone());
        }
    }
    if on_windows {
        wanted.cap = choices.cap;
        if is_boosted || choices.boost_app && state.in_front {
            wanted.own = Priority::AboveNormal;
        }
        let has_room = machine.memory_bytes >= RESIDENT_FROM;
        let bytes = (machine.memory_bytes / RESIDENT_PART).max(RESIDENT_MIN);
        wanted.resident = (choices.keep_resident && has_room).then_some(bytes);
    }
    wanted
}

/// Turns on above one value and off below another, so that it doesn't flicker between them.
#[derive(Debug)]
pub(crate) struct Hysteresis {
    on_above: f64,
    off_below: f64,
    is_on: bool,
}

impl Hysteresis {
    pub(crate) fn new(on_above: f64, off_below: f64) -> Self {
        Self { on_above, off_below, is_on: false }
    }

    /// Takes in a value. Returns whether it's on.
    pub(crate) fn take(&mut self, value: f64) -> bool {
        self.is_on = if self.is_on { value >= self.off_below } else { value > self.on_above };
        self.is_on
    }
}

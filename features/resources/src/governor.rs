//! Puts into effect what is wanted, and only what changed since.

use crate::settings;
use crate::wanted::{Choices, Hysteresis, State, Wanted, wanted};
use kit::lookup::{AllSessions, FirstAccount, MergingAll, WindowInFront};
use kit::setting::Platform;
use kit::{Ctx, Result};
use platform::resources::{CpuCap, CpuTimes, Hold, Resources};
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The CPU is busy above this share of all cores, until it falls below the other.
const CPU_BUSY: (f64, f64) = (85.0, 60.0);
/// The same for memory.
const MEMORY_LOW: (f64, f64) = (85.0, 70.0);
/// CPU use is averaged over so many looks.
const LOOKS: usize = 6;

/// Why something that is on has no effect here. Read by settings.
#[derive(Debug, Default)]
pub(crate) struct Problems(Mutex<Known>);

/// What is known so far.
#[derive(Debug, Default, Clone)]
pub(crate) struct Known {
    /// Why the machine can't be kept awake.
    pub(crate) awake: Option<String>,
    /// Why the database can't be kept in memory.
    pub(crate) resident: Option<String>,
    /// Whether all cores of the processor are the same.
    pub(crate) is_uniform: bool,
}

impl Problems {
    pub(crate) fn known(&self) -> Known {
        self.0.lock().expect("no panic while held").clone()
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.0.lock().expect("no panic while held"));
    }
}

/// Controls what sessions and the program use.
pub(crate) struct Governor {
    pub(crate) resources: Arc<dyn Resources>,
    platform: Platform,
    database: PathBuf,
    cpu_busy: Hysteresis,
    memory_low: Hysteresis,
    last_times: Option<CpuTimes>,
    looks: VecDeque<f64>,
    applied: Wanted,
    awake: Option<Hold>,
    resident: Option<Hold>,
}

impl Governor {
    pub(crate) fn new(resources: Arc<dyn Resources>, platform: Platform, database: PathBuf) -> Governor {
        Governor {
            resources,
            platform,
            database,
            cpu_busy: Hysteresis::new(CPU_BUSY.0, CPU_BUSY.1),
            memory_low: Hysteresis::new(MEMORY_LOW.0, MEMORY_LOW.1),
            last_times: None,
            looks: VecDeque::new(),
            applied: Wanted::default(),
            awake: None,
            resident: None,
        }
    }

    /// Looks at settings, sessions, and the machine, and puts into effect what follows. Returns whether it's to look
    /// again soon without an event, because the machine is watched, and whether keeping it awake just failed.
    pub(crate) async fn step(&mut self, ctx: &Ctx) -> Result<Step> {
        let account = ctx.service::<FirstAccount>();
        let choices = choices(ctx, &account.0);
        let working = match ctx.find_service::<AllSessions>() {
            Some(sessions) => sessions.0.working().await?,
            None => Default::default(),
        };
        let on_windows = self.platform == Platform::W;
        let with_processes = self.resources.sessions();
        let watches_cpu = on_windows && choices.adaptive_cores && !with_processes.is_empty();
        let watches_memory = on_windows && choices.adaptive_memory && !with_processes.is_empty();
        let merge = ctx.find_service::<MergingAll>().and_then(|merging| (merging.0)());
        let in_front = ctx.find_service::<WindowInFront>();
        let state = State {
            platform: self.platform,
            machine: self.resources.machine(),
            any_works: !working.is_empty(),
            sessions: with_processes.into_iter().map(|id| (id.clone(), working.contains(&id))).collect(),
            merging_ms: merge.map(|merge| ctx.now_ms() - merge.since_ms),
            in_front: in_front.is_some_and(|in_front| (in_front.0)(ctx, &account.0)),
            cpu_busy: watches_cpu && self.cpu_use().is_some_and(|used| self.cpu_busy.take(used)),
            memory_low: watches_memory
                && self.resources.memory_used_percent().is_some_and(|used| self.memory_low.take(used)),
        };
        let is_limited =
            !state.sessions.is_empty() && (watches_cpu || watches_memory || choices.low_disk || choices.boost_merge);
        let looks_again = self.platform != Platform::L && (is_limited || choices.boost_app);
        let lost_awake = self.apply(ctx, &choices, &state).await;
        Ok(Step { looks_again, lost_awake })
    }

    /// The average of the last looks, in percent of all cores.
    fn cpu_use(&mut self) -> Option<f64> {
        let times = self.resources.cpu_times()?;
        let before = self.last_times.replace(times)?;
        let (busy, total) = (times.busy.saturating_sub(before.busy), times.total.saturating_sub(before.total));
        if total > 0 {
            self.looks.push_back(100.0 * busy as f64 / total as f64);
        }
        while self.looks.len() > LOOKS {
            self.looks.pop_front();
        }
        (!self.looks.is_empty()).then(|| self.looks.iter().sum::<f64>() / self.looks.len() as f64)
    }

    /// Returns whether keeping the machine awake failed now.
    async fn apply(&mut self, ctx: &Ctx, choices: &Choices, state: &State) -> bool {
        let before = std::mem::replace(&mut self.applied, wanted(choices, state));
        let wanted = &self.applied;
        if wanted.cap != before.cap {
            report("the CPU cap", self.resources.set_cpu_cap(wanted.cap));
        }
        for (session, share) in &wanted.shares {
            let had = before.shares.get(session).copied().unwrap_or_default();
            // Processes that started since have the system's own disk and memory priority.
            if *share != had || share.low_disk_priority || share.low_memory_priority {
                report("a session's share", self.resources.set_share(session, share));
            }
        }
        for session in &wanted.trim {
            report("a session's memory", self.resources.trim_memory(session));
        }
        if wanted.own != before.own {
            report("the program's priority", self.resources.set_own_priority(wanted.own));
        }
        let problems = ctx.service::<Problems>();
        problems.set(|known| known.is_uniform = !state.machine.is_hybrid());
        if wanted.resident != before.resident {
            self.resident = None;
            let mut problem = None;
            if let Some(bytes) = wanted.resident {
                match self.resources.keep_resident(&self.database, bytes) {
                    Ok(hold) => self.resident = Some(hold),
                    Err(error) => {
                        tracing::warn!(%error, "the database isn't kept in memory");
                        problem = Some(format!("The system didn't keep the database in memory: {error}."));
                    }
                }
            }
            problems.set(|known| known.resident = problem);
        } else if choices.keep_resident && wanted.resident.is_none() {
            problems.set(|known| known.resident = Some(TOO_LITTLE_MEMORY.to_owned()));
        }
        if wanted.awake == before.awake {
            return false;
        }
        self.awake = None;
        if !wanted.awake {
            return false;
        }
        match self.resources.keep_awake().await {
            Ok(hold) => {
                self.awake = Some(hold);
                problems.set(|known| known.awake = None);
                false
            }
            Err(error) => {
                tracing::info!(%error, "the computer isn't kept awake");
                problems.set(|known| known.awake = Some(format!("This computer can't be kept awake: {error}.")));
                true
            }
        }
    }
}

const TOO_LITTLE_MEMORY: &str = "This computer has less than 8 GB of memory.";

/// What a step found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) looks_again: bool,
    pub(crate) lost_awake: bool,
}

/// A limit that can't be set is no reason to stop a session.
fn report(what: &str, outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "couldn't set {what}");
    }
}

fn choices(ctx: &Ctx, account: &str) -> Choices {
    let percent = u8::try_from(ctx.setting(account, &settings::sessionCpuCapPercent)).unwrap_or(u8::MAX);
    let cap = CpuCap { percent, is_hard: ctx.setting(account, &settings::sessionCpuCapStrict) };
    Choices {
        boost_app: ctx.setting(account, &settings::boostAppProcessPriority),
        keep_resident: ctx.setting(account, &settings::keepAppResidentInMemory),
        keep_awake: ctx.setting(account, &settings::keepAwakeWhileSessionsRunning),
        boost_merge: ctx.setting(account, &settings::mergePriorityBoostEnabled),
        reserve_core: ctx.setting(account, &settings::reserveUiCoreEnabled),
        adaptive_cores: ctx.setting(account, &settings::sessionAdaptiveEcoreAffinity),
        adaptive_memory: ctx.setting(account, &settings::sessionAdaptiveMemoryPaging),
        cap: ctx.setting(account, &settings::sessionCpuCapEnabled).then_some(cap),
        limit_processes: ctx.setting(account, &settings::sessionMaxProcessesEnabled),
        below_normal: ctx.setting(account, &settings::sessionTreeBelowNormalPriority),
        low_disk: ctx.setting(account, &settings::sessionTreeLowIoPriority),
    }
}

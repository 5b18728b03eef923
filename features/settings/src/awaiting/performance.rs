//! What the program and its sessions may take of the machine.

use kit::setting::Platform::{M, W};
use kit::setting::{int_step, toggle};

kit::settings! {
    /// Runs the program's processes at a higher priority while one of its windows is in front.
    boostAppProcessPriority: bool = toggle(false).only_on(&[W]).installation();
    /// Keeps the program's database in physical memory. It chooses how much, and switches itself off on machines with little.
    keepAppResidentInMemory: bool = toggle(true).stated().only_on(&[W]).installation();
    /// Keeps the machine from sleeping while sessions run; the display may still turn off. On Linux it depends on the desktop.
    keepAwakeWhileSessionsRunning: bool = toggle(true).stated().installation();
    /// While all ready branches are merged, that session runs at a higher priority and the others at a lower one. It ends with the merge, after thirty minutes at the latest; on macOS the others are only lowered.
    mergePriorityBoostEnabled: bool = toggle(false).only_on(&[W, M]).installation();
    /// Keeps one fast core free of sessions for the window, on processors with fast and slow cores.
    reserveUiCoreEnabled: bool = toggle(false).stated().only_on(&[W]).installation();
    /// Moves sessions to the slow cores while the processor is busy above 85 percent, and lets them go below 60, on processors with fast and slow cores.
    sessionAdaptiveEcoreAffinity: bool = toggle(false).only_on(&[W]).installation();
    /// While more than 85 percent of the memory is used, asks busy sessions to hold less of it, until less than 70 percent is.
    sessionAdaptiveMemoryPaging: bool = toggle(false).only_on(&[W]).installation();
    /// Limits what all engines together take of the processor while others need it, and lowers their priority.
    sessionCpuCapEnabled: bool = toggle(false).only_on(&[W]).installation();
    /// Sets the share of the processor that all engines together may take.
    sessionCpuCapPercent: i64 = int_step(25..=90, 5, 60).unit("%").only_on(&[W]).requires(&sessionCpuCapEnabled).installation();
    /// Holds the limit also when nothing else needs the processor.
    sessionCpuCapStrict: bool = toggle(false).only_on(&[W]).requires(&sessionCpuCapEnabled).installation();
    /// Limits how many processes one session may have. A new one beyond it fails until others end; nothing that runs is stopped.
    sessionMaxProcessesEnabled: bool = toggle(false).only_on(&[W]).installation();
    /// Gives every session, with all that it starts, a lower priority than other programs.
    sessionTreeBelowNormalPriority: bool = toggle(false).only_on(&[W, M]).installation();
    /// Gives every session, with all that it starts, a low disk priority and a lower memory priority.
    sessionTreeLowIoPriority: bool = toggle(false).only_on(&[W]).installation();
}

//! Use of the machine's CPU, memory, and disk.

use kit::setting::Platform::{M, W};
use kit::setting::{int_step, toggle};

kit::settings! {
    /// Runs Pilothouse at a higher priority while one of its windows is in front.
    boostAppProcessPriority: bool = toggle(false).only_on(&[W]).installation();
    /// Keeps the database in physical memory, sized automatically. Turns itself off on devices with little memory.
    keepAppResidentInMemory: bool = toggle(true).stated().only_on(&[W]).installation();
    /// Keeps the device awake while sessions run; the display may turn off. On Linux, depends on the desktop.
    keepAwakeWhileSessionsRunning: bool = toggle(true).stated().installation();
    /// Raises the priority of the session that merges all ready branches and lowers the others for at most 30 minutes. On macOS, only lowers the others.
    mergePriorityBoostEnabled: bool = toggle(false).only_on(&[W, M]).installation();
    /// Reserves one performance core for the window, on processors with performance and efficiency cores.
    reserveUiCoreEnabled: bool = toggle(false).stated().only_on(&[W]).installation();
    /// Moves sessions to efficiency cores when CPU use exceeds 85% and frees them below 60%.
    sessionAdaptiveEcoreAffinity: bool = toggle(false).only_on(&[W]).installation();
    /// Asks busy sessions to release memory when memory use exceeds 85%, until it falls below 70%.
    sessionAdaptiveMemoryPaging: bool = toggle(false).only_on(&[W]).installation();
    /// Limits the CPU share of all engines together and lowers their priority while other programs need the CPU.
    sessionCpuCapEnabled: bool = toggle(false).only_on(&[W]).installation();
    /// Maximum CPU share of all engines together.
    sessionCpuCapPercent: i64 = int_step(25..=90, 5, 60).unit("%").only_on(&[W]).requires(&sessionCpuCapEnabled).installation();
    /// Enforces the CPU limit even when no other program needs the CPU.
    sessionCpuCapStrict: bool = toggle(false).only_on(&[W]).requires(&sessionCpuCapEnabled).installation();
    /// Limits the number of processes in a session. At the limit, new processes fail; running ones continue.
    sessionMaxProcessesEnabled: bool = toggle(false).only_on(&[W]).installation();
    /// Runs every session and its processes at a lower priority than other programs.
    sessionTreeBelowNormalPriority: bool = toggle(false).only_on(&[W, M]).installation();
    /// Runs every session and its processes at low disk and memory priority.
    sessionTreeLowIoPriority: bool = toggle(false).only_on(&[W]).installation();
}

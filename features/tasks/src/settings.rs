//! Settings of tasks. How tasks look and are typed applies on the page.

use kit::setting::{text, toggle};

kit::settings! {
    /// Capitalizes the first letter of tasks and sentences as you type. Addresses, paths, and abbreviations stay unchanged.
    autoCapitalizeTasks: bool = toggle(true).requires(&tasksEnabled);
    /// Shows tasks in the sidebar: a nested checklist with dates and snoozing. When off, your tasks stay stored.
    tasksEnabled: bool = toggle(true);
    /// Finds follow-ups in a session's transcript when it ends and offers them under Caught. When off, nothing is read.
    tasksV2CatchesEnabled: bool = toggle(true).requires(&tasksEnabled);
    /// Describes which follow-ups are worth catching. Empty uses the default.
    tasksV2CatchesGuidance: String = text(2_000, "").requires(&tasksV2CatchesEnabled);
    /// Makes a task's checkbox select it, with a bar that offers Finish and Drop. Ctrl or Shift with a click always selects.
    tasksV2CheckboxSelects: bool = toggle(false).stated().requires(&tasksEnabled);
    /// Sets tasks closer together.
    tasksV2CompactDensity: bool = toggle(false).stated().requires(&tasksEnabled);
    /// Hides completed tasks from lists and counts.
    tasksV2HideCompleted: bool = toggle(false).requires(&tasksEnabled);
}

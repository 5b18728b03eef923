//! Tasks.

use kit::setting::{text, toggle};

kit::settings! {
    /// Writes the first letter of a task and of each sentence large while you type. Addresses, paths and abbreviations stay as they are.
    autoCapitalizeTasks: bool = toggle(true).requires(&tasksEnabled);
    /// Shows tasks in the sidebar: a checklist in levels, with dates and snoozing, mirrored in a tasks.md file of each hub.
    tasksEnabled: bool = toggle(true);
    /// When a session ends, looks through its transcript for things left to do and offers them under Caught. When off, nothing is read.
    tasksV2CatchesEnabled: bool = toggle(true).requires(&tasksEnabled);
    /// Says in your own words which follow-ups are worth catching. Empty is the usual choice.
    tasksV2CatchesGuidance: String = text(2_000, "").requires(&tasksV2CatchesEnabled);
    /// Ticking a box selects its task and does not finish it; a bar then offers Done and Dropped. Ctrl or Shift with a click selects in any case.
    tasksV2CheckboxSelects: bool = toggle(false).stated().requires(&tasksEnabled);
    /// Sets the rows of tasks closer together.
    tasksV2CompactDensity: bool = toggle(false).stated().requires(&tasksEnabled);
    /// Hides finished tasks from lists and counts. They stay in tasks.md.
    tasksV2HideCompleted: bool = toggle(false).requires(&tasksEnabled);
}

//! Settings of tasks that aren't implemented yet.

use crate::settings::tasksEnabled;
use kit::setting::{text, toggle};

kit::settings! {
    /// Finds open tasks in a session's transcript when it ends and offers them under Caught. When off, nothing is read.
    tasksV2CatchesEnabled: bool = toggle(true).requires(&tasksEnabled);
    /// Describes which follow-ups are worth catching. Empty uses the default.
    tasksV2CatchesGuidance: String = text(2_000, "").requires(&tasksV2CatchesEnabled);
}

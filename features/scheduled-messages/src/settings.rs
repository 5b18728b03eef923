//! The setting of scheduled messages.

use kit::setting::toggle;

kit::settings! {
    /// Adds the Scheduled Messages project: notes that reach the inbox once or repeatedly.
    scheduledMessagesEnabled: bool = toggle(true);
}

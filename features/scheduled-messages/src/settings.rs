//! The setting of scheduled messages.

use kit::setting::toggle;

kit::settings! {
    /// Adds Scheduled messages: messages to the inbox or a session, or that start one, once or repeatedly.
    scheduledMessagesEnabled: bool = toggle(true);
}

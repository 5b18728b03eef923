//! Settings of the inbox.

use kit::setting::toggle;

kit::settings! {
    /// Lets agents and scripts add alerts to the inbox. Each stays until you dismiss it.
    agentAlertsEnabled: bool = toggle(true).also_called("notification, notify, message");
}

//! The settings that the inbox obeys.

use kit::setting::toggle;

kit::settings! {
    /// Lets agents and scripts leave alerts in the inbox. Each stays until you dismiss it.
    agentAlertsEnabled: bool = toggle(true).also_called("notification, notify, message");
}

//! The settings that asking obeys.

use kit::setting::toggle;

kit::settings! {
    /// Lets a session ask you for a value it can't see, such as an API key. You enter it in a masked field; the agent only learns that you did.
    agentInputRequestsEnabled: bool = toggle(true);
    /// Lets a session propose a key for you to review and correct. It's stored only when you select Save.
    agentKeyProposalsEnabled: bool = toggle(true);
}

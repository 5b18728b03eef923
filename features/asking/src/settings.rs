//! The settings that asking obeys.

use kit::setting::toggle;

kit::settings! {
    "Sessions & Agents" / "agent control" {
        /// A session may ask you for a value that it cannot set itself, such as an API key. You type it into a masked field; the agent only learns that it was given.
        agentInputRequestsEnabled: bool = toggle(true).before("agentPermissionLevel");
        /// A session may show you a key that it holds, for you to look at, correct and keep. It is kept only when you press Save.
        agentKeyProposalsEnabled: bool = toggle(true).before("agentPermissionLevel");
    }
}

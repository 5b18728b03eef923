//! Settings of input requests and key proposals.

use kit::setting::toggle;

kit::settings! {
    /// Lets a session ask you for a value it can't see, such as an API key. The agent learns only that you entered it.
    agentInputRequestsEnabled: bool = toggle(true);
    /// Lets a session propose a key for you to review and correct. It's stored only when you select Save.
    agentKeyProposalsEnabled: bool = toggle(true);
    /// Shows command-line requests that need your answer in the inbox. When off, they still wait: open them at Inbox > Hidden.
    inboxShowCliPending: bool = toggle(true);
}

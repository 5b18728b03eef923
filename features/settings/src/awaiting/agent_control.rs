//! Getting started, and what agents may do.

use kit::setting::toggle;

kit::settings! {
    /// Lets agents read coaching results and start coaching interviews through the control server. Doesn't affect coaching in the page.
    aiCoachingCliEnabled: bool = toggle(true).stated();
    /// Lets a session post to the team chat with its scoped token; posts are marked as your agent's. When off, posts are rejected.
    allowAgentTokenTeamChat: bool = toggle(false).stated();
}

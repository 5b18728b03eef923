//! Getting started, and what agents may do.

use kit::setting::{Applies::NextSession, text, toggle};

kit::settings! {
    /// Batches agents' find commands to start fewer processes.
    agentFindBatchingEnabled: bool = toggle(true).stated().applies(NextSession);
    /// Lets agents read coaching results and start coaching interviews through the control server. Doesn't affect coaching in the page.
    aiCoachingCliEnabled: bool = toggle(true).stated();
    /// Lets agents list, add, change, remove, reorder, and open bookmarks through the control server.
    bookmarksCliEnabled: bool = toggle(true).stated();
    /// Lets agents bring the window to the front while you use another program. When off, the request becomes an inbox row that links to the session.
    allowAgentForegroundFromBackground: bool = toggle(false).stated();
    /// Lets a session post to the team chat with its scoped token; posts are marked as your agent's. When off, posts are rejected.
    allowAgentTokenTeamChat: bool = toggle(false).stated();
    /// Your own text at the end of every new session's instructions.
    defaultAgentInstructionsCustom: String = text(10_000, "").applies(NextSession);
    /// Gives new sessions of the primary engine default instructions: no attribution lines, cloud safety, private repositories, README standards.
    defaultAgentInstructionsEnabled: bool = toggle(true).applies(NextSession);
    /// Reminds sessions that their shell stays in its folder, so they change folder once instead of before every command.
    shellCwdPersistNudgeEnabled: bool = toggle(true).applies(NextSession);
}

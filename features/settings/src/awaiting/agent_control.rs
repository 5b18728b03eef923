//! Getting started, and what agents may do.

use kit::choices;
use kit::setting::{Applies::NextSession, Choices, Shape, list, select, text, toggle};

choices! {
    /// File that the other instruction files are copied from.
    Canonical {
        /// The primary engine's own file.
        Primary = "PRIMARY.md",
        /// The file that several tools have agreed on.
        Agents = "AGENTS.md",
    }
    /// What git is told of the copies.
    GitMode {
        /// The copies stay out of git, through the repository's own exclude list.
        Local = "local",
        /// The copies are committed.
        Committed = "committed",
    }
    /// Files that other tools read.
    Mirror {
        /// The file that several tools have agreed on.
        Agents = "AGENTS.md",
        /// The primary engine's own file.
        Primary = "PRIMARY.md",
        /// The file of the first other tool.
        Alt1 = "ALT1.md",
        /// The rules file of the second other tool.
        Rules2 = ".altrules2",
        /// The base rules of the third other tool, in a folder of its own.
        Rules3 = ".altrules3/base.md",
        /// The file of the fourth other tool, in the repository's .github folder.
        Github = ".github/alt4-instructions.md",
        /// The rules file of the fifth other tool.
        Rules5 = ".altrules5",
    }
}

static MIRROR: Shape = Shape::Select(Mirror::ALL);

kit::settings! {
    /// Batches agents' find commands to start fewer processes.
    agentFindBatchingEnabled: bool = toggle(true).stated().applies(NextSession);
    /// Agents may read coaching results and start coaching interviews through the control server. When off, all of that is refused; coaching on the page goes on.
    aiCoachingCliEnabled: bool = toggle(true).stated();
    /// Agents may list, add, change, remove, reorder and open bookmarks through the control server.
    bookmarksCliEnabled: bool = toggle(true).stated();
    /// Agents may bring the window to the front while you work in another program. When off, such a wish becomes a note in the inbox that names the session.
    allowAgentForegroundFromBackground: bool = toggle(false).stated();
    /// A session may write to the team chat with its own scoped token; what it writes is marked as your agent's. When off, such writes are refused.
    allowAgentTokenTeamChat: bool = toggle(false).stated();
    /// Adds a text of your own at the end of the instructions that every new session gets.
    defaultAgentInstructionsCustom: String = text(10_000, "").applies(NextSession);
    /// Gives every new session of the primary engine a set of ready instructions: no attribution lines, care in the cloud, private repositories, standards for READMEs.
    defaultAgentInstructionsEnabled: bool = toggle(true).applies(NextSession);
    /// Copies one instruction file into the file names that other coding tools read.
    agentInstructionsSyncEnabled: bool = toggle(false).stated();
    /// Chooses the file that counts; the others become copies of it.
    agentInstructionsSyncCanonical: Canonical = select("PRIMARY.md").stated().requires(&agentInstructionsSyncEnabled);
    /// Chooses whether git gets the copies as a commit or does not see them at all.
    agentInstructionsSyncGitMode: GitMode = select("local").requires(&agentInstructionsSyncEnabled);
    /// Names the files to write beside the one that counts. Naming that one itself has no effect.
    agentInstructionsSyncMirrors: Vec<Mirror> = list(&MIRROR).requires(&agentInstructionsSyncEnabled);
    /// Tells each session that its command line stays in its folder, so that it changes folder once and not before every command.
    shellCwdPersistNudgeEnabled: bool = toggle(true).applies(NextSession);
    /// Typing / in the message box opens a list of skills that narrows as you type.
    skillSlashAutocomplete: bool = toggle(true);
}

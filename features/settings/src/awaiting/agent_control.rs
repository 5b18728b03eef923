//! Getting started, and what agents may do.

use kit::choices;
use kit::setting::{Applies::NextSession, Choices, Shape, int, list, number, select, text, toggle};

choices! {
    /// How much an agent does before it asks.
    PermissionLevel {
        /// Reads the project and asks before anything else.
        ReadOnly = "read_only",
        /// Also changes files of the project; asks before commands, the network and other folders.
        Guarded = "guarded",
        /// Asks only before it touches sensitive files.
        Autonomous = "autonomous",
        /// Asks for nothing.
        Full = "full",
    }
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
    "Getting Started" / "getting started" {
        /// Keeps where you first came across Pilothouse. It stays on this machine unless you send it in a report.
        heardAboutUs: String = text(64, "");
    }
    "Sessions & Agents" / "agent control" {
        /// Limits how many agent-driven sessions are active together. One more is refused until another ends; 0 refuses all of them. Sessions that you start yourself do not count.
        agentDrivenMaxConcurrent: i64 = int(0..=10, 3).unit("sessions").requires(&agentDrivenSessionsEnabled);
        /// Notes what one agent-driven session should cost at most. The value is kept and returned, but no session is stopped by it.
        agentDrivenMaxDollarsPerSession: f64 = number(0.0, 20.0, 5.0).unit("USD").stored_only().requires(&agentDrivenSessionsEnabled);
        /// Notes how many follow-up turns one agent-driven session should take at most. The value is kept and returned, but no session is stopped by it.
        agentDrivenMaxTurnsPerSession: i64 = int(0..=200, 50).unit("turns").stored_only().requires(&agentDrivenSessionsEnabled);
        /// Scripts from outside may start sessions in driven mode and send them follow-up messages by themselves.
        agentDrivenSessionsEnabled: bool = toggle(false).stated();
        /// Makes an agent's find commands run their work on many files at a time instead of starting a process for each. A new session takes it up.
        agentFindBatchingEnabled: bool = toggle(true).stated().applies(NextSession);
        /// Decides what agents do by themselves and when they ask you first. Below full they always ask for sensitive files such as SSH keys and credentials; external engines are refused those at every level, and sessions started by e-mail stay locked down whatever stands here. Sessions of the second engine take a change up when they start, unless that engine has a level of its own under Accounts.
        agentPermissionLevel: PermissionLevel = select("guarded");
        /// Shows a live board with one line for each agent that was launched: its workspace, state, phase and to-do list, one click from its session. It adds an icon to the toolbar.
        agentStatusBoardEnabled: bool = toggle(true);
        /// Agents may read coaching results and start coaching interviews through the control server. Off, all of that is refused; coaching on the page goes on.
        aiCoachingCliEnabled: bool = toggle(true).stated();
        /// Agents may list, add, change, remove, reorder and open bookmarks through the control server.
        bookmarksCliEnabled: bool = toggle(true).stated();
        /// An agent that wants to show you another place in the program switches your view at once. Off, you get a note to click instead. While you work in another program your view never moves.
        allowAgentDirectNavigation: bool = toggle(false).stated();
        /// Agents may bring the window to the front while you work in another program. Off, such a wish becomes a note in the inbox that names the session.
        allowAgentForegroundFromBackground: bool = toggle(false).stated();
        /// A session may start further sessions with its own scoped token. Off, starting needs the global command-line token.
        allowAgentTokenSpawn: bool = toggle(false).stated();
        /// A session may write to the team chat with its own scoped token; what it writes is marked as your agent's. Off, such writes are refused.
        allowAgentTokenTeamChat: bool = toggle(false).stated();
        /// A start through the control server must name the session that asks for it, in the header X-App-Source-Session-Id. Off, a start needs no origin.
        requireSpawnSourceSession: bool = toggle(true).stated();
        /// Sets the pause between new sessions that an agent or automation starts in a row; 0 starts them all at once. Your own sessions never wait, and a change counts for those already waiting.
        cliSpawnSpacingSeconds: i64 = int(0..=300, 5).unit("s");
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
        /// Lets the primary engine change its own configuration files without asking. Off, each change waits for you.
        autoApproveConfigFiles: bool = toggle(false);
        /// Approves the plans that the primary engine makes before it begins to write code. Off, each plan waits for you.
        autoApprovePlans: bool = toggle(false);
        /// Recognises questions in the text of an agent's answer, so that a session that waits for you says so even where the agent used no question tool.
        autoDetectQuestions: bool = toggle(true);
        /// Once it is done, a session may archive itself at once and without a row in the inbox, even where archiving needs your approval. Archiving another session still asks.
        sessionSelfArchiveWithoutApproval: bool = toggle(false).stated();
        /// Stops an agent that repeats the same step without any change, such as reading an unchanged file again and again, and starts it anew with a note.
        readLoopBreakerEnabled: bool = toggle(true);
        /// Tells each session that its command line stays in its folder, so that it changes folder once and not before every command.
        shellCwdPersistNudgeEnabled: bool = toggle(true).applies(NextSession);
        /// Typing / in the message box opens a list of skills that narrows as you type.
        skillSlashAutocomplete: bool = toggle(true);
    }
}

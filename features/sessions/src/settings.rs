//! Settings of sessions.

use kit::choices;
use kit::setting::{
    Applies::NextSession, Applies::NextStart, Choices, Shape, int, int_step, list_of_words, nullable_text, number,
    select, text, toggle,
};

choices! {
    /// How much an agent does without approval.
    PermissionLevel {
        /// Reads the project and asks before anything else.
        ReadOnly = "read_only",
        /// Also changes project files; asks before commands, network use, and other folders.
        Guarded = "guarded",
        /// Asks only before it touches sensitive files.
        Autonomous = "autonomous",
        /// Never asks.
        Full = "full",
    }
    /// How session titles are written.
    TitleStyle {
        /// A few words, chosen once.
        Brief = "brief",
        /// A full phrase, chosen once.
        Descriptive = "descriptive",
        /// From the first request to now, updated over time.
        Journey = "journey",
        /// The current topic, updated over time.
        LatestTopic = "latest_topic",
        /// By the prompt template named "Session title".
        Custom = "custom",
    }
    /// What happens to images that the model can't see.
    ImageBridge {
        /// You are notified that the model can't see them.
        Off = "off",
        /// A vision model describes them first, at the cost of one more call.
        Auto = "auto",
    }
    /// Where to go after sending.
    PostSend {
        /// Nowhere.
        Stay = "stay",
        /// To the next session of the hub that needs you.
        NextInProject = "next_in_project",
        /// To what needs you next in the inbox, in any hub.
        NextInInbox = "next_in_inbox",
        /// To the waiting room.
        WaitingRoom = "waiting_room",
    }
}

static POST_SEND: Shape = Shape::Select(PostSend::ALL);

kit::settings! {
    /// How session titles are written, if a model is chosen. Titles that you typed are never replaced.
    sessionTitleStyle: TitleStyle = select("brief");
    /// Model that writes a session's first title. Empty uses the utility model.
    initialTitleModel: Option<String> = nullable_text(100);
    /// Model that checks whether a title is out of date and rewrites it. Empty uses the utility model.
    refreshTitleModel: Option<String> = nullable_text(100);
    /// What happens to attached images when the chosen model can't see them.
    imageBridgeMode: ImageBridge = select("off").stated();
    /// Adds Ask: a tutor that knows the documentation and Pilothouse's current state. When off, its sessions stay.
    askAppEnabled: bool = toggle(true);
    /// Notifies you, at most once a day, when one login does most of the work and reaches its usage limit.
    loadBalancingNoticeEnabled: bool = toggle(true);
    /// Batches agents' find commands to start fewer processes.
    agentFindBatchingEnabled: bool = toggle(true).stated().applies(NextSession);
    /// Maximum agent-driven sessions at once. 0 rejects all; yours don't count.
    agentDrivenMaxConcurrent: i64 = int(0..=10, 3).unit("sessions").requires(&agentDrivenSessionsEnabled);
    /// Maximum cost of an agent-driven session.
    agentDrivenMaxDollarsPerSession: f64 = number(0.0, 20.0, 5.0).unit("USD").stored_only().requires(&agentDrivenSessionsEnabled);
    /// Maximum follow-up turns in an agent-driven session.
    agentDrivenMaxTurnsPerSession: i64 = int(0..=200, 50).unit("turns").stored_only().requires(&agentDrivenSessionsEnabled);
    /// Lets scripts start sessions and send follow-up messages.
    agentDrivenSessionsEnabled: bool = toggle(false).stated();
    /// Sets how much agents do without approval. Below full, sensitive files need approval; external engines never get access.
    agentPermissionLevel: PermissionLevel = select("guarded");
    /// Shows the Agent Board: every agent's hub, state, phase, and to-do list.
    agentStatusBoardEnabled: bool = toggle(true);
    /// Lets agents switch your view. When off, you get a link to click.
    allowAgentDirectNavigation: bool = toggle(false).stated();
    /// Lets sessions start sessions with their scoped token. When off, only the command-line token can.
    allowAgentTokenSpawn: bool = toggle(false).stated();
    /// Requires X-App-Source-Session-Id when starting sessions through the control server.
    requireSpawnSourceSession: bool = toggle(true).stated();
    /// Delay between sessions started by agents or automations. Yours never wait.
    cliSpawnSpacingSeconds: i64 = int(0..=300, 5).unit("s");
    /// Lets the primary engine change its own configuration files without approval. When off, each change needs approval.
    autoApproveConfigFiles: bool = toggle(false);
    /// Approves plans of the primary engine automatically. When off, each plan needs approval.
    autoApprovePlans: bool = toggle(false);
    /// Opens the inbox when another session needs you and you have been idle for 5 seconds.
    autoSwitchToInbox: bool = toggle(false);
    /// Where to go after you send a message: the first available entry.
    postSendNavigation: Vec<PostSend> = list_of_words(&POST_SEND, &["stay"]);
    /// Detects questions in replies and marks the session as needing you.
    autoDetectQuestions: bool = toggle(true);
    /// Lets a finished session archive itself without approval. Archiving another session always needs approval.
    sessionSelfArchiveWithoutApproval: bool = toggle(false).stated();
    /// Restarts an agent that keeps repeating the same action.
    readLoopBreakerEnabled: bool = toggle(true);
    /// Shows matching skills when you type / in the composer.
    skillSlashAutocomplete: bool = toggle(true);
    /// Uses the engine's boundary when it and the printed marker disagree about where the final message starts. Part of "Show only the final message".
    finalMessageCliBoundaryWins: bool = toggle(false).stated();
    /// Folds everything before a printed marker into one row, in plain replies too. Part of "Show only the final message".
    finalMessageMarkerAlwaysHide: bool = toggle(true).stated();
    /// Draws a line at the marker and hides nothing. Part of "Show only the final message".
    finalMessageMarkerDebug: bool = toggle(false).stated();
    /// Shows all final messages that a turn marks, not only the last. Part of "Show only the final message".
    finalMessageMarkerShowAllBlocks: bool = toggle(true).stated();
    /// Shows everything that the agent wrote after a turn's last tool call; only tool calls and thoughts fold. Part of "Show only the final message".
    finalMessageStructuralFloor: bool = toggle(true).stated();
    /// Focuses the composer when you switch to a session. When off, press R.
    sessionAutoFocusInput: bool = toggle(true);
    /// Shows a note in the session when about 75% of the context window is used.
    contextWarning75Enabled: bool = toggle(false).stated();
    /// Shows a note in the session when about 90% of the context window is used.
    contextWarning90Enabled: bool = toggle(false).stated();
    /// Compacts a full context and continues the session.
    contextStallAutoRecoverEnabled: bool = toggle(true);
    /// Your own text at the end of every new session's instructions.
    defaultAgentInstructionsCustom: String = text(10_000, "").applies(NextSession);
    /// Gives new sessions of the primary engine default instructions: no attribution lines, cloud safety, private repositories, README standards.
    defaultAgentInstructionsEnabled: bool = toggle(true).applies(NextSession);
    /// Reminds sessions that their shell stays in its folder, so they change folder once instead of before every command.
    shellCwdPersistNudgeEnabled: bool = toggle(true).applies(NextSession);
    /// Tells new sessions that they run in Pilothouse and how to reach it.
    appAwarenessPromptEnabled: bool = toggle(true).applies(NextSession);
    /// Asks agents to write for readers who aren't engineers: plain words, a short introduction, clear headings, few points.
    audienceStylePromptEnabled: bool = toggle(false).applies(NextSession);
    /// Reminds new sessions of good engineering: simple solutions, root causes, trust in bug reports, real tests, speed, and security.
    engineeringPrinciplesPromptEnabled: bool = toggle(true).applies(NextSession);
    /// Asks new sessions to act right away, finish what they start, and show evidence that work is done.
    executionBiasPromptEnabled: bool = toggle(true).applies(NextSession);
    /// Adds a short block of reminders to every turn.
    keyRemindersPromptEnabled: bool = toggle(false);
    /// Makes agents friendly, inventive, and quick to act.
    personaPromptEnabled: bool = toggle(false).applies(NextSession);
    /// Limits primary-engine sessions to tool servers set up in Pilothouse. When off, the engine's own servers load too.
    sessionStrictMcpConfig: bool = toggle(true).stated().applies(NextSession);
    /// Restarts a turn once if the agent stops responding.
    autoRestartUnresponsiveSessions: bool = toggle(true);
    /// Resumes sessions that were active when Pilothouse closed or crashed. Requests you hadn't answered are shown again.
    autoResumeOnCrash: bool = toggle(true);
    /// Keeps retrying, with growing delays, while a service is overloaded. Other errors stop the retries.
    relentlessSessionRelaunch: bool = toggle(false);
    /// Uses the new session storage. When off, the old one is used.
    sessionStoreV2Enabled: bool = toggle(true).stated().applies(NextStart).installation();
    /// Delay between sessions restarting together. 0 uses the default.
    sessionRestartSpacingSeconds: f64 = number(0.0, 30.0, 3.0).unit("s");
    /// Delay between restarts after the warm-up. 0 uses the warm-up's delay.
    sessionRestartSpacingAfterWarmupSeconds: f64 = number(0.0, 30.0, 0.0).unit("s");
    /// Length of the warm-up, from the first restart. 0 disables the warm-up.
    sessionRestartSpacingWarmupMinutes: i64 = int(0..=60, 0).unit("min");
    /// Delays bulk session starts while memory is low. Yours never wait.
    sessionMemoryGuardEnabled: bool = toggle(true);
    /// Memory usage at which bulk starts wait.
    sessionMemoryGuardPercent: i64 = int_step(50..=95, 5, 85).unit("%").requires(&sessionMemoryGuardEnabled);
    /// Number of sessions to keep running by reviving interrupted ones. Finished and stopped sessions, and those that need you, aren't revived.
    sessionRefillTargetCount: i64 = int(1..=500, 5).unit("sessions");
    /// Maximum sessions revived per check, every five minutes.
    sessionRefillBatch: i64 = int(1..=20, 2).unit("sessions");
    /// Minimum time between revivals of a session.
    sessionRefillCooldownMinutes: i64 = int(1..=1440, 30).unit("min");
    /// Maximum daily spend on revived pay-per-use sessions. 0 removes the cap.
    sessionRefillDailySpendCapUSD: f64 = number(0.0, 100_000.0, 20.0).unit("USD");
    /// Also resumes paused sessions automatically.
    sessionRefillIncludePaused: bool = toggle(false).stated();
    /// Revives sessions that you closed. Sessions that you stopped are never revived.
    sessionRefillAllowReopenUserClosed: bool = toggle(false).stated();
    /// Revives only sessions active within this time.
    sessionRefillMaxCandidateAgeHours: i64 = int(1..=720, 24).unit("h");
    /// Maximum revivals of a session per day.
    sessionRefillMaxRevivesPerSessionPerDay: i64 = int(1..=50, 5).unit("times");
    /// Hides routine turns from the inbox. Questions and problems always appear.
    hideRoutineUpdatesFromInbox: bool = toggle(true).stated();
    /// Shows sessions that need you or finished a turn in the inbox. When off, they stay on the sessions page.
    inboxShowSessions: bool = toggle(true);
}

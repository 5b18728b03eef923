//! The settings that sessions obey.

use kit::choices;
use kit::setting::{Applies::NextSession, Applies::NextStart, int, int_step, number, select, toggle};

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
}

kit::settings! {
    "Sessions & Agents" / "agent control" {
        /// Limits how many agent-driven sessions are active together. One more is refused until another ends; 0 refuses all of them. Sessions that you start yourself do not count.
        agentDrivenMaxConcurrent: i64 = int(0..=10, 3).unit("sessions").requires(&agentDrivenSessionsEnabled).before("agentDrivenMaxDollarsPerSession");
        /// Notes what one agent-driven session should cost at most. The value is kept and returned, but no session is stopped by it.
        agentDrivenMaxDollarsPerSession: f64 = number(0.0, 20.0, 5.0).unit("USD").stored_only().requires(&agentDrivenSessionsEnabled).before("agentDrivenMaxTurnsPerSession");
        /// Notes how many follow-up turns one agent-driven session should take at most. The value is kept and returned, but no session is stopped by it.
        agentDrivenMaxTurnsPerSession: i64 = int(0..=200, 50).unit("turns").stored_only().requires(&agentDrivenSessionsEnabled).before("agentDrivenSessionsEnabled");
        /// Scripts from outside may start sessions in driven mode and send them follow-up messages by themselves.
        agentDrivenSessionsEnabled: bool = toggle(false).stated().before("agentFindBatchingEnabled");
        /// Decides what agents do by themselves and when they ask you first. Below full they always ask for sensitive files such as SSH keys and credentials; external engines are refused those at every level, and sessions started by e-mail stay locked down whatever stands here. Sessions of the second engine take a change up when they start, unless that engine has a level of its own under Accounts.
        agentPermissionLevel: PermissionLevel = select("guarded").before("agentStatusBoardEnabled");
        /// Shows a live board with one line for each agent that was launched: its workspace, state, phase and to-do list, one click from its session. It adds an icon to the toolbar.
        agentStatusBoardEnabled: bool = toggle(true).before("aiCoachingCliEnabled");
        /// An agent that wants to show you another place in the program switches your view at once. Off, you get a note to click instead. While you work in another program your view never moves.
        allowAgentDirectNavigation: bool = toggle(false).stated().before("allowAgentForegroundFromBackground");
        /// A session may start further sessions with its own scoped token. Off, starting needs the global command-line token.
        allowAgentTokenSpawn: bool = toggle(false).stated().before("allowAgentTokenTeamChat");
        /// A start through the control server must name the session that asks for it, in the header X-App-Source-Session-Id. Off, a start needs no origin.
        requireSpawnSourceSession: bool = toggle(true).stated().before("cliServerEnabled");
        /// Sets the pause between new sessions that an agent or automation starts in a row; 0 starts them all at once. Your own sessions never wait, and a change counts for those already waiting.
        cliSpawnSpacingSeconds: i64 = int(0..=300, 5).unit("s").before("defaultAgentInstructionsCustom");
        /// Lets the primary engine change its own configuration files without asking. Off, each change waits for you.
        autoApproveConfigFiles: bool = toggle(false).before("autoApprovePlans");
        /// Approves the plans that the primary engine makes before it begins to write code. Off, each plan waits for you.
        autoApprovePlans: bool = toggle(false).before("autoDetectQuestions");
        /// Takes a reply that ends with a question for one, also where the agent did not ask by its own means. The session then needs you.
        autoDetectQuestions: bool = toggle(true).before("sessionSelfArchiveWithoutApproval");
        /// A session that is done may put itself away without asking you. When it asks to put another one away, that waits for you in any case.
        sessionSelfArchiveWithoutApproval: bool = toggle(false).stated().before("readLoopBreakerEnabled");
        /// Stops an agent that does the same thing again and again with the same result, and starts it anew with a note of what it did.
        readLoopBreakerEnabled: bool = toggle(true).before("shellCwdPersistNudgeEnabled");
    }
    "Sessions & Agents" / "prompts and presentation" {
        /// Makes room in a full context by itself and lets the session go on with its task.
        contextStallAutoRecoverEnabled: bool = toggle(true).before("meetingRoomsEnabled");
    }
    "Sessions & Agents" / "performance and resources" {
        /// Each session of the primary engine loads only the tool servers that Pilothouse set up for it, and none from its global configuration.
        sessionStrictMcpConfig: bool = toggle(true).stated().applies(NextSession).before("sessionTreeBelowNormalPriority");
    }
    "Sessions & Agents" / "resilience, restart and revive" {
        /// Restarts a turn that thinks on and on without an answer, once, with the same prompt.
        autoRestartUnresponsiveSessions: bool = toggle(true).before("autoResumeOnCrash");
        /// Brings sessions back that were active when the program closed or crashed. Those that ran are asked to go on; those that waited for you wait again.
        autoResumeOnCrash: bool = toggle(true).before("relentlessSessionRelaunch");
        /// Keeps trying, with growing pauses, when a session cannot start because its service is overloaded. Any other error ends the attempts and is shown in red.
        relentlessSessionRelaunch: bool = toggle(false).before("sessionStoreV2Enabled");
        /// Uses the rebuilt session engine. The program chooses it when it starts.
        sessionStoreV2Enabled: bool = toggle(true).stated().applies(NextStart).installation().before("sessionRestartSpacingSeconds");
        /// Sets the pause from one start to the next while many sessions come back together; 0 takes the built-in pause. A session that you start yourself never waits.
        sessionRestartSpacingSeconds: f64 = number(0.0, 30.0, 3.0).unit("s").before("sessionRestartSpacingAfterWarmupSeconds");
        /// Sets the pause between starts once the warm-up is over; 0 keeps the first pause for all of them.
        sessionRestartSpacingAfterWarmupSeconds: f64 = number(0.0, 30.0, 0.0).unit("s").before("sessionRestartSpacingWarmupMinutes");
        /// Sets how long the first pause counts, from when sessions begin to come back; 0 leaves the warm-up out.
        sessionRestartSpacingWarmupMinutes: i64 = int(0..=60, 0).unit("min").before("sessionMemoryGuardEnabled");
        /// Holds sessions that are started in bulk while memory is short, and starts them within seconds when it is free. Your own sessions never wait.
        sessionMemoryGuardEnabled: bool = toggle(true).before("sessionMemoryGuardPercent");
        /// Sets the share of memory in use at which sessions are held.
        sessionMemoryGuardPercent: i64 = int_step(50..=95, 5, 85).unit("%").requires(&sessionMemoryGuardEnabled).before("sessionRefillTargetCount");
        /// Sets how many sessions should run. When fewer do, recently active ones that were interrupted are revived, never one that finished, waits for you or was stopped by you.
        sessionRefillTargetCount: i64 = int(1..=500, 5).unit("sessions").before("sessionRefillBatch");
        /// Limits how many sessions one check, every five minutes, may revive.
        sessionRefillBatch: i64 = int(1..=20, 2).unit("sessions").before("sessionRefillCooldownMinutes");
        /// Sets how long a revived session is left alone.
        sessionRefillCooldownMinutes: i64 = int(1..=1440, 30).unit("min").before("sessionRefillDailySpendCapUSD");
        /// Limits what reviving may cost a day, counting sessions that are paid by use. At the cap it rests until tomorrow; 0 lifts the cap, and the daily limit for each session still holds.
        sessionRefillDailySpendCapUSD: f64 = number(0.0, 100_000.0, 20.0).unit("USD").before("sessionRefillIncludePaused");
        /// Paused sessions may be revived too, and are no longer paused then.
        sessionRefillIncludePaused: bool = toggle(false).stated().before("sessionRefillAllowReopenUserClosed");
        /// Sessions that you closed may be revived too. One that you stopped with Stop never is.
        sessionRefillAllowReopenUserClosed: bool = toggle(false).stated().before("sessionRefillMaxCandidateAgeHours");
        /// Leaves out sessions that were last active longer ago than this.
        sessionRefillMaxCandidateAgeHours: i64 = int(1..=720, 24).unit("h").before("sessionRefillMaxRevivesPerSessionPerDay");
        /// Limits how often one session may be revived in a day.
        sessionRefillMaxRevivesPerSessionPerDay: i64 = int(1..=50, 5).unit("times").before("cloudControlPlaneEnabled");
    }
}

//! What sessions are told, and how they and the program's extras are shown.

use kit::choices;
use kit::setting::{Applies::NextSession, nullable_text, select, toggle};

choices! {
    /// How titles of sessions are written.
    TitleStyle {
        /// A few words, chosen once.
        Brief = "brief",
        /// A full phrase, chosen once.
        Descriptive = "descriptive",
        /// The way from the first request to now, refreshed as it goes on.
        Journey = "journey",
        /// What the session is at now, refreshed as it goes on.
        LatestTopic = "latest_topic",
        /// After your own instruction.
        Custom = "custom",
    }
    /// What happens with pictures that the model cannot see.
    ImageBridge {
        /// Nothing; you are told that the model cannot see them.
        Off = "off",
        /// A model that sees describes them first, at the cost of one more call.
        Auto = "auto",
    }
}

kit::settings! {
    /// Tells every new session that it runs inside Pilothouse and how it can reach it.
    appAwarenessPromptEnabled: bool = toggle(true).applies(NextSession);
    /// Adds the project Ask: a tutor that knows the documentation and the present state of the program.
    askAppEnabled: bool = toggle(true);
    /// Asks agents to write for readers who are no engineers: plain words, a short beginning, clear headings, few points.
    audienceStylePromptEnabled: bool = toggle(false).applies(NextSession);
    /// Reminds new sessions of good engineering: simple solutions, causes before symptoms, trust in bug reports, real tests, speed and safety.
    engineeringPrinciplesPromptEnabled: bool = toggle(true).applies(NextSession);
    /// Asks new sessions to act at once where they can, to finish what they begin, and to show evidence when they say that it is done.
    executionBiasPromptEnabled: bool = toggle(true).applies(NextSession);
    /// Adds a short block of reminders to every turn.
    keyRemindersPromptEnabled: bool = toggle(false);
    /// Makes agents friendly, inventive and quick to act.
    personaPromptEnabled: bool = toggle(false).applies(NextSession);
    /// Part of "Show only the final message": believes the engine where it and the printed marker disagree about where the answer begins.
    finalMessageCliBoundaryWins: bool = toggle(false).stated();
    /// Part of "Show only the final message": everything before a printed marker is folded into one row that opens, in plain answers too.
    finalMessageMarkerAlwaysHide: bool = toggle(true).stated();
    /// Part of "Show only the final message": draws a line at the marker and hides nothing.
    finalMessageMarkerDebug: bool = toggle(false).stated();
    /// Part of "Show only the final message": where one turn marks several final messages, all of them are shown and not only the last.
    finalMessageMarkerShowAllBlocks: bool = toggle(true).stated();
    /// Part of "Show only the final message": where a turn used tools, whatever the agent wrote once the last of them was done stays visible; tool calls and thoughts alone fold away.
    finalMessageStructuralFloor: bool = toggle(true).stated();
    /// Chooses how the titles of sessions are written. A title that you typed yourself is never replaced.
    sessionTitleStyle: TitleStyle = select("brief");
    /// Chooses the model that gives a session its first title. Empty uses the model for small tasks.
    initialTitleModel: Option<String> = nullable_text(100);
    /// Chooses the model that looks whether a title is out of date and writes a new one. Empty uses the model for small tasks.
    refreshTitleModel: Option<String> = nullable_text(100);
    /// Chooses what happens with attached images when the chosen model cannot see them.
    imageBridgeMode: ImageBridge = select("off").stated();
    /// Puts the cursor into the message box when you switch to a session. When off, the key R does it.
    sessionAutoFocusInput: bool = toggle(true);
    /// Draws the session in view in a process of its own, so that a heavy one cannot slow down the window. The next session that you open takes it up.
    isolatedSessionViewEnabled: bool = toggle(false);
    /// Shows a note in the session when about three quarters of the context window are used.
    contextWarning75Enabled: bool = toggle(false).stated();
    /// Shows a note in the session when about nine tenths of the context window are used.
    contextWarning90Enabled: bool = toggle(false).stated();
    /// Adds meeting rooms to the sidebar and opens their palette with Ctrl+Shift+Z. Rooms that you saved stay while it is off.
    meetingRoomsEnabled: bool = toggle(false);
    /// Shows the development servers that sessions have started through the built-in proxy, each with its address.
    runningAppsEnabled: bool = toggle(true);
    /// Shows a button for your bookmarks in the toolbar. Bookmarks stay while it is off.
    showBookmarksInToolbar: bool = toggle(false).stated();
    /// Lets you put notes on the desktop that float above other windows.
    stickyNotesEnabled: bool = toggle(false);
    /// Adds a page of world clocks that shows who is at work now and finds times to meet.
    teamTimeEnabled: bool = toggle(false);
    /// Adds a page that sorts changes into landed, waiting for review, turned down and left behind.
    wheresMyWorkEnabled: bool = toggle(true);
    /// Adds the project Drip: queues that release one piece after another into the inbox at a pace that you choose.
    dripEnabled: bool = toggle(false);
    /// Holds every drip back. Their pace runs on, but nothing is released and nothing piles up.
    dripGlobalPause: bool = toggle(false).requires(&dripEnabled);
    /// Shows HTML pieces of a drip as a page in a box without network and without access to the program. When off, they are a plain chip.
    dripHtmlPreviewEnabled: bool = toggle(true).requires(&dripEnabled);
    /// Adds the project Scheduled Messages: notes that arrive in the inbox once or again and again.
    scheduledMessagesEnabled: bool = toggle(true);
}

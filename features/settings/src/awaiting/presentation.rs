//! Instructions for sessions, and the display of sessions and extras.

use kit::choices;
use kit::setting::{nullable_text, select, toggle};

choices! {
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
        /// By your own prompt.
        Custom = "custom",
    }
    /// What happens to images that the model can't see.
    ImageBridge {
        /// You are notified that the model can't see them.
        Off = "off",
        /// A vision model describes them first, at the cost of one more call.
        Auto = "auto",
    }
}

kit::settings! {
    /// Adds the Ask project: a tutor that knows the documentation and Pilothouse's current state.
    askAppEnabled: bool = toggle(true);
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
    /// How session titles are written. Titles that you typed are never replaced.
    sessionTitleStyle: TitleStyle = select("brief");
    /// Model that writes a session's first title. Empty uses the model for small tasks.
    initialTitleModel: Option<String> = nullable_text(100);
    /// Model that checks whether a title is out of date and rewrites it. Empty uses the model for small tasks.
    refreshTitleModel: Option<String> = nullable_text(100);
    /// What happens to attached images when the chosen model can't see them.
    imageBridgeMode: ImageBridge = select("off").stated();
    /// Focuses the composer when you switch to a session. When off, press R.
    sessionAutoFocusInput: bool = toggle(true);
    /// Renders the open session in its own process, so that a heavy one can't slow the window. Applies from the next session that you open.
    isolatedSessionViewEnabled: bool = toggle(false);
    /// Shows a note in the session when about 75% of the context window is used.
    contextWarning75Enabled: bool = toggle(false).stated();
    /// Shows a note in the session when about 90% of the context window is used.
    contextWarning90Enabled: bool = toggle(false).stated();
    /// Adds meeting rooms to the sidebar and their palette on Ctrl+Shift+Z. When off, saved rooms stay.
    meetingRoomsEnabled: bool = toggle(false);
    /// Shows the development servers that sessions started through the built-in proxy, with their addresses.
    runningAppsEnabled: bool = toggle(true);
    /// Shows a bookmarks button in the toolbar. When off, bookmarks stay.
    showBookmarksInToolbar: bool = toggle(false).stated();
    /// Lets you place notes on the desktop that float above other windows.
    stickyNotesEnabled: bool = toggle(false);
    /// Adds a page of world clocks that shows who is at work and finds meeting times.
    teamTimeEnabled: bool = toggle(false);
    /// Adds a page that sorts changes into landed, in review, rejected, and left behind.
    wheresMyWorkEnabled: bool = toggle(true);
    /// Adds the Drip project: queues that release items into the inbox at a pace you choose.
    dripEnabled: bool = toggle(false);
    /// Pauses all drips. Their schedules continue, but nothing is released and nothing accumulates.
    dripGlobalPause: bool = toggle(false).requires(&dripEnabled);
    /// Shows HTML items of a drip in a frame without network or access to Pilothouse. When off, they appear as a plain chip.
    dripHtmlPreviewEnabled: bool = toggle(true).requires(&dripEnabled);
    /// Adds the Scheduled Messages project: notes that reach the inbox once or repeatedly.
    scheduledMessagesEnabled: bool = toggle(true);
}

//! Settings of notifications, and of what boards tell.

use kit::choices;
use kit::setting::{Choices, Shape, map, select, time_of_day, time_zone, toggle};

choices! {
    /// When the system shows notifications.
    NotificationBehavior {
        /// For every event.
        Always = "always",
        /// Only while no Pilothouse window is in front.
        Backgrounded = "backgrounded",
        /// Never.
        Never = "never",
    }
    /// Events of a board that reach the inbox.
    BoardEvents {
        /// Every event.
        All = "all",
        /// Only events of items assigned to you.
        AssignedOnly = "assigned-only",
        /// Nothing.
        None = "none",
    }
}

static BOARD_EVENTS: Shape = Shape::Select(BoardEvents::ALL);

kit::settings! {
    /// Shows the number of sessions that need you on the app icon.
    desktopIconBadgeEnabled: bool = toggle(true);
    /// Offers Focus Mode, which holds notifications until it ends. When off, its button is hidden.
    focusModeFeatureEnabled: bool = toggle(true);
    /// Turns Focus Mode on with each focus block and off with each break. Changing Focus Mode yourself ends this for the run; a preset's choice takes precedence.
    pomodoroAutoEnableFocusModeDefault: bool = toggle(false).requires(&focusModeFeatureEnabled);
    /// When system notifications appear.
    notificationBehavior: NotificationBehavior = select("backgrounded");
    /// Records each notification with its session, whether it was shown, and why not.
    notificationHistoryEnabled: bool = toggle(true);
    /// Events of each board that reach the inbox. Boards not listed send all events.
    pmInboxBoardPreferences: kit::serde_json::Value = map(&BOARD_EVENTS).requires(&pmInboxEnabled);
    /// Groups board events into one row per hour. Overdue items still arrive at once.
    pmInboxDigestMode: bool = toggle(false).requires(&pmInboxEnabled);
    /// Sends assignments, status changes, and due dates from boards to the inbox.
    pmInboxEnabled: bool = toggle(true);
    /// Holds board notifications during quiet hours. Overdue items still notify at once.
    pmInboxQuietHoursEnabled: bool = toggle(false).requires(&pmInboxEnabled);
    /// Start of quiet hours.
    pmInboxQuietHoursStart: String = time_of_day("22:00").requires(&pmInboxQuietHoursEnabled);
    /// End of quiet hours.
    pmInboxQuietHoursEnd: String = time_of_day("08:00").requires(&pmInboxQuietHoursEnabled);
    /// Time zone of quiet hours. Empty uses the system's.
    pmInboxQuietHoursTimeZone: String = time_zone(64).requires(&pmInboxQuietHoursEnabled);
    /// Shows a system notification for Pilothouse's own notices: an outage, a failed scheduled job, a cost limit, or a low balance. When off, they only arrive in the inbox.
    traySystemNotificationsEnabled: bool = toggle(true);
}

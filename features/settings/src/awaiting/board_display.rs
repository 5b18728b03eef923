//! Project boards in the calendar and the inbox.

use kit::choices;
use kit::setting::{Choices, Format, Shape, list, map, time_of_day, time_zone, toggle};

choices! {
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

static BOARD_ID: Shape = Shape::Text { max: 200, format: Format::Free, nullable: false };
static BOARD_EVENTS: Shape = Shape::Select(BoardEvents::ALL);

kit::settings! {
    /// Boards whose dates the calendar shows. Empty shows all boards.
    pmCalendarBoardIds: Vec<String> = list(&BOARD_ID).requires(&pmCalendarOverlayEnabled);
    /// Shows due dates and sprints of boards in the calendar, in each board's color.
    pmCalendarOverlayEnabled: bool = toggle(true);
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
}

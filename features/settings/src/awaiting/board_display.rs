//! What project boards show in the calendar and tell the inbox.

use kit::choices;
use kit::setting::{Choices, Format, Shape, list, map, time_of_day, time_zone, toggle};

choices! {
    /// What a board tells the inbox.
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
    /// Names the boards whose dates the calendar shows. With none named it shows all of them.
    pmCalendarBoardIds: Vec<String> = list(&BOARD_ID).requires(&pmCalendarOverlayEnabled);
    /// Shows due dates and sprints of boards in the calendar, in the color of their board.
    pmCalendarOverlayEnabled: bool = toggle(true);
    /// Chooses for each board what it tells the inbox. A board that is not named tells everything.
    pmInboxBoardPreferences: kit::serde_json::Value = map(&BOARD_EVENTS).requires(&pmInboxEnabled);
    /// Gathers the events of boards into one row each hour. Overdue items still come at once.
    pmInboxDigestMode: bool = toggle(false).requires(&pmInboxEnabled);
    /// Brings assignments, changes of status and due dates from boards into the inbox.
    pmInboxEnabled: bool = toggle(true);
    /// Holds notifications of boards back during a part of each day. Overdue items still notify at once.
    pmInboxQuietHoursEnabled: bool = toggle(false).requires(&pmInboxEnabled);
    /// Sets when the quiet part of the day begins.
    pmInboxQuietHoursStart: String = time_of_day("22:00").requires(&pmInboxQuietHoursEnabled);
    /// Sets when the quiet part of the day ends.
    pmInboxQuietHoursEnd: String = time_of_day("08:00").requires(&pmInboxQuietHoursEnabled);
    /// Sets the time zone of the quiet part of the day. Empty is the system's.
    pmInboxQuietHoursTimeZone: String = time_zone(64).requires(&pmInboxQuietHoursEnabled);
}

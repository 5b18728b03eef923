//! Settings of the calendar.

use kit::choices;
use kit::setting::{Format, Shape, int, list, select, toggle};

choices! {
    /// Where reminders appear.
    Delivery {
        /// An inbox row.
        Inbox = "inbox",
        /// A toast.
        Toast = "toast",
        /// Both.
        Both = "both",
    }
}

static BOARD_ID: Shape = Shape::Text { max: 200, format: Format::Free, nullable: false };

kit::settings! {
    /// Adds the calendar, with upcoming events in the sidebar. When off, your events stay.
    calendarEnabled: bool = toggle(false);
    /// Adds an inbox row with the day's events each morning.
    calendarDailyAgendaEnabled: bool = toggle(true).requires(&calendarEnabled);
    /// Where calendar reminders appear.
    calendarNotificationDelivery: Delivery = select("both").requires(&calendarEnabled);
    /// Time before an event at which you get a reminder. 0 reminds you when it starts.
    calendarReminderMinutes: i64 = int(0..=120, 10).unit("min").requires(&calendarEnabled);
    /// Boards whose dates the calendar shows. Empty shows all boards.
    pmCalendarBoardIds: Vec<String> = list(&BOARD_ID).requires(&pmCalendarOverlayEnabled);
    /// Shows due dates and sprints of boards in the calendar, in each board's color.
    pmCalendarOverlayEnabled: bool = toggle(true);
}

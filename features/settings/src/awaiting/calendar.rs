//! The calendar.

use kit::choices;
use kit::setting::{int, select, toggle};

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

kit::settings! {
    /// Shows upcoming events and meeting reminders in the sidebar.
    calendarEnabled: bool = toggle(false);
    /// Adds an inbox row with the day's events each morning.
    calendarDailyAgendaEnabled: bool = toggle(true).requires(&calendarEnabled);
    /// Where calendar reminders appear.
    calendarNotificationDelivery: Delivery = select("both").requires(&calendarEnabled);
    /// Time before an event at which you get a reminder. 0 reminds you when it starts.
    calendarReminderMinutes: i64 = int(0..=120, 10).unit("min").requires(&calendarEnabled);
}

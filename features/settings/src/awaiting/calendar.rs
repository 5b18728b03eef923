//! The calendar and focus blocks.

use kit::choices;
use kit::setting::{int, select, toggle};

choices! {
    /// How reminders arrive.
    Delivery {
        /// As a row in the inbox.
        Inbox = "inbox",
        /// As a note on the screen.
        Toast = "toast",
        /// As both.
        Both = "both",
    }
}

kit::settings! {
    /// Shows coming events and reminders of meetings in the sidebar.
    calendarEnabled: bool = toggle(false);
    /// Puts a card with the events of the day into the inbox each morning.
    calendarDailyAgendaEnabled: bool = toggle(true).requires(&calendarEnabled);
    /// Chooses how reminders of the calendar arrive.
    calendarNotificationDelivery: Delivery = select("both").requires(&calendarEnabled);
    /// Sets how long before an event you are reminded; 0 is when it begins.
    calendarReminderMinutes: i64 = int(0..=120, 10).unit("min").requires(&calendarEnabled);
    /// Focus Mode goes on with a focus block and off with a break. Ringing the bell yourself ends that for the run, and a preset's own choice wins.
    pomodoroAutoEnableFocusModeDefault: bool = toggle(false).requires(&super::inbox::focusModeFeatureEnabled);
    /// Brings the window to the front at each change between focus and break.
    pomodoroPhaseForeground: bool = toggle(false).stated();
    /// Rules for weekdays may start focus runs automatically. When off, none starts and the rules stay.
    pomodoroScheduleEnabled: bool = toggle(true);
}

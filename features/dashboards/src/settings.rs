//! The setting that dashboards obey: where their charts and filters begin a week.

use kit::choices;
use kit::setting::select;

choices! {
    /// First day of the week.
    WeekStart {
        /// Weeks run from Sunday to Saturday.
        Sunday = "sunday",
        /// Weeks run from Monday to Sunday.
        Monday = "monday",
    }
}

kit::settings! {
    "Inbox & Notifications" / "calendar" {
        /// Chooses the day that weeks begin with.
        calendarWeekStartDay: WeekStart = select("sunday").before("pomodoroAutoEnableFocusModeDefault");
    }
}

//! Settings of Pomodoro.

use kit::setting::toggle;

kit::settings! {
    /// Brings the window to the front at each change between focus and break.
    pomodoroPhaseForeground: bool = toggle(false).stated();
    /// Starts focus runs automatically by weekday rules. When off, rules stay but start nothing.
    pomodoroScheduleEnabled: bool = toggle(true);
}

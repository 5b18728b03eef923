//! Settings of notifications.

use kit::choices;
use kit::setting::{select, toggle};

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
}

kit::settings! {
    /// Shows the number of sessions that need you on the app icon.
    desktopIconBadgeEnabled: bool = toggle(true);
    /// Offers Focus Mode, which collects alerts until you are done. When off, its button is hidden and each alert arrives on its own.
    focusModeFeatureEnabled: bool = toggle(true);
    /// When system notifications appear.
    notificationBehavior: NotificationBehavior = select("backgrounded");
    /// Records each notification with its session, whether it was shown, and why not.
    notificationHistoryEnabled: bool = toggle(true);
}

/// Settings of features to come that build on these.
pub(crate) mod awaiting {
    use kit::setting::toggle;

    kit::settings! {
        /// Turns Focus Mode on with each focus block and off with each break. Ringing the bell ends this for the run; a preset's own choice wins.
        pomodoroAutoEnableFocusModeDefault: bool = toggle(false).requires(&super::focusModeFeatureEnabled);
    }
}

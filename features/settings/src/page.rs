//! The settings that the page's shell obeys, whichever feature's page is in view.

use kit::setting::int;

kit::settings! {
    "Inbox & Notifications" / "inbox behaviour and notices" {
        /// Sets how long notes about errors and warnings stay.
        toastDisplayDurationSeconds: i64 = int(3..=30, 8).unit("s").also_called("message, notification, popup").before("traySystemNotificationsEnabled");
    }
}

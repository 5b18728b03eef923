//! The settings that the page's shell obeys, whichever feature's page is in view.

use kit::setting::{int, text};

kit::settings! {
    "Getting Started" / "getting started" {
        /// Keeps where you first came across Pilothouse. It stays on this machine unless you send it in a report.
        heardAboutUs: String = text(64, "");
    }
    "Inbox & Notifications" / "inbox behaviour and notices" {
        /// Sets how long notes about errors and warnings stay.
        toastDisplayDurationSeconds: i64 = int(3..=30, 8).unit("s").also_called("message, notification, popup").before("traySystemNotificationsEnabled");
    }
}

//! The settings that the page's shell obeys, whichever feature's page is in view.

use kit::setting::{int, text};

kit::settings! {
    /// How you heard about Pilothouse. Stays on this device unless reported.
    heardAboutUs: String = text(64, "");
    /// Duration of error and warning messages.
    toastDisplayDurationSeconds: i64 = int(3..=30, 8).unit("s").also_called("message, notification, popup");
}

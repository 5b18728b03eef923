//! Bug reports and diagnostics.

use kit::setting::{text, toggle};

kit::settings! {
    /// Gathers reports of bugs from code hosts, error trackers, mail and the program itself, and lets agents look into them. When off, no report starts a session.
    bugIntakeEnabled: bool = toggle(false);
    /// Adds a text of your own at the end of the instructions for looking into a bug of the project.
    bugIntakeAppendPrompt: String = text(10_000, "").requires(&bugIntakeEnabled);
    /// Sends the reports and comments that you write to the makers. When off, they stay on this machine until you turn it on.
    bugReportEmailEnabled: bool = toggle(true);
    /// Sends a weekly digest of use and a note of each crash by mail. When off, neither is sent.
    telemetryEmailEnabled: bool = toggle(false);
    /// Also sends a note of each crash where diagnostics by mail are on.
    crashAlertEmailEnabled: bool = toggle(true).requires(&telemetryEmailEnabled);
}

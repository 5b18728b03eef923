//! Bug reports and diagnostics.

use kit::setting::{text, toggle};

kit::settings! {
    /// Collects bug reports from code hosts, error trackers, mail, and Pilothouse, and lets agents investigate. When off, no report starts a session.
    bugIntakeEnabled: bool = toggle(false);
    /// Your own text at the end of the instructions for investigating a bug.
    bugIntakeAppendPrompt: String = text(10_000, "").requires(&bugIntakeEnabled);
    /// Sends your reports and comments to the developers. When off, they stay on this device until you turn it on.
    bugReportEmailEnabled: bool = toggle(true);
    /// Emails a weekly usage digest and crash alerts to the developers.
    telemetryEmailEnabled: bool = toggle(false);
    /// Includes an alert for each crash in emailed diagnostics.
    crashAlertEmailEnabled: bool = toggle(true).requires(&telemetryEmailEnabled);
}

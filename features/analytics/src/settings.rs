//! Settings of hints and statistics.

use kit::setting::toggle;

kit::settings! {
    /// Shows tips and coaching cards. Doesn't affect alerts.
    helpfulHintsEnabled: bool = toggle(true);
    /// Records statistics on inbox rows, such as their waiting time. They stay on this device and hold no content.
    inboxAnalyticsEnabled: bool = toggle(true);
    /// Reminds you that a working agent doesn't need you after you have watched it for 10 minutes.
    watchingRunningAgentNudgeEnabled: bool = toggle(true).requires(&helpfulHintsEnabled);
    /// Shows a card, at most weekly, when you have watched agents for 5 hours in a week.
    watchingTimeRecapCardEnabled: bool = toggle(true).requires(&helpfulHintsEnabled);
}

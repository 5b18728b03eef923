//! Settings of the inbox.

use kit::setting::{text, toggle};

kit::settings! {
    /// Lets agents and scripts add alerts to the inbox. Each stays until you dismiss it.
    agentAlertsEnabled: bool = toggle(true).also_called("notification, notify, message");
    /// Hub in which "Start session" opens for an alert without one. Empty uses the hub with Pilothouse's own code, or else the primary engine's.
    alertSessionDefaultProjectId: String = text(64, "");
    /// Shows automation rules that need approval.
    inboxShowAutomations: bool = toggle(true);
    /// Shows calendar reminders and the daily agenda.
    inboxShowCalendar: bool = toggle(true);
    /// Shows scheduled jobs that need approval.
    inboxShowCron: bool = toggle(true);
    /// Shows daily briefings.
    inboxShowDigest: bool = toggle(true);
    /// Shows recipe approvals and runs that failed, stalled, or stopped early.
    inboxShowRecipes: bool = toggle(true);
    /// Shows incoming text messages.
    inboxShowSms: bool = toggle(true);
    /// Shows messenger messages.
    inboxShowMessenger: bool = toggle(true);
}

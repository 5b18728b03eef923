//! Settings of the inbox.

use kit::setting::{text, toggle};

kit::settings! {
    /// Lets agents and scripts add alerts to the inbox. Each stays until you dismiss it or its sender settles it.
    agentAlertsEnabled: bool = toggle(true).also_called("notification, notify, message");
    /// Hub in which "Start session" opens for an alert without one. Empty uses the hub with Pilothouse's own code, or else the primary engine's.
    alertSessionDefaultProjectId: String = text(64, "");
    /// Shows alerts in the category automation in the inbox.
    inboxShowAutomations: bool = toggle(true);
    /// Shows calendar reminders and the daily agenda.
    inboxShowCalendar: bool = toggle(true);
    /// Shows scheduled jobs that need approval.
    inboxShowCron: bool = toggle(true);
    /// Shows daily briefings.
    inboxShowDigest: bool = toggle(true);
    /// Shows alerts in the category recipe in the inbox.
    inboxShowRecipes: bool = toggle(true);
    /// Shows alerts in the category sms in the inbox.
    inboxShowSms: bool = toggle(true);
    /// Shows alerts in the category messenger in the inbox.
    inboxShowMessenger: bool = toggle(true);
}

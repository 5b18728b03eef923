//! Errors of this feature.

kit::error_codes! {
    ALERTS_DISABLED = 403 "alerts-disabled" "Alerts are off" : "The setting agentAlertsEnabled is off. Turn it on to let agents and scripts add alerts.";
    NOT_AN_ALERT = 409 "not-an-alert" "Not an alert" : "Only alerts of agents and scripts can be settled. Answer a request, or dismiss the row.";
    NOT_OPEN = 409 "not-open" "Row not open" : "The row was dismissed or settled. Restore a dismissed row first.";
    WAITED_FOR = 409 "waited-for" "Answer required" : "A session is waiting for your answer to this row. Answer it, or stop the session.";
}

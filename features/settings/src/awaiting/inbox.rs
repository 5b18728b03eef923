//! Rows of the inbox, and notifications.

use kit::choices;
use kit::setting::{Field, Shape, flags, int, number, select, toggle};

choices! {
    /// How often a digest arrives.
    Cadence {
        /// Never.
        Off = "off",
        /// Every morning.
        Daily = "daily",
        /// Every Monday morning.
        Weekly = "weekly",
    }
}

static DIGEST_SOURCES: [Field; 9] = [
    Field::new("calendar", Shape::Toggle),
    Field::new("webmail", Shape::Toggle),
    Field::new("pm-events", Shape::Toggle),
    Field::new("pm-feed-digest", Shape::Toggle),
    Field::new("rss", Shape::Toggle),
    Field::new("sessions", Shape::Toggle),
    Field::new("chatApp", Shape::Toggle),
    Field::new("sms", Shape::Toggle),
    Field::new("messenger", Shape::Toggle),
];

kit::settings! {
    /// How often a digest of archived sessions reaches the inbox.
    archiveDigestCadence: Cadence = select("off");
    /// Brings the window to the front when a session needs you.
    autoFocusOnNeedsYou: bool = toggle(false);
    /// Hides sender, subject, and text in phone notifications.
    contentFreeMobilePush: bool = toggle(false);
    /// Receives announcements and surveys from the developers. When off, nothing is fetched and no receipt is sent.
    developerMessagesEnabled: bool = toggle(true);
    /// Notifies you when one of several logins runs most sessions and is close to its limit.
    loadBalancingNoticeEnabled: bool = toggle(true);
    /// Notifies you when the mobile page doesn't finish loading on a phone. The row disappears when it loads again.
    mobileReliabilityAlertsEnabled: bool = toggle(true);
    /// Shows system notices, such as an outage or a low balance, from the tray icon.
    traySystemNotificationsEnabled: bool = toggle(true);
    /// Writes a daily briefing on the work of sessions in all hubs.
    dailyDigestEnabled: bool = toggle(false);
    /// Sources of the daily briefing.
    dailyDigestSources: kit::serde_json::Value = flags(&DIGEST_SOURCES, &[("sessions", true)]).requires(&dailyDigestEnabled);
    /// Writes a summary of the week every Monday. When off, earlier summaries stay.
    weeklySummaryEnabled: bool = toggle(false);
    /// Hour of Monday, local time, at which the summary is written.
    weeklySummaryScheduleHour: i64 = int(0..=23, 8).requires(&weeklySummaryEnabled);
    /// Maximum daily cost of summaries. At the cap, they pause.
    weeklySummaryDailyCostCapUsd: f64 = number(0.05, 5.0, 0.5).unit("USD").requires(&weeklySummaryEnabled);
    /// Time before model vendor A's balance is expected to run out at which you are notified.
    vendorABalanceAlertLeadHours: f64 = number(0.0, 720.0, 24.0).unit("h");
    /// Watches the balance at model vendor B and shows a card with a recharge button before it runs out.
    vendorBBalanceMonitorEnabled: bool = toggle(false);
    /// Balance below which the card appears.
    vendorBBalanceThresholdUSD: f64 = number(0.0, 10_000.0, 5.0).unit("USD").requires(&vendorBBalanceMonitorEnabled);
}

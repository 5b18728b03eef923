//! Rows of the inbox, and notifications.

use kit::choices;
use kit::setting::{Choices, Field, Shape, flags, int, list_of_words, number, select, toggle};

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
    /// Where to go after sending.
    PostSend {
        /// Nowhere.
        Stay = "stay",
        /// To the next session of the project that needs you.
        NextInProject = "next_in_project",
        /// To the next row of the inbox.
        NextInInbox = "next_in_inbox",
        /// To the waiting room.
        WaitingRoom = "waiting_room",
    }
}

static POST_SEND: Shape = Shape::Select(PostSend::ALL);
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
    /// Opens the inbox when another session needs you and you have been idle for 5 seconds.
    autoSwitchToInbox: bool = toggle(false);
    /// Hides sender, subject, and text in phone notifications.
    contentFreeMobilePush: bool = toggle(false);
    /// Receives announcements and surveys from the developers. When off, nothing is fetched and no receipt is sent.
    developerMessagesEnabled: bool = toggle(true);
    /// Shows tips and coaching cards. Doesn't affect alerts.
    helpfulHintsEnabled: bool = toggle(true);
    /// Hides turns from the inbox that a session marks as routine. Questions always appear.
    hideRoutineUpdatesFromInbox: bool = toggle(true).stated();
    /// Records statistics on inbox rows, such as their waiting time. They stay on this device and hold no content.
    inboxAnalyticsEnabled: bool = toggle(true);
    /// Notifies you when one of several logins runs most sessions and is close to its limit.
    loadBalancingNoticeEnabled: bool = toggle(true);
    /// Notifies you when the mobile page doesn't finish loading on a phone. The row disappears when it loads again.
    mobileReliabilityAlertsEnabled: bool = toggle(true);
    /// Where to go after you send a message: the first available entry.
    postSendNavigation: Vec<PostSend> = list_of_words(&POST_SEND, &["stay"]);
    /// Shows system notices, such as an outage or a low balance, from the tray icon.
    traySystemNotificationsEnabled: bool = toggle(true);
    /// Reminds you that a working agent doesn't need you after you have watched it for a while.
    watchingRunningAgentNudgeEnabled: bool = toggle(true).requires(&helpfulHintsEnabled);
    /// Shows a card, at most weekly, when you have spent much time watching agents.
    watchingTimeRecapCardEnabled: bool = toggle(true).requires(&helpfulHintsEnabled);
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

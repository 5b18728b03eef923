//! What reaches the inbox, and how you are told.

use kit::choices;
use kit::setting::{Choices, Field, Shape, flags, int, list_of_words, number, select, text, toggle};

choices! {
    /// How often a digest comes.
    Cadence {
        /// Never.
        Off = "off",
        /// Every morning.
        Daily = "daily",
        /// Every Monday morning.
        Weekly = "weekly",
    }
    /// When the system shows notifications.
    NotificationBehavior {
        /// For every event.
        Always = "always",
        /// Only while no window of the program is in front.
        Backgrounded = "backgrounded",
        /// Never.
        Never = "never",
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
    /// Chooses the hub in which "Start session" opens for an alert without one. Empty chooses automatically: the hub with this program's own code if there is one, otherwise the primary engine's.
    alertSessionDefaultProjectId: String = text(64, "");
    /// Sets how often a digest of archived sessions comes to the inbox.
    archiveDigestCadence: Cadence = select("off");
    /// Brings the program to the front when a session needs you.
    autoFocusOnNeedsYou: bool = toggle(false);
    /// Takes you to the inbox as soon as some other session needs you, provided that you have touched nothing for at least five seconds.
    autoSwitchToInbox: bool = toggle(false);
    /// Notifications on the phone carry no sender, subject or text.
    contentFreeMobilePush: bool = toggle(false);
    /// Shows the number of sessions that need you on the program's icon.
    desktopIconBadgeEnabled: bool = toggle(true);
    /// Receives announcements and surveys from the makers. When off, nothing of that is fetched and no receipt is sent.
    developerMessagesEnabled: bool = toggle(true);
    /// Offers Focus Mode, which gathers alerts until you are done. When off, its button is gone and every alert comes alone.
    focusModeFeatureEnabled: bool = toggle(true);
    /// Shows tips, nudges and cards that coach. It leaves real alerts alone.
    helpfulHintsEnabled: bool = toggle(true);
    /// Keeps turns that a session calls routine away from the inbox. One with a question always comes.
    hideRoutineUpdatesFromInbox: bool = toggle(true).stated();
    /// Records how rows of the inbox fare, such as how long they wait, for its statistics. It stays on this machine and holds no content.
    inboxAnalyticsEnabled: bool = toggle(true);
    /// Tells you when one of several logins runs most of the sessions and is close to its limit.
    loadBalancingNoticeEnabled: bool = toggle(true);
    /// Tells you when a phone opens the mobile page and it never finishes loading. The row goes away automatically.
    mobileReliabilityAlertsEnabled: bool = toggle(true);
    /// Chooses when the system's notifications are shown.
    notificationBehavior: NotificationBehavior = select("backgrounded");
    /// Keeps a record of chimes with their session, whether they sounded, and why not.
    notificationHistoryEnabled: bool = toggle(true);
    /// Chooses where to go after you sent a message: the first of the list that is possible.
    postSendNavigation: Vec<PostSend> = list_of_words(&POST_SEND, &["stay"]);
    /// Shows the program's own notices, such as an outage or a low balance, from its icon in the tray.
    traySystemNotificationsEnabled: bool = toggle(true);
    /// Reminds you, after you have watched a working agent for long, that it does not need you.
    watchingRunningAgentNudgeEnabled: bool = toggle(true).requires(&helpfulHintsEnabled);
    /// Shows a card, once a week at most, when you have spent much time watching agents.
    watchingTimeRecapCardEnabled: bool = toggle(true).requires(&helpfulHintsEnabled);
    /// Shows automation rules that wait for approval.
    inboxShowAutomations: bool = toggle(true);
    /// Shows reminders and the agenda of the calendar.
    inboxShowCalendar: bool = toggle(true);
    /// Shows requests from the command line that wait for approval.
    inboxShowCliPending: bool = toggle(true);
    /// Shows scheduled jobs that wait for approval.
    inboxShowCron: bool = toggle(true);
    /// Shows daily briefings.
    inboxShowDigest: bool = toggle(true);
    /// Shows approvals of recipes and runs that failed, stalled or stopped half-way.
    inboxShowRecipes: bool = toggle(true);
    /// Shows sessions that need you, as rows of the inbox.
    inboxShowSessions: bool = toggle(true);
    /// Shows text messages that arrive.
    inboxShowSms: bool = toggle(true);
    /// Shows messages of the messenger.
    inboxShowMessenger: bool = toggle(true);
    /// Writes a briefing every day on what sessions did in all hubs.
    dailyDigestEnabled: bool = toggle(false);
    /// Chooses what the daily briefing covers.
    dailyDigestSources: kit::serde_json::Value = flags(&DIGEST_SOURCES, &[("sessions", true)]).requires(&dailyDigestEnabled);
    /// Writes a summary of the week every Monday. Earlier ones stay when it is off.
    weeklySummaryEnabled: bool = toggle(false);
    /// Sets the hour of Monday, in local time, at which the summary is written.
    weeklySummaryScheduleHour: i64 = int(0..=23, 8).requires(&weeklySummaryEnabled);
    /// Limits what summaries may cost a day before they pause.
    weeklySummaryDailyCostCapUsd: f64 = number(0.05, 5.0, 0.5).unit("USD").requires(&weeklySummaryEnabled);
    /// Sets how long before the balance at model vendor A is expected to run out you are told.
    vendorABalanceAlertLeadHours: f64 = number(0.0, 720.0, 24.0).unit("h");
    /// Watches the balance at model vendor B and shows a card with a button to recharge before it runs out.
    vendorBBalanceMonitorEnabled: bool = toggle(false);
    /// Sets the balance below which the card is shown.
    vendorBBalanceThresholdUSD: f64 = number(0.0, 10_000.0, 5.0).unit("USD").requires(&vendorBBalanceMonitorEnabled);
}

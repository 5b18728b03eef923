//! Settings of digests.

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

static SOURCES: [Field; 9] = [
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
    /// How often a digest of archived sessions reaches the inbox, at 7:00.
    archiveDigestCadence: Cadence = select("off");
    /// Writes a briefing on the work of sessions in all hubs, daily at 8:00.
    dailyDigestEnabled: bool = toggle(false);
    /// Sources of the daily briefing. Those that are off or don't exist yet are named as skipped.
    dailyDigestSources: kit::serde_json::Value = flags(&SOURCES, &[("sessions", true)]).requires(&dailyDigestEnabled);
    /// Writes a summary of the week every Monday. When off, earlier summaries stay.
    weeklySummaryEnabled: bool = toggle(false);
    /// Hour of Monday, local time, at which the summary is written.
    weeklySummaryScheduleHour: i64 = int(0..=23, 8).requires(&weeklySummaryEnabled);
    /// Maximum daily cost of summaries. At the cap, they pause until the next day.
    weeklySummaryDailyCostCapUsd: f64 = number(0.05, 5.0, 0.5).unit("USD").requires(&weeklySummaryEnabled);
}

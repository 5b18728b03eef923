//! Announcements and surveys of the developers, as inbox rows.
//!
//! Invariants: nothing is requested while the setting is off or no address is configured; at most one request a day, without a
//! name, an identifier, or a cookie; a message is plain text with at most one https link, and shown once.
//! Deliberately not here: receipts. Nobody is told that you read, dismissed, or followed a message.

mod fetch;
mod message;

use kit::setting::toggle;
use kit::{Feature, InboxKind, Job, Migration, Obstacle};
use outbound::Outbound;
use std::sync::Arc;
use std::time::Duration;

/// Where messages are: a document as docs/decisions/025-developer-messages.md describes. Provided by the app if one is
/// configured.
pub struct Address(pub String);

kit::settings! {
    /// Fetches announcements and surveys from the developers once a day, as inbox rows. When off, nothing is fetched; no receipt is sent either way.
    developerMessagesEnabled: bool = toggle(true);
}

static ANNOUNCEMENT: InboxKind = InboxKind::new("announcement", "Announcement", "info");
static SURVEY: InboxKind = InboxKind::new("survey", "Survey", "info");
static KINDS: &[&InboxKind] = &[&ANNOUNCEMENT, &SURVEY];

static OBSTACLES: [Obstacle; 1] = [Obstacle {
    setting: &developerMessagesEnabled,
    why: |ctx, _| {
        ctx.find_service::<Address>().is_none().then(|| {
            "No address of messages is configured, so nothing is fetched. Start Pilothouse with PILOTHOUSE_MESSAGES_URL \
             to use your own."
                .to_owned()
        })
    },
}];

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: ALL.to_vec(),
        obstacles: &OBSTACLES,
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_developer_messages.sql") }],
        inbox_kinds: KINDS,
        start: |ctx| {
            ctx.provide(Arc::new(fetch::Way(Outbound::default())));
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: vec![Job::every(
            Duration::from_secs(24 * 60 * 60),
            "developer-messages.fetch",
            "couldn't store messages from the developers",
            |ctx| Box::pin(fetch::run(ctx)),
        )],
        ..Feature::named("developer-messages")
    }
}

#[cfg(test)]
mod tests;

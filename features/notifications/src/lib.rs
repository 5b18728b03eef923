//! Notifications: who is told of an inbox row, how, and why not; Focus Mode; the history of decisions.
//!
//! Invariants: a decision is written in the transaction of its row; of a row there is at most one notification, and it's
//! withdrawn when the row is answered anywhere; what is held is decided again when what held it ends, and left out if it was
//! resolved meanwhile; nothing is shown twice.
//! Deliberately not here: the rule itself, which is `crates/notify`, and the system's own interface, which is `platform`.

mod board_events;
mod deliver;
mod do_not_disturb;
pub mod errors;
mod failing_jobs;
mod focus;
mod focus_blocks;
mod follow;
mod history;
mod notices;
mod notifier;
mod presence;
mod settings;
mod situation;
mod sounds;
mod store_rows;

pub use deliver::follow_buttons;
pub use notifier::Notifier;
pub use sounds::play_sounds_with;

use deliver::Deliverer;
use kit::{Feature, InboxKind, Job, Migration};
use presence::Presence;
use std::sync::Arc;
use std::time::Duration;

static KINDS: &[&InboxKind] = &[
    &failing_jobs::FAILING,
    &board_events::ASSIGNED,
    &board_events::STATUS,
    &board_events::DUE,
    &board_events::OVERDUE,
    &board_events::MENTION,
    &board_events::CHANGED,
    &board_events::DIGEST,
];

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_notifications.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_board_events.sql") },
            Migration { number: 3, sql: include_str!("../migrations/003_sounds.sql") },
            Migration { number: 4, sql: include_str!("../migrations/004_focus_blocks.sql") },
        ],
        inbox_kinds: KINDS,
        ops: [history::ops(), focus::ops(), presence::ops(), deliver::ops(), sounds::ops()].concat(),
        groups: &[
            ("notifications", "Notifications and why they were shown or not"),
            ("presence", "Which windows are open"),
            ("focus", "Focus Mode: collects notifications until you are done"),
        ],
        errors: &[errors::CODES],
        start: |ctx| {
            ctx.provide(Arc::new(Presence::default()));
            ctx.provide(Arc::new(kit::lookup::WindowInFront(Box::new(|ctx, account| {
                ctx.service::<Presence>().is_in_front(account, ctx.now_ms())
            }))));
            ctx.provide(Arc::new(do_not_disturb::DoNotDisturb::default()));
            ctx.provide(Arc::new(kit::lookup::FocusNow(Box::new(focus::FocusReader))));
            ctx.provide(Arc::new(kit::lookup::Notices(Box::new(notices::Shower))));
            ctx.provide(Arc::new(kit::lookup::FocusBlocks(Box::new(focus_blocks::Blocks))));
            inbox_rows::follow(&ctx, Arc::new(follow::Follower));
            ctx.provide(Arc::new(failing_jobs::Reported::default()));
            ctx.provide(Arc::new(Deliverer::default()));
            deliver::start(&ctx);
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: vec![
            Job::every(
                Duration::from_secs(24 * 60 * 60),
                "notifications.old-history",
                "couldn't remove old entries of the notification history",
                |ctx| Box::pin(history::sweep(ctx)),
            ),
            Job::every(Duration::from_secs(60), "notifications.failing-jobs", "couldn't check scheduled jobs", |ctx| {
                Box::pin(failing_jobs::check(ctx))
            }),
            Job::every(
                Duration::from_secs(15),
                "notifications.do-not-disturb",
                "couldn't release what Do Not Disturb held",
                |ctx| Box::pin(do_not_disturb::check(ctx)),
            ),
        ],
        timers: vec![store_rows::timers(), board_events::timers()],
        reactions: vec![board_events::reaction()],
        ..Feature::named("notifications")
    }
}

#[cfg(test)]
mod tests;

//! The desktop window and the tray icon: bringing Pilothouse to the front, windows of single pages, and what needs you at a
//! glance.
//!
//! Invariants: only the user, and agents that the user lets, bring the window to the front; what an agent asks for otherwise
//! becomes an inbox row; an account has one window program.
//! Deliberately not here: the window itself, which is a program of its own (`crates/desktop`) that follows these commands.

mod attached;
mod commands;
mod errors;
mod inbox_kinds;
mod needs_you;
mod ops;
mod settings;
mod tray;
#[cfg(target_os = "linux")]
mod tray_icon;

pub use ops::LoginItem;
pub use tray::show_tray;

use attached::Attached;
use kit::lookup::{ControlWindow, DesktopWindow};
use kit::{Ctx, Feature, Obstacle};
use std::sync::Arc;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        obstacles: &OBSTACLES,
        inbox_kinds: inbox_kinds::ALL,
        ops: ops::ops(),
        groups: &[("window", "The desktop window")],
        errors: &[errors::CODES],
        start: |ctx| {
            let attached = Attached::default();
            ctx.provide(Arc::new(attached.clone()));
            ctx.provide(Arc::new(DesktopWindow(Box::new(attached))));
            ctx.provide(Arc::new(tray::Tray::default()));
            needs_you::start(&ctx);
            Box::pin(std::future::ready(Ok(())))
        },
        ..Feature::named("window")
    }
}

static OBSTACLES: [Obstacle; 3] = [
    Obstacle { setting: &settings::autoFocusOnNeedsYou, why: obstacle },
    Obstacle { setting: &settings::allowAgentForegroundFromBackground, why: obstacle },
    Obstacle { setting: &settings::isolatedSessionViewEnabled, why: not_open },
];

/// Why the window can't be brought to the front.
fn obstacle(ctx: &Ctx, account: &str) -> Option<String> {
    ctx.service::<Attached>().obstacle(account)
}

/// Why no other window can be opened.
fn not_open(ctx: &Ctx, account: &str) -> Option<String> {
    let is_open = ctx.service::<Attached>().about(account).is_some();
    (!is_open).then(|| "Only the desktop window can open a session in a window of its own.".to_owned())
}

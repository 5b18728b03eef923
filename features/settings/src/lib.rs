//! The settings store: one typed value for every key of the catalog, its history, and the whole interface to it.
//!
//! Invariants: only what the user set is stored, with who set it and the value before in the same transaction; a value that
//! is not accepted (any more) is kept, reported and never used; nothing is lost because something else is wrong.
//! Deliberately not here: secrets, and what a setting causes. A setting is declared by the feature that obeys it; those
//! whose feature is still to be built wait in `awaiting/`.

mod awaiting;
mod batch;
mod control;
mod docs;
mod ops;
mod page;
mod record;
mod snapshot;
mod typescript;
mod write;

pub use control::{RestartHook, allowAgentAppRestart, cliServerEnabled};
pub use docs::settings_md;
pub use snapshot::Stopped;
pub use typescript::settings_ts;

use kit::{Ctx, Feature, Migration, Result};
use snapshot::Settings;
use std::sync::Arc;

/// This feature. It starts after accounts, which says whose values hold for the installation, and before all that read a
/// setting when they start.
pub fn feature() -> Feature {
    Feature {
        settings: awaiting::all().chain(control::ALL.iter().chain(page::ALL).copied()).collect(),
        // What is only stored waits for nothing, although it stands among its section's other rows.
        awaiting: awaiting::all().filter(|spec| !spec.stored_only).collect(),
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_settings.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_undone.sql") },
        ],
        errors: &[errors::CODES],
        ops: ops::ops().into_iter().chain(control::ops()).collect(),
        groups: &[
            ("settings", "Settings: read, change, undo, export, and import"),
            ("app", "Get the status of Pilothouse, or restart it"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        ..Feature::named("settings")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        UNKNOWN_SETTING = 404 "unknown-setting" "Setting not found" : "No setting has this key. `suggestions` names similar ones; `GET /settings` lists all.";
        INVALID_VALUE = 422 "invalid-setting-value" "Invalid setting value" : "The value has the wrong type, is out of range, or isn't a choice. Nothing was changed; `accepted` describes valid values.";
        AGENT_MAY_NOT_WRITE = 403 "agent-may-not-write" "Setting closed to sessions" : "A session's token can write only settings that are open to sessions. Ask the owner to change this one.";
        INSTALLATION_SETTING = 403 "installation-setting" "Setting of the whole installation" : "Only the first account can change this setting.";
        CHANGED_SINCE = 409 "changed-since" "Setting changed again" : "The setting was changed after the change you're undoing. Send `force: true` to set the old value anyway.";
        RESTART_DISABLED = 403 "restart-disabled" "Restart by scripts is off" : "The setting allowAgentAppRestart is off. Restart from the page, or turn the setting on.";
    }
}

async fn start(ctx: Ctx) -> Result<()> {
    let settings = Arc::new(Settings::load(&ctx).await?);
    ctx.provide_settings(settings.clone());
    ctx.provide(settings);
    Ok(())
}

#[cfg(test)]
mod tests;

//! Resources: what sessions and the program may use of the machine, and keeping it awake while sessions work.
//!
//! Invariants: what is in effect follows from the settings and the state of the machine alone; no call is made that
//! changes nothing; where a setting has no effect, no call is made.
//! Deliberately not here: how the operating system does it, which `platform::resources` knows; holding new sessions
//! while memory is low, which sessions do.

mod governor;
mod inbox_kinds;
mod settings;
mod wanted;

use events::{Actor, Event, HasEvents};
use governor::{Governor, Problems};
use inbox_rows::NewRow;
use kit::lookup::FirstAccount;
use kit::setting::Platform;
use kit::{Ctx, Feature, Obstacle, Result};
use platform::resources::Resources;
use std::sync::Arc;
use std::time::Duration;
use store::{HasDb, params};

/// How often the machine is looked at while it decides what is in effect.
const LOOK: Duration = Duration::from_secs(5);
/// Names the row that says that the computer can't be kept awake.
const NOT_AWAKE_KEY: &str = "resources:awake";

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        obstacles: &OBSTACLES,
        inbox_kinds: inbox_kinds::ALL,
        start: |ctx| {
            ctx.provide(Arc::new(Problems::default()));
            Box::pin(std::future::ready(Ok(())))
        },
        ..Feature::named("resources")
    }
}

static OBSTACLES: [Obstacle; 4] = [
    Obstacle { setting: &settings::keepAwakeWhileSessionsRunning, why: |ctx, _| known(ctx).awake },
    Obstacle { setting: &settings::keepAppResidentInMemory, why: |ctx, _| known(ctx).resident },
    Obstacle { setting: &settings::reserveUiCoreEnabled, why: |ctx, _| uniform(ctx) },
    Obstacle { setting: &settings::sessionAdaptiveEcoreAffinity, why: |ctx, _| uniform(ctx) },
];

fn known(ctx: &Ctx) -> governor::Known {
    ctx.service::<Problems>().known()
}

fn uniform(ctx: &Ctx) -> Option<String> {
    known(ctx).is_uniform.then(|| "All cores of this computer's processor are the same.".to_owned())
}

/// Controls the machine's resources as long as the program lives.
pub fn govern(ctx: &Ctx, resources: Arc<dyn Resources>) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let changed =
        ctx.events().waker(|event| matches!(event, Event::SessionChanged { .. } | Event::SettingChanged { .. }));
    let database = ctx.service::<kit::DataDir>().0.join(store::FILE_NAME);
    let mut governor = Governor::new(resources, Platform::HERE, database);
    let ctx = ctx.clone();
    runtime.spawn(async move {
        loop {
            let looks_again = match look(&ctx, &mut governor).await {
                Ok(looks_again) => looks_again,
                Err(error) if error.is(&store::PROGRAM_ENDING) => return,
                Err(error) => {
                    tracing::warn!(error = ?error, "couldn't control what sessions use");
                    false
                }
            };
            if looks_again {
                let _ = tokio::time::timeout(LOOK, changed.notified()).await;
            } else {
                changed.notified().await;
            }
        }
    });
}

/// Returns whether to look again soon.
async fn look(ctx: &Ctx, governor: &mut Governor) -> Result<bool> {
    let step = governor.step(ctx).await?;
    if step.lost_awake {
        tell_once(ctx).await?;
    }
    Ok(step.looks_again)
}

/// Says in the inbox, the first time, that the computer can't be kept awake.
async fn tell_once(ctx: &Ctx) -> Result<()> {
    let account = ctx.service::<FirstAccount>().0.clone();
    let write = {
        let ctx = ctx.clone();
        move |tx: &mut store::Tx<'_>| {
            let sql = "SELECT 1 FROM inbox_rows WHERE account_id = $1 AND row_key = $2";
            if tx.query_opt(sql, params![&*account, NOT_AWAKE_KEY], |_| Ok(()))?.is_some() {
                return Ok(());
            }
            let row = NewRow {
                key: Some(NOT_AWAKE_KEY),
                body: "Neither logind nor the desktop offers to keep the computer awake, so it may sleep while sessions run. Turn sleep off in the system's settings, or turn keepAwakeWhileSessionsRunning off.",
                ..NewRow::new(
                    &inbox_kinds::NOT_AWAKE,
                    "The computer may sleep while sessions run",
                    Actor::program(None),
                )
            };
            inbox_rows::post(tx, &ctx, &account, &row).map(drop)
        }
    };
    ctx.db().write(write).await
}

#[cfg(test)]
mod tests;

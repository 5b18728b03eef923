//! What the feature needs to reach servers.

use kit::{Ctx, DataDir};
use outbound::{Limits, Outbound};
use secrets::Vaults;
use std::sync::Arc;
use std::time::Duration;

/// Time for an answer of a server.
pub const TIME_MAX: Duration = Duration::from_secs(30);
/// How many times longer an answer may take for which the server looks through all of a calendar. Some need minutes for
/// 10,000 events when they are asked for the first time.
const LIST_FACTOR: u32 = 20;
/// Bytes of an answer.
pub(crate) const ANSWER_BYTES_MAX: usize = 50_000_000;

/// Reaches calendar servers, one sync at a time.
pub struct Calendars {
    pub(crate) outbound: Outbound,
    pub(crate) vaults: Arc<Vaults>,
    pub(crate) limits: Limits,
    pub(crate) syncing: tokio::sync::Mutex<()>,
}

impl Calendars {
    /// With passwords in these vaults, and this time for each answer.
    pub fn new(vaults: Arc<Vaults>, time: Duration) -> Calendars {
        let limits = Limits { time, bytes: ANSWER_BYTES_MAX, attempts: 1, wait: Duration::ZERO };
        Calendars { outbound: Outbound::default(), vaults, limits, syncing: tokio::sync::Mutex::default() }
    }

    /// For answers about all of a calendar.
    pub(crate) fn list_limits(&self) -> Limits {
        Limits { time: self.limits.time * LIST_FACTOR, ..self.limits }
    }
}

pub(crate) fn start(ctx: &Ctx) {
    if ctx.find_service::<Calendars>().is_none() {
        let vaults =
            ctx.find_service::<Vaults>().unwrap_or_else(|| Arc::new(Vaults::in_files(&ctx.service::<DataDir>().0)));
        ctx.provide(Arc::new(Calendars::new(vaults, TIME_MAX)));
    }
}

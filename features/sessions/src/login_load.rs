//! The card about a login that carries most running sessions while its usage limit is nearly reached.
//!
//! A login is an engine as you set it up: an agent that you add with another configuration is another login.

use crate::inbox_kinds::LOGIN_LOAD;
use crate::records;
use crate::service::Sessions;
use crate::settings::loadBalancingNoticeEnabled;
use engines::probe::Login as LoggedIn;
use events::Actor;
use inbox_rows::NewRow;
use kit::clock::DAY_MS;
use kit::{Ctx, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{HasDb, Tx};
use supervisor::state::{Session as Life, State};

/// Running sessions of a login from which on it may be too many.
const RUNNING_MIN: usize = 4;
/// The share of the limit from which on it's nearly reached, in percent.
const USED_PERCENT_MIN: f64 = 80.0;
/// The key of the card: there is one for all logins.
const KEY: &str = "sessions.login-load";
/// The engine that has no login.
const PRACTICE: &str = "practice";

/// What a login carries.
#[derive(Debug, Clone, Default, PartialEq)]
struct Load {
    /// Running sessions.
    running: usize,
    /// The share of its limit that is used, in percent, if that's known. Engines report a limit once it's reached.
    used_percent: Option<f64>,
}

impl Load {
    fn add(&mut self, life: &Life, now_ms: i64) {
        self.running += usize::from(life.state.is_working());
        if matches!(life.state, State::Parked { until: Some(until) } if until > now_ms) {
            self.used_percent = Some(100.0);
        }
    }
}

/// The login that carries at least twice the mean of the others, and is near its limit.
fn overloaded(loads: &BTreeMap<String, Load>) -> Option<&str> {
    let all: usize = loads.values().map(|load| load.running).sum();
    let others = loads.len().checked_sub(1).filter(|others| *others > 0)?;
    let is_too_much = |load: &Load| {
        load.running >= RUNNING_MIN
            && load.running * others >= 2 * (all - load.running)
            && load.used_percent.is_some_and(|used| used >= USED_PERCENT_MIN)
    };
    loads.iter().filter(|(_, load)| is_too_much(load)).max_by_key(|(_, load)| load.running).map(|(id, _)| id.as_str())
}

/// Looks at the logins of every account.
pub(crate) async fn check(ctx: Ctx) -> Result<()> {
    let mut accounts: BTreeMap<String, BTreeMap<String, Load>> = BTreeMap::new();
    for (account, engine, life) in ctx.db().read(records::all_active_by_engine).await? {
        if engine != PRACTICE {
            accounts.entry(account).or_default().entry(engine).or_default().add(&life, ctx.now_ms());
        }
    }
    for (account, loads) in accounts {
        let may_be_near = loads.values().any(|load| load.used_percent.is_some());
        if may_be_near && ctx.setting(&account, &loadBalancingNoticeEnabled) {
            check_account(&ctx, account, loads).await?;
        }
    }
    Ok(())
}

async fn check_account(ctx: &Ctx, account: String, mut loads: BTreeMap<String, Load>) -> Result<()> {
    let (sessions, key) = (ctx.service::<Sessions>(), Arc::from(account.as_str()));
    // Logins without sessions could carry some.
    for engine in sessions.common.engines(&account).iter().filter(|engine| engine.id() != PRACTICE) {
        let found = sessions.found(&key, engine);
        if found.is_some_and(|(_, probed)| probed.program.is_some() && probed.login != LoggedIn::No) {
            loads.entry(engine.id().to_owned()).or_default();
        }
    }
    let Some(id) = overloaded(&loads) else { return Ok(()) };
    let name =
        |id: &str| sessions.common.engine(&account, id).map_or_else(|| id.to_owned(), |one| one.name().to_owned());
    let all: usize = loads.values().map(|load| load.running).sum();
    let title = format!("{} carries {} of {all} running sessions", name(id), loads[id].running);
    let others: Vec<String> = loads.keys().filter(|other| *other != id).map(|other| name(other)).collect();
    let body = format!(
        "Its usage limit is nearly reached, so its sessions may have to wait. Start new sessions with another login: {}.",
        others.join(", ")
    );
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let row = NewRow {
            key: Some(KEY),
            body: &body,
            link: Some("/app/engines"),
            ..NewRow::new(&LOGIN_LOAD, &title, Actor::program(None))
        };
        inbox_rows::post_once(tx, &again, &account, &row, again.now_ms() - DAY_MS)
    };
    ctx.db().write(write).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(of: &[(usize, Option<f64>)]) -> BTreeMap<String, Load> {
        let names = ["a", "b", "c"].into_iter().map(str::to_owned);
        names.zip(of).map(|(name, &(running, used_percent))| (name, Load { running, used_percent })).collect()
    }

    #[test]
    fn a_login_is_overloaded_from_twice_the_mean_and_four_sessions_and_eighty_percent_on() {
        let near = Some(80.0);
        for (of, expected) in [
            (&[(4, near), (2, None)][..], Some("a")),
            (&[(4, near), (3, None)], None),
            (&[(3, near), (0, None)], None),
            (&[(4, Some(79.9)), (0, None)], None),
            (&[(4, None), (0, None)], None),
            (&[(4, near)], None),
            (&[(1, near), (6, near), (5, None)], Some("b")),
            (&[(1, near), (5, near), (5, None)], None),
            (&[(0, None), (0, None), (4, near)], Some("c")),
            (&[], None),
        ] {
            assert_eq!(overloaded(&loads(of)), expected, "{of:?}");
        }
    }
}

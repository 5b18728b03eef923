//! Focus Mode for blocks of work: on for a block, off for a break, unless you toggle it by hand.

use crate::focus::{Stored, Through, put, stored, tell, toggles};
use crate::settings::{focusModeFeatureEnabled, pomodoroAutoEnableFocusModeDefault};
use crate::store_rows;
use futures_core::future::BoxFuture;
use kit::lookup::ControlFocus;
use kit::{Ctx, Result};
use store::{HasDb, Tx, params};

/// Lets other features control Focus Mode.
pub(crate) struct Blocks;

impl ControlFocus for Blocks {
    fn is_default(&self, ctx: &Ctx, account: &str) -> bool {
        ctx.setting(account, &pomodoroAutoEnableFocusModeDefault) && ctx.setting(account, &focusModeFeatureEnabled)
    }

    fn toggles(&self, ctx: Ctx, account: &str) -> BoxFuture<'static, Result<i64>> {
        let account = account.to_owned();
        Box::pin(async move { ctx.db().read(move |tx| toggles(tx, &account)).await })
    }

    fn set(&self, ctx: Ctx, account: &str, until_ms: Option<i64>, toggles: i64) -> BoxFuture<'static, Result<bool>> {
        let account = account.to_owned();
        Box::pin(async move {
            let again = ctx.clone();
            ctx.db().write(move |tx| set(tx, &again, &account, until_ms, toggles)).await
        })
    }
}

fn set(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, until_ms: Option<i64>, expected: i64) -> Result<bool> {
    if toggles(tx, account)? != expected {
        return Ok(false);
    }
    let (now_ms, before) = (ctx.now_ms(), stored(tx, account, ctx.now_ms())?);
    let sql = "SELECT is_automatic FROM focus_mode WHERE account_id = $1";
    let is_automatic = tx.query_opt(sql, params![account], |row| row.get::<i64>(0))? == Some(1);
    // What you started by hand goes on.
    if before.is_some() && !is_automatic {
        return Ok(true);
    }
    let until_ms = until_ms.filter(|until_ms| *until_ms > now_ms && ctx.setting(account, &focusModeFeatureEnabled));
    match until_ms {
        Some(ends_ms) => {
            let started_ms = before.map_or(now_ms, |before| before.started_ms);
            put(tx, account, &Stored { started_ms, ends_ms, through: Through::Nothing }, true)?;
        }
        None => {
            tx.execute("DELETE FROM focus_mode WHERE account_id = $1", params![account])?;
        }
    }
    store_rows::release(tx, ctx, account, i64::MAX)?;
    tell(tx, ctx, account);
    Ok(true)
}

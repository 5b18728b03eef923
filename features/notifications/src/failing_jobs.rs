//! Scheduled jobs that keep failing: one inbox row for each, until it works again.

use events::Actor;
use inbox_rows::{NewRow, Severity};
use kit::lookup::FirstAccount;
use kit::text::capitalized;
use kit::{Ctx, InboxKind, Result, Urgency};
use schedule::{Failing, HasSchedule};
use std::collections::BTreeSet;
use std::sync::Mutex;
use store::{HasDb, Tx, params};

/// A job that keeps failing.
pub(crate) static FAILING: InboxKind =
    InboxKind::new("job-problem", "Scheduled job problem", "warning").urgency(Urgency::Notice);

/// Failures in a row from which on a job is reported. Until then, retries take less than a minute.
const ATTEMPTS_MIN: i64 = 5;
/// The prefix of the rows' keys, followed by the job's name.
const KEY: &str = "job-problem:";

/// The jobs that failed at the last check; `None` before the first one. A row that you dismissed doesn't come back each
/// minute: a job is reported again once it has worked meanwhile.
#[derive(Default)]
pub(crate) struct Reported(Mutex<Option<BTreeSet<String>>>);

/// Reports jobs that keep failing to the first account, and settles the rows of those that work again.
pub(crate) async fn check(ctx: Ctx) -> Result<()> {
    let Some(account) = ctx.find_service::<FirstAccount>() else { return Ok(()) };
    let mut failing = ctx.schedule().failing(&ctx, &account.0).await?;
    failing.retain(|one| one.attempts >= ATTEMPTS_MIN);
    let names: BTreeSet<String> = failing.iter().map(|one| one.name.clone()).collect();
    let reported = ctx.service::<Reported>();
    let before = reported.0.lock().expect("no panic while held").clone();
    if before.as_ref() == Some(&names) {
        return Ok(());
    }
    failing.retain(|one| before.as_ref().is_none_or(|before| !before.contains(&one.name)));
    let (again, still) = (ctx.clone(), names.clone());
    let write = move |tx: &mut Tx<'_>| {
        settle_others(tx, &again, &account.0, &still)?;
        failing.iter().try_for_each(|one| post(tx, &again, &account.0, one))
    };
    ctx.db().write(write).await?;
    *reported.0.lock().expect("no panic while held") = Some(names);
    Ok(())
}

/// Settles the rows of jobs that work again.
fn settle_others(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, failing: &BTreeSet<String>) -> Result<()> {
    let sql = "SELECT row_key FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 AND kind = $2";
    let open = tx.query(sql, params![account, FAILING.name], |row| row.get::<String>(0))?;
    let is_over = |key: &&String| key.strip_prefix(KEY).is_some_and(|name| !failing.contains(name));
    open.iter().filter(is_over).try_for_each(|key| inbox_rows::settle(tx, ctx, account, key, "works again").map(drop))
}

fn post(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, failing: &Failing) -> Result<()> {
    let key = format!("{KEY}{}", failing.name);
    let title = capitalized(failing.what);
    let body = format!(
        "{} failed {} times in a row and is retried. The log has the cause. If it keeps failing, check for free disk \
         space, then restart Pilothouse.",
        failing.name, failing.attempts
    );
    let row = NewRow {
        key: Some(&key),
        body: &body,
        severity: Severity::Warning,
        ..NewRow::new(&FAILING, &title, Actor::program(None))
    };
    inbox_rows::post_once(tx, ctx, account, &row, ctx.now_ms())
}

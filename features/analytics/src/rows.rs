//! Records what happens to inbox rows.

use crate::settings::inboxAnalyticsEnabled;
use inbox_rows::{FollowRows, NewRow, stored_need};
use kit::ids::short_id;
use kit::{Call, CallerSet, Ctx, Method, Need, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{HasDb, Tx, params};

/// How long a statistic is stored.
pub(crate) const STORED_MS: i64 = 90 * kit::clock::DAY_MS;
/// The most seconds of one report.
const SECONDS_MAX: i64 = 3_600;

/// Answered by the user, or decided.
pub(crate) const ANSWERED: &str = "answered";
/// Dismissed by the user.
pub(crate) const DISMISSED: &str = "dismissed";
/// Over without the user.
const RESOLVED: &str = "resolved";
/// Outcomes of requests that nobody answered.
const UNANSWERED: [&str; 4] = ["withdrawn", "canceled", "expired", "over"];

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "analytics.rowTime",
            Method::Post,
            "/analytics/rows/{rowId}/time",
            CallerSet::PERSON,
            "Report how long an inbox row was open on the page.",
            add_time,
        )
        .example(r#"{"rowId": "{rowId}", "seconds": 20}"#),
    ]
}

/// Follows the rows of every account.
pub(crate) struct Recorder;

impl FollowRows for Recorder {
    fn posted(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str, row: &NewRow<'_>) -> Result<()> {
        if !is_on(ctx, account) || stat_of(tx, account, row_id)?.is_some() {
            return Ok(());
        }
        // Not the row's id, and not made from it: the statistic must not lead to the row once that is over.
        let stat_id = short_id();
        let sql = "INSERT INTO inbox_stats (account_id, stat_id, kind, posted_ms, looked_ms, snoozed_ms, ended_ms, ending, \
                   open_seconds) VALUES ($1, $2, $3, $4, 0, 0, 0, '', 0)";
        tx.execute(sql, params![account, &stat_id, row.kind.name, ctx.now_ms()])?;
        let sql = "INSERT INTO inbox_stat_rows (account_id, row_id, stat_id) VALUES ($1, $2, $3)";
        tx.execute(sql, params![account, row_id, &stat_id]).map(drop)
    }

    fn settled(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
        let Some(stat_id) = stat_of(tx, account, row_id)? else { return Ok(()) };
        let sql = "SELECT settled_ms, need, outcome FROM inbox_rows WHERE account_id = $1 AND row_id = $2";
        let (settled_ms, need, outcome) = tx.query_one(sql, params![account, row_id], |row| {
            Ok((row.get::<i64>(0)?, row.get::<i64>(1)?, row.get::<String>(2)?))
        })?;
        tx.execute("DELETE FROM inbox_stat_rows WHERE account_id = $1 AND row_id = $2", params![account, row_id])?;
        if !is_on(ctx, account) {
            // It would be open forever.
            let sql = "DELETE FROM inbox_stats WHERE account_id = $1 AND stat_id = $2";
            return tx.execute(sql, params![account, &stat_id]).map(drop);
        }
        let ending = match &*outcome {
            DISMISSED => DISMISSED,
            other if need == stored_need(Need::Answer) && !UNANSWERED.contains(&other) => ANSWERED,
            _ => RESOLVED,
        };
        let sql = "UPDATE inbox_stats SET ended_ms = $3, ending = $4 WHERE account_id = $1 AND stat_id = $2";
        tx.execute(sql, params![account, &stat_id, settled_ms, ending]).map(drop)
    }

    fn snoozed(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
        if !is_on(ctx, account) {
            return Ok(());
        }
        let Some(stat_id) = stat_of(tx, account, row_id)? else { return Ok(()) };
        let sql = "UPDATE inbox_stats SET snoozed_ms = $3 WHERE account_id = $1 AND stat_id = $2";
        tx.execute(sql, params![account, &stat_id, ctx.now_ms()]).map(drop)
    }

    fn looked(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
        if !is_on(ctx, account) {
            return Ok(());
        }
        let Some(stat_id) = stat_of(tx, account, row_id)? else { return Ok(()) };
        let sql = "UPDATE inbox_stats SET looked_ms = $3 WHERE account_id = $1 AND stat_id = $2 AND looked_ms = 0";
        tx.execute(sql, params![account, &stat_id, ctx.now_ms()]).map(drop)
    }
}

fn is_on(ctx: &Ctx, account: &str) -> bool {
    ctx.setting(account, &inboxAnalyticsEnabled)
}

/// The statistic of an open row, if one was begun.
fn stat_of(tx: &mut Tx<'_>, account: &str, row_id: &str) -> Result<Option<String>> {
    let sql = "SELECT stat_id FROM inbox_stat_rows WHERE account_id = $1 AND row_id = $2";
    tx.query_opt(sql, params![account, row_id], |row| row.get(0))
}

/// How long a row was open on the page.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RowTime")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RowTime {
    row_id: String,
    /// Since the last report.
    #[schemars(range(min = 1, max = SECONDS_MAX))]
    seconds: i64,
}

/// Whether a report was recorded.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TimeRecorded")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recorded {
    /// False while the setting is off, and for rows that are over.
    pub(crate) is_recorded: bool,
}

async fn add_time(ctx: Ctx, call: Call, input: RowTime) -> Result<Recorded> {
    kit::page::expect_within(input.seconds, 1..=SECONDS_MAX, "/seconds")?;
    let db = ctx.db();
    let write = move |tx: &mut Tx<'_>| {
        let (account, row_id) = (call.account(), &*input.row_id);
        let sql = "SELECT settled_ms FROM inbox_rows WHERE account_id = $1 AND row_id = $2";
        tx.query_one(sql, params![account, row_id], |row| row.get::<i64>(0))?;
        let Some(stat_id) = stat_of(tx, account, row_id)?.filter(|_| is_on(&ctx, account)) else {
            return Ok(Recorded { is_recorded: false });
        };
        Recorder.looked(tx, &ctx, account, row_id)?;
        let sql = "UPDATE inbox_stats SET open_seconds = open_seconds + $3 WHERE account_id = $1 AND stat_id = $2";
        tx.execute(sql, params![account, &stat_id, input.seconds])?;
        Ok(Recorded { is_recorded: true })
    };
    db.write(write).await
}

/// Deletes old statistics.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before = ctx.now_ms() - STORED_MS;
    let write = move |tx: &mut Tx<'_>| {
        let sql = "DELETE FROM inbox_stat_rows WHERE account_id <> '' AND stat_id IN \
                   (SELECT stat_id FROM inbox_stats WHERE posted_ms < $1)";
        tx.execute(sql, params![before])?;
        tx.execute("DELETE FROM inbox_stats WHERE account_id <> '' AND posted_ms < $1", params![before]).map(drop)
    };
    ctx.db().write(write).await
}

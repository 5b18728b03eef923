//! Rows that come back: snoozed ones, and reminders of open ones.

use crate::errors;
use crate::fault;
use crate::rows::{RowId, RowRecord, RowState, change, record_state};
use futures_core::future::BoxFuture;
use inbox_rows::{resurface, snoozed};
use kit::clock::DAY_MS;
use kit::error::CONFLICT;
use kit::lookup::SnoozeRows;
use kit::{Call, Caller, CallerSet, Ctx, Kind, Method, Op, Result, TimerKind, invalid, rfc3339};
use schedule::{HasSchedule, Timer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::{Change, Tx, params};
use when::{CHARS_MAX, EXAMPLES, Unclear};

/// The timer that brings a snoozed row back; its key is the row.
const SNOOZE: &str = "inbox.snooze";
/// The timer of a reminder; its key is the row.
const FOLLOW_UP: &str = "inbox.followUp";
/// The furthest time.
const AHEAD_MAX_MS: i64 = 366 * DAY_MS;

pub(crate) fn timers() -> Vec<TimerKind> {
    vec![
        schedule::timers(SNOOZE, "couldn't bring a snoozed row back", |ctx, tx, timer| {
            come_back(ctx, tx, timer, "snoozed_until_ms")
        }),
        schedule::timers(FOLLOW_UP, "couldn't remind of a row", |ctx, tx, timer| {
            come_back(ctx, tx, timer, "follow_up_ms")
        }),
    ]
}

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "inbox.snooze",
            Method::Post,
            "/inbox/{rowId}/snooze",
            CallerSet::PERSON,
            "Snooze a row until a time, such as `tomorrow 9am`. It comes back unread unless it's settled by then.",
            snooze,
        )
        .example(r#"{"rowId": "{rowId}", "until": "in 2 hours"}"#),
        Op::new(
            "inbox.unsnooze",
            Method::Post,
            "/inbox/{rowId}/unsnooze",
            CallerSet::PERSON,
            "Put a snoozed row back into the inbox.",
            unsnooze,
        )
        .example(r#"{"rowId": "{rowId}"}"#),
        Op::new(
            "inbox.followUp",
            Method::Post,
            "/inbox/{rowId}/follow-up",
            CallerSet::PERSON,
            "Set a reminder for a row. It's skipped if the row is settled by then. The row stays in the inbox. Without `at`, cancels the reminder.",
            follow_up,
        )
        .example(r#"{"rowId": "{rowId}", "at": "tomorrow"}"#),
    ]
}

/// A row, and when it comes back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Snooze {
    row_id: String,
    /// `in 2 hours`, `tomorrow 9am`, `next monday`, or an RFC 3339 time, up to a year ahead. Times are in this computer's
    /// time zone; a day without a time means 9:00.
    #[schemars(length(min = 1, max = CHARS_MAX))]
    until: String,
}

/// A row, and when to send a reminder.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FollowUp {
    row_id: String,
    /// When, such as `tomorrow 9am`, up to a year ahead. Default: none, which cancels the reminder.
    #[schemars(length(min = 1, max = CHARS_MAX))]
    at: Option<String>,
}

/// The instant that a text means, up to a year ahead.
fn instant(ctx: &Ctx, text: &str, pointer: &str) -> Result<i64> {
    let now_ms = ctx.now_ms();
    match when::when(text, now_ms, &ctx.home_zone()) {
        Ok(at_ms) if at_ms - now_ms <= AHEAD_MAX_MS => Ok(at_ms),
        Ok(_) => Err(invalid(pointer, kit::fault::OUT_OF_RANGE, "Enter a time within a year.")),
        Err(Unclear::Past) => Err(invalid(pointer, kit::fault::OUT_OF_RANGE, "Enter a time in the future.")),
        Err(Unclear::NotATime) => Err(invalid(pointer, fault::NOT_A_TIME, format!("Use {EXAMPLES}."))),
    }
}

/// Rejects a row that's over.
fn expect_open(row: &RowRecord) -> Result<()> {
    match row.state {
        RowState::Open | RowState::Snoozed => Ok(()),
        RowState::Dismissed | RowState::Settled => Err(errors::NOT_OPEN.error("The row is no longer in the inbox.")),
    }
}

fn set_timer(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, kind: &'static str, row_id: &str, due_ms: i64) -> Result<()> {
    let (account, key, payload) = (account.to_owned(), row_id.to_owned(), String::new());
    schedule::set(tx, &ctx.schedule(), &Timer { account, kind, key, due_ms, payload })
}

/// Cancels a row's timers.
pub(crate) fn cancel(tx: &mut Tx<'_>, account: &str, row_id: &str) -> Result<()> {
    schedule::cancel(tx, account, SNOOZE, row_id)?;
    schedule::cancel(tx, account, FOLLOW_UP, row_id).map(drop)
}

async fn snooze(ctx: Ctx, call: Call, input: Snooze) -> Result<RowRecord> {
    let until_ms = instant(&ctx, &input.until, "/until")?;
    snooze_until(ctx, call, input.row_id, until_ms).await
}

/// Snoozes rows from notifications, as the user does on the page.
pub(crate) struct Snoozes(pub(crate) Ctx);

impl SnoozeRows for Snoozes {
    fn snooze(&self, account: &str, row: &str, for_ms: i64) -> BoxFuture<'static, Result<()>> {
        let call = Call::new(Caller::new(Kind::Owner, account, "notification"));
        let (ctx, row_id) = (self.0.clone(), row.to_owned());
        let until_ms = ctx.now_ms() + for_ms;
        Box::pin(async move { snooze_until(ctx, call, row_id, until_ms).await.map(drop) })
    }
}

async fn snooze_until(ctx: Ctx, call: Call, row_id: String, until_ms: i64) -> Result<RowRecord> {
    let (now_ms, following) = (ctx.now_ms(), ctx.clone());
    change(ctx, call, RowId { row_id }, move |tx, call, row| {
        expect_open(row)?;
        let account = call.account();
        let sql = "UPDATE inbox_rows SET snoozed_until_ms = $3, changed_ms = $4, read_ms = $4 \
             WHERE account_id = $1 AND row_id = $2";
        tx.execute(sql, params![account, &row.id, until_ms, now_ms])?;
        set_timer(tx, &following, account, SNOOZE, &row.id, until_ms)?;
        // Its notification is withdrawn: it's sent again when the row comes back.
        snoozed(tx, &following, account, &row.id)?;
        record_state(tx, call, row, RowState::Snoozed, now_ms)
    })
    .await
}

async fn unsnooze(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    let now_ms = ctx.now_ms();
    change(ctx, call, input, move |tx, call, row| {
        expect_open(row)?;
        if row.state != RowState::Snoozed {
            return Err(CONFLICT.error("The row isn't snoozed."));
        }
        let sql = "UPDATE inbox_rows SET snoozed_until_ms = 0, changed_ms = $3 WHERE account_id = $1 AND row_id = $2";
        tx.execute(sql, params![call.account(), &row.id, now_ms])?;
        schedule::cancel(tx, call.account(), SNOOZE, &row.id)?;
        record_state(tx, call, row, RowState::Open, now_ms)
    })
    .await
}

async fn follow_up(ctx: Ctx, call: Call, input: FollowUp) -> Result<RowRecord> {
    let at_ms = input.at.as_deref().map(|text| instant(&ctx, text, "/at")).transpose()?;
    let (now_ms, following) = (ctx.now_ms(), ctx.clone());
    change(ctx, call, RowId { row_id: input.row_id }, move |tx, call, row| {
        expect_open(row)?;
        let account = call.account();
        let sql = "UPDATE inbox_rows SET follow_up_ms = $3 WHERE account_id = $1 AND row_id = $2";
        tx.execute(sql, params![account, &row.id, at_ms.unwrap_or(0)])?;
        match at_ms {
            Some(at_ms) => set_timer(tx, &following, account, FOLLOW_UP, &row.id, at_ms)?,
            None => schedule::cancel(tx, account, FOLLOW_UP, &row.id).map(drop)?,
        }
        let (before, after) = (json!(row.follow_up_at), json!(at_ms.map(rfc3339)));
        let (before, after) = (Some(&before), Some(&after));
        let change = Change { subject: inbox_rows::SUBJECT, subject_id: &row.id, field: "followUpAt", before, after };
        tx.record(&call.caller, now_ms, change).map(drop)
    })
    .await
}

/// Brings a row back if it's still open and waits for this time. `column` has the time that it waits for.
fn come_back(ctx: &Ctx, tx: &mut Tx<'_>, timer: &Timer, column: &str) -> Result<()> {
    let Timer { account, key, due_ms, .. } = timer;
    let sql = format!(
        "UPDATE inbox_rows SET {column} = 0 WHERE account_id = $1 AND row_id = $2 AND {column} = $3 AND settled_ms = 0"
    );
    if tx.execute(&sql, params![account, key, *due_ms])? == 0 {
        return Ok(());
    }
    if column == "follow_up_ms" {
        schedule::cancel(tx, account, SNOOZE, key)?;
    }
    resurface(tx, ctx, account, key)
}

//! Reading the inbox, and the user's actions on rows.

use crate::attachment::Attachment;
use crate::kinds::{self, NoParams};
use crate::list::{Count, count, only_of};
use crate::{errors, snooze};
use events::HasEvents;
use inbox_rows::{Severity, settled, stored_need, tell};
use kit::error::CONFLICT;
use kit::lookup::WorkFolders;
use kit::{Call, CallerSet, Ctx, Method, Need, Op, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use store::{Change, HasDb, Row, Tx, params};

/// How long a row is stored after it was dismissed or settled.
pub(crate) const KEPT_MS: i64 = 30 * kit::clock::DAY_MS;
/// The outcome of a row that a user dismissed.
pub(crate) const DISMISSED: &str = "dismissed";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "inbox.kinds",
            Method::Get,
            "/inbox/kinds",
            CallerSet::PERSON_AND_AGENTS,
            "List the kinds of inbox rows, and the settings that hide them.",
            kinds::list,
        )
        .scope("inbox:read")
        .columns(&["name", "label", "setting", "hidden"]),
        Op::new("inbox.get", Method::Get, "/inbox/{rowId}", CallerSet::PERSON_AND_AGENTS, "Get an inbox row.", get)
            .example(r#"{"rowId": "{rowId}"}"#)
            .scope("inbox:read"),
        Op::new("inbox.read", Method::Post, "/inbox/{rowId}/read", CallerSet::PERSON, "Mark a row as read.", read)
            .example(r#"{"rowId": "{rowId}"}"#),
        Op::new(
            "inbox.unread",
            Method::Post,
            "/inbox/{rowId}/unread",
            CallerSet::PERSON,
            "Mark a row as unread.",
            unread,
        )
        .example(r#"{"rowId": "{rowId}"}"#),
        Op::new(
            "inbox.readAll",
            Method::Post,
            "/inbox/read",
            CallerSet::PERSON,
            "Mark all open rows as read, up to the newest one seen.",
            read_all,
        )
        .example(r#"{"rowId": "{rowId}"}"#),
        Op::new(
            "inbox.dismiss",
            Method::Post,
            "/inbox/{rowId}/dismiss",
            CallerSet::PERSON,
            "Dismiss a row. Rows that wait for an answer can't be dismissed.",
            dismiss,
        )
        .example(r#"{"rowId": "{spareRowId}"}"#)
        .errors([&errors::WAITED_FOR]),
        Op::new(
            "inbox.restore",
            Method::Post,
            "/inbox/{rowId}/restore",
            CallerSet::PERSON,
            "Restore a dismissed row within 30 days.",
            restore,
        )
        .example(r#"{"rowId": "{spareRowId}"}"#),
    ]
}

/// An inbox row.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InboxRow")]
#[serde(rename_all = "camelCase")]
pub(crate) struct RowRecord {
    pub(crate) id: String,
    /// Its kind, one of `inbox kinds`.
    pub(crate) kind: String,
    /// One line of plain text.
    pub(crate) title: String,
    /// More plain text; may be empty.
    body: String,
    severity: Severity,
    /// A link: a page path or a web address.
    link: Option<String>,
    /// Its session.
    pub(crate) session_id: Option<String>,
    /// Its hub.
    pub(crate) project_id: Option<String>,
    /// For a request: its id in the session, used to answer it
    /// (`POST /sessions/{sessionId}/asks/{askId}/answer`).
    ask_id: Option<String>,
    /// Its board.
    board_id: Option<String>,
    /// The actor that created it.
    pub(crate) by: By,
    /// RFC 3339 in UTC.
    created_at: String,
    /// When it last changed or was settled; RFC 3339 in UTC.
    pub(crate) changed_at: String,
    /// Whether it was read since its last change.
    read: bool,
    /// `open` until you dismiss it or it's settled.
    pub(crate) state: RowState,
    /// Whether a session waits for your answer.
    pub(crate) waits: bool,
    /// How it ended, in words; empty while open.
    pub(crate) outcome: String,
    /// When a snoozed row comes back; RFC 3339 in UTC.
    snoozed_until: Option<String>,
    /// When you are reminded of it unless it's settled by then; RFC 3339 in UTC.
    pub(crate) follow_up_at: Option<String>,
    /// More links.
    attachments: Vec<Attachment>,
    /// Orders rows: the newest, or the last that came back, has the greatest.
    #[serde(skip)]
    pub(crate) place: String,
    /// As stored: what it asks of the user.
    #[serde(skip)]
    pub(crate) need: i64,
}

/// The actor that created a row.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct By {
    /// `owner`, `cli`, `agent`, or `member`; `program` for Pilothouse itself.
    pub(crate) kind: String,
    pub(crate) session_id: Option<String>,
    member_id: Option<String>,
}

/// The state of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum RowState {
    /// Needs attention.
    #[default]
    Open,
    /// Dismissed by you.
    Dismissed,
    /// Answered or no longer relevant.
    Settled,
    /// Left out of the inbox until a time. It waits all the same.
    Snoozed,
}

/// Rows, with the columns that [`record`] reads.
pub(crate) const ROWS: &str = "SELECT row_id, kind, title, body, severity, link, session_id, project_id, actor, actor_session_id, \
     actor_member_id, created_ms, changed_ms, read_ms, settled_ms, outcome, row_key, need, board_id, \
     snoozed_until_ms, follow_up_ms, attachments, place FROM inbox_rows";

pub(crate) fn record(row: &dyn Row) -> Result<RowRecord> {
    let severity: &str = row.get(4)?;
    let (settled_ms, outcome): (i64, String) = (row.get(14)?, row.get(15)?);
    let need: i64 = row.get(17)?;
    let is_request = need == stored_need(Need::Answer);
    let (snoozed_ms, follow_up_ms): (i64, i64) = (row.get(19)?, row.get(20)?);
    let at = |ms: i64| (ms > 0 && settled_ms == 0).then(|| rfc3339(ms));
    let state = match settled_ms {
        0 if snoozed_ms > 0 => RowState::Snoozed,
        0 => RowState::Open,
        _ if outcome == DISMISSED => RowState::Dismissed,
        _ => RowState::Settled,
    };
    let (session_id, key): (Option<String>, Option<&str>) = (row.get(6)?, row.get(16)?);
    let ask_id = inbox_rows::ask_in(session_id.as_deref(), key);
    Ok(RowRecord {
        id: row.get(0)?,
        kind: row.get(1)?,
        title: row.get(2)?,
        body: row.get(3)?,
        severity: Severity::named(severity),
        link: row.get(5)?,
        ask_id: ask_id.filter(|_| is_request),
        session_id,
        project_id: row.get(7)?,
        board_id: row.get(18)?,
        by: By { kind: row.get(8)?, session_id: row.get(9)?, member_id: row.get(10)? },
        created_at: rfc3339(row.get(11)?),
        changed_at: rfc3339(row.get(12)?),
        read: row.get::<i64>(13)? != 0,
        state,
        waits: is_request && settled_ms == 0,
        outcome,
        snoozed_until: at(snoozed_ms),
        follow_up_at: at(follow_up_ms),
        attachments: Attachment::stored(row.get(21)?),
        place: row.get(22)?,
        need,
    })
}

/// One of the account's rows, by id.
pub(crate) fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<RowRecord> {
    tx.query_one(&format!("{ROWS} WHERE account_id = $1 AND row_id = $2"), params![account, id], record)
}

/// Identifies an inbox row.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RowId {
    pub(crate) row_id: String,
}

async fn get(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    let session = only_of(&call);
    let row = ctx.db().read(move |tx| one(tx, call.account(), &input.row_id)).await?;
    let is_visible = session.is_empty() || row.session_id.as_deref() == Some(&*session);
    if is_visible { Ok(row) } else { Err(kit::not_found()) }
}

async fn read(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    let (now_ms, following) = (ctx.now_ms(), ctx.clone());
    change(ctx, call, input, move |tx, call, row| {
        inbox_rows::looked(tx, &following, call.account(), &row.id)?;
        set_read(tx, call.account(), row, now_ms)
    })
    .await
}

async fn unread(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    change(ctx, call, input, |tx, call, row| set_read(tx, call.account(), row, 0)).await
}

fn set_read(tx: &mut Tx<'_>, account: &str, row: &RowRecord, read_ms: i64) -> Result<()> {
    let sql = "UPDATE inbox_rows SET read_ms = $3 WHERE account_id = $1 AND row_id = $2";
    tx.execute(sql, params![account, &row.id, read_ms]).map(drop)
}

async fn dismiss(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    let (now_ms, following) = (ctx.now_ms(), ctx.clone());
    let is_abandoned = is_abandoned(&ctx, call.caller.account.clone(), input.row_id.clone()).await?;
    change(ctx, call, input, move |tx, call, row| {
        if row.waits && !is_abandoned {
            return Err(errors::WAITED_FOR
                .error("A session is waiting for your answer to this row. Answer it, or stop the session."));
        }
        // A settled row is no longer open: dismissing it changes nothing.
        let sql = "UPDATE inbox_rows SET settled_ms = $3, changed_ms = $3, read_ms = $3, outcome = $4, batch_id = '', \
             snoozed_until_ms = 0, follow_up_ms = 0 \
             WHERE account_id = $1 AND row_id = $2 AND settled_ms = 0";
        tx.execute(sql, params![call.account(), &row.id, now_ms, DISMISSED])?;
        snooze::cancel(tx, call.account(), &row.id)?;
        settled(tx, &following, call.account(), row.session_id.as_deref(), &row.id)?;
        record_state(tx, call, row, RowState::Dismissed, now_ms)
    })
    .await
}

/// Whether the session that a row is about no longer exists, so that nobody waits for an answer.
async fn is_abandoned(ctx: &Ctx, account: Arc<str>, row_id: String) -> Result<bool> {
    let of = account.clone();
    let row = ctx.db().read(move |tx| one(tx, &of, &row_id)).await?;
    match (row.session_id.filter(|_| row.waits), ctx.find_service::<WorkFolders>()) {
        (Some(session), Some(folders)) => Ok(folders.0.of_session(&account, &session).await?.is_none()),
        _ => Ok(false),
    }
}

async fn restore(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    let now_ms = ctx.now_ms();
    change(ctx, call, input, move |tx, call, row| {
        let account = call.account();
        if row.state == RowState::Settled {
            return Err(CONFLICT.error("The row is settled. Only dismissed rows can be restored."));
        }
        let sql = "SELECT count(*) FROM inbox_rows o JOIN inbox_rows r ON r.account_id = o.account_id AND r.row_key = o.row_key \
             WHERE r.account_id = $1 AND r.row_id = $2 AND o.settled_ms = 0 AND o.row_id <> $2";
        if tx.query_one(sql, params![account, &row.id], |found| found.get::<i64>(0))? > 0 {
            return Err(CONFLICT.error("A newer row with the same key is in the inbox, so this one stays dismissed."));
        }
        let sql = "UPDATE inbox_rows SET settled_ms = 0, outcome = '', batch_id = '', changed_ms = $3 WHERE account_id = $1 AND row_id = $2";
        tx.execute(sql, params![account, &row.id, now_ms])?;
        record_state(tx, call, row, RowState::Open, now_ms)
    })
    .await
}

/// Records who dismissed or restored a row.
pub(crate) fn record_state(tx: &mut Tx<'_>, call: &Call, row: &RowRecord, state: RowState, now_ms: i64) -> Result<()> {
    let (before, after) = (json!(row.state), json!(state));
    let change = Change {
        subject: inbox_rows::SUBJECT,
        subject_id: &row.id,
        field: "state",
        before: Some(&before),
        after: Some(&after),
    };
    tx.record(&call.caller, now_ms, change).map(drop)
}

/// Changes a row of the caller's account, and notifies pages.
pub(crate) async fn change(
    ctx: Ctx,
    call: Call,
    input: RowId,
    run: impl FnOnce(&mut Tx<'_>, &Call, &RowRecord) -> Result<()> + Send + 'static,
) -> Result<RowRecord> {
    let bus = ctx.events();
    ctx.db()
        .write(move |tx| {
            let row = one(tx, call.account(), &input.row_id)?;
            run(tx, &call, &row)?;
            tell(tx, &bus, call.account(), row.session_id.as_deref(), &row.id);
            one(tx, call.account(), &row.id)
        })
        .await
}

/// The rows to mark as read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpTo {
    /// The newest row you saw; newer ones stay unread.
    row_id: String,
    /// The newest `changedAt` of the rows you saw: rows that changed later stay unread, even
    /// older ones. RFC 3339; ignored if omitted.
    #[schemars(length(max = 40))]
    seen_at: Option<String>,
}

/// The time up to which changes were seen. Default: all.
pub(crate) fn seen_ms(seen_at: Option<&str>) -> Result<i64> {
    let not_a_time =
        || invalid("/seenAt", kit::fault::WRONG_FORMAT, "Enter an RFC 3339 time, such as a row's `changedAt`.");
    let Some(at) = seen_at else { return Ok(i64::MAX) };
    Ok(at.parse::<jiff::Timestamp>().map_err(|_| not_a_time())?.as_millisecond())
}

async fn read_all(ctx: Ctx, call: Call, input: UpTo) -> Result<Count> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    let seen_ms = seen_ms(input.seen_at.as_deref())?;
    let (account, again) = (call.caller.account.clone(), Call::new(call.caller.clone()));
    ctx.db()
        .write(move |tx| {
            let newest = one(tx, &account, &input.row_id)?;
            let sql = "UPDATE inbox_rows SET read_ms = $3 WHERE account_id = $1 AND place <= $2 AND changed_ms <= $4 \
                 AND settled_ms = 0 AND snoozed_until_ms = 0 AND read_ms = 0";
            tx.execute(sql, params![&*account, &newest.place, now_ms, seen_ms])?;
            tell(tx, &bus, &account, newest.session_id.as_deref(), &newest.id);
            Ok(())
        })
        .await?;
    count(ctx, again, NoParams {}).await
}

/// Deletes rows that were dismissed or settled too long ago.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before = ctx.now_ms() - KEPT_MS;
    let sql = "DELETE FROM inbox_rows WHERE account_id <> '' AND settled_ms > 0 AND settled_ms < $1";
    ctx.db().write(move |tx| tx.execute(sql, params![before])).await.map(drop)
}

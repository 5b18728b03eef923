//! Reading the inbox, and the user's actions on rows.

use crate::errors;
use crate::kinds::{self, NoParams};
use events::HasEvents;
use inbox_rows::{Severity, settled, stored_need, tell};
use kit::error::CONFLICT;
use kit::text::CURSOR;
use kit::{Call, CallerSet, Catalog, Ctx, Kind, Method, Need, Op, Page, Part, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Row, Tx, params};

/// How long a row is stored after it was dismissed or settled.
pub(crate) const KEPT_MS: i64 = 30 * kit::clock::DAY_MS;
/// Default number of rows in an answer.
const PAGE_ROWS: i64 = 200;
/// The outcome of a row that a user dismissed.
const DISMISSED: &str = "dismissed";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "inbox.list",
            Method::Get,
            "/inbox",
            CallerSet::PERSON_AND_AGENTS,
            "List inbox rows, newest first. A session sees its own.",
            list,
        )
        .scope("inbox:read")
        .columns(&["id", "kind", "severity", "title", "body", "createdAt"]),
        Op::new(
            "inbox.count",
            Method::Get,
            "/inbox/count",
            CallerSet::PERSON_AND_AGENTS,
            "Count open inbox rows: all, unread, and waiting for an answer.",
            count,
        )
        .scope("inbox:read"),
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
    kind: String,
    /// One line of plain text.
    title: String,
    /// More plain text; may be empty.
    body: String,
    severity: Severity,
    /// A link: a page path or a web address.
    link: Option<String>,
    /// Its session.
    session_id: Option<String>,
    /// Its hub.
    project_id: Option<String>,
    /// For a request: its id in the session, used to answer it
    /// (`POST /sessions/{sessionId}/asks/{askId}/answer`).
    ask_id: Option<String>,
    /// Its board.
    board_id: Option<String>,
    /// The actor that created it.
    by: By,
    /// RFC 3339 in UTC.
    created_at: String,
    /// When it last changed or was settled; RFC 3339 in UTC.
    changed_at: String,
    /// Whether it was read since its last change.
    read: bool,
    /// `open` until you dismiss it or it's settled.
    state: RowState,
    /// Whether a session waits for your answer.
    waits: bool,
    /// How it ended, in words; empty while open.
    outcome: String,
}

/// The actor that created a row.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct By {
    /// `owner`, `cli`, `agent`, or `member`; `program` for Pilothouse itself.
    kind: String,
    session_id: Option<String>,
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
}

/// Rows, with the columns that [`record`] reads.
const ROWS: &str = "SELECT row_id, kind, title, body, severity, link, session_id, project_id, actor, actor_session_id, \
     actor_member_id, created_ms, changed_ms, read_ms, settled_ms, outcome, row_key, need, board_id FROM inbox_rows WHERE account_id = $1";

fn record(row: &dyn Row) -> Result<RowRecord> {
    let severity: &str = row.get(4)?;
    let (settled_ms, outcome): (i64, String) = (row.get(14)?, row.get(15)?);
    let is_request = row.get::<i64>(17)? == stored_need(Need::Answer);
    let state = match settled_ms {
        0 => RowState::Open,
        _ if outcome == DISMISSED => RowState::Dismissed,
        _ => RowState::Settled,
    };
    let (session_id, key): (Option<String>, Option<&str>) = (row.get(6)?, row.get(16)?);
    let ask_id = session_id.as_deref().zip(key).and_then(|(session, key)| inbox_rows::ask_of(session, key));
    Ok(RowRecord {
        id: row.get(0)?,
        kind: row.get(1)?,
        title: row.get(2)?,
        body: row.get(3)?,
        severity: Severity::ALL.into_iter().find(|one| one.name() == severity).unwrap_or_default(),
        link: row.get(5)?,
        ask_id: ask_id.filter(|_| is_request).map(str::to_owned),
        session_id,
        project_id: row.get(7)?,
        board_id: row.get(18)?,
        by: By { kind: row.get(8)?, session_id: row.get(9)?, member_id: row.get(10)? },
        created_at: rfc3339(row.get(11)?),
        changed_at: rfc3339(row.get(12)?),
        read: row.get::<i64>(13)? != 0,
        state,
        waits: is_request && state == RowState::Open,
        outcome,
    })
}

/// One of the account's rows, by id.
pub(crate) fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<RowRecord> {
    tx.query_one(&format!("{ROWS} AND row_id = $2"), params![account, id], record)
}

/// The session whose rows the caller may see; empty for all. A script that names a session still acts for the user.
fn only_of(call: &Call) -> String {
    match call.caller.kind {
        Kind::Agent => call.caller.session.as_deref().unwrap_or("-").to_owned(),
        _ => String::new(),
    }
}

/// Filters for inbox rows.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// Default: `open`.
    #[serde(default)]
    state: RowState,
    /// Only rows of this kind, one of `inbox kinds`.
    #[schemars(length(min = 1, max = 40))]
    kind: Option<String>,
    /// Whether to list rows that a setting hides, instead of the others. Default: false.
    #[serde(default)]
    hidden: bool,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// 1 to 10000. Default: 200.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<RowRecord>> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(PAGE_ROWS)) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let session = only_of(&call);
    let shown = shown(&ctx, call.account(), input.hidden);
    let kind = input.kind.unwrap_or_default();
    expect_kind(&ctx, &kind)?;
    ctx.db()
        .read(move |tx| {
            let of_state = match input.state {
                RowState::Open => "settled_ms = 0",
                RowState::Dismissed => "settled_ms > 0 AND outcome = 'dismissed'",
                RowState::Settled => "settled_ms > 0 AND outcome <> 'dismissed'",
            };
            let sql = format!(
                "{ROWS} AND {of_state} AND {shown} AND row_id < $2 AND ($3 = '' OR kind = $3) AND ($4 = '' OR session_id = $4) \
                 ORDER BY row_id DESC LIMIT $5"
            );
            let rows = tx.query(&sql, params![call.account(), &before, &kind, &session, part.to_read()], record)?;
            part.first_page(rows, |row| (&row.id).into())
        })
        .await
}

/// The condition for rows that no setting hides, or for the others.
fn shown(ctx: &Ctx, account: &str, hidden: bool) -> String {
    match (kinds::hidden(ctx, account), hidden) {
        (none, true) if none.is_empty() => "1 = 0".to_owned(),
        (none, false) if none.is_empty() => "1 = 1".to_owned(),
        (some, true) => format!("kind IN ({})", kinds::in_sql(&some)),
        (some, false) => format!("kind NOT IN ({})", kinds::in_sql(&some)),
    }
}

/// Rejects a kind that no feature declares; empty is all.
fn expect_kind(ctx: &Ctx, kind: &str) -> Result<()> {
    let known: Vec<&str> = ctx.service::<Catalog>().inbox_kinds.iter().map(|kind| kind.name).collect();
    if kind.is_empty() || known.contains(&kind) {
        return Ok(());
    }
    Err(invalid("/kind", kit::fault::NOT_A_CHOICE, format!("Use one of: {}.", known.join(", "))))
}

/// Counts of open rows that no setting hides.
#[derive(Debug, Serialize, JsonSchema)]
struct Count {
    open: i64,
    /// Unread ones.
    unread: i64,
    /// Ones that need your answer.
    waiting: i64,
    /// Ones that need you: requests, and sessions that need attention.
    #[serde(rename = "needsYou")]
    needs_you: i64,
    /// Requests that wait for your answer and that a setting hides. `hidden=true` lists them.
    #[serde(rename = "hiddenWaiting")]
    hidden_waiting: i64,
}

async fn count(ctx: Ctx, call: Call, _: NoParams) -> Result<Count> {
    let session = only_of(&call);
    let [shown, hidden] = [false, true].map(|hidden| shown(&ctx, call.account(), hidden));
    ctx.db()
        .read(move |tx| {
            let rows = "FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 AND ($2 = '' OR session_id = $2)";
            let of = params![call.account(), &session];
            let one = |tx: &mut Tx<'_>, also: &str| {
                tx.query_one(&format!("SELECT count(*) {rows} AND {also}"), of, |row| row.get::<i64>(0))
            };
            Ok(Count {
                open: one(tx, &shown)?,
                unread: one(tx, &format!("{shown} AND read_ms = 0"))?,
                waiting: one(tx, &format!("{shown} AND need = 2"))?,
                needs_you: one(tx, &format!("{shown} AND need > 0"))?,
                hidden_waiting: one(tx, &format!("{hidden} AND need = 2"))?,
            })
        })
        .await
}

/// Identifies an inbox row.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RowId {
    row_id: String,
}

async fn get(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    let session = only_of(&call);
    let row = ctx.db().read(move |tx| one(tx, call.account(), &input.row_id)).await?;
    let is_visible = session.is_empty() || row.session_id.as_deref() == Some(&*session);
    if is_visible { Ok(row) } else { Err(kit::not_found()) }
}

async fn read(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    let now_ms = ctx.now_ms();
    change(ctx, call, input, move |tx, call, row| set_read(tx, call.account(), row, now_ms)).await
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
    change(ctx, call, input, move |tx, call, row| {
        if row.waits {
            return Err(errors::WAITED_FOR
                .error("A session is waiting for your answer to this row. Answer it, or stop the session."));
        }
        // A settled row is no longer open: dismissing it changes nothing.
        let sql = "UPDATE inbox_rows SET settled_ms = $3, changed_ms = $3, read_ms = $3, outcome = $4 \
             WHERE account_id = $1 AND row_id = $2 AND settled_ms = 0";
        tx.execute(sql, params![call.account(), &row.id, now_ms, DISMISSED])?;
        settled(tx, &following, call.account(), row.session_id.as_deref(), &row.id)?;
        record_state(tx, call, row, RowState::Dismissed, now_ms)
    })
    .await
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
        let sql = "UPDATE inbox_rows SET settled_ms = 0, outcome = '' WHERE account_id = $1 AND row_id = $2";
        tx.execute(sql, params![account, &row.id])?;
        record_state(tx, call, row, RowState::Open, now_ms)
    })
    .await
}

/// Records who dismissed or restored a row.
fn record_state(tx: &mut Tx<'_>, call: &Call, row: &RowRecord, state: RowState, now_ms: i64) -> Result<()> {
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
async fn change(
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

async fn read_all(ctx: Ctx, call: Call, input: UpTo) -> Result<Count> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    let not_a_time =
        || invalid("/seenAt", kit::fault::WRONG_FORMAT, "Enter an RFC 3339 time, such as a row's `changedAt`.");
    let seen_ms = match &input.seen_at {
        Some(at) => at.parse::<jiff::Timestamp>().map_err(|_| not_a_time())?.as_millisecond(),
        None => i64::MAX,
    };
    let (account, again) = (call.caller.account.clone(), Call::new(call.caller.clone()));
    ctx.db()
        .write(move |tx| {
            let newest = one(tx, &account, &input.row_id)?;
            let sql = "UPDATE inbox_rows SET read_ms = $3 WHERE account_id = $1 AND row_id <= $2 AND changed_ms <= $4 \
                 AND settled_ms = 0 AND read_ms = 0";
            tx.execute(sql, params![&*account, &newest.id, now_ms, seen_ms])?;
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

//! Reading the inbox, and what a person does with its rows.

use crate::errors;
use events::HasEvents;
use inbox_rows::{RowKind, Severity, tell};
use kit::error::CONFLICT;
use kit::text::CURSOR;
use kit::{Call, Ctx, Kind, Method, Op, Page, Part, Result, Who, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Row, Tx, params};

/// How long a row is kept after it was dismissed or is over.
pub(crate) const KEPT_MS: i64 = 30 * kit::clock::DAY_MS;
/// Rows of one answer where none are asked for.
const PAGE_ROWS: i64 = 200;
/// What stands as the outcome of a row that a person dismissed.
const DISMISSED: &str = "dismissed";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "inbox.list",
            Method::Get,
            "/inbox",
            Who::PERSON_AND_AGENTS,
            "Lists the rows of the inbox, newest first. A session sees its own.",
            list,
        )
        .scope("inbox:read")
        .columns(&["id", "kind", "severity", "title", "body", "createdAt"]),
        Op::new(
            "inbox.count",
            Method::Get,
            "/inbox/count",
            Who::PERSON_AND_AGENTS,
            "Counts the open rows: all, those that were not read, and those that wait for an answer.",
            count,
        )
        .scope("inbox:read"),
        Op::new("inbox.get", Method::Get, "/inbox/{rowId}", Who::PERSON_AND_AGENTS, "Reads one row.", get)
            .scope("inbox:read"),
        Op::new("inbox.read", Method::Post, "/inbox/{rowId}/read", Who::PERSON, "Marks a row as read.", read),
        Op::new("inbox.unread", Method::Post, "/inbox/{rowId}/unread", Who::PERSON, "Marks a row as not read.", unread),
        Op::new(
            "inbox.readAll",
            Method::Post,
            "/inbox/read",
            Who::PERSON,
            "Marks every open row as read, up to the newest that was seen.",
            read_all,
        ),
        Op::new(
            "inbox.dismiss",
            Method::Post,
            "/inbox/{rowId}/dismiss",
            Who::PERSON,
            "Dismisses a row. One that a session waits at for an answer cannot be dismissed.",
            dismiss,
        )
        .errors([&errors::WAITED_FOR]),
        Op::new(
            "inbox.restore",
            Method::Post,
            "/inbox/{rowId}/restore",
            Who::PERSON,
            "Takes the dismissing of a row back, within 30 days.",
            restore,
        ),
    ]
}

/// A row of the inbox.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InboxRow")]
#[serde(rename_all = "camelCase")]
pub(crate) struct RowRecord {
    pub(crate) id: String,
    /// What it tells of.
    kind: RowKind,
    /// One line of plain text.
    title: String,
    /// More of it, in plain text; empty where the title says all.
    body: String,
    severity: Severity,
    /// Where it leads: a path of this program's pages, or an address of the web.
    link: Option<String>,
    /// The session that it is of.
    session_id: Option<String>,
    /// The hub that it is of.
    project_id: Option<String>,
    /// Of what a session asked for: its id among the requests of that session, by which it is answered
    /// (`POST /sessions/{sessionId}/asks/{askId}/answer`).
    ask_id: Option<String>,
    /// Who made it.
    by: By,
    /// RFC 3339 in UTC.
    created_at: String,
    /// When it said something new last, or was settled; RFC 3339 in UTC.
    changed_at: String,
    /// Whether a person has read it since it said something new.
    read: bool,
    /// `open` until a person dismissed it or what it tells of is over.
    state: RowState,
    /// Whether somebody waits for an answer to it.
    waits: bool,
    /// How it ended, in words; empty while it is open.
    outcome: String,
}

/// Who made a row.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct By {
    /// `owner`, `cli`, `agent` or `member`; `program` for the program itself.
    kind: String,
    session_id: Option<String>,
    member_id: Option<String>,
}

/// How a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum RowState {
    /// It wants attention.
    #[default]
    Open,
    /// A person dismissed it.
    Dismissed,
    /// What it tells of is over.
    Settled,
}

/// Rows as [`record`] reads them.
const ROWS: &str = "SELECT row_id, kind, title, body, severity, link, session_id, project_id, actor, actor_session_id, \
     actor_member_id, created_ms, changed_ms, read_ms, settled_ms, outcome, row_key FROM inbox_rows WHERE account_id = $1";

fn record(row: &dyn Row) -> Result<RowRecord> {
    let (kind, severity): (&str, &str) = (row.get(1)?, row.get(4)?);
    let (settled_ms, outcome): (i64, String) = (row.get(14)?, row.get(15)?);
    // What a newer program wrote is shown as the plainest there is.
    let kind = RowKind::ALL.into_iter().find(|one| one.name() == kind).unwrap_or(RowKind::Notice);
    let state = match settled_ms {
        0 => RowState::Open,
        _ if outcome == DISMISSED => RowState::Dismissed,
        _ => RowState::Settled,
    };
    let (session_id, key): (Option<String>, Option<&str>) = (row.get(6)?, row.get(16)?);
    let ask_id = session_id.as_deref().zip(key).and_then(|(session, key)| inbox_rows::ask_of(session, key));
    Ok(RowRecord {
        id: row.get(0)?,
        kind,
        title: row.get(2)?,
        body: row.get(3)?,
        severity: Severity::ALL.into_iter().find(|one| one.name() == severity).unwrap_or_default(),
        link: row.get(5)?,
        ask_id: ask_id.filter(|_| kind.waits()).map(str::to_owned),
        session_id,
        project_id: row.get(7)?,
        by: By { kind: row.get(8)?, session_id: row.get(9)?, member_id: row.get(10)? },
        created_at: rfc3339(row.get(11)?),
        changed_at: rfc3339(row.get(12)?),
        read: row.get::<i64>(13)? != 0,
        state,
        waits: kind.waits() && state == RowState::Open,
        outcome,
    })
}

/// One of the account's, by its id.
pub(crate) fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<RowRecord> {
    tx.query_one(&format!("{ROWS} AND row_id = $2"), params![account, id], record)
}

/// The session whose rows alone the caller may see; empty for all. A script that speaks for a session is the person's script.
fn only_of(call: &Call) -> String {
    match call.caller.kind {
        Kind::Agent => call.caller.session.as_deref().unwrap_or("-").to_owned(),
        _ => String::new(),
    }
}

/// Which rows.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// `open` where left out.
    #[serde(default)]
    state: RowState,
    /// Only rows of this kind.
    kind: Option<RowKind>,
    /// From an earlier answer.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// 1 to 10000; 200 where left out.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<RowRecord>> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(PAGE_ROWS)) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let session = only_of(&call);
    ctx.db()
        .read(move |tx| {
            let of_state = match input.state {
                RowState::Open => "settled_ms = 0",
                RowState::Dismissed => "settled_ms > 0 AND outcome = 'dismissed'",
                RowState::Settled => "settled_ms > 0 AND outcome <> 'dismissed'",
            };
            let sql = format!(
                "{ROWS} AND {of_state} AND row_id < $2 AND ($3 = '' OR kind = $3) AND ($4 = '' OR session_id = $4) \
                 ORDER BY row_id DESC LIMIT $5"
            );
            let kind = input.kind.map_or("", RowKind::name);
            let rows = tx.query(&sql, params![call.account(), &before, kind, &session, part.to_read()], record)?;
            part.first_of(rows, |row| (&row.id).into())
        })
        .await
}

/// How many rows are open.
#[derive(Debug, Serialize, JsonSchema)]
struct Count {
    open: i64,
    /// Of those, what was not read.
    unread: i64,
    /// Of those, what waits for an answer.
    waiting: i64,
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

async fn count(ctx: Ctx, call: Call, _: Nothing) -> Result<Count> {
    let session = only_of(&call);
    ctx.db()
        .read(move |tx| {
            let sql = "SELECT kind, read_ms FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 AND ($2 = '' OR session_id = $2)";
            let waits = |kind: &str| RowKind::ALL.iter().any(|one| one.name() == kind && one.waits());
            let mut count = Count { open: 0, unread: 0, waiting: 0 };
            tx.each(sql, params![call.account(), &session], |row| {
                count.open += 1;
                count.unread += i64::from(row.get::<i64>(1)? == 0);
                count.waiting += i64::from(waits(row.get(0)?));
                Ok(())
            })?;
            Ok(count)
        })
        .await
}

/// Which row.
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
    let now_ms = ctx.now_ms();
    change(ctx, call, input, move |tx, call, row| {
        if row.waits {
            return Err(
                errors::WAITED_FOR.error("A session waits for an answer to this row; answer it, or stop the session.")
            );
        }
        // What is over is no more open: dismissing it changes nothing.
        let sql = "UPDATE inbox_rows SET settled_ms = $3, changed_ms = $3, read_ms = $3, outcome = $4 \
             WHERE account_id = $1 AND row_id = $2 AND settled_ms = 0";
        tx.execute(sql, params![call.account(), &row.id, now_ms, DISMISSED])?;
        record_state(tx, call, row, RowState::Dismissed, now_ms)
    })
    .await
}

async fn restore(ctx: Ctx, call: Call, input: RowId) -> Result<RowRecord> {
    let now_ms = ctx.now_ms();
    change(ctx, call, input, move |tx, call, row| {
        let account = call.account();
        if row.state == RowState::Settled {
            return Err(CONFLICT.error("What the row tells of is over; only a row that was dismissed can be restored."));
        }
        let sql = "SELECT count(*) FROM inbox_rows o JOIN inbox_rows r ON r.account_id = o.account_id AND r.row_key = o.row_key \
             WHERE r.account_id = $1 AND r.row_id = $2 AND o.settled_ms = 0 AND o.row_id <> $2";
        if tx.query_one(sql, params![account, &row.id], |found| found.get::<i64>(0))? > 0 {
            return Err(CONFLICT.error("A newer row of the same thing is in the inbox; this one stays dismissed."));
        }
        let sql = "UPDATE inbox_rows SET settled_ms = 0, outcome = '' WHERE account_id = $1 AND row_id = $2";
        tx.execute(sql, params![account, &row.id])?;
        record_state(tx, call, row, RowState::Open, now_ms)
    })
    .await
}

/// Records who dismissed a row, or took that back.
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

/// Changes a row of the caller's account, and tells pages.
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

/// Up to which row.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpTo {
    /// The newest row that was seen; what came after it stays unread.
    row_id: String,
    /// The newest `changedAt` among the rows that were seen: what says something new since then stays unread, be it a row that
    /// is older. RFC 3339; left out, it is not looked at.
    #[schemars(length(max = 40))]
    seen_at: Option<String>,
}

async fn read_all(ctx: Ctx, call: Call, input: UpTo) -> Result<Count> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    let not_a_time =
        || invalid("/seenAt", kit::fault::WRONG_FORMAT, "An RFC 3339 time is expected, such as that of `changedAt`.");
    let seen_ms = match &input.seen_at {
        Some(at) => at.parse::<jiff::Timestamp>().map_err(|_| not_a_time())?.as_millisecond(),
        None => i64::MAX,
    };
    let (account, again) = (call.caller.account.clone(), Call::of(call.caller.clone()));
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
    count(ctx, again, Nothing {}).await
}

/// Removes rows that were dismissed or are over for longer than they are kept.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before = ctx.now_ms() - KEPT_MS;
    let sql = "DELETE FROM inbox_rows WHERE account_id <> '' AND settled_ms > 0 AND settled_ms < $1";
    ctx.db().write(move |tx| tx.execute(sql, params![before])).await.map(drop)
}

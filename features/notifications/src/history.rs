//! The history of decisions: when, about which row, and why. It has nothing of what the rows say.

use crate::settings::notificationHistoryEnabled;
use kit::ids::short_id;
use kit::text::CURSOR;
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, rfc3339};
use notify::{Decision, Reason, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{HasDb, Tx, params};

/// How long an entry is stored.
const STORED_MS: i64 = 30 * kit::clock::DAY_MS;
/// Default number of entries in an answer.
const PAGE_ENTRIES: i64 = 200;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "notifications.history",
            Method::Get,
            "/notifications/history",
            CallerSet::PERSON,
            "List decisions about notifications, newest first: shown, held, or dropped, and why.",
            list,
        )
        .example(r#"{"rowId": "{rowId}"}"#)
        .synonyms("why was I notified told chime log")
        .columns(&["at", "kind", "title", "decision", "reason"]),
    ]
}

/// What a decision was about.
pub(crate) struct Entry<'a> {
    pub(crate) row_id: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) session_id: Option<&'a str>,
}

/// Adds a decision, unless the history is off.
pub(crate) fn write(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, entry: &Entry<'_>, verdict: Verdict) -> Result<()> {
    if !ctx.setting(account, &notificationHistoryEnabled) {
        return Ok(());
    }
    let (decision, until_ms) = match verdict.0 {
        Decision::Show => ("show", 0),
        Decision::Hold { until_ms } => ("hold", until_ms),
        Decision::Drop => ("drop", 0),
    };
    let sql = "INSERT INTO notification_history (account_id, entry_id, row_id, kind, session_id, decision, reason, until_ms, \
               decided_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let values = params![
        account,
        short_id(),
        entry.row_id,
        entry.kind,
        entry.session_id,
        decision,
        verdict.1.name(),
        until_ms,
        ctx.now_ms()
    ];
    tx.execute(sql, values).map(drop)
}

/// Puts a decision in place of the last one about the same row, which was never carried out.
pub(crate) fn correct(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, entry: &Entry<'_>, verdict: Verdict) -> Result<()> {
    let sql = "DELETE FROM notification_history WHERE account_id = $1 AND entry_id = \
               (SELECT max(entry_id) FROM notification_history WHERE account_id = $1 AND row_id = $2)";
    tx.execute(sql, params![account, entry.row_id])?;
    write(tx, ctx, account, entry, verdict)
}

/// A decision about a notification.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotificationDecision")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    /// RFC 3339 in UTC.
    at: String,
    /// The inbox row.
    row_id: String,
    /// The kind of the row.
    kind: String,
    /// The row's title; null once it was removed from the inbox.
    title: Option<String>,
    session_id: Option<String>,
    /// `show`, `hold`, or `drop`.
    decision: String,
    /// Why, in words.
    reason: &'static str,
    /// For a held one, when it was to be decided again; RFC 3339 in UTC.
    until: Option<String>,
}

/// Filters for the history.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// Only decisions about this inbox row.
    row_id: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 200.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Record>> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(PAGE_ENTRIES)) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let row_id = input.row_id.unwrap_or_default();
    let read = move |tx: &mut Tx<'_>| {
        let sql = "SELECT h.entry_id, h.decided_ms, h.row_id, h.kind, r.title, h.session_id, h.decision, h.reason, h.until_ms \
                   FROM notification_history h LEFT JOIN inbox_rows r ON r.account_id = h.account_id AND r.row_id = h.row_id \
                   WHERE h.account_id = $1 AND h.entry_id < $2 AND ($3 = '' OR h.row_id = $3) ORDER BY h.entry_id DESC LIMIT $4";
        let rows = tx.query(sql, params![call.account(), &before, &row_id, part.to_read()], |row| {
            let (name, until_ms): (&str, i64) = (row.get(7)?, row.get(8)?);
            let reason = Reason::ALL.into_iter().find(|reason| reason.name() == name);
            Ok(Record {
                id: row.get(0)?,
                at: rfc3339(row.get(1)?),
                row_id: row.get(2)?,
                kind: row.get(3)?,
                title: row.get(4)?,
                session_id: row.get(5)?,
                decision: row.get(6)?,
                reason: reason.map_or("Unknown reason.", Reason::text),
                until: (until_ms > 0).then(|| rfc3339(until_ms)),
            })
        })?;
        part.first_page(rows, |row| (&row.id).into())
    };
    ctx.db().read(read).await
}

/// Deletes old entries.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before = ctx.now_ms() - STORED_MS;
    let sql = "DELETE FROM notification_history WHERE account_id <> '' AND decided_ms < $1";
    ctx.db().write(move |tx| tx.execute(sql, params![before])).await.map(drop)
}

//! Dismissing many rows at once, and undoing that.

use crate::list::Filter;
use crate::rows::{DISMISSED, seen_ms};
use events::HasEvents;
use inbox_rows::{SUBJECT, settled_quietly, tell};
use kit::error::invalid;
use kit::ids::short_id;
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use store::{Change, HasDb, Tx, params};

/// Maximum ids in a request. A filter has no such limit.
const IDS_MAX: usize = 1_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "inbox.dismissAll",
            Method::Post,
            "/inbox/dismiss",
            CallerSet::PERSON,
            "Dismiss rows with these IDs, or all that match a filter. Rows that wait for an answer stay.",
            dismiss_all,
        )
        .example(r#"{"rowIds": ["{spareRowId}"], "match": {"projectId": "{hubId}", "boardId": "{boardId}", "sessionId": "{sessionId}"}}"#),
        Op::new(
            "inbox.restoreAll",
            Method::Post,
            "/inbox/restore",
            CallerSet::PERSON,
            "Undo a bulk dismissal within 30 days.",
            restore_all,
        )
        .example(r#"{"batchId": "{batchId}"}"#),
    ]
}

/// The rows to dismiss. Send `rowIds`, `match`, or both.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DismissAll {
    /// Up to 1000.
    #[schemars(length(min = 1, max = IDS_MAX))]
    row_ids: Option<Vec<String>>,
    /// All rows that match these filters; `{}` matches all open ones.
    #[serde(rename = "match")]
    filter: Option<Filter>,
    /// The newest `changedAt` of the rows you saw: rows that changed later stay. RFC 3339; ignored if omitted.
    #[schemars(length(max = 40))]
    seen_at: Option<String>,
}

/// What a bulk dismissal did.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DismissedAll {
    /// Undoes it (`inbox restoreAll`); null if no row was dismissed.
    batch_id: Option<String>,
    dismissed: i64,
    /// Rows that wait for an answer, which stay.
    waiting: i64,
}

/// A row about to be dismissed.
struct Target {
    id: String,
    session_id: Option<String>,
    waits: bool,
}

async fn dismiss_all(ctx: Ctx, call: Call, input: DismissAll) -> Result<DismissedAll> {
    let seen_ms = seen_ms(input.seen_at.as_deref())?;
    let of_filter = input.filter.as_ref().map(|filter| filter.condition(&ctx, &call)).transpose()?;
    match &input.row_ids {
        Some(ids) if ids.is_empty() || ids.len() > IDS_MAX => {
            let detail = format!("Use 1 to {IDS_MAX} IDs, or `match`.");
            return Err(invalid("/rowIds", kit::fault::WRONG_LENGTH, detail));
        }
        None if of_filter.is_none() => {
            return Err(invalid("/rowIds", kit::fault::MISSING, "Send `rowIds`, `match`, or both."));
        }
        _ => {}
    }
    let (now_ms, db) = (ctx.now_ms(), ctx.db());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        const TARGETS: &str = "SELECT row_id, session_id, need FROM inbox_rows";
        let target = |row: &dyn store::Row| {
            Ok(Target { id: row.get(0)?, session_id: row.get(1)?, waits: row.get::<i64>(2)? == 2 })
        };
        let (of, texts) = match &of_filter {
            Some(of) => (&*of.sql, of.params()),
            None => ("account_id = $1", vec![account.into()]),
        };
        let at = texts.len() + 1;
        let sql = format!("{TARGETS} WHERE {of} AND settled_ms = 0 AND changed_ms <= ${at}");
        let targets: Vec<Target> = match &input.row_ids {
            None => tx.query(&sql, &[texts, vec![seen_ms.into()]].concat(), target)?,
            Some(ids) => {
                let sql = format!("{sql} AND row_id = ${}", at + 1);
                let one = |id: &String| tx.query_opt(&sql, &[&*texts, params![seen_ms, id]].concat(), target);
                ids.iter()
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .map(one)
                    .filter_map(Result::transpose)
                    .collect::<Result<_>>()?
            }
        };
        let (waiting, dismissed): (Vec<_>, Vec<_>) = targets.into_iter().partition(|target| target.waits);
        let batch_id = short_id();
        let sql = "UPDATE inbox_rows SET settled_ms = $3, changed_ms = $3, read_ms = $3, outcome = $4, batch_id = $5, \
             snoozed_until_ms = 0, follow_up_ms = 0 WHERE account_id = $1 AND row_id = $2";
        for Target { id, .. } in &dismissed {
            tx.execute(sql, params![account, id, now_ms, DISMISSED, &batch_id])?;
            settled_quietly(tx, &ctx, account, id)?;
        }
        tell_once(tx, &ctx, account, &dismissed);
        let count = dismissed.len() as i64;
        record_batch(tx, &call, &batch_id, "dismissed", count, now_ms)?;
        let batch_id = (count > 0).then_some(batch_id);
        Ok(DismissedAll { batch_id, dismissed: count, waiting: waiting.len() as i64 })
    };
    db.write(write).await
}

/// Tells pages once for each session: whoever hears of one row reads all.
fn tell_once(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, rows: &[Target]) {
    let of_sessions: HashMap<Option<&str>, &str> =
        rows.iter().map(|row| (row.session_id.as_deref(), row.id.as_str())).collect();
    for (session, id) in of_sessions {
        tell(tx, &ctx.events(), account, session, id);
    }
}

fn record_batch(tx: &mut Tx<'_>, call: &Call, batch: &str, field: &str, rows: i64, now_ms: i64) -> Result<()> {
    let after = json!(rows);
    let change = Change { subject: SUBJECT, subject_id: batch, field, before: None, after: Some(&after) };
    tx.record(&call.caller, now_ms, change).map(drop)
}

/// Identifies a bulk dismissal.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RestoreAll {
    /// From the answer of the dismissal.
    batch_id: String,
}

/// What was restored.
#[derive(Debug, Serialize, JsonSchema)]
struct RestoredAll {
    restored: i64,
    /// Rows that stay dismissed: a newer row with the same key is in the inbox.
    skipped: i64,
}

async fn restore_all(ctx: Ctx, call: Call, input: RestoreAll) -> Result<RestoredAll> {
    let (now_ms, db) = (ctx.now_ms(), ctx.db());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        // Rows that were dismissed alone have an empty one.
        if input.batch_id.is_empty() {
            return Err(kit::not_found());
        }
        let batch = "account_id = $1 AND batch_id = $2 AND settled_ms > 0 AND outcome = 'dismissed'";
        let sql = format!("SELECT row_id, session_id FROM inbox_rows WHERE {batch}");
        let rows = tx.query(&sql, params![account, &input.batch_id], |row| {
            Ok(Target { id: row.get(0)?, session_id: row.get(1)?, waits: false })
        })?;
        if rows.is_empty() {
            return Err(kit::not_found());
        }
        let sql = format!(
            "UPDATE inbox_rows SET settled_ms = 0, outcome = '', batch_id = '', changed_ms = $3 WHERE {batch} \
             AND (row_key IS NULL OR NOT EXISTS (SELECT 1 FROM inbox_rows o WHERE o.account_id = $1 \
             AND o.row_key = inbox_rows.row_key AND o.settled_ms = 0))"
        );
        let restored = tx.execute(&sql, params![account, &input.batch_id, now_ms])? as i64;
        tell_once(tx, &ctx, account, &rows);
        record_batch(tx, &call, &input.batch_id, "restored", restored, now_ms)?;
        Ok(RestoredAll { restored, skipped: rows.len() as i64 - restored })
    };
    db.write(write).await
}

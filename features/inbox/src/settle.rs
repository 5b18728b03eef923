//! Settling an alert by whoever added it.

use crate::alert::row_key;
use crate::list::only_of;
use crate::rows::{RowRecord, RowState, one};
use events::PROGRAM;
use inbox_rows::{SUBJECT, settled};
use kit::text::{NAME, expect_name};
use kit::{Call, CallerSet, Ctx, Method, Op, Result, invalid};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::{Change, HasDb, Tx, params};

/// Maximum characters of an outcome.
const OUTCOME_CHARS_MAX: usize = 100;
/// Maximum characters of a key, as of an alert.
const KEY_CHARS_MAX: usize = 200;

pub(crate) fn op() -> Op {
    Op::new(
        "inbox.settle",
        Method::Post,
        "/inbox/settle",
        CallerSet::PERSON_AND_AGENTS,
        "Settle an alert that no longer needs attention. A session can settle its own. A settled alert can't change.",
        settle,
    )
    .example(r#"{"rowId": "{spareRowId}"}"#)
    .scope("alert:write")
}

/// An alert. Send `rowId` or `key`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Settle {
    row_id: Option<String>,
    /// The `key` that the alert was added with. Each session has its own.
    #[schemars(length(min = 1, max = KEY_CHARS_MAX), regex(pattern = NAME))]
    key: Option<String>,
    /// How it ended, in a few words. Default: `resolved`.
    #[schemars(length(min = 1, max = OUTCOME_CHARS_MAX), regex(pattern = NAME))]
    outcome: Option<String>,
}

async fn settle(ctx: Ctx, call: Call, input: Settle) -> Result<RowRecord> {
    if input.row_id.is_some() == input.key.is_some() {
        return Err(invalid("/rowId", kit::fault::ONE_OF, "Send `rowId` or `key`."));
    }
    let outcome = input.outcome.unwrap_or_else(|| "resolved".to_owned());
    expect_name(&outcome, OUTCOME_CHARS_MAX, "/outcome")?;
    // It's how dismissed rows are told from settled ones.
    if outcome == crate::rows::DISMISSED {
        return Err(invalid("/outcome", kit::fault::NOT_A_CHOICE, "Only users dismiss rows. Use another outcome."));
    }
    let (now_ms, db) = (ctx.now_ms(), ctx.db());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let id = match (&input.row_id, &input.key) {
            (Some(id), _) => id.clone(),
            (None, key) => {
                let session = call.caller.session.as_deref().or(call.source_session.as_deref());
                let key = row_key(session, key.as_deref().unwrap_or_default());
                let sql = "SELECT row_id FROM inbox_rows WHERE account_id = $1 AND row_key = $2 AND settled_ms = 0";
                tx.query_opt(sql, params![account, &key], |row| row.get(0))?.ok_or_else(kit::not_found)?
            }
        };
        let row = one(tx, account, &id)?;
        expect_own(&call, &row)?;
        if matches!(row.state, RowState::Open | RowState::Snoozed) {
            let sql = "UPDATE inbox_rows SET settled_ms = $3, changed_ms = $3, outcome = $4, snoozed_until_ms = 0, \
                 follow_up_ms = 0 WHERE account_id = $1 AND row_id = $2";
            let outcome = kit::ids::without_tokens(&outcome);
            tx.execute(sql, params![account, &id, now_ms, &*outcome])?;
            settled(tx, &ctx, account, row.session_id.as_deref(), &id)?;
            let after = json!(outcome);
            let change =
                Change { subject: SUBJECT, subject_id: &id, field: "outcome", before: None, after: Some(&after) };
            tx.record(&call.caller, now_ms, change)?;
        }
        one(tx, account, &id)
    };
    db.write(write).await
}

/// Rejects a row that the caller didn't add, and those that wait for an answer. To an agent, others' rows don't exist.
fn expect_own(call: &Call, row: &RowRecord) -> Result<()> {
    let session = only_of(call);
    let is_own = session.is_empty() || row.by.session_id.as_deref() == Some(&*session);
    let is_alert = row.by.kind != PROGRAM && row.need == 0;
    match (is_own, is_alert) {
        (true, true) => Ok(()),
        (true, false) => Err(crate::errors::NOT_AN_ALERT.error("The row isn't an alert of an agent or script.")),
        (false, _) => Err(kit::not_found()),
    }
}

//! Your versions of events where the server had a newer one: listed until you restore or dismiss them.

use crate::errors::guarded;
use crate::events::summary;
use crate::rows::{self, Undo};
use kit::{Call, CallerSet, Ctx, Done, Method, Op, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{HasDb, Tx, params};

pub(crate) fn ops() -> Vec<Op> {
    vec![
        guarded(Op::new(
            "calendar.conflicts.list",
            Method::Get,
            "/calendar/conflicts",
            CallerSet::PERSON,
            "List your event versions that a newer one from the server replaced, newest first. Restore one with `calendar.events.restore`.",
            list,
        ))
        .columns(&["undo", "title", "createdAt"]),
        guarded(Op::new(
            "calendar.conflicts.dismiss",
            Method::Delete,
            "/calendar/conflicts/{undo}",
            CallerSet::PERSON,
            "Dismiss your version of an event, and keep the server's.",
            dismiss,
        ))
        .permanent()
        .example(r#"{"undo": "{spareEventUndo}"}"#),
    ]
}

/// Your version of an event.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CalendarConflict")]
#[serde(rename_all = "camelCase")]
struct Conflict {
    /// Restores it with `calendar.events.restore`.
    undo: String,
    title: String,
    /// When the server's version replaced it; RFC 3339 in UTC.
    created_at: String,
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<Conflict>> {
    let read = move |tx: &mut Tx<'_>| {
        let sql = "SELECT undo_id, rows_json, created_ms FROM calendar_undos WHERE account_id = $1 AND is_conflict = 1 \
             ORDER BY created_ms DESC, undo_id";
        tx.query(sql, params![call.account()], |row| Ok((row.get(0)?, row.get::<String>(1)?, row.get::<i64>(2)?)))
    };
    let found: Vec<(String, String, i64)> = ctx.db().read(read).await?;
    let conflict = |(undo, rows, created_ms): (String, String, i64)| {
        let kept: Undo = serde_json::from_str(&rows).unwrap_or_default();
        let about = kept.before.first().map(summary).unwrap_or_default();
        let title = about["title"].as_str().unwrap_or_default().to_owned();
        Conflict { undo, title, created_at: rfc3339(created_ms) }
    };
    part.page(found.into_iter().map(conflict).collect(), |one| (&one.undo).into())
}

/// Names a version.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    undo: String,
}

async fn dismiss(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    ctx.db().write(move |tx: &mut Tx<'_>| rows::take_undo(tx, call.account(), &input.undo)).await.map(|_| Done)
}

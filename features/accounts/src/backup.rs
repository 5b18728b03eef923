//! A backup on request. Daily ones are made by the store.

use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb};

pub(crate) fn ops() -> Vec<Op> {
    vec![Op::new(
        "backup",
        Method::Post,
        "/backups",
        CallerSet::PERSON,
        "Back up the database now, to `backups` in the data directory, while Pilothouse runs. `pilothouse restore` restores \
         it. Only the 20 newest are stored. Attached files and transcripts aren't included: copy the `files` \
         and `transcripts` folders of the data directory too.",
        back_up,
    )]
}

/// An operation without input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// A backup.
#[derive(Serialize, JsonSchema)]
struct Backup {
    /// The file.
    file: String,
}

async fn back_up(ctx: Ctx, call: Call, _: NoParams) -> Result<Backup> {
    let db = ctx.db();
    let file = db.backup_now().await?;
    let name = json!(file.file_name().map(|name| name.to_string_lossy()));
    let now_ms = ctx.now_ms();
    let record = move |tx: &mut store::Tx<'_>| {
        let account = call.account().to_owned();
        let change =
            Change { subject: "account", subject_id: &account, field: "backup", before: None, after: Some(&name) };
        tx.record(&call.caller, now_ms, change).map(drop)
    };
    db.write(record).await?;
    Ok(Backup { file: file.display().to_string() })
}

//! The hub in which a session about a row starts.

use crate::rows::{RowId, one};
use crate::settings::alertSessionDefaultProjectId;
use kit::lookup::{AutomaticHub, Hubs};
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::HasDb;

pub(crate) fn op() -> Op {
    Op::new(
        "inbox.startHub",
        Method::Get,
        "/inbox/{rowId}/start-hub",
        CallerSet::PERSON,
        "Find the hub in which a session about a row starts: its own, the setting's, or the automatic one.",
        start_hub,
    )
    .example(r#"{"rowId": "{rowId}"}"#)
}

/// The hub in which a session starts.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StartHub {
    /// Null if there is none: choose one.
    project_id: Option<String>,
    /// Why another hub than the expected one was chosen; empty if none was.
    notice: String,
}

async fn start_hub(ctx: Ctx, call: Call, input: RowId) -> Result<StartHub> {
    let account = call.caller.account.clone();
    let of_account = account.clone();
    let row = ctx.db().read(move |tx| one(tx, &of_account, &input.row_id)).await?;
    let of_setting = ctx.setting(&account, &alertSessionDefaultProjectId);
    let mut notice = String::new();
    for (hub, missing) in [
        (row.project_id.unwrap_or_default(), "The row's hub was removed."),
        (of_setting.trim().to_owned(), "The hub in alertSessionDefaultProjectId doesn't exist."),
    ] {
        if hub.is_empty() {
            continue;
        }
        if is_hub(&ctx, &account, &hub).await? {
            return Ok(StartHub { project_id: Some(hub), notice });
        }
        notice = missing.to_owned();
    }
    let project_id = match ctx.find_service::<AutomaticHub>() {
        Some(hubs) => hubs.0.automatic(&account).await?,
        None => None,
    };
    Ok(StartHub { project_id, notice })
}

async fn is_hub(ctx: &Ctx, account: &str, hub: &str) -> Result<bool> {
    match ctx.find_service::<Hubs>() {
        Some(hubs) => Ok(hubs.0.missing(account, vec![hub.to_owned()]).await?.is_empty()),
        None => Ok(false),
    }
}

//! Forking a session: a new one continues its conversation from one of its messages.

use super::create::{ForkPlace, Forked, NewSession, begin_from};
use super::shared::{PROMPT_CHARS_MAX, Session};
use crate::records::{self, Fork, SessionRecord};
use crate::service::Sessions;
use crate::transcript::SessionKey;
use crate::working_dir::{Started, WorkingDir};
use crate::worktrees::{self, StartPoint, Worktree};
use crate::{errors, fault, fork};
use kit::text::TEXT;
use kit::{Call, Ctx, Result, invalid};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;
use store::HasDb;
use supervisor::policy::Origin;

/// A session, and where another one continues it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ForkParams {
    session_id: String,
    /// The number of the last transcript entry that the new session takes over. Default: the newest.
    #[schemars(range(min = 1))]
    entry: Option<i64>,
    /// The new session's first message.
    #[schemars(length(min = 1, max = PROMPT_CHARS_MAX), regex(pattern = TEXT))]
    prompt: String,
    /// Create a worktree for it, which starts at the last commit in the session's worktree, else at the hub's. Default:
    /// true if the session has a worktree. Otherwise, it works in the session's folder.
    worktree: Option<bool>,
}

pub(super) async fn fork(ctx: Ctx, call: Call, input: ForkParams) -> Result<Started<Session>> {
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let read_key = key.clone();
    let read = move |tx: &mut store::Tx<'_>| {
        let record = records::one(tx, &read_key.account, &read_key.session)?;
        Ok((record, worktrees::of_session(tx, &read_key.account, &read_key.session)?))
    };
    let (record, own) = ctx.db().read(read).await?;
    sessions.flush(&key).await;
    let last = sessions.common.transcripts.last(&key).await?;
    let entry = input.entry.unwrap_or(last);
    if entry < 1 || entry > last {
        let detail = format!("The transcript has the entries 1 to {last}.");
        return Err(invalid("/entry", fault::OUT_OF_RANGE, detail));
    }
    let message = fork::message_at(&sessions.common, &key, entry).await?;
    let is_own = input.worktree.unwrap_or(own.is_some());
    let place = match is_own {
        true => ForkPlace::Worktree(start_point(&sessions, &record, own.as_ref()).await),
        false => ForkPlace::Same(same_folder(&record).await?),
    };
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let new = NewSession {
        prompt: input.prompt,
        engine: Some(record.engine.clone()),
        project_id: text(&record.hub_id),
        worktree: is_own,
        model: text(&record.model),
        effort: text(&record.effort),
        mode: text(&record.mode),
        ..NewSession::default()
    };
    let fork = Fork { session: record.id, entry, message };
    let source = Forked { fork, is_locked: record.origin == Origin::Email, place };
    begin_from(ctx, call, new, false, Some(source)).await
}

/// The folder of the session that is forked.
async fn same_folder(record: &SessionRecord) -> Result<WorkingDir> {
    if !tokio::fs::try_exists(&record.cwd).await.unwrap_or(false) {
        let detail = format!("The session's folder {} no longer exists. Fork it into a worktree.", record.cwd);
        return Err(errors::HUB_FOLDER.error(detail));
    }
    Ok(WorkingDir { hub_id: record.hub_id.clone(), cwd: record.cwd.clone(), made: None })
}

/// The last commit in the session's worktree; where it began if the worktree is gone.
async fn start_point(sessions: &Sessions, record: &SessionRecord, own: Option<&Worktree>) -> Option<StartPoint> {
    let own = own?;
    let commit = match Path::new(&record.cwd).exists() {
        true => worktrees::base(&sessions.git(&record.cwd).await.ok()?).await.ok()?.commit,
        false => own.base_commit.clone(),
    };
    Some(StartPoint { commit, base: (own.base.clone(), own.base_commit.clone()) })
}

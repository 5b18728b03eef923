//! Operations on worktrees.

use super::rows::{self, Worktree};
use super::{refused, work};
use crate::errors;
use crate::hubs;
use crate::records;
use crate::service::Sessions;
use crate::transcript::SessionKey;
use kit::error::{CONFLICT, Result};
use kit::page::expect_within;
use kit::text::CURSOR;
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use store::{Change, HasDb};
use supervisor::state::Input;

/// Default number of worktrees in an answer: each one is inspected.
const LIST: i64 = 50;
/// Time for a session to stop before its worktree is removed.
const STOPS_WITHIN: Duration = Duration::from_secs(20);
/// Maximum worktrees in an answer.
const LIST_MAX: i64 = 200;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "worktrees.list",
            Method::Get,
            "/worktrees",
            CallerSet::PERSON_AND_AGENTS,
            "List worktrees of sessions, newest first, with their unsaved work.",
            list,
        )
        .example(r#"{"projectId": "{repositoryId}"}"#)
        .scope("sessions:read")
        .columns(&["id", "branch", "state", "dirty", "ahead", "behind", "folder"]),
        Op::new(
            "worktrees.delete",
            Method::Delete,
            "/worktrees/{worktreeId}",
            CallerSet::PERSON,
            "Move a worktree to Trash for 30 days. Send `keepWork` to save unsaved work to a branch first.",
            delete,
        )
        .example(r#"{"worktreeId": "{worktreeId}"}"#)
        .errors([&errors::WORKTREE, &errors::UNSAVED_WORK]),
        Op::new(
            "worktrees.restore",
            Method::Post,
            "/worktrees/{worktreeId}/restore",
            CallerSet::PERSON,
            "Restore a worktree from Trash.",
            restore,
        )
        .example(r#"{"worktreeId": "{goneWorktreeId}"}"#)
        .errors([&errors::WORKTREE]),
    ]
}

/// A worktree of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    session_id: String,
    /// The hub, which may have been removed since.
    project_id: String,
    folder: String,
    branch: String,
    /// The branch it started from; null if the hub was on none.
    base: Option<String>,
    /// `here`, `making`, `trash`, or `missing` if its folder is gone.
    state: String,
    /// Whether it has uncommitted files; null if unknown.
    dirty: Option<bool>,
    /// Commits its base doesn't have; null if unknown.
    ahead: Option<u64>,
    /// Commits of its base that it doesn't have; null if unknown.
    behind: Option<u64>,
    /// Size of its files in bytes; null if there are too many.
    size_bytes: Option<u64>,
    /// Why it couldn't be read, or null.
    trouble: Option<String>,
    /// RFC 3339 in UTC.
    created_at: String,
    /// When it was moved to the trash; RFC 3339 in UTC.
    removed_at: Option<String>,
}

/// Filters for worktrees.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// Only worktrees of this hub.
    project_id: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// 1 to 200. Default: 50.
    #[schemars(range(min = 1, max = LIST_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Record>> {
    let limit = expect_within(input.limit.unwrap_or(LIST), 1..=LIST_MAX, "/limit")?;
    let part = Part { cursor: input.cursor, limit: Some(limit) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let to_read = part.to_read();
    let list = move |tx: &mut store::Tx<'_>| {
        let hub = hubs::expect(tx, call.account(), input.project_id.as_deref())?;
        let own = call.caller.session.as_deref().unwrap_or_default();
        rows::list(tx, call.account(), (&hub.unwrap_or_default(), own), &before, to_read)
    };
    let found = ctx.db().read(list).await?;
    let page = part.first_page(found, |one| (&one.id).into())?;
    let sessions = ctx.service::<Sessions>();
    let mut items = Vec::new();
    for one in page.items {
        items.push(looked_at(&sessions, one).await);
    }
    Ok(Page { items, next_cursor: page.next_cursor })
}

async fn looked_at(sessions: &Sessions, one: Worktree) -> Record {
    let mut record = Record {
        id: one.id,
        session_id: one.session_id,
        project_id: one.hub_id,
        branch: one.branch,
        base: Some(one.base.clone()).filter(|base| !base.is_empty()),
        state: one.state,
        dirty: None,
        ahead: None,
        behind: None,
        size_bytes: None,
        trouble: None,
        created_at: rfc3339(one.created_ms),
        removed_at: (one.removed_ms > 0).then(|| rfc3339(one.removed_ms)),
        folder: one.folder,
    };
    if record.state == "trash" {
        return record;
    }
    if !tokio::fs::try_exists(&record.folder).await.unwrap_or(false) {
        record.state = "missing".to_owned();
        return record;
    }
    let looked = async {
        let git = sessions.git(&one.hub_folder).await?.reopened(Path::new(&record.folder)).await?;
        Ok((work::is_dirty(&git).await?, work::distance(&git, &one.base, &one.base_commit).await?))
    };
    match looked.await {
        Ok((dirty, (ahead, behind))) => {
            (record.dirty, record.ahead, record.behind) = (Some(dirty), Some(ahead), Some(behind));
        }
        Err(super::Failed(why)) => record.trouble = Some(why),
    }
    record.size_bytes = work::size(Path::new(&record.folder).into()).await;
    record
}

/// A worktree to remove.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Removal {
    worktree_id: String,
    /// First commit all unsaved work to a branch `pilothouse/rescued/…`.
    #[serde(default)]
    keep_work: bool,
    /// First stop its session, if that's active.
    #[serde(default)]
    stop_session: bool,
}

/// A removed worktree.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Removed {
    id: String,
    /// The branch with its saved work; null if none was needed.
    rescued_branch: Option<String>,
    /// When the restore period ends; RFC 3339 in UTC. Null if its folder was already gone.
    restorable_until: Option<String>,
}

async fn delete(ctx: Ctx, call: Call, input: Removal) -> Result<Removed> {
    let sessions = ctx.service::<Sessions>();
    let (account, id) = (call.caller.account.clone(), input.worktree_id);
    let read = async || {
        let (account, id) = (account.clone(), id.clone());
        let read = move |tx: &mut store::Tx<'_>| {
            let one = rows::one(tx, &account, &id)?;
            let session = records::one(tx, &account, &one.session_id).ok();
            Ok((one, session))
        };
        ctx.db().read(read).await
    };
    let (one, mut session) = read().await?;
    if one.state == "trash" {
        return Err(CONFLICT.error("This worktree is already in the trash."));
    }
    if input.stop_session && session.as_ref().is_some_and(|session| records::is_active(&session.life)) {
        let key = SessionKey { account: account.clone(), session: one.session_id.as_str().into() };
        let live = sessions.common.listeners.live(&key);
        let mut news = live.listen();
        // One that is stopping already is waited for too.
        let _ = sessions.apply_by(&key, Input::Stop { by_user: true }, &call.caller, "stop").await;
        let is_over = async {
            loop {
                session = read().await?.1;
                if session.as_ref().is_none_or(|session| !records::is_active(&session.life)) {
                    return Ok(());
                }
                let _ = news.changed().await;
            }
        };
        let _: std::result::Result<Result<()>, _> = tokio::time::timeout(STOPS_WITHIN, is_over).await;
    }
    if session.as_ref().is_some_and(|session| records::is_active(&session.life)) {
        return Err(CONFLICT.error("Its session is still active. Stop or archive the session first."));
    }
    let is_there = tokio::fs::try_exists(&one.folder).await.unwrap_or(true);
    let title = session.map_or_else(|| "session".to_owned(), |session| session.title);
    let rescued_branch = match is_there {
        true => sessions.trash_worktree(&account, &one, &title, input.keep_work).await?,
        false => None,
    };
    let now_ms = ctx.now_ms();
    let change = move |tx: &mut store::Tx<'_>| {
        let before = json!({"folder": one.folder, "branch": one.branch});
        match is_there {
            true => rows::set_state(tx, &account, &one.id, "trash", now_ms)?,
            false => rows::delete(tx, &account, &one.id)?,
        }
        let change = Change { subject: "worktree", subject_id: &one.id, field: "", before: Some(&before), after: None };
        tx.record(&call.caller, now_ms, change).map(drop)
    };
    ctx.db().write(change).await?;
    let restorable_until = is_there.then(|| rfc3339(now_ms + super::TRASH_MS));
    Ok(Removed { id, rescued_branch, restorable_until })
}

/// Identifies a worktree.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WorktreeId {
    worktree_id: String,
}

async fn restore(ctx: Ctx, call: Call, input: WorktreeId) -> Result<Record> {
    let sessions = ctx.service::<Sessions>();
    let (account, id) = (call.caller.account.clone(), input.worktree_id.clone());
    let one = ctx.db().read(move |tx| rows::one(tx, &account, &id)).await?;
    if one.state != "trash" {
        return Err(CONFLICT.error("This worktree isn't in the trash."));
    }
    let repository = sessions.git(&one.hub_folder).await.map_err(refused)?;
    let trash = sessions.trash_folder(call.account(), &one.id);
    work::move_to(&repository, &trash, Path::new(&one.folder)).await.map_err(refused)?;
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut store::Tx<'_>| {
        rows::set_state(tx, call.account(), &one.id, "here", 0)?;
        let after = json!({"folder": one.folder, "branch": one.branch});
        let change = Change { subject: "worktree", subject_id: &one.id, field: "", before: None, after: Some(&after) };
        tx.record(&call.caller, now_ms, change)?;
        rows::one(tx, call.account(), &one.id)
    };
    let one = ctx.db().write(write).await?;
    Ok(looked_at(&sessions, one).await)
}

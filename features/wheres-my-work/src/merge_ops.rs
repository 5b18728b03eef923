//! Operations that merge all ready branches.

use crate::errors::{MERGE_RUNNING, WORK_DISABLED};
use crate::merges::{Merges, Outcome, Run, Step};
use crate::settings::wheresMyWorkEnabled;
use futures_util::StreamExt;
use futures_util::stream;
use kit::error::unknown;
use kit::fault::{UNKNOWN_HUB, UNKNOWN_SESSION};
use kit::lookup::{BranchSession, Hubs, Landing, SessionBranches};
use kit::text::CURSOR;
use kit::{Call, Caller, CallerSet, Created, Ctx, Method, Op, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb};

/// Branches that are checked at once.
const AT_ONCE: usize = 4;
/// Maximum sessions of one request.
const SESSIONS_MAX: usize = 1_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "work.merges.preview",
            Method::Get,
            "/work/merges/preview",
            CallerSet::PERSON,
            "List the branches of sessions in the order in which they'd be merged, and why any can't be merged.",
            preview,
        )
        .example(r#"{"hubId": "{repositoryId}"}"#)
        .switch(&wheresMyWorkEnabled, &WORK_DISABLED)
        .columns(&["state", "title", "branch", "into", "detail"]),
        Op::new(
            "work.merges.list",
            Method::Get,
            "/work/merges",
            CallerSet::PERSON,
            "List merges of all ready branches since Pilothouse started, newest first.",
            list,
        )
        .switch(&wheresMyWorkEnabled, &WORK_DISABLED)
        .columns(&["id", "startedAt", "endedAt"]),
        Op::new(
            "work.merges.create",
            Method::Post,
            "/work/merges",
            CallerSet::PERSON,
            "Merge all ready branches of sessions into their bases: one at a time, oldest first. Branches with conflicts or \
             uncommitted changes are skipped.",
            create,
        )
        .example(r#"{"hubId": "{repositoryId}", "sessionIds": ["{uncommittedSessionId}"]}"#)
        .synonyms("merge all ready branches land")
        .switch(&wheresMyWorkEnabled, &WORK_DISABLED)
        .errors([&MERGE_RUNNING]),
        Op::new(
            "work.merges.get",
            Method::Get,
            "/work/merges/{mergeId}",
            CallerSet::PERSON,
            "Get a merge of all ready branches, with the result of each.",
            get,
        )
        .example(r#"{"mergeId": "{mergeId}"}"#)
        .switch(&wheresMyWorkEnabled, &WORK_DISABLED),
        Op::new(
            "work.merges.cancel",
            Method::Post,
            "/work/merges/{mergeId}/cancel",
            CallerSet::PERSON,
            "Cancel a merge of all ready branches. Merged branches stay merged.",
            cancel,
        )
        .example(r#"{"mergeId": "{mergeId}"}"#)
        .switch(&wheresMyWorkEnabled, &WORK_DISABLED),
    ]
}

/// A branch of a merge.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BranchMerge {
    session_id: String,
    /// The session's title.
    title: String,
    branch: String,
    /// `ready`, `waiting`, `merging`, `merged`, `conflict`, `skipped`, or `canceled`.
    state: &'static str,
    /// The base branch; null if unknown.
    into: Option<String>,
    /// The base's commit after the merge.
    commit: Option<String>,
    /// Files that conflict.
    files: Vec<String>,
    /// Why it was skipped; empty for all others.
    detail: String,
}

impl From<Step> for BranchMerge {
    fn from(Step { session, outcome }: Step) -> BranchMerge {
        let into = Some(session.base).filter(|base| !base.is_empty());
        let (mut commit, mut files, mut detail) = (None, Vec::new(), String::new());
        let state = match outcome {
            Outcome::Waiting => "waiting",
            Outcome::Merging => "merging",
            Outcome::Canceled => "canceled",
            Outcome::Failed(why) => {
                detail = why;
                "skipped"
            }
            Outcome::Landing(Landing::Ready { .. }) => "ready",
            Outcome::Landing(Landing::Merged { commit: of, .. }) => {
                commit = Some(of);
                "merged"
            }
            Outcome::Landing(Landing::Conflicts { files: of, .. }) => {
                files = of;
                "conflict"
            }
            Outcome::Landing(Landing::Skipped { reason }) => {
                detail = reason;
                "skipped"
            }
        };
        BranchMerge {
            session_id: session.id,
            title: session.title,
            branch: session.branch,
            state,
            into,
            commit,
            files,
            detail,
        }
    }
}

/// A merge of all ready branches.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MergeRun")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    /// RFC 3339 in UTC.
    started_at: String,
    /// RFC 3339 in UTC; null while it's running.
    ended_at: Option<String>,
    branches: Vec<BranchMerge>,
}

impl From<&Run> for Record {
    fn from(run: &Run) -> Record {
        let (steps, ended_ms) = run.now();
        Record {
            id: run.id.clone(),
            started_at: rfc3339(run.started_ms),
            ended_at: ended_ms.map(rfc3339),
            branches: steps.into_iter().map(BranchMerge::from).collect(),
        }
    }
}

/// The account's sessions with a worktree that aren't archived, oldest first.
async fn sessions(ctx: &Ctx, account: &str, hub: Option<&str>) -> Result<Vec<BranchSession>> {
    if let Some(hub) = hub
        && !ctx.service::<Hubs>().0.missing(account, vec![hub.to_owned()]).await?.is_empty()
    {
        return Err(unknown(UNKNOWN_HUB, "/hubId"));
    }
    let mut all = ctx.service::<SessionBranches>().0.all(account).await?;
    all.retain(|one| !one.is_archived && !one.branch.is_empty());
    all.retain(|one| hub.is_none() || one.hub.as_deref() == hub);
    all.reverse();
    Ok(all)
}

/// Selects branches to preview.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "MergePreviewParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PreviewParams {
    /// Only sessions of this hub.
    hub_id: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn preview(ctx: Ctx, call: Call, input: PreviewParams) -> Result<Page<BranchMerge>> {
    let part = Part { cursor: input.cursor, limit: input.limit };
    let all = sessions(&ctx, call.account(), input.hub_id.as_deref()).await?;
    let page = part.page(all, |one| (&one.id).into())?;
    let branches = ctx.service::<SessionBranches>();
    let check = |session: BranchSession| {
        let checked = branches.0.check(&call.caller, &session.id);
        async move {
            let outcome = match checked.await {
                Ok(landing) => Outcome::Landing(landing),
                Err(why) => Outcome::Failed(why.detail().to_owned()),
            };
            BranchMerge::from(Step { session, outcome })
        }
    };
    let items = stream::iter(page.items).map(check).buffered(AT_ONCE).collect().await;
    Ok(Page { items, next_cursor: page.next_cursor })
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<Record>> {
    let all = ctx.service::<Merges>().of_account(call.account());
    part.page(all.iter().map(|run| Record::from(&**run)).collect(), |run| (&run.id).into())
}

/// The branches to merge.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewMergeRun")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewRun {
    /// Only sessions of this hub.
    hub_id: Option<String>,
    /// Only these sessions. Default: all.
    #[schemars(length(max = SESSIONS_MAX))]
    session_ids: Option<Vec<String>>,
}

async fn create(ctx: Ctx, call: Call, input: NewRun) -> Result<Created<Record>> {
    let mut all = sessions(&ctx, call.account(), input.hub_id.as_deref()).await?;
    if let Some(wanted) = &input.session_ids {
        if let Some(at) = wanted.iter().position(|id| all.iter().all(|one| one.id != *id)) {
            return Err(unknown(UNKNOWN_SESSION, format!("/sessionIds/{at}")));
        }
        all.retain(|one| wanted.contains(&one.id));
    }
    let ids: Vec<String> = all.iter().map(|one| one.id.clone()).collect();
    let run = ctx.service::<Merges>().start(&ctx, &call.caller, all)?;
    record(&ctx, &call.caller, &run.id, "", json!({"sessionIds": ids})).await?;
    Ok(Created { location: format!("/work/merges/{}", run.id), record: Record::from(&*run) })
}

/// Identifies a merge.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "MergeRunId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct MergeId {
    merge_id: String,
}

async fn get(ctx: Ctx, call: Call, input: MergeId) -> Result<Record> {
    Ok(Record::from(&*ctx.service::<Merges>().one(call.account(), &input.merge_id)?))
}

async fn cancel(ctx: Ctx, call: Call, input: MergeId) -> Result<Record> {
    let run = ctx.service::<Merges>().one(call.account(), &input.merge_id)?;
    run.cancel();
    record(&ctx, &call.caller, &run.id, "canceled", json!(true)).await?;
    Ok(Record::from(&*run))
}

/// Records that a merge was started or canceled. What it merged is recorded with each session.
async fn record(ctx: &Ctx, caller: &Caller, id: &str, field: &'static str, after: Value) -> Result<()> {
    let (caller, id, now_ms) = (caller.clone(), id.to_owned(), ctx.now_ms());
    let write = move |tx: &mut store::Tx<'_>| {
        let change = Change { subject: "merge", subject_id: &id, field, before: None, after: Some(&after) };
        tx.record(&caller, now_ms, change)
    };
    ctx.db().write(write).await.map(drop)
}

//! Operations on branches.

use crate::errors::{BRANCH_GIT, BRANCH_NOT_LANDED, WORK_DISABLED};
use crate::fault::UNKNOWN_COMMIT;
use crate::scan;
use crate::service::{RepositoryRow, Row, Work};
use crate::settings::wheresMyWorkEnabled;
use crate::sort::Group;
use git::{Failed, is_branch};
use kit::error::unknown;
use kit::fault::WRONG_FORMAT;
use kit::text::CURSOR;
use kit::{Call, Caller, CallerSet, Ctx, Method, Op, Part, Result, SessionsSeen, invalid, not_found, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb};

/// Branches in a page unless another number is asked for.
const PAGE: i64 = 100;
/// Maximum characters of a branch's name.
const BRANCH_CHARS_MAX: usize = 200;
/// For schemas: the hash of a commit.
const COMMIT: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "work.list",
            Method::Get,
            "/work",
            CallerSet::PERSON_AND_AGENTS,
            "List the local branches of all known repositories, sorted into stranded, in work, waiting on review, turned \
             down, and landed.",
            list,
        )
        .example(r#"{"repositoryId": "{workRepositoryId}"}"#)
        .scope("sessions:read")
        .synonyms("where is my work branches merged unmerged stranded lost review pull requests")
        .switch(&wheresMyWorkEnabled, &WORK_DISABLED)
        .columns(&["group", "repository", "branch", "ahead", "behind", "reason"]),
        Op::new(
            "work.delete",
            Method::Delete,
            "/work/{branchId}",
            CallerSet::PERSON,
            "Delete a landed branch. Returns what `work.restore` needs.",
            delete,
        )
        .example(r#"{"branchId": "{landedBranchId}"}"#)
        .switch(&wheresMyWorkEnabled, &WORK_DISABLED)
        .errors([&BRANCH_NOT_LANDED, &BRANCH_GIT]),
        Op::new(
            "work.restore",
            Method::Post,
            "/work/restore",
            CallerSet::PERSON,
            "Restore a deleted branch at its commit.",
            restore,
        )
        .example(r#"{"repositoryId": "{workRepositoryId}", "branch": "restored", "commit": "{workCommit}"}"#)
        .switch(&wheresMyWorkEnabled, &WORK_DISABLED)
        .errors([&BRANCH_GIT]),
    ]
}

/// A branch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkBranch")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    repository_id: String,
    /// The repository's name.
    repository: String,
    branch: String,
    group: Group,
    /// Why it's in this group.
    reason: String,
    /// What it's compared with: a branch, or its upstream if that is ahead.
    base: String,
    /// Commits that the base doesn't have; null if unknown.
    ahead: Option<u64>,
    /// Commits of the base that it doesn't have; null if unknown.
    behind: Option<u64>,
    /// Its last commit.
    commit: String,
    /// The first line of that commit's message.
    subject: String,
    /// The time of that commit; RFC 3339 in UTC.
    committed_at: String,
    /// The session on it; null without one, and for agents that don't see it.
    session_id: Option<String>,
    session_title: Option<String>,
    /// The address of its pull request.
    pull_request: Option<String>,
    /// The folder in which it's checked out; null if nowhere, and for agents that don't see the session there.
    worktree: Option<String>,
    /// The hub of its repository; null without one.
    hub_id: Option<String>,
    /// Whether `work.delete` accepts it.
    is_deletable: bool,
}

impl Record {
    fn new(row: Row, repositories: &[RepositoryRow], seen: &SessionsSeen) -> Record {
        let of = repositories.iter().find(|one| one.id == row.repository);
        let session = row.session.filter(|(id, parent, _)| seen.shows(id, parent.as_deref()));
        let (session_id, session_title) = session.map(|(id, _, title)| (id, title)).unzip();
        let (ahead, behind) = row.distance.unzip();
        // A worktree's folder is named after its session.
        let is_worktree_seen = matches!(seen, SessionsSeen::All) || session_id.is_some();
        Record {
            id: row.id,
            repository: of.map(|one| one.name.clone()).unwrap_or_default(),
            hub_id: of.and_then(|one| one.hub.clone()),
            repository_id: row.repository,
            branch: row.branch,
            group: row.group,
            reason: row.reason,
            base: row.base,
            ahead,
            behind,
            commit: row.commit,
            subject: row.subject,
            committed_at: rfc3339(row.committed_s.saturating_mul(1_000)),
            session_id,
            session_title,
            pull_request: row.pull_request,
            worktree: row.worktree.filter(|_| is_worktree_seen),
            is_deletable: row.is_deletable,
        }
    }
}

/// A repository.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkRepository")]
#[serde(rename_all = "camelCase")]
struct RepositoryRecord {
    id: String,
    /// The name of its hub, else of its folder.
    name: String,
    folder: String,
    hub_id: Option<String>,
    /// What its branches are compared with; empty if it has no base branch.
    base: String,
    /// Whether pull requests are known, from `gh`. Otherwise, pushed branches count as waiting on review.
    has_pull_requests: bool,
    /// What limits what is known of it, with what to do.
    notes: Vec<String>,
}

impl From<RepositoryRow> for RepositoryRecord {
    fn from(row: RepositoryRow) -> RepositoryRecord {
        let RepositoryRow { id, name, folder, hub, base, is_host_known, notes } = row;
        RepositoryRecord { id, name, folder, hub_id: hub, base, has_pull_requests: is_host_known, notes }
    }
}

/// Numbers of branches by group.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "WorkCounts")]
#[serde(rename_all = "camelCase")]
struct Counts {
    stranded: usize,
    in_work: usize,
    review: usize,
    turned_down: usize,
    landed: usize,
}

/// How far the check of branches is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkProgress")]
#[serde(rename_all = "camelCase")]
struct Progress {
    /// Whether all branches are checked. Otherwise, list them again.
    is_done: bool,
    checked: usize,
    /// The branches found so far.
    total: usize,
}

/// A page of branches: by group, then the newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkPage")]
#[serde(rename_all = "camelCase")]
struct Branches {
    items: Vec<Record>,
    /// `cursor` of the next page; null on the last.
    next_cursor: Option<String>,
    counts: Counts,
    progress: Progress,
    repositories: Vec<RepositoryRecord>,
}

/// Selects branches.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "WorkListParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ListParams {
    /// Only this group.
    group: Option<Group>,
    /// Only this repository, also in `counts`.
    repository_id: Option<String>,
    /// Checks the repositories now, also if that was less than 30 seconds ago.
    #[serde(default)]
    refresh: bool,
    /// Answers at once with what is known so far, instead of after the check (at most 20 seconds).
    #[serde(default)]
    no_wait: bool,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 100.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: ListParams) -> Result<Branches> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(PAGE)) };
    part.after()?;
    let work = ctx.service::<Work>();
    // Further pages are of the same result.
    if part.cursor.is_none() {
        scan::start(&work, &ctx, call.account(), input.refresh);
        if !input.no_wait {
            work.wait(call.account()).await;
        }
    }
    let mut found = work.known(call.account());
    if let Some(repository) = &input.repository_id {
        found.rows.retain(|row| row.repository == *repository);
    }
    let count = |group: Group| found.rows.iter().filter(|row| row.group == group).count();
    let counts = Counts {
        stranded: count(Group::Stranded),
        in_work: count(Group::InWork),
        review: count(Group::Review),
        turned_down: count(Group::TurnedDown),
        landed: count(Group::Landed),
    };
    let seen = call.caller.sessions_seen();
    let wanted: Vec<Row> =
        found.rows.into_iter().filter(|row| input.group.is_none_or(|group| row.group == group)).collect();
    let page = part.page(wanted, |row| (&row.id).into())?;
    let record = |row| Record::new(row, &found.repositories, &seen);
    Ok(Branches {
        items: page.items.into_iter().map(record).collect(),
        next_cursor: page.next_cursor,
        counts,
        progress: Progress { is_done: found.is_done, checked: found.checked, total: found.total },
        repositories: found.repositories.into_iter().map(RepositoryRecord::from).collect(),
    })
}

/// Identifies a branch.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "WorkBranchId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct BranchId {
    branch_id: String,
}

/// A deleted branch, as `work.restore` takes it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeletedBranch")]
#[serde(rename_all = "camelCase")]
struct Deleted {
    repository_id: String,
    branch: String,
    /// The commit that it was at.
    commit: String,
}

fn failed(why: Failed) -> kit::Error {
    BRANCH_GIT.error(why.0)
}

async fn delete(ctx: Ctx, call: Call, input: BranchId) -> Result<Deleted> {
    let work = ctx.service::<Work>();
    let found = work.known(call.account());
    let row = found.rows.into_iter().find(|row| row.id == input.branch_id).ok_or_else(not_found)?;
    let of = found.repositories.iter().find(|one| one.id == row.repository).ok_or_else(not_found)?;
    let repository = scan::repository(&work, of).await.map_err(failed)?;
    let is_landed = scan::is_landed(&work, &repository, (&row.branch, &row.commit), &row.base).await;
    if !is_landed.map_err(failed)? {
        let detail = format!("{} changed, is checked out, or has work that {} doesn't have.", row.branch, row.base);
        return Err(BRANCH_NOT_LANDED.error(detail));
    }
    // Only if nobody moved it since.
    let name = format!("refs/heads/{}", row.branch);
    repository.git.run(&["update-ref", "-d", &name, &row.commit]).await.map_err(failed)?;
    work.forget(call.account(), &row.id);
    let before = json!({"repository": of.folder, "branch": row.branch, "commit": row.commit});
    record(&ctx, &call.caller, &row.id, [Some(before), None]).await?;
    Ok(Deleted { repository_id: row.repository, branch: row.branch, commit: row.commit })
}

/// A branch to restore.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "BranchToRestore")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Restore {
    repository_id: String,
    #[schemars(length(min = 1, max = BRANCH_CHARS_MAX))]
    branch: String,
    /// The commit that it was at.
    #[schemars(regex(pattern = COMMIT))]
    commit: String,
}

async fn restore(ctx: Ctx, call: Call, input: Restore) -> Result<kit::Done> {
    let Restore { repository_id, branch, commit } = input;
    let is_hash =
        matches!(commit.len(), 40 | 64) && commit.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if !is_hash {
        return Err(invalid("/commit", WRONG_FORMAT, "Send the commit's whole hash."));
    }
    if !is_branch(&branch) {
        return Err(invalid("/branch", WRONG_FORMAT, "Git doesn't accept this branch name."));
    }
    let work = ctx.service::<Work>();
    let found = work.known(call.account());
    let of = found.repositories.iter().find(|one| one.id == repository_id).ok_or_else(not_found)?;
    let repository = scan::repository(&work, of).await.map_err(failed)?;
    let name = format!("refs/heads/{branch}");
    let whole = format!("{commit}^{{commit}}");
    if !repository.git.try_run(&["rev-parse", "--verify", "--quiet", &whole]).await.map_err(failed)?.0 {
        return Err(unknown(UNKNOWN_COMMIT, "/commit"));
    }
    // Only if no branch has this name.
    let none = "0".repeat(commit.len());
    repository.git.run(&["update-ref", "-m", "Restored", &name, &commit, &none]).await.map_err(failed)?;
    let after = json!({"repository": of.folder, "branch": branch, "commit": commit});
    record(&ctx, &call.caller, &repository_id, [None, Some(after)]).await?;
    scan::start(&work, &ctx, call.account(), true);
    Ok(kit::Done)
}

/// Records that a branch was deleted or restored.
async fn record(ctx: &Ctx, caller: &Caller, id: &str, [before, after]: [Option<Value>; 2]) -> Result<()> {
    let (caller, id, now_ms) = (caller.clone(), id.to_owned(), ctx.now_ms());
    let write = move |tx: &mut store::Tx<'_>| {
        let (before, after) = (before.as_ref(), after.as_ref());
        tx.record(&caller, now_ms, Change { subject: "branch", subject_id: &id, field: "", before, after })
    };
    ctx.db().write(write).await.map(drop)
}

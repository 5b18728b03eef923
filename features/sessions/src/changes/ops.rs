//! Operations on the changes of a session.

use super::compare::{self, ChangedFile, FileStatus, Stage};
use super::land::{self, Chosen, Merged};
use super::revert::{self, Part, Refused};
use super::stage::{self, Move};
use super::{Review, notices, pull, refused};
use crate::ops::SessionId;
use crate::service::Sessions;
use crate::worktrees;
use crate::{errors, fault};
use ::git::{Failed, Git};
use kit::error::{CONFLICT, NOT_FOUND, Result};
use kit::{Call, Caller, CallerSet, Ctx, Method, Op, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb};

/// Maximum characters of a commit message, and of a pull request's description.
const MESSAGE_CHARS_MAX: usize = 20_000;
/// Maximum characters of a path.
const PATH_CHARS_MAX: usize = 500;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.changes.list",
            Method::Get,
            "/sessions/{sessionId}/changes",
            CallerSet::PERSON,
            "List the files in a session's folder that differ from its base.",
            list,
        )
        .example(r#"{"sessionId": "{reviewedSessionId}"}"#)
        .synonyms("diff review modified files git status")
        .errors([&errors::WORKTREE])
        .columns(&["branch", "base", "ahead", "behind", "isDirty", "files"]),
        Op::new(
            "sessions.changes.file",
            Method::Get,
            "/sessions/{sessionId}/changes/file",
            CallerSet::PERSON,
            "Get the changes to one file as a patch.",
            file,
        )
        .example(r#"{"sessionId": "{reviewedSessionId}", "path": "new.txt"}"#)
        .errors([&errors::WORKTREE]),
        Op::new(
            "sessions.changes.revert",
            Method::Post,
            "/sessions/{sessionId}/changes/revert",
            CallerSet::PERSON,
            "Revert a file, or one hunk of it, to the base. Can be restored.",
            revert,
        )
        .example(r#"{"sessionId": "{reviewedSessionId}", "path": "new.txt"}"#)
        .errors([&errors::WORKTREE, &errors::CHANGED_FILE]),
        Op::new(
            "sessions.changes.restore",
            Method::Post,
            "/sessions/{sessionId}/changes/restore",
            CallerSet::PERSON,
            "Restore a reverted file or hunk.",
            restore,
        )
        .example(r#"{"sessionId": "{revertedSessionId}", "undoId": "{undoId}"}"#)
        .errors([&errors::WORKTREE]),
        Op::new(
            "sessions.changes.stage",
            Method::Post,
            "/sessions/{sessionId}/changes/stage",
            CallerSet::PERSON,
            "Stage a file, or one hunk of it, for the next commit.",
            stage,
        )
        .example(r#"{"sessionId": "{dirtySessionId}", "path": "new.txt"}"#)
        .synonyms("git add index")
        .errors([&errors::WORKTREE, &errors::CHANGED_FILE]),
        Op::new(
            "sessions.changes.unstage",
            Method::Post,
            "/sessions/{sessionId}/changes/unstage",
            CallerSet::PERSON,
            "Unstage a file, or one hunk of it. Files in the folder don't change.",
            unstage,
        )
        .example(r#"{"sessionId": "{stagedSessionId}", "path": "new.txt"}"#)
        .synonyms("git reset restore index")
        .errors([&errors::WORKTREE, &errors::CHANGED_FILE]),
        Op::new(
            "sessions.changes.commit",
            Method::Post,
            "/sessions/{sessionId}/changes/commit",
            CallerSet::PERSON,
            "Commit changes in the session's folder. Hooks and signing are skipped.",
            commit,
        )
        .example(r#"{"sessionId": "{dirtySessionId}", "message": "Add a file"}"#)
        .errors([&errors::WORKTREE]),
        Op::new(
            "sessions.changes.merge",
            Method::Post,
            "/sessions/{sessionId}/changes/merge",
            CallerSet::PERSON,
            "Merge a worktree's branch into its base branch. On conflicts, nothing changes.",
            merge,
        )
        .example(r#"{"sessionId": "{committedSessionId}"}"#)
        .errors([&errors::WORKTREE, &errors::MERGE_CONFLICTS, &errors::UNSAVED_WORK]),
        Op::new(
            "sessions.changes.publish",
            Method::Post,
            "/sessions/{sessionId}/changes/publish",
            CallerSet::PERSON,
            "Push the branch and open a pull request: with `gh` if it's installed, else on the host's compare page.",
            publish,
        )
        .example(r#"{"sessionId": "{publishedSessionId}"}"#)
        .synonyms("pull request push github gitlab")
        .errors([&errors::WORKTREE]),
        Op::new(
            "sessions.changes.pull",
            Method::Get,
            "/sessions/{sessionId}/changes/pull",
            CallerSet::PERSON,
            "Get the branch's pull request on GitHub, with its checks and review comments. Uses `gh`.",
            pull::get,
        )
        .example(r#"{"sessionId": "{reviewedSessionId}"}"#)
        .synonyms("pull request checks ci review comments")
        .errors([&errors::WORKTREE]),
        Op::new(
            "sessions.changes.pullLog",
            Method::Get,
            "/sessions/{sessionId}/changes/pull/log",
            CallerSet::PERSON,
            "Get the log of a failed check. Uses `gh`.",
            pull::log,
        )
        .example(r#"{"sessionId": "{reviewedSessionId}", "jobId": "1"}"#)
        .errors([&errors::WORKTREE]),
    ]
}

/// A changed file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangedFile")]
#[serde(rename_all = "camelCase")]
struct Changed {
    /// Relative to the top of the repository.
    path: String,
    /// The previous path of a renamed file.
    old_path: Option<String>,
    status: FileStatus,
    /// Added lines; null if not counted.
    added: Option<u64>,
    /// Removed lines; null if not counted.
    removed: Option<u64>,
    /// Whether it's binary, or too large to compare.
    is_binary: bool,
    /// Whether it's a submodule: only its commit is compared.
    is_submodule: bool,
    /// Which of its uncommitted changes are staged.
    stage: Stage,
}

impl From<ChangedFile> for Changed {
    fn from(file: ChangedFile) -> Changed {
        let ChangedFile { path, old_path, status, lines, is_binary, is_submodule, stage } = file;
        let (added, removed) = lines.unzip();
        Changed { path, old_path, status, added, removed, is_binary, is_submodule, stage }
    }
}

/// What a session's folder changes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SessionChanges")]
#[serde(rename_all = "camelCase")]
struct Changes {
    /// By path; at most 5,000.
    files: Vec<Changed>,
    /// Whether files were left out.
    is_partial: bool,
    /// Number of files left out, at least.
    left_out: usize,
    /// The current branch; null if the folder is on none.
    branch: Option<String>,
    /// The branch that a worktree started from; null for other folders.
    base: Option<String>,
    /// The commit that files are compared with.
    base_commit: String,
    /// Whether there are uncommitted changes.
    is_dirty: bool,
    /// Commits that the base doesn't have; null without a base.
    ahead: Option<u64>,
    /// Commits of the base that the branch doesn't have; null without a base.
    behind: Option<u64>,
    /// A proposed commit message.
    message: String,
    /// The remote's address; null without one.
    remote: Option<String>,
    /// Whether `gh` opens pull requests; otherwise the host's compare page does.
    has_gh: bool,
    /// A merge, rebase, or similar operation in progress, such as `rebase`; null if there is none.
    in_progress: Option<&'static str>,
    /// What to know before a commit, merge, or push here, with what to do.
    notices: Vec<String>,
    /// The session's own worktree; null if it works in the hub's folder.
    worktree_id: Option<String>,
}

async fn list(ctx: Ctx, call: Call, input: SessionId) -> Result<Changes> {
    let sessions = ctx.service::<Sessions>();
    let review = sessions.review(call.account(), &input.session_id).await?;
    changes(&sessions, review).await.map_err(refused)
}

async fn changes(sessions: &Sessions, review: Review) -> std::result::Result<Changes, Failed> {
    let git = &review.git;
    let base = review.worktree.as_ref().map(|one| one.base.clone()).filter(|base| !base.is_empty());
    let distance = async {
        match &review.worktree {
            Some(one) => worktrees::distance(git, &one.base, &one.base_commit).await.map(Some),
            None => Ok(None),
        }
    };
    let base_name = base.as_deref().unwrap_or_default();
    let looked = tokio::try_join!(
        compare::uncommitted(git),
        worktrees::submodules(git),
        distance,
        land::remote(git, base_name),
        git.in_progress()
    );
    let (uncommitted, submodules, distance, remote, in_progress) = looked?;
    let (files, dirty) = tokio::try_join!(
        compare::files(git, &review.base, &uncommitted, &submodules, &review.private),
        worktrees::dirty_submodules(git)
    )?;
    let (files, left_out) = files;
    let notices = notices::read(&review, base.as_deref(), &dirty, remote.is_some()).await?;
    let (ahead, behind) = distance.unzip();
    Ok(Changes {
        is_partial: left_out > 0,
        left_out,
        is_dirty: uncommitted.is_dirty() || !dirty.is_empty(),
        remote: remote.map(|remote| remote.url),
        has_gh: engines::probe::find("gh", &sessions.common.host.machine).is_some(),
        in_progress,
        message: proposed(&review.title, &files),
        files: files.into_iter().map(Changed::from).collect(),
        notices,
        branch: review.branch,
        base,
        base_commit: review.base,
        ahead,
        behind,
        worktree_id: review.worktree.map(|one| one.id),
    })
}

/// The session's title, else what happened to the files that aren't committed.
fn proposed(title: &str, files: &[ChangedFile]) -> String {
    if !title.trim().is_empty() {
        return title.trim().to_owned();
    }
    let open: Vec<&ChangedFile> = files.iter().filter(|file| file.stage != Stage::Committed).collect();
    let is_all = |status: FileStatus| open.iter().all(|file| file.status == status);
    let verb = match open[..] {
        [] => return String::new(),
        _ if is_all(FileStatus::Added) => "Add",
        _ if is_all(FileStatus::Deleted) => "Delete",
        _ if is_all(FileStatus::Renamed) => "Rename",
        _ => "Update",
    };
    let name = |file: &ChangedFile| file.path.rsplit('/').next().unwrap_or_default().to_owned();
    match open[..] {
        [one] => format!("{verb} {}", name(one)),
        [one, other] => format!("{verb} {} and {}", name(one), name(other)),
        _ => format!("{verb} {} and {} more files", name(open[0]), open.len() - 1),
    }
}

/// Identifies a file of a session.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct OfFile {
    session_id: String,
    /// Path, as in `sessions.changes.list`.
    #[schemars(length(min = 1, max = PATH_CHARS_MAX))]
    path: String,
    /// Previous path of a renamed file, as in `sessions.changes.list`.
    #[schemars(length(max = PATH_CHARS_MAX))]
    old_path: Option<String>,
}

/// The changes to one file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileChanges {
    path: String,
    /// A unified patch in plain text; its first 1 MiB.
    patch: String,
    is_truncated: bool,
    /// Identifies this state of the file, to revert or stage it only if it's still the same.
    version: String,
    /// Its size in bytes; null if it was deleted or isn't a file.
    bytes: Option<u64>,
    /// By hunk: whether it's staged. Empty if the file can only be staged as a whole.
    hunk_stages: Vec<Stage>,
}

async fn file(ctx: Ctx, call: Call, input: OfFile) -> Result<FileChanges> {
    expect_path(&input.path, "/path")?;
    expect_old_path(input.old_path.as_deref())?;
    let review = ctx.service::<Sessions>().review(call.account(), &input.session_id).await?;
    let patch = compare::patch(
        &review.git,
        &review.base,
        &input.path,
        input.old_path.as_deref().filter(|path| !path.is_empty()),
        &review.private,
    );
    let patch = patch.await.map_err(refused)?;
    let is_truncated = patch.len() >= ::git::ANSWER_BYTES as usize;
    let hunk_stages = stage::stages(&review, &input.path, &patch).await.map_err(refused)?;
    let found = tokio::fs::symlink_metadata(review.git.folder().join(&input.path)).await;
    let bytes = found.ok().filter(|found| found.is_file()).map(|found| found.len());
    Ok(FileChanges { version: revert::version(&patch), path: input.path, patch, is_truncated, bytes, hunk_stages })
}

fn expect_path(path: &str, pointer: &str) -> Result<()> {
    let is_inside = |part: &str| !matches!(part, "" | "." | ".." | ".git");
    match path.chars().count() <= PATH_CHARS_MAX && !path.contains(['\0', '\n']) && path.split('/').all(is_inside) {
        true => Ok(()),
        false => Err(invalid(pointer, fault::OUT_OF_RANGE, "Send a path as `sessions.changes.list` returns it.")),
    }
}

/// An empty previous path is none.
fn expect_old_path(path: Option<&str>) -> Result<()> {
    path.filter(|path| !path.is_empty()).map_or(Ok(()), |path| expect_path(path, "/oldPath"))
}

/// A file, or one hunk of it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FilePart {
    session_id: String,
    /// Path, as in `sessions.changes.list`.
    #[schemars(length(min = 1, max = PATH_CHARS_MAX))]
    path: String,
    /// Previous path of a renamed file, as in `sessions.changes.list`.
    #[schemars(length(max = PATH_CHARS_MAX))]
    old_path: Option<String>,
    /// The number of the hunk, from 0. Default: the whole file.
    hunk: Option<usize>,
    /// The file's `version`, as read: only that state is changed. Required with `hunk`.
    version: Option<String>,
}

/// A reverted part.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Reverted {
    /// Restores it with `sessions.changes.restore`.
    undo_id: String,
}

impl FilePart {
    fn checked(&self) -> Result<Part<'_>> {
        expect_path(&self.path, "/path")?;
        expect_old_path(self.old_path.as_deref())?;
        if self.hunk.is_some() && self.version.is_none() {
            return Err(invalid("/version", fault::MISSING, "Send the `version` in which you counted the hunks."));
        }
        let old_path = self.old_path.as_deref().filter(|path| !path.is_empty());
        Ok(Part { path: &self.path, old_path, hunk: self.hunk, version: self.version.as_deref() })
    }
}

async fn stage(ctx: Ctx, call: Call, input: FilePart) -> Result<kit::Done> {
    set_stage(&ctx, &call.caller, &input, Move::Stage).await
}

async fn unstage(ctx: Ctx, call: Call, input: FilePart) -> Result<kit::Done> {
    set_stage(&ctx, &call.caller, &input, Move::Unstage).await
}

async fn set_stage(ctx: &Ctx, caller: &Caller, input: &FilePart, what: Move) -> Result<kit::Done> {
    let part = input.checked()?;
    let review = ctx.service::<Sessions>().review(&caller.account, &input.session_id).await?;
    expect_settled(&review.git).await?;
    if what == Move::Stage {
        expect_filtered(&review.git, &[&input.path]).await?;
    }
    stage::apply(&review, &part, what).await.map_err(unfit)?;
    let field = if what == Move::Stage { "staged" } else { "unstaged" };
    let after = json!({"path": input.path, "hunk": input.hunk});
    record(ctx, caller, &input.session_id, field, after).await?;
    Ok(kit::Done)
}

/// Rejects a folder in which git is in the middle of something.
pub(super) async fn expect_settled(git: &Git) -> Result<()> {
    let Some(what) = git.in_progress().await.map_err(refused)? else { return Ok(()) };
    let folder = git.folder().display();
    let detail = format!(
        "A {what} is in progress in {folder}. Ask the agent to finish it, or run `git {what} --abort` there, then retry."
    );
    Err(CONFLICT.error(detail))
}

/// Rejects files for Git LFS that would be stored whole.
async fn expect_filtered(git: &Git, paths: &[&str]) -> Result<()> {
    let files = land::unfiltered(git).await.map_err(refused)?;
    let is_named = |file: &&String| paths.is_empty() || paths.contains(&&***file);
    let Some(file) = files.iter().find(is_named) else { return Ok(()) };
    let detail = format!(
        "{file} belongs to Git LFS, which isn't set up for your account: the whole file would be stored in git. Run `git lfs install`, then retry."
    );
    Err(CONFLICT.error(detail))
}

async fn revert(ctx: Ctx, call: Call, input: FilePart) -> Result<Reverted> {
    let part = input.checked()?;
    let review = ctx.service::<Sessions>().review(call.account(), &input.session_id).await?;
    let undo_id = revert::revert(&review, &part).await.map_err(unfit)?;
    let reverted = json!({"path": input.path, "hunk": input.hunk});
    record(&ctx, &call.caller, &input.session_id, "reverted", reverted).await?;
    Ok(Reverted { undo_id })
}

/// Records what you did with a session's changes.
pub(super) async fn record(ctx: &Ctx, caller: &Caller, session: &str, field: &'static str, after: Value) -> Result<()> {
    let (caller, session, now_ms) = (caller.clone(), session.to_owned(), ctx.now_ms());
    let write = move |tx: &mut store::Tx<'_>| {
        let change = Change { subject: "session", subject_id: &session, field, before: None, after: Some(&after) };
        tx.record(&caller, now_ms, change).map(drop)
    };
    ctx.db().write(write).await
}

fn unfit(why: Refused) -> kit::Error {
    match why {
        Refused::Changed => {
            errors::CHANGED_FILE.error("The file or its base changed since you read it. Reload it, then retry.")
        }
        Refused::Missing => NOT_FOUND.error("There's nothing to do here. Reload the changes."),
        Refused::Whole => CONFLICT.error("Only the whole file can be staged: it's new, renamed, deleted, or binary."),
        Refused::Git(why) => refused(why),
    }
}

/// What to restore.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Restore {
    session_id: String,
    /// From `sessions.changes.revert`.
    undo_id: String,
}

async fn restore(ctx: Ctx, call: Call, input: Restore) -> Result<kit::Done> {
    let review = ctx.service::<Sessions>().review(call.account(), &input.session_id).await?;
    revert::restore(&review, &input.undo_id).await.map_err(unfit)?;
    record(&ctx, &call.caller, &input.session_id, "restored", json!({"undoId": input.undo_id})).await?;
    Ok(kit::Done)
}

/// A commit to make.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewCommit {
    session_id: String,
    /// The commit message.
    #[schemars(length(min = 1, max = MESSAGE_CHARS_MAX))]
    message: String,
    /// Only these files. Default: all changes.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    paths: Vec<String>,
    /// Only what is staged, instead of files.
    #[serde(default)]
    only_staged: bool,
}

/// A commit.
#[derive(Debug, Serialize, JsonSchema)]
struct Committed {
    /// The commit's hash.
    commit: String,
}

async fn commit(ctx: Ctx, call: Call, input: NewCommit) -> Result<Committed> {
    if input.message.trim().is_empty() || input.message.chars().count() > MESSAGE_CHARS_MAX {
        return Err(invalid("/message", fault::OUT_OF_RANGE, "Enter a message of 1 to 20000 characters."));
    }
    for (at, path) in input.paths.iter().enumerate() {
        expect_path(path, &format!("/paths/{at}"))?;
    }
    if input.only_staged && !input.paths.is_empty() {
        return Err(invalid("/paths", fault::OUT_OF_RANGE, "Send either `paths` or `onlyStaged`."));
    }
    let review = ctx.service::<Sessions>().review(call.account(), &input.session_id).await?;
    expect_settled(&review.git).await?;
    let chosen = match &input.paths[..] {
        _ if input.only_staged => Chosen::Staged,
        [] => Chosen::All,
        paths => Chosen::Paths(paths.iter().map(String::as_str).collect()),
    };
    match &chosen {
        Chosen::Staged => {}
        Chosen::All => expect_filtered(&review.git, &[]).await?,
        Chosen::Paths(paths) => expect_filtered(&review.git, paths).await?,
    }
    let Some(commit) = land::commit(&review, input.message.trim(), &chosen).await.map_err(refused)? else {
        let why = if input.only_staged { "Nothing is staged." } else { "There are no uncommitted changes." };
        return Err(CONFLICT.error(why));
    };
    record(&ctx, &call.caller, &input.session_id, "committed", json!({"commit": commit})).await?;
    Ok(Committed { commit })
}

async fn merge(ctx: Ctx, call: Call, input: SessionId) -> Result<Committed> {
    let sessions = ctx.service::<Sessions>();
    let review = sessions.review(call.account(), &input.session_id).await?;
    expect_settled(&review.git).await?;
    let (worktree, base, branch) = branches(&review).await?;
    if worktrees::is_dirty(&review.git).await.map_err(refused)? {
        return Err(errors::UNSAVED_WORK.error("The worktree has uncommitted changes. Commit or revert them first."));
    }
    let hub = sessions.git(&worktree.hub_folder).await.map_err(refused)?;
    expect_settled(&hub).await?;
    match land::merge(&review, &hub, base, branch).await.map_err(refused)? {
        Merged::Done(commit) => {
            let merged = json!({"commit": commit, "into": base});
            record(&ctx, &call.caller, &input.session_id, "merged", merged).await?;
            Ok(Committed { commit })
        }
        Merged::Conflicts(files) => {
            let shown = files.iter().take(10).cloned().collect::<Vec<_>>().join(", ");
            let more = if files.len() > 10 { format!(", and {} more", files.len() - 10) } else { String::new() };
            let detail = format!(
                "These files conflict with {base}: {shown}{more}. Ask the agent to merge {base} into its branch."
            );
            Err(errors::MERGE_CONFLICTS.error(detail))
        }
    }
}

/// The worktree with its base branch and its own branch.
pub(super) async fn branches(review: &Review) -> Result<(&worktrees::Worktree, &str, &str)> {
    let Some(worktree) = &review.worktree else {
        return Err(CONFLICT.error("The session has no worktree, so it has no branch to merge or publish."));
    };
    let Some(branch) = &review.branch else {
        let detail = "The worktree isn't on a branch. Ask the agent to switch to its branch, then retry.";
        return Err(CONFLICT.error(detail));
    };
    let base = &worktree.base;
    if base.is_empty() || branch == base {
        return Err(CONFLICT.error("The worktree has no base branch of another name to merge into."));
    }
    if !review.git.has_branch(base).await.map_err(refused)? {
        let detail = notices::no_base(base, &worktree.base_commit);
        return Err(CONFLICT.error(detail));
    }
    Ok((worktree, base, branch))
}

/// A pull request to open.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewPullRequest {
    session_id: String,
    /// Its title. Default: the session's.
    #[schemars(length(max = 200))]
    title: Option<String>,
    /// Its description.
    #[serde(default)]
    #[schemars(length(max = MESSAGE_CHARS_MAX))]
    body: String,
}

/// A pushed branch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Published {
    /// The pull request, or the page that opens one; null if the host has no such page.
    url: Option<String>,
    /// Whether the pull request exists. Otherwise, open it on the page.
    is_open: bool,
    /// Why `gh` didn't open it, or null.
    trouble: Option<String>,
}

async fn publish(ctx: Ctx, call: Call, input: NewPullRequest) -> Result<Published> {
    let sessions = ctx.service::<Sessions>();
    let review = sessions.review(call.account(), &input.session_id).await?;
    let (_, base, branch) = branches(&review).await?;
    let Some(remote) = land::remote(&review.git, base).await.map_err(refused)? else {
        return Err(CONFLICT.error("The repository has no remote to push to. Add one with `git remote add`."));
    };
    let machine = &sessions.common.host.machine;
    land::push(&review.git, machine, &remote.name, branch).await.map_err(refused)?;
    record(&ctx, &call.caller, &input.session_id, "pushed", json!({"branch": branch, "remote": remote.url})).await?;
    let page = remote.web.as_deref().map(|web| land::compare_page(web, base, branch));
    let title = input.title.unwrap_or_else(|| review.title.clone());
    match land::open_with_gh(&review.git, machine, (base, branch), (&title, &input.body)).await {
        None => Ok(Published { url: page, is_open: false, trouble: None }),
        Some(Ok(url)) => Ok(Published { url: Some(url), is_open: true, trouble: None }),
        Some(Err(Failed(why))) => Ok(Published { url: page, is_open: false, trouble: Some(why) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_proposed_from_the_title_or_the_files() {
        let file =
            |path: &str, status: FileStatus, stage: Stage| ChangedFile { stage, ..ChangedFile::new(path, status) };
        let mut files = vec![file("a/one.txt", FileStatus::Added, Stage::Unstaged)];
        assert_eq!(proposed(" Fix it ", &files), "Fix it");
        assert_eq!(proposed(" ", &files), "Add one.txt");
        files.push(file("two.txt", FileStatus::Modified, Stage::Partly));
        files.push(file("old.txt", FileStatus::Deleted, Stage::Committed));
        assert_eq!(proposed("", &files), "Update one.txt and two.txt");
        files.push(file("three.txt", FileStatus::Deleted, Stage::Staged));
        assert_eq!(proposed("", &files), "Update one.txt and 2 more files");
        assert_eq!(proposed("", &[]), "");
    }
}

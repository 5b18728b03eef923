//! What to know before a commit, a merge, or a push of a session's changes.

use super::{Review, land};
use crate::approved;
use ::git::Failed;

/// What happens to a worktree whose base branch was deleted.
pub(super) fn no_base(base: &str, commit: &str) -> String {
    let commit = commit.get(..12).unwrap_or(commit);
    format!("The base branch {base} no longer exists. To merge, recreate it: `git branch {base} {commit}`.")
}

/// The notices of a folder. `dirty` are its submodules with uncommitted changes of their own.
pub(super) async fn read(
    review: &Review,
    base: Option<&str>,
    dirty: &[String],
    has_remote: bool,
) -> Result<Vec<String>, Failed> {
    let git = &review.git;
    let mut notices = Vec::new();
    if review.branch.is_none() {
        notices.push(
            "The folder isn't on a branch. Commits here belong to no branch: create one first with `git switch -c NAME`.".to_owned(),
        );
    }
    if let (Some(one), Some(base)) = (&review.worktree, base)
        && !git.has_branch(base).await?
    {
        notices.push(no_base(base, &one.base_commit));
    }
    if !dirty.is_empty() {
        let shown = dirty.iter().take(land::SHOWN_MAX).cloned().collect::<Vec<_>>().join(", ");
        notices.push(format!(
            "Submodules have uncommitted changes of their own: {shown}. Commit in them first: a commit here stores only which commit they are on."
        ));
    }
    if approved::git::signs(git).await {
        notices.push(
            "Your git signs commits, but commits and merges made here aren't signed. To sign, run `git commit` in a terminal.".to_owned(),
        );
    }
    if let Some(file) = land::unfiltered(git).await?.first() {
        notices.push(format!(
            "{file} belongs to Git LFS, which isn't set up for your account, so its whole content is compared. To commit it, run `git lfs install` first."
        ));
    }
    if has_remote && land::has_lfs(git).await? {
        notices.push(
            "Pushing here doesn't upload files of Git LFS. Upload them first: `git lfs push REMOTE BRANCH`.".to_owned(),
        );
    }
    Ok(notices)
}

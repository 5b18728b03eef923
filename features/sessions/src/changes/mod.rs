//! Reviewing and landing a session's work: what changed against its base, undoing parts of it, commits, merges, and
//! pull requests.
//!
//! Invariant: nothing is lost. Reverted parts are stored as patches that can be applied again, a merge never leaves
//! conflicts behind, and a revert that doesn't fit the file as it is now is rejected.

mod compare;
mod land;
mod notices;
mod ops;
mod pull;
mod ready;
mod revert;
mod stage;

pub(crate) use ops::ops;
pub(crate) use ready::Branches;

use crate::records;
use crate::service::Sessions;
use crate::worktrees::{self, Worktree, work_dir};
use ::git::{Failed, Git};
use kit::error::{Error, Result};
use std::path::{Path, PathBuf};
use store::HasDb;

/// A session's folder and what its work is compared with.
pub(crate) struct Review {
    /// Git at the top of the folder's working tree.
    pub(crate) git: Git,
    /// The worktree that was created for the session, if any.
    pub(crate) worktree: Option<Worktree>,
    /// The commit that the work started from.
    pub(crate) base: String,
    /// The current branch; none if the folder is on none.
    pub(crate) branch: Option<String>,
    pub(crate) title: String,
    /// A folder for files of our own.
    pub(crate) private: PathBuf,
}

impl Sessions {
    /// Opens a session's folder for review. Rejects folders that aren't in a repository or have no commit.
    pub(crate) async fn review(&self, account: &str, session: &str) -> Result<Review> {
        let (owner, id) = (account.to_owned(), session.to_owned());
        let (record, worktree) = self
            .common
            .ctx
            .db()
            .read(move |tx| {
                let record = records::one(tx, &owner, &id)?;
                let own = worktrees::of_session(tx, &owner, &id)?;
                Ok((record, own))
            })
            .await?;
        let worktree = worktree.filter(|one| one.folder == record.cwd && one.state == "here");
        if !tokio::fs::try_exists(&record.cwd).await.unwrap_or(false) {
            return Err(refused(Failed(format!(
                "The session's folder {} no longer exists. If you moved it, move it back, or start a session in its new folder.",
                record.cwd
            ))));
        }
        let here = self.git(&record.cwd).await.map_err(refused)?;
        let (is_repository, top) = here.try_run(&["rev-parse", "--show-toplevel"]).await.map_err(refused)?;
        if !is_repository {
            if let Some(one) = &worktree
                && Path::new(&record.cwd).join(".git").is_file()
            {
                return Err(refused(Failed(format!(
                    "The repository of this worktree, {}, was moved or deleted. Move it back, or run `git worktree repair {}` in its new folder.",
                    one.hub_folder, record.cwd
                ))));
            }
            return Err(refused(Failed(format!("{} isn't in a git repository.", record.cwd))));
        }
        let git = here.at(Path::new(top.trim_end_matches('\n')));
        let now = worktrees::base(&git).await.map_err(refused)?;
        let base = match &worktree {
            Some(one) => start_of(&git, one).await.map_err(refused)?,
            None => now.commit,
        };
        Ok(Review {
            git,
            worktree,
            base,
            branch: Some(now.branch).filter(|branch| !branch.is_empty()),
            title: record.title,
            private: work_dir(&self.common.ctx, account).join("reviews"),
        })
    }
}

/// The commit at which a worktree left its base, also if the base moved on or is gone.
async fn start_of(git: &Git, worktree: &Worktree) -> std::result::Result<String, Failed> {
    let branch = format!("refs/heads/{}", worktree.base);
    let has_base = !worktree.base.is_empty() && git.has_branch(&worktree.base).await?;
    let other = if has_base { branch } else { worktree.base_commit.clone() };
    let (is_related, common) = git.try_run(&["merge-base", &other, "HEAD"]).await?;
    Ok(if is_related { common.trim().to_owned() } else { worktree.base_commit.clone() })
}

fn refused(why: Failed) -> Error {
    crate::errors::WORKTREE.error(why.0)
}

//! Git worktrees of sessions: created beside the hub's folder, listed with their unsaved work, and moved to the trash.
//!
//! Invariant: work that exists only in a worktree is never lost. Removing the worktree is rejected, or the work is
//! committed to a branch first, and the folder can be restored from the trash for 30 days.

mod ops;
mod rows;
mod work;

pub(crate) use ops::ops;
pub(crate) use rows::{Worktree, of_session};
pub(crate) use work::{base, dirty_submodules, distance, excluded, is_dirty, literal, stage, submodules};

use crate::hubs::Hub;
use crate::service::Sessions;
use crate::{errors, fault};
use ::git::{Failed, Git, slug};
use kit::error::{Error, Result};
use kit::{Ctx, DataDir, invalid};
use std::io;
use std::path::{Path, PathBuf};
use store::HasDb;

/// How long a worktree stays in the trash.
const TRASH_MS: i64 = 30 * 24 * 3_600_000;

/// The parent folder of sessions' own folders, if it isn't beside the data directory. For tests.
pub struct WorkDir(pub PathBuf);

/// The parent folder of folders that Pilothouse creates for sessions. It's beside the data directory, never in it,
/// because sessions can't work there.
pub(crate) fn work_dir(ctx: &Ctx, account: &str) -> PathBuf {
    let beside = || {
        let data = ctx.service::<DataDir>().0.clone();
        let mut name = data.file_name().unwrap_or_default().to_owned();
        name.push("-work");
        data.with_file_name(name)
    };
    ctx.find_service::<WorkDir>().map_or_else(beside, |work| work.0.clone()).join(account)
}

/// Creates a folder that only the user can open, with its parent folders.
pub(crate) async fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = tokio::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(folder).await
}

/// Where the worktree of a fork starts.
pub(crate) struct StartPoint {
    /// Its first commit.
    pub(crate) commit: String,
    /// The branch and the commit that the work is compared with.
    pub(crate) base: (String, String),
}

/// A worktree created for a new session.
pub(crate) struct NewWorktree {
    pub(crate) folder: String,
    worktree: Worktree,
    is_new_branch: bool,
}

impl Sessions {
    pub(crate) async fn git(&self, folder: &str) -> std::result::Result<Git, Failed> {
        Git::open(&self.common.host.machine, Path::new(folder), self.common.host.world.sleep.clone()).await
    }

    /// Creates a worktree of a hub for a session.
    pub(crate) async fn make_worktree(
        &self,
        account: &str,
        hub: &Hub,
        session: (&str, &str),
        (branch, from): (Option<String>, Option<StartPoint>),
    ) -> Result<NewWorktree> {
        let (session_id, title) = session;
        if !Path::new(&hub.folder).join(".git").exists() {
            let detail =
                format!("{} isn't the top folder of a git repository, so it can't have worktrees.", hub.folder);
            return Err(invalid("/worktree", fault::NO_REPOSITORY, detail));
        }
        let repository = self.git(&hub.folder).await.map_err(refused)?;
        let mut base = work::base(&repository).await.map_err(refused)?;
        let mut compared_with = (base.branch.clone(), base.commit.clone());
        if let Some(from) = from {
            (base.commit, compared_with) = (from.commit, from.base);
        }
        let branch = match branch {
            Some(branch) => branch,
            None => {
                let name = format!("pilothouse/{}-{}", slug(title), work::tail(session_id));
                work::free_branch(&repository, &name).await.map_err(refused)?
            }
        };
        let is_new_branch = !repository.has_branch(&branch).await.map_err(refused)?;
        let place = work_dir(&self.common.ctx, account).join("worktrees").join(slug(&hub.name));
        let unmade = |why: io::Error| refused(Failed(format!("Couldn't create {}: {why}.", place.display())));
        private_folder(&place).await.map_err(unmade)?;
        let place = tokio::fs::canonicalize(&place).await.map_err(unmade)?;
        let folder = place.join(session_id);
        let folder = folder.into_os_string().into_string();
        let folder = folder.map_err(|odd| refused(Failed(format!("{} isn't valid Unicode.", odd.display()))))?;
        let worktree = Worktree {
            id: kit::ids::short_id(),
            hub_id: hub.id.clone(),
            hub_folder: hub.folder.clone(),
            session_id: session_id.to_owned(),
            folder: folder.clone(),
            branch,
            base: compared_with.0,
            base_commit: compared_with.1,
            state: "making".to_owned(),
            created_ms: self.common.ctx.now_ms(),
            removed_ms: 0,
        };
        // Recorded first, so a worktree left incomplete by a crash is in the list.
        let (owner, row) = (account.to_owned(), worktree.clone());
        self.common.ctx.db().write(move |tx| rows::insert(tx, &owner, &row)).await?;
        let made = NewWorktree { folder, worktree, is_new_branch };
        if let Err(why) = work::add(&repository, Path::new(&made.folder), &made.worktree.branch, &base).await {
            self.discard(account, made).await;
            return Err(refused(why));
        }
        let (owner, id) = (account.to_owned(), made.worktree.id.clone());
        self.common.ctx.db().write(move |tx| rows::set_state(tx, &owner, &id, "here", 0)).await?;
        Ok(made)
    }

    /// Removes the worktree of a session that could not be created.
    pub(crate) async fn discard(&self, account: &str, made: NewWorktree) {
        let NewWorktree { folder, worktree, is_new_branch } = made;
        if let Ok(repository) = self.git(&worktree.hub_folder).await {
            let branch = is_new_branch.then_some(&*worktree.branch);
            work::discard(&repository, Path::new(&folder), branch).await;
        }
        let account = account.to_owned();
        if let Err(why) = self.common.ctx.db().write(move |tx| rows::delete(tx, &account, &worktree.id)).await {
            tracing::warn!("couldn't remove a deleted worktree from the list: {why}");
        }
    }

    /// Moves a worktree to the trash. Returns the branch that was created for its unsaved work, if any.
    async fn trash_worktree(&self, account: &str, one: &Worktree, title: &str, keep: bool) -> Result<Option<String>> {
        let repository = self.git(&one.hub_folder).await.map_err(refused)?;
        let git = repository.reopened(Path::new(&one.folder)).await.map_err(refused)?;
        let unsaved = work::unsaved(&git, &one.branch).await.map_err(refused)?;
        let has_work = unsaved.is_dirty || unsaved.commits > 0;
        if has_work && !keep {
            let files = if unsaved.is_dirty { "uncommitted files" } else { "" };
            let commits = match unsaved.commits {
                0 => String::new(),
                count => format!("{count} commits that are on no other branch"),
            };
            let what: Vec<&str> = [files, &commits].into_iter().filter(|what| !what.is_empty()).collect();
            let detail = format!(
                "The worktree has {}. Commit and merge or push them, or send keepWork: true to commit everything to a new branch first.",
                what.join(" and ")
            );
            return Err(errors::UNSAVED_WORK.error(detail));
        }
        let trash = self.trash_folder(account, &one.id);
        let branch = match has_work {
            true => {
                private_folder(trash.parent().unwrap_or(&trash))
                    .await
                    .map_err(|why| refused(Failed(format!("Couldn't create the trash: {why}."))))?;
                let index = trash.with_extension("index");
                Some(work::rescue(&git, title, &one.id, &index).await.map_err(refused)?)
            }
            false => None,
        };
        work::move_to(&repository, Path::new(&one.folder), &trash).await.map_err(refused)?;
        Ok(branch)
    }

    fn trash_folder(&self, account: &str, id: &str) -> PathBuf {
        work_dir(&self.common.ctx, account).join("trash").join(id)
    }

    /// Deletes worktrees whose time in the trash is over.
    async fn purge(&self, account: &str, id: &str) -> Result<()> {
        let (owner, key) = (account.to_owned(), id.to_owned());
        let one = self.common.ctx.db().read(move |tx| rows::one(tx, &owner, &key)).await?;
        let trash = self.trash_folder(account, id);
        if let Ok(repository) = self.git(&one.hub_folder).await {
            let _ = repository.try_run(&["worktree", "remove", "--force", "--", &trash.to_string_lossy()]).await;
        }
        match tokio::fs::remove_dir_all(&trash).await {
            Err(why) if why.kind() != io::ErrorKind::NotFound => {
                tracing::warn!("couldn't delete a worktree in the trash, retrying: {why}");
                Ok(())
            }
            _ => {
                let (owner, id) = (account.to_owned(), id.to_owned());
                self.common.ctx.db().write(move |tx| rows::delete(tx, &owner, &id)).await
            }
        }
    }
}

/// Removes worktrees that were in the trash for 30 days.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before_ms = ctx.now_ms() - TRASH_MS;
    let sessions = ctx.service::<Sessions>();
    for (account, id) in ctx.db().read(move |tx| rows::in_trash_before(tx, before_ms)).await? {
        sessions.purge(&account, &id).await?;
    }
    Ok(())
}

fn refused(why: Failed) -> Error {
    errors::WORKTREE.error(why.0)
}

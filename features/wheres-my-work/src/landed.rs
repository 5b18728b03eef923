//! Whether the work of a branch is in its base, also if it was squashed, rebased, or cherry-picked.
//!
//! Invariant: objects that git writes for this go to a temporary folder, never to the repository.

use crate::branches::Base;
use crate::repositories::Repository;
use git::{Failed, Git};
use std::path::Path;
use tempfile::TempDir;

/// Maximum commits of the base that are compared with the branch's one by one.
const BEHIND_MAX: u64 = 10_000;

/// Git that reads a repository's objects, and writes others elsewhere.
pub(crate) struct Looking {
    git: Git,
    _objects: TempDir,
}

impl Looking {
    pub(crate) fn new(repository: &Repository, spare: &Path) -> std::io::Result<Looking> {
        let objects = tempfile::tempdir_in(spare)?;
        let own = repository.common.join("objects");
        let quoted = own.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let git = repository.git.at(repository.git.folder());
        let git = git
            .with("GIT_OBJECT_DIRECTORY", objects.path())
            .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", Path::new(&format!("\"{quoted}\"")));
        Ok(Looking { git, _objects: objects })
    }

    /// Commits ahead of and behind a base.
    pub(crate) async fn distance(&self, commit: &str, base: &Base) -> Option<(u64, u64)> {
        let range = format!("{}...{commit}", base.commit);
        let said = self.git.run(&["rev-list", "--left-right", "--count", &range, "--"]).await.ok()?;
        let mut counts = said.split_whitespace().filter_map(|count| count.parse().ok());
        let behind = counts.next()?;
        Some((counts.next()?, behind))
    }

    /// Whether a base has the changes of an unmerged branch. What can't be told isn't landed.
    pub(crate) async fn has_landed(&self, commit: &str, base: &Base, behind: u64) -> bool {
        self.looked(commit, base, behind).await.unwrap_or(false)
    }

    async fn looked(&self, commit: &str, base: &Base, behind: u64) -> Result<bool, Failed> {
        let merge = ["merge-tree", "--write-tree", "--no-messages", &base.commit, commit];
        let (is_clean, said, _) = self.git.output(&merge).await?;
        if is_clean {
            return Ok(said.trim() == base.tree);
        }
        if said.trim().is_empty() || behind == 0 || behind > BEHIND_MAX {
            return Ok(false);
        }
        // The base changed the same lines since: it may have the same changes nevertheless.
        if self.are_all_in(&base.commit, commit).await? {
            return Ok(true);
        }
        let start = self.git.run(&["merge-base", &base.commit, commit]).await?;
        let tree = format!("{commit}^{{tree}}");
        let squashed = self.git.run(&["commit-tree", &tree, "-p", start.trim(), "-m", "Squashed"]).await?;
        self.are_all_in(&base.commit, squashed.trim()).await
    }

    /// Whether a base has the patch of each commit.
    async fn are_all_in(&self, base: &str, commit: &str) -> Result<bool, Failed> {
        let said = self.git.run(&["cherry", base, commit]).await?;
        Ok(!said.trim().is_empty() && said.lines().all(|line| line.starts_with('-')))
    }
}

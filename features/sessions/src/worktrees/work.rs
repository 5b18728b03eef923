//! Git operations on worktrees: create, inspect, save, and move.

use ::git::{Failed, Git, POINTERS, slug};
use std::path::Path;
use std::sync::Arc;

/// Maximum entries counted for a folder's size. If there are more, its size is unknown.
const SIZED_MAX: usize = 20_000;

type Done<T> = Result<T, Failed>;

/// The current commit and branch of a hub.
pub(crate) struct Base {
    /// Its branch; empty if it's on none.
    pub(crate) branch: String,
    pub(crate) commit: String,
}

/// The current position of a hub. Rejects folders that aren't repositories or have no commit.
pub(crate) async fn base(hub: &Git) -> Done<Base> {
    let (is_born, commit) = hub.try_run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await?;
    if !is_born {
        return Err(Failed("The repository has no commits. Make a commit first, then retry.".into()));
    }
    let (is_on_branch, branch) = hub.try_run(&["symbolic-ref", "--quiet", "--short", "HEAD"]).await?;
    let branch = if is_on_branch { branch.trim().to_owned() } else { String::new() };
    Ok(Base { branch, commit: commit.trim().to_owned() })
}

/// Creates a worktree in a new folder: of the branch if it exists, else of a new branch that starts at the hub's
/// position.
pub(crate) async fn add(hub: &Git, folder: &Path, branch: &str, base: &Base) -> Done<()> {
    let folder = folder.to_string_lossy();
    if hub.has_branch(branch).await? {
        hub.run(&["worktree", "add", "--quiet", "--", &folder, branch]).await.map(drop)
    } else {
        hub.run(&["worktree", "add", "--quiet", "--no-track", "-b", branch, "--", &folder, &base.commit])
            .await
            .map(drop)
    }
}

/// Removes an unused worktree, and the branch that was created for it.
pub(crate) async fn discard(hub: &Git, folder: &Path, branch: Option<&str>) {
    let _ = hub.try_run(&["worktree", "remove", "--force", "--", &folder.to_string_lossy()]).await;
    if let Some(branch) = branch {
        let _ = hub.try_run(&["branch", "--quiet", "-D", "--", branch]).await;
    }
}

/// Work that exists only in a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsaved {
    /// Modified, added, or untracked files.
    pub(crate) is_dirty: bool,
    /// Commits that no other branch, remote, or tag has.
    pub(crate) commits: u64,
}

/// Whether the folder has uncommitted changes.
pub(crate) async fn is_dirty(git: &Git) -> Done<bool> {
    let status = ["status", "--porcelain", "-z", "--untracked-files=normal", POINTERS];
    Ok(git.records(&status, 0, |_| true).await?.1 > 0 || !dirty_submodules(git).await?.is_empty())
}

/// Maximum submodules that are looked into.
const SUBMODULES_MAX: usize = 500;

/// The submodules in the index.
pub(crate) async fn submodules(git: &Git) -> Done<Vec<String>> {
    let is_link = |record: &str| record.starts_with("160000 ");
    let (links, _) = git.records(&["ls-files", "--stage", "-z"], SUBMODULES_MAX, is_link).await?;
    Ok(links.into_iter().filter_map(|link| Some(link.split_once('\t')?.1.to_owned())).collect())
}

/// The submodules whose own folder has uncommitted changes, at any depth.
pub(crate) async fn dirty_submodules(git: &Git) -> Done<Vec<String>> {
    let mut dirty = Vec::new();
    for path in submodules(git).await? {
        if let Some(inner) = git.submodule(&path).await?
            && Box::pin(is_dirty(&inner)).await?
        {
            dirty.push(path);
        }
    }
    Ok(dirty)
}

/// Adds all changes in the folder, or of some paths, to the index: of a submodule, the commit that it's on.
pub(crate) async fn stage(git: &Git, paths: &[&str]) -> Done<()> {
    let is_named = |link: &String| paths.is_empty() || paths.contains(&&**link);
    let links: Vec<String> = submodules(git).await?.into_iter().filter(is_named).collect();
    let files: Vec<&&str> = paths.iter().filter(|path| !links.iter().any(|link| link == **path)).collect();
    if paths.is_empty() || !files.is_empty() {
        let mut specs: Vec<String> = files.iter().map(|path| literal(path)).collect();
        if paths.is_empty() {
            specs.push(":(top)".to_owned());
            specs.extend(links.iter().map(|link| excluded(link)));
        }
        let specs = specs.iter().map(String::as_str);
        git.run(&["add", "--all", "--"].into_iter().chain(specs).collect::<Vec<_>>()).await?;
    }
    for link in links {
        let place = git.folder().join(&link);
        if let Some(inner) = git.submodule(&link).await? {
            let commit = inner.run(&["rev-parse", "--verify", "HEAD^{commit}"]).await?;
            git.run(&["update-index", "--cacheinfo", "160000", commit.trim(), &link]).await?;
        } else if !tokio::fs::try_exists(&place).await.unwrap_or(true) {
            git.run(&["update-index", "--force-remove", "--", &link]).await?;
        }
    }
    Ok(())
}

/// A path as git's pathspec, whatever signs it has.
pub(crate) fn literal(path: &str) -> String {
    format!(":(literal,top){path}")
}

/// Everything but a path.
pub(crate) fn excluded(path: &str) -> String {
    format!(":(exclude,literal,top){path}")
}

/// The work that would be lost with the worktree and its branch.
pub(crate) async fn unsaved(git: &Git, branch: &str) -> Done<Unsaved> {
    let (own, head) = (format!("--exclude={branch}"), "HEAD");
    let others = ["rev-list", "--count", head, "--not", &own, "--branches", "--remotes", "--tags"];
    let commits = git.run(&others).await?.trim().parse().unwrap_or(u64::MAX);
    Ok(Unsaved { is_dirty: is_dirty(git).await?, commits })
}

/// The numbers of commits ahead of and behind its base: the branch if it still exists, else the commit.
pub(crate) async fn distance(git: &Git, base: &str, base_commit: &str) -> Done<(u64, u64)> {
    let is_there = !base.is_empty() && git.has_branch(base).await?;
    let base = if is_there { format!("refs/heads/{base}") } else { base_commit.to_owned() };
    let said = git.run(&["rev-list", "--left-right", "--count", &format!("{base}...HEAD"), "--"]).await?;
    let mut counts = said.split_whitespace().map(|count| count.parse().unwrap_or(0));
    let behind = counts.next().unwrap_or(0);
    Ok((counts.next().unwrap_or(0), behind))
}

/// Commits everything in the folder to a new branch, without changing the index, the current branch, or an operation in
/// progress. Returns the branch's name. Rejects folders with content that can't be committed.
pub(crate) async fn rescue(git: &Git, title: &str, id: &str, index: &Path) -> Done<String> {
    let _ = tokio::fs::remove_file(index).await;
    let saved = rescued(&git.at(git.folder()).with("GIT_INDEX_FILE", index), title, id).await;
    let _ = tokio::fs::remove_file(index).await;
    saved
}

async fn rescued(git: &Git, title: &str, id: &str) -> Done<String> {
    git.run(&["read-tree", "HEAD"]).await?;
    stage(git, &[]).await?;
    // A nested repository would be stored only as a reference.
    let is_whole = dirty_submodules(git).await?.is_empty();
    let added = git.run(&["diff-index", "--cached", "--raw", "HEAD"]).await?;
    let is_link = |line: &str| line.split_whitespace().nth(1) == Some("160000");
    if !is_whole || added.lines().any(is_link) {
        let why = "The worktree contains another repository with unsaved work, which a commit here can't include. Save that one first.";
        return Err(Failed(why.into()));
    }
    let tree = git.run(&["write-tree"]).await?;
    let message = format!("Uncommitted work in the worktree of \"{}\"", title.replace(['\n', '\r'], " "));
    let commit = git.run(&["commit-tree", tree.trim(), "-p", "HEAD", "-m", &message]).await?;
    let branch = free_branch(git, &format!("pilothouse/rescued/{}-{}", slug(title), tail(id))).await?;
    // Only if no branch has this name.
    let (name, none) = (format!("refs/heads/{branch}"), "0".repeat(commit.trim().len()));
    git.run(&["update-ref", &name, commit.trim(), &none]).await?;
    Ok(branch)
}

/// A free branch name: this one, or with a number appended.
pub(crate) async fn free_branch(git: &Git, name: &str) -> Done<String> {
    let mut free = name.to_owned();
    for number in 2.. {
        if !git.has_branch(&free).await? {
            break;
        }
        free = format!("{name}-{number}");
    }
    Ok(free)
}

/// The end of an identifier, which is different for each.
pub(crate) fn tail(id: &str) -> &str {
    &id[id.len().saturating_sub(6)..]
}

/// Moves a worktree and updates its repository. If that fails, it's moved back.
pub(crate) async fn move_to(hub: &Git, from: &Path, to: &Path) -> Done<()> {
    let failed = |why: std::io::Error| Failed(format!("Couldn't move the folder: {why}."));
    if let Some(parent) = to.parent() {
        super::private_folder(parent).await.map_err(failed)?;
    }
    if tokio::fs::try_exists(to).await.unwrap_or(true) {
        return Err(Failed(format!("{} already exists.", to.display())));
    }
    tokio::fs::rename(from, to).await.map_err(failed)?;
    if let Err(why) = hub.run(&["worktree", "repair", &to.to_string_lossy()]).await {
        let _ = tokio::fs::rename(to, from).await;
        let _ = hub.try_run(&["worktree", "repair", &from.to_string_lossy()]).await;
        return Err(why);
    }
    Ok(())
}

/// Bytes of a folder's files, without following links; none if there are too many files.
pub(crate) async fn size(folder: Arc<Path>) -> Option<u64> {
    let sized = move || {
        let (mut bytes, mut left, mut folders) = (0, SIZED_MAX, vec![folder.to_path_buf()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).ok()?.flatten() {
                left = left.checked_sub(1)?;
                match entry.metadata().ok()? {
                    file if file.is_dir() => folders.push(entry.path()),
                    file if file.is_file() => bytes += file.len(),
                    _ => {}
                }
            }
        }
        Some(bytes)
    };
    tokio::task::spawn_blocking(sized).await.ok().flatten()
}

//! Where an app runs: a folder, the hub that it belongs to, and the branch of a git worktree.

use crate::errors::APP_FOLDER;
use crate::name::label_of;
use kit::error::{INTERNAL, unknown};
use kit::fault::{ONE_OF, UNKNOWN_HUB, UNKNOWN_SESSION};
use kit::lookup::{HubFolder, WorkFolders, WorkNames};
use kit::{Ctx, Result, invalid};
use std::path::{Path, PathBuf};

/// A place, as named by the caller: one of these.
#[derive(Debug, Default)]
pub(crate) struct Named {
    pub(crate) hub: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) folder: Option<String>,
}

/// A place that exists.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    pub(crate) hub: Option<String>,
    pub(crate) hub_name: Option<String>,
    /// The label of the branch of a worktree; none for a repository's own folder.
    pub(crate) branch: Option<String>,
}

/// Finds the place.
pub(crate) async fn find(ctx: &Ctx, account: &str, named: Named) -> Result<Place> {
    let folders = ctx.service::<WorkFolders>();
    let one_of = || invalid("/hubId", ONE_OF, "Send exactly one of hubId, sessionId, and folder.");
    let (folder, mut hub) = match (named.hub, named.session, named.folder) {
        (Some(hub), None, None) => {
            let found = folders.0.of_hub(account, &hub).await?.ok_or_else(|| unknown(UNKNOWN_HUB, "/hubId"))?;
            (found.path, found.hub)
        }
        (None, Some(session), None) => {
            let found = folders.0.of_session(account, &session).await?;
            let found = found.ok_or_else(|| unknown(UNKNOWN_SESSION, "/sessionId"))?;
            (found.path, found.hub)
        }
        (None, None, Some(folder)) => (folder, None),
        _ => return Err(one_of()),
    };
    let path = PathBuf::from(&folder);
    // The disk may be slow or remote.
    let looked = tokio::task::spawn_blocking(move || look(&path)).await;
    let looked = looked.map_err(|fault| INTERNAL.error("Couldn't check the folder.").caused_by(fault))?;
    let Some(Looked { folder, worktree }) = looked else {
        return Err(APP_FOLDER.error(format!("{folder} doesn't exist or isn't an absolute path of a folder.")));
    };
    if hub.is_none() {
        let hubs: Vec<HubFolder> = folders.0.hubs().await?.into_iter().filter(|hub| hub.account == account).collect();
        let main = worktree.as_ref().map(|worktree| worktree.main.as_path());
        hub = [Some(folder.as_path()), main].into_iter().flatten().find_map(|folder| hub_of(&hubs, folder));
    }
    let hub_name = match (&hub, ctx.find_service::<WorkNames>()) {
        (Some(hub), Some(names)) => names.0.titles(account, Vec::new(), vec![hub.clone()]).await?.hubs.remove(hub),
        _ => None,
    };
    Ok(Place { folder, hub, hub_name, branch: worktree.map(|worktree| label_of(&worktree.branch)) })
}

/// The innermost hub around a folder.
fn hub_of(hubs: &[HubFolder], folder: &Path) -> Option<String> {
    let around = hubs.iter().filter(|hub| folder.starts_with(&hub.path));
    around.max_by_key(|hub| hub.path.len()).map(|hub| hub.id.clone())
}

struct Looked {
    folder: PathBuf,
    worktree: Option<Worktree>,
}

/// A worktree beside the repository's own folder.
#[derive(Debug, PartialEq, Eq)]
struct Worktree {
    branch: String,
    /// The repository's own folder.
    main: PathBuf,
}

fn look(folder: &Path) -> Option<Looked> {
    if !folder.is_absolute() || !folder.is_dir() {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    let worktree = worktree(&folder);
    Some(Looked { folder, worktree })
}

/// Reads git's own files: the folder may be an agent's, whose configuration could name programs for git to run.
fn worktree(folder: &Path) -> Option<Worktree> {
    let top = folder.ancestors().find(|folder| folder.join(".git").exists())?;
    // A folder here is the repository itself; a submodule has a file, but no `commondir`.
    let text = std::fs::read_to_string(top.join(".git")).ok()?;
    let git_dir = top.join(text.strip_prefix("gitdir:")?.trim());
    let common = std::fs::read_to_string(git_dir.join("commondir")).ok()?;
    let common = git_dir.join(common.trim()).canonicalize().ok()?;
    let head = std::fs::read_to_string(git_dir.join("HEAD")).ok()?;
    let head = head.trim();
    let branch = match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.to_owned(),
        None => head.chars().take(8).collect(),
    };
    Some(Worktree { branch, main: common.parent()?.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_worktree_is_told_from_a_repository_and_a_submodule() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let (main, tree, inner) = (root.join("main"), root.join("tree"), root.join("main/sub"));
        let git_dir = main.join(".git/worktrees/tree");
        for folder in [&git_dir, &main.join(".git/modules/sub"), &tree.join("src"), &inner] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(git_dir.join("commondir"), "../..\n").unwrap();
        fs::write(git_dir.join("HEAD"), "ref: refs/heads/feature/Login\n").unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
        fs::write(inner.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
        let expected = Some(Worktree { branch: "feature/Login".into(), main: main.clone() });
        assert_eq!(worktree(&tree.join("src")), expected);
        assert_eq!(worktree(&main), None);
        assert_eq!(worktree(&inner), None);
        fs::write(git_dir.join("HEAD"), "0123456789abcdef\n").unwrap();
        assert_eq!(worktree(&tree).unwrap().branch, "01234567");
        let hub = |id: &str, path: &Path| HubFolder {
            account: "a".into(),
            id: id.into(),
            name: id.into(),
            path: path.to_str().unwrap().into(),
        };
        let hubs = [hub("outer", &root), hub("inner", &main)];
        assert_eq!(hub_of(&hubs, &inner).as_deref(), Some("inner"));
        assert_eq!(hub_of(&hubs, &tree).as_deref(), Some("outer"));
        assert_eq!(hub_of(&hubs, Path::new("/")), None);
    }
}

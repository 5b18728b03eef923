//! The repositories that are known: those of hubs and of sessions, each once.

use crate::service::Work;
use git::{Failed, Git};
use kit::lookup::{BranchSession, HubFolder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum repositories that are looked at.
const REPOSITORIES_MAX: usize = 200;

/// A folder that may be in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) folder: String,
    pub(crate) hub: Option<String>,
    pub(crate) name: String,
}

/// A repository.
pub(crate) struct Repository {
    pub(crate) git: Git,
    /// The folder that all its worktrees share.
    pub(crate) common: PathBuf,
    pub(crate) is_shallow: bool,
}

/// What a folder is.
pub(crate) enum Found {
    Repository(Box<Repository>),
    /// It's in no repository.
    Nothing,
    /// It can't be looked at, for this reason.
    Trouble(String),
}

/// The folders to look at, each once: hubs first, then sessions' folders outside of them.
pub(crate) fn candidates(hubs: Vec<HubFolder>, sessions: &[BranchSession]) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for hub in hubs {
        all.push(Candidate { folder: hub.path, hub: Some(hub.id), name: hub.name });
    }
    let folders = sessions.iter().map(|one| if one.repository.is_empty() { &one.folder } else { &one.repository });
    for folder in folders {
        if !folder.is_empty() && all.iter().all(|one| one.folder != *folder) {
            let name =
                Path::new(folder).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            all.push(Candidate { folder: folder.clone(), hub: None, name });
        }
    }
    all
}

/// Leaves one folder of each checkout, without asking git. Folders in no repository stay only if they are hubs that are
/// missing.
pub(crate) fn distinct(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut tops: BTreeMap<PathBuf, ()> = BTreeMap::new();
    let mut left = Vec::new();
    for one in candidates {
        let folder = Path::new(&one.folder);
        if !folder.is_dir() {
            if one.hub.is_some() {
                left.push(one);
            }
            continue;
        }
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let has_git = |above: &&Path| above.join(".git").symlink_metadata().is_ok() || is_bare(above);
        if let Some(top) = real.ancestors().find(has_git)
            && tops.insert(top.to_owned(), ()).is_none()
        {
            left.push(one);
        }
    }
    left.truncate(REPOSITORIES_MAX);
    left
}

fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Opens the repository around a folder.
pub(crate) async fn open(work: &Work, candidate: &Candidate) -> Found {
    let folder = Path::new(&candidate.folder);
    if !folder.is_dir() {
        let why = format!("{} doesn't exist. If you moved it, change the hub's folder.", candidate.folder);
        return Found::Trouble(why);
    }
    match opened(work, folder).await {
        Ok(Some(repository)) => Found::Repository(Box::new(repository)),
        Ok(None) => Found::Nothing,
        Err(Failed(why)) => Found::Trouble(why),
    }
}

async fn opened(work: &Work, folder: &Path) -> Result<Option<Repository>, Failed> {
    let git = Git::open(&work.machine, folder, work.sleep.clone()).await?;
    // A partial clone must not fetch what is missing.
    let git = git.with("GIT_ALLOW_PROTOCOL", Path::new("none")).with("GIT_NO_LAZY_FETCH", Path::new("1"));
    let asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--is-shallow-repository"];
    let (is_done, said) = git.try_run(&asked).await?;
    if !is_done {
        return if said.contains("not a git repository") { Ok(None) } else { Err(Failed(said)) };
    }
    let mut lines = said.lines();
    let common = PathBuf::from(lines.next().unwrap_or_default());
    let common = common.canonicalize().unwrap_or(common);
    Ok(Some(Repository { git, common, is_shallow: lines.next() == Some("true") }))
}

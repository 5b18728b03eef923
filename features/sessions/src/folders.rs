//! Folders on this machine, for choosing one: completion of a typed path, and what each folder is to git.
//!
//! Invariant: only names of folders are read, and at most as many as the limits say.

use crate::service::Sessions;
use crate::{fault, hubs};
use kit::{Call, CallerSet, Ctx, DataDir, Method, Op, Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf, is_separator};
use store::HasDb;

/// Maximum characters of a typed path.
const PATH_CHARS_MAX: usize = 1_000;
/// Maximum folders in an answer.
const FOLDERS_MAX: usize = 50;
/// Maximum entries read of one folder; in a larger one, some folders aren't offered.
const READ_MAX: usize = 20_000;
/// Maximum bytes read of a file of git.
const GIT_FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "hubs.folders",
            Method::Get,
            "/hubs/folders",
            CallerSet::PERSON,
            "Complete a folder's path: list up to 50 subfolders that match what was typed so far.",
            list,
        )
        .example(r#"{"path": "/"}"#)
        .columns(&["path", "isRepository", "hubId"]),
    ]
}

/// A path as typed so far.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Typed {
    /// An absolute path, or one that starts with `~` for the home folder. The part after the last separator is the start
    /// of the subfolders' names; hidden folders are listed if it starts with a dot. Empty is the home folder.
    #[schemars(length(max = PATH_CHARS_MAX))]
    path: String,
}

/// A folder on this machine.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Folder {
    /// Its path, with the start as typed.
    path: String,
    name: String,
    /// Whether it's the top of a git repository.
    is_repository: bool,
    /// Whether the repository has commits, so sessions can have worktrees. False if it isn't one.
    has_commits: bool,
    /// The hub of this folder, or null.
    hub_id: Option<String>,
}

/// The folders that match a typed path.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Folders {
    /// Matching subfolders by name, up to 50. Empty if there are none, or the path doesn't exist.
    folders: Vec<Folder>,
    /// The folder that the path names; null if it doesn't exist or can't be a hub.
    folder: Option<Folder>,
}

async fn list(ctx: Ctx, call: Call, input: Typed) -> Result<Folders> {
    if input.path.chars().nth(PATH_CHARS_MAX).is_some() {
        return Err(invalid("/path", fault::OUT_OF_RANGE, format!("Use at most {PATH_CHARS_MAX} characters.")));
    }
    let home = ctx.service::<Sessions>().common.host.machine.home.clone();
    let data = ctx.find_service::<DataDir>().map(|dir| dir.0.clone());
    let all = ctx.db().read(move |tx| hubs::all(tx, call.account())).await?;
    let hubs = all.into_iter().map(|hub| (PathBuf::from(hub.folder), hub.id)).collect();
    // The disk may be slow or remote.
    let look = move || {
        let data = data.and_then(|data| data.canonicalize().ok());
        Look { home, data, hubs }.completed(&input.path)
    };
    let looked = tokio::task::spawn_blocking(look).await;
    looked.map_err(|fault| kit::error::INTERNAL.error("Couldn't list the folders.").caused_by(fault))
}

/// What folders are compared with.
struct Look {
    home: PathBuf,
    /// Pilothouse's own data, in which no session may work.
    data: Option<PathBuf>,
    hubs: HashMap<PathBuf, String>,
}

impl Look {
    fn completed(&self, typed: &str) -> Folders {
        let typed = if matches!(typed, "" | "~") { "~/" } else { typed };
        let Some(at) = typed.rfind(is_separator) else { return Folders::default() };
        let (parent, begun) = typed.split_at(at + 1);
        let folder = self.real(typed).and_then(|real| {
            let name = real.file_name().map_or_else(|| typed.to_owned(), |name| name.to_string_lossy().into_owned());
            self.folder(&real, typed.to_owned(), name)
        });
        let Some(real) = self.real(parent) else { return Folders { folders: Vec::new(), folder } };
        let mut names = subfolders(&real, begun);
        names.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
        let folders =
            names.into_iter().filter_map(|name| self.folder(&real.join(&name), format!("{parent}{name}"), name));
        Folders { folders: folders.take(FOLDERS_MAX).collect(), folder }
    }

    /// The existing folder at a typed path, with links resolved.
    fn real(&self, typed: &str) -> Option<PathBuf> {
        let path = expanded(typed, &self.home);
        path.is_absolute().then(|| path.canonicalize().ok()).flatten().filter(|real| real.is_dir())
    }

    fn folder(&self, real: &Path, path: String, name: String) -> Option<Folder> {
        if self.data.as_ref().is_some_and(|data| real.starts_with(data)) {
            return None;
        }
        let git = Repository::at(real);
        let hub_id = self.hubs.get(real).cloned();
        Some(Folder { path, name, is_repository: git.is_there, has_commits: git.has_commits, hub_id })
    }
}

/// The names of the subfolders whose names start like this, in upper or lower case.
fn subfolders(folder: &Path, begun: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let start = begun.to_lowercase();
    let is_wanted =
        |name: &str| (begun.starts_with('.') || !name.starts_with('.')) && name.to_lowercase().starts_with(&start);
    entries
        .take(READ_MAX)
        .flatten()
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry)))
        .filter(|(name, _)| is_wanted(name) && !name.contains(char::is_control))
        // A link to a folder is one, too.
        .filter(|(_, entry)| match entry.file_type() {
            Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
            kind => kind.is_ok_and(|kind| kind.is_dir()),
        })
        .map(|(name, _)| name)
        .collect()
}

/// The path with a `~` at its start replaced by the home folder.
pub(crate) fn expanded(path: &str, home: &Path) -> PathBuf {
    match path.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with(is_separator) => home.join(rest.trim_start_matches(is_separator)),
        _ => PathBuf::from(path),
    }
}

/// What a folder is to git.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Repository {
    /// Whether it's the top of a repository.
    pub(crate) is_there: bool,
    /// Whether a worktree can start at its position. True if only git itself can tell.
    pub(crate) has_commits: bool,
}

impl Repository {
    /// Reads files of git instead of starting it: lists ask this of many folders.
    pub(crate) fn at(folder: &Path) -> Repository {
        let git = folder.join(".git");
        match fs::metadata(&git) {
            Err(_) => Repository::default(),
            Ok(_) => Repository { is_there: true, has_commits: has_commits(folder, &git).unwrap_or(true) },
        }
    }
}

/// Whether the current branch has a commit; `None` if only git can tell.
fn has_commits(folder: &Path, git: &Path) -> Option<bool> {
    let dir = match git.is_dir() {
        true => git.to_owned(),
        // A worktree or a submodule names its folder of git.
        false => folder.join(read(git)?.strip_prefix("gitdir:")?.trim()),
    };
    let head = read(&dir.join("HEAD"))?;
    let branch = head.strip_prefix("ref:")?.trim();
    let shared = read(&dir.join("commondir")).map_or_else(|| dir.clone(), |common| dir.join(common.trim()));
    if shared.join("reftable").exists() {
        return None;
    }
    if shared.join(branch).exists() {
        return Some(true);
    }
    let packed = shared.join("packed-refs");
    if !packed.exists() {
        return Some(false);
    }
    Some(read(&packed)?.lines().any(|line| line.split_once(' ').is_some_and(|(_, name)| name == branch)))
}

/// The text of a small file.
fn read(file: &Path) -> Option<String> {
    let file = fs::File::open(file).ok()?;
    let mut text = String::new();
    let size = file.take(GIT_FILE_BYTES_MAX).read_to_string(&mut text).ok()?;
    (size as u64 != GIT_FILE_BYTES_MAX).then_some(text)
}

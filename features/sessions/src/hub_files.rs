//! Search of the files in a hub's folder, by path.
//!
//! Invariants: a result is a regular file below the hub's folder, whatever links are in it; hidden folders,
//! dependencies, and build output aren't listed; time, entries, and results have limits.

use crate::hubs;
use crate::service::Sessions;
use kit::error::INTERNAL;
use kit::words::QUERY_CHARS_MAX;
use kit::{Call, CallerSet, Ctx, Method, Op, Result, Words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;
use store::HasDb;

/// Maximum results.
const FILES_MAX: usize = 20;
/// Maximum entries of folders that are read.
const ENTRIES_MAX: usize = 50_000;
/// Maximum duration of git's search. A later result is of no use while typing.
const WITHIN: Duration = Duration::from_secs(5);
/// Folders that are skipped, in addition to hidden ones.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "hubs.files",
            Method::Get,
            "/hubs/{hubId}/files",
            CallerSet::PERSON,
            "Find files of a hub by path. In a git repository, ignored files aren't included.",
            files,
        )
        .example(r#"{"hubId": "{hubId}", "q": "read"}"#)
        .synonyms("search path name folder open")
        .columns(&["path"]),
    ]
}

/// A search of a hub's files.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Query {
    hub_id: String,
    /// Words that must all occur in the path.
    #[schemars(length(min = 1, max = QUERY_CHARS_MAX))]
    q: String,
}

/// Files of a hub.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HubFiles {
    /// At most 20, best match first.
    items: Vec<HubFile>,
    /// Whether the whole folder was searched.
    is_complete: bool,
}

/// A file of a hub.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HubFile {
    /// Relative to the hub's folder, with `/` between folders.
    path: String,
    /// The absolute path.
    full_path: String,
}

async fn files(ctx: Ctx, call: Call, input: Query) -> Result<HubFiles> {
    let words = Words::expect(&input.q, "/q")?;
    let hub = ctx.db().read(move |tx| hubs::one(tx, call.account(), &input.hub_id)).await?;
    let sessions = ctx.service::<Sessions>();
    let listed = listed_by_git(&sessions, &hub.folder, &words).await;
    // Outside the async threads: a disk may be slow or remote.
    let look = move || {
        let folder = Path::new(&hub.folder);
        let (paths, is_complete) = listed.unwrap_or_else(|| walked(folder, &words));
        HubFiles { items: best(folder, paths, &words), is_complete }
    };
    tokio::task::spawn_blocking(look).await.map_err(|fault| INTERNAL.error("Couldn't list files.").caused_by(fault))
}

/// Paths that contain the longest word, by git; `None` if the folder isn't the top of a repository that git can read.
async fn listed_by_git(sessions: &Sessions, folder: &str, words: &Words) -> Option<(Vec<String>, bool)> {
    if !Path::new(folder).join(".git").exists() {
        return None;
    }
    let list = async {
        let git = sessions.git(folder).await.ok()?;
        let pattern = pathspec(words);
        let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", &pattern];
        git.run(&args).await.ok()
    };
    let listed = tokio::select! {
        listed = list => listed?,
        () = sessions.common.host.world.sleep.sleep(WITHIN) => return Some((Vec::new(), false)),
    };
    // Output that reached git's limit ends anywhere.
    let is_complete = listed.is_empty() || listed.ends_with('\0');
    let mut paths: Vec<String> = listed.split('\0').map(str::to_owned).collect();
    paths.pop();
    Some((paths, is_complete))
}

/// Git's pattern for paths with the longest word that git can compare without regard to case, which is ASCII.
fn pathspec(words: &Words) -> String {
    let longest = words.words().filter(|word| word.is_ascii()).max_by_key(|word| word.len());
    let mut pattern = ":(top,icase)*".to_owned();
    for sign in longest.unwrap_or_default().chars() {
        if matches!(sign, '*' | '?' | '[' | ']' | '\\') {
            pattern.push('\\');
        }
        pattern.push(sign);
    }
    pattern.push('*');
    pattern
}

fn is_skipped(folder: &str) -> bool {
    folder.starts_with('.') || SKIPPED.contains(&folder)
}

/// Paths of matching files, nearest folders first. Links aren't followed.
fn walked(folder: &Path, words: &Words) -> (Vec<String>, bool) {
    let (mut folders, mut found, mut left) = (VecDeque::from([String::new()]), Vec::new(), ENTRIES_MAX);
    while let Some(below) = folders.pop_front() {
        let Ok(entries) = std::fs::read_dir(folder.join(&below)) else { continue };
        for entry in entries.flatten() {
            if left == 0 {
                return (found, false);
            }
            left -= 1;
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            if kind.is_dir() && !is_skipped(&name) {
                folders.push_back(path);
            } else if kind.is_file() && words.matching(&path).is_some() {
                found.push(path);
            }
        }
    }
    (found, true)
}

/// The best matches: by file name, then by path, shortest first.
fn best(folder: &Path, paths: Vec<String>, words: &Words) -> Vec<HubFile> {
    let mut ranked: Vec<_> = paths
        .into_iter()
        .filter(|path| !path.split('/').rev().skip(1).any(is_skipped))
        .filter_map(|path| {
            words.matching(&path)?;
            let name = path.rsplit('/').next().unwrap_or_default();
            // A name without the words is found by its folder, which counts less.
            let by_name = words.matching(name);
            Some(((by_name.is_none(), by_name, path.len()), path))
        })
        .collect();
    ranked.sort();
    // A path of git can lead through a folder that was replaced by a link since.
    let Ok(top) = folder.canonicalize() else { return Vec::new() };
    let inside = |path: String| {
        let full = folder.join(&path);
        let is_file = full.symlink_metadata().is_ok_and(|about| about.is_file());
        let is_below = full.canonicalize().is_ok_and(|real| real.starts_with(&top));
        let full_path = full.into_os_string().into_string().ok()?;
        (is_file && is_below).then_some(HubFile { path, full_path })
    };
    ranked.into_iter().filter_map(|(_, path)| inside(path)).take(FILES_MAX).collect()
}

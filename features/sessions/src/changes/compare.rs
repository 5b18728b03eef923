//! What differs between a session's folder and its base, read with git and without changing the folder or its index.

use crate::worktrees::{excluded, literal};
use ::git::{Failed, Git, POINTERS};
use std::collections::hash_map::{Entry, HashMap};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Maximum changed files in a list.
pub(crate) const FILES_MAX: usize = 5_000;
/// Maximum new files that are compared. If there are more, they are listed without their lines.
const NEW_MAX: usize = 2_000;
/// Maximum bytes of git's list of differences. If it's longer, files at its end are left out.
const LIST_BYTES: u64 = 32 * 1024 * 1024;
/// Maximum records of git's status that are read.
const STATUS_MAX: usize = 100_000;
/// Files larger than this are shown as binary.
pub(super) const LARGE: &str = "core.bigFileThreshold=2m";

type Done<T> = Result<T, Failed>;

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FileStatus {
    /// It's new.
    Added,
    /// Its content changed.
    Modified,
    /// It was deleted.
    Deleted,
    /// It was moved or renamed, maybe with changes.
    Renamed,
    /// It became a link, a file, or a submodule.
    TypeChanged,
    /// A merge left it with conflicts.
    Conflicted,
}

/// Whether changes are in the index, from which a commit can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stage {
    /// None of it is uncommitted.
    Committed,
    /// None of what is uncommitted is staged.
    Unstaged,
    /// Some of what is uncommitted is staged.
    Partly,
    /// All that is uncommitted is staged.
    Staged,
}

impl Stage {
    pub(super) fn of(is_staged: bool, is_unstaged: bool) -> Stage {
        match (is_staged, is_unstaged) {
            (false, false) => Stage::Committed,
            (false, true) => Stage::Unstaged,
            (true, true) => Stage::Partly,
            (true, false) => Stage::Staged,
        }
    }
}

/// A changed file.
#[derive(Debug, PartialEq)]
pub(crate) struct ChangedFile {
    pub(crate) path: String,
    pub(crate) old_path: Option<String>,
    pub(crate) status: FileStatus,
    /// None for a binary or very large file, or if lines were not counted.
    pub(crate) lines: Option<(u64, u64)>,
    pub(crate) is_binary: bool,
    pub(crate) is_submodule: bool,
    pub(crate) stage: Stage,
}

impl ChangedFile {
    pub(super) fn new(path: &str, status: FileStatus) -> ChangedFile {
        let (path, stage) = (path.to_owned(), Stage::Committed);
        ChangedFile { path, old_path: None, status, lines: None, is_binary: false, is_submodule: false, stage }
    }
}

/// What of a folder isn't committed.
#[derive(Default)]
pub(crate) struct Uncommitted {
    /// By path: whether some of its changes are staged, and whether some aren't.
    stages: BTreeMap<String, (bool, bool)>,
    conflicted: HashSet<String>,
    /// Files and nested repositories that git doesn't know, by path; the first ones.
    new: Vec<String>,
    /// How many there are.
    new_count: usize,
}

impl Uncommitted {
    pub(crate) fn is_dirty(&self) -> bool {
        self.new_count > 0 || !self.stages.is_empty()
    }

    fn stage(&self, file: &ChangedFile) -> Stage {
        let paths = std::iter::once(&file.path).chain(&file.old_path);
        let stages = paths.filter_map(|path| self.stages.get(path));
        let (is_staged, is_unstaged) = stages.fold((false, false), |all, one| (all.0 | one.0, all.1 | one.1));
        Stage::of(is_staged, is_unstaged)
    }
}

/// What of the folder isn't committed.
pub(crate) async fn uncommitted(git: &Git) -> Done<Uncommitted> {
    let status = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", POINTERS];
    let (records, count) = git.records(&status, STATUS_MAX, |_| true).await?;
    let mut found = Uncommitted { new_count: count - records.len(), ..Default::default() };
    for record in records {
        let (Some(state), Some(path)) = (record.get(..2), record.get(3..)) else { continue };
        // A nested repository ends with a slash.
        let path = path.trim_end_matches('/').to_owned();
        let is_staged = !matches!(&state[..1], " " | "?");
        found.stages.insert(path.clone(), (is_staged, &state[1..] != " "));
        match state {
            "??" => {
                found.new_count += 1;
                found.new.push(path);
            }
            "AA" | "DD" => drop(found.conflicted.insert(path)),
            _ if state.contains('U') => drop(found.conflicted.insert(path)),
            _ => {}
        }
    }
    Ok(found)
}

/// An index of our own beside git's, so that new files can be compared without touching what the user staged.
/// The file is removed when this is dropped.
pub(crate) struct OwnIndex(PathBuf);

impl Drop for OwnIndex {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A copy of the folder's index in a private folder, and git that uses it.
pub(crate) async fn own_index(git: &Git, private: &Path) -> Done<(Git, OwnIndex)> {
    let failed = |why: std::io::Error| Failed(format!("Couldn't copy git's index: {why}."));
    let index = git.run(&["rev-parse", "--path-format=absolute", "--git-path", "index"]).await?;
    crate::worktrees::private_folder(private).await.map_err(failed)?;
    let copy = private.join(format!("{}.index", kit::ids::short_id()));
    let (own, env) = (OwnIndex(copy.clone()), copy.clone());
    let from = PathBuf::from(index.trim_end_matches('\n'));
    let copied = tokio::task::spawn_blocking(move || copy_index(&from, &copy)).await;
    match copied.unwrap_or_else(|why| Err(std::io::Error::other(why))) {
        Ok(()) => {}
        // A repository without a commit or a staged file has no index yet.
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {}
        Err(why) => return Err(failed(why)),
    }
    Ok((git.at(git.folder()).with("GIT_INDEX_FILE", &env), own))
}

/// Copies an index with its time. Git compares a file's content only if the file isn't older than the index, so a later
/// time would hide changes of the same size made within a tick of the clock.
fn copy_index(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut from = std::fs::File::open(from)?;
    let time = from.metadata()?.modified()?;
    let mut to = std::fs::File::create(to)?;
    std::io::copy(&mut from, &mut to)?;
    to.set_modified(time)
}

/// The changed files, by path, and how many were left out, at least.
pub(crate) async fn files(
    git: &Git,
    base: &str,
    found: &Uncommitted,
    submodules: &[String],
    private: &Path,
) -> Done<(Vec<ChangedFile>, usize)> {
    let (git, _own) = own_index(git, private).await?;
    let is_counted = found.new_count <= NEW_MAX;
    if is_counted && !found.new.is_empty() {
        let specs: Vec<String> = submodules.iter().map(|path| excluded(path)).collect();
        let specs = specs.iter().map(String::as_str);
        git.run(&["add", "--intent-to-add", "--", "."].into_iter().chain(specs).collect::<Vec<_>>()).await?;
    }
    let diff =
        ["-c", LARGE, "diff", "--raw", "--numstat", "-z", "--no-ext-diff", "--no-textconv", POINTERS, "-M", base, "--"];
    let (is_done, said, why) = git.output_within(LIST_BYTES, &diff).await?;
    if !is_done {
        return Err(Failed(format!("git diff failed: {why}")));
    }
    let is_cut = said.len() >= LIST_BYTES as usize;
    let mut files = parse(&said);
    for file in &mut files {
        file.stage = found.stage(file);
        // Of the index of git: adding to ours resolves conflicts there.
        if found.conflicted.contains(&file.path) {
            file.status = FileStatus::Conflicted;
        }
    }
    let mut count = files.len() + usize::from(is_cut);
    if !is_counted {
        let added = |path: &String| ChangedFile { stage: Stage::Unstaged, ..ChangedFile::new(path, FileStatus::Added) };
        files.extend(found.new.iter().take(FILES_MAX).map(added));
        count += found.new_count;
    }
    // Staged, or changed back to the base: a commit would include it.
    let listed: HashSet<&str> =
        files.iter().flat_map(|file| std::iter::once(&*file.path).chain(file.old_path.as_deref())).collect();
    let is_tracked = |path: &&String| !listed.contains(&***path) && found.new.binary_search(path).is_err();
    let others: Vec<ChangedFile> = found
        .stages
        .keys()
        .filter(is_tracked)
        .take(FILES_MAX)
        .map(|path| {
            let file = ChangedFile { lines: Some((0, 0)), ..ChangedFile::new(path, FileStatus::Modified) };
            ChangedFile { stage: found.stage(&file), ..file }
        })
        .collect();
    count += others.len();
    files.extend(others);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.truncate(FILES_MAX);
    let left_out = count - files.len();
    Ok((files, left_out))
}

/// The difference of one file as a patch; empty if there is none.
pub(crate) async fn patch(git: &Git, base: &str, path: &str, old: Option<&str>, private: &Path) -> Done<String> {
    compared(git, base, (path, old), &["-U3"], private).await
}

/// The same as bytes in a file, with the content of binary files.
pub(crate) async fn patch_to(git: &Git, base: &str, (path, old): (&str, Option<&str>), to: &Path) -> Done<()> {
    let output = format!("--output={}", to.to_string_lossy());
    let private = to.parent().unwrap_or(to);
    compared(git, base, (path, old), &["--binary", &output], private).await.map(drop)
}

async fn compared(
    git: &Git,
    base: &str,
    (path, old): (&str, Option<&str>),
    form: &[&str],
    private: &Path,
) -> Done<String> {
    let (git, _own) = own_index(git, private).await?;
    // Not a submodule: git would look into it.
    if git.folder().join(path).symlink_metadata().is_ok_and(|found| !found.is_dir()) {
        git.try_run(&["add", "--intent-to-add", "--", &literal(path)]).await?;
    }
    let mut args = vec!["-c", LARGE, "diff", "--no-ext-diff", "--no-textconv", "--full-index", POINTERS, "-M"];
    args.extend(form.iter().chain(&[base, "--"]));
    let paths: Vec<String> = std::iter::once(path).chain(old).map(literal).collect();
    args.extend(paths.iter().map(String::as_str));
    git.run(&args).await
}

/// Reads `git diff --raw --numstat -z`: first a record for each file, then its numbers.
fn parse(said: &str) -> Vec<ChangedFile> {
    let mut words = said.split('\0').peekable();
    let (mut files, mut positions): (Vec<ChangedFile>, HashMap<&str, usize>) = Default::default();
    while let Some(word) = words.next_if(|word| word.starts_with(':')) {
        let letter = word.rsplit(' ').next().and_then(|last| last.chars().next()).unwrap_or('M');
        let Some(first) = words.next() else { break };
        let status = match letter {
            'A' => FileStatus::Added,
            'D' => FileStatus::Deleted,
            'R' | 'C' => FileStatus::Renamed,
            'T' => FileStatus::TypeChanged,
            _ => FileStatus::Modified,
        };
        let (path, old_path) = match status {
            FileStatus::Renamed => (words.next().unwrap_or(first), Some(first.to_owned())),
            _ => (first, None),
        };
        // A file with conflicts can have a second record.
        if let Entry::Vacant(position) = positions.entry(path) {
            position.insert(files.len());
            let is_submodule = word.split(' ').take(2).any(|mode| mode.trim_start_matches(':') == "160000");
            files.push(ChangedFile { old_path, is_submodule, ..ChangedFile::new(path, status) });
        }
    }
    while let Some(word) = words.next() {
        let mut parts = word.splitn(3, '\t');
        let (Some(added), Some(removed), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        // A renamed file has an empty path here, and both follow.
        let path = if path.is_empty() { words.nth(1).unwrap_or_default() } else { path };
        let lines = added.parse().ok().zip(removed.parse().ok());
        if let Some(position) = positions.get(path) {
            (files[*position].lines, files[*position].is_binary) = (lines, lines.is_none());
        }
    }
    files
}

/// One hunk of a patch of one file, as a patch of its own; none if there are not that many.
pub(crate) fn hunk(patch: &[u8], number: usize) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = patch.split_inclusive(|byte| *byte == b'\n').collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with(b"@@ ")).collect();
    let start = *starts.get(number)?;
    let end = starts.get(number + 1).copied().unwrap_or(lines.len());
    Some([lines[..*starts.first()?].concat(), lines[start..end].concat()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_numbers_of_files_are_read() {
        let said = ":100644 100644 a b M\x00one.txt\x00:100644 100644 a b R090\x00old name\x00new name\x00:000000 100644 0 b A\x00x\ty\x00:100644 000000 a 0 D\x00pic.png\x00\
             3\t1\tone.txt\x00005\t0\t\x00old name\x00new name\x00001\t0\tx\ty\x00-\t-\tpic.png\x00";
        let found: Vec<_> =
            parse(said).into_iter().map(|file| (file.path, file.status, file.lines, file.old_path)).collect();
        assert_eq!(
            found,
            [
                ("one.txt".into(), FileStatus::Modified, Some((3, 1)), None),
                ("new name".into(), FileStatus::Renamed, Some((5, 0)), Some("old name".into())),
                ("x\ty".into(), FileStatus::Added, Some((1, 0)), None),
                ("pic.png".into(), FileStatus::Deleted, None, None),
            ]
        );
        assert_eq!(parse(""), []);
    }

    #[test]
    fn a_hunk_keeps_the_head_of_its_patch() {
        let patch = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@ fn x\n-c\n+d\n";
        assert_eq!(hunk(patch, 1).unwrap(), b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -9 +9 @@ fn x\n-c\n+d\n");
        assert_eq!(hunk(patch, 2), None);
    }
}

//! What differs between a session's folder and its base, read with git and without changing the folder or its index.

use crate::git::{Failed, Git};
use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::path::{Path, PathBuf};

/// Maximum changed files in a list.
pub(crate) const FILES_MAX: usize = 5_000;
/// Maximum new files that are compared. If there are more, they are listed without their lines.
const NEW_MAX: usize = 2_000;
/// Files larger than this are shown as binary.
const LARGE: &str = "core.bigFileThreshold=2m";

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

/// A changed file.
#[derive(Debug, PartialEq)]
pub(crate) struct ChangedFile {
    pub(crate) path: String,
    pub(crate) old_path: Option<String>,
    pub(crate) status: FileStatus,
    /// None for a binary or very large file, or if lines were not counted.
    pub(crate) lines: Option<(u64, u64)>,
    pub(crate) is_binary: bool,
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
    let own = OwnIndex(copy.clone());
    match tokio::fs::copy(index.trim_end_matches('\n'), &copy).await {
        Ok(_) => {}
        // A repository without a commit or a staged file has no index yet.
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {}
        Err(why) => return Err(failed(why)),
    }
    Ok((git.at(git.folder()).with("GIT_INDEX_FILE", &copy), own))
}

/// The changed files, by path, and whether some were left out.
pub(crate) async fn files(git: &Git, base: &str, private: &Path) -> Done<(Vec<ChangedFile>, bool)> {
    let others = git.run(&["ls-files", "--others", "--exclude-standard", "-z"]).await?;
    let new: Vec<&str> = others.split('\0').filter(|path| !path.is_empty()).collect();
    let unmerged = git.run(&["ls-files", "--unmerged", "-z"]).await?;
    let (git, _own) = own_index(git, private).await?;
    let is_counted = new.len() <= NEW_MAX;
    if is_counted && !new.is_empty() {
        git.run(&["add", "--intent-to-add", "--", "."]).await?;
    }
    let diff = ["-c", LARGE, "diff", "--raw", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "-M", base, "--"];
    let said = git.run(&diff).await?;
    let is_cut = said.len() >= crate::git::ANSWER_BYTES as usize;
    let mut files = parse(&said);
    // Of the index of git: adding to ours resolves conflicts there.
    let conflicted: HashSet<&str> = unmerged.split('\0').filter_map(|line| Some(line.split_once('\t')?.1)).collect();
    for file in files.iter_mut().filter(|file| conflicted.contains(&*file.path)) {
        file.status = FileStatus::Conflicted;
    }
    if !is_counted {
        let added = |path: &&str| ChangedFile {
            path: (*path).to_owned(),
            old_path: None,
            status: FileStatus::Added,
            lines: None,
            is_binary: false,
        };
        files.extend(new.iter().take(FILES_MAX).map(added));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let is_partial = is_cut || files.len() > FILES_MAX || new.len() > FILES_MAX;
    files.truncate(FILES_MAX);
    Ok((files, is_partial))
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
    let literal = |path: &str| format!(":(literal,top){path}");
    if git.folder().join(path).symlink_metadata().is_ok() {
        git.try_run(&["add", "--intent-to-add", "--", &literal(path)]).await?;
    }
    let mut args = vec!["-c", LARGE, "diff", "--no-ext-diff", "--no-textconv", "--full-index", "-M"];
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
            files.push(ChangedFile { path: path.to_owned(), old_path, status, lines: None, is_binary: false });
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

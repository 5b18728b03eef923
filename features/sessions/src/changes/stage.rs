//! Staging and unstaging parts of a session's work.
//!
//! Hunks are those of the difference from the base, as they are shown. What of a hunk isn't committed is a part of the
//! difference between the last commit and the index, or between the index and the folder: those parts are applied to the
//! index. Files in the folder never change.

use super::Review;
use super::compare::{self, LARGE, Stage};
use super::revert::{Part, Refused, version};
use crate::worktrees::{self, literal};
use ::git::{Failed, Git, POINTERS};
use std::path::Path;

type Done<T> = Result<T, Failed>;

/// What to do with a part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Stage,
    Unstage,
}

/// Lines of one side of a difference. Positions are between lines: 0 is before the first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lines {
    from: usize,
    to: usize,
}

impl Lines {
    /// From a hunk's `start,count`. Without lines, git names the line before.
    fn new(start: usize, count: usize) -> Lines {
        let from = if count == 0 { start } else { start.saturating_sub(1) };
        Lines { from, to: from + count }
    }

    /// Whether other lines overlap these; no lines are a position in or at the edge of them.
    fn touches(self, other: Lines) -> bool {
        match other.from == other.to {
            true => self.from <= other.from && other.to <= self.to,
            false => self.from < other.to && other.from < self.to,
        }
    }
}

/// A hunk of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk<'a> {
    old: Lines,
    new: Lines,
    /// Its lines, with their signs.
    body: &'a [u8],
}

/// The head of a patch of one file, and its hunks.
fn hunks(patch: &[u8]) -> (&[u8], Vec<Hunk<'_>>) {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        if let Some((old, new)) = ranges(line) {
            starts.push((at, at + line.len(), old, new));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|next| next.0).chain([patch.len()]);
    let found = starts.iter().zip(ends).map(|((_, body, old, new), end)| Hunk {
        old: *old,
        new: *new,
        body: &patch[*body..end],
    });
    (&patch[..starts.first().map_or(patch.len(), |first| first.0)], found.collect())
}

/// The lines that a hunk's first line names: `@@ -1,2 +3 @@`.
fn ranges(line: &[u8]) -> Option<(Lines, Lines)> {
    let text = std::str::from_utf8(line.strip_prefix(b"@@ -")?.split(|byte| *byte == b'@').next()?).ok()?;
    let (old, new) = text.trim_end().split_once(" +")?;
    let side = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some(Lines::new(start.parse().ok()?, count.parse().ok()?))
    };
    Some((side(old)?, side(new)?))
}

/// Where lines of the index are in the folder.
fn moved(lines: Lines, unstaged: &[Hunk<'_>]) -> Lines {
    let place = |at: usize, is_end: bool| {
        let mut now = at;
        for Hunk { old, new, .. } in unstaged {
            if old.to < at || (old.to == at && old.from < at) {
                now = new.to + (at - old.to);
            } else if old.from < at {
                return if is_end { new.to } else { new.from };
            } else {
                break;
            }
        }
        now
    };
    let from = place(lines.from, false);
    Lines { from, to: place(lines.to, lines.from < lines.to).max(from) }
}

/// Some hunks of a patch as a patch of their own.
fn patch_of(head: &[u8], hunks: &[&Hunk<'_>]) -> Vec<u8> {
    let is_name = |line: &&[u8]| [&b"diff --git "[..], b"--- ", b"+++ "].iter().any(|start| line.starts_with(start));
    let mut patch = head.split_inclusive(|byte| *byte == b'\n').filter(is_name).collect::<Vec<_>>().concat();
    let mut shift = 0;
    for Hunk { old, new, body } in hunks {
        let (removed, added) = (old.to - old.from, new.to - new.from);
        let start = if removed == 0 { old.from } else { old.from + 1 };
        // Without lines around, git applies a hunk exactly where its new side is.
        let place = old.from.saturating_add_signed(shift) + 1;
        patch.extend_from_slice(format!("@@ -{start},{removed} +{place},{added} @@\n").as_bytes());
        patch.extend_from_slice(body);
        shift += added as isize - removed as isize;
    }
    patch
}

/// The uncommitted differences of a file, without lines around them.
struct Parts {
    /// From the index to the folder.
    unstaged: Vec<u8>,
    /// From the index back to the last commit.
    staged: Vec<u8>,
}

impl Parts {
    /// None if the file can't be staged by hunks: it's new, deleted, renamed, binary, or no file.
    async fn read(git: &Git, path: &str, private: &Path) -> Done<Option<Parts>> {
        let spec = literal(path);
        let listed = git.run(&["ls-files", "--stage", "-z", "--", &spec]).await?;
        let is_file = listed.starts_with("100") && listed.matches('\0').count() == 1;
        let is_here = git.folder().join(path).symlink_metadata().is_ok_and(|found| found.is_file());
        if !is_file || !is_here {
            return Ok(None);
        }
        let unstaged = difference(git, &[], &spec, private).await?;
        let staged = difference(git, &["-R", "--cached", "HEAD"], &spec, private).await?;
        let is_whole = |patch: &Vec<u8>| {
            let (head, _) = hunks(patch);
            let starts = [&b"new file"[..], b"deleted file", b"Binary files", b"GIT binary", b"old mode 12"];
            head.split(|byte| *byte == b'\n').any(|line| starts.iter().any(|start| line.starts_with(start)))
        };
        Ok(Some(Parts { unstaged, staged }).filter(|parts| !is_whole(&parts.unstaged) && !is_whole(&parts.staged)))
    }
}

/// A difference as bytes: through a file, as git's output is read as text.
async fn difference(git: &Git, sides: &[&str], spec: &str, private: &Path) -> Done<Vec<u8>> {
    let failed = |why: std::io::Error| Failed(format!("Couldn't read git's patch: {why}."));
    worktrees::private_folder(private).await.map_err(failed)?;
    let file = private.join(format!("{}.patch", kit::ids::short_id()));
    let output = format!("--output={}", file.to_string_lossy());
    let mut args =
        vec!["-c", LARGE, "diff", "-U0", "--no-ext-diff", "--no-textconv", "--no-renames", POINTERS, &output];
    args.extend(sides.iter().chain(&["--", spec]));
    let done = git.run(&args).await;
    let patch = tokio::fs::read(&file).await;
    let _ = tokio::fs::remove_file(&file).await;
    done?;
    patch.map_err(failed)
}

/// Whether each hunk of a shown patch is staged; none if the file is staged only as a whole.
pub(super) async fn stages(review: &Review, path: &str, shown: &str) -> Done<Vec<Stage>> {
    let Some(parts) = Parts::read(&review.git, path, &review.private).await? else { return Ok(Vec::new()) };
    let (_, shown) = hunks(shown.as_bytes());
    let (_, unstaged) = hunks(&parts.unstaged);
    let (_, staged) = hunks(&parts.staged);
    let of = |hunk: &Hunk<'_>| {
        let is_staged = staged.iter().any(|one| hunk.new.touches(moved(one.old, &unstaged)));
        Stage::of(is_staged, unstaged.iter().any(|one| hunk.new.touches(one.new)))
    };
    Ok(shown.iter().map(of).collect())
}

/// Stages or unstages a file, or one hunk of it.
pub(super) async fn apply(review: &Review, part: &Part<'_>, what: Move) -> Result<(), Refused> {
    let (git, private) = (&review.git, &review.private);
    let shown = compare::patch(git, &review.base, part.path, part.old_path, private).await?;
    if part.version.is_some_and(|wanted| wanted != version(&shown)) {
        return Err(Refused::Changed);
    }
    let paths: Vec<&str> = std::iter::once(part.path).chain(part.old_path).collect();
    let Some(number) = part.hunk else {
        return whole(git, &paths, what).await;
    };
    let (_, all) = hunks(shown.as_bytes());
    let hunk = all.get(number).ok_or(Refused::Missing)?;
    let parts = Parts::read(git, part.path, private).await?.ok_or(Refused::Whole)?;
    let (unstaged_head, unstaged) = hunks(&parts.unstaged);
    let (staged_head, staged) = hunks(&parts.staged);
    let patch = match what {
        Move::Stage => {
            let chosen: Vec<_> = unstaged.iter().filter(|one| hunk.new.touches(one.new)).collect();
            if chosen.is_empty() { Vec::new() } else { patch_of(unstaged_head, &chosen) }
        }
        Move::Unstage => {
            let is_in = |one: &&Hunk<'_>| hunk.new.touches(moved(one.old, &unstaged));
            let chosen: Vec<_> = staged.iter().filter(is_in).collect();
            if chosen.is_empty() { Vec::new() } else { patch_of(staged_head, &chosen) }
        }
    };
    if patch.is_empty() {
        return Err(Refused::Missing);
    }
    let file = private.join(format!("{}.patch", kit::ids::short_id()));
    let unstored = |why: std::io::Error| Failed(format!("Couldn't store the patch: {why}."));
    tokio::fs::write(&file, patch).await.map_err(unstored)?;
    let name = file.to_string_lossy();
    let applied = git.run(&["apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", "--", &name]).await;
    let _ = tokio::fs::remove_file(&file).await;
    Ok(applied.map(drop)?)
}

async fn whole(git: &Git, paths: &[&str], what: Move) -> Result<(), Refused> {
    let mut known = Vec::new();
    for path in paths {
        let is_here = git.folder().join(path).symlink_metadata().is_ok();
        let is_known = is_here || !git.run(&["ls-files", "--", &literal(path)]).await?.is_empty();
        let committed = format!("HEAD:{path}");
        let is_deleted = what == Move::Unstage && !is_known;
        if is_known || is_deleted && git.try_run(&["rev-parse", "--verify", "--quiet", &committed]).await?.0 {
            known.push(*path);
        }
    }
    if known.is_empty() {
        return Err(Refused::Missing);
    }
    match what {
        Move::Stage => worktrees::stage(git, &known).await?,
        Move::Unstage => {
            let specs: Vec<String> = known.iter().map(|path| literal(path)).collect();
            let specs = specs.iter().map(String::as_str);
            let reset = ["reset", "--quiet", "--no-refresh", "HEAD", "--"];
            git.run(&reset.into_iter().chain(specs).collect::<Vec<_>>()).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_read_with_their_lines() {
        let patch = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n@@ -5 +7 @@ fn @@ x\n-@@ -1 +1 @@\n+d\n@@ -9,2 +10,0 @@\n-x\n-y\n";
        let (head, found) = hunks(patch);
        assert_eq!(head, b"diff --git a/f b/f\n--- a/f\n+++ b/f\n");
        let lines = |one: &Hunk<'_>| [one.old.from, one.old.to, one.new.from, one.new.to];
        assert_eq!(found.iter().map(lines).collect::<Vec<_>>(), [[0, 0, 0, 2], [4, 5, 6, 7], [8, 10, 10, 10]]);
        assert_eq!(found[1].body, b"-@@ -1 +1 @@\n+d\n");
        let one = patch_of(head, &[&found[2]]);
        assert_eq!(one, b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -9,2 +9,0 @@\n-x\n-y\n");
    }

    #[test]
    fn lines_of_the_index_are_found_in_the_folder() {
        let patch = b"@@ -0,0 +1,2 @@\n+a\n+b\n@@ -5 +7,3 @@\n-c\n+d\n+e\n+f\n";
        let (_, unstaged) = hunks(patch);
        let at = |from, to| {
            let found = moved(Lines { from, to }, &unstaged);
            (found.from, found.to)
        };
        assert_eq!(at(1, 2), (3, 4));
        assert_eq!(at(4, 5), (6, 9));
        assert_eq!(at(5, 6), (9, 10));
        assert_eq!(at(3, 3), (5, 5));
    }
}

//! A hub's tasks.md on the disk.
//!
//! Invariants: a file is replaced only while it still has the text that was read, by one that is whole; a link's target is
//! read and replaced, never the link.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The file's name.
pub(crate) const NAME: &str = "tasks.md";
/// Maximum bytes of a file.
const BYTES_MAX: u64 = 4 << 20;

/// Tells whether a file was changed, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(u64, u128);

/// The file's stamp; `None` if there is none.
pub(crate) fn stamp(folder: &Path) -> Option<Stamp> {
    let about = fs::metadata(folder.join(NAME)).ok()?;
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Stamp(about.len(), changed.as_nanos()))
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Missing,
    Text(String),
    /// Why it can't be read, for people.
    Problem(String),
}

pub(crate) fn read(folder: &Path) -> Found {
    if !folder.is_dir() {
        return Found::Problem("The hub's folder is missing.".into());
    }
    let path = folder.join(NAME);
    let about = match fs::metadata(&path) {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => return Found::Missing,
        Err(error) => return Found::Problem(format!("Can't read {NAME}: {error}.")),
    };
    if !about.is_file() {
        return Found::Problem(format!("{NAME} isn't a file."));
    }
    if about.len() > BYTES_MAX {
        return Found::Problem(format!(
            "{NAME} is larger than 4 MB. Split it, or move text that isn't tasks elsewhere."
        ));
    }
    match fs::read(&path).map(String::from_utf8) {
        Ok(Ok(text)) => Found::Text(text),
        Ok(Err(_)) => Found::Problem(format!("{NAME} isn't UTF-8 text. Save it as UTF-8.")),
        Err(error) => Found::Problem(format!("Can't read {NAME}: {error}.")),
    }
}

/// Writes the file if it still is as it was read. Returns whether it was.
pub(crate) fn write(folder: &Path, before: Option<&str>, text: &str) -> io::Result<bool> {
    let path = folder.join(NAME);
    let target = fs::canonicalize(&path).unwrap_or(path);
    let now = match fs::read(&target) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if now.as_deref() != before.map(str::as_bytes) {
        return Ok(false);
    }
    let fresh = fresh_name(&target);
    let outcome = (|| {
        let mut file = fs::File::create(&fresh)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Ok(about) = fs::metadata(&target) {
            fs::set_permissions(&fresh, about.permissions())?;
        }
        fs::rename(&fresh, &target)
    })();
    if outcome.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    outcome.map(|()| true)
}

fn fresh_name(target: &Path) -> PathBuf {
    target.with_file_name(format!(".{NAME}.new"))
}

/// What git has checked out in the folder, as its HEAD names it; empty without a repository.
pub(crate) fn head(folder: &Path) -> String {
    for folder in folder.ancestors() {
        let git = folder.join(".git");
        // A worktree's `.git` is a file that names its folder.
        let git = match fs::read_to_string(&git) {
            Ok(text) => folder.join(text.trim().strip_prefix("gitdir: ").unwrap_or_default()),
            Err(_) => git,
        };
        if let Ok(head) = fs::read_to_string(git.join("HEAD")) {
            return head.trim().chars().take(200).collect();
        }
    }
    String::new()
}

//! The one file that holds the command-line token, made so that no other user of the machine can ever have read it.
//!
//! A new token is first written beside the file, under a name that carries the id of the change that records it, and put in
//! the file's place after that change is on disk. So a start after a crash can tell which of the two holds, and
//! [`settle`] sees to it.

use crate::errors::TOKEN_FILE;
use kit::Result;
use kit::error::READ_ONLY;
use kit::ids::{new_id, secret};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The file's name in the data directory.
const NAME: &str = "cli-token";
/// What the name of a new token's file begins with, before it is put in place.
const STAGED: &str = ".cli-token-";
/// Longest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 512;

/// The file and the token in it.
pub struct TokenFile {
    path: PathBuf,
    token: String,
    hash: [u8; 32],
}

/// A new token beside the file; gone again unless it is put in place.
pub(crate) struct Staged {
    fresh: PathBuf,
    file: Option<TokenFile>,
}

impl TokenFile {
    /// Reads the token of this data directory, or makes one. Refuses a file that others may have read.
    pub fn open_or_create(dir: &Path) -> Result<TokenFile> {
        let path = dir.join(NAME);
        let Some(file) = open(&path)? else {
            return Staged::write(path, &new_id())?.put_in_place();
        };
        let mut text = String::new();
        let read = file.take(FILE_BYTES_MAX).read_to_string(&mut text);
        read.map_err(|e| unusable(&path, "can't be read", e))?;
        let token = text.trim().to_owned();
        if !token.starts_with("ph_cli_") || token.len() < 40 {
            return Err(TOKEN_FILE
                .error(format!("{} has no token. Delete it; the next start makes a new one.", path.display())));
        }
        Ok(TokenFile { hash: Sha256::digest(token.as_bytes()).into(), path, token })
    }

    /// Writes a new token beside the file, named by the change that records it.
    pub(crate) fn stage(&self, change_id: &str) -> Result<Staged> {
        Staged::write(self.path.clone(), change_id)
    }

    pub(crate) fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
    pub(crate) fn token(&self) -> &str {
        &self.token
    }
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Staged {
    fn write(path: PathBuf, change_id: &str) -> Result<Staged> {
        let token = format!("ph_cli_{}", secret());
        let fresh = path.with_file_name(format!("{STAGED}{change_id}"));
        let file = TokenFile { hash: Sha256::digest(token.as_bytes()).into(), path, token };
        let opened = platform::new_private_file(&fresh).map_err(|e| unwritten(&file.path, e))?;
        let staged = Staged { fresh, file: Some(file) };
        match staged.fill(opened) {
            Ok(()) => Ok(staged),
            Err(e) => Err(unwritten(&staged.path(), e)),
        }
    }

    fn fill(&self, mut opened: File) -> io::Result<()> {
        if let Some(file) = &self.file {
            opened.write_all(format!("{}\n", file.token).as_bytes())?;
        }
        opened.sync_all()?;
        sync_folder_of(&self.fresh)
    }

    /// Where it will be.
    pub(crate) fn path(&self) -> PathBuf {
        self.fresh.with_file_name(NAME)
    }

    /// Replaces the file. Where that fails the new token stays beside it, for the next start to try again.
    pub(crate) fn put_in_place(mut self) -> Result<TokenFile> {
        let file = self.file.take().ok_or_else(|| TOKEN_FILE.error("The new token is already in place."))?;
        put_in_place(&self.fresh, &file.path)?;
        Ok(file)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.file.is_some() {
            // Left over, it is removed by the next start.
            let _ = fs::remove_file(&self.fresh);
        }
    }
}

fn put_in_place(fresh: &Path, path: &Path) -> Result<()> {
    fs::rename(fresh, path).and_then(|()| sync_folder_of(path)).map_err(|e| unusable(path, "can't be replaced", e))
}

/// The changes whose new tokens wait beside the file, oldest first: what a crash left.
pub(crate) fn waiting(dir: &Path) -> Result<Vec<String>> {
    let looked_at = |e| unusable(dir, "can't be examined", e);
    let mut ids = Vec::new();
    for entry in fs::read_dir(dir).map_err(looked_at)? {
        let name = entry.map_err(looked_at)?.file_name();
        ids.extend(name.to_str().and_then(|name| name.strip_prefix(STAGED)).map(str::to_owned));
    }
    // The ids sort by time.
    ids.sort();
    Ok(ids)
}

/// Ends what a crash interrupted: the token of a change that was recorded is put in place, that of any other removed.
pub(crate) fn settle(dir: &Path, change_id: &str, recorded: bool) -> Result<()> {
    let fresh = dir.join(format!("{STAGED}{change_id}"));
    if recorded {
        return put_in_place(&fresh, &dir.join(NAME));
    }
    // It counts for nothing; where it cannot be removed now, the next start tries again.
    let _ = fs::remove_file(fresh);
    Ok(())
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(dir) = path.parent() {
        File::open(dir)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn unusable(path: &Path, what: &str, e: io::Error) -> kit::Error {
    TOKEN_FILE.error(format!("{} {what}: {e}.", path.display())).caused_by(e)
}

fn unwritten(path: &Path, e: io::Error) -> kit::Error {
    match store::Reason::behind(&e) {
        Some(_) => READ_ONLY.error(format!("{} can't be written: {e}. Free some space and try again.", path.display())),
        None => unusable(path, "can't be written", e),
    }
}

/// Opens the file once and checks what was opened, so that it cannot be exchanged in between. `None` where there is none.
#[cfg(unix)]
fn open(path: &Path) -> Result<Option<File>> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    // A pipe in its place must not hold the program up.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = match fs::OpenOptions::new().read(true).custom_flags(flags as i32).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) if e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err(TOKEN_FILE.error(format!(
                "{} is a symbolic link. Others may have read its target. Run `rm {}`; the next start makes a new file.",
                path.display(),
                kit::ids::shell_word(path)
            )));
        }
        Err(e) => return Err(unusable(path, "can't be opened", e)),
    };
    let found = file.metadata().map_err(|e| unusable(path, "can't be examined", e))?;
    let user = rustix::process::geteuid().as_raw();
    match flaw(found.is_file(), found.mode(), found.uid(), user) {
        Some(flaw) if found.is_file() && found.uid() == user => {
            Err(TOKEN_FILE.error(format!("{} {flaw}. {}", path.display(), kit::ids::close_token_file(path))))
        }
        Some(flaw) => Err(others_may_have_read(path, &flaw)),
        None => Ok(Some(file)),
    }
}

/// Whose a file is, where it is not this user's.
#[cfg(unix)]
pub(crate) fn foreign(owner: u32, user: u32) -> Option<String> {
    (owner != user).then(|| format!("belongs to user {owner}, and this program runs as user {user}"))
}

/// What is wrong with a token file of this kind, mode and owner for this user.
#[cfg(unix)]
pub(crate) fn flaw(plain: bool, mode: u32, owner: u32, user: u32) -> Option<String> {
    match mode & 0o7777 {
        _ if !plain => Some("isn't a plain file".into()),
        _ if owner != user => foreign(owner, user),
        0o600 => None,
        mode => Some(format!("has mode {mode:04o}, not 0600")),
    }
}

#[cfg(unix)]
fn others_may_have_read(path: &Path, flaw: &str) -> kit::Error {
    TOKEN_FILE.error(format!(
        "{} {flaw}. Others may have read it. Delete it; the next start makes a new one.",
        path.display()
    ))
}

/// Takes other users' access to the user's own data directory away. Another user's is refused, also for who may write
/// everywhere. One that they share, such as a folder of temporary files, is refused where they can write: there they could
/// exchange what is in it.
#[cfg(unix)]
pub fn own_folder(dir: &Path) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let looked_at = |e| unusable(dir, "can't be examined", e);
    let folder = File::open(dir).map_err(looked_at)?;
    let found = folder.metadata().map_err(looked_at)?;
    if let Some(whose) = foreign(found.uid(), rustix::process::geteuid().as_raw()) {
        let dir = dir.display();
        return Err(TOKEN_FILE.error(format!(
            "{dir} {whose}, who could exchange the command-line token in it. Choose a data directory of your own, or start \
             the program as its owner."
        )));
    }
    let (mode, sticky) = (found.mode() & 0o7777, found.mode() & 0o1000 != 0);
    if mode & 0o077 == 0 {
        return Ok(());
    }
    if !sticky && folder.set_permissions(fs::Permissions::from_mode(mode & 0o7700)).is_ok() {
        return Ok(());
    }
    if mode & 0o022 == 0 {
        // Others can look at the names and no more: the files in it are the user's alone.
        return Ok(());
    }
    let (dir, word) = (dir.display(), kit::ids::shell_word(dir));
    Err(TOKEN_FILE.error(format!(
        "Other users can write in {dir} (its mode is {mode:04o}), so they could exchange the command-line token. Choose a \
         data directory of your own, or run: chmod 700 {word}"
    )))
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<Option<File>> {
    // The user's profile folder already keeps other users out.
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(unusable(path, "can't be opened", e)),
    }
}

/// Nothing to do: the user's profile folder already keeps other users out.
#[cfg(not(unix))]
pub fn own_folder(_: &Path) -> Result<()> {
    Ok(())
}

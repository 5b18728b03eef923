//! Instruction files on the disk.
//!
//! Invariants: nothing is written through a link; a file is replaced only while it still has the text that was looked at;
//! only what is below the hub's folder is read or written.

use crate::settings::Mirror;
use crate::text::hash;
use kit::setting::Choices;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum bytes of an instruction file.
pub(crate) const BYTES_MAX: u64 = 10 * 1024 * 1024;
const BYTES_MAX_TEXT: &str = "10 MB";

/// Tells files apart, whatever their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity(Vec<u64>, PathBuf);

/// The identity of what a path leads to.
fn identity(path: &Path, about: &Metadata) -> Identity {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let _ = path;
        Identity(vec![about.dev(), about.ino()], PathBuf::new())
    }
    #[cfg(not(unix))]
    {
        let _ = about;
        Identity(Vec::new(), path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }
}

/// The identity of the file of this name, without following a link.
pub(crate) fn identity_of(path: &Path) -> Option<Identity> {
    Some(identity(path, &path.symlink_metadata().ok()?))
}

/// The file that copies are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Missing,
    Text(Vec<u8>, Identity),
    /// Why it can't be copied.
    Problem(String),
}

/// What is where a copy is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Missing,
    File(Vec<u8>),
    /// Why no copy can be there.
    Blocked(String),
}

/// Reads a hub's source file.
pub(crate) fn read_source(folder: &Path, name: &str) -> Source {
    let path = folder.join(name);
    let about = match path.symlink_metadata() {
        Err(why) if why.kind() == ErrorKind::NotFound => return Source::Missing,
        Err(why) => return Source::Problem(format!("Couldn't read {name}: {why}.")),
        Ok(about) => about,
    };
    // A link could lead to what sessions must not see.
    let path = match about.is_symlink() {
        true => match linked_instructions(folder, &path) {
            Some(target) => target,
            None => {
                let why = "a link to another place. Only links to instruction files in the same folder are followed";
                return Source::Problem(format!("{name} is {why}."));
            }
        },
        false => path,
    };
    match read_text(&path) {
        Ok((bytes, identity)) => Source::Text(bytes, identity),
        Err(why) => Source::Problem(format!("{name} {why}.")),
    }
}

/// The target of a link, if it's another instruction file in the folder.
fn linked_instructions(folder: &Path, link: &Path) -> Option<PathBuf> {
    let (top, target) = (folder.canonicalize().ok()?, link.canonicalize().ok()?);
    let name = target.strip_prefix(&top).ok()?.to_str()?;
    Mirror::ALL.iter().any(|known| known.value == name).then_some(target)
}

/// Reads a file that isn't a link; else says why not, after its name.
fn read_text(path: &Path) -> Result<(Vec<u8>, Identity), String> {
    let unread = |why: io::Error| format!("can't be read: {why}");
    let about = path.symlink_metadata().map_err(unread)?;
    if !about.is_file() {
        return Err("isn't a file".to_owned());
    }
    let too_large = || Err(format!("is larger than {BYTES_MAX_TEXT}"));
    if about.len() > BYTES_MAX {
        return too_large();
    }
    let file = File::open(path).map_err(unread)?;
    // It can have been replaced by a link since.
    let opened = identity(path, &file.metadata().map_err(unread)?);
    if opened != identity(path, &about) {
        return Err("changed while it was read".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > BYTES_MAX {
        return too_large();
    }
    if std::str::from_utf8(&bytes).is_err() {
        return Err("isn't UTF-8 text".to_owned());
    }
    Ok((bytes, opened))
}

/// Looks at what is where a copy of the source is to be.
pub(crate) fn inspect(folder: &Path, name: &str, source: Option<(&str, &Identity)>) -> Found {
    if let Some(parent) = Path::new(name).parent().filter(|parent| !parent.as_os_str().is_empty()) {
        let shown = parent.display();
        match folder.join(parent).symlink_metadata() {
            Err(why) if why.kind() == ErrorKind::NotFound => return Found::Missing,
            Err(why) => return Found::Blocked(format!("{shown} can't be read: {why}.")),
            Ok(about) if about.is_symlink() => return Found::Blocked(format!("{shown} is a link.")),
            Ok(about) if !about.is_dir() => return Found::Blocked(format!("{shown} isn't a folder.")),
            Ok(_) => {}
        }
    }
    let path = folder.join(name);
    let about = match path.symlink_metadata() {
        Err(why) if why.kind() == ErrorKind::NotFound => return Found::Missing,
        Err(why) => return Found::Blocked(format!("{name} can't be read: {why}.")),
        Ok(about) => about,
    };
    let is_source = |found: &Identity| source.is_some_and(|(_, identity)| identity == found);
    let of = source.map_or("another file", |(name, _)| name);
    if about.is_symlink() {
        let target = path.metadata().ok().map(|target| identity(&path, &target));
        return Found::Blocked(match target.as_ref().is_some_and(is_source) {
            true => format!("{name} is a link to {of}, so it always has the same text."),
            false => format!("{name} is a link. Replace it with a file, or remove it from the list."),
        });
    }
    if about.is_dir() {
        return Found::Blocked(format!("{name} is a folder."));
    }
    if is_source(&identity(&path, &about)) {
        return Found::Blocked(format!("{name} is the same file as {of}."));
    }
    match read_text(&path) {
        Ok((bytes, _)) => Found::File(bytes),
        Err(why) => Found::Blocked(format!("{name} {why}.")),
    }
}

/// Writes a file: a new one, or in place of the one with this hash.
pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8], replaces: Option<&str>) -> io::Result<()> {
    let path = folder.join(name);
    let parent = path.parent().unwrap_or(folder);
    if parent != folder && parent.symlink_metadata().is_err() {
        std::fs::create_dir(parent)?;
    }
    let permissions = match replaces {
        Some(_) => Some(path.symlink_metadata()?.permissions()),
        None => None,
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pilothouse-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(parent)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    let changed = || io::Error::other("it changed meanwhile");
    match (replaces, permissions) {
        (Some(expected), Some(permissions)) => {
            temporary.as_file().set_permissions(permissions)?;
            match inspect(folder, name, None) {
                Found::File(found) if hash(&found) == expected => {}
                _ => return Err(changed()),
            }
            temporary.persist(&path)?;
        }
        _ => {
            temporary.persist_noclobber(&path)?;
        }
    }
    Ok(())
}

/// Deletes a file with one of these hashes, and its own folder if that is empty then. False if it has another text.
pub(crate) fn delete(folder: &Path, name: &str, hashes: &[&str]) -> io::Result<bool> {
    match inspect(folder, name, None) {
        Found::Missing => return Ok(true),
        Found::File(found) if hashes.contains(&&*hash(&found)) => {}
        _ => return Ok(false),
    }
    let path = folder.join(name);
    std::fs::remove_file(&path)?;
    if let Some(parent) = path.parent().filter(|parent| *parent != folder) {
        // Only an empty folder can be removed.
        let _ = std::fs::remove_dir(parent);
    }
    Ok(true)
}

/// What changes when a file does: length, times, and identity.
pub(crate) type Print = Option<(u64, Option<std::time::SystemTime>, Vec<i64>)>;

/// The prints of files in a folder, links not followed.
pub(crate) fn prints(folder: &Path, names: &[&str]) -> Vec<Print> {
    let print = |name: &&str| {
        let about = folder.join(name).symlink_metadata().ok()?;
        #[cfg(unix)]
        let more = {
            use std::os::unix::fs::MetadataExt;
            vec![about.ino() as i64, about.ctime(), about.ctime_nsec(), i64::from(about.mode())]
        };
        #[cfg(not(unix))]
        let more = vec![i64::from(about.is_dir()), i64::from(about.is_symlink())];
        Some((about.len(), about.modified().ok(), more))
    };
    names.iter().map(print).collect()
}

//! The files of the data directory: private to the user, and named by when they last changed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The folder that a file is in.
pub(crate) fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The database's companion: `-wal`, `-shm`.
pub(crate) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Bytes of a file, 0 where there is none.
pub(crate) fn size(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |m| m.len())
}

/// Whether the folder holds what only a program makes that has opened its database, or what is not the store's.
pub(crate) fn holds_more(folder: &Path) -> bool {
    let is_ours = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("pilothouse.");
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| !is_ours(&entry.file_name())))
}

/// Makes a folder that only the user can enter. One that is there keeps its mode.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    sync_folder(folder_of(folder))
}

/// Opens a file for reading and writing, making it for the user alone where there is none. A symbolic link is not followed:
/// what it names would be written over.
pub(crate) fn open_private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    }
    options.open(file)
}

/// Makes the database file where there is none, and takes other users' access to it away. SQLite gives `-wal` and
/// `-shm` the mode of the database file.
pub(crate) fn make_private(file: &Path) -> io::Result<()> {
    if !file.exists() {
        open_private(file)?;
    }
    #[cfg(unix)]
    for path in [file.to_owned(), beside(file, "-wal"), beside(file, "-shm")] {
        use std::os::unix::fs::PermissionsExt;
        match fs::metadata(&path) {
            Ok(found) if found.permissions().mode() & 0o077 != 0 => {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Lets the companions of a database be written where it can be itself: one that was opened while it could not be written
/// leaves them as it was, and SQLite would then refuse every change.
pub(crate) fn let_companions_be_written(file: &Path) {
    #[cfg(unix)]
    if OpenOptions::new().write(true).open(file).is_ok() {
        use std::os::unix::fs::PermissionsExt;
        for path in [beside(file, "-wal"), beside(file, "-shm")] {
            if fs::metadata(&path).is_ok_and(|found| found.permissions().mode() & 0o200 == 0) {
                // Where this fails, the changes are refused and the reason is told.
                let _ = fs::set_permissions(&path, fs::Permissions::from_mode(0o600));
            }
        }
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// Which file stands at a path; none where no file does, or where the system does not let an open file go.
pub(crate) fn which(file: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(file).ok().map(|found| (found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}

/// Makes what was created, renamed or removed in a folder last through a power failure.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// When the database last changed, as file names carry it (`20260301T120000Z`). Taken from the files and not from a
/// clock: the name then says which state the file holds.
pub(crate) fn changed_stamp(file: &Path) -> String {
    let modified = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    let newest = modified(file).max(modified(&beside(file, "-wal")));
    let ms = newest.and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_millis() as i64);
    let time = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

//! Copies of the database, and the way back from one.

use crate::db::Db;
use crate::driver::COPY;
use crate::errors::{BACKUP_NOT_USABLE, Reason, failed, not_writable};
use crate::files::{self, beside, changed_stamp, folder_of, make_folder, sync_folder};
use crate::lock::Lock;
use crate::migrate::{self, Features};
use crate::open;
use crate::readers::Readers;
use crate::status::Integrity;
use kit::Migration;
use kit::error::{self, Result};
use rusqlite::{Connection, OpenFlags};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The database's name in the data directory.
pub const FILE_NAME: &str = "pilothouse.db";
/// The folder of backups in the data directory.
pub const BACKUPS_FOLDER: &str = "backups";
/// How often a running program looks whether a day has passed since the newest backup.
const LOOK_EVERY: Duration = Duration::from_secs(60 * 60);
/// Backups made before updates that are kept; older ones are removed.
const BACKUPS_BEFORE_UPDATES_MAX: usize = 10;
/// Backups made on request that are kept.
pub const BACKUPS_REQUESTED_MAX: usize = 20;
/// Backups made as time went by that are kept.
const BACKUPS_BY_TIME_MAX: usize = 7;

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// What was restored.
    pub backup: PathBuf,
    /// The database, now holding the backup.
    pub database: PathBuf,
    /// Where the database that was there before is kept, if there was one.
    pub set_aside: Option<PathBuf>,
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was restored from {}.", self.database.display(), self.backup.display())?;
        match &self.set_aside {
            Some(aside) => write!(f, " The previous file is saved as {}.", aside.display()),
            None => Ok(()),
        }
    }
}

/// The backups found in the data directory, newest first.
pub fn backups(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir.join(BACKUPS_FOLDER)) else { return Vec::new() };
    let name = |path: &PathBuf| path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| name(path).starts_with("pilothouse-") && name(path).ends_with(".db"));
    found.sort_by_key(|path| std::cmp::Reverse(name(path)));
    found
}

/// Puts a backup, the newest where none is named, in the place of the database in `dir`, which is kept as
/// `pilothouse.db.damaged-<time>`. The backup itself stays. Refused while a program is using the directory, and where the
/// backup does not pass the check, or is of a newer version than these features know.
pub fn restore(
    dir: &Path,
    backup: Option<&Path>,
    features: &[(&'static str, &'static [Migration])],
) -> Result<Restored> {
    let newest = backups(dir).into_iter().next();
    let backup = backup.map(Path::to_owned).or(newest).ok_or_else(|| {
        let folder = dir.join(BACKUPS_FOLDER);
        let how = "Name the file to restore. To make a backup, run `pilothouse backup` while Pilothouse runs.";
        BACKUP_NOT_USABLE.error(format!("No backup in {}. {how}", folder.display()))
    })?;
    make_folder(dir).map_err(|e| not_writable(dir, "Creating the data directory", e))?;
    let database = dir.join(FILE_NAME);
    let lock = Lock::take(dir, Duration::ZERO, &|| false)?
        .ok_or_else(|| not_writable(dir, "Writing to", "permission was denied"))?;
    let moving = |e| not_writable(&database, "Replacing", e);

    // The copy is whole, checked and on disk before anything is moved. Copying through SQLite takes along what waits in
    // a log beside the backup.
    let copy = beside(&database, ".restoring");
    copy_database(&verify(&backup, features)?, &copy)?;
    verify(&copy, features)?;

    let mut set_aside = None;
    if database.exists() || beside(&database, "-wal").exists() {
        let aside = free_name(&beside(&database, &format!(".damaged-{}", changed_stamp(&database))));
        // The log goes first: beside another database it would be taken for a log of that one.
        for suffix in ["-shm", "-wal"] {
            if beside(&database, suffix).exists() {
                fs::rename(beside(&database, suffix), beside(&aside, suffix)).map_err(moving)?;
            }
        }
        // With a second name for the old file, there is at no instant no database.
        if database.exists() && fs::hard_link(&database, &aside).is_err() {
            fs::rename(&database, &aside).map_err(moving)?;
        }
        set_aside = Some(aside);
    }
    fs::rename(&copy, &database).map_err(moving)?;
    sync_folder(dir).map_err(moving)?;
    drop(lock);
    Ok(Restored { backup, database, set_aside })
}

impl Db {
    /// Writes a copy of the database, as it is now, to a file that does not exist yet.
    pub async fn backup(&self, file: &Path) -> Result<()> {
        let (readers, file) = (self.readers.clone(), file.to_owned());
        let run = move || {
            if file.exists() {
                return Err(error::CONFLICT.error(format!("{} exists and isn't overwritten.", file.display())));
            }
            readers.apart(|connection| copy_database(connection, &file))
        };
        tokio::task::spawn_blocking(run)
            .await
            .unwrap_or_else(|fault| Err(error::INTERNAL.error("Backup failed.").caused_by(fault)))
    }

    /// Writes a backup to the folder of backups, and removes the oldest of those that were requested beyond
    /// [`BACKUPS_REQUESTED_MAX`]. The new file.
    pub async fn backup_now(&self) -> Result<PathBuf> {
        if matches!(self.integrity(), Integrity::Damaged(_)) {
            return Err(error::CONFLICT.error("The database is damaged, so it isn't backed up. Restore a backup."));
        }
        let file = self.readers.file().to_owned();
        let folder = folder_of(&file).join(BACKUPS_FOLDER);
        make_folder(&folder).map_err(|e| not_writable(&folder, "Making the folder of backups", e))?;
        let backup = folder.join(format!("pilothouse-{}{BY_REQUEST}", later_stamp(&file)));
        self.backup(&backup).await?;
        keep_newest(&file, BY_REQUEST, BACKUPS_REQUESTED_MAX)?;
        Ok(backup)
    }

    /// Keeps a backup of each day for as long as it is awaited: a program may run for weeks without a start. `now_ms` is
    /// asked at every look, because the time of timers stands still while a machine sleeps.
    pub async fn keep_backups(&self, now_ms: impl Fn() -> i64) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if self.integrity() != Integrity::Sound || self.read_only().is_some() || !self.is_in_place() {
                continue;
            }
            let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now_ms()).unwrap_or(0));
            let readers = self.readers.clone();
            let run = move || backup_by_time(&readers, readers.file(), open::BACKUP_AGE_MAX, now);
            if let Err(fault) = tokio::task::spawn_blocking(run).await {
                tracing::error!(%fault, "the day's backup failed");
            }
        }
    }
}

/// Keeps a copy of the database as it is before an update of its tables.
pub(crate) fn backup_before(connection: &Connection, file: &Path, feature: &str, number: u32) -> Result<()> {
    let folder = folder_of(file).join(BACKUPS_FOLDER);
    make_folder(&folder).map_err(|e| not_writable(&folder, "Making the folder of backups", e))?;
    let name = format!("pilothouse-{}-before-{feature}-{number}.db", stamp(file));
    copy_database(connection, &folder.join(name))?;
    keep_newest(file, "-before-", BACKUPS_BEFORE_UPDATES_MAX)
}

/// Keeps a copy of the database where the newest is older than this, beside everything else: damage must find one to go
/// back to. What stands in the way is logged; the program is no worse off than before.
pub(crate) fn backup_by_time(readers: &Readers, file: &Path, older_than: Duration, now: SystemTime) {
    remove_partial(&folder_of(file).join(BACKUPS_FOLDER));
    let newest = backups(folder_of(file)).first().and_then(|path| fs::metadata(path).ok()?.modified().ok());
    if newest.is_some_and(|made| now.duration_since(made).is_ok_and(|age| age < older_than)) {
        return;
    }
    let folder = folder_of(file).join(BACKUPS_FOLDER);
    let backup = folder.join(format!("pilothouse-{}{BY_TIME}", stamp(file)));
    if backup.exists() {
        return;
    }
    let made = make_folder(&folder)
        .map_err(|e| not_writable(&folder, "Making the folder of backups", e))
        .and_then(|()| readers.apart(|connection| copy_database(connection, &backup)))
        .and_then(|()| keep_newest(file, BY_TIME, BACKUPS_BY_TIME_MAX));
    if let Err(error) = made {
        tracing::warn!(file = %backup.display(), error = %error.detail(), "no backup was made");
    }
}

/// What the name of a backup says of when the database changed. It sorts behind the names of those there are: one that was
/// made while the clock went ahead must not stay the newest.
fn stamp(file: &Path) -> String {
    let own = changed_stamp(file);
    let newest = newest_stamp(file);
    match newest.split_once('.') {
        _ if newest.split('.').next().unwrap_or_default() <= own.as_str() => own,
        Some((time, count)) => format!("{time}.{:04}", count.parse().unwrap_or(0) + 1),
        None => format!("{newest}.0001"),
    }
}

fn newest_stamp(file: &Path) -> String {
    let newest = backups(folder_of(file)).into_iter().next();
    let newest = newest.and_then(|path| Some(path.file_name()?.to_str()?.strip_prefix("pilothouse-")?.to_owned()));
    newest.and_then(|name| Some(name.split_once('-')?.0.to_owned())).unwrap_or_default()
}

/// The same, also later than a backup of the same second.
fn later_stamp(file: &Path) -> String {
    let (own, newest) = (stamp(file), newest_stamp(file));
    match newest.split_once('.').unwrap_or((&newest, "0")) {
        (time, count) if time == own => format!("{own}.{:04}", count.parse().unwrap_or(0) + 1),
        _ => own,
    }
}

/// Removes copies that a stop of the program left unfinished.
fn remove_partial(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "partial")
            && let Err(error) = fs::remove_file(&path)
        {
            tracing::warn!(file = %path.display(), %error, "an unfinished backup could not be removed");
        }
    }
}

/// How the names of backups end that were requested.
const BY_REQUEST: &str = "-requested.db";
/// How the names of backups end that were made as time went by.
const BY_TIME: &str = "-daily.db";

fn keep_newest(file: &Path, of_kind: &str, count: usize) -> Result<()> {
    let of_kind = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().contains(of_kind));
    for old in backups(folder_of(file)).into_iter().filter(of_kind).skip(count) {
        fs::remove_file(&old).map_err(|e| not_writable(&old, "Removing the old backup", e))?;
    }
    Ok(())
}

/// Copies a database through SQLite, under another name until it is whole and on disk. The copy has a number of its own
/// ([`crate::Tx::copy`]).
fn copy_database(connection: &Connection, target: &Path) -> Result<()> {
    let partial = beside(target, ".partial");
    let failing = |e: std::io::Error| not_writable(&partial, "Writing the backup", e);
    let path = partial.to_str().ok_or_else(|| not_writable(&partial, "Writing the backup", "its name is not UTF-8"))?;
    let copy = || -> Result<()> {
        files::open_private(&partial).and_then(|f| f.set_len(0)).map_err(failing)?;
        connection.execute("VACUUM INTO ?1", [path]).map_err(|e| match Reason::from_sqlite(&e) {
            Some(_) => not_writable(&partial, "Writing the backup", e),
            None => failed(e),
        })?;
        number(&partial).map_err(failed)?;
        files::open_private(&partial).and_then(|f| f.sync_all()).map_err(failing)?;
        fs::rename(&partial, target).map_err(failing)?;
        sync_folder(folder_of(target)).map_err(failing)
    };
    let outcome = copy();
    if outcome.is_err() {
        // What is left of it is of no use; that it cannot be removed either changes nothing about the failure.
        let _ = fs::remove_file(&partial);
    }
    outcome
}

/// Gives a copy another number than any other has.
fn number(copy: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(copy)?;
    let number: i64 = connection.query_row("SELECT 1 + abs(random() % 2147483647)", (), |row| row.get(0))?;
    connection.pragma_update(None, COPY, number)
}

/// Opens a file that is a sound database of this program, to be read.
fn verify(file: &Path, features: Features<'_>) -> Result<Connection> {
    let unusable = |why: String| BACKUP_NOT_USABLE.error(format!("Can't restore {}: {why}.", file.display()));
    if !file.is_file() {
        return Err(unusable("file not found".into()));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(|e| unusable(e.to_string()))?;
    let done = migrate::done(&connection).map_err(|e| unusable(e.to_string()))?;
    if done.is_empty() {
        return Err(unusable("it isn't a Pilothouse database".into()));
    }
    migrate::refuse_newer(file, &done, features)?;
    match open::check(&connection) {
        Some(finding) => Err(unusable(format!("it is damaged ({finding})"))),
        None => Ok(connection),
    }
}

/// The name, or the name with the first number behind it that is not taken.
fn free_name(wanted: &Path) -> PathBuf {
    let numbered = (2..).map(|n: u32| beside(wanted, &format!("-{n}")));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|path| !path.exists()).expect("the numbers do not end")
}

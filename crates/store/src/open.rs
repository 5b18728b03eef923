//! From a path to a handle: lock, look, mend the tables, write.

use crate::db::Db;
use crate::errors::{self, DATA_DIR_NOT_WRITABLE, Reason, failed, not_writable};
use crate::files::{self, beside, folder_of, size};
use crate::lock::Lock;
use crate::migrate::{self, Features};
use crate::readers::Readers;
use crate::rescue;
use crate::status::{Integrity, Status};
use crate::writer::{Unconnected, Writer, Writes};
use kit::error::Result;
use rusqlite::Connection;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long a program that holds the folder is given to end: longer than one takes that finishes what it was asked for.
const ENDING_PROGRAM_MAX: Duration = Duration::from_secs(10);

/// How old the newest backup may be.
pub(crate) const BACKUP_AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// What tests set otherwise.
pub(crate) struct Options<'a> {
    /// How long another program's transaction is waited for.
    pub(crate) busy: Duration,
    /// How long another program that holds the folder is given to end.
    pub(crate) ending: Duration,
    /// Whether to go on waiting for it.
    pub(crate) waits: &'a dyn Fn() -> bool,
    /// Files up to this size are checked before the program starts, larger ones beside it.
    pub(crate) check_first_bytes_max: u64,
    /// How old the newest backup may be at a start.
    pub(crate) backup_age_max: Duration,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            busy: Duration::from_secs(5),
            ending: ENDING_PROGRAM_MAX,
            waits: &|| true,
            check_first_bytes_max: 64 * 1024 * 1024,
            backup_age_max: BACKUP_AGE_MAX,
        }
    }
}

pub(crate) fn open(file: &Path, features: Features<'_>, options: Options<'_>) -> Result<Db> {
    let folder = folder_of(file);
    files::make_folder(folder).map_err(|e| not_writable(folder, "Making the data directory", e))?;
    if file.is_dir() {
        return Err(not_writable(file, "Opening the database", "a folder has its name"));
    }
    let lock = Lock::take(folder, options.ending, options.waits)?;
    let status = Arc::new(Status::new());
    let readers = Arc::new(Readers::new(file, options.busy));
    // To SQLite a file of one byte is an empty one.
    let exists = size(file) > 1;
    if !exists && size(&beside(file, "-wal")) > 0 {
        return Err(damaged(file, "it is empty, but changes to it wait in its log"));
    }
    if !exists && file.exists() && files::holds_more(folder) {
        return Err(damaged(file, "it is empty, although the data directory was in use; to begin anew, remove it"));
    }
    if !exists && !rescue::backups(folder).is_empty() {
        // Beginning anew would in time also let go of the backups.
        let finding = if file.exists() { "it is empty" } else { "it is gone" };
        let finding = format!("{finding}, but there are backups of it; to begin anew, move their folder away");
        return Err(damaged(file, &finding));
    }

    files::let_companions_be_written(file);
    let mut done = Default::default();
    let check_later = size(file) > options.check_first_bytes_max;
    if exists {
        let header = Header::read(file).map_err(|e| not_writable(file, "Opening the database", e))?;
        if header.as_ref().is_some_and(Header::is_newer) {
            return Err(errors::newer(file, "the format of the file"));
        }
        // SQLite takes what is missing of the last page for zeros.
        let missing = header.map_or(0, |header| header.bytes().saturating_sub(size(file)));
        if missing > 0 && size(&beside(file, "-wal")) == 0 {
            return Err(damaged(file, &format!("its last {missing} bytes are missing")));
        }
        // Over a connection that cannot write: a database that is damaged or newer is left as it is.
        let connection = readers.probe().map_err(|e| unreadable(file, e))?;
        let steps = migrate::done(&connection);
        // The check is by the rules of this version, so a newer database could fail it.
        if let Ok(steps) = &steps {
            migrate::refuse_newer(file, steps, features)?;
        }
        if !check_later && let Some(finding) = check(&connection) {
            return Err(damaged(file, &finding));
        }
        done = steps.map_err(|e| unreadable(file, e))?;
        if done.is_empty() && migrate::foreign(&connection).map_err(|e| unreadable(file, e))? {
            return Err(damaged(file, "it is the database of another program"));
        }
    }

    if exists {
        status.opened(file);
    }
    let mut writer = Writer {
        file: file.to_owned(),
        busy: options.busy,
        connection: None,
        readers,
        status: status.clone(),
        was_lone_and_quick: false,
        lock,
    };
    match writer.connect() {
        Ok(()) => {}
        Err(Unconnected::Hindered(reason, _)) if exists => status.set_read_only(Some(reason)),
        Err(Unconnected::Hindered(_, cause)) => {
            return Err(not_writable(file, "Making the database", cause.detail().to_owned()).caused_by(cause));
        }
        Err(Unconnected::Failed(e)) => return Err(e),
    }

    let pending = migrate::pending(&done, features);
    if let Some((feature, step)) = pending.first() {
        let Some(connection) = &writer.connection else {
            return Err(cannot_update(file, status.read_only()));
        };
        if !done.is_empty() {
            rescue::backup_before(connection, file, feature, step.number)?;
        }
        migrate::run(connection, &pending)?;
    }

    let readers = writer.readers.clone();
    if !check_later {
        status.checked(None);
    }
    if exists {
        let backup_age_max = options.backup_age_max;
        look_after(readers.clone(), status.clone(), file, check_later, backup_age_max)?;
    }
    Ok(Db { writes: Writes::new(writer), readers, status })
}

/// What the first bytes of a database say of the whole file.
struct Header {
    read_version: u8,
    page_bytes: u64,
    pages: u64,
}

impl Header {
    /// The newest format that SQLite reads so far: that of a write-ahead log.
    const READ_VERSION_MAX: u8 = 2;

    /// None where the file has none, or does not say how many pages it has.
    fn read(file: &Path) -> std::io::Result<Option<Header>> {
        let mut head = Vec::with_capacity(100);
        std::fs::File::open(file)?.take(100).read_to_end(&mut head)?;
        if head.len() < 100 || !head.starts_with(b"SQLite format 3\0") {
            return Ok(None);
        }
        let number = |at: usize| u64::from(u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        let page_bytes = match u64::from(u16::from_be_bytes([head[16], head[17]])) {
            1 => 65_536,
            bytes => bytes,
        };
        // The number of pages holds where the change counter beside it is that of the last change.
        let pages = if number(24) == number(92) { number(28) } else { 0 };
        Ok(Some(Header { read_version: head[19], page_bytes, pages }))
    }

    fn is_newer(&self) -> bool {
        self.read_version > Self::READ_VERSION_MAX
    }

    fn bytes(&self) -> u64 {
        self.page_bytes * self.pages
    }
}

/// The first fault that SQLite finds in the file, if any.
pub(crate) fn check(connection: &Connection) -> Option<String> {
    match connection.query_row("PRAGMA quick_check(1)", (), |row| row.get::<_, String>(0)) {
        Ok(answer) if answer == "ok" => None,
        Ok(finding) => Some(finding.replace('\n', " ")),
        Err(e) => Some(e.to_string()),
    }
}

/// What is done beside the start: the check of a large file, and the backup of a day.
fn look_after(
    readers: Arc<Readers>,
    status: Arc<Status>,
    file: &Path,
    check: bool,
    backup_age_max: Duration,
) -> Result<()> {
    let path = file.to_owned();
    let run = move || {
        if check {
            check_beside(&readers, &status, &path);
        }
        if status.integrity() == Integrity::Sound && status.read_only().is_none() {
            rescue::backup_by_time(&readers, &path, backup_age_max, SystemTime::now());
        }
    };
    let started = std::thread::Builder::new().name("store-care".into()).spawn(run);
    started.map(drop).map_err(|e| not_writable(file, "Starting the check of", e))
}

fn check_beside(readers: &Readers, status: &Status, path: &Path) {
    let finding = match readers.apart(|connection| Ok(check(connection))) {
        Ok(finding) => finding,
        Err(e) => {
            tracing::error!(file = %path.display(), error = %e, "the database could not be checked");
            return status.unchecked(e.detail());
        }
    };
    if let Some(finding) = &finding {
        tracing::error!(file = %path.display(), finding, "the database is damaged");
    }
    status.checked(finding);
}

fn damaged(file: &Path, finding: &str) -> kit::Error {
    errors::damaged(file, finding, &rescue::backups(folder_of(file)))
}

fn unreadable(file: &Path, e: rusqlite::Error) -> kit::Error {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    match e.sqlite_error_code() {
        Some(DatabaseCorrupt | NotADatabase) => damaged(file, &e.to_string()).caused_by(e),
        _ if Reason::from_sqlite(&e).is_some() => not_writable(file, "Opening the database", e),
        _ => failed(e),
    }
}

fn cannot_update(file: &Path, reason: Option<Reason>) -> kit::Error {
    let reason = reason.unwrap_or(Reason::NotWritable);
    DATA_DIR_NOT_WRITABLE.error(format!(
        "The tables of {} must be brought up to date for this version of the program. {reason}",
        file.display()
    ))
}

//! Which tokens were revoked, kept beside the database: a backup that is restored still holds those of its day, and must not
//! bring one back that was taken away since.

use kit::Result;
use kit::error::READ_ONLY;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file's name in the data directory: a hash on each line, in the form in which the database has it.
const NAME: &str = "revoked-tokens";

/// The list in a data directory.
pub(crate) struct Revoked(PathBuf);

impl Revoked {
    pub(crate) fn new(dir: &Path) -> Revoked {
        Revoked(dir.join(NAME))
    }

    /// All that are on it.
    pub(crate) fn read(&self) -> Result<HashSet<String>> {
        match fs::read(&self.0) {
            // A line that is no hash is of no token; it must not stand in the way of those that are.
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(HashSet::new()),
            Err(e) => Err(READ_ONLY.error(format!("Couldn't read {}: {e}.", self.0.display()))),
        }
    }

    /// Adds one, and answers once it is on disk.
    pub(crate) fn add(&self, hash: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.0)?;
        // In one piece: of what a crash cuts off, the next line must not become a part.
        file.write_all(format!("\n{hash}").as_bytes())?;
        file.sync_data()
    }
}

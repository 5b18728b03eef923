//! Secrets in files of the data directory: each sealed in a file of its own, the key in one beside them.

use crate::seal::{KEY_BYTES, Sealer};
use crate::{Unkept, Vault};
use kit::Secret;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use zeroize::Zeroizing;

/// The folder within the data directory.
const FOLDER: &str = "secrets";
/// The key's file. Backups and exports hold the database alone, so it is in none of them.
const KEY: &str = "key";
/// What stands behind the name of a file that is being written.
const FRESH: &str = "new";
/// The longest sealed file that is read; a longer one is none of ours.
const SEALED_BYTES_MAX: u64 = 256 * 1024;
/// What values in files are sealed for, beside the account and the slot.
const PURPOSE: &str = "file";

pub(crate) struct Files {
    folder: PathBuf,
    /// One writes at a time: files that are being written have one name each.
    writing: Mutex<()>,
}

impl Files {
    pub(crate) fn new(dir: &Path) -> Files {
        Files { folder: dir.join(FOLDER), writing: Mutex::default() }
    }

    /// With the key, which is made where there is none yet.
    pub(crate) fn sealer(&self) -> Result<Sealer, Unkept> {
        let _writing = self.writing.lock().unwrap_or_else(|broken| broken.into_inner());
        self.key().map(|key| Sealer::new(&key)).map_err(|why| self.unusable(KEY, &why))
    }

    fn key(&self) -> io::Result<Zeroizing<[u8; KEY_BYTES]>> {
        self.make_folder()?;
        let path = self.folder.join(KEY);
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        match open_own(&path) {
            Ok(mut file) => {
                file.read_exact(&mut *key)?;
                if file.read(&mut [0])? > 0 {
                    return Err(io::Error::new(ErrorKind::InvalidData, format!("it's longer than {KEY_BYTES} bytes")));
                }
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {
                getrandom::fill(&mut *key).map_err(io::Error::other)?;
                self.write(KEY, &*key)?;
            }
            Err(e) => return Err(e),
        }
        Ok(key)
    }

    fn make_folder(&self) -> io::Result<()> {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "its mode is set on Unix only"))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&self.folder) {
            Err(e) if e.kind() != ErrorKind::AlreadyExists => Err(e),
            _ if !fs::symlink_metadata(&self.folder)?.is_dir() => {
                Err(io::Error::new(ErrorKind::InvalidData, "it isn't a folder"))
            }
            _ => Ok(()),
        }
    }

    /// Writes a file that is on disk whole before it has its name.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (path, fresh) = (self.folder.join(name), self.folder.join(format!("{name}.{FRESH}")));
        let _ = fs::remove_file(&fresh);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&fresh, &path)?;
        self.sync_folder()
    }

    fn sync_folder(&self) -> io::Result<()> {
        if cfg!(unix) { File::open(&self.folder)?.sync_all() } else { Ok(()) }
    }

    fn unusable(&self, name: &str, why: &io::Error) -> Unkept {
        Unkept(format!("Can't use {} for secrets: {why}.", self.folder.join(name).display()))
    }
}

/// Opens a file that others of the machine cannot have written or read.
fn open_own(path: &Path) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidData, "it isn't a file"));
    }
    let file = File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata()?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let what = format!(
                "other users could read it (mode {mode:04o}). Set its mode to 0600 and replace the secrets it protects"
            );
            return Err(io::Error::new(ErrorKind::PermissionDenied, what));
        }
    }
    Ok(file)
}

/// The name of a value's file: names of accounts and slots stay out of the file system.
fn name(account: &str, slot: &str) -> String {
    let mut hash = Sha256::new();
    hash.update((account.len() as u64).to_le_bytes());
    hash.update(account);
    hash.update(slot);
    kit::ids::hex(&hash.finalize())
}

impl Vault for Files {
    fn put(&self, account: &str, slot: &str, value: &Secret) -> Result<(), Unkept> {
        let sealed = self.sealer()?.seal(&[PURPOSE, account, slot], value);
        let _writing = self.writing.lock().unwrap_or_else(|broken| broken.into_inner());
        self.write(&name(account, slot), &sealed).map_err(|why| self.unusable("", &why))
    }

    fn get(&self, account: &str, slot: &str) -> Result<Option<Secret>, Unkept> {
        let name = name(account, slot);
        let file = match open_own(&self.folder.join(&name)) {
            Ok(file) => file,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(self.unusable(&name, &e)),
        };
        let mut sealed = Vec::new();
        file.take(SEALED_BYTES_MAX).read_to_end(&mut sealed).map_err(|e| self.unusable(&name, &e))?;
        self.sealer()?.open(&[PURPOSE, account, slot], &sealed).map(Some)
    }

    fn forget(&self, account: &str, slot: &str) -> Result<(), Unkept> {
        match fs::remove_file(self.folder.join(name(account, slot))) {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(self.unusable("", &e)),
            Ok(()) => self.sync_folder().map_err(|e| self.unusable("", &e)),
        }
    }
}

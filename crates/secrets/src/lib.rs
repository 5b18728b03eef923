//! Where secrets are kept: in the system's keychain, or sealed in files of the data directory where none runs.
//!
//! Invariants: a value is never in a log or an error; what is kept under one account's name is never read under another's; a file
//! is whole or not there.
//! Deliberately not here: who may keep or read what, and the list of what there is. That is of whoever keeps it.

mod files;
mod keychain;
mod seal;

pub use seal::Sealer;

use files::Files;
use keychain::Keychain;
use kit::Secret;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

/// A place in which secrets are kept by account and slot. Its calls may take as long as a person takes to unlock a keychain, so they
/// are made on a thread that may wait.
pub trait Vault: Send + Sync {
    /// Keeps a value, in the place of the one before.
    fn put(&self, account: &str, slot: &str, value: &Secret) -> Result<(), Unkept>;
    /// The value, where there is one.
    fn get(&self, account: &str, slot: &str) -> Result<Option<Secret>, Unkept>;
    /// Forgets a value; one that is not there is forgotten already.
    fn forget(&self, account: &str, slot: &str) -> Result<(), Unkept>;
}

/// Why a place did not do what was asked, in words for the person. It never says anything of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Unkept(pub String);

impl fmt::Display for Unkept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The system's keychain: Secret Service, Keychain Services, Credential Manager.
    Keychain,
    /// A sealed file in the data directory.
    File,
}

impl Place {
    /// As stored and sent.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Keychain => "keychain",
            Place::File => "file",
        }
    }
    /// The place of this name. What a newer program wrote is looked for in files.
    pub fn named(name: &str) -> Place {
        if name == Place::Keychain.name() { Place::Keychain } else { Place::File }
    }
}

/// Opens the system's keychain; none where none runs.
type Open = Box<dyn Fn() -> Option<Box<dyn Vault>> + Send + Sync>;

/// The places of this installation.
pub struct Vaults {
    keychain: OnceLock<Option<Box<dyn Vault>>>,
    open: Open,
    files: Files,
}

impl Vaults {
    /// The system's keychain, asked for when it is first needed, and files in `dir` where none runs.
    pub fn of_system(dir: &Path) -> Vaults {
        Vaults::with(dir, Box::new(|| Keychain::open().map(|keychain| Box::new(keychain) as Box<dyn Vault>)))
    }
    /// Files in `dir` alone.
    pub fn in_files(dir: &Path) -> Vaults {
        Vaults::with(dir, Box::new(|| None))
    }
    /// A keychain of the caller's, and files in `dir`.
    pub fn with(dir: &Path, open: Open) -> Vaults {
        Vaults { keychain: OnceLock::new(), open, files: Files::new(dir) }
    }

    /// Keeps a value in the keychain, or in a file where there is no keychain or it does not take the value; where.
    pub fn put(&self, account: &str, slot: &str, value: &Secret) -> Result<Place, Unkept> {
        if let Some(keychain) = self.keychain() {
            match keychain.put(account, slot, value) {
                Ok(()) => return Ok(Place::Keychain),
                Err(why) => {
                    tracing::warn!("the keychain didn't store a value, sealing it in a file instead: {why}")
                }
            }
        }
        self.files.put(account, slot, value).map(|()| Place::File)
    }
    /// The value that was kept at a place.
    pub fn get(&self, place: Place, account: &str, slot: &str) -> Result<Option<Secret>, Unkept> {
        self.at(place)?.get(account, slot)
    }
    /// Forgets a value at its place, or wherever it may be: where it was to be put is not known of one that was broken off.
    pub fn forget(&self, place: Option<Place>, account: &str, slot: &str) -> Result<(), Unkept> {
        match place {
            Some(place) => self.at(place)?.forget(account, slot),
            None => {
                self.files.forget(account, slot)?;
                self.keychain().map_or(Ok(()), |keychain| keychain.forget(account, slot))
            }
        }
    }
    /// Seals what is kept elsewhere, with the key of the files.
    pub fn sealer(&self) -> Result<Sealer, Unkept> {
        self.files.sealer()
    }

    fn keychain(&self) -> Option<&dyn Vault> {
        self.keychain.get_or_init(|| (self.open)()).as_deref()
    }
    fn at(&self, place: Place) -> Result<&dyn Vault, Unkept> {
        match place {
            Place::File => Ok(&self.files),
            Place::Keychain => self.keychain().ok_or_else(|| {
                Unkept("The value is in the system keychain, which isn't running or can't be reached.".into())
            }),
        }
    }
}

#[cfg(test)]
mod tests;

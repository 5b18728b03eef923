//! The one file that holds the command-line token, made so that no other user of the machine can ever have read it.

use crate::errors::TOKEN_FILE;
use kit::Result;
use kit::ids::{new_id, secret};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file and the token in it.
pub struct TokenFile {
    path: PathBuf,
    token: String,
    hash: [u8; 32],
}

impl TokenFile {
    /// Reads the token of this data directory, or makes one. Refuses a file that others may have read.
    pub fn open_or_create(dir: &Path) -> Result<TokenFile> {
        let path = dir.join("cli-token");
        match fs::symlink_metadata(&path) {
            Ok(meta) => {
                check_private(&path, &meta)?;
                let token =
                    fs::read_to_string(&path).map_err(|e| unusable(&path, "cannot be read", e))?.trim().to_owned();
                if !token.starts_with("ph_cli_") || token.len() < 40 {
                    return Err(TOKEN_FILE.error(format!(
                        "{} does not hold a token. Delete it; the next start makes a new one.",
                        path.display()
                    )));
                }
                Ok(TokenFile { hash: Sha256::digest(token.as_bytes()).into(), path, token })
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => TokenFile::write(path),
            Err(e) => Err(unusable(&path, "cannot be looked at", e)),
        }
    }

    /// Puts a new token in the file.
    pub(crate) fn replace(&self) -> Result<TokenFile> {
        TokenFile::write(self.path.clone())
    }

    fn write(path: PathBuf) -> Result<TokenFile> {
        let token = format!("ph_cli_{}", secret());
        let fresh = path.with_file_name(format!(".cli-token-{}", new_id()));
        let written = (|| {
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&fresh)?;
            file.write_all(format!("{token}\n").as_bytes())?;
            file.sync_all()?;
            fs::rename(&fresh, &path)?;
            match path.parent() {
                Some(dir) => fs::File::open(dir)?.sync_all(),
                None => Ok(()),
            }
        })();
        written.map_err(|e| {
            let _ = fs::remove_file(&fresh);
            unusable(&path, "cannot be written", e)
        })?;
        Ok(TokenFile { hash: Sha256::digest(token.as_bytes()).into(), path, token })
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

fn unusable(path: &Path, what: &str, e: std::io::Error) -> kit::Error {
    TOKEN_FILE.error(format!("{} {what}: {e}.", path.display())).caused_by(e)
}

#[cfg(unix)]
fn check_private(path: &Path, meta: &fs::Metadata) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let refuse = |what: String| {
        let advice = "Others may have read it: delete it, and the next start makes a new one.";
        Err(TOKEN_FILE.error(format!("{} {what}. {advice}", path.display())))
    };
    let owner_of_dir = path.parent().and_then(|dir| fs::metadata(dir).ok()).map(|dir| dir.uid());
    if !meta.is_file() {
        return refuse("is not a plain file".into());
    }
    if meta.mode() & 0o777 != 0o600 {
        return refuse(format!("has mode {:04o}, not 0600", meta.mode() & 0o777));
    }
    if Some(meta.uid()) != owner_of_dir {
        return refuse(format!("belongs to user {}", meta.uid()));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_private(_: &Path, _: &fs::Metadata) -> Result<()> {
    // The user's profile folder already keeps other users out.
    Ok(())
}

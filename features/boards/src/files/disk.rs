//! Storage of file contents: `files/ACCOUNT/ab/SHA-256` in the data directory, private to the user. Equal files of an
//! account are stored once.

use super::FILE_BYTES_MAX;
use crate::upload::{self, PIECES_WAITING_MAX, Told};
use bytes::Bytes;
use kit::error::{self, Result};
use kit::ids::hex;
use kit::op::ByteStream;
use kit::{Ctx, DataDir};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// The folder of attached files in the data directory.
pub const FOLDER: &str = "files";
/// Where files are received; not the name of an account, which begin with a letter or a digit.
const INCOMING: &str = ".incoming";
/// Bytes that are read at a time when a file is sent.
const PIECE_BYTES: usize = 128 * 1024;

/// The folder of all files.
pub(super) fn root(ctx: &Ctx) -> Result<PathBuf> {
    let dir = ctx.find_service::<DataDir>().map(|dir| dir.0.join(FOLDER));
    dir.ok_or_else(|| error::INTERNAL.error("No data directory was provided at start-up."))
}

/// The path of a file's content. Account IDs consist of letters, digits, and hyphens; anything else is rejected.
pub(super) fn path_of(root: &Path, account: &str, sha256: &str) -> Result<PathBuf> {
    if !is_account(account) || !is_hash(sha256) {
        return Err(error::INTERNAL.error("Couldn't determine the file's path."));
    }
    Ok(root.join(account).join(&sha256[..2]).join(sha256))
}

pub(super) fn is_account(name: &str) -> bool {
    let sign = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    name.len() <= 64 && name.bytes().next().is_some_and(sign) && name.bytes().all(|b| sign(b) || b == b'-')
}

pub(super) fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// A received file in its temporary location; deleted on drop unless moved.
pub(super) struct Received {
    part: PathBuf,
    pub(super) told: Told,
    pub(super) sha256: String,
    pub(super) size: i64,
}

/// Path of a received file, which is deleted on drop.
struct Part(Option<PathBuf>);

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // One that cannot be removed now is removed at the next start.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.part);
    }
}

/// Removes incomplete uploads of an earlier run.
pub(super) fn remove_incoming(ctx: &Ctx) {
    let Some(entries) = root(ctx).ok().and_then(|root| fs::read_dir(root.join(INCOMING)).ok()) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        drop(Part(Some(path)));
    }
}

/// Writes an upload to a file of its own and onto the disk.
pub(super) async fn receive(ctx: &Ctx, content_type: &str, stream: ByteStream) -> Result<Received> {
    let dir = root(ctx)?.join(INCOMING);
    let path = dir.join(format!("{}.part", kit::new_id()));
    let mut part = Part(Some(path.clone()));
    let (pieces, waiting) = mpsc::channel(PIECES_WAITING_MAX);
    let writer = tokio::task::spawn_blocking(move || write_pieces(&dir, &path, waiting));
    let received = upload::read(content_type, stream, FILE_BYTES_MAX, &pieces).await;
    drop(pieces);
    let written = writer.await.unwrap_or_else(|fault| Err(io::Error::other(fault)));
    let (sha256, size) = written.map_err(upload::unwritten)?;
    let told = received?;
    let part = part.0.take().unwrap_or_default();
    Ok(Received { part, told, sha256, size })
}

fn write_pieces(dir: &Path, path: &Path, mut pieces: mpsc::Receiver<Bytes>) -> io::Result<(String, i64)> {
    for folder in dir.parent().into_iter().chain([dir]) {
        platform::make_private_folder(folder)?;
    }
    let mut file = platform::new_private_file(path)?;
    let (mut hash, mut size) = (Sha256::new(), 0);
    while let Some(piece) = pieces.blocking_recv() {
        file.write_all(&piece)?;
        hash.update(&piece);
        size += piece.len() as i64;
    }
    file.sync_all()?;
    Ok((hex(&hash.finalize()), size))
}

/// Syncs a folder, so that created and renamed files survive a power failure.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Puts a received file in its place, for good: when this answers, it stays through a power failure.
pub(super) fn place(root: &Path, account: &str, received: &Received) -> Result<()> {
    let path = path_of(root, account, &received.sha256)?;
    let placed = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(root);
        for folder in folder.parent().into_iter().chain([folder]) {
            platform::make_private_folder(folder)?;
        }
        let is_there = fs::metadata(&path).is_ok_and(|found| i64::try_from(found.len()) == Ok(received.size));
        if !is_there {
            fs::rename(&received.part, &path)?;
        }
        // Also where it was there: its name may not have reached the disk yet.
        for folder in folder.ancestors().take_while(|folder| folder.starts_with(root)) {
            sync_folder(folder)?;
        }
        Ok(())
    };
    placed().map_err(upload::unwritten)
}

/// Opens bytes; `None` where they are not there.
pub(super) fn open(root: &Path, account: &str, sha256: &str) -> Result<Option<File>> {
    match File::open(path_of(root, account, sha256)?) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(error::INTERNAL.error("Couldn't read the attached file.").caused_by(e)),
    }
}

/// A file as it is sent: a piece is read when the one before was taken.
pub(super) fn stream(file: File) -> ByteStream {
    let next = async |file: File| -> io::Result<Option<(Bytes, File)>> {
        let read = move || -> io::Result<Option<(Bytes, File)>> {
            let mut file = file;
            let mut piece = Vec::with_capacity(PIECE_BYTES);
            Read::by_ref(&mut file).take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
            Ok((!piece.is_empty()).then(|| (Bytes::from(piece), file)))
        };
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|fault| Err(io::Error::other(fault)))
    };
    Box::pin(futures_util::stream::try_unfold(file, next))
}

/// Puts bytes in their place as an upload does that is stopped before its row is written.
#[cfg(test)]
pub(crate) async fn place_for_test(ctx: &Ctx, account: &str, bytes: &'static [u8]) -> String {
    let stream = Box::pin(futures_util::stream::once(async { Ok(Bytes::from_static(bytes)) }));
    let received = receive(ctx, "text/plain", stream).await.unwrap();
    place(&root(ctx).unwrap(), account, &received).unwrap();
    received.sha256.clone()
}

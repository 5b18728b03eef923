//! Receiving the file of an import, following the imports that run, and cancelling one.

use crate::errors::{IMPORT_ENDING, IMPORT_ID_TAKEN};
use crate::upload::{self, PIECES_WAITING_MAX};
use bytes::Bytes;
use column_types::{NAME_CHARS_MAX, name_fits};
use events::{Bus, Event};
use kit::error::{self, Result, not_found};
use kit::op::{ByteStream, limits};
use kit::{Call, Caller, Ctx, DataDir, Done};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, mpsc};

/// Imports that one account may have running.
const RUNNING_MAX: usize = 4;

/// The imports that are running, by account and import id.
#[derive(Default)]
pub(crate) struct Running(Mutex<HashMap<(String, String), Arc<Ticket>>>);

#[derive(Default)]
pub(super) struct Ticket {
    pub(super) state: AtomicU8,
    pub(super) cancelled: Notify,
    /// Tells threads that read the file to leave off.
    pub(super) stop: Arc<AtomicBool>,
}

pub(super) const UNDER_WAY: u8 = 0;
const CANCELLED: u8 = 1;
pub(super) const ENDING: u8 = 2;

/// An import's place among the running ones; given up however the import ends.
pub(super) struct Seat {
    running: Arc<Running>,
    key: (String, String),
    pub(super) ticket: Arc<Ticket>,
    bus: Arc<Bus>,
    /// Whether someone follows its progress.
    is_followed: AtomicBool,
}

impl Running {
    #[cfg(test)]
    pub(crate) fn is_ending(&self, account: &str, import_id: &str) -> bool {
        let running = self.0.lock().expect("no panic while held");
        let ticket = running.get(&(account.to_owned(), import_id.to_owned()));
        ticket.is_some_and(|ticket| ticket.state.load(Ordering::SeqCst) == ENDING)
    }

    pub(super) fn enter(self: Arc<Self>, bus: Arc<Bus>, account: &str, import_id: &str) -> Result<Seat> {
        let key = (account.to_owned(), import_id.to_owned());
        let ticket = Arc::new(Ticket::default());
        let mut running = self.0.lock().expect("no panic while held");
        if running.contains_key(&key) {
            return Err(IMPORT_ID_TAKEN.error(format!("The import {import_id} is running.")));
        }
        if running.keys().filter(|(owner, _)| owner == account).count() >= RUNNING_MAX {
            let detail = format!("{RUNNING_MAX} imports are running, which is the limit. Wait for one to finish.");
            return Err(error::TOO_MANY.error(detail).retry_after(10));
        }
        running.insert(key.clone(), ticket.clone());
        drop(running);
        Ok(Seat { running: self, key, ticket, bus, is_followed: AtomicBool::new(false) })
    }
}

/// One import as its parts need it.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) ctx: Ctx,
    pub(super) caller: Caller,
    pub(super) import_id: String,
    pub(super) board_id: String,
    pub(super) workspace_id: String,
    /// Released once all work of the import has ended.
    pub(super) seat: Arc<Seat>,
}

impl Job {
    pub(super) fn account(&self) -> &str {
        &self.caller.account
    }
    pub(super) fn tell(&self, phase: &'static str, rows: u64, rows_expected: u64) {
        self.seat.tell(phase, rows, rows_expected);
    }
}

/// The last phase of an import that came to its end.
pub(super) const DONE: &str = "done";

impl Seat {
    /// Sends progress to those who follow the import.
    pub(super) fn tell(&self, phase: &'static str, rows: u64, rows_expected: u64) {
        self.is_followed.store(phase != DONE, Ordering::SeqCst);
        let (account, import_id) = self.key.clone();
        self.bus.emit(Some(&account), Event::ImportProgress { import_id, phase, rows, rows_expected });
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.ticket.stop.store(true, Ordering::Relaxed);
        self.running.0.lock().expect("no panic while held").remove(&self.key);
        if self.is_followed.load(Ordering::SeqCst) {
            self.tell("cancelled", 0, 0);
        }
    }
}

/// The received file; deleted on drop.
pub(super) struct Spool(pub(super) PathBuf);

impl Drop for Spool {
    fn drop(&mut self) {
        // One that cannot be removed now is removed at the next start.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn spool_dir(ctx: &Ctx) -> Option<PathBuf> {
    ctx.find_service::<DataDir>().map(|dir| dir.0.join("imports"))
}

/// Removes received files that an earlier run of the program left.
pub(crate) fn remove_spools(ctx: &Ctx) {
    let Some(entries) = spool_dir(ctx).and_then(|dir| std::fs::read_dir(dir).ok()) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "part") {
            drop(Spool(path));
        }
    }
}

/// The upload's metadata.
pub(super) struct Received {
    pub(super) spool: Spool,
    /// The board's name from the form's file name.
    pub(super) name: Option<String>,
    /// Whether the file was sent as JSON.
    pub(super) is_json: bool,
}

/// Writes the upload to a file.
pub(super) async fn receive(job: &Job, content_type: String, stream: ByteStream) -> Result<Received> {
    let dir =
        spool_dir(&job.ctx).ok_or_else(|| error::INTERNAL.error("No data directory was provided at start-up."))?;
    let spool = Spool(dir.join(format!("{}.part", job.board_id)));
    let path = spool.0.clone();
    let (pieces, waiting) = mpsc::channel(PIECES_WAITING_MAX);
    let writer = tokio::task::spawn_blocking(move || write_pieces(&dir, &path, waiting));
    let received = upload::read(&content_type, stream, limits::FILE_BYTES, &pieces).await;
    drop(pieces);
    let written = writer.await.unwrap_or_else(|fault| Err(std::io::Error::other(fault)));
    written.map_err(upload::unwritten)?;
    let told = received?;
    let media = if upload::is_form(&content_type) { told.media.unwrap_or_default() } else { content_type };
    let is_json = media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json");
    Ok(Received { spool, name: told.name.as_deref().and_then(board_name), is_json })
}

fn write_pieces(
    dir: &std::path::Path,
    path: &std::path::Path,
    mut pieces: mpsc::Receiver<Bytes>,
) -> std::io::Result<()> {
    platform::make_private_folder(dir)?;
    let mut file = platform::new_private_file(path)?;
    while let Some(piece) = pieces.blocking_recv() {
        file.write_all(&piece)?;
    }
    Ok(())
}

/// A board's name from a file's: without folders and ending.
pub(super) fn board_name(file: &str) -> Option<String> {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
    let name: String = stem.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    name_fits(&name).then_some(name)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// The import.
    import_id: String,
}

pub(crate) async fn cancel(ctx: Ctx, call: Call, input: Which) -> Result<Done> {
    let running = ctx.service::<Running>();
    let key = (call.account().to_owned(), input.import_id);
    let ticket = running.0.lock().expect("no panic while held").get(&key).cloned().ok_or_else(not_found)?;
    match ticket.state.compare_exchange(UNDER_WAY, CANCELLED, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) | Err(CANCELLED) => {
            ticket.stop.store(true, Ordering::Relaxed);
            ticket.cancelled.notify_one();
            Ok(Done)
        }
        Err(_) => {
            Err(IMPORT_ENDING.error("The import is finishing. Undo it with POST /boards/imports/{importId}/undo."))
        }
    }
}

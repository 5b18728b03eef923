//! Importing a table: received into a file, looked through once, then loaded in pieces under a board that nothing shows yet.
//!
//! Invariant: an import is kept whole or not at all. Whatever ends it early (a cancel, a client that goes away, a problem with
//! onError=stop, a stop of the program) leaves no board, no item and no file, at the latest after the next start.

mod decode;
mod done;
mod fold;
mod infer;
mod load;
mod parts;
mod plan;
mod sniff;
mod tools;
pub(crate) mod values;
mod workbook;

use crate::board::{self, Board};
use crate::boards::{BoardView, expect_name, view};
use crate::cells::{ColumnType, NAME_CHARS_MAX, NOT_BLANK, Settings, name_fits};
use crate::items::POSITION_STEP;
use crate::{
    IMPORT_CANCELLED, IMPORT_ENDING, IMPORT_ID_TAKEN, UNKNOWN_SHEET, UPLOAD_BROKEN, columns, directory, groups, ids,
    items, sweep,
};
use bytes::Bytes;
use events::{Event, HasEvents};
use futures_util::StreamExt;
use infer::Known;
use kit::error::{self, Result, invalid, not_found};
use kit::lookup::Members;
use kit::op::{ByteStream, limits};
use kit::{Call, Caller, Ctx, DataDir, Done, Media, Raw, Reply};
use load::{Loaded, NewItem};
use plan::{Plan, Preview, Problem};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use store::{Change, HasDb, Tx, params};
use tokio::sync::{Notify, mpsc};
use tools::ToolName;
use workbook::Sheet;

/// Media types that an import takes.
pub(crate) const MEDIA: &[&str] =
    &["text/csv", "text/plain", "text/tab-separated-values", XLSX, "application/octet-stream", "multipart/form-data"];
/// Media type of an Excel workbook.
pub(crate) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Imports that one account may have running.
const RUNNING_MAX: usize = 4;
const IMPORT_ID_CHARS_MAX: usize = 64;
const OVERRIDES_BYTES_MAX: usize = 1024 * 1024;
/// Pieces of a file that wait to be written to the disk.
const PIECES_WAITING_MAX: usize = 8;
/// Chunks of rows that wait to be stored.
const CHUNKS_WAITING_MAX: usize = 2;

/// The imports that are running, by account and import id.
#[derive(Default)]
pub(crate) struct Running(Mutex<HashMap<(String, String), Arc<Ticket>>>);

#[derive(Default)]
struct Ticket {
    state: AtomicU8,
    cancelled: Notify,
    /// Tells threads that read the file to leave off.
    stop: Arc<AtomicBool>,
}

const UNDER_WAY: u8 = 0;
const CANCELLED: u8 = 1;
const ENDING: u8 = 2;

/// An import's place among the running ones; given up however the import ends.
struct Seat {
    running: Arc<Running>,
    key: (String, String),
    ticket: Arc<Ticket>,
}

impl Running {
    fn enter(self: Arc<Self>, account: &str, import_id: &str) -> Result<Seat> {
        let key = (account.to_owned(), import_id.to_owned());
        let ticket = Arc::new(Ticket::default());
        let mut running = self.0.lock().expect("no panic while held");
        if running.contains_key(&key) {
            return Err(IMPORT_ID_TAKEN.error(format!("The import {import_id} is running.")));
        }
        if running.keys().filter(|(owner, _)| owner == account).count() >= RUNNING_MAX {
            let detail = format!("{RUNNING_MAX} imports are running, which is as many as may.");
            return Err(error::TOO_MANY.error(detail).retry_after(10));
        }
        running.insert(key.clone(), ticket.clone());
        drop(running);
        Ok(Seat { running: self, key, ticket })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.ticket.stop.store(true, Ordering::Relaxed);
        self.running.0.lock().expect("no panic while held").remove(&self.key);
    }
}

/// Sees to it that nothing remains of an import that does not come to its end.
struct Remains {
    ctx: Ctx,
    account: String,
    board_id: String,
    armed: bool,
}

impl Drop for Remains {
    fn drop(&mut self) {
        if self.armed {
            sweep::in_background(self.ctx.clone(), self.account.clone(), self.board_id.clone());
        }
    }
}

/// The received file; it goes with this.
struct Spool(PathBuf);

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

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OnError {
    /// Rows that cannot be taken are left out and reported.
    #[default]
    Skip,
    /// The first one ends the import and nothing is kept.
    Stop,
}

/// What the caller knows better about a column of the file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Override {
    /// Place in the file, counted from 0.
    index: usize,
    /// Its title.
    title: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    kind: Option<ColumnType>,
    /// Settings of the type.
    settings: Option<Settings>,
    /// Whether it is left out.
    #[serde(default)]
    skip: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// The workspace that the board is to stand in.
    workspace_id: String,
    /// The board's name; the file's where left out.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// Only say what would be made.
    #[serde(default)]
    dry_run: bool,
    /// What to do about rows that cannot be taken: `skip` (report them) or `stop` (keep nothing).
    #[serde(default)]
    on_error: OnError,
    /// An id of the caller's choosing, to follow and cancel the import by: letters, digits, - and _, at most 64.
    #[schemars(length(min = 1, max = IMPORT_ID_CHARS_MAX), regex(pattern = "^[A-Za-z0-9_-]+$"))]
    import_id: Option<String>,
    /// The sheet of a workbook, by its name; the first where left out.
    sheet: Option<String>,
    /// The tool that wrote the file; told by the file itself where left out. `none` reads it as a table of no tool.
    tool: Option<ToolName>,
    /// JSON list of `{index, title?, type?, settings?, skip?}`: what to make of columns instead of what was found out.
    columns: Option<String>,
}

/// What an import made.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Imported {
    board: BoardView,
    import_id: String,
    rows_imported: u64,
    rows_skipped: u64,
    /// The first 100 problems.
    problems: Vec<Problem>,
    /// How many there were.
    problem_count: u64,
}

/// A preview with dryRun, otherwise what was made.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "documents the answer, whose status depends on which it is")]
enum Outcome {
    /// With dryRun.
    Preview(Preview),
    /// Without.
    Imported(Box<Imported>),
}

/// Documents the answer.
pub(crate) struct Answer;
impl Media for Answer {
    const TYPES: &'static [&'static str] = &["application/json"];
    /// A board was made; 200 is the preview.
    const ALSO: &'static [u16] = &[201];
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<Outcome>())
    }
}

/// One import as its parts need it.
#[derive(Clone)]
struct Job {
    ctx: Ctx,
    caller: Caller,
    import_id: String,
    board_id: String,
    workspace_id: String,
    ticket: Arc<Ticket>,
}

impl Job {
    fn account(&self) -> &str {
        &self.caller.account
    }
    fn tell(&self, phase: &'static str, rows: u64, rows_expected: u64) {
        let event = Event::ImportProgress { import_id: self.import_id.clone(), phase, rows, rows_expected };
        self.ctx.events().emit(Some(self.account()), event);
    }
}

pub(crate) async fn import(ctx: Ctx, mut call: Call, input: Input) -> Result<Raw<Answer>> {
    if let Some(name) = &input.name {
        expect_name(name, "/name")?;
    }
    let overrides = read_overrides(input.columns.as_deref())?;
    let import_id = input.import_id.unwrap_or_else(ids::short_id);
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if import_id.is_empty() || import_id.len() > IMPORT_ID_CHARS_MAX || !import_id.bytes().all(is_sign) {
        let detail = format!("importId has 1 to {IMPORT_ID_CHARS_MAX} letters, digits, - and _.");
        return Err(invalid("/importId", "wrong-format", detail));
    }
    let Some((content_type, stream)) = call.upload.take() else {
        return Err(error::WRONG_TYPE_OF_CONTENT.error("Send the file as the body, or as the part `file` of a form."));
    };
    let account = call.account().to_owned();
    directory::expect_workspace(&ctx, &account, &input.workspace_id).await?;
    if !input.dry_run {
        // Asked before the file is received, and again when the board is made.
        let account = account.clone();
        ctx.db().read(move |tx| board::expect_room(tx, &account)).await?;
    }
    let seat = ctx.service::<Running>().enter(&account, &import_id)?;
    let board_id = ids::short_id();
    let mut remains =
        Remains { ctx: ctx.clone(), account: account.clone(), board_id: board_id.clone(), armed: !input.dry_run };
    let job = Job {
        ctx: ctx.clone(),
        caller: call.caller,
        import_id,
        board_id: board_id.clone(),
        workspace_id: input.workspace_id,
        ticket: seat.ticket.clone(),
    };
    let wishes = Wishes {
        overrides,
        sheet: input.sheet,
        tool: input.tool,
        name: input.name,
        dry_run: input.dry_run,
        stop: input.on_error == OnError::Stop,
    };
    let work = run(job, content_type, stream, wishes);
    let outcome = tokio::select! {
        biased;
        () = seat.ticket.cancelled.notified() => Err(IMPORT_CANCELLED.error("The import was cancelled; nothing of it was kept.")),
        outcome = work => outcome,
    };
    if remains.armed {
        remains.armed = false;
        if outcome.is_err() {
            // Rows that cannot be removed now are shown nowhere and go at the next start; the answer is why the import failed.
            let _ = sweep::one(&ctx, account, board_id).await;
        }
    }
    outcome.map(Raw::from)
}

fn read_overrides(json: Option<&str>) -> Result<Vec<Override>> {
    let Some(json) = json else { return Ok(Vec::new()) };
    if json.len() > OVERRIDES_BYTES_MAX {
        return Err(invalid("/columns", "too-long", format!("columns has at most {OVERRIDES_BYTES_MAX} bytes.")));
    }
    let read = serde_json::from_str(json);
    read.map_err(|e| {
        invalid(
            "/columns",
            "wrong-type",
            format!("columns is a JSON list of {{index, title, type, settings, skip}}: {e}."),
        )
    })
}

/// What the caller asked for beside the file.
struct Wishes {
    overrides: Vec<Override>,
    sheet: Option<String>,
    tool: Option<ToolName>,
    name: Option<String>,
    dry_run: bool,
    stop: bool,
}

async fn run(job: Job, content_type: String, stream: ByteStream, wishes: Wishes) -> Result<Reply> {
    let Wishes { overrides, sheet, tool, name, dry_run, stop: stop_at_problems } = wishes;
    job.tell("receiving", 0, 0);
    let (spool, file_name) = receive(&job, content_type, stream).await?;
    job.tell("reading", 0, 0);
    let members = known_members(&job).await?;
    let stop = job.ticket.stop.clone();
    let (spool, plan) = blocking(move || {
        let (spool, sheet) = as_table(spool, sheet.as_deref(), &stop)?;
        let plan = plan::plan(&spool.0, sheet, tool, &members, &overrides, &stop)?;
        Ok((Arc::new(spool), plan))
    })
    .await?;
    if dry_run {
        let preview = serde_json::to_vec(&plan.preview()).map_err(board::damaged)?;
        return Ok(Reply::json_bytes(preview));
    }
    let name = name.or(file_name).unwrap_or_else(|| "Imported board".to_owned());
    let (plan, loaded) = store_rows(&job, name, spool, plan, stop_at_problems).await?;
    finish(job, plan, loaded).await
}

/// The received file where it is text, otherwise the sheet of it as text; the workbook goes as soon as that is written.
fn as_table(spool: Spool, sheet: Option<&str>, stop: &AtomicBool) -> Result<(Spool, Option<Sheet>)> {
    if workbook::is_workbook(&spool.0)? {
        let table = Spool(spool.0.with_extension("sheet.part"));
        let sheet = workbook::unfold(&spool.0, &table.0, sheet, stop)?;
        return Ok((table, Some(sheet)));
    }
    match sheet {
        None => Ok((spool, None)),
        Some(name) => Err(UNKNOWN_SHEET.error(format!("The file is no workbook; it has no sheet called {name}."))),
    }
}

async fn blocking<T: Send + 'static>(run: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let ran = tokio::task::spawn_blocking(run).await;
    ran.unwrap_or_else(|fault| Err(error::INTERNAL.error("Reading the file failed.").caused_by(fault)))
}

async fn known_members(job: &Job) -> Result<Vec<Known>> {
    let mut all = job.ctx.service::<Members>().0.all(job.account()).await?;
    // Of two members of one name, the same is found each time.
    all.sort_unstable();
    Ok(all.into_iter().map(|(id, name, email)| Known { id, name, email }).collect())
}

/// Writes the upload to a file; gives the file's name where the form tells it.
async fn receive(job: &Job, content_type: String, stream: ByteStream) -> Result<(Spool, Option<String>)> {
    let dir =
        spool_dir(&job.ctx).ok_or_else(|| error::INTERNAL.error("No data directory was provided at start-up."))?;
    let spool = Spool(dir.join(format!("{}.part", job.board_id)));
    let path = spool.0.clone();
    let (pieces, waiting) = mpsc::channel(PIECES_WAITING_MAX);
    let writer = tokio::task::spawn_blocking(move || write_pieces(&dir, &path, waiting));
    let received = if content_type.to_ascii_lowercase().starts_with("multipart/form-data") {
        form_file(&content_type, stream, &pieces).await
    } else {
        pass_on(stream.map(|piece| piece.map_err(broken_upload)), &pieces).await.map(|()| None)
    };
    drop(pieces);
    let written = writer.await.unwrap_or_else(|fault| Err(std::io::Error::other(fault)));
    written.map_err(|e| match e.kind() {
        std::io::ErrorKind::StorageFull => {
            error::READ_ONLY.error("The disk is full; the file could not be received. Free some space and try again.")
        }
        _ => error::INTERNAL.error("The file could not be received into the data directory.").caused_by(e),
    })?;
    Ok((spool, received?))
}

fn broken_upload(e: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> kit::Error {
    UPLOAD_BROKEN.error("The upload broke off or is not a form; nothing of it was kept.").caused_by(e)
}

fn write_pieces(
    dir: &std::path::Path,
    path: &std::path::Path,
    mut pieces: mpsc::Receiver<Bytes>,
) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let mut file = File::create_new(path)?;
    while let Some(piece) = pieces.blocking_recv() {
        file.write_all(&piece)?;
    }
    Ok(())
}

/// Hands pieces to the writing thread, up to the size limit.
async fn pass_on(
    mut stream: impl futures_util::Stream<Item = Result<Bytes>> + Unpin,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<()> {
    let mut bytes = 0;
    while let Some(piece) = stream.next().await {
        let piece = piece?;
        bytes += piece.len();
        if bytes > limits::FILE_BYTES {
            return Err(error::TOO_LARGE.error(format!("A file of at most {} bytes is taken.", limits::FILE_BYTES)));
        }
        if pieces.send(piece).await.is_err() {
            // The writer has ended with an error of its own, which is the answer.
            return Ok(());
        }
    }
    Ok(())
}

async fn form_file(content_type: &str, stream: ByteStream, pieces: &mpsc::Sender<Bytes>) -> Result<Option<String>> {
    let boundary = multer::parse_boundary(content_type)
        .map_err(|e| error::WRONG_TYPE_OF_CONTENT.error("The form's content type names no boundary.").caused_by(e))?;
    let mut form = multer::Multipart::new(stream, boundary);
    while let Some(field) = form.next_field().await.map_err(broken_upload)? {
        if field.name() != Some("file") {
            continue;
        }
        let name = field.file_name().and_then(board_name);
        pass_on(field.map(|piece| piece.map_err(broken_upload)), pieces).await?;
        // What follows is read too: a caller that is still sending would not read the answer.
        while form.next_field().await.map_err(broken_upload)?.is_some() {}
        return Ok(name);
    }
    Err(invalid("/file", "missing", "The form has no part named file."))
}

/// A board's name from a file's: without folders and ending.
fn board_name(file: &str) -> Option<String> {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
    let name: String = stem.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    name_fits(&name).then_some(name)
}

/// Makes the board in the state `importing` and stores the rows under it, chunk by chunk.
async fn store_rows(job: &Job, name: String, spool: Arc<Spool>, mut plan: Plan, stop: bool) -> Result<(Plan, Loaded)> {
    if plan.groups.is_empty() {
        plan.groups.push("Items".to_owned());
    }
    let (plan, owned) = (Arc::new(plan), job.clone());
    let db = job.ctx.db();
    let made = plan.clone();
    db.write(move |tx| make_board(tx, &owned, name, &made)).await?;
    let (sender, mut chunks) = mpsc::channel::<Vec<NewItem>>(CHUNKS_WAITING_MAX);
    let reading = plan.clone();
    let now = kit::rfc3339(job.ctx.now_ms());
    let reader = tokio::task::spawn_blocking(move || load::load(&spool.0, &reading, stop, &now, &sender));
    let mut stored = 0;
    while let Some(chunk) = chunks.recv().await {
        let owned = job.clone();
        let (first, count) = (stored, chunk.len() as u64);
        db.write(move |tx| insert_chunk(tx, &owned, chunk, first)).await?;
        stored += count;
        job.tell("loading", stored, plan.rows);
    }
    let loaded =
        reader.await.unwrap_or_else(|e| Err(error::INTERNAL.error("Reading the file failed.").caused_by(e)))?;
    let plan = Arc::into_inner(plan).ok_or_else(|| error::INTERNAL.error("The import's reader did not end."))?;
    Ok((plan, loaded))
}

/// A board's revision when it is first shown.
const FIRST_REVISION: i64 = 1;

fn make_board(tx: &mut Tx<'_>, job: &Job, name: String, plan: &Plan) -> Result<()> {
    let account = job.account();
    let now_ms = job.ctx.now_ms();
    let columns_made = load::columns(plan).count() as i64;
    let board = Board {
        id: job.board_id.clone(),
        workspace_id: job.workspace_id.clone(),
        name,
        revision: FIRST_REVISION,
        item_count: 0,
        next_column: columns_made + 1,
        next_group: plan.groups.len() as i64 + 1,
        last_position: 0,
        left_since: 0,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    board::insert(tx, account, &board, "importing")?;
    for (index, name) in plan.groups.iter().enumerate() {
        groups::insert(tx, account, &board.id, index, name, "")?;
    }
    for (index, number, decided) in load::columns(plan) {
        let title = &plan.titles[index];
        columns::insert(tx, account, &board.id, number, number - 1, title, decided.kind, decided.settings.clone())?;
    }
    Ok(())
}

const IS_IMPORTING: &str = "SELECT 1 FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'importing'";

fn insert_chunk(tx: &mut Tx<'_>, job: &Job, chunk: Vec<NewItem>, first: u64) -> Result<()> {
    let account = job.account();
    // A board that is being removed takes no more rows.
    tx.query_one(IS_IMPORTING, params![account, &job.board_id], |_| Ok(()))?;
    for (item, index) in chunk.into_iter().zip(first as i64 + 1..) {
        let ids = [account, &job.board_id, &item.id, &ids::group_id(item.group)];
        items::insert_json(tx, ids, index * POSITION_STEP, FIRST_REVISION, item.record_json)?;
    }
    Ok(())
}

/// Shows the board, unless the import was cancelled first.
async fn finish(job: Job, plan: Plan, mut loaded: Loaded) -> Result<Reply> {
    let ends = job.ticket.state.compare_exchange(UNDER_WAY, ENDING, Ordering::SeqCst, Ordering::SeqCst);
    if ends.is_err() {
        return Err(IMPORT_CANCELLED.error("The import was cancelled; nothing of it was kept."));
    }
    let file_problems = plan.problems.listed.into_iter().filter(|problem| problem.code == "too-many-groups");
    for problem in file_problems {
        loaded.problems.add(problem.line, "", problem.code, || problem.detail);
    }
    let (owned, imported, skipped) = (job.clone(), loaded.imported, loaded.skipped);
    let show = move |tx: &mut Tx<'_>| {
        let account = owned.account();
        tx.query_one(IS_IMPORTING, params![account, &owned.board_id], |_| Ok(()))?;
        tx.execute(
            "UPDATE boards SET state = 'ready', item_count = $3, last_position = $4 WHERE account_id = $1 AND board_id = $2",
            params![account, &owned.board_id, imported as i64, imported as i64 * POSITION_STEP],
        )?;
        let board = board::load(tx, account, &owned.board_id)?;
        let after = json!({
            "name": board.name, "workspaceId": board.workspace_id, "importId": owned.import_id,
            "rowsImported": imported, "rowsSkipped": skipped,
        });
        let change = Change { subject: "board", subject_id: &board.id, field: "", before: None, after: Some(&after) };
        tx.record(&owned.caller, owned.ctx.now_ms(), change)?;
        let shown = view(tx, account, &board)?;
        tx.after_commit(move || {
            let event = Event::BoardChanged { board_id: owned.board_id.clone(), revision: board.revision };
            owned.ctx.events().emit(Some(owned.account()), event);
            owned.tell("done", imported, imported);
        });
        Ok(shown)
    };
    let board = job.ctx.db().write(show).await?;
    let outcome = Imported {
        board,
        import_id: job.import_id,
        rows_imported: imported,
        rows_skipped: skipped,
        problems: loaded.problems.listed,
        problem_count: loaded.problems.count,
    };
    let body = serde_json::to_vec(&outcome).map_err(board::damaged)?;
    Ok(Reply { status: 201, ..Reply::json_bytes(body) }.header("location", format!("/boards/{}", job.board_id)))
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
        Err(_) => Err(IMPORT_ENDING.error("The import is being shown already; delete the board instead.")),
    }
}

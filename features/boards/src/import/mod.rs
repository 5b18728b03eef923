//! Imports of tables: received into a file, scanned once, then loaded in batches into a hidden board.
//!
//! Invariant: an import is saved completely or not at all. If it ends early (cancel, disconnect, a problem with
//! onError=stop, or exit), no board, item, or file remains after the next start.

mod below;
mod choices;
mod counts;
mod differences;
mod done;
mod given;
mod labels;
pub(crate) mod links;
mod load;
mod meet;
mod parents;
mod plan;
mod receive;
mod target;
pub(crate) mod undo;
mod update;

use crate::board::{self, Board};
use crate::errors::{IMPORT_CANCELLED, UNKNOWN_SHEET};
use crate::inputs::expect_name;
use crate::item::{self, POSITION_STEP};
use crate::ops::boards::view;
use crate::view::BoardView;
use crate::{columns, fault, groups, ids, sweep, views};
use choices::{OnMisfit, Override, read_overrides};
use column_types::{ColumnType, NAME_CHARS_MAX, NOT_BLANK};
use events::{Actor, Event, HasEvents};
use kit::error::{self, Result, invalid};
use kit::lookup::{Members, Workspaces};
use kit::op::ByteStream;
use kit::{Call, Ctx, Media, Raw, Reply};
use links::Ended;
pub(crate) use links::forget_old;
use load::{CHUNKS_WAITING_MAX, Loaded, Manner, NewItem};
use parents::Below;
use plan::{Asked, Plan, Preview};
use receive::{DONE, ENDING, Job, Received, Spool, UNDER_WAY, board_name, receive};
pub(crate) use receive::{Running, cancel, remove_spools};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{Change, HasDb, Tx, params};
use table_import::charset::Charset;
use table_import::dialect::{Named, Quote, delimiter_named};
use table_import::infer::Known;
use table_import::order::DayOrder;
use table_import::problems::Problem;
use table_import::sniff::ReadOptions;
use table_import::tools::ToolName;
use table_import::workbook::Sheet;
use target::Target;
use tokio::sync::mpsc;
use update::{Conflicts, Updated};

/// Media types that an import takes.
pub(crate) const MEDIA: &[&str] = &[
    "text/csv",
    "text/plain",
    "text/tab-separated-values",
    "application/json",
    XLSX,
    "application/octet-stream",
    "multipart/form-data",
];
/// Media type of an Excel workbook.
pub(crate) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const IMPORT_ID_CHARS_MAX: usize = 64;
/// Subitems that one transaction puts below their parents.
const ROWS_PER_STEP: usize = 2_000;

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
            sweep::import_in_background(self.ctx.clone(), self.account.clone(), self.board_id.clone());
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Archived {
    /// Skip them and report how many.
    #[default]
    Skip,
    /// Import them as items with a checkbox.
    Keep,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OnError {
    /// Skip and report invalid rows.
    #[default]
    Skip,
    /// Stop at the first invalid row and save nothing.
    Stop,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// The workspace for the new board. Default: your only one. Not needed with boardId.
    workspace_id: Option<String>,
    /// The board to import into: matching items are changed, others added. Default: a new board.
    board_id: Option<String>,
    /// With boardId: whether to `keep` or `overwrite` cells changed there since the last import.
    #[serde(default)]
    conflicts: Conflicts,
    /// Title or index of the key column that identifies items. Default: the tool's own, or with boardId the last import's.
    #[serde(default, deserialize_with = "title_or_index")]
    key: Option<String>,
    /// The board's name. Default: the board name in the file, or fileName.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// The file name, used without its extension as the fallback name of a new board.
    file_name: Option<String>,
    /// Only preview the result.
    #[serde(default)]
    dry_run: bool,
    /// What to do with invalid rows: `skip` (report them) or `stop` (save nothing).
    #[serde(default)]
    on_error: OnError,
    /// What to skip if a cell doesn't fit its column: the `cell` (left empty or, with boardId, unchanged) or the `row`. Always reported.
    #[serde(default)]
    on_misfit: OnMisfit,
    /// Your ID to track and cancel the import: up to 64 letters, digits, -, and _.
    #[schemars(length(min = 1, max = IMPORT_ID_CHARS_MAX), regex(pattern = "^[A-Za-z0-9_-]+$"))]
    import_id: Option<String>,
    /// The workbook sheet by name. Default: the first.
    sheet: Option<String>,
    /// Whether the first row has titles. Default: detected.
    header: Option<bool>,
    /// The text encoding. Default: detected.
    encoding: Option<Charset>,
    /// The field separator: one character, or `comma`, `semicolon`, `tab`, `bar`, or `space`. Default: detected.
    delimiter: Option<String>,
    /// The quote character. Default: detected.
    quote: Option<Quote>,
    /// The tool that exported the file. Default: detected. `none` reads it as a plain table.
    tool: Option<ToolName>,
    /// What to do with a Trello board's archived cards. Default: `skip`.
    #[serde(default)]
    archived: Archived,
    /// Order of day and month in dates such as 01/02/2026 if the column's dates are ambiguous. Default: detected from the file.
    /// Unambiguous dates, such as 2026-01-02 and 2 Jan 2026, are always read.
    date_order: Option<DayOrder>,
    /// Overrides of detected columns as JSON, such as `[{"title": "Cost", "type": "number"}]`, each with `index` or `title` and any
    /// of `role`, `type`, `settings`, `skip`, and `columnId`. `index` counts from 0, as dryRun shows; with it, `title` renames the
    /// column. `role` is `name`, `group`, or `parent`. `columnId` is the column of boardId to fill.
    columns: Option<String>,
}

/// Result of an import.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Imported {
    board: BoardView,
    import_id: String,
    rows_imported: u64,
    rows_skipped: u64,
    /// Notes on automatic column decisions, as in the preview.
    notes: Vec<plan::ColumnNotes>,
    /// The first 100 problems.
    problems: Vec<Problem>,
    /// Total number.
    problem_count: u64,
}

/// A preview with dryRun, otherwise the result.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "documents the answer, whose status depends on which it is")]
enum Outcome {
    /// With dryRun.
    Preview(Box<Preview>),
    /// Without.
    Imported(Box<Imported>),
    /// Without, and with boardId.
    Updated(Box<Updated>),
}

/// Documents the answer.
pub(crate) struct Answer;
impl Media for Answer {
    const TYPES: &'static [&'static str] = &["application/json"];
    /// A board was made; 200 is the preview, and an import into a board that was there.
    const ALSO: &'static [u16] = &[201];
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<Outcome>())
    }
}

pub(crate) async fn import(ctx: Ctx, mut call: Call, input: Input) -> Result<Raw<Answer>> {
    if let Some(name) = &input.name {
        expect_name(name, "/name")?;
    }
    let overrides = read_overrides(input.columns.as_deref())?;
    let delimiter = input.delimiter.as_deref().map(delimiter_named).transpose()?;
    let named = Named { delimiter, quote: input.quote };
    let options = ReadOptions { encoding: input.encoding, named, header: input.header, tool: input.tool, before: None };
    let import_id = input.import_id.unwrap_or_else(ids::short_id);
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if import_id.is_empty() || import_id.len() > IMPORT_ID_CHARS_MAX || !import_id.bytes().all(is_sign) {
        let detail = format!("importId has 1 to {IMPORT_ID_CHARS_MAX} letters, digits, - and _.");
        return Err(invalid("/importId", fault::WRONG_FORMAT, detail));
    }
    let Some((content_type, stream)) = call.upload.take() else {
        return Err(error::WRONG_TYPE_OF_CONTENT.error("Send the file as the body, or as the part `file` of a form."));
    };
    let account = call.account().to_owned();
    let target = match input.board_id {
        Some(board_id) => Some(Target::load(&ctx, account.clone(), board_id).await?),
        None => None,
    };
    let workspace_id = match input.workspace_id {
        None if target.is_some() => String::new(),
        named => ctx.service::<Workspaces>().named_or_only(&account, named).await?,
    };
    let makes_board = !input.dry_run && target.is_none();
    if makes_board {
        // Asked before the file is received, and again when the board is made.
        let account = account.clone();
        ctx.db().read(move |tx| board::expect_room(tx, &account)).await?;
    }
    let seat = Arc::new(ctx.service::<Running>().enter(ctx.events(), &account, &import_id)?);
    if !input.dry_run {
        let (account, import_id) = (account.clone(), import_id.clone());
        let into = target.as_ref().map(|target| target.board_id.clone());
        let expect = move |tx: &mut Tx<'_>| links::expect_own_id(tx, &account, &import_id, into.as_deref());
        ctx.db().read(expect).await?;
    }
    let board_id = ids::short_id();
    let mut remains =
        Remains { ctx: ctx.clone(), account: account.clone(), board_id: board_id.clone(), armed: makes_board };
    let job = Job {
        ctx: ctx.clone(),
        caller: call.caller,
        import_id,
        board_id: board_id.clone(),
        workspace_id,
        seat: seat.clone(),
    };
    let wishes = Wishes {
        target,
        conflicts: input.conflicts,
        key: input.key,
        overrides,
        sheet: input.sheet,
        options,
        date_order: input.date_order,
        choices: table_import::json::Choices { archived: input.archived == Archived::Keep },
        name: input.name,
        file_name: input.file_name,
        dry_run: input.dry_run,
        manner: Manner { stop: input.on_error == OnError::Stop, misfit: input.on_misfit },
    };
    let work = run(job, content_type, stream, wishes);
    let outcome = tokio::select! {
        biased;
        () = seat.ticket.cancelled.notified() => Err(IMPORT_CANCELLED.error("The import was canceled. Nothing was saved.")),
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

/// A text, or a number as one.
fn title_or_index<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Index(usize),
        Title(String),
    }
    let given = Option::<Given>::deserialize(from)?;
    Ok(given.map(|given| match given {
        Given::Index(index) => index.to_string(),
        Given::Title(title) => title,
    }))
}

/// The request's options, without the file.
struct Wishes {
    target: Option<Target>,
    conflicts: Conflicts,
    key: Option<String>,
    overrides: Vec<Override>,
    sheet: Option<String>,
    options: ReadOptions<'static>,
    date_order: Option<DayOrder>,
    choices: table_import::json::Choices,
    name: Option<String>,
    file_name: Option<String>,
    dry_run: bool,
    manner: Manner,
}

async fn run(job: Job, content_type: String, stream: ByteStream, wishes: Wishes) -> Result<Reply> {
    let Wishes {
        target,
        conflicts,
        key,
        overrides,
        sheet,
        options,
        date_order,
        choices,
        name,
        file_name,
        dry_run,
        manner,
    } = wishes;
    job.tell("receiving", 0, 0);
    let Received { spool, name: told_name, is_json } = receive(&job, content_type, stream).await?;
    job.tell("reading", 0, 0);
    let overrides_none = overrides.is_empty();
    let members = known_members(&job).await?;
    let called: HashMap<String, String> = members.iter().map(|one| (one.id.clone(), one.name.clone())).collect();
    let stop = job.seat.ticket.stop.clone();
    let (spool, mut plan, target) = blocking(move || {
        if is_json {
            table_import::json::expect(&spool.0, &stop)?;
        }
        let (spool, sheet) = as_table(spool, sheet.as_deref(), choices, &stop)?;
        let asked = Asked {
            options,
            key: key.as_deref(),
            target: target.as_ref(),
            overrides: &overrides,
            chosen_order: date_order,
        };
        let plan = plan::plan(&spool.0, sheet, asked, &members, &stop)?;
        Ok((Arc::new(spool), plan, target))
    })
    .await?;
    let mut foreseen = None;
    if let Some(target) = target
        && (plan.key.is_some() || !dry_run)
    {
        if plan.key.is_none() {
            let detail =
                format!("Set key to the file column that identifies items. Its columns are {}.", plan.titles_shown());
            return Err(invalid("/key", fault::MISSING, detail));
        }
        let shared = Arc::new(plan);
        if !dry_run {
            return update::run(job, spool, shared, target, manner, (conflicts, called)).await;
        }
        let (counts, loaded) =
            update::foresee(&job, spool.clone(), shared.clone(), (&target, conflicts, called), manner).await?;
        plan = Arc::into_inner(shared).ok_or_else(|| error::INTERNAL.error("The import's reader didn't finish."))?;
        plan.left_out += counts.unmet;
        foreseen = Some(counts);
        plan.misfit_rows = loaded.misfits;
        plan.add_new(loaded.problems);
    } else if dry_run && !overrides_none {
        // What was found out fits every row; what the caller says of a column may not.
        let shared = Arc::new(plan);
        let loaded = look_through(&job, spool.clone(), shared.clone(), manner).await?;
        plan = Arc::into_inner(shared).ok_or_else(|| error::INTERNAL.error("The import's reader didn't finish."))?;
        plan.misfit_rows = loaded.misfits;
        plan.add_new(loaded.problems);
    }
    if dry_run {
        if manner.stop {
            let odd = plan.odd();
            plan.add_new(odd);
        }
        let (rows, foreseen) = (plan.rows, plan.preview(foreseen, manner.misfit));
        let preview = serde_json::to_vec(&foreseen).map_err(board::damaged)?;
        job.tell(DONE, rows, rows);
        return Ok(Reply::json_bytes(preview));
    }
    let odd = plan.odd();
    if manner.stop && odd.count > 0 {
        return Err(load::stopped(&odd, 0));
    }
    let file_name = file_name.as_deref().and_then(board_name).or(told_name);
    let name =
        name.or_else(|| plan.called().map(str::to_owned)).or(file_name).unwrap_or_else(|| "Imported board".to_owned());
    let (plan, loaded) = store_rows(&job, name, spool, plan, manner).await?;
    finish(job, plan, loaded).await
}

/// The received file if it's a table, otherwise a table made from its sheet or records. The original is then deleted.
fn as_table(
    spool: Spool,
    sheet: Option<&str>,
    choices: table_import::json::Choices,
    stop: &AtomicBool,
) -> Result<(Spool, Option<Sheet>)> {
    if table_import::workbook::is_workbook(&spool.0, stop)? {
        let table = Spool(spool.0.with_extension("sheet.part"));
        let sheet = table_import::workbook::unfold(&spool.0, &table.0, sheet, stop)?;
        return Ok((table, Some(sheet)));
    }
    match sheet {
        None if table_import::json::is_json(&spool.0)? => {
            let table = Spool(spool.0.with_extension("records.part"));
            let sheet = table_import::json::unfold(&spool.0, &table.0, choices, stop)?;
            Ok((table, Some(sheet)))
        }
        None => Ok((spool, None)),
        Some(name) => Err(UNKNOWN_SHEET.error(format!("The file isn't a workbook, so it has no sheet {name}."))),
    }
}

async fn blocking<T: Send + 'static>(run: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let ran = tokio::task::spawn_blocking(run).await;
    ran.unwrap_or_else(|fault| Err(error::INTERNAL.error("Couldn't read the file.").caused_by(fault)))
}

async fn known_members(job: &Job) -> Result<Vec<Known>> {
    let mut all = job.ctx.service::<Members>().0.all(job.account()).await?;
    // Of two members of one name, the same is found each time.
    all.sort_unstable();
    Ok(all.into_iter().map(|(id, name, email)| Known { id, name, email }).collect())
}

/// Loads the rows of a new board for a preview, without saving.
async fn look_through(job: &Job, spool: Arc<Spool>, plan: Arc<Plan>, manner: Manner) -> Result<Loaded> {
    let (sender, mut chunks) = mpsc::channel::<Vec<NewItem>>(CHUNKS_WAITING_MAX);
    let now = kit::rfc3339(job.ctx.now_ms());
    // A dry run says what would be stopped at instead of stopping.
    let manner = Manner { stop: false, ..manner };
    let reader = tokio::task::spawn_blocking(move || load::load(&spool.0, &plan, manner, (&now, None), &sender));
    while chunks.recv().await.is_some() {}
    reader.await.unwrap_or_else(|e| Err(error::INTERNAL.error("Couldn't read the file.").caused_by(e)))
}

/// Makes the board in the state `importing` and stores the rows under it, chunk by chunk.
async fn store_rows(
    job: &Job,
    name: String,
    spool: Arc<Spool>,
    mut plan: Plan,
    manner: Manner,
) -> Result<(Plan, Loaded)> {
    if plan.groups.is_empty() {
        plan.groups.push("Items".to_owned());
    }
    let (plan, owned) = (Arc::new(plan), job.clone());
    let db = job.ctx.db();
    let made = plan.clone();
    db.write(move |tx| make_board(tx, &owned, name, &made)).await?;
    let (sender, mut chunks) = mpsc::channel::<Vec<NewItem>>(CHUNKS_WAITING_MAX);
    let reading = plan.clone();
    let (now, by) = (kit::rfc3339(job.ctx.now_ms()), item::made_by(&job.caller));
    let reader =
        tokio::task::spawn_blocking(move || load::load(&spool.0, &reading, manner, (&now, by.as_deref()), &sender));
    let mut stored = 0;
    let source = plan.source();
    while let Some(chunk) = chunks.recv().await {
        let owned = job.clone();
        let (first, count) = (stored, chunk.len() as u64);
        db.write(move |tx| insert_chunk(tx, &owned, chunk, first, source)).await?;
        stored += count;
        job.tell("loading", stored, plan.rows);
    }
    let loaded = reader.await.unwrap_or_else(|e| Err(error::INTERNAL.error("Couldn't read the file.").caused_by(e)))?;
    for some in loaded.subitems.chunks(ROWS_PER_STEP) {
        let (owned, some) = (job.clone(), some.to_vec());
        db.write(move |tx| put_below(tx, &owned, &some, source)).await?;
    }
    let plan = Arc::into_inner(plan).ok_or_else(|| error::INTERNAL.error("The import's reader didn't finish."))?;
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
        subitem_count: 0,
        next_column: columns_made + 1,
        next_group: plan.groups.len() as i64 + 1,
        last_position: 0,
        left_since: 0,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    board::insert(tx, account, &board, "importing")?;
    for (index, name) in plan.groups.iter().enumerate() {
        groups::insert(tx, account, &board.id, index, &load::group_called(name), "")?;
    }
    for (index, number, decided) in load::columns(plan) {
        let title = &plan.titles[index];
        columns::insert(tx, account, &board.id, number, number - 1, title, decided.kind, decided.settings.clone())?;
    }
    let found = load::columns(plan)
        .map(|(index, number, decided)| (format!("c{number}"), decided.kind, plan.titles[index].as_str()));
    let columns: Vec<(String, ColumnType, &str)> = found.collect();
    views::insert_found(tx, account, &board.id, &columns, plan.groups.len())?;
    Ok(())
}

const IS_IMPORTING: &str = "SELECT 1 FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'importing'";

fn insert_chunk(tx: &mut Tx<'_>, job: &Job, chunk: Vec<NewItem>, first: u64, source: &str) -> Result<()> {
    let account = job.account();
    // A board that is being removed takes no more rows.
    tx.query_one(IS_IMPORTING, params![account, &job.board_id], |_| Ok(()))?;
    for (item, index) in chunk.into_iter().zip(first as i64 + 1..) {
        let key = item.key.unwrap_or_else(|| links::unkeyed(&item.id));
        if !key.is_empty() {
            links::put_json(tx, [account, &job.board_id, source, &key, &item.id], &item.record_json)?;
        }
        let ids = [account, &job.board_id, &item.id, &ids::group_id(item.group.unwrap_or(0)), ""];
        item::insert_json(tx, ids, index * POSITION_STEP, FIRST_REVISION, item.record_json)?;
    }
    Ok(())
}

/// Makes items subitems of others, into whose groups they go.
fn put_below(tx: &mut Tx<'_>, job: &Job, subitems: &[Below], source: &str) -> Result<()> {
    let account = job.account();
    tx.query_one(IS_IMPORTING, params![account, &job.board_id], |_| Ok(()))?;
    for Below { id, parent_id, key } in subitems {
        let Some(parent) = item::find(tx, account, &job.board_id, parent_id)? else { continue };
        let Some(mut item) = item::find(tx, account, &job.board_id, id)? else { continue };
        item.record.parent_id = Some(parent.record.id);
        let key = key.clone().unwrap_or_else(|| links::unkeyed(id));
        links::give(tx, account, &job.board_id, source, &key, &item.record)?;
        item.record.group_id = parent.record.group_id;
        item::store(tx, account, &job.board_id, FIRST_REVISION, &item)?;
    }
    Ok(())
}

/// Shows the board unless the import was canceled.
async fn finish(job: Job, plan: Plan, mut loaded: Loaded) -> Result<Reply> {
    let ends = job.seat.ticket.state.compare_exchange(UNDER_WAY, ENDING, Ordering::SeqCst, Ordering::SeqCst);
    if ends.is_err() {
        return Err(IMPORT_CANCELLED.error("The import was canceled. Nothing was saved."));
    }
    let (source, notes) = (plan.source(), plan.notes());
    let mut column_ids = vec![None; plan.titles.len()];
    load::columns(&plan).for_each(|(index, number, _)| column_ids[index] = Some(format!("c{number}")));
    let titles = plan.filled(&column_ids);
    let file_problems = plan.problems.listed.into_iter().filter(|problem| problem.code == fault::TOO_MANY_GROUPS);
    for problem in file_problems {
        loaded.problems.add(problem.line, "", problem.code, || problem.detail);
    }
    let (owned, imported, skipped) = (job.clone(), loaded.imported, loaded.skipped);
    let subitems = loaded.subitems.len() as i64;
    let show = move |tx: &mut Tx<'_>| {
        let account = owned.account();
        tx.query_one(IS_IMPORTING, params![account, &owned.board_id], |_| Ok(()))?;
        tx.execute(
            "UPDATE boards SET state = 'ready', item_count = $3, last_position = $4, subitem_count = $5 WHERE account_id = $1 AND board_id = $2",
            params![account, &owned.board_id, imported as i64, imported as i64 * POSITION_STEP, subitems],
        )?;
        let board = board::load(tx, account, &owned.board_id)?;
        let after = json!({
            "name": board.name, "workspaceId": board.workspace_id, "importId": owned.import_id,
            "rowsImported": imported, "rowsSkipped": skipped,
        });
        let at_ms = owned.ctx.now_ms();
        let ended = Ended { import_id: &owned.import_id, source, made_board: true, at_ms, titles: &titles };
        links::begin(tx, account, &board.id, ended)?;
        let change = Change { subject: "board", subject_id: &board.id, field: "", before: None, after: Some(&after) };
        tx.record(&owned.caller, owned.ctx.now_ms(), change)?;
        let shown = view(tx, account, &board)?;
        tx.after_commit(move || {
            let event = Event::BoardChanged { board_id: owned.board_id.clone(), revision: board.revision };
            owned.ctx.events().emit(Some(owned.account()), event);
            let (board_id, by) = (owned.board_id.clone(), Actor::from(&owned.caller));
            owned.ctx.events().emit(Some(owned.account()), Event::ItemsImported { board_id, items: imported, by });
            owned.tell(DONE, imported, imported);
        });
        Ok(shown)
    };
    let board = job.ctx.db().write(show).await?;
    let outcome = Imported {
        board,
        import_id: job.import_id,
        rows_imported: imported,
        rows_skipped: skipped,
        notes,
        problems: loaded.problems.listed,
        problem_count: loaded.problems.count,
    };
    let body = serde_json::to_vec(&outcome).map_err(board::damaged)?;
    Ok(Reply { status: 201, ..Reply::json_bytes(body) }.header("location", format!("/boards/{}", job.board_id)))
}

//! Views of a board: how its items are shown. Column settings (layout, widths, sorting) are stored for the client; IDs
//! of deleted columns remain and have no effect.
//!
//! Views aren't board data: a change raises the view's revision and not the board's, so that clients don't reload items
//! because a column was widened.

mod filter;
mod take_back;

use crate::board::{self, Board};
use crate::cells::Column;
use crate::errors::BOARD_LIMIT;
use crate::inputs::expect_name;
use crate::presets::Preset;
use crate::view::{ViewKind, ViewRecord, ViewSettings, views_of};
use crate::{fault, ids};
use column_types::{ColumnType, NAME_CHARS_MAX, NOT_BLANK};
use events::{Event, HasEvents};
use kit::error::{Result, invalid, not_found};
use kit::page::PAGE_MAX;
use kit::text::CURSOR;
use kit::{Call, Caller, CreatedPart, Ctx, Page, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx, params};
pub(crate) use take_back::take_back;
use widgets::Meant;

/// Views of a board.
pub const VIEWS_MAX: usize = 50;
/// Bytes of a view's settings as JSON.
pub const SETTINGS_BYTES_MAX: usize = 64 * 1024;
/// Narrowest and widest that a column can be set to, in pixels.
const WIDTHS: std::ops::RangeInclusive<u32> = 20..=4_000;
/// Types of column that place an item on days.
const PLACES: [Option<ColumnType>; 2] = [Some(ColumnType::Date), Some(ColumnType::Timeline)];
/// Types of column whose labels are the stacks of a kanban.
const STACKS: [Option<ColumnType>; 2] = [Some(ColumnType::Status), Some(ColumnType::Dropdown)];
/// Client settings outside the schema that are validated.
const END_COLUMN: &str = "endColumn";
const LIMITS: &str = "limits";
/// What filters are called elsewhere; here nothing would read it.
const FILTERS: &str = "filters";
/// Layout by group instead of by a column.
const BY_GROUP: &str = "group";

fn insert(tx: &mut Tx<'_>, account: &str, board_id: &str, position: usize, view: &ViewRecord) -> Result<()> {
    let settings = serde_json::to_string(&view.settings).map_err(board::damaged)?;
    tx.execute(
        "INSERT INTO board_views (account_id, board_id, view_id, position, revision, name, kind, settings_json) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        params![account, board_id, &view.id, position as i64, view.revision, &view.name, view.kind.name(), settings],
    )?;
    Ok(())
}

/// Adds the views of a preset to a new board.
pub(crate) fn insert_preset(tx: &mut Tx<'_>, account: &str, board_id: &str, preset: &Preset) -> Result<()> {
    for ((position, view), id) in preset.views.iter().enumerate().zip(ids::short_ids()) {
        let record = ViewRecord {
            id,
            name: view.name.to_owned(),
            kind: view.kind,
            settings: view.settings(preset),
            revision: 1,
        };
        insert(tx, account, board_id, position, &record)?;
    }
    Ok(())
}

/// Adds views to an imported board, in addition to its table: a kanban by the first status column, or by group if there
/// are several, and a calendar by the due date or the first date. A board without these gets none.
pub(crate) fn insert_found(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    columns: &[(String, ColumnType, &str)],
    groups: usize,
) -> Result<()> {
    let first = |kind: ColumnType| columns.iter().find(|column| column.1 == kind).map(|column| column.0.clone());
    let meant = columns.iter().map(|(_, kind, title)| Meant { title, type_name: kind.name() });
    let due = widgets::due(&meant.collect::<Vec<_>>()).map(|at| columns[at].0.clone());
    let kanban = first(ColumnType::Status)
        .or_else(|| (groups > 1).then(|| BY_GROUP.to_owned()))
        .map(|id| ("Kanban", ViewKind::Kanban, ViewSettings { by_column: Some(id), ..ViewSettings::default() }));
    let calendar = due
        .or_else(|| first(ColumnType::Date))
        .map(|id| ("Calendar", ViewKind::Calendar, ViewSettings { date_column: Some(id), ..ViewSettings::default() }));
    if kanban.is_none() && calendar.is_none() {
        return Ok(());
    }
    let table = ("Table", ViewKind::Table, ViewSettings::default());
    let found = [Some(table), kanban, calendar].into_iter().flatten();
    for ((position, (name, kind, settings)), id) in found.enumerate().zip(ids::short_ids()) {
        let record = ViewRecord { id, name: name.to_owned(), kind, settings, revision: 1 };
        insert(tx, account, board_id, position, &record)?;
    }
    Ok(())
}

/// Rejects settings that are too large or reference missing parts of the board. References that were already stored are
/// accepted, so a view with a deleted column can still be changed.
fn check(settings: &ViewSettings, before: &ViewSettings, columns: &[Column]) -> Result<()> {
    let bytes = serde_json::to_vec(settings).map_err(board::damaged)?.len();
    if bytes > SETTINGS_BYTES_MAX {
        let detail = format!("A view's settings can be up to {SETTINGS_BYTES_MAX} bytes as JSON; these are {bytes}.");
        return Err(invalid("/settings", kit::error::TOO_LARGE.fault(), detail));
    }
    if let Some(by) = settings.by_column.as_deref()
        && by != BY_GROUP
        && before.by_column.as_deref() != Some(by)
    {
        expect_column(
            by,
            columns,
            ("byColumn", &format!("the ID of a status or dropdown column of this board, or {BY_GROUP}")),
            &STACKS,
        )?;
    }
    if let Some(by) = settings.date_column.as_deref()
        && before.date_column.as_deref() != Some(by)
    {
        expect_column(by, columns, ("dateColumn", "the ID of a date or timeline column of this board"), &PLACES)?;
    }
    match settings.other.get(END_COLUMN) {
        None | Some(Value::Null) => {}
        same if same == before.other.get(END_COLUMN) => {}
        Some(Value::String(by)) => {
            expect_column(by, columns, (END_COLUMN, "the ID of a date column of this board"), &PLACES[..1])?
        }
        Some(_) => {
            return Err(invalid("/settings/endColumn", fault::WRONG_TYPE, "Set endColumn to the ID of a date column."));
        }
    }
    match settings.other.get(LIMITS) {
        None | Some(Value::Null) => {}
        Some(Value::Object(limits)) => {
            let kept =
                |key: &String, limit: &Value| before.other.get(LIMITS).and_then(|all| all.get(key)) == Some(limit);
            let wrong = limits.iter().find(|(key, limit)| limit.as_u64().is_none_or(|n| n == 0) && !kept(key, limit));
            if let Some((key, limit)) = wrong {
                let detail = format!("A limit must be a whole number above 0; the limit of stack {key} is {limit}.");
                return Err(invalid("/settings/limits", fault::OUT_OF_RANGE, detail));
            }
        }
        Some(_) => {
            return Err(invalid("/settings/limits", fault::WRONG_TYPE, "limits must have a number for each stack."));
        }
    }
    if settings.other.get(FILTERS).is_some_and(|filters| before.other.get(FILTERS) != Some(filters)) {
        return Err(invalid("/settings/filters", kit::fault::UNKNOWN_FIELD, "Put the view's filter in `filter`."));
    }
    let outside = |(_, width): &(&String, &u32)| !WIDTHS.contains(width);
    if let Some((column, width)) = settings.widths.iter().flatten().find(outside) {
        let detail = format!("A width must be {} to {} pixels; {column} has {width}.", WIDTHS.start(), WIDTHS.end());
        return Err(invalid("/settings/widths", fault::OUT_OF_RANGE, detail));
    }
    Ok(())
}

/// Refuses a column that the board does not have or that is of none of the types.
fn expect_column(
    id: &str,
    columns: &[Column],
    (member, takes): (&str, &str),
    types: &[Option<ColumnType>],
) -> Result<()> {
    let pointer = format!("/settings/{member}");
    let column = columns.iter().find(|column| column.id == id);
    let column = column.ok_or_else(|| ids::unknown_column(id, pointer.as_str()))?;
    if types.contains(&column.kind) {
        return Ok(());
    }
    let what = format!("{} ({id}) is of type {}", column.title, column.type_name);
    Err(invalid(&pointer, fault::WRONG_COLUMN, format!("Set {member} to {takes}; {what}.")))
}

/// Before a view's id, what changes of it are recorded as: a part of its board.
pub(crate) const FIELD: &str = "views/";

/// A change of a board's views under way.
struct Edit {
    account: String,
    caller: Caller,
    now_ms: i64,
    board: Board,
    views: Vec<ViewRecord>,
    /// Whether anything was recorded.
    is_changed: bool,
}

impl Edit {
    /// Records a change of a view; its id.
    fn record(&mut self, tx: &mut Tx<'_>, id: &str, before: Option<&Value>, after: Option<&Value>) -> Result<String> {
        self.is_changed = true;
        let field = format!("{FIELD}{id}");
        let change = Change { subject: "board", subject_id: &self.board.id, field: &field, before, after };
        tx.record(&self.caller, self.now_ms, change)
    }

    fn columns(&self, tx: &mut Tx<'_>) -> Result<Vec<Column>> {
        board::columns(tx, &self.account, &self.board.id)
    }

    /// Writes the positions of the views in their current order.
    fn renumber(&self, tx: &mut Tx<'_>) -> Result<()> {
        let sql = "UPDATE board_views SET position = $4 WHERE account_id = $1 AND board_id = $2 AND view_id = $3 AND position <> $4";
        for (view, position) in self.views.iter().zip(0_i64..) {
            tx.execute(sql, params![self.account.as_str(), &self.board.id, &view.id, position])?;
        }
        Ok(())
    }
}

/// Runs a change of views as one transaction: the board is the account's, and listeners hear of it once it is on disk.
async fn edit<T: Send + 'static>(
    ctx: Ctx,
    caller: Caller,
    board_id: String,
    run: impl FnOnce(&mut Tx<'_>, &mut Edit) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (db, bus, now_ms) = (ctx.db(), ctx.events(), ctx.now_ms());
    let change = move |tx: &mut Tx<'_>| {
        let account = caller.account.to_string();
        let board = board::load(tx, &account, &board_id)?;
        let views = views_of(tx, &account, &board_id)?;
        let mut edit = Edit { account, caller, now_ms, board, views, is_changed: false };
        let answer = run(tx, &mut edit)?;
        if edit.is_changed {
            tx.after_commit(move || bus.emit(Some(&edit.account), Event::BoardViewsChanged { board_id }));
        }
        Ok(answer)
    };
    db.write(change).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// ID, not the name.
    board_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<ViewRecord>> {
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        let part = Part { cursor: input.cursor, limit: input.limit };
        part.page(views_of(tx, call.account(), &board.id)?, |view| (&view.id).into())
    };
    ctx.db().read(read).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Create {
    /// ID, not the name.
    board_id: String,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: String,
    /// Its kind.
    kind: ViewKind,
    /// Its settings.
    #[serde(default)]
    settings: ViewSettings,
    /// Position, from 0. Default: the end.
    #[schemars(range(max = u32::MAX))]
    position: Option<u32>,
    /// Only add the view if the board has none; otherwise return the existing one.
    #[serde(default)]
    first: bool,
}

/// The added view, or the existing one with `first`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AddedView {
    #[serde(flatten)]
    view: ViewRecord,
    /// Change ID for `boards.undo`; omitted if the view existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    change_id: Option<String>,
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: Create) -> Result<CreatedPart<AddedView>> {
    expect_name(&input.name, "/name")?;
    let unknown = filter::unknown_in(&ctx, call.account(), &input.board_id, input.settings.filter.as_ref()).await?;
    edit(ctx, call.caller, input.board_id, move |tx, edit| {
        // Two pages that open a board without views make one between them.
        if let Some(view) = edit.views.first().filter(|_| input.first).cloned() {
            return Ok(CreatedPart(AddedView { view, change_id: None }));
        }
        let end = edit.views.len();
        if end >= VIEWS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board can have up to {VIEWS_MAX} views.")));
        }
        check(&input.settings, &ViewSettings::default(), &edit.columns(tx)?)?;
        unknown.refuse(tx, edit)?;
        let view = ViewRecord {
            id: ids::short_id(),
            name: input.name,
            kind: input.kind,
            settings: input.settings,
            revision: 1,
        };
        insert(tx, &edit.account, &edit.board.id, end, &view)?;
        edit.views.insert(input.position.map_or(end, |p| p as usize).min(end), view.clone());
        edit.renumber(tx)?;
        let change_id = Some(edit.record(tx, &view.id, None, Some(&json!(view)))?);
        Ok(CreatedPart(AddedView { view, change_id }))
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// ID, not the name.
    board_id: String,
    /// The view's ID.
    view_id: String,
    /// Its new name, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// Its new kind.
    kind: Option<ViewKind>,
    /// Its complete new settings.
    settings: Option<ViewSettings>,
    /// Its new position, from 0.
    #[schemars(range(max = u32::MAX))]
    position: Option<u32>,
}

/// A changed view.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedView {
    #[serde(flatten)]
    view: ViewRecord,
    /// Change ID for `boards.undo`; omitted if nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    change_id: Option<String>,
    /// Whether nothing changed because the values were already set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    unchanged: bool,
}

pub(crate) async fn update(ctx: Ctx, call: Call, input: Update) -> Result<ChangedView> {
    if let Some(name) = &input.name {
        expect_name(name, "/name")?;
    }
    let filter = input.settings.as_ref().and_then(|settings| settings.filter.as_ref());
    let unknown = filter::unknown_in(&ctx, call.account(), &input.board_id, filter).await?;
    edit(ctx, call.caller.clone(), input.board_id, move |tx, edit| {
        let at =
            edit.views.iter().position(|view| view.id == input.view_id).ok_or_else(|| not_found().naming(&["view"]))?;
        let mut view = edit.views[at].clone();
        call.expects(view.revision)?;
        if let Some(name) = input.name {
            view.name = name;
        }
        if let Some(kind) = input.kind {
            view.kind = kind;
        }
        if let Some(settings) = input.settings {
            check(&settings, &view.settings, &edit.columns(tx)?)?;
            if settings.filter != view.settings.filter {
                unknown.refuse(tx, edit)?;
            }
            view.settings = settings;
        }
        let (view, change_id) = save(tx, edit, at, view, input.position.map(|p| p as usize))?;
        Ok(ChangedView { view, unchanged: change_id.is_none(), change_id })
    })
    .await
}

/// Saves a view, at a new position if given. Returns the view and the change's ID, which is none if nothing changed.
fn save(
    tx: &mut Tx<'_>,
    edit: &mut Edit,
    at: usize,
    wanted: ViewRecord,
    to: Option<usize>,
) -> Result<(ViewRecord, Option<String>)> {
    let to = to.unwrap_or(at).min(edit.views.len() - 1);
    if to == at && wanted == edit.views[at] {
        return Ok((wanted, None));
    }
    let before = edit.views.remove(at);
    let view = ViewRecord { revision: before.revision + 1, ..wanted };
    let settings = serde_json::to_string(&view.settings).map_err(board::damaged)?;
    tx.execute(
        "UPDATE board_views SET revision = $4, name = $5, kind = $6, settings_json = $7 \
         WHERE account_id = $1 AND board_id = $2 AND view_id = $3",
        params![edit.account.as_str(), &edit.board.id, &view.id, view.revision, &view.name, view.kind.name(), settings],
    )?;
    edit.views.insert(to, view.clone());
    edit.renumber(tx)?;
    let before = json!({"view": before, "position": at});
    let change_id = edit.record(tx, &view.id, Some(&before), Some(&json!({"view": view, "position": to})))?;
    Ok((view, Some(change_id)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// ID, not the name.
    board_id: String,
    /// The view's ID.
    view_id: String,
}

/// A deleted view.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "DeletedView", rename_all = "camelCase")]
pub(crate) struct Deleted {
    /// Change ID for `boards.undo`, which restores the view.
    change_id: String,
}

pub(crate) async fn delete(ctx: Ctx, call: Call, input: Which) -> Result<Deleted> {
    edit(ctx, call.caller.clone(), input.board_id, move |tx, edit| {
        let at =
            edit.views.iter().position(|view| view.id == input.view_id).ok_or_else(|| not_found().naming(&["view"]))?;
        call.expects(edit.views[at].revision)?;
        Ok(Deleted { change_id: remove(tx, edit, at)? })
    })
    .await
}

/// Deletes the view at a place; the change's id.
fn remove(tx: &mut Tx<'_>, edit: &mut Edit, at: usize) -> Result<String> {
    let view = edit.views.remove(at);
    tx.execute(
        "DELETE FROM board_views WHERE account_id = $1 AND board_id = $2 AND view_id = $3",
        params![edit.account.as_str(), &edit.board.id, &view.id],
    )?;
    edit.renumber(tx)?;
    edit.record(tx, &view.id, Some(&json!({"view": view, "position": at})), None)
}

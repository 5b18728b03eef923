//! Listing, making, renaming and deleting boards.

use crate::board::{self, Board, BoardRecord};
use crate::edit::edit;
use crate::inputs::{BoardParams, PAGE_MAX, expect_name, page};
use crate::view::{self, BoardView};
use crate::{columns, groups, ids, presets, sessions, views};
use column_types::{NAME_CHARS_MAX, NOT_BLANK};
use events::{Event, HasEvents};
use kit::error::Result;
use kit::lookup::{AGENT_SESSIONS, Workspaces};
use kit::text::{CURSOR, id_cursor};
use kit::{Cached, Call, Created, Ctx};
use rustc_hash::FxHasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::hash::{Hash, Hasher};
use store::{Change, HasDb, Tx};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// Only boards of this workspace.
    workspace_id: Option<String>,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
}

/// A page of boards.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Boards {
    items: Vec<BoardRecord>,
    /// Cursor of the next page; null on the last.
    next_cursor: Option<String>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Boards> {
    let limit = page(input.limit)?;
    let workspace = input.workspace_id.unwrap_or_default();
    if !workspace.is_empty() {
        ctx.service::<Workspaces>().expect(call.account(), &workspace).await?;
    }
    let read = move |tx: &mut Tx<'_>| {
        let after = id_cursor(input.cursor.as_deref())?.unwrap_or_default();
        board::load_many(tx, call.account(), &workspace, after, limit + 1)
    };
    let mut boards = ctx.db().read(read).await?;
    let more = boards.len() as i64 > limit;
    boards.truncate(limit as usize);
    let next_cursor = boards.last().filter(|_| more).map(|last| last.id.clone());
    Ok(Boards { items: boards.iter().map(Board::record).collect(), next_cursor })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Create {
    /// The workspace for the board. Default: your only one.
    workspace_id: Option<String>,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: String,
    /// `blank` (one group, no columns) or a preset from `GET /boards/presets`. Default: `blank`; on the owner's page, the
    /// setting `pmSetupPreset`.
    #[schemars(extend("enum" = presets::accepted()))]
    preset: Option<String>,
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<BoardView>> {
    expect_name(&input.name, "/name")?;
    let preset = presets::chosen(&ctx, &call, input.preset.as_deref())?;
    let workspace_id = ctx.service::<Workspaces>().named_or_only(call.account(), input.workspace_id).await?;
    let (bus, now_ms) = (ctx.events(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account().to_owned();
        let board = Board {
            id: ids::short_id(),
            workspace_id,
            name: input.name,
            revision: 1,
            item_count: 0,
            subitem_count: 0,
            next_column: preset.columns.len() as i64 + 1,
            next_group: preset.groups.len() as i64 + 1,
            last_position: 0,
            left_since: 0,
            created_ms: now_ms,
            updated_ms: now_ms,
        };
        board::insert(tx, &account, &board, "ready")?;
        for (index, group) in preset.groups.iter().enumerate() {
            groups::insert(tx, &account, &board.id, index, group.0, group.1)?;
        }
        for (column, index) in preset.columns.iter().zip(0_i64..) {
            let settings = column.settings();
            columns::insert(tx, &account, &board.id, index + 1, index, column.title, column.kind, settings)?;
        }
        views::insert_preset(tx, &account, &board.id, preset)?;
        let after = json!({"name": board.name, "workspaceId": board.workspace_id});
        let change = Change { subject: "board", subject_id: &board.id, field: "", before: None, after: Some(&after) };
        tx.record(&call.caller, now_ms, change)?;
        let record = view(tx, &account, &board)?;
        let event = Event::BoardChanged { board_id: board.id.clone(), revision: 1 };
        tx.after_commit(move || bus.emit(Some(&account), event));
        Ok(Created { location: format!("/boards/{}", board.id), record })
    };
    ctx.db().write(write).await
}

pub(crate) fn view(tx: &mut Tx<'_>, account: &str, board: &Board) -> Result<BoardView> {
    let columns = board::columns(tx, account, &board.id)?;
    Ok(BoardView {
        board: board.record(),
        groups: board::groups(tx, account, &board.id)?,
        columns: columns.iter().map(|column| column.record()).collect::<Result<_>>()?,
        views: view::views_of(tx, account, &board.id)?,
    })
}

pub(crate) async fn get(ctx: Ctx, call: Call, input: BoardParams) -> Result<Cached<BoardView>> {
    let account = call.account().to_owned();
    let view = if input.board_id == AGENT_SESSIONS {
        sessions::view(&ctx, &call.caller).await?
    } else {
        let read = move |tx: &mut Tx<'_>| {
            let board = board::load(tx, &account, &input.board_id)?;
            view(tx, &account, &board)
        };
        ctx.db().read(read).await?
    };
    // Views change without the board's revision; the tag says that the answer is another all the same.
    let mut hasher = FxHasher::default();
    for shown in &view.views {
        (&shown.id, shown.revision).hash(&mut hasher);
    }
    let etag = format!("\"{}-{:x}\"", view.board.revision, hasher.finish());
    Ok(Cached::new(&call, &etag, || serde_json::to_vec(&view).expect("a board serializes").into()))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// ID, not the name.
    board_id: String,
    /// Its new name, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: String,
}

/// A changed board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedBoard {
    #[serde(flatten)]
    board: BoardRecord,
    /// Whether nothing changed because the values were already set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    unchanged: bool,
}

pub(crate) async fn update(ctx: Ctx, call: Call, input: Update) -> Result<ChangedBoard> {
    expect_name(&input.name, "/name")?;
    edit(ctx, call, input.board_id, move |tx, edit| {
        let before = std::mem::replace(&mut edit.board.name, input.name);
        let (before, after) = (json!(before), json!(edit.board.name));
        edit.record(tx, "board", &edit.board.id, "name", Some(&before), Some(&after))?;
        Ok(ChangedBoard { board: edit.outcome().record(), unchanged: edit.is_unchanged() })
    })
    .await
}

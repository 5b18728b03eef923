//! Listing, making, renaming and deleting boards.

use crate::board::{self, Board, BoardRecord, ColumnRecord, GroupRecord, edit};
use crate::cells::{Label, NAME_CHARS_MAX, NOT_BLANK, Settings, name_fits};
use crate::{ColumnType, UNKNOWN_PRESET, columns, directory, groups, ids, sweep};
use events::{Event, HasEvents};
use kit::error::{Result, invalid};
use kit::{Cached, Call, Created, Ctx, Done};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Tx, params};

/// Largest page of a list.
pub(crate) const PAGE_MAX: i64 = 1_000;
const PAGE_DEFAULT: i64 = 100;

/// Checks the size of a page.
pub(crate) fn page(limit: Option<i64>) -> Result<i64> {
    match limit.unwrap_or(PAGE_DEFAULT) {
        limit @ 1..=PAGE_MAX => Ok(limit),
        _ => Err(invalid("/limit", "out-of-range", format!("limit is 1 to {PAGE_MAX}."))),
    }
}

/// Refuses a name that is empty or too long.
pub(crate) fn expect_name(name: &str, pointer: &str) -> Result<()> {
    if name_fits(name) {
        return Ok(());
    }
    Err(invalid(pointer, "wrong-length", format!("It has 1 to {NAME_CHARS_MAX} characters, not only spaces.")))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// Only boards of this workspace.
    workspace_id: Option<String>,
    /// How many at most, 1 to 1,000; 100 where left out.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

/// A page of boards.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Boards {
    items: Vec<BoardRecord>,
    /// Where the next page begins; null at the end.
    next_cursor: Option<String>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Boards> {
    let limit = page(input.limit)?;
    let workspace = input.workspace_id.unwrap_or_default();
    if !workspace.is_empty() {
        directory::expect_workspace(&ctx, call.account(), &workspace).await?;
    }
    let read = move |tx: &mut Tx<'_>| {
        let after = input.cursor.as_deref().unwrap_or_default();
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
    /// The workspace that the board is to stand in.
    workspace_id: String,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: String,
    /// `blank` (one group, no columns) or `tasks` (two groups; status, owner and due date).
    #[schemars(extend("enum" = ["blank", "tasks", null]))]
    preset: Option<String>,
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<BoardView>> {
    expect_name(&input.name, "/name")?;
    let preset = input.preset.as_deref().unwrap_or("blank");
    let (group_names, column_specs) = match preset {
        "blank" => (vec!["Items"], Vec::new()),
        "tasks" => (vec!["To do", "Done"], tasks_columns()),
        other => {
            let detail = format!("There is no preset {other}; blank and tasks are.");
            return Err(UNKNOWN_PRESET.error(detail.clone()).at("/preset", "unknown-preset", detail));
        }
    };
    directory::expect_workspace(&ctx, call.account(), &input.workspace_id).await?;
    let (bus, now_ms) = (ctx.events(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account().to_owned();
        let board = Board {
            id: ids::short_id(),
            workspace_id: input.workspace_id,
            name: input.name,
            revision: 1,
            item_count: 0,
            next_column: column_specs.len() as i64 + 1,
            next_group: group_names.len() as i64 + 1,
            last_position: 0,
            left_since: 0,
            created_ms: now_ms,
            updated_ms: now_ms,
        };
        board::insert(tx, &account, &board, "ready")?;
        for (index, name) in group_names.iter().enumerate() {
            groups::insert(tx, &account, &board.id, index, name, "")?;
        }
        for (index, (title, kind, settings)) in column_specs.into_iter().enumerate() {
            columns::insert(tx, &account, &board.id, index as i64 + 1, index as i64, title, kind, settings)?;
        }
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

fn tasks_columns() -> Vec<(&'static str, ColumnType, Settings)> {
    let label =
        |text: &str, color: &str, done| Label { id: String::new(), text: text.into(), color: color.into(), done };
    let labels = vec![
        label("Not started", "#7a7a7a", false),
        label("Working on it", "#e8a33d", false),
        label("Stuck", "#d9455f", false),
        label("Done", "#00a86b", true),
    ];
    vec![
        ("Status", ColumnType::Status, Settings { labels: Some(labels), ..Settings::default() }),
        ("Owner", ColumnType::People, Settings::default()),
        ("Due", ColumnType::Date, Settings::default()),
    ]
}

/// A board with its groups and columns.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BoardView {
    #[serde(flatten)]
    board: BoardRecord,
    groups: Vec<GroupRecord>,
    columns: Vec<ColumnRecord>,
}

pub(crate) fn view(tx: &mut Tx<'_>, account: &str, board: &Board) -> Result<BoardView> {
    let columns = board::columns(tx, account, &board.id)?;
    Ok(BoardView {
        board: board.record(),
        groups: board::groups(tx, account, &board.id)?,
        columns: columns.iter().map(|column| column.record()).collect::<Result<_>>()?,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// The board.
    board_id: String,
}

pub(crate) async fn get(ctx: Ctx, call: Call, input: Which) -> Result<Cached<BoardView>> {
    let account = call.account().to_owned();
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, &account, &input.board_id)?;
        view(tx, &account, &board)
    };
    let view = ctx.db().read(read).await?;
    let etag = format!("\"{}\"", view.board.revision);
    Ok(Cached::new(&call, &etag, || serde_json::to_vec(&view).expect("a board serialises").into()))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// The board.
    board_id: String,
    /// Its new name, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: String,
}

pub(crate) async fn update(ctx: Ctx, call: Call, input: Update) -> Result<BoardRecord> {
    expect_name(&input.name, "/name")?;
    edit(ctx, call, input.board_id, move |tx, edit| {
        let before = std::mem::replace(&mut edit.board.name, input.name);
        let (before, after) = (json!(before), json!(edit.board.name));
        edit.record(tx, "board", &edit.board.id, "name", Some(&before), Some(&after))?;
        Ok(edit.board.record())
    })
    .await
}

pub(crate) async fn delete(ctx: Ctx, call: Call, input: Which) -> Result<Done> {
    let (bus, now_ms, sweeper) = (ctx.events(), ctx.now_ms(), ctx.clone());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account().to_owned();
        let board = board::load(tx, &account, &input.board_id)?;
        call.expects(board.revision)?;
        tx.execute(
            "UPDATE boards SET state = 'deleting' WHERE account_id = $1 AND board_id = $2",
            params![account.as_str(), &board.id],
        )?;
        let before = json!({"name": board.name, "workspaceId": board.workspace_id, "itemCount": board.item_count});
        let change = Change { subject: "board", subject_id: &board.id, field: "", before: Some(&before), after: None };
        tx.record(&call.caller, now_ms, change)?;
        let id = board.id.clone();
        tx.after_commit({
            let account = account.clone();
            move || bus.emit(Some(&account), Event::BoardDeleted { board_id: id })
        });
        Ok((account, board.id))
    };
    let (account, board_id) = ctx.db().write(write).await?;
    // Its rows go in pieces behind the answer, so that a large board does not hold up other writes.
    sweep::in_background(sweeper, account, board_id);
    Ok(Done)
}

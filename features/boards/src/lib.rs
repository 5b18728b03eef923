//! Boards: groups, typed columns, items with their cells, a whole board in one read, importing and exporting of tables.
//!
//! Invariants: every write raises the board's revision (comments and views have one each), is recorded in `changes` and told as an event after it is on disk;
//! both forms of a full board hold the same values and are kept in memory only under the revision they were built from;
//! a board that is being imported, is deleted or archived is shown nowhere, and what a stop of the program leaves of it goes at the next start; so does what is left of a deleted column's cells, which
//! the JSON form and lists of items may still hold, as members of no column, until the deletion has answered.
//! Deliberately not here: workspaces and members (the accounts feature keeps them; `directory` asks it),
//! and what a filter means (the widget engine says it, here for a query as in a page).

mod activity;
mod arrow;
mod board;
mod boards;
mod bulk;
mod cells;
mod changed;
mod columns;
mod comments;
mod convert;
mod dates;
mod directory;
mod dues;
mod expect;
mod export;
mod fault;
mod files;
mod folder;
mod formula;
mod full;
mod groups;
mod ids;
mod image;
mod import;
mod items;
mod limits;
mod links;
mod noted;
mod outward;
mod place;
mod presets;
mod query;
mod revert;
mod scan;
mod sessions;
mod settings;
mod steps;
mod subitems;
mod sweep;
mod tables;
#[cfg(test)]
mod tests;
mod trash;
mod undo;
mod upload;
mod views;
mod zones;

pub use board::BOARDS_MAX;
pub use bulk::CELLS_PER_CHANGE_MAX;
pub use cells::{Column, ColumnType, ENTRIES_MAX, LABELS_MAX, Label, NAME_CHARS_MAX, Settings, TEXT_CHARS_MAX};
pub use changed::CHANGED_ITEMS_MAX;
pub use columns::COLUMNS_MAX;
pub use comments::{COMMENT_CHARS_MAX, COMMENTS_MAX, MENTIONS_MAX};
pub use files::{FILE_BYTES_MAX, FILES_PER_CELL_MAX, FOLDER as FILES_FOLDER, KEPT_MS as FILES_KEPT_MS};
pub use formula::{CHARS_MAX as FORMULA_CHARS_MAX, FORMULAS_MAX, FormulaResult, formulas_md};
pub use full::{ARROW, FULL_BYTES_MAX, KEPT_BYTES_MAX};
pub use groups::GROUPS_MAX;
pub use items::{ITEMS_MAX, ITEMS_PER_CREATE_MAX};
pub use limits::limits_ts;
pub use presets::presets_md;
pub use query::QUERY_BOARDS_MAX;
pub use query::{filters_md, filters_ts};
pub use settings::{
    ColorMode, Density, SetupPreset, WeekStart, calendarWeekStartDay, pmBoardDensity, pmColorMode, pmSetupPreset,
    projectBoardsEnabled,
};
pub use subitems::SUBITEMS_MAX;
pub use tables::TABLES_BYTES_MAX;
pub use trash::TRASH_KEPT_MS;
pub use views::{SETTINGS_BYTES_MAX, VIEWS_MAX};

use futures_util::future::BoxFuture;
use kit::error::NAMED_NOT_FOUND;
use kit::lookup::{AGENT_SESSIONS, Boards, Lookup};
use kit::op::limits::LARGE_BYTES;
use kit::{Ctx, Feature, Method, Migration, Op, Who};
use std::sync::Arc;
use store::{Db, HasDb, Tx, params};

kit::error_codes! {
    INVALID_CELL = 422 "invalid-cell" "The cell does not take this value" : "A value does not fit the type or the settings of its column; the detail names the column and what it accepts.";
    ONLY_CONNECTED = 409 "only-connected" "Agent sessions are only connected" : "The board `agent-sessions` is made of the sessions that there are: it is read with `GET /boards/agent-sessions` and its `/full`, and connected to dashboards. Nothing else can be done with it.";
    READ_ONLY_COLUMN = 422 "read-only-column" "Nothing is written to this column" : "Columns that show when and by whom an item was created or changed, and mirrors, have no cells of their own; change what they show instead.";
    UNKNOWN_PRESET = 422 "unknown-preset" "No such preset" : "A board is created from `blank` or a preset that `GET /boards/presets` lists.";
    BOARD_LIMIT = 422 "board-limit" "The board is full" : "A board holds a limited number of columns, groups, items and views, and an item of comments; the detail names the limit.";
    SUBITEM_DEPTH = 422 "subitem-depth" "Subitems have no subitems" : "An item becomes a subitem of an item that is none itself, while it has no subitems of its own; the detail says which of the two stands in the way.";
    GROUP_NOT_EMPTY = 409 "group-not-empty" "The group still has items" : "Name another group in `moveTo`, delete its items along with it with `withItems`, or delete or move them first.";
    LAST_GROUP = 409 "last-group" "A board keeps one group" : "The only group of a board cannot be deleted; every item stands in one.";
    LABEL_IN_USE = 409 "label-in-use" "Items still hold this label" : "A label can be left out of a column's settings when no item holds it any more.";
    EMPTY_FILE = 422 "empty-file" "The file is empty" : "The file holds no row. Send a file with at least one.";
    NOT_A_TABLE = 422 "not-a-table" "Not a table" : "The file is neither text with rows and columns (CSV, TSV) nor a sound Excel workbook (.xlsx) nor JSON that is known; the detail says what is wrong with it, and where.";
    ENCRYPTED_WORKBOOK = 422 "encrypted-workbook" "The workbook is protected by a password" : "Save the workbook without a password, or the sheet as CSV, and import that.";
    WORKBOOK_TOO_LARGE = 422 "workbook-too-large" "The workbook is too large when unpacked" : "A part of the workbook, unpacked, is larger than is read; the detail names the limit. Save the sheet as CSV and import that.";
    UNKNOWN_SHEET = 422 "unknown-sheet" "No such sheet" : "`sheet` names no sheet with cells of the workbook; the detail names those that there are.";
    OPEN_QUOTE = 422 "open-quote" "A quote is left open" : "A quote that opens in a row of the table is never closed, so that nothing from there on can be told apart as rows; `line` says where. Nothing is imported. Close the quote or take it out.";
    ROW_TOO_LONG = 422 "row-too-long" "A row is too long" : "A row of the table is longer than is read; `line` says where, and the detail names the limit.";
    TOO_MANY_COLUMNS = 422 "too-many-columns" "Too many columns" : "The file has more columns than a board holds; leave some out with `columns` (skip) or in the file.";
    IMPORT_STOPPED = 422 "import-stopped" "The import was stopped by a problem" : "With onError=stop the first row that cannot be taken stops the import and nothing is kept; `problems` says where.";
    IMPORT_CANCELLED = 409 "import-cancelled" "The import was cancelled" : "Someone cancelled the import while it ran; nothing of it was kept.";
    IMPORT_ENDING = 409 "import-ending" "The import is already ending" : "The import is past the point at which it can be cancelled; delete the board instead.";
    UPLOAD_BROKEN = 400 "upload-broken" "The upload could not be read to its end" : "The connection broke off while the file was sent, or the body is not the form that its content type says. Send it again.";
    TOO_MANY_BOARDS = 409 "too-many-boards" "The account has as many boards as it may" : "An account holds at most 10,000 boards. Delete one that is not needed any more.";
    NOT_UNDOABLE = 422 "not-undoable" "This change cannot be taken back" : "Changes of items, groups, columns and views can be, also that they were made, deleted, archived or moved, and the board's name; comments, and what was deleted for good, cannot.";
    NOT_YOUR_COMMENT = 403 "not-your-comment" "The comment is someone else's" : "A comment's text is changed by who wrote it, and deleted by who wrote it or by the owner.";
    INVALID_FORMULA = 422 "invalid-formula" "The formula cannot be read" : "A formula is not written as docs/formulas.md says, or uses a value of another type than it may; `at` is the place, counted in characters.";
    FORMULA_CYCLE = 422 "formula-cycle" "The formula leads back to itself" : "Formulas may use each other, but not in a circle; `path` names the columns on the way.";
    INVALID_FILTER = 422 "invalid-filter" "A rule of the filter cannot be understood" : "A rule names a column, an operator, a label or a value that there is not; each is listed with what is accepted there. With strict=false such a rule constrains nothing instead, but for a member whom there is not: no item holds that one.";
    QUERY_TOO_LONG = 422 "query-too-long" "The query takes too long" : "Evaluating the rules of a query took longer than it may; the detail says how long that is. Ask with fewer rules, or of fewer boards.";
    FILE_LOST = 410 "file-lost" "The file's bytes are not there" : "The item names the file, but the data directory does not hold its bytes, as after a restore into another directory; put the folder `files` of the old one there, or remove the file from the item.";
    STEP_ID_TAKEN = 409 "step-id-taken" "Another change was made under this id" : "A `stepId` stands for one change of a board, which is sent again as it was the first time. Nothing was changed now; choose another id for another change.";
    IMPORT_ID_TAKEN = 409 "import-id-taken" "An import of this id is running or was another one" : "Choose another importId, or leave it out.";
}

/// The feature.
pub fn feature() -> Feature {
    Feature {
        name: "boards",
        settings: settings::ALL.to_vec(),
        awaiting: Vec::new(),
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_boards.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_items_as_records.sql") },
            Migration { number: 10, sql: include_str!("../migrations/010_comments.sql") },
            Migration { number: 20, sql: include_str!("../migrations/020_views.sql") },
            Migration { number: 21, sql: include_str!("../migrations/021_linked_boards.sql") },
            Migration { number: 22, sql: include_str!("../migrations/022_formulas.sql") },
            Migration { number: 23, sql: include_str!("../migrations/023_files.sql") },
            Migration { number: 24, sql: include_str!("../migrations/024_trash.sql") },
            Migration { number: 25, sql: include_str!("../migrations/025_subitems.sql") },
            Migration { number: 26, sql: include_str!("../migrations/026_imports.sql") },
            Migration { number: 27, sql: include_str!("../migrations/027_dues.sql") },
            Migration { number: 29, sql: include_str!("../migrations/029_steps.sql") },
            Migration { number: 30, sql: include_str!("../migrations/030_steps_by_key.sql") },
            Migration { number: 31, sql: include_str!("../migrations/031_counts_left.sql") },
            Migration { number: 32, sql: include_str!("../migrations/032_known_parents.sql") },
            Migration { number: 33, sql: include_str!("../migrations/033_items_by_id.sql") },
            Migration { number: 34, sql: include_str!("../migrations/034_sent_steps.sql") },
            Migration { number: 35, sql: include_str!("../migrations/035_steps_as_sent.sql") },
            Migration { number: 36, sql: include_str!("../migrations/036_label_categories.sql") },
        ],
        errors: CODES,
        faults: fault::FAULTS,
        ops: ops(),
        groups: &[
            ("boards", "Boards: items and cells, columns, views, files, import and export"),
            ("boards formulas", "Formulas of a board's columns"),
            ("boards trash", "Boards and parts of boards that were deleted or archived"),
            ("boards columns", "Columns of a board"),
            ("boards groups", "Groups of a board's items"),
            ("boards views", "Views of a board: table, kanban, calendar, timeline"),
            ("boards items", "Items of a board"),
            ("boards comments", "Comments on an item"),
            ("boards files", "Files attached to an item"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        chores: vec![files::sweep_daily()],
        stop: kit::NOTHING_TO_END,
    }
}

/// Answers other features that ask whether boards exist.
struct BoardLookup(Db);

impl Lookup for BoardLookup {
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let keep_missing = move |tx: &mut Tx<'_>| {
            let sql = "SELECT 1 FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
            let mut missing = Vec::new();
            for id in ids.into_iter().filter(|id| id != AGENT_SESSIONS) {
                if tx.query_opt(sql, params![&account, &id], |_| Ok(()))?.is_none() {
                    missing.push(id);
                }
            }
            Ok(missing)
        };
        Box::pin(async move { db.read(keep_missing).await })
    }
}

async fn start(ctx: Ctx) -> kit::Result<()> {
    ctx.provide(Arc::new(Boards(Box::new(BoardLookup(ctx.db())))));
    ctx.provide(Arc::new(kit::lookup::BoardData(Box::new(outward::Reader))));
    ctx.provide(Arc::new(full::Kept::default()));
    ctx.provide(Arc::new(tables::Tables::default()));
    ctx.provide(Arc::new(import::Running::default()));
    ctx.provide(Arc::new(formula::Running::default()));
    import::remove_spools(&ctx);
    files::start(&ctx);
    convert::all(&ctx).await?;
    // What was left over is shown nowhere. Where it cannot be cleared, as with a full disk or one damaged row, the program is
    // of use all the same, and a later start tries again.
    let leftovers = [
        ("boards that were deleted", sweep::all(&ctx).await),
        ("what was long enough in the trash", trash::empty_due(&ctx).await),
        ("what old imports changed", import::forget_old(&ctx).await),
        ("cells of deleted columns", columns::clear_leftovers(&ctx).await),
        ("results of formulas", formula::finish_all(&ctx).await),
    ];
    for (what, outcome) in leftovers {
        if let Err(error) = outcome {
            tracing::warn!(error = ?error, "{what} could not be brought to an end");
        }
    }
    dues::watch(ctx);
    Ok(())
}

const READ: &str = "boards:read";
const WRITE: &str = "boards:write";

fn ops() -> Vec<Op> {
    let mut ops = rows();
    // Agent sessions are read whole, and nothing else is done with them.
    for op in ops.iter_mut().filter(|op| op.path.contains("{boardId}")) {
        if !["boards.get", "boards.full"].contains(&op.name) {
            op.errors.push(&ONLY_CONNECTED);
        }
    }
    ops
}

fn rows() -> Vec<Op> {
    use Method::{Delete, Get, Patch, Post};
    const ANYONE: Who = Who::ANYONE_KNOWN;
    let read = |op: Op| op.scope(READ).reads();
    // What changes or deletes a thing may be told which revision of it the caller knows; so may, where their rows say it, those
    // that add something to a board or bring it back.
    let write = |op: Op| if matches!(op.method, Patch | Delete) { op.scope(WRITE).if_match() } else { op.scope(WRITE) };
    vec![
        read(Op::new("boards.list", Get, "/boards", ANYONE, "Lists boards, of one workspace where it is named.", boards::list))
            .columns(&["id", "name", "itemCount", "updatedAt"])
            .common()
            .errors([&NAMED_NOT_FOUND]),
        write(Op::new("boards.create", Post, "/boards", ANYONE, "Creates a board in a workspace, empty or from a preset.", boards::create))
            .errors([&NAMED_NOT_FOUND, &UNKNOWN_PRESET, &TOO_MANY_BOARDS]),
        read(Op::new("boards.formulas.functions", Get, "/boards/formulas", ANYONE, "Lists the functions of formulas with examples.", formula::functions))
            .columns(&["name", "usage", "about"]),
        read(Op::new("boards.formulas.get", Get, "/boards/{boardId}/formulas", ANYONE, "Lists a board's formulas with the titles of their columns, what is wrong with them, and how far computing them is.", formula::get))
            .columns(&["columnId", "title", "formula", "problem"]),
        read(Op::new("boards.formulas.preview", Get, "/boards/{boardId}/formulas/preview", ANYONE, "Shows what a formula would give for some items or one, and where it has none, why; stores nothing.", formula::preview))
            .errors([&NAMED_NOT_FOUND]),
        read(Op::new("boards.presets", Get, "/boards/presets", ANYONE, "Lists what a board can begin with.", presets::list))
            .columns(&["preset", "name", "like"]),
        read(Op::new("boards.get", Get, "/boards/{boardId}", ANYONE, "Shows a board with its groups, columns and views, without items.", boards::get))
            .common(),
        write(Op::new("boards.update", Patch, "/boards/{boardId}", ANYONE, "Renames a board.", boards::update)),
        write(Op::new("boards.delete", Delete, "/boards/{boardId}", ANYONE, "Deletes a board with all its items; it lies in the trash for 30 days.", trash::put_board_away)),
        write(Op::new("boards.archive", Post, "/boards/{boardId}/archive", ANYONE, "Archives a board: it is shown nowhere until it is brought back.", trash::archive_board))
            .if_match(),
        write(Op::new("boards.restore", Post, "/boards/{boardId}/restore", ANYONE, "Brings a board back from the archive or the trash.", trash::restore_board))
            .if_match()
            .errors([&TOO_MANY_BOARDS]),
        read(Op::new("boards.trash.boards", Get, "/boards/trash", ANYONE, "Lists boards in the trash or the archive, the newest first.", trash::list_boards))
            .columns(&["id", "name", "itemCount", "at", "deletedAt"])
            .errors([&NAMED_NOT_FOUND]),
        write(Op::new("boards.trash.deleteBoard", Delete, "/boards/trash/{boardId}", ANYONE, "Permanently deletes a board of the trash or the archive.", trash::purge_board)).permanent(),
        read(Op::new("boards.trash.list", Get, "/boards/{boardId}/trash", ANYONE, "Lists what was deleted or archived from a board and can be brought back, the newest first.", trash::list))
            .columns(&["kind", "id", "name", "at", "deletedAt"]),
        write(Op::new("boards.trash.delete", Delete, "/boards/{boardId}/trash/{kind}/{entryId}", ANYONE, "Permanently deletes something of a board's trash or archive.", trash::purge)).permanent(),
        read(Op::new("boards.full", Get, "/boards/{boardId}/full", ANYONE, "Reads a whole board: groups, columns, members referred to, and every item with its cells. As JSON, or as an Arrow stream where `Accept` prefers it. In parts it is read with boards.get and boards.query.", full::get)),
        read(Op::new("boards.changed", Get, "/boards/{boardId}/changed", ANYONE, "Reads what has changed on a board since a revision: items whole, ids of those that are gone.", changed::get)),
        read(Op::new("boards.query", Post, "/boards/{boardId}/query", ANYONE, "Finds the items of a board that pass a filter, as a page's filter would, and how many there are.", query::of_one))
            .columns(&["id", "name", "groupId", "updatedAt"])
            .ends_with_caller()
            .errors([&INVALID_FILTER, &QUERY_TOO_LONG])
            .common(),
        read(Op::new("query", Post, "/query", ANYONE, "Finds the items of several boards that pass a filter, and how many there are.", query::of_many))
            .columns(&["boardId", "id", "name", "updatedAt"])
            .ends_with_caller()
            .errors([&NAMED_NOT_FOUND, &ONLY_CONNECTED, &INVALID_FILTER, &QUERY_TOO_LONG]),
        read(Op::new("boards.export", Get, "/boards/{boardId}/export", ANYONE, "Exports a board as a file: CSV, an Excel workbook, or JSON with everything.", export::export)),
        write(Op::new("boards.columns.create", Post, "/boards/{boardId}/columns", ANYONE, "Adds a column to a board.", columns::create))
            .if_match()
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &BOARD_LIMIT, &INVALID_FORMULA]),
        write(Op::new("boards.columns.update", Patch, "/boards/{boardId}/columns/{columnId}", ANYONE, "Changes a column's title, settings or place; its type stays.", columns::update))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &LABEL_IN_USE, &INVALID_FORMULA, &FORMULA_CYCLE]),
        write(Op::new("boards.columns.delete", Delete, "/boards/{boardId}/columns/{columnId}", ANYONE, "Deletes a column with all its cells; they lie in the trash for 30 days.", columns::delete)),
        write(Op::new("boards.columns.restore", Post, "/boards/{boardId}/columns/{columnId}/restore", ANYONE, "Brings a deleted column back with its cells.", trash::restore_column))
            .if_match()
            .errors([&BOARD_LIMIT]),
        write(Op::new("boards.groups.create", Post, "/boards/{boardId}/groups", ANYONE, "Adds a group to a board.", groups::create))
            .if_match()
            .errors([&BOARD_LIMIT]),
        write(Op::new("boards.groups.update", Patch, "/boards/{boardId}/groups/{groupId}", ANYONE, "Changes a group's name, colour or place.", groups::update)),
        write(Op::new("boards.groups.delete", Delete, "/boards/{boardId}/groups/{groupId}", ANYONE, "Deletes a group; its items move to the group named in `moveTo`, or go along with it.", groups::delete))
            .errors([&NAMED_NOT_FOUND, &GROUP_NOT_EMPTY, &LAST_GROUP]),
        write(Op::new("boards.groups.restore", Post, "/boards/{boardId}/groups/{groupId}/restore", ANYONE, "Brings a deleted group back, with the items that were deleted along with it.", trash::restore_group))
            .if_match()
            .errors([&BOARD_LIMIT]),
        read(Op::new("boards.views.list", Get, "/boards/{boardId}/views", ANYONE, "Lists the views of a board in their order.", views::list))
            .columns(&["id", "name", "kind"]),
        write(Op::new("boards.views.create", Post, "/boards/{boardId}/views", ANYONE, "Adds a view to a board.", views::create))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &BOARD_LIMIT]),
        write(Op::new("boards.views.update", Patch, "/boards/{boardId}/views/{viewId}", ANYONE, "Changes a view's name, kind, settings or place.", views::update))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND]),
        write(Op::new("boards.views.delete", Delete, "/boards/{boardId}/views/{viewId}", ANYONE, "Deletes a view; its board keeps all it holds.", views::delete)),
        read(Op::new("boards.items.list", Get, "/boards/{boardId}/items", ANYONE, "Lists items of a board in its order.", items::list))
            .columns(&["id", "name", "groupId", "updatedAt"])
            .common()
            .errors([&NAMED_NOT_FOUND]),
        read(Op::new("boards.items.get", Get, "/boards/{boardId}/items/{itemId}", ANYONE, "Reads one item.", items::get)),
        write(Op::new("boards.items.create", Post, "/boards/{boardId}/items", ANYONE, "Creates one item, or up to 1,000 in `items`, all or none; with `parentId` as subitems.", items::create))
            .if_match()
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &INVALID_CELL, &READ_ONLY_COLUMN, &BOARD_LIMIT, &SUBITEM_DEPTH])
            .common(),
        write(Op::new("boards.items.update", Patch, "/boards/{boardId}/items/{itemId}", ANYONE, "Changes an item's name, group, place or cells, or makes it a subitem; null empties a cell.", items::update))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &INVALID_CELL, &READ_ONLY_COLUMN, &BOARD_LIMIT, &SUBITEM_DEPTH])
            .common(),
        write(Op::new("boards.items.delete", Delete, "/boards/{boardId}/items/{itemId}", ANYONE, "Deletes an item with its subitems; it lies in the trash for 30 days.", trash::delete_item)),
        write(Op::new("boards.items.archive", Post, "/boards/{boardId}/items/{itemId}/archive", ANYONE, "Archives an item with its subitems: it is shown nowhere until it is brought back.", trash::archive_item))
            .if_match(),
        write(Op::new("boards.items.restore", Post, "/boards/{boardId}/items/{itemId}/restore", ANYONE, "Brings an item back from the archive or the trash with its subitems, to its group and place; a subitem whose parent is gone as an item.", trash::restore_item))
            .if_match()
            .errors([&BOARD_LIMIT]),
        write(Op::new("boards.cell", Patch, "/boards/{boardId}/items/{itemId}/cells/{columnId}", ANYONE, "Sets one cell; null empties it.", items::set_cell))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &INVALID_CELL, &READ_ONLY_COLUMN]),
        write(Op::new("boards.cells", Patch, "/boards/{boardId}/cells", ANYONE, "Changes many items of a board as one step: cells, names, groups and places; adds, archives and deletes items; all or nothing. Null empties a cell.", bulk::change))
            .body_up_to(bulk::REQUEST_BYTES_MAX)
            .errors([&NAMED_NOT_FOUND, &INVALID_CELL, &READ_ONLY_COLUMN, &BOARD_LIMIT, &SUBITEM_DEPTH])
            .conflicts::<expect::Clash>(),
        write(Op::new("boards.files.add", Post, "/boards/{boardId}/items/{itemId}/files/{columnId}", ANYONE, "Attaches a file to an item, up to 25 MiB: its bytes are the body, or the part `file` of a form.", files::add))
            .if_match()
            .takes_file(files::MEDIA)
            .body_up_to(FILE_BYTES_MAX)
            .errors([&BOARD_LIMIT, &UPLOAD_BROKEN]),
        read(Op::new("boards.files.get", Get, "/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}", ANYONE, "Downloads a file that is attached to an item.", files::get))
            .errors([&FILE_LOST]),
        read(Op::new("boards.files.read", Get, "/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}/text", ANYONE, "Reads an attached file's name, size and type, and where it is text, its text.", files::read))
            .errors([&FILE_LOST]),
        write(Op::new("boards.files.update", Patch, "/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}", ANYONE, "Renames an attached file, or moves it among the others of its cell.", files::update)),
        write(Op::new("boards.files.remove", Delete, "/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}", ANYONE, "Removes a file from an item; taking the change back within 30 days brings it back.", files::remove)),
        read(Op::new("boards.items.activity", Get, "/boards/{boardId}/items/{itemId}/activity", ANYONE, "Reads who changed what of an item when, from what to what, newest first.", activity::list))
            .columns(&["at", "by", "field", "before", "after", "changeId"]),
        write(Op::new("boards.undo", Post, "/boards/{boardId}/undo", ANYONE, "Takes one recorded change back, or all that a revision of the board changed, unless something of it was changed again since; taking an undo back redoes.", activity::undo))
            .if_match()
            .errors([&NAMED_NOT_FOUND, &NOT_UNDOABLE, &INVALID_CELL, &READ_ONLY_COLUMN, &GROUP_NOT_EMPTY, &LAST_GROUP, &LABEL_IN_USE, &BOARD_LIMIT, &SUBITEM_DEPTH]),
        read(Op::new("boards.comments.list", Get, "/boards/{boardId}/items/{itemId}/comments", ANYONE, "Lists the comments on an item, oldest first; a deleted one keeps its place without its text.", comments::list))
            .columns(&["id", "author", "text", "deleted", "createdAt"])
            .common(),
        write(Op::new("boards.comments.create", Post, "/boards/{boardId}/items/{itemId}/comments", ANYONE, "Comments on an item in Markdown; `@[Anna Berg]` or `@[MEMBER-ID]` mentions a member.", comments::create))
            .body_up_to(comments::REQUEST_BYTES_MAX)
            .errors([&NAMED_NOT_FOUND, &BOARD_LIMIT])
            .common(),
        write(Op::new("boards.comments.update", Patch, "/boards/{boardId}/items/{itemId}/comments/{commentId}", ANYONE, "Changes the text of a comment of one's own.", comments::update))
            .body_up_to(comments::REQUEST_BYTES_MAX)
            .errors([&NAMED_NOT_FOUND, &NOT_YOUR_COMMENT]),
        write(Op::new("boards.comments.delete", Delete, "/boards/{boardId}/items/{itemId}/comments/{commentId}", ANYONE, "Permanently deletes a comment of your own; the owner may delete any.", comments::delete))
            .permanent()
            .errors([&NOT_YOUR_COMMENT]),
        write(Op::new("boards.import", Post, "/boards/import", ANYONE, "Makes a board of a table (CSV, TSV, an Excel workbook, an export of Jira, Linear, Asana, monday, Notion, Airtable, Trello or GitHub); or, with boardId, changes and adds items of a board; with dryRun only says what it would do. Of a board that is there it counts the items that it added, changed and left unchanged, those of earlier imports that are missing from the file and stay, those that stay deleted since they were deleted there, and the cells that were changed there and are kept; changedCells and keptCells name the first 100 with both values. It is given up when the caller goes away before anything is written into the board; from then on it is brought to its end.", import::import))
            .takes_file(import::MEDIA)
            .ends_with_caller()
            .errors([&NAMED_NOT_FOUND, &ONLY_CONNECTED, &EMPTY_FILE, &NOT_A_TABLE, &ENCRYPTED_WORKBOOK, &WORKBOOK_TOO_LARGE, &UNKNOWN_SHEET, &OPEN_QUOTE, &ROW_TOO_LONG, &TOO_MANY_COLUMNS, &IMPORT_STOPPED, &IMPORT_CANCELLED, &IMPORT_ID_TAKEN, &UPLOAD_BROKEN, &BOARD_LIMIT, &TOO_MANY_BOARDS]),
        Op::new("boards.import.cancel", Delete, "/boards/imports/{importId}", ANYONE, "Cancels a running import; nothing of it is kept.", import::cancel)
            .scope(WRITE)
            .errors([&IMPORT_ENDING]),
        write(Op::new("boards.import.undo", Post, "/boards/imports/{importId}/undo", ANYONE, "Takes a whole import back: puts the board that it made into the trash, with whatever was done on it since, or brings back what it changed of a board that was there; what was changed there since stays and is named.", import::undo::undo))
            .if_match(),
    ]
}

//! Boards: groups, typed columns, items with cells, full reads, import, and export.
//!
//! Invariants: every write raises the board's revision (comments and views have their own), is recorded in `changes`,
//! and sends an event after the commit. Both formats of a full board have the same values and are cached only for their
//! revision. Boards that are being imported, deleted, or archived are hidden, and leftovers of an interruption are
//! removed at the next start. A deleted column's leftover cells are removed too; until the deletion has answered, the
//! JSON format and item lists may still contain them without a column.
//!
//! Not included: workspaces and members (see the accounts feature and `directory`), and the meaning of filters (the
//! widget engine evaluates them here and in the app).

mod accept;
mod activity;
mod actor;
mod announce;
mod arrow;
mod attachments;
mod behind;
mod board;
mod bulk;
mod cell_names;
mod cells;
mod change;
mod change_log;
mod change_names;
mod changed;
mod columns;
mod comments;
mod convert;
mod dates_read;
mod directory;
mod dues;
mod edit;
mod errors;
mod expect;
mod export;
mod fault;
mod file_names;
mod files;
mod find;
mod form;
mod formula;
mod full;
mod groups;
mod ids;
mod image;
mod import;
mod inputs;
mod item;
mod item_facts;
mod items;
mod limits;
mod links;
mod named;
mod ops;
mod outward;
mod place;
mod presence;
mod presets;
mod query;
mod recompute;
mod revert;
mod scan;
mod sent;
mod sessions;
mod settings;
mod steps;
mod subitems;
mod sweep;
mod tables;
#[cfg(test)]
mod tests;
mod trash;
mod trash_entry;
mod undo;
mod upload;
mod view;
mod views;
mod zones;

pub use attachments::FILES_PER_CELL_MAX;
pub use board::BOARDS_MAX;
pub use cells::Column;
pub use change::CELLS_PER_CHANGE_MAX;
pub use column_types::{
    ColumnType, ENTRIES_MAX, FormulaResult, LABELS_MAX, Label, NAME_CHARS_MAX, Settings, TEXT_CHARS_MAX,
};
pub use columns::COLUMNS_MAX;
pub use comments::{COMMENT_CHARS_MAX, COMMENTS_MAX, MENTIONS_MAX};
pub use errors::*;
pub use files::{FILE_BYTES_MAX, FOLDER as FILES_FOLDER, KEPT_MS as FILES_KEPT_MS};
pub use form::{ARROW, FULL_BYTES_MAX};
pub use formula::{CHARS_MAX as FORMULA_CHARS_MAX, FORMULAS_MAX, formulas_md};
pub use full::KEPT_BYTES_MAX;
pub use groups::GROUPS_MAX;
pub use item::ITEMS_MAX;
pub use limits::limits_ts;
pub use links::CHANGED_ITEMS_MAX;
pub use ops::items::ITEMS_PER_CREATE_MAX;
pub use presets::presets_md;
pub use query::QUERY_BOARDS_MAX;
pub use query::{filters_md, filters_ts};
pub use settings::{
    ColorMode, Density, SetupPreset, WeekStart, calendarWeekStartDay, pmBoardDensity, pmColorMode, pmSetupPreset,
    projectBoardsEnabled,
};
pub use subitems::SUBITEMS_MAX;
pub use tables::TABLES_BYTES_MAX;
pub use trash_entry::TRASH_KEPT_MS;
pub use views::{SETTINGS_BYTES_MAX, VIEWS_MAX};

use futures_util::future::BoxFuture;
use kit::error::NAMED_NOT_FOUND;
use kit::lookup::{AGENT_SESSIONS, Boards, Lookup};
use kit::op::limits::LARGE_BYTES;
use kit::{CallerSet, Ctx, Feature, Method, Migration, Op};
use std::sync::Arc;
use store::{Db, HasDb, Tx, params};

/// The feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
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
        errors: &[CODES, table_import::errors::CODES],
        faults: &[fault::FAULTS, column_types::fault::FAULTS, table_import::fault::FAULTS],
        ops: ops(),
        groups: &[
            ("boards", "Boards: items, cells, columns, views, files, import, and export"),
            ("boards formulas", "Formulas in a board's columns"),
            ("boards trash", "Deleted and archived boards, items, groups, and columns"),
            ("boards columns", "Columns of a board"),
            ("boards groups", "Groups of a board's items"),
            ("boards views", "Views of a board: table, kanban, calendar, timeline"),
            ("boards items", "Items of a board"),
            ("boards comments", "Comments on an item"),
            ("boards files", "Files attached to an item"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        jobs: vec![files::sweep_daily(), dues::job()],
        timers: vec![dues::timers()],
        ..Feature::named("boards")
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
    ctx.provide(Arc::new(kit::lookup::BoardDates(Box::new(dates_read::Dates(ctx.db())))));
    ctx.provide(Arc::new(kit::lookup::Items(Box::new(item_facts::Facts(ctx.db())))));
    ctx.provide(Arc::new(kit::lookup::ChangedThings(Box::new(change_names::Namer(ctx.db())))));
    ctx.provide(Arc::new(full::Kept::default()));
    ctx.provide(Arc::new(tables::Tables::default()));
    ctx.provide(Arc::new(find::Names::default()));
    ctx.provide(Arc::new(import::Running::default()));
    ctx.provide(Arc::new(behind::Running::new(|ctx, account, board_id| {
        Box::pin(async move { recompute::finish(&ctx, account, board_id).await })
    })));
    import::remove_spools(&ctx);
    files::start(&ctx);
    convert::all(&ctx).await?;
    // What was left over is shown nowhere. Where it cannot be cleared, as with a full disk or one damaged row, the program is
    // of use all the same, and a later start tries again.
    let leftovers = [
        ("deleted boards", sweep::all(&ctx).await),
        ("expired trash entries", trash::empty_due(&ctx).await),
        ("records of old imports", import::forget_old(&ctx).await),
        ("cells of deleted columns", ops::columns::clear_leftovers(&ctx).await),
        ("results of formulas", recompute::finish_all(&ctx).await),
    ];
    for (what, outcome) in leftovers {
        if let Err(error) = outcome {
            tracing::warn!(error = ?error, "couldn't finish cleaning up {what}");
        }
    }
    dues::watch(&ctx);
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
    const ANYONE: CallerSet = CallerSet::ANYONE_KNOWN;
    let read = |op: Op| op.scope(READ).reads();
    // What changes or deletes a thing may be told which revision of it the caller knows; so may, where their rows say it, those
    // that add something to a board or bring it back.
    let write = |op: Op| if matches!(op.method, Patch | Delete) { op.scope(WRITE).if_match() } else { op.scope(WRITE) };
    vec![
        read(Op::new("boards.list", Get, "/boards", ANYONE, "List boards. Limit to one workspace with workspaceId.", ops::boards::list).example(r#"{"workspaceId": "{workspaceId}"}"#))
            .columns(&["id", "name", "itemCount", "updatedAt"])
            .common()
            .errors([&NAMED_NOT_FOUND]),
        write(Op::new("boards.create", Post, "/boards", ANYONE, "Create a board in a workspace, blank or from a preset.", ops::boards::create).example(r#"{"workspaceId": "{workspaceId}", "name": "N"}"#))
            .errors([&NAMED_NOT_FOUND, &UNKNOWN_PRESET, &TOO_MANY_BOARDS]),
        read(Op::new("boards.formulas.functions", Get, "/boards/formulas", ANYONE, "List formula functions with examples.", formula::functions))
            .columns(&["name", "usage", "about"]),
        read(Op::new("boards.formulas.get", Get, "/boards/{boardId}/formulas", ANYONE, "List a board's formulas. Includes column titles, problems, and computing progress.", formula::get).example(r#"{"boardId": "{boardId}"}"#))
            .columns(&["columnId", "title", "formula", "problem"]),
        read(Op::new("boards.formulas.preview", Get, "/boards/{boardId}/formulas/preview", ANYONE, "Preview a formula's results for some items. Explains missing results and stores nothing.", formula::preview).example(r#"{"boardId": "{boardId}", "formula": "1", "columnId": "{columnId}", "itemId": "{itemId}"}"#))
            .errors([&NAMED_NOT_FOUND]),
        read(Op::new("boards.presets", Get, "/boards/presets", ANYONE, "List board presets.", presets::list))
            .columns(&["preset", "name", "like"]),
        read(Op::new("boards.filters", Get, "/boards/filters", ANYONE, "List the operators of filter rules by column type.", query::operators))
            .columns(&["types", "operators"]),
        read(Op::new("boards.get", Get, "/boards/{boardId}", ANYONE, "Show a board with its groups, columns, and views. Items aren't included.", ops::boards::get).example(r#"{"boardId": "{boardId}"}"#))
            .common(),
        write(Op::new("boards.update", Patch, "/boards/{boardId}", ANYONE, "Rename a board.", ops::boards::update).example(r#"{"boardId": "{boardId}", "name": "N"}"#)),
        write(Op::new("boards.delete", Delete, "/boards/{boardId}", ANYONE, "Move a board with all its items to Trash. You can restore it for 30 days.", trash::put_board_away).example(r#"{"boardId": "{boardId}"}"#)),
        write(Op::new("boards.archive", Post, "/boards/{boardId}/archive", ANYONE, "Archive a board. It stays hidden until restored.", trash::archive_board).example(r#"{"boardId": "{spareBoardId}"}"#))
            .if_match(),
        write(Op::new("boards.restore", Post, "/boards/{boardId}/restore", ANYONE, "Restore a board from Archive or Trash.", trash::restore_board).example(r#"{"boardId": "{deletedBoardId}"}"#))
            .if_match()
            .errors([&TOO_MANY_BOARDS]),
        read(Op::new("boards.trash.boards", Get, "/boards/trash", ANYONE, "List boards in Trash or Archive, newest first.", trash::list_boards).example(r#"{"workspaceId": "{workspaceId}"}"#))
            .columns(&["id", "name", "itemCount", "at", "deletedAt"])
            .errors([&NAMED_NOT_FOUND]),
        write(Op::new("boards.trash.deleteBoard", Delete, "/boards/trash/{boardId}", ANYONE, "Permanently delete a board in Trash or Archive.", trash::purge_board).example(r#"{"boardId": "{goneBoardId}"}"#)).permanent(),
        read(Op::new("boards.trash.list", Get, "/boards/{boardId}/trash", ANYONE, "List a board's deleted or archived entries that can be restored, newest first.", trash::list).example(r#"{"boardId": "{boardId}"}"#))
            .columns(&["kind", "id", "name", "at", "deletedAt"]),
        write(Op::new("boards.trash.delete", Delete, "/boards/{boardId}/trash/{kind}/{entryId}", ANYONE, "Permanently delete an entry in a board's Trash or Archive.", trash::purge).example(r#"{"boardId": "{boardId}", "kind": "item", "entryId": "{goneItemId}"}"#)).permanent(),
        read(Op::new("boards.full", Get, "/boards/{boardId}/full", ANYONE, "Read a whole board: groups, columns, referenced members, and every item with its cells. Returns JSON, or an Arrow stream if `Accept` prefers it. Use `boards.get` and `boards.query` to read parts.", full::get).example(r#"{"boardId": "{boardId}"}"#)).document(),
        read(Op::new("boards.changed", Get, "/boards/{boardId}/changed", ANYONE, "Read a board's changes since a revision. Returns changed items in full and IDs of removed ones.", changed::get).example(r#"{"boardId": "{boardId}", "since": 0}"#)),
        read(Op::new("boards.query", Post, "/boards/{boardId}/query", ANYONE, "Find a board's items that match a filter. Filters work as in the app.", query::of_one).example(r#"{"boardId": "{boardId}"}"#))
            .columns(&["id", "name", "groupId", "updatedAt"])
            .ends_with_caller()
            .errors([&INVALID_FILTER, &QUERY_TOO_LONG])
            .common(),
        read(Op::new("query", Post, "/query", ANYONE, "Find and count items on several boards that match a filter.", query::of_many).example(r#"{"boardIds": ["{boardId}"]}"#))
            .columns(&["boardId", "id", "name", "updatedAt"])
            .ends_with_caller()
            .errors([&NAMED_NOT_FOUND, &ONLY_CONNECTED, &INVALID_FILTER, &QUERY_TOO_LONG]),
        read(Op::new("boards.export", Get, "/boards/{boardId}/export", ANYONE, "Export a board as CSV, an Excel workbook, or complete JSON. The JSON is for other programs and can't be imported.", export::export).example(r#"{"boardId": "{boardId}", "format": "csv"}"#)).document(),
        write(Op::new("boards.columns.create", Post, "/boards/{boardId}/columns", ANYONE, "Add a column to a board.", ops::columns::create).example(r#"{"boardId": "{boardId}", "title": "T", "type": "itemLink", "settings": {"boardId": "{boardId}", "groupId": "{groupId}"}}"#))
            .if_match()
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &BOARD_LIMIT, &INVALID_FORMULA]),
        write(Op::new("boards.columns.update", Patch, "/boards/{boardId}/columns/{columnId}", ANYONE, "Change a column's title, settings, or position. The type can't change.", ops::columns::update).example(r#"{"boardId": "{boardId}", "columnId": "{linkId}", "settings": {"boardId": "{boardId}", "groupId": "{groupId}"}, "title": "Renamed"}"#))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &LABEL_IN_USE, &INVALID_FORMULA, &FORMULA_CYCLE]),
        write(Op::new("boards.columns.delete", Delete, "/boards/{boardId}/columns/{columnId}", ANYONE, "Move a column with all its cells to Trash. You can restore it for 30 days.", ops::columns::delete).example(r#"{"boardId": "{boardId}", "columnId": "{columnId}"}"#)),
        write(Op::new("boards.columns.restore", Post, "/boards/{boardId}/columns/{columnId}/restore", ANYONE, "Restore a deleted column with its cells.", trash::restore_column).example(r#"{"boardId": "{boardId}", "columnId": "{deletedColumnId}"}"#))
            .if_match()
            .errors([&BOARD_LIMIT]),
        write(Op::new("boards.groups.create", Post, "/boards/{boardId}/groups", ANYONE, "Add a group to a board.", ops::groups::create).example(r#"{"boardId": "{boardId}", "name": "N"}"#))
            .if_match()
            .errors([&BOARD_LIMIT]),
        write(Op::new("boards.groups.update", Patch, "/boards/{boardId}/groups/{groupId}", ANYONE, "Change a group's name, color, or position.", ops::groups::update).example(r#"{"boardId": "{boardId}", "groupId": "{groupId}", "name": "N"}"#)),
        write(Op::new("boards.groups.delete", Delete, "/boards/{boardId}/groups/{groupId}", ANYONE, "Delete a group. Its items move to the group in `moveTo` or are deleted with it.", ops::groups::delete).example(r#"{"boardId": "{boardId}", "groupId": "{groupId}", "moveTo": "{otherGroupId}"}"#))
            .errors([&NAMED_NOT_FOUND, &GROUP_NOT_EMPTY, &LAST_GROUP]),
        write(Op::new("boards.groups.restore", Post, "/boards/{boardId}/groups/{groupId}/restore", ANYONE, "Restore a deleted group and the items deleted with it.", trash::restore_group).example(r#"{"boardId": "{boardId}", "groupId": "{deletedGroupId}"}"#))
            .if_match()
            .errors([&BOARD_LIMIT]),
        read(Op::new("boards.views.list", Get, "/boards/{boardId}/views", ANYONE, "List a board's views in order.", views::list).example(r#"{"boardId": "{boardId}"}"#))
            .columns(&["id", "name", "kind"]),
        write(Op::new("boards.views.create", Post, "/boards/{boardId}/views", ANYONE, "Add a view to a board.", views::create).example(r#"{"boardId": "{boardId}", "name": "V", "kind": "table", "settings": {"filter": {"v": 1, "people": {"ids": ["{memberId}"]}, "all": [{"any": [{"id": "r", "col": {"by": "ids", "ids": {"{boardId}": ["{peopleId}"]}}, "op": "anyOf", "value": ["{memberId}"]}]}]}}}"#))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &BOARD_LIMIT]),
        write(Op::new("boards.views.update", Patch, "/boards/{boardId}/views/{viewId}", ANYONE, "Change a view's name, kind, settings, or position.", views::update).example(r#"{"boardId": "{boardId}", "viewId": "{viewId}", "settings": {"filter": {"v": 1, "people": {"ids": ["{memberId}"]}, "all": [{"any": [{"id": "r", "col": {"by": "ids", "ids": {"{boardId}": ["{peopleId}"]}}, "op": "anyOf", "value": ["{memberId}"]}]}]}}, "name": "Renamed"}"#))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND]),
        write(Op::new("boards.views.delete", Delete, "/boards/{boardId}/views/{viewId}", ANYONE, "Delete a view. The board's items stay.", views::delete).example(r#"{"boardId": "{boardId}", "viewId": "{viewId}"}"#)),
        read(Op::new("boards.items.list", Get, "/boards/{boardId}/items", ANYONE, "List a board's items in order.", ops::items::list).example(r#"{"boardId": "{boardId}", "parentId": "{itemId}"}"#))
            .columns(&["id", "name", "groupId", "updatedAt"])
            .common()
            .errors([&NAMED_NOT_FOUND]),
        read(Op::new("boards.items.find", Get, "/boards/items/find", ANYONE, "Find items by name on all boards.", find::find).example(r#"{"q": "a", "workspaceId": "{workspaceId}"}"#))
            .columns(&["id", "name", "board", "updatedAt"])
            .synonyms("search name all boards")
            .errors([&NAMED_NOT_FOUND]),
        read(Op::new("boards.items.get", Get, "/boards/{boardId}/items/{itemId}", ANYONE, "Read an item.", ops::items::get).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}"}"#)),
        write(Op::new("boards.items.create", Post, "/boards/{boardId}/items", ANYONE, "Create an item, or up to 1,000 in `items`, all or nothing. With `parentId`, creates subitems. Undo with `boards.undo` and the first `revision` of `changes.list`.", ops::items::create).example(r#"{"boardId": "{boardId}", "items": [{"name": "N", "groupId": "{groupId}", "cells": {"{peopleId}": ["{memberId}"], "{linkId}": ["{itemId}"]}}, {"name": "S", "parentId": "{parentItemId}"}]}"#))
            .if_match()
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &INVALID_CELL, &READ_ONLY_COLUMN, &BOARD_LIMIT, &SUBITEM_DEPTH])
            .common(),
        write(Op::new("boards.items.update", Patch, "/boards/{boardId}/items/{itemId}", ANYONE, "Change an item's name, group, position, parent, or cells. null clears a cell.", ops::items::update).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "groupId": "{groupId}", "parentId": "{parentItemId}", "cells": {"{peopleId}": ["{memberId}"]}}"#))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &INVALID_CELL, &READ_ONLY_COLUMN, &BOARD_LIMIT, &SUBITEM_DEPTH])
            .common(),
        write(Op::new("boards.items.delete", Delete, "/boards/{boardId}/items/{itemId}", ANYONE, "Move an item with its subitems to Trash. You can restore it for 30 days.", trash::delete_item).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}"}"#)),
        write(Op::new("boards.items.archive", Post, "/boards/{boardId}/items/{itemId}/archive", ANYONE, "Archive an item with its subitems. It stays hidden until restored.", trash::archive_item).example(r#"{"boardId": "{boardId}", "itemId": "{spareItemId}"}"#))
            .if_match(),
        write(Op::new("boards.items.restore", Post, "/boards/{boardId}/items/{itemId}/restore", ANYONE, "Restore an item and its subitems from Archive or Trash to its group and position. A subitem whose parent no longer exists becomes an item.", trash::restore_item).example(r#"{"boardId": "{boardId}", "itemId": "{deletedItemId}"}"#))
            .if_match()
            .errors([&BOARD_LIMIT]),
        write(Op::new("boards.cell", Patch, "/boards/{boardId}/items/{itemId}/cells/{columnId}", ANYONE, "Set a cell. null clears it.", ops::items::set_cell).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "columnId": "{peopleId}", "value": ["{memberId}"]}"#))
            .body_up_to(LARGE_BYTES)
            .errors([&NAMED_NOT_FOUND, &INVALID_CELL, &READ_ONLY_COLUMN]),
        write(Op::new("boards.cells", Patch, "/boards/{boardId}/cells", ANYONE, "Change many items of a board in one step, all or nothing. Sets cells, names, groups, and positions; adds, archives, and deletes items. null clears a cell.", bulk::change).example(r#"{"boardId": "{boardId}", "items": [{"itemId": "{itemId}", "groupId": "{groupId}", "cells": {"{peopleId}": ["{memberId}"]}}], "add": [{"name": "N", "groupId": "{groupId}"}]}"#))
            .synonyms("bulk batch mass update edit several multiple at once set move")
            .body_up_to(bulk::REQUEST_BYTES_MAX)
            .errors([&NAMED_NOT_FOUND, &INVALID_CELL, &READ_ONLY_COLUMN, &BOARD_LIMIT, &SUBITEM_DEPTH])
            .conflicts::<expect::Clash>(),
        write(Op::new("boards.files.add", Post, "/boards/{boardId}/items/{itemId}/files/{columnId}", ANYONE, "Attach a file of up to 25 MiB to an item. Send it as the body or as the form part `file`.", files::add).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "columnId": "{fileColumnId}", "name": "N"}"#))
            .if_match()
            .takes_file(files::MEDIA)
            .body_up_to(FILE_BYTES_MAX)
            .errors([&BOARD_LIMIT, &UPLOAD_BROKEN]),
        read(Op::new("boards.files.get", Get, "/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}", ANYONE, "Download an attached file.", files::get).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "columnId": "{fileColumnId}", "fileId": "{fileId}"}"#))
            .errors([&FILE_LOST]),
        read(Op::new("boards.files.read", Get, "/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}/text", ANYONE, "Read an attached file's name, size, and type, and its text if it's a text file.", files::read).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "columnId": "{fileColumnId}", "fileId": "{fileId}"}"#))
            .errors([&FILE_LOST]),
        write(Op::new("boards.files.update", Patch, "/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}", ANYONE, "Rename an attached file, or move it within its cell.", files::update).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "columnId": "{fileColumnId}", "fileId": "{fileId}", "name": "Renamed"}"#)),
        write(Op::new("boards.files.remove", Delete, "/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}", ANYONE, "Remove a file from an item. Undo within 30 days restores it.", files::remove).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "columnId": "{fileColumnId}", "fileId": "{fileId}"}"#)),
        read(Op::new("boards.items.activity", Get, "/boards/{boardId}/items/{itemId}/activity", ANYONE, "Read an item's change history, newest first. Includes author, time, and old and new values.", activity::list).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}"}"#))
            .columns(&["at", "by", "field", "before", "after", "changeId"]),
        write(Op::new("boards.undo", Post, "/boards/{boardId}/undo", ANYONE, "Undo one change, or all changes of a board revision. For the last change, use the first `id` that `changes.list` shows for the board. Fails if something has been changed again since then. Undoing an undo redoes it.", ops::undo::undo).example(r#"{"boardId": "{boardId}", "changeId": "{itemChange}"}"#))
            .if_match()
            .errors([&NAMED_NOT_FOUND, &NOT_UNDOABLE, &INVALID_CELL, &READ_ONLY_COLUMN, &GROUP_NOT_EMPTY, &LAST_GROUP, &LABEL_IN_USE, &BOARD_LIMIT, &SUBITEM_DEPTH]),
        read(Op::new("boards.comments.list", Get, "/boards/{boardId}/items/{itemId}/comments", ANYONE, "List an item's comments, oldest first. Deleted comments are listed without text.", comments::list).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}"}"#))
            .columns(&["id", "author", "text", "deleted", "createdAt"]),
        write(Op::new("boards.comments.create", Post, "/boards/{boardId}/items/{itemId}/comments", ANYONE, "Add a Markdown comment to an item. `@[Anna Berg]` or `@[MEMBER-ID]` mentions a member.", comments::create).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "text": "T"}"#))
            .body_up_to(comments::REQUEST_BYTES_MAX)
            .errors([&NAMED_NOT_FOUND, &BOARD_LIMIT])
            .common(),
        write(Op::new("boards.comments.update", Patch, "/boards/{boardId}/items/{itemId}/comments/{commentId}", ANYONE, "Edit your own comment.", comments::update).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "commentId": "{commentId}", "text": "U"}"#))
            .body_up_to(comments::REQUEST_BYTES_MAX)
            .errors([&NAMED_NOT_FOUND, &NOT_YOUR_COMMENT]),
        write(Op::new("boards.comments.delete", Delete, "/boards/{boardId}/items/{itemId}/comments/{commentId}", ANYONE, "Permanently delete your own comment. The owner can delete any comment.", comments::delete).example(r#"{"boardId": "{boardId}", "itemId": "{itemId}", "commentId": "{commentId}"}"#))
            .permanent()
            .errors([&NOT_YOUR_COMMENT]),
        write(Op::new("boards.import", Post, "/boards/import", ANYONE, "Import a file as a new board or, with boardId, into an existing one. Accepts CSV, TSV, Excel workbooks, and exports from Jira, Linear, Asana, monday, Notion, Airtable, Trello, and GitHub. With dryRun, only previews the result. For an existing board, counts items added, changed, unchanged, not in the file (they stay), and deleted on the board (not restored), and cells changed on the board (they stay); changedCells and keptCells list the first 100 with both values. Disconnecting cancels the import until it starts writing to the board; after that, it runs to completion.", import::import).example(r#"{"workspaceId": "{workspaceId}", "boardId": "{boardId}", "dryRun": true}"#))
            .takes_file(import::MEDIA)
            .ends_with_caller()
            .errors([&NAMED_NOT_FOUND, &ONLY_CONNECTED, &EMPTY_FILE, &NOT_A_TABLE, &ENCRYPTED_WORKBOOK, &WORKBOOK_TOO_LARGE, &UNKNOWN_SHEET, &OPEN_QUOTE, &ROW_TOO_LONG, &TOO_MANY_COLUMNS, &IMPORT_STOPPED, &IMPORT_CANCELLED, &IMPORT_ID_TAKEN, &UPLOAD_BROKEN, &BOARD_LIMIT, &TOO_MANY_BOARDS]),
        Op::new("boards.import.cancel", Delete, "/boards/imports/{importId}", ANYONE, "Cancel a running import. Nothing is saved.", import::cancel).example(r#"{"importId": "{importId}"}"#)
            .scope(WRITE)
            .errors([&IMPORT_ENDING]),
        write(Op::new("boards.import.undo", Post, "/boards/imports/{importId}/undo", ANYONE, "Undo an import. A new board moves to Trash with its later changes; on an existing board, the import's changes are reverted, and later changes stay and are listed.", import::undo::undo).example(r#"{"importId": "{importId}"}"#))
            .if_match(),
    ]
}

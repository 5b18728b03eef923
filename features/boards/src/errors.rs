//! Error codes of boards.

pub use table_import::errors::*;

kit::error_codes! {
    INVALID_CELL = 422 "invalid-cell" "Invalid cell value" : "The value doesn't match the column's type or settings. The detail names the column and what it accepts.";
    ONLY_CONNECTED = 409 "only-connected" "Agent sessions board is read-only" : "Read the board `agent-sessions` with `GET /boards/agent-sessions` or its `/full`, or connect it to a dashboard. No other operation is possible.";
    READ_ONLY_COLUMN = 422 "read-only-column" "Column is read-only" : "Created, updated, and mirror columns have no cells of their own. Change the values they show instead.";
    UNKNOWN_PRESET = 422 "unknown-preset" "Preset not found" : "Use `blank` or a preset from `GET /boards/presets`.";
    BOARD_LIMIT = 422 "board-limit" "Board is full" : "Columns, groups, items, and views per board and comments per item are limited. The detail names the limit.";
    SUBITEM_DEPTH = 422 "subitem-depth" "Subitems can't have subitems" : "The parent must be a top-level item, and the new subitem can't have subitems. The detail says which rule failed.";
    GROUP_NOT_EMPTY = 409 "group-not-empty" "Group still has items" : "Set `moveTo` to another group, delete the items with `withItems`, or move or delete them first.";
    LAST_GROUP = 409 "last-group" "A board needs at least one group" : "You can't delete the last group. Add another group first.";
    LABEL_IN_USE = 409 "label-in-use" "Label is in use" : "Change the items that use the label, then remove it.";
    IMPORT_STOPPED = 422 "import-stopped" "Import stopped" : "With onError=stop, the first row that can't be imported stops the import and nothing is saved. `problems` says where.";
    IMPORT_CANCELLED = 409 "import-cancelled" "Import canceled" : "The import was canceled while running. Nothing was saved.";
    IMPORT_ENDING = 409 "import-ending" "Import is finishing" : "It's too late to cancel. Undo the import when it's done.";
    UPLOAD_BROKEN = 400 "upload-broken" "Incomplete upload" : "The connection dropped, or the body doesn't match its content type. Send the file again.";
    TOO_MANY_BOARDS = 409 "too-many-boards" "Board limit reached" : "An account can have up to 10,000 boards. Delete one you don't need.";
    NOT_UNDOABLE = 422 "not-undoable" "Change can't be undone" : "You can undo changes to items, groups, columns, views, and the board name. Comments and permanent deletions can't be undone.";
    NOT_YOUR_COMMENT = 403 "not-your-comment" "Not your comment" : "Only the author can edit a comment. The author or the owner can delete it.";
    INVALID_FORMULA = 422 "invalid-formula" "Invalid formula" : "Fix the syntax or value type at character `at`. `boards.formulas.functions` lists the functions.";
    FORMULA_CYCLE = 422 "formula-cycle" "Circular formula" : "Formulas can't depend on themselves. `path` lists the columns in the cycle.";
    INVALID_FILTER = 422 "invalid-filter" "Invalid filter rule" : "A rule names an unknown column, operator, label, or value; each is listed with what's accepted. With strict=false, such a rule has no effect, except that an unknown member matches no items.";
    QUERY_TOO_LONG = 422 "query-too-long" "Query timed out" : "The query exceeded the time limit in the detail. Use fewer rules or boards.";
    FILE_LOST = 410 "file-lost" "File content missing" : "The file isn't in the data directory, for example after a restore elsewhere. Copy the old `files` folder there or remove the file from the item.";
    STEP_ID_TAKEN = 409 "step-id-taken" "Step ID already used" : "Nothing was changed because another change has this `stepId`. Use a new ID, or resend the original change.";
    IMPORT_ID_TAKEN = 409 "import-id-taken" "Import ID already used" : "Use another importId or omit it.";
}

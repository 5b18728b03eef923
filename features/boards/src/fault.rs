//! What is wrong at single places of inputs and of imported files, beside what `kit::fault` has for all.

pub(crate) use kit::fault::*;

kit::faults! {
    ABOVE_THE_HEAD = "above-the-head" : "Import: the row stands above the one that names the columns; it is not taken.";
    ARCHIVED_SKIPPED = "archived-skipped" : "Import: archived cards are left out.";
    COMMENTS_SKIPPED = "comments-skipped" : "Import: comments are left out.";
    CUT = "cut" : "Import: the name or text is longer than is kept; its beginning is taken.";
    DEEPER_SUBITEMS = "deeper-subitems" : "Import: rows belong to subitems; they become subitems of the topmost item.";
    DOES_NOT_FIT = "does-not-fit" : "What was asked for an import does not fit the file.";
    ERROR_CELL = "error-cell" : "Import: a formula of the row gives an error; the cell is left empty.";
    FORMULA_WITHOUT_RESULT = "formula-without-result" : "Import: formulas of a workbook have no stored result; their cells are left empty.";
    INVALID_SETTINGS = "invalid-settings" : "A column's settings do not fit its type or the board.";
    LONG_ROW = "long-row" : "Import: the row has more cells than the head row; it is not taken.";
    NO_KEY = "no-key" : "Import: the row has nothing in the column that says which item it is; it is not taken.";
    NO_NAME = "no-name" : "Import: the row has no name; its item is called Untitled.";
    NOT_FOR_THIS_FILE = "not-for-this-file" : "The member says how files of another kind are read.";
    NOT_THE_PARENTS = "not-the-parents" : "A subitem stands in its parent's group, and this is another.";
    REPEATED_KEY = "repeated-key" : "Import: a row above names the same item; this one is not taken.";
    SHORT_ROW = "short-row" : "Import: the row has fewer cells than the head row; the rest is left empty.";
    SUBITEM_COLUMNS_SKIPPED = "subitem-columns-skipped" : "Import: subitems have columns that items have not; these are left out.";
    SUMS_SKIPPED = "sums-skipped" : "Import: rows without a name, which sum up others, are left out.";
    TOO_MANY_GROUPS = "too-many-groups" : "Import: the file has more groups than a board holds; all items stand in one.";
    TOO_MANY_MENTIONS = "too-many-mentions" : "The comment mentions more members than are accepted.";
    TOO_MANY_SUBITEMS = "too-many-subitems" : "Import: more rows belong to an item than one has subitems; those past that become items.";
    UNDECODABLE_TEXT = "undecodable-text" : "Import: bytes of the row are no text in the encoding of the file; a sign of replacement stands for them.";
    UNKNOWN_CHANGE = "unknown-change" : "The board has no such change that can be taken back.";
    UNKNOWN_DELIMITER = "unknown-delimiter" : "What is named cannot separate the cells of a table.";
    UNKNOWN_FILE = "unknown-file" : "The cell has no such file, or none such was attached to the item.";
    UNKNOWN_GROUP = "unknown-group" : "The board has no such group.";
    UNKNOWN_ITEM = "unknown-item" : "The board has no such item.";
    UNKNOWN_LABEL = "unknown-label" : "The column has none of these labels.";
    UNKNOWN_OPERATOR = "unknown-operator" : "The column's type takes no filter with this operator.";
    UNKNOWN_PARENT = "unknown-parent" : "Import: rows belong to an item that is not there, or to each other; they become items, or stay where they stand.";
    UNKNOWN_TEAM = "unknown-team" : "This version knows no teams.";
    UNKNOWN_TYPE = "unknown-type" : "The column is of a type that this version does not know.";
    UNKNOWN_VERSION = "unknown-version" : "This version does not know the form of the filter.";
    WRONG_COLUMN = "wrong-column" : "The column is of a type that does not serve here.";
    WRONG_DIRECTION = "wrong-direction" : "A step of an order ends with asc or desc.";
    WRONG_VALUE = "wrong-value" : "The operator takes another value.";
}

//! Fault codes for single fields of requests and imported files, in addition to those in `kit::fault`.

pub(crate) use column_types::fault::*;
pub(crate) use kit::fault::*;
pub(crate) use table_import::fault::*;

kit::faults! {
    ABOVE_THE_HEAD = "above-the-head" : "Import: the row is above the title row and was skipped.";
    CUT = "cut" : "Import: the name or text is too long and was truncated.";
    DEEPER_SUBITEMS = "deeper-subitems" : "Import: rows under subitems became subitems of the top-level item.";
    NO_KEY = "no-key" : "Import: the row has no value in the key column and was skipped.";
    NO_NAME = "no-name" : "Import: the row has no name; its item is named Untitled.";
    NOT_THE_PARENTS = "not-the-parents" : "A subitem must be in its parent's group.";
    REPEATED_KEY = "repeated-key" : "Import: an earlier row names the same item; this row was skipped.";
    TOO_MANY_GROUPS = "too-many-groups" : "Import: the file has more groups than a board can have; all items are in one.";
    TOO_MANY_MENTIONS = "too-many-mentions" : "The comment mentions too many members.";
    TOO_MANY_SUBITEMS = "too-many-subitems" : "Import: an item has too many subitems; the rest became items.";
    UNKNOWN_CHANGE = "unknown-change" : "Change not found or can't be undone.";
    UNKNOWN_FILE = "unknown-file" : "File not found in this cell or item.";
    UNKNOWN_GROUP = "unknown-group" : "Group not found.";
    UNKNOWN_ITEM = "unknown-item" : "Item not found.";
    UNKNOWN_LABEL = "unknown-label" : "Label not found in this column.";
    UNKNOWN_OPERATOR = "unknown-operator" : "The column's type doesn't support this operator.";
    UNKNOWN_PARENT = "unknown-parent" : "Import: rows have a missing or circular parent; they became items or kept their parent.";
    UNKNOWN_TEAM = "unknown-team" : "Teams aren't supported.";
    UNKNOWN_TYPE = "unknown-type" : "Unknown column type in this version.";
    UNKNOWN_VERSION = "unknown-version" : "Unsupported filter version.";
    WRONG_COLUMN = "wrong-column" : "This column type can't be used here.";
    WRONG_DIRECTION = "wrong-direction" : "Sort direction must be asc or desc.";
    WRONG_VALUE = "wrong-value" : "The operator requires a different value.";
}

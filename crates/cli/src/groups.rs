//! What each group of commands is for: the one place where that is said.

/// The words that lead to a group, and a line for help.
const GROUPS: &[(&[&str], &str)] = &[
    (&["account"], "Your account, and further accounts of this installation"),
    (&["workspaces"], "Workspaces, in which boards and dashboards stand"),
    (&["members"], "The people whom items can be given to"),
    (&["changes"], "The record of who changed what"),
    (&["tokens"], "Tokens for agents and scripts, each with what it may do"),
    (&["login"], "Addresses and codes that sign a browser in"),
    (&["settings"], "Settings: read, change, take back, export and import"),
    (&["app"], "The running program itself"),
    (&["boards"], "Boards: items and cells, columns, views, files, import and export"),
    (&["boards", "formulas"], "Formulas of a board's columns"),
    (&["boards", "trash"], "Boards and parts of boards that were deleted or archived"),
    (&["boards", "columns"], "Columns of a board"),
    (&["boards", "groups"], "Groups of a board's items"),
    (&["boards", "views"], "Views of a board: table, kanban, calendar, timeline"),
    (&["boards", "items"], "Items of a board"),
    (&["boards", "comments"], "Comments on an item"),
    (&["boards", "files"], "Files attached to an item"),
    (&["dashboards"], "Dashboards over boards"),
    (&["openapi"], "The description of the HTTP interface"),
    (&["events"], "News of what changes, as it happens"),
];

/// What the group that these words lead to is for.
pub(crate) fn doc(words: &[String]) -> Option<&'static str> {
    GROUPS.iter().find(|(group, _)| *group == words).map(|(_, doc)| *doc)
}

//! Presets that imitate new boards of other tools, with familiar names.

use super::{
    AMBER, BLUE, GRAY, GREEN, Group, Label, PINK, PURPLE, Preset, RED, SLATE, TEAL, bars, calendar, canceled, choice,
    column, done, kanban, number_in, open, status, table, tags, timeline,
};
use column_types::ColumnType::{Checkbox, Date, Link, LongText, Number, People, Text};

pub(super) static ISSUE_TYPES: [Label; 5] =
    [open("Epic", PURPLE), open("Story", GREEN), open("Task", BLUE), open("Bug", RED), open("Sub-task", TEAL)];

pub(super) static JIRA_PRIORITIES: [Label; 5] =
    [open("Highest", RED), open("High", PINK), open("Medium", AMBER), open("Low", BLUE), open("Lowest", SLATE)];

pub(super) static LINEAR_PRIORITIES: [Label; 5] =
    [open("No priority", GRAY), open("Urgent", RED), open("High", AMBER), open("Medium", BLUE), open("Low", SLATE)];

pub(super) static TRELLO: Preset = Preset {
    name: "Trello",
    groups: &[Group("Cards", BLUE)],
    columns: &[
        status("List", &[open("To do", BLUE), open("Doing", AMBER), done("Done", GREEN)]),
        tags("Labels", &["Green", "Yellow", "Orange", "Red", "Purple", "Blue"]),
        column("Members", People),
        column("Start date", Date),
        column("Due date", Date),
        column("Due complete", Checkbox),
        column("Description", LongText),
    ],
    views: &[
        kanban("Board", "List").showing(&["Labels", "Due date", "Members"]),
        table("Table"),
        calendar("Calendar", "Due date"),
        bars("Timeline", "Start date", "Due date"),
    ],
};

pub(super) static JIRA: Preset = Preset {
    name: "Jira",
    groups: &[Group("Sprint", BLUE), Group("Backlog", GRAY)],
    columns: &[
        column("Key", Text),
        choice("Issue type", &ISSUE_TYPES),
        status("Status", &[open("To Do", GRAY), open("In Progress", BLUE), done("Done", GREEN)]),
        choice("Priority", &JIRA_PRIORITIES),
        column("Assignee", People),
        column("Reporter", People),
        tags("Labels", &[]),
        column("Sprint", Text),
        column("Story points", Number),
        column("Fix version", Text),
        column("Start date", Date),
        column("Due date", Date),
        column("Description", LongText),
    ],
    views: &[
        kanban("Board", "Status").showing(&["Labels", "Key", "Issue type", "Priority", "Story points", "Assignee"]),
        table("Backlog"),
        bars("Timeline", "Start date", "Due date"),
        calendar("Calendar", "Due date"),
    ],
};

pub(super) static ASANA: Preset = Preset {
    name: "Asana",
    groups: &[Group("To do", SLATE), Group("Doing", AMBER), Group("Done", GREEN)],
    columns: &[
        column("Assignee", People),
        column("Start date", Date),
        column("Due date", Date),
        choice("Priority", &[open("Low", TEAL), open("Medium", AMBER), open("High", PURPLE)]),
        status(
            "Status",
            &[open("On track", TEAL), open("At risk", AMBER), open("Off track", RED), done("Completed", GREEN)],
        ),
        tags("Tags", &[]),
        column("Description", LongText),
    ],
    views: &[
        table("List"),
        kanban("Board", "Status").showing(&["Tags", "Priority", "Due date", "Assignee"]),
        bars("Timeline", "Start date", "Due date"),
        calendar("Calendar", "Due date"),
    ],
};

pub(super) static LINEAR: Preset = Preset {
    name: "Linear",
    groups: &[Group("Current cycle", BLUE), Group("Backlog", GRAY)],
    columns: &[
        status(
            "Status",
            &[
                open("Backlog", GRAY),
                open("Todo", SLATE),
                open("In Progress", AMBER),
                open("In Review", PURPLE),
                done("Done", GREEN),
                canceled("Canceled", GRAY),
                canceled("Duplicate", GRAY),
            ],
        ),
        choice("Priority", &LINEAR_PRIORITIES),
        column("Assignee", People),
        tags("Labels", &["Bug", "Feature", "Improvement"]),
        column("Estimate", Number),
        column("Project", Text),
        column("Due date", Date),
        column("Description", LongText),
    ],
    views: &[
        kanban("Active issues", "Status").showing(&["Labels", "Priority", "Estimate", "Due date", "Assignee"]),
        table("All issues"),
        kanban("By priority", "Priority").showing(&["Labels", "Status", "Estimate", "Due date", "Assignee"]),
        timeline("Timeline", "Due date"),
    ],
};

pub(super) static NOTION: Preset = Preset {
    name: "Notion",
    groups: &[Group("Pages", SLATE)],
    columns: &[
        status("Status", &[open("Not started", GRAY), open("In progress", BLUE), done("Done", GREEN)]),
        column("Assign", People),
        column("Date", Date),
        choice("Priority", &[open("High", RED), open("Medium", AMBER), open("Low", GREEN)]),
        tags("Tags", &[]),
        column("URL", Link),
        column("Text", LongText),
    ],
    views: &[table("Table"), kanban("Board", "Status"), calendar("Calendar", "Date"), timeline("Timeline", "Date")],
};

pub(super) static CLICKUP: Preset = Preset {
    name: "ClickUp",
    groups: &[Group("List", PURPLE)],
    columns: &[
        status(
            "Status",
            &[
                open("To do", GRAY),
                open("Planning", BLUE),
                open("In progress", PURPLE),
                open("At risk", AMBER),
                open("Update required", PINK),
                open("On hold", SLATE),
                done("Complete", GREEN),
                canceled("Cancelled", RED),
            ],
        ),
        column("Assignee", People),
        column("Start date", Date),
        column("Due date", Date),
        choice("Priority", &[open("Urgent", RED), open("High", AMBER), open("Normal", BLUE), open("Low", GRAY)]),
        tags("Tags", &[]),
        number_in("Time estimate", "h"),
        number_in("Time tracked", "h"),
        column("Description", LongText),
    ],
    views: &[
        table("List"),
        kanban("Board", "Status").showing(&["Tags", "Priority", "Due date", "Assignee"]),
        calendar("Calendar", "Due date"),
        bars("Gantt", "Start date", "Due date"),
    ],
};

pub(super) static AIRTABLE: Preset = Preset {
    name: "Airtable",
    groups: &[Group("Records", TEAL)],
    columns: &[
        column("Notes", LongText),
        column("Assignee", People),
        status("Status", &[open("Todo", RED), open("In progress", AMBER), done("Done", GREEN)]),
        column("Start date", Date),
        column("Deadline", Date),
        tags("Category", &[]),
        column("Attachments", Link),
    ],
    views: &[
        table("Grid view"),
        kanban("Kanban", "Status").showing(&["Category", "Deadline", "Assignee"]),
        calendar("Calendar", "Deadline"),
        bars("Timeline", "Start date", "Deadline"),
    ],
};

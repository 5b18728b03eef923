//! Presets that belong to no other tool, and those of engineering teams.

use super::tools::{ISSUE_TYPES, JIRA_PRIORITIES, LINEAR_PRIORITIES};
use super::{
    AMBER, BLUE, BROWN, GRAY, GREEN, Group, LIME, Label, PINK, PURPLE, Preset, RED, SLATE, TEAL, amount, bars,
    calendar, canceled, choice, column, done, kanban, number_in, open, status, table, tags, timeline,
};
use column_types::ColumnType::{Checkbox, Date, Link, LongText, Number, People, Progress, Text};

static PRIORITIES: [Label; 4] = [open("Critical", RED), open("High", AMBER), open("Medium", BLUE), open("Low", GRAY)];

pub(super) static TASKS: Preset = Preset {
    name: "Tasks",
    groups: &[Group("To do", BLUE), Group("Done", GREEN)],
    columns: &[
        status(
            "Status",
            &[open("Not started", GRAY), open("Working on it", AMBER), open("Stuck", RED), done("Done", GREEN)],
        ),
        column("Owner", People),
        column("Due", Date),
    ],
    views: &[table("Table"), kanban("Kanban", "Status"), calendar("Calendar", "Due")],
};

pub(super) static PROJECTS: Preset = Preset {
    name: "Projects",
    groups: &[Group("Planned", SLATE), Group("In progress", BLUE), Group("Finished", GREEN)],
    columns: &[
        status(
            "Status",
            &[
                open("Planned", GRAY),
                open("On track", TEAL),
                open("At risk", AMBER),
                open("Off track", RED),
                open("On hold", PURPLE),
                done("Done", GREEN),
            ],
        ),
        choice(
            "Phase",
            &[
                open("Idea", GRAY),
                open("Plan", BLUE),
                open("Build", AMBER),
                open("Launch", PURPLE),
                open("Review", TEAL),
            ],
        ),
        column("Owner", People),
        choice("Priority", &PRIORITIES),
        column("Start", Date),
        column("Due", Date),
        column("Progress", Progress),
        amount("Budget"),
        column("Notes", LongText),
    ],
    views: &[
        table("Projects"),
        kanban("By status", "Status").showing(&["Phase", "Priority", "Due", "Owner"]),
        kanban("By phase", "Phase").showing(&["Status", "Priority", "Due", "Owner"]),
        bars("Timeline", "Start", "Due"),
        calendar("Calendar", "Due"),
    ],
};

pub(super) static OPERATIONS: Preset = Preset {
    name: "Operations",
    groups: &[
        Group("Every day", BLUE),
        Group("Every week", TEAL),
        Group("Every month", PURPLE),
        Group("Requests", AMBER),
    ],
    columns: &[
        status(
            "Status",
            &[
                open("Waiting", GRAY),
                open("In progress", AMBER),
                open("Blocked", RED),
                open("In review", PURPLE),
                done("Done", GREEN),
            ],
        ),
        column("Owner", People),
        choice(
            "Repeats",
            &[
                open("Daily", BLUE),
                open("Weekly", TEAL),
                open("Monthly", PURPLE),
                open("Quarterly", BROWN),
                open("Once", GRAY),
            ],
        ),
        column("Next due", Date),
        choice("Priority", &PRIORITIES),
        tags("Area", &["Finance", "People", "Office", "IT", "Legal", "Customers"]),
        column("Requested by", Text),
        amount("Cost"),
        column("Checked", Checkbox),
        column("Instructions", Link),
    ],
    views: &[
        table("All work"),
        kanban("By status", "Status"),
        kanban("By rhythm", "Repeats"),
        calendar("Due dates", "Next due"),
    ],
};

pub(super) static FIRST_AGENT_BOARD: Preset = Preset {
    name: "First agent board",
    groups: &[Group("Now", BLUE), Group("Later", GRAY)],
    columns: &[
        status(
            "Status",
            &[
                open("To brief", GRAY),
                open("Ready for an agent", BLUE),
                open("Agent at work", AMBER),
                open("Needs you", RED),
                open("To review", PURPLE),
                done("Landed", GREEN),
                canceled("Dropped", SLATE),
            ],
        ),
        column("Instructions", LongText),
        column("Agent", Text),
        column("Reviewer", People),
        choice("Priority", &PRIORITIES),
        choice("Size", &[open("Small", LIME), open("Medium", AMBER), open("Large", RED)]),
        column("Repository", Text),
        column("Branch", Text),
        column("Pull request", Link),
        column("Checks pass", Checkbox),
        column("Due", Date),
    ],
    views: &[
        kanban("Work", "Status"),
        table("All work"),
        kanban("By priority", "Priority"),
        calendar("Calendar", "Due"),
    ],
};

pub(super) static ENGINEERING_LINEAR: Preset = Preset {
    name: "Engineering (Linear)",
    groups: &[
        Group("Current cycle", BLUE),
        Group("Next cycle", PURPLE),
        Group("Backlog", GRAY),
        Group("Triage", AMBER),
    ],
    columns: &[
        status(
            "Status",
            &[
                open("Triage", BROWN),
                open("Backlog", GRAY),
                open("Todo", SLATE),
                open("In Progress", AMBER),
                open("In Review", PURPLE),
                done("Done", GREEN),
                canceled("Canceled", GRAY),
            ],
        ),
        choice("Priority", &LINEAR_PRIORITIES),
        column("Assignee", People),
        number_in("Estimate", "pts"),
        tags("Labels", &["Bug", "Feature", "Improvement", "Technical debt", "Security"]),
        choice(
            "Team",
            &[open("Frontend", BLUE), open("Backend", TEAL), open("Infrastructure", PURPLE), open("Mobile", PINK)],
        ),
        column("Project", Text),
        column("Milestone", Text),
        column("Branch", Text),
        column("Pull request", Link),
        column("Due date", Date),
        column("Description", LongText),
    ],
    views: &[
        kanban("Active", "Status").showing(&["Labels", "Priority", "Estimate", "Due date", "Assignee"]),
        table("All issues"),
        kanban("By team", "Team").showing(&["Labels", "Status", "Estimate", "Due date", "Assignee"]),
        kanban("By priority", "Priority").showing(&["Labels", "Status", "Estimate", "Due date", "Assignee"]),
        timeline("Roadmap", "Due date"),
    ],
};

pub(super) static ENGINEERING_JIRA: Preset = Preset {
    name: "Engineering (Jira)",
    groups: &[Group("Active sprint", BLUE), Group("Next sprint", PURPLE), Group("Backlog", GRAY)],
    columns: &[
        column("Key", Text),
        choice("Issue type", &ISSUE_TYPES),
        status(
            "Status",
            &[
                open("To Do", GRAY),
                open("In Progress", BLUE),
                open("In Review", PURPLE),
                open("In Testing", AMBER),
                open("Blocked", RED),
                done("Done", GREEN),
            ],
        ),
        choice("Priority", &JIRA_PRIORITIES),
        column("Assignee", People),
        column("Reporter", People),
        column("Story points", Number),
        column("Epic", Text),
        column("Sprint", Text),
        tags("Components", &["Frontend", "Backend", "Infrastructure", "Documentation"]),
        tags("Labels", &[]),
        column("Fix version", Text),
        choice("Environment", &[open("Development", SLATE), open("Staging", AMBER), open("Production", RED)]),
        column("Pull request", Link),
        column("Due date", Date),
        column("Description", LongText),
    ],
    views: &[
        kanban("Sprint board", "Status").showing(&[
            "Components",
            "Key",
            "Issue type",
            "Priority",
            "Story points",
            "Assignee",
        ]),
        table("Backlog"),
        kanban("By type", "Issue type").showing(&[
            "Components",
            "Key",
            "Status",
            "Priority",
            "Story points",
            "Assignee",
        ]),
        timeline("Roadmap", "Due date"),
        calendar("Calendar", "Due date"),
    ],
};

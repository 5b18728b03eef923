//! The settings that boards obey. Density, theme and the switch are obeyed by the page; what a new board begins with, here;
//! the first day of the week by both.

use kit::choices;
use kit::setting::{select, toggle};

choices! {
    /// How tightly items are packed.
    Density {
        /// As many items on the screen as can be read.
        Dense = "dense",
        /// Little space between items.
        Compact = "compact",
        /// Some space between items.
        Comfortable = "comfortable",
        /// Much space between items.
        Spacious = "spacious",
    }
    /// First day of the week.
    WeekStart {
        /// Weeks run from Sunday to Saturday.
        Sunday = "sunday",
        /// Weeks run from Monday to Sunday.
        Monday = "monday",
    }
    /// Light or dark.
    ColorMode {
        /// As the system says, at every moment.
        System = "system",
        /// Always light.
        Light = "light",
        /// Always dark.
        Dark = "dark",
    }
    /// What a new board begins with.
    SetupPreset {
        /// A list of things to do.
        Tasks = "tasks",
        /// Several projects with phases.
        Projects = "projects",
        /// Recurring work of a team.
        Operations = "operations",
        /// A first board for work that agents do.
        FirstAgentBoard = "first-agent-board",
        /// Lists and cards, for those who come from Trello.
        Trello = "trello",
        /// Issues and sprints, for those who come from Jira.
        Jira = "jira",
        /// Projects with sections, for those who come from Asana.
        Asana = "asana",
        /// Issues and cycles, for those who come from Linear.
        Linear = "linear",
        /// A database of pages, for those who come from Notion.
        Notion = "notion",
        /// Lists with many statuses, for those who come from ClickUp.
        Clickup = "clickup",
        /// A base of tables, for those who come from Airtable.
        Airtable = "airtable",
        /// An engineering team's board in the manner of Linear.
        EngineeringLinear = "engineering-linear",
        /// An engineering team's board in the manner of Jira.
        EngineeringJira = "engineering-jira",
    }
}

kit::settings! {
    "Inbox & Notifications" / "calendar" {
        /// Chooses the day that weeks begin with.
        calendarWeekStartDay: WeekStart = select("sunday").also_called("first day of the week, weekday").before("pomodoroAutoEnableFocusModeDefault");
    }
    "Sessions & Agents" / "prompts and presentation" {
        /// Shows the project boards in the navigation: boards with groups, items and views. Off hides them and keeps their data.
        projectBoardsEnabled: bool = toggle(true).also_called("sidebar, menu").before("runningAppsEnabled");
    }
    "Sessions & Agents" / "project-board module display and inbox" {
        /// Sets how tightly items stand on every board.
        pmBoardDensity: Density = select("comfortable").also_called("row height, spacing, size").before("pmCalendarBoardIds");
        /// Chooses whether boards are light or dark.
        pmColorMode: ColorMode = select("system").also_called("theme, appearance, night mode, colour").before("pmInboxBoardPreferences");
        /// Chooses the groups, columns and views that a new board begins with.
        pmSetupPreset: SetupPreset = select("tasks").also_called("template, starter, layout");
    }
}

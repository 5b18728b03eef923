//! Settings of boards. Density, theme, and the switch apply in the app, the preset of new boards here, and the first
//! day of the week in both.

use kit::choices;
use kit::setting::{select, toggle};

choices! {
    /// How tightly items are packed.
    Density {
        /// Fits the most items on screen.
        Dense = "dense",
        /// Less space between items.
        Compact = "compact",
        /// Some space between items.
        Comfortable = "comfortable",
        /// More space between items.
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
        /// Follows the system.
        System = "system",
        /// Always light.
        Light = "light",
        /// Always dark.
        Dark = "dark",
    }
    /// Preset for new boards.
    SetupPreset {
        /// To-do list.
        Tasks = "tasks",
        /// Several projects with phases.
        Projects = "projects",
        /// A team's recurring work.
        Operations = "operations",
        /// Tasks with instructions, agent, and reviewer.
        FirstAgentBoard = "first-agent-board",
        /// Lists and cards, as in Trello.
        Trello = "trello",
        /// Issues in a sprint and a backlog, as in Jira. Sprints are groups.
        Jira = "jira",
        /// Projects with sections, as in Asana.
        Asana = "asana",
        /// Issues and cycles, as in Linear.
        Linear = "linear",
        /// A database of pages, as in Notion.
        Notion = "notion",
        /// Lists with many statuses, as in ClickUp.
        Clickup = "clickup",
        /// A base of tables, as in Airtable.
        Airtable = "airtable",
        /// Engineering board in the style of Linear.
        EngineeringLinear = "engineering-linear",
        /// Engineering board in the style of Jira. Sprints are groups.
        EngineeringJira = "engineering-jira",
    }
}

kit::settings! {
    /// Sets the first day of the week.
    calendarWeekStartDay: WeekStart = select("sunday").also_called("first day of the week, weekday");
    /// Shows project boards in the sidebar. When off, boards are hidden, but their data stays stored.
    projectBoardsEnabled: bool = toggle(true).also_called("sidebar, menu");
    /// Sets the spacing of items on every board.
    pmBoardDensity: Density = select("comfortable").also_called("row height, spacing, size");
    /// Sets the color theme of boards.
    pmColorMode: ColorMode = select("system").also_called("theme, appearance, night mode, color, colour");
    /// Sets the groups, columns, and views of new boards.
    pmSetupPreset: SetupPreset = select("tasks").also_called("template, starter, layout");
}

//! How project boards look, and what they tell the inbox.

use kit::choices;
use kit::setting::{Choices, Format, Shape, list, map, select, time_of_day, time_zone, toggle};

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
    /// Light or dark.
    ColorMode {
        /// As the system says, at every moment.
        System = "system",
        /// Always light.
        Light = "light",
        /// Always dark.
        Dark = "dark",
    }
    /// What a board tells the inbox.
    BoardEvents {
        /// Every event.
        All = "all",
        /// Only events of items assigned to you.
        AssignedOnly = "assigned-only",
        /// Nothing.
        None = "none",
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

static BOARD_ID: Shape = Shape::Text { max: 200, format: Format::Free, nullable: false };
static BOARD_EVENTS: Shape = Shape::Select(BoardEvents::ALL);

kit::settings! {
    "Sessions & Agents" / "project-board module display and inbox" {
        /// Sets how tightly items stand on every board.
        pmBoardDensity: Density = select("comfortable");
        /// Names the boards whose dates the calendar shows. With none named it shows all of them.
        pmCalendarBoardIds: Vec<String> = list(&BOARD_ID).requires(&pmCalendarOverlayEnabled);
        /// Shows due dates and sprints of boards in the calendar, in the colour of their board.
        pmCalendarOverlayEnabled: bool = toggle(true);
        /// Chooses whether boards are light or dark.
        pmColorMode: ColorMode = select("system");
        /// Chooses for each board what it tells the inbox. A board that is not named tells everything.
        pmInboxBoardPreferences: kit::serde_json::Value = map(&BOARD_EVENTS).requires(&pmInboxEnabled);
        /// Gathers the events of boards into one row each hour. Overdue items still come at once.
        pmInboxDigestMode: bool = toggle(false).requires(&pmInboxEnabled);
        /// Brings assignments, changes of status and due dates from boards into the inbox.
        pmInboxEnabled: bool = toggle(true);
        /// Holds notifications of boards back during a part of each day. Overdue items still notify at once.
        pmInboxQuietHoursEnabled: bool = toggle(false).requires(&pmInboxEnabled);
        /// Sets when the quiet part of the day begins.
        pmInboxQuietHoursStart: String = time_of_day("22:00").requires(&pmInboxQuietHoursEnabled);
        /// Sets when the quiet part of the day ends.
        pmInboxQuietHoursEnd: String = time_of_day("08:00").requires(&pmInboxQuietHoursEnabled);
        /// Sets the time zone of the quiet part of the day. Empty is the system's.
        pmInboxQuietHoursTimeZone: String = time_zone(64).requires(&pmInboxQuietHoursEnabled);
        /// Chooses the groups, columns and views that a new board begins with.
        pmSetupPreset: SetupPreset = select("tasks");
    }
}

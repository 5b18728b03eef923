//! Detects the tool that exported a table by its titles, and the meaning of the tool's columns.
//!
//! Each tool is a row of [`TOOLS`]. Other columns are inferred from their values, as in every table.

use crate::fold::is_links;
use csv::StringRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use widgets::Category;

/// A supported tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ToolName {
    Jira,
    Linear,
    Asana,
    Monday,
    Notion,
    Airtable,
    Trello,
    Github,
    /// A plain table.
    None,
}

/// Fixed meaning of an export's column, whatever its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Becomes {
    /// The item's name.
    Name,
    /// The item's group.
    Group,
    /// Text, even where it looks like a number: identifiers.
    Text,
    /// Text of several lines.
    LongText,
    /// One of the column's own labels, as a status.
    Status,
    /// One of the column's own labels.
    Choice,
    /// Several short texts or people.
    List,
    /// Names of files with the addresses where they were.
    Files,
    /// The key or the name of another row, where the file has that; else text.
    Parent,
}

/// Which items of a status are done or canceled, by another column of the export.
#[derive(Debug, Clone, Copy)]
pub struct DoneBy {
    /// Title of the column of statuses.
    pub status: &'static str,
    /// Title of the other column.
    pub by: &'static str,
    /// They are where the other column holds this; where empty, anything but `open`.
    pub done: &'static str,
    /// The other column's value for items that are neither.
    pub open: &'static str,
    /// The category of finished items. Words for canceled in the other column take precedence.
    pub is: Category,
}

/// A tool, and what its exports are like. All titles are in lower case.
#[derive(Debug)]
pub struct Tool {
    /// By which a caller names it.
    pub name: ToolName,
    /// Its display name.
    pub title: &'static str,
    /// Titles that must all be in the title row.
    titles: &'static [&'static str],
    /// Parts of values, of which one suffices; for exports whose titles are all the user's own.
    values: &'static [&'static str],
    /// The columns of which the first that is there holds what identifies a row from one export to the next.
    pub key: &'static [&'static str],
    /// Columns that have one title hold several values of one thing.
    pub repeats: bool,
    pub(crate) columns: &'static [(&'static str, Becomes)],
    /// Which of its items are finished, where the status alone does not tell.
    pub done: &'static [DoneBy],
}

const fn done_by(status: &'static str, by: &'static str, done: &'static str, open: &'static str) -> DoneBy {
    DoneBy { status, by, done, open, is: Category::Done }
}

const fn canceled_by(status: &'static str, by: &'static str) -> DoneBy {
    DoneBy { status, by, done: "", open: "", is: Category::Canceled }
}

#[rustfmt::skip]
const TOOLS: [Tool; 8] = [
    Tool {
        name: ToolName::Jira,
        title: "Jira",
        titles: &["summary", "issue key"],
        values: &[],
        key: &["issue key", "issue id"],
        repeats: true,
        columns: &[
            ("summary", Becomes::Name), ("issue key", Becomes::Text), ("issue id", Becomes::Text), ("project key", Becomes::Text),
            ("parent", Becomes::Parent), ("parent id", Becomes::Parent), ("parent key", Becomes::Parent), ("epic link", Becomes::Text),
            ("issue type", Becomes::Choice), ("status", Becomes::Status), ("priority", Becomes::Choice),
            ("resolution", Becomes::Choice), ("status category", Becomes::Choice), ("sub-tasks", Becomes::List), ("sprint", Becomes::List), ("component/s", Becomes::List), ("components", Becomes::List),
            ("fix version/s", Becomes::List), ("fix versions", Becomes::List), ("affects version/s", Becomes::List),
            ("affects versions", Becomes::List), ("watchers", Becomes::List), ("description", Becomes::LongText),
            ("environment", Becomes::LongText), ("comment", Becomes::LongText), ("log work", Becomes::LongText),
            ("attachment", Becomes::LongText),
        ],
        done: &[done_by("status", "status category", "done", ""), done_by("status", "resolution", "", "unresolved")],
    },
    Tool {
        name: ToolName::Linear,
        title: "Linear",
        titles: &["id", "team", "title", "status", "priority", "creator"],
        values: &[],
        key: &["id"],
        repeats: false,
        columns: &[
            ("id", Becomes::Text), ("title", Becomes::Name), ("team", Becomes::Choice), ("status", Becomes::Status),
            ("priority", Becomes::Choice), ("project", Becomes::Choice), ("description", Becomes::LongText), ("parent issue", Becomes::Parent),
            ("project id", Becomes::Text), ("project milestone id", Becomes::Text), ("uuid", Becomes::Text),
        ],
        done: &[done_by("status", "completed", "", ""), canceled_by("status", "canceled")],
    },
    Tool {
        name: ToolName::Asana,
        title: "Asana",
        titles: &["task id", "created at", "completed at", "name"],
        values: &[],
        key: &["task id"],
        repeats: false,
        columns: &[
            ("task id", Becomes::Text), ("name", Becomes::Name), ("section/column", Becomes::Group), ("notes", Becomes::LongText),
            ("parent task", Becomes::Parent),
        ],
        done: &[],
    },
    Tool {
        name: ToolName::Monday,
        title: "monday",
        titles: &["name", "item id (auto generated)"],
        values: &[],
        key: &["item id (auto generated)", "item id"],
        repeats: false,
        columns: &[("name", Becomes::Name), ("item id (auto generated)", Becomes::Text), ("item id", Becomes::Text)],
        done: &[],
    },
    Tool {
        name: ToolName::Notion,
        title: "Notion",
        titles: &[],
        values: &["(https://www.notion.so/", "(https://app.notion.com/", "%20", " → "],
        key: &["id"],
        repeats: false,
        columns: &[],
        done: &[],
    },
    Tool {
        name: ToolName::Airtable,
        title: "Airtable",
        titles: &[],
        values: &["(https://v5.airtableusercontent.com/", "(https://dl.airtable.com/"],
        key: &["record id"],
        repeats: false,
        columns: &[("record id", Becomes::Text)],
        done: &[],
    },
    Tool {
        name: ToolName::Trello,
        title: "Trello",
        titles: &["card id", "card name", "list name"],
        values: &[],
        key: &["card id"],
        repeats: false,
        columns: &[
            ("card id", Becomes::Text), ("card name", Becomes::Name), ("list name", Becomes::Group),
            ("card description", Becomes::LongText), ("checklist items", Becomes::LongText),
        ],
        done: &[],
    },
    Tool {
        name: ToolName::Github,
        title: "GitHub",
        titles: &["number", "title", "state", "assignees", "milestone"],
        values: &[],
        key: &["number"],
        repeats: false,
        columns: &[
            ("number", Becomes::Text), ("title", Becomes::Name), ("state", Becomes::Status), ("reason", Becomes::Choice),
            ("milestone", Becomes::Choice), ("body", Becomes::LongText),
        ],
        done: &[],
    },
];

impl Tool {
    /// The tool of this name; none for a table of no tool.
    pub fn named(name: ToolName) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The tool with this source ID.
    pub fn of_source(source: &str) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.source() == source)
    }

    /// ID that identifies its imports.
    pub fn source(&self) -> &'static str {
        match self.name {
            ToolName::Jira => "jira",
            ToolName::Linear => "linear",
            ToolName::Asana => "asana",
            ToolName::Monday => "monday",
            ToolName::Notion => "notion",
            ToolName::Airtable => "airtable",
            ToolName::Trello => "trello",
            ToolName::Github => "github",
            ToolName::None => "table",
        }
    }

    /// The meaning of the column with this title.
    pub fn column(&self, title: &str) -> Option<Becomes> {
        let title = title.trim().to_lowercase();
        self.columns.iter().find(|(named, _)| *named == title).map(|(_, becomes)| *becomes)
    }

    /// A title as the board shows it: fields that people added carry no mark of that.
    pub fn shown(&self, title: &str) -> String {
        let title = title.trim();
        let own = (self.name == ToolName::Jira).then(|| title.strip_prefix("Custom field (")).flatten();
        own.and_then(|own| own.strip_suffix(')')).unwrap_or(title).to_owned()
    }

    /// Every column that identifies the rows.
    pub fn keys_in(&self, titles: &[String]) -> Vec<usize> {
        let at = |key: &&str| titles.iter().position(|title| title.to_lowercase() == **key);
        self.key.iter().filter_map(at).collect()
    }

    /// The column that identifies the rows.
    pub fn key_in(&self, titles: &[String]) -> Option<usize> {
        self.key.iter().find_map(|key| titles.iter().position(|title| title.to_lowercase() == *key))
    }
}

/// The tool that exported the table, judged by its title row and first rows. If a tool is recognized only by values, an
/// export may have none of them; then the tool of the board's last import, `before`, is assumed. `has_sections`: the
/// title row is repeated before each group.
pub(crate) fn recognize(
    header: &[String],
    has_sections: bool,
    rows: &[StringRecord],
    before: Option<&'static Tool>,
) -> Option<&'static Tool> {
    let titles: Vec<String> = header.iter().map(|title| title.trim().to_lowercase()).collect();
    let titled =
        |tool: &&Tool| !tool.titles.is_empty() && tool.titles.iter().all(|t| titles.iter().any(|title| title == t));
    if let Some(tool) = TOOLS.iter().find(titled) {
        return Some(tool);
    }
    if has_sections && titles[0] == "name" {
        return Tool::named(ToolName::Monday);
    }
    // A part alone may stand in any text; a whole value of names and addresses, or of two dates, does not.
    let whole = |value: &str| is_links(value) || crate::fold::range(value).is_some();
    let marked = |tool: &&Tool| {
        let mark = |value: &str| tool.values.iter().any(|part| value.contains(part)) && whole(value);
        rows.iter().flat_map(StringRecord::iter).any(mark)
    };
    TOOLS.iter().find(marked).or(before.filter(|tool| tool.titles.is_empty()))
}

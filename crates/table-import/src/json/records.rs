//! Lists of records: GitHub issues as the REST interface and `gh issue list --json` give them, and any other list of objects.

use super::{Records, Source, Table, member, text};
use crate::FILE_COLUMNS_MAX;
use crate::errors::{EMPTY_FILE, NOT_A_TABLE, TOO_MANY_COLUMNS};
use crate::tools::{Tool, ToolName};
use crate::workbook::Sheet;
use kit::error::Result;
use serde::de::DeserializeSeed;
use serde_json::Value;
use std::collections::HashMap;

/// Titles of the columns of issues, and the members that fill them.
const ISSUE: [(&str, &[&str]); 15] = [
    ("Number", &["number"]),
    ("Title", &["title"]),
    ("State", &["state"]),
    ("Reason", &["state_reason", "stateReason"]),
    ("Labels", &["labels"]),
    ("Assignees", &["assignees", "assignee"]),
    ("Milestone", &["milestone"]),
    ("Author", &["user", "author"]),
    ("Created", &["created_at", "createdAt"]),
    ("Updated", &["updated_at", "updatedAt"]),
    ("Closed", &["closed_at", "closedAt"]),
    ("Type", &[]),
    ("Comments", &["comments"]),
    ("URL", &["html_url", "url"]),
    ("Body", &["body"]),
];

/// Writes the records as a table.
pub fn unfold(source: &Source<'_>, mut table: Table) -> Result<Sheet> {
    let mut first = None;
    let mut columns = Columns::default();
    source.read(|reading, json| {
        let take = |record: Value| {
            let Value::Object(members) = &record else {
                return Err(NOT_A_TABLE.error("The JSON list has values that aren't records."));
            };
            columns.see(members)?;
            first.get_or_insert(record);
            Ok(())
        };
        Records { reading, take }.deserialize(json)
    })?;
    let Some(first) = first else { return Err(EMPTY_FILE.error("The JSON list has no records.")) };
    let is_issue = first.get("number").is_some_and(Value::is_number) && first.get("title").is_some();
    let sheet = Sheet { records: true, ..Sheet::default() };
    let sheet = if is_issue {
        table.row(ISSUE.map(|(title, _)| title.to_owned()))?;
        Sheet { width: ISSUE.len(), lists: vec![4, 5], tool: Tool::named(ToolName::Github), ..sheet }
    } else {
        table.row(columns.titles.iter())?;
        Sheet { width: columns.titles.len(), lists: columns.lists(), ..sheet }
    };
    source.read(|reading, json| {
        let take = |record: Value| {
            if is_issue {
                return table.row(ISSUE.map(|(title, names)| issue_field(&record, title, names)));
            }
            let field = |title: &String| record.get(title).map(text).unwrap_or_default();
            table.row(columns.titles.iter().map(field))
        };
        Records { reading, take }.deserialize(json)
    })?;
    table.finish()?;
    Ok(sheet)
}

fn issue_field(issue: &Value, title: &str, names: &[&str]) -> String {
    match title {
        // One interface writes `open`, the other `OPEN`; reasons have an underscore in both.
        "State" | "Reason" => {
            let plain = member(issue, names).to_lowercase().replace('_', " ");
            let mut letters = plain.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
        }
        "Comments" => match issue.get("comments") {
            Some(Value::Array(comments)) => comments.len().to_string(),
            other => other.map(text).unwrap_or_default(),
        },
        "Type" => if issue.get("pull_request").is_some() { "Pull request" } else { "" }.to_owned(),
        _ => member(issue, names),
    }
}

/// The members of records, in the order of the first record that has them, which is by name.
#[derive(Default)]
struct Columns {
    titles: Vec<String>,
    places: HashMap<String, usize>,
    listed: Vec<bool>,
}

impl Columns {
    fn see(&mut self, members: &serde_json::Map<String, Value>) -> Result<()> {
        for (title, value) in members {
            let place = match self.places.get(title) {
                Some(place) => *place,
                None if self.titles.len() == FILE_COLUMNS_MAX => {
                    let detail = format!("The records of the JSON file have more than {FILE_COLUMNS_MAX} members.");
                    return Err(TOO_MANY_COLUMNS.error(detail));
                }
                None => {
                    self.places.insert(title.clone(), self.titles.len());
                    self.titles.push(title.clone());
                    self.listed.push(false);
                    self.titles.len() - 1
                }
            };
            self.listed[place] |= value.is_array();
        }
        Ok(())
    }

    fn lists(&self) -> Vec<usize> {
        self.listed.iter().enumerate().filter(|(_, listed)| **listed).map(|(place, _)| place).collect()
    }
}

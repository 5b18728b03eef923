//! Differences between a newer file and the board, as readable text.

use super::plan::{Plan, Role};
use crate::board::GroupRecord;
use crate::cells::Column;
use crate::item::{GROUP, NAME};
use crate::subitems::PARENT;
use kit::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

/// Differences that are named; the rest is only counted.
const SHOWN_MAX: usize = 100;
/// Characters of a value that are shown.
const CHARS_SHOWN_MAX: usize = 200;

/// A difference between the file and the board. Labels, people, groups, and parents are shown by name.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename = "ImportDifference", rename_all = "camelCase")]
pub(crate) struct Difference {
    /// The item.
    pub(super) item_id: String,
    /// Its name on the board.
    pub(super) name: String,
    /// `name`, `groupId`, `parentId`, or a column ID.
    pub(super) field: String,
    /// The field's title: Name, Group, Parent, or the column's title.
    pub(super) title: String,
    /// The value on the board; empty if none.
    pub(super) board: String,
    /// The value in the file.
    pub(super) file: String,
}

/// The first differences.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Differences(Vec<Difference>);

impl Differences {
    /// Keeps one where it is among the first.
    pub(super) fn add(&mut self, difference: impl FnOnce() -> Result<Difference>) -> Result<()> {
        if self.0.len() < SHOWN_MAX {
            self.0.push(difference()?);
        }
        Ok(())
    }
}

/// Display names of the parts of a board's items.
pub(super) struct Words {
    /// Titles, by the parts of items.
    titles: HashMap<String, String>,
    /// Texts of labels and names of groups, by their part and their id.
    texts: HashMap<(String, String), String>,
    members: HashMap<String, String>,
}

impl Words {
    /// Of the columns that a file fills, with the labels that it would add.
    pub(super) fn new(
        plan: &Plan,
        columns: &[Column],
        groups: &[GroupRecord],
        members: HashMap<String, String>,
    ) -> Words {
        let fixed = [(NAME, "Name"), (GROUP, "Group"), (PARENT, "Parent")].map(|(id, title)| (id.into(), title.into()));
        let of_columns = columns.iter().map(|column| (column.id.clone(), column.title.clone()));
        let mut texts: HashMap<(String, String), String> = HashMap::new();
        texts.extend(groups.iter().map(|group| ((GROUP.to_owned(), group.id.clone()), group.name.clone())));
        for (role, id) in plan.roles.iter().zip(&plan.targets) {
            let (Role::Cells(decided), Some(id)) = (role, id) else { continue };
            let labels = decided.settings.labels.iter().flatten();
            texts.extend(labels.map(|label| ((id.clone(), label.id.clone()), label.text.clone())));
        }
        Words { titles: fixed.into_iter().chain(of_columns).collect(), texts, members }
    }

    pub(super) fn title(&self, part: &str) -> String {
        self.titles.get(part).cloned().unwrap_or_default()
    }

    /// Displayed value of a field; empty if none.
    pub(super) fn shown(&self, part: &str, value: Option<&Value>) -> String {
        let text = match value {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => {
                self.texts.get(&(part.to_owned(), text.clone())).cloned().unwrap_or_else(|| text.clone())
            }
            Some(Value::Bool(truth)) => if *truth { "yes" } else { "no" }.to_owned(),
            Some(Value::Array(entries)) => {
                let entries = entries.iter().filter_map(Value::as_str);
                let names = entries.map(|entry| self.members.get(entry).map_or(entry, String::as_str));
                names.collect::<Vec<_>>().join(", ")
            }
            Some(Value::Object(span)) => {
                let days = ["from", "to"].map(|end| span.get(end).and_then(Value::as_str).unwrap_or_default());
                days.join(" – ")
            }
            Some(number) => number.to_string(),
        };
        match text.char_indices().nth(CHARS_SHOWN_MAX) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

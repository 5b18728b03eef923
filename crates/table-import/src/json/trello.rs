//! A Trello board: lists become groups, and cards become items. The file is read twice, because cards come before the
//! lists, members, and checklists that they reference.

use super::{Choices, Reading, Records, Source, Table, member, text};
use crate::FILE_COLUMNS_MAX;
use crate::errors::{EMPTY_FILE, NOT_A_TABLE, TOO_MANY_COLUMNS};
use crate::fault;
use crate::problems::Problem;
use crate::tools::{Tool, ToolName};
use crate::words::name_from;
use crate::workbook::Sheet;
use column_types::NAME_CHARS_MAX;
use kit::error::Result;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;

/// Bytes of what cards refer to.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;
const TITLES: [&str; 13] = [
    "Card ID",
    "Card Name",
    "List Name",
    "Labels",
    "Members",
    "Start Date",
    "Due Date",
    "Due Complete",
    "Card Description",
    "Checklists",
    "Checklist items",
    "Card URL",
    "Archived",
];

/// What cards refer to.
#[derive(Default)]
struct Board {
    name: String,
    has_cards: bool,
    /// Whether it has items instead, as an export of this program has.
    has_items: bool,
    /// Position, name and whether it is archived, by id.
    lists: HashMap<String, (f64, String, bool)>,
    members: HashMap<String, String>,
    /// By card: items done, items, and these as text.
    checklists: HashMap<String, (usize, usize, String)>,
    /// Id and name, in their order.
    fields: Vec<(String, String)>,
    options: HashMap<String, String>,
    bytes: usize,
    comments: u64,
}

/// Writes the cards as a table.
pub fn unfold(source: &Source<'_>, mut table: Table, choices: Choices) -> Result<Sheet> {
    let mut board = Board::default();
    source.read(|reading, json| {
        json.deserialize_map(Pass { reading, take: |part: &str, value| board.keep(part, value) })
    })?;
    if !board.has_cards || board.lists.is_empty() {
        return Err(NOT_A_TABLE.error(match board.has_items {
            true => {
                "The file is a board exported as JSON for other programs, which can't be imported. Export the board as CSV or an \
                 Excel workbook instead, or back up Pilothouse to save everything."
            }
            false => "The JSON file is neither a Trello board nor a list of records.",
        }));
    }
    let width = TITLES.len() + board.fields.len();
    if width > FILE_COLUMNS_MAX {
        return Err(TOO_MANY_COLUMNS.error(format!("The board has {} custom fields.", board.fields.len())));
    }
    table.row(TITLES.into_iter().chain(board.fields.iter().map(|(_, name)| name.as_str())))?;
    let (mut cards, mut archived) = (0_u64, 0_u64);
    let write = |part: &str, card: Value| {
        if part == "cards" {
            let is_archived = board.is_archived(&card);
            archived += u64::from(is_archived);
            if choices.archived || !is_archived {
                cards += 1;
                table.row(board.row(&card, is_archived, choices))?;
            }
        }
        Ok(())
    };
    source.read(|reading, json| json.deserialize_map(Pass { reading, take: write }))?;
    table.finish()?;
    let mut problems = Vec::new();
    if archived > 0 && !choices.archived {
        let detail = format!("{archived} archived cards were skipped. Set `archived` to `keep` to include them.");
        problems.push(Problem { line: 1, column: String::new(), code: fault::ARCHIVED_SKIPPED, detail });
    }
    if board.comments > 0 {
        let detail = match board.comments {
            1 => "1 comment was skipped: Trello comments aren't imported.".to_owned(),
            count => format!("{count} comments were skipped: Trello comments aren't imported."),
        };
        problems.push(Problem { line: 1, column: String::new(), code: fault::COMMENTS_SKIPPED, detail });
    }
    if cards == 0 {
        return Err(EMPTY_FILE.error(match archived {
            0 => "The Trello board has no cards.".to_owned(),
            _ => format!(
                "All {archived} cards on the Trello board are archived. Set `archived` to `keep` to include them."
            ),
        }));
    }
    let mut lists: Vec<_> = board.lists.into_values().filter(|(_, _, closed)| choices.archived || !closed).collect();
    lists.sort_by(|a, b| a.0.total_cmp(&b.0));
    let groups = lists.into_iter().map(|(_, name, _)| name).collect();
    let tool = Tool::named(ToolName::Trello);
    Ok(Sheet { name: board.name, width, problems, tool, records: true, lists: vec![3, 4], groups, ..Sheet::default() })
}

impl Board {
    fn keep(&mut self, part: &str, value: Value) -> Result<()> {
        let id = || member(&value, &["id"]);
        match part {
            "name" => self.name = name_from(&text(&value), NAME_CHARS_MAX).unwrap_or_default(),
            "actions" => self.comments = value.as_u64().unwrap_or(0),
            "cards" => self.has_cards = true,
            "items" => self.has_items = true,
            "lists" => {
                let position = value.get("pos").and_then(Value::as_f64).unwrap_or(f64::MAX);
                let name = member(&value, &["name"]);
                self.grow(name.len())?;
                self.lists.insert(id(), (position, name, is_true(&value, "closed")));
            }
            "members" => {
                let name = member(&value, &["fullName", "username"]);
                self.grow(name.len())?;
                self.members.insert(id(), name);
            }
            "checklists" => {
                let items = value.get("checkItems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let lines = items.iter().map(|item| {
                    let done = item.get("state").and_then(Value::as_str) == Some("complete");
                    (done, format!("[{}] {}\n", if done { 'x' } else { ' ' }, member(item, &["name"])))
                });
                let lines: Vec<(bool, String)> = lines.collect();
                self.grow(lines.iter().map(|(_, line)| line.len()).sum())?;
                let of = self.checklists.entry(member(&value, &["idCard"])).or_default();
                for (done, line) in lines {
                    of.0 += usize::from(done);
                    of.1 += 1;
                    of.2.push_str(&line);
                }
            }
            "customFields" => {
                let name = member(&value, &["name"]);
                self.grow(name.len())?;
                for option in value.get("options").and_then(Value::as_array).into_iter().flatten() {
                    let shown = option.get("value").map(|value| member(value, &["text"])).unwrap_or_default();
                    self.grow(shown.len())?;
                    self.options.insert(member(option, &["id"]), shown);
                }
                self.fields.push((id(), name));
            }
            _ => {}
        }
        Ok(())
    }

    /// Counts stored bytes, including overhead.
    fn grow(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes + 128;
        if self.bytes > KEPT_BYTES_MAX {
            return Err(
                NOT_A_TABLE.error(format!("The lists and checklists of the board are over {KEPT_BYTES_MAX} bytes."))
            );
        }
        Ok(())
    }

    fn is_archived(&self, card: &Value) -> bool {
        let in_archived = || self.lists.get(&member(card, &["idList"])).is_some_and(|(_, _, closed)| *closed);
        is_true(card, "closed") || in_archived()
    }

    fn row(&self, card: &Value, is_archived: bool, choices: Choices) -> Vec<String> {
        let list = |name: &str| card.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let of = |name: &str| member(card, &[name]);
        let labels = list("labels").iter().map(|label| member(label, &["name", "color"]));
        let members = list("idMembers").iter().filter_map(|id| self.members.get(id.as_str()?).cloned());
        let due = of("due");
        let due_complete = match (due.is_empty(), is_true(card, "dueComplete")) {
            (true, false) => String::new(),
            (_, complete) => complete.to_string(),
        };
        let checked = self.checklists.get(&of("id"));
        let mut row = vec![
            of("id"),
            of("name"),
            self.lists.get(&of("idList")).map(|(_, name, _)| name.clone()).unwrap_or_default(),
            labels.collect::<Vec<_>>().join("\n"),
            members.collect::<Vec<_>>().join("\n"),
            of("start"),
            due,
            due_complete,
            of("desc"),
            checked.map(|(done, all, _)| format!("{done} of {all}")).unwrap_or_default(),
            checked.map(|(_, _, text)| text.clone()).unwrap_or_default(),
            member(card, &["shortUrl", "url"]),
            if choices.archived { is_archived.to_string() } else { String::new() },
        ];
        let values = list("customFieldItems");
        row.extend(self.fields.iter().map(|(id, _)| {
            let value = values.iter().find(|value| value.get("idCustomField").and_then(Value::as_str) == Some(id));
            value.map(|value| self.field(value)).unwrap_or_default()
        }));
        row
    }

    /// The value of a field of the board's own.
    fn field(&self, value: &Value) -> String {
        let chosen = value.get("idValue").and_then(Value::as_str).and_then(|id| self.options.get(id));
        let written = || value.get("value").map(|value| member(value, &["text", "number", "date", "checked"]));
        chosen.cloned().or_else(written).unwrap_or_default()
    }
}

/// Counts the comments in the list of actions; their text is skipped.
struct Comments(u64);

/// One thing that was done.
#[derive(Deserialize)]
struct Action {
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl<'de> Deserialize<'de> for Comments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Counting;
        impl<'de> Visitor<'de> for Counting {
            type Value = Comments;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of actions")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Comments, A::Error> {
                let mut count = 0;
                while let Some(action) = list.next_element::<Action>()? {
                    count += u64::from(action.kind.as_deref() == Some("commentCard"));
                }
                Ok(Comments(count))
            }
        }
        deserializer.deserialize_seq(Counting)
    }
}

fn is_true(record: &Value, name: &str) -> bool {
    record.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// A pass over the board that passes on its name and the elements of its lists, each with the name of its list.
struct Pass<'a, 'r, F> {
    reading: &'a mut Reading<'r>,
    take: F,
}

impl<'de, F: FnMut(&str, Value) -> Result<()>> Visitor<'de> for Pass<'_, '_, F> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a board")
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut board: A) -> std::result::Result<(), A::Error> {
        while let Some(part) = board.next_key::<String>()? {
            match part.as_str() {
                "cards" | "items" | "lists" | "members" | "checklists" | "customFields" => {
                    let take = |record| (self.take)(&part, record);
                    board.next_value_seed(Records { reading: &mut *self.reading, take })?;
                }
                "actions" => {
                    let Comments(count) = board.next_value()?;
                    // Keeping a count does not fail.
                    let _ = (self.take)(&part, count.into());
                }
                "name" => {
                    let name = board.next_value::<Value>()?;
                    // Keeping a name does not fail.
                    let _ = (self.take)(&part, name);
                }
                _ => drop(board.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

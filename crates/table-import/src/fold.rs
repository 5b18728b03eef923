//! Columns of a table that are made of several fields of the file's rows, or of a part of one: values of one thing that an
//! export spreads over columns of the same title, links written as name and address, two dates in one field.

use crate::tools::{Becomes, Tool, ToolName};
use column_types::values::{self, DateOrder};
use csv::StringRecord;

/// How a column is made of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The unchanged field.
    Field,
    /// Filled fields, each on its own line.
    List,
    /// Filled fields, separated by blank lines.
    Paragraphs,
    /// The names of links, each on a line.
    Names,
    /// The days from the first date to the last.
    Span,
}

/// A column of the table.
#[derive(Debug, Clone)]
pub struct Made {
    pub title: String,
    /// Places in the file's rows.
    from: Vec<usize>,
    how: How,
    /// The meaning of the tool's columns with this title.
    pub becomes: Option<Becomes>,
}

/// The columns that a tool's table has, in the order in which they begin. `lists`: places of fields with an entry on each line.
pub fn columns(tool: Option<&Tool>, header: &[String], lists: &[usize], rows: &[StringRecord]) -> Vec<Made> {
    let mut made: Vec<(&str, Made)> = Vec::with_capacity(header.len());
    for (index, title) in header.iter().enumerate() {
        let before = tool
            .is_some_and(|tool| tool.repeats)
            .then(|| made.iter_mut().find(|(other, _)| other == title && !title.trim().is_empty()));
        if let Some((_, column)) = before.flatten() {
            column.from.push(index);
            continue;
        }
        // The two ends of one span stand side by side.
        let of = title.trim().strip_suffix(" - End").filter(|_| tool.is_some_and(|tool| tool.name == ToolName::Monday));
        if let (Some(of), Some((before, column))) = (of, made.last_mut())
            && before.trim().strip_suffix(" - Start") == Some(of)
        {
            of.clone_into(&mut column.title);
            column.from.push(index);
            column.how = How::Span;
            continue;
        }
        let listed = lists.contains(&index).then_some(Becomes::List);
        let becomes = listed.or_else(|| tool?.column(title));
        let shown = tool.map_or_else(|| title.clone(), |tool| tool.shown(title));
        let column = Made { title: shown, from: vec![index], how: How::Field, becomes };
        made.push((title, column));
    }
    let mut columns = Vec::with_capacity(made.len());
    for (_, mut column) in made {
        if column.from.len() > 1 && column.becomes.is_none() && column.how == How::Field {
            column.becomes = Some(Becomes::List);
        }
        match column.becomes {
            Some(Becomes::List) => column.how = How::List,
            _ if column.from.len() > 1 && column.how == How::Field => column.how = How::Paragraphs,
            _ => {}
        }
        let values =
            || rows.iter().filter_map(|row| row.get(column.from[0])).map(str::trim).filter(|value| !value.is_empty());
        let all = |fits: fn(&str) -> bool| values().next().is_some() && values().all(fits);
        match tool.map_or(ToolName::None, |tool| tool.name) {
            ToolName::Airtable if all(is_links) => column.becomes = Some(Becomes::Files),
            ToolName::Notion if all(is_links) => (column.how, column.becomes) = (How::Names, Some(Becomes::List)),
            ToolName::Notion if all(is_date_or_range) && values().any(|value| range(value).is_some()) => {
                column.how = How::Span;
            }
            _ => {}
        }
        columns.push(column);
    }
    columns
}

/// The columns' values of a row of the file.
pub fn fold(columns: &[Made], row: &StringRecord) -> StringRecord {
    let mut folded = StringRecord::with_capacity(row.as_slice().len() + columns.len(), columns.len());
    let mut text = String::new();
    for column in columns {
        let mut fields = column.from.iter().filter_map(|index| row.get(*index));
        match column.how {
            How::Field => folded.push_field(fields.next().unwrap_or_default()),
            How::List | How::Paragraphs => {
                text.clear();
                for field in fields.map(str::trim).filter(|field| !field.is_empty()) {
                    if !text.is_empty() {
                        text.push_str(if column.how == How::List { "\n" } else { "\n\n" });
                    }
                    text.push_str(if column.how == How::List { named_within(field) } else { field });
                }
                folded.push_field(&text);
            }
            How::Names => {
                let field = fields.next().unwrap_or_default();
                text.clear();
                for (name, _) in links(field).unwrap_or_else(|| vec![(field.trim(), "")]) {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(name);
                }
                folded.push_field(&text);
            }
            How::Span => {
                text.clear();
                let mut dates = fields.map(str::trim).filter(|field| !field.is_empty());
                if let Some(first) = dates.next() {
                    text.push_str(first);
                    if range(first).is_none() {
                        // A day alone is a span of one.
                        text.push_str(ARROW);
                        text.push_str(dates.next().unwrap_or(first));
                    }
                }
                folded.push_field(&text);
            }
        }
    }
    folded
}

/// A sprint as older servers of Jira write it names its parts: `...Sprint@1f[id=1,name=Sprint 1,startDate=...]`.
fn named_within(field: &str) -> &str {
    let parts = field.strip_prefix("com.atlassian.greenhopper").and_then(|rest| rest.split_once(",name="));
    let name = parts.map(|(_, rest)| {
        rest.split_once(",startDate=").or_else(|| rest.split_once(',')).map_or(rest, |(name, _)| name)
    });
    name.unwrap_or(field)
}

/// Names and addresses of a field that holds nothing else: `Plan (https://…), Notes (Notes%20a.md)`.
fn links(field: &str) -> Option<Vec<(&str, &str)>> {
    let mut links = Vec::new();
    let mut rest = field.trim();
    while !rest.is_empty() {
        let (at, mark) = rest.match_indices(" (").find(|(at, _)| is_address(&rest[at + 2..]))?;
        let after = &rest[at + mark.len()..];
        let end = after.find(|c: char| c.is_whitespace()).unwrap_or(after.len());
        // Between two links stands a comma, with a space or without one.
        let until = after.find("),").unwrap_or(after.len()).min(end);
        let closed = after[until..].starts_with("),");
        let address = if closed { &after[..until] } else { after[..until].strip_suffix(')')? };
        links.push((rest[..at].trim(), address));
        rest = after[address.len() + 1..].trim_start();
        if !rest.is_empty() {
            rest = rest.strip_prefix(',')?.trim_start();
        }
    }
    (!links.is_empty()).then_some(links)
}

fn is_address(text: &str) -> bool {
    let word = text.split(|c: char| c.is_whitespace() || c == ')').next().unwrap_or_default();
    word.starts_with("http://") || word.starts_with("https://") || (word.contains("%20") && word.ends_with(".md"))
}

/// Whether a field holds names with their addresses and nothing else.
pub fn is_links(field: &str) -> bool {
    links(field).is_some()
}

/// Separator of the two dates of a range.
const ARROW: &str = " → ";

/// The two dates of a range.
pub fn range(field: &str) -> Option<(&str, &str)> {
    let (from, to) = field.split_once(ARROW)?;
    (is_date(from) && is_date(to)).then(|| (from.trim(), to.trim()))
}

fn is_date(text: &str) -> bool {
    DateOrder::ALL.iter().any(|order| values::date(text, *order).is_some())
}

fn is_date_or_range(field: &str) -> bool {
    range(field).is_some() || is_date(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_taken_apart_and_other_texts_are_none() {
        let two = "Plan (v2) (https://www.notion.so/Plan-1), Notes (Notes%2020a.md)";
        assert_eq!(links(two), Some(vec![("Plan (v2)", "https://www.notion.so/Plan-1"), ("Notes", "Notes%2020a.md")]));
        let close = "a.png (https://v5.airtableusercontent.com/a,b),c.png (https://v5.airtableusercontent.com/c)";
        let names: Vec<_> = links(close).into_iter().flatten().map(|(name, _)| name).collect();
        assert_eq!(names, ["a.png", "c.png"]);
        for text in
            ["", "see (https://example.com) for more", "plain", "(https://example.com", "a (b)", "é (https://é) ü"]
        {
            assert_eq!(links(text), None, "{text}");
        }
        assert_eq!(range("January 5, 2026 → January 16, 2026"), Some(("January 5, 2026", "January 16, 2026")));
        assert_eq!(range("a → b"), None);
    }

    #[test]
    fn a_sprint_of_an_older_server_is_its_name() {
        let old = "com.atlassian.greenhopper.service.sprint.Sprint@5a[id=7,rapidViewId=3,state=CLOSED,name=Sprint 1, mobile,startDate=2026-01-05T09:00:00.000Z,goal=]";
        assert_eq!(named_within(old), "Sprint 1, mobile");
        assert_eq!(named_within("Sprint 2"), "Sprint 2");
    }
}

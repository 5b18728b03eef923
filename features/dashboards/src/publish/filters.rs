//! Filters in words, as a published page states them: in the words of the page's picture (`export/InForce.tsx`), and of people,
//! items and texts no more than the rest of the document has.

use super::document::{Holds, Numbered, text};
use super::words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use widgets::{ColRef, Filters, Operand, Rule, RuleOrGroup, family, operators};

/// Name of a former member.
const FORMER: &str = "Former member";
/// Text for `me`: the values were computed for the publisher.
const ME: &str = "Whoever published this page";
/// Text for `none`.
const NOBODY: &str = "Nobody";
/// Text for a board named by ID, which isn't published.
const ONE_BOARD: &str = "A connected board";
/// What items have beside columns: how a rule names it, what it is called, and the type that it is asked as.
const BUILTINS: [(&str, &str, &str); 6] = [
    ("name", "Name", "text"),
    ("board", "Board", "status"),
    ("group", "Group", "status"),
    ("created", "Created", "date"),
    ("updated", "Updated", "date"),
    ("subitem", "Is a subitem", "checkbox"),
];

/// Returns the type and the title of a board's column.
pub(crate) type ColumnOf<'a> = &'a dyn Fn(&str, &str) -> Option<(String, String)>;

/// Names of things in filters.
pub(crate) struct Known<'a> {
    /// Ids of the connected boards.
    pub boards: &'a [String],
    /// Names of members by their ids.
    pub members: &'a HashMap<String, String>,
    /// Type and title of a board's column.
    pub column: ColumnOf<'a>,
    /// Texts of labels and names of groups, which rules may name by their ids.
    pub labels: &'a Labels,
}

/// Texts of labels by what has them (see [`labeled`]) and their ids.
pub(crate) type Labels = HashMap<(String, String), String>;

/// Key of labels: their column's title, or none for groups.
pub(crate) fn labeled(title: Option<&str>) -> String {
    title.map_or_else(String::new, |title| title.trim().to_lowercase())
}

/// The shared filters, each in words; nothing where they can't be read.
pub(super) fn shared(
    filters: &Value,
    known: &Known<'_>,
    numbered: &mut Numbered,
    holds: &mut BTreeSet<Holds>,
) -> Option<Vec<String>> {
    if filters.is_null() {
        return Some(Vec::new());
    }
    let Filters { people, all, .. } = Filters::deserialize(filters).ok()?;
    let people = people.unwrap_or_default();
    let mut asked: Vec<String> = people.ids.iter().map(|id| person(id, known, numbered, holds)).collect();
    asked.extend(people.teams.iter().map(|_| "a team".to_owned()));
    let mut said = Vec::new();
    if !asked.is_empty() {
        said.push(format!("People: {}", asked.join(", ")));
    }
    said.extend(rules(&all, known, numbered, holds));
    Some(said)
}

/// The rules that choose a widget's items, in words.
pub(super) fn own(
    settings: &Value,
    known: &Known<'_>,
    numbered: &mut Numbered,
    holds: &mut BTreeSet<Holds>,
) -> Vec<String> {
    let all = Vec::<RuleOrGroup>::deserialize(&settings["rules"]).unwrap_or_default();
    rules(&all, known, numbered, holds)
}

fn rules(all: &[RuleOrGroup], known: &Known<'_>, numbered: &mut Numbered, holds: &mut BTreeSet<Holds>) -> Vec<String> {
    let mut entries = Vec::new();
    for entry in all {
        let said: Vec<String> = entry.rules().iter().filter_map(|one| rule(one, known, numbered, holds)).collect();
        if !said.is_empty() {
            entries.push(said.join(", or "));
        }
    }
    entries
}

/// A rule in words; None if it's off or incomplete.
fn rule(rule: &Rule, known: &Known<'_>, numbered: &mut Numbered, holds: &mut BTreeSet<Holds>) -> Option<String> {
    if rule.off {
        return None;
    }
    let (title, type_name, of_values) = subject(&rule.col, known)?;
    let (_, takes) = operators(&type_name).iter().find(|(name, _)| *name == rule.op)?;
    let operator = words::operator(&rule.op)?;
    if *takes == Operand::None {
        return Some(format!("{} {operator}", text(&title)));
    }
    let values: Vec<&Value> = match &rule.value {
        Value::Array(values) => values.iter().collect(),
        value => vec![value],
    };
    let values: Vec<String> = values
        .into_iter()
        .filter_map(|value| match value {
            Value::String(id) if *takes == Operand::People => Some(person(id, known, numbered, holds)),
            Value::String(value) if value.is_empty() => None,
            Value::String(day) if matches!(takes, Operand::Day | Operand::Days) => Some(words::day(&text(day), true)),
            Value::String(id) if known.boards.contains(id) => Some(ONE_BOARD.to_owned()),
            Value::String(value) => {
                holds.extend(of_values);
                let of = labeled((of_values != Some(Holds::GroupNames)).then_some(&title));
                let value = known.labels.get(&(of, value.clone())).unwrap_or(value);
                let of_values = of_values.into_iter().collect();
                Some(numbered.label(&of_values, &words_key(value), &Value::from(value.as_str())))
            }
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
        .collect();
    if values.is_empty() {
        return None;
    }
    let between = if matches!(takes, Operand::Numbers | Operand::Days) { " and " } else { " or " };
    Some(format!("{} {operator} {}", text(&title), values.join(between)))
}

/// The same text has the same number, however it is written.
fn words_key(value: &str) -> Value {
    value.trim().to_lowercase().into()
}

/// A rule's subject: title, type, and the kinds of data in its values.
fn subject(col: &ColRef, known: &Known<'_>) -> Option<(String, String, Option<Holds>)> {
    let (title, type_name) = match col {
        ColRef::Title { title, type_name } => (title.clone(), type_name.clone()),
        ColRef::Ids { ids } => {
            let all = ids.iter().flat_map(|(board, ids)| ids.iter().map(move |id| (board, id)));
            let (type_name, title) = all.into_iter().find_map(|(board, id)| (known.column)(board, id))?;
            (title, type_name)
        }
        ColRef::Builtin { name } => {
            let (_, title, type_name) = BUILTINS.iter().find(|(builtin, ..)| builtin == name)?;
            let of_values = match name.as_str() {
                "name" => Some(Holds::ItemNames),
                "board" => Some(Holds::BoardNames),
                "group" => Some(Holds::GroupNames),
                _ => None,
            };
            return Some(((*title).to_owned(), (*type_name).to_owned(), of_values));
        }
    };
    let of_values = match family(&type_name) {
        "label" | "tags" => Some(Holds::Labels),
        "text" | "files" => Some(Holds::CellTexts),
        "links" => Some(Holds::ItemNames),
        "number" | "date" | "checkbox" => None,
        // Unknown data counts as the kind that is hidden first.
        _ => Some(Holds::PeopleNames),
    };
    Some((title, type_name, of_values))
}

fn person(id: &str, known: &Known<'_>, numbered: &mut Numbered, holds: &mut BTreeSet<Holds>) -> String {
    match id {
        "me" => ME.to_owned(),
        "none" => NOBODY.to_owned(),
        id => {
            holds.insert(Holds::PeopleNames);
            let name = known.members.get(id).map_or(FORMER, String::as_str);
            numbered.label(&[Holds::PeopleNames].into(), &Value::from(id), &Value::from(name))
        }
    }
}

//! Rules as text for the command line, such as `Status any of Done, Closed`, `Due before 2026-12-01`, or `"Due date"
//! isEmpty`, and sort orders such as `Due` or `Amount desc`.
//!
//! A rule has a column (title or ID, quoted if ambiguous), an operator of its type, and the operator's value. Operators
//! can be written as words, with `is` before them.

use super::rules::{BUILTIN, columns_there_are};
use super::{Asked, Sort};
use crate::cells::Column;
use crate::errors::INVALID_FILTER;
use crate::fault;
use kit::Fault;
use kit::error::Result;
use serde_json::{Value, json};
use widgets::{Operand, Operator};

/// Rules or steps of an order that one query writes as texts.
pub const TEXTS_MAX: usize = 50;

/// A rule that was written as a text.
pub(crate) struct Written {
    pub(crate) pointer: String,
    pub(crate) column: String,
    pub(crate) op: &'static str,
    pub(crate) value: Value,
}

fn refuse(pointer: &str, code: Fault, detail: String) -> kit::Error {
    INVALID_FILTER.error(detail.clone()).at(pointer, code, detail)
}

/// The rest of a text after a prefix, ignoring case.
fn behind<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for letter in start.chars() {
        rest.next().filter(|other| other.to_lowercase().eq(letter.to_lowercase()))?;
    }
    Some(rest.as_str())
}

/// The same, where a space or the end follows.
fn behind_word<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let rest = behind(text, start)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

/// The column at the start of a text, as written, and the rest.
fn column<'a>(text: &'a str, asked: &[Asked], pointer: &str) -> Result<(String, &'a str)> {
    let unknown = || {
        let detail = format!("No column at the start of `{text}`. {}", columns_there_are(asked));
        refuse(pointer, fault::UNKNOWN_COLUMN, detail)
    };
    if let Some((name, rest)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        let is_there = asked.iter().any(|board| board.named(name).next().is_some()) || is_builtin(name);
        return if is_there { Ok((name.to_owned(), rest.trim_start())) } else { Err(unknown()) };
    }
    let columns = asked.iter().flat_map(|board| &board.columns);
    let names = columns.flat_map(|column| [column.title.trim(), column.id.as_str()]);
    let names = names.chain(BUILTIN.iter().map(|(name, _)| *name)).filter(|name| !name.is_empty());
    // The longest: a board may have Due and Due date.
    let found = names.filter_map(|name| Some((name, behind_word(text, name)?))).max_by_key(|(name, _)| name.len());
    found.map(|(name, rest)| (name.to_owned(), rest)).ok_or_else(unknown)
}

fn is_builtin(name: &str) -> bool {
    BUILTIN.iter().any(|(builtin, _)| builtin.eq_ignore_ascii_case(name))
}

/// The operators that a column takes, and its type for messages.
fn operators(name: &str, asked: &[Asked]) -> (&'static [Operator], String) {
    let column = asked.iter().find_map(|board| board.named(name).next().map(|column| board.type_of(column)));
    let builtin = BUILTIN.iter().find(|(builtin, _)| builtin.eq_ignore_ascii_case(name));
    let type_name = match (column, builtin) {
        (Some(type_name), _) => type_name,
        (None, Some((_, type_name))) => type_name,
        (None, None) => "",
    };
    (widgets::operators(type_name), type_name.to_owned())
}

/// The rest of a text after an operator, whose words can be separated by spaces or hyphens.
fn behind_operator<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = text;
    for letter in name.chars() {
        if letter.is_uppercase() {
            rest = rest.trim_start_matches([' ', '-']);
        }
        rest = behind(rest, letter.encode_utf8(&mut [0; 4]))?;
    }
    let is_sign = !name.starts_with(char::is_alphabetic);
    (is_sign || rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

/// Reads a rule.
pub(crate) fn rule(text: &str, index: usize, asked: &[Asked]) -> Result<Written> {
    let pointer = format!("/where/{index}");
    let (name, rest) = column(text.trim(), asked, &pointer)?;
    let (operators, type_name) = operators(&name, asked);
    let named = |rest: &'_ str| {
        let found = operators.iter().filter_map(|op| Some((op, behind_operator(rest, op.0)?.len())));
        // The one that takes most of the text: `>=` before `>`.
        found.min_by_key(|(_, left)| *left)
    };
    let found = named(rest).map(|found| (found, rest)).or_else(|| {
        let rest = behind_word(rest, "is")?;
        named(rest).map(|found| (found, rest))
    });
    let Some((((op, operand), left), rest)) = found else {
        let names: Vec<&str> = operators.iter().map(|(name, _)| *name).collect();
        let takes = if names.is_empty() { "no filter".to_owned() } else { names.join(", ") };
        let meant = meant(&name, rest, operators).map(|rule| format!(" Did you mean `{rule}`?")).unwrap_or_default();
        let detail = format!("{name} ({type_name}) accepts {takes}, not `{}`.{meant}", written_operator(rest));
        return Err(refuse(&pointer, fault::UNKNOWN_OPERATOR, detail));
    };
    let written = rest[rest.len() - left..].trim();
    let Some(value) = value(written, *operand) else {
        let detail = format!("{name} {op} accepts {}, not `{written}`.", in_words(*operand));
        return Err(refuse(&pointer, fault::WRONG_VALUE, detail));
    };
    Ok(Written { pointer, column: name, op, value })
}

/// Operators of other tools.
const EQUAL: [&str; 6] = ["is", "equals", "in", "==", "=", ":"];
const UNEQUAL: [&str; 4] = ["is not", "isn't", "not", "!="];

/// The operator of a rule that has no known one, without the value.
fn written_operator(rest: &str) -> &str {
    let known = UNEQUAL.iter().chain(&EQUAL).find(|start| behind_word(rest, start).is_some());
    known.copied().or_else(|| rest.split_whitespace().next()).unwrap_or_default()
}

/// Suggests a rule for one such as `Status is Done` if the column accepts the value with another operator.
fn meant(name: &str, rest: &str, operators: &[Operator]) -> Option<String> {
    let behind_any = |starts: &[&str]| starts.iter().find_map(|start| behind_word(rest, start));
    let (written, negates) = match behind_any(&UNEQUAL) {
        Some(written) => (written, true),
        None => (behind_any(&EQUAL)?, false),
    };
    let is_meant = |(op, operand): &&Operator| {
        let is_negative = ["no", "!"].iter().any(|start| op.starts_with(start)) || op.contains("No");
        is_negative == negates && *operand != Operand::None && value(written, *operand).is_some()
    };
    let (op, _) = operators.iter().find(is_meant)?;
    let name = if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name.to_owned() };
    Some(format!("{name} {op} {written}"))
}

/// Describes the value of an operator in a text rule.
fn in_words(operand: Operand) -> &'static str {
    match operand {
        Operand::None => "no value",
        Operand::Text => "text",
        Operand::Number => "a number such as 5",
        Operand::Numbers => "two numbers such as 1..10",
        Operand::Labels => "comma-separated labels, such as Done, Closed",
        Operand::Words => "comma-separated words, such as urgent, later",
        Operand::People => "comma-separated member names or IDs, `me`, or `none`",
        Operand::Day => "a day such as 2026-03-01",
        Operand::Days => "two days such as 2026-03-01..2026-03-31",
        Operand::DayCount => "a number of days such as 7",
    }
}

fn value(written: &str, operand: Operand) -> Option<Value> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let day = |text: &str| column_types::dates::parse_iso(text.trim()).map(|_| text.trim().to_owned());
    match operand {
        Operand::None => written.is_empty().then_some(Value::Null),
        Operand::Text => (!written.is_empty()).then(|| json!(unquoted(written))),
        Operand::Number => number(written).map(|number| json!(number)),
        Operand::Numbers => two(written).and_then(|(a, b)| Some(json!([number(a)?, number(b)?]))),
        Operand::Labels | Operand::Words | Operand::People => {
            let list = list(written);
            (!list.is_empty()).then(|| json!(list))
        }
        Operand::Day => day(unquoted(written)).map(|day| json!(day)),
        Operand::Days => two(written).and_then(|(a, b)| Some(json!([day(a)?, day(b)?]))),
        Operand::DayCount => {
            let count = written.strip_suffix("days").unwrap_or(written).trim();
            count.parse::<u32>().ok().map(|count| json!(count))
        }
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text)
}

fn two(written: &str) -> Option<(&str, &str)> {
    let parts = written.split_once("..").or_else(|| written.split_once(" and "));
    parts.or_else(|| written.split_once(','))
}

/// Entries with commas between them; within quotes a comma is one of the entry's letters.
fn list(written: &str) -> Vec<String> {
    let mut entries = vec![String::new()];
    let mut quoted = false;
    for letter in written.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => entries.push(String::new()),
            letter => entries.last_mut().expect("there is always one").push(letter),
        }
    }
    let entries = entries.into_iter().map(|entry| entry.trim().to_owned());
    entries.filter(|entry| !entry.is_empty()).collect()
}

/// Parses a sort step: a column, then optionally `asc` or `desc`.
pub(crate) fn step(text: &str, index: usize, asked: &[Asked]) -> Result<Sort> {
    let pointer = format!("/sort/{index}");
    let (column, rest) = column(text.trim(), asked, &pointer)?;
    let descending = match rest.to_ascii_lowercase().as_str() {
        "" | "asc" | "ascending" => false,
        "desc" | "descending" => true,
        _ => {
            let detail = format!("Put asc or desc after {column}, not `{rest}`.");
            return Err(refuse(&pointer, fault::WRONG_DIRECTION, detail));
        }
    };
    let of = |board: &Asked| board.named(&column).next().map(|column: &Column| column.id.clone());
    let columns: Vec<Option<String>> = asked.iter().map(of).collect();
    if columns.iter().any(Option::is_some) {
        return Ok(Sort { columns, descending });
    }
    let builtin = BUILTIN.iter().map(|(name, _)| *name).find(|name| name.eq_ignore_ascii_case(&column));
    match builtin.filter(|name| ["name", "created", "updated"].contains(name)) {
        Some(name) => Ok(Sort { columns: vec![Some(name.to_owned()); asked.len()], descending }),
        None => {
            let detail = format!("Can't sort by {column}. Sort by a column, name, created, or updated.");
            Err(refuse(&pointer, fault::UNKNOWN_COLUMN, detail))
        }
    }
}

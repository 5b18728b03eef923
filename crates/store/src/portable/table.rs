//! The rules of CREATE and ALTER TABLE: three column types, and keys that begin with the account.

use super::lexer::Token::{self, Sign, Word};
use super::{name, reads};

/// The column types that mean the same everywhere. Truth is a BIGINT of 0 or 1, an instant a BIGINT of milliseconds.
const TYPES: [&str; 3] = ["text", "bigint", "double precision"];
/// Words that end a column's type.
const AFTER_TYPE: [&str; 9] =
    ["not", "null", "primary", "default", "unique", "check", "references", "constraint", "collate"];
/// Words that a definition begins with when it is not a column.
const NOT_A_COLUMN: [&str; 5] = ["primary", "unique", "check", "constraint", "foreign"];
/// The one table that is not an account's.
const LOG_OF_MIGRATIONS: &str = "migrations";

/// Checks what follows CREATE.
pub(super) fn check_create(tokens: &[Token<'_>]) -> Result<(), String> {
    if reads(tokens, 0, "index") || reads(tokens, 0, "unique index") {
        return Ok(());
    }
    if !reads(tokens, 0, "table") {
        return Err("CREATE makes tables and indexes here, nothing else.".into());
    }
    let after_exists = if reads(tokens, 1, "if not exists") { 4 } else { 1 };
    let table = name(tokens.get(after_exists)).ok_or("CREATE TABLE needs a name.")?;
    let body = &tokens[after_exists + 1..];
    let definitions = definitions(body).ok_or("CREATE TABLE lists its columns in brackets and ends there.")?;

    let mut key = None;
    for definition in definitions {
        if let Some(Word(first)) = definition.first()
            && NOT_A_COLUMN.contains(&first.as_str())
        {
            if let Some(at) = (0..definition.len()).find(|at| reads(definition, *at, "primary key (")) {
                key = name(definition.get(at + 3));
            }
            continue;
        }
        check_column(table, definition)?;
        if (0..definition.len()).any(|at| reads(definition, at, "primary key")) {
            key = name(definition.first());
        }
    }
    match key {
        _ if table == LOG_OF_MIGRATIONS => Ok(()),
        Some("account_id") => Ok(()),
        _ => Err(format!("The table {table}: its PRIMARY KEY must be there and begin with account_id.")),
    }
}

/// Checks what follows ALTER TABLE.
pub(super) fn check_alter(tokens: &[Token<'_>]) -> Result<(), String> {
    let table = name(tokens.first()).ok_or("ALTER TABLE needs a name.")?;
    if !reads(tokens, 1, "add") {
        return Ok(());
    }
    let column = if reads(tokens, 2, "column") { 3 } else { 2 };
    check_column(table, tokens.get(column..).unwrap_or_default())
}

/// The parts between the commas of a list in brackets; `None` where it is none, or where something follows it.
fn definitions<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<Vec<&'t [Token<'a>]>> {
    let [Sign('('), inside @ .., Sign(')')] = tokens else { return None };
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0);
    for (i, token) in inside.iter().enumerate() {
        match token {
            Sign('(') => depth += 1,
            Sign(')') if depth == 0 => return None,
            Sign(')') => depth -= 1,
            Sign(',') if depth == 0 => {
                parts.push(&inside[from..i]);
                from = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[from..]);
    Some(parts)
}

fn check_column(table: &str, definition: &[Token<'_>]) -> Result<(), String> {
    let column = name(definition.first()).ok_or(format!("The table {table}: a column needs a name."))?;
    let of_type = |token: &&Token<'_>| matches!(token, Word(word) if !AFTER_TYPE.contains(&word.as_str()));
    let words: Vec<&str> = definition[1..].iter().take_while(of_type).filter_map(|token| name(Some(token))).collect();
    let declared = words.join(" ");
    if TYPES.contains(&declared.as_str()) {
        return Ok(());
    }
    Err(format!(
        "The column {table}.{column} is declared {}; columns are TEXT, BIGINT (truth as 0 or 1, instants in milliseconds) or \
         DOUBLE PRECISION.",
        if declared.is_empty() { "without a type".to_owned() } else { declared.to_uppercase() }
    ))
}

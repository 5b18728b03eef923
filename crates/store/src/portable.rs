//! Holds SQL to the dialect that SQLite and the PostgreSQL-wire databases (PostgreSQL, CockroachDB, YugabyteDB, Citus) share.
//!
//! It reads words and brackets, not grammar: it knows the pitfalls that were met, and says for each what to write instead.
//! Out of its reach: ORDER BY over a column that may be null (write NULLS FIRST or NULLS LAST), and division of integers.

mod lexer;
mod table;

use kit::error::{self, Result};
use lexer::Token::{self, Name, Parameter, Sign, Text, Word};
use std::cell::RefCell;
use std::collections::HashSet;

/// Statements that each thread remembers as accepted.
const REMEMBERED_MAX: usize = 4096;

thread_local! {
    static ACCEPTED: RefCell<HashSet<String>> = RefCell::default();
}

/// Holds a statement to the dialect in debug builds, so that tests find what the second driver would refuse.
pub(crate) fn hold(sql: &str) -> Result<()> {
    if !cfg!(debug_assertions) || ACCEPTED.with_borrow(|accepted| accepted.contains(sql)) {
        return Ok(());
    }
    check_portable(sql)
        .map_err(|why| error::INTERNAL.error(format!("A statement is not portable: {why} The statement: {sql}")))?;
    expect_append_only(sql).map_err(|why| error::INTERNAL.error(format!("{why} The statement: {sql}")))?;
    ACCEPTED.with_borrow_mut(|accepted| {
        if accepted.len() < REMEMBERED_MAX {
            accepted.insert(sql.to_owned());
        }
    });
    Ok(())
}

/// The record of changes is only added to: no program's statement alters or deletes what is recorded. Steps of the tables,
/// which rewrite it where its form changes, do not come by here.
fn expect_append_only(sql: &str) -> Result<(), String> {
    let tokens = lexer::tokens(sql)?;
    let plain: Vec<Token<'_>> = tokens
        .into_iter()
        .map(|token| match token {
            Token::Name(name) => Word(name.to_lowercase()),
            token => token,
        })
        .collect();
    let is_insert = (0..plain.len()).any(|at| reads(&plain, at, "into changes"));
    let alters = (0..plain.len()).any(|at| {
        ["update changes", "delete from changes", "table changes"].iter().any(|pattern| reads(&plain, at, pattern))
            || is_insert && reads(&plain, at, "do update")
    });
    if alters { Err("The record of changes is only added to.".into()) } else { Ok(()) }
}

/// Checks statements separated by `;`, each of which must be good by itself; what to write instead where one is not.
pub fn check_portable(sql: &str) -> Result<(), String> {
    let tokens = lexer::tokens(sql)?;
    tokens.split(|token| *token == Sign(';')).filter(|statement| !statement.is_empty()).try_for_each(check_statement)
}

fn check_statement(tokens: &[Token<'_>]) -> Result<(), String> {
    check_kind(tokens)?;
    for at in 0..tokens.len() {
        check_token(tokens, at)?;
    }
    match tokens {
        [Word(create), rest @ ..] if create == "create" => table::check_create(rest),
        [Word(alter), Word(table), rest @ ..] if alter == "alter" && table == "table" => table::check_alter(rest),
        _ => Ok(()),
    }
}

fn check_kind(tokens: &[Token<'_>]) -> Result<(), String> {
    let Word(first) = &tokens[0] else { return Err("A statement begins with a word.".into()) };
    match first.as_str() {
        "select" | "with" | "insert" | "update" | "delete" | "create" | "alter" | "drop" => Ok(()),
        "begin" | "commit" | "end" | "rollback" | "savepoint" | "release" => {
            Err(format!("{}: the store begins and ends transactions.", first.to_uppercase()))
        }
        "replace" => Err("REPLACE: write INSERT .. ON CONFLICT (..) DO UPDATE.".into()),
        _ => Err(format!("{} is not a statement that every database takes.", first.to_uppercase())),
    }
}

/// What follows a position matches these words or signs, written with spaces between them.
fn reads(tokens: &[Token<'_>], at: usize, pattern: &str) -> bool {
    pattern.split(' ').enumerate().all(|(offset, part)| match tokens.get(at + offset) {
        Some(Word(word)) => word == part,
        Some(Sign(sign)) => part.len() == 1 && part.starts_with(*sign),
        _ => false,
    })
}

fn check_token(tokens: &[Token<'_>], at: usize) -> Result<(), String> {
    let word = match &tokens[at] {
        Sign('?') => return Err("`?`: number the parameters, $1, $2.".into()),
        Sign('`' | '[') => return Err("Names are quoted with \"double quotes\" or not at all.".into()),
        Sign('=') if reads(tokens, at, "= =") => return Err("`==`: write `=`.".into()),
        Word(word) => word.as_str(),
        _ => return Ok(()),
    };
    let called = reads(tokens, at + 1, "(");
    let instead = match word {
        "autoincrement" => "make ids in Rust (kit::ids)",
        "current_timestamp" | "current_date" | "current_time" => "pass instants as milliseconds from Rust",
        "datetime" | "strftime" | "julianday" | "unixepoch" if called => "pass instants as milliseconds from Rust",
        "rowid" | "_rowid_" => "name the key's columns; other databases have no rowid",
        "or" if ["insert or", "update or"].iter().any(|p| at > 0 && reads(tokens, at - 1, p)) => {
            "write INSERT .. ON CONFLICT (..) DO UPDATE or DO NOTHING"
        }
        "for" if reads(tokens, at, "for update") || reads(tokens, at, "for share") => {
            "there is one writer; elsewhere compare a version in the WHERE clause"
        }
        "glob" | "regexp" => "compare in Rust",
        "nocase" => "compare lower(..) with lower(..)",
        "ifnull" if called => "write coalesce(..)",
        "iif" if called => "write CASE WHEN .. THEN .. ELSE .. END",
        "group_concat" if called => "collect the rows in Rust",
        _ if called && word.starts_with("json_") => {
            "read JSON in Rust, or keep what is searched in a column of its own"
        }
        "is" if !["null", "not", "true", "false", "distinct"].iter().any(|next| reads(tokens, at + 1, next)) => {
            "write `=`, or IS NOT DISTINCT FROM where both may be null"
        }
        "not" if at > 0 && reads(tokens, at - 1, "is not") => {
            if ["null", "true", "false", "distinct"].iter().any(|next| reads(tokens, at + 1, next)) {
                return Ok(());
            }
            "write `<>`, or IS DISTINCT FROM where one may be null"
        }
        "sum" if called && !inside_cast(tokens, at) => {
            "write CAST(sum(..) AS BIGINT) or AS DOUBLE PRECISION; the sum's own type differs between databases"
        }
        "like" if !lowered(tokens, at) => "write lower(..) LIKE lower(..); databases differ in whether case counts",
        _ => return Ok(()),
    };
    Err(format!("{}: {instead}.", word.to_uppercase()))
}

/// Whether the position is inside the brackets of a CAST.
fn inside_cast(tokens: &[Token<'_>], at: usize) -> bool {
    let mut depth = 0;
    tokens[..at].iter().enumerate().rev().any(|(i, token)| match token {
        Sign(')') => {
            depth += 1;
            false
        }
        Sign('(') if depth > 0 => {
            depth -= 1;
            false
        }
        Sign('(') => i > 0 && reads(tokens, i - 1, "cast"),
        _ => false,
    })
}

/// Whether both sides of a LIKE ignore case: a call of lower, a parameter (lowered in Rust) or a literal without capitals.
fn lowered(tokens: &[Token<'_>], like: usize) -> bool {
    let right = match tokens.get(like + 1) {
        Some(Word(word)) => word == "lower",
        Some(Text(text)) => *text == text.to_lowercase(),
        Some(Parameter) => true,
        _ => false,
    };
    let left_end = if like > 0 && reads(tokens, like - 1, "not") { like - 1 } else { like };
    right && ends_with_lower_call(&tokens[..left_end])
}

fn ends_with_lower_call(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().rev() {
        match token {
            Sign(')') => depth += 1,
            Sign('(') if depth > 1 => depth -= 1,
            Sign('(') => return depth == 1 && i > 0 && reads(tokens, i - 1, "lower"),
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

/// A name, quoted or not.
fn name<'a>(token: Option<&'a Token<'_>>) -> Option<&'a str> {
    match token? {
        Word(word) => Some(word),
        Name(name) => Some(name),
        _ => None,
    }
}

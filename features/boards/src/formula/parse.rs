//! Parser of formulas: column titles in braces become IDs, and the text becomes a syntax tree.
//!
//! The syntax is that of spreadsheets, parsed by `formualizer-parse`. Unsupported features (ranges, sheets, arrays,
//! names) are rejected before that, so only a small part of its grammar can be reached.

use crate::cells::Column;
use formualizer_parse::{ASTNode, Parser, ParserLimits, TokenStream};
use std::collections::HashSet;

/// Characters of a formula.
pub const CHARS_MAX: usize = 1_000;
/// Bytes of one, as it is stored.
const BYTES_MAX: usize = CHARS_MAX * 8;
/// The item's name, as a formula refers to it.
pub(super) const NAME: &str = "name";
/// Name of the item's name in formulas, unless a column has this title.
const NAME_TITLE: &str = "Name";

/// Limits of the parser; a formula of 1,000 characters has about 300 nodes.
fn limits() -> ParserLimits {
    let limits = ParserLimits::default().with_source_bytes(BYTES_MAX + 1).with_tokens(2_000).with_ast_nodes(1_000);
    limits.with_pratt_frames(40).with_ast_height(80)
}

/// An error in a formula with its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    /// Where it begins, in bytes of the text that was given.
    pub(crate) at: usize,
    /// Length in bytes.
    pub(crate) length: usize,
    /// What is wrong, in a sentence.
    pub(crate) says: String,
}

impl Problem {
    pub(super) fn new(at: usize, length: usize, says: impl Into<String>) -> Problem {
        Problem { at, length, says: says.into() }
    }
}

pub(super) type Outcome<T> = Result<T, Problem>;

/// A piece of a formula: a column in braces, or the text between columns.
enum Piece<'a> {
    /// With its braces.
    Column(&'a str),
    /// A text in quotes, or a space.
    Other(&'a str),
    /// Anything else, one sign long.
    Sign(char),
}

/// Cuts a formula into pieces, each with where it begins.
fn pieces(text: &str) -> impl Iterator<Item = Outcome<(usize, Piece<'_>)>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let start = at;
        let sign = rest.chars().next()?;
        let open =
            |what| Some(Err(Problem::new(start, rest.len(), format!("The {what} that starts here isn't closed."))));
        let (length, piece) = match sign {
            '"' => match rest[1..].find('"') {
                Some(end) => (end + 2, Piece::Other(&rest[..end + 2])),
                None => {
                    at = text.len();
                    return open("text");
                }
            },
            '{' => match rest.find('}') {
                Some(end) => (end + 1, Piece::Column(&rest[..end + 1])),
                None => {
                    at = text.len();
                    return open("brace");
                }
            },
            _ => (sign.len_utf8(), Piece::Sign(sign)),
        };
        at += length;
        Some(Ok((start, piece)))
    })
}

/// A stored formula with IDs in braces, and the positions of its parts in the typed text.
pub(crate) struct Stored {
    pub(crate) text: String,
    /// Beginnings of pieces: in the stored text, in the typed one, and how long they are there.
    places: Vec<(usize, usize, usize)>,
}

impl Stored {
    /// The same problem with its position in the typed text.
    pub(super) fn typed(&self, problem: Problem) -> Problem {
        let typed = |stored: usize| match self.places.iter().rfind(|(begin, ..)| *begin <= stored) {
            Some((begin, typed, length)) => typed + (stored - begin).min(*length),
            None => stored,
        };
        let (at, end) = (typed(problem.at), typed(problem.at + problem.length));
        Problem { at, length: end.saturating_sub(at), ..problem }
    }
}

/// Converts a formula to its stored form. Braces hold a column's title, or its ID if the title isn't unique.
pub(super) fn stored(typed: &str, columns: &[Column]) -> Outcome<Stored> {
    let trimmed = typed.trim_start();
    let (body, mut skipped) = (trimmed.strip_prefix('=').unwrap_or(trimmed), typed.len() - trimmed.len());
    skipped += trimmed.len() - body.len();
    let body = body.trim_end();
    if body.chars().take(CHARS_MAX + 1).count() > CHARS_MAX {
        return Err(Problem::new(0, typed.len(), format!("A formula can have up to {CHARS_MAX} characters.")));
    }
    if body.trim_start().is_empty() {
        return Err(Problem::new(0, typed.len(), "The formula is empty."));
    }
    if let Some((at, sign)) = typed.char_indices().find(|(_, sign)| kit::text::is_steering(*sign)) {
        let says = format!("Remove the control character U+{:04X}.", u32::from(sign));
        return Err(Problem::new(at, sign.len_utf8(), says));
    }
    let mut stored = Stored { text: String::with_capacity(body.len()), places: Vec::new() };
    for piece in pieces(body) {
        let (at, piece) = piece.map_err(|p| Problem { at: p.at + skipped, ..p })?;
        let at = at + skipped;
        let begin = stored.text.len();
        let mut sign_bytes = [0; 4];
        let length = match piece {
            Piece::Column(braces) => {
                let id = id_of(&braces[1..braces.len() - 1], columns)
                    .map_err(|says| Problem::new(at, braces.len(), says))?;
                stored.text.push('{');
                stored.text.push_str(id);
                stored.text.push('}');
                braces.len()
            }
            Piece::Other(other) => {
                stored.text.push_str(other);
                other.len()
            }
            Piece::Sign(sign) => {
                stored.text.push_str(sign.encode_utf8(&mut sign_bytes));
                sign.len_utf8()
            }
        };
        stored.places.push((begin, at, length));
    }
    stored.places.push((stored.text.len(), skipped + body.len(), 0));
    Ok(stored)
}

fn id_of<'a>(written: &str, columns: &'a [Column]) -> Result<&'a str, String> {
    let written = written.trim();
    if let Some(column) = columns.iter().find(|column| column.id == written) {
        return Ok(&column.id);
    }
    if written == NAME {
        return Ok(NAME);
    }
    let exactly: Vec<&Column> = columns.iter().filter(|column| column.title.trim() == written).collect();
    let folded = written.to_lowercase();
    let alike = || columns.iter().filter(|column| column.title.trim().to_lowercase() == folded).collect();
    let found: Vec<&Column> = if exactly.is_empty() { alike() } else { exactly };
    match found.as_slice() {
        [column] => Ok(&column.id),
        [] if written.eq_ignore_ascii_case(NAME_TITLE) => Ok(NAME),
        [] if written.is_empty() => Err("Enter a column title between the braces.".to_owned()),
        [] => Err(format!("Column \"{written}\" not found.")),
        many => {
            let ids: Vec<String> = many.iter().map(|column| format!("{{{}}}", column.id)).collect();
            Err(format!(
                "{} columns are named \"{written}\". Enter the one you mean as {}.",
                many.len(),
                ids.join(" or ")
            ))
        }
    }
}

/// A stored formula with the titles that its columns have now, as people read it.
pub(super) fn shown(stored: &str, columns: &[Column]) -> String {
    let mut out = String::with_capacity(stored.len());
    for piece in pieces(stored).map_while(Result::ok) {
        match piece.1 {
            Piece::Column(braces) => {
                let id = &braces[1..braces.len() - 1];
                let title = columns.iter().find(|column| column.id == id).map(|column| column.title.trim());
                let title = if id == NAME { Some(NAME_TITLE) } else { title };
                // By its title only where that leads back to it.
                let back = title.filter(|title| !title.contains(['{', '}']) && id_of(title, columns) == Ok(id));
                out.push('{');
                out.push_str(back.unwrap_or(id));
                out.push('}');
            }
            Piece::Other(other) => out.push_str(other),
            Piece::Sign(sign) => out.push(sign),
        }
    }
    out
}

/// Ids of the columns that a stored formula refers to, each once.
pub(super) fn references(stored: &str) -> Vec<&str> {
    let mut ids = Vec::new();
    for piece in pieces(stored).map_while(Result::ok) {
        if let Piece::Column(braces) = piece.1 {
            let id = &braces[1..braces.len() - 1];
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    ids
}

/// The tree of a formula.
pub(super) struct Tree {
    pub(super) root: ASTNode,
    /// Where references to columns begin in the source.
    columns: HashSet<usize>,
}

impl Tree {
    /// The column that a name in the tree refers to, if it is a column.
    pub(super) fn column<'a>(&self, node: &ASTNode, name: &'a str) -> Option<&'a str> {
        let begin = node.source_token.as_ref()?.start;
        self.columns.contains(&begin).then(|| name.trim_matches('_'))
    }
}

/// Reads a stored formula.
pub(super) fn tree(stored: &str) -> Outcome<Tree> {
    // Behind the sign that formulas begin with for the parser; every other place is the same, moved by one.
    let mut source = String::with_capacity(stored.len() + 1);
    source.push('=');
    let mut columns = HashSet::new();
    for piece in pieces(stored) {
        let (at, piece) = piece?;
        match piece {
            Piece::Column(braces) => {
                columns.insert(source.len());
                let id = &braces[1..braces.len() - 1];
                if !id.bytes().all(|b| b.is_ascii_alphanumeric()) || id.is_empty() {
                    return Err(Problem::new(at, braces.len(), "This isn't a column."));
                }
                source.push('_');
                source.push_str(id);
                source.push('_');
            }
            Piece::Other(text) => source.push_str(text),
            Piece::Sign(' ' | '\t' | '\r' | '\n') => source.push(' '),
            // As wide as the sign is in bytes.
            Piece::Sign('\u{a0}') => source.push_str("  "),
            Piece::Sign(sign) if sign.is_ascii_alphanumeric() || "_.,()+-*/^&=<>%".contains(sign) => source.push(sign),
            Piece::Sign(sign) => {
                let says = match sign {
                    ';' => "Separate arguments with a comma.".to_owned(),
                    '\'' => "Put text in double quotes.".to_owned(),
                    '}' => "Unmatched closing brace.".to_owned(),
                    _ if sign.is_control() || sign.is_whitespace() => "Invisible character.".to_owned(),
                    _ => {
                        format!("“{sign}” isn't part of a formula. Put text in double quotes and columns in braces.")
                    }
                };
                return Err(Problem::new(at, sign.len_utf8(), says));
            }
        }
    }
    let here = |at: usize, end: usize, says: &str| {
        let at = at.saturating_sub(1).min(stored.len());
        Problem::new(at, end.saturating_sub(1).saturating_sub(at), says)
    };
    let whole = |says: &str| Problem::new(0, stored.len(), says);
    let too_large =
        |message: &str| message.contains("limit").then(|| whole("The formula is too long or nested too deeply."));
    let mut parser = match Parser::builder().limits(limits()).build(&source) {
        Ok(parser) => parser,
        Err(e) => {
            let says = if e.pos >= source.len() { "Unclosed parenthesis." } else { "Invalid syntax." };
            return Err(too_large(&e.message).unwrap_or_else(|| here(e.pos, e.pos + 1, says)));
        }
    };
    match parser.parse() {
        Ok(root) => Ok(Tree { root, columns }),
        Err(e) => Err(too_large(&e.message).unwrap_or_else(|| {
            // The parser counts tokens.
            let tokens = TokenStream::new(&source).map(|tokens| tokens.spans).unwrap_or_default();
            match e.position.and_then(|index| tokens.get(index)) {
                Some(token) => here(token.start, token.end, "Unexpected here."),
                None => here(source.len(), source.len(), "The formula is incomplete."),
            }
        })),
    }
}

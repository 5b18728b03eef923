//! SQL as words, names, literals and signs.

/// A piece of a statement; comments and spaces are left out.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'a> {
    /// A keyword, an unquoted name or a number, in small letters.
    Word(String),
    /// A name in double quotes.
    Name(&'a str),
    /// A literal in single quotes.
    Text(&'a str),
    /// `$1`
    Parameter,
    /// Anything else, one character at a time.
    Sign(char),
}

pub(super) fn tokens(sql: &str) -> Result<Vec<Token<'_>>, String> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").ok_or("A comment does not end.")? + 2,
            '\'' | '"' => {
                let inside = quoted(rest, c)?;
                tokens.push(if c == '"' { Token::Name(inside) } else { Token::Text(inside) });
                inside.len() + 2
            }
            '$' => {
                let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1);
                if digits == 0 {
                    return Err("`$`: a parameter is $ and its number, counted from 1.".into());
                }
                tokens.push(Token::Parameter);
                digits + 1
            }
            c if c.is_alphanumeric() || c == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..length].to_lowercase()));
                length
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push(Token::Sign(c));
                }
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Ok(tokens)
}

/// What stands between the quotes that `text` begins with; a doubled quote does not end it.
fn quoted(text: &str, quote: char) -> Result<&str, String> {
    let mut from = 1;
    while let Some(found) = text[from..].find(quote) {
        let end = from + found;
        if !text[end + 1..].starts_with(quote) {
            return Ok(&text[1..end]);
        }
        from = end + 2;
    }
    Err(format!("A quote ({quote}) does not end."))
}

//! Rules for texts from outside: for names and titles, for longer texts, and for cursors.

use crate::error::{Result, invalid};
use crate::fault;

/// For schemas: names have no control characters and not only spaces.
pub const NAME: &str = r"^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2060\ufeff][^\u0000-\u001f\u007f-\u009f]*$";

/// For schemas: longer texts have no control characters but line ends and tabs, and not only spaces.
pub const TEXT: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2060\ufeff][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";

/// For schemas: a cursor that is an identifier.
pub const CURSOR: &str = "^[0-9a-z-]{1,64}$";

/// A size as text: `512 MiB (536870912 bytes)`, or only the bytes if they aren't whole KiB.
pub fn size(bytes: usize) -> String {
    let mut units = [(30, "GiB"), (20, "MiB"), (10, "KiB")].into_iter();
    let whole = units.find(|(bits, _)| bytes > 0 && bytes.is_multiple_of(1 << bits));
    whole.map_or_else(|| format!("{bytes} bytes"), |(bits, unit)| format!("{} {unit} ({bytes} bytes)", bytes >> bits))
}

/// Rejects a name or title that is empty, too long, or has a control character.
pub fn expect_name(name: &str, chars_max: usize, pointer: &str) -> Result<()> {
    expect(name, chars_max, pointer, char::is_control)
}

/// Rejects a longer text that is empty, too long, or has a control character other than a line end or a tab.
pub fn expect_text(text: &str, chars_max: usize, pointer: &str) -> Result<()> {
    expect(text, chars_max, pointer, is_steering)
}

/// Whether it's a control character other than a line end or a tab.
pub fn is_steering(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// Whether it changes the writing direction, which could hide neighboring text.
pub fn is_turning(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text to show: a space in place of each character that steers a terminal or changes the writing direction. Line ends stay
/// where a text may have several lines.
pub fn plain(text: &str, has_lines: bool) -> String {
    let is_odd = |c: char| (c.is_control() && !(has_lines && c == '\n')) || is_turning(c);
    text.chars().map(|c| if is_odd(c) { ' ' } else { c }).collect()
}

/// The text with its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Whether it's invisible: a space, or a character without width.
pub fn is_unseen(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

fn expect(text: &str, chars_max: usize, pointer: &str, refused: impl Fn(char) -> bool) -> Result<()> {
    let name = pointer.rsplit('/').next().unwrap_or_default();
    if let Some((index, found)) = text.chars().take(chars_max + 1).enumerate().find(|(_, c)| refused(*c)) {
        let detail = format!(
            "Character {} of {name} is the control character U+{:04X}. Remove it.",
            index + 1,
            u32::from(found)
        );
        return Err(invalid(pointer, fault::CONTROL_CHARACTER, detail));
    }
    if text.chars().all(is_unseen) || text.chars().nth(chars_max).is_some() {
        return Err(invalid(
            pointer,
            fault::WRONG_LENGTH,
            match text.chars().count() {
                0 => format!("{name} is empty. Use 1 to {chars_max} characters."),
                count if count > chars_max => format!("{name} has {count} characters. Use 1 to {chars_max}."),
                _ => format!("{name} has only spaces. Use 1 to {chars_max} visible characters."),
            },
        ));
    }
    Ok(())
}

/// The error for an unknown cursor.
pub fn unknown_cursor() -> crate::Error {
    invalid("/cursor", fault::UNKNOWN_CURSOR, "Send the `nextCursor` of the previous page.")
}

/// Reads a cursor that is the ID of the previous page's last record. Rejects anything else.
pub fn id_cursor(cursor: Option<&str>) -> Result<Option<&str>> {
    let is_sign = |b: u8| b.is_ascii_digit() || b.is_ascii_lowercase() || b == b'-';
    match cursor {
        Some(id) if id.is_empty() || id.len() > 64 || !id.bytes().all(is_sign) => Err(unknown_cursor()),
        known => Ok(known),
    }
}

/// Reads a cursor that is a number, with as many digits as the schemas allow.
pub fn number_cursor(digits: &str) -> Result<i64> {
    let is_number = (1..=18).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let number = is_number.then(|| digits.parse().ok()).flatten();
    number.ok_or_else(unknown_cursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(outcome: Result<()>) -> &'static str {
        outcome.err().map_or("", |e| e.fields()[0].code.name())
    }

    #[test]
    fn sizes_are_said_in_the_largest_unit_that_is_whole() {
        for (bytes, said) in [
            (512 * 1024 * 1024, "512 MiB (536870912 bytes)"),
            (64 * 1024, "64 KiB (65536 bytes)"),
            (1 << 40, "1024 GiB (1099511627776 bytes)"),
            (1_000_000, "1000000 bytes"),
            (100, "100 bytes"),
            (0, "0 bytes"),
        ] {
            assert_eq!(size(bytes), said);
        }
    }

    #[test]
    fn a_name_takes_no_control_character_and_the_refusal_says_where_one_is() {
        for (name, expected) in [
            ("Plan", ""),
            ("Ünï 日本 🙂", ""),
            ("", "wrong-length"),
            (" \u{a0}", "wrong-length"),
            ("\u{200b}\u{feff}", "wrong-length"),
            ("12345678901", "wrong-length"),
            ("a\0b", "control-character"),
            ("a\u{1b}[2J", "control-character"),
            ("a\nb", "control-character"),
            ("a\u{7f}", "control-character"),
            ("a\u{9b}", "control-character"),
        ] {
            assert_eq!(code(expect_name(name, 10, "/name")), expected, "{name:?}");
        }
        let refused = expect_name("ab\u{1b}", 10, "/name").unwrap_err();
        assert_eq!(refused.fields()[0].pointer, "/name");
        assert_eq!(refused.detail(), refused.fields()[0].detail, "the reason is no secret of `errors`");
        assert_eq!(refused.fields()[0].detail, "Character 3 of name is the control character U+001B. Remove it.");
    }

    #[test]
    fn a_longer_text_takes_line_ends_and_tabs() {
        for (text, expected) in [("a\r\n\tb", ""), ("a\u{b}", "control-character"), ("\n", "wrong-length")] {
            assert_eq!(code(expect_text(text, 10, "/text")), expected, "{text:?}");
        }
    }

    #[test]
    fn a_cursor_is_an_identifier() {
        assert_eq!(id_cursor(None).unwrap(), None);
        assert_eq!(id_cursor(Some("38fy-1")).unwrap(), Some("38fy-1"));
        for odd in ["", "\0", "~", "A", "a b", "'", "é", &"a".repeat(65)] {
            assert_eq!(code(id_cursor(Some(odd)).map(drop)), "unknown-cursor", "{odd:?}");
        }
    }
}

//! Identifiers and secrets, made here and never by the database.

use std::borrow::Cow;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use uuid::{NoContext, Timestamp, Uuid};

/// A new UUIDv7. They sort by creation time.
pub fn new_id() -> String {
    v7(SystemTime::now()).to_string()
}

/// A clock that was never set can be before 1970, which a UUIDv7 can't express.
fn v7(now: SystemTime) -> Uuid {
    if now < UNIX_EPOCH { Uuid::new_v7(Timestamp::from_unix(NoContext, 0, 0)) } else { Uuid::now_v7() }
}

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Only the time and counter of a UUIDv7, as 18 letters and digits, for tables with very many rows. They sort by
/// creation time, also within a millisecond, and after all full UUIDs.
pub fn short_id() -> String {
    let uuid = v7(SystemTime::now()).as_u128();
    let (time, upper, lower) = (uuid >> 80, uuid >> 64 & 0xfff, uuid >> 32 & 0x3fff_ffff);
    letters(time << 42 | upper << 30 | lower, 18)
}

/// The number as `length` letters and digits of five bits each, which sort like numbers.
pub fn letters(number: u128, length: usize) -> String {
    (0..length).rev().map(|i| ALPHABET[(number >> (5 * i)) as usize & 31] as char).collect()
}

/// Whether all of the text is written in [`letters`].
pub fn is_letters(text: &str) -> bool {
    text.bytes().all(|letter| ALPHABET.contains(&letter))
}

/// 256 random bits in hexadecimal.
pub fn secret() -> String {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).expect("the operating system gives randomness");
    hex(&bytes)
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Prefixes of tokens: of the command line, owners, sessions, and members.
const TOKENS: [&str; 4] = ["ph_cli_", "ph_own_", "ph_ses_", "ph_mem_"];
/// Minimum characters after a prefix that count as a token or part of one.
const TOKEN_CHARS_MIN: usize = 8;

/// The file of the command-line token, in the data directory.
pub const COMMAND_LINE_FILE: &str = "cli-token";

/// The fix for a token file that others can read, for the server and the command line.
pub fn close_token_file(path: &Path) -> String {
    let replace = match path.file_name().is_some_and(|name| name == COMMAND_LINE_FILE) {
        true => "`pilothouse tokens rotate` while Pilothouse runs",
        false => "replace the token: revoke it and create another",
    };
    format!("Others may have read it. Run `chmod 600 {}`, then {replace}.", shell_word(path))
}

/// A path for a shell, in quotes if needed.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The text with everything that looks like a token replaced with `ph_…`.
pub fn without_tokens(text: &str) -> Cow<'_, str> {
    let mut found = token_in(text);
    if found.is_none() {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut rest) = (String::new(), text);
    while let Some((at, length)) = found {
        shown += &rest[..at];
        shown += "ph_…";
        rest = &rest[at + length..];
        found = token_in(rest);
    }
    Cow::Owned(shown + rest)
}

/// Where the first token begins, and its bytes.
fn token_in(text: &str) -> Option<(usize, usize)> {
    text.match_indices("ph_").find_map(|(at, _)| {
        let token = &text[at..];
        let begins = TOKENS.iter().find(|begins| token.starts_with(**begins))?;
        let is_part = |sign: &u8| sign.is_ascii_alphanumeric() || matches!(sign, b'-' | b'_');
        let more = token.as_bytes()[begins.len()..].iter().take_while(|sign| is_part(sign)).count();
        (more >= TOKEN_CHARS_MIN).then_some((at, begins.len() + more))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_whatever_the_clock_says() {
        let before = UNIX_EPOCH - std::time::Duration::from_secs(86_400);
        let ids = [v7(before), v7(before)];
        assert!(ids[0] != ids[1] && ids.iter().all(|id| id.get_version_num() == 7), "{ids:?}");
        assert!(v7(SystemTime::now()) > ids[0]);
    }

    #[test]
    fn a_token_is_not_shown_wherever_it_stands() {
        let token = format!("ph_cli_{}", secret());
        for (text, shown) in [
            (token.clone(), "ph_…"),
            (format!("\"{token}\", {token}."), "\"ph_…\", ph_…."),
            (format!("/changes/x{token}/é"), "/changes/xph_…/é"),
            (format!("ph_ses_s-1_{} ph_", secret()), "ph_… ph_"),
            ("a part: ph_own_0123abcd".into(), "a part: ph_…"),
            ("ph_ ph_cli_ ph_cli_TOKEN graph_ph_x".into(), "ph_ ph_cli_ ph_cli_TOKEN graph_ph_x"),
        ] {
            assert_eq!(without_tokens(&text), shown);
        }
    }

    #[test]
    fn short_ids_sort_by_the_time_they_were_made_and_behind_those_written_out() {
        let long = new_id();
        let ids: Vec<String> = (0..10_000).map(|_| short_id()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "each is greater than the one before");
        assert!(ids[0] > long && ids[0].len() == 18, "{} {long}", ids[0]);
        assert!(ids.iter().all(|id| is_letters(id)));
    }
}

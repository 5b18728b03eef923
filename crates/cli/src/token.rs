//! The token: where it is read from, and the proof that is asked of a program before it gets it.
//!
//! Invariant: a token is never printed, and never sent to a program that has not shown that it knows it.

use crate::code;
use crate::failure::Failure;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A bearer token; its text stays out of debug output.
#[derive(Clone, PartialEq)]
pub(crate) struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Longest token that is read, in bytes.
const TOKEN_BYTES_MAX: u64 = 512;

impl Token {
    /// A token in one line.
    pub(crate) fn from_text(text: &str) -> Option<Token> {
        let text = text.trim();
        let sound = !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        sound.then(|| Token(text.to_owned()))
    }

    /// Reads a token's file; one that others could have read or written is refused.
    pub(crate) fn from_file(path: &Path) -> Result<Token, Failure> {
        let refused = |why: String| {
            Failure::Here(code::TOKEN_FILE, format!("Couldn't use the token file {}: {why}", path.display()))
        };
        let file = open(path).map_err(refused)?;
        let mut text = String::new();
        let read = file.take(TOKEN_BYTES_MAX).read_to_string(&mut text);
        read.map_err(|e| refused(format!("can't read it: {e}.")))?;
        Token::from_text(&text).ok_or_else(|| refused("it doesn't have one token in one line.".into()))
    }

    /// As the `Authorization` header has it.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// What the program is asked about this token beside the challenge. It has the command-line token itself; of any other
    /// it keeps the SHA-256 only, which the SHA-256 of that names without telling it.
    pub(crate) fn challenge_query(&self) -> String {
        if self.is_command_lines() { String::new() } else { format!("&of={}", hex(&Sha256::digest(self.hash()))) }
    }

    /// Whether the answer of `GET /health` shows that this token is known: the hexadecimal HMAC-SHA256 of `CHALLENGE|HOST`
    /// under the command-line token, or under the hash of another one, compared in constant time.
    /// The host is in it so that a program on another port cannot pass the challenge on to the real one.
    pub(crate) fn is_proved_by(&self, health: &Value, challenge: &str, host_port: &str) -> bool {
        let (member, key) =
            if self.is_command_lines() { ("proof", self.0.as_bytes().to_vec()) } else { ("tokenProof", self.hash()) };
        let Some(proof) = health[member].as_str().and_then(bytes_of_hex) else { return false };
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC takes keys of any length");
        mac.update(format!("{challenge}|{host_port}").as_bytes());
        mac.verify_slice(&proof).is_ok()
    }

    fn is_command_lines(&self) -> bool {
        self.0.starts_with("ph_cli_")
    }

    fn hash(&self) -> Vec<u8> {
        Sha256::digest(self.0.as_bytes()).to_vec()
    }
}

#[cfg(unix)]
fn open(path: &Path) -> Result<File, String> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    let here = path.display();
    // The checks are on the opened file, so that it cannot be exchanged between them and the reading; a pipe in its
    // place must not hold the program up.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let opened = std::fs::OpenOptions::new().read(true).custom_flags(flags as i32).open(path);
    let file = opened.map_err(|e| match e.raw_os_error() {
        Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => {
            "it is a symbolic link. Name its target with --token-file.".into()
        }
        _ if e.kind() == std::io::ErrorKind::NotFound => {
            "it doesn't exist. Start Pilothouse, or name another file with --data-dir or --token-file.".to_owned()
        }
        _ => format!("can't open it: {e}."),
    })?;
    let facts = file.metadata().map_err(|e| format!("can't examine it: {e}."))?;
    if !facts.is_file() {
        return Err("it isn't a regular file.".into());
    }
    if facts.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!("it belongs to another user (id {}). Run: chown $(id -u) {here}", facts.uid()));
    }
    let mode = facts.mode() & 0o7777;
    if mode != 0o600 {
        return Err(format!("its mode is {mode:04o}, but must be 0600. {}", kit::ids::close_token_file(path)));
    }
    Ok(file)
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<File, String> {
    let facts = std::fs::symlink_metadata(path).map_err(|e| format!("can't examine it: {e}."))?;
    if !facts.is_file() {
        return Err("it isn't a regular file.".into());
    }
    File::open(path).map_err(|e| format!("can't open it: {e}."))
}

/// 32 random bytes in hexadecimal.
pub(crate) fn new_challenge() -> Result<String, Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|e| Failure::Here(code::NO_RANDOMNESS, format!("The system has no random numbers: {e}.")))?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).ok()).collect()
}

//! Names of apps: labels of host names.

use crate::errors::NOT_A_HOST_NAME;
use kit::{Result, invalid};

/// Maximum characters of a label (RFC 1035).
const LABEL_MAX: usize = 63;
/// The label of a branch without a usable character.
const NO_LABEL: &str = "worktree";

/// Whether the text is a label in lower case.
fn is_label(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=LABEL_MAX).contains(&text.len())
        && text.bytes().all(is_inner)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// Rejects a name that can't be part of a host name, and proposes one that can.
pub(crate) fn expect(name: &str) -> Result<()> {
    if is_label(name) {
        return Ok(());
    }
    let proposal = match label_of(name) {
        label if label == NO_LABEL => String::new(),
        label => format!(", such as {label}"),
    };
    let rule = "Use 1 to 63 of a to z, 0 to 9, and hyphens, without a hyphen at the ends";
    Err(invalid("/name", NOT_A_HOST_NAME, format!("The name can't be part of a URL. {rule}{proposal}.")))
}

/// The label closest to a text.
pub(crate) fn label_of(text: &str) -> String {
    let mut label = String::new();
    for sign in text.chars().map(|sign| sign.to_ascii_lowercase()) {
        let is_plain = sign.is_ascii_lowercase() || sign.is_ascii_digit();
        match is_plain {
            true => label.push(sign),
            false if label.is_empty() || label.ends_with('-') => {}
            false => label.push('-'),
        }
        if label.len() == LABEL_MAX {
            break;
        }
    }
    let label = label.trim_end_matches('-');
    if label.is_empty() { NO_LABEL.to_owned() } else { label.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_labels_of_host_names() {
        let longest = "a".repeat(63);
        for name in ["a", "web", "web-2", "0", &longest] {
            assert!(expect(name).is_ok(), "{name}");
        }
        let too_long = "a".repeat(64);
        for name in ["", "-a", "a-", "Web", "my app", "a.b", "a_b", "ä", "a/b", &too_long] {
            let refusal = expect(name).unwrap_err();
            assert_eq!(refusal.code().name, "invalid-input", "{name}");
        }
    }

    #[test]
    fn any_text_has_a_label() {
        for (text, label) in [
            ("feature/Sign In", "feature-sign-in"),
            ("--x--", "x"),
            ("__", "worktree"),
            ("", "worktree"),
            ("ünder", "nder"),
        ] {
            assert_eq!(label_of(text), label);
        }
        let long = label_of(&format!("{}-b", "a".repeat(62)));
        assert!(is_label(&long), "{long}");
    }
}

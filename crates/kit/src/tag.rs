//! Entity tags as requests name them (RFC 9110, 8.8.3 and 13.1).

/// The tags of an `If-Match`, without quotes. Weak tags are left out, because they never match for changes. Unquoted
/// tags are accepted, as sent by callers other than HTTP clients.
pub fn strong(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            if rest.is_empty() {
                return None;
            }
            let is_weak = rest.starts_with("W/\"");
            let begins = if is_weak { &rest[2..] } else { rest };
            // Within quotes a comma is part of the tag.
            let (tag, after) = match begins.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => begins.split_once(',').unwrap_or((begins, "")),
            };
            rest = after;
            if !is_weak {
                return Some(tag.trim_end());
            }
        }
    })
}

/// Whether an `If-Match` is `*` or one of its tags fits.
pub fn matches(list: &str, fits: impl Fn(&str) -> bool) -> bool {
    list.trim() == "*" || strong(list).any(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tags_is_read_whatever_stands_in_them() {
        for (list, tags) in [
            ("\"7\"", vec!["7"]),
            ("7", vec!["7"]),
            ("\"6\", \"7-ab\"", vec!["6", "7-ab"]),
            (" ,\"6\" ,,\t\"7\",", vec!["6", "7"]),
            ("\"a,b\",\"\"", vec!["a,b", ""]),
            ("W/\"7\", \"8\", W/\"9\"", vec!["8"]),
            ("6 , 7", vec!["6", "7"]),
            ("\"open, 7", vec!["open, 7"]),
            ("", vec![]),
            (", ,", vec![]),
        ] {
            assert_eq!(strong(list).collect::<Vec<_>>(), tags, "{list}");
        }
    }
}

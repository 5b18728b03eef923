//! Searches of names: each word of a query must occur in the name, in upper or lower case.

use crate::error::{Result, invalid};
use crate::fault;

/// Maximum characters of a query.
pub const QUERY_CHARS_MAX: usize = 200;

/// The words of a query.
#[derive(Debug, Clone)]
pub struct Words(Vec<String>);

/// How well a name matches, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It begins with the query's first word.
    Start,
    /// One of its words begins with it.
    WordStart,
    /// It occurs elsewhere.
    Inside,
}

impl Words {
    /// Reads a query. Rejects one without words, or that is too long.
    pub fn expect(query: &str, pointer: &str) -> Result<Words> {
        if query.chars().nth(QUERY_CHARS_MAX).is_some() {
            return Err(invalid(
                pointer,
                fault::TOO_LONG,
                format!("At most {QUERY_CHARS_MAX} characters are allowed."),
            ));
        }
        let words: Vec<String> = query.split_whitespace().map(folded).collect();
        if words.is_empty() {
            return Err(invalid(pointer, fault::WRONG_LENGTH, "Enter at least one visible character."));
        }
        Ok(Words(words))
    }

    /// How a name matches, if each word occurs in it.
    pub fn matching(&self, name: &str) -> Option<Match> {
        self.matching_folded(&folded(name))
    }

    /// The same, for a name that is [`folded`].
    pub fn matching_folded(&self, name: &str) -> Option<Match> {
        self.matching_at(name, name.find(self.first())?)
    }

    /// The same, where the first word's position in the name is known.
    pub fn matching_at(&self, name: &str, at: usize) -> Option<Match> {
        if !self.0[1..].iter().all(|word| name.contains(word.as_str())) {
            return None;
        }
        Some(match name[..at].chars().next_back() {
            None => Match::Start,
            Some(before) if !before.is_alphanumeric() => Match::WordStart,
            Some(_) => Match::Inside,
        })
    }

    /// The first word, in lower case.
    pub fn first(&self) -> &str {
        &self.0[0]
    }

    /// The words, in lower case.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// A name in the form that is compared.
pub fn folded(name: &str) -> String {
    name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_must_occur_and_the_first_decides_how_well_it_matches() {
        let words = Words::expect(" Sail  mend", "/q").unwrap();
        assert_eq!(words.matching("Sails to MEND"), Some(Match::Start));
        assert_eq!(words.matching("Mend the sails"), Some(Match::WordStart));
        assert_eq!(words.matching("Mend the mainsail"), Some(Match::Inside));
        assert_eq!(words.matching("Mend the hull"), None);
        assert_eq!(Words::expect("ÄRGER", "/q").unwrap().matching("Großer Ärger"), Some(Match::WordStart));
    }

    #[test]
    fn a_query_has_a_word_and_a_limit() {
        for (query, code) in [("", "wrong-length"), (" \t", "wrong-length"), (&*"x".repeat(201), "too-long")] {
            assert_eq!(Words::expect(query, "/q").unwrap_err().fields()[0].code.name(), code);
        }
    }
}

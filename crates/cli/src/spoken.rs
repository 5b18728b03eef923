//! A refusal names places by the program's own names; here they become the options and arguments that were typed.

use crate::derive::{Entry, long_of};
use crate::members::Kind;
use crate::options::text;
use crate::text::clean;
use crate::transport::plain;
use clap::ArgMatches;
use serde_json::{Map, Value};

/// What the members of an input are called on the command line of its command.
#[derive(Debug, Default)]
pub(crate) struct Spoken {
    /// A member and its option or argument.
    words: Vec<(String, String)>,
    /// Of members that hold several, how many were given.
    counts: Vec<(String, usize)>,
    /// The identifiers that were given: what they are called, and what they were.
    ids: Vec<(String, String)>,
}

impl Spoken {
    pub(crate) fn of(entry: &Entry, input: &Map<String, Value>, matches: &ArgMatches) -> Self {
        let mut spoken = Spoken::default();
        let in_one_piece = text(matches, "input").is_some();
        // A secret is no argument, so no place is one of it.
        for member in crate::members::of(entry.op).into_iter().filter(|member| member.kind != Kind::Secret) {
            let name = member.name;
            let is_given = |place: &str| matches.try_contains_id(&format!("{place}:{name}")).unwrap_or(false);
            let is_derived = entry.sugar.is_none_or(|sugar| sugar.custom.is_none());
            let word = match (is_given("path") || is_derived && entry.is_positional(&name), is_given("in")) {
                (true, _) => name.to_uppercase(),
                (_, true) => format!("--{}", long_of(&name)),
                // What stands in the document of `--input` has the document's own name.
                _ if in_one_piece || !is_derived => continue,
                _ => format!("--{}", long_of(&name)),
            };
            spoken.counts.extend(input.get(&name).and_then(Value::as_array).map(|list| (name.clone(), list.len())));
            let is_id = entry.op.path_params().any(|param| param == name) || name == "id" || name.ends_with("Id");
            if let Some(value) = input.get(&name).filter(|value| is_id && value.is_string()) {
                spoken.ids.push((word.clone(), clean(&plain(value))));
            }
            spoken.words.push((name, word));
        }
        spoken
    }

    /// `/workspaceId` as `--workspace-id`, and what lies below it behind it.
    pub(crate) fn place(&self, pointer: &str) -> String {
        let inside = pointer.strip_prefix('/').unwrap_or(pointer);
        let (first, rest) = inside.split_at(inside.find('/').unwrap_or(inside.len()));
        let count = self.counts.iter().find(|(name, _)| name == first).map(|(_, count)| *count);
        let index = rest.strip_prefix('/').and_then(|index| index.parse::<usize>().ok());
        match self.words.iter().find(|(name, _)| name == first) {
            Some((_, word)) if rest.is_empty() || (count, index) == (Some(1), Some(0)) => word.clone(),
            Some((_, word)) if let (Some(count), Some(index)) = (count, index) => {
                format!("{word} ({} of {count})", index + 1)
            }
            Some((_, word)) => format!("{word} {rest}"),
            None => pointer.to_owned(),
        }
    }

    /// The sentence with the members' names replaced. A name that is a plain word is replaced only between backticks, because
    /// elsewhere it can be just a word.
    pub(crate) fn sentence(&self, sentence: &str) -> String {
        let is_quoted = |at: usize, part: &str| at % 2 == 1 && !part.contains(char::is_whitespace);
        let parts: Vec<&str> = sentence.split('`').collect();
        let is_closed = parts.len() % 2 == 1;
        let respell = |(at, part): (usize, &&str)| {
            let found = self.words.iter().find(|(name, _)| is_closed && is_quoted(at, part) && name == part);
            found.map_or_else(|| respelt(part, &self.words), |(_, word)| word.clone())
        };
        parts.iter().enumerate().map(respell).collect::<Vec<_>>().join("`")
    }

    /// The identifiers that were given and that the sentence does not name.
    pub(crate) fn ids(&self, sentence: &str) -> Option<String> {
        let unnamed = self.ids.iter().filter(|(_, id)| !sentence.contains(id));
        let given: Vec<String> = unnamed.map(|(word, id)| format!("{word} {id}")).collect();
        (!given.is_empty()).then(|| given.join(", "))
    }
}

/// The sentence with members' names replaced by their options: those that can be nothing else, since they are no plain
/// words.
pub(crate) fn respelt(sentence: &str, words: &[(String, String)]) -> String {
    let word_of = |word: &str| {
        let found = words.iter().find(|(name, _)| name == word && name.contains(char::is_uppercase));
        found.map_or(word, |(_, word)| word).to_owned()
    };
    let (mut told, mut word) = (String::new(), String::new());
    for c in sentence.chars() {
        if c.is_alphanumeric() || c == '_' || c == '-' {
            word.push(c);
        } else {
            told.push_str(&word_of(&std::mem::take(&mut word)));
            told.push(c);
        }
    }
    told + &word_of(&word)
}

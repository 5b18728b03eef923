//! A refusal names places by the program's own names; here they become the options and arguments that were typed.

use crate::text::kebab;

/// What the members of an input are called on the command line of its command.
#[derive(Debug, Default)]
pub(crate) struct ArgumentNames {
    /// A member and its option or argument.
    pub words: Vec<(String, String)>,
    /// Of members that hold several, how many were given.
    pub counts: Vec<(String, usize)>,
    /// The identifiers that were given: what they are called, and what they were.
    pub ids: Vec<(String, String)>,
    /// Operations and their commands.
    pub commands: Vec<(String, String)>,
}

impl ArgumentNames {
    /// The same with the commands of these operations in place of their names.
    pub(crate) fn with_commands(self, commands: Vec<(String, String)>) -> ArgumentNames {
        ArgumentNames { commands, ..self }
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
        let renamed = |(at, part): (usize, &&str)| {
            let found = self.words.iter().find(|(name, _)| is_closed && is_quoted(at, part) && name == part);
            found.map_or_else(|| with_argument_names(part, &self.words), |(_, word)| word.clone())
        };
        with_commands(&parts.iter().enumerate().map(renamed).collect::<Vec<_>>().join("`"), &self.commands)
    }

    /// The identifiers that were given and that the sentence does not name.
    pub(crate) fn ids(&self, sentence: &str) -> Option<String> {
        let unnamed = self.ids.iter().filter(|(_, id)| !sentence.contains(id));
        let given: Vec<String> = unnamed.map(|(word, id)| format!("{word} {id}")).collect();
        (!given.is_empty()).then(|| given.join(", "))
    }
}

/// Headers that a caller sends, and the options that send them.
pub(crate) const HEADERS: [(&str, &str); 2] =
    [("X-App-Source-Session-Id", "--source-session"), ("If-Match", "--if-match")];

/// The sentence with members' names replaced by their options: those that can be nothing else, since they are no plain
/// words. A name in double quotes is one within JSON and stays.
pub(crate) fn with_argument_names(sentence: &str, words: &[(String, String)]) -> String {
    let word_of = |word: &str| {
        if let Some((_, option)) = HEADERS.iter().find(|(header, _)| *header == word) {
            return (*option).to_owned();
        }
        let found = words.iter().find(|(name, _)| name == word && name.contains(char::is_uppercase));
        found.map_or(word, |(_, word)| word).to_owned()
    };
    let (mut renamed, mut word) = (String::new(), String::new());
    for c in sentence.chars() {
        if c.is_alphanumeric() || c == '_' || c == '-' {
            word.push(c);
        } else {
            let word = std::mem::take(&mut word);
            let is_quoted = c == '"' && renamed.ends_with('"');
            renamed.push_str(&if is_quoted { word } else { word_of(&word) });
            renamed.push(c);
        }
    }
    renamed + &word_of(&word)
}

/// The text with commands in place of operations, which stand between backticks by name or by method and path.
pub(crate) fn with_commands(text: &str, commands: &[(String, String)]) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let is_closed = parts.len() % 2 == 1;
    let renamed = parts.iter().enumerate().map(|(at, part)| {
        let is_quoted = is_closed && at % 2 == 1;
        let flag = part.strip_suffix(": true").filter(|name| is_quoted && name.chars().all(char::is_alphanumeric));
        if let Some(name) = flag {
            return format!("--{}", long_of(name));
        }
        let found = commands.iter().find(|(name, _)| is_quoted && name == part);
        found.map_or_else(|| (*part).to_owned(), |(_, command)| command.clone())
    });
    renamed.collect::<Vec<_>>().join("`")
}

/// Long options of every command of ours that a member's option must not shadow.
const RESERVED: [&str; 8] = ["input", "if-match", "offline", "content-type", "accept", "output", "help", "version"];

/// The option for a member, without its dashes.
pub(crate) fn long_of(member: &str) -> String {
    let long = kebab(member);
    if RESERVED.contains(&long.as_str()) { format!("field-{long}") } else { long }
}

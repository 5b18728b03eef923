//! The sensitive files that a command line names, as far as its text shows.
//!
//! Best effort, and cautious: quotes, escapes, `~`, `$HOME`, variables set in the same line, `cd`, globs, and braces
//! are followed, as are recursive commands over folders with sensitive places. Names built at run time (base64, a
//! downloaded script, a language's functions) can't be seen here; the operating system's sandbox covers them.

use super::path::{Normal, Platform};
use super::{Access, Sensitive, What};
use std::collections::BTreeMap;

/// A sensitive place that a command line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The text without quotes.
    pub path: String,
    /// Its description.
    pub what: What,
}

/// Maximum bytes that are read; a longer command line counts as sensitive.
const LONGEST: usize = 64 * 1024;
/// Maximum depth of commands within words of commands.
const NESTED: u32 = 3;
/// Maximum words that braces of one word expand to.
const BRACES: usize = 64;

/// Commands that write, move, or delete the files they name.
const WRITERS: &[&str] = &[
    "tee",
    "cp",
    "mv",
    "rm",
    "rmdir",
    "dd",
    "install",
    "ln",
    "truncate",
    "mkdir",
    "touch",
    "chmod",
    "chown",
    "chattr",
    "shred",
    "unlink",
    "del",
    "erase",
    "move",
    "copy",
    "xcopy",
    "robocopy",
    "Set-Content",
    "Add-Content",
    "Out-File",
    "Remove-Item",
    "Move-Item",
    "Copy-Item",
    "New-Item",
    "vi",
    "vim",
    "nano",
    "ed",
    "patch",
    "crontab",
];
/// Commands that always process folders recursively.
const RECURSIVE: &[&str] = &["tar", "zip", "7z", "rsync", "rclone", "scp", "rg", "ag", "robocopy"];
/// Commands that do so with one of these flags.
const RECURSIVE_FLAGS: &[&str] =
    &["-r", "-R", "-a", "--recursive", "-rf", "-fr", "-rn", "-Recurse", "--archive", "-exec", "-execdir", "-delete"];
/// Commands that run the command after them.
const CARRIERS: &[&str] =
    &["sudo", "doas", "env", "nohup", "time", "exec", "command", "xargs", "nice", "then", "do", "else"];
/// Commands that print the contents of key stores.
const KEY_TOOLS: &[&str] = &["security", "secret-tool", "kwallet-query", "keyctl", "cmdkey", "vaultcmd"];

impl Sensitive {
    /// The sensitive places that a command line names, run in this folder.
    pub fn command(&self, line: &str, cwd: &str) -> Vec<Mention> {
        let mut found = Vec::new();
        if line.len() > LONGEST {
            found.push(Mention { path: String::new(), what: "a command line that's too long to check" });
        }
        let end = (0..=line.len().min(LONGEST)).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
        let line = &line[..end];
        let mut reader = Reader { rules: self, cwd: cwd.to_owned(), variables: BTreeMap::new(), found, depth: 0 };
        reader.line(line, true);
        if self.paths.platform == Platform::W {
            // On this platform, a backslash separates folders in some shells and escapes in others, so both readings
            // count.
            reader.cwd = cwd.to_owned();
            reader.line(line, false);
        }
        reader.found
    }
}

/// The commands that a line runs, each as its words from the program's name on, without folders in it. Text in a
/// heredoc counts too.
pub(crate) fn commands(line: &str) -> Vec<Vec<String>> {
    let words = words(line.get(..LONGEST).unwrap_or(line), true);
    let of_command = |part: &[Word]| {
        let texts = part.iter().filter_map(|word| if let Word::Text(text) = word { Some(text.clone()) } else { None });
        let is_before = |text: &String| CARRIERS.contains(&&**text) || is_assignment(text) || text.starts_with('-');
        let mut texts: Vec<String> = texts.skip_while(is_before).collect();
        let name = texts.first_mut()?;
        *name = name.rsplit('/').next().unwrap_or(name).to_owned();
        Some(texts)
    };
    words.split(|word| *word == Word::End).filter_map(of_command).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Text(String),
    /// Whether the next word is written to.
    Into,
    /// Whether the command ends here.
    End,
}

/// The words of a line, without quotes and escapes. Substitutions are separate commands.
fn words(line: &str, escapes: bool) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut chars = line.chars().peekable();
    let flush = |word: &mut String, words: &mut Vec<Word>| {
        if !word.is_empty() {
            words.push(Word::Text(std::mem::take(word)));
        }
    };
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('$'), '\'') => quote = None,
            (Some('$'), '\\') => escaped(&mut chars, &mut word),
            (None, '$') if chars.peek() == Some(&'\'') => {
                chars.next();
                quote = Some('$');
            }
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') if escapes => word.extend(chars.next().filter(|next| *next != '\n')),
            (None | Some('"'), '`') | (None, ';' | '|' | '&' | '\n' | '(' | ')') => {
                flush(&mut word, &mut words);
                words.push(Word::End);
            }
            (Some('"'), '$') if chars.peek() == Some(&'(') => {
                flush(&mut word, &mut words);
                words.push(Word::End);
            }
            (None, '>') => {
                flush(&mut word, &mut words);
                words.push(Word::Into);
            }
            (None, '<') => flush(&mut word, &mut words),
            (None, c) if c.is_whitespace() => flush(&mut word, &mut words),
            (_, c) => word.push(c),
        }
    }
    flush(&mut word, &mut words);
    words
}

/// Decodes `\x2e`, `\056`, and `\u002e` within `$'..'`.
fn escaped(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, word: &mut String) {
    let Some(kind) = chars.next() else { return };
    let (radix, most, first) = match kind {
        'x' => (16, 2, None),
        'u' => (16, 4, None),
        '0'..='7' => (8, 3, kind.to_digit(8)),
        other => return word.push(other),
    };
    let (mut code, mut digits) = (first.unwrap_or(0), u32::from(first.is_some()));
    while digits < most
        && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
    {
        code = code * radix + digit;
        digits += 1;
        chars.next();
    }
    word.extend(char::from_u32(code));
}

struct Reader<'a> {
    rules: &'a Sensitive,
    cwd: String,
    variables: BTreeMap<String, String>,
    found: Vec<Mention>,
    depth: u32,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, escapes: bool) {
        let words = words(line, escapes);
        for part in words.split(|word| *word == Word::End) {
            self.command(part);
        }
    }

    fn command(&mut self, words: &[Word]) {
        let texts: Vec<&str> = words
            .iter()
            .filter_map(|word| if let Word::Text(text) = word { Some(text.as_str()) } else { None })
            .collect();
        let name = texts.iter().find(|text| !CARRIERS.contains(text) && !is_assignment(text) && !text.starts_with('-'));
        let name = name.map_or("", |name| name.rsplit('/').next().unwrap_or(name)).to_owned();
        let edits_in_place = matches!(name.as_str(), "sed" | "perl") && texts.iter().any(|text| text.starts_with("-i"));
        let writes = WRITERS.contains(&name.as_str()) || edits_in_place;
        let is_recursive = RECURSIVE.contains(&name.as_str())
            || (name != "rm" && texts.iter().any(|text| RECURSIVE_FLAGS.contains(text)));
        if KEY_TOOLS.contains(&name.as_str()) {
            self.found.push(Mention { path: name.clone(), what: "a key or password store" });
        }
        let mut into = false;
        for word in words {
            let text = match word {
                Word::Into => {
                    into = true;
                    continue;
                }
                Word::Text(text) => text,
                Word::End => continue,
            };
            // A script passed to another shell or language is parsed as its own line.
            if text.contains([' ', '(', ';']) && self.depth < NESTED {
                self.depth += 1;
                self.line(text, true);
                self.depth -= 1;
            }
            let access = if writes || std::mem::take(&mut into) { Access::Write } else { Access::Read };
            for text in braces(&self.with_variables(text)) {
                self.word(&text, access, is_recursive);
            }
            if let Some((variable, value)) = text.split_once('=').filter(|_| is_assignment(text)) {
                let value = self.with_variables(value);
                self.variables.insert(variable.to_owned(), value);
            }
        }
        if matches!(name.as_str(), "cd" | "pushd" | "Set-Location") {
            let target = texts.iter().skip_while(|text| **text != name).skip(1).find(|text| !text.starts_with('-'));
            let target = target.map_or(self.rules.paths.home.clone(), |target| self.with_variables(target));
            if let Some(folder) = Normal::parse(&target, &self.cwd, &self.rules.paths) {
                self.cwd = folder.written(&self.rules.paths);
            }
        }
    }

    /// A word and its parts that may be paths: after `=`, `:`, `@`, and `,`, as in `if=/etc/shadow`.
    fn word(&mut self, text: &str, access: Access, is_recursive: bool) {
        let parts = text.char_indices().filter(|(_, c)| matches!(c, '=' | ':' | '@' | ','));
        let starts = std::iter::once(0).chain(parts.map(|(at, c)| at + c.len_utf8()));
        for part in starts.map(|at| &text[at..]) {
            let part = part.split(',').next().unwrap_or(part);
            let what = Normal::parse(&self.globbed(part), &self.cwd, &self.rules.paths).and_then(|path| {
                self.rules.normal(&path, access).or_else(|| is_recursive.then(|| self.rules.holds(&path)).flatten())
            });
            if let Some(what) = what {
                let mention = Mention { path: part.to_owned(), what };
                if !self.found.contains(&mention) {
                    self.found.push(mention);
                }
                return;
            }
        }
    }

    /// Replaces `[..]` by one character, and an unknown variable by the home folder.
    fn globbed(&self, part: &str) -> String {
        let mut path = part.to_owned();
        while let Some((begin, end)) = path.find('[').and_then(|begin| Some((begin, begin + path[begin..].find(']')?)))
        {
            path.replace_range(begin..=end, "?");
        }
        let is_home = ["$HOME", "${HOME}", "$env:", "$USERPROFILE"].iter().any(|home| path.starts_with(home));
        match path.strip_prefix('$') {
            Some(rest) if !is_home => rest.find('/').map_or(path.clone(), |at| format!("~{}", &rest[at..])),
            _ => path,
        }
    }

    /// Replaces variables that the line set before; `$HOME` is left for the path.
    fn with_variables(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in self.variables.iter().rev() {
            text = text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
        }
        text
    }
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Expands `a{b,c}` to `ab` and `ac`.
fn braces(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        let group = text.find('{').filter(|at| !text[..*at].ends_with('$')).and_then(|begin| {
            let end = begin + text[begin..].find('}')?;
            text[begin..end].contains(',').then_some((begin, end))
        });
        match group {
            Some((begin, end)) if open.len() + done.len() < BRACES => {
                open.extend(
                    text[begin + 1..end].split(',').map(|one| format!("{}{one}{}", &text[..begin], &text[end + 1..])),
                );
            }
            _ => done.push(text),
        }
    }
    done
}

//! The text of a tasks.md: lines of Markdown in the form of the Obsidian plugin Tasks, and everything else, which stays as
//! it is. Pure.
//!
//! `- [ ] text ⏫ ⏳ 2026-01-01 📅 2026-01-02 09:00 🆔 ab12cd`, with subtasks indented below.

use crate::edit::ID_LETTERS;
use crate::input::TEXT_MAX;
use crate::task::{PRIORITY_DEFAULT, State};
use jiff::civil::{Date, Time};

/// Columns of a tab.
const TAB: usize = 4;
/// Follows some of the signs, and changes only how they look.
const VARIATION: char = '\u{fe0f}';
const DUE: char = '📅';
const SNOOZED: char = '⏳';
const DONE_ON: char = '✅';
const DROPPED_ON: char = '❌';
const ID: char = '🆔';
/// Signs of priorities; the last two mean less than normal.
const PRIORITIES: [(char, i64); 5] = [('🔺', 1), ('⏫', 2), ('🔼', 3), ('🔽', 4), ('⏬', 4)];
/// Signs that are kept as they are, with what follows them.
const KEPT: [char; 4] = ['➕', '🛫', '🔁', '⛔'];

/// What a task's line says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) text: String,
    pub(crate) state: State,
    pub(crate) due: String,
    pub(crate) snoozed_until: String,
    pub(crate) priority: i64,
}

/// A task's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskLine {
    /// The line as in the file, without its line ending.
    pub(crate) raw: String,
    /// Its spaces and tabs, its bullet, and the letter in its box.
    indent: String,
    bullet: String,
    mark: char,
    pub(crate) fields: Fields,
    /// Empty if it has none.
    pub(crate) id: String,
    /// Signs that mean nothing here, each with what follows it.
    kept: Vec<String>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    Task(TaskLine),
    Other(String),
}

/// A file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) lines: Vec<Line>,
    has_bom: bool,
    is_crlf: bool,
    lacks_last_end: bool,
}

/// A task of a file, with the task that it's below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed<'a> {
    pub(crate) line: &'a TaskLine,
    /// The number of its line.
    pub(crate) at: usize,
    /// The number of its parent's line.
    pub(crate) parent: Option<usize>,
    pub(crate) level: usize,
}

impl File {
    pub(crate) fn parse(text: &str) -> File {
        let has_bom = text.starts_with('\u{feff}');
        let text = text.trim_start_matches('\u{feff}');
        let is_crlf = text.contains("\r\n");
        let lines = text.lines().map(|line| match task(line) {
            Some(task) => Line::Task(task),
            None => Line::Other(line.to_owned()),
        });
        File { lines: lines.collect(), has_bom, is_crlf, lacks_last_end: !text.is_empty() && !text.ends_with('\n') }
    }

    pub(crate) fn print(&self) -> String {
        let end = if self.is_crlf { "\r\n" } else { "\n" };
        let mut text = String::from(if self.has_bom { "\u{feff}" } else { "" });
        for (at, line) in self.lines.iter().enumerate() {
            text.push_str(match line {
                Line::Task(task) => &task.raw,
                Line::Other(other) => other,
            });
            if at + 1 < self.lines.len() || !self.lacks_last_end {
                text.push_str(end);
            }
        }
        text
    }

    /// The same file with other lines.
    pub(crate) fn with(&self, lines: Vec<Line>) -> File {
        File { lines, ..self.clone() }
    }

    /// Whether a merge of git left its marks.
    pub(crate) fn has_conflict(&self) -> bool {
        let begins = |start: &str| {
            let is_one = |line: &Line| matches!(line, Line::Other(text) if text.starts_with(start));
            self.lines.iter().any(is_one)
        };
        begins("<<<<<<< ") && begins(">>>>>>> ")
    }

    /// Its tasks in order, each with its parent: the nearest line above that is less indented.
    pub(crate) fn tasks(&self) -> Vec<Placed<'_>> {
        let mut above: Vec<(usize, usize)> = Vec::new();
        let mut found = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let line = match line {
                Line::Task(line) => line,
                // A heading or a text at the margin ends an outline; blank lines and notes of a task don't.
                Line::Other(text) if text.starts_with('#') => {
                    above.clear();
                    continue;
                }
                Line::Other(_) => continue,
            };
            let columns = line.columns();
            above.retain(|(_, of)| *of < columns);
            found.push(Placed { line, at, parent: above.last().map(|(at, _)| *at), level: above.len() });
            above.push((at, columns));
        }
        found
    }

    /// What one level is indented by.
    pub(crate) fn unit(&self) -> String {
        let tasks = self.tasks();
        let nested = tasks.iter().filter(|task| task.level == 1).map(|task| &task.line.indent).next();
        nested.filter(|indent| !indent.is_empty()).cloned().unwrap_or_else(|| "  ".to_owned())
    }
}

impl TaskLine {
    fn columns(&self) -> usize {
        self.indent.chars().map(|c| if c == '\t' { TAB } else { 1 }).sum()
    }

    /// A new line.
    pub(crate) fn new(id: &str, fields: &Fields, finished_on: Option<Date>) -> TaskLine {
        let line = TaskLine {
            raw: String::new(),
            indent: String::new(),
            bullet: "- ".into(),
            mark: ' ',
            fields: fields.clone(),
            id: String::new(),
            kept: Vec::new(),
        };
        line.with(id, fields, finished_on)
    }

    /// The line with these values. One that says the same already stays as it is.
    pub(crate) fn with(mut self, id: &str, fields: &Fields, finished_on: Option<Date>) -> TaskLine {
        if !self.raw.is_empty() && self.id == id && self.fields == *fields {
            return self;
        }
        if self.fields.state != fields.state || self.raw.is_empty() {
            self.kept.retain(|sign| !sign.starts_with([DONE_ON, DROPPED_ON]));
            let sign = match fields.state {
                State::Open => None,
                State::Done => Some(DONE_ON),
                State::Dropped => Some(DROPPED_ON),
            };
            self.kept.extend(sign.zip(finished_on).map(|(sign, date)| format!("{sign} {date}")));
            self.mark = match fields.state {
                State::Open => ' ',
                State::Done => 'x',
                State::Dropped => '-',
            };
        }
        (self.id, self.fields) = (id.to_owned(), fields.clone());
        self.print();
        self
    }

    /// The line at another level.
    pub(crate) fn indented(mut self, indent: String) -> TaskLine {
        if self.indent != indent {
            let rest = self.raw.trim_start_matches([' ', '\t']).to_owned();
            self.raw = format!("{indent}{rest}");
            self.indent = indent;
        }
        self
    }

    fn print(&mut self) {
        let Fields { text, due, snoozed_until, priority, .. } = &self.fields;
        let mut raw = format!("{}{}[{}] {text}", self.indent, self.bullet, self.mark);
        let sign = PRIORITIES.iter().find(|(_, level)| level == priority && *level < PRIORITY_DEFAULT);
        let mut add = |part: String| {
            raw.push(' ');
            raw.push_str(&part);
        };
        sign.iter().for_each(|(sign, _)| add(sign.to_string()));
        self.kept.iter().for_each(|kept| add(kept.clone()));
        for (sign, day) in [(SNOOZED, snoozed_until), (DUE, due)] {
            if !day.is_empty() {
                add(format!("{sign} {}", day.replace('T', " ")));
            }
        }
        if !self.id.is_empty() {
            add(format!("{ID} {}", self.id));
        }
        self.raw = raw;
    }
}

/// Reads a task's line. One that no task can hold is none, so that it stays as it is.
fn task(raw: &str) -> Option<TaskLine> {
    let rest = raw.trim_start_matches([' ', '\t']);
    let indent = &raw[..raw.len() - rest.len()];
    let after = match rest.chars().next()? {
        '-' | '*' | '+' => &rest[1..],
        c if c.is_ascii_digit() => rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let boxed = after.trim_start_matches(' ');
    if boxed.len() == after.len() {
        return None;
    }
    let bullet = &rest[..rest.len() - boxed.len()];
    let mut chars = boxed.strip_prefix('[')?.chars();
    let mark = chars.next()?;
    let text = chars.as_str().strip_prefix(']')?;
    if !text.is_empty() && !text.starts_with([' ', '\t']) {
        return None;
    }
    let state = match mark {
        'x' | 'X' => State::Done,
        '-' => State::Dropped,
        _ => State::Open,
    };
    let Signs { text, due, snoozed_until, priority, id, kept } = signs(text.trim());
    let fits = !text.is_empty() && text.chars().count() <= TEXT_MAX && !text.chars().any(char::is_control);
    fits.then(|| TaskLine {
        raw: raw.to_owned(),
        indent: indent.to_owned(),
        bullet: bullet.to_owned(),
        mark,
        fields: Fields { text, state, due, snoozed_until, priority },
        id,
        kept,
    })
}

/// A text, and what its signs say.
struct Signs {
    text: String,
    due: String,
    snoozed_until: String,
    priority: i64,
    id: String,
    kept: Vec<String>,
}

fn signs(all: &str) -> Signs {
    let is_sign = |c: char| {
        [DUE, SNOOZED, DONE_ON, DROPPED_ON, ID].contains(&c)
            || KEPT.contains(&c)
            || PRIORITIES.iter().any(|(sign, _)| *sign == c)
    };
    let starts: Vec<usize> = all.char_indices().filter(|(_, c)| is_sign(*c)).map(|(at, _)| at).collect();
    let end = starts.first().copied().unwrap_or(all.len());
    let mut words = vec![all[..end].trim().to_owned()];
    let mut read = Signs {
        text: String::new(),
        due: String::new(),
        snoozed_until: String::new(),
        priority: PRIORITY_DEFAULT,
        id: String::new(),
        kept: Vec::new(),
    };
    for (nth, start) in starts.iter().enumerate() {
        let part = all[*start..starts.get(nth + 1).copied().unwrap_or(all.len())].trim();
        let sign = part.chars().next().unwrap_or_default();
        let value = part[sign.len_utf8()..].trim_start_matches(VARIATION).trim();
        if let Some((_, level)) = PRIORITIES.iter().find(|(one, _)| *one == sign) {
            read.priority = *level;
            words.push(value.to_owned());
        } else if sign == DUE || sign == SNOOZED {
            let place = if sign == DUE { &mut read.due } else { &mut read.snoozed_until };
            match day(value) {
                Some((day, rest)) => {
                    *place = day;
                    words.push(rest.to_owned());
                }
                // Not a day: the sign is part of the text.
                None => words.push(part.to_owned()),
            }
        } else if sign == ID {
            let (id, rest) = value.split_once(' ').unwrap_or((value, ""));
            if id.len() == ID_LETTERS && kit::ids::is_letters(id) {
                read.id = id.to_owned();
            } else {
                read.kept.push(format!("{ID} {id}"));
            }
            words.push(rest.to_owned());
        } else {
            read.kept.push(part.to_owned());
        }
    }
    let text = words.iter().filter(|word| !word.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ");
    read.text = written_due(text, &mut read.due);
    read
}

/// A day, with a time if one follows, and the words after them.
fn day(value: &str) -> Option<(String, &str)> {
    let (date, rest) = value.split_once([' ', 'T']).unwrap_or((value, ""));
    let date: Date = date.parse().ok()?;
    let rest = rest.trim_start();
    let (time, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_clock = time.len() == 5 && time.as_bytes()[2] == b':';
    match time.parse::<Time>() {
        Ok(time) if is_clock => Some((format!("{date}T{}", time.strftime("%H:%M")), after.trim())),
        _ => Some((date.to_string(), rest)),
    }
}

/// Takes `due:2026-01-02` and `[due:: 2026-01-02]` out of a text.
fn written_due(text: String, due: &mut String) -> String {
    for (start, end) in [("[due:: ", "]"), ("due:", "")] {
        let Some(at) = text.find(start) else { continue };
        let value = &text[at + start.len()..];
        let length = value.find([' ', ']']).unwrap_or(value.len());
        let Ok(date) = value[..length].parse::<Date>() else { continue };
        if !value[length..].starts_with(end) || !due.is_empty() {
            continue;
        }
        *due = date.to_string();
        let rest = &value[length + end.len()..];
        return format!("{} {}", text[..at].trim_end(), rest.trim_start()).trim().to_owned();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> TaskLine {
        match File::parse(text).lines.remove(0) {
            Line::Task(task) => task,
            Line::Other(other) => panic!("{other} isn't a task"),
        }
    }

    #[test]
    fn lines_of_other_tools_are_read() {
        for (line, text, due, snoozed, priority) in [
            ("- [ ] plain", "plain", "", "", 4),
            ("* [ ] star 📅 2026-01-02", "star", "2026-01-02", "", 4),
            ("1. [ ] number ⏫ 📅 2026-01-02 09:30", "number", "2026-01-02T09:30", "", 2),
            ("- [ ] snoozed ⏳ 2026-01-01 🔺", "snoozed", "", "2026-01-01", 1),
            ("- [ ] sign ⏳\u{fe0f} 2026-01-01 more words", "sign more words", "", "2026-01-01", 4),
            ("- [ ] words due:2026-01-02", "words", "2026-01-02", "", 4),
            ("- [ ] words [due:: 2026-01-02] more", "words more", "2026-01-02", "", 4),
            ("- [ ] Buy 📅 someday", "Buy 📅 someday", "", "", 4),
            ("- [ ] every week 🔁 every week 📅 2026-01-02", "every week", "2026-01-02", "", 4),
        ] {
            let task = one(line);
            let fields = &task.fields;
            assert_eq!(
                (&*fields.text, &*fields.due, &*fields.snoozed_until, fields.priority),
                (text, due, snoozed, priority),
                "{line}"
            );
            assert_eq!(task.raw, line);
        }
        let state = |line: &str| one(line).fields.state;
        assert_eq!(
            [state("- [x] a"), state("- [X] a"), state("- [-] a"), state("- [/] a")],
            [State::Done, State::Done, State::Dropped, State::Open]
        );
        assert_eq!(one("- [ ] a 🆔 ab12cd34ef").id, "ab12cd34ef");
        assert_eq!(one("- [ ] a 🆔 short").id, "", "another tool's");
    }

    #[test]
    fn what_is_no_task_stays_as_it_is() {
        for text in [
            "# Heading",
            "",
            "- plain item",
            "- [ ]",
            "- [] a",
            "-[ ] a",
            "- [ ]a",
            "text",
            "```",
            "- [ ] 📅 2026-01-02",
            "1 [ ] a",
        ] {
            assert_eq!(File::parse(text).tasks(), [], "{text}");
        }
        let long = format!("- [ ] {}", "x".repeat(TEXT_MAX + 1));
        assert_eq!(File::parse(&long).tasks(), []);
    }

    #[test]
    fn every_file_prints_as_it_was() {
        for text in [
            "",
            "\n",
            "- [ ] a",
            "\u{feff}# T\r\n\r\n- [ ] a 🆔 ab12cd34ef\r\n\t- [x] b\r\n",
            "- [ ] a\n\n  note\n- [ ] b\n",
            "<<<<<<< HEAD\n- [ ] a\n=======\n- [ ] b\n>>>>>>> other\n",
        ] {
            assert_eq!(File::parse(text).print(), text);
        }
        assert!(File::parse("<<<<<<< HEAD\n- [ ] a\n=======\n>>>>>>> other\n").has_conflict());
        assert!(!File::parse("- [ ] <<<<<<< a\n").has_conflict());
    }

    #[test]
    fn parents_are_less_indented_lines_above() {
        let file = File::parse("- [ ] a\n\t- [ ] b\n    - [ ] c\n        - [ ] d\n- [ ] e\n# H\n  - [ ] f\n");
        let parents: Vec<_> = file.tasks().iter().map(|task| (task.at, task.parent, task.level)).collect();
        assert_eq!(
            parents,
            [(0, None, 0), (1, Some(0), 1), (2, Some(0), 1), (3, Some(2), 2), (4, None, 0), (6, None, 0)]
        );
    }

    #[test]
    fn a_line_changes_only_where_it_must() {
        let line = one("* [ ] call  Anna 🔁 every week 📅 2026-01-02 🆔 ab12cd34ef");
        let fields = line.fields.clone();
        assert_eq!(line.clone().with("ab12cd34ef", &fields, None).raw, line.raw);
        let done = Fields { state: State::Done, priority: 1, ..fields };
        let today = "2026-01-03".parse().ok();
        let done = line.with("ab12cd34ef", &done, today);
        assert_eq!(done.raw, "* [x] call  Anna 🔺 🔁 every week ✅ 2026-01-03 📅 2026-01-02 🆔 ab12cd34ef");
        assert_eq!(one(&done.raw).fields, done.fields);
        let open = Fields { state: State::Open, ..done.fields.clone() };
        assert!(!done.with("ab12cd34ef", &open, None).raw.contains('✅'));
    }
}

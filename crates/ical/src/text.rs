//! Content lines and components, as they are written.

use std::fmt::Write;

/// Components within each other at most. Deeper ones are left out.
const DEPTH_MAX: usize = 8;
/// Lines of a text at most. What follows is left out.
const LINES_MAX: usize = 1_000_000;
/// Bytes of a written line.
const FOLD_BYTES: usize = 75;

/// A property as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its name, in upper case.
    pub name: String,
    /// Parameters: the name in upper case, and the text as written, with quotes.
    pub params: Vec<(String, String)>,
    /// Its value as written, escaped.
    pub value: String,
}

impl Line {
    /// A property without parameters.
    pub fn new(name: &str, value: impl Into<String>) -> Line {
        Line { name: name.to_owned(), params: Vec::new(), value: value.into() }
    }

    /// The same with one more parameter; quoted where it has to be.
    pub fn with(mut self, name: &str, value: &str) -> Line {
        let plain: String = value.chars().filter(|sign| *sign != '"' && !sign.is_control()).collect();
        let needs_quotes = plain.contains([':', ';', ',']);
        self.params.push((name.to_owned(), if needs_quotes { format!("\"{plain}\"") } else { plain }));
        self
    }

    /// A parameter's first value, without quotes.
    pub fn param(&self, name: &str) -> Option<String> {
        let (_, raw) = self.params.iter().find(|(key, _)| key == name)?;
        let text = match raw.strip_prefix('"') {
            Some(rest) => rest.split('"').next().unwrap_or_default(),
            None => raw.as_str(),
        };
        Some(text.replace("^n", "\n").replace("^'", "\"").replace("^^", "^").trim().to_owned())
    }

    /// The value as text.
    pub fn text(&self) -> String {
        unescape(&self.value)
    }

    fn parse(text: &str) -> Option<Line> {
        let name_end = text.find([';', ':'])?;
        let name = &text[..name_end];
        let is_name =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        if !is_name {
            return None;
        }
        // vCard's groups (`item1.SUMMARY`) don't matter here.
        let name = name.rsplit('.').next().unwrap_or(name).to_ascii_uppercase();
        let mut params = Vec::new();
        let mut rest = &text[name_end..];
        while let Some(after) = rest.strip_prefix(';') {
            let end = unquoted_end(after);
            let (key, value) = after[..end].split_once('=').unwrap_or((&after[..end], ""));
            params.push((key.trim().to_ascii_uppercase(), value.to_owned()));
            rest = &after[end..];
        }
        let value = rest.strip_prefix(':')?.to_owned();
        Some(Line { name, params, value })
    }

    fn write(&self, out: &mut String) {
        let mut text = self.name.clone();
        for (name, value) in &self.params {
            let _ = write!(text, ";{name}={value}");
        }
        text.push(':');
        text.push_str(&self.value);
        let mut left = text.as_str();
        let mut room = FOLD_BYTES;
        while left.len() > room {
            let mut end = left.floor_char_boundary(room);
            if end == 0 {
                end = left.ceil_char_boundary(1);
            }
            out.push_str(&left[..end]);
            out.push_str("\r\n ");
            left = &left[end..];
            room = FOLD_BYTES - 1;
        }
        out.push_str(left);
        out.push_str("\r\n");
    }
}

/// Where a parameter ends: at a semicolon or colon outside of quotes.
fn unquoted_end(text: &str) -> usize {
    let mut is_quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b';' | b':' if !is_quoted => return at,
            _ => {}
        }
    }
    // A quote that nobody closed: it's no quote.
    text.find([';', ':']).unwrap_or(text.len())
}

/// A component, such as `VEVENT`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Component {
    /// Its name, in upper case.
    pub name: String,
    /// Its properties, in order.
    pub lines: Vec<Line>,
    /// The components in it, in order.
    pub children: Vec<Component>,
}

impl Component {
    /// An empty one.
    pub fn new(name: &str) -> Component {
        Component { name: name.to_owned(), ..Component::default() }
    }

    /// Its first property of this name.
    pub fn line(&self, name: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// All properties of this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().filter(move |line| line.name == name)
    }

    /// The text of a property; empty without one.
    pub fn text(&self, name: &str) -> String {
        self.line(name).map(Line::text).unwrap_or_default()
    }

    /// The value of a property as written; empty without one.
    pub fn value(&self, name: &str) -> &str {
        self.line(name).map_or("", |line| line.value.trim())
    }

    /// Sets a property in the place of the first of its name; others of the name are removed.
    pub fn set(&mut self, line: Line) {
        let name = line.name.clone();
        match self.lines.iter().position(|one| one.name == name) {
            Some(at) => {
                self.lines[at] = line;
                let mut seen = 0;
                self.lines.retain(|one| {
                    seen += usize::from(one.name == name);
                    one.name != name || seen == 1
                });
            }
            None => self.lines.push(line),
        }
    }

    /// Sets a text; an empty one removes the property.
    pub fn set_text(&mut self, name: &str, text: &str) {
        if text.is_empty() {
            self.remove(name);
        } else {
            // Parameters such as the language or another form of the text belonged to the text before.
            self.set(Line::new(name, escape(text)));
        }
    }

    /// Removes all properties of this name.
    pub fn remove(&mut self, name: &str) {
        self.lines.retain(|line| line.name != name);
    }

    /// As iCalendar text.
    pub fn write(&self) -> String {
        let mut out = String::new();
        self.write_to(&mut out);
        out
    }

    fn write_to(&self, out: &mut String) {
        let _ = write!(out, "BEGIN:{}\r\n", self.name);
        self.lines.iter().for_each(|line| line.write(out));
        self.children.iter().for_each(|child| child.write_to(out));
        let _ = write!(out, "END:{}\r\n", self.name);
    }
}

/// Reads the components of a text, tolerantly: what can't be understood is left out.
pub fn parse(text: &str) -> Vec<Component> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::default();
    for line in unfolded(text) {
        reader.take(&line);
    }
    reader.end()
}

/// The whole lines of a text.
fn unfolded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for raw in text.split('\n').take(LINES_MAX) {
        let raw = raw.strip_suffix('\r').unwrap_or(raw);
        match (raw.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(more), Some(last)) => last.push_str(more),
            _ if raw.trim().is_empty() => {}
            _ => lines.push(raw.to_owned()),
        }
    }
    lines
}

#[derive(Default)]
struct Reader {
    open: Vec<Component>,
    done: Vec<Component>,
    /// Components that are too deep and open.
    skipped: usize,
}

impl Reader {
    fn take(&mut self, text: &str) {
        let Some(line) = Line::parse(text) else {
            // A line break that somebody forgot to escape.
            let last = self.open.last_mut().and_then(|open| open.lines.last_mut());
            if let Some(last) = last.filter(|_| self.skipped == 0) {
                last.value.push_str("\\n");
                last.value.push_str(text);
            }
            return;
        };
        match &*line.name {
            "BEGIN" if self.skipped > 0 || self.open.len() >= DEPTH_MAX => self.skipped += 1,
            "BEGIN" => self.open.push(Component::new(&line.value.trim().to_ascii_uppercase())),
            "END" if self.skipped > 0 => self.skipped -= 1,
            "END" => self.close(&line.value.trim().to_ascii_uppercase()),
            _ if self.skipped > 0 => {}
            _ => {
                if let Some(open) = self.open.last_mut() {
                    open.lines.push(line);
                }
            }
        }
    }

    /// Closes a component with those in it that weren't closed. An end of something that isn't open means nothing.
    fn close(&mut self, name: &str) {
        if self.open.iter().any(|open| open.name == name) {
            while let Some(last) = self.open.pop() {
                let is_it = last.name == name;
                self.put(last);
                if is_it {
                    return;
                }
            }
        }
    }

    fn put(&mut self, component: Component) {
        match self.open.last_mut() {
            Some(open) => open.children.push(component),
            None => self.done.push(component),
        }
    }

    fn end(mut self) -> Vec<Component> {
        while let Some(last) = self.open.pop() {
            self.put(last);
        }
        self.done
    }
}

/// A text as it's written in a value.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.replace("\r\n", "\n").chars() {
        match sign {
            '\\' => out.push_str("\\\\"),
            ';' => out.push_str("\\;"),
            ',' => out.push_str("\\,"),
            '\n' | '\r' => out.push_str("\\n"),
            sign if sign.is_control() && sign != '\t' => {}
            sign => out.push(sign),
        }
    }
    out
}

/// A value as text.
pub fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut signs = value.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => match signs.next() {
                Some('n' | 'N') => out.push('\n'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            sign => out.push(sign),
        }
    }
    out
}

//! Writes a transcript as Markdown or HTML, entry by entry.
//!
//! Invariant: text of agents and tools is never markup of the file. In HTML, all of it is escaped. In Markdown, the
//! agent's own text stays Markdown, but outside code, none of its tags stay tags.

use serde_json::Value;
use std::collections::HashMap;
use supervisor::final_message::after_marker;

/// The file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Markdown,
    Html,
}

/// Maximum bytes of a line that are buffered before they are written; text after them on the line opens no code block.
const LINE_BYTES: usize = 64 * 1024;
/// Maximum running tool calls whose partial output is buffered.
const USES_MAX: usize = 256;

/// Writes the entries of one transcript, in order.
pub(crate) struct Writer {
    form: Form,
    head: Option<(String, String)>,
    /// The speaker of the last entry, which the next piece may continue.
    voice: &'static str,
    /// The number of backticks that opened the current code block of the agent's text; 0 outside code.
    fence: usize,
    /// The agent's current line, which hasn't ended yet.
    line: String,
    /// Whether the start of that line is already written.
    is_mid: bool,
    /// Output of running tool calls so far.
    outputs: HashMap<String, String>,
}

impl Writer {
    pub(crate) fn new(form: Form, title: &str, created_at: &str) -> Writer {
        let head = Some((title.to_owned(), created_at.to_owned()));
        Writer { form, head, voice: "", fence: 0, line: String::new(), is_mid: false, outputs: HashMap::new() }
    }

    /// Writes one entry; entries without text for readers are skipped.
    pub(crate) fn entry(&mut self, out: &mut String, at: &str, body: &str) {
        self.begin(out);
        let Ok(body) = serde_json::from_str::<Value>(body) else { return };
        let told = &body["told"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match (body["entry"].as_str().unwrap_or_default(), told["event"].as_str().unwrap_or_default()) {
            ("prompt", _) => {
                self.turn_to(out, "You", at);
                for chunk in body["content"].as_array().into_iter().flatten() {
                    match chunk["text"].as_str() {
                        Some(said) => self.block(out, said),
                        None => self.note(out, &format!("[{}]", text(&chunk["type"]))),
                    }
                }
                self.voice = "";
            }
            (_, "said") => match told["chunk"]["text"].as_str() {
                Some(said) => {
                    self.turn_to(out, "Agent", at);
                    self.said(out, said);
                }
                None => self.note(out, &format!("[{}]", text(&told["chunk"]["type"]))),
            },
            (_, "thought") => {
                self.turn_to(out, "Thinking", at);
                self.said(out, &text(&told["chunk"]["text"]));
            }
            (_, "tool") => self.tool(out, told),
            (_, "permission") => {
                self.note(out, &format!("permission requested: {}", text(&told["request"]["tool"]["title"])))
            }
            (_, "asked") => self.note(out, &format!("question: {}", text(&told["question"]["message"]))),
            (_, "turnEnded") if !told["failure"].is_null() => {
                self.note(out, &format!("failed: {}", text(&told["detail"])));
            }
            ("state", _) => self.note(out, &text(&body["why"])),
            ("answer" | "hook", _) if body["rule"].is_string() => self.note(out, &text(&body["why"])),
            ("answer", _) => self.note(out, &format!("answer: {}", text(&body["verdict"]))),
            ("nudge", _) => self.note(out, &text(&body["text"])),
            ("note", _) => self.note(out, &text(&body["why"])),
            _ => {}
        }
    }

    /// A tool call is written when it ends; its output may have come in parts before.
    fn tool(&mut self, out: &mut String, told: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (tool, more) = (&told["tool"], told["more"].as_str());
        let (id, before) = (text(&tool["id"]), self.outputs.remove(tool["id"].as_str().unwrap_or_default()));
        let parts = more.map(|more| before.unwrap_or_default() + more);
        if !matches!(told["state"].as_str(), Some("completed" | "failed")) {
            if let Some(parts) = parts {
                if self.outputs.len() >= USES_MAX {
                    self.outputs.clear();
                }
                self.outputs.insert(id, parts);
            }
            return;
        }
        self.note(out, &format!("{}: {}", text(&told["state"]), text(&tool["title"])));
        let command = tool["command"].as_str().map(str::to_owned);
        let shown = told["output"].as_array().into_iter().flatten().filter_map(shown);
        for block in command.into_iter().chain(shown).chain(parts.filter(|parts| !parts.is_empty())) {
            self.block(out, &block);
        }
    }

    /// Writes the end of the file.
    pub(crate) fn end(&mut self, out: &mut String) {
        self.begin(out);
        self.leave(out);
        if self.form == Form::Html {
            out.push_str("</body></html>\n");
        }
    }

    fn begin(&mut self, out: &mut String) {
        let Some((title, at)) = self.head.take() else { return };
        match self.form {
            Form::Markdown => out.push_str(&format!("# {}\n\n{at}\n", plain(&title))),
            Form::Html => out.push_str(&format!(
                "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" \
                 content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>{0}</title><style>body{{max-width:60rem;\
                 margin:2rem auto;font:16px/1.5 sans-serif}}pre{{white-space:pre-wrap;overflow-wrap:anywhere}}</style></head>\
                 <body><h1>{0}</h1><p>{at}</p>\n",
                escaped(&title)
            )),
        }
    }

    /// Begins the text of another speaker.
    fn turn_to(&mut self, out: &mut String, voice: &'static str, at: &str) {
        if self.voice == voice {
            return;
        }
        self.leave(out);
        match self.form {
            Form::Markdown => out.push_str(&format!("\n## {voice} ({at})\n\n")),
            Form::Html => out.push_str(&format!("<h2>{voice} <small>{at}</small></h2>\n")),
        }
        self.voice = voice;
        if self.form == Form::Html && voice != "You" {
            out.push_str("<pre>");
        }
    }

    /// Ends the current speaker's text.
    fn leave(&mut self, out: &mut String) {
        let voice = std::mem::take(&mut self.voice);
        if !matches!(voice, "Agent" | "Thinking") {
            return;
        }
        let rest = std::mem::take(&mut self.line);
        self.line_of(out, &rest);
        self.is_mid = false;
        let fence = std::mem::take(&mut self.fence);
        match self.form {
            Form::Html => out.push_str("</pre>\n"),
            Form::Markdown if fence > 0 => out.push_str(&format!("\n{}\n", "`".repeat(fence))),
            Form::Markdown => out.push('\n'),
        }
    }

    /// A piece of the agent's text.
    fn said(&mut self, out: &mut String, text: &str) {
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece);
            let is_whole = piece.ends_with('\n');
            if is_whole || self.line.len() > LINE_BYTES {
                let line = std::mem::take(&mut self.line);
                self.line_of(out, &line);
                self.is_mid = !is_whole;
            }
        }
    }

    /// A complete line of the agent's Markdown, without the marker of its final answer. Only a fence at its very start counts, because no renderer treats more
    /// as code.
    fn line_of(&mut self, out: &mut String, line: &str) {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        let is_fence = ticks >= 3 && !self.is_mid && !line[ticks..].contains('`');
        match (self.fence, is_fence) {
            (0, true) => self.fence = ticks,
            (0, false) => {
                let marked = after_marker(line).filter(|_| !self.is_mid);
                let line = marked.map_or(line, str::trim_start);
                return match self.form {
                    Form::Markdown => out.push_str(&line.replace('<', "&lt;")),
                    Form::Html => out.push_str(&escaped(line)),
                };
            }
            (open, true) if ticks >= open => {
                self.fence = 0;
                return out.push_str(&format!("{}\n", "`".repeat(ticks)));
            }
            _ => {}
        }
        match self.form {
            Form::Markdown => out.push_str(line),
            Form::Html => out.push_str(&escaped(line)),
        }
    }

    /// Plain text.
    fn block(&mut self, out: &mut String, text: &str) {
        match self.form {
            Form::Html => out.push_str(&format!("<pre>{}</pre>\n", escaped(text))),
            Form::Markdown => {
                let longest = text.split(|sign| sign != '`').map(str::len).max().unwrap_or_default();
                let fence = "`".repeat(longest.max(2) + 1);
                out.push_str(&format!("\n{fence}text\n{text}\n{fence}\n"));
            }
        }
    }

    /// A note.
    fn note(&mut self, out: &mut String, text: &str) {
        if text.is_empty() {
            return;
        }
        self.leave(out);
        match self.form {
            Form::Markdown => out.push_str(&format!("\n> {}\n", plain(text))),
            Form::Html => out.push_str(&format!("<p><small>{}</small></p>\n", escaped(text))),
        }
    }
}

/// A tool's output as text.
fn shown(output: &Value) -> Option<String> {
    match output["type"].as_str()? {
        "content" => output["content"]["text"].as_str().map(str::to_owned),
        "diff" => {
            let lines = |value: &Value, sign: &str| -> String {
                value.as_str().unwrap_or_default().lines().map(|line| format!("{sign}{line}\n")).collect()
            };
            let path = output["path"].as_str().unwrap_or_default();
            Some(format!("{path}\n{}{}", lines(&output["oldText"], "-"), lines(&output["newText"], "+")))
        }
        _ => None,
    }
}

/// A line of Markdown without markup.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for sign in text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }) {
        if sign.is_ascii_punctuation() && !matches!(sign, '.' | ',' | ':' | ';' | '/' | '\'' | '"' | '?') {
            plain.push('\\');
        }
        plain.push(sign);
    }
    plain
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            sign => out.push(sign),
        }
    }
    out
}

//! A transcript for people: a line for each entry, with who wrote it and what it says.

use crate::render::{Style, line};
use crate::text::clean;
use serde_json::Value;

/// Lines of a tool's output that are shown.
const OUTPUT_LINES_MAX: usize = 20;

/// The answer of `sessions transcript`; none where it is another.
pub(crate) fn text(answer: &Value, style: Style) -> Option<String> {
    let entries = answer["entries"].as_array()?;
    let mut shown: Vec<Shown> = Vec::new();
    for entry in entries.iter().filter(|entry| !is_internal(entry)) {
        let next = Shown::new(entry);
        match shown.last_mut() {
            // Engines send a message in pieces.
            Some(last) if last.is_piece && next.is_piece && last.who == next.who => last.text += &next.text,
            _ => shown.push(next),
        }
    }
    let columns = shown.iter().map(|entry| entry.number.to_string().len()).max().unwrap_or(0);
    let mut text = String::new();
    for entry in &shown {
        let head = format!("{:columns$} {}: ", entry.number, entry.who);
        let indent = " ".repeat(columns + 1);
        let lines: Vec<&str> = entry.text.trim_end().lines().collect();
        text.push_str(&line(&head, &clean(lines.first().copied().unwrap_or_default()), style));
        for rest in lines.iter().skip(1).map(|rest| clean(rest)) {
            // Code stays indented.
            let (spaces, words) = rest.split_at(rest.len() - rest.trim_start().len());
            text.push_str(&line(&format!("{indent}{spaces}"), words, style));
        }
    }
    let number = |entry: Option<&Value>| entry.and_then(|entry| entry["number"].as_i64());
    if entries.is_empty() {
        text.push_str("No entries.\n");
    }
    if let Some(first) = number(entries.first()).filter(|first| *first > 1) {
        text.push_str(&format!("Earlier: --before {first}\n"));
    }
    if let Some(last) = number(entries.last()).filter(|last| answer["last"].as_i64() > Some(*last)) {
        text.push_str(&format!("More: --after {last}\n"));
    }
    Some(text)
}

/// An entry, or several pieces of one message.
struct Shown {
    number: i64,
    who: &'static str,
    text: String,
    /// The next entry may continue it.
    is_piece: bool,
}

impl Shown {
    fn new(entry: &Value) -> Shown {
        let (body, number) = (&entry["body"], entry["number"].as_i64().unwrap_or_default());
        let told = &body["told"];
        let (kind, event) = (word(&body["entry"]), word(&told["event"]));
        let is_piece = kind == "engine" && matches!(event, "said" | "thought");
        let (who, text) = match (kind, event) {
            ("prompt", _) => {
                let chunks = body["content"].as_array().into_iter().flatten().map(chunk);
                ("You", chunks.collect::<Vec<_>>().join("\n"))
            }
            ("engine", "said") => ("Agent", chunk(&told["chunk"])),
            ("engine", "thought") => ("Thinking", chunk(&told["chunk"])),
            ("engine", "tool") => ("Tool", tool(told)),
            ("engine", "permission") => {
                ("Agent", format!("permission requested: {}", word(&told["request"]["tool"]["title"])))
            }
            ("engine", "asked") => ("Agent", format!("question: {}", word(&told["question"]["message"]))),
            ("engine", "planned") => ("Plan", plan(&told["plan"])),
            ("engine", "titled") => ("Title", word(&told["title"]).to_owned()),
            ("engine", "turnEnded") if !told["failure"].is_null() => {
                ("Engine", format!("failed: {}", word(&told["detail"])))
            }
            ("engine", "exited") => ("Engine", "stopped".to_owned()),
            ("engine", event) => ("Engine", spaced(event)),
            ("answer", _) if body["said"].is_string() => ("Answer", word(&body["said"]).to_owned()),
            ("answer", _) => ("Answer", with_reason(body, "verdict")),
            ("hook", _) => ("Rule", with_reason(body, "verdict")),
            ("wall", _) => ("Sandbox", word(&body["why"]).to_owned()),
            ("nudge", _) => ("Pilothouse", word(&body["text"]).to_owned()),
            ("lost", _) => ("Pilothouse", format!("{} entries lost", body["count"])),
            ("state", _) => ("State", word(&body["why"]).to_owned()),
            (kind, _) => match word(&body["why"]) {
                "" => ("Pilothouse", spaced(kind)),
                why => ("Pilothouse", why.to_owned()),
            },
        };
        Shown { number, who, text, is_piece }
    }
}

/// Whether an entry only informs Pilothouse: the engine's commands, options, and usage.
fn is_internal(entry: &Value) -> bool {
    let event = word(&entry["body"]["told"]["event"]);
    matches!(event, "heard" | "choices" | "commands" | "login" | "spent" | "used" | "mode")
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// `turnEnded` as `turn ended`.
fn spaced(name: &str) -> String {
    crate::text::title(name).to_lowercase()
}

/// A part of a message; what is no text is named by its type.
fn chunk(chunk: &Value) -> String {
    chunk["text"].as_str().map_or_else(|| format!("[{}]", word(&chunk["type"])), str::to_owned)
}

/// A decision, and why where that is recorded.
fn with_reason(body: &Value, decision: &str) -> String {
    match (word(&body[decision]), word(&body["why"])) {
        (decision, "") => decision.to_owned(),
        ("", why) => why.to_owned(),
        (decision, why) => format!("{decision}: {why}"),
    }
}

/// A use of a tool, and the beginning of its output below it.
fn tool(told: &Value) -> String {
    let tool = &told["tool"];
    let title = [&tool["title"], &tool["name"], &tool["id"]].map(word).into_iter().find(|name| !name.is_empty());
    let mut text = title.unwrap_or("tool use").to_owned();
    let state = spaced(word(&told["state"]));
    if !state.is_empty() {
        text.push_str(&format!(" ({state})"));
    }
    let outputs = told["output"].as_array().into_iter().flatten();
    let blocks = outputs.filter_map(|output| match word(&output["type"]) {
        "content" => output["content"]["text"].as_str(),
        "diff" => output["path"].as_str(),
        _ => None,
    });
    let lines: Vec<&str> = blocks.chain(told["more"].as_str()).flat_map(str::lines).collect();
    for line in lines.iter().take(OUTPUT_LINES_MAX) {
        text.push_str(&format!("\n  {line}"));
    }
    if lines.len() > OUTPUT_LINES_MAX {
        text.push_str(&format!("\n  … {} more lines (--json shows all)", lines.len() - OUTPUT_LINES_MAX));
    }
    text
}

/// The steps of a plan, each with its state.
fn plan(plan: &Value) -> String {
    let step = |step: &Value| format!("{} ({})", word(&step["content"]), spaced(word(&step["status"])));
    plan.as_array().into_iter().flatten().map(step).collect::<Vec<_>>().join("; ")
}

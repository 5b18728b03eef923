//! Titles of settings, made from their keys.

use super::{Shape, Spec};

/// Words of keys that are written differently in titles.
const WRITTEN: &[(&str, &str)] = &[
    ("ai", "AI"),
    ("cli", "CLI"),
    ("cpu", "CPU"),
    ("cwd", "working folder"),
    ("dest", "destination"),
    ("dm", "DM"),
    ("ecore", "E-core"),
    ("filesync", "file sync"),
    ("gmail", "web mail"),
    ("html", "HTML"),
    ("id", "ID"),
    ("ids", "IDs"),
    ("io", "I/O"),
    ("mailclient", "mail client"),
    ("markdown", "Markdown"),
    ("mcp", "MCP"),
    ("nlp", "sentence"),
    ("pm", "project"),
    ("rss", "RSS"),
    ("sms", "SMS"),
    ("ui", "UI"),
    ("usd", "USD"),
    ("v2", "V2"),
    ("warmup", "warm-up"),
    ("webmail", "web mail"),
    ("wheres", "where's"),
];

/// Last words that only repeat the unit.
const UNITS: &[(&str, &str)] = &[("seconds", "s"), ("minutes", "min"), ("hours", "h"), ("usd", "USD")];

pub(super) fn from_spec(spec: &Spec) -> String {
    let mut words = words(spec.key);
    let last = words.last().map(|word| word.to_lowercase()).unwrap_or_default();
    let says_on = matches!(spec.shape, Shape::Toggle) && last == "enabled";
    if words.len() > 1 && (says_on || UNITS.contains(&(&*last, spec.unit))) {
        words.pop();
    }
    crate::text::capitalized(&words.iter().map(|word| written(word)).collect::<Vec<_>>().join(" "))
}

/// The words of a camel-case key, unchanged.
fn words(key: &str) -> Vec<String> {
    let chars: Vec<char> = key.chars().collect();
    let mut words: Vec<String> = Vec::new();
    for (i, c) in chars.iter().enumerate() {
        let starts = match i.checked_sub(1).map(|before| chars[before]) {
            None => true,
            Some(before) if c.is_uppercase() => {
                !before.is_uppercase() || chars.get(i + 1).is_some_and(|next| next.is_lowercase())
            }
            // A number is a word of its own, except in `V2`.
            Some(before) => c.is_ascii_digit() && before.is_lowercase(),
        };
        if starts {
            words.push(String::new());
        }
        words.last_mut().expect("the first character starts a word").push(*c);
    }
    words
}

fn written(word: &str) -> String {
    let lower = word.to_lowercase();
    match WRITTEN.iter().find(|(in_key, _)| *in_key == lower) {
        Some((_, written)) => (*written).to_owned(),
        None if word.chars().all(|c| c.is_uppercase()) => word.to_owned(),
        None => lower,
    }
}

//! Answers of sessions and publications in a few lines.

use crate::render::{Style, compact, line};
use crate::text::{clean, title};
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};

/// The answer of `sessions answer`.
pub(crate) fn answered(session: &Value, style: Style) -> Option<String> {
    let (name, state) = (session["title"].as_str()?, session["state"].as_str()?);
    let mut text = line("", &format!("Answered. {} is {}.", clean(name), title(&clean(state)).to_lowercase()), style);
    if let Some(id) = session["rule"]["id"].as_str() {
        text.push_str(&format!("Created the permission rule {}.\n", clean(id)));
    }
    Some(text)
}

/// The answer of `dashboards publication publish`.
pub(crate) fn published(publication: &Value, style: Style) -> Option<String> {
    publication["published"].as_bool()?;
    let mut text = match (publication["address"].as_str(), publication["problem"].as_str()) {
        (Some(address), _) => format!("Published at {}\n", clean(address)),
        (None, Some(problem)) => line("", &format!("Published, but it can't be opened: {}", clean(problem)), style),
        (None, None) => "Published.\n".to_owned(),
    };
    if let Some(end) = publication["expiresAt"].as_str() {
        text.push_str(&format!("Expires {}\n", clean(end)));
    }
    Some(text + &left_out(publication, style))
}

/// The answer of `dashboards publication preview`, without the page itself.
pub(crate) fn previewed(preview: &Value, style: Style) -> Option<String> {
    let widgets = preview["document"]["widgets"].as_array()?;
    let mut text = left_out(preview, style);
    let titles = widgets.iter().map(|widget| clean(widget["title"].as_str().unwrap_or_default()));
    let titles = titles.collect::<Vec<_>>().join(", ");
    let shown = if titles.is_empty() { "no widgets".to_owned() } else { titles };
    text.push_str(&line("Publishes: ", &shown, style));
    let holds = compact(&preview["holds"]);
    if !holds.is_empty() {
        text.push_str(&line("Data besides numbers: ", &holds, style));
    }
    if let Some(missing) = preview["boardsMissing"].as_u64().filter(|missing| *missing > 0) {
        text.push_str(&format!("Missing boards: {missing}\n"));
    }
    if let Some(digest) = preview["digest"].as_str() {
        text.push_str(&format!("Digest: {}\n", clean(digest)));
    }
    Some(text + "The page itself is in --json.\n")
}

/// Widgets that aren't published, each with the reason.
fn left_out(answer: &Value, style: Style) -> String {
    let why = |widget: &Value| match widget["why"].as_str().unwrap_or_default() {
        "shows-items" => "it shows items".to_owned(),
        "inert-rule" => "one of its rules has no effect".to_owned(),
        "no-result" => "it has no result".to_owned(),
        other => clean(other),
    };
    let widgets = answer["leftOut"].as_array().into_iter().flatten();
    let all: Vec<String> = widgets
        .map(|widget| format!("{} ({})", clean(widget["title"].as_str().unwrap_or_default()), why(widget)))
        .collect();
    if all.is_empty() { String::new() } else { line("Left out: ", &all.join(", "), style) }
}

/// Shows the submitted values of questions as their answers.
pub(crate) fn with_values(list: &mut Value) {
    for ask in list["items"].as_array_mut().into_iter().flatten() {
        if ask["kind"] != "question" || ask["answer"] != "allowed" {
            continue;
        }
        let said = ask["said"].as_str().and_then(|said| serde_json::from_str::<Value>(said).ok());
        let Some(Value::Object(values)) = said else { continue };
        ask["answer"] = match values.iter().next() {
            Some((_, only)) if values.len() == 1 => compact(only).into(),
            _ => compact(&Value::Object(values)).into(),
        };
    }
}

/// Says how long ago something began.
pub(crate) fn with_ages(list: &mut Value) {
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed());
    for one in list["items"].as_array_mut().into_iter().flatten() {
        if let Some(began_ms) = one["since"].as_str().and_then(kit::clock::instant_ms) {
            one["since"] = age(now_s - began_ms / 1000).into();
        }
    }
}

fn age(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{} s ago", seconds.max(0)),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PLAIN: Style = Style { width_columns: None, bold: false };

    #[test]
    fn an_age_is_in_its_largest_unit() {
        let ages = [-5, 59, 60, 3_599, 3_600, 86_399, 200_000].map(age);
        assert_eq!(ages, ["0 s ago", "59 s ago", "1 min ago", "59 min ago", "1 h ago", "23 h ago", "2 d ago"]);
        let mut list = json!({"items": [{"since": "2020-01-01T00:00:00.000Z"}, {"since": "then"}, {}]});
        with_ages(&mut list);
        assert!(list["items"][0]["since"].as_str().is_some_and(|age| age.ends_with(" d ago")), "{list}");
        assert_eq!(list["items"][1]["since"], "then");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let out = json!([{"title": "Items", "why": "shows-items"}, {"title": "Old", "why": "inert-rule"}]);
        let answer = json!({"published": true, "address": "http://h/a", "expiresAt": null, "leftOut": out});
        let left_out = "Left out: Items (it shows items), Old (one of its rules has no effect)\n";
        assert_eq!(published(&answer, PLAIN).unwrap(), format!("Published at http://h/a\n{left_out}"));
        let document = json!({"widgets": [{"title": "Count"}]});
        let preview =
            json!({"document": document, "digest": "d1", "holds": ["item-names"], "leftOut": out, "html": "<p>"});
        let lines = "Publishes: Count\nData besides numbers: item-names\nDigest: d1\nThe page itself is in --json.\n";
        assert_eq!(previewed(&preview, PLAIN).unwrap(), format!("{left_out}{lines}"));
    }

    #[test]
    fn a_question_shows_its_value() {
        let ask = |kind: &str, said: Value| json!({"kind": kind, "answer": "allowed", "said": said});
        let mut list = json!({"items": [
            ask("question", json!("{\"answer\":\"Blue\"}")),
            ask("question", json!("{\"color\":\"Blue\",\"count\":2}")),
            ask("permission", json!("{\"answer\":\"Blue\"}")),
            ask("question", Value::Null),
        ]});
        with_values(&mut list);
        let shown: Vec<&str> =
            list["items"].as_array().unwrap().iter().map(|ask| ask["answer"].as_str().unwrap()).collect();
        assert_eq!(shown, ["Blue", "color: Blue, count: 2", "allowed", "allowed"]);
    }

    #[test]
    fn an_answer_is_told_in_a_line() {
        let session = json!({"title": "Ask", "state": "awaitingInput", "rule": {"id": "r1"}});
        let text = answered(&session, PLAIN).unwrap();
        assert_eq!(text, "Answered. Ask is awaiting input.\nCreated the permission rule r1.\n");
    }
}

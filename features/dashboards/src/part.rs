//! Finds parts of a widget by their label or entry in `dashboards.show`.

use crate::faults::NO_SUCH_PART;
use kit::{Error, invalid};
use serde_json::{Map, Value, json};

/// Maximum parts in an error.
const SHOWN_MAX: usize = 20;

/// Lists of a result whose entries are parts: the list, the member of a part that names one, and whether it is named by its kind
/// as well as its key.
const LISTS: [(&str, &str, bool); 4] =
    [("categories", "x", true), ("series", "z", true), ("segments", "label", true), ("sprints", "sprint", false)];

/// A part of a result.
struct Shown {
    member: &'static str,
    label: String,
    key: Value,
    kind: Value,
    /// The engine's form.
    value: Value,
}

/// The parts of a widget's result.
pub(crate) struct Parts(Vec<Shown>);

impl Parts {
    pub(crate) fn of_result(result: &Value) -> Parts {
        let entries = LISTS.iter().flat_map(|(list, member, has_kind)| {
            result[*list].as_array().into_iter().flatten().map(move |entry| (*member, *has_kind, entry))
        });
        let shown = entries.filter(|(_, _, entry)| entry["key"].is_string()).map(|(member, has_kind, entry)| {
            let (key, kind) = (entry["key"].clone(), entry["kind"].clone());
            let value = if has_kind { json!({"key": key, "kind": kind}) } else { key.clone() };
            Shown { member, label: entry["label"].as_str().unwrap_or_default().to_owned(), key, kind, value }
        });
        Parts(shown.filter(|shown| !shown.label.is_empty()).collect())
    }

    /// The part in the engine's form: from a label, an entry of the result, or an object with either of them.
    pub(crate) fn read(&self, part: &Value) -> Result<Value, Error> {
        match part {
            Value::String(label) => match self.called(label, None)? {
                Some(shown) => Ok(json!({shown.member: shown.value})),
                // Any other text is a fixed part, such as `completed`, or unknown.
                None => Ok(json!({"which": label.trim().to_lowercase()})),
            },
            Value::Object(entry) if entry.contains_key("key") => {
                let found = self.0.iter().find(|shown| shown.is(entry));
                Ok(found.map_or_else(|| part.clone(), |shown| json!({shown.member: shown.value})))
            }
            Value::Object(members) => {
                let read = members.iter().map(|(name, value)| Ok((name.clone(), self.member(name, value)?)));
                read.collect::<Result<Map<_, _>, Error>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }

    fn member(&self, name: &str, value: &Value) -> Result<Value, Error> {
        let found = match value {
            Value::String(label) => self.called(label, Some(name))?,
            Value::Object(entry) => self.0.iter().find(|shown| shown.member == name && shown.is(entry)),
            _ => None,
        };
        Ok(found.map_or_else(|| value.clone(), |shown| shown.value.clone()))
    }

    /// The one with this label or key.
    fn called(&self, label: &str, member: Option<&str>) -> Result<Option<&Shown>, Error> {
        let all = || self.0.iter().filter(|shown| member.is_none_or(|member| shown.member == member));
        let is_like = |shown: &&Shown| shown.label.trim().to_lowercase() == label.trim().to_lowercase();
        let exact: Vec<&Shown> = all().filter(|shown| shown.label == label).collect();
        let found = if exact.is_empty() { all().filter(is_like).collect() } else { exact };
        match found[..] {
            [] => Ok(all().find(|shown| shown.key == label)),
            [one] => Ok(Some(one)),
            _ => {
                let parts: Vec<String> =
                    found.iter().take(SHOWN_MAX).map(|shown| json!({shown.member: shown.value}).to_string()).collect();
                let detail = format!("Several parts are named {label}. Use one of: {}.", parts.join(", "));
                Err(invalid("/part", NO_SUCH_PART, detail))
            }
        }
    }

    /// The error for an unknown part.
    pub(crate) fn no_such(&self, why: &str) -> Error {
        let labels: Vec<&str> = self.0.iter().take(SHOWN_MAX).map(|shown| shown.label.as_str()).collect();
        let more = if self.0.len() > SHOWN_MAX { ", and others" } else { "" };
        let there = if labels.is_empty() { String::new() } else { format!(" It shows: {}{more}.", labels.join(", ")) };
        invalid("/part", NO_SUCH_PART, format!("There are no items: {why}.{there}"))
    }
}

impl Shown {
    fn is(&self, entry: &Map<String, Value>) -> bool {
        entry.get("key") == Some(&self.key) && entry.get("kind").is_none_or(|kind| *kind == self.kind)
    }
}

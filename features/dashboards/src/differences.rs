//! What of a config a change is recorded with.
//!
//! A client saves by itself every few moments and sends the config whole. Recording the whole, old and new, with each save
//! would add up to 2 MiB to the log of changes for a tile that was moved by one column, and the log is never shortened. So
//! only the places that differ are recorded, and of those only as much as fits; what a dashboard is now stands in its own
//! row, and a deleted one lies in the trash.

use crate::config::Config;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Maximum bytes of JSON of one side of a recorded change.
const RECORD_BYTES_MAX: usize = 16 * 1024;
/// Maximum pointers listed if the values are too large.
const PLACES_MAX: usize = 50;
/// Maximum characters of a listed pointer.
const PLACE_CHARS_MAX: usize = 200;

/// The two sides to record: objects whose members are the places that differ, such as `/widgets/w7/layout/x`. A place that
/// one side does not have is no member of it. Where a side is too large, both are a marker instead:
/// `{"omitted": true, "bytes", "placeCount", "places"}`.
pub(crate) fn recorded(old: &Config, new: &Config) -> (Value, Value) {
    let mut found = Found::default();
    found.members(old, new, "");
    let Found { before, after, places } = found;
    let (before, after) = (Value::Object(before), Value::Object(after));
    let (before_bytes, after_bytes) = (before.to_string().len(), after.to_string().len());
    if before_bytes.max(after_bytes) <= RECORD_BYTES_MAX {
        return (before, after);
    }
    let named: Vec<String> =
        places.iter().take(PLACES_MAX).map(|place| place.chars().take(PLACE_CHARS_MAX).collect()).collect();
    let marker =
        |bytes: usize| json!({"omitted": true, "bytes": bytes, "placeCount": places.len(), "places": named.clone()});
    (marker(before_bytes), marker(after_bytes))
}

#[derive(Default)]
struct Found {
    before: Config,
    after: Config,
    places: Vec<String>,
}

impl Found {
    fn members(&mut self, old: &Config, new: &Config, place: &str) {
        for (name, value) in old {
            self.compare(Some(value), new.get(name), &below(place, name));
        }
        for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            self.compare(None, Some(value), &below(place, name));
        }
    }

    fn compare(&mut self, old: Option<&Value>, new: Option<&Value>, place: &str) {
        match (old, new) {
            (old, new) if old == new => {}
            (Some(Value::Object(old)), Some(Value::Object(new))) => self.members(old, new, place),
            (Some(Value::Array(old)), Some(Value::Array(new))) => match (by_id(old), by_id(new)) {
                (Some(old_ids), Some(new_ids)) => self.entries((old, &old_ids), (new, &new_ids), place),
                _ => self.add(Some(&json!(old)), Some(&json!(new)), place),
            },
            (old, new) => self.add(old, new, place),
        }
    }

    /// Lists such as that of the widgets: by the entries' ids, so that one that is put in front does not change every other.
    fn entries(&mut self, old: (&[Value], &Ids<'_>), new: (&[Value], &Ids<'_>), place: &str) {
        for entry in old.0 {
            let id = id_of(entry).unwrap_or_default();
            self.compare(Some(entry), new.1.get(id).copied(), &below(place, id));
        }
        for entry in new.0 {
            let id = id_of(entry).unwrap_or_default();
            if !old.1.contains_key(id) {
                self.compare(None, Some(entry), &below(place, id));
            }
        }
        let kept = |list: &[Value], other: &Ids<'_>| -> Vec<String> {
            list.iter().filter_map(id_of).filter(|id| other.contains_key(id)).map(str::to_owned).collect()
        };
        let (old_order, new_order) = (kept(old.0, new.1), kept(new.0, old.1));
        if old_order != new_order {
            let order = |list: &[Value]| Value::from_iter(list.iter().filter_map(id_of));
            self.add(Some(&order(old.0)), Some(&order(new.0)), &format!("{place}#order"));
        }
    }

    fn add(&mut self, old: Option<&Value>, new: Option<&Value>, place: &str) {
        for (side, value) in [(&mut self.before, old), (&mut self.after, new)] {
            if let Some(value) = value {
                side.insert(place.to_owned(), value.clone());
            }
        }
        self.places.push(place.to_owned());
    }
}

type Ids<'a> = HashMap<&'a str, &'a Value>;

fn id_of(entry: &Value) -> Option<&str> {
    entry.as_object().and_then(|entry: &Map<String, Value>| entry.get("id")).and_then(Value::as_str)
}

/// The entries by ID, if all IDs are unique.
fn by_id(list: &[Value]) -> Option<Ids<'_>> {
    let ids: Option<Ids<'_>> = list.iter().map(|entry| Some((id_of(entry)?, entry))).collect();
    ids.filter(|ids| ids.len() == list.len())
}

fn below(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(old: Value, new: Value) -> (Value, Value) {
        recorded(old.as_object().unwrap(), new.as_object().unwrap())
    }

    #[test]
    fn only_the_places_that_differ_are_recorded() {
        let tile = |id: &str, x: i64| json!({"id": id, "layout": {"x": x, "y": 0}, "text": "same"});
        let old =
            json!({"boardIds": ["b1"], "widgets": [tile("a", 0), tile("b/c", 4)], "gone": 1, "same": [1, {"k": 2}]});
        let new = json!({"boardIds": ["b1", "b2"], "widgets": [tile("new", 8), tile("a", 0), tile("b/c", 5)], "same": [1, {"k": 2}]});
        let (before, after) = differ(old, new);
        assert_eq!(before, json!({"/boardIds": ["b1"], "/gone": 1, "/widgets/b~1c/layout/x": 4}));
        let expected = json!({"/boardIds": ["b1", "b2"], "/widgets/b~1c/layout/x": 5, "/widgets/new": tile("new", 8)});
        assert_eq!(after, expected);
    }

    #[test]
    fn another_order_is_told_without_the_entries() {
        let old = json!({"widgets": [{"id": "a"}, {"id": "b"}, {"id": "c"}]});
        let new = json!({"widgets": [{"id": "c"}, {"id": "a"}, {"id": "b"}]});
        let (before, after) = differ(old, new);
        assert_eq!(before, json!({"/widgets#order": ["a", "b", "c"]}));
        assert_eq!(after, json!({"/widgets#order": ["c", "a", "b"]}));
    }

    #[test]
    fn lists_without_ids_of_their_own_are_recorded_whole() {
        let (before, after) = differ(json!({"widgets": [{"id": "a"}, {"id": "a"}]}), json!({"widgets": [{"id": "a"}]}));
        assert_eq!(before, json!({"/widgets": [{"id": "a"}, {"id": "a"}]}));
        assert_eq!(after, json!({"/widgets": [{"id": "a"}]}));
    }

    #[test]
    fn a_large_difference_is_a_marker() {
        let (before, after) = differ(json!({"note": "x"}), json!({"note": "y".repeat(RECORD_BYTES_MAX), "k": 1}));
        assert_eq!(before["omitted"], true);
        assert_eq!(after["placeCount"], 2);
        assert_eq!(after["places"], json!(["/note", "/k"]));
        assert!(after["bytes"].as_u64().unwrap() > RECORD_BYTES_MAX as u64);
        assert!(after.to_string().len() < 200);
    }
}

//! Merges a change into the current dashboard, by widget and member, as the page merges two windows. If both changed
//! the same member, the merged change wins, because whoever accepted it has read it.

use crate::config::Config;
use kit::text::is_turning;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

/// Maximum characters of quoted text in a sentence.
const QUOTED_CHARS_MAX: usize = 80;
/// Maximum sentences per change.
const SENTENCES_MAX: usize = 500;

/// The part of a dashboard that is changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Doc {
    pub(crate) name: String,
    pub(crate) config: Config,
}

/// `now` with the differences between `base` and `changed`.
pub(crate) fn laid_onto(now: &Doc, base: &Doc, changed: &Doc) -> Doc {
    let name = if changed.name == base.name { &now.name } else { &changed.name };
    let mut config = members(&now.config, &base.config, &changed.config, &["boardIds", "widgets"]);
    for (name, merge) in [("boardIds", ids as fn(&[Value], &[Value], &[Value]) -> Vec<Value>), ("widgets", widgets)] {
        let list = |of: &Doc| of.config.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let (now_list, base_list, changed_list) = (list(now), list(base), list(changed));
        if base_list != changed_list {
            config.insert(name.to_owned(), merge(&now_list, &base_list, &changed_list).into());
        } else if let Some(kept) = now.config.get(name) {
            config.insert(name.to_owned(), kept.clone());
        }
    }
    Doc { name: name.clone(), config }
}

/// Merges members of an object, except those that are merged separately.
fn members(now: &Config, base: &Config, changed: &Config, apart: &[&str]) -> Config {
    let mut merged: Map<String, Value> = now.clone();
    let names: BTreeSet<&String> = base.keys().chain(changed.keys()).collect();
    for name in names.into_iter().filter(|name| !apart.contains(&name.as_str())) {
        if base.get(name) == changed.get(name) {
            continue;
        }
        match changed.get(name) {
            Some(value) => drop(merged.insert(name.clone(), value.clone())),
            None => drop(merged.remove(name)),
        }
    }
    merged
}

/// Applies removals and additions. Additions are at the end, unless the change reorders.
fn ids(now: &[Value], base: &[Value], changed: &[Value]) -> Vec<Value> {
    let removed = |id: &Value| base.contains(id) && !changed.contains(id);
    let kept: Vec<Value> = now.iter().filter(|id| !removed(id)).cloned().collect();
    let added = changed.iter().filter(|id| !base.contains(id) && !kept.contains(id)).cloned();
    let mut merged: Vec<Value> = kept.iter().cloned().chain(added).collect();
    if is_reordered(base, changed) {
        // Entries that others added since then have no position in it and stay at the end.
        merged.sort_by_key(|id| changed.iter().position(|one| one == id).unwrap_or(usize::MAX));
    }
    merged
}

/// Whether a list was reordered, beyond removals and additions at the end.
fn is_reordered(base: &[Value], changed: &[Value]) -> bool {
    let kept = base.iter().filter(|id| changed.contains(id));
    let added = changed.iter().filter(|id| !base.contains(id));
    !kept.chain(added).eq(changed)
}

/// Widgets by their ids.
struct ById<'a>(HashMap<&'a str, &'a Value>);

impl<'a> ById<'a> {
    fn new(list: &'a [Value]) -> Self {
        ById(list.iter().filter_map(|one| Some((one["id"].as_str()?, one))).collect())
    }
    /// The widget with the same ID.
    fn same(&self, widget: &Value) -> Option<&'a Value> {
        self.0.get(widget["id"].as_str()?).copied()
    }
}

fn widgets(now: &[Value], base: &[Value], changed: &[Value]) -> Vec<Value> {
    let (there, from, to) = (ById::new(now), ById::new(base), ById::new(changed));
    let merged = now.iter().filter_map(|widget| match (from.same(widget), to.same(widget)) {
        (Some(_), None) => None,
        (old, Some(new)) if old != Some(new) => {
            let object = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
            Some(members(&object(Some(widget)), &object(old), &object(Some(new)), &[]).into())
        }
        _ => Some(widget.clone()),
    });
    // A widget that was removed since then is restored if the accepted change edits it.
    let is_added = |one: &&Value| there.same(one).is_none() && from.same(one) != Some(one);
    merged.chain(changed.iter().filter(is_added).cloned()).collect()
}

/// Describes the differences in sentences.
pub(crate) fn describe_changes(base: &Doc, changed: &Doc) -> Vec<String> {
    let mut sentences = Vec::new();
    if base.name != changed.name {
        sentences.push(format!("Renames the dashboard to {}.", quoted(&changed.name)));
    }
    let list = |of: &Doc, name: &str| of.config.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let (had, has) = (list(base, "widgets"), list(changed, "widgets"));
    let (from, to) = (ById::new(&had), ById::new(&has));
    for widget in &has {
        match from.same(widget) {
            None => sentences.push(format!("Adds {}.", called(widget))),
            Some(old) if old != widget => {
                let differs = |member: &str| old[member] != widget[member];
                if differs("title") {
                    sentences.push(match widget["title"].as_str().filter(|title| !title.is_empty()) {
                        Some(title) => format!("Renames {} to {}.", called(old), quoted(title)),
                        None => format!("Removes the title of {}.", called(old)),
                    });
                }
                let members = [("layout", "position"), ("settings", "settings"), ("kind", "kind")];
                let parts: Vec<&str> =
                    members.into_iter().filter(|(member, _)| differs(member)).map(|(_, word)| word).collect();
                match parts.is_empty() {
                    true if differs("title") => {}
                    true => sentences.push(format!("Changes {}.", called(old))),
                    false => sentences.push(format!("Changes the {} of {}.", parts.join(" and "), called(old))),
                }
            }
            Some(_) => {}
        }
    }
    for widget in had.iter().filter(|widget| to.same(widget).is_none()) {
        sentences.push(format!("Removes {}.", called(widget)));
    }
    let (had, has) = (list(base, "boardIds"), list(changed, "boardIds"));
    let count = |some: &[Value], others: &[Value]| some.iter().filter(|id| !others.contains(id)).count();
    for (verb, count) in [("Connects", count(&has, &had)), ("Disconnects", count(&had, &has))] {
        match count {
            0 => {}
            1 => sentences.push(format!("{verb} a board.")),
            count => sentences.push(format!("{verb} {count} boards.")),
        }
    }
    if is_reordered(&had, &has) {
        sentences.push("Changes the order of the boards.".to_owned());
    }
    let apart = ["widgets", "boardIds"];
    let names: BTreeSet<&String> = base.config.keys().chain(changed.config.keys()).collect();
    for name in names.into_iter().filter(|name| !apart.contains(&name.as_str())) {
        if base.config.get(name) != changed.config.get(name) {
            sentences.push(format!("Changes the {}.", quoted(name)));
        }
    }
    if sentences.len() > SENTENCES_MAX {
        let more = sentences.split_off(SENTENCES_MAX - 1).len();
        sentences.push(format!("And {more} more changes."));
    }
    sentences
}

/// Text within a sentence: short, and without characters that could hide others.
fn quoted(text: &str) -> String {
    let clean = |sign: char| if sign.is_control() || is_turning(sign) { '\u{fffd}' } else { sign };
    let mut short: String = text.chars().take(QUOTED_CHARS_MAX).map(clean).collect();
    if text.chars().nth(QUOTED_CHARS_MAX).is_some() {
        short.push('…');
    }
    short
}

/// A widget by its title, or by its kind.
fn called(widget: &Value) -> String {
    let kind = quoted(widget["kind"].as_str().unwrap_or("widget"));
    match widget["title"].as_str().filter(|title| !title.is_empty()) {
        Some(title) => format!("the widget {} ({kind})", quoted(title)),
        None => format!("a widget ({kind})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn doc(name: &str, config: Value) -> Doc {
        Doc { name: name.into(), config: config.as_object().unwrap().clone() }
    }

    fn tile(id: &str, x: i64, text: &str) -> Value {
        json!({"id": id, "kind": "chart", "title": id.to_uppercase(), "layout": {"x": x}, "settings": {"t": text}})
    }

    #[test]
    fn what_others_did_meanwhile_stays() {
        let base = doc(
            "Team",
            json!({"boardIds": ["b1", "b2"], "widgets": [tile("a", 0, "1"), tile("b", 4, "1")], "filters": {"v": 1}}),
        );
        let proposed = doc(
            "Team",
            json!({"boardIds": ["b2", "b3"], "widgets": [tile("a", 0, "2"), tile("n", 8, "1")], "filters": {"v": 1, "all": []}}),
        );
        let now = doc(
            "Crew",
            json!({"boardIds": ["b1", "b2", "b4"], "widgets": [tile("m", 9, "1"), tile("a", 5, "1"), tile("b", 4, "1")], "filters": {"v": 1}, "own": 1}),
        );
        let merged = laid_onto(&now, &base, &proposed);
        let expected = doc(
            "Crew",
            json!({"boardIds": ["b2", "b4", "b3"], "widgets": [tile("m", 9, "1"), tile("a", 5, "2"), tile("n", 8, "1")], "filters": {"v": 1, "all": []}, "own": 1}),
        );
        assert_eq!(merged, expected);
        assert_eq!(laid_onto(&merged, &base, &proposed), expected, "once more changes nothing");
        assert_eq!(laid_onto(&now, &base, &base), now);
    }

    #[test]
    fn where_both_changed_a_member_the_accepted_change_stands() {
        let base = doc("Team", json!({"widgets": [tile("a", 0, "1"), tile("b", 4, "1")]}));
        let proposed = doc("Board", json!({"widgets": [tile("a", 0, "2"), tile("b", 4, "2")]}));
        let now = doc("Crew", json!({"widgets": [tile("a", 1, "3")]}));
        assert_eq!(
            laid_onto(&now, &base, &proposed),
            doc("Board", json!({"widgets": [tile("a", 1, "2"), tile("b", 4, "2")]}))
        );
    }

    #[test]
    fn another_order_of_boards_is_taken_over_and_described() {
        let doc = |ids: &[&str]| doc("Team", json!({"boardIds": ids}));
        for (now, changed, expected, expected_text) in [
            (&["a", "b", "c"][..], &["c", "a", "b"][..], &["c", "a", "b"][..], "Changes the order of the boards."),
            (
                &["a", "b", "c", "d"],
                &["c", "b"],
                &["c", "b", "d"],
                "Disconnects a board. Changes the order of the boards.",
            ),
            (
                &["a", "b", "c"],
                &["n", "a", "b", "c"],
                &["n", "a", "b", "c"],
                "Connects a board. Changes the order of the boards.",
            ),
            (&["c", "b", "a"], &["a", "b", "c", "n"], &["c", "b", "a", "n"], "Connects a board."),
            (&["c", "b"], &["b", "a", "c"], &["b", "c"], "Changes the order of the boards."),
        ] {
            let base = doc(&["a", "b", "c"]);
            assert_eq!(laid_onto(&doc(now), &base, &doc(changed)), doc(expected), "{changed:?} onto {now:?}");
            assert_eq!(describe_changes(&base, &doc(changed)).join(" "), expected_text);
        }
    }

    #[test]
    fn what_an_agent_calls_things_does_not_hide_what_it_changes() {
        let base = doc("Team", json!({"widgets": []}));
        let widget = json!({"id": "n", "kind": "\u{2066}k\n", "title": format!("\u{202e}{}", "t".repeat(1_000_000))});
        let mut config = json!({"widgets": [widget]});
        for n in 0..2 * SENTENCES_MAX {
            config[format!("{n}")] = n.into();
        }
        let sentences = describe_changes(&base, &doc("\u{202e}maet", config));
        assert_eq!(sentences[0], "Renames the dashboard to \u{fffd}maet.");
        let title = format!("\u{fffd}{}…", "t".repeat(QUOTED_CHARS_MAX - 1));
        assert_eq!(sentences[1], format!("Adds the widget {title} (\u{fffd}k\u{fffd})."));
        assert_eq!((sentences.len(), &*sentences[SENTENCES_MAX - 1]), (SENTENCES_MAX, "And 503 more changes."));
    }

    #[test]
    fn changes_are_described_in_sentences() {
        let base = doc("Team", json!({"boardIds": ["b1"], "widgets": [tile("a", 0, "1"), tile("b", 4, "1")]}));
        let proposed = doc(
            "Crew",
            json!({"boardIds": ["b2", "b3"], "widgets": [tile("a", 1, "2"), {"id": "n", "kind": "numbers", "title": ""}], "filters": {}}),
        );
        assert_eq!(
            describe_changes(&base, &proposed),
            [
                "Renames the dashboard to Crew.",
                "Changes the position and settings of the widget A (chart).",
                "Adds a widget (numbers).",
                "Removes the widget B (chart).",
                "Connects 2 boards.",
                "Disconnects a board.",
                "Changes the filters.",
            ]
        );
        assert!(describe_changes(&base, &base).is_empty());
        let titled = |title: &str, x: i64| json!({"id": "a", "kind": "chart", "title": title, "layout": {"x": x}});
        let described = |from: Value, to: Value| {
            describe_changes(&doc("Team", json!({"widgets": [from]})), &doc("Team", json!({"widgets": [to]}))).join(" ")
        };
        assert_eq!(described(titled("A", 0), titled("Costs", 0)), "Renames the widget A (chart) to Costs.");
        assert_eq!(
            described(titled("", 0), titled("Costs", 1)),
            "Renames a widget (chart) to Costs. Changes the position of a widget (chart)."
        );
        assert_eq!(described(titled("A", 0), titled("", 0)), "Removes the title of the widget A (chart).");
        let mut other = titled("A", 0);
        other["own"] = json!(1);
        assert_eq!(described(titled("A", 0), other), "Changes the widget A (chart).");
    }
}

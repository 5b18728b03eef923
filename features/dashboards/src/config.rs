//! The few rules for the otherwise opaque config.

use crate::errors::CONFIG_TOO_LARGE;
use kit::Fault;
use kit::fault;
use kit::op::limits::LARGE_BYTES;
use kit::{FieldError, Result};
use serde_json::{Map, Value};
use std::collections::HashSet;
use widgets::OwnList;
use widgets::widgets::LABEL_LISTS;

/// Maximum connected boards. Clients load each one whole.
pub(crate) const BOARD_IDS_MAX: usize = 100;
/// Maximum widgets of a dashboard.
pub(crate) const WIDGETS_MAX: usize = 1_000;
/// Maximum filter rules, including those in groups.
pub(crate) const RULES_MAX: usize = 200;
/// The largest whole number that every reader of JSON reads as it was written.
const WHOLE_MAX: i64 = (1 << 53) - 1;
/// Maximum characters of an unknown operator in its error.
const OPERATOR_CHARS_MAX: usize = 40;
/// Maximum problems per error.
pub(crate) const WRONG_MAX: usize = 100;

pub(crate) type Config = Map<String, Value>;

/// Boards that a config connects.
pub(crate) fn board_ids(config: &Config) -> HashSet<String> {
    let ids = config.get("boardIds").and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The same without duplicates, in the config's order, which sets colors and the order of labels.
pub(crate) fn board_ids_in_order(config: &Config) -> Vec<String> {
    let ids = config.get("boardIds").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut seen = HashSet::new();
    ids.filter(|id| seen.insert(*id)).map(str::to_owned).collect()
}

/// A board that a config names besides its connected ones.
#[derive(Debug, PartialEq)]
pub(crate) struct NamedBoard {
    pub(crate) id: String,
    /// JSON pointer to where it is named, such as `/config/widgets/0/settings/boards/1`.
    pub(crate) pointer: String,
}

/// Boards named in filters and widgets. Unknown members belong to clients and aren't checked.
pub(crate) fn named_boards(config: &Config) -> Vec<NamedBoard> {
    let mut named = Vec::new();
    for (at, rule) in filter_rules(config) {
        keys(&rule["col"]["ids"], &format!("{at}/col/ids"), &mut named);
    }
    for (at, settings) in widget_settings(config) {
        in_settings(settings, &at, &mut named);
    }
    named
}

/// Boards that the settings of a widget name.
pub(crate) fn in_settings(settings: &Value, at: &str, named: &mut Vec<NamedBoard>) {
    for (index, id) in settings["boards"].as_array().into_iter().flatten().enumerate() {
        let id = id.as_str().map(str::to_owned);
        named.extend(id.map(|id| NamedBoard { id, pointer: format!("{at}/boards/{index}") }));
    }
    for (role, by_board) in settings["cols"].as_object().into_iter().flatten() {
        keys(by_board, &format!("{at}/cols/{}", pointed(role)), named);
    }
    for (member, _) in LABEL_LISTS {
        keys(&settings[member], &format!("{at}/{member}"), named);
    }
    for (at, rule) in own_rules(settings, at) {
        keys(&rule["col"]["ids"], &format!("{at}/col/ids"), named);
    }
}

/// The settings of each widget, with their places.
fn widget_settings(config: &Config) -> impl Iterator<Item = (String, &Value)> {
    let widgets = config.get("widgets").and_then(Value::as_array).into_iter().flatten().enumerate();
    widgets.map(|(index, widget)| (format!("/config/widgets/{index}/settings"), &widget["settings"]))
}

/// The rules of the dashboard's filter, with their places.
fn filter_rules(config: &Config) -> Vec<(String, &Value)> {
    rules_in(config.get("filters").map_or(&Value::Null, |filters| &filters["all"]), "/config/filters/all")
}

/// The rules that a widget's settings have of their own, with their places.
fn own_rules<'a>(settings: &'a Value, at: &str) -> Vec<(String, &'a Value)> {
    let rules = OwnList::ALL.into_iter().flat_map(|list| match list.member() {
        Some(member) => rules_in(&settings[member]["rules"], &format!("{at}/{member}/rules")),
        None => rules_in(&settings["rules"], &format!("{at}/rules")),
    });
    rules.collect()
}

/// The entries of a list of rules, and the rules of its groups, with their places.
fn rules_in<'a>(entries: &'a Value, at: &str) -> Vec<(String, &'a Value)> {
    let mut rules = Vec::new();
    for (index, entry) in entries.as_array().into_iter().flatten().enumerate() {
        rules.push((format!("{at}/{index}"), entry));
        let group = entry["any"].as_array().into_iter().flatten().enumerate();
        rules.extend(group.map(|(inner, rule)| (format!("{at}/{index}/any/{inner}"), rule)));
    }
    rules
}

fn keys(by_board: &Value, at: &str, named: &mut Vec<NamedBoard>) {
    let ids = by_board.as_object().into_iter().flatten().map(|(id, _)| id);
    named.extend(ids.map(|id| NamedBoard { id: id.clone(), pointer: format!("{at}/{}", pointed(id)) }));
}

/// All boards that a config names, those that it connects and others.
pub(crate) fn all_boards(config: &Config) -> HashSet<String> {
    board_ids(config).into_iter().chain(named_boards(config).into_iter().map(|board| board.id)).collect()
}

/// Escapes a name for a JSON pointer.
pub(crate) fn pointed(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Members in the people filter with their positions, without `me` and `none`.
pub(crate) fn named_members(config: &Config) -> Vec<(usize, String)> {
    let ids = config.get("filters").and_then(|filters| filters["people"]["ids"].as_array()).into_iter().flatten();
    let named = ids.enumerate().filter_map(|(index, id)| Some((index, id.as_str()?)));
    named.filter(|(_, id)| !["me", "none"].contains(id)).map(|(index, id)| (index, id.to_owned())).collect()
}

/// Removes repeated connected boards.
pub(crate) fn each_board_once(config: &mut Config) {
    let mut seen = HashSet::new();
    if let Some(Value::Array(ids)) = config.get_mut("boardIds") {
        ids.retain(|id| id.as_str().is_none_or(|id| seen.insert(id.to_owned())));
    }
}

/// A widget of a config, with defaults for omitted members.
#[derive(Debug, PartialEq)]
pub(crate) struct Widget {
    /// Its index in the config.
    pub(crate) index: usize,
    /// Its own ID, or one made from its index.
    pub(crate) id: String,
    pub(crate) kind: String,
    /// Empty if there is none.
    pub(crate) title: String,
    /// The widget engine's configuration, beside id and kind.
    pub(crate) settings: Config,
}

impl Widget {
    /// The widget as the engine's input.
    pub(crate) fn asked(&self) -> Value {
        let mut asked = self.settings.clone();
        asked.insert("id".into(), self.id.as_str().into());
        asked.insert("kind".into(), self.kind.as_str().into());
        Value::Object(asked)
    }
}

/// The widgets of a config. Ids that are missing or stand twice are made up as a page makes them up (`readConfig` of the
/// page's model.ts), so that both speak of the same widget.
pub(crate) fn widgets(config: &Config) -> Vec<Widget> {
    let mut seen = HashSet::new();
    let entries = config.get("widgets").and_then(Value::as_array).into_iter().flatten().enumerate();
    let objects = entries.filter_map(|(index, entry)| Some((index, entry.as_object()?)));
    let read = objects.map(|(index, entry)| {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut id = text("id").to_owned();
        if id.is_empty() {
            id = format!("widget-{}", index + 1);
        }
        while seen.contains(&id) {
            id = format!("{id}-{}", index + 1);
        }
        seen.insert(id.clone());
        let kind = entry.get("kind").and_then(Value::as_str).unwrap_or("unknown").to_owned();
        let settings = entry.get("settings").and_then(Value::as_object).cloned().unwrap_or_default();
        Widget { index, id, kind, title: text("title").to_owned(), settings }
    });
    read.collect()
}

/// A config whose widgets all have the IDs that [`widgets`] gives them.
pub(crate) fn with_ids(config: &Config) -> Config {
    let mut named = config.clone();
    if let Some(Value::Array(list)) = named.get_mut("widgets") {
        for Widget { index, id, .. } in widgets(config) {
            list[index]["id"] = id.into();
        }
    }
    named
}

/// A whole number; 4.0 is one too, as in every input.
pub(crate) fn whole(value: &Value) -> Option<i64> {
    let whole = value.as_i64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64));
    whole.filter(|n| n.unsigned_abs() <= WHOLE_MAX as u64)
}

/// Unknown operators in rules, with their pointers.
fn unknown_operators(config: &Config) -> Vec<(String, String)> {
    let known = widgets::all_operators();
    let own = widget_settings(config).flat_map(|(at, settings)| own_rules(settings, &at));
    let unknown = filter_rules(config).into_iter().chain(own).filter_map(|(at, rule)| {
        let op = rule["op"].as_str().filter(|op| !op.is_empty() && !known.contains(op))?;
        Some((format!("{at}/op"), op.chars().take(OPERATOR_CHARS_MAX).collect()))
    });
    unknown.collect()
}

/// Checks the rules for configs.
pub(crate) fn checked(config: &Config) -> Result<()> {
    let bytes = serde_json::to_vec(config).map_or(usize::MAX, |text| text.len());
    if bytes > LARGE_BYTES {
        return Err(
            CONFIG_TOO_LARGE.error(format!("The config has {bytes} bytes as JSON. The limit is {LARGE_BYTES}."))
        );
    }
    let mut wrong = Vec::new();
    let mut refuse = |pointer: String, code: Fault, detail: &str| {
        if wrong.len() < WRONG_MAX {
            wrong.push(FieldError { pointer, code, detail: detail.to_owned() });
        }
    };
    match config.get("boardIds") {
        None => {}
        Some(Value::Array(ids)) => {
            for (i, _) in ids.iter().enumerate().filter(|(_, id)| !id.is_string()) {
                let at = format!("/config/boardIds/{i}");
                refuse(at, fault::WRONG_TYPE, "A board's ID is a string.");
            }
            let named = board_ids(config).len();
            if named > BOARD_IDS_MAX {
                let detail = format!("Too many boards: {named}. The limit is {BOARD_IDS_MAX}.");
                refuse("/config/boardIds".into(), fault::TOO_MANY, &detail);
            }
        }
        Some(_) => refuse("/config/boardIds".into(), fault::WRONG_TYPE, "Expected a list of board IDs."),
    }
    match config.get("widgets") {
        None => {}
        Some(Value::Array(widgets)) => {
            if widgets.len() > WIDGETS_MAX {
                let detail = format!("The limit is {WIDGETS_MAX} widgets. These are {}.", widgets.len());
                refuse("/config/widgets".into(), fault::TOO_MANY, &detail);
            }
            for (i, widget) in widgets.iter().enumerate() {
                // The page decides positions: it shows widgets that overlap or don't fit in the nearest free position.
                for side in ["x", "y", "w", "h"] {
                    if widget.get("layout").and_then(|layout| layout.get(side)).and_then(whole).is_none() {
                        let detail = "Expected a whole number: a layout is {x, y, w, h}.";
                        refuse(format!("/config/widgets/{i}/layout/{side}"), fault::WRONG_TYPE, detail);
                    }
                }
            }
        }
        Some(_) => refuse("/config/widgets".into(), fault::WRONG_TYPE, "Expected a list of widgets."),
    }
    let entries = config.get("filters").and_then(|filters| filters["all"].as_array()).into_iter().flatten();
    let rules: usize = entries.map(|entry| entry["any"].as_array().map_or(1, Vec::len)).sum();
    if rules > RULES_MAX {
        let detail = format!("Too many rules: {rules}. The limit is {RULES_MAX}.");
        refuse("/config/filters/all".into(), fault::TOO_MANY, &detail);
    }
    for (pointer, op) in unknown_operators(config) {
        let known = Vec::from_iter(widgets::all_operators()).join(", ");
        refuse(pointer, fault::NOT_A_CHOICE, &format!("Unknown operator {op}. Expected one of {known}."));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(kit::error::INVALID.error("The config isn't valid. Nothing was changed.").at_all(wrong))
}

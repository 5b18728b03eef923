//! Names in place of ids: each argument that holds an id is looked up by name in the list of such things.
//!
//! Which list that is follows from the operations' paths: `boardId` of `/boards/{boardId}` is in the list `/boards`.

use crate::lists::{self, List};
use crate::transport::Transport;
use kit::{Method, Op};
use serde_json::{Map, Value};

/// Names, or ids of things that share one, that a refusal shows.
const SHOWN_MAX: usize = 10;

/// The input with ids in place of names; `None` where it has no names. The error says which names there are.
pub(crate) fn replace_names(
    transport: &dyn Transport,
    ops: &[Op],
    op: &Op,
    input: &Map<String, Value>,
) -> Result<Option<Map<String, Value>>, String> {
    let mut lists: Vec<(&str, List)> = Vec::new();
    let (mut replaced, mut problems) = (input.clone(), Vec::new());
    for (member, value) in &mut replaced {
        let texts: Vec<&mut Value> = match value {
            Value::Array(values) => values.iter_mut().collect(),
            one => vec![one],
        };
        let names: Vec<&mut Value> = texts.into_iter().filter(|text| text.as_str().is_some_and(may_be_name)).collect();
        let Some(list_op) = list_of(ops, op, member).filter(|_| !names.is_empty()) else { continue };
        if !lists.iter().any(|(path, _)| *path == list_op.path) {
            lists.push((list_op.path, read(transport, list_op)));
        }
        let Some((path, list)) = lists.iter().find(|(path, _)| *path == list_op.path) else { continue };
        // In a part of a list, a name may seem to be unique or missing that isn't.
        for name in names.into_iter().filter(|_| list.is_whole) {
            match found(&list.items, path, name.as_str().unwrap_or_default()) {
                Ok(id) => *name = id.into(),
                Err(problem) => problems.push(problem),
            }
        }
    }
    match problems.is_empty() {
        true => Ok((replaced != *input).then_some(replaced)),
        false => Err(problems.join(" ")),
    }
}

/// Whether the text can be a name: ids of things that people name are UUIDs.
fn may_be_name(text: &str) -> bool {
    let is_uuid = text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    !is_uuid && !text.trim().is_empty()
}

/// The operation that lists what a member holds the id of: the one that the operation's own path leads to, else that of the
/// shortest path with this parameter.
pub(crate) fn list_of<'a>(ops: &'a [Op], op: &Op, member: &str) -> Option<&'a Op> {
    let before = |path: &'static str, param: &str| path.split_once(&format!("/{{{param}}}")).map(|(before, _)| before);
    let list = |path: &str| {
        let lists_names = |op: &&Op| ["id", "name"].iter().all(|column| op.columns.contains(column));
        ops.iter().find(|op| op.method == Method::Get && op.path == path && !path.contains('{')).filter(lists_names)
    };
    let own = before(op.path, member).and_then(list);
    // A parameter that is only called `id` says nothing of other paths.
    let singular = member.strip_suffix("Ids").map_or_else(|| member.to_owned(), |stem| format!("{stem}Id"));
    let others = || ops.iter().filter(|_| singular != "id").filter_map(|op| list(before(op.path, &singular)?));
    own.or_else(|| others().min_by_key(|op| op.path.len()))
}

fn read(transport: &dyn Transport, op: &Op) -> List {
    // Names are enough of lists that can leave the rest out.
    let has_brief = op.input_schema()["properties"].get("brief").is_some();
    let input = Map::from_iter(has_brief.then(|| ("brief".to_owned(), true.into())));
    lists::read(transport, op.name, op.path, &input)
}

/// The id of the one thing with this name or address, in this case if one has, else in any; an id is its own.
fn found(items: &[Value], path: &str, name: &str) -> Result<String, String> {
    let text = |item: &Value, member: &str| item[member].as_str().unwrap_or_default().trim().to_owned();
    let with = |is_same: &dyn Fn(&str) -> bool| -> Vec<String> {
        let named = items.iter().filter(|item| is_same(&text(item, "name")) || is_same(&text(item, "email")));
        named.map(|item| text(item, "id")).collect()
    };
    if items.iter().any(|item| text(item, "id") == name) {
        return Ok(name.to_owned());
    }
    let typed = name.trim();
    let exact = with(&|other| other == typed);
    let folded = typed.to_lowercase();
    let same = if exact.is_empty() { with(&|other| other.to_lowercase() == folded) } else { exact };
    let plural = path.rsplit('/').next().unwrap_or_default();
    match &same[..] {
        [id] => Ok(id.clone()),
        [] => {
            if plural == "trash" {
                return Err(format!("{typed} isn't in Archive or Trash."));
            }
            let singular = plural.strip_suffix('s').unwrap_or(plural);
            let names: Vec<String> = items.iter().map(|item| text(item, "name")).collect();
            let all = if names.is_empty() { "none".to_owned() } else { capped(&names) };
            // An ask is a request in words, and has no name.
            Err(match singular {
                "ask" => format!("No request has the ID {typed}. Requests: {all}."),
                _ => format!("No {singular} is named {typed}. {}: {all}.", crate::text::title(plural)),
            })
        }
        several => {
            let count = if several.len() == 2 { "Two".to_owned() } else { several.len().to_string() };
            Err(format!("{count} {plural} are named {typed}: {}.", capped(several)))
        }
    }
}

/// The first texts, and how many more there are.
fn capped(texts: &[String]) -> String {
    let shown = texts.iter().take(SHOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = texts.len().saturating_sub(SHOWN_MAX);
    if more == 0 { shown } else { format!("{shown}, and {more} more") }
}

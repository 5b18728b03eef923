//! What an edited tasks.md means for the tasks, and what their changes mean for the file: a merge of both against the text
//! that was written last. Pure.
//!
//! Invariants: where both sides changed a value, the file's wins; a task that only one side has stays, unless the other side
//! deleted it and nobody changed it since; lines that are no tasks stay.

use super::format::{Fields, File, Line, TaskLine};
use crate::edit::{LEVELS_MAX, New, Set, Step, Target};
use crate::task::{State, Task};
use jiff::civil::Date;
use kit::Result;
use std::collections::{HashMap, HashSet, VecDeque};

/// What the file changes.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// The task of each task's line, by the line's number.
    pub(crate) ids: HashMap<usize, String>,
    /// Tasks that are deleted.
    pub(crate) removes: usize,
    /// Tasks of the text that was written last.
    pub(crate) of: usize,
}

/// A task's values as a line has them.
pub(crate) fn fields(task: &Task) -> Fields {
    Fields {
        text: task.text.clone(),
        state: task.state,
        due: task.due.clone(),
        snoozed_until: task.snoozed_until.clone(),
        priority: task.priority,
    }
}

/// A task of a file.
struct Node<'a> {
    id: String,
    line: &'a TaskLine,
    parent: Option<String>,
}

/// The texts that a file is compared with.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Written<'a> {
    /// What the file and the tasks both had last.
    pub(crate) base: Option<&'a File>,
    /// What was to be written after that, and may not have been.
    pub(crate) pending: Option<&'a File>,
}

/// Compares a file with the text that was written last. `tasks` are those of the hub; `find` reads any other task.
pub(crate) fn plan(
    hub: &str,
    file: &File,
    written: Written<'_>,
    tasks: &[Task],
    mut find: impl FnMut(&str) -> Result<Option<Task>>,
    mut new_id: impl FnMut() -> String,
) -> Result<Plan> {
    let live: HashMap<&str, &Task> = tasks.iter().map(|task| (task.id.as_str(), task)).collect();
    let base = written.base.map(|base| nodes(base, &own_ids(base))).unwrap_or_default();
    let before: HashMap<&str, &Node<'_>> = base.iter().map(|node| (node.id.as_str(), node)).collect();
    let ids = identify(file, written, &mut new_id);
    let mut nodes = nodes(file, &ids);

    // Tasks that were deleted here since, and that the file doesn't change: they stay deleted.
    let mut others: HashMap<String, Task> = HashMap::new();
    let mut gone: HashMap<String, Option<String>> = HashMap::new();
    for node in &nodes {
        if live.contains_key(node.id.as_str()) {
            continue;
        }
        let Some(task) = find(&node.id)? else { continue };
        let is_unchanged = before.get(node.id.as_str()).is_some_and(|old| old.line.fields == node.line.fields);
        if is_unchanged {
            gone.insert(node.id.clone(), node.parent.clone());
        } else {
            others.insert(node.id.clone(), task);
        }
    }
    nodes.retain(|node| !gone.contains_key(&node.id));
    for node in &mut nodes {
        while let Some(above) = node.parent.as_ref().and_then(|parent| gone.get(parent)) {
            node.parent.clone_from(above);
        }
    }

    let reordered = reordered(&base, &nodes);
    let mut steps = Vec::new();
    let mut last: HashMap<Option<&str>, &str> = HashMap::new();
    for node in &nodes {
        let parent = node.parent.as_deref();
        let after = last.insert(parent, &node.id).unwrap_or_default().to_owned();
        let to = Target {
            hub: parent.is_none().then(|| hub.to_owned()),
            parent: Some(parent.unwrap_or_default().to_owned()),
            after: Some(after),
        };
        let line = &node.line.fields;
        let Some(task) = live.get(node.id.as_str()).copied().or_else(|| others.get(&node.id)) else {
            steps.push(Step::Add(New {
                id: node.id.clone(),
                to,
                text: line.text.clone(),
                due: line.due.clone(),
                snoozed_until: line.snoozed_until.clone(),
                priority: Some(line.priority),
            }));
            if line.state != State::Open {
                steps.push(Step::Set(Set {
                    id: node.id.clone(),
                    state: Some(line.state),
                    is_alone: true,
                    ..Set::default()
                }));
            }
            continue;
        };
        if task.is_deleted() {
            steps.push(Step::Restore { id: node.id.clone() });
        }
        let old = before.get(node.id.as_str());
        let moved = match old {
            Some(old) => old.parent != node.parent,
            None => task.parent != parent.unwrap_or_default(),
        };
        let is_here = !task.is_deleted() && task.hub == hub;
        if !is_here || moved && task.parent != parent.unwrap_or_default() || reordered.contains(&node.parent) {
            steps.push(Step::Move { id: node.id.clone(), to });
        }
        let now = fields(task);
        let was = old.map_or(&now, |old| &old.line.fields);
        let set = Set {
            id: node.id.clone(),
            text: changed(&was.text, &line.text, &now.text),
            state: changed(&was.state, &line.state, &now.state),
            due: changed(&was.due, &line.due, &now.due),
            snoozed_until: changed(&was.snoozed_until, &line.snoozed_until, &now.snoozed_until),
            priority: changed(&was.priority, &line.priority, &now.priority),
            is_alone: true,
            ..Set::default()
        };
        let is_set = set.text.is_some() || set.state.is_some() || set.due.is_some() || set.snoozed_until.is_some();
        if is_set || set.priority.is_some() {
            steps.push(Step::Set(set));
        }
    }

    let in_file: HashSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
    let deleted: HashSet<&str> = base
        .iter()
        .filter(|node| !in_file.contains(node.id.as_str()))
        .filter(|node| live.get(node.id.as_str()).is_some_and(|task| fields(task) == node.line.fields))
        .map(|node| node.id.as_str())
        .collect();
    // What was added or changed here below a task that the file deletes moves up.
    for task in tasks.iter().filter(|task| !deleted.contains(task.id.as_str()) && !in_file.contains(task.id.as_str())) {
        let mut parent = task.parent.as_str();
        while deleted.contains(parent) {
            parent = live.get(parent).map_or("", |above| &above.parent);
        }
        if parent != task.parent {
            let to =
                Target { hub: parent.is_empty().then(|| hub.to_owned()), parent: Some(parent.to_owned()), after: None };
            steps.push(Step::Move { id: task.id.clone(), to });
        }
    }
    for id in &deleted {
        if live.get(id).is_some_and(|task| !deleted.contains(task.parent.as_str())) {
            steps.push(Step::Delete { id: (*id).to_owned() });
        }
    }
    Ok(Plan { steps, removes: deleted.len(), of: base.len(), ids })
}

/// A value that the file changed, unless the task has it already.
fn changed<T: PartialEq + Clone>(was: &T, is: &T, now: &T) -> Option<T> {
    (is != was && is != now).then(|| is.clone())
}

/// The IDs that a file's lines have themselves, each once.
fn own_ids(file: &File) -> HashMap<usize, String> {
    let mut seen = HashSet::new();
    let tasks = file.tasks().into_iter();
    tasks
        .filter(|task| !task.line.id.is_empty() && seen.insert(task.line.id.clone()))
        .map(|task| (task.at, task.line.id.clone()))
        .collect()
}

/// The task of each line: that of its ID, else one of the same text that the file lost (an editor may write an older text
/// over ours), else a new one. A second line with an ID is a new task.
fn identify(file: &File, written: Written<'_>, new_id: &mut impl FnMut() -> String) -> HashMap<usize, String> {
    let mut ids = own_ids(file);
    let present: HashSet<String> = ids.values().cloned().collect();
    let mut lost: HashMap<&str, VecDeque<&str>> = HashMap::new();
    let mut known = HashSet::new();
    for text in [written.pending, written.base].into_iter().flatten() {
        for task in text.tasks() {
            if !task.line.id.is_empty() && !present.contains(&task.line.id) && known.insert(&task.line.id) {
                lost.entry(&task.line.fields.text).or_default().push_back(&task.line.id);
            }
        }
    }
    for task in file.tasks() {
        ids.entry(task.at).or_insert_with(|| {
            let found = lost.get_mut(task.line.fields.text.as_str()).and_then(VecDeque::pop_front);
            found.map_or_else(&mut *new_id, str::to_owned)
        });
    }
    ids
}

fn nodes<'a>(file: &'a File, ids: &HashMap<usize, String>) -> Vec<Node<'a>> {
    let tasks = file.tasks();
    let above: HashMap<usize, Option<usize>> = tasks.iter().map(|task| (task.at, task.parent)).collect();
    let mut levels: HashMap<usize, usize> = HashMap::new();
    let mut found = Vec::new();
    for task in &tasks {
        let Some(id) = ids.get(&task.at) else { continue };
        let mut parent = task.parent;
        // Deeper than tasks can be nested: beside its parent.
        while let Some(at) = parent
            && levels.get(&at).copied().unwrap_or_default() + 1 >= LEVELS_MAX
        {
            parent = above.get(&at).copied().flatten();
        }
        levels.insert(task.at, parent.map_or(0, |at| levels.get(&at).copied().unwrap_or_default() + 1));
        found.push(Node { id: id.clone(), line: task.line, parent: parent.and_then(|at| ids.get(&at).cloned()) });
    }
    found
}

/// The parents whose tasks have another order than in the text that was written last.
fn reordered(base: &[Node<'_>], file: &[Node<'_>]) -> HashSet<Option<String>> {
    let orders = |nodes: &[Node<'_>], only: &HashMap<String, Option<String>>| {
        let mut orders: HashMap<Option<String>, Vec<String>> = HashMap::new();
        for node in nodes.iter().filter(|node| only.get(&node.id) == Some(&node.parent)) {
            orders.entry(node.parent.clone()).or_default().push(node.id.clone());
        }
        orders
    };
    let parents = |nodes: &[Node<'_>]| -> HashMap<String, Option<String>> {
        nodes.iter().map(|node| (node.id.clone(), node.parent.clone())).collect()
    };
    let (then, now) = (parents(base), parents(file));
    let (then, now) = (orders(base, &now), orders(file, &then));
    now.into_iter().filter(|(parent, order)| then.get(parent) != Some(order)).map(|(parent, _)| parent).collect()
}

/// A task with its level, and the day on which it was finished.
pub(crate) struct Shown<'a> {
    pub(crate) task: &'a Task,
    pub(crate) level: usize,
    pub(crate) finished_on: Option<Date>,
}

/// The file with the tasks as they are, in their order. Other lines stay behind the task that they followed.
pub(crate) fn render(file: &File, ids: &HashMap<usize, String>, tasks: &[Shown<'_>]) -> File {
    let rendered = lines(file, ids, tasks, false);
    if is_outline(&rendered, tasks) { rendered } else { lines(file, ids, tasks, true) }
}

/// Whether the file's outline is that of the tasks.
fn is_outline(file: &File, tasks: &[Shown<'_>]) -> bool {
    let levels = file.tasks().iter().map(|task| task.level).collect::<Vec<_>>();
    levels == tasks.iter().map(|shown| shown.level).collect::<Vec<_>>()
}

fn lines(file: &File, ids: &HashMap<usize, String>, tasks: &[Shown<'_>], anew: bool) -> File {
    let shown: HashSet<&str> = tasks.iter().map(|shown| shown.task.id.as_str()).collect();
    let mut own: HashMap<&str, (&TaskLine, usize)> = HashMap::new();
    let levels: HashMap<usize, usize> = file.tasks().iter().map(|task| (task.at, task.level)).collect();
    let mut notes: HashMap<Option<&str>, Vec<Line>> = HashMap::new();
    let mut current = None;
    for (at, line) in file.lines.iter().enumerate() {
        match line {
            Line::Other(_) => notes.entry(current).or_default().push(line.clone()),
            Line::Task(task) => {
                if let Some(id) = ids.get(&at).map(String::as_str).filter(|id| shown.contains(id)) {
                    current = Some(id);
                    own.insert(id, (task, levels.get(&at).copied().unwrap_or_default()));
                }
            }
        }
    }
    let unit = file.unit();
    let mut lines = notes.remove(&None).unwrap_or_default();
    let mut held: Vec<Line> = Vec::new();
    for Shown { task, level, finished_on } in tasks {
        let found = own.get(task.id.as_str());
        let (line, kept_level) = match found {
            Some((line, level)) => ((*line).clone().with(&task.id, &fields(task), *finished_on), Some(*level)),
            None => (TaskLine::new(&task.id, &fields(task), *finished_on), None),
        };
        let keeps_indent = kept_level == Some(*level) && !anew;
        let line = if keeps_indent { line } else { line.indented(unit.repeat(*level)) };
        // A new task joins the tasks above it rather than what is written below them.
        if found.is_some() || !is_apart(&held) {
            lines.append(&mut held);
        }
        lines.push(Line::Task(line));
        if found.is_some() {
            held = notes.remove(&Some(task.id.as_str())).unwrap_or_default();
        }
    }
    lines.append(&mut held);
    file.with(lines)
}

/// Whether lines don't belong to the task before them.
fn is_apart(lines: &[Line]) -> bool {
    let is_blank = |line: &Line| matches!(line, Line::Other(text) if text.trim().is_empty());
    let is_heading = |line: &Line| matches!(line, Line::Other(text) if text.starts_with('#'));
    lines.first().is_some_and(is_blank) || lines.iter().any(is_heading)
}

//! Tasks in the order of their outline. Pure.

use crate::task::Task;
use std::collections::HashMap;

/// The tasks in outline order, hub by hub. Those whose parent isn't among them are at the top level.
pub(crate) fn in_order(tasks: Vec<Task>) -> Vec<Task> {
    let ids: HashMap<String, usize> = tasks.iter().enumerate().map(|(at, task)| (task.id.clone(), at)).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    let mut roots = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        match ids.get(&task.parent) {
            Some(parent) => children[*parent].push(at),
            None => roots.push(at),
        }
    }
    // They come by place; hubs stay together.
    roots.sort_by(|a, b| tasks[*a].hub.cmp(&tasks[*b].hub));
    let mut order = Vec::with_capacity(tasks.len());
    let mut waiting: Vec<usize> = roots.into_iter().rev().collect();
    while let Some(at) = waiting.pop() {
        order.push(at);
        waiting.extend(children[at].iter().rev());
    }
    let mut tasks: Vec<Option<Task>> = tasks.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| tasks[at].take()).collect()
}

/// Which tasks a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[schemars(rename = "TaskView")]
#[serde(rename_all = "lowercase")]
pub(crate) enum View {
    /// Open tasks that are due today or overdue, and aren't snoozed.
    Today,
    /// Open tasks that are due later, and aren't snoozed.
    Upcoming,
    /// All tasks.
    All,
    /// Open tasks that are snoozed.
    Snoozed,
}

impl View {
    /// Whether it shows a task. `now` is local, such as `2026-03-05T09:00`.
    pub(crate) fn shows(self, task: &Task, now: &str) -> bool {
        let is_open = task.state == crate::task::State::Open;
        let is_snoozed = is_snoozed(task, now);
        let today = &now[..10];
        match self {
            View::All => true,
            View::Snoozed => is_open && is_snoozed,
            View::Today => is_open && !is_snoozed && !task.due.is_empty() && task.due.as_str() < &*format!("{today}U"),
            View::Upcoming => is_open && !is_snoozed && task.due.as_str() > &*format!("{today}U"),
        }
    }
}

/// Whether it's snoozed: until a time, or until a day begins.
fn is_snoozed(task: &Task, now: &str) -> bool {
    let until = task.snoozed_until.as_str();
    until > &now[..until.len().min(now.len())]
}

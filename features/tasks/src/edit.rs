//! Edits of tasks in one transaction, and what follows from them.

use crate::due::understand_edit;
use crate::errors::{TASK_CYCLE, TASK_DELETED, TASK_EXISTS, TASK_NOT_DELETED, TASKS_TOO_DEEP};
use crate::fault::{NOT_A_SIBLING, OTHER_HUB, UNKNOWN_TASK};
use crate::place::{place_after, place_before, place_last};
use crate::rows::{self, Counters, Siblings};
use crate::task::{PRIORITY_DEFAULT, Revisions, State, Task};
use events::{AboutSession, Event, HasEvents};
use kit::error::{TOO_MANY, unknown};
use kit::{Caller, Ctx, Result, invalid, not_found};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use store::{Change, Tx};

/// Maximum tasks of an account that aren't deleted.
pub(crate) const TASKS_MAX: i64 = 200_000;
/// Maximum levels of nesting.
pub(crate) const LEVELS_MAX: usize = 20;
/// Siblings that are read to make room for one, at first and then.
const ROOM: [i64; 3] = [64, 4_096, TASKS_MAX];
/// Letters of an ID.
pub(crate) const ID_LETTERS: usize = 10;

/// An ID of a new task. Random, so that it's short.
pub(crate) fn random_id() -> String {
    let random = u128::from_str_radix(&kit::ids::secret()[..16], 16).unwrap_or_default();
    kit::ids::letters(random, ID_LETTERS)
}

/// One edit.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Add(New),
    Set(Set),
    Move { id: String, to: Target },
    Delete { id: String },
    Restore { id: String },
}

/// A new task.
#[derive(Debug, Clone)]
pub(crate) struct New {
    /// Empty for a new one.
    pub(crate) id: String,
    pub(crate) to: Target,
    pub(crate) text: String,
    pub(crate) due: String,
    pub(crate) snoozed_until: String,
    pub(crate) priority: Option<i64>,
}

/// Where a task is to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Target {
    /// Empty for no hub.
    pub(crate) hub: Option<String>,
    /// Empty for the top level.
    pub(crate) parent: Option<String>,
    /// Empty for the first place; none for the last.
    pub(crate) after: Option<String>,
}

/// New values of a task.
#[derive(Debug, Clone, Default)]
pub(crate) struct Set {
    pub(crate) id: String,
    pub(crate) text: Option<String>,
    /// Whether what is new in the text may be a day or a priority.
    pub(crate) is_understood: bool,
    pub(crate) state: Option<State>,
    pub(crate) due: Option<String>,
    pub(crate) snoozed_until: Option<String>,
    pub(crate) priority: Option<i64>,
    pub(crate) session: Option<String>,
    /// Whether the tasks below and above it stay as they are.
    pub(crate) is_alone: bool,
    /// The revision that the caller saw.
    pub(crate) seen: Option<i64>,
}

/// A newer value that an edit replaced.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TaskConflict")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Conflict {
    task_id: String,
    /// `text`, `state`, `due`, `snoozedUntil`, or `priority`.
    field: &'static str,
    /// The value that was replaced.
    was: Value,
}

/// What came of edits.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The tasks that changed, as they are now, in the order of their revisions.
    pub(crate) tasks: Vec<Task>,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) revision: i64,
    /// The tasks that the edits themselves name, in order.
    pub(crate) named: Vec<String>,
}

/// Edits under way.
struct Editing<'a, 'tx> {
    tx: &'a mut Tx<'tx>,
    ctx: &'a Ctx,
    caller: &'a Caller,
    now_ms: i64,
    counters: Counters,
    changed: HashMap<String, Task>,
    conflicts: Vec<Conflict>,
}

/// Makes all edits, or none. `pointer` names an edit's part of the request by its number.
pub(crate) fn edit(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    caller: &Caller,
    steps: Vec<Step>,
    pointer: impl Fn(usize) -> String,
) -> Result<Outcome> {
    let counters = rows::counters(tx, &caller.account)?;
    let (changed, conflicts) = (HashMap::new(), Vec::new());
    let mut editing = Editing { tx, ctx, caller, now_ms: ctx.now_ms(), counters, changed, conflicts };
    let mut named = Vec::new();
    for (at, step) in steps.into_iter().enumerate() {
        named.push(editing.apply(step, &pointer(at))?);
    }
    let Editing { tx, changed, conflicts, counters: after, .. } = editing;
    let mut tasks: Vec<Task> = changed.into_values().collect();
    tasks.sort_by_key(|task| task.revision);
    if after.revision > counters.revision {
        rows::store_counters(tx, &caller.account, after)?;
        let (bus, account, revision) = (ctx.events(), caller.account.clone(), after.revision);
        // About no session: tasks are the user's own.
        let about = AboutSession { id: "".into(), parent: None };
        tx.after_commit(move || bus.emit_about(&account, about, Event::TasksChanged { revision }));
    }
    Ok(Outcome { tasks, conflicts, revision: after.revision, named })
}

impl Editing<'_, '_> {
    fn account(&self) -> &str {
        &self.caller.account
    }

    /// The ID of the task that the edit is of.
    fn apply(&mut self, step: Step, pointer: &str) -> Result<String> {
        match step {
            Step::Add(new) => self.add(new, pointer),
            Step::Set(set) => self.set(set),
            Step::Move { id, to } => self.relocate(id, to, pointer),
            Step::Delete { id } => self.delete(id),
            Step::Restore { id } => self.restore(id),
        }
    }

    fn find(&mut self, id: &str) -> Result<Option<Task>> {
        rows::find(self.tx, &self.caller.account, id)
    }

    /// A task that isn't deleted.
    fn expect(&mut self, id: &str) -> Result<Task> {
        let task = self.find(id)?.ok_or_else(not_found)?;
        match task.is_deleted() {
            true => Err(TASK_DELETED.error("The task is deleted. Restore it to change it.")),
            false => Ok(task),
        }
    }

    /// The same, named by a member of the request.
    fn expect_named(&mut self, id: &str, pointer: String) -> Result<Task> {
        let found = self.find(id)?.filter(|task| !task.is_deleted());
        found.ok_or_else(|| unknown(UNKNOWN_TASK, pointer))
    }

    /// Stores a task with a new revision. `before` is none for a new one.
    fn put(&mut self, before: Option<&Task>, task: Task) -> Result<()> {
        let task = self.numbered(before, task);
        for (field, was, is) in differences(before, &task) {
            let change =
                Change { subject: "task", subject_id: &task.id, field, before: was.as_ref(), after: is.as_ref() };
            self.tx.record(self.caller, self.now_ms, change)?;
        }
        self.store(task)
    }

    /// The task with a new revision, also of the parts that differ.
    fn numbered(&mut self, before: Option<&Task>, mut task: Task) -> Task {
        self.counters.revision += 1;
        let revision = self.counters.revision;
        task.revision = revision;
        task.changed_ms = self.now_ms;
        let Some(before) = before else {
            let all = revision;
            task.parts = Revisions { text: all, state: all, due: all, snooze: all, priority: all, place: all };
            return task;
        };
        for (part, differs) in [
            (&mut task.parts.text, before.text != task.text),
            (&mut task.parts.state, before.state != task.state),
            (&mut task.parts.due, before.due != task.due),
            (&mut task.parts.snooze, before.snoozed_until != task.snoozed_until),
            (&mut task.parts.priority, before.priority != task.priority),
        ] {
            if differs {
                *part = revision;
            }
        }
        if placed(before) != placed(&task) {
            task.parts.place = revision;
        }
        task
    }

    fn store(&mut self, task: Task) -> Result<()> {
        rows::store(self.tx, &self.caller.account, &task)?;
        self.changed.insert(task.id.clone(), task);
        Ok(())
    }

    fn add(&mut self, new: New, pointer: &str) -> Result<String> {
        self.expect_room(1)?;
        let id = match new.id.is_empty() {
            true => self.new_id()?,
            false if self.find(&new.id)?.is_some() => {
                return Err(TASK_EXISTS.error("A task has this ID already. Leave `id` out, or use another one."));
            }
            false => new.id,
        };
        let (hub, parent, place) = self.target(new.to, None, pointer)?;
        self.expect_level(&parent, 1, None)?;
        let task = Task {
            id: id.clone(),
            revision: 0,
            hub,
            parent,
            place,
            text: new.text,
            state: State::Open,
            due: new.due,
            snoozed_until: new.snoozed_until,
            priority: new.priority.unwrap_or(PRIORITY_DEFAULT),
            session: String::new(),
            created_ms: self.now_ms,
            changed_ms: self.now_ms,
            finished_ms: 0,
            deleted_ms: 0,
            deleted_with: String::new(),
            parts: Revisions::default(),
        };
        let parent = task.parent.clone();
        self.put(None, task)?;
        self.counters.tasks += 1;
        self.reopen(parent)?;
        Ok(id)
    }

    fn expect_room(&self, tasks: i64) -> Result<()> {
        match self.counters.tasks + tasks <= TASKS_MAX {
            true => Ok(()),
            false => Err(TOO_MANY.error(format!("The account has {TASKS_MAX} tasks already. Delete some."))),
        }
    }

    /// An ID that no task has.
    fn new_id(&mut self) -> Result<String> {
        loop {
            let id = random_id();
            if self.find(&id)?.is_none() {
                return Ok(id);
            }
        }
    }

    /// The hub, parent, and place that a target means for a new task, or for one that moves.
    fn target(&mut self, to: Target, moved: Option<&Task>, pointer: &str) -> Result<(String, String, i64)> {
        let after = match to.after.as_deref() {
            None => After::Last,
            Some("") => After::First,
            Some(id) => After::Task(Box::new(self.expect_named(id, format!("{pointer}/afterId"))?)),
        };
        let near = match &after {
            After::Task(task) => Some(&**task),
            _ => moved,
        };
        let parent = to.parent.unwrap_or_else(|| near.map(|task| task.parent.clone()).unwrap_or_default());
        let hub = match parent.is_empty() {
            true => to.hub.unwrap_or_else(|| near.map(|task| task.hub.clone()).unwrap_or_default()),
            false => {
                let of_parent = self.expect_named(&parent, format!("{pointer}/parentId"))?.hub;
                if to.hub.is_some_and(|hub| hub != of_parent) {
                    let detail = "The parent is in another hub. Leave `hubId` out, or use the parent's.";
                    return Err(invalid(&format!("{pointer}/hubId"), OTHER_HUB, detail));
                }
                of_parent
            }
        };
        let of = Siblings { parent: &parent, hub: &hub };
        let place = match after {
            After::First => place_before(rows::end_place(self.tx, &self.caller.account, of, false)?),
            After::Last => place_last(rows::end_place(self.tx, &self.caller.account, of, true)?),
            After::Task(task) => {
                if task.parent != parent || task.hub != hub || moved.is_some_and(|moved| moved.id == task.id) {
                    let detail = "Choose a task below the same parent, in the same hub.";
                    return Err(invalid(&format!("{pointer}/afterId"), NOT_A_SIBLING, detail));
                }
                self.place_after(of, task.place)?
            }
        };
        Ok((hub, parent, place))
    }

    /// The place after another. Siblings make room if needed.
    fn place_after(&mut self, of: Siblings<'_>, lower: i64) -> Result<i64> {
        for limit in ROOM {
            let next = rows::siblings_after(self.tx, &self.caller.account, of, lower, limit)?;
            let places: Vec<i64> = next.iter().map(|(_, place)| *place).collect();
            let is_all = (next.len() as i64) < limit;
            let Some((place, moved)) = place_after(lower, &places, is_all || limit == TASKS_MAX) else { continue };
            for ((id, _), place) in next.iter().zip(moved) {
                let before = self.find(id)?.ok_or_else(not_found)?;
                let task = self.numbered(Some(&before), Task { place, ..before.clone() });
                self.store(task)?;
            }
            return Ok(place);
        }
        Err(TOO_MANY.error("Too many tasks are below one parent."))
    }

    /// Rejects a place below `parent` for tasks of so many levels; also below `moved` itself.
    fn expect_level(&mut self, parent: &str, levels: usize, moved: Option<&str>) -> Result<()> {
        let mut above = 0;
        let mut next = parent.to_owned();
        while !next.is_empty() {
            if moved == Some(&*next) {
                return Err(TASK_CYCLE.error("A task can't be moved below itself or one of its subtasks."));
            }
            above += 1;
            if above + levels > LEVELS_MAX {
                let detail = format!("Tasks can be nested up to {LEVELS_MAX} levels. Choose a parent further up.");
                return Err(TASKS_TOO_DEEP.error(detail));
            }
            next = self.find(&next)?.map(|task| task.parent).unwrap_or_default();
        }
        Ok(())
    }

    /// The tasks below one, level by level, each with its level.
    fn below(&mut self, id: &str) -> Result<Vec<(Task, usize)>> {
        let mut found: Vec<(Task, usize)> = Vec::new();
        let mut waiting = vec![(id.to_owned(), 1)];
        while let Some((parent, level)) = waiting.pop() {
            for child in rows::children(self.tx, &self.caller.account, &parent)? {
                waiting.push((child.id.clone(), level + 1));
                found.push((child, level));
            }
        }
        Ok(found)
    }

    fn set(&mut self, mut set: Set) -> Result<String> {
        let before = self.expect(&set.id)?;
        let mut task = before.clone();
        if let Some(text) = set.text.as_mut().filter(|_| set.is_understood) {
            let understood = understand_edit(self.ctx, &before.text, text);
            *text = understood.text;
            set.due = set.due.or(Some(understood.due).filter(|due| !due.is_empty()));
            set.priority = set.priority.or(understood.priority);
        }
        task.text = set.text.unwrap_or(task.text);
        task.due = set.due.unwrap_or(task.due);
        task.snoozed_until = set.snoozed_until.unwrap_or(task.snoozed_until);
        task.priority = set.priority.unwrap_or(task.priority);
        task.session = set.session.unwrap_or(task.session);
        if let Some(state) = set.state {
            self.finish(&mut task, state);
        }
        if let Some(seen) = set.seen {
            self.note_conflicts(&before, &task, seen);
        }
        let state = task.state;
        if task != before {
            self.put(Some(&before), task)?;
        }
        match state {
            _ if set.state.is_none() || set.is_alone => {}
            State::Open => self.reopen(before.parent)?,
            state => self.finish_below(&set.id, state)?,
        }
        Ok(set.id)
    }

    fn finish(&self, task: &mut Task, state: State) {
        if task.state == State::Open || state == State::Open {
            task.finished_ms = if state == State::Open { 0 } else { self.now_ms };
        }
        task.state = state;
    }

    /// Finishes the open tasks below a finished one.
    fn finish_below(&mut self, id: &str, state: State) -> Result<()> {
        for (before, _) in self.below(id)? {
            if before.state == State::Open {
                let mut task = before.clone();
                self.finish(&mut task, state);
                self.put(Some(&before), task)?;
            }
        }
        Ok(())
    }

    /// Reopens finished tasks above an open one.
    fn reopen(&mut self, mut parent: String) -> Result<()> {
        while !parent.is_empty() {
            let Some(before) = self.find(&parent)?.filter(|task| !task.is_deleted()) else { return Ok(()) };
            parent = before.parent.clone();
            if before.state != State::Open {
                let mut task = before.clone();
                self.finish(&mut task, State::Open);
                self.put(Some(&before), task)?;
            }
        }
        Ok(())
    }

    /// Notes which values are newer than what the caller saw, and are replaced.
    fn note_conflicts(&mut self, before: &Task, task: &Task, seen: i64) {
        let parts = &before.parts;
        let newer = [
            ("text", parts.text, before.text != task.text, json!(before.text)),
            ("state", parts.state, before.state != task.state, json!(before.state)),
            ("due", parts.due, before.due != task.due, json!(before.due)),
            ("snoozedUntil", parts.snooze, before.snoozed_until != task.snoozed_until, json!(before.snoozed_until)),
            ("priority", parts.priority, before.priority != task.priority, json!(before.priority)),
        ];
        for (field, revision, differs, was) in newer {
            if differs && revision > seen {
                self.conflicts.push(Conflict { task_id: before.id.clone(), field, was });
            }
        }
    }

    fn relocate(&mut self, id: String, to: Target, pointer: &str) -> Result<String> {
        let before = self.expect(&id)?;
        let (hub, parent, place) = self.target(to, Some(&before), pointer)?;
        let below = self.below(&id)?;
        if parent != before.parent {
            let levels = below.iter().map(|(_, level)| *level).max().unwrap_or(0) + 1;
            self.expect_level(&parent, levels, Some(&id))?;
        }
        let task = Task { hub: hub.clone(), parent: parent.clone(), place, ..before.clone() };
        let is_open = task.state == State::Open;
        // Its siblings may have made room since it was read.
        self.put(Some(&before), task)?;
        if hub != before.hub {
            for (before, _) in below {
                self.put(Some(&before), Task { hub: hub.clone(), ..before.clone() })?;
            }
        }
        if is_open {
            self.reopen(parent)?;
        }
        Ok(id)
    }

    fn delete(&mut self, id: String) -> Result<String> {
        let task = self.expect(&id)?;
        let all = std::iter::once(task).chain(self.below(&id)?.into_iter().map(|(task, _)| task)).collect::<Vec<_>>();
        for before in all {
            let task = Task { deleted_ms: self.now_ms, deleted_with: id.clone(), ..before.clone() };
            self.put(Some(&before), task)?;
            self.counters.tasks -= 1;
        }
        Ok(id)
    }

    fn restore(&mut self, id: String) -> Result<String> {
        let root = self.find(&id)?.ok_or_else(not_found)?;
        if !root.is_deleted() {
            return Err(TASK_NOT_DELETED.error("Only a deleted task can be restored."));
        }
        let with = root.deleted_with.clone();
        let mut all = vec![root];
        let mut at = 0;
        while let Some(parent) = all.get(at).map(|task| task.id.clone()) {
            let account = self.account().to_owned();
            all.extend(rows::deleted_children(self.tx, &account, &parent, &with)?);
            at += 1;
        }
        self.expect_room(all.len() as i64)?;
        // Its parent may be gone, or may have moved to another hub or further down.
        let parent = self.find(&all[0].parent)?.filter(|parent| !parent.is_deleted());
        let fits = match &parent {
            Some(parent) => self.expect_level(&parent.id.clone(), LEVELS_MAX.min(levels_of(&all)), None).is_ok(),
            None => false,
        };
        let hub = parent.as_ref().filter(|_| fits).map_or(all[0].hub.clone(), |parent| parent.hub.clone());
        let above = if fits { all[0].parent.clone() } else { String::new() };
        let is_open = all[0].state == State::Open;
        for (at, before) in all.into_iter().enumerate() {
            let parent = if at == 0 { above.clone() } else { before.parent.clone() };
            let task = Task { deleted_ms: 0, deleted_with: String::new(), hub: hub.clone(), parent, ..before.clone() };
            self.put(Some(&before), task)?;
            self.counters.tasks += 1;
        }
        if is_open {
            self.reopen(above)?;
        }
        Ok(id)
    }
}

/// What a target's `after` means.
enum After {
    First,
    Last,
    Task(Box<Task>),
}

/// Levels of tasks, of which the first is above all others.
fn levels_of(tasks: &[Task]) -> usize {
    let mut levels: HashMap<&str, usize> = HashMap::new();
    for task in tasks {
        let above = levels.get(&*task.parent).copied().unwrap_or(0);
        levels.insert(&task.id, above + 1);
    }
    levels.into_values().max().unwrap_or(1)
}

fn placed(task: &Task) -> (&str, &str, i64) {
    (&task.hub, &task.parent, task.place)
}

/// What is recorded of a change: its fields, before and after.
fn differences(before: Option<&Task>, task: &Task) -> Vec<(&'static str, Option<Value>, Option<Value>)> {
    let Some(before) = before else {
        let new = json!({"text": task.text, "due": task.due, "priority": task.priority, "hubId": task.hub, "parentId": task.parent});
        return vec![("", None, Some(new))];
    };
    let place = |task: &Task| json!({"hubId": task.hub, "parentId": task.parent, "place": task.place});
    let all = [
        ("text", json!(before.text), json!(task.text)),
        ("state", json!(before.state), json!(task.state)),
        ("due", json!(before.due), json!(task.due)),
        ("snoozedUntil", json!(before.snoozed_until), json!(task.snoozed_until)),
        ("priority", json!(before.priority), json!(task.priority)),
        ("sessionId", json!(before.session), json!(task.session)),
        ("deleted", json!(before.is_deleted()), json!(task.is_deleted())),
        ("place", place(before), place(task)),
    ];
    let changed = all.into_iter().filter(|(_, was, is)| was != is);
    changed.map(|(field, was, is)| (field, Some(was), Some(is))).collect()
}

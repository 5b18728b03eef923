//! Edits as sent, and the words in them.

use crate::due::{Understood, expect_priority, read_day, understand};
use crate::edit::{ID_LETTERS, New, Set, Step, Target};
use crate::task::State;
use kit::error::unknown;
use kit::fault::{MISSING, UNKNOWN_HUB, UNKNOWN_SESSION, WRONG_FORMAT};
use kit::lookup::{Hubs, WorkNames};
use kit::text::{NAME, expect_name};
use kit::{Caller, Ctx, Result, invalid};
use schemars::JsonSchema;
use serde::Deserialize;

/// Maximum characters of a task.
pub(crate) const TEXT_MAX: usize = 2_000;
/// Maximum edits of one request.
pub(crate) const EDITS_MAX: usize = 5_000;

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "TaskAction")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    /// Add a task.
    Add,
    /// Change a task.
    Set,
    /// Move a task.
    Move,
    /// Delete a task with all below it.
    Delete,
    /// Restore a deleted task with what was deleted with it.
    Restore,
}

/// An edit. Other members are those of `tasks.add`, `tasks.update`, and `tasks.move`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "TaskEdit")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Edit {
    pub(crate) action: Action,
    /// The task. For `add`, the new ID: 10 digits and lower-case letters without i, l, o, and u. Default: a random one.
    #[schemars(length(max = 64))]
    pub(crate) task_id: Option<String>,
    #[schemars(length(min = 1, max = TEXT_MAX), regex(pattern = NAME))]
    pub(crate) text: Option<String>,
    /// Whether dates and priorities in the text of a new task stay words.
    #[serde(default)]
    pub(crate) plain: bool,
    /// Whether dates and priorities that are new in the text of a changed task are understood.
    #[serde(default)]
    pub(crate) understand: bool,
    pub(crate) state: Option<State>,
    /// A day in words, or a date. Empty removes it.
    #[schemars(length(max = when::CHARS_MAX))]
    pub(crate) due: Option<String>,
    /// The same.
    #[schemars(length(max = when::CHARS_MAX))]
    pub(crate) snoozed_until: Option<String>,
    #[schemars(range(min = 1, max = 4))]
    pub(crate) priority: Option<i64>,
    /// Empty removes it.
    #[schemars(length(max = 64))]
    pub(crate) session_id: Option<String>,
    /// Empty for no hub.
    #[schemars(length(max = 64))]
    pub(crate) hub_id: Option<String>,
    /// Empty for the top level.
    #[schemars(length(max = 64))]
    pub(crate) parent_id: Option<String>,
    /// Empty for the first place.
    #[schemars(length(max = 64))]
    pub(crate) after_id: Option<String>,
    /// Whether tasks below and above it keep their state.
    #[serde(default)]
    pub(crate) only: bool,
    /// The newest revision that you saw; reports newer values that the change replaced.
    pub(crate) seen: Option<i64>,
}

impl Edit {
    /// Of this kind, with nothing else.
    pub(crate) fn of(action: Action, task_id: Option<String>) -> Edit {
        Edit {
            action,
            task_id,
            text: None,
            plain: false,
            understand: false,
            state: None,
            due: None,
            snoozed_until: None,
            priority: None,
            session_id: None,
            hub_id: None,
            parent_id: None,
            after_id: None,
            only: false,
            seen: None,
        }
    }

    /// The edit, checked, with its words read. `pointer` is its part of the request.
    pub(crate) async fn step(self, ctx: &Ctx, caller: &Caller, pointer: &str) -> Result<Step> {
        let at = |name: &str| format!("{pointer}/{name}");
        if let Some(text) = &self.text {
            expect_name(text, TEXT_MAX, &at("text"))?;
        }
        if let Some(priority) = self.priority {
            expect_priority(priority, &at("priority"))?;
        }
        let day = |text: Option<String>, name: &str| text.map(|text| read_day(ctx, &text, &at(name))).transpose();
        let (due, snoozed_until) = (day(self.due, "due")?, day(self.snoozed_until, "snoozedUntil")?);
        let named = |id: Option<String>| id.ok_or_else(|| invalid(&at("taskId"), MISSING, "taskId is required."));
        let to = Target { hub: self.hub_id, parent: self.parent_id, after: self.after_id };
        Ok(match self.action {
            Action::Add => {
                expect_hub(ctx, caller, to.hub.as_deref(), &at("hubId")).await?;
                let text = self.text.ok_or_else(|| invalid(&at("text"), MISSING, "text is required."))?;
                let Understood { text, due: mentioned, priority, .. } = match self.plain {
                    true => Understood { text: text.trim().to_owned(), ..Understood::default() },
                    false => understand(ctx, &text),
                };
                Step::Add(New {
                    id: self.task_id.map(|id| expect_id(id, &at("taskId"))).transpose()?.unwrap_or_default(),
                    to,
                    text,
                    due: due.unwrap_or(mentioned),
                    snoozed_until: snoozed_until.unwrap_or_default(),
                    priority: self.priority.or(priority),
                })
            }
            Action::Set => {
                expect_session(ctx, caller, self.session_id.as_deref(), &at("sessionId")).await?;
                Step::Set(Set {
                    id: named(self.task_id)?,
                    text: self.text.map(|text| text.trim().to_owned()),
                    is_understood: self.understand,
                    state: self.state,
                    due,
                    snoozed_until,
                    priority: self.priority,
                    session: self.session_id,
                    is_alone: self.only,
                    seen: self.seen,
                })
            }
            Action::Move => {
                expect_hub(ctx, caller, to.hub.as_deref(), &at("hubId")).await?;
                Step::Move { id: named(self.task_id)?, to }
            }
            Action::Delete => Step::Delete { id: named(self.task_id)? },
            Action::Restore => Step::Restore { id: named(self.task_id)? },
        })
    }
}

fn expect_id(id: String, pointer: &str) -> Result<String> {
    match id.len() == ID_LETTERS && kit::ids::is_letters(&id) {
        true => Ok(id),
        false => {
            let detail = format!("Use {ID_LETTERS} digits and lower-case letters without i, l, o, and u.");
            Err(invalid(pointer, WRONG_FORMAT, detail))
        }
    }
}

/// Rejects a hub that isn't the account's.
async fn expect_hub(ctx: &Ctx, caller: &Caller, hub: Option<&str>, pointer: &str) -> Result<()> {
    let Some(hub) = hub.filter(|hub| !hub.is_empty()) else { return Ok(()) };
    match ctx.service::<Hubs>().0.missing(&caller.account, vec![hub.to_owned()]).await?.is_empty() {
        true => Ok(()),
        false => Err(unknown(UNKNOWN_HUB, pointer)),
    }
}

/// Rejects a session that the caller doesn't see.
async fn expect_session(ctx: &Ctx, caller: &Caller, session: Option<&str>, pointer: &str) -> Result<()> {
    let Some(session) = session.filter(|session| !session.is_empty()) else { return Ok(()) };
    let is_seen = caller.sessions_seen().shows(session, None);
    let found = ctx.service::<WorkNames>().0.titles(&caller.account, vec![session.to_owned()], Vec::new()).await?;
    match is_seen && found.sessions.contains_key(session) {
        true => Ok(()),
        false => Err(unknown(UNKNOWN_SESSION, pointer)),
    }
}

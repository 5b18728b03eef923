//! Scheduled messages as sent.

use crate::message::{Approval, Message, Target};
use kit::rfc3339;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use when::fields::TimeRecord;

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ScheduledTarget")]
#[serde(rename_all = "lowercase")]
enum TargetName {
    /// The inbox.
    Inbox,
    /// A session.
    Session,
    /// A new session in a hub.
    Hub,
}

/// Whether you approved a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ScheduledApproval")]
#[serde(rename_all = "lowercase")]
enum ApprovalName {
    /// It's yours.
    None,
    /// An agent scheduled it, and nothing is sent until you approve it.
    Waiting,
    /// You approved it.
    Approved,
    /// You denied it.
    Denied,
}

/// A scheduled message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduledMessage")]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageRecord {
    pub(crate) id: String,
    title: String,
    /// Markdown.
    body: String,
    target: TargetName,
    /// The session that it's sent to; null for others.
    session_id: Option<String>,
    /// The hub in which it starts a session; null for others.
    hub_id: Option<String>,
    /// Whether it's on. A message that is sent once turns off then.
    on: bool,
    #[serde(flatten)]
    when: TimeRecord,
    /// When it's sent next; RFC 3339 in UTC. Null if never.
    next_at: Option<String>,
    approval: ApprovalName,
    /// The session that scheduled it; null for yours.
    by_session_id: Option<String>,
    /// How often it was sent.
    sent: i64,
    /// When it was last sent; RFC 3339 in UTC. Null if never.
    last_at: Option<String>,
    /// Why it wasn't sent the last time; empty if it was.
    problem: String,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
}

impl From<&Message> for MessageRecord {
    fn from(message: &Message) -> MessageRecord {
        let time = |ms: i64| Some(ms).filter(|ms| *ms > 0).map(rfc3339);
        let (target, session_id, hub_id) = match &message.target {
            Target::Inbox => (TargetName::Inbox, None, None),
            Target::Session(id) => (TargetName::Session, Some(id.clone()), None),
            Target::Hub(id) => (TargetName::Hub, None, Some(id.clone())),
        };
        MessageRecord {
            id: message.id.clone(),
            title: message.title.clone(),
            body: message.body.clone(),
            target,
            session_id,
            hub_id,
            on: message.is_on,
            when: TimeRecord::from(&message.occurrence),
            next_at: time(message.next_ms),
            approval: match message.approval {
                Approval::None => ApprovalName::None,
                Approval::Waiting => ApprovalName::Waiting,
                Approval::Approved => ApprovalName::Approved,
                Approval::Denied => ApprovalName::Denied,
            },
            by_session_id: Some(message.by_session.clone()).filter(|id| !id.is_empty()),
            sent: message.sent,
            last_at: time(message.last_ms),
            problem: message.problem.clone(),
            created_at: rfc3339(message.created_ms),
            changed_at: rfc3339(message.changed_ms),
        }
    }
}

/// A time in words, as understood.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnderstoodSchedule")]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnderstoodRecord {
    /// What the words say besides the time; can be empty.
    pub(crate) title: String,
    #[serde(flatten)]
    pub(crate) when: TimeRecord,
    /// The next time; RFC 3339 in UTC.
    pub(crate) next_at: String,
}

/// What the record of changes says about a message.
pub(crate) fn summary(message: &Message) -> Value {
    let (target, target_id) = message.target.parts();
    json!({
        "title": message.title, "body": message.body, "target": target, "targetId": target_id, "on": message.is_on,
        "time": TimeRecord::from(&message.occurrence), "approval": message.approval.name(),
    })
}

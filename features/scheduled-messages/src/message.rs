//! A scheduled message, and what happens at its time. Pure.

use when::occurrence::Occurrence;

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Inbox,
    Session(String),
    /// A new session in this hub.
    Hub(String),
}

impl Target {
    /// As stored: its name, and its id.
    pub(crate) fn parts(&self) -> (&'static str, &str) {
        match self {
            Target::Inbox => ("inbox", ""),
            Target::Session(id) => ("session", id),
            Target::Hub(id) => ("hub", id),
        }
    }
    pub(crate) fn from_parts(name: &str, id: String) -> Target {
        match name {
            "session" => Target::Session(id),
            "hub" => Target::Hub(id),
            _ => Target::Inbox,
        }
    }
}

/// Whether you approved a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    /// It's yours.
    None,
    Waiting,
    Approved,
    Denied,
}

impl Approval {
    pub(crate) const ALL: [Approval; 4] = [Approval::None, Approval::Waiting, Approval::Approved, Approval::Denied];
    /// As stored.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Approval::None => "none",
            Approval::Waiting => "waiting",
            Approval::Approved => "approved",
            Approval::Denied => "denied",
        }
    }
    /// Whether its messages are sent.
    pub(crate) fn lets_send(self) -> bool {
        matches!(self, Approval::None | Approval::Approved)
    }
}

/// A scheduled message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) title: String,
    /// Markdown.
    pub(crate) body: String,
    pub(crate) target: Target,
    pub(crate) is_on: bool,
    pub(crate) occurrence: Occurrence,
    /// The next time; 0 if none.
    pub(crate) next_ms: i64,
    pub(crate) approval: Approval,
    /// The session that scheduled it; empty for the user.
    pub(crate) by_session: String,
    /// How often it was sent.
    pub(crate) sent: i64,
    /// When it was last sent; 0 if never.
    pub(crate) last_ms: i64,
    /// Why it wasn't sent the last time; empty if it was.
    pub(crate) problem: String,
    pub(crate) deleted_ms: i64,
    pub(crate) created_ms: i64,
    pub(crate) changed_ms: i64,
}

impl Message {
    /// When it's due; `None` while it's off, deleted, waits for approval, or has no next time.
    pub(crate) fn due_ms(&self) -> Option<i64> {
        let is_live = self.is_on && self.deleted_ms == 0 && self.approval.lets_send();
        Some(self.next_ms).filter(|next_ms| is_live && *next_ms > 0)
    }

    /// Turns it on or off, and finds its next time.
    pub(crate) fn set_on(&mut self, is_on: bool, now_ms: i64) {
        self.next_ms = if is_on { self.occurrence.next_after(now_ms).unwrap_or(0) } else { 0 };
        self.is_on = is_on && self.next_ms > 0;
    }

    /// Moves on to the time after now. A message that is sent once is then off.
    pub(crate) fn advance(&mut self, now_ms: i64) {
        let repeats = self.occurrence.repeats();
        self.set_on(repeats, now_ms);
    }
}

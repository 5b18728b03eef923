//! What a digest says: facts by hub, and statements about them.

use kit::lookup::ActiveSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sessions in a digest at most.
pub(crate) const SESSIONS_MAX: usize = 200;

/// A session in a digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DigestSession")]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionFact {
    pub(crate) id: String,
    pub(crate) title: String,
    /// Empty if the hub was removed.
    pub(crate) hub: String,
    /// Its state in words, at the time of the digest.
    pub(crate) state: String,
    pub(crate) needs_you: bool,
    pub(crate) turns: i64,
    /// US dollars in all, if its engine reports them.
    pub(crate) cost_usd: Option<f64>,
}

/// A sentence by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DigestStatement")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Statement {
    pub(crate) text: String,
    /// The sessions that it's about; at least one.
    pub(crate) session_ids: Vec<String>,
}

/// What another source than sessions has for the day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DigestSection")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Section {
    /// The source, as in the setting `dailyDigestSources`.
    pub(crate) source: String,
    /// Its heading.
    pub(crate) label: String,
    pub(crate) entries: Vec<Entry>,
    /// Whether there were more.
    pub(crate) has_more: bool,
}

/// A fact in a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DigestSectionEntry")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    pub(crate) title: String,
    /// Its board; empty for an event.
    pub(crate) about: String,
    /// When it begins, RFC 3339 in UTC; null if it takes the whole day.
    pub(crate) at: Option<String>,
    /// The page that shows it, below `/app`.
    pub(crate) link: String,
}

/// What a digest says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DigestContent")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Content {
    /// Sessions that were active, those that need you first.
    pub(crate) sessions: Vec<SessionFact>,
    /// Whether there were more.
    pub(crate) has_more: bool,
    /// What a model wrote about them; empty without one.
    pub(crate) statements: Vec<Statement>,
    /// The model that wrote them; empty without one.
    pub(crate) model: String,
    /// Why no model wrote anything; empty if one did, or none is chosen.
    pub(crate) note: String,
    /// Sources that were left out, with the reason.
    pub(crate) skipped: Vec<String>,
    /// Whether sessions aren't among the chosen sources.
    #[serde(default)]
    pub(crate) omits_sessions: bool,
    /// The other chosen sources.
    #[serde(default)]
    pub(crate) sections: Vec<Section>,
}

impl Content {
    /// The facts of these sessions.
    pub(crate) fn from_sessions(mut sessions: Vec<ActiveSession>) -> Content {
        let has_more = sessions.len() > SESSIONS_MAX;
        sessions.truncate(SESSIONS_MAX);
        sessions.sort_by_key(|session| !session.needs_you);
        let fact = |session: ActiveSession| SessionFact {
            id: session.id,
            title: session.title,
            hub: session.hub,
            state: session.state,
            needs_you: session.needs_you,
            turns: session.turns,
            cost_usd: session.cost_usd,
        };
        Content { sessions: sessions.into_iter().map(fact).collect(), has_more, ..Content::default() }
    }

    /// Whether it has nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        let has_entries = self.sections.iter().any(|section| !section.entries.is_empty());
        self.sessions.is_empty() && self.skipped.is_empty() && !has_entries
    }

    /// The digest in one line, for the inbox.
    pub(crate) fn line(&self) -> String {
        if let Some(first) = self.statements.first() {
            return first.text.clone();
        }
        let mut parts = if self.omits_sessions { Vec::new() } else { vec![self.session_count()] };
        let sections = self.sections.iter().filter(|section| !section.entries.is_empty());
        parts.extend(sections.map(|section| {
            let more = if section.has_more { "+" } else { "" };
            format!("{}: {}{more}", section.label, section.entries.len())
        }));
        if parts.is_empty() { "Nothing for today".to_owned() } else { parts.join("; ") }
    }

    fn session_count(&self) -> String {
        let count = self.sessions.len();
        let waiting = self.sessions.iter().filter(|session| session.needs_you).count();
        let sessions = if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") };
        if waiting == 0 {
            format!("{sessions} active")
        } else {
            format!("{sessions} active, {waiting} waiting for you")
        }
    }
}

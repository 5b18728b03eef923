//! Callers: their kinds, and what they can see.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Kinds of caller. `Public` has no token and can use only `GET /health` and the login exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The user, through Pilothouse's own pages.
    Owner,
    /// The global command-line token.
    Cli,
    /// A session's scoped token.
    Agent,
    /// An API token of a member of the account.
    Member,
    /// A caller without a token.
    Public,
}

impl Kind {
    /// All kinds, in the order of the access table.
    pub const ALL: [Kind; 5] = [Kind::Owner, Kind::Cli, Kind::Agent, Kind::Member, Kind::Public];
    /// As sent.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Owner => "owner",
            Kind::Cli => "cli",
            Kind::Agent => "agent",
            Kind::Member => "member",
            Kind::Public => "public",
        }
    }
    /// Kinds with a token. Changes are attributed to them.
    pub const KNOWN: [Kind; 4] = [Kind::Owner, Kind::Cli, Kind::Agent, Kind::Member];
    /// Title for callers without a name of their own.
    pub const fn title(self) -> &'static str {
        match self {
            Kind::Owner => "Owner",
            Kind::Cli => "Command line",
            Kind::Agent => "Session",
            Kind::Member => "Member",
            Kind::Public => "Public",
        }
    }
}

/// A set of caller kinds: who may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallerSet(u8);

impl CallerSet {
    /// Only the user, on the page.
    pub const OWNER: CallerSet = CallerSet(1);
    /// The user's scripts.
    pub const CLI: CallerSet = CallerSet(2);
    /// Sessions.
    pub const AGENT: CallerSet = CallerSet(4);
    /// Members of the account.
    pub const MEMBER: CallerSet = CallerSet(8);
    /// Anyone whom the guard admits, with or without a token.
    pub const PUBLIC: CallerSet = CallerSet(31);
    /// The user, on the page or by script.
    pub const PERSON: CallerSet = CallerSet(3);
    /// The user and sessions.
    pub const PERSON_AND_AGENTS: CallerSet = CallerSet(7);
    /// Every caller with a token.
    pub const ANYONE_KNOWN: CallerSet = CallerSet(15);

    /// The union of two sets.
    pub const fn and(self, other: CallerSet) -> CallerSet {
        CallerSet(self.0 | other.0)
    }
    /// The set without another.
    pub const fn without(self, other: CallerSet) -> CallerSet {
        CallerSet(self.0 & !other.0)
    }
    /// Whether the kind is in the set.
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }
}

/// The sessions that a caller can see: the one rule for records, lists, boards, events, and errors. Other sessions
/// don't exist for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionsSeen {
    /// Every session of the account: the owner and the command line.
    All,
    /// This session and its child sessions.
    Of(Arc<str>),
    /// No session: members.
    None,
}

impl SessionsSeen {
    /// Whether a session is visible. `parent` is the session that started it.
    pub fn shows(&self, session: &str, parent: Option<&str>) -> bool {
        match self {
            SessionsSeen::All => true,
            SessionsSeen::Of(own) => **own == *session || parent == Some(&**own),
            SessionsSeen::None => false,
        }
    }
    /// The name of a session that made a change, if visible. Parents aren't checked.
    pub fn named(&self, session: Option<String>) -> Option<String> {
        session.filter(|session| self.shows(session, None))
    }
}

/// A caller that the guard has identified.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    /// The kind.
    pub kind: Kind,
    /// Its account, to which every query is bound.
    pub account: Arc<str>,
    /// Identifies the token in the audit (never the token itself).
    pub token_id: Arc<str>,
    /// The session of a scoped token.
    pub session: Option<Arc<str>>,
    /// Scopes of a scoped token, such as `settings:read`; other kinds have none and need none.
    pub scopes: Vec<String>,
    /// The member that a member token speaks for.
    pub member: Option<Arc<str>>,
    /// Whether the token comes from a sign-in since Pilothouse started, or while only the page was served.
    pub logged_in: bool,
    /// Whether it uses MCP. Such a caller is an agent, whatever its token.
    pub through_mcp: bool,
}

impl Caller {
    /// A caller of a kind in an account, without session, scopes, member or login.
    pub fn new(kind: Kind, account: &str, token_id: &str) -> Self {
        Caller {
            kind,
            account: account.into(),
            token_id: token_id.into(),
            session: None,
            scopes: Vec::new(),
            member: None,
            logged_in: false,
            through_mcp: false,
        }
    }
    /// Whether it's an agent: with a session's token, or through MCP with any token.
    pub fn is_agent(&self) -> bool {
        self.kind == Kind::Agent || self.through_mcp
    }
    /// The sessions that it can see.
    pub fn sessions_seen(&self) -> SessionsSeen {
        match (self.kind, &self.session) {
            (Kind::Owner | Kind::Cli, _) => SessionsSeen::All,
            (Kind::Agent, Some(session)) => SessionsSeen::Of(session.clone()),
            _ => SessionsSeen::None,
        }
    }
    /// Whether it has the scope. Only agents' tokens have scopes; others need none.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.kind != Kind::Agent || self.scopes.iter().any(|one| one == scope)
    }
}

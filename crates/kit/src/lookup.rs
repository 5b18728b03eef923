//! How a feature asks whether a thing of another feature exists, without knowing that feature.

use crate::caller::{Caller, SessionsSeen};
use crate::ctx::Ctx;
use crate::error::{Result, invalid, unknown};
use crate::fault::{MISSING, UNKNOWN_WORKSPACE};
use crate::secret::Secret;
use bytes::Bytes;
use futures_core::future::BoxFuture;
use std::collections::HashMap;
use std::sync::Arc;

/// Where this program's control server is reached; known once it listens, and never where a command works without it. Provided
/// by the app.
pub struct Served(pub Box<dyn Fn() -> BoxFuture<'static, Arc<str>> + Send + Sync>);

/// The tokens that the program gives to sessions, provided by accounts.
pub struct SessionTokens(pub Arc<dyn GiveTokens>);

/// The sessions that a token can be made for: those that exist and have not ended. Provided by sessions.
pub struct LiveSessions(pub Box<dyn Lookup>);

/// Gives sessions their tokens. They are in memory alone: nobody holds one any more once the program has ended.
pub trait GiveTokens: Send + Sync {
    /// A token for a session, with these scopes. Any that it had ends.
    fn give(&self, account: &str, session: &str, scopes: Vec<String>) -> String;
    /// Ends the session's token.
    fn end(&self, account: &str, session: &str);
    /// The sessions for which people made tokens that are still in force, each with its account.
    fn sessions_with_tokens(&self) -> Vec<(Arc<str>, Arc<str>)>;
    /// Revokes what people made for a session that has ended.
    fn revoke_made(&self, account: Arc<str>, session: Arc<str>) -> BoxFuture<'static, Result<()>>;
}

/// Tells which identifiers the account does not have.
pub trait Lookup: Send + Sync {
    /// Of `ids`, those that are not the account's, in the order given.
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>>;
    /// The one that the account has, if it has exactly one: what is meant where none is named. None unless the provider says so.
    fn only(&self, _account: &str) -> BoxFuture<'static, Result<Option<String>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// The account that was made first: installation-wide settings are its. Provided by accounts.
pub struct FirstAccount(pub Arc<str>);
const WORKSPACE_NEEDED: &str =
    "Set workspaceId: the account doesn't have exactly one workspace. List them with `pilothouse workspaces list`.";

/// Workspaces, provided by accounts.
pub struct Workspaces(pub Box<dyn Lookup>);

impl Workspaces {
    /// Refuses a workspace that is not one of the account's, as named by the member `workspaceId`.
    pub async fn expect(&self, account: &str, workspace_id: &str) -> Result<()> {
        let missing = self.0.missing(account, vec![workspace_id.to_owned()]).await?;
        if missing.is_empty() { Ok(()) } else { Err(unknown(UNKNOWN_WORKSPACE, "/workspaceId")) }
    }

    /// The workspace that is named or, where none is, the account's only one.
    pub async fn named_or_only(&self, account: &str, named: Option<String>) -> Result<String> {
        if let Some(workspace_id) = named {
            self.expect(account, &workspace_id).await?;
            return Ok(workspace_id);
        }
        let only = self.0.only(account).await?;
        only.ok_or_else(|| invalid("/workspaceId", MISSING, WORKSPACE_NEEDED))
    }
}

/// Hubs, provided by sessions.
pub struct Hubs(pub Box<dyn Lookup>);
/// Boards, provided by boards.
pub struct Boards(pub Box<dyn Lookup>);
/// What boards hold, for features that compute from it; provided by boards.
pub struct BoardData(pub Box<dyn ReadBoards>);

/// A whole board as the Arrow stream that the widget engine reads, in parts that stand in memory already.
#[derive(Debug, Clone)]
pub struct BoardStream {
    /// Another one whenever the board is.
    pub tag: Arc<str>,
    /// When it changed last, in milliseconds since 1970.
    pub changed_ms: i64,
    /// The stream.
    pub parts: Vec<Bytes>,
}

/// Where days and weeks begin for a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calendar {
    /// Minutes that the caller's time is ahead of UTC at present.
    pub utc_offset_minutes: i32,
    /// The first day of the week: 0 Monday to 6 Sunday.
    pub week_start: u8,
}

/// Reads boards, and days as filters of boards mean them.
pub trait ReadBoards: Send + Sync {
    /// The board as it is now, with the sessions that are seen where it is that of sessions; none where it is not one of the
    /// account's.
    fn stream(
        &self,
        ctx: &Ctx,
        account: &str,
        board_id: &str,
        seen: &SessionsSeen,
    ) -> BoxFuture<'static, Result<Option<BoardStream>>>;
    /// The calendar of a caller: of the time zone that it names in its member `timeZone`, else of its own.
    fn calendar(&self, ctx: &Ctx, caller: &Caller, time_zone: Option<&str>) -> BoxFuture<'static, Result<Calendar>>;
}

/// The id of the board that agent sessions are read as.
pub const AGENT_SESSIONS: &str = "agent-sessions";

/// Sessions of agents, which boards show as a board; provided by whoever runs them. What changes of them is told as a change of
/// the board [`AGENT_SESSIONS`].
pub struct AgentSessions(pub Box<dyn ReadSessions>);

/// Reads sessions.
pub trait ReadSessions: Send + Sync {
    /// The sessions of the account that are seen.
    fn seen(&self, ctx: &Ctx, account: &str, seen: &SessionsSeen) -> BoxFuture<'static, Result<Sessions>>;
}

/// The sessions of an account.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sessions {
    /// All that there are.
    pub all: Vec<Session>,
    /// When one came, changed or went last, in milliseconds since 1970. It rises with each such change.
    pub changed_ms: i64,
}

/// A session of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What runs it, as people call that; empty where nothing does yet.
    pub engine: String,
    /// The model that it speaks with; empty where it is not known.
    pub model: String,
    /// How it stands.
    pub state: SessionState,
    /// What it has cost so far in US dollars, where that is known.
    pub cost_usd: Option<f64>,
    /// How often it was asked.
    pub turns: i64,
    /// How long it has worked.
    pub run_ms: i64,
    /// When it began to work.
    pub started_ms: Option<i64>,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// When it was made.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionState {
    /// Not begun, or waiting for its turn.
    Waiting,
    /// At work.
    Running,
    /// It waits for a person.
    NeedsPerson,
    /// Ended before it was done, by a person or with the program.
    Stopped,
    /// Ended by a fault.
    Failed,
    /// Done.
    Finished,
}

/// Variables that a session is started with since a person gave their values for it; provided by whoever keeps secrets.
pub struct SessionEnv(pub Box<dyn GiveEnv>);

/// Gives variables to sessions.
pub trait GiveEnv: Send + Sync {
    /// Reads the session's variables with their names. One whose value can't be read is left out.
    fn variables(&self, account: &str, session: &str) -> BoxFuture<'static, Result<Vec<(String, Secret)>>>;
}

/// Members of the account with their names, provided by accounts.
pub struct Members(pub Box<dyn MemberDirectory>);

/// Who holds a token, as far as people know it by that.
#[derive(Debug, Clone, Default)]
pub struct Holder {
    /// What the token is called.
    pub name: String,
    /// The member that it speaks for.
    pub member: Option<String>,
}

/// Reads the member directory. As a [`Lookup`], tells which identifiers are not members of the account.
pub trait MemberDirectory: Lookup {
    /// Every member of the account as (id, name, e-mail).
    fn all(&self, account: &str) -> BoxFuture<'static, Result<Vec<(String, String, String)>>>;
    /// Every member of the account with the name of its time zone, empty where none was set.
    fn zones(&self, account: &str) -> BoxFuture<'static, Result<Vec<(String, String)>>>;
    /// The tokens of the account that are in force, of sessions and members, by their ids; none where a directory has none.
    fn holders(&self, _account: &str) -> BoxFuture<'static, Result<HashMap<String, Holder>>> {
        Box::pin(async { Ok(HashMap::new()) })
    }
}

/// Names of boards and their parts in recorded changes, provided by boards.
pub struct ChangedThings(pub Box<dyn NameChanges>);

/// A recorded change as far as names in it are looked up.
#[derive(Debug, Clone, Default)]
pub struct NamelessChange {
    /// Kind of thing, such as `item`.
    pub subject: String,
    /// Its id.
    pub subject_id: String,
    /// Which part of it.
    pub field: String,
    /// The value before.
    pub before: Option<serde_json::Value>,
    /// The value after.
    pub after: Option<serde_json::Value>,
}

/// Names of a recorded change; each none where there is nothing better than the recorded text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeNames {
    /// Name of the thing.
    pub subject: Option<String>,
    /// Title of the part, such as of a column.
    pub field: Option<String>,
    /// The value before, with names of labels, members, and groups.
    pub before: Option<serde_json::Value>,
    /// The value after.
    pub after: Option<serde_json::Value>,
}

/// Names what changes are about.
pub trait NameChanges: Send + Sync {
    /// The names of each change, in order. `members`: names by id.
    fn names(
        &self,
        account: &str,
        changes: Vec<NamelessChange>,
        members: HashMap<String, String>,
    ) -> BoxFuture<'static, Result<Vec<ChangeNames>>>;
}

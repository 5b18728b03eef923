//! Lookups of other features' things, without depending on those features.

use crate::caller::{Caller, SessionsSeen};
use crate::ctx::Ctx;
use crate::error::{Result, invalid, unknown};
use crate::fault::{MISSING, UNKNOWN_WORKSPACE};
use crate::secret::Secret;
use bytes::Bytes;
use futures_core::future::BoxFuture;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The URL of the control server, once it listens. Never provided where a command works without it. Provided by the
/// app.
pub struct Served(pub Box<dyn Fn() -> BoxFuture<'static, Arc<str>> + Send + Sync>);

/// Session tokens; provided by accounts.
pub struct SessionTokens(pub Arc<dyn GiveTokens>);

/// Sessions that haven't ended, which a token can be created for. Provided by sessions.
pub struct LiveSessions(pub Box<dyn Lookup>);

/// Creates session tokens. They exist only in memory and end with the program.
pub trait GiveTokens: Send + Sync {
    /// Creates a session's token with these scopes. Its previous token ends.
    fn give(&self, account: &str, session: &str, scopes: Vec<String>) -> String;
    /// Ends the session's token.
    fn end(&self, account: &str, session: &str);
    /// Sessions with valid tokens created by hand, each with its account.
    fn sessions_with_tokens(&self) -> Vec<(Arc<str>, Arc<str>)>;
    /// Revokes a session's tokens created by hand.
    fn revoke_made(&self, account: Arc<str>, session: Arc<str>) -> BoxFuture<'static, Result<()>>;
}

/// Finds IDs that don't exist in an account.
pub trait Lookup: Send + Sync {
    /// The `ids` that aren't the account's, in order.
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>>;
    /// The account's only one, if it has exactly one. Used as default. None unless the provider implements it.
    fn only(&self, _account: &str) -> BoxFuture<'static, Result<Option<String>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// Answers sessions' requests for the user; provided by sessions.
pub struct SessionAnswers(pub Box<dyn AnswerRequests>);

/// Answers requests.
pub trait AnswerRequests: Send + Sync {
    /// Allows or denies a request once. An error if it was answered before.
    fn answer(&self, account: &str, session: &str, ask: &str, allow: bool) -> BoxFuture<'static, Result<()>>;
}

/// Starts sessions and sends messages at their time; provided by sessions.
pub struct ScheduledWork(pub Box<dyn StartScheduled>);

/// A message to be sent to a session, or to start one with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledPrompt {
    /// Identifies it. Of prompts with the same id, the first one counts.
    pub id: String,
    /// The text.
    pub text: String,
    /// The title of a new session.
    pub title: String,
}

/// Does scheduled work. It counts as agent-driven: its settings and limits apply.
pub trait StartScheduled: Send + Sync {
    /// Starts a session in a hub. Its id is the prompt's.
    fn start(&self, account: &str, hub: &str, prompt: ScheduledPrompt) -> BoxFuture<'static, Result<()>>;
    /// Sends a message to a session.
    fn send(&self, account: &str, session: &str, prompt: ScheduledPrompt) -> BoxFuture<'static, Result<()>>;
}

/// All sessions of an account at once; provided by sessions.
pub struct AllSessions(pub Box<dyn ControlSessions>);

/// Controls and counts all sessions.
pub trait ControlSessions: Send + Sync {
    /// Cancels the turn of every session that works. They keep what they know, and go on with the next message.
    fn cancel_all(&self, account: &str) -> BoxFuture<'static, Result<()>>;
    /// The sessions of all accounts that work.
    fn working(&self) -> BoxFuture<'static, Result<HashSet<String>>>;
    /// How many sessions work, and how many wait for a usage limit.
    fn counts(&self, account: &str) -> BoxFuture<'static, Result<SessionCounts>>;
}

/// Numbers of sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SessionCounts {
    pub running: usize,
    pub limited: usize,
}

/// Quits Pilothouse, provided by the app.
pub struct Quit(pub Box<dyn Fn() + Send + Sync>);

/// The desktop window, provided by the feature of the window.
pub struct DesktopWindow(pub Box<dyn ControlWindow>);

/// Controls the desktop window of an account.
pub trait ControlWindow: Send + Sync {
    /// Brings it to the front, at this page (`/app/…`) if one is named. Returns whether there is a window that can.
    fn raise(&self, account: &str, page: Option<&str>) -> bool;
    /// Why it can't be brought to the front now; `None` if it can.
    fn obstacle(&self, account: &str) -> Option<String>;
    /// Opens the window of a note, if it isn't open.
    fn open_note(&self, account: &str, note: NoteWindow);
    /// Closes the window of a note.
    fn close_note(&self, account: &str, id: &str);
}

/// A small window above all others. Without a place, the system chooses one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct NoteWindow {
    pub id: String,
    pub page: String,
    pub place: Option<(i64, i64)>,
    pub size: (i64, i64),
}

/// The notes that have windows, provided by sticky-notes.
pub struct NoteWindows(pub Box<dyn ListNoteWindows>);

/// Lists windows of notes.
pub trait ListNoteWindows: Send + Sync {
    /// Those of an account that are open.
    fn open(&self, account: &str) -> BoxFuture<'static, Result<Vec<NoteWindow>>>;
}

/// Whether a page or window of the account is in front, provided by notifications.
pub struct WindowInFront(pub AskAccount);

/// Answers a question about an account.
pub type AskAccount = Box<dyn Fn(&Ctx, &str) -> bool + Send + Sync>;

/// Snoozes inbox rows for the user; provided by the inbox.
pub struct RowSnoozes(pub Box<dyn SnoozeRows>);

/// Snoozes rows.
pub trait SnoozeRows: Send + Sync {
    /// Snoozes a row for so many milliseconds. An error if it's over.
    fn snooze(&self, account: &str, row: &str, for_ms: i64) -> BoxFuture<'static, Result<()>>;
}

/// Focus Mode, provided by notifications.
pub struct FocusNow(pub Box<dyn ReadFocus>);

/// Reads Focus Mode.
pub trait ReadFocus: Send + Sync {
    /// When the account's Focus Mode ends, in milliseconds since 1970; later than any clock for one without an end.
    /// `None` while it's off.
    fn until_ms(&self, ctx: Ctx, account: &str) -> BoxFuture<'static, Result<Option<i64>>>;
}

/// Notifications without inbox rows, provided by notifications.
pub struct Notices(pub Box<dyn ShowNotices>);

/// Shows notifications without inbox rows.
pub trait ShowNotices: Send + Sync {
    /// Shows one now, unless Focus Mode or another setting holds notifications; then it's left out.
    fn show(&self, ctx: Ctx, account: &str, title: &str, body: &str, link: &str) -> BoxFuture<'static, Result<()>>;
}

/// Turns Focus Mode on and off for blocks of work, provided by notifications.
pub struct FocusBlocks(pub Box<dyn ControlFocus>);

/// Controls Focus Mode.
pub trait ControlFocus: Send + Sync {
    /// Whether the account's setting pomodoroAutoEnableFocusModeDefault is in effect.
    fn is_default(&self, ctx: &Ctx, account: &str) -> bool;
    /// How often the user turned Focus Mode on or off by hand. It only grows.
    fn toggles(&self, ctx: Ctx, account: &str) -> BoxFuture<'static, Result<i64>>;
    /// Turns Focus Mode on until a time in milliseconds since 1970, or off, unless the user toggled it since `toggles`
    /// was read. One that the user started stays as it is. Returns false if the user toggled it.
    fn set(&self, ctx: Ctx, account: &str, until_ms: Option<i64>, toggles: i64) -> BoxFuture<'static, Result<bool>>;
}

/// Opens a page of Pilothouse (`/app/…`) or a web address for the user; provided by the app.
pub struct OpenPage(pub Box<dyn Fn(&str) + Send + Sync>);

/// The first account, which owns installation-wide settings. Provided by accounts.
pub struct FirstAccount(pub Arc<str>);
const WORKSPACE_NEEDED: &str =
    "Set workspaceId: the account doesn't have exactly one workspace. List them with `pilothouse workspaces list`.";

/// Workspaces, provided by accounts.
pub struct Workspaces(pub Box<dyn Lookup>);

impl Workspaces {
    /// Rejects a `workspaceId` that isn't the account's.
    pub async fn expect(&self, account: &str, workspace_id: &str) -> Result<()> {
        let missing = self.0.missing(account, vec![workspace_id.to_owned()]).await?;
        if missing.is_empty() { Ok(()) } else { Err(unknown(UNKNOWN_WORKSPACE, "/workspaceId")) }
    }

    /// The named workspace, or else the account's only one.
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
/// The folders that sessions and hubs work in, provided by sessions.
pub struct WorkFolders(pub Box<dyn FindFolders>);

/// The folder of a session or hub. It may be missing on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkFolder {
    /// Its absolute path.
    pub path: String,
    /// Its hub; `None` if that was removed.
    pub hub: Option<String>,
}

/// A hub with its folder, which may be missing on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct HubFolder {
    pub account: String,
    pub id: String,
    pub name: String,
    /// Its absolute path.
    pub path: String,
}

/// Finds folders; `None` if there is no such thing in the account.
pub trait FindFolders: Send + Sync {
    /// The working directory of a session.
    fn of_session(&self, account: &str, session: &str) -> BoxFuture<'static, Result<Option<WorkFolder>>>;
    /// The folder of a hub.
    fn of_hub(&self, account: &str, hub: &str) -> BoxFuture<'static, Result<Option<WorkFolder>>>;
    /// The hubs of all accounts, without those that give each session its own folder. None unless the provider has
    /// some.
    fn hubs(&self) -> BoxFuture<'static, Result<Vec<HubFolder>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// Titles of sessions and names of hubs, provided by sessions.
pub struct WorkNames(pub Box<dyn NameWork>);

/// Titles by session, and names by hub.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)]
pub struct WorkTitles {
    pub sessions: HashMap<String, String>,
    pub hubs: HashMap<String, String>,
}

/// Names sessions and hubs.
pub trait NameWork: Send + Sync {
    /// The titles of these sessions and the names of these hubs, as far as they exist in the account.
    fn titles(&self, account: &str, sessions: Vec<String>, hubs: Vec<String>)
    -> BoxFuture<'static, Result<WorkTitles>>;
}

/// Sessions' branches, and merging them; provided by sessions.
pub struct SessionBranches(pub Box<dyn LandBranches>);

/// A session, as far as its branch is concerned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BranchSession {
    /// Its ID.
    pub id: String,
    /// The session that started it.
    pub parent: Option<String>,
    /// Its title.
    pub title: String,
    /// Its hub; `None` if that was removed.
    pub hub: Option<String>,
    /// Its working directory, which may be missing on disk.
    pub folder: String,
    /// The folder of the repository that its worktree belongs to; empty without a worktree.
    pub repository: String,
    /// The branch that its worktree was created for; empty without one.
    pub branch: String,
    /// The branch that its worktree started from; empty if unknown.
    pub base: String,
    /// The commit that its worktree started from; empty without one.
    pub base_commit: String,
    /// The label of its state.
    pub state: String,
    /// Whether it's archived.
    pub is_archived: bool,
    /// Whether it works now, or will go on by itself.
    pub is_working: bool,
}

/// What became of a session's branch, or would.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Landing {
    /// It can be merged into this branch.
    Ready { into: String },
    /// It was merged.
    Merged { into: String, commit: String },
    /// Nothing was changed: these files conflict.
    Conflicts { into: String, files: Vec<String> },
    /// Nothing was changed, for this reason.
    Skipped { reason: String },
}

/// Lists and merges the branches of sessions.
pub trait LandBranches: Send + Sync {
    /// The account's sessions that aren't archived, and archived ones with a worktree, newest first.
    fn all(&self, account: &str) -> BoxFuture<'static, Result<Vec<BranchSession>>>;
    /// Whether a session's work is complete, and its branch can be merged into its base.
    fn check(&self, caller: &Caller, session: &str) -> BoxFuture<'static, Result<Landing>>;
    /// The same, and merges it then. The base is left alone if it has uncommitted changes.
    fn merge(&self, caller: &Caller, session: &str) -> BoxFuture<'static, Result<Landing>>;
}

/// Whether all ready branches are being merged; provided by wheres-my-work.
pub struct MergingAll(pub Box<dyn Fn() -> Option<MergeRun> + Send + Sync>);

/// A merge of all ready branches that is running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRun {
    /// Its account.
    pub account: String,
    /// Its start, in milliseconds since 1970.
    pub since_ms: i64,
}

/// What sessions did, provided by sessions.
pub struct SessionActivity(pub Box<dyn ReadActivity>);

/// A session that was active in a period.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveSession {
    /// Its ID.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its hub's name; empty if that was removed.
    pub hub: String,
    /// The label of its state.
    pub state: String,
    /// Whether it waits for the user or failed.
    pub needs_you: bool,
    /// Whether it's archived.
    pub is_archived: bool,
    /// Turns in all.
    pub turns: i64,
    /// What it has cost in all, in US dollars, if its engine reports it.
    pub cost_usd: Option<f64>,
    /// Its last change, in milliseconds since 1970.
    pub changed_ms: i64,
}

/// Reads what sessions did.
pub trait ReadActivity: Send + Sync {
    /// The accounts with sessions that changed in this period.
    fn accounts(&self, from_ms: i64, to_ms: i64) -> BoxFuture<'static, Result<Vec<String>>>;
    /// The account's sessions that changed in this period, the newest first, up to `limit`.
    fn between(
        &self,
        account: &str,
        from_ms: i64,
        to_ms: i64,
        limit: usize,
    ) -> BoxFuture<'static, Result<Vec<ActiveSession>>>;
    /// These sessions, as far as they exist in the account. None unless the provider finds them.
    fn named(&self, _account: &str, _sessions: Vec<String>) -> BoxFuture<'static, Result<Vec<ActiveSession>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    /// The starts of the agents' last messages in these sessions, in their order. Agents' words are hostile.
    fn last_words(&self, account: &str, sessions: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>>;
    /// The end of a session's transcript as text, up to `bytes`: messages, and titles of tool calls. Without thinking, output
    /// of tools, and tokens. Agents' words are hostile. Empty unless the provider reads transcripts.
    fn ending(&self, _account: &str, _session: &str, _bytes: usize) -> BoxFuture<'static, Result<String>> {
        Box::pin(std::future::ready(Ok(String::new())))
    }
}

/// Boards, provided by boards.
pub struct Boards(pub Box<dyn Lookup>);
/// Data of boards, for features that compute from it; provided by boards.
pub struct BoardData(pub Box<dyn ReadBoards>);

/// Dates of items on boards, provided by boards.
pub struct BoardDates(pub Box<dyn ReadBoardDates>);

/// A date of an item: its due date, or a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardDate {
    /// The board.
    pub board_id: String,
    /// The board's name.
    pub board: String,
    /// The item.
    pub item_id: String,
    /// The item's name.
    pub title: String,
    /// The column with the date.
    pub column_id: String,
    /// Whether it's a timeline.
    pub is_span: bool,
    /// Its first day.
    pub first: jiff::civil::Date,
    /// Its last day.
    pub last: jiff::civil::Date,
}

/// Reads dates of items.
pub trait ReadBoardDates: Send + Sync {
    /// Whether the account has boards turned on.
    fn is_on(&self, ctx: &Ctx, account: &str) -> bool;
    /// Those that touch a period, of these boards of the account, or of all if none is named; up to `limit`.
    fn between(
        &self,
        ctx: &Ctx,
        account: &str,
        boards: Vec<String>,
        period: (jiff::civil::Date, jiff::civil::Date),
        limit: usize,
    ) -> BoxFuture<'static, Result<Vec<BoardDate>>>;
}

/// Events of calendars, provided by the calendar.
pub struct CalendarEvents(pub Box<dyn ReadEvents>);

/// An event on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayEvent {
    /// Its title, as anyone who sends invitations wrote it.
    pub title: String,
    /// Its start, in milliseconds since 1970; none if it takes the whole day.
    pub start_ms: Option<i64>,
}

/// Reads events of calendars.
pub trait ReadEvents: Send + Sync {
    /// Whether the account has the calendar turned on.
    fn is_on(&self, ctx: &Ctx, account: &str) -> bool;
    /// The events that take place on a day in the user's time zone, those of the whole day first.
    fn of_day(&self, ctx: Ctx, account: &str, day: jiff::civil::Date) -> BoxFuture<'static, Result<Vec<DayEvent>>>;
}

/// A whole board as the widget engine's Arrow stream, in parts that are already in memory.
#[derive(Debug, Clone)]
pub struct BoardStream {
    /// Differs for each version of the board.
    pub tag: Arc<str>,
    /// Time of the last change, in milliseconds since 1970.
    pub changed_ms: i64,
    /// The stream.
    pub parts: Vec<Bytes>,
}

/// A caller's calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calendar {
    /// Current offset from UTC, in minutes.
    pub utc_offset_minutes: i32,
    /// The first day of the week: 0 Monday to 6 Sunday.
    pub week_start: u8,
}

/// Reads boards and callers' calendars.
pub trait ReadBoards: Send + Sync {
    /// The current board, or None if it isn't the account's. The board of sessions has the visible ones.
    fn stream(
        &self,
        ctx: &Ctx,
        account: &str,
        board_id: &str,
        seen: &SessionsSeen,
    ) -> BoxFuture<'static, Result<Option<BoardStream>>>;
    /// A caller's calendar in the time zone of its `timeZone` member, or else its own.
    fn calendar(&self, ctx: &Ctx, caller: &Caller, time_zone: Option<&str>) -> BoxFuture<'static, Result<Calendar>>;
}

/// ID of the board of agent sessions.
pub const AGENT_SESSIONS: &str = "agent-sessions";

/// Agent sessions, shown as a board; provided by the feature that runs them. Their changes are reported as changes of
/// the board [`AGENT_SESSIONS`].
pub struct AgentSessions(pub Box<dyn ReadSessions>);

/// Reads sessions.
pub trait ReadSessions: Send + Sync {
    /// The account's visible sessions.
    fn seen(&self, ctx: &Ctx, account: &str, seen: &SessionsSeen) -> BoxFuture<'static, Result<Sessions>>;
}

/// The sessions of an account.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sessions {
    /// All sessions.
    pub all: Vec<Session>,
    /// Time of the last change of any of them, in milliseconds since 1970. Increases with each change.
    pub changed_ms: i64,
}

/// A session of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its engine's name; empty before it starts.
    pub engine: String,
    /// Its model; empty if unknown.
    pub model: String,
    /// Its state.
    pub state: SessionState,
    /// Its cost so far in US dollars, if known.
    pub cost_usd: Option<f64>,
    /// Number of turns.
    pub turns: i64,
    /// Time it has worked.
    pub run_ms: i64,
    /// Time of its start.
    pub started_ms: Option<i64>,
    /// Time of its end.
    pub ended_ms: Option<i64>,
    /// Time of its creation.
    pub created_ms: i64,
    /// Time of its last change.
    pub updated_ms: i64,
}

/// State of a session on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionState {
    /// Not started, or queued.
    Waiting,
    /// Working.
    Running,
    /// Needs the user.
    NeedsPerson,
    /// Ended early, by the user or with Pilothouse.
    Stopped,
    /// Failed.
    Failed,
    /// Finished.
    Finished,
}

/// Environment variables of a session whose values the user provided; provided by the feature that stores secrets.
pub struct SessionEnv(pub Box<dyn GiveEnv>);

/// Gives variables to sessions.
pub trait GiveEnv: Send + Sync {
    /// Reads the session's variables with their names. One whose value can't be read is left out.
    fn variables(&self, account: &str, session: &str) -> BoxFuture<'static, Result<Vec<(String, Secret)>>>;
}

/// Members of the account with their names, provided by accounts.
pub struct Members(pub Box<dyn MemberDirectory>);

/// Names of a token.
#[derive(Debug, Clone, Default)]
pub struct Holder {
    /// The token's name.
    pub name: String,
    /// The token's member.
    pub member: Option<String>,
}

/// Reads the member directory. As a [`Lookup`], finds IDs that aren't members of the account.
pub trait MemberDirectory: Lookup {
    /// Every member of the account as (id, name, e-mail).
    fn all(&self, account: &str) -> BoxFuture<'static, Result<Vec<(String, String, String)>>>;
    /// The member that the account's user is: the one marked so, or else the only one.
    fn you(&self, _account: &str) -> BoxFuture<'static, Result<Option<String>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    /// Every member of the account with its time zone, empty if not set.
    fn zones(&self, account: &str) -> BoxFuture<'static, Result<Vec<(String, String)>>>;
    /// The account's valid tokens of sessions and members, by ID. Empty unless the directory has some.
    fn holders(&self, _account: &str) -> BoxFuture<'static, Result<HashMap<String, Holder>>> {
        Box::pin(async { Ok(HashMap::new()) })
    }
}

/// Items of boards, for rows about them; provided by boards.
pub struct Items(pub Box<dyn ReadItems>);

/// An item, as a row about it needs it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemFacts {
    /// Its name.
    pub name: String,
    /// Its board's name.
    pub board: String,
    /// IDs of the members in its people columns.
    pub members: Vec<String>,
}

/// Reads items.
pub trait ReadItems: Send + Sync {
    /// The item; `None` if it or its board is gone. An empty item ID asks for the board alone.
    fn item(&self, account: &str, board_id: &str, item_id: &str) -> BoxFuture<'static, Result<Option<ItemFacts>>>;
}

/// The hub that a session starts in where nobody chose one, provided by sessions.
pub struct AutomaticHub(pub Box<dyn FindHub>);

/// What [`AutomaticHub`] does.
pub trait FindHub: Send + Sync {
    /// The hub with Pilothouse's own code, or else that of the primary engine's newest session. None if there is neither.
    fn automatic(&self, account: &str) -> BoxFuture<'static, Result<Option<String>>>;
}

/// Names of boards and their parts in recorded changes, provided by boards.
pub struct ChangedThings(pub Box<dyn NameChanges>);

/// The parts of a recorded change that names are looked up for.
#[derive(Debug, Clone, Default)]
pub struct NamelessChange {
    /// The change's id.
    pub id: String,
    /// Kind of thing, such as `item`.
    pub subject: String,
    /// Its id.
    pub subject_id: String,
    /// Part of the thing.
    pub field: String,
    /// The value before.
    pub before: Option<serde_json::Value>,
    /// The value after.
    pub after: Option<serde_json::Value>,
}

/// Names for a recorded change; each None if only the recorded text is known.
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
    /// ID and name of an item's board.
    pub board: Option<(String, String)>,
    /// The board's revision that recorded it.
    pub revision: Option<i64>,
}

/// Finds names for recorded changes.
pub trait NameChanges: Send + Sync {
    /// IDs of a board's items, also of those in Trash and Archive.
    fn items_of(&self, account: &str, board_id: &str) -> BoxFuture<'static, Result<HashSet<String>>>;

    /// The names of each change, in order. `members`: names by id.
    fn names(
        &self,
        account: &str,
        changes: Vec<NamelessChange>,
        members: HashMap<String, String>,
    ) -> BoxFuture<'static, Result<Vec<ChangeNames>>>;
}

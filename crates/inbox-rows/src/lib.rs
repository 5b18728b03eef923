//! Rows of the inbox: what wants the person's attention, written in the transaction of what it tells of.
//!
//! Invariants: a row is on disk before anybody is told of it; of one thing (its `key`) there is at most one open row; a row
//! that waits for an answer is open until it is answered or nobody waits for it any more; a snoozed row is open.
//! Deliberately not here: reading and dismissing, which is the inbox's own (`features/inbox`), and notifications, which are
//! derived from rows.

use events::{AboutSession, Actor, Bus, Event, HasEvents, PROGRAM};
use kit::error::{Result, TOO_MANY};
use kit::ids::{short_id, without_tokens};
use kit::{Catalog, Ctx, InboxKind, Migration, Need};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, RwLock};
use store::{HasDb, Tx, params};

/// The table of rows; the feature `inbox` brings it.
pub const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, sql: include_str!("../migrations/001_inbox.sql") },
    Migration { number: 2, sql: include_str!("../migrations/002_kinds.sql") },
    Migration { number: 3, sql: include_str!("../migrations/003_snooze.sql") },
];

/// What rows are called in the record of changes.
pub const SUBJECT: &str = "inbox-row";

/// Rows that an account's inbox may hold open. What waits for an answer is not refused for it.
pub const OPEN_MAX: i64 = 100_000;
/// Open rows that one session may have made by itself.
pub const OPEN_OF_SESSION_MAX: i64 = 100;
/// Seconds after which one who met a limit may try again; the person has to look through rows first.
const FULL_RETRY_S: u32 = 60;

/// How urgent a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// For information.
    #[default]
    Info,
    /// Needs a look.
    Warning,
    /// Needs a look now.
    Critical,
}

impl Severity {
    /// All, from the least urgent one.
    pub const ALL: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Critical];
    /// The stored one; what another version stored is the least urgent.
    pub fn named(name: &str) -> Severity {
        Severity::ALL.into_iter().find(|severity| severity.name() == name).unwrap_or_default()
    }
    /// As stored and sent.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }
}

/// A row about to be posted. The texts come from agents: whoever shows them takes them for plain text.
#[derive(Debug, Clone)]
pub struct NewRow<'a> {
    /// Its kind.
    pub kind: &'static InboxKind,
    /// Names the thing that it tells of. While a row of the same key is open it is that one which says the new, unread again.
    pub key: Option<&'a str>,
    /// One line.
    pub title: &'a str,
    /// More of it; empty where the title says all.
    pub body: &'a str,
    /// How urgent it is.
    pub severity: Severity,
    /// Where it leads: a path below `/app`, or an address of the web.
    pub link: Option<&'a str>,
    /// Its session.
    pub session_id: Option<&'a str>,
    /// Its hub.
    pub project_id: Option<&'a str>,
    /// Its board.
    pub board_id: Option<&'a str>,
    /// Who wants it to be known.
    pub by: Actor,
    /// Whether it notifies nobody.
    pub is_silent: bool,
}

impl<'a> NewRow<'a> {
    /// A row with a title and nothing else, for information.
    pub fn new(kind: &'static InboxKind, title: &'a str, by: Actor) -> NewRow<'a> {
        NewRow {
            kind,
            key: None,
            title,
            body: "",
            severity: Severity::Info,
            link: None,
            session_id: None,
            project_id: None,
            board_id: None,
            by,
            is_silent: false,
        }
    }
}

/// What the table has for what a kind of row asks of the user.
pub const fn stored_need(need: Need) -> i64 {
    match need {
        Need::Nothing => 0,
        Need::Attention => 1,
        Need::Answer => 2,
    }
}

/// The key of the row of what a session asked for.
pub fn ask_key(session: &str, ask: &str) -> String {
    format!("session:{session}:{ask}")
}

/// The request that a row of this key is of, where it is one of the session's requests.
fn ask_of<'a>(session: &str, key: &'a str) -> Option<&'a str> {
    key.strip_prefix("session:")?.strip_prefix(session)?.strip_prefix(':')
}

/// Those who follow rows. Features add theirs with [`follow`] when they start.
#[derive(Default)]
struct Followers(RwLock<Vec<Arc<dyn FollowRows>>>);

/// Adds a follower of every account's rows.
pub fn follow(ctx: &Ctx, follower: Arc<dyn FollowRows>) {
    let followers = ctx.find_service::<Followers>().unwrap_or_else(|| {
        ctx.provide(Arc::new(Followers::default()));
        ctx.service()
    });
    followers.0.write().expect("no panic while held").push(follower);
}

/// Tells every follower.
fn tell_followers(ctx: &Ctx, mut tell: impl FnMut(&dyn FollowRows) -> Result<()>) -> Result<()> {
    let Some(followers) = ctx.find_service::<Followers>() else { return Ok(()) };
    let followers = followers.0.read().expect("no panic while held").clone();
    followers.iter().try_for_each(|follower| tell(&**follower))
}

/// Follows rows, in the transaction that writes them: notifications are decided there, and statistics recorded.
pub trait FollowRows: Send + Sync {
    /// A row was posted, or says something new.
    fn posted(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str, row: &NewRow<'_>) -> Result<()>;
    /// A row was answered, dismissed, or is no longer so: the stored row says which.
    fn settled(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()>;
    /// A row was snoozed. It stays open, and is posted again when it comes back.
    fn snoozed(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()>;
    /// The user looked at a row.
    fn looked(&self, _: &mut Tx<'_>, _: &Ctx, _account: &str, _row_id: &str) -> Result<()> {
        Ok(())
    }
}

/// Whether a setting of the account hides rows of this kind.
pub fn is_hidden(ctx: &Ctx, account: &str, kind: &InboxKind) -> bool {
    kind.shown_by.is_some_and(|setting| !ctx.setting(account, setting))
}

/// The request of a session that a row with this session and key is of, if it's one.
pub fn ask_in(session: Option<&str>, key: Option<&str>) -> Option<String> {
    session.zip(key).and_then(|(session, key)| ask_of(session, key)).map(str::to_owned)
}

/// Posts a row; its id. Told to pages once the transaction is on disk.
pub fn post(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row: &NewRow<'_>) -> Result<String> {
    let now_ms = ctx.now_ms();
    // Whatever a session wants to run or says may hold its token.
    let (title, body) = (without_tokens(row.title), without_tokens(row.body));
    let open = match row.key {
        Some(key) => tx.query_opt(
            "SELECT row_id, snoozed_until_ms, severity FROM inbox_rows WHERE account_id = $1 AND row_key = $2 AND settled_ms = 0",
            params![account, key],
            |found| Ok((found.get::<String>(0)?, found.get::<i64>(1)? > 0, found.get::<String>(2)?)),
        )?,
        None => None,
    };
    let mut stays_snoozed = false;
    let id = match open {
        Some((id, is_snoozed, severity)) => {
            // What only repeats itself doesn't end your snooze; what became urgent, or needs you, does.
            let is_worse = rank(row.severity.name()) > rank(&severity);
            stays_snoozed = is_snoozed && !is_worse && row.kind.need == Need::Nothing;
            if is_snoozed && !stays_snoozed {
                end_snooze(tx, account, &id)?;
            }
            tx.execute(
                "UPDATE inbox_rows SET title = $3, body = $4, severity = $5, link = $6, changed_ms = $7, read_ms = 0 \
                 WHERE account_id = $1 AND row_id = $2",
                params![account, &id, &*title, &*body, row.severity.name(), row.link, now_ms],
            )?;
            id
        }
        None => {
            has_room(tx, account, row)?;
            let id = short_id();
            tx.execute(
                "INSERT INTO inbox_rows (account_id, row_id, kind, row_key, title, body, severity, link, session_id, project_id, \
                 actor, actor_session_id, actor_member_id, created_ms, changed_ms, read_ms, settled_ms, outcome, need, board_id, place) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, 0, 0, '', $15, $16, $2)",
                params![
                    account,
                    &id,
                    row.kind.name,
                    row.key,
                    &*title,
                    &*body,
                    row.severity.name(),
                    row.link,
                    row.session_id,
                    row.project_id,
                    row.by.kind,
                    row.by.session_id.as_deref(),
                    row.by.member_id.as_deref(),
                    now_ms,
                    stored_need(row.kind.need),
                    row.board_id,
                ],
            )?;
            id
        }
    };
    if !stays_snoozed {
        tell_followers(ctx, |follower| follower.posted(tx, ctx, account, &id, row))?;
    }
    tell(tx, &ctx.events(), account, row.session_id, &id);
    Ok(id)
}

/// Posts a row unless one of its key is open, or was dismissed and is of this time or later. For what may be noticed again
/// and again while it lasts.
pub fn post_once(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row: &NewRow<'_>, since_ms: i64) -> Result<()> {
    let sql = "SELECT 1 FROM inbox_rows WHERE account_id = $1 AND row_key = $2 \
               AND (settled_ms = 0 OR (outcome = 'dismissed' AND created_ms >= $3)) LIMIT 1";
    match tx.query_opt(sql, params![account, row.key, since_ms], |_| Ok(()))? {
        Some(()) => Ok(()),
        None => post(tx, ctx, account, row).map(drop),
    }
}

/// The position of a severity among all.
fn rank(severity: &str) -> Option<usize> {
    Severity::ALL.iter().position(|one| one.name() == severity)
}

/// Puts a snoozed row back, on top of the others.
fn end_snooze(tx: &mut Tx<'_>, account: &str, row_id: &str) -> Result<()> {
    let sql = "UPDATE inbox_rows SET snoozed_until_ms = 0, place = $3 WHERE account_id = $1 AND row_id = $2";
    tx.execute(sql, params![account, row_id, short_id()]).map(drop)
}

/// Puts an open row on top again, unread, and has it notified as if it were new: its snooze is over, or its reminder is due.
pub fn resurface(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
    end_snooze(tx, account, row_id)?;
    let sql = "UPDATE inbox_rows SET read_ms = 0, changed_ms = $3 WHERE account_id = $1 AND row_id = $2";
    tx.execute(sql, params![account, row_id, ctx.now_ms()])?;
    let sql = "SELECT kind, title, body, severity, link, session_id, project_id, board_id FROM inbox_rows \
         WHERE account_id = $1 AND row_id = $2";
    let stored = tx.query_one(sql, params![account, row_id], |row| {
        let texts: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
        let places: [Option<String>; 4] = [row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?];
        Ok((texts, places))
    })?;
    let ([kind, title, body, severity], [link, session_id, project_id, board_id]) = &stored;
    let kind = ctx.find_service::<Catalog>().and_then(|all| all.inbox_kind(kind));
    if let Some(kind) = kind {
        let by = Actor::program(session_id.clone());
        let row = NewRow {
            body,
            severity: Severity::named(severity),
            link: link.as_deref(),
            session_id: session_id.as_deref(),
            project_id: project_id.as_deref(),
            board_id: board_id.as_deref(),
            ..NewRow::new(kind, title, by)
        };
        tell_followers(ctx, |follower| follower.posted(tx, ctx, account, row_id, &row))?;
    }
    tell(tx, &ctx.events(), account, session_id.as_deref(), row_id);
    Ok(())
}

/// An open row that needs the user.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenNeed {
    /// Its id.
    pub id: String,
    /// Its kind's name.
    pub kind: String,
    /// One line.
    pub title: String,
    /// More of it.
    pub body: String,
    /// Where it leads.
    pub link: Option<String>,
    /// Its session; none for a script's request.
    pub session_id: Option<String>,
    /// For a request of a session, its id there.
    pub ask_id: Option<String>,
    /// When the need began.
    pub created_ms: i64,
}

/// The condition for open rows that need the user.
const NEEDING: &str = "account_id = $1 AND settled_ms = 0 AND need > 0 AND snoozed_until_ms = 0";

/// The sessions of open rows that need the user.
pub fn needing_sessions(tx: &mut Tx<'_>, account: &str) -> Result<Vec<String>> {
    let sql = format!("SELECT DISTINCT session_id FROM inbox_rows WHERE {NEEDING} AND session_id IS NOT NULL");
    tx.query(&sql, params![account], |row| row.get(0))
}

/// Open rows that need the user, oldest first: requests, and sessions that need attention.
pub fn open_needs(tx: &mut Tx<'_>, account: &str) -> Result<Vec<OpenNeed>> {
    let sql = format!(
        "SELECT row_id, kind, title, body, link, session_id, row_key, created_ms FROM inbox_rows WHERE {NEEDING} \
         ORDER BY created_ms, row_id"
    );
    tx.query(&sql, params![account], |row| {
        let (session_id, key): (Option<String>, Option<&str>) = (row.get(5)?, row.get(6)?);
        let ask_id = ask_in(session_id.as_deref(), key);
        let (id, kind, title, body, link) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(OpenNeed { id, kind, title, body, link, session_id, ask_id, created_ms: row.get(7)? })
    })
}

/// Whether a row of this key is open.
pub fn is_open(tx: &mut Tx<'_>, account: &str, key: &str) -> Result<bool> {
    let sql = "SELECT row_id FROM inbox_rows WHERE account_id = $1 AND row_key = $2 AND settled_ms = 0";
    Ok(tx.query_opt(sql, params![account, key], |found| found.get::<String>(0))?.is_some())
}

/// The open row of this key is over: answered, withdrawn, or no longer so. `outcome` says which, in a word or two that people
/// read. False where no row of the key was open, so that who settles first is the only one.
pub fn settle(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, key: &str, outcome: &str) -> Result<bool> {
    let open = tx.query_opt(
        "SELECT row_id, session_id FROM inbox_rows WHERE account_id = $1 AND row_key = $2 AND settled_ms = 0",
        params![account, key],
        |found| Ok((found.get::<String>(0)?, found.get::<Option<String>>(1)?)),
    )?;
    let Some((id, session)) = open else { return Ok(false) };
    tx.execute(
        "UPDATE inbox_rows SET settled_ms = $3, changed_ms = $3, outcome = $4 WHERE account_id = $1 AND row_id = $2",
        params![account, &id, ctx.now_ms(), outcome],
    )?;
    settled(tx, ctx, account, session.as_deref(), &id)?;
    Ok(true)
}

/// [`settle`] for rows of these keys, where most often none is open: that needs no write.
pub async fn settle_if_open(ctx: &Ctx, account: &str, keys: Vec<String>, outcome: &'static str) -> Result<()> {
    let (of, looked) = (account.to_owned(), keys.clone());
    let is_any_open = move |tx: &mut Tx<'_>| {
        for key in &looked {
            if is_open(tx, &of, key)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    if !ctx.db().read(is_any_open).await? {
        return Ok(());
    }
    let (again, account) = (ctx.clone(), account.to_owned());
    let write =
        move |tx: &mut Tx<'_>| keys.iter().try_for_each(|key| settle(tx, &again, &account, key, outcome).map(drop));
    ctx.db().write(write).await
}

/// A row is no longer open: whoever follows rows is told.
pub fn settled_quietly(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
    tell_followers(ctx, |follower| follower.settled(tx, ctx, account, row_id))
}

/// A row was snoozed: whoever follows rows is told.
pub fn snoozed(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
    tell_followers(ctx, |follower| follower.snoozed(tx, ctx, account, row_id))
}

/// The user looked at a row: whoever follows rows is told.
pub fn looked(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
    tell_followers(ctx, |follower| follower.looked(tx, ctx, account, row_id))
}

/// Like [`settled_quietly`], and pages are told too.
pub fn settled(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, session: Option<&str>, row_id: &str) -> Result<()> {
    settled_quietly(tx, ctx, account, row_id)?;
    tell(tx, &ctx.events(), account, session, row_id);
    Ok(())
}

/// Tells pages that a row changed, once that is on disk.
pub fn tell(tx: &mut Tx<'_>, bus: &Arc<Bus>, account: &str, session: Option<&str>, row_id: &str) {
    announce(tx, bus, account, session, Event::InboxRowChanged { row_id: row_id.to_owned() });
}

/// Emits an event about a row once the transaction is on disk: a session hears of its own rows.
pub fn announce(tx: &mut Tx<'_>, bus: &Arc<Bus>, account: &str, session: Option<&str>, event: Event) {
    let about = AboutSession { id: session.unwrap_or_default().into(), parent: None };
    let (bus, account) = (bus.clone(), account.to_owned());
    tx.after_commit(move || bus.emit_about(&account, about, event));
}

/// Refuses what would fill the inbox. What somebody waits for, and what the program itself has to say, always has room.
fn has_room(tx: &mut Tx<'_>, account: &str, row: &NewRow<'_>) -> Result<()> {
    if row.by.kind == PROGRAM || row.kind.need == Need::Answer {
        return Ok(());
    }
    let count =
        |tx: &mut Tx<'_>, sql: &str, of: &[store::Value<'_>]| tx.query_one(sql, of, |found| found.get::<i64>(0));
    const OPEN: &str = "SELECT count(*) FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0";
    if count(tx, OPEN, params![account])? >= OPEN_MAX {
        let detail = format!("The inbox is full ({OPEN_MAX} open rows). Dismiss some rows first.");
        return Err(TOO_MANY.error(detail).retry_after(FULL_RETRY_S));
    }
    let Some(session) = row.by.session_id.as_deref() else { return Ok(()) };
    if count(tx, &format!("{OPEN} AND actor_session_id = $2"), params![account, session])? >= OPEN_OF_SESSION_MAX {
        let detail = format!(
            "The session has reached its limit of {OPEN_OF_SESSION_MAX} open inbox rows. Dismiss some rows first."
        );
        return Err(TOO_MANY.error(detail).retry_after(FULL_RETRY_S));
    }
    Ok(())
}

//! The list of changes: who changed what and when, with names in place of IDs.

use crate::fault;
use kit::lookup::{AgentSessions, ChangeNames, ChangedThings, Holder, Members, NamelessChange};
use kit::page::expect_within;
use kit::text::{CURSOR, id_cursor};
use kit::{Call, Caller, Ctx, Kind, Page, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use store::{ChangeRow, HasDb, Tx, params};

/// Maximum changes per response.
const PAGE_MAX: i64 = 500;
/// Maximum changes that a call reads to fill a page with `since` and `by`.
const READ_MAX: usize = 20_000;
/// How far the order of changes can differ from their times, which are read before the change is written.
const GRACE_MS: i64 = 60 * 60 * 1000;
/// Candidates and names that an error lists.
const SHOWN_MAX: usize = 20;
/// Number of a thing's changes searched for its name.
const NAMING_CHANGES_MAX: i64 = 100;

/// Kinds of things with special handling.
const SESSION: &str = "session";
const SETTING: &str = "setting";
const ITEM: &str = "item";
const CREATED: &str = "created";

/// Filters of the list of changes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ListChanges {
    /// Only changes to this kind of object: `setting`, `board`, `item`, `dashboard`, `dashboardApp`, `session`,
    /// `session-rule`, `worktree`, `hub`, `ask`, `secret`, `inbox-row`, `member`, `workspace`, `token`, or `account`.
    #[serde(default)]
    subject: String,
    /// Only changes of the thing with this ID.
    #[serde(default)]
    subject_id: String,
    /// Only changes of this board and its items.
    board_id: Option<String>,
    /// Only changes since this time: an RFC 3339 time, a date such as 2026-01-31, or an age such as 30m, 2h, 3d, or 1w.
    since: Option<String>,
    /// Only changes by this member (name, address, or ID), session (title or ID), token (name or ID), or kind of caller
    /// (`owner`, `cli`, `agent`, `member`).
    by: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 500. Default: 100. With `since`, `by`, or `boardId`, pages can be shorter.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<i64>,
}

/// A recorded change.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeRecord {
    id: String,
    /// RFC 3339 in UTC.
    at: String,
    /// Kind of caller.
    actor: String,
    /// The token's ID, never the token.
    actor_id: String,
    /// Name of the member or token, title of the session, or the kind of caller.
    by: String,
    session_id: Option<String>,
    /// `created`, `changed`, `deleted`, `restored`, `archived`, or `reset`; `added` or `removed` for a part of a thing.
    what: &'static str,
    subject: String,
    subject_id: String,
    /// Name of the thing, if known. For a deleted thing, its last name.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject_name: Option<String>,
    /// An item's board, while the item is on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    board_id: Option<String>,
    /// The board's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    board_name: Option<String>,
    /// The board's revision that made the change, for `boards.undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<i64>,
    /// Part of the thing; empty for the whole.
    field: String,
    /// Title of the part, such as a column's, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_name: Option<String>,
    before: Option<Value>,
    after: Option<Value>,
    /// `before` with names in place of the IDs of labels, members, and groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_named: Option<Value>,
    /// `after` with names.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_named: Option<Value>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: ListChanges) -> Result<Page<ChangeRecord>> {
    let limit = expect_within(input.limit.unwrap_or(100), 1..=PAGE_MAX, "/limit")?;
    let since_ms = input.since.as_deref().map(|since| time(since, &ctx)).transpose()?;
    let mut people = People::load(&ctx, &call.caller).await?;
    if input.by.is_some() {
        people.load_sessions(&ctx, &call.caller).await?;
    }
    let by = input.by.as_deref().map(|by| people.find(by.trim())).transpose()?;
    let caller = call.caller;
    let account = caller.account.clone();
    let of_board = match input.board_id {
        Some(id) => Some(OfBoard { items: items_of(&ctx, &account, &id).await?, id }),
        None => None,
    };
    let holders = people.holders.clone();
    let cursor = input.cursor;
    let (rows, next_cursor) = ctx
        .db()
        .read(move |tx| {
            let keeps = |row: &ChangeRow| {
                since_ms.is_none_or(|since| row.at_ms >= since)
                    && by.as_ref().is_none_or(|by| by.made(row, &holders))
                    && of_board.as_ref().is_none_or(|of| of.has(row))
            };
            let is_filtered = since_ms.is_some() || by.is_some() || of_board.is_some();
            let mut before = id_cursor(cursor.as_deref())?.map(str::to_owned);
            let (mut kept, mut read) = (Vec::new(), 0);
            loop {
                let part = if is_filtered { PAGE_MAX } else { limit } + 1;
                let rows = tx.changes(&account, &input.subject, &input.subject_id, before.as_deref(), part)?;
                let is_last = (rows.len() as i64) < part;
                for row in rows {
                    read += 1;
                    if since_ms.is_some_and(|since| row.at_ms < since - GRACE_MS) {
                        return Ok((kept, None));
                    }
                    if kept.len() as i64 == limit || read > READ_MAX {
                        return Ok((kept, before));
                    }
                    before = Some(row.change_id.clone());
                    if keeps(&row) {
                        kept.push(row);
                    }
                }
                if is_last {
                    return Ok((kept, None));
                }
            }
        })
        .await?;
    if rows.iter().any(|row| row.session_id.is_some() || row.subject == SESSION) {
        people.load_sessions(&ctx, &caller).await?;
    }
    let own = own_names(&ctx, &caller.account, &people).await?;
    let names = named(&ctx, &caller.account, &rows, &people).await?;
    let account = caller.account.clone();
    let (rows, recorded) = ctx.db().read(move |tx| recorded(tx, &account, rows)).await?;
    let record = |((row, what), names): ((ChangeRow, &'static str), ChangeNames)| {
        let thing = (row.subject.clone(), row.subject_id.clone());
        let subject_name = names.subject.or_else(|| own.get(&thing).or_else(|| recorded.get(&thing)).cloned());
        let (board_id, board_name) = names.board.unzip();
        ChangeRecord {
            board_id,
            board_name,
            by: people.name(&row),
            what,
            id: row.change_id,
            at: rfc3339(row.at_ms),
            actor: row.actor,
            actor_id: row.actor_id,
            session_id: row.session_id,
            subject: row.subject,
            subject_id: row.subject_id,
            subject_name,
            revision: names.revision,
            field: row.field,
            field_name: names.field,
            before: row.before,
            after: row.after,
            before_named: names.before,
            after_named: names.after,
        }
    };
    Ok(Page { items: rows.into_iter().zip(names).map(record).collect(), next_cursor })
}

/// A board, and its items.
struct OfBoard {
    id: String,
    items: HashSet<String>,
}

impl OfBoard {
    fn has(&self, row: &ChangeRow) -> bool {
        match row.subject.as_str() {
            "board" => row.subject_id == self.id,
            ITEM => self.items.contains(&row.subject_id),
            _ => false,
        }
    }
}

async fn items_of(ctx: &Ctx, account: &str, board_id: &str) -> Result<HashSet<String>> {
    let things = ctx.find_service::<ChangedThings>().ok_or_else(kit::error::not_found)?;
    things.0.items_of(account, board_id).await
}

/// Changes with their actions, and the logged names of their things.
type Recorded = (Vec<(ChangeRow, &'static str)>, HashMap<(String, String), String>);

fn recorded(tx: &mut Tx<'_>, account: &str, rows: Vec<ChangeRow>) -> Result<Recorded> {
    let mut names: HashMap<(String, String), String> = HashMap::new();
    let mut told = Vec::with_capacity(rows.len());
    for row in rows {
        let thing = (row.subject.clone(), row.subject_id.clone());
        if !matches!(&*row.subject, ITEM | SETTING) && !names.contains_key(&thing) {
            let log = tx.changes(account, &row.subject, &row.subject_id, None, NAMING_CHANGES_MAX)?;
            names.insert(thing, log.iter().find_map(name_in).unwrap_or_default());
        }
        let mut what = what(&row);
        // Things restored from the trash are recorded like new ones.
        if what == CREATED && !tx.changes(account, &row.subject, &row.subject_id, Some(&row.change_id), 1)?.is_empty() {
            what = "restored";
        }
        told.push((row, what));
    }
    names.retain(|_, name| !name.is_empty());
    Ok((told, names))
}

/// The thing's name as the change recorded it.
fn name_in(row: &ChangeRow) -> Option<String> {
    // A part, such as a column, has a name of its own.
    if row.field.contains('/') {
        return None;
    }
    let is_name = matches!(&*row.field, "name" | "title");
    let name = |value: &Value| {
        let inside = value.get("name").or_else(|| value.get("title"));
        inside.or(Some(value).filter(|_| is_name)).and_then(Value::as_str).map(str::to_owned)
    };
    [&row.after, &row.before].into_iter().flatten().find_map(name).filter(|name| !name.is_empty())
}

/// The action of a change on the thing, or on its named part.
fn what(row: &ChangeRow) -> &'static str {
    let after = row.after.as_ref().and_then(Value::as_str);
    let is_part = row.field.contains('/');
    match (row.field.as_str(), row.before.is_some(), row.after.is_some()) {
        _ if row.subject == SETTING => {
            if row.after.is_some() {
                "changed"
            } else {
                "reset"
            }
        }
        // Where an unused board is stored: in the archive or the trash.
        ("kept", _, _) => match after {
            Some("archive") => "archived",
            Some(_) => "deleted",
            None => "restored",
        },
        ("", false, true) if after != Some("rotated") => CREATED,
        ("", true, false) | ("trash", true, false) => "deleted",
        (_, false, true) if is_part => "added",
        (_, true, false) if is_part => "removed",
        _ => "changed",
    }
}

/// Names of members, workspaces, tokens, and sessions, by kind and id.
async fn own_names(ctx: &Ctx, account: &str, people: &People) -> Result<HashMap<(String, String), String>> {
    let account = account.to_owned();
    let workspaces = move |tx: &mut Tx<'_>| {
        tx.query("SELECT workspace_id, name FROM workspaces WHERE account_id = $1", params![&account], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    };
    let workspaces: Vec<(String, String)> = ctx.db().read(workspaces).await?;
    let of = |kind: &str, id: &str, name: &str| ((kind.to_owned(), id.to_owned()), name.to_owned());
    let members = people.members.iter().map(|(id, name, _)| of("member", id, name));
    let tokens = people.holders.iter().map(|(id, holder)| of("token", id, &holder.name));
    let sessions = people.sessions.iter().flatten().map(|(id, title)| of(SESSION, id, title));
    let workspaces = workspaces.iter().map(|(id, name)| of("workspace", id, name));
    Ok(members.chain(tokens).chain(sessions).chain(workspaces).collect())
}

async fn named(ctx: &Ctx, account: &str, rows: &[ChangeRow], people: &People) -> Result<Vec<ChangeNames>> {
    let Some(things) = ctx.find_service::<ChangedThings>() else {
        return Ok(vec![ChangeNames::default(); rows.len()]);
    };
    let changes = rows.iter().map(|row| NamelessChange {
        id: row.change_id.clone(),
        subject: row.subject.clone(),
        subject_id: row.subject_id.clone(),
        field: row.field.clone(),
        before: row.before.clone(),
        after: row.after.clone(),
    });
    let members = people.members.iter().map(|(id, name, _)| (id.clone(), name.clone())).collect();
    things.0.names(account, changes.collect(), members).await
}

/// Possible authors of changes.
struct People {
    /// Id, name, and address.
    members: Vec<(String, String, String)>,
    /// Tokens by id.
    holders: HashMap<String, Holder>,
    /// Sessions: id and title. Loaded only for a filter or a change that names one.
    sessions: Option<Vec<(String, String)>>,
}

/// Filter by author.
enum Maker {
    Member(String),
    Token(String),
    Session(String),
    Kind(Kind),
}

impl Maker {
    fn made(&self, row: &ChangeRow, holders: &HashMap<String, Holder>) -> bool {
        match self {
            Maker::Member(id) => member_of(row, holders) == Some(id),
            Maker::Token(id) => row.actor_id == *id,
            Maker::Session(id) => row.session_id.as_ref() == Some(id),
            Maker::Kind(kind) => row.actor == kind.name(),
        }
    }
}

fn member_of<'a>(row: &'a ChangeRow, holders: &'a HashMap<String, Holder>) -> Option<&'a String> {
    row.member_id.as_ref().or_else(|| holders.get(&row.actor_id)?.member.as_ref())
}

impl People {
    async fn load(ctx: &Ctx, caller: &Caller) -> Result<People> {
        let directory = ctx.service::<Members>();
        Ok(People {
            members: directory.0.all(&caller.account).await?,
            holders: directory.0.holders(&caller.account).await?,
            sessions: None,
        })
    }

    async fn load_sessions(&mut self, ctx: &Ctx, caller: &Caller) -> Result<()> {
        if let (None, Some(sessions)) = (&self.sessions, ctx.find_service::<AgentSessions>()) {
            let seen = sessions.0.seen(ctx, &caller.account, &caller.sessions_seen()).await?.all;
            self.sessions = Some(seen.into_iter().map(|session| (session.id, session.name)).collect());
        }
        Ok(())
    }

    /// Who made a change.
    fn name(&self, row: &ChangeRow) -> String {
        let member = member_of(row, &self.holders);
        let member = member.and_then(|id| self.members.iter().find(|(other, ..)| other == id)).map(|(_, name, _)| name);
        let session =
            row.session_id.as_ref().and_then(|id| self.sessions.iter().flatten().find(|(other, _)| other == id));
        let token = || self.holders.get(&row.actor_id).map(|holder| &holder.name);
        let kind = Kind::KNOWN.into_iter().find(|kind| kind.name() == row.actor);
        let kind = kind.map_or(row.actor.as_str(), |kind| kind.title());
        let known = member.or(session.map(|(_, title)| title)).or_else(token);
        known.filter(|name| !name.is_empty()).map_or_else(|| kind.to_owned(), String::clone)
    }

    /// The member, token, session, or kind of caller with this id or unique name.
    fn find(&self, by: &str) -> Result<Maker> {
        let (member, token, session) = (
            self.members.iter().map(|(id, name, address)| (id, [name.as_str(), address])),
            self.holders.iter().map(|(id, holder)| (id, [holder.name.as_str(), ""])),
            self.sessions.iter().flatten().map(|(id, title)| (id, [title.as_str(), ""])),
        );
        let is = |called: &&str| !called.is_empty() && called.to_lowercase() == by.to_lowercase();
        let mut by_name: Vec<(String, Maker)> = Vec::new();
        for (kind, maker, things) in [
            ("member", Maker::Member as fn(String) -> Maker, member.collect::<Vec<_>>()),
            ("token", Maker::Token, token.collect()),
            ("session", Maker::Session, session.collect()),
        ] {
            for (id, names) in things {
                if id == by {
                    return Ok(maker(id.clone()));
                }
                if names.iter().any(&is) {
                    by_name.push((format!("{kind} {} ({id})", names[0]), maker(id.clone())));
                }
            }
        }
        if by_name.len() > 1 {
            let all: Vec<&str> = by_name.iter().take(SHOWN_MAX).map(|(called, _)| called.as_str()).collect();
            let detail = format!("{by:?} is ambiguous. Use one of the IDs: {}.", all.join(", "));
            return Err(invalid("/by", fault::AMBIGUOUS, detail));
        }
        if let Some((_, maker)) = by_name.pop() {
            return Ok(maker);
        }
        if let Some(kind) = Kind::KNOWN.into_iter().find(|kind| kind.name() == by) {
            return Ok(Maker::Kind(kind));
        }
        let members: Vec<&str> = self.members.iter().take(SHOWN_MAX).map(|(_, name, _)| name.as_str()).collect();
        let members = if members.is_empty() { "none".to_owned() } else { members.join(", ") };
        let kinds = Kind::KNOWN.map(Kind::name).join(", ");
        let detail = format!(
            "No member, session, or token has the name or ID {by:?}. Members: {members}. Kinds of caller: {kinds}."
        );
        Err(invalid("/by", fault::UNKNOWN_MEMBER, detail))
    }
}

/// An instant, a day's beginning in the machine's time zone, or an age.
fn time(text: &str, ctx: &Ctx) -> Result<i64> {
    let text = text.trim();
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Ok(instant.as_millisecond());
    }
    let begin = text.parse::<jiff::civil::DateTime>().ok().and_then(|local| local.to_zoned(ctx.home_zone()).ok());
    if let Some(begin) = begin {
        return Ok(begin.timestamp().as_millisecond());
    }
    ago_ms(text).and_then(|ago| ctx.now_ms().checked_sub(ago)).ok_or_else(|| {
        let detail = "Use an RFC 3339 time, a date such as 2026-01-31, or an age such as 30m, 2h, 3d, or 1w.";
        invalid("/since", fault::WRONG_FORMAT, detail)
    })
}

fn ago_ms(text: &str) -> Option<i64> {
    const MINUTE_MS: i64 = 60_000;
    let unit = match text.chars().last()? {
        'm' => MINUTE_MS,
        'h' => 60 * MINUTE_MS,
        'd' => kit::clock::DAY_MS,
        'w' => 7 * kit::clock::DAY_MS,
        _ => return None,
    };
    let count = &text[..text.len() - 1];
    let count: i64 = if count.bytes().all(|b| b.is_ascii_digit()) { count.parse().ok()? } else { return None };
    count.checked_mul(unit)
}

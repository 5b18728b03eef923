//! Sending and reading changes of servers.

use crate::accounts::{self, Account};
use crate::dav::{Client, Item, Problem, path};
use crate::errors::CALENDAR_CONFLICT;
use crate::rows::{self, CALDAV, Calendar, DELETE, SUBSCRIPTION, Stored, Undo};
use crate::service::Calendars;
use crate::settings::calendarEnabled;
use crate::{events, subscriptions};
use ical::Resource;
use kit::ids::short_id;
use kit::{Ctx, Error, Result};
use std::collections::{HashMap, HashSet};
use store::{HasDb, Tx, params};

/// What a calendar says after the server's version won.
const CONFLICT: &str = "The server had a newer version of an event that you changed. Yours can be restored.";
/// What begins a token that isn't one: the server has none.
const NO_TOKEN: &str = "";

/// Syncs all accounts that have the calendar on.
pub(crate) async fn all(ctx: Ctx) -> Result<()> {
    for account_id in ctx.db().read(rows::accounts).await? {
        if !ctx.setting(&account_id, &calendarEnabled) {
            continue;
        }
        let of = account_id.clone();
        let davs = ctx.db().read(move |tx| accounts::all(tx, &of)).await?;
        for dav in davs {
            account(&ctx, &account_id, &dav.id).await?;
        }
        let of = account_id.clone();
        let calendars = ctx.db().read(move |tx| rows::calendars(tx, &of, false)).await?;
        for calendar in calendars.iter().filter(|calendar| calendar.kind == SUBSCRIPTION) {
            subscriptions::refresh(&ctx, &account_id, calendar).await?;
        }
    }
    Ok(())
}

/// Syncs an account at a server. The first problem, which its calendars say too.
pub(crate) async fn account(ctx: &Ctx, account_id: &str, dav_id: &str) -> Result<Option<Problem>> {
    let service = ctx.service::<Calendars>();
    let _one = service.syncing.lock().await;
    let (of, id) = (account_id.to_owned(), dav_id.to_owned());
    let dav = ctx.db().read(move |tx| accounts::expect(tx, &of, &id)).await?;
    let password = match accounts::password(ctx, account_id, &dav).await {
        Ok(password) => password,
        Err(problem) => return note_all(ctx, account_id, &dav, problem).await,
    };
    let client = match Client::new(&service, &dav.url, &dav.username, &password) {
        Ok(client) => client,
        Err(problem) => return note_all(ctx, account_id, &dav, problem).await,
    };
    match client.calendars(&dav.home_url).await {
        Ok(remotes) => {
            let (again, of, id) = (ctx.clone(), account_id.to_owned(), dav.id.clone());
            ctx.db().write(move |tx| accounts::store_remotes(tx, &again, &of, &id, &remotes)).await?;
        }
        Err(problem) => return note_all(ctx, account_id, &dav, problem).await,
    }
    let mut first = None;
    for calendar in calendars_of(ctx, account_id, &dav).await? {
        let outcome = one(ctx, &client, account_id, &calendar).await?;
        first = first.or(outcome);
    }
    Ok(first)
}

async fn calendars_of(ctx: &Ctx, account_id: &str, dav: &Account) -> Result<Vec<Calendar>> {
    let (of, id) = (account_id.to_owned(), dav.id.clone());
    let all = ctx.db().read(move |tx| rows::calendars(tx, &of, false)).await?;
    Ok(all.into_iter().filter(|calendar| calendar.dav_id == id).collect())
}

/// Notes a problem on all calendars of an account.
async fn note_all(ctx: &Ctx, account_id: &str, dav: &Account, problem: Problem) -> Result<Option<Problem>> {
    for calendar in calendars_of(ctx, account_id, dav).await? {
        note(ctx, account_id, &calendar.id, &problem.to_string(), None).await?;
    }
    Ok(Some(problem))
}

/// Notes what became of a calendar: a problem, or a sync with its new state.
pub(crate) async fn note(ctx: &Ctx, account_id: &str, id: &str, problem: &str, state: Option<String>) -> Result<()> {
    let (again, of, id, problem) = (ctx.clone(), account_id.to_owned(), id.to_owned(), problem.to_owned());
    let write = move |tx: &mut Tx<'_>| {
        let mut calendar = rows::any_calendar(tx, &of, &id)?;
        let before = calendar.problem.clone();
        calendar.problem = problem;
        if let Some(state) = state {
            calendar.sync_state = state;
            calendar.synced_ms = again.now_ms();
        }
        rows::store_calendar(tx, &of, &calendar)?;
        if before != calendar.problem {
            rows::announce(tx, &again, &of);
        }
        Ok(())
    };
    match ctx.db().write(write).await {
        Err(error) if error.is(&kit::error::NOT_FOUND) => Ok(()),
        outcome => outcome,
    }
}

/// Syncs one calendar: sends what waits, then reads what changed.
async fn one(ctx: &Ctx, client: &Client<'_>, account_id: &str, calendar: &Calendar) -> Result<Option<Problem>> {
    let (of, id) = (account_id.to_owned(), calendar.id.clone());
    let waiting = ctx.db().read(move |tx| events::waiting(tx, &of, &id)).await?;
    let (mut problem, mut has_conflict) = (None, false);
    for id in waiting {
        match send(ctx, client, account_id, calendar, &id).await? {
            Sent::Done => {}
            Sent::Conflict(_) => has_conflict = true,
            Sent::Later(why) => {
                problem = Some(why);
                break;
            }
        }
    }
    match read(ctx, client, account_id, calendar).await? {
        Ok(token) => {
            let words = match &problem {
                Some(problem) => format!("Couldn't send a change: {problem}"),
                None if has_conflict => CONFLICT.to_owned(),
                None => String::new(),
            };
            note(ctx, account_id, &calendar.id, &words, Some(token)).await?;
            Ok(problem)
        }
        Err(problem) => {
            note(ctx, account_id, &calendar.id, &problem.to_string(), None).await?;
            Ok(Some(problem))
        }
    }
}

/// Reads what changed in a calendar; the new token.
async fn read(
    ctx: &Ctx,
    client: &Client<'_>,
    account_id: &str,
    calendar: &Calendar,
) -> Result<std::result::Result<String, Problem>> {
    let (of, id) = (account_id.to_owned(), calendar.id.clone());
    let known = ctx.db().read(move |tx| rows::events_of(tx, &of, &id)).await?;
    let by_href: HashMap<&str, &Stored> =
        known.iter().filter(|event| !event.href.is_empty()).map(|event| (event.href.as_str(), event)).collect();
    // Without a token there is no telling what was removed, so that all is compared.
    let changes = if calendar.sync_state.is_empty() {
        None
    } else {
        match client.changes(&calendar.url, &calendar.sync_state).await {
            Ok(changes) => changes,
            Err(problem) => return Ok(Err(problem)),
        }
    };
    let (changed, removed, token) = match changes {
        Some(changes) => (changes.changed, changes.removed, changes.token),
        None => {
            // The token is taken first: what changes meanwhile is read again.
            let token = match client.changes(&calendar.url, NO_TOKEN).await {
                Ok(changes) => changes.map(|changes| changes.token).unwrap_or_default(),
                Err(problem) => return Ok(Err(problem)),
            };
            let all = match client.etags(&calendar.url).await {
                Ok(all) => all,
                Err(problem) => return Ok(Err(problem)),
            };
            let there: HashSet<&str> = all.iter().map(|(href, _)| href.as_str()).collect();
            let removed = by_href.keys().filter(|href| !there.contains(*href)).map(|href| (*href).to_owned()).collect();
            (all, removed, token)
        }
    };
    let is_new = |(href, etag): &&(String, String)| {
        by_href.get(href.as_str()).is_none_or(|event| etag.is_empty() || event.etag != *etag)
    };
    let hrefs: Vec<String> = changed.iter().filter(is_new).map(|(href, _)| href.clone()).collect();
    let items = match client.read(&calendar.url, &hrefs).await {
        Ok(items) => items,
        Err(problem) => return Ok(Err(problem)),
    };
    let (again, of, id) = (ctx.clone(), account_id.to_owned(), calendar.id.clone());
    let write = move |tx: &mut Tx<'_>| {
        for item in items {
            take(tx, &again, &of, &id, item)?;
        }
        for href in removed {
            drop_href(tx, &again, &of, &id, &href)?;
        }
        Ok(())
    };
    ctx.db().write(write).await?;
    Ok(Ok(token))
}

fn of_href(tx: &mut Tx<'_>, account_id: &str, calendar_id: &str, href: &str) -> Result<Option<Stored>> {
    let sql = "SELECT event_id FROM calendar_events WHERE account_id = $1 AND calendar_id = $2 AND href = $3";
    let id: Option<String> = tx.query_opt(sql, params![account_id, calendar_id, href], |row| row.get(0))?;
    id.map_or(Ok(None), |id| rows::any_event(tx, account_id, &id))
}

/// Stores what a server has. What waits to be sent stays: sending it finds out about the conflict.
fn take(tx: &mut Tx<'_>, ctx: &Ctx, account_id: &str, calendar_id: &str, item: Item) -> Result<()> {
    // What isn't an event, such as a task, is left at the server.
    let Some(resource) = Resource::parse(&item.ical) else { return Ok(()) };
    let before = of_href(tx, account_id, calendar_id, &item.href)?;
    if before.as_ref().is_some_and(|before| !before.pending.is_empty()) {
        return Ok(());
    }
    let stored = Stored {
        id: before.map_or_else(short_id, |before| before.id),
        calendar_id: calendar_id.to_owned(),
        uid: resource.uid(),
        href: item.href,
        etag: item.etag,
        ical: item.ical,
        pending: String::new(),
    };
    rows::store_event(tx, ctx, account_id, &stored)
}

/// Removes what a server no longer has. A change that waits is sent as new.
fn drop_href(tx: &mut Tx<'_>, ctx: &Ctx, account_id: &str, calendar_id: &str, href: &str) -> Result<()> {
    match of_href(tx, account_id, calendar_id, href)? {
        Some(event) if event.pending.is_empty() || event.pending == DELETE => {
            rows::remove_event(tx, ctx, account_id, &event.id)
        }
        Some(event) => rows::store_event(tx, ctx, account_id, &Stored { etag: String::new(), ..event }),
        None => Ok(()),
    }
}

/// What became of a change that was sent.
enum Sent {
    Done,
    /// The server's version won; the user's can be restored by this name.
    Conflict(String),
    Later(Problem),
}

/// Sends a change that waits.
async fn send(ctx: &Ctx, client: &Client<'_>, account_id: &str, calendar: &Calendar, id: &str) -> Result<Sent> {
    let (of, named) = (account_id.to_owned(), id.to_owned());
    let event = ctx.db().read(move |tx| rows::any_event(tx, &of, &named)).await?;
    let Some(event) = event.filter(|event| !event.pending.is_empty()) else { return Ok(Sent::Done) };
    let href = if event.href.is_empty() { new_href(calendar, &event) } else { event.href.clone() };
    let outcome = if event.pending == DELETE {
        client.delete(&href, &event.etag).await.map(|()| String::new())
    } else {
        client.put(&href, &event.etag, &event.ical).await
    };
    let etag = match outcome {
        Ok(etag) => etag,
        Err(Problem::Changed) => return conflict(ctx, client, account_id, calendar, event, href).await,
        // It was deleted at the server, and changed here: it's new there now.
        Err(Problem::Missing(_)) if !event.etag.is_empty() => match client.put(&href, "", &event.ical).await {
            Ok(etag) => etag,
            Err(problem) => return Ok(Sent::Later(problem)),
        },
        Err(problem) => return Ok(Sent::Later(problem)),
    };
    // A server that changed what it was sent says no version: it's read again.
    let item = if etag.is_empty() && event.pending != DELETE { client.get(&href).await.ok().flatten() } else { None };
    let (again, of) = (ctx.clone(), account_id.to_owned());
    let write = move |tx: &mut Tx<'_>| {
        // Changed again meanwhile: that is sent next, as a change of this version.
        let Some(now) = rows::any_event(tx, &of, &event.id)? else { return Ok(()) };
        if event.pending == DELETE {
            return if now.pending == DELETE {
                rows::remove_event(tx, &again, &of, &event.id)
            } else {
                rows::store_event(tx, &again, &of, &Stored { etag: String::new(), ..now })
            };
        }
        let is_same = now.ical == event.ical && now.pending == event.pending;
        let etag = item.as_ref().map_or(etag, |item| item.etag.clone());
        let sent = Stored { href, etag, pending: if is_same { String::new() } else { now.pending.clone() }, ..now };
        let sent = match item.filter(|item| is_same && Resource::parse(&item.ical).is_some()) {
            Some(item) => Stored { ical: item.ical, ..sent },
            None => sent,
        };
        rows::store_event(tx, &again, &of, &sent)
    };
    ctx.db().write(write).await?;
    Ok(Sent::Done)
}

/// The address of a new resource.
fn new_href(calendar: &Calendar, event: &Stored) -> String {
    let name: String = event
        .uid
        .chars()
        .filter(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.'))
        .take(100)
        .collect();
    let name = if name.is_empty() { event.id.clone() } else { name };
    match url::Url::parse(&calendar.url) {
        Ok(base) => path(&base, &format!("{}/{name}.ics", base.path().trim_end_matches('/'))),
        Err(_) => format!("{name}.ics"),
    }
}

/// The server has another version: it's shown from now on, and the user's can be restored.
async fn conflict(
    ctx: &Ctx,
    client: &Client<'_>,
    account_id: &str,
    calendar: &Calendar,
    event: Stored,
    href: String,
) -> Result<Sent> {
    let theirs = match client.get(&href).await {
        Ok(theirs) => theirs,
        Err(problem) => return Ok(Sent::Later(problem)),
    };
    let (again, of) = (ctx.clone(), account_id.to_owned());
    let write = move |tx: &mut Tx<'_>| {
        let mine = Undo { before: vec![Stored { href: href.clone(), ..event.clone() }], made: Vec::new() };
        let undo = rows::store_undo(tx, &of, &mine, true, again.now_ms())?;
        match theirs.filter(|item| Resource::parse(&item.ical).is_some()) {
            Some(item) => {
                let stored = Stored { href, etag: item.etag, ical: item.ical, pending: String::new(), ..event };
                rows::store_event(tx, &again, &of, &stored)?;
            }
            None => rows::remove_event(tx, &again, &of, &event.id)?,
        }
        Ok(undo)
    };
    let undo = ctx.db().write(write).await?;
    note(ctx, account_id, &calendar.id, CONFLICT, None).await?;
    Ok(Sent::Conflict(undo))
}

/// Sends changes of events now, if their server can be reached; otherwise they wait. An error if the server has newer versions.
pub(crate) async fn push(ctx: &Ctx, account_id: &str, ids: &[String]) -> Result<()> {
    let mut conflict: Option<Error> = None;
    for id in ids {
        let (of, named) = (account_id.to_owned(), id.clone());
        let read = move |tx: &mut Tx<'_>| {
            let Some(event) = rows::any_event(tx, &of, &named)?.filter(|event| !event.pending.is_empty()) else {
                return Ok(None);
            };
            let calendar = rows::any_calendar(tx, &of, &event.calendar_id)?;
            if calendar.kind != CALDAV {
                return Ok(None);
            }
            let dav = accounts::expect(tx, &of, &calendar.dav_id)?;
            Ok(Some((calendar, dav)))
        };
        let Some((calendar, dav)) = ctx.db().read(read).await? else { continue };
        let service = ctx.service::<Calendars>();
        let _one = service.syncing.lock().await;
        let sent = match accounts::password(ctx, account_id, &dav).await {
            Ok(password) => match Client::new(&service, &dav.url, &dav.username, &password) {
                Ok(client) => send(ctx, &client, account_id, &calendar, id).await?,
                Err(problem) => Sent::Later(problem),
            },
            Err(problem) => Sent::Later(problem),
        };
        match sent {
            Sent::Done => {}
            Sent::Conflict(undo) => {
                conflict = Some(
                    CALENDAR_CONFLICT.error("The server has a newer version, which is shown now.").with("undo", undo),
                );
            }
            Sent::Later(problem) => {
                note(ctx, account_id, &calendar.id, &format!("Couldn't send a change: {problem}"), None).await?;
            }
        }
    }
    conflict.map_or(Ok(()), Err)
}

//! Finding occurrences.

use crate::record::{self, OccurrenceRecord};
use crate::rows::{self, Stored};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use kit::fault::{OUT_OF_RANGE, WRONG_FORMAT};
use kit::lookup::Members;
use kit::{Ctx, Result, invalid};
use std::collections::HashMap;
use store::{HasDb, Tx, params};

/// Occurrences of an answer at most.
pub(crate) const OCCURRENCES_MAX: usize = 5_000;
/// Occurrences of one event in an answer at most.
const OF_EVENT_MAX: usize = 2_000;
/// Days of a window at most.
const WINDOW_DAYS: i64 = 400;

/// The zone that a caller names, or the computer's.
pub(crate) fn viewer(ctx: &Ctx, name: Option<&str>) -> Result<TimeZone> {
    match name.map(str::trim).filter(|name| !name.is_empty()) {
        None => Ok(ctx.home_zone()),
        Some(name) => ical::find_zone(name)
            .map(|(_, zone)| zone)
            .ok_or_else(|| invalid("/timeZone", WRONG_FORMAT, "Unknown time zone. Use a name such as Europe/Berlin.")),
    }
}

/// An instant, or the start of a date.
pub(crate) fn instant(text: &str, viewer: &TimeZone, pointer: &str) -> Result<i64> {
    // A longer text may be a date with a time.
    if let Some(date) = text.parse::<Date>().ok().filter(|_| text.len() == 10) {
        return start_of(date, viewer).ok_or_else(|| invalid(pointer, OUT_OF_RANGE, "The date is out of range."));
    }
    kit::clock::instant_ms(text)
        .ok_or_else(|| invalid(pointer, WRONG_FORMAT, "Use a time such as 2026-03-01T09:00:00Z, or a date."))
}

/// The start of a day.
pub(crate) fn start_of(date: Date, viewer: &TimeZone) -> Option<i64> {
    date.to_zoned(viewer.clone()).ok().map(|zoned| zoned.timestamp().as_millisecond())
}

/// A window, checked.
pub(crate) fn window(from: &str, to: &str, viewer: &TimeZone) -> Result<(i64, i64)> {
    let (from_ms, to_ms) = (instant(from, viewer, "/from")?, instant(to, viewer, "/to")?);
    if to_ms <= from_ms || to_ms - from_ms > WINDOW_DAYS * kit::clock::DAY_MS {
        return Err(invalid("/to", OUT_OF_RANGE, format!("The end must be 1 to {WINDOW_DAYS} days after the start.")));
    }
    Ok((from_ms, to_ms))
}

/// The user's addresses, by account at a server; those of the member that the user is are in each.
pub(crate) struct Mine {
    own: Vec<String>,
    by_calendar: HashMap<String, Vec<String>>,
}

impl Mine {
    /// Those for a calendar.
    pub(crate) fn of(&self, calendar_id: &str) -> &[String] {
        self.by_calendar.get(calendar_id).unwrap_or(&self.own)
    }

    /// The addresses that are stored, without those of members.
    pub(crate) fn stored(tx: &mut Tx<'_>, account: &str, own: Vec<String>) -> Result<Mine> {
        let sql = "SELECT c.calendar_id, a.emails FROM calendars c JOIN calendar_accounts a \
             ON a.account_id = c.account_id AND a.dav_id = c.dav_id WHERE c.account_id = $1";
        let all = tx.query(sql, params![account], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
        let addresses = |text: String| text.lines().map(str::to_owned).chain(own.clone()).collect();
        let by_calendar = all.into_iter().map(|(id, emails)| (id, addresses(emails))).collect();
        Ok(Mine { own, by_calendar })
    }
}

/// The addresses of the member that the user is.
pub(crate) async fn own_addresses(ctx: &Ctx, account: &str) -> Result<Vec<String>> {
    let Some(members) = ctx.find_service::<Members>() else { return Ok(Vec::new()) };
    let Some(you) = members.0.you(account).await? else { return Ok(Vec::new()) };
    let all = members.0.all(account).await?;
    Ok(all.into_iter().filter(|(id, _, email)| *id == you && !email.is_empty()).map(|(_, _, email)| email).collect())
}

/// Occurrences in a window.
pub(crate) struct Found {
    pub(crate) items: Vec<OccurrenceRecord>,
    pub(crate) truncated: bool,
}

/// The occurrences of shown calendars in a window, in order.
pub(crate) async fn between(ctx: &Ctx, account: &str, from_ms: i64, to_ms: i64, viewer: &TimeZone) -> Result<Found> {
    let own = own_addresses(ctx, account).await?;
    let (account, viewer) = (account.to_owned(), viewer.clone());
    let read = move |tx: &mut Tx<'_>| {
        let mine = Mine::stored(tx, &account, own)?;
        let events = rows::events_between(tx, &account, from_ms, to_ms)?;
        Ok(expanded(&events, &mine, (from_ms, to_ms), &viewer))
    };
    ctx.db().read(read).await
}

/// The occurrences of events in a window.
fn expanded(events: &[Stored], mine: &Mine, (from_ms, to_ms): (i64, i64), viewer: &TimeZone) -> Found {
    let mut found = Found { items: Vec::new(), truncated: false };
    for stored in events {
        let Ok(resource) = stored.resource() else { continue };
        let expansion = resource.expand(from_ms, to_ms, viewer, OF_EVENT_MAX);
        found.truncated |= expansion.truncated && expansion.occurrences.len() >= OF_EVENT_MAX;
        let mine = mine.of(&stored.calendar_id);
        found
            .items
            .extend(expansion.occurrences.iter().map(|one| record::occurrence(stored, &resource, one, mine, viewer)));
    }
    found.items.sort_by(|a, b| (a.span, &a.title, &a.event_id).cmp(&(b.span, &b.title, &b.event_id)));
    if found.items.len() > OCCURRENCES_MAX {
        found.items.truncate(OCCURRENCES_MAX);
        found.truncated = true;
    }
    found
}

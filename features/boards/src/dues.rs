//! Due dates: sends one event per item, date, and member when the day begins or ends in the member's time zone.
//!
//! A small table holds the items with a pending event and the time of the next one. It is updated from board revisions,
//! which catches every kind of change, and written only when dates change. One timer for each account waits for the next
//! time of all; nothing runs in between.

use crate::cells::Column;
use crate::item::Record;
use crate::{board, projectBoardsEnabled, zones};
use column_types::ColumnType;
use column_types::dates::parse_iso;
use events::{Event, HasEvents};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use kit::clock::DAY_MS;
use kit::error::Result;
use kit::lookup::Members;
use kit::{Ctx, Job, TimerKind};
use schedule::{Effect, HasSchedule, Schedule, Timer};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{HasDb, Row, Tx, params};
use widgets::{Category, Meant};

/// Days before its date at which an item is due soon.
pub const DUE_SOON_DAYS: i32 = 1;
/// Maximum individual events about one board at a time; a summary replaces the rest.
pub const DUE_EVENTS_MAX: usize = 50;
/// Maximum items read or reported in one transaction.
const ITEMS_PER_STEP: i64 = 2_000;
/// Waits this long after a change for the next, so that a burst of them is followed once.
const CALM: Duration = Duration::from_millis(250);
/// No pending events.
const NEVER: i64 = 1 << 53;
/// Anywhere on earth a day has begun no earlier than this before it does in UTC.
const AHEAD_MS: i64 = 14 * 3_600_000;

/// Up to which revision each board has been followed.
#[derive(Default)]
struct Followed(Mutex<HashMap<(String, String), i64>>);

/// The job that follows boards.
const FOLLOW: &str = "boards.due-dates";
/// The timer of an account's next event.
pub(crate) const NEXT: &str = "boards.due";

/// Follows boards at each start and soon after each change. Half an hour is short enough for its runs not to be stored, which
/// would be one more write for each change.
pub(crate) fn job() -> Job {
    Job::every(Duration::from_secs(30 * 60), FOLLOW, "couldn't check due dates", |ctx| {
        Box::pin(async move { follow_boards(&ctx).await })
    })
}

/// Sends the events of an account when they are due.
pub(crate) fn timers() -> TimerKind {
    schedule::prepared_timers(NEXT, "couldn't send due dates", |ctx, timer| Box::pin(tell(ctx, timer.account)))
}

/// Has changes followed from now on, as long as the program runs.
pub(crate) fn watch(ctx: &Ctx) {
    ctx.provide(Arc::new(Followed::default()));
    let concerns: fn(&Event) -> bool =
        |event| matches!(event, Event::BoardChanged { .. } | Event::SettingChanged { key: "projectBoardsEnabled", .. });
    let of = ctx.clone();
    ctx.events().on(concerns, move || of.schedule().run_soon(&of, FOLLOW, CALM));
}

/// Updates the stored dates of every account, and the timers of their next events.
pub(crate) async fn follow_boards(ctx: &Ctx) -> Result<()> {
    // Without members, as in measurements, nobody's day is known.
    if ctx.find_service::<Members>().is_none() {
        return Ok(());
    }
    let accounts = "SELECT DISTINCT account_id FROM boards WHERE account_id <> ''";
    let accounts: Vec<String> = ctx.db().read(move |tx| tx.query(accounts, &[], |row| row.get(0))).await?;
    for account in accounts {
        // What comes about while boards are switched off is told when they are switched on.
        if ctx.setting(&account, &projectBoardsEnabled) {
            follow_all(ctx, &account).await?;
            keep_timer(ctx, &account).await?;
        }
    }
    Ok(())
}

/// Time of the account's next event.
fn first(tx: &mut Tx<'_>, account: &str) -> Result<Option<i64>> {
    let sql = "SELECT next_ms FROM item_dues WHERE account_id = $1 AND next_ms < $2 ORDER BY next_ms LIMIT 1";
    tx.query_opt(sql, params![account, NEVER], |row| row.get::<i64>(0))
}

/// Sets the account's timer to its next event.
fn set_timer(tx: &mut Tx<'_>, schedule: &Arc<Schedule>, account: &str) -> Result<()> {
    let next = first(tx, account)?;
    if next == schedule::due_of(tx, account, NEXT, "")? {
        return Ok(());
    }
    let Some(due_ms) = next else { return schedule::cancel(tx, account, NEXT, "").map(drop) };
    let (account, key, payload) = (account.to_owned(), String::new(), String::new());
    schedule::set(tx, schedule, &Timer { account, kind: NEXT, key, due_ms, payload })
}

/// Sets the timer where the stored dates differ from it, as after boards were switched off. Mostly they don't.
async fn keep_timer(ctx: &Ctx, account: &str) -> Result<()> {
    let (account, schedule) = (account.to_owned(), ctx.schedule());
    let of = account.clone();
    let differs = move |tx: &mut Tx<'_>| Ok(first(tx, &of)? != schedule::due_of(tx, &of, NEXT, "")?);
    if !ctx.db().read(differs).await? {
        return Ok(());
    }
    ctx.db().write(move |tx| set_timer(tx, &schedule, &account)).await
}

async fn follow_all(ctx: &Ctx, account: &str) -> Result<()> {
    let owned = account.to_owned();
    let changed = move |tx: &mut Tx<'_>| {
        let sql = "SELECT b.board_id, b.revision FROM boards b \
             LEFT JOIN board_dues d ON d.account_id = b.account_id AND d.board_id = b.board_id \
             WHERE b.account_id = $1 AND b.state = 'ready' AND (d.revision IS NULL OR d.revision <> b.revision)";
        tx.query(sql, params![owned], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))
    };
    let followed = ctx.service::<Followed>();
    for (board_id, revision) in ctx.db().read(changed).await? {
        let key = (account.to_owned(), board_id);
        let seen = followed.0.lock().expect("no panic while held").get(&key).copied();
        if seen != Some(revision) {
            // One board that cannot be read silences no other.
            match follow(ctx, &key, seen).await {
                Ok(upto) => drop(followed.0.lock().expect("no panic while held").insert(key, upto)),
                Err(error) if error.is(&store::PROGRAM_ENDING) => return Err(error),
                Err(error) => tracing::warn!(board = key.1, error = ?error, "couldn't check a board's due dates"),
            }
        }
    }
    Ok(())
}

/// The board's columns that affect due dates.
#[derive(Default)]
struct Roles {
    /// The column of the date that items are due at; of a timeline its last day.
    due: Option<String>,
    people: Vec<String>,
    /// Of each column with labels those that mean done or canceled.
    over: Vec<(String, Vec<String>)>,
    /// Checkboxes that mean it.
    checks: Vec<String>,
}

impl Roles {
    fn new(columns: &[Column]) -> Roles {
        let is_over = |category: &Category| matches!(category, Category::Done | Category::Canceled);
        let ids = |column: &Column| {
            let over = column.categories().filter(|(_, category)| is_over(category));
            over.map(|(label, _)| label.id.clone()).collect::<Vec<_>>()
        };
        let labeled = columns.iter().filter(|column| column.kind.is_some_and(ColumnType::has_labels));
        let over: Vec<_> = labeled.map(|column| (column.id.clone(), ids(column))).collect();
        let meant = columns.iter().map(|column| Meant {
            title: &column.title,
            // A computed date is what it is computed of that people set; a computed checkbox says what is so.
            type_name: match column.holds() {
                Some(ColumnType::Checkbox) => ColumnType::Checkbox.name(),
                _ => &column.type_name,
            },
        });
        let meant: Vec<Meant<'_>> = meant.collect();
        let people = columns.iter().filter(|column| column.kind == Some(ColumnType::People));
        Roles {
            due: widgets::due(&meant).map(|at| columns[at].id.clone()),
            people: people.map(|column| column.id.clone()).collect(),
            checks: widgets::done_checks(&meant).into_iter().map(|at| columns[at].id.clone()).collect(),
            over,
        }
    }

    fn json(&self) -> String {
        serde_json::json!([self.due, self.people, self.over, self.checks]).to_string()
    }

    /// Whether an item is done or canceled.
    fn is_over(&self, record: &Record) -> bool {
        let label = |column: &String| record.cells.get(column).and_then(Value::as_str);
        self.over.iter().any(|(column, labels)| label(column).is_some_and(|id| labels.iter().any(|l| l == id)))
            || self.checks.iter().any(|column| record.cells.get(column) == Some(&Value::Bool(true)))
    }

    /// The day and the members of an item that is due some day, and neither done nor canceled.
    fn open(&self, record: &Record) -> Option<(i64, String)> {
        let cell = record.cells.get(self.due.as_ref()?)?;
        let day = parse_iso(cell.as_str().or_else(|| cell["to"].as_str())?)?;
        if self.is_over(record) {
            return None;
        }
        let mut members: Vec<&str> = Vec::new();
        for id in self.people.iter().filter_map(|column| record.cells.get(column)?.as_array()).flatten() {
            members.extend(id.as_str().filter(|id| !members.contains(id)));
        }
        Some((i64::from(day), serde_json::json!(members).to_string()))
    }
}

/// A place among a board's items by their last change.
type Place = (i64, String);

/// Updates the stored dates of a board; returns the revision that they now match.
async fn follow(ctx: &Ctx, key: &(String, String), seen: Option<i64>) -> Result<i64> {
    let mut after: Option<Place> = None;
    // Of the first page: what changes while the others are read is found at the next look.
    let mut first: Option<(i64, String)> = None;
    loop {
        let (account, board_id) = key.clone();
        let read = move |tx: &mut Tx<'_>| changes(tx, &account, &board_id, seen, after);
        let found = match ctx.db().read(read).await {
            Ok(found) => found,
            // It was deleted a moment ago.
            Err(e) if e.is(&kit::error::NOT_FOUND) => return Ok(0),
            Err(e) => return Err(e),
        };
        let (revision, columns_json) = first.get_or_insert((found.revision, found.columns_json.clone())).clone();
        let found = Found { columns_json, ..found };
        let (last, is_empty) = (found.last.clone(), found.open.is_empty() && found.gone.is_empty());
        if !is_empty || (last.is_none() && found.is_new) {
            let ((account, board_id), schedule) = (key.clone(), ctx.schedule());
            let write = move |tx: &mut Tx<'_>| {
                apply(tx, &account, &board_id, found, revision)?;
                set_timer(tx, &schedule, &account)
            };
            ctx.db().write(write).await?;
        }
        match last {
            Some(last) => after = Some(last),
            None => return Ok(revision),
        }
    }
}

/// Differences between the stored dates and the items.
struct Found {
    revision: i64,
    columns_json: String,
    /// Items with their new day and members, or that there is nothing to tell.
    open: Vec<(String, Option<(i64, String)>)>,
    /// IDs of removed items.
    gone: Vec<String>,
    /// Whether nothing usable was stored for the board.
    is_new: bool,
    /// The last item that was read, where there are more.
    last: Option<Place>,
}

fn changes(tx: &mut Tx<'_>, account: &str, board_id: &str, seen: Option<i64>, after: Option<Place>) -> Result<Found> {
    let board = board::load(tx, account, board_id)?;
    let roles = Roles::new(&board::columns(tx, account, board_id)?);
    let columns_json = roles.json();
    let sql = "SELECT revision, columns_json FROM board_dues WHERE account_id = $1 AND board_id = $2";
    let kept = tx.query_opt(sql, params![account, board_id], |row| Ok((row.get::<i64>(0)?, row.get::<String>(1)?)))?;
    let kept =
        kept.filter(|(_, columns)| *columns == columns_json).map(|(revision, _)| seen.unwrap_or(0).max(revision));
    let kept = kept.filter(|revision| *revision <= board.revision && *revision >= board.left_since);
    let is_new = kept.is_none();
    let mut found =
        Found { revision: board.revision, columns_json, open: Vec::new(), gone: Vec::new(), is_new, last: None };
    let from = after.unwrap_or((kept.map_or(-1, |revision| revision + 1), String::new()));
    let mut count = 0;
    let sql = "SELECT i.item_id, i.revision, i.record_json, d.day, d.members_json FROM items i \
         LEFT JOIN item_dues d ON d.account_id = i.account_id AND d.board_id = i.board_id AND d.item_id = i.item_id \
         WHERE i.account_id = $1 AND i.board_id = $2 AND i.revision >= $3 AND (i.revision > $3 OR i.item_id > $4) \
         ORDER BY i.revision, i.item_id LIMIT $5";
    tx.each(sql, params![account, board_id, from.0, from.1, ITEMS_PER_STEP], |row| {
        count += 1;
        let item_id: String = row.get(0)?;
        if count == ITEMS_PER_STEP {
            found.last = Some((row.get(1)?, item_id.clone()));
        }
        let record: Record = serde_json::from_str(row.get(2)?).map_err(board::damaged)?;
        let open = roles.open(&record);
        if open != due_row(row, 3)? {
            found.open.push((item_id, open));
        }
        Ok(())
    })?;
    if found.last.is_none() {
        let left = "SELECT l.item_id FROM items_left l WHERE l.account_id = $1 AND l.board_id = $2 AND l.revision > $3 AND NOT EXISTS \
             (SELECT 1 FROM items i WHERE i.account_id = l.account_id AND i.board_id = l.board_id AND i.item_id = l.item_id)";
        let all = "SELECT d.item_id FROM item_dues d WHERE d.account_id = $1 AND d.board_id = $2 AND $3 < 0 AND NOT EXISTS \
             (SELECT 1 FROM items i WHERE i.account_id = d.account_id AND i.board_id = d.board_id AND i.item_id = d.item_id)";
        let sql = if found.is_new { all } else { left };
        found.gone = tx.query(sql, params![account, board_id, kept.unwrap_or(-1)], |row| row.get(0))?;
    }
    Ok(found)
}

fn due_row(row: &dyn Row, at: usize) -> Result<Option<(i64, String)>> {
    let day: Option<i64> = row.get(at)?;
    Ok(match day {
        Some(day) => Some((day, row.get(at + 1)?)),
        None => None,
    })
}

fn apply(tx: &mut Tx<'_>, account: &str, board_id: &str, found: Found, revision: i64) -> Result<()> {
    // What was told stays, also of an item that is put away: it may come back.
    let forget = |tx: &mut Tx<'_>, item_id: &str| {
        let sql = "DELETE FROM item_dues WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
        tx.execute(sql, params![account, board_id, item_id])
    };
    for (item_id, open) in &found.open {
        forget(tx, item_id)?;
        if let Some((day, members)) = open {
            let sql = "INSERT INTO item_dues (account_id, board_id, item_id, day, members_json, next_ms) \
                 VALUES ($1, $2, $3, $4, $5, $6)";
            // Whose zone counts is asked when it may be the moment anywhere: members move.
            let next_ms = (day - i64::from(DUE_SOON_DAYS)) * DAY_MS - AHEAD_MS;
            tx.execute(sql, params![account, board_id, item_id, *day, members, next_ms])?;
        }
    }
    for item_id in &found.gone {
        forget(tx, item_id)?;
    }
    // The revision is set with the last items: after a stop in between all of them are read again.
    if found.last.is_none() {
        tx.execute("DELETE FROM board_dues WHERE account_id = $1 AND board_id = $2", params![account, board_id])?;
        let sql = "INSERT INTO board_dues (account_id, board_id, revision, columns_json) VALUES ($1, $2, $3, $4)";
        tx.execute(sql, params![account, board_id, revision, &found.columns_json])?;
    }
    Ok(())
}

/// Deletes the sent events of a permanently deleted item.
pub(crate) fn forget_told(tx: &mut Tx<'_>, account: &str, board_id: &str, item_id: &str) -> Result<()> {
    let sql = "DELETE FROM item_dues_told WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    tx.execute(sql, params![account, board_id, item_id])?;
    Ok(())
}

/// An item whose moment may have come.
struct Due {
    board_id: String,
    item_id: String,
    day: i64,
    members: Vec<String>,
}

const SOON: &str = "soon";
const OVERDUE: &str = "overdue";

/// Tells of the items whose moment has come, some thousands at most, and sets the timer of the next.
async fn tell(ctx: Ctx, account: String) -> Result<Effect> {
    if !ctx.setting(&account, &projectBoardsEnabled) {
        return Ok(schedule::effect(|_| Ok(())));
    }
    let zones = zones::of_members(&ctx, &account).await?;
    let (bus, schedule, now_ms, home) = (ctx.events(), ctx.schedule(), ctx.now_ms(), ctx.home_zone());
    Ok(schedule::effect(move |tx| {
        let sql = "SELECT board_id, item_id, day, members_json FROM item_dues WHERE account_id = $1 AND next_ms <= $2 \
             ORDER BY next_ms, board_id, item_id LIMIT $3";
        let due = tx.query(sql, params![&account, now_ms, ITEMS_PER_STEP], |row| {
            let members = serde_json::from_str(row.get(3)?).map_err(board::damaged)?;
            Ok(Due { board_id: row.get(0)?, item_id: row.get(1)?, day: row.get(2)?, members })
        })?;
        let mut events = Vec::new();
        for due in due {
            events.extend(tell_one(tx, &account, due, now_ms, &zones, &home)?);
        }
        set_timer(tx, &schedule, &account)?;
        let events = summed(events);
        for event in &events {
            reactions::report(tx, &ctx, &account, event)?;
        }
        if !events.is_empty() {
            tx.after_commit(move || events.into_iter().for_each(|event| bus.emit(Some(&account), event)));
        }
        Ok(())
    }))
}

/// The instants at which a day comes near and is over, where a member is.
fn moments(day: i64, zone: &TimeZone) -> (i64, i64) {
    let start = |day: i64| {
        let day: Option<Date> = i32::try_from(day).ok().and_then(|day| date(1970, 1, 1).checked_add(day.days()).ok());
        // Where clocks are put forward over midnight the day begins when they show the hour after.
        day.and_then(|day| day.to_zoned(zone.clone()).ok()).map_or(NEVER, |begins| begins.timestamp().as_millisecond())
    };
    (start(day - i64::from(DUE_SOON_DAYS)), start(day + 1))
}

fn tell_one(
    tx: &mut Tx<'_>,
    account: &str,
    due: Due,
    now_ms: i64,
    zones: &HashMap<String, TimeZone>,
    home: &TimeZone,
) -> Result<Vec<Event>> {
    let Due { board_id, item_id, day, members } = due;
    let sql = "SELECT 1 FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
    if tx.query_opt(sql, params![account, &board_id], |_| Ok(()))?.is_none() {
        // Nothing is told of a board that was archived or deleted; where it is brought back, it is asked again.
        let sql = "UPDATE item_dues SET next_ms = $4 WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
        tx.execute(sql, params![account, &board_id, &item_id, now_ms + DAY_MS])?;
        return Ok(Vec::new());
    }
    let whom: Vec<&str> = if members.is_empty() { vec![""] } else { members.iter().map(String::as_str).collect() };
    let (mut soon, mut overdue, mut next_ms) = (Vec::new(), Vec::new(), NEVER);
    for member in whom {
        let (soon_ms, over_ms) = moments(day, zones.get(member).unwrap_or(home));
        let kind = if now_ms >= over_ms { Some(OVERDUE) } else { (now_ms >= soon_ms).then_some(SOON) };
        for moment in [soon_ms, over_ms].into_iter().filter(|moment| *moment > now_ms) {
            next_ms = next_ms.min(moment);
        }
        let Some(kind) = kind else { continue };
        let sql = "INSERT INTO item_dues_told (account_id, board_id, item_id, day, kind, member_id) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (account_id, board_id, item_id, day, kind, member_id) DO NOTHING";
        if tx.execute(sql, params![account, &board_id, &item_id, day, kind, member])? == 1 {
            if kind == OVERDUE { &mut overdue } else { &mut soon }.push(member.to_owned());
        }
    }
    tx.execute(
        "UPDATE item_dues SET next_ms = $4 WHERE account_id = $1 AND board_id = $2 AND item_id = $3",
        params![account, &board_id, &item_id, next_ms],
    )?;
    let date = kit::date(day);
    let named = |members: Vec<String>| members.into_iter().filter(|id| !id.is_empty()).collect::<Vec<_>>();
    let mut events = Vec::new();
    if !soon.is_empty() {
        let (board_id, item_id, date) = (board_id.clone(), item_id.clone(), date.clone());
        events.push(Event::ItemDueSoon { board_id, item_id, date, member_ids: named(soon) });
    }
    if !overdue.is_empty() {
        events.push(Event::ItemOverdue { board_id, item_id, date, member_ids: named(overdue) });
    }
    Ok(events)
}

/// The events by board; of a board with very many one summary.
fn summed(events: Vec<Event>) -> Vec<Event> {
    let mut by_board: Vec<(String, Vec<Event>)> = Vec::new();
    for event in events {
        let (Event::ItemDueSoon { board_id, .. } | Event::ItemOverdue { board_id, .. }) = &event else { continue };
        match by_board.iter_mut().find(|(id, _)| id == board_id) {
            Some((_, events)) => events.push(event),
            None => by_board.push((board_id.clone(), vec![event])),
        }
    }
    let mut summed = Vec::new();
    for (board_id, events) in by_board {
        if events.len() <= DUE_EVENTS_MAX {
            summed.extend(events);
            continue;
        }
        let overdue = events.iter().filter(|event| matches!(event, Event::ItemOverdue { .. })).count();
        let (items, item_ids) = events::items_of(&events);
        let due_soon = events.len() - overdue;
        summed.push(Event::ItemsDue { board_id, due_soon, overdue, items, item_ids });
    }
    summed
}

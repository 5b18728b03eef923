//! Events of boards as inbox rows: assignments, status changes, due dates, and mentions, at once or as a digest each hour.
//!
//! What the user did is not told to the user.

use crate::settings::{pmInboxBoardPreferences, pmInboxDigestMode, pmInboxEnabled};
use events::{Actor, Event};
use inbox_rows::{NewRow, Severity};
use jiff::tz::TimeZone;
use jiff::{RoundMode, Timestamp, ToSpan, Unit, ZonedRound};
use kit::ids::short_id;
use kit::lookup::{ItemFacts, Items, Members};
use kit::{Ctx, InboxKind, Kind, Reaction, Result, TimerKind, Urgency};
use reactions::Effect;
use schedule::{HasSchedule, Timer};
use serde_json::Value;
use store::{Tx, params};

pub(crate) static ASSIGNED: InboxKind = of_board("assigned", "Assignment", "people");
pub(crate) static STATUS: InboxKind = of_board("status", "Status change", "task");
pub(crate) static DUE: InboxKind = of_board("due", "Due soon", "clock");
pub(crate) static OVERDUE: InboxKind = InboxKind::new("overdue", "Overdue", "warning").urgency(Urgency::Always);
pub(crate) static MENTION: InboxKind = of_board("mention", "Mention", "people");
pub(crate) static CHANGED: InboxKind = of_board("boardChanges", "Board changes", "board");
pub(crate) static DIGEST: InboxKind = of_board("boardDigest", "Board digest", "board");

const fn of_board(name: &'static str, label: &'static str, icon: &'static str) -> InboxKind {
    InboxKind::new(name, label, icon).urgency(Urgency::OfBoard)
}

/// Events that a digest lists; the rest of them are counted.
const LINES_MAX: i64 = 100;
/// The timer of an account's next digest.
const NEXT_DIGEST: &str = "notifications.board-digest";

pub(crate) fn reaction() -> Reaction {
    reactions::reaction(
        "notifications.board-events",
        "couldn't add a board event to the inbox",
        &[
            "item-assigned",
            "item-status-changed",
            "item-due-soon",
            "item-overdue",
            "member-mentioned",
            "items-changed",
            "items-due",
        ],
        |ctx, account, event| Box::pin(prepare(ctx, account, event)),
    )
}

pub(crate) fn timers() -> TimerKind {
    schedule::timers(NEXT_DIGEST, "couldn't add the board digest to the inbox", |ctx, tx, timer| {
        post_digest(tx, ctx, &timer.account)
    })
}

/// What the row of an event says.
struct News {
    kind: &'static InboxKind,
    board_id: String,
    /// Empty for the board.
    item_id: String,
    /// What happened, after the item's or board's name.
    what: String,
    by: Option<Actor>,
    /// Whether it's about the user, or the item is the user's.
    concerns_user: bool,
}

async fn prepare(ctx: Ctx, account: String, event: Event) -> Result<Effect> {
    let nothing = || reactions::effect(|_| Ok(()));
    let Some((board_id, item_id)) = about(&event) else { return Ok(nothing()) };
    let you = match ctx.find_service::<Members>() {
        Some(members) => members.0.you(&account).await?,
        None => None,
    };
    let Some(items) = ctx.find_service::<Items>() else { return Ok(nothing()) };
    // An item that was deleted meanwhile is no news.
    let Some(facts) = items.0.item(&account, &board_id, &item_id).await? else { return Ok(nothing()) };
    let Some(news) = news(event, &facts, you.as_deref()) else { return Ok(nothing()) };
    let is_own = news.by.as_ref().is_some_and(|by| {
        by.kind == Kind::Owner.name() || (by.member_id.is_some() && by.member_id.as_deref() == you.as_deref())
    });
    if is_own || !is_wanted(&ctx, &account, &news) {
        return Ok(nothing());
    }
    Ok(reactions::effect(move |tx| write(tx, &ctx, &account, &news, &facts)))
}

/// The board and the item of an event; no item for one of several.
fn about(event: &Event) -> Option<(String, String)> {
    match event {
        Event::ItemAssigned { board_id, item_id, .. }
        | Event::ItemStatusChanged { board_id, item_id, .. }
        | Event::ItemDueSoon { board_id, item_id, .. }
        | Event::ItemOverdue { board_id, item_id, .. }
        | Event::MemberMentioned { board_id, item_id, .. } => Some((board_id.clone(), item_id.clone())),
        Event::ItemsChanged { board_id, .. } | Event::ItemsDue { board_id, .. } => {
            Some((board_id.clone(), String::new()))
        }
        _ => None,
    }
}

/// What the row of an event says; `None` if it's about another member. If no member is marked as the user, the assignments
/// and mentions of all count.
fn news(event: Event, facts: &ItemFacts, you: Option<&str>) -> Option<News> {
    let is_you = |members: &[String]| you.is_none_or(|you| members.iter().any(|member| member == you));
    let is_yours = is_you(&facts.members) && !facts.members.is_empty();
    let items = |count: usize| if count == 1 { "1 item".to_owned() } else { format!("{count} items") };
    let (kind, what, by, concerns_user, board_id, item_id) = match event {
        Event::ItemAssigned { board_id, item_id, member_ids, by, .. } => {
            if !is_you(&member_ids) {
                return None;
            }
            let what = if you.is_some() { "assigned to you" } else { "assigned" };
            (&ASSIGNED, what.to_owned(), Some(by), true, board_id, item_id)
        }
        Event::ItemStatusChanged { board_id, item_id, from, to, by, .. } => {
            let label = |label: Option<String>| label.unwrap_or_else(|| "(empty)".to_owned());
            (&STATUS, format!("{} → {}", label(from), label(to)), Some(by), is_yours, board_id, item_id)
        }
        Event::ItemDueSoon { board_id, item_id, date, member_ids } => {
            let concerns = !member_ids.is_empty() && is_you(&member_ids);
            (&DUE, format!("due on {date}"), None, concerns, board_id, item_id)
        }
        Event::ItemOverdue { board_id, item_id, date, member_ids } => {
            let concerns = !member_ids.is_empty() && is_you(&member_ids);
            (&OVERDUE, format!("overdue since {date}"), None, concerns, board_id, item_id)
        }
        Event::MemberMentioned { board_id, item_id, member_id, by, .. } => {
            if !is_you(std::slice::from_ref(&member_id)) {
                return None;
            }
            let what = if you.is_some() { "mentions you in a comment" } else { "mentions a member in a comment" };
            (&MENTION, what.to_owned(), Some(by), true, board_id, item_id)
        }
        Event::ItemsChanged { board_id, assigned, status_changed, items: count, by, .. } => {
            let what = format!("{} changed ({assigned} assignments, {status_changed} status changes)", items(count));
            (&CHANGED, what, Some(by), false, board_id, String::new())
        }
        Event::ItemsDue { board_id, due_soon, overdue, items: count, .. } => {
            let kind = if overdue > 0 { &OVERDUE } else { &DUE };
            (
                kind,
                format!("{} ({due_soon} due soon, {overdue} overdue)", items(count)),
                None,
                false,
                board_id,
                String::new(),
            )
        }
        _ => return None,
    };
    Some(News { kind, board_id, item_id, what, by, concerns_user })
}

fn is_wanted(ctx: &Ctx, account: &str, news: &News) -> bool {
    if !ctx.setting(account, &pmInboxEnabled) {
        return false;
    }
    let preferences: Value = ctx.setting(account, &pmInboxBoardPreferences);
    match preferences[&news.board_id].as_str() {
        Some("none") => false,
        Some("assigned-only") => news.concerns_user,
        _ => true,
    }
}

fn write(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, news: &News, facts: &ItemFacts) -> Result<()> {
    let title = match news.item_id.is_empty() {
        true => format!("{}: {}", facts.board, news.what),
        false => format!("{}: {}", facts.name, news.what),
    };
    // Overdue items are told at once, also while the others are collected.
    if ctx.setting(account, &pmInboxDigestMode) && news.kind.urgency != Urgency::Always {
        return collect(tx, ctx, account, &news.board_id, &format!("{title} ({})", facts.board));
    }
    let key = format!("{}:{}:{}", news.kind.name, news.board_id, news.item_id);
    let link = match news.item_id.is_empty() {
        true => format!("/app/boards/{}", news.board_id),
        false => format!("/app/boards/{}?item={}", news.board_id, news.item_id),
    };
    let row = NewRow {
        key: Some(&key),
        body: if news.item_id.is_empty() { "" } else { &facts.board },
        severity: if news.kind.urgency == Urgency::Always { Severity::Warning } else { Severity::Info },
        link: Some(&link),
        board_id: Some(&news.board_id),
        ..NewRow::new(news.kind, &title, news.by.clone().unwrap_or_else(|| Actor::program(None)))
    };
    inbox_rows::post(tx, ctx, account, &row).map(drop)
}

/// Keeps an event for the digest at the next full hour.
fn collect(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, board_id: &str, line: &str) -> Result<()> {
    let sql = "INSERT INTO digest_events (account_id, event_id, board_id, line) VALUES ($1, $2, $3, $4)";
    tx.execute(sql, params![account, short_id(), board_id, line])?;
    if schedule::due_of(tx, account, NEXT_DIGEST, "")?.is_some() {
        return Ok(());
    }
    let due_ms = next_hour_ms(ctx.now_ms(), &ctx.home_zone());
    let (account, key, payload) = (account.to_owned(), String::new(), String::new());
    schedule::set(tx, &ctx.schedule(), &Timer { account, kind: NEXT_DIGEST, key, due_ms, payload })
}

/// The next full hour on the clock there.
fn next_hour_ms(now_ms: i64, zone: &TimeZone) -> i64 {
    let now = Timestamp::from_millisecond(now_ms).unwrap_or(Timestamp::MAX).to_zoned(zone.clone());
    let begun = now.round(ZonedRound::new().smallest(Unit::Hour).mode(RoundMode::Trunc));
    let next = begun.and_then(|begun| begun.checked_add(1.hour()));
    next.map_or(now_ms, |next| next.timestamp().as_millisecond())
}

/// Posts the digest of what was collected. Also if digests were turned off meanwhile: nothing is lost.
fn post_digest(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) -> Result<()> {
    let sql = "SELECT count(*) FROM digest_events WHERE account_id = $1";
    let count = tx.query_one(sql, params![account], |row| row.get::<i64>(0))?;
    if count == 0 {
        return Ok(());
    }
    let sql = "SELECT line FROM digest_events WHERE account_id = $1 ORDER BY event_id LIMIT $2";
    let mut lines = tx.query(sql, params![account, LINES_MAX], |row| row.get::<String>(0))?;
    if count > LINES_MAX {
        lines.push(format!("and {} more", count - LINES_MAX));
    }
    tx.execute("DELETE FROM digest_events WHERE account_id = $1", params![account])?;
    let title = if count == 1 { "1 board event".to_owned() } else { format!("{count} board events") };
    let body = lines.join("\n");
    // Each hour has a row of its own: an unread one isn't overwritten.
    let row = NewRow { body: &body, link: Some("/app/boards"), ..NewRow::new(&DIGEST, &title, Actor::program(None)) };
    inbox_rows::post(tx, ctx, account, &row).map(drop)
}

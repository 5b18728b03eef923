//! Sources of the daily briefing besides sessions: what the user's calendar and boards have for today.

use crate::content::{Entry, Section};
use jiff::ToSpan;
use jiff::civil::Date;
use kit::lookup::{BoardDate, BoardDates, CalendarEvents, DayEvent};
use kit::{Ctx, rfc3339};

/// Entries in a section at most.
const ENTRIES_MAX: usize = 50;
/// Dates of boards that are read at most.
const DATES_MAX: usize = 2_000;

/// The section of a source for a day, or why there is none.
pub(crate) async fn read(ctx: &Ctx, account: &str, source: &str, day: Date) -> Result<Section, String> {
    let (label, mut entries) = match source {
        "calendar" => ("Today's events", events(ctx, account, day).await?),
        "pm-events" => ("Due today", due(ctx, account, day).await?),
        _ => return Err("not available yet".into()),
    };
    let has_more = entries.len() > ENTRIES_MAX;
    entries.truncate(ENTRIES_MAX);
    Ok(Section { source: source.into(), label: label.into(), entries, has_more })
}

async fn events(ctx: &Ctx, account: &str, day: Date) -> Result<Vec<Entry>, String> {
    let calendar = ctx.find_service::<CalendarEvents>().filter(|calendar| calendar.0.is_on(ctx, account));
    let calendar = calendar.ok_or("turned off (calendarEnabled)")?;
    let events = calendar.0.of_day(ctx.clone(), account, day).await.map_err(unread)?;
    let entry = |event: DayEvent| Entry {
        title: event.title,
        about: String::new(),
        at: event.start_ms.map(rfc3339),
        link: "/calendar".into(),
    };
    Ok(events.into_iter().map(entry).collect())
}

async fn due(ctx: &Ctx, account: &str, day: Date) -> Result<Vec<Entry>, String> {
    let boards = ctx.find_service::<BoardDates>().filter(|boards| boards.0.is_on(ctx, account));
    let boards = boards.ok_or("turned off (projectBoardsEnabled)")?;
    let period = (day, day.saturating_add(1.day()));
    let dates = boards.0.between(ctx, account, Vec::new(), period, DATES_MAX).await.map_err(unread)?;
    let entry = |date: BoardDate| Entry {
        link: format!("/boards/{}?item={}", date.board_id, date.item_id),
        title: date.title,
        about: date.board,
        at: None,
    };
    // A timeline is due on its last day.
    Ok(dates.into_iter().filter(|date| date.last == day).map(entry).collect())
}

fn unread(why: kit::Error) -> String {
    format!("couldn't be read: {why}")
}

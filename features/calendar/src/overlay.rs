//! Layers over the calendar: dates of boards, and sessions.

use crate::settings::{pmCalendarBoardIds, pmCalendarOverlayEnabled};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use kit::lookup::{AgentSessions, BoardDate, BoardDates};
use kit::{Caller, Ctx, Result, rfc3339};
use schemars::JsonSchema;
use serde::Serialize;

/// Entries of a layer at most.
const ENTRIES_MAX: usize = 2_000;
/// Colors of boards, chosen by their IDs.
const COLORS: [&str; 10] =
    ["#2563eb", "#16a34a", "#d97706", "#dc2626", "#7c3aed", "#0891b2", "#db2777", "#65a30d", "#ea580c", "#4f46e5"];

/// What a date of an item is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CalendarBoardEntryKind")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    Due,
    Sprint,
}

/// A date of an item on a board.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CalendarBoardEntry")]
#[serde(rename_all = "camelCase")]
pub(crate) struct BoardEntry {
    board_id: String,
    item_id: String,
    board: String,
    title: String,
    kind: Kind,
    /// The first day.
    start: String,
    /// The day after the last.
    end: String,
    color: String,
    column_id: String,
}

/// When a session ran.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CalendarSessionEntry")]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionEntry {
    session_id: String,
    title: String,
    start: String,
    end: String,
}

/// Dates of the chosen boards in a window.
pub(crate) async fn board(
    ctx: &Ctx,
    caller: &Caller,
    (from_ms, to_ms): (i64, i64),
    viewer: &TimeZone,
) -> Result<Vec<BoardEntry>> {
    let account = &caller.account;
    let Some(dates) = ctx.find_service::<BoardDates>() else { return Ok(Vec::new()) };
    if !ctx.setting(account, &pmCalendarOverlayEnabled) || !caller.has_scope("boards:read") {
        return Ok(Vec::new());
    }
    let date = |ms: i64| Timestamp::from_millisecond(ms).unwrap_or_default().to_zoned(viewer.clone()).date();
    let boards = ctx.setting(account, &pmCalendarBoardIds);
    let period = (date(from_ms), date(to_ms - 1).saturating_add(1.day()));
    let found = dates.0.between(ctx, account, boards, period, ENTRIES_MAX).await?;
    Ok(found.into_iter().map(entry).collect())
}

fn entry(date: BoardDate) -> BoardEntry {
    let sum = date.board_id.bytes().fold(0_usize, |sum, byte| (sum * 31 + usize::from(byte)) % 1_000_003);
    BoardEntry {
        kind: if date.is_span { Kind::Sprint } else { Kind::Due },
        start: date.first.to_string(),
        end: date.last.saturating_add(1.day()).to_string(),
        color: COLORS[sum % COLORS.len()].to_owned(),
        board_id: date.board_id,
        item_id: date.item_id,
        board: date.board,
        title: date.title,
        column_id: date.column_id,
    }
}

/// The sessions that the caller sees and that ran in a window.
pub(crate) async fn sessions(ctx: &Ctx, caller: &Caller, (from_ms, to_ms): (i64, i64)) -> Result<Vec<SessionEntry>> {
    let Some(sessions) = ctx.find_service::<AgentSessions>() else { return Ok(Vec::new()) };
    if !caller.has_scope("sessions:read") {
        return Ok(Vec::new());
    }
    let all = sessions.0.seen(ctx, &caller.account, &caller.sessions_seen()).await?.all;
    let entries = all.into_iter().filter_map(|session| {
        let start_ms = session.started_ms?;
        let end_ms = session.ended_ms.unwrap_or(session.updated_ms).max(start_ms);
        (start_ms < to_ms && end_ms >= from_ms).then(|| SessionEntry {
            session_id: session.id,
            title: session.name,
            start: rfc3339(start_ms),
            end: rfc3339(end_ms),
        })
    });
    Ok(entries.take(ENTRIES_MAX).collect())
}

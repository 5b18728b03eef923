//! What the statistics on inbox rows say.

use crate::days::{before, day_of};
use crate::rows::{ANSWERED, DISMISSED};
use crate::settings::inboxAnalyticsEnabled;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use kit::{Call, CallerSet, Catalog, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::{HasDb, Tx, params};

/// Default number of days.
const DAYS: i64 = 30;
/// The most days: statistics are stored as long.
const DAYS_MAX: i64 = crate::rows::STORED_MS / kit::clock::DAY_MS;
/// The newest statistics that a report reads.
const READ_MAX: i64 = 200_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "analytics.inbox",
            Method::Get,
            "/analytics/inbox",
            CallerSet::PERSON,
            "Get statistics on inbox rows: waiting time, pile-up, rows looked at without action, and time spent.",
            report,
        )
        .example(r#"{"days": 7}"#),
    ]
}

/// The days to report on.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "InboxStatsParams")]
#[serde(deny_unknown_fields)]
struct Params {
    /// Today and the days before. Default: 30.
    #[schemars(range(min = 1, max = DAYS_MAX))]
    days: Option<i64>,
}

/// Statistics on inbox rows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxStats")]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Whether new ones are recorded.
    is_on: bool,
    /// By kind, the most frequent first; of rows posted on these days.
    kinds: Vec<KindStats>,
    /// Rows open at the end of each day, the oldest day first.
    pile_up: Vec<DayStats>,
}

/// Statistics on the rows of a kind.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct KindStats {
    /// One of `inbox kinds`.
    kind: String,
    label: String,
    posted: i64,
    /// Answered or dismissed by you.
    handled: i64,
    /// Seconds until half of the handled ones were handled; null if none was.
    wait_median_seconds: Option<i64>,
    /// Seconds until 90% of them were.
    wait_90_seconds: Option<i64>,
    /// Looked at, but not handled.
    looked_only: i64,
    /// Seconds for which you had them open.
    open_seconds: i64,
}

/// The rows open at the end of a day.
#[derive(Serialize, JsonSchema)]
struct DayStats {
    /// `2026-03-01`, in this computer's time zone.
    day: String,
    open: i64,
}

/// A stored statistic.
struct Stat {
    kind: String,
    posted_ms: i64,
    looked_ms: i64,
    ended_ms: i64,
    is_handled: bool,
    open_seconds: i64,
}

async fn report(ctx: Ctx, call: Call, input: Params) -> Result<Report> {
    let days = input.days.unwrap_or(DAYS);
    kit::page::expect_within(days, 1..=DAYS_MAX, "/days")?;
    let is_on = ctx.setting(call.account(), &inboxAnalyticsEnabled);
    let read = move |tx: &mut Tx<'_>| {
        let sql = "SELECT kind, posted_ms, looked_ms, ended_ms, ending, open_seconds FROM inbox_stats \
                   WHERE account_id = $1 ORDER BY posted_ms DESC LIMIT $2";
        tx.query(sql, params![call.account(), READ_MAX], |row| {
            let ending: &str = row.get(4)?;
            Ok(Stat {
                kind: row.get(0)?,
                posted_ms: row.get(1)?,
                looked_ms: row.get(2)?,
                ended_ms: row.get(3)?,
                is_handled: ending == ANSWERED || ending == DISMISSED,
                open_seconds: row.get(5)?,
            })
        })
    };
    let stats = ctx.db().read(read).await?;
    let zone = ctx.home_zone();
    let today = day_of(ctx.now_ms(), &zone);
    let first = before(today, days - 1);
    let recent = stats.iter().filter(|stat| day_of(stat.posted_ms, &zone) >= first);
    Ok(Report { is_on, kinds: by_kind(&ctx, recent), pile_up: pile_up(&stats, first, today, &zone) })
}

fn by_kind<'a>(ctx: &Ctx, stats: impl Iterator<Item = &'a Stat>) -> Vec<KindStats> {
    let mut groups: BTreeMap<&str, Vec<&Stat>> = BTreeMap::new();
    for stat in stats {
        groups.entry(&stat.kind).or_default().push(stat);
    }
    let known = &ctx.service::<Catalog>().inbox_kinds;
    let mut kinds: Vec<KindStats> = groups
        .into_iter()
        .map(|(kind, stats)| {
            let handled = stats.iter().filter(|stat| stat.is_handled);
            let mut waits: Vec<i64> = handled.map(|stat| (stat.ended_ms - stat.posted_ms).max(0) / 1_000).collect();
            waits.sort_unstable();
            KindStats {
                label: known.iter().find(|one| one.name == kind).map_or(kind, |one| one.label).to_owned(),
                kind: kind.to_owned(),
                posted: stats.len() as i64,
                handled: waits.len() as i64,
                wait_median_seconds: percentile(&waits, 50),
                wait_90_seconds: percentile(&waits, 90),
                looked_only: stats.iter().filter(|stat| stat.looked_ms > 0 && !stat.is_handled).count() as i64,
                open_seconds: stats.iter().map(|stat| stat.open_seconds).sum(),
            }
        })
        .collect();
    kinds.sort_by_key(|kind| -kind.posted);
    kinds
}

/// The smallest value that at least this share of the sorted values doesn't exceed.
pub(crate) fn percentile(sorted: &[i64], percent: usize) -> Option<i64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// Open rows at the end of each day from the first to the last.
fn pile_up(stats: &[Stat], first: Date, last: Date, zone: &TimeZone) -> Vec<DayStats> {
    let mut changes: BTreeMap<Date, i64> = BTreeMap::new();
    for stat in stats {
        *changes.entry(day_of(stat.posted_ms, zone).max(first)).or_default() += 1;
        if stat.ended_ms > 0 {
            *changes.entry(day_of(stat.ended_ms, zone).max(first)).or_default() -= 1;
        }
    }
    let mut open = 0;
    first
        .series(jiff::Span::new().days(1))
        .take_while(|day| *day <= last)
        .map(|day| {
            open += changes.get(&day).copied().unwrap_or(0);
            DayStats { day: day.to_string(), open }
        })
        .collect()
}

//! The time for which running sessions are watched, and the card that sums it up.

use crate::days::{before, day_of};
use crate::rows::Recorded;
use crate::settings::{helpfulHintsEnabled, watchingTimeRecapCardEnabled};
use events::Actor;
use inbox_rows::NewRow;
use kit::{Call, CallerSet, Ctx, InboxKind, Method, Op, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{HasDb, Tx, params};

pub(crate) static KINDS: &[&InboxKind] = &[&RECAP];

static RECAP: InboxKind = InboxKind::new("recap", "Recap", "clock");

/// The days that a card sums up, and the least time between two cards.
const WEEK_DAYS: i64 = 7;
/// The least watching time of a card.
const CARD_SECONDS: i64 = 5 * 3_600;
/// The most seconds of one report.
const SECONDS_MAX: i64 = 300;
/// The most seconds of a day: one that ends daylight saving time has 25 hours.
const DAY_SECONDS_MAX: i64 = 25 * 3_600;
/// Days that are stored.
const STORED_DAYS: i64 = 30;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "analytics.watched",
            Method::Post,
            "/analytics/watching",
            CallerSet::PERSON,
            "Report how long a running session was watched on the page. Only a sum for each day is stored.",
            add,
        )
        .example(r#"{"seconds": 60}"#),
    ]
}

/// How long a running session was watched.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Watched")]
#[serde(deny_unknown_fields)]
struct Watched {
    /// Since the last report.
    #[schemars(range(min = 1, max = SECONDS_MAX))]
    seconds: i64,
}

fn is_on(ctx: &Ctx, account: &str) -> bool {
    ctx.setting(account, &helpfulHintsEnabled) && ctx.setting(account, &watchingTimeRecapCardEnabled)
}

async fn add(ctx: Ctx, call: Call, input: Watched) -> Result<Recorded> {
    kit::page::expect_within(input.seconds, 1..=SECONDS_MAX, "/seconds")?;
    if !is_on(&ctx, call.account()) {
        return Ok(Recorded { is_recorded: false });
    }
    let today = day_of(ctx.now_ms(), &ctx.home_zone());
    let (day, oldest) = (today.to_string(), before(today, STORED_DAYS).to_string());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        tx.execute("DELETE FROM watching_days WHERE account_id = $1 AND day < $2", params![account, &oldest])?;
        let sql = "INSERT INTO watching_days (account_id, day, seconds) VALUES ($1, $2, 0) \
                   ON CONFLICT (account_id, day) DO NOTHING";
        tx.execute(sql, params![account, &day])?;
        let sql =
            "UPDATE watching_days SET seconds = seconds + $3 WHERE account_id = $1 AND day = $2 AND seconds + $3 <= $4";
        tx.execute(sql, params![account, &day, input.seconds, DAY_SECONDS_MAX])?;
        Ok(Recorded { is_recorded: true })
    };
    ctx.db().write(write).await
}

/// Posts the cards that are due.
pub(crate) async fn post_recaps(ctx: Ctx) -> Result<()> {
    let now_ms = ctx.now_ms();
    let from = before(day_of(now_ms, &ctx.home_zone()), WEEK_DAYS - 1).to_string();
    let db = ctx.db();
    let write = move |tx: &mut Tx<'_>| {
        let sql = "SELECT account_id, CAST(sum(seconds) AS BIGINT) FROM watching_days WHERE account_id <> '' AND day >= $1 \
                   GROUP BY account_id HAVING CAST(sum(seconds) AS BIGINT) >= $2";
        let due = tx.query(sql, params![&from, CARD_SECONDS], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))?;
        for (account, seconds) in due {
            if is_on(&ctx, &account) {
                post_recap(tx, &ctx, &account, seconds, now_ms)?;
            }
        }
        Ok(())
    };
    db.write(write).await
}

/// Posts an account's card, unless it got one within a week.
fn post_recap(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, seconds: i64, now_ms: i64) -> Result<()> {
    let sql = "INSERT INTO watching_recaps (account_id, posted_ms) VALUES ($1, $2) \
               ON CONFLICT (account_id) DO UPDATE SET posted_ms = excluded.posted_ms \
               WHERE watching_recaps.posted_ms <= $3";
    if tx.execute(sql, params![account, now_ms, now_ms - WEEK_DAYS * kit::clock::DAY_MS])? == 0 {
        return Ok(());
    }
    let title = format!("You watched agents for {} hours in the last 7 days", seconds / 3_600);
    let by = Actor::program(None);
    let row = NewRow {
        key: Some("analytics.recap"),
        body: "Agents don't need you while they work. The waiting room opens the next session that does.",
        link: Some("/app/waiting"),
        ..NewRow::new(&RECAP, &title, by)
    };
    inbox_rows::post(tx, ctx, account, &row).map(drop)
}

//! Focus Mode: holds notifications until a time or until it's ended.

use crate::settings::focusModeFeatureEnabled;
use crate::{errors, store_rows};
use events::{Event, HasEvents};
use futures_core::future::BoxFuture;
use kit::lookup::ReadFocus;
use kit::{Call, CallerSet, Ctx, Method, Op, Result, rfc3339};
use notify::{Focus, NEVER_MS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Tx, params};

/// Maximum minutes of a Focus Mode with an end.
const MINUTES_MAX: i64 = 24 * 60;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "focus.get",
            Method::Get,
            "/focus",
            CallerSet::PERSON,
            "Get Focus Mode: whether it's on, and until when.",
            get,
        ),
        Op::new(
            "focus.start",
            Method::Post,
            "/focus",
            CallerSet::PERSON,
            "Start Focus Mode, or change its end. It holds notifications and sums them up at the end.",
            start,
        )
        .synonyms("do not disturb dnd mute quiet silence")
        .example(r#"{"minutes": 25}"#)
        .switch(&focusModeFeatureEnabled, &errors::FOCUS_DISABLED),
        Op::new(
            "focus.end",
            Method::Delete,
            "/focus",
            CallerSet::PERSON,
            "End Focus Mode, and show what it held.",
            end,
        )
        .example("{}"),
    ]
}

/// What gets through Focus Mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Through {
    /// Nothing but overdue items, and alarms that say so.
    #[default]
    Nothing,
    /// Also critical alerts.
    Critical,
    /// Also sessions and requests that need you.
    NeedsYou,
}

impl Through {
    const ALL: [Through; 3] = [Through::Nothing, Through::Critical, Through::NeedsYou];

    const fn name(self) -> &'static str {
        match self {
            Through::Nothing => "nothing",
            Through::Critical => "critical",
            Through::NeedsYou => "needsYou",
        }
    }

    const fn rule(self) -> notify::Through {
        match self {
            Through::Nothing => notify::Through::Nothing,
            Through::Critical => notify::Through::Critical,
            Through::NeedsYou => notify::Through::NeedsYou,
        }
    }
}

/// Focus Mode.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FocusMode {
    /// Whether it's on.
    active: bool,
    /// RFC 3339 in UTC; null while it's off.
    started_at: Option<String>,
    /// RFC 3339 in UTC; null while it's off, and for one without an end.
    ends_at: Option<String>,
    through: Through,
    /// Notifications that it holds.
    held: i64,
}

/// Focus Mode as stored.
pub(crate) struct Stored {
    pub(crate) started_ms: i64,
    /// 0 if it has no end.
    pub(crate) ends_ms: i64,
    pub(crate) through: Through,
}

pub(crate) fn stored(tx: &mut Tx<'_>, account: &str, now_ms: i64) -> Result<Option<Stored>> {
    let sql =
        "SELECT started_ms, ends_ms, through FROM focus_mode WHERE account_id = $1 AND (ends_ms = 0 OR ends_ms > $2)";
    tx.query_opt(sql, params![account, now_ms], |row| {
        let name: &str = row.get(2)?;
        let through = Through::ALL.into_iter().find(|one| one.name() == name).unwrap_or_default();
        Ok(Stored { started_ms: row.get(0)?, ends_ms: row.get(1)?, through })
    })
}

/// The account's active Focus Mode, for a decision.
pub(crate) fn active(tx: &mut Tx<'_>, account: &str, now_ms: i64) -> Result<Option<Focus>> {
    let focus = stored(tx, account, now_ms)?;
    Ok(focus.map(|focus| Focus {
        until_ms: if focus.ends_ms == 0 { NEVER_MS } else { focus.ends_ms },
        through: focus.through.rule(),
    }))
}

/// The same, but none while the feature is off.
pub(crate) fn current(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) -> Result<Option<Focus>> {
    match ctx.setting(account, &focusModeFeatureEnabled) {
        true => active(tx, account, ctx.now_ms()),
        false => Ok(None),
    }
}

/// Tells other features of Focus Mode.
pub(crate) struct FocusReader;

impl ReadFocus for FocusReader {
    fn until_ms(&self, ctx: Ctx, account: &str) -> BoxFuture<'static, Result<Option<i64>>> {
        let (again, account) = (ctx.clone(), account.to_owned());
        Box::pin(async move {
            let focus = ctx.db().read(move |tx| current(tx, &again, &account)).await?;
            Ok(focus.map(|focus| focus.until_ms))
        })
    }
}

fn read(tx: &mut Tx<'_>, account: &str, now_ms: i64) -> Result<FocusMode> {
    let focus = stored(tx, account, now_ms)?;
    let sql = "SELECT count(*) FROM notifications WHERE account_id = $1 AND state = 'held'";
    let held = tx.query_one(sql, params![account], |row| row.get(0))?;
    Ok(FocusMode {
        active: focus.is_some(),
        started_at: focus.as_ref().map(|focus| rfc3339(focus.started_ms)),
        ends_at: focus.as_ref().filter(|focus| focus.ends_ms > 0).map(|focus| rfc3339(focus.ends_ms)),
        through: focus.map(|focus| focus.through).unwrap_or_default(),
        held,
    })
}

/// Stores Focus Mode, started by hand or by a block of work.
pub(crate) fn put(tx: &mut Tx<'_>, account: &str, focus: &Stored, is_automatic: bool) -> Result<()> {
    let sql = "INSERT INTO focus_mode (account_id, started_ms, ends_ms, through, is_automatic) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (account_id) DO UPDATE SET started_ms = excluded.started_ms, ends_ms = excluded.ends_ms, \
               through = excluded.through, is_automatic = excluded.is_automatic";
    let Stored { started_ms, ends_ms, through } = focus;
    tx.execute(sql, params![account, *started_ms, *ends_ms, through.name(), i64::from(is_automatic)]).map(drop)
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

async fn get(ctx: Ctx, call: Call, _: NoParams) -> Result<FocusMode> {
    let now_ms = ctx.now_ms();
    ctx.db().read(move |tx| read(tx, call.account(), now_ms)).await
}

/// A Focus Mode to start.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Start {
    /// 1 to 1440. Without, it lasts until you end it.
    #[schemars(range(min = 1, max = MINUTES_MAX))]
    minutes: Option<i64>,
    /// What gets through. Default: `nothing`.
    #[serde(default)]
    through: Through,
}

async fn start(ctx: Ctx, call: Call, input: Start) -> Result<FocusMode> {
    let now_ms = ctx.now_ms();
    let ends_ms = match input.minutes {
        None => 0,
        Some(minutes) if (1..=MINUTES_MAX).contains(&minutes) => now_ms + minutes * 60_000,
        Some(_) => {
            let detail = format!("Enter a number of minutes from 1 to {MINUTES_MAX}.");
            return Err(kit::invalid("/minutes", kit::fault::OUT_OF_RANGE, detail));
        }
    };
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let (ctx, account) = (again, call.account());
        let before = stored(tx, account, now_ms)?;
        let started_ms = before.as_ref().map_or(now_ms, |before| before.started_ms);
        put(tx, account, &Stored { started_ms, ends_ms, through: input.through }, false)?;
        count_toggle(tx, account)?;
        record(tx, &call, now_ms, before.is_some(), json!(true))?;
        // What was held under the former end or rule is decided again under the new one.
        store_rows::release(tx, &ctx, account, i64::MAX)?;
        tell(tx, &ctx, account);
        read(tx, account, now_ms)
    };
    ctx.db().write(write).await
}

async fn end(ctx: Ctx, call: Call, _: NoParams) -> Result<FocusMode> {
    let now_ms = ctx.now_ms();
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let (ctx, account) = (again, call.account());
        let was_active = stored(tx, account, now_ms)?.is_some();
        tx.execute("DELETE FROM focus_mode WHERE account_id = $1", params![account])?;
        count_toggle(tx, account)?;
        if was_active {
            record(tx, &call, now_ms, true, json!(false))?;
        }
        store_rows::release(tx, &ctx, account, i64::MAX)?;
        tell(tx, &ctx, account);
        read(tx, account, now_ms)
    };
    ctx.db().write(write).await
}

fn record(tx: &mut Tx<'_>, call: &Call, now_ms: i64, before: bool, after: serde_json::Value) -> Result<()> {
    let before = json!(before);
    let change =
        Change { subject: "focus", subject_id: "focus", field: "active", before: Some(&before), after: Some(&after) };
    tx.record(&call.caller, now_ms, change).map(drop)
}

pub(crate) fn tell(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) {
    let (bus, account) = (ctx.events(), account.to_owned());
    tx.after_commit(move || bus.emit(Some(&account), Event::FocusChanged));
}

/// Counts that you toggled Focus Mode by hand.
fn count_toggle(tx: &mut Tx<'_>, account: &str) -> Result<()> {
    let toggles = toggles(tx, account)? + 1;
    tx.execute("DELETE FROM focus_toggles WHERE account_id = $1", params![account])?;
    let sql = "INSERT INTO focus_toggles (account_id, toggles) VALUES ($1, $2)";
    tx.execute(sql, params![account, toggles]).map(drop)
}

/// How often you did.
pub(crate) fn toggles(tx: &mut Tx<'_>, account: &str) -> Result<i64> {
    let sql = "SELECT toggles FROM focus_toggles WHERE account_id = $1";
    Ok(tx.query_opt(sql, params![account], |row| row.get(0))?.unwrap_or(0))
}

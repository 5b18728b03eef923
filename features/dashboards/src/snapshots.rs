//! A dashboard's memory of its sprints: once a day, where it is switched on, what each board's sprints were like when the day
//! ended. Burndown and Planned are exact of the sprints that it has seen.
//!
//! A record is made as the first thing of the next day, or when the program starts later. It stands for every day since the
//! last one at whose end the board was already as it is now; of other days nothing is said. It stays in the account's database,
//! goes with the dashboard, and leaves the program only as values that are computed with it.

use crate::access::Need;
use crate::callers::{AT_PAGE, DECIDES};
use crate::record::{self, Id, announce, config_of};
use crate::show::{Ready, Viewpoint};
use crate::{config, errors, proposals};
use events::HasEvents;
use kit::clock::DAY_MS;
use kit::job::Time;
use kit::lookup::{BoardData, Boards};
use kit::{Cached, Call, Caller, CallerSet, Ctx, Done, Job, Kind, Method, Missed, Op, Result, Rule, date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use store::{Change, HasDb, Row, Tx, params};
use widgets::{BoardHistory, History};

/// Days that are remembered.
pub const DAYS_KEPT: i32 = 400;
/// Bytes that one board's record takes at most, and those of a dashboard's boards together; past it the oldest sprints go.
const BOARD_BYTES_MAX: usize = 1024 * 1024;
const DASHBOARD_BYTES_MAX: usize = 8 * BOARD_BYTES_MAX;
/// Days that one record stands for at most, where a board did not change on them.
const DAYS_AT_ONCE: i32 = 60;
/// So long after its day a record may be made although the board changed in between: nobody can look at the stroke of midnight.
const LATE_MS: i64 = 60 * 60 * 1000;
/// How long the record of a board is kept that is not there any more: it may come back out of the trash.
const GONE_KEPT_MS: i64 = 30 * DAY_MS;

pub(super) fn ops() -> Vec<Op> {
    const PATH: &str = "/dashboards/{dashboardId}/snapshots";
    vec![
        Op::new(
            "dashboards.snapshots.get",
            Method::Get,
            PATH,
            CallerSet::ANYONE_KNOWN,
            "Show whether daily snapshots are on, and how much is stored.",
            get,
        )
        .example(r#"{"dashboardId": "{dashboardId}"}"#)
        .scope("dashboards:read"),
        Op::new(
            "dashboards.snapshots.set",
            Method::Put,
            PATH,
            CallerSet::ANYONE_KNOWN,
            "Turn daily sprint snapshots on or off. Existing snapshots stay.",
            set,
        )
        .example(r#"{"dashboardId": "{dashboardId}", "on": true}"#)
        .scope("dashboards:write")
        .errors([&errors::VIEWERS_ONLY_READ, &errors::PERSON_HAS_IT_OPEN]),
        Op::new(
            "dashboards.snapshots.delete",
            Method::Delete,
            PATH,
            DECIDES,
            "Delete a dashboard's snapshots. Doesn't turn daily snapshots on or off.",
            delete,
        )
        .example(r#"{"dashboardId": "{dashboardId}"}"#)
        .permanent()
        .errors([&errors::VIEWERS_ONLY_READ]),
        Op::new(
            "dashboards.snapshots.history",
            Method::Get,
            "/dashboards/{dashboardId}/snapshots/history",
            AT_PAGE,
            "Read a dashboard's snapshots in the format that widgets use.",
            history,
        )
        .example(r#"{"dashboardId": "{dashboardId}"}"#)
        .scope("dashboards:read")
        .errors([&errors::SNAPSHOTS_UNREADABLE]),
    ]
}

/// State of a dashboard's daily snapshots.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DashboardSnapshots")]
struct Snapshots {
    on: bool,
    /// First recorded day since snapshots were last turned on, such as 2026-03-01; null before.
    since: Option<String>,
    /// Last recorded day; null before the first has ended.
    until: Option<String>,
    /// Number of recorded days, of the board with the most.
    days: i32,
    /// Number of recorded sprints on all boards.
    sprints: usize,
    /// Size in this computer's database, in bytes.
    bytes: usize,
    /// Number of boards with unreadable snapshots. Delete the snapshots to start over.
    unreadable: usize,
}

/// Turns daily snapshots on or off.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Set {
    dashboard_id: String,
    on: bool,
}

/// A dashboard's snapshots.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DashboardHistory")]
struct Remembered {
    /// Snapshots by board, in the format that widgets use; null if there are none.
    history: Option<Map<String, Value>>,
}

/// The switch as it is stored.
#[derive(Clone, Copy, Default, Hash)]
struct Switch {
    is_on: bool,
    since_day: i32,
    last_day: i32,
    changed_ms: i64,
}

fn read_switch(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Switch>> {
    const ONE: &str = "SELECT is_on, since_day, last_day, changed_ms FROM dashboard_snapshots WHERE account_id = $1 AND dashboard_id = $2";
    tx.query_opt(ONE, params![account, id], |row| {
        let day = |at| row.get::<i64>(at).map(|day| day as i32);
        Ok(Switch { is_on: row.get::<i64>(0)? == 1, since_day: day(1)?, last_day: day(2)?, changed_ms: row.get(3)? })
    })
}

fn store_switch(tx: &mut Tx<'_>, account: &str, id: &str, switch: Switch) -> Result<()> {
    let Switch { is_on, since_day, last_day, changed_ms } = switch;
    tx.execute(
        "INSERT INTO dashboard_snapshots (account_id, dashboard_id, is_on, since_day, last_day, changed_ms) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (account_id, dashboard_id) DO UPDATE SET is_on = excluded.is_on, since_day = excluded.since_day, \
         last_day = excluded.last_day, changed_ms = excluded.changed_ms",
        params![account, id, i64::from(is_on), i64::from(since_day), i64::from(last_day), changed_ms],
    )?;
    Ok(())
}

/// What is remembered of each board, as text.
fn read_history(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<BTreeMap<String, String>> {
    const ALL: &str =
        "SELECT board_id, history_json FROM dashboard_history WHERE account_id = $1 AND dashboard_id = $2";
    let rows = tx.query(ALL, params![account, id], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
    Ok(rows.into_iter().collect())
}

/// What the engine is given of a dashboard's past, and what names its state; nothing where nothing is or was to be remembered.
pub(crate) async fn past(ctx: &Ctx, account: &str, id: &str) -> Result<Option<(Value, String)>> {
    let (account, id) = (account.to_owned(), id.to_owned());
    let read = move |tx: &mut Tx<'_>| {
        let switch = read_switch(tx, &account, &id)?.unwrap_or_default();
        let boards = read_history(tx, &account, &id)?;
        if !switch.is_on && boards.is_empty() {
            return Ok(None);
        }
        let read = |(board, text): (String, String)| Ok((board, serde_json::from_str(&text).map_err(unreadable)?));
        let history: Map<String, Value> = boards.into_iter().map(read).collect::<Result<_>>()?;
        Ok(Some((history.into(), format!("{}-{}", switch.changed_ms, switch.last_day))))
    };
    ctx.db().read(read).await
}

fn unreadable(e: serde_json::Error) -> kit::Error {
    errors::SNAPSHOTS_UNREADABLE.error("Couldn't read a board's snapshots.").caused_by(e)
}

async fn get(ctx: Ctx, call: Call, input: Id) -> Result<Snapshots> {
    ctx.db().read(move |tx| state(tx, &call.caller, &input.dashboard_id)).await
}

fn state(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Snapshots> {
    record::read(tx, caller, id, Need::Read)?;
    let switch = read_switch(tx, &caller.account, id)?.unwrap_or_default();
    let boards = read_history(tx, &caller.account, id)?;
    let (mut days, mut sprints, mut unreadable) = (0, 0, 0);
    for text in boards.values() {
        match serde_json::from_str::<BoardHistory>(text).map(|board| board.extent()) {
            Ok(extent) => (days, sprints) = (extent.0.max(days), sprints + extent.1),
            Err(_) => unreadable += 1,
        }
    }
    Ok(Snapshots {
        on: switch.is_on,
        since: switch.is_on.then(|| date(switch.since_day.into())),
        until: (switch.last_day >= switch.since_day && switch.is_on).then(|| date(switch.last_day.into())),
        days,
        sprints,
        bytes: boards.values().map(String::len).sum(),
        unreadable,
    })
}

async fn set(ctx: Ctx, call: Call, input: Set) -> Result<Snapshots> {
    if proposals::is_to_propose(&ctx, &call, &input.dashboard_id) {
        return Err(errors::PERSON_HAS_IT_OPEN.error(
            "A person has this dashboard open. Nothing was changed. Ask the owner, or try again after it's closed.",
        ));
    }
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    let today = today(&ctx, call.account()).await?.0;
    ctx.db()
        .write(move |tx| {
            let (account, id) = (call.account(), &input.dashboard_id);
            let dashboard = record::read(tx, &call.caller, id, Need::Write)?;
            let was = read_switch(tx, account, id)?.unwrap_or_default().is_on;
            if was != input.on {
                // The first day that is remembered is this one, once it has ended.
                let switch = Switch { is_on: input.on, since_day: today, last_day: today - 1, changed_ms: now_ms };
                store_switch(tx, account, id, switch)?;
                record(tx, &call, now_ms, id, &json!({"on": was}), Some(&json!({"on": input.on})))?;
                announce(tx, &bus, account, id, dashboard.revision)?;
            }
            state(tx, &call.caller, id)
        })
        .await
}

fn record(tx: &mut Tx<'_>, call: &Call, now_ms: i64, id: &str, before: &Value, after: Option<&Value>) -> Result<()> {
    let change = Change { subject: "dashboard", subject_id: id, field: "snapshots", before: Some(before), after };
    tx.record(&call.caller, now_ms, change).map(drop)
}

async fn delete(ctx: Ctx, call: Call, input: Id) -> Result<Done> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    let today = today(&ctx, call.account()).await?.0;
    ctx.db()
        .write(move |tx| {
            let (account, id) = (call.account(), &input.dashboard_id);
            let dashboard = record::read(tx, &call.caller, id, Need::Write)?;
            let before = state(tx, &call.caller, id)?;
            forget_history(tx, account, id)?;
            if let Some(switch) = read_switch(tx, account, id)? {
                store_switch(
                    tx,
                    account,
                    id,
                    Switch { since_day: today, last_day: today - 1, changed_ms: now_ms, ..switch },
                )?;
            }
            record(tx, &call, now_ms, id, &json!({"days": before.days, "sprints": before.sprints}), None)?;
            announce(tx, &bus, account, id, dashboard.revision)?;
            Ok(Done)
        })
        .await
}

async fn history(ctx: Ctx, call: Call, input: Id) -> Result<Cached<Remembered>> {
    let (caller, id) = (call.caller.clone(), input.dashboard_id.clone());
    ctx.db().read(move |tx| record::read(tx, &caller, &id, Need::Read)).await?;
    let past = past(&ctx, call.account(), &input.dashboard_id).await?;
    let etag = past.as_ref().map_or("\"none\"".to_owned(), |(_, tag)| format!("\"{tag}\""));
    Ok(Cached::new(&call, &etag, || json!({"history": past.map(|(history, _)| history)}).to_string().into()))
}

/// Forgets a dashboard with its switch.
pub(super) fn forget(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    forget_history(tx, account, id)?;
    tx.execute("DELETE FROM dashboard_snapshots WHERE account_id = $1 AND dashboard_id = $2", params![account, id])?;
    Ok(())
}

fn forget_history(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    tx.execute("DELETE FROM dashboard_history WHERE account_id = $1 AND dashboard_id = $2", params![account, id])?;
    Ok(())
}

/// The day where the machine stands, and what its clock is ahead of UTC.
async fn today(ctx: &Ctx, account: &str) -> Result<(i32, i64)> {
    let calendar = ctx.service::<BoardData>().0.calendar(ctx, &program(account), None).await?;
    let ahead_ms = i64::from(calendar.utc_offset_minutes) * 60_000;
    Ok(((ctx.now_ms() + ahead_ms).div_euclid(DAY_MS) as i32, ahead_ms))
}

/// The program itself, which reads for nobody in particular.
fn program(account: &str) -> Caller {
    Caller::new(Kind::Owner, account, "program")
}

/// Records each day as it ends.
pub(super) fn job() -> Job {
    Job {
        name: "dashboards.snapshots",
        what: "couldn't record daily snapshots",
        rule: Rule::Daily(Time::midnight()),
        missed: Missed::RunOnce,
        run: |ctx| Box::pin(async move { take(&ctx).await }),
    }
}

/// A dashboard whose yesterday is not recorded yet.
struct Due {
    account: String,
    id: String,
    switch: Switch,
}

/// Records the days that have ended, of every dashboard that is to remember them.
async fn take(ctx: &Ctx) -> Result<()> {
    const ON: &str = "SELECT s.account_id, s.dashboard_id, s.since_day, s.last_day, s.changed_ms FROM dashboard_snapshots s \
         JOIN dashboards d ON d.account_id = s.account_id AND d.dashboard_id = s.dashboard_id \
         WHERE s.is_on = 1 ORDER BY s.account_id, s.dashboard_id";
    let read = |row: &dyn Row| {
        let (since_day, last_day) = (row.get::<i64>(2)? as i32, row.get::<i64>(3)? as i32);
        let switch = Switch { is_on: true, since_day, last_day, changed_ms: row.get(4)? };
        Ok(Due { account: row.get(0)?, id: row.get(1)?, switch })
    };
    let all = ctx.db().read(move |tx| tx.query(ON, params![], read)).await?;
    let mut to_retry = None;
    for due in all {
        let (today, ahead_ms) = today(ctx, &due.account).await?;
        if due.switch.last_day >= today - 1 {
            continue;
        }
        let recorded = match remember(ctx, &due, today - 1, ahead_ms).await {
            Err(error) if error.is(&store::PROGRAM_ENDING) => return Err(error),
            Ok(recorded) => recorded,
            // One that cannot be read or is too large silences no other. What is only in the way, as a full disk, may go while
            // there is time for the day; then it is missing.
            Err(error) => {
                tracing::warn!(dashboard = due.id, error = ?error, "couldn't take a dashboard's daily snapshot");
                if ctx.now_ms() + ahead_ms < i64::from(today) * DAY_MS + LATE_MS {
                    to_retry = Some(error);
                    continue;
                }
                BTreeMap::new()
            }
        };
        store(ctx, due, recorded, today - 1).await?;
    }
    to_retry.map_or(Ok(()), Err)
}

/// What a dashboard is to remember of its boards, with the days that have ended.
async fn remember(ctx: &Ctx, due: &Due, yesterday: i32, ahead_ms: i64) -> Result<BTreeMap<String, String>> {
    let (account, id) = (due.account.clone(), due.id.clone());
    let read = move |tx: &mut Tx<'_>| {
        const CONFIG: &str = "SELECT dashboard_id, workspace_id, name, config_json FROM dashboards WHERE account_id = $1 AND dashboard_id = $2";
        let config = tx.query_one(CONFIG, params![&account, &id], config_of)?;
        Ok((config, read_history(tx, &account, &id)?))
    };
    let (config, texts) = ctx.db().read(read).await?;
    let mut widgets = config::widgets(&config);
    widgets.retain(|widget| widgets::looks_back(&widget.asked()));
    if widgets.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut history = History::default();
    for (board, text) in &texts {
        history.0.insert(board.clone(), serde_json::from_str(text).map_err(unreadable)?);
    }
    let view = Viewpoint::load(ctx, &Call::new(program(&due.account)), None).await?;
    let ready = Ready::read(ctx, &due.account, None, &config, &view, &widgets).await?;
    // A day counts whose end the board has not changed since, or hardly since.
    let unchanged = |changed_ms: i64| {
        let after = (changed_ms - LATE_MS + ahead_ms).div_euclid(DAY_MS) as i32;
        after.max(due.switch.since_day).max(yesterday - DAYS_AT_ONCE + 1)
    };
    let from: BTreeMap<String, i32> = ready.changed().map(|(board, at)| (board.to_owned(), unchanged(at))).collect();
    let bytes_max = BOARD_BYTES_MAX.min(DASHBOARD_BYTES_MAX / from.len().max(texts.len()).max(1));
    let remembered = ready.compute(move |engine, query, _| {
        engine.remember(query, &mut history, &from, yesterday);
        let mut recorded = BTreeMap::new();
        for (board, mut of) in history.0 {
            // Where there is not even room for days, nothing is kept.
            let fits = of.shrink(yesterday - DAYS_KEPT + 1, bytes_max);
            let text = if fits { json!(of).to_string() } else { "[]".to_owned() };
            recorded.insert(board, text);
        }
        Ok(recorded)
    });
    let mut recorded = remembered.await?;
    recorded.retain(|board, text| texts.get(board) != Some(text));
    Ok(recorded)
}

async fn store(ctx: &Ctx, due: Due, recorded: BTreeMap<String, String>, yesterday: i32) -> Result<()> {
    let gone = gone(ctx, &due).await?;
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    let write = move |tx: &mut Tx<'_>| {
        let Due { account, id, switch } = due;
        // It was switched meanwhile, or recorded by somebody else.
        let now = read_switch(tx, &account, &id)?.unwrap_or_default();
        if !now.is_on || now.changed_ms != switch.changed_ms || now.last_day != switch.last_day {
            return Ok(());
        }
        for (board, text) in recorded {
            tx.execute(
                "INSERT INTO dashboard_history (account_id, dashboard_id, board_id, history_json, recorded_ms) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (account_id, dashboard_id, board_id) DO UPDATE SET history_json = excluded.history_json, recorded_ms = excluded.recorded_ms",
                params![&account, &id, &board, &text, now_ms],
            )?;
        }
        for board in gone {
            tx.execute(
                "DELETE FROM dashboard_history WHERE account_id = $1 AND dashboard_id = $2 AND board_id = $3 AND recorded_ms < $4",
                params![&account, &id, &board, now_ms - GONE_KEPT_MS],
            )?;
        }
        store_switch(tx, &account, &id, Switch { last_day: yesterday, ..switch })?;
        const REVISION: &str = "SELECT revision FROM dashboards WHERE account_id = $1 AND dashboard_id = $2";
        if let Some(revision) = tx.query_opt(REVISION, params![&account, &id], |row| row.get::<i64>(0))? {
            announce(tx, &bus, &account, &id, revision)?;
        }
        Ok(())
    };
    ctx.db().write(write).await
}

/// Boards that something is remembered of and that are not there.
async fn gone(ctx: &Ctx, due: &Due) -> Result<Vec<String>> {
    let (account, id) = (due.account.clone(), due.id.clone());
    let known = ctx.db().read(move |tx| read_history(tx, &account, &id)).await?;
    ctx.service::<Boards>().0.missing(&due.account, known.into_keys().collect()).await
}

//! Writing the digests that are due.

use crate::content::{Content, SESSIONS_MAX};
use crate::due::{Kind, Rhythm, due, start_ms};
use crate::rows::{self, Digest};
use crate::settings::{
    Cadence, archiveDigestCadence, dailyDigestEnabled, dailyDigestSources, weeklySummaryDailyCostCapUsd,
    weeklySummaryEnabled, weeklySummaryScheduleHour,
};
use crate::sources;
use crate::summary::{self, summarize};
use events::Actor;
use inbox_rows::NewRow;
use kit::feature::Purpose;
use kit::lookup::{ActiveSession, SessionActivity};
use kit::{Catalog, Ctx, InboxKind, Result, new_id};
use ledger::{Cap, CapError, Window};
use models::AskError;
use store::{HasDb, Tx};

/// Hours of the day at which digests are due.
const DAILY_HOUR: i8 = 8;
const ARCHIVE_HOUR: i8 = 7;
/// The kind of their inbox rows, which the inbox declares.
const INBOX_KIND: &str = "digest";
/// How far back accounts are found by their activity.
const LOOK_BACK_MS: i64 = 15 * kit::clock::DAY_MS;

/// A digest to write.
struct Plan {
    account: String,
    kind: Kind,
    rhythm: Rhythm,
    hour: i8,
    purpose: &'static Purpose,
    cap: Option<Cap>,
    has_sessions: bool,
    /// Other sources.
    sources: Vec<String>,
}

/// Writes what is due for all accounts.
pub(crate) async fn write_due(ctx: Ctx) -> Result<()> {
    let Some(activity) = ctx.find_service::<SessionActivity>() else { return Ok(()) };
    let now_ms = ctx.now_ms();
    for account in activity.0.accounts(now_ms - LOOK_BACK_MS, now_ms + 1).await? {
        for plan in plans(&ctx, &account) {
            write_one(&ctx, plan).await?;
        }
    }
    Ok(())
}

/// A digest as the account's settings describe it.
fn plan(ctx: &Ctx, account: &str, kind: Kind) -> Plan {
    let base = |rhythm, hour, purpose| Plan {
        account: account.to_owned(),
        kind,
        rhythm,
        hour,
        purpose,
        cap: None,
        has_sessions: true,
        sources: Vec::new(),
    };
    match kind {
        Kind::Archive => {
            let is_weekly = ctx.setting(account, &archiveDigestCadence) == Cadence::Weekly;
            base(if is_weekly { Rhythm::Weeks } else { Rhythm::Days }, ARCHIVE_HOUR, &summary::ARCHIVE)
        }
        Kind::Daily => {
            let (has_sessions, sources) = chosen(&ctx.setting(account, &dailyDigestSources));
            Plan { has_sessions, sources, ..base(Rhythm::Days, DAILY_HOUR, &summary::DAILY) }
        }
        Kind::Weekly => {
            let hour = i8::try_from(ctx.setting(account, &weeklySummaryScheduleHour)).unwrap_or(DAILY_HOUR);
            let cap = Cap { usd: ctx.setting(account, &weeklySummaryDailyCostCapUsd), window: Window::Day };
            Plan { cap: Some(cap), ..base(Rhythm::Weeks, hour, &summary::WEEKLY) }
        }
    }
}

/// The digests that an account's settings turn on.
fn plans(ctx: &Ctx, account: &str) -> Vec<Plan> {
    let kinds = [
        (Kind::Archive, ctx.setting(account, &archiveDigestCadence) != Cadence::Off),
        (Kind::Daily, ctx.setting(account, &dailyDigestEnabled)),
        (Kind::Weekly, ctx.setting(account, &weeklySummaryEnabled)),
    ];
    kinds.into_iter().filter(|(_, is_on)| *is_on).map(|(kind, _)| plan(ctx, account, kind)).collect()
}

/// Writes a digest now, whatever is due and turned on. It isn't posted to the inbox.
pub(crate) async fn write_now(ctx: &Ctx, account: &str, kind: Kind) -> Result<Digest> {
    let plan = plan(ctx, account, kind);
    let (now_ms, zone, id) = (ctx.now_ms(), ctx.home_zone(), new_id());
    let from_ms = start_ms(now_ms, &zone, plan.rhythm);
    let digest = made(ctx, &plan, id.clone(), (from_ms, now_ms)).await?;
    let (account, stored) = (account.to_owned(), digest.clone());
    let write = move |tx: &mut Tx<'_>| rows::store(tx, &account, kind, &id, &stored);
    ctx.db().write(write).await?;
    Ok(digest)
}

/// A digest of a period, not yet stored.
async fn made(ctx: &Ctx, plan: &Plan, id: String, (from_ms, to_ms): (i64, i64)) -> Result<Digest> {
    let sessions = sessions(ctx, plan, (from_ms, to_ms + 1)).await?;
    let mut content = Content { omits_sessions: !plan.has_sessions, ..Content::from_sessions(sessions.clone()) };
    let today = kit::clock::day_of(to_ms, &ctx.home_zone());
    for source in &plan.sources {
        match sources::read(ctx, &plan.account, source, today).await {
            Ok(section) => content.sections.push(section),
            Err(why) => content.skipped.push(format!("{source}: {why}")),
        }
    }
    let is_paused = if sessions.is_empty() { false } else { describe(ctx, plan, &sessions, &mut content).await };
    Ok(Digest { id, kind: plan.kind.name().to_owned(), from_ms, to_ms, created_ms: to_ms, is_paused, content })
}

/// Whether sessions are among the chosen sources, and the others.
fn chosen(sources: &serde_json::Value) -> (bool, Vec<String>) {
    let on = sources.as_object().into_iter().flatten().filter(|(_, is_on)| is_on.as_bool() == Some(true));
    let (sessions, others): (Vec<String>, Vec<String>) =
        on.map(|(name, _)| name.clone()).partition(|name| name == "sessions");
    (!sessions.is_empty(), others)
}

async fn write_one(ctx: &Ctx, plan: Plan) -> Result<()> {
    let (now_ms, zone) = (ctx.now_ms(), ctx.home_zone());
    let Some((day, due_ms)) = due(now_ms, &zone, plan.rhythm, plan.hour, true) else { return Ok(()) };
    let (account, kind, period) = (plan.account.clone(), plan.kind, day.to_string());
    let read = move |tx: &mut Tx<'_>| {
        Ok((rows::of_period(tx, &account, kind, &period)?, rows::last_end_ms(tx, &account, kind)?))
    };
    let (stored, last_end_ms) = ctx.db().read(read).await?;
    let is_paused = stored.as_ref().is_some_and(|(_, is_paused)| *is_paused);
    let is_missed = stored.is_none() && due(now_ms, &zone, plan.rhythm, plan.hour, false).is_none();
    if is_missed || stored.as_ref().is_some_and(|(_, is_paused)| !is_paused) {
        return Ok(());
    }
    let from_ms = match plan.kind {
        Kind::Archive => last_end_ms.filter(|_| !is_paused).unwrap_or_else(|| start_ms(due_ms, &zone, plan.rhythm)),
        // Late or not, so that no session falls between two.
        _ => start_ms(due_ms, &zone, plan.rhythm),
    };
    let id = stored.map_or_else(new_id, |(id, _)| id);
    let digest = made(ctx, &plan, id, (from_ms, now_ms)).await?;
    if is_paused && digest.is_paused {
        return Ok(());
    }
    store(ctx, plan, day.to_string(), digest).await
}

/// The sessions of the period, those that the digest is about.
async fn sessions(ctx: &Ctx, plan: &Plan, (from_ms, to_ms): (i64, i64)) -> Result<Vec<ActiveSession>> {
    let Some(activity) = ctx.find_service::<SessionActivity>().filter(|_| plan.has_sessions) else {
        return Ok(Vec::new());
    };
    let mut sessions = activity.0.between(&plan.account, from_ms, to_ms, SESSIONS_MAX + 1).await?;
    if plan.kind == Kind::Archive {
        sessions.retain(|session| session.is_archived);
    }
    Ok(sessions)
}

/// Lets a model describe the sessions. True if its limit pauses that.
async fn describe(ctx: &Ctx, plan: &Plan, sessions: &[ActiveSession], content: &mut Content) -> bool {
    match summarize(ctx, &plan.account, plan.purpose, sessions, plan.cap).await {
        None => false,
        Some(Ok((statements, model))) => {
            if statements.is_empty() {
                content.note = "The model's answer named no sessions, so it was dropped.".into();
            }
            (content.statements, content.model) = (statements, model);
            false
        }
        Some(Err(why)) => {
            content.note = why.to_string();
            matches!(why, AskError::Cap(CapError::Reached { .. }))
        }
    }
}

/// Stores a digest, and tells the inbox unless it's empty.
async fn store(ctx: &Ctx, plan: Plan, period: String, digest: Digest) -> Result<()> {
    let again = ctx.clone();
    let kind = ctx.service::<Catalog>().inbox_kind(INBOX_KIND);
    let write = move |tx: &mut Tx<'_>| {
        let is_stored = rows::store(tx, &plan.account, plan.kind, &period, &digest)?;
        match kind {
            Some(kind) if is_stored && !digest.content.is_empty() => post(tx, &again, &plan, kind, &digest),
            _ => Ok(()),
        }
    };
    ctx.db().write(write).await
}

fn post(tx: &mut Tx<'_>, ctx: &Ctx, plan: &Plan, kind: &'static InboxKind, digest: &Digest) -> Result<()> {
    let key = format!("digest:{}", digest.id);
    let link = format!("/app/digests/{}", digest.id);
    let body = digest.content.line();
    let row = NewRow {
        key: Some(&key),
        body: &body,
        link: Some(&link),
        ..NewRow::new(kind, plan.kind.label(), Actor::program(None))
    };
    inbox_rows::post(tx, ctx, &plan.account, &row).map(drop)
}

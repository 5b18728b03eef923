//! Runs the refill governor: every five minutes, it checks whether too few sessions run, and revives some.
//!
//! `supervisor::refill` decides which. Here, sessions, settings, and earlier revivals are read, and revivals go through
//! the same queue as every start.
//! Invariants: a revival is stored in its own step; for a session that isn't revived, its transcript states the reason
//! once.

use crate::costs;
use crate::driver::ExtraWrites;
use crate::inbox_kinds;
use crate::records::{self, SessionRecord};
use crate::service::Sessions;
use crate::settings::*;
use crate::transcript::SessionKey;
use events::Actor;
use inbox_rows::{NewRow, Severity};
use kit::clock::day_of;
use kit::error::{CONFLICT, Result};
use kit::{Ctx, rfc3339};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::{HasDb, Tx, params};
use supervisor::refill::{
    CHECK_EVERY_MS, Candidate, Ledger, RefillRules, Revival, Skip, Spend, Standing, choose, standing,
};
use supervisor::state::{Input, State};

/// How far back revivals are read: longer than any cooldown, and than a day.
const LOOK_BACK_MS: i64 = 2 * 24 * 3_600_000;

/// The time of the last check. The first one comes a full interval after the start, because sessions that are resumed
/// anyway come first.
pub(crate) struct Governor(AtomicI64);

impl Governor {
    /// At the program's start.
    pub(crate) fn begun(now_ms: i64) -> Governor {
        Governor(AtomicI64::new(now_ms))
    }

    /// Whether a check is due. If so, the next interval begins now.
    fn is_due(&self, now_ms: i64) -> bool {
        let last = self.0.load(Ordering::SeqCst);
        // A clock that was set back doesn't delay checks.
        let is_due = !(last..last.saturating_add(CHECK_EVERY_MS)).contains(&now_ms);
        is_due && self.0.compare_exchange(last, now_ms, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

/// Checks the sessions of every account, if a check is due.
pub(crate) async fn check(ctx: Ctx) -> Result<()> {
    let sessions = ctx.service::<Sessions>();
    if sessions.common.is_closing() || !ctx.service::<Governor>().is_due(ctx.now_ms()) {
        return Ok(());
    }
    for account in ctx.db().read(records::accounts_at_rest).await? {
        // A failure in one account doesn't affect others.
        if let Err(why) = sessions.refill(&account.into()).await {
            tracing::warn!("couldn't check an account's sessions for revival: {why}");
        }
    }
    Ok(())
}

/// The governor's settings.
struct Seen {
    candidates: Vec<SessionRecord>,
    running: usize,
    ledger: Ledger,
}

impl Sessions {
    async fn refill(self: &Arc<Self>, account: &Arc<str>) -> Result<()> {
        let (now_ms, zone) = (self.common.ctx.now_ms(), self.common.host.world.zone.clone());
        let today = day_of(now_ms, &zone).to_string();
        let key = account.clone();
        let Seen { candidates, running, ledger } =
            self.common.ctx.db().read(move |tx| read(tx, &key, now_ms, &today)).await?;
        let rules = self.refill_rules(account);
        let all: Vec<Candidate> = candidates.iter().map(candidate).collect();
        let choice = choose(&all, running, &ledger, &rules, now_ms, &zone);
        for session in choice.revive {
            let key = SessionKey { account: account.clone(), session };
            match self.revive(&key).await {
                // The session changed since it was read.
                Err(why) if why.is(&CONFLICT) => tracing::debug!("couldn't revive a session: {why}"),
                Err(why) => return Err(why),
                Ok(()) => {}
            }
        }
        if choice.skipped.iter().any(|(_, skip)| matches!(skip, Skip::SpendCap { .. })) {
            self.report_spend_cap(account, &rules).await?;
        }
        for (session, skip) in choice.skipped {
            if let Some(why) = skip_reason(skip, &rules) {
                self.note_skip(&SessionKey { account: account.clone(), session }, why).await?;
            }
        }
        Ok(())
    }

    /// Posts the notice that the spending cap is reached, once a day.
    async fn report_spend_cap(&self, account: &Arc<str>, rules: &RefillRules) -> Result<()> {
        let ctx = self.common.ctx.clone();
        let day = day_of(ctx.now_ms(), &self.common.host.world.zone);
        let (account, cap) = (account.clone(), rules.session_refill_daily_spend_cap_usd);
        let write = move |tx: &mut Tx<'_>| {
            let body = format!(
                "Revived sessions spent {cap} USD or more today, so no more are revived. Raise \
                 sessionRefillDailySpendCapUSD, or wait until tomorrow."
            );
            let row = NewRow {
                key: Some(&format!("revival-cap:{day}")),
                body: &body,
                severity: Severity::Warning,
                link: Some("/app/usage"),
                ..NewRow::new(&inbox_kinds::SPEND_CAP, "Cost limit reached: revived sessions", Actor::program(None))
            };
            inbox_rows::post_once(tx, &ctx, &account, &row, 0)
        };
        self.common.ctx.db().write(write).await
    }

    async fn revive(self: &Arc<Self>, key: &SessionKey) -> Result<()> {
        let shared = self.driver(key).await?;
        let mut driver = shared.lock().await;
        let day = day_of(self.common.ctx.now_ms(), &self.common.host.world.zone).to_string();
        driver.apply(&shared, Input::Revive, ExtraWrites { revived_on: Some(day), ..ExtraWrites::default() }).await?;
        driver.flush(false).await;
        Ok(())
    }

    /// Writes the reason why a session isn't revived to its transcript, unless it was the last one written.
    async fn note_skip(self: &Arc<Self>, key: &SessionKey, why: String) -> Result<()> {
        let (write_key, text) = (key.clone(), why.clone());
        let is_new =
            self.common.ctx.db().write(move |tx| set_skip(tx, (&write_key.account, &write_key.session), &text)).await?;
        if is_new {
            let shared = self.driver(key).await?;
            let mut driver = shared.lock().await;
            driver.append_entry(&shared, &json!({"entry": "refill", "revived": false, "why": why})).await;
            driver.flush(false).await;
        }
        Ok(())
    }

    fn refill_rules(&self, account: &str) -> RefillRules {
        let ctx = &self.common.ctx;
        RefillRules {
            session_refill_target_count: ctx.setting(account, &sessionRefillTargetCount),
            session_refill_batch: ctx.setting(account, &sessionRefillBatch),
            session_refill_cooldown_minutes: ctx.setting(account, &sessionRefillCooldownMinutes),
            session_refill_daily_spend_cap_usd: ctx.setting(account, &sessionRefillDailySpendCapUSD),
            session_refill_include_paused: ctx.setting(account, &sessionRefillIncludePaused),
            session_refill_allow_reopen_user_closed: ctx.setting(account, &sessionRefillAllowReopenUserClosed),
            session_refill_max_candidate_age_hours: ctx.setting(account, &sessionRefillMaxCandidateAgeHours),
            session_refill_max_revives_per_session_per_day: ctx
                .setting(account, &sessionRefillMaxRevivesPerSessionPerDay),
        }
    }
}

/// A session as the governor sees it. All sessions count as work sessions.
fn candidate(record: &SessionRecord) -> Candidate {
    let standing = standing(&record.life);
    let since = record.life.evidence.since;
    let last_active = match (standing, &record.life.turn) {
        // Being found interrupted at the program's start isn't activity.
        (Standing::Interrupted, Some(turn)) => turn.last_sign.min(since),
        _ => since,
    };
    Candidate { id: record.id.as_str().into(), standing, is_work: true, last_active }
}

fn read(tx: &mut Tx<'_>, account: &str, now_ms: i64, today: &str) -> Result<Seen> {
    let lives = records::active_lives(tx, account)?;
    // A session that waits for its next message isn't running.
    let running = lives.iter().filter(|life| life.state.is_active() && life.state != State::Idle).count();
    let sql = "SELECT session_id, at_ms FROM session_revivals WHERE account_id = $1 AND at_ms >= $2 ORDER BY at_ms, session_id";
    let revivals = tx.query(sql, params![account, now_ms.saturating_sub(LOOK_BACK_MS)], |row| {
        Ok(Revival { id: row.get::<&str>(0)?.into(), at: row.get(1)? })
    })?;
    let spent = costs::spent_by_revived(tx, account, today)?;
    let spends = vec![Spend { at: now_ms, usd: spent, is_pay_per_use: true }];
    Ok(Seen { candidates: records::at_rest(tx, account)?, running, ledger: Ledger { revivals, spends } })
}

/// Whether this reason differs from the last one.
fn set_skip(tx: &mut Tx<'_>, (account, session): (&str, &str), why: &str) -> Result<bool> {
    let before = "SELECT why FROM session_skips WHERE account_id = $1 AND session_id = $2";
    let before = tx.query_opt(before, params![account, session], |row| row.get::<String>(0))?;
    if before.as_deref() == Some(why) {
        return Ok(false);
    }
    let sql = "INSERT INTO session_skips (account_id, session_id, why) VALUES ($1, $2, $3) \
         ON CONFLICT (account_id, session_id) DO UPDATE SET why = excluded.why";
    tx.execute(sql, params![account, session, why])?;
    Ok(true)
}

/// The reason why a session isn't revived, in words. None for sessions that nobody expects back: the user paused or
/// closed them, or is needed.
fn skip_reason(skip: Skip, rules: &RefillRules) -> Option<String> {
    let why = match skip {
        Skip::NoWork | Skip::Over | Skip::Stopped | Skip::NeedsYou | Skip::SelfRecovers => return None,
        Skip::Paused | Skip::UserClosed => return None,
        Skip::TooOld => format!(
            "last active over {} hours ago (sessionRefillMaxCandidateAgeHours)",
            rules.session_refill_max_candidate_age_hours
        ),
        Skip::Cooldown { until } => format!(
            "revived within the last {} minutes; next attempt after {} (sessionRefillCooldownMinutes)",
            rules.session_refill_cooldown_minutes,
            rfc3339(until)
        ),
        Skip::DailyRevives => format!(
            "already revived {} times today (sessionRefillMaxRevivesPerSessionPerDay)",
            rules.session_refill_max_revives_per_session_per_day
        ),
        Skip::SpendCap { until } => format!(
            "revived sessions spent {} USD or more today; the cap resets at {} (sessionRefillDailySpendCapUSD)",
            rules.session_refill_daily_spend_cap_usd,
            rfc3339(until)
        ),
        Skip::Batch => "the limit of revivals per check is reached (sessionRefillBatch)".to_owned(),
        Skip::Target => {
            format!("{} sessions are already running (sessionRefillTargetCount)", rules.session_refill_target_count)
        }
    };
    Some(format!("Not revived: {why}."))
}

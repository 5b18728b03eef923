//! The refill governor: which interrupted sessions are revived if too few are running.
//!
//! A pure choice among candidates, given earlier revivals and costs. Every candidate that isn't chosen has a reason.

use crate::admission::SessionId;
use crate::state::{Interruption, Session, State};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::cmp::Reverse;

/// Time between two checks.
pub const CHECK_EVERY_MS: i64 = 5 * 60_000;

/// Settings of the governor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefillRules {
    /// Setting `sessionRefillTargetCount`.
    pub session_refill_target_count: i64,
    /// Setting `sessionRefillBatch`.
    pub session_refill_batch: i64,
    /// Setting `sessionRefillCooldownMinutes`.
    pub session_refill_cooldown_minutes: i64,
    /// Setting `sessionRefillDailySpendCapUSD`; 0 removes the cap.
    pub session_refill_daily_spend_cap_usd: f64,
    /// Setting `sessionRefillIncludePaused`.
    pub session_refill_include_paused: bool,
    /// Setting `sessionRefillAllowReopenUserClosed`.
    pub session_refill_allow_reopen_user_closed: bool,
    /// Setting `sessionRefillMaxCandidateAgeHours`.
    pub session_refill_max_candidate_age_hours: i64,
    /// Setting `sessionRefillMaxRevivesPerSessionPerDay`.
    pub session_refill_max_revives_per_session_per_day: i64,
}

/// The status of a session, as the governor sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Interrupted while working.
    Interrupted,
    /// Paused by the user, with work left.
    Paused,
    /// Closed by the user, with work left.
    UserClosed,
    /// Stopped by the user, whatever happened to it since.
    Stopped,
    /// Needs the user.
    NeedsYou,
    /// Running, or returning automatically: queued, limit reached, retrying, or snoozed.
    SelfRecovers,
    /// Nothing left to do: finished, failed permanently, or archived.
    Over,
}

/// The status of a session.
pub fn standing(session: &Session) -> Standing {
    if session.stopped_by_user {
        return Standing::Stopped;
    }
    let has_work = session.turn.is_some() || !session.waiting.is_empty();
    match &session.state {
        State::Stopped { .. } => Standing::Stopped,
        _ if session.need.is_some() || !session.open.is_empty() => Standing::NeedsYou,
        State::Idle | State::Draft | State::Parked { until: None } => Standing::NeedsYou,
        State::Interrupted { by: Interruption::Restore } => Standing::NeedsYou,
        State::Interrupted { .. } if has_work => Standing::Interrupted,
        State::Paused if has_work => Standing::Paused,
        State::Closed if has_work => Standing::UserClosed,
        // An interrupted idle session was waiting for the user.
        State::Interrupted { .. } | State::Paused => Standing::NeedsYou,
        State::Closed | State::Finished | State::Archived | State::Failed { .. } => Standing::Over,
        _ => Standing::SelfRecovers,
    }
}

/// A session that could be revived.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The session's id.
    pub id: SessionId,
    /// Its status.
    pub standing: Standing,
    /// Whether it does work; a tutor or a digest doesn't.
    pub is_work: bool,
    /// When it was last active, in milliseconds since 1970.
    pub last_active: i64,
}

/// A session that was revived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revival {
    /// The session's id.
    pub id: SessionId,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// A cost of a revived session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spend {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The amount.
    pub usd: f64,
    /// Whether it's pay-per-use; a subscription's share doesn't count.
    pub is_pay_per_use: bool,
}

/// Earlier revivals and costs: at least today's, and as far back as the cooldown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// Revived sessions.
    pub revivals: Vec<Revival>,
    /// Their costs since then.
    pub spends: Vec<Spend>,
}

/// Why a candidate is not revived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// It isn't a work session.
    NoWork,
    /// Nothing is left to do.
    Over,
    /// The user stopped it.
    Stopped,
    /// It needs the user.
    NeedsYou,
    /// It's running, or returns automatically.
    SelfRecovers,
    /// It is paused, and `sessionRefillIncludePaused` is off.
    Paused,
    /// The user closed it, and `sessionRefillAllowReopenUserClosed` is off.
    UserClosed,
    /// It was last active longer ago than `sessionRefillMaxCandidateAgeHours`.
    TooOld,
    /// It was revived within `sessionRefillCooldownMinutes`.
    Cooldown {
        /// When the cooldown ends, in milliseconds since 1970.
        until: i64,
    },
    /// It was revived `sessionRefillMaxRevivesPerSessionPerDay` times today.
    DailyRevives,
    /// `sessionRefillDailySpendCapUSD` is reached.
    SpendCap {
        /// The next local midnight, in milliseconds since 1970.
        until: i64,
    },
    /// `sessionRefillBatch` others are revived in this check.
    Batch,
    /// With the chosen ones, `sessionRefillTargetCount` sessions are running.
    Target,
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Revive these, the most recently active first.
    pub revive: Vec<SessionId>,
    /// Don't revive these, with the reasons.
    pub skipped: Vec<(SessionId, Skip)>,
}

/// Decides one check, given the number of running sessions, the time, and the user's time zone.
pub fn choose(
    candidates: &[Candidate],
    running: usize,
    ledger: &Ledger,
    rules: &RefillRules,
    now: i64,
    zone: &TimeZone,
) -> Choice {
    let (today, tomorrow) = day_of(now, zone);
    let is_today = |at: i64| (today..tomorrow).contains(&at);
    let spent: f64 =
        ledger.spends.iter().filter(|spend| spend.is_pay_per_use && is_today(spend.at)).map(|spend| spend.usd).sum();
    let cap = rules.session_refill_daily_spend_cap_usd;
    let is_capped = cap > 0.0 && spent >= cap;
    let room = (rules.session_refill_target_count - running as i64).max(0);
    let cooldown = rules.session_refill_cooldown_minutes.saturating_mul(60_000);
    let oldest = now.saturating_sub(rules.session_refill_max_candidate_age_hours.saturating_mul(3_600_000));

    let mut order: Vec<&Candidate> = candidates.iter().collect();
    order.sort_by_key(|one| (Reverse(one.last_active), one.id.clone()));
    let mut choice = Choice::default();
    for one in order {
        let revived = || ledger.revivals.iter().filter(|revival| revival.id == one.id).map(|revival| revival.at);
        let rested = revived().max().map(|last| last.saturating_add(cooldown));
        let chosen = choice.revive.len() as i64;
        let skip = match one.standing {
            Standing::Over => Some(Skip::Over),
            Standing::Stopped => Some(Skip::Stopped),
            Standing::NeedsYou => Some(Skip::NeedsYou),
            Standing::SelfRecovers => Some(Skip::SelfRecovers),
            _ if !one.is_work => Some(Skip::NoWork),
            Standing::Paused if !rules.session_refill_include_paused => Some(Skip::Paused),
            Standing::UserClosed if !rules.session_refill_allow_reopen_user_closed => Some(Skip::UserClosed),
            _ if one.last_active < oldest => Some(Skip::TooOld),
            _ if rested.is_some_and(|until| now < until) => rested.map(|until| Skip::Cooldown { until }),
            _ if revived().filter(|at| is_today(*at)).count() as i64
                >= rules.session_refill_max_revives_per_session_per_day =>
            {
                Some(Skip::DailyRevives)
            }
            _ if is_capped => Some(Skip::SpendCap { until: tomorrow }),
            _ if chosen >= room => Some(Skip::Target),
            _ if chosen >= rules.session_refill_batch => Some(Skip::Batch),
            Standing::Interrupted | Standing::Paused | Standing::UserClosed => None,
        };
        match skip {
            Some(skip) => choice.skipped.push((one.id.clone(), skip)),
            None => choice.revive.push(one.id.clone()),
        }
    }
    choice
}

/// The local day of a time: its first millisecond and the next day's. Days of 23 and 25 hours count as whole days.
fn day_of(now: i64, zone: &TimeZone) -> (i64, i64) {
    let Ok(at) = Timestamp::from_millisecond(now) else { return (now, now.saturating_add(1)) };
    let at = at.to_zoned(zone.clone());
    let first = at.start_of_day().unwrap_or(at);
    let next = first.checked_add(1.day()).and_then(|next| next.start_of_day()).unwrap_or_else(|_| first.clone());
    (first.timestamp().as_millisecond(), next.timestamp().as_millisecond())
}

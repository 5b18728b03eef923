//! The refill governor: which interrupted sessions are revived when fewer than wanted run.
//!
//! A pure choice over candidates and what was revived and spent before. Every candidate that is not chosen has its reason.

use crate::admission::SessionId;
use crate::state::{Session, State};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::cmp::Reverse;

/// Between two checks.
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
    /// Setting `sessionRefillDailySpendCapUSD`; 0 is no cap.
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

/// How a session stands, as far as the governor asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Cut off in its work.
    Interrupted,
    /// Put aside by the person, with work left.
    Paused,
    /// Closed by the person, with work left.
    UserClosed,
    /// Stopped with Stop, whatever happened to it since.
    Stopped,
    /// Waits for the person.
    NeedsYou,
    /// Runs, or comes back by itself: queued, parked until a time, retrying, snoozed.
    SelfRecovers,
    /// Nothing is left to do, or it failed for good or was put away.
    Over,
}

/// How a session stands.
pub fn standing(session: &Session) -> Standing {
    if session.stopped_by_user {
        return Standing::Stopped;
    }
    let has_work = session.turn.is_some() || !session.waiting.is_empty();
    match &session.state {
        State::Stopped { .. } => Standing::Stopped,
        _ if session.need.is_some() || !session.open.is_empty() => Standing::NeedsYou,
        State::Idle | State::Draft | State::Parked { until: None } => Standing::NeedsYou,
        State::Interrupted { .. } if has_work => Standing::Interrupted,
        State::Paused if has_work => Standing::Paused,
        State::Closed if has_work => Standing::UserClosed,
        // An idle session that was cut off waited for the person.
        State::Interrupted { .. } | State::Paused => Standing::NeedsYou,
        State::Closed | State::Finished | State::Archived | State::Failed { .. } => Standing::Over,
        _ => Standing::SelfRecovers,
    }
}

/// A session that may be revived.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Which one.
    pub id: SessionId,
    /// How it stands.
    pub standing: Standing,
    /// It does work; a tutor or a digest does not.
    pub is_work: bool,
    /// When it was last active, in milliseconds since 1970.
    pub last_active: i64,
}

/// A session that was revived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revival {
    /// Which one.
    pub id: SessionId,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// What a revived session spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spend {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// How much.
    pub usd: f64,
    /// Paid by use; a subscription's share counts nothing.
    pub is_pay_per_use: bool,
}

/// What was done before, from the store: at least today's, and as far back as the cooldown reaches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// Sessions revived.
    pub revivals: Vec<Revival>,
    /// Money spent by them since.
    pub spends: Vec<Spend>,
}

/// Why a candidate is not revived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// It is no work session.
    NoWork,
    /// Nothing is left to do.
    Over,
    /// The person stopped it.
    Stopped,
    /// It waits for the person.
    NeedsYou,
    /// It runs or comes back by itself.
    SelfRecovers,
    /// It is paused, and `sessionRefillIncludePaused` is off.
    Paused,
    /// The person closed it, and `sessionRefillAllowReopenUserClosed` is off.
    UserClosed,
    /// It was last active longer ago than `sessionRefillMaxCandidateAgeHours`.
    TooOld,
    /// It was revived within `sessionRefillCooldownMinutes`.
    Cooldown {
        /// When that is over, in milliseconds since 1970.
        until: i64,
    },
    /// It was revived `sessionRefillMaxRevivesPerSessionPerDay` times today.
    DailyRevives,
    /// `sessionRefillDailySpendCapUSD` is spent.
    SpendCap {
        /// The next local midnight, in milliseconds since 1970.
        until: i64,
    },
    /// `sessionRefillBatch` others are revived in this check.
    Batch,
    /// `sessionRefillTargetCount` sessions run with those chosen.
    Target,
}

/// What a check decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Revive these, the most recently active first.
    pub revive: Vec<SessionId>,
    /// Leave these, and why.
    pub skipped: Vec<(SessionId, Skip)>,
}

/// Decides one check while so many sessions run, now, in the person's time zone.
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

/// The local day of an instant: its first and the next day's first millisecond. Days of 23 and 25 hours are whole days too.
fn day_of(now: i64, zone: &TimeZone) -> (i64, i64) {
    let Ok(at) = Timestamp::from_millisecond(now) else { return (now, now.saturating_add(1)) };
    let at = at.to_zoned(zone.clone());
    let first = at.start_of_day().unwrap_or(at);
    let next = first.checked_add(1.day()).and_then(|next| next.start_of_day()).unwrap_or_else(|_| first.clone());
    (first.timestamp().as_millisecond(), next.timestamp().as_millisecond())
}

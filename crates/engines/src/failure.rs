//! What a failure is, from everything that engines tell of one: codes, kinds, and where there is nothing else, their words.

use crate::event::{Failure, Transience};
use jiff::civil::{Date, Time};
use jiff::{Span, Timestamp, ToSpan, Zoned};
use serde_json::Value;

/// What an engine told of a failure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawFailure {
    /// The code of a JSON-RPC error.
    pub code: Option<i64>,
    /// What it says.
    pub message: String,
    /// More of it: `errorKind`, `errorName`.
    pub data: Value,
    /// The category that engines with `sessionFailure` tell: `limit`, `service`, `connection`, `request`, `access`.
    pub category: Option<String>,
    /// What such an engine offers to do: `retry`, `login`, `new_session`.
    pub actions: Vec<String>,
}

impl RawFailure {
    /// Reads `_meta.jetbrains.air.sessionFailure`, with whether it is only a warning.
    pub fn of_meta(meta: &Value) -> Option<(RawFailure, bool)> {
        let failure = meta["jetbrains"]["air"]["sessionFailure"].as_object()?;
        let text = |member: &str| failure.get(member).and_then(Value::as_str).unwrap_or_default();
        let actions = failure.get("actions").and_then(Value::as_array).into_iter().flatten();
        let message = match (text("title"), text("details")) {
            (title, "") => title.to_owned(),
            (title, details) => format!("{title}\n{details}"),
        };
        let raw = RawFailure {
            message,
            category: Some(text("category").to_owned()),
            actions: actions.filter_map(|action| Some(action.as_str()?.to_owned())).collect(),
            ..RawFailure::default()
        };
        Some((raw, text("severity") == "warning"))
    }
}

const OVERLOADED: &[&str] =
    &["overloaded", "529", "503", "502", "at capacity", "service unavailable", "internal server error"];
const TOO_MANY: &[&str] = &["too many requests", "rate limit", "rate_limit", "429"];
const CUT: &[&str] = &[
    "stream disconnected",
    "econn",
    "timed out",
    "timeout",
    "socket hang up",
    "fetch failed",
    "connection",
    "network",
];
const TOO_LONG: &[&str] = &[
    "prompt is too long",
    "context_length",
    "context length",
    "context window",
    "contextoverflow",
    "context exceeds",
    "too large to compact",
];
const USED_UP: &[&str] = &[
    "usage limit",
    "limit reached",
    "hit your limit",
    "hit your session limit",
    "insufficient_quota",
    "quota",
    "billing",
    "credit balance",
    "more credits",
    "spend cap",
    "out of extra usage",
];
const NOT_LOGGED_IN: &[&str] = &[
    "authentication",
    "unauthorized",
    "unauthenticated",
    "invalid x-api-key",
    "invalid api key",
    "api key not valid",
    "incorrect api key",
    "not logged in",
    "please log in",
    "please run /login",
    "oauth token has expired",
    "missing environment variable",
];
const REFUSED: &[&str] = &["invalid_request", "invalid request", "bad request"];

/// What it is. The order matters: a code outweighs a kind, a kind outweighs words, and a category comes last, because engines put
/// refused requests and full contexts under `service` with the advice to try again.
pub fn classify(raw: &RawFailure, now: &Zoned) -> Failure {
    let text = raw.message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let limit = || Failure::Limit { until: until(&raw.message, now).map(|at| at.as_millisecond()) };
    let transient = |what| Failure::Transient { what };
    if raw.code == Some(crate::acp::rpc::AUTH_REQUIRED) {
        return Failure::Auth;
    }
    let kind = raw.data["errorKind"].as_str().or_else(|| raw.data["errorName"].as_str()).unwrap_or_default();
    match kind {
        "authentication_failed" | "oauth_org_not_allowed" | "ProviderAuthError" => return Failure::Auth,
        "billing" | "billing_error" => return limit(),
        "ContextOverflowError" => return Failure::ContextFull,
        "rate_limit" if says(USED_UP) => return limit(),
        "rate_limit" => return transient(Transience::Rate),
        "overloaded" | "server_error" => return transient(Transience::Overload),
        "invalid_request" if !says(TOO_LONG) => return Failure::Request,
        _ => {}
    }
    let category = raw.category.as_deref().unwrap_or_default();
    match category {
        "access" => return Failure::Auth,
        "connection" => return transient(Transience::Network),
        _ if says(TOO_LONG) => return Failure::ContextFull,
        "limit" if raw.actions.is_empty() || says(USED_UP) => return limit(),
        "limit" if raw.actions.iter().any(|action| action == "retry") => return transient(Transience::Rate),
        "request" => return Failure::Request,
        _ => {}
    }
    match () {
        () if says(REFUSED) => Failure::Request,
        () if says(NOT_LOGGED_IN) => Failure::Auth,
        () if says(USED_UP) => limit(),
        () if says(TOO_MANY) => transient(Transience::Rate),
        () if says(OVERLOADED) => transient(Transience::Overload),
        () if says(CUT) => transient(Transience::Network),
        () => Failure::Unknown,
    }
}

/// A time of day that passed no longer ago than this means that the limit is over now; one further back is tomorrow's. Engines
/// give such times to the minute and without a date, and their answer may arrive a while later.
const JUST_PAST_MS: i64 = 30 * 60_000;

/// When what is used up is given anew, where the text says so: `try again at 5:24 AM`, `resets 3pm (Europe/Berlin)`,
/// `try again in 2 hours 5 minutes`, `limit reached|1764000000`. A time of day is the next such time, or the one that has just
/// passed.
pub fn until(text: &str, now: &Zoned) -> Option<Timestamp> {
    let text = text.replace(['\u{a0}', '\u{202f}'], " ");
    if let Some(seconds) = text.split('|').nth(1).map(leading_digits).filter(|digits| digits.len() == 10) {
        return Timestamp::from_second(seconds.parse().ok()?).ok();
    }
    let lower = text.to_ascii_lowercase();
    let behind = |mark: &str| lower.find(mark).map(|at| at + mark.len());
    if let Some(at) = behind("try again in ").or_else(|| behind("resets in ")) {
        return now.checked_add(span(&lower[at..])?).ok().map(|at| at.timestamp());
    }
    let at = behind("try again at ").or_else(|| behind("resets at ")).or_else(|| behind("resets "))?;
    moment(&text[at..], now)
}

fn leading_digits(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()]
}

/// `2 days 3 hours 5 minutes`, as far as it goes.
fn span(text: &str) -> Option<Span> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut span = None;
    for pair in words.chunks_exact(2) {
        let Ok(number) = pair[0].parse::<i64>() else { break };
        let unit = pair[1].trim_end_matches(['.', ',', ';']).trim_end_matches('s');
        let before: Span = span.unwrap_or_default();
        span = Some(match unit {
            "day" => before.try_days(number).ok()?,
            "hour" => before.try_hours(number).ok()?,
            "minute" | "min" => before.try_minutes(number).ok()?,
            "second" | "sec" => before.try_seconds(number).ok()?,
            _ => break,
        });
    }
    span
}

/// `Nov 25th, 2026 5:24 AM`, `Nov 25, 3pm (Europe/Berlin)`, `15:00` or `3pm`.
fn moment(text: &str, now: &Zoned) -> Option<Timestamp> {
    let zone = text.split_once('(').and_then(|(_, zone)| jiff::tz::TimeZone::get(zone.split(')').next()?).ok());
    let now = zone.map_or_else(|| now.clone(), |zone| now.with_time_zone(zone));
    let mut words =
        text.split('(').next()?.split_whitespace().map(|word| word.trim_end_matches([',', '.', ';'])).peekable();
    let mut date: Option<Date> = None;
    if let Some(month) = words.peek().and_then(|word| month(word)) {
        words.next();
        let day: i8 = leading_digits(words.next()?).parse().ok()?;
        let year = words.next_if(|word| word.len() == 4 && word.parse::<i16>().is_ok()).map(|year| year.parse());
        date = Some(Date::new(year.unwrap_or(Ok(now.year())).ok()?, month, day).ok()?);
        words.next_if(|word| *word == "at");
    }
    let time = time(words.next()?, words.next())?;
    let on = |date: Date| date.to_datetime(time).to_zoned(now.time_zone().clone()).ok();
    if let Some(date) = date {
        return Some(on(date)?.timestamp());
    }
    let now_ms = now.timestamp().as_millisecond();
    let counts = |at: &Timestamp| now_ms.saturating_sub(at.as_millisecond()) <= JUST_PAST_MS;
    // Just after midnight the time that has just passed is yesterday's.
    let days = [now.date().checked_sub(1.day()), Ok(now.date()), now.date().checked_add(1.day())];
    days.into_iter().filter_map(|date| Some(on(date.ok()?)?.timestamp())).find(counts)
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let begins = word.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == begins)?;
    i8::try_from(at + 1).ok()
}

/// `5:24` and `AM`, `3pm`, `15:00`.
fn time(word: &str, next: Option<&str>) -> Option<Time> {
    let word = word.to_ascii_lowercase();
    let next = next.unwrap_or_default().to_ascii_lowercase();
    let half = ["am", "pm"].into_iter().find(|half| word.ends_with(half) || next == *half);
    let digits = word.trim_end_matches(['a', 'p', 'm']);
    let (hour, minute) = digits.split_once(':').unwrap_or((digits, "0"));
    if half.is_none() && !digits.contains(':') {
        return None;
    }
    let hour: i8 = hour.parse().ok()?;
    let hour = match half {
        Some("pm") if hour < 12 => hour + 12,
        Some("am") if hour == 12 => 0,
        _ => hour,
    };
    Time::new(hour, minute.parse().ok()?, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn now() -> Zoned {
        "2026-11-23T10:00:00+01:00[Europe/Berlin]".parse().unwrap()
    }

    #[test]
    fn the_time_of_a_reset_is_read_from_the_text() {
        for (text, at) in [
            ("You’ve hit your usage limit. Upgrade (https://x.y) or try again at 5:24 AM.", "2026-11-24T04:24:00Z"),
            ("try again at 5:24\u{202f}PM.", "2026-11-23T16:24:00Z"),
            ("limit · resets 3pm (America/New_York)", "2026-11-23T20:00:00Z"),
            ("Your limit resets at 12am", "2026-11-23T23:00:00Z"),
            ("try again at Nov 25th, 2026 5:24 AM.", "2026-11-25T04:24:00Z"),
            ("resets Nov 27, 3pm (Europe/Berlin)", "2026-11-27T14:00:00Z"),
            ("try again in 2 days 3 hours 5 minutes.", "2026-11-25T12:05:00Z"),
            ("Claude AI usage limit reached|1795600800", "2026-11-25T10:00:00Z"),
            ("try again at 9:59 AM.", "2026-11-23T08:59:00Z"),
            ("limit · resets 8:45am (UTC)", "2026-11-23T08:45:00Z"),
            ("try again at 9:29 AM.", "2026-11-24T08:29:00Z"),
        ] {
            let expected: Timestamp = at.parse().unwrap();
            assert_eq!(until(text, &now()), Some(expected), "{text}");
        }
        let after_midnight = "2026-11-24T00:01:00+01:00[Europe/Berlin]".parse().unwrap();
        let yesterday: Timestamp = "2026-11-23T22:59:00Z".parse().unwrap();
        assert_eq!(until("resets 11:59pm", &after_midnight), Some(yesterday));
        for text in
            ["", "resets soon", "try again in a while", "try again at 99:99 PM", "resets ", "a|b", "try again at 5"]
        {
            assert_eq!(until(text, &now()), None, "{text}");
        }
    }

    #[test]
    fn what_engines_tell_is_told_apart() {
        let air = |category: &str, title: &str, actions: Value| {
            let failure = json!({"category": category, "severity": "error", "title": title, "actions": actions});
            RawFailure::of_meta(&json!({"jetbrains": {"air": {"sessionFailure": failure}}})).unwrap().0
        };
        let rpc = |code: i64, message: &str, data: Value| RawFailure {
            code: Some(code),
            message: message.into(),
            data,
            ..RawFailure::default()
        };
        let overload = Failure::Transient { what: Transience::Overload };
        let rate = Failure::Transient { what: Transience::Rate };
        let network = Failure::Transient { what: Transience::Network };
        for (raw, expected) in [
            (rpc(-32000, "Authentication required", Value::Null), Failure::Auth),
            (rpc(-32603, "Internal error: invalid x-api-key", json!({"errorName": "APIError"})), Failure::Auth),
            (rpc(-32603, "Too big", json!({"errorName": "ContextOverflowError"})), Failure::ContextFull),
            (rpc(-32603, "Internal error: bad thing", json!({"errorName": "APIError"})), Failure::Unknown),
            (rpc(-32603, "Repeated 529 Overloaded", json!({"errorKind": "server_error"})), overload.clone()),
            (rpc(-32603, "slow down", json!({"errorKind": "rate_limit"})), rate.clone()),
            (
                rpc(-32603, "You've hit your usage limit", json!({"errorKind": "rate_limit"})),
                Failure::Limit { until: None },
            ),
            (
                rpc(-32603, "prompt is too long: 210000 tokens", json!({"errorKind": "invalid_request"})),
                Failure::ContextFull,
            ),
            (rpc(-32603, "no such tool", json!({"errorKind": "invalid_request"})), Failure::Request),
            (air("service", "API Error: Repeated 529 Overloaded errors.", json!(["retry"])), overload),
            (
                air("service", "stream disconnected before completion: Overloaded", json!(["retry"])),
                Failure::Transient { what: Transience::Overload },
            ),
            (air("service", "stream closed: timed out", json!(["retry"])), network.clone()),
            (air("connection", "Lost", json!(["new_session"])), network),
            (air("limit", "Quota exceeded.", json!([])), Failure::Limit { until: None }),
            (air("limit", "Slow down", json!(["retry"])), rate),
            (air("access", "Sign in", json!(["login"])), Failure::Auth),
            (air("request", "image too large", json!([])), Failure::Request),
            (
                air("service", r#"{"error":{"message":"bad thing","type":"invalid_request_error"}}"#, json!(["retry"])),
                Failure::Request,
            ),
            (
                air(
                    "service",
                    r#"{"error":{"message":"prompt is too long","type":"invalid_request_error"}}"#,
                    json!(["retry"]),
                ),
                Failure::ContextFull,
            ),
            (air("service", "something", json!(["retry"])), Failure::Unknown),
            (rpc(-32603, "", Value::Null), Failure::Unknown),
        ] {
            assert_eq!(classify(&raw, &now()), expected, "{raw:?}");
        }
    }
}

//! Why a session waits for you, in one line.

use crate::messages;
use crate::records::Ask;
use engines::{PermissionRequest, ToolKind};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kit::text::{capitalized, plain};
use supervisor::state::{LIMIT_REACHED, QueueReason, State};

/// Characters of a reason; the request itself has the rest.
const REASON_CHARS_MAX: usize = 200;

/// The reason of a session's state while it waits for an answer: the request, and the setting that requires approval.
pub(crate) fn state_reason(ask: &Ask) -> String {
    let before_target = ask.why.split(':').next().unwrap_or_default();
    let setting = before_target.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let request = one_line(&reason(ask));
    setting.map_or_else(|| request.clone(), |(setting, _)| format!("{request} ({setting})"))
}

/// The reason of a state, with the time of the next attempt if there is one.
pub(crate) fn with_time(state: &State, why: &str) -> String {
    let (State::Retrying { until: Some(until) }
    | State::Parked { until: Some(until) }
    | State::Queued { why: QueueReason::Backoff { until } }) = state
    else {
        return why.to_owned();
    };
    let at = Timestamp::from_millisecond(*until).unwrap_or_default().to_zoned(TimeZone::system());
    let at = at.strftime("%b %-d, %H:%M");
    match why.strip_suffix(" follows") {
        Some(attempt) => format!("{attempt} at {at}"),
        None if why == LIMIT_REACHED => format!("Usage limit resets at {at}"),
        None => why.to_owned(),
    }
}

/// What a request asks for, in one line.
pub(crate) fn reason(ask: &Ask) -> String {
    let asked = messages::asked_in_full(&ask.request);
    match ask.kind.as_str() {
        "plan" => match asked.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty()) {
            Some(first) => format!("Plan needs approval: {first}"),
            None => "Plan needs approval".to_owned(),
        },
        "question" => format!("Question: {asked}"),
        "archive" => "Wants to be archived".to_owned(),
        _ => match serde_json::from_str::<PermissionRequest>(&ask.request) {
            Ok(request) => wants_to(&request, &asked),
            Err(_) => format!("Wants to use: {asked}"),
        },
    }
}

fn wants_to(request: &PermissionRequest, asked: &str) -> String {
    let tool = &request.tool;
    let path = tool.paths.first().map_or(asked, |path| path.as_str());
    match tool.kind {
        _ if tool.command.is_some() => format!("Wants to run {asked}"),
        ToolKind::Read => format!("Wants to read {path}"),
        ToolKind::Edit => format!("Wants to edit {path}"),
        ToolKind::Delete => format!("Wants to delete {path}"),
        ToolKind::Move => format!("Wants to move {path}"),
        ToolKind::Fetch => format!("Wants to fetch {asked}"),
        ToolKind::Search => format!("Wants to search: {asked}"),
        _ => format!("Wants to use: {asked}"),
    }
}

/// What a session needs and why, such as "Failed: Not logged in to Practice".
pub(crate) fn with_cause(what: &str, cause: &str) -> String {
    let cause = cause.lines().next().unwrap_or_default();
    let what = capitalized(what);
    if cause.is_empty() || cause.eq_ignore_ascii_case(&what) { what } else { format!("{what}: {cause}") }
}

/// A text on one line, without signs that end a line or turn it around.
pub(crate) fn one_line(text: &str) -> String {
    let spaced = plain(text, false);
    let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(REASON_CHARS_MAX) {
        Some((end, _)) => format!("{}…", words[..end].trim_end()),
        None => words,
    }
}

//! The queue of what needs the user: requests of sessions and scripts, and sessions that need attention.
//!
//! Invariant: an entry is an open inbox row, so the queue, the inbox, and every counter agree.

use crate::records::{self, Ask};
use crate::service::Sessions;
use crate::{hubs, messages};
use engines::{PermissionRequest, ToolKind};
use inbox_rows::{OpenNeed, RowKind};
use kit::text::{CURSOR, capitalized, is_turning};
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use store::HasDb;

/// Characters of a reason; the request itself has the rest.
const REASON_CHARS_MAX: usize = 200;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.needs",
            Method::Get,
            "/sessions/needs",
            CallerSet::PERSON,
            "List requests and sessions that need you, oldest first.",
            list,
        )
        .synonyms("waiting queue attention approve pending questions who needs me")
        .columns(&["title", "reason", "since", "sessionId", "askId"]),
    ]
}

/// Something that needs you.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Need {
    /// The id of its inbox row.
    id: String,
    kind: RowKind,
    /// Why it needs you, in one line of plain text.
    reason: String,
    /// When the need began; RFC 3339 in UTC.
    since: String,
    /// The session's title; "Your script" for a script's request.
    title: String,
    /// Null for a script's request.
    session_id: Option<String>,
    /// The request to answer; null if the session needs something else.
    ask_id: Option<String>,
    /// Whether allowing or denying answers it. A question needs a value.
    is_yes_or_no: bool,
    engine: Option<String>,
    /// The session's state.
    state: Option<String>,
    project_id: Option<String>,
    /// The hub's name; empty if it was removed.
    hub: String,
    /// Its page, below `/app`.
    link: Option<String>,
}

/// Which page of the queue.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// 1 to 10,000. Default: 10,000.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Need>> {
    let service = ctx.service::<Sessions>();
    let account = call.caller.account.clone();
    let name_of =
        move |id: &str| service.common.engine(&account, id).map_or_else(|| id.to_owned(), |one| one.name().into());
    let read = move |tx: &mut store::Tx<'_>| {
        let account = call.account();
        let hubs = hubs::names(tx, account)?;
        let open = inbox_rows::open_needs(tx, account)?;
        let part = Part { cursor: input.cursor, limit: input.limit };
        let page = part.page(open, |row| (&row.id).into())?;
        let mut items = Vec::with_capacity(page.items.len());
        for row in page.items {
            items.push(need(tx, account, row, &hubs, &name_of)?);
        }
        Ok(Page { items, next_cursor: page.next_cursor })
    };
    ctx.db().read(read).await
}

/// The sessions in the queue.
pub(crate) fn sessions(tx: &mut store::Tx<'_>, account: &str) -> Result<HashSet<String>> {
    Ok(inbox_rows::needing_sessions(tx, account)?.into_iter().collect())
}

fn need(
    tx: &mut store::Tx<'_>,
    account: &str,
    row: OpenNeed,
    hubs: &HashMap<String, String>,
    engine_name: &impl Fn(&str) -> String,
) -> Result<Need> {
    let record = match &row.session_id {
        // A session that was deleted leaves no need behind, but a stored row never breaks the queue.
        Some(id) => records::one(tx, account, id).ok(),
        None => None,
    };
    let ask = match (&row.session_id, &row.ask_id) {
        (Some(session), Some(ask)) => records::ask(tx, (account, session), ask).ok(),
        _ => None,
    };
    let is_yes_or_no = row.ask_id.is_some() && matches!(row.kind, RowKind::Approval | RowKind::Plan);
    let words = match &ask {
        Some(ask) => reason(ask),
        // The title of such a row is the session's and a reason; a script's has none of the first.
        None => record
            .as_ref()
            .and_then(|record| row.title.strip_prefix(&format!("{}: ", record.title)))
            .map_or_else(|| row.title.clone(), |what| with_cause(what, &row.body)),
    };
    let hub_id = record.as_ref().map(|record| record.hub_id.clone()).filter(|id| !id.is_empty());
    Ok(Need {
        id: row.id,
        kind: row.kind,
        reason: one_line(&words),
        since: rfc3339(row.created_ms),
        title: record.as_ref().map_or_else(|| "Your script".to_owned(), |record| record.title.clone()),
        session_id: row.session_id,
        ask_id: row.ask_id,
        is_yes_or_no,
        engine: record.as_ref().map(|record| engine_name(&record.engine)),
        state: record.as_ref().map(|record| records::state_name(&record.life.state)),
        hub: hub_id.as_ref().and_then(|id| hubs.get(id).cloned()).unwrap_or_default(),
        project_id: hub_id,
        link: row.link.as_deref().and_then(|link| link.strip_prefix("/app")).map(str::to_owned),
    })
}

/// What a session needs first, in one line; none if it isn't in the queue.
pub(crate) fn reason_of(tx: &mut store::Tx<'_>, account: &str, session: &str) -> Result<Option<String>> {
    let rows = inbox_rows::open_needs(tx, account)?;
    let Some(row) = rows.into_iter().find(|row| row.session_id.as_deref() == Some(session)) else { return Ok(None) };
    need(tx, account, row, &HashMap::new(), &|engine| engine.to_owned()).map(|need| Some(need.reason))
}

/// The reason of a session's state while it waits for an answer: the request, and the setting that requires approval.
pub(crate) fn state_reason(ask: &Ask) -> String {
    let before_target = ask.why.split(':').next().unwrap_or_default();
    let setting = before_target.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let request = one_line(&reason(ask));
    setting.map_or_else(|| request.clone(), |(setting, _)| format!("{request} ({setting})"))
}

/// What a request asks for, in one line.
fn reason(ask: &Ask) -> String {
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
fn with_cause(what: &str, cause: &str) -> String {
    let cause = cause.lines().next().unwrap_or_default();
    let what = capitalized(what);
    if cause.is_empty() || cause.eq_ignore_ascii_case(&what) { what } else { format!("{what}: {cause}") }
}

/// A text on one line, without signs that end a line or turn it around.
pub(crate) fn one_line(text: &str) -> String {
    let spaced: String =
        text.chars().map(|sign| if sign.is_control() || is_turning(sign) { ' ' } else { sign }).collect();
    let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(REASON_CHARS_MAX) {
        Some((end, _)) => format!("{}…", words[..end].trim_end()),
        None => words,
    }
}

//! The queue of what needs the user: requests of sessions and scripts, and sessions that need attention.
//!
//! Invariant: an entry is an open inbox row, so the queue, the inbox, and every counter agree.

use crate::reasons::{one_line, reason, with_cause};
use crate::records;
use crate::service::Sessions;
use crate::{hubs, inbox_kinds};
use inbox_rows::OpenNeed;
use kit::text::CURSOR;
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use store::HasDb;

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
    /// The kind of its inbox row.
    kind: String,
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
    let is_yes_or_no =
        row.ask_id.is_some() && [inbox_kinds::APPROVAL.name, inbox_kinds::PLAN.name].contains(&&*row.kind);
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

/// What sessions need first, in one line; of sessions in the queue.
pub(crate) fn reasons(
    tx: &mut store::Tx<'_>,
    account: &str,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<HashMap<String, String>> {
    let mut found = HashMap::new();
    for row in inbox_rows::open_needs(tx, account)? {
        if let Some(session) = row.session_id.clone().filter(|session| is_wanted(session))
            && !found.contains_key(&session)
        {
            let need = need(tx, account, row, &HashMap::new(), &|engine| engine.to_owned())?;
            found.insert(session, need.reason);
        }
    }
    Ok(found)
}

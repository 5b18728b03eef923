//! Requests of agents and scripts to show you another page.
//!
//! Invariants: only the page decides whether the view moves, and only while it has the focus; a request that no page
//! claimed adds one inbox row, however many windows are open.
//! Deliberately not here: your own clicks, which need no permission.

use crate::inbox_kinds;
use crate::settings::allowAgentDirectNavigation;
use crate::{errors, hubs, records};
use events::{Actor, Event, HasEvents};
use inbox_rows::NewRow;
use kit::error::unknown;
use kit::lookup::Boards;
use kit::op::Accepted;
use kit::{Call, CallerSet, Catalog, Ctx, Method, Op, Result, fault, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{HasDb, Tx, params};

/// How long a page can claim a request. A page that reconnects later shows missed requests as links, and doesn't jump.
const TAKEN_WITHIN_MS: i64 = 10_000;
/// Maximum characters of an identifier.
const ID_CHARS_MAX: usize = 100;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "navigation.ask",
            Method::Post,
            "/navigate",
            CallerSet::PERSON_AND_AGENTS,
            "Request to show a page. The app opens it directly only if allowAgentDirectNavigation is on and a window has the focus; otherwise, you get a link to click.",
            ask,
        )
        .example(r#"{"place": "hub", "id": "{hubId}"}"#)
        .scope("navigation:write")
        .errors([&errors::NOT_IN_THIS_VERSION]),
        Op::new(
            "navigation.take",
            Method::Post,
            "/navigate/{rowId}/take",
            CallerSet::PERSON,
            "Claim a request to show a page. Only one focused window gets it, within ten seconds.",
            claim,
        )
        .example(r#"{"rowId": "{viewRowId}"}"#)
        .errors([&errors::NOT_NOW]),
    ]
}

/// A kind of page.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "Place")]
#[serde(rename_all = "camelCase")]
enum PageKind {
    /// The inbox.
    Inbox,
    /// The sessions of the hub `id`; all sessions if omitted.
    Hub,
    /// The settings, or the setting with the key `id`.
    Settings,
    /// A session.
    Session,
    /// A board; all boards if `id` is omitted.
    Board,
    /// A dashboard; all dashboards if `id` is omitted.
    Dashboard,
    /// The Agent Board.
    AgentBoard,
    /// A note.
    Note,
    /// A mind map.
    MindMap,
    /// A mail thread.
    MailThread,
}

/// The page to show.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct To {
    place: PageKind,
    /// The ID of the board, session, or other object.
    #[schemars(length(min = 1, max = ID_CHARS_MAX))]
    id: Option<String>,
}

/// The outcome of a request to show a page.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Asked {
    /// `toast` if the focused window shows a link, `navigate` if it goes there at once. If no window has the
    /// focus, the view stays and an inbox row is added.
    outcome: &'static str,
    /// The inbox row of the request.
    row_id: String,
    /// The page's path, below `/app`.
    path: String,
}

async fn ask(ctx: Ctx, call: Call, input: To) -> Result<Accepted<Asked>> {
    let db = ctx.db();
    let place = expected(&ctx, call.caller.account.clone(), input).await?;
    let outcome = if ctx.setting(call.account(), &allowAgentDirectNavigation) { "navigate" } else { "toast" };
    let session = call.caller.session.as_deref().or(call.source_session.as_deref()).map(str::to_owned);
    let asked = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let (path, what) = place_of(tx, account, &place)?;
        let title = session.as_deref().map(|id| records::one(tx, account, id).map(|record| record.title));
        let title = title.and_then(Result::ok).unwrap_or_else(|| "A script".to_owned());
        let title = format!("{title} wants to show you {what}");
        let by = Actor { session_id: session.clone(), ..Actor::from(&call.caller) };
        let row = NewRow {
            key: Some(&format!("{KEY}{}", session.as_deref().unwrap_or_default())),
            link: Some(&format!("/app{path}")),
            session_id: session.as_deref(),
            ..NewRow::new(&inbox_kinds::NOTICE, &title, by)
        };
        let row_id = inbox_rows::post(tx, &ctx, account, &row)?;
        let asked = Event::ViewAsked { row_id: row_id.clone() };
        inbox_rows::announce(tx, &ctx.events(), account, session.as_deref(), asked);
        Ok(Accepted(Asked { outcome, row_id, path }))
    };
    db.write(asked).await
}

/// The prefix of these rows' keys, followed by the session's id. A session's newer request replaces its last one.
const KEY: &str = "view:";

/// Rejects targets that don't exist, as far as the tables of sessions can tell.
async fn expected(ctx: &Ctx, account: Arc<str>, to: To) -> Result<(PageKind, Option<String>)> {
    if let Some(what) = match to.place {
        PageKind::Note => Some("notes"),
        PageKind::MindMap => Some("mind maps"),
        PageKind::MailThread => Some("mail"),
        _ => None,
    } {
        let detail = format!("This version of Pilothouse has no {what}.");
        return Err(errors::NOT_IN_THIS_VERSION.error(detail));
    }
    let id = to.id.as_deref();
    let is_known = match (to.place, id) {
        (PageKind::Settings, Some(key)) => ctx.service::<Catalog>().rows.iter().any(|row| row.key == key),
        (PageKind::Board, Some(board)) => match ctx.find_service::<Boards>() {
            Some(boards) => boards.0.missing(&account, vec![board.to_owned()]).await?.is_empty(),
            None => false,
        },
        (PageKind::Session, None) => {
            return Err(invalid("/id", fault::MISSING, "`id` must name the session to show."));
        }
        (PageKind::Inbox | PageKind::AgentBoard, Some(_)) => {
            return Err(invalid("/id", fault::UNKNOWN_FIELD, "There's only one of these; omit `id`."));
        }
        // The dashboard's page reports whether it exists.
        _ => id.is_none_or(|id| id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')),
    };
    if is_known { Ok((to.place, to.id)) } else { Err(unknown(fault::UNKNOWN_PLACE, "/id")) }
}

/// The path of a target page, and its name in a sentence.
fn place_of(tx: &mut Tx<'_>, account: &str, (place, id): &(PageKind, Option<String>)) -> Result<(String, String)> {
    let there_is_none = |_| unknown(fault::UNKNOWN_PLACE, "/id");
    let (path, what) = match (place, id.as_deref()) {
        (PageKind::Hub, Some(id)) => {
            let hub = hubs::one(tx, account, id).map_err(there_is_none)?;
            (format!("/sessions?hub={id}"), format!("the hub {}", hub.name))
        }
        (PageKind::Session, Some(id)) => {
            let session = records::one(tx, account, id).map_err(there_is_none)?;
            (format!("/sessions/{id}"), format!("the session {}", session.title))
        }
        (PageKind::Settings, Some(key)) => (format!("/settings?key={key}"), format!("the setting {key}")),
        (PageKind::Board, Some(id)) => (format!("/boards/{id}"), "a board".into()),
        (PageKind::Dashboard, Some(id)) => (format!("/dashboards/{id}"), "a dashboard".into()),
        (PageKind::Hub, None) => ("/sessions".into(), "the sessions".into()),
        (PageKind::Settings, None) => ("/settings".into(), "the settings".into()),
        (PageKind::Board, None) => ("/boards".into(), "the boards".into()),
        (PageKind::Dashboard, None) => ("/dashboards".into(), "the dashboards".into()),
        (PageKind::AgentBoard, _) => ("/agent-board".into(), "the Agent Board".into()),
        // The other kinds were rejected before.
        _ => ("/inbox".into(), "the inbox".into()),
    };
    Ok((path, what))
}

/// Identifies a request to show a page.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RowId {
    row_id: String,
}

/// A request that a window claimed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Taken")]
#[serde(rename_all = "camelCase")]
struct ClaimedRequest {
    /// The request as one line of plain text.
    title: String,
    /// The page's path, below `/app`.
    path: String,
    /// Whether the window goes there at once or shows a link.
    moves: bool,
    session_id: Option<String>,
}

async fn claim(ctx: Ctx, call: Call, input: RowId) -> Result<ClaimedRequest> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    let moves = ctx.setting(call.account(), &allowAgentDirectNavigation);
    let claimed = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let sql = "SELECT title, link, session_id, row_key, settled_ms, changed_ms FROM inbox_rows WHERE account_id = $1 AND row_id = $2";
        let row = tx.query_one(sql, params![account, &input.row_id], |row| {
            let is_request = row.get::<Option<&str>>(3)?.is_some_and(|key| key.starts_with(KEY));
            let is_open = row.get::<i64>(4)? == 0 && now_ms - row.get::<i64>(5)? <= TAKEN_WITHIN_MS;
            let link: Option<String> = row.get(1)?;
            let path = link.as_deref().and_then(|link| link.strip_prefix("/app")).unwrap_or("/").to_owned();
            Ok((is_request, is_open, ClaimedRequest { title: row.get(0)?, path, moves, session_id: row.get(2)? }))
        })?;
        let (is_request, is_open, claimed) = row;
        if !is_request || !is_open {
            return Err(
                errors::NOT_NOW.error("Another window opened it, it was dismissed, or it's older than ten seconds.")
            );
        }
        // You see it on the page, so its inbox row is removed.
        tx.execute("DELETE FROM inbox_rows WHERE account_id = $1 AND row_id = $2", params![account, &input.row_id])?;
        inbox_rows::tell(tx, &bus, account, claimed.session_id.as_deref(), &input.row_id);
        Ok(claimed)
    };
    ctx.db().write(claimed).await
}

//! Operations of the desktop window.

use crate::attached::Attached;
use crate::commands::Command;
use crate::settings::allowAgentForegroundFromBackground;
use crate::{errors, inbox_kinds};
use events::Actor;
use inbox_rows::NewRow;
use kit::lookup::{ControlWindow, Quit};
use kit::text::expect_text;
use kit::{Call, Caller, CallerSet, Ctx, Done, Kind, Method, Op, Result, fault, invalid};
use platform::login_item;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::HasDb;

/// Maximum characters of a page's path.
const PAGE_MAX: usize = 500;
/// For schemas: a page of Pilothouse. No `//` and no dots at the start of a part, so that it leads nowhere else.
const PAGE: &str = r"^/app(/[A-Za-z0-9_~%-][A-Za-z0-9_~%.-]*)*/?(\?[A-Za-z0-9_~%.&=-]*)?$";
/// Names the row that says that closing the window ends nothing.
const HIDDEN_KEY: &str = "window:hidden";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "window.get",
            Method::Get,
            "/window",
            CallerSet::PERSON,
            "Show whether the desktop window is open, and what it can do here.",
            get,
        )
        .columns(&["isOpen", "version", "raiseProblem", "keysProblem", "trayProblem"]),
        Op::new(
            "window.raise",
            Method::Post,
            "/window/raise",
            CallerSet::PERSON_AND_AGENTS,
            "Bring the desktop window to the front. An agent's request becomes an inbox row unless allowAgentForegroundFromBackground is on.",
            raise,
        )
        .example("{}")
        .synonyms("focus foreground show front")
        .scope("window:raise")
        .errors([&errors::NO_WINDOW]),
        Op::new(
            "window.session",
            Method::Post,
            "/window/session",
            CallerSet::PERSON,
            "Open a session in a window with a renderer of its own.",
            session,
        )
        .example(r#"{"sessionId": "s1"}"#)
        .errors([&errors::NO_WINDOW]),
        Op::new(
            "window.hidden",
            Method::Post,
            "/window/hidden",
            CallerSet::PERSON,
            "Report that the user closed the window for the first time. Explains it in the inbox.",
            hidden,
        )
        .example("{}"),
        Op::new(
            "window.startAtLogin",
            Method::Put,
            "/window/start-at-login",
            CallerSet::PERSON,
            "Set whether Pilothouse starts when you log in to this computer, without showing its window.",
            start_at_login,
        )
        .example(r#"{"isOn": false}"#)
        .synonyms("autostart boot launch login")
        .errors([&errors::NOT_AT_LOGIN]),
        crate::commands::op(),
        Op::new("app.quit", Method::Post, "/app/quit", CallerSet::PERSON, "Quit Pilothouse. Sessions that run are interrupted, and can be resumed.", quit)
            .example("{}")
            .synonyms("exit end stop close shutdown"),
    ]
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// The desktop window.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WindowState {
    /// Whether it is open, or hidden in the tray.
    is_open: bool,
    /// Its version; null if it isn't open.
    version: Option<String>,
    /// Whether it is older than Pilothouse itself.
    is_outdated: bool,
    /// Why it can't be brought to the front; null if it can.
    raise_problem: Option<String>,
    /// Why global keys don't work; null if they do.
    keys_problem: Option<String>,
    /// Why there is no tray icon; null if there is one.
    tray_problem: Option<String>,
    /// Whether Pilothouse starts when you log in; null if the system doesn't tell.
    starts_at_login: Option<bool>,
    /// The data directory, where the window remembers its size.
    data_dir: String,
}

async fn get(ctx: Ctx, call: Call, _: NoParams) -> Result<WindowState> {
    let attached = ctx.service::<Attached>();
    let about = attached.about(call.account());
    let is_outdated = about.as_ref().is_some_and(|about| about.version != env!("CARGO_PKG_VERSION"));
    Ok(WindowState {
        is_open: about.is_some(),
        is_outdated,
        raise_problem: attached.obstacle(call.account()),
        keys_problem: match &about {
            Some(about) => about.keys_problem.clone(),
            None => Some(crate::attached::NOT_OPEN.to_owned()),
        },
        tray_problem: ctx.service::<crate::tray::Tray>().problem(),
        version: about.map(|about| about.version),
        starts_at_login: ctx.find_service::<LoginItem>().and_then(|item| login_item::is_on(item.0.path()).ok()),
        data_dir: ctx.service::<kit::DataDir>().0.display().to_string(),
    })
}

/// The entry of Pilothouse among what starts at login; provided by the app.
pub struct LoginItem(pub platform::Program);

/// Whether to start at login.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AtLogin {
    is_on: bool,
}

async fn start_at_login(ctx: Ctx, _: Call, input: AtLogin) -> Result<Done> {
    let Some(item) = ctx.find_service::<LoginItem>() else {
        return Err(errors::NOT_AT_LOGIN.error("Only Pilothouse itself can be started at login."));
    };
    login_item::set(item.0.path(), input.is_on).map(|()| Done).map_err(|why| errors::NOT_AT_LOGIN.error(why))
}

/// The page to show.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Raise {
    /// A page of Pilothouse, such as `/app/inbox`.
    #[schemars(length(max = PAGE_MAX), regex(pattern = PAGE))]
    page: Option<String>,
}

/// What became of a request.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Outcome {
    /// The window came to the front.
    Raised,
    /// The user got an inbox row instead.
    Noted,
}

/// The outcome.
#[derive(Serialize, JsonSchema)]
struct RaiseOutcome {
    outcome: Outcome,
}

async fn raise(ctx: Ctx, call: Call, input: Raise) -> Result<RaiseOutcome> {
    if let Some(page) = &input.page {
        expect_text(page, PAGE_MAX, "/page")?;
        if !is_page(page) {
            let detail = "Name a page of Pilothouse as a path, such as /app/inbox.";
            return Err(invalid("/page", fault::WRONG_FORMAT, detail));
        }
    }
    let attached = ctx.service::<Attached>();
    let is_agent = call.caller.kind == Kind::Agent;
    let is_allowed = !is_agent || ctx.setting(call.account(), &allowAgentForegroundFromBackground);
    if is_allowed && attached.raise(call.account(), input.page.as_deref()) {
        return Ok(RaiseOutcome { outcome: Outcome::Raised });
    }
    if !is_agent {
        let why = attached.obstacle(call.account()).unwrap_or_else(|| "The window doesn't answer.".into());
        return Err(errors::NO_WINDOW.error(why));
    }
    let session = call.caller.session.as_deref().or(call.source_session.as_deref()).map(str::to_owned);
    note(ctx, call.caller.clone(), session, input.page).await?;
    Ok(RaiseOutcome { outcome: Outcome::Noted })
}

/// Whether a path is one of our pages and nothing that a browser takes for another address.
fn is_page(page: &str) -> bool {
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_~%.".contains(&b);
    let Some(rest) = path.strip_prefix("/app") else { return false };
    let is_path = rest.is_empty()
        || rest.strip_prefix('/').is_some_and(|rest| {
            let parts: Vec<&str> = rest.strip_suffix('/').unwrap_or(rest).split('/').collect();
            let sound = |part: &&str| !part.is_empty() && !part.starts_with('.') && part.bytes().all(plain);
            rest.is_empty() || parts.iter().all(sound)
        });
    is_path && query.bytes().all(|b| plain(b) || b"&=".contains(&b))
}

/// Adds one inbox row for all of a session's requests.
async fn note(ctx: Ctx, caller: Caller, session: Option<String>, page: Option<String>) -> Result<()> {
    let db = ctx.db();
    let title = match (&session, ctx.find_service::<kit::lookup::WorkNames>()) {
        (Some(session), Some(names)) => {
            let titles = names.0.titles(&caller.account, vec![session.clone()], Vec::new()).await?;
            titles.sessions.get(session).cloned()
        }
        _ => None,
    };
    let title = format!("{} asks you to look", title.as_deref().unwrap_or("A session"));
    let link = page.or_else(|| session.as_ref().map(|session| format!("/app/sessions/{session}")));
    let write = move |tx: &mut store::Tx<'_>| {
        let key = format!("window:raise:{}", session.as_deref().unwrap_or_default());
        let row = NewRow {
            key: Some(&key),
            link: link.as_deref(),
            session_id: session.as_deref(),
            ..NewRow::new(&inbox_kinds::RAISE, &title, Actor { session_id: session.clone(), ..Actor::from(&caller) })
        };
        inbox_rows::post(tx, &ctx, &caller.account, &row).map(drop)
    };
    db.write(write).await
}

/// A session.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "WindowSession")]
struct Session {
    session_id: String,
}

async fn session(ctx: Ctx, call: Call, input: Session) -> Result<Done> {
    let names = ctx.service::<kit::lookup::WorkNames>();
    let titles = names.0.titles(call.account(), vec![input.session_id.clone()], Vec::new()).await?;
    if !titles.sessions.contains_key(&input.session_id) {
        return Err(kit::error::unknown(fault::UNKNOWN_SESSION, "/sessionId"));
    }
    let page = format!("/app/sessions/{}", input.session_id);
    expect_sent(ctx.service::<Attached>().send(call.account(), Command::Session { page }))
}

fn expect_sent(sent: bool) -> Result<Done> {
    if sent { Ok(Done) } else { Err(errors::NO_WINDOW.error(crate::attached::NOT_OPEN)) }
}

async fn hidden(ctx: Ctx, call: Call, _: NoParams) -> Result<Done> {
    let write = {
        let ctx = ctx.clone();
        move |tx: &mut store::Tx<'_>| {
            let row = NewRow {
                key: Some(HIDDEN_KEY),
                body: "Closing the window doesn't end your sessions. Open it again with the tray icon or the command pilothouse. To end Pilothouse, choose Quit Pilothouse in the tray icon's menu, or run pilothouse app quit.",
                ..NewRow::new(&inbox_kinds::HIDDEN, "Pilothouse keeps running", Actor::program(None))
            };
            inbox_rows::post(tx, &ctx, call.account(), &row).map(drop)
        }
    };
    ctx.db().write(write).await?;
    Ok(Done)
}

async fn quit(ctx: Ctx, call: Call, _: NoParams) -> Result<Done> {
    ctx.service::<Attached>().send(call.account(), Command::Quit);
    if let Some(quit) = ctx.find_service::<Quit>() {
        (quit.0)();
    }
    Ok(Done)
}

//! What the tutor of Ask is told.

use kit::{Ctx, Result};
use store::{HasDb, Tx, params};

/// The purpose of the tutor's hub.
pub(crate) const TUTOR: &str = "tutor";
/// Sessions and hubs that the snapshot names.
const NAMED_MAX: i64 = 10;

/// Whether this is the tutor's hub.
pub(crate) fn is_tutor(tx: &mut Tx<'_>, account: &str, hub: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM hubs WHERE account_id = $1 AND hub_id = $2 AND purpose = $3";
    Ok(tx.query_opt(sql, params![account, hub, TUTOR], |row| row.get::<i64>(0))?.is_some())
}

/// What the tutor is told: what it is, the pages of the documentation, and how things stand.
pub(crate) async fn instructions(ctx: &Ctx, account: &str, engines: &[&str]) -> Result<String> {
    let pages: Vec<String> =
        guide::PAGES.iter().map(|page| format!("- {} (`{}`): {}", page.title(), page.id, page.summary())).collect();
    let glossary = guide::page("glossary").map_or("", |page| page.text);
    Ok(format!(
        "## Ask Pilothouse\n\
         You are the tutor of Pilothouse. The user asks about the app, or wants something done in it. Answer briefly, name the page, \
         setting, or command, and say so if the documentation doesn't tell. Look things up before you answer: use the tools of \
         the server `pilothouse`, with the operations `docs.search` and `docs.get` for the documentation, and others to see or change \
         settings, boards, dashboards, sessions, and the inbox. Change something only if the user asks for it, and say what you \
         changed. Without these tools, run `pilothouse docs search`.\n\n\
         ### Documentation\n{}\n\n{glossary}\n\n### Current state\n{}",
        pages.join("\n"),
        snapshot(ctx, account, engines).await?
    ))
}

/// How things stand, in a few lines. Titles are data, so they're in quotes.
async fn snapshot(ctx: &Ctx, account: &str, engines: &[&str]) -> Result<String> {
    let owner = account.to_owned();
    let read = move |tx: &mut Tx<'_>| {
        let hubs = "SELECT name FROM hubs WHERE account_id = $1 ORDER BY name, hub_id";
        let hubs = tx.query(hubs, params![&owner], |row| row.get::<String>(0))?;
        let states = "SELECT state, count(*) FROM sessions WHERE account_id = $1 GROUP BY state ORDER BY state";
        let states = tx.query(states, params![&owner], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))?;
        let newest = "SELECT title, state FROM sessions WHERE account_id = $1 AND state <> 'archived' \
             ORDER BY session_id DESC LIMIT $2";
        let newest =
            tx.query(newest, params![&owner, NAMED_MAX], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
        Ok((hubs, states, newest, inbox_rows::needing_sessions(tx, &owner)?.len()))
    };
    let (hubs, states, newest, waiting) = ctx.db().read(read).await?;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let names: Vec<String> = hubs.iter().take(NAMED_MAX as usize).map(|name| quoted(name)).collect();
    let states: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let newest: Vec<String> = newest.iter().map(|(title, state)| format!("{} ({state})", quoted(title))).collect();
    let none = |list: Vec<String>| if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    Ok(format!(
        "- Version: {} on {}\n- Engines: {}\n- Hubs ({}): {}\n- Sessions: {}\n- Sessions that need the user: {waiting}\n\
         - Newest sessions: {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        engines.join(", "),
        hubs.len(),
        none(names),
        none(states),
        none(newest),
    ))
}

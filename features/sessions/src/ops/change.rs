//! Changes of a user to a session: title, model, mode, effort, and read position.

use super::shared::{Session, TITLE_CHARS_MAX, not_now};
use crate::facts::Facts;
use crate::service::Sessions;
use crate::transcript::SessionKey;
use crate::{errors, fault, inbox_kinds, modes, records};
use engines::port::Change;
use engines::{Access, Conn};
use kit::text::{NAME, expect_name};
use kit::{Call, Ctx, Result, invalid};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use store::HasDb;

/// Maximum time for an engine to apply a choice.
const CHOOSE_WITHIN: Duration = Duration::from_secs(20);
/// Maximum characters of a model's, mode's, or effort's name.
pub(super) const CHOICE_CHARS_MAX: usize = 100;

/// The changes to a session. Omitted fields stay unchanged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Patch {
    session_id: String,
    #[schemars(length(min = 1, max = TITLE_CHARS_MAX), regex(pattern = NAME))]
    title: Option<String>,
    /// Model, as the engine calls it.
    #[schemars(length(min = 1, max = CHOICE_CHARS_MAX), regex(pattern = NAME))]
    model: Option<String>,
    /// Mode, as the engine calls it.
    #[schemars(length(min = 1, max = CHOICE_CHARS_MAX), regex(pattern = NAME))]
    mode: Option<String>,
    /// Reasoning effort, as the engine calls it.
    #[schemars(length(min = 1, max = CHOICE_CHARS_MAX), regex(pattern = NAME))]
    effort: Option<String>,
}

pub(super) async fn patch(ctx: Ctx, call: Call, input: Patch) -> Result<Session> {
    let Patch { session_id, title, model, mode, effort } = input;
    let title = title.map(|title| title.trim().to_owned());
    title.iter().try_for_each(|title| expect_name(title, TITLE_CHARS_MAX, "/title"))?;
    model.iter().try_for_each(|model| expect_name(model, CHOICE_CHARS_MAX, "/model"))?;
    mode.iter().try_for_each(|mode| expect_name(mode, CHOICE_CHARS_MAX, "/mode"))?;
    effort.iter().try_for_each(|effort| expect_name(effort, CHOICE_CHARS_MAX, "/effort"))?;
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: session_id.as_str().into() };
    let shared = sessions.driver(&key).await?;
    let (conn, facts, access) = {
        let driver = shared.lock().await;
        (driver.conn(), driver.record.facts.clone(), driver.access())
    };
    mode.iter().try_for_each(|mode| expect_fits(mode, access))?;
    for (what, value) in [("model", &model), ("mode", &mode), ("effort", &effort)] {
        let Some(value) = value else { continue };
        expect_offered(&facts, what, value)?;
        // An engine that isn't running gets the choice at its next start.
        if let Some(conn) = &conn {
            choose(&sessions, conn, what, value).await?;
        }
    }
    let mut driver = shared.lock().await;
    driver.change(title, model, mode, effort, &call.caller).await.map_err(not_now)?;
    Ok(sessions.common.listeners.with_stats(&key.account, driver.record.clone()).into())
}

/// Rejects a mode that exceeds the permission level.
pub(super) fn expect_fits(mode: &str, access: Access) -> Result<()> {
    if modes::fits(mode, access) {
        return Ok(());
    }
    let detail = format!(
        "In mode {mode:?} the engine does more without approval than agentPermissionLevel allows. \
         Choose another mode, or raise the setting."
    );
    Err(errors::MODE_TOO_WIDE.error(detail).with("setting", "agentPermissionLevel"))
}

/// The protocol's name of a choice.
fn category(what: &str) -> &str {
    if what == "effort" { "thought_level" } else { what }
}

/// Rejects a value that the engine doesn't offer, if it reported its offers.
fn expect_offered(facts: &Facts, what: &str, value: &str) -> Result<()> {
    let Some(choice) = facts.choice(category(what)) else { return Ok(()) };
    if choice.options.is_empty() || choice.options.iter().any(|option| option.value == value) {
        return Ok(());
    }
    let offered: Vec<&str> = choice.options.iter().map(|option| option.value.as_str()).collect();
    let detail = format!("The engine has no {what} {value:?}. Available: {}.", offered.join(", "));
    Err(invalid(&format!("/{what}"), fault::NOT_A_CHOICE, detail))
}

async fn choose(sessions: &Sessions, conn: &Conn, what: &str, value: &str) -> Result<()> {
    let change = match what {
        "mode" => Change::Mode(value.to_owned()),
        _ => Change::Choice(category(what).to_owned(), value.to_owned()),
    };
    let chosen = tokio::select! {
        biased;
        chosen = conn.set(change) => chosen.map_err(|why| why.to_string()),
        () = sessions.common.host.world.sleep.sleep(CHOOSE_WITHIN) => Err(format!("no answer within {} seconds", CHOOSE_WITHIN.as_secs())),
    };
    chosen.map_err(|why| errors::ENGINE_REFUSED.error(format!("The engine rejected the {what} {value:?}: {why}.")))
}

/// The read position in a transcript.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Seen {
    session_id: String,
    /// The number of the newest entry seen.
    #[schemars(range(min = 0))]
    number: i64,
}

pub(super) async fn seen(ctx: Ctx, call: Call, input: Seen) -> Result<Session> {
    if input.number < 0 {
        return Err(invalid("/number", fault::OUT_OF_RANGE, "Must be 0 or more."));
    }
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let read_key = key.clone();
    let record = ctx.db().read(move |tx| records::one(tx, &read_key.account, &read_key.session)).await?;
    let (before, parent) = (record.seen_entry, record.parent_id.clone());
    let last = sessions
        .common
        .listeners
        .with_stats(&key.account, record)
        .last_entry
        .max(sessions.common.transcripts.last(&key).await?);
    let number = input.number.clamp(0, last);
    if number > before {
        let write_key = key.clone();
        let following = ctx.clone();
        let write = move |tx: &mut store::Tx<'_>| {
            let (account, session) = (&*write_key.account, &*write_key.session);
            records::set_seen(tx, (account, session), number)?;
            // Whoever saw the end of the turn needs no row about it.
            if number == last {
                inbox_rows::settle(tx, &following, account, &inbox_kinds::done_key(session), "seen")?;
            }
            Ok(())
        };
        ctx.db().write(write).await?;
        sessions.seen(&key, parent, number).await;
    }
    let read_key = key.clone();
    let record = ctx.db().read(move |tx| records::one(tx, &read_key.account, &read_key.session)).await?;
    Ok(sessions.common.listeners.with_stats(&key.account, record).into())
}

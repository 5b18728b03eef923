//! Requests in the database.

use crate::errors;
use crate::keep::Keeper;
use kit::{Ctx, Result, not_found, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{Change, Row, Tx, params};

/// The kind of requests in the change log.
pub(crate) const SUBJECT: &str = "ask";
/// Names of variables: valid in every shell, and no longer than a line.
pub(crate) const ENV_NAME: &str = "^[A-Za-z_][A-Za-z0-9_]{0,99}$";
/// Names of secrets.
pub(crate) const SECRET_NAME: &str = "^[A-Za-z_][A-Za-z0-9_.-]{0,99}$";

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AskKind")]
#[serde(rename_all = "camelCase")]
pub(crate) enum AskKind {
    /// An input request.
    Input,
    /// A key proposal.
    Key,
}

impl AskKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            AskKind::Input => "input",
            AskKind::Key => "key",
        }
    }
}

/// The status of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AskStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Status {
    /// Not decided yet.
    Waiting,
    /// The value was provided and stored.
    Provided,
    /// You declined.
    Declined,
    /// The key was saved.
    Saved,
    /// The key was dismissed. Nothing is stored.
    Dismissed,
}

impl Status {
    const ALL: [Status; 5] = [Status::Waiting, Status::Provided, Status::Declined, Status::Saved, Status::Dismissed];
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Status::Waiting => "waiting",
            Status::Provided => "provided",
            Status::Declined => "declined",
            Status::Saved => "saved",
            Status::Dismissed => "dismissed",
        }
    }
    /// The outcome shown in the inbox. There, `dismissed` means that the user dismissed the row.
    const fn outcome(self) -> &'static str {
        match self {
            Status::Dismissed => "not saved",
            other => other.name(),
        }
    }
    fn named(name: &str) -> Status {
        Status::ALL.into_iter().find(|one| one.name() == name).unwrap_or(Status::Declined)
    }
}

/// Where to store a value: one of the two, with its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AskTarget")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Target {
    /// An environment variable from the session's next start.
    Env(#[schemars(regex(pattern = ENV_NAME))] String),
    /// An account secret in the system keychain.
    Secret(#[schemars(regex(pattern = SECRET_NAME))] String),
}

impl Target {
    /// As stored: the kind and the name.
    pub(crate) fn parts(&self) -> (&'static str, &str) {
        match self {
            Target::Env(name) => ("env", name),
            Target::Secret(name) => ("secret", name),
        }
    }
    fn new(kind: &str, name: String) -> Target {
        if kind == "env" { Target::Env(name) } else { Target::Secret(name) }
    }
}

/// A request, as shown to you. Never contains the value.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Ask")]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskRecord {
    pub(crate) id: String,
    kind: AskKind,
    /// The value's name, in plain text.
    name: String,
    /// What it's for, in plain text; may be empty.
    note: String,
    /// Where it's stored.
    pub(crate) target: Target,
    /// Whether it replaces a stored value.
    replaces: bool,
    /// The session that made it; null for a script.
    pub(crate) session_id: Option<String>,
    pub(crate) status: Status,
    /// RFC 3339 in UTC.
    created_at: String,
    /// When it was decided; null while waiting.
    decided_at: Option<String>,
}

/// Requests, with the columns that [`record`] reads.
pub(crate) const ASKS: &str = "SELECT a.ask_id, a.kind, a.name, a.note, a.target, a.target_name, a.session_id, a.status, a.created_ms, \
     a.decided_ms, (SELECT count(*) FROM kept_secrets k WHERE k.account_id = a.account_id AND k.kind = a.target AND \
     k.name = a.target_name AND k.session_id = CASE WHEN a.target = 'env' THEN a.session_id ELSE '' END) \
     FROM asks a WHERE a.account_id = $1";

pub(crate) fn record(row: &dyn Row) -> Result<AskRecord> {
    let (target, session, decided_ms): (String, String, i64) = (row.get(4)?, row.get(6)?, row.get(9)?);
    let kind: &str = row.get(1)?;
    Ok(AskRecord {
        id: row.get(0)?,
        kind: if kind == AskKind::Key.name() { AskKind::Key } else { AskKind::Input },
        name: row.get(2)?,
        note: row.get(3)?,
        target: Target::new(&target, row.get(5)?),
        replaces: row.get::<i64>(10)? > 0,
        session_id: Some(session).filter(|id| !id.is_empty()),
        status: Status::named(row.get(7)?),
        created_at: rfc3339(row.get(8)?),
        decided_at: (decided_ms > 0).then(|| rfc3339(decided_ms)),
    })
}

/// One of the account's requests of this kind, by id.
pub(crate) fn one(tx: &mut Tx<'_>, account: &str, kind: AskKind, id: &str) -> Result<AskRecord> {
    tx.query_one(&format!("{ASKS} AND a.kind = $2 AND a.ask_id = $3"), params![account, kind.name(), id], record)
}

/// Rejects a request that is already decided.
pub(crate) fn expect_waiting(ask: &AskRecord) -> Result<()> {
    match ask.status {
        Status::Waiting => Ok(()),
        status => Err(errors::DECIDED.error(format!("Already {}.", status.outcome()))),
    }
}

/// Writes the user's decision, once: it closes the inbox row, is logged, and deletes a proposed value.
pub(crate) fn decide(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    caller: &kit::Caller,
    (kind, id, status): (AskKind, &str, Status),
) -> Result<()> {
    let (account, now_ms) = (&*caller.account, ctx.now_ms());
    expect_waiting(&one(tx, account, kind, id)?)?;
    let written = tx.execute(
        "UPDATE asks SET status = $3, decided_ms = $4, sealed = '' WHERE account_id = $1 AND ask_id = $2 AND status = 'waiting'",
        params![account, id, status.name(), now_ms],
    )?;
    if written == 0 {
        return Err(not_found());
    }
    inbox_rows::settle(tx, ctx, account, &row_key(id), status.outcome())?;
    let (before, after) = (Status::Waiting.name().into(), status.name().into());
    let change =
        Change { subject: SUBJECT, subject_id: id, field: "status", before: Some(&before), after: Some(&after) };
    tx.record(caller, now_ms, change)?;
    let keeper: Arc<Keeper> = ctx.service();
    tx.after_commit(move || keeper.tell());
    Ok(())
}

/// The key of a request's inbox row.
pub(crate) fn row_key(id: &str) -> String {
    format!("ask:{id}")
}

//! Stored secrets: listing them by name, deleting one, and passing variables to a session that starts.

use crate::keep::{Keeper, loosen};
use kit::lookup::GiveEnv;
use kit::op::Done;
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, Secret, rfc3339};
use schemars::JsonSchema;
use secrets::Place;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use store::{Change, HasDb, Row, Tx, params};

/// The kind of stored secrets in the change log.
const SUBJECT: &str = "secret";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "secrets.list",
            Method::Get,
            "/secrets",
            CallerSet::PERSON,
            "List secrets by name. No operation reads their values.",
            list,
        )
        .columns(&["id", "name", "kind", "sessionId", "place"]),
        Op::new(
            "secrets.delete",
            Method::Delete,
            "/secrets/{secretId}",
            CallerSet::PERSON,
            "Delete a secret from Pilothouse and the keychain. Running sessions keep their variables.",
            delete,
        )
        .example(r#"{"secretId": "{secretId}"}"#)
        .permanent(),
    ]
}

/// The use of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SecretKind")]
#[serde(rename_all = "camelCase")]
enum SecretKind {
    /// A variable of a session's environment.
    Env,
    /// An account secret.
    Secret,
}

/// A stored secret, without its value.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "KeptSecret")]
#[serde(rename_all = "camelCase")]
struct KeptRecord {
    id: String,
    name: String,
    kind: SecretKind,
    /// The session of the variable; null for an account secret.
    session_id: Option<String>,
    /// Where the value is stored: `keychain`, or `file` for a sealed file in the data directory.
    place: String,
    /// RFC 3339 in UTC.
    created_at: String,
    /// When its value was last set; RFC 3339 in UTC.
    changed_at: String,
}

const KEPT: &str = "SELECT secret_id, name, kind, session_id, place, created_ms, changed_ms, slot FROM kept_secrets \
     WHERE account_id = $1";

fn record(row: &dyn Row) -> Result<KeptRecord> {
    let session: String = row.get(3)?;
    Ok(KeptRecord {
        id: row.get(0)?,
        name: row.get(1)?,
        kind: if row.get::<&str>(2)? == "env" { SecretKind::Env } else { SecretKind::Secret },
        session_id: Some(session).filter(|id| !id.is_empty()),
        place: Place::named(row.get(4)?).name().to_owned(),
        created_at: rfc3339(row.get(5)?),
        changed_at: rfc3339(row.get(6)?),
    })
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<KeptRecord>> {
    let account = call.caller.account;
    let sql = format!("{KEPT} ORDER BY secret_id");
    let all = ctx.db().read(move |tx| tx.query(&sql, params![&*account], record)).await?;
    part.page(all, |kept| (&kept.id).into())
}

/// Identifies a secret.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SecretId {
    secret_id: String,
}

async fn delete(ctx: Ctx, call: Call, input: SecretId) -> Result<Done> {
    let (caller, now_ms) = (call.caller, ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let (account, id) = (&*caller.account, &*input.secret_id);
        let found = |row: &dyn Row| Ok((record(row)?, row.get::<String>(7)?));
        let (kept, slot) = tx.query_one(&format!("{KEPT} AND secret_id = $2"), params![account, id], found)?;
        tx.execute("DELETE FROM kept_secrets WHERE account_id = $1 AND secret_id = $2", params![account, id])?;
        loosen(tx, account, (&slot, &kept.place))?;
        let before = json!({"name": kept.name, "kind": kept.kind, "sessionId": kept.session_id});
        let change = Change { subject: SUBJECT, subject_id: id, field: "", before: Some(&before), after: None };
        tx.record(&caller, now_ms, change)
    };
    ctx.db().write(write).await?;
    // If the keychain isn't available now, the value is deleted later.
    if let Err(why) = ctx.service::<Keeper>().forget_loose().await {
        tracing::warn!("couldn't remove a deleted value, retrying later: {why}");
    }
    Ok(Done)
}

/// Passes variables that the user provided to sessions.
pub(crate) struct Given(pub(crate) Arc<Keeper>);

impl GiveEnv for Given {
    fn variables(
        &self,
        account: &str,
        session: &str,
    ) -> futures_core::future::BoxFuture<'static, Result<Vec<(String, Secret)>>> {
        let (keeper, account, session) = (self.0.clone(), account.to_owned(), session.to_owned());
        Box::pin(async move { keeper.env(account, session).await })
    }
}

impl Keeper {
    async fn env(&self, account: String, session: String) -> Result<Vec<(String, Secret)>> {
        let of = account.clone();
        let read = move |tx: &mut Tx<'_>| {
            let sql = "SELECT name, slot, place FROM kept_secrets WHERE account_id = $1 AND kind = 'env' AND session_id = $2 \
                       ORDER BY name";
            tx.query(sql, params![&of, &session], |row| {
                Ok((row.get::<String>(0)?, row.get::<String>(1)?, Place::named(row.get(2)?)))
            })
        };
        let mut env = Vec::new();
        for (name, slot, place) in self.db().read(read).await? {
            match self.value(place, &account, &slot).await {
                Ok(Some(value)) => env.push((name, value)),
                Ok(None) => tracing::warn!("the stored value of the variable {name} is missing"),
                Err(why) => tracing::warn!("couldn't set the variable {name}: {why}"),
            }
        }
        Ok(env)
    }
}

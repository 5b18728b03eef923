//! Tokens that users created for sessions. Each ends with its session.

use crate::records;
use crate::transcript::SessionKey;
use kit::lookup::{Lookup, SessionTokens};
use kit::{Ctx, Result};
use store::{Db, HasDb, Tx};
use supervisor::state::State;

/// Finds the sessions for which a token can be created.
pub(crate) struct Live(pub(crate) Db);

impl Lookup for Live {
    fn missing(
        &self,
        account: &str,
        ids: Vec<String>,
    ) -> futures_core::future::BoxFuture<'static, Result<Vec<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            db.read(move |tx| {
                let mut missing = Vec::new();
                for id in ids {
                    if is_over(tx, &account, &id)? {
                        missing.push(id);
                    }
                }
                Ok(missing)
            })
            .await
        })
    }
}

/// Whether a session has come to an end, or doesn't exist.
fn is_over(tx: &mut Tx<'_>, account: &str, session: &str) -> Result<bool> {
    match records::one(tx, account, session) {
        Ok(record) => Ok(has_ended(&record.life.state)),
        Err(why) if why.is(&kit::error::NOT_FOUND) => Ok(true),
        Err(why) => Err(why),
    }
}

/// Whether a session in this state has ended. It may start again, with new tokens.
pub(crate) fn has_ended(state: &State) -> bool {
    use State::{Archived, Closed, Failed, Finished, Stopped};
    matches!(state, Stopped { .. } | Failed { .. } | Finished | Archived | Closed)
}

/// Revokes the tokens of a session that has just ended.
pub(crate) async fn revoke(ctx: &Ctx, key: &SessionKey) {
    let Some(tokens) = ctx.find_service::<SessionTokens>() else { return };
    if let Err(why) = tokens.0.revoke_made(key.account.clone(), key.session.clone()).await {
        tracing::warn!("couldn't revoke tokens of the ended session {}: {why}", key.session);
    }
}

/// Does the same at the program's start, for sessions that ended with the program.
pub(crate) async fn revoke_of_ended(ctx: &Ctx) -> Result<()> {
    let Some(tokens) = ctx.find_service::<SessionTokens>() else { return Ok(()) };
    for (account, session) in tokens.0.sessions_with_tokens() {
        let key = SessionKey { account: account.clone(), session: session.clone() };
        if ctx.db().read(move |tx| is_over(tx, &account, &session)).await? {
            revoke(ctx, &key).await;
        }
    }
    Ok(())
}

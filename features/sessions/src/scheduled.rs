//! Scheduled messages: they start sessions, or are sent to them, each once.
//!
//! Invariant: the id of a scheduled message is written in the transaction of what it does, so that a second attempt after a
//! crash finds it.

use crate::ops::{NewSession, begin};
use crate::records;
use crate::service::Sessions;
use crate::transcript::SessionKey;
use ::engines::Chunk;
use futures_core::future::BoxFuture;
use kit::lookup::{ScheduledPrompt, StartScheduled};
use kit::{Call, Caller, Ctx, Kind, Result};
use store::{HasDb, Tx, params};
use supervisor::spawn;
use supervisor::state::PromptSource;

/// Does scheduled work for other features.
pub(crate) struct Scheduled(pub(crate) Ctx);

/// The caller that the change log names: the message, as a script.
fn caller_of(account: &str, prompt: &ScheduledPrompt) -> Caller {
    Caller::new(Kind::Cli, account, &format!("scheduled-{}", prompt.id))
}

impl StartScheduled for Scheduled {
    fn start(&self, account: &str, hub: &str, prompt: ScheduledPrompt) -> BoxFuture<'static, Result<()>> {
        let (ctx, account, hub) = (self.0.clone(), account.to_owned(), hub.to_owned());
        Box::pin(async move {
            let (of, id) = (account.clone(), prompt.id.clone());
            let exists = ctx.db().read(move |tx| Ok(records::one(tx, &of, &id).is_ok())).await?;
            if exists {
                return Ok(());
            }
            let call = Call::new(caller_of(&account, &prompt));
            let new = NewSession {
                prompt: prompt.text,
                title: Some(prompt.title),
                project_id: Some(hub),
                driven: true,
                scheduled_id: Some(prompt.id),
                ..NewSession::default()
            };
            begin(ctx, call, new, false).await.map(drop)
        })
    }

    fn send(&self, account: &str, session: &str, prompt: ScheduledPrompt) -> BoxFuture<'static, Result<()>> {
        let (ctx, account, session) = (self.0.clone(), account.to_owned(), session.to_owned());
        Box::pin(async move {
            let caller = caller_of(&account, &prompt);
            let (of, id, by) = (account.clone(), session.clone(), caller.token_id.clone());
            if ctx.db().read(move |tx| was_sent(tx, &of, &id, &by)).await? {
                return Ok(());
            }
            let sessions = ctx.service::<Sessions>();
            let rules = sessions.spawn_rules(&account);
            spawn::may_follow_up(spawn::Caller::Script, &rules).map_err(crate::errors::refused)?;
            let key = SessionKey { account: account.as_str().into(), session: session.as_str().into() };
            let content = vec![Chunk::Text { text: prompt.text }];
            sessions.prompt(&key, content, PromptSource::Other, &caller).await.map_err(crate::ops::not_now).map(drop)
        })
    }
}

fn was_sent(tx: &mut Tx<'_>, account: &str, session: &str, by: &str) -> Result<bool> {
    let sql = "SELECT change_id FROM changes WHERE account_id = $1 AND subject = 'session' AND subject_id = $2 AND actor_id = $3";
    Ok(tx.query_opt(sql, params![account, session, by], |row| row.get::<String>(0))?.is_some())
}

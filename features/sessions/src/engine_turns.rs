//! Questions to a model through an installed engine, for accounts with a subscription.
//!
//! Invariant: the engine gets no tools, an empty folder that is removed after it, and the variables of its login only.

use crate::service::Sessions;
use engines::probe;
use engines::question::{self, EngineQuestion};
use futures_core::future::BoxFuture;
use kit::{Ctx, SpareDir, new_id};
use ledger::Tokens;
use models::{AskError, EngineAnswer, EngineTurn, RunEngine};
use std::path::{Path, PathBuf};

/// Runs engines of this program.
pub(crate) struct Turns(pub(crate) Ctx);

impl RunEngine for Turns {
    fn run(&self, account: &str, turn: EngineTurn) -> BoxFuture<'static, Result<EngineAnswer, AskError>> {
        let (ctx, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move { run(&ctx, &account, turn).await })
    }
}

/// An empty folder, removed when this goes.
struct EmptyFolder(PathBuf);

impl EmptyFolder {
    fn new(spare: &Path) -> std::io::Result<EmptyFolder> {
        let folder = spare.join(format!("pilothouse-question-{}", new_id()));
        std::fs::create_dir_all(&folder)?;
        Ok(EmptyFolder(folder))
    }
}

impl Drop for EmptyFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn run(ctx: &Ctx, account: &str, turn: EngineTurn) -> Result<EngineAnswer, AskError> {
    let common = ctx.service::<Sessions>().common.clone();
    let id = turn.engine.name();
    let engine = common.engine(account, id).ok_or_else(|| AskError::Engine(format!("There is no engine {id}.")))?;
    let set_up = common.set_up(account, id).await?;
    let folder = EmptyFolder::new(&ctx.service::<SpareDir>().0)
        .map_err(|why| AskError::Engine(format!("Couldn't create a temporary folder: {why}.")))?;
    let question =
        EngineQuestion { model: turn.model, prompt: turn.prompt, schema: turn.schema, folder: folder.0.clone() };
    let machine = &common.host.machine;
    let plan = question::plan(&*engine, machine, &set_up.env, &question).ok_or_else(|| {
        let (name, command) = (engine.name(), engine.recipe().helper.map_or("", |(_, command)| command));
        AskError::Engine(format!(
            "{name} can't be asked: the command `{command}` isn't installed. Install it, or choose another model."
        ))
    })?;
    let failed = |why: String| {
        let why = if why.is_empty() { "it gave no reason".to_owned() } else { why };
        AskError::Engine(format!(
            "{} didn't answer: {}. {}",
            engine.name(),
            why.trim_end_matches('.'),
            engine.recipe().login
        ))
    };
    let streams = (common.host.start)(&plan).map_err(|why| failed(why.to_string()))?;
    let reply = question::ask(id, streams, &question.prompt, turn.time).await;
    let hide = |text: String| set_up.hidden.iter().fold(text, |text, secret| text.replace(secret.reveal(), "…"));
    let reply = reply.map_err(|why| failed(hide(why)))?;
    let given = engines::Machine { env: plan.env.clone(), ..machine.clone() };
    let tokens = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    Ok(EngineAnswer {
        text: reply.text,
        tokens: Tokens {
            input: tokens(reply.tokens.input),
            output: tokens(reply.tokens.output),
            cache_read: tokens(reply.tokens.cached_read),
            cache_write: tokens(reply.tokens.cached_write),
        },
        usd: reply.usd,
        is_subscription: !probe::is_paid_by_use(&engine.recipe(), &given),
    })
}

//! What a session starts with: stored before its engine first starts, and the same for all its launches.

use super::{Block, Choices, Edited, EngineFacts, compose, hub_texts, joined};
use crate::common::Common;
use crate::records::{self, SessionRecord, read_json};
use crate::settings::*;
use crate::transcript::SessionKey;
use crate::tutor;
use engines::{Engine, Tier};
use kit::Result;
use store::{HasDb, Tx, params};

/// What a session starts with.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SessionStart {
    pub(crate) blocks: Vec<Block>,
    /// Whether its find commands are batched.
    pub(crate) batches_find: bool,
    pub(crate) at_ms: i64,
}

impl SessionStart {
    /// The session's instructions.
    pub(crate) fn instructions(&self) -> String {
        joined(&self.blocks)
    }
}

/// What a session started with, if that was stored.
pub(crate) fn stored(tx: &mut Tx<'_>, account: &str, session: &str) -> Result<Option<SessionStart>> {
    let sql = "SELECT blocks, batches_find, at_ms FROM session_starts WHERE account_id = $1 AND session_id = $2";
    tx.query_opt(sql, params![account, session], |row| {
        Ok(SessionStart { blocks: read_json(row.get(0)?)?, batches_find: row.get::<i64>(1)? != 0, at_ms: row.get(2)? })
    })
}

impl Common {
    /// What a session starts with. At its first launch, that follows from the settings and is stored. A session from
    /// before this was stored stays without.
    pub(crate) async fn session_start(
        &self,
        key: &SessionKey,
        record: &SessionRecord,
        engine: &dyn Engine,
        control_url: Option<&str>,
    ) -> Result<SessionStart> {
        let (account, session, hub) = (key.account.clone(), key.session.clone(), record.hub_id.clone());
        let read = move |tx: &mut Tx<'_>| {
            let is_tutor = tutor::is_tutor(tx, &account, &hub)?;
            Ok((stored(tx, &account, &session)?, hub_texts::edited(tx, &account, &hub)?, is_tutor))
        };
        let (before, edited, is_tutor) = self.ctx.db().read(read).await?;
        if let Some(before) = before {
            return Ok(before);
        }
        if !record.engine_session.is_empty() {
            return Ok(SessionStart::default());
        }
        let facts = EngineFacts {
            is_primary: engine.tier() == Tier::Primary,
            keeps_shell_folder: engine.traits().keeps_shell_folder,
            control_url,
        };
        let mut blocks = compose(&self.choices(&key.account), facts, &edited);
        if is_tutor {
            let engines = self.engines(&key.account);
            let engines: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
            let text = tutor::instructions(&self.ctx, &key.account, &engines).await?;
            blocks.insert(0, Block::from_app("ask", "Ask", "askAppEnabled", text));
        }
        let start = SessionStart {
            blocks,
            batches_find: self.ctx.setting(&key.account, &agentFindBatchingEnabled),
            at_ms: self.ctx.now_ms(),
        };
        let (account, session, new) = (key.account.clone(), key.session.clone(), start.clone());
        let write = move |tx: &mut Tx<'_>| {
            let sql = "INSERT INTO session_starts (account_id, session_id, blocks, batches_find, at_ms) \
                       VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, session_id) DO NOTHING";
            let blocks = records::json(&new.blocks);
            tx.execute(sql, params![&*account, &*session, blocks, new.batches_find, new.at_ms]).map(drop)
        };
        self.ctx.db().write(write).await?;
        Ok(start)
    }

    fn choices(&self, account: &str) -> Choices {
        let ctx = &self.ctx;
        Choices {
            default_instructions: ctx.setting(account, &defaultAgentInstructionsEnabled),
            custom: ctx.setting(account, &defaultAgentInstructionsCustom),
            app_awareness: ctx.setting(account, &appAwarenessPromptEnabled),
            audience_style: ctx.setting(account, &audienceStylePromptEnabled),
            engineering_principles: ctx.setting(account, &engineeringPrinciplesPromptEnabled),
            execution_bias: ctx.setting(account, &executionBiasPromptEnabled),
            persona: ctx.setting(account, &personaPromptEnabled),
            shell_folder: ctx.setting(account, &shellCwdPersistNudgeEnabled),
        }
    }

    /// The reminders at the end of each message of a hub's sessions, if they are on. If the hub's own text can't be
    /// loaded, it's the default one.
    pub(crate) async fn reminders(&self, account: &str, hub: &str) -> Option<String> {
        if !self.ctx.setting(account, &keyRemindersPromptEnabled) {
            return None;
        }
        let (account, hub) = (account.to_owned(), hub.to_owned());
        let edited = self.ctx.db().read(move |tx| hub_texts::edited(tx, &account, &hub)).await;
        super::reminders(&edited.unwrap_or_else(|why| {
            tracing::warn!("couldn't load a hub's reminders, using the default: {why}");
            Edited::new()
        }))
    }
}

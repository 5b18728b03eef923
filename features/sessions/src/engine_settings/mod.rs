//! How the user set up engines, and the agents that the user added as engines of their own.
//!
//! Invariant: what is in memory is what the database has; a change is there once it's committed.

pub(crate) mod variables;

use crate::common::Common;
use crate::engine_host::SetUp;
use crate::records::read_json;
use engines::engine::{External, Practice};
use engines::port::Env;
use engines::{Engine, Machine};
use kit::error::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use store::{Row, Tx, params};
use supervisor::policy::Level;
use variables::{Opened, Stored, Variable};

/// The permission level of an engine's new sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EngineLevel")]
#[serde(rename_all = "snake_case")]
pub(crate) enum EngineLevel {
    /// The level of agentPermissionLevel, also while a session runs.
    #[default]
    Inherit,
    /// Reads the project and asks before anything else.
    ReadOnly,
    /// Also changes project files; asks before commands, network use, and other folders.
    Guarded,
    /// Asks only before it touches sensitive files.
    Autonomous,
    /// Never asks. External engines still never get access to sensitive files.
    Full,
}

impl EngineLevel {
    /// The engine's own level, if it has one.
    pub(crate) const fn own(self) -> Option<Level> {
        match self {
            EngineLevel::Inherit => None,
            EngineLevel::ReadOnly => Some(Level::ReadOnly),
            EngineLevel::Guarded => Some(Level::Guarded),
            EngineLevel::Autonomous => Some(Level::Autonomous),
            EngineLevel::Full => Some(Level::Full),
        }
    }
}

/// How an engine is set up, as stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct EngineConfig {
    /// The name of an agent that the user added; empty for the built-in engines.
    pub(crate) agent: String,
    /// The path of its program, or the command of an agent; empty to find a built-in engine on `PATH`.
    pub(crate) program: String,
    /// Arguments after the engine's own.
    pub(crate) args: Vec<String>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) level: EngineLevel,
    /// The model of new sessions; empty for the engine's default.
    pub(crate) model: String,
    /// The effort of new sessions; empty for the engine's default.
    pub(crate) effort: String,
}

/// The set-ups of all accounts.
#[derive(Default)]
pub(crate) struct EngineConfigs(RwLock<BTreeMap<(String, String), Arc<EngineConfig>>>);

impl EngineConfigs {
    /// Reads all that are stored.
    pub(crate) fn load(&self, tx: &mut Tx<'_>) -> Result<()> {
        let sql = "SELECT account_id, engine_id, config FROM engine_settings ORDER BY account_id, engine_id";
        let read = |row: &dyn Row| Ok(((row.get(0)?, row.get(1)?), Arc::new(read_json(row.get(2)?)?)));
        *self.0.write().expect("no panic while held") = tx.query(sql, params![], read)?.into_iter().collect();
        Ok(())
    }

    /// How an account set up an engine.
    pub(crate) fn get(&self, account: &str, engine: &str) -> Arc<EngineConfig> {
        let all = self.0.read().expect("no panic while held");
        all.get(&(account.to_owned(), engine.to_owned())).cloned().unwrap_or_default()
    }

    /// Replaces how an account set up an engine, once that is committed.
    pub(crate) fn set(&self, account: &str, engine: &str, config: Option<EngineConfig>) {
        let mut all = self.0.write().expect("no panic while held");
        let key = (account.to_owned(), engine.to_owned());
        match config {
            Some(config) => all.insert(key, Arc::new(config)),
            None => all.remove(&key),
        };
    }

    /// The agents that an account added, by id.
    fn agents(&self, account: &str) -> Vec<Arc<dyn Engine>> {
        let all = self.0.read().expect("no panic while held");
        let own = all.iter().filter(|((of, _), config)| of == account && !config.agent.is_empty());
        own.map(|((_, id), config)| Arc::new(agent(id, config)) as Arc<dyn Engine>).collect()
    }
}

fn agent(id: &str, config: &EngineConfig) -> External {
    External {
        id: id.to_owned(),
        name: config.agent.clone(),
        command: config.program.clone(),
        args: config.args.clone(),
        // They are opened when a session starts.
        env: Env::new(),
    }
}

/// What a variable of an engine is sealed for.
pub(crate) fn sealed_for<'a>(account: &'a str, engine: &'a str, name: &'a str) -> [&'a str; 4] {
    ["engine", account, engine, name]
}

impl Common {
    /// Every engine of an account: the built-in ones and those it added, with the practice agent last.
    pub(crate) fn engines(&self, account: &str) -> Vec<Arc<dyn Engine>> {
        let mut all = self.host.engines();
        let own = self.configs.agents(account);
        let at = all.iter().position(|engine| engine.id() == Practice.id()).unwrap_or(all.len());
        all.splice(at..at, own);
        all
    }

    /// The engine with this id.
    pub(crate) fn engine(&self, account: &str, id: &str) -> Option<Arc<dyn Engine>> {
        self.engines(account).into_iter().find(|engine| engine.id() == id)
    }

    /// The machine as this engine sees it: with the variables that the user set for it. Secret ones are only named.
    pub(crate) fn machine_of(&self, account: &str, engine: &str) -> Machine {
        let mut machine = self.host.machine.clone();
        for variable in &self.configs.get(account, engine).variables {
            let value = match &variable.value {
                Stored::Plain(value) => value.clone(),
                Stored::Sealed(_) => "…".to_owned(),
            };
            machine.env.insert(variable.name.clone(), value);
        }
        machine
    }

    /// How an engine is set up, with its variables, for starting or detecting it. A value that can't be opened is an
    /// error: without it, the engine might use another login.
    pub(crate) async fn set_up(&self, account: &str, engine: &str) -> Result<SetUp> {
        let config = self.configs.get(account, engine);
        let variables = self.opened(account, engine, &config).await?;
        let is_agent = !config.agent.is_empty();
        Ok(SetUp {
            program: Some(config.program.clone()).filter(|program| !is_agent && !program.is_empty()).map(Into::into),
            args: if is_agent { Vec::new() } else { config.args.clone() },
            hidden: variables.iter().filter(|one| one.is_secret).map(|one| one.value.clone()).collect(),
            env: variables.into_iter().map(|one| (one.name, one.value.reveal().to_owned())).collect(),
        })
    }

    async fn opened(&self, account: &str, engine: &str, config: &EngineConfig) -> Result<Vec<Opened>> {
        if config.variables.is_empty() {
            return Ok(Vec::new());
        }
        let sealer = variables::sealer(&self.vaults).await?;
        let open = |one: &Variable| {
            let opened = one.open(&sealer, &sealed_for(account, engine, &one.name));
            opened.map_err(|why| crate::errors::SECRET_UNREADABLE.error(format!("Couldn't read {}: {why}", one.name)))
        };
        config.variables.iter().map(open).collect()
    }
}

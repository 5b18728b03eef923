//! Named values that the user set, some of them secret: variables of engines.
//!
//! Invariant: a secret value leaves this module only for the process that it's for.

use crate::fault;
use kit::error::INTERNAL;
use kit::{Result, Secret, invalid};
use schemars::JsonSchema;
use secrets::{Sealer, Unkept, Vaults};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Maximum values of one engine.
const VARIABLES_MAX: usize = 100;
/// For schemas: the name of an environment variable.
pub(crate) const VARIABLE_NAME: &str = "^[A-Za-z_][A-Za-z0-9_]{0,99}$";
/// Names that Pilothouse sets, by their start.
const RESERVED_BEGIN: [&str; 2] = ["APP_", "PILOTHOUSE_"];
/// The same, whole: with another value, an engine would work in another mode or without the hook.
const RESERVED: [&str; 5] =
    ["CODEX_CONFIG", "INITIAL_AGENT_MODE", "OPENCODE_CONFIG_CONTENT", "PRACTICE_HOME", "ENABLE_TOOL_SEARCH"];

/// A named value, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) value: Stored,
}

/// A value, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stored {
    Plain(String),
    Sealed(String),
}

/// A named value, as shown to you.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EngineVariable")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown {
    name: String,
    /// Null for secrets, which are never shown again.
    value: Option<String>,
    is_secret: bool,
}

impl From<&Variable> for Shown {
    fn from(variable: &Variable) -> Shown {
        let value = match &variable.value {
            Stored::Plain(value) => Some(value.clone()),
            Stored::Sealed(_) => None,
        };
        Shown { name: variable.name.clone(), is_secret: value.is_none(), value }
    }
}

/// A value, opened for the process that it's for.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) name: String,
    pub(crate) value: Secret,
    pub(crate) is_secret: bool,
}

impl Stored {
    /// A value to store; a secret is sealed for its purpose.
    pub(crate) fn new(value: &Secret, sealer: Option<&Sealer>, purpose: &[&str]) -> Stored {
        match sealer {
            Some(sealer) => Stored::Sealed(sealer.seal_text(purpose, value)),
            None => Stored::Plain(value.reveal().to_owned()),
        }
    }
}

impl Variable {
    /// The value, opened.
    pub(crate) fn open(&self, sealer: &Sealer, purpose: &[&str]) -> std::result::Result<Opened, Unkept> {
        let (value, is_secret) = match &self.value {
            Stored::Plain(value) => (Secret::new(value.clone()), false),
            Stored::Sealed(sealed) => (sealer.open_text(purpose, sealed)?, true),
        };
        Ok(Opened { name: self.name.clone(), value, is_secret })
    }
}

/// Rejects names that no variable can have, and those that Pilothouse sets itself.
pub(crate) fn expect_variable(name: &str, pointer: &str) -> Result<()> {
    let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || sign == b'_';
    let is_name = (1..=100).contains(&name.len())
        && name.bytes().all(is_sign)
        && !name.starts_with(|first: char| first.is_ascii_digit());
    if !is_name {
        let detail = "Use at most 100 ASCII letters, digits, and underscores, not starting with a digit.";
        return Err(invalid(pointer, fault::WRONG_FORMAT, detail));
    }
    let upper = name.to_ascii_uppercase();
    if RESERVED_BEGIN.iter().any(|begin| upper.starts_with(begin)) || RESERVED.contains(&&*upper) {
        let detail = format!("Pilothouse sets {name} itself. Choose another variable.");
        return Err(invalid(pointer, fault::RESERVED_VARIABLE, detail));
    }
    Ok(())
}

/// Adds a value, or replaces the one with its name.
pub(crate) fn put(variables: &mut Vec<Variable>, new: Variable) -> Result<()> {
    variables.retain(|one| one.name != new.name);
    if variables.len() >= VARIABLES_MAX {
        return Err(kit::error::CONFLICT.error(format!("Limit reached ({VARIABLES_MAX}). Remove one first.")));
    }
    variables.push(new);
    variables.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(())
}

/// The sealer of this installation. Its key is in a file, which may be on a slow disk.
pub(crate) async fn sealer(vaults: &Arc<Vaults>) -> Result<Sealer> {
    let vaults = vaults.clone();
    let made = tokio::task::spawn_blocking(move || vaults.sealer());
    let made = made.await.map_err(|fault| INTERNAL.error("Couldn't read the key of secrets.").caused_by(fault))?;
    made.map_err(|Unkept(why)| crate::errors::SECRET_UNREADABLE.error(why))
}

//! Asking through an installed engine, so that a subscription is enough.

use crate::error::AskError;
use crate::provider::Kind;
use futures_core::future::BoxFuture;
use ledger::Tokens;
use serde_json::Value;
use std::time::Duration;

/// Runs engines for questions. Provided by the feature that has them.
pub struct EngineTurns(pub Box<dyn RunEngine>);

/// Runs engines for questions.
pub trait RunEngine: Send + Sync {
    /// Runs one turn in an empty folder, without tools.
    fn run(&self, account: &str, turn: EngineTurn) -> BoxFuture<'static, Result<EngineAnswer, AskError>>;
}

/// One turn of an engine.
#[derive(Debug, Clone)]
pub struct EngineTurn {
    /// Claude or Codex.
    pub engine: Kind,
    /// The model; empty for the engine's default.
    pub model: String,
    /// Everything that it's asked.
    pub prompt: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
    /// Time for the answer.
    pub time: Duration,
}

/// What an engine answered.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineAnswer {
    /// Its words, which hold JSON.
    pub text: String,
    /// Tokens, as far as it reports them.
    pub tokens: Tokens,
    /// US dollars, as it reports them; only what it would cost if a subscription pays.
    pub usd: Option<f64>,
    /// Whether a subscription pays.
    pub is_subscription: bool,
}

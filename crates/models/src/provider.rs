//! Where models answer.

use kit::Secret;
use ledger::Basis;
use schemars::JsonSchema;
use secrets::Place;
use serde::{Deserialize, Serialize};

/// What a provider is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ModelProviderKind")]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Anthropic's API.
    Anthropic,
    /// OpenAI's API.
    OpenAi,
    /// OpenRouter.
    OpenRouter,
    /// Ollama, usually on this computer.
    Ollama,
    /// LM Studio, usually on this computer.
    LmStudio,
    /// Any address that speaks OpenAI's chat completions.
    Compatible,
    /// Claude Code, with its login.
    Claude,
    /// Codex, with its login.
    Codex,
}

impl Kind {
    /// All of them, in the order shown.
    pub const ALL: [Kind; 8] = [
        Kind::Anthropic,
        Kind::OpenAi,
        Kind::OpenRouter,
        Kind::Ollama,
        Kind::LmStudio,
        Kind::Compatible,
        Kind::Claude,
        Kind::Codex,
    ];

    /// As stored and sent.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Anthropic => "anthropic",
            Kind::OpenAi => "openai",
            Kind::OpenRouter => "openrouter",
            Kind::Ollama => "ollama",
            Kind::LmStudio => "lmstudio",
            Kind::Compatible => "compatible",
            Kind::Claude => "claude",
            Kind::Codex => "codex",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// As shown.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::Anthropic => "Anthropic",
            Kind::OpenAi => "OpenAI",
            Kind::OpenRouter => "OpenRouter",
            Kind::Ollama => "Ollama",
            Kind::LmStudio => "LM Studio",
            Kind::Compatible => "Compatible server",
            Kind::Claude => "Through Claude Code",
            Kind::Codex => "Through Codex",
        }
    }

    /// The address unless another is set; empty where there is none.
    pub const fn url(self) -> &'static str {
        match self {
            Kind::Anthropic => "https://api.anthropic.com/v1",
            Kind::OpenAi => "https://api.openai.com/v1",
            Kind::OpenRouter => "https://openrouter.ai/api/v1",
            Kind::Ollama => "http://127.0.0.1:11434/v1",
            Kind::LmStudio => "http://127.0.0.1:1234/v1",
            Kind::Compatible | Kind::Claude | Kind::Codex => "",
        }
    }

    /// A small model to begin with; empty where you have to choose one.
    pub const fn suggested_model(self) -> &'static str {
        match self {
            Kind::Anthropic => "claude-haiku-4-5",
            Kind::OpenAi => "gpt-5-nano",
            Kind::OpenRouter => "openai/gpt-5-nano",
            Kind::Claude => "haiku",
            Kind::Ollama | Kind::LmStudio | Kind::Compatible | Kind::Codex => "",
        }
    }

    /// Whether an installed engine answers, instead of an address.
    pub const fn is_engine(self) -> bool {
        matches!(self, Kind::Claude | Kind::Codex)
    }

    /// How a cost is known if the provider doesn't report it and no price is.
    pub const fn free_basis(self) -> Option<Basis> {
        match self {
            Kind::Ollama | Kind::LmStudio => Some(Basis::Local),
            Kind::Claude | Kind::Codex => Some(Basis::Subscription),
            _ => None,
        }
    }
}

/// A provider of an account.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// Its ID.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// Its unique name.
    pub name: String,
    /// Its address without a final slash; empty for engines.
    pub url: String,
    /// Where its key is stored, if it has one.
    pub key_place: Option<Place>,
}

impl Provider {
    /// The slot of its key among the account's secrets.
    pub fn slot(&self) -> String {
        format!("model-provider {}", self.id)
    }
}

/// A provider with what a call needs.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) provider: Provider,
    pub(crate) key: Option<Secret>,
}

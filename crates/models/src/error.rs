//! Why there is no answer.

use ledger::CapError;
use outbound::Failure;
use std::fmt;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AskError {
    /// No model is chosen.
    NoModel,
    /// The provider doesn't have this model.
    UnknownModel(String),
    /// Only free models may be used, and this one isn't.
    NotFree(String),
    /// The limit on this purpose.
    Cap(CapError),
    /// Too many questions within an hour.
    TooMany(u32),
    /// The key is missing, wrong, or expired.
    Key(String),
    /// The provider's limit is reached, or its balance is empty.
    Limited(String),
    /// The provider rejected the question.
    Rejected(String),
    /// It failed on its side.
    Unavailable(String),
    /// The answer doesn't fit.
    Unusable,
    /// The address doesn't list models.
    NoList,
    /// The engine isn't installed, or can't run here.
    Engine(String),
    /// There is no complete answer.
    Http(Failure),
    /// The database failed.
    Store(String),
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::NoModel => f.write_str("No model is chosen. Choose a utility model in Settings > Models."),
            AskError::UnknownModel(model) => write!(f, "The provider has no model {model}. Check its name."),
            AskError::NotFree(model) => {
                write!(f, "{model} isn't free, and only free models may be used. Change that in Settings > Models.")
            }
            AskError::Cap(CapError::Reached { spent, cap }) => {
                write!(f, "The limit of ${cap:.2} is reached: ${spent:.2} spent. Raise the limit, or wait.")
            }
            AskError::Cap(CapError::Unpriced) => f.write_str(
                "The model's price isn't known, so the spending limit can't be checked. Set its price in Settings > Models.",
            ),
            AskError::TooMany(limit) => write!(f, "{limit} questions of this kind were asked within an hour. Wait."),
            AskError::Key(why) => write!(f, "The key wasn't accepted{}. Check the key.", said(why)),
            AskError::Limited(why) => write!(f, "The provider's limit is reached{}. Wait, or check your balance.", said(why)),
            AskError::Rejected(why) => write!(f, "The provider rejected the question{}. Check the model.", said(why)),
            AskError::Unavailable(why) => write!(f, "The provider failed{}. Retry later.", said(why)),
            AskError::Unusable => f.write_str("The model's answer doesn't have the required form. Choose another model."),
            AskError::NoList => f.write_str(
                "The address doesn't list models. Check it: the address of most servers ends in /v1. You can also enter a model's name.",
            ),
            AskError::Engine(why) => f.write_str(why),
            AskError::Http(Failure::Unreachable(host)) => {
                write!(f, "Can't reach {host}. Check the address, and that the server is running.")
            }
            AskError::Http(failure) => write!(f, "{}", failure.to_string().trim_end_matches('.'))
                .and_then(|()| f.write_str(".")),
            AskError::Store(why) => f.write_str(why),
        }
    }
}

/// The provider's own words.
fn said(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) }
}

impl From<kit::Error> for AskError {
    fn from(why: kit::Error) -> Self {
        AskError::Store(why.to_string())
    }
}

impl AskError {
    /// Whether the call can't have cost anything.
    pub(crate) fn is_free(&self) -> bool {
        match self {
            AskError::Http(failure) => failure.never_arrived(),
            AskError::Unusable | AskError::Unavailable(_) => false,
            _ => true,
        }
    }
}

//! Small questions to a language model: a title, a summary, a yes or no.
//!
//! Invariants: an answer fits the question's schema, or there is none; content from outside is passed as quoted data, and no model
//! gets tools; what a call may cost is reserved before it; no key is in an error, a log, or an answer; without a model, nothing
//! leaves.
//! Deliberately not here: what is asked, the conversations of sessions, and the operations that configure this, which are
//! `features/models`.

mod answer;
mod ask;
mod catalog;
mod dialect;
mod engine_turn;
mod error;
mod outcome;
mod plan;
mod prices;
mod provider;
mod question;
mod rows;

pub use ask::Models;
pub use engine_turn::{EngineAnswer, EngineTurn, EngineTurns, RunEngine};
pub use error::AskError;
pub use outcome::{FollowOutcomes, Outcomes};
pub use prices::{Price, PriceList, built_in, price_list, remove_price, set_price};
pub use provider::{Kind, Provider};
pub use question::{Answer, Image, Question};
pub use rows::{
    Choice, PROVIDERS_MAX, Use, choice, choose, delete_provider, insert_provider, is_free_only, provider, providers,
    set_free_only, update_provider,
};

use kit::{Ctx, Migration};
use std::sync::Arc;

/// The tables, of the feature that configures this.
pub const MIGRATIONS: &[Migration] = &[Migration { number: 1, sql: include_str!("../migrations/001_models.sql") }];

/// Adds the models to the context.
pub trait HasModels {
    /// The program's models.
    fn models(&self) -> Arc<Models>;
}

impl HasModels for Ctx {
    fn models(&self) -> Arc<Models> {
        self.service()
    }
}

#[cfg(test)]
mod tests;

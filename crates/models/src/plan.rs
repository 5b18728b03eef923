//! Who is asked, and what it may cost.

use crate::dialect::{THINKING_TOKENS, thinks};
use crate::error::AskError;
use crate::prices::{self, Price};
use crate::provider::Provider;
use crate::question::Question;
use crate::rows::{self, Choice, Use};
use kit::error::Result;
use ledger::{Basis, Cost, Tokens, USD};
use store::Tx;

/// Attempts at an answer that fits.
pub(crate) const ATTEMPTS: i64 = 2;
/// What an image may take, in tokens.
const IMAGE_TOKENS: i64 = 4_000;

/// Who is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) provider: Provider,
    pub(crate) model: String,
    /// The price, with its day.
    pub(crate) price: Option<(Price, String)>,
    pub(crate) is_free_only: bool,
}

/// Who answers this question: the named model, or the utility model (for images the one for images).
pub(crate) fn plan(tx: &mut Tx<'_>, question: &Question) -> Result<Option<Plan>> {
    let account = &*question.account;
    let vision = if question.image.is_some() { rows::choice(tx, account, Use::Vision)? } else { None };
    let chosen = match vision {
        Some(choice) => Some(choice),
        None => rows::choice(tx, account, Use::Utility)?,
    };
    let Some(mut choice) = chosen else { return Ok(None) };
    if !question.model.is_empty() {
        choice = named(tx, account, &question.model, choice)?;
    }
    let provider = rows::provider(tx, account, &choice.provider_id)?;
    let price = prices::price(tx, account, &choice.model)?;
    let is_free_only = rows::is_free_only(tx, account)?;
    Ok(Some(Plan { provider, model: choice.model, price, is_free_only }))
}

/// `provider/model` names a model of another provider, anything else one of the same provider.
fn named(tx: &mut Tx<'_>, account: &str, model: &str, chosen: Choice) -> Result<Choice> {
    if let Some((name, rest)) = model.split_once('/')
        && let Some(provider) =
            rows::providers(tx, account)?.into_iter().find(|one| one.name.eq_ignore_ascii_case(name))
    {
        return Ok(Choice { provider_id: provider.id, model: rest.to_owned() });
    }
    Ok(Choice { model: model.to_owned(), ..chosen })
}

impl Plan {
    /// The most that the question can cost.
    pub(crate) fn bound(&self, question: &Question, prompt: &str) -> Cost {
        // A token has at least one byte.
        let input =
            i64::try_from(prompt.len()).unwrap_or(i64::MAX) + question.image.as_ref().map_or(0, |_| IMAGE_TOKENS);
        let thinking = if thinks(self.provider.kind, &self.model) { THINKING_TOKENS } else { 0 };
        let output = i64::from(question.output_tokens + thinking);
        let tokens = Tokens { input: input * ATTEMPTS, output: output * ATTEMPTS, ..Tokens::default() };
        self.cost(&tokens, None)
    }

    /// What these tokens cost: as reported, by subscription, on your own computer, by price, or unknown.
    pub(crate) fn cost(&self, tokens: &Tokens, reported: Option<f64>) -> Cost {
        let cost = |basis, micros, day: &str| Cost { currency: USD.into(), micros, basis, price_date: day.to_owned() };
        match (self.provider.kind.free_basis(), reported, &self.price) {
            (Some(basis), reported, _) => cost(basis, reported.map(ledger::micros), ""),
            (None, Some(usd), _) => cost(Basis::Reported, Some(ledger::micros(usd)), ""),
            (None, None, Some((price, day))) => cost(Basis::Priced, Some(price.cost(tokens)), day),
            (None, None, None) => Cost::unpriced(),
        }
    }

    /// Rejects a model that isn't free, if only free ones may be used.
    pub(crate) fn expect_allowed(&self) -> std::result::Result<(), AskError> {
        let has_price_0 = self.price.as_ref().is_some_and(|(price, _)| price.input == 0 && price.output == 0);
        let is_free = self.provider.kind.free_basis().is_some() || has_price_0 || self.model.ends_with(":free");
        if self.is_free_only && !is_free { Err(AskError::NotFree(self.model.clone())) } else { Ok(()) }
    }
}

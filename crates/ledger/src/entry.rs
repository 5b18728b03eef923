//! What an entry says.

/// Tokens, and millionths, of an entry at most: whatever a provider reports, the sums of entries can be computed.
const ENTRY_MAX: i64 = 1_000_000_000_000;

/// The currency of prices and caps.
pub const USD: &str = "USD";

/// Who spends, and what for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spender {
    /// The account.
    pub account: String,
    /// What for, such as `title`. Caps count by it.
    pub purpose: String,
    /// The hub, or empty.
    pub hub: String,
    /// The session, or empty.
    pub session: String,
    /// The engine, or the model provider's name.
    pub provider: String,
    /// The model, or empty if it isn't known.
    pub model: String,
}

/// Tokens by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct Tokens {
    pub input: i64,
    pub output: i64,
    pub cache_read: i64,
    pub cache_write: i64,
}

impl Tokens {
    /// The sum of both, without overflow.
    #[must_use]
    pub const fn plus(&self, other: &Tokens) -> Tokens {
        Tokens {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
        }
    }

    /// The same within what an entry stores.
    pub(crate) fn bounded(&self) -> Tokens {
        let bounded = |count: i64| count.clamp(0, ENTRY_MAX);
        Tokens {
            input: bounded(self.input),
            output: bounded(self.output),
            cache_read: bounded(self.cache_read),
            cache_write: bounded(self.cache_write),
        }
    }
}

/// How a cost is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The provider or engine reported it.
    Reported,
    /// Tokens times a price of a dated table.
    Priced,
    /// A subscription pays. An amount is only what it would have cost.
    Subscription,
    /// The model runs on a computer of yours.
    Local,
    /// The price isn't known.
    Unpriced,
}

impl Basis {
    /// As stored and sent.
    pub const fn name(self) -> &'static str {
        match self {
            Basis::Reported => "reported",
            Basis::Priced => "priced",
            Basis::Subscription => "subscription",
            Basis::Local => "local",
            Basis::Unpriced => "unpriced",
        }
    }

    /// The one of this name. What a newer program wrote counts as unpriced.
    pub fn named(name: &str) -> Basis {
        let all = [Basis::Reported, Basis::Priced, Basis::Subscription, Basis::Local];
        all.into_iter().find(|basis| basis.name() == name).unwrap_or(Basis::Unpriced)
    }

    /// Whether you pay for each use.
    pub const fn is_paid_by_use(self) -> bool {
        matches!(self, Basis::Reported | Basis::Priced | Basis::Unpriced)
    }
}

/// What something cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// ISO 4217.
    pub currency: String,
    /// Millionths; `None` if it isn't known.
    pub micros: Option<i64>,
    /// How it's known.
    pub basis: Basis,
    /// The day of the price list, such as `2026-03-01`; empty unless [`Basis::Priced`].
    pub price_date: String,
}

impl Cost {
    /// The amount within what an entry stores.
    pub(crate) fn bounded(&self) -> Option<i64> {
        self.micros.map(|micros| micros.clamp(-ENTRY_MAX, ENTRY_MAX))
    }
}

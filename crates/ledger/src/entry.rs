//! What an entry says.

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

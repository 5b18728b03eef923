//! What was spent: by sessions, and by questions to language models.
//!
//! Invariants: an unknown price is no price, never 0; a call's upper bound is reserved before it's made, and what it cost
//! replaces that after it, so that calls at the same time can't exceed a cap together; entries that were settled don't change,
//! except for the day's entry of a session, which adds up.
//! Deliberately not here: prices, which `models` has, and who may spend.

mod entry;
mod reserve;
mod rows;

pub use entry::{Basis, Cost, Spender, Tokens, USD};
pub use reserve::{Cap, CapError, Reserved, Window, close_open, release, reserve, settle, spent};
pub use rows::{Total, add_to_day, totals};

use kit::Migration;

/// The name that the table is migrated under.
pub const NAME: &str = "ledger";
/// The table, which belongs to no feature.
pub const MIGRATIONS: &[Migration] = &[Migration { number: 1, sql: include_str!("../migrations/001_ledger.sql") }];

/// Millionths of a currency's unit, of an amount such as 0.25.
pub fn micros(amount: f64) -> i64 {
    // Saturates; amounts that are no numbers are 0.
    (amount * 1e6).round() as i64
}

/// The reverse of [`micros`].
pub fn amount(micros: i64) -> f64 {
    micros as f64 / 1e6
}

#[cfg(test)]
mod tests;

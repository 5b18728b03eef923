//! Prices of models: a dated table in the program, and your own, which win.

use kit::error::Result;
use ledger::Tokens;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::OnceLock;
use store::{Tx, params};

/// What a model costs, in millionths of a US dollar for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Price {
    pub input: i64,
    pub output: i64,
    #[serde(default)]
    pub cache_read: Option<i64>,
    #[serde(default)]
    pub cache_write: Option<i64>,
    /// Whether the model reads images, as far as it's known.
    #[serde(default)]
    pub images: bool,
}

impl Price {
    /// The cost of these tokens, in millionths of a US dollar, rounded up.
    pub(crate) fn cost(&self, tokens: &Tokens) -> i64 {
        let parts = [
            (tokens.input, self.input),
            (tokens.output, self.output),
            (tokens.cache_read, self.cache_read.unwrap_or(self.input)),
            (tokens.cache_write, self.cache_write.unwrap_or(self.input)),
        ];
        let sum: i128 = parts.iter().map(|(count, price)| i128::from(*count) * i128::from(*price)).sum();
        i64::try_from((sum + 999_999) / 1_000_000).unwrap_or(i64::MAX)
    }
}

#[derive(Deserialize)]
struct Table {
    date: String,
    models: HashMap<String, Price>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    // A test reads the whole file.
    TABLE.get_or_init(|| {
        serde_json::from_str(include_str!("../prices.json"))
            .unwrap_or_else(|_| Table { date: String::new(), models: HashMap::new() })
    })
}

/// The built-in price of a model, and the day of the table.
pub fn built_in(model: &str) -> Option<(Price, &'static str)> {
    let table = table();
    table.models.get(model).map(|price| (*price, &*table.date))
}

/// The account's own prices: each model with its price and the day on which it was set.
pub type PriceList = Vec<(String, Price, String)>;

/// The account's own prices, by model.
pub fn price_list(tx: &mut Tx<'_>, account: &str) -> Result<PriceList> {
    let sql = "SELECT model, input, output, day FROM model_prices WHERE account_id = $1 ORDER BY model";
    tx.query(sql, params![account], |row| {
        let price =
            Price { input: row.get(1)?, output: row.get(2)?, cache_read: None, cache_write: None, images: false };
        Ok((row.get(0)?, price, row.get(3)?))
    })
}

/// The price of a model: the account's own, or else the built-in one, with its day.
pub(crate) fn price(tx: &mut Tx<'_>, account: &str, model: &str) -> Result<Option<(Price, String)>> {
    let sql = "SELECT input, output, day FROM model_prices WHERE account_id = $1 AND model = $2";
    let own = tx.query_opt(sql, params![account, model], |row| {
        let price =
            Price { input: row.get(0)?, output: row.get(1)?, cache_read: None, cache_write: None, images: false };
        Ok((price, row.get(2)?))
    })?;
    Ok(own.or_else(|| built_in(model).map(|(price, day)| (price, day.to_owned()))))
}

/// Sets the account's own price of a model.
pub fn set_price(tx: &mut Tx<'_>, account: &str, model: &str, price: &Price, day: &str) -> Result<()> {
    let sql = "INSERT INTO model_prices (account_id, model, input, output, day) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (account_id, model) DO UPDATE SET input = excluded.input, output = excluded.output, day = excluded.day";
    tx.execute(sql, params![account, model, price.input, price.output, day]).map(drop)
}

/// Removes it. False if there was none.
pub fn remove_price(tx: &mut Tx<'_>, account: &str, model: &str) -> Result<bool> {
    let sql = "DELETE FROM model_prices WHERE account_id = $1 AND model = $2";
    Ok(tx.execute(sql, params![account, model])? > 0)
}

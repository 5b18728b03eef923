//! Stored providers and choices.

use crate::provider::{Kind, Provider};
use kit::error::Result;
use secrets::Place;
use store::{Row, Tx, params};

/// Maximum providers of an account.
pub const PROVIDERS_MAX: usize = 50;

/// What a model is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Small questions of features.
    Utility,
    /// Describing images.
    Vision,
}

impl Use {
    const fn name(self) -> &'static str {
        match self {
            Use::Utility => "utility",
            Use::Vision => "vision",
        }
    }
}

/// A chosen model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its provider.
    pub provider_id: String,
    /// Its name there; may be empty for an engine's own default.
    pub model: String,
}

const PROVIDERS: &str = "SELECT provider_id, kind, name, url, key_place FROM model_providers WHERE account_id = $1";

fn read(row: &dyn Row) -> Result<Provider> {
    let place: String = row.get(4)?;
    Ok(Provider {
        id: row.get(0)?,
        // What a newer program wrote is at least an address.
        kind: Kind::named(row.get(1)?).unwrap_or(Kind::Compatible),
        name: row.get(2)?,
        url: row.get(3)?,
        key_place: (!place.is_empty()).then(|| Place::named(&place)),
    })
}

/// The account's providers, the oldest first.
pub fn providers(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Provider>> {
    tx.query(&format!("{PROVIDERS} ORDER BY created_ms, provider_id"), params![account], read)
}

/// A provider of the account. An error if there is none of this ID.
pub fn provider(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Provider> {
    tx.query_one(&format!("{PROVIDERS} AND provider_id = $2"), params![account, id], read)
}

fn place(provider: &Provider) -> &'static str {
    provider.key_place.map_or("", Place::name)
}

/// Stores a new provider.
pub fn insert_provider(tx: &mut Tx<'_>, account: &str, provider: &Provider, now_ms: i64) -> Result<()> {
    let sql = "INSERT INTO model_providers (account_id, provider_id, kind, name, url, key_place, created_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values =
        params![account, &provider.id, provider.kind.name(), &provider.name, &provider.url, place(provider), now_ms];
    tx.execute(sql, values).map(drop)
}

/// Stores a changed provider.
pub fn update_provider(tx: &mut Tx<'_>, account: &str, provider: &Provider) -> Result<()> {
    let sql =
        "UPDATE model_providers SET name = $3, url = $4, key_place = $5 WHERE account_id = $1 AND provider_id = $2";
    tx.execute(sql, params![account, &provider.id, &provider.name, &provider.url, place(provider)]).map(drop)
}

/// Deletes a provider, and its choices.
pub fn delete_provider(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    for table in ["model_choices", "model_providers"] {
        tx.execute(&format!("DELETE FROM {table} WHERE account_id = $1 AND provider_id = $2"), params![account, id])?;
    }
    Ok(())
}

/// The chosen model.
pub fn choice(tx: &mut Tx<'_>, account: &str, used_for: Use) -> Result<Option<Choice>> {
    let sql = "SELECT provider_id, model FROM model_choices WHERE account_id = $1 AND used_for = $2";
    tx.query_opt(sql, params![account, used_for.name()], |row| {
        Ok(Choice { provider_id: row.get(0)?, model: row.get(1)? })
    })
}

/// Chooses a model, or none.
pub fn choose(tx: &mut Tx<'_>, account: &str, used_for: Use, choice: Option<&Choice>) -> Result<()> {
    let Some(choice) = choice else {
        let sql = "DELETE FROM model_choices WHERE account_id = $1 AND used_for = $2";
        return tx.execute(sql, params![account, used_for.name()]).map(drop);
    };
    let sql = "INSERT INTO model_choices (account_id, used_for, provider_id, model) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (account_id, used_for) DO UPDATE SET provider_id = excluded.provider_id, model = excluded.model";
    tx.execute(sql, params![account, used_for.name(), &choice.provider_id, &choice.model]).map(drop)
}

/// Whether the account only uses models that cost nothing.
pub fn is_free_only(tx: &mut Tx<'_>, account: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM model_free_only WHERE account_id = $1";
    Ok(tx.query_opt(sql, params![account], |row| row.get::<i64>(0))?.is_some())
}

/// Sets that.
pub fn set_free_only(tx: &mut Tx<'_>, account: &str, is_on: bool) -> Result<()> {
    let sql = if is_on {
        "INSERT INTO model_free_only (account_id) VALUES ($1) ON CONFLICT (account_id) DO NOTHING"
    } else {
        "DELETE FROM model_free_only WHERE account_id = $1"
    };
    tx.execute(sql, params![account]).map(drop)
}

//! A hub's own texts of presets, as stored.

use super::Edited;
use kit::Result;
use store::{Tx, params};

/// The hub's own texts; none if it isn't a hub anymore.
pub(crate) fn edited(tx: &mut Tx<'_>, account: &str, hub: &str) -> Result<Edited> {
    let sql = "SELECT preset, text FROM hub_presets WHERE account_id = $1 AND hub_id = $2";
    Ok(tx.query(sql, params![account, hub], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
}

/// Deletes the presets of a removed hub.
pub(crate) fn delete_of_hub(tx: &mut Tx<'_>, account: &str, hub: &str) -> Result<()> {
    tx.execute("DELETE FROM hub_presets WHERE account_id = $1 AND hub_id = $2", params![account, hub]).map(drop)
}

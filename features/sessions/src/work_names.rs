//! Titles of sessions and names of hubs, for other features.

use futures_core::future::BoxFuture;
use kit::Result;
use kit::lookup::{NameWork, WorkTitles};
use std::collections::HashMap;
use store::{Db, Tx, params};

/// Finds them in the tables.
pub(crate) struct Names(pub(crate) Db);

impl NameWork for Names {
    fn titles(
        &self,
        account: &str,
        sessions: Vec<String>,
        hubs: Vec<String>,
    ) -> BoxFuture<'static, Result<WorkTitles>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            db.read(move |tx| {
                let session = "SELECT title FROM sessions WHERE account_id = $1 AND session_id = $2";
                let hub = "SELECT name FROM hubs WHERE account_id = $1 AND hub_id = $2";
                Ok(WorkTitles {
                    sessions: named(tx, session, &account, sessions)?,
                    hubs: named(tx, hub, &account, hubs)?,
                })
            })
            .await
        })
    }
}

fn named(tx: &mut Tx<'_>, sql: &str, account: &str, ids: Vec<String>) -> Result<HashMap<String, String>> {
    let mut names = HashMap::new();
    for id in ids {
        if let Some(name) = tx.query_opt(sql, params![account, &id], |row| row.get::<String>(0))? {
            names.insert(id, name);
        }
    }
    Ok(names)
}

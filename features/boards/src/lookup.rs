//! Tells other features which boards are the account's.

use futures_util::future::BoxFuture;
use kit::error::Result;
use kit::lookup::Lookup;
use store::{Db, params};

pub(crate) struct Boards(pub(crate) Db);

impl Lookup for Boards {
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            db.read(move |tx| {
                let mut missing = Vec::new();
                for id in ids {
                    let sql = "SELECT revision FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
                    if tx.query_opt(sql, params![&account, &id], |_| Ok(()))?.is_none() {
                        missing.push(id);
                    }
                }
                Ok(missing)
            })
            .await
        })
    }
}

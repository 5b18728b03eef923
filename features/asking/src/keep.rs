//! Stores values in the keychain or in files, and lists them in the database, so that neither has a value that the
//! other doesn't know.

use crate::errors::SECRETS_UNAVAILABLE;
use kit::ids::short_id;
use kit::{Ctx, Result, Secret};
use secrets::{Place, Sealer, Unkept, Vaults};
use std::sync::Arc;
use store::{HasDb, Tx, params};
use tokio::sync::{Mutex, watch};

/// Identifies a stored value: its kind, its session (empty for account secrets), and its name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub(crate) kind: &'static str,
    pub(crate) session: String,
    pub(crate) name: String,
}

/// Stores values, and notifies waiting callers of decisions.
pub(crate) struct Keeper {
    ctx: Ctx,
    vaults: Arc<Vaults>,
    /// One value is stored or deleted at a time, so a slot in use is never treated as unused.
    putting: Mutex<()>,
    /// Whether the program is closing. Each decision is sent as a change.
    decided: watch::Sender<bool>,
}

impl Keeper {
    pub(crate) fn new(ctx: Ctx, vaults: Arc<Vaults>) -> Keeper {
        Keeper { ctx, vaults, putting: Mutex::default(), decided: watch::Sender::new(false) }
    }

    /// Receives each decision from now on.
    pub(crate) fn decided(&self) -> watch::Receiver<bool> {
        self.decided.subscribe()
    }
    /// Notifies waiting callers of a decision.
    pub(crate) fn tell(&self) {
        self.decided.send_modify(|_| {});
    }
    /// Releases waiting callers: the program is closing.
    pub(crate) fn close(&self) {
        self.decided.send_replace(true);
    }
    pub(crate) fn is_closing(&self) -> bool {
        *self.decided.borrow()
    }

    pub(crate) fn db(&self) -> store::Db {
        self.ctx.db()
    }

    /// Seals a value that waits for a decision.
    pub(crate) async fn sealer(&self) -> Result<Sealer> {
        self.on_thread(|vaults| vaults.sealer()).await
    }

    /// Stores a value under a name, replacing the previous one. `check` decides whether it may be stored, and `write`
    /// adds rows to the same transaction. If either fails, nothing is stored.
    pub(crate) async fn keep(
        &self,
        account: &Arc<str>,
        named: Named,
        value: Secret,
        check: impl FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
        write: impl FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let _putting = self.putting.lock().await;
        self.ctx.db().read(check).await?;
        let slot = format!("{}-{}", named.name, short_id());
        let (owner, loose) = (account.clone(), slot.clone());
        self.ctx.db().write(move |tx| loosen(tx, &owner, (&loose, ""))).await?;
        let (owner, put) = (account.clone(), slot.clone());
        let place = self.on_thread(move |vaults| vaults.put(&owner, &put, &value)).await?;
        let (owner, now_ms) = (account.clone(), self.ctx.now_ms());
        let listed = move |tx: &mut Tx<'_>| {
            write(tx)?;
            list(tx, &owner, &named, (&slot, place), now_ms)
        };
        let kept = self.ctx.db().write(listed).await;
        // The previous value, or this one if it was rejected.
        if let Err(why) = self.forget_loose_locked().await {
            tracing::warn!("couldn't delete an unused value, retrying later: {why}");
        }
        kept
    }

    /// Deletes every value that no secret refers to.
    pub(crate) async fn forget_loose(&self) -> Result<()> {
        let _putting = self.putting.lock().await;
        self.forget_loose_locked().await
    }

    async fn forget_loose_locked(&self) -> Result<()> {
        let read = |tx: &mut Tx<'_>| {
            let sql = "SELECT account_id, slot, place FROM loose_slots ORDER BY account_id, slot";
            tx.query(sql, params![], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<String>(2)?)))
        };
        let mut last = Ok(());
        for (account, slot, place) in self.ctx.db().read(read).await? {
            let place = Some(place).filter(|name| !name.is_empty()).map(|name| Place::named(&name));
            let (of, which) = (account.clone(), slot.clone());
            // A value in an unavailable keychain doesn't block the others.
            if let Err(why) = self.on_thread(move |vaults| vaults.forget(place, &of, &which)).await {
                last = Err(why);
                continue;
            }
            let forget = move |tx: &mut Tx<'_>| {
                tx.execute("DELETE FROM loose_slots WHERE account_id = $1 AND slot = $2", params![&account, &slot])
            };
            self.ctx.db().write(forget).await?;
        }
        last
    }

    /// The value in a slot, if it exists.
    pub(crate) async fn value(&self, place: Place, account: &str, slot: &str) -> Result<Option<Secret>> {
        let (account, slot) = (account.to_owned(), slot.to_owned());
        self.on_thread(move |vaults| vaults.get(place, &account, &slot)).await
    }

    /// A keychain may wait for the user to unlock it.
    async fn on_thread<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Vaults) -> Result<T, Unkept> + Send + 'static,
    ) -> Result<T> {
        let vaults = self.vaults.clone();
        let done = tokio::task::spawn_blocking(move || run(&vaults)).await;
        done.map_err(|_| SECRETS_UNAVAILABLE.error("Pilothouse is closing."))?
            .map_err(|why| SECRETS_UNAVAILABLE.error(why.to_string()))
    }
}

/// The purpose that a proposed value is sealed for.
pub(crate) fn sealed_for<'a>(account: &'a str, ask_id: &'a str) -> [&'a str; 3] {
    ["ask", account, ask_id]
}

/// Records an unused slot, with the place of its value, or an empty one.
pub(crate) fn loosen(tx: &mut Tx<'_>, account: &str, (slot, place): (&str, &str)) -> Result<()> {
    let sql = "INSERT INTO loose_slots (account_id, slot, place) VALUES ($1, $2, $3)";
    tx.execute(sql, params![account, slot, place])?;
    Ok(())
}

/// Lists a stored value with its slot. The previous slot becomes unused.
fn list(tx: &mut Tx<'_>, account: &str, named: &Named, (slot, place): (&str, Place), now_ms: i64) -> Result<()> {
    let Named { kind, session, name } = named;
    let before = tx.query_opt(
        "SELECT secret_id, slot, place FROM kept_secrets WHERE account_id = $1 AND kind = $2 AND session_id = $3 AND name = $4",
        params![account, *kind, session, name],
        |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<String>(2)?)),
    )?;
    match before {
        Some((id, before, its_place)) => {
            tx.execute(
                "UPDATE kept_secrets SET slot = $3, place = $4, changed_ms = $5 WHERE account_id = $1 AND secret_id = $2",
                params![account, &id, slot, place.name(), now_ms],
            )?;
            loosen(tx, account, (&before, &its_place))?;
        }
        None => {
            tx.execute(
                "INSERT INTO kept_secrets (account_id, secret_id, kind, session_id, name, slot, place, created_ms, changed_ms) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
                params![account, short_id(), *kind, session, name, slot, place.name(), now_ms],
            )?;
        }
    }
    tx.execute("DELETE FROM loose_slots WHERE account_id = $1 AND slot = $2", params![account, slot])?;
    Ok(())
}

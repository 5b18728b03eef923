//! What formulas leave to compute behind a change: begun once the change is on disk, gone on with after a stop of the program.

use futures_util::future::BoxFuture;
use kit::Ctx;
use kit::error::Result;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Tx;
use tokio::runtime::Handle;

/// By account and board.
type Of = (String, String);

/// Starts the remaining work of a change from within its transaction.
#[derive(Clone)]
pub(crate) struct Behind {
    pub(crate) ctx: Ctx,
    /// Where it runs: the writer, which commits the change, has no runtime of its own.
    runtime: Option<Handle>,
}

impl Behind {
    pub(crate) fn new(ctx: &Ctx) -> Behind {
        Behind { ctx: ctx.clone(), runtime: Handle::try_current().ok() }
    }

    /// Computes the board's remaining formulas once the transaction is committed. On failure, the next change or start
    /// continues.
    pub(crate) fn follow(&self, tx: &mut Tx<'_>, account: &str, board_id: &str) {
        let (behind, of) = (self.clone(), (account.to_owned(), board_id.to_owned()));
        tx.after_commit(move || {
            let running = behind.ctx.find_service::<Running>();
            let (Some(runtime), Some(mut turn)) = (behind.runtime, running.and_then(|running| running.begin(of)))
            else {
                return;
            };
            let finish = turn.running.finish;
            runtime.spawn(async move {
                loop {
                    let (account, board_id) = turn.of.clone();
                    if let Err(error) = finish(behind.ctx.clone(), account, board_id).await {
                        tracing::warn!(error = ?error, "couldn't compute formula results");
                    }
                    if !turn.again() {
                        break;
                    }
                }
            });
        });
    }
}

/// Computes all that is left on a board of an account.
type Finish = fn(Ctx, String, String) -> BoxFuture<'static, Result<()>>;

/// The boards that are computed at this moment, so that each is by one task alone, however many changes come.
pub(crate) struct Running {
    boards: Mutex<HashMap<Of, bool>>,
    finish: Finish,
}

impl Running {
    pub(crate) fn new(finish: Finish) -> Running {
        Running { boards: Mutex::default(), finish }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Of, bool>> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any board is being computed.
    #[cfg(test)]
    pub(crate) fn is_any(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Locks a board; `None` if another task has the lock, which then checks again.
    fn begin(self: Arc<Self>, of: Of) -> Option<Turn> {
        let mut all = self.lock();
        if let Some(asked) = all.get_mut(&of) {
            *asked = true;
            return None;
        }
        all.insert(of.clone(), false);
        drop(all);
        Some(Turn { running: self, of, is_over: false })
    }
}

struct Turn {
    running: Arc<Running>,
    of: Of,
    is_over: bool,
}

impl Turn {
    /// Whether new work arrived; otherwise releases the lock.
    fn again(&mut self) -> bool {
        let mut all = self.running.lock();
        let asked = all.get_mut(&self.of).is_some_and(std::mem::take);
        if !asked {
            all.remove(&self.of);
            self.is_over = true;
        }
        asked
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_over {
            self.running.lock().remove(&self.of);
        }
    }
}

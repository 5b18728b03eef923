//! Somebody to see to the sockets while a thread of the runtime commits.
//!
//! A change is committed in the thread that asks for it, which may be the one that waits for all sockets as well. Handing
//! these over first wakes another thread, and that takes about as long as all else of a small change but the disk. So while
//! the disk is quick nothing is handed over, and this watches: where a commit takes longer after all, because the disk stands
//! still or another program holds a lock, it gives the runtime something to do, for which another thread wakes and takes the
//! sockets over.
//!
//! A thread that the runtime has put to sleep does not look after the sockets by itself when the one that did is busy. Only
//! one thread is ever kept like this, as there is one writer; a runtime with a single thread is not relieved, and hands over
//! first. Whatever the kept thread had woken in the same breath stays with it; what it had queued, others take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;
use tokio::runtime::Handle;

/// A commit that lasts from one look to the next is relieved: it has taken one to two times this by then. Where the last one
/// took this long, the next is not left to that.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(2);
/// After so many looks without a commit it sleeps until the next one, so that a program that rests wakes nobody.
const LOOKS_AFTER_COMMIT: u32 = 500;

/// Watches one writer, whose commits come one after another.
pub(crate) struct Relief {
    watch: Arc<Watch>,
    thread: Thread,
}

#[derive(Default)]
struct Watch {
    /// Raised as a commit begins and as it ends: odd while one is under way.
    turn: AtomicU64,
    is_asleep: AtomicBool,
    has_ended: AtomicBool,
}

/// A commit that is watched until this is dropped.
pub(crate) struct Watched<'a>(&'a Watch);

impl Relief {
    /// None where the runtime has no second thread that could take over, or the system starts no thread.
    pub(crate) fn new(runtime: Handle) -> Option<Relief> {
        if runtime.metrics().num_workers() < 2 {
            return None;
        }
        let watch = Arc::<Watch>::default();
        let watching = watch.clone();
        let started = thread::Builder::new().name("relief".into()).spawn(move || watching.run(&runtime));
        Some(Relief { watch, thread: started.ok()?.thread().clone() })
    }

    pub(crate) fn watch(&self) -> Watched<'_> {
        self.watch.turn.fetch_add(1, Ordering::SeqCst);
        if self.watch.is_asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
        Watched(&self.watch)
    }
}

impl Drop for Relief {
    fn drop(&mut self) {
        self.watch.has_ended.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.0.turn.fetch_add(1, Ordering::SeqCst);
    }
}

impl Watch {
    fn run(&self, runtime: &Handle) {
        let (mut seen, mut looks) = (0, 0);
        while !self.has_ended.load(Ordering::SeqCst) {
            let turn = self.turn.load(Ordering::SeqCst);
            looks = if turn == seen { looks + 1 } else { 0 };
            seen = turn;
            let is_committing = turn % 2 == 1;
            if is_committing && looks > 0 {
                runtime.spawn(std::future::ready(()));
            }
            if is_committing || looks < LOOKS_AFTER_COMMIT {
                thread::park_timeout(LOOK_EVERY);
                continue;
            }
            self.is_asleep.store(true, Ordering::SeqCst);
            // One that began before it could see this wakes nobody.
            if self.turn.load(Ordering::SeqCst) == seen && !self.has_ended.load(Ordering::SeqCst) {
                thread::park();
            }
            self.is_asleep.store(false, Ordering::SeqCst);
        }
    }
}

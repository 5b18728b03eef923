//! The places of connections. Where all are taken, the connection that has been open longest without showing a token makes
//! room for the next, so that who has no token keeps out nobody who has one.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

pub(crate) struct Seats {
    all: u32,
    free: Arc<Semaphore>,
    /// Counts connections up, so that an earlier one has a lower number.
    next: AtomicU64,
    /// Connections that have shown no token.
    strangers: Mutex<BTreeMap<u64, AbortHandle>>,
}

/// Room for one connection: a place, or one that another connection is leaving.
pub(crate) struct Room(Option<OwnedSemaphorePermit>);

/// What a connection has while it is open.
pub(crate) struct Seat {
    seats: Arc<Seats>,
    number: u64,
    known: AtomicBool,
}

impl Seats {
    pub(crate) fn new(all: usize) -> Arc<Seats> {
        let all = u32::try_from(all).unwrap_or(u32::MAX);
        Arc::new(Seats {
            all,
            free: Arc::new(Semaphore::new(all as usize)),
            next: AtomicU64::new(0),
            strangers: Mutex::default(),
        })
    }

    /// Room for one more; `None` where every connection has shown a token.
    pub(crate) fn room(&self) -> Option<Room> {
        if let Ok(place) = self.free.clone().try_acquire_owned() {
            return Some(Room(Some(place)));
        }
        let oldest = self.strangers.lock().expect("no panic while held").pop_first();
        oldest.map(|(_, stranger)| {
            stranger.abort();
            Room(None)
        })
    }

    /// Runs a connection in this room.
    pub(crate) fn run<F>(self: &Arc<Self>, room: Room, connection: impl FnOnce(Arc<Seat>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let seat = Arc::new(Seat { seats: self.clone(), number, known: AtomicBool::new(false) });
        let (free, running) = (self.free.clone(), connection(seat));
        // Held until the connection is listed: what it takes from the list must be there by then.
        let mut strangers = self.strangers.lock().expect("no panic while held");
        let task = tokio::spawn(async move {
            let _place = match room.0 {
                Some(place) => Ok(place),
                None => free.acquire_owned().await,
            };
            running.await;
        });
        strangers.insert(number, task.abort_handle());
    }

    /// Ends when every connection has.
    pub(crate) async fn emptied(&self) {
        let _ = self.free.acquire_many(self.all).await;
    }
}

impl Seat {
    /// The connection has shown a token: it stays.
    pub(crate) fn is_known(&self) {
        if !self.known.swap(true, Ordering::Relaxed) {
            self.seats.strangers.lock().expect("no panic while held").remove(&self.number);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.is_known();
    }
}

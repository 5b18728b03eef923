//! The places of connections. Where all are taken, one that has shown no token makes room for the next, so that who has no
//! token keeps out nobody who has one.
//!
//! Who goes is chosen under one lock, and a connection that is told to go ends itself, so that a token that it shows before
//! it does is not too late: another one goes in its stead. No connection is dropped under the lock, which its end takes.
//!
//! What is not promised: where more come than half of all places in the time that a client takes from opening to sending, it
//! may go before its token could be read, and has to ask again. Whoever waited for it would hold places for the flood.

use std::collections::BTreeMap;
use std::future::{Future, pending};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Time between two lines in the log about connections that had to make room.
const WARNED_EVERY: Duration = Duration::from_secs(60);

pub(crate) struct Seats {
    all: u32,
    free: Arc<Semaphore>,
    strangers: Mutex<Strangers>,
}

#[derive(Default)]
struct Strangers {
    /// Counts connections up, so that an earlier one has a lower number.
    next: u64,
    /// Connections that have shown no token and were not told to go.
    staying: BTreeMap<u64, Stranger>,
    warned_at: Option<Instant>,
}

struct Stranger {
    /// Whether a request of it is under way, or its answer.
    asks: bool,
    go: Arc<Notify>,
}

/// Room for one connection.
pub(crate) struct Room {
    seat: Arc<Seat>,
    /// `None` where another connection is leaving its own.
    place: Option<OwnedSemaphorePermit>,
    go: Arc<Notify>,
}

/// What a connection has while it is open.
pub(crate) struct Seat {
    seats: Arc<Seats>,
    number: u64,
    /// This and what follows is read and written by the connection alone.
    known: AtomicBool,
    /// Whether an answer is being made.
    answers: AtomicBool,
    /// As it is listed.
    asks: AtomicBool,
}

/// A request whose answer is being made; it is there when this is dropped, and then sent.
pub(crate) struct Asking<'a>(&'a Seat);

/// The stream of a connection; tells its seat when all that there was to send is on its way.
pub(crate) struct Seated {
    pub(crate) stream: TcpStream,
    pub(crate) seat: Arc<Seat>,
}

impl Strangers {
    /// Lists one more, and gives its number.
    fn add(&mut self, go: Arc<Notify>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.staying.insert(number, Stranger { asks: false, go });
        number
    }

    /// Takes out the one to be told to go: the earliest that asks nothing, or else the earliest. The later half is spared
    /// while there is an earlier one: it may have had no time to show its token yet.
    fn leaver(&mut self) -> Option<Arc<Notify>> {
        let earlier = self.staying.len().div_ceil(2);
        let silent = self.staying.iter().take(earlier).find(|(_, stranger)| !stranger.asks);
        let (&number, _) = silent.or(self.staying.first_key_value())?;
        self.staying.remove(&number).map(|stranger| stranger.go)
    }

    /// Whether it is time for another line in the log.
    fn warns(&mut self, now: Instant) -> bool {
        let is_time = self.warned_at.is_none_or(|last| now.duration_since(last) >= WARNED_EVERY);
        if is_time {
            self.warned_at = Some(now);
        }
        is_time
    }
}

impl Seats {
    pub(crate) fn new(all: usize) -> Arc<Seats> {
        let all = u32::try_from(all).unwrap_or(u32::MAX);
        Arc::new(Seats { all, free: Arc::new(Semaphore::new(all as usize)), strangers: Mutex::default() })
    }

    fn strangers(&self) -> MutexGuard<'_, Strangers> {
        self.strangers.lock().expect("no panic while held")
    }

    /// Room for one more; `None` where every connection has shown a token.
    pub(crate) fn room(self: &Arc<Self>) -> Option<Room> {
        let go = Arc::new(Notify::new());
        let (place, number, leaver) = {
            let mut strangers = self.strangers();
            let place = self.free.clone().try_acquire_owned().ok();
            let leaver = match place {
                Some(_) => None,
                None => Some((strangers.leaver()?, strangers.warns(Instant::now()))),
            };
            (place, strangers.add(go.clone()), leaver)
        };
        if let Some((leaver, warns)) = leaver {
            leaver.notify_one();
            if warns {
                tracing::warn!(
                    "all {} connections are open: those without a token are closed to make room; something may be opening \
                     them without end",
                    self.all
                );
            }
        }
        let [known, answers, asks] = [false; 3].map(AtomicBool::new);
        let seat = Arc::new(Seat { seats: self.clone(), number, known, answers, asks });
        Some(Room { seat, place, go })
    }

    /// Ends when every connection has.
    pub(crate) async fn emptied(&self) {
        let _ = self.free.acquire_many(self.all).await;
    }
}

impl Room {
    /// Runs a connection in this room.
    pub(crate) fn run<F>(self, connection: impl FnOnce(Arc<Seat>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Room { seat, place, go } = self;
        let running = connection(seat.clone());
        tokio::spawn(async move {
            // Dropped from the last to the first: the seat is off the list before another has the place, or it could be told
            // to go in the stead of one that is there.
            let mut place = place;
            let seat = seat;
            let stays = async {
                if place.is_none() {
                    place = seat.seats.free.clone().acquire_owned().await.ok();
                }
                running.await;
            };
            let goes = async {
                go.notified().await;
                if seat.known.load(Ordering::Relaxed) {
                    pending().await
                }
            };
            // What has arrived is looked at first: it may be a token.
            tokio::select! { biased; () = stays => {}, () = goes => {} }
        });
    }
}

impl Seat {
    /// The connection has shown a token: it stays.
    pub(crate) fn is_known(&self) {
        if self.known.swap(true, Ordering::Relaxed) {
            return;
        }
        let leaver = {
            let mut strangers = self.seats.strangers();
            match strangers.staying.remove(&self.number) {
                Some(_) => None,
                None => strangers.leaver(),
            }
        };
        if let Some(leaver) = leaver {
            leaver.notify_one();
        }
    }

    /// A request begins.
    pub(crate) fn asks(&self) -> Asking<'_> {
        self.answers.store(true, Ordering::Relaxed);
        self.set_asks(true);
        Asking(self)
    }

    /// What there was to send is on its way.
    fn has_sent(&self) {
        if self.asks.load(Ordering::Relaxed) && !self.answers.load(Ordering::Relaxed) {
            self.set_asks(false);
        }
    }

    fn set_asks(&self, asks: bool) {
        self.asks.store(asks, Ordering::Relaxed);
        if !self.known.load(Ordering::Relaxed)
            && let Some(stranger) = self.seats.strangers().staying.get_mut(&self.number)
        {
            stranger.asks = asks;
        }
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.answers.store(false, Ordering::Relaxed);
    }
}

impl AsyncRead for Seated {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Seated {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
    // Asked for once nothing is left to write.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.seat.has_sent();
        Poll::Ready(Ok(()))
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if !self.known.load(Ordering::Relaxed) {
            self.seats.strangers().staying.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Wake;
    use tokio::sync::oneshot;

    /// A connection that waits, for ever where it is not told to go.
    struct Open {
        seat: Arc<Seat>,
        /// Ends with it.
        gone: oneshot::Receiver<()>,
    }

    impl Open {
        fn stays(&mut self) -> bool {
            self.gone.try_recv() == Err(oneshot::error::TryRecvError::Empty)
        }
    }

    /// Opens one more, which may wait for its place.
    fn begin(seats: &Arc<Seats>) -> Option<(oneshot::Receiver<Arc<Seat>>, oneshot::Receiver<()>)> {
        let (hand, handed) = oneshot::channel();
        let (going, gone) = oneshot::channel();
        seats.room()?.run(|seat| async move {
            let _going = going;
            let _ = hand.send(seat);
            pending().await
        });
        Some((handed, gone))
    }

    async fn open(seats: &Arc<Seats>) -> Open {
        let (handed, gone) = begin(seats).expect("room");
        Open { seat: handed.await.expect("a place"), gone }
    }

    #[tokio::test]
    async fn who_shows_a_token_when_told_to_go_stays_and_another_goes() {
        let seats = Seats::new(2);
        let (mut first, second) = (open(&seats).await, open(&seats).await);
        let (third, _gone) = begin(&seats).expect("room");
        // The first was told to go and has not been run since.
        first.seat.is_known();
        let third = third.await.expect("a place");
        second.gone.await.expect_err("it goes");
        assert!(first.stays());
        third.is_known();
        assert!(begin(&seats).is_none());
    }

    #[tokio::test]
    async fn the_next_goes_itself_where_all_others_are_known_by_then() {
        let seats = Seats::new(1);
        let mut only = open(&seats).await;
        let (next, next_gone) = begin(&seats).expect("room");
        only.seat.is_known();
        assert!(next.await.is_err(), "it never has a place");
        next_gone.await.expect_err("it goes");
        assert!(only.stays() && begin(&seats).is_none());
    }

    #[tokio::test]
    async fn who_asks_nothing_goes_first_but_none_of_the_later_half() {
        for (asking, goes) in [(vec![], 0), (vec![0], 1), (vec![1], 0), (vec![0, 1], 0)] {
            let seats = Seats::new(3);
            let mut opened = [open(&seats).await, open(&seats).await, open(&seats).await];
            let held = opened.each_ref().map(|open| open.seat.clone());
            let _asking: Vec<_> = asking.iter().map(|&number: &usize| held[number].asks()).collect();
            drop(held[2].asks());
            held[2].has_sent();
            open(&seats).await;
            let stay = opened.each_mut().map(Open::stays);
            assert_eq!(stay, [0, 1, 2].map(|number| number != goes), "{asking:?}");
        }
    }

    /// Notes how many are listed when it is woken.
    struct Looks(Arc<Seats>, Mutex<Option<usize>>);

    impl Wake for Looks {
        fn wake(self: Arc<Self>) {
            let listed = self.0.strangers().staying.len();
            *self.1.lock().unwrap() = Some(listed);
        }
    }

    #[tokio::test]
    async fn who_left_is_listed_no_more_when_its_place_is_free() {
        let seats = Seats::new(1);
        let (end, ended) = oneshot::channel::<()>();
        seats.room().expect("room").run(|seat| async move {
            let _ = ended.await;
            drop(seat);
        });
        let looks = Arc::new(Looks(seats.clone(), Mutex::default()));
        let mut next = Box::pin(seats.free.clone().acquire_owned());
        assert!(next.as_mut().poll(&mut Context::from_waker(&looks.clone().into())).is_pending());
        end.send(()).unwrap();
        while looks.1.lock().unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(*looks.1.lock().unwrap(), Some(0));
    }

    #[test]
    fn a_connection_that_comes_as_the_program_ends_leaves_its_place() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let handle = runtime.handle().clone();
        drop(runtime);
        let _entered = handle.enter();
        let seats = Seats::new(1);
        assert!(begin(&seats).is_some());
        assert_eq!((seats.free.available_permits(), seats.strangers().staying.len()), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_one_line_a_minute_in_the_log() {
        let mut strangers = Strangers::default();
        for (seconds, warns) in [(0, true), (0, false), (59, false), (1, true), (1, false)] {
            tokio::time::advance(Duration::from_secs(seconds)).await;
            assert_eq!(strangers.warns(Instant::now()), warns);
        }
    }
}

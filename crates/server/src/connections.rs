//! The connection pool. When it is full, a new connection evicts another, so that flooding the server locks nobody out:
//! - first one without a token, so that a flood without tokens never evicts a connection with one;
//! - then one of the account with the most connections. Those of agents and members go before those of the owner and the command
//!   line, and idle ones before busy ones. A busy connection of the owner of the only account stays.
//!
//! The connections of a token are limited, and so are those of all agents and members of an account together: the rest is for
//! the owner and the command line.
//!
//! The connection to evict is chosen under one lock and then ends itself, so that a token that it shows before that isn't too
//! late: another one is evicted instead. No connection is dropped under the lock, because its drop takes the lock.
//!
//! Not guaranteed: when more than half of the pool's limit connects in the time that a client takes from connecting to sending,
//! the client can be evicted before its token is read, and has to retry. Waiting for it would hold connections for the flood.

use crate::codes;
use crate::limits::Limits;
use kit::{Caller, Kind, Result};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
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

/// The open connections of the server, up to their limit.
pub(crate) struct ConnectionPool {
    all: u32,
    /// Places of one token at once.
    token_max: usize,
    /// Places of the agents and members of one account at once.
    guests_max: usize,
    free: Arc<Semaphore>,
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    /// Counts connections up, so that an earlier one has a lower number.
    next: u64,
    /// Connections that are not being evicted.
    staying: BTreeMap<u64, Listed>,
    warned_at: Option<Instant>,
}

struct Listed {
    standing: Arc<Standing>,
    /// Whose token it has shown first; `None` where it has shown none.
    holder: Option<Holder>,
}

/// The token and account that a connection counts for.
#[derive(Clone)]
struct Holder {
    token: Arc<str>,
    account: Arc<str>,
    /// A token that the owner gave to somebody: an agent's or a member's.
    is_guest: bool,
}

impl Holder {
    fn new(caller: &Caller) -> Holder {
        let is_guest = !matches!(caller.kind, Kind::Owner | Kind::Cli);
        Holder { token: caller.token_id.clone(), account: caller.account.clone(), is_guest }
    }
}

/// State shared by a connection and the list.
#[derive(Default)]
struct Standing {
    /// Whether a request of it is under way, or its answer.
    asks: AtomicBool,
    /// Whether it's evicted although it has shown a token.
    is_evicted: AtomicBool,
    evict: Notify,
}

impl Standing {
    fn evict(&self) {
        self.evict.notify_one();
    }
}

/// The right to open one connection.
pub(crate) struct ConnectionPermit {
    connection: Arc<Connection>,
    /// `None` where another connection is leaving its own.
    slot: Option<OwnedSemaphorePermit>,
}

/// An open connection, as the pool counts it.
pub(crate) struct Connection {
    pool: Arc<ConnectionPool>,
    number: u64,
    standing: Arc<Standing>,
    /// This and what follows is read and written by the connection alone.
    known: AtomicBool,
    /// Whether an answer is being made.
    answers: AtomicBool,
}

/// A request in progress. When it is dropped, the answer is ready to send.
pub(crate) struct ActiveRequest(Arc<Connection>);

/// The stream of a connection. Tells the connection when everything was sent.
pub(crate) struct ConnectionStream {
    pub(crate) stream: TcpStream,
    pub(crate) connection: Arc<Connection>,
}

impl List {
    /// Lists one more, and gives its number.
    fn add(&mut self, standing: Arc<Standing>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.staying.insert(number, Listed { standing, holder: None });
        number
    }

    /// Picks and unlists the connection to evict, other than `spared`.
    fn pick_evicted(&mut self, spared: Option<u64>) -> Option<Arc<Standing>> {
        let number = self.pick_without_token().or_else(|| self.pick_from_fullest_account(spared))?;
        let left = self.staying.remove(&number)?;
        left.standing.is_evicted.store(left.holder.is_some(), Ordering::Relaxed);
        Some(left.standing)
    }

    /// The earliest without a token that asks nothing, or else the earliest. The later half is spared while there is an
    /// earlier one: it may have had no time to show its token yet.
    fn pick_without_token(&self) -> Option<u64> {
        let strangers: Vec<_> = self.staying.iter().filter(|(_, listed)| listed.holder.is_none()).collect();
        let earlier = strangers.len().div_ceil(2);
        let silent = strangers.iter().take(earlier).find(|(_, listed)| !listed.standing.asks.load(Ordering::Relaxed));
        silent.or(strangers.first()).map(|(number, _)| **number)
    }

    /// The one that the account with the most connections can do without best.
    fn pick_from_fullest_account(&self, spared: Option<u64>) -> Option<u64> {
        let mut by_account: HashMap<&str, usize> = HashMap::new();
        for holder in self.holders() {
            *by_account.entry(&holder.account).or_default() += 1;
        }
        let is_only = by_account.len() == 1;
        let ranked = self.staying.iter().filter_map(|(number, listed)| {
            let holder = listed.holder.as_ref().filter(|_| Some(*number) != spared)?;
            let asks = listed.standing.asks.load(Ordering::Relaxed);
            // Nobody but the owner of everything has a right to all places.
            let stays = is_only && !holder.is_guest && asks;
            (!stays).then_some((Reverse(by_account[&*holder.account]), !holder.is_guest, asks, *number))
        });
        ranked.min().map(|(.., number)| number)
    }

    fn holders(&self) -> impl Iterator<Item = &Holder> {
        self.staying.values().filter_map(|listed| listed.holder.as_ref())
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

impl ConnectionPool {
    pub(crate) fn new(limits: &Limits) -> Arc<ConnectionPool> {
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        Arc::new(ConnectionPool {
            all,
            token_max: limits.token_connections,
            guests_max: limits.guest_connections,
            free: Arc::new(Semaphore::new(all as usize)),
            list: Mutex::default(),
        })
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().expect("the lock isn't poisoned")
    }

    /// Evicts a connection for a new one. `None` if none can be evicted.
    pub(crate) fn permit(self: &Arc<Self>) -> Option<ConnectionPermit> {
        let standing = Arc::new(Standing::default());
        let (slot, number, evicted) = {
            let mut list = self.list();
            let slot = self.free.clone().try_acquire_owned().ok();
            let evicted = match slot {
                Some(_) => None,
                None => Some((list.pick_evicted(None)?, list.warns(Instant::now()))),
            };
            (slot, list.add(standing.clone()), evicted)
        };
        if let Some((evicted, warns)) = evicted {
            evicted.evict();
            if warns {
                tracing::warn!(
                    "All {} connections are open. Connections without a token are closed first, then those of the account \
                     with the most.",
                    self.all
                );
            }
        }
        let [known, answers] = [false; 2].map(AtomicBool::new);
        let connection = Arc::new(Connection { pool: self.clone(), number, standing, known, answers });
        Some(ConnectionPermit { connection, slot })
    }

    /// Ends when every connection has.
    pub(crate) async fn emptied(&self) {
        let _ = self.free.acquire_many(self.all).await;
    }
}

impl ConnectionPermit {
    /// Serves a connection with this permit.
    pub(crate) fn run<F>(self, serve: impl FnOnce(Arc<Connection>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let ConnectionPermit { connection, slot } = self;
        let running = serve(connection.clone());
        tokio::spawn(async move {
            // Dropped from the last to the first: the seat is off the list before another has the place, or it could be told
            // to go in the stead of one that is there.
            let mut slot = slot;
            let connection = connection;
            let stays = async {
                if slot.is_none() {
                    slot = connection.pool.free.clone().acquire_owned().await.ok();
                }
                running.await;
            };
            let evicted = async {
                loop {
                    connection.standing.evict.notified().await;
                    if !connection.known.load(Ordering::Relaxed)
                        || connection.standing.is_evicted.load(Ordering::Relaxed)
                    {
                        break;
                    }
                }
            };
            // What has arrived is looked at first: it may be a token.
            tokio::select! { biased; () = stays => {}, () = evicted => {} }
        });
    }
}

impl Connection {
    /// The connection has shown a token. It counts for the first one that it shows, and stays where that may have one more.
    pub(crate) fn is_known(&self, caller: &Caller) -> Result<()> {
        if self.known.load(Ordering::Relaxed) {
            return Ok(());
        }
        let holder = Holder::new(caller);
        let evicted = {
            let mut list = self.pool.list();
            self.pool.expect_capacity_for(&list, &holder)?;
            let listed = Listed { standing: self.standing.clone(), holder: Some(holder) };
            match list.staying.insert(self.number, listed) {
                Some(_) => None,
                None => list.pick_evicted(Some(self.number)),
            }
        };
        self.known.store(true, Ordering::Relaxed);
        if let Some(evicted) = evicted {
            evicted.evict();
        }
        Ok(())
    }

    /// A request begins.
    pub(crate) fn asks(self: &Arc<Self>) -> ActiveRequest {
        self.answers.store(true, Ordering::Relaxed);
        self.standing.asks.store(true, Ordering::Relaxed);
        ActiveRequest(self.clone())
    }

    /// What there was to send is on its way.
    fn has_sent(&self) {
        if !self.answers.load(Ordering::Relaxed) {
            self.standing.asks.store(false, Ordering::Relaxed);
        }
    }
}

impl ConnectionPool {
    /// Says which limit a token has reached, where it has.
    fn expect_capacity_for(&self, list: &List, holder: &Holder) -> Result<()> {
        let full = |who: &str, max: usize| {
            let detail = format!("{who} already has {max} open connections. Close some, then try again.");
            Err(codes::CONNECTIONS_OF_TOKEN.error(detail).retry_after(1))
        };
        if list.holders().filter(|other| other.token == holder.token).count() >= self.token_max {
            return full("This token", self.token_max);
        }
        let guests = || list.holders().filter(|other| other.is_guest && other.account == holder.account).count();
        if holder.is_guest && guests() >= self.guests_max {
            return full("The agents and members of this account together", self.guests_max);
        }
        Ok(())
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.answers.store(false, Ordering::Relaxed);
    }
}

impl AsyncRead for ConnectionStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for ConnectionStream {
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
        self.connection.has_sent();
        Poll::Ready(Ok(()))
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.pool.list().staying.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::task::Wake;
    use tokio::sync::oneshot;

    /// A connection that waits, for ever where it is not told to go.
    struct Open {
        connection: Arc<Connection>,
        /// Ends with it.
        gone: oneshot::Receiver<()>,
    }

    impl Open {
        fn stays(&mut self) -> bool {
            self.gone.try_recv() == Err(oneshot::error::TryRecvError::Empty)
        }
    }

    fn caller(kind: Kind, account: &str, token: &str) -> Caller {
        Caller { token_id: token.into(), ..Caller::new(kind, account, token) }
    }

    fn pool(connections: usize) -> Arc<ConnectionPool> {
        ConnectionPool::new(&Limits { connections, ..Limits::default() })
    }

    impl Open {
        /// Shows a token of the owner.
        fn is_known(&self) {
            self.shows(Kind::Owner, "a", "owner").expect("below the limits")
        }
        fn shows(&self, kind: Kind, account: &str, token: &str) -> Result<()> {
            self.connection.is_known(&caller(kind, account, token))
        }
    }

    /// Opens one more, which may wait for its place.
    fn begin(pool: &Arc<ConnectionPool>) -> Option<(oneshot::Receiver<Arc<Connection>>, oneshot::Receiver<()>)> {
        let (hand, handed) = oneshot::channel();
        let (going, gone) = oneshot::channel();
        pool.permit()?.run(|connection| async move {
            let _going = going;
            let _ = hand.send(connection);
            pending().await
        });
        Some((handed, gone))
    }

    async fn open(pool: &Arc<ConnectionPool>) -> Open {
        let (handed, gone) = begin(pool).expect("room");
        Open { connection: handed.await.expect("a place"), gone }
    }

    #[tokio::test]
    async fn who_shows_a_token_when_told_to_go_stays_and_another_goes() {
        let pool = pool(2);
        let (mut first, second) = (open(&pool).await, open(&pool).await);
        let (third, _gone) = begin(&pool).expect("room");
        // The first was told to go and has not been run since.
        first.is_known();
        let third = third.await.expect("a place");
        second.gone.await.expect_err("it goes");
        assert!(first.stays());
        third.is_known(&caller(Kind::Owner, "a", "owner")).expect("below the limits");
        let _busy = (first.connection.asks(), third.asks());
        assert!(begin(&pool).is_none());
    }

    #[tokio::test]
    async fn the_next_goes_itself_where_all_others_are_known_by_then() {
        let pool = pool(1);
        let mut only = open(&pool).await;
        let (next, next_gone) = begin(&pool).expect("room");
        only.is_known();
        let _busy = only.connection.asks();
        assert!(next.await.is_err(), "it never has a place");
        next_gone.await.expect_err("it goes");
        assert!(only.stays() && begin(&pool).is_none());
    }

    #[tokio::test]
    async fn who_asks_nothing_goes_first_but_none_of_the_later_half() {
        for (asking, evicted) in [(vec![], 0), (vec![0], 1), (vec![1], 0), (vec![0, 1], 0)] {
            let pool = pool(3);
            let mut opened = [open(&pool).await, open(&pool).await, open(&pool).await];
            let held = opened.each_ref().map(|open| open.connection.clone());
            let _asking: Vec<_> = asking.iter().map(|&number: &usize| held[number].asks()).collect();
            drop(held[2].asks());
            held[2].has_sent();
            open(&pool).await;
            let stay = opened.each_mut().map(Open::stays);
            assert_eq!(stay, [0, 1, 2].map(|number| number != evicted), "{asking:?}");
        }
    }

    /// Notes how many are listed when it is woken.
    struct Looks(Arc<ConnectionPool>, Mutex<Option<usize>>);

    impl Wake for Looks {
        fn wake(self: Arc<Self>) {
            let listed = self.0.list().staying.len();
            *self.1.lock().unwrap() = Some(listed);
        }
    }

    #[tokio::test]
    async fn who_left_is_listed_no_more_when_its_place_is_free() {
        let pool = pool(1);
        let (end, ended) = oneshot::channel::<()>();
        pool.permit().expect("room").run(|connection| async move {
            let _ = ended.await;
            drop(connection);
        });
        let looks = Arc::new(Looks(pool.clone(), Mutex::default()));
        let mut next = Box::pin(pool.free.clone().acquire_owned());
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
        let pool = pool(1);
        assert!(begin(&pool).is_some());
        assert_eq!((pool.free.available_permits(), pool.list().staying.len()), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_one_line_a_minute_in_the_log() {
        let mut list = List::default();
        for (seconds, warns) in [(0, true), (0, false), (59, false), (1, true), (1, false)] {
            tokio::time::advance(Duration::from_secs(seconds)).await;
            assert_eq!(list.warns(Instant::now()), warns);
        }
    }
}

//! Time, handed in.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use kit::Clock;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A future that may be kept.
pub type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Waits.
pub trait Sleep: Send + Sync {
    /// Is done after so long.
    fn sleep(&self, how_long: Duration) -> Boxed<()>;
}

/// Waits in real time.
pub struct RealSleep;

impl Sleep for RealSleep {
    fn sleep(&self, how_long: Duration) -> Boxed<()> {
        Box::pin(tokio::time::sleep(how_long))
    }
}

/// What connections know of time.
#[derive(Clone)]
pub struct World {
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// In which zone engines say when a limit ends.
    pub zone: TimeZone,
    /// How to wait.
    pub sleep: Arc<dyn Sleep>,
}

impl World {
    /// The machine's time.
    pub fn real() -> World {
        World { clock: Arc::new(kit::clock::SystemClock), zone: TimeZone::system(), sleep: Arc::new(RealSleep) }
    }

    /// The time.
    pub fn now(&self) -> Zoned {
        Timestamp::from_millisecond(self.clock.now_ms()).unwrap_or_default().to_zoned(self.zone.clone())
    }
}

//! Counts each token's open requests and rate of changes.

use crate::limits::Limits;
use kit::{Caller, Kind, Result, error};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::time::Instant;

/// Maximum number of remembered tokens, after which idle ones are removed.
const REMEMBERED_MAX: usize = 1024;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Use {
    Read,
    Write,
    Stream,
}

struct Meter {
    in_flight: usize,
    streams: usize,
    writes_left: f64,
    counted_at: Instant,
}

pub(crate) struct Meters {
    tokens: Mutex<HashMap<Arc<str>, Meter>>,
    in_flight_max: usize,
    streams_max: usize,
    writes_per_second: f64,
    writes_burst: f64,
}

/// A request in progress. Ends when dropped.
pub(crate) struct Permit {
    meters: Arc<Meters>,
    token_id: Arc<str>,
    stream: bool,
}

impl Meters {
    pub(crate) fn new(limits: &Limits) -> Arc<Meters> {
        Arc::new(Meters {
            tokens: Mutex::default(),
            in_flight_max: limits.in_flight,
            streams_max: limits.streams,
            writes_per_second: limits.writes_per_second,
            writes_burst: limits.writes_burst,
        })
    }

    /// Begins a request, or returns the limit that its token has reached. Callers without a token aren't counted: they
    /// would share one count, and a flood by one of them would keep the owner from signing in.
    pub(crate) fn begin(self: &Arc<Self>, caller: &Caller, to: Use) -> Result<Permit> {
        if caller.kind == Kind::Public {
            return Ok(Permit { meters: self.clone(), token_id: caller.token_id.clone(), stream: false });
        }
        let now = Instant::now();
        let mut tokens = self.tokens.lock().expect("the lock isn't poisoned");
        if tokens.len() > REMEMBERED_MAX {
            tokens.retain(|_, m| m.in_flight + m.streams > 0 || self.refilled(m, now) < self.writes_burst);
        }
        let meter = tokens.entry(caller.token_id.clone()).or_insert_with(|| Meter {
            in_flight: 0,
            streams: 0,
            writes_left: self.writes_burst,
            counted_at: now,
        });
        let too_many = |what: String| Err(error::TOO_MANY.error(what).retry_after(1));
        match to {
            Use::Stream if meter.streams >= self.streams_max => {
                return too_many(format!("This token has {} event streams open. Close one.", self.streams_max));
            }
            Use::Read | Use::Write if meter.in_flight >= self.in_flight_max => {
                return too_many(format!(
                    "This token has {} requests in progress. Wait for one to end.",
                    self.in_flight_max
                ));
            }
            _ => {}
        }
        if to == Use::Write && caller.kind != Kind::Owner {
            meter.writes_left = self.refilled(meter, now);
            meter.counted_at = now;
            if meter.writes_left < 1.0 {
                return too_many(format!("This token can make {} changes per second.", self.writes_per_second));
            }
            meter.writes_left -= 1.0;
        }
        let stream = to == Use::Stream;
        *(if stream { &mut meter.streams } else { &mut meter.in_flight }) += 1;
        Ok(Permit { meters: self.clone(), token_id: caller.token_id.clone(), stream })
    }

    fn refilled(&self, meter: &Meter, now: Instant) -> f64 {
        let seconds = now.duration_since(meter.counted_at).as_secs_f64();
        (meter.writes_left + seconds * self.writes_per_second).min(self.writes_burst)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut tokens = self.meters.tokens.lock().expect("the lock isn't poisoned");
        if let Some(meter) = tokens.get_mut(&self.token_id) {
            *(if self.stream { &mut meter.streams } else { &mut meter.in_flight }) -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(kind: Kind) -> Caller {
        Caller::new(kind, "account-1", kind.name())
    }

    #[tokio::test(start_paused = true)]
    async fn changes_refill_and_the_owner_is_exempt() {
        let meters = Meters::new(&Limits { writes_per_second: 2.0, writes_burst: 3.0, ..Limits::default() });
        let write = |kind| meters.begin(&caller(kind), Use::Write).map(drop);
        for _ in 0..3 {
            write(Kind::Cli).expect("within the burst");
        }
        let refusal = write(Kind::Cli).expect_err("over the burst");
        assert_eq!((refusal.code().status, refusal.retry_after_s()), (429, Some(1)));
        write(Kind::Agent).expect("another token");
        for _ in 0..20 {
            write(Kind::Owner).expect("the owner is exempt");
        }
        tokio::time::advance(std::time::Duration::from_millis(500)).await;
        write(Kind::Cli).expect("one more after half a second");
        assert!(write(Kind::Cli).is_err());
    }

    #[tokio::test]
    async fn requests_and_streams_are_counted_apart_and_given_back() {
        let meters = Meters::new(&Limits { in_flight: 2, streams: 1, ..Limits::default() });
        let begin = |to| meters.begin(&caller(Kind::Cli), to);
        let held = (begin(Use::Read).unwrap(), begin(Use::Write).unwrap(), begin(Use::Stream).unwrap());
        assert!(begin(Use::Read).is_err() && begin(Use::Stream).is_err());
        drop(held);
        assert!(begin(Use::Read).is_ok() && begin(Use::Stream).is_ok());
    }
}

//! Limits of sizes, times, and counts, in one value of [`Limits`], so that tests can shorten the times.

use std::ops::Range;
use std::time::Duration;

/// Limits of the server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a request's head.
    pub head_bytes: usize,
    /// Headers of a request.
    pub headers: usize,
    /// Time for the head to arrive; an idle connection is closed after it.
    pub head_time: Duration,
    /// Time for a whole JSON body to arrive.
    pub body_time: Duration,
    /// Time without a byte of a file.
    pub upload_idle_time: Duration,
    /// Bytes of a rejected body that are received and discarded, so that the error reaches the caller.
    pub refused_bytes: usize,
    /// Time for that.
    pub refused_time: Duration,
    /// Time without a byte of a response being read.
    pub unread_time: Duration,
    /// Maximum connections. A further one evicts another.
    pub connections: usize,
    /// Maximum connections of one token.
    pub token_connections: usize,
    /// Maximum connections of an account's agents and members. The rest is for its owner and command line.
    pub guest_connections: usize,
    /// Maximum concurrent requests of one token, without event streams.
    pub in_flight: usize,
    /// Maximum event streams of one token.
    pub streams: usize,
    /// Delay of the response to an unknown token.
    pub unknown_token_delay: Range<Duration>,
    /// Changes per second and token (the owner's page is exempt).
    pub writes_per_second: f64,
    /// Changes that a token can make at once after a pause.
    pub writes_burst: f64,
    /// Time between the heartbeats of an event stream.
    pub heartbeat: Duration,
    /// Time for open requests to end at shut-down.
    pub shutdown_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            head_bytes: 16 * 1024,
            headers: 64,
            head_time: Duration::from_secs(5),
            body_time: Duration::from_secs(10),
            upload_idle_time: Duration::from_secs(10),
            refused_bytes: 16 * 1024 * 1024,
            refused_time: Duration::from_secs(3),
            unread_time: Duration::from_secs(30),
            connections: 256,
            token_connections: 32,
            guest_connections: 128,
            in_flight: 32,
            streams: 16,
            unknown_token_delay: Duration::from_millis(100)..Duration::from_millis(200),
            writes_per_second: 50.0,
            writes_burst: 100.0,
            heartbeat: Duration::from_secs(15),
            shutdown_time: Duration::from_secs(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scripts rely on these numbers, and the texts of codes and the decisions mention them.
    #[test]
    fn the_limits_are_those_that_were_promised() {
        let seconds = Duration::from_secs;
        let limits = Limits::default();
        assert_eq!((limits.head_bytes, limits.headers), (16 * 1024, 64));
        assert!((seconds(3)..=seconds(5)).contains(&limits.head_time), "{:?}", limits.head_time);
        assert_eq!((limits.body_time, limits.upload_idle_time), (seconds(10), seconds(10)));
        assert_eq!((limits.refused_bytes, limits.refused_time), (16 * 1024 * 1024, seconds(3)));
        assert_eq!((limits.connections, limits.token_connections, limits.guest_connections), (256, 32, 128));
        assert_eq!((limits.in_flight, limits.streams), (32, 16));
        assert_eq!(limits.unknown_token_delay, Duration::from_millis(100)..Duration::from_millis(200));
        assert_eq!((limits.writes_per_second, limits.writes_burst), (50.0, 100.0));
        assert_eq!(
            (limits.unread_time, limits.heartbeat, limits.shutdown_time),
            (seconds(30), seconds(15), seconds(5))
        );
    }
}

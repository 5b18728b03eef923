//! Why a request has no answer.

use std::fmt;
use std::time::Duration;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The address isn't one of the web.
    Address,
    /// The address leads into a private network, but comes from content.
    Private,
    /// The server can't be reached.
    Unreachable(String),
    /// No complete answer within the time.
    TimedOut(Duration),
    /// The answer exceeds this many bytes.
    TooLarge(usize),
    /// The server sent the request elsewhere: to this host.
    Redirected(String),
    /// Redirected too often.
    Redirects,
    /// The connection broke off.
    Interrupted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Address => f.write_str("The address isn't valid. It begins with http:// or https://."),
            Failure::Private => f.write_str("The address is in a private network"),
            Failure::Unreachable(host) => write!(f, "Can't reach {host}"),
            Failure::TimedOut(time) => write!(f, "No answer within {} seconds", time.as_secs()),
            Failure::TooLarge(bytes) => write!(f, "The answer is larger than {} KB", bytes / 1000),
            Failure::Redirected(host) => write!(f, "The server redirects to {host}. Enter the final address."),
            Failure::Redirects => f.write_str("The server redirects too often"),
            Failure::Interrupted => f.write_str("The connection was interrupted"),
        }
    }
}

impl Failure {
    /// Whether the request can't have had an effect: it never arrived.
    pub const fn never_arrived(&self) -> bool {
        matches!(self, Failure::Address | Failure::Private | Failure::Unreachable(_))
    }
}

//! Lines of bounded length out of a stream that is not trusted.

use memchr::memchr;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest line that is read. Pictures travel inside of lines, in base64.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// What comes next out of the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line that is longer than may be; nothing is read after it.
    TooLong,
    /// The stream has ended, or broke.
    End,
}

/// Bytes that are read at a time, and that a connection holds for it.
const READ_BYTES: usize = 16 << 10;

/// Reads line by line. A read that is given up loses nothing: the next one goes on with it.
pub struct Lines<R> {
    from: BufReader<R>,
    /// The beginning of a line whose end has not come yet.
    begun: Vec<u8>,
    bytes_max: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most [`LINE_BYTES_MAX`].
    pub fn new(from: R) -> Self {
        Lines::with_max(from, LINE_BYTES_MAX)
    }

    fn with_max(from: R, bytes_max: usize) -> Self {
        Lines { from: BufReader::with_capacity(READ_BYTES, from), begun: Vec::new(), bytes_max }
    }

    /// Whether a whole line is there already, so that the next one comes at once.
    pub fn has_line(&self) -> bool {
        memchr(b'\n', self.from.buffer()).is_some()
    }

    /// The next line. What stands behind the last end of a line is one too.
    pub async fn next(&mut self) -> Line {
        loop {
            let Ok(read) = self.from.fill_buf().await else { return Line::End };
            if read.is_empty() {
                let rest = std::mem::take(&mut self.begun);
                return if rest.is_empty() { Line::End } else { Line::Whole(rest) };
            }
            let end = memchr(b'\n', read);
            let part = &read[..end.unwrap_or(read.len())];
            if self.begun.len() + part.len() > self.bytes_max {
                return Line::TooLong;
            }
            self.begun.extend_from_slice(part);
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                return Line::Whole(std::mem::take(&mut self.begun));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_one_by_one_and_the_last_needs_no_end() {
        let mut lines = Lines::new(&b"one\n\ntwo\nrest"[..]);
        for expected in ["one", "", "two", "rest"] {
            assert_eq!(lines.next().await, Line::Whole(expected.into()));
        }
        assert_eq!(lines.next().await, Line::End);
    }

    #[tokio::test]
    async fn a_read_that_is_given_up_loses_nothing() {
        use tokio::io::AsyncWriteExt;
        let (mut to, from) = tokio::io::duplex(64);
        let mut lines = Lines::new(from);
        to.write_all(b"first\nhal").await.expect("open");
        assert_eq!(lines.next().await, Line::Whole(b"first".into()));
        assert!(!lines.has_line());
        // What is there of the second line is taken, then the read is given up.
        tokio::select! {
            biased;
            line = lines.next() => panic!("{line:?}"),
            () = std::future::ready(()) => {}
        }
        to.write_all(b"f\nthird\n").await.expect("open");
        assert_eq!(lines.next().await, Line::Whole(b"half".into()));
        assert!(lines.has_line());
        assert_eq!(lines.next().await, Line::Whole(b"third".into()));
    }

    #[tokio::test]
    async fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        let mut lines = Lines::with_max(&b"12345\n123456\n"[..], 5);
        assert_eq!(lines.next().await, Line::Whole(b"12345".into()));
        assert_eq!(lines.next().await, Line::TooLong);
    }
}

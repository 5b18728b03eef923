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

/// Reads line by line.
pub struct Lines<R> {
    from: BufReader<R>,
    bytes_max: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most [`LINE_BYTES_MAX`].
    pub fn new(from: R) -> Self {
        Lines::with_max(from, LINE_BYTES_MAX)
    }

    fn with_max(from: R, bytes_max: usize) -> Self {
        Lines { from: BufReader::new(from), bytes_max }
    }

    /// The next line. What stands behind the last end of a line is one too.
    pub async fn next(&mut self) -> Line {
        let mut line = Vec::new();
        loop {
            let Ok(read) = self.from.fill_buf().await else { return Line::End };
            if read.is_empty() {
                return if line.is_empty() { Line::End } else { Line::Whole(line) };
            }
            let end = memchr(b'\n', read);
            let part = &read[..end.unwrap_or(read.len())];
            if line.len() + part.len() > self.bytes_max {
                return Line::TooLong;
            }
            line.extend_from_slice(part);
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                return Line::Whole(line);
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
    async fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        let mut lines = Lines::with_max(&b"12345\n123456\n"[..], 5);
        assert_eq!(lines.next().await, Line::Whole(b"12345".into()));
        assert_eq!(lines.next().await, Line::TooLong);
    }
}

//! Reading a pipe so that what is written to it wakes nobody who does not wait for it.
//!
//! A pipe that is registered for good wakes the program at each write, also while nothing reads it: fifty agents that write a hundred
//! pieces a second would do so five thousand times a second, for nothing. This one is registered only from a read that finds nothing
//! to the next write.

use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe::Receiver;
use tokio::process::ChildStdout;

/// The reading end of a pipe.
pub(crate) enum Pipe {
    /// Not registered.
    Idle(File),
    /// Nothing was there to read.
    Waiting(Receiver),
    /// It failed while it changed between the two.
    Broken,
}

impl Pipe {
    /// What a process writes to its standard output.
    pub(crate) fn new(output: ChildStdout) -> io::Result<Pipe> {
        Ok(Pipe::Waiting(Receiver::from_owned_fd(output.into_owned_fd()?)?))
    }
}

impl AsyncRead for Pipe {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Pipe::Idle(file) = &mut *self {
            match file.read(into.initialize_unfilled()) {
                Ok(count) => {
                    into.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => return Poll::Ready(Err(why)),
            }
        }
        let mut receiver = match std::mem::replace(&mut *self, Pipe::Broken) {
            Pipe::Idle(file) => Receiver::from_file_unchecked(file)?,
            Pipe::Waiting(receiver) => receiver,
            Pipe::Broken => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        };
        let read = Pin::new(&mut receiver).poll_read(cx, into);
        *self = match read {
            Poll::Ready(Ok(())) => Pipe::Idle(receiver.into_nonblocking_fd()?.into()),
            _ => Pipe::Waiting(receiver),
        };
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::process::Command;

    #[tokio::test]
    async fn what_is_written_is_read_to_its_end() {
        let mut command = Command::new("cat");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("cat");
        let mut to = child.stdin.take().expect("piped");
        let mut from = Pipe::new(child.stdout.take().expect("piped")).expect("a pipe");
        let mut read = [0; 5];
        for word in [b"first", b"other", b"third"] {
            to.write_all(word).await.expect("open");
            from.read_exact(&mut read).await.expect("open");
            assert_eq!(&read, word);
            assert!(matches!(from, Pipe::Idle(_)));
        }
        drop(to);
        assert_eq!(from.read(&mut read).await.expect("an end"), 0);
        assert!(child.wait().await.expect("ended").success());
    }
}

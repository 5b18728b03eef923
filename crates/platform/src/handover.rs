//! Hands open files to another process over a socket, with a line of text.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Maximum files of one line.
pub const FILES_MAX: usize = 3;
/// Maximum bytes of a line.
const LINE_BYTES_MAX: usize = 16 * 1024;

/// Sends a line, which must not be empty or contain a line break, with open files.
pub fn send(mut socket: &UnixStream, line: &str, files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let line = format!("{line}\n");
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many files"));
    }
    let sent = sendmsg(socket, &[IoSlice::new(line.as_bytes())], &mut ancillary, SendFlags::empty())?;
    socket.write_all(&line.as_bytes()[sent..])
}

/// Receives a line and its files. Files that nobody takes are closed.
pub fn receive(socket: &UnixStream) -> io::Result<(String, Vec<OwnedFd>)> {
    let (mut line, mut files) = (Vec::new(), Vec::new());
    while line.last() != Some(&b'\n') {
        let mut bytes = [0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES_MAX))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received = recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, RecvFlags::empty())?;
        files.extend(ancillary.drain().flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => files.collect::<Vec<_>>(),
            _ => Vec::new(),
        }));
        if received.bytes == 0 || line.len() + received.bytes > LINE_BYTES_MAX || files.len() > FILES_MAX {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.extend_from_slice(&bytes[..received.bytes]);
    }
    line.pop();
    for file in &files {
        rustix::io::fcntl_setfd(file, rustix::io::FdFlags::CLOEXEC)?;
    }
    Ok((String::from_utf8(line).map_err(io::Error::other)?, files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::AsFd;

    #[test]
    fn a_file_arrives_open_with_its_line() {
        let (here, there) = UnixStream::pair().unwrap();
        let (mut reader, writer) = std::io::pipe().unwrap();
        send(&here, "{\"a\": 1}", &[writer.as_fd()]).unwrap();
        drop(writer);
        let (line, files) = receive(&there).unwrap();
        assert_eq!((&*line, files.len()), ("{\"a\": 1}", 1));
        for file in files {
            std::fs::File::from(file).write_all(b"through it").unwrap();
        }
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through it");
    }

    #[test]
    fn a_line_that_ends_early_or_never_is_an_error() {
        let (here, there) = UnixStream::pair().unwrap();
        let too_long = std::thread::spawn(move || {
            let _ = (&here).write_all(&[b'x'; LINE_BYTES_MAX + 1]);
        });
        assert!(receive(&there).is_err());
        drop(there);
        too_long.join().unwrap();
    }
}

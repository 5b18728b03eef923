//! A connection between two programs of the same user: a socket in a private folder, or a named pipe on Windows.

pub use os::{Listener, Stream, connect};

#[cfg(unix)]
mod os {
    use std::io;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    /// The server's end of a connection.
    pub type Stream = tokio::net::UnixStream;

    /// Accepts connections.
    pub struct Listener(tokio::net::UnixListener);

    impl Listener {
        /// Listens at a path where nothing is yet. Only this user can connect.
        pub fn bind(path: &Path) -> io::Result<Listener> {
            let listener = tokio::net::UnixListener::bind(path)?;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
            Ok(Listener(listener))
        }

        /// The next connection.
        pub async fn accept(&mut self) -> io::Result<Stream> {
            self.0.accept().await.map(|(stream, _)| stream)
        }
    }

    /// Connects, for reading and writing that waits.
    pub fn connect(path: &Path) -> io::Result<std::os::unix::net::UnixStream> {
        std::os::unix::net::UnixStream::connect(path)
    }
}

#[cfg(windows)]
mod os {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};
    use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};

    /// The system's error for a pipe of which all instances are in use.
    const PIPE_BUSY: i32 = 231;
    /// How long a client waits for one that is free.
    const WITHIN: Duration = Duration::from_secs(10);
    const AGAIN: Duration = Duration::from_millis(10);

    /// The server's end of a connection.
    pub type Stream = NamedPipeServer;

    /// Accepts connections.
    pub struct Listener {
        path: PathBuf,
        next: NamedPipeServer,
    }

    impl Listener {
        /// Listens at a name such as `\\\\.\\pipe\\NAME` that nobody has yet. By default, only this user can write to it.
        pub fn bind(path: &Path) -> io::Result<Listener> {
            let next = ServerOptions::new().first_pipe_instance(true).reject_remote_clients(true).create(path)?;
            Ok(Listener { path: path.to_owned(), next })
        }

        /// The next connection.
        pub async fn accept(&mut self) -> io::Result<Stream> {
            self.next.connect().await?;
            let next = ServerOptions::new().reject_remote_clients(true).create(&self.path)?;
            Ok(std::mem::replace(&mut self.next, next))
        }
    }

    /// Connects, for reading and writing that waits.
    pub fn connect(path: &Path) -> io::Result<std::fs::File> {
        let end = Instant::now() + WITHIN;
        loop {
            match std::fs::OpenOptions::new().read(true).write(true).open(path) {
                Err(error) if error.raw_os_error() == Some(PIPE_BUSY) && Instant::now() < end => {
                    std::thread::sleep(AGAIN);
                }
                opened => return opened,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::path::PathBuf;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// A place of the test's own, and what removes it.
    fn place() -> (PathBuf, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().file_name().unwrap().to_owned();
        let place = if cfg!(windows) { PathBuf::from(r"\\.\pipe").join(name) } else { folder.path().join("s") };
        (place, folder)
    }

    #[tokio::test]
    async fn each_client_gets_its_answer() {
        let (place, _folder) = place();
        let mut listener = Listener::bind(&place).unwrap();
        assert!(Listener::bind(&place).is_err(), "the place is taken");
        let clients: Vec<_> = (b'a'..b'e')
            .map(|name| {
                let place = place.clone();
                tokio::task::spawn_blocking(move || {
                    let mut connection = connect(&place).unwrap();
                    connection.write_all(&[name, b'\n']).unwrap();
                    let mut answer = String::new();
                    BufReader::new(connection).read_line(&mut answer).unwrap();
                    answer
                })
            })
            .collect();
        for _ in 0..clients.len() {
            let mut stream = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut line = [0; 2];
                stream.read_exact(&mut line).await.unwrap();
                stream.write_all(&[line[0].to_ascii_uppercase(), b'\n']).await.unwrap();
            });
        }
        let mut answers = Vec::new();
        for client in clients {
            answers.push(client.await.unwrap());
        }
        assert_eq!(answers, ["A\n", "B\n", "C\n", "D\n"]);
    }
}

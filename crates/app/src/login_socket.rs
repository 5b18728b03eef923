//! Lets `pilothouse open` reach Pilothouse while the control server is off: a socket file in the data directory that
//! only this user can open. It only returns new sign-in links.

use std::io;
use std::path::Path;
#[cfg(unix)]
use std::{sync::Arc, time::Duration};
#[cfg(unix)]
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// The file's name in the data directory.
pub const NAME: &str = "login.sock";
/// Pause after a failed accept.
#[cfg(unix)]
const AFTER_ERROR: Duration = Duration::from_millis(50);

/// Sends each connection a result of `address`, until Pilothouse is asked to stop.
#[cfg(unix)]
pub fn listen(
    dir: &Path,
    address: impl Fn() -> String + Send + 'static,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let path = dir.join(NAME);
    let _ = std::fs::remove_file(&path);
    let listener = Arc::new(tokio::net::UnixListener::bind(&path)?);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    let accept = move || {
        let listener = listener.clone();
        async move { listener.accept().await.map(|(connection, _)| connection) }
    };
    tokio::spawn(async move {
        tokio::select! {
            () = answer(accept, address) => {}
            () = stop => {}
        }
    });
    Ok(())
}

#[cfg(unix)]
async fn answer<C, Accepting>(mut accept: impl FnMut() -> Accepting, address: impl Fn() -> String)
where
    C: AsyncWrite + Unpin,
    Accepting: Future<Output = io::Result<C>>,
{
    loop {
        match accept().await {
            Ok(mut connection) => {
                // Clients that don't read block nobody: a line fits in the socket's buffer.
                let _ = connection.write_all(format!("{}\n", address()).as_bytes()).await;
            }
            Err(error) => {
                // Probably out of file descriptors: wait until others close.
                tracing::warn!(%error, "couldn't accept a connection for a sign-in link");
                tokio::time::sleep(AFTER_ERROR).await;
            }
        }
    }
}

/// A new sign-in link from the Pilothouse that runs with this data directory.
#[cfg(unix)]
pub fn ask(dir: &Path) -> io::Result<String> {
    use std::io::Read;
    let mut address = String::new();
    std::os::unix::net::UnixStream::connect(dir.join(NAME))?.read_to_string(&mut address)?;
    Ok(address.trim().to_owned())
}

/// Not supported on Windows, where the page opens at the start.
#[cfg(not(unix))]
pub fn listen(
    _: &Path,
    _: impl Fn() -> String + Send + 'static,
    _: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    Ok(())
}

/// Not supported on Windows.
#[cfg(not(unix))]
pub fn ask(_: &Path) -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

    #[tokio::test(start_paused = true)]
    async fn goes_on_after_connections_that_could_not_be_taken() {
        let (ours, theirs) = tokio::io::duplex(100);
        let (others, last) = tokio::io::duplex(100);
        let out_of_files = || Err(io::Error::from_raw_os_error(24));
        let mut coming = VecDeque::from([out_of_files(), out_of_files(), Ok(ours), out_of_files(), Ok(others)]);
        let accept = move || {
            let next = coming.pop_front();
            async move {
                match next {
                    Some(next) => next,
                    None => std::future::pending().await,
                }
            }
        };
        let serving = tokio::spawn(answer(accept, || "http://127.0.0.1:1/".to_owned()));
        for mut stream in [theirs, last] {
            let mut text = String::new();
            stream.read_to_string(&mut text).await.unwrap();
            assert_eq!(text, "http://127.0.0.1:1/\n");
        }
        assert!(!serving.is_finished());
        serving.abort();
    }

    #[tokio::test]
    async fn answers_until_the_program_stops() {
        let dir = tempfile::tempdir().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let address = || "http://127.0.0.1:1/".to_owned();
        listen(dir.path(), address, async { drop(stopped.await) }).unwrap();
        for _ in 0..2 {
            let stream = tokio::net::UnixStream::connect(dir.path().join(NAME)).await.unwrap();
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line).await.unwrap();
            assert_eq!(line, "http://127.0.0.1:1/\n");
        }
        stop.send(()).unwrap();
        // Refused as soon as the listener is gone; until then a connection ends without an answer or with one.
        while tokio::net::UnixStream::connect(dir.path().join(NAME)).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }
}

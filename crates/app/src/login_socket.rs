//! How `pilothouse open` reaches the program while the control server is off: a socket file in the data directory, which
//! only this user can open, that answers a fresh one-time login address and nothing else.

use std::io;
use std::path::Path;

/// The file's name in the data directory.
pub const NAME: &str = "login.sock";

/// Answers every connection with what `address` gives, until the program ends.
#[cfg(unix)]
pub fn listen(dir: &Path, address: impl Fn() -> String + Send + 'static) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    use tokio::io::AsyncWriteExt;
    let path = dir.join(NAME);
    let _ = std::fs::remove_file(&path);
    let listener = tokio::net::UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            // Whoever connects and does not read waits alone: a line fits the socket's own buffer.
            let _ = connection.write_all(format!("{}\n", address()).as_bytes()).await;
        }
    });
    Ok(())
}

/// A fresh login address from the program that runs on this data directory.
#[cfg(unix)]
pub fn ask(dir: &Path) -> io::Result<String> {
    use std::io::Read;
    let mut address = String::new();
    std::os::unix::net::UnixStream::connect(dir.join(NAME))?.read_to_string(&mut address)?;
    Ok(address.trim().to_owned())
}

/// Windows has no such file here; the page opens when the program starts.
#[cfg(not(unix))]
pub fn listen(_: &Path, _: impl Fn() -> String + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Windows has no such file here.
#[cfg(not(unix))]
pub fn ask(_: &Path) -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

//! The operating system, as far as the program touches it: where files live, opening the page, who holds a port, starting
//! itself again.
//!
//! Invariant: every call that differs between Windows, macOS and Linux stands here and nowhere else.
//! Deliberately not here yet: priorities, memory and notifications; they come with the features that use them.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The user's folder for this program's data, unless the user says otherwise; `None` where no home is known.
pub fn data_dir() -> Option<PathBuf> {
    let var = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        var("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        var("HOME")?.join("Library/Application Support")
    } else {
        var("XDG_DATA_HOME").or_else(|| Some(var("HOME")?.join(".local/share")))?
    };
    Some(base.join(if cfg!(any(windows, target_os = "macos")) { "Pilothouse" } else { "pilothouse" }))
}

/// How long a browser is waited for that may not start.
const OPENER_FAILS_WITHIN: Duration = Duration::from_secs(1);

/// Opens an address in the user's browser, which outlives the program. Takes up to a second: what opens it may end with the
/// news that there is no browser.
pub fn open_url(url: &str) -> io::Result<()> {
    let mut command = if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.args(["url.dll,FileProtocolHandler", url]);
        command
    } else {
        let mut command = Command::new(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
        command.arg(url);
        command
    };
    let mut opener = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let (tell, told) = mpsc::channel();
    // Waited for to its end, so that it leaves nothing behind; that may take as long as the browser runs.
    let wait = move || tell.send(opener.wait());
    std::thread::Builder::new().name("opener".into()).spawn(wait)?;
    match told.recv_timeout(OPENER_FAILS_WITHIN) {
        Ok(ended) => match ended? {
            ended if ended.success() => Ok(()),
            ended => Err(io::Error::other(format!("{} says: {ended}", command.get_program().display()))),
        },
        Err(_) => Ok(()),
    }
}

/// Starts this program again with the arguments it was started with; called last, when port and files are released.
pub fn start_again() -> io::Result<()> {
    Command::new(std::env::current_exe()?).args(std::env::args_os().skip(1)).stdin(Stdio::null()).spawn().map(drop)
}

/// Name and process id of the program that listens on a loopback port, where that can be found out.
#[cfg(target_os = "linux")]
pub fn port_holder(port: u16) -> Option<(String, u32)> {
    const LISTENING: &str = "0A";
    let wanted = format!(":{port:04X}");
    let inode = ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        std::fs::read_to_string(table).ok()?.lines().skip(1).find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            (fields.get(1)?.ends_with(&wanted) && *fields.get(3)? == LISTENING)
                .then(|| fields.get(9).map(|i| i.to_string()))?
        })
    })?;
    let socket = format!("socket:[{inode}]");
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let Ok(pid) = process.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(files) = std::fs::read_dir(process.path().join("fd")) else { continue };
        if files.flatten().any(|file| std::fs::read_link(file.path()).is_ok_and(|to| to.to_string_lossy() == socket)) {
            let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some((name.trim().to_owned(), pid));
        }
    }
    None
}

/// Name and process id of the program that listens on a loopback port, where that can be found out.
#[cfg(not(target_os = "linux"))]
pub fn port_holder(_port: u16) -> Option<(String, u32)> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn the_holder_of_a_port_is_named() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let (name, pid) = super::port_holder(listener.local_addr().unwrap().port()).unwrap();
        assert_eq!(pid, std::process::id());
        assert!(name.starts_with("platform"), "{name}");
    }
}

//! The operating system, as far as the program touches it: where files live, opening the page, who holds a port, starting
//! itself again, ending trees of processes, sandboxes.
//!
//! Invariant: every call that differs between Windows, macOS and Linux stands here and nowhere else.
//! Deliberately not here: when to use any of it, which features decide.

pub mod background;
#[cfg(unix)]
pub mod handover;
pub mod local_socket;
pub mod login_item;
pub mod notifications;
pub mod ports;
pub mod process;
pub mod resources;
pub mod sandbox;
pub mod terminal;

use std::io;
use std::path::{Path, PathBuf};
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

/// The share of memory in use, in percent; none where the system does not tell.
#[cfg(not(windows))]
pub fn memory_used_percent() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let of = |name: &str| -> Option<f64> {
        let line = told.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let (total, available) = (of("MemTotal:")?, of("MemAvailable:")?);
    (total > 0.0).then(|| 100.0 * (1.0 - available / total))
}

/// The share of memory in use, in percent.
#[cfg(windows)]
pub fn memory_used_percent() -> Option<f64> {
    resources::memory_used_percent()
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
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    await_start(command, OPENER_FAILS_WITHIN)
}

/// Starts a program that outlives this one, and waits a while for the news that it failed.
fn await_start(mut command: Command, fails_within: Duration) -> io::Result<()> {
    let mut opener = command.spawn()?;
    let (tell, told) = mpsc::channel();
    // Waited for to its end, so that it leaves nothing behind; that may take as long as the browser runs.
    let wait = move || tell.send(opener.wait());
    std::thread::Builder::new().name("opener".into()).spawn(wait)?;
    match told.recv_timeout(fails_within) {
        Ok(ended) => match ended? {
            ended if ended.success() => Ok(()),
            ended => Err(io::Error::other(format!("{} says: {ended}", command.get_program().display()))),
        },
        Err(_) => Ok(()),
    }
}

/// The program of the desktop window, beside this one or on the PATH; `None` if it isn't installed.
pub fn desktop_window() -> Option<PathBuf> {
    let name = if cfg!(windows) { "pilothouse-desktop.exe" } else { "pilothouse-desktop" };
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(name)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|dir| dir.join(name));
    beside.into_iter().chain(on_path).find(|file| is_program(file))
}

/// How long the desktop window is waited for that may not start.
const WINDOW_FAILS_WITHIN: Duration = Duration::from_secs(3);

/// Opens the desktop window of a data directory, which outlives the program. Takes up to three seconds: without a display it
/// ends with the news.
pub fn open_window(window: &Path, data_dir: &Path) -> io::Result<()> {
    let mut command = Command::new(window);
    command.arg("--data-dir").arg(data_dir).stdin(Stdio::null()).stdout(Stdio::null());
    await_start(command, WINDOW_FAILS_WITHIN)
}

/// This program's file, to start it again from. Asked for at the start: once an update has put another file in its place, the
/// system names one that is no more.
#[derive(Debug, Clone)]
pub struct Program(PathBuf);

/// Tells a program that starts again which port the system gave the one before it.
const PORT_BEFORE: &str = "PILOTHOUSE_PORT_BEFORE";

impl Program {
    /// The running program.
    pub fn running() -> io::Result<Program> {
        std::env::current_exe().map(Program)
    }

    /// Whether there is a program to start again, as far as its file tells: an update may have removed it, or just be copying.
    pub fn can_start(&self) -> bool {
        std::fs::metadata(&self.0).is_ok_and(|file| file.is_file() && file.len() > 0 && may_run(&file))
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Starts it with the arguments that this one was started with; called last, when port and files are released.
    /// `chosen` is the port that the system gave this one, if it did.
    pub fn start_again(&self, chosen: Option<u16>) -> io::Result<()> {
        let mut command = Command::new(&self.0);
        command.args(std::env::args_os().skip(1)).stdin(Stdio::null());
        match chosen {
            Some(port) => command.env(PORT_BEFORE, port.to_string()),
            None => command.env_remove(PORT_BEFORE),
        };
        command.spawn().map(drop)
    }
}

/// Whether a file is there that the system may run.
pub fn is_program(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|file| file.is_file() && may_run(&file))
}

/// Writes a file that only this user may read, in the place of one that is there.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let mut file = private_file().create(true).truncate(true).open(path)?;
    // One that was there keeps its mode.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    file.write_all(bytes)
}

/// Makes a folder that only the user can enter, in one that is there. The data directory itself is never made: where it was
/// moved away while the program runs, what is written to its old path would be found by nobody.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "its mode is set on Unix only"))]
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Makes a file that only the user can read, where there is none of the name.
pub fn new_private_file(path: &Path) -> io::Result<std::fs::File> {
    private_file().create_new(true).open(path)
}

/// For writing a file that is made for the user alone.
fn private_file() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Lets the user run a file that was just written.
#[cfg(unix)]
pub fn let_run(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o700))
}

/// Lets the user run a file that was just written: here its name decides.
#[cfg(not(unix))]
pub fn let_run(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn may_run(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_run(_: &std::fs::Metadata) -> bool {
    true
}

/// The port that the system gave the program that this one was started in place of.
pub fn port_before() -> Option<u16> {
    std::env::var(PORT_BEFORE).ok()?.parse().ok()
}

/// Name and process id of another program that listens on a port, where that can be found out.
#[cfg(target_os = "linux")]
pub fn port_holder(port: u16) -> Option<(String, u32)> {
    let own = std::process::id();
    let others = processes()?.filter(|(pid, _)| *pid != own);
    holder_among(port, others)
}

#[cfg(target_os = "linux")]
fn processes() -> Option<impl Iterator<Item = (u32, PathBuf)>> {
    let all = std::fs::read_dir("/proc").ok()?.flatten();
    Some(all.filter_map(|process| Some((process.file_name().to_str()?.parse().ok()?, process.path()))))
}

#[cfg(target_os = "linux")]
fn holder_among(port: u16, mut processes: impl Iterator<Item = (u32, PathBuf)>) -> Option<(String, u32)> {
    const LISTENING: &str = "0A";
    let wanted = format!(":{port:04X}");
    let mut sockets = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        for line in std::fs::read_to_string(table).unwrap_or_default().lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if let [_, local, _, LISTENING, _, _, _, _, _, inode, ..] = fields[..]
                && local.ends_with(&wanted)
            {
                sockets.push(format!("socket:[{inode}]"));
            }
        }
    }
    let is_one = |to: PathBuf| sockets.iter().any(|socket| to.as_os_str() == socket.as_str());
    processes.find_map(|(pid, folder)| {
        let mut files = std::fs::read_dir(folder.join("fd")).ok()?.flatten();
        files.find(|file| std::fs::read_link(file.path()).is_ok_and(is_one))?;
        let name = std::fs::read_to_string(folder.join("comm")).unwrap_or_default();
        Some((name.trim().to_owned(), pid))
    })
}

/// Name and process id of another program that listens on a port, where that can be found out.
#[cfg(not(target_os = "linux"))]
pub fn port_holder(_port: u16) -> Option<(String, u32)> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn the_holder_of_a_port_is_named() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (name, pid) = super::holder_among(port, super::processes().unwrap()).unwrap();
        assert_eq!(pid, std::process::id());
        assert!(name.starts_with("platform"), "{name}");
        assert_eq!(super::port_holder(port), None, "who asks is not told of itself");
    }
}

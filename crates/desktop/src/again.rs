//! Starts this program again in its own place: as the version that was installed meanwhile, or drawing in another way.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Says for which version of Pilothouse this program was started again, so that it never does so twice.
const STARTED_FOR: &str = "PILOTHOUSE_WINDOW_STARTED_FOR";
/// Switches WebKitGTK's drawing with shared graphics memory off. Windows stay blank or end with some graphics drivers, above
/// all NVIDIA's; it is slower without.
const PLAIN_DRAWING: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
/// A first page that ends this soon after it was loaded was ended by the way it is drawn.
const SOON: Duration = Duration::from_secs(5);

/// How this program was started.
#[derive(Debug, Clone)]
pub struct Again {
    program: PathBuf,
    args: Vec<OsString>,
    started_for: Option<OsString>,
    draws_plain: bool,
}

impl Again {
    /// Remembers the program's file now: it has another name once an update has replaced it.
    pub fn of_this_program() -> Option<Again> {
        Some(Again {
            program: std::env::current_exe().ok()?,
            args: std::env::args_os().skip(1).collect(),
            started_for: std::env::var_os(STARTED_FOR),
            draws_plain: std::env::var_os(PLAIN_DRAWING).is_some(),
        })
    }

    /// Draws in the plain way from the start where the graphics driver needs it. What the user chose stays.
    pub fn start_plain_where_needed(&self) {
        if !self.draws_plain && has_nvidia() {
            self.start(PLAIN_DRAWING, "1", false);
        }
    }

    /// After a page ended: once in the plain way if that was soon, or before the first was loaded. Returns if this can't
    /// help.
    pub fn draw_plain(&self, since_load: Option<Duration>) {
        if !self.draws_plain && since_load.is_none_or(|since| since < SOON) {
            self.start(PLAIN_DRAWING, "1", false);
        }
    }

    /// After Pilothouse was updated: as the version that was installed with it. Returns if it was this one, or was tried.
    pub fn follow_version(&self, version: &str, is_hidden: bool) {
        if version != env!("CARGO_PKG_VERSION") && self.started_for.as_deref() != Some(version.as_ref()) {
            self.start(STARTED_FOR, version, is_hidden);
        }
    }

    #[cfg(unix)]
    fn start(&self, name: &str, value: &str, is_hidden: bool) {
        use std::os::unix::process::CommandExt;
        let mut command = std::process::Command::new(&self.program);
        command.args(self.args.iter().filter(|arg| *arg != "--hidden")).args(is_hidden.then_some("--hidden"));
        let problem = command.env(name, value).exec();
        eprintln!("pilothouse-desktop: Couldn't start again: {problem}");
    }

    // Other systems can't replace a running program, and their updates end it.
    #[cfg(not(unix))]
    fn start(&self, _: &str, _: &str, _: bool) {}
}

fn has_nvidia() -> bool {
    cfg!(target_os = "linux") && std::path::Path::new("/proc/driver/nvidia/version").exists()
}

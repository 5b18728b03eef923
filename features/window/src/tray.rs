//! The tray icon: what needs the user at a glance, and a menu to answer it.
//!
//! On Linux over D-Bus (StatusNotifierItem). Elsewhere there is none yet.

use std::sync::Mutex;

/// The tray icon.
pub(crate) struct Tray(Mutex<Option<String>>);

impl Default for Tray {
    fn default() -> Tray {
        Tray(Mutex::new(Some("The tray icon isn't shown yet.".into())))
    }
}

impl Tray {
    /// Why there is none; `None` if there is one.
    pub(crate) fn problem(&self) -> Option<String> {
        self.0.lock().expect("no panic while held").clone()
    }

    fn set_problem(&self, problem: Option<String>) {
        *self.0.lock().expect("no panic while held") = problem;
    }
}

/// Shows the tray icon for the first account, and keeps it current as long as the program lives.
pub fn show_tray(ctx: &kit::Ctx) {
    #[cfg(target_os = "linux")]
    linux::show(ctx);
    #[cfg(not(target_os = "linux"))]
    ctx.service::<Tray>().set_problem(Some("The tray icon is only available on Linux.".into()));
}

#[cfg(target_os = "linux")]
mod linux;

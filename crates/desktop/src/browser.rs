//! Opens addresses in the user's browser.

use std::process::{Command, Stdio};

/// Opens a web or mail address. Other schemes could start any program, so they are left alone.
pub fn open(address: &str) {
    if !["http://", "https://", "mailto:"].iter().any(|scheme| address.starts_with(scheme)) {
        return;
    }
    let (program, args): (&str, &[&str]) = match () {
        () if cfg!(windows) => ("rundll32", &["url.dll,FileProtocolHandler"]),
        () if cfg!(target_os = "macos") => ("open", &[]),
        () => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(args).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        // Waited for, so that it leaves nothing behind.
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => eprintln!("pilothouse-desktop: Couldn't start a browser with {program}: {error}"),
    }
}

//! Starting with the user's login: a desktop file on Linux, a launch agent on macOS, a registry value on Windows.

use auto_launch::{AutoLaunch, AutoLaunchBuilder};
use std::path::Path;

fn item(program: &Path) -> Result<AutoLaunch, String> {
    let path = program.to_str().ok_or("The program's path isn't UTF-8.")?;
    let mut builder = AutoLaunchBuilder::new();
    builder.set_app_name("Pilothouse").set_app_path(path).set_args(&["serve"]);
    builder.build().map_err(|e| format!("Can't start at login: {e}."))
}

/// Whether the program starts when the user logs in.
pub fn is_on(program: &Path) -> Result<bool, String> {
    item(program)?.is_enabled().map_err(|e| format!("Can't read whether Pilothouse starts at login: {e}."))
}

/// Sets whether the program starts when the user logs in.
pub fn set(program: &Path, is_on: bool) -> Result<(), String> {
    let item = item(program)?;
    let outcome = if is_on { item.enable() } else { item.disable() };
    outcome.map_err(|e| format!("Can't set whether Pilothouse starts at login: {e}."))
}

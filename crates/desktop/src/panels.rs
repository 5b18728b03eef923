//! Windows of sessions, each with a renderer of its own.

use crate::pilothouse::Pilothouse;
use crate::window;
use std::sync::Arc;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindowBuilder};

/// Opens a session in a window of its own, or brings it to the front.
pub fn open_session(app: &AppHandle, pilothouse: &Arc<Pilothouse>, page: &str) -> Result<(), String> {
    let plain: String = page.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let label = format!("session-{plain}");
    if let Some(window) = app.get_webview_window(&label) {
        return window.set_focus().map_err(|e| e.to_string());
    }
    let url = pilothouse.sign_in_link(page)?.parse().map_err(|e| format!("{page}: {e}"))?;
    let builder = WebviewWindowBuilder::new(app, &label, WebviewUrl::External(url))
        .title("Session")
        .inner_size(1000.0, 760.0)
        .user_agent(&window::user_agent());
    let window = window::with_rules(builder, app.clone(), pilothouse.clone()).build().map_err(|e| e.to_string())?;
    window::mend_after_failures(&window, pilothouse.clone(), page.to_owned());
    Ok(())
}

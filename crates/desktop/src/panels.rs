//! Windows of single pages: notes above other windows, and sessions with a renderer of their own.

use crate::pilothouse::Pilothouse;
use crate::window;
use std::sync::Arc;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindowBuilder};

/// A note's window, by the note's ID.
fn label(id: &str) -> String {
    let plain: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    format!("note-{plain}")
}

/// Opens a note, or moves the window that shows it.
pub fn open_note(
    app: &AppHandle,
    pilothouse: &Arc<Pilothouse>,
    id: &str,
    page: &str,
    place: Option<(i32, i32)>,
    (width, height): (u32, u32),
) -> Result<(), String> {
    let label = label(id);
    if app.get_webview_window(&label).is_some() {
        return Ok(());
    }
    let url = pilothouse.sign_in_link(page)?.parse().map_err(|e| format!("{page}: {e}"))?;
    let mut builder = WebviewWindowBuilder::new(app, &label, WebviewUrl::External(url))
        .title("Note")
        .decorations(false)
        .always_on_top(true)
        .skip_taskbar(true)
        .inner_size(f64::from(width), f64::from(height))
        .min_inner_size(120.0, 80.0)
        .user_agent(&window::user_agent());
    if let Some((x, y)) = place {
        builder = builder.position(f64::from(x), f64::from(y));
    }
    let builder = window::with_rules(builder, app.clone(), pilothouse.clone());
    let window = builder.build().map_err(|e| e.to_string())?;
    window::offer_reload_after_crash(&window, pilothouse.clone(), page.to_owned());
    Ok(())
}

/// Closes a note's window.
pub fn close_note(app: &AppHandle, id: &str) {
    if let Some(window) = app.get_webview_window(&label(id)) {
        let _ = window.destroy();
    }
}

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
    window::offer_reload_after_crash(&window, pilothouse.clone(), page.to_owned());
    Ok(())
}

//! Windows of single pages: notes above other windows, and sessions with a renderer of their own.

use crate::pilothouse::Pilothouse;
use crate::window;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent};

/// What begins the names of notes' windows.
const NOTE: &str = "note-";
/// A window that is moved reports its place once it rests this long.
const RESTS: Duration = Duration::from_millis(300);

/// A note's window, by the note's ID.
fn label(id: &str) -> String {
    let plain: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    format!("{NOTE}{plain}")
}

/// Opens a note, unless it's open.
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
    report_place(&window, pilothouse.clone(), id.to_owned());
    window::mend_after_failures(&window, pilothouse.clone(), page.to_owned());
    Ok(())
}

/// Tells Pilothouse where the window is, once it rests after it was moved or resized, and that the user closed it.
fn report_place(window: &WebviewWindow, pilothouse: Arc<Pilothouse>, id: String) {
    let (own, moves) = (window.clone(), Arc::new(Mutex::new(0_u64)));
    window.on_window_event(move |event| {
        match event {
            WindowEvent::Moved(_) | WindowEvent::Resized(_) => {}
            WindowEvent::CloseRequested { .. } => {
                let (pilothouse, id) = (pilothouse.clone(), id.clone());
                std::thread::spawn(move || pilothouse.note_is_closed(&id));
                return;
            }
            _ => return,
        }
        let mine = {
            let mut moves = moves.lock().expect("no panic while held");
            *moves += 1;
            *moves
        };
        let (own, moves, pilothouse, id) = (own.clone(), moves.clone(), pilothouse.clone(), id.clone());
        std::thread::spawn(move || {
            std::thread::sleep(RESTS);
            if *moves.lock().expect("no panic while held") != mine {
                return;
            }
            let scale = own.scale_factor().unwrap_or(1.0);
            if let (Ok(place), Ok(size)) = (own.outer_position(), own.inner_size()) {
                let (place, size) = (place.to_logical::<i32>(scale), size.to_logical::<u32>(scale));
                let _ = pilothouse.note_is_at(&id, (place.x, place.y), (size.width, size.height));
            }
        });
    });
}

/// Closes a note's window.
pub fn close_note(app: &AppHandle, id: &str) {
    if let Some(window) = app.get_webview_window(&label(id)) {
        let _ = window.destroy();
    }
}

/// Whether a window is a note's.
pub fn is_note(label: &str) -> bool {
    label.starts_with(NOTE)
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
    window::mend_after_failures(&window, pilothouse.clone(), page.to_owned());
    Ok(())
}

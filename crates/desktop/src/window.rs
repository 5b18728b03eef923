//! The main window.

use crate::Options;
use crate::again::Again;
use crate::commands::{self, Command};
use crate::keys::{self, Pressed};
use crate::memory::{self, Memory};
use crate::pilothouse::{About, Pilothouse, Stream};
use crate::{browser, panels};
use std::io::BufRead;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{AppHandle, Manager, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent};

/// The main window's name.
const MAIN: &str = "main";
/// The scheme of addresses that move the window. They can be called by whatever runs in the page, so they do no harm.
const OWN_SCHEME: &str = "pilothouse-window";
/// How long to wait before Pilothouse is looked for again.
const AGAIN: Duration = Duration::from_millis(500);
/// How often it is looked for while it restarts.
const TRIES: u32 = 60;

/// How this program was started, and when its first page was loaded.
struct Started {
    again: Option<Again>,
    loaded: OnceLock<Instant>,
}

/// Keys of the page that change the size of everything.
const ZOOM_KEYS: &str = r#"
addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const step = { '+': 'in', '=': 'in', '-': 'out', '0': 'reset' }[event.key];
  if (!step) return;
  event.preventDefault();
  location.href = 'pilothouse-window://zoom/' + step;
});
"#;

/// Refuses to start where nothing could be shown, before GTK ends the program with a message of its own.
pub fn expect_display() -> Result<(), String> {
    let has = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !has("DISPLAY") && !has("WAYLAND_DISPLAY") {
        return Err("There is no display to show a window on. `pilothouse open` shows Pilothouse in a browser.".into());
    }
    Ok(())
}

/// Whether the desktop uses Wayland, and this program with it.
pub fn is_wayland() -> bool {
    let backend = std::env::var("GDK_BACKEND").unwrap_or_default();
    std::env::var_os("WAYLAND_DISPLAY").is_some_and(|value| !value.is_empty()) && backend != "x11"
}

/// What the window says of itself.
pub fn about(keys_problem: Option<String>) -> About {
    let raise_problem = is_wayland().then(|| "On Wayland, only your own click can bring a window to the front.".into());
    About { raise_problem, keys_problem }
}

/// What pages know the window by.
pub fn user_agent() -> String {
    format!("PilothouseDesktop/{} AppleWebKit (like Gecko)", env!("CARGO_PKG_VERSION"))
}

/// Shows the window until Pilothouse or the user ends it.
pub fn run(pilothouse: Pilothouse, stream: Stream, options: Options, again: Option<Again>) -> Result<(), String> {
    let Options { page, is_hidden, .. } = options;
    let started = Started { again, loaded: OnceLock::new() };
    let pilothouse = Arc::new(pilothouse);
    let memory = Arc::new(Memory::read(&pilothouse.data_dir()?));
    let first = page.unwrap_or_else(|| "/app/".into());
    let url: Url = pilothouse.sign_in_link(&first)?.parse().map_err(|e| format!("{first}: {e}"))?;
    let (of_setup, of_events) = ((pilothouse.clone(), memory.clone()), (pilothouse.clone(), memory.clone()));
    let setup = move |app: &mut tauri::App| {
        let (pilothouse, memory) = of_setup;
        app.manage(memory.clone());
        app.manage(started);
        let handle = app.handle().clone();
        let builder = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::External(url))
            .title("Pilothouse")
            .inner_size(1280.0, 860.0)
            .min_inner_size(480.0, 320.0)
            .visible(!is_hidden)
            .user_agent(&user_agent())
            .initialization_script(ZOOM_KEYS);
        let window = with_rules(builder, handle.clone(), pilothouse.clone()).build()?;
        let _ = window.set_zoom(f64::from(memory.get().zoom) / 100.0);
        mend_after_failures(&window, pilothouse.clone(), "/app/".into());
        #[cfg(target_os = "linux")]
        {
            let (handle, pilothouse) = (handle.clone(), pilothouse.clone());
            // Kept for as long as the program runs.
            std::mem::forget(keys::follow(&memory.get().keys, move |pressed| press(&handle, &pilothouse, pressed)));
        }
        std::thread::spawn(move || follow(&handle, &pilothouse, stream));
        Ok(())
    };
    let on_event = move |window: &tauri::Window, event: &WindowEvent| {
        let WindowEvent::CloseRequested { api, .. } = event else { return };
        if window.label() != MAIN {
            return;
        }
        // Sessions go on, and so does what calls the user.
        api.prevent_close();
        let _ = window.hide();
        let (pilothouse, memory) = &of_events;
        if !memory.get().is_close_explained {
            let (pilothouse, memory) = (pilothouse.clone(), memory.clone());
            std::thread::spawn(move || {
                if pilothouse.hidden().is_ok() {
                    memory.change(|it| it.is_close_explained = true);
                }
            });
        }
    };
    let state = tauri_plugin_window_state::Builder::default()
        .with_state_flags(tauri_plugin_window_state::StateFlags::all() - tauri_plugin_window_state::StateFlags::VISIBLE)
        .with_filter(|label| label == MAIN)
        .build();
    tauri::Builder::default()
        .plugin(state)
        .setup(setup)
        .on_window_event(on_event)
        .run(tauri::generate_context!())
        .map_err(|e| format!("Couldn't show the window: {e}. `pilothouse open` shows Pilothouse in a browser."))
}

/// Where a window may go: Pilothouse's own pages. Everything else opens in the browser.
pub fn with_rules<'a, M: Manager<tauri::Wry>>(
    builder: WebviewWindowBuilder<'a, tauri::Wry, M>,
    app: AppHandle,
    pilothouse: Arc<Pilothouse>,
) -> WebviewWindowBuilder<'a, tauri::Wry, M> {
    let (of_new, of_load, of_own) = (pilothouse.clone(), pilothouse.clone(), pilothouse);
    builder
        .on_navigation(move |url| {
            if url.scheme() != OWN_SCHEME {
                return true;
            }
            own_address(&app, &of_own, url);
            false
        })
        .on_new_window(move |url, _| {
            browser::open(&in_browser(&of_new, &url));
            NewWindowResponse::Deny
        })
        // It tells how many things need the user.
        .on_document_title_changed(|window, title| {
            let _ = window.set_title(&title);
        })
        .on_page_load(move |window, load| {
            // Frames that show other pages load without this; only the whole window is brought back.
            let url = load.url();
            if load.event() == PageLoadEvent::Finished
                && let Some(started) = window.try_state::<Started>()
            {
                started.loaded.get_or_init(Instant::now);
            }
            if load.event() == PageLoadEvent::Started && is_foreign(&of_load, url) {
                browser::open(url.as_str());
                go(&window, &of_load, "/app/");
            }
        })
}

/// Whether an address of the web is none of Pilothouse's.
fn is_foreign(pilothouse: &Pilothouse, url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.origin() != pilothouse.base().origin()
}

/// A page of Pilothouse opens in the browser signed in.
fn in_browser(pilothouse: &Pilothouse, url: &Url) -> String {
    if is_foreign(pilothouse, url) || !url.path().starts_with("/app") {
        return url.to_string();
    }
    pilothouse.sign_in_link(url.path()).unwrap_or_else(|_| url.to_string())
}

/// What a page asks of its window.
fn own_address(app: &AppHandle, pilothouse: &Arc<Pilothouse>, url: &Url) {
    match (url.host_str(), url.path().trim_matches('/')) {
        (Some("zoom"), step) => {
            let memory = app.state::<Arc<Memory>>();
            memory.change(|it| it.zoom = memory::zoomed(it.zoom, step));
            if let Some(window) = app.get_webview_window(MAIN) {
                let _ = window.set_zoom(f64::from(memory.get().zoom) / 100.0);
            }
        }
        (Some("reload"), label) => {
            if let Some(window) = app.get_webview_window(label) {
                let page = url.query().and_then(|query| query.strip_prefix("page=")).unwrap_or("/app/");
                go(&window, pilothouse, if page.starts_with("/app") { page } else { "/app/" });
            }
        }
        // Notes have no frame to be dragged by.
        (Some("drag"), label) if panels::is_note(label) => {
            if let Some(window) = app.get_webview_window(label) {
                let _ = window.start_dragging();
            }
        }
        (Some("browser"), _) => {
            if let Ok(link) = pilothouse.sign_in_link("/app/") {
                browser::open(&link);
            }
        }
        _ => {}
    }
}

/// Goes to a page of Pilothouse, signed in.
fn go(window: &WebviewWindow, pilothouse: &Arc<Pilothouse>, page: &str) {
    let (window, pilothouse, page) = (window.clone(), pilothouse.clone(), page.to_owned());
    // Signing in asks Pilothouse, which must not hold up the window.
    std::thread::spawn(move || {
        let url = pilothouse.sign_in_link(&page).ok().and_then(|link| link.parse().ok());
        if let Some(url) = url {
            let _ = window.navigate(url);
        }
    });
}

/// Shows a page of Pilothouse without loading everything anew, where the window shows Pilothouse.
fn show_page(window: &WebviewWindow, pilothouse: &Arc<Pilothouse>, page: &str) {
    match window.url() {
        Ok(url) if !is_foreign(pilothouse, &url) && url.path().starts_with("/app") => {
            let page = serde_json::to_string(page).expect("text serializes");
            let script = format!("history.pushState(null, '', {page}); dispatchEvent(new PopStateEvent('popstate'));");
            let _ = window.eval(script);
        }
        _ => go(window, pilothouse, page),
    }
}

/// Brings the main window to the front.
fn raise(app: &AppHandle, pilothouse: &Arc<Pilothouse>, page: Option<&str>) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let _ = window.show();
    let _ = window.unminimize();
    let _ = window.set_focus();
    if let Some(page) = page {
        show_page(&window, pilothouse, page);
    }
}

#[cfg(target_os = "linux")]
fn press(app: &AppHandle, pilothouse: &Arc<Pilothouse>, pressed: Pressed) {
    let (app, pilothouse) = (app.clone(), pilothouse.clone());
    std::thread::spawn(move || {
        let page = match pressed {
            Pressed::Next => pilothouse.next_need().ok().flatten().unwrap_or_else(|| "/app/inbox".into()),
            Pressed::Prompt => "/app/sessions?new=".into(),
        };
        let main = app.clone();
        let _ = app.run_on_main_thread(move || raise(&main, &pilothouse, Some(&page)));
    });
}

/// Follows commands, and Pilothouse itself when it restarts. Ends with Pilothouse.
fn follow(app: &AppHandle, pilothouse: &Arc<Pilothouse>, mut stream: Stream) {
    loop {
        let mut line = String::new();
        while matches!(stream.read_line(&mut line), Ok(count) if count > 0) {
            let command = commands::read(line.trim());
            line.clear();
            if command == Command::Quit {
                return app.exit(0);
            }
            let (main, pilothouse) = (app.clone(), pilothouse.clone());
            let _ = app.run_on_main_thread(move || carry_out(&main, &pilothouse, command));
        }
        match again(pilothouse) {
            Some(next) => stream = next,
            None => return app.exit(0),
        }
    }
}

fn again(pilothouse: &Arc<Pilothouse>) -> Option<Stream> {
    for _ in 0..TRIES {
        std::thread::sleep(AGAIN);
        if pilothouse.reach_again().is_ok()
            && let Ok(Some(stream)) = pilothouse.follow(&about(keys::problem()))
        {
            return Some(stream);
        }
    }
    None
}

fn carry_out(app: &AppHandle, pilothouse: &Arc<Pilothouse>, command: Command) {
    let outcome = match command {
        Command::Raise { page } => {
            raise(app, pilothouse, page.as_deref());
            Ok(())
        }
        Command::Note { id, page, place, width, height } => {
            panels::open_note(app, pilothouse, &id, &page, place, (width, height))
        }
        Command::CloseNote { id } => {
            panels::close_note(app, &id);
            Ok(())
        }
        Command::Session { page } => panels::open_session(app, pilothouse, &page),
        Command::Attached { version } => {
            let is_hidden = app.get_webview_window(MAIN).is_some_and(|window| !window.is_visible().unwrap_or(true));
            if let Some(again) = &app.state::<Started>().again {
                again.follow_version(&version, is_hidden);
            }
            Ok(())
        }
        Command::Quit | Command::Unknown => Ok(()),
    };
    if let Err(problem) = outcome {
        eprintln!("pilothouse-desktop: {problem}");
    }
}

/// Shows what happened, with what to do, when the window's web process has ended, and leaves foreign pages that fail to the
/// browser.
#[cfg(target_os = "linux")]
pub fn mend_after_failures(window: &WebviewWindow, pilothouse: Arc<Pilothouse>, page: String) {
    use webkit2gtk::WebViewExt;
    let (label, own, handle) = (window.label().to_owned(), window.clone(), window.app_handle().clone());
    let _ = window.with_webview(move |webview| {
        // A page of the web that can't be reached from here is the browser's to open, too.
        webview.inner().connect_load_failed(move |_, _, address, _| {
            let is_foreign = Url::parse(address).is_ok_and(|url| is_foreign(&pilothouse, &url));
            if is_foreign {
                browser::open(address);
                go(&own, &pilothouse, "/app/");
            }
            is_foreign
        });
        webview.inner().connect_web_process_terminated(move |view, _| {
            let started = handle.state::<Started>();
            if let Some(again) = &started.again {
                again.draw_plain(started.loaded.get().map(Instant::elapsed));
            }
            view.load_html(&crash_page(&label, &page), None);
        });
    });
}

/// The other systems' web views reload by themselves.
#[cfg(not(target_os = "linux"))]
pub fn mend_after_failures(_: &WebviewWindow, _: Arc<Pilothouse>, _: String) {}

#[cfg(target_os = "linux")]
fn crash_page(label: &str, page: &str) -> String {
    format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Page stopped</title>
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }}
body {{ display: grid; place-content: center; min-height: 90vh; text-align: center; gap: 1rem }}
a {{ padding: .5rem 1rem; border: 1px solid; border-radius: .4rem; color: inherit; margin: 0 .3rem }}
</style>
<h1>The page stopped working</h1>
<p>Your sessions go on. Nothing that was saved is lost.</p>
<p><a autofocus href="{OWN_SCHEME}://reload/{label}?page={page}">Reload</a>
<a href="{OWN_SCHEME}://browser/">Open in browser</a></p>"#
    )
}

//! The window in front of the real Pilothouse, on an X server of the test's own. `PILOTHOUSE_BIN` names the program; the
//! tests need Xvfb, openbox, xdotool, wmctrl, xev, dbus-daemon, and WebKitWebDriver.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Ends a test that hangs; longer than anything takes, also on a machine under load.
const HANGS_AFTER: Duration = Duration::from_secs(60);

/// Waits until something is so.
fn until(what: &str, is_so: impl FnMut() -> bool) {
    assert!(comes(HANGS_AFTER, is_so), "waited in vain: {what}");
}

/// Whether something becomes so within this time.
fn comes(within: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < within {
        if is_so() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

/// A process that ends with the test.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program() -> PathBuf {
    let named = std::env::var_os("PILOTHOUSE_BIN").expect("PILOTHOUSE_BIN names the program");
    Path::new(&named).canonicalize().expect("the program is built")
}

/// A desktop: an X server, a window manager, a session bus, and a home, with a browser that only notes what it is to open.
struct Desktop {
    home: PathBuf,
    display: String,
    bus: String,
    /// Ended in this order.
    _started: Vec<Started>,
}

impl Drop for Desktop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

impl Desktop {
    fn start(name: &str) -> Desktop {
        let home = std::env::temp_dir().join(format!("pilothouse-desktop-{name}-{}", std::process::id()));
        std::fs::create_dir_all(home.join("bin")).expect("a home");
        let browser = home.join("bin/xdg-open");
        std::fs::write(&browser, "#!/bin/sh\necho \"$1\" >> \"$HOME/opened\"\n").expect("a browser");
        std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).expect("it can run");
        let mut xvfb = Command::new("Xvfb");
        xvfb.args(["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]);
        let (xvfb, number) = first_line(&mut xvfb);
        let mut dbus = Command::new("dbus-daemon");
        dbus.args(["--session", "--nofork", "--nopidfile", "--print-address=1"]);
        let (dbus, bus) = first_line(&mut dbus);
        let mut desktop = Desktop { home, display: format!(":{number}"), bus, _started: vec![xvfb, dbus] };
        let mut manager = desktop.command("openbox").spawn().expect("openbox runs");
        until("a window manager", || {
            // It ends where the server isn't ready for it yet.
            if manager.try_wait().expect("its state").is_some() {
                manager = desktop.command("openbox").spawn().expect("openbox runs");
            }
            desktop.run("wmctrl", &["-m"]).status.success()
        });
        desktop._started.insert(0, Started(manager));
        desktop
    }

    /// A program on this desktop.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let own = program_folder();
        let path = format!("{}:{own}:{}", self.home.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home).env("PATH", path).env("DISPLAY", &self.display);
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.bus).env("GDK_BACKEND", "x11").env("LANG", "C.UTF-8");
        // A page that a test ends isn't ended by the way it is drawn.
        command.env("WEBKIT_DISABLE_DMABUF_RENDERER", "0");
        command.env("XDG_RUNTIME_DIR", &self.home).env("PILOTHOUSE_KEYCHAIN", "off");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn run(&self, program: &str, args: &[&str]) -> Output {
        let mut command = self.command(program);
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.output().unwrap_or_else(|e| panic!("{program}: {e}"))
    }

    /// The title of the window in front.
    fn front(&self) -> String {
        let output = self.run("xdotool", &["getactivewindow", "getwindowname"]);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The titles of all windows.
    fn titles(&self) -> Vec<String> {
        let output = self.run("wmctrl", &["-l"]);
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// Waits until a window of this name is in front.
    fn until_front(&self, name: &str) {
        let mut front = String::new();
        let is_in_front = || {
            front = self.front();
            front.contains(name)
        };
        let is_first = comes(HANGS_AFTER, is_in_front);
        assert!(is_first, "{name} didn't come to the front; {front:?} is there, of {:?}", self.titles());
    }

    /// Waits until a window of this name is shown.
    fn until_shown(&self, name: &str) {
        until(name, || self.run("xdotool", &["search", "--onlyvisible", "--name", name]).status.success());
    }

    fn opened(&self) -> String {
        std::fs::read_to_string(self.home.join("opened")).unwrap_or_default()
    }

    fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    /// Pilothouse on this desktop.
    fn pilothouse(&self) -> Pilothouse {
        let mut serve = self.command(program());
        serve.args(["serve", "--port", "0", "--data-dir"]).arg(self.data());
        let (process, line) = first_line(&mut serve);
        let base = line.rsplit(' ').next().expect("an address").to_owned();
        let cli = std::fs::read_to_string(self.data().join("cli-token")).expect("a token").trim().to_owned();
        let code = request("POST", &format!("{base}/login/codes"), &cli, Some(json!({}))).1;
        let page = request("POST", &format!("{base}/login"), "", Some(json!({"code": code["code"]}))).1;
        Pilothouse { _process: process, base, page: page["token"].as_str().expect("a token").to_owned() }
    }

    fn window(&self, args: &[&str]) -> Command {
        let mut window = self.command(env!("CARGO_BIN_EXE_pilothouse-desktop"));
        window.arg("--data-dir").arg(self.data()).args(args);
        window
    }
}

fn program_folder() -> String {
    program().parent().expect("a folder").display().to_string()
}

/// Starts a program and reads its first line.
fn first_line(command: &mut Command) -> (Started, String) {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    output.read_line(&mut line).expect("a line");
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    assert!(!line.is_empty(), "{name} ended at its start");
    (Started(child), line.trim().to_owned())
}

fn request(method: &str, url: &str, token: &str, body: Option<Value>) -> (u16, Value) {
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let mut builder = ureq::http::Request::builder().method(method).uri(url);
    if !token.is_empty() {
        builder = builder.header("authorization", format!("Bearer {token}"));
    }
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    if !body.is_empty() {
        builder = builder.header("content-type", "application/json");
    }
    let mut response = agent.run(builder.body(body).expect("a request")).unwrap_or_else(|e| panic!("{url}: {e}"));
    (response.status().as_u16(), response.body_mut().read_json().unwrap_or_default())
}

struct Pilothouse {
    _process: Started,
    base: String,
    page: String,
}

impl Pilothouse {
    fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let (status, answer) = request(method, &format!("{}{path}", self.base), &self.page, body);
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer
    }

    fn session(&self) -> String {
        let session = json!({"engine": "practice", "prompt": "practice: wait 600"});
        self.ask("POST", "/sessions", Some(session))["id"].as_str().expect("an ID").to_owned()
    }

    fn until_open(&self, is_open: bool) {
        until("the window is open", || self.ask("GET", "/window", None)["isOpen"] == json!(is_open));
    }

    fn raise_as_agent(&self, session: &str) -> Value {
        let wanted = json!({"kind": "agent", "name": "A", "sessionId": session, "scopes": ["window:raise"]});
        let token = self.ask("POST", "/tokens", Some(wanted))["token"].as_str().expect("a token").to_owned();
        request("POST", &format!("{}/window/raise", self.base), &token, Some(json!({}))).1
    }
}

/// The processes below one whose name begins so.
fn children(pid: u32, name: &str) -> Vec<u32> {
    let output = Command::new("ps").args(["-o", "pid=,comm=", "--ppid", &pid.to_string()]).output().expect("ps runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let of_line = |line: &str| {
        let (pid, comm) = line.trim().split_once(' ')?;
        comm.trim().starts_with(name).then(|| pid.parse().expect("a number"))
    };
    text.lines().filter_map(of_line).collect()
}

const RENDERER: &str = "WebKitWebProces";

#[test]
fn one_window_comes_to_the_front_when_it_may_hides_when_closed_and_ends_with_pilothouse() {
    let desktop = Desktop::start("one");
    let pilothouse = desktop.pilothouse();
    let mut window = Started(desktop.window(&[]).spawn().expect("it runs"));
    desktop.until_shown("Pilothouse");
    pilothouse.until_open(true);

    // Another program is in front; an agent may not change that until the user lets it.
    let _other = Started(desktop.command("xev").args(["-name", "Other"]).spawn().expect("xev runs"));
    desktop.until_shown("Other");
    desktop.run("wmctrl", &["-a", "Other"]);
    desktop.until_front("Other");
    let session = pilothouse.session();
    assert_eq!(pilothouse.raise_as_agent(&session)["outcome"], "noted");
    assert!(desktop.front().contains("Other"));
    pilothouse.ask("PATCH", "/settings/allowAgentForegroundFromBackground", Some(json!({"value": true})));
    assert_eq!(pilothouse.raise_as_agent(&session)["outcome"], "raised");
    desktop.until_front("Pilothouse");

    // A second start shows the first window, at a link if one is named.
    desktop.run("wmctrl", &["-a", "Other"]);
    desktop.until_front("Other");
    assert!(desktop.window(&["pilothouse://inbox"]).status().expect("it ends").success());
    desktop.until_front("Pilothouse");
    let wrong = desktop.window(&["https://example.com"]).stderr(Stdio::piped()).output().expect("it ends");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("pilothouse://sessions/ID"), "{wrong:?}");

    // Closing hides it, and is explained once.
    desktop.run("wmctrl", &["-c", "Pilothouse"]);
    desktop.until_front("Other");
    until("the explanation", || {
        let rows = pilothouse.ask("GET", "/inbox?kind=window", None);
        rows["items"].as_array().is_some_and(|rows| !rows.is_empty())
    });
    pilothouse.until_open(true);
    assert_eq!(pilothouse.ask("POST", "/window/raise", Some(json!({})))["outcome"], "raised");
    desktop.until_front("Pilothouse");

    // A renderer that ends leaves the window, which offers to reload; the button has the focus. The web view may hold a
    // renderer ready for later, so all are ended.
    let end = |pid: u32| {
        // The web view may have ended it itself by now.
        let _ = Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status().expect("kill runs");
        until("its end", || !children(window.0.id(), RENDERER).contains(&pid));
    };
    children(window.0.id(), RENDERER).into_iter().for_each(end);
    desktop.until_shown("Page stopped");
    desktop.run("wmctrl", &["-a", "Page stopped"]);
    desktop.until_front("Page stopped");
    desktop.run("xdotool", &["key", "Return"]);
    desktop.until_front("Inbox - Pilothouse");

    // A session has a renderer of its own, which can end without the main window's.
    let main = children(window.0.id(), RENDERER).into_iter().min().expect("the main window's renderer");
    pilothouse.ask("POST", "/window/session", Some(json!({ "sessionId": session })));
    let has = |title: &str| desktop.titles().iter().any(|shown| shown.contains(title));
    // The page has its title when it has loaded; until then, the web view may still change its renderer.
    until("the session's window", || has("practice: wait 600 - Pilothouse"));
    // One that was held ready shows nothing when it ends, so the next newest follows.
    while !has("Page stopped") {
        let sessions = children(window.0.id(), RENDERER).into_iter().filter(|pid| *pid != main);
        end(sessions.max().expect("the session's renderer"));
        comes(Duration::from_secs(20), || has("Page stopped"));
    }
    assert!(has("Inbox - Pilothouse"), "{:?}", desktop.titles());

    pilothouse.ask("POST", "/app/quit", Some(json!({})));
    assert!(window.0.wait().expect("it ends").success());
}

/// What a process has in its environment under this name.
fn variable(pid: u32, name: &str) -> Option<String> {
    let all = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let start = format!("{name}=");
    let text = String::from_utf8_lossy(&all).into_owned();
    text.split('\0').find_map(|one| one.strip_prefix(&start)).map(str::to_owned)
}

#[test]
fn a_page_that_ends_right_after_the_start_is_drawn_in_another_way_once() {
    let desktop = Desktop::start("plain");
    let _pilothouse = desktop.pilothouse();
    let plain = "WEBKIT_DISABLE_DMABUF_RENDERER";
    let window = Started(desktop.window(&[]).env_remove(plain).spawn().expect("it runs"));
    let pid = window.0.id();
    desktop.until_shown(" Pilothouse");
    assert_eq!(variable(pid, plain), None);
    let end_all = || {
        for renderer in children(pid, RENDERER) {
            let _ = Command::new("kill").args(["-9", &renderer.to_string()]).stderr(Stdio::null()).status();
        }
    };
    end_all();
    until("it starts again", || variable(pid, plain).as_deref() == Some("1"));
    desktop.until_shown(" Pilothouse");
    end_all();
    desktop.until_shown("Page stopped");
}

/// Passes on what a Pilothouse and its window say, as a Pilothouse of version 9.9.9. Both ports have five digits, and so have
/// both versions, so that nothing changes its length.
fn newer(base: &str) -> u16 {
    let real = base.rsplit(':').next().expect("a port").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let pass = |mut from: std::net::TcpStream, mut to: std::net::TcpStream, changes: Vec<(String, String)>| {
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 20];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                let bytes = &mut buffer[..count];
                for (old, new) in &changes {
                    assert_eq!(old.len(), new.len());
                    let places: Vec<usize> = bytes
                        .windows(old.len())
                        .enumerate()
                        .filter(|(_, it)| *it == old.as_bytes())
                        .map(|it| it.0)
                        .collect();
                    places.iter().for_each(|at| bytes[*at..at + old.len()].copy_from_slice(new.as_bytes()));
                }
                if to.write_all(bytes).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(std::net::Shutdown::Write);
        });
    };
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = std::net::TcpStream::connect(format!("127.0.0.1:{real}")).expect("it listens");
            let (client_again, server_again) =
                (client.try_clone().expect("a copy"), server.try_clone().expect("a copy"));
            let (own, other) = (format!(":{port}"), format!(":{real}"));
            pass(client, server, vec![(own.clone(), other.clone())]);
            let version = |version: &str| format!(r#""version":"{version}""#);
            let changes = vec![(other, own), (version(env!("CARGO_PKG_VERSION")), version("9.9.9"))];
            pass(server_again, client_again, changes);
        }
    });
    port
}

#[test]
fn after_an_update_the_window_starts_again_once_as_it_was() {
    let desktop = Desktop::start("update");
    let pilothouse = desktop.pilothouse();
    let port = newer(&pilothouse.base);
    // What the window asks for its sign-in link.
    let script = format!("#!/bin/sh\n{} \"$@\" | sed 's/:[0-9][0-9]*\\//:{port}\\//'\n", program().display());
    let own = desktop.home.join("bin/pilothouse");
    std::fs::write(&own, script).expect("a program");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).expect("it can run");
    let window = Started(desktop.window(&["--hidden"]).spawn().expect("it runs"));
    until("it starts again", || variable(window.0.id(), "PILOTHOUSE_WINDOW_STARTED_FOR").as_deref() == Some("9.9.9"));
    pilothouse.until_open(true);
    assert!(!desktop.titles().iter().any(|title| title.contains("Pilothouse")), "{:?}", desktop.titles());
    assert_eq!(pilothouse.ask("POST", "/window/raise", Some(json!({})))["outcome"], "raised");
    desktop.until_front("Pilothouse");
}

#[test]
fn without_a_display_it_says_so_and_starts_nothing() {
    let desktop = Desktop::start("none");
    let output = desktop.window(&[]).env_remove("DISPLAY").stderr(Stdio::piped()).output().expect("it ends");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`pilothouse open` shows Pilothouse in a browser"), "{said}");
    assert!(!desktop.data().exists(), "nothing was started");
}

#[test]
fn without_pilothouse_it_starts_one_that_outlives_the_window() {
    let desktop = Desktop::start("start");
    let window = Started(desktop.window(&[]).spawn().expect("it runs"));
    desktop.until_shown("Pilothouse");
    let instance: Value =
        serde_json::from_slice(&std::fs::read(desktop.data().join("instance.json")).expect("it runs")).expect("JSON");
    let pid = instance["pid"].as_u64().expect("a process").to_string();
    drop(window);
    assert!(Command::new("kill").args(["-0", &pid]).status().expect("kill runs").success(), "it goes on");
    let opened = desktop.command(program()).args(["app", "quit", "--data-dir"]).arg(desktop.data()).status();
    assert!(opened.expect("it ends").success());
}

/// A WebDriver session in the window.
struct Driver {
    session: String,
    _process: Started,
}

impl Driver {
    fn start(desktop: &Desktop) -> Driver {
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
        let mut driver = desktop.command("WebKitWebDriver");
        driver.arg(format!("--port={port}")).env("TAURI_WEBVIEW_AUTOMATION", "true");
        let process = Started(driver.spawn().expect("WebKitWebDriver runs"));
        let base = format!("http://127.0.0.1:{port}");
        until("WebDriver", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        let options =
            json!({"binary": env!("CARGO_BIN_EXE_pilothouse-desktop"), "args": ["--data-dir", desktop.data()]});
        let wanted = json!({"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}});
        let (status, made) = request("POST", &format!("{base}/session"), "", Some(wanted));
        assert_eq!(status, 200, "{made}");
        let id = made["value"]["sessionId"].as_str().expect("a session").to_owned();
        Driver { session: format!("{base}/session/{id}"), _process: process }
    }

    fn script(&self, script: &str) -> Value {
        let body = json!({"script": script, "args": []});
        request("POST", &format!("{}/execute/sync", self.session), "", Some(body)).1["value"].clone()
    }

    /// Clicks a link as a person does.
    fn follow_link(&self, href: &str, target: &str) {
        let script = format!(
            "const link = document.createElement('a'); Object.assign(link, {{ href: '{href}', target: '{target}', \
             textContent: 'Away', style: 'position: fixed; inset: 0; z-index: 9999' }}); document.body.append(link); return link"
        );
        let link = self.script(&script);
        let id = link.as_object().and_then(|link| link.values().next()).and_then(Value::as_str).expect("an element");
        let (status, answer) = request("POST", &format!("{}/element/{id}/click", self.session), "", Some(json!({})));
        assert_eq!(status, 200, "{answer}");
    }

    fn url(&self) -> String {
        request("GET", &format!("{}/url", self.session), "", None).1["value"].as_str().unwrap_or_default().to_owned()
    }

    fn keys(&self, keys: &[(&str, &str)]) {
        let actions: Vec<Value> = keys.iter().map(|(kind, value)| json!({"type": kind, "value": value})).collect();
        let body = json!({"actions": [{"type": "key", "id": "k", "actions": actions}]});
        let (status, answer) = request("POST", &format!("{}/actions", self.session), "", Some(body));
        assert_eq!(status, 200, "{answer}");
    }
}

#[test]
fn the_page_is_signed_in_zooms_by_keyboard_and_leaves_the_web_to_the_browser() {
    let desktop = Desktop::start("page");
    let pilothouse = desktop.pilothouse();
    let driver = Driver::start(&desktop);
    let shown = "return document.body.innerText.includes('Project boards')";
    until("the page", || driver.script(shown) == json!(true));
    assert!(driver.url().starts_with(&format!("{}/app", pilothouse.base)), "{}", driver.url());

    // Ctrl and = make everything larger, which is remembered.
    driver.keys(&[("keyDown", "\u{e009}"), ("keyDown", "="), ("keyUp", "="), ("keyUp", "\u{e009}")]);
    let zoom = || {
        let text = std::fs::read(desktop.data().join("window.json")).unwrap_or_default();
        serde_json::from_slice::<Value>(&text).unwrap_or_default()["zoom"].clone()
    };
    until("a larger page", || zoom() == json!(110));

    // A link that opens a new window, and one that would leave the page.
    driver.follow_link("https://example.com/new", "_blank");
    until("the browser", || desktop.opened().contains("https://example.com/new"));
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let left = format!("http://127.0.0.1:{closed}/left");
    driver.follow_link(&left, "");
    until("the browser again", || desktop.opened().contains(&left));
    until("the page", || driver.script(shown) == json!(true));
    assert!(driver.url().starts_with(&pilothouse.base), "{}", driver.url());

    // A command of Pilothouse goes to a page without loading it anew.
    driver.script("window.stays = true; return null");
    pilothouse.ask("POST", "/window/raise", Some(json!({"page": "/app/alarms"})));
    until("the alarms", || driver.url().contains("/app/alarms"));
    assert_eq!(driver.script("return window.stays"), json!(true));
}

#[test]
fn a_note_stays_above_other_windows_where_it_was_put_and_closes_with_its_setting() {
    let desktop = Desktop::start("note");
    let pilothouse = desktop.pilothouse();
    let set = |is_on: bool| pilothouse.ask("PATCH", "/settings/stickyNotesEnabled", Some(json!({"value": is_on})));
    set(true);
    let id = pilothouse.ask("POST", "/notes", Some(json!({"text": "Call Ada"})))["id"].clone();
    let id = id.as_str().expect("an ID").to_owned();

    // A window that starts opens the notes that are open.
    let start = || Started(desktop.window(&[]).spawn().expect("the window starts"));
    let window = start();
    desktop.until_shown("^Note$");
    let number = || {
        let found = desktop.run("xdotool", &["search", "--onlyvisible", "--name", "^Note$"]).stdout;
        String::from_utf8_lossy(&found).split_whitespace().next().unwrap_or_default().to_owned()
    };
    let state = |name: &str| {
        let output = desktop.run("xprop", &["-id", &number(), name]).stdout;
        String::from_utf8_lossy(&output).into_owned()
    };
    until("above other windows", || state("_NET_WM_STATE").contains("_NET_WM_STATE_ABOVE"));
    assert!(state("_MOTIF_WM_HINTS").contains("= 0x2, 0x0, 0x0"), "without a frame: {}", state("_MOTIF_WM_HINTS"));

    // Where it's moved to is kept over a restart of the window.
    let place = || {
        let output = desktop.run("xdotool", &["getwindowgeometry", "--shell", &number()]).stdout;
        let text = String::from_utf8_lossy(&output).into_owned();
        let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.parse::<i32>().ok());
        (of("X="), of("Y="))
    };
    desktop.run("xdotool", &["windowmove", &number(), "420", "310"]);
    until("the new place", || place() == (Some(420), Some(310)));
    // The window reports its place once it rests. No answer has it, so that the database's files are read: both numbers
    // are next to each other in the note's row.
    let row = [420_u16.to_be_bytes(), 310_u16.to_be_bytes()].concat();
    let is_stored = || {
        let files = std::fs::read_dir(desktop.data()).expect("the data folder").flatten();
        let databases = files.filter(|file| file.file_name().to_string_lossy().starts_with("pilothouse.db"));
        let mut texts = databases.filter_map(|file| std::fs::read(file.path()).ok());
        texts.any(|text| text.windows(row.len()).any(|part| part == row))
    };
    until("a stored place", is_stored);
    drop(window);
    pilothouse.until_open(false);
    let _window = start();
    desktop.until_shown("^Note$");
    until("the same place", || place() == (Some(420), Some(310)));

    let is_shown = || desktop.run("xdotool", &["search", "--onlyvisible", "--name", "^Note$"]).status.success();
    set(false);
    until("no note", || !is_shown());
    set(true);
    desktop.until_shown("^Note$");
    pilothouse.ask("PATCH", &format!("/notes/{id}"), Some(json!({"isOpen": false})));
    until("a closed note", || !is_shown());
}

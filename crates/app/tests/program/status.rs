//! What is chosen at the start stays what it is until the next one: the engine of sessions, over a whole program.

use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};
use std::path::Path;

/// Looks at a session until it stands somewhere; far more often than it takes.
const LOOKS: usize = 20_000;

/// The page of a running program: what its owner does.
pub struct Page {
    program: Running,
    token: String,
}

impl Page {
    pub fn open(dir: &Path, log: &Path) -> Page {
        let program = Running::start(dir, log, Disk::Free, "warn");
        let code = program.ask(&cli_token(dir), "POST", "/login/codes", Some(json!({}))).1["code"].clone();
        let token = program.ask("", "POST", "/login", Some(json!({"code": code}))).1["token"].clone();
        Page { token: token.as_str().expect("a token").to_owned(), program }
    }

    pub fn done(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let (status, answer) = self.program.ask(&self.token, method, path, body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    fn until(&self, session: &str, state: &str) {
        let path = format!("/sessions/{session}");
        let stands = || self.done("GET", &path, None)["state"].clone();
        assert!((0..LOOKS).any(|_| stands() == state), "{state} is expected, but it is {}", stands());
    }

    fn engine(&self) -> Value {
        self.done("GET", "/status", None)["sessionEngine"].clone()
    }

    pub fn transcript(&self, session: &str) -> Value {
        self.done("GET", &format!("/sessions/{session}/transcript?after=0&limit=1000"), None)
    }

    fn set(&self, rebuilt: bool) {
        self.done("PATCH", "/settings/sessionStoreV2Enabled", Some(json!({"value": rebuilt})));
    }

    /// Has the session do something, and puts it away again.
    fn work(&self, session: &str, prompt: &str) {
        self.done("POST", &format!("/sessions/{session}/messages"), Some(json!({"prompt": prompt})));
        self.until(session, "idle");
        self.done("POST", &format!("/sessions/{session}/archive"), Some(json!({})));
        self.until(session, "archived");
    }
}

#[test]
fn another_engine_of_sessions_is_taken_up_at_the_next_start_and_serves_the_same_sessions() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (dir, log) = (place.path().join("data"), place.path().join("log"));
    let page = Page::open(&dir, &log);
    let v2 = json!({"running": "v2", "set": "v2", "pendingRestart": false, "note": null});
    assert_eq!(page.engine(), v2);
    let made = page.done("POST", "/sessions", Some(json!({"engine": "practice", "prompt": "practice: say One"})));
    let session = made["id"].as_str().expect("an id").to_owned();
    page.until(&session, "idle");
    page.done("POST", &format!("/sessions/{session}/archive"), Some(json!({})));
    page.until(&session, "archived");
    page.set(false);
    let waits = json!({"running": "v2", "set": "v1", "pendingRestart": true, "note": "restart to apply"});
    assert_eq!(page.engine(), waits);
    let before = page.transcript(&session);
    assert!(before.to_string().contains("One"));
    page.program.stop();

    let page = Page::open(&dir, &log);
    assert_eq!(page.engine(), json!({"running": "v1", "set": "v1", "pendingRestart": false, "note": null}));
    assert_eq!(page.transcript(&session), before);
    page.work(&session, "practice: say Two");
    let both = page.transcript(&session);
    assert!(both.to_string().contains("Two"));
    page.set(true);
    page.program.stop();

    let page = Page::open(&dir, &log);
    assert_eq!((page.engine(), page.transcript(&session)), (v2, both));
}

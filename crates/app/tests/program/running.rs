//! The real program as another process, spoken to over HTTP.

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Longer than any answer takes, also on a machine under load; less than what another program's lock is waited for.
const ANSWER_MAX: Duration = Duration::from_secs(4);

/// What the disk of a program has room for.
pub enum Disk {
    /// Whatever comes.
    Free,
    /// Nothing.
    Full,
    /// Files of 512 bytes. On a full disk a file has the room of the one that it is written in the place of, of which a limit
    /// of sizes knows nothing: with this one what is small has such room, and a page of the database has none.
    FullButForSmallFiles,
}

/// The program as another process; stopped with the test.
pub struct Running {
    child: Child,
    /// Its host and port.
    pub address: String,
}

impl Running {
    /// Starts it on a data directory. Its log goes to a file on the same disk.
    pub fn start(dir: &Path, log: &Path, disk: Disk, level: &str) -> Running {
        Running::started(&[], dir, log, disk, level)
    }

    /// The same in another home.
    pub fn start_at(home: &Path, dir: &Path, log: &Path, disk: Disk, level: &str) -> Running {
        Running::started(&[("HOME", home.as_os_str())], dir, log, disk, level)
    }

    /// The same with these variables.
    pub fn start_with(env: &[(&str, &OsStr)], dir: &Path, log: &Path) -> Running {
        Running::started(env, dir, log, Disk::Free, "warn")
    }

    fn started(env: &[(&str, &OsStr)], dir: &Path, log: &Path, disk: Disk, level: &str) -> Running {
        let log = File::options().create(true).append(true).open(log).expect("a log");
        // Beyond the limit the system sends a signal first; a shell can hand on that it is ignored.
        let limit = match disk {
            Disk::Free => "",
            Disk::Full => "trap '' XFSZ; ulimit -f 0; ",
            Disk::FullButForSmallFiles => "trap '' XFSZ; ulimit -f 1; ",
        };
        let mut child = Command::new("sh")
            .args(["-c", &format!("{limit}exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_pilothouse")])
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(dir)
            .env("PILOTHOUSE_LOG", level)
            .envs(env.iter().copied())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("a shell runs");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().rsplit_once("http://").map(|(_, address)| address.to_owned());
        Running { child, address: address.unwrap_or_else(|| panic!("it did not start: {line:?}")) }
    }

    /// One request; its status and its JSON.
    pub fn ask(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let body = body.map_or(String::new(), |body| body.to_string());
        self.exchange(token, method, path, "application/json", &body)
    }

    /// A token of the page.
    pub fn page_token(&self, cli: &str) -> String {
        let (_, code) = self.ask(cli, "POST", "/login/codes", Some(json!({})));
        let (_, page) = self.ask("", "POST", "/login", Some(json!({"code": code["code"]})));
        page["token"].as_str().expect("a token").to_owned()
    }

    /// A session that goes on, for which tokens can be made.
    pub fn session(&self, cli: &str) -> String {
        self.session_with(&self.page_token(cli), "practice: wait 600")
    }

    /// A practice session with this prompt.
    pub fn session_with(&self, page: &str, prompt: &str) -> String {
        let session = json!({"engine": "practice", "prompt": prompt});
        let (status, made) = self.ask(page, "POST", "/sessions", Some(session));
        assert_eq!(status, 201, "{made}");
        made["id"].as_str().expect("an id").to_owned()
    }

    /// Sends a table; the status and the JSON of the answer.
    pub fn send(&self, token: &str, path: &str, text: &str) -> (u16, Value) {
        self.exchange(token, "POST", path, "text/csv", text)
    }

    fn exchange(&self, token: &str, method: &str, path: &str, media: &str, body: &str) -> (u16, Value) {
        self.try_exchange(token, method, path, media, body).unwrap_or_else(|e| panic!("{method} {path}: {e}"))
    }

    /// One request; an error where the program ended before its answer was whole.
    pub fn try_ask(&self, token: &str, method: &str, path: &str, body: &Value) -> io::Result<(u16, Value)> {
        let answer = self.try_exchange(token, method, path, "application/json", &body.to_string())?;
        // A body that is cut off is no JSON.
        if answer.1.is_null() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(answer) }
    }

    fn try_exchange(&self, token: &str, method: &str, path: &str, media: &str, body: &str) -> io::Result<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(ANSWER_MAX))?;
        let authorization = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
        let content = format!("Content-Type: {media}\r\nContent-Length: {}\r\n", body.len());
        let content = if body.is_empty() { String::new() } else { content };
        let host = &self.address;
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{authorization}{content}\r\n");
        stream.write_all((head + body).as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(cut)?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
        Ok((status, serde_json::from_str(body).unwrap_or(Value::Null)))
    }

    /// Ends it as the system would: nothing of it runs after it.
    pub fn kill(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-9", &pid]).status().expect("it is told").success());
    }

    /// Waits until it ends by itself.
    pub fn ended(mut self) {
        assert!(self.child.wait().expect("it ends").success());
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(mut self) {
        let pid = self.child.id().to_string();
        Command::new("kill").arg(&pid).status().expect("it is told");
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command-line token of a data directory.
pub fn cli_token(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("cli-token")).expect("a token").trim().to_owned()
}

//! What ours is measured against.

use crate::client::Answer;
use axum::extract;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::routing::{get, patch};
use bytes::Bytes;
use rusqlite::Connection;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// A bare axum server in a process of its own, as ours is: in this one it would share threads with the load.
pub struct Bare {
    child: Child,
    /// Where it listens.
    pub host: String,
}

impl Bare {
    /// Starts one that answers the same bytes: the body at `/whole`, 304 with the same headers at `/unchanged`, and 304 with
    /// no header of its own at `/nothing`. `/commit/N` makes a bare one-row commit: the least that a change over HTTP takes.
    pub fn start(body: &[u8], unchanged: Option<&Answer>, dir: &Path) -> Bare {
        let file = dir.join("bare-body");
        std::fs::write(&file, body).expect("a file");
        let own = std::env::current_exe().expect("this program");
        let mut command = Command::new(own);
        command.arg("--bare").arg(file);
        let headers = unchanged.into_iter().flat_map(Answer::headers);
        // The server writes the date by itself.
        command.args(headers.filter(|(name, _)| *name != "date").flat_map(|(name, value)| [name, value]));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut host = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut host).expect("its address");
        Bare { child, host: host.trim().to_owned() }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the process of [`Bare`] does, until it is killed.
pub async fn serve(file: &Path, headers: &[String]) {
    let body = Bytes::from(std::fs::read(file).expect("the body"));
    let unchanged: HeaderMap = headers
        .chunks_exact(2)
        .map(|pair| {
            let name: HeaderName = pair[0].parse().expect("a name");
            (name, HeaderValue::from_str(&pair[1]).expect("a value"))
        })
        .collect();
    let commits = Arc::new(Mutex::new(Commits::open(&file.with_extension("db"))));
    let commit = move |extract::Path(value): extract::Path<i64>| {
        commits.lock().expect("no panic while held").commit(value);
        std::future::ready("{}")
    };
    let routes = axum::Router::new()
        .route("/commit/{value}", patch(commit))
        .route("/whole", get(move || std::future::ready(([("content-type", "application/json")], body.clone()))))
        .route("/unchanged", get(move || std::future::ready((StatusCode::NOT_MODIFIED, unchanged.clone()))))
        .route("/nothing", get(|| std::future::ready(StatusCode::NOT_MODIFIED)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    axum::serve(listener, routes).await.expect("it serves");
}

/// One-row commits with nothing around them: WAL, synced at each commit.
pub struct Commits(Connection);

impl Commits {
    /// Opens a database of its own.
    pub fn open(file: &Path) -> Commits {
        let db = Connection::open(file).expect("a database");
        db.pragma_update(None, "journal_mode", "WAL").expect("WAL");
        db.pragma_update(None, "synchronous", "FULL").expect("synchronous");
        db.execute_batch("CREATE TABLE IF NOT EXISTS one (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
            .expect("a table");
        Commits(db)
    }

    /// Commits one row.
    pub fn commit(&self, value: i64) {
        let mut insert = self
            .0
            .prepare_cached("INSERT INTO one VALUES ('k', ?1) ON CONFLICT DO UPDATE SET value = excluded.value")
            .expect("a statement");
        insert.execute([value.to_string()]).expect("a commit");
    }
}

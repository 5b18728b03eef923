//! What ours is measured against.

use axum::http::StatusCode;
use axum::routing::get;
use bytes::Bytes;
use rusqlite::Connection;
use std::path::Path;

/// A bare axum server with the same bytes at `/whole` and a bare 304 at `/unchanged`; its address.
pub async fn serve(body: Bytes) -> String {
    let routes = axum::Router::new()
        .route("/whole", get(move || std::future::ready(([("content-type", "application/json")], body.clone()))))
        .route("/unchanged", get(|| std::future::ready(StatusCode::NOT_MODIFIED)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

/// One-row commits with nothing around them: WAL, synced at each commit.
pub struct Commits(Connection);

impl Commits {
    /// Opens a database of its own.
    pub fn open(file: &Path) -> Commits {
        let db = Connection::open(file).expect("a database");
        db.pragma_update(None, "journal_mode", "WAL").expect("WAL");
        db.pragma_update(None, "synchronous", "FULL").expect("synchronous");
        db.execute_batch("CREATE TABLE one (key TEXT PRIMARY KEY, value TEXT NOT NULL)").expect("a table");
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

//! For tests: bytes in, answer out, and a check that no operation is open to whom its row does not name.

use kit::op::Takes;
use kit::{Kind, Op};
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer as it came over the wire.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its status; 0 when the connection was closed without an answer.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body, chunks as they were framed.
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads what came until the connection was closed.
    pub fn read(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        let headers = lines.filter_map(|line| line.split_once(": ")).map(|(n, v)| (n.to_lowercase(), v.to_owned()));
        Answer { status, headers: headers.collect(), body: bytes.get(end + 4..).unwrap_or_default().to_vec() }
    }
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
    /// The JSON body, or null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
    /// The `code` of a problem.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Sends these bytes on a connection of their own and reads until it is closed. Requests should ask for `Connection: close`.
pub async fn send(address: SocketAddr, request: &[u8]) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address).await?;
    // A server that has refused may close before everything is sent; what it said is still read.
    let sent = stream.write_all(request).await;
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes).await {
        Ok(_) => {}
        Err(e) if bytes.is_empty() && e.kind() != io::ErrorKind::ConnectionReset => return Err(e),
        Err(_) => {}
    }
    if bytes.is_empty() {
        sent?;
    }
    Ok(Answer::read(&bytes))
}

/// A plain request with the headers that it needs, and a body whose type is given.
pub fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<(&str, &str)>,
) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    if let Some(token) = token {
        text += &format!("authorization: Bearer {token}\r\n");
    }
    let (media, body) = body.unwrap_or_default();
    if !media.is_empty() {
        text += &format!("content-type: {media}\r\ncontent-length: {}\r\n", body.len());
    }
    text += "\r\n";
    text += body;
    text.into_bytes()
}

/// Tokens of a running server, for [`check_access`].
pub struct Tokens {
    /// One token of each kind that can hold one; a session's carries every scope.
    pub of_kinds: Vec<(Kind, String)>,
    /// A session's token without any scope.
    pub agent_without_scopes: String,
}

/// Calls every operation without a token, with an unknown one and with one of each kind that it is not open to, and gives
/// every case in which it was not refused. A kind without a token is such a case: what was not tried is not known to be shut.
pub async fn check_access(address: SocketAddr, ops: &[Op], tokens: &Tokens) -> io::Result<Vec<String>> {
    let unknown = format!("ph_cli_{}", "0".repeat(64));
    let mut failures = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Public) {
        if !tokens.of_kinds.iter().any(|(of, _)| *of == kind) {
            failures.push(format!("no token of the kind {} was given", kind.name()));
        }
    }
    for op in ops {
        let mut cases: Vec<(&str, Option<&str>, &[u16])> = Vec::new();
        if !op.who.has(Kind::Public) {
            cases.push(("no token", None, &[401]));
        }
        cases.push(("an unknown token", Some(&unknown), &[401]));
        for (kind, token) in tokens.of_kinds.iter().filter(|(kind, _)| !op.who.has(*kind)) {
            cases.push((kind.name(), Some(token), &[403]));
        }
        if op.who.has(Kind::Agent) && !op.scope.is_empty() {
            cases.push(("a session without scopes", Some(&tokens.agent_without_scopes), &[403]));
        }
        let path: Vec<_> = op.path.split('/').map(|part| if part.starts_with('{') { "x" } else { part }).collect();
        let body = match op.takes {
            Takes::Json if op.method.reads() || op.method == kit::Method::Delete => None,
            Takes::Json => Some(("application/json", "{}")),
            Takes::File(media) => Some((media.first().copied().unwrap_or("text/plain"), "x")),
        };
        for (who, token, refusals) in cases {
            let answer = send(address, &request(address, op.method.name(), &path.join("/"), token, body)).await?;
            if !refusals.contains(&answer.status) {
                failures.push(format!("{}: {who} was answered {}, not {refusals:?}", op.name, answer.status));
            }
        }
    }
    Ok(failures)
}

//! For tests: bytes in, answer out, and a check that no operation is open to whom its row does not name.

use crate::events_stream::EVENT_STREAM;
use kit::op::Takes;
use kit::{Kind, Op};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
    /// The names of its headers that no answer may have: a cookie, or leave for another origin's page.
    pub fn forbidden_headers(&self) -> Vec<&str> {
        let names = self.headers.iter().map(|(name, _)| name.as_str());
        names.filter(|name| name.starts_with("set-cookie") || name.starts_with("access-control-")).collect()
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

/// Sends these bytes and reads the head of the answer only: that of an event stream has no end.
pub async fn send_for_head(address: SocketAddr, request: &[u8]) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request).await?;
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|w| w == b"\r\n\r\n") && stream.read_buf(&mut bytes).await? > 0 {}
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
    /// By each scope that an operation needs: the token of a session with every other scope, and of one with this alone.
    pub of_scopes: BTreeMap<&'static str, (String, String)>,
}

/// The path of an operation with something in the place of each identifier.
fn path_of(op: &Op) -> String {
    let parts: Vec<_> = op.path.split('/').map(|part| if part.starts_with('{') { "x" } else { part }).collect();
    parts.join("/")
}

/// A body of the type that an operation takes, where it takes one.
fn body_of(op: &Op) -> Option<(&'static str, &'static str)> {
    match op.takes {
        Takes::Json if op.method.reads() || op.method == kit::Method::Delete => None,
        Takes::Json => Some(("application/json", "{}")),
        Takes::File(media) => Some((media.first().copied().unwrap_or("text/plain"), "x")),
    }
}

/// Calls every operation with each of the tokens, without one, and as another origin's page would ask first; the answers
/// that carry a cookie or a leave for that page, and how many answers there were by status.
pub async fn check_headers(
    address: SocketAddr,
    ops: &[Op],
    tokens: &[String],
) -> io::Result<(Vec<String>, BTreeMap<u16, usize>)> {
    let (mut failures, mut statuses) = (Vec::new(), BTreeMap::new());
    for op in ops {
        let path = path_of(op);
        let plain = |token| request(address, op.method.name(), &path, token, body_of(op));
        let from_page = |method: &str, token| {
            let own = format!("host: {address}\r\n");
            let more =
                format!("{own}origin: http://{address}\r\naccess-control-request-method: POST\r\ncookie: a=b\r\n");
            let text = String::from_utf8_lossy(&request(address, method, &path, token, None)).replace(&own, &more);
            text.into_bytes()
        };
        let of_tokens = tokens.iter().map(|token| plain(Some(token)));
        let preflights = tokens.iter().map(|token| from_page("OPTIONS", Some(token)));
        let reads = op.method.reads().then(|| from_page("GET", tokens.first().map(String::as_str)));
        for request in of_tokens.chain(preflights).chain(reads).chain([plain(None), from_page("OPTIONS", None)]) {
            let answer = send_for_head(address, &request).await?;
            *statuses.entry(answer.status).or_default() += 1;
            failures.extend(answer.forbidden_headers().iter().map(|name| format!("{}: {name}", op.name)));
        }
    }
    Ok((failures, statuses))
}

/// How often a request is sent again that found all connections taken.
const BUSY_TRIES: usize = 1_000;

/// How the holder of a token comes through MCP at an operation that nobody may come at there.
async fn shut_through_mcp(address: SocketAddr, op: &Op, token: &str) -> io::Result<Option<String>> {
    // What is open without a token is no tool, and neither is a stream.
    let code = match (op.callers.has(Kind::Public), op.callers.has(Kind::Agent)) {
        (true, _) => "not-found",
        (false, true) => return Ok(None),
        (false, false) if op.media.contains(&EVENT_STREAM) => "not-found",
        (false, false) => "forbidden-caller",
    };
    let asked = async |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let body = Some(("application/json", &*message));
        let mut answer = send(address, &request(address, "POST", "/mcp", Some(token), body)).await?;
        // On a busy machine, connections of earlier requests are still open, and another one is refused for a moment.
        for _ in 0..BUSY_TRIES {
            if ![429, 503].contains(&answer.status) {
                break;
            }
            tokio::task::yield_now().await;
            answer = send(address, &request(address, "POST", "/mcp", Some(token), body)).await?;
        }
        let text = answer.json()["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        Ok::<Value, io::Error>(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    };
    let found = asked("find_operation", json!({"query": op.name})).await?;
    if found["operations"].as_array().is_none_or(|found| found.iter().any(|one| one["name"] == op.name)) {
        return Ok(Some(format!("is offered it by {found}")));
    }
    let called = asked("call_operation", json!({"name": op.name})).await?;
    Ok((called["code"] != code).then(|| format!("is answered {called}, not {code},")))
}

/// Calls every operation without a token, with an unknown one, with one of each kind that it is not open to, with those of
/// sessions that lack its scope and of one that has it alone, and through MCP where it is not open to agents. Gives every case in which who has no right to it was not
/// refused, or who has was. What has no token here is such a case: what was not tried is not known to be shut.
pub async fn check_access(address: SocketAddr, ops: &[Op], tokens: &Tokens) -> io::Result<Vec<String>> {
    let unknown = format!("ph_cli_{}", "0".repeat(64));
    let mut failures = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Public) {
        if !tokens.of_kinds.iter().any(|(of, _)| *of == kind) {
            failures.push(format!("no token of the kind {} was given", kind.name()));
        }
    }
    for op in ops {
        let mut refused: Vec<(&str, Option<&str>, u16)> = Vec::new();
        let mut let_in = None;
        if !op.callers.has(Kind::Public) {
            refused.push(("no token", None, 401));
        }
        refused.push(("an unknown token", Some(&unknown), 401));
        for (kind, token) in tokens.of_kinds.iter().filter(|(kind, _)| !op.callers.has(*kind)) {
            refused.push((kind.name(), Some(token), 403));
        }
        if op.callers.has(Kind::Agent) && !op.scope.is_empty() {
            for scope in op.scopes() {
                match tokens.of_scopes.get(scope) {
                    Some((others, _)) => refused.push(("a session without one of its scopes", Some(others), 403)),
                    None => failures.push(format!("{}: no session's token without {scope} was given", op.name)),
                }
            }
            match tokens.of_scopes.get(op.scope) {
                Some((_, alone)) => let_in = Some(alone),
                None => failures.push(format!("{}: no session's token for {} was given", op.name, op.scope)),
            }
        }
        for (kind, token) in &tokens.of_kinds {
            let answered = shut_through_mcp(address, op, token).await?;
            failures.extend(answered.map(|how| format!("{}: {} {how} through MCP", op.name, kind.name())));
        }
        let request = |token| request(address, op.method.name(), &path_of(op), token, body_of(op));
        for (who, token, status) in refused {
            let answer = send_for_head(address, &request(token)).await?;
            if answer.status != status {
                failures.push(format!("{}: {who} was answered {}, not {status}", op.name, answer.status));
            }
        }
        if let Some(token) = let_in {
            // Whatever the operation then says: that of what there is not is one of its own answers.
            let answer = send_for_head(address, &request(Some(token))).await?;
            if [0, 401, 403].contains(&answer.status) {
                failures.push(format!("{}: a session with {} alone was answered {}", op.name, op.scope, answer.status));
            }
        }
    }
    Ok(failures)
}

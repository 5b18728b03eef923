//! The smallest HTTP client that can load a server: kept-alive connections, whole answers read.

use bytes::Bytes;
use serde_json::Value;
use std::io::{Read, Write};
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One kept-alive connection.
pub struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer.
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    head: String,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// Names and values of the headers.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head.lines().filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim()))
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().find_map(|(found, value)| found.eq_ignore_ascii_case(name).then_some(value))
    }
}

impl Client {
    /// Connects.
    pub async fn connect(host: &str) -> Client {
        let stream = TcpStream::connect(host).await.expect("the server accepts");
        stream.set_nodelay(true).expect("a socket option");
        Client { stream, buffer: Vec::with_capacity(1 << 20) }
    }

    /// Sends a request and reads the whole answer.
    pub async fn send(&mut self, request: &[u8]) -> Answer {
        self.stream.write_all(request).await.expect("the request is taken");
        let head_end = loop {
            if let Some(at) = self.buffer.windows(4).position(|w| w == b"\r\n\r\n") {
                break at + 4;
            }
            self.fill().await;
        };
        let head = String::from_utf8_lossy(&self.buffer[..head_end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
        let answer = Answer { status, head, body: Bytes::new() };
        let length: usize = answer.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
        while self.buffer.len() < head_end + length {
            self.fill().await;
        }
        let body = Bytes::copy_from_slice(&self.buffer[head_end..head_end + length]);
        self.buffer.drain(..head_end + length);
        Answer { body, ..answer }
    }

    async fn fill(&mut self) {
        let read = self.stream.read_buf(&mut self.buffer).await.expect("the answer arrives");
        assert!(read > 0, "the server closed the connection: {}", String::from_utf8_lossy(&self.buffer));
    }
}

/// Requests a second over some connections.
pub async fn rate(host: &str, request: &str, connections: usize, requests: usize) -> f64 {
    let mut clients = Vec::new();
    for _ in 0..connections {
        clients.push(Client::connect(host).await);
    }
    let begun = Instant::now();
    let tasks: Vec<_> = clients
        .into_iter()
        .map(|mut client| {
            let request = request.to_owned();
            tokio::spawn(async move {
                for _ in 0..requests / connections {
                    let answer = client.send(request.as_bytes()).await;
                    assert!(
                        answer.status < 400,
                        "refused with {}: {}",
                        answer.status,
                        String::from_utf8_lossy(&answer.body)
                    );
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no request fails");
    }
    requests as f64 / begun.elapsed().as_secs_f64()
}

/// One kept-alive connection that its own thread waits for: with nothing to wake on this side, only the server is measured.
pub struct Direct {
    stream: std::net::TcpStream,
    host: String,
    token: String,
    buffer: Vec<u8>,
    /// What is read at once; kept, since taking so much memory for each answer would be measured along.
    piece: Vec<u8>,
}

impl Direct {
    /// Connects as whoever a token speaks for.
    pub fn connect(host: &str, token: &str) -> Direct {
        let stream = std::net::TcpStream::connect(host).expect("the server accepts");
        stream.set_nodelay(true).expect("a socket option");
        let (buffer, piece) = (Vec::with_capacity(64 * 1024), vec![0; 256 * 1024]);
        Direct { stream, host: host.to_owned(), token: token.to_owned(), buffer, piece }
    }

    /// Sends a request, and gives the bytes of the answer's body and the milliseconds until all were here.
    pub fn send(&mut self, method: &str, path: &str, accept: &str, body: &[u8]) -> (&[u8], f64) {
        self.send_as(method, path, accept, "application/json", body)
    }

    /// The same with a body of another type.
    pub fn send_as(&mut self, method: &str, path: &str, accept: &str, media: &str, body: &[u8]) -> (&[u8], f64) {
        let Direct { stream, host, token, buffer, piece } = self;
        let token = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{token}Accept: {accept}\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        buffer.clear();
        let begun = Instant::now();
        stream.write_all(&request).expect("the request is taken");
        let mut whole = None;
        while whole.is_none_or(|(_, end)| buffer.len() < end) {
            let read = stream.read(piece).expect("the answer arrives");
            assert!(read > 0, "the server closed the connection: {}", String::from_utf8_lossy(buffer));
            buffer.extend_from_slice(&piece[..read]);
            if whole.is_none()
                && let Some(at) = buffer.windows(4).position(|w| w == b"\r\n\r\n")
            {
                let head = String::from_utf8_lossy(&buffer[..at]).to_ascii_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
                whole = Some((at + 4, at + 4 + length.unwrap_or(0)));
            }
        }
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        assert!(buffer.starts_with(b"HTTP/1.1 2"), "{method} {path}: {}", String::from_utf8_lossy(buffer));
        (&buffer[whole.map_or(0, |(start, _)| start)..], ms)
    }

    /// The same with JSON both ways.
    pub fn json(&mut self, method: &str, path: &str, body: &Value) -> (Value, f64) {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let (answer, ms) = self.send(method, path, "application/json", &body);
        (serde_json::from_slice(answer).unwrap_or(Value::Null), ms)
    }
}

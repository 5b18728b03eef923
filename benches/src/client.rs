//! The smallest HTTP client that can load a server: kept-alive connections, whole answers read.

use bytes::Bytes;
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

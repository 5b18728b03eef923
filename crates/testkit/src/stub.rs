//! A web server of a test: it answers as told and remembers what it was asked.

use serde_json::Value;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its method and path, such as `POST /v1/messages`.
    pub line: String,
    /// Its headers, in lower case, one a line.
    pub headers: String,
    /// Its body.
    pub body: String,
}

impl Asked {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// What the server answers.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A status, further header lines, and a body.
    Status(u16, String, Vec<u8>),
    /// Nothing, ever.
    Hang,
    /// The connection ends within the body.
    Cut,
}

impl Reply {
    /// 200 with JSON.
    pub fn json(value: &Value) -> Reply {
        Reply::Status(200, "content-type: application/json\r\n".into(), value.to_string().into_bytes())
    }

    /// A status with JSON.
    pub fn error(status: u16, value: &Value) -> Reply {
        Reply::Status(status, "content-type: application/json\r\n".into(), value.to_string().into_bytes())
    }
}

type Answers = Arc<dyn Fn(&Asked) -> Reply + Send + Sync>;

/// A web server on a loopback port. It ends with this.
pub struct Stub {
    /// Its address, such as `http://127.0.0.1:4000`.
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Stub {
    /// Starts a server that answers each request with what `answer` returns.
    pub async fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answer, record): (Answers, _) = (Arc::new(answer), asked.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer.clone(), record.clone()));
            }
        });
        Stub { url, asked, task }
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no test panicked here").clone()
    }

    /// How many requests arrived.
    pub fn count(&self) -> usize {
        self.asked.lock().expect("no test panicked here").len()
    }
}

async fn serve(mut stream: TcpStream, answer: Answers, record: Arc<Mutex<Vec<Asked>>>) -> Option<()> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let (line, headers) = text.split_once("\r\n").unwrap_or((&text, ""));
    let headers = headers.to_lowercase();
    let length = headers.lines().find_map(|header| header.strip_prefix("content-length: ")?.trim().parse().ok());
    while bytes.len() < head + 4 + length.unwrap_or(0) {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let asked = Asked {
        line: line.trim_end_matches(" HTTP/1.1").to_owned(),
        headers,
        body: String::from_utf8_lossy(&bytes[head + 4..]).into_owned(),
    };
    let reply = answer(&asked);
    record.lock().expect("no test panicked here").push(asked);
    match reply {
        Reply::Status(status, headers, body) => {
            let head = format!(
                "HTTP/1.1 {status} Stub\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).await.ok()?;
            stream.write_all(&body).await.ok()?;
        }
        Reply::Hang => std::future::pending().await,
        Reply::Cut => stream.write_all(b"HTTP/1.1 200 Stub\r\ncontent-length: 100\r\n\r\n{\"half\":").await.ok()?,
    }
    stream.shutdown().await.ok()
}

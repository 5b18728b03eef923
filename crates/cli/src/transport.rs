//! How a request reaches the operations: over HTTP, or in process where the app hands that in.

use kit::Method;
use serde_json::{Map, Value};
use std::io::Read;

/// The body of a request.
pub enum RequestBody<'a> {
    /// Nothing.
    None,
    /// One JSON document.
    Json(Vec<u8>),
    /// A file, read as it is sent.
    File {
        /// Its bytes.
        reader: Box<dyn Read + 'a>,
        /// How many there are, where that is known.
        length_bytes: Option<u64>,
        /// Its media type.
        content_type: String,
    },
}

/// One request, said both ways: as HTTP has it, and as an operation with its input.
pub struct Request<'a> {
    /// Name of the operation; empty for a path that is none (`/mcp`).
    pub op: &'a str,
    /// The operation's whole input: path, query and body members together.
    pub input: Map<String, Value>,
    /// HTTP method.
    pub method: Method,
    /// Path with its parameters filled in and escaped.
    pub path: String,
    /// Query parameters, not escaped yet.
    pub query: Vec<(String, String)>,
    /// Further headers, names in lower case. Tokens are the transport's own business.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: RequestBody<'a>,
}

/// An answer.
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, read as it arrives.
    pub body: Box<dyn Read>,
}

impl Response {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
    /// Media type without parameters, in lower case; empty where none is said.
    pub fn media_type(&self) -> String {
        self.header("content-type").and_then(|v| v.split(';').next()).unwrap_or("").trim().to_ascii_lowercase()
    }
}

/// Why there is no answer at all.
#[derive(Debug, Clone, PartialEq)]
pub enum TransportError {
    /// Nothing listens there.
    NotRunning(String),
    /// Anything else, in a sentence.
    Failed(String),
}

/// Carries a request to the operations and the answer back.
pub trait Transport {
    /// Sends one request. A refusal by the program is an answer, not an error.
    fn send(&self, request: Request<'_>) -> Result<Response, TransportError>;
}

/// `/boards/{id}` with its parameters filled in from `input`, and their names.
pub(crate) fn fill_path(path: &str, input: &Map<String, Value>) -> String {
    let parts = path.split('/').map(|part| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
        Some(name) => escape(&plain(input.get(name).unwrap_or(&Value::Null))),
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A value as it stands in a path or a query: scalars bare, lists of scalars with commas, the rest as JSON.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(items) if items.iter().all(|i| !i.is_object() && !i.is_array()) => {
            items.iter().map(plain).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// Percent-encodes everything but the unreserved characters of RFC 3986. A segment of dots only is encoded too, since
/// `..` would climb.
pub(crate) fn escape(text: &str) -> String {
    let only_dots = text.bytes().all(|b| b == b'.');
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'.' if only_dots => escaped.push_str("%2E"),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => escaped.push(char::from(byte)),
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// The path with its query.
pub(crate) fn target(request: &Request) -> String {
    let query: Vec<String> = request.query.iter().map(|(k, v)| format!("{}={}", escape(k), escape(v))).collect();
    if query.is_empty() { request.path.clone() } else { format!("{}?{}", request.path, query.join("&")) }
}

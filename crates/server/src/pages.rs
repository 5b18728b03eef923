//! Responses without a token: the UI's files, redirects to them, and `GET /health`.

use crate::fault;
use crate::guard;
use crate::reply::{self, PAGE_POLICY, Response};
use crate::serve::Served;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use kit::{Result, error};
use serde_json::json;
use std::borrow::Cow;

/// Paths that aren't operations and need no token.
pub(crate) const BESIDE: [(&str, &str); 3] = [
    (
        "/health",
        "Returns the name, version, and `instanceId`. With `challenge`, and `of` for another token than the command \
         line's, it proves that it knows the token; `health` in docs/openapi.json says how.",
    ),
    ("/", "Leads to `/app/`, as `/app` does."),
    ("/app/", "The page and its files. Paths below it without a file ending are pages."),
];

/// A file of the web UI.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its content.
    pub bytes: Cow<'static, [u8]>,
    /// Its media type, with a charset for text.
    pub content_type: Cow<'static, str>,
    /// Its tag, with quotes.
    pub etag: String,
    /// Whether its name changes with its content, so that it can be cached forever.
    pub immutable: bool,
    /// The page that it frames, if that's its only purpose.
    pub frame: Option<Frame>,
}

/// What a page frames, which decides its policy.
#[derive(Debug, Clone)]
pub enum Frame {
    /// A third-party page: it can load that and nothing else.
    ThirdParty {
        /// Scheme, host, and port of the framed page.
        origin: String,
        /// Hash of its only style sheet: `sha256-…`.
        style: String,
    },
    /// A document that the UI hands over: it can load nothing, and run only the script that takes the document.
    Document {
        /// Hash of that script: `sha256-…`.
        script: String,
    },
}

impl Frame {
    /// Only the UI's own pages can frame it. `sandbox` denies it, and everything that it frames, our origin, other
    /// windows, and navigating the UI's page.
    fn policy(&self) -> String {
        match self {
            Frame::ThirdParty { origin, style } => format!(
                "default-src 'none'; frame-src {origin}; style-src '{style}'; base-uri 'none'; form-action 'none'; \
                 frame-ancestors 'self'; sandbox allow-scripts allow-forms"
            ),
            Frame::Document { script } => format!(
                "default-src 'none'; script-src '{script}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                 form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
            ),
        }
    }
}

/// The web UI's files; provided by the app.
pub trait Pages: Send + Sync {
    /// The file at a path below `/app/`, such as `index.html` or `assets/main-1a2b.js`.
    fn page(&self, path: &str) -> Option<Page>;
}

/// Responds to paths that need no token; `None` for all others.
pub(crate) fn open(served: &Served, head: &Parts, host: &str) -> Option<Result<Response>> {
    let path = head.uri.path();
    // Operations below `/app/`, such as `POST /app/restart`, aren't files of the page.
    let is_op = || served.interface.ops.iter().any(|op| op.path == path);
    if !guard::is_page(path) && path != "/health" || is_op() {
        return None;
    }
    if !matches!(head.method, Method::GET | Method::HEAD) {
        let mut response = reply::problem(&error::WRONG_METHOD.error("Use GET or HEAD."));
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD"));
        return Some(Ok(response));
    }
    let answer = match path.strip_prefix("/app/") {
        Some(file) => page(served, head, file),
        None if path == "/health" => health(served, head.uri.query(), host),
        None => Ok(to_the_page()),
    };
    Some(answer)
}

fn to_the_page() -> Response {
    let mut response = Response::new(reply::whole(Bytes::new()));
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/app/"));
    response
}

fn page(served: &Served, head: &Parts, file: &str) -> Result<Response> {
    // Addresses within the UI, such as `/app/boards/1`, have no file extension.
    let is_file = file.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let page = served
        .pages
        .page(if is_file { file } else { "index.html" })
        .ok_or_else(|| error::NO_SUCH_ROUTE.error("File not found in the web UI."))?;
    let unfit = || error::INTERNAL.error("Couldn't send the file.");
    let held = head.headers.get(header::IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == page.etag.as_bytes());
    let body = match page.bytes {
        _ if held => Bytes::new(),
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    let mut response = Response::new(reply::whole(body));
    if held {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(&page.content_type).map_err(|_| unfit())?);
    headers.insert(header::ETAG, HeaderValue::from_str(&page.etag).map_err(|_| unfit())?);
    let policy = match &page.frame {
        Some(frame) => HeaderValue::try_from(frame.policy()).map_err(|_| unfit())?,
        None => PAGE_POLICY,
    };
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin"));
    if page.immutable {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    }
    Ok(response)
}

/// Identifies the program and, for a challenge, proves that it has the command-line token and knows the token with the
/// given double hash. The proofs cover `CHALLENGE|HOST`, so that another port can't reuse them.
fn health(served: &Served, query: Option<&str>, host: &str) -> Result<Response> {
    let mut answer = json!({
        "name": "pilothouse", "version": served.interface.version,
        "instanceId": served.interface.instance_id, "ready": true,
    });
    let said = |name: &str| query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix(name));
    let challenge = said("challenge=");
    if let Some(challenge) = challenge {
        let hex = challenge.len() % 2 == 0 && challenge.bytes().all(|b| b.is_ascii_hexdigit());
        if !hex || !(32..=128).contains(&challenge.len()) {
            return Err(kit::invalid("/challenge", fault::WRONG_FORM, "Send 16 to 64 bytes in hexadecimal."));
        }
        let over = format!("{challenge}|{host}");
        answer["host"] = host.into();
        if let Some(proof) = served.authenticator.prove(&over) {
            answer["proof"] = proof.into();
        }
        if let Some(proof) = said("of=").and_then(|name| served.authenticator.prove_named(name, &over)) {
            answer["tokenProof"] = proof.into();
        }
    }
    reply::from_reply(kit::Reply::json_bytes(answer.to_string()))
}

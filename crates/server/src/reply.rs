//! Puts answers and errors on the wire.

use bytes::Bytes;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body::{Body as _, Frame};
use http_body_util::{Either, Full, StreamBody};
use kit::{Error, Reply, Result, error};
use std::io;

/// An answer's body: whole, or in pieces.
pub(crate) type Body = Either<Full<Bytes>, StreamBody<BoxStream<'static, io::Result<Frame<Bytes>>>>>;
/// An answer.
pub(crate) type Response = http::Response<Body>;

/// A body that is there already.
pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    Either::Left(Full::new(bytes.into()))
}

/// What the UI's pages may load and do: their own files, and nothing written into the page.
pub(crate) const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
     font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// Room for the headers that nearly every answer has, so that their map is made once.
const HEADERS_USUAL: usize = 12;
const DATA_POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// An error as RFC 9457 has it.
pub(crate) fn problem(error: &Error) -> Response {
    let code = error.code();
    if code.status >= 500 {
        tracing::error!(code = code.name, error = ?error, "a request failed");
    }
    let body = serde_json::to_vec(&error.problem()).expect("problems serialise");
    let mut response = Response::new(whole(body));
    *response.status_mut() = StatusCode::from_u16(code.status).expect("codes have valid statuses");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if code.status == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = error.retry_after_s() {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// An operation's answer.
pub(crate) fn of(reply: Reply) -> Result<Response> {
    let unfit = |what: String| error::INTERNAL.error("The answer cannot be put on the wire.").caused_by(what);
    let mut response = Response::new(match reply.body {
        kit::Body::Whole(bytes) => whole(bytes),
        kit::Body::Stream(pieces) => Either::Right(StreamBody::new(Box::pin(pieces.map_ok(Frame::data)))),
    });
    *response.status_mut() =
        StatusCode::from_u16(reply.status).map_err(|_| unfit(format!("status {}", reply.status)))?;
    let headers = response.headers_mut();
    headers.reserve(HEADERS_USUAL);
    if !reply.content_type.is_empty() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
    }
    for (name, value) in reply.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|e| unfit(e.to_string()))?;
        headers.append(name, HeaderValue::try_from(value).map_err(|e| unfit(e.to_string()))?);
    }
    Ok(response)
}

/// Adds what every answer carries.
pub(crate) fn seal(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(DATA_POLICY);
}

/// What HEAD answers: the head of what GET answers, with the length that its body has.
pub(crate) fn drop_body(response: &mut Response) {
    let length = response.body().size_hint().exact().filter(|length| *length > 0);
    *response.body_mut() = whole(Bytes::new());
    if let Some(length) = length {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
}

//! Creates HTTP responses from replies and errors.

use bytes::Bytes;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{Either, StreamBody};
use kit::{Error, Reply, Result, error};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A response's body: complete, or streamed.
pub(crate) type Body = Either<Parts, StreamBody<BoxStream<'static, io::Result<Frame<Bytes>>>>>;

/// A complete body with a known length.
pub(crate) struct Parts(VecDeque<Bytes>);

impl http_body::Body for Parts {
    type Data = Bytes;
    type Error = io::Error;
    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, io::Error>>> {
        Poll::Ready(self.0.pop_front().map(|part| Ok(Frame::data(part))))
    }
    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }
    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|part| part.len() as u64).sum())
    }
}

/// A response.
pub(crate) type Response = http::Response<Body>;

/// Creates a complete body.
pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    parts([bytes.into()])
}

fn parts(parts: impl IntoIterator<Item = Bytes>) -> Body {
    Either::Left(Parts(parts.into_iter().filter(|part| !part.is_empty()).collect()))
}

/// Policy of the UI's pages: they can load only their own files, without inline code. Third-party pages are each framed
/// by a page of ours, whose policy names the framed origin ([`Frame`](crate::Frame)). So allowing a page takes effect
/// immediately, and no page's policy is wider.
pub(crate) const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
     font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// Capacity for the usual headers, so that their map is allocated once.
const HEADERS_USUAL: usize = 12;
const DATA_POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Creates an RFC 9457 problem from an error.
pub(crate) fn problem(error: &Error) -> Response {
    let code = error.code();
    if code.status >= 500 {
        tracing::error!(code = code.name, error = ?error, "a request failed");
    }
    untold_problem(error)
}

/// The same, without logging.
fn untold_problem(error: &Error) -> Response {
    let code = error.code();
    let mut response = Response::new(whole(text(error)));
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

/// The body of an error's response.
pub(crate) fn text(error: &Error) -> Vec<u8> {
    serde_json::to_vec(&error.problem()).expect("problems serialize")
}

/// Keeps a value alive until a streamed body has been sent.
pub(crate) fn while_sent(response: Response, kept: impl Send + 'static) -> Response {
    response.map(|body| match body {
        Either::Left(parts) => Either::Left(parts),
        Either::Right(pieces) => {
            let pieces: BoxStream<'static, _> = Box::pin(pieces.inspect_ok(move |_| {
                let _ = &kept;
            }));
            Either::Right(StreamBody::new(pieces))
        }
    })
}

/// The headers of an error's response, without a request.
pub(crate) fn sealed_head(error: &Error) -> HeaderMap {
    let mut response = untold_problem(error);
    seal(&mut response);
    std::mem::take(response.headers_mut())
}

/// An operation's answer.
pub(crate) fn from_reply(reply: Reply) -> Result<Response> {
    let unfit = |what: String| error::INTERNAL.error("Couldn't send the answer.").caused_by(what);
    let mut response = Response::new(match reply.body {
        kit::Body::Whole(bytes) => whole(bytes),
        kit::Body::Parts(bytes) => parts(bytes),
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

/// Adds the headers of every response.
pub(crate) fn seal(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(DATA_POLICY);
}

/// Converts a GET's response to a HEAD's: the same headers and length, without the body.
pub(crate) fn drop_body(response: &mut Response) {
    let length = response.body().size_hint().exact().filter(|length| *length > 0);
    *response.body_mut() = whole(Bytes::new());
    if let Some(length) = length {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
}

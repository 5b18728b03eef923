//! Reads request bodies within limits of size and time.

use crate::codes;
use crate::limits::Limits;
use bytes::{Bytes, BytesMut};
use http::header;
use http::request::Parts;
use http_body::{Body as _, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use kit::op::{ByteStream, Takes};
use kit::{Error, Op, Result, error};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::timeout;

pub(crate) fn too_large(op: &Op) -> Error {
    let most = kit::text::size(op.body_bytes_max);
    error::TOO_LARGE.error(match op.takes {
        Takes::File(_) => format!("The file is too large. The limit is {most}."),
        _ => format!("The body is too large. The limit of {} is {most}.", op.name),
    })
}

fn too_slow(time: Duration) -> Error {
    codes::BODY_TOO_SLOW.error(format!("The body didn't arrive within {} s.", time.as_secs_f32()))
}

/// A request's body. The rest of an unread body, as after an error, is received and discarded within limits: closing a
/// connection while the caller is sending would lose the response.
pub(crate) struct Body {
    rest: Option<Incoming>,
    lingers: bool,
    bytes_max: usize,
    time: Duration,
}

impl Body {
    pub(crate) fn new(body: Incoming, head: &Parts, limits: &Limits) -> Body {
        // A caller with `Expect` sends nothing after an error. Reading would tell it to continue.
        let lingers = !head.headers.contains_key(header::EXPECT);
        Body { rest: Some(body), lingers, bytes_max: limits.refused_bytes, time: limits.refused_time }
    }

    /// Whether the request has no body.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.as_ref().is_none_or(Incoming::is_end_stream)
    }

    /// Announced bytes that are still to come.
    fn announced(&self) -> u64 {
        self.rest.as_ref().map_or(0, |rest| rest.size_hint().lower())
    }

    async fn next(&mut self) -> Option<Result<Bytes, hyper::Error>> {
        loop {
            let frame = self.rest.as_mut()?.frame().await;
            if !matches!(frame, Some(Ok(_))) {
                self.rest = None;
            }
            match frame?.map(Frame::into_data) {
                Ok(Ok(piece)) => return Some(Ok(piece)),
                // Trailers are ignored.
                Ok(Err(_)) => {}
                Err(e) => return Some(Err(e)),
            }
        }
    }

    /// Stops waiting for a caller that hasn't sent anything for long.
    fn stopped(&mut self) {
        self.rest = None;
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        let fits = self.lingers && !self.is_empty() && self.announced() <= self.bytes_max as u64;
        let Some(mut rest) = self.rest.take().filter(|_| fits) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (mut left_bytes, time) = (self.bytes_max, self.time);
        // Runs while the response is sent. The connection ends after both.
        runtime.spawn(timeout(time, async move {
            while let Some(Ok(frame)) = rest.frame().await {
                let Some(left) = left_bytes.checked_sub(frame.data_ref().map_or(0, Bytes::len)) else { break };
                left_bytes = left;
            }
        }));
    }
}

/// Maximum bytes of a form besides its file.
const FORM_BYTES: usize = 16 * 1024;

/// Largest body. A form wraps the file, whose own size is limited by the operation.
fn bytes_max(op: &Op, is_form: bool) -> usize {
    if is_form { op.body_bytes_max.saturating_add(FORM_BYTES) } else { op.body_bytes_max }
}

/// Rejects an announced length over the limit before reading anything.
pub(crate) fn check_length(body: &Body, op: &Op, is_form: bool) -> Result<()> {
    if body.announced() > bytes_max(op, is_form) as u64 { Err(too_large(op)) } else { Ok(()) }
}

/// The whole body.
pub(crate) async fn whole(mut body: Body, op: &Op, limits: &Limits) -> Result<Bytes> {
    let collected = timeout(limits.body_time, collect(&mut body, op)).await;
    collected.unwrap_or_else(|_| {
        body.stopped();
        Err(too_slow(limits.body_time))
    })
}

async fn collect(body: &mut Body, op: &Op) -> Result<Bytes> {
    let mut first = Bytes::new();
    let mut more = BytesMut::new();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|e| {
            codes::BODY_BROKEN_OFF.error("The body is incomplete: the connection ended early.").caused_by(e)
        })?;
        if first.len() + more.len() + piece.len() > op.body_bytes_max {
            return Err(too_large(op));
        }
        // Nearly every body arrives in one piece, which isn't copied.
        if first.is_empty() {
            first = piece;
        } else {
            more.extend_from_slice(&piece);
        }
    }
    if more.is_empty() {
        return Ok(first);
    }
    let mut all = BytesMut::from(first);
    all.unsplit(more);
    Ok(all.freeze())
}

/// Why a file stopped arriving. Stored beside the stream, because handlers see only an I/O error.
#[derive(Clone, Default)]
pub(crate) struct Trouble(Arc<Mutex<Option<Error>>>);

impl Trouble {
    fn because(&self, error: Error) -> io::Error {
        let told = io::Error::other(error.detail().to_owned());
        *self.0.lock().expect("the lock isn't poisoned") = Some(error);
        told
    }
    pub(crate) fn take(&self) -> Option<Error> {
        self.0.lock().expect("the lock isn't poisoned").take()
    }
}

/// The body as a stream.
pub(crate) fn in_pieces(body: Body, op: &Op, is_form: bool, limits: &Limits, trouble: &Trouble) -> ByteStream {
    let (bytes_max, op) = (bytes_max(op, is_form), op.clone());
    let (idle, trouble) = (limits.upload_idle_time, trouble.clone());
    let pieces = futures_util::stream::try_unfold((body, 0), move |(mut body, so_far)| {
        let (op, trouble) = (op.clone(), trouble.clone());
        async move {
            match timeout(idle, body.next()).await {
                Err(_) => {
                    body.stopped();
                    Err(trouble.because(too_slow(idle)))
                }
                Ok(None) => Ok(None),
                Ok(Some(Err(e))) => Err(trouble.because(
                    codes::BODY_BROKEN_OFF.error("The file is incomplete: the connection ended early.").caused_by(e),
                )),
                Ok(Some(Ok(piece))) => {
                    let so_far = so_far + piece.len();
                    if so_far > bytes_max {
                        return Err(trouble.because(too_large(&op)));
                    }
                    Ok(Some((piece, (body, so_far))))
                }
            }
        }
    });
    Box::pin(pieces)
}

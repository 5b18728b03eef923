//! Reads bodies within their size and their time.

use crate::codes;
use crate::limits::Limits;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use http_body::Body as _;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use kit::op::ByteStream;
use kit::{Error, Op, Result, error};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::timeout;

fn too_large(op: &Op) -> Error {
    error::TOO_LARGE.error(format!("{} takes at most {} bytes.", op.name, op.body_bytes_max))
}

fn too_slow(time: Duration) -> Error {
    codes::BODY_TOO_SLOW.error(format!("The body did not arrive within {} s.", time.as_secs_f32()))
}

/// Whether the request announces no body.
pub(crate) fn is_empty(body: &Incoming) -> bool {
    body.is_end_stream()
}

/// Bytes that a form may have beside its file.
const FORM_BYTES: usize = 16 * 1024;

/// Largest body: a form wraps the file, whose own size the operation holds to its limit.
fn bytes_max(op: &Op, is_form: bool) -> usize {
    if is_form { op.body_bytes_max.saturating_add(FORM_BYTES) } else { op.body_bytes_max }
}

/// Refuses an announced length over the limit before anything is read.
pub(crate) fn check_length(body: &Incoming, op: &Op, is_form: bool) -> Result<()> {
    if body.size_hint().lower() > bytes_max(op, is_form) as u64 { Err(too_large(op)) } else { Ok(()) }
}

/// The whole body.
pub(crate) async fn whole(body: Incoming, op: &Op, limits: &Limits) -> Result<Bytes> {
    timeout(limits.body_time, collect(body, op)).await.unwrap_or_else(|_| Err(too_slow(limits.body_time)))
}

async fn collect(body: Incoming, op: &Op) -> Result<Bytes> {
    let mut pieces = body.into_data_stream();
    let mut first = Bytes::new();
    let mut more = BytesMut::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|e| codes::BODY_BROKEN_OFF.error("The body broke off.").caused_by(e))?;
        if first.len() + more.len() + piece.len() > op.body_bytes_max {
            return Err(too_large(op));
        }
        // Nearly every body arrives in one piece, which is then not copied.
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

/// Why a file stopped arriving, kept beside the stream because a handler sees an input/output error only.
#[derive(Clone, Default)]
pub(crate) struct Trouble(Arc<Mutex<Option<Error>>>);

impl Trouble {
    fn because(&self, error: Error) -> io::Error {
        let told = io::Error::other(error.detail().to_owned());
        *self.0.lock().expect("no panic while held") = Some(error);
        told
    }
    pub(crate) fn take(&self) -> Option<Error> {
        self.0.lock().expect("no panic while held").take()
    }
}

/// The body in pieces, as they arrive.
pub(crate) fn in_pieces(body: Incoming, op: &Op, is_form: bool, limits: &Limits, trouble: &Trouble) -> ByteStream {
    let (bytes_max, op) = (bytes_max(op, is_form), op.clone());
    let (idle, trouble) = (limits.upload_idle_time, trouble.clone());
    let pieces = futures_util::stream::try_unfold((body.into_data_stream(), 0), move |(mut pieces, so_far)| {
        let (op, trouble) = (op.clone(), trouble.clone());
        async move {
            match timeout(idle, pieces.next()).await {
                Err(_) => Err(trouble.because(too_slow(idle))),
                Ok(None) => Ok(None),
                Ok(Some(Err(e))) => {
                    Err(trouble.because(codes::BODY_BROKEN_OFF.error("The file broke off.").caused_by(e)))
                }
                Ok(Some(Ok(piece))) => {
                    let so_far = so_far + piece.len();
                    if so_far > bytes_max {
                        return Err(trouble.because(too_large(&op)));
                    }
                    Ok(Some((piece, (pieces, so_far))))
                }
            }
        }
    });
    Box::pin(pieces)
}

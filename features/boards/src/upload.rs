//! Reading an uploaded file piece by piece: the whole body, or the part of a form that is called `file`.

use crate::errors::UPLOAD_BROKEN;
use crate::fault;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use kit::error::{self, Result, invalid};
use kit::op::ByteStream;
use multer::{Field, Multipart};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc;

/// Pieces of a file that wait to be written to the disk.
pub(crate) const PIECES_WAITING_MAX: usize = 8;
/// Maximum bytes of a form before its first part, or of a part's headers; they're buffered until complete.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Metadata of the file in a form.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) name: Option<String>,
    pub(crate) media: Option<String>,
}

/// Whether the file is a part of a form.
pub(crate) fn is_form(content_type: &str) -> bool {
    content_type.to_ascii_lowercase().starts_with("multipart/form-data")
}

/// Passes the file's chunks to the writer, up to a size.
pub(crate) async fn read(
    content_type: &str,
    stream: ByteStream,
    bytes_max: usize,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<Told> {
    if is_form(content_type) {
        return form_file(content_type, stream, bytes_max, pieces).await;
    }
    pass_on(stream.map(|piece| piece.map_err(broken)), bytes_max, pieces).await.map(|()| Told::default())
}

/// Error if a file can't be stored.
pub(crate) fn unwritten(e: std::io::Error) -> kit::Error {
    store::unwritten("Couldn't receive the file.", e)
}

fn broken(e: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> kit::Error {
    UPLOAD_BROKEN.error("The upload was interrupted or isn't a form. Nothing was saved.").caused_by(e)
}

async fn pass_on(
    mut stream: impl futures_util::Stream<Item = Result<Bytes>> + Unpin,
    bytes_max: usize,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<()> {
    let mut bytes = 0;
    while let Some(piece) = stream.next().await {
        let piece = piece?;
        bytes += piece.len();
        if bytes > bytes_max {
            let most = kit::text::size(bytes_max);
            return Err(error::TOO_LARGE.error(format!("The file is too large. The limit is {most}.")));
        }
        if pieces.send(piece).await.is_err() {
            // The writer has ended with an error of its own, which is the answer.
            return Ok(());
        }
    }
    Ok(())
}

async fn form_file(
    content_type: &str,
    stream: ByteStream,
    bytes_max: usize,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<Told> {
    let boundary = multer::parse_boundary(content_type)
        .map_err(|e| error::WRONG_TYPE_OF_CONTENT.error("The form's content type has no boundary.").caused_by(e))?;
    let mut form = Form::new(stream, boundary);
    while let Some(field) = form.next().await? {
        let is_file = field.name() == Some("file");
        let media = field.content_type().map(ToString::to_string);
        let told = Told { name: field.file_name().map(str::to_owned), media };
        let pieces_of_part = form.pieces(field);
        if is_file {
            pass_on(pieces_of_part, bytes_max, pieces).await?;
            // What follows is read too: a caller that is still sending would not read the answer.
            while let Some(field) = form.next().await? {
                skip(form.pieces(field)).await?;
            }
            return Ok(told);
        }
        skip(pieces_of_part).await?;
    }
    Err(invalid("/file", fault::MISSING, "The form has no part named file."))
}

async fn skip(pieces: impl Stream<Item = Result<Bytes>>) -> Result<()> {
    pieces.try_for_each(|_| std::future::ready(Ok(()))).await
}

/// A form whose parser gets no more bytes than it needs. Otherwise it would buffer and search everything received until
/// a part's headers are complete.
struct Form {
    reader: Multipart<'static>,
    gate: Arc<Gate>,
}

impl Form {
    fn new(stream: ByteStream, boundary: String) -> Form {
        let gate = Arc::new(Gate::default());
        let reader = Multipart::new(Gate::through(gate.clone(), stream), boundary);
        Form { reader, gate }
    }

    /// The next part, where there is one; the one before was read to its end.
    async fn next(&mut self) -> Result<Option<Field<'static>>> {
        let mut left = HEAD_BYTES_MAX;
        let Form { reader, gate } = self;
        let field = poll_fn(|cx| gate.feed(cx, &mut left, |cx| reader.poll_next_field(cx))).await;
        let too_long = || {
            let what = "The headers of a form part, or the text before the first part, exceed";
            UPLOAD_BROKEN.error(format!("{what} {HEAD_BYTES_MAX} bytes. Nothing was saved."))
        };
        field.ok_or_else(too_long)?.map_err(broken)
    }

    /// Content of a part.
    fn pieces(&self, mut field: Field<'static>) -> impl Stream<Item = Result<Bytes>> + Unpin + use<> {
        let gate = self.gate.clone();
        stream::poll_fn(move |cx| {
            let mut left = usize::MAX;
            let piece = ready!(gate.feed(cx, &mut left, |cx| Pin::new(&mut field).poll_next(cx)));
            Poll::Ready(piece.flatten().map(|piece| piece.map_err(broken)))
        })
    }
}

/// Buffer between a form's bytes and its parser.
#[derive(Default)]
struct Gate {
    /// How many bytes the reader may take next.
    open: AtomicUsize,
    /// How many it took.
    taken: AtomicUsize,
}

impl Gate {
    /// The bytes, as far as they are let through.
    fn through(gate: Arc<Gate>, mut bytes: ByteStream) -> impl Stream<Item = std::io::Result<Bytes>> + Send {
        let mut rest = Bytes::new();
        stream::poll_fn(move |cx| {
            let open = gate.open.load(Ordering::Relaxed);
            if open == 0 {
                // Who shut it polls again.
                return Poll::Pending;
            }
            if rest.is_empty() {
                match ready!(bytes.as_mut().poll_next(cx)) {
                    Some(Ok(piece)) => rest = piece,
                    ended => {
                        gate.open.store(0, Ordering::Relaxed);
                        return Poll::Ready(ended);
                    }
                }
            }
            gate.open.store(0, Ordering::Relaxed);
            let piece = rest.split_to(rest.len().min(open));
            gate.taken.store(piece.len(), Ordering::Relaxed);
            Poll::Ready(Some(Ok(piece)))
        })
    }

    /// Polls a parser with its buffer, and passes on another chunk whenever that isn't enough. `None` after `left`
    /// bytes.
    fn feed<T>(
        &self,
        cx: &mut Context<'_>,
        left: &mut usize,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<Option<T>> {
        loop {
            let polled = poll(cx);
            let waits = self.open.swap(0, Ordering::Relaxed) > 0;
            *left -= self.taken.swap(0, Ordering::Relaxed);
            match polled {
                Poll::Ready(read) => return Poll::Ready(Some(read)),
                // Nothing has arrived; the reader is woken when it does.
                Poll::Pending if waits => return Poll::Pending,
                Poll::Pending if *left == 0 => return Poll::Ready(None),
                Poll::Pending => self.open.store(*left, Ordering::Relaxed),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=B";
    const HEAD: &str = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n";

    /// The parsed form, and the number of bytes consumed.
    async fn read_form(form: &str, piece: usize) -> (Result<Vec<u8>>, usize) {
        let (bytes, taken) = (Bytes::copy_from_slice(form.as_bytes()), Arc::new(AtomicUsize::new(0)));
        let counted = taken.clone();
        let pieces = (0..bytes.len().div_ceil(piece)).map(move |at| {
            let piece = bytes.slice(at * piece..bytes.len().min((at + 1) * piece));
            counted.fetch_add(piece.len(), Ordering::Relaxed);
            Ok(piece)
        });
        let (sender, mut received) = mpsc::channel::<Bytes>(PIECES_WAITING_MAX);
        let file = tokio::spawn(async move {
            let mut file = Vec::new();
            while let Some(piece) = received.recv().await {
                file.extend_from_slice(&piece);
            }
            file
        });
        let told = read(TYPE, Box::pin(stream::iter(pieces)), usize::MAX, &sender).await;
        drop(sender);
        let file = file.await.unwrap();
        let told = told.map(|told| assert_eq!(told.name.as_deref(), Some("a.csv")));
        (told.map(|()| file), taken.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn what_stands_before_a_part_and_its_headers_are_bounded() {
        let lines = "a\r\n".repeat(100_000);
        for (form, before) in [
            (format!("{lines}{HEAD}x\r\n--B--\r\n"), 0),
            (format!("--B\r\nContent-Disposition: form-data; name=\"file\"; x=\"{lines}\"\r\n\r\nx\r\n--B--\r\n"), 0),
            (format!("--B{}\r\n{}x\r\n--B--\r\n", " ".repeat(100_000), &HEAD[5..]), 0),
            (format!("{HEAD}x\r\n--B\r\nx: {lines}\r\n\r\nx\r\n--B--\r\n"), HEAD.len() + 1),
        ] {
            for piece in [1_000, 50_000] {
                let (read, taken) = read_form(&form, piece).await;
                assert_eq!(read.unwrap_err().code().name, "upload-broken");
                assert!(taken <= before + HEAD_BYTES_MAX + 2 * piece, "{taken}");
            }
        }
    }

    #[tokio::test]
    async fn a_form_is_read_whatever_its_pieces() {
        let file = "a,--B\r\n--\r\r\n".repeat(2_000);
        let other = "--B\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\n";
        let preamble = "x".repeat(HEAD_BYTES_MAX - 1_000);
        let form = format!("{preamble}\r\n{other}{file}\r\n{HEAD}{file}\r\n{other}{file}\r\n--B--\r\nbehind");
        for piece in [1, 7, 4_096, form.len()] {
            assert_eq!(read_form(&form, piece).await.0.unwrap(), file.as_bytes(), "{piece}");
        }
        // Many small parts do not add up.
        let form = format!("{}{HEAD}x\r\n--B--\r\n", format!("{other}x\r\n").repeat(2_000));
        for piece in [100, form.len()] {
            assert_eq!(read_form(&form, piece).await.0.unwrap(), b"x");
        }
        for cut in ["", "--", "--B", "--B\r\nContent", &format!("{HEAD}{file}")] {
            assert_eq!(read_form(cut, 100).await.0.unwrap_err().code().name, "upload-broken", "{cut:?}");
        }
    }
}

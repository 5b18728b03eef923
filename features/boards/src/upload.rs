//! Reading an uploaded file piece by piece: the whole body, or the part of a form that is called `file`.

use crate::UPLOAD_BROKEN;
use bytes::Bytes;
use futures_util::StreamExt;
use kit::error::{self, Result, invalid};
use kit::op::ByteStream;
use tokio::sync::mpsc;

/// Pieces of a file that wait to be written to the disk.
pub(crate) const PIECES_WAITING_MAX: usize = 8;

/// What a form says of its file.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) name: Option<String>,
    pub(crate) media: Option<String>,
}

/// Whether the file is a part of a form.
pub(crate) fn is_form(content_type: &str) -> bool {
    content_type.to_ascii_lowercase().starts_with("multipart/form-data")
}

/// Hands the file's pieces to who writes them, up to a size.
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

/// Why a file could not be kept.
pub(crate) fn unwritten(e: std::io::Error) -> kit::Error {
    store::unwritten("The file could not be received.", e)
}

fn broken(e: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> kit::Error {
    UPLOAD_BROKEN.error("The upload broke off or is not a form; nothing of it was kept.").caused_by(e)
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
            return Err(error::TOO_LARGE.error(format!("A file of at most {bytes_max} bytes is taken.")));
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
        .map_err(|e| error::WRONG_TYPE_OF_CONTENT.error("The form's content type names no boundary.").caused_by(e))?;
    let mut form = multer::Multipart::new(stream, boundary);
    while let Some(field) = form.next_field().await.map_err(broken)? {
        if field.name() != Some("file") {
            continue;
        }
        let media = field.content_type().map(ToString::to_string);
        let told = Told { name: field.file_name().map(str::to_owned), media };
        pass_on(field.map(|piece| piece.map_err(broken)), bytes_max, pieces).await?;
        // What follows is read too: a caller that is still sending would not read the answer.
        while form.next_field().await.map_err(broken)?.is_some() {}
        return Ok(told);
    }
    Err(invalid("/file", "missing", "The form has no part named file."))
}

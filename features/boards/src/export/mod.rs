//! Exporting a board as a file: CSV, an Excel workbook, or JSON.
//!
//! Invariant: however large the board, only a row of it is in memory at a time. It is written into a file without a name, in
//! one look at the database, and sent from there; the file is gone when the answer is, or the program. Where the data directory
//! takes no file, it is one of the system's folder for temporary files: a full disk is when people want their boards elsewhere.

mod csv;
mod derived;
mod json;
mod name;
mod rows;
mod xlsx;

use crate::full::FullBoard;
use crate::import::XLSX;
use kit::error::{self, Result};
use kit::lookup::Members;
use kit::op::ByteStream;
use kit::{Body, Call, Ctx, DataDir, Media, Raw, Reply, SpareDir};
use rows::{People, Table};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use store::HasDb;

const CSV: &str = "text/csv";
const JSON: &str = "application/json";
/// Error message if an export fails.
const UNDONE: &str = "Couldn't export the board.";
/// Bytes of one piece of the answer.
const PIECE_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// Text, one row per item.
    #[default]
    Csv,
    /// An Excel workbook.
    Xlsx,
    /// The complete board with IDs, for other programs. It can't be imported.
    Json,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// ID, not the name.
    board_id: String,
    /// `csv`, `xlsx`, or `json`. The JSON is for other programs and can't be imported.
    #[serde(default)]
    format: Form,
    /// Start the CSV file with a byte order mark so Excel detects UTF-8.
    #[serde(default)]
    bom: bool,
}

/// Documents the answer.
pub(crate) struct Exported;
impl Media for Exported {
    const TYPES: &'static [&'static str] = &[CSV, XLSX, JSON];
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<FullBoard>())
    }
}

pub(crate) async fn export(ctx: Ctx, call: Call, input: Input) -> Result<Raw<Exported>> {
    let dir = ctx.find_service::<DataDir>().map(|dir| dir.0.join("exports"));
    let account = call.account().to_owned();
    let people = People::new(ctx.service::<Members>().0.all(&account).await?, call.caller.has_scope("directory:read"));
    let now_ms = ctx.now_ms();
    let Input { board_id, format, bom } = input;
    let (db, spare) = (ctx.db(), ctx.service::<SpareDir>());
    let written = db.read(move |tx| {
        let table = Table::read(tx, account, &board_id, people)?;
        let dir = dir.ok_or_else(|| error::INTERNAL.error("No data directory was provided at start-up."))?;
        let written = in_either(&dir, &spare.0, |mut out| {
            match format {
                Form::Csv => csv::write(tx, &table, bom, &mut out)?,
                Form::Xlsx => xlsx::write(tx, &table, now_ms, &mut out)?,
                Form::Json => json::write(tx, &table, &mut out)?,
            }
            out.finish()
        });
        Ok((written?, table.board.name))
    });
    let ((file, bytes), board) = written.await?;
    let (content_type, ending) = match format {
        Form::Csv => (CSV, "csv"),
        Form::Xlsx => (XLSX, "xlsx"),
        Form::Json => (JSON, "json"),
    };
    let reply = Reply { status: 200, content_type, headers: Vec::new(), body: Body::Stream(pieces(file)) };
    let reply = reply.header("content-disposition", name::disposition(&board, ending));
    Ok(reply.header("content-length", bytes.to_string()).into())
}

/// Writes into a folder of the data directory. If that fails, even halfway, starts over in the folder for temporary
/// files.
fn in_either<T>(dir: &Path, temporary: &Path, mut write: impl FnMut(Out) -> Result<T>) -> Result<T> {
    let first = platform::make_private_folder(dir).map_err(unwritable).and_then(|()| write(Out::new(dir)?));
    first.or_else(|_| write(Out::new(temporary)?)).map_err(|refusal| {
        if !refusal.is(&error::READ_ONLY) {
            return refusal;
        }
        let detail = format!(
            "{UNDONE} Not enough space in the data directory or the folder for temporary files, {}. Free some \
                 space, or start Pilothouse with another folder (TMPDIR).",
            temporary.display()
        );
        error::READ_ONLY.error(detail).caused_by(refusal)
    })
}

/// The export file, and the folder for temporary files of its format.
struct Out {
    dir: PathBuf,
    file: BufWriter<File>,
}

impl Out {
    fn new(dir: &Path) -> Result<Out> {
        let file = tempfile::tempfile_in(dir).map_err(unwritable)?;
        Ok(Out { dir: dir.to_owned(), file: BufWriter::with_capacity(PIECE_BYTES, file) })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(unwritable)
    }

    /// The file from its beginning, and its length.
    fn finish(self) -> Result<(File, u64)> {
        let mut file = self.file.into_inner().map_err(|e| unwritable(e.into_error()))?;
        let bytes = file.stream_position().map_err(unwritable)?;
        file.rewind().map_err(unwritable)?;
        Ok((file, bytes))
    }
}

fn unwritable(e: io::Error) -> kit::Error {
    store::unwritten(UNDONE, e)
}

/// The file piece by piece, each read when it is asked for, so that a slow client holds no thread.
fn pieces(file: File) -> ByteStream {
    Box::pin(futures_util::stream::try_unfold(file, |mut file| async {
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; PIECE_BYTES];
            let read = file.read(&mut piece)?;
            piece.truncate(read);
            Ok::<_, io::Error>((piece, file))
        });
        let (piece, file) = read.await.map_err(io::Error::other)??;
        Ok((!piece.is_empty()).then(|| (piece.into(), file)))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Reason;

    #[test]
    fn a_file_that_fits_in_one_place_does_not_care_for_the_other() {
        let (data, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let exports = data.path().join("exports");
        let written = |room: &[&Path]| {
            let write = |mut out: Out| {
                out.put(b"x")?;
                if room.contains(&out.dir.as_path()) { Ok(out.dir) } else { Err(Reason::DiskFull.hindering(UNDONE)) }
            };
            in_either(&exports, temporary.path(), write)
        };
        assert_eq!(written(&[&exports, temporary.path()]).unwrap(), exports);
        assert_eq!(written(&[temporary.path()]).unwrap(), temporary.path());
        let refusal = written(&[]).unwrap_err();
        assert_eq!(refusal.code().name, "read-only");
        assert!(!refusal.detail().contains("reading works"), "{refusal}");
        assert!(refusal.detail().contains(&temporary.path().display().to_string()), "{refusal}");
    }
}

//! Attaching a file, reading it back, renaming, moving and removing it.

use super::Keeper;
use super::disk::{self, Received};
use crate::attachments::{Attachment, FILES_PER_CELL_MAX, listed};
use crate::cells::{Column, no_column};
use crate::change::Edit;
use crate::edit::edit;
use crate::errors::{BOARD_LIMIT, FILE_LOST};
use crate::formula::Formulas;
use crate::item::{self, Item};
use crate::items::{self, Written};
use crate::{board, expect, fault, file_names};
use column_types::ColumnType;
use kit::error::{self, Result, invalid, not_found};
use kit::{Body, Call, Created, Ctx, Media, Raw, Reply};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::Read;
use store::{HasDb, Tx, params};

/// Media types that an upload takes: any.
pub(crate) const MEDIA: &[&str] = &["application/octet-stream", "*/*"];
/// Bytes of text that one reading answers at most.
const TEXT_BYTES_MAX: u32 = 256 * 1024;
/// Default maximum bytes of text.
const TEXT_BYTES_USUAL: u32 = 64 * 1024;
/// Maximum characters of a sent name; stored names are shorter.
const SENT_NAME_CHARS_MAX: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "AddFile", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Add {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// A column of type `file`.
    column_id: String,
    /// The file name, sanitized for saving. Default: the name in the form.
    #[schemars(length(max = SENT_NAME_CHARS_MAX))]
    name: Option<String>,
    /// Its media type. Default: the request's, or derived from the file extension.
    #[serde(rename = "type")]
    media: Option<String>,
}

/// An attachment that was added, and its item.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Added {
    /// The attachment.
    file: Attachment,
    /// The item after the change.
    item: Written,
}

pub(crate) async fn add(ctx: Ctx, mut call: Call, input: Add) -> Result<Created<Added>> {
    if input.name.as_ref().is_some_and(|name| name.chars().nth(SENT_NAME_CHARS_MAX).is_some()) {
        let detail = format!("A name can have up to {SENT_NAME_CHARS_MAX} characters.");
        return Err(invalid("/name", fault::WRONG_LENGTH, detail));
    }
    let Some((content_type, stream)) = call.upload.take() else {
        return Err(invalid("/file", fault::MISSING, "Send the file as the body."));
    };
    let (account, if_match) = (call.account().to_owned(), call.if_match.take());
    // Refused before the file is read, where it can be.
    let (of, place) = (account.clone(), (input.board_id.clone(), input.item_id.clone(), input.column_id.clone()));
    let look = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, &of, &place.0)?;
        let column = column(tx, &of, &board.id, &place.2)?;
        let item = item::find(tx, &of, &board.id, &place.1)?.ok_or_else(|| not_found().naming(&["item"]))?;
        expect_room(&listed(item.record.cells.get(&column.id)))
    };
    ctx.db().read(look).await?;
    let received = disk::receive(&ctx, &content_type, stream).await?;

    let sent = input.name.as_deref().or(received.told.name.as_deref()).unwrap_or_default();
    let name = file_names::tame(sent);
    let of_part = received.told.media.as_deref();
    let of_request = Some(content_type.as_str()).filter(|media| !media.starts_with("multipart/form-data"));
    let media = file_names::media(input.media.as_deref().or(of_part).or(of_request), &name);
    let file = Attachment { id: kit::new_id(), name, size: received.size, media };
    let keeper = ctx.service::<Keeper>().0.clone();
    let named = keeper.read_owned().await;
    let (root, owner) = (disk::root(&ctx)?, account.clone());
    let received = tokio::task::spawn_blocking(move || disk::place(&root, &owner, &received).map(|()| received))
        .await
        .map_err(|e| error::INTERNAL.error("Couldn't save the file.").caused_by(e))??;
    edit(ctx, call, input.board_id, move |tx, edit| {
        // Held until the row stands: bytes that nothing names may be removed.
        let _named = named;
        let mut item = items::load(tx, edit, &input.item_id)?;
        expect::unchanged(tx, edit, &item, if_match.as_deref())?;
        let column = column(tx, &edit.account, &edit.board.id, &input.column_id)?;
        let mut files = listed(item.record.cells.get(&column.id));
        expect_room(&files)?;
        insert(tx, edit, &item, &column, &file, &received)?;
        files.push(file.clone());
        let location = format!("/boards/{}/items/{}/files/{}/{}", edit.board.id, item.record.id, column.id, file.id);
        items::change_cell(tx, edit, &mut item, &column.id, Some(json!(files)))?;
        let item = settle(tx, edit, item)?;
        Ok(Created { location, record: Added { file, item } })
    })
    .await
}

fn settle(tx: &mut Tx<'_>, edit: &Edit, item: Item) -> Result<Written> {
    let formulas = Formulas::new(&board::columns(tx, &edit.account, &edit.board.id)?);
    items::save(tx, edit, &formulas, item)
}

fn expect_room(files: &[Attachment]) -> Result<()> {
    if files.len() >= FILES_PER_CELL_MAX {
        return Err(BOARD_LIMIT.error(format!("A cell can have up to {FILES_PER_CELL_MAX} files.")));
    }
    Ok(())
}

fn insert(
    tx: &mut Tx<'_>,
    edit: &Edit,
    item: &Item,
    column: &Column,
    file: &Attachment,
    received: &Received,
) -> Result<()> {
    tx.execute(
        "INSERT INTO board_files (account_id, file_id, board_id, item_id, column_id, name, media, size_bytes, sha256, added_ms, \
         let_go_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0)",
        params![
            edit.account.as_str(),
            &file.id,
            &edit.board.id,
            &item.record.id,
            &column.id,
            &file.name,
            &file.media,
            file.size,
            &received.sha256,
            edit.now_ms,
        ],
    )?;
    Ok(())
}

/// The board's column of files of this id.
fn column(tx: &mut Tx<'_>, account: &str, board_id: &str, column_id: &str) -> Result<Column> {
    let all = board::columns(tx, account, board_id)?;
    let Some(column) = all.iter().find(|column| column.id == column_id).cloned() else { return Err(no_column(&all)) };
    if column.kind == Some(ColumnType::File) {
        return Ok(column);
    }
    let detail =
        format!("Column {} ({}) is of type {}. Use a column of type file.", column.title, column.id, column.type_name);
    Err(invalid("/columnId", fault::WRONG_TYPE, detail))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "WhichFile", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// The column's ID.
    column_id: String,
    /// The attachment.
    file_id: String,
}

/// An attachment that its cell lists, and the hash of its bytes.
fn find(tx: &mut Tx<'_>, account: &str, of: &Which) -> Result<(Attachment, String)> {
    let board = board::load(tx, account, &of.board_id)?;
    let item = item::find(tx, account, &board.id, &of.item_id)?.ok_or_else(|| not_found().naming(&["item"]))?;
    let files = listed(item.record.cells.get(&of.column_id));
    let file = files.into_iter().find(|file| file.id == of.file_id).ok_or_else(|| not_found().naming(&["file"]))?;
    let sql =
        "SELECT sha256 FROM board_files WHERE account_id = $1 AND file_id = $2 AND board_id = $3 AND item_id = $4";
    let sha256 = tx.query_one(sql, params![account, &file.id, &board.id, &of.item_id], |row| row.get(0))?;
    Ok((file, sha256))
}

fn lost(file: &Attachment) -> kit::Error {
    FILE_LOST.error(format!("The content of {} isn't in the data directory.", file.name))
}

/// Documents the answer.
pub(crate) struct Bytes;
impl Media for Bytes {
    const TYPES: &'static [&'static str] = &["application/octet-stream"];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// Content security policy that blocks scripts and resources if a browser displays the file.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'; sandbox";

pub(crate) async fn get(ctx: Ctx, call: Call, input: Which) -> Result<Raw<Bytes>> {
    let account = call.account().to_owned();
    let of = account.clone();
    let (file, sha256) = ctx.db().read(move |tx| find(tx, &of, &input)).await?;
    let etag = format!("\"{sha256}\"");
    if call.holds(&etag) {
        return Ok(Reply::not_modified(&etag).into());
    }
    let root = disk::root(&ctx)?;
    let open = move || match disk::open(&root, &account, &sha256)? {
        Some(opened) => {
            let bytes = opened.metadata().map(|found| found.len());
            Ok(Some((
                opened,
                bytes.map_err(|e| error::INTERNAL.error("Couldn't read the attached file.").caused_by(e))?,
            )))
        }
        None => Ok(None),
    };
    let opened = blocking(open).await?;
    let (opened, bytes) = opened.ok_or_else(|| lost(&file))?;
    // Whatever type it came with: a browser saves it and shows nothing.
    let reply = Reply {
        status: 200,
        content_type: Bytes::TYPES[0],
        headers: Vec::new(),
        body: Body::Stream(disk::stream(opened)),
    };
    Ok(reply
        .header("etag", etag)
        .header("content-length", bytes.to_string())
        .header("content-disposition", file_names::disposition(&file.name))
        .header("content-security-policy", POLICY)
        .into())
}

async fn blocking<T: Send + 'static>(run: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let ran = tokio::task::spawn_blocking(run).await;
    ran.unwrap_or_else(|fault| Err(error::INTERNAL.error("Couldn't read the file.").caused_by(fault)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "ReadFile", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReadText {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// The column's ID.
    column_id: String,
    /// The attachment.
    file_id: String,
    /// Maximum bytes of text, up to 262,144. Default: 65,536.
    #[schemars(range(min = 1, max = TEXT_BYTES_MAX))]
    max_bytes: Option<u32>,
}

/// An attachment, with its text if it's a text file.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "FileText", rename_all = "camelCase")]
pub(crate) struct Text {
    #[serde(flatten)]
    file: Attachment,
    /// The beginning of the text; null if it isn't UTF-8 text.
    text: Option<String>,
    /// Whether the text is truncated.
    truncated: bool,
}

pub(crate) async fn read(ctx: Ctx, call: Call, input: ReadText) -> Result<Text> {
    let most = input.max_bytes.unwrap_or(TEXT_BYTES_USUAL);
    if !(1..=TEXT_BYTES_MAX).contains(&most) {
        return Err(invalid("/maxBytes", fault::OUT_OF_RANGE, format!("Use maxBytes from 1 to {TEXT_BYTES_MAX}.")));
    }
    let ReadText { board_id, item_id, column_id, file_id, .. } = input;
    let (account, which) = (call.account().to_owned(), Which { board_id, item_id, column_id, file_id });
    let of = account.clone();
    let (file, sha256) = ctx.db().read(move |tx| find(tx, &of, &which)).await?;
    let root = disk::root(&ctx)?;
    let begin = move || {
        let Some(opened) = disk::open(&root, &account, &sha256)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = opened.take(u64::from(most)).read_to_end(&mut bytes);
        read.map_err(|e| error::INTERNAL.error("Couldn't read the attached file.").caused_by(e))?;
        Ok(Some(bytes))
    };
    let bytes = blocking(begin).await?.ok_or_else(|| lost(&file))?;
    let truncated = (bytes.len() as i64) < file.size;
    let text = text_of(bytes, truncated);
    Ok(Text { truncated: truncated && text.is_some(), file, text })
}

/// The bytes as text; a character that was cut at the end is left out.
fn text_of(mut bytes: Vec<u8>, truncated: bool) -> Option<String> {
    if let Err(e) = std::str::from_utf8(&bytes)
        && truncated
        && e.error_len().is_none()
    {
        bytes.truncate(e.valid_up_to());
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "UpdateFile", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// The column's ID.
    column_id: String,
    /// The attachment.
    file_id: String,
    /// Its new name, sanitized for saving.
    #[schemars(length(min = 1, max = SENT_NAME_CHARS_MAX))]
    name: Option<String>,
    /// Its new position in the cell, from 0.
    #[schemars(range(max = u32::MAX))]
    position: Option<u32>,
}

pub(crate) async fn update(ctx: Ctx, call: Call, input: Update) -> Result<Written> {
    if input.name.as_ref().is_some_and(|name| name.is_empty() || name.chars().nth(SENT_NAME_CHARS_MAX).is_some()) {
        let detail = format!("A name must have 1 to {SENT_NAME_CHARS_MAX} characters.");
        return Err(invalid("/name", fault::WRONG_LENGTH, detail));
    }
    let Update { board_id, item_id, column_id, file_id, name, position } = input;
    change(ctx, call, Which { board_id, item_id, column_id, file_id }, move |files, at| {
        if let Some(name) = name {
            files[at].name = file_names::tame(&name);
        }
        if let Some(position) = position {
            let file = files.remove(at);
            files.insert((position as usize).min(files.len()), file);
        }
    })
    .await
}

pub(crate) async fn remove(ctx: Ctx, call: Call, input: Which) -> Result<Written> {
    change(ctx, call, input, |files, at| {
        files.remove(at);
    })
    .await
}

/// Changes the list of a cell; `run` gets the attachment's index.
async fn change(
    ctx: Ctx,
    mut call: Call,
    of: Which,
    run: impl FnOnce(&mut Vec<Attachment>, usize) + Send + 'static,
) -> Result<Written> {
    let if_match = call.if_match.take();
    edit(ctx, call, of.board_id.clone(), move |tx, edit| {
        let mut item = items::load(tx, edit, &of.item_id)?;
        let mut files = listed(item.record.cells.get(&of.column_id));
        let at = files.iter().position(|file| file.id == of.file_id).ok_or_else(|| not_found().naming(&["file"]))?;
        expect::unchanged(tx, edit, &item, if_match.as_deref())?;
        run(&mut files, at);
        let value = (!files.is_empty()).then(|| json!(files));
        items::change_cell(tx, edit, &mut item, &of.column_id, value)?;
        settle(tx, edit, item)
    })
    .await
}

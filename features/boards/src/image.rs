//! A full board in memory in one format, split into chunks of neighboring items: a change rereads and rewrites only the
//! affected chunks, whatever the board's size.
//!
//! Invariant: the concatenated parts equal a complete rebuild, except for chunk boundaries.

use crate::arrow::{self, Batches};
use crate::board::{self, Board};
use crate::cells::Column;
use crate::form::{FULL_BYTES_MAX, Form, Head, too_large};
use crate::named::{Ids, Lists, Named};
use crate::scan;
use crate::subitems::PARENT;
use bytes::Bytes;
use kit::error::Result;
use std::collections::BTreeSet;
use store::{Row, Tx, params};

/// Items of a chunk when the board is read whole; one that has grown past twice as many is cut into equal parts.
/// In tests few, so that small boards have many chunks.
pub(crate) const ITEMS_PER_CHUNK: usize = if cfg!(test) { 4 } else { 4_096 };
/// Changed items up to which single chunks are written again; reading all is cheaper past it.
const CHANGED_MAX: i64 = 20_000;

/// An item's sort key on the board: its position, then its ID.
type Place = (i64, String);

/// A board in one form.
pub(crate) struct Image {
    revision: i64,
    /// Ids and types of the columns that it was written for, and whether there were subitems.
    columns: Vec<(String, String)>,
    writer: Writer,
    chunks: Vec<Chunk>,
}

struct Chunk {
    /// Sort key of its first item when it was written. The first chunk also takes items before it.
    from: Place,
    /// What its items name.
    named: Named,
    body: Body,
}

/// A chunk as it is sent: items each with a comma before it, or a message.
enum Body {
    Json(Bytes),
    Arrow(arrow::Message),
}

/// Writes chunks in a form.
enum Writer {
    Json(Box<Lists>),
    Arrow(Box<Batches>),
}

const IN_ORDER: &str = "ORDER BY position, item_id";

impl Image {
    /// The current board: the cached one with its changed chunks rewritten, or a full rebuild.
    pub(crate) fn refresh(
        tx: &mut Tx<'_>,
        account: &str,
        board: &Board,
        columns: &[Column],
        form: Form,
        kept: Option<Image>,
    ) -> Result<Image> {
        let mut written_for: Vec<_> = columns.iter().map(|c| (c.id.clone(), c.written_as())).collect();
        // The first subitem brings a field more, the last one takes it along.
        let has_subitems = board.subitem_count > 0;
        written_for.extend(has_subitems.then(|| (PARENT.to_owned(), String::new())));
        let kept = kept.filter(|image| image.columns == written_for && image.revision <= board.revision);
        if let Some(mut image) = kept
            && image.catch_up(tx, account, board)?
        {
            image.revision = board.revision;
            return Ok(image);
        }
        let writer = match form {
            Form::Json => Writer::Json(Box::new(Lists::new(columns))),
            Form::Arrow => Writer::Arrow(Box::new(Batches::new(columns, has_subitems))),
        };
        let mut image = Image { revision: board.revision, columns: written_for, writer, chunks: Vec::new() };
        let all = format!("WHERE account_id = $1 AND board_id = $2 {IN_ORDER}");
        image.chunks = image.writer.write(tx, &all, params![account, &board.id], ITEMS_PER_CHUNK)?;
        Ok(image)
    }

    /// A board made only of these records.
    pub(crate) fn of_records(form: Form, columns: &[Column], records: &[String]) -> Result<Image> {
        let (named, from) = (Named::default(), Place::default());
        let (writer, body) = match form {
            Form::Json => {
                let body = records.iter().flat_map(|record| [",", record]).collect::<String>().into_bytes();
                (Writer::Json(Box::new(Lists::new(columns))), json_body(body))
            }
            Form::Arrow => {
                let mut batches = Batches::new(columns, false);
                batches.begin(records.len())?;
                records.iter().try_for_each(|record| batches.add(record))?;
                let (message, _) = batches.finish()?.pop().ok_or_else(board::damaged_cells)?;
                (Writer::Arrow(Box::new(batches)), Body::Arrow(message))
            }
        };
        // No items are no chunk, as where they are read.
        let chunks = if records.is_empty() { Vec::new() } else { vec![Chunk { from, named, body }] };
        Ok(Image { revision: 0, columns: Vec::new(), writer, chunks })
    }

    /// Writes the chunks again that items changed in; false where reading all is better, or what left is not known any more.
    fn catch_up(&mut self, tx: &mut Tx<'_>, account: &str, board: &Board) -> Result<bool> {
        if self.revision == board.revision {
            return Ok(true);
        }
        if self.chunks.is_empty() || self.writer.is_worn() || self.revision < board.left_since {
            return Ok(false);
        }
        let mut changed: BTreeSet<usize> = BTreeSet::new();
        let mut count = 0;
        for table in ["items", "items_left"] {
            let sql = format!(
                "SELECT position, item_id FROM {table} WHERE account_id = $1 AND board_id = $2 AND revision > $3 LIMIT $4"
            );
            tx.each(&sql, params![account, &board.id, self.revision, CHANGED_MAX + 1], |row| {
                let place = (row.get(0)?, row.get(1)?);
                changed.insert(self.chunks.partition_point(|chunk| chunk.from <= place).saturating_sub(1));
                count += 1;
                Ok(())
            })?;
        }
        if count > CHANGED_MAX || 2 * changed.len() > self.chunks.len() + 2 {
            return Ok(false);
        }
        // From the last, so that the places of those before stay what they were found to be.
        for at in changed.into_iter().rev() {
            let first = if at == 0 { (i64::MIN, String::new()) } else { self.chunks[at].from.clone() };
            let end = self.chunks.get(at + 1).map_or((i64::MAX, String::new()), |next| next.from.clone());
            let among = "WHERE account_id = $1 AND board_id = $2 AND position >= $3 AND (position > $3 OR item_id >= $4) \
                 AND position <= $5 AND (position < $5 OR item_id < $6)";
            let range = params![account, &board.id, first.0, first.1, end.0, end.1];
            let count: i64 = tx.query_one(&format!("SELECT count(*) FROM items {among}"), range, |row| row.get(0))?;
            let count = count as usize;
            let parts = if count > 2 * ITEMS_PER_CHUNK { count.div_ceil(ITEMS_PER_CHUNK) } else { 1 };
            let chunks = self.writer.write(tx, &format!("{among} {IN_ORDER}"), range, count.div_ceil(parts).max(1))?;
            self.chunks.splice(at..=at, chunks);
        }
        Ok(true)
    }

    /// Ids of the members that the items name.
    pub(crate) fn members(&self) -> BTreeSet<String> {
        self.chunks.iter().flat_map(|chunk| &chunk.named.members).cloned().collect()
    }

    /// Ids of the items that cells link to.
    pub(crate) fn links(&self) -> Ids {
        let mut links = Ids::new();
        for (board_id, ids) in self.chunks.iter().flat_map(|chunk| &chunk.named.items) {
            links.entry(board_id.clone()).or_default().extend(ids.iter().cloned());
        }
        links
    }

    /// The whole board in parts, with its head.
    pub(crate) fn parts(&self, head: &Head) -> Result<Vec<Bytes>> {
        let (mut parts, end) = match &self.writer {
            Writer::Json(_) => (vec![json_head(head).map_err(board::damaged)?], "]}".as_bytes()),
            Writer::Arrow(batches) => (batches.before(head)?, arrow::END),
        };
        for (at, chunk) in self.chunks.iter().enumerate() {
            match &chunk.body {
                Body::Json(items) => parts.push(items.slice(usize::from(at == 0)..)),
                Body::Arrow(message) => parts.extend_from_slice(message),
            }
        }
        parts.push(Bytes::from_static(end));
        if parts.iter().map(Bytes::len).sum::<usize>() > FULL_BYTES_MAX {
            return Err(too_large());
        }
        Ok(parts)
    }
}

/// The text before the items.
fn json_head(head: &Head) -> serde_json::Result<Bytes> {
    let mut before = b"{\"board\":".to_vec();
    serde_json::to_writer(&mut before, &head.board)?;
    before.extend_from_slice(b",\"groups\":");
    serde_json::to_writer(&mut before, &head.groups)?;
    before.extend_from_slice(b",\"columns\":");
    serde_json::to_writer(&mut before, &head.columns)?;
    before.extend_from_slice(b",\"members\":");
    serde_json::to_writer(&mut before, &head.members)?;
    if !head.linked.is_empty() {
        before.extend_from_slice(b",\"linked\":");
        serde_json::to_writer(&mut before, &head.linked)?;
        before.extend_from_slice(b",\"linkedAt\":");
        serde_json::to_writer(&mut before, &head.linked_at)?;
    }
    before.extend_from_slice(b",\"items\":[");
    Ok(before.into())
}

impl Writer {
    /// Whether it was extended so often that a rebuild is better.
    fn is_worn(&self) -> bool {
        matches!(self, Writer::Arrow(batches) if batches.is_worn())
    }

    /// Reads the items that a condition meets, in order, and writes them in chunks of so many.
    fn write(
        &mut self,
        tx: &mut Tx<'_>,
        condition: &str,
        params: &[store::Value<'_>],
        per_chunk: usize,
    ) -> Result<Vec<Chunk>> {
        let sql = format!("SELECT record_json, position FROM items {condition}");
        match self {
            Writer::Json(lists) => json_chunks(tx, &sql, params, per_chunk, lists),
            Writer::Arrow(batches) => {
                let mut places = Vec::new();
                tx.each(&sql, params, |row| {
                    if batches.rows_waiting().is_multiple_of(per_chunk) {
                        places.push(place(row)?);
                        batches.begin(per_chunk)?;
                    }
                    batches.add(row.get(0)?)
                })?;
                let written = batches.finish()?.into_iter().zip(places);
                Ok(written.map(|((m, named), from)| Chunk { from, named, body: Body::Arrow(m) }).collect())
            }
        }
    }
}

/// An item's sort key; its ID is in its record.
fn place(row: &dyn Row) -> Result<Place> {
    let record = scan::record(row.get(0)?).ok_or_else(board::damaged_cells)?;
    Ok((row.get(1)?, record.id.to_owned()))
}

/// Drops spare capacity, because the cache counts bytes by length.
fn json_body(mut items: Vec<u8>) -> Body {
    items.shrink_to_fit();
    Body::Json(items.into())
}

fn json_chunks(
    tx: &mut Tx<'_>,
    sql: &str,
    params: &[store::Value<'_>],
    per_chunk: usize,
    lists: &mut Lists,
) -> Result<Vec<Chunk>> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut out: Vec<u8> = Vec::new();
    let (mut count, mut total) = (0, 0);
    let mut from: Place = Default::default();
    tx.each(sql, params, |row| {
        if count == per_chunk {
            total += out.len();
            let next = Vec::with_capacity(out.len() + out.len() / 16);
            let body = json_body(std::mem::replace(&mut out, next));
            chunks.push(Chunk { from: std::mem::take(&mut from), named: lists.take()?, body });
            count = 0;
        }
        if count == 0 {
            from = place(row)?;
        }
        count += 1;
        let record: &str = row.get(0)?;
        out.push(b',');
        out.extend_from_slice(record.as_bytes());
        lists.see(record)?;
        if total + out.len() > FULL_BYTES_MAX { Err(too_large()) } else { Ok(()) }
    })?;
    if count > 0 {
        chunks.push(Chunk { from, named: lists.take()?, body: json_body(out) });
    }
    Ok(chunks)
}

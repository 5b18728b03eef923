//! The Arrow form of a full board: one record batch, a column of the stream for each column of the board, labels and lists
//! dictionary-encoded, everything that is not items as JSON in the schema's metadata under `board`.

use crate::board::Board;
use crate::cells::{Column, ColumnType};
use crate::dates::{Instants, parse_iso};
use crate::full::{FULL_BYTES_MAX, Head, SCAN, columns_by_number, named_members, too_large};
use crate::scan::{Raw, members, number, record, unescape};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Field, Schema};
use kit::error::{self, Result};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use store::{Tx, params};

/// Rows between two looks at the size. So many of the longest texts come to 80 MB each time, still far from the 2 GiB that
/// offsets of an Arrow column can hold.
const ROWS_PER_LOOK: usize = 1_000;

fn fault(e: ArrowError) -> kit::Error {
    error::INTERNAL.error("A board could not be written out as Arrow.").caused_by(e)
}

fn damaged() -> kit::Error {
    error::INTERNAL.error("Stored cells of a board cannot be read.")
}

/// Reads the board and writes the stream; fills in the members that it refers to.
pub(crate) fn table(
    tx: &mut Tx<'_>,
    account: &str,
    board: &Board,
    columns: &[Column],
    head: &mut Head,
) -> Result<(BTreeSet<String>, Vec<u8>)> {
    let rows = board.item_count as usize;
    let by_number = columns_by_number(columns);
    let mut builders: Vec<Builder> = columns.iter().map(|column| Builder::of(column.kind, rows)).collect();
    let (mut ids, mut names, mut groups) =
        (Texts::new(rows), Texts::new(rows), Builder::of(Some(ColumnType::Status), rows));
    let (mut created, mut updated) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let (mut instants, mut scratch) = (Instants::default(), String::new());
    let mut row_number = 0;
    tx.each(SCAN, params![account, &board.id], |row| {
        let record = record(row.get(0)?).ok_or_else(damaged)?;
        ids.push(record.id);
        groups.set(row_number, Raw::Text(record.group_id, false)).ok_or_else(damaged)?;
        let (name, escaped) = record.name;
        names.push(unescape(name, escaped, &mut scratch).ok_or_else(damaged)?);
        created.push(instants.read(record.created_at).ok_or_else(damaged)?);
        updated.push(instants.read(record.updated_at).ok_or_else(damaged)?);
        members(record.cells, |number, value| match by_number.get(number) {
            Some(Some(index)) => builders[*index].set(row_number, value),
            _ => Some(()),
        })
        .ok_or_else(damaged)?;
        row_number += 1;
        if row_number % ROWS_PER_LOOK != 0 {
            return Ok(());
        }
        let texts = builders.iter().map(Builder::bytes).max().unwrap_or(0);
        if texts.max(names.bytes.len()) > FULL_BYTES_MAX { Err(too_large()) } else { Ok(()) }
    })?;
    let people = columns.iter().zip(&builders).filter(|(column, _)| column.kind == Some(ColumnType::People));
    let lists: Vec<String> = people.flat_map(|(_, builder)| builder.dictionary()).collect();
    let named = named_members(tx, account, lists.into_iter(), head)?;

    let mut fields = Vec::with_capacity(columns.len() + 5);
    let mut arrays = Vec::with_capacity(columns.len() + 5);
    let mut add = |name: &str, array: ArrayRef, nullable: bool| {
        fields.push(Field::new(name, array.data_type().clone(), nullable));
        arrays.push(array);
    };
    add("id", ids.finish(row_number, None)?, false);
    add("groupId", groups.finish(row_number)?, false);
    add("name", names.finish(row_number, None)?, false);
    add("createdAt", Arc::new(Int64Array::from(created)), false);
    add("updatedAt", Arc::new(Int64Array::from(updated)), false);
    for (column, builder) in columns.iter().zip(builders) {
        add(&column.id, builder.finish(row_number)?, true);
    }
    let head = serde_json::to_string(head).map_err(crate::board::damaged)?;
    let schema = Arc::new(Schema::new_with_metadata(fields, HashMap::from([("board".to_owned(), head)])));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(fault)?;
    let out = Vec::with_capacity(batch.get_array_memory_size() + 4096);
    let mut writer = StreamWriter::try_new(out, &schema).map_err(fault)?;
    writer.write(&batch).map_err(fault)?;
    Ok((named, writer.into_inner().map_err(fault)?))
}

/// Which rows have a value: one bit each.
#[derive(Default)]
struct Valid {
    bits: Vec<u8>,
    set: usize,
}

impl Valid {
    fn mark(&mut self, row: usize) {
        let byte = row / 8;
        if self.bits.len() <= byte {
            self.bits.resize(byte + 1, 0);
        }
        self.bits[byte] |= 1 << (row % 8);
        self.set += 1;
    }
    fn finish(mut self, rows: usize) -> Option<NullBuffer> {
        if self.set == rows {
            return None;
        }
        self.bits.resize(rows.div_ceil(8), 0);
        Some(NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(self.bits), 0, rows)))
    }
}

/// Texts one behind the other; rows without one are filled up when the next comes.
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i32>,
}

impl Texts {
    fn new(rows: usize) -> Texts {
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        Texts { bytes: Vec::with_capacity(rows * 16), ends }
    }
    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len() as i32);
    }
    fn set(&mut self, row: usize, text: &str) {
        if self.ends.len() <= row {
            self.ends.resize(row + 1, self.bytes.len() as i32);
        }
        self.push(text);
    }
    fn finish(mut self, rows: usize, valid: Option<NullBuffer>) -> Result<ArrayRef> {
        self.ends.resize(rows + 1, self.bytes.len() as i32);
        let ends = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        Ok(Arc::new(StringArray::try_new(ends, Buffer::from_vec(self.bytes), valid).map_err(fault)?))
    }
}

/// One column of the stream in the making.
struct Builder {
    valid: Valid,
    values: Values,
}

enum Values {
    Texts(Texts),
    Numbers(Vec<f64>),
    Dates(Vec<i32>),
    Truths(Valid),
    Labels {
        keys: Vec<i32>,
        by_text: FxHashMap<Box<str>, i32>,
        texts: Texts,
        last: i32,
    },
    /// The JSON of cells whose column's type is unknown here.
    Json(Texts),
}

impl Builder {
    fn of(kind: Option<ColumnType>, rows: usize) -> Builder {
        use ColumnType::*;
        let values = match kind {
            Some(Text | LongText | Link | Email | Phone) => Values::Texts(Texts::new(rows)),
            Some(Number | Rating | Progress) => Values::Numbers(Vec::with_capacity(rows)),
            Some(Date) => Values::Dates(Vec::with_capacity(rows)),
            Some(Checkbox) => Values::Truths(Valid::default()),
            Some(Status | Dropdown | Tags | People) => {
                let keys = Vec::with_capacity(rows);
                Values::Labels { keys, by_text: FxHashMap::default(), texts: Texts::new(16), last: -1 }
            }
            None => Values::Json(Texts::new(rows)),
        };
        Builder { valid: Valid::default(), values }
    }

    /// Sets the row's value; rows come in rising order, those left out are null. `None` where the value is not the column's.
    fn set(&mut self, row: usize, raw: Raw<'_>) -> Option<()> {
        let mut scratch = String::new();
        match (&mut self.values, raw) {
            (Values::Texts(texts), Raw::Text(text, escaped)) => texts.set(row, unescape(text, escaped, &mut scratch)?),
            (Values::Numbers(numbers), Raw::Plain(text)) => {
                numbers.resize(row, 0.0);
                numbers.push(number(text)?);
            }
            (Values::Dates(days), Raw::Text(text, false)) => {
                days.resize(row, 0);
                days.push(parse_iso(text)?);
            }
            (Values::Truths(truths), Raw::Plain(text)) => {
                if text == "true" {
                    truths.mark(row);
                }
            }
            (Values::Labels { keys, by_text, texts, last }, Raw::Text(text, false) | Raw::List(text)) => {
                keys.resize(row, 0);
                keys.push(key_of(by_text, texts, last, text));
            }
            (Values::Json(texts), raw) => texts.set(
                row,
                &match raw {
                    Raw::Text(text, _) => format!("\"{text}\""),
                    Raw::List(text) | Raw::Plain(text) => text.to_owned(),
                },
            ),
            _ => return None,
        }
        self.valid.mark(row);
        Some(())
    }

    fn bytes(&self) -> usize {
        match &self.values {
            Values::Texts(texts) | Values::Json(texts) | Values::Labels { texts, .. } => texts.bytes.len(),
            _ => 0,
        }
    }

    /// The distinct values of a dictionary.
    fn dictionary(&self) -> Vec<String> {
        match &self.values {
            Values::Labels { by_text, .. } => by_text.keys().map(|text| text.to_string()).collect(),
            _ => Vec::new(),
        }
    }

    fn finish(self, rows: usize) -> Result<ArrayRef> {
        let valid = self.valid.finish(rows);
        Ok(match self.values {
            Values::Texts(texts) | Values::Json(texts) => texts.finish(rows, valid)?,
            Values::Numbers(mut numbers) => {
                numbers.resize(rows, 0.0);
                Arc::new(Float64Array::new(numbers.into(), valid))
            }
            Values::Dates(mut days) => {
                days.resize(rows, 0);
                Arc::new(Date32Array::new(days.into(), valid))
            }
            Values::Truths(mut truths) => {
                truths.bits.resize(rows.div_ceil(8), 0);
                let bits = BooleanBuffer::new(Buffer::from_vec(truths.bits), 0, rows);
                Arc::new(BooleanArray::new(bits, valid))
            }
            Values::Labels { mut keys, by_text, texts, .. } => {
                keys.resize(rows, 0);
                // A key must point at a value even where it is null and the dictionary is empty.
                let valid = if by_text.is_empty() { Some(NullBuffer::new_null(rows)) } else { valid };
                let values = texts.finish(by_text.len(), None)?;
                let keys = Int32Array::new(keys.into(), valid);
                Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values).map_err(fault)?)
            }
        })
    }
}

fn key_of(by_text: &mut FxHashMap<Box<str>, i32>, texts: &mut Texts, last: &mut i32, text: &str) -> i32 {
    // Neighbours often hold the same.
    if *last >= 0 {
        let (start, end) = (texts.ends[*last as usize] as usize, texts.ends[*last as usize + 1] as usize);
        if texts.bytes[start..end] == *text.as_bytes() {
            return *last;
        }
    }
    *last = match by_text.get(text) {
        Some(key) => *key,
        None => {
            let key = by_text.len() as i32;
            by_text.insert(text.into(), key);
            texts.push(text);
            key
        }
    };
    *last
}

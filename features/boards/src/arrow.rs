//! The Arrow form of a full board: a stream of record batches with a column for each column of the board, labels and lists
//! dictionary-encoded, everything that is not items as JSON in the schema's metadata under `board`.

use crate::cells::{Column, ColumnType};
use crate::dates::{Instants, parse_iso};
use crate::full::{FULL_BYTES_MAX, columns_by_number};
use crate::image::{Head, Named, named, too_large};
use crate::scan::{Raw, members, number, record, span, unescape};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::{
    DictionaryHandling, DictionaryTracker, EncodedData, IpcDataGenerator, IpcWriteContext, IpcWriteOptions,
    write_message,
};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use bytes::Bytes;
use kit::error::{self, Result};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;
use std::sync::Arc;

fn fault(e: ArrowError) -> kit::Error {
    error::INTERNAL.error("A board could not be written out as Arrow.").caused_by(e)
}

pub(crate) fn damaged() -> kit::Error {
    error::INTERNAL.error("Stored cells of a board cannot be read.")
}

/// What ends a stream.
pub(crate) const END: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
/// Dictionary messages beside one for each dictionary, from which on a stream is better written anew.
const ADDITIONS_MAX: usize = 64;

/// What stands for the owner, whom records leave out.
const OWNER: &str = "owner";

/// The place of a column that shows a part of the record itself, and which.
fn of_record((index, column): (usize, &Column)) -> Option<(usize, ColumnType)> {
    use ColumnType::{CreatedAt, CreatedBy, UpdatedAt, UpdatedBy};
    column.kind.filter(|kind| matches!(kind, CreatedAt | CreatedBy | UpdatedAt | UpdatedBy)).map(|kind| (index, kind))
}

/// Writes record batches whose labels and lists are keys into dictionaries that all batches share. A dictionary only grows;
/// what is added to one that was written already goes into a message of its own behind it.
pub(crate) struct Batches {
    columns: Vec<(String, Option<ColumnType>)>,
    /// The board that each links to.
    targets: Vec<Option<String>>,
    /// Those that show a part of the record itself.
    of_record: Vec<(usize, ColumnType)>,
    by_number: Vec<Option<usize>>,
    /// Of each column, whether it is computed: while results of a changed formula come in, those before may be of another type.
    computed: Vec<bool>,
    /// Of the group, then of each column that has one.
    dictionaries: Vec<Option<Dictionary>>,
    /// The dictionaries as written so far.
    messages: Vec<Message>,
    tracker: DictionaryTracker,
    schema: Arc<Schema>,
    instants: Instants,
    scratch: String,
    waiting: Vec<Rows>,
    row_count: usize,
    /// Bytes of the records that were added since batches were last written: a bound for what they come to.
    text_bytes: usize,
    context: IpcWriteContext,
}

/// The rows of one batch in the making.
struct Rows {
    count: usize,
    ids: Texts,
    names: Texts,
    created: Vec<i64>,
    updated: Vec<i64>,
    /// Of the group, then of each column.
    builders: Vec<Builder>,
}

/// What a span of days consists of.
fn span_fields() -> Fields {
    Fields::from(vec![Field::new("from", DataType::Date32, true), Field::new("to", DataType::Date32, true)])
}

fn options() -> IpcWriteOptions {
    IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta)
}

impl Batches {
    pub(crate) fn of(columns: &[Column]) -> Batches {
        let group = std::iter::once(Some(ColumnType::Status));
        let kinds = group.chain(columns.iter().map(Column::holds));
        let dictionaries: Vec<_> = kinds.map(|kind| has_dictionary(kind).then(Dictionary::default)).collect();
        let mut batches = Batches {
            columns: columns.iter().map(|column| (column.id.clone(), column.holds())).collect(),
            computed: columns.iter().map(|column| column.kind == Some(ColumnType::Formula)).collect(),
            targets: columns.iter().map(|column| column.links_to().map(str::to_owned)).collect(),
            of_record: columns.iter().enumerate().filter_map(of_record).collect(),
            by_number: columns_by_number(columns),
            dictionaries,
            messages: Vec::new(),
            tracker: DictionaryTracker::new(false),
            schema: Arc::new(Schema::empty()),
            instants: Instants::default(),
            scratch: String::new(),
            waiting: Vec::new(),
            row_count: 0,
            text_bytes: 0,
            context: IpcWriteContext::default(),
        };
        batches.schema = Arc::new(batches.schema_with(HashMap::new()));
        // Gives the dictionaries their numbers.
        IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(
            &batches.schema,
            &mut batches.tracker,
            &options(),
        );
        batches
    }

    fn schema_with(&self, metadata: HashMap<String, String>) -> Schema {
        let label = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let mut fields = vec![
            Field::new("id", DataType::Utf8, false),
            Field::new("groupId", label(), false),
            Field::new("name", DataType::Utf8, false),
            Field::new("createdAt", DataType::Int64, false),
            Field::new("updatedAt", DataType::Int64, false),
        ];
        for (id, kind) in &self.columns {
            let data_type = match Builder::of(*kind, 0).values {
                Values::Texts(_) | Values::Json(_) => DataType::Utf8,
                Values::Numbers(_) => DataType::Float64,
                Values::Dates(_) => DataType::Date32,
                Values::Instants(_) => DataType::Int64,
                Values::Spans(..) => DataType::Struct(span_fields()),
                Values::Truths(_) => DataType::Boolean,
                Values::Labels(_) => label(),
            };
            fields.push(Field::new(id, data_type, true));
        }
        Schema::new_with_metadata(fields, metadata)
    }

    /// Whether its dictionaries were added to so often that writing all anew is better.
    pub(crate) fn is_worn(&self) -> bool {
        self.messages.len() > self.dictionaries.iter().flatten().count() + ADDITIONS_MAX
    }

    /// Begins the next batch, of about so many rows.
    pub(crate) fn begin(&mut self, rows: usize) {
        let group = Builder::of(Some(ColumnType::Status), rows);
        let builders =
            std::iter::once(group).chain(self.columns.iter().map(|(_, kind)| Builder::of(*kind, rows))).collect();
        let (created, updated) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        self.waiting.push(Rows {
            count: 0,
            ids: Texts::new(rows),
            names: Texts::new(rows),
            created,
            updated,
            builders,
        });
    }

    /// Adds a row to the batch that was begun last.
    pub(crate) fn add(&mut self, record_json: &str) -> Result<()> {
        let Batches { dictionaries, computed, instants, scratch, by_number, of_record, waiting, text_bytes, .. } = self;
        *text_bytes += record_json.len();
        if *text_bytes > FULL_BYTES_MAX {
            return Err(too_large());
        }
        let rows = waiting.last_mut().ok_or_else(damaged)?;
        let record = record(record_json).ok_or_else(damaged)?;
        let row = rows.count;
        let mut set = |index: usize, value| rows.builders[index].set(row, value, dictionaries[index].as_mut());
        set(0, Raw::Text(record.group_id, false)).ok_or_else(damaged)?;
        members(record.cells, |number, value| match by_number.get(number) {
            Some(Some(index)) => set(index + 1, value).or(computed[*index].then_some(())),
            _ => Some(()),
        })
        .ok_or_else(damaged)?;
        rows.ids.push(record.id);
        let (name, escaped) = record.name;
        rows.names.push(unescape(name, escaped, scratch).ok_or_else(damaged)?);
        let (created, updated) = (instants.read(record.created_at), instants.read(record.updated_at));
        let (created, updated) = created.zip(updated).ok_or_else(damaged)?;
        rows.created.push(created);
        rows.updated.push(updated);
        for (index, kind) in of_record {
            let by = match kind {
                ColumnType::CreatedBy => record.created_by,
                ColumnType::UpdatedBy => record.updated_by,
                kind => {
                    let at = if *kind == ColumnType::CreatedAt { created } else { updated };
                    rows.builders[*index + 1].set_instant(row, at);
                    continue;
                }
            };
            let (by, dictionary) = (by.unwrap_or(OWNER), dictionaries[*index + 1].as_mut());
            rows.builders[*index + 1].set(row, Raw::Text(by, false), dictionary).ok_or_else(damaged)?;
        }
        rows.count += 1;
        self.row_count += 1;
        Ok(())
    }

    /// Rows added since the last [`finish`](Self::finish).
    pub(crate) fn rows_waiting(&self) -> usize {
        self.row_count
    }

    /// Writes the batches that were begun, and what each names.
    pub(crate) fn finish(&mut self) -> Result<Vec<(Message, Named)>> {
        (self.row_count, self.text_bytes) = (0, 0);
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().map(|rows| self.write(rows)).collect()
    }

    fn write(&mut self, rows: Rows) -> Result<(Message, Named)> {
        let count = rows.count;
        let mut found = Named::default();
        let mut arrays = Vec::with_capacity(rows.builders.len() + 4);
        for (index, builder) in rows.builders.into_iter().enumerate() {
            let kind = index.checked_sub(1).and_then(|column| self.columns[column].1);
            let dictionary = self.dictionaries[index].as_mut();
            match (kind, &dictionary) {
                (Some(ColumnType::People), Some(dictionary)) => {
                    found.members.append(&mut named(builder.entries(dictionary))?);
                }
                (Some(ColumnType::CreatedBy | ColumnType::UpdatedBy), Some(dictionary)) => {
                    found.members.extend(builder.entries(dictionary).map(str::to_owned));
                }
                (Some(_), Some(dictionary)) => {
                    if let Some(target) = &self.targets[index - 1] {
                        let ids = found.items.entry(target.clone()).or_default();
                        ids.append(&mut named(builder.entries(dictionary))?);
                    }
                }
                _ => {}
            }
            arrays.push(builder.finish(count, dictionary)?);
        }
        let head: [ArrayRef; 4] = [
            rows.ids.finish(count, None)?,
            rows.names.finish(count, None)?,
            Arc::new(Int64Array::from(rows.created)),
            Arc::new(Int64Array::from(rows.updated)),
        ];
        let [ids, names, created, updated] = head;
        let group = arrays.remove(0);
        arrays.splice(0..0, [ids, group, names, created, updated]);
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(fault)?;
        let (dictionaries, batch) = IpcDataGenerator::default()
            .encode(&batch, &mut self.tracker, &options(), &mut self.context)
            .map_err(fault)?;
        for dictionary in dictionaries {
            self.messages.push(message(dictionary)?);
        }
        Ok((message(batch)?, found))
    }

    /// What stands before the batches: the schema, with what stands beside the items, and the dictionaries.
    pub(crate) fn before(&self, head: &Head) -> Result<Vec<Bytes>> {
        let head = serde_json::to_string(head).map_err(crate::board::damaged)?;
        let schema = self.schema_with(HashMap::from([("board".to_owned(), head)]));
        let mut tracker = DictionaryTracker::new(false);
        let schema =
            IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(&schema, &mut tracker, &options());
        Ok(message(schema)?.into_iter().chain(self.messages.iter().flatten().cloned()).collect())
    }
}

/// A message: its head, and its values, which are large and are not copied once more.
pub(crate) type Message = [Bytes; 2];

fn message(mut encoded: EncodedData) -> Result<Message> {
    let mut values = std::mem::take(&mut encoded.arrow_data);
    values.shrink_to_fit();
    let mut head = Vec::new();
    write_message(&mut head, encoded, &options()).map_err(fault)?;
    Ok([head.into(), values.into()])
}

/// The distinct values of a column, each with a number.
#[derive(Default)]
struct Dictionary {
    by_text: FxHashMap<Box<str>, i32>,
    texts: Vec<Box<str>>,
    last: Option<i32>,
    /// All of them, until another comes.
    array: Option<ArrayRef>,
}

impl Dictionary {
    fn key_of(&mut self, text: &str) -> i32 {
        // Neighbours often hold the same.
        if let Some(last) = self.last
            && *self.texts[last as usize] == *text
        {
            return last;
        }
        let key = match self.by_text.get(text) {
            Some(key) => *key,
            None => {
                let key = self.texts.len() as i32;
                self.by_text.insert(text.into(), key);
                self.texts.push(text.into());
                self.array = None;
                key
            }
        };
        self.last = Some(key);
        key
    }

    fn array(&mut self) -> ArrayRef {
        let texts = &self.texts;
        self.array.get_or_insert_with(|| Arc::new(StringArray::from_iter_values(texts))).clone()
    }
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
    fn is_set(&self, row: usize) -> bool {
        self.bits.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
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

fn has_dictionary(kind: Option<ColumnType>) -> bool {
    matches!(Builder::of(kind, 0).values, Values::Labels(_))
}

/// One column of a batch in the making.
struct Builder {
    valid: Valid,
    values: Values,
}

enum Values {
    Texts(Texts),
    Numbers(Vec<f64>),
    Dates(Vec<i32>),
    Instants(Vec<i64>),
    /// First and last days.
    Spans(Vec<i32>, Vec<i32>),
    Truths(Valid),
    /// Keys into the column's dictionary.
    Labels(Vec<i32>),
    /// The JSON of cells of files, and of those whose column's type is unknown here.
    Json(Texts),
}

impl Builder {
    fn of(kind: Option<ColumnType>, rows: usize) -> Builder {
        use ColumnType::*;
        let values = match kind {
            Some(Text | LongText | Link | Email | Phone) => Values::Texts(Texts::new(rows)),
            Some(Number | Rating | Progress) => Values::Numbers(Vec::with_capacity(rows)),
            Some(Date) => Values::Dates(Vec::with_capacity(rows)),
            Some(Timeline) => Values::Spans(Vec::with_capacity(rows), Vec::with_capacity(rows)),
            Some(CreatedAt | UpdatedAt) => Values::Instants(Vec::with_capacity(rows)),
            // A mirror has nothing of its own: every row is null.
            Some(Checkbox | Mirror) => Values::Truths(Valid::default()),
            Some(Status | Dropdown | Tags | People | ItemLink | Sprint | CreatedBy | UpdatedBy) => {
                Values::Labels(Vec::with_capacity(rows))
            }
            Some(Formula | File) | None => Values::Json(Texts::new(rows)),
        };
        Builder { valid: Valid::default(), values }
    }

    /// Sets the row's value; rows come in rising order, those left out are null. `None` where the value is not the column's.
    fn set(&mut self, row: usize, raw: Raw<'_>, dictionary: Option<&mut Dictionary>) -> Option<()> {
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
            (Values::Spans(from, to), Raw::Object(object)) => {
                let (first, last) = span(object)?;
                for (days, day) in [(from, first), (to, last)] {
                    days.resize(row, 0);
                    days.push(parse_iso(day)?);
                }
            }
            (Values::Truths(truths), Raw::Plain(text)) => {
                if text == "true" {
                    truths.mark(row);
                }
            }
            (Values::Labels(keys), Raw::Text(text, false) | Raw::List(text)) => {
                keys.resize(row, 0);
                keys.push(dictionary?.key_of(text));
            }
            (Values::Json(texts), raw) => texts.set(
                row,
                &match raw {
                    Raw::Text(text, _) => format!("\"{text}\""),
                    Raw::List(text) | Raw::Object(text) | Raw::Plain(text) => text.to_owned(),
                },
            ),
            _ => return None,
        }
        self.valid.mark(row);
        Some(())
    }

    /// Sets the row's moment, which is never null.
    fn set_instant(&mut self, row: usize, ms: i64) {
        if let Values::Instants(instants) = &mut self.values {
            instants.push(ms);
            self.valid.mark(row);
        }
    }

    /// The distinct values that its rows hold.
    fn entries<'a>(&self, dictionary: &'a Dictionary) -> impl Iterator<Item = &'a str> {
        let keys = if let Values::Labels(keys) = &self.values { keys.as_slice() } else { &[] };
        let held = keys.iter().enumerate().filter(|(row, _)| self.valid.is_set(*row)).map(|(_, key)| *key);
        held.collect::<FxHashSet<i32>>().into_iter().map(|key| &*dictionary.texts[key as usize])
    }

    fn finish(self, rows: usize, dictionary: Option<&mut Dictionary>) -> Result<ArrayRef> {
        let valid = self.valid.finish(rows);
        Ok(match self.values {
            Values::Texts(texts) | Values::Json(texts) => texts.finish(rows, valid)?,
            Values::Numbers(mut numbers) => {
                numbers.resize(rows, 0.0);
                Arc::new(Float64Array::new(numbers.into(), valid))
            }
            Values::Instants(instants) => Arc::new(Int64Array::new(instants.into(), valid)),
            Values::Dates(mut days) => {
                days.resize(rows, 0);
                Arc::new(Date32Array::new(days.into(), valid))
            }
            Values::Spans(from, to) => {
                let days = [from, to].map(|mut days| -> ArrayRef {
                    days.resize(rows, 0);
                    Arc::new(Date32Array::new(days.into(), valid.clone()))
                });
                Arc::new(StructArray::try_new(span_fields(), days.into(), valid).map_err(fault)?)
            }
            Values::Truths(mut truths) => {
                truths.bits.resize(rows.div_ceil(8), 0);
                let bits = BooleanBuffer::new(Buffer::from_vec(truths.bits), 0, rows);
                Arc::new(BooleanArray::new(bits, valid))
            }
            Values::Labels(mut keys) => {
                keys.resize(rows, 0);
                let values = dictionary.ok_or_else(damaged)?.array();
                // A key must point at a value even where it is null and the dictionary is empty.
                let valid = if values.is_empty() { Some(NullBuffer::new_null(rows)) } else { valid };
                let keys = Int32Array::new(keys.into(), valid);
                Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values).map_err(fault)?)
            }
        })
    }
}

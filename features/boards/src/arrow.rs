//! The Arrow form of a full board: a stream of record batches with a column for each column of the board, labels and lists
//! dictionary-encoded, everything that is not items as JSON in the schema's metadata under `board`. Where the board has
//! subitems, a last field names their parents.

mod dictionary;

use crate::board;
use crate::cells::Column;
use crate::form::{FULL_BYTES_MAX, Head, columns_by_number, too_large};
use crate::named::Named;
use crate::scan::{Raw, members, number, record, span, unescape};
use crate::subitems::PARENT;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, StructArray, new_empty_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::{
    DictionaryHandling, DictionaryTracker, EncodedData, IpcDataGenerator, IpcWriteContext, IpcWriteOptions,
    write_message,
};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use bytes::Bytes;
use column_types::ColumnType;
use column_types::dates::{Instants, parse_iso};
use dictionary::{Dictionary, Naming};
use kit::error::{self, Result};
use std::collections::HashMap;
use std::sync::Arc;

fn fault(e: ArrowError) -> kit::Error {
    error::INTERNAL.error("Couldn't encode the board as Arrow.").caused_by(e)
}

/// What ends a stream.
pub(crate) const END: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
/// Maximum dictionary messages per dictionary before the stream is rewritten.
const ADDITIONS_MAX: usize = 64;

/// Name of the owner, which records omit.
const OWNER: &str = "owner";

/// The place of a column that shows a part of the record itself, and which.
fn of_record((index, column): (usize, &Column)) -> Option<(usize, ColumnType)> {
    use ColumnType::{CreatedAt, CreatedBy, UpdatedAt, UpdatedBy};
    column.kind.filter(|kind| matches!(kind, CreatedAt | CreatedBy | UpdatedAt | UpdatedBy)).map(|kind| (index, kind))
}

/// Writes record batches whose labels and lists are keys into dictionaries shared by all batches. Dictionaries only
/// grow; later entries go into a separate message after the written ones.
pub(crate) struct Batches {
    columns: Vec<(String, Option<ColumnType>)>,
    /// The board that each links to.
    targets: Vec<Option<String>>,
    /// Those that show a part of the record itself.
    of_record: Vec<(usize, ColumnType)>,
    /// Whether there are subitems, whose parents are written behind the columns.
    parents: bool,
    by_number: Vec<Option<usize>>,
    /// Of each column, whether it is computed: while results of a changed formula come in, those before may be of another type.
    computed: Vec<bool>,
    /// Of the group, then of each column that has one.
    dictionaries: Vec<Option<Dictionary>>,
    /// The dictionaries as written so far.
    messages: Vec<Message>,
    tracker: DictionaryTracker,
    schema: Arc<Schema>,
    /// The schema with bare keys in the place of labels: within a batch, both are written alike. So a batch is written while its
    /// rows are still at hand, and the dictionaries once all are known.
    bare_schema: Arc<Schema>,
    instants: Instants,
    scratch: String,
    waiting: Option<Rows>,
    written: Vec<(Message, Named)>,
    /// Of each dictionary whose entries name members or items, what its entries name; while batches are being written.
    naming: Vec<Naming>,
    row_count: usize,
    /// Bytes of the records added since the last batch: an upper bound for the batch's size.
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
    parents: Builder,
    /// Of the group, then of each column.
    builders: Vec<Builder>,
}

/// Fields of a date range.
fn span_fields() -> Fields {
    Fields::from(vec![Field::new("from", DataType::Date32, true), Field::new("to", DataType::Date32, true)])
}

fn options() -> IpcWriteOptions {
    IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta)
}

impl Batches {
    pub(crate) fn new(columns: &[Column], parents: bool) -> Batches {
        let group = std::iter::once(Some(ColumnType::Status));
        let kinds = group.chain(columns.iter().map(Column::holds));
        let dictionaries: Vec<_> = kinds.map(|kind| has_dictionary(kind).then(Dictionary::default)).collect();
        let mut batches = Batches {
            columns: columns.iter().map(|column| (column.id.clone(), column.holds())).collect(),
            computed: columns.iter().map(|column| column.kind == Some(ColumnType::Formula)).collect(),
            targets: columns.iter().map(|column| column.links_to().map(str::to_owned)).collect(),
            of_record: columns.iter().enumerate().filter_map(of_record).collect(),
            parents,
            by_number: columns_by_number(columns),
            dictionaries,
            messages: Vec::new(),
            tracker: DictionaryTracker::new(false),
            schema: Arc::new(Schema::empty()),
            bare_schema: Arc::new(Schema::empty()),
            instants: Instants::default(),
            scratch: String::new(),
            waiting: None,
            written: Vec::new(),
            naming: Vec::new(),
            row_count: 0,
            text_bytes: 0,
            context: IpcWriteContext::default(),
        };
        batches.schema = Arc::new(batches.schema_with(HashMap::new()));
        let fields = batches.schema.fields().iter();
        let bare = fields.map(|field| match field.data_type() {
            DataType::Dictionary(keys, _) => {
                Arc::new(Field::new(field.name().clone(), (**keys).clone(), field.is_nullable()))
            }
            _ => field.clone(),
        });
        batches.bare_schema = Arc::new(Schema::new(bare.collect::<Vec<_>>()));
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
            let data_type = match Builder::new(*kind, 0).values {
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
        fields.extend(self.parents.then(|| Field::new(PARENT, DataType::Utf8, true)));
        Schema::new_with_metadata(fields, metadata)
    }

    /// Whether the dictionaries have been extended so often that a rewrite is better.
    pub(crate) fn is_worn(&self) -> bool {
        self.messages.len() > self.dictionaries.iter().flatten().count() + ADDITIONS_MAX
    }

    /// Begins the next batch, of about so many rows, and writes the one before.
    pub(crate) fn begin(&mut self, rows: usize) -> Result<()> {
        self.write()?;
        let group = Builder::new(Some(ColumnType::Status), rows);
        let builders =
            std::iter::once(group).chain(self.columns.iter().map(|(_, kind)| Builder::new(*kind, rows))).collect();
        let (created, updated) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let parents = Builder::new(Some(ColumnType::Text), 0);
        let (ids, names) = (Texts::new(rows), Texts::new(rows));
        self.waiting = Some(Rows { count: 0, ids, names, created, updated, parents, builders });
        Ok(())
    }

    /// Adds a row to the batch that was begun last.
    pub(crate) fn add(&mut self, record_json: &str) -> Result<()> {
        let Batches { dictionaries, computed, instants, scratch, by_number, of_record, waiting, text_bytes, .. } = self;
        *text_bytes += record_json.len();
        if *text_bytes > FULL_BYTES_MAX {
            return Err(too_large());
        }
        let rows = waiting.as_mut().ok_or_else(board::damaged_cells)?;
        let record = record(record_json).ok_or_else(board::damaged_cells)?;
        let row = rows.count;
        let mut set = |index: usize, value| rows.builders[index].set(row, value, dictionaries[index].as_mut());
        set(0, Raw::Text(record.group_id, false)).ok_or_else(board::damaged_cells)?;
        members(record.cells, |number, value| match by_number.get(number) {
            Some(Some(index)) => set(index + 1, value).or(computed[*index].then_some(())),
            _ => Some(()),
        })
        .ok_or_else(board::damaged_cells)?;
        rows.ids.push(record.id);
        let (name, escaped) = record.name;
        rows.names.push(unescape(name, escaped, scratch).ok_or_else(board::damaged_cells)?);
        if let Some(parent_id) = record.parent_id {
            rows.parents.set(row, Raw::Text(parent_id, false), None).ok_or_else(board::damaged_cells)?;
        }
        let (created, updated) = (instants.read(record.created_at), instants.read(record.updated_at));
        let (created, updated) = created.zip(updated).ok_or_else(board::damaged_cells)?;
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
            rows.builders[*index + 1].set(row, Raw::Text(by, false), dictionary).ok_or_else(board::damaged_cells)?;
        }
        rows.count += 1;
        self.row_count += 1;
        Ok(())
    }

    /// Rows added since the last [`finish`](Self::finish).
    pub(crate) fn rows_waiting(&self) -> usize {
        self.row_count
    }

    /// The pending batches and the IDs that each references.
    pub(crate) fn finish(&mut self) -> Result<Vec<(Message, Named)>> {
        self.write()?;
        (self.row_count, self.text_bytes) = (0, 0);
        self.naming.clear();
        let written = std::mem::take(&mut self.written);
        if !written.is_empty() {
            self.write_dictionaries()?;
        }
        Ok(written)
    }

    /// Writes the batch that was begun last.
    fn write(&mut self) -> Result<()> {
        let Some(rows) = self.waiting.take() else { return Ok(()) };
        let count = rows.count;
        let named = self.named(&rows.builders)?;
        let mut arrays = rows.builders.into_iter().map(|builder| builder.finish(count));
        let group = arrays.next().ok_or_else(board::damaged_cells)??;
        let (ids, names) = (rows.ids.finish(count, None)?, rows.names.finish(count, None)?);
        let times = [rows.created, rows.updated].map(|times| -> ArrayRef { Arc::new(Int64Array::from(times)) });
        let head = [ids, group, names].into_iter().chain(times).map(Ok);
        let parents = self.parents.then(|| rows.parents.finish(count));
        let arrays = head.chain(arrays).chain(parents).collect::<Result<_>>()?;
        let batch = RecordBatch::try_new(self.bare_schema.clone(), arrays).map_err(fault)?;
        let (_, batch) = self.encode(&batch)?;
        self.written.push((message(batch)?, named));
        Ok(())
    }

    /// Writes new dictionary entries with an empty batch.
    fn write_dictionaries(&mut self) -> Result<()> {
        let mut dictionaries = self.dictionaries.iter_mut().flatten();
        let arrays = self.schema.fields().iter().map(|field| -> Result<ArrayRef> {
            if !matches!(field.data_type(), DataType::Dictionary(..)) {
                return Ok(new_empty_array(field.data_type()));
            }
            let values = dictionaries.next().ok_or_else(board::damaged_cells)?.array();
            let keys = Int32Array::from(Vec::<i32>::new());
            Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values).map_err(fault)?))
        });
        let arrays = arrays.collect::<Result<_>>()?;
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(fault)?;
        for dictionary in self.encode(&batch)?.0 {
            self.messages.push(message(dictionary)?);
        }
        Ok(())
    }

    fn encode(&mut self, batch: &RecordBatch) -> Result<(Vec<EncodedData>, EncodedData)> {
        let Batches { tracker, context, .. } = self;
        IpcDataGenerator::default().encode(batch, tracker, &options(), context).map_err(fault)
    }

    /// IDs referenced by the rows of a batch.
    fn named(&mut self, builders: &[Builder]) -> Result<Named> {
        let mut found = Named::default();
        self.naming.resize_with(builders.len(), Naming::default);
        for (index, (_, kind)) in self.columns.iter().enumerate() {
            let Some(dictionary) = &self.dictionaries[index + 1] else { continue };
            let (builder, naming) = (&builders[index + 1], &mut self.naming[index + 1]);
            match kind {
                Some(ColumnType::People) => {
                    naming.add_to(&mut found.members, builder.keys_held(dictionary), dictionary)?
                }
                Some(ColumnType::CreatedBy | ColumnType::UpdatedBy) => {
                    found.members.extend(builder.keys_held(dictionary).map(|key| dictionary.text(key).to_owned()));
                }
                _ => {
                    if let Some(target) = &self.targets[index] {
                        let ids = found.items.entry(target.clone()).or_default();
                        naming.add_to(ids, builder.keys_held(dictionary), dictionary)?;
                    }
                }
            }
        }
        Ok(found)
    }

    /// Messages before the batches: the schema with the board's head, and the dictionaries.
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
    matches!(Builder::new(kind, 0).values, Values::Labels(_))
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
    fn new(kind: Option<ColumnType>, rows: usize) -> Builder {
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

    /// The distinct keys that its rows hold.
    fn keys_held(&self, dictionary: &Dictionary) -> impl Iterator<Item = usize> {
        let keys = if let Values::Labels(keys) = &self.values { keys.as_slice() } else { &[] };
        let mut held = vec![false; dictionary.len()];
        for (row, key) in keys.iter().enumerate() {
            held[*key as usize] |= self.valid.is_set(row);
        }
        held.into_iter().enumerate().filter_map(|(key, is_held)| is_held.then_some(key))
    }

    /// Labels are their bare keys.
    fn finish(self, rows: usize) -> Result<ArrayRef> {
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
                Arc::new(Int32Array::new(keys.into(), valid))
            }
        })
    }
}

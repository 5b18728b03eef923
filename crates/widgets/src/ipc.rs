//! Reads an Arrow IPC stream: as much of it as a board's stream uses, and every offset checked, since the bytes come from
//! outside and a panic in WebAssembly ends the worker. (arrow-ipc makes a module of 344 KB gzip; this is a few KB.)

use crate::error::EngineError;

type Result<T> = std::result::Result<T, EngineError>;

fn damaged(what: &str) -> EngineError {
    EngineError::Damaged(what.to_owned())
}

/// Little-endian number of `N` bytes at an offset.
fn le<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N]> {
    let end = at.checked_add(N).ok_or_else(|| damaged("an offset"))?;
    let part = bytes.get(at..end).ok_or_else(|| damaged("an offset points outside"))?;
    Ok(part.try_into().expect("N bytes"))
}

/// A flatbuffers table.
#[derive(Clone, Copy)]
struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Table<'a> {
    fn root(bytes: &'a [u8]) -> Result<Table<'a>> {
        Ok(Table { bytes, at: u32::from_le_bytes(le(bytes, 0)?) as usize })
    }
    /// Where a field's value stands, or `None` where it is left out.
    fn slot(self, field: usize) -> Result<Option<usize>> {
        let back = i32::from_le_bytes(le(self.bytes, self.at)?);
        let vtable = (self.at as i64) - i64::from(back);
        let vtable = usize::try_from(vtable).map_err(|_| damaged("a table"))?;
        let size = usize::from(u16::from_le_bytes(le(self.bytes, vtable)?));
        let entry = 4 + 2 * field;
        if entry + 2 > size {
            return Ok(None);
        }
        let offset = usize::from(u16::from_le_bytes(le(self.bytes, vtable + entry)?));
        Ok((offset != 0).then_some(self.at + offset))
    }
    fn u8(self, field: usize) -> Result<u8> {
        self.slot(field)?.map_or(Ok(0), |at| Ok(le::<1>(self.bytes, at)?[0]))
    }
    fn i16(self, field: usize, default: i16) -> Result<i16> {
        self.slot(field)?.map_or(Ok(default), |at| Ok(i16::from_le_bytes(le(self.bytes, at)?)))
    }
    fn i32(self, field: usize) -> Result<i32> {
        self.slot(field)?.map_or(Ok(0), |at| Ok(i32::from_le_bytes(le(self.bytes, at)?)))
    }
    fn i64(self, field: usize) -> Result<i64> {
        self.slot(field)?.map_or(Ok(0), |at| Ok(i64::from_le_bytes(le(self.bytes, at)?)))
    }
    fn follow(self, field: usize) -> Result<Option<usize>> {
        let Some(at) = self.slot(field)? else { return Ok(None) };
        let offset = u32::from_le_bytes(le(self.bytes, at)?) as usize;
        Ok(Some(at.checked_add(offset).ok_or_else(|| damaged("an offset"))?))
    }
    fn table(self, field: usize) -> Result<Option<Table<'a>>> {
        Ok(self.follow(field)?.map(|at| Table { bytes: self.bytes, at }))
    }
    /// Start of the elements and how many: bounded by the bytes that are there.
    fn vector(self, field: usize, size: usize) -> Result<(usize, usize)> {
        let Some(at) = self.follow(field)? else { return Ok((0, 0)) };
        let count = u32::from_le_bytes(le(self.bytes, at)?) as usize;
        let end = count.checked_mul(size).and_then(|n| n.checked_add(at + 4)).ok_or_else(|| damaged("a vector"))?;
        if end > self.bytes.len() { Err(damaged("a vector is longer than the message")) } else { Ok((at + 4, count)) }
    }
    fn tables(self, field: usize) -> Result<Vec<Table<'a>>> {
        let (start, count) = self.vector(field, 4)?;
        let element = |i: usize| {
            let at = start + 4 * i;
            Ok(Table { bytes: self.bytes, at: at + u32::from_le_bytes(le(self.bytes, at)?) as usize })
        };
        (0..count).map(element).collect()
    }
    fn text(self, field: usize) -> Result<&'a str> {
        let (start, count) = self.vector(field, 1)?;
        std::str::from_utf8(&self.bytes[start..start + count]).map_err(|_| damaged("a text"))
    }
}

/// How a column's values stand in the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Utf8,
    Float64,
    Int64,
    Date32,
    Bool,
    /// A struct of two Date32: the first day and the last.
    Span,
    /// Int32 keys into the dictionary of this id, of texts.
    Dictionary(i64),
}

/// A column as the schema names it.
pub(crate) struct Field {
    pub name: String,
    pub kind: Kind,
}

/// A column of one batch.
pub(crate) struct Array<'a> {
    pub rows: usize,
    valid: Option<&'a [u8]>,
    values: &'a [u8],
    /// Of texts the bytes that the offsets in `values` point into, of spans the last days.
    more: &'a [u8],
}

impl<'a> Array<'a> {
    pub fn is_valid(&self, row: usize) -> bool {
        self.valid.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1)
    }
    pub fn i32(&self, row: usize) -> i32 {
        i32::from_le_bytes(self.values[4 * row..4 * row + 4].try_into().expect("4 bytes"))
    }
    pub fn i64(&self, row: usize) -> i64 {
        i64::from_le_bytes(self.values[8 * row..8 * row + 8].try_into().expect("8 bytes"))
    }
    pub fn f64(&self, row: usize) -> f64 {
        f64::from_le_bytes(self.values[8 * row..8 * row + 8].try_into().expect("8 bytes"))
    }
    pub fn bool(&self, row: usize) -> bool {
        self.values[row / 8] >> (row % 8) & 1 == 1
    }
    /// The last day of a row's span.
    pub fn last_day(&self, row: usize) -> i32 {
        i32::from_le_bytes(self.more[4 * row..4 * row + 4].try_into().expect("4 bytes"))
    }
    /// How many bytes its texts have together.
    pub fn text_bytes(&self) -> usize {
        self.more.len()
    }
    /// A row's text; a null row has the empty one.
    pub fn text(&self, row: usize) -> Result<&'a str> {
        if !self.is_valid(row) {
            return Ok("");
        }
        let (start, end) = (self.i32(row), self.i32(row + 1));
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok()).map(|(start, end)| start..end);
        let bytes = range.and_then(|range| self.more.get(range)).ok_or_else(|| damaged("a text's offsets"))?;
        std::str::from_utf8(bytes).map_err(|_| damaged("a text is not UTF-8"))
    }
}

/// What a stream tells, in its order.
pub(crate) enum Event<'a> {
    Dictionary { id: i64, delta: bool, values: Array<'a> },
    Batch(Vec<Array<'a>>),
}

/// A stream whose schema has been read.
pub(crate) struct Stream<'a> {
    rest: &'a [u8],
    pub fields: Vec<Field>,
    pub head: &'a str,
}

impl<'a> Stream<'a> {
    /// Reads the schema and the metadata under `board`.
    pub fn open(bytes: &'a [u8]) -> Result<Stream<'a>> {
        let mut rest = bytes;
        let Some((1, header, _)) = message(&mut rest)? else { return Err(damaged("it does not begin with a schema")) };
        if header.i16(0, 0)? != 0 {
            return Err(damaged("it is big-endian"));
        }
        let mut head = None;
        for pair in header.tables(2)? {
            if pair.text(0)? == "board" {
                head = Some(pair.text(1)?);
            }
        }
        let head = head.ok_or_else(|| damaged("the schema has no metadata `board`"))?;
        let fields = header.tables(1)?.into_iter().map(field).collect::<Result<_>>()?;
        Ok(Stream { rest, fields, head })
    }

    /// The next dictionary or batch.
    pub fn next(&mut self) -> Result<Option<Event<'a>>> {
        let Some((kind, header, body)) = message(&mut self.rest)? else { return Ok(None) };
        match kind {
            2 => {
                let data = header.table(1)?.ok_or_else(|| damaged("a dictionary without values"))?;
                let mut values = batch(data, body, [Kind::Utf8].into_iter())?;
                let values = values.pop().expect("one array");
                Ok(Some(Event::Dictionary { id: header.i64(0)?, delta: header.u8(2)? != 0, values }))
            }
            3 => Ok(Some(Event::Batch(batch(header, body, self.fields.iter().map(|f| f.kind))?))),
            _ => Err(damaged("a message of unknown kind")),
        }
    }
}

/// One message: its kind, header and body. `None` at the end of the stream.
fn message<'a>(rest: &mut &'a [u8]) -> Result<Option<(u8, Table<'a>, &'a [u8])>> {
    if rest.is_empty() {
        return Ok(None);
    }
    let mut at = 0;
    if u32::from_le_bytes(le(rest, 0)?) == u32::MAX {
        at = 4;
    }
    let length = u32::from_le_bytes(le(rest, at)?) as usize;
    if length == 0 {
        *rest = &[];
        return Ok(None);
    }
    let start = at + 4;
    let end = start.checked_add(length).ok_or_else(|| damaged("a length"))?;
    let metadata = rest.get(start..end).ok_or_else(|| damaged("it is cut off"))?;
    let table = Table::root(metadata)?;
    let body_length = usize::try_from(table.i64(3)?).map_err(|_| damaged("a length"))?;
    let body_end = end.checked_add(body_length).ok_or_else(|| damaged("a length"))?;
    let body = rest.get(end..body_end).ok_or_else(|| damaged("it is cut off"))?;
    let header = table.table(2)?.ok_or_else(|| damaged("a message without header"))?;
    *rest = &rest[body_end..];
    Ok(Some((table.u8(1)?, header, body)))
}

fn field(table: Table<'_>) -> Result<Field> {
    let name = table.text(0)?.to_owned();
    let unknown = || damaged(&format!("the column {name:?} has an unknown Arrow type"));
    let detail = table.table(3)?;
    let bits = |t: Option<Table<'_>>| t.map_or(Ok(0), |t| t.i32(0));
    let kind = match (table.table(4)?, table.u8(2)?) {
        (Some(dictionary), 5) => {
            if bits(dictionary.table(1)?)? != 32 {
                return Err(unknown());
            }
            Kind::Dictionary(dictionary.i64(0)?)
        }
        (None, 5) => Kind::Utf8,
        (None, 2) if bits(detail)? == 64 => Kind::Int64,
        (None, 3) if detail.map_or(Ok(0), |t| t.i16(0, 0))? == 2 => Kind::Float64,
        (None, 8) if detail.map_or(Ok(1), |t| t.i16(0, 1))? == 0 => Kind::Date32,
        (None, 6) => Kind::Bool,
        (None, 13) => span(table)?.ok_or_else(unknown)?,
        _ => return Err(unknown()),
    };
    Ok(Field { name, kind })
}

/// A struct of two days, and of nothing else.
fn span(table: Table<'_>) -> Result<Option<Kind>> {
    let days = table.tables(5)?.into_iter().map(|child| {
        let is_date =
            child.u8(2)? == 8 && child.table(4)?.is_none() && child.table(3)?.is_some_and(|t| t.i16(0, 1) == Ok(0));
        Ok(is_date)
    });
    Ok((days.collect::<Result<Vec<_>>>()? == [true, true]).then_some(Kind::Span))
}

/// The arrays of a record batch, each checked to be as long as its rows need.
fn batch<'a>(header: Table<'a>, body: &'a [u8], kinds: impl Iterator<Item = Kind>) -> Result<Vec<Array<'a>>> {
    if header.table(3)?.is_some() {
        return Err(damaged("it is compressed"));
    }
    let rows = usize::try_from(header.i64(0)?).map_err(|_| damaged("a row count"))?;
    let (nodes, node_count) = header.vector(1, 16)?;
    let (buffers, buffer_count) = header.vector(2, 16)?;
    let mut next_buffer = 0;
    let mut buffer = || -> Result<&'a [u8]> {
        if next_buffer == buffer_count {
            return Err(damaged("a column without data"));
        }
        let at = buffers + 16 * next_buffer;
        next_buffer += 1;
        let offset = usize::try_from(i64::from_le_bytes(le(header.bytes, at)?)).map_err(|_| damaged("a buffer"))?;
        let length = usize::try_from(i64::from_le_bytes(le(header.bytes, at + 8)?)).map_err(|_| damaged("a buffer"))?;
        let end = offset.checked_add(length).ok_or_else(|| damaged("a buffer"))?;
        body.get(offset..end).ok_or_else(|| damaged("a buffer lies outside its message"))
    };
    let mut arrays = Vec::new();
    let mut next_node = 0;
    let mut has_nulls = || {
        if next_node == node_count {
            return Err(damaged("a column is missing"));
        }
        next_node += 1;
        Ok(i64::from_le_bytes(le(header.bytes, nodes + 16 * (next_node - 1) + 8)?) != 0)
    };
    for kind in kinds {
        let nulls = has_nulls()?;
        let valid = Some(buffer()?).filter(|bits| nulls && !bits.is_empty());
        if kind == Kind::Span {
            // A span is there or not; of its days no bits of their own are looked at.
            has_nulls()?;
            buffer()?;
        }
        let values = buffer()?;
        let more = match kind {
            Kind::Utf8 => buffer()?,
            Kind::Span => {
                has_nulls()?;
                buffer()?;
                buffer()?
            }
            _ => &[],
        };
        let needed = match kind {
            Kind::Utf8 if rows == 0 => Some(0),
            Kind::Utf8 => rows.checked_add(1).and_then(|n| n.checked_mul(4)),
            Kind::Float64 | Kind::Int64 => rows.checked_mul(8),
            Kind::Date32 | Kind::Span | Kind::Dictionary(_) => rows.checked_mul(4),
            Kind::Bool => Some(rows.div_ceil(8)),
        };
        let long_enough = needed.is_some_and(|n| values.len() >= n && (kind != Kind::Span || more.len() >= n))
            && valid.is_none_or(|v| v.len() >= rows.div_ceil(8));
        if !long_enough {
            return Err(damaged("a column is shorter than its rows"));
        }
        arrays.push(Array { rows, valid, values, more });
    }
    Ok(arrays)
}

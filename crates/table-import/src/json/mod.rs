//! Converts a JSON file (a Trello board, GitHub issues, or any list of records) to a text table, which is then imported
//! like any other.
//!
//! Invariant: the file is streamed. Only one record is in memory at a time, plus a Trello board's names, lists, and
//! checklists up to a limit.

mod records;
mod trello;

use super::decode::{detect, unreadable};
use super::strange::{self, NO_RECORDS};
use super::workbook::{Sheet, Table};
use crate::errors::NOT_A_TABLE;
use encoding_rs::UTF_8;
use kit::error::Result;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of one record; as values it takes up to sixteen times as much.
const RECORD_BYTES_MAX: usize = 4 * 1024 * 1024;
const HEAD_BYTES: u64 = 4096;
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether the file begins as a JSON object or a list of them does.
pub fn is_json(path: &Path) -> Result<bool> {
    Ok(first_signs(path)?.is_some())
}

/// Refuses a file that was sent as JSON and is none, or none that is taken: read as a text it would be a table of nonsense.
pub fn expect(path: &Path, stop: &AtomicBool) -> Result<()> {
    if is_json(path)? {
        return Ok(());
    }
    if detect(path, None)?.0 != UTF_8 {
        return Err(NOT_A_TABLE.error("The JSON file isn't UTF-8."));
    }
    Source { path, stop }.read(|_, json| IgnoredAny::deserialize(json))?;
    Err(strange::refusal(NO_RECORDS))
}

/// The sign that the JSON begins with.
fn first_signs(path: &Path) -> Result<Option<u8>> {
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head)).map_err(unreadable)?;
    let mut signs = head.strip_prefix(MARK).unwrap_or(&head).iter().filter(|sign| !sign.is_ascii_whitespace());
    Ok(match (signs.next(), signs.next()) {
        (Some(b'{'), Some(b'"' | b'}')) => Some(b'{'),
        (Some(b'['), Some(b'{' | b']')) => Some(b'['),
        _ => None,
    })
}

/// Import options for JSON files.
#[derive(Debug, Clone, Copy)]
pub struct Choices {
    /// Whether archived cards are taken too.
    pub archived: bool,
}

/// Writes the records of the file as a table.
pub fn unfold(path: &Path, table: &Path, choices: Choices, stop: &AtomicBool) -> Result<Sheet> {
    let source = Source { path, stop };
    match first_signs(path)? {
        Some(b'{') => trello::unfold(&source, Table::create(table)?, choices),
        _ => records::unfold(&source, Table::create(table)?),
    }
}

/// The file, to be read as often as needed.
struct Source<'a> {
    path: &'a Path,
    stop: &'a AtomicBool,
}

impl Source<'_> {
    /// Parses the file with a seed that passes elements to [`Records`].
    fn read<T>(&self, read: impl FnOnce(&mut Reading<'_>, &mut Json) -> serde_json::Result<T>) -> Result<T> {
        let mut file = File::open(self.path).map_err(unreadable)?;
        let mut mark = [0; MARK.len()];
        let marked = file.read_exact(&mut mark).is_ok() && mark == *MARK;
        file.seek(SeekFrom::Start(if marked { MARK.len() as u64 } else { 0 })).map_err(unreadable)?;
        let left = Rc::new(Cell::new(None));
        let reader = BufReader::new(Limited { file, left: left.clone() });
        let mut json = serde_json::Deserializer::from_reader(reader);
        let mut reading = Reading { stop: self.stop, left, fault: None };
        let outcome = read(&mut reading, &mut json).and_then(|read| json.end().map(|()| read));
        outcome.map_err(|e| reading.fault.take().unwrap_or_else(|| refused(&e)))
    }
}

type Json = serde_json::Deserializer<serde_json::de::IoRead<BufReader<Limited>>>;

/// Why a file cannot be read, with the place.
fn refused(e: &serde_json::Error) -> kit::Error {
    let place = format!("line {}, column {}", e.line(), e.column());
    let what = e.to_string();
    NOT_A_TABLE.error(if what.contains(TOO_LONG) {
        format!("A record of the JSON file is over {RECORD_BYTES_MAX} bytes, near {place}.")
    } else if e.is_io() {
        "Couldn't read the received file.".to_owned()
    } else if e.is_eof() {
        format!("The JSON file is truncated at {place}. Export it again.")
    } else if what.contains("recursion limit") {
        format!("The JSON file is nested too deeply at {place}.")
    } else {
        format!("The file isn't valid JSON: {what}.")
    })
}

/// What reading has come to.
struct Reading<'a> {
    stop: &'a AtomicBool,
    /// Bytes that the present record may still have.
    left: Rc<Cell<Option<usize>>>,
    /// What ended it early.
    fault: Option<kit::Error>,
}

const TOO_LONG: &str = "a record is too long";

/// A file whose buffered element is limited in size.
struct Limited {
    file: File,
    left: Rc<Cell<Option<usize>>>,
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        if let Some(left) = self.left.get() {
            self.left.set(Some(left.checked_sub(read).ok_or_else(|| io::Error::other(TOO_LONG))?));
        }
        Ok(read)
    }
}

/// A list whose elements are handed on one by one.
struct Records<'a, 'r, F> {
    reading: &'a mut Reading<'r>,
    take: F,
}

impl<'de, F: FnMut(Value) -> Result<()>> DeserializeSeed<'de> for Records<'_, '_, F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(Value) -> Result<()>> Visitor<'de> for Records<'_, '_, F> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> std::result::Result<(), A::Error> {
        loop {
            self.reading.left.set(Some(RECORD_BYTES_MAX));
            let Some(record) = list.next_element::<Value>()? else { break };
            let stopped = self.reading.stop.load(Ordering::Relaxed);
            if let Err(fault) =
                if stopped { Err(NOT_A_TABLE.error("Reading was stopped.")) } else { (self.take)(record) }
            {
                self.reading.fault = Some(fault);
                return Err(A::Error::custom("reading ends here"));
            }
        }
        self.reading.left.set(None);
        Ok(())
    }
}

/// A value as a cell has it: of an object its name, of a list an entry on each line.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.replace('\0', ""),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Array(list) => {
            let entries = list.iter().map(|entry| text(entry).split_whitespace().collect::<Vec<_>>().join(" "));
            entries.filter(|entry| !entry.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Value::Object(members) => {
            let named = ["name", "title", "login"].into_iter().filter_map(|name| members.get(name)?.as_str());
            named.filter(|name| !name.is_empty()).map(str::to_owned).next().unwrap_or_else(|| value.to_string())
        }
    }
}

/// The text of the first of these members that isn't empty.
fn member(record: &Value, names: &[&str]) -> String {
    names.iter().filter_map(|name| record.get(name)).map(text).find(|text| !text.is_empty()).unwrap_or_default()
}

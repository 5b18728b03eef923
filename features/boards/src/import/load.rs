//! Carries a plan out: reads the file again, makes items of its rows, and hands them over in chunks.

use super::choices::OnMisfit;
use super::parents::{Below, Parents};
use super::plan::{Plan, Role, above_the_head};
use super::receive::{Job, Spool};
use crate::errors::{BOARD_LIMIT, IMPORT_STOPPED, INVALID_CELL};
use crate::scan::{write_record, write_text};
use crate::{fault, ids, item};
use column_types::values;
use column_types::{ColumnType, ENTRIES_MAX, NAME_CHARS_MAX, TEXT_CHARS_MAX, is_email, is_link, is_phone};
use kit::error::{self, Result};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use table_import::infer::{Decided, Format, people_in};
use table_import::problems::Problems;
use table_import::sniff::Rows;
use tokio::sync::mpsc;

/// Rows of one transaction.
const ROWS_PER_WRITE: usize = 5_000;
/// Bytes of cells of one transaction, for tables with long texts.
const BYTES_PER_WRITE: usize = 8 * 1024 * 1024;

/// Chunks of rows that wait to be stored.
pub(super) const CHUNKS_WAITING_MAX: usize = 2;

/// An item ready to be stored.
pub(crate) struct NewItem {
    pub(crate) id: String,
    /// Place of its group in the plan's groups, where the file names it.
    pub(crate) group: Option<usize>,
    pub(crate) record_json: String,
    /// What identifies it from one export to the next.
    pub(crate) key: Option<String>,
    pub(crate) line: u64,
    /// Ids of the columns whose cells do not fit and are left out.
    pub(crate) misfits: Vec<String>,
}

/// Result of loading the rows.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) imported: u64,
    pub(crate) skipped: u64,
    /// What identifies rows that are not taken: their items are named all the same.
    pub(crate) skipped_keys: Vec<String>,
    /// Rows with a cell that does not fit its column.
    pub(crate) misfits: u64,
    pub(crate) problems: Problems,
    /// The rows that become subitems.
    pub(crate) subitems: Vec<Below>,
}

/// Handling of rows and cells that can't be imported unchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// The first of them is an error.
    pub(crate) stop: bool,
    /// What to skip if a cell doesn't fit its column.
    pub(crate) misfit: OnMisfit,
}

/// A column of the file that fills a column of the board.
struct CellColumn<'a> {
    index: usize,
    title: &'a str,
    /// Its member in an object of cells: the quoted id and a colon.
    member: String,
    id: String,
    decided: &'a Decided,
}

/// Why a field is not imported, or is imported with another value.
enum Trouble {
    /// It does not fit its column.
    Wrong(String),
    /// The row is taken, with the cell cut to this.
    Cut(String),
}

/// Reads all rows and sends items in chunks; stops early if the receiver is closed. With `stop`, the first invalid row
/// is an error. `now` and `by` are the items' creation time and author.
pub(crate) fn load(
    path: &Path,
    plan: &Plan,
    Manner { stop, misfit }: Manner,
    (now, by): (&str, Option<&str>),
    chunks: &mpsc::Sender<Vec<NewItem>>,
) -> Result<Loaded> {
    let mut rows = Rows::open(path, &plan.shape)?;
    let mut ids = ids::short_ids();
    let mut loaded = Loaded::default();
    let groups: HashMap<&str, usize> = plan.groups.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    let cells: Vec<CellColumn<'_>> = columns(plan)
        .map(|(index, number, decided)| {
            let id = plan.targets[index].clone().unwrap_or_else(|| format!("c{number}"));
            CellColumn { index, title: &plan.titles[index], member: format!("\"{id}\":"), id, decided }
        })
        .collect();
    let name_at = plan.roles.iter().position(|role| matches!(role, Role::Name)).unwrap_or(0);
    let group_at = plan.roles.iter().position(|role| matches!(role, Role::Group));
    let (mut chunk, mut chunk_bytes) = (Vec::with_capacity(ROWS_PER_WRITE), 0);
    let mut json = Vec::new();
    let mut parents = Parents::find(plan);
    above_the_head(&rows.above, &mut loaded.problems);
    loaded.skipped += rows.above.len() as u64;
    if stop && !rows.above.is_empty() {
        return Err(stopped(&loaded.problems, 0));
    }
    while let Some(line) = rows.next_row()? {
        let before = loaded.problems.count;
        let is_ragged = rows.ragged(line, &mut loaded.problems);
        let is_undecodable = rows.undecodable(plan.shape.encoding.name(), &mut loaded.problems);
        let field = |index: usize| rows.record.get(index).unwrap_or_default();
        let before_cells = loaded.problems.count;
        let misfits = write_cells(&cells, field, (line, misfit), &mut json, &mut loaded.problems);
        let take = !is_ragged && (misfits.is_empty() || misfit == OnMisfit::Cell);
        let mut troubled = is_ragged || is_undecodable || loaded.problems.count > before_cells;
        loaded.misfits += u64::from(!misfits.is_empty() && !is_ragged);
        let name = name_of(field(name_at), line, &plan.titles[name_at], &mut loaded.problems, &mut troubled);
        if stop && troubled {
            return Err(stopped(&loaded.problems, before));
        }
        if !take {
            loaded.skipped += 1;
            loaded.skipped_keys.extend(plan.key.map(|at| field(at).trim().to_owned()).filter(|_| !is_ragged));
            parents.iter_mut().for_each(|parents| parents.skip(rows.below));
            continue;
        }
        loaded.imported += 1;
        let named = group_at.map(|at| field(at).trim()).or(rows.group.as_deref()).unwrap_or_default();
        let group = group_name(named).and_then(|name| groups.get(name)).copied();
        let key = plan.key.map(|at| field(at).trim().to_owned());
        let id = ids.next().expect("identifiers do not run out");
        if let Some(parents) = &mut parents {
            parents.take((&id, key.as_deref(), &name), line, &rows.record, rows.below);
        }
        let record_json = write_record(&id, &ids::group_id(group.unwrap_or(0)), &name, now, by, &json);
        chunk_bytes += record_json.len();
        chunk.push(NewItem { id, group, record_json, key, line, misfits });
        if chunk.len() == ROWS_PER_WRITE || chunk_bytes > BYTES_PER_WRITE {
            chunk_bytes = 0;
            let full = std::mem::replace(&mut chunk, Vec::with_capacity(ROWS_PER_WRITE));
            if chunks.blocking_send(full).is_err() {
                return Ok(loaded);
            }
        }
    }
    // A receiver that is gone has canceled; nobody looks at the answer then.
    let _ = chunks.blocking_send(chunk);
    if let Some(parents) = parents {
        loaded.subitems = parents.resolve(&mut loaded.problems);
    }
    rows.report(plan.shape.encoding.name(), &mut loaded.problems);
    Ok(loaded)
}

/// Writes a row's cells as an object; the ids of the columns whose cells don't fit and are left out.
fn write_cells<'a>(
    columns: &[CellColumn<'_>],
    field: impl Fn(usize) -> &'a str,
    (line, misfit): (u64, OnMisfit),
    json: &mut Vec<u8>,
    problems: &mut Problems,
) -> Vec<String> {
    let mut misfits = Vec::new();
    json.clear();
    json.push(b'{');
    for column in columns {
        let text = field(column.index).trim();
        if text.is_empty() {
            continue;
        }
        let start = json.len();
        if start > 1 {
            json.push(b',');
        }
        json.extend_from_slice(column.member.as_bytes());
        let value_at = json.len();
        match write_cell(text, column.decided, json) {
            Ok(()) if json.len() == value_at => json.truncate(start),
            Ok(()) => {}
            Err(Trouble::Cut(detail)) => problems.add(line, column.title, fault::CUT, || detail),
            Err(Trouble::Wrong(detail)) => {
                json.truncate(start);
                misfits.push(column.id.clone());
                let what = match misfit {
                    OnMisfit::Row => "the row was skipped",
                    OnMisfit::Cell => "the cell was skipped",
                };
                problems.add(line, column.title, INVALID_CELL.fault(), || format!("{detail}; {what}."));
            }
        }
    }
    json.push(b'}');
    misfits
}

/// The columns of the new board: index in the file, number of its ID, and detected type.
pub(crate) fn columns(plan: &Plan) -> impl Iterator<Item = (usize, i64, &Decided)> {
    let cells = plan.roles.iter().enumerate().filter_map(|(index, role)| match role {
        Role::Cells(decided) => Some((index, decided)),
        _ => None,
    });
    cells.zip(1..).map(|((index, decided), number)| (index, number, &**decided))
}

/// Error for the first problem after the given ones.
pub(crate) fn stopped(problems: &Problems, before: u64) -> kit::Error {
    let shown = serde_json::to_value(&problems.listed).unwrap_or_default();
    let first = problems.listed.get(before as usize).or(problems.listed.last());
    let what = first.map_or_else(String::new, |p| format!("Line {}: {}", p.line, p.detail));
    IMPORT_STOPPED.error(what).with("problems", shown)
}

fn group_name(name: &str) -> Option<&str> {
    let end = name.char_indices().nth(NAME_CHARS_MAX).map_or(name.len(), |(at, _)| at);
    (!name.is_empty()).then(|| &name[..end])
}

/// A group's name as the board takes it: on one line.
pub(crate) fn group_called(name: &str) -> String {
    if !name.contains(char::is_control) {
        return name.to_owned();
    }
    let words = name.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let called = words.collect::<Vec<_>>().join(" ");
    if called.is_empty() { "Items".to_owned() } else { called }
}

/// The item's name: on one line, of a length that is taken.
fn name_of(field: &str, line: u64, title: &str, problems: &mut Problems, troubled: &mut bool) -> String {
    let text = field.trim();
    if text.is_empty() {
        problems.add(line, title, fault::NO_NAME, || "The row has no name; it's named Untitled.".to_owned());
        return "Untitled".to_owned();
    }
    let plain = !text.contains(['\n', '\t']);
    let name = if plain { text.to_owned() } else { text.split_whitespace().collect::<Vec<_>>().join(" ") };
    match name.char_indices().nth(NAME_CHARS_MAX) {
        None => name,
        Some((end, _)) => {
            *troubled = true;
            problems.add(line, title, fault::CUT, || {
                format!("A name can have up to {NAME_CHARS_MAX} characters; it was truncated.")
            });
            name[..end].to_owned()
        }
    }
}

/// Appends the cell's JSON; nothing for an empty cell.
fn write_cell(text: &str, decided: &Decided, out: &mut Vec<u8>) -> std::result::Result<(), Trouble> {
    let wrong = |takes: &str| {
        let shown: String = text.chars().take(80).collect();
        Err(Trouble::Wrong(format!("“{shown}” is not {takes}")))
    };
    match &decided.format {
        Format::Text => return write_plain(text, decided.kind, out),
        Format::Number { .. } | Format::Date(_) | Format::Span(_) if values::is_null_like(text) => {}
        // A number that can only be read with the other mark is read so.
        Format::Number { comma } => match values::number(text, *comma).or_else(|| values::number(text, !comma)) {
            Some(number) if in_range(number.value, decided) => write_number(number.value, out),
            Some(_) => return wrong("a number in the column's range"),
            None => return wrong("a number"),
        },
        Format::Date(order) => match values::date(text, *order) {
            Some(date) => write_text(&date, out),
            None => return wrong("a date"),
        },
        Format::Span(order) => match values::span(text, *order).or_else(|| day_alone(text, *order)) {
            Some((from, to)) => {
                out.extend_from_slice(b"{\"from\":");
                write_text(&from, out);
                out.extend_from_slice(b",\"to\":");
                write_text(&to, out);
                out.push(b'}');
            }
            None => return wrong("a date range that starts before it ends"),
        },
        Format::Truth => match values::truth(text) {
            Some(truth) => out.extend_from_slice(if truth { b"true" } else { b"false" }),
            None => return wrong("yes or no"),
        },
        Format::Labels(by_text) => match by_text.get(text) {
            Some(id) => write_text(id, out),
            None => return wrong("one of the column's labels"),
        },
        Format::Tags(sign) => {
            let mut tags: Vec<&str> = Vec::new();
            for tag in text.split(*sign).map(str::trim).filter(|tag| !tag.is_empty()) {
                if tag.chars().count() > NAME_CHARS_MAX {
                    return wrong("a list of short texts");
                }
                if !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
            return write_list(&tags, out);
        }
        Format::People(by_name) => {
            let mut ids: Vec<&str> = Vec::new();
            for name in people_in(text) {
                match by_name.get(&name.to_lowercase()) {
                    Some(id) if !ids.contains(&id.as_str()) => ids.push(id),
                    Some(_) => {}
                    None => return wrong("a member of this account"),
                }
            }
            return write_list(&ids, out);
        }
    }
    Ok(())
}

/// A day as a span of one.
fn day_alone(text: &str, order: values::DateOrder) -> Option<(String, String)> {
    values::date(text, order).map(|day| (day.clone(), day))
}

fn write_plain(text: &str, kind: ColumnType, out: &mut Vec<u8>) -> std::result::Result<(), Trouble> {
    let (fits, takes) = match kind {
        ColumnType::Link => (is_link(text), "a URL"),
        ColumnType::Email => (is_email(text), "an email address"),
        ColumnType::Phone => (is_phone(text), "a phone number"),
        _ => (true, ""),
    };
    if !fits {
        let shown: String = text.chars().take(80).collect();
        return Err(Trouble::Wrong(format!("“{shown}” is not {takes}")));
    }
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        None => {
            write_text(text, out);
            Ok(())
        }
        Some((end, _)) => {
            write_text(&text[..end], out);
            Err(Trouble::Cut(format!("A cell can have up to {TEXT_CHARS_MAX} characters; it was truncated.")))
        }
    }
}

fn write_list(entries: &[&str], out: &mut Vec<u8>) -> std::result::Result<(), Trouble> {
    let (kept, rest) = entries.split_at(entries.len().min(ENTRIES_MAX));
    if kept.is_empty() {
        return Ok(());
    }
    out.push(b'[');
    for (index, entry) in kept.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_text(entry, out);
    }
    out.push(b']');
    if rest.is_empty() {
        return Ok(());
    }
    Err(Trouble::Cut(format!("A cell can have up to {ENTRIES_MAX} entries; the rest were skipped.")))
}

fn in_range(value: f64, decided: &Decided) -> bool {
    match decided.kind {
        ColumnType::Rating => value.fract() == 0.0 && (0.0..=decided.settings.max.unwrap_or(5) as f64).contains(&value),
        ColumnType::Progress => (0.0..=100.0).contains(&value),
        _ => true,
    }
}

fn write_number(value: f64, out: &mut Vec<u8>) {
    // Whole numbers without the point, as they come from clients.
    let json = if value.fract() == 0.0 && value.abs() < 1e15 {
        serde_json::to_writer(out, &(value as i64))
    } else {
        serde_json::to_writer(out, &value)
    };
    json.expect("a number serializes into memory");
}

/// Every row of the file, of which there may be so many bytes.
pub(super) async fn rows_of(
    job: &Job,
    spool: Arc<Spool>,
    plan: Arc<Plan>,
    manner: Manner,
    bytes_max: usize,
) -> Result<(Vec<NewItem>, Loaded)> {
    let (sender, mut chunks) = mpsc::channel::<Vec<NewItem>>(CHUNKS_WAITING_MAX);
    let (now, by, expected) = (kit::rfc3339(job.ctx.now_ms()), item::made_by(&job.caller), plan.rows);
    let reader = tokio::task::spawn_blocking(move || load(&spool.0, &plan, manner, (&now, by.as_deref()), &sender));
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(chunk) = chunks.recv().await {
        bytes += chunk.iter().map(|row| row.record_json.len()).sum::<usize>();
        if bytes > bytes_max {
            let detail = format!("The file's rows exceed {bytes_max} bytes. Import it in parts.");
            return Err(BOARD_LIMIT.error(detail));
        }
        rows.extend(chunk);
        job.tell("loading", rows.len() as u64, expected);
    }
    let loaded = reader.await.unwrap_or_else(|e| Err(error::INTERNAL.error("Couldn't read the file.").caused_by(e)))?;
    Ok((rows, loaded))
}

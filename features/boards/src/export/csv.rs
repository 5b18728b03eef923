//! A board as CSV, which an import of this program reads back and a spreadsheet opens without taking texts for formulas.

use super::rows::{Shown, Table, in_percent};
use super::{Out, unwritable};
use column_types::values;
use kit::error::{self, Result};
use std::borrow::Cow;
use store::Tx;

pub(super) fn write(tx: &mut Tx<'_>, table: &Table, bom: bool, out: &mut Out) -> Result<()> {
    if bom {
        out.put("\u{feff}".as_bytes())?;
    }
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(&mut out.file);
    writer.write_record(table.titles().map(|title| guarded(title).into_owned())).map_err(fault)?;
    let percents: Vec<bool> = table.as_written().map(in_percent).collect();
    table.each(tx, |line, cells| {
        for text in line.texts() {
            writer.write_field(&*guarded(text)).map_err(fault)?;
        }
        for (cell, percent) in cells.iter().zip(&percents) {
            writer.write_field(&*field(cell, *percent)).map_err(fault)?;
        }
        writer.write_record(None::<&[u8]>).map_err(fault)
    })?;
    writer.flush().map_err(unwritable)
}

fn field(cell: &Shown, percent: bool) -> Cow<'_, str> {
    match cell {
        Shown::Nothing => "".into(),
        Shown::Text(text) => guarded(text),
        Shown::Date(date) => date.as_str().into(),
        Shown::Number(number) if percent => format!("{}%", values::written(*number)).into(),
        Shown::Number(number) => values::written(*number).into(),
        Shown::Truth(truth) => if *truth { "true" } else { "false" }.into(),
    }
}

/// The text with an apostrophe before it where a spreadsheet would take it for a formula.
fn guarded(text: &str) -> Cow<'_, str> {
    if values::needs_guard(text) { format!("'{text}").into() } else { text.into() }
}

fn fault(e: csv::Error) -> kit::Error {
    match e.into_kind() {
        csv::ErrorKind::Io(e) => unwritable(e),
        other => error::INTERNAL.error(format!("Couldn't write the board as CSV: {other:?}.")),
    }
}

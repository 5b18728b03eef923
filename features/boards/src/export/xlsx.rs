//! A board as an Excel workbook of one sheet. Cells are typed, so that no text can be taken for a formula.

use super::rows::{Shown, Table, in_percent};
use super::{Out, UNDONE, unwritable};
use crate::cells::Column;
use column_types::ColumnType;
use kit::error::{self, Result};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use std::any::Any;
use std::panic::AssertUnwindSafe;
use store::{Reason, Tx};

/// What Excel holds in one cell, in units of UTF-16.
const CELL_UNITS_MAX: usize = 32_767;
const SHEET_NAME_UNITS_MAX: usize = 31;

pub(super) fn write(tx: &mut Tx<'_>, table: &Table, now_ms: i64, out: &mut Out) -> Result<()> {
    // Rows wait in a file of the writer of workbooks, which takes for granted that there is room for them.
    let written = std::panic::catch_unwind(AssertUnwindSafe(|| write_where_there_is_room(tx, table, now_ms, out)));
    written.unwrap_or_else(|panic| Err(broken_off(&*panic)))
}

/// Error for a panic in the workbook writer.
fn broken_off(panic: &(dyn Any + Send)) -> kit::Error {
    match Reason::behind_panic(panic) {
        Some(reason) => reason.hindering(UNDONE),
        None => error::INTERNAL.error("Couldn't export the board because of an internal error."),
    }
}

fn write_where_there_is_room(tx: &mut Tx<'_>, table: &Table, now_ms: i64, out: &mut Out) -> Result<()> {
    let mut workbook = Workbook::new();
    let made = ExcelDateTime::from_timestamp(now_ms / 1000).map_err(fault)?;
    workbook.set_properties(&DocProperties::new().set_title(&table.board.name).set_creation_datetime(&made));
    workbook.set_tempdir(&out.dir).map_err(fault)?;
    let sheet = workbook.add_worksheet_with_constant_memory().map_err(fault)?;
    sheet.set_name(sheet_name(&table.board.name)).map_err(fault)?;
    sheet.set_freeze_panes(1, 0).map_err(fault)?;
    let bold = Format::new().set_bold();
    let before = table.first_titles().len();
    for (column, title) in (0..).zip(table.titles()) {
        let kind = usize::from(column).checked_sub(before).and_then(|index| table.columns[index].holds());
        sheet.set_column_width(column, if column == 0 { 40.0 } else { width(kind, title) }).map_err(fault)?;
        sheet.write_string_with_format(0, column, fitting(title, CELL_UNITS_MAX), &bold).map_err(fault)?;
    }
    let formats: Vec<Format> = table.as_written().map(format).collect();
    let percents: Vec<bool> = table.as_written().map(in_percent).collect();
    let day = Format::new().set_num_format("yyyy-mm-dd");
    let mut row = 0;
    table.each(tx, |line, cells| {
        row += 1;
        for (column, of_line) in (0..).zip(line.texts()) {
            text(sheet, row, column, of_line)?;
        }
        for (index, (column, cell)) in (before as u16..).zip(cells).enumerate() {
            match cell {
                Shown::Nothing => Ok(()),
                Shown::Text(shown) => text(sheet, row, column, shown),
                Shown::Truth(truth) => sheet.write_boolean(row, column, *truth).map(drop).map_err(fault),
                Shown::Number(number) => {
                    let number = if percents[index] { number / 100.0 } else { *number };
                    sheet.write_number_with_format(row, column, number, &formats[index]).map(drop).map_err(fault)
                }
                // Excel counts days from 1900; an earlier date stands as its text.
                Shown::Date(date) => match ExcelDateTime::parse_from_str(date) {
                    Ok(date) => sheet.write_datetime_with_format(row, column, &date, &day).map(drop).map_err(fault),
                    Err(_) => text(sheet, row, column, date),
                },
            }?;
        }
        Ok(())
    })?;
    workbook.save_to_writer(&mut out.file).map_err(fault)
}

fn text(sheet: &mut Worksheet, row: u32, column: u16, text: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    sheet.write_string(row, column, fitting(text, CELL_UNITS_MAX)).map(drop).map_err(fault)
}

/// As much of the text as so many units of UTF-16 hold.
fn fitting(text: &str, units_max: usize) -> &str {
    if text.len() <= units_max {
        return text;
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, sign)| {
        units += sign.len_utf16();
        units > units_max
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The board's name as a sheet may be called.
fn sheet_name(board: &str) -> String {
    let taken = |sign: char| sign.is_control() || matches!(sign, '[' | ']' | ':' | '*' | '?' | '/' | '\\');
    let plain: String = board.chars().map(|sign| if taken(sign) { ' ' } else { sign }).collect();
    let ends = |sign: char| sign.is_whitespace() || sign == '\'';
    let name = fitting(plain.trim_matches(ends), SHEET_NAME_UNITS_MAX).trim_matches(ends);
    // Excel keeps the name History for itself.
    if name.is_empty() || name.eq_ignore_ascii_case("history") { "Board".to_owned() } else { name.to_owned() }
}

fn width(kind: Option<ColumnType>, title: &str) -> f64 {
    let usual = match kind {
        Some(ColumnType::LongText) => 50.0,
        Some(ColumnType::Text | ColumnType::Link | ColumnType::Email) => 28.0,
        Some(
            ColumnType::Tags
            | ColumnType::People
            | ColumnType::Timeline
            | ColumnType::CreatedAt
            | ColumnType::UpdatedAt
            | ColumnType::ItemLink
            | ColumnType::Sprint
            | ColumnType::Mirror
            | ColumnType::File,
        ) => 24.0,
        Some(ColumnType::Number | ColumnType::Date | ColumnType::Phone) => 14.0,
        Some(ColumnType::Checkbox | ColumnType::Rating | ColumnType::Progress) => 10.0,
        Some(
            ColumnType::Status
            | ColumnType::Dropdown
            | ColumnType::CreatedBy
            | ColumnType::UpdatedBy
            | ColumnType::Formula,
        )
        | None => 18.0,
    };
    (title.chars().count() as f64 + 2.0).clamp(usual, 60.0)
}

/// How a column's numbers are shown.
fn format(column: &Column) -> Format {
    let settings = &column.settings;
    let decimals = match settings.decimals {
        Some(decimals) if decimals > 0 => format!("0.{}", "0".repeat(decimals.into())),
        Some(_) => "0".to_owned(),
        None => "General".to_owned(),
    };
    let whole = if decimals == "General" { "0" } else { &decimals };
    let code = match (&settings.currency, &settings.unit) {
        _ if in_percent(column) => format!("{whole}%"),
        (Some(currency), _) => {
            let amount = if settings.decimals.is_some() { whole } else { "0.00" };
            format!("#,##{amount}\" {currency}\"")
        }
        (None, Some(unit)) if settings.decimals.is_some() => format!("{whole}\" {}\"", unit.replace('"', "")),
        _ => decimals,
    };
    Format::new().set_num_format(code)
}

fn fault(e: XlsxError) -> kit::Error {
    match e {
        XlsxError::IoError(e) => unwritable(e),
        e => error::INTERNAL.error("Couldn't write the board as a workbook.").caused_by(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_panic_for_want_of_room_says_that_there_is_none() {
        use std::io::{Error, ErrorKind};
        let failing = |e: Error| -> std::io::Result<()> { Err(e) };
        let code = |e: Option<ErrorKind>| {
            let panic = std::panic::catch_unwind(|| match e {
                Some(kind) => failing(Error::from(kind)).expect("it can be written"),
                None => panic!("an index is out of bounds"),
            });
            broken_off(&*panic.expect_err("a panic")).code().name
        };
        assert_eq!(code(Some(ErrorKind::StorageFull)), "read-only");
        assert_eq!(code(Some(ErrorKind::FileTooLarge)), "read-only");
        assert_eq!(code(Some(ErrorKind::BrokenPipe)), "internal");
        assert_eq!(code(None), "internal");
    }

    #[test]
    fn sheets_are_called_what_excel_takes() {
        let long = "x".repeat(40);
        let cases = [
            ("Plan", "Plan"),
            ("a/b:c*[d]?\\e", "a b c  d   e"),
            ("'quoted'", "quoted"),
            ("  ", "Board"),
            ("HISTORY", "Board"),
            (long.as_str(), &long[..31]),
        ];
        for (board, sheet) in cases {
            assert_eq!(sheet_name(board), sheet);
        }
        let faces = "😀".repeat(20);
        assert_eq!(sheet_name(&faces).chars().count(), 15, "a face takes two units");
    }
}

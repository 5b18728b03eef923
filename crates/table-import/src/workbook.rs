//! Converts a sheet of an Excel workbook to a text table, which is then imported like any other.
//!
//! Invariant: the table has one record per row of the sheet, including blank ones, so record numbers equal row numbers.

use crate::FILE_COLUMNS_MAX;
use crate::decode::unreadable;
use crate::errors::{EMPTY_FILE, NOT_A_TABLE, TOO_MANY_COLUMNS, UNKNOWN_SHEET, WORKBOOK_TOO_LARGE};
use crate::fault;
use crate::parts::{self, PARTS_MAX, Package, SheetPart};
use crate::problems::{Problem, Problems};
use crate::tools::Tool;
use calamine::{DataRef, ExcelDateTime, Reader, Xlsx, XlsxError};
use column_types::values;
use kit::error::{self, Result};
use memchr::memmem;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows of a sheet, as Excel has them.
pub const ROWS_MAX: u32 = 1_048_576;
/// Characters of a cell, as Excel has them: more than an import takes of any.
const CELL_CHARS_MAX: usize = 32_767;
/// Bytes of the table made of a sheet: a cell far to the right fills its row with separators.
const TABLE_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;
const ROWS_PER_LOOK: u32 = 1_000;
const SCAN_BYTES: usize = 1024 * 1024;

/// Properties of a sheet's table.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// Its name in the workbook.
    pub name: String,
    /// The sheets of the workbook that hold cells.
    pub names: Vec<String>,
    /// Columns before the first that holds anything.
    pub left: usize,
    /// Columns from there to the last.
    pub width: usize,
    /// Currencies in which the numbers of its columns are shown, from the first that holds anything.
    pub currencies: Vec<Option<&'static str>>,
    /// Data of the sheet that couldn't be imported.
    pub problems: Vec<Problem>,
    /// The tool that exported the file, if its format indicates it.
    pub tool: Option<&'static Tool>,
    /// The rows are records of a file of another form, below a head row that was made for them.
    pub records: bool,
    /// Columns that hold an entry on each line.
    pub lists: Vec<usize>,
    /// Groups in the order that the file gives them.
    pub groups: Vec<String>,
}

/// Whether the file's content is a workbook. Damaged and password-protected workbooks are rejected.
pub fn is_workbook(path: &Path, stop: &AtomicBool) -> Result<bool> {
    let mut file = File::open(path).map_err(unreadable)?;
    let mut head = [0; 8];
    let read = file.read(&mut head).map_err(unreadable)?;
    if head[..read].starts_with(b"PK\x03\x04") {
        // The package's index is read into memory whole, so that its entries are counted first.
        if occurrences(path, b"PK\x01\x02", PARTS_MAX + 1, stop)? > PARTS_MAX {
            return Err(WORKBOOK_TOO_LARGE.error(format!("The workbook has more than {PARTS_MAX} parts.")));
        }
        return Ok(true);
    }
    if head.starts_with(b"\xd0\xcf\x11\xe0") {
        let stream: Vec<u8> = "EncryptedPackage".bytes().flat_map(|b| [b, 0]).collect();
        if occurrences(path, &stream, 1, stop)? > 0 {
            return Err(parts::encrypted());
        }
    }
    Ok(false)
}

/// Number of occurrences of a byte sequence in a file, counted up to `most`.
fn occurrences(path: &Path, sequence: &[u8], most: usize, stop: &AtomicBool) -> Result<usize> {
    let mut file = Heeding { file: File::open(path).map_err(unreadable)?, stop };
    let finder = memmem::Finder::new(sequence);
    let (mut chunk, mut kept, mut found) = (vec![0; SCAN_BYTES], 0, 0);
    loop {
        let read = file.read(&mut chunk[kept..]).map_err(unreadable)?;
        let bytes = &chunk[..kept + read];
        found += finder.find_iter(bytes).count();
        if read == 0 || found >= most {
            return Ok(found);
        }
        // The end may be the beginning of the sequence; it is too short to hold it whole.
        let end = bytes.len() - bytes.len().min(sequence.len() - 1)..bytes.len();
        kept = end.len();
        chunk.copy_within(end, 0);
    }
}

/// Writes the sheet of this name, or the first, as a table. `stop` ends it early; the answer is then not used.
pub fn unfold(path: &Path, table: &Path, wanted: Option<&str>, stop: &AtomicBool) -> Result<Sheet> {
    // The reader of workbooks relies on some numbers in them and panics where they are damaged.
    let unfolded = std::panic::catch_unwind(|| unfold_sound(path, table, wanted, stop));
    unfolded.unwrap_or_else(|_| {
        Err(NOT_A_TABLE.error("The workbook is damaged. Open and save it again, or save it as CSV."))
    })
}

fn unfold_sound(path: &Path, table: &Path, wanted: Option<&str>, stop: &AtomicBool) -> Result<Sheet> {
    let mut package = Package::open(path, stop)?;
    let all = package.sheets()?;
    let sheet = chosen(&all, wanted)?;
    let examined = package.examine_sheet(sheet.path.as_deref().unwrap_or_default())?;
    drop(package);
    let mut workbook = open(path, stop)?;
    // They stand behind all cells: looking for them reads the whole sheet.
    let merged = match examined.merges {
        0 => Vec::new(),
        _ => workbook.merge_cells_by_sheet_name(&sheet.name).map_err(fault)?,
    };
    // Only the height counts: what is merged over several columns stands in the first of them.
    let tall = merged.iter().filter(|region| region.end.0 > region.start.0);
    let tall: HashMap<(u32, u32), u32> = tall.map(|region| (region.start, region.end.0)).collect();
    let mut cells = workbook.worksheet_cells_reader(&sheet.name).map_err(fault)?;
    let is_percent =
        |style: &calamine::Style| style.number_format.as_ref().is_some_and(|format| shows_percent(&format.format_code));
    let percents: Vec<bool> = cells.styles().iter().map(is_percent).collect();
    let code_of = |style: &calamine::Style| shown_currency(&style.number_format.as_ref()?.format_code);
    let codes: Vec<Option<&'static str>> = cells.styles().iter().map(code_of).collect();
    let mut amounts: BTreeMap<u32, Amounts> = BTreeMap::new();
    // A text that is there once may stand in every cell, and a merged one in many rows.
    let table_bytes_max = TABLE_BYTES_MAX.min(parts::unpacked_bytes_max(&File::open(path).map_err(unreadable)?)?);
    let mut rows = Rows::into_file(platform::new_private_file(table).map_err(unwritable)?, table_bytes_max, tall);
    while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(fault)? {
        let (row, column) = cell.get_position();
        if row >= ROWS_MAX {
            return Err(too_many_rows());
        }
        if column as usize >= FILE_COLUMNS_MAX {
            return Err(too_many_columns());
        }
        if row != rows.row {
            if row.is_multiple_of(ROWS_PER_LOOK) && stop.load(Ordering::Relaxed) {
                break;
            }
            rows.go_to(row)?;
        }
        let percent = percents.get(style).copied().unwrap_or(false);
        if let DataRef::Error(what) = cell.get_value() {
            rows.problems.add(u64::from(row) + 1, "", fault::ERROR_CELL, || {
                format!("A formula in the row gives {what}; the cell is empty.")
            });
        }
        if let DataRef::Float(_) | DataRef::Int(_) = cell.get_value() {
            amounts.entry(column).or_default().see(codes.get(style).copied().flatten());
        }
        rows.put(column, text(cell.get_value(), percent));
    }
    let (left, width, mut problems) = rows.finish()?;
    if width == 0 {
        return Err(EMPTY_FILE.error(format!("The sheet {} has no rows.", sheet.name)));
    }
    if problems.count > problems.listed.len() as u64 {
        let count = problems.count;
        problems.listed.truncate(1);
        problems.listed[0].detail = format!("{count} formulas give errors; their cells are empty.");
    }
    if let Some(row) = examined.first_uncomputed {
        let count = examined.uncomputed;
        let detail = format!(
            "{count} formulas have no result in the file; their cells are empty. Open the workbook in a program that computes \
             them, save it, and import it again."
        );
        problems.listed.push(Problem { line: row, column: String::new(), code: fault::FORMULA_WITHOUT_RESULT, detail });
    }
    let currency = |index: usize| amounts.get(&((left + index) as u32)).and_then(Amounts::currency);
    let currencies = (0..width).map(currency).collect();
    let names = all.iter().filter(|sheet| sheet.path.is_some()).map(|sheet| sheet.name.clone()).collect();
    Ok(Sheet {
        name: sheet.name.clone(),
        names,
        left,
        width,
        problems: problems.listed,
        currencies,
        ..Sheet::default()
    })
}

/// The currencies in which the numbers of a column are shown.
#[derive(Default)]
struct Amounts {
    code: Option<&'static str>,
    with: u64,
    without: u64,
    mixed: bool,
}

impl Amounts {
    fn see(&mut self, code: Option<&'static str>) {
        let Some(code) = code else {
            self.without += 1;
            return;
        };
        self.with += 1;
        self.mixed |= *self.code.get_or_insert(code) != code;
    }

    /// The currency of most cells, if there is one; applies to unformatted cells too.
    fn currency(&self) -> Option<&'static str> {
        self.code.filter(|_| !self.mixed && self.with > self.without)
    }
}

/// Opens a workbook whose every reading `stop` ends.
fn open<'a>(path: &Path, stop: &'a AtomicBool) -> Result<Xlsx<Heeding<'a, BufReader<File>>>> {
    let file = BufReader::new(File::open(path).map_err(unreadable)?);
    Xlsx::new(Heeding { file, stop }).map_err(fault)
}

/// A file that can't be read anymore after cancellation.
struct Heeding<'a, R> {
    file: R,
    stop: &'a AtomicBool,
}

impl<R: Read> Read for Heeding<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(parts::ended());
        }
        self.file.read(buffer)
    }
}

impl<R: Seek> Seek for Heeding<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

fn chosen<'a>(all: &'a [SheetPart], wanted: Option<&str>) -> Result<&'a SheetPart> {
    let mut with_cells = all.iter().filter(|sheet| sheet.path.is_some());
    let Some(wanted) = wanted else {
        let first = with_cells.clone().find(|sheet| sheet.visible).or(with_cells.next());
        return first.ok_or_else(|| EMPTY_FILE.error("The workbook has no sheet with cells."));
    };
    let exact = with_cells.clone().find(|sheet| sheet.name == wanted);
    let found = exact.or_else(|| with_cells.clone().find(|s| s.name.to_lowercase() == wanted.to_lowercase()));
    found.ok_or_else(|| {
        let names: Vec<&str> = with_cells.take(20).map(|sheet| sheet.name.as_str()).collect();
        UNKNOWN_SHEET.error(format!("Sheet {wanted} not found. Available: {}.", names.join(", ")))
    })
}

fn fault(e: XlsxError) -> kit::Error {
    match e {
        XlsxError::Password => parts::encrypted(),
        XlsxError::RowNumberOverflow => too_many_rows(),
        XlsxError::ColumnNumberOverflow => too_many_columns(),
        e => NOT_A_TABLE.error(format!("Couldn't read the workbook: {e}.")),
    }
}

pub(crate) fn too_many_rows() -> kit::Error {
    WORKBOOK_TOO_LARGE.error(format!("The sheet has more than {ROWS_MAX} rows."))
}

fn too_many_columns() -> kit::Error {
    TOO_MANY_COLUMNS.error(format!("The sheet has more than {FILE_COLUMNS_MAX} columns."))
}

fn unwritable(e: std::io::Error) -> kit::Error {
    // Not by its kind: the disk's own quota is another matter.
    if let Some(over) = e.get_ref().filter(|within| within.is::<OverBound>()) {
        return WORKBOOK_TOO_LARGE.error(format!("The sheet is {over}; import its parts one by one."));
    }
    store::unwritten("Couldn't unpack the sheet into the data directory.", e)
}

fn bounded(file: File, bytes_max: u64) -> csv::Writer<Bounded> {
    csv::WriterBuilder::new().flexible(true).from_writer(Bounded { file: BufWriter::new(file), bytes: 0, bytes_max })
}

/// A table that is written row by row, within the bounds of a sheet's.
pub struct Table(csv::Writer<Bounded>);

impl Table {
    pub(crate) fn create(path: &Path) -> Result<Table> {
        Ok(Table(bounded(platform::new_private_file(path).map_err(unwritable)?, TABLE_BYTES_MAX)))
    }
    pub(crate) fn row(&mut self, fields: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<()> {
        self.0.write_record(fields).map_err(full)
    }
    pub(crate) fn finish(mut self) -> Result<()> {
        self.0.flush().map_err(unwritable)
    }
}

/// Gathers the cells of a row and writes rows in order.
struct Rows {
    out: csv::Writer<Bounded>,
    /// The row that cells are put into.
    row: u32,
    fields: Vec<String>,
    /// Rows that regions reach down to, by their first cell.
    tall: HashMap<(u32, u32), u32>,
    /// Cells below the first row of merged regions: last row and text by column.
    below: HashMap<u32, (u32, String)>,
    first_column: usize,
    end_column: usize,
    problems: Problems,
}

impl Rows {
    fn into_file(file: File, table_bytes_max: u64, tall: HashMap<(u32, u32), u32>) -> Rows {
        let out = bounded(file, table_bytes_max);
        let (below, problems) = (HashMap::new(), Problems::default());
        Rows { out, row: 0, fields: Vec::new(), tall, below, first_column: usize::MAX, end_column: 0, problems }
    }

    fn put(&mut self, column: u32, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if let Some(last) = self.tall.get(&(self.row, column)) {
            self.below.insert(column, (*last, text.clone()));
        }
        let column = column as usize;
        if self.fields.len() <= column {
            self.fields.resize_with(column + 1, String::new);
        }
        self.fields[column] = text;
        self.first_column = self.first_column.min(column);
        self.end_column = self.end_column.max(column + 1);
    }

    /// Ends the row, and writes blank ones up to the one that comes.
    fn go_to(&mut self, row: u32) -> Result<()> {
        if row < self.row {
            return Err(NOT_A_TABLE.error(format!("The rows of the sheet are out of order at row {}.", row + 1)));
        }
        self.end_row()?;
        for _ in self.row + 1..row {
            self.out.write_record([""]).map_err(full)?;
        }
        self.row = row;
        Ok(())
    }

    fn end_row(&mut self) -> Result<()> {
        if self.fields.is_empty() {
            return self.out.write_record([""]).map_err(full);
        }
        // A row that holds nothing of its own stays blank: a title merged over three rows is one title.
        self.below.retain(|_, (last, _)| *last >= self.row);
        for (column, (_, text)) in &self.below {
            let column = *column as usize;
            if self.fields.len() <= column {
                self.fields.resize_with(column + 1, String::new);
            }
            if self.fields[column].is_empty() {
                self.fields[column].clone_from(text);
            }
        }
        self.out.write_record(&self.fields).map_err(full)?;
        self.fields.clear();
        Ok(())
    }

    /// Number of empty columns on the left, number of columns from there, and problems.
    fn finish(mut self) -> Result<(usize, usize, Problems)> {
        self.end_row()?;
        self.out.flush().map_err(unwritable)?;
        Ok((self.first_column.min(self.end_column), self.end_column.saturating_sub(self.first_column), self.problems))
    }
}

fn full(e: csv::Error) -> kit::Error {
    match e.into_kind() {
        csv::ErrorKind::Io(e) => unwritable(e),
        other => error::INTERNAL.error(format!("Couldn't write the sheet as a table: {other:?}.")),
    }
}

/// A sheet is longer than is taken.
#[derive(Debug)]
struct OverBound(u64);

impl std::fmt::Display for OverBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "over {} bytes as text", self.0)
    }
}

impl std::error::Error for OverBound {}

/// A file of limited size.
struct Bounded {
    file: BufWriter<File>,
    bytes: u64,
    bytes_max: u64,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.bytes_max {
            return Err(std::io::Error::other(OverBound(self.bytes_max)));
        }
        self.file.write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Whether a format shows 0.45 as 45 %: a percent sign that is no literal, in the part for positive numbers.
fn shows_percent(format: &str) -> bool {
    let (mut quoted, mut escaped) = (false, false);
    for sign in format.chars() {
        match sign {
            _ if escaped => escaped = false,
            '\\' | '_' | '*' if !quoted => escaped = true,
            '"' => quoted = !quoted,
            '%' if !quoted => return true,
            ';' if !quoted => return false,
            _ => {}
        }
    }
    false
}

/// The currency that a format shows numbers in, in its part for positive numbers: `#,##0.00 [$€-407]`, `"$"#,##0`.
fn shown_currency(format: &str) -> Option<&'static str> {
    let mut sign = String::new();
    let mut signs = format.chars();
    while let Some(next) = signs.next() {
        match next {
            ';' => break,
            '"' => sign.extend(signs.by_ref().take_while(|c| *c != '"')),
            '\\' => sign.extend(signs.next()),
            '_' | '*' => drop(signs.next()),
            '[' => {
                let within: String = signs.by_ref().take_while(|c| *c != ']').collect();
                // The sign is followed by the language. Colors and conditions have no sign.
                let said = within.strip_prefix('$').and_then(|said| said.split('-').next());
                sign.push_str(said.unwrap_or_default());
            }
            '$' => sign.push('$'),
            other if !other.is_ascii() => sign.push(other),
            _ => {}
        }
    }
    values::currency_of(sign.trim())
}

/// A cell's value as the import reads it from a table.
fn text(value: &DataRef<'_>, percent: bool) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        // To the 15 digits that Excel shows, since 0.07 times 100 is not 7 in binary.
        DataRef::Float(number) if percent => format!("{}%", values::written(to_15_digits(number * 100.0))),
        DataRef::Float(number) => values::written(*number),
        DataRef::String(text) => cut(text).replace('\0', ""),
        DataRef::SharedString(text) => cut(text).replace('\0', ""),
        DataRef::Bool(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
        DataRef::DateTime(instant) => date_text(instant),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

/// The beginning of a text, where it is longer than any cell.
fn cut(text: &str) -> &str {
    // Most are shorter by their bytes already.
    let end = (text.len() > CELL_CHARS_MAX).then(|| text.char_indices().nth(CELL_CHARS_MAX)).flatten();
    end.map_or(text, |(at, _)| &text[..at])
}

fn to_15_digits(number: f64) -> f64 {
    format!("{number:.14e}").parse().unwrap_or(number)
}

/// A date, with the time of day where it has one; a time alone; or a span of time as hours.
fn date_text(instant: &ExcelDateTime) -> String {
    const LAST: f64 = 2_958_466.0;
    let serial = instant.as_f64();
    if instant.is_duration() || !(0.0..LAST).contains(&serial) {
        if !(0.0..LAST).contains(&serial) {
            return values::written(serial);
        }
        let seconds = (serial * 86_400.0).round() as u64;
        return format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = instant.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    match (serial < 1.0, serial.fract() == 0.0) {
        (true, false) => time,
        (_, true) => format!("{year:04}-{month:02}-{day:02}"),
        (false, false) => format!("{year:04}-{month:02}-{day:02}T{time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_over_a_workbook_ends_once_nobody_wants_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("book.xlsx");
        let mut book = rust_xlsxwriter::Workbook::new();
        let sheet = book.add_worksheet();
        sheet.set_name("Plan").unwrap();
        sheet.write_string(0, 0, "Name").unwrap();
        sheet.merge_range(1, 0, 2, 0, "Both", &rust_xlsxwriter::Format::new()).unwrap();
        book.save(&path).unwrap();
        let stop = AtomicBool::new(false);
        let mut workbook = open(&path, &stop).unwrap();
        assert_eq!(workbook.merge_cells_by_sheet_name("Plan").unwrap().len(), 1);
        stop.store(true, Ordering::Relaxed);
        assert!(workbook.merge_cells_by_sheet_name("Plan").is_err());
        assert!(workbook.worksheet_cells_reader("Plan").is_err());
        assert!(occurrences(&path, b"PK", 1, &stop).is_err());
    }

    #[test]
    fn what_a_small_file_comes_to_is_bounded_by_its_size() {
        let dir = tempfile::tempdir().unwrap();
        let (path, table) = (dir.path().join("book.xlsx"), dir.path().join("table"));
        const LONG: usize = 100_000;
        let strings = format!("<sst><si><t>a</t></si><si><t>{}</t></si></sst>", "ä".repeat(LONG));
        let unfolded = |cells: String, more: &str| {
            let sheet = format!(r#"<worksheet><sheetData>{cells}</sheetData>{more}</worksheet>"#);
            let parts = [("xl/sharedStrings.xml", strings.as_str()), ("xl/worksheets/sheet1.xml", &sheet)];
            let _ = std::fs::remove_file(&table);
            std::fs::write(&path, testkit::workbook::package(&parts)).unwrap();
            let width = unfold(&path, &table, None, &AtomicBool::new(false)).map(|sheet| sheet.width);
            (width.map_err(|e| e.code().name), std::fs::metadata(&table).map_or(0, |table| table.len()))
        };
        let long = r#"<c t="s"><v>1</v></c>"#;
        // A cell is cut while it is read.
        let (width, bytes) = unfolded(format!("<row>{}</row>", long.repeat(2)), "");
        assert_eq!((width, bytes), (Ok(2), (2 * 2 * CELL_CHARS_MAX + 2) as u64));
        let refused = Err(WORKBOOK_TOO_LARGE.name);
        let small = 66 << 20;
        let (width, bytes) = unfolded(format!("<row>{}</row>", long.repeat(16)).repeat(2_000), "");
        assert!(width == refused && bytes < small, "repeated: {width:?} {bytes}");
        let merged = r#"<mergeCells count="1"><mergeCell ref="A1:A9000"/></mergeCells>"#;
        let below = r#"<row><c/><c t="s"><v>0</v></c></row>"#.repeat(9_000);
        let (width, bytes) = unfolded(format!("<row>{long}</row>{below}"), merged);
        assert!(width == refused && bytes < small, "merged: {width:?} {bytes}");
        let (width, bytes) = unfolded("<row/>".to_owned(), &" ".repeat(small as usize));
        assert_eq!((width, bytes), (refused, 0), "a part");
    }

    #[test]
    fn a_format_says_its_currency() {
        for (format, code) in [
            ("#,##0.00\\ \"€\"", Some("EUR")),
            ("#,##0.00 [$€-407]", Some("EUR")),
            ("[$$-409]#,##0.00", Some("USD")),
            ("\"$\"#,##0_);\\(\"$\"#,##0\\)", Some("USD")),
            ("_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\)", Some("USD")),
            ("[$CHF-807] #,##0.00", Some("CHF")),
            ("[Red]#,##0.00", None),
            ("0.00\" kg\"", None),
            ("General", None),
            ("0%", None),
        ] {
            assert_eq!(shown_currency(format), code, "{format}");
        }
    }

    #[test]
    fn percent_signs_that_are_literals_do_not_count() {
        for (format, shown) in [("0%", true), ("0.00%", true), ("General", false), ("0\"%\"", false), ("0\\%", false)] {
            assert_eq!(shows_percent(format), shown, "{format}");
        }
        assert_eq!(text(&DataRef::Float(0.07), true), "7%");
    }
}

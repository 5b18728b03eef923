//! The shape of a table: what separates its fields, where its head row is, and the rows themselves with their line numbers.

use crate::FILE_COLUMNS_MAX;
use crate::charset::Charset;
use crate::decode::{self, Decoded, END, ROW_BYTES_MAX, ZERO_BYTE};
use crate::dialect::{self, Dialect, Named, rows_of, usual_width};
use crate::errors::{EMPTY_FILE, NOT_A_TABLE, OPEN_QUOTE, ROW_TOO_LONG, TOO_MANY_COLUMNS};
use crate::fault;
use crate::fold::{self, Made};
use crate::problems::{PROBLEMS_SHOWN_MAX, Problems};
use crate::strange;
use crate::tools::{self, Tool, ToolName};
use crate::words::is_known_title;
use crate::workbook::Sheet;
use column_types::values;
use csv::StringRecord;
use encoding_rs::{Encoding, UTF_8};
use kit::error::{Result, invalid};
use std::io::Read;
use std::path::Path;

const SAMPLE_BYTES: u64 = 1024 * 1024;
/// Rows before the head row that may hold a title, a date of the report and the like.
const PREAMBLE_ROWS_MAX: usize = 30;
/// Rows from which a text may come again by chance.
const LONG_ROWS: usize = 20;

/// How the rows of a file are to be read.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The encoding of its text.
    pub encoding: &'static Encoding,
    /// Whether the encoding is a guess.
    is_guessed: bool,
    /// Its dialect.
    pub dialect: Dialect,
    /// Rows before the head row, or before the first row where there is none.
    pub preamble: usize,
    /// The title row, unchanged.
    pub header: Option<Vec<String>>,
    /// Whether there is one could be seen otherwise.
    is_header_guessed: bool,
    pub(crate) width: usize,
    /// The head row comes again before each group, after a row with the group's name alone; the first group's name.
    pub first_group: Option<String>,
    /// The sheet that the table was made of.
    pub sheet: Option<Sheet>,
    /// The tool that wrote the table.
    pub tool: Option<&'static Tool>,
    /// The columns that the tool's table has, made of the file's fields; those themselves where there is no tool.
    pub made: Option<Vec<Made>>,
}

impl Shape {
    /// How many columns the table has.
    pub fn columns(&self) -> usize {
        self.made.as_ref().map_or(self.width, Vec::len)
    }

    /// The title of a column as the file has it.
    pub fn title(&self, index: usize) -> Option<&str> {
        match &self.made {
            Some(made) => made.get(index).map(|column| column.title.as_str()),
            None => self.header.as_ref().and_then(|header| header.get(index)).map(String::as_str),
        }
    }

    /// Notes on how the file is read, for the user.
    pub fn notes(&self) -> Vec<String> {
        let note = || {
            format!(
                "The file isn't UTF-8 and doesn't name its encoding; {} was used. If letters look wrong, choose another encoding.",
                self.encoding.name()
            )
        };
        let of_header = match self.header {
            Some(_) => {
                "A value of the first row is repeated below it. Assumed: the first row has titles. Change it if it doesn't."
            }
            None => {
                "Values of the first row are repeated below it. Assumed: the first row has no titles. Change it if it does."
            }
        };
        let of_header = self.is_header_guessed.then(|| of_header.to_owned());
        self.is_guessed.then(note).into_iter().chain(of_header).collect()
    }

    /// Detects the tool by the title row and the rows below, unless the caller sets it.
    fn recognize(mut self, options: ReadOptions<'_>, below: &[StringRecord]) -> Shape {
        let known = self.sheet.as_ref().and_then(|sheet| sheet.tool);
        self.tool = known.or_else(|| {
            let found = || {
                let before = options.before.and_then(|board| board.tool());
                tools::recognize(self.header.as_deref()?, self.first_group.is_some(), below, before)
            };
            options.tool.map_or_else(found, Tool::named)
        });
        let lists = self.sheet.as_ref().map(|sheet| sheet.lists.as_slice()).unwrap_or_default();
        if let Some(header) = self.header.as_ref().filter(|_| self.tool.is_some() || !lists.is_empty()) {
            self.made = Some(fold::columns(self.tool, header, lists, below));
        }
        self
    }
}

/// The target board, as far as it helps to detect the file's format.
pub trait KnownBoard {
    /// The tool whose export came into it last.
    fn tool(&self) -> Option<&'static Tool>;
    /// Whether most fields of a row are titles that the last file had, or that the board's columns have.
    fn knows_titles(&self, row: &StringRecord) -> bool;
}

/// The caller's read options; others are detected.
#[derive(Clone, Copy, Default)]
pub struct ReadOptions<'a> {
    /// The encoding of its text.
    pub encoding: Option<Charset>,
    /// Delimiter and quotes.
    pub named: Named,
    /// Whether the first row names the columns.
    pub header: Option<bool>,
    /// The tool that wrote it.
    pub tool: Option<ToolName>,
    /// The target board.
    pub before: Option<&'a (dyn KnownBoard + Sync)>,
}

impl ReadOptions<'_> {
    /// Rejects text options for files that aren't text.
    fn expect_text(&self, sheet: &Sheet) -> Result<()> {
        let given = [
            ("encoding", self.encoding.is_some()),
            ("delimiter", self.named.delimiter.is_some()),
            ("quote", self.named.quote.is_some()),
            ("header", self.header.is_some() && sheet.records),
        ];
        let Some((member, _)) = given.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
        let what = if sheet.records { "JSON" } else { "an Excel workbook" };
        let detail = format!("{member} doesn't apply because the file is {what}. Omit it.");
        Err(invalid(&format!("/{member}"), fault::NOT_FOR_THIS_FILE, detail))
    }
}

/// Finds out the shape from the beginning of the file, which is the table made of a sheet where that is given.
pub fn sniff(path: &Path, sheet: Option<Sheet>, options: ReadOptions<'_>) -> Result<Shape> {
    if let Some(sheet) = sheet {
        options.expect_text(&sheet)?;
        return sheet_shape(path, sheet, options);
    }
    let (encoding, is_guessed) = decode::detect(path, options.encoding.map(Charset::encoding))?;
    let (sample, whole) = sample(path, encoding)?;
    if let Some(what) = strange::of_text(&sample, whole) {
        return Err(strange::refusal(what));
    }
    // Excel's own first line that names the separator.
    let first_line = sample.lines().next().unwrap_or_default();
    let named = first_line.strip_prefix("sep=").map(str::as_bytes).filter(|rest| rest.len() == 1).map(|rest| rest[0]);
    let by_line = named.filter(|delimiter| delimiter.is_ascii() && *delimiter != b'"');
    let dialect = match options.named {
        // What this program exports, whatever signs its texts hold.
        Named { delimiter: None, quote: None } if first_line.starts_with("Name,Group") => Dialect::plain(b','),
        told => dialect::find(&sample, whole, Named { delimiter: told.delimiter.or(by_line), ..told }),
    };
    let mut rows = rows_of(&sample, dialect);
    rows.iter_mut().for_each(unguard);
    let first = usize::from(named.is_some());
    if rows.len() <= first {
        return Err(EMPTY_FILE.error("The file has no rows."));
    }
    let width = usual_width(&rows[first..]).0;
    let filled = |row: &StringRecord| row.iter().filter(|field| !field.trim().is_empty()).count();
    let is_head = |row: &StringRecord| filled(row) * 2 >= width && filled(row) > 0;
    let head = rows[first..].iter().take(PREAMBLE_ROWS_MAX).position(is_head).map_or(first, |at| first + at);
    // Of more columns than are read nothing needs to be found out.
    let is_read = rows[head].len() <= FILE_COLUMNS_MAX;
    let (has_header, is_header_guessed) = if is_read {
        has_header(options, &rows[head], &rows[head + 1..])
    } else {
        (options.header == Some(true), false)
    };
    let width = if has_header { rows[head].len() } else { width.max(rows[head].len()) };
    if width > FILE_COLUMNS_MAX {
        return Err(
            // How many, the beginning of the file does not always tell.
            TOO_MANY_COLUMNS.error(format!("The file has more than {FILE_COLUMNS_MAX} columns, the limit.")),
        );
    }
    let header: Option<Vec<String>> = has_header.then(|| rows[head].iter().map(str::to_owned).collect());
    let lone = |row: &StringRecord| filled(row) == 1 && !row[0].trim().is_empty();
    // Of one column alone every row is lone, and one like the first is an item.
    let repeats = has_header
        && filled(&rows[head]) > 1
        && rows[head + 1..].windows(2).any(|pair| lone(&pair[0]) && pair[1] == rows[head]);
    let above = head.checked_sub(1).filter(|at| *at >= first && lone(&rows[*at]));
    // A single group's head row does not come again: its name stands right above, and the board's name above that.
    let single =
        has_header && rows[head][0].trim() == "Name" && above.is_some_and(|at| at > first && lone(&rows[first]));
    let first_group = (repeats || single).then(|| above.map(|at| rows[at][0].trim().to_owned()).unwrap_or_default());
    let shape = Shape {
        encoding,
        is_guessed,
        dialect,
        preamble: head,
        header,
        is_header_guessed,
        width,
        first_group,
        sheet: None,
        tool: None,
        made: None,
    };
    Ok(shape.recognize(options, &rows[head + 1..]))
}

/// The shape of a sheet: its rows are all of one width, so that the head row is the first that is filled by half.
fn sheet_shape(path: &Path, sheet: Sheet, options: ReadOptions<'_>) -> Result<Shape> {
    let dialect = Dialect::plain(b',');
    let mut rows = rows_of(&sample(path, UTF_8)?.0, dialect);
    rows.iter_mut().for_each(|row| fit(row, &sheet));
    let filled = |row: &StringRecord| row.iter().filter(|field| !field.trim().is_empty()).count();
    let half = |row: &StringRecord| filled(row) * 2 >= sheet.width;
    let begins = rows.iter().position(|row| filled(row) > 0).unwrap_or(0);
    let head = rows.iter().skip(begins).take(PREAMBLE_ROWS_MAX).position(half).unwrap_or(0) + begins;
    let Some(row) = rows.get(head) else { return Err(EMPTY_FILE.error("The sheet has no rows.")) };
    let (has_header, is_header_guessed) =
        if sheet.records { (true, false) } else { has_header(options, row, &rows[head + 1..]) };
    let header = has_header.then(|| row.iter().map(str::to_owned).collect::<Vec<_>>());
    let names = |index: usize| !sheet.records && filled(&rows[index]) == 1 && !rows[index][0].trim().is_empty();
    let above = head.checked_sub(1).filter(|at| names(*at));
    let below: Vec<usize> = (head + 1..rows.len()).filter(|at| filled(&rows[*at]) > 0).collect();
    let begins_group = |pair: &[usize]| names(pair[0]) && rows[pair[1]] == *row;
    let repeats = header.is_some() && filled(row) > 1 && below.windows(2).any(begins_group);
    // A single group's head row does not come again: its name stands right above, and the board's name above that.
    let single = row[0].trim() == "Name" && above.is_some_and(|at| begins < at);
    let first_group = (header.is_some() && (repeats || single))
        .then(|| above.map(|at| rows[at][0].trim().to_owned()).unwrap_or_default());
    let width = sheet.width;
    let shape = Shape {
        encoding: UTF_8,
        is_guessed: false,
        dialect,
        preamble: head,
        header,
        is_header_guessed,
        width,
        first_group,
        sheet: Some(sheet),
        tool: None,
        made: None,
    };
    Ok(shape.recognize(options, &rows[head + 1..]))
}

/// Gives a row of a sheet's table the columns that the sheet has.
fn fit(row: &mut StringRecord, sheet: &Sheet) {
    if sheet.left > 0 {
        *row = row.iter().skip(sheet.left).collect();
    }
    while row.len() < sheet.width {
        row.push_field("");
    }
}

/// Takes away the apostrophe with which exports keep spreadsheets from taking a text for a formula.
fn unguard(row: &mut StringRecord) {
    if row.iter().any(|field| values::without_guard(field).is_some()) {
        *row = row.iter().map(|field| values::without_guard(field).unwrap_or(field)).collect();
    }
}

/// The beginning of the file, and whether it is all of it.
fn sample(path: &Path, encoding: &'static Encoding) -> Result<(String, bool)> {
    let mut bytes = Vec::new();
    let reader = Decoded::open(path, encoding).map_err(decode::unreadable)?;
    reader.take(SAMPLE_BYTES).read_to_end(&mut bytes).map_err(unreadable_table)?;
    let whole = (bytes.len() as u64) < SAMPLE_BYTES;
    if !whole {
        // The last row is cut; leave it out unless it is all there is.
        let end = bytes.iter().rposition(|b| *b == b'\n').map_or(bytes.len(), |at| at + 1);
        bytes.truncate(end);
    }
    Ok((decode::replaced(&String::from_utf8_lossy(&bytes)), whole))
}

/// Whether a row is the title row, and whether that is a guess. Not a guess if the caller says so, or if the target
/// board knows the titles.
fn has_header(options: ReadOptions<'_>, row: &StringRecord, below: &[StringRecord]) -> (bool, bool) {
    match options.header {
        Some(header) => (header, false),
        None if options.before.is_some_and(|board| board.knows_titles(row)) => (true, false),
        None => is_header(row, below),
    }
}

/// Whether a row is the title row, and whether that is a guess. It is if all fields are text rather than values such as
/// numbers or dates, and it differs from the rows below. Consecutive numbers (years, weeks) can be titles too.
fn is_header(row: &StringRecord, below: &[StringRecord]) -> (bool, bool) {
    // What this program exports begins so, whatever the columns are called.
    if row.get(0) == Some("Name") && row.get(1) == Some("Group") {
        return (true, false);
    }
    let fields: Vec<&str> = row.iter().map(str::trim).filter(|field| !field.is_empty()).collect();
    let counted = counts_up(row) && !among_values(row, below);
    let value = |field: &&str| values::looks_like_value(field) && !(counted && field.parse::<i64>().is_ok());
    if fields.iter().any(value) {
        return (false, false);
    }
    // All texts: a row whose fields come again below in the same columns is itself a row of values.
    let again = |index: usize, field: &str| below.iter().any(|row| row.get(index) == Some(field));
    let repeated =
        row.iter().enumerate().filter(|(index, field)| !field.trim().is_empty() && again(*index, field)).count();
    let whole_again = fields.len() > 1 && below.contains(row);
    if whole_again || repeated * 2 > fields.len() {
        return (whole_again, !whole_again);
    }
    if fields.iter().any(|field| is_known_title(field)) {
        return (true, false);
    }
    let (is_like, is_guess) = is_like_rows(row, below);
    (!is_like, is_guess)
}

/// Whether the numbers of a row rise by one from each to the next.
fn counts_up(row: &StringRecord) -> bool {
    let numbers: Vec<i64> = row.iter().filter_map(|field| field.trim().parse().ok()).collect();
    numbers.len() >= 2 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

/// Whether a row that counts up is one of several: most of those below do so too, or it holds small numbers alone, above
/// columns of values.
fn among_values(row: &StringRecord, below: &[StringRecord]) -> bool {
    if !below.is_empty() && below.iter().filter(|row| counts_up(row)).count() * 2 > below.len() {
        return true;
    }
    let is_year = |field: &str| matches!(field.trim().parse(), Ok(1900..=2100));
    let small = |field: &str| field.trim().parse::<i64>().is_ok() && !is_year(field);
    let has_values = |index: usize| {
        let mut filled =
            below.iter().filter_map(|row| row.get(index)).filter(|field| !field.trim().is_empty()).peekable();
        filled.peek().is_some() && filled.all(values::looks_like_value)
    };
    row.iter().all(small) && (0..row.len()).all(has_values)
}

/// Whether a row of texts looks like the rows below it: a cell is repeated in its column (in longer files more than
/// once), or it has an empty cell between others and a duplicate. Also returns whether there is any evidence, so that
/// the result is a guess.
fn is_like_rows(row: &StringRecord, below: &[StringRecord]) -> (bool, bool) {
    // Rows below that repeat the titles, in part or in a column that is only ticked, say nothing.
    let same = |other: &StringRecord| row.iter().zip(other).filter(|(a, b)| a == b && !a.trim().is_empty()).count();
    let others: Vec<&StringRecord> = below.iter().filter(|other| same(other) * 2 < row.len()).collect();
    let again = row.iter().enumerate().filter(|(_, field)| !field.trim().is_empty()).map(|(index, field)| {
        let of_column = || others.iter().filter_map(|row| row.get(index)).filter(|field| !field.trim().is_empty());
        let same = of_column().filter(|other| *other == field).count();
        if of_column().count() > same { same } else { 0 }
    });
    let again: usize = again.sum();
    let enough = if others.len() < LONG_ROWS { 1 } else { 2 };
    let twice =
        |(index, field): (usize, &str)| !field.trim().is_empty() && row.iter().skip(index + 1).any(|f| f == field);
    let last = (0..row.len()).rfind(|index| !row[*index].trim().is_empty()).unwrap_or(0);
    let gap = row.iter().enumerate().any(|(index, field)| index > 0 && index < last && field.trim().is_empty());
    let is_like = again >= enough || (gap && row.iter().enumerate().any(twice));
    (is_like, is_like || again > 0)
}

/// The kind of a row in a file with sections.
enum Place {
    Item,
    /// Of the item above.
    Subitem,
    /// A head row, or sums.
    Nothing,
}

/// The rows below the head row, in order.
pub struct Rows {
    reader: csv::Reader<Decoded>,
    /// The sign that quotes fields.
    quote: char,
    header: Option<StringRecord>,
    grouped: bool,
    sheet: Option<Sheet>,
    made: Option<Vec<Made>>,
    width: usize,
    /// Within the rows of subitems below an item.
    in_subitems: bool,
    /// The item column of each field in subitem rows.
    subitem_columns: Vec<Option<usize>>,
    /// Titles of subitems that items have no column of, and the line of the first.
    untaken: (u64, Vec<String>),
    /// Whether the row read last belongs to the last item above that does not.
    pub below: bool,
    /// Rows with sums below a group.
    sums: (u64, u64),
    /// The group that the rows belong to, in files that have a group's name above its rows.
    pub group: Option<String>,
    /// The row read last, as the table's columns have it.
    pub record: StringRecord,
    /// How many fields of it the file has.
    found: usize,
    /// Whether fields beyond the head row's are filled.
    overfull: bool,
    /// Lines of rows above the head row that are more than a title.
    pub above: Vec<u64>,
    ahead: Option<(StringRecord, u64)>,
    /// Lines with invalid bytes that haven't been reported, and the number of further ones.
    undecodable: (Vec<u64>, u64),
}

impl Rows {
    /// Opens the table's file, before its first row.
    pub fn open(path: &Path, shape: &Shape) -> Result<Rows> {
        let decoded = Decoded::open(path, shape.encoding).map_err(decode::unreadable)?;
        let mut rows = Rows {
            reader: shape.dialect.reader().from_reader(decoded.with_end().straightened(shape.dialect.straight())),
            quote: shape.dialect.quote.sign().map_or('"', char::from),
            header: shape.header.as_ref().map(|header| StringRecord::from(header.clone())),
            grouped: shape.first_group.is_some(),
            sheet: shape.sheet.clone(),
            made: shape.made.clone(),
            width: shape.width,
            found: 0,
            overfull: false,
            in_subitems: false,
            subitem_columns: Vec::new(),
            untaken: (0, Vec::new()),
            below: false,
            sums: (0, 0),
            group: shape.first_group.clone().filter(|name| !name.is_empty()),
            record: StringRecord::new(),
            above: Vec::new(),
            ahead: None,
            undecodable: Default::default(),
        };
        for _ in 0..shape.preamble {
            let line = rows.read()?.unwrap_or_default();
            if rows.record.iter().filter(|field| !field.trim().is_empty()).count() > 1 {
                rows.above.push(line);
            }
        }
        if shape.header.is_some() {
            rows.read()?;
        }
        Ok(rows)
    }

    /// Reads the next row that holds anything into `record`; the line it begins on, or `None` at the end.
    pub fn next_row(&mut self) -> Result<Option<u64>> {
        loop {
            let line = match self.ahead.take() {
                Some((record, line)) => {
                    self.record = record;
                    line
                }
                None => match self.read()? {
                    Some(line) => line,
                    None => return Ok(None),
                },
            };
            if self.record.iter().all(|field| field.trim().is_empty()) {
                continue;
            }
            if self.grouped {
                // In a text a row like the head that begins no group is a row.
                if self.sheet.is_some() && self.is_head() {
                    self.in_subitems = false;
                    continue;
                }
                match self.place(line) {
                    Place::Item => {}
                    Place::Subitem => self.record = self.as_an_item(),
                    Place::Nothing => continue,
                }
                let lone = !self.record[0].trim().is_empty() && self.record.iter().skip(1).all(|f| f.trim().is_empty());
                if lone && self.names_group()? {
                    continue;
                }
            }
            self.found = self.record.len();
            self.overfull = self.record.iter().skip(self.width).any(|field| !field.trim().is_empty());
            if let Some(made) = &self.made {
                self.record = fold::fold(made, &self.record);
            }
            return Ok(Some(line));
        }
    }

    /// Reports a row whose number of fields differs from the title row's. Missing fields are empty; rows with extra
    /// fields can't be read reliably, and the result says so.
    pub fn ragged(&self, line: u64, problems: &mut Problems) -> bool {
        let (found, width) = (self.found, self.width);
        if found < width {
            problems.add(line, "", fault::SHORT_ROW, || {
                format!("The row has {} of {width}; the rest are empty.", fields(found))
            });
        }
        if self.overfull {
            problems.add(line, "", fault::LONG_ROW, || {
                format!("The row has {}, but the title row has {width}; it was skipped.", fields(found))
            });
        }
        self.overfull
    }

    /// Whether the row is a subitem or a summary. In such files, items have a name in the first field; subitems leave
    /// it empty and have their own title row.
    fn place(&mut self, line: u64) -> Place {
        self.below = false;
        let first_title = self.header.as_ref().and_then(|header| header.get(0)).unwrap_or_default();
        if first_title.trim() != "Name" {
            return Place::Item;
        }
        let field = |index: usize| self.record.get(index).unwrap_or_default().trim();
        if field(0) == "Subitems" && field(1) == "Name" {
            self.in_subitems = true;
            self.find_subitem_columns(line);
            return Place::Nothing;
        }
        if !field(0).is_empty() {
            self.in_subitems = false;
            return Place::Item;
        }
        self.below = self.in_subitems && !field(1).is_empty();
        if self.below {
            return Place::Subitem;
        }
        let sums = &mut self.sums;
        *sums = (if sums.1 == 0 { line } else { sums.0 }, sums.1 + 1);
        Place::Nothing
    }

    /// Reads the head row of subitems: their columns are those of the items of the same title. Whom a subitem belongs to is
    /// called `Owner` there and `Person` on items.
    fn find_subitem_columns(&mut self, line: u64) {
        let header: Vec<String> = self.header.iter().flatten().map(|title| title.trim().to_lowercase()).collect();
        let of = |title: &str| header.iter().position(|other| *other == title);
        self.subitem_columns = vec![None; self.record.len()];
        for (at, title) in self.record.iter().enumerate().skip(1).filter(|(_, title)| !title.trim().is_empty()) {
            let lower = title.trim().to_lowercase();
            let known = of(&lower).or_else(|| of("person").filter(|_| lower == "owner"));
            self.subitem_columns[at] = known.filter(|known| !self.subitem_columns.contains(&Some(*known)));
            if known.is_none() && !self.untaken.1.iter().any(|other| other == title.trim()) {
                self.untaken.0 = if self.untaken.1.is_empty() { line } else { self.untaken.0 };
                self.untaken.1.push(title.trim().to_owned());
            }
        }
    }

    /// The row of a subitem with its fields where items have them.
    fn as_an_item(&self) -> StringRecord {
        let mut fields = vec![""; self.width];
        for (field, to) in self.record.iter().zip(&self.subitem_columns) {
            if let Some(place) = to.and_then(|to| fields.get_mut(to)) {
                *place = field;
            }
        }
        fields.into_iter().collect()
    }

    /// Reports skipped data of the rows read so far.
    pub fn report(&mut self, encoding: &str, problems: &mut Problems) {
        for problem in self.sheet.iter().flat_map(|sheet| &sheet.problems) {
            problems.add(problem.line, &problem.column, problem.code, || problem.detail.clone());
        }
        let (line, untaken) = &self.untaken;
        if !untaken.is_empty() {
            problems.add(*line, "", fault::SUBITEM_COLUMNS_SKIPPED, || {
                format!("Columns that only subitems have were skipped: {}.", untaken.join(", "))
            });
        }
        let (line, count) = self.sums;
        if count > 0 {
            problems.add(line, "", fault::SUMS_SKIPPED, || format!("{count} unnamed summary rows were skipped."));
        }
        self.undecodable(encoding, problems);
    }

    /// Reports rows with invalid bytes since the last call; returns whether there are any.
    pub fn undecodable(&mut self, encoding: &str, problems: &mut Problems) -> bool {
        let (lines, more) = std::mem::take(&mut self.undecodable);
        for line in &lines {
            problems.add(*line, "", fault::UNDECODABLE_TEXT, || {
                format!("Some bytes in the row aren't valid {encoding} and were replaced with \u{fffd}.")
            });
        }
        problems.count += more;
        !lines.is_empty()
    }

    fn is_head(&self) -> bool {
        self.header.as_ref() == Some(&self.record)
    }

    /// Whether the head row comes next, so that this row with one field is the name of a group.
    fn names_group(&mut self) -> Result<bool> {
        let this = self.record.clone();
        let next = self.read()?;
        if next.is_some() && self.is_head() {
            self.group = Some(this[0].trim().to_owned());
            return Ok(true);
        }
        let next_record = std::mem::replace(&mut self.record, this);
        self.ahead = next.map(|line| (next_record, line));
        Ok(false)
    }

    fn read(&mut self) -> Result<Option<u64>> {
        self.reader.get_mut().row_bytes = 0;
        let more = self.reader.read_record(&mut self.record).map_err(|e| {
            let line = self.reader.position().line();
            match e.into_kind() {
                csv::ErrorKind::Io(e) => unreadable_table(e),
                other => NOT_A_TABLE.error(format!("Couldn't read a row near line {line}: {other:?}.")),
            }
        })?;
        let last = self.record.iter().next_back().unwrap_or_default();
        if !more || (self.record.len() == 1 && last == END) {
            return Ok(None);
        }
        let (open, cut) = (last.contains(END), self.reader.get_ref().cut);
        let breaks = |field: &str| field.bytes().filter(|b| *b == b'\n').count() as u64;
        let line = match &self.sheet {
            // A head row that was made for the records is none of them.
            Some(sheet) => self.reader.position().record() - u64::from(sheet.records),
            // Counted from the row's end, since blank lines before a row belong to no row.
            None => {
                let within = self.record.iter().map(breaks).sum::<u64>();
                self.reader.position().line().saturating_sub(u64::from(!open) + within).max(1)
            }
        };
        if open || cut {
            return Err(endless(line, open, cut, self.quote));
        }
        if self.reader.get_ref().malformed && decode::is_malformed(self.record.as_slice()) {
            self.record = self.record.iter().map(decode::replaced).collect();
            let (lines, more) = &mut self.undecodable;
            if lines.len() < PROBLEMS_SHOWN_MAX { lines.push(line) } else { *more += 1 }
        }
        match &self.sheet {
            Some(sheet) => fit(&mut self.record, sheet),
            None => unguard(&mut self.record),
        }
        Ok(Some(line))
    }
}

/// Error for a row whose end isn't found. Without it, the rows below can't be identified, so none of them may be
/// imported or counted as one row.
fn endless(line: u64, open: bool, cut: bool, quote: char) -> kit::Error {
    const LIMIT_MIB: usize = ROW_BYTES_MAX / (1024 * 1024);
    let refusal = if open {
        let until = if cut { format!("within {LIMIT_MIB} MiB") } else { "up to the end of the file".to_owned() };
        OPEN_QUOTE.error(format!(
            "A quote ({quote}) opened in the row on line {line} isn't closed {until}. Nothing was imported. Close or remove the \
             quote; if the file was truncated, export it again."
        ))
    } else {
        ROW_TOO_LONG.error(format!("The row on line {line} exceeds the limit of {LIMIT_MIB} MiB."))
    };
    refusal.with("line", line)
}

fn unreadable_table(e: std::io::Error) -> kit::Error {
    match e.to_string().as_str() {
        ZERO_BYTE => strange::refusal("not text: it contains zero bytes"),
        _ => decode::unreadable(e),
    }
}

/// `1 field`, `2 fields`.
fn fields(count: usize) -> String {
    format!("{count} field{}", if count == 1 { "" } else { "s" })
}

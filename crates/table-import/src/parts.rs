//! Checks the parts of a workbook package before loading them.
//!
//! Invariant: calamine, which reads the workbook, keeps shared strings and styles in memory and allocates by their
//! declared counts. Every part that it reads is first checked by [`Package::walk`] with the same XML parser, so its
//! memory use is bounded; a small file that unpacks to gigabytes is rejected there.

use crate::errors::{ENCRYPTED_WORKBOOK, NOT_A_TABLE, WORKBOOK_TOO_LARGE};
use crate::strange;
use crate::workbook::{ROWS_MAX, too_many_rows};
use kit::error::Result;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use zip::ZipArchive;
use zip::result::ZipError;

/// How much of one part is read.
struct Bounds {
    part_bytes: u64,
    /// Bytes of one cell, string or tag.
    piece_bytes: u64,
}

const MIB: u64 = 1024 * 1024;
const SHEET: Bounds = Bounds { part_bytes: 2048 * MIB, piece_bytes: MIB };
const STRINGS: Bounds = Bounds { part_bytes: 256 * MIB, piece_bytes: MIB };
// Fonts and formats are copied into every style that names them.
const STYLES: Bounds = Bounds { part_bytes: 16 * MIB, piece_bytes: 4 * 1024 };
const SMALL: Bounds = Bounds { part_bytes: 16 * MIB, piece_bytes: MIB };

/// Bytes to which any file may unpack, and how often its own beyond these: a file comes to a tenth of this, one that is all the
/// same to five times it.
const UNPACKED_BYTES_MIN: u64 = 64 * MIB;
const UNPACKED_TIMES: u64 = 200;

/// Maximum unpacked size of a workbook part and of its sheet as text. Proportional to the file's size, so that costs
/// are too.
pub fn unpacked_bytes_max(file: &File) -> Result<u64> {
    let file_bytes = file.metadata().map_err(crate::decode::unreadable)?.len();
    Ok(UNPACKED_BYTES_MIN + UNPACKED_TIMES * file_bytes)
}

/// Shared strings of a workbook.
const STRINGS_MAX: u64 = 8_000_000;
/// Styles of a workbook; twice what Excel makes, since named styles are written with them.
const STYLES_MAX: u64 = 131_072;
const MERGES_MAX: u64 = 1_000_000;
const SHEETS_MAX: usize = 10_000;
/// Parts of a package.
pub const PARTS_MAX: usize = 20_000;

/// A sheet as the workbook names it.
pub struct SheetPart {
    pub name: String,
    pub visible: bool,
    /// Where its cells are; `None` for charts and the like.
    pub path: Option<String>,
}

/// A workbook's package, opened.
pub struct Package<'a> {
    zip: ZipArchive<BufReader<File>>,
    /// Names as written by their lower case, under which they are looked up.
    names: HashMap<String, String>,
    unpacked_bytes_max: u64,
    stop: &'a AtomicBool,
}

impl Package<'_> {
    pub fn open<'a>(path: &Path, stop: &'a AtomicBool) -> Result<Package<'a>> {
        let file = File::open(path).map_err(crate::decode::unreadable)?;
        let unpacked_bytes_max = unpacked_bytes_max(&file)?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(broken)?;
        let mut names = HashMap::with_capacity(zip.len());
        for name in zip.file_names() {
            let name = name.map_err(broken)?;
            if names.insert(name.replace('\\', "/").to_ascii_lowercase(), name.to_string()).is_some() {
                return Err(NOT_A_TABLE.error("The workbook has two parts with the same name."));
            }
        }
        Ok(Package { zip, names, unpacked_bytes_max, stop })
    }

    /// Looks through the parts that belong to the whole workbook and gives its sheets in order.
    pub fn sheets(&mut self) -> Result<Vec<SheetPart>> {
        let mut target = None;
        self.walk("_rels/.rels", &SMALL, |element| {
            if attribute(element, "Type").is_some_and(|kind| kind.ends_with("/relationships/officeDocument")) {
                target = attribute(element, "Target").or(target.take());
            }
            Ok(())
        })?;
        let Some(target) = target else {
            return Err(strange::refusal("a ZIP archive, not an Excel workbook"));
        };
        if target.ends_with(".bin") {
            return Err(NOT_A_TABLE.error("The file is a binary workbook (.xlsb); save it as .xlsx or CSV."));
        }
        let target = target.strip_prefix('/').unwrap_or(&target);
        let (dir, name) = target.split_at(target.rfind('/').map_or(0, |at| at + 1));
        let mut targets = HashMap::new();
        self.walk(&format!("{dir}_rels/{name}.rels"), &SMALL, |element| {
            if let (Some(id), Some(target)) = (attribute(element, "Id"), attribute(element, "Target")) {
                let cells = attribute(element, "Type").is_some_and(|kind| kind.ends_with("/worksheet"));
                let path = target.strip_prefix('/').map_or_else(|| format!("{dir}{target}"), str::to_owned);
                targets.insert(id, cells.then_some(path));
            }
            Ok(())
        })?;
        let mut sheets = Vec::new();
        let found = self.walk(target, &SMALL, |element| {
            if element.local_name().as_ref() == "sheet" {
                if sheets.len() == SHEETS_MAX {
                    return Err(WORKBOOK_TOO_LARGE.error(format!("The workbook has more than {SHEETS_MAX} sheets.")));
                }
                let path = attribute(element, "id").and_then(|id| targets.get(&id).cloned()).flatten();
                let visible = attribute(element, "state").is_none_or(|state| state == "visible");
                sheets.push(SheetPart { name: attribute(element, "name").unwrap_or_default(), visible, path });
            }
            Ok(())
        })?;
        if !found || sheets.is_empty() {
            return Err(strange::refusal("an Office document, not an Excel workbook"));
        }
        let mut strings = 0;
        self.walk(&format!("{dir}sharedStrings.xml"), &STRINGS, |element| {
            let said = match element.local_name().as_ref() {
                "sst" => attribute(element, "uniqueCount").and_then(|said| said.parse().ok()).unwrap_or(0),
                "si" => {
                    strings += 1;
                    strings
                }
                _ => 0,
            };
            at_most(said, STRINGS_MAX, "different texts")
        })?;
        let mut styles = 0;
        self.walk(&format!("{dir}styles.xml"), &STYLES, |element| {
            styles += u64::from(element.local_name().as_ref() == "xf");
            at_most(styles, STYLES_MAX, "styles")
        })?;
        self.walk(&format!("{dir}theme/theme1.xml"), &SMALL, |_| Ok(()))?;
        Ok(sheets)
    }

    /// Checks a sheet, and counts its rows and the other fields of [`Examined`].
    pub fn examine_sheet(&mut self, path: &str) -> Result<Examined> {
        let (mut seen, mut rows, mut row) = (Examined::default(), 0, 0);
        // Of the cell that is looked at: whether a formula stands in it, and whether its result does.
        let (mut is_formula, mut has_value) = (false, false);
        let found = self.walk_pieces(path, &SHEET, |piece| {
            let element = match piece {
                Piece::Begins(element) => element,
                Piece::Text(within) => {
                    has_value |= within == "v";
                    return Ok(());
                }
                Piece::Ends("c") => {
                    if is_formula && !has_value {
                        seen.uncomputed += 1;
                        seen.first_uncomputed.get_or_insert(row);
                    }
                    return Ok(());
                }
                Piece::Ends(_) => return Ok(()),
            };
            match element.local_name().as_ref() {
                "mergeCell" => {
                    seen.merges += 1;
                    at_most(seen.merges, MERGES_MAX, "merged cells")
                }
                "row" => {
                    rows += 1;
                    row = attribute(element, "r").and_then(|said| said.parse().ok()).unwrap_or(row + 1);
                    if rows > ROWS_MAX { Err(too_many_rows()) } else { Ok(()) }
                }
                "c" => {
                    // A text that is empty is a result too.
                    (is_formula, has_value) = (false, attribute(element, "t").as_deref() == Some("str"));
                    Ok(())
                }
                "f" => {
                    is_formula = true;
                    Ok(())
                }
                _ => Ok(()),
            }
        })?;
        if found {
            Ok(seen)
        } else {
            Err(NOT_A_TABLE.error("The workbook's sheet is missing. Open and save it again, or save it as CSV."))
        }
    }

    /// Reads a part to its end and passes on each start element; `false` if the part doesn't exist.
    fn walk(
        &mut self,
        path: &str,
        bounds: &Bounds,
        mut see: impl FnMut(&BytesStart<'_>) -> Result<()>,
    ) -> Result<bool> {
        self.walk_pieces(path, bounds, |piece| if let Piece::Begins(element) = piece { see(element) } else { Ok(()) })
    }

    /// The same, with the texts between them and their ends.
    fn walk_pieces(
        &mut self,
        path: &str,
        bounds: &Bounds,
        mut see: impl FnMut(Piece<'_>) -> Result<()>,
    ) -> Result<bool> {
        let Some(name) = self.names.get(&path.to_ascii_lowercase()) else { return Ok(false) };
        let part = self.zip.by_name(name).map_err(broken)?;
        let part_bytes = bounds.part_bytes.min(self.unpacked_bytes_max);
        let bounds = Bounds { part_bytes, ..*bounds };
        let metered = Metered { part, bounds, bytes: 0, piece_bytes: 0, stop: self.stop };
        let mut xml = quick_xml::Reader::from_reader(BufReader::new(metered));
        let config = xml.config_mut();
        config.check_end_names = false;
        config.expand_empty_elements = true;
        let mut buffer = Vec::new();
        // Within a cell or a string pieces add up, since its text is kept whole.
        let mut within = false;
        let mut innermost = String::new();
        loop {
            buffer.clear();
            let event = xml.read_event_into(&mut buffer).map_err(|e| match e {
                quick_xml::Error::Io(e) if e.kind() == io::ErrorKind::QuotaExceeded => WORKBOOK_TOO_LARGE
                    .error(format!("The part {path} of the workbook is {e}. Save the sheet as CSV and import that.")),
                e => NOT_A_TABLE.error(format!("Couldn't read workbook part {path}: {e}.")),
            })?;
            match event {
                Event::Start(element) => {
                    within |= is_kept_whole(element.local_name().as_ref());
                    innermost.clear();
                    innermost.push_str(element.local_name().as_ref());
                    see(Piece::Begins(&element))?;
                }
                Event::End(element) => {
                    within &= !is_kept_whole(element.local_name().as_ref());
                    innermost.clear();
                    see(Piece::Ends(element.local_name().as_ref()))?;
                }
                Event::Text(text) if !text.trim_ascii().is_empty() => see(Piece::Text(&innermost))?,
                Event::Eof => return Ok(true),
                _ => {}
            }
            if !within {
                xml.get_mut().get_mut().piece_bytes = 0;
            }
        }
    }
}

/// Properties of a sheet, known before reading its cells.
#[derive(Default)]
pub struct Examined {
    /// How many merged cells it has.
    pub merges: u64,
    /// Formulas whose results the file does not hold, as where a program wrote it that computes nothing.
    pub uncomputed: u64,
    /// The row of the first of them.
    pub first_uncomputed: Option<u64>,
}

/// A piece of a part, in its order.
enum Piece<'a> {
    Begins(&'a BytesStart<'a>),
    /// Text that is not blank, right behind the beginning of the element of this name.
    Text(&'a str),
    Ends(&'a str),
}

fn is_kept_whole(element: &str) -> bool {
    matches!(element, "c" | "si" | "definedName")
}

fn at_most(count: u64, most: u64, what: &str) -> Result<()> {
    if count <= most {
        return Ok(());
    }
    Err(WORKBOOK_TOO_LARGE.error(format!("The workbook has more than {most} {what}. Save the sheet as CSV.")))
}

/// An attribute's value by its name without the namespace.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    attributes.with_checks(false);
    let found = attributes.flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    let value = found.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

fn broken(e: ZipError) -> kit::Error {
    match e {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => encrypted(),
        e => NOT_A_TABLE.error(format!("Couldn't read the file as a workbook: {e}.")),
    }
}

/// Error for a password-protected workbook.
pub fn encrypted() -> kit::Error {
    ENCRYPTED_WORKBOOK.error("The workbook is password-protected. Save it without a password.")
}

/// Error if reading is canceled.
pub fn ended() -> io::Error {
    io::Error::other("the import has ended")
}

/// Counts the bytes of a part, and stops at the limit or on cancellation.
struct Metered<'a, R> {
    part: R,
    bounds: Bounds,
    bytes: u64,
    piece_bytes: u64,
    stop: &'a AtomicBool,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let quota = |what: String| io::Error::new(io::ErrorKind::QuotaExceeded, what);
        if self.stop.load(Ordering::Relaxed) {
            return Err(ended());
        }
        let read = self.part.read(buffer)?;
        self.bytes += read as u64;
        self.piece_bytes += read as u64;
        if self.bytes > self.bounds.part_bytes {
            return Err(quota(format!("over {} bytes when unpacked", self.bounds.part_bytes)));
        }
        // A buffer's worth may have been read ahead of the piece.
        if self.piece_bytes > self.bounds.piece_bytes + 2 * buffer.len() as u64 {
            return Err(quota(format!("over {} bytes in one piece", self.bounds.piece_bytes)));
        }
        Ok(read)
    }
}

//! Recognizes files that aren't tables, for a specific error instead of a meaningless board.

use crate::errors::NOT_A_TABLE;
use serde::de::IgnoredAny;

/// Accepted file types, for error messages.
pub const ACCEPTED: &str =
    "Accepted: CSV, TSV, Excel workbooks (.xlsx), and JSON (a list of records or a Trello board).";

/// What JSON is that holds no records.
pub const NO_RECORDS: &str = "JSON, but not a list of records";

/// Error for another file type.
pub fn refusal(what: &str) -> kit::Error {
    NOT_A_TABLE.error(format!("The file is {what}. {ACCEPTED}"))
}

/// The apparent type of a binary file, by its first bytes.
pub fn of_bytes(head: &[u8]) -> Option<&'static str> {
    const PICTURE: &str = "an image";
    const PACKED: &str = "a compressed file; unpack it first";
    const KNOWN: [(&[u8], &str); 24] = [
        (
            b"\xd0\xcf\x11\xe0",
            "an old Excel workbook or another old Office document; save it as .xlsx or the sheet as CSV",
        ),
        (b"%PDF", "a PDF document"),
        (b"%!PS", "a PostScript document"),
        (b"{\\rtf", "an RTF document"),
        (b"\x89PNG", PICTURE),
        (b"\xff\xd8\xff", PICTURE),
        (b"GIF87a", PICTURE),
        (b"GIF89a", PICTURE),
        (b"II*\0", PICTURE),
        (b"MM\0*", PICTURE),
        (b"\x1f\x8b", PACKED),
        (b"PK\x05\x06", "an empty ZIP archive"),
        (b"Rar!\x1a\x07", PACKED),
        (b"7z\xbc\xaf\x27\x1c", PACKED),
        (b"\xfd7zXZ\0", PACKED),
        (b"\x28\xb5\x2f\xfd", PACKED),
        (b"SQLite format 3", "a database"),
        (b"PAR1\x15", "a Parquet file"),
        (b"ARROW1\0\0", "an Arrow file"),
        (b"bplist00", "a property list"),
        (b"\x7fELF", "a program"),
        (b"ID3\x03", "audio"),
        (b"ID3\x04", "audio"),
        (b"OggS\0", "audio"),
    ];
    let known = KNOWN.iter().find(|(begins, _)| head.starts_with(begins)).map(|(_, what)| *what);
    let at = |place: usize, bytes: &[u8]| head.get(place..).is_some_and(|rest| rest.starts_with(bytes));
    known
        .or((at(0, b"BZh") && at(4, b"1AY&SY")).then_some(PACKED))
        .or((at(0, b"RIFF") && at(8, b"WEBP")).then_some(PICTURE))
        .or((at(0, b"RIFF") && (at(8, b"WAVE") || at(8, b"AVI "))).then_some("audio or video"))
        .or(at(4, b"ftyp").then_some("a video or an image"))
        .or((at(0, b"MZ") && head.contains(&0)).then_some("a program"))
}

/// Elements that a page, or a part of one, begins with. A table may hold others in its first cell.
const PAGES: [&str; 16] = [
    "html", "head", "body", "title", "meta", "link", "style", "script", "table", "div", "main", "section", "article",
    "header", "form", "center",
];

/// The apparent type of a text that isn't a table. `whole`: whether the text is complete.
pub fn of_text(text: &str, whole: bool) -> Option<&'static str> {
    const PAGE: &str = "a web page (HTML); if it has a table, open it in a spreadsheet and save it as .xlsx or CSV";
    let text = text.trim();
    let begins = |with: &str| text.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with));
    if let Some(markup) = text.strip_prefix('<') {
        if begins("<!doctype html") {
            return Some(PAGE);
        }
        if begins("<?xml") || begins("<!") || begins("<?") {
            return Some(of_xml(text));
        }
        let name = markup.split(|c: char| !c.is_ascii_alphanumeric() && !":-_.".contains(c)).next().unwrap_or_default();
        let is_tag = markup[name.len()..].starts_with(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
        if is_tag && PAGES.iter().any(|page| name.eq_ignore_ascii_case(page)) && !is_title(text) {
            return Some(PAGE);
        }
        let closed = || text.ends_with("/>") || text.ends_with(&format!("</{name}>"));
        return (is_tag && !name.is_empty() && whole && closed()).then(|| of_xml(text));
    }
    if begins("BEGIN:VCALENDAR") {
        return Some("a calendar (iCalendar)");
    }
    if begins("BEGIN:VCARD") {
        return Some("a list of contacts (vCard)");
    }
    if begins("MIME-Version:") {
        return Some("a message or a saved web page (MIME)");
    }
    // A list of records was taken for one before. Of a list it is enough that it is JSON as far as it goes.
    let is_json = match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => whole,
        Err(e) => e.is_eof() && text.starts_with('['),
    };
    is_json.then_some(NO_RECORDS)
}

/// Whether what looks like a tag at the beginning of a text is the title of a table's first column: a field ends behind it, or,
/// in a table of one column, the line, where no tag follows on any other.
fn is_title(text: &str) -> bool {
    let (first, others) = text.split_once(['\r', '\n']).unwrap_or((text, ""));
    let Some((tag, behind)) = first.split_once('>') else { return false };
    let begins_tag = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
    match behind.trim_start_matches(' ').chars().next() {
        None => !tag.contains('=') && !others.trim().is_empty() && !others.split('<').skip(1).any(begins_tag),
        Some(next) => matches!(next, ',' | ';' | '\t' | '|'),
    }
}

fn of_xml(text: &str) -> &'static str {
    let mut end = text.len().min(2_000);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text[..end].to_ascii_lowercase();
    if head.contains("urn:schemas-microsoft-com:office:spreadsheet") {
        "an Excel workbook as XML; save it as .xlsx"
    } else if head.contains("<html") {
        "a web page (HTML)"
    } else if head.contains("<svg") {
        "an image (SVG)"
    } else {
        "an XML document"
    }
}

//! Excel workbooks that no program writes.

use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

/// Relationships of the package.
pub const RELS: &str = r#"<Relationships><Relationship Id="r1" Type="x/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
/// Relationships of the workbook.
pub const BOOK_RELS: &str =
    r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
/// A workbook with one sheet.
pub const BOOK: &str = r#"<workbook><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>"#;

/// A package with these parts instead of, or beside, the least that a workbook has.
pub fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut all = vec![
        ("_rels/.rels", RELS),
        ("xl/workbook.xml", BOOK),
        ("xl/_rels/workbook.xml.rels", BOOK_RELS),
        ("xl/worksheets/sheet1.xml", "<worksheet><sheetData/></worksheet>"),
    ];
    all.retain(|(name, _)| parts.iter().all(|(other, _)| other != name));
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in all.iter().chain(parts) {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

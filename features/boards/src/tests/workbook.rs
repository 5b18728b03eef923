//! Workbooks through the import, made here by code.

use super::import::{assert_no_file_left, read_back, send};
use super::random::runner;
use super::*;
use events::{Event, HasEvents};
use proptest::prelude::*;
use proptest::sample::Index;
use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook, Worksheet};
use testkit::workbook::{BOOK, BOOK_RELS, RELS, package};
use testkit::{json_of, refused};

fn saved(fill: impl FnOnce(&mut Workbook)) -> Vec<u8> {
    let mut workbook = Workbook::new();
    fill(&mut workbook);
    workbook.save_to_buffer().unwrap()
}

fn row(sheet: &mut Worksheet, row: u32, column: u16, texts: &[&str]) {
    for (text, column) in texts.iter().zip(column..) {
        if !text.is_empty() {
            sheet.write_string(row, column, *text).unwrap();
        }
    }
}

async fn imported(p: &Program, bytes: &[u8], more: Value) -> (Value, Vec<Value>) {
    let answer = json_of(&send(p, bytes, more).await.unwrap());
    let full = full_json(p, answer["board"]["id"].as_str().unwrap()).await;
    (answer, read_back(&full))
}

fn problems(answer: &Value) -> Vec<String> {
    let list = answer["problems"].as_array().unwrap().iter();
    list.map(|x| format!("{} {}", x["line"], x["code"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn cells_of_a_workbook_arrive_as_what_they_are() {
    let p = start().await;
    let bytes = saved(|workbook| {
        let sheet = workbook.add_worksheet();
        let (day, percent) = (Format::new().set_num_format("dd.mm.yyyy"), Format::new().set_num_format("0.0%"));
        let moment = Format::new().set_num_format("yyyy-mm-dd hh:mm");
        // The table begins at B3 and has a title merged over its width.
        sheet.merge_range(0, 1, 0, 7, "Plan of the year", &Format::new()).unwrap();
        row(sheet, 2, 1, &["Task", "Team", "Due", "Seen", "Cost", "Share", "Open"]);
        sheet.merge_range(3, 2, 4, 2, "North", &Format::new()).unwrap();
        for (line, name, due, cost, share, open) in
            [(3, "Paint", (2026, 3, 1), 0.1 + 0.2, 0.07, true), (4, "Sand", (2024, 2, 29), 1e20, 0.5, false)]
        {
            let (year, month, of_month) = due;
            let due = ExcelDateTime::from_ymd(year, month, of_month).unwrap();
            sheet.write_string(line, 1, name).unwrap();
            sheet.write_datetime_with_format(line, 3, &due, &day).unwrap();
            let seen = due.and_hms(9, 30, 0.0).unwrap();
            sheet.write_datetime_with_format(line, 4, &seen, &moment).unwrap();
            sheet.write_number(line, 5, cost).unwrap();
            sheet.write_number_with_format(line, 6, share, &percent).unwrap();
            sheet.write_boolean(line, 7, open).unwrap();
        }
        row(sheet, 7, 1, &["Varnish", "South"]);
        sheet.write_formula(7, 5, Formula::new("=40+2").set_result("42")).unwrap();
        sheet.write_formula(7, 6, Formula::new("=1/0").set_result("#DIV/0!")).unwrap();
    });
    let (answer, rows) = imported(&p, &bytes, json!({})).await;
    let expected = json!([
        {"": "Items/Paint", "Team": "North", "Due": "2026-03-01", "Seen": "2026-03-01", "Cost": 0.1 + 0.2, "Share": 7, "Open": true},
        {"": "Items/Sand", "Team": "North", "Due": "2024-02-29", "Seen": "2024-02-29", "Cost": 1e20, "Share": 50, "Open": false},
        {"": "Items/Varnish", "Team": "South", "Cost": 42},
    ]);
    assert_eq!(json!(rows), expected);
    assert_eq!(problems(&answer), ["8 error-cell"]);
    let kinds: Vec<_> = answer["board"]["columns"].as_array().unwrap().iter().map(|c| c["type"].clone()).collect();
    assert_eq!(kinds, ["text", "date", "date", "number", "number", "checkbox"]);
    assert_eq!(answer["board"]["columns"][4]["settings"]["percent"], true);
    assert_no_file_left(&p);
}

#[tokio::test]
async fn a_sheet_is_named_or_the_first_that_shows() {
    let p = start().await;
    let bytes = saved(|workbook| {
        for (name, item) in [("Hidden", "h"), ("One", "a"), ("Zwei ä", "b")] {
            let sheet = workbook.add_worksheet().set_name(name).unwrap();
            row(sheet, 0, 0, &["Name", "Note"]);
            row(sheet, 1, 0, &[item, "x"]);
            sheet.set_hidden(name == "Hidden");
        }
        workbook.worksheet_from_index(1).unwrap().set_active(true);
        workbook.add_worksheet().set_name("Blank").unwrap();
    });
    for (wanted, item) in [(json!({}), "a"), (json!({"sheet": "zwei Ä"}), "b"), (json!({"sheet": "Hidden"}), "h")] {
        assert_eq!(imported(&p, &bytes, wanted).await.1[0][""], format!("Items/{item}"));
    }
    let preview = json_of(&send(&p, &bytes, json!({"dryRun": true})).await.unwrap());
    let facts = (&preview["sheet"], &preview["sheets"], &preview["delimiter"], &preview["rowsEstimated"]);
    assert_eq!(facts, (&json!("One"), &json!(["Hidden", "One", "Zwei ä", "Blank"]), &json!(""), &json!(1)));
    refused(send(&p, &bytes, json!({"sheet": "Three"})).await, "unknown-sheet");
    refused(send(&p, &bytes, json!({"sheet": "Blank"})).await, "empty-file");
    refused(send(&p, b"Name\na\n", json!({"sheet": "One"})).await, "unknown-sheet");
}

/// The export of a board to Excel as monday.com makes it, from what such files look like to those who read them: the board's
/// name in the first row and its description in the second; for each group its title alone in a row, a head row that begins
/// with `Name` and is the same for every group, the items, and a row of sums without a name; a blank row between groups. Below
/// an item that has subitems stand a head row `Subitems`, `Name`, ... and the subitems, which leave the first column empty;
/// the column `Subitems` of the item lists their names. Labels and people are texts, dates are dates, numbers numbers.
fn monday(groups: &[&str]) -> Vec<u8> {
    saved(|workbook| {
        let sheet = workbook.add_worksheet().set_name("product launch").unwrap();
        let day = Format::new().set_num_format("yyyy-mm-dd");
        row(sheet, 0, 0, &["Product launch"]);
        row(sheet, 1, 0, &["Everything until the first of May"]);
        let mut at = 3;
        for group in groups {
            row(sheet, at, 0, &[group]);
            row(sheet, at + 1, 0, &["Name", "Subitems", "Person", "Status", "Date", "Budget"]);
            row(
                sheet,
                at + 2,
                0,
                &["Landing page", &format!("Draft for {group}, Review"), "Anna Berg", "Working on it"],
            );
            let date = ExcelDateTime::from_ymd(2026, 3, 2).unwrap();
            sheet.write_datetime_with_format(at + 2, 4, &date, &day).unwrap();
            sheet.write_number(at + 2, 5, 1200).unwrap();
            row(sheet, at + 3, 0, &["Subitems", "Name", "Owner", "Status", "Date"]);
            row(sheet, at + 4, 0, &["", "Draft", "Ben Ito", "Done"]);
            row(sheet, at + 5, 0, &["", "Review", "", "Stuck"]);
            row(sheet, at + 6, 0, &["Press text", "", "Ben Ito", "Done"]);
            sheet.write_number(at + 6, 5, 300.5).unwrap();
            sheet.write_number(at + 7, 5, 1500.5).unwrap();
            at += 9;
        }
    })
}

#[tokio::test]
async fn groups_of_a_monday_export_become_groups_and_its_sections_subitems() {
    let p = start().await;
    let item = |group: &str, name: &str| {
        if name == "Draft" {
            json!({"": format!("{group}/Landing page > Draft"), "Person": ["Ben Ito"], "Status": "Done"})
        } else if name == "Review" {
            json!({"": format!("{group}/Landing page > Review"), "Status": "Stuck"})
        } else if name == "Landing page" {
            json!({"": format!("{group}/Landing page"), "Subitems": format!("Draft for {group}, Review"), "Person": ["Anna Berg"], "Status": "Working on it",
                "Date": "2026-03-02", "Budget": 1200})
        } else {
            json!({"": format!("{group}/Press text"), "Person": ["Ben Ito"], "Status": "Done", "Budget": 300.5})
        }
    };
    for groups in [&["This week", "Next week"][..], &["Only group"][..]] {
        let (answer, rows) = imported(&p, &monday(groups), json!({})).await;
        let expected: Vec<Value> = groups
            .iter()
            .flat_map(|group| ["Landing page", "Draft", "Review", "Press text"].map(|name| item(group, name)))
            .collect();
        assert_eq!(rows, expected);
        assert_eq!(problems(&answer), ["11 sums-skipped"]);
        assert_eq!((&answer["rowsImported"], &answer["rowsSkipped"]), (&json!(groups.len() * 4), &json!(0)));
        assert_eq!(answer["board"]["subitemCount"], json!(groups.len() * 2));
    }
}

fn sheet(rows: &str) -> String {
    format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")
}

#[tokio::test]
async fn a_plain_package_is_read() {
    let p = start().await;
    let rows = r#"<row><c t="inlineStr"><is><t>Name</t></is></c><c t="str"><v>N</v></c></row><row><c t="str"><v>a &amp; b</v></c><c><v>2</v></c></row>"#;
    let bytes = package(&[("xl/worksheets/sheet1.xml", &sheet(rows))]);
    assert_eq!(json!(imported(&p, &bytes, json!({})).await.1), json!([{"": "Items/a & b", "N": 2}]));
}

#[tokio::test]
async fn workbooks_that_cannot_be_taken_are_refused_by_what_is_wrong() {
    let p = start().await;
    let at = "xl/worksheets/sheet1.xml";
    let cell = |place: &str| sheet(&format!(r#"<row><c r="{place}"><v>1</v></c></row>"#));
    let long = sheet(&format!(r#"<row><c t="inlineStr"><is><t>{}</t></is></c></row>"#, "x".repeat(3 << 20)));
    let pieces = "<r><t>aaaaaaaaaaaaaaaa</t></r>".repeat(100_000);
    let pieces = sheet(&format!(r#"<row><c t="inlineStr"><is>{pieces}</is></c></row>"#));
    let merges = format!("{}<mergeCells>{}</mergeCells>", sheet(""), "<mergeCell/>".repeat(1_000_001));
    let encrypted: Vec<u8> = "EncryptedPackage".bytes().flat_map(|b| [b, 0]).collect();
    let encrypted = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 2000], &encrypted].concat();
    let letter = RELS.replace("xl/workbook", "word/document");
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("one cell unpacks to megabytes", package(&[(at, &long)]), "workbook-too-large"),
        ("so do the pieces of one", package(&[(at, &pieces)]), "workbook-too-large"),
        ("styles do", package(&[("xl/styles.xml", &" ".repeat(17 << 20))]), "workbook-too-large"),
        ("more merged cells than are kept", package(&[(at, &merges)]), "workbook-too-large"),
        (
            "strings say they are many",
            package(&[("xl/sharedStrings.xml", r#"<sst uniqueCount="999999999999"/>"#)]),
            "workbook-too-large",
        ),
        ("more styles than there are", package(&[("xl/styles.xml", &"<xf/>".repeat(131_073))]), "workbook-too-large"),
        ("a row too many", package(&[(at, &cell("A1048577"))]), "workbook-too-large"),
        (
            "rows too many that hold nothing",
            package(&[(at, &sheet(&"<row/>".repeat(1_048_577)))]),
            "workbook-too-large",
        ),
        ("a column too many", package(&[(at, &cell("XFE1"))]), "too-many-columns"),
        ("the last row and column of a sheet", package(&[(at, &cell("XFD1048576"))]), ""),
        ("a password", encrypted, "encrypted-workbook"),
        ("an old workbook", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on".to_vec(), "not-a-table"),
        ("no package", b"PK\x03\x04 and so on".to_vec(), "not-a-table"),
        ("a broken package", package(&[])[..200].to_vec(), "not-a-table"),
        ("some archive", package(&[("_rels/.rels", "<x/>")]), "not-a-table"),
        ("a letter", package(&[("_rels/.rels", &letter), ("word/document.xml", "<d/>")]), "not-a-table"),
        ("no sheet in it", package(&[("xl/workbook.xml", "<workbook/>")]), "not-a-table"),
        ("broken XML", package(&[(at, "<worksheet><sheetData><row")]), "not-a-table"),
        ("a text that is not there", package(&[(at, &sheet(r#"<row><c t="s"><v>7</v></c></row>"#))]), "not-a-table"),
        (
            "rows out of order",
            package(&[(
                at,
                &[cell("A2"), cell("A1")].concat().replace("</sheetData></worksheet><worksheet><sheetData>", ""),
            )]),
            "not-a-table",
        ),
        ("a place that is none", package(&[(at, &cell("1048576"))]), "not-a-table"),
        ("a row zero", package(&[(at, &cell("A0"))]), "not-a-table"),
        ("nothing", package(&[]), "empty-file"),
    ];
    for (what, bytes, code) in cases {
        let outcome = send(&p, &bytes, json!({})).await;
        match code {
            "" => drop(outcome.unwrap_or_else(|e| panic!("{what}: {e}"))),
            code => assert_eq!(refused(outcome, code).code().name, code, "{what}"),
        }
        assert_no_file_left(&p);
    }
}

#[test]
fn workbooks_with_changed_bytes_are_taken_or_refused_without_a_panic() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let p = runtime.block_on(start());
    const STRINGS: &str =
        r#"<sst uniqueCount="2"><si><t>Name</t></si><si><r><t xml:space="preserve">a _x0041_</t></r></si></sst>"#;
    const STYLES: &str = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm"/></numFmts><fonts><font><name val="A"/></font></fonts><cellXfs><xf numFmtId="0" fontId="0"/><xf numFmtId="164"/><xf numFmtId="9"/></cellXfs></styleSheet>"#;
    const SHEET: &str = r#"<worksheet><dimension ref="A1:C3"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>N</t></is></c></row><row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><f>A1</f><v>45000.5</v></c><c r="C2" s="2"><v>0.5</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row></sheetData><mergeCells><mergeCell ref="A2:A9"/></mergeCells></worksheet>"#;
    let parts = [
        ("xl/sharedStrings.xml", STRINGS),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", SHEET),
        ("xl/workbook.xml", BOOK),
        ("xl/_rels/workbook.xml.rels", BOOK_RELS),
        ("_rels/.rels", RELS),
    ];
    let sign = prop_oneof![
        Just('<'),
        Just('>'),
        Just('"'),
        Just('/'),
        Just('9'),
        Just('-'),
        Just('&'),
        Just('Z'),
        any::<char>()
    ];
    let changes = proptest::collection::vec((0..parts.len(), any::<Index>(), sign), 0..6);
    let flips = proptest::collection::vec((any::<Index>(), any::<u8>()), 0..2);
    type Damage = (Vec<(usize, Index, char)>, Vec<(Index, u8)>);
    let check = |(changes, flips): Damage| {
        let mut texts = parts.map(|(_, text)| text.chars().collect::<Vec<_>>());
        for (part, at, sign) in changes {
            let text = &mut texts[part];
            let at = at.index(text.len());
            text[at] = sign;
        }
        let texts = texts.map(|text| text.into_iter().collect::<String>());
        let parts: Vec<_> = parts.iter().zip(&texts).map(|((name, _), text)| (*name, text.as_str())).collect();
        let mut bytes = package(&parts);
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Err(e) = runtime.block_on(send(&p, &bytes, json!({}))) {
            assert_ne!(e.code().name, "internal", "{e:?}");
        }
        Ok(())
    };
    runner(300).run(&(changes, flips), check).unwrap();
}

#[tokio::test]
async fn a_workbook_is_canceled_and_stopped_like_any_table() {
    let p = start().await;
    let bytes = saved(|workbook| {
        let sheet = workbook.add_worksheet();
        row(sheet, 2, 0, &["Name", "N"]);
        (3..12_003)
            .for_each(|line| row(sheet, line, 0, &[&format!("row {line}"), if line == 9 { "odd" } else { "1" }]));
    });
    let number = json!([{"index": 1, "type": "number"}]).to_string();
    let outcome = send(&p, &bytes, json!({"columns": number, "onError": "stop"})).await;
    let problem = refused(outcome, "import-stopped").problem();
    assert_eq!(problem["problems"][0]["line"], 10, "the row that the sheet shows");
    let (_, mut heard) = p.ctx.events().listen(None);
    let cancel = async {
        while !matches!(heard.recv().await.unwrap().event, Event::ImportProgress { phase: "loading", .. }) {}
        p.owner("boards.import.cancel", json!({"importId": "book"})).await.unwrap();
    };
    let (imported, ()) = tokio::join!(send(&p, &bytes, json!({"importId": "book"})), cancel);
    refused(imported, "import-cancelled");
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
}

#[tokio::test]
async fn rows_like_the_first_are_items_where_no_group_begins() {
    let p = start().await;
    for (rows, items) in [
        (vec![vec!["Milk"], vec!["Bread"], vec!["Milk"]], vec!["Milk", "Bread", "Milk"]),
        (vec![vec!["Task"], vec!["Milk"], vec!["Bread"], vec!["Task"]], vec!["Task", "Milk", "Bread", "Task"]),
        (vec![vec!["Name", "Owner"], vec!["a", "b"], vec!["Name", "Owner"], vec!["c", "d"]], vec!["a", "Name", "c"]),
    ] {
        let text: String = rows.iter().map(|fields| fields.join(",") + "\n").collect();
        let book = saved(|workbook| {
            let sheet = workbook.add_worksheet();
            rows.iter().zip(0..).for_each(|(fields, line)| row(sheet, line, 0, fields));
        });
        let items: Vec<Value> = items.iter().map(|name| json!(format!("Items/{name}"))).collect();
        for bytes in [text.as_bytes(), &book] {
            let (_, read) = imported(&p, bytes, json!({})).await;
            assert_eq!(read.iter().map(|item| item[""].clone()).collect::<Vec<_>>(), items, "{text}");
        }
    }
}

#[tokio::test]
async fn the_currency_of_formats_becomes_that_of_the_column() {
    let p = start().await;
    let euro = Format::new().set_num_format("#,##0.00\\ \"€\"");
    let dollar = Format::new().set_num_format("[$$-409]#,##0.00");
    let bytes = saved(|workbook| {
        let sheet = workbook.add_worksheet();
        row(sheet, 1, 1, &["Name", "Cost", "Price", "Both", "Plain"]);
        for (line, name) in (2..).zip(["a", "b", "c"]) {
            row(sheet, line, 1, &[name]);
            // One that nobody formatted is an amount of the same.
            let format = if line == 3 { &Format::new() } else { &euro };
            sheet.write_number_with_format(line, 2, f64::from(line) + 0.5, format).unwrap();
            sheet.write_number_with_format(line, 3, f64::from(line), &dollar).unwrap();
            let format = if line == 3 { &dollar } else { &euro };
            sheet.write_number_with_format(line, 4, f64::from(line), format).unwrap();
            sheet.write_number(line, 5, f64::from(line)).unwrap();
        }
    });
    let (answer, rows) = imported(&p, &bytes, json!({})).await;
    let columns = answer["board"]["columns"].as_array().unwrap();
    let said: Vec<_> = columns.iter().map(|column| (&column["type"], &column["settings"]["currency"])).collect();
    let number = json!("number");
    let expected = [
        (&number, &json!("EUR")),
        (&number, &json!("USD")),
        // Of two currencies neither is the column's.
        (&number, &Value::Null),
        (&number, &Value::Null),
    ];
    assert_eq!(said, expected, "{answer}");
    assert_eq!(rows[0], json!({"": "Items/a", "Cost": 2.5, "Price": 2, "Both": 2, "Plain": 2}));
}

#[tokio::test]
async fn formulas_without_results_are_said() {
    let p = start().await;
    let text = |text: &str| format!(r#"<c t="inlineStr"><is><t>{text}</t></is></c>"#);
    let rows = format!(
        r#"<row r="1">{}{}</row><row r="2">{}<c><v>2</v></c></row><row r="4">{}<c><f>1+1</f><v/></c></row>
        <row r="5">{}<c><f>2+2</f></c></row><row r="6">{}<c><f>3+3</f><v>6</v></c></row>
        <row r="7">{}<c t="str"><f>""</f><v></v></c></row>"#,
        text("Name"),
        text("N"),
        text("a"),
        text("b"),
        text("c"),
        text("d"),
        text("e")
    );
    let bytes = package(&[("xl/worksheets/sheet1.xml", &sheet(&rows))]);
    let (answer, rows) = imported(&p, &bytes, json!({})).await;
    assert_eq!(problems(&answer), ["4 formula-without-result"], "{answer}");
    let detail = answer["problems"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("2 formulas have no result in the file"), "{detail}");
    let expected = json!([
        {"": "Items/a", "N": 2}, {"": "Items/b"}, {"": "Items/c"}, {"": "Items/d", "N": 6}, {"": "Items/e"},
    ]);
    assert_eq!(json!(rows), expected);
}

//! Files that an import takes for no table, and texts within tables that come in several forms.

use super::import::{assert_no_file_left, send};
use super::*;
use testkit::{json_of, refused};

#[tokio::test]
async fn what_is_no_table_is_refused_with_what_it_looks_like() {
    let p = start().await;
    let page = "<!DOCTYPE html>\n<html><body><table><tr><td>a</td><td>b</td></tr></table></body></html>\n";
    let utf16: Vec<u8> = format!("\u{feff}{page}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bare = "  <table border=1>\n<tr><td>Name, first</td></tr>\n".to_owned();
    let sheet = "<?xml version=\"1.0\"?><Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\"/>";
    let long_page = page.replace("<td>a</td>", &"<td>a</td>\n".repeat(200_000));
    let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), &[b'x'; 100]].concat();
    let lists = "[".repeat(100_000);
    let cases: [(&[u8], &str); 27] = [
        (page.as_bytes(), "a web page (HTML)"),
        (long_page.as_bytes(), "a web page (HTML)"),
        (b"\xef\xbb\xbf<HTML>\n<p>a,b\n", "a web page (HTML)"),
        (&utf16, "a web page (HTML)"),
        (bare.as_bytes(), "a web page (HTML)"),
        (sheet.as_bytes(), "an Excel workbook as XML"),
        (b"<?xml version=\"1.0\"?>\n<rss><a>1,2</a></rss>", "an XML document"),
        (b"<title>Prices</title>\n<p>1,2\n", "a web page (HTML)"),
        (b"<link rel=x>\na,b\n", "a web page (HTML)"),
        (b"<body>\nHello, all\n</body>\n", "a web page (HTML)"),
        (b"<html>\r\n<head>\r\n", "a web page (HTML)"),
        (b"<center>", "a web page (HTML)"),
        (b"<note>\n<to>a, b</to>\n</note>\n", "an XML document"),
        (b"<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M1,2\"/></svg>", "an image (SVG)"),
        (&picture, "an image"),
        (b"GIF89a,b\n1,2\n", "an image"),
        (b"{\\rtf1\\ansi Name, Other\n}", "an RTF document"),
        (b"BEGIN:VCALENDAR\nSUMMARY:a,b\nEND:VCALENDAR\n", "a calendar (iCalendar)"),
        (b"[1, 2, 3]\n", "JSON, but not a list of records"),
        (b"null", "JSON, but not a list of records"),
        (b"\"x\"\n", "JSON, but not a list of records"),
        (b"5", "JSON, but not a list of records"),
        (b"[[[[", "JSON, but not a list of records"),
        (lists.as_bytes(), "JSON, but not a list of records"),
        (b"\xff\xd8\xff\xe0 a,b\n", "an image"),
        (b"\x01\x02\x03\x04\x05", "not text: it has control characters"),
        (b"Name,B\na,\0b\n", "not text: it contains zero bytes"),
    ];
    for (bytes, says) in cases {
        for dry_run in [true, false] {
            let error = refused(send(&p, bytes, json!({"dryRun": dry_run})).await, "not-a-table");
            let detail = error.detail();
            assert!(detail.starts_with(&format!("The file is {says}")), "{detail}");
            assert!(detail.contains("Accepted: CSV, TSV, Excel workbooks (.xlsx), and JSON"));
        }
    }
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
    assert_no_file_left(&p);
}

#[tokio::test]
async fn tables_that_begin_with_signs_of_mark_up_are_tables() {
    let p = start().await;
    let tables = [
        "<id>,Name\n1,Ada\n",
        "<Title>,<Link>\nOne,https://example.com\n",
        "<Section>;<Form>\n1;2\n",
        "<Style>\t<Title>\na\tb\n",
        "<Table> | Name\na | b\n",
        "[Draft] Title,[1]\na,b\n",
        "\"Name\",\"Age\"\n\"Ada\",5\n",
        "Name,Code\n<b>a</b>,</b>\n",
        "<b>Name</b>,State\nx,Open\n",
        "[x],Name\n1,2\n",
    ];
    for table in tables {
        let preview = json_of(&send(&p, table.as_bytes(), json!({"dryRun": true})).await.unwrap());
        assert_eq!(preview["columns"].as_array().unwrap().len(), 2, "{table}: {preview}");
    }
    let one = "<Section>\nOne\nless < more\n";
    let preview = json_of(&send(&p, one.as_bytes(), json!({"dryRun": true})).await.unwrap());
    assert_eq!(preview["columns"][0]["title"], "<Section>", "{preview}");
}

#[tokio::test]
async fn line_ends_within_a_label_are_of_one_form() {
    let p = start().await;
    let rows = ["Open\r\nsoon", "Open\rsoon", "Open\nsoon", "Done"];
    let rows: Vec<String> = (0..40).map(|n| format!("I{n},\"{}\"\r\n", rows[n % 4])).collect();
    let file = format!("Name,Status\r\n{}", rows.concat());
    let as_status = r#"[{"index": 1, "type": "status"}]"#;
    let made = json_of(&send(&p, file.as_bytes(), json!({"columns": as_status})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap();
    let column = |board: &Value| {
        let labels = board["columns"][0]["settings"]["labels"].as_array().unwrap();
        labels.iter().map(|label| label["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let whole = p.owner("boards.get", json!({"boardId": board})).await.unwrap();
    assert_eq!(column(&whole), ["Open\nsoon", "Done"], "{whole}");
    // Into the board that there is, as into a new one; and from JSON.
    let again = "Name,Status\rI0,\"Open\rsoon\"\rNew,\"Open\r\nsoon\"\r";
    let input = json!({"boardId": board, "key": 0});
    send(&p, again.as_bytes(), input.clone()).await.unwrap();
    let records = br#"[{"Name": "I0", "Status": "Open\r\nsoon"}, {"Name": "I1", "Status": "Open\rsoon"}]"#;
    send(&p, records, input).await.unwrap();
    let whole = p.owner("boards.get", json!({"boardId": board})).await.unwrap();
    assert_eq!(column(&whole), ["Open\nsoon", "Done"], "{whole}");
}

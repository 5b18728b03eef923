//! Forms of tables beside the plain one: what is found out of them, and what the caller says instead.

use super::import::{assert_no_file_left, read_back, send};
use super::*;
use testkit::{json_of, refused};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/testdata/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

async fn preview(p: &Program, bytes: &[u8], more: Value) -> Value {
    let mut input = json!({"dryRun": true});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json_of(&send(p, bytes, input).await.unwrap_or_else(|e| panic!("{}: {e}", String::from_utf8_lossy(bytes))))
}

async fn rows(p: &Program, bytes: &[u8], more: Value) -> (Value, Value) {
    let answer = json_of(&send(p, bytes, more).await.unwrap());
    let full = full_json(p, answer["board"]["id"].as_str().unwrap()).await;
    (answer, json!(read_back(&full)))
}

fn titles(preview: &Value) -> Vec<&str> {
    preview["columns"].as_array().unwrap().iter().map(|column| column["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_few_bad_bytes_leave_a_file_in_utf_8() {
    let p = start().await;
    let mut text = String::from("City,Note\n");
    (1..=200).for_each(|n| text += &format!("Zürich {n},ä{n}\n"));
    let mut bytes = text.into_bytes();
    bytes.extend(b"last\xff,\xe4\ntwo,\"two\nlines \xff\"\nend,x\n");
    let found = preview(&p, &bytes, json!({})).await;
    assert_eq!(found["encoding"], "UTF-8");
    let (answer, items) = rows(&p, &bytes, json!({})).await;
    assert_eq!(items[0], json!({"": "Items/Zürich 1", "Note": "ä1"}));
    assert_eq!(items[200], json!({"": "Items/last\u{fffd}", "Note": "\u{fffd}"}));
    for told in [&found, &answer] {
        let problems = told["problems"].as_array().unwrap();
        let told: Vec<_> = problems.iter().map(|problem| (&problem["line"], &problem["code"])).collect();
        assert_eq!(told, [(&json!(202), &json!("undecodable-text")), (&json!(203), &json!("undecodable-text"))]);
        assert_eq!(problems[0]["detail"], "Some bytes in the row aren't valid UTF-8 and were replaced with \u{fffd}.");
    }
    assert_eq!((&answer["rowsImported"], &answer["rowsSkipped"]), (&json!(203), &json!(0)));
    let stopped = refused(send(&p, &bytes, json!({"onError": "stop"})).await, "import-stopped");
    assert!(stopped.detail().starts_with("Line 202: "), "{}", stopped.detail());
    // Characters that the pieces in which a file is read cut in two are whole.
    let long = format!("Name\n{}", "xä\n".repeat(60_000));
    let found = preview(&p, long.as_bytes(), json!({})).await;
    assert_eq!((&found["encoding"], &found["problems"]), (&json!("UTF-8"), &json!([])));
    // Other encodings are still guessed, also where two of their signs are a character in UTF-8.
    let guessed = b"Name,Ort\nJ\xfcrgen,K\xf6ln\nRen\xe9 \xc3\xbc,Malm\xf6\n";
    let found = preview(&p, guessed, json!({})).await;
    assert_ne!(found["encoding"], "UTF-8");
    // Which is said, with what helps, also once the board is made; but not of what was chosen, and of UTF-8.
    let note = found["notes"][0].as_str().unwrap();
    let taken = format!("{} was used", found["encoding"].as_str().unwrap());
    assert!(note.contains(&taken) && note.contains("choose another encoding"), "{note}");
    let made = json_of(&send(&p, guessed, json!({})).await.unwrap());
    assert_eq!(made["notes"], json!([{"title": "", "notes": [note]}]));
    let chosen = preview(&p, guessed, json!({"encoding": "macintosh"})).await;
    assert_eq!((&chosen["notes"], &preview(&p, b"Name\na\n", json!({})).await["notes"]), (&json!([]), &json!([])));
}

#[tokio::test]
async fn a_first_row_that_is_clearly_data_names_no_columns() {
    let p = start().await;
    let data = [
        ("1,2,3\n4,5,6\n7,8,9\n", "Column 1"),
        ("2026-01-01,5\n2026-01-02,6\n", "Column 1"),
        ("3,Apples\n5,Pears\n8,Plums\n", "Column 2"),
        ("Apples,3,4\nPears,5,6\nPlums,7,8\n", "Column 1"),
        ("Ann,red,Berlin\nBob,blue,Paris\nCat,green,Berlin\n", "Column 1"),
        ("Ann,,red,red\nBob,x,blue,green\n", "Column 1"),
    ];
    for (text, name) in data {
        let found = preview(&p, text.as_bytes(), json!({})).await;
        let count = text.lines().count();
        assert_eq!((&found["hasHeader"], &found["rowsTaken"]), (&json!(false), &json!(count)), "{text}");
        let named = found["columns"].as_array().unwrap().iter().find(|column| column["role"] == "name").unwrap();
        assert_eq!(named["title"], name, "{text}");
    }
    let titled = [
        "Region,2023,2024,2025\nNorth,1,2,9\nSouth,4,2,8\n",
        "2023,2024,2025\n100,250,300\n120,200,310\n",
        "Task,Open\na,Open\nb,\n",
        "Fruit,Urgent\nApple,Urgent\nPear,\n",
        "Company,,Address,\na,b,c,d\n",
        ",name,value\n0,Ann,1\n1,Bob,2\n",
        "Status,Kind\nStatus,x\nb,y\n",
    ];
    for text in titled {
        let found = preview(&p, text.as_bytes(), json!({})).await;
        assert_eq!(found["hasHeader"], true, "{text}");
    }
}

#[tokio::test]
async fn one_cell_that_comes_again_in_a_long_file_makes_no_row_of_titles_data() {
    let p = start().await;
    let rows: String = (0..30).map(|n| format!("a{n},b{n},c{n}\n")).collect();
    for (more, has_header, note) in [
        ("", true, None),
        ("Ware,x,y\n", true, Some("Assumed: the first row has titles")),
        ("Ware,x,y\nx,Farbe,y\n", false, Some("Assumed: the first row has no titles")),
    ] {
        let found = preview(&p, format!("Ware,Farbe,Ort\n{rows}{more}").as_bytes(), json!({})).await;
        assert_eq!(found["hasHeader"], has_header, "{more}");
        let notes = found["notes"].as_array().unwrap();
        assert_eq!(notes.is_empty(), note.is_none(), "{notes:?}");
        assert!(notes.iter().all(|said| said.as_str().unwrap().contains(note.unwrap())), "{notes:?}");
    }
    // Said, it is no guess.
    let text = b"Ann,red,Rome\nBob,blue,Oslo\nCat,red,Bonn\n";
    assert_eq!(preview(&p, text, json!({})).await["notes"].as_array().unwrap().len(), 1);
    for header in [true, false] {
        assert_eq!(preview(&p, text, json!({"header": header})).await["notes"], json!([]));
    }
}

#[tokio::test]
async fn a_sign_of_replacement_that_the_file_itself_has_is_not_told_as_bad_bytes() {
    let p = start().await;
    let bytes = [b"Name,Note\na,".as_slice(), "\u{fffd} \u{fffd}".as_bytes(), b"\nb,x\xffy\nc,\xef\xbf\xbd\n"].concat();
    let found = preview(&p, &bytes, json!({})).await;
    let lines: Vec<_> = found["problems"].as_array().unwrap().iter().map(|problem| &problem["line"]).collect();
    assert_eq!((lines, &found["encoding"]), (vec![&json!(3)], &json!("UTF-8")));
    assert_eq!(found["sampleRows"][1][1], "x\u{fffd}y");
}

#[tokio::test]
async fn the_caller_says_whether_the_first_row_holds_titles() {
    let p = start().await;
    let text = b"Ann,red,Berlin\nBob,blue,Paris\nCat,green,Rome\n";
    assert_eq!(preview(&p, text, json!({})).await["hasHeader"], true);
    let found = preview(&p, text, json!({"header": false})).await;
    assert_eq!((&found["hasHeader"], &found["rowsTaken"]), (&json!(false), &json!(3)));
    assert_eq!(titles(&found), ["Column 1", "Column 2", "Column 3"]);
    let (answer, items) = rows(&p, text, json!({"header": false})).await;
    assert_eq!(items[0], json!({"": "Items/Ann", "Column 2": "red", "Column 3": "Berlin"}));
    // Into the board that there is too.
    let more = b"Bob,green,Paris\nDan,red,Oslo\n";
    let into = json!({"boardId": answer["board"]["id"], "key": 0, "header": false});
    let update = json_of(&send(&p, more, into).await.unwrap());
    assert_eq!((&update["added"], &update["changed"]), (&json!(1), &json!(1)), "{update}");
    let found = preview(&p, b"1,2\n3,4\n", json!({"header": true})).await;
    assert_eq!((titles(&found), &found["rowsTaken"]), (vec!["1", "2"], &json!(1)));
}

#[tokio::test]
async fn the_caller_says_how_a_text_is_read() {
    let p = start().await;
    let mac = b"Name,Ort\nJ\x9frgen,K\x9aln\n";
    let (_, items) = rows(&p, mac, json!({"encoding": "macintosh"})).await;
    assert_eq!(items[0], json!({"": "Items/Jürgen", "Ort": "Köln"}));
    assert_eq!(preview(&p, mac, json!({"encoding": "macintosh"})).await["encoding"], "macintosh");
    let utf16: Vec<u8> = "Naam;Plaats\n東京;Zoë\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(titles(&preview(&p, &utf16, json!({"encoding": "UTF-16LE"})).await), ["Naam", "Plaats"]);
    for (delimiter, sign) in [(":", ":"), ("#", "#"), ("tab", "\t"), ("\t", "\t"), ("semicolon", ";")] {
        let text = format!("Name{sign}Note\na{sign}\"x{sign}y\"\n");
        let found = preview(&p, text.as_bytes(), json!({"delimiter": delimiter})).await;
        assert_eq!((titles(&found), &found["delimiter"]), (vec!["Name", "Note"], &json!(sign)));
        assert_eq!(found["sampleRows"][0][1], format!("x{sign}y"));
    }
    // Signs of quotes that quote nothing.
    let text = b"Name,Size\nPipe,\"5\nRod,6\n";
    refused(send(&p, text, json!({"dryRun": true})).await, "open-quote");
    let found = preview(&p, text, json!({"quote": "none"})).await;
    assert_eq!((&found["sampleRows"][0][1], &found["quote"]), (&json!("\"5"), &json!("none")));
    let found = preview(&p, b"Name,Size\nPipe,'5,0'\nRod,6\n", json!({"quote": "'"})).await;
    assert_eq!(found["sampleRows"][0][1], "5,0");
    let open = refused(send(&p, b"Name,Size\nPipe,'5,0\n", json!({"quote": "'"})).await, "open-quote");
    assert!(open.detail().starts_with("A quote (') opened in the row on line 2"), "{}", open.detail());
    let wrong = [
        (json!({"encoding": "klingon"}), "windows-1252"),
        (json!({"delimiter": "ab"}), "semicolon"),
        (json!({"delimiter": "\""}), "semicolon"),
        (json!({"delimiter": ""}), "semicolon"),
        (json!({"quote": "x"}), "none"),
        (json!({"header": "perhaps"}), "true or false"),
    ];
    for (wish, accepted) in wrong {
        let problem = refused(send(&p, b"a,b\n", wish).await, "invalid-input").problem();
        assert!(problem.to_string().contains(accepted) && problem["status"] == 422, "{problem}");
    }
    // What a file says of itself is not overruled; records and workbooks have no such signs.
    let marked = b"\xef\xbb\xbfName\na\n";
    refused(send(&p, marked, json!({"encoding": "windows-1252"})).await, "invalid-input");
    for wish in
        [json!({"encoding": "UTF-8"}), json!({"delimiter": ","}), json!({"quote": "'"}), json!({"header": true})]
    {
        refused(send(&p, br#"[{"Name": "a"}]"#, wish).await, "invalid-input");
    }
    assert_no_file_left(&p);
}

#[tokio::test]
async fn quotes_of_other_forms_are_found_out() {
    let p = start().await;
    let (answer, items) = rows(&p, &file("single-quotes.csv"), json!({})).await;
    let expected = json!([
        {"": "Items/Apples", "Note": "red, ripe", "Count": 1},
        {"": "Items/Pears", "Note": "it's late", "Count": 2},
        {"": "Items/Plums", "Note": "two\nlines", "Count": 3},
    ]);
    assert_eq!((&items, &answer["problemCount"]), (&expected, &json!(0)));
    assert_eq!(preview(&p, &file("single-quotes.csv"), json!({})).await["quote"], "'");
    let (answer, items) = rows(&p, &file("backslash-quotes.csv"), json!({})).await;
    let expected = json!([
        {"": "Items/Ann", "Says": "say \"hi\" now", "Path": "C:\\new"},
        {"": "Items/Bob", "Says": "one, \"two\", three", "Path": "C:\\old"},
        {"": "Items/Cat", "Says": "a \"doubled\" one", "Path": "plain"},
    ]);
    assert_eq!((&items, &answer["problemCount"]), (&expected, &json!(0)));
    assert_eq!(preview(&p, &file("backslash-quotes.csv"), json!({})).await["escape"], "\\");
    let (answer, items) = rows(&p, &file("spaced-quotes.csv"), json!({})).await;
    let expected = json!([
        {"": "Items/Apples", "Note": "red, ripe", "Count": 1},
        {"": "Items/Pears", "Note": "say \"no\"", "Count": 2},
        {"": "Items/Plums", "Note": "two\nlines", "Count": 3},
    ]);
    assert_eq!((&items, &answer["problemCount"]), (&expected, &json!(0)));
    // Both, in a file longer than what is looked at and than a piece that is read, with the line of what does not fit.
    let row = "\"Ann\", \"say \\\"a, b\\\" now\", \"C:\\\\x\"\n";
    let long = format!("\"Name\", \"Says\", \"Path\"\n{}\"Bob\", \"x\"\n", row.repeat(60_000));
    let found = preview(&p, long.as_bytes(), json!({})).await;
    assert_eq!(found["rowsTaken"], 60_001);
    assert_eq!(found["sampleRows"][0], json!(["Ann", "say \"a, b\" now", "C:\\x"]));
    assert_eq!((&found["problems"][0]["line"], found["problems"].as_array().unwrap().len()), (&json!(60_002), 1));
}

#[tokio::test]
async fn signs_that_quote_nothing_stay() {
    let p = start().await;
    let cases = [
        // Folders end with a backslash.
        ("Name,Folder,Kind\na,\"C:\\dir\\\",\"x\"\nb,\"C:\\two\\\",\"y\"\n", json!(["a", "C:\\dir\\", "x"])),
        ("Name,Size\na,\"5\"\" x 3\"\"\"\nb,5\"\n", json!(["a", "5\" x 3\""])),
        ("Name,Said\nAnn,'tis late\nBob,it's 'so'\n", json!(["Ann", "'tis late"])),
        ("Name,Command\nlist,'ls -l'\nend,exit\n", json!(["list", "'ls -l'"])),
        ("Name,Formula\na,'=1+1\nb,'-x\n", json!(["a", "=1+1"])),
        ("Name,Who\na, Ann \"the\" Cat\nb, Bob\n", json!(["a", " Ann \"the\" Cat"])),
        ("Name,Note\na,x \"y\" z\nb,\\\"q\n", json!(["a", "x \"y\" z"])),
        ("Name;Note\n'a;1\nb';2\n", json!(["'a", "1"])),
    ];
    for (text, first) in cases {
        let found = preview(&p, text.as_bytes(), json!({})).await;
        assert_eq!((&found["sampleRows"][0], &found["quote"]), (&first, &json!("\"")), "{text}");
        assert_eq!((&found["rowsTaken"], &found["problems"]), (&json!(2), &json!([])), "{text}");
    }
}

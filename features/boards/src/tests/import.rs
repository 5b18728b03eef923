use super::*;
use bytes::Bytes;
use events::{Event, HasEvents};
use futures_util::{StreamExt, stream};
use kit::op::ByteStream;
use testkit::{json_of, refused};

/// A stream of small pieces, so that reading meets every boundary.
pub(super) fn pieces(bytes: &[u8], size: usize) -> ByteStream {
    let pieces: Vec<_> = bytes.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    Box::pin(stream::iter(pieces))
}

pub(super) async fn send(p: &Program, bytes: &[u8], more: Value) -> Result<Reply, kit::Error> {
    let mut input = json!({"workspaceId": WORKSPACE});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    send_as(p, "text/csv", bytes, input).await
}

/// Sends a file as it is announced.
pub(super) async fn send_as(p: &Program, media: &str, bytes: &[u8], input: Value) -> Result<Reply, kit::Error> {
    let mut call = Call::new(owner());
    call.upload = Some((media.to_owned(), pieces(bytes, 777)));
    p.call(call, "boards.import", input).await
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/testdata/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The preview of a file, in short: encoding, delimiter, rows, and `title:type` of each column.
async fn preview(p: &Program, name: &str) -> (String, Value) {
    let preview = json_of(&send(p, &file(name), json!({"dryRun": true})).await.unwrap());
    let columns = preview["columns"].as_array().unwrap().iter().map(|c| {
        let kind = c.get("type").unwrap_or(&c["role"]).as_str().unwrap();
        format!("{}:{kind}", c["title"].as_str().unwrap())
    });
    let columns = columns.collect::<Vec<_>>().join(" ");
    let of = |key: &str| preview[key].to_string().replace('"', "");
    (format!("{} {} {} | {columns}", of("encoding"), of("delimiter"), of("rowsEstimated")), preview)
}

/// Imports and reads back: each item as `group/name` with its cells by title, labels and members by what they say.
async fn imported(p: &Program, name: &str) -> (Value, Vec<Value>) {
    let reply = send(p, &file(name), json!({"name": name})).await.unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(reply.status, 201);
    let answer = json_of(&reply);
    let full = full_json(p, answer["board"]["id"].as_str().unwrap()).await;
    (answer, read_back(&full))
}

pub(super) fn read_back(full: &Value) -> Vec<Value> {
    let list = |value: &Value, key: &str| value[key].as_array().unwrap().clone();
    let named = |key: &str, id: &Value| list(full, key).iter().find(|x| &x["id"] == id).unwrap()["name"].clone();
    let items = list(full, "items").into_iter().map(|item| {
        let group = named("groups", &item["groupId"]);
        let mut out = serde_json::Map::new();
        let mut name = format!("{}/", group.as_str().unwrap());
        if item["parentId"].is_string() {
            name += &format!("{} > ", named("items", &item["parentId"]).as_str().unwrap());
        }
        name += item["name"].as_str().unwrap();
        out.insert("".into(), json!(name));
        for column in list(full, "columns") {
            let Some(cell) = item["cells"].get(column["id"].as_str().unwrap()) else { continue };
            let shown = match column["type"].as_str().unwrap() {
                "status" | "dropdown" => {
                    let labels = column["settings"]["labels"].as_array().unwrap();
                    labels.iter().find(|l| &l["id"] == cell).unwrap()["text"].clone()
                }
                "people" => cell.as_array().unwrap().iter().map(|id| named("members", id)).collect(),
                _ => cell.clone(),
            };
            out.insert(column["title"].as_str().unwrap().to_owned(), shown);
        }
        Value::Object(out)
    });
    items.collect()
}

#[tokio::test]
async fn columns_are_found_out() {
    let p = start().await;
    let cases = [
        (
            "jira.csv",
            "UTF-8 , 4 | Summary:name Issue key:text Issue Type:dropdown Status:status Priority:dropdown Assignee:people Reporter:people \
            Created:date Due date:date Labels:tags Story Points:number Description:longText",
        ),
        (
            "trello.csv",
            "UTF-8 , 3 | Card ID:text Card Name:name Card URL:link Card Description:longText Labels:tags Members:dropdown Due Date:date \
            List Name:group Archived:checkbox",
        ),
        ("monday.csv", "UTF-8 , 4 | Name:name Person:people Status:status Date:date Budget:number Progress:progress"),
        (
            "linear.csv",
            "UTF-8 , 3 | ID:text Team:dropdown Title:name Description:longText Status:status Estimate:number Priority:dropdown Project:dropdown \
            Creator:people Assignee:people Labels:tags Created:date Completed:date Due Date:date",
        ),
        (
            "german.csv",
            "UTF-8 ; 3 | Aufgabe:name Status:status Verantwortlich:dropdown Fällig:date Kosten:number Anteil:number Fertig:checkbox",
        ),
        ("tabs.tsv", "UTF-8 \\t 3 | task:name type:dropdown done:checkbox hours:number phone:phone website:link"),
        ("preamble.csv", "UTF-8 , 3 | Order:name Customer:text Date:date Total:number"),
        ("noheader.csv", "UTF-8 , 3 | Column 1:name Column 2:number Column 3:date"),
        ("sections.csv", "UTF-8 , 4 | Task:name Section:group Estimate:text Stage:status"),
        ("crlf-bom.csv", "UTF-8 , 3 | Name:name Status:status"),
        ("utf16-excel.txt", "UTF-16LE \\t 2 | Name:name Stadt:text Betrag:number"),
        ("windows-1252.csv", "windows-1252 ; 3 | Name:name Ort:text Bemerkung:text"),
        ("ragged.csv", "UTF-8 , 7 | Name:name Count:number Note:text"),
    ];
    for (name, expected) in cases {
        let (found, preview) = preview(&p, name).await;
        let expected = expected.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{name}: {preview}");
    }
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0], "a preview keeps nothing");
}

#[tokio::test]
async fn values_arrive_as_they_were_meant() {
    let p = start().await;
    let (_, rows) = imported(&p, "jira.csv").await;
    let first = json!({
        "": "Items/Login fails on slow networks", "Issue key": "APP-1", "Issue Type": "Bug", "Status": "To Do", "Priority": "High",
        "Assignee": ["Anna Berg"], "Reporter": ["Ben Ito"], "Created": "2026-01-12", "Due date": "2026-01-31",
        "Labels": ["auth", "network"], "Story Points": 3, "Description": "Steps:\n1. Throttle\n2. Log in",
    });
    assert_eq!(rows[0], first);
    assert_eq!(rows[2][""], "Items/Rename \"Board\" to \"Project\"");

    let (_, rows) = imported(&p, "monday.csv").await;
    let expected = json!([
        {"": "This week/Landing page", "Person": ["Anna Berg"], "Status": "Working on it", "Date": "2026-03-02", "Budget": 1200, "Progress": 40},
        {"": "This week/Press text", "Person": ["Ben Ito"], "Status": "Done", "Date": "2026-03-04", "Budget": 300.5, "Progress": 100},
        {"": "Next week/Photos", "Person": ["Anna Berg", "Ben Ito"], "Status": "Stuck", "Date": "2026-03-11", "Budget": -1050, "Progress": 0},
        {"": "Next week/Retrospective", "Status": "Working on it", "Progress": 10},
    ]);
    assert_eq!(json!(rows), expected);

    let (_, rows) = imported(&p, "german.csv").await;
    let first = json!({
        "": "Items/Fenster streichen", "Status": "offen", "Verantwortlich": "Müller", "Fällig": "2026-04-03", "Kosten": 1234.5,
        "Anteil": 12.5, "Fertig": false,
    });
    assert_eq!(rows[0], first);
    let (_, rows) = imported(&p, "preamble.csv").await;
    assert_eq!(rows[1], json!({"": "Items/A-2", "Customer": "South", "Date": "2026-01-15", "Total": 2500}));
    assert_eq!(rows[2], json!({"": "Items/A-3", "Customer": "North", "Date": "2026-02-03"}));
    let (_, rows) = imported(&p, "sections.csv").await;
    assert_eq!(rows[2], json!({"": "House/Paint", "Estimate": "5h", "Stage": "closed"}));
    let (_, rows) = imported(&p, "utf16-excel.txt").await;
    assert_eq!(rows[1], json!({"": "Items/Zoë", "Stadt": "東京", "Betrag": 20.25}));
    let (_, rows) = imported(&p, "windows-1252.csv").await;
    assert_eq!(rows[0], json!({"": "Items/Jürgen", "Ort": "Köln", "Bemerkung": "für später – „bald“"}));
    let (_, rows) = imported(&p, "tabs.tsv").await;
    assert_eq!(rows[0]["phone"], "+49 30 1234567");
}

#[tokio::test]
async fn settings_notes_and_labels_come_along() {
    let p = start().await;
    let (_, german) = preview(&p, "german.csv").await;
    let settings = |preview: &Value, index: usize| preview["columns"][index]["settings"].clone();
    assert_eq!(settings(&german, 4), json!({"currency": "EUR", "decimals": 2}));
    assert_eq!(settings(&german, 5), json!({"percent": true, "decimals": 1}));
    let done: Vec<_> = settings(&german, 1)["labels"].as_array().unwrap().iter().map(|l| l["done"].clone()).collect();
    assert_eq!(done, [false, true]);
    assert!(german["columns"][2]["notes"][0].as_str().unwrap().contains("Müller"));
    let dates = json_of(&send(&p, b"Name,Day\na,1/2/2026\nb,3/4/2026\n", json!({"dryRun": true})).await.unwrap());
    assert!(dates["columns"][1]["notes"][0].as_str().unwrap().starts_with("Ambiguous"));
    assert_eq!(settings(&preview(&p, "monday.csv").await.1, 4), json!({"currency": "USD", "decimals": 2}));
}

#[tokio::test]
async fn fields_of_a_short_row_are_counted_in_words() {
    let p = start().await;
    let answer = json_of(&send(&p, b"Name,Day,Who\na,b\nc\nd,e,f\n", json!({"dryRun": true})).await.unwrap());
    let told: Vec<_> = answer["problems"].as_array().unwrap().iter().map(|x| x["detail"].as_str().unwrap()).collect();
    let rest = "of 3; the rest are empty.";
    assert_eq!(told, [format!("The row has 2 fields {rest}"), format!("The row has 1 field {rest}")]);
}

#[tokio::test]
async fn problems_name_the_real_lines() {
    let p = start().await;
    let (answer, rows) = imported(&p, "ragged.csv").await;
    let problems: Vec<_> =
        answer["problems"].as_array().unwrap().iter().map(|x| format!("{} {}", x["line"], x["code"])).collect();
    assert_eq!(problems, ["4 \"short-row\"", "5 \"long-row\"", "7 \"no-name\""]);
    assert_eq!(
        (&answer["rowsImported"], &answer["rowsSkipped"], &answer["problemCount"]),
        (&json!(6), &json!(1), &json!(3))
    );
    assert_eq!(rows[4][""], "Items/six lines");
    let types = json!([{"index": 1, "type": "date"}]).to_string();
    let text = b"\xef\xbb\xbfName,When\r\n\"a\r\nb\",2026-01-01\r\n\r\nc,never\r\n\"d\",2026-01-02\r\ne,later";
    let answer = json_of(&send(&p, text, json!({"columns": types})).await.unwrap());
    let lines: Vec<_> = answer["problems"].as_array().unwrap().iter().map(|x| x["line"].clone()).collect();
    assert_eq!((lines, &answer["rowsImported"]), (vec![json!(5), json!(7)], &json!(4)));
}

#[tokio::test]
async fn a_chosen_type_notes_what_it_drops_and_changes() {
    let p = start().await;
    let text = "Name,Cost,State,Due,Done,Who\n\
        a,$5,Open,2026-01-05 10:00,yes,Nobody Known\n\
        b,7 €,open,2026-01-06,no,\n\
        c,soon,OPEN,next week,maybe,\n\
        d,8,Closed,n/a,,\n";
    let types = ["number", "status", "date", "checkbox", "people"];
    let types: Vec<_> = types.iter().zip(1..).map(|(kind, index)| json!({"index": index, "type": kind})).collect();
    let columns = serde_json::to_string(&types).unwrap();
    let expected = [
        ("Cost", "1 of 4 values aren't numbers (“soon”): those cells aren't imported."),
        (
            "Cost",
            "Amounts have different currencies (USD, EUR), and some have none: imported as plain numbers, not converted.",
        ),
        ("State", "Labels that differ only in case stay separate: “Open” and “open” and “OPEN”."),
        ("Due", "1 of 3 values aren't dates (“next week”): those cells aren't imported."),
        ("Due", "1 placeholder value (such as - or n/a) becomes empty."),
        ("Due", "Times are dropped because date columns store only days."),
        ("Done", "1 of 3 values aren't yes or no (“maybe”): those cells aren't imported."),
        ("Who", "No members are named Nobody Known: those cells aren't imported."),
    ];
    for dry_run in [true, false] {
        let sent = send(&p, text.as_bytes(), json!({"columns": columns, "dryRun": dry_run})).await;
        let answer = json_of(&sent.unwrap());
        let of = answer[if dry_run { "columns" } else { "notes" }].as_array().unwrap();
        let notes: Vec<(&str, &str)> = of
            .iter()
            .flat_map(|of| of["notes"].as_array().unwrap().iter().map(|note| (of["title"].as_str().unwrap(), note)))
            .map(|(title, note)| (title, note.as_str().unwrap()))
            .collect();
        assert_eq!(notes, expected, "dryRun {dry_run}");
    }
    // What the column shows or takes isn't noted.
    let plain = "Name,Cost,State\na,5 €,Open\nb,7 €,Closed\n";
    let columns = json!([{"index": 1, "type": "number"}, {"index": 2, "type": "dropdown"}]).to_string();
    let answer = json_of(&send(&p, plain.as_bytes(), json!({"columns": columns})).await.unwrap());
    assert_eq!(answer["notes"], json!([]), "{answer}");
    // A currency that the caller sets doesn't convert amounts, and its labels take no others.
    let settings = json!([
        {"index": 1, "type": "number", "settings": {"currency": "USD"}},
        {"index": 2, "type": "status", "settings": {"labels": [{"text": "Open"}]}},
    ]);
    let answer = json_of(&send(&p, plain.as_bytes(), json!({"columns": settings.to_string()})).await.unwrap());
    assert_eq!(answer["notes"][0]["notes"], json!(["Amounts are in EUR: all are shown as USD, not converted."]));
    let labels = json!(["1 of 2 values aren't labels of the column (“Closed”): those cells aren't imported."]);
    assert_eq!(answer["notes"][1]["notes"], labels, "{answer}");
}

#[tokio::test]
async fn stop_keeps_nothing_and_says_where() {
    let p = start().await;
    let types = json!([{"index": 1, "type": "number"}]).to_string();
    let outcome = send(&p, b"Name,N\na,1\nb,two\nc,three\n", json!({"columns": types, "onError": "stop"})).await;
    let problem = refused(outcome, "import-stopped").problem();
    assert_eq!((&problem["problems"][0]["line"], &problem["problems"][0]["column"]), (&json!(3), &json!("N")));
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
    assert_no_file_left(&p);
}

#[tokio::test]
async fn stop_ends_an_import_at_the_value_that_keeps_a_column_from_its_type() {
    let p = start().await;
    let text = "Name,Amount,Due\na,1,2026-01-05\nb,2,2026-01-06\nc,3,2026-02-30\nd,x,2026-01-07\ne,5,2026-01-08\n";
    let stop = json!({"onError": "stop"});
    let refusal = refused(send(&p, text.as_bytes(), stop.clone()).await, "import-stopped");
    let why = "4 of 5 values of the column are of type date, and “2026-02-30” isn't a date. Choose the type date to skip such \
         cells, or text to import them.";
    assert_eq!(refusal.detail(), format!("Line 4: {why}"));
    let problems = &refusal.problem()["problems"];
    assert_eq!((&problems[0]["column"], &problems[1]["line"]), (&json!("Due"), &json!(5)), "{problems}");
    assert_no_file_left(&p);
    // As it was chosen, and without it, everything comes in.
    let columns = json!([{"index": 1, "type": "text"}, {"index": 2, "type": "text"}]).to_string();
    for more in [json!({"onError": "stop", "columns": columns}), json!({})] {
        let made = json_of(&send(&p, text.as_bytes(), more).await.unwrap());
        assert_eq!((&made["rowsImported"], &made["problemCount"]), (&json!(5), &json!(0)), "{made}");
    }
    // A preview says it beforehand, and the type that is chosen stops at the same line.
    let looked = super::tools::preview(&p, text.as_bytes(), stop).await;
    assert_eq!(looked["problems"], *problems, "what it would be stopped at");
    assert!(looked["columns"][2]["notes"][0].as_str().unwrap().starts_with("1 of 5 values isn't a date"), "{looked}");
    let columns = json!([{"index": 1, "type": "text"}, {"index": 2, "type": "date"}]).to_string();
    let refusal =
        refused(send(&p, text.as_bytes(), json!({"onError": "stop", "columns": columns})).await, "import-stopped");
    assert!(refusal.detail().starts_with("Line 4: "), "{}", refusal.detail());
}

pub(super) fn assert_no_file_left(p: &Program) {
    let left = std::fs::read_dir(p.dir().join("imports")).unwrap().count();
    assert_eq!(left, 0, "no received file is left");
}

#[tokio::test]
async fn a_new_board_is_in_the_only_workspace_unless_another_is_named() {
    let p = start().await;
    let import = async |p: &Program| send_as(p, "text/csv", b"Name,N\na,1\n", json!({})).await;
    assert_eq!(json_of(&import(&p).await.unwrap())["board"]["workspaceId"], WORKSPACE);
    let made = p.owner("boards.create", json!({"name": "B", "preset": "blank"})).await.unwrap();
    assert_eq!(made["workspaceId"], WORKSPACE);
    let second = |tx: &mut store::Tx<'_>| {
        let row = params![ACCOUNT, "w-second", "Second", START_MS];
        tx.execute("INSERT INTO workspaces (account_id, workspace_id, name, created_ms) VALUES ($1, $2, $3, $4)", row)
    };
    p.ctx.db().write(second).await.unwrap();
    for refusal in [
        import(&p).await.map(|_| ()),
        p.owner("boards.create", json!({"name": "B", "preset": "blank"})).await.map(|_| ()),
    ] {
        let error = refused(refusal, "invalid-input");
        assert_eq!((&*error.fields()[0].pointer, error.fields()[0].code.name()), ("/workspaceId", "missing"));
    }
}

#[tokio::test]
async fn the_caller_may_know_better() {
    let p = start().await;
    let columns = json!([
        {"index": 1, "title": "State", "type": "status", "settings": {"labels": [{"text": "Open"}, {"text": "Closed", "done": true}]}},
        {"index": 2, "skip": true},
        {"index": 3, "type": "text"},
    ]);
    let input = json!({"name": "Mine", "columns": columns.to_string()});
    let answer = json_of(&send(&p, b"Name,S,T,U\na,Open,x,1\nb,Closed,y,2\nc,Odd,z,3\n", input).await.unwrap());
    assert_eq!((&answer["board"]["name"], &answer["rowsSkipped"]), (&json!("Mine"), &json!(0)));
    let rows = read_back(&full_json(&p, answer["board"]["id"].as_str().unwrap()).await);
    assert_eq!(
        json!(rows),
        json!([
            {"": "Items/a", "State": "Open", "U": "1"},
            {"": "Items/b", "State": "Closed", "U": "2"},
            {"": "Items/c", "U": "3"},
        ])
    );
    // A column is named by its title in the file as well, which then stays.
    let by_title = json!([{"title": " u ", "type": "text"}, {"title": "T", "skip": true}]).to_string();
    let input = json!({"dryRun": true, "columns": by_title});
    let seen = json_of(&send(&p, b"Name,S,T,U\na,Open,x,1\n", input).await.unwrap());
    assert_eq!((&seen["columns"][3]["title"], &seen["columns"][3]["type"]), (&json!("U"), &json!("text")));
    assert_eq!(seen["columns"][2]["role"], "skip");
    for (columns, says) in [
        (json!([{"title": "V"}]), "The file has no column titled V."),
        (json!([{"title": "t"}]), "Several columns of the file are titled t."),
        (json!([{"type": "text"}]), "Each column needs an `index` or a `title`."),
        (json!([{"index": 1, "kind": "text"}]), "role, type, settings, skip, columnId"),
    ] {
        let error =
            refused(send(&p, b"Name,T,T\na,x,y\n", json!({"columns": columns.to_string()})).await, "invalid-input");
        assert!(error.detail().contains(says), "{error}");
    }
    for bad in [json!([{"index": 9}]), json!([{"index": 1, "type": "moon"}]), json!({})] {
        refused(send(&p, b"Name,S\na,b\n", json!({"columns": bad.to_string()})).await, "invalid-input");
    }
}

#[tokio::test]
async fn what_is_no_table_is_refused() {
    let p = start().await;
    let (wide, very_wide) = (vec!["x"; 16_385].join(","), vec!["title"; 1_000_000].join(","));
    let columns: Vec<_> = (0..502).map(|i| format!("t{i}")).collect();
    let board_wide = format!("{}\n", columns.join(","));
    let cases: [(&[u8], &str); 10] = [
        (b"", "empty-file"),
        (b" \r\n\n", "empty-file"),
        (b"\xef\xbb\xbf", "empty-file"),
        (b"PK\x03\x04rest of a workbook", "not-a-table"),
        (b"Name,B\na,\0b\n", "not-a-table"),
        (b"\x01\x02\x03\x04\x05", "not-a-table"),
        (wide.as_bytes(), "too-many-columns"),
        (very_wide.as_bytes(), "too-many-columns"),
        (board_wide.as_bytes(), "too-many-columns"),
        (b"sep=;\n", "empty-file"),
    ];
    for (bytes, code) in cases {
        let refusal = refused(send(&p, bytes, json!({})).await, code);
        let says = refusal.detail();
        assert!(!bytes.ends_with(b"title") || says.contains("has more than 16384 columns"), "{says}");
    }
    let bad_utf8 = [b"Name,B\n".as_slice(), &b"\xc3\xa4\xc3\xb6,b\n".repeat(50), b"a,\xff\n"].concat();
    let preview = json_of(&send(&p, &bad_utf8, json!({"dryRun": true})).await.unwrap());
    assert_eq!((&preview["encoding"], &preview["problems"][0]["line"]), (&json!("UTF-8"), &json!(52)));
    refused(p.owner("boards.import", json!({"workspaceId": WORKSPACE})).await, "wrong-content-type");
    refused(send(&p, b"a\n", json!({"workspaceId": OTHER_WORKSPACE})).await, "named-not-found");
    refused(send(&p, b"a\n", json!({"importId": "a/b"})).await, "invalid-input");
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
    assert_no_file_left(&p);
}

#[tokio::test]
async fn a_form_names_the_board_after_its_file() {
    let p = start().await;
    let form = "--B\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--B\r\nContent-Disposition: form-data; name=\"file\"; \
        filename=\"C:\\\\data\\\\Spring plan.csv\"\r\n\r\nName\r\nA\r\n--B--\r\n";
    for (content_type, body, outcome) in [
        ("multipart/form-data; boundary=B", form, Ok("Spring plan")),
        ("multipart/form-data", form, Err("wrong-content-type")),
        ("multipart/form-data; boundary=C", form, Err("upload-broken")),
        ("multipart/form-data; boundary=B", "--B--\r\n", Err("invalid-input")),
    ] {
        let mut call = Call::new(owner());
        call.upload = Some((content_type.to_owned(), pieces(body.as_bytes(), 7)));
        let reply = p.call(call, "boards.import", json!({"workspaceId": WORKSPACE})).await;
        match outcome {
            Ok(name) => assert_eq!(json_of(&reply.unwrap())["board"]["name"], name),
            Err(code) => drop(refused(reply, code)),
        }
    }
    assert_no_file_left(&p);
}

#[tokio::test]
async fn one_change_and_progress_are_told_for_an_import() {
    let p = start().await;
    let (_, mut heard) = p.ctx.events().listen(None);
    let answer = json_of(&send(&p, &file("noheader.csv"), json!({"importId": "mine"})).await.unwrap());
    let id = answer["board"]["id"].as_str().unwrap().to_owned();
    let changes = p.ctx.db().read(|tx| tx.changes(ACCOUNT, "", "", None, 10)).await.unwrap();
    assert_eq!((changes.len(), &changes[0].subject_id), (1, &id));
    let mut phases = Vec::new();
    while let Ok(told) = heard.try_recv() {
        match told.event {
            Event::ImportProgress { phase, rows, import_id, .. } => {
                assert_eq!(import_id, "mine");
                phases.push((phase, rows));
            }
            Event::ItemsImported { board_id, items, .. } => assert_eq!((board_id, items), (id.clone(), 3)),
            other => assert_eq!(other, Event::BoardChanged { board_id: id.clone(), revision: 1 }),
        }
    }
    assert_eq!(phases, [("receiving", 0), ("reading", 0), ("loading", 3), ("done", 3)]);
}

/// An upload that has sent some rows and sends nothing more.
fn endless() -> ByteStream {
    Box::pin(stream::iter([Ok(Bytes::from_static(b"Name,B\na,1\n"))]).chain(stream::pending()))
}

fn endless_call() -> (Call, Value) {
    let mut call = Call::new(owner());
    call.upload = Some(("text/csv".to_owned(), endless()));
    (call, json!({"workspaceId": WORKSPACE, "importId": "slow"}))
}

#[tokio::test]
async fn a_canceled_import_leaves_nothing() {
    let p = start().await;
    let (call, input) = endless_call();
    let (_, mut heard) = p.ctx.events().listen(None);
    let import = p.call(call, "boards.import", input);
    let cancel = async {
        heard.recv().await.unwrap();
        refused(p.as_caller(other_owner(), "boards.import.cancel", json!({"importId": "slow"})).await, "not-found");
        refused(send(&p, b"a\n", json!({"importId": "slow"})).await, "import-id-taken");
        p.owner("boards.import.cancel", json!({"importId": "slow"})).await.unwrap();
    };
    let (imported, ()) = tokio::join!(import, cancel);
    refused(imported, "import-cancelled");
    refused(p.owner("boards.import.cancel", json!({"importId": "slow"})).await, "not-found");
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
    p.restart().await;
}

#[tokio::test]
async fn cancelling_while_rows_are_stored_leaves_nothing() {
    let p = start().await;
    let mut table = String::from("Name,N\n");
    (0..12_000).for_each(|i| table.push_str(&format!("row {i},{i}\n")));
    let (_, mut heard) = p.ctx.events().listen(None);
    let import = send(&p, table.as_bytes(), json!({"importId": "big"}));
    let cancel = async {
        while !matches!(heard.recv().await.unwrap().event, Event::ImportProgress { phase: "loading", .. }) {}
        assert_eq!(
            p.owner("boards.list", json!({})).await.unwrap()["items"],
            json!([]),
            "shown nowhere while it loads"
        );
        p.owner("boards.import.cancel", json!({"importId": "big"})).await.unwrap();
    };
    let (imported, ()) = tokio::join!(import, cancel);
    refused(imported, "import-cancelled");
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_nothing() {
    let p = start().await;
    let (_, mut heard) = p.ctx.events().listen(None);
    let (call, input) = endless_call();
    tokio::select! {
        _ = p.call(call, "boards.import", input) => panic!("the upload does not end"),
        told = heard.recv() => drop(told.unwrap()),
    }
    let told = heard.try_recv().unwrap().event;
    assert!(matches!(told, Event::ImportProgress { phase: "cancelled", .. }), "who follows it waits no longer");
    refused(p.owner("boards.import.cancel", json!({"importId": "slow"})).await, "not-found");
    let p = p.restart().await;
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
}

#[tokio::test]
async fn leftovers_of_a_stopped_program_go_at_the_next_start() {
    let p = start().await;
    let answer = json_of(&send(&p, &file("jira.csv"), json!({})).await.unwrap());
    let id = answer["board"]["id"].as_str().unwrap().to_owned();
    let kept = tasks_board(&p).await;
    let half = "UPDATE boards SET state = 'importing' WHERE board_id = $1";
    p.ctx.db().write(move |tx| tx.execute(half, params![id])).await.unwrap();
    let p = p.restart().await;
    assert_eq!(rows_left(&p).await, [1, 2, 3, 0]);
    p.owner("boards.get", json!({"boardId": kept})).await.unwrap();
    // Received files go too, once it is known where they are.
    provide_dir(&p);
    std::fs::write(p.dir().join("imports/left.part"), "x").unwrap();
    crate::import::remove_spools(&p.ctx);
    assert_no_file_left(&p);
}

#[tokio::test]
async fn a_board_has_as_many_columns_as_it_may_and_no_more() {
    let p = start().await;
    let titles: Vec<_> = (0..=500).map(|i| format!("t{i}")).collect();
    let answer = json_of(&send(&p, titles.join(",").as_bytes(), json!({})).await.unwrap());
    let columns = answer["board"]["columns"].as_array().unwrap();
    assert_eq!((columns.len(), &answer["rowsImported"]), (crate::COLUMNS_MAX, &json!(0)));
    let more = json!({"boardId": answer["board"]["id"], "title": "T", "type": "text"});
    refused(p.owner("boards.columns.create", more).await, "board-limit");
}

#[tokio::test]
async fn a_quote_that_opens_late_and_lone_returns_are_survived() {
    let p = start().await;
    let answer = json_of(&send(&p, b"Name;N\ra\"b;1\rc;2", json!({})).await.unwrap());
    let rows = read_back(&full_json(&p, answer["board"]["id"].as_str().unwrap()).await);
    assert_eq!(json!(rows), json!([{"": "Items/a\"b", "N": 1}, {"": "Items/c", "N": 2}]));
}

#[tokio::test]
async fn the_answer_is_the_first_fault_and_not_that_of_the_clearing_up() {
    let p = start().await;
    let db = p.ctx.db();
    let broken = stream::once(async move {
        db.close().await;
        Err(std::io::Error::other("the client is gone"))
    });
    let mut call = Call::new(owner());
    call.upload = Some(("text/csv".to_owned(), Box::pin(broken)));
    refused(p.call(call, "boards.import", json!({"workspaceId": WORKSPACE})).await, "upload-broken");
}

#[tokio::test]
async fn no_row_is_left_out_without_a_word() {
    let p = start().await;
    // The first row names the columns, however many wider rows follow.
    let wider = "name,value\nx,1\ny,2\nz,3\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n";
    let answer = json_of(&send(&p, wider.as_bytes(), json!({})).await.unwrap());
    assert_eq!((&answer["rowsImported"], &answer["rowsSkipped"]), (&json!(3), &json!(4)), "{answer}");
    assert_eq!(answer["problemCount"], 4);
    // A row like the head is a row, unless it begins a group.
    let again = "name,value\nx,1\nname,value\ny,2\n";
    let answer = json_of(&send(&p, again.as_bytes(), json!({})).await.unwrap());
    assert_eq!((&answer["rowsImported"], &answer["rowsSkipped"]), (&json!(3), &json!(0)), "{answer}");
    // What stands above the head and is no title is named, counted, and ends an import that stops at problems.
    let above = "Account:,4711,,,\nName,Status,Owner,Amount,Date\na,Open,Ann,1,2026-01-01\nb,Open,Ann,2,2026-01-02\n";
    let answer = json_of(&send(&p, above.as_bytes(), json!({})).await.unwrap());
    assert_eq!((&answer["rowsImported"], &answer["rowsSkipped"]), (&json!(2), &json!(1)), "{answer}");
    assert_eq!((&answer["problems"][0]["code"], &answer["problems"][0]["line"]), (&json!("above-the-head"), &json!(1)));
    let preview = json_of(&send(&p, above.as_bytes(), json!({"dryRun": true})).await.unwrap());
    assert_eq!(preview["problems"][0]["code"], "above-the-head", "{preview}");
    refused(send(&p, above.as_bytes(), json!({"onError": "stop"})).await, "import-stopped");
}

#[tokio::test]
async fn a_quote_left_open_is_named_with_its_line() {
    let p = start().await;
    let open = format!("a,b\n{}\"oops,5\n{}", "ok,1\n".repeat(4), "row,6\n".repeat(100));
    // Longer than a row may be, and than what is read of the file at a time.
    let long = format!("a,b\nok,1\n\n\"oops,5\n{}", "row,6\n".repeat(3_500_000));
    let in_head = format!("a,\"b\n{}", "row,6\n".repeat(3));
    for (file, line, until) in [
        (&open, 6, "up to the end of the file"),
        (&format!("{open}\"\""), 6, "up to the end of the file"),
        (&in_head, 1, "up to the end of the file"),
        (&long, 4, "within 16 MiB"),
    ] {
        for wishes in [json!({}), json!({"onError": "stop"}), json!({"dryRun": true})] {
            let refusal = refused(send(&p, file.as_bytes(), wishes).await, "open-quote");
            let detail = format!("A quote (\") opened in the row on line {line} isn't closed {until}.");
            assert!(refusal.detail().starts_with(&detail), "{}", refusal.detail());
            assert_eq!(refusal.problem()["line"], line);
        }
    }
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
    let one_line = format!("a,b\n\"q\",1\n{}", "x ".repeat(15 * 1024 * 1024));
    let refusal = refused(send(&p, one_line.as_bytes(), json!({})).await, "row-too-long");
    assert_eq!(refusal.detail(), "The row on line 3 exceeds the limit of 16 MiB.");
    let closed = "a,b\n\"two\nlines\",5\nlast,6";
    let answer = json_of(&send(&p, closed.as_bytes(), json!({})).await.unwrap());
    assert_eq!((&answer["rowsImported"], &answer["problemCount"]), (&json!(2), &json!(0)), "{answer}");
}

/// `name,value` rows: the values in turn, then the odd ones.
fn with_odd(values: &[&str], times: usize, odd: &[&str]) -> String {
    let all = values.iter().cycle().take(times).chain(odd).enumerate();
    all.fold("Name,Value\n".to_owned(), |text, (at, value)| text + &format!("Item {at},\"{value}\"\n"))
}

#[tokio::test]
async fn a_column_that_a_few_values_keep_from_its_type_says_so_and_loses_nothing() {
    let p = start().await;
    let days: Vec<String> = (1..=28).map(|day| format!("2026-02-{day:02}")).collect();
    let days: Vec<&str> = days.iter().map(String::as_str).collect();
    let look =
        async |text: &str, more: Value| super::tools::preview(&p, text.as_bytes(), more).await["columns"][1].clone();
    let text = with_odd(&days, 409, &["tbd", "-", "soon", "tbd"]);
    let found = look(&text, json!({})).await;
    assert_eq!(found["type"], "text");
    assert_eq!(found["nearly"], json!({"type": "date", "misfits": 3, "of": 412, "examples": ["tbd", "soon", "tbd"]}));
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.starts_with("3 of 412 values aren't a date (“tbd”, “soon”, “tbd”)"), "{note}");
    // What was made says it as well, and holds every value.
    let made = json_of(&send(&p, text.as_bytes(), json!({})).await.unwrap());
    assert_eq!((&made["rowsImported"], &made["rowsSkipped"]), (&json!(413), &json!(0)));
    assert_eq!(made["notes"][0]["notes"][0], note);
    // As the type that is chosen, each of the cells is reported.
    let as_date = json!({"columns": json!([{"index": 1, "type": "date"}]).to_string()});
    let chosen = super::tools::preview(&p, text.as_bytes(), as_date).await;
    assert_eq!((&chosen["misfitRows"], &chosen["columns"][1]["nearly"]), (&json!(3), &json!(null)));

    let cases: [(&[&str], usize, &[&str], Value); 12] = [
        (&["1.5", "2", "1,200"], 30, &["much"], json!("number 1 of 31")),
        (&["1,5", "2.25"], 30, &["much"], json!("number 1 of 31")),
        (&["2026-01-05 – 2026-01-16"], 40, &["later"], json!("timeline 1 of 41")),
        (&["yes", "no"], 40, &["perhaps"], json!("checkbox 1 of 41")),
        (&["https://example.com/1"], 40, &["none yet"], json!("link 1 of 41")),
        // Of a short file, too.
        (&["2026-01-05"], 9, &["2026-02-30"], json!("date 1 of 10")),
        (&["7", "8"], 8, &["many", "few"], json!("number 2 of 10")),
        // Too many odd ones, or texts anyhow.
        (&["2026-01-05"], 3, &["soon"], json!(null)),
        (&["2026-01-05"], 20, &["a", "b", "c"], json!(null)),
        (&["2026-01-05"], 94, &["a", "b", "c", "d", "e", "f"], json!(null)),
        (&["a", "b", "c"], 60, &["2026-01-05"], json!(null)),
        (&["2026-01-05"], 40, &[], json!(null)),
    ];
    for (values, times, odd, expected) in cases {
        let nearly = look(&with_odd(values, times, odd), json!({})).await["nearly"].clone();
        let shown = match nearly.as_object() {
            Some(of) => json!(format!("{} {} of {}", of["type"].as_str().unwrap(), of["misfits"], of["of"])),
            None => json!(null),
        };
        assert_eq!(shown, expected, "{values:?} {odd:?}");
    }
    // A title that says the type is enough where most values have it.
    for (title, value, found) in
        [("Due date", "2026-01-05", "date"), ("Story points", "3", "number"), ("Note", "3", "")]
    {
        let text = with_odd(&[value], 2, &["soon"]).replace("Value", title);
        let nearly = look(&text, json!({})).await["nearly"].clone();
        assert_eq!(nearly["type"].as_str().unwrap_or_default(), found, "{title}");
    }
    // However many odd ones come first, and whatever the marks of the numbers.
    let odd_first =
        with_odd(&["none"; 90], 0, &[]) + &with_odd(&["tbd"], 90, &[])[11..] + &with_odd(&days, 4000, &[])[11..];
    assert_eq!(look(&odd_first, json!({})).await["nearly"]["misfits"], 90);
    let mixed = look(&with_odd(&["1,5", "2.25"], 30, &[]), json!({})).await;
    assert_eq!((&mixed["type"], mixed["notes"].as_array().unwrap().len()), (&json!("text"), 1), "{mixed}");
}

#[tokio::test]
async fn single_letters_are_no_ticks_unless_they_clearly_are() {
    let p = start().await;
    let kind = async |values: &[&str]| {
        let found = super::tools::preview(&p, with_odd(values, values.len(), &[]).as_bytes(), json!({})).await;
        found["columns"][1]["type"].as_str().unwrap().to_owned()
    };
    let ticks: [&[&str]; 9] = [
        &["x", "", "X"],
        &["x", "-"],
        &["y", "n", "n"],
        &["Y", "N"],
        &["Y", "y", "N"],
        &["yes", "no"],
        &["yes", "n"],
        &["TRUE", "FALSE"],
        &["✓", ""],
    ];
    for values in ticks {
        assert_eq!(kind(values).await, "checkbox", "{values:?}");
    }
    let others: [&[&str]; 8] = [
        &["x", "y"],
        &["x", "y", ""],
        &["x", "y", "z"],
        &["x", "x"],
        &["y", "y"],
        &["Y", "y", ""],
        &["n", ""],
        &["x", "n", ""],
    ];
    for values in others {
        assert_eq!(kind(values).await, "text", "{values:?}");
    }
}

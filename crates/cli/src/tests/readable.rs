//! What is inside an answer, for people: tables and lines instead of JSON.

use super::support::{Fake, Ran, World, ask, data_dir};
use crate::render::{Style, answer};
use serde_json::{Value, json};

const PLAIN: Style = Style { width_columns: None, bold: false };

#[track_caller]
fn shown(value: Value, columns: &[&str], style: Style) -> Vec<String> {
    let text = answer(&value, columns, style);
    assert!(!text.contains(['{', '[', '"']), "{text}");
    text.lines().map(str::to_owned).collect()
}

/// What a check of a file before its import says.
fn preview() -> Value {
    json!({
        "delimiter": ",", "rowsEstimated": 3, "sheets": [], "update": null,
        "columns": [
            {"index": 0, "title": "Task", "role": "name", "settings": {}, "sample": ["Write", "Send"], "notes": []},
            {"index": 1, "title": "Status", "role": "column", "notes": ["Not known: Anna."], "sample": ["Done"],
             "settings": {"labels": [{"id": "l1", "text": "Done", "color": "#00a86b", "done": true}]}},
        ],
        "problems": [{"code": "short-row", "column": "", "line": 4, "detail": "The row has 3 fields of 4."}],
        "sampleRows": [["Write", "Done"], ["Send it", ""], ["x"]],
    })
}

#[test]
fn what_is_inside_a_record_is_indented_below_its_lines() {
    assert_eq!(
        shown(preview(), &[], PLAIN),
        [
            "Delimiter       ,",
            "Rows estimated  3",
            "Sheets",
            "Update",
            "Columns",
            "  Title   Index  Notes             Role    Sample",
            "  Task    0                        name    Write, Send",
            "  Status  1      Not known: Anna.  column  Done",
            "Problems",
            "  Code       Detail                      Line",
            "  short-row  The row has 3 fields of 4.  4",
            "Sample rows",
            "  Write    Done",
            "  Send it",
            "  x",
        ]
    );
}

#[test]
fn each_line_of_a_block_fits_the_terminal() {
    let style = Style { width_columns: Some(30), bold: false };
    let lines = shown(preview(), &[], style);
    assert!(lines.iter().all(|line| crate::text::width(line) <= 30), "{lines:#?}");
    assert!(lines.contains(&"  Code       Detail       Line".to_owned()), "{lines:#?}");
    let deep = json!({"a": {"b": {"c": {"text": "one two three four five six seven"}}}});
    let lines = shown(deep, &[], style);
    assert_eq!(lines, ["A", "  B", "    C", "      Text  one two three four", "            five six seven"]);
}

#[test]
fn identifiers_keep_their_spelling() {
    let item = json!({"groupId": "g1", "cells": {"c1": "l1", "c12": null}});
    assert_eq!(shown(item, &[], PLAIN), ["Group ID  g1", "Cells", "  c1   l1", "  c12"]);
}

#[test]
fn a_record_in_a_cell_stands_on_one_line() {
    let rows = json!({"items": [
        {"at": "now", "before": null, "after": {"name": "Team", "rows": 0, "of": {"a": [1, 2]}, "none": []}},
        {"at": "now", "before": [{"id": "b1", "name": "Team"}, {"x": 1}], "after": "text"},
    ]});
    assert_eq!(
        shown(rows, &["at", "before", "after"], PLAIN),
        [
            "At   Before             After",
            "now                     name: Team, of: (a: (1, 2)), rows: 0",
            "now  Team (b1), (x: 1)  text",
        ]
    );
}

#[test]
fn where_no_width_is_known_a_text_does_not_pad_its_column_beyond_eighty() {
    let long = "word ".repeat(200);
    let lines = shown(json!({"items": [{"after": long, "id": "x"}]}), &["after", "id"], PLAIN);
    assert_eq!(lines[0], format!("After{}ID", " ".repeat(80 - 5 + 2)));
    // A file gets the whole text.
    assert_eq!(lines[1], format!("{long}  x"));
    let lines = shown(json!({"note": long}), &[], PLAIN);
    assert_eq!(lines, [format!("Note  {}", long.trim_end())]);
    let lines = shown(json!({"items": [{"id": "x", "after": long}]}), &["id", "after"], PLAIN);
    assert_eq!(lines[1], format!("x   {}", long.trim_end()));
}

#[test]
fn a_token_is_never_cut() {
    let token = "ph_cli_".to_owned() + &"0".repeat(60);
    let style = Style { width_columns: Some(20), bold: false };
    assert_eq!(shown(json!({"token": token}), &[], style), [format!("Token  {token}")]);
}

#[test]
fn items_beside_their_columns_show_their_cells_by_name() {
    let board = json!({
        "board": {"id": "b1", "name": "Team"},
        "members": [{"id": "m1", "name": "Anna"}],
        "columns": [
            {"id": "c1", "title": "Status", "type": "status", "settings": {"labels": [{"id": "l1", "text": "Done"}]}},
            {"id": "c2", "title": "Owners", "type": "people", "settings": {}},
            {"id": "c3", "title": "Budget", "type": "number", "settings": {}},
        ],
        "items": [
            {"id": "i1", "name": "Write", "groupId": "g1", "cells": {"c1": "l1", "c2": ["m1", "m9"], "c3": 2.5}},
            {"id": "i2", "name": "Send", "groupId": "g1", "cells": {}},
        ],
    });
    assert_eq!(
        shown(board.clone(), &[], PLAIN),
        ["ID  Name   Status  Owners    Budget", "i1  Write  Done    Anna, m9  2.5", "i2  Send"]
    );
    let (ran, _) = ask(&["boards", "list", "--json"], "", (200, "", board.to_string()));
    assert_eq!(ran.out, format!("{board}\n"), "JSON is as it was sent");
}

/// Runs a command that answers this, against a program with a board and a member; what it printed, and what was asked.
fn beside(words: &[&str], answer: Value) -> (Ran, Vec<String>) {
    let columns = json!([
        {"id": "c1", "title": "Status", "type": "status", "settings": {"labels": [{"id": "l1", "text": "Done"}]}},
        {"id": "c2", "title": "Owners", "type": "people", "settings": {}},
        {"id": "c3", "title": "Note", "type": "text", "settings": {}},
    ]);
    // Another board, whose status has another id.
    let others = json!([{"id": "c7", "title": "Status", "type": "status", "settings": {"labels": [{"id": "l1", "text": "Open"}]}}]);
    let fake = Fake::genuine(move |request| {
        let body = match request.line.as_str() {
            "GET /boards/b1" => {
                json!({"id": "b1", "columns": columns, "groups": [{"id": "g1", "name": "Plans"}]})
            }
            "GET /boards/b2" => json!({"id": "b2", "columns": others}),
            "GET /members" => json!({"items": [{"id": "m1", "name": "Anna"}], "nextCursor": "2"}),
            "GET /members?cursor=2" => json!({"items": [{"id": "m2", "name": "Bo"}], "nextCursor": null}),
            line if line.starts_with("GET /boards/") => return (404, "", json!({"code": "not-found"}).to_string()),
            _ => answer.clone(),
        };
        (200, "", body.to_string())
    });
    let dir = data_dir(&fake.base);
    let ran = World::default().run(&[&["--data-dir", dir.path().to_str().unwrap()], words].concat());
    (ran, fake.requests().into_iter().map(|request| request.line).skip(1).collect())
}

#[test]
fn cells_of_an_answer_stand_under_their_titles() {
    let item = json!({"id": "i1", "name": "Write", "cells": {"c1": "l1", "c2": ["m2", "m9"]}});
    let create = ["boards", "items", "create", "b1", "--name", "x"];
    let (ran, asked) = beside(&create, item.clone());
    assert_eq!(ran.out, "ID    i1\nName  Write\nCells\n  Status  Done\n  Owners  Bo, m9\n");
    assert_eq!(asked, ["GET /boards/b1", "GET /members", "GET /members?cursor=2"]);
    // Scripts get the answer as it was sent, and nothing more is asked.
    let (ran, asked) = beside(&[&create[..], &["--json"]].concat(), item.clone());
    assert_eq!((ran.out, asked.len()), (format!("{item}\n"), 0));
    // Where the board cannot be read, the answer stands as it is.
    let (ran, _) = beside(&["boards", "items", "create", "b9", "--name", "x"], item);
    assert!(ran.out.contains("c1  l1"), "{}", ran.out);
    // Members are asked for where they are shown.
    let (ran, asked) = beside(&create, json!({"items": [{"id": "i1", "name": "Write", "cells": {}}]}));
    assert_eq!((ran.out.as_str(), asked.len()), ("ID  Name\ni1  Write\n", 0));
}

#[test]
fn subitems_say_of_which_item_they_are_one() {
    let rows = json!({"items": [
        {"id": "i1", "name": "Trip", "cells": {}},
        {"id": "i2", "name": "Pack", "parentId": "i1", "cells": {}},
        {"id": "i3", "name": "Pay", "parentId": "i0", "cells": {}},
    ]});
    let lines = ["ID  Name  Parent", "i1  Trip", "i2  Pack  Trip", "i3  Pay   i0"];
    assert_eq!(shown(rows.clone(), &["id", "name"], PLAIN), lines);
    let mut full = rows;
    full["columns"] = json!([{"id": "c1", "title": "Note", "type": "text", "settings": {}}]);
    assert_eq!(shown(full, &[], PLAIN), lines);
}

#[test]
fn changes_of_an_item_are_told_by_titles_and_names() {
    let change = |field: &str, before: Value, after: Value| json!({"changeId": "h", "field": field, "before": before, "after": after});
    let changes = json!({"items": [
        change("c1", json!(null), json!("l1")),
        change("c2", json!(["m1"]), json!(["m2", "m9"])),
        change("c8", json!("l7"), json!("l8")),
        change("groupId", json!("g1"), json!("g9")),
        change("comments/k1", json!(null), json!({"mentions": ["m1"], "revision": 1})),
        change("comments/k1", json!({"revision": 1}), json!(null)),
        change("name", json!("A"), json!("B")),
    ]});
    let (ran, _) = beside(&["boards", "items", "create", "b1", "--name", "x"], changes);
    let rows: Vec<Vec<&str>> =
        ran.out.lines().skip(1).map(|line| line.split_whitespace().filter(|w| *w != "h").collect()).collect();
    let expected = [
        "Done Status",
        "Bo, m9 Anna Owners",
        "l8 l7 c8",
        "g9 Plans Group",
        "added Comment",
        "deleted Comment",
        "B A name",
    ];
    assert_eq!(rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>(), expected);
}

#[test]
fn columns_of_one_title_on_several_boards_are_one() {
    let item = |board: &str, id: &str, cells: Value| json!({"boardId": board, "id": id, "name": id, "cells": cells});
    let found = json!({"items": [item("b1", "i1", json!({"c1": "l1"})), item("b2", "i2", json!({"c7": "l1"}))]});
    let (ran, _) = beside(&["query", "--board-ids", "b1,b2,b1"], found);
    assert_eq!(ran.out, "ID  Name  Status\ni1  i1    Done\ni2  i2    Open\n");
}

#[test]
fn columns_stand_in_the_order_that_was_asked_for() {
    let cells = json!({"c1": "l1", "c2": ["m1"]});
    let found = json!({"items": [{"boardId": "b1", "id": "i1", "name": "i1", "cells": cells}]});
    let heads = |columns: Value| {
        let input = json!({"boardIds": ["b1"], "columns": columns}).to_string();
        let (ran, _) = beside(&["query", "--input", &input], found.clone());
        ran.out.lines().next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(heads(json!(["Owners", "status"])), "ID Name Owners Status");
    assert_eq!(heads(json!(["Status", "c2"])), "ID Name Status Owners");
}

#[test]
fn comments_say_who_wrote_them_and_whom_they_mention() {
    let comment =
        json!({"author": {"kind": "cli", "name": "Command line"}, "mentions": ["m1", "m9"], "text": "@[m1] and @[m9]"});
    let (ran, asked) = beside(&["boards", "items", "create", "b1", "--name", "x"], comment.clone());
    assert_eq!(ran.out, "Author    Command line\nMentions  m1, m9\nText      @Anna and @[m9]\n");
    assert_eq!(asked, ["GET /members", "GET /members?cursor=2"]);
    assert_eq!(shown(json!({"items": [comment]}), &["author"], PLAIN), ["Author", "Command line"]);
}

#[test]
fn who_changed_a_setting_stands_in_the_history() {
    let change = |at: &str, actor: Value| json!({"at": at, "key": "toasts", "from": null, "to": true, "actor": actor});
    let rows = json!({"items": [
        change("1", json!({"kind": "cli", "id": "cli"})),
        change("2", json!({"kind": "owner", "id": "06h0"})),
        change("3", json!({"kind": "agent", "id": "06h1", "session": "s1"})),
    ]});
    assert_eq!(
        shown(rows, &["at", "key", "from", "to", "actor"], PLAIN),
        [
            "At  Key     From  To    Actor",
            "1   toasts        true  cli",
            "2   toasts        true  owner (06h0)",
            "3   toasts        true  agent (session s1)",
        ]
    );
    // What merely has a kind is shown whole.
    assert_eq!(
        shown(json!({"items": [{"a": {"kind": "x", "id": "1", "n": 2}}]}), &["a"], PLAIN)[1],
        "id: 1, kind: x, n: 2"
    );
}

#[test]
fn values_of_a_dashboard_stand_under_the_titles_of_their_widgets() {
    let coverage = |items: u64| json!({"boardsUsed": 1, "boardsTotal": 2, "itemsUsed": items, "itemsTotal": 6});
    let chart = |variant: &str, series: Value| json!({"variant": variant, "categories": [{"label": "To do"}, {"label": "Done\u{1b}[2J"}], "series": series});
    let of = |title: &str, kind: &str, state: Value, result: Value| json!({"id": "w", "title": title, "kind": kind, "state": state, "result": result, "coverage": coverage(6), "approximate": false, "reasons": []});
    let ok = || json!({"name": "ok"});
    let answer = json!({"id": "d", "name": "Team", "boardsMissing": 1, "inertRules": [{"id": "r1", "reason": "wrong-value"}, {"id": "r2", "reason": "lost-label", "lost": ["Old", "Older"]}], "widgets": [
        {"title": "Budget", "kind": "numbers", "state": ok(), "result": {"text": "$1.2K", "full": "$1,234"}, "coverage": coverage(4), "approximate": false, "reasons": ["mixed-units"]},
        of("", "chart", ok(), chart("column", json!([{"label": "", "texts": ["5", "3"]}]))),
        of("By person", "chart", ok(), chart("bar", json!([{"label": "Ada", "texts": ["4", "1"]}, {"label": "Bo", "texts": ["1", "2"]}]))),
        of("Speed", "velocity", ok(), json!({"average": {"text": "7"}, "sprints": [{"key": "s", "label": "Sprint 1", "completed": {"text": "7", "full": "7"}}]})),
        of("Items", "table", ok(), json!({"columns": [{"title": "Status"}, {"title": "Cost"}], "offset": 0, "total": 3, "rows": [
            {"boardId": "b", "itemId": "i", "name": "One", "group": "G", "cells": [{"text": "Open", "color": "#00a86b"}, null]},
            {"boardId": "b", "itemId": "j", "name": "Two", "group": "G", "cells": [null, {"text": "€5", "value": 5}]},
        ]})),
        of("Late", "numbers", json!({"name": "all-filtered", "total": 6}), json!(null)),
    ]});
    let text = crate::dashboard_values::text(&answer, PLAIN).expect("a dashboard");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "Team",
            "1 connected board is missing.",
            "The rule r1 has no effect: wrong-value.",
            "The rule r2 is applied without Old, Older: lost-label.",
            "",
            "Budget",
            "  $1.2K",
            "  (1 of 2 boards; 4 of 6 items; mixed-units)",
            "",
            "Chart",
            "  To do     5",
            "  Done\u{fffd}[2J  3",
            "  (1 of 2 boards)",
            "",
            "By person",
            "            Ada  Bo",
            "  To do     4    1",
            "  Done\u{fffd}[2J  1    2",
            "  (1 of 2 boards)",
            "",
            "Speed",
            "  Average: 7",
            "  Completed  Label",
            "  7          Sprint 1",
            "  (1 of 2 boards)",
            "",
            "Items",
            "  Name  Group  Status  Cost",
            "  One   G      Open",
            "  Two   G              €5",
            "  2 of 3 items",
            "  (1 of 2 boards)",
            "",
            "Late",
            "  None of 6 items match the filters.",
            "  (1 of 2 boards)",
        ]
    );
    assert_eq!(crate::dashboard_values::text(&json!({"items": []}), PLAIN), None);
}

#[test]
fn changes_have_names_and_a_settings_default() {
    let changes = json!({"items": [
        {"what": "changed", "subject": "setting", "subjectId": "pmColorMode", "before": null, "after": "dark"},
        {"what": "deleted", "subject": "item", "subjectId": "i1", "subjectName": "Fix", "before": "l1",
         "beforeNamed": "Open", "after": null},
    ]});
    let (ran, _) = ask(&["changes", "list"], "", (200, "", changes.to_string()));
    assert_eq!(
        ran.out.lines().collect::<Vec<_>>(),
        [
            "What     Subject  Subject name  Before     After",
            "changed  setting  pmColorMode   (default)  dark",
            "deleted  item     Fix           Open",
        ]
    );
}

#[test]
fn a_transcript_says_who_wrote_what() {
    let engine =
        |number: i64, told: Value| json!({"number": number, "at": "t", "body": {"entry": "engine", "told": told}});
    let piece = |event: &str, text: &str| json!({"event": event, "chunk": {"type": "text", "text": text}});
    let own = |number: i64, body: Value| json!({"number": number, "at": "t", "body": body});
    let output =
        json!([{"type": "content", "content": {"text": (0..22).map(|i| format!("{i}\n")).collect::<String>()}}]);
    let answer = json!({"last": 40, "entries": [
        own(8, json!({"entry": "state", "why": "Working on your message", "state": {"state": "running"}})),
        own(9, json!({"entry": "prompt", "content": [{"type": "text", "text": "Hello\n\u{1b}[2Jthere"}, {"type": "image"}]})),
        engine(10, piece("thought", "Hm.")),
        engine(11, piece("said", "This is ")),
        engine(12, piece("said", "it.")),
        engine(13, json!({"event": "tool", "state": "completed", "tool": {"id": "t1", "title": "Read README.md"}, "output": output})),
        engine(14, json!({"event": "permission", "request": {"tool": {"title": "Run echo"}}})),
        own(15, json!({"entry": "answer", "verdict": "denied", "why": "Denied by a rule"})),
        engine(16, json!({"event": "planned", "plan": [{"content": "Read", "status": "inProgress"}]})),
        engine(17, json!({"event": "turnEnded", "failure": "auth", "detail": "Log in"})),
        own(18, json!({"entry": "unheardOf"})),
    ]});
    let (ran, _) = ask(&["sessions", "transcript", "s1"], "", (200, "", answer.to_string()));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[..8],
        [
            " 8 State: Working on your message",
            " 9 You: Hello",
            "   \u{fffd}[2Jthere",
            "   [image]",
            "10 Thinking: Hm.",
            "11 Agent: This is it.",
            "13 Tool: Read README.md (completed)",
            "     0",
        ]
    );
    assert_eq!(
        lines[27..],
        [
            "     … 2 more lines (--json shows all)",
            "14 Agent: permission requested: Run echo",
            "15 Answer: denied: Denied by a rule",
            "16 Plan: Read (in progress)",
            "17 Engine: failed: Log in",
            "18 Pilothouse: unheard of",
            "Earlier: --before 8",
            "More: --after 18",
        ]
    );
    let (ran, _) = ask(&["sessions", "transcript", "s1"], "", (200, "", r#"{"last":0,"entries":[]}"#.into()));
    assert_eq!(ran.out, "No entries.\n");
}

#[test]
fn an_import_and_its_dry_run_say_what_each_column_became() {
    let columns = json!([
        {"id": "c1", "title": "Cost", "type": "number", "settings": {"currency": "EUR", "decimals": 2}},
        {"id": "c2", "title": "State", "type": "status", "settings": {"labels": [{"text": "Open"}, {"text": "Done"}]}},
    ]);
    let file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
    let import = ["boards", "import", "--workspace", "w", file.path().to_str().unwrap()];
    let shown = |answer: Value| {
        let (ran, _) = ask(&import, "", (201, "", answer.to_string()));
        let lines: Vec<String> = ran.out.lines().skip_while(|line| *line != "Columns").map(str::to_owned).collect();
        lines
    };
    let imported = json!({"board": {"id": "b1", "name": "Costs", "columns": columns}, "rowsImported": 3});
    let expected =
        ["Columns", "  Title  Type    Unit  Labels", "  Cost   number  EUR", "  State  status        Open, Done"];
    assert_eq!(shown(imported), expected);
    assert_eq!(
        shown(json!({"columns": columns, "rowsTaken": 3}))[1..3],
        ["  ID  Title  Type    Unit  Labels", "  c1  Cost   number  EUR",]
    );
}

#[test]
fn the_schema_of_dashboards_is_indented_unless_json_is_wanted() {
    let sent = r#"{"type":"object"}"#;
    let run = |words: &[&str]| ask(words, "", (200, "", sent.into())).0.out;
    assert_eq!(run(&["dashboards", "schema"]), "{\n  \"type\": \"object\"\n}\n");
    assert_eq!(run(&["dashboards", "schema", "--json"]), format!("{sent}\n"));
}

#[test]
fn an_unsafe_token_file_is_replaced_by_what_made_it() {
    let remedy = |file: &str| kit::ids::close_token_file(std::path::Path::new(file));
    assert!(remedy("/data/cli-token").contains("`pilothouse tokens rotate`"));
    assert!(remedy("/home/agent.token").ends_with("then replace the token: revoke it and create another."));
}

//! Exports of other tools through the import: recognized by their marks, and read as what they are.

use super::import::{assert_no_file_left, read_back, send};
use super::*;
use testkit::{json_of, refused};

pub(super) fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/testdata/tools/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

pub(super) async fn preview(p: &Program, bytes: &[u8], more: Value) -> Value {
    let mut input = json!({"dryRun": true});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json_of(&send(p, bytes, input).await.unwrap())
}

/// `title:type` of each column that is not left out.
pub(super) fn kinds(preview: &Value) -> String {
    let columns = preview["columns"].as_array().unwrap().iter().filter(|c| c["role"] != "skip").map(|c| {
        let kind = c.get("type").unwrap_or(&c["role"]).as_str().unwrap();
        format!("{}:{kind}", c["title"].as_str().unwrap())
    });
    columns.collect::<Vec<_>>().join(" | ")
}

pub(super) async fn rows(p: &Program, bytes: &[u8], more: Value) -> (Value, Vec<Value>) {
    let answer = json_of(&send(p, bytes, more).await.unwrap());
    let full = full_json(p, answer["board"]["id"].as_str().unwrap()).await;
    (answer, read_back(&full))
}

pub(super) fn done_labels(preview: &Value, title: &str) -> Vec<String> {
    let column = preview["columns"].as_array().unwrap().iter().find(|c| c["title"] == title).unwrap();
    let labels = column["settings"]["labels"].as_array().unwrap().iter().filter(|label| label["done"] == true);
    labels.map(|label| label["text"].as_str().unwrap().to_owned()).collect()
}

/// The labels of a column of a preview, with their categories.
pub(super) fn categories(preview: &Value, title: &str) -> Vec<String> {
    let column = preview["columns"].as_array().unwrap().iter().find(|c| c["title"] == title).unwrap();
    let told = |label: &Value| format!("{}: {}", label["text"].as_str().unwrap(), label["category"].as_str().unwrap());
    column["settings"]["labels"].as_array().unwrap().iter().map(told).collect()
}

#[tokio::test]
async fn what_a_file_calls_canceled_is_canceled_in_every_language_and_whatever_jira_says_of_it() {
    let p = start().await;
    for word in
        ["Cancelled", "Duplicate", "Won't Do", "Won’t do", "WONTFIX", "Rejected", "Abgebrochen", "Annulé", "Cancelado"]
    {
        let seen = preview(&p, format!("Name,Status\na,Open\nb,Done\nc,{word}\n").as_bytes(), json!({})).await;
        let expected = ["Open: notStarted".to_owned(), "Done: done".to_owned(), format!("{word}: canceled")];
        assert_eq!(categories(&seen, "Status"), expected);
    }
    // Jira puts what was given up into the category Done, or says it with the resolution.
    let text = "Summary,Issue key,Status,Status Category,Resolution\n\
        One,A-1,Released,Done,Done\nTwo,A-2,Canceled,Done,Done\nThree,A-3,Shut,Done,Won't Do\nFour,A-4,Open,To Do,\n";
    let expected = ["Canceled: canceled", "Open: notStarted", "Released: done", "Shut: canceled"];
    let mut found = categories(&preview(&p, text.as_bytes(), json!({})).await, "Status");
    found.sort();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn an_export_is_recognized_by_its_marks() {
    let p = start().await;
    let cases = [
        (
            "jira.csv",
            json!({"name": "jira", "title": "Jira"}),
            "Summary:name | Issue key:text | Issue id:text | Issue Type:dropdown | Status:status | Project key:text | Priority:dropdown \
             | Resolution:dropdown | Assignee:people | Reporter:people | Created:date | Updated:date | Due date:date | Labels:tags \
             | Description:longText | Watchers:people | Component/s:tags | Sprint:tags | Story Points:number | Rank:text \
             | Comment:longText | Parent id:parent | Parent summary:text | Status Category:dropdown",
        ),
        (
            "linear.csv",
            json!({"name": "linear", "title": "Linear"}),
            "ID:text | Team:dropdown | Title:name | Description:longText | Status:status | Estimate:number | Priority:dropdown \
             | Project ID:text | Project:dropdown | Creator:people | Assignee:people | Labels:tags | Cycle Number:number | Cycle Name:text \
             | Cycle Start:date | Cycle End:date | Created:date | Updated:date | Started:date | Completed:date | Due Date:date \
             | Parent issue:parent | UUID:text | Time in status (minutes):number | Related to:text | Blocked by:text",
        ),
        (
            "asana.csv",
            json!({"name": "asana", "title": "Asana"}),
            "Task ID:text | Created At:date | Completed At:date | Last Modified:date | Name:name | Section/Column:group \
             | Assignee:people | Assignee Email:people | Start Date:date | Due Date:date | Tags:tags | Notes:longText | Projects:text \
             | Parent task:parent",
        ),
        (
            "monday.csv",
            json!({"name": "monday", "title": "monday"}),
            "Name:name | Subitems:text | Person:people | Status:status | Timeline:timeline \
             | Item ID (auto generated):text",
        ),
        (
            "notion.csv",
            json!({"name": "notion", "title": "Notion"}),
            "Name:name | Status:status | Tags:tags | Dates:timeline | Created time:date | Project:tags | Done:checkbox \
             | Hours:number",
        ),
        (
            "airtable.csv",
            json!({"name": "airtable", "title": "Airtable"}),
            "Name:name | Attachments:longText | Category:tags | Ready:checkbox | Launch date:date | Price:number",
        ),
    ];
    for (name, tool, expected) in cases {
        let found = preview(&p, &file(name), json!({})).await;
        assert_eq!(found["tool"], tool, "{name}: {found}");
        assert_eq!(kinds(&found), expected, "{name}");
    }
    let table = preview(&p, b"Summary,Status\na,b\n", json!({})).await;
    assert_eq!(table["tool"], Value::Null);
    // A part of a text alone is no mark.
    let text = "Name,Note\na,\"see (https://www.notion.so/x) and a → b, 100%20\"\n";
    assert_eq!(preview(&p, text.as_bytes(), json!({})).await["tool"], Value::Null);
}

#[tokio::test]
async fn the_caller_names_another_tool_or_none() {
    let p = start().await;
    let plain = preview(&p, &file("jira.csv"), json!({"tool": "none"})).await;
    assert_eq!(plain["tool"], Value::Null);
    assert!(kinds(&plain).contains("Labels (2):text | "), "{}", kinds(&plain));
    let named = preview(&p, b"Name,Sprint,Sprint\na,x,y\n", json!({"tool": "jira"})).await;
    assert_eq!((&named["tool"]["name"], kinds(&named).as_str()), (&json!("jira"), "Name:name | Sprint:tags"));
    refused(send(&p, b"Name\na\n", json!({"tool": "abacus"})).await, "invalid-input");
}

#[tokio::test]
async fn columns_of_one_title_in_a_jira_export_are_one_column() {
    let p = start().await;
    let (answer, rows) = rows(&p, &file("jira.csv"), json!({})).await;
    assert_eq!(answer["problemCount"], 0, "{answer}");
    let expected = json!({
        "": "Items/Login fails on slow networks", "Issue key": "APP-1", "Issue id": "10001", "Issue Type": "Bug",
        "Status": "Awaiting review", "Project key": "APP", "Priority": "High", "Assignee": ["Anna Berg"], "Reporter": ["Ben Ito"],
        "Created": "2026-01-05", "Updated": "2026-01-06", "Due date": "2026-01-31", "Labels": ["auth", "network"],
        "Description": "Steps:\n1. Throttle\n2. Log in", "Watchers": ["Anna Berg", "Ben Ito"], "Component/s": ["Web", "Server"],
        "Sprint": ["Sprint 1, mobile", "Sprint 2"], "Story Points": 3, "Rank": "0|i0000f:",
        "Comment": "05/Jan/26 4:00 PM;ben;Seen it too\n\n06/Jan/26 9:00 AM;anna;On it; a fix comes",
        "Status Category": "In Progress",
    });
    assert_eq!(rows[0], expected);
    // The id of the parent is in none of the board's columns: the row is its subitem.
    assert_eq!(rows[2][""], "Items/Export as PDF > Page breaks");
    assert_eq!((rows[2].get("Parent id"), &rows[2]["Parent summary"]), (None, &json!("Export as PDF")));
    let found = preview(&p, &file("jira.csv"), json!({})).await;
    assert_eq!(done_labels(&found, "Status"), ["Released"], "by the category");
    let skipped = found["columns"].as_array().unwrap().iter().find(|c| c["title"] == "Last Viewed").unwrap();
    assert_eq!((&skipped["role"], skipped["notes"].as_array().unwrap().len()), (&json!("skip"), 1));
    // Without a category, by the resolution.
    let older = "Summary,Issue key,Status,Resolution\na,A-1,Shut,Fixed\nb,A-2,Shut,Won't do\nc,A-3,Waiting,Unresolved\nd,A-4,Mixed,Fixed\ne,A-5,Mixed,\n";
    assert_eq!(done_labels(&preview(&p, older.as_bytes(), json!({})).await, "Status"), ["Shut"]);
    // A column that is left out for want of values is taken when the caller wants it.
    let wanted = json!({"columns": json!([{"index": 12, "type": "date"}]).to_string()});
    assert!(kinds(&preview(&p, &file("jira.csv"), wanted).await).contains("Last Viewed:date"));
}

#[tokio::test]
async fn rows_of_an_export_that_do_not_fit_are_named() {
    let p = start().await;
    let text = "Summary,Issue key,Labels,Labels\na,A-1,x,y\nb,A-2\nc,A-3,x,y,z\nd,A-4,x,y,\n";
    let (answer, rows) = rows(&p, text.as_bytes(), json!({})).await;
    let problems: Vec<_> =
        answer["problems"].as_array().unwrap().iter().map(|x| format!("{} {}", x["line"], x["code"])).collect();
    assert_eq!(problems, ["3 \"short-row\"", "4 \"long-row\""]);
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["Labels"], json!(["x", "y"]));
    // A truncated file: the quote that opens is never closed.
    let whole = file("jira.csv");
    let cut = whole.windows(7).position(|part| part == b"2. Log ").unwrap();
    let cut = &whole[..cut];
    refused(send(&p, cut, json!({})).await, "open-quote");
    assert_no_file_left(&p);
}

#[tokio::test]
async fn values_of_other_exports_arrive_as_they_were_meant() {
    let p = start().await;
    let (_, asana) = rows(&p, &file("asana.csv"), json!({})).await;
    assert_eq!(asana[0]["Tags"], json!(["Urgent", "Client"]));
    assert_eq!((&asana[0][""], &asana[1][""]), (&json!("To do/Write the brief"), &json!("Done/Send invoices")));
    assert_eq!(asana[0]["Task ID"], "1200000000000001");
    assert_eq!(asana[2][""], "To do/Write the brief > Draft outline");

    let (answer, monday) = rows(&p, &file("monday.csv"), json!({})).await;
    let expected = json!([
        {"": "This week/Landing page", "Subitems": "Copy, Pictures", "Person": ["Anna Berg"], "Status": "Working on it",
            "Timeline": {"from": "2026-03-02", "to": "2026-03-06"}, "Item ID (auto generated)": "4100000001"},
        {"": "This week/Landing page > Copy", "Person": ["Ben Ito"], "Status": "Done", "Item ID (auto generated)": "4100000011"},
        {"": "This week/Landing page > Pictures", "Item ID (auto generated)": "4100000012"},
        {"": "This week/Press text", "Person": ["Ben Ito"], "Status": "Done", "Item ID (auto generated)": "4100000002"},
    ]);
    assert_eq!(json!(monday), expected);
    assert_eq!((&answer["problems"], &answer["board"]["subitemCount"]), (&json!([]), &json!(2)));

    let (_, notion) = rows(&p, &file("notion.csv"), json!({})).await;
    let expected = json!([
        {"": "Items/Landing page", "Status": "In progress", "Tags": ["web", "design"], "Dates": {"from": "2026-01-05", "to": "2026-01-16"}, "Created time": "2026-01-02", "Project": ["Launch", "Site (v2)"], "Done": false, "Hours": 12},
        {"": "Items/Press text", "Status": "Done", "Tags": ["design"], "Dates": {"from": "2026-01-20", "to": "2026-01-20"}, "Created time": "2026-01-03",
            "Project": ["Launch"], "Done": true, "Hours": 3.5},
        {"": "Items/Photos", "Status": "Not started", "Tags": ["web", "design"], "Created time": "2026-01-04", "Done": false},
    ]);
    assert_eq!(json!(notion), expected);

    let (_, airtable) = rows(&p, &file("airtable.csv"), json!({})).await;
    let attached = "oak.png (https://v5.airtableusercontent.com/v3/u/33/33/1/a/b),oak-2.png (https://v5.airtableusercontent.com/v3/u/33/33/1/c/d)";
    let first = json!({
        "": "Items/Oak chair", "Attachments": attached, "Category": ["Wood", "Seating"], "Ready": true, "Launch date": "2026-01-15",
        "Price": 120,
    });
    assert_eq!(airtable[0], first);
    assert_eq!(airtable[1].get("Ready"), None);
    let linear = preview(&p, &file("linear.csv"), json!({})).await;
    assert_eq!(done_labels(&linear, "Status"), ["Live"], "by the date of completion");
}

#[tokio::test]
async fn the_caller_says_which_column_is_the_name_and_which_the_group() {
    let p = start().await;
    let text = "Name,Team,Title\nN-1,Deck,Paint\nN-2,Rig,Mend\n";
    let columns = json!([{"index": 2, "role": "name"}, {"index": 1, "role": "group"}]).to_string();
    let found = preview(&p, text.as_bytes(), json!({"columns": columns})).await;
    assert_eq!(kinds(&found), "Name:text | Team:group | Title:name");
    let (_, rows) = rows(&p, text.as_bytes(), json!({"columns": columns})).await;
    assert_eq!(json!(rows), json!([{"": "Deck/Paint", "Name": "N-1"}, {"": "Rig/Mend", "Name": "N-2"}]));
    let many: String = (0..600).map(|i| format!("a,g{i}\n")).collect();
    let columns = json!([{"index": 1, "role": "group"}]).to_string();
    refused(send(&p, format!("Name,Team\n{many}").as_bytes(), json!({"columns": columns})).await, "invalid-input");
    let columns = json!([{"index": 1, "role": "captain"}]).to_string();
    refused(send(&p, text.as_bytes(), json!({"columns": columns})).await, "invalid-input");
}

#[tokio::test]
async fn what_linear_has_given_up_is_canceled_and_its_calendar_is_by_the_due_date() {
    let p = start().await;
    let text = "ID,Team,Title,Status,Priority,Creator,Created,Completed,Canceled,Due Date\n\
        E-1,Eng,One,Todo,High,anna,2026-01-05,,,2026-02-05\n\
        E-2,Eng,Two,Parked,High,anna,2026-01-05,,2026-01-07,2026-02-05\n\
        E-3,Eng,Three,Shipped it,High,anna,2026-01-05,2026-01-09,,2026-02-05\n";
    let seen = preview(&p, text.as_bytes(), json!({})).await;
    let expected = [("Todo", "notStarted"), ("Parked", "canceled"), ("Shipped it", "done")];
    assert_eq!(categories(&seen, "Status"), expected.map(|(text, category)| format!("{text}: {category}")));
    assert_eq!(done_labels(&seen, "Status"), ["Shipped it"]);
    let made = json_of(&send(&p, text.as_bytes(), json!({})).await.unwrap());
    let due = made["board"]["columns"].as_array().unwrap().iter().find(|column| column["title"] == "Due Date").unwrap();
    let views = made["board"]["views"].as_array().unwrap();
    let calendar = views.iter().find(|view| view["kind"] == "calendar").unwrap();
    assert_eq!(calendar["settings"]["dateColumn"], due["id"], "not the first date, which is that of its making");
}

#[tokio::test]
async fn groups_make_a_kanban_where_no_status_does() {
    let p = start().await;
    let views = async |text: &str| {
        let made = json_of(&send(&p, text.as_bytes(), json!({})).await.unwrap());
        let views = made["board"]["views"].as_array().unwrap().clone();
        views
            .iter()
            .map(|view| format!("{}:{}", view["kind"], view["settings"]["byColumn"]))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(views("Name,Group\na,One\nb,Two\n").await, r#""table":null "kanban":"group""#);
    assert_eq!(views("Name,Group\na,One\nb,One\n").await, "", "one stack is no kanban");
    let with_status = views("Name,Group,Status\na,One,Open\nb,Two,Done\nc,Two,Open\n").await;
    assert_eq!(with_status, r#""table":null "kanban":"c1""#);
}

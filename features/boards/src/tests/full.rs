use super::*;
use crate::form::Form;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, PrimitiveArray, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::SchemaRef;
use kit::Body;
use testkit::refused;

/// The schema and the batches of a stream.
pub(super) fn decode(reply: &Reply) -> (SchemaRef, Vec<RecordBatch>) {
    assert_eq!(reply.content_type, crate::ARROW);
    let Body::Parts(parts) = &reply.body else { panic!("the body is there") };
    let bytes = parts.concat();
    let reader = StreamReader::try_new(&bytes[..], None).unwrap();
    (reader.schema(), reader.collect::<Result<Vec<_>, _>>().unwrap())
}

/// The Arrow form as the JSON form has it.
pub(super) fn as_json((schema, batches): &(SchemaRef, Vec<RecordBatch>)) -> Value {
    let mut whole: Value = serde_json::from_str(&schema.metadata()["board"]).unwrap();
    let columns = whole["columns"].as_array().unwrap().clone();
    let names: Vec<_> = schema.fields().iter().map(|f| f.name().clone()).collect();
    assert_eq!(names[..5], ["id", "groupId", "name", "createdAt", "updatedAt"]);
    let ids: Vec<_> = columns.iter().map(|c| c["id"].as_str().unwrap().to_owned()).collect();
    let last = names.get(5 + ids.len()).map(String::as_str);
    assert!(names[5..].starts_with(&ids) && names.len() - ids.len() <= 6 && last.is_none_or(|name| name == "parentId"));
    let mut items = Vec::new();
    for batch in batches {
        items.extend(items_of(batch, &columns));
    }
    whole["items"] = items.into();
    whole
}

fn items_of(batch: &RecordBatch, columns: &[Value]) -> Vec<Value> {
    let label = |index: usize, row: usize| {
        let dictionary = batch.column(index).as_dictionary::<Int32Type>();
        let values = dictionary.values().as_string::<i32>();
        values.value(dictionary.keys().value(row) as usize).to_owned()
    };
    let text = |index: usize, row: usize| batch.column(index).as_string::<i32>().value(row).to_owned();
    let instant = |index: usize, row: usize| kit::rfc3339(batch.column(index).as_primitive::<Int64Type>().value(row));
    let day = |days: &PrimitiveArray<Date32Type>, row: usize| {
        kit::rfc3339(i64::from(days.value(row)) * 86_400_000)[..10].to_owned()
    };
    let items = (0..batch.num_rows()).map(|row| {
        let (mut cells, mut by) = (serde_json::Map::new(), serde_json::Map::new());
        for (index, column) in columns.iter().enumerate() {
            let array = batch.column(index + 5);
            if array.is_null(row) {
                continue;
            }
            let value = match column["type"].as_str().unwrap() {
                "text" | "longText" | "link" | "email" | "phone" => json!(text(index + 5, row)),
                "number" | "rating" | "progress" => json!(array.as_primitive::<Float64Type>().value(row)),
                "status" | "dropdown" => json!(label(index + 5, row)),
                "file" => serde_json::from_str(&text(index + 5, row)).unwrap(),
                "tags" | "people" | "itemLink" | "sprint" => serde_json::from_str(&label(index + 5, row)).unwrap(),
                "date" => json!(day(array.as_primitive(), row)),
                "timeline" => {
                    let span = array.as_struct();
                    json!({"from": day(span.column(0).as_primitive(), row), "to": day(span.column(1).as_primitive(), row)})
                }
                "createdAt" | "updatedAt" => {
                    assert_eq!(array.to_data(), batch.column(if column["type"] == "createdAt" { 3 } else { 4 }).to_data());
                    continue;
                }
                "createdBy" | "updatedBy" => {
                    by.insert(column["type"].as_str().unwrap().to_owned(), json!(label(index + 5, row)));
                    continue;
                }
                "checkbox" => json!(array.as_boolean().value(row)),
                _ => serde_json::from_str(&text(index + 5, row)).unwrap(),
            };
            cells.insert(column["id"].as_str().unwrap().to_owned(), value);
        }
        // Records leave the owner out.
        by.retain(|_, by| by != "owner");
        let mut item = json!({
            "id": text(0, row), "groupId": label(1, row), "name": text(2, row),
            "createdAt": instant(3, row), "updatedAt": instant(4, row), "cells": cells,
        });
        item.as_object_mut().unwrap().append(&mut by);
        if batch.num_columns() > columns.len() + 5 && !batch.column(columns.len() + 5).is_null(row) {
            item["parentId"] = json!(text(columns.len() + 5, row));
        }
        item
    });
    items.collect()
}

/// Numbers compare by value: 5 and 5.0 are the same cell.
pub(super) fn with_floats(mut value: Value) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::Number(n) => *value = json!(n.as_f64().unwrap()),
            Value::Array(list) => list.iter_mut().for_each(walk),
            Value::Object(map) => map.values_mut().for_each(walk),
            _ => {}
        }
    }
    walk(&mut value);
    value
}

async fn varied_board(p: &Program) -> String {
    let b = tasks_board(p).await;
    let kinds =
        ["text", "longText", "number", "tags", "checkbox", "link", "email", "phone", "rating", "progress", "timeline"];
    for kind in kinds {
        add_column(p, &b, kind, kind, json!({})).await;
    }
    let items = json!([
        {"name": "A \"quoted\" \\ name", "cells": {"c1": "l1", "c2": [BEN, ANNA], "c3": "2026-12-31", "c4": "t\"\n\u{1F600}", "c5": "long\ntext",
            "c6": -0.125, "c7": ["a]", "b\"c", "ü"], "c8": true, "c9": "https://example.com", "c10": "a@example.com", "c11": "+1 555 0100", "c12": 5, "c13": 50, "c14": {"from": "1969-12-31", "to": "2026-01-16"}}},
        {"name": "B", "groupId": "g2", "cells": {"c7": ["a]", "b\"c", "ü"], "c8": false, "c3": "1969-12-31", "c6": 12345678901234567890u64}},
        {"name": "C", "cells": {"c14": {"from": "2026-01-05", "to": "2026-01-05"}}},
        {"name": "D", "cells": {"c1": "l4", "c2": [BEN], "c4": "\"c2\":[\"x\"]", "c6": 0.1}},
    ]);
    p.owner("boards.items.create", json!({"boardId": b, "items": items})).await.unwrap();
    b
}

#[tokio::test]
async fn both_forms_hold_the_same_values() {
    let p = start().await;
    let b = varied_board(&p).await;
    let json_form = full_json(&p, &b).await;
    assert_eq!(json_form["members"], json!([{"id": ANNA, "name": "Anna Berg"}, {"id": BEN, "name": "Ben Ito"}]));
    assert_eq!(json_form["items"][0]["cells"]["c7"], json!(["a]", "b\"c", "ü"]));
    assert_eq!(json_form["items"][0]["createdAt"], "2026-03-01T12:00:00.000Z");
    let batch = decode(&full_reply(&p, &b, crate::ARROW, None).await);
    assert_eq!(with_floats(as_json(&batch)), with_floats(json_form));
    let types: Vec<_> = batch.0.fields().iter().map(|f| f.data_type().to_string()).collect();
    let label = "Dictionary(Int32, Utf8)";
    let expected = [
        "Utf8",
        label,
        "Utf8",
        "Int64",
        "Int64",
        label,
        label,
        "Date32",
        "Utf8",
        "Utf8",
        "Float64",
        label,
        "Boolean",
        "Utf8",
        "Utf8",
        "Utf8",
        "Float64",
        "Float64",
        r#"Struct("from": Date32, "to": Date32)"#,
    ];
    assert_eq!(types, expected);
}

#[tokio::test]
async fn an_empty_board_and_one_without_columns_have_both_forms() {
    let p = start().await;
    for preset in ["blank", "tasks"] {
        let b =
            p.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "E", "preset": preset})).await.unwrap();
        let b = b["id"].as_str().unwrap();
        let batch = decode(&full_reply(&p, b, crate::ARROW, None).await);
        assert!(batch.1.iter().all(|batch| batch.num_rows() == 0));
        assert_eq!(as_json(&batch), full_json(&p, b).await);
        p.owner("boards.items.create", json!({"boardId": b, "name": "I"})).await.unwrap();
        let batch = decode(&full_reply(&p, b, crate::ARROW, None).await);
        assert_eq!(as_json(&batch), full_json(&p, b).await);
    }
}

#[tokio::test]
async fn a_tag_spares_the_body_until_something_changes() {
    let p = start().await;
    let b = varied_board(&p).await;
    for accept in ["application/json", crate::ARROW] {
        let first = full_reply(&p, &b, accept, None).await;
        let tag = header(&first, "etag").to_owned();
        let again = full_reply(&p, &b, accept, Some(&tag)).await;
        assert_eq!((again.status, header(&again, "etag")), (304, tag.as_str()));
        // A change of the board, and one of a member that it refers to.
        p.owner("boards.update", json!({"boardId": b, "name": format!("New {accept}")})).await.unwrap();
        let changed = full_reply(&p, &b, accept, Some(&tag)).await;
        assert_eq!(changed.status, 200);
        let tag = header(&changed, "etag").to_owned();
        let sql = "UPDATE members SET name = $1 WHERE member_id = $2";
        let name = format!("Anna {}", accept.len());
        p.ctx.db().write(move |tx| tx.execute(sql, params![name, ANNA])).await.unwrap();
        assert_eq!(full_reply(&p, &b, accept, Some(&tag)).await.status, 200);
    }
    let json_tag = header(&full_reply(&p, &b, "*/*", None).await, "etag").to_owned();
    assert_eq!(full_reply(&p, &b, crate::ARROW, Some(&json_tag)).await.status, 200, "each form has its own tag");
}

#[tokio::test]
async fn nobodys_address_comes_with_a_board_not_even_where_two_share_a_name() {
    let p = start().await;
    let b = varied_board(&p).await;
    let rename = |tx: &mut store::Tx<'_>| {
        tx.execute("UPDATE members SET name = 'anna BERG ' WHERE member_id = $1", params![BEN])
    };
    p.ctx.db().write(rename).await.unwrap();
    let members = json!([{"id": ANNA, "name": "Anna Berg"}, {"id": BEN, "name": "anna BERG "}]);
    assert_eq!(full_json(&p, &b).await["members"], members);
    let changed = p.owner("boards.changed", json!({"boardId": b, "since": 0})).await.unwrap();
    assert_eq!(changed["members"], members);
}

#[tokio::test]
async fn a_board_in_memory_is_no_longer_served_once_deleted() {
    let p = start().await;
    let b = varied_board(&p).await;
    full_json(&p, &b).await;
    p.owner("boards.delete", json!({"boardId": b})).await.unwrap();
    refused(p.owner("boards.full", json!({"boardId": b})).await, "not-found");
}

#[test]
fn the_form_follows_accept() {
    let arrow = crate::ARROW;
    let cases = [
        (None, Form::Json),
        (Some("*/*".to_owned()), Form::Json),
        (Some("application/json".to_owned()), Form::Json),
        (Some("text/html, image/webp".to_owned()), Form::Json),
        (Some(arrow.to_owned()), Form::Arrow),
        (Some(format!("{arrow}, */*")), Form::Arrow),
        (Some(format!("{arrow};q=0.5, application/json;q=0.6")), Form::Json),
        (Some(format!("application/json;q=0.2, {arrow};q=0.9")), Form::Arrow),
        (Some(format!("{arrow};q=0, */*;q=0.1")), Form::Json),
        (Some(format!("{arrow}, application/json")), Form::Json),
        (Some(format!("{arrow};q=x")), Form::Json),
    ];
    for (accept, form) in cases {
        assert_eq!(Form::preferred(accept.as_deref()), form, "{accept:?}");
    }
}

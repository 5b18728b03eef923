//! Boards for tests: rows as a person would write them, made into the stream that a server sends.

use arrow_array::builder::{BooleanBuilder, Date32Builder, Float64Builder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, BooleanArray, Date32Array, Int64Array, RecordBatch, StructArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Field, Schema};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// A board as the service's JSON form has it: board, groups, columns, members, items with cells. Times are milliseconds.
pub fn stream(board: &Value) -> Vec<u8> {
    stream_in_batches(board, usize::MAX)
}

/// The same with so many rows a batch.
pub fn stream_in_batches(board: &Value, batch_rows: usize) -> Vec<u8> {
    let mut head = json!({"board": board["board"], "groups": board["groups"], "columns": board["columns"], "members": board["members"]});
    if board["linked"].is_array() {
        head["linked"] = board["linked"].clone();
    }
    let items = board["items"].as_array().expect("items");
    let batches: Vec<Vec<(String, ArrayRef, bool)>> = match items.is_empty() {
        true => vec![arrays(board, &[])],
        false => items.chunks(batch_rows.min(items.len())).map(|chunk| arrays(board, chunk)).collect(),
    };
    let fields: Vec<Field> = batches[0]
        .iter()
        .map(|(name, array, nullable)| Field::new(name, array.data_type().clone(), *nullable))
        .collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, HashMap::from([("board".to_owned(), head.to_string())])));
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).expect("schema");
    for batch in batches {
        let arrays = batch.into_iter().map(|(_, array, _)| array).collect();
        writer.write(&RecordBatch::try_new(schema.clone(), arrays).expect("batch")).expect("write");
    }
    writer.into_inner().expect("stream")
}

fn arrays(board: &Value, items: &[Value]) -> Vec<(String, ArrayRef, bool)> {
    let texts = |get: &dyn Fn(&Value) -> Option<String>| -> ArrayRef {
        let mut builder = StringBuilder::new();
        items.iter().for_each(|item| builder.append_option(get(item)));
        Arc::new(builder.finish())
    };
    let dictionary = |get: &dyn Fn(&Value) -> Option<String>| -> ArrayRef {
        let mut builder = StringDictionaryBuilder::<Int32Type>::new();
        items.iter().for_each(|item| builder.append_option(get(item)));
        Arc::new(builder.finish())
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let member = |name: &'static str| move |item: &Value| item[name].as_str().map(str::to_owned);
    let times = |name: &str| -> ArrayRef { Arc::new(items.iter().map(|i| i[name].as_i64()).collect::<Int64Array>()) };
    let mut arrays = vec![
        ("id".to_owned(), texts(&member("id")), false),
        ("groupId".to_owned(), dictionary(&member("groupId")), false),
        ("name".to_owned(), texts(&member("name")), false),
        ("createdAt".to_owned(), times("createdAt"), true),
        ("updatedAt".to_owned(), times("updatedAt"), true),
    ];
    for column in board["columns"].as_array().expect("columns") {
        let id = column["id"].as_str().expect("id");
        let cell = |item: &Value| item["cells"][id].clone();
        let array: ArrayRef = match column["settings"]["result"].as_str().or(column["type"].as_str()).expect("type") {
            "number" | "currency" | "rating" | "progress" => {
                let mut builder = Float64Builder::new();
                items.iter().for_each(|item| builder.append_option(cell(item).as_f64()));
                Arc::new(builder.finish())
            }
            "date" => {
                let mut builder = Date32Builder::new();
                items.iter().for_each(|item| builder.append_option(cell(item).as_str().and_then(crate::dates::parse)));
                Arc::new(builder.finish())
            }
            "timeline" => {
                let day = |name: &'static str| {
                    let day = move |item: &Value| crate::dates::parse(cell(item)[name].as_str()?);
                    Arc::new(items.iter().map(day).collect::<Date32Array>()) as ArrayRef
                };
                let filled: Vec<bool> = items.iter().map(|item| !cell(item).is_null()).collect();
                let field = |name: &str| Field::new(name, arrow_schema::DataType::Date32, true);
                let fields = vec![field("from"), field("to")].into();
                Arc::new(StructArray::new(fields, vec![day("from"), day("to")], Some(filled.into())))
            }
            "checkbox" => {
                let mut builder = BooleanBuilder::new();
                items.iter().for_each(|item| builder.append_option(cell(item).as_bool()));
                Arc::new(builder.finish())
            }
            "createdAt" | "updatedAt" => times(column["type"].as_str().expect("type")),
            "mirror" => Arc::new(items.iter().map(|_| None::<bool>).collect::<BooleanArray>()),
            "status" | "dropdown" | "createdBy" | "updatedBy" => dictionary(&|item| text(&cell(item))),
            "tags" | "people" | "itemLink" | "sprint" => {
                dictionary(&|item| cell(item).as_array().map(|list| json!(list).to_string()))
            }
            _ => texts(&|item| text(&cell(item))),
        };
        arrays.push((id.to_owned(), array, true));
    }
    if board["items"].as_array().is_some_and(|items| items.iter().any(|item| item["parentId"].is_string())) {
        arrays.push(("parentId".to_owned(), texts(&member("parentId")), true));
    }
    arrays
}

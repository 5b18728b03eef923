//! The JSON Schema of configs, with the settings of every widget kind as the engine declares them, and validation of
//! settings against it.

use crate::config::BOARD_IDS_MAX;
use crate::faults::UNKNOWN_KIND;
use crate::grid;
use kit::fault;
use kit::op::limits::LARGE_BYTES;
use kit::{Call, Ctx, FieldError, Media, Raw, Reply, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use widgets::widgets::{KINDS, Kind, Role};

/// The schema, for the reference.
pub fn schema_json() -> String {
    format!("{}\n", serde_json::to_string_pretty(&document()).expect("JSON"))
}

fn document() -> Value {
    let whole = json!({"type": "integer"});
    let kinds = KINDS.iter().map(|kind| {
        json!({"if": {"properties": {"kind": {"const": kind.name}}}, "then": {"properties": {"settings": settings(kind)}}})
    });
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let any = json!({"type": "object", "required": ["any"], "properties": {"any": {"type": "array", "items": {"$ref": "#/$defs/rule"}}},
        "description": "At least one of these rules must match."});
    let widget = json!({
        "type": "object",
        "required": ["layout"],
        "properties": {
            "id": {"type": "string", "description": "Unique within the dashboard. The page adds one if it's missing."},
            "kind": {"type": "string", "description": format!("One of {}. Other kinds are stored but not shown.", names.join(", "))},
            "title": {"type": "string", "description": "If empty, the page derives a title from the settings."},
            "layout": {
                "type": "object", "required": ["x", "y", "w", "h"],
                "properties": {"x": whole, "y": whole, "w": whole, "h": whole},
                "description": format!("Cells from the upper-left corner of a grid with {} columns. Widgets that overlap or don't fit are shown in the nearest free position.", grid::COLUMNS),
            },
            "settings": {"type": "object", "description": "Depends on the kind."},
        },
        "allOf": kinds.collect::<Vec<_>>(),
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Dashboard config",
        "description": format!("At most {LARGE_BYTES} bytes as JSON. Unknown members are stored unchanged."),
        "type": "object",
        "properties": {
            "boardIds": {"type": "array", "items": {"type": "string"}, "maxItems": BOARD_IDS_MAX, "description": "Connected boards. Their order sets colors and the order of labels."},
            "widgets": {"type": "array", "items": widget},
            "filters": {
                "type": "object",
                "description": "Rules that items must match in all widgets. A rule applies only to boards that have its column. `boards.filters` lists the operators.",
                "properties": {
                    "v": {"const": 1},
                    "people": {"type": ["object", "null"], "properties": {"ids": {"type": "array", "items": {"type": "string"}, "description": "IDs of members, `me`, or `none` for nobody."}}},
                    "all": {"$ref": "#/$defs/rules"},
                },
            },
        },
        "$defs": {
            "rules": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/rule"}, any]}},
            "rule": rule(),
        },
    })
}

fn rule() -> Value {
    let ids = json!({"type": "array", "items": {"type": "string"}});
    let col = json!({"oneOf": [
        {"type": "object", "required": ["by", "title", "type"], "properties": {"by": {"const": "title"}, "title": {"type": "string"}, "type": {"type": "string"}},
            "description": "Columns with this title and a type of the same family."},
        {"type": "object", "required": ["by", "ids"], "properties": {"by": {"const": "ids"}, "ids": {"type": "object", "additionalProperties": ids}},
            "description": "IDs of columns by board."},
        {"type": "object", "required": ["by", "name"], "properties": {"by": {"const": "builtin"}, "name": {"enum": ["board", "group", "name", "created", "updated", "subitem"]}}},
    ]});
    json!({"type": "object", "required": ["id", "col", "op"], "properties": {
        "id": {"type": "string"}, "col": col, "op": {"type": "string"}, "value": {}, "off": {"type": "boolean"}}})
}

/// The settings of a kind: its own, and those of all kinds that read boards.
pub(crate) fn settings(kind: &Kind) -> Value {
    let ids = json!({"type": "array", "items": {"type": "string"}});
    let mut schema = (kind.schema)();
    if !kind.reads_boards() {
        return schema;
    }
    let role = |role: &Role| {
        let about = format!("{} Of type {}.", role.about, role.types.join(", "));
        (role.name.to_owned(), json!({"type": "object", "additionalProperties": ids, "description": about}))
    };
    let roles = kind.roles.iter().map(role);
    let common = json!({
        "boards": {"type": "array", "items": {"type": "string"}, "description": "Use only these connected boards."},
        "cols": {"type": "object", "properties": roles.collect::<Map<_, _>>(),
            "description": "IDs of columns (not titles) by role and board. For a board that isn't listed, the column is found automatically; an empty list means none."},
        "rules": {"$ref": "#/$defs/rules"},
    });
    let (Some(members), Value::Object(common)) = (schema["properties"].as_object_mut(), common) else { return schema };
    for (name, about) in common {
        members.entry(name).or_insert(about);
    }
    schema
}

/// The kind of this name.
pub(crate) fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// The error for an unknown kind.
pub(crate) fn unknown_kind(pointer: String) -> FieldError {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    FieldError { pointer, code: UNKNOWN_KIND, detail: format!("The kinds are {}.", names.join(", ")) }
}

/// Finds values that don't match their schema. Supports the part of JSON Schema that the kinds use. The engine checks
/// rules.
pub(crate) fn misfits(schema: &Value, value: &Value, pointer: &str, wrong: &mut Vec<FieldError>) {
    let mut refuse = |code, detail: String| wrong.push(FieldError { pointer: pointer.to_owned(), code, detail });
    if let Some(choices) = schema["enum"].as_array() {
        if !choices.contains(value) {
            let words: Vec<String> = choices.iter().map(Value::to_string).collect();
            refuse(fault::NOT_A_CHOICE, format!("Expected one of {}.", words.join(", ")));
        }
        return;
    }
    if let Some(type_name) = schema["type"].as_str() {
        let fits = match type_name {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "number" => value.is_number(),
            _ => true,
        };
        if !fits {
            return refuse(fault::WRONG_TYPE, format!("Expected a value of type {type_name}."));
        }
    }
    if schema["format"] == "date" && value.as_str().is_some_and(|day| !widgets::is_day(day)) {
        return refuse(fault::WRONG_FORMAT, "Enter an existing date, such as 2026-11-21.".into());
    }
    if let Some(number) = value.as_f64() {
        let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
            let word = |edge: Option<f64>| edge.map_or_else(|| "any".to_owned(), |edge| edge.to_string());
            refuse(fault::OUT_OF_RANGE, format!("Use {} to {}.", word(least), word(most)));
        }
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            refuse(fault::MISSING, format!("{name} is required."));
        }
    }
    let own = schema["properties"].as_object();
    for (name, inner) in value.as_object().into_iter().flatten() {
        let at = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        match (own.and_then(|own| own.get(name)), schema.get("additionalProperties"), own) {
            (Some(about), ..) | (None, Some(about @ Value::Object(_)), _) => misfits(about, inner, &at, wrong),
            (None, None, Some(own)) if !own.is_empty() => {
                let names: Vec<&str> = own.keys().map(String::as_str).collect();
                let detail = format!("Unknown field {name}. Accepted: {}.", names.join(", "));
                wrong.push(FieldError { pointer: at, code: fault::UNKNOWN_FIELD, detail });
            }
            _ => {}
        }
    }
    let day = |name: &str| {
        let is_one = own.is_some_and(|own| own.get(name).is_some_and(|about| about["format"] == "date"));
        value.get(name).and_then(Value::as_str).filter(|day| is_one && widgets::is_day(day))
    };
    if let (Some(from), Some(to)) = (day("from"), day("to"))
        && to < from
    {
        let detail = format!("The last day must not be before the first, {from}.");
        wrong.push(FieldError { pointer: format!("{pointer}/to"), code: fault::OUT_OF_RANGE, detail });
    }
    if let (Some(entries), Some(about)) = (value.as_array(), schema.get("items")) {
        for (index, entry) in entries.iter().enumerate() {
            misfits(about, entry, &format!("{pointer}/{index}"), wrong);
        }
    }
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// Documents the answer.
pub(crate) struct SchemaFile;
impl Media for SchemaFile {
    const TYPES: &'static [&'static str] = &["application/schema+json"];
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<Map<String, Value>>())
    }
}

pub(crate) async fn get(_: Ctx, _: Call, _: Nothing) -> Result<Raw<SchemaFile>> {
    let body = document().to_string();
    Ok(Reply { content_type: "application/schema+json", ..Reply::json_bytes(body) }.into())
}

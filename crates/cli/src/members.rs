//! What an operation takes, read from its input's JSON Schema in the few kinds that a command line can say.

use kit::Op;
use serde_json::{Map, Number, Value};

/// How a value is written on the command line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// `--flag` or `--flag=false`.
    Flag,
    /// Text, verbatim.
    Text,
    /// Text that no argument takes, since other programs may read arguments: you type it without it being shown, or read from
    /// standard input.
    Secret,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// One of these words.
    Choice(Vec<String>),
    /// The option repeated, each value as inside.
    List(Box<Kind>),
    /// JSON text, `@file` or `-`.
    Json,
    /// The same where any JSON is taken, a text too: what is no JSON is that text.
    Any,
}

/// One member of the input.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    /// As sent.
    pub name: String,
    pub kind: Kind,
    pub required: bool,
    pub doc: String,
}

/// The members of an operation's input, path parameters included; required ones first, each part in order of name.
pub(crate) fn list(op: &Op) -> Vec<Member> {
    let schema = op.input_schema();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let mut members: Vec<Member> = properties
        .iter()
        .map(|(name, schema)| Member {
            name: name.clone(),
            kind: kind(schema),
            required: required.contains(&name.as_str()),
            doc: schema["description"].as_str().unwrap_or("").to_owned(),
        })
        .collect();
    members.sort_by_key(|member| !member.required);
    members
}

fn kind(schema: &Value) -> Kind {
    if let Some(inner) = only_alternative(schema) {
        return kind(inner);
    }
    if schema["writeOnly"] == true {
        return Kind::Secret;
    }
    if let Some(words) = words(schema) {
        return Kind::Choice(words);
    }
    match type_of(schema) {
        Some("boolean") => Kind::Flag,
        Some("string") => Kind::Text,
        Some("integer") => Kind::Integer,
        Some("number") => Kind::Number,
        Some("array") => match kind(&schema["items"]) {
            Kind::Json | Kind::Any | Kind::List(_) => Kind::Json,
            // A list of switches has no pleasant form; the words do.
            Kind::Flag => Kind::List(Box::new(Kind::Choice(vec!["true".into(), "false".into()]))),
            scalar => Kind::List(Box::new(scalar)),
        },
        _ if constrains(schema) => Kind::Json,
        _ => Kind::Any,
    }
}

/// Whether the schema says anything of what is taken.
fn constrains(schema: &Value) -> bool {
    let says = ["type", "$ref", "anyOf", "oneOf", "allOf", "not", "enum", "const", "properties"];
    says.iter().any(|word| schema.get(word).is_some())
}

/// The one type beside null.
fn type_of(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::String(one) => Some(one),
        Value::Array(many) => {
            match many.iter().filter_map(Value::as_str).filter(|t| *t != "null").collect::<Vec<_>>() {
                types if types.len() == 1 => Some(types[0]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `anyOf [T, null]` and `allOf [T]` are T.
fn only_alternative(schema: &Value) -> Option<&Value> {
    let branches = ["anyOf", "oneOf", "allOf"].iter().find_map(|member| schema[*member].as_array())?;
    let mut others = branches.iter().filter(|branch| branch["type"] != "null");
    others.next().filter(|_| others.next().is_none())
}

/// The words of an enumeration of texts.
fn words(schema: &Value) -> Option<Vec<String>> {
    if let Some(word) = schema["const"].as_str() {
        return Some(vec![word.to_owned()]);
    }
    if let Some(all) = schema["enum"].as_array() {
        return all.iter().filter(|word| !word.is_null()).map(|word| word.as_str().map(str::to_owned)).collect();
    }
    let branches = ["oneOf", "anyOf"].iter().find_map(|member| schema[*member].as_array())?;
    let parts: Option<Vec<Vec<String>>> = branches.iter().filter(|b| b["type"] != "null").map(words).collect();
    Some(parts?.concat())
}

impl Kind {
    /// What help calls the value.
    pub(crate) fn value_name(&self) -> &'static str {
        match self {
            Kind::Flag => "BOOL",
            Kind::Text | Kind::Secret => "TEXT",
            Kind::Integer | Kind::Number => "NUMBER",
            Kind::Choice(_) => "WORD",
            Kind::List(inner) => inner.value_name(),
            Kind::Json => "JSON",
            Kind::Any => "VALUE",
        }
    }

    /// Reads one value as written; JSON is read elsewhere, since it may stand in a file.
    pub(crate) fn read(&self, text: &str) -> Result<Value, String> {
        match self {
            Kind::Flag => match text {
                "true" => Ok(true.into()),
                "false" => Ok(false.into()),
                _ => Err("Expected true or false".into()),
            },
            Kind::Integer => match text.parse::<Number>() {
                Ok(n) if n.is_i64() || n.is_u64() => Ok(n.into()),
                _ => Err("Expected a whole number".into()),
            },
            Kind::Number => text.parse::<Number>().map(Value::Number).map_err(|_| "Expected a number".into()),
            Kind::List(inner) => inner.read(text),
            Kind::Text | Kind::Secret | Kind::Choice(_) | Kind::Json | Kind::Any => Ok(text.into()),
        }
    }
}

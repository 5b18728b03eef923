//! Generates the OpenAPI 3.1 document from the operations.

use crate::codes;
use crate::docs::group_of;
use kit::op::Takes;
use kit::{Code, Kind, Method, Op, error};
use schemars::SchemaGenerator;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};

const SCHEMAS: &str = "#/components/schemas/";
/// Prefix of references to inputs until both lists are joined.
const INPUTS: &str = "#/components/inputs/";

/// Errors of every operation besides its own: those of the guard, and general ones.
const SHARED: &[&Code] = &[
    &error::NOT_JSON,
    &codes::TOKEN_IN_URL,
    &codes::BAD_HEADER,
    &codes::BAD_PATH,
    &codes::BODY_NOT_TAKEN,
    &codes::BODY_BROKEN_OFF,
    &error::NO_TOKEN,
    &codes::CONTROL_SERVER_OFF,
    &error::FORBIDDEN,
    &error::SCOPE_MISSING,
    &codes::FOREIGN_ORIGIN,
    &codes::CROSS_SITE,
    &codes::SOURCE_SESSION_FOREIGN,
    &error::NOT_FOUND,
    &error::NO_SUCH_ROUTE,
    &error::WRONG_METHOD,
    &codes::BODY_TOO_SLOW,
    &error::CONFLICT,
    &error::STALE,
    &error::TOO_LARGE,
    &error::WRONG_TYPE_OF_CONTENT,
    &codes::WRONG_HOST,
    &error::INVALID,
    &error::TOO_MANY,
    &codes::HEADERS_TOO_LARGE,
    &error::INTERNAL,
    &error::READ_ONLY,
];

/// Creates the document. `codes` are all declared codes.
pub fn openapi(ops: &[Op], codes: &[&Code]) -> Value {
    // Members with a default are optional in requests and always present in responses.
    let mut inputs = generator(INPUTS, Contract::Deserialize);
    let mut answers = generator(SCHEMAS, Contract::Serialize);
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for op in ops {
        let method = op.method.name().to_ascii_lowercase();
        paths.entry(op.path).or_default().insert(method, operation(op, &mut inputs, &mut answers));
    }
    paths.entry("/health").or_default().insert("get".to_owned(), health());
    let tags: BTreeSet<&str> = ops.iter().map(group_of).collect();
    let mut paths = json!(paths);
    let all = joined(&mut paths, inputs.take_definitions(true), answers.take_definitions(true));
    let mut schemas = used(&paths, all);
    let taken = schemas.insert("Problem".to_owned(), problem(codes));
    debug_assert!(taken.is_none(), "an answer's record has the name of the document of errors: {taken:?}");
    json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Pilothouse control server",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The local API for scripts and agents. Every error is a problem document (RFC 9457).",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "http://127.0.0.1:19519"}],
        "security": [{"bearer": []}],
        "tags": tags.into_iter().map(|tag| json!({"name": tag})).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "responses": shared_responses(),
            "schemas": schemas,
        },
    })
}

fn generator(definitions: &str, contract: Contract) -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.definitions_path = definitions.trim_start_matches('#').trim_end_matches('/').to_owned().into();
        s.meta_schema = None;
        s.contract = contract;
    });
    settings.into_generator()
}

/// Joins the named schemas of inputs and responses. If two with one name differ, or refer to such, the input's is named
/// `NAMEInput`.
fn joined(paths: &mut Value, inputs: Map<String, Value>, mut answers: Map<String, Value>) -> Map<String, Value> {
    let with_names = |schema: &Value, differ: &HashSet<String>| {
        let mut schema = schema.clone();
        lead_to_schemas(&mut schema, differ);
        schema
    };
    let mut differ: HashSet<String> = HashSet::new();
    loop {
        let before = differ.len();
        for (name, schema) in &inputs {
            if answers.get(name).is_some_and(|answer| *answer != with_names(schema, &differ)) {
                differ.insert(name.clone());
            }
        }
        if differ.len() == before {
            break;
        }
    }
    lead_to_schemas(paths, &differ);
    for (name, schema) in &inputs {
        let called = if differ.contains(name) { format!("{name}Input") } else { name.clone() };
        let taken = answers.insert(called, with_names(schema, &differ));
        debug_assert!(taken.is_none() || !differ.contains(name), "{name}Input is the name of something else");
    }
    answers
}

fn lead_to_schemas(value: &mut Value, differ: &HashSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref")
                && let Some(name) = target.strip_prefix(INPUTS)
            {
                *target = format!("{SCHEMAS}{name}{}", if differ.contains(name) { "Input" } else { "" });
            }
            members.values_mut().for_each(|member| lead_to_schemas(member, differ));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| lead_to_schemas(item, differ)),
        _ => {}
    }
}

fn operation(op: &Op, inputs: &mut SchemaGenerator, answers: &mut SchemaGenerator) -> Value {
    let callers: Vec<_> = Kind::ALL.into_iter().filter(|kind| op.callers.has(*kind)).map(Kind::name).collect();
    let mut operation = json!({
        "operationId": op.name,
        "tags": [group_of(op)],
        "summary": op.doc.split_inclusive(". ").next().unwrap_or(op.doc).trim().trim_end_matches('.'),
        "description": op.doc,
        "x-callers": callers,
    });
    if !op.scope.is_empty() {
        operation["x-scope"] = op.scope.into();
    }
    if op.callers.has(Kind::Public) {
        operation["security"] = json!([{}, {"bearer": []}]);
    }
    let input = resolved((op.input)(inputs).to_value(), inputs);
    let (mut parameters, body) = split(op, input);
    if op.if_match {
        let schema = json!({
            "type": "string",
            "description": "Tags (`\"7\"`) of the revisions that the change may be made to; where the stored one is another, 412 is answered and nothing is changed.",
        });
        parameters.push(parameter("If-Match", "header", false, schema));
    }
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(body) = body {
        operation["requestBody"] = body;
    }
    operation["responses"] = responses(op, answers);
    operation
}

/// Resolves a reference to a named schema.
fn resolved(schema: Value, generator: &SchemaGenerator) -> Value {
    let name = schema["$ref"].as_str().and_then(|target| target.strip_prefix(INPUTS));
    match name.and_then(|name| generator.definitions().get(name)) {
        Some(definition) => definition.clone(),
        None => schema,
    }
}

/// Parameters of path and query, and the body.
fn split(op: &Op, mut input: Value) -> (Vec<Value>, Option<Value>) {
    let mut members = match input["properties"].take() {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let mut required: Vec<Value> = input["required"].as_array().cloned().unwrap_or_default();
    let mut parameters = Vec::new();
    for name in op.path_params() {
        let schema = members.remove(name).unwrap_or_else(|| json!({"type": "string"}));
        required.retain(|member| member != name);
        parameters.push(parameter(name, "path", true, schema));
    }
    let in_query = matches!(op.method, Method::Get | Method::Delete) || op.takes != Takes::Json;
    if in_query {
        for (name, schema) in members {
            let must = required.iter().any(|member| *member == *name);
            parameters.push(parameter(&name, "query", must, schema));
        }
        return match op.takes {
            Takes::Json => (parameters, None),
            Takes::File(media) => (parameters, Some(file(media))),
        };
    }
    let shaped_otherwise = ["anyOf", "oneOf", "allOf"].iter().any(|word| input.get(word).is_some());
    let open = input.get("additionalProperties").is_some_and(|more| *more != false);
    if members.is_empty() && !shaped_otherwise && !open {
        return (parameters, None);
    }
    let must = !required.is_empty();
    let schema = input.as_object_mut().expect("an input is described by an object");
    schema.remove("title");
    schema.retain(|word, value| !(word == "properties" && value.is_null()));
    if !members.is_empty() {
        schema.insert("properties".to_owned(), members.into());
    }
    schema.insert("required".to_owned(), required.into());
    (parameters, Some(json!({"required": must, "content": {"application/json": {"schema": input}}})))
}

fn parameter(name: &str, place: &str, required: bool, mut schema: Value) -> Value {
    let description = schema.as_object_mut().and_then(|members| members.remove("description"));
    let mut parameter = json!({"name": name, "in": place, "required": required, "schema": schema});
    if let Some(description) = description {
        parameter["description"] = description;
    }
    parameter
}

fn file(media: &[&str]) -> Value {
    let mut content: Map<String, Value> = media.iter().map(|media| (media.to_string(), json!({}))).collect();
    content.insert(
        "multipart/form-data".to_owned(),
        json!({"schema": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}, "required": ["file"]}}),
    );
    json!({"required": true, "content": content})
}

fn responses(op: &Op, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let mut success = json!({"description": "Done."});
    let schema = (op.output)(generator).map(|schema| schema.to_value());
    if op.status != 204 {
        let content = op.media.iter().map(|media| match &schema {
            Some(schema) if media.ends_with("json") => (media.to_string(), json!({ "schema": schema })),
            _ => (media.to_string(), json!({})),
        });
        success["content"] = Value::Object(content.collect());
    }
    if op.located {
        success["headers"] =
            json!({"Location": {"description": "Path of the new resource.", "schema": {"type": "string"}}});
    }
    if op.method.reads() {
        success["headers"] =
            json!({"ETag": {"description": "Tag of this version, if there is one.", "schema": {"type": "string"}}});
        responses.insert("304".to_owned(), json!({"description": "The caller has this version (`If-None-Match`)."}));
    }
    for status in op.also.iter().chain([&op.status]) {
        responses.insert(status.to_string(), success.clone());
    }
    let own = op.errors.iter().copied().chain(op.switch.map(|(_, code)| code));
    let mut of_status: BTreeMap<u16, Vec<&Code>> = BTreeMap::new();
    for code in own {
        of_status.entry(code.status).or_default().push(code);
    }
    for code in SHARED {
        of_status.entry(code.status).or_default();
    }
    for (status, mut own) in of_status {
        let shared = SHARED.iter().copied().filter(|code| code.status == status);
        let conflicts = op.conflicts.filter(|_| status == error::STALE.status);
        let response = if own.is_empty() && conflicts.is_none() {
            json!({"$ref": format!("#/components/responses/E{status}")})
        } else {
            own.extend(shared);
            let mut response = problem_response(&own);
            if let Some(conflicts) = conflicts {
                let several = json!({"type": "object", "properties": {
                    "conflicts": {"type": "array", "items": conflicts(generator), "description": "Each place whose value differs from what the caller saw."},
                    "conflictCount": {"type": "integer", "minimum": 0, "description": "Number of conflicts. Long lists are truncated."},
                }});
                let schema = &mut response["content"]["application/problem+json"]["schema"];
                *schema = json!({"allOf": [schema.take(), several]});
            }
            response
        };
        responses.insert(status.to_string(), response);
    }
    responses.into()
}

fn shared_responses() -> Value {
    let mut of_status: BTreeMap<u16, Vec<&Code>> = BTreeMap::new();
    for code in SHARED {
        of_status.entry(code.status).or_default().push(code);
    }
    of_status
        .into_iter()
        .map(|(status, codes)| (format!("E{status}"), problem_response(&codes)))
        .collect::<Map<_, _>>()
        .into()
}

fn problem_response(codes: &[&Code]) -> Value {
    let mut words: Vec<_> = codes.iter().map(|code| format!("`{}`: {}.", code.name, code.title)).collect();
    words.sort();
    words.dedup();
    json!({
        "description": words.join(" "),
        "content": {"application/problem+json": {"schema": {"$ref": format!("{SCHEMAS}Problem")}}},
    })
}

fn problem(codes: &[&Code]) -> Value {
    let names: BTreeSet<&str> = codes.iter().chain(SHARED).map(|code| code.name).collect();
    json!({
        "type": "object",
        "description": "An error (RFC 9457).",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": {"type": "string", "format": "uri"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "code": {"type": "string", "enum": names},
            "errors": {"type": "array", "items": {
                "type": "object",
                "required": ["pointer", "code", "detail"],
                "properties": {"pointer": {"type": "string"}, "code": {"type": "string"}, "detail": {"type": "string"}},
            }},
        },
    })
}

fn health() -> Value {
    let text = json!({"type": "string"});
    let refused = |status: u16| json!({"$ref": format!("#/components/responses/E{status}")});
    json!({
        "operationId": "health",
        "summary": "Health",
        "description": "Needs no token. With `challenge` the answer proves knowledge of the command-line token: HMAC-SHA-256 \
            with the token as key over CHALLENGE, a vertical bar and the request's Host (`host`), in hexadecimal. `of` names \
            another token, by the SHA-256 of its SHA-256 in hexadecimal; `tokenProof` is made with its SHA-256 as key. \
            Without a token that is in force under this name it is left out.",
        "security": [],
        "parameters": [{"name": "challenge", "in": "query", "required": false, "description": "16 to 64 random bytes in hexadecimal.",
            "schema": {"type": "string", "pattern": "^([0-9a-fA-F]{2}){16,64}$"}},
            {"name": "of", "in": "query", "required": false, "description": "Which token.", "schema": text}],
        "responses": {
            "200": {"description": "Done.", "content": {"application/json": {"schema": {
                "type": "object", "required": ["name", "version", "instanceId", "ready"],
                "properties": {"name": {"const": "pilothouse"}, "version": text, "instanceId": text, "ready": {"type": "boolean"}, "proof": text, "tokenProof": text, "host": text},
            }}}},
            "400": refused(400), "403": refused(403), "405": refused(405), "421": refused(421), "422": refused(422), "431": refused(431),
        },
    })
}

/// The named schemas that the paths refer to. Inputs were split, so their own names aren't needed.
fn used(paths: &Value, mut all: Map<String, Value>) -> Map<String, Value> {
    let mut used = Map::new();
    let mut open = referred(paths);
    while let Some(name) = open.pop() {
        if let Some(schema) = all.remove(&name) {
            open.extend(referred(&schema));
            used.insert(name, schema);
        }
    }
    used.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect()
}

fn referred(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(SCHEMAS));
            own.map(str::to_owned).into_iter().chain(members.values().flat_map(referred)).collect()
        }
        Value::Array(items) => items.iter().flat_map(referred).collect(),
        _ => Vec::new(),
    }
}

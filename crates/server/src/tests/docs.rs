//! What is made from the rows.

use super::*;
use crate::{errors_md, openapi, operations_md};

#[test]
fn operations_stand_against_every_kind_of_caller() {
    let page = operations_md(&synthetic_ops());
    assert!(
        page.contains("| `things.list` | `GET /things` | Lists things. | yes | yes | `things:read` | yes | |"),
        "{page}"
    );
    assert!(page.contains("| `things.delete` | `DELETE /things/{id}` | Deletes a thing. | yes | | | | |"), "{page}");
    assert!(
        page.contains("| `login.exchange` | `POST /login` | Exchanges a code. | yes | yes | yes | yes | yes |"),
        "{page}"
    );
}

#[tokio::test]
async fn addresses_beside_the_operations_are_named_and_need_no_token() {
    let (page, server) = (operations_md(&synthetic_ops()), Running::start(quick()).await);
    for (path, _) in crate::pages::BESIDE {
        assert!(page.contains(&format!("\n| `{path}` | ")), "{path}: {page}");
        let answer = server.raw(&format!("GET {path} HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n")).await;
        assert!(matches!(answer.status, 200 | 307), "{path}: {}", answer.status);
    }
    server.stop().await;
}

#[test]
fn errors_are_listed_once_in_order() {
    let codes = [crate::CODES, crate::CODES, kit::error::CODES].concat();
    let page = errors_md(&codes, &[kit::fault::FAULTS, crate::FAULTS].concat(), &[]);
    assert_eq!(page.matches("`wrong-host`").count(), 1);
    assert!(page.find("`not-json`") < page.find("`no-token`"));
    let places = page.find("## Codes of single values").unwrap();
    assert!(page.find("`no-token`").unwrap() < places && places < page.find("| `given-twice` | ").unwrap(), "{page}");
    assert!(page.find("`given-twice`") < page.find("`missing`"));
}

#[test]
fn parameters_bodies_and_answers_are_described() {
    let document = openapi(&synthetic_ops(), kit::error::CODES);
    let list = &document["paths"]["/things"]["get"];
    assert_eq!(list["operationId"], "things.list");
    assert_eq!(list["x-callers"], json!(["owner", "cli", "agent", "member"]));
    assert_eq!(
        list["parameters"][0],
        json!({"name": "done", "in": "query", "required": false, "schema": {"type": ["boolean", "null"]}})
    );
    let change = &document["paths"]["/things/{id}"]["patch"];
    assert_eq!(
        change["parameters"],
        json!([
            {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "If-Match", "in": "header", "required": false, "schema": {"type": "string"}, "description": change["parameters"][1]["description"]},
        ])
    );
    let removal = &document["paths"]["/things/{id}"]["delete"]["parameters"];
    assert_eq!(removal.as_array().unwrap().len(), 1, "what heeds no If-Match is not said to: {removal}");
    let body = &change["requestBody"];
    assert_eq!(body["required"], false);
    assert_eq!(
        body["content"]["application/json"]["schema"],
        json!({"type": "object", "additionalProperties": false, "properties": {"name": {"type": ["string", "null"]}}, "required": []})
    );
    let create = &document["paths"]["/things"]["post"];
    assert_eq!(create["requestBody"]["required"], true);
    assert!(create["responses"]["201"]["headers"]["Location"].is_object());
    assert!(create["responses"]["409"]["description"].as_str().unwrap().contains("`board-full`"));
    assert_eq!(create["summary"], "Makes a thing");
    assert_eq!(document["paths"]["/things/{id}"]["delete"]["responses"]["204"], json!({"description": "Done."}));
    assert_eq!(document["paths"]["/login"]["post"]["security"], json!([{}, {"bearer": []}]));
    assert!(document["paths"]["/login"]["post"]["requestBody"].is_null());
    assert!(document["paths"]["/things/import"]["post"]["requestBody"]["content"]["text/csv"].is_object());
    assert!(document["paths"]["/mcp"]["post"]["responses"]["202"].is_object());
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            for status in ["400", "403", "405", "421", "422", "431"] {
                assert!(operation["responses"][status].is_object(), "{method} {path} {status}");
            }
        }
    }
}

#[test]
fn answers_are_described_as_they_are_sent_and_inputs_as_they_are_taken() {
    let document = openapi(&synthetic_ops(), kit::error::CODES);
    let update = &document["paths"]["/shapes"]["patch"];
    let body = &update["requestBody"]["content"]["application/json"]["schema"]["properties"]["shape"];
    assert_eq!(body["$ref"], "#/components/schemas/ShapeInput");
    let answer = &update["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(answer["$ref"], "#/components/schemas/Shape");
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["ShapeInput"]["required"], json!(["part"]));
    assert_eq!(schemas["Shape"]["required"], json!(["sides", "part"]));
    assert_eq!(schemas["ShapeInput"]["properties"]["part"], schemas["Shape"]["properties"]["part"]);
    assert!(schemas["Part"].is_object() && schemas["PartInput"].is_null(), "what is the same has one name");
    let stale = &update["responses"]["412"]["content"]["application/problem+json"]["schema"]["allOf"];
    assert_eq!(stale[0]["$ref"], "#/components/schemas/Problem");
    assert_eq!(stale[1]["properties"]["conflicts"]["items"]["$ref"], "#/components/schemas/Part");
    let other = &document["paths"]["/things/{id}"]["patch"]["responses"]["412"];
    assert_eq!(other["$ref"], "#/components/responses/E412");
}

/// Every reference leads somewhere, and no named schema is left over.
#[test]
fn references_hold() {
    fn references(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                if let Some(target) = members.get("$ref").and_then(Value::as_str) {
                    into.push(target.to_owned());
                }
                members.values().for_each(|value| references(value, into));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, into)),
            _ => {}
        }
    }
    let document = openapi(&synthetic_ops(), kit::error::CODES);
    let mut targets = Vec::new();
    references(&document, &mut targets);
    for target in &targets {
        assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target} leads nowhere");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(targets.contains(&format!("#/components/schemas/{name}")), "{name} is not referred to");
    }
}

#[tokio::test]
async fn the_document_is_served() {
    let server = Running::start(quick()).await;
    let answer = server.get("/openapi.json", MEMBER).await;
    assert_eq!(answer.json(), openapi(&synthetic_ops(), kit::error::CODES));
    let again = format!(
        "GET /openapi.json HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nauthorization: Bearer {MEMBER}\r\nif-none-match: {}\r\n\r\n",
        answer.header("etag").unwrap()
    );
    assert_eq!(server.raw(&again).await.status, 304);
    server.stop().await;
}

//! The files that are derived from the rows. Each test rewrites its file and fails where it differed.

use super::access::made;
use super::program;
use crate::features;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

/// Rewrites a file where it differs; whether it did.
fn rewrite(file: &str, fresh: &str) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let is_stale = fs::read_to_string(&path).unwrap_or_default() != fresh;
    if is_stale {
        fs::write(&path, fresh).expect("the checkout can be written");
    }
    is_stale
}

#[track_caller]
fn is_current(file: &str, fresh: &str) {
    assert!(
        !rewrite(file, fresh),
        "{file} did not match the rows; it is rewritten now: look at the change and commit it"
    );
}

#[test]
fn generated_settings_reference() {
    is_current("docs/settings.md", &settings::settings_md(&features::catalog()));
}

#[test]
fn generated_keys_of_the_page() {
    is_current("ui/src/gen/settings.ts", &settings::settings_ts(&features::catalog()));
}

#[test]
fn generated_presets_reference() {
    is_current("docs/presets.md", &boards::presets_md());
}

#[test]
fn generated_filters_reference() {
    is_current("docs/filters.md", &boards::filters_md());
}

#[test]
fn generated_filters_of_the_page() {
    is_current("ui/src/gen/filters.ts", &boards::filters_ts());
}

#[test]
fn generated_titles_of_the_page() {
    is_current("ui/src/gen/titles.ts", &dashboards::titles_ts());
}

#[test]
fn generated_looks_of_the_page() {
    is_current("ui/src/gen/looks.ts", &dashboards::looks_ts());
}

#[test]
fn generated_limits_of_the_page() {
    is_current("ui/src/gen/limits.ts", &boards::limits_ts());
}

#[test]
fn generated_final_marker_of_the_page() {
    is_current("ui/src/gen/finalMarker.ts", &sessions::final_marker_ts());
}

#[test]
fn generated_formulas_reference() {
    is_current("docs/formulas.md", &boards::formulas_md());
}

#[test]
fn generated_operations_reference() {
    is_current("docs/operations.md", &server::operations_md(&features::ops()));
}

#[test]
fn generated_errors_reference() {
    is_current("docs/errors.md", &server::errors_md(&features::codes(), &features::faults(), cli::FAULTS));
}

#[test]
fn generated_schema_of_dashboards() {
    is_current("docs/dashboard.schema.json", &dashboards::schema_json());
}

/// One file for each feature, with its operations and the schemas that only they use, and `shared.json` with the rest.
#[test]
fn generated_openapi_documents() {
    let mut document = server::openapi(&features::ops(), &features::codes());
    let owners: HashMap<(&str, String), &str> = features::all()
        .iter()
        .flat_map(|feature| {
            feature.ops.iter().map(|op| ((op.path, op.method.name().to_ascii_lowercase()), feature.name))
        })
        .collect();
    let mut files: BTreeMap<&str, Value> = BTreeMap::new();
    let Value::Object(paths) = document["paths"].take() else { panic!("paths") };
    for (path, methods) in &paths {
        for (method, operation) in methods.as_object().expect("methods") {
            let owner = owners.get(&(path.as_str(), method.clone())).copied().unwrap_or("server");
            files.entry(owner).or_default()["paths"][path][method] = operation.clone();
        }
    }
    let Value::Object(schemas) = document["components"]["schemas"].take() else { panic!("schemas") };
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (owner, file) in &files {
        let mut open = vec![file];
        let mut seen = BTreeSet::new();
        while let Some(value) = open.pop() {
            for name in schema_references(value) {
                if let Some((name, schema)) = schemas.get_key_value(name)
                    && seen.insert(name)
                {
                    users.entry(name).or_default().insert(owner);
                    open.push(schema);
                }
            }
        }
    }
    let owners: Vec<(String, &str)> = schemas
        .keys()
        .map(|name| match users.get(name.as_str()) {
            Some(only) if only.len() == 1 => (name.clone(), *only.first().expect("one")),
            _ => (name.clone(), "shared"),
        })
        .collect();
    files.insert("shared", document);
    for (name, owner) in owners {
        files.get_mut(owner).expect("a file")["components"]["schemas"][&name] = schemas[&name].clone();
    }
    files.get_mut("shared").and_then(Value::as_object_mut).expect("an object").remove("paths");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi");
    fs::create_dir_all(&folder).expect("the checkout can be written");
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(files.contains_key(name), "{} belongs to no feature: delete it", path.display());
    }
    let mut stale = Vec::new();
    for (name, file) in files {
        let (path, text) = (format!("docs/openapi/{name}.json"), serde_json::to_string_pretty(&file).expect("JSON"));
        if rewrite(&path, &format!("{text}\n")) {
            stale.push(path);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} did not match the rows; they are rewritten now: look at the change and commit it"
    );
}

/// Names of the schemas that a part of the document refers to.
fn schema_references(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| match value.as_str() {
                Some(text) if key == "$ref" => text.strip_prefix("#/components/schemas/").into_iter().collect(),
                _ => schema_references(value),
            })
            .collect(),
        Value::Array(list) => list.iter().flat_map(schema_references).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn generated_schema() {
    is_current("docs/schema.sql", &store::schema_sql(&features::migrations()));
}

/// The records of all settings that the tests of the page work with, as a fresh program sends them: one on a line.
#[tokio::test]
async fn generated_settings_of_the_page_tests() {
    let list = made(&program().await, "settings.list", json!({})).await;
    let lines = list["settings"].as_array().expect("a list").iter().map(|record| {
        let mut record = record.clone();
        // The same on every platform that the tests run on.
        let reasons = record["effect"]["reasons"].as_array_mut().expect("a list");
        reasons.retain(|reason| reason["code"] != "platform");
        record["effect"]["active"] = Value::from(reasons.is_empty());
        format!("  {record}")
    });
    is_current("ui/src/testing/settings.json", &format!("[\n{}\n]\n", lines.collect::<Vec<_>>().join(",\n")));
}

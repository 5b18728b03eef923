//! The files that are derived from the rows. Each test rewrites its file and fails where it differed.

use super::access::made;
use super::program;
use crate::features;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

#[track_caller]
fn is_current(file: &str, fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let old = fs::read_to_string(&path).unwrap_or_default();
    if old != fresh {
        fs::write(&path, fresh).expect("the checkout can be written");
        panic!("{file} did not match the rows; it is rewritten now: look at the change and commit it");
    }
}

#[test]
fn generated_settings_reference() {
    is_current("docs/settings.md", &settings::settings_md(&features::catalogue()));
}

#[test]
fn generated_keys_of_the_page() {
    is_current("ui/src/gen/settings.ts", &settings::settings_ts(&features::catalogue()));
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

#[test]
fn generated_openapi_document() {
    let document = server::openapi(&features::ops(), &features::codes());
    is_current("docs/openapi.json", &format!("{}\n", serde_json::to_string_pretty(&document).expect("JSON")));
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

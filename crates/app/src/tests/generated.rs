//! The files that are derived from the rows. Each test rewrites its file and fails where it differed.

use crate::features;
use kit::Catalogue;
use std::fs;
use std::path::Path;

#[track_caller]
fn is_current(file: &str, fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(file);
    let old = fs::read_to_string(&path).unwrap_or_default();
    if old != fresh {
        fs::write(&path, fresh).expect("docs/ can be written");
        panic!("docs/{file} did not match the rows; it is rewritten now: look at the change and commit it");
    }
}

#[test]
fn generated_settings_reference() {
    is_current("settings.md", &settings::settings_md(&Catalogue::of(&features::all())));
}

#[test]
fn generated_presets_reference() {
    is_current("presets.md", &boards::presets_md());
}

#[test]
fn generated_operations_reference() {
    is_current("operations.md", &server::operations_md(&features::ops()));
}

#[test]
fn generated_errors_reference() {
    is_current("errors.md", &server::errors_md(&features::codes()));
}

#[test]
fn generated_openapi_document() {
    let document = server::openapi(&features::ops(), &features::codes());
    is_current("openapi.json", &format!("{}\n", serde_json::to_string_pretty(&document).expect("JSON")));
}

#[test]
fn generated_schema() {
    is_current("schema.sql", &store::schema_sql(&features::migrations()));
}

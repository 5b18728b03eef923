//! Parts of the JSON Schema of configurations that several kinds have.

use serde_json::{Value, json};

/// A kind's schema, which only the server publishes: the page's engine is smaller without it.
pub(super) const fn server_only(schema: fn() -> Value) -> fn() -> Value {
    if cfg!(target_arch = "wasm32") { || Value::Null } else { schema }
}

/// JSON Schema of `includeSubitems`.
pub(super) fn include_subitems_schema() -> Value {
    json!({"type": "boolean", "description": "Count subitems too. By default, they count if only subitems have the requested sprints."})
}

/// JSON Schema of `format`.
pub(super) fn format_schema() -> Value {
    json!({"type": "object", "properties": {
        "abbreviate": {"type": "boolean", "default": true, "description": "Write 1.2K for 1,234."},
        "currency": {"type": "string", "description": "ISO 4217 code or symbol. Default: that of the mapped columns."},
        "currencyPosition": {"enum": ["left", "right"], "default": "left"},
        "unit": {"type": "string", "description": "Text after the number. Default: that of the mapped columns."},
        "percent": {"type": "boolean", "description": "Append % to the number as stored."},
        "decimals": {"type": "integer", "minimum": 0, "maximum": 10, "description": "Decimals of the full form."}}})
}

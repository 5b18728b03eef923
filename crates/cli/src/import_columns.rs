//! The columns of an import, for people: what each became, with the settings that were detected.

use serde_json::{Map, Value};

/// Adds the new board's columns to the result of an import, and says in a preview's what their settings are. The labels and the
/// unit stand for the settings.
pub(crate) fn with_columns(answer: &mut Value) {
    if let Some(columns) = answer.get_mut("columns").and_then(Value::as_array_mut) {
        for column in columns.iter_mut().filter_map(Value::as_object_mut) {
            let settings = column.remove("settings").unwrap_or_default();
            column.extend(shown(&settings));
        }
        return;
    }
    let Some(columns) = answer["board"]["columns"].as_array() else { return };
    let columns: Value = columns
        .iter()
        .map(|column| {
            let named = ["title", "type"].map(|member| (member.to_owned(), column[member].clone()));
            Value::Object(named.into_iter().chain(shown(&column["settings"])).collect())
        })
        .collect();
    answer["columns"] = columns;
}

/// A number's unit, currency, or percent sign, and the texts of labels.
fn shown(settings: &Value) -> Map<String, Value> {
    let percent = (settings["percent"] == true).then(|| "%".into());
    let unit = percent.or_else(|| ["currency", "unit"].iter().find_map(|member| settings.get(*member).cloned()));
    let labels = settings["labels"].as_array();
    let labels = labels.map(|labels| labels.iter().map(|label| label["text"].clone()).collect());
    [("unit", unit), ("labels", labels)]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

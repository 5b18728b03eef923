//! The keys and the types of their values for the page, made from the rows.

use crate::batch::DOCUMENT_BYTES_MAX;
use kit::Catalog;
use kit::setting::Shape;
use std::fmt::Write;

/// `ui/src/gen/settings.ts`.
pub fn settings_ts(catalog: &Catalog) -> String {
    let mut page = String::from(
        "// Generated from the rows of the settings; do not edit: `cargo test -p app generated`.\n\n\
         /** Every setting by its key, with the type of its value. */\nexport interface SettingValues {\n",
    );
    for spec in &catalog.rows {
        let _ = writeln!(page, "  {}: {};", spec.key, type_of(&spec.shape));
    }
    page.push_str(
        "}\n\n/** The key of a setting. */\nexport type SettingKey = keyof SettingValues;\n\n\
         /** The key of a setting that is on or off. */\n\
         export type ToggleKey = { [Key in SettingKey]: SettingValues[Key] extends boolean ? Key : never }[SettingKey];\n",
    );
    let _ = writeln!(
        page,
        "\n/** Bytes that a document of settings may have. */\nexport const DOCUMENT_BYTES_MAX = {DOCUMENT_BYTES_MAX};"
    );
    page
}

fn type_of(shape: &Shape) -> String {
    let any_of = |words: Vec<String>| words.join(" | ");
    match shape {
        Shape::Toggle => "boolean".into(),
        Shape::Int { .. } | Shape::Number { .. } => "number".into(),
        Shape::Text { nullable, .. } => if *nullable { "string | null" } else { "string" }.into(),
        Shape::Select(choices) => any_of(choices.iter().map(|choice| quoted(choice.value)).collect()),
        Shape::OneOf(choices) => any_of(choices.iter().map(i64::to_string).collect()),
        Shape::List { of, .. } => format!("({})[]", type_of(of)),
        Shape::Map { of } => format!("Record<string, {}>", type_of(of)),
        Shape::Object(fields) => {
            let members = fields.iter().map(|field| {
                let mark = if field.required { "" } else { "?" };
                format!("{}{mark}: {}", quoted(field.name), type_of(&field.shape))
            });
            format!("{{ {} }}", members.collect::<Vec<_>>().join("; "))
        }
    }
}

/// The words of the rows contain neither quotes nor backslashes; the page would not compile with one that does.
fn quoted(word: &str) -> String {
    format!("'{word}'")
}

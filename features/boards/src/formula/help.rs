//! Content of the formula help and of `docs/formulas.md`.

use super::FORMULAS_MAX;
use super::functions::{ALL, Function};
use super::parse::CHARS_MAX;
use super::value::{RESULT_CHARS_MAX, RESULTS_BYTES_MAX};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// A formula function.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "FormulaFunction", rename_all = "camelCase")]
pub(crate) struct FunctionRecord {
    /// Its name.
    pub(super) name: &'static str,
    /// Its syntax.
    usage: &'static str,
    /// What it returns.
    about: &'static str,
    /// An example formula; empty if it needs a column.
    example: &'static str,
    /// Result of the example.
    result: &'static str,
}

/// The functions as the help shows them.
pub(super) fn records() -> Vec<FunctionRecord> {
    let record = |f: &Function| FunctionRecord {
        name: f.name,
        usage: f.usage,
        about: f.about,
        example: f.example.0,
        result: f.example.1,
    };
    ALL.iter().map(record).collect()
}

/// `docs/formulas.md`.
pub fn formulas_md() -> String {
    let mut page = format!(
        "{}\n| function | returns | example |\n|---|---|---|\n",
        include_str!("guide.md")
            .replace("[CHARS]", &CHARS_MAX.to_string())
            .replace("[FORMULAS]", &FORMULAS_MAX.to_string())
            .replace("[RESULT]", &RESULT_CHARS_MAX.to_string())
            .replace("[RESULTS]", &RESULTS_BYTES_MAX.to_string())
    );
    for function in ALL {
        let example = match function.example {
            ("", _) => String::new(),
            (formula, result) => format!("`{formula}` is {result}"),
        };
        let _ = writeln!(page, "| `{}` | {} | {example} |", function.usage, function.about);
    }
    page
}

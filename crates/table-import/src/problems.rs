//! Problems at single places of a file.

use kit::Fault;
use schemars::JsonSchema;
use serde::Serialize;

/// Problems that are listed; the rest is only counted.
pub const PROBLEMS_SHOWN_MAX: usize = 100;

/// A problem in the file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RowProblem")]
pub struct Problem {
    /// Line in the file, from 1; for JSON, the record.
    pub line: u64,
    /// Title of the column; empty for the whole row.
    pub column: String,
    /// Stable, kebab-case.
    pub code: Fault,
    /// The problem and what was done about it.
    pub detail: String,
}

/// Problems found, as many as are listed, and how many there were.
#[derive(Debug, Default)]
pub struct Problems {
    /// The first ones.
    pub listed: Vec<Problem>,
    /// How many there are, also of those that are not listed.
    pub count: u64,
}

impl Problems {
    /// Counts a problem, and lists it where there is room: only then is its detail made.
    pub fn add(&mut self, line: u64, column: &str, code: Fault, detail: impl FnOnce() -> String) {
        self.count += 1;
        if self.listed.len() < PROBLEMS_SHOWN_MAX {
            self.listed.push(Problem { line, column: column.to_owned(), code, detail: detail() });
        }
    }
}

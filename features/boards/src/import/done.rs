//! Which labels of a status mean "done", where another column of the export says it of every row.

use super::infer::Decided;
use super::tools::{DoneBy, Tool};
use csv::StringRecord;
use kit::error::Result;
use std::collections::HashMap;

/// Statuses that are remembered of a column.
const STATUSES_MAX: usize = 1_000;

/// What the rows so far say.
pub(crate) struct DoneMarks(Vec<Marks>);

struct Marks {
    by: DoneBy,
    /// Places of the two columns.
    at: (usize, usize),
    /// Whether every row with the status is finished.
    finished: HashMap<String, bool>,
}

impl DoneMarks {
    /// Nothing seen yet of the columns that the tool names.
    pub(crate) fn of(tool: Option<&'static Tool>, titles: &[String]) -> DoneMarks {
        let place = |wanted: &str| titles.iter().position(|title| title.to_lowercase() == wanted);
        let marks = tool
            .into_iter()
            .flat_map(|tool| tool.done)
            .filter_map(|by| Some(Marks { by: *by, at: (place(by.status)?, place(by.by)?), finished: HashMap::new() }));
        DoneMarks(marks.collect())
    }

    /// Takes one row into account.
    pub(crate) fn see(&mut self, row: &StringRecord) {
        let field = |index: usize| row.get(index).unwrap_or_default().trim();
        for marks in &mut self.0 {
            let (status, other) = (field(marks.at.0), field(marks.at.1).to_lowercase());
            let finished = match marks.by.done {
                "" => !other.is_empty() && other != marks.by.open,
                done => other == done,
            };
            if let Some(all) = marks.finished.get_mut(status) {
                *all &= finished;
            } else if !status.is_empty() && marks.finished.len() < STATUSES_MAX {
                marks.finished.insert(status.to_owned(), finished);
            }
        }
    }

    /// Marks the labels of a column all of whose rows are finished.
    pub(crate) fn mark(&self, index: usize, decided: &mut Decided) -> Result<()> {
        let Some(mut labels) = decided.settings.labels.take() else { return Ok(()) };
        for marks in self.0.iter().filter(|marks| marks.at.0 == index) {
            for label in labels.iter_mut().filter(|label| !label.done && marks.finished.get(&label.text) == Some(&true))
            {
                label.done = true;
                // The colour of what is finished is given anew.
                label.color.clear();
            }
        }
        decided.settings.labels = Some(labels);
        decided.settings = std::mem::take(&mut decided.settings).settle(decided.kind, None)?;
        Ok(())
    }
}

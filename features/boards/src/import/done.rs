//! Finds the status labels that mean done or canceled, if another column of the export says so for each row.

use csv::StringRecord;
use kit::error::Result;
use std::collections::HashMap;
use table_import::infer::Decided;
use table_import::tools::{DoneBy, Tool};
use widgets::Category;

/// Statuses that are remembered of a column.
const STATUSES_MAX: usize = 1_000;

/// Marks collected from the rows so far.
pub(crate) struct DoneMarks(Vec<Marks>);

struct Marks {
    by: DoneBy,
    /// Places of the two columns.
    at: (usize, usize),
    /// What every row with the status is, done where some are and others canceled; nothing where one is open.
    all: HashMap<String, Option<Category>>,
}

impl DoneMarks {
    /// Nothing seen yet of the columns that the tool names.
    pub(crate) fn new(tool: Option<&'static Tool>, titles: &[String]) -> DoneMarks {
        let place = |wanted: &str| titles.iter().position(|title| title.to_lowercase() == wanted);
        let marks = tool
            .into_iter()
            .flat_map(|tool| tool.done)
            .filter_map(|by| Some(Marks { by: *by, at: (place(by.status)?, place(by.by)?), all: HashMap::new() }));
        DoneMarks(marks.collect())
    }

    /// Takes one row into account.
    pub(crate) fn see(&mut self, row: &StringRecord) {
        let field = |index: usize| row.get(index).unwrap_or_default().trim();
        for marks in &mut self.0 {
            let (status, other) = (field(marks.at.0), field(marks.at.1).to_lowercase());
            let is_over = match marks.by.done {
                "" => !other.is_empty() && other != marks.by.open,
                done => other == done,
            };
            let is = if widgets::means_canceled(&other) { Category::Canceled } else { marks.by.is };
            let is = is_over.then_some(is);
            if let Some(all) = marks.all.get_mut(status) {
                *all = match (*all, is) {
                    (Some(one), Some(other)) if one != other => Some(Category::Done),
                    (Some(one), Some(_)) => Some(one),
                    _ => None,
                };
            } else if !status.is_empty() && marks.all.len() < STATUSES_MAX {
                marks.all.insert(status.to_owned(), is);
            }
        }
    }

    /// Sets the category of labels whose rows are all done or all canceled. Labels named as canceled stay canceled.
    pub(crate) fn mark(&self, index: usize, decided: &mut Decided) -> Result<()> {
        let Some(mut labels) = decided.settings.labels.take() else { return Ok(()) };
        for marks in self.0.iter().filter(|marks| marks.at.0 == index) {
            for label in labels.iter_mut().filter(|label| label.category != Some(Category::Canceled)) {
                let Some(Some(category)) = marks.all.get(&label.text) else { continue };
                if label.category != Some(*category) {
                    label.set_category(*category);
                    // Labels that become done get its default color.
                    label.color.clear();
                }
            }
        }
        decided.settings.labels = Some(labels);
        decided.settings = std::mem::take(&mut decided.settings).settle(decided.kind, None)?;
        Ok(())
    }
}

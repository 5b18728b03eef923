//! The target board of an import, and the columns that the file fills.

use super::choices::Override;
use super::given::Table;
use super::links;
use super::plan::{Plan, Role};
use crate::board::{self, GroupRecord};
use crate::cells::Column;
use crate::ids;
use crate::item::NAME;
use column_types::{ColumnType, LABELS_MAX};
use csv::StringRecord;
use kit::Ctx;
use kit::error::Result;
use std::collections::{HashMap, HashSet};
use store::{HasDb, Tx};
use table_import::infer::{Decided, Judge, Seen, new_label};
use table_import::sniff::KnownBoard;
use table_import::tools::Tool;

const NO_COLUMN: &str = "The board has no column with this title, so it was skipped.";
const NOT_IMPORTED: &str = "The board's column with this title can't be imported, so it was skipped.";

/// The target board of an import.
pub(crate) struct Target {
    pub(crate) board_id: String,
    pub(super) columns: Vec<Column>,
    pub(super) groups: Vec<GroupRecord>,
    /// What columns of the last files filled by their titles, the last file first.
    pub(super) files: Vec<HashMap<String, String>>,
    /// The same of the file that made it, where one did.
    pub(super) made_by: Option<HashMap<String, String>>,
    /// The tool whose export came into it last.
    pub(crate) tool: Option<&'static Tool>,
}

impl KnownBoard for Target {
    fn tool(&self) -> Option<&'static Tool> {
        self.tool
    }

    fn knows_titles(&self, row: &StringRecord) -> bool {
        let titles = row.iter().map(|field| field.trim().to_lowercase()).filter(|title| !title.is_empty());
        let is_known = |title: &String| {
            let is_columns = || self.columns.iter().any(|column| column.title.trim().to_lowercase() == *title);
            self.files.first().is_some_and(|file| file.contains_key(title)) || title == NAME || is_columns()
        };
        let (known, others): (Vec<String>, Vec<String>) = titles.partition(is_known);
        known.len() > others.len()
    }
}

impl Target {
    pub(crate) async fn load(ctx: &Ctx, account: String, board_id: String) -> Result<Target> {
        let read = move |tx: &mut Tx<'_>| {
            let board = board::named(tx, &account, &board_id, "/boardId")?;
            Ok(Target {
                columns: board::columns(tx, &account, &board.id)?,
                groups: board::groups(tx, &account, &board.id)?,
                files: links::files(tx, &account, &board.id)?,
                made_by: links::made_by(tx, &account, &board.id)?,
                tool: links::last_source(tx, &account, &board.id)?.and_then(|source| Tool::of_source(&source)),
                board_id: board.id,
            })
        };
        ctx.db().read(read).await
    }

    /// The board's column that a column of the file fills.
    fn column(&self, title: &str, over: Option<&Override>) -> Result<Option<&Column>> {
        let of_id = |id: &str| self.columns.iter().find(|column| column.id == id);
        if let Some(id) = over.and_then(|over| over.column_id.as_deref()) {
            return of_id(id).ok_or_else(|| ids::unknown_column(id, "/columns")).map(Some);
        }
        let title = title.trim().to_lowercase();
        let known = self.files.first().and_then(|file| file.get(&title)).and_then(|id| of_id(id));
        Ok(known.or_else(|| self.columns.iter().find(|column| column.title.trim().to_lowercase() == title)))
    }

    /// The key column of the last import with mostly the same titles.
    pub(crate) fn key_in(&self, titles: &[String]) -> Option<usize> {
        let titles: Vec<String> = titles.iter().map(|title| title.trim().to_lowercase()).collect();
        self.files.iter().find_map(|file| {
            let key = file.get(links::KEY)?;
            let common = titles.iter().filter(|title| file.contains_key(*title)).count();
            // The key stands among what the file filled, and once more for itself.
            (common * 2 >= file.len()).then(|| titles.iter().position(|title| title == key))?
        })
    }

    /// Which of the tables that come into the board a file is.
    pub(super) fn table(&self, plan: &Plan) -> Table {
        Table { name: plan.table(), made_board: self.made_by.as_ref().is_none_or(|titles| plan.is_table_of(titles)) }
    }

    /// Maps detected columns to the board's columns; returns their IDs by index in the file.
    pub(crate) fn map(
        &self,
        judge: &Judge<'_>,
        titles: &[String],
        seen: &[Seen],
        overrides: &[Override],
        roles: &mut [Role],
    ) -> Result<Vec<Option<String>>> {
        let mut taken: Vec<Option<String>> = vec![None; roles.len()];
        for (index, role) in roles.iter_mut().enumerate() {
            let over = overrides.iter().find(|over| over.is_of(index));
            if matches!(role, Role::Name | Role::Group | Role::Parent) || over.is_some_and(|over| over.skip) {
                continue;
            }
            let column = self.column(&titles[index], over)?;
            *role = match column.filter(|column| !taken.contains(&Some(column.id.clone()))) {
                None => Role::Skip(Some(NO_COLUMN)),
                Some(column) => match as_column(judge, column, &seen[index]) {
                    None => Role::Skip(Some(NOT_IMPORTED)),
                    Some(decided) => {
                        taken[index] = Some(column.id.clone());
                        Role::Cells(Box::new(decided))
                    }
                },
            };
        }
        Ok(taken)
    }
}

/// How texts become cells of a column that is there. Texts that are none of its labels yet become new ones.
fn as_column(judge: &Judge<'_>, column: &Column, seen: &Seen) -> Option<Decided> {
    use ColumnType as T;
    let kind = column.kind?;
    let filled = matches!(
        kind,
        T::Text
            | T::LongText
            | T::Number
            | T::Status
            | T::Dropdown
            | T::Tags
            | T::People
            | T::Date
            | T::Timeline
            | T::Checkbox
    ) || matches!(kind, T::Link | T::Email | T::Phone | T::Rating | T::Progress);
    if !filled {
        return None;
    }
    let mut settings = column.settings.clone();
    if kind.has_labels() {
        let labels = settings.labels.get_or_insert_default();
        let known: HashSet<String> = labels.iter().map(|label| label.text.clone()).collect();
        let news: Vec<&str> = seen.distinct().filter(|text| !known.contains(*text)).collect();
        if labels.len() + news.len() <= LABELS_MAX {
            labels.extend(news.into_iter().map(new_label));
        }
    }
    judge.force(kind, Some(settings), seen).or_else(|_| judge.force(kind, Some(column.settings.clone()), seen)).ok()
}

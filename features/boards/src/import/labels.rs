//! Labels and groups that an import adds to an existing board, and their removal.
//!
//! Invariant: only imported rows add any. An undo removes those that are unchanged and unused.

use super::links;
use super::plan::{Plan, Role};
use super::update::Work;
use crate::Settings;
use crate::board::{self, GroupRecord};
use crate::cells::Column;
use crate::change::Edit;
use crate::item::{self, Record};
use crate::ops::groups;
use column_types::Label;
use kit::error::{self, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use store::{Tx, params};

/// Labels and groups that an import added to a board.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Added {
    /// By the column's id.
    labels: BTreeMap<String, Vec<Label>>,
    pub(super) groups: Vec<GroupRecord>,
}

/// What rows that are taken bring along.
pub(super) struct Brought {
    /// Ids of labels that are not on the board yet, by the column's id.
    labels: HashMap<String, HashSet<String>>,
    /// Places of groups among the file's.
    pub(super) groups: HashSet<usize>,
}

/// Ids of the labels that a file's column would add.
fn new_labels<'a>(settings: &'a Settings, before: Option<&Column>) -> HashSet<&'a str> {
    let known = before.and_then(|column| column.settings.labels.as_deref()).unwrap_or_default();
    let all = settings.labels.iter().flatten().map(|label| label.id.as_str());
    all.filter(|id| known.iter().all(|label| label.id != *id)).collect()
}

/// Looks through the rows for labels and groups that the board does not have.
pub(super) fn brought(
    tx: &mut Tx<'_>,
    (account, board_id): (&str, &str),
    work: &Work,
    plan: &Plan,
    (columns, group_ids): (&[Column], &[Option<String>]),
) -> Result<Brought> {
    let mut brought = Brought { labels: HashMap::new(), groups: HashSet::new() };
    let mut news: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (role, id) in plan.roles.iter().zip(&plan.targets) {
        if let (Role::Cells(decided), Some(id)) = (role, id) {
            let ids = new_labels(&decided.settings, columns.iter().find(|column| column.id == *id));
            news.extend((!ids.is_empty()).then_some((id.as_str(), ids)));
        }
    }
    if news.is_empty() && group_ids.iter().all(Option::is_some) {
        return Ok(brought);
    }
    for (row, met) in work.rows.iter().zip(&work.met.all) {
        let group = row.group.filter(|at| group_ids.get(*at).is_some_and(Option::is_none));
        let record: Record = serde_json::from_str(&row.record_json).map_err(board::damaged)?;
        let held = news.iter().filter_map(|(column, ids)| {
            let id = ids.get(record.cells.get(*column)?.as_str()?)?;
            Some(((*column).to_owned(), (*id).to_owned()))
        });
        let held: Vec<(String, String)> = held.collect();
        if (group.is_none() && held.is_empty()) || !work.takes(tx, account, board_id, met)? {
            continue;
        }
        brought.groups.extend(group);
        for (column, id) in held {
            brought.labels.entry(column).or_default().insert(id);
        }
    }
    Ok(brought)
}

/// Stores the file's new labels. The file's values were interpreted by the columns at the start of the upload; if one
/// of them has changed, the import fails.
pub(super) fn extend(
    tx: &mut Tx<'_>,
    edit: &Edit,
    plan: &Plan,
    before: &[Column],
    brought: &Brought,
    added: &mut Added,
) -> Result<()> {
    let columns = board::columns(tx, &edit.account, &edit.board.id)?;
    for (role, id) in plan.roles.iter().zip(&plan.targets) {
        let (Role::Cells(decided), Some(id)) = (role, id) else { continue };
        let of = |columns: &'_ [Column]| columns.iter().find(|column| column.id == *id).cloned();
        let (Some(was), Some(column)) = (of(before), of(&columns)) else { return Err(changed_meanwhile(id)) };
        if was.settings != column.settings {
            return Err(changed_meanwhile(&column.title));
        }
        let Some(news) = brought.labels.get(id) else { continue };
        let labels = decided.settings.labels.iter().flatten().filter(|label| news.contains(&label.id));
        let labels: Vec<Label> = labels.cloned().collect();
        let mut settings = column.settings.clone();
        settings.labels.get_or_insert_default().extend(labels.iter().cloned());
        put(tx, edit, &column, &settings)?;
        added.labels.insert(id.clone(), labels);
    }
    Ok(())
}

fn put(tx: &mut Tx<'_>, edit: &Edit, column: &Column, settings: &Settings) -> Result<()> {
    let settings_json = serde_json::to_string(settings).map_err(board::damaged)?;
    tx.execute(
        "UPDATE board_columns SET settings_json = $4 WHERE account_id = $1 AND board_id = $2 AND column_id = $3",
        params![edit.account.as_str(), &edit.board.id, &column.id, &settings_json],
    )?;
    let (before, after) = (json!({"settings": column.settings}), json!({"settings": settings}));
    edit.record(tx, "board", &edit.board.id, &format!("columns/{}", column.id), Some(&before), Some(&after))
}

fn changed_meanwhile(column: &str) -> kit::Error {
    error::CONFLICT
        .error(format!("The column {column} was changed during the upload. Nothing was imported. Import it again."))
}

impl Added {
    fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.groups.is_empty()
    }

    /// Stores the added labels and groups for an undo.
    pub(super) fn keep(&self, tx: &mut Tx<'_>, edit: &Edit, import_id: &str) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        links::put_added(tx, edit, import_id, &serde_json::to_string(self).map_err(board::damaged)?)
    }
}

/// What became of the labels and groups that an import added.
#[derive(Default)]
pub(super) struct TakenBack {
    pub(super) labels: u64,
    pub(super) groups: u64,
    /// Those that are preserved: the column (none for a group) and the name.
    pub(super) kept: Vec<(Option<String>, String)>,
}

/// Whether a label is unchanged since an import added it. Records of earlier versions have no category.
fn is_as_added(present: &Label, added: &Label) -> bool {
    match added.category {
        Some(_) => present == added,
        None => (&present.id, &present.text, &present.color) == (&added.id, &added.text, &added.color),
    }
}

/// Removes the labels and groups that an import added, after its items are restored. Used and changed ones are
/// preserved.
pub(super) fn take_back(tx: &mut Tx<'_>, edit: &mut Edit, import_id: &str) -> Result<TakenBack> {
    let mut back = TakenBack::default();
    let Some(json) = links::added(tx, &edit.account, import_id)? else { return Ok(back) };
    let added: Added = serde_json::from_str(&json).map_err(board::damaged)?;
    let mut held: HashSet<(String, String)> = HashSet::new();
    let mut filled: HashSet<String> = HashSet::new();
    let mut look = |record: Record| {
        for column in added.labels.keys() {
            if let Some(id) = record.cells.get(column).and_then(serde_json::Value::as_str) {
                held.insert((column.clone(), id.to_owned()));
            }
        }
        filled.insert(record.group_id);
    };
    item::each(tx, &edit.account, &edit.board.id, &mut look)?;
    // What is archived uses them as well. In the trash lies what this import made, or what was deleted.
    let archived = "SELECT record_json FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND state = 'archive'";
    tx.each(archived, params![edit.account.as_str(), &edit.board.id], |row| {
        look(serde_json::from_str(row.get(0)?).map_err(board::damaged)?);
        Ok(())
    })?;
    let columns = board::columns(tx, &edit.account, &edit.board.id)?;
    for (id, labels) in &added.labels {
        // One that was deleted is in the trash with its labels.
        let Some(column) = columns.iter().find(|column| column.id == *id) else { continue };
        let mut settings = column.settings.clone();
        let Some(present) = &mut settings.labels else { continue };
        for label in labels {
            let Some(at) = present.iter().position(|other| other.id == label.id) else { continue };
            if is_as_added(&present[at], label) && !held.contains(&(id.clone(), label.id.clone())) {
                present.remove(at);
                back.labels += 1;
            } else {
                back.kept.push((Some(id.clone()), present[at].text.clone()));
            }
        }
        if settings != column.settings {
            settings.remember_labels(Some(&column.settings));
            put(tx, edit, column, &settings)?;
        }
    }
    for group in added.groups {
        let present = board::groups(tx, &edit.account, &edit.board.id)?;
        let Some(now) = present.iter().find(|other| other.id == group.id) else { continue };
        if *now == group && !filled.contains(&group.id) && present.len() > 1 {
            groups::delete_empty(tx, edit, group.id)?;
            back.groups += 1;
        } else {
            back.kept.push((None, now.name.clone()));
        }
    }
    Ok(back)
}

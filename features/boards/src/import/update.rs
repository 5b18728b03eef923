//! Imports of a newer export into an existing board: matching items are changed, and only new ones are added.
//!
//! Invariants: an update is one change, applied completely or not at all, and its record allows an undo. Items missing
//! from the file stay unchanged.

use super::below::{Placing, Stated};
use super::counts::UpdateCounts;
use super::differences::{Difference, Words};
use super::given::{self, Given, Table};
use super::labels::{self, Added};
use super::links::{self, Ended};
use super::load::{Loaded, Manner, NewItem, group_called, rows_of};
use super::meet::{self, By, Meeting, Met};
use super::parents::Below;
use super::plan::{ColumnNotes, Plan, Role};
use super::receive::{DONE, ENDING, Job, Spool, UNDER_WAY};
use super::target::Target;
use crate::board::{self, GroupRecord};
use crate::change::Edit;
use crate::edit::edit;
use crate::errors::{BOARD_LIMIT, IMPORT_CANCELLED};
use crate::item::{self, GROUP, ITEMS_MAX, Item, POSITION_STEP, Record, set, value_of};
use crate::ops::boards::view;
use crate::view::BoardView;
use crate::{GROUPS_MAX, fault, groups, items, recompute, subitems, sweep};
use kit::error::{self, Result};
use kit::{Call, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use store::{HasDb, Tx};
use table_import::problems::{Problem, Problems};

/// Bytes of rows of one update, which are in memory together.
const ROWS_BYTES_MAX: usize = 256 * 1024 * 1024;
/// What to do with cells changed on the board since the last import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Conflicts {
    /// Keep them.
    #[default]
    Keep,
    /// Overwrite them with the file's values.
    Overwrite,
}

/// Result of an import into an existing board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Updated {
    board: BoardView,
    import_id: String,
    #[serde(flatten)]
    counts: UpdateCounts,
    rows_skipped: u64,
    /// Notes on automatic column decisions, as in the preview.
    notes: Vec<ColumnNotes>,
    /// The first 100 problems.
    problems: Vec<Problem>,
    /// Total number.
    problem_count: u64,
}

/// The rows of the file, and how they meet the board.
pub(super) struct Work {
    source: &'static str,
    pub(super) rows: Vec<NewItem>,
    /// What identifies those that are not taken.
    skipped: Vec<String>,
    /// Matches of the rows, once computed.
    pub(super) met: Meeting,
    placing: Placing,
    group_names: Vec<String>,
    /// Ids of the columns that the file fills.
    fields: Vec<String>,
    /// Which of the tables that come into the board it is.
    table: Table,
    by: By,
    overwrite: bool,
    words: Words,
}

impl Work {
    fn new(
        plan: &Plan,
        (rows, subitems): (Vec<NewItem>, Vec<Below>),
        table: Table,
        conflicts: Conflicts,
        words: Words,
    ) -> Work {
        let by = match plan.key.map(|key| (&plan.roles[key], &plan.targets[key])) {
            Some((Role::Name, _)) => By::Name,
            Some((_, Some(column_id))) => By::Column(column_id.clone()),
            _ => By::Nothing,
        };
        Work {
            source: plan.source(),
            rows,
            skipped: Vec::new(),
            met: Meeting::default(),
            placing: Placing::new(subitems),
            group_names: plan.groups.iter().map(|name| group_called(name)).collect(),
            fields: plan.targets.iter().flatten().cloned().collect(),
            table,
            by,
            overwrite: conflicts == Conflicts::Overwrite,
            words,
        }
    }
}

impl Work {
    /// Meets the rows with the items of the board.
    fn meet(&mut self, tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<()> {
        self.met = meet::meet(tx, (account, board_id, self.source), &self.rows, &self.by)?;
        Ok(())
    }

    /// Whether a row is taken: not where its item was deleted on the board and stays so.
    pub(super) fn takes(&self, tx: &mut Tx<'_>, account: &str, board_id: &str, met: &Met) -> Result<bool> {
        match met {
            Met::New => Ok(true),
            Met::Item(item_id) => Ok(self.overwrite || item::find(tx, account, board_id, item_id)?.is_some()),
            Met::Nameless | Met::Repeated | Met::Taken => Ok(false),
        }
    }
}

/// Previews an update without writing.
pub(super) async fn foresee(
    job: &Job,
    spool: Arc<Spool>,
    plan: Arc<Plan>,
    (target, conflicts, members): (&Target, Conflicts, HashMap<String, String>),
    manner: Manner,
) -> Result<(UpdateCounts, Loaded)> {
    let manner = Manner { stop: false, ..manner };
    let (rows, mut loaded) = rows_of(job, spool, plan.clone(), manner, ROWS_BYTES_MAX).await?;
    let words = Words::new(&plan, &target.columns, &target.groups, members);
    let (mut work, account, board_id) = (
        Work::new(&plan, (rows, std::mem::take(&mut loaded.subitems)), target.table(&plan), conflicts, words),
        job.account().to_owned(),
        target.board_id.clone(),
    );
    let group_ids = group_ids(&work, &target.groups);
    let read = move |tx: &mut Tx<'_>| {
        work.meet(tx, &account, &board_id)?;
        work.skipped = std::mem::take(&mut loaded.skipped_keys);
        let counts = reconcile(tx, &account, &board_id, work, &group_ids, &mut loaded.problems, None)?;
        Ok((counts, loaded))
    };
    job.ctx.db().read(read).await
}

/// Carries an update out.
pub(super) async fn run(
    job: Job,
    spool: Arc<Spool>,
    plan: Arc<Plan>,
    target: Target,
    manner: Manner,
    (conflicts, members): (Conflicts, HashMap<String, String>),
) -> Result<Reply> {
    let (rows, mut loaded) = rows_of(&job, spool, plan.clone(), manner, ROWS_BYTES_MAX).await?;
    let ends = job.seat.ticket.state.compare_exchange(UNDER_WAY, ENDING, Ordering::SeqCst, Ordering::SeqCst);
    if ends.is_err() {
        return Err(IMPORT_CANCELLED.error("The import was canceled. Nothing was saved."));
    }
    let words = Words::new(&plan, &target.columns, &target.groups, members);
    let subitems = std::mem::take(&mut loaded.subitems);
    let mut work = Work::new(&plan, (rows, subitems), target.table(&plan), conflicts, words);
    let (import_id, ctx, total) = (job.import_id.clone(), job.ctx.clone(), work.rows.len() as u64);
    let target_columns = target.columns;
    let write = edit(ctx, Call::new(job.caller.clone()), target.board_id, move |tx, edit| {
        let Loaded { skipped, mut problems, skipped_keys, .. } = loaded;
        work.skipped = skipped_keys;
        let groups = board::groups(tx, &edit.account, &edit.board.id)?;
        let mut group_ids = group_ids(&work, &groups);
        let (account, board_id) = (edit.account.clone(), edit.board.id.clone());
        work.meet(tx, &account, &board_id)?;
        let brought = labels::brought(tx, (&account, &board_id), &work, &plan, (&target_columns, &group_ids))?;
        let mut added = Added::default();
        labels::extend(tx, edit, &plan, &target_columns, &brought, &mut added)?;
        for (at, name) in work.group_names.iter().enumerate().filter(|(at, _)| brought.groups.contains(at)) {
            // Two of the file's may be called alike on one line.
            let there = added.groups.iter().find(|group| group.name == *name).map(|group| group.id.clone());
            let id = match there {
                Some(id) => id,
                None => {
                    let group = add_group(tx, edit, name)?;
                    added.groups.push(group.clone());
                    group.id
                }
            };
            group_ids[at] = Some(id);
        }
        let titles = plan.filled(&plan.targets);
        let ended = Ended {
            import_id: &import_id,
            source: work.source,
            made_board: false,
            at_ms: edit.now_ms,
            titles: &titles,
        };
        links::begin(tx, &account, &board_id, ended)?;
        added.keep(tx, edit, &import_id)?;
        let mut writing = Writing { edit, import_id: &import_id, place: 0 };
        let before = problems.count;
        let counts = reconcile(tx, &account, &board_id, work, &group_ids, &mut problems, Some(&mut writing))?;
        if manner.stop && counts.unmet > 0 {
            return Err(super::load::stopped(&problems, before));
        }
        // A file that says what is so already is no change of the board.
        if !edit.is_unchanged() {
            let after = json!({"importId": import_id, "added": counts.added, "changed": counts.changed});
            edit.record(tx, "board", &edit.board.id, "import", None, Some(&after))?;
            recompute::again_if_any(tx, edit)?;
        }
        Ok(Updated {
            board: view(tx, &edit.account, edit.outcome())?,
            import_id,
            rows_skipped: skipped + counts.unmet,
            notes: plan.notes(),
            counts,
            problem_count: problems.count,
            problems: problems.listed,
        })
    });
    // What has begun to be written is brought to its end, whether or not the caller still waits.
    let ending = tokio::spawn(async move {
        let updated = write.await?;
        let ctx = job.ctx.clone();
        sweep::in_background(async move { links::forget_old(&ctx).await });
        job.tell(DONE, total, total);
        Ok(updated)
    });
    let updated = ending.await.map_err(|fault| error::INTERNAL.error("Writing ended early.").caused_by(fault))??;
    Ok(Reply::json_bytes(serde_json::to_vec(&updated).map_err(board::damaged)?))
}

/// The board's groups that the file names, by their place among the file's; none for one that the board has not.
fn group_ids(work: &Work, groups: &[GroupRecord]) -> Vec<Option<String>> {
    let of = |name: &String| groups.iter().find(|group| group.name == *name).map(|group| group.id.clone());
    work.group_names.iter().map(of).collect()
}

fn add_group(tx: &mut Tx<'_>, edit: &mut Edit, name: &str) -> Result<GroupRecord> {
    let there = board::groups(tx, &edit.account, &edit.board.id)?.len();
    if there >= GROUPS_MAX {
        return Err(BOARD_LIMIT.error(format!("A board can have up to {GROUPS_MAX} groups.")));
    }
    let number = edit.board.next_group;
    let group = groups::insert_as(tx, &edit.account, &edit.board.id, number, there, name, "")?;
    edit.board.next_group += 1;
    edit.record(tx, "board", &edit.board.id, &format!("groups/{}", group.id), None, Some(&json!(group)))?;
    Ok(group)
}

/// An update that is carried out.
pub(super) struct Writing<'a> {
    pub(super) edit: &'a mut Edit,
    import_id: &'a str,
    place: i64,
}

/// Inputs for comparing the rows with the board.
struct Comparing<'a> {
    account: &'a str,
    board_id: &'a str,
    source: &'static str,
    table: &'a Table,
    /// The columns that the file fills.
    fields: &'a [String],
    group_names: &'a [String],
    words: &'a Words,
    overwrite: bool,
}

/// An item with its row's values and those of earlier files.
struct Compared {
    /// As it is on the board.
    before: Record,
    /// As it becomes.
    item: Item,
    /// Its parts that change: each with the value before and after.
    changes: Vec<Changed>,
    /// Known values of the item after this import.
    given: Given,
    /// Whether that is more than was known.
    is_news: bool,
}

/// A changed part of an item, with its value before and after.
type Changed = (String, Option<Value>, Option<Value>);

/// Meets every row with the item that it names.
fn reconcile(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    work: Work,
    group_ids: &[Option<String>],
    problems: &mut Problems,
    mut writing: Option<&mut Writing<'_>>,
) -> Result<UpdateCounts> {
    let Work { source, rows, skipped, met, mut placing, group_names, fields, table, overwrite, words, .. } = work;
    let Meeting { all, keys: mut known } = met;
    let comparing = Comparing {
        account,
        board_id,
        source,
        table: &table,
        fields: &fields,
        group_names: &group_names,
        words: &words,
        overwrite,
    };
    let mut counts = UpdateCounts::default();
    // The items that the file names.
    let mut named: HashSet<String> = HashSet::with_capacity(rows.len());
    for (mut row, met) in rows.into_iter().zip(all) {
        let key = row.key.take().unwrap_or_default();
        let Some(item_id) = item_of_row(met, &key, row.line, &mut counts, problems) else { continue };
        named.extend(item_id.clone());
        let mut given: Record = serde_json::from_str(&row.record_json).map_err(board::damaged)?;
        let group = row.group.map(|group| group_ids.get(group).cloned().flatten().unwrap_or_default());
        let known_by = item_id.as_ref().and_then(|item_id| known.remove(item_id)).unwrap_or_default();
        let (base, knows_parent) = comparing.known(tx, &known_by)?;
        let item = item_id.as_ref().map(|id| item::find(tx, account, board_id, id)).transpose()?.flatten();
        if item_id.is_some() && item.is_none() && !overwrite {
            counts.stay_deleted += 1;
            continue;
        }
        let is_new_key = !known_by.contains(&key);
        let keys = comparing.keys(tx, key, known_by, (base.as_ref(), &given), writing.is_some())?;
        let row_id = given.id.clone();
        let is_stated = placing.is_stated(&row_id);
        let stated = match item {
            None => {
                counts.added += 1;
                named.insert(row_id.clone());
                placing.meet(&row_id, &row_id, &given.name);
                let place = match writing.as_deref_mut() {
                    Some(writing) => comparing.add(tx, &keys, &mut given, group, base.as_ref(), writing)?,
                    None => 0,
                };
                is_stated.then(|| Stated {
                    keys,
                    item_id: row_id.clone(),
                    name: given.name.clone(),
                    given: Given::new(given, &table),
                    base: None,
                    knows_parent: false,
                    added_at: Some(place),
                    is_changed: false,
                })
            }
            Some(item) => {
                placing.meet(&row_id, &item.record.id, &item.record.name);
                let compared = comparing.compare(item, &row, given, group, (base.as_ref(), is_new_key), &mut counts)?;
                let is_changed = !compared.changes.is_empty();
                *(if is_changed { &mut counts.changed } else { &mut counts.unchanged }) += 1;
                let Compared { before, item, changes, given, is_news } = compared;
                if let Some(writing) = writing.as_deref_mut() {
                    if is_changed {
                        writing.change(tx, &keys[0], &before, item, changes, base.as_ref())?;
                    }
                    if is_news {
                        links::put_known(tx, [account, board_id, source], &keys, &given, knows_parent)?;
                    }
                }
                let Record { id: item_id, name, .. } = before;
                is_stated.then_some(Stated {
                    keys,
                    item_id,
                    name,
                    given,
                    base,
                    knows_parent,
                    added_at: None,
                    is_changed,
                })
            }
        };
        if let Some(stated) = stated {
            placing.state(row_id, stated);
        }
    }
    placing.settle(tx, (account, board_id, source, &table), overwrite, (&mut counts, problems), writing)?;
    for key in skipped {
        named.extend(links::item_of(tx, account, board_id, source, &key)?);
    }
    counts.count_missing(tx, (account, board_id, source), &named)?;
    Ok(counts)
}

/// The item that a row meets, if it meets one; `None` for a row that is skipped, which is counted and named as a problem.
fn item_of_row(
    met: Met,
    key: &str,
    line: u64,
    counts: &mut UpdateCounts,
    problems: &mut Problems,
) -> Option<Option<String>> {
    let (code, why) = match met {
        Met::New => return Some(None),
        Met::Item(item_id) => return Some(Some(item_id)),
        Met::Nameless => (fault::NO_KEY, "The row has no key and was skipped.".to_owned()),
        Met::Repeated => (fault::REPEATED_KEY, format!("The file has {key} twice; only the first row was imported.")),
        Met::Taken => (fault::REPEATED_KEY, format!("{key} matches an earlier row's item; this row was skipped.")),
    };
    counts.unmet += 1;
    problems.add(line, "", code, || why);
    None
}

impl Comparing<'_> {
    /// Values from earlier files, and whether one of them named a parent. All keys have the same data; a file's key
    /// comes last.
    fn known(&self, tx: &mut Tx<'_>, keys: &[String]) -> Result<(Option<Given>, bool)> {
        let Some(key) = keys.last() else { return Ok((None, false)) };
        let link = links::find(tx, self.account, self.board_id, self.source, key)?;
        Ok(link.map_or((None, false), |link| (Some(link.given), link.knows_parent)))
    }

    /// The keys by which a row's item is known from now on, the row's own first; stale ones are deleted where the update is carried out.
    fn keys(
        &self,
        tx: &mut Tx<'_>,
        key: String,
        known_by: Vec<String>,
        (base, given): (Option<&Given>, &Record),
        is_written: bool,
    ) -> Result<Vec<String>> {
        let mut keys = vec![key];
        for other in known_by {
            if other == keys[0] {
                continue;
            }
            if !is_stale(&other, self.table, base, given, self.fields) {
                keys.push(other);
            } else if is_written {
                links::forget(tx, self.account, self.board_id, self.source, &other)?;
            }
        }
        Ok(keys)
    }

    /// Adds a row as a new item; returns its index in the import's record.
    fn add(
        &self,
        tx: &mut Tx<'_>,
        keys: &[String],
        given: &mut Record,
        group: Option<String>,
        base: Option<&Given>,
        writing: &mut Writing<'_>,
    ) -> Result<i64> {
        given.group_id = match group {
            Some(group) => group,
            None => first_group(tx, writing.edit)?,
        };
        writing.add(tx, (self.source, self.table), keys, given.clone(), base)
    }

    /// Compares an item with the row that names it: which parts change, and which stay because they were changed on the board.
    fn compare(
        &self,
        item: Item,
        row: &NewItem,
        mut given: Record,
        group: Option<String>,
        (base, is_new_key): (Option<&Given>, bool),
        counts: &mut UpdateCounts,
    ) -> Result<Compared> {
        let before = item.record.clone();
        given.id.clone_from(&before.id);
        for part in &row.misfits {
            // What cannot be read says nothing of the cell, which stays.
            set(&mut given, part, value_of(&before, part));
        }
        given.group_id = group.clone().unwrap_or_else(|| before.group_id.clone());
        // A subitem stands where its parent does.
        let group = (group.is_some() && before.parent_id.is_none()).then_some(GROUP);
        let is_read = |part: &&str| !row.misfits.iter().any(|misfit| misfit == part);
        // A row that names no parent says nothing of it; one that does is looked at once every row has met its item.
        let known = base.cloned().unwrap_or_else(|| Given::new(given.clone(), self.table));
        let is_news = base.is_none() || is_new_key;
        let mut compared = Compared { before, item, changes: Vec::new(), given: known, is_news };
        for part in given::parts(self.fields).chain(group).filter(is_read) {
            let (wanted, present) = (value_of(&given, part), value_of(&compared.before, part));
            let differs = wanted != present;
            let is_mine = base.is_some_and(|base| base.is_mine(self.table, part, present.as_ref(), wanted.as_ref()));
            let stays = differs && is_mine && !self.overwrite;
            let values = (present.as_ref(), wanted.as_ref());
            compared.is_news |= compared.given.say(self.table, part, values, differs && !stays);
            let difference = || Ok(self.difference(row, part, &compared.before, values));
            if stays {
                counts.keep(difference)?;
            } else if differs {
                counts.change(difference)?;
                set(&mut compared.item.record, part, wanted.clone());
                compared.changes.push((part.to_owned(), present, wanted));
            }
        }
        Ok(compared)
    }

    fn difference(
        &self,
        row: &NewItem,
        part: &str,
        before: &Record,
        (present, wanted): (Option<&Value>, Option<&Value>),
    ) -> Difference {
        Difference {
            item_id: before.id.clone(),
            name: before.name.clone(),
            field: part.to_owned(),
            title: self.words.title(part),
            board: self.words.shown(part, present),
            file: match row.group.filter(|_| part == GROUP) {
                Some(at) => self.group_names[at].clone(),
                None => self.words.shown(part, wanted),
            },
        }
    }
}

/// Whether a key no longer identifies an item: it's a substitute, or the row has another key in the same table. Keys of
/// other tables remain valid.
fn is_stale(key: &str, table: &Table, base: Option<&Given>, given: &Record, fields: &[String]) -> bool {
    let is_key = |value: Option<Value>| value.is_some_and(|value| value == key);
    let says_no_more = |base: &Given| {
        given::parts(fields).any(|part| is_key(base.said(table, part)) && !is_key(value_of(given, part)))
    };
    links::is_unkeyed(key) || base.is_some_and(says_no_more)
}

impl Writing<'_> {
    /// Adds an item; returns its index in the import's record.
    fn add(
        &mut self,
        tx: &mut Tx<'_>,
        (source, table): (&str, &Table),
        keys: &[String],
        record: Record,
        base: Option<&Given>,
    ) -> Result<i64> {
        let edit = &mut *self.edit;
        if edit.board.item_count >= ITEMS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board can have up to {ITEMS_MAX} items.")));
        }
        edit.board.last_position += POSITION_STEP;
        edit.board.item_count += 1;
        let item = Item { position: edit.board.last_position, record };
        item::insert(tx, &edit.account, &edit.board.id, edit.board.revision, &item)?;
        let Record { id, group_id, name, cells, .. } = &item.record;
        let after = json!({"boardId": edit.board.id, "groupId": group_id, "name": name, "cells": cells});
        edit.record(tx, "item", id, "", None, Some(&after))?;
        links::put(tx, [&edit.account, &edit.board.id, source], keys, &Given::new(item.record.clone(), table))?;
        self.note(tx, &keys[0], None, &item.record, base)?;
        Ok(self.place)
    }

    /// An item that the update added, at a place, has become another.
    pub(super) fn renote(&self, tx: &mut Tx<'_>, place: i64, after: &Record) -> Result<()> {
        links::renote(tx, &self.edit.account, (self.import_id, place), after)
    }

    /// Records an item's change for an undo.
    pub(super) fn note(
        &mut self,
        tx: &mut Tx<'_>,
        key: &str,
        before: Option<&Record>,
        after: &Record,
        base: Option<&Given>,
    ) -> Result<()> {
        self.place += 1;
        links::note(tx, self.edit, (self.import_id, self.place), key, before, after, base)
    }

    fn change(
        &mut self,
        tx: &mut Tx<'_>,
        key: &str,
        before: &Record,
        mut item: Item,
        changes: Vec<(String, Option<Value>, Option<Value>)>,
        base: Option<&Given>,
    ) -> Result<()> {
        let edit = &*self.edit;
        items::touch(edit, &mut item.record);
        item::store(tx, &edit.account, &edit.board.id, edit.board.revision, &item)?;
        subitems::follow(tx, edit, &item.record)?;
        for (part, present, wanted) in changes {
            edit.record(tx, "item", &item.record.id, &part, present.as_ref(), wanted.as_ref())?;
        }
        self.note(tx, key, Some(before), &item.record, base)
    }
}

fn first_group(tx: &mut Tx<'_>, edit: &Edit) -> Result<String> {
    let groups = board::groups(tx, &edit.account, &edit.board.id)?;
    groups.into_iter().next().map(|group| group.id).ok_or_else(kit::error::not_found)
}

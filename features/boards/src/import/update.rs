//! A newer export into a board that has items already: those that it names are changed, and only the others added.
//!
//! Invariants: an update is one change of the board, whole or not at all; what it changed is kept, so that it can be taken
//! back. Items that the file does not name stay as they are.

use super::below::{Placing, Stated};
use super::differences::{Difference, Differences, Words};
use super::given::{self, Given, Table};
use super::infer::{Decided, Judge, Seen, new_label};
use super::labels::{self, Added};
use super::links::{self, Ended};
use super::load::{Loaded, Manner, NewItem, group_called};
use super::meet::{self, By, Meeting, Met};
use super::parents::Below;
use super::plan::{ColumnNotes, Plan, Problem, Problems, Role};
use super::tools::Tool;
use super::{DONE, ENDING, Job, Override, Spool, UNDER_WAY, rows_of};
use crate::board::{self, GroupRecord};
use crate::cells::{Column, ColumnType, LABELS_MAX};
use crate::change::Edit;
use crate::edit::edit;
use crate::errors::{BOARD_LIMIT, IMPORT_CANCELLED};
use crate::item::{self, GROUP, ITEMS_MAX, Item, NAME, POSITION_STEP, Record, set, value_of};
use crate::ops::boards::view;
use crate::view::BoardView;
use crate::{GROUPS_MAX, fault, groups, ids, items, recompute, subitems, sweep};
use csv::StringRecord;
use kit::error::{self, Result};
use kit::{Call, Ctx, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use store::{HasDb, Tx};

/// Bytes of rows of one update, which are in memory together.
const ROWS_BYTES_MAX: usize = 256 * 1024 * 1024;
const NO_COLUMN: &str = "The board has no column with this title, so it was skipped.";
const NOT_IMPORTED: &str = "The board's column with this title can't be imported, so it was skipped.";

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

/// The board that a file goes into.
pub(crate) struct Target {
    pub(crate) board_id: String,
    columns: Vec<Column>,
    groups: Vec<GroupRecord>,
    /// What columns of the last files filled by their titles, the last file first.
    files: Vec<HashMap<String, String>>,
    /// The same of the file that made it, where one did.
    made_by: Option<HashMap<String, String>>,
    /// The tool whose export came into it last.
    pub(crate) tool: Option<&'static Tool>,
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

    /// Whether most fields of a row are titles that the last file had, or that the board's columns have.
    pub(crate) fn knows_titles(&self, row: &StringRecord) -> bool {
        let titles = row.iter().map(|field| field.trim().to_lowercase()).filter(|title| !title.is_empty());
        let is_known = |title: &String| {
            let is_columns = || self.columns.iter().any(|column| column.title.trim().to_lowercase() == *title);
            self.files.first().is_some_and(|file| file.contains_key(title)) || title == NAME || is_columns()
        };
        let (known, others): (Vec<String>, Vec<String>) = titles.partition(is_known);
        known.len() > others.len()
    }

    /// The column that tells rows apart as in the last file that had most of its titles in common with this one.
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
    fn table(&self, plan: &Plan) -> Table {
        Table { name: plan.table(), made_board: self.made_by.as_ref().is_none_or(|titles| plan.is_table_of(titles)) }
    }

    /// Turns what a file's columns would become into the board's own columns; their ids by place in the file.
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
            let over = overrides.iter().find(|over| over.index == index);
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

/// Items named of those that a file no longer has; the rest is only counted.
const MISSING_SHOWN_MAX: usize = 100;

/// An item kept although it's missing from the file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
struct Missing {
    /// Its id.
    id: String,
    /// What it is called on the board.
    name: String,
}

/// Result or preview of an update.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateCounts {
    /// Items added.
    added: u64,
    /// Items that are changed.
    pub(super) changed: u64,
    /// Their cells, names, groups and parents that become what the file says.
    changed_count: u64,
    /// The first 100 of them.
    changed_cells: Differences,
    /// Items that stay as they are: as the file says, but for what is `kept`.
    pub(super) unchanged: u64,
    /// Items from earlier imports missing from the file; kept.
    missing: u64,
    /// The first 100 of them in the order of the board.
    missing_items: Vec<Missing>,
    /// Cells, names and parents that were changed on the board since, and stay, whether or not the file has changed there too.
    kept: u64,
    /// The first 100 of them.
    kept_cells: Differences,
    /// Rows whose items were deleted on the board; not restored.
    stay_deleted: u64,
    /// Rows without a key; skipped.
    #[serde(skip)]
    pub(super) unmet: u64,
}

impl UpdateCounts {
    /// Counts a part of an item that becomes what the file says.
    pub(super) fn change(&mut self, difference: impl FnOnce() -> Result<Difference>) -> Result<()> {
        self.changed_count += 1;
        self.changed_cells.add(difference)
    }

    /// Counts one that stays.
    pub(super) fn keep(&mut self, difference: impl FnOnce() -> Result<Difference>) -> Result<()> {
        self.kept += 1;
        self.kept_cells.add(difference)
    }

    /// Counts the items of earlier imports that the file does not name.
    fn count_missing(
        &mut self,
        tx: &mut Tx<'_>,
        (account, board_id, source): (&str, &str, &str),
        named: &HashSet<String>,
    ) -> Result<()> {
        for id in links::present(tx, account, board_id, source)?.into_iter().filter(|id| !named.contains(id)) {
            self.missing += 1;
            if self.missing_items.len() < MISSING_SHOWN_MAX {
                let item = item::find(tx, account, board_id, &id)?;
                self.missing_items.extend(item.map(|item| Missing { id, name: item.record.name }));
            }
        }
        Ok(())
    }
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
    /// What they have met, once that was looked for.
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
    fn of(
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
            placing: Placing::of(subitems),
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

/// What an update of the board would come to; nothing is written.
pub(super) async fn foresee(
    job: &Job,
    spool: Arc<Spool>,
    plan: Arc<Plan>,
    (target, conflicts, members): (&Target, Conflicts, HashMap<String, String>),
    manner: Manner,
) -> Result<(UpdateCounts, Loaded)> {
    let manner = Manner { stop: false, ..manner };
    let (rows, mut loaded) = rows_of(job, spool, plan.clone(), manner, ROWS_BYTES_MAX).await?;
    let words = Words::of(&plan, &target.columns, &target.groups, members);
    let (mut work, account, board_id) = (
        Work::of(&plan, (rows, std::mem::take(&mut loaded.subitems)), target.table(&plan), conflicts, words),
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
    let words = Words::of(&plan, &target.columns, &target.groups, members);
    let subitems = std::mem::take(&mut loaded.subitems);
    let mut work = Work::of(&plan, (rows, subitems), target.table(&plan), conflicts, words);
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

/// What the rows of a file are compared with, and how.
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

/// An item that a row names, beside what the row and earlier files say of it.
struct Compared {
    /// As it is on the board.
    before: Record,
    /// As it becomes.
    item: Item,
    /// Its parts that change: each with the value before and after.
    changes: Vec<Changed>,
    /// What is known of it by files from now on.
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
        // Each of them knows the same; the last is a file's where there is one.
        let link = match known_by.last() {
            Some(known_by) => links::find(tx, account, board_id, source, known_by)?,
            None => None,
        };
        let (base, knows_parent) = link.map_or((None, false), |link| (Some(link.given), link.knows_parent));
        let item = match &item_id {
            Some(item_id) => item::find(tx, account, board_id, item_id)?,
            None => None,
        };
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
                    given: Given::of(given, &table),
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

    /// Adds a row as a new item; its place among what the import changed.
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
        let known = base.cloned().unwrap_or_else(|| Given::of(given.clone(), self.table));
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

/// Whether an item that a row names is no longer known by this key: it stands for none, or the row says something else where the
/// one before said it. Others stay, since nothing else may tell by them which row the item is.
fn is_stale(key: &str, table: &Table, base: Option<&Given>, given: &Record, fields: &[String]) -> bool {
    let is_key = |value: Option<Value>| value.is_some_and(|value| value == key);
    let says_no_more = |base: &Given| {
        given::parts(fields).any(|part| is_key(base.said(table, part)) && !is_key(value_of(given, part)))
    };
    links::is_unkeyed(key) || base.is_some_and(says_no_more)
}

impl Writing<'_> {
    /// Adds an item; the place of this among what the import changed.
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
        links::put(tx, [&edit.account, &edit.board.id, source], keys, &Given::of(item.record.clone(), table))?;
        self.note(tx, &keys[0], None, &item.record, base)?;
        Ok(self.place)
    }

    /// An item that the update added, at a place, has become another.
    pub(super) fn renote(&self, tx: &mut Tx<'_>, place: i64, after: &Record) -> Result<()> {
        links::renote(tx, &self.edit.account, (self.import_id, place), after)
    }

    /// Keeps what became of an item, to be taken back.
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

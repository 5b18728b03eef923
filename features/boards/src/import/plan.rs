//! Plan of an import: the file is read once, columns are detected, and the plan is previewed or run.

use super::choices::{self, OnMisfit, Override, Part};
use super::counts::UpdateCounts;
use super::done::DoneMarks;
use super::links;
use super::parents::Guess;
use super::target::Target;
use crate::errors::{INVALID_CELL, TOO_MANY_COLUMNS};
use crate::item::{GROUP, NAME};
use crate::subitems::PARENT;
use crate::{COLUMNS_MAX, GROUPS_MAX, ITEMS_MAX, fault};
use column_types::{ColumnType, NAME_CHARS_MAX, Settings, name_fits};
use kit::error::{Result, invalid};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use table_import::FILE_COLUMNS_MAX;
use table_import::dialect::Quote;
use table_import::infer::{self, Decided, Judge, Known, Nearly, Seen};
use table_import::order::{self, DayOrder};
use table_import::problems::{Problem, Problems};
use table_import::sniff::{KnownBoard, ReadOptions, Rows, Shape, sniff};
use table_import::tools::{Becomes, ToolName};
use table_import::words::name_from;
use table_import::workbook::Sheet;

/// Rows between two checks for cancellation.
const ROWS_PER_LOOK: u64 = 1_000;
const SAMPLE_ROWS: usize = 10;
/// What becomes of a column of the file.
#[derive(Debug, Clone)]
pub(crate) enum Role {
    /// The item's name.
    Name,
    /// The item's group.
    Group,
    /// The item that it is a subitem of.
    Parent,
    /// A column of the board.
    Cells(Box<Decided>),
    /// Skipped, with the reason unless requested.
    Skip(Option<&'static str>),
}

const EMPTY_COLUMN: &str = "The column is empty and was skipped.";

/// Plan of an import.
pub(crate) struct Plan {
    pub(crate) shape: Shape,
    pub(crate) titles: Vec<String>,
    pub(crate) roles: Vec<Role>,
    /// Ids of the board's columns that the file's columns fill, where the board is there already.
    pub(crate) targets: Vec<Option<String>>,
    pub(crate) groups: Vec<String>,
    /// Number of item rows in the file.
    pub(crate) rows: u64,
    /// Rows that are not taken, whatever becomes of cells that do not fit.
    pub(crate) left_out: u64,
    /// Those of them that are no rows of items.
    above: u64,
    samples: Vec<Vec<String>>,
    sample_rows: Vec<Vec<String>>,
    pub(crate) problems: Problems,
    /// The column that identifies the rows from one export to the next.
    pub(crate) key: Option<usize>,
    /// Rows with a cell that does not fit its column, once they were looked through.
    pub(crate) misfit_rows: u64,
}

/// The tool that exported a file.
#[derive(Debug, Serialize, JsonSchema)]
struct Recognized {
    /// Value for `tool`.
    name: ToolName,
    /// Its display name.
    title: &'static str,
}

/// Notes on automatic decisions about a column or the file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ColumnNotes {
    /// The column's title; empty for the file.
    title: String,
    notes: Vec<String>,
}

/// Preview of an import.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preview {
    /// The tool that exported the file, detected or set by `tool`; null for a plain table.
    tool: Option<Recognized>,
    /// Index of the key column that identifies items in later exports.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<usize>,
    /// The encoding, such as `UTF-8` or `windows-1252`.
    encoding: String,
    /// Notes on how the file was read.
    notes: Vec<String>,
    /// The field separator; empty for workbooks and JSON.
    delimiter: String,
    /// The quote character; null for workbooks and JSON.
    quote: Option<Quote>,
    /// The escape character before a quote inside a field, if it's a backslash instead of another quote.
    #[serde(skip_serializing_if = "Option::is_none")]
    escape: Option<&'static str>,
    /// The workbook sheet that is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    sheet: Option<String>,
    /// The workbook's sheets.
    sheets: Vec<String>,
    /// Whether the first row has column titles. Override with `header`.
    has_header: bool,
    /// The board's name in the file, which is the default for a new board.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Number of item rows in the file.
    rows_estimated: u64,
    /// Rows that would be imported.
    rows_taken: u64,
    /// Rows that would be skipped; see `problems`.
    rows_left_out: u64,
    /// Rows with a cell that doesn't fit its column; see `onMisfit`.
    misfit_rows: u64,
    /// The file's columns.
    columns: Vec<PreviewColumn>,
    /// Groups of the items.
    groups: Vec<String>,
    /// The first rows.
    sample_rows: Vec<Vec<String>>,
    /// The first 100 problems.
    problems: Vec<Problem>,
    /// With boardId: what happens to the board's items; null if there's no key column.
    update: Option<UpdateCounts>,
}

/// How a column of the file would be imported.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewColumn {
    /// Position in the file, from 0.
    index: usize,
    /// Its title.
    title: String,
    /// Its type; omitted for the item's name, group, and parent, and for skipped columns.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<ColumnType>,
    /// With boardId: the board's column to fill.
    #[serde(skip_serializing_if = "Option::is_none")]
    column_id: Option<String>,
    /// `name`, `group`, `parent`, `column`, or `skip`.
    role: &'static str,
    settings: Settings,
    /// The assumed order of ambiguous dates. Override with `dateOrder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    date_order: Option<DayOrder>,
    /// Sample values.
    sample: Vec<String>,
    /// Notes on the decision.
    notes: Vec<String>,
    /// The type that fits all but a few values.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearly: Option<Nearly>,
    /// The first 1,000 names and addresses in a people column that no member has.
    unknown_people: Vec<String>,
}

impl Role {
    /// Notes on automatic decisions that you may want to override.
    fn notes(&self) -> Vec<String> {
        match self {
            Role::Cells(decided) => decided.notes.clone(),
            Role::Skip(why) => why.iter().map(|why| (*why).to_owned()).collect(),
            Role::Name | Role::Group | Role::Parent => Vec::new(),
        }
    }
}

impl Plan {
    /// The file's column titles for an error message.
    pub(crate) fn titles_shown(&self) -> String {
        shown(&self.titles)
    }

    /// Notes on automatic decisions about the file and its columns.
    pub(crate) fn notes(&self) -> Vec<ColumnNotes> {
        let of_columns = self.titles.iter().zip(&self.roles);
        let of_columns = of_columns.map(|(title, role)| ColumnNotes { title: title.clone(), notes: role.notes() });
        let of_file = ColumnNotes { title: String::new(), notes: self.shape.notes() };
        std::iter::once(of_file).chain(of_columns).filter(|of| !of.notes.is_empty()).collect()
    }

    /// What identifies a source of imports of the board.
    pub(crate) fn source(&self) -> &'static str {
        self.shape.tool.map_or("table", |tool| tool.source())
    }

    /// Identifies the source table: a tool's, a Pilothouse export, or one with the same key.
    pub(crate) fn table(&self) -> String {
        match (self.shape.tool, self.key) {
            _ if is_own(&self.titles) => OWN_TITLES.join(", "),
            (Some(tool), _) => tool.source().to_owned(),
            (None, Some(key)) => self.titles[key].trim().to_lowercase(),
            (None, None) => self.source().to_owned(),
        }
    }

    /// Whether another file, of which it is known what its columns filled, is of the same table.
    pub(crate) fn is_table_of(&self, filled: &HashMap<String, String>) -> bool {
        if is_own(&self.titles) {
            return OWN_TITLES.iter().all(|title| filled.contains_key(&title.to_lowercase()));
        }
        match self.key.filter(|_| self.shape.tool.is_none()) {
            None => true,
            Some(key) => {
                let title = self.titles[key].trim().to_lowercase();
                filled.get(links::KEY).map_or_else(|| filled.contains_key(&title), |key| *key == title)
            }
        }
    }

    /// The board columns (by ID) and item fields that the file's columns fill, by title, and the title of the key
    /// column.
    pub(crate) fn filled(&self, column_ids: &[Option<String>]) -> HashMap<String, String> {
        let columns = self.titles.iter().zip(&self.roles).zip(column_ids);
        let filled = columns.filter_map(|((title, role), column_id)| {
            let part = match role {
                Role::Name => Some(NAME.to_owned()),
                Role::Group => Some(GROUP.to_owned()),
                Role::Parent => Some(PARENT.to_owned()),
                Role::Cells(_) | Role::Skip(_) => column_id.clone(),
            };
            Some((title.trim().to_lowercase(), part?))
        });
        let key = self.key.map(|key| (links::KEY.to_owned(), self.titles[key].trim().to_lowercase()));
        filled.chain(key).collect()
    }

    /// The board's name in the file.
    pub(crate) fn called(&self) -> Option<&str> {
        let sheet = self.shape.sheet.as_ref().filter(|sheet| sheet.records && name_fits(&sheet.name));
        sheet.map(|sheet| sheet.name.as_str())
    }

    /// The first values that keep columns from the types which nearly all others have.
    pub(crate) fn odd(&self) -> Problems {
        let of = |(role, title): (&Role, &String)| match role {
            Role::Cells(decided) => decided.nearly.as_ref().map(|nearly| (nearly.first_odd(), title.clone())),
            _ => None,
        };
        let mut all: Vec<((u64, String), String)> = self.roles.iter().zip(&self.titles).filter_map(of).collect();
        all.sort_unstable();
        let mut problems = Problems::default();
        for ((line, why), title) in all {
            problems.add(line, &title, INVALID_CELL.fault(), || format!("{why}."));
        }
        problems
    }

    /// Adds problems found while reading rows, without repeating earlier ones.
    pub(crate) fn add_new(&mut self, problems: Problems) {
        for problem in problems.listed {
            let is_named = |known: &Problem| {
                (known.line, known.code) == (problem.line, problem.code) && known.column == problem.column
            };
            if !self.problems.listed.iter().any(is_named) {
                self.problems.add(problem.line, &problem.column, problem.code, || problem.detail);
            }
        }
    }

    /// The plan as people look at it; `update` is what becomes of a board that is there.
    pub(crate) fn preview(self, update: Option<UpdateCounts>, misfit: OnMisfit) -> Preview {
        let name = self.called().map(str::to_owned);
        let misfits = if misfit == OnMisfit::Row { self.misfit_rows } else { 0 };
        let rows_left_out = self.left_out + misfits;
        let columns = self.titles.iter().zip(self.roles).zip(self.samples).enumerate();
        let columns = columns.map(|(index, ((title, role), sample))| {
            let notes = role.notes();
            let (name, decided) = match role {
                Role::Name => ("name", None),
                Role::Group => ("group", None),
                Role::Parent => ("parent", None),
                Role::Skip(_) => ("skip", None),
                Role::Cells(decided) => ("column", Some(decided)),
            };
            let kind = decided.as_ref().map(|d| d.kind);
            let date_order = decided.as_ref().and_then(|d| d.day_order);
            let nearly = decided.as_ref().and_then(|d| d.nearly.clone());
            let (settings, unknown_people) = decided.map_or_else(Default::default, |d| (d.settings, d.strangers));
            let column_id = self.targets[index].clone();
            PreviewColumn {
                index,
                title: title.clone(),
                kind,
                column_id,
                role: name,
                settings,
                date_order,
                sample,
                notes,
                nearly,
                unknown_people,
            }
        });
        let is_text = self.shape.sheet.is_none();
        let notes = self.shape.notes();
        let sheet = self.shape.sheet.filter(|sheet| !sheet.records);
        let (sheet, sheets) = sheet.map(|sheet| (sheet.name, sheet.names)).unzip();
        Preview {
            tool: self.shape.tool.map(|tool| Recognized { name: tool.name, title: tool.title }),
            key: self.key,
            encoding: self.shape.encoding.name().to_owned(),
            notes,
            delimiter: if is_text { (self.shape.dialect.delimiter as char).to_string() } else { String::new() },
            quote: is_text.then_some(self.shape.dialect.quote),
            escape: self.shape.dialect.escaped.then_some("\\"),
            sheet,
            sheets: sheets.unwrap_or_default(),
            has_header: self.shape.header.is_some(),
            name,
            rows_estimated: self.rows,
            rows_taken: (self.rows + self.above).saturating_sub(rows_left_out),
            rows_left_out,
            misfit_rows: self.misfit_rows,
            columns: columns.collect(),
            groups: self.groups,
            sample_rows: self.sample_rows,
            problems: self.problems.listed,
            update,
        }
    }
}

/// Read options from the request.
pub(crate) struct Asked<'a> {
    pub(crate) options: ReadOptions<'a>,
    /// Title or index of the column that identifies the rows.
    pub(crate) key: Option<&'a str>,
    pub(crate) target: Option<&'a Target>,
    pub(crate) overrides: &'a [Override],
    /// Order of day and month in ambiguous dates.
    pub(crate) chosen_order: Option<DayOrder>,
}

/// Maximum titles in an error message.
const TITLES_SHOWN_MAX: usize = 20;

/// Column titles for an error message.
fn shown(titles: &[String]) -> String {
    let more = if titles.len() > TITLES_SHOWN_MAX { " and others" } else { "" };
    let titles: Vec<_> = titles.iter().take(TITLES_SHOWN_MAX).map(|title| format!("\u{201c}{title}\u{201d}")).collect();
    titles.join(", ") + more
}

/// The index of a column by its index or its title.
fn column_named(key: &str, titles: &[String]) -> Result<usize> {
    let by_title = || titles.iter().position(|title| title.trim().eq_ignore_ascii_case(key.trim()));
    let found = key.parse().ok().filter(|index| *index < titles.len()).or_else(by_title);
    found.ok_or_else(|| {
        let detail = format!("Column {key} not found in the file. Its columns are {}.", shown(titles));
        invalid("/key", fault::UNKNOWN_COLUMN, detail)
    })
}

/// The titles of the file's columns, and the overrides by their positions.
fn titles_and_overrides(shape: &Shape, overrides: &[Override]) -> Result<(Vec<String>, Vec<Override>)> {
    let in_file: Vec<&str> = (0..shape.columns()).map(|index| shape.title(index).unwrap_or_default()).collect();
    let overrides = choices::with_positions(overrides, &in_file)?;
    let titles = titles(shape, &overrides)?;
    if let Some(index) = overrides.iter().filter_map(Override::position).find(|index| *index >= titles.len()) {
        let detail = format!("The file has {} columns and none with index {index}.", titles.len());
        return Err(invalid("/columns", fault::UNKNOWN_COLUMN, detail));
    }
    Ok((titles, overrides))
}

/// Columns before their values are read.
fn unseen(
    shape: &Shape,
    titles: &[String],
    becomes: &[Option<Becomes>],
    is_forced: impl Fn(usize) -> bool,
) -> Vec<Seen> {
    let see =
        |(index, title): (usize, &String)| Seen::new(is_forced(index), title, becomes[index] == Some(Becomes::List));
    let mut seen: Vec<Seen> = titles.iter().enumerate().map(see).collect();
    if let Some(sheet) = shape.sheet.as_ref().filter(|_| shape.made.is_none()) {
        seen.iter_mut().zip(&sheet.currencies).for_each(|(seen, currency)| seen.formatted = *currency);
    }
    seen
}

/// Names of the board's groups, from the group column or from title rows; none if there are too many.
fn groups_of(shape: &Shape, found: GroupNames, by_column: Option<&Seen>, problems: &mut Problems) -> Vec<String> {
    let mut groups = found;
    if let Some(column) = by_column {
        groups = GroupNames::default();
        let listed = shape.sheet.iter().flat_map(|sheet| sheet.groups.iter().map(String::as_str));
        listed.chain(column.distinct()).for_each(|name| groups.add(name));
    }
    if groups.names.len() > GROUPS_MAX {
        problems.add(1, "", fault::TOO_MANY_GROUPS, || {
            format!("The file has more than {GROUPS_MAX} groups. All items are in one.")
        });
        return Vec::new();
    }
    groups.names.iter().map(|name| name.chars().take(NAME_CHARS_MAX).collect()).collect()
}

/// Reads the whole file once and decides. `stop` ends it early; the answer is then not used.
pub(crate) fn plan(
    path: &Path,
    sheet: Option<Sheet>,
    Asked { options, key, target, overrides, chosen_order }: Asked<'_>,
    members: &[Known],
    stop: &AtomicBool,
) -> Result<Plan> {
    let options = ReadOptions { before: target.map(|target| target as &(dyn KnownBoard + Sync)), ..options };
    let shape = sniff(path, sheet, options)?;
    let (titles, overrides) = titles_and_overrides(&shape, overrides)?;
    let overrides = &overrides[..];
    let key = key.map(|key| column_named(key, &titles)).transpose()?;
    // A board's own columns say what a column is, whatever its values would be taken for.
    let forced = |index| target.is_some() || overrides.iter().any(|over| over.is_of(index) && over.kind.is_some());
    let skipped = |index| overrides.iter().any(|over| over.is_of(index) && over.skip);
    let skip: Vec<bool> = (0..titles.len()).map(skipped).collect();
    // Three columns more may become the name, the group and the parent. Asked before the pass, which remembers values of every column.
    expect_room(skip.iter().filter(|skip| !**skip).count(), COLUMNS_MAX + 3)?;
    let becomes: Vec<Option<Becomes>> = (0..titles.len()).map(|index| shape.made.as_ref()?[index].becomes).collect();
    let mut seen = unseen(&shape, &titles, &becomes, forced);
    let mut done = DoneMarks::new(shape.tool, &titles);
    let mut guesses = guesses(&shape, &titles, &becomes);
    let mut rows = Rows::open(path, &shape)?;
    let (mut count, mut sample_rows, mut problems) = (0, Vec::new(), Problems::default());
    let mut groups = GroupNames::default();
    above_the_head(&rows.above, &mut problems);
    let above = rows.above.len() as u64;
    let mut left_out = above;
    while let Some(line) = rows.next_row()? {
        count += 1;
        if count > ITEMS_MAX as u64 {
            return Err(crate::errors::BOARD_LIMIT
                .error(format!("The file has more rows than a board can have items ({ITEMS_MAX}).")));
        }
        if count % ROWS_PER_LOOK == 0 && stop.load(Ordering::Relaxed) {
            break;
        }
        if sample_rows.len() < SAMPLE_ROWS {
            sample_rows.push(rows.record.iter().map(|field| field.chars().take(200).collect()).collect());
        }
        rows.undecodable(shape.encoding.name(), &mut problems);
        // What is not taken decides nothing.
        if rows.ragged(line, &mut problems) {
            left_out += 1;
            continue;
        }
        done.see(&rows.record);
        guesses.iter_mut().for_each(|guess| guess.see(&rows.record));
        for ((field, seen), skip) in rows.record.iter().zip(&mut seen).zip(&skip) {
            if !skip {
                seen.see(field, line);
            }
        }
        rows.group.iter().for_each(|group| groups.add(group));
    }
    rows.report(shape.encoding.name(), &mut problems);
    let judge = Judge {
        shape: &shape,
        by_name: infer::by_name(members),
        mark: infer::Mark::find(&seen, &titles),
        date_order: order::decisive_order(&seen),
        chosen_order,
    };
    let parent = guesses.iter().find(|guess| guess.holds()).map(|guess| guess.column);
    let mut roles = roles(&judge, &titles, &seen, (&becomes, parent), &skip, overrides)?;
    let targets = match target {
        Some(target) => target.map(&judge, &titles, &seen, overrides, &mut roles)?,
        None => vec![None; roles.len()],
    };
    let as_found =
        |index| target.is_none() && !overrides.iter().any(|over| over.is_of(index) && over.settings.is_some());
    for (index, role) in roles.iter_mut().enumerate().filter(|(index, _)| as_found(*index)) {
        if let Role::Cells(decided) = role {
            done.mark(index, decided)?;
        }
    }
    let by_column = roles.iter().position(|role| matches!(role, Role::Group)).map(|at| &seen[at]);
    let groups = groups_of(&shape, groups, by_column, &mut problems);
    expect_room(roles.iter().filter(|role| matches!(role, Role::Cells(_))).count(), COLUMNS_MAX)?;
    let samples = seen.iter_mut().map(|seen| std::mem::take(&mut seen.sample)).collect();
    roles.shrink_to_fit();
    let key = key.or_else(|| shape.tool?.key_in(&titles)).or_else(|| target?.key_in(&titles));
    Ok(Plan {
        shape,
        titles,
        roles,
        targets,
        groups,
        rows: count,
        left_out,
        above,
        samples,
        sample_rows,
        problems,
        key,
        misfit_rows: 0,
    })
}

/// Names of groups in the order in which they come, each once; at most one more than a board has.
#[derive(Default)]
struct GroupNames {
    names: Vec<String>,
    known: HashSet<String>,
}

impl GroupNames {
    fn add(&mut self, name: &str) {
        let may_be_new = self.names.len() <= GROUPS_MAX && self.names.last().is_none_or(|last| last != name);
        if may_be_new && !self.known.contains(name) {
            self.known.insert(name.to_owned());
            self.names.push(name.to_owned());
        }
    }
}

fn expect_room(wanted: usize, most: usize) -> Result<()> {
    if wanted <= most {
        return Ok(());
    }
    let detail = format!("The file has {wanted} columns besides the name; the limit is {COLUMNS_MAX}.");
    Err(TOO_MANY_COLUMNS.error(detail))
}

fn roles(
    judge: &Judge<'_>,
    titles: &[String],
    seen: &[Seen],
    (becomes, parent): (&[Option<Becomes>], Option<usize>),
    skip: &[bool],
    overrides: &[Override],
) -> Result<Vec<Role>> {
    let known = |wanted| becomes.iter().position(|found| *found == Some(wanted));
    let wanted = |part| overrides.iter().find(|over| over.role == Some(part)).and_then(Override::position);
    let named = wanted(Part::Name).or_else(|| known(Becomes::Name));
    let name = named.unwrap_or_else(|| infer::name_column(titles, seen));
    if let Some(at) =
        wanted(Part::Group).filter(|at| !seen[*at].is_empty() && !infer::groups_well(&seen[*at], GROUPS_MAX))
    {
        let detail = format!("Column {at} ({}) has too many or too long values for groups.", titles[at]);
        return Err(invalid("/columns", fault::DOES_NOT_FIT, detail));
    }
    let group =
        wanted(Part::Group).or_else(|| known(Becomes::Group).filter(|at| infer::groups_well(&seen[*at], GROUPS_MAX)));
    let group = group.or_else(|| infer::group_column(titles, seen, name, GROUPS_MAX));
    let parent = wanted(Part::Parent).or(parent);
    let mut roles = Vec::with_capacity(titles.len());
    for (index, (title, seen)) in titles.iter().zip(seen).enumerate() {
        let over = overrides.iter().find(|over| over.is_of(index));
        let kind = over.and_then(|over| over.kind);
        roles.push(if index == name {
            Role::Name
        } else if skip[index] {
            Role::Skip(None)
        } else if let Some(kind) = kind {
            let settings = over.and_then(|over| over.settings.clone());
            let forced = judge.force(kind, settings, seen);
            let does_not_fit =
                |why| invalid("/columns", fault::DOES_NOT_FIT, format!("Column {index} ({title}): {why}"));
            Role::Cells(Box::new(forced.map_err(does_not_fit)?))
        } else if group == Some(index) {
            Role::Group
        } else if parent == Some(index) {
            Role::Parent
        } else if judge.shape.tool.is_some() && seen.is_empty() {
            Role::Skip(Some(EMPTY_COLUMN))
        } else {
            Role::Cells(Box::new(match becomes[index] {
                Some(becomes) => judge.known(becomes, title, seen),
                None => judge.decide(title, seen),
            }))
        });
    }
    Ok(roles)
}

/// The first columns of a file of this program.
const OWN_TITLES: [&str; 2] = ["Name", "Group"];

fn is_own(titles: &[String]) -> bool {
    titles.iter().map(String::as_str).take(OWN_TITLES.len()).eq(OWN_TITLES)
}

/// Columns that may name parents: those of a known tool, or the third one of a Pilothouse export.
fn guesses(shape: &Shape, titles: &[String], becomes: &[Option<Becomes>]) -> Vec<Guess> {
    let Some(tool) = shape.tool else {
        let has_parents = is_own(titles) && titles.get(OWN_TITLES.len()).is_some_and(|title| title == "Parent");
        return has_parents.then(|| Guess::new(2, vec![0])).into_iter().collect();
    };
    let all = |wanted| (0..becomes.len()).filter(move |at| becomes[*at] == Some(wanted));
    let idents: Vec<usize> = tool.keys_in(titles).into_iter().chain(all(Becomes::Name)).collect();
    all(Becomes::Parent).map(|column| Guess::new(column, idents.clone())).collect()
}

/// Reports rows above the title row that have more than a title.
pub(crate) fn above_the_head(lines: &[u64], problems: &mut Problems) {
    for line in lines {
        problems.add(*line, "", fault::ABOVE_THE_HEAD, || "The row is above the title row and was skipped.".to_owned());
    }
}

/// A title for every column: the caller's, the file's, or a number; one that comes again gets a number behind it.
fn titles(shape: &Shape, overrides: &[Override]) -> Result<Vec<String>> {
    let mut titles: Vec<String> = Vec::with_capacity(shape.columns().min(FILE_COLUMNS_MAX));
    let mut times = std::collections::HashMap::<String, usize>::new();
    for index in 0..shape.columns() {
        let given = overrides.iter().find(|over| over.is_of(index)).and_then(|over| over.title.as_deref());
        let title = name_from(given.or(shape.title(index)).unwrap_or_default(), NAME_CHARS_MAX - 8);
        let title = title.unwrap_or_else(|| format!("Column {}", index + 1));
        let before = times.entry(title.clone()).or_default();
        *before += 1;
        titles.push(if *before == 1 { title } else { format!("{title} ({before})") });
    }
    Ok(titles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_groups_are_kept_than_tell_that_there_are_too_many() {
        let mut groups = GroupNames::default();
        (0..1_000_000).for_each(|n| groups.add(&n.to_string()));
        assert_eq!((groups.names.len(), groups.known.len()), (GROUPS_MAX + 1, GROUPS_MAX + 1));
        let mut groups = GroupNames::default();
        ["b", "a", "a", "b", "c"].iter().for_each(|name| groups.add(name));
        assert_eq!(groups.names, ["b", "a", "c"]);
    }
}

//! Detects subitem rows: rows that name another row in a column, by key or name, and rows in a section of subitems
//! below an item.
//!
//! If several rows have the same name, the nearest above wins, otherwise the first below, and items win over subitems;
//! Pilothouse's exports write subitems below their parents. Subitems of subitems move to the top-level item.

use super::plan::{Plan, Role};
use crate::SUBITEMS_MAX;
use crate::fault;
use csv::StringRecord;
use kit::Fault;
use std::collections::{HashMap, HashSet};
use table_import::problems::Problems;

/// A column that may name the rows' parents, as far as its values tell.
pub(crate) struct Guess {
    pub(crate) column: usize,
    /// Columns that identify rows, the name among them.
    idents: Vec<usize>,
    named: HashSet<String>,
    known: HashSet<String>,
}

impl Guess {
    pub(crate) fn new(column: usize, idents: Vec<usize>) -> Guess {
        Guess { column, idents, named: HashSet::new(), known: HashSet::new() }
    }

    pub(crate) fn see(&mut self, row: &StringRecord) {
        let field = |at: usize| row.get(at).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        self.named.extend(field(self.column));
        self.known.extend(self.idents.iter().filter_map(|at| field(*at)));
    }

    /// Whether at least half of the named parents are rows of the file.
    pub(crate) fn holds(&self) -> bool {
        let found = self.named.iter().filter(|named| self.known.contains(*named)).count();
        found > 0 && found * 2 >= self.named.len()
    }
}

/// Reference of a row to its parent.
enum Wants {
    Nothing,
    /// The item above it, by row index; none if that row was skipped.
    Above(Option<usize>),
    Named(String),
}

/// A subitem that the file makes of a row.
#[derive(Debug, Clone)]
pub(crate) struct Below {
    /// The row's own id.
    pub(crate) id: String,
    /// That of the row that it belongs to.
    pub(crate) parent_id: String,
    /// What identifies the row from one export to the next.
    pub(crate) key: Option<String>,
}

struct Row {
    id: String,
    key: Option<String>,
    line: u64,
    wants: Wants,
}

/// Rows of one name by their places, in order.
#[derive(Default)]
struct Named {
    /// Those that want no parent.
    items: Vec<usize>,
    all: Vec<usize>,
}

/// The last of some places before one, else the first behind it.
fn nearest(places: &[usize], at: usize) -> Option<usize> {
    let (above, below) = places.split_at(places.partition_point(|place| *place < at));
    above.last().or_else(|| below.iter().find(|place| **place != at)).copied()
}

/// The imported rows and their references to parents.
pub(crate) struct Parents {
    column: Option<usize>,
    idents: Vec<usize>,
    rows: Vec<Row>,
    by_key: HashMap<String, usize>,
    by_name: HashMap<String, Named>,
    /// The last item outside of subitem sections.
    last: Option<usize>,
}

impl Parents {
    /// Nothing where no row of the file can have a parent.
    pub(crate) fn find(plan: &Plan) -> Option<Parents> {
        let column = plan.roles.iter().position(|role| matches!(role, Role::Parent));
        if column.is_none() && plan.shape.first_group.is_none() {
            return None;
        }
        let mut idents = plan.shape.tool.map(|tool| tool.keys_in(&plan.titles)).unwrap_or_default();
        idents.extend(plan.key.filter(|key| !idents.contains(key)));
        let (by_key, by_name) = (HashMap::new(), HashMap::new());
        Some(Parents { column, idents, rows: Vec::new(), by_key, by_name, last: None })
    }

    /// A row that was taken as the item of this id, key and name; `below`: within a section of subitems.
    pub(crate) fn take(
        &mut self,
        (id, key, name): (&str, Option<&str>, &str),
        line: u64,
        record: &StringRecord,
        below: bool,
    ) {
        let at = self.rows.len();
        let field = |at: usize| record.get(at).map(str::trim).filter(|text| !text.is_empty());
        let wants = match self.column.and_then(field) {
            _ if below => Wants::Above(self.last),
            Some(named) => Wants::Named(named.to_owned()),
            None => Wants::Nothing,
        };
        if self.column.is_some() {
            for key in self.idents.iter().filter_map(|at| field(*at)) {
                self.by_key.entry(key.to_owned()).or_insert(at);
            }
            let named = self.by_name.entry(name.to_owned()).or_default();
            named.all.push(at);
            if matches!(wants, Wants::Nothing) {
                named.items.push(at);
            }
        }
        if !below {
            self.last = Some(at);
        }
        let key = key.filter(|key| !key.is_empty()).map(str::to_owned);
        self.rows.push(Row { id: id.to_owned(), key, line, wants });
    }

    /// A row that was not taken.
    pub(crate) fn skip(&mut self, below: bool) {
        if !below {
            self.last = None;
        }
    }

    fn direct(&self, at: usize) -> Option<usize> {
        match &self.rows[at].wants {
            Wants::Nothing => None,
            Wants::Above(parent) => *parent,
            Wants::Named(named) => self.by_key.get(named).copied().or_else(|| {
                let Named { items, all } = self.by_name.get(named)?;
                nearest(items, at).or_else(|| nearest(all, at))
            }),
        }
    }

    /// Resolves the subitems, and reports those that can't be imported as in the file.
    pub(crate) fn resolve(self, problems: &mut Problems) -> Vec<Below> {
        let direct: Vec<Option<usize>> = (0..self.rows.len()).map(|at| self.direct(at)).collect();
        let (mut unknown, mut deeper, mut over) = (Left::default(), Left::default(), Left::default());
        let mut counts: HashMap<usize, i64> = HashMap::new();
        let mut subitems = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let Some(parent) = direct[at] else {
                if !matches!(row.wants, Wants::Nothing) {
                    unknown.add(row.line);
                }
                continue;
            };
            let Some((top, steps)) = top(&direct, at) else {
                unknown.add(row.line);
                continue;
            };
            let count = counts.entry(top).or_default();
            if *count >= SUBITEMS_MAX {
                over.add(row.line);
                continue;
            }
            *count += 1;
            if steps > 1 {
                debug_assert_ne!(parent, top);
                deeper.add(row.line);
            }
            let (id, parent_id, key) = (row.id.clone(), self.rows[top].id.clone(), row.key.clone());
            subitems.push(Below { id, parent_id, key });
        }
        unknown.tell(problems, fault::UNKNOWN_PARENT, |count| {
            let belong = "have a missing or circular parent";
            format!("{count} rows {belong}; they become items or keep their parent.")
        });
        deeper.tell(problems, fault::DEEPER_SUBITEMS, |count| {
            format!("{count} rows belong to subitems; they are subitems of the topmost item.")
        });
        over.tell(problems, fault::TOO_MANY_SUBITEMS, |count| {
            let most = format!("An item can have up to {SUBITEMS_MAX} subitems");
            format!("{most}; {count} rows over the limit become items or keep their parent.")
        });
        subitems
    }
}

/// The topmost row above one, and how many steps it is away; nothing where they go in a circle.
fn top(direct: &[Option<usize>], from: usize) -> Option<(usize, usize)> {
    let (mut at, mut steps) = (from, 0);
    while let Some(parent) = direct[at] {
        steps += 1;
        if parent == from || steps > DEPTH_MAX {
            return None;
        }
        at = parent;
    }
    Some((at, steps))
}

/// Steps from a row to its topmost item; more are taken for a circle.
const DEPTH_MAX: usize = 32;

/// Rows of one problem: the first one's line, and how many.
#[derive(Default)]
struct Left(Option<u64>, u64);

impl Left {
    fn add(&mut self, line: u64) {
        self.0.get_or_insert(line);
        self.1 += 1;
    }

    fn tell(&self, problems: &mut Problems, code: Fault, detail: impl FnOnce(u64) -> String) {
        if let Some(line) = self.0 {
            problems.add(line, "", code, || detail(self.1));
        }
    }
}

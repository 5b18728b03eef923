//! The shared filter step: rules become, for each board, tests over codes and numbers, and those a set of passing items.
//!
//! A rule constrains only the boards that have its column. In a group of which one has to be met, the rules that do not apply
//! to a board are dropped first: taken as met they would let everything pass. A rule that cannot be understood is inert: it
//! constrains nothing and is reported.

use crate::board::Board;
use crate::column::{Coded, Data, Entry, TextOp, Texts};
use crate::dates::DAY_MS;
use crate::derived::CacheKey;
use crate::family::Family;
use crate::meaning::{Meant, done_checks};
use crate::planes::{self, Planes};
use crate::predicate::{Predicate, Wanted};
use crate::query::{ColRef, People, Query, Rule, RuleOrGroup};
use crate::row_test::Test;
use crate::selection::Selection;
use serde::Serialize;

/// A rule that does not do all that it was meant to: it constrains nothing, or has lost a part and goes on with the rest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InertRule {
    /// The rule's id; `people` for the people control.
    pub id: String,
    /// Why it constrains nothing: `unknown-operator`, `wrong-value`, `no-value`, `deleted-label`, `unknown-team`, `unknown-column`;
    /// or what it goes on without: `unknown-member`, `lost-label`, `lost-column`.
    pub reason: String,
    /// Of `lost-label` the labels that no board has any more, of `lost-column` the names of the boards whose column is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// In which of the widget's own lists it stands, each of which may have ids that another has too; none of the shared rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnList>,
}

/// A list of rules that a widget has of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OwnList {
    /// They filter, after the shared ones.
    Rules,
    /// What an item of a share meets.
    Ratio,
    /// What an item meets to divide.
    Per,
}

impl OwnList {
    /// All that there are.
    pub const ALL: [OwnList; 3] = [OwnList::Rules, OwnList::Ratio, OwnList::Per];
    /// The member of a widget's settings that has it as its `rules`; none where these are the settings' own.
    pub fn member(self) -> Option<&'static str> {
        match self {
            OwnList::Rules => None,
            OwnList::Ratio => Some("ratio"),
            OwnList::Per => Some("per"),
        }
    }
    /// Whether it singles items out, and does not filter: items of boards that a rule does not reach do not meet it.
    pub fn singles(self) -> bool {
        self != OwnList::Rules
    }
}

/// What a rule goes on without.
const LOST_LABEL: &str = "lost-label";
const LOST_COLUMN: &str = "lost-column";

impl InertRule {
    /// One that has lost nothing by name.
    pub fn new(id: &str, reason: &str) -> InertRule {
        InertRule { id: id.into(), reason: reason.into(), lost: Vec::new(), own: None }
    }
    /// Whether it still lets no more pass than what it has kept says.
    pub(crate) fn holds(&self) -> bool {
        self.reason == LOST_LABEL
    }
}

/// How many of a widget's boards a rule reaches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Reach {
    /// The rule's id; `people` for the people control.
    pub rule: String,
    /// Number of boards with its column.
    pub boards: usize,
    /// How many boards the widget has.
    pub of: usize,
    /// As of an inert rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnList>,
}

/// How many of the boards that a rule reaches know a label that it names, where not all of them do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LabelReach {
    /// The label, as the rule has it.
    pub label: String,
    /// How many know it.
    pub boards: usize,
    /// How many of the widget's boards the rule reaches.
    pub of: usize,
}

/// A rule that has been understood.
struct Compiled<'q> {
    id: &'q str,
    col: &'q ColRef,
    titled: Option<(String, Family)>,
    predicate: Predicate,
    /// Of labels, which of them each board knows.
    known: Known,
    /// Those that no board knows.
    lost: Vec<String>,
}

/// Of each board which of a rule's labels it knows; nothing of a board that the rule does not reach.
type Known = Vec<Option<Vec<bool>>>;

/// Rules that have been understood, ready for any board.
pub(crate) struct Plan<'q> {
    query: &'q Query,
    people: Option<Predicate>,
    entries: Vec<Vec<Compiled<'q>>>,
    /// The list of a widget's own that they are.
    own: Option<OwnList>,
    pub inert: Vec<InertRule>,
}

impl<'q> Plan<'q> {
    /// Reads the rules; `boards` are all that are loaded, for the labels that exist.
    pub fn new(query: &'q Query, people: Option<&'q People>, all: &'q [RuleOrGroup], boards: &[&Board]) -> Plan<'q> {
        Plan::read(query, people, all, boards, boards)
    }

    /// Reads a list of a widget's own, of some of the loaded boards: a label that only another one knows is not lost.
    pub fn own(
        query: &'q Query,
        own: OwnList,
        all: &'q [RuleOrGroup],
        boards: &[&Board],
        loaded: &[&Board],
    ) -> Plan<'q> {
        let mut plan = Plan { own: Some(own), ..Plan::read(query, None, all, boards, loaded) };
        plan.inert.iter_mut().for_each(|rule| rule.own = Some(own));
        plan
    }

    fn read(
        query: &'q Query,
        people: Option<&'q People>,
        all: &'q [RuleOrGroup],
        boards: &[&Board],
        loaded: &[&Board],
    ) -> Plan<'q> {
        let mut plan = Plan { query, people: None, entries: Vec::new(), own: None, inert: Vec::new() };
        let stranger = |id: &str, predicate: &Predicate| {
            matches!(predicate, Predicate::People { strangers: true, .. }).then(|| InertRule::new(id, "unknown-member"))
        };
        if let Some(people) = people.filter(|p| !p.ids.is_empty() || !p.teams.is_empty()) {
            match Predicate::people(query, &people.ids, &people.teams, false) {
                Ok(predicate) => {
                    plan.inert.extend(stranger("people", &predicate));
                    plan.people = Some(predicate);
                }
                Err(reason) => plan.inert.push(InertRule::new("people", reason)),
            }
        }
        for entry in all {
            let mut rules = Vec::new();
            for rule in entry.rules().iter().filter(|rule| !rule.off) {
                match compile(query, rule, boards, loaded) {
                    Ok(compiled) => {
                        plan.inert.extend(stranger(&rule.id, &compiled.predicate));
                        let columns = without_column(&rule.col, boards);
                        for (reason, lost) in [(LOST_LABEL, compiled.lost.clone()), (LOST_COLUMN, columns)] {
                            if !lost.is_empty() {
                                plan.inert.push(InertRule { lost, ..InertRule::new(&rule.id, reason) });
                            }
                        }
                        rules.push(compiled);
                    }
                    Err(reason) => plan.inert.push(InertRule::new(&rule.id, reason)),
                }
            }
            if !rules.is_empty() {
                plan.entries.push(rules);
            }
        }
        plan
    }

    /// The items of a board that pass.
    pub fn select(&self, board: &Board) -> Selection {
        self.select_while(board, &|| true).0
    }

    /// The same, but without those that are left once `goes_on` says no; and of each rule whether it reaches the board.
    pub fn select_while(&self, board: &Board, goes_on: &dyn Fn() -> bool) -> (Selection, Vec<bool>) {
        let (mut tests, mut reach) = (Vec::new(), Vec::new());
        if let Some(people) = &self.people {
            let test = any_of(board.columns.iter().filter_map(|c| bind_column(self.query, people, board, c)));
            reach.push(test.is_some());
            ask(&mut tests, test);
        }
        for rules in &self.entries {
            let bound = rules.iter().map(|rule| self.bind(rule, board)).inspect(|test| reach.push(test.is_some()));
            let test = any_of(bound.collect::<Vec<_>>().into_iter().flatten());
            let singles = self.own.is_some_and(OwnList::singles);
            ask(&mut tests, test.or_else(|| singles.then_some(Test::Const(false))));
        }
        (Test::All(tests).select_while(board.rows, goes_on), reach)
    }

    /// How many of the boards each rule reaches, from which of the rules reach each board.
    pub fn reach(&self, boards: &[&[bool]]) -> Vec<Reach> {
        let rules = self.people.iter().map(|_| "people").chain(self.entries.iter().flatten().map(|rule| rule.id));
        let count = |at: usize| boards.iter().filter(|reach| reach[at]).count();
        rules
            .enumerate()
            .map(|(at, rule)| Reach { rule: rule.into(), boards: count(at), of: boards.len(), own: self.own })
            .collect()
    }

    /// What does not do all that it was meant to on some of the boards: a column that others have lost is nothing to them.
    pub fn inert(&self, boards: &[&Board]) -> Vec<InertRule> {
        let is_lost = |id: &str| {
            let mut rules = self.entries.iter().flatten().filter(|rule| rule.id == id);
            rules.any(|rule| !without_column(rule.col, boards).is_empty())
        };
        self.inert.iter().filter(|inert| inert.reason != LOST_COLUMN || is_lost(&inert.id)).cloned().collect()
    }

    /// Labels that some of the boards know and others not, of the boards at these places among those that the plan was made with.
    pub fn labels(&self, places: &[usize]) -> Vec<LabelReach> {
        let mut found = Vec::new();
        for rule in self.entries.iter().flatten() {
            let Predicate::Labels { wanted, .. } = &rule.predicate else { continue };
            // Each board is known to itself alone.
            if matches!(rule.col, ColRef::Builtin { name } if name == "board") {
                continue;
            }
            let reached: Vec<&Vec<bool>> = places.iter().filter_map(|at| rule.known.get(*at)?.as_ref()).collect();
            for (at, label) in wanted.iter().enumerate() {
                let boards = reached.iter().filter(|known| known[at]).count();
                let label = label.text();
                // Of one that no board at all knows it is said that it is lost.
                if boards < reached.len() && !rule.lost.iter().any(|lost| lost == label) {
                    found.push(LabelReach { label: label.to_owned(), boards, of: reached.len() });
                }
            }
        }
        found
    }

    /// The rule as a test of a board's rows, or `None` where the board has not its column.
    fn bind<'b>(&self, rule: &Compiled<'_>, board: &'b Board) -> Option<Test<'b>> {
        match rule.col {
            ColRef::Builtin { name } => bind_builtin(self.query, &rule.predicate, name, board),
            _ => any_of(
                columns(rule.col, &rule.titled, board)
                    .filter_map(|c| bind_column(self.query, &rule.predicate, board, c)),
            ),
        }
    }
}

/// Adds a test behind those that are as quick.
fn ask<'a>(tests: &mut Vec<Test<'a>>, test: Option<Test<'a>>) {
    if let Some(test) = test {
        tests.insert(tests.partition_point(|other| other.cost() <= test.cost()), test);
    }
}

fn any_of<'a>(tests: impl Iterator<Item = Test<'a>>) -> Option<Test<'a>> {
    let mut tests: Vec<Test<'_>> = tests.collect();
    if tests.len() > 1 { Some(Test::Any(tests)) } else { tests.pop() }
}

/// What columns are called, and of which family they are, that a rule names by their title.
fn titled(col: &ColRef) -> Option<(String, Family)> {
    match col {
        ColRef::Title { title, type_name } => Some((crate::fold::fold_case(title), Family::from_type_name(type_name))),
        _ => None,
    }
}

/// The columns of a board that a rule names; `titled` is what it says of their title.
fn columns<'b>(
    col: &ColRef,
    titled: &Option<(String, Family)>,
    board: &'b Board,
) -> impl Iterator<Item = &'b crate::board::Column> {
    let ids: Vec<String> = match col {
        ColRef::Ids { ids } => ids.get(&board.id).cloned().unwrap_or_default(),
        _ => Vec::new(),
    };
    board.columns.iter().filter(move |column| match titled {
        Some((title, family)) => column.family == *family && column.title_folded == *title,
        None => ids.contains(&column.id),
    })
}

/// The names of the boards of which a rule names columns by their ids, and one is gone.
fn without_column(col: &ColRef, boards: &[&Board]) -> Vec<String> {
    let ColRef::Ids { ids } = col else { return Vec::new() };
    let has_lost =
        |board: &Board| ids.get(&board.id).is_some_and(|ids| ids.iter().any(|id| board.column(id).is_none()));
    boards.iter().filter(|board| has_lost(board)).map(|board| board.name.clone()).collect()
}

/// Reads a rule of some of the loaded boards: where none of them knows any of its labels, none can be meant.
fn compile<'q>(
    query: &Query,
    rule: &'q Rule,
    boards: &[&Board],
    loaded: &[&Board],
) -> Result<Compiled<'q>, &'static str> {
    let (id, col, titled) = (rule.id.as_str(), &rule.col, titled(&rule.col));
    let compiled = |predicate, titled, known, lost| Compiled { id, col, titled, predicate, known, lost };
    let family = match col {
        ColRef::Title { type_name, .. } => Family::from_type_name(type_name),
        // Without any such column the rule reaches no board, whatever it asks.
        ColRef::Ids { .. } => match boards.iter().find_map(|board| columns(col, &None, board).next()) {
            Some(column) => column.family,
            None if without_column(col, boards).is_empty() => {
                return Ok(compiled(Predicate::NotEmpty, titled, Known::new(), Vec::new()));
            }
            None => return Err("unknown-column"),
        },
        ColRef::Builtin { name } => match name.as_str() {
            "name" => Family::Text,
            "created" | "updated" => Family::Date,
            "board" | "group" => Family::Label,
            "subitem" => Family::Checkbox,
            _ => return Err("unknown-column"),
        },
    };
    let predicate = Predicate::read(query, family, &rule.op, &rule.value)?;
    let (Predicate::Labels { wanted, .. }, Family::Label) = (&predicate, family) else {
        return Ok(compiled(predicate, titled, Known::new(), Vec::new()));
    };
    let known_of =
        |boards: &[&Board]| -> Known { boards.iter().map(|board| known(wanted, col, &titled, board)).collect() };
    let known = known_of(boards);
    let mut lost = lost_labels(wanted, &known);
    if lost.len() == wanted.len() {
        return Err("deleted-label");
    }
    // What only another board knows is not lost.
    if !lost.is_empty() && loaded.len() > boards.len() {
        lost = lost_labels(wanted, &known_of(loaded));
    }
    Ok(compiled(predicate, titled, known, lost))
}

/// The labels that no board knows; where the rule reaches none, nobody can tell.
fn lost_labels(wanted: &[Wanted], known: &Known) -> Vec<String> {
    let reached: Vec<&Vec<bool>> = known.iter().flatten().collect();
    let is_lost = |at: usize| !reached.is_empty() && !reached.iter().any(|known| known[at]);
    (0..wanted.len()).filter(|at| is_lost(*at)).map(|at| wanted[at].text().to_owned()).collect()
}

/// Which of the labels a board knows, or `None` where it has not the rule's column.
fn known(wanted: &[Wanted], col: &ColRef, titled: &Option<(String, Family)>, board: &Board) -> Option<Vec<bool>> {
    let among = |entries: &[Entry]| wanted.iter().map(|w| entries.iter().any(|entry| w.is(entry))).collect();
    match col {
        ColRef::Builtin { name } if name == "board" => Some(among(&[board_entry(board)])),
        ColRef::Builtin { .. } => Some(among(&board.groups.entries)),
        _ => {
            let of_column = |column: &crate::board::Column| match &column.data {
                Data::Coded(coded) => among(&coded.entries),
                _ => vec![false; wanted.len()],
            };
            let either = |a: Vec<bool>, b: Vec<bool>| a.iter().zip(b).map(|(a, b)| *a || b).collect();
            columns(col, titled, board).map(of_column).reduce(either)
        }
    }
}

fn board_entry(board: &Board) -> Entry {
    Entry::named(&board.id, &board.name)
}

fn bind_builtin<'b>(query: &Query, predicate: &Predicate, name: &str, board: &'b Board) -> Option<Test<'b>> {
    match name {
        "board" => {
            let entry = board_entry(board);
            Some(Test::Const(predicate.judge(std::slice::from_ref(&entry))?.is_met(&[0])))
        }
        "group" => coded(predicate, &board.groups),
        "name" => text(predicate, &board.names),
        "subitem" => match &board.subitems {
            Some(subitems) => coded(predicate, &subitems.coded),
            None => Some(Test::Const(predicate.judge(&[])?.is_met(&[]))),
        },
        "created" => instants(query, predicate, board, &board.created),
        "updated" => instants(query, predicate, board, &board.updated),
        _ => None,
    }
}

/// The predicate over one column, or `None` where it cannot be asked of it.
fn bind_column<'b>(
    query: &Query,
    predicate: &Predicate,
    board: &'b Board,
    column: &'b crate::board::Column,
) -> Option<Test<'b>> {
    if let (Predicate::People { .. }, false) = (predicate, column.family == Family::People) {
        return None;
    }
    match &column.data {
        Data::Text(texts) | Data::Files(texts) => text(predicate, texts),
        Data::Coded(column) => coded(predicate, column),
        Data::Numbers(numbers) => {
            Some(turned(predicate.over_numbers(numbers)?, board, column.stamp, |values| planes::base(values, 1)))
        }
        Data::Days(days) => {
            let test = turned(predicate.over_days(days)?, board, column.stamp, planes::lowest);
            Some(unless_done(predicate, test, board))
        }
        Data::Spans(from, to) => predicate.over_spans(from, to).map(|test| unless_done(predicate, test, board)),
        Data::Instants(values) => instants(query, predicate, board, values),
        Data::Opaque => None,
    }
}

/// A test of a column's whole numbers or days by their planes, which its board keeps.
fn turned<'b>(test: Test<'b>, board: &Board, stamp: u64, base: fn(&[i32]) -> i64) -> Test<'b> {
    test.turned(&|values| {
        let base = *board.derived.get(CacheKey::Base(stamp, 1), || base(values));
        board.derived.get(CacheKey::Planes(stamp, 1, base), || Planes::new(values, 1, base))
    })
}

fn text<'b>(predicate: &Predicate, texts: &'b Texts) -> Option<Test<'b>> {
    let not = |test| Test::Not(Box::new(test));
    let test = |op, wanted: &str| match op {
        TextOp::Contains => Test::holds(texts, wanted),
        op => Test::Text(texts, op, wanted.to_owned()),
    };
    Some(match predicate {
        Predicate::Text { op, wanted, not: false } => test(*op, wanted),
        Predicate::Text { op, wanted, not: true } => not(test(*op, wanted)),
        Predicate::Empty => Test::Text(texts, TextOp::Empty, String::new()),
        Predicate::NotEmpty => not(Test::Text(texts, TextOp::Empty, String::new())),
        _ => return None,
    })
}

fn coded<'b>(predicate: &Predicate, column: &'b Coded) -> Option<Test<'b>> {
    let judge = predicate.judge(&column.entries)?;
    Some(match column.holders() {
        Some(holders) => Test::Held(holders, judge),
        None => Test::Codes(&column.codes, column.table(|members| judge.is_met(members))),
    })
}

fn instants<'b>(query: &Query, predicate: &Predicate, board: &'b Board, values: &'b [i64]) -> Option<Test<'b>> {
    let (from, to) = match predicate {
        Predicate::Empty => return Some(Test::Const(false)),
        Predicate::NotEmpty => return Some(Test::Const(true)),
        Predicate::Days { from, to } => (*from, *to),
        Predicate::Overdue { today } => (i32::MIN + 1, today - 1),
        _ => return None,
    };
    let start = |day: i32| i64::from(day) * DAY_MS - query.shift_ms();
    let test = Test::I64(values, start(from), start(to) + DAY_MS - 1);
    Some(unless_done(predicate, test, board))
}

/// What is done or canceled is not overdue.
fn unless_done<'b>(predicate: &Predicate, test: Test<'b>, board: &'b Board) -> Test<'b> {
    if matches!(predicate, Predicate::Overdue { .. }) { Test::All(vec![test, not_done(board)]) } else { test }
}

/// The items that nothing says are done or canceled: no label of any label column, and no checkbox that means it.
fn not_done(board: &Board) -> Test<'_> {
    let is_over = |entry: &Entry| entry.done || entry.canceled;
    let labels = |column: &crate::board::Column| matches!(&column.data, Data::Coded(coded) if column.family == Family::Label && coded.entries.iter().any(is_over));
    // What a mirror shows is said of the items that are linked to.
    let is_own = |column: &crate::board::Column| column.settings.link_column.is_none();
    let meant = board.columns.iter().map(|column| Meant {
        title: &column.title_folded,
        type_name: if is_own(column) { &column.type_name } else { "mirror" },
    });
    let meant: Vec<Meant<'_>> = meant.collect();
    let checks = done_checks(&meant);
    let tests = board.columns.iter().enumerate().filter_map(|(at, column)| {
        let Data::Coded(coded) = &column.data else { return None };
        let entry = |member: &u32| &coded.entries[*member as usize];
        let table = if is_own(column) && labels(column) {
            coded.table(|members| members.iter().any(|member| is_over(entry(member))))
        } else if checks.contains(&at) {
            coded.table(|members| members.iter().any(|member| entry(member).id == "true"))
        } else {
            return None;
        };
        Some(Test::Codes(&coded.codes, table))
    });
    any_of(tests).map_or(Test::Const(true), |test| Test::Not(Box::new(test)))
}

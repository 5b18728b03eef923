//! Operators: what a rule's `op` and `value` mean for each family of columns.

use crate::column::TextOp;
use crate::column::{Entry, Numbers, POWERS};
use crate::dates::{self, Bucket};
use crate::family::Family;
use crate::fold::{fold_case, fold_text};
use crate::planes::Judge;
use crate::query::Query;
use crate::row_test::Test;
use serde_json::Value;

/// A label, tag, group or board that a rule names, by its text so that it works across boards; an id works too.
pub(crate) struct Wanted {
    id: String,
    folded: String,
}

impl Wanted {
    fn new(text: &str) -> Wanted {
        Wanted { id: text.to_owned(), folded: fold_case(text) }
    }
    /// As the rule has it.
    pub fn text(&self) -> &str {
        &self.id
    }
    pub fn is(&self, entry: &Entry) -> bool {
        is_same(&entry.folded, &self.folded) || (!entry.id.is_empty() && is_same(&entry.id, &self.id))
    }
}

/// Whether texts are the same. Labels and ids mostly differ in their last letter, if they are as long.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.as_bytes().last() == other.as_bytes().last() && one == other
}

/// What a rule asks of a cell.
pub(crate) enum Predicate {
    Empty,
    NotEmpty,
    Text {
        op: TextOp,
        wanted: String,
        not: bool,
    },
    /// From and to, inclusive; `not`: outside them, and not empty.
    Numbers {
        from: f64,
        to: f64,
        not: bool,
    },
    /// Any (or all) of the wanted are among the cell's; `not`: none of them.
    Labels {
        wanted: Vec<Wanted>,
        all: bool,
        not: bool,
    },
    /// As above by member id; `nobody`: an empty cell meets it too; `strangers`: some of the ids are of no member.
    People {
        ids: Vec<String>,
        nobody: bool,
        not: bool,
        strangers: bool,
    },
    /// From and to, inclusive, days since 1970-01-01.
    Days {
        from: i32,
        to: i32,
    },
    /// Before today and not done.
    Overdue {
        today: i32,
    },
    Checked(bool),
}

type Read<T> = Result<T, &'static str>;

/// Days far beyond any date, with room to compute.
const EVER: i32 = 10_000_000;
/// The most days that "last N days" may name.
const DAYS_MAX: f64 = 36_600.0;

impl Predicate {
    /// Reads a rule's operator and value; the error is the reason why the rule is inert.
    pub fn read(query: &Query, family: Family, op: &str, value: &Value) -> Read<Predicate> {
        match (op, family) {
            (_, Family::Opaque) => return Err("unknown-column"),
            ("isEmpty", family) if family != Family::Checkbox => return Ok(Predicate::Empty),
            ("isNotEmpty", family) if family != Family::Checkbox => return Ok(Predicate::NotEmpty),
            _ => {}
        }
        match family {
            Family::Text => text(op, value),
            Family::Files if matches!(op, "contains" | "notContains") => text(op, value),
            Family::Files => Err("unknown-operator"),
            Family::Number => number(op, value),
            Family::Label => labels(
                value,
                false,
                match op {
                    "anyOf" => false,
                    "noneOf" => true,
                    _ => return Err("unknown-operator"),
                },
            ),
            Family::Tags => match op {
                "hasAny" => labels(value, false, false),
                "hasAll" => labels(value, true, false),
                "hasNone" => labels(value, false, true),
                _ => Err("unknown-operator"),
            },
            Family::People => {
                let not = match op {
                    "anyOf" => false,
                    "noneOf" => true,
                    _ => return Err("unknown-operator"),
                };
                let (ids, teams) = match value {
                    Value::Object(_) => (list(&value["ids"])?, list(&value["teams"])?),
                    _ => (list(value)?, Vec::new()),
                };
                Predicate::people(query, &ids, &teams, not)
            }
            Family::Links => match op {
                "contains" | "hasAny" => labels(value, false, false),
                "hasAll" => labels(value, true, false),
                "notContains" | "hasNone" => labels(value, false, true),
                _ => Err("unknown-operator"),
            },
            Family::Date => date(query, op, value),
            Family::Checkbox => match op {
                "isChecked" => Ok(Predicate::Checked(true)),
                "isNotChecked" => Ok(Predicate::Checked(false)),
                _ => Err("unknown-operator"),
            },
            Family::Opaque => Err("unknown-column"),
        }
    }

    /// Any of the members, of the teams' members, `me`, and nobody for `none`; or none of these. What names no member is taken for
    /// an id, which no item holds: a rule without it could let more pass.
    pub fn people(query: &Query, ids: &[String], teams: &[String], not: bool) -> Read<Predicate> {
        if ids.is_empty() && teams.is_empty() {
            return Err("no-value");
        }
        let mut members = Vec::new();
        let (mut nobody, mut strangers) = (false, false);
        for id in ids {
            let member = match (id.as_str(), &query.members) {
                ("none", _) => {
                    nobody = true;
                    continue;
                }
                ("me", _) => query.me.as_ref(),
                (_, Some(named)) => named.get(id),
                (_, None) => Some(id),
            };
            strangers |= member.is_none();
            members.push(member.unwrap_or(id).clone());
        }
        for team in teams {
            members.extend(query.teams.get(team).ok_or("unknown-team")?.iter().cloned());
        }
        Ok(Predicate::People { ids: members, nobody, not, strangers })
    }

    /// The rule over sets of these entries; `None` where it cannot be asked of labels.
    pub fn judge(&self, entries: &[Entry]) -> Option<Judge> {
        let marks = |test: &dyn Fn(&Entry) -> bool| -> Vec<bool> { entries.iter().map(test).collect() };
        let none = || vec![vec![false; entries.len()]];
        Some(match self {
            Predicate::Empty => Judge { marks: none(), nobody: true, not: false },
            Predicate::NotEmpty => Judge { marks: none(), nobody: true, not: true },
            Predicate::Labels { wanted, all: true, .. } => {
                let marks = wanted.iter().map(|w| marks(&|entry| w.is(entry))).collect();
                Judge { marks, nobody: false, not: false }
            }
            Predicate::Labels { wanted, not, .. } => {
                Judge { marks: vec![marks(&|entry| wanted.iter().any(|w| w.is(entry)))], nobody: false, not: *not }
            }
            Predicate::People { ids, nobody, not, .. } => {
                Judge { marks: vec![marks(&|entry| ids.contains(&entry.id))], nobody: *nobody, not: *not }
            }
            Predicate::Checked(checked) => {
                Judge { marks: vec![marks(&|entry| entry.id == "true")], nobody: false, not: !*checked }
            }
            _ => return None,
        })
    }

    /// The test over a number column.
    pub fn over_numbers<'b>(&self, numbers: &'b Numbers) -> Option<Test<'b>> {
        let between = |from: f64, to: f64| match numbers {
            Numbers::Float(values) => Test::F64(values, from, to),
            Numbers::Scaled { values, decimals, .. } => {
                // The scaled bounds are searched, not computed: rounding there could lose the value itself.
                let power = POWERS[usize::from(*decimals)];
                let first = |met: &dyn Fn(f64) -> bool| {
                    let (mut low, mut high) = (i64::from(i32::MIN) + 1, i64::from(i32::MAX) + 1);
                    while low < high {
                        let middle = low + (high - low) / 2;
                        if met(middle as f64 / power) { high = middle } else { low = middle + 1 }
                    }
                    low
                };
                let (low, high) = (first(&|v| v >= from), first(&|v| v > to) - 1);
                if low > high { Test::Const(false) } else { Test::I32(values, low as i32, high as i32) }
            }
        };
        Some(match self {
            Predicate::Empty => Test::Not(Box::new(between(f64::NEG_INFINITY, f64::INFINITY))),
            Predicate::NotEmpty => between(f64::NEG_INFINITY, f64::INFINITY),
            Predicate::Numbers { from, to, not: false } => between(*from, *to),
            Predicate::Numbers { from, to, not: true } => {
                Test::Any(vec![between(f64::NEG_INFINITY, from.next_down()), between(to.next_up(), f64::INFINITY)])
            }
            _ => return None,
        })
    }

    /// The test over a column of spans: one is met by any day of it, and overdue once its last day is past.
    pub fn over_spans<'b>(&self, from: &'b [i32], to: &'b [i32]) -> Option<Test<'b>> {
        match self {
            Predicate::Days { from: first, to: last } => {
                Some(Test::All(vec![Test::I32(from, -EVER, *last), Test::I32(to, *first, EVER)]))
            }
            _ => self.over_days(to),
        }
    }

    /// The test over a date column, `Overdue` without the question whether the item is done.
    pub fn over_days<'b>(&self, days: &'b [i32]) -> Option<Test<'b>> {
        Some(match self {
            Predicate::Empty => Test::Not(Box::new(Test::I32(days, -EVER, EVER))),
            Predicate::NotEmpty => Test::I32(days, -EVER, EVER),
            Predicate::Days { from, to } => Test::I32(days, *from, *to),
            Predicate::Overdue { today } => Test::I32(days, -EVER, today - 1),
            _ => return None,
        })
    }
}

fn text(op: &str, value: &Value) -> Read<Predicate> {
    let (op, not) = match op {
        "contains" => (TextOp::Contains, false),
        "notContains" => (TextOp::Contains, true),
        "is" => (TextOp::Is, false),
        "isNot" => (TextOp::Is, true),
        "startsWith" => (TextOp::StartsWith, false),
        _ => return Err("unknown-operator"),
    };
    let mut wanted = String::new();
    fold_text(value.as_str().ok_or("wrong-value")?, &mut wanted);
    if wanted.is_empty() { Err("no-value") } else { Ok(Predicate::Text { op, wanted, not }) }
}

fn number(op: &str, value: &Value) -> Read<Predicate> {
    const ENDLESS: f64 = f64::INFINITY;
    let one = || value.as_f64().ok_or(if value.is_null() { "no-value" } else { "wrong-value" });
    let (from, to) = match op {
        "=" | "!=" => (one()?, one()?),
        ">" => (one()?.next_up(), ENDLESS),
        ">=" => (one()?, ENDLESS),
        "<" => (-ENDLESS, one()?.next_down()),
        "<=" => (-ENDLESS, one()?),
        "between" => {
            let (from, to) = pair(value)?;
            (from.as_f64().ok_or("wrong-value")?, to.as_f64().ok_or("wrong-value")?)
        }
        _ => return Err("unknown-operator"),
    };
    Ok(Predicate::Numbers { from, to, not: op == "!=" })
}

fn labels(value: &Value, all: bool, not: bool) -> Read<Predicate> {
    let wanted: Vec<Wanted> = list(value)?.iter().map(|text| Wanted::new(text)).collect();
    if wanted.is_empty() { Err("no-value") } else { Ok(Predicate::Labels { wanted, all, not }) }
}

/// A text or a list of texts; nothing is the empty list.
fn list(value: &Value) -> Read<Vec<String>> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned).ok_or("wrong-value")).collect(),
        _ => Err("wrong-value"),
    }
}

/// `[from, to]`.
fn pair(value: &Value) -> Read<(&Value, &Value)> {
    match value {
        Value::Null => Err("no-value"),
        Value::Array(items) if items.len() == 2 => Ok((&items[0], &items[1])),
        _ => Err("wrong-value"),
    }
}

fn date(query: &Query, op: &str, value: &Value) -> Read<Predicate> {
    let today = query.today();
    let day = |value: &Value| match value {
        Value::Null => Err("no-value"),
        value => value.as_str().and_then(dates::parse).ok_or("wrong-value"),
    };
    let span = |bucket: Bucket, by: i32| {
        let start = bucket.shift(today, query.week_start(), by);
        (start, bucket.next(start) - 1)
    };
    let count = || match value.as_f64() {
        Some(n) if (1.0..=DAYS_MAX).contains(&n) && n.fract() == 0.0 => Ok(n as i32),
        None if value.is_null() => Err("no-value"),
        _ => Err("wrong-value"),
    };
    let (from, to) = match op {
        "on" => (day(value)?, day(value)?),
        "before" => (-EVER, day(value)? - 1),
        "after" => (day(value)? + 1, EVER),
        "between" => {
            let (from, to) = pair(value)?;
            (day(from)?, day(to)?)
        }
        "today" => (today, today),
        "yesterday" => (today - 1, today - 1),
        "tomorrow" => (today + 1, today + 1),
        "thisWeek" => span(Bucket::Week, 0),
        "lastWeek" => span(Bucket::Week, -1),
        "nextWeek" => span(Bucket::Week, 1),
        "thisMonth" => span(Bucket::Month, 0),
        "lastMonth" => span(Bucket::Month, -1),
        "nextMonth" => span(Bucket::Month, 1),
        "thisQuarter" => span(Bucket::Quarter, 0),
        "lastQuarter" => span(Bucket::Quarter, -1),
        "nextQuarter" => span(Bucket::Quarter, 1),
        // Today is the last of the last days and the first of the next.
        "lastDays" => (today - count()? + 1, today),
        "nextDays" => (today, today + count()? - 1),
        "overdue" => return Ok(Predicate::Overdue { today }),
        _ => return Err("unknown-operator"),
    };
    Ok(Predicate::Days { from, to })
}

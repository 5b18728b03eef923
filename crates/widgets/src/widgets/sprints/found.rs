//! Which sprints the items of boards name, and when these are.

use super::{BACKLOG, Config, Dates, SPRINT_END, SPRINT_START, Sprint, SprintBy, Way, finished};
use crate::column::{Coded, Data, Entry, NO_DAY};
use crate::dates::{iso, parse};
use crate::derived::CacheKey;
use crate::fold::{fold_case, sort};
use crate::tally::{DerivedCodes, Key};
use crate::widgets::input::{Input, Part};
use crate::widgets::mapping::Role;
use std::collections::HashMap;
use std::sync::Arc;

/// Sprints as they are met.
#[derive(Default)]
pub(super) struct Found {
    all: Vec<Sprint>,
    by_key: HashMap<String, u32>,
}

impl Found {
    fn sprint(&mut self, key: &str, label: &str, from: Option<i32>, to: Option<i32>) -> u32 {
        let next = self.all.len() as u32;
        let at = *self.by_key.entry(key.to_owned()).or_insert(next);
        if at == next {
            let label = if label.is_empty() { key } else { label };
            self.all.push(Sprint {
                key: key.to_owned(),
                label: label.to_owned(),
                from: None,
                to: None,
                inferred: false,
                impossible: false,
            });
        }
        let sprint = &mut self.all[at as usize];
        if sprint.is_undated() && !sprint.impossible {
            sprint.take_days(from, to);
        }
        at
    }

    pub(super) fn way(&mut self, part: &Part<'_>, key: Option<&Key>, config: &Config) -> Way {
        let column = part.column("sprint");
        match (config.sprint_by, column.map(|column| &column.data)) {
            (SprintBy::Group, _) => self.coded(&part.board.groups, |group| (&group.id, None, None)),
            (_, Some(Data::Coded(coded))) => {
                let days = column.map(|column| part.board.linked_days(column)).unwrap_or_default();
                self.coded(coded, |entry| match column.is_some_and(|column| column.links.is_some()) {
                    true => {
                        let (from, to) = days.get(entry.id.as_str()).copied().unwrap_or_default();
                        (&entry.id, from, to)
                    }
                    false => (&entry.folded, None, None),
                })
            }
            (_, Some(Data::Text(texts))) => self.coded(texts.coded(), |entry| (&entry.folded, None, None)),
            _ => {
                let spans = if let Some(Key::Derived(made)) = key { made.spans.as_slice() } else { &[] };
                Way {
                    named: std::iter::once(Vec::new()).chain(spans.iter().map(|days| self.span(*days))).collect(),
                    table: Vec::new(),
                }
            }
        }
    }

    fn coded<'e>(&mut self, coded: &'e Coded, of: impl Fn(&'e Entry) -> (&'e String, Option<i32>, Option<i32>)) -> Way {
        let sprint = |entry: &'e Entry| {
            let (key, from, to) = of(entry);
            // A label without a name is none.
            (!key.is_empty()).then(|| self.sprint(key, &entry.text, from, to))
        };
        let sprints: Vec<Option<u32>> = coded.entries.iter().map(sprint).collect();
        let named = |code| coded.entries_of(code).iter().filter_map(|entry| sprints[*entry as usize]).collect();
        Way { named: (0..coded.code_count()).map(named).collect(), table: Vec::new() }
    }

    /// Each span is a sprint of its own.
    fn span(&mut self, (from, to): (i32, i32)) -> Vec<u32> {
        let (first, last) = (iso(from), iso(to));
        vec![self.sprint(&format!("{first}/{last}"), &format!("{first} – {last}"), Some(from), Some(to))]
    }

    /// The configured days, where linked items have none.
    pub(super) fn take_dates(&mut self, dates: &[Dates]) {
        for sprint in self.all.iter_mut().filter(|sprint| sprint.is_undated()) {
            let label = fold_case(&sprint.label);
            if let Some(dates) = dates.iter().find(|dates| dates.key == sprint.key || fold_case(&dates.key) == label) {
                let (from, to) = (parse(&dates.from), parse(&dates.to));
                sprint.take_days(from, to);
                sprint.impossible |= from.is_none() || to.is_none();
                if sprint.impossible {
                    (sprint.from, sprint.to) = (None, None);
                }
            }
        }
    }

    /// The days that columns say of the items of sprints that have none: from the first to the last.
    pub(super) fn take_columns(&mut self, way: &Way, part: &Part<'_>, key: Option<&Key>, input: &Input<'_>) {
        let days = |role: &Role| match part.column(role.name).map(|column| &column.data) {
            Some(Data::Days(days)) => Some(days.as_slice()),
            _ => None,
        };
        let (starts, ends) = (days(&SPRINT_START), days(&SPRINT_END));
        if starts.is_none() && ends.is_none() {
            return;
        }
        let mut seen: Vec<(Option<i32>, Option<i32>)> = vec![(None, None); way.named.len()];
        input.all(part).each(|row| {
            let day = |days: Option<&[i32]>| days.map(|days| days[row]).filter(|day| *day != NO_DAY);
            let (from, to) = &mut seen[key.map_or(0, |key| key.codes().get(row) as usize)];
            *from = (*from).into_iter().chain(day(starts)).min();
            *to = (*to).into_iter().chain(day(ends)).max();
        });
        // What names several sprints says of none when it is.
        for (named, (from, to)) in way.named.iter().zip(seen) {
            if let [sprint] = named[..] {
                let sprint = &mut self.all[sprint as usize];
                if sprint.is_undated() && !sprint.impossible {
                    sprint.take_days(from, to);
                }
            }
        }
    }

    /// Looks at all of a board's items: which codes they have, and from when to when the dates of sprints without days are.
    pub(super) fn see(&mut self, way: &Way, part: &Part<'_>, key: Option<&Key>, input: &Input<'_>) -> Vec<bool> {
        let finished = finished(part);
        let look = || {
            let mut seen =
                Seen { used: vec![false; way.named.len()], days: vec![(i32::MAX, i32::MIN); way.named.len()] };
            input.all(part).each(|row| {
                let code = key.map_or(0, |key| key.codes().get(row) as usize);
                seen.used[code] = true;
                if let Some(day) = finished.and_then(|days| days.get(row)) {
                    seen.days[code] = (seen.days[code].0.min(day), seen.days[code].1.max(day));
                }
            });
            seen
        };
        let seen = match key {
            Some(key) => part.board.derived.get(
                CacheKey::Seen {
                    codes: key.codes().stamp,
                    days: part.column("date").map(|column| column.stamp),
                    with_subitems: input.include_subitems,
                },
                look,
            ),
            None => Arc::new(look()),
        };
        let Seen { used, days } = &*seen;
        for (named, (first, last)) in way.named.iter().zip(days.iter().copied()).filter(|(_, days)| days.0 <= days.1) {
            for sprint in named {
                let sprint = &mut self.all[*sprint as usize];
                if sprint.inferred || (sprint.is_undated() && !sprint.impossible) {
                    sprint.inferred = true;
                    sprint.from = Some(sprint.from.map_or(first, |from| from.min(first)));
                    sprint.to = Some(sprint.to.map_or(last, |to| to.max(last)));
                }
            }
        }
        used.clone()
    }

    /// Puts the sprints that have items into their order, and gives each code the latest of those that it names.
    pub(super) fn settle(self, ways: &mut [Way], used: &[Vec<bool>]) -> Vec<Sprint> {
        let mut order: Vec<u32> = (0..self.all.len() as u32).collect();
        sort(&mut order, &mut |a, b| self.all[a].compare(&self.all[b]));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, sprint)| place[*sprint as usize] = at);
        let mut kept = vec![false; order.len()];
        for (way, used) in ways.iter_mut().zip(used) {
            way.table = way
                .named
                .iter()
                .map(|named| named.iter().map(|sprint| place[*sprint as usize] as u32).max().unwrap_or(BACKLOG))
                .collect();
            way.table
                .iter()
                .zip(used)
                .filter(|(at, used)| **used && **at != BACKLOG)
                .for_each(|(at, _)| kept[*at as usize] = true);
        }
        let mut next = 0;
        let renumbered: Vec<u32> = kept
            .iter()
            .map(|kept| {
                if *kept {
                    next += 1;
                    next - 1
                } else {
                    BACKLOG
                }
            })
            .collect();
        for at in ways.iter_mut().flat_map(|way| &mut way.table).filter(|at| **at != BACKLOG) {
            *at = renumbered[*at as usize];
        }
        let mut all: Vec<Option<Sprint>> = self.all.into_iter().map(Some).collect();
        order
            .iter()
            .enumerate()
            .filter(|(at, _)| kept[*at])
            .filter_map(|(_, sprint)| all[*sprint as usize].take())
            .collect()
    }
}

/// Of a board's codes of sprints, which there are, and between which days their items were finished.
struct Seen {
    used: Vec<bool>,
    days: Vec<(i32, i32)>,
}

/// A code for each span that there is.
pub(super) fn spans(from: &[i32], to: &[i32]) -> DerivedCodes {
    let (mut there, mut by_days) = (Vec::new(), HashMap::new());
    let mut code = |days: (&i32, &i32)| {
        let days = (*days.0, *days.1);
        if days.0 == NO_DAY {
            return 0;
        }
        *by_days.entry(days).or_insert_with(|| {
            there.push(days);
            there.len() as u32
        })
    };
    let codes = from.iter().zip(to).map(&mut code).collect();
    DerivedCodes { spans: there.clone(), ..DerivedCodes::new(codes, there.len() + 1) }
}

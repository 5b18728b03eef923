//! What is remembered of sprints, day by day: which items were in them, what those weighed and what they had come to.
//!
//! A board's record is made by the columns that a widget reads, and grows by what changed only. What stands for a day is how the
//! board was when the day ended. Of a sprint nothing is told for a day on which it was not looked at: "empty" and "unknown" are
//! kept apart.
//!
//! Records are written here by the types below, and looked up in the JSON that these make: a page, which only looks up, needs none
//! of the code that reads and writes types.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Days before its first on which a sprint is recorded already: it may yet be moved.
pub const DAYS_BEFORE: i32 = 7;
/// Days after its last on which it still is: what is finished late is the end of its burndown.
pub const DAYS_AFTER: i32 = 30;
/// Sprints of a column at most; where there are more, it names something else.
const SPRINTS_MAX: usize = 1_000;

/// The records of a dashboard's boards, by their ids.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct History(pub BTreeMap<String, BoardHistory>);

/// What is remembered of a board.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardHistory(Vec<Record>);

/// The columns of a board that a record was made by.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct By {
    /// None where groups are sprints.
    pub sprint: Option<String>,
    /// None where items count one each.
    pub effort: Option<String>,
    pub done: Option<String>,
    pub subitems: bool,
}

/// What some columns told of a board's sprints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Record {
    by: By,
    /// The days on which the board was looked at: first and last of each run, rising.
    days: Vec<(i32, i32)>,
    /// Sprints that had items and were not recorded, as they were undated or far: the last day of that.
    passed: BTreeMap<String, i32>,
    /// Ids of labels of the done column; steps name their places.
    labels: Vec<String>,
    sprints: BTreeMap<String, Followed>,
}

/// What is remembered of a sprint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Followed {
    /// Nothing is known before.
    from: i32,
    /// The last day on which it was recorded.
    until: i32,
    /// The last day on which it is to be, as its days were when it had items last: what is emptied has no others.
    last: i32,
    items: BTreeMap<String, Vec<Step>>,
}

/// From this day on an item was so, or not in the sprint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Step(i32, Option<(Option<f64>, Option<usize>)>);

/// An item as it was on a day.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Was<'a> {
    pub item: &'a str,
    /// None where it had no number, or there is no such column.
    pub effort: Option<f64>,
    /// The id of its label.
    pub label: Option<&'a str>,
}

/// The days between which a sprint is recorded, none where it is not, and its items.
type Sprint<'a> = (Option<(i32, i32)>, Vec<Was<'a>>);

/// A board's sprints as they are now, by the columns of widgets.
pub(crate) struct Now<'a> {
    pub by: By,
    pub sprints: BTreeMap<String, Sprint<'a>>,
}

/// The same of boards, by their ids.
#[derive(Default)]
pub(crate) struct Nows<'a>(BTreeMap<String, Vec<Now<'a>>>);

impl<'a> Nows<'a> {
    /// Adds what a widget says: where another reads the same columns, each knows days of sprints of its own.
    pub fn add(&mut self, board: &str, new: Now<'a>) {
        let all = self.0.entry(board.to_owned()).or_default();
        let Some(known) = all.iter_mut().find(|now| now.by == new.by) else { return all.push(new) };
        for (key, (days, items)) in new.sprints {
            let (between, _) = known.sprints.entry(key).or_insert((days, items));
            let both = between.zip(days).map(|(one, other)| (one.0.min(other.0), one.1.max(other.1)));
            *between = both.or(*between).or(days);
        }
    }
    /// Lets all of it stand for the days, by board, from those named to a last one.
    pub fn take(&self, history: &mut History, from: &BTreeMap<String, i32>, until: i32) {
        for (board, all) in &self.0 {
            let Some(from) = from.get(board) else { continue };
            let of = history.0.entry(board.clone()).or_default();
            all.iter().for_each(|now| of.take(now, *from, until));
        }
    }
}

impl BoardHistory {
    /// Lets what is now stand for the days from `from` to `until` that are not recorded yet.
    pub(crate) fn take(&mut self, now: &Now<'_>, from: i32, until: i32) {
        if now.sprints.len() > SPRINTS_MAX {
            return;
        }
        let at = self.0.iter().position(|record| record.by == now.by).unwrap_or_else(|| {
            let (by, none) = (now.by.clone(), BTreeMap::new());
            self.0.push(Record { by, days: Vec::new(), passed: none, labels: Vec::new(), sprints: BTreeMap::new() });
            self.0.len() - 1
        });
        let record = &mut self.0[at];
        let next = record.days.last().map_or(from, |(_, last)| from.max(last + 1));
        (next..=until).for_each(|day| record.take(now, day));
    }
    /// Forgets what was before a day, and then the sprints that ended first until all takes no more than so many bytes as JSON.
    /// Whether it does.
    pub fn shrink(&mut self, oldest: i32, bytes_max: usize) -> bool {
        for record in &mut self.0 {
            record.days.retain(|(_, last)| *last >= oldest);
            // Nothing is told of a day that is not among them: what is not named any more was not empty before.
            if let Some((first, _)) = record.days.first_mut() {
                *first = oldest.max(*first);
            }
            record.sprints.retain(|_, followed| followed.until >= oldest);
            record.passed.retain(|_, day| *day >= oldest);
        }
        self.0.retain(|record| !record.days.is_empty());
        let mut bytes = bytes_of(self);
        let sprints = |(at, record): (usize, &Record)| -> Vec<_> {
            record.sprints.iter().map(|(key, one)| (one.last, at, key.clone())).collect()
        };
        let mut oldest: Vec<(i32, usize, String)> = self.0.iter().enumerate().flat_map(sprints).collect();
        oldest.sort_unstable();
        for (_, at, key) in oldest {
            if bytes <= bytes_max {
                break;
            }
            bytes = self.0[at].forget(key, bytes);
        }
        bytes <= bytes_max
    }
    /// How many days, and how many sprints, are remembered: the most of any of the widgets' columns.
    pub fn extent(&self) -> (i32, usize) {
        let days = |record: &Record| record.days.iter().map(|(first, last)| last - first + 1).sum();
        let most = |of: &dyn Fn(&Record) -> i32| self.0.iter().map(of).max().unwrap_or_default();
        (most(&days), most(&|record| record.sprints.len() as i32) as usize)
    }
}

impl Record {
    fn take(&mut self, now: &Now<'_>, day: i32) {
        for (key, (days, items)) in &now.sprints {
            let Some((_, last)) = days.filter(|(first, last)| (*first..=*last).contains(&day)) else {
                self.passed.insert(key.clone(), day);
                continue;
            };
            if let Some(passed) = self.passed.remove(key) {
                // What was recorded before has a gap now.
                let items = BTreeMap::new();
                self.sprints.insert(key.clone(), Followed { from: passed + 1, until: passed, last, items });
            }
            let labels = items.iter().map(|was| was.label.map(|label| place(&mut self.labels, label)));
            let new: BTreeMap<&str, _> =
                items.iter().zip(labels).map(|(was, label)| (was.item, (was.effort, label))).collect();
            let none = || Followed { from: i32::MIN, until: day, last, items: BTreeMap::new() };
            let followed = self.sprints.entry(key.clone()).or_insert_with(none);
            followed.last = last;
            followed.turn(day, &new);
        }
        // Those without items are empty, as long as they are recorded.
        for (key, emptied) in self.sprints.iter_mut().filter(|(key, _)| !now.sprints.contains_key(*key)) {
            if day > emptied.last {
                self.passed.entry(key.clone()).or_insert(day);
            } else if !self.passed.contains_key(key) {
                emptied.turn(day, &BTreeMap::new());
            }
        }
        match self.days.last_mut() {
            Some((_, last)) if *last + 1 == day => *last = day,
            _ => self.days.push((day, day)),
        }
    }
    /// Forgets a sprint; what of so many bytes as JSON is left.
    fn forget(&mut self, key: String, bytes: usize) -> usize {
        let Some(gone) = self.sprints.remove(&key) else { return bytes };
        let without = bytes - member_bytes(&key, &gone, self.sprints.is_empty());
        let until = self.passed.get(&key).map_or(gone.until, |passed| gone.until.max(*passed));
        let before = self.passed.remove(&key);
        let is_only = self.passed.is_empty();
        let before = before.map_or(0, |passed| member_bytes(&key, &passed, is_only));
        let after = member_bytes(&key, &until, is_only);
        self.passed.insert(key, until);
        without - before + after
    }
}

fn bytes_of(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |bytes| bytes.len())
}

/// What a member of an object takes, with its colon and, beside others, a comma.
fn member_bytes(key: &str, value: &impl Serialize, is_only: bool) -> usize {
    bytes_of(&key) + 1 + bytes_of(value) + usize::from(!is_only)
}

/// Looks a record up, in the JSON of a [`Record`].
#[derive(Clone, Copy)]
pub(crate) struct Recorded<'a>(&'a Value);

impl<'a> Recorded<'a> {
    /// Of a board, by some columns.
    pub fn find(history: &'a Value, board: &str, by: &By) -> Option<Recorded<'a>> {
        let is = |of: &Value, id: &Option<String>| of.as_str() == id.as_deref();
        let fits = |record: &&Value| {
            let of = &record["by"];
            let ids = [("sprint", &by.sprint), ("effort", &by.effort), ("done", &by.done)];
            ids.iter().all(|(name, id)| is(&of[*name], id)) && of["subitems"].as_bool() == Some(by.subitems)
        };
        history[board].as_array()?.iter().find(fits).map(Recorded)
    }
    /// Whether it is known what was in a sprint when a day ended.
    pub fn knows(self, sprint: &str, day: i32) -> bool {
        let day = i64::from(day);
        let within = |first: &Value, last: &Value| {
            first.as_i64().is_some_and(|first| first <= day) && last.as_i64().is_some_and(|last| day <= last)
        };
        let runs = self.0["days"].as_array().map_or(&[][..], Vec::as_slice);
        let (followed, passed) = (&self.0["sprints"][sprint], &self.0["passed"][sprint]);
        runs.iter().any(|run| within(&run[0], &run[1]))
            && match followed.is_object() {
                true => within(&followed["from"], &followed["until"]),
                false => passed.as_i64().is_none_or(|passed| passed < day),
            }
    }
    /// What was in a sprint when a day ended that is known.
    pub fn on(self, sprint: &str, day: i32) -> Vec<Was<'a>> {
        let mut there = Vec::new();
        let Some(items) = self.0["sprints"][sprint]["items"].as_object() else { return there };
        for (item, steps) in items {
            let steps = steps.as_array().map_or(&[][..], Vec::as_slice);
            let until = steps.iter().rfind(|step| step[0].as_i64().is_some_and(|from| from <= i64::from(day)));
            let Some([effort, label]) = until.and_then(|step| step[1].as_array()).map(Vec::as_slice) else { continue };
            let label = label.as_u64().and_then(|at| self.0["labels"][at as usize].as_str());
            there.push(Was { item, effort: effort.as_f64(), label });
        }
        there
    }
}

impl Followed {
    fn turn(&mut self, day: i32, new: &BTreeMap<&str, (Option<f64>, Option<usize>)>) {
        for (item, steps) in &mut self.items {
            let state = new.get(item.as_str()).copied();
            if steps.last().is_some_and(|step| step.1 != state) {
                steps.push(Step(day, state));
            }
        }
        for (item, state) in new {
            self.items.entry((*item).to_owned()).or_insert_with(|| vec![Step(day, Some(*state))]);
        }
        self.until = day;
    }
}

fn place(list: &mut Vec<String>, text: &str) -> usize {
    list.iter().position(|one| one == text).unwrap_or_else(|| {
        list.push(text.to_owned());
        list.len() - 1
    })
}

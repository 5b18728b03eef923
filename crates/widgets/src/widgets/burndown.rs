//! Burndown: what is left of one sprint at the end of each of its days, beside the straight way to nothing.
//!
//! Without a record of the past this is an approximation: when items were created and finished is known, and neither what
//! they weighed before nor which items were in the sprint once. The dashboard's history makes it exact where it knows every day of
//! the sprint: until the grace is over the scope is what was in the sprint then, later what was in it as each day ended.

use super::answer::Skipped;
use super::input::{Input, Outcome, Part};
use super::kind::{Kind, Widget};
use super::mapping::Role;
use super::schema::server_only;
use super::seen::{ById, Counted, Seen, State, weigh};
use super::sprints::{
    CREATED, Config, DATE, DONE, EFFORT, Effort, Fate, Fates, Notes, Phase, SPRINT, SPRINT_END, SPRINT_START,
    ShownSprint, Sprint, Sprints, Weighed, Written, created, finished, read, schema as sprints_schema,
};
use crate::column::{NO_DAY, Numbers};
use crate::dates::iso;
use crate::format::Format;
use crate::history::DAYS_AFTER;
use crate::pieces::{Figure, Piece};
use crate::raw_result::RawResult;
use crate::selection::Selection;
use crate::tally::Key;
use crate::total::Total;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) const KIND: Kind = Kind {
    name: "burndown",
    schema: server_only(schema),
    roles: &[SPRINT, EFFORT, DONE, DATE, SPRINT_START, SPRINT_END, CREATED],
    parts: &[("which", &["remaining", "done"])],
    keys: 0,
    read: made,
};

/// Days after a sprint's first within which new items count as present from its beginning.
const GRACE_DAYS: i32 = 1;
const GRACE_DAYS_MAX: i32 = 30;
/// Days at most; of a longer sprint the last are told together with the day before.
const DAYS_MAX: i32 = 1_000;
/// Monday to Friday.
const WORKDAYS: [u8; 5] = [0, 1, 2, 3, 4];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    /// The key of the sprint; the active one where left out, or the last that is closed.
    #[serde(default)]
    sprint: Option<String>,
    #[serde(default)]
    grace_days: Option<i32>,
    /// 0 Monday to 6 Sunday.
    #[serde(default)]
    workdays: Option<Vec<u8>>,
}

fn schema() -> Value {
    sprints_schema(json!({
        "sprint": {"type": "string", "description": "Key of the sprint. Default: the active one, or else the last closed one."},
        "graceDays": {"type": "integer", "minimum": 0, "maximum": GRACE_DAYS_MAX, "default": GRACE_DAYS, "description": "Days after the sprint's first day within which new items count from the start."},
        "workdays": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 6}, "default": WORKDAYS, "description": "Days on which the ideal line falls: 0 (Monday) to 6 (Sunday). None means all."}}))
}

impl Own {
    fn grace(&self) -> i32 {
        self.grace_days.unwrap_or(GRACE_DAYS).clamp(0, GRACE_DAYS_MAX)
    }
}

struct Burndown {
    config: Config,
    own: Own,
}

fn made(config: &Value) -> Result<Box<dyn Widget>, String> {
    let (config, own) = read(config)?;
    Ok(Box::new(Burndown { config, own }))
}

/// Effort that came into the sprint on each day, and that was finished on each: the first day stands first.
struct Flow {
    came: Vec<Total>,
    went: Vec<Total>,
}

/// The days that are told of a sprint, and what items go by beside them.
struct Span {
    start: i32,
    /// The sprint's own last day.
    end: Option<i32>,
    last: i32,
    grace: i32,
}

impl Span {
    fn days(&self) -> usize {
        (self.last - self.start) as usize + 1
    }
    fn slot(&self, day: i32) -> usize {
        (day.clamp(self.start, self.last) - self.start) as usize
    }
    /// Where an item came that was created on a day, and finished on another or not at all.
    fn came(&self, created: i32, finished: Option<i32>) -> usize {
        if self.end.is_some_and(|end| created > end) {
            return self.late();
        }
        // What was finished was there, also where it was entered here later.
        let day = finished.map_or(created, |day| day.min(created));
        // Within the grace it was there from the beginning.
        if day <= self.start.saturating_add(self.grace) { 0 } else { self.slot(day) }
    }
    /// Behind the days: where what was entered once the sprint was over came, as by an import. Nobody knows since when it was there.
    fn late(&self) -> usize {
        self.days()
    }
    /// Behind that: where what is no longer part of the sprint came.
    fn cancelled(&self) -> usize {
        self.days() + 1
    }
    /// Behind the days: where what was finished went of which nobody said when.
    fn undated(&self) -> usize {
        self.days()
    }
    /// Behind that: where what is not finished went.
    fn nowhere(&self) -> usize {
        self.days() + 1
    }
    fn cells(&self) -> Vec<Weighed> {
        vec![Weighed::default(); self.nowhere() + 1]
    }
}

/// An item of the sprint, and the slots of the days on which it came and went.
struct Item {
    row: u32,
    came: u16,
    went: u16,
}

/// All that does not depend on the filters.
struct Model {
    sprints: Sprints,
    /// The sprint that is shown, where there is one.
    chosen: Option<usize>,
    /// Its days, and each board's items: a query only asks which of them pass.
    items: Option<(Span, Vec<Items>)>,
}

impl Model {
    fn new(input: &Input<'_>, config: &Config, own: &Own) -> Model {
        let (sprints, today) = (Sprints::new(input, config), input.query.today());
        let chosen = chosen(&sprints, own, today);
        let items = chosen.and_then(|chosen| {
            let sprint = &sprints.all()[chosen];
            let start = sprint.from?;
            let end = sprint.to.filter(|end| *end >= start);
            let last = end.unwrap_or(start).max(today).clamp(start, start.saturating_add(DAYS_MAX));
            let span = Span { start, end, last, grace: own.grace() };
            let of = |(at, part): (usize, &Part<'_>)| Items::new(input, part, config, &sprints, (at, chosen), &span);
            let items = input.parts.iter().enumerate().map(of).collect();
            Some((span, items))
        });
        Model { sprints, chosen, items }
    }
}

/// A board's items of the sprint, whatever the filters.
struct Items {
    all: Vec<Item>,
    /// What each of them weighs; nothing where they weigh one each.
    numbers: Option<Numbers>,
}

impl Items {
    fn new(
        input: &Input<'_>,
        part: &Part<'_>,
        config: &Config,
        sprints: &Sprints,
        (at, sprint): (usize, usize),
        span: &Span,
    ) -> Items {
        let (fates, finished, effort) = (Board::from_part(part, config), finished(part), Effort::from_part(part));
        let (mut all, mut rows) = (Vec::new(), Vec::new());
        let made = created(part, input.query);
        sprints.rows(at, part.board, sprint).each(|row| {
            let created = made.get(row).unwrap_or(NO_DAY);
            let (came, went) = match (fates.fate(row), finished.and_then(|days| days.get(row))) {
                (Fate::Cancelled, _) => (span.cancelled(), span.nowhere()),
                (Fate::Open, _) => (span.came(created, None), span.nowhere()),
                (Fate::Done, None) => (span.came(created, None), span.undated()),
                (Fate::Done, Some(day)) => (span.came(created, Some(day)), span.slot(day)),
            };
            all.push(Item { row: row as u32, came: came as u16, went: went as u16 });
            rows.push(row);
        });
        Items { all, numbers: effort.numbers.map(|numbers| numbers.only(&rows)) }
    }
    /// What an item weighs by its place here.
    fn effort(&self) -> Effort<'_> {
        Effort::by(self.numbers.as_ref())
    }
}

/// What the items of a board have come to.
struct Board<'a> {
    fates: Option<(Key, Fates<'a>)>,
}

impl<'a> Board<'a> {
    fn from_part(part: &Part<'a>, config: &Config) -> Board<'a> {
        Board { fates: Fates::key(part).zip(Fates::from_part(part, &config.chosen)) }
    }
    #[inline]
    fn fate(&self, row: usize) -> Fate {
        self.fates.as_ref().map_or(Fate::Open, |(key, fates)| fates.fate(key.codes().get(row)))
    }
}

/// The sprint that is shown: the one asked for; else the active one, the last that is closed, or the next.
fn chosen(sprints: &Sprints, own: &Own, today: i32) -> Option<usize> {
    let phase = |at: &usize| sprints.all()[*at].phase(today);
    let mut all = 0..sprints.all().len();
    match &own.sprint {
        Some(key) => sprints.place(key),
        None => all
            .clone()
            .find(|at| phase(at) == Phase::Active)
            .or_else(|| all.clone().rfind(|at| phase(at) == Phase::Closed))
            .or_else(|| all.find(|at| phase(at) == Phase::Future)),
    }
}

impl Widget for Burndown {
    fn roles(&self) -> Vec<Role> {
        let mut roles = self.config.roles(true);
        roles.push(CREATED);
        roles
    }

    fn looks_back(&self) -> Option<&Config> {
        Some(&self.config)
    }

    /// Items of the sprint: `{"which": "remaining"}`, `done`, or all of it.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
        let model = input.model(|| Model::new(input, &self.config, &self.own));
        let (sprints, sprint) = (&model.sprints, model.chosen.ok_or("sprint not found")?);
        let seen = Seen::new(input, &self.config);
        if let Some(past) = seen.as_ref().and_then(|seen| past(seen, input, &self.own, sprints, sprint)) {
            let mut last: Vec<Vec<bool>> = input.parts.iter().map(|part| vec![false; part.board.rows]).collect();
            for (rows, state) in last.iter_mut().zip(past.last()) {
                for one in &state.items {
                    let is_which = match part["which"].as_str() {
                        Some("remaining") => one.fate == Fate::Open,
                        Some("done") => one.fate == Fate::Done,
                        _ => one.fate != Fate::Cancelled,
                    };
                    if let Some(row) = one.row {
                        rows[row] = is_which;
                    }
                }
            }
            return Ok(input.only(|at, row| last[at][row]));
        }
        let boards: Vec<Board<'_>> = input.parts.iter().map(|part| Board::from_part(part, &self.config)).collect();
        let rows: Vec<_> =
            input.parts.iter().enumerate().map(|(at, part)| sprints.rows(at, part.board, sprint)).collect();
        let is_meant = |at: usize, row: usize| {
            let fate = boards[at].fate(row);
            let is_which = match part["which"].as_str() {
                Some("remaining") => fate == Fate::Open,
                Some("done") => fate == Fate::Done,
                _ => fate != Fate::Cancelled,
            };
            is_which && rows[at].has(row)
        };
        Ok(input.only(is_meant))
    }

    fn compute(&self, input: &Input<'_>) -> Outcome {
        let own = &self.own;
        let model = input.model(|| Model::new(input, &self.config, own));
        let sprints = &model.sprints;
        let today = input.query.today();
        let (written, warning) = Written::new(input, &self.config);
        let choices = || input.told.is_none().then(|| sprints.all().iter().map(|sprint| sprint.shown(today)).collect());
        let none = |reason: &str| Outcome {
            result: RawResult::new(&Choices { sprints: choices(), measure: written.measure() }),
            no_values: true,
            reasons: [reason.to_owned()].into_iter().chain(sprints.impossible()).collect(),
            ..Outcome::default()
        };
        if sprints.all().is_empty() {
            return none("no-sprints");
        }
        let Some(chosen) = model.chosen else {
            return none(if own.sprint.is_some() { "sprint-gone" } else { "undated-sprints" });
        };
        let sprint = &sprints.all()[chosen];
        let Some((span, items)) = &model.items else { return none("undated-sprints") };
        let Span { start, end, last: last_possible, grace } = *span;
        // Where nobody said when it was finished.
        let assumed = end.map_or(today, |end| end.min(today)).clamp(start, last_possible);

        let DayCounts { flow, elsewhere, canceled, mut late, mut no_date, mut empty, mut negative } =
            DayCounts::new(input, items, span, assumed);
        let used = flow.came.iter().map(|total| total.items).sum();
        let last_finished = start + flow.went.iter().rposition(|total| total.items > 0).unwrap_or(0) as i32;

        let is_future = sprint.phase(today) == Phase::Future;
        let seen = Seen::new(input, &self.config);
        let past = seen.as_ref().and_then(|seen| past(seen, input, own, sprints, chosen));
        // What has not begun has an ideal and no days yet.
        let last = today.min(end.unwrap_or(today).max(last_finished)).min(last_possible);
        let mut curve = if is_future { Vec::new() } else { days(&flow, &written, start, last) };
        let (mut begun, mut gone) = (written.value(&flow.came[0]), 0);
        let mut whole = Total::default();
        flow.came.iter().for_each(|total| whole.merge(total));
        if let Some(past) = &past {
            let mut weighed = Weighed::default();
            (curve, whole) = past.days(&written, self.config.has_effort, &mut weighed);
            (begun, empty, negative, late, no_date) = (curve[0].scope, weighed.empty, weighed.negative, 0, 0);
            gone = past.gone();
        }

        let mut notes = Notes::default();
        notes.add("no-effort", empty);
        notes.add("negative-effort", negative);
        notes.add("several-sprints", sprints.several(input));
        notes.add("done-without-date", no_date);
        notes.add("entered-late", late);
        let of_week = own.workdays.as_deref().unwrap_or(&WORKDAYS);
        let workdays: Vec<u8> = of_week.iter().copied().filter(|day| *day < 7).collect();
        // 1970-01-01 was a Thursday. Without any working days all are.
        let is_working = |day: i32| workdays.is_empty() || workdays.contains(&((day + 3).rem_euclid(7) as u8));
        let left = curve.last().map_or(f64::NAN, |day| day.remaining);
        let is_active = sprint.phase(today) == Phase::Active;
        let result = RawResult::new(&Shown {
            measure: written.measure(),
            sprint: sprints.described(input, chosen),
            sprints: choices(),
            grace_days: grace,
            ideal: ideal(begun, start, end.map(|end| end.min(last_possible)), &is_working),
            days: curve.iter().map(|day| day.shown(&written)).collect(),
            remaining: written.figure(left),
            projection: projection(&curve, &is_working).filter(|_| is_active),
            format: &written.format,
            footnotes: notes,
        });
        let nothing = written.value(&whole) == 0.0;
        let reasons = [
            nothing.then(|| "nothing-estimated".to_owned()),
            past.is_none().then(|| "no-history".to_owned()),
            (past.is_none() && seen.as_ref().is_some_and(|seen| is_partly_known(seen, sprint, today)))
                .then(|| "days-missing".to_owned()),
            (gone > 0).then(|| "gone-items".to_owned()),
            sprint.inferred.then(|| "inferred-dates".to_owned()),
            sprints.impossible(),
            warning,
        ];
        Outcome {
            result,
            no_values: nothing,
            items_used: used,
            skipped: [Skipped::items("other-sprint", elsewhere), Skipped::items("cancelled", canceled)]
                .into_iter()
                .flatten()
                .collect(),
            approximate: past.is_none() || gone > 0,
            reasons: reasons.into_iter().flatten().collect(),
            ..Outcome::default()
        }
    }
}

/// Selected items of a sprint by the days on which they came and went, and items that count for nothing or in part.
struct DayCounts {
    flow: Flow,
    /// Items of other sprints.
    elsewhere: u64,
    canceled: u64,
    /// Items that came after the last day.
    late: u64,
    /// Finished items without a date.
    no_date: u64,
    empty: u64,
    negative: u64,
}

impl DayCounts {
    /// `assumed` is the day on which items without a date of their end are taken to have ended.
    fn new(input: &Input<'_>, items: &[Items], span: &Span, assumed: i32) -> DayCounts {
        let flow = Flow { came: vec![Total::default(); span.days()], went: vec![Total::default(); span.days()] };
        let mut all = DayCounts { flow, elsewhere: 0, canceled: 0, late: 0, no_date: 0, empty: 0, negative: 0 };
        for (part, items) in input.parts.iter().zip(items) {
            let passes = |(_, item): &(usize, &Item)| part.selection.has(item.row as usize);
            let passing = || items.all.iter().enumerate().filter(passes);
            let there = passing().count() as u64;
            all.elsewhere += part.selection.count() as u64 - there;
            if there == 0 {
                continue;
            }
            let (effort, mut came, mut went) = (items.effort(), span.cells(), span.cells());
            for (at, item) in passing() {
                effort.add(at, &mut came[usize::from(item.came)]);
                effort.add(at, &mut went[usize::from(item.went)]);
            }
            all.canceled += u64::from(came[span.cancelled()].sums.items);
            all.late += u64::from(came[span.late()].sums.items);
            all.no_date += u64::from(went[span.undated()].sums.items);
            came.truncate(span.late() + 1);
            went.truncate(span.undated() + 1);
            all.empty += came.iter().map(|cell| cell.empty).sum::<u64>();
            all.negative += came.iter().map(|cell| cell.negative).sum::<u64>();
            // What stands behind the days was there from the beginning, and is finished when that is assumed.
            let flow = &mut all.flow;
            for (totals, cells, behind) in [(&mut flow.came, &came, 0), (&mut flow.went, &went, span.slot(assumed))] {
                for (slot, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.sums.items > 0) {
                    let slot = if slot == span.days() { behind } else { slot };
                    totals[slot].add(&cell.sums, effort.decimals(), None);
                }
            }
        }
        all
    }
}

/// What is told where there is no sprint to show.
#[derive(Serialize)]
struct Choices<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sprints: Option<Vec<ShownSprint<'a>>>,
    measure: &'static str,
}

/// What is told of a sprint.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    measure: &'static str,
    sprint: Piece<ShownSprint<'a>>,
    /// From which to choose, where that was not told before.
    #[serde(skip_serializing_if = "Option::is_none")]
    sprints: Option<Vec<ShownSprint<'a>>>,
    grace_days: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    ideal: Option<Vec<Ideal>>,
    days: Vec<ShownDay>,
    remaining: Figure,
    #[serde(skip_serializing_if = "Option::is_none")]
    projection: Option<Projection>,
    format: &'a Format,
    footnotes: Notes,
}

/// What would be left at the end of a day; the first is the moment before the sprint.
#[derive(Serialize)]
struct Ideal {
    #[serde(skip_serializing_if = "Option::is_none")]
    day: Option<String>,
    value: f64,
}

#[derive(Serialize)]
struct ShownDay {
    day: Option<String>,
    scope: Figure,
    remaining: Figure,
}

/// When nothing would be left.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Projection {
    per_day: f64,
    days: f64,
    day: String,
}

/// A sprint of which every day is known: what was in it as each ended, by board.
struct Past<'a> {
    start: i32,
    grace: i32,
    /// From the first day on; never empty.
    days: Vec<Vec<State<'a>>>,
}

/// Nothing where some day is not known, or none has come.
#[inline(never)]
fn past<'a>(seen: &Seen<'a>, input: &Input<'a>, own: &Own, sprints: &Sprints, chosen: usize) -> Option<Past<'a>> {
    let (sprint, today) = (&sprints.all()[chosen], input.query.today());
    let start = sprint.from.filter(|start| !sprint.inferred && *start <= today)?;
    let end = sprint.to.filter(|end| *end >= start).unwrap_or(today).min(today);
    if end - start >= DAYS_MAX || !seen.knows_all(&sprint.key, start, end) {
        return None;
    }
    let on = |day: i32| (0..input.parts.len()).map(|at| seen.on(at, sprints, chosen, day)).collect::<Vec<_>>();
    let mut days: Vec<Vec<State<'a>>> = (start..=end).map(on).collect();
    // What was finished late is the end of it: up to the last day on which something was.
    let mut kept = days.len();
    let late =
        (end + 1..=today.min(end.saturating_add(DAYS_AFTER))).take_while(|day| seen.knows_all(&sprint.key, *day, *day));
    for day in late {
        days.push(on(day));
        let count = |states: &[State<'a>]| -> usize { states.iter().map(|state| done(state).len()).sum() };
        if count(&days[days.len() - 1]) > count(&days[days.len() - 2]) {
            kept = days.len();
        }
    }
    days.truncate(kept);
    Some(Past { start, grace: own.grace(), days })
}

/// The items that were done.
fn done(state: &State<'_>) -> ById {
    let mut ids = ById::new();
    for one in state.items.iter().filter(|one| one.fate == Fate::Done) {
        ids.insert(one.item.to_owned(), 0);
    }
    ids
}

/// Whether the history has some of the sprint's days.
fn is_partly_known(seen: &Seen<'_>, sprint: &Sprint, today: i32) -> bool {
    let Some(from) = sprint.from else { return false };
    let until = sprint.to.unwrap_or(today).min(today - 1);
    (from..=until).take(DAYS_MAX as usize).any(|day| seen.knows_all(&sprint.key, day, day))
}

impl<'a> Past<'a> {
    fn last(&self) -> &[State<'a>] {
        &self.days[self.days.len() - 1]
    }
    /// Items that are gone and not counted.
    fn gone(&self) -> u64 {
        self.days.iter().map(|day| day.iter().map(|state| state.gone).sum()).max().unwrap_or_default()
    }
    /// The days as they ended, behind the moment before the first, and all that was in the sprint at last.
    fn days(&self, written: &Written<'_>, has_effort: bool, weighed: &mut Weighed) -> (Vec<Day>, Total) {
        let over = (self.grace as usize).min(self.days.len() - 1);
        // All of it, or what of each board's items is named.
        let sum = |states: &[State<'_>], only: Option<&[ById]>, weighed: &mut Weighed| {
            let mut total = Total::default();
            for (at, state) in states.iter().enumerate() {
                let wanted = |one: &Counted<'_>| {
                    one.fate != Fate::Cancelled && only.is_none_or(|only| only[at].contains_key(one.item))
                };
                total.merge(&weigh(&state.items, &wanted, has_effort, weighed));
            }
            total
        };
        let mut unsaid = Weighed::default();
        let begun = written.value(&sum(&self.days[over], None, &mut unsaid));
        let mut days = vec![Day { day: None, scope: begun, remaining: begun }];
        for (at, states) in self.days.iter().enumerate() {
            // Until the grace is over, what came is taken as there from the beginning, at what it then weighed.
            let weighing = if at < over { &self.days[over] } else { states };
            let done: Vec<ById> = states.iter().map(done).collect();
            let scope = written.value(&sum(weighing, None, &mut unsaid));
            let burned = written.value(&sum(weighing, Some(&done), &mut unsaid));
            days.push(Day { day: Some(self.start + at as i32), scope, remaining: scope - burned });
        }
        (days, sum(self.last(), None, weighed))
    }
}

/// A day as it ended; the first is the moment before the sprint.
struct Day {
    day: Option<i32>,
    scope: f64,
    remaining: f64,
}

impl Day {
    fn shown(&self, written: &Written<'_>) -> ShownDay {
        ShownDay {
            day: self.day.map(iso),
            scope: written.figure(self.scope),
            remaining: written.figure(self.remaining),
        }
    }
}

fn days(flow: &Flow, written: &Written<'_>, start: i32, last: i32) -> Vec<Day> {
    let begun = written.value(&flow.came[0]);
    let mut days = vec![Day { day: None, scope: begun, remaining: begun }];
    let (mut scope, mut burned) = (Total::default(), Total::default());
    for day in start..=last {
        let at = (day - start) as usize;
        scope.merge(&flow.came[at]);
        burned.merge(&flow.went[at]);
        let all = written.value(&scope);
        days.push(Day { day: Some(day), scope: all, remaining: all - written.value(&burned) });
    }
    days
}

/// The straight way to nothing over the working days; it knows nothing of how things went.
fn ideal(begun: f64, start: i32, end: Option<i32>, is_working: &dyn Fn(i32) -> bool) -> Option<Vec<Ideal>> {
    let end = end?;
    let some = (start..=end).any(is_working);
    let counts = |day: i32| !some || is_working(day);
    let working = (start..=end).filter(|day| counts(*day)).count() as f64;
    let mut gone = 0.0;
    let mut line = vec![Ideal { day: None, value: begun }];
    for day in start..=end {
        gone += f64::from(u8::from(counts(day)));
        line.push(Ideal { day: Some(iso(day)), value: begun * (1.0 - gone / working) });
    }
    Some(line)
}

/// When nothing would be left, at the mean pace of the working days so far.
fn projection(days: &[Day], is_working: &dyn Fn(i32) -> bool) -> Option<Projection> {
    let (first, last) = (days.first()?, days.last()?);
    let today = last.day?;
    let worked = days.iter().filter_map(|day| day.day).filter(|day| is_working(*day)).count() as f64;
    let burned = (last.scope - last.remaining).max(0.0);
    let pace = burned / worked;
    if !pace.is_finite() || pace <= 0.0 || last.remaining <= 0.0 || first.day.is_some() {
        return None;
    }
    let needed = (last.remaining / pace).ceil();
    if needed > f64::from(DAYS_MAX) {
        return None;
    }
    let day = (today + 1..).filter(|day| is_working(*day)).nth(needed as usize - 1)?;
    Some(Projection { per_day: pace, days: needed, day: iso(day) })
}

//! The published document: a list of allowed content, filled from the engine's results. Everything else isn't
//! published: IDs, items, columns, and members added to results later.

use super::filters::{self, Known};
use super::looks::{CLASSES, COMPLETED, IDEAL, REMAINING, SCOPE, color_at};
use super::words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use widgets::widgets::{RawResult, State, WidgetAnswer};
use widgets::{LabelReach, OwnList, Reach};

/// Maximum characters of a published text.
const TEXT_CHARS_MAX: usize = 255;

/// A published dashboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedDocument")]
pub(crate) struct Document {
    /// The dashboard's name.
    pub title: String,
    /// Number of missing connected boards. Which ones isn't published.
    #[serde(default, skip_serializing_if = "is_none")]
    pub boards_missing: usize,
    /// Shared filters, in words. Omitted if published by a version that didn't include them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<Vec<String>>,
    /// Widgets in reading order.
    pub widgets: Vec<Tile>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A published widget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedTile")]
pub(crate) struct Tile {
    pub title: String,
    /// First of 12 columns, from 0.
    pub x: u8,
    /// Width in columns.
    pub w: u8,
    /// Height in rows.
    pub h: u8,
    pub shows: Shows,
    /// Data that the result is based on.
    pub coverage: Coverage,
    /// Notes about the result.
    pub notes: Vec<String>,
}

/// Counts of the data that a widget is based on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedCoverage")]
pub(crate) struct Coverage {
    pub boards_used: usize,
    pub boards_total: usize,
    pub items_used: u64,
    pub items_skipped: u64,
    /// Whether the result is approximate.
    pub approximate: bool,
}

/// What a published widget shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "camelCase")]
#[schemars(rename = "PublishedShows")]
pub(crate) enum Shows {
    /// One number, short and in full.
    Figure {
        text: String,
        full: String,
    },
    Chart(Chart),
    /// A third-party page, shown only in Pilothouse.
    App {
        /// Scheme, host, and port; null for a page on the publisher's computer.
        origin: Option<String>,
    },
    /// No value, with the reason.
    Nothing {
        words: String,
    },
}

/// A chart with formatted numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedChart")]
pub(crate) struct Chart {
    pub shape: Shape,
    /// Name of the categories, as in a table's header.
    pub axis: String,
    pub categories: Vec<Category>,
    pub series: Vec<Series>,
    /// Total of the parts, shown in the middle of a donut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
    /// A line across all columns, such as an average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
    /// Index of today's category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub today: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedShape")]
pub(crate) enum Shape {
    Column,
    Bar,
    Line,
    Pie,
    Donut,
}

impl Shape {
    pub fn is_round(self) -> bool {
        matches!(self, Shape::Pie | Shape::Donut)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedCategory")]
pub(crate) struct Category {
    pub label: String,
    /// Label along an axis, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<String>,
    /// Percentage of the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u64>,
    /// `#rrggbb`, if it has its own color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Whether it's still in progress.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hatched: bool,
    /// Whether it has no position along the axis, such as items without a date. No line is drawn to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
}

impl Category {
    fn named(label: impl Into<String>) -> Category {
        Category { label: label.into(), along: None, percent: None, color: None, hatched: false, apart: false }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedSeries")]
pub(crate) struct Series {
    /// Empty if there is only one.
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    pub mark: Mark,
    /// One for each category.
    pub points: Vec<Point>,
}

/// How a series is drawn in a column chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedMark")]
pub(crate) enum Mark {
    Filled,
    /// An outline around the filled columns.
    Behind,
    Line,
    Dashed,
    /// A stepped line.
    Step,
    /// Not drawn: written above each category and in the table.
    Written,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedPoint")]
pub(crate) struct Point {
    /// Null is a gap.
    pub value: Option<f64>,
    /// As it is written in full.
    pub text: String,
}

/// Kinds of board data in a published document besides numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PublishedHolds")]
pub(crate) enum Holds {
    Labels,
    BoardNames,
    GroupNames,
    SprintNames,
    ItemNames,
    CellTexts,
    PeopleNames,
}

/// A widget that isn't published.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublishedLeftOut")]
pub(crate) struct LeftOut {
    pub title: String,
    pub why: Why,
}

/// Reason why a widget isn't published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PublishedWhy")]
pub(crate) enum Why {
    /// It shows individual items instead of computed results.
    ShowsItems,
    /// One of its rules no longer works, so it might show more than intended.
    InertRule,
    /// It has no result: it isn't set up, or its boards can't be read.
    NoResult,
}

/// The document, the widgets that aren't published, and the kinds of board data in it.
pub(crate) struct Made {
    pub document: Document,
    pub left_out: Vec<LeftOut>,
    pub holds: BTreeSet<Holds>,
}

/// A computed widget.
pub(crate) struct Computed<'a> {
    pub title: &'a str,
    /// Its settings, as the engine was asked.
    pub config: &'a Value,
    pub layout: &'a Value,
    pub answer: &'a WidgetAnswer,
}

/// Creates the document. `filters` are the dashboard's; `type_of` returns the type of a board's column.
pub(crate) fn document(
    title: &str,
    boards_missing: usize,
    computed: &[Computed<'_>],
    named: Named,
    (filters, known): (&Value, &Known<'_>),
    type_of: &dyn Fn(&str, &str) -> Option<String>,
) -> Made {
    let mut made = Made {
        document: Document { title: text(title), boards_missing, filters: None, widgets: Vec::new() },
        left_out: Vec::new(),
        holds: BTreeSet::new(),
    };
    let mut numbered = Numbered { named, numbers: BTreeMap::new() };
    made.document.filters = filters::shared(filters, known, &mut numbered, &mut made.holds);
    let mut order: Vec<&Computed<'_>> = computed.iter().collect();
    let at = |widget: &Computed<'_>, side: &str| widget.layout[side].as_i64().unwrap_or(i64::MAX);
    order.sort_by_key(|widget| (at(widget, "y"), at(widget, "x")));
    // A rule has lost its column where it reaches no board: a shared one of any widget, a widget's own one of that. What it kept
    // out would be shown. Ids say nothing here, several rules may have the same; the shared ones are told apart by their places.
    let all = computed.iter().flat_map(|widget| widget.answer.coverage.reach.iter().enumerate());
    let shared = all.filter(|(_, reach)| reach.own.is_none() && reach.boards > 0);
    let reached: BTreeSet<usize> = shared.map(|(place, _)| place).collect();
    let has_lost = |widget: &Computed<'_>| {
        let is_lost = |(place, reach): (usize, &Reach)| {
            reach.of > 0 && if reach.own.is_some() { reach.boards == 0 } else { !reached.contains(&place) }
        };
        widget.answer.coverage.reach.iter().enumerate().any(is_lost)
    };
    for widget in order {
        if has_lost(widget) {
            made.left_out.push(LeftOut { title: text(widget.title), why: Why::InertRule });
            continue;
        }
        match shows(widget, &mut numbered, &mut made.holds, type_of) {
            Ok((shows, mut notes)) => {
                let own = filters::own(widget.config, known, &mut numbered, &mut made.holds);
                if !own.is_empty() {
                    notes.insert(0, format!("Only: {}.", own.join("; ")));
                }
                notes.extend(partly(widget.answer));
                made.document.widgets.push(tile(widget, shows, notes));
            }
            Err(why) => made.left_out.push(LeftOut { title: text(widget.title), why }),
        }
    }
    made
}

fn tile(widget: &Computed<'_>, shows: Shows, notes: Vec<String>) -> Tile {
    let side = |name: &str, min: i64, max: i64| widget.layout[name].as_i64().unwrap_or(min).clamp(min, max) as u8;
    let x = side("x", 0, 11);
    let told = &widget.answer.coverage;
    Tile {
        title: text(widget.title),
        x,
        w: side("w", 1, 12).min(12 - x),
        h: side("h", 1, 40),
        shows,
        coverage: Coverage {
            boards_used: told.boards_used,
            boards_total: told.boards_total,
            items_used: told.items_used,
            items_skipped: told.items_skipped,
            approximate: widget.answer.approximate,
        },
        notes,
    }
}

/// Filters that apply only to some of a widget's boards, or whose labels only some have.
fn partly(answer: &WidgetAnswer) -> BTreeSet<String> {
    let part = answer.coverage.reach.iter().filter(|reach| reach.boards < reach.of);
    let reaches = part.map(|reach| {
        let (what, others) = match (reach.own.is_some_and(OwnList::singles), reach.rule == PEOPLE) {
            (true, _) => ("A rule of the widget", "no items of the others match it"),
            (false, true) => ("The people filter", "all items of the others are included"),
            (false, false) => ("A filter", "all items of the others are included"),
        };
        format!("{what} applies to {} of {} boards; {others}.", reach.boards, reach.of)
    });
    let known = answer.coverage.labels.iter().map(|label| {
        let LabelReach { boards, of, .. } = label;
        format!(
            "A filter names a label that {boards} of its {of} boards {}.",
            if *boards == 1 { "has" } else { "have" }
        )
    });
    reaches.chain(known).collect()
}

/// The engine's ID of the people filter.
const PEOPLE: &str = "people";

/// Which data is named instead of numbered, as the user chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    /// Names of people.
    pub names: bool,
    /// Names of items and texts of cells.
    pub texts: bool,
}

impl Named {
    /// Prefix of the number in place of a name.
    fn instead_of(self, holds: Holds) -> Option<&'static str> {
        match holds {
            Holds::PeopleNames if !self.names => Some("Person"),
            Holds::ItemNames if !self.texts => Some("Item"),
            Holds::CellTexts if !self.texts => Some("Text"),
            _ => None,
        }
    }
}

/// Numbers in place of names: the same for one person, item, or text throughout the document.
pub(super) struct Numbered {
    named: Named,
    numbers: BTreeMap<&'static str, BTreeMap<String, usize>>,
}

impl Numbered {
    /// A label that can hold these kinds of data. With several kinds, the actual one is unknown.
    pub(super) fn label(&mut self, holds: &BTreeSet<Holds>, key: &Value, label: &Value) -> String {
        // People come last and are hidden first.
        let Some(instead) = holds.iter().rev().find_map(|one| self.named.instead_of(*one)) else {
            return said(label);
        };
        let numbers = self.numbers.entry(instead).or_default();
        let next = numbers.len() + 1;
        format!("{instead} {}", numbers.entry(key.as_str().unwrap_or_default().to_owned()).or_insert(next))
    }
}

type Shown = Result<(Shows, Vec<String>), Why>;

fn shows(
    widget: &Computed<'_>,
    numbered: &mut Numbered,
    holds: &mut BTreeSet<Holds>,
    type_of: &dyn Fn(&str, &str) -> Option<String>,
) -> Shown {
    let answer = widget.answer;
    if answer.fixed.kind == "table" {
        return Err(Why::ShowsItems);
    }
    if !answer.coverage.inert_rules.is_empty() {
        return Err(Why::InertRule);
    }
    let nothing = |words: String| Ok((Shows::Nothing { words }, Vec::new()));
    match &answer.state {
        State::Ok => {}
        State::NoItems => return nothing("No items yet.".into()),
        State::AllFiltered { total } => return nothing(words::none_match(&answer.reasons, *total)),
        State::NoValues => {
            let items = answer.coverage.items_used + answer.coverage.items_skipped;
            return nothing(words::no_values(&answer.reasons, items));
        }
        State::Loading { .. } | State::Error { .. } | State::NoBoards | State::Unmapped { .. } => {
            return Err(Why::NoResult);
        }
    }
    let result = &answer.result.as_ref().map(RawResult::value).unwrap_or_default();
    let mut notes: Vec<String> = answer.reasons.iter().filter_map(|code| reason(code)).map(str::to_owned).collect();
    if answer.approximate && !notes.iter().any(|note| note.starts_with("Approximate")) {
        notes.push("Approximate.".into());
    }
    let kind = answer.fixed.kind.as_str();
    let mut of_sprints = BTreeSet::new();
    if ["velocity", "planned", "burndown"].contains(&kind) {
        of_sprints = sprint_holds(widget, type_of);
        holds.extend(&of_sprints);
    }
    let mut called = |sprint: &Value| numbered.label(&of_sprints, &sprint["key"], &sprint["label"]);
    let shows = match kind {
        "numbers" => {
            notes.extend(result["caption"].as_str().map(|_| "There are no values.".to_owned()));
            notes.extend(result["per"].as_u64().map(|per| match per {
                1 => "Divided by the 1 item that matches its rules.".to_owned(),
                _ => format!("Divided by the {per} items that match its rules."),
            }));
            Shows::Figure { text: said(&result["text"]), full: said(&result["full"]) }
        }
        "chart" => Shows::Chart(chart(widget, result, numbered, holds, type_of)?),
        "velocity" => {
            let average = result["average"]["full"].as_str().filter(|_| result["average"]["value"].is_number());
            notes.push(match (average, list(&result["averageOf"]).len()) {
                (None, _) => "No sprint with items has ended, so there's no average.".into(),
                (Some(average), 1) => format!("Average of the last closed sprint: {}.", text(average)),
                (Some(average), of) => {
                    format!("Average of the last {of} closed sprints: {}.", text(average))
                }
            });
            Shows::Chart(velocity(result, holds, &mut called))
        }
        "planned" => {
            notes.push("Above each sprint: its unplanned share.".into());
            Shows::Chart(planned(result, &mut called))
        }
        "burndown" => {
            let sprint = &result["sprint"];
            let day = |day: &Value| day.as_str().map(|day| words::day(&text(day), true));
            let days: Vec<String> = ["from", "to"].iter().filter_map(|end| day(&sprint[end])).collect();
            let left = result["remaining"]["full"].as_str().filter(|_| result["remaining"]["value"].is_number());
            let parts = [
                Some(format!("{}{}", called(sprint), words::phase(sprint))),
                Some(days.join(" to ")).filter(|days| !days.is_empty()),
                left.map(|left| format!("{} left", text(left))),
                day(&result["projection"]["day"]).map(|end| format!("done on {end} at this pace")),
            ];
            notes.insert(0, format!("{}.", parts.into_iter().flatten().collect::<Vec<_>>().join(", ")));
            Shows::Chart(burndown(result))
        }
        "battery" => {
            holds.insert(Holds::Labels);
            notes.push(format!("{}% done.", result["donePercent"].as_u64().unwrap_or_default()));
            Shows::Chart(battery(result))
        }
        "apps" => Shows::App { origin: result["origin"].as_str().filter(|_| result["isLocal"] == false).map(text) },
        // Unknown kinds aren't published.
        _ => return Err(Why::NoResult),
    };
    notes.extend(list(&result["footnotes"]).iter().filter_map(footnote));
    Ok((shows, notes))
}

/// The text for a code of the engine; None for unknown ones.
fn reason(code: &str) -> Option<&'static str> {
    Some(match code {
        "mixed-units" => "The numbers are in different units.",
        "no-history" => "Approximate: based on current items because earlier days weren't recorded.",
        "created-after-start" => "Approximate: items created after a sprint began count as unplanned.",
        "days-missing" => "Approximate: some days of the sprint weren't recorded.",
        "gone-items" => "Approximate: deleted items are left out because filters can't be applied to them.",
        "inferred-dates" => "Approximate: sprint dates are estimated from items.",
        "undated-sprints" => "A sprint has no dates.",
        "impossible-days" => "A sprint ends before it starts and counts as having no dates.",
        _ => return None,
    })
}

fn footnote(note: &Value) -> Option<String> {
    let items = note["items"].as_u64().unwrap_or_default();
    let what = match note["code"].as_str()? {
        "multi-value" => return Some("Items with several values count once in each.".into()),
        "coarser-bucket" => {
            return Some("The date range is too long for the chosen interval, so a longer one is used.".into());
        }
        "no-effort" => "without effort",
        "negative-effort" => "with negative effort, counted as 0",
        "several-sprints" => "in several sprints, counted in the latest",
        "done-without-date" => "done without a date",
        "entered-late" => "added after the sprint, counted from its start",
        "finished-late" => "finished after the sprint",
        "taken-out" => "planned, then removed from their sprint",
        _ => return None,
    };
    Some(format!("{} {what}.", words::counted(items, "item")))
}

/// The kinds of data in an axis's labels.
fn axis_holds(widget: &Computed<'_>, role: &str, type_of: &dyn Fn(&str, &str) -> Option<String>) -> BTreeSet<Holds> {
    match widget.config[role]["by"].as_str().unwrap_or("column") {
        "board" => return [Holds::BoardNames].into(),
        "group" => return [Holds::GroupNames].into(),
        "name" => return [Holds::ItemNames].into(),
        "created" | "updated" => return BTreeSet::new(),
        _ => {}
    }
    let columns = widget.answer.fixed.cols.get(role).into_iter().flatten();
    let columns = columns.flat_map(|(board, ids)| ids.iter().map(move |id| (board, id)));
    let holds = |(board, id): (&String, &String)| match type_of(board, id).as_deref() {
        Some("status" | "dropdown" | "tags") => Some(Holds::Labels),
        Some("sprint") => Some(Holds::SprintNames),
        Some("itemLink") => Some(Holds::ItemNames),
        Some("text" | "longText" | "link" | "email" | "phone") => Some(Holds::CellTexts),
        Some("date" | "timeline" | "checkbox" | "createdAt" | "updatedAt") => None,
        // Unknown data counts as the kind that is hidden first.
        _ => Some(Holds::PeopleNames),
    };
    let mut columns = columns.peekable();
    // Without a known column, the labels' kind is unknown.
    if columns.peek().is_none() {
        return [Holds::PeopleNames].into();
    }
    columns.filter_map(holds).collect()
}

fn chart(
    widget: &Computed<'_>,
    result: &Value,
    numbered: &mut Numbered,
    holds: &mut BTreeSet<Holds>,
    type_of: &dyn Fn(&str, &str) -> Option<String>,
) -> Result<Chart, Why> {
    let shape = Shape::deserialize(&result["variant"]).map_err(|_| Why::NoResult)?;
    let mut labels = |role: &str, parts: &[Value]| -> Vec<Category> {
        let of_axis = axis_holds(widget, role, type_of);
        holds.extend(&of_axis);
        let label = |part: &Value| {
            let is_value = part["kind"].as_str().unwrap_or("value") == "value";
            let label =
                if is_value { numbered.label(&of_axis, &part["key"], &part["label"]) } else { said(&part["label"]) };
            // A color identifies a person as much as the name.
            let color = color(&part["color"]).filter(|_| !of_axis.contains(&Holds::PeopleNames));
            Category { color, apart: !is_value, ..Category::named(label) }
        };
        parts.iter().map(label).collect()
    };
    let mut categories = labels("x", list(&result["categories"]));
    spans(&result["bucket"], &mut categories);
    for (category, percent) in categories.iter_mut().zip(list(&result["percents"])) {
        category.percent = percent.as_u64();
    }
    let lines = list(&result["series"]);
    let is_stacked = widget.config.get("z").is_some_and(|z| !z.is_null()) && !shape.is_round();
    let mut heads = if is_stacked { labels("z", lines) } else { vec![Category::named(""); lines.len()] };
    spans(&result["seriesBucket"], &mut heads);
    let mark = if shape == Shape::Line { Mark::Line } else { Mark::Filled };
    let series = lines.iter().zip(heads).map(|(line, head)| {
        let points = list(&line["values"]).iter().zip(list(&line["fulls"]));
        let points = points.map(|(value, full)| Point { value: value.as_f64(), text: said(full) }).collect();
        Series { label: head.along.unwrap_or(head.label), color: head.color, mark, points }
    });
    let series = series.collect();
    let whole = result["total"]["text"].as_str().filter(|_| shape == Shape::Donut).map(text);
    Ok(Chart { whole, ..Chart::new(shape, "Category", categories, series) })
}

/// Formats categories that are time spans like the page.
fn spans(bucket: &Value, categories: &mut [Category]) {
    match bucket.as_str() {
        Some("day" | "week") => date(categories),
        Some("month") => {
            categories.iter_mut().filter(|one| !one.apart).for_each(|one| one.label = words::month(&one.label));
        }
        // Longer keys have only digits.
        _ => {}
    }
}

/// Formats categories that are days: short along the axis, elsewhere with the year. Others stay unchanged.
fn date(categories: &mut [Category]) {
    let days: Vec<String> = categories.iter().filter(|one| !one.apart).map(|one| one.label.clone()).collect();
    let along = words::along(&days.iter().map(String::as_str).collect::<Vec<_>>());
    for (category, along) in categories.iter_mut().filter(|one| !one.apart).zip(along) {
        (category.label, category.along) = (words::day(&category.label, true), Some(along));
    }
    for category in categories.iter_mut().filter(|one| one.apart) {
        category.along = Some(category.label.clone());
    }
}

/// Returns the name of a sprint.
type Called<'a> = &'a mut dyn FnMut(&Value) -> String;

/// The kinds of data in sprint names, which can come from item or text columns.
fn sprint_holds(widget: &Computed<'_>, type_of: &dyn Fn(&str, &str) -> Option<String>) -> BTreeSet<Holds> {
    let of_column = match widget.config["sprintBy"].as_str() {
        Some("group") => BTreeSet::new(),
        _ => axis_holds(widget, "sprint", type_of),
    };
    of_column.into_iter().filter(|one| *one != Holds::Labels).chain([Holds::SprintNames]).collect()
}

fn sprints(result: &Value, called: Called<'_>) -> Vec<Category> {
    let sprint = |sprint: &Value| Category::named(format!("{}{}", called(sprint), words::phase(sprint)));
    list(&result["sprints"]).iter().map(sprint).collect()
}

fn point(written: &Value) -> Point {
    Point { value: written["value"].as_f64(), text: said(&written["full"]) }
}

fn series(label: &str, color: Option<&str>, mark: Mark, points: impl Iterator<Item = Point>) -> Series {
    Series { label: label.into(), color: color.map(str::to_owned), mark, points: points.collect() }
}

impl Chart {
    fn new(shape: Shape, axis: &str, categories: Vec<Category>, series: Vec<Series>) -> Chart {
        Chart { shape, axis: axis.into(), categories, series, whole: None, level: None, today: None }
    }
}

fn velocity(result: &Value, holds: &mut BTreeSet<Holds>, called: Called<'_>) -> Chart {
    let shown = list(&result["sprints"]);
    let of = |member: &'static str| shown.iter().map(move |sprint| point(&sprint[member]));
    let boards = list(&result["boards"]);
    let mut all = Vec::new();
    if !boards.is_empty() {
        holds.insert(Holds::BoardNames);
        let board = |(at, board): (usize, &Value)| {
            let completed = list(&board["completed"]).iter().map(point);
            series(&said(&board["name"]), Some(color_at(at)), Mark::Filled, completed)
        };
        all.extend(boards.iter().enumerate().map(board));
    }
    let mark = if boards.is_empty() { Mark::Filled } else { Mark::Written };
    all.push(series("Completed", Some(COMPLETED), mark, of("completed")));
    all.push(series("Scope (today)", None, Mark::Behind, of("scope")));
    let mut categories = sprints(result, called);
    for (category, sprint) in categories.iter_mut().zip(shown) {
        category.hatched = sprint["phase"] == "active";
    }
    Chart { level: result["average"]["value"].as_f64(), ..Chart::new(Shape::Column, "Sprint", categories, all) }
}

fn planned(result: &Value, called: Called<'_>) -> Chart {
    let shown = list(&result["sprints"]);
    let all = CLASSES.into_iter().filter_map(|(member, label, color, _)| {
        let is_there = shown.iter().any(|sprint| sprint[member]["value"].as_f64().is_some_and(|value| value != 0.0));
        let is_always = !member.starts_with("unknown");
        let points = shown.iter().map(|sprint| point(&sprint[member]));
        (is_there || is_always).then(|| series(label, Some(color), Mark::Filled, points))
    });
    let shares = shown
        .iter()
        .map(|sprint| Point { text: said(&sprint["unplannedPercent"]["text"]), ..point(&sprint["unplannedPercent"]) });
    let share = series("Unplanned share", None, Mark::Written, shares);
    Chart::new(Shape::Column, "Sprint", sprints(result, called), all.chain([share]).collect())
}

fn burndown(result: &Value) -> Chart {
    let (days, ideal) = (list(&result["days"]), list(&result["ideal"]));
    let longer = if ideal.len() > days.len() { ideal } else { days };
    let label = |day: &Value| match day["day"].as_str() {
        Some(day) => Category::named(text(day)),
        None => Category { along: Some("Start".into()), ..Category::named("Start") },
    };
    let mut categories: Vec<Category> = longer.iter().map(label).collect();
    let begins = categories.iter().take_while(|one| one.along.is_some()).count();
    date(&mut categories[begins..]);
    let gap = || Point { value: None, text: String::new() };
    let of = |member: &'static str| {
        (0..longer.len()).map(move |at| days.get(at).map_or_else(gap, |day| point(&day[member])))
    };
    let straight = |at: usize| match ideal.get(at).and_then(|day| day["value"].as_f64()) {
        Some(value) => Point { value: Some(value), text: plain(value) },
        None => gap(),
    };
    let mut all = vec![
        series("Remaining", Some(REMAINING), Mark::Line, of("remaining")),
        series("Scope", Some(SCOPE), Mark::Step, of("scope")),
    ];
    if !ideal.is_empty() {
        all.push(series("Ideal", Some(IDEAL), Mark::Dashed, (0..longer.len()).map(straight)));
    }
    let today = days.len().checked_sub(1).filter(|_| result["sprint"]["phase"] == "active");
    Chart { today, ..Chart::new(Shape::Line, "Day", categories, all) }
}

fn battery(result: &Value) -> Chart {
    let segments = list(&result["segments"]);
    let label = |(at, part): (usize, &Value)| {
        let color = color(&part["color"]).unwrap_or_else(|| color_at(at).to_owned());
        Category { color: Some(color), ..Category::named(said(&part["label"])) }
    };
    let share = |part: &Value| {
        let percent = part["percent"].as_u64().unwrap_or_default();
        let value = part["value"].as_f64();
        Point { value, text: format!("{} ({percent}%)", value.map(plain).unwrap_or_default()) }
    };
    let all = vec![series("", None, Mark::Filled, segments.iter().map(share))];
    Chart::new(Shape::Bar, "Label", segments.iter().enumerate().map(label).collect(), all)
}

/// A number with two decimals at most.
fn plain(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A published text of a board: without control characters, and truncated.
pub(super) fn text(text: &str) -> String {
    let clean: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    match clean.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}

fn said(value: &Value) -> String {
    text(value.as_str().unwrap_or_default())
}

/// A valid color, so that nothing else gets into the page.
fn color(value: &Value) -> Option<String> {
    let color = value.as_str()?;
    let digits = color.strip_prefix('#')?;
    (digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())).then(|| color.to_ascii_lowercase())
}

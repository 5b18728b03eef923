//! Chart: a count or a number by the values of another column, as columns, bars, lines, a pie or a donut; all but the last two
//! optionally stacked by a third column.

use super::answer::Skipped;
use super::input::{Input, Outcome, Part, settled};
use super::kind::{Kind, Widget};
use super::mapping::{NUMBER_TYPES, Role};
use super::measure::Measure;
use super::schema::{format_schema, include_subitems_schema, server_only};
use crate::axis::{Axis, By, Category, CategoryKind, Place, Scheme};
use crate::column::{Data, Numbers};
use crate::dates::Bucket;
use crate::derived::KEYS_MAX;
use crate::fold;
use crate::format::Format;
use crate::percents::percents;
use crate::pieces::{Figure, Number, Piece, Row};
use crate::raw_result::RawResult;
use crate::reading::read_as;
use crate::selection::Selection;
use crate::tally::{Cells, Key, Keyed, Places};
use crate::total::{Cell, Function, Ledger, Sums, Total};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

pub(super) const KIND: Kind = Kind {
    name: "chart",
    schema: server_only(schema),
    roles: &[X, Y, Z],
    parts: &[("x", &[]), ("z", &[])],
    keys: 1,
    read,
};

const X: Role = Role::new("x", "Column of the categories, if `x.by` is `column`.", X_TYPES, true);
const Y: Role = Role::new("y", "Numbers for `y.function`. Counts need none.", NUMBER_TYPES, true);
// A board without it is drawn whole, as "(empty)".
const Z: Role = Role::new("z", "Column to stack by, if `z.by` is `column`.", X_TYPES, false);

/// Categories, and stacked parts, at most; the rest goes into "Other (n)".
const CATEGORIES_MAX: usize = 50;
/// Slices at most, the rest among them no more than one.
const SLICES_MAX: usize = 10;

/// Combinations of categories whose small sums are kept in a plain list.
const FLAT_MAX: usize = 1 << 16;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    #[serde(default)]
    variant: Variant,
    #[serde(default)]
    x: AxisConfig,
    #[serde(default)]
    y: Values,
    /// What the columns are stacked by.
    #[serde(default)]
    z: Option<AxisConfig>,
    #[serde(default)]
    sort: Sort,
    #[serde(default)]
    hide_empty: bool,
    #[serde(default)]
    multi: Multi,
    /// Each span of a date axis with all that was before.
    #[serde(default)]
    cumulative: bool,
    #[serde(default)]
    format: Format,
}

impl Config {
    /// What stacks, which parts of a whole cannot.
    fn stack(&self) -> Option<AxisConfig> {
        self.z.filter(|_| !self.variant.is_round())
    }
    fn categories_max(&self) -> usize {
        if self.variant.is_round() { SLICES_MAX } else { CATEGORIES_MAX }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Variant {
    #[default]
    Column,
    Bar,
    Line,
    Pie,
    Donut,
}

impl Variant {
    /// Whether it shows parts of a whole.
    fn is_round(self) -> bool {
        matches!(self, Variant::Pie | Variant::Donut)
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
struct AxisConfig {
    #[serde(default)]
    by: By,
    /// The span of a date axis.
    #[serde(default)]
    bucket: Option<Bucket>,
}

impl AxisConfig {
    fn bucket(self) -> Bucket {
        self.bucket.unwrap_or(Bucket::Month)
    }
}

#[derive(Clone, Copy, Deserialize)]
struct Values {
    function: Function,
}

impl Default for Values {
    fn default() -> Values {
        Values { function: Function::Count }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Sort {
    #[default]
    Label,
    XAsc,
    XDesc,
    YAsc,
    YDesc,
}

/// What an item of several people or tags counts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Multi {
    /// Whole in each.
    #[default]
    Each,
    /// In equal parts.
    Split,
}

fn schema() -> Value {
    let by = json!({"enum": ["column", "board", "group", "name", "created", "updated"], "default": "column"});
    let bucket = json!({"enum": ["day", "week", "month", "quarter", "year", "decade", "century"], "default": "month"});
    let axis = json!({"type": "object", "properties": {"by": by, "bucket": bucket}});
    json!({"type": "object", "properties": {
        "variant": {"enum": ["column", "bar", "line", "pie", "donut"], "default": "column", "description": "Upright columns, horizontal bars, lines, or parts of a whole."},
        "x": axis, "z": axis,
        "y": {"type": "object", "properties": {"function": {"enum": ["count", "sum", "average", "median", "min", "max", "countFilled", "distinct"], "default": "count"}}},
        "sort": {"enum": ["label", "xAsc", "xDesc", "yAsc", "yDesc"], "default": "label"},
        "hideEmpty": {"type": "boolean", "default": false, "description": "Leave out items without a value on x."},
        "multi": {"enum": ["each", "split"], "default": "each", "description": "Whether an item with several people or tags counts in each or is divided."},
        "cumulative": {"type": "boolean", "default": false, "description": "Whether each span includes all earlier ones. For counts and sums over dates."},
        "format": format_schema(), "includeSubitems": include_subitems_schema()}})
}

fn read(config: &Value) -> Result<Box<dyn Widget>, String> {
    let config: Config = read_as(config)?;
    if config.multi == Multi::Split
        && !matches!(config.y.function, Function::Count | Function::Sum | Function::Average | Function::CountFilled)
    {
        return Err("only counts, sums, and averages can be split equally".into());
    }
    let adds_up = matches!(config.y.function, Function::Count | Function::Sum | Function::CountFilled);
    if config.variant.is_round() && !adds_up {
        return Err("a pie can show only counts and sums".into());
    }
    if config.cumulative && !adds_up {
        return Err("only counts and sums can be cumulative".into());
    }
    Ok(Box::new(config))
}

const X_TYPES: &[&str] = &[
    "status",
    "dropdown",
    "tags",
    "people",
    "checkbox",
    "text",
    "date",
    "timeline",
    "sprint",
    "itemLink",
    "createdBy",
    "updatedBy",
];

/// Sums by category of x, and by both where there is a stack.
struct Grid {
    width: usize,
    height: usize,
    /// By slot.
    totals: Ledger,
    /// The places of those by both, where a plain list of all would be too long.
    both: Option<HashMap<(u32, u32), usize>>,
    /// Passing items with a value of y, by whether x is empty.
    used: [u64; 2],
}

/// What of a chart does not depend on the filters: dates counted by the buckets that are asked for, or by days.
struct Model {
    asked: Layout,
    by_day: OnceLock<Layout>,
}

/// Where the items of each board belong on a chart's axes.
struct Layout {
    /// The boards that take part: dates and labels have no common axis.
    used: Vec<usize>,
    x: Scheme,
    z: Option<Scheme>,
    /// What stands for a mark of x and, above it, one of z.
    places: Arc<Places>,
    measure: Measure,
}

impl Layout {
    /// Dates are counted by the buckets that are told for those asked for.
    fn new<'a>(input: &Input<'a>, config: &Config, counted_by: fn(Bucket) -> Bucket) -> Layout {
        let place = |part: &Part<'a>, role: &str| Place { board: part.board, column: part.column(role) };
        // The first board decides.
        let is_date = |part: &Part<'a>| place(part, "x").is_date(config.x.by);
        let takes_part: Vec<bool> = input.parts.iter().map(|part| is_date(part) == is_date(&input.parts[0])).collect();
        let used: Vec<usize> = (0..takes_part.len()).filter(|at| takes_part[*at]).collect();
        let scheme = |axis: AxisConfig, role: &str| {
            let key = |place: &Place<'a>| place.key(axis.by, counted_by(axis.bucket()), input.query);
            let places: Vec<Place<'_>> = used.iter().map(|at| place(&input.parts[*at], role)).collect();
            let keys: Vec<Option<Key>> = places.iter().map(key).collect();
            let (scheme, marks) = Scheme::new(axis.by, axis.bucket(), &places, &keys, input.query, input.across);
            (scheme, keys, marks)
        };
        let (x, x_keys, x_marks) = scheme(config.x, "x");
        let (z, z_keys, z_marks) = match config.stack() {
            Some(z) => {
                let (scheme, keys, marks) = scheme(z, "z");
                (Some(scheme), keys, marks)
            }
            None => (None, vec![None; used.len()], vec![vec![0]; used.len()]),
        };
        let place_among_used = |part: usize| used.iter().position(|at| *at == part);
        let keyed = |(at, part): (usize, &Part<'a>)| {
            let keys = match place_among_used(at) {
                Some(at) => [x_keys[at].clone(), z_keys[at].clone(), None],
                None => [const { None }; KEYS_MAX],
            };
            (Keyed { board: part.board, keys }, takes_part[at])
        };
        let boards: Vec<_> = input.parts.iter().enumerate().map(keyed).collect();
        let mark = |marks: &[u32], code: u32| u64::from(marks.get(code as usize).copied().unwrap_or_default());
        let places = Places::new(&boards, &mut |part, [x_code, z_code, _]| {
            let at = place_among_used(part).unwrap_or_default();
            mark(&x_marks[at], x_code) | mark(&z_marks[at], z_code) << 32
        });
        let adds_up = config.y.function.is_of_sums() && config.multi == Multi::Each;
        let measure = if adds_up { Measure::from_role(input, Y.name, true) } else { Measure::Each };
        Layout { used, x, z, places: input.register(places), measure }
    }
}

/// A chart's axes, and its sums arranged on them.
struct Drawn<'a> {
    layout: &'a Layout,
    x: Axis<'a>,
    z: Option<Axis<'a>>,
    grid: Grid,
    columns: Vec<Column>,
    series: Option<Vec<Column>>,
}

impl Model {
    fn new(input: &Input<'_>, config: &Config) -> Model {
        Model { asked: Layout::new(input, config, |bucket| bucket), by_day: OnceLock::new() }
    }

    fn drawn(&self, input: &Input<'_>, config: &Config) -> Drawn<'_> {
        let drawn = Drawn::new(input, config, &self.asked);
        let is_coarser =
            |axis: &Axis<'_>, asked: AxisConfig| axis.bucket.is_some_and(|bucket| bucket != asked.bucket());
        let weeks = |axis: Option<&Axis<'_>>, asked: Option<AxisConfig>| {
            axis.zip(asked).is_some_and(|(axis, asked)| asked.bucket() == Bucket::Week && is_coarser(axis, asked))
        };
        // A week can lie in two months: where there are too many of them it takes the days.
        match weeks(Some(&drawn.x), Some(config.x)) || weeks(drawn.z.as_ref(), config.stack()) {
            true => {
                let by_day = self.by_day.get_or_init(|| Layout::new(input, config, |_| Bucket::Day));
                Drawn::new(input, config, by_day)
            }
            false => drawn,
        }
    }
}

impl<'a> Drawn<'a> {
    fn new(input: &Input<'_>, config: &Config, layout: &'a Layout) -> Drawn<'a> {
        let sums = layout.measure.cells(input, &layout.places);
        let is_of_dates = layout.x.is_of_dates() || layout.z.as_ref().is_some_and(Scheme::is_of_dates);
        let items = || is_of_dates.then(|| input.tallies.cells(&layout.places, None));
        // Which days there are is read off the items.
        let there = sums.clone().or_else(items);
        let axis = |scheme: &'a Scheme, shift: u32| {
            let mut marks = Vec::new();
            if let Some(cells) = there.as_ref().filter(|_| scheme.is_of_dates()) {
                cells.each(|place, _| marks.push((layout.places.of[place] >> shift) as u32));
            }
            scheme.axis(marks.into_iter())
        };
        let (x, z) = (axis(&layout.x, 0), layout.z.as_ref().map(|z| axis(z, 32)));
        let grid = grid(input, config, layout, sums, &x, z.as_ref());
        let columns = arrange(&x, &grid, Slot::X, config, config.sort, config.hide_empty);
        let series = z.as_ref().map(|z| arrange(z, &grid, Slot::Z, config, Sort::Label, false));
        Drawn { layout, x, z, grid, columns, series }
    }
}

impl Widget for Config {
    fn roles(&self) -> Vec<Role> {
        let mut roles = Vec::new();
        if self.x.by == By::Column {
            roles.push(X);
        }
        if !self.y.function.is_count() {
            roles.push(Y);
        }
        if self.stack().is_some_and(|z| z.by == By::Column) {
            roles.push(Z);
        }
        roles
    }

    /// Items of a column and, where it is stacked, of one of its parts: `{"x": {"kind", "key"}, "z": {"kind", "key"}}`.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
        let model = input.model(|| Model::new(input, self));
        let drawn = model.drawn(input, self);
        let of = |told: Option<&Value>, columns: Option<&Vec<Column>>, is_cumulative: bool| match (told, columns) {
            (None, _) => Ok(None),
            (Some(told), Some(columns)) => {
                let at = columns.iter().position(|c| c.is(told)).ok_or("category not found")?;
                let is_date = columns[at].category.kind == CategoryKind::Value;
                let from = if is_cumulative && is_date { 0 } else { at };
                let all = columns[from..=at].iter().filter(|c| c.category.kind == columns[at].category.kind);
                Ok(Some(all.flat_map(|c| c.of.iter().copied()).collect()))
            }
            (Some(_), None) => Err("the chart isn't stacked"),
        };
        let x = of(part.get("x"), Some(&drawn.columns), self.cumulative && drawn.x.bucket.is_some())?;
        let x =
            x.or_else(|| self.hide_empty.then(|| drawn.columns.iter().flat_map(|c| c.of.iter().copied()).collect()));
        let z = of(part.get("z"), drawn.series.as_ref(), false)?;
        let is_of = |axis: Option<&Axis<'_>>, wanted: &Option<Vec<u32>>, mark: u32| match (axis, wanted) {
            (Some(axis), Some(wanted)) => axis.categories(mark).iter().any(|category| wanted.contains(category)),
            _ => true,
        };
        let numbers: Vec<Option<&Numbers>> = input.parts.iter().map(numbers).collect();
        Ok(input.only(|at, row| {
            let Some(means) = drawn.layout.places.meaning(at, row) else { return false };
            numbers[at].is_none_or(|numbers| numbers.get(row).is_some())
                && is_of(Some(&drawn.x), &x, means as u32)
                && is_of(drawn.z.as_ref(), &z, (means >> 32) as u32)
        }))
    }

    fn compute(&self, input: &Input<'_>) -> Outcome {
        let function = self.y.function;
        let model = input.model(|| Model::new(input, self));
        let Drawn { layout, x, z, grid, mut columns, series } = model.drawn(input, self);
        let value = |column: &Column| total(&grid, column, None).value(function);
        let mut parts = None;
        let mut why_none = None;
        if self.variant.is_round() {
            columns.retain(|column| value(column) != Some(0.0));
            let values: Vec<f64> = columns.iter().map(|column| value(column).unwrap_or_default()).collect();
            why_none = values.iter().any(|value| *value < 0.0).then_some("negative-pie");
            parts = Some(shares(&columns, &values));
        }
        let (format, warning) = if matches!(function, Function::Count | Function::CountFilled | Function::Distinct) {
            (Format { abbreviate: self.format.abbreviate, ..Format::default() }, None)
        } else {
            settled(&self.format, &input.parts, "y")
        };
        let split = self.multi == Multi::Split;
        let passing = input.passing();
        let there: u64 = layout.used.iter().map(|part| input.parts[*part].selection.count() as u64).sum();
        let items_used = grid.used[0] + if self.hide_empty { 0 } else { grid.used[1] };
        let hidden = if self.hide_empty { grid.used[1] } else { 0 };
        let counted: u64 = columns.iter().flat_map(|c| &c.of).map(|i| grid.items(Slot::X(*i))).sum();
        let items = grid.items(Slot::Whole) - if self.hide_empty { grid.items(Slot::X(0)) } else { 0 };
        let mut footnotes = Vec::new();
        if !split && x.named.many && counted != items {
            footnotes.push(Footnote::MultiValue { code: "multi-value", counted, items });
        }
        let asked = self.x.bucket();
        if let Some(used) = x.bucket.filter(|bucket| *bucket != asked) {
            footnotes.push(Footnote::CoarserBucket { asked, code: "coarser-bucket", used });
        }
        let no_values = why_none.is_some() || columns.iter().all(|column| value(column).is_none());
        let shown = Shown {
            function,
            format: &format,
            input,
            cumulative: self.cumulative && x.bucket.is_some(),
            gap_is_zero: matches!(
                function,
                Function::Count | Function::Sum | Function::CountFilled | Function::Distinct
            ),
        };
        let lines = match &series {
            None => vec![shown.line(&grid, &columns, None)],
            Some(series) => series.iter().map(|part| shown.line(&grid, &columns, z.as_ref().zip(Some(part)))).collect(),
        };
        let skipped = [
            Skipped::items("other-type", passing - there),
            Skipped::items("empty-category", hidden),
            Skipped::items("empty-value", there - grid.used[0] - grid.used[1]),
        ];
        let whole = grid.total(Slot::Whole).value(function).filter(|_| !self.hide_empty);
        let drawing = Drawing {
            bucket: x.bucket,
            categories: columns.iter().map(|column| column.described(input, &x)).collect(),
            cumulative: shown.cumulative.then_some(true),
            footnotes,
            format: &format,
            function,
            percents: parts,
            series: lines,
            series_bucket: z.as_ref().and_then(|z| z.bucket),
            total: whole.map(|whole| Figure::new(input.told, whole, &format, &input.query.locale)),
            variant: self.variant,
        };
        Outcome {
            result: RawResult::new(&drawing),
            no_values,
            items_used,
            skipped: skipped.into_iter().flatten().collect(),
            reasons: why_none.map(str::to_owned).into_iter().chain(warning).collect(),
            ..Outcome::default()
        }
    }
}

/// A chart as it is told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Drawing<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    bucket: Option<Bucket>,
    categories: Vec<Piece<&'a Category>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cumulative: Option<bool>,
    footnotes: Vec<Footnote>,
    format: &'a Format,
    function: Function,
    #[serde(skip_serializing_if = "Option::is_none")]
    percents: Option<Vec<u32>>,
    series: Vec<Line<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    series_bucket: Option<Bucket>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Figure>,
    variant: Variant,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Footnote {
    MultiValue { code: &'static str, counted: u64, items: u64 },
    CoarserBucket { asked: Bucket, code: &'static str, used: Bucket },
}

/// The values of all categories, or the parts of them that belong to a stack's category.
#[derive(Serialize)]
struct Line<'a> {
    /// The number of the stack's category, in the place of what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fulls: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<CategoryKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<Vec<String>>,
    values: Vec<Option<Number>>,
}

/// What a board's items are measured by, where it is not how many they are. Several columns would count an item several times:
/// the first is the one that is shown.
fn numbers<'a>(part: &Part<'a>) -> Option<&'a Numbers> {
    match &part.column("y")?.data {
        Data::Numbers(numbers) => Some(numbers),
        _ => None,
    }
}

/// Where something of a cell is added up.
#[derive(Clone, Copy)]
enum Slot {
    Whole,
    X(u32),
    Z(u32),
    Both(u32, u32),
}

/// Calls with each slot that a cell with these categories belongs to, and among how many it is divided.
fn spread(xs: &[u32], zs: Option<&[u32]>, mut put: impl FnMut(Slot, usize)) {
    put(Slot::Whole, 1);
    xs.iter().for_each(|x| put(Slot::X(*x), xs.len()));
    for z in zs.unwrap_or_default() {
        let among = zs.map_or(1, <[u32]>::len);
        put(Slot::Z(*z), among);
        xs.iter().for_each(|x| put(Slot::Both(*x, *z), xs.len() * among));
    }
}

impl Grid {
    fn new(width: usize, height: usize, decimals: u8) -> Grid {
        let both = width.saturating_mul(height);
        let (listed, both) = if both <= FLAT_MAX { (both, None) } else { (0, Some(HashMap::new())) };
        Grid { width, height, totals: Ledger::new(1 + width + height + listed, decimals), both, used: [0, 0] }
    }
    /// Where the totals of a slot stand, if there are any.
    fn find(&self, slot: Slot) -> Option<usize> {
        let Grid { width, height, .. } = *self;
        Some(match (slot, &self.both) {
            (Slot::Whole, _) => 0,
            (Slot::X(x), _) => 1 + x as usize,
            (Slot::Z(z), _) => 1 + width + z as usize,
            (Slot::Both(x, z), None) => 1 + width + height + x as usize * height + z as usize,
            (Slot::Both(x, z), Some(places)) => *places.get(&(x, z))?,
        })
    }
    /// Where they stand from now on.
    fn place(&mut self, slot: Slot) -> usize {
        if let Some(at) = self.find(slot) {
            return at;
        }
        let at = self.totals.push();
        if let (Slot::Both(x, z), Some(places)) = (slot, &mut self.both) {
            places.insert((x, z), at);
        }
        at
    }
    fn add_sums(&mut self, slot: Slot, sums: &Sums) {
        let at = self.place(slot);
        self.totals.merge(at, sums);
    }
    fn add_to(&self, total: &mut Total, slot: Slot) {
        if let Some(at) = self.find(slot) {
            self.totals.add_to(total, at);
        }
    }
    fn total(&self, slot: Slot) -> Total {
        let mut total = Total::default();
        self.add_to(&mut total, slot);
        total
    }
    fn items(&self, slot: Slot) -> u64 {
        self.find(slot).map_or(0, |at| self.totals.items(at))
    }
}

fn grid(
    input: &Input<'_>,
    config: &Config,
    layout: &Layout,
    sums: Option<Arc<Cells>>,
    x: &Axis<'_>,
    z: Option<&Axis<'_>>,
) -> Grid {
    let Layout { places, measure, .. } = layout;
    let height = z.map_or(0, |z| z.named.categories.len());
    let mut grid = Grid::new(x.named.categories.len(), height, measure.decimals());
    let categories = |place: usize| {
        let means = places.of[place];
        (x.categories(means as u32), z.map(|z| z.categories((means >> 32) as u32)))
    };
    if let Some(cells) = sums {
        let mut whole = Sums::default();
        cells.each(|place, sums| {
            let (xs, zs) = categories(place);
            grid.used[usize::from(xs == [0])] += if measure.is_of_items() { sums.items() } else { sums.filled() };
            whole.merge(sums);
            xs.iter().for_each(|x| grid.add_sums(Slot::X(*x), sums));
            for z in zs.unwrap_or_default() {
                grid.add_sums(Slot::Z(*z), sums);
                xs.iter().for_each(|x| grid.add_sums(Slot::Both(*x, *z), sums));
            }
        });
        grid.add_sums(Slot::Whole, &whole);
        return grid;
    }
    for (at, part) in input.parts.iter().enumerate() {
        let numbers = numbers(part);
        let decimals = numbers.map_or(0, Numbers::decimals);
        let cells = places.cells(at, &part.selection, |cell: &mut Cell, row| {
            cell.items += 1;
            if let Some(numbers) = numbers {
                cell.add(numbers, row, config.y.function);
            }
        });
        for (place, cell) in cells.iter().filter(|(_, cell)| cell.items > 0) {
            let (xs, zs) = categories(*place);
            grid.used[usize::from(xs == [0])] += u64::from(if numbers.is_some() { cell.filled() } else { cell.items });
            spread(xs, zs, |slot, among| {
                let share = (config.multi == Multi::Split && !matches!(slot, Slot::Whole)).then(|| 1.0 / among as f64);
                let at = grid.place(slot);
                grid.totals.add(at, cell, decimals, share);
            });
        }
    }
    grid
}

/// A category as shown: one of the axis, or the rest together.
struct Column {
    category: Arc<Category>,
    of: Vec<u32>,
}

impl Column {
    /// As it is told: the rest together is another in each answer.
    fn described(&self, input: &Input<'_>, axis: &Axis<'_>) -> Piece<&Category> {
        match (&self.category.kind, self.of.as_slice()) {
            (CategoryKind::Value | CategoryKind::Empty, [only]) => {
                Piece::new(input.told, axis.named.name(*only), || &*self.category)
            }
            _ => Piece::Whole(&*self.category),
        }
    }
    /// Whether it is the one that was told so.
    fn is(&self, told: &Value) -> bool {
        told["kind"] == json!(self.category.kind) && (told["key"] == self.category.key.as_str())
    }
}

/// The categories in their order; all but the largest in "Other (n)".
fn arrange(
    axis: &Axis<'_>,
    grid: &Grid,
    slot: fn(u32) -> Slot,
    config: &Config,
    sort: Sort,
    hide_empty: bool,
) -> Vec<Column> {
    let (function, most) = (config.y.function, config.categories_max());
    let first = u32::from(hide_empty);
    let mut order: Vec<u32> = (first..axis.named.categories.len() as u32)
        .filter(|i| grid.items(slot(*i)) > 0 || (axis.bucket.is_some() && *i > 0))
        .collect();
    // Only where values are compared are they asked for.
    let is_too_long = (axis.bucket.is_none() || config.variant.is_round()) && order.len() > most;
    let mut values = Vec::new();
    if is_too_long || matches!(sort, Sort::YAsc | Sort::YDesc) {
        values.resize(axis.named.categories.len(), None);
        order.iter().for_each(|i| values[*i as usize] = grid.total(slot(*i)).value(function));
    }
    let places = if axis.bucket.is_none() { axis.named.by_label(&order) } else { Cow::default() };
    let by_label = |a: usize, b: usize| match axis.bucket {
        Some(_) => a.cmp(&b),
        None => places[a].cmp(&places[b]),
    };
    // A gap is neither large nor small: it stands last.
    let by_value = |a: usize, b: usize, down: bool| match (values[a], values[b]) {
        (Some(x), Some(y)) if down => y.total_cmp(&x),
        (Some(x), Some(y)) => x.total_cmp(&y),
        (None, None) => Ordering::Equal,
        (x, _) => x.is_none().cmp(&true).reverse(),
    };
    let mut rest = Vec::new();
    // Spans of time have a limit of their own, but as parts of a whole.
    if is_too_long {
        fold::sort(&mut order, &mut |a, b| by_value(a, b, true).then_with(|| by_label(a, b)));
        rest = order.split_off(most);
    }
    let last = |i: usize| i == 0;
    fold::sort(&mut order, &mut |a, b| match sort {
        Sort::Label if axis.named.ordered => last(a).cmp(&last(b)).then(a.cmp(&b)),
        Sort::Label | Sort::XAsc => last(a).cmp(&last(b)).then_with(|| by_label(a, b)),
        Sort::XDesc => last(a).cmp(&last(b)).then_with(|| by_label(b, a)),
        Sort::YAsc => by_value(a, b, false).then_with(|| by_label(a, b)),
        Sort::YDesc => by_value(a, b, true).then_with(|| by_label(a, b)),
    });
    let mut columns: Vec<Column> = order
        .into_iter()
        .map(|i| Column { category: axis.named.categories[i as usize].clone(), of: vec![i] })
        .collect();
    if !rest.is_empty() {
        let label = format!("Other ({})", rest.len());
        let category = Category { kind: CategoryKind::Other, key: String::new(), label, color: None };
        rest.sort_unstable();
        columns.push(Column { category: Arc::new(category), of: rest });
    }
    columns
}

/// Whole percents of a pie's slices. Of equal ones the first label's is rounded up, however the slices are sorted: another widget
/// over the same labels says the same.
fn shares(columns: &[Column], values: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..columns.len() as u32).collect();
    // What has no label is last.
    let label = |at: usize| columns[at].of.first().map(|first| (*first == 0, *first));
    fold::sort(&mut order, &mut |a, b| label(a).cmp(&label(b)));
    let sorted: Vec<f64> = order.iter().map(|at| values[*at as usize]).collect();
    let mut shares = vec![0; values.len()];
    order.iter().zip(percents(&sorted)).for_each(|(at, percent)| shares[*at as usize] = percent);
    shares
}

/// What a column, or the part of it that belongs to a stack's category, comes to.
fn total(grid: &Grid, column: &Column, part: Option<&Column>) -> Total {
    let mut sum = Total::default();
    for x in &column.of {
        match part {
            None => grid.add_to(&mut sum, Slot::X(*x)),
            Some(part) => part.of.iter().for_each(|z| grid.add_to(&mut sum, Slot::Both(*x, *z))),
        }
    }
    sum
}

/// How the values of a chart are written.
struct Shown<'a> {
    function: Function,
    format: &'a Format,
    input: &'a Input<'a>,
    gap_is_zero: bool,
    /// Each value with all that was before it.
    cumulative: bool,
}

impl Shown<'_> {
    fn line<'c>(&self, grid: &Grid, columns: &[Column], part: Option<(&Axis<'_>, &'c Column)>) -> Line<'c> {
        let mut before = Total::default();
        let cell = |column: &Column| {
            let mut total = total(grid, column, part.map(|(_, part)| part));
            // What has no date is not before any.
            if self.cumulative && column.category.kind == CategoryKind::Value {
                before.merge(&total);
                total = before.clone();
            }
            let value = if total.items == 0 && !self.gap_is_zero { None } else { total.value(self.function) };
            (value, if self.function.is_count() { total.items } else { total.filled })
        };
        let (told, locale) = (self.input.told, &self.input.query.locale);
        let Row { fulls, items, texts, values } =
            Row::new(told, columns.iter().map(cell).collect(), self.format, locale);
        let of = match part.map(|(axis, part)| part.described(self.input, axis)) {
            Some(Piece::Known(number)) => Some(number),
            _ => None,
        };
        let category = part.map(|(_, part)| &*part.category).filter(|_| of.is_none());
        // Without a stack there is nothing to tell apart.
        let or_nothing = |text: Option<&'c str>| text.or((told.is_none()).then_some(""));
        Line {
            of,
            color: category.and_then(|category| category.color.as_deref()),
            fulls,
            items,
            key: or_nothing(category.map(|category| category.key.as_str())),
            kind: category.map(|category| category.kind),
            label: or_nothing(category.map(|category| category.label.as_str())),
            texts,
            values,
        }
    }
}

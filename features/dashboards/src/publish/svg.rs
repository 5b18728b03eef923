//! Draws a published chart as SVG: no script, no style attribute, nothing that is loaded.

use super::document::{Category, Chart, Mark, Point, Series, Shape};
use super::html::{Html, escaped};
use super::looks::color_at;
use std::f64::consts::TAU;
use widgets::{Format, Locale, write};

const WIDTH: f64 = 640.0;
/// Height of charts with categories side by side.
const HEIGHT: f64 = 280.0;
/// Space for labels beside the axes.
const LEFT: f64 = 56.0;
const TOP: f64 = 20.0;
const RIGHT: f64 = 12.0;
/// A row of a chart of bars, its room for the label, and that for the number.
const ROW: f64 = 28.0;
const LABEL: f64 = 170.0;
const NUMBER: f64 = 110.0;
/// Radius of a pie, and of a donut's hole.
const RADIUS: f64 = 110.0;
const HOLE: f64 = 66.0;
/// Lines across a chart.
const TICKS: f64 = 4.0;
/// Categories whose labels fit side by side.
const LABELS_FLAT_MAX: usize = 7;
/// Labels below a chart at most; of more, some are left out. The table has all.
const LABELS_MAX: usize = 16;
/// Width of a letter, near enough, and between two of what is written whole along an axis.
const LETTER: f64 = 6.4;
const BETWEEN: f64 = 12.0;
/// Of its place, how much a column takes and how much an outline around it does; neither is wider than this.
const COLUMN: f64 = 0.7;
const OUTLINE: f64 = 0.84;
const COLUMN_MAX: f64 = 72.0;

/// Draws a chart. Screen readers get its name.
pub(super) fn chart(chart: &Chart, name: &str) -> Html {
    let (height, drawn) = match chart.shape {
        Shape::Bar => bars(chart),
        Shape::Pie | Shape::Donut => slices(chart),
        Shape::Column | Shape::Line => columns(chart),
    };
    let name = escaped(name);
    Html(format!(
        "<svg role=\"img\" aria-label=\"{name}: chart, as a table below\" viewBox=\"0 0 {WIDTH} {height}\">{}</svg>",
        drawn.0
    ))
}

/// Patterns over colors, from `p1` on, so that parts can be distinguished without color. The first part has none.
const PATTERNS: [&str; 7] = [
    "<rect width=\"2\" height=\"6\" transform=\"skewX(-45)\"/><rect x=\"6\" width=\"2\" height=\"6\" transform=\"skewX(-45)\"/>",
    "<circle cx=\"2\" cy=\"2\" r=\"1.3\"/>",
    "<rect width=\"6\" height=\"1.6\"/>",
    "<rect width=\"1.6\" height=\"6\"/>",
    "<rect width=\"2\" height=\"6\" transform=\"skewX(45)\"/><rect x=\"-6\" width=\"2\" height=\"6\" transform=\"skewX(45)\"/>",
    "<rect width=\"6\" height=\"1.2\"/><rect width=\"1.2\" height=\"6\"/>",
    "<rect width=\"3\" height=\"3\"/><rect x=\"3\" y=\"3\" width=\"3\" height=\"3\"/>",
];
/// Dashes of lines, so that they can be distinguished without color. The first is solid.
const DASHES: [&str; 6] = ["", "6 4", "2 3", "8 3 2 3", "14 4", "2 6"];
/// That of steps.
const STEPS: usize = 2;
/// The pattern of parts in progress.
pub(super) const ACTIVE: usize = 1;

/// What [`part`] refers to; once on a page.
pub(super) fn patterns() -> Html {
    let each = PATTERNS.iter().enumerate().map(|(at, shapes)| {
        let number = at + 1;
        format!(
            "<pattern id=\"p{number}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><g class=\"pattern\">{shapes}</g></pattern>"
        )
    });
    let each: String = each.collect();
    Html(format!("<svg class=\"patterns\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>{each}</defs></svg>"))
}

/// The shape of the `at`th part, in its color with its pattern over it.
pub(super) fn part(shape: &str, paint: &str, at: usize) -> String {
    let pattern = match at % (PATTERNS.len() + 1) {
        0 => String::new(),
        number => format!("<{shape} fill=\"url(#p{number})\"/>"),
    };
    format!("<{shape} {paint}/>{pattern}")
}

/// A line's color and dashes, as attributes of its group and its path.
pub(super) fn stroke(chart: &Chart, number: usize) -> (String, String) {
    let series = &chart.series[number];
    let of_lines = |one: &&Series| [Mark::Line, Mark::Dashed].contains(&one.mark);
    let before = chart.series[..number].iter().filter(of_lines).count();
    let dash = match series.mark {
        Mark::Step => STEPS,
        Mark::Dashed => before.max(1),
        _ => before,
    };
    let dash = DASHES[dash % DASHES.len()];
    let dashes = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    let color = match color_of(chart, number) {
        Some(color) => format!("class=\"line\" color=\"{}\"", escaped(color)),
        None => "class=\"line plain\"".to_owned(),
    };
    (color, format!("fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"{dashes}"))
}

/// The color of a part, as attributes; that of all that needs none of its own where there is none.
pub(super) fn paint(color: Option<&str>) -> String {
    color.map_or_else(|| "class=\"plain\"".to_owned(), |color| format!("fill=\"{}\"", escaped(color)))
}

/// Those of several parts of a whole: what has no color of its own gets one, since no axis names it.
pub(super) fn paint_slice(category: &Category, at: usize) -> String {
    paint(Some(category.color.as_deref().unwrap_or(color_at(at))))
}

/// That of the `number`th series; none where it is the only one, which has no name.
pub(super) fn color_of(chart: &Chart, number: usize) -> Option<&str> {
    let series = &chart.series[number];
    series.color.as_deref().or((!series.label.is_empty()).then(|| color_at(number)))
}

/// The color of a mark: that of its series where there are several, else that of its category.
fn paint_of(chart: &Chart, number: usize, category: &Category) -> String {
    paint(color_of(chart, number).or(category.color.as_deref()))
}

/// Sums of what is larger than this, and steps between, may be beyond all numbers.
const DRAWN_MAX: f64 = 1e100;

/// A value that can be drawn. The table has all values.
fn drawn(point: &Point) -> Option<f64> {
    point.value.filter(|value| value.abs() <= DRAWN_MAX)
}

/// Marks that are lines, those that are drawn over others last.
const LINES: [Mark; 3] = [Mark::Dashed, Mark::Step, Mark::Line];
/// Marks that stand by themselves, and not upon one another.
const ALONE: &[Mark] = &[Mark::Dashed, Mark::Step, Mark::Line, Mark::Behind];

/// The smallest and largest value of the marks, including zero.
fn reach(chart: &Chart) -> (f64, f64) {
    let level = chart.level.filter(|level| level.abs() <= DRAWN_MAX).unwrap_or_default();
    let (mut low, mut high) = (level.min(0.0), level.max(0.0));
    for at in 0..chart.categories.len() {
        let values = |marks: &'static [Mark]| {
            let of = chart.series.iter().filter(move |series| marks.contains(&series.mark));
            of.filter_map(move |series| drawn(series.points.get(at)?))
        };
        let sum = |sign: f64| values(&[Mark::Filled]).filter(|value| value * sign > 0.0).sum::<f64>();
        low = values(ALONE).fold(low.min(sum(-1.0)), f64::min);
        high = values(ALONE).fold(high.max(sum(1.0)), f64::max);
    }
    let span = high - low;
    if span.is_finite() && span > 1.0 / DRAWN_MAX { (low, high) } else { (0.0, 1.0) }
}

/// The same between round numbers, and the step between these.
fn round_reach(chart: &Chart) -> (f64, f64, f64) {
    let (low, high) = reach(chart);
    let span = high - low;
    let rough = span / TICKS;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= rough).unwrap_or(rough);
    ((low / step).floor() * step, (high / step).ceil() * step, step)
}

fn columns(chart: &Chart) -> (f64, Html) {
    let (low, high, step) = round_reach(chart);
    let count = chart.categories.len().max(1);
    // Of dates that are cut nobody can tell which they are: they are written whole, and as many as there is room for.
    let whole = chart.categories.iter().filter_map(|one| one.along.as_deref()).map(|text| text.chars().count()).max();
    let is_tilted = count > LABELS_FLAT_MAX && whole.is_none();
    let height = if is_tilted { HEIGHT + 50.0 } else { HEIGHT };
    let (bottom, width) = (height - if is_tilted { 86.0 } else { 32.0 }, WIDTH - LEFT - RIGHT);
    let y = |value: f64| bottom - (value - low) / (high - low) * (bottom - TOP);
    let slot = width / count as f64;
    let middle = |at: usize| LEFT + slot * (at as f64 + 0.5);
    let mut out = String::new();
    for tick in 0..=((high - low) / step).round() as usize {
        let value = low + step * tick as f64;
        let text = write(value, &Format::default(), &Locale::default()).text;
        out += &format!(
            "<line class=\"rule\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y(value) + 4.0,
            escaped(&text),
            at = y(value),
        );
    }
    let column = |at: usize, share: f64, from: f64, to: f64| {
        let wide = (slot * share).min(COLUMN_MAX * share / COLUMN);
        let (left, top, high) = (middle(at) - wide / 2.0, from.min(to), (from - to).abs());
        format!("rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\"")
    };
    let figures = figures(chart, slot);
    for (at, category) in chart.categories.iter().enumerate() {
        let (mut up, mut down) = (0.0, 0.0);
        for series in chart.series.iter().filter(|series| series.mark == Mark::Behind) {
            let Some(value) = series.points.get(at).and_then(drawn) else { continue };
            out += &format!("<{} class=\"behind\"/>", column(at, OUTLINE, y(0.0), y(value)));
        }
        for (number, series) in chart.series.iter().enumerate().filter(|(_, series)| series.mark == Mark::Filled) {
            let Some(value) = series.points.get(at).and_then(drawn) else { continue };
            let base: &mut f64 = if value < 0.0 { &mut down } else { &mut up };
            let (from, to) = (y(*base), y(*base + value));
            *base += value;
            let look = if category.hatched { ACTIVE } else { number };
            out += &part(&column(at, COLUMN, from, to), &paint_of(chart, number, category), look);
        }
        if let Some(figure) = figures.and_then(|figures| figures.get(at)).filter(|figure| figure.value.is_some()) {
            let (x, y) = (middle(at), if down < 0.0 { y(down) + 13.0 } else { y(up) - 5.0 });
            out += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", escaped(&figure.text));
        }
        for series in chart.series.iter().filter(|series| series.mark == Mark::Written) {
            let Some(point) = series.points.get(at).filter(|point| point.value.is_some()) else { continue };
            let (x, y, text) = (middle(at), y(up) - 5.0, escaped(&point.text));
            out += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>");
        }
    }
    let across = |x1: f64, x2: f64, y1: f64, y2: f64| {
        format!("<line class=\"here\" x1=\"{x1:.1}\" x2=\"{x2:.1}\" y1=\"{y1:.1}\" y2=\"{y2:.1}\"/>")
    };
    if let Some(level) = chart.level.filter(|level| level.abs() <= DRAWN_MAX) {
        out += &across(LEFT, WIDTH - RIGHT, y(level), y(level));
    }
    if let Some(today) = chart.today.map(middle) {
        let anchor = if today > WIDTH / 2.0 { "end" } else { "start" };
        out += &across(today, today, TOP, bottom);
        out += &format!("<text x=\"{today:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">Today</text>", TOP - 6.0);
    }
    for mark in LINES {
        for number in (0..chart.series.len()).filter(|number| chart.series[*number].mark == mark) {
            out += &line(chart, number, &middle, &y);
        }
    }
    let every = match whole {
        Some(letters) => ((letters as f64 * LETTER + BETWEEN) / slot).ceil() as usize,
        None => count.div_ceil(LABELS_MAX),
    };
    let is_apart = |at: usize| chart.categories.get(at).is_some_and(|one| one.apart);
    let is_named = |at: usize| is_apart(at) || at.is_multiple_of(every) && !(at..at + every).any(is_apart);
    for (at, category) in chart.categories.iter().enumerate().filter(|(at, _)| is_named(*at)) {
        let (x, y) = (middle(at), bottom + 18.0);
        let text = match &category.along {
            Some(along) => escaped(along),
            None => escaped(&short(&category.label, if is_tilted { 14 } else { (slot / 7.0) as usize })),
        };
        out += &match is_tilted {
            true => format!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" transform=\"rotate(-40 {x:.1} {y:.1})\">{text}</text>"
            ),
            false => {
                let half = category.along.as_ref().map_or(0.0, |along| along.chars().count() as f64 * LETTER / 2.0);
                let x = x.min(WIDTH - half);
                format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>")
            }
        };
    }
    (height, Html(out))
}

/// A line with gaps, and a dot at each value.
fn line(chart: &Chart, number: usize, x: &dyn Fn(usize) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let series = &chart.series[number];
    let (mut path, mut dots, mut is_down) = (String::new(), String::new(), false);
    for (at, point) in series.points.iter().enumerate() {
        let Some(value) = drawn(point) else {
            is_down = false;
            continue;
        };
        let is_apart = chart.categories.get(at).is_some_and(|category| category.apart);
        is_down &= !is_apart;
        if is_down && series.mark == Mark::Step {
            path += &format!("H{:.1}", x(at));
        }
        path += &format!("{}{:.1} {:.1}", if is_down { "L" } else { "M" }, x(at), y(value));
        is_down = !is_apart;
        if series.mark == Mark::Line {
            dots += &format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>", x(at), y(value));
        }
    }
    let (color, stroke) = stroke(chart, number);
    format!("<g {color}><path d=\"{path}\" {stroke}/>{dots}</g>")
}

fn bars(chart: &Chart) -> (f64, Html) {
    let (low, high) = reach(chart);
    let x = |value: f64| LABEL + (value - low) / (high - low) * (WIDTH - LABEL - NUMBER);
    let mut out = String::new();
    for (at, category) in chart.categories.iter().enumerate() {
        let top = at as f64 * ROW;
        let (mut up, mut down) = (0.0, 0.0);
        for (number, series) in chart.series.iter().enumerate() {
            let Some(value) = series.points.get(at).and_then(drawn) else { continue };
            let base: &mut f64 = if value < 0.0 { &mut down } else { &mut up };
            let (from, to) = (x(*base), x(*base + value));
            *base += value;
            let shape = format!(
                "rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"",
                from.min(to),
                top + 5.0,
                (from - to).abs(),
                ROW - 10.0,
            );
            out += &part(&shape, &paint_of(chart, number, category), number);
        }
        let end = x(up) + 8.0;
        let number = match &chart.series[..] {
            [only] => only.points.get(at).map(|point| point.text.as_str()).unwrap_or_default(),
            _ => "",
        };
        out += &format!(
            "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text><text x=\"{end:.1}\" y=\"{y:.1}\">{}</text>",
            LABEL - 8.0,
            escaped(&short(&category.label, 24)),
            escaped(&short(number, 16)),
            y = top + ROW / 2.0 + 4.0,
        );
    }
    (chart.categories.len().max(1) as f64 * ROW, Html(out))
}

fn slices(chart: &Chart) -> (f64, Html) {
    let (x, y) = (WIDTH / 2.0, RADIUS + 10.0);
    let points = chart.series.first().map_or(&[][..], |series| &series.points);
    let values: Vec<f64> = points.iter().map(|point| drawn(point).unwrap_or_default().max(0.0)).collect();
    let whole: f64 = values.iter().sum();
    let mut out = String::new();
    let mut begun = 0.0;
    for (at, (category, value)) in chart.categories.iter().zip(&values).enumerate() {
        let share = if whole > 0.0 { value / whole } else { 0.0 };
        let paint = paint_slice(category, at);
        let on = |turn: f64, radius: f64| {
            let angle = (turn - 0.25) * TAU;
            format!("{:.2} {:.2}", x + radius * angle.cos(), y + radius * angle.sin())
        };
        // A full circle would end where it begins and draw nothing.
        let (from, to) = (begun, begun + share.min(0.99999));
        begun += share;
        let large = i32::from(share > 0.5);
        let hole = if chart.shape == Shape::Donut { HOLE } else { 0.0 };
        let shape = format!(
            "path stroke=\"currentColor\" stroke-width=\"1\" d=\"M{} A{RADIUS} {RADIUS} 0 {large} 1 {} L{} A{hole} {hole} 0 {large} 0 {} Z\"",
            on(from, RADIUS),
            on(to, RADIUS),
            on(to, hole),
            on(from, hole),
        );
        out += &part(&shape, &paint, at);
    }
    if let Some(whole) = &chart.whole {
        let size = (RADIUS * 0.32).min(HOLE * 1.7 / whole.chars().count().max(3) as f64 * 1.6);
        out += &format!(
            "<text class=\"whole\" x=\"{x}\" y=\"{:.1}\" font-size=\"{size:.1}\" text-anchor=\"middle\">{}</text>",
            y + size * 0.35,
            escaped(whole)
        );
    }
    (2.0 * y, Html(out))
}

/// What is written above columns of one series: all of its figures or none, for one that is cut is another.
fn figures(chart: &Chart, slot: f64) -> Option<&[Point]> {
    let mut filled = chart.series.iter().filter(|series| series.mark == Mark::Filled);
    let (Some(only), None) = (filled.next(), filled.next()) else { return None };
    let has_room = |point: &Point| point.text.chars().count() as f64 * LETTER <= slot;
    (chart.shape == Shape::Column && only.points.iter().all(has_room)).then_some(&only.points)
}

/// Truncates a text. The table has all of it.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most.max(3)) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

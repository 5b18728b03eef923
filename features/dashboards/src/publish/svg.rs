//! Draws a published chart as SVG: no script, no style attribute, nothing that is loaded.

use super::document::{Category, Chart, Mark, Point, Series, Shape};
use super::html::{Html, escaped};
use std::f64::consts::TAU;
use widgets::{Format, Locale, write};

const WIDTH: f64 = 640.0;
/// Of charts whose categories stand side by side.
const HEIGHT: f64 = 280.0;
/// Room for what stands beside the axes.
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
/// Colours of the style sheet, `c0` and on.
pub(super) const COLORS: usize = 8;

/// The chart with this name for who does not see it.
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

/// Patterns that lie over colours, `p1` and on, so that parts can be told apart without them; the first part has none.
const PATTERNS: [&str; 7] = [
    "<rect width=\"2\" height=\"6\" transform=\"skewX(-45)\"/><rect x=\"6\" width=\"2\" height=\"6\" transform=\"skewX(-45)\"/>",
    "<circle cx=\"2\" cy=\"2\" r=\"1.3\"/>",
    "<rect width=\"6\" height=\"1.6\"/>",
    "<rect width=\"1.6\" height=\"6\"/>",
    "<rect width=\"2\" height=\"6\" transform=\"skewX(45)\"/><rect x=\"-6\" width=\"2\" height=\"6\" transform=\"skewX(45)\"/>",
    "<rect width=\"6\" height=\"1.2\"/><rect width=\"1.2\" height=\"6\"/>",
    "<rect width=\"3\" height=\"3\"/><rect x=\"3\" y=\"3\" width=\"3\" height=\"3\"/>",
];
/// How lines are dashed, so that they can be told apart without colours; the first is whole.
const DASHES: [&str; 6] = ["", "6 4", "2 3", "10 3 2 3", "14 4", "2 6"];

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

/// A shape of the `at`th of several parts: in its colour, with its pattern over it.
pub(super) fn part(shape: &str, paint: &str, at: usize) -> String {
    let pattern = match at % (PATTERNS.len() + 1) {
        0 => String::new(),
        number => format!("<{shape} fill=\"url(#p{number})\"/>"),
    };
    format!("<{shape} {paint}/>{pattern}")
}

/// How a line is drawn: its colour and its dashes, as attributes of what its path stands in and of the path.
pub(super) fn stroke(chart: &Chart, number: usize) -> (String, String) {
    let series = &chart.series[number];
    let before = chart.series[..number].iter().filter(|one| LINES.contains(&one.mark)).count();
    let dash = DASHES[if series.mark == Mark::Dashed { before.max(1) } else { before } % DASHES.len()];
    let dashes = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    let color = match &series.color {
        Some(color) => format!("class=\"line l-own\" color=\"{}\"", escaped(color)),
        None => format!("class=\"line l{}\"", number % COLORS),
    };
    (color, format!("fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"{dashes}"))
}

/// The colour of a part, as attributes.
pub(super) fn paint(color: Option<&str>, at: usize) -> String {
    match color {
        Some(color) => format!("fill=\"{}\"", escaped(color)),
        None => format!("class=\"c{}\"", at % COLORS),
    }
}

/// The colour of a mark: that of its series where there are several, else that of its category.
fn paint_of(chart: &Chart, series: &Series, at: usize, category: &Category) -> String {
    let is_only = chart.series.iter().filter(|one| one.mark == Mark::Filled).count() == 1;
    paint(series.color.as_deref().or(category.color.as_deref().filter(|_| is_only)), at)
}

/// Sums of what is larger than this, and steps between, may be beyond all numbers.
const DRAWN_MAX: f64 = 1e100;

/// A value that can be drawn; the table has the others too.
fn drawn(point: &Point) -> Option<f64> {
    point.value.filter(|value| value.abs() <= DRAWN_MAX)
}

/// Marks that are lines.
const LINES: &[Mark] = &[Mark::Line, Mark::Dashed];

/// The least and the greatest value that marks reach, zero among them.
fn reach(chart: &Chart) -> (f64, f64) {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for at in 0..chart.categories.len() {
        let values = |marks: &'static [Mark]| {
            let of = chart.series.iter().filter(move |series| marks.contains(&series.mark));
            of.filter_map(move |series| drawn(series.points.get(at)?))
        };
        let sum = |sign: f64| values(&[Mark::Filled]).filter(|value| value * sign > 0.0).sum::<f64>();
        low = values(LINES).fold(low.min(sum(-1.0)), f64::min);
        high = values(LINES).fold(high.max(sum(1.0)), f64::max);
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
    let is_tilted = count > LABELS_FLAT_MAX;
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
    for (at, category) in chart.categories.iter().enumerate() {
        let (mut up, mut down) = (0.0, 0.0);
        for (number, series) in chart.series.iter().enumerate().filter(|(_, series)| series.mark == Mark::Filled) {
            let Some(value) = series.points.get(at).and_then(drawn) else { continue };
            let base: &mut f64 = if value < 0.0 { &mut down } else { &mut up };
            let (from, to) = (y(*base), y(*base + value));
            *base += value;
            let (begin, end) = if category.hatched { ("<g class=\"now\">", "</g>") } else { ("", "") };
            let shape = format!(
                "rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"",
                middle(at) - slot * 0.35,
                from.min(to),
                slot * 0.7,
                (from - to).abs(),
            );
            let paint = paint_of(chart, series, number, category);
            out += &format!("{begin}{}{end}", part(&shape, &paint, number));
        }
        for series in chart.series.iter().filter(|series| series.mark == Mark::Written) {
            let Some(point) = series.points.get(at).filter(|point| point.value.is_some()) else { continue };
            let (x, y, text) = (middle(at), y(up) - 5.0, escaped(&point.text));
            out += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>");
        }
    }
    for number in (0..chart.series.len()).filter(|number| LINES.contains(&chart.series[*number].mark)) {
        out += &line(chart, number, &middle, &y);
    }
    let every = count.div_ceil(LABELS_MAX);
    let is_apart = |at: usize| chart.shape == Shape::Line && chart.categories.get(at).is_some_and(|one| one.apart);
    let is_named = |at: usize| is_apart(at) || at.is_multiple_of(every) && !(at..at + every).any(is_apart);
    for (at, category) in chart.categories.iter().enumerate().filter(|(at, _)| is_named(*at)) {
        let (x, y) = (middle(at), bottom + 18.0);
        let text = escaped(&short(&category.label, if is_tilted { 14 } else { (slot / 7.0) as usize }));
        out += &match is_tilted {
            true => format!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" transform=\"rotate(-40 {x:.1} {y:.1})\">{text}</text>"
            ),
            false => format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>"),
        };
    }
    (height, Html(out))
}

/// A line with its gaps, and a dot at each value.
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
            out += &part(&shape, &paint_of(chart, series, number, category), number);
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
        let paint = paint(category.color.as_deref(), at);
        let on = |turn: f64, radius: f64| {
            let angle = (turn - 0.25) * TAU;
            format!("{:.2} {:.2}", x + radius * angle.cos(), y + radius * angle.sin())
        };
        // A whole turn ends where it began, which draws nothing.
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
    (2.0 * y, Html(out))
}

/// So many characters of a text; the table has all of it.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most.max(3)) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

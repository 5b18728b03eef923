//! Writes a published document as one page of HTML that works by itself: text, charts as SVG with their tables, one style
//! sheet. Everything that comes from a board passes [`escaped`].

use super::document::{Category, Chart, Coverage, Document, Mark, Series, Shows, Tile};
use super::words::{counted, day};
use super::{looks, svg};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use kit::rfc3339;
use kit::text::is_turning;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::LazyLock;

const STYLE: &str = include_str!("page.css");

/// Markup, in which every text is escaped.
pub(super) struct Html(pub String);

/// Hash of the style sheet for the page's policy.
pub(super) static STYLE_HASH: LazyLock<String> = LazyLock::new(|| content_hash(STYLE));

/// Hash of a style sheet for policies.
pub(crate) fn content_hash(content: &str) -> String {
    format!("sha256-{}", BASE64.encode(Sha256::digest(content.as_bytes())))
}

/// Escapes text for content and attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            sign if is_turning(sign) => out.push('\u{fffd}'),
            sign => out.push(sign),
        }
    }
    out
}

/// The whole page. `published_ms` is None for a preview.
pub(super) fn page(document: &Document, published_ms: Option<i64>) -> String {
    let when = match published_ms.map(rfc3339) {
        Some(time) => format!(
            "<p class=\"when\">As of <time datetime=\"{time}\">{}, {} UTC</time>; this page doesn't update automatically.</p>",
            day(&time[..10], true),
            &time[11..16],
        ),
        None => String::new(),
    };
    let missing = match document.boards_missing {
        0 => String::new(),
        1 => "<p class=\"note\">1 connected board no longer exists. The results leave it out.</p>".to_owned(),
        count => format!("<p class=\"note\">{count} connected boards no longer exist. The results leave them out.</p>"),
    };
    let filters = match document.filters.as_deref() {
        None => String::new(),
        Some([]) => "<p class=\"note\">All items.</p>".to_owned(),
        Some(all) => format!("<p class=\"note\">Filtered: {}.</p>", escaped(&all.join("; "))),
    };
    let mut body = String::new();
    for (number, shown) in document.widgets.iter().enumerate() {
        body += &tile(number, shown).0;
    }
    if document.widgets.is_empty() {
        body += "<p>This dashboard is empty.</p>";
    }
    let (title, patterns) = (escaped(&document.title), svg::patterns().0);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><meta name=\"referrer\" content=\"no-referrer\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>{title}</title><style>{STYLE}</style></head>\
         <body><main><div class=\"page\">{patterns}<h1 dir=\"auto\">{title}</h1>{when}{filters}{missing}<div class=\"grid\">{body}</div></div></main></body></html>\n"
    )
}

fn tile(number: usize, tile: &Tile) -> Html {
    let Tile { x, w, h, .. } = tile;
    let mut out = format!(
        "<section class=\"tile x{x} w{w} h{h}\" aria-labelledby=\"t{number}\"><h2 id=\"t{number}\" dir=\"auto\">{}</h2>",
        escaped(&tile.title)
    );
    match &tile.shows {
        Shows::Nothing { words } => out += &format!("<p>{}</p>", escaped(words)),
        Shows::Figure { text, full } => {
            let (text, full) = (escaped(text), escaped(full));
            out += &format!(
                "<p class=\"figure\"><span aria-hidden=\"true\" title=\"{full}\">{text}</span><span class=\"sr\">{full}</span></p>"
            );
        }
        Shows::App { origin } => {
            let whose = match origin {
                Some(origin) => format!("Third-party page from <bdi>{}</bdi>", escaped(origin)),
                None => "Page on the publisher's computer".to_owned(),
            };
            out += &format!("<p>{whose}. Shown only in Pilothouse.</p>");
        }
        Shows::Chart(chart) => {
            out += &svg::chart(chart, &tile.title).0;
            out += &legend(chart).0;
            out += &table(chart, &tile.title).0;
        }
    }
    for note in &tile.notes {
        let _ = write!(out, "<p class=\"note\">{}</p>", escaped(note));
    }
    // Widgets without boards have no coverage.
    if tile.coverage.boards_total > 0 {
        let _ = write!(out, "<p class=\"note\">{}</p>", escaped(&covered(&tile.coverage)));
    }
    out += "</section>";
    Html(out)
}

fn covered(coverage: &Coverage) -> String {
    let Coverage { boards_used, boards_total, items_used, items_skipped, .. } = coverage;
    let boards = match boards_used == boards_total {
        true => counted(*boards_used as u64, "board"),
        false => format!("{boards_used} of {}", counted(*boards_total as u64, "board")),
    };
    let items = match items_skipped {
        0 => counted(*items_used, "item"),
        skipped => format!("{items_used} of {}", counted(items_used + skipped, "item")),
    };
    format!("{items} used, {boards}.")
}

/// The legend, with the numbers of a pie.
fn legend(chart: &Chart) -> Html {
    let entry = |swatch: String, words: String| {
        let (class, width) = if swatch.starts_with("<g") { ("swatch long", 28) } else { ("swatch", 10) };
        format!("<li><svg class=\"{class}\" viewBox=\"0 0 {width} 10\" aria-hidden=\"true\">{swatch}</svg>{words}</li>")
    };
    let square = |paint: String, at: usize| svg::part("rect width=\"10\" height=\"10\"", &paint, at);
    let of_category = |(at, category): (usize, &Category)| {
        let number = chart.series.first().and_then(|series| series.points.get(at)).map_or("", |point| &point.text);
        let percent = category.percent.map(|percent| format!(" ({percent}%)")).unwrap_or_default();
        let swatch = square(svg::paint_slice(category, at), at);
        entry(swatch, format!("<bdi>{}</bdi>: {}{percent}", escaped(&category.label), escaped(number)))
    };
    let of_series = |(at, series): (usize, &Series)| {
        let swatch = match series.mark {
            Mark::Filled => square(svg::paint(svg::color_of(chart, at)), at),
            Mark::Behind => "<rect width=\"10\" height=\"10\" class=\"behind\"/>".to_owned(),
            Mark::Line | Mark::Dashed | Mark::Step => {
                let (color, stroke) = svg::stroke(chart, at);
                format!("<g {color}><path d=\"M0 5h28\" {stroke}/></g>")
            }
            Mark::Written => return String::new(),
        };
        entry(swatch, format!("<bdi>{}</bdi>", escaped(&series.label)))
    };
    let entries: String = match chart.shape {
        shape if shape.is_round() => chart.categories.iter().enumerate().map(of_category).collect(),
        _ if chart.series.len() > 1 => {
            let under_way = square(svg::paint(Some(looks::COMPLETED)), svg::ACTIVE);
            let under_way =
                chart.categories.iter().any(|one| one.hatched).then(|| entry(under_way, "Active sprint".into()));
            chart.series.iter().enumerate().map(of_series).chain(under_way).collect()
        }
        _ => return Html(String::new()),
    };
    Html(format!("<ul class=\"legend\">{entries}</ul>"))
}

/// The chart's exact numbers as a table.
fn table(chart: &Chart, title: &str) -> Html {
    let title = escaped(title);
    let mut out = format!(
        "<details><summary>Show as table<span class=\"sr\">: {title}</span></summary><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{title}, table\">\
         <table><thead><tr><th scope=\"col\">{}</th>",
        escaped(&chart.axis)
    );
    for series in &chart.series {
        let label = if series.label.is_empty() { "Value" } else { &series.label };
        let _ = write!(out, "<th scope=\"col\" dir=\"auto\">{}</th>", escaped(label));
    }
    out += "</tr></thead><tbody>";
    for (at, category) in chart.categories.iter().enumerate() {
        let _ = write!(out, "<tr><th scope=\"row\" dir=\"auto\">{}</th>", escaped(&category.label));
        for series in &chart.series {
            let text = series.points.get(at).filter(|point| point.value.is_some()).map_or("—", |point| &point.text);
            let _ = write!(out, "<td>{}</td>", escaped(text));
        }
        out += "</tr>";
    }
    out += "</tbody></table></div></details>";
    Html(out)
}

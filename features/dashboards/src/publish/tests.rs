//! What leaves and what does not, and the page made of it; answers of the engine are written out here.

use super::Publications;
use super::document::{Computed, Holds, LeftOut, Made, Named, Shows, Why, document};
use super::html;
use crate::tests::show::{widget, with_boards};
use events::{Event, HasEvents};
use kit::lookup::{BoardData, Boards, Members};
use kit::{Caller, Ctx, Kind};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::HasDb;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};
use widgets::widgets::{Cols, Coverage, Fixed, Skipped, State, Told, WidgetAnswer};

/// What no reader may see: identifiers, keys, and members that the list does not name.
const KEPT: &str = "KEPT-BACK";
/// Markup that would do something where it is not escaped.
const MARKUP: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>&\u{202e}";

fn answer(kind: &str, result: Value) -> WidgetAnswer {
    let skipped = Skipped { reason: "unmapped", items: None, boards: vec![KEPT.into()] };
    WidgetAnswer {
        fixed: Arc::new(Fixed {
            id: KEPT.into(),
            kind: kind.into(),
            settings: Some(json!({"more": KEPT})),
            roles: Vec::new(),
            cols: ["x", "sprint"]
                .map(|role| (role.to_owned(), [("b1".to_owned(), vec!["c1".to_owned()])].into()))
                .into(),
        }),
        told: None,
        state: State::Ok,
        result: Told::of(&result),
        coverage: Coverage {
            boards_used: 1,
            boards_total: 2,
            items_used: 5,
            items_skipped: 1,
            items_total: 9,
            skipped_why: vec![skipped],
            ..Coverage::default()
        },
        approximate: false,
        reasons: vec![KEPT.into()],
    }
}

/// The answer with a result that differs in something.
fn but(mut answer: WidgetAnswer, change: impl FnOnce(&mut Value)) -> WidgetAnswer {
    let mut result = answer.result.map(|told| told.value()).unwrap_or_default();
    change(&mut result);
    answer.result = Told::of(&result);
    answer
}

fn chart_of(labels: &[&str]) -> WidgetAnswer {
    let category = |label: &&str| json!({"key": format!("{KEPT} {label}"), "label": label, "kind": "value", "color": "#E8A33D", "more": KEPT});
    let categories: Vec<Value> = labels.iter().map(category).collect();
    let series = json!([{
        "key": KEPT, "label": "", "values": vec![2; labels.len()], "items": vec![2; labels.len()],
        "texts": vec!["2"; labels.len()], "fulls": vec!["2"; labels.len()], "itemIds": [KEPT],
    }]);
    answer(
        "chart",
        json!({"variant": "column", "function": "count", "categories": categories, "series": series, "rows": [KEPT], "format": {}, "footnotes": []}),
    )
}

fn velocity(label: &str) -> WidgetAnswer {
    let written = |value: f64| json!({"value": value, "text": value.to_string(), "full": value.to_string()});
    let sprint = json!({"key": KEPT, "label": label, "phase": "active", "completed": written(3.0), "scope": written(8.0), "items": 4});
    let board = json!({"id": KEPT, "name": label, "completed": [written(3.0)]});
    answer(
        "velocity",
        json!({"sprints": [sprint], "boards": [board], "average": {"text": "—", "full": "—"}, "averageOf": [KEPT], "footnotes": [{"code": "no-effort", "items": 1}]}),
    )
}

fn planned(label: &str) -> WidgetAnswer {
    let written = json!({"value": 1.0, "text": "1", "full": "1"});
    let mut sprint = json!({"key": KEPT, "label": label, "phase": "closed"});
    for class in ["plannedOpen", "unplannedOpen", "unknownOpen", "plannedDone", "unplannedDone", "unknownDone"] {
        sprint[class] = written.clone();
    }
    sprint["unplannedPercent"] = json!({"value": 50.0, "text": "50 %", "full": "50 %"});
    answer("planned", json!({"sprints": [sprint], "footnotes": []}))
}

fn burndown(label: &str) -> WidgetAnswer {
    let written = |value: f64| json!({"value": value, "text": value.to_string(), "full": value.to_string()});
    let day = |day: Option<&str>, left: f64| json!({"day": day, "scope": written(10.0), "remaining": written(left)});
    let ideal = json!([{"value": 10.0}, {"day": "2026-03-02", "value": 5.0}, {"day": "2026-03-03", "value": 0.0}]);
    let sprint = json!({"key": KEPT, "label": label, "from": "2026-03-02", "to": "2026-03-03", "phase": "active"});
    let mut answer = answer(
        "burndown",
        json!({"sprint": sprint, "sprints": [{"key": KEPT, "label": KEPT}], "days": [day(None, 10.0), day(Some("2026-03-02"), 7.0)], "ideal": ideal, "remaining": written(7.0), "projection": {"day": "2026-03-04"}, "footnotes": []}),
    );
    answer.approximate = true;
    answer.reasons = vec!["no-history".into()];
    answer
}

fn battery(label: &str) -> WidgetAnswer {
    let segment = json!({"key": KEPT, "label": label, "kind": "value", "color": "red\" onload=\"x", "value": 2.5, "items": 3, "percent": 40});
    answer("battery", json!({"segments": [segment], "donePercent": 40, "total": 5, "footnotes": []}))
}

fn numbers(text: &str) -> WidgetAnswer {
    answer("numbers", json!({"value": 1234.0, "text": text, "full": text, "format": {"unit": KEPT}}))
}

const NOTHING: Named = Named { names: false, texts: false };
const EVERYTHING: Named = Named { names: true, texts: true };

/// The document of these answers; the charts' column is of this type.
fn made(answers: &[WidgetAnswer], config: Value, named: Named, column_type: &str) -> Made {
    let layout = json!({"x": 3, "y": 0, "w": 40, "h": 5});
    let of = |answer| Computed { title: MARKUP, config: &config, layout: &layout, answer };
    let computed: Vec<_> = answers.iter().map(of).collect();
    document(MARKUP, 0, &computed, named, &|_, _| Some(column_type.to_owned()))
}

fn every_kind(label: &str) -> Vec<WidgetAnswer> {
    vec![numbers(label), chart_of(&[label]), velocity(label), planned(label), burndown(label), battery(label)]
}

#[test]
fn nothing_leaves_that_the_list_does_not_name() {
    let made = made(&every_kind("Label"), json!({}), EVERYTHING, "status");
    assert_eq!((made.document.widgets.len(), made.left_out.len()), (6, 0));
    let (text, page) = (json!(made.document).to_string(), html::page(&made.document, Some(0)));
    assert!(!text.contains(KEPT) && !page.contains(KEPT), "{text}");
    assert!(text.contains("\"label\":\"Label\""));
    assert!(page.contains("\">Jan 1, 1970, 00:00 UTC</time>"), "{page}");
    let tile = &made.document.widgets[0];
    assert_eq!((tile.x, tile.w, tile.h), (3, 9, 5), "it stays on the grid");
    assert_eq!(
        json!(tile.coverage),
        json!({"boardsUsed": 1, "boardsTotal": 2, "itemsUsed": 5, "itemsSkipped": 1, "approximate": false})
    );
}

#[test]
fn a_page_of_somebody_elses_is_named_by_its_origin_and_one_of_this_computer_not_at_all() {
    let app = |origin: &str, local: bool| {
        let told = json!({"address": format!("{origin}/{KEPT}"), "origin": origin, "isLocal": local});
        WidgetAnswer { coverage: Coverage::default(), ..answer("apps", told) }
    };
    let made = made(
        &[app("https://apps.example", false), app("http://localhost:3000", true)],
        json!({}),
        EVERYTHING,
        "status",
    );
    assert_eq!((made.document.widgets.len(), made.left_out.len(), made.holds.len()), (2, 0, 0));
    let (text, page) = (json!(made.document).to_string(), html::page(&made.document, None));
    assert!(!text.contains(KEPT) && !text.contains("localhost") && !page.contains("localhost"), "{text}");
    assert!(page.contains("<p>A page of <bdi>https://apps.example</bdi>: shown only in the program.</p>"), "{page}");
    assert!(page.contains("<p>A page of the computer that this was published on: shown only in the program.</p>"));
    assert!(!page.contains("iframe") && !page.contains("0 boards"));
}

#[test]
fn a_divided_figure_says_by_what() {
    let divided = answer("numbers", json!({"value": 5.0, "text": "5", "full": "5", "per": 2, "format": {}}));
    let mut undivided = numbers("—");
    (undivided.state, undivided.reasons) = (State::NoValues, vec!["none-met".into()]);
    let document = serde_json::to_value(made(&[divided, undivided], json!({}), EVERYTHING, "status").document).unwrap();
    let widgets = document["widgets"].to_string();
    for words in ["Divided by the 2 items that meet its rules.", "No item meets the rules that it is divided by."] {
        assert!(widgets.contains(words), "{words} in {widgets}");
    }
}

#[test]
fn items_themselves_inert_rules_and_what_has_no_result_stay() {
    let inert = widgets::InertRule::new(KEPT, "deleted-label");
    let mut with_inert = numbers("1");
    with_inert.coverage.inert_rules.push(inert);
    let mut broken = numbers("1");
    broken.state = State::Error { boards: vec![KEPT.into()], message: Some(KEPT.into()) };
    let table = answer("table", json!({"columns": [], "rows": [{"name": KEPT}]}));
    let unknown = answer("gantt", json!({"text": KEPT}));
    let made = made(&[table, with_inert, broken, unknown], json!({}), EVERYTHING, "status");
    assert_eq!(made.document.widgets, []);
    let why: Vec<Why> = made.left_out.iter().map(|LeftOut { why, .. }| *why).collect();
    assert_eq!(why, [Why::ShowsItems, Why::InertRule, Why::NoResult, Why::NoResult]);
}

#[test]
fn people_are_named_only_where_that_is_asked_for() {
    let labels = |made: Made| match &made.document.widgets[0].shows {
        Shows::Chart(chart) => chart.categories.iter().map(|category| category.label.clone()).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let people = [chart_of(&["Ada", "Grace"])];
    for hidden in ["people", "createdBy", "updatedBy", "of a later version"] {
        let made = made(&people, json!({}), NOTHING, hidden);
        assert_eq!(made.holds, [Holds::PeopleNames].into());
        let text = json!(made.document).to_string();
        assert!(!text.contains("Ada") && !text.contains("e8a33d"), "{text}");
        assert_eq!(labels(made), ["Person 1", "Person 2"], "{hidden}");
    }
    let (config, layout, mut unknown) = (json!({}), json!({}), people[0].clone());
    unknown.fixed = Arc::new(Fixed { cols: Cols::new(), ..Fixed::clone(&unknown.fixed) });
    let of = |answer| Computed { title: "", config: &config, layout: &layout, answer };
    assert_eq!(
        labels(document("", 0, &[of(&unknown)], NOTHING, &|_, _| None)),
        ["Person 1", "Person 2"],
        "no column is known"
    );
    assert_eq!(labels(made(&people, json!({}), EVERYTHING, "people")), ["Ada", "Grace"]);
    assert_eq!(labels(made(&people, json!({}), NOTHING, "status")), ["Ada", "Grace"]);
}

#[test]
fn names_of_items_and_texts_of_cells_leave_only_where_that_is_asked_for() {
    let by_name = json!({"x": {"by": "name"}});
    let two =
        || but(chart_of(&["Plan A", "Plan B", "(empty)"]), |result| result["categories"][2]["kind"] = json!("empty"));
    let said = |made: &Made| json!(made.document).to_string();
    for (config, column_type, instead) in [
        (&by_name, "status", "Item"),
        (&json!({}), "itemLink", "Item"),
        (&json!({}), "text", "Text"),
        (&json!({}), "longText", "Text"),
        (&json!({}), "link", "Text"),
        (&json!({}), "email", "Text"),
        (&json!({}), "phone", "Text"),
    ] {
        // In another widget the same one has the same number. That people are named changes nothing.
        let of = |named| made(&[two(), chart_of(&["Plan B"])], config.clone(), named, column_type);
        let hidden = of(Named { names: true, texts: false });
        let labels = |made: &Made, at: usize| match &made.document.widgets[at].shows {
            Shows::Chart(chart) => chart.categories.iter().map(|one| one.label.clone()).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert!(!said(&hidden).contains("Plan"), "{column_type}");
        assert_eq!(labels(&hidden, 0), [format!("{instead} 1"), format!("{instead} 2"), "(empty)".into()]);
        assert_eq!(labels(&hidden, 1), [format!("{instead} 2")]);
        assert_eq!(labels(&of(Named { names: false, texts: true }), 0), ["Plan A", "Plan B", "(empty)"]);
    }
    // Of sprints that are linked items, or texts.
    for (column_type, instead) in [("itemLink", "Item 1"), ("text", "Text 1")] {
        let of =
            |config, named| made(&[velocity("Plan"), planned("Plan"), burndown("Plan")], config, named, column_type);
        let hidden = of(json!({}), NOTHING);
        let text = said(&hidden).replace("\"label\":\"Plan\",\"mark\"", "the board").replace("Planned", "");
        assert!(!text.contains("Plan") && text.matches(instead).count() == 3, "{text}");
        assert!(said(&of(json!({}), EVERYTHING)).contains("Plan (active), Mar 2, 2026 to"));
        assert!(said(&of(json!({"sprintBy": "group"}), NOTHING)).contains("Plan (active), Mar 2, 2026 to"));
    }
    assert!(said(&made(&[burndown("Plan")], json!({}), NOTHING, "sprint")).contains("Plan (active), Mar 2, 2026 to"));
}

#[test]
fn what_of_the_boards_is_named_is_said() {
    for (config, column_type, holds) in [
        (json!({}), "status", vec![Holds::Labels]),
        (json!({}), "text", vec![Holds::CellTexts]),
        (json!({}), "itemLink", vec![Holds::ItemNames]),
        (json!({}), "date", vec![]),
        (json!({"x": {"by": "name"}}), "status", vec![Holds::ItemNames]),
        (json!({"x": {"by": "board"}}), "status", vec![Holds::BoardNames]),
        (json!({"x": {"by": "group"}}), "status", vec![Holds::GroupNames]),
        (json!({"x": {"by": "created"}}), "status", vec![]),
    ] {
        let made = made(&[chart_of(&["L"])], config.clone(), NOTHING, column_type);
        assert_eq!(made.holds.into_iter().collect::<Vec<_>>(), holds, "{config} {column_type}");
    }
    for (column_type, more) in
        [("sprint", None), ("status", None), ("text", Some(Holds::CellTexts)), ("itemLink", Some(Holds::ItemNames))]
    {
        let holds = [Holds::BoardNames, Holds::SprintNames].into_iter().chain(more).collect();
        assert_eq!(made(&[velocity("S")], json!({}), NOTHING, column_type).holds, holds, "{column_type}");
    }
}

#[test]
fn markup_in_every_text_is_text() {
    let made = made(&every_kind(MARKUP), json!({}), EVERYTHING, "status");
    assert_eq!(made.document.widgets.len(), 6);
    let page = html::page(&made.document, Some(0));
    let tags: std::collections::BTreeSet<&str> = page
        .split('<')
        .skip(1)
        .map(|rest| rest.split([' ', '>']).next().unwrap_or_default().trim_start_matches('/'))
        .collect();
    let ours = [
        "!doctype", "bdi", "body", "circle", "defs", "details", "div", "g", "h1", "h2", "head", "html", "li", "line",
        "main", "meta", "p", "path", "pattern", "rect", "section", "span", "style", "summary", "svg", "table", "tbody",
        "td", "text", "th", "thead", "time", "title", "tr", "ul",
    ];
    assert_eq!(tags.into_iter().filter(|tag| !ours.contains(tag)).collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(page.contains("&lt;script&gt;") && !page.contains("alert(2)>") && !page.contains('\u{202e}'));
    // Nothing on the page says how it looks or what it does by an attribute.
    assert!(!page.contains(" style=") && !page.contains("onload=\"") && !page.contains("href"));
}

#[test]
fn each_chart_has_its_numbers_as_a_table_too() {
    let made = made(&[burndown("Sprint 5")], json!({}), NOTHING, "status");
    let page = html::page(&made.document, None);
    assert!(page.contains("<th scope=\"col\">Day</th><th scope=\"col\" dir=\"auto\">Remaining</th>"), "{page}");
    assert!(page.contains("<th scope=\"row\" dir=\"auto\">Mar 2, 2026</th><td>7</td><td>10</td><td>5</td>"), "{page}");
    assert!(page.contains("<th scope=\"row\" dir=\"auto\">Mar 3, 2026</th><td>—</td><td>—</td><td>0</td>"), "{page}");
    let said = "Sprint 5 (active), Mar 2, 2026 to Mar 3, 2026, 7 left, at this pace done on Mar 4, 2026.";
    assert!(page.contains(said) && page.contains("without a record of earlier days"), "{page}");
}

/// What stands between a text and the next of another, as often as there is one.
fn between<'a>(page: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    page.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

fn page_of(answer: WidgetAnswer, column_type: &str) -> String {
    html::page(&made(&[answer], json!({}), NOTHING, column_type).document, None)
}

#[test]
fn a_velocity_is_drawn_as_on_its_dashboard() {
    let alone = but(velocity("S"), |result| {
        result["boards"] = json!(null);
        result["average"] = json!({"value": 4.0, "text": "4", "full": "4"});
        result["averageOf"] = json!(["a", "b"]);
    });
    let page = page_of(alone.clone(), "sprint");
    // One sprint has its scope around it, and no lines lead from one to the next.
    assert_eq!((page.matches("class=\"behind\"").count(), page.matches("<path").count()), (2, 0), "{page}");
    assert_eq!(page.matches("class=\"here\"").count(), 1, "the average");
    assert_eq!(between(&page, "<bdi>", "</bdi>"), ["Completed", "Scope (today)"]);
    assert!(
        page.contains("Active sprint</li>") && page.contains(">S (active)</th>") && page.contains(">3</text>"),
        "{page}"
    );
    assert_eq!((page.matches("fill=\"url(#p1)\"").count(), page.matches("fill=\"#2f9e77\"").count()), (2, 3));
    let closed = but(alone, |result| result["sprints"][0]["phase"] = json!("closed"));
    assert!(!page_of(closed, "sprint").contains("url("), "what is over is whole");
    // Of several boards: each its colour, and what they come to.
    let boards = page_of(velocity("Board"), "sprint");
    assert_eq!(between(&boards, "<bdi>", "</bdi>"), ["Board", "Scope (today)"]);
    assert!(boards.contains("fill=\"#5b72d6\"") && boards.contains("\"auto\">Completed</th>"), "{boards}");
}

#[test]
fn a_burndown_has_a_scope_by_steps_and_marks_today() {
    let longer = but(burndown("S"), |result| {
        let day = |day: &str, scope: f64| json!({"day": day, "scope": {"value": scope, "full": "s"}, "remaining": {"value": 1.0, "full": "r"}});
        result["days"] = json!([day("2026-03-02", 10.0), day("2026-03-03", 12.0)]);
    });
    let page = page_of(longer, "sprint");
    let lines = between(&page, " d=\"M", "\"");
    let (steps, sloped): (Vec<&str>, Vec<&str>) = lines.into_iter().partition(|line| line.contains('H'));
    assert_eq!(
        (steps.len(), steps[0].matches('L').count(), sloped.iter().filter(|line| line.contains('L')).count()),
        (1, 1, 2),
        "{page}"
    );
    assert_eq!(page.matches(">Today</text>").count(), 1);
    for (color, dash) in
        [("#5b72d6", ""), ("#d98324", " stroke-dasharray=\"2 3\""), ("#7f8ba3", " stroke-dasharray=\"6 4\"")]
    {
        let line = between(&page, &format!("<g class=\"line\" color=\"{color}\">"), "</g>");
        assert!(
            line.len() == 2 && line.iter().all(|one| one.contains(&format!("stroke-width=\"2\"{dash}/>"))),
            "{color}: {line:?}"
        );
    }
}

#[test]
fn planned_and_unplanned_have_the_colours_of_the_page() {
    let page = page_of(planned("S"), "sprint");
    let of_legend = between(&page, "<li>", "</li>");
    let colors: Vec<(&str, &str)> =
        of_legend.iter().map(|entry| (between(entry, "fill=\"", "\"")[0], between(entry, "<bdi>", ",")[0])).collect();
    let (blue, orange, grey) = (("#5b72d6", "Planned"), ("#d98324", "Unplanned"), ("#7f8ba3", "Unknown"));
    assert_eq!(colors, [blue, blue, orange, orange, grey, grey]);
}

#[test]
fn a_donut_has_its_total_in_the_middle_and_its_shares_beside_it() {
    let round = |variant: &str| {
        page_of(
            but(chart_of(&["A", "B"]), |result| {
                result["variant"] = json!(variant);
                (result["total"], result["percents"]) = (json!(12_345), json!([50, 50]));
            }),
            "status",
        )
    };
    assert_eq!(between(&round("donut"), "<text class=\"whole\"", "</text>").len(), 1);
    assert!(round("donut").contains(">12.3K</text>") && !round("pie").contains("class=\"whole\""));
    assert!(round("pie").contains("<bdi>A</bdi>: 2 (50%)"));
}

#[test]
fn days_along_an_axis_are_written_whole() {
    let days: Vec<String> = (1..=28).map(|day| format!("2026-11-{day:02}")).collect();
    let line = but(chart_of(&days.iter().map(String::as_str).collect::<Vec<_>>()), |result| {
        (result["variant"], result["bucket"]) = (json!("line"), json!("day"));
    });
    let page = page_of(line.clone(), "date");
    let labels = between(&page, "text-anchor=\"middle\">", "</text>");
    assert_eq!((labels[0], labels[1]), ("Nov 1", "Nov 4"), "as many as there is room for: {labels:?}");
    assert!(page.contains("dir=\"auto\">Nov 28, 2026</th>") && !page.contains("2026-11-"), "{page}");
    // So is what has no date, in columns too.
    for variant in ["line", "column"] {
        let with_empty = but(line.clone(), |result| {
            result["variant"] = json!(variant);
            (result["categories"][27]["label"], result["categories"][27]["kind"]) = (json!("(empty)"), json!("empty"));
        });
        assert!(page_of(with_empty, "date").contains(">(empty)</text>"), "{variant}");
    }
}

#[test]
fn each_state_without_values_has_the_words_of_the_page() {
    let words = |state: State, reasons: &[&str]| {
        let mut answer = chart_of(&["L"]);
        (answer.state, answer.reasons) = (state, reasons.iter().map(|code| (*code).to_owned()).collect());
        match &made(&[answer], json!({}), NOTHING, "status").document.widgets[0].shows {
            Shows::Nothing { words } => words.clone(),
            other => panic!("{other:?}"),
        }
    };
    let none = |reasons: &[&str]| words(State::NoValues, reasons);
    assert_eq!(none(&["mixed-units", "negative-pie"]), "A pie cannot show values below zero.");
    assert_eq!(none(&["sprint-gone"]), "The sprint that was chosen is not there any more.");
    assert_eq!(none(&[]), "6 items, but none has a value in this column.");
    assert_eq!(words(State::AllFiltered { total: 1 }, &[]), "0 of 1 item match the filters.");
    assert_eq!(words(State::AllFiltered { total: 9 }, &["own-rules"]), "0 of 9 items match the rules of this widget.");
    assert_eq!(words(State::NoItems, &[]), "There are no items yet.");
}

#[test]
fn parts_are_told_apart_without_their_colours() {
    let page_of =
        |answer: WidgetAnswer, config: Value| html::page(&made(&[answer], config, NOTHING, "status").document, None);
    let pie = but(chart_of(&["A", "B", "C"]), |result| result["variant"] = json!("pie"));
    let stacked = but(chart_of(&["A"]), |result| {
        let one = result["series"][0].clone();
        result["series"] = json!([one, one, one]);
    });
    let lines = but(stacked.clone(), |result| result["variant"] = json!("line"));
    let stack = json!({"z": {"by": "column"}});
    // Each pattern in the chart and in its legend.
    for (page, parts) in [
        (page_of(pie, json!({})), ["url(#p1)", "url(#p2)"]),
        (page_of(stacked.clone(), stack.clone()), ["url(#p1)", "url(#p2)"]),
        (page_of(planned("S"), json!({})), ["url(#p1)", "url(#p3)"]),
        (page_of(lines, stack), ["stroke-dasharray=\"6 4\"", "stroke-dasharray=\"2 3\""]),
        (page_of(burndown("S"), json!({})), ["stroke-dasharray=\"6 4\"", "stroke-dasharray=\"2 3\""]),
    ] {
        assert_eq!(parts.map(|part| page.matches(part).count()), [2, 2], "{page}");
    }
    // Columns of one series have their names below them.
    assert!(!page_of(chart_of(&["A", "B"]), json!({})).contains("url("));
}

#[test]
fn a_line_ends_at_its_last_date_and_those_without_one_stand_apart() {
    let labels: Vec<String> = (1..=20).map(|day| format!("2026-11-{day:02}")).chain(["(empty)".into()]).collect();
    let line = but(chart_of(&labels.iter().map(String::as_str).collect::<Vec<_>>()), |result| {
        result["variant"] = json!("line");
        result["categories"][20]["kind"] = json!("empty");
    });
    let page = html::page(&made(&[line], json!({}), NOTHING, "date").document, None);
    let path = page.split("<path d=\"M").nth(1).and_then(|path| path.split('"').next()).unwrap();
    let pieces: Vec<usize> = path.split('M').map(|piece| piece.matches('L').count()).collect();
    assert_eq!(pieces, [19, 0], "{path}");
    // Of so many names every other one is left out, this one never.
    assert_eq!(page.matches(">(empty)</text>").count(), 1, "{page}");
}

#[test]
fn an_average_says_of_how_many_sprints_it_is() {
    let of = |sprints: &[&str]| {
        let answer = but(velocity("Sprint 5"), |result| {
            result["average"] = json!({"value": 3, "text": "3", "full": "3"});
            result["averageOf"] = json!(sprints);
        });
        made(&[answer], json!({}), NOTHING, "status").document.widgets[0].notes[0].clone()
    };
    assert_eq!(of(&["a"]), "3 on average of the last closed sprint with a scope.");
    assert_eq!(of(&["a", "b"]), "3 on average of the last 2 closed sprints with a scope.");
}

#[test]
fn a_sprints_unplanned_share_is_written_above_it_and_in_the_table() {
    let made = made(&[planned("Sprint 5")], json!({}), NOTHING, "status");
    let page = html::page(&made.document, None);
    assert_eq!(page.matches(">50 %<").count(), 2, "{page}");
    assert!(page.contains("Above each sprint: the share of it that was unplanned."));
    assert!(page.contains("<th scope=\"col\" dir=\"auto\">Unplanned share</th></tr>"), "{page}");
}

#[test]
fn a_filter_that_reaches_only_some_boards_is_said() {
    let reach = |rule: &str, boards, of| widgets::Reach { rule: rule.into(), boards, of, own: false, singles: false };
    let mut figure = numbers("7");
    figure.coverage.reach = vec![reach(KEPT, 3, 4), reach("again", 3, 4), reach("people", 1, 4), reach("whole", 4, 4)];
    figure.coverage.reach.push(widgets::Reach { singles: true, ..reach("share", 2, 4) });
    figure.coverage.labels = vec![widgets::LabelReach { label: KEPT.into(), boards: 1, of: 3 }];
    let made = made(&[figure], json!({}), NOTHING, "status");
    let told = [
        "A filter names a label that 1 of the 3 boards that it reaches knows.",
        "A filter reaches 3 of 4 boards; all items of the others are in it.",
        "A rule of the widget reaches 2 of 4 boards; no item of the others meets it.",
        "The choice of people reaches 1 of 4 boards; all items of the others are in it.",
    ];
    assert_eq!(made.document.widgets[0].notes, told);
}

#[test]
fn odd_numbers_are_drawn() {
    for values in [
        json!([]),
        json!([null, null]),
        json!([0, 0]),
        json!([-3, 2]),
        json!([1e300, 1e-300]),
        json!([1.7e308, 5]),
        json!([-1.7e308]),
        json!([5e-324]),
        json!([5]),
    ] {
        for variant in ["column", "bar", "line", "pie", "donut"] {
            let mut answer = chart_of(&vec!["L"; values.as_array().unwrap().len()]);
            let mut result = answer.result.as_ref().unwrap().value();
            result["variant"] = json!(variant);
            result["series"][0]["values"] = values.clone();
            answer.result = Told::of(&result);
            let page = html::page(&made(&[answer], json!({}), NOTHING, "status").document, None);
            assert!(!page.contains("NaN") && !page.contains("inf"), "{variant} {values}: {page}");
        }
    }
}

#[test]
fn the_style_sheet_is_known_by_its_hash() {
    // What a browser computes of the element's text is what the policy names: e2e sees the page dressed.
    assert!(html::STYLE_HASH.starts_with("sha256-") && html::STYLE_HASH.len() == 51 && html::STYLE_HASH.ends_with('='));
}

/// A door that opens, or does not.
struct Door(Mutex<Result<String, String>>);

impl super::OpensPublicDoor for Arc<Door> {
    fn open(&self) -> futures_core::future::BoxFuture<'static, Result<String, String>> {
        Box::pin(std::future::ready(self.0.lock().unwrap().clone()))
    }
}

const ORIGIN: &str = "http://127.0.0.1:19520/p/";

/// A program with a dashboard of two boards; its id, and the door.
async fn with_dashboard() -> (Program, String, Arc<Door>) {
    let program = with_boards().await;
    let door = Arc::new(Door(Mutex::new(Ok(ORIGIN.into()))));
    program.ctx.provide(Arc::new(super::PublicDoor(Box::new(door.clone()))));
    let widgets = json!([
        widget("n", "numbers", json!({"function": "count"})),
        widget("b", "chart", json!({"x": {"by": "board"}})),
        widget("t", "table", json!({})),
    ]);
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": widgets});
    let create = json!({"workspaceId": "w1", "name": "Team", "config": config});
    let dashboard = program.owner("dashboards.create", create).await.unwrap();
    let id = dashboard["id"].as_str().unwrap().to_owned();
    (program, id, door)
}

async fn ask(program: &Program, verb: &str, id: &str, more: Value) -> kit::Result<Value> {
    let mut input = json!({"dashboardId": id});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    program.owner(&format!("dashboards.publication.{verb}"), input).await
}

fn seen(ctx: &Ctx, publication: &Value) -> Option<String> {
    let address = publication["address"].as_str()?.strip_prefix(ORIGIN)?;
    let page = ctx.service::<Publications>().page(address, ctx.now_ms())?;
    Some(String::from_utf8(page.html.to_vec()).unwrap())
}

#[tokio::test]
async fn what_was_previewed_is_published_and_stays_as_it_is_until_it_is_published_again() {
    let (program, id, _) = with_dashboard().await;
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!(preview["leftOut"], json!([{"title": "Table", "why": "shows-items"}]));
    assert_eq!(preview["holds"], json!(["board-names"]));
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap()["published"], false);
    let published = ask(&program, "publish", &id, json!({"digest": preview["digest"]})).await.unwrap();
    let page = seen(&program.ctx, &published).unwrap();
    // The same page, but for when it was published.
    let told = page.split_once("<p class=\"when\">").unwrap();
    let without = format!("{}{}", told.0, told.1.split_once("</p>").unwrap().1);
    assert_eq!(without, preview["html"].as_str().unwrap());
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap(), published);

    let renamed = json!({"dashboardId": id, "name": "Renamed"});
    program.owner("dashboards.update", renamed).await.unwrap();
    assert_eq!(seen(&program.ctx, &published).unwrap(), page, "the page does not follow the draft");
    let stale = ask(&program, "publish", &id, json!({"digest": preview["digest"]})).await;
    refused(stale, "preview-stale");
    let again = ask(&program, "publish", &id, json!({})).await.unwrap();
    assert_eq!(again["address"], published["address"]);
    assert!(seen(&program.ctx, &again).unwrap().contains("<h1 dir=\"auto\">Renamed</h1>"));
}

#[tokio::test]
async fn no_text_of_a_board_leaves_unless_it_is_ticked_and_the_tick_is_kept() {
    let (program, id, door) = with_dashboard().await;
    let notes = |role: &str| json!({role: {"alpha": ["alpha-t"], "beta": ["beta-t"]}});
    let chart = |id: &str, variant: &str, by: &str| {
        widget(id, "chart", json!({"variant": variant, "x": {"by": by}, "cols": notes("x")}))
    };
    let sprints = |kind: &str| widget(kind, kind, json!({"cols": notes("sprint")}));
    let stack = json!({"x": {"by": "board"}, "z": {"by": "column"}, "cols": notes("z")});
    let widgets = [
        chart("a", "bar", "name"),
        chart("b", "pie", "column"),
        widget("c", "chart", stack),
        sprints("velocity"),
        sprints("planned"),
        sprints("burndown"),
    ];
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": widgets});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let hidden = ask(&program, "preview", &id, json!({"names": true})).await.unwrap();
    let shown = ask(&program, "preview", &id, json!({"texts": true})).await.unwrap();
    assert_eq!(hidden["holds"], json!(["board-names", "sprint-names", "item-names", "cell-texts"]));
    assert_eq!((hidden["leftOut"].clone(), hidden["holds"].clone()), (json!([]), shown["holds"].clone()));
    for word in ["Task", "Straße", "日本", "xxxx"] {
        assert!(shown["html"].as_str().unwrap().contains(word), "{word} is there to be hidden");
        for part in ["document", "html"] {
            assert!(!hidden[part].to_string().contains(word), "{word} in {part}");
        }
    }
    assert_ne!(hidden["digest"], shown["digest"]);
    let refusal = ask(&program, "publish", &id, json!({"digest": shown["digest"]})).await;
    refused(refusal, "preview-stale");
    let ticked = ask(&program, "publish", &id, json!({"digest": shown["digest"], "texts": true})).await.unwrap();
    assert_eq!((&ticked["names"], &ticked["texts"]), (&json!(false), &json!(true)));
    let program = program.restart().await;
    program.ctx.provide(Arc::new(super::PublicDoor(Box::new(door.clone()))));
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap(), ticked);
    // What was published before there was a choice stays as it is, and is not taken for ticked.
    let forget = "UPDATE dashboard_publications SET texts = 0 WHERE account_id = $1";
    program.ctx.db().write(move |tx| tx.execute(forget, store::params![ACCOUNT])).await.unwrap();
    let program = program.restart().await;
    program.ctx.provide(Arc::new(super::PublicDoor(Box::new(door))));
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap()["texts"], false);
    assert!(seen(&program.ctx, &ticked).unwrap().contains("Task 1"));
}

#[tokio::test]
async fn an_address_is_random_and_gone_for_good_once_revoked_expired_or_deleted() {
    let (program, id, _) = with_dashboard().await;
    let mut before: Vec<Value> = Vec::new();
    for end in ["revoke", "expire", "delete"] {
        let published = ask(&program, "publish", &id, json!({"expiresInDays": 2})).await.unwrap();
        let address = published["address"].as_str().unwrap().strip_prefix(ORIGIN).unwrap();
        assert!(address.len() == 32 && address.bytes().all(|digit| digit.is_ascii_hexdigit()), "{address}");
        assert!(seen(&program.ctx, &published).is_some());
        assert!(before.iter().all(|old| *old != published["address"]), "{end}: no address comes back");
        before.push(published["address"].clone());
        match end {
            "revoke" => drop(ask(&program, "revoke", &id, json!({})).await.unwrap()),
            "expire" => program.clock.advance_ms(2 * super::DAY_MS),
            _ => drop(program.owner("dashboards.delete", json!({"dashboardId": id})).await.unwrap()),
        }
        assert_eq!(seen(&program.ctx, &published), None, "{end}");
        if end == "expire" {
            let told = ask(&program, "get", &id, json!({})).await.unwrap();
            assert_eq!((&told["published"], &told["address"]), (&json!(false), &Value::Null));
        }
    }
    assert_eq!(program.ctx.service::<Publications>().in_force(program.ctx.now_ms()), (false, None));
}

#[tokio::test]
async fn what_has_expired_leaves_memory_and_in_time_the_disk() {
    let (program, id, _) = with_dashboard().await;
    let published = ask(&program, "publish", &id, json!({"expiresInDays": 1})).await.unwrap();
    let held = || program.ctx.service::<Publications>().pages.read().unwrap().len();
    let told = async || ask(&program, "get", &id, json!({})).await.unwrap()["publishedAt"].clone();
    crate::sweep::step(&program.ctx).await.unwrap();
    program.clock.advance_ms(super::DAY_MS - 1);
    crate::sweep::step(&program.ctx).await.unwrap();
    assert!(seen(&program.ctx, &published).is_some(), "until its very end");
    program.clock.advance_ms(1);
    assert_eq!((seen(&program.ctx, &published), held()), (None, 1));
    crate::sweep::step(&program.ctx).await.unwrap();
    assert_eq!((held(), told().await), (0, published["publishedAt"].clone()));
    program.clock.advance_ms(super::EXPIRED_KEPT_MS);
    crate::sweep::step(&program.ctx).await.unwrap();
    assert_eq!(told().await, Value::Null);
}

#[tokio::test]
async fn what_has_expired_gives_way_where_there_is_too_much() {
    let (program, id, _) = with_dashboard().await;
    let end_ms = program.ctx.now_ms() + 1;
    let fill = move |tx: &mut store::Tx<'_>| {
        for n in 0..super::PUBLICATIONS_MAX {
            let sql = "INSERT INTO dashboard_publications (account_id, dashboard_id, address, document_json, digest, names, published_ms, expires_ms) \
                 VALUES ($1, $2, $2, '{\"title\":\"T\",\"widgets\":[]}', '', 0, 0, $3)";
            tx.execute(sql, store::params![ACCOUNT, format!("d{n}"), if n == 0 { Some(end_ms) } else { None }])?;
        }
        Ok(())
    };
    program.ctx.db().write(fill).await.unwrap();
    refused(ask(&program, "publish", &id, json!({})).await, "too-many-publications");
    program.clock.advance_ms(1);
    ask(&program, "publish", &id, json!({})).await.unwrap();
}

#[tokio::test]
async fn an_end_stays_where_nothing_else_is_said() {
    let (program, id, _) = with_dashboard().await;
    let end = async |more: Value| ask(&program, "publish", &id, more).await.unwrap()["expiresAt"].clone();
    let first = end(json!({"expiresInDays": 7})).await;
    assert!(first.is_string());
    assert_eq!(end(json!({})).await, first);
    assert_ne!(end(json!({"expiresInDays": 8})).await, first);
    assert_eq!(end(json!({"expiresInDays": 0})).await, Value::Null);
}

#[tokio::test]
async fn what_is_published_is_there_after_a_restart_and_what_was_revoked_is_not() {
    let (program, id, door) = with_dashboard().await;
    let published = ask(&program, "publish", &id, json!({})).await.unwrap();
    let page = seen(&program.ctx, &published);
    let program = program.restart().await;
    assert_eq!(seen(&program.ctx, &published), page);
    program.ctx.provide(Arc::new(super::PublicDoor(Box::new(door))));
    ask(&program, "revoke", &id, json!({})).await.unwrap();
    let program = program.restart().await;
    assert_eq!(seen(&program.ctx, &published), None);
}

#[tokio::test]
async fn who_may_see_the_dashboard_hears_that_it_was_published_and_revoked() {
    let (program, id, _) = with_dashboard().await;
    program.ctx.provide(Arc::new(Members(Box::new(crate::tests::Directory))));
    let invited = json!({"dashboardId": id, "memberId": "ada", "role": "viewer"});
    program.owner("dashboards.members.put", invited).await.unwrap();
    let (bus, told) = (program.ctx.events(), Event::DashboardPublicationChanged { dashboard_id: id.clone() });
    let heard = |after: u64| -> Vec<(Event, Option<Vec<String>>)> {
        let told = bus.listen(Some(after)).0.unwrap();
        told.into_iter().map(|one| (one.event, one.members.map(|members| members.to_vec()))).collect()
    };
    for op in ["publish", "revoke"] {
        let before = bus.newest();
        ask(&program, op, &id, json!({})).await.unwrap();
        assert_eq!(heard(before), [(told.clone(), Some(vec!["ada".to_owned()]))], "{op}");
    }
    // Where nothing is published nothing is taken off.
    let before = bus.newest();
    ask(&program, "revoke", &id, json!({})).await.unwrap();
    assert_eq!(heard(before), []);
}

#[tokio::test]
async fn a_restored_backup_publishes_nothing_by_itself() {
    let (program, id, door) = with_dashboard().await;
    let published = ask(&program, "publish", &id, json!({"names": true})).await.unwrap();
    let folder = program.ctx.service::<kit::DataDir>().0.clone();
    let backup = folder.join("copy.db");
    program.ctx.db().backup(&backup).await.unwrap();
    let page = seen(&program.ctx, &published);
    assert!(page.is_some(), "the backup takes nothing off the web");
    ask(&program, "revoke", &id, json!({})).await.unwrap();

    // It may have been on the web for long.
    program.clock.advance_ms(2 * super::EXPIRED_KEPT_MS);
    program.ctx.db().close().await;
    let feature = crate::feature();
    store::restore(&folder, Some(&backup), &[(feature.name, feature.migrations)]).unwrap();
    let program = program.restart().await;
    program.ctx.provide(Arc::new(Boards(Box::new(crate::tests::Every))));
    program.ctx.provide(Arc::new(BoardData(Box::new(crate::tests::show::Golden))));
    program.ctx.provide(Arc::new(super::PublicDoor(Box::new(door.clone()))));
    assert_eq!(seen(&program.ctx, &published), None);
    let told = ask(&program, "get", &id, json!({})).await.unwrap();
    assert_eq!((&told["published"], &told["restored"], &told["address"]), (&json!(false), &json!(true), &Value::Null));
    assert_eq!(told["publishedAt"], published["publishedAt"]);
    crate::sweep::step(&program.ctx).await.unwrap();
    let ended = ask(&program, "get", &id, json!({})).await.unwrap()["expiresAt"].clone();
    assert_eq!(ended, kit::rfc3339(program.ctx.now_ms()));
    program.clock.advance_ms(super::EXPIRED_KEPT_MS - 1);
    crate::sweep::step(&program.ctx).await.unwrap();
    let told = ask(&program, "get", &id, json!({})).await.unwrap();
    assert_eq!((&told["restored"], &told["expiresAt"]), (&json!(true), &ended), "for a month after it was first seen");
    let again = ask(&program, "publish", &id, json!({})).await.unwrap();
    assert!(seen(&program.ctx, &again).is_some() && again["address"] != published["address"]);
    let program = program.restart().await;
    assert!(seen(&program.ctx, &again).is_some(), "what was published since stays");
}

#[tokio::test]
async fn nothing_is_published_that_nobody_could_read() {
    let (program, id, door) = with_dashboard().await;
    *door.0.lock().unwrap() = Err("Port 19520 is taken by another program.".into());
    let refusal = refused(ask(&program, "publish", &id, json!({})).await, "public-door-shut");
    assert_eq!(refusal.detail(), "Port 19520 is taken by another program.");
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap()["publishedAt"], Value::Null);
    for days in [-1, 3_651] {
        refused(ask(&program, "publish", &id, json!({"expiresInDays": days})).await, "invalid-input");
    }
}

#[tokio::test]
async fn only_the_person_publishes_and_the_record_does_not_have_the_address() {
    let (program, id, _) = with_dashboard().await;
    for kind in [Kind::Agent, Kind::Member] {
        for verb in ["get", "preview", "publish", "revoke"] {
            let caller = Caller {
                scopes: vec!["dashboards:read".into(), "dashboards:write".into()],
                ..Caller::new(kind, ACCOUNT, "t")
            };
            let refusal =
                program.as_caller(caller, &format!("dashboards.publication.{verb}"), json!({"dashboardId": id})).await;
            refused(refusal, "forbidden-caller");
        }
    }
    let published = ask(&program, "publish", &id, json!({})).await.unwrap();
    for verb in ["get", "preview", "publish", "revoke"] {
        let caller = Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
        let refusal =
            program.as_caller(caller, &format!("dashboards.publication.{verb}"), json!({"dashboardId": id})).await;
        refused(refusal, "not-found");
    }
    assert!(seen(&program.ctx, &published).is_some(), "another account revokes nothing");
    ask(&program, "revoke", &id, json!({})).await.unwrap();
    let changes = program.ctx.db().read(|tx| tx.changes(ACCOUNT, "dashboard", "", None, 2)).await.unwrap();
    let told: Vec<_> =
        changes.iter().map(|change| (change.field.as_str(), change.before.is_some(), change.after.is_some())).collect();
    assert_eq!(told, [("publication", true, false), ("publication", false, true)]);
    let address = published["address"].as_str().unwrap().strip_prefix(ORIGIN).unwrap();
    assert!(!format!("{changes:?}").contains(address));
}

#[tokio::test]
async fn a_rule_that_no_longer_works_hides_its_widgets() {
    let (program, id, _) = with_dashboard().await;
    let read = program.owner("dashboards.get", json!({"dashboardId": id})).await.unwrap();
    let mut config = read["config"].clone();
    config["filters"] = json!({"v": 1, "people": null, "all": [{"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "no such", "value": "x"}]});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!(preview["document"]["widgets"], json!([]));
    let why: Vec<_> = preview["leftOut"].as_array().unwrap().iter().map(|left| left["why"].as_str().unwrap()).collect();
    assert_eq!(why, ["inert-rule", "inert-rule", "shows-items"]);
    // Nor one whose column is no more, or filters in a form that nobody can read.
    let lost = json!({"id": "r", "col": {"by": "title", "title": "Gone", "type": "text"}, "op": "is", "value": "x"});
    for filters in [json!({"v": 1, "people": null, "all": [lost]}), json!([lost]), json!({"all": {"0": lost}})] {
        config["filters"] = filters;
        program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
        let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
        assert_eq!(preview["document"]["widgets"], json!([]), "{}", config["filters"]);
    }
}

#[tokio::test]
async fn a_rule_that_has_lost_one_of_its_labels_hides_its_widgets_and_is_named_to_who_edits() {
    let (program, id, _) = with_dashboard().await;
    let read = program.owner("dashboards.get", json!({"dashboardId": id})).await.unwrap();
    let mut config = read["config"].clone();
    let status = json!({"by": "title", "title": "Status", "type": "status"});
    config["filters"] =
        json!({"v": 1, "all": [{"id": "r", "col": status, "op": "noneOf", "value": ["Done", "Secret"]}]});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!((&preview["document"]["widgets"], preview["leftOut"].as_array().unwrap().len()), (&json!([]), 3));
    let shown = program.owner("dashboards.show", json!({"dashboardId": id})).await.unwrap();
    assert_eq!(shown["inertRules"], json!([{"id": "r", "reason": "lost-label", "lost": ["Secret"]}]));
    assert_eq!(shown["widgets"][0]["state"]["name"], "ok");
    let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
    let mut problems = checked["problems"].as_array().unwrap().iter();
    let problem = problems.find(|problem| problem["pointer"] == "/config/filters/all/0").expect("the rule is named");
    assert!(problem["detail"].as_str().unwrap().ends_with("(lost-label, Secret)"), "{problem}");
}

#[tokio::test]
async fn a_rule_that_lost_its_column_hides_its_widget_whatever_other_rules_are_called() {
    let (program, id, _) = with_dashboard().await;
    let gone = json!({"id": "r1", "col": {"by": "title", "title": "Gone", "type": "status"}, "op": "noneOf", "value": ["Secret"]});
    let name = json!({"id": "r1", "col": {"by": "builtin", "name": "name"}, "op": "isNotEmpty"});
    let count = |id: &str, rule: &Value| widget(id, "numbers", json!({"function": "count", "rules": [rule]}));
    for filters in [json!([]), json!([name])] {
        let config = json!({"boardIds": ["alpha", "beta"], "widgets": [count("a", &gone), count("b", &name)], "filters": {"v": 1, "all": filters}});
        program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
        let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
        let left: Vec<&str> =
            preview["leftOut"].as_array().unwrap().iter().map(|left| left["why"].as_str().unwrap()).collect();
        assert_eq!((left, preview["document"]["widgets"].as_array().unwrap().len()), (vec!["inert-rule"], 1));
    }
    // A shared rule that reaches boards of other widgets has lost nothing.
    let due = json!({"id": "r1", "col": {"by": "ids", "ids": {"beta": ["beta-d"]}}, "op": "isNotEmpty"});
    let of = |id: &str, board: &str| widget(id, "numbers", json!({"function": "count", "boards": [board]}));
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": [of("a", "alpha"), of("b", "beta")], "filters": {"v": 1, "all": [due]}});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    assert_eq!(ask(&program, "preview", &id, json!({})).await.unwrap()["leftOut"], json!([]));
}

#[tokio::test]
async fn a_rule_whose_column_is_gone_on_one_board_hides_its_widgets_and_is_named_to_who_edits() {
    let (program, id, _) = with_dashboard().await;
    let ids = json!({"alpha": ["alpha-s"], "beta": ["beta-gone"]});
    let rule = json!({"id": "r", "col": {"by": "ids", "ids": ids}, "op": "noneOf", "value": ["Done"]});
    let count = widget("a", "numbers", json!({"function": "count"}));
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": [count], "filters": {"v": 1, "all": [rule]}});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!((&preview["document"]["widgets"], &preview["leftOut"][0]["why"]), (&json!([]), &json!("inert-rule")));
    let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
    let problem = &checked["problems"][0];
    assert!(problem["detail"].as_str().unwrap().ends_with("(lost-column, Beta)"), "{problem}");
}

#[tokio::test]
async fn boards_that_are_gone_are_counted_and_not_named() {
    let (program, id, _) = with_dashboard().await;
    let whole = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!((&whole["boardsMissing"], whole["document"].get("boardsMissing")), (&json!(0), None));
    let config =
        json!({"boardIds": ["alpha", "gone-1"], "widgets": [widget("n", "numbers", json!({"function": "count"}))]});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!((&preview["boardsMissing"], &preview["document"]["boardsMissing"]), (&json!(1), &json!(1)));
    let html = preview["html"].as_str().unwrap();
    assert!(html.contains("1 connected board is not there any more") && !html.contains("gone-1"), "{html}");
    let published = ask(&program, "publish", &id, json!({})).await.unwrap();
    assert!(seen(&program.ctx, &published).unwrap().contains("1 connected board is not there any more"));
}

#[tokio::test]
async fn a_session_publishes_nothing_with_the_command_lines_token_either() {
    let (program, id, _) = with_dashboard().await;
    let call = kit::Call { source_session: Some("s1".into()), ..kit::Call::of(Caller::new(Kind::Cli, ACCOUNT, "cli")) };
    let answer = program.call(call, "dashboards.publication.publish", json!({"dashboardId": id})).await;
    testkit::refused(answer, "forbidden-caller");
}

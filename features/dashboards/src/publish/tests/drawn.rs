//! How each widget is drawn on the page.

use super::{NOTHING, between, burndown, but, chart_of, made, page_of, planned, velocity};
use crate::publish::document::Shows;
use crate::publish::html;
use serde_json::{Value, json};
use widgets::widgets::{RawResult, State, WidgetAnswer};

#[test]
fn each_chart_has_its_numbers_as_a_table_too() {
    let made = made(&[burndown("Sprint 5")], json!({}), NOTHING, "status");
    let page = html::page(&made.document, None);
    assert!(page.contains("<th scope=\"col\">Day</th><th scope=\"col\" dir=\"auto\">Remaining</th>"), "{page}");
    assert!(page.contains("<th scope=\"row\" dir=\"auto\">Mar 2, 2026</th><td>7</td><td>10</td><td>5</td>"), "{page}");
    assert!(page.contains("<th scope=\"row\" dir=\"auto\">Mar 3, 2026</th><td>—</td><td>—</td><td>0</td>"), "{page}");
    let said = "Sprint 5 (active), Mar 2, 2026 to Mar 3, 2026, 7 left, done on Mar 4, 2026 at this pace.";
    assert!(page.contains(said) && page.contains("because earlier days"), "{page}");
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
    // Of several boards: each its color, and what they come to.
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
fn planned_and_unplanned_have_the_colors_of_the_page() {
    let page = page_of(planned("S"), "sprint");
    let of_legend = between(&page, "<li>", "</li>");
    let colors: Vec<(&str, &str)> =
        of_legend.iter().map(|entry| (between(entry, "fill=\"", "\"")[0], between(entry, "<bdi>", ",")[0])).collect();
    let (blue, orange, gray) = (("#5b72d6", "Planned"), ("#d98324", "Unplanned"), ("#7f8ba3", "Unknown"));
    assert_eq!(colors, [blue, blue, orange, orange, gray, gray]);
}

#[test]
fn a_donut_has_its_total_in_the_middle_and_its_shares_beside_it() {
    let round = |variant: &str| {
        page_of(
            but(chart_of(&["A", "B"]), |result| {
                result["variant"] = json!(variant);
                (result["total"], result["percents"]) = (json!({"text": "$12.3K"}), json!([50, 50]));
            }),
            "status",
        )
    };
    assert_eq!(between(&round("donut"), "<text class=\"whole\"", "</text>").len(), 1);
    assert!(round("donut").contains(">$12.3K</text>") && !round("pie").contains("class=\"whole\""));
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
fn spans_of_time_are_written_alike_along_an_axis_and_as_its_parts() {
    let page = |bucket: &str, x: &str, z: [&str; 2]| {
        let mut stacked = chart_of(&[x]);
        stacked = but(stacked, |result| {
            let line = result["series"][0].clone();
            let part = |label: &str| {
                let mut line = line.clone();
                (line["key"], line["label"], line["kind"]) = (json!(label), json!(label), json!("value"));
                line
            };
            (result["bucket"], result["seriesBucket"]) = (json!(bucket), json!(bucket));
            result["series"] = json!([part(z[0]), part(z[1])]);
        });
        html::page(&made(&[stacked], json!({"z": {"by": "created"}}), NOTHING, "date").document, None)
    };
    let months = page("month", "2026-11", ["2026-11", "2026-12"]);
    assert!(
        months.contains("<bdi>Dec 2026") && months.contains(">Nov 2026<") && !months.contains("2026-1"),
        "{months}"
    );
    let days = page("day", "2026-11-03", ["2026-11-03", "2026-11-04"]);
    assert!(days.contains("<bdi>Nov 4") && !days.contains("2026-11-"), "{days}");
    // What is longer has only digits.
    assert!(page("quarter", "2026 Q4", ["2026 Q4", "2027 Q1"]).contains("<bdi>2027 Q1"));
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
    assert_eq!(none(&["mixed-units", "negative-pie"]), "A pie can't show negative values.");
    assert_eq!(none(&["sprint-gone"]), "The chosen sprint no longer exists.");
    assert_eq!(none(&[]), "6 items, but none has a value in this column.");
    assert_eq!(words(State::AllFiltered { total: 1 }, &[]), "0 of 1 item match the filters.");
    assert_eq!(words(State::AllFiltered { total: 9 }, &["own-rules"]), "0 of 9 items match this widget's rules.");
    assert_eq!(words(State::NoItems, &[]), "No items yet.");
}

#[test]
fn parts_are_told_apart_without_their_colors() {
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
    assert_eq!(of(&["a"]), "Average of the last closed sprint: 3.");
    assert_eq!(of(&["a", "b"]), "Average of the last 2 closed sprints: 3.");
}

#[test]
fn a_sprints_unplanned_share_is_written_above_it_and_in_the_table() {
    let made = made(&[planned("Sprint 5")], json!({}), NOTHING, "status");
    let page = html::page(&made.document, None);
    assert_eq!(page.matches(">50 %<").count(), 2, "{page}");
    assert!(page.contains("Above each sprint: its unplanned share."));
    assert!(page.contains("<th scope=\"col\" dir=\"auto\">Unplanned share</th></tr>"), "{page}");
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
            answer.result = RawResult::new(&result);
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

//! What leaves and what does not.

use super::{
    EVERYTHING, KEPT, MARKUP, NOTHING, answer, burndown, but, chart_of, every_kind, made, numbers, planned, velocity,
};
use crate::publish::document::{Computed, Holds, LeftOut, Made, Named, Shows, Why, document};
use crate::publish::html;
use serde_json::json;
use std::sync::Arc;
use widgets::widgets::{Cols, Coverage, Fixed, State, WidgetAnswer};

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
    assert!(
        page.contains("<p>Third-party page from <bdi>https://apps.example</bdi>. Shown only in Pilothouse.</p>"),
        "{page}"
    );
    assert!(page.contains("<p>Page on the publisher's computer. Shown only in Pilothouse.</p>"));
    assert!(!page.contains("iframe") && !page.contains("0 boards"));
}

#[test]
fn a_divided_figure_says_by_what() {
    let divided = answer("numbers", json!({"value": 5.0, "text": "5", "full": "5", "per": 2, "format": {}}));
    let mut undivided = numbers("—");
    (undivided.state, undivided.reasons) = (State::NoValues, vec!["none-met".into()]);
    let document = serde_json::to_value(made(&[divided, undivided], json!({}), EVERYTHING, "status").document).unwrap();
    let widgets = document["widgets"].to_string();
    for words in ["Divided by the 2 items that match its rules.", "No items match the rules to divide by."] {
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
        labels(document("", 0, &[of(&unknown)], NOTHING, (&json!(null), &super::unknown()), &|_, _| None)),
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
fn a_filter_that_reaches_only_some_boards_is_said() {
    let reach = |rule: &str, boards, of| widgets::Reach { rule: rule.into(), boards, of, own: None };
    let mut figure = numbers("7");
    figure.coverage.reach = vec![reach(KEPT, 3, 4), reach("again", 3, 4), reach("people", 1, 4), reach("whole", 4, 4)];
    figure.coverage.reach.push(widgets::Reach { own: Some(widgets::OwnList::Ratio), ..reach("share", 2, 4) });
    figure.coverage.labels = vec![widgets::LabelReach { label: KEPT.into(), boards: 1, of: 3 }];
    let made = made(&[figure], json!({}), NOTHING, "status");
    let told = [
        "A filter applies to 3 of 4 boards; all items of the others are included.",
        "A filter names a label that 1 of its 3 boards has.",
        "A rule of the widget applies to 2 of 4 boards; no items of the others match it.",
        "The people filter applies to 1 of 4 boards; all items of the others are included.",
    ];
    assert_eq!(made.document.widgets[0].notes, told);
}

//! What leaves and what does not, and the page made of it; answers of the engine are written out here.

mod drawn;
mod leaves;
mod publications;
mod rules;

use super::document::{Computed, Made, Named, document};
use super::filters::{Known, Labels};
use super::html;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use widgets::widgets::{Coverage, Fixed, RawResult, Skipped, State, WidgetAnswer};

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
        result: RawResult::new(&result),
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
    answer.result = RawResult::new(&result);
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

/// Nothing is known of what filters name.
fn unknown() -> Known<'static> {
    static NOBODY: LazyLock<HashMap<String, String>> = LazyLock::new(HashMap::new);
    static UNLABELED: LazyLock<Labels> = LazyLock::new(Labels::new);
    Known { boards: &[], members: &NOBODY, column: &|_, _| None, labels: &UNLABELED }
}

/// The document of these answers; the charts' column is of this type.
fn made(answers: &[WidgetAnswer], config: Value, named: Named, column_type: &str) -> Made {
    let layout = json!({"x": 3, "y": 0, "w": 40, "h": 5});
    let of = |answer| Computed { title: MARKUP, config: &config, layout: &layout, answer };
    let computed: Vec<_> = answers.iter().map(of).collect();
    document(MARKUP, 0, &computed, named, (&Value::Null, &unknown()), &|_, _| Some(column_type.to_owned()))
}

fn every_kind(label: &str) -> Vec<WidgetAnswer> {
    vec![numbers(label), chart_of(&[label]), velocity(label), planned(label), burndown(label), battery(label)]
}

/// What stands between a text and the next of another, as often as there is one.
fn between<'a>(page: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    page.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

fn page_of(answer: WidgetAnswer, column_type: &str) -> String {
    html::page(&made(&[answer], json!({}), NOTHING, column_type).document, None)
}

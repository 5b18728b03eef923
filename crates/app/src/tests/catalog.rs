//! The rows of all settings, whichever feature declares them: the one place that counts them.

use crate::features;
use kit::setting::{Applies, Shape, Spec};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// How many settings the specification has.
const TOTAL: usize = 247;

fn all() -> Vec<&'static Spec> {
    features::settings()
}

fn row(key: &str) -> &'static Spec {
    all().into_iter().find(|spec| spec.key == key).unwrap_or_else(|| panic!("no setting {key}"))
}

#[test]
fn every_section_has_its_settings() {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for spec in all() {
        *counts.entry((spec.area, spec.section)).or_default() += 1;
    }
    let expected = BTreeMap::from([
        (("Getting Started", "getting started"), 1),
        (("Sessions & Agents", "agent control"), 33),
        (("Sessions & Agents", "prompts and presentation"), 32),
        (("Sessions & Agents", "project-board module display and inbox"), 12),
        (("Sessions & Agents", "resilience, restart and revive"), 17),
        (("Sessions & Agents", "cloud"), 4),
        (("Sessions & Agents", "performance and resources"), 14),
        (("Sessions & Agents", "analysis and cost"), 4),
        (("Inbox & Notifications", "alarms"), 13),
        (("Inbox & Notifications", "inbox behaviour and notices"), 37),
        (("Inbox & Notifications", "calendar"), 8),
        (("Inbox & Notifications", "mail, files, documents and feeds"), 32),
        (("Inbox & Notifications", "messaging, spam and mail client"), 28),
        (("Inbox & Notifications", "diagnostics and bugs"), 5),
        (("Projects & Tasks", "tasks"), 7),
    ]);
    assert_eq!(counts, expected);
    assert_eq!(all().len(), TOTAL);
    assert_eq!(all().iter().map(|s| s.key).collect::<BTreeSet<_>>().len(), TOTAL, "every key once");
}

#[test]
fn defaults_are_accepted_and_docs_are_sentences() {
    let mut docs = BTreeSet::new();
    for spec in all() {
        assert_eq!(spec.check(&spec.default_json()), Ok(()), "{}", spec.key);
        let doc = spec.doc.trim();
        assert!(
            doc.starts_with(char::is_uppercase) && doc.ends_with('.') && !doc.contains("  "),
            "{}: {doc}",
            spec.key
        );
        let sentences = doc.split_inclusive(['.', ';']).count();
        assert!(sentences <= 6 && doc.len() < 420, "{} has a long description", spec.key);
        assert!(docs.insert(doc), "{} repeats another's description", spec.key);
    }
}

#[test]
fn settings_stand_in_the_order_of_the_specification_whichever_feature_declares_them() {
    let keys: Vec<_> = all().iter().map(|spec| spec.key).collect();
    for three in [
        ["bookmarksCliEnabled", "allowAgentAppRestart", "allowAgentDirectNavigation"],
        ["requireSpawnSourceSession", "cliServerEnabled", "cliSpawnSpacingSeconds"],
        ["meetingRoomsEnabled", "projectBoardsEnabled", "runningAppsEnabled"],
        ["scheduledMessagesEnabled", "pmBoardDensity", "pmCalendarBoardIds"],
        ["pmCalendarOverlayEnabled", "pmColorMode", "pmInboxBoardPreferences"],
        ["pmInboxQuietHoursTimeZone", "pmSetupPreset", "autoRestartUnresponsiveSessions"],
    ] {
        assert!(keys.windows(3).any(|window| window == three), "{three:?}");
    }
}

#[test]
fn a_section_stands_together_in_the_list_and_on_the_reference_page() {
    let catalog = features::catalog();
    let mut sections: Vec<_> = catalog.rows.iter().map(|s| (s.area, s.section)).collect();
    sections.dedup();
    assert_eq!(sections.len(), 15);
    assert_eq!(sections[0].0, "Getting Started");
    assert_eq!(sections[14].0, "Projects & Tasks");
    let page = settings::settings_md(&catalog);
    assert_eq!((page.matches("\n## ").count(), page.matches("\n### ").count()), (4, 15));
    assert_eq!(page.matches("\n| `").count(), TOTAL);
    let wait = catalog.awaiting.len();
    assert!(page.contains(&format!("{TOTAL} settings, of which {wait} are planned")));
    assert_eq!(page.matches("*Not available yet.*").count(), wait);
    let row = |key: &str| page.lines().find(|line| line.starts_with(&format!("| `{key}`"))).unwrap().to_owned();
    assert!(row("cliServerEnabled").contains("| `true` | next start |"), "{}", row("cliServerEnabled"));
    let cap = row("sessionCpuCapPercent");
    for part in
        ["whole number from 25 to 90, in steps of 5 (%)", "`60`*", "Windows only.", "Requires `sessionCpuCapEnabled`."]
    {
        assert!(cap.contains(part), "{cap} lacks {part}");
    }
}

#[test]
fn every_word_of_a_select_is_described() {
    for spec in all() {
        let shape = match spec.shape {
            Shape::List { of, .. } | Shape::Map { of } => *of,
            shape => shape,
        };
        let Shape::Select(choices) = shape else { continue };
        for choice in choices {
            let doc = choice.doc.trim();
            assert!(doc.starts_with(char::is_uppercase) && doc.ends_with('.'), "{}: {}", spec.key, choice.value);
        }
    }
}

#[test]
fn titles_tell_settings_apart() {
    let mut titles = BTreeMap::new();
    for spec in all() {
        let title = spec.title();
        assert!(title.starts_with(char::is_uppercase) && !title.ends_with("nabled"), "{title}");
        if let Some(other) = titles.insert(title.clone(), spec.key) {
            panic!("{other} and {} are both {title}", spec.key);
        }
    }
    let title = |key| row(key).title();
    assert_eq!(title("sessionCpuCapPercent"), "Session CPU cap percent");
    assert_eq!(title("pmCalendarBoardIds"), "Project calendar board IDs");
    assert_eq!(title("wheresMyWorkEnabled"), "Where's my work");
    assert_eq!(title("toastDisplayDurationSeconds"), "Toast display duration");
}

#[test]
fn what_a_row_needs_is_here_and_where_it_holds() {
    for spec in all() {
        if let Some(master) = spec.requires {
            assert!(all().iter().any(|s| s.key == master.spec.key), "{} needs a row that is here", spec.key);
            assert_ne!(spec.key, master.spec.key);
        }
        // What is in force until the next start is remembered once for the program, not for each account.
        assert!(spec.applies != Applies::NextStart || spec.installation, "{}", spec.key);
        assert!(!spec.platforms.is_empty(), "{}", spec.key);
    }
    let installation: Vec<_> = all().into_iter().filter(|s| s.installation).map(|s| s.section).collect();
    assert_eq!(installation.iter().filter(|s| **s == "performance and resources").count(), 13);
    assert_eq!(installation.len(), 17);
}

#[test]
fn what_the_specification_says_of_single_settings() {
    assert_eq!(row("alarmsDefaultSnoozeMinutes").type_label(), "unknown");
    let stored_only: Vec<_> = all().into_iter().filter(|s| s.stored_only).map(|s| s.key).collect();
    assert_eq!(stored_only, ["agentDrivenMaxDollarsPerSession", "agentDrivenMaxTurnsPerSession"]);
    let agents_may: Vec<_> = all().into_iter().filter(|s| s.agents_may_write).map(|s| s.key).collect();
    assert!(agents_may.is_empty(), "no row is open to sessions now: {agents_may:?}");
    let next_start: Vec<_> = all().into_iter().filter(|s| s.applies == Applies::NextStart).map(|s| s.key).collect();
    assert_eq!(next_start, ["cliServerEnabled", "sessionStoreV2Enabled", "cloudControlPlaneEnabled"]);
}

/// A schema without its descriptions: a list of described words is a list of words.
fn without_words(schema: Value) -> Value {
    match schema {
        Value::Object(mut members) => {
            members.remove("description");
            if let Some(Value::Array(choices)) = members.get("oneOf")
                && choices.iter().all(|choice| choice.get("const").is_some())
            {
                let words = choices.iter().map(|choice| choice["const"].clone()).collect();
                members.remove("oneOf");
                members.insert("enum".to_owned(), Value::Array(words));
            }
            members.into_iter().map(|(name, inner)| (name, without_words(inner))).collect()
        }
        Value::Array(all) => all.into_iter().map(without_words).collect(),
        other => other,
    }
}

/// The rows are checked against facts that stand outside of them: a wrong bound would otherwise be taken for the right one by
/// every test that reads it off its row.
#[test]
fn every_setting_is_as_the_specification_says() {
    let stated = include_str!("specification.tsv").lines().filter(|line| !line.starts_with('#'));
    let mut keys = Vec::new();
    for line in stated {
        let [key, kind, schema, default, applies, platforms, unit, requires] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("not eight parts: {line}");
        };
        let spec = row(key);
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        assert_eq!(without_words(spec.schema()), schema, "{key}");
        assert_eq!(spec.type_label(), kind, "{key}");
        let (value, ours) = default.strip_suffix('*').map_or((default, false), |value| (value, true));
        assert_eq!(spec.default_stated, !ours, "{key}");
        assert_eq!(spec.default_json(), serde_json::from_str::<Value>(value).expect("JSON"), "{key}");
        assert_eq!(json!(spec.applies), json!(applies), "{key}");
        let names: Vec<&str> = platforms.split(' ').collect();
        assert_eq!(json!(spec.platforms), json!(names), "{key}");
        let said = |word| Some(word).filter(|word| *word != "-");
        assert_eq!(spec.unit, said(unit).unwrap_or_default(), "{key}");
        assert_eq!(spec.requires.map(|master| master.spec.key), said(requires), "{key}");
        keys.push(key);
    }
    assert_eq!(keys, all().iter().map(|spec| spec.key).collect::<Vec<_>>(), "each once, in order");
}

#[test]
fn edges_of_ranges() {
    #[rustfmt::skip]
    let cases = [
        ("heardAboutUs", json!("x".repeat(64)), json!("x".repeat(65))),
        ("agentDrivenMaxDollarsPerSession", json!(20), json!(20.01)),
        ("agentDrivenMaxTurnsPerSession", json!(200), json!(2.5)),
        ("defaultAgentInstructionsCustom", json!("é".repeat(10_000)), json!("é".repeat(10_001))),
        ("agentInstructionsSyncMirrors", json!([".altrules2", "ALT1.md"]), json!(["OTHER.md"])),
        ("sessionCpuCapPercent", json!(90), json!(63)),
        ("sessionMemoryGuardPercent", json!(95), json!(52)),
        ("sessionForensicsDailyCostCapUsd", json!(0.05), json!(0.04)),
        ("frictionTriageCostCapUsd", json!(1e12), json!(-0.01)),
        ("alarmsDefaultSnoozeMinutes", json!(15), json!(10)),
        ("toastDisplayDurationSeconds", json!(30), json!(31)),
        ("pmInboxQuietHoursTimeZone", json!("Asia/Tokyo"), json!("Tokyo")),
        ("pmInboxBoardPreferences", json!({"b": "assigned-only"}), json!({"b": "some"})),
        ("pmCalendarBoardIds", json!(["x".repeat(200)]), json!(["x".repeat(201)])),
        ("dailyDigestSources", json!({"rss": true, "pm-events": false}), json!({"rss": "yes"})),
        ("trustedSheets", json!([{"spreadsheetId": "s", "editableColumns": [0, 702], "taskView": {"subjectCol": 1}}]), json!([{"spreadsheetId": "s", "editableColumns": [703]}])),
        ("trustedSheets", json!([]), json!([{}])),
        ("trustedSheets", json!([{"spreadsheetId": "s"}]), json!([{"spreadsheetId": "", "label": "Budget"}])),
        ("messengerBotAllowedGroupIds", json!(["-100123"]), json!(["group"])),
        ("mailclientAiSummaryAutoSenders", json!(["x".repeat(320)]), json!(["x".repeat(321)])),
        ("postSendNavigation", json!(["next_in_inbox", "stay"]), json!(["stay", "stay"])),
        ("rssDigestTime", json!("00:00"), json!("7:30")),
        ("webmailPageSize", json!(1), json!(0)),
    ];
    for (key, accepted, refused) in cases {
        assert_eq!(row(key).check(&accepted), Ok(()), "{key}");
        assert!(row(key).check(&refused).is_err(), "{key} takes {refused}");
    }
}

/// Values around what a shape takes: inside, at the edges, just outside, and of other types.
fn values(shape: &'static Shape) -> BoxedStrategy<Value> {
    let near = match *shape {
        Shape::Toggle => any::<bool>().prop_map(Value::from).boxed(),
        Shape::Int { min, max, step } => {
            let halves = (min * 2 - 4..=max * 2 + 4).prop_map(|n| json!(n as f64 / 2.0));
            prop_oneof![halves, (min - 2 * step..=max + 2 * step).prop_map(Value::from)].boxed()
        }
        Shape::Number { min, max } => {
            let max = if max.is_finite() { max } else { 1e9 };
            (min - 1.0..max + 1.0).prop_map(Value::from).boxed()
        }
        Shape::Text { max, .. } => prop_oneof![
            "[0-2][0-9]:[0-5][0-9]",
            "-?[0-9]{1,4}",
            "\\PC{0,12}",
            (max - 1..=max + 1).prop_map(|n| "ü".repeat(n as usize))
        ]
        .prop_map(Value::from)
        .boxed(),
        Shape::Select(choices) => {
            prop_oneof![proptest::sample::select(choices).prop_map(|c| json!(c.value)), Just(json!("something else"))]
                .boxed()
        }
        Shape::OneOf(choices) => {
            prop_oneof![proptest::sample::select(choices).prop_map(Value::from), (-2..40i64).prop_map(Value::from)]
                .boxed()
        }
        Shape::List { of, .. } => proptest::collection::vec(values(of), 0..4).prop_map(Value::from).boxed(),
        Shape::Map { of } => {
            proptest::collection::btree_map("[a-z]{1,3}", values(of), 0..3).prop_map(|m| json!(m)).boxed()
        }
        Shape::Object(fields) => {
            let each: Vec<_> =
                fields.iter().map(|f| proptest::option::of(values(&f.shape)).prop_map(|v| (f.name, v))).collect();
            (each, proptest::option::weighted(0.2, Just(("unknown", Some(json!(1))))))
                .prop_map(|(fields, extra)| {
                    fields
                        .into_iter()
                        .chain(extra)
                        .filter_map(|(k, v)| Some((k.to_owned(), v?)))
                        .collect::<serde_json::Map<_, _>>()
                        .into()
                })
                .boxed()
        }
    };
    let other = prop_oneof![
        Just(Value::Null),
        Just(json!("true")),
        Just(json!(7)),
        Just(json!([])),
        Just(json!({})),
        Just(json!(false))
    ];
    prop_oneof![9 => near, 1 => other].boxed()
}

/// The JSON Schema that is served and the check that is made are two descriptions of one thing: they must agree.
#[test]
fn schema_and_check_agree_on_every_setting() {
    for spec in all() {
        let schema = spec.schema();
        let validator = jsonschema::draft202012::new(&schema).unwrap_or_else(|e| panic!("{}: {e}", spec.key));
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        // A time zone's name is checked against the time zone database; JSON Schema knows no such format.
        let by_name = schema["format"] == "time-zone";
        for _ in 0..64 {
            let value = values(&spec.shape).new_tree(&mut runner).expect("a value").current();
            let checked = spec.check(&value).is_ok();
            assert!(
                validator.is_valid(&value) == checked || by_name && !checked,
                "{}: {value} is {checked} by check",
                spec.key
            );
        }
    }
}

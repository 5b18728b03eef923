use super::*;
use serde_json::json;

choices! { Pace { /// Waits.
Slow = "slow", Fast = "fast" } }

static WORD: Shape = Shape::Text { max: 3, format: Format::Free, nullable: false };
static FIELDS: [Field; 2] = [
    Field::new("columns", Shape::List { of: &Shape::Int { min: 0, max: 702, step: 1 }, unique: true }),
    Field::new("label", Shape::Text { max: 4, format: Format::Free, nullable: false }),
];
static NAMED: Shape = Shape::Object(&[Field::new("id", WORD).required(), Field::new("note", WORD)]);
static SHEET: Shape = Shape::Object(&FIELDS);

settings! {
    "Area" / "section" {
        /// Turns it on.
        master: bool = toggle(true).stated();
        /// How much.
        capPercent: i64 = int_step(25..=90, 5, 60).unit("%").only_on(&[Platform::W]).requires(&master);
        /// How often.
        gapHours: i64 = int(1..=168, 24);
        /// At most.
        costCapUSD: f64 = number(0.05, 20.0, 2.0);
        /// Which pace.
        pace: Pace = select("slow").applies(Applies::NextSession);
        /// Which sheets.
        sheets: Value = list_of_objects(&SHEET);
        /// From when.
        startTime: String = time_of_day("22:00");
        /// Which model.
        model: Option<String> = nullable_text(100);
        /// Which zone.
        zone: String = time_zone(64);
    }
}

#[test]
fn a_setting_stands_where_the_specification_has_its_key() {
    assert!(order::position("heardAboutUs") < order::position("agentAlertsEnabled"));
    assert!(order::position("agentAlertsEnabled") < order::position("agentDrivenMaxConcurrent"));
    assert!(order::position("agentDrivenMaxConcurrent") < master.spec.position);
}

#[test]
#[should_panic = "not in the specification's order"]
fn a_key_that_the_specification_lacks_ends_the_build() {
    // Rows are constants, so that their build is what panics.
    order::position("agentAlertEnabled");
}

#[track_caller]
fn check(spec: &Spec, value: Value, wrong: &[(&str, &str)]) {
    let found = spec.check(&value).err().unwrap_or_default();
    let found: Vec<_> = found.iter().map(|f| (f.pointer.as_str(), f.code.name())).collect();
    assert_eq!(found, wrong, "{} = {value}", spec.key);
}

#[test]
fn every_wrong_place_is_named() {
    check(&master.spec, json!(true), &[]);
    check(&master.spec, json!("true"), &[("", "wrong-type")]);
    check(&capPercent.spec, json!(60), &[]);
    check(&capPercent.spec, json!(60.0), &[]);
    check(&capPercent.spec, json!(52), &[("", "off-step")]);
    check(&capPercent.spec, json!(95), &[("", "out-of-range")]);
    check(&capPercent.spec, json!(60.5), &[("", "not-whole")]);
    check(&capPercent.spec, json!(1e300), &[("", "out-of-range")]);
    check(&costCapUSD.spec, json!(0.04), &[("", "out-of-range")]);
    check(&costCapUSD.spec, json!(20), &[]);
    check(&pace.spec, json!("fast"), &[]);
    check(&pace.spec, json!("Fast"), &[("", "not-a-choice")]);
    check(&startTime.spec, json!("23:59"), &[]);
    check(&startTime.spec, json!("24:00"), &[("", "wrong-format")]);
    check(&startTime.spec, json!("9:00"), &[("", "wrong-format")]);
    check(&model.spec, json!(null), &[]);
    check(&zone.spec, json!("Europe/Berlin"), &[]);
    check(&zone.spec, json!("Atlantis"), &[("", "wrong-format")]);
    check(
        &sheets.spec,
        json!([{"columns": [1, 703, "x"], "label": "Größe"}, {"colour": 1}]),
        &[
            ("/0/columns/1", "out-of-range"),
            ("/0/columns/2", "wrong-type"),
            ("/0/label", "too-long"),
            ("/1/colour", "unknown-field"),
        ],
    );
}

#[test]
fn what_must_be_there_is_named_where_it_lacks() {
    let named = Spec { shape: Shape::List { of: &NAMED, unique: false }, ..master.spec };
    check(&named, json!([{"id": "a"}, {"note": "b"}, {"id": ""}]), &[("/1/id", "missing"), ("/2/id", "missing")]);
    assert_eq!(NAMED.accepted(), "object of id (text up to 3 characters, required), note (text up to 3 characters)");
    let schema = NAMED.schema();
    assert_eq!((&schema["required"], &schema["properties"]["id"]["minLength"]), (&json!(["id"]), &json!(1)));
    assert!(SHEET.schema().get("required").is_none());
}

#[test]
fn one_number_written_in_two_ways_is_one_number() {
    check(&sheets.spec, json!([{"columns": [1, 2, 1.0]}]), &[("/0/columns/2", "repeated")]);
    assert_eq!(canonical(&json!({"a": [2.0, 2.5, -0.0, 1e300]})).to_string(), r#"{"a":[2,2.5,0,1e+300]}"#);
}

#[test]
fn lengths_count_characters() {
    assert!(Spec { shape: WORD, ..master.spec }.check(&json!("äöü")).is_ok());
    assert!(Spec { shape: WORD, ..master.spec }.check(&json!("🙂🙂🙂🙂")).is_err());
}

#[test]
fn a_stored_value_that_is_no_longer_accepted_gives_the_default() {
    assert_eq!(capPercent.read(Some(&json!(52))), 60);
    assert_eq!(capPercent.read(Some(&json!(30))), 30);
    assert_eq!(pace.read(None), Pace::Slow);
    assert_eq!(model.read(None), None);
}

#[test]
fn titles_are_the_key_in_words() {
    let titled = |key, unit| Spec { key, unit, ..master.spec }.title();
    assert_eq!(titled("sessionCpuCapEnabled", ""), "Session CPU cap");
    assert_eq!(titled("vendorBBalanceMonitorEnabled", ""), "Vendor B balance monitor");
    assert_eq!(titled("filesyncAEnabled", ""), "File sync A");
    assert_eq!(titled("contextWarning75Enabled", ""), "Context warning 75");
    assert_eq!(titled("tasksV2HideCompleted", ""), "Tasks V2 hide completed");
    assert_eq!(titled("cliSpawnSpacingSeconds", "s"), "CLI spawn spacing");
    assert_eq!(titled("spendCapUSD", "USD"), "Spend cap");
    assert_eq!(titled("enabled", ""), "Enabled");
    let titles: Vec<String> = ALL.iter().map(|spec| spec.title()).collect();
    let expected =
        ["Master", "Cap percent", "Gap hours", "Cost cap USD", "Pace", "Sheets", "Start time", "Model", "Zone"];
    assert_eq!(titles, expected);
}

#[test]
fn accepted_values_read_well() {
    assert_eq!(capPercent.spec.accepted(), "whole number from 25 to 90, in steps of 5");
    assert_eq!(costCapUSD.spec.accepted(), "number from 0.05 to 20");
    assert_eq!(
        pace.spec.schema(),
        json!({"type": "string", "oneOf": [{"const": "slow", "description": "Waits."}, {"const": "fast", "description": ""}]})
    );
}

/// A row is a `static`, so what panics here when it is called does not compile there.
#[test]
fn no_default_outside_its_own_range_makes_a_row() {
    const PACES: Shape = Shape::Select(<Pace as super::Choices>::ALL);
    const LAMPS: &[Field] =
        &[Field::new("red", Shape::Toggle), Field::new("count", Shape::Int { min: 0, max: 9, step: 1 })];
    fn refused<T>(what: &str, make: impl FnOnce() -> Setting<T> + std::panic::UnwindSafe) {
        assert!(std::panic::catch_unwind(make).is_err(), "{what} makes a row");
    }
    for odd in ["29:59", "24:00", "2x:0z", "12:60", "12-00", "9:00", "12:000", "", "1é:0"] {
        refused(odd, move || time_of_day(odd));
    }
    assert_eq!(time_of_day("23:59").spec.default_json(), "23:59");
    assert_eq!(time_of_day("00:00").spec.default_json(), "00:00");

    refused("an unknown word", || list_of_words::<String>(&PACES, &["no-such-word"]));
    refused("an unknown word behind a known one", || list_of_words::<String>(&PACES, &["slow", "Fast"]));
    refused("a repeated word", || list_of_words::<String>(&PACES, &["slow", "slow"]));
    refused("a word in a list of numbers", || list_of_words::<i64>(&Shape::OneOf(&[1]), &["1"]));
    refused("too long a word", || list_of_words::<String>(&WORD, &["longer"]));
    assert_eq!(list_of_words::<String>(&PACES, &["fast", "slow"]).spec.default_json(), json!(["fast", "slow"]));
    assert_eq!(list_of_words::<String>(&WORD, &["abc"]).spec.default_json(), json!(["abc"]));

    refused("an unknown flag", || flags(LAMPS, &[("no-such-flag", true)]));
    refused("a flag that is no toggle", || flags(LAMPS, &[("count", true)]));
    refused("a repeated flag", || flags(LAMPS, &[("red", true), ("red", false)]));
    assert_eq!(flags(LAMPS, &[("red", true)]).spec.default_json(), json!({"red": true}));

    refused("a number too small", || int(1..=9, 0));
    refused("a number too large", || int(1..=9, 10));
    refused("a number off its step", || int_step(0..=90, 5, 12));
    refused("a fraction too large", || number(0.5, 2.0, 2.1));
    refused("no number", || number(0.5, 2.0, f64::NAN));
    refused("too long a text", || text(3, "four"));
    refused("none of the words", || select::<Pace>("Fast"));
    refused("none of the numbers", || one_of(&[1, 2], 3));
}

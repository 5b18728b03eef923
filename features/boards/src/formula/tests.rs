//! Whatever is written as a formula, and whatever the cells hold: no panic, no more work than the bound, no result that is none.

use super::value::RESULT_CHARS_MAX;
use super::*;
use column_types::TEXT_CHARS_MAX;
use proptest::prelude::*;
use serde_json::{Map, json};

fn column(id: &str, title: &str, kind: ColumnType) -> Column {
    Column { kind: Some(kind), type_name: kind.name().to_owned(), ..new_column(id, title, Settings::default()) }
}

fn columns() -> Vec<Column> {
    vec![
        column("c1", "Number", ColumnType::Number),
        column("c2", "Text", ColumnType::LongText),
        column("c3", "Day", ColumnType::Date),
        column("c4", "Check", ColumnType::Checkbox),
        column("c5", "Tags", ColumnType::Tags),
        column("c6", "People", ColumnType::People),
        column("c7", "State", ColumnType::Status),
        column("c9", "Span", ColumnType::Timeline),
        column("c10", "Made", ColumnType::CreatedAt),
        column("c11", "Maker", ColumnType::CreatedBy),
        column("c12", "Editor", ColumnType::UpdatedBy),
        column("c13", "Files", ColumnType::File),
        column("c14", "Links", ColumnType::ItemLink),
    ]
}

/// Parts of formulas, sound ones and others.
fn part() -> impl Strategy<Value = String> {
    let words = [
        "{Number}", "{Text}", "{Day}", "{Check}", "{Tags}", "{People}", "{State}", "{Name}", "{c99}", "{Span}",
        "{Made}", "{Maker}", "{Editor}", "{Files}", "{Links}", "{", "}", "\"", "\"\"", "\"a\"", "(", ")", ",", "+",
        "-", "*", "/", "^", "%", "&", "=", "<>", "<", ">=", " ", "\n", "1", "0", "1e308", "0.1", "TRUE", "A1", "[",
        "]", "!", "#REF!", "@", ":", ";", "$", "'", "\u{0}", "\u{202e}", "\u{a0}", "é", "😀",
    ];
    let word = proptest::sample::select(words.map(str::to_owned).to_vec());
    let call = proptest::sample::select(functions::ALL.iter().map(|f| format!("{}(", f.name)).collect::<Vec<_>>());
    prop_oneof![4 => word, 2 => call, 1 => "\\PC{0,8}"]
}

/// A formula that is mostly well formed.
fn sound() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("{Number}".to_owned()),
        Just("{Text}".to_owned()),
        Just("{Day}".to_owned()),
        Just("{Check}".to_owned()),
        Just("END({Span})".to_owned()),
        Just("{Made}".to_owned()),
        Just("({Maker} = {Editor})".to_owned()),
        Just("COUNT({Links})".to_owned()),
        any::<f64>().prop_map(|n| format!("{n:e}")),
        "\"[a-zé ]{0,5}\"",
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let name = proptest::sample::select(functions::ALL.iter().map(|f| f.name).collect::<Vec<_>>());
        let sign = proptest::sample::select(vec!["+", "-", "*", "/", "^", "&", "=", "<", ">="]);
        prop_oneof![
            (inner.clone(), sign, inner.clone()).prop_map(|(a, s, b)| format!("({a} {s} {b})")),
            (name, proptest::collection::vec(inner, 1..4))
                .prop_map(|(name, args)| format!("{name}({})", args.join(", "))),
        ]
    })
}

fn cells() -> impl Strategy<Value = Map<String, Json>> {
    let number = prop_oneof![any::<f64>().prop_filter("JSON has no others", |n| n.is_finite()), Just(0.0), Just(-1.0)];
    let day = (1..9999i32, 1..=12u32, 1..=28u32).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}"));
    let text = prop_oneof![".{0,20}", Just("ß".repeat(TEXT_CHARS_MAX)), Just("İ".repeat(TEXT_CHARS_MAX))];
    (proptest::option::of(number), proptest::option::of(text), proptest::option::of(day), any::<bool>()).prop_map(
        |(number, text, day, truth)| {
            let all =
                json!({"c1": number, "c2": text, "c3": day, "c4": truth, "c5": ["a", "b"], "c6": ["m"], "c7": "l1",
                    "c9": {"from": day, "to": day}, "c13": [{"id": "f"}], "c14": ["i"]});
            all.as_object()
                .expect("an object")
                .iter()
                .filter(|(_, v)| !v.is_null())
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect()
        },
    )
}

fn record(cells: &Map<String, Json>) -> Record {
    let (created_at, updated_at) = ("2026-03-31T23:59:59.999Z".to_owned(), "2026-04-01T00:00:00.000Z".to_owned());
    let (id, group_id, name) = ("i".to_owned(), "g1".to_owned(), "Chair".to_owned());
    let (created_by, updated_by) = (None, Some("m".to_owned()));
    Record { id, group_id, name, created_at, updated_at, created_by, updated_by, parent_id: None, cells: cells.clone() }
}

/// Bytes that formulas may make past the bound: the value that goes over it is made to its end.
const LAST_BYTES: usize = 3 * TEXT_CHARS_MAX * 4 * 2;

fn check(typed: &str, cells: &Map<String, Json>) -> std::result::Result<(), TestCaseError> {
    let own = new_column("c8", "Own", Settings::default());
    let written = match written(typed, &own, &columns()) {
        Ok(written) => written,
        Err((problem, _)) => {
            prop_assert!(typed.is_char_boundary(problem.at) && problem.at <= typed.len(), "{problem:?} of {typed:?}");
            prop_assert!(problem.at + problem.length <= typed.len(), "{problem:?} of {typed:?}");
            return Ok(());
        }
    };
    let mut all = columns();
    let settings =
        Settings { formula: Some(written.stored.clone()), result: Some(written.gives), ..Settings::default() };
    all.push(new_column("c8", "Own", settings));
    // As it is shown, it is the same formula.
    let shown = parse::shown(&written.stored, &all);
    prop_assert_eq!(&parse::stored(&shown, &all).map(|stored| stored.text), &Ok(written.stored.clone()), "{}", shown);
    let formulas = Formulas::new(&all);
    let mut work = Work::default();
    let record = record(cells);
    let values = formulas.values(&Item::alone(&record), &mut work);
    prop_assert!(work.done() <= Work::BYTES_MAX + LAST_BYTES, "{} bytes by {typed}", work.done());
    let fits = match (values[0].stored(), written.gives) {
        (None, _) => true,
        (Some(Json::Number(_)), FormulaResult::Number) | (Some(Json::Bool(_)), FormulaResult::Checkbox) => true,
        (Some(Json::String(text)), FormulaResult::Text) => text.chars().count() <= RESULT_CHARS_MAX,
        (Some(Json::String(text)), FormulaResult::Date) => column_types::dates::parse_iso(&text).is_some(),
        _ => false,
    };
    prop_assert!(fits, "{typed} gives {:?}, declared {:?}", values[0], written.gives);
    Ok(())
}

#[test]
fn hostile_formulas_are_refused_or_computed_within_bounds() {
    let formula = proptest::collection::vec(part(), 0..40).prop_map(|parts| parts.concat());
    crate::tests::random::runner(2_000).run(&(formula, cells()), |(formula, cells)| check(&formula, &cells)).unwrap();
}

#[test]
fn sound_formulas_are_refused_or_computed_within_bounds() {
    crate::tests::random::runner(2_000).run(&(sound(), cells()), |(formula, cells)| check(&formula, &cells)).unwrap();
}

#[test]
fn formulas_that_double_a_text_end_at_the_bound() {
    let mut all = columns();
    for number in 15..65 {
        let before = if number == 15 { 2 } else { number - 1 };
        let settings = Settings { formula: Some(format!("{{c{before}}} & {{c{before}}}")), ..Settings::default() };
        all.push(new_column(&format!("c{number}"), "Twice", settings));
    }
    let formulas = Formulas::new(&all);
    let cells = json!({"c2": "x".repeat(1_000)});
    let mut work = Work::default();
    let record = record(cells.as_object().unwrap());
    let values = formulas.values(&Item::alone(&record), &mut work);
    assert_eq!(values[3], Value::Nothing(Why::ResultTooLong));
    assert!(work.done() <= Work::BYTES_MAX + LAST_BYTES);
    assert!(values[4..].iter().all(|value| value.stored().is_none()));
}

#[test]
fn results_do_not_multiply_what_a_board_holds() {
    let (text, letter) = (format!("{{c2}}{}", "&{c2}".repeat(39)), "é".repeat(450));
    let columns_of = |formulas: &[&str]| {
        let mut all = columns();
        for (number, formula) in (15..).zip(formulas) {
            let settings = Settings { formula: Some((*formula).to_owned()), ..Settings::default() };
            all.push(new_column(&format!("c{number}"), &format!("R{number}"), settings));
        }
        all
    };
    let given = |formulas: &[&str]| -> Vec<std::result::Result<usize, Why>> {
        let (all, cells) = (columns_of(formulas), json!({"c2": letter}));
        let (formulas, record) = (Formulas::new(&all), record(cells.as_object().unwrap()));
        let values = formulas.values(&Item::alone(&record), &mut Work::default());
        values
            .into_iter()
            .map(|value| match value {
                Value::Nothing(why) => Err(why),
                value => Ok(value.as_text().len()),
            })
            .collect()
    };
    assert_eq!(given(&[&text]), [Err(Why::ResultTooLong)]);
    // 9,000 bytes each.
    let tenth = format!("{{c2}}{}", "&{c2}".repeat(9));
    let beyond = Err(Why::ResultsTooLong);
    assert_eq!(given(&[&tenth, &tenth, &tenth, "{c17}", "\"x\""]), [Ok(9_000), Ok(9_000), beyond, beyond, Ok(1)]);
    assert_eq!(given(&["LEN({c2}) * 40", &tenth]), [Ok(5), Ok(9_000)], "what is made on the way does not count");
}

#[test]
fn the_deepest_formula_fits_a_small_stack() {
    let chain = format!("1{}", "+1".repeat(70));
    let nested = format!("{}1{}", "-(".repeat(17), ")".repeat(17));
    let deep = move || {
        for formula in [&chain, &nested] {
            let own = new_column("c8", "Own", Settings::default());
            assert!(written(formula, &own, &columns()).is_ok(), "{formula}");
        }
    };
    std::thread::Builder::new().stack_size(1024 * 1024).spawn(deep).unwrap().join().unwrap();
}

#[test]
fn days_go_there_and_back() {
    for days in [-719_162, -1, 0, 59, 60, 11_016, 20_000, 2_932_896] {
        let (year, month, day) = widgets::dates::civil(days);
        assert_eq!(widgets::dates::day_of(year, month, day), days);
        assert_eq!(column_types::dates::parse_iso(&Value::date(days.into()).as_text()), Some(days));
    }
}

//! The functions of formulas: each is one row, from which the page's help, `docs/formulas.md` and the checks come.

use super::types::Type::{self, Date, Number, Span, Text, Truth};
use super::value::{Value, Why, Work};
use column_types::dates::days_in_month;
use std::borrow::Cow;
use std::fmt::Write;
use widgets::dates::day_of;

/// Type of an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Takes {
    /// A value of this type; for a text whatever can be written as one.
    One(Type),
    /// A list: tags, people, files or linked items.
    List,
    /// Any value.
    Any,
    /// A number or a date, each time the same.
    Ordered,
}

/// Result type of a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Gives {
    One(Type),
    /// What its arguments from this one on are, which must be of one type.
    Same(usize),
}

type Run = for<'a> fn(&mut Work, &[Value<'a>]) -> Value<'a>;

/// A function.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) takes: &'static [Takes],
    /// How many of them must be there.
    pub(super) needs: usize,
    /// Whether the last argument can be repeated.
    pub(super) repeats: bool,
    pub(super) gives: Gives,
    /// Whether it is asked although an argument has no value.
    pub(super) sees_nothing: bool,
    /// How it is written.
    pub(super) usage: &'static str,
    pub(super) about: &'static str,
    /// An example formula without columns, and its result.
    pub(super) example: (&'static str, &'static str),
    pub(super) run: Run,
}

const fn function(
    name: &'static str,
    takes: &'static [Takes],
    gives: Gives,
    usage: &'static str,
    about: &'static str,
    example: (&'static str, &'static str),
    run: Run,
) -> Function {
    Function { name, takes, needs: takes.len(), repeats: false, gives, sees_nothing: false, usage, about, example, run }
}

impl Function {
    const fn needs(mut self, arguments: usize) -> Function {
        self.needs = arguments;
        self
    }
    const fn repeats(mut self) -> Function {
        self.repeats = true;
        self
    }
    const fn sees_nothing(mut self) -> Function {
        self.sees_nothing = true;
        self
    }
    /// Type of the argument at an index; `None` if there is none.
    pub(super) fn argument(&self, at: usize) -> Option<Takes> {
        self.takes.get(at).or(self.takes.last().filter(|_| self.repeats)).copied()
    }
}

use Gives::{One, Same};
use Takes::{Any, List, Ordered};
const N: Takes = Takes::One(Number);
const T: Takes = Takes::One(Text);
const D: Takes = Takes::One(Date);
const B: Takes = Takes::One(Truth);
const S: Takes = Takes::One(Span);

/// Every function, as the help lists them.
#[rustfmt::skip]
pub(super) static ALL: &[Function] = &[
    function("IF", &[B, Any, Any], Same(1), "IF(condition, then, otherwise)", "Returns one of two values. Without the last, returns nothing if the condition is false.", ("IF(2 > 1, \"yes\", \"no\")", "yes"), choose).needs(2).sees_nothing(),
    function("IFEMPTY", &[Any, Any], Same(0), "IFEMPTY(value, instead)", "Returns the second value if the first is empty or has no result, for example after division by zero.", ("IFEMPTY(1 / 0, 0)", "0"), or_else).sees_nothing(),
    function("EMPTY", &[Any], One(Truth), "EMPTY(value)", "True if a value is empty.", ("EMPTY(\"\")", "Yes"), is_empty).sees_nothing(),
    function("AND", &[B], One(Truth), "AND(condition, …)", "Whether all conditions are true.", ("AND(1 < 2, 2 < 3)", "Yes"), |_, all| Value::Truth(all.iter().all(|v| v.is_true()))).repeats(),
    function("OR", &[B], One(Truth), "OR(condition, …)", "Whether at least one condition is true.", ("OR(1 > 2, 2 < 3)", "Yes"), |_, all| Value::Truth(all.iter().any(|v| v.is_true()))).repeats(),
    function("NOT", &[B], One(Truth), "NOT(condition)", "Whether a condition is false.", ("NOT(1 > 2)", "Yes"), |_, all| Value::Truth(!all[0].is_true())),
    function("SUM", &[N], One(Number), "SUM(number, …)", "Adds numbers, ignoring empty ones.", ("SUM(1, 2, 3)", "6"), |_, all| over_numbers(all, |numbers, _| numbers.iter().sum())).repeats().sees_nothing(),
    function("AVERAGE", &[N], One(Number), "AVERAGE(number, …)", "The mean of numbers, ignoring empty ones.", ("AVERAGE(1, 2, 6)", "3"), |_, all| over_numbers(all, |numbers, count| numbers.iter().sum::<f64>() / count)).repeats().sees_nothing(),
    function("MIN", &[Ordered], Same(0), "MIN(value, …)", "The smallest number or earliest date, ignoring empty ones.", ("MIN(3, 1, 2)", "1"), |_, all| extreme(all, false)).repeats().sees_nothing(),
    function("MAX", &[Ordered], Same(0), "MAX(value, …)", "The largest number or latest date, ignoring empty ones.", ("MAX(3, 1, 2)", "3"), |_, all| extreme(all, true)).repeats().sees_nothing(),
    function("ROUND", &[N, N], One(Number), "ROUND(number, digits)", "Rounds to a number of decimal places (default 0, maximum 10). Negative values round to tens, hundreds, and so on.", ("ROUND(2.345, 2)", "2.35"), round).needs(1),
    function("FLOOR", &[N], One(Number), "FLOOR(number)", "The next whole number below.", ("FLOOR(-2.5)", "-3"), |_, all| Value::number(all[0].as_number().floor())),
    function("CEILING", &[N], One(Number), "CEILING(number)", "The next whole number above.", ("CEILING(2.1)", "3"), |_, all| Value::number(all[0].as_number().ceil())),
    function("ABS", &[N], One(Number), "ABS(number)", "The absolute value.", ("ABS(-4)", "4"), |_, all| Value::number(all[0].as_number().abs())),
    function("MOD", &[N, N], One(Number), "MOD(number, divisor)", "The remainder of a division, with the sign of the divisor.", ("MOD(7, 3)", "1"), modulo),
    function("SQRT", &[N], One(Number), "SQRT(number)", "The square root.", ("SQRT(16)", "4"), |_, all| Value::number(all[0].as_number().sqrt())),
    function("CONCAT", &[T], One(Text), "CONCAT(value, …)", "Joins values into one text. & does the same for two.", ("CONCAT(\"a\", 1, \"b\")", "a1b"), concat).repeats(),
    function("LEN", &[T], One(Number), "LEN(text)", "The number of characters in a text.", ("LEN(\"plan\")", "4"), |work, all| { let text = all[0].as_text(); work.count_bytes(text.len()); Value::number(text.chars().count() as f64) }),
    function("UPPER", &[T], One(Text), "UPPER(text)", "The text in uppercase.", ("UPPER(\"plan\")", "PLAN"), |work, all| work.text(all[0].as_text().to_uppercase())),
    function("LOWER", &[T], One(Text), "LOWER(text)", "The text in lowercase.", ("LOWER(\"PLAN\")", "plan"), |work, all| work.text(all[0].as_text().to_lowercase())),
    function("TRIM", &[T], One(Text), "TRIM(text)", "The text without spaces around it.", ("TRIM(\"  plan \")", "plan"), |work, all| work.text(all[0].as_text().trim().to_owned())),
    function("LEFT", &[T, N], One(Text), "LEFT(text, characters)", "The first characters of a text.", ("LEFT(\"plan\", 2)", "pl"), |work, all| { let count = whole(&all[1]); let text: String = all[0].as_text().chars().take(count).collect(); work.text(text) }),
    function("RIGHT", &[T, N], One(Text), "RIGHT(text, characters)", "The last characters of a text.", ("RIGHT(\"plan\", 2)", "an"), right),
    function("CONTAINS", &[T, T], One(Truth), "CONTAINS(text, part)", "Whether a text contains another, ignoring case.", ("CONTAINS(\"Plan B\", \"plan\")", "Yes"), contains),
    function("VALUE", &[T], One(Number), "VALUE(text)", "Converts text to a number, such as 12.5.", ("VALUE(\"12.5\")", "12.5"), value),
    function("COUNT", &[List], One(Number), "COUNT(column)", "The number of people, tags, files, or linked items in a cell. Deleted items aren't counted.", ("", ""), |_, all| Value::number(all[0].entries() as f64)),
    function("START", &[S], One(Date), "START(timeline)", "The first day of a timeline.", ("", ""), |_, all| Value::Date(all[0].span().0)),
    function("END", &[S], One(Date), "END(timeline)", "The last day of a timeline.", ("", ""), |_, all| Value::Date(all[0].span().1)),
    function("DATE", &[N, N, N], One(Date), "DATE(year, month, day)", "A date.", ("DATE(2026, 3, 31)", "2026-03-31"), date),
    function("DAYS", &[D, D], One(Number), "DAYS(from, to)", "The number of days between two dates, the same as to - from.", ("DAYS(DATE(2026, 3, 1), DATE(2026, 3, 31))", "30"), |_, all| Value::number(f64::from(all[1].as_day()) - f64::from(all[0].as_day()))),
    function("YEAR", &[D], One(Number), "YEAR(date)", "The year of a date.", ("YEAR(DATE(2026, 3, 31))", "2026"), |_, all| Value::number(all[0].civil().0.into())),
    function("MONTH", &[D], One(Number), "MONTH(date)", "The month of a date, 1 to 12.", ("MONTH(DATE(2026, 3, 31))", "3"), |_, all| Value::number(all[0].civil().1.into())),
    function("DAY", &[D], One(Number), "DAY(date)", "The day of a date within its month.", ("DAY(DATE(2026, 3, 31))", "31"), |_, all| Value::number(all[0].civil().2.into())),
    function("WEEKDAY", &[D], One(Number), "WEEKDAY(date)", "The day of the week, 1 for Monday to 7 for Sunday.", ("WEEKDAY(DATE(2026, 3, 31))", "2"), |_, all| Value::number(f64::from((all[0].as_day() + 3).rem_euclid(7) + 1))),
];

/// The function of a name, in capital or small letters.
pub(super) fn named(name: &str) -> Option<&'static Function> {
    ALL.iter().find(|function| function.name.eq_ignore_ascii_case(name))
}

fn choose<'a>(_: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    match &all[0] {
        Value::Nothing(why) => Value::Nothing(*why),
        condition if condition.is_true() => all[1].clone(),
        _ => all.get(2).cloned().unwrap_or(Value::Nothing(Why::NotChosen)),
    }
}

fn or_else<'a>(_: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    all[usize::from(all[0].is_empty())].clone()
}

fn is_empty<'a>(_: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    Value::Truth(all[0].is_empty())
}

/// The values that aren't empty. Fails if one has no result for another reason.
fn there<'v, 'a>(all: &'v [Value<'a>]) -> Result<Vec<&'v Value<'a>>, Why> {
    let (mut kept, mut empty) = (Vec::with_capacity(all.len()), None);
    for value in all {
        match value {
            Value::Nothing(why @ (Why::Empty(_) | Why::NotChosen)) => empty = Some(*why),
            Value::Nothing(why) => return Err(*why),
            value => kept.push(value),
        }
    }
    if kept.is_empty() { Err(empty.unwrap_or(Why::NotChosen)) } else { Ok(kept) }
}

fn over_numbers<'a>(all: &[Value<'a>], of: impl Fn(&[f64], f64) -> f64) -> Value<'a> {
    match there(all) {
        Ok(kept) => {
            let numbers: Vec<f64> = kept.iter().map(|value| value.as_number()).collect();
            Value::number(of(&numbers, numbers.len() as f64))
        }
        Err(why) => Value::Nothing(why),
    }
}

fn extreme<'a>(all: &[Value<'a>], largest: bool) -> Value<'a> {
    let kept = match there(all) {
        Ok(kept) => kept,
        Err(why) => return Value::Nothing(why),
    };
    let place = |value: &Value<'_>| if let Value::Date(day) = value { f64::from(*day) } else { value.as_number() };
    let by = |a: &&&Value<'a>, b: &&&Value<'a>| place(a).total_cmp(&place(b));
    let found = if largest { kept.iter().max_by(by) } else { kept.iter().min_by(by) };
    found.map_or(Value::Nothing(Why::NotChosen), |value| (*value).clone())
}

fn round<'a>(_: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    let number = all[0].as_number();
    let digits = all.get(1).map_or(0.0, Value::as_number).trunc().clamp(-300.0, 10.0) as i32;
    if digits < 0 {
        let step = 10f64.powi(-digits);
        return Value::number((number / step).round() * step);
    }
    // By its decimal digits, as people round: 2.345 is a little below that in binary.
    let mut text = String::new();
    let _ = write!(text, "{:e}", number.abs());
    let shifted = |text: &str, by: i32| {
        let (mantissa, exponent) = text.split_once('e')?;
        format!("{mantissa}e{}", exponent.parse::<i32>().ok()? + by).parse::<f64>().ok()
    };
    let rounded = shifted(&text, digits)
        .filter(|up| up.is_finite())
        .and_then(|up| shifted(&format!("{:e}", up.round()), -digits));
    Value::number(rounded.unwrap_or(number.abs()).copysign(number))
}

fn modulo<'a>(_: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    let (number, divisor) = (all[0].as_number(), all[1].as_number());
    if divisor == 0.0 {
        return Value::Nothing(Why::DivisionByZero);
    }
    Value::number(number - divisor * (number / divisor).floor())
}

fn concat<'a>(work: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    let texts: Vec<Cow<'_, str>> = all.iter().map(|value| value.as_text()).collect();
    // Looked at before it is made, so that what would be too long is never made.
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    if bytes > Work::TEXT_BYTES_MAX {
        return Value::Nothing(Why::TooLong);
    }
    work.text(texts.concat())
}

/// A count of characters: none for a negative one.
fn whole(value: &Value<'_>) -> usize {
    value.as_number().clamp(0.0, 1e9) as usize
}

fn right<'a>(work: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    let text = all[0].as_text();
    let count = text.chars().count();
    let kept: String = text.chars().skip(count.saturating_sub(whole(&all[1]))).collect();
    work.count_bytes(text.len());
    work.text(kept)
}

fn contains<'a>(work: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    let (text, part) = (all[0].as_text().to_lowercase(), all[1].as_text().to_lowercase());
    work.count_bytes(text.len() + part.len());
    Value::Truth(text.contains(&part))
}

fn value<'a>(_: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    let text = all[0].as_text();
    let text = text.trim();
    // Only digits: the parser of numbers also knows words.
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    match text.parse::<f64>() {
        Ok(number) if plain => Value::number(number),
        _ => Value::Nothing(Why::NoNumber),
    }
}

fn date<'a>(_: &mut Work, all: &[Value<'a>]) -> Value<'a> {
    let [year, month, day] = [0, 1, 2].map(|at| all[at].as_number());
    let fits = |number: f64, least: f64, most: f64| number.fract() == 0.0 && (least..=most).contains(&number);
    if !fits(year, 1.0, 9999.0) || !fits(month, 1.0, 12.0) {
        return Value::Nothing(Why::NoSuchDay);
    }
    let (year, month) = (year as i32, month as u32);
    if !fits(day, 1.0, days_in_month(year, month).into()) {
        return Value::Nothing(Why::NoSuchDay);
    }
    Value::Date(day_of(year, month as i32, day as i32))
}

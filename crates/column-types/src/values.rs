//! Single values as people write them in tables: numbers, amounts, dates, truth.

use crate::dates::days_in_month;
use crate::{is_email, is_link};

/// Placeholders for an empty cell in number and date columns.
#[inline]
pub fn is_null_like(text: &str) -> bool {
    const NULLS: [&str; 10] = ["-", "–", "—", "n/a", "na", "null", "none", "nil", "#n/a", "(empty)"];
    NULLS.iter().any(|null| text.eq_ignore_ascii_case(null))
}

/// Signs at the beginning of a cell that make a spreadsheet take it for a formula. A line feed is among them since reading a
/// file turns returns into it, and the full-width forms, which some spreadsheets read as the plain ones.
const FORMULA_SIGNS: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Whether exports prefix this text with an apostrophe: because a spreadsheet would read it as a formula, or because it
/// already looks prefixed. Leading spaces and zero-width characters are ignored, because some programs drop them. Plain
/// numbers aren't prefixed.
#[inline]
pub fn needs_guard(text: &str) -> bool {
    let is_dropped = |c: char| c == '\'' || kit::text::is_unseen(c) && !FORMULA_SIGNS.contains(&c);
    text.trim_start_matches(is_dropped).starts_with(FORMULA_SIGNS) && !is_plain_number(text)
}

/// A text without the apostrophe that an export put before it; nothing where there is none.
#[inline]
pub fn without_guard(text: &str) -> Option<&str> {
    text.trim_start_matches(' ').strip_prefix('\'').filter(|rest| needs_guard(rest))
}

fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = digits.split_once('E').unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    [whole, fraction, exponent].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a text is plainly a value and not a title.
pub fn looks_like_value(text: &str) -> bool {
    number(text, false).is_some()
        || number(text, true).is_some()
        || is_email(text)
        || is_link(text)
        || DateOrder::ALL.iter().any(|order| date(text, *order).is_some())
}

/// A number as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// The numeric value.
    pub value: f64,
    /// ISO code of the currency, if any.
    pub currency: Option<&'static str>,
    /// Whether it has a percent sign: 45% is 45.
    pub percent: bool,
    /// Digits after the decimal mark.
    pub decimals: usize,
    /// Whether it reads differently with point and comma exchanged.
    pub marked: bool,
    /// Whether it has thousands separators.
    pub grouped: bool,
}

/// Symbols and codes of currencies. A bare dollar sign is taken for the US one, a yen sign for the Japanese.
const CURRENCIES: [(&str, &str); 37] = [
    ("US$", "USD"),
    ("A$", "AUD"),
    ("C$", "CAD"),
    ("NZ$", "NZD"),
    ("R$", "BRL"),
    ("$", "USD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("₹", "INR"),
    ("₩", "KRW"),
    ("₽", "RUB"),
    ("₺", "TRY"),
    ("₪", "ILS"),
    ("₴", "UAH"),
    ("zł", "PLN"),
    ("Kč", "CZK"),
    ("USD", "USD"),
    ("EUR", "EUR"),
    ("GBP", "GBP"),
    ("JPY", "JPY"),
    ("CHF", "CHF"),
    ("CAD", "CAD"),
    ("AUD", "AUD"),
    ("NZD", "NZD"),
    ("SEK", "SEK"),
    ("NOK", "NOK"),
    ("DKK", "DKK"),
    ("PLN", "PLN"),
    ("CZK", "CZK"),
    ("HUF", "HUF"),
    ("INR", "INR"),
    ("CNY", "CNY"),
    ("BRL", "BRL"),
    ("MXN", "MXN"),
    ("ZAR", "ZAR"),
    ("SGD", "SGD"),
];
/// Maximum digits that a floating-point number preserves; longer ones are identifiers.
const DIGITS_MAX: usize = 15;

/// Parses a number; `comma` means a decimal comma. Thousands must be in groups of three, and numbers with leading zeros
/// are identifiers.
pub fn number(text: &str, comma: bool) -> Option<Number> {
    let mut rest = text.trim();
    if rest.len() > 40 {
        return None;
    }
    let mut negative = false;
    if let Some(inner) = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
        (negative, rest) = (true, inner.trim());
    }
    let mut percent = false;
    let mut currency = None;
    // A sign may stand before or after the currency.
    for _ in 0..3 {
        if let Some(r) = rest.strip_prefix(['-', '−']).or(rest.strip_suffix('-')) {
            if negative {
                return None;
            }
            (negative, rest) = (true, r.trim());
        } else if let Some(r) = rest.strip_prefix('+') {
            rest = r.trim();
        }
        if let Some(r) = rest.strip_suffix('%') {
            (percent, rest) = (true, r.trim());
        }
        if currency.is_none()
            && let Some((r, code)) = strip_currency(rest)
        {
            (currency, rest) = (Some(code), r);
        }
    }
    let (mark, group) = if comma { (',', '.') } else { ('.', ',') };
    if let Some((mantissa, exponent)) = rest.split_once('E') {
        let value = with_exponent(mantissa, exponent, mark)?;
        let value = if negative { -value } else { value };
        return Some(Number { value, currency, percent, decimals: 0, marked: false, grouped: false });
    }
    let (whole, fraction) = match rest.split_once(mark) {
        Some((whole, fraction)) => (whole, fraction),
        None => (rest, ""),
    };
    if !fraction.bytes().all(|b| b.is_ascii_digit()) || (rest.contains(mark) && fraction.is_empty()) {
        return None;
    }
    let digits = ungrouped(whole, group)?;
    let grouped = digits.len() != whole.len();
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    let value: f64 = format!("{}{digits}.{fraction}0", if negative { "-" } else { "" }).parse().ok()?;
    if digits.len() + fraction.len() > DIGITS_MAX {
        // Longer ones with a fraction are numbers where not a digit of them is lost.
        let exact = !fraction.is_empty() && format!("{}", value.abs()) == format!("{digits}.{fraction}");
        exact.then_some(())?;
    }
    let marked = grouped || !fraction.is_empty();
    // A negative zero would be written back as -0.0.
    Some(Number { value: value + 0.0, currency, percent, decimals: fraction.len(), marked, grouped })
}

/// A number as spreadsheets write very large and very small ones: `1.5E+20`.
fn with_exponent(mantissa: &str, exponent: &str, mark: char) -> Option<f64> {
    let digits = exponent.strip_prefix(['+', '-'])?;
    let (whole, fraction) = mantissa.split_once(mark).unwrap_or((mantissa, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (whole.len() == 1 && is_digits(whole) && is_digits(fraction) && digits.len() <= 3 && is_digits(digits))
        .then_some(())?;
    let value: f64 = format!("{whole}.{fraction}e{exponent}").parse().ok()?;
    value.is_finite().then_some(value)
}

/// A number so that [`number`] reads the very same: without an exponent as far as people read it so.
pub fn written(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        "0".to_owned()
    } else if (1e-7..1e15).contains(&size) {
        number.to_string()
    } else {
        let text = format!("{number:E}");
        if text.contains("E-") { text } else { text.replace('E', "E+") }
    }
}

/// The ISO code of a currency by its sign or by the code itself.
pub fn currency_of(sign: &str) -> Option<&'static str> {
    CURRENCIES.iter().find(|(known, _)| *known == sign).map(|(_, code)| *code)
}

fn strip_currency(text: &str) -> Option<(&str, &'static str)> {
    CURRENCIES.iter().find_map(|(sign, code)| {
        let rest = text.strip_prefix(sign).or_else(|| text.strip_suffix(sign))?.trim();
        rest.contains(|c: char| c.is_ascii_digit()).then_some((rest, *code))
    })
}

/// The digits of a whole number without the marks between groups of three.
fn ungrouped(whole: &str, group: char) -> Option<String> {
    if whole.is_empty() {
        return None;
    }
    if whole.bytes().all(|b| b.is_ascii_digit()) {
        return Some(whole.to_owned());
    }
    let mark = whole.chars().find(|c| !c.is_ascii_digit())?;
    if mark != group && !matches!(mark, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’') {
        return None;
    }
    let mut groups = whole.split(mark);
    let first = groups.next()?;
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let mut digits = first.to_owned();
    for part in groups {
        if part.len() != 3 || !is_digits(part) {
            return None;
        }
        digits.push_str(part);
    }
    ((1..=3).contains(&first.len()) && is_digits(first)).then_some(digits)
}

/// How dates of numbers alone are read that do not begin with the year. All others tell by themselves how they are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// 1.3.2026 and 1/3/2026.
    DayFirst,
    /// 3/1/2026, but 1.3.2026: points are written where the day comes first.
    MonthFirst,
    /// 3/1/2026 and 3.1.2026.
    MonthAlways,
}

impl DateOrder {
    /// Every order.
    pub const ALL: [DateOrder; 3] = [DateOrder::DayFirst, DateOrder::MonthFirst, DateOrder::MonthAlways];
}

/// Longest text that may be a date: with weekday, time, offset and the name of the time zone.
const DATE_BYTES_MAX: usize = 80;

/// Reads a date, with or without a time of day after it, as `YYYY-MM-DD`: `2026-03-01`, `1 Mar 2026`, `March 1st, 2026`, and
/// `1.3.2026` or `3/1/26` in the order. Only files are read so: the cells of the interface take `YYYY-MM-DD` alone, since a
/// program that writes them knows the day and has no column of others to tell it by.
pub fn date(text: &str, order: DateOrder) -> Option<String> {
    let text = text.trim();
    if text.len() < 6 || text.len() > DATE_BYTES_MAX {
        return None;
    }
    let (year, month, day) = numbered_date(text, order).or_else(|| named_date(text))?;
    let exists = year >= 1 && (1..=12).contains(&month) && day >= 1 && day <= days_in_month(year, month);
    exists.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

fn numbered_date(text: &str, order: DateOrder) -> Option<(i32, u32, u32)> {
    let (first, sign, rest) = leading_number(text)?;
    let (second, again, rest) = leading_number(rest)?;
    if sign != again || !matches!(sign, b'-' | b'/' | b'.') {
        return None;
    }
    let end = rest.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
    let third = &rest[..end];
    is_time(&rest[end..]).then_some(())?;
    if first.len() == 4 {
        return Some((full_year(first)?, small(second)?, small(third)?));
    }
    let day_first = match order {
        DateOrder::DayFirst => true,
        DateOrder::MonthFirst => sign == b'.',
        DateOrder::MonthAlways => false,
    };
    let (day, month) = if day_first { (first, second) } else { (second, first) };
    Some((any_year(third)?, small(month)?, small(day)?))
}

/// Separators of the two dates of a range. Characters that also occur in dates need spaces around them.
const BETWEEN: [&str; 10] = ["–", "—", "→", "..", " - ", " to ", " until ", " bis ", " / ", "/"];

/// Reads a span of days, the first not after the last, each as `YYYY-MM-DD`: `2026-01-05 – 2026-01-16` and the like, and
/// the object that Jira writes of its intervals.
pub fn span(text: &str, order: DateOrder) -> Option<(String, String)> {
    let text = text.trim();
    if text.len() > 100 {
        return None;
    }
    if text.starts_with('{') {
        return interval(text, order);
    }
    BETWEEN.iter().find_map(|sign| {
        let (from, to) = text.split_once(sign)?;
        in_order(date(from, order)?, date(to.trim_start_matches('.'), order)?)
    })
}

/// `{"start": "2026-01-05", "end": "2026-01-16"}`.
fn interval(text: &str, order: DateOrder) -> Option<(String, String)> {
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    let day = |names: [&str; 2]| date(names.iter().find_map(|name| members.get(*name))?.as_str()?, order);
    in_order(day(["start", "from"])?, day(["end", "to"])?).filter(|_| members.len() == 2)
}

fn in_order(from: String, to: String) -> Option<(String, String)> {
    (from <= to).then_some((from, to))
}

fn leading_number(text: &str) -> Option<(&str, u8, &str)> {
    let end = text.bytes().position(|b| !b.is_ascii_digit())?;
    let sign = text.as_bytes()[end];
    (end > 0 && sign.is_ascii()).then(|| (&text[..end], sign, &text[end + 1..]))
}

fn small(digits: &str) -> Option<u32> {
    if (1..=2).contains(&digits.len()) { digits.parse().ok() } else { None }
}
fn full_year(digits: &str) -> Option<i32> {
    if digits.len() == 4 { digits.parse().ok() } else { None }
}
fn any_year(digits: &str) -> Option<i32> {
    match digits.len() {
        4 => digits.parse().ok(),
        // Two digits: 1970 to 2069.
        2 => digits.parse::<i32>().ok().map(|year| if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

/// Whether what follows a date is nothing or a time of day.
fn is_time(rest: &str) -> bool {
    let rest = rest.trim();
    if rest.is_empty() {
        return true;
    }
    let rest = rest.trim_start_matches(['T', ',']).trim_start();
    let rest = rest.strip_prefix("at ").unwrap_or(rest);
    let (hours, tail) = rest.split_at(rest.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len()));
    if !(1..=2).contains(&hours.len()) || !tail.starts_with(':') {
        return false;
    }
    let zone = tail.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | '+' | '-' | ' '));
    // The zone's name in brackets says no more than the offset before it.
    let zone = zone.strip_suffix(')').and_then(|zone| zone.split_once(" (")).map_or(zone, |(zone, _)| zone);
    let zone = zone.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '+' | '-' | ' '));
    matches!(
        zone.to_ascii_uppercase().as_str(),
        "" | "Z" | "AM" | "PM" | "UTC" | "GMT" | "CET" | "CEST" | "A.M." | "P.M."
    )
}

/// The names of the months in English, German, French and Spanish; the first three or four letters will do as well.
pub const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "janvier", "enero"],
    &["february", "februar", "février", "febrero"],
    &["march", "märz", "mrz", "mars", "marzo"],
    &["april", "avril", "abril"],
    &["may", "mai", "mayo"],
    &["june", "juni", "juin", "junio"],
    &["july", "juli", "juillet", "julio"],
    &["august", "août", "agosto"],
    &["september", "septembre", "septiembre"],
    &["october", "oktober", "octobre", "octubre"],
    &["november", "novembre", "noviembre"],
    &["december", "dezember", "décembre", "diciembre"],
];

fn month_named(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let short = matches!(word.chars().count(), 3 | 4);
    let fits = |name: &&str| *name == word || (short && name.starts_with(&word));
    let at = MONTHS.iter().position(|names| names.iter().any(&fits))?;
    Some(at as u32 + 1)
}

fn named_date(text: &str) -> Option<(i32, u32, u32)> {
    let mut words = Vec::with_capacity(4);
    let mut rest = text;
    while words.len() < 3 {
        rest = rest.trim_start_matches([' ', ',', '-', '/', '.']);
        let digits = rest.starts_with(|c: char| c.is_ascii_digit());
        let of_word = |c: char| if digits { c.is_ascii_digit() } else { c.is_alphabetic() };
        let end = rest.find(|c: char| !of_word(c)).unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        let word = &rest[..end];
        rest = &rest[end..];
        // A weekday before the date says nothing more.
        let weekday = words.is_empty() && !digits && month_named(word).is_none() && word.len() <= 10;
        if !weekday {
            words.push(word);
        }
        if digits {
            rest = ["st", "nd", "rd", "th"].iter().find_map(|ending| rest.strip_prefix(ending)).unwrap_or(rest);
        }
    }
    is_time(rest).then_some(())?;
    let day_first = words[0].starts_with(|c: char| c.is_ascii_digit());
    let (day, month) = if day_first { (words[0], words[1]) } else { (words[1], words[0]) };
    Some((any_year(words[2])?, month_named(month)?, small(day)?))
}

/// Reads truth as people tick it.
pub fn truth(text: &str) -> Option<bool> {
    const YES: [&str; 13] = ["yes", "true", "x", "y", "✓", "✔", "checked", "ja", "wahr", "oui", "vrai", "sí", "☑"];
    const NO: [&str; 9] = ["no", "false", "n", "unchecked", "nein", "falsch", "non", "faux", "☐"];
    let lower = text.trim().to_lowercase();
    if YES.contains(&lower.as_str()) {
        return Some(true);
    }
    NO.contains(&lower.as_str()).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_guarded_whatever_a_program_may_drop_before_it() {
        for before in ["", " ", "'", "\u{a0}", "\u{200b}", "\u{feff}", "\u{2060} \u{3000}'"] {
            let text = format!("{before}=1");
            assert!(needs_guard(&text), "{text:?}");
            assert_eq!(without_guard(&format!("'{text}")), Some(&*text));
        }
        for plain in ["a=1", "\u{200b}a", "-1.5", " ", "''a"] {
            assert!(!needs_guard(plain), "{plain:?}");
        }
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        type Read = Option<(f64, &'static str)>;
        let cases: [(&str, bool, Read); 26] = [
            ("12", false, Some((12.0, ""))),
            ("-0", false, Some((0.0, ""))),
            ("1,234.56", false, Some((1234.56, ""))),
            ("1.234,56", true, Some((1234.56, ""))),
            ("1,234", false, Some((1234.0, ""))),
            ("1,234", true, Some((1.234, ""))),
            ("12,34", false, None),
            ("1.234.56", true, None),
            ("1 234 567", false, Some((1_234_567.0, ""))),
            ("1'234.5", false, Some((1234.5, ""))),
            ("($1,050.00)", false, Some((-1050.0, "USD"))),
            ("-$5", false, Some((-5.0, "USD"))),
            ("$-5", false, Some((-5.0, "USD"))),
            ("5-", false, Some((-5.0, ""))),
            ("--5", false, None),
            ("1.234,50 €", true, Some((1234.5, "EUR"))),
            ("CHF 20", false, Some((20.0, "CHF"))),
            ("R$ 7", false, Some((7.0, "BRL"))),
            ("45%", false, Some((45.0, "%"))),
            ("007", false, None),
            ("0.5", false, Some((0.5, ""))),
            (".5", false, None),
            ("5.", false, None),
            ("1234567890123456", false, None),
            ("1e5", false, None),
            ("$", false, None),
        ];
        for (text, comma, expected) in cases {
            let found = number(text, comma).map(|n| (n.value, n.currency.unwrap_or(if n.percent { "%" } else { "" })));
            assert_eq!(found, expected, "{text} {comma}");
            assert!(found.is_none_or(|(value, _)| value != 0.0 || value.is_sign_positive()), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_as_the_same_number() {
        for value in [0.0, -1.5, 0.1 + 0.2, 1e15, 1.5e-10, -1.234567890123456e300, 5e-324, 123456789012345.0, f64::MAX]
        {
            let text = written(value);
            assert_eq!(number(&text, false).map(|n| n.value), Some(value), "{text}");
        }
        for text in ["1e5", "1E5", "12E+5", "1E+", "E+5", "1.E+5", "1E+9999", "1E+400", "0.12345678901234567890"] {
            assert_eq!(number(text, false), None, "{text}");
        }
    }

    #[test]
    fn spans_are_read_as_people_write_them() {
        use DateOrder::{DayFirst, MonthFirst};
        let january = Some(("2026-01-05", "2026-01-16"));
        let cases = [
            ("2026-01-05 – 2026-01-16", DayFirst, january),
            ("2026-01-05 - 2026-01-16", DayFirst, january),
            ("2026-01-05/2026-01-16", DayFirst, january),
            ("2026-01-05..2026-01-16", DayFirst, january),
            ("2026-01-05...2026-01-16", DayFirst, january),
            ("2026/1/5 to 2026/1/16", DayFirst, january),
            ("5.1.2026–16.1.2026", DayFirst, january),
            ("05.01.2026 bis 16.01.2026", DayFirst, january),
            ("1/5/2026 - 1/16/2026", MonthFirst, january),
            ("5/Jan/26 – 16/Jan/26", MonthFirst, january),
            ("Jan 5, 2026 → Jan 16, 2026", MonthFirst, january),
            (r#"{"start":"2026-01-05","end":"2026-01-16"}"#, DayFirst, january),
            (r#"{"start":"2026-01-05"}"#, DayFirst, None),
            ("2026-01-05 – 2026-01-05", DayFirst, Some(("2026-01-05", "2026-01-05"))),
            ("2026-01-16 – 2026-01-05", DayFirst, None),
            ("0000-01-05 – 2026-01-05", DayFirst, None),
            ("2026-01-05", DayFirst, None),
            ("2026-01-05 – 2026-02-30", DayFirst, None),
            ("2026-01-05 – ", DayFirst, None),
        ];
        for (text, order, expected) in cases {
            let found = span(text, order);
            assert_eq!(found.as_ref().map(|(from, to)| (from.as_str(), to.as_str())), expected, "{text} {order:?}");
        }
        assert_eq!(date("0000-01-05", DayFirst), None, "there is no year 0");
    }

    #[test]
    fn dates_are_read_in_their_order() {
        use DateOrder::{DayFirst, MonthAlways, MonthFirst};
        let cases = [
            ("2026-03-01", DayFirst, Some("2026-03-01")),
            ("2026/3/1", DayFirst, Some("2026-03-01")),
            ("2026-03-01T23:59:59.999+02:00", DayFirst, Some("2026-03-01")),
            ("2026-03-01 noon", DayFirst, None),
            ("2026-02-29", DayFirst, None),
            ("2024-02-29", DayFirst, Some("2024-02-29")),
            ("31.12.99", DayFirst, Some("1999-12-31")),
            ("31/12/2026", DayFirst, Some("2026-12-31")),
            ("31/12/2026", MonthFirst, None),
            ("3.11.2026", MonthFirst, Some("2026-11-03")),
            ("3.11.2026", MonthAlways, Some("2026-03-11")),
            ("11.30.2026", MonthFirst, None),
            ("2026-11-03", MonthAlways, Some("2026-11-03")),
            ("24. Dezember 2026", MonthAlways, Some("2026-12-24")),
            ("12/31/26 3:05 PM", MonthFirst, Some("2026-12-31")),
            ("1-2/2026", DayFirst, None),
            ("1.2.3", DayFirst, None),
            ("12/Jan/26 3:45 PM", MonthFirst, Some("2026-01-12")),
            ("March 1st, 2026", MonthFirst, Some("2026-03-01")),
            ("Mon Jan 05 2026 10:00:00 GMT", MonthFirst, Some("2026-01-05")),
            ("Mon Jan 05 2026 10:00:00 GMT+0000 (Coordinated Universal Time)", MonthFirst, Some("2026-01-05")),
            ("Mon Jan 05 2026 10:00:00 GMT+0000 (GMT+00:00)", MonthFirst, Some("2026-01-05")),
            ("3. März 2026", MonthFirst, Some("2026-03-03")),
            ("Marketing 5 2026", MonthFirst, None),
            ("5 may", MonthFirst, None),
        ];
        for (text, order, expected) in cases {
            assert_eq!(date(text, order).as_deref(), expected, "{text} {order:?}");
        }
    }
}

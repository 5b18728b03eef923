//! How numbers are written.

use crate::format::{Format, Side, write};
use crate::query::Locale;
use proptest::prelude::*;

fn check(value: f64, format: &Format, text: &str, full: &str) {
    let written = write(value, format, &Locale::default());
    assert_eq!((written.text.as_str(), written.full.as_str()), (text, full), "{value}");
}

#[test]
fn short_and_full() {
    let cases: &[(f64, &str, &str)] = &[
        (0.0, "0", "0"),
        (-0.0, "0", "0"),
        (-0.001, "0", "-0.001"),
        (0.004, "0", "0.004"),
        (0.005, "0.01", "0.005"),
        (1.005, "1.01", "1.005"),
        (12.0, "12", "12"),
        (12.3, "12.3", "12.3"),
        (12.345, "12.35", "12.345"),
        (999.0, "999", "999"),
        (999.99, "999.99", "999.99"),
        (999.994, "999.99", "999.994"),
        (999.995, "1K", "999.995"),
        (999.999, "1K", "999.999"),
        (1000.0, "1K", "1,000"),
        (1049.0, "1K", "1,049"),
        (1050.0, "1.1K", "1,050"),
        (1234.0, "1.2K", "1,234"),
        (-1234.5, "-1.2K", "-1,234.5"),
        (12_345.0, "12.3K", "12,345"),
        (999_949.0, "999.9K", "999,949"),
        (999_950.0, "1M", "999,950"),
        (1_000_000.0, "1M", "1,000,000"),
        (1.25e6, "1.3M", "1,250,000"),
        (999_949_999.0, "999.9M", "999,949,999"),
        (999_950_000.0, "1B", "999,950,000"),
        (1e9, "1B", "1,000,000,000"),
        (1e12, "1T", "1,000,000,000,000"),
        (999.96e12, "1,000T", "999,960,000,000,000"),
        (1e15, "1,000T", "1,000,000,000,000,000"),
        (999_999e12, "999,999T", "999,999,000,000,000,000"),
        (1.5e18, "1.5e18", "1.5e18"),
        (-1.234_567e20, "-1.2e20", "-1.234567e20"),
        (9.96e18, "1e19", "9.96e18"),
        (f64::MAX, "1.8e308", "1.7976931348623157e308"),
        (0.1 + 0.2, "0.3", "0.3"),
        (1.0 / 3.0, "0.33", "0.333333"),
        (2.0 / 3.0, "0.67", "0.666667"),
        (1e-6, "0", "0.000001"),
        (1.26e-9, "1.3e-9", "1.26e-9"),
        (-5e-324, "-5e-324", "-5e-324"),
        (f64::NAN, "—", "—"),
        (f64::INFINITY, "—", "—"),
    ];
    for (value, text, full) in cases {
        check(*value, &Format::default(), text, full);
    }
}

#[test]
fn symbols_units_and_percent() {
    let currency =
        |code: &str, side| Format { currency: Some(code.into()), currency_position: side, ..Format::default() };
    check(-1234.0, &currency("USD", None), "-$1.2K", "-$1,234.00");
    check(1234.0, &currency("EUR", Some(Side::Right)), "1.2K €", "1,234.00 €");
    check(1234.4, &currency("JPY", None), "¥1.2K", "¥1,234");
    check(1234.0, &currency("CHF", None), "CHF 1.2K", "CHF 1,234.00");
    check(1.5, &currency("KWD", None), "KWD 1.5", "KWD 1.500");
    check(-0.001, &currency("USD", None), "$0", "$0.00");
    check(1e-9, &currency("USD", None), "$0", "$0.00");
    check(2.5e18, &currency("USD", None), "$2.5e18", "$2.5e18");
    check(12.5, &Format { percent: Some(true), ..Format::default() }, "12.5%", "12.5%");
    check(12.5, &Format { unit: Some("h".into()), ..Format::default() }, "12.5 h", "12.5 h");
    check(1234.5, &Format { abbreviate: Some(false), ..Format::default() }, "1,234.5", "1,234.5");
    check(1234.5, &Format { decimals: Some(2), ..Format::default() }, "1.2K", "1,234.50");
}

#[test]
fn the_locale_has_the_marks() {
    let german = Locale { decimal: ",".into(), group: ".".into() };
    let written = write(1_234_567.25, &Format::default(), &german);
    assert_eq!((written.text.as_str(), written.full.as_str()), ("1,2M", "1.234.567,25"));
}

proptest! {
    /// The digits are those that the number has when it is written by the standard library.
    #[test]
    fn the_full_form_has_the_shortest_digits(number in -1_000_000_000_000_000i64..1_000_000_000_000_000, decimals in 0..7i32) {
        let value = number as f64 / 10f64.powi(decimals);
        let locale = Locale { group: String::new(), ..Locale::default() };
        let full = write(value, &Format::default(), &locale).full;
        prop_assume!(format!("{value}").split_once('.').is_none_or(|(_, fraction)| fraction.len() <= 6));
        prop_assert_eq!(full, format!("{value}"));
    }
}

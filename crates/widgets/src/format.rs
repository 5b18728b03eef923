//! How numbers are written: short for tiles and axes, in full for tooltips and screen readers.
//!
//! Rounding is done on the shortest decimal text of the number, half away from zero, so that 1.005 becomes 1.01 as a person
//! expects, and not what its binary neighbor rounds to.

use crate::query::Locale;
use serde::{Deserialize, Serialize};

/// How a widget writes its numbers; what is left out is taken from the mapped columns' settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Format {
    /// Write `1.2K` for 1,234. On unless switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abbreviate: Option<bool>,
    /// ISO 4217 code or a symbol; an empty text removes the columns' currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Where the currency's symbol stands. Left unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency_position: Option<Side>,
    /// Digits after the decimal mark in the full form: 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
    /// Append `%` to the number as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<bool>,
    /// Written behind the number, as `h`; an empty text removes the columns' unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// Before or behind the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// `$1.2K`
    Left,
    /// `1.2K €`
    Right,
}

/// A value as it is shown and as it is spoken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Short, as `$1.2K`.
    pub text: String,
    /// Every digit, grouped, as `$1,234.00`.
    pub full: String,
}

/// Symbols of the currencies that people know by one, and their digits after the decimal mark.
const CURRENCIES: &[(&str, &str, u8)] = &[
    ("AUD", "A$", 2),
    ("BRL", "R$", 2),
    ("CAD", "CA$", 2),
    ("CNY", "CN¥", 2),
    ("EUR", "€", 2),
    ("GBP", "£", 2),
    ("ILS", "₪", 2),
    ("INR", "₹", 2),
    ("JPY", "¥", 0),
    ("KRW", "₩", 0),
    ("MXN", "MX$", 2),
    ("NZD", "NZ$", 2),
    ("PHP", "₱", 2),
    ("TRY", "₺", 2),
    ("UAH", "₴", 2),
    ("USD", "$", 2),
    ("VND", "₫", 0),
];

/// Currencies without a symbol above whose digits are not two.
const DIGITS: &[(&str, u8)] = &[
    ("BHD", 3),
    ("CLP", 0),
    ("ISK", 0),
    ("JOD", 3),
    ("KWD", 3),
    ("OMR", 3),
    ("PYG", 0),
    ("TND", 3),
    ("UGX", 0),
    ("XAF", 0),
    ("XOF", 0),
];

const UNITS: [(&str, i32); 5] = [("", 0), ("K", 3), ("M", 6), ("B", 9), ("T", 12)];

/// Digits that tell any two numbers apart.
const SIGNIFICANT: i32 = 17;

/// Writes a value in both forms; what is not a number is a dash.
pub fn write(value: f64, format: &Format, locale: &Locale) -> Written {
    if !value.is_finite() {
        return Written { text: "—".into(), full: "—".into() };
    }
    let currency = format.currency.as_deref().filter(|c| !c.is_empty());
    let known = currency.and_then(|code| CURRENCIES.iter().find(|known| known.0 == code));
    let symbol = known.map(|known| known.1).or(currency);
    let digits = currency
        .map(|code| known.map(|k| k.2).or_else(|| DIGITS.iter().find(|d| d.0 == code).map(|d| d.1)).unwrap_or(2));
    let decimals = format.decimals.map(|d| d.min(10)).or(digits);
    let small = (decimals.is_none() && is_small(value.abs())).then(|| value.abs() as u32);
    let (short, full) = match small {
        Some(small) => (small.to_string(), small.to_string()),
        None => both(value, format, decimals, locale),
    };
    let unit = format.unit.as_deref().filter(|u| !u.is_empty());
    let is_bare = value >= 0.0 && symbol.is_none() && unit.is_none() && format.percent != Some(true);
    let dress = |number: String| {
        if is_bare {
            return number;
        }
        let negative = value < 0.0 && number.bytes().any(|b| b.is_ascii_digit() && b != b'0');
        let mut text = String::from(if negative { "-" } else { "" });
        match (symbol, format.currency_position) {
            (Some(symbol), Some(Side::Right)) => text.extend([&number, " ", symbol]),
            (Some(symbol), _) => {
                text += symbol;
                // A code is a word: CHF 12.
                text += if symbol.ends_with(char::is_alphabetic) { " " } else { "" };
                text += &number;
            }
            (None, _) => text += &number,
        }
        if format.percent == Some(true) {
            text.push('%');
        } else if let Some(unit) = unit {
            text += " ";
            text += unit;
        }
        text
    };
    Written { text: dress(short), full: dress(full) }
}

/// Most numbers are small counts, which every locale writes alike.
fn is_small(value: f64) -> bool {
    (0.0..1000.0).contains(&value) && value.fract() == 0.0
}

/// Whether both forms of a number are nothing but its digits.
pub(crate) fn is_plain(value: f64, format: &Format) -> bool {
    let is_empty = |text: &Option<String>| text.as_ref().is_none_or(String::is_empty);
    let is_bare = is_empty(&format.currency) && is_empty(&format.unit) && format.percent != Some(true);
    is_small(value) && is_bare && format.decimals.is_none()
}

/// A number's short and its full form, without sign, symbol and unit.
fn both(value: f64, format: &Format, decimals: Option<u8>, locale: &Locale) -> (String, String) {
    let decimal = Decimal::from_value(value);
    let is_beyond = decimal.is_beyond(decimals.is_none());
    let full = match decimals {
        _ if is_beyond => decimal.with_power(locale, SIGNIFICANT),
        Some(digits) => decimal.rounded(0, digits.into()).text(locale, false),
        // Enough for every stored number, few enough for an average.
        None => decimal.rounded(0, 6).text(locale, true),
    };
    let short = match format.abbreviate {
        Some(false) => full.clone(),
        _ if is_beyond => decimal.with_power(locale, 2),
        _ => decimal.abbreviated(locale),
    };
    (short, full)
}

/// The shortest decimal digits of a number: 0.d1d2d3... times ten to the power of `point`.
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    fn from_value(value: f64) -> Decimal {
        // Fifteen digits are enough to tell any two of them apart, so that no shorter ones stand for the same number.
        for (power, places) in [(1.0, 0), (1e2, 2), (1e4, 4)] {
            let whole = (value.abs() * power).round();
            if whole < 1e15 && whole / power == value.abs() {
                let digits = (whole as u64).to_string().into_bytes();
                let point = digits.len() as i32 - places;
                return Decimal { digits: digits.iter().map(|b| b - b'0').collect(), point };
            }
        }
        let text = format!("{:e}", value.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect();
        Decimal { digits, point: exponent.parse::<i32>().unwrap_or(0) + 1 }
    }
    /// Divided by ten to the power of `shift` and rounded to some decimals.
    fn rounded(&self, shift: i32, decimals: i32) -> Rounded {
        let point = self.point - shift;
        let digit = |place: i32| usize::try_from(place).ok().and_then(|p| self.digits.get(p)).copied().unwrap_or(0);
        // Place 0 is the first digit; places before it are zeros, of which one whole one is kept.
        let mut digits: Vec<u8> = (point.min(1) - 1..point + decimals).map(digit).collect();
        if digit(point + decimals) >= 5 {
            let mut at = digits.len();
            loop {
                if at == 0 {
                    digits.insert(0, 1);
                    break;
                }
                at -= 1;
                if digits[at] < 9 {
                    digits[at] += 1;
                    break;
                }
                digits[at] = 0;
            }
        }
        let whole = digits.len() - decimals as usize;
        Rounded { whole: digits[..whole].to_vec(), fraction: digits[whole..].to_vec() }
    }
    /// Whether its digits in a row could not be read: from 1e18 on, and, where no decimals are asked for, below 1e-6.
    fn is_beyond(&self, is_free: bool) -> bool {
        self.point > 18 || is_free && self.point < -5 && self.digits.iter().any(|d| *d != 0)
    }
    /// `1.5e18`, with so many digits at most.
    fn with_power(&self, locale: &Locale, digits: i32) -> String {
        let shift = self.point - 1;
        let rounded = self.rounded(shift, digits - 1);
        // 9.96e18 with two digits is 1e19.
        let carried = rounded.whole.iter().skip_while(|d| **d == 0).count() > 1;
        let (rounded, shift) =
            if carried { (self.rounded(shift + 1, digits - 1), shift + 1) } else { (rounded, shift) };
        format!("{}e{shift}", rounded.text(locale, true))
    }
    fn abbreviated(&self, locale: &Locale) -> String {
        let plain = self.rounded(0, 2);
        if plain.below_thousand() {
            return plain.text(locale, true);
        }
        for (suffix, shift) in &UNITS[1..] {
            let short = self.rounded(*shift, 1);
            if short.below_thousand() || *shift == 12 {
                return short.text(locale, true) + suffix;
            }
        }
        unreachable!("the last unit takes everything")
    }
}

/// Digits before and after the decimal mark.
struct Rounded {
    whole: Vec<u8>,
    fraction: Vec<u8>,
}

impl Rounded {
    fn below_thousand(&self) -> bool {
        self.whole.iter().skip_while(|d| **d == 0).count() <= 3
    }
    fn text(&self, locale: &Locale, cut: bool) -> String {
        let whole: Vec<u8> = self.whole.iter().copied().skip_while(|d| *d == 0).collect();
        let mut text = String::new();
        for (index, digit) in whole.iter().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                text += &locale.group;
            }
            text.push(char::from(b'0' + digit));
        }
        if whole.is_empty() {
            text.push('0');
        }
        let kept =
            if cut { self.fraction.iter().rposition(|d| *d != 0).map_or(0, |i| i + 1) } else { self.fraction.len() };
        if kept > 0 {
            text += &locale.decimal;
            text.extend(self.fraction[..kept].iter().map(|d| char::from(b'0' + d)));
        }
        text
    }
}

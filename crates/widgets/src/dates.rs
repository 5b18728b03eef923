//! Calendar arithmetic on days since 1970-01-01, in the proleptic Gregorian calendar (after Howard Hinnant). Boards use it too.

use serde::{Deserialize, Serialize};

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;

/// Days outside the years 1 to 9999 are taken for no date.
pub(crate) const DAY_MIN: i32 = -719_162;
pub(crate) const DAY_MAX: i32 = 2_932_896;

/// Year, month and day of a day number.
#[inline]
pub fn civil(day: i32) -> (i32, i32, i32) {
    let z = day + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i32::from(month <= 2), month, doy - (153 * mp + 2) / 5 + 1)
}

/// The day number of a date.
#[inline]
pub fn day_of(year: i32, month: i32, day: i32) -> i32 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

/// `2026-11-21`, and nothing else.
pub(crate) fn parse(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<i32>().ok()).flatten();
    let (year, month, day) = (number(text.get(..4)?)?, number(text.get(5..7)?)?, number(text.get(8..)?)?);
    let number =
        (year >= 1 && (1..=12).contains(&month) && (1..=31).contains(&day)).then(|| day_of(year, month, day))?;
    (civil(number) == (year, month, day)).then_some(number)
}

/// A day as `2026-11-21`.
pub(crate) fn iso(day: i32) -> String {
    let (year, month, day) = civil(day);
    let Ok(year @ 0..=9999) = u32::try_from(year) else { return format!("{year:04}-{month:02}-{day:02}") };
    // Answers are full of them: digit by digit takes a tenth of the time.
    let digit = |number: u32, power: u32| char::from(b'0' + (number / power % 10) as u8);
    let mut text = String::with_capacity(10);
    text.extend([1000, 100, 10, 1].map(|power| digit(year, power)));
    for part in [month, day] {
        text.extend(['-', digit(part as u32, 10), digit(part as u32, 1)]);
    }
    text
}

/// The span of time that one category of a date axis covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Bucket {
    /// One calendar day.
    Day,
    /// Seven days from the first day of the week.
    Week,
    /// A calendar month.
    Month,
    /// Three months, the first of them January, April, July or October.
    Quarter,
    /// A calendar year.
    Year,
    /// Ten years, from one divisible by ten.
    Decade,
    /// A hundred years, from one divisible by a hundred.
    Century,
}

impl Bucket {
    /// The next longer span; centuries have none.
    pub(crate) fn coarser(self) -> Option<Bucket> {
        use Bucket::*;
        Some(match self {
            Day => Week,
            Week => Month,
            Month => Quarter,
            Quarter => Year,
            Year => Decade,
            Decade => Century,
            Century => return None,
        })
    }
    /// The first day of the span that holds a day. `week_start`: 0 is Monday.
    pub(crate) fn start(self, day: i32, week_start: u8) -> i32 {
        let (year, month, _) = civil(day);
        match self {
            Bucket::Day => day,
            // 1970-01-01 was a Thursday.
            Bucket::Week => day - (day + 3 - i32::from(week_start)).rem_euclid(7),
            Bucket::Month => day_of(year, month, 1),
            Bucket::Quarter => day_of(year, (month - 1) / 3 * 3 + 1, 1),
            Bucket::Year => day_of(year, 1, 1),
            Bucket::Decade => day_of(year.div_euclid(10) * 10, 1, 1),
            Bucket::Century => day_of(year.div_euclid(100) * 100, 1, 1),
        }
    }
    /// The first day after the span that begins on a day.
    pub(crate) fn next(self, start: i32) -> i32 {
        let (year, month, _) = civil(start);
        let months = |n: i32| day_of(year + (month - 1 + n) / 12, (month - 1 + n) % 12 + 1, 1);
        match self {
            Bucket::Day => start + 1,
            Bucket::Week => start + 7,
            Bucket::Month => months(1),
            Bucket::Quarter => months(3),
            Bucket::Year => day_of(year + 1, 1, 1),
            Bucket::Decade => day_of(year + 10, 1, 1),
            Bucket::Century => day_of(year + 100, 1, 1),
        }
    }
    /// The first day of the span before or after the one that holds a day.
    pub(crate) fn shift(self, day: i32, week_start: u8, by: i32) -> i32 {
        let start = self.start(day, week_start);
        match by {
            0 => start,
            1.. => (0..by).fold(start, |s, _| self.next(s)),
            _ => (by..0).fold(start, |s, _| self.start(s - 1, week_start)),
        }
    }
    /// What the axis says: `2026-11-21`, `2026-11`, `2026 Q4`, `2026`, `2020s`.
    pub(crate) fn label(self, start: i32) -> String {
        let (year, month, _) = civil(start);
        match self {
            Bucket::Day | Bucket::Week => iso(start),
            Bucket::Month => format!("{year:04}-{month:02}"),
            Bucket::Quarter => format!("{year:04} Q{}", (month - 1) / 3 + 1),
            Bucket::Year => format!("{year:04}"),
            Bucket::Decade => format!("{year}s"),
            Bucket::Century => format!("{year}-{}", year + 99),
        }
    }
}

/// Whether a text is a day that there is, as `2026-11-21`.
pub fn is_day(text: &str) -> bool {
    parse(text).is_some()
}

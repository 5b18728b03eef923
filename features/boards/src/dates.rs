//! Dates and instants between text and numbers, without a calendar library: the Arrow form converts every row's.

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar (Howard Hinnant's `days_from_civil`).
pub(crate) fn days_from_civil(year: i32, month: u32, day: u32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = (month as i32 + 9) % 12;
    let day_of_year = (153 * shifted_month + 2) / 5 + day as i32 - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of days since 1970: the way back.
pub(crate) fn civil_from_days(days: i32) -> (i32, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted_month + 2) / 5 + 1) as u32;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 } as u32;
    (year_of_era + era * 400 + i32::from(month <= 2), month, day)
}

/// How many days a month has.
pub(crate) fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970 of `YYYY-MM-DD`; `None` where it is not exactly that, or no such day exists.
pub(crate) fn parse_iso(text: &str) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return None };
    let mut number = 0i32;
    for digit in [y1, y2, y3, y4, m1, m2, d1, d2] {
        number = number * 10 + i32::from(digit.checked_sub(b'0').filter(|d| *d <= 9)?);
    }
    let (year, month, day) = (number / 10_000, (number / 100 % 100) as u32, (number % 100) as u32);
    let exists = (1..=12).contains(&month) && day >= 1 && day <= days_in_month(year, month);
    exists.then(|| days_from_civil(year, month, day))
}

/// Reads instants as they stand in records, quickly where they lie on the same day, or are the same, as the one before.
#[derive(Default)]
pub(crate) struct Instants {
    last: [u8; 24],
    ms: i64,
}

impl Instants {
    /// Milliseconds since 1970 of `YYYY-MM-DDThh:mm:ss.mmmZ`; `None` where it is not exactly that.
    pub(crate) fn read(&mut self, text: &str) -> Option<i64> {
        let bytes: &[u8; 24] = text.as_bytes().try_into().ok()?;
        if self.last != *bytes {
            let [b'T', h1, h2, b':', m1, m2, b':', s1, s2, b'.', i1, i2, i3, b'Z'] = &bytes[10..] else { return None };
            let number = |digits: &[&u8]| {
                digits.iter().try_fold(0i64, |n, d| d.is_ascii_digit().then(|| n * 10 + i64::from(*d - b'0')))
            };
            let seconds = number(&[h1, h2])? * 3_600 + number(&[m1, m2])? * 60 + number(&[s1, s2])?;
            self.ms = i64::from(parse_iso(&text[..10])?) * 86_400_000 + seconds * 1_000 + number(&[i1, i2, i3])?;
            self.last = *bytes;
        }
        Some(self.ms)
    }
}

//! Dates and instants between text and numbers, without a calendar library: both forms of a full board convert every row's.

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar (Howard Hinnant's `days_from_civil`).
pub(crate) fn days_from_civil(year: i32, month: u32, day: u32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = (month as i32 + 9) % 12;
    let day_of_year = (153 * shifted_month + 2) / 5 + day as i32 - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a count of days since 1970-01-01.
pub(crate) fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted_month + 2) / 5 + 1) as u32;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
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

/// Writes instants as the interface does, quickly where they lie on the same day, or are the same, as the one before.
pub(crate) struct Instants {
    last_ms: i64,
    day: i64,
    text: [u8; 24],
}

impl Instants {
    pub(crate) fn new() -> Self {
        Instants { last_ms: i64::MIN, day: i64::MIN, text: *b"0000-00-00T00:00:00.000Z" }
    }

    /// Appends the instant; one outside the years 0 to 9999 becomes the last instant of those, as elsewhere.
    pub(crate) fn write(&mut self, ms: i64, out: &mut Vec<u8>) {
        const DAY_MS: i64 = 86_400_000;
        if ms != self.last_ms {
            let ms = if (-62_167_219_200_000..=253_402_300_799_999).contains(&ms) { ms } else { 253_402_300_799_999 };
            let day = ms.div_euclid(DAY_MS);
            if day != self.day {
                let (year, month, day_of_month) = civil_from_days(day);
                digits(&mut self.text[0..4], year as u32);
                digits(&mut self.text[5..7], month);
                digits(&mut self.text[8..10], day_of_month);
                self.day = day;
            }
            let rest = ms.rem_euclid(DAY_MS) as u32;
            digits(&mut self.text[11..13], rest / 3_600_000);
            digits(&mut self.text[14..16], rest / 60_000 % 60);
            digits(&mut self.text[17..19], rest / 1_000 % 60);
            digits(&mut self.text[20..23], rest % 1_000);
            self.last_ms = ms;
        }
        out.extend_from_slice(&self.text);
    }
}

fn digits(place: &mut [u8], mut number: u32) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

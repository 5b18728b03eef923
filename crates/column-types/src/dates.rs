//! Dates and instants between text and numbers, without a calendar library: the Arrow form converts every row's.

use widgets::dates::day_of;

/// How many days a month has.
#[inline]
pub fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970 of `YYYY-MM-DD`; `None` for other formats and invalid dates.
#[inline]
pub fn parse_iso(text: &str) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return None };
    let mut number = 0i32;
    for digit in [y1, y2, y3, y4, m1, m2, d1, d2] {
        number = number * 10 + i32::from(digit.checked_sub(b'0').filter(|d| *d <= 9)?);
    }
    let (year, month, day) = (number / 10_000, (number / 100 % 100) as u32, (number % 100) as u32);
    let exists = (1..=12).contains(&month) && day >= 1 && day <= days_in_month(year, month);
    exists.then(|| day_of(year, month as i32, day as i32))
}

/// Parses timestamps of records; fast if the day or the timestamp is the same as the one before.
#[derive(Default)]
pub struct Instants {
    last: [u8; 24],
    ms: i64,
}

impl Instants {
    /// Milliseconds since 1970 of `YYYY-MM-DDThh:mm:ss.mmmZ`; `None` where it is not exactly that.
    #[inline]
    pub fn read(&mut self, text: &str) -> Option<i64> {
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

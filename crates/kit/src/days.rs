//! Ranges of local days in inputs.

use crate::error::{Result, invalid};
use crate::fault::{OUT_OF_RANGE, WRONG_FORMAT};
use jiff::ToSpan;
use jiff::civil::Date;

/// Pattern of a day, such as `2026-03-01`.
pub const DAY: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
/// Maximum days in a range.
const DAYS_MAX: i32 = 366;

/// The days `from` and `to`, both inclusive. Without `to` it ends today, without `from` it begins so many days before.
pub fn range(from: Option<&str>, to: Option<&str>, today: Date, days_before: i32) -> Result<(String, String)> {
    let to = day(to, "/to")?.unwrap_or(today);
    let from = day(from, "/from")?.unwrap_or_else(|| to.saturating_sub(days_before.days()));
    if from > to || from < to.saturating_sub((DAYS_MAX - 1).days()) {
        let detail = format!("from must be at most {DAYS_MAX} days before to.");
        return Err(invalid("/from", OUT_OF_RANGE, detail));
    }
    Ok((from.to_string(), to.to_string()))
}

fn day(text: Option<&str>, at: &'static str) -> Result<Option<Date>> {
    let read = |text: &str| {
        let is_plain = text.len() == 10 && text.bytes().all(|sign| sign.is_ascii_digit() || sign == b'-');
        let wrong = || invalid(at, WRONG_FORMAT, "Enter a day such as 2026-03-01.");
        text.parse::<Date>().ok().filter(|_| is_plain).ok_or_else(wrong)
    };
    text.map(read).transpose()
}

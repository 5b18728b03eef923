//! Rules of repetition, in local time.

use crate::value::{Plain, instant, plain};
use crate::write_zone::weekday_text;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan};

/// Days that a rule may look at in one expansion; then it's truncated.
const LOOKS_MAX: usize = 1_000_000;
/// Entries of a list in a rule. Longer ones are cut.
const LIST_MAX: usize = 400;

/// How often a rule repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Frequency {
    Secondly,
    Minutely,
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

#[derive(Debug, Clone, PartialEq)]
enum Until {
    Day(Date),
    Local(DateTime),
    Utc(Timestamp),
}

/// A rule, `RRULE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// How often.
    pub frequency: Frequency,
    /// Every how many of these.
    pub interval: i64,
    /// Occurrences in all.
    pub count: Option<usize>,
    until: Option<Until>,
    by_second: Vec<i8>,
    by_minute: Vec<i8>,
    by_hour: Vec<i8>,
    /// Weekdays, each with the number within its month or year; 0 without.
    pub by_day: Vec<(i16, Weekday)>,
    by_month_day: Vec<i16>,
    by_year_day: Vec<i16>,
    by_week: Vec<i16>,
    by_month: Vec<i16>,
    by_position: Vec<i16>,
    week_start: Weekday,
}

/// Why an expansion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The rule has no more, or none before the end of the window.
    Complete,
    /// It was asked to stop.
    Stopped,
    /// Looking further would take too long.
    TooLong,
}

impl Rule {
    /// Reads a rule. Parts that it doesn't know are ignored.
    pub fn parse(text: &str) -> Option<Rule> {
        let mut rule = Rule {
            frequency: Frequency::Daily,
            interval: 1,
            count: None,
            until: None,
            by_second: Vec::new(),
            by_minute: Vec::new(),
            by_hour: Vec::new(),
            by_day: Vec::new(),
            by_month_day: Vec::new(),
            by_year_day: Vec::new(),
            by_week: Vec::new(),
            by_month: Vec::new(),
            by_position: Vec::new(),
            week_start: Weekday::Monday,
        };
        let mut has_frequency = false;
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_prefix("RRULE:").unwrap_or(&text);
        for part in text.split(';') {
            let Some((key, value)) = part.split_once('=') else { continue };
            let value = value.trim();
            match key.trim() {
                "FREQ" => {
                    rule.frequency = frequency(value)?;
                    has_frequency = true;
                }
                "INTERVAL" => rule.interval = value.parse::<i64>().unwrap_or(1).clamp(1, 1_000_000),
                "COUNT" => rule.count = value.parse().ok().filter(|count| *count > 0),
                "UNTIL" => {
                    rule.until = Some(match plain(value)? {
                        Plain::Day(date) => Until::Day(date),
                        Plain::Local(local) => Until::Local(local),
                        Plain::Utc(at) => Until::Utc(at),
                    });
                }
                "BYSECOND" => rule.by_second = numbers(value, 0, 59),
                "BYMINUTE" => rule.by_minute = numbers(value, 0, 59),
                "BYHOUR" => rule.by_hour = numbers(value, 0, 23),
                "BYDAY" => rule.by_day = value.split(',').take(LIST_MAX).filter_map(day).collect(),
                "BYMONTHDAY" => rule.by_month_day = signed(value, 31),
                "BYYEARDAY" => rule.by_year_day = signed(value, 366),
                "BYWEEKNO" => rule.by_week = signed(value, 53),
                "BYMONTH" => rule.by_month = signed(value, 12).into_iter().filter(|month| *month > 0).collect(),
                "BYSETPOS" => rule.by_position = signed(value, 366),
                "WKST" => rule.week_start = weekday(value).unwrap_or(Weekday::Monday),
                _ => {}
            }
        }
        has_frequency.then_some(rule)
    }

    /// The last day that it may have an occurrence on, by its own words.
    pub fn until_date(&self, zone: &TimeZone) -> Option<Date> {
        Some(match self.until.as_ref()? {
            Until::Day(date) => *date,
            Until::Local(local) => local.date(),
            Until::Utc(at) => zone.to_datetime(*at).date(),
        })
    }

    /// Whether it ends.
    pub const fn ends(&self) -> bool {
        self.count.is_some() || self.until.is_some()
    }

    /// What a form with days of the week can't show, in the rule's own words. Empty if it can show all.
    pub fn beyond_form(&self, start: Date) -> String {
        let is_weekly = self.frequency == Frequency::Weekly;
        let are_days_shown =
            self.by_day.is_empty() || (is_weekly && self.by_day.iter().all(|(number, _)| *number == 0));
        let is_same = |list: &[i16], own: i8| list.is_empty() || list == [i16::from(own)];
        let is_plain = self.frequency_word().is_some()
            && are_days_shown
            && (self.frequency != Frequency::Daily || self.by_month_day.is_empty())
            && is_same(&self.by_month_day, start.day())
            && (self.by_month.is_empty()
                || (self.frequency == Frequency::Yearly && is_same(&self.by_month, start.month())))
            && [self.by_year_day.len(), self.by_week.len(), self.by_position.len()] == [0; 3]
            && [self.by_hour.len(), self.by_minute.len(), self.by_second.len()].iter().all(|count| *count == 0);
        if is_plain { String::new() } else { self.words() }
    }

    /// `daily`, `weekly`, `monthly`, or `yearly`.
    pub const fn frequency_word(&self) -> Option<&'static str> {
        match self.frequency {
            Frequency::Daily => Some("daily"),
            Frequency::Weekly => Some("weekly"),
            Frequency::Monthly => Some("monthly"),
            Frequency::Yearly => Some("yearly"),
            _ => None,
        }
    }

    /// The rule in words.
    fn words(&self) -> String {
        let unit = match self.frequency {
            Frequency::Secondly => "second",
            Frequency::Minutely => "minute",
            Frequency::Hourly => "hour",
            Frequency::Daily => "day",
            Frequency::Weekly => "week",
            Frequency::Monthly => "month",
            Frequency::Yearly => "year",
        };
        let mut words =
            if self.interval == 1 { format!("Every {unit}") } else { format!("Every {} {unit}s", self.interval) };
        let mut days: Vec<String> = self.by_day.iter().map(|(number, day)| day_words(*number, *day)).collect();
        let ordinals = |list: &[i16], what: &str| list.iter().map(|n| format!("{what}{n}")).collect::<Vec<_>>();
        days.extend(ordinals(&self.by_month_day, "day "));
        days.extend(ordinals(&self.by_year_day, "day of the year "));
        days.extend(ordinals(&self.by_week, "week "));
        if !days.is_empty() {
            words.push_str(" on ");
            words.push_str(&days.join(", "));
        }
        if !self.by_month.is_empty() {
            const MONTHS: [&str; 12] = [
                "January",
                "February",
                "March",
                "April",
                "May",
                "June",
                "July",
                "August",
                "September",
                "October",
                "November",
                "December",
            ];
            let months =
                self.by_month.iter().filter_map(|month| MONTHS.get(usize::try_from(*month).ok()?.checked_sub(1)?));
            words.push_str(" in ");
            words.push_str(&months.copied().collect::<Vec<_>>().join(", "));
        }
        if !self.by_hour.is_empty() {
            let hours: Vec<String> = self.by_hour.iter().map(|hour| format!("{hour}:00")).collect();
            words.push_str(" at ");
            words.push_str(&hours.join(", "));
        }
        if !self.by_position.is_empty() {
            let places: Vec<String> = self.by_position.iter().map(i16::to_string).collect();
            words.push_str(&format!(" (number {} of these)", places.join(", ")));
        }
        words
    }

    /// Visits the occurrences of a series that begins at `start`, in order, until `end`. Those long before `from` may be left out.
    /// `visit` returns whether to go on.
    pub(crate) fn visit(
        &self,
        start: DateTime,
        zone: &TimeZone,
        (from, end): (DateTime, DateTime),
        mut visit: impl FnMut(DateTime) -> bool,
    ) -> End {
        let mut walk = Walk { rule: self, start, zone, end, found: 0, looks: 0 };
        // The start always counts, whether it follows the rule or not.
        if !walk.may(start) {
            return End::Complete;
        }
        walk.found = 1;
        if !visit(start) {
            return End::Stopped;
        }
        if self.count == Some(1) {
            return End::Complete;
        }
        let skip_to = if self.count.is_none() { from.max(start) } else { start };
        match self.frequency {
            Frequency::Secondly => walk.by_seconds(1, skip_to, &mut visit),
            Frequency::Minutely => walk.by_seconds(60, skip_to, &mut visit),
            Frequency::Hourly => walk.by_seconds(3600, skip_to, &mut visit),
            _ => walk.by_days(skip_to, &mut visit),
        }
    }

    fn fits_month(&self, date: Date) -> bool {
        self.by_month.is_empty() || self.by_month.contains(&i16::from(date.month()))
    }

    /// Whether the rule has this day, in a period of its frequency.
    fn fits(&self, date: Date, start: Date) -> bool {
        if !self.fits_month(date) {
            return false;
        }
        let has = |list: &[i16], number: i16, all: i16| list.contains(&number) || list.contains(&(number - all - 1));
        let in_month = i16::from(date.day());
        let has_no_days = self.by_day.is_empty() && self.by_month_day.is_empty() && self.by_year_day.is_empty();
        if has_no_days {
            let is_own = match self.frequency {
                Frequency::Yearly if !self.by_week.is_empty() => date.weekday() == start.weekday(),
                Frequency::Yearly => {
                    date.day() == start.day() && (!self.by_month.is_empty() || date.month() == start.month())
                }
                Frequency::Monthly => date.day() == start.day(),
                Frequency::Weekly => date.weekday() == start.weekday(),
                _ => true,
            };
            if !is_own {
                return false;
            }
        }
        (self.by_month_day.is_empty() || has(&self.by_month_day, in_month, i16::from(date.days_in_month())))
            && (self.by_year_day.is_empty() || has(&self.by_year_day, date.day_of_year(), date.days_in_year()))
            && (self.by_week.is_empty() || {
                let (week, weeks) = week_of(date, self.week_start);
                has(&self.by_week, week, weeks)
            })
            && (self.by_day.is_empty() || self.by_day.iter().any(|(number, day)| self.fits_day(date, *number, *day)))
    }

    fn fits_day(&self, date: Date, number: i16, day: Weekday) -> bool {
        if date.weekday() != day {
            return false;
        }
        let of_month = match self.frequency {
            _ if number == 0 => return true,
            Frequency::Monthly => true,
            Frequency::Yearly if self.by_week.is_empty() => !self.by_month.is_empty(),
            // A number means nothing within a week or a day.
            _ => return true,
        };
        let (at, all) = if of_month {
            (i16::from(date.day()), i16::from(date.days_in_month()))
        } else {
            (date.day_of_year(), date.days_in_year())
        };
        if number > 0 { (at - 1) / 7 + 1 == number } else { (all - at) / 7 + 1 == -number }
    }

    /// The times of a day.
    fn times(&self, start: Time) -> Vec<Time> {
        let or_own = |list: &[i8], own: i8| if list.is_empty() { vec![own] } else { list.to_vec() };
        let mut times = Vec::new();
        for hour in or_own(&self.by_hour, start.hour()) {
            for minute in or_own(&self.by_minute, start.minute()) {
                for second in or_own(&self.by_second, start.second()) {
                    times.extend(Time::new(hour, minute, second, 0));
                }
            }
        }
        times
    }

    /// The chosen ones of a period's set, which is in order.
    fn chosen(&self, set: Vec<DateTime>) -> Vec<DateTime> {
        if self.by_position.is_empty() {
            return set;
        }
        let count = set.len();
        let place = |position: &i16| {
            let position = isize::from(*position);
            let index = if position > 0 { position - 1 } else { count as isize + position };
            usize::try_from(index).ok().and_then(|index| set.get(index)).copied()
        };
        let mut chosen: Vec<DateTime> = self.by_position.iter().filter_map(place).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}

/// One expansion.
struct Walk<'a> {
    rule: &'a Rule,
    start: DateTime,
    zone: &'a TimeZone,
    end: DateTime,
    found: usize,
    looks: usize,
}

impl Walk<'_> {
    /// Whether an occurrence may be here: before the end of the window and of the rule.
    fn may(&self, at: DateTime) -> bool {
        let before_until = match &self.rule.until {
            None => true,
            Some(Until::Day(date)) => at.date() <= *date,
            Some(Until::Local(local)) => at <= *local,
            Some(Until::Utc(until)) => instant(at, self.zone).is_some_and(|at| at <= *until),
        };
        at <= self.end && before_until
    }

    /// Visits a period's set. `None` to go on.
    fn give(&mut self, set: Vec<DateTime>, visit: &mut impl FnMut(DateTime) -> bool) -> Option<End> {
        for at in self.rule.chosen(set) {
            if at <= self.start {
                continue;
            }
            if !self.may(at) {
                return Some(End::Complete);
            }
            self.found += 1;
            if !visit(at) {
                return Some(End::Stopped);
            }
            if self.rule.count.is_some_and(|count| self.found >= count) {
                return Some(End::Complete);
            }
        }
        None
    }

    fn by_days(&mut self, skip_to: DateTime, visit: &mut impl FnMut(DateTime) -> bool) -> End {
        let (rule, start) = (self.rule, self.start.date());
        let times = rule.times(self.start.time());
        let first = match rule.frequency {
            Frequency::Yearly => first_of_year(start.year()),
            Frequency::Monthly => Some(start.first_of_month()),
            Frequency::Weekly => start.checked_sub(i64::from(start.weekday().since(rule.week_start)).days()).ok(),
            _ => Some(start),
        };
        let Some(first) = first else { return End::Complete };
        let mut period =
            periods_between(rule.frequency, first, skip_to.date()).saturating_sub(1).max(0) / rule.interval;
        loop {
            let Some((from, days)) = period_at(rule.frequency, first, period.saturating_mul(rule.interval)) else {
                return End::Complete;
            };
            if from > self.end.date()
                || rule.until_date(self.zone).is_some_and(|until| from > until.saturating_add(1.day()))
            {
                return End::Complete;
            }
            self.looks += days + 1;
            if self.looks > LOOKS_MAX {
                return End::TooLong;
            }
            let mut set = Vec::new();
            let mut date = from;
            for _ in 0..days {
                if rule.fits(date, start) {
                    set.extend(times.iter().map(|time| date.to_datetime(*time)));
                    self.looks += times.len();
                }
                match date.tomorrow() {
                    Ok(next) => date = next,
                    Err(_) => break,
                }
            }
            if let Some(end) = self.give(set, visit) {
                return end;
            }
            period += 1;
        }
    }

    fn by_seconds(&mut self, unit: i64, skip_to: DateTime, visit: &mut impl FnMut(DateTime) -> bool) -> End {
        let (rule, start) = (self.rule, self.start);
        let step = unit * rule.interval;
        let mut at_s = (skip_to.duration_since(start).as_secs() / step - 1).max(0).saturating_mul(step);
        loop {
            self.looks += 1;
            let Ok(at) = start.checked_add(SignedDuration::from_secs(at_s)) else { return End::Complete };
            if at.date() > self.end.date() || !self.may(at.start_of_day()) {
                return End::Complete;
            }
            if self.looks > LOOKS_MAX {
                return End::TooLong;
            }
            if !rule.fits(at.date(), start.date()) || !fits_hour(rule, at) {
                // On to the next hour or day.
                let left = if rule.fits(at.date(), start.date()) {
                    3600 - i64::from(at.minute()) * 60 - i64::from(at.second())
                } else {
                    86_400 - i64::from(at.hour()) * 3600 - i64::from(at.minute()) * 60 - i64::from(at.second())
                };
                at_s += left.max(1).div_euclid(step).max(0) * step;
                let Ok(now) = start.checked_add(SignedDuration::from_secs(at_s)) else { return End::Complete };
                if now == at || !rule.fits(now.date(), start.date()) || !fits_hour(rule, now) {
                    at_s += step;
                }
                continue;
            }
            let set = self.within(at);
            if let Some(end) = self.give(set, visit) {
                return end;
            }
            at_s += step;
        }
    }

    /// The set of an hour, a minute, or a second.
    fn within(&self, at: DateTime) -> Vec<DateTime> {
        let rule = self.rule;
        let list = |chosen: &[i8], own: i8, expands: bool| match (chosen.is_empty(), expands) {
            (true, _) => vec![own],
            (false, true) => chosen.to_vec(),
            (false, false) => chosen.iter().copied().filter(|one| *one == own).collect(),
        };
        let minutes = list(&rule.by_minute, at.minute(), rule.frequency == Frequency::Hourly);
        let seconds = list(&rule.by_second, at.second(), rule.frequency != Frequency::Secondly);
        let mut set = Vec::new();
        for minute in minutes {
            for second in &seconds {
                set.extend(Time::new(at.hour(), minute, *second, 0).map(|time| at.date().to_datetime(time)));
            }
        }
        set
    }
}

fn fits_hour(rule: &Rule, at: DateTime) -> bool {
    rule.by_hour.is_empty() || rule.by_hour.contains(&at.hour())
}

fn first_of_year(year: i16) -> Option<Date> {
    Date::new(year, 1, 1).ok()
}

/// Whole periods from the one that begins at `first` to that of `to`.
fn periods_between(frequency: Frequency, first: Date, to: Date) -> i64 {
    let days = || i64::from((to - first).get_days());
    let months =
        || (i64::from(to.year()) - i64::from(first.year())) * 12 + i64::from(to.month()) - i64::from(first.month());
    match frequency {
        Frequency::Yearly => i64::from(to.year()) - i64::from(first.year()),
        Frequency::Monthly => months(),
        Frequency::Weekly => days() / 7,
        _ => days(),
    }
}

/// The first day and the number of days of a period.
fn period_at(frequency: Frequency, first: Date, number: i64) -> Option<(Date, usize)> {
    let year = |year: i64| i16::try_from(year).ok().filter(|year| *year <= 9999);
    match frequency {
        Frequency::Yearly => {
            let date = first_of_year(year(i64::from(first.year()).checked_add(number)?)?)?;
            Some((date, usize::try_from(date.days_in_year()).ok()?))
        }
        Frequency::Monthly => {
            let months = i64::from(first.year()) * 12 + i64::from(first.month()) - 1 + number;
            let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
            let date = Date::new(year(months.div_euclid(12))?, month, 1).ok()?;
            Some((date, usize::try_from(date.days_in_month()).ok()?))
        }
        _ => {
            let each = if frequency == Frequency::Weekly { 7 } else { 1 };
            let days = number.checked_mul(each).filter(|days| *days < 4_000_000)?;
            Some((first.checked_add(days.days()).ok()?, usize::try_from(each).ok()?))
        }
    }
}

/// The number of a day's week in its year, and the weeks of that year. The first week has at least four days of the year.
fn week_of(date: Date, week_start: Weekday) -> (i16, i16) {
    let since = i16::from(date.weekday().since(week_start));
    // The day of the week that decides about the year: its fourth.
    let fourth = date.day_of_year() - since + 3;
    let days = date.days_in_year();
    let weeks_of = |days_in_year: i16, fourth_of_some: i16| {
        let first = (fourth_of_some - 1).rem_euclid(7) + 1;
        (days_in_year - first) / 7 + 1
    };
    if fourth < 1 {
        let before = date.year().checked_sub(1).and_then(first_of_year).map_or(365, |first| first.days_in_year());
        let weeks = weeks_of(before, fourth + before);
        (weeks, weeks)
    } else if fourth > days {
        (1, 52)
    } else {
        ((fourth - 1) / 7 + 1, weeks_of(days, fourth))
    }
}

fn frequency(value: &str) -> Option<Frequency> {
    Some(match value {
        "SECONDLY" => Frequency::Secondly,
        "MINUTELY" => Frequency::Minutely,
        "HOURLY" => Frequency::Hourly,
        "DAILY" => Frequency::Daily,
        "WEEKLY" => Frequency::Weekly,
        "MONTHLY" => Frequency::Monthly,
        "YEARLY" => Frequency::Yearly,
        _ => return None,
    })
}

fn numbers(value: &str, least: i8, most: i8) -> Vec<i8> {
    let read = |text: &str| text.trim().parse::<i8>().ok().filter(|number| (least..=most).contains(number));
    let mut all: Vec<i8> = value.split(',').take(LIST_MAX).filter_map(read).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn signed(value: &str, most: i16) -> Vec<i16> {
    let read = |text: &str| text.trim().parse::<i16>().ok().filter(|number| *number != 0 && number.abs() <= most);
    value.split(',').take(LIST_MAX).filter_map(read).collect()
}

fn day(text: &str) -> Option<(i16, Weekday)> {
    let text = text.trim();
    let (number, name) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let number = if number.is_empty() { 0 } else { number.parse().ok()? };
    Some((number, weekday(name)?))
}

/// A weekday by its two letters.
fn weekday(name: &str) -> Option<Weekday> {
    const ALL: [Weekday; 7] = [
        Weekday::Monday,
        Weekday::Tuesday,
        Weekday::Wednesday,
        Weekday::Thursday,
        Weekday::Friday,
        Weekday::Saturday,
        Weekday::Sunday,
    ];
    ALL.into_iter().find(|day| weekday_text(*day) == name)
}

fn day_words(number: i16, day: Weekday) -> String {
    let name = match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    };
    match number {
        0 => name.to_owned(),
        1 => format!("the first {name}"),
        2 => format!("the second {name}"),
        3 => format!("the third {name}"),
        4 => format!("the fourth {name}"),
        5 => format!("the fifth {name}"),
        -1 => format!("the last {name}"),
        -2 => format!("the second to last {name}"),
        number => format!("{name} number {number}"),
    }
}

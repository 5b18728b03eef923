//! Time zones by the names that calendars give them.

use crate::text::{Component, Line};
use crate::value::{Plain, plain};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::HashMap;

/// A time zone as a calendar names it.
#[derive(Debug, Clone)]
pub struct Zone {
    /// Its name as written, `TZID`.
    pub id: String,
    /// Its name in the time zone database, if it has one.
    pub iana: Option<String>,
    /// Its clocks; `None` if the zone is unknown.
    pub zone: Option<TimeZone>,
}

impl Zone {
    /// Its clocks, or those of `other` if it's unknown.
    pub fn or<'a>(&'a self, other: &'a TimeZone) -> &'a TimeZone {
        self.zone.as_ref().unwrap_or(other)
    }
}

/// The zones that a calendar brings along.
#[derive(Debug, Clone, Default)]
pub struct Zones {
    embedded: HashMap<String, (Option<String>, Option<TimeZone>)>,
}

impl Zones {
    /// The zones of a calendar.
    pub fn of(calendar: &Component) -> Zones {
        let mut embedded = HashMap::new();
        for zone in calendar.children.iter().filter(|child| child.name == "VTIMEZONE").take(200) {
            let location = Some(zone.text("X-LIC-LOCATION")).filter(|name| !name.is_empty());
            embedded.insert(zone.text("TZID").trim().to_owned(), (location, of_rules(zone)));
        }
        Zones { embedded }
    }

    /// The zone of this name: of the time zone database, of Windows, or else one that the calendar brings along.
    pub fn find(&self, id: &str) -> Zone {
        let id = id.trim();
        let named = |name: &str| {
            find_zone(name).map(|(iana, zone)| Zone { id: id.to_owned(), iana: Some(iana), zone: Some(zone) })
        };
        if let Some(zone) = named(id) {
            return zone;
        }
        let embedded = self.embedded.get(id);
        if let Some(zone) = embedded.and_then(|(location, _)| named(location.as_deref()?)) {
            return zone;
        }
        Zone { id: id.to_owned(), iana: None, zone: embedded.and_then(|(_, zone)| zone.clone()) }
    }
}

/// A zone by a name of the time zone database or of Windows, with the former.
pub fn find_zone(name: &str) -> Option<(String, TimeZone)> {
    let name = name.trim().trim_matches('"').trim();
    if name.is_empty() || name.len() > 200 {
        return None;
    }
    if let Some(found) = of_database(name) {
        return Some(found);
    }
    let windows = crate::zone::WINDOWS.iter().find(|(windows, _)| windows.eq_ignore_ascii_case(name));
    if let Some((_, iana)) = windows {
        return of_database(iana);
    }
    // The path of another program's own database: `/mozilla.org/20050126_1/Europe/Berlin`.
    let parts: Vec<&str> = name.split('/').collect();
    let tail = |count: usize| parts.len().checked_sub(count).filter(|at| *at > 0).map(|at| parts[at..].join("/"));
    [3, 2].into_iter().filter_map(tail).find_map(|tail| of_database(&tail))
}

fn of_database(name: &str) -> Option<(String, TimeZone)> {
    if matches!(&*name.to_ascii_uppercase(), "UTC" | "Z" | "ETC/UTC" | "GMT") {
        return Some(("UTC".into(), TimeZone::UTC));
    }
    // Only names of places: `EST` and such are ambiguous outside of the database too, but harmless. No paths of files.
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'-' | b'+'))
        && !name.starts_with('/');
    let zone = is_name.then(|| TimeZone::get(name).ok()).flatten()?;
    let iana = zone.iana_name().unwrap_or(name).to_owned();
    Some((iana, zone))
}

/// One of the two halves of a zone's year.
struct Half {
    offset_s: i64,
    from: Option<Date>,
    /// When it begins each year, as POSIX writes it: `M3.5.0/2`.
    rule: Option<String>,
}

/// A zone by its own rules. The newest ones apply to all years.
fn of_rules(zone: &Component) -> Option<TimeZone> {
    let newest = |name: &str| {
        let halves = zone.children.iter().filter(|child| child.name == name).filter_map(half);
        halves.max_by_key(|half| (half.rule.is_some(), half.from))
    };
    let (standard, daylight) = (newest("STANDARD"), newest("DAYLIGHT"));
    let offset = |seconds: i64| {
        // POSIX counts to the west.
        let (sign, seconds) = if seconds > 0 { ("-", seconds) } else { ("", -seconds) };
        format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    };
    let text = match (&standard, &daylight) {
        (Some(Half { offset_s, rule: Some(ends), .. }), Some(Half { offset_s: summer_s, rule: Some(begins), .. })) => {
            format!("<S>{}<D>{},{begins},{ends}", offset(*offset_s), offset(*summer_s))
                .replace("<S>", "STD")
                .replace("<D>", "DST")
        }
        (Some(half), None) | (None, Some(half)) => format!("STD{}", offset(half.offset_s)),
        // Without rules: the half that began last.
        (Some(standard), Some(daylight)) => {
            let last = if daylight.from > standard.from { daylight } else { standard };
            format!("STD{}", offset(last.offset_s))
        }
        (None, None) => return None,
    };
    TimeZone::posix(&text).ok()
}

fn half(part: &Component) -> Option<Half> {
    let offset_s = offset_s(part.value("TZOFFSETTO"))?;
    let from = part.line("DTSTART").and_then(|line| plain(&line.value));
    let from = match from {
        Some(Plain::Local(local)) => Some(local),
        Some(Plain::Day(date)) => Some(date.at(0, 0, 0, 0)),
        Some(Plain::Utc(at)) => Some(TimeZone::UTC.to_datetime(at)),
        None => None,
    };
    let rule = part.line("RRULE").filter(|line| !has_ended(line)).and_then(|line| {
        let at = from?;
        let time = format!("{}:{:02}:{:02}", at.hour(), at.minute(), at.second());
        Some(format!("{}/{time}", posix_day(line, at.date())?))
    });
    Some(Half { offset_s, from: from.map(|at| at.date()), rule })
}

/// A rule that ended belongs to the zone's history.
fn has_ended(line: &Line) -> bool {
    line.value.to_ascii_uppercase().contains("UNTIL=")
}

/// `+0130` or `-050000`, in seconds.
fn offset_s(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.replace(':', "");
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part = |at: usize| digits.get(at..at + 2).and_then(|two| two.parse::<i64>().ok()).unwrap_or(0);
    let seconds = part(0) * 3600 + part(2) * 60 + part(4);
    (seconds < 24 * 3600).then_some(sign * seconds)
}

/// The yearly day of a rule: a weekday of a month.
fn posix_day(line: &Line, from: Date) -> Option<String> {
    let value = line.value.to_ascii_uppercase();
    let part = |key: &str| value.split(';').find_map(|part| part.trim().strip_prefix(key)?.strip_prefix('='));
    if part("FREQ") != Some("YEARLY") {
        return None;
    }
    let month = part("BYMONTH").map_or(Some(i64::from(from.month())), |month| month.parse().ok())?;
    let day = part("BYDAY")?.split(',').next()?.trim();
    let (number, name) = day.split_at_checked(day.len().checked_sub(2)?)?;
    let weekday = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"].iter().position(|one| *one == name)?;
    let week = match part("BYMONTHDAY") {
        // `8,9,10,11,12,13,14`: the second one.
        Some(days) => (days.split(',').next()?.trim().parse::<i64>().ok()?.max(1) - 1) / 7 + 1,
        None if number.is_empty() => (i64::from(from.day()) - 1) / 7 + 1,
        None => match number.parse::<i64>().ok()? {
            -1 => 5,
            before @ -4..=-2 => 6 + before,
            week @ 1..=5 => week,
            _ => return None,
        },
    };
    ((1..=12).contains(&month) && (1..=5).contains(&week)).then(|| format!("M{month}.{week}.{weekday}"))
}

/// The names that Windows and Outlook give time zones, with those of the time zone database (CLDR, `windowsZones`).
pub(crate) const WINDOWS: &[(&str, &str)] = &[
    ("Dateline Standard Time", "Etc/GMT+12"),
    ("UTC-11", "Etc/GMT+11"),
    ("Aleutian Standard Time", "America/Adak"),
    ("Hawaiian Standard Time", "Pacific/Honolulu"),
    ("Marquesas Standard Time", "Pacific/Marquesas"),
    ("Alaskan Standard Time", "America/Anchorage"),
    ("UTC-09", "Etc/GMT+9"),
    ("Pacific Standard Time (Mexico)", "America/Tijuana"),
    ("UTC-08", "Etc/GMT+8"),
    ("Pacific Standard Time", "America/Los_Angeles"),
    ("US Mountain Standard Time", "America/Phoenix"),
    ("Mountain Standard Time (Mexico)", "America/Mazatlan"),
    ("Mountain Standard Time", "America/Denver"),
    ("Yukon Standard Time", "America/Whitehorse"),
    ("Central America Standard Time", "America/Guatemala"),
    ("Central Standard Time", "America/Chicago"),
    ("Easter Island Standard Time", "Pacific/Easter"),
    ("Central Standard Time (Mexico)", "America/Mexico_City"),
    ("Canada Central Standard Time", "America/Regina"),
    ("SA Pacific Standard Time", "America/Bogota"),
    ("Eastern Standard Time (Mexico)", "America/Cancun"),
    ("Eastern Standard Time", "America/New_York"),
    ("Haiti Standard Time", "America/Port-au-Prince"),
    ("Cuba Standard Time", "America/Havana"),
    ("US Eastern Standard Time", "America/Indiana/Indianapolis"),
    ("Turks And Caicos Standard Time", "America/Grand_Turk"),
    ("Paraguay Standard Time", "America/Asuncion"),
    ("Atlantic Standard Time", "America/Halifax"),
    ("Venezuela Standard Time", "America/Caracas"),
    ("Central Brazilian Standard Time", "America/Cuiaba"),
    ("SA Western Standard Time", "America/La_Paz"),
    ("Pacific SA Standard Time", "America/Santiago"),
    ("Newfoundland Standard Time", "America/St_Johns"),
    ("Tocantins Standard Time", "America/Araguaina"),
    ("E. South America Standard Time", "America/Sao_Paulo"),
    ("SA Eastern Standard Time", "America/Cayenne"),
    ("Argentina Standard Time", "America/Argentina/Buenos_Aires"),
    ("Greenland Standard Time", "America/Nuuk"),
    ("Montevideo Standard Time", "America/Montevideo"),
    ("Magallanes Standard Time", "America/Punta_Arenas"),
    ("Saint Pierre Standard Time", "America/Miquelon"),
    ("Bahia Standard Time", "America/Bahia"),
    ("UTC-02", "Etc/GMT+2"),
    ("Azores Standard Time", "Atlantic/Azores"),
    ("Cape Verde Standard Time", "Atlantic/Cape_Verde"),
    ("GMT Standard Time", "Europe/London"),
    ("Greenwich Standard Time", "Atlantic/Reykjavik"),
    ("Sao Tome Standard Time", "Africa/Sao_Tome"),
    ("Morocco Standard Time", "Africa/Casablanca"),
    ("W. Europe Standard Time", "Europe/Berlin"),
    ("Central Europe Standard Time", "Europe/Budapest"),
    ("Romance Standard Time", "Europe/Paris"),
    ("Central European Standard Time", "Europe/Warsaw"),
    ("W. Central Africa Standard Time", "Africa/Lagos"),
    ("Jordan Standard Time", "Asia/Amman"),
    ("GTB Standard Time", "Europe/Bucharest"),
    ("Middle East Standard Time", "Asia/Beirut"),
    ("Egypt Standard Time", "Africa/Cairo"),
    ("E. Europe Standard Time", "Europe/Chisinau"),
    ("Syria Standard Time", "Asia/Damascus"),
    ("West Bank Standard Time", "Asia/Hebron"),
    ("South Africa Standard Time", "Africa/Johannesburg"),
    ("FLE Standard Time", "Europe/Kiev"),
    ("Israel Standard Time", "Asia/Jerusalem"),
    ("South Sudan Standard Time", "Africa/Juba"),
    ("Kaliningrad Standard Time", "Europe/Kaliningrad"),
    ("Sudan Standard Time", "Africa/Khartoum"),
    ("Libya Standard Time", "Africa/Tripoli"),
    ("Namibia Standard Time", "Africa/Windhoek"),
    ("Arabic Standard Time", "Asia/Baghdad"),
    ("Turkey Standard Time", "Europe/Istanbul"),
    ("Arab Standard Time", "Asia/Riyadh"),
    ("Belarus Standard Time", "Europe/Minsk"),
    ("Russian Standard Time", "Europe/Moscow"),
    ("E. Africa Standard Time", "Africa/Nairobi"),
    ("Volgograd Standard Time", "Europe/Volgograd"),
    ("Iran Standard Time", "Asia/Tehran"),
    ("Arabian Standard Time", "Asia/Dubai"),
    ("Astrakhan Standard Time", "Europe/Astrakhan"),
    ("Azerbaijan Standard Time", "Asia/Baku"),
    ("Russia Time Zone 3", "Europe/Samara"),
    ("Mauritius Standard Time", "Indian/Mauritius"),
    ("Saratov Standard Time", "Europe/Saratov"),
    ("Georgian Standard Time", "Asia/Tbilisi"),
    ("Caucasus Standard Time", "Asia/Yerevan"),
    ("Afghanistan Standard Time", "Asia/Kabul"),
    ("West Asia Standard Time", "Asia/Tashkent"),
    ("Qyzylorda Standard Time", "Asia/Qyzylorda"),
    ("Ekaterinburg Standard Time", "Asia/Yekaterinburg"),
    ("Pakistan Standard Time", "Asia/Karachi"),
    ("India Standard Time", "Asia/Kolkata"),
    ("Sri Lanka Standard Time", "Asia/Colombo"),
    ("Nepal Standard Time", "Asia/Kathmandu"),
    ("Central Asia Standard Time", "Asia/Bishkek"),
    ("Bangladesh Standard Time", "Asia/Dhaka"),
    ("Omsk Standard Time", "Asia/Omsk"),
    ("Myanmar Standard Time", "Asia/Yangon"),
    ("SE Asia Standard Time", "Asia/Bangkok"),
    ("Altai Standard Time", "Asia/Barnaul"),
    ("W. Mongolia Standard Time", "Asia/Hovd"),
    ("North Asia Standard Time", "Asia/Krasnoyarsk"),
    ("N. Central Asia Standard Time", "Asia/Novosibirsk"),
    ("Tomsk Standard Time", "Asia/Tomsk"),
    ("China Standard Time", "Asia/Shanghai"),
    ("North Asia East Standard Time", "Asia/Irkutsk"),
    ("Singapore Standard Time", "Asia/Singapore"),
    ("W. Australia Standard Time", "Australia/Perth"),
    ("Taipei Standard Time", "Asia/Taipei"),
    ("Ulaanbaatar Standard Time", "Asia/Ulaanbaatar"),
    ("Aus Central W. Standard Time", "Australia/Eucla"),
    ("Transbaikal Standard Time", "Asia/Chita"),
    ("Tokyo Standard Time", "Asia/Tokyo"),
    ("North Korea Standard Time", "Asia/Pyongyang"),
    ("Korea Standard Time", "Asia/Seoul"),
    ("Yakutsk Standard Time", "Asia/Yakutsk"),
    ("Cen. Australia Standard Time", "Australia/Adelaide"),
    ("AUS Central Standard Time", "Australia/Darwin"),
    ("E. Australia Standard Time", "Australia/Brisbane"),
    ("AUS Eastern Standard Time", "Australia/Sydney"),
    ("West Pacific Standard Time", "Pacific/Port_Moresby"),
    ("Tasmania Standard Time", "Australia/Hobart"),
    ("Vladivostok Standard Time", "Asia/Vladivostok"),
    ("Lord Howe Standard Time", "Australia/Lord_Howe"),
    ("Bougainville Standard Time", "Pacific/Bougainville"),
    ("Russia Time Zone 10", "Asia/Srednekolymsk"),
    ("Magadan Standard Time", "Asia/Magadan"),
    ("Norfolk Standard Time", "Pacific/Norfolk"),
    ("Sakhalin Standard Time", "Asia/Sakhalin"),
    ("Central Pacific Standard Time", "Pacific/Guadalcanal"),
    ("Russia Time Zone 11", "Asia/Kamchatka"),
    ("New Zealand Standard Time", "Pacific/Auckland"),
    ("UTC+12", "Etc/GMT-12"),
    ("Fiji Standard Time", "Pacific/Fiji"),
    ("Chatham Islands Standard Time", "Pacific/Chatham"),
    ("UTC+13", "Etc/GMT-13"),
    ("Tonga Standard Time", "Pacific/Tongatapu"),
    ("Samoa Standard Time", "Pacific/Apia"),
    ("Line Islands Standard Time", "Pacific/Kiritimati"),
    // Seen in exports of Outlook and Notes: labels, and zones without a name.
    ("Pacific Time (US & Canada)", "America/Los_Angeles"),
    ("Pacific Time (US & Canada), Tijuana", "America/Los_Angeles"),
    ("Mountain Time (US & Canada)", "America/Denver"),
    ("Central Time (US & Canada)", "America/Chicago"),
    ("Eastern Time (US & Canada)", "America/New_York"),
    ("Pacific", "America/Los_Angeles"),
    ("Mountain", "America/Denver"),
    ("Central", "America/Chicago"),
    ("Eastern", "America/New_York"),
];

//! Operations of team time.

use crate::errors::{TEAM_FULL, TEAM_TIME_DISABLED};
use crate::hours::{DAY_MIN, Hours, Status};
use crate::people::{self, Person};
use crate::plan;
use crate::settings::teamTimeEnabled;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use kit::fault::{NOT_A_CHOICE, ONE_OF, REPEATED, WRONG_FORMAT};
use kit::text::expect_name;
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Result, invalid, new_id, not_found, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx};

/// Maximum characters of a name.
const NAME_CHARS_MAX: usize = 100;
/// Most people besides members.
const OTHERS_MAX: i64 = 200;
/// Lengths of meetings, in minutes.
const MEETING_MIN: i64 = 30;
const MEETING_MAX: i64 = DAY_MIN;
/// For schemas: a time of the day.
const CLOCK: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
/// Weekdays as they are sent.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

pub(crate) fn ops() -> Vec<Op> {
    let switched = |op: Op| op.switch(&teamTimeEnabled, &TEAM_TIME_DISABLED);
    [
        Op::new(
            "team.get",
            Method::Get,
            "/team",
            CallerSet::PERSON_AND_AGENTS,
            "Show the local time of each person, and whether they're working now.",
            get,
        )
        .scope("directory:read")
        .synonyms("world clock time zones working hours teammates colleagues")
        .columns(&["name", "timeZone", "day", "time", "status", "changesAt"]),
        Op::new(
            "team.plan",
            Method::Get,
            "/team/plan",
            CallerSet::PERSON_AND_AGENTS,
            "Find times on a day when everyone is working.",
            plan_meeting,
        )
        .example(r#"{"date": "2026-11-30", "timeZone": "Europe/Berlin"}"#)
        .scope("directory:read")
        .synonyms("meeting planner schedule common slots overlap"),
        Op::new(
            "team.people.create",
            Method::Post,
            "/team/people",
            CallerSet::PERSON,
            "Add a person who isn't a member.",
            create,
        )
        .example(r#"{"name": "Ada", "timeZone": "Europe/London"}"#)
        .errors([&TEAM_FULL]),
        Op::new("team.people.get", Method::Get, "/team/people/{personId}", CallerSet::PERSON, "Get a person.", get_one)
            .example(r#"{"personId": "{personId}"}"#),
        Op::new(
            "team.people.update",
            Method::Patch,
            "/team/people/{personId}",
            CallerSet::PERSON,
            "Change a person. A member's name and time zone are changed with `members update`.",
            update,
        )
        .example(r#"{"personId": "{personId}", "start": "08:00", "end": "16:00"}"#),
        Op::new(
            "team.people.delete",
            Method::Delete,
            "/team/people/{personId}",
            CallerSet::PERSON,
            "Delete a person. A member stays, with the default working hours.",
            delete,
        )
        .example(r#"{"personId": "{gonePersonId}"}"#),
    ]
    .map(switched)
    .into()
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// A person with the time there.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TeamPerson")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    name: String,
    /// Whether this is a member.
    is_member: bool,
    /// Such as Europe/Berlin.
    time_zone: String,
    /// Weekdays with working hours: mon, tue, wed, thu, fri, sat, sun.
    days: Vec<&'static str>,
    /// The local start of work, HH:MM.
    start: String,
    /// The local end of work, HH:MM; at or before the start if it's on the next day.
    end: String,
    /// The local date, YYYY-MM-DD.
    day: String,
    /// The local time, HH:MM.
    time: String,
    /// Minutes ahead of UTC now.
    offset_minutes: i64,
    status: Status,
    /// When work ends or begins next; RFC 3339 in UTC. Null without working hours.
    changes_at: Option<String>,
}

impl Record {
    fn new(person: Person, now: Timestamp) -> Record {
        let zone = zone_of(&person);
        let local = now.to_zoned(zone.clone());
        Record {
            days: day_names(person.hours),
            start: clock(person.hours.start_min),
            end: clock(person.hours.end_min),
            day: local.date().to_string(),
            time: format!("{:02}:{:02}", local.hour(), local.minute()),
            offset_minutes: i64::from(local.offset().seconds()) / 60,
            status: person.hours.status(&zone, now),
            changes_at: person.hours.changes(&zone, now).map(|at| rfc3339(at.as_millisecond())),
            id: person.id,
            name: person.name,
            is_member: person.is_member,
            time_zone: person.time_zone,
        }
    }
}

/// The directory and the operations check names of zones, so one that is unknown is of an older list.
fn zone_of(person: &Person) -> TimeZone {
    TimeZone::get(&person.time_zone).unwrap_or(TimeZone::UTC)
}

fn day_names(hours: Hours) -> Vec<&'static str> {
    DAYS.iter().enumerate().filter(|(at, _)| hours.days >> at & 1 == 1).map(|(_, day)| *day).collect()
}

fn clock(minutes: i64) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

fn now(ctx: &Ctx) -> Timestamp {
    Timestamp::from_millisecond(ctx.now_ms()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The team now.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Team")]
#[serde(rename_all = "camelCase")]
struct TeamNow {
    /// This computer's time zone.
    time_zone: String,
    /// People by name.
    items: Vec<Record>,
    /// Names of members whose time zone isn't set.
    members_without_time_zone: Vec<String>,
}

async fn get(ctx: Ctx, call: Call, _: NoParams) -> Result<TeamNow> {
    let team = people::team(&ctx, call.account()).await?;
    let now = now(&ctx);
    Ok(TeamNow {
        time_zone: ctx.home_zone().iana_name().unwrap_or("UTC").to_owned(),
        items: team.people.into_iter().map(|person| Record::new(person, now)).collect(),
        members_without_time_zone: team.without_zone,
    })
}

/// The day of a meeting.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PlanMeeting {
    /// YYYY-MM-DD. Default: today.
    #[schemars(extend("format" = "date"))]
    date: Option<String>,
    /// The time zone of the day. Default: this computer's.
    time_zone: Option<String>,
    /// The length of the meeting in minutes. Default: 30.
    #[schemars(range(min = 30, max = 1440))]
    minutes: Option<i64>,
    /// People who take part, by ID. Default: everybody.
    person_ids: Option<Vec<String>>,
}

/// A span of time.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TeamSpan")]
#[serde(rename_all = "camelCase")]
struct Span {
    /// RFC 3339 in UTC.
    start: String,
    /// RFC 3339 in UTC.
    end: String,
}

/// Half an hour of the day.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TeamSlot")]
#[serde(rename_all = "camelCase")]
struct Slot {
    /// RFC 3339 in UTC.
    start: String,
    /// The local time of the day, HH:MM.
    time: String,
    /// IDs of people who work for all of it.
    working: Vec<String>,
    /// Whether that is everybody.
    is_common: bool,
}

/// Who works when.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TeamPlan")]
#[serde(rename_all = "camelCase")]
struct Planned {
    date: String,
    time_zone: String,
    /// The day in half hours.
    slots: Vec<Slot>,
    /// Spans, long enough for the meeting, in which everyone is working.
    common: Vec<Span>,
    /// The half hours with the most people, if there is no common span.
    best: Vec<Span>,
}

async fn plan_meeting(ctx: Ctx, call: Call, input: PlanMeeting) -> Result<Planned> {
    let zone = match &input.time_zone {
        Some(name) => zone(name)?,
        None => ctx.home_zone(),
    };
    let date = match &input.date {
        Some(text) => text.parse::<Date>().map_err(|_| invalid("/date", WRONG_FORMAT, "Use a date as YYYY-MM-DD."))?,
        None => now(&ctx).to_zoned(zone.clone()).date(),
    };
    let minutes = input.minutes.unwrap_or(MEETING_MIN).clamp(MEETING_MIN, MEETING_MAX);
    let mut team = people::team(&ctx, call.account()).await?.people;
    if let Some(chosen) = &input.person_ids {
        if let Some(at) = chosen.iter().position(|id| team.iter().all(|person| person.id != *id)) {
            return Err(kit::error::unknown(kit::fault::UNKNOWN_MEMBER, format!("/personIds/{at}")));
        }
        team.retain(|person| chosen.contains(&person.id));
    }
    let hours: Vec<(Hours, TimeZone)> = team.iter().map(|person| (person.hours, zone_of(person))).collect();
    let slots = plan::slots(date, &zone, &hours);
    let common = plan::common(&slots, minutes);
    let most = slots.iter().map(works).max().unwrap_or_default();
    let is_best = |slot: &&plan::Slot| common.is_empty() && most > 0 && works(slot) == most;
    let best = slots.iter().filter(is_best).map(|slot| span((slot.start, slot.end))).collect();
    let ids = |slot: &plan::Slot| {
        let works = team.iter().zip(&slot.works).filter(|(_, works)| **works);
        works.map(|(person, _)| person.id.clone()).collect()
    };
    let local = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%H:%M").to_string();
    Ok(Planned {
        date: date.to_string(),
        time_zone: zone.iana_name().unwrap_or("UTC").to_owned(),
        common: common.into_iter().map(span).collect(),
        best,
        slots: slots
            .iter()
            .map(|slot| Slot {
                start: rfc3339(slot.start.as_millisecond()),
                time: local(slot.start),
                working: ids(slot),
                is_common: slot.is_common(),
            })
            .collect(),
    })
}

fn works(slot: &plan::Slot) -> usize {
    slot.works.iter().filter(|works| **works).count()
}

fn span((start, end): (Timestamp, Timestamp)) -> Span {
    Span { start: rfc3339(start.as_millisecond()), end: rfc3339(end.as_millisecond()) }
}

fn zone(name: &str) -> Result<TimeZone> {
    TimeZone::get(name).map_err(|_| invalid("/timeZone", WRONG_FORMAT, "Use a time zone name such as Europe/Berlin."))
}

/// Working hours as they are sent. Omitted fields have the default, or stay unchanged.
struct HoursInput {
    days: Option<Vec<String>>,
    start: Option<String>,
    end: Option<String>,
}

impl HoursInput {
    fn over(&self, old: Hours) -> Result<Hours> {
        let days = match &self.days {
            Some(days) => {
                let mut bits = 0;
                for (at, day) in days.iter().enumerate() {
                    let pointer = format!("/days/{at}");
                    let choices = || format!("Use {}.", DAYS.join(", "));
                    let number = DAYS.iter().position(|name| name == day);
                    let bit = 1 << number.ok_or_else(|| invalid(&pointer, NOT_A_CHOICE, choices()))?;
                    if bits & bit != 0 {
                        return Err(invalid(&pointer, REPEATED, "The list has this day twice."));
                    }
                    bits |= bit;
                }
                bits
            }
            None => old.days,
        };
        let minutes = |text: &Option<String>, pointer: &str, old: i64| match text {
            Some(text) => minutes_of(text).ok_or_else(|| invalid(pointer, WRONG_FORMAT, "Use a time as HH:MM.")),
            None => Ok(old),
        };
        Ok(Hours {
            days,
            start_min: minutes(&self.start, "/start", old.start_min)?,
            end_min: minutes(&self.end, "/end", old.end_min)?,
        })
    }
}

fn minutes_of(text: &str) -> Option<i64> {
    let has_form = text.len() == 5 && text.as_bytes().get(2) == Some(&b':');
    let time: Time = has_form.then(|| text.parse().ok())??;
    Some(i64::from(time.hour()) * 60 + i64::from(time.minute()))
}

/// A person who isn't a member.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewPerson {
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    name: String,
    /// Such as Europe/Berlin.
    time_zone: String,
    /// Weekdays with working hours: mon, tue, wed, thu, fri, sat, sun. Default: Monday to Friday.
    days: Option<Vec<String>>,
    /// The local start of work, HH:MM. Default: 09:00.
    #[schemars(regex(pattern = CLOCK))]
    start: Option<String>,
    /// The local end of work, HH:MM; at or before the start if it's on the next day. Default: 17:00.
    #[schemars(regex(pattern = CLOCK))]
    end: Option<String>,
}

async fn create(ctx: Ctx, call: Call, input: NewPerson) -> Result<Created<Record>> {
    expect_name(&input.name, NAME_CHARS_MAX, "/name")?;
    zone(&input.time_zone)?;
    let hours = HoursInput { days: input.days, start: input.start, end: input.end }.over(Hours::default())?;
    let person = Person {
        id: new_id(),
        name: input.name.trim().to_owned(),
        is_member: false,
        time_zone: input.time_zone,
        hours,
    };
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        if people::count_others(tx, call.account())? >= OTHERS_MAX {
            return Err(TEAM_FULL.error(format!("The limit is {OTHERS_MAX} people besides members. Delete one.")));
        }
        people::put(tx, call.account(), &person, now_ms)?;
        record(tx, &call, now_ms, &person.id, None, Some(summary(&person)))?;
        Ok(person)
    };
    let person = ctx.db().write(write).await?;
    let location = format!("/team/people/{}", person.id);
    Ok(Created { location, record: Record::new(person, now(&ctx)) })
}

/// Names a person.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    person_id: String,
}

async fn one(ctx: &Ctx, account: &str, id: &str) -> Result<Person> {
    let found = people::team(ctx, account).await?.people.into_iter().find(|person| person.id == *id);
    found.ok_or_else(not_found)
}

async fn get_one(ctx: Ctx, call: Call, input: One) -> Result<Record> {
    Ok(Record::new(one(&ctx, call.account(), &input.person_id).await?, now(&ctx)))
}

/// Changes to a person. Omitted fields stay unchanged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdatePerson {
    person_id: String,
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    name: Option<String>,
    /// Such as Europe/Berlin.
    time_zone: Option<String>,
    /// Weekdays with working hours: mon, tue, wed, thu, fri, sat, sun.
    days: Option<Vec<String>>,
    /// The local start of work, HH:MM.
    #[schemars(regex(pattern = CLOCK))]
    start: Option<String>,
    /// The local end of work, HH:MM; at or before the start if it's on the next day.
    #[schemars(regex(pattern = CLOCK))]
    end: Option<String>,
}

async fn update(ctx: Ctx, call: Call, input: UpdatePerson) -> Result<Record> {
    let before = one(&ctx, call.account(), &input.person_id).await?;
    let mut person = before.clone();
    for (given, pointer) in [(input.name.is_some(), "/name"), (input.time_zone.is_some(), "/timeZone")] {
        if given && before.is_member {
            return Err(invalid(
                pointer,
                ONE_OF,
                "This is a member. Change it with `members update`, or on the page Members.",
            ));
        }
    }
    if let Some(name) = input.name {
        expect_name(&name, NAME_CHARS_MAX, "/name")?;
        person.name = name.trim().to_owned();
    }
    if let Some(name) = input.time_zone {
        zone(&name)?;
        person.time_zone = name;
    }
    person.hours = HoursInput { days: input.days, start: input.start, end: input.end }.over(person.hours)?;
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        // Another client deleted it since: it isn't restored.
        if !person.is_member && people::stored(tx, call.account(), &person.id)?.is_none() {
            return Err(not_found());
        }
        people::put(tx, call.account(), &person, now_ms)?;
        record(tx, &call, now_ms, &person.id, Some(summary(&before)), Some(summary(&person)))?;
        Ok(person)
    };
    let person = ctx.db().write(write).await?;
    Ok(Record::new(person, now(&ctx)))
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let person = one(&ctx, call.account(), &input.person_id).await?;
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        people::delete(tx, call.account(), &person.id)?;
        record(tx, &call, now_ms, &person.id, Some(summary(&person)), None)
    };
    ctx.db().write(write).await?;
    Ok(Done)
}

/// What the record of changes says about a person.
fn summary(person: &Person) -> Value {
    let hours = person.hours;
    let (days, start, end) = (day_names(hours), clock(hours.start_min), clock(hours.end_min));
    json!({"name": person.name, "timeZone": person.time_zone, "days": days, "start": start, "end": end})
}

fn record(
    tx: &mut Tx<'_>,
    call: &Call,
    now_ms: i64,
    id: &str,
    before: Option<Value>,
    after: Option<Value>,
) -> Result<()> {
    let change =
        Change { subject: "team-person", subject_id: id, field: "", before: before.as_ref(), after: after.as_ref() };
    tx.record(&call.caller, now_ms, change).map(drop)
}

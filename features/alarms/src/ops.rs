//! Operations on alarms.

use crate::alarm::{Alarm, Outcome, State};
use crate::errors::{ALARM_NOT_RINGING, ALARMS_DISABLED, NO_SNOOZES_LEFT, NOT_UNDERSTOOD};
use crate::input::{CreateAlarm, Fields, UpdateAlarm, default_options, in_minutes, snooze_minutes};
use crate::record::{AlarmRecord, StateName, TimeRecord, UnderstoodRecord};
use crate::rephrase::rephrase;
use crate::settings::alarmsEnabled;
use crate::{ring, rows};
use jiff::tz::TimeZone;
use kit::error::TOO_MANY;
use kit::ids::short_id;
use kit::text::CURSOR;
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, fault, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx};
use when::language::{Understood, understand};
use when::occurrence::{Occurrence, local, zone};

/// Alarms of an account at most.
const ALARMS_MAX: i64 = 1_000;
/// Maximum characters of a sentence.
const TEXT_MAX: usize = 300;

const ONE: &str = "/alarms/{alarmId}";

pub(crate) fn ops() -> Vec<Op> {
    let only_person = CallerSet::PERSON;
    vec![
        Op::new("alarms.list", Method::Get, "/alarms", only_person, "List alarms, oldest first.", list)
            .columns(&["label", "time", "date", "days", "on", "nextAt", "state"]),
        Op::new("alarms.get", Method::Get, ONE, only_person, "Get an alarm.", get)
            .example(r#"{"alarmId": "{alarmId}"}"#),
        Op::new("alarms.sounds", Method::Get, "/alarms/sounds", only_person, "List the built-in sounds.", sounds),
        Op::new(
            "alarms.create",
            Method::Post,
            "/alarms",
            only_person,
            "Create an alarm from a sentence, or from a time with a date or days.",
            create,
        )
        .example(r#"{"text": "every weekday at 9:30 to stand up"}"#)
        .synonyms("wake timer remind reminder clock")
        .errors([&NOT_UNDERSTOOD])
        .switch(&alarmsEnabled, &ALARMS_DISABLED),
        Op::new(
            "alarms.understand",
            Method::Post,
            "/alarms/understand",
            only_person,
            "Show how a sentence is understood, without creating an alarm.",
            preview,
        )
        .example(r#"{"text": "tomorrow at noon in Tokyo"}"#)
        .errors([&NOT_UNDERSTOOD])
        .reads(),
        Op::new(
            "alarms.update",
            Method::Patch,
            ONE,
            only_person,
            "Change an alarm, or turn it on or off. If its time changes, ringing ends.",
            update,
        )
        .example(r#"{"alarmId": "{alarmId}", "time": "08:15"}"#),
        Op::new("alarms.delete", Method::Delete, ONE, only_person, "Delete an alarm.", delete)
            .example(r#"{"alarmId": "{spareAlarmId}"}"#)
            .permanent(),
        Op::new(
            "alarms.ring",
            Method::Post,
            "/alarms/{alarmId}/ring",
            only_person,
            "Ring an alarm now, to try it. Its schedule doesn't change.",
            ring_now,
        )
        .example(r#"{"alarmId": "{alarmId}"}"#)
        .synonyms("test try preview")
        .switch(&alarmsEnabled, &ALARMS_DISABLED),
        Op::new(
            "alarms.snooze",
            Method::Post,
            "/alarms/{alarmId}/snooze",
            only_person,
            "Snooze a ringing alarm. It rings again after its snooze length.",
            snooze,
        )
        .example(r#"{"alarmId": "{ringingAlarmId}"}"#)
        .errors([&ALARM_NOT_RINGING, &NO_SNOOZES_LEFT]),
        Op::new(
            "alarms.dismiss",
            Method::Post,
            "/alarms/{alarmId}/dismiss",
            only_person,
            "Dismiss an alarm that rings, is snoozed, or is held by Focus Mode.",
            dismiss,
        )
        .example(r#"{"alarmId": "{alarmId}"}"#)
        .synonyms("stop silence"),
    ]
}

/// Filters for alarms.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ListAlarms")]
#[serde(deny_unknown_fields)]
struct List {
    /// Only alarms in this state.
    state: Option<StateName>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<AlarmRecord>> {
    let state = input.state.map(StateName::state);
    let alarms = ctx.db().read(move |tx| rows::list(tx, call.account(), state)).await?;
    let part = Part { cursor: input.cursor, limit: input.limit };
    part.page(alarms.iter().map(AlarmRecord::from).collect(), |alarm| (&alarm.id).into())
}

/// Names an alarm.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AlarmId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    alarm_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<AlarmRecord> {
    let alarm = ctx.db().read(move |tx| rows::expect(tx, call.account(), &input.alarm_id)).await?;
    Ok(AlarmRecord::from(&alarm))
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// The built-in sounds.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AlarmSounds")]
struct Sounds {
    sounds: [&'static str; sound::BUILT_IN.len()],
}

async fn sounds(_: Ctx, _: Call, _: NoParams) -> Result<Sounds> {
    Ok(Sounds { sounds: sound::BUILT_IN })
}

/// What a sentence says, and when it would ring.
fn read_sentence(ctx: &Ctx, text: &str) -> Result<(Understood, i64)> {
    kit::text::expect_name(text, TEXT_MAX, "/text")?;
    let home = ctx.home_zone_name();
    let now_ms = ctx.now_ms();
    let understood = understand(text, now_ms, &home).ok_or_else(|| {
        let detail = "Couldn't understand the sentence. Try `every weekday at 9:30` or `tomorrow at noon in Tokyo`, or use the \
                      fields time, date or days, and timeZone.";
        NOT_UNDERSTOOD.error(detail)
    })?;
    if understood.label.chars().count() > crate::input::LABEL_MAX {
        let detail = format!("The alarm's name is too long. Use up to {} characters.", crate::input::LABEL_MAX);
        return Err(invalid("/text", fault::TOO_LONG, detail));
    }
    let next_ms = understood.at_ms.or_else(|| understood.occurrence.next_after(now_ms));
    let next_ms =
        next_ms.ok_or_else(|| invalid("/text", fault::OUT_OF_RANGE, "The time has passed. Use one in the future."))?;
    Ok((understood, next_ms))
}

/// A sentence about an alarm.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UnderstandAlarm")]
#[serde(deny_unknown_fields)]
struct Sentence {
    /// Such as `in 20 minutes`, `every weekday 9:30`, or `next friday 5pm in Tokyo`.
    #[schemars(length(min = 1, max = TEXT_MAX))]
    text: String,
}

async fn preview(ctx: Ctx, _: Call, input: Sentence) -> Result<UnderstoodRecord> {
    let (understood, next_ms) = read_sentence(&ctx, &input.text)?;
    Ok(UnderstoodRecord {
        when: TimeRecord::from(&understood.occurrence),
        label: understood.label,
        next_at: rfc3339(next_ms),
    })
}

/// When a new alarm rings, its next time, and the label of its sentence.
fn new_occurrence(ctx: &Ctx, input: &CreateAlarm, fields: &Fields) -> Result<(Occurrence, i64, String)> {
    let now_ms = ctx.now_ms();
    let is_one_of =
        |pointer| invalid(pointer, fault::ONE_OF, "Send text, inMinutes, or time; they exclude each other.");
    if let Some(text) = &input.text {
        if fields.have_time() || input.in_minutes.is_some() {
            return Err(is_one_of("/text"));
        }
        let (understood, next_ms) = read_sentence(ctx, text)?;
        return Ok((understood.occurrence, next_ms, understood.label));
    }
    let home = ctx.home_zone_name();
    if let Some(minutes) = input.in_minutes {
        if fields.time.is_some() || fields.has_days() {
            return Err(is_one_of("/inMinutes"));
        }
        let next_ms = now_ms + in_minutes(minutes)? * 60_000;
        let zone_name = fields.zone.clone().unwrap_or(home);
        let at = local(next_ms, &zone(&zone_name).unwrap_or(TimeZone::UTC));
        let time = at.time().with().subsec_nanosecond(0).build().unwrap_or(at.time());
        let occurrence = Occurrence { time, date: Some(at.date()), days: Vec::new(), zone: zone_name };
        return Ok((occurrence, next_ms, String::new()));
    }
    let occurrence = fields.occurrence(None, now_ms, &home)?;
    let next_ms = occurrence.next_after(now_ms).unwrap_or(0);
    Ok((occurrence, next_ms, String::new()))
}

async fn create(ctx: Ctx, call: Call, mut input: CreateAlarm) -> Result<Created<AlarmRecord>> {
    let fields = input.fields()?;
    if let Some(text) = input.text.take() {
        kit::text::expect_name(&text, TEXT_MAX, "/text")?;
        let account = call.caller.account.clone();
        input.text = Some(rephrase(&ctx, &account, &text, &ctx.home_zone_name()).await);
    }
    let (occurrence, next_ms, spoken_label) = new_occurrence(&ctx, &input, &fields)?;
    let now_ms = ctx.now_ms();
    let alarm = Alarm {
        id: short_id(),
        label: fields.label.clone().unwrap_or(spoken_label),
        is_on: true,
        occurrence,
        options: fields.options(default_options(&ctx, call.account())),
        next_ms,
        state: State::Idle,
        since_ms: 0,
        until_ms: 0,
        snoozes: 0,
        created_ms: now_ms,
        changed_ms: now_ms,
    };
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        if rows::count(tx, call.account())? >= ALARMS_MAX {
            return Err(TOO_MANY.error(format!("You have {ALARMS_MAX} alarms. Delete some first.")));
        }
        rows::store(tx, &again, call.account(), &alarm)?;
        record(tx, &call, now_ms, &alarm.id, "", None, Some(json!(alarm.label)))?;
        Ok(alarm)
    };
    let alarm = ctx.db().write(write).await?;
    Ok(Created { location: format!("/alarms/{}", alarm.id), record: AlarmRecord::from(&alarm) })
}

fn record(
    tx: &mut Tx<'_>,
    call: &Call,
    now_ms: i64,
    id: &str,
    field: &str,
    before: Option<Value>,
    after: Option<Value>,
) -> Result<()> {
    let change = Change { subject: "alarm", subject_id: id, field, before: before.as_ref(), after: after.as_ref() };
    tx.record(&call.caller, now_ms, change).map(drop)
}

async fn update(ctx: Ctx, call: Call, input: UpdateAlarm) -> Result<AlarmRecord> {
    let fields = input.fields()?;
    let (again, now_ms, home) = (ctx.clone(), ctx.now_ms(), ctx.home_zone_name());
    let write = move |tx: &mut Tx<'_>| {
        let before = rows::expect(tx, call.account(), &input.alarm_id)?;
        let mut alarm = Alarm { changed_ms: now_ms, ..before.clone() };
        if let Some(label) = &fields.label {
            alarm.label.clone_from(label);
        }
        alarm.options = fields.options(alarm.options);
        let turns_on = input.on == Some(true) && !before.is_on;
        if fields.have_time() || turns_on {
            alarm.occurrence = fields.occurrence(Some(&before.occurrence), now_ms, &home)?;
            alarm.set_on(input.on.unwrap_or(before.is_on), now_ms);
        } else if input.on == Some(false) && before.is_on {
            alarm.set_on(false, now_ms);
        }
        record(tx, &call, now_ms, &alarm.id, "", Some(summary(&before)), Some(summary(&alarm)))?;
        ring::settle(tx, &again, call.account(), &alarm, Outcome::Quiet)?;
        Ok(alarm)
    };
    let alarm = ctx.db().write(write).await?;
    Ok(AlarmRecord::from(&alarm))
}

/// What the record of changes says about an alarm.
fn summary(alarm: &Alarm) -> Value {
    json!({"label": alarm.label, "on": alarm.is_on, "time": TimeRecord::from(&alarm.occurrence)})
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let (again, now_ms) = (ctx.clone(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let mut alarm = rows::expect(tx, call.account(), &input.alarm_id)?;
        alarm.rest();
        ring::settle(tx, &again, call.account(), &alarm, Outcome::Quiet)?;
        rows::delete(tx, &again, call.account(), &alarm.id)?;
        record(tx, &call, now_ms, &alarm.id, "", Some(summary(&alarm)), None)
    };
    ctx.db().write(write).await?;
    Ok(Done)
}

async fn ring_now(ctx: Ctx, call: Call, input: One) -> Result<AlarmRecord> {
    let situation = ring::situation(&ctx, call.account()).await?;
    change_state(ctx, call, input.alarm_id, move |alarm| {
        alarm.snoozes = 0;
        alarm.ring(&situation);
        Ok(Outcome::Rings)
    })
    .await
}

/// Snoozes an alarm.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SnoozeAlarm")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Snooze {
    alarm_id: String,
    /// 5, 9, 15, or 30. Default: the alarm's own.
    minutes: Option<i64>,
}

async fn snooze(ctx: Ctx, call: Call, input: Snooze) -> Result<AlarmRecord> {
    let minutes = input.minutes.map(|minutes| snooze_minutes(minutes, "/minutes")).transpose()?;
    let now_ms = ctx.now_ms();
    change_state(ctx, call, input.alarm_id, move |alarm| {
        if alarm.state != State::Ringing {
            return Err(ALARM_NOT_RINGING.error("The alarm isn't ringing."));
        }
        if !alarm.may_snooze() {
            return Err(NO_SNOOZES_LEFT.error(match alarm.options.snoozes_max {
                0 => "This alarm can't be snoozed. Dismiss it.".to_owned(),
                most => format!("The alarm was snoozed {most} times. Dismiss it."),
            }));
        }
        alarm.snooze(minutes.unwrap_or(alarm.options.snooze_minutes), now_ms);
        Ok(Outcome::Quiet)
    })
    .await
}

async fn dismiss(ctx: Ctx, call: Call, input: One) -> Result<AlarmRecord> {
    change_state(ctx, call, input.alarm_id, |alarm| {
        alarm.rest();
        Ok(Outcome::Quiet)
    })
    .await
}

/// Changes what an alarm does, records that, and has it heard or not.
async fn change_state(
    ctx: Ctx,
    call: Call,
    alarm_id: String,
    change: impl FnOnce(&mut Alarm) -> Result<Outcome> + Send + 'static,
) -> Result<AlarmRecord> {
    let (again, now_ms) = (ctx.clone(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let mut alarm = rows::expect(tx, call.account(), &alarm_id)?;
        let before = alarm.state;
        let outcome = change(&mut alarm)?;
        if before != alarm.state {
            let (before, after) = (json!(before.name()), json!(alarm.state.name()));
            record(tx, &call, now_ms, &alarm.id, "state", Some(before), Some(after))?;
        }
        ring::settle(tx, &again, call.account(), &alarm, outcome)?;
        Ok(alarm)
    };
    let alarm = ctx.db().write(write).await?;
    Ok(AlarmRecord::from(&alarm))
}

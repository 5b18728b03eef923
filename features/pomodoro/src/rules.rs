//! Rules that start runs at a time on days of the week.

use crate::presets::{self, CLASSIC};
use crate::run::Run;
use crate::settings::pomodoroScheduleEnabled;
use crate::{focus, rows};
use kit::error::{INTERNAL, TOO_MANY};
use kit::ids::short_id;
use kit::text::CURSOR;
use kit::{
    Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, TimerKind, fault, invalid, not_found, rfc3339,
};
use schedule::{HasSchedule, Timer, effect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Row, Tx, params};
use when::fields::{Day, Fields, TIME, TimeRecord, ZONE_CHARS_MAX};
use when::occurrence::{Occurrence, day_word, days_of};

/// The timers of rules, by the rule's id.
const RULE: &str = "pomodoro.rule";
/// A rule that is due longer than this starts nothing: the program was closed.
const LATE_MS: i64 = 10 * 60_000;
/// Rules of an account at most.
const RULES_MAX: usize = 50;

const ONE: &str = "/pomodoro/rules/{ruleId}";

pub(crate) fn ops() -> Vec<Op> {
    let person = CallerSet::PERSON;
    vec![
        Op::new("pomodoro.rules.list", Method::Get, "/pomodoro/rules", person, "List rules, oldest first.", list)
            .columns(&["id", "presetId", "time", "days", "on", "nextAt"]),
        Op::new("pomodoro.rules.get", Method::Get, ONE, person, "Get a rule.", get)
            .example(r#"{"ruleId": "{pomodoroRuleId}"}"#),
        Op::new(
            "pomodoro.rules.create",
            Method::Post,
            "/pomodoro/rules",
            person,
            "Create a rule that starts a run at a time on days of the week, if none is active.",
            create,
        )
        .example(r#"{"time": "09:00", "days": ["mon", "tue"], "presetId": "{presetId}"}"#),
        Op::new("pomodoro.rules.update", Method::Patch, ONE, person, "Change a rule, or turn it on or off.", update)
            .example(r#"{"ruleId": "{pomodoroRuleId}", "on": false, "presetId": "{presetId}"}"#),
        Op::new("pomodoro.rules.delete", Method::Delete, ONE, person, "Delete a rule.", delete)
            .example(r#"{"ruleId": "{sparePomodoroRuleId}"}"#)
            .permanent(),
    ]
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    id: String,
    preset: String,
    is_on: bool,
    at: Occurrence,
    next_ms: i64,
    created_ms: i64,
}

impl Rule {
    fn set_on(&mut self, is_on: bool, now_ms: i64) {
        self.is_on = is_on;
        self.next_ms = if is_on { self.at.next_after(now_ms).unwrap_or(0) } else { 0 };
    }
}

const SELECT: &str = "SELECT rule_id, preset_id, is_on, at_time, on_days, zone, next_ms, created_ms FROM pomodoro_rules \
     WHERE account_id = $1";

fn of_row(row: &dyn Row) -> Result<Rule> {
    let broken = || INTERNAL.error("A rule has a time that can't be read.");
    let (time, days): (&str, &str) = (row.get(3)?, row.get(4)?);
    let time = time.parse().map_err(|_| broken())?;
    let days = days_of(days.split(',').filter(|day| !day.is_empty())).ok_or_else(broken)?;
    Ok(Rule {
        id: row.get(0)?,
        preset: row.get(1)?,
        is_on: row.get::<i64>(2)? == 1,
        at: Occurrence { time, date: None, days, zone: row.get(5)? },
        next_ms: row.get(6)?,
        created_ms: row.get(7)?,
    })
}

fn find(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Rule>> {
    tx.query_opt(&format!("{SELECT} AND rule_id = $2"), params![account, id], of_row)
}

fn all(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Rule>> {
    tx.query(&format!("{SELECT} ORDER BY created_ms, rule_id"), params![account], of_row)
}

fn remove(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, id: &str) -> Result<()> {
    tx.execute("DELETE FROM pomodoro_rules WHERE account_id = $1 AND rule_id = $2", params![account, id])?;
    schedule::cancel(tx, account, RULE, id)?;
    rows::announce(tx, ctx, account);
    Ok(())
}

fn store(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, rule: &Rule) -> Result<()> {
    remove(tx, ctx, account, &rule.id)?;
    let days: Vec<&str> = rule.at.days.iter().map(|day| day_word(*day)).collect();
    let sql = "INSERT INTO pomodoro_rules (account_id, rule_id, preset_id, is_on, at_time, on_days, zone, next_ms, created_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    tx.execute(
        sql,
        params![
            account,
            &rule.id,
            &rule.preset,
            i64::from(rule.is_on),
            rule.at.time.to_string(),
            days.join(","),
            &rule.at.zone,
            rule.next_ms,
            rule.created_ms
        ],
    )?;
    if rule.next_ms == 0 {
        return Ok(());
    }
    let (account, key) = (account.to_owned(), rule.id.clone());
    let timer = Timer { account, kind: RULE, key, due_ms: rule.next_ms, payload: String::new() };
    schedule::set(tx, &ctx.schedule(), &timer)
}

pub(crate) fn timers() -> TimerKind {
    schedule::prepared_timers(RULE, "couldn't start a Pomodoro run", |ctx, timer| {
        Box::pin(async move {
            let (account, id) = (timer.account.clone(), timer.key.clone());
            let read = move |tx: &mut Tx<'_>| {
                let Some(rule) = find(tx, &account, &id)? else { return Ok(None) };
                // A preset that was deleted is the built-in one.
                let preset = presets::expect(tx, &account, &rule.preset);
                preset.or_else(|_| presets::expect(tx, &account, CLASSIC)).map(Some)
            };
            let preset = ctx.db().read(read).await?;
            let own = preset.as_ref().and_then(|preset| preset.focus_mode.own());
            let (manages_focus, toggles) = focus::before_run(&ctx, &timer.account, own).await?;
            Ok(effect(move |tx| {
                let (account, now_ms) = (&timer.account, ctx.now_ms());
                let Some((mut rule, preset)) = find(tx, account, &timer.key)?.zip(preset) else { return Ok(()) };
                let starts = ctx.setting(account, &pomodoroScheduleEnabled)
                    && now_ms - timer.due_ms <= LATE_MS
                    && rows::find(tx, account)?.is_none();
                if starts {
                    let run = Run { manages_focus, toggles, ..Run::new(preset.name, preset.lengths, now_ms) };
                    rows::store(tx, &ctx, account, None, Some(&run))?;
                }
                rule.set_on(rule.is_on, now_ms);
                store(tx, &ctx, account, &rule)
            }))
        })
    })
}

/// A rule that starts runs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PomodoroRule")]
#[serde(rename_all = "camelCase")]
struct RuleRecord {
    id: String,
    preset_id: String,
    on: bool,
    #[serde(flatten)]
    when: TimeRecord,
    /// When it starts a run next; RFC 3339 in UTC. Null while it's off.
    next_at: Option<String>,
}

impl From<&Rule> for RuleRecord {
    fn from(rule: &Rule) -> RuleRecord {
        RuleRecord {
            id: rule.id.clone(),
            preset_id: rule.preset.clone(),
            on: rule.is_on,
            when: TimeRecord::from(&rule.at),
            next_at: Some(rule.next_ms).filter(|ms| *ms > 0).map(rfc3339),
        }
    }
}

/// A page of rules.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ListPomodoroRules")]
#[serde(deny_unknown_fields)]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<RuleRecord>> {
    let rules = ctx.db().read(move |tx| all(tx, call.account())).await?;
    let part = Part { cursor: input.cursor, limit: input.limit };
    part.page(rules.iter().map(RuleRecord::from).collect(), |rule| (&rule.id).into())
}

/// Names a rule.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "PomodoroRuleId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    rule_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<RuleRecord> {
    let rule = ctx.db().read(move |tx| find(tx, call.account(), &input.rule_id)?.ok_or_else(not_found)).await?;
    Ok(RuleRecord::from(&rule))
}

/// A rule to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreatePomodoroRule")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Create {
    /// Time of day in its time zone: `09:30`.
    #[schemars(regex(pattern = TIME))]
    time: String,
    /// Days of the week.
    #[schemars(length(min = 1, max = 7))]
    days: Vec<Day>,
    /// Time zone, such as `Europe/Paris`. Default: the computer's.
    #[schemars(length(min = 1, max = ZONE_CHARS_MAX))]
    time_zone: Option<String>,
    /// Default: `classic`.
    preset_id: Option<String>,
}

/// Changes to a rule. Omitted fields stay unchanged.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdatePomodoroRule")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    rule_id: String,
    on: Option<bool>,
    /// Time of day in its time zone: `09:30`.
    #[schemars(regex(pattern = TIME))]
    time: Option<String>,
    /// Days of the week.
    #[schemars(length(min = 1, max = 7))]
    days: Option<Vec<Day>>,
    /// Time zone, such as `Europe/Paris`.
    #[schemars(length(min = 1, max = ZONE_CHARS_MAX))]
    time_zone: Option<String>,
    preset_id: Option<String>,
}

fn expect_days(days: Option<&[Day]>) -> Result<()> {
    match days {
        Some([]) => Err(invalid("/days", fault::MISSING, "Name at least one day.")),
        _ => Ok(()),
    }
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<RuleRecord>> {
    expect_days(Some(&input.days))?;
    let fields = Fields::read(Some(&input.time), None, Some(&input.days), input.time_zone.as_deref())?;
    let home = ctx.home_zone_name();
    let now_ms = ctx.now_ms();
    let mut rule = Rule {
        id: short_id(),
        preset: input.preset_id.unwrap_or_else(|| CLASSIC.to_owned()),
        is_on: true,
        at: fields.occurrence(None, now_ms, &home)?,
        next_ms: 0,
        created_ms: now_ms,
    };
    rule.set_on(true, now_ms);
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        if all(tx, call.account())?.len() >= RULES_MAX {
            return Err(TOO_MANY.error(format!("You have {RULES_MAX} rules. Delete some first.")));
        }
        presets::expect(tx, call.account(), &rule.preset)?;
        store(tx, &again, call.account(), &rule)?;
        record(tx, &again, &call, None, Some(&rule))?;
        Ok(rule)
    };
    let rule = ctx.db().write(write).await?;
    Ok(Created { location: format!("/pomodoro/rules/{}", rule.id), record: RuleRecord::from(&rule) })
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<RuleRecord> {
    expect_days(input.days.as_deref())?;
    let fields = Fields::read(input.time.as_deref(), None, input.days.as_deref(), input.time_zone.as_deref())?;
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = find(tx, call.account(), &input.rule_id)?.ok_or_else(not_found)?;
        let (mut rule, now_ms) = (before.clone(), again.now_ms());
        if let Some(preset) = input.preset_id {
            presets::expect(tx, call.account(), &preset)?;
            rule.preset = preset;
        }
        rule.at = fields.occurrence(Some(&before.at), now_ms, &before.at.zone)?;
        rule.set_on(input.on.unwrap_or(before.is_on), now_ms);
        store(tx, &again, call.account(), &rule)?;
        record(tx, &again, &call, Some(&before), Some(&rule))?;
        Ok(rule)
    };
    Ok(RuleRecord::from(&ctx.db().write(write).await?))
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = find(tx, call.account(), &input.rule_id)?.ok_or_else(not_found)?;
        remove(tx, &again, call.account(), &before.id)?;
        record(tx, &again, &call, Some(&before), None)
    };
    ctx.db().write(write).await?;
    Ok(Done)
}

fn record(tx: &mut Tx<'_>, ctx: &Ctx, call: &Call, before: Option<&Rule>, after: Option<&Rule>) -> Result<()> {
    let Some(id) = after.or(before).map(|rule| rule.id.clone()) else { return Ok(()) };
    let summary = |rule: &Rule| -> Value {
        json!({"presetId": rule.preset, "on": rule.is_on, "time": TimeRecord::from(&rule.at)})
    };
    let (before, after) = (before.map(summary), after.map(summary));
    let change =
        Change { subject: "pomodoro-rule", subject_id: &id, field: "", before: before.as_ref(), after: after.as_ref() };
    tx.record(&call.caller, ctx.now_ms(), change).map(drop)
}

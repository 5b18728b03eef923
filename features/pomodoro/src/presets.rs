//! Presets: lengths of focus blocks and breaks.

use crate::rows::announce;
use crate::run::Lengths;
use kit::error::{CONFLICT, TOO_MANY};
use kit::ids::short_id;
use kit::page::expect_within;
use kit::text::{CURSOR, NAME, expect_name};
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, not_found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Row, Tx, params};

/// The id of the built-in preset.
pub(crate) const CLASSIC: &str = "classic";
/// Presets of an account at most.
const PRESETS_MAX: usize = 50;
const NAME_MAX: usize = 100;
const MINUTES_MAX: i64 = 240;
const EVERY_MAX: i64 = 20;

const ONE: &str = "/pomodoro/presets/{presetId}";

pub(crate) fn ops() -> Vec<Op> {
    let person = CallerSet::PERSON;
    vec![
        Op::new(
            "pomodoro.presets.list",
            Method::Get,
            "/pomodoro/presets",
            person,
            "List presets, the built-in one first.",
            list,
        )
        .columns(&["id", "name", "focusMinutes", "breakMinutes", "longBreakMinutes", "longEvery", "focusMode"]),
        Op::new("pomodoro.presets.get", Method::Get, ONE, person, "Get a preset.", get)
            .example(r#"{"presetId": "{presetId}"}"#),
        Op::new("pomodoro.presets.create", Method::Post, "/pomodoro/presets", person, "Create a preset.", create)
            .example(r#"{"name": "Long", "focusMinutes": 50, "breakMinutes": 10}"#),
        Op::new(
            "pomodoro.presets.update",
            Method::Patch,
            ONE,
            person,
            "Change a preset. An active run doesn't change.",
            update,
        )
        .example(r#"{"presetId": "{presetId}", "focusMinutes": 45}"#),
        Op::new(
            "pomodoro.presets.delete",
            Method::Delete,
            ONE,
            person,
            "Delete a preset. Rules that use it start the built-in one.",
            delete,
        )
        .example(r#"{"presetId": "{sparePresetId}"}"#)
        .permanent(),
    ]
}

/// Whether a preset's runs turn Focus Mode on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PomodoroFocusMode")]
#[serde(rename_all = "lowercase")]
pub(crate) enum FocusMode {
    /// As pomodoroAutoEnableFocusModeDefault says.
    #[default]
    Default,
    /// On in focus blocks, off in breaks.
    On,
    /// Left alone.
    Off,
}

impl FocusMode {
    /// The preset's own choice, if it has one.
    pub(crate) fn own(self) -> Option<bool> {
        match self {
            FocusMode::Default => None,
            FocusMode::On => Some(true),
            FocusMode::Off => Some(false),
        }
    }
}

/// A preset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Preset {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) lengths: Lengths,
    pub(crate) focus_mode: FocusMode,
    created_ms: i64,
}

fn classic() -> Preset {
    let lengths = Lengths { focus: 25, short: 5, long: 15, every: 4 };
    Preset { id: CLASSIC.into(), name: "Classic".into(), lengths, focus_mode: FocusMode::Default, created_ms: 0 }
}

const COLUMNS: &str = "preset_id, name, focus_minutes, break_minutes, long_minutes, long_every, focus_mode, created_ms";

fn of_row(row: &dyn Row) -> Result<Preset> {
    let mode: &str = row.get(6)?;
    Ok(Preset {
        id: row.get(0)?,
        name: row.get(1)?,
        lengths: Lengths { focus: row.get(2)?, short: row.get(3)?, long: row.get(4)?, every: row.get(5)? },
        focus_mode: serde_json::from_value(json!(mode)).unwrap_or_default(),
        created_ms: row.get(7)?,
    })
}

/// A preset, also the built-in one.
pub(crate) fn expect(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Preset> {
    if id == CLASSIC {
        return Ok(classic());
    }
    own(tx, account, id)
}

fn own(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Preset> {
    let sql = format!("SELECT {COLUMNS} FROM pomodoro_presets WHERE account_id = $1 AND preset_id = $2");
    tx.query_opt(&sql, params![account, id], of_row)?.ok_or_else(not_found)
}

fn all(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Preset>> {
    let sql = format!("SELECT {COLUMNS} FROM pomodoro_presets WHERE account_id = $1 ORDER BY created_ms, preset_id");
    tx.query(&sql, params![account], of_row)
}

/// A preset of a run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PomodoroPreset")]
#[serde(rename_all = "camelCase")]
struct PresetRecord {
    id: String,
    name: String,
    /// Whether it's the built-in one, which can't be changed.
    built_in: bool,
    focus_minutes: i64,
    break_minutes: i64,
    long_break_minutes: i64,
    /// Focus blocks before a long break; 0 for none.
    long_every: i64,
    focus_mode: FocusMode,
}

impl From<Preset> for PresetRecord {
    fn from(preset: Preset) -> PresetRecord {
        let Lengths { focus, short, long, every } = preset.lengths;
        PresetRecord {
            built_in: preset.id == CLASSIC,
            id: preset.id,
            name: preset.name,
            focus_minutes: focus,
            break_minutes: short,
            long_break_minutes: long,
            long_every: every,
            focus_mode: preset.focus_mode,
        }
    }
}

/// A page of presets.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ListPomodoroPresets")]
#[serde(deny_unknown_fields)]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<PresetRecord>> {
    let own = ctx.db().read(move |tx| all(tx, call.account())).await?;
    let records = std::iter::once(classic()).chain(own).map(PresetRecord::from).collect();
    Part { cursor: input.cursor, limit: input.limit }.page(records, |preset: &PresetRecord| (&preset.id).into())
}

/// Names a preset.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "PomodoroPresetId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    preset_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<PresetRecord> {
    ctx.db().read(move |tx| expect(tx, call.account(), &input.preset_id)).await.map(PresetRecord::from)
}

/// A preset to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreatePomodoroPreset")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Create {
    #[schemars(length(min = 1, max = NAME_MAX), regex(pattern = NAME))]
    name: String,
    #[schemars(range(min = 1, max = MINUTES_MAX))]
    focus_minutes: i64,
    #[schemars(range(min = 1, max = MINUTES_MAX))]
    break_minutes: i64,
    /// Default: 15.
    #[schemars(range(min = 1, max = MINUTES_MAX))]
    long_break_minutes: Option<i64>,
    /// Focus blocks before a long break; 0 for none. Default: 4.
    #[schemars(range(min = 0, max = EVERY_MAX))]
    long_every: Option<i64>,
    /// Default: `default`.
    #[serde(default)]
    focus_mode: FocusMode,
}

/// Changes to a preset. Omitted fields stay unchanged.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdatePomodoroPreset")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    preset_id: String,
    #[schemars(length(min = 1, max = NAME_MAX), regex(pattern = NAME))]
    name: Option<String>,
    #[schemars(range(min = 1, max = MINUTES_MAX))]
    focus_minutes: Option<i64>,
    #[schemars(range(min = 1, max = MINUTES_MAX))]
    break_minutes: Option<i64>,
    #[schemars(range(min = 1, max = MINUTES_MAX))]
    long_break_minutes: Option<i64>,
    /// Focus blocks before a long break; 0 for none.
    #[schemars(range(min = 0, max = EVERY_MAX))]
    long_every: Option<i64>,
    focus_mode: Option<FocusMode>,
}

fn check(preset: &Preset) -> Result<()> {
    expect_name(&preset.name, NAME_MAX, "/name")?;
    let Lengths { focus, short, long, every } = preset.lengths;
    expect_within(focus, 1..=MINUTES_MAX, "/focusMinutes")?;
    expect_within(short, 1..=MINUTES_MAX, "/breakMinutes")?;
    expect_within(long, 1..=MINUTES_MAX, "/longBreakMinutes")?;
    expect_within(every, 0..=EVERY_MAX, "/longEvery").map(drop)
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<PresetRecord>> {
    let lengths = Lengths {
        focus: input.focus_minutes,
        short: input.break_minutes,
        long: input.long_break_minutes.unwrap_or(15),
        every: input.long_every.unwrap_or(4),
    };
    let name = input.name.trim().to_owned();
    let preset = Preset { id: short_id(), name, lengths, focus_mode: input.focus_mode, created_ms: ctx.now_ms() };
    check(&preset)?;
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        if all(tx, call.account())?.len() >= PRESETS_MAX {
            return Err(TOO_MANY.error(format!("You have {PRESETS_MAX} presets. Delete some first.")));
        }
        save(tx, &again, &call, None, Some(&preset))?;
        Ok(preset)
    };
    let preset = ctx.db().write(write).await?;
    Ok(Created { location: format!("/pomodoro/presets/{}", preset.id), record: preset.into() })
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<PresetRecord> {
    expect_own(&input.preset_id)?;
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = own(tx, call.account(), &input.preset_id)?;
        let Lengths { focus, short, long, every } = before.lengths;
        let preset = Preset {
            name: input.name.map_or_else(|| before.name.clone(), |name| name.trim().to_owned()),
            lengths: Lengths {
                focus: input.focus_minutes.unwrap_or(focus),
                short: input.break_minutes.unwrap_or(short),
                long: input.long_break_minutes.unwrap_or(long),
                every: input.long_every.unwrap_or(every),
            },
            focus_mode: input.focus_mode.unwrap_or(before.focus_mode),
            ..before.clone()
        };
        check(&preset)?;
        save(tx, &again, &call, Some(&before), Some(&preset))?;
        Ok(preset)
    };
    ctx.db().write(write).await.map(PresetRecord::from)
}

fn expect_own(id: &str) -> Result<()> {
    match id {
        CLASSIC => Err(CONFLICT.error("The built-in preset can't be changed. Create one of your own.")),
        _ => Ok(()),
    }
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    expect_own(&input.preset_id)?;
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = own(tx, call.account(), &input.preset_id)?;
        save(tx, &again, &call, Some(&before), None)
    };
    ctx.db().write(write).await?;
    Ok(Done)
}

fn save(tx: &mut Tx<'_>, ctx: &Ctx, call: &Call, before: Option<&Preset>, after: Option<&Preset>) -> Result<()> {
    let account = call.account();
    let Some(preset) = after.or(before) else { return Ok(()) };
    tx.execute("DELETE FROM pomodoro_presets WHERE account_id = $1 AND preset_id = $2", params![account, &preset.id])?;
    if let Some(preset) = after {
        let Lengths { focus, short, long, every } = preset.lengths;
        let mode = json!(preset.focus_mode);
        let sql = "INSERT INTO pomodoro_presets (account_id, preset_id, name, focus_minutes, break_minutes, long_minutes, long_every, \
             focus_mode, created_ms, changed_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        let mode = mode.as_str().unwrap_or_default();
        let times = (preset.created_ms, ctx.now_ms());
        tx.execute(sql, params![account, &preset.id, &preset.name, focus, short, long, every, mode, times.0, times.1])?;
    }
    let summary = |preset: &Preset| -> Value {
        let Lengths { focus, short, long, every } = preset.lengths;
        json!({"name": preset.name, "minutes": [focus, short, long], "longEvery": every, "focusMode": preset.focus_mode})
    };
    let (old, new) = (before.map(summary), after.map(summary));
    let change = Change {
        subject: "pomodoro-preset",
        subject_id: &preset.id,
        field: "",
        before: old.as_ref(),
        after: new.as_ref(),
    };
    tx.record(&call.caller, ctx.now_ms(), change)?;
    announce(tx, ctx, account);
    Ok(())
}

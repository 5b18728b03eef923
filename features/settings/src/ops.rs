//! The interface to the settings: the table of its operations, and those on one setting. Those on several are in `batch`.

use crate::batch;
use crate::errors::{AGENT_MAY_NOT_WRITE, CHANGED_SINCE, INSTALLATION_SETTING, INVALID_VALUE, UNKNOWN_SETTING};
use crate::record::{self, SettingRecord, SettingsList};
use crate::snapshot::{Settings, in_force};
use crate::write::{self, Wanted};
use bytes::Bytes;
use events::HasEvents;
use kit::fault;
use kit::page::expect_within;
use kit::text::{CURSOR, id_cursor};
use kit::{Cached, Call, CallerSet, Ctx, Kind, Method, Op, Result, invalid, limits, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};
use store::{HasDb, Tx};

/// Rows of the history in one answer.
const HISTORY_PAGE_MAX: i64 = 500;
/// Bytes of a request with one value: the longest text that a setting takes, 20,000 characters, each written as `\u`
/// escapes of 12 bytes, fits.
const VALUE_BYTES_MAX: usize = 256 * 1024;

pub(crate) fn ops() -> Vec<Op> {
    const READ: &str = "settings:read";
    const WRITE: &str = "settings:write";
    const ONE: &str = "/settings/{key}";
    use Method::{Delete, Get, Patch, Post};
    vec![
        Op::new(
            "settings.list",
            Get,
            "/settings",
            CallerSet::ANYONE_KNOWN,
            "List settings, or search them.",
            list,
        )
        .scope(READ)
        .columns(&["key", "value", "default", "modified", "accepted", "title", "effect"]),
        Op::new(
            "settings.history",
            Get,
            "/settings/history",
            CallerSet::PERSON,
            "List changes of settings, newest first.",
            history,
        )
        .columns(&["at", "key", "from", "to", "actor", "change"]),
        Op::new(
            "settings.export",
            Get,
            "/settings/export",
            CallerSet::PERSON,
            "Export changed settings as a document for `settings.import`.",
            batch::export,
        )
        .document(),
        Op::new(
            "settings.schema",
            Get,
            "/settings/schema",
            CallerSet::ANYONE_KNOWN,
            "Read the JSON Schema of all settings.",
            batch::schema,
        )
        .document()
        .scope(READ),
        Op::new("settings.get", Get, ONE, CallerSet::ANYONE_KNOWN, "Read a setting.", get)
            .scope(READ)
            .common()
            .errors([&UNKNOWN_SETTING]),
        Op::new(
            "settings.set",
            Patch,
            ONE,
            CallerSet::PERSON_AND_AGENTS,
            "Change a setting. null resets it; sessions can write only settings that are open to them.",
            set,
        )
        .example(r#"{"key": "pmBoardDensity", "value": "dense"}"#)
        .scope(WRITE)
        .if_match()
        .common()
        .body_up_to(VALUE_BYTES_MAX)
        .judges_numbers()
        .errors([&UNKNOWN_SETTING, &INVALID_VALUE, &AGENT_MAY_NOT_WRITE, &INSTALLATION_SETTING]),
        Op::new("settings.reset", Delete, ONE, CallerSet::PERSON_AND_AGENTS, "Reset a setting to its default.", reset).example(r#"{"key": "pmBoardDensity"}"#)
            .scope(WRITE)
            .if_match()
            .errors([&UNKNOWN_SETTING, &AGENT_MAY_NOT_WRITE, &INSTALLATION_SETTING]),
        Op::new(
            "settings.change",
            Post,
            "/settings",
            CallerSet::PERSON_AND_AGENTS,
            "Change several settings, all or none. dryRun only shows the changes.",
            batch::change,
        )
        .example(r#"{"changes": {"webmailPageSize": 20}}"#)
        .scope(WRITE)
        .if_match()
        .body_up_to(limits::LARGE_BYTES)
        .judges_numbers()
        .errors([&UNKNOWN_SETTING, &INVALID_VALUE, &AGENT_MAY_NOT_WRITE, &INSTALLATION_SETTING]),
        Op::new(
            "settings.undo",
            Post,
            "/settings/undo",
            CallerSet::PERSON,
            "Undo a change, unless the setting has been changed again since then.",
            undo,
        )
        .example(r#"{"change": "{change}"}"#)
        .if_match()
        .errors([&CHANGED_SINCE, &INVALID_VALUE, &UNKNOWN_SETTING, &INSTALLATION_SETTING]),
        Op::new(
            "settings.import",
            Post,
            "/settings/import",
            CallerSet::PERSON,
            "Import an exported document, all or none. dryRun only shows the changes.",
            batch::import,
        )
        .example(r#"{"document": {"format": "pilothouse-settings", "version": 1, "settings": {"webmailPageSize": 30}}, "mode": "merge"}"#)
        .if_match()
        .body_up_to(batch::DOCUMENT_BYTES_MAX)
        .judges_numbers()
        .errors([&INVALID_VALUE, &UNKNOWN_SETTING, &INSTALLATION_SETTING]),
    ]
}

/// Filters of the list. All apply.
#[derive(Deserialize, JsonSchema, Default, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct List {
    /// Only settings of this area, such as `Sessions & Agents`.
    area: Option<String>,
    /// Only settings of this section.
    section: Option<String>,
    /// Words in the key, title, other names, description, or accepted values.
    q: Option<String>,
    /// Only changed settings (true) or unchanged ones (false).
    modified: Option<bool>,
    /// Only settings that need a restart to take effect.
    pending_restart: Option<bool>,
    /// Only settings that sessions can write.
    agent_writable: Option<bool>,
    /// Only settings not in effect.
    inactive: Option<bool>,
}

async fn list(ctx: Ctx, call: Call, filter: List) -> Result<Cached<SettingsList>> {
    let settings = ctx.service::<Settings>();
    let rows = &settings.catalog.rows;
    one_of(filter.area.as_deref(), rows.iter().map(|spec| spec.area), "area")?;
    one_of(filter.section.as_deref(), rows.iter().map(|spec| spec.section), "section")?;
    let obstacles = record::obstacles(&ctx, &settings, call.account());
    let whole = settings.listed(call.account(), &obstacles);
    if filter == List::default() {
        return Ok(Cached::new(&call, &whole.etag, || whole.bytes));
    }
    let fits = |wanted: Option<bool>, is: bool| wanted.is_none_or(|wanted| wanted == is);
    let shown = |r: &SettingRecord| {
        filter.area.as_deref().is_none_or(|area| area == r.area)
            && filter.section.as_deref().is_none_or(|section| section == r.section)
            && fits(filter.modified, r.modified)
            && fits(filter.pending_restart, r.pending_restart)
            && fits(filter.agent_writable, r.writable_by(Kind::Agent))
            && fits(filter.inactive, !r.effect.active)
            && filter.q.as_deref().is_none_or(|q| r.mentions(q))
    };
    let tag = format!("{}-filtered\"", whole.etag.trim_end_matches('"'));
    Ok(Cached::new(&call, &tag, || {
        let narrowed = record::list(&settings, &obstacles, call.account(), &settings.snapshot(call.account()), shown);
        Bytes::from(serde_json::to_vec(&narrowed).expect("records serialize"))
    }))
}

/// Refuses a word that is none of those that there are: an empty list would read as if there were nothing of the kind.
fn one_of(wanted: Option<&str>, all: impl Iterator<Item = &'static str>, member: &str) -> Result<()> {
    let Some(wanted) = wanted else { return Ok(()) };
    let all: BTreeSet<&str> = all.collect();
    if all.contains(wanted) {
        return Ok(());
    }
    let all = Vec::from_iter(all).join(", ");
    Err(invalid(&format!("/{member}"), fault::NOT_A_CHOICE, format!("Unknown {member}. Available: {all}.")))
}

/// Identifies a setting.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Key {
    key: String,
}

async fn get(ctx: Ctx, call: Call, input: Key) -> Result<SettingRecord> {
    let settings = ctx.service::<Settings>();
    let spec = write::find(&settings, &input.key)?;
    Ok(record::one(&settings, &record::obstacles(&ctx, &settings, call.account()), call.account(), spec))
}

/// A setting after a change.
#[derive(Serialize, JsonSchema)]
struct Changed {
    #[serde(flatten)]
    record: SettingRecord,
    /// Previous value in effect.
    previous: Value,
    /// Whether anything changed.
    changed: bool,
    /// The recorded change, for `settings.undo`; null if nothing changed.
    change: Option<String>,
}

/// A setting's new value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Set {
    key: String,
    /// Value of the setting's type; null resets it.
    value: Value,
}

async fn set(ctx: Ctx, call: Call, input: Set) -> Result<Changed> {
    let settings = ctx.service::<Settings>();
    let spec = write::find(&settings, &input.key)?;
    let wanted = write::check(&settings, &call, spec, &input.value, "/value")?;
    one_change(ctx, call, None, move |_, _| Ok(wanted)).await
}

async fn reset(ctx: Ctx, call: Call, input: Key) -> Result<Changed> {
    let settings = ctx.service::<Settings>();
    let spec = write::find(&settings, &input.key)?;
    write::may_write(&settings, &call, spec)?;
    one_change(ctx, call, None, move |_, _| Ok(Wanted { spec, value: None })).await
}

/// Makes the change that `wanted` decides on, which it does inside the transaction. `undoes` names the recorded change that
/// it takes back.
async fn one_change(
    ctx: Ctx,
    call: Call,
    undoes: Option<String>,
    wanted: impl FnOnce(&mut Tx<'_>, &Call) -> Result<Wanted> + Send + 'static,
) -> Result<Changed> {
    let (settings, bus, now_ms) = (ctx.service::<Settings>(), ctx.events(), ctx.now_ms());
    let (kept, account) = (settings.clone(), call.caller.account.clone());
    let write = move |tx: &mut Tx<'_>| {
        expects(&call, tx)?;
        let wanted = wanted(tx, &call)?;
        let mut planned = write::plan(tx, call.account(), vec![wanted])?;
        let change = write::make(tx, &settings, &bus, &call.caller, now_ms, &planned)?.remove(0);
        if let (Some(undone), Some(undone_by)) = (&undoes, &change) {
            write::mark_undone(tx, call.account(), undone, undone_by)?;
        }
        Ok((planned.remove(0), change))
    };
    let (planned, change) = ctx.db().write(write).await?;
    let record = record::one(&kept, &record::obstacles(&ctx, &kept, &account), &account, planned.wanted.spec);
    Ok(Changed { record, previous: planned.from, changed: planned.alters, change })
}

/// Refuses where `If-Match` names another revision. The list's tag begins with its revision, so either is taken.
pub(crate) fn expects(call: &Call, tx: &mut Tx<'_>) -> Result<()> {
    if call.if_match.is_none() {
        return Ok(());
    }
    call.expects_beginning(write::revision(tx, call.account())?)
}

/// Filter and page of the history.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct HistoryOf {
    /// Only changes of this setting.
    #[serde(default)]
    key: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 500. Default: 100.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<i64>,
}

/// Changes, newest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct History {
    items: Vec<HistoryEntry>,
    /// `cursor` of the next page; null on the last.
    next_cursor: Option<String>,
}

/// One change.
#[derive(Serialize, JsonSchema)]
struct HistoryEntry {
    /// ID of the change, for `settings.undo`.
    change: String,
    key: String,
    /// RFC 3339 in UTC.
    at: String,
    actor: Actor,
    /// Previous value; null if it was the default.
    from: Value,
    /// New value; null for a reset.
    to: Value,
    /// Whether it was undone with `settings.undo` and not redone.
    undone: bool,
}

/// Who made a change.
#[derive(Serialize, JsonSchema)]
struct Actor {
    kind: String,
    /// The token's ID, never the token.
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

async fn history(ctx: Ctx, call: Call, input: HistoryOf) -> Result<History> {
    let limit = expect_within(input.limit.unwrap_or(100), 1..=HISTORY_PAGE_MAX, "/limit")?;
    if !input.key.is_empty() {
        write::find(&ctx.service::<Settings>(), &input.key)?;
    }
    ctx.db()
        .read(move |tx| {
            let mut rows =
                tx.changes(call.account(), "setting", &input.key, id_cursor(input.cursor.as_deref())?, limit + 1)?;
            let more = rows.len() as i64 > limit;
            rows.truncate(limit as usize);
            let next_cursor = rows.last().filter(|_| more).map(|row| row.change_id.clone());
            let undone = match (rows.first(), rows.last()) {
                (Some(newest), Some(oldest)) => {
                    write::undone(tx, call.account(), &oldest.change_id, &newest.change_id)?
                }
                _ => HashSet::new(),
            };
            let items = rows.into_iter().map(|row| HistoryEntry {
                undone: undone.contains(&row.change_id),
                change: row.change_id,
                key: row.subject_id,
                at: rfc3339(row.at_ms),
                actor: Actor { kind: row.actor, id: row.actor_id, session: row.session_id },
                from: row.before.unwrap_or_default(),
                to: row.after.unwrap_or_default(),
            });
            Ok(History { items: items.collect(), next_cursor })
        })
        .await
}

/// A change to undo.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Undo {
    /// `change` of a history entry.
    change: String,
    /// Undo even if the setting has been changed again since then.
    #[serde(default)]
    force: bool,
}

fn no_change() -> kit::error::Error {
    kit::error::NOT_FOUND.error("Change not found. Use `change` from `settings.history`.")
}

async fn undo(ctx: Ctx, call: Call, input: Undo) -> Result<Changed> {
    let settings = ctx.service::<Settings>();
    one_change(ctx, call, Some(input.change.clone()), move |tx, call| {
        let recorded = tx
            .change(call.account(), &input.change)
            .map_err(|error| if error.is(&kit::error::NOT_FOUND) { no_change() } else { error })?;
        if recorded.subject != "setting" {
            return Err(no_change());
        }
        let spec = write::find(&settings, &recorded.subject_id)?;
        let stored = write::stored(tx, call.account(), spec)?;
        if !input.force && stored != recorded.after {
            let now = in_force(spec, stored.as_ref());
            let undone = write::undone(tx, call.account(), &input.change, &input.change)?.contains(&input.change);
            let what = if undone { "The change was already undone" } else { "It was changed again after that" };
            return Err(CHANGED_SINCE.error(format!("{}: {what}. Its value now is {now}.", spec.key)));
        }
        write::check(&settings, call, spec, &recorded.before.unwrap_or_default(), "/change")
    })
    .await
}

//! The interface to the settings.

use crate::errors::{CHANGED_SINCE, INVALID_VALUE, UNKNOWN_SETTING};
use crate::record::{self, SettingRecord, SettingsList};
use crate::snapshot::Settings;
use crate::write::{self, Wanted, Written};
use bytes::Bytes;
use events::HasEvents;
use kit::{Cached, Call, Ctx, Method, Op, Result, Who, invalid, limits, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use store::{HasDb, params};

/// Rows of the history in one answer.
const HISTORY_PAGE_MAX: i64 = 500;
/// What an export says it is.
const EXPORT_FORMAT: &str = "pilothouse-settings";

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
            Who::ANYONE_KNOWN,
            "Lists every setting with its value, default, accepted values and effect; filters narrow the list.",
            list,
        )
        .scope(READ)
        .columns(&["key", "value", "default", "type", "modified"]),
        Op::new(
            "settings.history",
            Get,
            "/settings/history",
            Who::PERSON,
            "Reads who changed which setting when, from what to what, newest first.",
            history,
        )
        .columns(&["at", "key", "from", "to", "change"]),
        Op::new(
            "settings.export",
            Get,
            "/settings/export",
            Who::PERSON,
            "Reads what the user set, as a document that `settings.import` takes.",
            export,
        ),
        Op::new(
            "settings.schema",
            Get,
            "/settings/schema",
            Who::ANYONE_KNOWN,
            "Reads the JSON Schema of all settings together.",
            schema,
        )
        .scope(READ),
        Op::new("settings.get", Get, ONE, Who::ANYONE_KNOWN, "Reads one setting.", get)
            .scope(READ)
            .common()
            .errors([&UNKNOWN_SETTING]),
        Op::new(
            "settings.set",
            Patch,
            ONE,
            Who::PERSON_AND_AGENTS,
            "Changes one setting; null returns it to its default. Sessions may write only settings declared for them.",
            set,
        )
        .scope(WRITE)
        .common()
        .errors([
            &UNKNOWN_SETTING,
            &INVALID_VALUE,
            &crate::errors::AGENT_MAY_NOT_WRITE,
            &crate::errors::INSTALLATION_SETTING,
        ]),
        Op::new("settings.reset", Delete, ONE, Who::PERSON_AND_AGENTS, "Returns one setting to its default.", reset)
            .scope(WRITE)
            .errors([&UNKNOWN_SETTING, &crate::errors::AGENT_MAY_NOT_WRITE, &crate::errors::INSTALLATION_SETTING]),
        Op::new(
            "settings.change",
            Post,
            "/settings",
            Who::PERSON_AND_AGENTS,
            "Changes several settings, all or none; with dryRun only says what would change.",
            change,
        )
        .scope(WRITE)
        .errors([
            &UNKNOWN_SETTING,
            &INVALID_VALUE,
            &crate::errors::AGENT_MAY_NOT_WRITE,
            &crate::errors::INSTALLATION_SETTING,
        ]),
        Op::new(
            "settings.undo",
            Post,
            "/settings/undo",
            Who::PERSON,
            "Takes one recorded change back, unless the setting was changed again since.",
            undo,
        )
        .errors([&CHANGED_SINCE, &INVALID_VALUE]),
        Op::new(
            "settings.import",
            Post,
            "/settings/import",
            Who::PERSON,
            "Takes an exported document, all or none; with dryRun only says what would change.",
            import,
        )
        .body_up_to(limits::LARGE_BYTES)
        .errors([&INVALID_VALUE, &UNKNOWN_SETTING]),
    ]
}

/// Narrows the list; all members together.
#[derive(Deserialize, JsonSchema, Default, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct List {
    /// One area of the specification.
    area: Option<String>,
    /// One section.
    section: Option<String>,
    /// Words that stand in the key, title, description or accepted values.
    q: Option<String>,
    /// Only those that the user set (true) or did not (false).
    modified: Option<bool>,
    /// Only those whose change waits for a restart.
    pending_restart: Option<bool>,
    /// Only those that sessions may write.
    agent_writable: Option<bool>,
    /// Only those without effect here and now.
    inactive: Option<bool>,
}

async fn list(ctx: Ctx, call: Call, filter: List) -> Result<Cached<SettingsList>> {
    let settings = ctx.service::<Settings>();
    let (etag, whole) = settings.listed(call.account());
    if filter == List::default() {
        return Ok(Cached::new(&call, &etag, || whole));
    }
    let account = call.account().to_owned();
    let fits = |wanted: Option<bool>, is: bool| wanted.is_none_or(|wanted| wanted == is);
    let shown = |r: &SettingRecord| {
        filter.area.as_deref().is_none_or(|area| area == r.area)
            && filter.section.as_deref().is_none_or(|section| section == r.section)
            && fits(filter.modified, r.modified)
            && fits(filter.pending_restart, r.pending_restart)
            && fits(filter.agent_writable, r.writable_by(kit::Kind::Agent))
            && fits(filter.inactive, !r.effect.active)
            && filter.q.as_deref().is_none_or(|q| r.mentions(q))
    };
    let narrowed = record::list(&settings, &account, shown);
    let tag = format!("{}-filtered\"", etag.trim_end_matches('"'));
    Ok(Cached::new(&call, &tag, || Bytes::from(serde_json::to_vec(&narrowed).expect("records serialise"))))
}

/// Which setting.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Key {
    key: String,
}

async fn get(ctx: Ctx, call: Call, input: Key) -> Result<SettingRecord> {
    let settings = ctx.service::<Settings>();
    let spec = write::find(&settings, &input.key)?;
    Ok(record::one(&settings, call.account(), spec))
}

/// A setting after a change.
#[derive(Serialize, JsonSchema)]
struct Changed {
    #[serde(flatten)]
    record: SettingRecord,
    /// The value in force before.
    previous: Value,
    /// Whether anything changed.
    changed: bool,
    /// The recorded change, for `settings.undo`.
    change: Option<String>,
}

/// Which setting, and its new value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Set {
    key: String,
    /// Of the setting's type; null returns it to its default.
    value: Value,
}

async fn set(ctx: Ctx, call: Call, input: Set) -> Result<Changed> {
    let settings = ctx.service::<Settings>();
    let spec = write::find(&settings, &input.key)?;
    let wanted = write::check(&settings, &call.caller, spec, &input.value, "/value")?;
    one_change(ctx, call, settings, wanted).await
}

async fn reset(ctx: Ctx, call: Call, input: Key) -> Result<Changed> {
    let settings = ctx.service::<Settings>();
    let spec = write::find(&settings, &input.key)?;
    write::may_write(&settings, &call.caller, spec)?;
    one_change(ctx, call, settings, Wanted { spec, value: None }).await
}

async fn one_change(ctx: Ctx, call: Call, settings: Arc<Settings>, wanted: Wanted) -> Result<Changed> {
    let account = call.caller.account.clone();
    let (mut written, settings) = store_all(ctx, call, settings, vec![wanted]).await?;
    let Written { spec, previous, change } = written.remove(0);
    Ok(Changed { record: record::one(&settings, &account, spec), previous, changed: change.is_some(), change })
}

async fn store_all(
    ctx: Ctx,
    call: Call,
    settings: Arc<Settings>,
    wanted: Vec<Wanted>,
) -> Result<(Vec<Written>, Arc<Settings>)> {
    let (bus, now_ms, kept) = (ctx.events(), ctx.now_ms(), settings.clone());
    let written = ctx
        .db()
        .write(move |tx| {
            let revision = tx.query_opt(
                "SELECT revision FROM settings_revisions WHERE account_id = $1",
                params![call.account()],
                |row| row.get(0),
            )?;
            call.expects(revision.unwrap_or(0))?;
            write::store(tx, &settings, &bus, &call.caller, now_ms, wanted)
        })
        .await?;
    Ok((written, kept))
}

/// Several changes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ChangeMany {
    /// New values by key; null returns one to its default.
    changes: Map<String, Value>,
    /// Only says what would change.
    #[serde(default)]
    dry_run: bool,
}

/// What several changes did, or would do.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedMany {
    dry_run: bool,
    revision: i64,
    /// Each with `key`, `from`, `to`, `changed`, and `change` where it was recorded.
    results: Vec<Value>,
    /// Entries of an imported document that were left out because `skipInvalid` said so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Value>,
}

async fn change(ctx: Ctx, call: Call, input: ChangeMany) -> Result<ChangedMany> {
    let settings = ctx.service::<Settings>();
    let (wanted, refusals) = check_all(&settings, &call, &input.changes, "/changes");
    if let Some(refusal) = write::join(refusals.into_iter().map(|(_, _, e)| e).collect()) {
        return Err(refusal);
    }
    change_all(ctx, call, settings, wanted, input.dry_run, Vec::new()).await
}

type Refused = (String, Value, kit::Error);

fn check_all(
    settings: &Settings,
    call: &Call,
    changes: &Map<String, Value>,
    within: &str,
) -> (Vec<Wanted>, Vec<Refused>) {
    let (mut wanted, mut refused) = (Vec::new(), Vec::new());
    for (key, value) in changes {
        let pointer = format!("{within}/{}", key.replace('~', "~0").replace('/', "~1"));
        let checked = write::find(settings, key)
            .map_err(|e| {
                let detail = e.detail().to_owned();
                e.at(&pointer, "unknown-setting", detail)
            })
            .and_then(|spec| write::check(settings, &call.caller, spec, value, &pointer));
        match checked {
            Ok(change) => wanted.push(change),
            Err(e) => refused.push((key.clone(), value.clone(), e)),
        }
    }
    (wanted, refused)
}

async fn change_all(
    ctx: Ctx,
    call: Call,
    settings: Arc<Settings>,
    wanted: Vec<Wanted>,
    dry_run: bool,
    skipped: Vec<Value>,
) -> Result<ChangedMany> {
    let account = call.caller.account.clone();
    let mut results = write::preview(&settings, &account, &wanted);
    if !dry_run {
        let (written, _) = store_all(ctx, call, settings.clone(), wanted).await?;
        for (result, written) in results.iter_mut().zip(written) {
            result["from"] = written.previous;
            result["changed"] = json!(written.change.is_some());
            result["change"] = json!(written.change);
        }
    }
    Ok(ChangedMany { dry_run, revision: settings.snapshot(&account).revision, results, skipped })
}

/// Which part of the history.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct HistoryOf {
    /// One setting; all where left out.
    #[serde(default)]
    key: String,
    /// From an earlier answer.
    cursor: Option<String>,
    /// 1 to 500; 100 where left out.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<i64>,
}

/// Changes, newest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct History {
    items: Vec<HistoryEntry>,
    /// Pass it as `cursor` for the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// One change.
#[derive(Serialize, JsonSchema)]
struct HistoryEntry {
    /// For `settings.undo`.
    change: String,
    key: String,
    /// RFC 3339 in UTC.
    at: String,
    actor: Actor,
    /// The value that was set before; null where none was.
    from: Value,
    /// The value set; null for back to the default.
    to: Value,
}

/// Who made a change.
#[derive(Serialize, JsonSchema)]
struct Actor {
    kind: String,
    /// The token's id, never the token.
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

async fn history(ctx: Ctx, call: Call, input: HistoryOf) -> Result<History> {
    let limit = match input.limit.unwrap_or(100) {
        limit @ 1..=HISTORY_PAGE_MAX => limit,
        _ => return Err(invalid("/limit", "out-of-range", format!("1 to {HISTORY_PAGE_MAX} is accepted."))),
    };
    if !input.key.is_empty() {
        write::find(&ctx.service::<Settings>(), &input.key)?;
    }
    ctx.db()
        .read(move |tx| {
            let mut rows = tx.changes(call.account(), "setting", &input.key, input.cursor.as_deref(), limit + 1)?;
            let more = rows.len() as i64 > limit;
            rows.truncate(limit as usize);
            let next_cursor = rows.last().filter(|_| more).map(|row| row.change_id.clone());
            let items = rows.into_iter().map(|row| HistoryEntry {
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

/// Which change to take back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Undo {
    /// `change` of a history entry.
    change: String,
    /// Also when the setting was changed again since.
    #[serde(default)]
    force: bool,
}

async fn undo(ctx: Ctx, call: Call, input: Undo) -> Result<Changed> {
    let settings = ctx.service::<Settings>();
    let account = call.caller.account.clone();
    let wanted_change = input.change.clone();
    let recorded = ctx.db().read(move |tx| tx.change(&account, &wanted_change)).await?;
    if recorded.subject != "setting" {
        return Err(kit::not_found());
    }
    let spec = write::find(&settings, &recorded.subject_id)?;
    if !input.force && settings.stored(call.account(), spec) != recorded.after {
        let detail = format!(
            "{} was changed again after that. Its value now is {}.",
            spec.key,
            settings.value(call.account(), spec)
        );
        return Err(CHANGED_SINCE.error(detail));
    }
    let wanted = write::check(&settings, &call.caller, spec, &recorded.before.unwrap_or_default(), "/change")?;
    one_change(ctx, call, settings, wanted).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// What the user set, as a document.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Document {
    /// `pilothouse-settings`.
    format: String,
    /// 1.
    version: u32,
    /// RFC 3339 in UTC.
    #[serde(default)]
    exported_at: String,
    /// Values by key; only what the user set.
    settings: Map<String, Value>,
}

async fn export(ctx: Ctx, call: Call, _: Nothing) -> Result<Document> {
    let stored = ctx.service::<Settings>().snapshot(call.account());
    Ok(Document {
        format: EXPORT_FORMAT.into(),
        version: 1,
        exported_at: rfc3339(ctx.now_ms()),
        settings: stored.stored.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
    })
}

/// How an import meets what is already set.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Settings that the document does not name stay.
    #[default]
    Merge,
    /// Settings that the document does not name return to their defaults.
    Replace,
}

/// A document to take.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Import {
    document: Document,
    #[serde(default)]
    mode: Mode,
    /// Leave out what is unknown or not accepted, and say so, instead of changing nothing.
    #[serde(default)]
    skip_invalid: bool,
    /// Only says what would change.
    #[serde(default)]
    dry_run: bool,
}

async fn import(ctx: Ctx, call: Call, input: Import) -> Result<ChangedMany> {
    if input.document.format != EXPORT_FORMAT || input.document.version != 1 {
        return Err(invalid(
            "/document/format",
            "not-a-choice",
            format!("A document of format {EXPORT_FORMAT}, version 1, is accepted."),
        ));
    }
    let settings = ctx.service::<Settings>();
    let (mut wanted, refused) = check_all(&settings, &call, &input.document.settings, "/document/settings");
    let mut skipped = Vec::new();
    if input.skip_invalid {
        skipped = refused
            .into_iter()
            .map(|(key, value, e)| json!({"key": key, "value": value, "code": e.code().name, "detail": e.detail()}))
            .collect();
    } else if let Some(refusal) = write::join(refused.into_iter().map(|(_, _, e)| e).collect()) {
        return Err(refusal);
    }
    if input.mode == Mode::Replace {
        let stored = settings.snapshot(call.account());
        let named = |key: &str| input.document.settings.contains_key(key);
        let left_out = stored.stored.keys().filter(|key| !named(key)).filter_map(|key| settings.catalogue.find(key));
        wanted.extend(left_out.map(|spec| Wanted { spec, value: None }));
    }
    change_all(ctx, call, settings, wanted, input.dry_run, skipped).await
}

/// JSON Schema of all settings together.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct SchemaDocument(Map<String, Value>);

async fn schema(ctx: Ctx, _: Call, _: Nothing) -> Result<SchemaDocument> {
    let settings = ctx.service::<Settings>();
    let properties: Map<String, Value> = settings
        .catalogue
        .rows
        .iter()
        .map(|spec| {
            let mut schema = spec.schema();
            schema["title"] = spec.title().into();
            schema["description"] = spec.doc.trim().into();
            schema["default"] = spec.default_json();
            (spec.key.to_owned(), schema)
        })
        .collect();
    let document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of Pilothouse",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    match document {
        Value::Object(members) => Ok(SchemaDocument(members)),
        _ => unreachable!("the document above is an object"),
    }
}

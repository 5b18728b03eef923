//! Several settings at once: changes all or none, export and import, and the schema of all.

use crate::ops::expects;
use crate::record;
use crate::snapshot::Settings;
use crate::write::{self, Planned, Wanted};
use events::HasEvents;
use kit::fault;
use kit::{Call, Ctx, Error, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use store::{HasDb, Tx};

/// What an export says it is.
const EXPORT_FORMAT: &str = "pilothouse-settings";
/// The version of that format.
const EXPORT_VERSION: u32 = 1;

/// Settings that one request may name: several times as many as there are, since other versions know others.
const ENTRIES_MAX: usize = 1_000;
/// Unknown keys of one request for which near ones are looked for.
const SUGGESTED_MAX: usize = 10;
/// Bytes of a document: an export of every setting at its longest comes to less.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Several changes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ChangeMany {
    /// New values by key, at most 1,000; null resets a setting.
    #[schemars(extend("maxProperties" = ENTRIES_MAX))]
    changes: Map<String, Value>,
    /// Only return the changes.
    #[serde(default)]
    dry_run: bool,
}

/// Result of several changes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedMany {
    dry_run: bool,
    /// Revision after the changes.
    revision: i64,
    changes: Vec<Difference>,
    /// Keys that already have the given value.
    unchanged: Vec<&'static str>,
    /// Entries of the imported document that were left out: those unknown when it was exported and, with `skipInvalid`,
    /// unknown or invalid ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
}

/// A setting that changes.
#[derive(Serialize, JsonSchema)]
struct Difference {
    key: &'static str,
    /// Previous value in effect.
    from: Value,
    /// New value in effect.
    to: Value,
    /// The recorded change, for `settings.undo`; null in a dry run.
    change: Option<String>,
}

/// An entry that was left out.
#[derive(Serialize, JsonSchema)]
struct Skipped {
    key: String,
    value: Value,
    /// `unknown-setting`, `invalid-setting-value`, or `installation-setting`.
    code: &'static str,
    detail: String,
}

pub(crate) async fn change(ctx: Ctx, call: Call, input: ChangeMany) -> Result<ChangedMany> {
    let settings = ctx.service::<Settings>();
    expect_few("/changes", input.changes.len())?;
    let (wanted, refused) = check_all(&settings, &call, &input.changes, "/changes");
    refuse(refused, input.changes.len())?;
    change_all(ctx, call, Changes { wanted, kept: None, dry_run: input.dry_run, skipped: Vec::new() }).await
}

/// An entry that cannot be taken, and why.
type Refused<'a> = (&'a str, &'a Value, Error);

fn expect_few(pointer: &str, entries: usize) -> Result<()> {
    let detail = || format!("Too many settings: {entries}. The limit is {ENTRIES_MAX} at once.");
    if entries > ENTRIES_MAX { Err(invalid(pointer, fault::TOO_MANY, detail())) } else { Ok(()) }
}

fn check_all<'a>(
    settings: &Settings,
    call: &Call,
    changes: &'a Map<String, Value>,
    within: &str,
) -> (Vec<Wanted>, Vec<Refused<'a>>) {
    let (mut wanted, mut refused, mut unknown) = (Vec::new(), Vec::new(), 0);
    for (key, value) in changes {
        let pointer = format!("{within}/{}", key.replace('~', "~0").replace('/', "~1"));
        let known = settings.find(key);
        unknown += usize::from(known.is_none());
        let spec = match known {
            Some(spec) => Ok(spec),
            None if unknown > SUGGESTED_MAX => Err(write::no_such(key, "")),
            None => write::find(settings, key),
        };
        let checked = spec.and_then(|spec| write::check(settings, call, spec, value, &pointer)).map_err(|e| {
            // An unknown key and a refused caller are wrong as a whole, so they do not point anywhere by themselves.
            let (code, detail) = (e.code().fault(), e.detail().to_owned());
            if e.fields().is_empty() { e.at(pointer, code, detail) } else { e }
        });
        match checked {
            Ok(change) => wanted.push(change),
            Err(e) => refused.push((key.as_str(), value, e)),
        }
    }
    (wanted, refused)
}

fn refuse(refused: Vec<Refused<'_>>, of: usize) -> Result<()> {
    write::join(refused.into_iter().map(|(_, _, e)| e).collect(), of).map_or(Ok(()), Err)
}

/// Changes that were checked one by one.
struct Changes {
    wanted: Vec<Wanted>,
    /// With the keys that a replacing document names: all others return to their defaults.
    kept: Option<HashSet<String>>,
    dry_run: bool,
    skipped: Vec<Skipped>,
}

async fn change_all(ctx: Ctx, call: Call, changes: Changes) -> Result<ChangedMany> {
    let (settings, bus, now_ms) = (ctx.service::<Settings>(), ctx.events(), ctx.now_ms());
    let Changes { mut wanted, kept, dry_run, skipped } = changes;
    let run = move |tx: &mut Tx<'_>| {
        expects(&call, tx)?;
        if let Some(kept) = kept {
            let left_out = write::all_stored(tx, call.account(), &settings)?.into_iter();
            let left_out = left_out.filter(|spec| !kept.contains(spec.key));
            wanted.extend(left_out.map(|spec| Wanted { spec, value: None }));
        }
        let planned = write::plan(tx, call.account(), wanted)?;
        let recorded = match dry_run {
            true => planned.iter().map(|_| None).collect(),
            false => write::make(tx, &settings, &bus, &call.caller, now_ms, &planned)?,
        };
        Ok((planned, recorded, write::revision(tx, call.account())?))
    };
    let db = ctx.db();
    let (planned, recorded, revision) = if dry_run { db.read(run).await? } else { db.write(run).await? };
    let (altering, same): (Vec<_>, Vec<_>) = planned.into_iter().zip(recorded).partition(|(p, _)| p.alters);
    let difference = |(planned, change): (Planned, Option<String>)| {
        let Planned { wanted, from, to, .. } = planned;
        Difference { key: wanted.spec.key, from, to, change }
    };
    Ok(ChangedMany {
        dry_run,
        revision,
        changes: altering.into_iter().map(difference).collect(),
        unchanged: same.iter().map(|(planned, _)| planned.wanted.spec.key).collect(),
        skipped,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParams {}

/// Changed settings as a document.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Document {
    /// `pilothouse-settings`.
    #[schemars(extend("const" = EXPORT_FORMAT))]
    format: String,
    /// 1.
    #[schemars(extend("const" = EXPORT_VERSION))]
    version: u32,
    /// RFC 3339 in UTC.
    #[serde(default)]
    exported_at: String,
    /// Values of changed settings by key, at most 1,000.
    #[schemars(extend("maxProperties" = ENTRIES_MAX))]
    settings: Map<String, Value>,
    /// Stored values of keys that the exporting version didn't know. Known ones are imported.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schemars(extend("maxProperties" = ENTRIES_MAX))]
    unknown_stored: Map<String, Value>,
}

pub(crate) async fn export(ctx: Ctx, call: Call, _: NoParams) -> Result<Document> {
    let settings = ctx.service::<Settings>();
    let snapshot = settings.snapshot(call.account());
    let known = snapshot.stored.iter().filter_map(|(key, value)| Some((settings.claims(key)?.key, value)));
    Ok(Document {
        format: EXPORT_FORMAT.into(),
        version: EXPORT_VERSION,
        exported_at: rfc3339(ctx.now_ms()),
        settings: known.map(|(key, value)| (key.to_owned(), value.clone())).collect(),
        unknown_stored: record::unknown_stored(&settings, &snapshot).into_iter().collect(),
    })
}

/// How an import treats other settings.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Other settings stay unchanged.
    #[default]
    Merge,
    /// Other settings are reset.
    Replace,
}

/// A document to import.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Import {
    document: Document,
    #[serde(default)]
    mode: Mode,
    /// Skip unknown and invalid settings instead of rejecting the import.
    #[serde(default)]
    skip_invalid: bool,
    /// Only return the changes.
    #[serde(default)]
    dry_run: bool,
}

pub(crate) async fn import(ctx: Ctx, call: Call, input: Import) -> Result<ChangedMany> {
    let Import { document, mode, skip_invalid, dry_run } = input;
    for (pointer, fits) in [
        ("/document/format", document.format == EXPORT_FORMAT),
        ("/document/version", document.version == EXPORT_VERSION),
    ] {
        if !fits {
            let detail = format!("Expected a document of format {EXPORT_FORMAT}, version {EXPORT_VERSION}.");
            return Err(invalid(pointer, fault::NOT_A_CHOICE, detail));
        }
    }
    let settings = ctx.service::<Settings>();
    expect_few("/document/settings", document.settings.len())?;
    expect_few("/document/unknownStored", document.unknown_stored.len())?;
    let (mut wanted, mut refused) = check_all(&settings, &call, &document.settings, "/document/settings");
    // Named in both places, the one under `settings` counts.
    let is_named = |key: &str| settings.find(key).is_some_and(|spec| document.settings.contains_key(spec.key));
    let more = document.unknown_stored.into_iter().filter(|(key, _)| !is_named(key));
    let (now_known, unknown): (Map<_, _>, Map<_, _>) = more.partition(|(key, _)| settings.find(key).is_some());
    let (more, more_refused) = check_all(&settings, &call, &now_known, "/document/unknownStored");
    let named: HashSet<String> = document.settings.keys().chain(now_known.keys()).cloned().collect();
    wanted.extend(more);
    refused.extend(more_refused);
    let still_unknown = |(key, value)| (String::as_str(key), value, write::no_such(key, ""));
    let mut left_out: Vec<Refused<'_>> = unknown.iter().map(still_unknown).collect();
    if skip_invalid {
        left_out.append(&mut refused);
    }
    let skipped = left_out.into_iter().map(|(key, value, e)| Skipped {
        key: key.to_owned(),
        value: value.clone(),
        code: e.code().name,
        detail: e.detail().to_owned(),
    });
    let skipped = skipped.collect();
    refuse(refused, named.len())?;
    let kept = (mode == Mode::Replace).then_some(named);
    change_all(ctx, call, Changes { wanted, kept, dry_run, skipped }).await
}

/// JSON Schema of all settings together.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct SchemaDocument(Map<String, Value>);

pub(crate) async fn schema(ctx: Ctx, _: Call, _: NoParams) -> Result<SchemaDocument> {
    let settings = ctx.service::<Settings>();
    let properties: Map<String, Value> = settings
        .catalog
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

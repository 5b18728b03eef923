//! The one way that a setting's value changes: checked first, then stored with who, when and the value before, all or none.

use crate::errors::{AGENT_MAY_NOT_WRITE, INSTALLATION_SETTING, INVALID_VALUE, UNKNOWN_SETTING};
use crate::snapshot::{Settings, in_force, read_json};
use events::{Bus, Event};
use kit::setting::{Spec, canonical};
use kit::{Call, Caller, Error, FieldError, Result};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;
use store::{Change, Tx, params};

/// A change to one setting: a value, or back to the default.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) spec: &'static Spec,
    pub(crate) value: Option<Value>,
}

/// What a change would do to what is stored.
pub(crate) struct Planned {
    pub(crate) wanted: Wanted,
    stored: Option<Value>,
    /// The value in force before.
    pub(crate) from: Value,
    /// The value in force after.
    pub(crate) to: Value,
    /// Whether it does anything.
    pub(crate) alters: bool,
}

/// The row of a key, or 404 with the nearest keys.
pub(crate) fn find(settings: &Settings, key: &str) -> Result<&'static Spec> {
    settings.find(key).ok_or_else(|| unknown(settings, key))
}

/// The refusal of a key that no setting has, without looking for what it may have meant: that takes a while for each.
pub(crate) fn no_such(key: &str, hint: &str) -> Error {
    let shown: String = key.chars().take(100).collect();
    UNKNOWN_SETTING.error(format!("Setting {shown} not found.{hint}"))
}

fn unknown(settings: &Settings, key: &str) -> Error {
    let mut near: Vec<(f64, &str)> = settings
        .catalog
        .rows
        .iter()
        .map(|spec| (likeness(key, spec.key), spec.key))
        .filter(|(l, _)| *l > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, key)| key).collect();
    let hint = near
        .first()
        .map_or_else(|| " Search the settings for the key.".to_owned(), |first| format!(" Did you mean {first}?"));
    no_such(key, &hint).with("suggestions", near)
}

fn likeness(a: &str, b: &str) -> f64 {
    // A key of a thousand letters is like none; comparing it would only take time.
    if a.len() > 200 {
        return 0.0;
    }
    strsim::jaro_winkler(&a.to_lowercase(), &b.to_lowercase())
}

/// A wanted change, unless the caller may not make it or the value is not accepted. `null` is back to the default.
pub(crate) fn check(
    settings: &Settings,
    call: &Call,
    spec: &'static Spec,
    value: &Value,
    pointer: &str,
) -> Result<Wanted> {
    may_write(settings, call, spec)?;
    if value.is_null() {
        return Ok(Wanted { spec, value: None });
    }
    spec.check(value).map_err(|wrong| {
        let places = wrong.into_iter().map(|w| FieldError { pointer: format!("{pointer}{}", w.pointer), ..w });
        INVALID_VALUE
            .error(format!("{} wasn't changed. Expected {}.", spec.key, spec.expected()))
            .at_all(places)
            .with("accepted", spec.accepted())
            .with("key", spec.key)
    })?;
    Ok(Wanted { spec, value: Some(canonical(value)) })
}

/// Refuses a session where the row does not let it in, and another account where the setting is the installation's.
pub(crate) fn may_write(settings: &Settings, call: &Call, spec: &Spec) -> Result<()> {
    if call.is_of_agent() && !spec.agents_may_write {
        let detail = format!(
            "{} isn't open to sessions. Ask the owner to change it in Settings or with the command line.",
            spec.key
        );
        return Err(AGENT_MAY_NOT_WRITE.error(detail).with("setting", spec.key));
    }
    if settings.holder(call.account(), spec) != call.account() {
        return Err(INSTALLATION_SETTING
            .error(format!("{} applies to the whole installation. Only the first account can change it.", spec.key)));
    }
    Ok(())
}

/// Joins the refusals of a batch into one, so that all are seen at once. It is of the gravest kind: not allowed before
/// unknown before not accepted. Of unknown keys it suggests the nearest of each, as of one.
pub(crate) fn join(mut refusals: Vec<Error>, of: usize) -> Option<Error> {
    if refusals.len() < 2 {
        return refusals.pop();
    }
    refusals.sort_by_key(|refusal| refusal.code().status);
    let detail = format!("Can't change {} of {of} settings, so none was changed.", refusals.len());
    let fields: Vec<FieldError> = refusals.iter().flat_map(|refusal| refusal.fields().to_vec()).collect();
    let mut near: Vec<Value> = Vec::new();
    for key in refusals.iter().filter_map(|refusal| refusal.member("suggestions")?.as_array()).flatten() {
        if !near.contains(key) {
            near.push(key.clone());
        }
    }
    let joined = refusals[0].code().error(detail).at_all(fields);
    Some(if near.is_empty() { joined } else { joined.with("suggestions", near) })
}

/// What the wanted changes would do. A value that is in force already is not set again; a default is stored only where
/// another value stood.
pub(crate) fn plan(tx: &mut Tx<'_>, account: &str, wanted: Vec<Wanted>) -> Result<Vec<Planned>> {
    let each = wanted.into_iter().map(|wanted| {
        let Wanted { spec, value } = &wanted;
        let stored = stored(tx, account, spec)?;
        let alters = match (&stored, value) {
            (None, Some(value)) => *value != spec.default_json(),
            (stored, value) => stored != value,
        };
        let (from, to) = (in_force(spec, stored.as_ref()), in_force(spec, value.as_ref()));
        Ok(Planned { stored, from, to, alters, wanted })
    });
    each.collect()
}

/// The revision of an account's settings.
pub(crate) fn revision(tx: &mut Tx<'_>, account: &str) -> Result<i64> {
    let sql = "SELECT revision FROM settings_revisions WHERE account_id = $1";
    Ok(tx.query_opt(sql, params![account], |row| row.get(0))?.unwrap_or(0))
}

/// Remembers that one recorded change took another back. Undoing an undo brings what that had taken back into force.
pub(crate) fn mark_undone(tx: &mut Tx<'_>, account: &str, undone: &str, undone_by: &str) -> Result<()> {
    tx.execute("DELETE FROM settings_undone WHERE account_id = $1 AND undone_by = $2", params![account, undone])?;
    tx.execute(
        "INSERT INTO settings_undone (account_id, change_id, undone_by) VALUES ($1, $2, $3) \
         ON CONFLICT (account_id, change_id) DO UPDATE SET undone_by = excluded.undone_by",
        params![account, undone, undone_by],
    )?;
    Ok(())
}

/// Which of the changes from `oldest` to `newest` were taken back.
pub(crate) fn undone(tx: &mut Tx<'_>, account: &str, oldest: &str, newest: &str) -> Result<HashSet<String>> {
    let sql = "SELECT change_id FROM settings_undone WHERE account_id = $1 AND change_id BETWEEN $2 AND $3";
    Ok(tx.query(sql, params![account, oldest, newest], |row| row.get(0))?.into_iter().collect())
}

/// Makes planned changes in this transaction and swaps them in once they are on disk; the recorded change of each, `None`
/// where there was nothing to do.
pub(crate) fn make(
    tx: &mut Tx<'_>,
    settings: &Arc<Settings>,
    bus: &Arc<Bus>,
    caller: &Caller,
    now_ms: i64,
    planned: &[Planned],
) -> Result<Vec<Option<String>>> {
    let account = caller.account.clone();
    let altering = planned.iter().filter(|planned| planned.alters).count() as i64;
    if altering == 0 {
        return Ok(vec![None; planned.len()]);
    }
    let last = raise(tx, &account, altering)?;
    let mut revision = last - altering;
    let (mut changes, mut swapped, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for Planned { wanted: Wanted { spec, value }, stored, to, alters, .. } in planned {
        if !alters {
            changes.push(None);
            continue;
        }
        revision += 1;
        write(tx, caller, spec, value.as_ref(), revision, now_ms)?;
        // From null: it was not set; to null: it is not set any more.
        let change = Change {
            subject: "setting",
            subject_id: spec.key,
            field: "",
            before: stored.as_ref(),
            after: value.as_ref(),
        };
        changes.push(Some(tx.record(caller, now_ms, change)?));
        // An installation's value is everyone's, and the revision only this account's.
        let (whose, revision) = if spec.installation { (None, None) } else { (Some(account.clone()), Some(revision)) };
        told.push((whose, Event::SettingChanged { key: spec.key, value: to.clone(), revision }));
        swapped.extend(spec.was.map(|was| (was.to_owned(), None)));
        swapped.push((spec.key.to_owned(), value.clone()));
    }
    let (settings, bus) = (settings.clone(), bus.clone());
    tx.after_commit(move || {
        settings.swap(&account, last, &swapped);
        for (whose, event) in told {
            bus.emit(whose.as_deref(), event);
        }
    });
    Ok(changes)
}

/// Counts changes of an account's settings; the revision after them. In two statements: for what one returns itself, SQLite
/// makes a table, which takes longer than asking.
fn raise(tx: &mut Tx<'_>, account: &str, by: i64) -> Result<i64> {
    let sql = "INSERT INTO settings_revisions (account_id, revision) VALUES ($1, $2) \
         ON CONFLICT (account_id) DO UPDATE SET revision = settings_revisions.revision + excluded.revision";
    tx.execute(sql, params![account, by])?;
    revision(tx, account)
}

/// What is stored for a setting under its key or its earlier one.
pub(crate) fn stored(tx: &mut Tx<'_>, account: &str, spec: &Spec) -> Result<Option<Value>> {
    for key in std::iter::once(spec.key).chain(spec.was) {
        let sql = "SELECT value_json FROM settings WHERE account_id = $1 AND key = $2";
        let value = tx.query_opt(sql, params![account, key], |row| Ok(read_json(row.get(0)?)))?;
        if value.is_some() {
            return Ok(value);
        }
    }
    Ok(None)
}

/// The rows whose values the account has stored.
pub(crate) fn all_stored(tx: &mut Tx<'_>, account: &str, settings: &Settings) -> Result<Vec<&'static Spec>> {
    let sql = "SELECT key FROM settings WHERE account_id = $1 ORDER BY key";
    let claimed = tx.query(sql, params![account], |row| Ok(settings.claims(row.get(0)?)))?;
    Ok(claimed.into_iter().flatten().collect())
}

fn write(
    tx: &mut Tx<'_>,
    caller: &Caller,
    spec: &Spec,
    value: Option<&Value>,
    revision: i64,
    now_ms: i64,
) -> Result<()> {
    let account = &*caller.account;
    for key in std::iter::once(spec.key).filter(|_| value.is_none()).chain(spec.was) {
        tx.execute("DELETE FROM settings WHERE account_id = $1 AND key = $2", params![account, key])?;
    }
    let Some(value) = value else { return Ok(()) };
    tx.execute(
        "INSERT INTO settings (account_id, key, value_json, revision, set_ms, actor) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (account_id, key) DO UPDATE SET value_json = excluded.value_json, revision = excluded.revision, set_ms = excluded.set_ms, actor = excluded.actor",
        params![account, spec.key, value.to_string(), revision, now_ms, caller.kind.name()],
    )?;
    Ok(())
}

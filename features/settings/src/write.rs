//! The one way that a setting's value changes: checked first, then stored with who, when and the value before, all or none.

use crate::errors::{AGENT_MAY_NOT_WRITE, INSTALLATION_SETTING, INVALID_VALUE, UNKNOWN_SETTING};
use crate::snapshot::Settings;
use events::{Bus, Event};
use kit::setting::Spec;
use kit::{Caller, Error, FieldError, Kind, Result};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{Change, Tx, params};

/// A change to one setting: a value, or back to the default.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) spec: &'static Spec,
    pub(crate) value: Option<Value>,
}

/// What a change did.
pub(crate) struct Written {
    pub(crate) spec: &'static Spec,
    /// The value in force before.
    pub(crate) previous: Value,
    /// The recorded change; `None` where it was so already.
    pub(crate) change: Option<String>,
}

/// The row of a key, or 404 with the nearest keys.
pub(crate) fn find(settings: &Settings, key: &str) -> Result<&'static Spec> {
    settings.catalogue.find(key).ok_or_else(|| unknown(settings, key))
}

fn unknown(settings: &Settings, key: &str) -> Error {
    let mut near: Vec<(f64, &str)> = settings
        .catalogue
        .rows
        .iter()
        .map(|spec| (likeness(key, spec.key), spec.key))
        .filter(|(l, _)| *l > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, key)| key).collect();
    let hint = near.first().map_or(String::new(), |first| format!(" Did you mean {first}?"));
    let shown: String = key.chars().take(100).collect();
    UNKNOWN_SETTING.error(format!("No setting has the key {shown}.{hint}")).with("suggestions", near)
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
    caller: &Caller,
    spec: &'static Spec,
    value: &Value,
    pointer: &str,
) -> Result<Wanted> {
    may_write(settings, caller, spec)?;
    if value.is_null() {
        return Ok(Wanted { spec, value: None });
    }
    spec.check(value).map_err(|wrong| {
        let places = wrong.into_iter().map(|w| FieldError { pointer: format!("{pointer}{}", w.pointer), ..w });
        INVALID_VALUE
            .error(format!("{} was not changed: it takes {}.", spec.key, spec.accepted()))
            .at_all(places)
            .with("accepted", spec.accepted())
            .with("key", spec.key)
    })?;
    Ok(Wanted { spec, value: Some(value.clone()) })
}

/// Refuses a session where the row does not let it in, and another account where the setting is the installation's.
pub(crate) fn may_write(settings: &Settings, caller: &Caller, spec: &Spec) -> Result<()> {
    if caller.kind == Kind::Agent && !spec.agents_may_write {
        let detail = format!(
            "{} is not open to sessions; the owner can change it in the settings or with the command line.",
            spec.key
        );
        return Err(AGENT_MAY_NOT_WRITE.error(detail).with("setting", spec.key));
    }
    if settings.holder(&caller.account, spec) != &*caller.account {
        return Err(INSTALLATION_SETTING
            .error(format!("{} holds for the whole installation; the first account sets it.", spec.key)));
    }
    Ok(())
}

/// Joins the refusals of a batch into one, so that all are seen at once.
pub(crate) fn join(refusals: Vec<Error>) -> Option<Error> {
    let mut refusals = refusals.into_iter();
    let first = refusals.next()?;
    let rest: Vec<FieldError> = refusals
        .flat_map(|e| {
            if e.fields().is_empty() {
                vec![FieldError { pointer: String::new(), code: e.code().name, detail: e.detail().to_owned() }]
            } else {
                e.fields().to_vec()
            }
        })
        .collect();
    Some(first.at_all(rest))
}

/// Stores wanted changes in one transaction and swaps them in once they are on disk.
pub(crate) fn store(
    tx: &mut Tx<'_>,
    settings: &Arc<Settings>,
    bus: &Arc<Bus>,
    caller: &Caller,
    now_ms: i64,
    wanted: Vec<Wanted>,
) -> Result<Vec<Written>> {
    let account = caller.account.clone();
    let before: i64 = tx
        .query_opt("SELECT revision FROM settings_revisions WHERE account_id = $1", params![&*account], |row| {
            row.get(0)
        })?
        .unwrap_or(0);
    let mut revision = before;
    let (mut written, mut swapped, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for Wanted { spec, value } in wanted {
        let stored = read(tx, &account, spec)?;
        let in_force = |stored: Option<&Value>| {
            stored.filter(|v| spec.check(v).is_ok()).cloned().unwrap_or_else(|| spec.default_json())
        };
        let previous = in_force(stored.as_ref());
        if stored == value {
            written.push(Written { spec, previous, change: None });
            continue;
        }
        revision += 1;
        write(tx, &account, caller, spec, value.as_ref(), revision, now_ms)?;
        // From null: it was not set; to null: it is not set any more.
        let change = Change {
            subject: "setting",
            subject_id: spec.key,
            field: "",
            before: stored.as_ref(),
            after: value.as_ref(),
        };
        let id = tx.record(caller, now_ms, change)?;
        let now = in_force(value.as_ref());
        if now != previous {
            told.push(Event::SettingChanged { key: spec.key, value: now, revision });
        }
        if let Some(was) = spec.was {
            swapped.push((was.to_owned(), None));
        }
        swapped.push((spec.key.to_owned(), value));
        written.push(Written { spec, previous, change: Some(id) });
    }
    if revision > before {
        tx.execute(
            "INSERT INTO settings_revisions (account_id, revision) VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision",
            params![&*account, revision],
        )?;
        let (settings, bus) = (settings.clone(), bus.clone());
        tx.after_commit(move || {
            settings.swap(&account, revision, &swapped);
            for event in told {
                bus.emit(Some(&account), event);
            }
        });
    }
    Ok(written)
}

fn read(tx: &mut Tx<'_>, account: &str, spec: &Spec) -> Result<Option<Value>> {
    for key in std::iter::once(spec.key).chain(spec.was) {
        let sql = "SELECT value_json FROM settings WHERE account_id = $1 AND key = $2";
        let text = tx.query_opt(sql, params![account, key], |row| row.get::<String>(0))?;
        if let Some(text) = text {
            return Ok(Some(serde_json::from_str(&text).unwrap_or(Value::String(text))));
        }
    }
    Ok(None)
}

fn write(
    tx: &mut Tx<'_>,
    account: &str,
    caller: &Caller,
    spec: &Spec,
    value: Option<&Value>,
    revision: i64,
    now_ms: i64,
) -> Result<()> {
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

/// What a change would do, without doing it.
pub(crate) fn preview(settings: &Settings, account: &str, wanted: &[Wanted]) -> Vec<Value> {
    wanted
        .iter()
        .map(|Wanted { spec, value }| {
            let from = settings.value(account, spec);
            let to = value.clone().unwrap_or_else(|| spec.default_json());
            json!({"key": spec.key, "from": from, "to": to, "changed": from != to})
        })
        .collect()
}

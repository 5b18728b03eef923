//! A setting as it is sent: its row, its value, and why it has no effect now.

use crate::snapshot::{Settings, Snapshot};
use kit::Kind;
use kit::setting::{Applies, Platform, Spec};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Every setting.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettingsList {
    /// Increases by one with each change.
    pub(crate) revision: i64,
    pub(crate) settings: Vec<SettingRecord>,
    /// Stored values of keys that this version doesn't know. They stay unchanged.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) unknown_stored: BTreeMap<String, Value>,
}

/// One setting.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettingRecord {
    pub(crate) key: &'static str,
    /// `text`, `toggle`, `number`, `select`, `list`, `map`, `object`, or `unknown`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Accepted values in a few words.
    accepted: String,
    description: String,
    pub(crate) area: &'static str,
    pub(crate) section: &'static str,
    pub(crate) title: String,
    /// Other names, separated by commas. Searches find them.
    #[serde(skip_serializing_if = "str::is_empty")]
    also_called: &'static str,
    /// Unit of a number, such as `s`, `%`, or `USD`; null for none.
    unit: Option<&'static str>,
    /// Accepted values as JSON Schema.
    schema: Value,
    default: Value,
    /// Whether the specification states the default.
    default_stated: bool,
    /// Value in effect now.
    pub(crate) value: Value,
    /// Whether it was changed.
    pub(crate) modified: bool,
    applies: Applies,
    /// Whether Pilothouse still uses the value from its start.
    pub(crate) pending_restart: bool,
    /// Kinds of caller of this account that can write it. Empty if another account's value applies to everyone.
    writable_by: Vec<Kind>,
    platforms: Vec<Platform>,
    pub(crate) effect: Effect,
    /// An invalid stored value. The default is used instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// Whether the value is in effect now.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Effect {
    pub(crate) active: bool,
    /// Reasons why not.
    reasons: Vec<Reason>,
}

/// One reason.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Reason {
    /// `platform`, `requires`, `restart-pending`, `stored-only`, `not-built-yet`, `unavailable`, or `other-installation`. With the
    /// last, another account's value is in effect.
    code: &'static str,
    detail: String,
}

/// An invalid stored value.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoredProblem")]
pub(crate) struct Problem {
    stored: Value,
    detail: String,
}

impl SettingRecord {
    /// Whether this kind of caller may write it.
    pub(crate) fn writable_by(&self, kind: Kind) -> bool {
        self.writable_by.contains(&kind)
    }
    /// Whether every word stands in the key, title, other names, description or accepted values.
    pub(crate) fn mentions(&self, words: &str) -> bool {
        let texts = [self.key, &self.title, self.also_called, &self.description, &self.accepted];
        let text = texts.join(" ").to_lowercase();
        words.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }
}

/// Why settings have no effect on this machine now, by key.
pub(crate) type Obstacles = BTreeMap<&'static str, String>;

/// What keeps an account's settings from having an effect now.
pub(crate) fn obstacles(ctx: &kit::Ctx, settings: &Settings, account: &str) -> Obstacles {
    let why = |one: &&'static kit::Obstacle| Some((one.setting.spec.key, (one.why)(ctx, account)?));
    settings.catalog.obstacles.iter().filter_map(why).collect()
}

/// Records of the settings that `shown` lets through.
pub(crate) fn list(
    settings: &Settings,
    obstacles: &Obstacles,
    account: &str,
    snapshot: &Snapshot,
    shown: impl Fn(&SettingRecord) -> bool,
) -> SettingsList {
    let rows = settings.catalog.rows.iter();
    SettingsList {
        revision: snapshot.revision,
        settings: rows.map(|spec| one(settings, obstacles, account, spec)).filter(shown).collect(),
        unknown_stored: unknown_stored(settings, snapshot),
    }
}

/// What is stored under keys that this version does not know.
pub(crate) fn unknown_stored(settings: &Settings, snapshot: &Snapshot) -> BTreeMap<String, Value> {
    let unknown = snapshot.stored.iter().filter(|(key, _)| settings.claims(key).is_none());
    unknown.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// One setting's record.
pub(crate) fn one(settings: &Settings, obstacles: &Obstacles, account: &str, spec: &'static Spec) -> SettingRecord {
    let stored = settings.stored(account, spec);
    let wrong = stored.as_ref().and_then(|value| spec.check(value).err());
    let value = settings.value(account, spec);
    let pending_restart = settings.started_with(spec).is_some_and(|running| *running != value);
    let mut reasons = Vec::new();
    let mut because = |code, detail: String| reasons.push(Reason { code, detail });
    if !spec.platforms.contains(&Platform::HERE) {
        let places: Vec<_> = spec.platforms.iter().map(|p| p.name()).collect();
        because("platform", format!("{} only; this is {}.", places.join(" and "), Platform::HERE.name()));
    }
    // What it needs may itself need another: the nearest that is off is named.
    let masters = std::iter::successors(spec.requires, |master| master.spec.requires);
    if let Some(off) = masters.into_iter().find(|master| settings.value(account, &master.spec) != true) {
        because("requires", format!("Requires {}.", off.spec.key));
    }
    if spec.stored_only {
        because("stored-only", "Not enforced.".into());
    }
    if settings.catalog.awaiting.contains(spec.key) {
        because("not-built-yet", "Not available yet. Saved values take effect when the feature is added.".into());
    }
    if let Some(why) = obstacles.get(spec.key) {
        because("unavailable", why.clone());
    }
    if pending_restart {
        let running = settings.started_with(spec).cloned().unwrap_or_default();
        reasons.push(Reason {
            code: "restart-pending",
            detail: format!("Pilothouse still uses {running}. Restart to apply."),
        });
    }
    let active = reasons.is_empty();
    if spec.installation && settings.holder(account, spec) != account {
        let detail = "Applies to the whole installation. Only the first account can change it.".into();
        reasons.push(Reason { code: "other-installation", detail });
    }
    SettingRecord {
        key: spec.key,
        kind: spec.type_label(),
        accepted: spec.accepted(),
        description: spec.doc.trim().to_owned(),
        area: spec.area,
        section: spec.section,
        title: spec.title(),
        also_called: spec.also_called,
        unit: Some(spec.unit).filter(|unit| !unit.is_empty()),
        schema: spec.schema(),
        default: spec.default_json(),
        default_stated: spec.default_stated,
        modified: stored.is_some(),
        value,
        applies: spec.applies,
        pending_restart,
        // The whole installation's is no other account's to write.
        writable_by: if settings.holder(account, spec) == account { spec.writable_by() } else { Vec::new() },
        platforms: spec.platforms.to_vec(),
        effect: Effect { active, reasons },
        problem: wrong.zip(stored).map(|(wrong, stored)| Problem {
            detail: format!(
                "{} Using the default.",
                wrong.first().map_or("The stored value isn't valid.", |w| w.detail.as_str())
            ),
            stored,
        }),
    }
}

//! Settings as they are kept in memory: what each account's user set, and the list of all as ready-made bytes.

use crate::record::{self, SettingsList};
use bytes::Bytes;
use kit::setting::{Applies, Spec};
use kit::{Catalogue, Ctx, Result, SettingsSource};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock, RwLock};
use store::{HasDb, params};

/// What an account's user set, at one revision.
#[derive(Default)]
pub(crate) struct Snapshot {
    /// Counts every change up by one.
    pub(crate) revision: i64,
    pub(crate) stored: BTreeMap<String, Value>,
    /// The answer of `GET /settings`, made when it is first asked for.
    listed: OnceLock<Bytes>,
}

impl Snapshot {
    fn new(revision: i64, stored: BTreeMap<String, Value>) -> Snapshot {
        Snapshot { revision, stored, listed: OnceLock::new() }
    }
}

/// Every account's settings.
pub(crate) struct Settings {
    pub(crate) catalogue: Arc<Catalogue>,
    /// The account whose values hold for installation-wide settings.
    pub(crate) first_account: Arc<str>,
    accounts: RwLock<HashMap<Arc<str>, Arc<Snapshot>>>,
    /// What the installation's next-start settings were when the program started: what really is in force.
    started_with: HashMap<&'static str, Value>,
}

impl Settings {
    pub(crate) async fn load(ctx: &Ctx) -> Result<Settings> {
        let (rows, revisions, first) = ctx
            .db()
            .read(|tx| {
                let rows = tx.query("SELECT account_id, key, value_json FROM settings", params![], |row| {
                    let text: &str = row.get(2)?;
                    // Text that is no JSON can only come from outside; as a text it is kept and reported like any other wrong value.
                    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
                    Ok((row.get::<String>(0)?, row.get::<String>(1)?, value))
                })?;
                let revisions = tx.query("SELECT account_id, revision FROM settings_revisions", params![], |row| {
                    Ok((row.get::<String>(0)?, row.get::<i64>(1)?))
                })?;
                Ok((rows, revisions, ()))
            })
            .await
            .map(|(rows, revisions, ())| (rows, revisions, ctx.find_service::<kit::lookup::FirstAccount>()))?;
        let first_account: Arc<str> = first.map_or_else(|| "".into(), |first| first.0.clone());
        let mut stored: HashMap<String, BTreeMap<String, Value>> = HashMap::new();
        for (account, key, value) in rows {
            stored.entry(account).or_default().insert(key, value);
        }
        let accounts: HashMap<Arc<str>, Arc<Snapshot>> = revisions
            .into_iter()
            .map(|(account, revision)| {
                let stored = stored.remove(&account).unwrap_or_default();
                (account.into(), Arc::new(Snapshot::new(revision, stored)))
            })
            .collect();
        let mut settings = Settings {
            catalogue: ctx.service::<Catalogue>(),
            first_account,
            accounts: RwLock::new(accounts),
            started_with: HashMap::new(),
        };
        let next_start = settings.catalogue.rows.iter().filter(|spec| spec.applies == Applies::NextStart);
        settings.started_with =
            next_start.map(|spec| (spec.key, settings.value(&settings.first_account, spec))).collect();
        Ok(settings)
    }

    pub(crate) fn snapshot(&self, account: &str) -> Arc<Snapshot> {
        self.accounts.read().expect("no panic while held").get(account).cloned().unwrap_or_default()
    }

    /// The account whose value of this setting counts for `account`.
    pub(crate) fn holder<'a>(&'a self, account: &'a str, spec: &Spec) -> &'a str {
        if spec.installation && !self.first_account.is_empty() { &self.first_account } else { account }
    }

    /// What is stored for a setting under its key or its earlier one.
    pub(crate) fn stored(&self, account: &str, spec: &Spec) -> Option<Value> {
        let snapshot = self.snapshot(self.holder(account, spec));
        snapshot.stored.get(spec.key).or_else(|| snapshot.stored.get(spec.was?)).cloned()
    }

    /// The value in force: what is stored and accepted, or the default.
    pub(crate) fn value(&self, account: &str, spec: &Spec) -> Value {
        self.stored(account, spec).filter(|value| spec.check(value).is_ok()).unwrap_or_else(|| spec.default_json())
    }

    /// What a next-start setting was when the program started; `None` for all others.
    pub(crate) fn started_with(&self, spec: &Spec) -> Option<&Value> {
        self.started_with.get(spec.key)
    }

    /// Swaps in a change that is on disk now.
    pub(crate) fn swap(&self, account: &str, revision: i64, changes: &[(String, Option<Value>)]) {
        let mut accounts = self.accounts.write().expect("no panic while held");
        let mut stored = accounts.get(account).map(|s| s.stored.clone()).unwrap_or_default();
        for (key, value) in changes {
            match value {
                Some(value) => stored.insert(key.clone(), value.clone()),
                None => stored.remove(key),
            };
        }
        accounts.insert(account.into(), Arc::new(Snapshot::new(revision, stored)));
        // Other accounts' lists show the installation's values too.
        if account == &*self.first_account {
            for (other, snapshot) in accounts.iter_mut().filter(|(other, _)| &***other != account) {
                let _ = other;
                *snapshot = Arc::new(Snapshot::new(snapshot.revision, snapshot.stored.clone()));
            }
        }
    }

    /// The answer of an unfiltered `GET /settings` and its tag.
    pub(crate) fn listed(&self, account: &str) -> (String, Bytes) {
        let snapshot = self.snapshot(account);
        let bytes = snapshot.listed.get_or_init(|| {
            let list: SettingsList = record::list(self, account, |_| true);
            serde_json::to_vec(&list).expect("records serialise").into()
        });
        // The installation's own revision counts too: its values stand in every account's list.
        let installation = self.snapshot(&self.first_account).revision;
        (format!("\"{}-{installation}\"", snapshot.revision), bytes.clone())
    }
}

impl SettingsSource for Settings {
    fn stored(&self, account: &str, key: &str) -> Option<Value> {
        Settings::stored(self, account, self.catalogue.find(key)?)
    }
}

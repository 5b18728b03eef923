//! Settings as they are kept in memory: what each account's user set, and the list of all as ready-made bytes.

use crate::record;
use arc_swap::ArcSwap;
use bytes::Bytes;
use kit::lookup::FirstAccount;
use kit::setting::{Applies, Spec};
use kit::{Catalog, Ctx, Result, SettingsSource};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use store::{HasDb, params};

/// What an account's user set, at one revision.
#[derive(Default)]
pub(crate) struct Snapshot {
    /// Counts every change up by one.
    pub(crate) revision: i64,
    pub(crate) stored: BTreeMap<String, Value>,
    /// The answer of `GET /settings`, made when it is first asked for.
    listed: Mutex<Option<(record::Obstacles, Listed)>>,
}

/// The list of all settings, ready to be sent.
#[derive(Clone)]
pub(crate) struct Listed {
    /// `"REVISION-HASH"`: the hash is of the bytes, so that a tag outlives a restart only where the answer does.
    pub(crate) etag: String,
    pub(crate) bytes: Bytes,
}

impl Snapshot {
    fn new(revision: i64, stored: BTreeMap<String, Value>) -> Snapshot {
        Snapshot { revision, stored, listed: Mutex::default() }
    }

    /// The same values, with the list to be made again.
    fn relisted(&self) -> Snapshot {
        Snapshot::new(self.revision, self.stored.clone())
    }
}

type Accounts = HashMap<Arc<str>, Arc<Snapshot>>;

/// Provided before the features start where the program itself does not run, as for a command with `--offline`: nothing
/// waits for a restart then.
pub struct Stopped;

/// Every account's settings.
pub(crate) struct Settings {
    pub(crate) catalog: Arc<Catalog>,
    by_key: HashMap<&'static str, &'static Spec>,
    /// The account whose values hold for installation-wide settings.
    first_account: Arc<str>,
    accounts: ArcSwap<Accounts>,
    /// What the installation's next-start settings were when the program started: what really is in force.
    started_with: HashMap<&'static str, Value>,
}

impl Settings {
    pub(crate) async fn load(ctx: &Ctx) -> Result<Settings> {
        let (rows, revisions) = ctx
            .db()
            .read(|tx| {
                let rows = tx.query("SELECT account_id, key, value_json FROM settings", params![], |row| {
                    Ok((row.get::<String>(0)?, row.get::<String>(1)?, read_json(row.get(2)?)))
                })?;
                let revisions = tx.query("SELECT account_id, revision FROM settings_revisions", params![], |row| {
                    Ok((row.get::<String>(0)?, row.get::<i64>(1)?))
                })?;
                Ok((rows, revisions))
            })
            .await?;
        let mut loaded: HashMap<String, (i64, BTreeMap<String, Value>)> = HashMap::new();
        for (account, key, value) in rows {
            loaded.entry(account).or_default().1.insert(key, value);
        }
        for (account, revision) in revisions {
            loaded.entry(account).or_default().0 = revision;
        }
        let accounts: Accounts = loaded
            .into_iter()
            .map(|(account, (revision, stored))| (account.into(), Arc::new(Snapshot::new(revision, stored))))
            .collect();
        let catalog = ctx.service::<Catalog>();
        // An earlier key finds its row too, unless another row has it now.
        let earlier = catalog.rows.iter().filter_map(|spec| Some((spec.was?, *spec)));
        let by_key = earlier.chain(catalog.rows.iter().map(|spec| (spec.key, *spec))).collect();
        let mut settings = Settings {
            by_key,
            first_account: ctx.find_service::<FirstAccount>().map_or_else(|| "".into(), |first| first.0.clone()),
            accounts: ArcSwap::from_pointee(accounts),
            started_with: HashMap::new(),
            catalog,
        };
        if ctx.find_service::<Stopped>().is_some() {
            return Ok(settings);
        }
        let next_start = settings.catalog.rows.iter().filter(|spec| spec.applies == Applies::NextStart);
        settings.started_with =
            next_start.map(|spec| (spec.key, settings.value(&settings.first_account, spec))).collect();
        Ok(settings)
    }

    /// The row with this key.
    pub(crate) fn find(&self, key: &str) -> Option<&'static Spec> {
        self.by_key.get(key).copied().filter(|spec| spec.key == key)
    }

    /// The row that reads what is stored under this key: its own, or its earlier one.
    pub(crate) fn claims(&self, stored_key: &str) -> Option<&'static Spec> {
        self.by_key.get(stored_key).copied()
    }

    pub(crate) fn snapshot(&self, account: &str) -> Arc<Snapshot> {
        if let Some(snapshot) = self.accounts.load().get(account) {
            return snapshot.clone();
        }
        // Kept from now on, so that its list is made once. Callers hold a token, so there are as many as accounts.
        self.accounts.rcu(|accounts| {
            let mut accounts = Accounts::clone(accounts);
            accounts.entry(account.into()).or_default();
            accounts
        });
        self.accounts.load().get(account).cloned().unwrap_or_default()
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
        in_force(spec, self.stored(account, spec).as_ref())
    }

    /// What a next-start setting was when the program started; `None` for all others.
    pub(crate) fn started_with(&self, spec: &Spec) -> Option<&Value> {
        self.started_with.get(spec.key)
    }

    /// Swaps in a change that is on disk now.
    pub(crate) fn swap(&self, account: &str, revision: i64, changes: &[(String, Option<Value>)]) {
        self.accounts.rcu(|accounts| {
            let mut accounts = Accounts::clone(accounts);
            let mut stored = accounts.get(account).map(|s| s.stored.clone()).unwrap_or_default();
            for (key, value) in changes {
                match value {
                    Some(value) => stored.insert(key.clone(), value.clone()),
                    None => stored.remove(key),
                };
            }
            // The installation's values stand in every account's list.
            if *account == *self.first_account {
                accounts.values_mut().for_each(|snapshot| *snapshot = Arc::new(snapshot.relisted()));
            }
            accounts.insert(account.into(), Arc::new(Snapshot::new(revision, stored)));
            accounts
        });
    }

    /// The answer of an unfiltered `GET /settings`.
    pub(crate) fn listed(&self, account: &str, obstacles: &record::Obstacles) -> Listed {
        let snapshot = self.snapshot(account);
        let mut listed = snapshot.listed.lock().expect("no panic while held");
        let list = || {
            let bytes = serde_json::to_vec(&record::list(self, obstacles, account, &snapshot, |_| true));
            let bytes = Bytes::from(bytes.expect("records serialize"));
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            Listed { etag: format!("\"{}-{:016x}\"", snapshot.revision, hasher.finish()), bytes }
        };
        // What keeps settings from having an effect changes without them.
        let (_, listed) = match listed.take().filter(|(before, _)| before == obstacles) {
            Some(same) => listed.insert(same),
            None => listed.insert((obstacles.clone(), list())),
        };
        listed.clone()
    }
}

/// What counts of a stored value: the default where it is not accepted (any more).
pub(crate) fn in_force(spec: &Spec, stored: Option<&Value>) -> Value {
    stored.filter(|value| spec.check(value).is_ok()).cloned().unwrap_or_else(|| spec.default_json())
}

/// A stored value. Text that is no JSON can only come from outside; as a text it is kept and reported like any other
/// wrong value.
pub(crate) fn read_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

impl SettingsSource for Settings {
    fn stored(&self, account: &str, key: &str) -> Option<Value> {
        Settings::stored(self, account, self.find(key)?)
    }
}

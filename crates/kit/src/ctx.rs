//! The context of handlers: the clock, the settings, and services.

use crate::caller::Caller;
use crate::clock::{Clock, HomeZone};
use crate::setting::{Setting, SettingValue};
use jiff::tz::TimeZone;
use serde_json::Value;
use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// Reads the stored value of a setting; provided by the settings feature.
pub trait SettingsSource: Send + Sync {
    /// The account's stored value, if any.
    fn stored(&self, account: &str, key: &str) -> Option<Value>;
}

/// Identifies callers by token; provided by the accounts feature.
pub trait Authenticator: Send + Sync {
    /// The token's caller, unless the token is unknown, revoked, or expired.
    fn caller(&self, token: &str) -> Option<Caller>;
    /// Proof of knowing the command-line token, for a caller's challenge (HMAC-SHA-256, hexadecimal).
    fn prove(&self, challenge: &str) -> Option<String>;
    /// Proof of knowing another valid token. The key is its SHA-256, because only that is stored. `name` is the
    /// hexadecimal SHA-256 of the key, which doesn't reveal it.
    fn prove_named(&self, name: &str, challenge: &str) -> Option<String>;
}

/// The folder of Pilothouse's files; provided by the app.
pub struct DataDir(pub std::path::PathBuf);
/// The folder for files that don't fit in the data directory: the system's temporary folder, or in tests their own.
/// Provided by the app.
pub struct SpareDir(pub std::path::PathBuf);

/// Cheap to clone; one per running program.
#[derive(Clone)]
pub struct Ctx(Arc<Inner>);

struct Inner {
    clock: Arc<dyn Clock>,
    settings: RwLock<Option<Arc<dyn SettingsSource>>>,
    services: RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Ctx {
    /// A context without services.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Ctx(Arc::new(Inner { clock, settings: RwLock::default(), services: RwLock::default() }))
    }
    /// The clock.
    pub fn clock(&self) -> &dyn Clock {
        &*self.0.clock
    }
    /// Milliseconds since 1970 in UTC.
    pub fn now_ms(&self) -> i64 {
        self.0.clock.now_ms()
    }
    /// The computer's time zone, or UTC if it's unknown.
    pub fn home_zone(&self) -> TimeZone {
        TimeZone::get(&self.home_zone_name()).unwrap_or(TimeZone::UTC)
    }
    /// The name of the computer's time zone, or `UTC` if it's unknown.
    pub fn home_zone_name(&self) -> String {
        self.find_service::<HomeZone>().map_or_else(|| "UTC".to_owned(), |home| home.0.clone())
    }
    /// Adds a service at start-up, identified by its type.
    pub fn provide<T: Any + Send + Sync>(&self, service: Arc<T>) {
        self.0.services.write().expect("the lock isn't poisoned").insert(TypeId::of::<T>(), service);
    }
    /// A service. Panics if none was provided, which is a bug in the start-up code.
    pub fn service<T: Any + Send + Sync>(&self) -> Arc<T> {
        self.find_service().unwrap_or_else(|| panic!("no service {} was provided at start-up", type_name::<T>()))
    }
    /// An optional service.
    pub fn find_service<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let services = self.0.services.read().expect("the lock isn't poisoned");
        services.get(&TypeId::of::<T>()).cloned().and_then(|any| any.downcast().ok())
    }
    /// Sets the source of settings.
    pub fn provide_settings(&self, source: Arc<dyn SettingsSource>) {
        *self.0.settings.write().expect("the lock isn't poisoned") = Some(source);
    }
    /// The current value of a setting: the stored one, or its default.
    pub fn setting<T: SettingValue>(&self, account: &str, setting: &Setting<T>) -> T {
        let source = self.0.settings.read().expect("the lock isn't poisoned");
        setting.read(source.as_ref().and_then(|s| s.stored(account, setting.spec.key)).as_ref())
    }
}

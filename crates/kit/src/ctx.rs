//! What a handler is handed: the clock, the settings, and the services that crates below the features provide.

use crate::caller::Caller;
use crate::clock::Clock;
use crate::setting::{Setting, SettingValue};
use serde_json::Value;
use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// Reads the stored value of a setting; provided by the settings feature.
pub trait SettingsSource: Send + Sync {
    /// What the account's user set, if anything.
    fn stored(&self, account: &str, key: &str) -> Option<Value>;
}

/// Tells who holds a token; provided by the accounts feature.
pub trait Authenticator: Send + Sync {
    /// The caller that the token stands for, unless unknown, revoked or expired.
    fn caller(&self, token: &str) -> Option<Caller>;
    /// Proof of knowing the command-line token, for a challenge of the caller's choosing (HMAC-SHA-256, hexadecimal).
    fn prove(&self, challenge: &str) -> Option<String>;
    /// Proof of knowing any other token that is in force: keyed with its SHA-256, since no more is kept of it. `name` is the
    /// SHA-256 of that in hexadecimal, which tells nobody the key.
    fn prove_named(&self, name: &str, challenge: &str) -> Option<String>;
}

/// Where the program keeps its files; provided by the app.
pub struct DataDir(pub std::path::PathBuf);
/// Where files go for which the data directory has no room: the system's folder for temporary files, in tests one of their own.
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
    /// Hands in a service at start-up; the type is its name.
    pub fn provide<T: Any + Send + Sync>(&self, service: Arc<T>) {
        self.0.services.write().expect("the lock isn't poisoned").insert(TypeId::of::<T>(), service);
    }
    /// A service that was provided. Panics when start-up forgot it: that is a fault of the program, not of a caller.
    pub fn service<T: Any + Send + Sync>(&self) -> Arc<T> {
        self.find_service().unwrap_or_else(|| panic!("no service {} was provided at start-up", type_name::<T>()))
    }
    /// A service, where the program may run without it.
    pub fn find_service<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let services = self.0.services.read().expect("the lock isn't poisoned");
        services.get(&TypeId::of::<T>()).cloned().and_then(|any| any.downcast().ok())
    }
    /// Hands in where settings are read.
    pub fn provide_settings(&self, source: Arc<dyn SettingsSource>) {
        *self.0.settings.write().expect("the lock isn't poisoned") = Some(source);
    }
    /// The value of a setting now: what the user set, or its default.
    pub fn setting<T: SettingValue>(&self, account: &str, setting: &Setting<T>) -> T {
        let source = self.0.settings.read().expect("the lock isn't poisoned");
        setting.read(source.as_ref().and_then(|s| s.stored(account, setting.spec.key)).as_ref())
    }
}

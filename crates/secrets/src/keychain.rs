//! The system's keychain: Secret Service on Linux, Keychain Services on macOS, Credential Manager on Windows.

use crate::{Unkept, Vault};
use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};
use kit::Secret;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use zeroize::{Zeroize, Zeroizing};

/// What entries belong to, as the system's own window of the keychain shows it.
const SERVICE: &str = "Pilothouse";
/// How long a keychain has to say that it runs.
const OPENS_WITHIN: Duration = Duration::from_secs(3);
/// How long it has for an entry: a person may have to unlock it.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

pub(crate) struct Keychain(Arc<dyn CredentialStoreApi + Send + Sync>);

impl Keychain {
    /// The keychain of this system, where one runs and answers.
    pub(crate) fn open() -> Option<Keychain> {
        match within(OPENS_WITHIN, open_store) {
            Ok(Ok(store)) => Some(Keychain(store)),
            Ok(Err(why)) => {
                tracing::info!("the system keychain isn't available: {}", unkept(why).0);
                None
            }
            Err(why) => {
                tracing::warn!("the system keychain isn't available: {why}");
                None
            }
        }
    }

    fn with<T: Send + 'static>(
        &self,
        account: &str,
        slot: &str,
        run: impl FnOnce(Entry) -> keyring_core::Result<T> + Send + 'static,
    ) -> Result<Option<T>, Unkept> {
        let (store, user) = (self.0.clone(), format!("{account}/{slot}"));
        match within(ANSWERS_WITHIN, move || run(store.build(SERVICE, &user, None)?))? {
            Ok(done) => Ok(Some(done)),
            Err(Error::NoEntry) => Ok(None),
            Err(why) => Err(unkept(why)),
        }
    }
}

#[cfg(target_os = "linux")]
fn open_store() -> keyring_core::Result<Arc<dyn CredentialStoreApi + Send + Sync>> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}
#[cfg(target_os = "macos")]
fn open_store() -> keyring_core::Result<Arc<dyn CredentialStoreApi + Send + Sync>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}
#[cfg(windows)]
fn open_store() -> keyring_core::Result<Arc<dyn CredentialStoreApi + Send + Sync>> {
    Ok(windows_native_keyring_store::Store::new()?)
}
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn open_store() -> keyring_core::Result<Arc<dyn CredentialStoreApi + Send + Sync>> {
    Err(Error::NoDefaultStore)
}

impl Vault for Keychain {
    fn put(&self, account: &str, slot: &str, value: &Secret) -> Result<(), Unkept> {
        let value = value.clone();
        let put = move |entry: Entry| entry.set_secret(value.reveal().as_bytes());
        self.with(account, slot, put)?.ok_or_else(|| Unkept("The keychain didn't store the value.".into()))
    }

    fn get(&self, account: &str, slot: &str) -> Result<Option<Secret>, Unkept> {
        let read = move |entry: Entry| entry.get_secret().map(Zeroizing::new);
        let Some(mut bytes) = self.with(account, slot, read)? else { return Ok(None) };
        let text = String::from_utf8(std::mem::take(&mut *bytes));
        text.map(|text| Some(Secret::new(text))).map_err(|wrong| {
            wrong.into_bytes().zeroize();
            Unkept("The keychain entry with this name wasn't written by Pilothouse.".into())
        })
    }

    fn forget(&self, account: &str, slot: &str) -> Result<(), Unkept> {
        self.with(account, slot, |entry| entry.delete_credential()).map(|_| ())
    }
}

/// Why it failed. Some errors carry what was read, so none is shown as it is.
fn unkept(why: Error) -> Unkept {
    Unkept(match why {
        Error::PlatformFailure(cause) => format!("the keychain failed: {cause}"),
        Error::NoStorageAccess(cause) => format!("the keychain is locked or can't be reached: {cause}"),
        Error::TooLong(_, most) => format!("the keychain stores at most {most} bytes"),
        Error::Ambiguous(_) => "the keychain has several entries with this name".into(),
        Error::BadEncoding(mut bytes) | Error::BadDataFormat(mut bytes, _) => {
            bytes.zeroize();
            "the keychain entry with this name wasn't written by Pilothouse".into()
        }
        _ => "the keychain rejected the request".into(),
    })
}

/// Runs on a thread of its own, and gives up waiting for it after so long: it may wait for a person who is not there.
fn within<T: Send + 'static>(most: Duration, run: impl FnOnce() -> T + Send + 'static) -> Result<T, Unkept> {
    let (tell, told) = mpsc::channel();
    let thread = std::thread::Builder::new().name("keychain".into()).spawn(move || {
        let _ = tell.send(run());
    });
    thread.map_err(|e| Unkept(format!("couldn't start a thread for the keychain: {e}")))?;
    told.recv_timeout(most)
        .map_err(|_| Unkept(format!("the keychain didn't respond within {} s; it may be locked", most.as_secs())))
}

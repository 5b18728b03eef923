use super::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

const VALUE: &str = "sk-verysecret-0123456789";

fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

fn shown(found: Option<Secret>) -> Option<String> {
    found.map(|found| found.reveal().to_owned())
}

/// A keychain in memory, which may be away or take no more.
#[derive(Default, Clone)]
struct Memory {
    held: Arc<Mutex<HashMap<String, String>>>,
    is_full: bool,
}

impl Vault for Memory {
    fn put(&self, account: &str, slot: &str, value: &Secret) -> Result<(), Unkept> {
        if self.is_full {
            return Err(Unkept("full".into()));
        }
        self.held.lock().unwrap().insert(format!("{account}/{slot}"), value.reveal().to_owned());
        Ok(())
    }
    fn get(&self, account: &str, slot: &str) -> Result<Option<Secret>, Unkept> {
        Ok(self.held.lock().unwrap().get(&format!("{account}/{slot}")).map(|text| secret(text)))
    }
    fn forget(&self, account: &str, slot: &str) -> Result<(), Unkept> {
        self.held.lock().unwrap().remove(&format!("{account}/{slot}"));
        Ok(())
    }
}

fn vaults(dir: &TempDir, keychain: &Memory) -> Vaults {
    let keychain = keychain.clone();
    Vaults::with(dir.path(), Box::new(move || Some(Box::new(keychain.clone()))))
}

/// Every byte below a folder.
fn bytes_in(folder: &Path) -> Vec<u8> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { bytes_in(&path) } else { std::fs::read(path).unwrap() }).collect()
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn without_a_keychain_a_value_is_kept_sealed_and_found_again_by_the_next_start() {
    let dir = TempDir::new().unwrap();
    assert_eq!(Vaults::in_files(dir.path()).put("a", "KEY", &secret(VALUE)), Ok(Place::File));
    let next = Vaults::in_files(dir.path());
    assert_eq!(shown(next.get(Place::File, "a", "KEY").unwrap()).as_deref(), Some(VALUE));
    let bytes = bytes_in(dir.path());
    assert!(!has(&bytes, VALUE) && !has(&bytes, "KEY"), "neither the value nor its name is in a file");
    next.put("a", "KEY", &secret("second")).unwrap();
    assert_eq!(shown(next.get(Place::File, "a", "KEY").unwrap()).as_deref(), Some("second"));
    next.forget(None, "a", "KEY").unwrap();
    next.forget(None, "a", "KEY").unwrap();
    assert_eq!(shown(next.get(Place::File, "a", "KEY").unwrap()), None);
}

#[test]
fn another_accounts_values_are_not_found_also_where_files_are_exchanged() {
    let dir = TempDir::new().unwrap();
    let vaults = Vaults::in_files(dir.path());
    vaults.put("a", "KEY", &secret(VALUE)).unwrap();
    let folder = dir.path().join("secrets");
    let own = |name: &Path| name.file_name().is_some_and(|name| name != "key");
    let file = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| own(path)).unwrap();
    let sealed = std::fs::read(&file).unwrap();
    assert_eq!(shown(vaults.get(Place::File, "b", "KEY").unwrap()), None);
    vaults.put("b", "KEY", &secret("other")).unwrap();
    let of_b = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let of_b = of_b.filter(|path| own(path)).find(|path| *path != file).unwrap();
    std::fs::write(&of_b, &sealed).unwrap();
    assert!(vaults.get(Place::File, "b", "KEY").is_err(), "what was sealed for one account opens for no other");
    for at in 0..sealed.len() {
        let mut altered = sealed.clone();
        altered[at] ^= 1;
        std::fs::write(&file, &altered).unwrap();
        assert!(vaults.get(Place::File, "a", "KEY").is_err(), "byte {at}");
    }
    std::fs::write(&file, b"").unwrap();
    assert!(vaults.get(Place::File, "a", "KEY").is_err());
}

#[cfg(unix)]
#[test]
fn files_are_the_users_alone_and_a_key_that_others_may_have_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new().unwrap();
    let vaults = Vaults::in_files(dir.path());
    vaults.put("a", "KEY", &secret(VALUE)).unwrap();
    let folder = dir.path().join("secrets");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    let key = folder.join("key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let why = vaults.put("a", "KEY", &secret(VALUE)).unwrap_err();
    assert!(why.0.contains("0644") && !why.0.contains(VALUE), "{why}");
    std::fs::remove_file(&key).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &key).unwrap();
    assert!(vaults.put("a", "KEY", &secret(VALUE)).unwrap_err().0.contains("isn't a file"));
}

#[test]
fn a_keychain_that_runs_has_the_value_and_no_file_does() {
    let (dir, keychain) = (TempDir::new().unwrap(), Memory::default());
    let vaults = vaults(&dir, &keychain);
    assert_eq!(vaults.put("a", "KEY", &secret(VALUE)), Ok(Place::Keychain));
    assert_eq!(shown(vaults.get(Place::Keychain, "a", "KEY").unwrap()).as_deref(), Some(VALUE));
    assert_eq!(shown(vaults.get(Place::Keychain, "b", "KEY").unwrap()), None);
    assert!(bytes_in(dir.path()).is_empty());
    let later = Vaults::in_files(dir.path()).get(Place::Keychain, "a", "KEY").unwrap_err();
    assert!(later.0.contains("keychain"), "{later}");
    let away = Vaults::in_files(dir.path()).forget(Some(Place::Keychain), "a", "KEY");
    assert!(away.is_err(), "what is in a keychain that is away is not taken for forgotten");
    vaults.forget(Some(Place::Keychain), "a", "KEY").unwrap();
    assert!(keychain.held.lock().unwrap().is_empty());
}

#[test]
fn what_a_keychain_does_not_take_is_sealed_in_a_file() {
    let dir = TempDir::new().unwrap();
    let vaults = vaults(&dir, &Memory { is_full: true, ..Memory::default() });
    assert_eq!(vaults.put("a", "KEY", &secret(VALUE)), Ok(Place::File));
    assert_eq!(shown(vaults.get(Place::File, "a", "KEY").unwrap()).as_deref(), Some(VALUE));
}

#[test]
fn what_is_sealed_opens_for_its_purpose_alone_and_never_twice_the_same() {
    let dir = TempDir::new().unwrap();
    let sealer = Vaults::in_files(dir.path()).sealer().unwrap();
    let sealed = sealer.seal_text(&["ask", "ab", "c"], &secret(VALUE));
    assert_eq!(sealer.open_text(&["ask", "ab", "c"], &sealed).unwrap().reveal(), VALUE);
    assert!(sealer.open_text(&["ask", "a", "bc"], &sealed).is_err());
    assert!(sealer.open_text(&["ask", "ab", "c"], "§").is_err());
    assert_ne!(sealed, sealer.seal_text(&["ask", "ab", "c"], &secret(VALUE)));
    let other = TempDir::new().unwrap();
    assert!(Vaults::in_files(other.path()).sealer().unwrap().open_text(&["ask", "ab", "c"], &sealed).is_err());
}

use super::{Place, THINGS, code, given_place, open_at, open_impatient, refusal, this_program, write};
use crate::{Db, Integrity};
use rusqlite::Connection;

#[cfg(unix)]
#[tokio::test]
async fn folder_and_files_are_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let folder = place.dir.path().join("of/its/own");
    let file = folder.join(crate::FILE_NAME);
    let db = open_at(&file);
    write(&db, "x", 1).await.unwrap();
    db.backup(&folder.join("copy.db")).await.unwrap();
    let mode = |name: &str| std::fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(""), 0o700);
    for name in ["pilothouse.db", "pilothouse.db-wal", "pilothouse.db-shm", "pilothouse.lock", "copy.db"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    drop(db);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let _db = open_at(&file);
    assert_eq!(mode("pilothouse.db"), 0o600, "an older, wider mode is taken back");
}

#[cfg(unix)]
#[tokio::test]
async fn companions_that_could_not_be_written_do_not_outlive_that() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.open().close().await;
    let shm = crate::files::beside(&place.file(), "-shm");
    std::fs::write(&shm, "").unwrap();
    std::fs::set_permissions(&shm, std::fs::Permissions::from_mode(0o400)).unwrap();
    let db = place.open();
    assert_eq!(std::fs::metadata(&shm).unwrap().permissions().mode() & 0o777, 0o600);
    write(&db, "x", 1).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_is_acknowledged_that_a_file_elsewhere_would_take_along() {
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    let elsewhere = crate::files::beside(&place.file(), "-elsewhere");
    std::fs::rename(place.file(), &elsewhere).unwrap();
    assert!(!db.is_in_place());
    assert_eq!(code(write(&db, "y", 2).await), "read-only");
    assert_eq!(db.read_only(), Some(crate::Reason::Gone));
    std::fs::copy(&elsewhere, place.file()).unwrap();
    assert_eq!(code(write(&db, "y", 2).await), "read-only", "another file in its place is not the one that is open");
    assert!(!db.is_in_place());
    std::fs::rename(&elsewhere, place.file()).unwrap();
    assert!(db.is_in_place());
    write(&db, "y", 2).await.unwrap();
    assert_eq!((db.read_only(), db.read(super::all).await.unwrap().len()), (None, 2));
}

/// Run as another process by the test below.
#[test]
fn second_program() {
    let Some(file) = given_place() else { return };
    println!("said: {}", refusal(open_impatient(&file)));
    println!("said: {}", refusal(crate::restore(file.parent().unwrap(), Some(&file), THINGS)));
    println!("held by {:?}", crate::holder(file.parent().unwrap()));
}

#[tokio::test]
async fn a_second_program_is_told_which_process_holds_the_folder() {
    let place = Place::new();
    let db = place.open();
    let output =
        this_program("tests::files::second_program").env("STORE_TEST_FILE", place.file()).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let holder = format!("is in use by process {}. Close that program", std::process::id());
    assert_eq!(said.matches(&holder).count(), 2, "{said}");
    assert!(said.contains("(database-locked)"), "{said}");
    assert!(said.contains(&format!("held by {:?}", Some(crate::Holder::Process(std::process::id())))), "{said}");
    assert_eq!(crate::holder(place.dir.path()), None, "not another program");
    write(&db, "x", 1).await.unwrap();
}

#[tokio::test]
async fn a_second_handle_of_the_same_program_shares_the_folder() {
    let place = Place::new();
    let (first, second) = (place.open(), place.open());
    write(&first, "x", 1).await.unwrap();
    drop(first);
    write(&second, "y", 2).await.unwrap();
    assert_eq!(second.read(super::all).await.unwrap().len(), 2);
}

#[tokio::test]
async fn closing_finishes_the_writes_and_lets_go_of_the_folder() {
    let place = Place::new();
    let db = place.open();
    let writing = db.clone();
    let waiting = tokio::spawn(async move { write(&writing, "x", 1).await });
    tokio::task::yield_now().await;
    db.close().await;
    waiting.await.unwrap().unwrap();
    assert_eq!(code(write(&db, "y", 2).await), "program-ending");
    db.close().await;
    assert!(!crate::files::beside(&place.file(), "-wal").exists(), "all of it is in the one file");
    let lock = std::fs::File::open(place.dir.path().join("pilothouse.lock")).unwrap();
    lock.try_lock().expect("nobody holds it");
    lock.unlock().unwrap();
    assert_eq!(place.open().read(super::all).await.unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_a_link_to_another_file_leaves_that_file_alone() {
    let place = Place::new();
    let precious = place.dir.path().join("precious");
    std::fs::write(&precious, "precious").unwrap();
    std::os::unix::fs::symlink(&precious, place.dir.path().join("pilothouse.lock")).unwrap();
    let db = place.open();
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
    drop(db);
}

#[test]
fn a_database_locked_by_another_program_is_said_after_a_bounded_wait() {
    let place = Place::new();
    drop(place.open());
    let other = Connection::open(place.file()).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    assert_eq!(code(open_impatient(&place.file())), "database-locked");
    drop(other);
    place.open();
}

#[test]
fn a_folder_that_cannot_be_made_is_named_with_the_cause() {
    let place = Place::new();
    let blocked = place.dir.path().join("file");
    std::fs::write(&blocked, "not a folder").unwrap();
    for file in [blocked.join("pilothouse.db"), blocked.join("deeper/pilothouse.db")] {
        let refused = refusal(Db::open(&file, THINGS));
        assert_eq!(refused.code().name, "data-dir-not-writable");
        assert!(refused.detail().contains(&blocked.display().to_string()), "{refused}");
    }
}

#[test]
fn a_database_that_is_a_folder_is_no_place_to_write() {
    let place = Place::new();
    std::fs::create_dir(place.file()).unwrap();
    assert_eq!(code(Db::open(&place.file(), THINGS)), "data-dir-not-writable");
}

#[tokio::test]
async fn every_start_tells_what_the_check_found() {
    let place = Place::new();
    let db = place.open();
    assert_eq!((db.integrity(), db.read_only()), (Integrity::Sound, None));
}

#[test]
fn the_codes_have_distinct_names_and_a_remedy() {
    let names: std::collections::BTreeSet<_> = crate::CODES.iter().map(|code| code.name).collect();
    assert_eq!(names.len(), crate::CODES.len());
    assert!(crate::CODES.iter().all(|code| code.doc.len() > 60 && code.doc.ends_with('.')));
}

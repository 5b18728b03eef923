use super::{Place, THINGS, all, code, open_at, put, refusal, write};
use crate::open::{self, Options};
use crate::readers::Readers;
use crate::rescue;
use crate::{Db, Integrity, Reason, backups, restore};
use kit::Clock;
use kit::clock::FixedClock;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// A closed database of a few hundred pages.
async fn filled(place: &Place) {
    let db = place.open();
    db.write(|tx| {
        for n in 0..200 {
            put(tx, &format!("thing-{n:04}"), n)?;
        }
        tx.execute("UPDATE things SET text = $1 WHERE account_id = 'a'", &["long ".repeat(600).into()])?;
        Ok(())
    })
    .await
    .unwrap();
    // Copied through SQLite, so that all of it is in the one file whatever the closing of the handle still does.
    let whole = place.dir.path().join("whole");
    db.backup(&whole).await.unwrap();
    drop(db);
    let fresh = place.dir.path().join("fresh");
    fs::create_dir(&fresh).unwrap();
    fs::rename(whole, fresh.join(crate::FILE_NAME)).unwrap();
}

fn fresh(place: &Place) -> std::path::PathBuf {
    place.dir.path().join("fresh").join(crate::FILE_NAME)
}

fn garble(file: &Path, from: usize) {
    let mut bytes = fs::read(file).unwrap();
    let to = from + 60_000;
    bytes[from..to].fill(0x5a);
    fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn a_truncated_file_is_refused_and_the_way_back_is_named() {
    let place = Place::new();
    filled(&place).await;
    let file = fresh(&place);
    let length = fs::metadata(&file).unwrap().len();
    for kept in [length - 1, length - 4096, length / 2, 4096 * 3, 5000, 100, 17] {
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..kept as usize]).unwrap();
        let refused = refusal(Db::open(&file, THINGS));
        assert_eq!(refused.code().name, "database-damaged", "{kept} bytes: {refused}");
        assert!(refused.detail().contains(&file.display().to_string()), "{refused}");
        assert!(refused.detail().contains("There is no backup"), "{refused}");
        assert_eq!(fs::metadata(&file).unwrap().len(), kept, "the file was touched");
        fs::write(&file, bytes).unwrap();
    }
    open_at(&file);
}

#[tokio::test]
async fn a_file_of_a_newer_format_is_refused_as_newer() {
    let place = Place::new();
    filled(&place).await;
    let file = fresh(&place);
    let mut bytes = fs::read(&file).unwrap();
    // The versions of the format for writing and for reading.
    bytes[18..20].fill(3);
    fs::write(&file, &bytes).unwrap();
    let refused = refusal(Db::open(&file, THINGS));
    assert_eq!(refused.code().name, "database-newer", "{refused}");
    assert!(refused.detail().contains(&file.display().to_string()), "{refused}");
    assert_eq!(fs::read(&file).unwrap(), bytes, "the file was touched");
}

#[tokio::test]
async fn an_empty_file_is_a_new_one_only_where_nothing_else_was_made_yet() {
    let place = Place::new();
    filled(&place).await;
    let file = fresh(&place);
    let token = file.with_file_name("cli-token");
    fs::write(&token, "made after the first start").unwrap();
    for left in ["", "S"] {
        fs::write(&file, left).unwrap();
        let refused = refusal(Db::open(&file, THINGS));
        assert_eq!(refused.code().name, "database-damaged");
        assert!(refused.detail().contains("it is empty, although the data directory was in use"), "{refused}");
        assert_eq!(fs::read_to_string(&file).unwrap(), left, "the file was touched");
    }
    // As a first start leaves it that was stopped before it wrote anything.
    fs::remove_file(&token).unwrap();
    open_at(&file);
}

#[tokio::test]
async fn a_restore_puts_the_backup_in_place_and_keeps_the_damaged_file() {
    let place = Place::new();
    filled(&place).await;
    let (file, folder) = (fresh(&place), place.dir.path().join("fresh"));
    let backup = folder.join("backups/pilothouse-20260301T120000Z-before-things-2.db");
    fs::create_dir(folder.join("backups")).unwrap();
    fs::copy(&file, &backup).unwrap();
    garble(&file, 20_000);
    let damaged = fs::read(&file).unwrap();
    fs::write(folder.join("pilothouse.db-wal"), "a log that belongs to the damaged file").unwrap();

    let refused = refusal(Db::open(&file, THINGS));
    assert!(refused.detail().contains("pilothouse restore"), "{refused}");
    assert_eq!(refused.problem()["backups"][0], backup.display().to_string());
    assert_eq!(backups(&folder), std::slice::from_ref(&backup));

    let restored = restore(&folder, None, THINGS).unwrap();
    assert_eq!(restored.backup, backup);
    let aside = restored.set_aside.clone().unwrap();
    assert!(restored.to_string().ends_with(&format!("is saved as {}.", aside.display())), "{restored}");
    assert!(aside.file_name().unwrap().to_str().unwrap().starts_with("pilothouse.db.damaged-2"));
    assert_eq!(fs::read(&aside).unwrap(), damaged);
    assert!(crate::files::beside(&aside, "-wal").exists() && !folder.join("pilothouse.db-wal").exists());
    assert!(backup.exists());
    let db = open_at(&file);
    assert_eq!(db.read(super::all).await.unwrap().len(), 200);
    write(&db, "after", 1).await.unwrap();
}

#[tokio::test]
async fn a_copy_knows_that_it_is_one_and_no_two_are_the_same() {
    let place = Place::new();
    let copy_of = async |db: &Db| {
        let written = db.write(|tx| tx.copy()).await.unwrap();
        assert_eq!(db.read(|tx| tx.copy()).await.unwrap(), written);
        written
    };
    let db = place.open();
    assert_eq!(copy_of(&db).await, 0);
    let backup = place.dir.path().join("copy.db");
    db.backup(&backup).await.unwrap();
    assert_eq!(copy_of(&db).await, 0, "the database itself stays what it is");
    db.close().await;
    let mut seen = vec![0];
    // Put there by hand, and twice as it should be.
    for by_hand in [true, false, false] {
        match by_hand {
            true => drop(fs::copy(&backup, place.file()).unwrap()),
            false => drop(restore(place.dir.path(), Some(&backup), THINGS).unwrap()),
        }
        let db = place.open();
        let copy = copy_of(&db).await;
        assert!(!seen.contains(&copy), "{copy} of {seen:?}");
        seen.push(copy);
        db.close().await;
        let db = place.open();
        assert_eq!(copy_of(&db).await, copy, "it stays so");
        db.close().await;
    }
}

#[tokio::test]
async fn a_restore_refuses_what_is_no_backup_and_changes_nothing() {
    let place = Place::new();
    filled(&place).await;
    let (file, folder) = (fresh(&place), place.dir.path().join("fresh"));
    let before = fs::read(&file).unwrap();
    let candidate = place.dir.path().join("candidate.db");
    assert_eq!(code(restore(&folder, None, THINGS)), "backup-not-usable", "there is none");
    assert_eq!(code(restore(&folder, Some(&candidate), THINGS)), "backup-not-usable");
    fs::write(&candidate, "no database at all, but long enough to be looked at as if it were one").unwrap();
    assert_eq!(code(restore(&folder, Some(&candidate), THINGS)), "backup-not-usable");
    fs::remove_file(&candidate).unwrap();
    rusqlite::Connection::open(&candidate).unwrap().execute_batch("CREATE TABLE other (a, b)").unwrap();
    assert_eq!(code(restore(&folder, Some(&candidate), THINGS)), "backup-not-usable");
    fs::copy(&file, &candidate).unwrap();
    garble(&candidate, 20_000);
    assert_eq!(code(restore(&folder, Some(&candidate), THINGS)), "backup-not-usable");
    fs::copy(&file, &candidate).unwrap();
    let newer = "INSERT INTO migrations (feature, number) VALUES ('things', 999)";
    rusqlite::Connection::open(&candidate).unwrap().execute_batch(newer).unwrap();
    assert_eq!(code(restore(&folder, Some(&candidate), THINGS)), "database-newer");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_restore_into_an_empty_folder_needs_nothing_set_aside() {
    let (place, target) = (Place::new(), Place::new());
    drop(place.open());
    let restored = restore(target.dir.path(), Some(&place.file()), THINGS).unwrap();
    assert_eq!(restored.set_aside, None);
    target.open();
}

#[test]
fn a_log_without_its_database_and_another_programs_database_are_refused() {
    let place = Place::new();
    fs::write(place.file(), "").unwrap();
    fs::write(crate::files::beside(&place.file(), "-wal"), "changes").unwrap();
    assert_eq!(code(Db::open(&place.file(), THINGS)), "database-damaged");

    // Beside backups an empty file is what is left of a database, and not the place of a new one.
    let place = Place::new();
    drop(place.open());
    let backups = place.dir.path().join(crate::BACKUPS_FOLDER);
    fs::create_dir_all(&backups).unwrap();
    fs::copy(place.file(), backups.join("pilothouse-2026-03-01.db")).unwrap();
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(crate::files::beside(&place.file(), end));
    }
    fs::write(place.file(), "").unwrap();
    let refused = refusal(Db::open(&place.file(), THINGS));
    assert!(refused.code().name == "database-damaged" && refused.detail().contains("backups"), "{refused}");
    fs::remove_file(place.file()).unwrap();
    let refused = refusal(Db::open(&place.file(), THINGS));
    assert!(refused.code().name == "database-damaged" && refused.detail().contains("it is gone"), "{refused}");
    restore(place.dir.path(), None, THINGS).unwrap();
    drop(place.open());

    let place = Place::new();
    rusqlite::Connection::open(place.file()).unwrap().execute_batch("CREATE TABLE other (a, b)").unwrap();
    let refused = refusal(Db::open(&place.file(), THINGS));
    assert!(refused.detail().contains("another program"), "{refused}");
}

#[tokio::test]
async fn a_backup_holds_all_and_overwrites_nothing() {
    let (place, other) = (Place::new(), Place::new());
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    db.backup(&other.file()).await.unwrap();
    assert_eq!(code(db.backup(&other.file()).await), "conflict");
    assert_eq!(code(db.backup(&place.file().join("under/a/file")).await), "data-dir-not-writable");
    write(&db, "y", 2).await.unwrap();
    assert_eq!(other.open().read(super::all).await.unwrap(), [("x".to_owned(), 1)].into());
}

#[tokio::test]
async fn a_backup_on_request_is_the_newest_and_a_restore_makes_the_folder() {
    let (place, other) = (Place::new(), Place::new());
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    let first = db.backup_now().await.unwrap();
    write(&db, "y", 2).await.unwrap();
    let second = db.backup_now().await.unwrap();
    assert_eq!(backups(place.dir.path()).first(), Some(&second));
    assert_ne!(db.backup_now().await.unwrap(), second, "nothing has changed since");
    let new = other.dir.path().join("new");
    restore(&new, Some(&first), THINGS).unwrap();
    let db = Db::open(&new.join(crate::FILE_NAME), THINGS).unwrap();
    assert_eq!(db.read(super::all).await.unwrap(), [("x".to_owned(), 1)].into());
}

#[tokio::test]
async fn few_backups_on_request_are_kept() {
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    let mut last = None;
    for _ in 0..=rescue::BACKUPS_REQUESTED_MAX {
        last = Some(db.backup_now().await.unwrap());
    }
    let kept = backups(place.dir.path());
    assert_eq!(kept.len(), rescue::BACKUPS_REQUESTED_MAX);
    assert!(kept.iter().any(|file| Some(file) == last.as_ref()), "{kept:?}");
}

#[tokio::test]
async fn a_large_file_is_checked_beside_the_program() {
    let place = Place::new();
    filled(&place).await;
    let file = fresh(&place);
    let open = || open::open(&file, THINGS, Options { check_first_bytes_max: 1000, ..Options::default() }).unwrap();
    let checked = async |db: &Db| {
        while db.integrity() == Integrity::Checking {
            tokio::task::yield_now().await;
        }
        db.integrity()
    };
    let db = open();
    assert_eq!(checked(&db).await, Integrity::Sound);
    drop(db);

    garble(&file, 200_000);
    let db = open();
    assert!(matches!(checked(&db).await, Integrity::Damaged(_)));
    assert_eq!(db.read_only(), Some(Reason::Damaged));
    let refused = refusal(write(&db, "x", 1).await);
    assert_eq!(refused.code().name, "read-only");
    assert!(refused.detail().contains("pilothouse restore"), "{refused}");
}

#[tokio::test]
async fn a_backup_is_made_when_the_newest_is_old_and_few_are_kept() {
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    db.close().await;
    let readers = Arc::new(Readers::new(&place.file(), Duration::ZERO));
    let day = Duration::from_secs(24 * 60 * 60);
    // The name of a backup says when the file was changed.
    let changed = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let dated = || {
        for file in [place.file(), crate::files::beside(&place.file(), "-wal")] {
            if let Ok(file) = fs::File::options().write(true).open(file) {
                file.set_modified(changed).unwrap();
            }
        }
    };
    dated();
    rescue::backup_by_time(&readers, &place.file(), day, changed);
    let first = backups(place.dir.path());
    assert_eq!(first.len(), 1, "there was none");
    let made = fs::metadata(&first[0]).unwrap().modified().unwrap();
    rescue::backup_by_time(&readers, &place.file(), day, made + day / 2);
    assert_eq!(backups(place.dir.path()), first, "the newest is young");
    for n in 0..9 {
        let name = format!("pilothouse-20200101T00000{n}Z-daily.db");
        fs::copy(&first[0], place.dir.path().join(crate::BACKUPS_FOLDER).join(name)).unwrap();
    }
    fs::remove_file(&first[0]).unwrap();
    dated();
    rescue::backup_by_time(&readers, &place.file(), Duration::ZERO, made + day);
    let kept = backups(place.dir.path());
    assert_eq!((kept.len(), &kept[0]), (7, &first[0]), "the newest seven");
    fs::write(place.file(), "not a database").unwrap();
    restore(place.dir.path(), None, THINGS).unwrap();
    assert_eq!(place.open().read(all).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_backup_made_while_the_clock_went_ahead_is_not_the_newest_for_good() {
    let place = Place::new();
    write(&place.open(), "x", 1).await.unwrap();
    let readers = crate::readers::Readers::new(&place.file(), Duration::ZERO);
    let folder = place.dir.path().join(crate::BACKUPS_FOLDER);
    let ahead = folder.join("pilothouse-20990101T000000Z-daily.db");
    fs::create_dir(&folder).unwrap();
    fs::copy(place.file(), &ahead).unwrap();
    let names = || -> Vec<String> {
        let name = |path: std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        backups(place.dir.path()).into_iter().map(name).collect()
    };
    for newest in ["pilothouse-20990101T000000Z.0001-daily.db", "pilothouse-20990101T000000Z.0002-daily.db"] {
        rescue::backup_by_time(&readers, &place.file(), Duration::ZERO, std::time::SystemTime::now());
        assert_eq!(names()[0], newest);
    }
}

#[tokio::test(start_paused = true)]
async fn a_program_that_runs_for_days_makes_a_backup_each_day() {
    const HOUR_MS: i64 = 60 * 60 * 1000;
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    let clock = FixedClock::at(1_700_000_000_000);
    let at = |ms: i64| UNIX_EPOCH + Duration::from_millis(ms as u64);
    // The file changes from day to day, and the name of a backup says when.
    let dated =
        |file: &Path, ms: i64| fs::File::options().write(true).open(file).unwrap().set_modified(at(ms)).unwrap();
    let changed = |ms: i64| ["pilothouse.db", "pilothouse.db-wal"].map(|name| dated(&place.dir.path().join(name), ms));
    let run = async |hours: i64| {
        let tick = || {
            clock.advance_ms(HOUR_MS);
            clock.now_ms()
        };
        let end = Duration::from_millis((hours * HOUR_MS + HOUR_MS / 2) as u64);
        assert!(tokio::time::timeout(end, db.keep_backups(tick)).await.is_err(), "it ends only with the program");
        backups(place.dir.path())
    };
    changed(clock.now_ms());
    let first = run(1).await;
    assert_eq!(first.len(), 1, "there was none");
    dated(&first[0], clock.now_ms());
    changed(clock.now_ms() + 1000);
    assert_eq!(run(23).await, first, "the newest is young");
    let second = run(1).await;
    assert_eq!((second.len(), &second[1]), (2, &first[0]), "a day has passed");
    dated(&second[0], clock.now_ms());
    assert_eq!(run(48).await, second, "nothing was changed since");
    db.close().await;
}

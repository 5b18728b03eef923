use super::{MORE_THINGS, Place, Steps, THINGS, code, put, refusal, write};
use crate::{Db, backups, schema_sql};
use kit::Migration;
use std::fs;

const FAILING: &[(&str, Steps)] = &[(
    "things",
    &[
        THINGS[0].1[0],
        Migration { number: 2, sql: "ALTER TABLE things ADD COLUMN note TEXT; CREATE INDEX i ON nowhere (account_id)" },
    ],
)];

#[tokio::test]
async fn an_update_is_preceded_by_a_copy_and_a_first_start_is_not() {
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    drop(db);
    assert_eq!(backups(place.dir.path()).len(), 0);

    let db = Db::open(&place.file(), MORE_THINGS).unwrap();
    db.write(|tx| tx.execute("UPDATE things SET note = 'new' WHERE account_id = 'a'", &[])).await.unwrap();
    let [backup] = backups(place.dir.path()).try_into().unwrap();
    let name = backup.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with("pilothouse-2") && name.ends_with("Z-before-things-2.db"), "{name}");
    let old = Place::new();
    fs::copy(&backup, old.file()).unwrap();
    assert_eq!(old.open().read(super::all).await.unwrap(), [("x".to_owned(), 1)].into());

    drop(Db::open(&place.file(), MORE_THINGS).unwrap());
    assert_eq!(backups(place.dir.path()).len(), 1, "nothing was pending");
}

#[test]
fn the_newest_ten_copies_are_kept_and_the_users_own_are_not_counted() {
    let place = Place::new();
    drop(place.open());
    let folder = place.dir.path().join("backups");
    fs::create_dir(&folder).unwrap();
    for n in 10..22 {
        fs::write(folder.join(format!("pilothouse-20010101T0000{n}Z-before-things-1.db")), "old").unwrap();
    }
    fs::write(folder.join("pilothouse-19990101T000000Z.db"), "the user's own").unwrap();
    drop(Db::open(&place.file(), MORE_THINGS).unwrap());
    let names: Vec<String> =
        backups(place.dir.path()).iter().map(|b| b.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names.len(), 11, "{names:?}");
    assert!(names[0].ends_with("-before-things-2.db"));
    assert_eq!(names[1], "pilothouse-20010101T000021Z-before-things-1.db");
    assert_eq!(names[9], "pilothouse-20010101T000013Z-before-things-1.db");
    assert_eq!(names[10], "pilothouse-19990101T000000Z.db");
}

#[tokio::test]
async fn a_step_that_fails_keeps_nothing_of_itself() {
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    drop(db);
    let refused = refusal(Db::open(&place.file(), FAILING));
    assert!(refused.detail().starts_with("Step 2 of the tables of things failed"), "{refused}");
    // The first version still runs, and the good version of the step finds no column in its way.
    assert_eq!(place.open().read(super::all).await.unwrap().len(), 1);
    Db::open(&place.file(), MORE_THINGS).unwrap();
}

#[test]
fn a_step_that_is_not_portable_is_found_in_debug_builds() {
    const LOCAL: &[(&str, Steps)] =
        &[("local", &[Migration { number: 1, sql: "CREATE TABLE local (id INTEGER PRIMARY KEY)" }])];
    let refused = refusal(Db::open(&Place::new().file(), LOCAL));
    assert!(refused.detail().contains("local.id is declared INTEGER"), "{refused}");
}

#[tokio::test]
async fn a_newer_database_is_refused_and_not_touched() {
    let place = Place::new();
    let db = Db::open(&place.file(), MORE_THINGS).unwrap();
    db.write(|tx| put(tx, "x", 1)).await.unwrap();
    // Another connection stays open, so that the closing of the first handle writes nothing between the two looks.
    let held = rusqlite::Connection::open(place.file()).unwrap();
    held.execute_batch("BEGIN; SELECT count(*) FROM things").unwrap();
    drop(db);
    let state =
        || ["pilothouse.db", "pilothouse.db-wal"].map(|name| fs::read(place.dir.path().join(name)).unwrap_or_default());
    let before = state();
    let refused = refusal(Db::open(&place.file(), THINGS));
    assert_eq!(refused.code().name, "database-newer");
    assert!(refused.detail().contains("step 2 of the tables of things"), "{refused}");
    assert_eq!(code(Db::open(&place.file(), &[])), "database-newer");
    assert!(state() == before);
    assert_eq!(backups(place.dir.path()).len(), 0);
}

#[test]
fn the_schema_is_one_sorted_text() {
    let schema = schema_sql(MORE_THINGS);
    let heads: Vec<&str> = schema.split(";\n\n").map(|s| s.split('(').next().unwrap().trim()).collect();
    assert_eq!(
        heads,
        [
            "CREATE TABLE changes",
            "CREATE INDEX changes_by_subject ON changes",
            "CREATE TABLE migrations",
            "CREATE TABLE things",
            "CREATE INDEX things_n ON things",
        ]
    );
    assert!(schema.contains("note TEXT") && schema.ends_with(";\n"));
    crate::check_portable(&schema).unwrap();
    assert!(schema.contains("PRIMARY KEY (account_id, change_id)\n) /* sqlite: WITHOUT ROWID */;"), "{schema}");
}

#[tokio::test]
async fn changes_recorded_before_they_lay_by_their_key_are_all_there_after() {
    let place = Place::new();
    let before = rusqlite::Connection::open(place.file()).unwrap();
    before.execute_batch(include_str!("../../migrations/001_changes.sql")).unwrap();
    before
        .execute_batch(
            "CREATE TABLE migrations (feature TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (feature, number)); \
             INSERT INTO migrations VALUES ('store', 1)",
        )
        .unwrap();
    for id in ["2", "1", "3"] {
        let row = "INSERT INTO changes VALUES ('a', ?1, 7, 'owner', 't', NULL, 'thing', 'x', 'n', NULL, '{\"v\": 1}')";
        before.execute(row, [id]).unwrap();
    }
    drop(before);
    let db = place.open();
    let changes = db.read(|tx| tx.changes("a", "thing", "x", None, 10)).await.unwrap();
    assert_eq!(changes.iter().map(|change| change.change_id.as_str()).collect::<Vec<_>>(), ["3", "2", "1"]);
    assert_eq!(changes[0].after, Some(serde_json::json!({"v": 1})));
    assert_eq!(backups(place.dir.path()).len(), 1, "a copy was made before");
}

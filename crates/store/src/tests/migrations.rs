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
            "CREATE TABLE item_changes",
            "CREATE TABLE migrations",
            "CREATE TABLE things",
            "CREATE INDEX things_n ON things",
        ]
    );
    assert!(schema.contains("note TEXT") && schema.ends_with(";\n"));
    crate::check_portable(&schema).unwrap();
}

#[tokio::test]
async fn what_only_sqlite_is_told_stands_in_a_comment_and_comes_back_as_one() {
    const BY_KEY: &[(&str, Steps)] = &[(
        "kept",
        &[Migration {
            number: 1,
            sql: "CREATE TABLE kept_new (account_id TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (account_id, n)) \
                  /* sqlite: WITHOUT ROWID */; ALTER TABLE kept_new RENAME TO kept",
        }],
    )];
    let schema = schema_sql(BY_KEY);
    let expected = "CREATE TABLE kept (account_id TEXT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (account_id, n)) /* sqlite: WITHOUT ROWID */;";
    assert!(schema.contains(expected), "{schema}");
    let place = Place::new();
    drop(Db::open(&place.file(), BY_KEY).unwrap());
    let made = rusqlite::Connection::open(place.file()).unwrap();
    assert!(made.prepare("SELECT rowid FROM kept").is_err(), "its rows lie by their key");
}

#[test]
fn what_happened_to_one_thing_is_found_without_looking_through_all_changes() {
    use crate::changes::{BEFORE, newest, of_item};
    let place = Place::new();
    drop(place.open());
    let connection = rusqlite::Connection::open(place.file()).unwrap();
    let plan = |sql: String, params: &[&dyn rusqlite::ToSql]| {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", sql.replace('$', "?"))).unwrap();
        let steps = statement.query_map(params, |row| row.get::<_, String>(3)).unwrap();
        steps.collect::<Result<Vec<_>, _>>().unwrap().join("\n")
    };
    let of_setting = plan(newest("setting", "x"), &[&"a", &"~", &100, &"setting", &"x"]);
    assert!(
        of_setting.contains("USING INDEX changes_by_subject (account_id=? AND subject=? AND subject_id=?"),
        "{of_setting}"
    );
    let of_settings = plan(newest("setting", ""), &[&"a", &"~", &100, &"setting", &""]);
    assert!(
        of_settings.starts_with("SEARCH changes USING PRIMARY KEY (account_id=? AND change_id=?)"),
        "{of_settings}"
    );
    assert!(
        of_settings.contains("USING COVERING INDEX changes_by_subject (account_id=? AND subject=?"),
        "{of_settings}"
    );
    let of_item = plan(of_item(BEFORE, "place < $3", ""), &[&"a", &"x", &100, &""]);
    assert!(!of_item.contains("SCAN changes"), "{of_item}");
    let looked_up = of_item.matches("SEARCH changes USING PRIMARY KEY (account_id=? AND change_id=?)");
    assert_eq!(looked_up.count(), 4, "{of_item}");
}

#[tokio::test]
async fn the_changes_that_were_recorded_before_items_had_chains_are_in_them() {
    let place = Place::new();
    let connection = rusqlite::Connection::open(place.file()).unwrap();
    connection.execute_batch(include_str!("../../migrations/001_changes.sql")).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE migrations (feature TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (feature, number)); \
             INSERT INTO migrations VALUES ('store', 1); \
             INSERT INTO changes (account_id, change_id, at_ms, actor, actor_id, subject, subject_id, field) VALUES \
             ('a', '1', 1, 'cli', 'cli', 'item', 'x', 'name'), ('a', '2', 2, 'cli', 'cli', 'item', 'y', 'name'), \
             ('a', '3', 3, 'cli', 'cli', 'setting', 'x', ''), ('b', '4', 4, 'cli', 'cli', 'item', 'x', 'name'), \
             ('a', '5', 5, 'cli', 'cli', 'item', 'x', 'c1')",
        )
        .unwrap();
    drop(connection);
    let db = place.open();
    let ids = async |subject: &'static str, id: &'static str, before: Option<&'static str>, limit| {
        let rows = db.read(move |tx| tx.changes("a", subject, id, before, limit)).await.unwrap();
        rows.into_iter().map(|row| row.change_id).collect::<Vec<_>>()
    };
    assert_eq!(ids("item", "x", None, 9).await, ["5", "1"]);
    assert_eq!(ids("item", "x", None, 1).await, ["5"]);
    assert_eq!(ids("item", "x", Some("5"), 9).await, ["1"]);
    assert!(ids("item", "x", Some("2"), 9).await.is_empty(), "a change of something else is no place in its record");
    assert_eq!(ids("item", "", None, 9).await, ["5", "2", "1"]);
    assert_eq!(ids("setting", "x", None, 9).await, ["3"]);
    assert_eq!(ids("", "x", None, 9).await, ["5", "3", "1"]);
    // What is recorded from then on hangs on to it, however the clock stands.
    let caller = kit::caller::Caller::new(kit::caller::Kind::Cli, "a", "cli");
    let record = move |tx: &mut crate::Tx<'_>| {
        let change = |after| crate::Change { subject: "item", subject_id: "x", field: "name", before: None, after };
        let name = "y".into();
        let altered = tx.record(&caller, 6, change(Some(&name)))?;
        Ok([altered, tx.record(&caller, 7, change(None))?])
    };
    let [altered, unaltered] = db.write(record).await.unwrap();
    assert_eq!(ids("item", "x", None, 9).await, [unaltered.as_str(), altered.as_str(), "5", "1"]);
    let later = async |than: &str| {
        let than = than.to_owned();
        let find = move |tx: &mut crate::Tx<'_>| {
            let than = tx.change("a", &than)?;
            tx.later_change("a", &than)
        };
        db.read(find).await.unwrap().map(|row| row.change_id)
    };
    assert_eq!(later("1").await.as_deref(), Some(altered.as_str()), "of the same part, and altering it");
    assert_eq!(later(&altered).await, None);
    assert_eq!(later("5").await, None, "another part");
}

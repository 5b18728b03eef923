use super::{Place, refusal};
use crate::check_portable;

#[test]
fn what_every_database_takes_passes() {
    let good = [
        "SELECT n FROM things WHERE account_id = $1 AND n IS NOT NULL ORDER BY n NULLS LAST LIMIT $2",
        "SELECT CAST(sum(n) AS BIGINT), CAST(coalesce(sum(n), 0) AS BIGINT) FROM things",
        "SELECT n FROM things WHERE lower(text) LIKE lower($1) AND lower(trim(text)) NOT LIKE $2 OR lower(text) LIKE 'a%'",
        "SELECT 'what? like AUTOINCREMENT -- rowid' AS \"for update\", n FROM things -- why not? LIKE this",
        "INSERT INTO t (account_id, n) VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET n = excluded.n RETURNING n",
        "UPDATE t SET n = n + 1 WHERE a = $1 AND (b = '' OR b IS NOT DISTINCT FROM $2)",
        "WITH x AS (SELECT 1 AS n) SELECT n FROM x WHERE NOT EXISTS (SELECT 1 FROM t)",
        "DELETE FROM t WHERE account_id = $1 /* all of it? */",
        "CREATE TABLE t (account_id TEXT NOT NULL, id TEXT NOT NULL, share DOUBLE PRECISION NOT NULL DEFAULT 0,
           done BIGINT CHECK (done IN (0, 1)), PRIMARY KEY (account_id, id));
         CREATE UNIQUE INDEX t_share ON t (account_id, share) WHERE done = 1; DROP TABLE old;",
        "CREATE TABLE accounts (account_id TEXT PRIMARY KEY, name TEXT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS migrations (feature TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (feature, number))",
        "ALTER TABLE t ADD COLUMN note TEXT NOT NULL DEFAULT ''; ALTER TABLE t RENAME COLUMN note TO remark",
    ];
    for sql in good {
        assert_eq!(check_portable(sql), Ok(()), "{sql}");
    }
}

#[test]
fn what_only_some_databases_take_is_refused_with_what_to_write_instead() {
    let table =
        |columns: &str| format!("CREATE TABLE t (account_id TEXT NOT NULL, {columns}, PRIMARY KEY (account_id, id))");
    let bad = [
        ("SELECT ?1", "number the parameters"),
        ("SELECT $", "counted from 1"),
        ("SELECT n FROM t WHERE name LIKE 'a%'", "lower(..) LIKE"),
        ("SELECT n FROM t WHERE lower(name) LIKE 'A%'", "lower(..) LIKE"),
        ("SELECT n FROM t WHERE lower(a) || name NOT LIKE $1", "lower(..) LIKE"),
        ("SELECT n FROM t FOR UPDATE", "one writer"),
        ("SELECT sum(n) FROM t", "CAST(sum(..)"),
        ("SELECT CAST(n AS BIGINT), sum(n) FROM t", "CAST(sum(..)"),
        ("SELECT rowid FROM t", "no rowid"),
        ("SELECT datetime('now')", "milliseconds"),
        ("SELECT CURRENT_TIMESTAMP", "milliseconds"),
        ("SELECT json_extract(cells, '$.a') FROM t", "JSON in Rust"),
        ("SELECT ifnull(a, b) FROM t", "coalesce"),
        ("SELECT n FROM t WHERE a == b", "write `=`"),
        ("SELECT n FROM t WHERE a IS $1", "IS NOT DISTINCT FROM"),
        ("SELECT n FROM t WHERE a IS NOT $1", "IS DISTINCT FROM"),
        ("SELECT [n] FROM t", "double quotes"),
        ("SELECT 'open", "does not end"),
        ("INSERT OR REPLACE INTO t VALUES ($1)", "ON CONFLICT"),
        ("INSERT OR IGNORE INTO t VALUES ($1)", "ON CONFLICT"),
        ("UPDATE OR IGNORE t SET n = 1", "ON CONFLICT"),
        ("REPLACE INTO t VALUES ($1)", "ON CONFLICT"),
        ("PRAGMA foreign_keys", "not a statement"),
        ("DELETE FROM t; COMMIT", "begins and ends transactions"),
        ("CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END", "tables and indexes"),
        ("CREATE TABLE t (id BIGINT PRIMARY KEY)", "begin with account_id"),
        ("CREATE TABLE t (id TEXT, account_id TEXT, PRIMARY KEY (id, account_id))", "begin with account_id"),
        ("CREATE TABLE t (account_id TEXT NOT NULL)", "begin with account_id"),
        ("CREATE TABLE t AS SELECT 1", "in brackets"),
        ("CREATE TABLE t (account_id TEXT PRIMARY KEY) STRICT", "in brackets"),
        ("CREATE TABLE t (account_id TEXT PRIMARY KEY) WITHOUT ROWID", "no rowid"),
        ("ALTER TABLE t ADD done BOOLEAN", "t.done is declared BOOLEAN"),
    ];
    for (sql, says) in bad {
        let said = check_portable(sql).expect_err(sql);
        assert!(said.contains(says), "{sql}: {said}");
    }
    for (columns, says) in [
        ("id INTEGER", "declared INTEGER"),
        ("id TEXT, data BLOB", "declared BLOB"),
        ("id TEXT, cells JSON", "declared JSON"),
        ("id TEXT, at DATETIME NOT NULL", "declared DATETIME"),
        ("id VARCHAR(20)", "declared VARCHAR"),
        ("id", "without a type"),
        ("id BIGINT AUTOINCREMENT", "ids in Rust"),
        ("id TEXT COLLATE NOCASE", "lower(..)"),
        ("id TEXT, made BIGINT DEFAULT CURRENT_TIMESTAMP", "milliseconds"),
    ] {
        let said = check_portable(&table(columns)).expect_err(columns);
        assert!(said.contains(says), "{columns}: {said}");
    }
}

#[tokio::test]
async fn a_statement_of_a_feature_is_held_to_it_in_debug_builds() {
    let place = Place::new();
    let db = place.open();
    for sql in ["DELETE FROM things WHERE rowid = 1", "COMMIT", "SELECT n FROM things WHERE thing_id = ?1"] {
        let refused = refusal(db.write(move |tx| tx.execute(sql, &[])).await);
        assert!(refused.detail().contains("is not portable"), "{refused}");
    }
}

#[tokio::test]
async fn what_is_recorded_is_neither_altered_nor_deleted() {
    let place = Place::new();
    let db = place.open();
    for sql in [
        "UPDATE changes SET actor = 'x' WHERE account_id = 'a'",
        "update changes set actor = 'x'",
        "UPDATE \"changes\" SET actor = 'x'",
        "DELETE FROM changes WHERE account_id = 'a'",
        "DELETE FROM \"CHANGES\"",
        "DROP TABLE changes",
        "ALTER TABLE changes ADD COLUMN more TEXT",
        "INSERT INTO changes (account_id, change_id) VALUES ('a', 'c') \
         ON CONFLICT (account_id, change_id) DO UPDATE SET actor = 'x'",
    ] {
        let refused = refusal(db.write(move |tx| tx.execute(sql, &[])).await);
        assert!(refused.detail().starts_with("The record of changes is only added to"), "{sql}: {refused}");
    }
    let alike = "DELETE FROM item_changes WHERE account_id = 'a'";
    db.write(move |tx| tx.execute(alike, &[])).await.unwrap();
}

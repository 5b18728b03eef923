//! What is stored beside a value: by whom, when and with which change of the account's settings.

use super::{set, start};
use kit::{Caller, Kind};
use serde_json::json;
use store::{HasDb, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program};

/// Revision, time and actor of a stored value; `None` where nothing is stored.
async fn stored(program: &Program, account: &'static str, key: &'static str) -> Option<(i64, i64, String)> {
    let sql = "SELECT revision, set_ms, actor FROM settings WHERE account_id = $1 AND key = $2";
    let db = program.ctx.db();
    let read =
        db.read(move |tx| tx.query_opt(sql, params![account, key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))));
    read.await.unwrap()
}

#[tokio::test]
async fn a_value_is_stored_with_its_revision_its_time_and_who_set_it() {
    let program = start().await;
    let cli = || Caller::new(Kind::Cli, ACCOUNT, "cli");
    let first = program.ctx.now_ms();
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    assert_eq!(stored(&program, ACCOUNT, "calendarEnabled").await, Some((1, first, "owner".to_owned())));

    program.clock.advance_ms(1234);
    let input = json!({"changes": {"heardAboutUs": "a", "webmailPageSize": 20}});
    program.as_caller(cli(), "settings.change", input).await.unwrap();
    // A batch counts each of its changes, in the order of the keys.
    assert_eq!(stored(&program, ACCOUNT, "heardAboutUs").await, Some((2, first + 1234, "cli".to_owned())));
    assert_eq!(stored(&program, ACCOUNT, "webmailPageSize").await, Some((3, first + 1234, "cli".to_owned())));

    // Another account counts for itself, and what was stored before stays as it was.
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
    program.as_caller(other, "settings.set", json!({"key": "calendarEnabled", "value": true})).await.unwrap();
    assert_eq!(stored(&program, OTHER_ACCOUNT, "calendarEnabled").await, Some((1, first + 1234, "owner".to_owned())));
    assert_eq!(stored(&program, ACCOUNT, "calendarEnabled").await, Some((1, first, "owner".to_owned())));

    program.clock.advance_ms(1);
    program.as_caller(cli(), "settings.set", json!({"key": "calendarEnabled", "value": false})).await.unwrap();
    assert_eq!(stored(&program, ACCOUNT, "calendarEnabled").await, Some((4, first + 1235, "cli".to_owned())));
    // The same value again is no change of who set it and when.
    program.clock.advance_ms(1);
    set(&program, "calendarEnabled", json!(false)).await.unwrap();
    assert_eq!(stored(&program, ACCOUNT, "calendarEnabled").await, Some((4, first + 1235, "cli".to_owned())));
    program.owner("settings.reset", json!({"key": "calendarEnabled"})).await.unwrap();
    assert_eq!(stored(&program, ACCOUNT, "calendarEnabled").await, None);
}

//! Inbox rows of a session that no longer exists, as after a repair of the database: they stay readable, say what happened when
//! they are answered, and can be dismissed.

use super::program;
use serde_json::json;
use store::{HasDb, params};
use testkit::{ACCOUNT, refused};

#[tokio::test]
async fn a_row_of_a_deleted_session_is_readable_says_what_happened_and_can_be_dismissed() {
    let program = program().await;
    let folder = tempfile::tempdir().expect("a folder");
    let hub = program.owner("hubs.create", json!({"folder": folder.path()})).await.expect("a hub");
    let input = json!({"engine": "practice", "projectId": hub["id"], "prompt": "practice: run echo hi"});
    let session = program.owner("sessions.create", input).await.expect("a session")["id"].clone();
    while program.owner("sessions.get", json!({"sessionId": session})).await.expect("it")["state"]
        != "awaitingPermission"
    {
        tokio::task::yield_now().await;
    }
    let page = program.owner("inbox.list", json!({"kind": "approval"})).await.expect("rows");
    let row = page["items"][0].clone();
    let id = json!({"rowId": row["id"]});
    let told = refused(program.owner("inbox.dismiss", id.clone()).await, "waited-for");
    assert!(told.detail().contains("Answer it, or stop the session"));
    // Without the driver in memory, and without the record.
    program.owner("sessions.stop", json!({"sessionId": session})).await.expect("it stops");
    let (session_id, row_id) =
        (session.as_str().expect("an id").to_owned(), row["id"].as_str().expect("an id").to_owned());
    let delete = move |tx: &mut store::Tx<'_>| {
        tx.execute("DELETE FROM sessions WHERE account_id = $1 AND session_id = $2", params![ACCOUNT, &session_id])?;
        let sql = "UPDATE inbox_rows SET settled_ms = 0, outcome = '' WHERE account_id = $1 AND row_id = $2";
        tx.execute(sql, params![ACCOUNT, &row_id]).map(drop)
    };
    program.ctx.db().write(delete).await.expect("it's deleted");
    let program = program.restart().await;
    let read = program.owner("inbox.get", id.clone()).await.expect("the row");
    assert_eq!((&read["title"], &read["body"], &read["waits"]), (&row["title"], &row["body"], &json!(true)));
    let answer = json!({"sessionId": session, "askId": row["askId"], "allow": true});
    let told = refused(program.owner("sessions.answer", answer).await, "not-found");
    assert!(told.detail().contains("not found"), "{told}");
    refused(program.owner("sessions.get", json!({"sessionId": session})).await, "not-found");
    let dismissed = program.owner("inbox.dismiss", id).await.expect("it's dismissed");
    assert_eq!(dismissed["state"], "dismissed");
    assert_eq!(program.owner("inbox.count", json!({})).await.expect("counts")["waiting"], 0);
}

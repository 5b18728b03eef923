//! Deleted dashboards: brought back as they were, or gone after 30 days.

use super::*;

async fn deleted(program: &Program, config: Value) -> Value {
    let dashboard = made(program, config).await;
    program.owner("dashboards.delete", json!({"dashboardId": dashboard["id"]})).await.unwrap();
    dashboard
}

#[tokio::test]
async fn a_deleted_dashboard_comes_back_as_it_was() {
    let program = start().await;
    let dashboard = deleted(&program, json!({"boardIds": ["b1"], "theirs": [1]})).await;
    let id = json!({"dashboardId": dashboard["id"]});
    refused(program.owner("dashboards.get", id.clone()).await, "not-found");
    let trash = program.owner("dashboards.trash.list", json!({"workspaceId": "w1"})).await.unwrap();
    assert_eq!((&trash["items"][0]["id"], &trash["items"][0]["name"]), (&dashboard["id"], &json!("Team")));
    let restored = program.owner("dashboards.restore", id.clone()).await.unwrap();
    assert_eq!(
        (&restored["config"], &restored["name"], &restored["createdAt"]),
        (&dashboard["config"], &dashboard["name"], &dashboard["createdAt"])
    );
    // Who has the old revision still is told that it is another one now.
    assert_eq!(restored["revision"], 2);
    assert_eq!(program.owner("dashboards.get", id.clone()).await.unwrap(), restored);
    assert_eq!(program.owner("dashboards.trash.list", json!({})).await.unwrap()["items"], json!([]));
    refused(program.owner("dashboards.restore", id).await, "not-found");
}

#[tokio::test]
async fn the_trash_is_emptied_after_thirty_days_or_by_hand() {
    let program = start().await;
    let (old, other) = (deleted(&program, json!({})).await, deleted(&program, json!({})).await);
    let of = |one: &Value| json!({"dashboardId": one["id"]});
    let foreign = Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
    for op in ["dashboards.restore", "dashboards.trash.delete"] {
        refused(program.as_caller(foreign.clone(), op, of(&old)).await, "not-found");
    }
    program.owner("dashboards.trash.delete", of(&other)).await.unwrap();
    refused(program.owner("dashboards.restore", of(&other)).await, "not-found");
    program.clock.advance_ms(TRASH_KEPT_MS);
    refused(program.owner("dashboards.restore", of(&old)).await, "not-found");
    assert_eq!(program.owner("dashboards.trash.list", json!({})).await.unwrap()["items"], json!([]));
    let program = program.restart().await;
    let left = "SELECT count(*) FROM deleted_dashboards WHERE account_id <> ''";
    let left = program.ctx.db().read(|tx| tx.query_one(left, &[], |row| row.get::<i64>(0))).await.unwrap();
    assert_eq!(left, 0);
}

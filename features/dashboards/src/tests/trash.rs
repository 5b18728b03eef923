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
    // Without a start or another deletion too.
    crate::sweep::step(&program.ctx).await.unwrap();
    assert_eq!(count(&program, "deleted_dashboards").await, 0);
}

async fn count(program: &Program, table: &'static str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table} WHERE account_id <> ''");
    program.ctx.db().read(move |tx| tx.query_one(&sql, &[], |row| row.get(0))).await.unwrap()
}

#[tokio::test]
async fn the_trash_keeps_the_newest_of_an_account() {
    let program = start_with_members().await;
    let oldest = made(&program, json!({})).await;
    let id = json!({"dashboardId": oldest["id"]});
    let invite = json!({"dashboardId": oldest["id"], "memberId": "ada", "role": "viewer"});
    program.owner("dashboards.members.put", invite).await.unwrap();
    program.owner("dashboards.delete", id.clone()).await.unwrap();
    let now_ms = program.ctx.now_ms();
    let others = move |tx: &mut Tx<'_>| {
        for account in [ACCOUNT, OTHER_ACCOUNT] {
            for n in 0..crate::TRASH_MAX - 1 {
                let sql = "INSERT INTO deleted_dashboards (account_id, dashboard_id, workspace_id, name, config_json, revision, created_ms, deleted_ms) \
                     VALUES ($1, $2, 'w1', 'N', '{}', 1, $3, $3)";
                tx.execute(sql, params![account, format!("d{n}"), now_ms + 1])?;
            }
        }
        Ok(())
    };
    program.ctx.db().write(others).await.unwrap();
    program.clock.advance_ms(2);
    deleted(&program, json!({})).await;
    refused(program.owner("dashboards.restore", id).await, "not-found");
    assert_eq!(count(&program, "deleted_dashboards").await, 2 * crate::TRASH_MAX - 1);
    assert_eq!(count(&program, "dashboard_members").await, 0, "nothing of it is left");
}

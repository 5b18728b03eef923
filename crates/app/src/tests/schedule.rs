//! What features declare for the schedule, and what the status says of it.

use super::{owner, program};
use crate::features;
use ::schedule::{HasSchedule, Timer, check};
use serde_json::json;
use std::collections::HashSet;
use store::{HasDb, params};

#[test]
fn jobs_and_timers_have_rules_that_can_be_followed_and_names_of_their_own() {
    let mut names = HashSet::new();
    for feature in features::all() {
        for job in &feature.jobs {
            assert_eq!(check(&job.rule), Ok(()), "{}", job.name);
        }
        let of_jobs = feature.jobs.iter().map(|job| job.name);
        for name in of_jobs.chain(feature.timers.iter().map(|kind| kind.name)) {
            assert!(name.starts_with(&format!("{}.", feature.name)), "{name} begins with its feature's name");
            assert!(names.insert(name), "{name} is taken");
        }
    }
}

#[tokio::test]
async fn the_status_shows_what_fails_until_it_succeeds() {
    let program = program().await;
    assert_eq!(owner(&program, "app.status", json!({})).await.unwrap()["failing"], json!([]));
    let account = program.ctx.service::<accounts::Tokens>().first_account().to_owned();
    let (schedule, due_ms, of) = (program.ctx.schedule(), program.ctx.now_ms(), account.clone());
    let damage = move |tx: &mut store::Tx<'_>| {
        let sql = "INSERT INTO item_dues (account_id, board_id, item_id, day, members_json, next_ms) VALUES ($1, 'b', 'i', 1, '{', 0)";
        tx.execute(sql, params![&of])?;
        let timer = Timer { account: of, kind: "boards.due", key: String::new(), due_ms, payload: String::new() };
        ::schedule::set(tx, &schedule, &timer)
    };
    program.ctx.db().write(damage).await.unwrap();
    program.fire_timers().await;
    let failing = json!([{"name": "boards.due", "timers": 1, "attempts": 1, "failedAt": "2026-03-01T12:00:00.000Z"}]);
    assert_eq!(owner(&program, "app.status", json!({})).await.unwrap()["failing"], failing);
    let mend =
        move |tx: &mut store::Tx<'_>| tx.execute("DELETE FROM item_dues WHERE account_id = $1", params![&account]);
    program.ctx.db().write(mend).await.unwrap();
    program.clock.advance_ms(1_000);
    program.fire_timers().await;
    assert_eq!(owner(&program, "app.status", json!({})).await.unwrap()["failing"], json!([]));
}

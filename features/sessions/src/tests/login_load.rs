//! The card about a login that carries most running sessions, from the sessions' states to the inbox.

use super::default_engine::{install, log_in};
use super::practice::{Begun, Hands, begin_with, start_here};
use serde_json::json;
use std::sync::Arc;
use store::{HasDb, params};
use tempfile::TempDir;
use testkit::ACCOUNT;

const DAY_MS: i64 = 24 * 3_600_000;

impl Begun {
    async fn start_with(&self, engine: &str, prompt: &str, state: &str) -> String {
        let input = json!({"engine": engine, "prompt": prompt, "projectId": self.hub["id"]});
        let made = self.program.owner("sessions.create", input).await.unwrap();
        let id = made["id"].as_str().unwrap().to_owned();
        self.until(&id, state).await;
        id
    }

    /// The outcomes of all cards once the logins were compared.
    async fn cards(&self) -> Vec<String> {
        crate::login_load::check(self.program.ctx.clone()).await.unwrap();
        let rows = self.rows().await.into_iter().filter(|(kind, _)| kind == "login-load");
        rows.map(|(_, outcome)| outcome).collect()
    }
}

#[tokio::test]
async fn a_login_with_most_sessions_and_a_reached_limit_makes_one_card_a_day() {
    let (bin, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut hands = Hands::new(Arc::new(start_here));
    hands.machine.home = home.path().into();
    hands.machine.env.insert("PATH".into(), bin.path().to_str().unwrap().into());
    install(bin.path(), "claude-agent-acp", "0.200.0");
    log_in(home.path(), ".claude/.credentials.json");
    let begun = begin_with(hands).await;
    let check = async |engine: &str| {
        begun.program.owner("engines.check", json!({"engineId": engine})).await.unwrap();
    };
    check("claude").await;
    let limited = begun.start_with("claude", "practice: fail limit", "parked").await;
    for _ in 0..3 {
        begun.start_with("claude", "practice: wait 30", "running").await;
    }
    install(bin.path(), "codex-acp", "9.0.0");
    log_in(home.path(), ".codex/auth.json");
    check("codex").await;
    assert_eq!(begun.cards().await, [] as [&str; 0], "three sessions are few");
    begun.start_with("claude", "practice: wait 30", "running").await;
    begun.set(&[("loadBalancingNoticeEnabled", json!(false))]);
    assert_eq!(begun.cards().await, [] as [&str; 0], "off");
    begun.set(&[]);
    assert_eq!(begun.cards().await, [""]);
    assert_eq!(begun.cards().await, [""], "once");
    let read = |tx: &mut store::Tx<'_>| {
        let sql = "SELECT title, body FROM inbox_rows WHERE account_id = $1 AND kind = 'login-load'";
        tx.query_one(sql, params![ACCOUNT], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))
    };
    let (title, body) = begun.program.ctx.db().read(read).await.unwrap();
    assert_eq!(title, "Claude carries 4 of 4 running sessions");
    assert!(body.ends_with("Start new sessions with another login: Codex."), "{body}");
    let dismiss =
        "UPDATE inbox_rows SET settled_ms = 1, outcome = 'dismissed' WHERE account_id = $1 AND kind = 'login-load'";
    begun.program.ctx.db().write(move |tx| tx.execute(dismiss, params![ACCOUNT])).await.unwrap();
    assert_eq!(begun.cards().await, ["dismissed"], "not again for a day");
    // Its limit resets in two hours.
    begun.program.clock.advance_ms(DAY_MS + 1);
    assert_eq!(begun.cards().await, ["dismissed"], "no limit is reached any more");
    begun.program.owner("sessions.stop", json!({"sessionId": limited})).await.unwrap();
    begun.start_with("claude", "practice: fail limit", "parked").await;
    assert_eq!(begun.cards().await, ["dismissed", ""]);
}

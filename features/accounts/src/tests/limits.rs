//! How many there can be.

use super::{as_first, start};
use crate::directory::ACCOUNTS_MAX;
use crate::tokens::{LOGIN_LIVES_MS, TOKENS_MAX};
use crate::{Tokens, tokens};
use kit::{Authenticator, Caller, Kind};
use serde_json::json;
use store::{HasDb, params};
use testkit::{Program, START_MS, refused};

async fn log_in(program: &Program) -> String {
    let code = as_first(program, "login.code", json!({})).await.unwrap()["code"].clone();
    let public = Caller::new(Kind::Public, "", "");
    let page = program.as_caller(public, "login.exchange", json!({"code": code})).await.unwrap();
    page["token"].as_str().unwrap().to_owned()
}

fn known(program: &Program, token: &str) -> bool {
    program.ctx.service::<Tokens>().caller(token).is_some()
}

async fn rows(program: &Program) -> i64 {
    program.ctx.db().read(|tx| tx.query_one("SELECT count(*) FROM tokens", &[], |row| row.get(0))).await.unwrap()
}

/// Tokens of sessions, so many that the account has no room for another.
async fn fill(program: &Program) {
    let account = program.ctx.service::<Tokens>().first_account().to_owned();
    let there = rows(program).await;
    let insert = "INSERT INTO tokens (account_id, token_id, kind, name, hash, session_id, scopes, created_ms, expires_ms) \
                  VALUES ($1, $2, 'agent', 'a', '', 's', '', $3, $4)";
    let db = program.ctx.db();
    let filled = db.write(move |tx| {
        for i in there..TOKENS_MAX {
            tx.execute(insert, params![&account, format!("t{i}"), START_MS, i64::MAX])?;
        }
        Ok(())
    });
    filled.await.unwrap();
}

#[tokio::test]
async fn a_login_takes_the_place_of_the_oldest_where_there_are_too_many_tokens() {
    let program = start().await;
    let mut logins = Vec::new();
    for _ in 0..2 {
        logins.push(log_in(&program).await);
        program.clock.advance_ms(1);
    }
    fill(&program).await;
    let agent = json!({"kind": "agent", "name": "a", "sessionId": "s"});
    refused(as_first(&program, "tokens.create", agent.clone()).await, "conflict");

    let newest = log_in(&program).await;
    assert_eq!(rows(&program).await, TOKENS_MAX);
    assert_eq!([&logins[0], &logins[1], &newest].map(|token| known(&program, token)), [false, true, true]);
    let audit = as_first(&program, "changes.list", json!({"subject": "token", "limit": 1})).await.unwrap();
    assert_eq!(audit["items"][0]["before"], "in use", "it is recorded");

    // Tokens that have ended count no more.
    program.clock.advance_ms(LOGIN_LIVES_MS);
    as_first(&program, "tokens.create", agent).await.unwrap();
}

#[tokio::test]
async fn ended_tokens_leave_memory_and_table() {
    let program = start().await;
    log_in(&program).await;
    let known = |program: &Program| program.ctx.service::<Tokens>().known_count();
    assert_eq!((known(&program), rows(&program).await), (1, 1));
    program.clock.advance_ms(LOGIN_LIVES_MS);
    log_in(&program).await;
    assert_eq!((known(&program), rows(&program).await), (1, 1), "with the next login");
    program.clock.advance_ms(LOGIN_LIVES_MS);
    let program = program.restart().await;
    assert_eq!((known(&program), rows(&program).await), (0, 0), "with the next start");
}

#[tokio::test]
async fn tokens_that_cannot_be_saved_are_few_and_end_with_the_program() {
    let program = start().await;
    let all = program.ctx.service::<Tokens>();
    let saved = log_in(&program).await;
    let mut unsaved = Vec::new();
    for _ in 0..65 {
        let new = crate::login::page_token("page");
        program.clock.advance_ms(1);
        unsaved.push(all.insert_unsaved(all.first_account(), new, program.ctx.now_ms()));
    }
    assert_eq!(all.known_count(), 1 + tokens::UNSAVED_MAX);
    assert!(!known(&program, &unsaved[0]) && unsaved[1..].iter().all(|token| known(&program, token)));
    let program = program.restart().await;
    assert!(known(&program, &saved) && unsaved.iter().all(|token| !known(&program, token)));
}

#[tokio::test]
async fn an_installation_holds_a_limited_number_of_accounts() {
    let program = start().await;
    let db = program.ctx.db();
    let filled = db.write(|tx| {
        for i in 1..ACCOUNTS_MAX - 1 {
            let insert = "INSERT INTO accounts (account_id, name, created_ms) VALUES ($1, 'x', $2)";
            tx.execute(insert, params![format!("a{i}"), START_MS])?;
        }
        Ok(())
    });
    filled.await.unwrap();
    as_first(&program, "account.add", json!({"name": "The last"})).await.unwrap();
    let refusal = refused(as_first(&program, "account.add", json!({"name": "One more"})).await, "conflict");
    assert!(refusal.detail().contains("1000"), "{refusal}");
}

#[tokio::test]
async fn names_take_no_control_character_and_cursors_are_identifiers() {
    let program = start().await;
    let member = json!({"name": "Ada", "role": "lead\u{1b}[2J"});
    for (op, input, pointer) in [
        ("workspaces.create", json!({"name": "a\0b"}), "/name"),
        ("members.create", member, "/role"),
        ("changes.list", json!({"cursor": "\0"}), "/cursor"),
        ("changes.list", json!({"cursor": ""}), "/cursor"),
    ] {
        let refusal = refused(as_first(&program, op, input).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, pointer, "{op}");
    }
}

mod command_line;
mod limits;
mod pages;

use super::*;
use events::{Event, HasEvents};
use kit::{Authenticator, Caller, Kind};
use serde_json::{Value, json};
use testkit::{Program, refused};

async fn start() -> Program {
    Program::start(|| vec![feature()]).await
}

async fn as_first(program: &Program, op: &str, input: Value) -> Result<Value> {
    let account = program.ctx.service::<Tokens>().first_account().to_owned();
    program.as_caller(Caller::new(Kind::Cli, &account, "cli"), op, input).await
}

async fn as_token(program: &Program, token: &str, op: &str, input: Value) -> Result<Value> {
    let caller = program.ctx.service::<Tokens>().caller(token).ok_or_else(|| kit::error::NO_TOKEN.error("unknown"))?;
    program.as_caller(caller, op, input).await
}

#[tokio::test]
async fn one_account_and_one_workspace_exist_from_the_first_start() {
    let program = start().await;
    let first = as_first(&program, "workspaces.list", json!({})).await.unwrap();
    let program = program.restart().await;
    let again = as_first(&program, "workspaces.list", json!({})).await.unwrap();
    assert_eq!(first["items"].as_array().unwrap().len(), 1);
    assert_eq!(first, again);
}

#[tokio::test]
async fn the_installation_stays_with_the_first_account_whatever_the_clock_says() {
    let program = start().await;
    let first = program.ctx.service::<Tokens>().first_account().to_owned();
    program.clock.advance_ms(-2 * 24 * 60 * 60 * 1000);
    as_first(&program, "account.add", json!({"name": "Second"})).await.unwrap();
    let program = program.restart().await;
    assert_eq!(program.ctx.service::<Tokens>().first_account(), first);
}

#[tokio::test]
async fn tokens_are_known_by_their_names_and_whom_they_speak_for() {
    let program = start().await;
    let member = as_first(&program, "members.create", json!({"name": "Ada"})).await.unwrap();
    let input = json!({"kind": "member", "name": "Nightly", "memberId": member["id"]});
    let token = as_first(&program, "tokens.create", input).await.unwrap();
    let account = program.ctx.service::<Tokens>().first_account().to_owned();
    let held = program.ctx.service::<kit::lookup::Members>().0.holders(&account).await.unwrap();
    let caller = program.ctx.service::<Tokens>().caller(token["token"].as_str().unwrap()).unwrap();
    let holder = &held[&*caller.token_id];
    assert_eq!((holder.name.as_str(), holder.member.as_deref()), ("Nightly", member["id"].as_str()));
    assert!(program.ctx.service::<kit::lookup::Members>().0.holders("other").await.unwrap().is_empty());
}

#[tokio::test]
async fn a_second_account_sees_nothing_of_the_first() {
    let program = start().await;
    let member = as_first(&program, "members.create", json!({"name": "Ada"})).await.unwrap();
    let workspace = as_first(&program, "workspaces.list", json!({})).await.unwrap()["items"][0]["id"].clone();
    let other = as_first(&program, "account.add", json!({"name": "Other"})).await.unwrap();
    let token = other["token"].as_str().unwrap();
    assert_eq!(as_token(&program, token, "members.list", json!({})).await.unwrap()["items"], json!([]));
    assert_eq!(as_token(&program, token, "account.get", json!({})).await.unwrap()["name"], "Other");
    for (op, input, random) in [
        ("members.update", json!({"memberId": member["id"], "name": "x"}), json!({"memberId": "nothing", "name": "x"})),
        ("members.delete", json!({"memberId": member["id"]}), json!({"memberId": "nothing"})),
        (
            "workspaces.update",
            json!({"workspaceId": workspace, "name": "x"}),
            json!({"workspaceId": "nothing", "name": "x"}),
        ),
        (
            "tokens.create",
            json!({"kind": "member", "name": "x", "memberId": member["id"]}),
            json!({"kind": "member", "name": "x", "memberId": "nothing"}),
        ),
        ("tokens.rotate", json!({}), json!({})),
    ] {
        // What stands beside the path is named, as everywhere.
        let code = if op == "tokens.create" { "named-not-found" } else { "not-found" };
        let theirs = refused(as_token(&program, token, op, input).await, code).problem();
        if !random.as_object().unwrap().is_empty() {
            assert_eq!(theirs, refused(as_token(&program, token, op, random).await, code).problem(), "{op}");
        }
        if op == "tokens.create" {
            assert_eq!(theirs["errors"][0]["pointer"], "/memberId");
        }
    }
    let changes = as_token(&program, token, "changes.list", json!({})).await.unwrap();
    assert_eq!(changes["items"], json!([]), "the audit shows only one's own account");
}

#[tokio::test]
async fn a_login_code_works_once_for_a_minute() {
    let program = start().await;
    let public = || Caller::new(Kind::Public, "", "");
    let code = as_first(&program, "login.code", json!({})).await.unwrap()["code"].clone();
    let token = program.as_caller(public(), "login.exchange", json!({"code": code})).await.unwrap()["token"].clone();
    let caller = program.ctx.service::<Tokens>().caller(token.as_str().unwrap()).unwrap();
    assert_eq!(caller.kind, Kind::Owner);
    refused(program.as_caller(public(), "login.exchange", json!({"code": code})).await, "bad-login-code");
    let late = as_first(&program, "login.code", json!({})).await.unwrap()["code"].clone();
    program.clock.advance_ms(60_000);
    refused(program.as_caller(public(), "login.exchange", json!({"code": late})).await, "bad-login-code");
    let program = program.restart().await;
    assert!(
        program.ctx.service::<Tokens>().caller(token.as_str().unwrap()).is_some(),
        "the page stays logged in over a restart"
    );
    program.clock.advance_ms(tokens::LOGIN_LIVES_MS);
    assert!(
        program.ctx.service::<Tokens>().caller(token.as_str().unwrap()).is_none(),
        "a login ends after thirty days"
    );
}

#[tokio::test]
async fn tokens_are_shown_once_and_revoked_at_once() {
    let program = start().await;
    let made = as_first(
        &program,
        "tokens.create",
        json!({"kind": "agent", "name": "s1", "sessionId": "s-1", "scopes": ["settings:read"]}),
    )
    .await
    .unwrap();
    let token = made["token"].as_str().unwrap().to_owned();
    let caller = program.ctx.service::<Tokens>().caller(&token).unwrap();
    assert_eq!(
        (caller.kind, caller.session.as_deref(), caller.scopes.as_slice()),
        (Kind::Agent, Some("s-1"), ["settings:read".to_owned()].as_slice())
    );
    let listed = as_first(&program, "tokens.list", json!({})).await.unwrap().to_string();
    assert!(listed.contains("s-1") && !listed.contains(&token));
    let audit = as_first(&program, "changes.list", json!({})).await.unwrap().to_string();
    assert!(!audit.contains(&token), "no token in the audit");
    as_first(&program, "tokens.revoke", json!({"tokenId": made["id"]})).await.unwrap();
    assert!(program.ctx.service::<Tokens>().caller(&token).is_none());
    let program = program.restart().await;
    assert!(program.ctx.service::<Tokens>().caller(&token).is_none());
}

#[tokio::test]
async fn a_restored_backup_brings_no_revoked_token_back() {
    let p = start().await;
    let make = async |name: &str| {
        let input = json!({"kind": "agent", "name": name, "sessionId": name});
        let made = as_first(&p, "tokens.create", input).await.unwrap();
        (made["id"].as_str().unwrap().to_owned(), made["token"].as_str().unwrap().to_owned())
    };
    let ((_, kept), (id, revoked)) = (make("kept").await, make("revoked").await);
    let (backup, file) = (p.dir().join("backup.db"), p.dir().join("pilothouse.db"));
    p.ctx.db().backup(&backup).await.unwrap();
    as_first(&p, "tokens.revoke", json!({"tokenId": id})).await.unwrap();
    p.ctx.db().close().await;
    std::fs::copy(&backup, &file).unwrap();
    let p = p.restart().await;
    let known = |token: &str| p.ctx.service::<Tokens>().caller(token).is_some();
    assert_eq!((known(&kept), known(&revoked)), (true, false));
    let listed = as_first(&p, "tokens.list", json!({})).await.unwrap();
    assert!(!listed.to_string().contains(&id), "{listed}");
}

#[tokio::test]
async fn a_member_takes_its_tokens_along() {
    let program = start().await;
    let member = as_first(
        &program,
        "members.create",
        json!({"name": "Ada", "email": "ada@example.org", "timeZone": "Europe/London"}),
    )
    .await
    .unwrap();
    let made =
        as_first(&program, "tokens.create", json!({"kind": "member", "name": "laptop", "memberId": member["id"]}))
            .await
            .unwrap();
    let token = made["token"].as_str().unwrap();
    refused(as_token(&program, token, "members.create", json!({"name": "Eve"})).await, "forbidden-caller");
    as_first(&program, "members.delete", json!({"memberId": member["id"]})).await.unwrap();
    assert!(program.ctx.service::<Tokens>().caller(token).is_none());
}

#[tokio::test]
async fn wrong_values_are_named_and_change_nothing() {
    let program = start().await;
    for (op, input, pointer) in [
        ("members.create", json!({"name": " "}), "/name"),
        ("members.create", json!({"name": "A", "email": "nobody"}), "/email"),
        ("members.create", json!({"name": "A", "timeZone": "Atlantis"}), "/timeZone"),
        ("members.create", json!({"name": "A", "shoe": 43}), "/shoe"),
        ("members.create", json!({}), ""),
        ("workspaces.create", json!({"name": "x".repeat(101)}), "/name"),
        ("tokens.create", json!({"kind": "agent", "name": "x"}), "/sessionId"),
        ("tokens.create", json!({"kind": "agent", "name": "x", "sessionId": "s", "scopes": ["all"]}), "/scopes/0"),
        (
            "tokens.create",
            json!({"kind": "member", "name": "x", "memberId": "m", "scopes": ["boards:read"]}),
            "/scopes",
        ),
        ("changes.list", json!({"limit": 0}), "/limit"),
    ] {
        let refusal = refused(as_first(&program, op, input.clone()).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, pointer, "{op} {input}");
    }
    assert_eq!(as_first(&program, "members.list", json!({})).await.unwrap()["items"], json!([]));
}

#[tokio::test]
async fn a_token_carries_what_operations_ask_for_and_topics_that_are_heard_of() {
    let program = start().await;
    let made = async |scope: &str| {
        let input = json!({"kind": "agent", "name": "x", "sessionId": "s", "scopes": ["directory:read", scope]});
        as_first(&program, "tokens.create", input).await
    };
    for known in ["directory:read", "boards:read", "inbox:read"] {
        made(known).await.unwrap();
    }
    for unknown in ["boards", "feeds:write", ""] {
        let refusal = refused(made(unknown).await, "invalid-input");
        let field = &refusal.fields()[0];
        assert_eq!((field.pointer.as_str(), field.code.name()), ("/scopes/1", "not-a-choice"), "{unknown}");
        assert!(field.detail.contains("directory:read, inbox:read"), "{}", field.detail);
    }
}

#[tokio::test]
async fn pages_hear_of_members_that_come_change_and_go_and_of_nothing_that_was_refused() {
    let program = start().await;
    let (_, mut heard) = program.ctx.events().listen(None);
    let member = as_first(&program, "members.create", json!({"name": "Dora"})).await.unwrap();
    as_first(&program, "members.update", json!({"memberId": member["id"], "name": "Doris"})).await.unwrap();
    refused(as_first(&program, "members.create", json!({"name": ""})).await, "invalid-input");
    as_first(&program, "members.delete", json!({"memberId": member["id"]})).await.unwrap();
    let tokens = program.ctx.service::<Tokens>();
    for _ in 0..3 {
        let told = heard.try_recv().unwrap();
        assert_eq!((told.account.as_deref(), told.event), (Some(tokens.first_account()), Event::MembersChanged));
    }
    assert!(heard.try_recv().is_err());
}

#[tokio::test]
async fn the_audit_pages_newest_first() {
    let program = start().await;
    for i in 0..5 {
        program.clock.advance_ms(1);
        as_first(&program, "workspaces.create", json!({"name": format!("w{i}")})).await.unwrap();
    }
    let (mut names, mut cursor) = (Vec::new(), None);
    loop {
        let mut input = json!({"subject": "workspace", "limit": 2});
        if let Some(cursor) = cursor {
            input["cursor"] = cursor;
        }
        let page = as_first(&program, "changes.list", input).await.unwrap();
        names.extend(
            page["items"].as_array().unwrap().iter().map(|row| row["after"]["name"].as_str().unwrap().to_owned()),
        );
        match &page["nextCursor"] {
            Value::Null => break,
            next => cursor = Some(next.clone()),
        }
    }
    assert_eq!(names, ["w4", "w3", "w2", "w1", "w0"]);
}

#[tokio::test]
async fn other_features_learn_which_members_are_not_the_accounts() {
    let program = start().await;
    let account = program.ctx.service::<Tokens>().first_account().to_owned();
    let ada =
        as_first(&program, "members.create", json!({"name": "Ada"})).await.unwrap()["id"].as_str().unwrap().to_owned();
    let members = program.ctx.service::<kit::lookup::Members>();
    let asked = || vec!["nobody".to_owned(), ada.clone(), "none".to_owned()];
    assert_eq!(members.0.missing(&account, asked()).await.unwrap(), ["nobody", "none"]);
    assert_eq!(members.0.missing("another", asked()).await.unwrap(), asked());
    let all = members.0.all(&account).await.unwrap();
    assert!(all.iter().any(|(id, name, _)| (id, name.as_str()) == (&ada, "Ada")));
}

/// The hash of a token, and the name by which a proof of knowing it is asked for.
fn hash_and_name(token: &str) -> ([u8; 32], String) {
    use sha2::{Digest, Sha256};
    let hash: [u8; 32] = Sha256::digest(token).into();
    (hash, kit::ids::hex(&<[u8; 32]>::from(Sha256::digest(hash))))
}

fn is_proof(proof: &str, key: &[u8], challenge: &str) -> bool {
    use hmac::{KeyInit, Mac};
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(key).unwrap();
    mac.update(challenge.as_bytes());
    kit::ids::hex(&mac.finalize().into_bytes()) == proof
}

#[tokio::test]
async fn every_token_in_force_is_proved_and_no_other() {
    let program = start().await;
    let made = as_first(&program, "account.add", json!({"name": "Other"})).await.unwrap();
    let owner = made["token"].as_str().unwrap().to_owned();
    let agent = json!({"kind": "agent", "name": "a", "sessionId": "s1"});
    let made = as_first(&program, "tokens.create", agent).await.unwrap();
    let session = made["token"].as_str().unwrap().to_owned();
    let account = program.ctx.service::<Tokens>().first_account().to_owned();
    let lives_ms = Some(1000);
    let page = login::page_token("page");
    let page = tokens::NewToken { lives_ms, ..page };
    let page = program.ctx.service::<Tokens>().insert_unsaved(&account, page, program.ctx.now_ms());
    let prove =
        |program: &Program, token: &str| program.ctx.service::<Tokens>().prove_named(&hash_and_name(token).1, "c|h");
    for token in [&owner, &session, &page] {
        assert!(is_proof(&prove(&program, token).unwrap(), &hash_and_name(token).0, "c|h"));
    }
    program.clock.advance_ms(1000);
    assert_eq!(prove(&program, &page), None, "it has ended");
    as_first(&program, "tokens.revoke", json!({"tokenId": made["id"]})).await.unwrap();
    assert_eq!(prove(&program, &session), None, "it was revoked");
    for name in ["", "x", &owner, &kit::ids::hex(&hash_and_name(&owner).0), &hash_and_name("ph_own_no").1] {
        assert_eq!(program.ctx.service::<Tokens>().prove_named(name, "c|h"), None, "{name}");
    }
    let program = program.restart().await;
    assert!(is_proof(&prove(&program, &owner).unwrap(), &hash_and_name(&owner).0, "c|h"), "it is known again");
}

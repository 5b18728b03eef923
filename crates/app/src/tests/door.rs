//! What holds for every answer, and who is let in while the control server is off.

use super::access::made;
use super::{program, serve, serve_for};
use crate::features;
use accounts::{LoginCodes, Tokens};
use serde_json::{Value, json};
use server::Access;
use server::testing::{Answer, check_headers, request, send};
use std::net::SocketAddr;
use testkit::Program;

fn cli_token(program: &Program) -> String {
    std::fs::read_to_string(program.dir().join("cli-token")).expect("the file").trim().to_owned()
}

async fn token(program: &Program, op: &str, input: Value) -> String {
    made(program, op, input).await["token"].as_str().expect("a token").to_owned()
}

/// A token of each kind that can be made by hand: of another account's owner, a session and a member.
async fn by_hand(program: &Program) -> Vec<String> {
    let member = made(program, "members.create", json!({"name": "Ada"})).await;
    let session = super::access::session_of(program).await;
    let agent = json!({"kind": "agent", "name": "a", "sessionId": session, "scopes": ["settings:read", "events:read"]});
    vec![
        token(program, "account.add", json!({"name": "Other"})).await,
        token(program, "tokens.create", agent).await,
        token(program, "tokens.create", json!({"kind": "member", "name": "m", "memberId": member["id"]})).await,
    ]
}

async fn ask(address: SocketAddr, method: &str, path: &str, token: Option<&str>, body: Option<&Value>) -> Answer {
    let body = body.map(Value::to_string);
    let body = body.as_deref().map(|body| ("application/json", body));
    send(address, &request(address, method, path, token, body)).await.expect("it answers")
}

/// What the page does with the code in its address.
async fn log_in(program: &Program, address: SocketAddr) -> String {
    let account = program.ctx.service::<Tokens>().first_account().to_owned();
    let code = program.ctx.service::<LoginCodes>().make(&account, program.ctx.now_ms());
    let answer = ask(address, "POST", "/login", None, Some(&json!({"code": code}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["token"].as_str().expect("a token").to_owned()
}

#[tokio::test]
async fn no_answer_sets_a_cookie_or_lets_another_page_in() {
    let program = program().await;
    let address = serve(&program).await;
    // A member first and the command line last: what they end or replace was asked for by then.
    let mut tokens = by_hand(&program).await;
    tokens.reverse();
    tokens.push(cli_token(&program));
    let (failures, statuses) = check_headers(address, &features::ops(), &tokens).await.expect("the program answers");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // Lest all were refusals of one kind.
    for status in [200, 401, 403, 404, 405, 422] {
        assert!(statuses.contains_key(&status), "no answer was {status}: {statuses:?}");
    }
}

#[tokio::test]
async fn no_refusal_repeats_a_token() {
    let program = program().await;
    let address = serve(&program).await;
    let cli = cli_token(&program);
    let secret = cli.trim_start_matches("ph_cli_");
    let with = |line: &str, more: &str, body: &str| {
        format!(
            "{line} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer {cli}\r\n{more}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let get = |path: &str| {
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer {cli}\r\n\r\n")
    };
    let escaped = cli.replace("ph_", "ph%5F");
    for (status, request) in [
        (412, with("PATCH /settings/dripEnabled", &format!("if-match: {cli}\r\n"), r#"{"value":true}"#)),
        (412, with("PATCH /settings/dripEnabled", &format!("if-match: \"{cli}\"\r\n"), r#"{"value":true}"#)),
        (412, with("PATCH /settings/dripEnabled", "if-match: \"no such word\"\r\n", r#"{"value":true}"#)),
        (404, get(&format!("/settings/{cli}"))),
        (404, get(&format!("/settings/{escaped}"))),
        (404, get(&format!("/settings/x{cli}"))),
        (404, get(&format!("/boards/{cli}"))),
        (404, get(&format!("/{cli}"))),
        (422, get(&format!("/settings?{cli}=1"))),
        (422, get(&format!("/settings?area=x{cli}"))),
        (422, with("PATCH /settings/dripEnabled", "", &format!(r#"{{"value":"{cli}"}}"#))),
        (422, with("PATCH /settings/dripEnabled", "", &format!(r#"{{"value":true,"{cli}":1}}"#))),
        (404, with("POST /settings", "", &format!(r#"{{"changes":{{"{cli}":1,"a":1}}}}"#))),
        (
            422,
            with(
                "POST /settings",
                "",
                &format!(r#"{{"changes":{{"trustedSheets":[{{"{cli}":1}}],"dripEnabled":1}}}}"#),
            ),
        ),
        (400, with("POST /settings", "", &format!(r#"{{"{cli}":1,"{cli}":2}}"#))),
        (422, with("POST /settings", "", &format!(r#"{{"changes":{{}},"{cli}":18446744073709551616}}"#))),
        (422, with("POST /members", "", &format!(r#"{{"name":"A","timeZone":"{cli}"}}"#))),
        (400, with("GET /settings", &format!("if-match: {cli}\r\nx-app-source-session-id: {cli}\r\n"), "{}")),
    ] {
        let answer = send(address, request.as_bytes()).await.expect("it answers");
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status, status, "{request}\n{text}");
        assert!(!text.contains(secret) && !text.contains("no such word"), "{request}\n{text}");
        assert!(answer.headers.iter().all(|(_, value)| !value.contains(secret)), "{request}");
    }
}

#[tokio::test]
async fn a_number_that_no_machine_keeps_is_out_of_the_settings_range() {
    let program = program().await;
    let address = serve(&program).await;
    // The owner's page: its changes are not counted.
    let owner = log_in(&program, address).await;
    let say = async |method: &str, path: &str, body: &str| {
        let bytes = request(address, method, path, Some(&owner), Some(("application/json", body)));
        send(address, &bytes).await.expect("it answers")
    };
    let numbers = ["18446744073709551616", "-9223372036854775809", "1e400", "-1e400", &"9".repeat(400)];
    let settings = features::settings();
    for number in numbers {
        for spec in &settings {
            let answer = say("PATCH", &format!("/settings/{}", spec.key), &format!(r#"{{"value":{number}}}"#)).await;
            assert_eq!((answer.status, answer.code().as_str()), (422, "invalid-setting-value"), "{}", spec.key);
            let problem = answer.json();
            assert_eq!(problem["accepted"], spec.accepted(), "{}", spec.key);
            assert_eq!(problem["errors"][0]["pointer"], "/value", "{}", spec.key);
        }
        let many = format!(r#"{{"changes":{{"dripEnabled":true,"webmailPageSize":{number}}}}}"#);
        let answer = say("POST", "/settings", &many).await;
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid-setting-value"));
        assert_eq!(answer.json()["errors"][0]["pointer"], "/changes/webmailPageSize");
        let document = format!(
            r#"{{"document":{{"format":"pilothouse-settings","version":1,"settings":{{"webmailPageSize":{number}}}}}}}"#
        );
        assert_eq!(say("POST", "/settings/import", &document).await.code(), "invalid-setting-value");
        // Elsewhere it is a wrong value of the place where it stands.
        let answer = say("POST", "/workspaces", &format!(r#"{{"name":"A","more":[0,{{"~":{number}}}]}}"#)).await;
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid-input"));
        assert_eq!(answer.json()["errors"][0]["pointer"], "/more/1/~0");
    }
    let list = ask(address, "GET", "/settings?modified=true", Some(&owner), None).await;
    assert_eq!(list.json()["settings"], json!([]), "nothing was stored");
}

#[tokio::test]
async fn with_the_control_server_off_only_a_login_from_there_is_taken() {
    let program = program().await;
    let earlier = log_in(&program, serve(&program).await).await;
    let mut others = by_hand(&program).await;
    let program = program.restart().await;
    let address = serve_for(&program, Access::OwnerPageOnly).await;
    others.extend([earlier, cli_token(&program)]);
    let read = async |token: &str| ask(address, "GET", "/settings", Some(token), None).await;
    for token in &others {
        let answer = read(token).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "control-server-off"), "{}", &token[..7]);
        for (method, path) in [("POST", "/mcp"), ("GET", "/events"), ("POST", "/login/codes")] {
            assert_eq!(ask(address, method, path, Some(token), None).await.code(), "control-server-off", "{path}");
        }
    }
    assert_eq!(ask(address, "GET", "/settings", None, None).await.code(), "control-server-off");
    assert_eq!(read("ph_own_of_nobody").await.code(), "no-token");
    program.ctx.provide(std::sync::Arc::new(accounts::PrivatePage));
    let page = log_in(&program, address).await;
    assert_eq!(read(&page).await.status, 200);
    // Nor does what the page makes there open it, but for another login.
    let made = ask(address, "POST", "/accounts", Some(&page), Some(&json!({"name": "Third"}))).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(read(made.json()["token"].as_str().expect("a token")).await.code(), "control-server-off");
    let second = log_in(&program, address).await;
    assert_eq!(read(&second).await.status, 200);
    // After a restart it goes on.
    let program = program.restart().await;
    let address = serve_for(&program, Access::OwnerPageOnly).await;
    assert_eq!(ask(address, "GET", "/settings", Some(&page), None).await.status, 200);
}

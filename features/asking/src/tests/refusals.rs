//! Who may do what, and what is refused.

use super::*;

#[tokio::test]
async fn while_it_is_off_nobody_is_asked_and_nothing_is_offered() {
    let program = with_files().await;
    let cases = [
        ("agentInputRequestsEnabled", "asks.requestInput", env_request("MAIL_KEY"), "input-requests-disabled"),
        ("agentKeyProposalsEnabled", "asks.proposeKey", json!({"name": "N", "value": VALUE}), "key-proposals-disabled"),
    ];
    for (setting, op, input, code) in cases {
        program.ctx.provide_settings(Arc::new(Off(setting)));
        for caller in [agent("s1"), Caller::new(Kind::Cli, ACCOUNT, "cli"), Caller::new(Kind::Owner, ACCOUNT, "o")] {
            let told = refused(program.as_caller(caller, op, input.clone()).await, code);
            assert_eq!(told.code().status, 403);
            assert!(told.detail().contains(setting), "{told}");
        }
    }
    assert!(inbox(&program).await.is_empty());
    assert_eq!(program.owner("asks.list", json!({})).await.unwrap()["items"], json!([]));
}

#[tokio::test]
async fn a_session_knows_of_its_own_and_decides_nothing() {
    let program = with_files().await;
    let own = asked(&program, "s1", env_request("MAIL_KEY")).await;
    let key = offered(&program, "s1", json!({"name": "N", "value": VALUE})).await;
    for (op, id) in [("asks.inputStatus", &own), ("asks.keyStatus", &key)] {
        let told = program.as_caller(agent("s1"), op, json!({"askId": id})).await.unwrap();
        assert_eq!(told, json!({"status": "waiting"}));
        refused(program.as_caller(agent("s2"), op, json!({"askId": id})).await, "not-found");
    }
    refused(program.as_caller(agent("s1"), "asks.inputStatus", json!({"askId": key})).await, "not-found");
    let persons = [
        ("asks.answer", json!({"askId": own, "value": "x"})),
        ("asks.decline", json!({"askId": own})),
        ("asks.saveKey", json!({"askId": key, "value": "x"})),
        ("asks.dismissKey", json!({"askId": key})),
        ("asks.proposedValue", json!({"askId": key})),
        ("asks.get", json!({"askId": own})),
        ("asks.list", json!({})),
        ("secrets.list", json!({})),
        ("secrets.delete", json!({"secretId": "x"})),
    ];
    for (op, input) in persons {
        let cli = Caller::new(Kind::Cli, ACCOUNT, "cli");
        for call in [
            Call::new(agent("s1")),
            Call::new(Caller { through_mcp: true, ..cli.clone() }),
            // A script that says for which session it speaks is held to what that may do.
            Call { source_session: Some("s1".into()), ..Call::new(cli.clone()) },
        ] {
            refused(program.call(call, op, input.clone()).await, "forbidden-caller");
        }
    }
    let unscoped = Caller { scopes: Vec::new(), ..agent("s1") };
    refused(program.as_caller(unscoped, "asks.requestInput", env_request("A")).await, "scope-missing");
}

#[tokio::test]
async fn another_accounts_things_are_not_there() {
    let program = with_files().await;
    let input = asked(&program, "s1", json!({"name": "K", "target": {"secret": "MAIL"}})).await;
    let key = offered(&program, "s1", json!({"name": "N", "value": VALUE})).await;
    let kept = asked(&program, "s1", json!({"name": "K", "target": {"secret": "KEPT"}})).await;
    answer(&program, &kept, VALUE).await.unwrap();
    let secret = program.owner("secrets.list", json!({})).await.unwrap()["items"][0]["id"].clone();
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    for (op, input) in [
        ("asks.get", json!({"askId": input})),
        ("asks.answer", json!({"askId": input, "value": "x"})),
        ("asks.decline", json!({"askId": input})),
        ("asks.inputStatus", json!({"askId": input})),
        ("asks.keyStatus", json!({"askId": key})),
        ("asks.proposedValue", json!({"askId": key})),
        ("asks.saveKey", json!({"askId": key, "value": "x"})),
        ("asks.dismissKey", json!({"askId": key})),
        ("secrets.delete", json!({"secretId": secret})),
    ] {
        refused(program.as_caller(other(), op, input).await, "not-found");
    }
    for op in ["asks.list", "secrets.list"] {
        assert_eq!(program.as_caller(other(), op, json!({})).await.unwrap()["items"], json!([]));
    }
    refused(
        program.as_caller(agent_of(OTHER_ACCOUNT, "s1"), "asks.inputStatus", json!({"askId": input})).await,
        "not-found",
    );
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_with_the_place() {
    let program = with_files().await;
    let long = "x".repeat(2_001);
    for (input, pointer, code) in [
        (json!({"name": "", "target": {"env": "A"}}), "/name", "wrong-length"),
        (json!({"name": "a\u{7}", "target": {"env": "A"}}), "/name", "control-character"),
        (json!({"name": "a", "purpose": long, "target": {"env": "A"}}), "/purpose", "wrong-length"),
        (json!({"name": "a", "target": {"env": "1A"}}), "/target/env", "wrong-format"),
        (json!({"name": "a", "target": {"env": "A=B"}}), "/target/env", "wrong-format"),
        (json!({"name": "a", "target": {"env": "PATH"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "ld_preload"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "SSH_AUTH_SOCK"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "PIP_INDEX_URL"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "GOPROXY"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "CARGO_HOME"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "npm_config_registry"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "OPENAI_API_BASE"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "REDIS_HOST"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "JDK_JAVA_OPTIONS"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "GEM_PATH"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "APP_CLI_TOKEN"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"env": "MODEL_BASE_URL"}}), "/target/env", "reserved-name"),
        (json!({"name": "a", "target": {"secret": "../a"}}), "/target/secret", "wrong-format"),
        (json!({"name": "a", "target": {"file": "/etc/passwd"}}), "/target", "not-a-choice"),
        (json!({"name": "a"}), "", "missing"),
    ] {
        let told = refused(program.as_caller(agent("s1"), "asks.requestInput", input.clone()).await, "invalid-input");
        let at = &told.fields()[0];
        assert_eq!((at.pointer.as_str(), at.code.name()), (pointer, code), "{input}");
    }
    let told = refused(program.owner("asks.requestInput", env_request("A")).await, "invalid-input");
    assert_eq!(told.fields()[0].code.name(), "no-session");
    let scripted = Call { source_session: Some("s7".into()), ..Call::new(Caller::new(Kind::Cli, ACCOUNT, "cli")) };
    let made = json_of(&program.call(scripted, "asks.requestInput", env_request("A")).await.unwrap());
    let ask = program.owner("asks.get", json!({"askId": made["id"]})).await.unwrap();
    assert_eq!(ask["sessionId"], "s7");
    assert_eq!(rows_of(&program, "asks").await, 1);
}

#[tokio::test]
async fn a_runaway_session_asks_the_same_once_and_not_without_end() {
    let program = with_files().await;
    let first = asked(&program, "s1", env_request("KEY_0")).await;
    assert_eq!(asked(&program, "s1", env_request("KEY_0")).await, first);
    for n in 1..20 {
        asked(&program, "s1", env_request(&format!("KEY_{n}"))).await;
    }
    let one_more = program.as_caller(agent("s1"), "asks.requestInput", env_request("KEY_20")).await;
    let told = refused(one_more, "too-many-requests");
    assert!(told.retry_after_s().is_some() && told.detail().contains("20"), "{told}");
    asked(&program, "s2", env_request("KEY_0")).await;
    program.owner("asks.decline", json!({"askId": first})).await.unwrap();
    asked(&program, "s1", env_request("KEY_20")).await;
    assert_eq!(inbox(&program).await.len(), 22);
}

#[tokio::test]
async fn who_waits_is_told_as_soon_as_a_person_decides_or_the_program_ends() {
    let program = with_files().await;
    let id = asked(&program, "s1", env_request("A")).await;
    let other = asked(&program, "s1", env_request("B")).await;
    let wait = |id: &str| program.as_caller(agent("s1"), "asks.inputStatus", json!({"askId": id, "wait": 50}));
    let (mut decided, mut ended) = (pin!(wait(&id)), pin!(wait(&other)));
    for waiting in [&mut decided, &mut ended] {
        assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    let (told, done) = tokio::join!(decided, program.owner("asks.decline", json!({"askId": id})));
    assert_eq!((told.unwrap(), done.unwrap()["status"].clone()), (json!({"status": "declined"}), json!("declined")));
    let (told, ()) = tokio::join!(ended, (feature().stop)(program.ctx.clone()));
    assert_eq!(told.unwrap(), json!({"status": "waiting"}));
    refused(
        program.as_caller(agent("s1"), "asks.inputStatus", json!({"askId": id, "wait": 51})).await,
        "invalid-input",
    );
}

#[tokio::test]
async fn what_is_asked_is_listed_newest_first_in_pages() {
    let program = with_files().await;
    let ids = [asked(&program, "s1", env_request("A")).await, asked(&program, "s2", env_request("B")).await];
    program.owner("asks.decline", json!({"askId": ids[0]})).await.unwrap();
    let list = async |input: Value| {
        let page = program.owner("asks.list", input).await.unwrap();
        let ids = page["items"].as_array().unwrap().iter().map(|ask| ask["id"].as_str().unwrap().to_owned());
        (ids.collect::<Vec<_>>(), page["nextCursor"].clone())
    };
    let (first, cursor) = list(json!({"limit": 1})).await;
    assert_eq!(first, [ids[1].clone()]);
    assert_eq!(list(json!({"limit": 1, "cursor": cursor})).await.0, [ids[0].clone()]);
    assert_eq!(list(json!({"status": "waiting"})).await.0, [ids[1].clone()]);
    assert_eq!(list(json!({"session": "s1"})).await.0, [ids[0].clone()]);
    assert!(list(json!({"session": "s1", "status": "waiting"})).await.0.is_empty());
}

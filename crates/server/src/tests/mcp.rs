//! The operations as tools.

use super::*;

async fn ask(server: &Running, token: &str, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = server.json("POST", "/mcp", token, &message.to_string()).await;
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    answer.json()["result"].clone()
}

/// Calls a tool; whether it failed, and its text as JSON.
async fn tool(server: &Running, token: &str, name: &str, arguments: Value) -> (bool, Value) {
    let result = ask(server, token, "tools/call", json!({"name": name, "arguments": arguments})).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    (result["isError"] == true, serde_json::from_str(text).unwrap_or_else(|_| text.into()))
}

#[tokio::test]
async fn a_client_is_greeted() {
    let server = Running::start(quick()).await;
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let greeting = ask(&server, AGENT, "initialize", client).await;
    assert_eq!(
        (&greeting["protocolVersion"], &greeting["serverInfo"]["name"]),
        (&json!("2025-06-18"), &json!("pilothouse"))
    );
    assert_eq!(greeting["capabilities"], json!({"tools": {}}));
    assert_eq!(ask(&server, AGENT, "ping", json!({})).await, json!({}));
    let noted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = server.json("POST", "/mcp", AGENT, &noted.to_string()).await;
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    assert_eq!(server.get("/mcp", AGENT).await.status, 405);
    let nonsense = server.json("POST", "/mcp", AGENT, "{\"jsonrpc\":\"1.0\"}").await;
    assert_eq!((nonsense.status, nonsense.code().as_str()), (422, "invalid-input"));
    server.stop().await;
}

#[tokio::test]
async fn a_wrong_protocol_version_is_refused() {
    let server = Running::start(quick()).await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let text = format!(
        "POST /mcp HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nauthorization: Bearer {AGENT}\r\ncontent-type: application/json\r\n\
         mcp-protocol-version: 1999-01-01\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = server.raw(&text).await;
    assert!((400..500).contains(&answer.status), "{answer:?}");
    server.stop().await;
}

#[tokio::test]
async fn tools_are_the_common_operations_that_the_caller_may_call() {
    let server = Running::start(quick()).await;
    for (token, expected) in [
        (OWNER, vec!["things_list", "things_get", "find_operation", "call_operation"]),
        (BARE_AGENT, vec!["find_operation", "call_operation"]),
    ] {
        let listed = ask(&server, token, "tools/list", json!({})).await;
        let names: Vec<_> = listed["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
        assert_eq!(names, expected);
    }
    let listed = ask(&server, OWNER, "tools/list", json!({})).await;
    assert_eq!(
        listed["tools"][0]["inputSchema"],
        json!({"type": "object", "properties": {
            "limit": {"type": "integer", "description": "At most so many."},
            "tags": {"type": "array", "items": {"type": "string"}},
            "done": {"type": "boolean"},
        }})
    );
    server.stop().await;
}

#[tokio::test]
async fn tools_pass_through_the_same_door() {
    let server = Running::start(quick()).await;
    assert_eq!(tool(&server, AGENT, "things_get", json!({"id": "x"})).await, (false, json!({"echo": "x"})));
    let (failed, problem) = tool(&server, AGENT, "things_get", json!({"id": "none"})).await;
    assert_eq!((failed, &problem["code"]), (true, &json!("not-found")));
    let (failed, problem) = tool(&server, AGENT, "things_list", json!({"limit": "x"})).await;
    assert_eq!((failed, &problem["errors"][0]["pointer"]), (true, &json!("/limit")));
    let (failed, problem) = tool(&server, BARE_AGENT, "things_list", json!({})).await;
    assert_eq!((failed, &problem["code"]), (true, &json!("scope-missing")));
    let call = |name: &str, input: Value| json!({"name": name, "input": input});
    // What no session may do is nobody's here.
    for (token, name) in
        [(AGENT, "things.create"), (CLI, "things.create"), (OWNER, "things.create"), (OWNER, "things.delete")]
    {
        let (failed, problem) =
            tool(&server, token, "call_operation", call(name, json!({"id": "1", "name": "a"}))).await;
        assert_eq!((failed, &problem["code"]), (true, &json!("forbidden-caller")), "{name}");
    }
    let short = tool(&server, CLI, "call_operation", call("notes.count", json!({"text": "abc"}))).await;
    assert_eq!(short, (false, json!({"echo": 3})));
    let left = tool(&server, AGENT, "call_operation", call("notes.forget", json!({}))).await;
    assert_eq!(left.1, json!("Done."));
    let large = call("notes.count", json!({"text": "a".repeat(3 << 20)}));
    assert_eq!(tool(&server, CLI, "call_operation", large).await, (false, json!({"echo": 3 << 20})));
    let larger = call("notes.count", json!({"text": "a".repeat((3 << 20) + 2048)}));
    assert_eq!(tool(&server, CLI, "call_operation", larger).await.1["code"], "too-large");
    let file = call("things.import", json!({"board": "b", "content": "a,b"}));
    assert_eq!(
        tool(&server, AGENT, "call_operation", file).await,
        (false, json!({"echo": {"media": "text/csv", "bytes": 3, "board": "b"}}))
    );
    for (input, media) in
        [(json!({"content": "Grü"}), "text/plain"), (json!({"contentBase64": "R3LDvA=="}), "application/octet-stream")]
    {
        let answer = tool(&server, AGENT, "call_operation", call("things.attach", input)).await;
        assert_eq!(answer, (false, json!({"echo": {"media": media, "bytes": 4, "board": null}})));
    }
    for input in [json!({}), json!({"contentBase64": "R3L!"}), json!({"content": "a", "contentBase64": "YQ=="})] {
        let (failed, problem) = tool(&server, AGENT, "call_operation", call("things.attach", input)).await;
        assert_eq!((failed, &problem["code"]), (true, &json!("invalid-input")));
    }
    let (failed, problem) = tool(&server, CLI, "call_operation", call("faults.panic", json!({}))).await;
    assert_eq!((failed, &problem["code"]), (true, &json!("internal")));
    for name in ["mcp.message", "events.stream", "login.exchange", "none"] {
        let (failed, problem) = tool(&server, CLI, "call_operation", call(name, json!({}))).await;
        assert_eq!((failed, &problem["code"]), (true, &json!("not-found")), "{name}");
    }
    server.stop().await;
}

#[tokio::test]
async fn names_of_operations_are_taken_with_underscores_and_corrected() {
    let server = Running::start(quick()).await;
    let call = json!({"name": "things_get", "input": {"id": "x"}});
    assert_eq!(tool(&server, AGENT, "call_operation", call).await, (false, json!({"echo": "x"})));
    for (name, detail) in [
        ("things.fetch", "Operation not found. Did you mean things.get? Search with find_operation."),
        ("zzz", "Operation not found. Search with find_operation."),
    ] {
        let (failed, problem) = tool(&server, AGENT, "call_operation", json!({"name": name})).await;
        assert_eq!((failed, &problem["detail"]), (true, &json!(detail)));
    }
    for (name, message) in [
        ("notes_count", "Tool not found. Use call_operation with the name notes.count."),
        ("zzz", "Tool not found. Search with find_operation, and use call_operation."),
    ] {
        let sent = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}).to_string();
        let answer = server.json("POST", "/mcp", AGENT, &sent).await.json();
        assert_eq!(answer["error"]["message"], message);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_search_without_matches_says_whether_scopes_are_missing() {
    let server = Running::start(quick()).await;
    let search = async |token, query: &str| tool(&server, token, "find_operation", json!({"query": query})).await.1;
    let found = search(BARE_AGENT, "list").await;
    assert_eq!(found, json!({"operations": [], "matches": 0, "note": "Your token lacks the scopes for any match."}));
    assert_eq!(search(BARE_AGENT, "zzz").await, json!({"operations": [], "matches": 0}));
    assert_eq!(search(AGENT, "zzz").await, json!({"operations": [], "matches": 0}));
    server.stop().await;
}

/// What an agent sent it need not read again.
#[tokio::test]
async fn answers_are_brief_where_they_can_be_and_nothing_else_is_said() {
    let server = Running::start(quick()).await;
    for (input, brief) in [(json!({}), true), (json!({"brief": true}), true), (json!({"brief": false}), false)] {
        let call = json!({"name": "notes.say", "input": input});
        assert_eq!(tool(&server, CLI, "call_operation", call).await, (false, json!({"echo": brief})), "{input}");
    }
    let asked = server.json("POST", "/notes/say", CLI, "{}").await;
    assert_eq!(asked.json(), json!({"echo": false}), "who asks over HTTP is answered whole");
    server.stop().await;
}

/// Mistakes of the protocol are its own errors, with the codes that clients know.
#[tokio::test]
async fn wrong_parameters_and_unknown_methods_are_errors_of_the_protocol() {
    let server = Running::start(quick()).await;
    for (method, params, code) in [
        ("tools/call", json!({"name": "none"}), -32602),
        ("tools/call", json!({"name": 5}), -32602),
        ("tools/call", json!({"name": "things_list", "arguments": [1]}), -32602),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!([]), -32602),
        ("tools/call", json!("x".repeat(2000)), -32602),
        ("initialize", json!({}), -32602),
        ("none", json!({}), -32601),
    ] {
        let message = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params}).to_string();
        let answer = server.json("POST", "/mcp", AGENT, &message).await;
        let (status, answer) = (answer.status, answer.json());
        assert_eq!((status, &answer["id"], &answer["error"]["code"]), (200, &json!("a"), &json!(code)), "{message}");
    }
    let bare = server.json("POST", "/mcp", AGENT, r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/call"}"#).await;
    assert_eq!(bare.json()["error"]["code"], -32602);
    server.stop().await;
}

#[tokio::test]
async fn operations_are_found_by_words() {
    let server = Running::start(quick()).await;
    for (token, query, first, matches) in [
        (OWNER, "change a thing", "things.update", 5),
        (AGENT, "import", "things.import", 1),
        (OWNER, "deleting", "", 0),
    ] {
        let (_, found) = tool(&server, token, "find_operation", json!({"query": query})).await;
        assert_eq!(found["operations"][0]["name"].as_str().unwrap_or_default(), first, "{query}: {found}");
        assert_eq!(found["matches"], matches, "{query}: {found}");
    }
    let (_, found) = tool(&server, AGENT, "find_operation", json!({"query": "import"})).await;
    assert_eq!(found["operations"][0]["input"]["properties"]["content"]["type"], "string");
    // Only the best three come with a schema, and `limit` says how many come at all.
    let (_, found) = tool(&server, OWNER, "find_operation", json!({"query": "change a thing"})).await;
    let schemas: Vec<bool> =
        found["operations"].as_array().unwrap().iter().map(|one| one["input"].is_object()).collect();
    assert_eq!(schemas, [true, true, true, false, false]);
    let (_, found) = tool(&server, OWNER, "find_operation", json!({"query": "change a thing", "limit": 2})).await;
    assert_eq!((found["operations"].as_array().unwrap().len(), &found["matches"]), (2, &json!(5)));
    let (_, refused) = tool(&server, OWNER, "find_operation", json!({"query": "thing", "limit": 31})).await;
    assert_eq!((&refused["code"], &refused["errors"][0]["pointer"]), (&json!("invalid-input"), &json!("/limit")));
    server.stop().await;
}

/// A list of tools is read by a model before it does anything: 6,000 tokens are too much already.
#[tokio::test]
async fn the_list_of_tools_stays_small() {
    let names: Vec<&'static str> = (0..200).map(|n| &*format!("area{}.verb{n}", n / 10).leak()).collect();
    let mut ops: Vec<Op> = names
        .iter()
        .enumerate()
        .map(|(n, name)| {
            let path = format!("/{}/{{id}}", name.replace('.', "/")).leak();
            let doc = "Changes something of its area, and says what else it touches and when it is refused.";
            let op = Op::new(name, Method::Patch, path, CallerSet::ANYONE_KNOWN, doc, update_thing);
            if n % 5 == 0 { op.common() } else { op }
        })
        .collect();
    ops.extend(crate::ops());
    let server = Running::start_with(quick(), Access::Full, ops).await;
    let listed = ask(&server, OWNER, "tools/list", json!({})).await;
    assert_eq!(listed["tools"].as_array().unwrap().len(), 42);
    let bytes = listed.to_string().len();
    assert!(bytes < 20_000, "{bytes} bytes");
    server.stop().await;
}

#[tokio::test]
async fn of_an_answer_that_is_too_large_it_is_told_whether_anything_was_done() {
    let list = Op::new(
        "larges.ask",
        Method::Post,
        "/larges/ask",
        CallerSet::PERSON_AND_AGENTS,
        "Asks for much.",
        async |_, _, _: Brevity| Ok(echo("a".repeat(1 << 20).into())),
    );
    let mut make = list.clone();
    (make.name, make.path) = ("larges.make", "/larges");
    let mut ops = crate::ops();
    ops.extend([list.reads(), make]);
    let server = Running::start_with(quick(), Access::Full, ops).await;
    for (name, said) in [("larges.ask", "The result is over"), ("larges.make", "Done, but the result is over")] {
        let (failed, problem) = tool(&server, CLI, "call_operation", json!({"name": name, "input": {}})).await;
        assert!(failed && problem["detail"].as_str().is_some_and(|detail| detail.starts_with(said)), "{problem}");
    }
    server.stop().await;
}

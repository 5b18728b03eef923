//! What must be refused, byte by byte.

use super::*;
use crate::testing::{Tokens, check_access};

/// In the requests `HOST` is the server's own name and `PORT` its port; each case sends `Connection: close` unless it is
/// about the framing.
#[tokio::test]
async fn hostile_requests() {
    let server = Running::start(quick()).await;
    let port = server.address.port();
    let auth = format!("authorization: Bearer {CLI}\r\n");
    let get = |headers: &str| format!("GET /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n{headers}\r\n");
    let known = |headers: &str| get(&format!("{auth}{headers}"));
    let hosted = |hosts: &str| format!("GET /things HTTP/1.1\r\n{hosts}connection: close\r\n{auth}\r\n");
    let line = |line: &str| format!("{line}\r\nhost: HOST\r\nconnection: close\r\n{auth}\r\n");
    let post = |headers: &str, body: &str| {
        let length = body.len();
        format!(
            "POST /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n{auth}content-length: {length}\r\n{headers}\r\n{body}"
        )
    };
    let framed = |headers: &str, body: &str| {
        format!(
            "POST /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n{auth}content-type: application/json\r\n{headers}\r\n{body}"
        )
    };
    let json = |body: &str| post("content-type: application/json\r\n", body);
    let deep = format!("{{\"name\":{}1{}}}", "[".repeat(70), "]".repeat(70));
    let large = format!("{{\"name\":\"{}\"}}", "x".repeat(2000));

    let cases: Vec<(&str, u16, String)> = vec![
        // What is let in, so that the refusals below are for their own reason.
        ("plain", 200, known("")),
        ("an encoding that changes nothing", 200, known("content-encoding: identity\r\n")),
        ("an encoded body", 415, post("content-type: application/json\r\ncontent-encoding: gzip\r\n", "{}")),
        ("own origin", 200, known("origin: http://HOST\r\n")),
        ("own page's fetch", 200, known("origin: http://HOST\r\nsec-fetch-site: same-origin\r\n")),
        ("scheme word in lower case", 200, get(&format!("authorization: bearer {CLI}\r\n"))),
        ("scheme word in upper case", 200, get(&format!("authorization: BEARER   {CLI}\r\n"))),
        ("localhost", 200, hosted("host: localhost:PORT\r\n")),
        ("IPv6 name", 200, hosted("host: [::1]:PORT\r\n")),
        ("absolute form of our own", 200, line("GET http://HOST/things HTTP/1.1")),
        ("charset", 201, post("content-type: application/json; charset=UTF-8\r\n", "{\"name\":\"a\"}")),
        ("media type in capitals", 201, post("content-type: Application/JSON\r\n", "{\"name\":\"a\"}")),
        ("chunked", 201, framed("transfer-encoding: chunked\r\n", "c\r\n{\"name\":\"a\"}\r\n0\r\n\r\n")),
        ("forwarded headers are ignored", 200, known("x-forwarded-host: evil.example\r\nforwarded: host=evil.example\r\n")),
        ("a cookie is ignored", 200, known("cookie: token=x\r\n")),
        // Host.
        ("no host", 421, hosted("")),
        ("foreign host", 421, hosted("host: evil.example:PORT\r\n")),
        ("rebound host", 421, hosted("host: 127.0.0.1.nip.io:PORT\r\n")),
        ("subdomain of localhost", 421, hosted("host: app.localhost:PORT\r\n")),
        ("localhost with a dot", 421, hosted("host: localhost.:PORT\r\n")),
        ("zero address", 421, hosted("host: 0.0.0.0:PORT\r\n")),
        ("another loopback address", 421, hosted("host: 127.0.0.2:PORT\r\n")),
        ("no port", 421, hosted("host: 127.0.0.1\r\n")),
        ("another port", 421, hosted("host: 127.0.0.1:1\r\n")),
        ("padded port", 421, hosted("host: 127.0.0.1:0PORT\r\n")),
        ("user before the host", 421, hosted("host: a@127.0.0.1:PORT\r\n")),
        ("empty host", 421, hosted("host:\r\n")),
        ("two hosts, the same", 421, hosted("host: HOST\r\nhost: HOST\r\n")),
        ("two hosts, the second foreign", 421, hosted("host: HOST\r\nhost: evil.example\r\n")),
        ("two hosts, the first foreign", 421, hosted("host: evil.example\r\nhost: HOST\r\n")),
        ("absolute form of another", 421, line("GET http://evil.example/things HTTP/1.1")),
        ("absolute form by https", 421, line("GET https://HOST/things HTTP/1.1")),
        ("absolute form with a user", 421, line("GET http://a@HOST/things HTTP/1.1")),
        ("HTTP/1.0 without a host", 421, format!("GET /things HTTP/1.0\r\n{auth}\r\n")),
        ("forwarded host only", 421, hosted("host: evil.example\r\nx-forwarded-host: HOST\r\n")),
        ("health of a foreign host", 421, "GET /health HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n".into()),
        ("page of a foreign host", 421, "GET /app/ HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n".into()),
        // Origin.
        ("foreign origin", 403, known("origin: http://evil.example\r\n")),
        ("null origin", 403, known("origin: null\r\n")),
        ("file origin", 403, known("origin: file://\r\n")),
        ("empty origin", 403, known("origin:\r\n")),
        ("extension origin", 403, known("origin: chrome-extension://abcdefgh\r\n")),
        ("editor webview origin", 403, known("origin: vscode-webview://abc\r\n")),
        ("origin by https", 403, known("origin: https://HOST\r\n")),
        ("origin of another port", 403, known("origin: http://127.0.0.1:3000\r\n")),
        ("origin without a port", 403, known("origin: http://127.0.0.1\r\n")),
        ("origin by another of our names", 403, known("origin: http://localhost:PORT\r\n")),
        ("origin that begins like ours", 403, known("origin: http://HOST.evil.example\r\n")),
        ("two origins", 403, known("origin: http://HOST\r\norigin: http://evil.example\r\n")),
        ("two origins in one", 403, known("origin: http://HOST, http://evil.example\r\n")),
        ("origin in capitals", 403, known("origin: HTTP://HOST\r\n")),
        // Fetch metadata.
        ("cross-site", 403, known("sec-fetch-site: cross-site\r\n")),
        ("same-site", 403, known("sec-fetch-site: same-site\r\n")),
        ("typed in, at the interface", 403, known("sec-fetch-site: none\r\n")),
        ("two fetch sites", 403, known("sec-fetch-site: same-origin\r\nsec-fetch-site: cross-site\r\n")),
        ("unknown fetch site", 403, known("sec-fetch-site: Same-Origin\r\n")),
        ("cross-site page", 403, "GET /app/ HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nsec-fetch-site: cross-site\r\n\r\n".into()),
        // Preflights and methods.
        ("foreign preflight", 403, "OPTIONS /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\norigin: http://evil.example\r\naccess-control-request-method: POST\r\n\r\n".into()),
        ("own preflight", 401, "OPTIONS /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\norigin: http://HOST\r\n\r\n".into()),
        ("OPTIONS", 405, line("OPTIONS /things HTTP/1.1")),
        ("OPTIONS *", 404, line("OPTIONS * HTTP/1.1")),
        ("TRACE", 405, line("TRACE /things HTTP/1.1")),
        ("CONNECT elsewhere", 421, line("CONNECT evil.example:443 HTTP/1.1")),
        ("CONNECT", 404, line("CONNECT HOST HTTP/1.1")),
        ("method of another case", 405, line("get /things HTTP/1.1")),
        ("method override", 404, line("GET /thing?_method=DELETE HTTP/1.1")),
        ("wrong method with a wrong type", 405, format!("PUT /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n{auth}content-type: text/plain\r\ncontent-length: 1\r\n\r\nx")),
        // Tokens.
        ("no token", 401, get("")),
        ("no token at an unknown path", 401, "GET /nowhere HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n".into()),
        ("no token by an unknown method", 401, "BREW /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n".into()),
        ("unknown token", 401, get("authorization: Bearer ph_cli_no\r\n")),
        ("empty token", 401, get("authorization: Bearer \r\n")),
        ("no scheme", 401, get(&format!("authorization: {CLI}\r\n"))),
        ("basic", 401, get("authorization: Basic cGhfY2xpOng=\r\n")),
        ("begins like the token", 401, get(&format!("authorization: Bearer {}\r\n", &CLI[..CLI.len() - 1]))),
        ("ends like the token", 401, get(&format!("authorization: Bearer {CLI}x\r\n"))),
        ("token in capitals", 401, get(&format!("authorization: Bearer {}\r\n", CLI.to_uppercase()))),
        ("two tokens", 400, get(&format!("{auth}{auth}"))),
        ("two tokens in one", 401, get(&format!("authorization: Bearer {CLI}, Bearer {CLI}\r\n"))),
        ("token with a tab", 401, get(&format!("authorization: Bearer\t{CLI}\r\n"))),
        ("token in a cookie", 401, get(&format!("cookie: token={CLI}\r\n"))),
        ("token in another header", 401, get(&format!("x-api-key: {CLI}\r\n"))),
        ("token in the query", 400, line(&format!("GET /things?token={CLI} HTTP/1.1"))),
        ("access_token in the query", 400, line("GET /things?access_token=a HTTP/1.1")),
        ("encoded name in the query", 400, line("GET /things?%74oken=a HTTP/1.1")),
        ("token under another name", 400, line(&format!("GET /things?key={CLI} HTTP/1.1"))),
        ("token in a page's query", 400, line("GET /app/?token=a HTTP/1.1")),
        ("unknown token at the login", 401, "POST /login HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nauthorization: Bearer x\r\n\r\n".into()),
        // Content types.
        ("text body", 415, post("content-type: text/plain\r\n", "{\"name\":\"a\"}")),
        ("form body", 415, post("content-type: application/x-www-form-urlencoded\r\n", "name=a")),
        ("multipart body", 415, post("content-type: multipart/form-data; boundary=x\r\n", "--x--")),
        ("no content type", 415, post("", "{\"name\":\"a\"}")),
        ("JSON's relative", 415, post("content-type: application/json-patch+json\r\n", "{\"name\":\"a\"}")),
        ("JSON in the parameters", 415, post("content-type: text/plain; application/json\r\n", "{\"name\":\"a\"}")),
        ("another charset", 415, post("content-type: application/json; charset=utf-16\r\n", "{\"name\":\"a\"}")),
        ("two content types", 400, post("content-type: application/json\r\ncontent-type: text/plain\r\n", "{}")),
        ("file of a wrong type", 415, json("").replace("POST /things", "POST /things/import")),
        // Bodies.
        ("not JSON", 400, json("{name: a}")),
        ("half of JSON", 400, json("{\"name\":")),
        ("two documents", 400, json("{\"name\":\"a\"}{}")),
        ("repeated member", 400, json("{\"name\":\"a\",\"name\":\"b\"}")),
        ("repeated member within", 400, json("{\"name\":{\"a\":1,\"a\":2}}")),
        ("too deep", 400, json(&deep)),
        ("not UTF-8", 400, json("{\"name\":\"a\u{0}\"}")),
        ("an array", 422, json("[]")),
        ("null", 422, json("null")),
        ("unknown member", 422, json("{\"name\":\"a\",\"admin\":true}")),
        ("wrong type", 422, json("{\"name\":5}")),
        ("missing member", 422, json("{}")),
        ("too large", 413, json(&large)),
        ("too large, in chunks", 413, framed("transfer-encoding: chunked\r\n", &format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len()))),
        ("announced too large", 413, framed("content-length: 99999999999\r\n", "")),
        ("body on GET", 400, format!("GET /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n{auth}content-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}")),
        ("unknown query parameter", 422, line("GET /things?colour=red HTTP/1.1")),
        ("query of a wrong type", 422, line("GET /things?limit=many HTTP/1.1")),
        ("query parameter twice", 422, line("GET /things?limit=1&limit=2 HTTP/1.1")),
        ("query not UTF-8", 400, line("GET /things?limit=%ff HTTP/1.1")),
        ("path not UTF-8", 400, line("GET /things/%ff HTTP/1.1")),
        ("body member against the path", 422, format!("PATCH /things/1 HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n{auth}content-type: application/json\r\ncontent-length: 10\r\n\r\n{{\"id\":\"2\"}}")),
        // Paths.
        ("unknown path", 404, line("GET /nowhere HTTP/1.1")),
        ("trailing slash", 404, line("GET /things/ HTTP/1.1")),
        ("doubled slash", 404, line("GET //things HTTP/1.1")),
        ("another case", 404, line("GET /Things HTTP/1.1")),
        ("out of the pages", 404, line("GET /app/../things.txt HTTP/1.1")),
        ("out of the pages, encoded", 404, line("GET /app/%2e%2e/secret.txt HTTP/1.1")),
        ("long path", 404, line(&format!("GET /{} HTTP/1.1", "a".repeat(12_000)))),
        // Framing; the library's own refusals, kept from coming back.
        ("negative length", 400, framed("content-length: -1\r\n", "")),
        ("signed length", 400, framed("content-length: +2\r\n", "{}")),
        ("two lengths", 400, framed("content-length: 2\r\ncontent-length: 3\r\n", "{}")),
        ("unknown transfer coding", 400, framed("transfer-encoding: gzip\r\n", "")),
        ("coding after chunked", 400, framed("transfer-encoding: chunked, identity\r\n", "0\r\n\r\n")),
        ("bad chunk size", 400, framed("transfer-encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n")),
        ("space before the colon", 400, known("x-a : b\r\n")),
        ("folded header", 400, known("x-a: b\r\n c\r\n")),
        ("NUL in a header", 400, known("x-a: \0\r\n")),
        ("header without a colon", 400, known("nonsense\r\n")),
        ("HTTP/0.9", 400, "GET /things\r\n\r\n".into()),
        // Closed without a word.
        ("HTTP/2 preface", 0, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into()),
        ("not HTTP", 400, "\u{16}\u{3}\u{1}\u{2}hello\r\n\r\n".into()),
        ("large head", 431, known(&format!("x-a: {}\r\n", "a".repeat(17_000)))),
        ("65 headers", 431, known(&"x-a: b\r\n".repeat(62))),
        ("200 headers", 431, known(&"x-a: b\r\n".repeat(200))),
        ("bad bytes in If-Match", 400, known("if-match: \u{e9}\r\n")),
        ("bad bytes in the second If-Match", 400, known("if-match: \"1\"\r\nif-match: \u{e9}\r\n")),
    ];
    assert!(cases.len() >= 88);
    let mut wrong = Vec::new();
    for (name, status, text) in &cases {
        let answer = server.raw(&text.replace("PORT", &port.to_string())).await;
        if answer.status != *status {
            wrong.push(format!(
                "{name}: {} instead of {status}: {}",
                answer.status,
                String::from_utf8_lossy(&answer.body)
            ));
        }
        let said = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!said.contains(CLI) && !said.contains("ph_cli_no"), "{name} tells the token: {said}");
        assert_eq!(answer.forbidden_headers(), Vec::<&str>::new(), "{name}");
        assert_eq!(answer.header("server"), None, "{name}");
    }
    assert!(wrong.is_empty(), "{} of {} answered wrongly:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    server.stop().await;
}

/// Content length beside chunks must never make two requests of one.
#[tokio::test]
async fn nothing_is_smuggled() {
    let server = Running::start(quick()).await;
    let smuggled = format!("GET /things HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {CLI}\r\n\r\n");
    let text = format!(
        "POST /things HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {CLI}\r\ncontent-type: application/json\r\n\
         content-length: 5\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n0\r\n\r\n{smuggled}"
    );
    let answer = server.raw(&text).await;
    assert!(!String::from_utf8_lossy(&answer.body).contains("HTTP/1.1"), "{answer:?}");
    server.stop().await;
}

#[tokio::test]
async fn an_operation_is_open_to_whom_its_row_names_alone() {
    let ops = synthetic_ops();
    let server = Running::start(quick()).await;
    let mut tokens = Tokens {
        of_kinds: [(Kind::Owner, OWNER), (Kind::Cli, CLI), (Kind::Agent, AGENT), (Kind::Member, MEMBER)]
            .map(|(kind, token)| (kind, token.to_owned()))
            .to_vec(),
        of_scopes: [("things:read", BUT_THINGS, THINGS), ("events:read", BUT_EVENTS, EVENTS)]
            .map(|(scope, others, alone)| (scope, (others.to_owned(), alone.to_owned())))
            .into(),
    };
    assert_eq!(check_access(server.address, &ops, &tokens).await.unwrap(), Vec::<String>::new());
    let unknown = server.ctx.service::<crate::UnknownTokens>().count();
    assert_eq!(unknown, ops.len() as u64);
    tokens.of_kinds.remove(1);
    let left_out = check_access(server.address, &ops, &tokens).await.unwrap();
    assert_eq!(left_out, ["no token of the kind cli was given"]);

    // A session that is let in, or kept out, against what the row says is found.
    let (things, but_things) = (THINGS.to_owned(), BUT_THINGS.to_owned());
    tokens.of_scopes.insert("things:read", (things, but_things));
    tokens.of_scopes.remove("events:read");
    let wrong = check_access(server.address, &ops, &tokens).await.unwrap();
    for found in [
        "things.list: a session without one of its scopes was answered 200, not 403",
        "things.list: a session with things:read alone was answered 403",
        "events.stream: no session's token for events:read was given",
    ] {
        assert!(wrong.iter().any(|one| one == found), "{found} is not among {wrong:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn with_the_control_server_off_only_the_pages_login_is_taken() {
    let server = Running::start_with(quick(), Access::OwnerPageOnly, synthetic_ops()).await;
    for token in [CLI, AGENT, MEMBER, LASTING_OWNER] {
        let answer = server.get("/things", token).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "control-server-off"));
        assert_eq!(answer.json()["setting"], "cliServerEnabled");
    }
    assert_eq!(
        server.raw("GET /things HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n").await.code(),
        "control-server-off"
    );
    assert_eq!(server.get("/things", "x").await.code(), "no-token");
    assert_eq!(server.get("/things", OWNER).await.status, 200);
    let login =
        server.raw("POST /login HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!((login.status, login.json()), (200, json!({"echo": "public"})));
    server.stop().await;
}

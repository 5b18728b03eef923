//! What is let in is answered as its row says.

use super::*;

#[tokio::test]
async fn members_come_from_path_query_and_body() {
    let server = Running::start(quick()).await;
    let listed = server.get("/things?limit=5&tags=a,b&tags=c%20d&done=true", AGENT).await;
    assert_eq!(listed.json(), json!({"echo": {"limit": 5, "tags": ["a", "b", "c d"], "done": true}}));
    let changed = server.json("PATCH", "/things/a%2Fb%C3%A4", OWNER, "{\"name\":\"n\"}").await;
    assert_eq!(changed.json(), json!({"echo": {"id": "a/bä", "name": "n", "source": null}}));
    let made = server.json("POST", "/things?count=3", OWNER, "{\"name\":\"n\"}").await;
    assert_eq!((made.status, made.header("location")), (201, Some("/things/1")));
    assert_eq!(made.json(), json!({"echo": {"name": "n", "count": 3}}));
    let gone = send(server.address, &request(server.address, "DELETE", "/things/1", Some(OWNER), None)).await.unwrap();
    assert_eq!((gone.status, gone.body.len(), gone.header("content-type")), (204, 0, None));
    server.stop().await;
}

#[tokio::test]
async fn a_wrong_member_is_pointed_at() {
    let server = Running::start(quick()).await;
    for (path, body, pointer, code) in [
        ("/things", "{\"name\":5}", "/name", "wrong-type"),
        ("/things", "{\"name\":\"a\",\"colour\":1}", "/colour", "unknown-field"),
        ("/things?count=x", "{\"name\":\"a\"}", "/count", "wrong-type"),
        ("/things?name=a", "{\"name\":\"a\"}", "/name", "given-twice"),
    ] {
        let answer = server.json("POST", path, CLI, body).await;
        let field = answer.json()["errors"][0].clone();
        assert_eq!((answer.status, &field["pointer"], &field["code"]), (422, &json!(pointer), &json!(code)), "{body}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    }
    server.stop().await;
}

#[tokio::test]
async fn tags_make_304_and_412() {
    let server = Running::start(quick()).await;
    let with = |method: &str, header: &str| {
        format!(
            "{method} /things/1 HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nauthorization: Bearer {CLI}\r\n{header}\r\n\r\n"
        )
    };
    let fresh = server.raw(&with("GET", "accept: */*")).await;
    assert_eq!((fresh.status, fresh.header("etag")), (200, Some("\"7\"")));
    for held in
        ["if-none-match: \"7\"", "if-none-match: \"1\", W/\"7\"", "if-none-match: \"1\"\r\nif-none-match: \"7\""]
    {
        let answer = server.raw(&with("GET", held)).await;
        assert_eq!((answer.status, answer.body.len()), (304, 0), "{held}");
    }
    for fits in ["\"7\"", "*", "\"6\", \"7\"", "\"6\"\r\nif-match: \"a,b\", \"7\"", "W/\"6\",,\"7\""] {
        let changed = server.raw(&with("PATCH", &format!("if-match: {fits}\r\ncontent-length: 0"))).await;
        assert_eq!(changed.status, 200, "{fits}");
    }
    for fits_not in ["\"6\"", "\"6\", \"8\"", "W/\"7\"", "\"6, 7\"", "\"6\"\r\nif-match: \"8\"", ""] {
        let stale = server.raw(&with("PATCH", &format!("if-match: {fits_not}\r\ncontent-length: 0"))).await;
        assert_eq!((stale.status, stale.code().as_str()), (412, "stale-revision"), "{fits_not}");
    }
    let head = server.raw(&with("HEAD", "accept: */*")).await;
    assert_eq!((head.status, head.body.len(), head.header("content-length")), (200, 0, Some("12")));
    server.stop().await;
}

#[tokio::test]
async fn every_answer_is_sealed() {
    let server = Running::start(quick()).await;
    let plain = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n");
    for path in ["/health", "/app/", "/app/assets/main-1a.js", "/things", "/", "/app/none.js"] {
        let answer = server.raw(&plain(path)).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        let kept = path.ends_with("1a.js");
        assert_eq!(answer.header("cache-control") == Some("no-store"), !kept, "{path}");
    }
    let refused = server.raw(&plain("/things")).await;
    assert_eq!((refused.header("www-authenticate"), refused.code().as_str()), (Some("Bearer"), "no-token"));
    let wrong = server.json("PUT", "/things", CLI, "{}").await;
    assert_eq!(
        (wrong.status, wrong.header("allow"), wrong.code().as_str()),
        (405, Some("GET,HEAD,POST"), "wrong-method")
    );
    server.stop().await;
}

#[tokio::test]
async fn a_page_that_frames_anothers_may_load_that_and_nothing_else() {
    let server = Running::start(quick()).await;
    let ask = |path: &str, site: &str| {
        format!("GET {path} HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nsec-fetch-site: {site}\r\n\r\n")
    };
    let framing = server.raw(&ask("/app/apps/1.html", "same-origin")).await;
    let policy = "default-src 'none'; frame-src https://apps.example:8443; style-src 'sha256-abc='; base-uri 'none'; \
                  form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts allow-forms";
    assert_eq!((framing.status, framing.header("content-security-policy")), (200, Some(policy)));
    assert_eq!(framing.header("cache-control"), Some("no-store"));
    // What it frames, and every other page, cannot load it.
    assert_eq!(server.raw(&ask("/app/apps/1.html", "cross-site")).await.status, 403);
    assert_eq!(server.raw(&ask("/app/apps/2.html", "same-origin")).await.status, 404);
    // The page itself frames nobody else's.
    let page = server.raw(&ask("/app/", "same-origin")).await;
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("; frame-src 'self';") && policy.contains("; frame-ancestors 'none'"), "{policy}");
    server.stop().await;
}

#[tokio::test]
async fn pages_need_no_token() {
    let server = Running::start(quick()).await;
    let plain = |method: &str, path: &str, header: &str| {
        format!("{method} {path} HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nsec-fetch-site: none\r\n{header}\r\n")
    };
    for root in ["/", "/app"] {
        let answer = server.raw(&plain("GET", root, "")).await;
        assert_eq!((answer.status, answer.header("location")), (307, Some("/app/")));
    }
    for address in ["/app/", "/app/index.html", "/app/boards/1"] {
        let answer = server.raw(&plain("GET", address, "")).await;
        assert_eq!((answer.status, &*answer.body), (200, &b"<!doctype html>"[..]), "{address}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"));
        assert!(answer.header("content-security-policy").unwrap().contains("script-src 'self' 'wasm-unsafe-eval';"));
    }
    let head = server.raw(&plain("HEAD", "/app/", "")).await;
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, Some("15"), 0));
    assert_eq!(server.raw(&plain("GET", "/app/assets/main-1a.js", "if-none-match: \"1a\"\r\n")).await.status, 304);
    assert_eq!(server.raw(&plain("GET", "/app/assets/none.js", "")).await.status, 404);
    let post = server.raw("POST /app/ HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!((post.status, post.header("allow")), (405, Some("GET,HEAD")));
    server.stop().await;
}

#[tokio::test]
async fn health_proves_itself_for_this_host() {
    let server = Running::start(quick()).await;
    let ask = |query: &str| format!("GET /health{query} HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n");
    let plain = json!({"name": "pilothouse", "version": "0.1.0", "instanceId": "run-1", "ready": true});
    assert_eq!(server.raw(&ask("")).await.json(), plain);
    let challenge = "ab".repeat(16);
    let proven = server.raw(&ask(&format!("?challenge={challenge}"))).await.json();
    assert_eq!(proven["proof"], format!("proof of {challenge}|{}", server.address));
    assert_eq!((&proven["host"], &proven["tokenProof"]), (&server.address.to_string().into(), &Value::Null));
    let of = async |name: &str| server.raw(&ask(&format!("?challenge={challenge}&of={name}"))).await.json();
    assert_eq!(of("known").await["tokenProof"], format!("proof of known and {challenge}|{}", server.address));
    assert_eq!(of("unknown").await, proven);
    for bad in ["ab", "xy".repeat(16).as_str(), "ab".repeat(65).as_str(), &"a".repeat(33), ""] {
        assert_eq!(server.raw(&ask(&format!("?challenge={bad}"))).await.status, 422, "{bad}");
    }
    server.stop().await;
}

#[tokio::test]
async fn files_arrive_in_pieces_and_within_their_limit() {
    let server = Running::start(quick()).await;
    let file = |media: &str, bytes: usize| {
        let body = "x".repeat(bytes);
        request(server.address, "POST", "/things/import?board=b", Some(CLI), Some((media, &body)))
    };
    let taken = send(server.address, &file("text/csv; charset=utf-8", 60_000)).await.unwrap();
    assert_eq!(taken.json()["echo"], json!({"media": "text/csv; charset=utf-8", "bytes": 60_000, "board": "b"}));
    let form = send(server.address, &file("multipart/form-data; boundary=z", 10)).await.unwrap();
    assert_eq!(form.json()["echo"]["media"], "multipart/form-data; boundary=z");
    assert_eq!(send(server.address, &file("image/png", 10)).await.unwrap().status, 415);
    assert_eq!(send(server.address, &file("text/csv", 70_000)).await.unwrap().code(), "too-large");
    // Where any file is kept, any type is taken, in any encoding; a form is larger than the file that it wraps.
    let any = |media: &str, bytes: usize| {
        let body = "x".repeat(bytes);
        request(server.address, "POST", "/things/attach?board=b", Some(CLI), Some((media, &body)))
    };
    for media in ["image/png", "text/plain; charset=latin1", "nonsense"] {
        let taken = send(server.address, &any(media, 10)).await.unwrap();
        assert_eq!(taken.json()["echo"], json!({"media": media, "bytes": 10, "board": "b"}));
    }
    assert_eq!(
        send(server.address, &any("multipart/form-data; boundary=z", 64 * 1024 + 10)).await.unwrap().status,
        200
    );
    let refused = send(server.address, &any("image/png", 64 * 1024 + 10)).await.unwrap();
    assert_eq!(refused.code(), "too-large");
    let said = "The file is too large. The limit is 64 KiB (65536 bytes).";
    assert!(String::from_utf8_lossy(&refused.body).contains(said));
    let chunk = format!("{:x}\r\n{}\r\n", 40_000, "x".repeat(40_000));
    let chunked = format!(
        "POST /things/import HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nauthorization: Bearer {CLI}\r\n\
         content-type: text/csv\r\ntransfer-encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n"
    );
    let refused = server.raw(&chunked).await;
    assert_eq!((refused.status, refused.code().as_str()), (413, "too-large"));
    server.stop().await;
}

#[tokio::test]
async fn a_panic_is_an_error_of_its_own_request() {
    let server = Running::start(quick()).await;
    let answer = server.get("/panic", CLI).await;
    assert_eq!((answer.status, answer.code().as_str()), (500, "internal"));
    assert!(!String::from_utf8_lossy(&answer.body).contains("on purpose"));
    assert_eq!(server.get("/things", CLI).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_session_speaks_for_itself_only() {
    let server = Running::start(quick()).await;
    let with = |session: &str| {
        format!(
            "PATCH /things/1 HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\nauthorization: Bearer {AGENT}\r\n\
             x-app-source-session-id: {session}\r\ncontent-length: 0\r\n\r\n"
        )
    };
    assert_eq!(server.raw(&with("session-1")).await.json()["echo"]["source"], "session-1");
    let foreign = server.raw(&with("session-2")).await;
    assert_eq!((foreign.status, foreign.code().as_str()), (403, "source-session-foreign"));
    server.stop().await;
}

#[tokio::test]
async fn changes_are_finished_when_the_caller_goes_away() {
    let server = Running::start(quick()).await;
    let held = server.ctx.service::<Held>();
    let bytes = request(server.address, "POST", "/hold", Some(CLI), None);
    let stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    stream.writable().await.unwrap();
    assert_eq!(stream.try_write(&bytes).unwrap(), bytes.len());
    held.begun.notified().await;
    drop(stream);
    // Another request makes sure that the server has had its turn since.
    assert_eq!(server.get("/things", CLI).await.status, 200);
    held.go_on.notify_one();
    held.ended.notified().await;
    server.stop().await;
}

#[tokio::test]
async fn a_change_that_ends_with_its_caller_is_let_go_of() {
    struct Tells(Arc<Notify>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let told = (begun.clone(), ended.clone());
    let wait = move |_: Ctx, _: Call, _: NoParams| {
        let (begun, ended) = told.clone();
        async move {
            let _ended = Tells(ended);
            begun.notify_one();
            std::future::pending::<()>().await;
            Ok(Done)
        }
    };
    let mut ops = synthetic_ops();
    ops.push(Op::new("faults.leave", Method::Post, "/leave", CallerSet::PERSON, "Waits.", wait).ends_with_caller());
    let (door, _) = super::door(quick(), Access::Full, ops);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(door.serve(vec![listener], std::future::pending()));
    let bytes = request(address, "POST", "/leave", Some(CLI), None);
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.writable().await.unwrap();
    assert_eq!(stream.try_write(&bytes).unwrap(), bytes.len());
    begun.notified().await;
    drop(stream);
    ended.notified().await;
    serving.abort();
}

#[tokio::test]
async fn shut_down_lets_a_request_end() {
    let server = Running::start(quick()).await;
    let (address, held) = (server.address, server.ctx.service::<Held>());
    let asked = tokio::spawn(async move { send(address, &request(address, "POST", "/hold", Some(CLI), None)).await });
    held.begun.notified().await;
    let stopped = tokio::spawn(server.stop());
    held.go_on.notify_one();
    assert_eq!(asked.await.unwrap().unwrap().status, 204);
    stopped.await.unwrap();
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn only_loopback_is_served_and_names_are_unique() {
    let (door, _) = door(quick(), Access::Full, synthetic_ops());
    let everywhere = TcpListener::bind("0.0.0.0:0").await.unwrap();
    assert!(door.serve(vec![everywhere], async {}).await.is_err());
    let mut ops = synthetic_ops();
    ops.push(ops[0].clone());
    let (door, _) = super::door(quick(), Access::Full, ops);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    assert!(door.serve(vec![listener], async {}).await.is_err());
}

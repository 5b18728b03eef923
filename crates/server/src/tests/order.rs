//! In which order a request is checked: of two mistakes the answer names the one that is looked for first.

use super::*;

/// A request that is right but for what was broken in it.
struct Draft {
    method: &'static str,
    query: String,
    host: &'static str,
    token: Option<&'static str>,
    media: &'static str,
    headers: String,
    body: String,
}

impl Draft {
    fn text(&self) -> String {
        let Draft { method, query, host, media, headers, body, .. } = self;
        let token = self.token.map_or(String::new(), |token| format!("authorization: Bearer {token}\r\n"));
        format!(
            "{method} /things{query} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{token}content-type: {media}\r\n\
             content-length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
    }
}

/// What the answer's code is, and how a request comes to it.
type Mistake = (&'static str, fn(&mut Draft));

/// The order that was decided on (decision 006).
const ORDER: [Mistake; 13] = [
    ("wrong-host", |draft| draft.host = "evil.example"),
    ("foreign-origin", |draft| draft.headers += "origin: http://evil.example\r\n"),
    ("cross-site", |draft| draft.headers += "sec-fetch-site: cross-site\r\n"),
    ("token-in-url", |draft| draft.query = format!("?token={CLI}")),
    ("no-token", |draft| draft.token = None),
    ("wrong-method", |draft| draft.method = "PUT"),
    ("forbidden-caller", |draft| draft.token = Some(MEMBER)),
    ("content-encoded", |draft| draft.headers += "content-encoding: gzip\r\n"),
    ("wrong-content-type", |draft| draft.media = "text/plain"),
    ("too-large", |draft| draft.body = format!("{{\"name\":\"{}\"}}", "x".repeat(2000))),
    ("headers-too-large", |draft| draft.headers += &"x-a: b\r\n".repeat(65)),
    (TOO_MANY, |_| {}),
    ("bad-path", |draft| draft.query = "?name=%ff".into()),
];
/// Comes of the server's limits, not of the request.
const TOO_MANY: &str = "too-many-requests";
/// No request can make both: what no operation takes is open to nobody; and there is one query.
const EXCLUSIVE: [(&str, &str); 2] = [("wrong-method", "forbidden-caller"), ("token-in-url", "bad-path")];

#[tokio::test]
async fn of_two_mistakes_the_earlier_is_answered() {
    let server = Running::start(quick()).await;
    let exhausted = Running::start(Limits { writes_burst: 0.0, writes_per_second: 0.0, ..quick() }).await;
    let mut wrong = Vec::new();
    let mut pairs = 0;
    for (i, (earlier, break_first)) in ORDER.iter().enumerate() {
        for (later, break_second) in &ORDER[i..] {
            if EXCLUSIVE.contains(&(earlier, later)) {
                continue;
            }
            let mut draft = Draft {
                method: "POST",
                query: String::new(),
                host: "HOST",
                token: Some(CLI),
                media: "application/json",
                headers: String::new(),
                body: "{\"name\":\"a\"}".into(),
            };
            // The earlier last: where both are about one part of the request, its own stands.
            break_second(&mut draft);
            if earlier != later {
                break_first(&mut draft);
            }
            let of = if [earlier, later].contains(&&TOO_MANY) { &exhausted } else { &server };
            let answer = of.raw(&draft.text()).await;
            if answer.code() != *earlier {
                wrong.push(format!("{earlier} and {later}: {} {}", answer.status, answer.code()));
            }
            pairs += 1;
        }
    }
    assert_eq!(pairs, ORDER.len() * (ORDER.len() + 1) / 2 - EXCLUSIVE.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    exhausted.stop().await;
    server.stop().await;
}

/// What needs no token is checked for all the rest.
#[tokio::test]
async fn what_is_open_is_guarded_too() {
    let server = Running::start(quick()).await;
    let many = "x-a: b\r\n".repeat(65);
    for path in ["/health", "/app/", "/"] {
        for (query, host, headers, code) in [
            ("?token=x", "evil.example", many.clone(), "wrong-host"),
            ("?token=x", "HOST", format!("origin: null\r\n{many}"), "foreign-origin"),
            ("?token=x", "HOST", format!("sec-fetch-site: cross-site\r\n{many}"), "cross-site"),
            ("?token=x", "HOST", many.clone(), "token-in-url"),
            ("", "HOST", many.clone(), "headers-too-large"),
        ] {
            let text = format!("GET {path}{query} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}\r\n");
            assert_eq!(server.raw(&text).await.code(), code, "{path}");
        }
    }
    server.stop().await;
}

use super::*;
use crate::Access;
use crate::serve::{Passed, Served, pass};
use crate::tests::{AGENT, CLI, OWNER, door, quick, synthetic_ops};
use http::{HeaderValue, Request};
use proptest::prelude::*;
use std::sync::OnceLock;
use tokio::runtime::Runtime;

/// Headers that matter to the guard, with values near to right.
fn header_line() -> impl Strategy<Value = (&'static str, String)> {
    let name = prop::sample::select(vec![
        "host",
        "origin",
        "sec-fetch-site",
        "authorization",
        "cookie",
        "x-forwarded-host",
        "x-api-key",
        "proxy-authorization",
        "x-original-url",
        "content-type",
        "referer",
    ]);
    let value = prop_oneof![
        prop::sample::select(vec![
            "127.0.0.1:19519",
            "localhost:19519",
            "[::1]:19519",
            "http://127.0.0.1:19519",
            "null",
            "same-origin",
            "none",
            "cross-site",
            "Bearer",
            "bearer x",
            "Basic eDp5",
            "evil.example",
            "Bearer ph_cli_",
            "token=x",
        ])
        .prop_map(str::to_owned),
        "(Bearer |bearer )[ -~]{0,40}",
        "[ -~]{0,30}",
    ];
    (name, value)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_headers_stand_for_a_token(
        lines in prop::collection::vec(header_line(), 0..8),
        well_hosted in any::<bool>(),
        path in prop::sample::select(vec!["/things", "/login", "/mcp", "/events", "/health", "/app/", "/?a=b"]),
    ) {
        static SERVER: OnceLock<(Runtime, Served)> = OnceLock::new();
        let (runtime, served) = SERVER.get_or_init(|| {
            let closed = tokio::sync::watch::channel(false).1;
            let served = door(quick(), Access::Full, synthetic_ops()).0.served(vec![19519], closed);
            (tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap(), served)
        });
        let mut request = Request::get(path);
        if well_hosted {
            request = request.header("host", "127.0.0.1:19519");
        }
        for (name, value) in lines {
            let value = HeaderValue::from_str(&value).unwrap();
            prop_assume!(![OWNER, CLI, AGENT].iter().any(|token| value.as_bytes().windows(token.len()).any(|w| w == token.as_bytes())));
            request = request.header(name, value);
        }
        let head = request.body(()).unwrap().into_parts().0;
        if let Ok(Passed::Admitted(admitted)) = runtime.block_on(pass(served, &head)) {
            prop_assert_eq!(admitted.caller.kind, kit::Kind::Public);
            // Whoever got so far came by one of our names and from no other page.
            prop_assert_eq!(head.headers.get_all("host").iter().count(), 1);
            prop_assert!(head.headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin"));
        }
    }
}

#[test]
fn port_80_may_be_left_out() {
    assert!(Hosts::of_ports([80]).has("localhost") && Hosts::of_ports([80]).has("localhost:80"));
    assert!(!Hosts::of_ports([19519]).has("localhost"));
}

#[test]
fn typed_in_addresses_lead_to_pages_only() {
    for (method, path, passes) in [
        ("GET", "/", true),
        ("GET", "/app", true),
        ("HEAD", "/app/boards/1", true),
        ("POST", "/app/", false),
        ("GET", "/application", false),
    ] {
        let request = Request::builder().method(method).uri(path).header("sec-fetch-site", "none").body(()).unwrap();
        assert_eq!(check_fetch_metadata(&request.into_parts().0).is_ok(), passes, "{method} {path}");
    }
}

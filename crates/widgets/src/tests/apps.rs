//! Apps: which addresses are shown, and that no board is read for them.

use super::{ask, board, column};
use crate::widgets::apps::{ADDRESS_BYTES_MAX, app};
use serde_json::{Value, json};

#[test]
fn an_address_is_read_as_browsers_read_it() {
    for (text, address, origin, is_local) in [
        ("https://apps.example", "https://apps.example/", "https://apps.example", false),
        ("HTTPS://Apps.Example:443/A?b=C#d", "https://apps.example/A?b=C#d", "https://apps.example", false),
        ("https://apps.example:8443?x=/@", "https://apps.example:8443/?x=/@", "https://apps.example:8443", false),
        ("https://10.0.0.7/x", "https://10.0.0.7/x", "https://10.0.0.7", false),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example", false),
        ("http://localhost:3000/a", "http://localhost:3000/a", "http://localhost:3000", true),
        ("http://127.0.0.1:80", "http://127.0.0.1/", "http://127.0.0.1", true),
    ] {
        let read = app(text).expect(text);
        assert_eq!((&*read.address, &*read.origin, read.is_local), (address, origin, is_local), "{text}");
        assert_eq!(app(&read.address), Ok(read.clone()), "{text}");
    }
}

#[test]
fn what_is_no_address_of_a_page_is_refused_and_not_repeated() {
    let long = format!("https://apps.example/{}", "a".repeat(10_000));
    let wrong = [
        "",
        "apps.example",
        "//apps.example/",
        "javascript:alert(1)",
        "JavaScript://apps.example/%0aalert(1)",
        "data:text/html,<b>",
        "data://apps.example",
        "file:///etc/passwd",
        "blob:https://apps.example/1",
        "about:blank",
        "http://apps.example/",
        "http://10.0.0.7/",
        "http://localhost.apps.example/",
        "http://127.0.0.1.apps.example/",
        "https://anna:secret@apps.example/",
        "https://anna@apps.example/",
        "https://localhost:3000@apps.example/",
        "https://",
        "https:///x",
        "https://.example/",
        "https://apps..example/",
        "https://apps.example./",
        "https://-apps.example/",
        "https://apps_one.example/",
        "https://*.example/",
        "https://bücher.example/",
        "https://0x7f.1/",
        "https://127.1/",
        "https://256.1.1.1/",
        "https://[fe80::1]/",
        "http://[::1]:9/",
        "https://[::1]",
        "https://[::1",
        "https://apps.example:0/",
        "https://apps.example:65536/",
        "https://apps.example:/",
        "https://apps.example:80a/",
        "https://apps.example\\@b.example/",
        "https://apps.example/ a",
        " https://apps.example/",
        "https://apps.example/\n",
        "https://apps.example/\"><script>",
        "https://apps.example; script-src *",
        "https://apps.example;script-src",
        "https://apps.example,b.example/",
        "https://apps.example'/",
        &long,
    ];
    for text in wrong {
        let why = app(text).expect_err(text);
        assert!(why.len() < 100 && !why.contains("secret") && !why.contains("alert"), "{text}: {why}");
    }
    assert!(app(&format!("https://a.example/{}", "a".repeat(ADDRESS_BYTES_MAX - 18))).is_ok());
}

#[test]
fn an_app_reads_no_board() {
    let boards = [board("a", vec![column("s", "Status", "status", json!({}))], &[json!({}), json!({})])];
    let rule = json!({"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "sounds like", "value": "x"});
    let filters = json!({"v": 1, "people": {"ids": ["m1"]}, "all": [rule]});
    let widget = json!({"id": "w", "kind": "apps", "address": "https://apps.example/a", "boards": ["gone"]});
    let nothing = json!({"boardsUsed": 0, "boardsTotal": 0, "itemsUsed": 0, "itemsSkipped": 0, "itemsTotal": 0, "skippedWhy": [], "inertRules": [], "reach": []});
    for boards in [&boards[..], &[]] {
        let answer = ask(boards, filters.clone(), widget.clone());
        assert_eq!(answer["state"], json!({"name": "ok"}));
        let result = json!({"address": "https://apps.example/a", "origin": "https://apps.example", "isLocal": false});
        assert_eq!(answer["result"], result);
        assert_eq!((&answer["coverage"], &answer["roles"]), (&nothing, &json!([])));
        assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(false), &json!([])));
    }
    for (wrong, why) in [
        (json!({}), "`address` is missing"),
        (json!({"address": 5}), "expected a text, got 5"),
        (json!({"address": null}), "expected a text, got null"),
        (json!({"address": "data:,x"}), "the address must begin with https://"),
    ] {
        let mut widget = wrong.clone();
        widget["kind"] = "apps".into();
        let answer = ask(&boards, filters.clone(), widget);
        assert_eq!((&answer["state"]["name"], answer.get("result")), (&json!("error"), None::<&Value>), "{wrong}");
        assert_eq!(answer["state"]["message"], why, "{wrong}");
        assert_eq!(answer["coverage"], nothing, "{wrong}");
    }
}

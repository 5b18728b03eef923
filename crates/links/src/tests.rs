use crate::list::Link;
use crate::tree::{Node, Tree};
use crate::{ADDRESS_CHARS_MAX, Reach};
use proptest::prelude::*;

fn is_accepted(reach: Reach, address: &str) -> bool {
    reach.expect(address, "/address").is_ok()
}

#[test]
fn only_web_addresses_and_pages_are_accepted() {
    for good in [
        "https://example.com",
        "http://localhost:3000/a?b=c#d",
        "HTTPS://meet.example/abc",
        "https://[::1]/x",
        " https://example.com/ ",
        "https://例え.jp/ä",
    ] {
        assert!(is_accepted(Reach::Web, good), "{good}");
    }
    for page in ["/app", "/app/inbox", "/app/boards/1?view=2", "/app?x"] {
        assert!(is_accepted(Reach::WebAndPages, page) && !is_accepted(Reach::Web, page), "{page}");
    }
    let long = format!("https://example.com/{}", "a".repeat(ADDRESS_CHARS_MAX));
    for bad in [
        "",
        "example.com",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\nscript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "vbscript:x",
        "calc.exe",
        "ftp://example.com",
        "https://",
        "https:///",
        "http:example.com",
        "//example.com",
        "https://exa mple.com",
        "https://user:password@example.com",
        "https://google.com@example.com",
        "https://example.com\u{202e}",
        "https://example.com\u{0}",
        "/application",
        "/settings",
        "/app/../health",
        "/app/%2E%2e/health",
        "/app//example.com",
        "/app/\\example.com",
        "/app/x#code=1",
        "/app/a%2f..",
        &long,
    ] {
        assert!(!is_accepted(Reach::WebAndPages, bad), "{bad}");
    }
}

fn link(id: &str, folder: Option<&str>, is_folder: bool) -> Link {
    Link {
        id: id.into(),
        folder: folder.map(str::to_owned),
        name: id.into(),
        address: (!is_folder).then(|| "https://example.com".into()),
        note: String::new(),
        used_ms: 0,
        created_ms: 0,
        changed_ms: 0,
    }
}

fn ids(tree: &Tree) -> String {
    tree.live().into_iter().map(|link| link.id.as_str()).collect::<Vec<_>>().join(" ")
}

fn abc() -> Tree {
    let mut tree = Tree::default();
    for (id, folder, is_folder) in
        [("a", None, false), ("f", None, true), ("b", Some("f"), false), ("c", Some("f"), false)]
    {
        tree.add(link(id, folder, is_folder));
        tree.place(id, folder, None);
    }
    tree
}

#[test]
fn a_link_goes_before_another_one_or_to_the_end() {
    let mut tree = abc();
    assert_eq!(ids(&tree), "a f b c");
    tree.place("c", Some("f"), Some("b"));
    assert_eq!(ids(&tree), "a f c b");
    tree.place("a", Some("f"), Some("b"));
    assert_eq!(ids(&tree), "f c a b");
    tree.place("b", None, Some("f"));
    assert_eq!(ids(&tree), "b f c a");
    assert_eq!((tree.depth(Some("f")), tree.height("f"), tree.height("b")), (1, 1, 0));
}

#[test]
fn deleted_links_expire_by_age_and_by_number() {
    let node = |id: &str, folder, deleted_ms| Node { link: link(id, folder, true), position: 0, deleted_ms };
    let tree =
        Tree::new(vec![node("old", None, 5), node("in", Some("old"), 0), node("new", None, 20), node("live", None, 0)]);
    let dropped = |before_ms, most| {
        let mut ids: Vec<_> = tree.expired(before_ms, most).into_iter().collect();
        ids.sort();
        ids.join(" ")
    };
    assert_eq!((dropped(0, 9), dropped(10, 9), dropped(0, 2)), ("".into(), "in old".into(), "in old".into()));
}

proptest! {
    /// Moves by two callers in any order lose no link and duplicate none.
    #[test]
    fn moves_lose_nothing(moves in prop::collection::vec((0..4_usize, 0..5_usize, any::<bool>()), 0..30)) {
        let names = ["a", "f", "b", "c"];
        let mut tree = abc();
        for (who, before, in_folder) in moves {
            let (id, before) = (names[who], names.get(before).copied().filter(|before| *before != names[who]));
            let folder = (in_folder && id != "f").then_some("f");
            let before = before.filter(|before| tree.node(before).unwrap().link.folder.as_deref() == folder);
            tree.place(id, folder, before);
            let order: Vec<_> = tree.live().into_iter().map(|link| link.id.clone()).collect();
            let mut sorted = order.clone();
            sorted.sort();
            prop_assert_eq!(sorted, ["a", "b", "c", "f"]);
            if let Some(before) = before {
                let at = |name: &str| order.iter().position(|one| one == name).unwrap();
                prop_assert!(at(id) < at(before));
            }
        }
    }
}

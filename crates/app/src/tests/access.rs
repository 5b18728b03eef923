//! Every operation against every kind of caller, over the wire.

use super::isolation::{off_by_default, turn_on};
use super::{owner, program, serve};
use crate::features;
use kit::Kind;
use serde_json::{Value, json};
use server::testing::check_access;
use std::collections::{BTreeMap, BTreeSet};
use testkit::Program;

/// A session that goes on, for which tokens can be made.
pub(super) async fn session_of(program: &Program) -> String {
    let session = json!({"engine": "practice", "prompt": "practice: wait 600"});
    made(program, "sessions.create", session).await["id"].as_str().expect("an id").to_owned()
}

pub(super) async fn made(program: &Program, op: &str, input: Value) -> Value {
    owner(program, op, input).await.unwrap_or_else(|e| panic!("{op}: {e}"))
}

#[tokio::test]
async fn an_operation_is_open_to_whom_its_row_names_alone() {
    let program = program().await;
    let address = serve(&program).await;
    let scopes: BTreeSet<&str> = features::ops().iter().flat_map(|op| op.scopes()).collect();
    let member = made(&program, "members.create", json!({"name": "Ada"})).await;
    let token = async |input: Value| {
        made(&program, "tokens.create", input).await["token"].as_str().expect("a token").to_owned()
    };
    let id = session_of(&program).await;
    let session =
        async |scopes: Value| token(json!({"kind": "agent", "name": "a", "sessionId": id, "scopes": scopes})).await;
    let mut of_scopes = BTreeMap::new();
    for all in features::ops().iter().map(|op| op.scope).filter(|all| !all.is_empty()).chain(scopes.iter().copied()) {
        let its: Vec<&str> = all.split_whitespace().collect();
        let others: Vec<_> = scopes.iter().filter(|other| !its.contains(other)).collect();
        if !of_scopes.contains_key(all) {
            of_scopes.insert(all, (session(json!(others)).await, session(json!(its)).await));
        }
    }
    let tokens = server::testing::Tokens {
        of_kinds: vec![
            (
                Kind::Owner,
                made(&program, "account.add", json!({"name": "Other"})).await["token"]
                    .as_str()
                    .expect("a token")
                    .to_owned(),
            ),
            (Kind::Cli, std::fs::read_to_string(program.dir().join("cli-token")).expect("the file").trim().to_owned()),
            (Kind::Agent, session(json!(scopes)).await),
            (Kind::Member, token(json!({"kind": "member", "name": "m", "memberId": member["id"]})).await),
        ],
        of_scopes,
    };
    for key in off_by_default() {
        made(&program, "settings.set", json!({"key": key, "value": true})).await;
    }
    turn_on(address, &tokens.of_kinds[0].1).await;
    let open = check_access(address, &features::ops(), &tokens).await.expect("the program answers");
    assert!(open.is_empty(), "open or shut to the wrong callers:\n{}", open.join("\n"));
}

#[test]
fn what_sessions_may_do_needs_a_scope() {
    // Reading the description of the interface and speaking MCP (whose tools each pass the door again) need none, and
    // restarting has a setting of its own.
    let open = ["openapi.get", "mcp.message", "login.exchange", "app.restart"];
    for op in features::ops() {
        let free = op.callers.has(Kind::Agent) && op.scope.is_empty() && !open.contains(&op.name);
        assert!(!free, "{} is open to sessions without a scope: give its row one", op.name);
    }
}

/// Operations whose answer has `items` among other things and is no list to be read in pages.
const WHOLE: [&str; 14] = [
    // All of a span of time.
    "agenda",
    "calendar.agenda",
    "calendar.free",
    "calendar.events.list",
    // A team fits on a page.
    "team.get",
    "boards.full",
    "boards.changed",
    "boards.export",
    "boards.formulas.preview",
    "engines.list",
    "sessions.search",
    // The best matches only: more words find others.
    "boards.items.find",
    "hubs.files",
    "sessions.find",
];

#[test]
fn every_list_is_read_in_pages() {
    let document = server::openapi(&features::ops(), &features::codes());
    let mut lists = 0;
    for op in features::ops().iter().filter(|op| op.method.reads() && !WHOLE.contains(&op.name)) {
        let operation = &document["paths"][op.path]["get"];
        let mut answer = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        if let Some(target) = answer["$ref"].as_str() {
            answer = document.pointer(target.trim_start_matches('#')).expect("it leads somewhere");
        }
        if answer["properties"].get("items").is_none() {
            continue;
        }
        lists += 1;
        let members = operation["parameters"].as_array().into_iter().flatten().map(|member| &member["name"]);
        let takes_both = ["limit", "cursor"].iter().all(|name| members.clone().any(|member| member == name));
        let says_more = answer["properties"].get("nextCursor").is_some();
        assert!(takes_both && says_more, "{} is a list: take kit::Part, answer kit::Page", op.name);
    }
    assert!(lists > 10, "{lists}");
}

#[test]
fn rows_are_well_formed() {
    let ops = features::ops();
    let mut names = BTreeSet::new();
    let mut routes = BTreeSet::new();
    for op in &ops {
        assert!(names.insert(op.name), "two operations are called {}", op.name);
        assert!(routes.insert((op.method, op.path)), "two operations are at {} {}", op.method.name(), op.path);
        assert!(op.doc.starts_with(char::is_uppercase) && op.doc.ends_with('.'), "{}: its doc is no sentence", op.name);
        let schema = op.input_schema();
        for param in op.path_params() {
            assert!(
                schema["properties"].get(param).is_some(),
                "{}: {{{param}}} of its path is no member of its input",
                op.name
            );
        }
    }
    let codes = features::codes();
    assert_eq!(codes.iter().map(|code| code.name).collect::<BTreeSet<_>>().len(), codes.len(), "every error code once");
    let mut names: BTreeSet<_> = codes.iter().map(|code| code.name).collect();
    for fault in features::faults().iter().chain(cli::FAULTS) {
        assert!(names.insert(fault.name()), "{} is declared twice, or is the code of a whole answer", fault.name());
        assert!(
            fault.doc().starts_with(char::is_uppercase) && fault.doc().ends_with('.'),
            "{}: no sentence",
            fault.name()
        );
    }
}

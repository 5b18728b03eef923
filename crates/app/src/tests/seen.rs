//! What a caller may see of sessions: one rule over records, lists, boards, dashboards, events, and errors.

use super::isolation::{account, exchange, own_input};
use super::{program, serve};
use crate::features;
use kit::{Kind, Op};
use serde_json::{Value, json};
use server::testing::Answer;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use testkit::Program;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const FOREIGN_TITLE: &str = "A title that is somebody's alone";
const OWN_TITLE: &str = "A title of the agent's own";

/// An account with sessions, of which one has a token with every scope.
struct World {
    program: Program,
    address: SocketAddr,
    owner: String,
    agent: String,
    member: String,
    own: Value,
    /// The session of the agent.
    mine: String,
    /// The ids of all others.
    foreign: Vec<String>,
}

fn op(name: &str) -> Op {
    features::ops().into_iter().find(|op| op.name == name).expect("an operation")
}

impl World {
    async fn new() -> World {
        let program = program().await;
        let address = serve(&program).await;
        let (owner, own) = account(&program, address, "first", 0).await;
        let mine = own["idleSessionId"].as_str().expect("an id").to_owned();
        let scopes: BTreeSet<&str> = features::ops().iter().flat_map(|op| op.scopes()).collect();
        let world = World {
            agent: String::new(),
            member: String::new(),
            foreign: Vec::new(),
            program,
            address,
            owner,
            own,
            mine,
        };
        let token = async |input: Value| {
            let answer = world.ask("tokens.create", &world.owner, &input).await;
            answer.json()["token"].as_str().expect("a token").to_owned()
        };
        let agent = token(json!({"kind": "agent", "name": "a", "sessionId": world.mine, "scopes": scopes})).await;
        let member = token(json!({"kind": "member", "name": "m", "memberId": world.own["memberId"]})).await;
        let all = world.ask("sessions.list", &world.owner, &json!({"limit": 10_000})).await.json();
        let ids = all["items"].as_array().expect("a list").iter().map(|one| one["id"].as_str().expect("an id"));
        let foreign: Vec<String> = ids.filter(|id| *id != world.mine).map(str::to_owned).collect();
        assert!(foreign.len() > 5, "{foreign:?}");
        for session in foreign.iter().chain([&world.mine]) {
            let title = if *session == world.mine { OWN_TITLE } else { FOREIGN_TITLE };
            let changed =
                world.ask("sessions.change", &world.owner, &json!({"sessionId": session, "title": title})).await;
            assert_eq!(changed.status, 200, "{session}");
        }
        let connect = json!({"dashboardId": world.own["dashboardId"], "config": {"boardIds": ["agent-sessions", world.own["boardId"]],
            "widgets": [{"id": world.own["widgetId"], "kind": "numbers", "layout": {"x": 0, "y": 0, "w": 3, "h": 3},
                "settings": {"function": "count"}}]}});
        assert_eq!(world.ask("dashboards.update", &world.owner, &connect).await.status, 200);
        World { agent, member, foreign, ..world }
    }

    async fn ask(&self, name: &str, token: &str, input: &Value) -> Answer {
        exchange(self.address, &op(name), token, input).await
    }

    fn expect_nothing_foreign(&self, what: &str, text: &str) {
        assert!(!text.contains(FOREIGN_TITLE), "{what} tells the title of another session: {text}");
        let id = self.foreign.iter().find(|id| text.contains(id.as_str()));
        assert!(id.is_none(), "{what} tells the id of another session: {text}");
    }
}

#[tokio::test]
async fn no_operation_tells_agents_or_members_of_sessions_that_they_do_not_see() {
    let world = World::new().await;
    let mut tried = 0;
    for (kind, token) in [(Kind::Agent, &world.agent), (Kind::Member, &world.member)] {
        // What is streamed has no end, and is read below.
        let reads = features::ops().into_iter().filter(|op| op.callers.has(kind) && op.method.reads());
        for read in reads.filter(|op| !op.name.ends_with(".stream")) {
            let input = own_input(read.name, &world.own);
            if read.path_params().any(|param| input.get(param).is_none()) {
                continue;
            }
            let answer = exchange(world.address, &read, token, &input).await;
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            world.expect_nothing_foreign(&format!("{} as {}", read.name, kind.name()), &text);
            tried += 1;
        }
        for read in ["boards.get", "boards.full", "dashboards.items", "dashboards.show"] {
            let mut input = json!({"boardId": "agent-sessions"});
            if read.starts_with("dashboards") {
                input = json!({"dashboardId": world.own["dashboardId"], "widgetId": world.own["widgetId"]});
            }
            let answer = world.ask(read, token, &input).await;
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            world.expect_nothing_foreign(&format!("{read} of sessions as {}", kind.name()), &text);
        }
    }
    assert!(tried > 60, "{tried}");
    // What it may see is there: otherwise nothing was proved above.
    let board = world.ask("boards.full", &world.agent, &json!({"boardId": "agent-sessions"})).await;
    assert!(String::from_utf8_lossy(&board.body).contains(OWN_TITLE));
    let board = world.ask("boards.full", &world.owner, &json!({"boardId": "agent-sessions"})).await;
    assert!(String::from_utf8_lossy(&board.body).contains(FOREIGN_TITLE));
    // To a member there is no such board, as there is none of an unknown id.
    let [sessions, unknown] = ["agent-sessions", "nothing"].map(|id| json!({"boardId": id}));
    let answers = [
        world.ask("boards.full", &world.member, &sessions).await,
        world.ask("boards.full", &world.member, &unknown).await,
    ];
    assert_eq!((answers[0].status, &answers[0].body), (404, &answers[1].body));
}

#[tokio::test]
async fn a_member_sees_the_sessions_of_a_dashboard_that_it_is_invited_to() {
    let world = World::new().await;
    let items = json!({"dashboardId": world.own["dashboardId"], "widgetId": world.own["widgetId"]});
    // Somebody else is invited: to this member there is no such dashboard.
    assert_eq!(world.ask("dashboards.items", &world.member, &items).await.status, 404);
    let invite = json!({"dashboardId": world.own["dashboardId"], "memberId": world.own["memberId"], "role": "viewer"});
    assert_eq!(world.ask("dashboards.members.put", &world.owner, &invite).await.status, 200);
    let seen = world.ask("dashboards.items", &world.member, &items).await;
    assert!(String::from_utf8_lossy(&seen.body).contains(FOREIGN_TITLE), "{}", String::from_utf8_lossy(&seen.body));
}

#[tokio::test]
async fn a_foreign_session_is_to_an_agent_one_that_does_not_exist() {
    let world = World::new().await;
    let mut tried = 0;
    let of_sessions = features::ops()
        .into_iter()
        .filter(|op| op.callers.has(Kind::Agent) && op.path.contains("{sessionId}") && !op.path.contains("{askId}"));
    for one in of_sessions {
        let of = |session: &str| {
            let mut input = own_input(one.name, &world.own);
            input["sessionId"] = session.into();
            input
        };
        let unknown = exchange(world.address, &one, &world.agent, &of("nothing")).await;
        let foreign = exchange(world.address, &one, &world.agent, &of(&world.foreign[0])).await;
        assert_eq!((unknown.status, unknown.code().as_str()), (404, "not-found"), "{}", one.name);
        assert_eq!((foreign.status, &foreign.body), (404, &unknown.body), "{}", one.name);
        tried += 1;
    }
    assert!(tried >= 6, "{tried}");
}

#[tokio::test]
async fn events_name_no_foreign_session() {
    let world = World::new().await;
    for (token, closing) in [(&world.agent, "session-changed"), (&world.member, "item-assigned")] {
        let mut stream = TcpStream::connect(world.address).await.expect("it listens");
        let head = format!("GET /events HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\r\n", world.address);
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut heard = String::new();
        let mut until = async |text: &str, heard: &mut String| {
            while !heard.contains(text) {
                let mut piece = [0; 4096];
                let count = stream.read(&mut piece).await.expect("it goes on");
                assert!(count > 0, "{heard}");
                heard.push_str(&String::from_utf8_lossy(&piece[..count]));
            }
        };
        until("retry: 1000", &mut heard).await;
        // Another session changes, alerts, and works on a board.
        let other = &world.foreign[0];
        let scopes = json!(["boards:write", "boards:read", "alert:write"]);
        let input = json!({"kind": "agent", "name": "b", "sessionId": other, "scopes": scopes});
        let its = world.ask("tokens.create", &world.owner, &input).await.json()["token"].as_str().unwrap().to_owned();
        let rename = json!({"sessionId": other, "title": format!("{FOREIGN_TITLE} {closing}")});
        assert_eq!(world.ask("sessions.change", &world.owner, &rename).await.status, 200);
        assert_eq!(world.ask("inbox.alert", &its, &json!({"title": FOREIGN_TITLE})).await.status, 201);
        let of_cell = |value: Value| {
            json!({"boardId": world.own["boardId"], "itemId": world.own["itemId"], "columnId": world.own["peopleId"],
                "value": value})
        };
        assert_eq!(world.ask("boards.cell", &world.owner, &of_cell(json!([]))).await.status, 200);
        let set = world.ask("boards.cell", &its, &of_cell(json!([world.own["memberId"]]))).await;
        assert_eq!(set.status, 200, "{}", String::from_utf8_lossy(&set.body));
        // Its own session changes last, which it hears.
        let rename = json!({"sessionId": world.mine, "title": format!("{OWN_TITLE} {closing}")});
        assert_eq!(world.ask("sessions.change", &world.owner, &rename).await.status, 200);
        until(closing, &mut heard).await;
        world.expect_nothing_foreign("the stream of events", &heard);
    }
    drop(world.program);
}

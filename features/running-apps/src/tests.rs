//! Apps with real processes, through the operations and the proxy. The apps are this test program itself.

use events::{Event, HasEvents};
use futures_core::future::BoxFuture;
use futures_util::StreamExt;
use kit::lookup::{FindFolders, HubFolder, WorkFolder, WorkFolders};
use kit::{Body, Call, Caller, Ctx, Kind, Result};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

/// Does nothing, unless an app's command runs it: then it listens on PORT, or on another port where it is told to ignore PORT.
#[test]
fn listens_when_it_is_started_as_an_app() {
    if std::env::var_os("PILOTHOUSE_APP_ID").is_none() {
        return;
    }
    let port = match std::env::var("IGNORE_PORT") {
        Ok(_) => "0".to_owned(),
        Err(_) => std::env::var("PORT").expect("an app has a port"),
    };
    let host = std::env::var("HOST").expect("an app has a host");
    let listener = TcpListener::bind(format!("{host}:{port}")).expect("the port is free");
    println!("ready");
    for stream in listener.incoming() {
        let mut stream = stream.expect("a connection");
        let mut head = [0; 4096];
        let length = stream.read(&mut head).expect("a request");
        let head = String::from_utf8_lossy(&head[..length]).into_owned();
        if head.starts_with("GET /exit ") {
            println!("giving up");
            std::process::exit(3);
        }
        let answer = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{head}", head.len());
        let _ = stream.write_all(answer.as_bytes());
    }
}

/// The command of such an app.
fn server() -> Vec<String> {
    let own = std::env::current_exe().expect("this program").into_os_string().into_string().expect("a path");
    [&own, "--exact", "tests::listens_when_it_is_started_as_an_app", "--nocapture"].map(str::to_owned).to_vec()
}

/// In the place of sessions: the hub `here` and a session in it, a hub `gone` without its folder, and a session elsewhere.
struct Folders(PathBuf);

fn ready<T: Send + 'static>(value: T) -> BoxFuture<'static, Result<T>> {
    Box::pin(std::future::ready(Ok(value)))
}

impl FindFolders for Folders {
    fn of_session(&self, account: &str, session: &str) -> BoxFuture<'static, Result<Option<WorkFolder>>> {
        let path = self.0.to_str().unwrap().to_owned();
        let hub = (session == "in-here").then(|| "here".to_owned());
        ready((account == ACCOUNT && session.starts_with("in-")).then_some(WorkFolder { path, hub }))
    }
    fn of_hub(&self, _: &str, hub: &str) -> BoxFuture<'static, Result<Option<WorkFolder>>> {
        let path = match hub {
            "here" => self.0.to_str().unwrap().to_owned(),
            "gone" => "/nowhere/at/all".to_owned(),
            _ => return ready(None),
        };
        ready(Some(WorkFolder { path, hub: Some(hub.to_owned()) }))
    }
    fn hubs(&self) -> BoxFuture<'static, Result<Vec<HubFolder>>> {
        let path = self.0.to_str().unwrap().to_owned();
        ready(vec![HubFolder { account: ACCOUNT.into(), id: "here".into(), name: "Here".into(), path }])
    }
}

struct Place {
    program: Program,
    folder: TempDir,
}

impl Place {
    async fn start() -> Place {
        let program = Program::start(|| vec![crate::feature()]).await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        program.ctx.provide(Arc::new(WorkFolders(Box::new(Folders(path)))));
        crate::serve(&program.ctx, 0, std::future::pending()).await;
        Place { program, folder }
    }

    fn ctx(&self) -> &Ctx {
        &self.program.ctx
    }

    async fn owner(&self, op: &str, input: Value) -> Result<Value> {
        self.program.owner(op, input).await
    }

    async fn run(&self, name: &str, command: Value) -> Result<Value> {
        let mut input = json!({"name": name, "hubId": "here"});
        let member = if command.is_array() { "command" } else { "commandLine" };
        input[member] = command;
        self.owner("apps.start", input).await
    }

    async fn get(&self, app: &Value) -> Value {
        self.owner("apps.get", json!({"appId": app["id"]})).await.unwrap()
    }

    /// Waits until the app is in a state, as a page does: by events.
    async fn until(&self, app: &Value, state: &str) -> Value {
        let (_, mut news) = self.ctx().events().listen(None);
        loop {
            let now = self.get(app).await;
            if now["state"] == state {
                return now;
            }
            while news.recv().await.expect("an event").event != Event::AppsChanged {}
        }
    }

    /// Waits until the app wrote a line.
    async fn until_line(&self, app: &Value, line: &str) {
        let call = Call::new(Caller::new(Kind::Owner, ACCOUNT, "test"));
        let reply = self.program.call(call, "apps.follow", json!({"appId": app["id"]})).await.unwrap();
        let Body::Stream(mut pieces) = reply.body else { panic!("a stream") };
        let mut text = String::new();
        while !text.contains(&format!("data: {}\n", json!(line))) {
            text += std::str::from_utf8(&pieces.next().await.expect("a line").unwrap()).unwrap();
        }
    }

    /// One request through the proxy.
    async fn fetch(&self, app: &Value, path: &str) -> String {
        let url = app["url"].as_str().unwrap().to_owned();
        let (host, port) = url.strip_prefix("http://").unwrap().trim_end_matches('/').split_once(':').unwrap();
        let (host, port, path) = (host.to_owned(), port.parse::<u16>().unwrap(), path.to_owned());
        let exchange = move || {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let request = format!("GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer);
            answer
        };
        tokio::task::spawn_blocking(exchange).await.unwrap()
    }

    async fn end(self) {
        (crate::feature().stop)(self.ctx().clone()).await;
    }
}

fn is_alive(pid: &Value) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !matches!(rest.trim_start().as_bytes().first(), Some(b'Z' | b'X')))
}

fn agent(session: &str, scopes: &[&str]) -> Caller {
    let mut caller = Caller::new(Kind::Agent, ACCOUNT, "test");
    caller.session = Some(session.into());
    caller.scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    caller
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_listed_reached_restarted_stopped_and_removed() {
    let place = Place::start().await;
    let made = place.run("web", json!(server())).await.unwrap();
    assert_eq!((&made["name"], &made["state"], &made["hubId"]), (&json!("web"), &json!("starting"), &json!("here")));
    let up = place.until(&made, "up").await;
    assert_eq!(up["listensOn"], up["port"]);
    assert_eq!(up["uptimeSeconds"], 0);
    assert!(up["url"].as_str().unwrap().starts_with("http://web.localhost:"));
    place.program.clock.advance_ms(5_000);
    assert_eq!(place.owner("apps.list", json!({})).await.unwrap()["items"][0]["uptimeSeconds"], 5);
    let answer = place.fetch(&up, "/a").await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("GET /a HTTP/1.1"), "{answer}");
    place.until_line(&made, "ready").await;
    let restarted = place.owner("apps.restart", json!({"appId": made["id"]})).await.unwrap();
    assert_ne!(restarted["pid"], up["pid"]);
    assert!(!is_alive(&up["pid"]));
    let again = place.until(&made, "up").await;
    assert_eq!((&again["url"], &again["id"]), (&up["url"], &up["id"]));
    assert!(place.fetch(&again, "/b").await.contains("GET /b"));
    let stopped = place.owner("apps.stop", json!({"appId": made["id"]})).await.unwrap();
    assert_eq!(
        (&stopped["state"], &stopped["wasStopped"], &stopped["pid"]),
        (&json!("ended"), &json!(true), &Value::Null)
    );
    assert!(!is_alive(&again["pid"]));
    place.owner("apps.remove", json!({"appId": made["id"]})).await.unwrap();
    refused(place.owner("apps.get", json!({"appId": made["id"]})).await, "not-found");
    assert!(place.fetch(&up, "/").await.starts_with("HTTP/1.1 404 "));
    place.end().await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_ignores_its_port_is_found() {
    let place = Place::start().await;
    let line = format!("IGNORE_PORT=1 {}", server().join(" "));
    let made = place.run("web", json!(line)).await.unwrap();
    let up = place.until(&made, "up").await;
    assert_ne!(up["listensOn"], up["port"]);
    assert!(place.fetch(&up, "/a").await.contains("GET /a"));
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_ended_says_why_and_gives_its_name_away() {
    let place = Place::start().await;
    let made = place.run("web", json!(server())).await.unwrap();
    let up = place.until(&made, "up").await;
    place.fetch(&up, "/exit").await;
    let ended = place.until(&made, "ended").await;
    assert_eq!((&ended["exitCode"], &ended["wasStopped"]), (&json!(3), &json!(false)));
    let page = place.fetch(&up, "/").await;
    assert!(page.starts_with("HTTP/1.1 502 ") && page.contains("Exit code: 3") && page.contains("giving up"), "{page}");
    let log = place.owner("apps.logs", json!({"appId": made["id"], "lines": 1})).await.unwrap();
    assert_eq!(log["lines"], json!(["giving up"]));
    let next = place.run("web", json!("echo oops; exit 9")).await.unwrap();
    assert_eq!(place.until(&next, "ended").await["exitCode"], 9);
    assert_eq!(place.owner("apps.list", json!({})).await.unwrap()["items"].as_array().unwrap().len(), 1);
    let slow = place.run("slow", json!(["sleep", "1000"])).await.unwrap();
    let page = place.fetch(&slow, "/").await;
    assert!(page.starts_with("HTTP/1.1 503 ") && page.contains("slow is starting"), "{page}");
    place.end().await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn everything_that_an_app_started_ends_with_it_and_with_the_program() {
    let place = Place::start().await;
    let line = "setsid sh -c 'trap \"\" TERM HUP; echo pid=$$; exec sleep 1000' & exec sleep 1000";
    let mut pids = Vec::new();
    let mut made = Vec::new();
    for name in ["one", "two"] {
        let app = place.run(name, json!(line)).await.unwrap();
        let inner = loop {
            let log = place.owner("apps.logs", json!({"appId": app["id"]})).await.unwrap();
            if let Some(pid) = log["lines"][0].as_str().and_then(|line| line.strip_prefix("pid=")) {
                break pid.parse::<u32>().unwrap();
            }
            tokio::task::yield_now().await;
        };
        pids.push([app["pid"].clone(), inner.into()]);
        made.push(app);
    }
    assert!(pids.iter().flatten().all(is_alive));
    place.owner("apps.stop", json!({"appId": made[0]["id"]})).await.unwrap();
    assert!(!pids[0].iter().any(is_alive) && pids[1].iter().all(is_alive));
    place.end().await;
    assert!(!pids[1].iter().any(is_alive));
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_is_explained() {
    let place = Place::start().await;
    let bad = refused(place.run("My App", json!("true")).await, "invalid-input");
    assert!(bad.detail().contains("such as my-app"), "{}", bad.detail());
    let made = place.run("web", json!(["sleep", "1000"])).await.unwrap();
    let taken = refused(place.run("web", json!("true")).await, "app-name-taken");
    assert!(taken.detail().contains("pilothouse apps stop web"), "{}", taken.detail());
    let missing = refused(place.run("other", json!(["no-such-program-anywhere"])).await, "app-start");
    assert!(missing.detail().contains("no-such-program-anywhere isn't installed"), "{}", missing.detail());
    for (more, code) in [
        (json!({"hubId": "gone", "commandLine": "true"}), "app-folder"),
        (json!({"folder": "relative", "commandLine": "true"}), "app-folder"),
        (json!({"hubId": "other", "commandLine": "true"}), "named-not-found"),
        (json!({"commandLine": "true"}), "invalid-input"),
        (json!({"hubId": "here", "folder": "/", "commandLine": "true"}), "invalid-input"),
        (json!({"hubId": "here"}), "invalid-input"),
        (json!({"hubId": "here", "commandLine": " "}), "invalid-input"),
        (json!({"hubId": "here", "command": []}), "invalid-input"),
        (json!({"hubId": "here", "command": ["a\0b"]}), "invalid-input"),
        (json!({"hubId": "here", "command": ["true"], "commandLine": "true"}), "invalid-input"),
    ] {
        let mut input = json!({"name": "new"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        refused(place.owner("apps.start", input).await, code);
    }
    refused(place.owner("apps.logs", json!({"appId": made["id"], "lines": 1001})).await, "invalid-input");
    place.end().await;
}

fn make_worktree(main: &Path, branch: &str) -> PathBuf {
    let (git_dir, tree) = (main.join(".git/worktrees/tree"), main.join("../tree"));
    std::fs::create_dir_all(&git_dir).unwrap();
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::write(git_dir.join("commondir"), "../..\n").unwrap();
    std::fs::write(git_dir.join("HEAD"), format!("ref: refs/heads/{branch}\n")).unwrap();
    std::fs::write(tree.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
    tree.canonicalize().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worktree_has_its_branch_before_the_name() {
    let place = Place::start().await;
    let main = place.folder.path().join("main");
    std::fs::create_dir_all(&main).unwrap();
    let tree = make_worktree(&main, "fix/Login");
    let in_folder = |folder: &Path| json!({"name": "web", "command": ["sleep", "1000"], "folder": folder});
    let own = place.owner("apps.start", in_folder(&main)).await.unwrap();
    let other = place.owner("apps.start", in_folder(&tree)).await.unwrap();
    assert_eq!((&own["name"], &own["branch"]), (&json!("web"), &Value::Null));
    assert_eq!((&other["name"], &other["branch"]), (&json!("fix-login.web"), &json!("fix-login")));
    assert_eq!((&own["hubId"], &other["hubId"]), (&json!("here"), &json!("here")));
    assert!(other["url"].as_str().unwrap().starts_with("http://fix-login.web.localhost:"));
    assert!(place.fetch(&other, "/").await.contains("fix-login.web is starting"));
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_control_the_apps_of_their_hub_and_start_none() {
    let place = Place::start().await;
    let in_hub = place.run("web", json!(["sleep", "1000"])).await.unwrap();
    let elsewhere = json!({"name": "other", "command": ["sleep", "1000"], "folder": "/"});
    let elsewhere = place.owner("apps.start", elsewhere).await.unwrap();
    let all = ["apps:read", "apps:write"];
    let as_agent =
        async |session: &str, op: &str, input: Value| place.program.as_caller(agent(session, &all), op, input).await;
    let listed = as_agent("in-here", "apps.list", json!({})).await.unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    assert_eq!(as_agent("in-none", "apps.list", json!({})).await.unwrap()["items"], json!([]));
    for op in ["apps.get", "apps.logs", "apps.restart", "apps.stop"] {
        refused(as_agent("in-here", op, json!({"appId": elsewhere["id"]})).await, "not-found");
        refused(as_agent("in-none", op, json!({"appId": in_hub["id"]})).await, "not-found");
        as_agent("in-here", op, json!({"appId": in_hub["id"]})).await.unwrap();
        refused(
            place.program.as_caller(agent("in-here", &[]), op, json!({"appId": in_hub["id"]})).await,
            "scope-missing",
        );
    }
    let start = json!({"name": "mine", "command": ["true"], "hubId": "here"});
    refused(as_agent("in-here", "apps.start", start.clone()).await, "forbidden-caller");
    refused(as_agent("in-here", "apps.remove", json!({"appId": in_hub["id"]})).await, "forbidden-caller");
    // The user's own tokens, but from an agent: over MCP, or in the name of a session.
    for kind in [Kind::Owner, Kind::Cli] {
        let mcp = Caller { through_mcp: true, ..Caller::new(kind, ACCOUNT, "test") };
        refused(place.program.as_caller(mcp, "apps.start", start.clone()).await, "forbidden-caller");
        let mut call = Call::new(Caller::new(kind, ACCOUNT, "test"));
        call.source_session = Some("in-here".into());
        refused(place.program.call(call, "apps.start", start.clone()).await, "forbidden-caller");
    }
    let member = Caller::new(Kind::Member, ACCOUNT, "test");
    refused(place.program.as_caller(member, "apps.list", json!({})).await, "forbidden-caller");
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_account_finds_nothing_and_its_names_are_its_own() {
    let place = Place::start().await;
    let made = place.run("web", json!(["sleep", "1000"])).await.unwrap();
    let other = async |op: &str, input: Value| {
        place.program.as_caller(Caller::new(Kind::Owner, OTHER_ACCOUNT, "test"), op, input).await
    };
    assert_eq!(other("apps.list", json!({})).await.unwrap()["items"], json!([]));
    for op in ["apps.get", "apps.logs", "apps.follow", "apps.restart", "apps.stop", "apps.remove"] {
        refused(other(op, json!({"appId": made["id"]})).await, "not-found");
    }
    let own = json!({"name": "web", "command": ["sleep", "1000"], "folder": "/"});
    let own = other("apps.start", own).await.unwrap();
    assert_eq!(own["name"], "web");
    assert!(own["url"].as_str().unwrap().starts_with("http://web-2.localhost:"), "{own}");
    place.end().await;
}

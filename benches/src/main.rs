//! Measures the running program beside yardsticks in the same run, round by round in turn, and prints ratios.
//!
//! `side-by-side PROGRAM` takes the path of a release build, and `reads`, `edits` or `memory` behind it for a part alone.
//! Everything is measured from outside, over loopback, on a data directory of its own; the yardsticks are a bare axum route in
//! a process of its own that returns the same bytes, and a bare one-row commit with the same durability on the same disk.
//! Machines are noisy: quote the ratios, not the times.

mod client;
mod edits;
mod memory;
mod yardstick;

use client::{Client, Direct};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Rounds of each pair; the median of their ratios is quoted.
const ROUNDS: usize = 7;
/// Items and columns of the large board.
const ITEMS: usize = 100_000;

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let mut args = std::env::args().skip(1);
    let (program, only) = match (args.next(), args.next()) {
        (Some(bare), Some(file)) if bare == "--bare" => {
            return runtime.block_on(yardstick::serve(Path::new(&file), &args.collect::<Vec<_>>()));
        }
        (Some(program), only) => (PathBuf::from(program), only),
        (None, _) => panic!("the path of a release build of the program is needed"),
    };
    let is_wanted = |part: &str| only.as_deref().is_none_or(|only| only == part);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let started = Started::new(&program, dir.path());
    if is_wanted("reads") {
        runtime.block_on(measure(&started, &program, dir.path()));
    }
    if is_wanted("edits") {
        edits::measure(&started, dir.path());
    }
    drop(started);
    if is_wanted("memory") {
        memory::measure(&program);
    }
}

/// A running program.
struct Started {
    child: Child,
    host: String,
    token: String,
    /// Of a page of the owner's, which may change things as fast as it can.
    page_token: String,
    ready_cpu_s: f64,
    ready_wall_s: f64,
}

impl Started {
    fn new(program: &Path, dir: &Path) -> Started {
        use std::io::BufRead;
        let begun = Instant::now();
        let mut child = Command::new(program)
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(dir)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        std::io::BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("the ready line");
        let ready_wall_s = begun.elapsed().as_secs_f64();
        let host = line.trim().rsplit('/').next().expect("the address").to_owned();
        let token = std::fs::read_to_string(dir.join("cli-token")).expect("the token").trim().to_owned();
        let ready_cpu_s = cpu_s(child.id());
        let page_token = page_token(program, dir, &host);
        Started { child, host, token, page_token, ready_cpu_s, ready_wall_s }
    }

    /// A connection of a page of the owner's.
    fn page(&self) -> Direct {
        Direct::connect(&self.host, &self.page_token)
    }

    /// The id of the workspace.
    fn workspace(&self) -> String {
        let (workspaces, _) = self.page().json("GET", "/workspaces", &Value::Null);
        workspaces["items"][0]["id"].as_str().expect("a workspace").to_owned()
    }

    /// Imports so many items as a board of its own.
    fn import(&self, workspace: &str, items: usize) -> Imported {
        let path = format!("/boards/import?workspaceId={workspace}&name=Items");
        let file = csv(items);
        let mut page = self.page();
        let (answer, _) = page.send_as("POST", &path, "application/json", "text/csv", file.as_bytes());
        let answer: Value = serde_json::from_slice(answer).expect("JSON");
        let board = &answer["board"];
        let text = |value: &Value| value["id"].as_str().expect("an id").to_owned();
        let column = |kind: &str| board["columns"].as_array()?.iter().find(|column| column["type"] == kind).map(text);
        Imported { id: text(board), text_column: column("text").expect("a column of text") }
    }
}

/// What a page of the owner's gets for the code in a login address.
fn page_token(program: &Path, dir: &Path, host: &str) -> String {
    let opened = Command::new(program).args(["open", "--print", "--data-dir"]).arg(dir).output().expect("the address");
    let address = String::from_utf8_lossy(&opened.stdout).trim().to_owned();
    let (_, code) = address.split_once("#c=").expect("a code in the address");
    let (answer, _) = Direct::connect(host, "").json("POST", "/login", &json!({"code": code}));
    answer["token"].as_str().expect("a token").to_owned()
}

/// A board that was imported.
struct Imported {
    id: String,
    text_column: String,
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Seconds of processor that a process has used so far.
fn cpu_s(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: f64 = after_name.split(' ').skip(11).take(2).filter_map(|n| n.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// A figure of a process's memory in MiB: `VmRSS:` is what is resident.
fn status_mib(pid: u32, figure: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kib = status
        .lines()
        .find_map(|l| l.strip_prefix(figure))
        .and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn row(what: &str, ours: String, yardstick: String, ratio: f64, goal: &str) {
    println!("| {what} | {ours} | {yardstick} | {ratio:.2} | {goal} |");
}

async fn measure(started: &Started, program: &Path, dir: &Path) {
    let pid = started.child.id();
    let size_mb = std::fs::metadata(program).expect("the program").len() as f64 / 1e6;
    let idle_from = (Instant::now(), cpu_s(pid));
    tokio::time::sleep(std::time::Duration::from_secs(20)).await;
    let idle_percent = (cpu_s(pid) - idle_from.1) / idle_from.0.elapsed().as_secs_f64() * 100.0;
    let resident = status_mib(pid, "VmRSS:");

    let get = |path: &str, extra: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{extra}\r\n",
            started.host, started.token
        )
    };
    println!("| what | ours | yardstick | ratio (median of {ROUNDS}) | goal |\n|---|---|---|---|---|");
    let mut one = Client::connect(&started.host).await;
    let settings = one.send(get("/settings", "").as_bytes()).await;
    let etag = settings.header("etag").expect("an ETag");
    let tag = format!("If-None-Match: {etag}\r\n");
    let unchanged = one.send(get("/settings", &tag).as_bytes()).await;
    let bare = yardstick::Bare::start(&settings.body, Some(&unchanged), dir);
    pair(
        "GET /settings, requests/s",
        &started.host,
        &get("/settings", ""),
        &bare.host,
        "/whole",
        16,
        20_000,
        "at least 0.8",
    )
    .await;
    for (what, at, goal) in [
        ("GET /settings, 304, requests/s", "/unchanged", "at least 0.8"),
        ("the same beside a 304 without headers", "/nothing", "-"),
    ] {
        pair(what, &started.host, &get("/settings", &tag), &bare.host, at, 16, 40_000, goal).await;
    }

    // A page may change things as fast as it can. The server closes connections that have been idle for some seconds.
    let mut page = started.page();
    edits::beside_a_commit("PATCH /settings/:key", dir, |value| {
        page.json("PATCH", "/settings/toastDisplayDurationSeconds", &json!({"value": 3 + value % 2})).1
    });
    import_and_read(started, &mut Client::connect(&started.host).await, &get, dir).await;

    println!("\n| what | figure | goal |\n|---|---|---|");
    println!(
        "| start to ready, processor | {:.3} s ({:.3} s on the clock) | under 0.3 s |",
        started.ready_cpu_s, started.ready_wall_s
    );
    println!("| idle, resident | {resident:.1} MiB | under 60 MiB |");
    println!("| idle, processor, over 20 s | {idle_percent:.2} % of a core | under 0.2 % |");
    println!("| release program with its page | {size_mb:.1} MB | under 60 MB |");
}

/// Requests a second of ours and of the bare route, in turn.
#[allow(clippy::too_many_arguments)]
async fn pair(
    what: &str,
    host: &str,
    request: &str,
    bare: &str,
    bare_path: &str,
    connections: usize,
    requests: usize,
    goal: &str,
) {
    let bare_request = format!("GET {bare_path} HTTP/1.1\r\nHost: {bare}\r\n\r\n");
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let a = client::rate(host, request, connections, requests).await;
        let b = client::rate(bare, &bare_request, connections, requests).await;
        // The first round warms up.
        if round > 0 {
            ours.push(a);
            theirs.push(b);
            ratios.push(a / b);
        }
    }
    row(what, format!("{:.0}", median(ours)), format!("{:.0}", median(theirs)), median(ratios), goal);
}

fn csv(items: usize) -> String {
    let mut text = String::from("Name,Status,Owner,Due date,Effort,Budget,Tags,Blocked,Sprint,Notes,Link,Rating\n");
    let mut seed = 7u64;
    let mut next = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    for i in 0..items {
        let status = ["To do", "In progress", "Review", "Done", "Blocked"][next(5) as usize];
        let owner = ["Ada", "Grace", "Linus", "Margaret", "Edsger", "Barbara"][next(6) as usize];
        text.push_str(&format!(
            "Item {i},{status},{owner},2026-{:02}-{:02},{},\"${}.50\",\"ui, {}\",{},Sprint {},Note number {} of many,https://example.org/{i},{}\n",
            1 + next(12), 1 + next(28), next(13), next(5000), ["api", "docs", "bug"][next(3) as usize], ["yes", "no"][next(2) as usize],
            1 + next(20), next(9999), 1 + next(5)
        ));
    }
    text
}

async fn import_and_read(started: &Started, one: &mut Client, get: &impl Fn(&str, &str) -> String, dir: &Path) {
    let workspaces = one.send(get("/workspaces", "").as_bytes()).await;
    let workspaces: Value = serde_json::from_slice(&workspaces.body).expect("JSON");
    let workspace = workspaces["items"][0]["id"].as_str().expect("a workspace");
    let file = csv(ITEMS);
    let head = format!(
        "POST /boards/import?workspaceId={workspace}&name=Large HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: text/csv\r\nContent-Length: {}\r\n\r\n",
        started.host,
        started.token,
        file.len()
    );
    let begun = Instant::now();
    let answer = one.send(&[head.as_bytes(), file.as_bytes()].concat()).await;
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&answer.body));
    let answer: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let board = answer["board"]["id"].as_str().expect("a board");
    let per_minute = ITEMS as f64 / seconds * 60.0;
    println!("| CSV import of {ITEMS} rows of 12 columns, rows a minute | {per_minute:.0} | - | - | at least 150000 |");

    let path = format!("/boards/{board}/full");
    for (what, accept) in [("JSON", "application/json"), ("Arrow", "application/vnd.apache.arrow.stream")] {
        let request = get(&path, &format!("Accept: {accept}\r\n"));
        let mut one = Client::connect(&started.host).await;
        let begun = Instant::now();
        let full = one.send(request.as_bytes()).await;
        let first_ms = begun.elapsed().as_secs_f64() * 1e3;
        let bare = yardstick::Bare::start(&full.body, None, dir);
        let megabytes = full.body.len() as f64 / 1e6;
        let label =
            format!("GET /boards/:id/full warm {what} of {megabytes:.1} MB (first {first_ms:.0} ms), requests/s");
        pair(&label, &started.host, &request, &bare.host, "/whole", 2, 40, "at least 0.8").await;
    }
}

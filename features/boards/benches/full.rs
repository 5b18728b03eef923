//! What a full read of 100,000 items with 12 columns costs beside a bare scan of the same rows, and how fast a table comes in.
//!
//! Prints medians of CPU time for each first, side by side (Linux only; wall time is too noisy on a shared machine), then runs divan's wall-clock table.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream;
use kit::lookup::{Lookup, MemberDirectory, Members, Workspaces};
use kit::{Body, Call, Caller, Feature, Kind, Migration};
use rusqlite::{Connection, OpenFlags};
use serde_json::json;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};
use std::time::Instant;
use store::{HasDb, params};
use testkit::{ACCOUNT, Program, START_MS};
use tokio::runtime::Runtime;

const ROWS: usize = 100_000;
const RUNS: u32 = 20;
const DIRECTORY: &str = "CREATE TABLE members (account_id TEXT NOT NULL, member_id TEXT NOT NULL, name TEXT NOT NULL, email TEXT, role TEXT NOT NULL, \
    time_zone TEXT NOT NULL, created_ms BIGINT NOT NULL, PRIMARY KEY (account_id, member_id));";

/// Everything that is asked for exists.
struct Everyone;

impl Lookup for Everyone {
    fn missing(&self, _: &str, _: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// The members of the fixture, by id, name and e-mail.
struct Named(Vec<(String, String, String)>);

impl Lookup for Named {
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        Everyone.missing(account, ids)
    }
}

impl MemberDirectory for Named {
    fn all(&self, _: &str) -> BoxFuture<'static, kit::Result<Vec<(String, String, String)>>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
    fn zones(&self, _: &str) -> BoxFuture<'static, kit::Result<Vec<(String, String)>>> {
        Box::pin(std::future::ready(Ok(self.0.iter().map(|(id, ..)| (id.clone(), String::new())).collect())))
    }
}

fn features() -> Vec<Feature> {
    let directory = Feature { migrations: &[Migration { number: 1, sql: DIRECTORY }], ..Feature::named("directory") };
    vec![directory, boards::feature()]
}

struct Fixture {
    runtime: Runtime,
    program: Program,
    board: String,
    database: Connection,
}

static FIXTURE: LazyLock<std::sync::Mutex<Fixture>> = LazyLock::new(|| std::sync::Mutex::new(fixture()));

fn fixture() -> Fixture {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let program = runtime.block_on(Program::start(features));
    program.ctx.provide(Arc::new(kit::DataDir(program.dir().to_owned())));
    let named: Vec<_> = (0..40).map(|n| (kit::new_id(), format!("Member {n}"), String::new())).collect();
    program.ctx.provide(Arc::new(Workspaces(Box::new(Everyone))));
    program.ctx.provide(Arc::new(Members(Box::new(Named(named.clone())))));
    let fill = move |tx: &mut store::Tx<'_>| {
        for (id, name, _) in &named {
            let row = params![ACCOUNT, id, name, START_MS];
            tx.execute("INSERT INTO members (account_id, member_id, name, email, role, time_zone, created_ms) VALUES ($1, $2, $3, '', 'member', 'UTC', $4)", row)?;
        }
        Ok(())
    };
    runtime.block_on(program.ctx.db().write(fill)).expect("a directory");
    let (cpu, wall) = (cpu_ms(), Instant::now());
    let board = runtime.block_on(import(&program, ROWS));
    let (cpu, wall) = (cpu_ms() - cpu, wall.elapsed().as_secs_f64());
    println!("import of {ROWS} rows: {wall:.2} s wall, {:.2} s CPU, {:.0} rows/s", cpu / 1e3, ROWS as f64 / wall);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(program.dir().join("pilothouse.db"), flags);
    Fixture { runtime, program, board, database: database.expect("the database") }
}

/// A table of 12 columns beside the name, three cells in ten empty.
fn table(rows: usize) -> String {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut next = move |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) % below
    };
    let mut csv = String::from("Name,Status,Priority,Owner,Labels,Note,Amount,Hours,Start,Due,Checked,Link,Text\n");
    let words = ["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "lambda"];
    for row in 0..rows {
        let cells = [
            ["Open", "Working on it", "Stuck", "Done", "Waiting"][next(5) as usize].to_owned(),
            ["Low", "Medium", "High", "Urgent"][next(4) as usize].to_owned(),
            format!("\"Member {}, Member {}\"", next(40), next(40)),
            format!("\"{},{}\"", words[next(8) as usize], words[next(8) as usize]),
            format!("{} {} {row}", words[next(8) as usize], words[next(8) as usize]),
            format!("{}.{:02}", next(100_000), next(100)),
            next(200).to_string(),
            format!("2026-{:02}-{:02}", next(12) + 1, next(28) + 1),
            format!("2027-{:02}-{:02}", next(12) + 1, next(28) + 1),
            ["yes", "no"][next(2) as usize].to_owned(),
            format!("https://example.com/items/{}", next(1_000_000)),
            words[next(8) as usize].to_owned(),
        ];
        write!(csv, "Item number {row}").expect("memory");
        for cell in cells {
            csv.push(',');
            if next(10) >= 3 {
                csv.push_str(&cell);
            }
        }
        csv.push('\n');
    }
    csv
}

async fn import(program: &Program, rows: usize) -> String {
    let csv = table(rows);
    let mut call = owner();
    let pieces: Vec<_> = csv.into_bytes().chunks(64 * 1024).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    call.upload = Some(("text/csv".into(), Box::pin(stream::iter(pieces))));
    let reply =
        program.call(call, "boards.import", json!({"workspaceId": "w", "name": "Large"})).await.expect("an import");
    let answer = testkit::json_of(&reply);
    assert_eq!(answer["rowsImported"], rows);
    let types: Vec<_> =
        answer["board"]["columns"].as_array().expect("columns").iter().map(|c| c["type"].clone()).collect();
    let expected = [
        "status", "dropdown", "people", "tags", "text", "number", "number", "date", "date", "checkbox", "link",
        "dropdown",
    ];
    assert_eq!(types, expected);
    answer["board"]["id"].as_str().expect("an id").to_owned()
}

fn owner() -> Call {
    Call::new(Caller::new(Kind::Owner, ACCOUNT, "bench"))
}

impl Fixture {
    /// Makes what is kept in memory useless: it was written for other columns.
    fn chill(&self) {
        let input = json!({"boardId": self.board, "title": "Passing", "type": "text"});
        let column =
            self.runtime.block_on(self.program.call(owner(), "boards.columns.create", input)).expect("a column");
        let input = json!({"boardId": self.board, "columnId": testkit::json_of(&column)["id"]});
        self.full("application/json");
        self.full(boards::ARROW);
        self.runtime.block_on(self.program.call(owner(), "boards.columns.delete", input)).expect("a change");
    }
    fn full(&self, accept: &str) -> usize {
        self.full_of(&self.board, accept)
    }
    fn full_of(&self, board: &str, accept: &str) -> usize {
        let mut call = owner();
        call.accept = Some(accept.to_owned());
        let reply = self.runtime.block_on(self.program.call(call, "boards.full", json!({"boardId": board})));
        match reply.expect("a full board").body {
            Body::Whole(bytes) => bytes.len(),
            Body::Parts(parts) => parts.iter().map(Bytes::len).sum(),
            Body::Stream(_) => 0,
        }
    }
    /// The yardstick: the rows' stored text, one behind the other.
    fn scan(&self, sql: &str) -> usize {
        let mut statement = self.database.prepare_cached(sql).expect("a statement");
        let mut rows = statement.query((ACCOUNT, &self.board)).expect("rows");
        let mut out = Vec::new();
        while let Some(row) = rows.next().expect("a row") {
            out.extend_from_slice(row.get_ref(0).and_then(|cell| Ok(cell.as_bytes()?)).expect("a text"));
        }
        out.len()
    }
}

const ANY_ORDER: &str = "SELECT record_json FROM items WHERE account_id = ?1 AND board_id = ?2";
const IN_ORDER: &str =
    "SELECT record_json FROM items WHERE account_id = ?1 AND board_id = ?2 ORDER BY position, item_id";

/// CPU time of this process's threads so far.
fn cpu_ms() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let of = |path: std::path::PathBuf| std::fs::read_to_string(path).ok()?.split(' ').next()?.parse::<f64>().ok();
    threads.flatten().filter_map(|thread| of(thread.path().join("schedstat"))).sum::<f64>() / 1e6
}

/// All in turn, round by round: on a shared machine only what ran side by side can be compared.
fn cpu_table(fixture: &Fixture) {
    let json = || fixture.full("application/json");
    let arrow = || fixture.full(boards::ARROW);
    let (any_order, in_order) = (|| fixture.scan(ANY_ORDER), || fixture.scan(IN_ORDER));
    let measured: [(&str, bool, &dyn Fn() -> usize); 5] = [
        ("scan, in the board's order", false, &in_order),
        ("scan, in any order", false, &any_order),
        ("cold JSON", true, &json),
        ("warm JSON", false, &json),
        ("cold Arrow", true, &arrow),
    ];
    let mut spent = vec![Vec::new(); measured.len()];
    let mut bytes = [0; 5];
    for round in 0..=RUNS {
        for (at, (_, chill, run)) in measured.iter().enumerate() {
            if *chill {
                fixture.chill();
            }
            let before = cpu_ms();
            bytes[at] = run();
            // The first round warms up.
            if round > 0 {
                spent[at].push(cpu_ms() - before);
            }
        }
    }
    println!("{:<28} {:>10} {:>9} {:>24}", "", "CPU", "size", "ratio to ordered scan");
    for (at, (name, ..)) in measured.iter().enumerate() {
        let ratios = spent[at].iter().zip(&spent[0]).map(|(ms, scan)| ms / scan).collect();
        let (ms, ratio) = (median(spent[at].clone()), median(ratios));
        println!("{name:<28} {ms:>7.1} ms {:>6.1} MB {ratio:>24.2}", bytes[at] as f64 / 1e6);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What the next full read costs after one cell was changed, on boards of rising size.
fn after_one_edit(fixture: &Fixture) {
    for rows in [1_000, 10_000, 100_000] {
        let board = fixture.runtime.block_on(import(&fixture.program, rows));
        let page = json!({"boardId": board, "limit": 1_000});
        let page = fixture.runtime.block_on(fixture.program.call(owner(), "boards.items.list", page)).expect("items");
        let item = testkit::json_of(&page)["items"][500]["id"].clone();
        for accept in ["application/json", boards::ARROW] {
            fixture.full_of(&board, accept);
            let spent: Vec<f64> = (0..RUNS)
                .map(|run| {
                    let change =
                        json!({"boardId": board, "itemId": item, "columnId": "c5", "value": format!("edit {run}")});
                    fixture.runtime.block_on(fixture.program.call(owner(), "boards.cell", change)).expect("a change");
                    let begun = Instant::now();
                    fixture.full_of(&board, accept);
                    begun.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            println!(
                "after one edit, {rows:>7} items, {:<6} {:>6.2} ms",
                &accept[12..].chars().take(5).collect::<String>(),
                median(spent)
            );
        }
    }
}

/// What it takes to find items by name: with nothing cached, with cached names, and after one edit.
fn finding(fixture: &Fixture) {
    let call = |op: &str, input| {
        let reply = fixture.runtime.block_on(fixture.program.call(owner(), op, input)).expect(op);
        testkit::json_of(&reply)
    };
    let board = &fixture.board;
    let page = call("boards.items.list", json!({"boardId": board, "limit": 1_000}));
    let item = page["items"][500]["id"].clone();
    let time = |prepare: &dyn Fn(u32), q: &str| {
        let spent = (0..RUNS).map(|run| {
            prepare(run);
            let begun = Instant::now();
            call("boards.items.find", json!({"q": q}));
            begun.elapsed().as_secs_f64() * 1e3
        });
        median(spent.collect())
    };
    // The names of a board that isn't there are dropped.
    let chill = |_| {
        call("boards.archive", json!({"boardId": board}));
        call("boards.items.find", json!({"q": "nothing"}));
        call("boards.restore", json!({"boardId": board}));
    };
    let edit = |run| {
        call("boards.items.update", json!({"boardId": board, "itemId": item, "name": format!("Edit {run}")}));
    };
    println!("find, nothing cached       {:>8.2} ms", time(&chill, "number 99999"));
    println!("find, one match            {:>8.2} ms", time(&|_| (), "99999"));
    println!("find, all match            {:>8.2} ms", time(&|_| (), "item number"));
    println!("find, none matches         {:>8.2} ms", time(&|_| (), "nothing"));
    println!("find, after one edit       {:>8.2} ms", time(&edit, "99999"));
}

fn with<T>(run: impl FnOnce(&Fixture) -> T) -> T {
    run(&FIXTURE.lock().expect("no panic while held"))
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn scan_in_any_order() -> usize {
    with(|f| f.scan(ANY_ORDER))
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn scan_in_order() -> usize {
    with(|f| f.scan(IN_ORDER))
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn cold_json(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(|| with(Fixture::chill)).bench_values(|()| with(|f| f.full("application/json")));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn cold_arrow(bencher: divan::Bencher<'_, '_>) {
    bencher.with_inputs(|| with(Fixture::chill)).bench_values(|()| with(|f| f.full(boards::ARROW)));
}

#[divan::bench(sample_count = 10, sample_size = 100)]
fn warm_json() -> usize {
    with(|f| f.full("application/json"))
}

fn main() {
    // `cargo test` also runs benches, with an argument that says so; then there is nothing to measure.
    if std::env::args().any(|argument| argument == "--test") || !std::env::args().any(|argument| argument == "--bench")
    {
        return;
    }
    with(cpu_table);
    with(after_one_edit);
    with(finding);
    divan::main();
}

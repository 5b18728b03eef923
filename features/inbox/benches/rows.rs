//! What it costs to open, search, and count an inbox of 100,000 rows.

use divan::Bencher;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use store::{HasDb, Tx, params};
use testkit::{ACCOUNT, Program, START_MS};
use tokio::runtime::Runtime;

const ROWS: i64 = 100_000;
const HUBS: i64 = 20;

fn main() {
    divan::main();
}

fn fill(tx: &mut Tx<'_>) -> kit::Result<()> {
    let sql = "INSERT INTO inbox_rows (account_id, row_id, kind, title, body, severity, project_id, actor, created_ms, changed_ms, \
         read_ms, settled_ms, outcome, place) VALUES ($1, $2, 'alert', $3, $4, 'info', $5, 'program', $6, $6, $7, 0, '', $2)";
    for number in 0..ROWS {
        let (id, title) = (format!("{number:018}"), format!("Nightly build {number} is red"));
        let (hub, read_ms) = (format!("h{}", number % HUBS), number % 3);
        tx.execute(sql, params![ACCOUNT, id, title, "Three tests fail.\n".repeat(10), hub, START_MS, read_ms])?;
    }
    Ok(())
}

#[divan::bench(args = [
    ("inbox.list", json!({})),
    ("inbox.list", json!({"skip": 90_000})),
    ("inbox.list", json!({"q": "build 77"})),
    ("inbox.list", json!({"q": "nothing"})),
    ("inbox.count", json!({})),
    ("inbox.groups", json!({})),
    ("inbox.groups", json!({"by": "hub"})),
])]
fn read(bencher: Bencher, (op, input): &(&str, Value)) {
    let runtime = Runtime::new().expect("a runtime");
    let program = runtime.block_on(Program::start(|| vec![inbox::feature()]));
    runtime.block_on(program.ctx.db().write(fill)).expect("rows");
    let ask = || {
        let call = program.as_caller(Caller::new(Kind::Owner, ACCOUNT, "bench"), op, input.clone());
        runtime.block_on(call).expect("an answer")
    };
    bencher.bench_local(ask);
}

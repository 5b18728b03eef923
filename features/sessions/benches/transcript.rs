//! What it costs to append to a transcript and to open its newest page, by how long it is, beside a bare append to a file.

use divan::Bencher;
use sessions::transcript::{Part, SessionKey, Transcripts, WriteTarget};
use std::io::Write;
use store::Db;
use tempfile::TempDir;
use tokio::runtime::Runtime;

const LENGTHS: [i64; 3] = [10, 1_000, 1_000_000];
const BODY: &str =
    r#"{"event":"said","chunk":{"type":"text","text":"Looked at the failing test; the clock is read twice."}}"#;

fn main() {
    divan::main();
}

struct Filled {
    _folder: TempDir,
    runtime: Runtime,
    transcripts: Transcripts,
    key: SessionKey,
}

fn filled(record: WriteTarget, length: i64) -> Filled {
    let folder = TempDir::new().expect("a folder");
    let runtime = Runtime::new().expect("a runtime");
    let db = Db::open(
        &folder.path().join("t.db"),
        &[(ledger::NAME, ledger::MIGRATIONS), ("sessions", sessions::feature().migrations)],
    )
    .expect("a database");
    let transcripts = Transcripts::new(db, folder.path().join("transcripts"), record);
    let key = SessionKey { account: "a1".into(), session: "s1".into() };
    let mut left = length;
    while left > 0 {
        let some = left.min(50_000);
        let bodies = vec![BODY.to_owned(); some as usize];
        runtime.block_on(transcripts.append(&key, 1, bodies, false)).expect("appended");
        left -= some;
    }
    Filled { _folder: folder, runtime, transcripts, key }
}

fn append(bencher: Bencher, record: WriteTarget, length: i64) {
    let Filled { runtime, transcripts, key, .. } = &filled(record, length);
    bencher
        .bench_local(|| runtime.block_on(transcripts.append(key, 1, vec![BODY.to_owned()], false)).expect("appended"));
}

#[divan::bench(args = LENGTHS)]
fn append_to_a_file(bencher: Bencher, length: i64) {
    append(bencher, WriteTarget::Log, length);
}

#[divan::bench(args = LENGTHS)]
fn append_to_rows(bencher: Bencher, length: i64) {
    append(bencher, WriteTarget::Rows, length);
}

#[divan::bench]
fn yardstick_bare_append(bencher: Bencher) {
    let mut file = tempfile::tempfile().expect("a file");
    bencher.bench_local(|| writeln!(file, "{BODY}").expect("written"));
}

fn newest(bencher: Bencher, record: WriteTarget, length: i64) {
    let Filled { runtime, transcripts, key, .. } = &filled(record, length);
    bencher.bench_local(|| runtime.block_on(transcripts.page(key, Part::Newest, 200)).expect("a page"));
}

#[divan::bench(args = LENGTHS)]
fn newest_page_of_a_file(bencher: Bencher, length: i64) {
    newest(bencher, WriteTarget::Log, length);
}

#[divan::bench(args = LENGTHS)]
fn newest_page_of_rows(bencher: Bencher, length: i64) {
    newest(bencher, WriteTarget::Rows, length);
}

#[divan::bench(args = LENGTHS)]
fn page_in_the_middle_of_a_file(bencher: Bencher, length: i64) {
    let Filled { runtime, transcripts, key, .. } = &filled(WriteTarget::Log, length);
    let middle = Part::Before(length / 2);
    bencher.bench_local(|| runtime.block_on(transcripts.page(key, middle, 200)).expect("a page"));
}

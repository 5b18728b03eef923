//! What the server holds in memory with many large boards open.

use crate::{ITEMS, Started, status_mib};
use std::path::Path;

/// Boards that are open at once.
const BOARDS: usize = 10;

pub fn measure(program: &Path) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let started = Started::new(program, dir.path());
    let pid = started.child.id();
    let workspace = started.workspace();
    let boards: Vec<_> = (0..BOARDS).map(|_| started.import(&workspace, ITEMS).id).collect();
    let imported = status_mib(pid, "VmRSS:");
    let read = |accept: &str| {
        // The server closes connections that have been idle for some seconds.
        let mut page = started.page();
        let bytes: usize =
            boards.iter().map(|id| page.send("GET", &format!("/boards/{id}/full"), accept, b"").0.len()).sum();
        bytes as f64 / f64::from(1 << 20)
    };
    let arrow = read("application/vnd.apache.arrow.stream");
    let with_arrow = status_mib(pid, "VmRSS:");
    let json = read("application/json");
    let with_both = status_mib(pid, "VmRSS:");
    let peak = status_mib(pid, "VmHWM:");
    println!("\n| memory with {BOARDS} boards of {ITEMS} items open | MiB | times their Arrow form | goal |");
    println!("|---|---|---|---|");
    for (what, mib, goal) in [
        ("their Arrow form", arrow, "-"),
        ("their JSON form", json, "-"),
        ("resident after they were imported", imported, "-"),
        ("resident after each was read whole as Arrow", with_arrow, "-"),
        ("resident after each was read whole as Arrow and as JSON", with_both, "under 6"),
        ("the most that was resident at any time", peak, "-"),
    ] {
        println!("| {what} | {mib:.0} | {:.2} | {goal} |", mib / arrow);
    }
}

//! How an import ends: told to its end, and brought there without its caller.

use super::reimport::{SECOND, first, into, items};
use super::*;
use events::{Event, HasEvents, Numbered};
use store::{HasDb, Tx, params};
use testkit::refused;
use tokio::sync::broadcast::Receiver;

/// A writer that is busy until it may go on.
struct Busy {
    go_on: std::sync::mpsc::Sender<()>,
    written: tokio::task::JoinHandle<kit::Result<()>>,
}

impl Busy {
    async fn go_on(self) {
        self.go_on.send(()).unwrap();
        self.written.await.unwrap().unwrap();
    }
}

/// Leaves the import `left` as it waits to be written, behind a writer that makes another change before.
async fn left(p: &Program, board: &str, before: impl FnOnce(&mut Tx<'_>) -> kit::Result<()> + Send + 'static) -> Busy {
    let (go_on, wait) = std::sync::mpsc::channel::<()>();
    let db = p.ctx.db();
    let write = move |tx: &mut Tx<'_>| {
        wait.recv().unwrap();
        before(tx)
    };
    let written = tokio::spawn(async move { db.write(write).await });
    let running = p.ctx.service::<crate::import::Running>();
    let ending = async {
        while !running.is_ending(ACCOUNT, "left") {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        _ = into(p, board, SECOND, json!({"importId": "left"})) => panic!("nothing can be written yet"),
        () = ending => {}
    }
    Busy { go_on, written }
}

/// The last phase that is told of an import.
async fn last_phase(heard: &mut Receiver<Numbered>) -> &'static str {
    loop {
        if let Event::ImportProgress { phase: phase @ ("done" | "cancelled"), .. } = heard.recv().await.unwrap().event {
            return phase;
        }
    }
}

#[tokio::test]
async fn what_has_begun_to_be_written_is_brought_to_its_end_without_its_caller() {
    let p = start().await;
    let (board, _) = first(&p).await;
    let (_, mut heard) = p.ctx.events().listen(None);
    left(&p, &board, |_| Ok(())).await.go_on().await;
    assert_eq!(last_phase(&mut heard).await, "done");
    assert_eq!(items(&p, &board).await.len(), 5);
}

/// The phases that were told of an import.
fn phases(heard: &mut Receiver<Numbered>, id: &str) -> Vec<&'static str> {
    let told = std::iter::from_fn(|| heard.try_recv().ok());
    let of = |event: Event| match event {
        Event::ImportProgress { import_id, phase, .. } if import_id == id => Some(phase),
        _ => None,
    };
    told.filter_map(|told| of(told.event)).collect()
}

#[tokio::test]
async fn the_last_phase_of_an_import_is_told_however_it_ends() {
    let p = start().await;
    let (board, _) = first(&p).await;
    let (_, mut heard) = p.ctx.events().listen(None);
    into(&p, &board, SECOND, json!({"importId": "look", "dryRun": true})).await.unwrap();
    assert_eq!(phases(&mut heard, "look"), ["receiving", "reading", "loading", "done"]);
    refused(into(&p, &board, "%PDF-1.7", json!({"importId": "none"})).await, "not-a-table");
    assert_eq!(phases(&mut heard, "none"), ["receiving", "reading", "cancelled"]);
    into(&p, &board, SECOND, json!({"importId": "all"})).await.unwrap();
    assert_eq!(phases(&mut heard, "all"), ["receiving", "reading", "loading", "done"]);
}

#[tokio::test]
async fn an_import_whose_writing_is_refused_is_told_as_canceled_without_its_caller() {
    let p = start().await;
    let (board, _) = first(&p).await;
    let (_, mut heard) = p.ctx.events().listen(None);
    let id = board.clone();
    let archive = move |tx: &mut Tx<'_>| {
        tx.execute("UPDATE boards SET state = 'archive' WHERE board_id = $1", params![&id]).map(drop)
    };
    let writer = left(&p, &board, archive).await;
    // As long as it writes it is one that runs.
    refused(p.owner("boards.import.cancel", json!({"importId": "left"})).await, "import-ending");
    refused(into(&p, &board, SECOND, json!({"importId": "left"})).await, "import-id-taken");
    writer.go_on().await;
    assert_eq!(last_phase(&mut heard).await, "cancelled");
}

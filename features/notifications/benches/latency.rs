//! From the write of a row that needs the user to the system's notification: 200 sessions ask, among 100,000 rows.

use events::{Actor, Bus};
use inbox_rows::NewRow;
use kit::clock::SystemClock;
use kit::{Catalog, Ctx, Feature, InboxKind, Need};
use notifications::Notifier;
use platform::notifications::{Desktop, Note};
use schedule::Schedule;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use store::{Db, HasDb, Tx, params};

const ROWS: usize = 100_000;
const SESSIONS: usize = 200;
static APPROVAL: InboxKind = InboxKind::new("approval", "Request", "info").asking(Need::Answer);

static KINDS: &[&InboxKind] = &[&APPROVAL];

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// When each notification was shown, by its title.
#[derive(Default)]
struct Screen(Mutex<Vec<(String, Instant)>>);

impl Desktop for Screen {
    fn do_not_disturb(&self) -> Boxed<'_, Option<bool>> {
        Box::pin(ready(None))
    }
    fn sound_problem(&self) -> Boxed<'_, Option<String>> {
        Box::pin(ready(None))
    }
    fn show(&self, note: Note) -> Boxed<'_, Result<u32, String>> {
        let mut shown = self.0.lock().expect("no panic while held");
        shown.push((note.title, Instant::now()));
        Box::pin(ready(Ok(shown.len() as u32)))
    }
    fn withdraw(&self, _: u32) -> Boxed<'_, ()> {
        Box::pin(ready(()))
    }
    fn set_count(&self, _: i64) -> Boxed<'_, ()> {
        Box::pin(ready(()))
    }
}

fn features() -> Vec<Feature> {
    let inbox = Feature { migrations: inbox_rows::MIGRATIONS, inbox_kinds: KINDS, ..Feature::named("inbox") };
    vec![inbox, notifications::feature()]
}

fn row<'a>(title: &'a str, session: Option<&'a str>) -> NewRow<'a> {
    let by = Actor::program(None);
    NewRow { session_id: session, ..NewRow::new(&APPROVAL, title, by) }
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let dir = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let ctx = Ctx::new(Arc::new(SystemClock));
    let all = features();
    let tables = [(schedule::NAME, schedule::MIGRATIONS)];
    let migrations: Vec<_> = all.iter().map(|feature| (feature.name, feature.migrations)).chain(tables).collect();
    ctx.provide(Arc::new(Db::open(&dir.path().join("n.db"), &migrations).expect("a database")));
    ctx.provide(Arc::new(Bus::default()));
    ctx.provide(Arc::new(Catalog::from_features(&all)));
    ctx.provide(Arc::new(Schedule::new(&all)));
    // Rows of before, without notifications: half of them open.
    let of = ctx.clone();
    let fill = move |tx: &mut Tx<'_>| {
        for i in 0..ROWS {
            let title = format!("Row {i}");
            let id = inbox_rows::post(tx, &of, "a", &row(&title, None))?;
            if i % 2 == 0 {
                let sql =
                    "UPDATE inbox_rows SET settled_ms = 1, outcome = 'dismissed' WHERE account_id = $1 AND row_id = $2";
                tx.execute(sql, params!["a", &id])?;
            }
        }
        Ok(())
    };
    ctx.db().write(fill).await.expect("they are posted");
    let screen = Arc::new(Screen::default());
    ctx.provide(Arc::new(Notifier(screen.clone())));
    for feature in &all {
        (feature.start)(ctx.clone()).await.expect("it starts");
    }

    let mut late_ms = Vec::new();
    for i in 0..SESSIONS {
        let begun = Instant::now();
        let (of, title) = (ctx.clone(), format!("Session {i} needs approval"));
        let named = title.clone();
        let ask = move |tx: &mut Tx<'_>| inbox_rows::post(tx, &of, "a", &row(&named, Some("s"))).map(drop);
        ctx.db().write(ask).await.expect("it is posted");
        let shown = loop {
            let found =
                screen.0.lock().expect("no panic while held").iter().find(|(of, _)| *of == title).map(|one| one.1);
            match found {
                Some(shown) => break shown,
                None => tokio::time::sleep(std::time::Duration::from_millis(1)).await,
            }
        };
        late_ms.push((shown - begun).as_secs_f64() * 1e3);
    }
    late_ms.sort_by(f64::total_cmp);
    let at = |share: f64| late_ms[(share * (late_ms.len() - 1) as f64) as usize];
    println!(
        "needs you to notification, {SESSIONS} sessions, {ROWS} rows: median {:.1} ms, 95 % {:.1} ms, most {:.1} ms",
        at(0.5),
        at(0.95),
        at(1.0)
    );
}

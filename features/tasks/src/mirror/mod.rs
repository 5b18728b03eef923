//! tasks.md: the tasks of each hub as a file in its folder, kept the same both ways.
//!
//! Invariants: a change of the file and a change of the tasks meet in one transaction, against the text that both had last;
//! what would delete many tasks, or comes with another branch, waits for the user; while it waits, or if the file can't be
//! read, nothing is written.

mod disk;
mod format;
mod merge;
mod ops;
#[cfg(test)]
mod tests;

pub(crate) use ops::ops;

use crate::edit::{edit, random_id};
use crate::rows;
use crate::settings::tasksEnabled;
use crate::task::Task;
use disk::{Found, Stamp};
use format::File;
use jiff::civil::Date;
use kit::lookup::{HubFolder, WorkFolders};
use kit::{Caller, Ctx, Kind, Result};
use merge::{Plan, Shown, Written};
use std::collections::HashMap;
use std::path::PathBuf;
use store::{HasDb, Row, Tx, params};
use tokio::sync::Mutex;

/// More than this share of the tasks, in percent, and more than so many are deleted only after the user says so.
const REMOVES_PERCENT: usize = 30;
const REMOVES_FREE: usize = 3;
/// Number of tries if another program writes the file at the same time.
const TRIES: usize = 3;
/// Time until a problem is looked at again.
const RETRY_MS: i64 = 30_000;
/// Names the file in the record of changes.
const BY: &str = "tasks.md";

/// What was last seen of each hub. One sync runs at a time.
#[derive(Default)]
pub(crate) struct Mirrors(Mutex<HashMap<(String, String), Seen>>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Seen {
    stamp: Option<Stamp>,
    revision: i64,
    /// 0 unless something is wrong.
    retry_ms: i64,
}

/// What the user decided about a held change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The file is right: delete the tasks that it lacks.
    Accept,
    /// The tasks are right: write them into the file.
    Keep,
}

/// What is known of a hub's file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Mirror {
    pub(crate) base: Option<String>,
    pub(crate) pending: Option<String>,
    pub(crate) head: String,
    pub(crate) state: String,
    pub(crate) detail: String,
    pub(crate) removes: i64,
    pub(crate) synced_ms: i64,
}

const SYNCED: &str = "synced";
const HELD: &str = "held";
const PROBLEM: &str = "problem";

pub(crate) fn load(tx: &mut Tx<'_>, account: &str, hub: &str) -> Result<Option<Mirror>> {
    let sql = "SELECT base, pending, head, state, detail, removes, synced_ms FROM task_mirrors \
         WHERE account_id = $1 AND hub_id = $2";
    tx.query_opt(sql, params![account, hub], |row: &dyn Row| {
        Ok(Mirror {
            base: row.get(0)?,
            pending: row.get(1)?,
            head: row.get(2)?,
            state: row.get(3)?,
            detail: row.get(4)?,
            removes: row.get(5)?,
            synced_ms: row.get(6)?,
        })
    })
}

fn store(tx: &mut Tx<'_>, account: &str, hub: &str, mirror: &Mirror) -> Result<()> {
    let sql = "INSERT INTO task_mirrors (account_id, hub_id, base, pending, head, state, detail, removes, synced_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (account_id, hub_id) DO UPDATE SET base = excluded.base, \
         pending = excluded.pending, head = excluded.head, state = excluded.state, detail = excluded.detail, \
         removes = excluded.removes, synced_ms = excluded.synced_ms";
    tx.execute(
        sql,
        params![
            account,
            hub,
            mirror.base.as_deref(),
            mirror.pending.as_deref(),
            &mirror.head,
            &mirror.state,
            &mirror.detail,
            mirror.removes,
            mirror.synced_ms
        ],
    )
    .map(drop)
}

/// Looks at the files and the tasks of all hubs, and syncs those that changed.
pub(crate) async fn tick(ctx: Ctx) -> Result<()> {
    let Some(folders) = ctx.find_service::<WorkFolders>() else { return Ok(()) };
    let mirrors = ctx.service::<Mirrors>();
    let mut seen = mirrors.0.lock().await;
    let hubs: Vec<HubFolder> =
        folders.0.hubs().await?.into_iter().filter(|hub| ctx.setting(&hub.account, &tasksEnabled)).collect();
    let paths: Vec<PathBuf> = hubs.iter().map(|hub| PathBuf::from(&hub.path)).collect();
    let stamps = blocking(move || paths.iter().map(|path| disk::stamp(path)).collect::<Vec<_>>()).await?;
    let mut revisions: HashMap<String, i64> = HashMap::new();
    let mut folders: HashMap<String, String> = HashMap::new();
    for (hub, stamp) in hubs.into_iter().zip(stamps) {
        let revision = match revisions.get(&hub.account) {
            Some(revision) => *revision,
            None => {
                let account = hub.account.clone();
                let revision = ctx.db().read(move |tx| rows::counters(tx, &account)).await?.revision;
                *revisions.entry(hub.account.clone()).or_insert(revision)
            }
        };
        // A folder has one file, which is that of its first hub.
        if *folders.entry(hub.path.clone()).or_insert_with(|| hub.id.clone()) != hub.id {
            continue;
        }
        let key = (hub.account.clone(), hub.id.clone());
        let is_same = seen.get(&key).is_some_and(|before| {
            let waits = before.retry_ms > 0 && ctx.now_ms() >= before.retry_ms;
            before.stamp == stamp && before.revision == revision && !waits
        });
        if is_same {
            continue;
        }
        let retry_ms = match sync(&ctx, &hub, None).await {
            Ok(is_fine) => {
                if is_fine {
                    0
                } else {
                    ctx.now_ms() + RETRY_MS
                }
            }
            Err(error) if error.is(&store::PROGRAM_ENDING) => return Err(error),
            Err(error) => {
                tracing::warn!(hub = hub.id, error = ?error, "couldn't sync tasks.md");
                ctx.now_ms() + RETRY_MS
            }
        };
        // Writing changes the stamp, and reading the file the revision: both are looked at once more.
        seen.insert(key, Seen { stamp, revision, retry_ms });
    }
    Ok(())
}

/// Syncs one hub after the user decided about its held change.
pub(crate) async fn decide(ctx: &Ctx, hub: &HubFolder, decision: Decision) -> Result<bool> {
    let mirrors = ctx.service::<Mirrors>();
    let mut seen = mirrors.0.lock().await;
    seen.remove(&(hub.account.clone(), hub.id.clone()));
    sync(ctx, hub, Some(decision)).await
}

/// What a transaction found to do.
enum Next {
    /// Write this text in place of what was read.
    Write(String),
    /// The file and the tasks are the same.
    Done,
    /// The user decides, or the file can't be used.
    Waits,
}

/// Makes the file and the tasks the same. Returns whether they are.
async fn sync(ctx: &Ctx, hub: &HubFolder, decision: Option<Decision>) -> Result<bool> {
    for _ in 0..TRIES {
        let folder = PathBuf::from(&hub.path);
        let (found, head) = blocking({
            let folder = folder.clone();
            move || (disk::read(&folder), disk::head(&folder))
        })
        .await?;
        let text = match found {
            Found::Problem(detail) => {
                note_problem(ctx, hub, detail).await?;
                return Ok(false);
            }
            Found::Missing => None,
            Found::Text(text) => Some(text),
        };
        let next = {
            let (again, hub, text, head) = (ctx.clone(), hub.clone(), text.clone(), head.clone());
            let write = move |tx: &mut Tx<'_>| meet(tx, &again, &hub, text.as_deref(), &head, decision);
            ctx.db().write(write).await?
        };
        let new = match next {
            Next::Done => return Ok(true),
            Next::Waits => return Ok(false),
            Next::Write(new) => new,
        };
        let written = {
            let new = new.clone();
            blocking(move || disk::write(&folder, text.as_deref(), &new)).await?
        };
        match written {
            Ok(true) => {
                let (account, id, now_ms) = (hub.account.clone(), hub.id.clone(), ctx.now_ms());
                let write = move |tx: &mut Tx<'_>| {
                    let mirror =
                        Mirror { base: Some(new), head, state: SYNCED.into(), synced_ms: now_ms, ..Mirror::default() };
                    store(tx, &account, &id, &mirror)
                };
                ctx.db().write(write).await?;
                return Ok(true);
            }
            // Another program wrote it since: both are read again.
            Ok(false) => {}
            Err(error) => {
                note_problem(ctx, hub, format!("Can't write tasks.md: {error}.")).await?;
                return Ok(false);
            }
        }
    }
    Ok(false)
}

async fn note_problem(ctx: &Ctx, hub: &HubFolder, detail: String) -> Result<()> {
    let (account, id) = (hub.account.clone(), hub.id.clone());
    let write = move |tx: &mut Tx<'_>| {
        let before = load(tx, &account, &id)?.unwrap_or_default();
        let after = Mirror { state: PROBLEM.into(), detail, removes: 0, ..before.clone() };
        if before == after { Ok(()) } else { store(tx, &account, &id, &after) }
    };
    ctx.db().write(write).await
}

/// Brings the file's changes into the tasks, and says what the file should be.
fn meet(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    hub: &HubFolder,
    text: Option<&str>,
    head: &str,
    decision: Option<Decision>,
) -> Result<Next> {
    let (account, id) = (hub.account.as_str(), hub.id.as_str());
    let known = load(tx, account, id)?.unwrap_or_default();
    let tasks = crate::outline::in_order(rows::all(tx, account, Some(id))?);
    if text.is_none() && known.base.is_none() && tasks.is_empty() {
        return Ok(Next::Done);
    }
    let file = File::parse(text.unwrap_or_default());
    let hold = |tx: &mut Tx<'_>, state: &str, detail: String, removes: usize| {
        let held = Mirror { state: state.into(), detail, removes: removes as i64, ..known.clone() };
        if held != known {
            store(tx, account, id, &held)?;
        }
        Ok(Next::Waits)
    };
    if file.has_conflict() {
        let detail = "tasks.md has conflict markers of a merge. Resolve them first.".to_owned();
        return hold(tx, PROBLEM, detail, 0);
    }
    let (base, pending) = (known.base.as_deref().map(File::parse), known.pending.as_deref().map(File::parse));
    let written = Written { base: base.as_ref(), pending: pending.as_ref() };
    let caller = Caller::new(Kind::Owner, account, BY);
    let Plan { mut steps, ids, removes, of } = {
        let find = |task: &str| rows::find(tx, account, task);
        merge::plan(id, &file, written, &tasks, find, random_id)?
    };
    if decision == Some(Decision::Keep) {
        steps.retain(|step| !matches!(step, crate::edit::Step::Delete { .. }));
    } else if decision.is_none() && removes > 0 {
        let is_missing = text.is_none();
        let is_many = removes > REMOVES_FREE && removes * 100 > of * REMOVES_PERCENT;
        let is_other_branch = !known.head.is_empty() && known.head != head;
        if is_missing || is_many || is_other_branch {
            let why = match (is_missing, is_other_branch) {
                (true, _) => "tasks.md is missing",
                (_, true) => "Another branch is checked out, and its tasks.md lacks tasks",
                _ => "tasks.md lacks many tasks",
            };
            return hold(tx, HELD, format!("{why}."), removes);
        }
    }
    let tasks = if steps.is_empty() {
        tasks
    } else {
        edit(tx, ctx, &caller, steps, |at| format!("/{at}"))?;
        crate::outline::in_order(rows::all(tx, account, Some(id))?)
    };
    let new = print(ctx, &file, &ids, &tasks);
    let is_same = text == Some(new.as_str());
    let after = Mirror {
        base: if is_same { Some(new.clone()) } else { known.base.clone() },
        pending: (!is_same).then(|| new.clone()),
        head: if is_same { head.to_owned() } else { known.head.clone() },
        state: SYNCED.into(),
        detail: String::new(),
        removes: 0,
        synced_ms: if is_same && known.state == SYNCED && known.base.as_deref() == Some(&new) {
            known.synced_ms
        } else {
            ctx.now_ms()
        },
    };
    if after != known {
        store(tx, account, id, &after)?;
    }
    Ok(if is_same { Next::Done } else { Next::Write(new) })
}

fn print(ctx: &Ctx, file: &File, ids: &HashMap<usize, String>, tasks: &[Task]) -> String {
    let mut levels: HashMap<&str, usize> = HashMap::new();
    let zone = ctx.home_zone();
    let day = |ms: i64| -> Option<Date> {
        let at = jiff::Timestamp::from_millisecond(ms).ok().filter(|_| ms > 0)?;
        Some(at.to_zoned(zone.clone()).date())
    };
    let shown: Vec<Shown<'_>> = tasks
        .iter()
        .map(|task| {
            let level = levels.get(task.parent.as_str()).map_or(0, |above| above + 1);
            levels.insert(&task.id, level);
            Shown { task, level, finished_on: day(task.finished_ms) }
        })
        .collect();
    merge::render(file, ids, &shown).print()
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| kit::error::INTERNAL.error("Reading a file was interrupted."))
}

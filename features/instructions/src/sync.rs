//! Keeps the copies of each hub's instruction file in step.
//!
//! Invariants: a file that isn't known to be ours by its hash is never written or deleted; what is about to be written is
//! stored before; nothing is deleted because its source is gone.

use crate::disk::{self, Found, Identity, Print, Source};
use crate::rows::{self, Copy, State};
use crate::settings::{
    GitMode, Mirror, agentInstructionsSyncCanonical, agentInstructionsSyncEnabled, agentInstructionsSyncGitMode,
    agentInstructionsSyncMirrors,
};
use crate::text::{below_header, copy_text, hash};
use crate::warnings::warning;
use crate::{inbox_kinds, repository};
use events::{AboutSession, Actor, Event, HasEvents};
use inbox_rows::{NewRow, Severity};
use kit::error::INTERNAL;
use kit::lookup::{HubFolder, WorkFolders};
use kit::setting::Choices;
use kit::{Ctx, Result};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use store::{HasDb, Tx};
use tokio::sync::{Mutex, MutexGuard};

/// Time until git is tried again.
const RETRY_MS: i64 = 30_000;

/// What the settings ask for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) source: &'static str,
    pub(crate) mirrors: Vec<&'static str>,
    pub(crate) mode: GitMode,
}

impl Wanted {
    pub(crate) fn read(ctx: &Ctx, account: &str) -> Wanted {
        let source = ctx.setting(account, &agentInstructionsSyncCanonical).as_str();
        let mirrors = ctx.setting(account, &agentInstructionsSyncMirrors).into_iter().map(Mirror::as_str);
        let mode = ctx.setting(account, &agentInstructionsSyncGitMode);
        Wanted { source, mirrors: mirrors.filter(|name| *name != source).collect(), mode }
    }
}

/// What was looked at last in each hub: nothing is done again until it differs.
#[derive(Default)]
pub(crate) struct Seen {
    hubs: HashMap<(String, String), (Vec<Print>, Wanted, i64)>,
    /// Accounts whose questions were withdrawn, because the setting is off.
    off: HashSet<String>,
}

/// Lets one change of copies happen at a time.
#[derive(Default)]
pub(crate) struct Keeper(Mutex<Seen>);

impl Keeper {
    pub(crate) async fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().await
    }
}

/// The key of a file's question in the inbox.
pub(crate) fn ask_key(hub: &str, name: &str) -> String {
    format!("instruction-file:{hub}:{name}")
}

/// Runs what waits for the disk.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|fault| INTERNAL.error("Couldn't look at instruction files.").caused_by(fault))
}

/// Looks at all hubs, and brings the copies in step where something changed.
pub(crate) async fn tick(ctx: Ctx) -> Result<()> {
    let Some(folders) = ctx.find_service::<WorkFolders>() else { return Ok(()) };
    let keeper = ctx.service::<Keeper>();
    let mut seen = keeper.lock().await;
    let hubs = folders.0.hubs().await?;
    let (on, off): (Vec<_>, Vec<_>) =
        hubs.into_iter().partition(|hub| ctx.setting(&hub.account, &agentInstructionsSyncEnabled));
    let is_on: HashSet<(String, String)> = on.iter().map(|hub| (hub.account.clone(), hub.id.clone())).collect();
    seen.hubs.retain(|key, _| is_on.contains(key));
    seen.off.retain(|account| !on.iter().any(|hub| hub.account == *account));
    withdraw(&ctx, &off, &mut seen.off).await?;
    if on.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = Mirror::ALL.iter().map(|choice| choice.value).collect();
    let paths: Vec<String> = on.iter().map(|hub| hub.path.clone()).collect();
    let prints =
        blocking(move || paths.iter().map(|path| disk::prints(Path::new(path), &names)).collect::<Vec<_>>()).await?;
    for (hub, prints) in on.into_iter().zip(prints) {
        let wanted = Wanted::read(&ctx, &hub.account);
        let key = (hub.account.clone(), hub.id.clone());
        let is_same = seen.hubs.get(&key).is_some_and(|(before, asked, retry_ms)| {
            *before == prints && *asked == wanted && (*retry_ms == 0 || ctx.now_ms() < *retry_ms)
        });
        if is_same {
            continue;
        }
        let retries = match reconcile(&ctx, &hub, &wanted).await {
            Ok(retries) => retries,
            Err(error) if error.is(&store::PROGRAM_ENDING) => return Err(error),
            Err(error) => {
                tracing::warn!(hub = hub.id, error = ?error, "couldn't update copies of instruction files");
                true
            }
        };
        let retry_ms = if retries { ctx.now_ms() + RETRY_MS } else { 0 };
        seen.hubs.insert(key, (prints, wanted, retry_ms));
    }
    Ok(())
}

/// Withdraws the questions of accounts whose setting is off.
async fn withdraw(ctx: &Ctx, hubs: &[HubFolder], done: &mut HashSet<String>) -> Result<()> {
    for hub in hubs.iter().filter(|hub| !done.contains(&hub.account)) {
        let (account, folder) = (hub.account.clone(), hub.path.clone());
        let copies = ctx.db().read(move |tx| rows::copies(tx, &account, &folder)).await?;
        let keys: Vec<String> = copies
            .iter()
            .filter(|copy| copy.state == State::Waiting)
            .map(|copy| ask_key(&hub.id, &copy.name))
            .collect();
        if !keys.is_empty() {
            let (again, account) = (ctx.clone(), hub.account.clone());
            let settle = move |tx: &mut Tx<'_>| {
                keys.iter().try_for_each(|key| inbox_rows::settle(tx, &again, &account, key, "Sync is off").map(drop))
            };
            ctx.db().write(settle).await?;
        }
    }
    done.extend(hubs.iter().map(|hub| hub.account.clone()));
    Ok(())
}

/// A write that is due: in place of the file with this hash, or of none.
struct Write {
    name: String,
    bytes: Vec<u8>,
    replaces: Option<String>,
}

/// What a look at a hub's folder found.
struct Looked {
    copies: Vec<Copy>,
    writes: Vec<Write>,
    gone: Vec<Copy>,
    problem: String,
}

/// Brings a hub's copies in step. True if git has to be tried again later.
pub(crate) async fn reconcile(ctx: &Ctx, hub: &HubFolder, wanted: &Wanted) -> Result<bool> {
    let (account, folder) = (hub.account.clone(), hub.path.clone());
    let stored = ctx.db().read(move |tx| rows::copies(tx, &account, &folder)).await?;
    let (path, asked, before) = (hub.path.clone(), wanted.clone(), stored.clone());
    let Some(looked) = blocking(move || look(Path::new(&path), &asked, before)).await? else { return Ok(false) };
    let Looked { mut copies, writes, mut gone, mut problem } = looked;
    if !writes.is_empty() {
        store_pending(ctx, hub, &copies, &writes).await?;
        let path = hub.path.clone();
        let work = move || writes.into_iter().map(|write| done_write(Path::new(&path), write)).collect::<Vec<_>>();
        for (name, outcome) in blocking(work).await? {
            let Some(copy) = copies.iter_mut().find(|copy| copy.name == name) else { continue };
            match outcome {
                Ok(()) => {
                    copy.state = State::InStep;
                    copy.written_hash = std::mem::take(&mut copy.pending_hash);
                }
                Err(why) => {
                    (copy.state, copy.reason) = (State::Skipped, format!("Couldn't write {name}: {why}."));
                    if problem.is_empty() {
                        problem.clone_from(&copy.reason);
                    }
                }
            }
        }
    }
    let mut retries = false;
    if !copies.is_empty() || !gone.is_empty() {
        let folder = Path::new(&hub.path);
        let outcome = repository::settle(ctx, &hub.account, folder, wanted.mode, &mut copies, &mut gone).await?;
        retries = outcome.is_pending;
        if problem.is_empty() {
            problem = outcome.problem;
        }
    }
    store(ctx, hub, stored, copies, gone, problem).await?;
    Ok(retries)
}

/// Looks at a hub's folder, and deletes copies that are no longer wanted. None if the folder is gone.
fn look(folder: &Path, wanted: &Wanted, stored: Vec<Copy>) -> Option<Looked> {
    if !folder.is_dir() {
        return None;
    }
    let (kept, left): (Vec<Copy>, Vec<Copy>) =
        stored.into_iter().partition(|copy| wanted.mirrors.contains(&&*copy.name));
    let mut looked = Looked { copies: Vec::new(), writes: Vec::new(), gone: Vec::new(), problem: String::new() };
    for mut copy in left {
        match remove(folder, wanted, &copy) {
            Ok(()) => looked.gone.push(copy),
            Err(why) => {
                copy.state = State::Skipped;
                copy.reason = format!("Couldn't delete {}: {}.", copy.name, plain(&why));
                looked.problem.clone_from(&copy.reason);
                looked.copies.push(copy);
            }
        }
    }
    let (text, identity) = match disk::read_source(folder, wanted.source) {
        Source::Text(text, identity) => (text, identity),
        Source::Missing => {
            if !kept.is_empty() {
                looked.problem = format!("{} is missing. Its copies stay as they are.", wanted.source);
            }
            looked.copies.extend(kept);
            return Some(looked);
        }
        Source::Problem(why) => {
            looked.problem = format!("{why} Nothing is copied.");
            looked.copies.extend(kept);
            return Some(looked);
        }
    };
    let bytes = copy_text(wanted.source, &text);
    let desired = hash(&bytes);
    let files: Vec<&str> = wanted.mirrors.iter().chain([&wanted.source]).copied().collect();
    let source_text = String::from_utf8_lossy(&text);
    for name in &wanted.mirrors {
        let mut copy = kept.iter().find(|copy| copy.name == *name).cloned().unwrap_or_else(|| Copy::new(name));
        copy.warning = warning(name, wanted.source, &source_text, &files);
        let found = disk::inspect(folder, name, Some((wanted.source, &identity)));
        if let Some(replaces) = decide(&mut copy, found, &desired) {
            copy.pending_hash.clone_from(&desired);
            looked.writes.push(Write { name: (*name).to_owned(), bytes: bytes.clone(), replaces });
        }
        if copy.state == State::InStep || copy.state == State::Pending {
            copy.source = wanted.source.to_owned();
        }
        looked.copies.push(copy);
    }
    Some(looked)
}

/// Decides about a copy. What to write in place of, if something is to be written.
fn decide(copy: &mut Copy, found: Found, desired: &str) -> Option<Option<String>> {
    copy.reason.clear();
    match found {
        Found::Missing => {
            (copy.state, copy.asked_hash) = (State::Pending, String::new());
            Some(None)
        }
        Found::Blocked(why) => {
            (copy.state, copy.reason) = (State::Skipped, why);
            None
        }
        Found::File(bytes) => {
            let is = hash(&bytes);
            if is == desired {
                (copy.state, copy.written_hash, copy.pending_hash) = (State::InStep, is, String::new());
                copy.asked_hash.clear();
                None
            } else if copy.wrote(&is) {
                (copy.state, copy.asked_hash) = (State::Pending, String::new());
                Some(Some(is))
            } else if copy.state == State::Kept {
                copy.asked_hash = is;
                None
            } else {
                (copy.state, copy.asked_hash) = (State::Waiting, is);
                None
            }
        }
    }
}

/// Deletes a copy that is no longer wanted, if it still is one. One that became the source loses its header instead.
fn remove(folder: &Path, wanted: &Wanted, copy: &Copy) -> io::Result<()> {
    if copy.name != wanted.source {
        return disk::delete(folder, &copy.name, &[&copy.written_hash, &copy.pending_hash]).map(drop);
    }
    match disk::inspect(folder, &copy.name, None::<(&str, &Identity)>) {
        Found::File(bytes) if copy.wrote(&hash(&bytes)) => {
            disk::write(folder, &copy.name, below_header(&bytes), Some(&hash(&bytes)))
        }
        _ => Ok(()),
    }
}

fn done_write(folder: &Path, write: Write) -> (String, std::result::Result<(), String>) {
    let outcome = disk::write(folder, &write.name, &write.bytes, write.replaces.as_deref());
    (write.name, outcome.map_err(|why| plain(&why)))
}

/// An error without the names of temporary files, so that the same one is reported once.
fn plain(why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::Other => why.to_string(),
        kind => kind.to_string(),
    }
}

/// Stores what is about to be written, so that it's known to be ours after a crash.
async fn store_pending(ctx: &Ctx, hub: &HubFolder, copies: &[Copy], writes: &[Write]) -> Result<()> {
    let due: Vec<Copy> =
        copies.iter().filter(|copy| writes.iter().any(|write| write.name == copy.name)).cloned().collect();
    let (account, folder) = (hub.account.clone(), hub.path.clone());
    let write = move |tx: &mut Tx<'_>| due.iter().try_for_each(|copy| rows::store(tx, &account, &folder, copy));
    ctx.db().write(write).await
}

/// Stores what became of the copies, asks, and reports a problem once.
async fn store(
    ctx: &Ctx,
    hub: &HubFolder,
    stored: Vec<Copy>,
    copies: Vec<Copy>,
    gone: Vec<Copy>,
    problem: String,
) -> Result<()> {
    let (again, hub, now_ms) = (ctx.clone(), hub.clone(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let mut is_changed = !gone.is_empty();
        for copy in gone {
            rows::delete(tx, &hub.account, &hub.path, &copy.name)?;
            inbox_rows::settle(tx, &again, &hub.account, &ask_key(&hub.id, &copy.name), "No longer needed")?;
        }
        for mut copy in copies {
            let before = stored.iter().find(|before| before.name == copy.name);
            ask(tx, &again, &hub, &copy, before)?;
            if before != Some(&copy) {
                is_changed = true;
                copy.changed_ms = now_ms;
            }
            // A pending write was stored since, so what is the same as before is stored, too.
            rows::store(tx, &hub.account, &hub.path, &copy)?;
        }
        if rows::store_problem(tx, &hub.account, &hub.path, &problem)? {
            is_changed = true;
            report(tx, &again, &hub, &problem)?;
        }
        if is_changed {
            announce(tx, &again, &hub);
        }
        Ok(())
    };
    ctx.db().write(write).await
}

/// Asks about a file that waits for a decision, or withdraws the question.
fn ask(tx: &mut Tx<'_>, ctx: &Ctx, hub: &HubFolder, copy: &Copy, before: Option<&Copy>) -> Result<()> {
    let key = ask_key(&hub.id, &copy.name);
    if copy.state != State::Waiting {
        return inbox_rows::settle(tx, ctx, &hub.account, &key, "No longer needed").map(drop);
    }
    let is_same = before.is_some_and(|before| before.asked_hash == copy.asked_hash);
    if is_same && inbox_rows::is_open(tx, &hub.account, &key)? {
        return Ok(());
    }
    let title = format!("Replace {} in {}?", copy.name, hub.name);
    let body = "You or another tool wrote this file. Compare it with the copy, then replace or keep it.";
    let link = format!("/app/instruction-files?hub={}&file={}", hub.id, copy.name);
    let row = NewRow {
        key: Some(&key),
        body,
        severity: Severity::Warning,
        link: Some(&link),
        project_id: Some(&hub.id),
        ..NewRow::new(&inbox_kinds::ASK, &title, Actor::program(None))
    };
    inbox_rows::post(tx, ctx, &hub.account, &row).map(drop)
}

/// Reports a problem, or that there is none any more.
fn report(tx: &mut Tx<'_>, ctx: &Ctx, hub: &HubFolder, problem: &str) -> Result<()> {
    let key = format!("instruction-notice:{}", hub.id);
    if problem.is_empty() {
        return inbox_rows::settle(tx, ctx, &hub.account, &key, "Solved").map(drop);
    }
    let title = format!("Instruction files of {} aren't in step", hub.name);
    let row = NewRow {
        key: Some(&key),
        body: problem,
        severity: Severity::Warning,
        link: Some("/app/instruction-files"),
        project_id: Some(&hub.id),
        ..NewRow::new(&inbox_kinds::NOTICE, &title, Actor::program(None))
    };
    inbox_rows::post(tx, ctx, &hub.account, &row).map(drop)
}

pub(crate) fn announce(tx: &mut Tx<'_>, ctx: &Ctx, hub: &HubFolder) {
    // About no session: instruction files are the user's own.
    let about = AboutSession { id: "".into(), parent: None };
    let (bus, account, hub_id) = (ctx.events(), hub.account.clone(), hub.id.clone());
    tx.after_commit(move || bus.emit_about(&account, about, Event::InstructionFilesChanged { hub_id }));
}

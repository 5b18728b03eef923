//! The apps of all accounts: started, watched, restarted, and ended here.

use crate::errors::{APP_FOLDER, APP_LIMIT, APP_NAME_TAKEN, APP_START};
use crate::log::Log;
use crate::place::Place;
use events::{Event, HasEvents};
use kit::error::{CONFLICT, INTERNAL};
use kit::{Ctx, Result, new_id, not_found};
use platform::background::{self, Plan, Started};
use platform::ports::{self, Listening};
use platform::process::{Mark, Root, end_tree, pids_of_tree};
use platform::terminal::starts_with;
use proxy::{Routes, Target};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Maximum apps of an account, ended ones included.
pub(crate) const APPS_MAX: usize = 100;
/// The variable by which the processes of an app are known.
const MARK: &str = "PILOTHOUSE_APP_ID";
/// Variables of Pilothouse and its sessions, which apps don't get.
const OWN_BEGIN: [&str; 2] = ["APP_", "PILOTHOUSE_"];
/// How long processes may take to end before they are ended by force.
const GRACE: Duration = Duration::from_secs(2);
/// How long the last output is waited for after an app's end: a process may hold it open.
const LAST_OUTPUT: Duration = Duration::from_millis(500);
/// How often the ports are looked at, also while one starts.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const LOOK_EVERY_AT_START: Duration = Duration::from_millis(100);
/// Lines that the proxy's page about an ended app shows.
const SHOWN_LINES: usize = 20;

/// An app, running or ended.
pub(crate) struct App {
    pub(crate) id: String,
    pub(crate) account: String,
    /// The name, after the branch of a worktree: `fix.web`.
    pub(crate) name: String,
    /// What stands before `.localhost`. Differs from the name where another account has an app with the same.
    host: String,
    pub(crate) place: Place,
    command: Vec<String>,
    /// The command as written.
    pub(crate) shown: String,
    search_path: Option<String>,
    pub(crate) log: Arc<Log>,
    run: Mutex<Run>,
    /// Changes with each change of the state.
    changes: watch::Sender<()>,
    /// Held while it is restarted or stopped.
    turn: tokio::sync::Mutex<()>,
}

/// One run of an app's command.
#[derive(Clone)]
pub(crate) struct Run {
    /// Counts restarts.
    number: u64,
    pub(crate) pid: u32,
    root: Option<Root>,
    /// The port that it was told to use.
    pub(crate) port: u16,
    /// Where it listens now.
    pub(crate) address: Option<SocketAddr>,
    was_up: bool,
    pub(crate) started_ms: i64,
    /// Whether it was stopped here.
    pub(crate) was_stopped: bool,
    pub(crate) ended: Option<Ended>,
}

/// The end of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) at_ms: i64,
    pub(crate) exit_code: Option<i32>,
}

/// An app's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Runs, and hasn't listened yet.
    Starting,
    /// Runs and listens.
    Up,
    /// Runs, and doesn't listen anymore.
    Down,
    /// Has ended.
    Ended,
}

impl Run {
    pub(crate) fn state(&self) -> State {
        match (self.ended, self.address) {
            (Some(_), _) => State::Ended,
            (None, Some(_)) => State::Up,
            (None, None) if self.was_up => State::Down,
            (None, None) => State::Starting,
        }
    }
}

impl App {
    pub(crate) fn run(&self) -> Run {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Run> {
        self.run.lock().expect("the lock isn't poisoned")
    }

    fn is_running(&self) -> bool {
        self.lock().ended.is_none()
    }

    fn mark(&self) -> Mark {
        Mark { name: MARK.into(), value: self.id.clone() }
    }

    /// Ends its processes. Returns once they are gone and that is known.
    async fn end(self: &Arc<Self>) {
        let root = {
            let mut run = self.lock();
            if run.ended.is_some() {
                return;
            }
            run.was_stopped = true;
            run.root
        };
        let mut changes = self.changes.subscribe();
        let mark = self.mark();
        match tokio::task::spawn_blocking(move || end_tree(&mark, root, GRACE)).await {
            Ok(0) => while self.is_running() && changes.changed().await.is_ok() {},
            left => tracing::warn!(?left, app = self.name, "processes of a stopped app are still running"),
        }
    }

    /// Where it listens now: on the port that it was told to use, else where it did before, else anywhere.
    fn look(&self, listening: &Listening) -> (u64, Option<SocketAddr>) {
        let run = self.run();
        let told = listening.at(run.port);
        let before = || run.address.and_then(|address| listening.at(address.port()));
        let own = || listening.of_processes(&pids_of_tree(&self.mark(), run.root));
        (run.number, told.or_else(before).or_else(own))
    }
}

/// What is started.
pub(crate) struct NewApp {
    pub(crate) name: String,
    pub(crate) command: Vec<String>,
    /// The command as written.
    pub(crate) shown: String,
    pub(crate) search_path: Option<String>,
    pub(crate) place: Place,
}

/// All apps.
#[derive(Default)]
pub(crate) struct Apps {
    /// By id, so by time.
    all: Mutex<BTreeMap<String, Arc<App>>>,
    is_closing: AtomicBool,
    /// The proxy's port; 0 while it doesn't listen.
    proxy_port: AtomicU16,
    /// Held while an app is added, so that names and the limit hold.
    starts: tokio::sync::Mutex<()>,
    is_watched: AtomicBool,
    wake: Notify,
}

impl Apps {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Arc<App>>> {
        self.all.lock().expect("the lock isn't poisoned")
    }

    fn running(&self) -> Vec<Arc<App>> {
        self.all().values().filter(|app| app.is_running()).cloned().collect()
    }

    /// The account's apps, oldest first.
    pub(crate) fn of_account(&self, account: &str) -> Vec<Arc<App>> {
        self.all().values().filter(|app| app.account == account).cloned().collect()
    }

    /// One of the account's apps.
    pub(crate) fn one(&self, account: &str, id: &str) -> Result<Arc<App>> {
        let found = self.all().get(id).filter(|app| app.account == account).cloned();
        found.ok_or_else(not_found)
    }

    pub(crate) fn set_proxy_port(&self, port: u16) {
        self.proxy_port.store(port, Ordering::SeqCst);
    }

    /// The app's URL, while the proxy listens.
    pub(crate) fn url(&self, app: &App) -> Option<String> {
        let port = self.proxy_port.load(Ordering::SeqCst);
        (port != 0).then(|| format!("http://{}.localhost:{port}/", app.host))
    }

    /// Starts an app. One with its name that has ended goes.
    pub(crate) async fn start(self: &Arc<Self>, ctx: &Ctx, account: &str, new: NewApp) -> Result<Arc<App>> {
        let _start = self.starts.lock().await;
        let name = match &new.place.branch {
            Some(branch) => format!("{branch}.{}", new.name),
            None => new.name,
        };
        let own = self.of_account(account);
        let same = own.iter().find(|app| app.name == name).cloned();
        if let Some(app) = same.as_ref().filter(|app| app.is_running()) {
            let detail = format!(
                "{name} is running in {} (process {}). Stop it with `pilothouse apps stop {name}`, or choose another name.",
                app.place.folder.display(),
                app.run().pid,
            );
            return Err(APP_NAME_TAKEN.error(detail));
        }
        let replaced = match same {
            Some(same) => Some(same),
            None if own.len() < APPS_MAX => None,
            None => {
                let ended = own.iter().find(|app| !app.is_running()).cloned();
                let full = || APP_LIMIT.error(format!("{APPS_MAX} apps are running. Stop one first."));
                Some(ended.ok_or_else(full)?)
            }
        };
        let id = new_id();
        let host = self.free_host(account, &name);
        let launch = Launch { id: &id, command: &new.command, search_path: new.search_path.as_deref() };
        let (started, port) = launch.start(&new.place, None).await?;
        let log = Arc::new(Log::new());
        let run = first_run(&started, port, ctx.now_ms());
        let app = Arc::new(App {
            id: id.clone(),
            account: account.to_owned(),
            name,
            host,
            place: new.place,
            command: new.command,
            shown: new.shown,
            search_path: new.search_path,
            log,
            run: Mutex::new(run),
            changes: watch::Sender::new(()),
            turn: tokio::sync::Mutex::default(),
        });
        {
            let mut all = self.all();
            if let Some(replaced) = replaced {
                all.remove(&replaced.id);
            }
            all.insert(id, app.clone());
        }
        tokio::spawn(follow(ctx.clone(), app.clone(), 0, started));
        self.watch(ctx);
        if self.is_closing.load(Ordering::SeqCst) {
            app.end().await;
            return Err(CONFLICT.error("Pilothouse is closing."));
        }
        told(ctx, account);
        Ok(app)
    }

    /// The name, or if another account's running app has it, the name with a number.
    fn free_host(&self, account: &str, name: &str) -> String {
        let others: Vec<String> =
            self.running().into_iter().filter(|app| app.account != account).map(|app| app.host.clone()).collect();
        let numbered = |number: usize| {
            // Leaves room for the number within a label.
            let (before, label) = name.rsplit_once('.').map_or(("", name), |(before, label)| (before, label));
            let dot = if before.is_empty() { "" } else { "." };
            format!("{before}{dot}{}-{number}", label[..label.len().min(59)].trim_end_matches('-'))
        };
        let mut hosts = std::iter::once(name.to_owned()).chain((2..).map(numbered));
        hosts.find(|host| !others.contains(host)).expect("there are more numbers than apps")
    }

    /// Ends an app. It stays in the list.
    pub(crate) async fn stop(&self, app: &Arc<App>) {
        let _turn = app.turn.lock().await;
        app.end().await;
    }

    /// Ends an app and starts its command again, on the same port if that is free.
    pub(crate) async fn restart(self: &Arc<Self>, ctx: &Ctx, app: &Arc<App>) -> Result<()> {
        let _turn = app.turn.lock().await;
        app.end().await;
        let folder = app.place.folder.clone();
        let is_there = tokio::task::spawn_blocking(move || folder.is_dir()).await;
        if !is_there.map_err(|fault| INTERNAL.error("Couldn't check the folder.").caused_by(fault))? {
            return Err(APP_FOLDER.error(format!("{} doesn't exist.", app.place.folder.display())));
        }
        let _start = self.starts.lock().await;
        let taken = self.running().into_iter().find(|other| other.account == app.account && other.name == app.name);
        if taken.is_some() || self.one(&app.account, &app.id).is_err() {
            return Err(APP_NAME_TAKEN.error(format!("{} was replaced by another run. Restart that one.", app.name)));
        }
        let before = app.run();
        let launch = Launch { id: &app.id, command: &app.command, search_path: app.search_path.as_deref() };
        let (started, port) = launch.start(&app.place, Some(before.port)).await?;
        let number = before.number + 1;
        *app.lock() = Run { number, ..first_run(&started, port, ctx.now_ms()) };
        tokio::spawn(follow(ctx.clone(), app.clone(), number, started));
        self.wake.notify_one();
        if self.is_closing.load(Ordering::SeqCst) {
            app.end().await;
        }
        told(ctx, &app.account);
        Ok(())
    }

    /// Ends an app and removes it from the list.
    pub(crate) async fn remove(&self, ctx: &Ctx, app: &Arc<App>) {
        self.stop(app).await;
        self.all().remove(&app.id);
        told(ctx, &app.account);
    }

    /// Ends all apps, and keeps none that starts later.
    pub(crate) async fn close_all(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
        let all = std::mem::take(&mut *self.all());
        let ends: Vec<_> = all.into_values().map(|app| tokio::spawn(async move { app.end().await })).collect();
        for end in ends {
            let _ = end.await;
        }
    }

    /// Watches the ports of running apps from the first one on.
    fn watch(self: &Arc<Self>, ctx: &Ctx) {
        if !self.is_watched.swap(true, Ordering::SeqCst) {
            tokio::spawn(watch_ports(ctx.clone(), self.clone()));
        }
        self.wake.notify_one();
    }
}

impl Routes for Apps {
    fn target(&self, name: &str) -> Target {
        let all = self.all();
        let mut found = all.values().filter(|app| app.host == name);
        let first = found.next();
        let Some(app) = first.filter(|app| app.is_running()).or_else(|| found.find(|app| app.is_running())).or(first)
        else {
            return Target::Unknown;
        };
        let run = app.run();
        match (run.ended, run.address) {
            (Some(ended), _) => Target::Ended { exit_code: ended.exit_code, lines: app.log.last(SHOWN_LINES, 0).1 },
            (None, Some(address)) => Target::Up(address),
            (None, None) => Target::Starting,
        }
    }

    fn running(&self) -> Vec<String> {
        let mut names: Vec<String> = Apps::running(self).iter().map(|app| app.host.clone()).collect();
        names.sort();
        names
    }
}

fn first_run(started: &Started, port: u16, now_ms: i64) -> Run {
    Run {
        number: 0,
        pid: started.pid,
        root: started.root,
        port,
        address: None,
        was_up: false,
        started_ms: now_ms,
        was_stopped: false,
        ended: None,
    }
}

fn told(ctx: &Ctx, account: &str) {
    ctx.events().emit(Some(account), Event::AppsChanged);
}

/// A command to start.
struct Launch<'a> {
    id: &'a str,
    command: &'a [String],
    search_path: Option<&'a str>,
}

impl Launch<'_> {
    /// Starts it off the threads that answer, with a free port.
    async fn start(&self, place: &Place, port: Option<u16>) -> Result<(Started, u16)> {
        let (id, command, folder) = (self.id.to_owned(), self.command.to_vec(), place.folder.clone());
        let search_path = self.search_path.map(OsString::from);
        let program = self.command.first().cloned().unwrap_or_default();
        let runtime = tokio::runtime::Handle::current();
        let started = tokio::task::spawn_blocking(move || {
            let _runtime = runtime.enter();
            let port = ports::free(port)?;
            let env = environment(std::env::vars_os(), &id, port, search_path);
            background::start(Plan { command: &command, folder: &folder, env }).map(|started| (started, port))
        });
        let started = started.await.map_err(|fault| INTERNAL.error("Couldn't start the app.").caused_by(fault))?;
        started.map_err(|why| match why.kind() {
            std::io::ErrorKind::NotFound => APP_START.error(format!(
                "{program} isn't installed or isn't on PATH. Check the command, or give the program's whole path."
            )),
            _ => APP_START.error(format!("Couldn't start {program}: {why}.")),
        })
    }
}

/// The environment of an app: this program's, without its own variables, and with the port to listen on.
fn environment(
    own: impl Iterator<Item = (OsString, OsString)>,
    id: &str,
    port: u16,
    search_path: Option<OsString>,
) -> Vec<(OsString, OsString)> {
    let is_foreign = |name: &OsString| !OWN_BEGIN.iter().any(|start| starts_with(name, start));
    let added = [("PORT", port.to_string()), ("HOST", "127.0.0.1".to_owned()), (MARK, id.to_owned())];
    let added = added.into_iter().map(|(name, value)| (name.into(), value.into()));
    let path = search_path.map(|path| ("PATH".into(), path));
    own.filter(|(name, _)| is_foreign(name)).chain(path).chain(added).collect()
}

/// Reads an app's output, and waits for its end.
async fn follow(ctx: Ctx, app: Arc<App>, number: u64, started: Started) {
    let Started { input, output, errors, exited, root, .. } = started;
    let log = app.log.clone();
    let reading = tokio::spawn(async move {
        let out = async {
            if let Some(output) = output {
                log.read(output).await;
            }
        };
        let err = async {
            if let Some(errors) = errors {
                log.read(errors).await;
            }
        };
        tokio::join!(out, err);
    });
    let exit_code = exited.await;
    drop(input);
    // What it left running has nobody anymore.
    let mark = app.mark();
    let _ = tokio::task::spawn_blocking(move || end_tree(&mark, root, GRACE)).await;
    let stop_reading = reading.abort_handle();
    if tokio::time::timeout(LAST_OUTPUT, reading).await.is_err() {
        stop_reading.abort();
    }
    {
        let mut run = app.lock();
        if run.number != number {
            return;
        }
        run.address = None;
        run.ended = Some(Ended { at_ms: ctx.now_ms(), exit_code });
    }
    app.changes.send_replace(());
    told(&ctx, &app.account);
}

/// Looks where apps listen, while some run.
async fn watch_ports(ctx: Ctx, apps: Arc<Apps>) {
    while !apps.is_closing.load(Ordering::SeqCst) {
        let running = apps.running();
        if running.is_empty() {
            apps.wake.notified().await;
            continue;
        }
        let is_starting = running.iter().any(|app| app.run().state() == State::Starting);
        tokio::time::sleep(if is_starting { LOOK_EVERY_AT_START } else { LOOK_EVERY }).await;
        let look = move || {
            let listening = Listening::now();
            running.into_iter().map(|app| (app.look(&listening), app)).collect::<Vec<_>>()
        };
        let Ok(found) = tokio::task::spawn_blocking(look).await else { continue };
        for ((number, address), app) in found {
            let has_changed = {
                let mut run = app.lock();
                let is_same = run.number != number || run.ended.is_some() || run.address == address;
                if !is_same {
                    run.address = address;
                    run.was_up |= address.is_some();
                }
                !is_same
            };
            if has_changed {
                app.changes.send_replace(());
                told(&ctx, &app.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_gets_its_port_and_no_variable_of_pilothouse() {
        let own = ["HOME=/home/ida", "APP_CLI_TOKEN=secret", "PILOTHOUSE_DATA_DIR=/data", "PATH=/bin"];
        let own = own.iter().map(|one| one.split_once('=').map(|(name, value)| (name.into(), value.into())).unwrap());
        let given = environment(own, "a1", 4000, Some("/usr/bin".into()));
        let given: Vec<_> =
            given.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
        let wanted =
            ["HOME=/home/ida", "PATH=/bin", "PATH=/usr/bin", "PORT=4000", "HOST=127.0.0.1", "PILOTHOUSE_APP_ID=a1"];
        assert_eq!(given, wanted);
    }
}

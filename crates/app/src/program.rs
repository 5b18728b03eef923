//! Start-up and shut-down.

use crate::{embedded::Embedded, features, login_socket, public_door};
use accounts::{LoginCodes, Tokens};
use events::{Bus, Event, HasEvents};
use kit::clock::{HomeZone, SystemClock};
use kit::lookup::{DesktopWindow, OpenPage, Served};
use kit::{Authenticator, Ctx, DataDir, SpareDir, new_id};
use schedule::{HasSchedule, Schedule};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::{Db, HasDb};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// The signal for exceeding the file size limit, on Linux and macOS.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const SIGXFSZ: i32 = 25;
/// Milliseconds for open requests to finish at shut-down.
const FINISH_MS: u64 = 6_000;
/// Time for a write in progress after that. An interrupted write isn't on disk and wasn't reported as saved.
const LAST_WRITE: Duration = Duration::from_secs(1);
/// Time for threads that still read, after everything else has ended.
const LAST: Duration = Duration::from_secs(2);

/// Options of a start.
pub struct Options {
    /// The data directory.
    pub dir: PathBuf,
    /// The control server's port; 0 lets the system choose.
    pub port: u16,
    /// The port of published pages; 0 lets the system choose.
    pub publish_port: u16,
    /// The port of the proxy of running apps; 0 lets the system choose.
    pub apps_port: u16,
    /// Whether to open the page in the browser.
    pub open: bool,
    /// The program's file, for restarts.
    pub program: platform::Program,
}

/// Action after Pilothouse has ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Then {
    /// Nothing.
    Exit,
    /// Start again with the same arguments.
    StartAgain {
        /// The port, if the system chose it, to use it again for open pages.
        chosen: Option<u16>,
    },
}

/// Why the start failed, as a message for the user.
pub type Failure = String;

/// Opens the data directory and starts every feature, without any door.
#[cfg(test)]
pub async fn open(dir: &Path) -> Result<Ctx, Failure> {
    start_features(dir, Ctx::new(Arc::new(SystemClock))).await
}

/// The same, for a command while Pilothouse is stopped.
pub async fn open_stopped(dir: &Path) -> Result<Ctx, Failure> {
    let ctx = Ctx::new(Arc::new(SystemClock));
    ctx.provide(Arc::new(settings::Stopped));
    start_features(dir, ctx).await
}

async fn start_features(dir: &Path, ctx: Ctx) -> Result<Ctx, Failure> {
    // Another user's directory stays unchanged.
    if dir.is_dir() {
        accounts::own_folder(dir).map_err(|e| e.to_string())?;
    }
    // Waits for a Pilothouse that is ending, but not for one that has started and can be reached.
    let waits = || !crate::runs_already(dir);
    let db = Db::open_while(&dir.join(store::FILE_NAME), &features::migrations(), waits).map_err(|e| e.to_string())?;
    ctx.provide(Arc::new(db));
    ctx.provide(Arc::new(Bus::default()));
    ctx.provide(Arc::new(DataDir(dir.to_owned())));
    ctx.provide(Arc::new(SpareDir(std::env::temp_dir())));
    ctx.provide(Arc::new(HomeZone::of_system()));
    ctx.provide(Arc::new(features::catalog()));
    ctx.provide(Arc::new(Schedule::new(&features::all())));
    ctx.provide(Arc::new(vaults(dir)));
    ctx.provide(Arc::new(platform::resources::Trees::default()));
    if let Some(address) = messages_address() {
        ctx.provide(Arc::new(developer_messages::Address(address)));
    }
    for feature in features::all() {
        (feature.start)(ctx.clone()).await.map_err(|e| e.to_string())?;
    }
    Ok(ctx)
}

/// Variable that turns the control of power and priorities off with `off`.
const POWER: &str = "PILOTHOUSE_POWER";
/// Variable that turns the system's keychain off with `off`.
const KEYCHAIN: &str = "PILOTHOUSE_KEYCHAIN";

/// Where messages from the developers are: configured for this start, else when the program was built.
fn messages_address() -> Option<String> {
    let here = std::env::var("PILOTHOUSE_MESSAGES_URL").ok();
    here.or_else(|| option_env!("PILOTHOUSE_MESSAGES_URL").map(str::to_owned)).filter(|address| !address.is_empty())
}

/// Storage of secrets: the system's keychain, or encrypted files if it isn't running or turned off.
fn vaults(dir: &Path) -> secrets::Vaults {
    let is_off = std::env::var_os(KEYCHAIN).is_some_and(|said| said == "off");
    if is_off { secrets::Vaults::in_files(dir) } else { secrets::Vaults::of_system(dir) }
}

/// HTTP can't express dates before 1970, which a clock that was never set can have.
fn expect_clock(now: SystemTime) -> Result<(), Failure> {
    if now < UNIX_EPOCH {
        return Err(
            "This computer's clock is before 1970. Set it to the current time, then start Pilothouse again.".into()
        );
    }
    Ok(())
}

/// Runs until it is asked to stop.
pub async fn run(options: Options) -> Result<Then, Failure> {
    expect_clock(SystemTime::now())?;
    let (address, listening) = watch::channel(None);
    let ctx = Ctx::new(Arc::new(SystemClock));
    ctx.provide(Arc::new(Served(Box::new(move || Box::pin(address_of(listening.clone()))))));
    let ctx = start_features(&options.dir, ctx).await?;
    let tokens = ctx.service::<Tokens>();
    let controlled = ctx.setting(tokens.first_account(), &settings::cliServerEnabled);
    // If the control server is off, its port stays closed and the page is served on a port that the system chooses.
    let listeners = match if controlled { options.port } else { 0 } {
        0 => bind_any(platform::port_before()).await?,
        port => bind(port, "--port").await?,
    };
    if !controlled {
        ctx.provide(Arc::new(accounts::PrivatePage));
    }
    let port = listeners[0].local_addr().map_err(|e| e.to_string())?.port();
    let base_url = format!("http://127.0.0.1:{port}");
    address.send_replace(Some(Arc::from(base_url.as_str())));
    let instance_id = new_id();
    let (stop, stopped) = watch::channel(None);
    let hook = restart_hook(&ctx, &options, stop.clone(), (controlled, port));
    ctx.provide(Arc::new(hook.of_instance(&instance_id)));
    let door = server::Door {
        ctx: ctx.clone(),
        ops: features::ops(),
        pages: Arc::new(Embedded(ctx.clone())),
        authenticator: tokens.clone() as Arc<dyn Authenticator>,
        instance_id: instance_id.clone(),
        version: env!("CARGO_PKG_VERSION"),
        codes: features::codes(),
        only: if controlled { server::Access::Full } else { server::Access::OwnerPageOnly },
        limits: server::Limits::default(),
    };
    let serving = tokio::spawn(door.serve(listeners, until_stopped(stopped.clone())));
    let publishing =
        public_door::keep(&ctx, options.publish_port, server::Limits::default(), until_stopped(stopped.clone()));

    let proxying = running_apps::serve(&ctx, options.apps_port, until_stopped(stopped.clone())).await;

    let login = {
        let (ctx, base_url, account) = (ctx.clone(), base_url.clone(), tokens.first_account().to_owned());
        move || format!("{base_url}/app/#c={}", ctx.service::<LoginCodes>().make(&account, ctx.now_ms()))
    };
    let (pressed, buttons) = tokio::sync::mpsc::channel(16);
    ctx.provide(Arc::new(notifications::Notifier(platform::notifications::desktop(pressed))));
    notifications::follow_buttons(ctx.clone(), buttons);
    let speaker = Arc::new(sound::Speaker::default());
    notifications::play_sounds_with(&ctx, speaker.clone());
    alarms::play_with(&ctx, speaker).await.map_err(|e| e.to_string())?;
    ctx.provide(Arc::new(page_opener(&ctx, login.clone())));
    ctx.provide(Arc::new(kit::lookup::Quit({
        let stop = stop.clone();
        Box::new(move || _ = stop.send_replace(Some(Then::Exit)))
    })));
    ctx.provide(Arc::new(window::LoginItem(options.program.clone())));
    window::show_tray(&ctx);
    // A container has nothing that could sleep, and no service that keeps it awake.
    if std::env::var_os(POWER).is_none_or(|said| said != "off") {
        let trees = ctx.service::<platform::resources::Trees>();
        resources::govern(&ctx, Arc::new(platform::resources::Here((*trees).clone())));
    }
    if !controlled {
        // Without it, signed-in pages still work and can turn the control server on.
        if let Err(error) = login_socket::listen(&options.dir, login.clone(), until_stopped(stopped.clone())) {
            tracing::warn!(%error, "`pilothouse open` can't reach Pilothouse while its control server is off; a data directory with a shorter path may help");
        }
    }
    let instance = instance_json(&options.dir, &base_url, &instance_id, controlled);
    let instance_file = options.dir.join("instance.json");
    if let Err(e) = write_whole(&instance_file, &instance) {
        // The disk is full: reading still works, and the command line accepts --url.
        tracing::warn!("Couldn't write {}: {e}", instance_file.display());
    }
    let shown = tokio::spawn(keep_written(ctx.db(), instance_file.clone(), instance));
    let backups = tokio::spawn({
        let ctx = ctx.clone();
        async move { ctx.db().keep_backups(|| ctx.now_ms()).await }
    });
    let schedule = ctx.schedule();
    schedule.load(&ctx).await.map_err(|e| e.to_string())?;
    schedule.start(&ctx);
    // Before the line is printed, because its reader may stop Pilothouse immediately.
    let mut asked = pin!(asked_to_stop()?);
    announce(&base_url, &options.dir, options.open, login);
    let is_asked = tokio::select! {
        () = &mut asked => true,
        () = until_stopped(stopped) => false,
    };
    if is_asked {
        stop.send_replace(Some(Then::Exit));
    }
    let mut end = pin!(async {
        // From here on whoever looks for the program finds none, and waits for the directory instead. Where the directory was
        // moved away, its path may be another program's by now, with files of its own.
        shown.abort();
        let _ = shown.await;
        if ctx.db().is_in_place() {
            let _ = std::fs::rename(&instance_file, room_of(&instance_file));
        }
        let stopping = async {
            for feature in features::all() {
                (feature.stop)(ctx.clone()).await;
            }
        };
        let all = async { tokio::join!(serving, publishing, proxying, stopping) };
        let finished = tokio::time::timeout(Duration::from_millis(FINISH_MS), all).await;
        if ctx.db().is_in_place() {
            let _ = std::fs::remove_file(options.dir.join(login_socket::NAME));
        }
        if finished.is_err() {
            tracing::warn!("requests under way, or what features had started, did not end within {FINISH_MS} ms");
        }
        backups.abort();
        close(&ctx.db(), LAST_WRITE).await;
    });
    tokio::select! {
        () = &mut end => {}
        // A request to stop during a restart stops it.
        () = &mut asked, if !is_asked => {
            stop.send_replace(Some(Then::Exit));
            end.await;
        }
    }
    let then = (*stop.borrow()).unwrap_or(Then::Exit);
    Ok(then)
}

/// Opens pages from notifications in the desktop window, or else in the browser, signed in, and web addresses as they are.
fn page_opener(ctx: &Ctx, login: impl Fn() -> String + Send + Sync + 'static) -> OpenPage {
    let (account, window) = (ctx.service::<Tokens>().first_account().to_owned(), ctx.service::<DesktopWindow>());
    OpenPage(Box::new(move |link| {
        if link.starts_with("/app") && window.0.raise(&account, Some(link)) {
            return;
        }
        let url = match link.strip_prefix("/app") {
            // The page takes the code from the fragment, whatever the path.
            Some(path) => login().replacen("/app/#", &format!("/app{path}#"), 1),
            None => link.to_owned(),
        };
        tokio::task::spawn_blocking(move || {
            if let Err(error) = platform::open_url(&url) {
                tracing::warn!("couldn't start a browser: {error}");
            }
        });
    }))
}

/// Restarts Pilothouse for a page or script, with the current port unless the page's address changes.
fn restart_hook(
    ctx: &Ctx,
    options: &Options,
    stop: watch::Sender<Option<Then>>,
    (controlled, port): (bool, u16),
) -> settings::RestartHook {
    let (ctx, program, asked) = (ctx.clone(), options.program.clone(), options.port);
    let account = ctx.service::<Tokens>().first_account().to_owned();
    settings::RestartHook::new(move || {
        if !program.can_start() {
            return Err(format!("{} can't be started anymore", program.path().display()));
        }
        // Turning the control server on or off changes the page's address, because scripts must not find the page at
        // the control server's port.
        let stays = ctx.setting(&account, &settings::cliServerEnabled) == controlled;
        let chosen = (stays && (!controlled || asked == 0)).then_some(port);
        ctx.events().emit(None, Event::Restarting);
        stop.send_replace(Some(Then::StartAgain { chosen }));
        Ok(())
    })
}

/// The contents of the file that commands use to find the running Pilothouse.
fn instance_json(dir: &Path, base_url: &str, instance_id: &str, controlled: bool) -> String {
    // A copy of the directory also has the file, which names the original.
    let canonical = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    json!({
        "baseUrl": base_url,
        "pid": std::process::id(),
        "instanceId": instance_id,
        "controlServer": controlled,
        // Null for a path that isn't UTF-8.
        "dataDir": canonical.to_str(),
    })
    .to_string()
}

/// Closes the database. A write that takes longer (such as a change of 100,000 items) ends with the program. Otherwise
/// the system, or a second `pilothouse`, would give up waiting.
async fn close(db: &Db, most: Duration) {
    if tokio::time::timeout(most, db.close()).await.is_err() {
        tracing::warn!("the database wasn't closed in time; changes not yet on disk are lost");
    }
}

/// Ends the threads, with a time limit.
pub fn end(runtime: Runtime) {
    runtime.shutdown_timeout(LAST);
}

/// The control server's URL, once it listens. Never resolves if it won't.
async fn address_of(mut listening: watch::Receiver<Option<Arc<str>>>) -> Arc<str> {
    if let Ok(address) = listening.wait_for(Option::is_some).await
        && let Some(address) = address.clone()
    {
        return address;
    }
    std::future::pending().await
}

async fn until_stopped(mut stopped: watch::Receiver<Option<Then>>) {
    let _ = stopped.wait_for(Option::is_some).await;
}

/// Listens on the IPv4 and IPv6 loopback addresses, not by name, which could resolve to something else. `option` sets
/// another port.
pub async fn bind(port: u16, option: &str) -> Result<Vec<TcpListener>, Failure> {
    let taken = |e: io::Error| match e.kind() {
        io::ErrorKind::AddrInUse => {
            let holder = platform::port_holder(port)
                .map_or("another program".to_owned(), |(name, pid)| format!("{name} (process {pid})"));
            format!("Port {port} is taken by {holder}. Stop it, or start Pilothouse with {option} N.")
        }
        _ => format!("Couldn't open port {port} on the loopback address: {e}."),
    };
    let v4 = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.map_err(taken)?;
    let port = v4.local_addr().map_err(|e| e.to_string())?.port();
    match TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await {
        Ok(v6) => Ok(vec![v4, v6]),
        Err(e) if e.kind() == io::ErrorKind::AddrInUse => Err(taken(e)),
        // No IPv6.
        Err(_) => Ok(vec![v4]),
    }
}

/// Listens on a port that the system chooses, or on the previous port after a restart, for open pages.
async fn bind_any(before: Option<u16>) -> Result<Vec<TcpListener>, Failure> {
    if let Some(port) = before
        && let Ok(listeners) = bind(port, "--port").await
    {
        return Ok(listeners);
    }
    bind(0, "--port").await
}

/// Interval of checks of the instance file; shorter than a second Pilothouse waits for it.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Rewrites the instance file if it's missing, as when the disk was full at the start.
async fn keep_written(db: Db, file: PathBuf, text: String) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if db.is_in_place() && std::fs::read(&file).ok().as_deref() != Some(text.as_bytes()) {
            // Logged at the start, when it first failed.
            let _ = write_whole(&file, &text);
        }
    }
}

fn announce(base_url: &str, dir: &Path, open: bool, login: impl Fn() -> String) {
    // If the line can't be printed, as on a full disk, Pilothouse still runs.
    let mut stdout = io::stdout();
    let _ = writeln!(stdout, "Pilothouse is ready at {base_url}");
    let token = dir.join("cli-token");
    let _ = writeln!(stdout, "Commands use the token in {}; `pilothouse open` signs in a browser", token.display());
    if open {
        let (page, dir) = (login(), dir.to_owned());
        let show = move || {
            if shows_window(&dir) {
                return;
            }
            if let Err(e) = platform::open_url(&page) {
                let instead = "`pilothouse open --print` prints an address to open";
                let _ = writeln!(io::stderr(), "Couldn't start a browser ({e}); {instead}.");
            }
        };
        // Can take a second, so it runs in its own thread.
        let _ = std::thread::Builder::new().name("show-page".into()).spawn(show);
    }
    if stdout.is_terminal() {
        let _ = writeln!(stdout, "Open {} (works once, within a minute; `pilothouse open` makes another)", login());
    }
}

/// Opens the desktop window where it is installed and the system lets it, and says why not.
pub fn shows_window(dir: &Path) -> bool {
    let Some(window) = platform::desktop_window() else { return false };
    match platform::open_window(&window, dir) {
        Ok(()) => true,
        Err(e) => {
            let _ = writeln!(io::stderr(), "Couldn't open the window ({e}). Opening the browser instead.");
            false
        }
    }
}

/// The temporary file for a file's next contents. It reuses the file's own space, because a full disk has none for
/// another.
fn room_of(file: &Path) -> PathBuf {
    file.with_extension("new")
}

fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let room = room_of(file);
    let is_file = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    if !is_file(&room) {
        // Removes anything else with this name, such as a link, instead of writing through it.
        let _ = std::fs::remove_file(&room);
        let _ = if is_file(file) { std::fs::rename(file, &room) } else { Ok(()) };
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(!is_file(&room));
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut fresh = options.open(&room)?;
    // An older version's file could be readable by others.
    #[cfg(unix)]
    fresh.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    fresh.write_all(text.as_bytes())?;
    fresh.set_len(text.len() as u64)?;
    std::fs::rename(&room, file)
}

/// Resolves when the system or the user asks Pilothouse to stop. Listens from the call on.
fn asked_to_stop() -> Result<impl Future<Output = ()>, Failure> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(|e| format!("Couldn't listen for signals: {e}."));
        let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
        // Its terminal was closed.
        let mut hangup = listen(SignalKind::hangup())?;
        // Exceeding the file size limit then fails the write instead of ending the program.
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        drop(listen(SignalKind::from_raw(SIGXFSZ))?);
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hangup.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        // Without a console, there is no such request.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_does_not_wait_for_a_thread_that_reads_on() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (begun, has_begun) = std::sync::mpsc::channel();
        let (hold, held) = std::sync::mpsc::channel::<()>();
        runtime.spawn_blocking(move || {
            begun.send(()).unwrap();
            let _ = held.recv();
        });
        has_begun.recv().unwrap();
        end(runtime);
        // It still runs: nobody has let it go.
        hold.send(()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_written_anew_takes_the_room_that_it_had() {
        use std::os::unix::fs::{MetadataExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (file, other) = (dir.path().join("instance.json"), dir.path().join("other"));
        let inode = || std::fs::metadata(&file).unwrap().ino();
        write_whole(&file, "a long first text").unwrap();
        let first = inode();
        // The program ended, or was killed.
        for ended in [true, false] {
            if ended {
                std::fs::rename(&file, room_of(&file)).unwrap();
            }
            write_whole(&file, "second").unwrap();
            assert_eq!((std::fs::read_to_string(&file).unwrap().as_str(), inode()), ("second", first), "{ended}");
        }
        std::fs::write(&other, "precious").unwrap();
        symlink(&other, room_of(&file)).unwrap();
        write_whole(&file, "third").unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
        assert!(std::fs::symlink_metadata(&file).unwrap().is_file());
    }

    #[tokio::test]
    async fn a_clock_before_1970_is_refused_at_the_start() {
        let refused = expect_clock(UNIX_EPOCH - Duration::from_secs(1)).expect_err("it is refused");
        assert!(refused.contains("clock is before 1970"), "{refused}");
        expect_clock(UNIX_EPOCH).expect("a clock of 1970 is taken");
    }

    #[tokio::test]
    async fn the_end_does_not_wait_for_a_write_that_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let db = Arc::new(Db::open(&dir.path().join("pilothouse.db"), &[]).unwrap());
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let writer = db.clone();
        let write = tokio::spawn(async move {
            let wait = move |_: &mut store::Tx<'_>| {
                let _ = begun.send(());
                let _ = held.recv();
                Ok(())
            };
            writer.write(wait).await
        });
        has_begun.await.unwrap();
        close(&db, Duration::ZERO).await;
        // It is still being made: nobody has let it go.
        hold.send(()).unwrap();
        write.await.unwrap().unwrap();
    }
}

//! The engine host: which engines exist, how each is detected, and how one is started for a session.
//!
//! Invariant: a session's process gets the environment of its launch plan and none of the program's own. If anything
//! must be hidden from it, it runs in a sandbox where the system has one.

use engines::engine::{Practice, known};
use engines::port::{Env, OpenFailed, Program, Provider};
use engines::probe::{Probed, probe};
use engines::{
    Conn, Engine, Events, Failure, LaunchPlan, Machine, Open, Opened, Sandbox, SessionSpec, Streams, Tier, World,
    connect, process, sandbox,
};
use engines::{exported, provider};
use kit::Secret;
use platform::resources::Trees;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How the practice agent is started: this program's file, with arguments that select the agent.
#[derive(Debug, Clone)]
pub struct OwnAgent {
    /// This program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// How the user set up an engine, with its variables.
#[derive(Clone, Default)]
pub struct SetUp {
    /// Its program, instead of the one on `PATH`.
    pub program: Option<PathBuf>,
    /// Arguments after the engine's own.
    pub args: Vec<String>,
    /// Variables in addition to the machine's.
    pub env: Env,
    /// The secret values among them.
    pub hidden: Vec<Secret>,
}

/// An engine that was started for a session.
pub struct Started {
    /// The connection to it.
    pub conn: Conn,
    /// Its output.
    pub events: Events,
    /// Names of variables of the machine that look like the engine's, and that it didn't get.
    pub not_passed: Vec<String>,
    /// Paths that would be hidden if the engine's provider didn't log in with them.
    pub opened: Vec<PathBuf>,
}

/// Starts the process of a launch plan; in tests, an agent in this process answers instead.
pub type Start = Arc<dyn Fn(&LaunchPlan) -> io::Result<Streams> + Send + Sync>;

/// Time for leftover processes to exit before they are killed.
const LEFT_GRACE: Duration = Duration::from_secs(2);

/// Reads the share of memory in use.
pub type Memory = Arc<dyn Fn() -> Option<f64> + Send + Sync>;

/// Everything that sessions need from the machine.
#[derive(Clone)]
pub struct EngineHost {
    /// The machine, as engines see it.
    pub machine: Machine,
    /// Its clock.
    pub world: World,
    /// The practice agent.
    pub practice: OwnAgent,
    /// How processes are started.
    pub start: Start,
    /// Whether the operating system can sandbox sessions, or why it can't.
    pub sandbox: Result<(), String>,
    /// The share of memory in use, in percent, if it can be read.
    pub memory: Memory,
    /// Ends leftover processes of a session after the program itself was killed. Takes a while.
    pub end_left_behind: Arc<dyn Fn(&str) + Send + Sync>,
}

impl EngineHost {
    /// The machine that the program runs on. `trees` knows the processes of sessions as long as they run.
    pub fn here(practice: OwnAgent, trees: Trees) -> EngineHost {
        EngineHost {
            machine: Machine::here(),
            world: World::real(),
            practice,
            start: Arc::new(move |plan| process::start(plan, &trees)),
            sandbox: sandbox::available(),
            memory: Arc::new(platform::memory_used_percent),
            end_left_behind: Arc::new(|session| {
                process::end_left_behind(session, LEFT_GRACE);
            }),
        }
    }

    /// Every engine that sessions can use.
    pub fn engines(&self) -> Vec<Arc<dyn Engine>> {
        known().into_iter().chain([Arc::new(Practice) as Arc<dyn Engine>]).collect()
    }

    /// The engine with this id.
    pub fn engine(&self, id: &str) -> Option<Arc<dyn Engine>> {
        self.engines().into_iter().find(|engine| engine.id() == id)
    }

    /// Detects an engine on this machine.
    pub async fn find(&self, engine: &dyn Engine, set_up: &SetUp) -> Probed {
        if engine.id() == Practice.id() {
            let OwnAgent { program, args } = self.practice.clone();
            let program = Some(Program { file: program, args, helper: None });
            let version = Some(env!("CARGO_PKG_VERSION").to_owned());
            return Probed { program, version, login: engines::probe::Login::Yes, trouble: None };
        }
        probe(engine, &self.machine_with(set_up), set_up.program.as_deref(), &*self.world.sleep).await
    }

    fn machine_with(&self, set_up: &SetUp) -> Machine {
        let env = self.machine.env.iter().chain(&set_up.env).map(|(name, value)| (name.clone(), value.clone()));
        Machine { env: env.collect(), ..self.machine.clone() }
    }

    /// Starts an engine for a session, and collects its output from the beginning.
    pub async fn start(
        &self,
        engine: Arc<dyn Engine>,
        spec: &SessionSpec,
        set_up: &SetUp,
    ) -> Result<Started, OpenFailed> {
        let probed = self.find(&*engine, set_up).await;
        let Some(program) = probed.program else {
            let detail = probed.trouble.map_or_else(|| "Engine not found.".into(), |trouble| trouble.to_string());
            return Err(OpenFailed { failure: Failure::Request, detail });
        };
        let machine = self.machine_with(set_up);
        let Provider { vars, places } = provider_of(&engine, &machine).await;
        // External engines get no login that isn't their own.
        let places = if engine.tier() == Tier::External { Vec::new() } else { places };
        let is_denied =
            |place: &&PathBuf| spec.denied.iter().any(|path| path.starts_with(place) || place.starts_with(path));
        let opened: Vec<PathBuf> = places.iter().filter(is_denied).cloned().collect();
        let mut hidden = spec.denied.clone();
        hidden.retain(|path| !places.iter().any(|place| path.starts_with(place)));
        let has_sandbox = self.sandbox.is_ok() && !hidden.is_empty();
        // In a sandbox, the engine doesn't have to hide files itself. If it does, a missing file is an error to it.
        let is_there = |path: &&PathBuf| !has_sandbox && path.exists();
        let denied = hidden.iter().filter(is_there).cloned().collect();
        // What was given to the session counts more than what its engine has.
        let env = set_up.env.clone().into_iter().chain(spec.env.clone()).collect();
        let has_namespaces = self.sandbox.is_ok();
        let spec = SessionSpec { denied, env, has_namespaces, provider_vars: vars, ..spec.clone() };
        let mut plan = engine.plan(&program, &machine, &spec);
        let not_passed = exported::not_passed(&*engine, &machine, &plan.env);
        plan.args.extend(set_up.args.iter().cloned());
        // Each engine plans in its own way. For one without, it's a mode like any other.
        plan.mode = match spec.is_planning {
            true => plan.mode.or(spec.mode.clone()),
            false => spec.mode.clone().or(plan.mode),
        };
        if has_sandbox {
            let below = places.into_iter().filter(|place| hidden.iter().any(|path| place.starts_with(path)));
            let mut sandbox = sandbox_of(&SessionSpec { denied: hidden.clone(), ..spec.clone() });
            sandbox.open.extend(below);
            plan.sandbox = Some(sandbox);
        }
        let (start, planned) = (self.start.clone(), plan.clone());
        // On another thread: files are written, and a program is read.
        let started = tokio::task::spawn_blocking(move || start(&planned)).await;
        match started.unwrap_or_else(|gone| Err(io::Error::other(gone))) {
            Ok(streams) => {
                let (conn, events) = connect(engine, plan, streams, self.world.clone());
                Ok(Started { conn, events, not_passed, opened })
            }
            Err(why) => {
                Err(OpenFailed { failure: Failure::Request, detail: format!("Couldn't start the engine: {why}.") })
            }
        }
    }
}

/// The sandbox of a session.
pub(crate) fn sandbox_of(spec: &SessionSpec) -> Sandbox {
    let open = spec.open.iter().chain(&spec.folders).chain([&spec.own_dir]).cloned().collect();
    Sandbox { denied: spec.denied.clone(), open, cwd: spec.cwd.clone() }
}

/// What the engine's provider needs. Reads the engine's configuration, on another thread.
async fn provider_of(engine: &Arc<dyn Engine>, machine: &Machine) -> Provider {
    let (engine, machine) = (engine.clone(), machine.clone());
    tokio::task::spawn_blocking(move || provider::find(&*engine, &machine)).await.unwrap_or_default()
}

/// Opens a session on a connection: the one that the engine stored, a copy of it, or a new one. `None` if the engine no
/// longer has it; any other error is returned, since a new session wouldn't know the work.
pub(crate) async fn open(conn: &Conn, how: &Open) -> Result<Option<Opened>, OpenFailed> {
    let Open::Resume(stored) = how else { return conn.open(how.clone()).await.map(Some) };
    conn.reopen(stored).await.map_err(|failed| OpenFailed {
        detail: format!("The engine couldn't resume its session: {}", failed.detail),
        ..failed
    })
}

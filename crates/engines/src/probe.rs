//! Finds engines on the user's machine: the program, its version, whether somebody is logged in, and what to do where one is
//! missing. Nothing of an engine is started but to ask for a version.

use crate::launch;
use crate::port::{Engine, Env, Machine, Program, Recipe};
use crate::provider::is_on;
use crate::world::Sleep;
use serde_json::Value;
use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// How long a program may take to say its version.
const VERSION_WITHIN: Duration = Duration::from_secs(10);
/// How many folders above a script its package may stand.
const PACKAGE_DEPTH: usize = 6;

/// What was found of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// How to start it, where it can be.
    pub program: Option<Program>,
    /// Its version, where it is known.
    pub version: Option<String>,
    /// Whether somebody is logged in.
    pub login: Login,
    /// Why it can't be used.
    pub trouble: Option<Trouble>,
}

/// Whether somebody is logged in, as far as can be seen without asking the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// A key or a login is there. It may have run out.
    Yes,
    /// None is there.
    No,
    /// It may be kept where it cannot be looked for.
    Unknown,
}

/// Why an engine cannot be used, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Its command is not on `PATH`.
    Missing {
        /// The command.
        command: String,
        /// What to do.
        install: &'static str,
    },
    /// It is older than what works.
    TooOld {
        /// The program.
        what: String,
        /// Its version.
        has: String,
        /// The oldest that works.
        min: &'static str,
        /// What to do.
        install: &'static str,
    },
    /// The program that the user set cannot be run.
    Unusable(String),
    /// Node.js is not on `PATH`.
    NodeMissing {
        /// The oldest that works.
        min: &'static str,
    },
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Missing { command, install: "" } => {
                write!(
                    f,
                    "{command} isn't installed or isn't on PATH. Install it, or change the command under Engines."
                )
            }
            Trouble::Unusable(why) => write!(f, "{why} Change the path under Engines."),
            Trouble::Missing { command, install } => {
                write!(f, "{command} isn't installed or isn't on PATH. Install it with: {install}")
            }
            Trouble::TooOld { what, has, min, install } => {
                write!(f, "{what} {has} is too old; version {min} or later is required. Update it with: {install}")
            }
            Trouble::NodeMissing { min } => {
                write!(
                    f,
                    "Node.js isn't installed or isn't on PATH. Install version {min} or later from https://nodejs.org."
                )
            }
        }
    }
}

/// What the disk says of an engine.
struct OnDisk {
    login: Login,
    /// None where its command is not there.
    file: Option<PathBuf>,
    /// The file that it leads to, and whether Node.js is to run it.
    script: Option<PathBuf>,
    node: Option<PathBuf>,
    helper: Option<(String, String)>,
    /// The version of its package.
    packaged: Option<String>,
}

fn look(recipe: &Recipe, machine: &Machine) -> OnDisk {
    let login = login(recipe, machine);
    let Some(file) = find(&recipe.command, machine) else {
        return OnDisk { login, file: None, script: None, node: None, helper: None, packaged: None };
    };
    let helper = recipe.helper.and_then(|(var, command)| {
        let set = machine.var(var).map(PathBuf::from);
        Some((var.to_owned(), set.or_else(|| find(command, machine))?.to_string_lossy().into_owned()))
    });
    let real = file.canonicalize().unwrap_or_else(|_| file.clone());
    let packaged = recipe.package.and_then(|package| package_version(&real, package));
    let script = recipe.node_min.is_some_and(|_| is_script(&real)).then_some(real);
    let node = script.as_ref().and_then(|_| find("node", machine));
    OnDisk { login, file: Some(file), script, node, helper, packaged }
}

/// Why a file that the user names as an engine's program cannot be one, as a sentence; `None` where it can.
pub fn unusable(program: &Path) -> Option<String> {
    let shown = program.display();
    if !program.is_absolute() {
        return Some(format!("{shown} isn't an absolute path."));
    }
    match std::fs::metadata(program) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Some(format!("{shown} doesn't exist.")),
        Err(why) => Some(format!("Couldn't access {shown}: {why}.")),
        Ok(about) if about.is_dir() => Some(format!("{shown} is a folder, not a program.")),
        Ok(_) if !platform::is_program(program) => Some(format!("{shown} can't be run: it isn't executable.")),
        Ok(_) => None,
    }
}

/// Looks for an engine: for its command, or for the program that the user set in its place.
pub async fn probe(engine: &dyn Engine, machine: &Machine, set: Option<&Path>, sleep: &dyn Sleep) -> Probed {
    let mut recipe = engine.recipe();
    if let Some(set) = set {
        recipe.command = set.to_string_lossy().into_owned();
    }
    let (of, on, set) = (recipe.clone(), machine.clone(), set.map(Path::to_owned));
    // A folder of PATH may lie on a disk that is slow, or of another machine.
    let looked = tokio::task::spawn_blocking(move || (look(&of, &on), set.and_then(|set| unusable(&set)))).await;
    let Ok((OnDisk { login, file, script, node, helper, packaged }, wrong)) = looked else {
        return Probed { program: None, version: None, login: Login::Unknown, trouble: None };
    };
    let none = |trouble| Probed { program: None, version: None, login, trouble: Some(trouble) };
    if let Some(why) = wrong {
        return none(Trouble::Unusable(why));
    }
    let Some(file) = file else {
        return none(Trouble::Missing { command: recipe.command, install: recipe.install });
    };
    let mut program = Program { file: file.clone(), args: Vec::new(), helper };
    if let Some((min, real)) = recipe.node_min.zip(script) {
        let Some(node) = node else { return none(Trouble::NodeMissing { min }) };
        let has = ask_version(&node, machine, sleep).await;
        if let Some(has) = has.filter(|has| compare(has, min) == Ordering::Less) {
            let install = "https://nodejs.org";
            return none(Trouble::TooOld { what: "Node.js".into(), has, min, install });
        }
        program.file = node;
        program.args.push(real.to_string_lossy().into_owned());
    }
    let version = match packaged {
        Some(version) => Some(version),
        None if recipe.package.is_some() => ask_version(&file, machine, sleep).await,
        // What is not known may do anything when it is started.
        None => None,
    };
    if let (Some(has), Some(min)) = (&version, recipe.version_min)
        && compare(has, min) == Ordering::Less
    {
        let trouble = Trouble::TooOld { what: recipe.command, has: has.clone(), min, install: recipe.install };
        return Probed { program: None, version, login, trouble: Some(trouble) };
    }
    Probed { program: Some(program), version, login, trouble: None }
}

/// The file of a command: in the folders of `PATH`, or the file itself where it is one.
pub fn find(command: &str, machine: &Machine) -> Option<PathBuf> {
    if command.is_empty() {
        return None;
    }
    let endings: Vec<String> = match cfg!(windows) {
        true => machine.var("PATHEXT").unwrap_or(".EXE;.CMD").split(';').map(str::to_owned).collect(),
        false => vec![String::new()],
    };
    let folders = if Path::new(command).is_absolute() { vec![PathBuf::new()] } else { machine.path() };
    let files = folders.iter().filter(|folder| folder.is_absolute() || folder.as_os_str().is_empty());
    files
        .flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{command}{ending}"))))
        .find(|file| file.is_absolute() && platform::is_program(file))
}

fn login(recipe: &Recipe, machine: &Machine) -> Login {
    let is_set = recipe.login_vars.iter().any(|var| machine.var(var).is_some());
    let is_kept = recipe.login_files.iter().any(|file| machine.home.join(file).is_file());
    let is_moved = || recipe.config_var.is_some_and(|var| machine.var(var).is_some());
    let is_hinted = || recipe.login_hints.iter().any(|(file, words)| mentions(&machine.home.join(file), words));
    match is_set || is_kept {
        true => Login::Yes,
        false if recipe.login_elsewhere || is_moved() || has_provider(recipe, machine) || is_hinted() => Login::Unknown,
        false => Login::No,
    }
}

/// Whether a file has one of the words in it; one that is too large to look through may.
fn mentions(file: &Path, words: &[&str]) -> bool {
    use std::io::Read;
    const LOOKED_AT_BYTES_MAX: u64 = 4 << 20;
    let mut content = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(LOOKED_AT_BYTES_MAX).read_to_end(&mut content));
    let Ok(bytes) = read else { return false };
    let text = String::from_utf8_lossy(&content);
    bytes as u64 == LOOKED_AT_BYTES_MAX || words.iter().any(|word| text.contains(word))
}

/// Why a session of an engine can't be started, and the command that changes that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReady {
    /// It isn't installed, or is too old.
    NotInstalled(String),
    /// It is known that nobody is logged in.
    NotLoggedIn(String),
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (NotReady::NotInstalled(text) | NotReady::NotLoggedIn(text)) = self;
        f.write_str(text)
    }
}

impl Probed {
    /// Why sessions of the engine can't be started; `None` where they can, as far as is known.
    pub fn not_ready(&self, engine: &dyn Engine) -> Option<NotReady> {
        let (name, recipe) = (engine.name(), engine.recipe());
        match (&self.trouble, self.login) {
            (Some(trouble), _) => Some(NotReady::NotInstalled(format!("Can't start {name}: {trouble}"))),
            (None, Login::No) => {
                Some(NotReady::NotLoggedIn(format!("Not logged in to {name} on this machine. {}", recipe.login)))
            }
            (None, _) => None,
        }
    }
}

/// Whether what a session of the engine costs is paid by use. A key in the environment is used before any other login, so it
/// decides; without one it is the account's subscription that pays, where the engine has such logins.
pub fn is_paid_by_use(recipe: &Recipe, machine: &Machine) -> bool {
    let is_key = |var: &&&str| !recipe.subscriptions.contains(*var) && machine.var(var).is_some();
    recipe.subscriptions.is_empty() || has_provider(recipe, machine) || recipe.login_vars.iter().any(|var| is_key(&var))
}

/// Whether a variable says that a provider logs in.
fn has_provider(recipe: &Recipe, machine: &Machine) -> bool {
    recipe.provider_vars.iter().any(|name| is_on(machine.var(name)))
}

/// Whether Node.js is to run it.
fn is_script(file: &Path) -> bool {
    let is_js = file.extension().is_some_and(|ending| ["js", "mjs", "cjs"].iter().any(|js| ending == *js));
    is_js || first_line(file).is_some_and(|line| line.starts_with("#!") && line.contains("node"))
}

fn first_line(file: &Path) -> Option<String> {
    use std::io::Read;
    const LINE_BYTES_MAX: u64 = 256;
    let mut start = Vec::new();
    std::fs::File::open(file).ok()?.take(LINE_BYTES_MAX).read_to_end(&mut start).ok()?;
    Some(String::from_utf8_lossy(start.split(|byte| *byte == b'\n').next()?).into_owned())
}

/// The version in the `package.json` of the package that the file belongs to.
fn package_version(file: &Path, package: &str) -> Option<String> {
    file.ancestors().skip(1).take(PACKAGE_DEPTH).find_map(|folder| {
        let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
        let about: Value = serde_json::from_str(&text).ok()?;
        if about["name"] != package {
            return None;
        }
        Some(about["version"].as_str()?.to_owned())
    })
}

/// What `--version` says, as far as it is a version.
async fn ask_version(file: &Path, machine: &Machine, sleep: &dyn Sleep) -> Option<String> {
    let env: Env = launch::env(machine, &[]);
    let mut command = Command::new(file);
    command.arg("--version").env_clear().envs(env).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let said = tokio::select! {
        biased;
        said = command.output() => said.ok()?,
        () = sleep.sleep(VERSION_WITHIN) => return None,
    };
    let text = String::from_utf8_lossy(&said.stdout);
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    words
        .into_iter()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
}

/// Compares versions number by number; what follows a `-` does not count.
fn compare(a: &str, b: &str) -> Ordering {
    let numbers = |version: &str| -> Vec<u64> {
        let plain = version.split(['-', '+']).next().unwrap_or_default();
        plain.split('.').map(|number| number.parse().unwrap_or_default()).collect()
    };
    numbers(a).cmp(&numbers(b))
}

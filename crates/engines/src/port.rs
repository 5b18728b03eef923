//! The port: what an engine is to the rest of the program.
//!
//! Invariant: everything here is pure. Looking for an engine is in [`crate::probe`], starting one in [`crate::process`], speaking
//! with one in [`crate::acp`].

use crate::event::{Choice, Failure, Tier, ToolUse};
use crate::failure::{self, RawFailure};
use crate::tool::{self, RawTool};
use jiff::Zoned;
use platform::sandbox::Sandbox;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Names of environment variables and their values.
pub type Env = BTreeMap<String, String>;

/// The variable that marks every process of a session, by which all of them are found again.
pub const SESSION_MARK: &str = "APP_SESSION_ID";

/// An engine: data, and pure functions over it.
pub trait Engine: Send + Sync {
    /// Its name in settings and on the wire.
    fn id(&self) -> &str;
    /// Its name for people.
    fn name(&self) -> &str;
    /// Which rules hold for it.
    fn tier(&self) -> Tier;
    /// How it is found on a machine.
    fn recipe(&self) -> Recipe;
    /// What it can do beyond the protocol's least.
    fn traits(&self) -> Traits;
    /// Files of the user's configuration that say which provider it uses; absolute.
    fn config_files(&self, _machine: &Machine) -> Vec<PathBuf> {
        Vec::new()
    }
    /// What its provider needs, by the text of those files.
    fn provider(&self, _machine: &Machine, _config: &str) -> Provider {
        Provider::default()
    }
    /// Where skills are that it loads, if that is known.
    fn skills(&self, _machine: &Machine) -> Option<SkillFolders> {
        None
    }
    /// How a session of it is started.
    fn plan(&self, found: &Program, machine: &Machine, spec: &SessionSpec) -> LaunchPlan;
    /// What a use of a tool is.
    fn normalize(&self, tool: &RawTool) -> ToolUse {
        tool::normalize(tool)
    }
    /// What a failure is.
    fn classify(&self, raw: &RawFailure, now: &Zoned) -> Failure {
        failure::classify(raw, now)
    }
}

/// The machine as far as engines depend on it, handed in so that nothing here reads the environment.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// The user's home.
    pub home: PathBuf,
    /// The environment of the program, `PATH` included.
    pub env: Env,
}

impl Machine {
    /// The one that the program runs on. Variables that are not Unicode are left out.
    pub fn here() -> Machine {
        let env: Env =
            std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect();
        Machine { home: std::env::home_dir().unwrap_or_default(), env }
    }

    /// A variable that is set and not empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The folders of `PATH`.
    pub fn path(&self) -> Vec<PathBuf> {
        std::env::split_paths(self.env.get("PATH").map_or("", String::as_str)).collect()
    }
}

/// How an engine is found, and what to say where it is not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recipe {
    /// The command that speaks the protocol.
    pub command: String,
    /// The npm package that it comes from, whose file tells its version without starting it.
    pub package: Option<&'static str>,
    /// The oldest version that works.
    pub version_min: Option<&'static str>,
    /// The oldest Node.js that runs it, where it is a script of Node.js.
    pub node_min: Option<&'static str>,
    /// Another program that it uses, found beside it: a variable that names it, and its command.
    pub helper: Option<(&'static str, &'static str)>,
    /// How the names of its own variables begin; empty where it may be set up for any service.
    pub prefixes: &'static [&'static str],
    /// Variables any of which says that a provider logs in, which is paid by use.
    pub provider_vars: &'static [&'static str],
    /// Variables any of which is a login.
    pub login_vars: &'static [&'static str],
    /// Files below the home any of which is a login.
    pub login_files: &'static [&'static str],
    /// Those of both that are logins of a subscription, which has paid what a session costs. Any other is paid by use.
    pub subscriptions: &'static [&'static str],
    /// Files and folders of its own configuration, below the home, and below a project where they lie there.
    pub config: &'static [&'static str],
    /// A variable that names another folder for them.
    pub config_var: Option<&'static str>,
    /// Whether a login may be kept where it cannot be looked for, such as a keychain.
    pub login_elsewhere: bool,
    /// Files below the home, each with words any of which in it means that the engine may log in some other way. An empty word
    /// stands for any content.
    pub login_hints: &'static [(&'static str, &'static [&'static str])],
    /// How to install it.
    pub install: &'static str,
    /// How to log in.
    pub login: &'static str,
}

impl Recipe {
    /// A file of its configuration, in the folder that its variable names where it is set.
    pub(crate) fn config_file(&self, machine: &Machine, folder: &str, file: &str) -> PathBuf {
        let named = self.config_var.and_then(|name| machine.var(name)).map(PathBuf::from);
        named.unwrap_or_else(|| machine.home.join(folder)).join(file)
    }

    /// Where the engine keeps its own configuration and login on a machine; absolute.
    pub fn own_places(&self, machine: &Machine) -> Vec<PathBuf> {
        let named = self.config_var.and_then(|name| machine.var(name)).map(PathBuf::from);
        let in_home = self.config.iter().chain(self.login_files).map(|path| machine.home.join(path));
        in_home.chain(named).filter(|place| place.is_absolute()).collect()
    }
}

/// How skills lie in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillLayout {
    /// A folder for each, with a file `SKILL.md`.
    Folders,
    /// A Markdown file for each, also in folders below.
    Files,
}

/// The folders of an engine's skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFolders {
    /// Written before a skill's name to call it.
    pub sign: char,
    /// Below a project.
    pub project: &'static [(&'static str, SkillLayout)],
    /// Whether those of the folders above count too, up to the top of the repository.
    pub is_climbing: bool,
    /// The user's own; absolute.
    pub personal: Vec<(PathBuf, SkillLayout)>,
}

/// What the model provider of an engine needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provider {
    /// Names of variables of the machine.
    pub vars: Vec<String>,
    /// Files and folders with its login; absolute.
    pub places: Vec<PathBuf>,
}

/// A program and the arguments in front of the engine's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// Its file.
    pub file: PathBuf,
    /// Such as the script that Node.js runs.
    pub args: Vec<String>,
    /// A variable that names another program, with that program's file.
    pub helper: Option<(String, String)>,
}

/// How an engine takes instructions for the whole session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakesInstructions {
    /// As a parameter when the session begins, where it announces so; else in front of the first prompt.
    Param,
    /// As a file that its configuration names.
    File,
    /// In front of the first prompt.
    Prompt,
}

/// Where a command of ours is asked before a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// A command, with JSON on its standard input.
    Command,
    /// Nowhere.
    None,
}

/// How an engine tells what a session costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TellsCost {
    /// As money.
    Money,
    /// As tokens.
    Tokens,
    /// Not.
    Nothing,
}

/// What an engine can do, as measured; what it announces when it starts outweighs this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// How it takes instructions.
    pub instructions: TakesInstructions,
    /// Where we are asked before a tool runs.
    pub hook: Hook,
    /// How it tells what it costs.
    pub cost: TellsCost,
    /// What makes its context smaller, as a prompt.
    pub compact: Option<&'static str>,
    /// Whether a refused permission ends the whole turn.
    pub refusal_ends_turn: bool,
    /// Whether a turn that ends well always says or does something, so that one without is a failure that wasn't reported.
    pub answers_always: bool,
    /// Whether commands that it runs may outlive a canceled turn.
    pub commands_outlive_cancel: bool,
    /// Whether only the MCP servers handed to it are used.
    pub strict_mcp: bool,
    /// Whether how hard it thinks can be chosen.
    pub effort: bool,
    /// Whether it asks for leave at all below full access; where it does not, only the operating system and the hook hold it.
    pub asks: bool,
    /// Whether its hook may give a tool another input.
    pub takes_input: bool,
    /// Whether a change of folder counts for its later commands too.
    pub keeps_shell_folder: bool,
}

/// How much a session may do by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Looks, changes nothing.
    ReadOnly,
    /// Asks before it changes anything.
    Guarded,
    /// Changes its project by itself.
    Autonomous,
    /// Does what it wants.
    Full,
}

/// An MCP server for a session.
#[derive(Debug, Clone, PartialEq)]
pub struct McpServer {
    /// Its name in the session.
    pub name: String,
    /// How it is reached.
    pub via: McpVia,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum McpVia {
    /// As a process.
    Stdio {
        /// Its file.
        command: PathBuf,
        /// Its arguments.
        args: Vec<String>,
        /// Its variables.
        env: Env,
    },
    /// Over HTTP.
    Http {
        /// Its address.
        url: String,
        /// Sent with every request.
        headers: Env,
    },
}

/// What a session is to be.
#[derive(Clone, PartialEq)]
pub struct SessionSpec {
    /// Our name of it; it marks all of its processes.
    pub session: String,
    /// The folder that it works in, absolute.
    pub cwd: PathBuf,
    /// A folder of its own for files that its engine is to read, absolute.
    pub own_dir: PathBuf,
    /// How much it may do by itself.
    pub access: Access,
    /// Whether it begins by planning.
    pub is_planning: bool,
    /// Instructions for all of it.
    pub instructions: String,
    /// The engine's name of a model; its own choice without one.
    pub model: Option<String>,
    /// The engine's name of a mode that the person chose; that of its access without one.
    pub mode: Option<String>,
    /// How hard it thinks, in the engine's words.
    pub effort: Option<String>,
    /// MCP servers handed to it.
    pub mcp: Vec<McpServer>,
    /// Whether it may use those alone, where the engine can be told so.
    pub strict_mcp: bool,
    /// More folders that it may work in.
    pub folders: Vec<PathBuf>,
    /// Files and folders that the operating system is to keep from it.
    pub denied: Vec<PathBuf>,
    /// Folders that it needs though they lie below a denied one, besides its own and the one that it works in.
    pub open: Vec<PathBuf>,
    /// Whether the system allows user namespaces, which engines' own sandboxes need.
    pub has_namespaces: bool,
    /// A command, with arguments, that is asked before each tool.
    pub hook: Option<Vec<String>>,
    /// A folder with programs that stand before others of the same name on `PATH`.
    pub stand_ins: Option<PathBuf>,
    /// Names of variables of the machine that its provider needs.
    pub provider_vars: Vec<String>,
    /// Variables handed to its processes by the caller.
    pub env: Env,
}

impl SessionSpec {
    /// A guarded session without anything special.
    pub fn new(session: &str, cwd: impl Into<PathBuf>, own_dir: impl Into<PathBuf>) -> SessionSpec {
        SessionSpec {
            session: session.to_owned(),
            cwd: cwd.into(),
            own_dir: own_dir.into(),
            access: Access::Guarded,
            is_planning: false,
            instructions: String::new(),
            model: None,
            mode: None,
            effort: None,
            mcp: Vec::new(),
            strict_mcp: false,
            folders: Vec::new(),
            denied: Vec::new(),
            open: Vec::new(),
            has_namespaces: true,
            hook: None,
            stand_ins: None,
            provider_vars: Vec::new(),
            env: Env::new(),
        }
    }
}

/// A file that an engine needs to be there when it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Where, absolute.
    pub file: PathBuf,
    /// What is in it.
    pub text: String,
    /// Whether it is run.
    pub is_program: bool,
}

/// Everything that is needed to start an engine and open a session of it.
#[derive(Clone, Default, PartialEq)]
pub struct LaunchPlan {
    /// The path of its program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment, all of it: nothing is inherited.
    pub env: Env,
    /// The folder that it starts in, and that the session works in.
    pub cwd: PathBuf,
    /// Files to write before it starts.
    pub files: Vec<PlannedFile>,
    /// Whether the engine itself has the operating system keep from its commands what is denied to the session.
    pub keeps_denied: bool,
    /// What the operating system keeps from all of its processes.
    pub sandbox: Option<Sandbox>,
    /// The parameters of `session/new`, `session/resume` and `session/load` but the session's name.
    pub params: Map<String, Value>,
    /// Instructions that are still to be handed over: as `systemPrompt` where the agent announces it, else with the first prompt.
    pub instructions: Option<String>,
    /// The mode to set.
    pub mode: Option<String>,
    /// Other choices to make, by category: `model`, `thought_level`.
    pub choices: Vec<(&'static str, String)>,
}

/// Variables and headers hold tokens: what is shown of a session or of its plan, in a log say, leaves them out.
impl fmt::Debug for SessionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, cwd, access, .. } = self;
        let mut shown = f.debug_struct("SessionSpec");
        shown.field("session", session).field("cwd", cwd).field("access", access).finish_non_exhaustive()
    }
}

impl fmt::Debug for LaunchPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("LaunchPlan");
        shown.field("program", &self.program).field("args", &self.args).field("cwd", &self.cwd);
        shown.field("env", &self.env.keys()).field("mode", &self.mode).finish_non_exhaustive()
    }
}

/// Which session a connection opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    /// A new one.
    New,
    /// One that was there before, without telling what was said in it.
    Resume(String),
    /// One that was there before; what was said in it is told again by the engine, and passed on where that is wanted.
    Load {
        /// The engine's name of it.
        session: String,
        /// Whether what was said is passed on as events.
        replay: bool,
    },
    /// A new one that knows what was said in another. It begins empty where the engine can't copy that one.
    Fork(String),
}

/// A session that is open.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The engine's name of the session.
    pub session: String,
    /// The agent's name of itself.
    pub agent: String,
    /// Its version.
    pub version: String,
    /// What it announced.
    pub can: Announced,
    /// Whether it is a copy of the session that was to be forked.
    pub is_fork: bool,
    /// The mode that it is in, where it has modes.
    pub mode: Option<String>,
    /// What may be chosen.
    pub choices: Vec<Choice>,
}

/// What an agent announces when it starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Announced {
    /// Tells a session again.
    pub load: bool,
    /// Goes on with a session.
    pub resume: bool,
    /// Copies a session into a new one.
    pub fork: bool,
    /// Takes pictures.
    pub image: bool,
    /// Takes a message into a turn that runs.
    pub steer: bool,
    /// Takes instructions as a parameter.
    pub system_prompt: bool,
    /// Connects MCP servers over HTTP.
    pub mcp_http: bool,
}

/// A session could not be opened.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenFailed {
    /// What kind of trouble it is.
    pub failure: Failure,
    /// What happened, for people.
    pub detail: String,
}

/// What became of a message to a turn that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steered {
    /// The turn has it.
    Injected,
    /// No turn runs: it is to be sent as a prompt.
    PromptRequired,
    /// The engine cannot: it is to be sent as a prompt when the turn has ended.
    Unsupported,
}

/// Something to choose in a session that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The engine's name for a mode.
    Mode(String),
    /// A category or the engine's name of a choice, and the value.
    Choice(String, String),
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// What the person filled in.
    Given(Value),
    /// The person does not want to answer.
    Declined,
    /// Nobody will.
    Cancelled,
}

/// What was asked of a connection cannot be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// No session is open on it.
    NotOpen,
    /// The connection has ended.
    Ended,
    /// The permission request or question is not open: it was answered, withdrawn or never there.
    NotAsked,
    /// None of the offers says what was decided; the request was answered as canceled.
    NotOffered,
    /// The engine refused, and says this.
    ByEngine(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::NotOpen => "no session is open on this connection",
            Refused::Ended => "the connection to the engine has ended",
            Refused::NotAsked => "this request is no longer open: it was answered or canceled",
            Refused::NotOffered => "the engine doesn't offer this answer; the request was canceled",
            Refused::ByEngine(said) => return write!(f, "the engine rejected the request: {said}"),
        })
    }
}

impl std::error::Error for Refused {}

impl fmt::Display for OpenFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for OpenFailed {}

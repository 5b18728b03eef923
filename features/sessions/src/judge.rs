//! Decides what one session may do: the rules with their inputs, in the same way for permission requests of its engine,
//! for the hook before its tools, and for the sandbox.

use crate::approved::{self, Opening};
use crate::common::{Common, OWN_TOOLS};
use crate::messages;
use crate::records::SessionRecord;
use crate::rules;
use crate::transcript::SessionKey;
use engines::engine::Claude;
use engines::{Access, Engine, Machine, Tier, ToolKind, ToolUse};
use kit::ids::without_tokens;
use std::path::PathBuf;
use std::sync::Arc;
use store::HasDb;
use supervisor::policy::{self, Class, Decision, Level, Origin, PolicyContext, PolicyRules};
use supervisor::rules::{OfClaude, Pattern, covering, proposed};
use supervisor::sensitive::Sensitive;

/// The start of the reason if a permission rule allowed something.
const ALLOWED_BY_RULE: &str = "Allowed by your rule";

/// The same for the user's own settings of Claude.
const ALLOWED_BY_CLAUDE: &str = "Allowed by your Claude settings";
/// Maximum bytes of Claude's settings.
const CLAUDE_SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

/// The path of a user's Claude settings.
fn claude_settings(machine: &Machine) -> PathBuf {
    let folder = machine.var("CLAUDE_CONFIG_DIR").map_or_else(|| machine.home.join(".claude"), PathBuf::from);
    folder.join("settings.json")
}

/// The decision about a tool call.
#[derive(Debug)]
pub(crate) struct Ruling {
    pub(crate) decision: Decision,
    /// Why, with the setting or the rule that decided.
    pub(crate) why: String,
    /// The permission rule that allowed it, in words.
    pub(crate) rule: Option<String>,
    /// The rule that always allowing it would create, if the user is asked.
    pub(crate) proposed: Option<Pattern>,
    /// What the command may use outside the sandbox once it's allowed.
    pub(crate) opening: Option<Opening>,
}

/// The judge of one session.
pub(crate) struct Judge {
    common: Arc<Common>,
    account: Arc<str>,
    session: Arc<str>,
    hub: String,
    tier: Tier,
    /// The level that the engine had of its own when the session was created.
    own_level: Option<Level>,
    origin: Origin,
    cwd: String,
    /// Whether the engine's hook can replace an approved command; if not, only stand-ins can.
    takes_input: bool,
    own_tools: String,
    /// The engine's own configuration, in the home folder and in the project.
    own_config: Vec<String>,
    /// For Claude: the settings in the user's home folder, whose permissions apply too. A project's settings don't: it
    /// would decide for itself what it may do.
    claude_settings: Option<PathBuf>,
    sensitive: Sensitive,
}

impl Judge {
    pub(crate) fn new(common: &Arc<Common>, key: &SessionKey, record: &SessionRecord) -> Judge {
        let engine = common.engine(&key.account, &record.engine);
        let recipe = engine.as_ref().map(|engine| engine.recipe()).unwrap_or_default();
        let machine = common.machine_of(&key.account, &record.engine);
        let in_project = recipe.config.iter().map(|path| PathBuf::from(&record.cwd).join(path));
        let places = recipe.own_places(&machine).into_iter().chain(in_project);
        let takes_input = engine.as_ref().is_some_and(|engine| engine.traits().takes_input);
        Judge {
            common: common.clone(),
            takes_input,
            account: key.account.clone(),
            session: key.session.clone(),
            hub: record.hub_id.clone(),
            // An unknown engine gets the fewest permissions.
            tier: engine.map_or(Tier::External, |engine| engine.tier()),
            own_level: record.own_level,
            origin: record.origin,
            cwd: record.cwd.clone(),
            own_tools: format!("mcp__{OWN_TOOLS}__"),
            own_config: places.map(|path| path.to_string_lossy().into_owned()).collect(),
            claude_settings: (record.engine == Claude.id()).then(|| claude_settings(&machine)),
            sensitive: Sensitive::new(common.session_paths(&record.cwd)),
        }
    }

    /// Decides about a tool call by the current settings and permission rules. A command that needs what the sandbox
    /// hides is never allowed by the level alone.
    pub(crate) async fn decide(&self, tool: &ToolUse) -> Ruling {
        let mut ruling = self.ruling(tool).await;
        if ruling.decision == Decision::Deny {
            return ruling;
        }
        let Some(opening) = self.opening(tool).await else { return ruling };
        if ruling.decision == Decision::Allow && ruling.rule.is_none() {
            ruling.decision = Decision::Ask;
            let (context, policy) = (self.context(), self.policy());
            ruling.proposed = proposed(tool, &context, &policy);
            ruling.why = "Your logins and keys need approval below the full level (agentPermissionLevel)".into();
        }
        if ruling.decision == Decision::Ask {
            let has_sandbox = self.common.host.sandbox.is_ok();
            ruling.why = format!(
                "{}. {}",
                ruling.why,
                messages::opens(&opening.list(), opening.runs_git, self.takes_input, has_sandbox)
            );
        }
        ruling.opening = Some(opening);
        ruling
    }

    /// What a command may use outside the sandbox, if the session may open it at all.
    async fn opening(&self, tool: &ToolUse) -> Option<Opening> {
        let is_locked = self.origin == Origin::Email || self.access() == Access::ReadOnly;
        if cfg!(not(unix)) || is_locked || tool.kind != ToolKind::Execute || !self.keeps_sensitive() {
            return None;
        }
        let (line, host) = (tool.command.as_deref()?, &self.common.host);
        let cwd = tool.cwd.as_deref().unwrap_or(&self.cwd);
        approved::find(line, (cwd, !self.takes_input), host, &self.sensitive).await
    }

    /// The session's folder.
    pub(crate) fn cwd(&self) -> &str {
        &self.cwd
    }

    async fn ruling(&self, tool: &ToolUse) -> Ruling {
        let tool = with_targets(tool.clone(), &self.cwd).await;
        let (context, policy) = (self.context(), self.policy());
        let verdict = policy::decide(&tool, &context, &policy);
        let mut ruling = Ruling {
            decision: verdict.decision,
            why: without_tokens(&verdict.why).into_owned(),
            rule: None,
            proposed: None,
            opening: None,
        };
        if ruling.decision != Decision::Ask {
            return ruling;
        }
        let all = self.rules().await;
        if let Some(rule) = covering(&all, |rule| &rule.pattern, &tool, &context, &policy) {
            let words = rule.pattern.words();
            let why = format!("{ALLOWED_BY_RULE}: {words}");
            return Ruling { decision: Decision::Allow, why, rule: Some(words), proposed: None, opening: None };
        }
        let claude_rules = self.claude_rules().await;
        if let Some(pattern) = claude_rules.allows(&tool, &context, &policy) {
            let words = pattern.words();
            let why = format!("{ALLOWED_BY_CLAUDE}: {words}");
            return Ruling { decision: Decision::Allow, why, rule: Some(words), proposed: None, opening: None };
        }
        ruling.proposed = proposed(&tool, &context, &policy);
        let is_sandboxed = self.common.host.sandbox.is_ok() && self.keeps_sensitive();
        // A command runs outside if it's allowed.
        if is_sandboxed
            && tool.kind != ToolKind::Execute
            && policy::tool_actions(&tool, &context).iter().any(|action| action.class == Class::Sensitive)
        {
            ruling.why = format!(
                "{}. Allowing doesn't lift the sandbox: keys, logins, and Pilothouse's data stay hidden unless the session starts \
                 at the full level",
                ruling.why
            );
        }
        ruling
    }

    /// The permissions in the user's Claude settings, as they are now.
    async fn claude_rules(&self) -> OfClaude {
        let Some(path) = self.claude_settings.clone() else { return OfClaude::default() };
        let read = tokio::task::spawn_blocking(move || {
            let mut text = String::new();
            let file = std::fs::File::open(path)?;
            std::io::Read::read_to_string(&mut std::io::Read::take(file, CLAUDE_SETTINGS_BYTES_MAX), &mut text)?;
            std::io::Result::Ok(OfClaude::read(&text))
        });
        read.await.map(Result::unwrap_or_default).unwrap_or_default()
    }

    /// The rules that apply to the session. If they can't be loaded, the user is asked.
    async fn rules(&self) -> Vec<rules::Rule> {
        let (account, session, hub) = (self.account.clone(), self.session.clone(), self.hub.clone());
        let read = move |tx: &mut store::Tx<'_>| rules::for_session(tx, &account, (&session, &hub));
        match self.common.ctx.db().read(read).await {
            Ok(all) => all,
            Err(why) => {
                tracing::warn!("couldn't load permission rules, asking the user: {why}");
                Vec::new()
            }
        }
    }

    /// Paths that the operating system must hide from the session under the current settings; none at full access.
    pub(crate) fn denied(&self) -> Vec<PathBuf> {
        if !self.keeps_sensitive() {
            return Vec::new();
        }
        let own: Vec<&str> = self.own_config.iter().map(String::as_str).collect();
        let denied = self.sensitive.denied_paths(&own).into_iter().filter(|place| place.is_read);
        denied.map(|place| place.path.into()).collect()
    }

    /// The level of access that the engine is told.
    pub(crate) fn access(&self) -> Access {
        access(&self.common, &self.account, self.origin, self.own_level)
    }

    /// Whether the engine may use only the tool servers that it's given.
    pub(crate) fn strict_mcp(&self) -> bool {
        self.tier == Tier::Primary && self.common.strict_mcp(&self.account)
    }

    fn keeps_sensitive(&self) -> bool {
        policy::keeps_sensitive(self.tier, self.origin, &self.policy())
    }

    fn policy(&self) -> PolicyRules {
        PolicyRules { own_level: self.own_level, ..self.common.policy(&self.account) }
    }

    fn context(&self) -> PolicyContext<'_> {
        PolicyContext {
            tier: self.tier,
            origin: self.origin,
            cwd: &self.cwd,
            own_tools: &self.own_tools,
            own_config: &self.own_config,
            sensitive: &self.sensitive,
        }
    }
}

/// The level of access that an engine is told in a session of this origin, whose engine may have its own level.
pub(crate) fn access(common: &Common, account: &Arc<str>, origin: Origin, own_level: Option<Level>) -> Access {
    // Locked at every level.
    if origin == Origin::Email {
        return Access::ReadOnly;
    }
    let rules = PolicyRules { own_level, ..common.policy(account) };
    match rules.level() {
        Level::ReadOnly => Access::ReadOnly,
        Level::Guarded => Access::Guarded,
        Level::Autonomous => Access::Autonomous,
        Level::Full => Access::Full,
    }
}

/// The tool call with the targets of its links added to its paths: rules compare names, and a link has two.
async fn with_targets(mut tool: ToolUse, cwd: &str) -> ToolUse {
    let base = PathBuf::from(tool.cwd.as_deref().unwrap_or(cwd));
    let paths: Vec<PathBuf> = tool.paths.iter().map(|path| base.join(path)).collect();
    // The disk may be slow or remote.
    let targets = tokio::task::spawn_blocking(move || {
        // For a file that doesn't exist yet, its folder tells where it will be.
        let target = |path: PathBuf| {
            let real = path.canonicalize().ok();
            let for_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
            real.or_else(for_folder).filter(|real| *real != path)
        };
        paths.into_iter().filter_map(target).map(|real| real.to_string_lossy().into_owned()).collect::<Vec<_>>()
    });
    tool.paths.extend(targets.await.unwrap_or_default());
    tool
}

//! What one session may do: the rules with everything that they ask of it, the same for what its engine asks leave for, for the hook
//! before its tools, and for the wall.

use crate::common::{Common, OWN_TOOLS};
use crate::records::SessionRecord;
use crate::rules;
use crate::transcript::SessionKey;
use engines::engine::Claude;
use engines::{Access, Engine, Machine, Tier, ToolUse};
use kit::ids::without_tokens;
use std::path::PathBuf;
use std::sync::Arc;
use store::HasDb;
use supervisor::policy::{self, Class, Decision, Level, Origin, PolicyContext};
use supervisor::rules::{OfClaude, Pattern, covering, proposed};
use supervisor::sensitive::Sensitive;

/// How the reason begins where a permission rule allowed something.
const ALLOWED_BY_RULE: &str = "Allowed by your rule";

/// The same for the person's own settings of Claude.
const ALLOWED_BY_CLAUDE: &str = "Allowed by your Claude settings";
/// Bytes of Claude's settings that are read.
const CLAUDE_SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

/// Where Claude keeps the settings of a person.
fn claude_settings(machine: &Machine) -> PathBuf {
    let folder = machine.var("CLAUDE_CONFIG_DIR").map_or_else(|| machine.home.join(".claude"), PathBuf::from);
    folder.join("settings.json")
}

/// What was decided about a use of a tool.
#[derive(Debug)]
pub(crate) struct Ruling {
    pub(crate) decision: Decision,
    /// Why, with the setting or the rule that decided.
    pub(crate) why: String,
    /// The permission rule that allowed it, in words.
    pub(crate) rule: Option<String>,
    /// Where the person is asked: the rule that a lasting yes makes.
    pub(crate) proposed: Option<Pattern>,
}

/// The judge of one session.
pub(crate) struct Judge {
    common: Arc<Common>,
    account: Arc<str>,
    session: Arc<str>,
    hub: String,
    tier: Tier,
    origin: Origin,
    cwd: String,
    own_tools: String,
    /// The engine's own configuration, in the home and in the project.
    own_config: Vec<String>,
    /// Of Claude: the settings in the person's own home, whose permissions count too. Those of a project don't, since it would
    /// decide for itself what it may do.
    claude_settings: Option<PathBuf>,
    sensitive: Sensitive,
}

impl Judge {
    pub(crate) fn new(common: &Arc<Common>, key: &SessionKey, record: &SessionRecord) -> Judge {
        let engine = common.host.engine(&record.engine);
        let recipe = engine.as_ref().map(|engine| engine.recipe()).unwrap_or_default();
        let in_project = recipe.config.iter().map(|path| PathBuf::from(&record.cwd).join(path));
        let places = recipe.own_places(&common.host.machine).into_iter().chain(in_project);
        Judge {
            common: common.clone(),
            account: key.account.clone(),
            session: key.session.clone(),
            hub: record.hub_id.clone(),
            // Of an engine that is not known the least is allowed.
            tier: engine.map_or(Tier::External, |engine| engine.tier()),
            origin: record.origin,
            cwd: record.cwd.clone(),
            own_tools: format!("mcp__{OWN_TOOLS}__"),
            own_config: places.map(|path| path.to_string_lossy().into_owned()).collect(),
            claude_settings: (record.engine == Claude.id()).then(|| claude_settings(&common.host.machine)),
            sensitive: Sensitive::new(common.session_paths(&record.cwd)),
        }
    }

    /// Decides about a use of a tool, as the settings and the person's permission rules are now.
    pub(crate) async fn decide(&self, tool: &ToolUse) -> Ruling {
        let tool = with_targets(tool.clone(), &self.cwd).await;
        let (context, policy) = (self.context(), self.common.policy(&self.account));
        let verdict = policy::decide(&tool, &context, &policy);
        let mut ruling = Ruling {
            decision: verdict.decision,
            why: without_tokens(&verdict.why).into_owned(),
            rule: None,
            proposed: None,
        };
        if ruling.decision != Decision::Ask {
            return ruling;
        }
        let all = self.rules().await;
        if let Some(rule) = covering(&all, |rule| &rule.pattern, &tool, &context, &policy) {
            let words = rule.pattern.words();
            let why = format!("{ALLOWED_BY_RULE}: {words}");
            return Ruling { decision: Decision::Allow, why, rule: Some(words), proposed: None };
        }
        let claude_rules = self.claude_rules().await;
        if let Some(pattern) = claude_rules.allows(&tool, &context, &policy) {
            let words = pattern.words();
            let why = format!("{ALLOWED_BY_CLAUDE}: {words}");
            return Ruling { decision: Decision::Allow, why, rule: Some(words), proposed: None };
        }
        ruling.proposed = proposed(&tool, &context, &policy);
        let is_sandboxed = self.common.host.sandbox.is_ok() && self.keeps_sensitive();
        if is_sandboxed && policy::tool_actions(&tool, &context).iter().any(|action| action.class == Class::Sensitive) {
            ruling.why = format!(
                "{}. Allowing doesn't lift the sandbox: keys, logins, and Pilothouse's data stay hidden unless the session starts \
                 at level full",
                ruling.why
            );
        }
        ruling
    }

    /// What the person's own settings of Claude allow, as they are now.
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

    /// The rules that count in the session. Where they can't be read the person is asked.
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

    /// Places that the operating system is to keep from the session, as the settings stand now; none where it may have all.
    pub(crate) fn denied(&self) -> Vec<PathBuf> {
        if !self.keeps_sensitive() {
            return Vec::new();
        }
        let own: Vec<&str> = self.own_config.iter().map(String::as_str).collect();
        let denied = self.sensitive.denied_paths(&own).into_iter().filter(|place| place.is_read);
        denied.map(|place| place.path.into()).collect()
    }

    /// How much the engine is told that it may do by itself.
    pub(crate) fn access(&self) -> Access {
        // Locked at every level.
        if self.origin == Origin::Email {
            return Access::ReadOnly;
        }
        match self.common.policy(&self.account).level(self.tier) {
            Level::ReadOnly => Access::ReadOnly,
            Level::Guarded => Access::Guarded,
            Level::Autonomous => Access::Autonomous,
            Level::Full => Access::Full,
        }
    }

    /// Whether the engine is to use the tool servers alone that it is handed.
    pub(crate) fn strict_mcp(&self) -> bool {
        self.tier == Tier::Primary && self.common.strict_mcp(&self.account)
    }

    fn keeps_sensitive(&self) -> bool {
        policy::keeps_sensitive(self.tier, self.origin, &self.common.policy(&self.account))
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

/// The use of a tool with what its paths lead to named beside them: rules look at names, and a link has two.
async fn with_targets(mut tool: ToolUse, cwd: &str) -> ToolUse {
    let base = PathBuf::from(tool.cwd.as_deref().unwrap_or(cwd));
    let paths: Vec<PathBuf> = tool.paths.iter().map(|path| base.join(path)).collect();
    // The disk may be slow, or one of another machine.
    let targets = tokio::task::spawn_blocking(move || {
        // Of a file that is yet to be made, the folder tells where it will lie.
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

//! Claude, by way of its adapter `claude-agent-acp`.
//!
//! Measured with version 0.100: it asks before it writes or runs anything in its mode `default`; in `plan` it reads without asking
//! and lets permitted writes happen; in `auto` another model decides. So the modes `default` and `acceptEdits` are used alone, with
//! `plan` where the person wants a plan. `bypassPermissions` is refused for root and hides what is done.

use crate::event::Tier;
use crate::hook;
use crate::launch;
use crate::port::{
    Access, Engine, Hook, LaunchPlan, Machine, Program, Provider, Recipe, SessionSpec, SkillFolders, SkillLayout,
    TakesInstructions, TellsCost, Traits,
};
use crate::provider::is_on;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The primary engine.
pub struct Claude;

/// Variables of its own that the user may have set.
const VARS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BETAS",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CONFIG_DIR",
];
/// Those with which it uses models of Amazon Bedrock.
const BEDROCK: &[&str] = &[
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "DISABLE_PROMPT_CACHING",
];
/// Those for Google Vertex AI. A model's region is in a variable of its own.
const VERTEX: &[&str] = &[
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "DISABLE_PROMPT_CACHING",
];
const VERTEX_REGION: &str = "VERTEX_REGION_";
/// Those for Microsoft Foundry.
const FOUNDRY: &[&str] = &[
    "ANTHROPIC_FOUNDRY_API_KEY",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "ANTHROPIC_FOUNDRY_RESOURCE",
    "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
];

/// No update of itself and nothing sent that the session does not need.
const SET: &[(&str, &str)] = &[
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
];

/// Where a project has skills.
pub(super) const PROJECT_SKILLS: &[(&str, SkillLayout)] =
    &[(".claude/skills", SkillLayout::Folders), (".claude/commands", SkillLayout::Files)];

impl Engine for Claude {
    fn id(&self) -> &str {
        "claude"
    }

    fn name(&self) -> &str {
        "Claude"
    }

    fn tier(&self) -> Tier {
        Tier::Primary
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            command: "claude-agent-acp".into(),
            package: Some("@agentclientprotocol/claude-agent-acp"),
            version_min: Some("0.100.0"),
            node_min: Some("22.0.0"),
            helper: Some(("CLAUDE_CODE_EXECUTABLE", "claude")),
            prefixes: &["ANTHROPIC_", "CLAUDE_"],
            provider_vars: &["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_VERTEX"],
            login_vars: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
            login_files: &[".claude/.credentials.json"],
            subscriptions: &["CLAUDE_CODE_OAUTH_TOKEN", ".claude/.credentials.json"],
            config: &[".claude", ".claude.json"],
            config_var: Some("CLAUDE_CONFIG_DIR"),
            login_elsewhere: cfg!(target_os = "macos"),
            // A key that was made by a login to the console, a program that hands out keys, and the clouds.
            login_hints: &[
                (".claude.json", &["primaryApiKey"]),
                (".claude/settings.json", &["apiKeyHelper", "ANTHROPIC_", "CLAUDE_CODE_"]),
            ],
            install: "npm install -g @agentclientprotocol/claude-agent-acp",
            login: "Run `claude /login` in a terminal.",
        }
    }

    fn traits(&self) -> Traits {
        Traits {
            instructions: TakesInstructions::Param,
            hook: Hook::Command,
            cost: TellsCost::Money,
            compact: Some("/compact"),
            refusal_ends_turn: false,
            answers_always: false,
            commands_outlive_cancel: false,
            strict_mcp: true,
            effort: true,
            asks: true,
            takes_input: true,
            keeps_shell_folder: true,
        }
    }

    fn config_files(&self, machine: &Machine) -> Vec<PathBuf> {
        vec![self.recipe().config_file(machine, ".claude", "settings.json")]
    }

    fn provider(&self, machine: &Machine, config: &str) -> Provider {
        let settings: Value = serde_json::from_str(config).unwrap_or_default();
        let is_set = |name: &str| is_on(machine.var(name).or_else(|| settings["env"][name].as_str()));
        let mut provider = Provider::default();
        if is_set("CLAUDE_CODE_USE_BEDROCK") {
            provider = provider.with(BEDROCK).with_aws(machine);
        }
        if is_set("CLAUDE_CODE_USE_VERTEX") {
            let regions: Vec<&str> =
                machine.env.keys().map(String::as_str).filter(|name| name.starts_with(VERTEX_REGION)).collect();
            provider = provider.with(VERTEX).with(&regions).with_google(machine);
        }
        if is_set("CLAUDE_CODE_USE_FOUNDRY") {
            provider = provider.with(FOUNDRY).with_azure(machine);
        }
        provider
    }

    fn skills(&self, machine: &Machine) -> Option<SkillFolders> {
        let own = |folder| self.recipe().config_file(machine, ".claude", folder);
        let personal = vec![(own("skills"), SkillLayout::Folders), (own("commands"), SkillLayout::Files)];
        Some(SkillFolders { sign: '/', project: PROJECT_SKILLS, is_climbing: false, personal })
    }

    fn plan(&self, found: &Program, machine: &Machine, spec: &SessionSpec) -> LaunchPlan {
        let mut plan = launch::plan(found, machine, spec, VARS, SET);
        if !spec.mcp.is_empty() {
            // Otherwise tools of MCP servers are hidden behind a search that the model has to think of.
            plan.env.insert("ENABLE_TOOL_SEARCH".into(), "false".into());
        }
        // A second model that suggests what to ask next would double the requests of a short turn.
        let mut options = json!({"promptSuggestions": false, "strictMcpConfig": spec.strict_mcp});
        if let Some(words) = &spec.hook {
            options["settings"] = json!({"hooks": {"PreToolUse": [{
                "matcher": "*",
                "hooks": [hook::configured(words)],
            }]}});
        }
        if spec.access == Access::ReadOnly {
            options["disallowedTools"] = json!(["Edit", "MultiEdit", "NotebookEdit", "Write"]);
        }
        plan.params.insert("_meta".into(), json!({"claudeCode": {"options": options}}));
        let mode = match (spec.is_planning, spec.access) {
            (true, _) => "plan",
            (false, Access::Autonomous) => "acceptEdits",
            (false, Access::ReadOnly | Access::Guarded | Access::Full) => "default",
        };
        plan.mode = Some(mode.into());
        plan
    }
}

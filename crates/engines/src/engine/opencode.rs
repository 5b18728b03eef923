//! OpenCode, which speaks the protocol itself.
//!
//! Measured with version 1.18: it asks where its configuration says so; for a command outside of the project it asks twice. A
//! refusal ends the whole turn. It makes its context smaller by itself and says nothing of it.

use crate::event::{Tier, ToolUse};
use crate::launch;
use crate::port::{
    Access, Engine, Hook, LaunchPlan, Machine, PlannedFile, Program, Provider, Recipe, SessionSpec, TakesInstructions,
    TellsCost, Traits,
};
use crate::provider;
use crate::tool::{self, RawTool};
use serde_json::json;
use std::path::PathBuf;

/// An external engine.
pub struct OpenCode;

/// Variables of its own and of the services that it may be set up for.
const VARS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "OPENAI_API_KEY",
    "OPENCODE_API_KEY",
    "OPENCODE_CONFIG",
    "OPENROUTER_API_KEY",
];

const SET: &[(&str, &str)] = &[("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")];

impl Engine for OpenCode {
    fn id(&self) -> &str {
        "opencode"
    }

    fn name(&self) -> &str {
        "OpenCode"
    }

    fn tier(&self) -> Tier {
        Tier::External
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            command: "opencode".into(),
            package: Some("opencode-ai"),
            version_min: Some("1.18.0"),
            node_min: None,
            helper: None,
            prefixes: &[],
            provider_vars: &[],
            login_vars: &[
                "ANTHROPIC_API_KEY",
                "GEMINI_API_KEY",
                "OPENAI_API_KEY",
                "OPENCODE_API_KEY",
                "OPENROUTER_API_KEY",
            ],
            login_files: &[".local/share/opencode/auth.json"],
            // The file may hold keys that are paid by use.
            subscriptions: &[],
            config: &[".config/opencode", ".local/share/opencode", ".opencode"],
            config_var: None,
            // Services may be set up in its configuration, and some models need none.
            login_elsewhere: true,
            login_hints: &[],
            install: "npm install -g opencode-ai",
            login: "Run `opencode auth login` in a terminal.",
        }
    }

    fn traits(&self) -> Traits {
        Traits {
            instructions: TakesInstructions::File,
            hook: Hook::None,
            cost: TellsCost::Money,
            compact: None,
            refusal_ends_turn: true,
            answers_always: false,
            commands_outlive_cancel: false,
            strict_mcp: false,
            effort: false,
            asks: true,
            takes_input: false,
            keeps_shell_folder: false,
        }
    }

    fn config_files(&self, machine: &Machine) -> Vec<PathBuf> {
        let named = machine.var("OPENCODE_CONFIG").map(PathBuf::from);
        let folder = machine.var("XDG_CONFIG_HOME").map_or_else(|| machine.home.join(".config"), PathBuf::from);
        let own = ["opencode.json", "opencode.jsonc", "config.json"].map(|file| folder.join("opencode").join(file));
        named.into_iter().chain(own).collect()
    }

    fn provider(&self, machine: &Machine, config: &str) -> Provider {
        let provider = Provider { vars: provider::in_braces(config), places: Vec::new() };
        if config.contains("\"amazon-bedrock\"") { provider.with_aws(machine) } else { provider }
    }

    fn plan(&self, found: &Program, machine: &Machine, spec: &SessionSpec) -> LaunchPlan {
        let mut plan = launch::plan(found, machine, spec, VARS, SET);
        plan.args.push("acp".into());
        let change = if spec.access == Access::ReadOnly { "deny" } else { "ask" };
        let mut config = json!({
            "autoupdate": false,
            "share": "disabled",
            "permission": {"edit": change, "bash": "ask", "webfetch": "ask", "external_directory": "ask"},
        });
        if let Some(text) = plan.instructions.take() {
            let file = spec.own_dir.join("instructions.md");
            config["instructions"] = json!([file.to_string_lossy()]);
            plan.files.push(PlannedFile { file, text, is_program: false });
        }
        plan.env.insert("OPENCODE_CONFIG_CONTENT".into(), config.to_string());
        plan.mode = Some(if spec.is_planning { "plan" } else { "build" }.into());
        plan
    }

    fn normalize(&self, tool: &RawTool) -> ToolUse {
        // A use is announced under its tool's name, and gets a title for people later.
        let is_name = !tool.first_title.is_empty() && tool.first_title.chars().all(|c| c.is_alphanumeric() || c == '_');
        let known = tool::normalize(tool);
        ToolUse { name: known.name.or_else(|| is_name.then(|| tool.first_title.clone())), ..known }
    }
}

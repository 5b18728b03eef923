//! The Gemini command line, which speaks the protocol itself.
//!
//! Measured with version 0.61: it tells neither how full its context is nor what it costs, and goes on with no session that ended
//! hard.

use crate::event::{Tier, ToolKind, ToolUse};
use crate::launch;
use crate::port::{
    Access, Engine, Hook, LaunchPlan, Machine, Program, Recipe, SessionSpec, TakesInstructions, TellsCost, Traits,
};
use crate::tool::{self, RawTool};

/// An external engine.
pub struct Gemini;

/// Variables of its own that the user may have set.
const VARS: &[&str] = &[
    "GEMINI_API_KEY",
    "GEMINI_MODEL",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_API_VERSION",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_VERTEX_BASE_URL",
];

/// One process instead of two, and no question whether the folder is to be trusted, which nobody could answer.
const SET: &[(&str, &str)] = &[
    ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ("GEMINI_TELEMETRY_ENABLED", "false"),
];

/// Its tool that asks whether a plan is to be carried out, which it calls of no kind.
const PROPOSES_PLAN: &str = "exit_plan_mode";

impl Engine for Gemini {
    fn id(&self) -> &str {
        "gemini"
    }

    fn name(&self) -> &str {
        "Gemini"
    }

    fn tier(&self) -> Tier {
        Tier::External
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            command: "gemini".into(),
            package: Some("@google/gemini-cli"),
            version_min: Some("0.61.0"),
            node_min: Some("20.0.0"),
            helper: None,
            prefixes: &["GEMINI_", "GOOGLE_"],
            provider_vars: &["GOOGLE_GENAI_USE_GCA", "GOOGLE_GENAI_USE_VERTEXAI"],
            login_vars: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"],
            login_files: &[".gemini/oauth_creds.json"],
            subscriptions: &[".gemini/oauth_creds.json"],
            config: &[".gemini"],
            config_var: None,
            login_elsewhere: false,
            // Where a way to log in was chosen, its key may be in a keychain.
            login_hints: &[(".gemini/.env", &[""]), (".gemini/settings.json", &["selectedType", "selectedAuthType"])],
            install: "npm install -g @google/gemini-cli",
            login: "Run `gemini` in a terminal and choose how to log in.",
        }
    }

    fn traits(&self) -> Traits {
        Traits {
            instructions: TakesInstructions::Prompt,
            hook: Hook::None,
            cost: TellsCost::Tokens,
            compact: None,
            refusal_ends_turn: false,
            answers_always: true,
            commands_outlive_cancel: false,
            strict_mcp: false,
            effort: false,
            asks: true,
            takes_input: false,
            keeps_shell_folder: false,
        }
    }

    fn plan(&self, found: &Program, machine: &Machine, spec: &SessionSpec) -> LaunchPlan {
        let mut plan = launch::plan(found, machine, spec, VARS, SET);
        plan.args.push("--acp".into());
        let mode = match (spec.is_planning, spec.access) {
            (true, _) => "plan",
            (false, Access::Autonomous) => "autoEdit",
            (false, Access::ReadOnly | Access::Guarded | Access::Full) => "default",
        };
        plan.mode = Some(mode.into());
        plan
    }

    fn normalize(&self, tool: &RawTool) -> ToolUse {
        // Its tools have no input: the title of a command is the command, and the name of the tool is part of the use's.
        let known = tool::normalize(tool);
        let is_command = known.kind == ToolKind::Execute && known.command.is_none();
        let name = known.name.or_else(|| tool.id.split_once("__").map(|(name, _)| name.to_owned()));
        let is_plan = name.as_deref() == Some(PROPOSES_PLAN);
        ToolUse {
            name,
            kind: if is_plan { ToolKind::SwitchMode } else { known.kind },
            command: if is_command { Some(known.title.clone()) } else { known.command },
            ..known
        }
    }
}

//! Codex, by way of its adapter `codex-acp`.
//!
//! Measured with version 2.6: it never asks by itself, the sandbox of the operating system decides; without a permission profile a
//! command may read everything of the user's, keys included, in every mode. In its mode `agent` another model decides instead of the
//! person, so that mode is not used. A command that it runs goes on when its turn is canceled.
//!
//! Its own sandbox can't be opened for one command: after an approval, `git commit` and the network still fail in it, and without
//! user namespaces it doesn't start at all. So on Linux, where our hook decides about every tool and our sandbox hides what is
//! sensitive, it starts in the mode without a sandbox. At read-only its own one stays, as a second guard.

use crate::event::Tier;
use crate::hook;
use crate::launch;
use crate::port::{
    Access, Engine, Hook, LaunchPlan, Machine, PlannedFile, Program, Provider, Recipe, SessionSpec, SkillFolders,
    SkillLayout, TakesInstructions, TellsCost, Traits,
};
use crate::provider;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The second engine.
pub struct Codex;

/// Variables of its own that the user may have set.
const VARS: &[&str] =
    &["CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"];

/// No browser for a login, and no request of its own after each turn for what the person may say next: that one has the whole
/// context.
const SET: &[(&str, &str)] = &[("NO_BROWSER", "1"), ("CODEX_ACP_PROMPT_SUGGESTIONS", "false")];

/// The mode without a sandbox.
const UNCONFINED: &str = "agent-full-access";

/// The name of the permission profile that holds what is denied.
const PROFILE: &str = "pilothouse";

/// A command in the place of Codex that starts it with the permission profile: profiles are only offered as modes where Codex itself
/// was started with them, and its configuration is the user's. `None` where nothing is to be denied, or the user's Codex is not known.
fn wrapper(found: &Program, spec: &SessionSpec) -> Option<PlannedFile> {
    let (_, codex) = found.helper.as_ref()?;
    if is_unconfined(spec) || spec.denied.is_empty() || cfg!(windows) {
        return None;
    }
    let base = if spec.access == Access::ReadOnly { ":read-only" } else { ":workspace" };
    // What JSON writes as a text, TOML reads as the same.
    let denied: Vec<String> =
        spec.denied.iter().map(|path| format!("{}=\"deny\"", Value::from(path.to_string_lossy()))).collect();
    let words = [
        codex.clone(),
        "-c".into(),
        format!("permissions.{PROFILE}.extends={}", Value::from(base)),
        "-c".into(),
        format!("permissions.{PROFILE}.filesystem={{{}}}", denied.join(", ")),
        "-c".into(),
        format!("default_permissions={}", Value::from(PROFILE)),
    ];
    let text = format!("#!/bin/sh\nexec {} \"$@\"\n", launch::shell_line(&words));
    Some(PlannedFile { file: spec.own_dir.join("codex"), text, is_program: true })
}

/// Whether it starts without its own sandbox.
fn is_unconfined(spec: &SessionSpec) -> bool {
    let is_held = cfg!(target_os = "linux") && spec.hook.is_some();
    match spec.access {
        Access::Full => true,
        Access::Guarded | Access::Autonomous => is_held,
        Access::ReadOnly => is_held && !spec.has_namespaces,
    }
}

impl Engine for Codex {
    fn id(&self) -> &str {
        "codex"
    }

    fn name(&self) -> &str {
        "Codex"
    }

    fn tier(&self) -> Tier {
        Tier::Second
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            command: "codex-acp".into(),
            package: Some("@agentclientprotocol/codex-acp"),
            version_min: Some("2.6.0"),
            node_min: Some("18.0.0"),
            helper: Some(("CODEX_PATH", "codex")),
            prefixes: &["CODEX_", "OPENAI_"],
            provider_vars: &[],
            login_vars: &["CODEX_API_KEY", "OPENAI_API_KEY"],
            login_files: &[".codex/auth.json"],
            subscriptions: &[".codex/auth.json"],
            config: &[".codex"],
            config_var: Some("CODEX_HOME"),
            login_elsewhere: false,
            // Other providers have keys of their own or none, and the login may be in a keychain.
            login_hints: &[(".codex/config.toml", &["model_provider", "oss_provider", "cli_auth_credentials_store"])],
            install: "npm install -g @agentclientprotocol/codex-acp",
            login: "Run `codex login` in a terminal.",
        }
    }

    fn traits(&self) -> Traits {
        Traits {
            instructions: TakesInstructions::Param,
            hook: Hook::Command,
            cost: TellsCost::Tokens,
            compact: Some("/compact"),
            refusal_ends_turn: false,
            answers_always: false,
            commands_outlive_cancel: true,
            strict_mcp: false,
            effort: true,
            asks: false,
            takes_input: true,
            keeps_shell_folder: false,
        }
    }

    fn config_files(&self, machine: &Machine) -> Vec<PathBuf> {
        vec![self.recipe().config_file(machine, ".codex", "config.toml")]
    }

    fn provider(&self, machine: &Machine, config: &str) -> Provider {
        let (active, vars) = provider::of_codex(config);
        let provider = Provider { vars, places: Vec::new() };
        if active == "amazon-bedrock" { provider.with_aws(machine) } else { provider }
    }

    fn skills(&self, machine: &Machine) -> Option<SkillFolders> {
        const FOLDER: &str = ".agents/skills";
        let personal = vec![(machine.home.join(FOLDER), SkillLayout::Folders)];
        Some(SkillFolders { sign: '$', project: &[(FOLDER, SkillLayout::Folders)], is_climbing: true, personal })
    }

    fn plan(&self, found: &Program, machine: &Machine, spec: &SessionSpec) -> LaunchPlan {
        let mut plan = launch::plan(found, machine, spec, VARS, SET);
        let mut config = json!({"check_for_update_on_startup": false});
        if let Some(words) = &spec.hook {
            config["hooks"] = json!({"PreToolUse": [{"hooks": [hook::configured(words)]}]});
            config["bypass_hook_trust"] = true.into();
        }
        let mut mode = match spec.access {
            _ if is_unconfined(spec) => UNCONFINED.to_owned(),
            Access::ReadOnly => "read-only".to_owned(),
            Access::Guarded | Access::Autonomous | Access::Full => "workspace-write".to_owned(),
        };
        if let Some(wrapper) = wrapper(found, spec) {
            plan.env.insert("CODEX_PATH".into(), wrapper.file.to_string_lossy().into_owned());
            plan.files.push(wrapper);
            plan.keeps_denied = true;
            mode = format!("permission-profile:{PROFILE}");
        }
        plan.env.insert("INITIAL_AGENT_MODE".into(), mode.clone());
        plan.env.insert("CODEX_CONFIG".into(), config.to_string());
        plan.mode = Some(mode);
        if spec.is_planning {
            plan.choices.push(("collaboration_mode", "plan".into()));
        }
        plan
    }
}

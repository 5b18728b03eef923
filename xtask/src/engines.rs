//! `cargo xtask engines`: the program with the engines as they are published, and a model of our own in place of theirs.

use crate::tools::{self, Failure, command, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The engines, and the Node.js that runs them. Claude's adapter brings Claude with it.
const PACKAGES: &[(&str, &str)] = &[
    ("node", "22.23.3"),
    ("@agentclientprotocol/claude-agent-acp", "0.100.0"),
    ("@agentclientprotocol/codex-acp", "2.6.0"),
    ("@google/gemini-cli", "0.61.0"),
    ("@openai/codex", "0.171.0"),
    ("opencode-ai", "1.18.33"),
];
/// Where the last complete result is.
const TABLE: &str = "docs/engines-table.md";

/// Runs the checks: those whose engine or title is named, or all of them, which also writes the table.
/// They don't need the page.
pub fn check(names: &[String]) -> Result<(), Failure> {
    let modules = packages()?;
    run("program", &mut command("cargo build --package app"))?;
    let mut checks = Command::new(modules.join(".bin/node"));
    checks.arg("e2e/engines/run.mjs").arg(crate::steps::program()).arg(&modules).arg(TABLE).args(names);
    run("engines", &mut checks)
}

/// Installs what isn't there in the pinned version. Install scripts run: they fetch or place the programs.
fn packages() -> Result<PathBuf, Failure> {
    let folder = tools::target_dir().join("engines");
    let modules = folder.join("node_modules");
    if PACKAGES.iter().all(|(name, version)| installed(&modules, name).as_deref() == Some(version)) {
        return Ok(modules);
    }
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut install = command("npm install --no-fund --no-audit --save-exact --prefix");
    install.arg(&folder).args(PACKAGES.iter().map(|(name, version)| format!("{name}@{version}")));
    run("engines (700 MB)", &mut install)?;
    Ok(modules)
}

fn installed(modules: &Path, name: &str) -> Option<String> {
    let about = std::fs::read(modules.join(name).join("package.json")).ok()?;
    let about: serde_json::Value = serde_json::from_slice(&about).ok()?;
    about["version"].as_str().map(str::to_owned)
}

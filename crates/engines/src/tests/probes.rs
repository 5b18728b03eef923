//! Engines that are there, are not there, or are too old.

use super::support::patient;
use crate::engine::{Claude, Codex, External, OpenCode};
use crate::port::{Engine, Env, Machine};
use crate::probe::{Login, Probed, probe};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

/// A machine with nothing but what a test puts there.
struct Box {
    dir: TempDir,
    env: Env,
}

impl Box {
    fn new() -> Box {
        let dir = tempfile::tempdir().unwrap();
        let path = std::env::join_paths([dir.path().join("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
        Box { dir, env: Env::from([("PATH".into(), path.into_string().unwrap())]) }
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.dir.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A package as npm installs one.
    fn package(&self, name: &str, command: &str, version: &str) {
        let folder = format!("lib/node_modules/{name}");
        self.write(&format!("{folder}/package.json"), &format!(r#"{{"name": "{name}", "version": "{version}"}}"#));
        self.write(&format!("{folder}/dist/index.js"), "#!/usr/bin/env node\n");
        std::fs::create_dir_all(self.dir.path().join("bin")).unwrap();
        let script = self.dir.path().join(folder).join("dist/index.js");
        std::os::unix::fs::symlink(script, self.dir.path().join("bin").join(command)).unwrap();
    }

    fn node(&self, version: &str) {
        self.write("bin/node", &format!("#!/bin/sh\necho v{version}\n"));
    }

    async fn look(&self, engine: &dyn Engine) -> Probed {
        let machine = Machine { home: self.dir.path().join("home"), env: self.env.clone() };
        probe(engine, &machine, None, &*patient().sleep).await
    }
}

fn trouble(probed: &Probed) -> String {
    assert_eq!(probed.program, None);
    probed.trouble.as_ref().expect("trouble").to_string()
}

const CLAUDE: &str = "@agentclientprotocol/claude-agent-acp";

#[tokio::test]
async fn an_engine_that_is_not_there_says_how_to_have_it() {
    let found = Box::new().look(&Claude).await;
    assert_eq!(
        trouble(&found),
        "claude-agent-acp isn't installed or isn't on PATH. Install it with: npm install -g @agentclientprotocol/claude-agent-acp"
    );
    assert_eq!(found.login, if cfg!(target_os = "macos") { Login::Unknown } else { Login::No });
}

#[tokio::test]
async fn an_engine_is_found_with_its_version_its_runtime_and_its_login() {
    let mut here = Box::new();
    here.package(CLAUDE, "claude-agent-acp", "0.101.3");
    here.node("22.4.1");
    here.write("bin/claude", "#!/bin/sh\n");
    here.write("home/.claude/.credentials.json", "{}");
    let found = here.look(&Claude).await;
    let program = found.program.expect("found");
    assert_eq!(program.file, here.dir.path().join("bin/node"));
    let script = here.dir.path().join("lib/node_modules").join(CLAUDE).join("dist/index.js").canonicalize().unwrap();
    assert_eq!(program.args, [script.to_string_lossy()]);
    let claude = here.dir.path().join("bin/claude").to_string_lossy().into_owned();
    assert_eq!(program.helper, Some(("CLAUDE_CODE_EXECUTABLE".into(), claude)));
    assert_eq!((found.version.as_deref(), found.login, found.trouble), (Some("0.101.3"), Login::Yes, None));
    here.env.insert("OPENAI_API_KEY".into(), "x".into());
    assert_eq!(here.look(&Codex).await.login, Login::Yes);
}

#[tokio::test]
async fn what_is_too_old_says_what_it_needs() {
    let here = Box::new();
    here.package(CLAUDE, "claude-agent-acp", "0.99.9");
    here.node("22.0.0");
    assert!(
        trouble(&here.look(&Claude).await).starts_with("claude-agent-acp 0.99.9 is too old; version 0.100.0 or later")
    );
    here.node("20.20.2");
    assert!(trouble(&here.look(&Claude).await).starts_with("Node.js 20.20.2 is too old; version 22.0.0 or later"));
}

#[tokio::test]
async fn a_program_of_its_own_is_asked_for_its_version() {
    let here = Box::new();
    here.write("bin/opencode", "#!/bin/sh\n[ \"$1\" = --version ] && echo opencode v1.19.0-beta.2\n");
    let found = here.look(&OpenCode).await;
    assert_eq!((found.version.as_deref(), found.login, found.trouble), (Some("1.19.0-beta.2"), Login::Unknown, None));
    here.write("bin/opencode", "#!/bin/sh\necho 1.17.9\n");
    assert!(trouble(&here.look(&OpenCode).await).starts_with("opencode 1.17.9 is too old; version 1.18.0"));
}

#[tokio::test]
async fn an_agent_of_the_configuration_is_found_and_not_started() {
    let here = Box::new();
    here.write("bin/mine", "#!/bin/sh\necho started > \"$(dirname \"$0\")/started\"\n");
    std::fs::write(here.dir.path().join("bin/text"), "not to be run").unwrap();
    let agent = |command: &str| External {
        id: "mine".into(),
        name: "Mine".into(),
        command: command.into(),
        args: Vec::new(),
        env: Env::new(),
    };
    let file = here.dir.path().join("bin/mine");
    for command in ["mine", &*file.to_string_lossy()] {
        assert_eq!(here.look(&agent(command)).await.program.expect("found").file, file);
    }
    assert!(!here.dir.path().join("bin/started").exists());
    for command in ["text", "", "../bin/mine", "/nowhere/mine"] {
        let found = here.look(&agent(command)).await;
        assert!(found.program.is_none() || Path::new(command).is_relative() && command.contains(".."), "{command}");
    }
}

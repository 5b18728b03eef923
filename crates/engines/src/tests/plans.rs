//! What each engine is started with, as one golden file: a plan is pure, so all of it can be looked at.

use crate::engine::{External, Practice, known};
use crate::port::{Access, Engine, Env, LaunchPlan, Machine, McpServer, McpVia, Program, SESSION_MARK, SessionSpec};
use std::path::Path;
use std::sync::Arc;

fn machine() -> Machine {
    let env = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/dev"),
        ("LANG", "C.UTF-8"),
        ("ANTHROPIC_API_KEY", "key-a"),
        ("OPENAI_API_KEY", "key-o"),
        ("GEMINI_API_KEY", "key-g"),
        ("AWS_SECRET_ACCESS_KEY", "of nobody's concern"),
        ("CLAUDECODE", "1"),
        ("SSH_AUTH_SOCK", "/run/ssh"),
    ];
    Machine { home: "/home/dev".into(), env: env.map(|(name, value)| (name.into(), value.into())).into() }
}

fn engines() -> Vec<Arc<dyn Engine>> {
    let mine = External {
        id: "mine".into(),
        name: "Mine".into(),
        command: "mine".into(),
        args: vec!["acp".into()],
        env: Env::from([("MINE_KEY".into(), "key-m".into())]),
    };
    known().into_iter().chain([Arc::new(Practice) as Arc<dyn Engine>, Arc::new(mine)]).collect()
}

fn found() -> Program {
    Program {
        file: "/opt/agent".into(),
        args: vec!["script.js".into()],
        helper: Some(("HELPER".into(), "/opt/helper".into())),
    }
}

fn specs() -> Vec<(&'static str, SessionSpec)> {
    let spec = |access| SessionSpec { access, ..SessionSpec::new("session-1", "/home/dev/project", "/data/session-1") };
    let everything = SessionSpec {
        instructions: "Be brief.".into(),
        model: Some("model-1".into()),
        effort: Some("high".into()),
        mcp: vec![
            McpServer {
                name: "pilothouse".into(),
                via: McpVia::Http {
                    url: "http://127.0.0.1:1/mcp".into(),
                    headers: Env::from([("Authorization".into(), "Bearer x".into())]),
                },
            },
            McpServer {
                name: "files".into(),
                via: McpVia::Stdio {
                    command: "/opt/files".into(),
                    args: vec!["--root".into(), "/".into()],
                    env: Env::from([("A".into(), "b".into())]),
                },
            },
        ],
        strict_mcp: true,
        folders: vec!["/home/dev/other".into()],
        denied: vec!["/home/dev/.ssh".into(), "/home/dev/.aws".into()],
        hook: Some(vec!["/opt/pilot house".into(), "hook".into()]),
        env: Env::from([("APP_CLI_TOKEN".into(), "token".into()), (SESSION_MARK.into(), "another".into())]),
        ..spec(Access::ReadOnly)
    };
    vec![
        ("guarded", spec(Access::Guarded)),
        ("read-only, with everything", everything.clone()),
        ("guarded, with denied files", SessionSpec { denied: everything.denied, ..spec(Access::Guarded) }),
        ("guarded, with a hook", SessionSpec { hook: everything.hook.clone(), ..spec(Access::Guarded) }),
        (
            "read-only, with a hook and without namespaces",
            SessionSpec { hook: everything.hook, has_namespaces: false, ..spec(Access::ReadOnly) },
        ),
        ("autonomous", spec(Access::Autonomous)),
        ("full", spec(Access::Full)),
        ("planning", SessionSpec { is_planning: true, ..spec(Access::Guarded) }),
    ]
}

fn shown(plan: &LaunchPlan) -> String {
    let mut text = format!("run {} {}\n", plan.program.display(), plan.args.join(" "));
    let mut line = |name: &str, value: String| text += &format!("  {name} {value}\n");
    plan.env.iter().for_each(|(name, value)| line("env", format!("{name}={value}")));
    plan.files.iter().for_each(|one| {
        let kind = if one.is_program { "program" } else { "file" };
        line(kind, format!("{} {:?}", one.file.display(), one.text));
    });
    if plan.keeps_denied {
        line("denied", "by the operating system".into());
    }
    line("params", serde_json::to_string(&plan.params).expect("JSON"));
    plan.instructions.iter().for_each(|text| line("instructions", format!("{text:?}")));
    plan.mode.iter().for_each(|mode| line("mode", mode.clone()));
    plan.choices.iter().for_each(|(category, value)| line("choose", format!("{category} {value}")));
    text
}

#[test]
fn plans_are_the_golden_ones() {
    let mut text = String::new();
    for engine in engines() {
        for (name, spec) in specs() {
            text += &format!("--- {}, {name}\n{}", engine.id(), shown(&engine.plan(&found(), &machine(), &spec)));
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/plans.txt");
    if std::fs::read_to_string(&golden).unwrap_or_default() != text {
        std::fs::write(&golden, text).expect("the golden file");
        panic!("crates/engines/golden/plans.txt differed and has been written anew: look at it and commit it");
    }
}

#[test]
fn no_plan_hands_on_what_is_not_its_own() {
    for engine in engines() {
        for (name, spec) in specs() {
            let plan = engine.plan(&found(), &machine(), &spec);
            let names: Vec<&str> = plan.env.keys().map(String::as_str).collect();
            let keys = [("claude", "ANTHROPIC_API_KEY"), ("codex", "OPENAI_API_KEY"), ("gemini", "GEMINI_API_KEY")];
            for (own, key) in keys {
                // OpenCode may be set up for any service.
                assert!(
                    engine.id() == own || engine.id() == "opencode" || !names.contains(&key),
                    "{}, {name}",
                    engine.id()
                );
            }
            for foreign in ["AWS_SECRET_ACCESS_KEY", "CLAUDECODE", "SSH_AUTH_SOCK"] {
                assert!(!names.contains(&foreign), "{}, {name}: {foreign}", engine.id());
            }
            assert_eq!(plan.env[SESSION_MARK], "session-1", "nobody overrides the mark");
            assert_eq!(plan.cwd, spec.cwd);
            let shown = format!("{spec:?} {plan:?}");
            assert!(!shown.contains("key-") && !shown.contains("Bearer") && !shown.contains("token\""), "{shown}");
        }
    }
}

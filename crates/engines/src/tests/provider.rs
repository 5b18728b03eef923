//! What the provider of an engine needs, and what is not passed to it.

use crate::engine::{Claude, Codex, External, Gemini, OpenCode, Practice};
use crate::port::{Engine, Env, Machine, Program, Provider, SessionSpec};
use crate::{exported, provider};
use std::path::PathBuf;
use tempfile::TempDir;

/// What is often exported, whatever is used.
const EXPORTED: [&str; 9] = [
    "ANTHROPIC_MODEL",
    "AWS_PROFILE",
    "AWS_SECRET_ACCESS_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "LITELLM_API_KEY",
    "MY_KEY",
    "OPENROUTER_API_KEY",
    "OTHER_KEY",
    "SSH_AUTH_SOCK",
];

struct Home(TempDir, Env);

impl Home {
    fn new(more: &[(&str, &str)]) -> Home {
        let set = EXPORTED.map(|name| (name.to_owned(), "/x".to_owned()));
        let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Home(TempDir::new().unwrap(), set.into_iter().chain(more).collect())
    }

    fn write(self, file: &str, text: &str) -> Home {
        let file = self.0.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    fn machine(&self) -> Machine {
        Machine { home: self.0.path().into(), env: self.1.clone() }
    }

    fn needs(&self, engine: &dyn Engine) -> Provider {
        provider::find(engine, &self.machine())
    }

    /// Which of what is exported a session gets.
    fn passed(&self, engine: &dyn Engine) -> Vec<String> {
        let env = self.plan_env(engine);
        EXPORTED.iter().filter(|name| env.contains_key(**name)).map(|name| (*name).to_owned()).collect()
    }

    fn plan_env(&self, engine: &dyn Engine) -> Env {
        let spec = SessionSpec { provider_vars: self.needs(engine).vars, ..SessionSpec::new("s", "/p", "/own") };
        engine.plan(&Program { file: "/opt/agent".into(), ..Program::default() }, &self.machine(), &spec).env
    }

    fn not_passed(&self, engine: &dyn Engine) -> Vec<String> {
        exported::not_passed(engine, &self.machine(), &self.plan_env(engine))
    }
}

#[test]
fn claude_gets_the_login_of_the_cloud_that_it_is_set_up_for_and_of_no_other() {
    let none = Home::new(&[("CLAUDE_CODE_USE_BEDROCK", "0")]);
    assert_eq!((none.needs(&Claude), none.passed(&Claude)), (Provider::default(), vec!["ANTHROPIC_MODEL".to_owned()]));
    let aws = ["ANTHROPIC_MODEL", "AWS_PROFILE", "AWS_SECRET_ACCESS_KEY"];
    let exported = Home::new(&[("CLAUDE_CODE_USE_BEDROCK", "1")]);
    let configured = Home::new(&[]).write(".claude/settings.json", r#"{"env": {"CLAUDE_CODE_USE_BEDROCK": "true"}}"#);
    for home in [exported, configured] {
        assert_eq!(home.passed(&Claude), aws);
        assert_eq!(home.needs(&Claude).places, [home.0.path().join(".aws")]);
        assert!(home.needs(&Codex).places.is_empty() && home.passed(&Codex).is_empty());
    }
    let vertex = Home::new(&[("CLAUDE_CODE_USE_VERTEX", "1"), ("VERTEX_REGION_CLAUDE_HAIKU", "us-east5")]);
    assert_eq!(vertex.passed(&Claude), ["ANTHROPIC_MODEL", "GOOGLE_APPLICATION_CREDENTIALS"]);
    assert_eq!(vertex.plan_env(&Claude)["VERTEX_REGION_CLAUDE_HAIKU"], "us-east5");
    assert_eq!(vertex.needs(&Claude).places, [PathBuf::from("/x"), vertex.0.path().join(".config/gcloud")]);
    let broken = Home::new(&[]).write(".claude/settings.json", "{\"env\": {\"CLAUDE_CODE_USE_BEDROCK\": ");
    assert_eq!(broken.needs(&Claude), Provider::default());
}

#[test]
fn codex_gets_the_key_that_its_provider_names() {
    let text = r#"
model_provider = "router" # the one in use
[model_providers.other]
env_key = "OTHER_KEY"
[model_providers."router"]
name = "Router"
base_url = "https://router.example/v1"
env_key = 'OPENROUTER_API_KEY'
env_http_headers = { "X-Team" = "MY_KEY", "X-More" = "APP_CLI_TOKEN" }
[profiles.work]
model_provider = "other"
"#;
    let home = Home::new(&[]).write(".codex/config.toml", text);
    assert_eq!(home.passed(&Codex), ["MY_KEY", "OPENROUTER_API_KEY"]);
    assert!(!home.needs(&Codex).vars.contains(&"APP_CLI_TOKEN".to_owned()));
    let profile = Home::new(&[]).write(".codex/config.toml", &format!("profile = \"work\"\n{text}"));
    assert_eq!(profile.passed(&Codex), ["OTHER_KEY"]);
    let moved = TempDir::new().unwrap();
    std::fs::write(moved.path().join("config.toml"), text).unwrap();
    let elsewhere = Home::new(&[("CODEX_HOME", moved.path().to_str().unwrap())]);
    assert_eq!(elsewhere.passed(&Codex), ["MY_KEY", "OPENROUTER_API_KEY"]);
    for odd in ["model_provider = ", "[", "model_provider = \"\u{1F980}", "=", "model_provider = \"none\""] {
        assert!(Home::new(&[]).write(".codex/config.toml", odd).passed(&Codex).is_empty(), "{odd}");
    }
}

#[test]
fn opencode_gets_what_its_configuration_fills_in_and_an_external_engine_no_cloud_files() {
    let text = r#"{"provider": {"mine": {"options": {"apiKey": "{env:MY_KEY}", "x": "{env:NO NAME}"}}}}"#;
    let home = Home::new(&[]).write(".config/opencode/opencode.json", text);
    assert_eq!(home.passed(&OpenCode), ["MY_KEY", "OPENROUTER_API_KEY"]);
    assert!(home.needs(&OpenCode).places.is_empty());
}

#[test]
fn names_of_what_an_engine_may_have_been_meant_to_get_are_told() {
    let home = Home::new(&[("CLAUDE_CODE_ENTRYPOINT", "cli"), ("CLAUDE_CODE_EXTRA", "1"), ("OPENAI_EXTRA", "1")]);
    let services = ["AWS_PROFILE", "AWS_SECRET_ACCESS_KEY"].map(str::to_owned);
    let with = |more: &[&str]| {
        let mut all: Vec<String> = services.iter().cloned().chain(more.iter().map(|name| (*name).to_owned())).collect();
        all.sort();
        all
    };
    assert_eq!(home.not_passed(&Claude), with(&["CLAUDE_CODE_EXTRA", "LITELLM_API_KEY", "OPENROUTER_API_KEY"]));
    assert_eq!(home.not_passed(&Codex), with(&["OPENAI_EXTRA", "LITELLM_API_KEY", "OPENROUTER_API_KEY"]));
    assert_eq!(home.not_passed(&Gemini), with(&["LITELLM_API_KEY", "OPENROUTER_API_KEY"]));
    let any =
        ["ANTHROPIC_MODEL", "CLAUDE_CODE_EXTRA", "GOOGLE_APPLICATION_CREDENTIALS", "LITELLM_API_KEY", "OPENAI_EXTRA"];
    assert_eq!(home.not_passed(&OpenCode), with(&any));
    let mine = External { id: "m".into(), name: "M".into(), command: "m".into(), args: Vec::new(), env: Env::new() };
    let any: Vec<&str> = any.into_iter().chain(["OPENROUTER_API_KEY"]).collect();
    assert_eq!(home.not_passed(&mine), with(&any));
    assert!(home.not_passed(&Practice).is_empty());
}

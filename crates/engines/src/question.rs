//! One question to an engine's own command, without a session: no tools, no folder of yours, nothing stored.
//!
//! Measured with Claude Code 2.1.197 and Codex 0.171.0: both enforce a JSON Schema, and answer in JSON on standard output.

use crate::acp::Streams;
use crate::event::Tokens;
use crate::launch;
use crate::port::{Engine, Env, LaunchPlan, Machine, PlannedFile, Program, SESSION_MARK, SessionSpec};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Bytes of an answer.
const ANSWER_BYTES: u64 = 1_000_000;
/// Time for the command to end after it's told to.
const GRACE: Duration = Duration::from_secs(1);
/// Nothing sent or updated that the answer doesn't need.
const SET: &[(&str, &str)] = &[
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("NO_BROWSER", "1"),
];
/// Where the logins of both are. Keys that the user exported aren't passed: they would be billed instead of the subscription.
const LOGINS: &[&str] = &["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CODEX_HOME"];

/// A question to an engine.
#[derive(Debug, Clone)]
pub struct EngineQuestion {
    /// The model; empty for the engine's default.
    pub model: String,
    /// All of it.
    pub prompt: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
    /// An empty folder.
    pub folder: PathBuf,
}

/// What an engine answered.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineReply {
    /// Its words.
    pub text: String,
    /// Tokens, if it reported them.
    pub tokens: Tokens,
    /// US dollars, if it reported them.
    pub usd: Option<f64>,
}

/// How the engine is asked; `None` if it can't be, or isn't installed. `given` are variables that the user set for it.
pub fn plan(engine: &dyn Engine, machine: &Machine, given: &Env, question: &EngineQuestion) -> Option<LaunchPlan> {
    let (_, command) = engine.recipe().helper?;
    let file = crate::probe::find(command, machine)?;
    let schema =
        PlannedFile { file: question.folder.join("schema.json"), text: question.schema.to_string(), is_program: false };
    let args = match engine.id() {
        "claude" => claude_args(question),
        "codex" => codex_args(question, &schema.file),
        _ => return None,
    };
    let spec = SessionSpec { env: given.clone(), ..SessionSpec::new("question", &question.folder, &question.folder) };
    let program = Program { file, args, helper: None };
    let mut plan = launch::plan(&program, machine, &spec, LOGINS, SET);
    plan.env.insert(SESSION_MARK.into(), question.folder.to_string_lossy().into_owned());
    plan.files.push(schema);
    Some(plan)
}

fn claude_args(question: &EngineQuestion) -> Vec<String> {
    let schema = question.schema.to_string();
    let mut args = vec!["-p", "--output-format", "json", "--json-schema", &schema, "--safe-mode", "--tools", ""];
    args.push("--no-session-persistence");
    if !question.model.is_empty() {
        args.extend(["--model", &question.model]);
    }
    args.into_iter().map(str::to_owned).collect()
}

fn codex_args(question: &EngineQuestion, schema: &Path) -> Vec<String> {
    let schema = schema.to_string_lossy();
    let mut args =
        vec!["exec", "--ephemeral", "--skip-git-repo-check", "--json", "--color", "never", "-s", "read-only"];
    args.extend(["--output-schema", &schema]);
    if !question.model.is_empty() {
        args.extend(["-m", &question.model]);
    }
    // The prompt comes from standard input, where no list of processes shows it.
    args.push("-");
    args.into_iter().map(str::to_owned).collect()
}

/// Hands the prompt over, reads the answer within this time, and ends the command. `Err` has its last words.
pub async fn ask(engine: &str, streams: Streams, prompt: &str, time: Duration) -> Result<EngineReply, String> {
    let Streams { input: from, output: mut to, errors, process } = streams;
    let (mut said, mut complained) = (Vec::new(), Vec::new());
    let work = async {
        // A command that ends early doesn't read it.
        let _ = to.write_all(prompt.as_bytes()).await;
        let _ = to.shutdown().await;
        drop(to);
        let mut answer = from.take(ANSWER_BYTES);
        let complaints = async {
            if let Some(errors) = errors {
                let _ = errors.take(ANSWER_BYTES).read_to_end(&mut complained).await;
            }
        };
        tokio::join!(answer.read_to_end(&mut said), complaints).0
    };
    let read = tokio::time::timeout(time, work).await;
    if let Some(process) = process {
        (process.end)(GRACE).await;
    }
    let said = String::from_utf8_lossy(&said).into_owned();
    match read {
        Err(_) => Err(format!("it didn't answer within {} seconds", time.as_secs())),
        Ok(read) => {
            let reply = read.ok().and_then(|_| reply(engine, &said));
            reply.ok_or_else(|| last_words(&said, &String::from_utf8_lossy(&complained)))
        }
    }
}

fn reply(engine: &str, said: &str) -> Option<EngineReply> {
    match engine {
        "claude" => claude_reply(said),
        _ => codex_reply(said),
    }
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn claude_reply(said: &str) -> Option<EngineReply> {
    let result: Value = serde_json::from_str(said.trim()).ok()?;
    if result["is_error"] == true {
        return None;
    }
    let usage = &result["usage"];
    let text = match &result["structured_output"] {
        Value::Null => result["result"].as_str()?.to_owned(),
        value => value.to_string(),
    };
    let tokens = Tokens {
        input: count(&usage["input_tokens"]),
        output: count(&usage["output_tokens"]),
        cached_read: count(&usage["cache_read_input_tokens"]),
        cached_write: count(&usage["cache_creation_input_tokens"]),
    };
    Some(EngineReply { text, tokens, usd: result["total_cost_usd"].as_f64().filter(|usd| *usd >= 0.0) })
}

fn codex_reply(said: &str) -> Option<EngineReply> {
    let mut text = None;
    let mut tokens = Tokens::default();
    for line in said.lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        if event["item"]["type"] == "agent_message" {
            text = event["item"]["text"].as_str().map(str::to_owned);
        }
        if event["type"] == "turn.completed" {
            let usage = &event["usage"];
            let cached = count(&usage["cached_input_tokens"]);
            tokens = Tokens {
                input: count(&usage["input_tokens"]).saturating_sub(cached),
                output: count(&usage["output_tokens"]),
                cached_read: cached,
                cached_write: count(&usage["cache_write_input_tokens"]),
            };
        }
        if event["type"] == "turn.failed" || event["type"] == "error" {
            return None;
        }
    }
    Some(EngineReply { text: text?, tokens, usd: None })
}

/// Why it didn't answer, in its own words: the last line that it wrote.
fn last_words(said: &str, complained: &str) -> String {
    let result = serde_json::from_str::<Value>(said.trim()).unwrap_or_default();
    let failed = said.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let failed = failed.into_iter().find_map(|event| {
        let message = event["error"]["message"].as_str().or(event["message"].as_str());
        message.map(str::to_owned)
    });
    let result = result["result"].as_str().map(str::to_owned).or(failed);
    let line = complained.lines().rev().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
    let words = result.or(line).unwrap_or_default();
    words.chars().take(200).map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

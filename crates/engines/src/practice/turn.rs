//! One turn of the practice agent.

use super::script::{self, Fail, Step};
use super::session::{Said, Session};
use super::wire::Wire;
use super::{Crashed, Place};
use crate::acp::rpc::{AUTH_REQUIRED, RpcError};
use crate::tool::text_output;
use kit::Clock;
use kit::clock::SystemClock;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, BufReader};
use tokio::sync::{oneshot, watch};

/// How much of a file or of what a command writes is shown.
const SHOWN_BYTES_MAX: u64 = 64 << 10;
/// Bytes that are taken for a token.
const TOKEN_BYTES: usize = 4;
/// Tokens that fit into the context.
const CONTEXT_TOKENS: usize = 200_000;
/// A picture of one blue point.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// Why a turn ends before its steps do.
enum Stop {
    /// It was canceled.
    Cancelled,
    /// It went wrong: the answer to the prompt.
    Failed(Result<Value, RpcError>),
    /// The process is to end.
    Crashed,
}

pub struct Turn {
    pub wire: Arc<Wire>,
    pub place: Arc<Place>,
    pub session: Arc<Session>,
    pub cancelled: watch::Receiver<u64>,
    pub tells_failures: bool,
    pub asks_forms: bool,
    pub last_tool: u64,
}

impl Turn {
    /// Waits for its turn and runs; the answer to the prompt is what it gives.
    pub async fn run(
        mut self,
        prompt: String,
        started: oneshot::Sender<()>,
    ) -> Result<Result<Value, RpcError>, Crashed> {
        let session = self.session.clone();
        let mut cancelled = self.cancelled.clone();
        let running = session.turn.lock();
        tokio::pin!(running);
        // Polled once, it stands in the queue.
        let at_once =
            tokio::select! { biased; running = &mut running => Some(running), () = std::future::ready(()) => None };
        let _ = started.send(());
        let _running = match at_once {
            Some(running) => running,
            None => tokio::select! {
                running = running => running,
                _ = cancelled.changed() => return Ok(Ok(json!({"stopReason": "cancelled"}))),
            },
        };
        session.state().said.push(Said { by_person: true, text: prompt.clone() });
        let _ = session.keep();
        let stopped = tokio::select! {
            biased;
            _ = cancelled.changed() => Err(Stop::Cancelled),
            stopped = self.follow(&prompt) => stopped,
        };
        session.steered().clear();
        let _ = session.keep();
        Ok(match stopped {
            Ok(()) => Ok(self.finished().await),
            Err(Stop::Cancelled) => Ok(json!({"stopReason": "cancelled"})),
            Err(Stop::Failed(answer)) => answer,
            Err(Stop::Crashed) => return Err(Crashed),
        })
    }

    /// What was used is counted, not measured by a model: a token for so many bytes.
    async fn finished(&self) -> Value {
        let (input, output) = {
            let state = self.session.state();
            let bytes = |by_person| -> usize {
                state.said.iter().filter(|said| said.by_person == by_person).map(|said| said.text.len()).sum()
            };
            (bytes(true) / TOKEN_BYTES, bytes(false) / TOKEN_BYTES)
        };
        json!({"stopReason": "end_turn", "usage": {"inputTokens": input, "outputTokens": output, "totalTokens": input + output}})
    }

    async fn follow(&mut self, prompt: &str) -> Result<(), Stop> {
        if prompt.trim() == "/compact" {
            return self.compact().await;
        }
        match script::parse(prompt) {
            None => self.say(&script::help()).await,
            Some(Err(error)) => self.say(&error).await,
            Some(Ok(steps)) => {
                for step in steps {
                    self.step(step).await?;
                    self.follow_steered().await?;
                }
            }
        }
        Ok(())
    }

    /// Does what it was told in between.
    async fn follow_steered(&mut self) -> Result<(), Stop> {
        loop {
            let Some(text) = self.session.steered().pop_front() else { return Ok(()) };
            match script::parse(&text) {
                Some(Ok(steps)) => {
                    for step in steps {
                        self.step(step).await?;
                    }
                }
                Some(Err(error)) => self.say(&error).await,
                None => self.say(&format!("Heard in between: {text}")).await,
            }
        }
    }

    async fn update(&self, update: Value) {
        let id = self.session.state().id.clone();
        self.wire.update(&id, update).await;
    }

    async fn say(&self, text: &str) {
        {
            let mut state = self.session.state();
            match state.said.last_mut() {
                Some(said) if !said.by_person => said.text += text,
                _ => state.said.push(Said { by_person: false, text: text.to_owned() }),
            }
        }
        self.update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})).await;
    }

    /// Waits for what comes so many times a second.
    async fn pause(&self, per_second: f64) {
        if per_second > 0.0 {
            self.wait(Duration::from_secs_f64(1.0 / per_second)).await;
        }
    }

    async fn wait(&self, how_long: Duration) {
        self.place.sleep.sleep(how_long).await;
    }

    async fn step(&mut self, step: Step) -> Result<(), Stop> {
        match step {
            Step::Say(text) => self.say(&format!("{text}\n")).await,
            Step::Think(text) => {
                let content = json!({"type": "text", "text": text});
                self.update(json!({"sessionUpdate": "agent_thought_chunk", "content": content})).await;
            }
            Step::Wait(how_long) => self.wait(how_long).await,
            Step::Read(path) => self.read(&path).await?,
            Step::Write(path, text) => self.write(&path, &text).await?,
            Step::Run(command) => self.run_command(&command).await?,
            Step::Ask(question) => self.ask(&question).await?,
            Step::Plan(steps) => self.plan(&steps).await?,
            Step::Todo(entries) => self.todo(&entries).await,
            Step::Image => {
                let content = json!({"type": "image", "mimeType": "image/png", "data": PICTURE});
                self.update(json!({"sessionUpdate": "agent_message_chunk", "content": content})).await;
            }
            Step::Title(title) => {
                self.session.state().title = Some(title.clone());
                self.update(json!({"sessionUpdate": "session_info_update", "title": title})).await;
            }
            Step::Usage { used, size, cost } => {
                let mut update = json!({"sessionUpdate": "usage_update", "used": used, "size": size});
                if let Some(amount) = cost {
                    update["cost"] = json!({"amount": amount, "currency": "USD"});
                }
                self.update(update).await;
            }
            Step::Stream { words, per_second } => {
                for n in 1..=words {
                    self.pause(per_second).await;
                    self.say(&format!("word {n} ")).await;
                }
            }
            Step::Clock { times, per_second } => {
                for _ in 0..times {
                    self.pause(per_second).await;
                    self.say(&format!("{} ", SystemClock.now_ms())).await;
                }
            }
            Step::Loop { times, path } => {
                for _ in 0..times {
                    self.read(&path).await?;
                }
            }
            Step::Fail(fail) => self.fail(fail).await?,
            Step::Instructions => {
                let text = self.session.state().instructions.clone();
                self.say(&text).await;
            }
            Step::Servers => {
                let text = self.session.state().servers.join(", ");
                self.say(&text).await;
            }
        }
        Ok(())
    }

    fn new_tool(&mut self) -> String {
        self.last_tool += 1;
        format!("tool-{}-{}", self.session.state().said.len(), self.last_tool)
    }

    /// The file as a path, and whether it lies in the session's folder.
    fn resolve(&self, path: &str) -> (PathBuf, bool) {
        let cwd = self.session.state().cwd.clone();
        let path = tidy(&cwd.join(path));
        let is_inside = path.starts_with(tidy(&cwd));
        (path, is_inside)
    }

    async fn read(&mut self, path: &str) -> Result<(), Stop> {
        let (path, is_inside) = self.resolve(path);
        let input = json!({"file_path": path});
        let mut tool = json!({
            "toolCallId": self.new_tool(), "name": "Read", "title": format!("Read {}", path.display()), "kind": "read",
            "status": "pending", "rawInput": input, "locations": [{"path": path}],
        });
        self.announce(&tool).await;
        if is_inside || self.may(&tool, "read").await? {
            let text = match tokio::fs::File::open(&path).await {
                Ok(file) => {
                    let mut bytes = Vec::new();
                    let read = file.take(SHOWN_BYTES_MAX).read_to_end(&mut bytes).await;
                    read.map(|_| String::from_utf8_lossy(&bytes).into_owned())
                }
                Err(error) => Err(error),
            };
            self.done(&mut tool, text.map_err(|error| error.to_string())).await;
        }
        Ok(())
    }

    async fn write(&mut self, path: &str, text: &str) -> Result<(), Stop> {
        let (path, is_inside) = self.resolve(path);
        let before = tokio::fs::read_to_string(&path).await.ok();
        let diff = json!({"type": "diff", "path": path, "oldText": before, "newText": text});
        let mut tool = json!({
            "toolCallId": self.new_tool(), "name": "Write", "title": format!("Write {}", path.display()), "kind": "edit",
            "status": "pending", "rawInput": {"file_path": path, "content": text}, "locations": [{"path": path}], "content": [diff],
        });
        self.announce(&tool).await;
        let is_accepted = is_inside && self.session.state().mode == "acceptEdits";
        if is_accepted || self.may(&tool, "edit").await? {
            let written = tokio::fs::write(&path, text).await;
            self.done(&mut tool, written.map(|()| "Written.".to_owned()).map_err(|error| error.to_string())).await;
        }
        Ok(())
    }

    async fn run_command(&mut self, command: &str) -> Result<(), Stop> {
        let cwd = self.session.state().cwd.clone();
        let mut tool = json!({
            "toolCallId": self.new_tool(), "name": "Bash", "title": command, "kind": "execute", "status": "pending",
            "rawInput": {"command": command, "cwd": cwd},
        });
        self.announce(&tool).await;
        if self.may(&tool, "execute").await? {
            tool["status"] = "in_progress".into();
            self.tell(&tool).await;
            let result = run(command, &cwd).await;
            self.done(&mut tool, result).await;
        }
        Ok(())
    }

    async fn announce(&self, tool: &Value) {
        let mut update = tool.clone();
        update["sessionUpdate"] = "tool_call".into();
        self.update(update).await;
    }

    async fn tell(&self, tool: &Value) {
        let mut update = json!({"sessionUpdate": "tool_call_update"});
        for member in ["toolCallId", "status", "content"] {
            update[member] = tool[member].clone();
        }
        self.update(update).await;
    }

    async fn done(&self, tool: &mut Value, result: Result<String, String>) {
        tool["status"] = if result.is_ok() { "completed" } else { "failed" }.into();
        let shown = text_output(&result.unwrap_or_else(|error| error));
        match &mut tool["content"] {
            Value::Array(content) => content.push(shown),
            content => *content = json!([shown]),
        }
        self.tell(tool).await;
    }

    /// Asks for leave; a refusal is told as the end of the use.
    async fn may(&mut self, tool: &Value, kind: &str) -> Result<bool, Stop> {
        if self.session.state().allowed.contains(kind) {
            return Ok(true);
        }
        let offers = json!([
            {"optionId": "allow-once", "name": "Yes", "kind": "allow_once"},
            {"optionId": "allow-always", "name": "Yes, and don't ask again in this session", "kind": "allow_always"},
            {"optionId": "reject", "name": "No", "kind": "reject_once"},
        ]);
        let chosen = self.request(tool, offers).await?;
        if chosen == "allow-always" {
            self.session.state().allowed.insert(kind.to_owned());
        }
        let may = chosen.starts_with("allow");
        if !may {
            self.done(&mut tool.clone(), Err("Refused.".to_owned())).await;
        }
        Ok(may)
    }

    /// The offer that was chosen.
    async fn request(&self, tool: &Value, offers: Value) -> Result<String, Stop> {
        let session = self.session.state().id.clone();
        let params = json!({"sessionId": session, "toolCall": tool, "options": offers});
        let answer = self.wire.ask("session/request_permission", params).await.map_err(|_| Stop::Cancelled)?;
        match answer["outcome"]["optionId"].as_str() {
            Some(chosen) => Ok(chosen.to_owned()),
            None => Err(Stop::Cancelled),
        }
    }

    async fn ask(&self, question: &str) -> Result<(), Stop> {
        if !self.asks_forms {
            self.say(&format!("{question}\n")).await;
            return Ok(());
        }
        let session = self.session.state().id.clone();
        let schema = json!({
            "type": "object", "properties": {"answer": {"type": "string", "title": question}}, "required": ["answer"],
        });
        let params = json!({"mode": "form", "sessionId": session, "message": question, "requestedSchema": schema});
        let answer = self.wire.ask("elicitation/create", params).await.map_err(|_| Stop::Cancelled)?;
        match answer["action"].as_str() {
            Some("accept") => {
                let given = answer["content"]["answer"].as_str().unwrap_or_default();
                self.say(&format!("You said: {given}\n")).await;
                Ok(())
            }
            Some("decline") => {
                self.say("You declined to answer.\n").await;
                Ok(())
            }
            _ => Err(Stop::Cancelled),
        }
    }

    async fn plan(&mut self, steps: &[String]) -> Result<(), Stop> {
        let lines: Vec<String> = steps.iter().enumerate().map(|(n, step)| format!("{}. {step}", n + 1)).collect();
        let text = lines.join("\n");
        let tool = json!({
            "toolCallId": self.new_tool(), "name": "ExitPlanMode", "title": "A plan", "kind": "switch_mode", "status": "pending",
            "rawInput": {"plan": text}, "content": [text_output(&text)],
        });
        self.announce(&tool).await;
        let offers = json!([
            {"optionId": "plan-accept-edits", "name": "Allow edits", "kind": "allow_always"},
            {"optionId": "plan-default", "name": "Yes, and ask before edits", "kind": "allow_once"},
            {"optionId": "reject", "name": "No, keep planning", "kind": "reject_once"},
        ]);
        let chosen = self.request(&tool, offers).await?;
        let mode = match chosen.as_str() {
            "plan-accept-edits" => "acceptEdits",
            "plan-default" => "default",
            _ => {
                self.done(&mut tool.clone(), Err("Plan rejected.".to_owned())).await;
                return Ok(());
            }
        };
        mode.clone_into(&mut self.session.state().mode);
        self.done(&mut tool.clone(), Ok("Plan approved.".to_owned())).await;
        self.update(json!({"sessionUpdate": "current_mode_update", "currentModeId": mode})).await;
        Ok(())
    }

    async fn todo(&self, entries: &[String]) {
        let entries = entries.iter().map(|entry| {
            let (status, content) = match entry.split_at_checked(1) {
                Some(("+", rest)) => ("completed", rest),
                Some(("~", rest)) => ("in_progress", rest),
                _ => ("pending", entry.as_str()),
            };
            json!({"content": content.trim(), "priority": "medium", "status": status})
        });
        let entries: Vec<Value> = entries.collect();
        self.update(json!({"sessionUpdate": "plan", "entries": entries})).await;
    }

    async fn compact(&mut self) -> Result<(), Stop> {
        let update = |status: &str| json!({"sessionUpdate": "compaction_update", "compactionId": "compaction", "status": status});
        self.update(update("in_progress")).await;
        self.session.state().said.clear();
        self.update(update("completed")).await;
        self.update(json!({"sessionUpdate": "usage_update", "used": 0, "size": CONTEXT_TOKENS})).await;
        Ok(())
    }

    async fn fail(&mut self, fail: Fail) -> Result<(), Stop> {
        let (category, kind, actions, title) = match fail {
            Fail::Overload => ("service", "overloaded", &["retry"][..], "529 Overloaded. The service is overloaded."),
            Fail::Limit => ("limit", "billing", &[][..], "You've hit your usage limit, which resets in 2 hours."),
            Fail::Context => {
                ("request", "invalid_request", &[][..], "prompt is too long: 210000 tokens > 200000 maximum")
            }
            Fail::Request => ("request", "invalid_request", &[][..], "The service rejected the request."),
            Fail::Auth => {
                let error =
                    RpcError { code: AUTH_REQUIRED, message: "Authentication required".into(), data: Value::Null };
                return Err(Stop::Failed(Err(error)));
            }
            Fail::Crash => return Err(Stop::Crashed),
            Fail::Garbage => {
                self.send_garbage().await;
                return Ok(());
            }
            Fail::Silence => return std::future::pending().await,
        };
        if !self.tells_failures {
            let error = RpcError { code: -32603, message: title.to_owned(), data: json!({"errorKind": kind}) };
            return Err(Stop::Failed(Err(error)));
        }
        let meta = |severity: &str, title: &str| {
            json!({"jetbrains": {"air": {"version": 1, "sessionFailure": {
                "id": "failure", "revision": 1, "category": category, "severity": severity, "title": title, "actions": actions,
            }}}})
        };
        if fail == Fail::Overload {
            let warning = meta("warning", "Attempt 1 of 1.");
            self.update(json!({"sessionUpdate": "session_info_update", "_meta": warning})).await;
        }
        Err(Stop::Failed(Ok(json!({"stopReason": "end_turn", "_meta": meta("error", title)}))))
    }

    async fn send_garbage(&self) {
        let id = self.session.state().id.clone();
        for line in [
            "npm warn this is no message".to_owned(),
            "{\"jsonrpc\":\"2.0\",\"method\":\"session/upd".to_owned(),
            "[1, 2, 3]".to_owned(),
            json!({"jsonrpc": "2.0", "id": 4_000_000, "result": {"answer": "to nothing"}}).to_string(),
            json!({"jsonrpc": "2.0", "method": "_practice/unknown", "params": {"a": 1}}).to_string(),
        ] {
            self.wire.send(format!("{line}\n").into_bytes()).await;
        }
        self.wire.update(&id, json!({"sessionUpdate": "of_a_later_version", "a": 1})).await;
        self.wire.update(&id, json!({"sessionUpdate": "agent_message_chunk", "content": "not as it should be"})).await;
        let _ = self.wire.ask("terminal/create", json!({"sessionId": id, "command": "ls"})).await;
    }
}

/// The path without `.` and `..`, as it is written.
fn tidy(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut tidied, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(tidied.pop()),
            part => tidied.push(part),
        }
        tidied
    })
}

/// A command that ends, with all of its session, when nobody waits for it any more.
struct Running(Box<dyn ChildWrapper>);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.start_kill();
    }
}

/// Runs a command to its end; an error is what it wrote and how it ended.
async fn run(command: &str, cwd: &Path) -> Result<String, String> {
    let (shell, flag, line) = match cfg!(windows) {
        true => ("cmd", "/C", command.to_owned()),
        false => ("sh", "-c", format!("exec 2>&1\n{command}")),
    };
    let mut wrap = CommandWrap::with_new(shell, |shell| {
        shell.args([flag, &line]).current_dir(cwd).stdin(Stdio::null()).stdout(Stdio::piped());
    });
    wrap.wrap(KillOnDrop);
    #[cfg(unix)]
    wrap.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    wrap.wrap(process_wrap::tokio::JobObject);
    let mut child = Running(wrap.spawn().map_err(|error| error.to_string())?);
    let mut written = Vec::new();
    if let Some(out) = child.0.stdout().take() {
        let mut out = BufReader::new(out);
        let _ = (&mut out).take(SHOWN_BYTES_MAX).read_to_end(&mut written).await;
        let _ = tokio::io::copy(&mut out, &mut tokio::io::sink()).await;
    }
    let status = child.0.inner_mut().wait().await.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&written).into_owned();
    if status.success() { Ok(text) } else { Err(format!("{text}\n{status}").trim_start().to_owned()) }
}

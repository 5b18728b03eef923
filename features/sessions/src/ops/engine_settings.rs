//! Operations that set up engines, and add and remove agents.

use crate::engine_settings::variables::{Shown, Stored, VARIABLE_NAME, Variable, expect_variable, put, sealer};
use crate::engine_settings::{EngineConfig, EngineLevel, sealed_for};
use crate::records::{self, read_json};
use crate::service::Sessions;
use crate::{errors, fault};
use ::engines::Engine;
use ::engines::engine::Practice;
use ::engines::probe::unusable;
use kit::error::{CONFLICT, INTERNAL};
use kit::text::{NAME, expect_name};
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Result, Secret, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use store::{Change, HasDb, Tx, params};

/// Maximum agents that an account can add.
const AGENTS_MAX: usize = 50;
/// Maximum characters of an agent's name.
const NAME_CHARS_MAX: usize = 60;
/// Maximum characters of a program's path or command.
const PROGRAM_CHARS_MAX: usize = 4_000;
/// Maximum extra arguments.
const ARGS_MAX: usize = 50;
/// Maximum characters of an argument.
const ARG_CHARS_MAX: usize = 2_000;
/// Maximum characters of a model's or effort's name.
const CHOICE_CHARS_MAX: usize = 100;
/// Words in arguments that turn off an engine's own requests: then nobody would be asked.
const LOOSE: [&str; 3] = ["yolo", "dangerously", "bypasspermissions"];

pub(super) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "engines.create",
            Method::Post,
            "/engines",
            CallerSet::PERSON,
            "Add an engine that supports the Agent Client Protocol. It's an external engine with an ID made from its name.",
            create,
        )
        .example(r#"{"name": "N", "command": "my-agent", "args": ["acp"]}"#)
        .columns(&["engineId", "name", "program"]),
        Op::new(
            "engines.delete",
            Method::Delete,
            "/engines/{engineId}",
            CallerSet::PERSON,
            "Remove an engine that you added. Its sessions must have ended; their transcripts stay, but they can't be resumed.",
            delete,
        )
        .example(r#"{"engineId": "{goneEngineId}"}"#),
        Op::new(
            "engines.settings.get",
            Method::Get,
            "/engines/{engineId}/settings",
            CallerSet::PERSON,
            "Get an engine's configuration. Secret values aren't included.",
            get,
        )
        .example(r#"{"engineId": "{engineId}"}"#),
        Op::new(
            "engines.settings.change",
            Method::Patch,
            "/engines/{engineId}/settings",
            CallerSet::PERSON,
            "Change an engine's configuration. Applies when a session starts; level, model, and effort to new sessions.",
            change,
        )
        .example(r#"{"engineId": "{engineId}", "args": ["--verbose"]}"#),
        Op::new(
            "engines.variables.set",
            Method::Put,
            "/engines/{engineId}/variables/{name}",
            CallerSet::PERSON,
            "Set an environment variable of an engine's sessions. Secret values are encrypted and never shown again.",
            set_variable,
        )
        .example(r#"{"engineId": "{engineId}", "name": "MY_KEY", "value": "V"}"#)
        .errors([&errors::SECRET_UNREADABLE]),
        Op::new(
            "engines.variables.delete",
            Method::Delete,
            "/engines/{engineId}/variables/{name}",
            CallerSet::PERSON,
            "Remove an environment variable of an engine. Running sessions keep it.",
            delete_variable,
        )
        .example(r#"{"engineId": "{engineId}", "name": "SET_BEFORE"}"#),
    ]
}

/// How an engine is set up.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EngineSettings")]
#[serde(rename_all = "camelCase")]
struct Record {
    engine_id: String,
    name: String,
    /// Whether you added it, and can rename and remove it.
    is_added: bool,
    /// The command that is searched on `PATH` while `program` is null.
    command: String,
    /// The absolute path of its program; for an added agent, its command. Null to find it on `PATH`.
    program: Option<String>,
    /// Arguments after the engine's own.
    args: Vec<String>,
    /// Environment variables of its sessions.
    variables: Vec<Shown>,
    permission_level: EngineLevel,
    /// The model of new sessions; null for the engine's default.
    model: Option<String>,
    /// The effort of new sessions; null for the engine's default.
    effort: Option<String>,
}

fn record(engine: &dyn Engine, config: &EngineConfig) -> Record {
    let filled = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Record {
        engine_id: engine.id().to_owned(),
        name: engine.name().to_owned(),
        is_added: !config.agent.is_empty(),
        command: engine.recipe().command,
        program: filled(&config.program),
        args: config.args.clone(),
        variables: config.variables.iter().map(Shown::from).collect(),
        permission_level: config.level,
        model: filled(&config.model),
        effort: filled(&config.effort),
    }
}

/// Identifies an engine.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct EngineId {
    engine_id: String,
}

fn engine(sessions: &Sessions, account: &str, id: &str) -> Result<Arc<dyn Engine>> {
    sessions.common.engine(account, id).ok_or_else(kit::not_found)
}

async fn get(ctx: Ctx, call: Call, input: EngineId) -> Result<Record> {
    let sessions = ctx.service::<Sessions>();
    let engine = engine(&sessions, call.account(), &input.engine_id)?;
    Ok(record(&*engine, &sessions.common.configs.get(call.account(), engine.id())))
}

/// A new agent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct New {
    /// Its name in lists; no other engine can have it.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
    /// A command on `PATH`, or the absolute path of a program.
    #[schemars(length(min = 1, max = PROGRAM_CHARS_MAX), regex(pattern = NAME))]
    command: String,
    /// Arguments that make it speak the protocol, such as `acp`.
    #[serde(default)]
    #[schemars(length(max = ARGS_MAX))]
    args: Vec<String>,
}

async fn create(ctx: Ctx, call: Call, input: New) -> Result<Created<Record>> {
    let name = checked_name(&input.name)?;
    let command = checked_command(input.command, "/command").await?;
    expect_args(&input.args)?;
    let config = EngineConfig { agent: name, program: command, args: input.args, ..EngineConfig::default() };
    let sessions = ctx.service::<Sessions>();
    let (common, now_ms, account) = (sessions.common.clone(), ctx.now_ms(), call.caller.account.clone());
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let taken = common.engines(account);
        if taken.len() >= AGENTS_MAX + common.host.engines().len() {
            return Err(CONFLICT.error(format!("Agent limit reached ({AGENTS_MAX}). Remove one first.")));
        }
        expect_free(&taken, &config.agent, "")?;
        let id = id_of(&config.agent, &taken);
        let sql = "INSERT INTO engine_settings (account_id, engine_id, config, created_ms, changed_ms) \
                   VALUES ($1, $2, $3, $4, $4)";
        tx.execute(sql, params![account, &id, records::json(&config), now_ms])?;
        let after = about(&config);
        let change = Change { subject: "engine", subject_id: &id, field: "", before: None, after: Some(&after) };
        tx.record(&call.caller, now_ms, change)?;
        let (owner, common, engine_id) = (call.caller.account.clone(), common.clone(), id.clone());
        tx.after_commit(move || common.configs.set(&owner, &engine_id, Some(config)));
        Ok(id)
    };
    let id = ctx.db().write(write).await?;
    let engine = engine(&sessions, &account, &id)?;
    sessions.look_for_in_background(&account, engine.clone());
    let record = record(&*engine, &sessions.common.configs.get(&account, &id));
    Ok(Created { location: format!("/engines/{id}/settings"), record })
}

/// An id made from a name, different from those of all engines.
fn id_of(name: &str, taken: &[Arc<dyn Engine>]) -> String {
    let plain = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    let words = plain.collect::<String>();
    let mut base = words.split_whitespace().collect::<Vec<_>>().join("-");
    if base.is_empty() {
        base = "agent".into();
    }
    let is_free = |id: &String| taken.iter().all(|engine| engine.id() != id);
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(is_free).unwrap_or(base)
}

async fn delete(ctx: Ctx, call: Call, input: EngineId) -> Result<Done> {
    let sessions = ctx.service::<Sessions>();
    let (common, now_ms) = (sessions.common.clone(), ctx.now_ms());
    let engine = engine(&sessions, call.account(), &input.engine_id)?;
    let write = move |tx: &mut Tx<'_>| {
        let (account, id) = (call.account(), engine.id());
        let config = stored(tx, account, id)?.filter(|config| !config.agent.is_empty());
        let Some(config) = config else {
            return Err(
                CONFLICT.error(format!("{} is built in. You can remove only engines that you added.", engine.name()))
            );
        };
        let open = "SELECT count(*) FROM sessions WHERE account_id = $1 AND engine = $2 AND active = 1";
        let open = tx.query_one(open, params![account, id], |row| row.get::<i64>(0))?;
        if open > 0 {
            let (what, them) = if open == 1 { ("session is", "it") } else { ("sessions are", "them") };
            let detail = format!("{open} {what} open with {}. Stop {them} first, then remove the agent.", config.agent);
            return Err(CONFLICT.error(detail));
        }
        tx.execute("DELETE FROM engine_settings WHERE account_id = $1 AND engine_id = $2", params![account, id])?;
        let before = about(&config);
        let change = Change { subject: "engine", subject_id: id, field: "", before: Some(&before), after: None };
        tx.record(&call.caller, now_ms, change)?;
        let (owner, engine_id) = (call.caller.account.clone(), id.to_owned());
        tx.after_commit(move || common.configs.set(&owner, &engine_id, None));
        Ok(Done)
    };
    ctx.db().write(write).await
}

/// The changes to an engine. Omitted fields stay unchanged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Patch {
    engine_id: String,
    /// The name of an engine that you added.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Option<String>,
    /// The absolute path of its program; empty to find it on `PATH`. For an added agent, its command.
    #[schemars(length(max = PROGRAM_CHARS_MAX))]
    program: Option<String>,
    /// Arguments after the engine's own.
    #[schemars(length(max = ARGS_MAX))]
    args: Option<Vec<String>>,
    /// The level of its new sessions.
    permission_level: Option<EngineLevel>,
    /// The model of new sessions, as the engine calls it; empty for its default.
    #[schemars(length(max = CHOICE_CHARS_MAX))]
    model: Option<String>,
    /// The effort of new sessions, as the engine calls it; empty for its default.
    #[schemars(length(max = CHOICE_CHARS_MAX))]
    effort: Option<String>,
}

async fn change(ctx: Ctx, call: Call, input: Patch) -> Result<Record> {
    let sessions = ctx.service::<Sessions>();
    let engine = engine(&sessions, call.account(), &input.engine_id)?;
    let is_agent = !sessions.common.configs.get(call.account(), engine.id()).agent.is_empty();
    let name = input.name.as_deref().map(checked_name).transpose()?;
    if name.is_some() && !is_agent {
        return Err(invalid("/name", fault::NOT_A_CHOICE, "You can rename only engines that you added."));
    }
    let is_built_in = engine.id() == Practice.id();
    if is_built_in && (input.program.is_some() || input.args.is_some()) {
        let pointer = if input.program.is_some() { "/program" } else { "/args" };
        return Err(invalid(pointer, fault::NOT_A_CHOICE, "The practice agent is part of Pilothouse."));
    }
    let program = match input.program {
        Some(command) if is_agent => Some(checked_command(command, "/program").await?),
        Some(path) => Some(checked_program(path).await?),
        None => None,
    };
    input.args.iter().try_for_each(|args| expect_args(args))?;
    for (choice, pointer) in [(&input.model, "/model"), (&input.effort, "/effort")] {
        let filled = choice.iter().filter(|choice| !choice.is_empty());
        filled.into_iter().try_for_each(|choice| expect_name(choice, CHOICE_CHARS_MAX, pointer))?;
    }
    if input.effort.as_deref().is_some_and(|effort| !effort.is_empty()) && !engine.traits().effort {
        let detail = format!("{} has no choice of effort.", engine.name());
        return Err(invalid("/effort", fault::NOT_A_CHOICE, detail));
    }
    let (level, args, model, effort) = (input.permission_level, input.args, input.model, input.effort);
    edit(&ctx, call, engine, "settings", move |config, taken, own_id| {
        if let Some(name) = name {
            expect_free(taken, &name, own_id)?;
            config.agent = name;
        }
        config.program = program.unwrap_or(std::mem::take(&mut config.program));
        config.args = args.unwrap_or(std::mem::take(&mut config.args));
        config.level = level.unwrap_or(config.level);
        config.model = model.unwrap_or(std::mem::take(&mut config.model));
        config.effort = effort.unwrap_or(std::mem::take(&mut config.effort));
        Ok(())
    })
    .await
}

/// A variable to set.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct VariableInput {
    engine_id: String,
    /// Its name. Names that Pilothouse sets itself are rejected.
    #[schemars(regex(pattern = VARIABLE_NAME))]
    name: String,
    /// Its value.
    value: Secret,
    /// Whether the value is secret. Others are shown again.
    #[serde(default = "yes")]
    is_secret: bool,
}

const fn yes() -> bool {
    true
}

async fn set_variable(ctx: Ctx, call: Call, input: VariableInput) -> Result<Record> {
    expect_variable(&input.name, "/name")?;
    input.value.expect("/value")?;
    let sessions = ctx.service::<Sessions>();
    let engine = engine(&sessions, call.account(), &input.engine_id)?;
    let sealer = if input.is_secret { Some(sealer(&sessions.common.vaults).await?) } else { None };
    let purpose = sealed_for(call.account(), engine.id(), &input.name);
    let value = Stored::new(&input.value, sealer.as_ref(), &purpose);
    let new = Variable { name: input.name, value };
    edit(&ctx, call, engine, "variables", move |config, _, _| put(&mut config.variables, new)).await
}

/// Identifies a variable.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct VariableName {
    engine_id: String,
    name: String,
}

async fn delete_variable(ctx: Ctx, call: Call, input: VariableName) -> Result<Record> {
    let sessions = ctx.service::<Sessions>();
    let engine = engine(&sessions, call.account(), &input.engine_id)?;
    edit(&ctx, call, engine, "variables", move |config, _, _| {
        let count = config.variables.len();
        config.variables.retain(|variable| variable.name != input.name);
        if config.variables.len() == count { Err(kit::not_found()) } else { Ok(()) }
    })
    .await
}

/// Changes how an engine is set up, records it, and detects the engine again.
async fn edit(
    ctx: &Ctx,
    call: Call,
    engine: Arc<dyn Engine>,
    field: &'static str,
    apply: impl FnOnce(&mut EngineConfig, &[Arc<dyn Engine>], &str) -> Result<()> + Send + 'static,
) -> Result<Record> {
    let sessions = ctx.service::<Sessions>();
    let (common, now_ms, account) = (sessions.common.clone(), ctx.now_ms(), call.caller.account.clone());
    let id = engine.id().to_owned();
    let write = move |tx: &mut Tx<'_>| {
        let (account, id) = (call.account(), engine.id());
        let old = stored(tx, account, id)?;
        if old.is_none() && common.host.engine(id).is_none() {
            return Err(kit::not_found());
        }
        let old = old.unwrap_or_default();
        let mut new = old.clone();
        apply(&mut new, &common.engines(account), id)?;
        if new == old {
            return Ok(());
        }
        let sql = "INSERT INTO engine_settings (account_id, engine_id, config, created_ms, changed_ms) \
                   VALUES ($1, $2, $3, $4, $4) ON CONFLICT (account_id, engine_id) \
                   DO UPDATE SET config = excluded.config, changed_ms = excluded.changed_ms";
        tx.execute(sql, params![account, id, records::json(&new), now_ms])?;
        let (before, after) = (about(&old), about(&new));
        let change = Change { subject: "engine", subject_id: id, field, before: Some(&before), after: Some(&after) };
        tx.record(&call.caller, now_ms, change)?;
        let (owner, engine_id) = (call.caller.account.clone(), id.to_owned());
        tx.after_commit(move || common.configs.set(&owner, &engine_id, Some(new)));
        Ok(())
    };
    ctx.db().write(write).await?;
    let engine = self::engine(&sessions, &account, &id)?;
    sessions.look_for_in_background(&account, engine.clone());
    Ok(record(&*engine, &sessions.common.configs.get(&account, &id)))
}

fn stored(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<EngineConfig>> {
    let sql = "SELECT config FROM engine_settings WHERE account_id = $1 AND engine_id = $2";
    tx.query_opt(sql, params![account, id], |row| read_json(row.get(0)?))
}

/// A set-up in the change log: without values and arguments, which may hold keys.
fn about(config: &EngineConfig) -> Value {
    let variables: Vec<&str> = config.variables.iter().map(|variable| &*variable.name).collect();
    json!({
        "name": config.agent,
        "program": config.program,
        "arguments": config.args.len(),
        "variables": variables,
        "permissionLevel": config.level,
        "model": config.model,
        "effort": config.effort,
    })
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    expect_name(name, NAME_CHARS_MAX, "/name")?;
    Ok(name.to_owned())
}

/// Rejects a name that another engine has.
fn expect_free(taken: &[Arc<dyn Engine>], name: &str, own_id: &str) -> Result<()> {
    let lower = name.to_lowercase();
    match taken.iter().find(|engine| engine.id() != own_id && engine.name().to_lowercase() == lower) {
        Some(_) => Err(CONFLICT.error(format!("An engine named {name} already exists. Choose another name."))),
        None => Ok(()),
    }
}

/// An agent's command: a word that is searched on `PATH`, or the path of a program that can be run.
async fn checked_command(command: String, pointer: &'static str) -> Result<String> {
    let command = command.trim().to_owned();
    expect_name(&command, PROGRAM_CHARS_MAX, pointer)?;
    if command.contains(['/', '\\']) {
        return expect_program(command, pointer).await;
    }
    Ok(command)
}

/// The path of an engine's program; empty to find it on `PATH`.
async fn checked_program(path: String) -> Result<String> {
    let path = path.trim().to_owned();
    if path.is_empty() {
        return Ok(path);
    }
    expect_name(&path, PROGRAM_CHARS_MAX, "/program")?;
    expect_program(path, "/program").await
}

/// Rejects a path that isn't a program.
async fn expect_program(path: String, pointer: &'static str) -> Result<String> {
    let program = PathBuf::from(&path);
    // The disk may be slow or remote.
    let looked = tokio::task::spawn_blocking(move || unusable(&program));
    match looked.await.map_err(|fault| INTERNAL.error("Couldn't check the program.").caused_by(fault))? {
        Some(why) => Err(invalid(pointer, fault::NOT_A_PROGRAM, why)),
        None => Ok(path),
    }
}

fn expect_args(args: &[String]) -> Result<()> {
    if args.len() > ARGS_MAX {
        return Err(invalid("/args", fault::TOO_LONG, format!("Use at most {ARGS_MAX} arguments.")));
    }
    for (at, arg) in args.iter().enumerate() {
        let pointer = format!("/args/{at}");
        expect_name(arg, ARG_CHARS_MAX, &pointer)?;
        let lower = arg.to_ascii_lowercase();
        if LOOSE.iter().any(|word| lower.contains(word)) {
            let detail =
                format!("{arg} turns off the engine's permission requests. Change the permission level instead.");
            return Err(invalid(&pointer, fault::NOT_A_CHOICE, detail));
        }
    }
    Ok(())
}

//! Tool servers of hubs: programs or addresses that speak the Model Context Protocol, handed to each session of the hub.
//!
//! Invariant: no server of a user's has a name that Pilothouse's own tools could be taken for.

use crate::common::{Common, OWN_TOOLS};
use crate::engine_settings::variables::{self, Shown, Stored, Variable};
use crate::records::{self, read_json};
use crate::service::Sessions;
use crate::{errors, fault, hubs};
use engines::port::{McpServer, McpVia};
use engines::probe;
use kit::error::CONFLICT;
use kit::text::{CURSOR, NAME, expect_name};
use kit::{Call, CallerSet, Ctx, Done, Method, Op, Page, Part, Result, Secret, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Row, Tx, params};

/// Maximum tool servers of a hub.
const SERVERS_MAX: usize = 30;
/// Maximum characters of a command or an address.
const PLACE_CHARS_MAX: usize = 2_000;
/// Maximum arguments of a command.
const ARGS_MAX: usize = 50;
/// Maximum characters of an argument.
const ARG_CHARS_MAX: usize = 2_000;
/// For schemas: a server's name.
const SERVER_NAME: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$";
/// For schemas: the name of a variable or header.
const VALUE_NAME: &str = "^[A-Za-z_][A-Za-z0-9_-]{0,99}$";
/// Headers that belong to the connection.
const RESERVED_HEADERS: [&str; 6] =
    ["connection", "content-length", "content-type", "host", "mcp-session-id", "transfer-encoding"];

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "hubs.servers.list",
            Method::Get,
            "/hubs/{hubId}/servers",
            CallerSet::PERSON,
            "List a hub's tool servers by name. Secret values aren't included.",
            list,
        )
        .example(r#"{"hubId": "{hubId}"}"#)
        .columns(&["name", "command", "url"]),
        Op::new(
            "hubs.servers.put",
            Method::Put,
            "/hubs/{hubId}/servers/{name}",
            CallerSet::PERSON,
            "Add or replace a tool server (MCP) of a hub: a command, or an address. Sessions get it from their next start.",
            put,
        )
        .example(r#"{"hubId": "{hubId}", "name": "files", "command": "npx", "args": ["-y", "my-server"]}"#),
        Op::new(
            "hubs.servers.delete",
            Method::Delete,
            "/hubs/{hubId}/servers/{name}",
            CallerSet::PERSON,
            "Remove a tool server from a hub. Running sessions keep it.",
            delete,
        )
        .example(r#"{"hubId": "{hubId}", "name": "gone-before"}"#),
        Op::new(
            "hubs.servers.setValue",
            Method::Put,
            "/hubs/{hubId}/servers/{name}/values/{valueName}",
            CallerSet::PERSON,
            "Set an environment variable of a tool server's command, or a header for its address. Secrets are encrypted and never shown again.",
            set_value,
        )
        .example(r#"{"hubId": "{hubId}", "name": "set-before", "valueName": "MY_KEY", "value": "V"}"#)
        .errors([&errors::SECRET_UNREADABLE]),
        Op::new(
            "hubs.servers.deleteValue",
            Method::Delete,
            "/hubs/{hubId}/servers/{name}/values/{valueName}",
            CallerSet::PERSON,
            "Remove a variable or header of a tool server.",
            delete_value,
        )
        .example(r#"{"hubId": "{hubId}", "name": "set-before", "valueName": "SET_BEFORE"}"#),
    ]
}

/// A tool server, as stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Config {
    /// Empty if it has an address.
    command: String,
    args: Vec<String>,
    /// Empty if it's a command.
    url: String,
    values: Vec<Variable>,
}

/// A tool server of a hub.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ToolServer")]
#[serde(rename_all = "camelCase")]
struct Record {
    name: String,
    /// The command that runs it; null if it has an address.
    command: Option<String>,
    /// Arguments of the command.
    args: Vec<String>,
    /// Its address; null if it's a command.
    url: Option<String>,
    /// Environment variables of the command, or headers sent to the address.
    values: Vec<Shown>,
}

fn record((name, config): (String, Config)) -> Record {
    let filled = |text: String| Some(text).filter(|text| !text.is_empty());
    Record {
        name,
        values: config.values.iter().map(Shown::from).collect(),
        command: filled(config.command),
        args: config.args,
        url: filled(config.url),
    }
}

const SERVERS: &str = "SELECT name, config FROM hub_tool_servers WHERE account_id = $1 AND hub_id = $2";

fn read(row: &dyn Row) -> Result<(String, Config)> {
    Ok((row.get(0)?, read_json(row.get(1)?)?))
}

fn all(tx: &mut Tx<'_>, account: &str, hub: &str) -> Result<Vec<(String, Config)>> {
    tx.query(&format!("{SERVERS} ORDER BY name"), params![account, hub], read)
}

/// Deletes the tool servers of a removed hub.
pub(crate) fn forget_hub(tx: &mut Tx<'_>, account: &str, hub: &str) -> Result<()> {
    let sql = "DELETE FROM hub_tool_servers WHERE account_id = $1 AND hub_id = $2";
    tx.execute(sql, params![account, hub]).map(drop)
}

/// A page of a hub's tool servers.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    hub_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 10000.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Record>> {
    let read = move |tx: &mut Tx<'_>| {
        hubs::one(tx, call.account(), &input.hub_id)?;
        let all = all(tx, call.account(), &input.hub_id)?.into_iter().map(record).collect();
        Part { cursor: input.cursor, limit: input.limit }.page(all, |one: &Record| cursor(&one.name).into())
    };
    ctx.db().read(read).await
}

/// A cursor for a name: cursors have lower case letters and digits alone.
fn cursor(name: &str) -> String {
    name.bytes().map(|byte| format!("{byte:02x}")).collect::<String>().chars().take(64).collect()
}

/// A tool server: `command` or `url`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Put {
    hub_id: String,
    /// Letters, digits, underscores, and hyphens. Names that begin with `pilothouse` are reserved.
    #[schemars(regex(pattern = SERVER_NAME))]
    name: String,
    /// A command on `PATH`, or the absolute path of a program.
    #[schemars(length(min = 1, max = PLACE_CHARS_MAX), regex(pattern = NAME))]
    command: Option<String>,
    /// Arguments of the command.
    #[serde(default)]
    #[schemars(length(max = ARGS_MAX))]
    args: Vec<String>,
    /// An `http` or `https` address.
    #[schemars(length(min = 1, max = PLACE_CHARS_MAX), regex(pattern = "^https?://"))]
    url: Option<String>,
}

async fn put(ctx: Ctx, call: Call, input: Put) -> Result<Record> {
    expect_server_name(&input.name)?;
    let (command, url) = match (input.command, input.url) {
        (Some(command), None) => (command.trim().to_owned(), String::new()),
        (None, Some(url)) => (String::new(), url.trim().to_owned()),
        _ => return Err(invalid("/command", fault::ONE_OF, "Set either command or url.")),
    };
    if url.is_empty() {
        expect_name(&command, PLACE_CHARS_MAX, "/command")?;
    } else {
        expect_url(&url)?;
    }
    if !url.is_empty() && !input.args.is_empty() || input.args.len() > ARGS_MAX {
        let detail = format!("Only commands have arguments, at most {ARGS_MAX}.");
        return Err(invalid("/args", fault::TOO_LONG, detail));
    }
    for (at, arg) in input.args.iter().enumerate() {
        expect_name(arg, ARG_CHARS_MAX, &format!("/args/{at}"))?;
    }
    let args = input.args;
    edit(&ctx, call, input.hub_id, input.name, move |old| {
        let old = old.unwrap_or_default();
        // Variables aren't headers.
        let values = if old.url.is_empty() == url.is_empty() { old.values } else { Vec::new() };
        Ok(Some(Config { command, args, url, values }))
    })
    .await
}

fn expect_server_name(name: &str) -> Result<()> {
    let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || matches!(sign, b'_' | b'-');
    let is_name = (1..=40).contains(&name.len())
        && name.bytes().all(is_sign)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if !is_name {
        let detail = "Use at most 40 ASCII letters, digits, underscores, and hyphens, starting with a letter or digit.";
        return Err(invalid("/name", fault::WRONG_FORMAT, detail));
    }
    // Names of its tools begin with it, and engines write names in their own ways.
    if name.to_ascii_lowercase().starts_with(OWN_TOOLS) {
        let detail = format!("Names that begin with {OWN_TOOLS} are reserved for Pilothouse's own tools.");
        return Err(invalid("/name", fault::NOT_A_CHOICE, detail));
    }
    Ok(())
}

fn expect_url(url: &str) -> Result<()> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_address = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    if !is_address || url.len() > PLACE_CHARS_MAX || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(invalid("/url", fault::WRONG_FORMAT, "Use an address that begins with http:// or https://."));
    }
    Ok(())
}

/// Identifies a tool server.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ServerName {
    hub_id: String,
    name: String,
}

async fn delete(ctx: Ctx, call: Call, input: ServerName) -> Result<Done> {
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let (name, old) = one(tx, account, &input.hub_id, &input.name)?;
        let sql = "DELETE FROM hub_tool_servers WHERE account_id = $1 AND hub_id = $2 AND name = $3";
        tx.execute(sql, params![account, &input.hub_id, &name])?;
        let before = about(&name, &old);
        let change =
            Change { subject: "tool-server", subject_id: &input.hub_id, field: "", before: Some(&before), after: None };
        tx.record(&call.caller, now_ms, change)?;
        Ok(Done)
    };
    ctx.db().write(write).await
}

fn one(tx: &mut Tx<'_>, account: &str, hub: &str, name: &str) -> Result<(String, Config)> {
    tx.query_one(&format!("{SERVERS} AND name = $3"), params![account, hub, name], read)
}

/// A value of a tool server.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ValueInput {
    hub_id: String,
    name: String,
    /// The name of the variable or header.
    #[schemars(regex(pattern = VALUE_NAME))]
    value_name: String,
    /// Its value.
    value: Secret,
    /// Whether the value is secret. Others are shown again.
    #[serde(default = "yes")]
    is_secret: bool,
}

const fn yes() -> bool {
    true
}

async fn set_value(ctx: Ctx, call: Call, input: ValueInput) -> Result<Record> {
    input.value.expect("/value")?;
    let vaults = ctx.service::<Sessions>().common.vaults.clone();
    let sealer = if input.is_secret { Some(variables::sealer(&vaults).await?) } else { None };
    let purpose = sealed_for(call.account(), &input.hub_id, &input.name, &input.value_name);
    let value = Stored::new(&input.value, sealer.as_ref(), &purpose);
    let new = Variable { name: input.value_name, value };
    let is_line = !input.value.reveal().contains(['\r', '\n']);
    edit(&ctx, call, input.hub_id, input.name, move |old| {
        let mut config = old.ok_or_else(kit::not_found)?;
        if config.url.is_empty() {
            variables::expect_variable(&new.name, "/valueName")?;
        } else {
            expect_header(&new.name)?;
            if !is_line {
                return Err(invalid("/value", fault::WRONG_FORMAT, "A header has one line."));
            }
        }
        variables::put(&mut config.values, new)?;
        Ok(Some(config))
    })
    .await
}

fn expect_header(name: &str) -> Result<()> {
    let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || matches!(sign, b'_' | b'-');
    if name.is_empty() || name.len() > 100 || !name.bytes().all(is_sign) {
        let detail = "Use at most 100 ASCII letters, digits, underscores, and hyphens.";
        return Err(invalid("/valueName", fault::WRONG_FORMAT, detail));
    }
    if RESERVED_HEADERS.contains(&&*name.to_ascii_lowercase()) {
        return Err(invalid("/valueName", fault::NOT_A_CHOICE, format!("The engine sets {name} itself.")));
    }
    Ok(())
}

/// Identifies a value of a tool server.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ValueName {
    hub_id: String,
    name: String,
    value_name: String,
}

async fn delete_value(ctx: Ctx, call: Call, input: ValueName) -> Result<Record> {
    edit(&ctx, call, input.hub_id, input.name, move |old| {
        let mut config = old.ok_or_else(kit::not_found)?;
        let count = config.values.len();
        config.values.retain(|value| value.name != input.value_name);
        if config.values.len() == count { Err(kit::not_found()) } else { Ok(Some(config)) }
    })
    .await
}

/// Changes a tool server, and records it.
async fn edit(
    ctx: &Ctx,
    call: Call,
    hub: String,
    name: String,
    apply: impl FnOnce(Option<Config>) -> Result<Option<Config>> + Send + 'static,
) -> Result<Record> {
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        hubs::one(tx, account, &hub)?;
        let all = all(tx, account, &hub)?;
        let old = all.iter().find(|(of, _)| *of == name).map(|(_, config)| config.clone());
        let Some(new) = apply(old.clone())? else { return Err(kit::not_found()) };
        if old.is_none() && all.len() >= SERVERS_MAX {
            return Err(CONFLICT.error(format!("Tool server limit reached ({SERVERS_MAX}). Remove one first.")));
        }
        if old.as_ref() != Some(&new) {
            let sql = "INSERT INTO hub_tool_servers (account_id, hub_id, name, config, changed_ms) \
                       VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, hub_id, name) \
                       DO UPDATE SET config = excluded.config, changed_ms = excluded.changed_ms";
            tx.execute(sql, params![account, &hub, &name, records::json(&new), now_ms])?;
            let (before, after) = (old.map(|old| about(&name, &old)), about(&name, &new));
            let change = Change {
                subject: "tool-server",
                subject_id: &hub,
                field: "",
                before: before.as_ref(),
                after: Some(&after),
            };
            tx.record(&call.caller, now_ms, change)?;
        }
        Ok(record((name, new)))
    };
    ctx.db().write(write).await
}

/// A tool server in the change log: without arguments, addresses, and values, which may hold keys.
fn about(name: &str, config: &Config) -> serde_json::Value {
    let values: Vec<&str> = config.values.iter().map(|value| &*value.name).collect();
    json!({"name": name, "command": config.command, "values": values})
}

/// What a value of a tool server is sealed for.
fn sealed_for<'a>(account: &'a str, hub: &'a str, server: &'a str, name: &'a str) -> [&'a str; 5] {
    ["tool-server", account, hub, server, name]
}

/// The tool servers for a session that starts.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) servers: Vec<McpServer>,
    /// The secret values among theirs.
    pub(crate) hidden: Vec<Secret>,
    /// Why others aren't among them.
    pub(crate) left_out: Vec<String>,
}

impl Common {
    /// A hub's tool servers. Those that can't start are left out: the session works without them.
    pub(crate) async fn tool_servers(&self, account: &str, hub: &str) -> Given {
        let mut given = Given::default();
        if let Err(why) = self.add_tool_servers(account, hub, &mut given).await {
            given.left_out.push(format!("Tool servers weren't loaded: {}", why.detail()));
        }
        given
    }

    async fn add_tool_servers(&self, account: &str, hub: &str, given: &mut Given) -> Result<()> {
        let (of, which) = (account.to_owned(), hub.to_owned());
        let stored = self.ctx.db().read(move |tx| all(tx, &of, &which)).await?;
        if stored.is_empty() {
            return Ok(());
        }
        let sealer = variables::sealer(&self.vaults).await?;
        for (name, config) in stored {
            let mut env = engines::port::Env::new();
            let mut trouble = None;
            for value in &config.values {
                match value.open(&sealer, &sealed_for(account, hub, &name, &value.name)) {
                    Ok(opened) => {
                        env.insert(opened.name, opened.value.reveal().to_owned());
                        given.hidden.extend(Some(opened.value).filter(|_| opened.is_secret));
                    }
                    Err(why) => trouble = Some(format!("couldn't read {}: {why}", value.name)),
                }
            }
            let via = match config.url.is_empty() {
                false => Some(McpVia::Http { url: config.url, headers: env }),
                true => {
                    let (command, machine) = (config.command.clone(), self.host.machine.clone());
                    // A folder of PATH may be on a slow disk.
                    let found = tokio::task::spawn_blocking(move || probe::find(&command, &machine)).await;
                    let found = found.ok().flatten();
                    if found.is_none() {
                        trouble = Some(format!("{} isn't installed or isn't on PATH.", config.command));
                    }
                    found.map(|command| McpVia::Stdio { command, args: config.args, env })
                }
            };
            match (via, trouble) {
                (Some(via), None) => given.servers.push(McpServer { name, via }),
                (_, trouble) => {
                    given.left_out.push(format!("Tool server {name} not started: {}", trouble.unwrap_or_default()));
                }
            }
        }
        Ok(())
    }
}

//! The engines that sessions can run: the status of each on this machine, and how to install a missing one.

use crate::service::Sessions;
use engines::port::{TellsCost, Traits};
use engines::probe::{Login, Probed};
use engines::{Engine, Tier};
use kit::{Call, Ctx, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An operation without input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParams {}

/// All engines.
#[derive(Serialize, JsonSchema)]
pub(super) struct List {
    items: Vec<Record>,
}

/// An engine.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    id: String,
    name: String,
    /// Whether you added it as an agent of your own.
    is_added: bool,
    /// Whether sessions without `engine` use it. False for all while a preferred engine is still being checked.
    is_default: bool,
    /// `primary`, `second`, or `external`.
    tier: &'static str,
    /// Whether it's installed and can start; null while checking.
    is_found: Option<bool>,
    /// Null if unknown.
    version: Option<String>,
    /// The path of its program.
    path: Option<String>,
    /// `yes`, `no`, or `unknown` if only the engine itself can tell.
    login: &'static str,
    /// Why it can't be used.
    trouble: Option<String>,
    /// Why it can't start sessions, with the command that fixes it; null if it can.
    not_ready: Option<String>,
    /// How to install it.
    install: &'static str,
    /// How to log in.
    how_to_log_in: &'static str,
    can: Can,
    /// When it was last checked; RFC 3339 in UTC.
    checked_at: Option<String>,
}

/// Capabilities of an engine.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Can {
    /// Requests permission before it acts.
    ask: bool,
    /// Compacts a full context.
    compact: bool,
    /// Lets you choose how hard it thinks.
    effort: bool,
    /// Uses only the tools it's given.
    strict_mcp: bool,
    /// How it reports costs: `money`, `tokens`, or `nothing`.
    tells_cost: &'static str,
}

impl From<Traits> for Can {
    fn from(traits: Traits) -> Can {
        let tells_cost = match traits.cost {
            TellsCost::Money => "money",
            TellsCost::Tokens => "tokens",
            TellsCost::Nothing => "nothing",
        };
        Can {
            ask: traits.asks,
            compact: traits.compact.is_some(),
            effort: traits.effort,
            strict_mcp: traits.strict_mcp,
            tells_cost,
        }
    }
}

fn record(
    sessions: &Sessions,
    account: &str,
    engine: &dyn Engine,
    found: Option<(i64, Probed)>,
    default: Option<&str>,
) -> Record {
    let recipe = engine.recipe();
    let (at_ms, probed) = found.unzip();
    let login = match probed.as_ref().map(|probed| probed.login) {
        Some(Login::Yes) => "yes",
        Some(Login::No) => "no",
        Some(Login::Unknown) | None => "unknown",
    };
    let is_found = probed.as_ref().map(|probed| probed.program.is_some());
    let path = probed.as_ref().and_then(|probed| probed.program.as_ref());
    Record {
        id: engine.id().to_owned(),
        name: engine.name().to_owned(),
        is_added: !sessions.common.configs.get(account, engine.id()).agent.is_empty(),
        is_default: default == Some(engine.id()),
        tier: match engine.tier() {
            Tier::Primary => "primary",
            Tier::Second => "second",
            Tier::External => "external",
        },
        is_found,
        path: path.map(|program| program.file.to_string_lossy().into_owned()),
        login,
        trouble: probed.as_ref().and_then(|probed| probed.trouble.as_ref()).map(ToString::to_string),
        not_ready: probed.as_ref().and_then(|probed| probed.not_ready(engine)).map(|why| why.to_string()),
        version: probed.and_then(|probed| probed.version),
        install: recipe.install,
        how_to_log_in: recipe.login,
        can: engine.traits().into(),
        checked_at: at_ms.map(rfc3339),
    }
}

pub(super) async fn list(ctx: Ctx, call: Call, _: NoParams) -> Result<List> {
    let (sessions, account) = (ctx.service::<Sessions>(), call.caller.account);
    sessions.all_looked_for(&account).await;
    let (engines, default) = (sessions.common.engines(&account), sessions.default_engine_now(&account));
    let record = |engine: &Arc<dyn Engine>| {
        record(&sessions, &account, &**engine, sessions.found(&account, engine), default.as_deref())
    };
    Ok(List { items: engines.iter().map(record).collect() })
}

/// Identifies an engine.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct EngineId {
    engine_id: String,
}

pub(super) async fn check(ctx: Ctx, call: Call, input: EngineId) -> Result<Record> {
    let (sessions, account) = (ctx.service::<Sessions>(), call.caller.account);
    let engine = sessions.common.engine(&account, &input.engine_id).ok_or_else(kit::not_found)?;
    let found = sessions.look_for(&account, engine.clone()).await?;
    let default = sessions.default_engine_now(&account);
    Ok(record(&sessions, &account, &*engine, Some(found), default.as_deref()))
}

//! Starting a session.

use super::change::{CHOICE_CHARS_MAX, expect_fits};
use super::prompts::{IMAGES_MAX, Image, read_images};
use super::shared::{PROMPT_CHARS_MAX, Session, TITLE_CHARS_MAX, caller_of};
use crate::messages;
use crate::records::{self, Fork, Naming, SessionRecord};
use crate::service::{New, Sessions};
use crate::working_dir::{self, Asking, Started, Wanted, WorkingDir};
use crate::worktrees::StartPoint;
use crate::{errors, fault, judge};
use ::engines::{Chunk, Engine};
use kit::text::{NAME, TEXT, expect_name, expect_text};
use kit::{Call, Ctx, Result, invalid};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use store::HasDb;
use supervisor::policy::Origin;
use supervisor::spawn::{Granted, Request, Source, may_spawn};
use supervisor::state::{Session as Life, State};

/// Maximum characters of a folder's path.
const CWD_CHARS_MAX: usize = 4_000;

/// A new session.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct NewSession {
    /// The first message.
    #[schemars(length(min = 1, max = PROMPT_CHARS_MAX), regex(pattern = TEXT))]
    pub(crate) prompt: String,
    /// The engine's ID. Default: the first that can start and isn't known to be logged out: `claude`, the primary
    /// engine, then the others in the order of `engines.list`, last `practice`.
    pub(crate) engine: Option<String>,
    /// The hub it runs in, by ID or unique name. Default: the hub of `cwd`, else the hub of the calling session, else the
    /// account's hub for questions.
    pub(crate) project_id: Option<String>,
    /// Absolute path of its folder in the hub. Default: the hub's folder. A folder outside all hubs is added as a hub,
    /// unless a session makes the call.
    #[schemars(length(min = 1, max = CWD_CHARS_MAX))]
    pub(crate) cwd: Option<String>,
    /// Create a worktree, in a git repository.
    #[serde(default)]
    pub(crate) worktree: bool,
    /// Worktree's branch, created if missing. Default: named after the session.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) branch: Option<String>,
    /// Its title. Default: the start of the prompt.
    #[schemars(length(min = 1, max = TITLE_CHARS_MAX), regex(pattern = NAME))]
    pub(crate) title: Option<String>,
    /// Model, as the engine calls it. Default: the engine's settings, else its own choice.
    #[schemars(length(min = 1, max = 100), regex(pattern = NAME))]
    pub(crate) model: Option<String>,
    /// Reasoning effort, as the engine calls it, such as `high`. Default: the engine's settings.
    #[schemars(length(min = 1, max = CHOICE_CHARS_MAX), regex(pattern = NAME))]
    pub(crate) effort: Option<String>,
    /// Mode, as the engine calls it. Default: the mode for agentPermissionLevel. Modes that exceed the level are rejected.
    #[schemars(length(min = 1, max = CHOICE_CHARS_MAX), regex(pattern = NAME))]
    pub(crate) mode: Option<String>,
    /// Images attached to the first message. Engines that accept text only don't get them.
    #[serde(default)]
    #[schemars(length(max = IMAGES_MAX))]
    pub(crate) images: Vec<Image>,
    /// Whether a script or an agent sends its messages.
    #[serde(default)]
    pub(crate) driven: bool,
    /// Its id, if a scheduled message starts it.
    #[serde(skip)]
    pub(crate) scheduled_id: Option<String>,
}

pub(super) async fn create(ctx: Ctx, call: Call, input: NewSession) -> Result<Started<Session>> {
    begin(ctx, call, input, false).await
}

/// Starts a session. Whoever starts it, it's finished after its first turn if it ends with its task.
pub(crate) async fn begin(ctx: Ctx, call: Call, input: NewSession, ends: bool) -> Result<Started<Session>> {
    begin_from(ctx, call, input, ends, None).await
}

/// What a fork takes over from the session that it continues.
pub(super) struct Forked {
    pub(super) fork: Fork,
    /// Whether the session is locked, since an e-mail started it.
    pub(super) is_locked: bool,
    pub(super) place: ForkPlace,
}

/// Where a fork works.
pub(super) enum ForkPlace {
    /// In the folder of that session.
    Same(Box<WorkingDir>),
    /// In a worktree of its own.
    Worktree(Option<StartPoint>),
}

/// Starts a session, which may be a fork.
pub(super) async fn begin_from(
    ctx: Ctx,
    call: Call,
    input: NewSession,
    ends: bool,
    source: Option<Forked>,
) -> Result<Started<Session>> {
    expect_text(&input.prompt, PROMPT_CHARS_MAX, "/prompt")?;
    let sessions = ctx.service::<Sessions>();
    let engine = engine(&sessions, &call.caller.account, input.engine).await?;
    let naming = if input.title.is_some() { Naming::User } else { Naming::Message };
    let title = title(input.title, &input.prompt)?;
    let images = read_images(input.images)?;
    input.effort.iter().try_for_each(|effort| expect_effort(&*engine, effort))?;
    input.mode.iter().try_for_each(|mode| expect_name(mode, CHOICE_CHARS_MAX, "/mode"))?;
    let asking = Asking { caller: call.caller.clone(), source: call.source_session.clone() };
    let is_scheduled = input.scheduled_id.is_some();
    let (granted, mut origin) = permission(&ctx, &asking, input.driven, is_scheduled).await?;
    if source.as_ref().is_some_and(|source| source.is_locked) {
        origin = Origin::Email;
    }
    let config = sessions.common.configs.get(call.account(), engine.id());
    let access = judge::access(&sessions.common, &call.caller.account, origin, config.level.own());
    input.mode.iter().try_for_each(|mode| expect_fits(mode, access))?;
    sessions.expect_ready(&call.caller.account, &engine).await?;
    let id = input.scheduled_id.unwrap_or_else(kit::ids::short_id);
    let (fork, place) = source.map(|source| (source.fork, source.place)).unzip();
    let (same, from) = match place {
        Some(ForkPlace::Same(place)) => (Some(*place), None),
        Some(ForkPlace::Worktree(from)) => (None, from),
        None => (None, None),
    };
    let WorkingDir { hub_id, cwd, made } = match same {
        Some(same) => same,
        None => {
            let NewSession { project_id, cwd, worktree, branch, .. } = input;
            let wanted = Wanted { project_id, cwd, worktree, branch, from };
            working_dir::for_new_session(&ctx, &asking, wanted, (&id, &title)).await?
        }
    };
    let now_ms = ctx.now_ms();
    let ends_when_done = ends || !granted.is_manual && !granted.is_driven;
    let record = SessionRecord {
        id,
        hub_id,
        fork,
        title,
        naming,
        engine: engine.id().to_owned(),
        model: input.model.unwrap_or_else(|| config.model.clone()),
        effort: input.effort.unwrap_or_else(|| config.effort.clone()),
        own_level: config.level.own(),
        cwd,
        origin,
        driven: granted.is_driven,
        counted: granted.is_counted,
        parent_id: granted.parent,
        depth: i64::from(granted.depth),
        engine_session: String::new(),
        life: Life::draft(ends_when_done, now_ms),
        sums: records::Sums::default(),
        mode: input.mode.unwrap_or_default(),
        facts: Default::default(),
        last_entry: 0,
        seen_entry: 0,
        created_ms: now_ms,
        changed_ms: now_ms,
    };
    let prompt = std::iter::once(Chunk::Text { text: input.prompt }).chain(images).collect();
    let new = New { record, prompt, by: call.caller.clone(), is_manual: granted.is_manual };
    let created = sessions.create(call.account(), new).await;
    if let (Some(made), true) = (made, created.is_err()) {
        sessions.discard(call.account(), made).await;
    }
    let record = created?;
    Ok(Started {
        location: format!("/sessions/{}", record.id),
        is_queued: matches!(record.life.state, State::Queued { .. }),
        record: record.into(),
    })
}

/// The requested engine, or the default.
async fn engine(sessions: &Arc<Sessions>, account: &Arc<str>, id: Option<String>) -> Result<Arc<dyn Engine>> {
    let id = match id {
        Some(id) => id,
        None => sessions.default_engine(account).await?,
    };
    sessions.common.engine(account, &id).ok_or_else(|| {
        let known: Vec<String> = sessions.common.engines(account).iter().map(|one| one.id().to_owned()).collect();
        let detail = format!("Engine {id:?} not found. Available: {}.", known.join(", "));
        invalid("/engine", fault::NOT_A_CHOICE, detail)
    })
}

/// Rejects an effort for an engine that has no such choice.
fn expect_effort(engine: &dyn Engine, effort: &str) -> Result<()> {
    expect_name(effort, CHOICE_CHARS_MAX, "/effort")?;
    if engine.traits().effort {
        return Ok(());
    }
    Err(invalid("/effort", fault::NOT_A_CHOICE, format!("{} has no choice of effort.", engine.name())))
}

/// The requested title, or one made from the prompt.
fn title(title: Option<String>, prompt: &str) -> Result<String> {
    let Some(title) = title else { return Ok(messages::title_of(prompt)) };
    expect_name(title.trim(), TITLE_CHARS_MAX, "/title")?;
    Ok(title.trim().to_owned())
}

/// Checks whether the caller may start a session, before anything is created for it.
pub(crate) async fn expect_allowed(ctx: &Ctx, asking: &Asking) -> Result<()> {
    permission(ctx, asking, false, false).await.map(drop)
}

/// Checks whether the caller may start a session, and returns how it's stored and its origin.
async fn permission(ctx: &Ctx, asking: &Asking, driven: bool, is_scheduled: bool) -> Result<(Granted, Origin)> {
    let sessions = ctx.service::<Sessions>();
    let (account, id) = (asking.caller.account.clone(), asking.source.clone());
    let read = move |tx: &mut store::Tx<'_>| Ok(id.and_then(|id| records::one(tx, &account, &id).ok()));
    let source = ctx.db().read(read).await?;
    let depth = source.as_ref().map(|source| source.depth.unsigned_abs() as u32);
    let request = Request {
        caller: caller_of(&asking.caller),
        source: asking.source.as_deref().map(|id| Source { id, depth }),
        driven,
    };
    let mut rules = sessions.spawn_rules(&asking.caller.account);
    // You approved what is scheduled; no session is its source.
    rules.require_spawn_source_session &= !is_scheduled;
    let granted = may_spawn(&request, &rules).map_err(errors::refused)?;
    if granted.is_counted {
        // The queue counts the session; this only rejects it before anything is created for it.
        sessions.common.queue.may_drive(&asking.caller.account).await?;
    }
    let origin = match source {
        _ if granted.is_manual => Origin::Person,
        // Sessions started by a locked session are locked too.
        Some(source) if source.origin == Origin::Email => Origin::Email,
        _ => Origin::Agent,
    };
    Ok((granted, origin))
}

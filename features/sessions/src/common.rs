//! What the drivers of all sessions share: the machine, transcripts, listeners, the queue of starts, and settings.
//!
//! Deliberately not here: the drivers themselves. A driver puts its session into the queue; the owner of the drivers
//! starts it from there.

use crate::engine_host::EngineHost;
use crate::engine_settings::EngineConfigs;
use crate::listeners::Listeners;
use crate::queue::{DueAccounts, StartQueue};
use crate::search::Search;
use crate::settings::*;
use crate::transcript::{SessionKey, Transcripts};
use engines::SessionSpec;
use engines::port::{McpServer, McpVia, SESSION_MARK};
use engines::probe::Login;
use kit::ids::short_id;
use kit::lookup::{Served, SessionTokens};
use kit::{Catalog, Ctx, DataDir};
use secrets::Vaults;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use supervisor::context::ContextWarnings;
use supervisor::policy::{Level, PolicyRules};
use supervisor::sensitive::{Platform, SessionPaths};
use supervisor::state::Recovery;

/// The name of Pilothouse's own tools in a session.
pub(crate) const OWN_TOOLS: &str = "pilothouse";

/// Shared by all sessions.
pub(crate) struct Common {
    pub(crate) ctx: Ctx,
    pub(crate) host: EngineHost,
    pub(crate) transcripts: Transcripts,
    pub(crate) configs: EngineConfigs,
    /// Where the key is that seals secret values.
    pub(crate) vaults: Arc<Vaults>,
    pub(crate) search: Search,
    pub(crate) listeners: Listeners,
    pub(crate) queue: StartQueue,
    /// The parent folder of sessions' own folders.
    own: PathBuf,
    /// The folder of hooks' sockets.
    #[cfg(unix)]
    hooks: PathBuf,
    is_closing: AtomicBool,
}

impl Common {
    pub(crate) fn new(ctx: Ctx, host: EngineHost, transcripts: Transcripts) -> (Arc<Common>, DueAccounts) {
        let data = ctx.service::<DataDir>().0.clone();
        let (queue, due) = StartQueue::new(ctx.clone(), host.memory.clone());
        // The program provides them; without it, the key is in the same place.
        let vaults = ctx.find_service::<Vaults>().unwrap_or_else(|| Arc::new(Vaults::in_files(&data)));
        let common = Common {
            search: Search::new(&data),
            listeners: Listeners::new(ctx.clone()),
            queue,
            own: data.join("sessions"),
            #[cfg(unix)]
            hooks: data.join("hooks"),
            ctx,
            host,
            transcripts,
            configs: EngineConfigs::default(),
            vaults,
            is_closing: AtomicBool::new(false),
        };
        (Arc::new(common), due)
    }

    /// Whether the program is closing: nothing starts anymore.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// Marks the program as closing: nothing starts anymore.
    pub(crate) fn set_closing(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
    }

    /// Gives a session's processes access to this program: its address, the session's scoped token, and its tools.
    pub(crate) async fn connect(&self, key: &SessionKey, reads_only: bool, spec: &mut SessionSpec) {
        let services = self.ctx.find_service::<Served>().zip(self.ctx.find_service::<SessionTokens>());
        let Some((served, tokens)) = services else { return };
        let address = (served.0)().await;
        let catalog = self.ctx.service::<Catalog>();
        let given = catalog.scopes.iter().filter(|scope| !reads_only || scope.ends_with(":read"));
        let token = tokens.0.give(&key.account, &key.session, given.map(|scope| (*scope).to_owned()).collect());
        spec.env.insert("APP_BASE_URL".into(), address.to_string());
        spec.env.insert("APP_CLI_TOKEN".into(), token);
        let command = self.host.practice.program.clone();
        // Engines don't pass their own environment on to their tools.
        let mut env = spec.env.clone();
        env.insert(SESSION_MARK.into(), key.session.to_string());
        let via = McpVia::Stdio { command, args: vec!["mcp".into()], env };
        spec.mcp.push(McpServer { name: OWN_TOOLS.into(), via });
    }

    /// Revokes the token of a session whose processes are gone.
    pub(crate) fn disconnect(&self, key: &SessionKey) {
        if let Some(tokens) = self.ctx.find_service::<SessionTokens>() {
            tokens.0.end(&key.account, &key.session);
        }
    }

    pub(crate) async fn is_logged_in(&self, account: &str, engine: &str) -> bool {
        match (self.engine(account, engine), self.set_up(account, engine).await) {
            (Some(engine), Ok(set_up)) => self.host.find(&*engine, &set_up).await.login != Login::No,
            _ => false,
        }
    }

    /// Randomness, so that delays differ.
    pub(crate) fn chance(&self) -> f64 {
        let digits: u64 = short_id().bytes().rev().take(6).fold(0, |sum, byte| sum * 31 + u64::from(byte));
        (digits % 1_000) as f64 / 1_000.0
    }

    /// The session's paths, for the rules about sensitive files.
    pub(crate) fn session_paths(&self, cwd: &str) -> SessionPaths {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let platform = if cfg!(windows) {
            Platform::W
        } else if cfg!(target_os = "macos") {
            Platform::M
        } else {
            Platform::L
        };
        let data_dir = text(&self.ctx.service::<DataDir>().0);
        SessionPaths { platform, home: text(&self.host.machine.home), data_dir, project: cwd.to_owned() }
    }

    /// The parent folder of all sessions' folders.
    pub(crate) fn own_dirs(&self) -> &Path {
        &self.own
    }

    /// A folder for files that a session's engine reads.
    pub(crate) fn own_dir(&self, key: &SessionKey) -> PathBuf {
        self.own.join(&*key.account).join(&*key.session)
    }

    /// The folder of hooks' sockets.
    #[cfg(unix)]
    pub(crate) fn hooks_dir(&self) -> &Path {
        &self.hooks
    }

    // The settings that the rules need.

    pub(crate) fn recovery(&self, account: &str) -> Recovery {
        let ctx = &self.ctx;
        Recovery {
            auto_restart_unresponsive_sessions: ctx.setting(account, &autoRestartUnresponsiveSessions),
            auto_resume_on_crash: ctx.setting(account, &autoResumeOnCrash),
            relentless_session_relaunch: ctx.setting(account, &relentlessSessionRelaunch),
            context_stall_auto_recover_enabled: ctx.setting(account, &contextStallAutoRecoverEnabled),
            read_loop_breaker_enabled: ctx.setting(account, &readLoopBreakerEnabled),
        }
    }

    pub(crate) fn policy(&self, account: &str) -> PolicyRules {
        PolicyRules {
            agent_permission_level: match self.ctx.setting(account, &agentPermissionLevel) {
                PermissionLevel::ReadOnly => Level::ReadOnly,
                PermissionLevel::Guarded => Level::Guarded,
                PermissionLevel::Autonomous => Level::Autonomous,
                PermissionLevel::Full => Level::Full,
            },
            own_level: None,
            auto_approve_config_files: self.ctx.setting(account, &autoApproveConfigFiles),
            auto_approve_plans: self.ctx.setting(account, &autoApprovePlans),
        }
    }

    pub(crate) fn strict_mcp(&self, account: &str) -> bool {
        self.ctx.setting(account, &sessionStrictMcpConfig)
    }

    pub(crate) fn detects_questions(&self, account: &str) -> bool {
        self.ctx.setting(account, &autoDetectQuestions)
    }

    pub(crate) fn context_warnings(&self, account: &str) -> ContextWarnings {
        ContextWarnings {
            context_warning75_enabled: self.ctx.setting(account, &contextWarning75Enabled),
            context_warning90_enabled: self.ctx.setting(account, &contextWarning90Enabled),
        }
    }

    pub(crate) fn breaks_loops(&self, account: &str) -> bool {
        self.ctx.setting(account, &readLoopBreakerEnabled)
    }
}

//! A launch of a session's engine, from its start to the end of its processes.

use super::{Driver, ExtraWrites, Shared};
#[cfg(unix)]
use crate::approved::Outside;
use crate::approved::Tickets;
use crate::common::{Common, OWN_TOOLS};
#[cfg(unix)]
use crate::engine_host::sandbox_of;
use crate::engine_host::{EngineHost, SetUp, Started, open};
use crate::hook::{Asked, Door};
use crate::instructions::SessionStart;
use crate::judge::Judge;
use crate::{fork, given_env, messages, modes};
use engines::port::Hook;
use engines::port::{McpServer, Open, OpenFailed};
use engines::{Conn, Engine, Events, Opened, SessionSpec};
use kit::error::CONFLICT;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use supervisor::policy;
use supervisor::state::{EngineEvent, Input, LaunchMode};
use tokio::sync::watch;

/// Time for an engine to exit before it's killed.
const GRACE: Duration = Duration::from_secs(2);
/// Time for an engine to open a session with tool servers of the user's. After it, the session starts without them.
const TOOLS_WITHIN: Duration = Duration::from_secs(90);
/// Delay before streamed text is sent, while a page shows the session: short enough to read along.
const GATHER_SHOWN: Duration = Duration::from_millis(25);
/// The same delay while no page shows it.
const GATHER_UNSEEN: Duration = Duration::from_millis(250);
/// The delay before saving a state again. Real time, since it passes for the database and not for an engine.
const SAVE_AGAIN_AFTER: Duration = Duration::from_millis(250);

impl Driver {
    /// Starts the engine once the previous launch has ended, and handles its events.
    pub(super) fn launch(&mut self, me: &Shared, how: LaunchMode, launch: u32) {
        // It's resumed when the program starts again.
        if self.common.is_closing() {
            return;
        }
        let (me, common, tickets) = (me.clone(), self.common.clone(), self.tickets.clone());
        self.judge = Arc::new(Judge::new(&common, &self.key, &self.record));
        let before = self.ending.take();
        let stored = Some(self.record.engine_session.clone()).filter(|id| how == LaunchMode::Resume && !id.is_empty());
        let new = self.record.clone();
        let (mut spec, key) = (self.spec(), self.key.clone());
        let (reads_only, judge) = (self.record.origin == policy::Origin::Email, self.judge.clone());
        let (engine_id, hub) = (self.record.engine.clone(), self.record.hub_id.clone());
        let engine = common.engine(&key.account, &engine_id);
        let (give_up, is_given_up) = watch::channel(false);
        self.give_up = Some(give_up);
        self.ending = Some(tokio::spawn(async move {
            if let Some(before) = before {
                let _ = before.await;
            }
            let set_up = common.set_up(&key.account, &engine_id).await;
            // A session that is locked gets no tools of others.
            let tools = if reads_only { Default::default() } else { common.tool_servers(&key.account, &hub).await };
            let of_engine = set_up.as_ref().map(|set_up| set_up.hidden.clone()).unwrap_or_default();
            let hidden = of_engine.into_iter().chain(tools.hidden).collect();
            let given = given_env::add(&common.ctx, &key, &mut spec.env, hidden).await;
            me.lock().await.given_env = given;
            common.connect(&key, reads_only, &mut spec).await;
            spec.mcp.extend(tools.servers);
            for why in &tools.left_out {
                note(&me, why).await;
            }
            me.lock().await.append_sandbox_entry(&me, &spec).await;
            let session_start = match &engine {
                Some(engine) => {
                    let url = spec.env.get("APP_BASE_URL").cloned();
                    common.session_start(&key, &new, &**engine, url.as_deref()).await
                }
                None => Ok(SessionStart::default()),
            };
            let batches_find = session_start.as_ref().is_ok_and(|start| start.batches_find);
            spec.instructions = session_start.as_ref().map(SessionStart::instructions).unwrap_or_default();
            let door = match &engine {
                Some(engine) => open_door(&me, &common, judge, engine, (launch, tickets, batches_find), &mut spec),
                None => Ok(None),
            };
            let set_up = session_start.and(set_up);
            let engine_event = match (engine, set_up) {
                (Some(_), _) if let Err(why) = &door => Some(not_kept(why)),
                (Some(_), _) if reads_only && let Err(why) = &common.host.sandbox => Some(not_kept(why)),
                (Some(engine), Ok(set_up)) => {
                    let open = match stored {
                        Some(stored) => Open::Resume(stored),
                        None => fork::engine_session(&common, &key.account, &new).await.map_or(Open::New, Open::Fork),
                    };
                    let start = Start { engine, spec: &spec, set_up: &set_up, how: &open };
                    run(&me, &common.host, launch, start, is_given_up).await
                }
                (Some(_), Err(why)) => Some(EngineEvent::OpenFailed {
                    failure: engines::Failure::Request,
                    detail: why.detail().to_owned(),
                }),
                (None, _) => {
                    let detail = "The session's engine is no longer available.".to_owned();
                    Some(EngineEvent::OpenFailed { failure: engines::Failure::Request, detail })
                }
            };
            drop(door);
            common.disconnect(&key);
            if let Some(engine_event) = engine_event {
                report(&me, launch, engine_event, ExtraWrites::default()).await;
            }
        }));
    }

    fn opened(&mut self, conn: Conn, opened: &Opened, is_resumed: bool) {
        self.conn = Some(conn);
        self.mode = opened.mode.clone();
        self.is_fork = opened.is_fork;
        self.outputs.clear();
        self.give_up = None;
        self.record.engine_session = opened.session.clone();
        self.record.facts = Arc::new(self.record.facts.opened(opened, is_resumed));
    }

    /// Adds the login command to the failure of a session without a login.
    pub(super) fn add_login(&self, detail: &mut String) {
        let Some(engine) = self.common.engine(&self.key.account, &self.record.engine) else { return };
        let login = engine.recipe().login;
        if login.is_empty() || detail.contains(login) {
            return;
        }
        let said = detail.trim_end_matches('.');
        *detail = if said.is_empty() { login.to_owned() } else { format!("{said}. {login}") };
    }

    fn spec(&self) -> SessionSpec {
        let own_dir = self.common.own_dir(&self.key);
        let mut spec = SessionSpec::new(&self.key.session, &self.record.cwd, own_dir);
        spec.access = self.judge.access();
        spec.model = Some(self.record.model.clone()).filter(|model| !model.is_empty());
        spec.effort = Some(self.record.effort.clone()).filter(|effort| !effort.is_empty());
        // The permission level may have changed since the mode was chosen.
        let fits = |mode: &String| !mode.is_empty() && modes::fits(mode, spec.access);
        spec.mode = Some(self.record.mode.clone()).filter(fits);
        spec.is_planning = spec.mode.as_deref() == Some(modes::PLAN);
        spec.denied = self.judge.denied();
        spec.strict_mcp = self.judge.strict_mcp();
        spec
    }

    /// Ends the newest launch's processes. The connection reports their end, or the canceled launch does.
    pub(super) fn end_processes(&mut self) {
        if let Some(give_up) = self.give_up.take() {
            let _ = give_up.send(true);
        }
        let Some(conn) = self.conn.take() else { return };
        self.requests.clear();
        self.held.clear();
        let before = self.ending.take();
        self.ending = Some(tokio::spawn(async move {
            conn.shutdown(GRACE).await;
            if let Some(before) = before {
                let _ = before.await;
            }
        }));
    }
}

/// Opens the sockets of an engine's hook and of its approved commands, until the result is dropped. An engine must not
/// start without them.
fn open_door(
    me: &Shared,
    common: &Common,
    judge: Arc<Judge>,
    engine: &Arc<dyn Engine>,
    (launch, tickets, batches_find): (u32, Arc<Tickets>, bool),
    spec: &mut SessionSpec,
) -> Result<Option<Door>, String> {
    let traits = engine.traits();
    // A session that hides nothing, or that nothing hides from, needs no approval to use it.
    if traits.hook == Hook::None && (spec.denied.is_empty() || cfg!(windows)) {
        return Ok(None);
    }
    let program = common.host.practice.program.to_string_lossy().into_owned();
    #[cfg(unix)]
    let outside = {
        let has_sandbox = common.host.sandbox.is_ok() && !spec.denied.is_empty();
        let sandbox = has_sandbox.then(|| sandbox_of(spec));
        let (env, session) = (spec.env.clone(), spec.session.clone());
        Outside { sandbox, env, session, is_discreet: !traits.takes_input }
    };
    let asked = Asked {
        me: Arc::downgrade(me),
        judge,
        engine: engine.clone(),
        launch,
        tickets,
        #[cfg(unix)]
        outside,
        batches_find,
        runner: Vec::new(),
    };
    let not_opened = |why: std::io::Error| format!("Couldn't open the hook's socket: {why}.");
    #[cfg(unix)]
    let door = Door::open(common.hooks_dir(), &program, traits.hook, asked).map_err(not_opened)?;
    #[cfg(windows)]
    let door = Door::open(&program, asked).map_err(not_opened)?;
    if traits.hook == Hook::Command {
        spec.hook = Some(door.hook());
    }
    #[cfg(unix)]
    if traits.hook == Hook::None {
        spec.stand_ins = Some(door.stand_ins().map_err(|why| format!("Couldn't write programs for it: {why}."))?);
    }
    #[cfg(unix)]
    spec.open.push(door.folder().to_owned());
    Ok(Some(door))
}

/// What a launch starts.
struct Start<'a> {
    engine: Arc<dyn Engine>,
    spec: &'a SessionSpec,
    set_up: &'a SetUp,
    /// Which session of the engine's to open.
    how: &'a Open,
}

/// Starts an engine, opens its session, and handles its events until it ends. Returns the event that is left to report
/// if it failed.
async fn run(
    me: &Shared,
    host: &EngineHost,
    launch: u32,
    Start { engine, spec, set_up, how }: Start<'_>,
    mut is_given_up: watch::Receiver<bool>,
) -> Option<EngineEvent> {
    let open_failed = |failed: OpenFailed| EngineEvent::OpenFailed { failure: failed.failure, detail: failed.detail };
    let (name, again) = (engine.name().to_owned(), engine.clone());
    let Started { conn, events: mut heard, not_passed, opened: shown } = match host.start(engine, spec, set_up).await {
        Ok(started) => started,
        Err(failed) => return Some(open_failed(failed)),
    };
    if !shown.is_empty() {
        note(me, &messages::provider_login(&name, &shown)).await;
    }
    if launch == 1 && !not_passed.is_empty() {
        note(me, &messages::not_passed(&name, &not_passed)).await;
    }
    let opened = tokio::select! {
        opened = open(&conn, how) => Some(opened),
        () = launch_canceled(&mut is_given_up) => None,
        () = tools_late(host, spec) => {
            conn.shutdown(GRACE).await;
            note(me, &messages::tools_late(&name, TOOLS_WITHIN.as_secs())).await;
            let spec = SessionSpec { mcp: spec.mcp.iter().filter(|one| is_own(one)).cloned().collect(), ..spec.clone() };
            let start = Start { engine: again, spec: &spec, set_up, how };
            return Box::pin(run(me, host, launch, start, is_given_up)).await;
        }
    };
    let gone = EngineEvent::Exited { detail: String::new() };
    let engine_event = match opened {
        Some(Ok(Some(opened))) => {
            let mut driver = me.lock().await;
            if !*is_given_up.borrow() && driver.record.life.launch == launch {
                // The driver has the only copy: the engine ends when it's dropped.
                driver.opened(conn, &opened, matches!(how, Open::Resume(_)));
                drop(driver);
                if !opened.can.mcp_http
                    && let Some(why) = messages::tools_by_address(&name, &spec.mcp)
                {
                    note(me, &why).await;
                }
                let can_resume = opened.can.resume || opened.can.load;
                report(me, launch, EngineEvent::Opened { can_resume }, ExtraWrites::default()).await;
                read_events(me, launch, &mut heard).await;
                return None;
            }
            gone
        }
        Some(Ok(None)) => EngineEvent::Forgotten,
        Some(Err(failed)) => open_failed(failed),
        None => gone,
    };
    conn.shutdown(GRACE).await;
    Some(engine_event)
}

/// Adds a note to the transcript.
async fn note(me: &Shared, why: &str) {
    me.lock().await.append_entry(me, &json!({"entry": "note", "why": why})).await;
}

fn is_own(server: &McpServer) -> bool {
    server.name == OWN_TOOLS
}

/// Returns once tool servers of the user's could be why a session doesn't open.
async fn tools_late(host: &EngineHost, spec: &SessionSpec) {
    match spec.mcp.iter().all(is_own) {
        true => std::future::pending().await,
        false => host.world.sleep.sleep(TOOLS_WITHIN).await,
    }
}

/// The failure of a session that must not start because its sandbox isn't available.
fn not_kept(why: &str) -> EngineEvent {
    let detail = format!("Not started: sensitive files can't be hidden from it. {why}");
    EngineEvent::OpenFailed { failure: engines::Failure::Request, detail }
}

/// Waits until the launch is canceled.
async fn launch_canceled(canceled: &mut watch::Receiver<bool>) {
    let _ = canceled.wait_for(|given_up| *given_up).await.map(drop);
}

/// Reports an event of a launch to its session, and retries until that is stored. Events that are no longer possible are dropped.
/// Between two attempts only the engine waits.
pub(crate) async fn report(me: &Shared, launch: u32, engine_event: EngineEvent, extra: ExtraWrites) {
    loop {
        let mut driver = me.lock().await;
        match driver.apply(me, Input::Engine { launch, event: engine_event.clone() }, extra.clone()).await {
            Err(why) if !why.is(&CONFLICT) => {
                tracing::warn!("couldn't save a session's state, retrying: {why}");
                drop(driver);
                tokio::time::sleep(SAVE_AGAIN_AFTER).await;
            }
            _ => {
                if matches!(
                    engine_event,
                    EngineEvent::TurnEnded { .. } | EngineEvent::Exited { .. } | EngineEvent::Asked { .. }
                ) {
                    driver.flush(true).await;
                }
                return;
            }
        }
    }
}

/// Reads the events of a launch to its end.
async fn read_events(me: &Shared, launch: u32, heard: &mut Events) {
    while let Some(event) = heard.next().await {
        let mut driver = me.lock().await;
        heard.gather(if driver.live.is_heard() { GATHER_SHOWN } else { GATHER_UNSEEN });
        let engine_event = driver.on_event(me, launch, event).await;
        drop(driver);
        if let Some((engine_event, extra)) = engine_event {
            report(me, launch, engine_event, extra).await;
        }
    }
}

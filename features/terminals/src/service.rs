//! The open terminals of all accounts.

use crate::errors::{TERMINAL_LIMIT, TERMINAL_START};
use crate::shell::Shell;
use kit::error::{CONFLICT, INTERNAL};
use kit::lookup::{Hubs, WorkFolder};
use kit::{Ctx, Result, new_id, not_found};
use platform::terminal::{self, Size};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// Maximum open terminals of an account, ended ones included.
pub(crate) const TERMINALS_MAX: usize = 10;

/// A terminal.
pub(crate) struct Terminal {
    pub(crate) id: String,
    pub(crate) account: String,
    pub(crate) session: Option<String>,
    pub(crate) hub: Option<String>,
    pub(crate) folder: String,
    /// The file name of its program.
    pub(crate) shell_name: String,
    pub(crate) created_ms: i64,
    pub(crate) size: Mutex<Size>,
    pub(crate) shell: Shell,
}

/// The shell of new terminals, if not the user's. Provided by tests.
pub(crate) struct ShellProgram(pub(crate) PathBuf);

/// All terminals.
pub(crate) struct Terminals {
    /// The shell of new terminals.
    program: PathBuf,
    state: Mutex<State>,
    /// Held while a terminal starts, so that the limit holds.
    starts: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    /// By id, so by time.
    open: BTreeMap<String, Arc<Terminal>>,
    is_closing: bool,
}

impl Terminals {
    /// No terminals yet.
    pub(crate) fn new(ctx: &Ctx) -> Terminals {
        let program = ctx.find_service::<ShellProgram>().map_or_else(terminal::shell, |shell| shell.0.clone());
        Terminals { program, state: Mutex::default(), starts: tokio::sync::Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the lock isn't poisoned")
    }

    /// The account's terminals, oldest first.
    pub(crate) fn of_account(&self, account: &str) -> Vec<Arc<Terminal>> {
        self.state().open.values().filter(|one| one.account == account).cloned().collect()
    }

    /// One of the account's terminals.
    pub(crate) fn one(&self, account: &str, id: &str) -> Result<Arc<Terminal>> {
        let found = self.state().open.get(id).filter(|one| one.account == account).cloned();
        found.ok_or_else(not_found)
    }

    /// Opens a terminal in a folder that exists.
    pub(crate) async fn open(
        &self,
        ctx: &Ctx,
        account: &str,
        (session, folder): (Option<String>, WorkFolder),
        size: Size,
    ) -> Result<Arc<Terminal>> {
        let _start = self.starts.lock().await;
        if self.of_account(account).len() >= TERMINALS_MAX {
            let detail = format!("{TERMINALS_MAX} terminals are open. Close one first.");
            return Err(TERMINAL_LIMIT.error(detail));
        }
        let program = self.program.clone();
        let shell_name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
        let id = new_id();
        let shell = started(&id, program, folder.path.clone().into(), size).await?;
        let terminal = Arc::new(Terminal {
            id: id.clone(),
            account: account.to_owned(),
            session,
            hub: folder.hub,
            folder: folder.path,
            shell_name,
            created_ms: ctx.now_ms(),
            size: Mutex::new(size),
            shell,
        });
        let is_kept = {
            let mut state = self.state();
            if !state.is_closing {
                state.open.insert(id, terminal.clone());
            }
            !state.is_closing
        };
        if is_kept {
            return Ok(terminal);
        }
        end(vec![terminal]).await;
        Err(CONFLICT.error("Pilothouse is closing."))
    }

    /// Closes one of the account's terminals: ends its processes.
    pub(crate) async fn close(&self, account: &str, id: &str) -> Result<()> {
        let terminal = self.one(account, id)?;
        self.state().open.remove(id);
        end(vec![terminal]).await;
        Ok(())
    }

    /// Closes all terminals, and opens none anymore.
    pub(crate) async fn close_all(&self) {
        let all = {
            let mut state = self.state();
            state.is_closing = true;
            std::mem::take(&mut state.open)
        };
        end(all.into_values().collect()).await;
    }

    /// Closes the terminals whose hub was removed.
    pub(crate) async fn close_of_removed_hubs(&self, ctx: &Ctx) -> Result<()> {
        let mut hubs: HashMap<String, Vec<String>> = HashMap::new();
        for one in self.state().open.values() {
            if let Some(hub) = &one.hub {
                hubs.entry(one.account.clone()).or_default().push(hub.clone());
            }
        }
        for (account, hubs) in hubs {
            let missing = ctx.service::<Hubs>().0.missing(&account, hubs).await?;
            let of_removed = |one: &Terminal| one.hub.as_ref().is_some_and(|hub| missing.contains(hub));
            let closed: Vec<_> = {
                let mut state = self.state();
                state
                    .open
                    .extract_if(.., |_, one| one.account == account && of_removed(one))
                    .map(|(_, one)| one)
                    .collect()
            };
            end(closed).await;
        }
        Ok(())
    }
}

/// Starts a shell, off the threads that answer.
async fn started(id: &str, program: PathBuf, folder: PathBuf, size: Size) -> Result<Shell> {
    let id = id.to_owned();
    let shown = program.display().to_string();
    let start = move || Shell::start(&id, &program, Path::new(&folder), size);
    let started = tokio::task::spawn_blocking(start).await;
    let started = started.map_err(|fault| INTERNAL.error("Couldn't open the terminal.").caused_by(fault))?;
    started.map_err(|why| TERMINAL_START.error(format!("Couldn't start {shown}: {why}.")))
}

/// Ends terminals at the same time.
async fn end(terminals: Vec<Arc<Terminal>>) {
    let ends: Vec<_> =
        terminals.into_iter().map(|one| tokio::task::spawn_blocking(move || one.shell.close())).collect();
    for one in ends {
        if let Err(fault) = one.await {
            tracing::error!("couldn't end a terminal: {fault}");
        }
    }
}

//! The working directory of a new session: a hub, a folder or worktree of it, or a new folder.

use crate::hubs::{self, Hub};
use crate::records;
use crate::service::Sessions;
use crate::worktrees::{self, NewWorktree, StartPoint};
use crate::{errors, fault};
use ::git::is_branch;
use futures_core::future::BoxFuture;
use kit::error::{INTERNAL, NOT_FOUND};
use kit::lookup::{FindFolders, HubFolder, WorkFolder};
use kit::op::{Answer, Reply};
use kit::{Caller, Created, Ctx, Kind, Result, invalid, new_id};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::path::Path;
use store::{Db, HasDb, Tx, params};

/// The purpose of the hub for sessions without a folder of the user's.
const ASK: &str = "ask";
/// The name of that hub.
const ASK_NAME: &str = "Ask";

/// The caller that starts a session.
pub(crate) struct Asking {
    pub(crate) caller: Caller,
    /// The session that it names as the source.
    pub(crate) source: Option<String>,
}

/// A created session: `201` if it starts at once, `202` if it waits in the queue, as its state and reason say.
pub(crate) struct Started<T> {
    pub(crate) location: String,
    pub(crate) is_queued: bool,
    pub(crate) record: T,
}

impl<T: Serialize + JsonSchema> Answer for Started<T> {
    const STATUS: u16 = Created::<T>::STATUS;
    const ALSO: &'static [u16] = &[202];
    const LOCATED: bool = true;
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Created::<T>::schema(generator)
    }
    fn reply(self) -> Reply {
        let reply = Created { location: self.location, record: self.record }.reply();
        Reply { status: if self.is_queued { 202 } else { Self::STATUS }, ..reply }
    }
}

/// The requested working directory.
pub(crate) struct Wanted {
    pub(crate) project_id: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) worktree: bool,
    pub(crate) branch: Option<String>,
    /// The worktree's first commit. Default: the hub's current one.
    pub(crate) from: Option<StartPoint>,
}

/// The working directory of a new session.
pub(crate) struct WorkingDir {
    pub(crate) hub_id: String,
    pub(crate) cwd: String,
    /// The worktree created for it. It's discarded if the session can't be created.
    pub(crate) made: Option<NewWorktree>,
}

/// Finds or creates the working directory of a session with this id and title.
pub(crate) async fn for_new_session(
    ctx: &Ctx,
    call: &Asking,
    wanted: Wanted,
    session: (&str, &str),
) -> Result<WorkingDir> {
    expect_sense(&wanted)?;
    let cwd = match &wanted.cwd {
        Some(cwd) => Some(hubs::real_folder(ctx, cwd, "/cwd").await?),
        None => None,
    };
    let hub = hub(ctx, call, wanted.project_id, cwd.as_deref()).await?;
    if let Some(cwd) = &cwd
        && !Path::new(cwd).starts_with(&hub.folder)
    {
        let detail = format!("{cwd} isn't in the hub {} ({}).", hub.name, hub.folder);
        return Err(invalid("/cwd", fault::OUTSIDE_HUB, detail));
    }
    if wanted.worktree {
        let start = (wanted.branch, wanted.from);
        let made = ctx.service::<Sessions>().make_worktree(&call.caller.account, &hub, session, start).await?;
        return Ok(WorkingDir { hub_id: hub.id, cwd: made.folder.clone(), made: Some(made) });
    }
    let cwd = match cwd {
        Some(cwd) => cwd,
        None if hub.purpose.is_empty() => hub.folder,
        None => own_folder(&hub.folder, session.0).await?,
    };
    Ok(WorkingDir { hub_id: hub.id, cwd, made: None })
}

/// Rejects conflicting inputs and invalid branch names.
fn expect_sense(wanted: &Wanted) -> Result<()> {
    if wanted.worktree && wanted.cwd.is_some() {
        let detail = "Send either cwd or worktree, not both: a worktree has its own folder.";
        return Err(invalid("/cwd", fault::ONE_OF, detail));
    }
    match &wanted.branch {
        Some(_) if !wanted.worktree => Err(invalid("/branch", fault::ONE_OF, "branch requires worktree: true.")),
        Some(branch) if !is_branch(branch) => {
            let detail = "Git doesn't accept this branch name. Use letters, digits, and . _ - / + = @; \
                no part can start with . or -.";
            Err(invalid("/branch", fault::WRONG_FORMAT, detail))
        }
        _ => Ok(()),
    }
}

/// The named hub, else the folder's hub, else the source session's hub, else the account's hub for questions. If a user
/// makes the call, a folder outside all hubs becomes a hub.
async fn hub(ctx: &Ctx, call: &Asking, named: Option<String>, cwd: Option<&str>) -> Result<Hub> {
    let account = call.caller.account.clone();
    if let Some(id) = named {
        return ctx.db().read(move |tx| hubs::named(tx, &account, &id)).await;
    }
    if let Some(cwd) = cwd {
        let all = ctx.db().read(move |tx| hubs::all(tx, &account)).await?;
        let around = all.into_iter().filter(|hub| Path::new(cwd).starts_with(&hub.folder));
        return match around.max_by_key(|hub| hub.folder.len()) {
            Some(hub) => Ok(hub),
            None if matches!(call.caller.kind, Kind::Owner | Kind::Cli) && !call.caller.through_mcp => {
                hubs::for_folder(ctx, &call.caller, cwd.to_owned(), None).await
            }
            None => {
                let detail =
                    format!("{cwd} isn't in a hub, and sessions can't add hubs. Name a hub, or a folder in one.");
                Err(invalid("/cwd", fault::OUTSIDE_HUB, detail))
            }
        };
    }
    let source = call.source.clone().or_else(|| call.caller.session.as_deref().map(str::to_owned));
    let read = move |tx: &mut Tx<'_>| {
        let record = source.and_then(|id| records::one(tx, &account, &id).ok());
        Ok(record.and_then(|record| hubs::one(tx, &account, &record.hub_id).ok()))
    };
    match ctx.db().read(read).await? {
        Some(hub) => Ok(hub),
        None => hub_of_program(ctx, &call.caller.account, ASK, ASK_NAME).await,
    }
}

/// A hub that Pilothouse gives an account for a purpose, created when first needed.
pub(crate) async fn hub_of_program(ctx: &Ctx, account: &str, purpose: &'static str, name: &'static str) -> Result<Hub> {
    let folder = worktrees::work_dir(ctx, account).join(purpose);
    let unmade =
        |why: std::io::Error| errors::HUB_FOLDER.error(format!("Couldn't create {}: {why}.", folder.display()));
    worktrees::private_folder(&folder).await.map_err(unmade)?;
    let folder = tokio::fs::canonicalize(&folder).await.map_err(unmade)?.to_string_lossy().into_owned();
    let (account, now_ms) = (account.to_owned(), ctx.now_ms());
    ctx.db()
        .write(move |tx| {
            let sql = "INSERT INTO hubs (account_id, hub_id, name, folder, created_ms, purpose) VALUES ($1, $2, $3, $4, $5, $6) \
                 ON CONFLICT (account_id, folder) DO NOTHING";
            tx.execute(sql, params![&account, &new_id(), name, &folder, now_ms, purpose])?;
            let id = "SELECT hub_id FROM hubs WHERE account_id = $1 AND folder = $2";
            let id = tx.query_one(id, params![&account, &folder], |row| row.get::<String>(0))?;
            hubs::one(tx, &account, &id)
        })
        .await
}

/// A new folder for the session.
async fn own_folder(within: &str, session: &str) -> Result<String> {
    let folder = Path::new(within).join(session);
    let unmade = |why| INTERNAL.error("Couldn't create the session's folder.").caused_by(why);
    worktrees::private_folder(&folder).await.map_err(unmade)?;
    Ok(folder.to_string_lossy().into_owned())
}

/// Tells other features where sessions and hubs work.
pub(crate) struct Folders(pub(crate) Db);

impl Folders {
    fn find(
        &self,
        find: impl FnOnce(&mut Tx<'_>) -> Result<WorkFolder> + Send + 'static,
    ) -> BoxFuture<'static, Result<Option<WorkFolder>>> {
        let db = self.0.clone();
        Box::pin(async move {
            match db.read(find).await {
                Ok(folder) => Ok(Some(folder)),
                Err(why) if why.is(&NOT_FOUND) => Ok(None),
                Err(why) => Err(why),
            }
        })
    }
}

impl FindFolders for Folders {
    fn of_session(&self, account: &str, session: &str) -> BoxFuture<'static, Result<Option<WorkFolder>>> {
        let (account, session) = (account.to_owned(), session.to_owned());
        self.find(move |tx| {
            let record = records::one(tx, &account, &session)?;
            let hub = Some(record.hub_id).filter(|hub| !hub.is_empty() && hubs::one(tx, &account, hub).is_ok());
            Ok(WorkFolder { path: record.cwd, hub })
        })
    }

    fn of_hub(&self, account: &str, hub: &str) -> BoxFuture<'static, Result<Option<WorkFolder>>> {
        let (account, hub) = (account.to_owned(), hub.to_owned());
        self.find(move |tx| {
            let hub = hubs::one(tx, &account, &hub)?;
            Ok(WorkFolder { path: hub.folder, hub: Some(hub.id) })
        })
    }

    fn hubs(&self) -> BoxFuture<'static, Result<Vec<HubFolder>>> {
        let db = self.0.clone();
        Box::pin(async move { db.read(hubs::all_folders).await })
    }
}

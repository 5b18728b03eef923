//! Which sessions' branches are ready to be merged into their base, for other features.
//!
//! Invariant: a branch is merged only if the session's last turn ended well, nothing is uncommitted in its worktree or
//! where its base is checked out, and nothing conflicts.

use super::land::{self, Merged};
use super::{Review, ops, refused};
use crate::activity::label;
use crate::service::Sessions;
use crate::transcript::{Part, SessionKey};
use crate::worktrees::{self, Worktree};
use crate::{errors, records};
use ::git::{Failed, Git};
use futures_core::future::BoxFuture;
use kit::error::{CONFLICT, Error};
use kit::lookup::{BranchSession, LandBranches, Landing};
use kit::{Caller, Ctx, Result};
use serde_json::{Value, json};
use std::path::Path;
use store::{HasDb, Tx, params};
use supervisor::state::State;

/// Maximum sessions of an account that are looked at: the newest.
const SESSIONS_MAX: i64 = 10_000;
/// Entries of a transcript that are looked at for the end of its last turn.
const ENTRIES: usize = 100;

/// Reads the tables, and merges with git.
pub(crate) struct Branches(pub(crate) Ctx);

impl LandBranches for Branches {
    fn all(&self, account: &str) -> BoxFuture<'static, Result<Vec<BranchSession>>> {
        let (db, account) = (self.0.db(), account.to_owned());
        Box::pin(async move { db.read(move |tx| all(tx, &account)).await })
    }

    fn check(&self, caller: &Caller, session: &str) -> BoxFuture<'static, Result<Landing>> {
        let (ctx, caller, session) = (self.0.clone(), caller.clone(), session.to_owned());
        Box::pin(async move { landing(&ctx, &caller, &session, false).await })
    }

    fn merge(&self, caller: &Caller, session: &str) -> BoxFuture<'static, Result<Landing>> {
        let (ctx, caller, session) = (self.0.clone(), caller.clone(), session.to_owned());
        Box::pin(async move { landing(&ctx, &caller, &session, true).await })
    }
}

fn all(tx: &mut Tx<'_>, account: &str) -> Result<Vec<BranchSession>> {
    let sql = "SELECT s.session_id, s.parent_id, s.title, s.hub_id, s.cwd, s.life, w.hub_folder, w.branch, w.base, w.base_commit \
         FROM sessions s LEFT JOIN session_worktrees w ON w.account_id = s.account_id AND w.session_id = s.session_id \
         AND w.folder = s.cwd WHERE s.account_id = $1 AND (s.state <> 'archived' OR w.worktree_id IS NOT NULL) \
         ORDER BY s.session_id DESC LIMIT $2";
    tx.query(sql, params![account, SESSIONS_MAX], |row| {
        let life: supervisor::state::Session = records::read_json(row.get(5)?)?;
        let text = |at: usize| Ok::<_, Error>(row.get::<Option<String>>(at)?.unwrap_or_default());
        Ok(BranchSession {
            id: row.get(0)?,
            parent: row.get(1)?,
            title: row.get(2)?,
            hub: Some(row.get::<String>(3)?).filter(|hub| !hub.is_empty()),
            folder: row.get(4)?,
            repository: text(6)?,
            branch: text(7)?,
            base: text(8)?,
            base_commit: text(9)?,
            state: label(&life.state).to_owned(),
            is_archived: life.state == State::Archived,
            is_working: is_working(&life.state),
        })
    })
}

/// Whether it works, or goes on without a message of the user.
fn is_working(state: &State) -> bool {
    state.is_working()
        || matches!(
            state,
            State::Queued { .. } | State::Launching { .. } | State::Parked { .. } | State::Snoozed { .. }
        )
        || matches!(state, State::AwaitingPermission | State::AwaitingInput | State::Stopping { .. })
}

/// What comes of a session's branch; `is_merge` carries it out.
async fn landing(ctx: &Ctx, caller: &Caller, session: &str, is_merge: bool) -> Result<Landing> {
    match prepare(ctx, caller, session).await {
        Ok(ready) => ready.land(ctx, caller, session, is_merge).await,
        Err(why) if why.is(&errors::WORKTREE) || why.is(&CONFLICT) => {
            Ok(Landing::Skipped { reason: why.detail().to_owned() })
        }
        Err(why) => Err(why),
    }
}

/// A branch that may be merged, unless it conflicts.
struct Ready {
    review: Review,
    worktree: Worktree,
    branch: String,
    hub: Git,
}

/// Rejects a session whose branch isn't ready, with a conflict.
async fn prepare(ctx: &Ctx, caller: &Caller, session: &str) -> Result<Ready> {
    let sessions = ctx.service::<Sessions>();
    expect_done(&sessions, &caller.account, session).await?;
    let review = sessions.review(&caller.account, session).await?;
    ops::expect_settled(&review.git).await?;
    let (worktree, _, branch) = ops::branches(&review).await?;
    let (worktree, branch) = (worktree.clone(), branch.to_owned());
    if worktrees::is_dirty(&review.git).await.map_err(refused)? {
        return Err(CONFLICT.error("The worktree has uncommitted changes."));
    }
    let (ahead, _) = worktrees::distance(&review.git, &worktree.base, &worktree.base_commit).await.map_err(refused)?;
    if ahead == 0 {
        return Err(CONFLICT.error(format!("There's nothing to merge: {} has all its commits.", worktree.base)));
    }
    let hub = sessions.git(&worktree.hub_folder).await.map_err(refused)?;
    expect_free(&hub, &worktree.base).await?;
    Ok(Ready { review, worktree, branch, hub })
}

/// Rejects a session that isn't done, or whose last turn didn't end well.
async fn expect_done(sessions: &Sessions, account: &str, session: &str) -> Result<()> {
    let (owner, id) = (account.to_owned(), session.to_owned());
    let life = sessions.common.ctx.db().read(move |tx| records::one(tx, &owner, &id)).await?.life;
    let is_at_rest = matches!(life.state, State::Idle | State::Finished);
    if !is_at_rest || life.turn.is_some() || !life.waiting.is_empty() {
        return Err(CONFLICT.error(format!("The session isn't done: {}.", life.evidence.why.trim_end_matches('.'))));
    }
    if life.need.is_some() {
        return Err(CONFLICT.error("The session needs you first."));
    }
    let key = SessionKey { account: account.into(), session: session.into() };
    let entries = sessions.common.transcripts.page(&key, Part::Newest, ENTRIES).await?;
    let bodies = entries.iter().rev().filter_map(|entry| serde_json::from_str::<Value>(&entry.body).ok());
    let mut ends = bodies.filter(|body| body["told"]["event"] == "turnEnded");
    match ends.next() {
        Some(end) if end["told"]["stop"] != "endTurn" || !end["told"]["failure"].is_null() => {
            Err(CONFLICT.error("The session's last turn was canceled or failed."))
        }
        _ => Ok(()),
    }
}

/// Rejects a base whose checkout has uncommitted changes, or is in another worktree than the hub's folder.
async fn expect_free(hub: &Git, base: &str) -> Result<()> {
    ops::expect_settled(hub).await?;
    let name = format!("refs/heads/{base}");
    let folder = hub.run(&["for-each-ref", "--format=%(worktreepath)", "--", &name]).await.map_err(refused)?;
    let folder = folder.trim_end_matches('\n');
    if folder.is_empty() {
        return Ok(());
    }
    let checkout = hub.reopened(Path::new(folder)).await.map_err(refused)?;
    if worktrees::is_dirty(&checkout).await.map_err(refused)? {
        return Err(CONFLICT.error(format!("{base} has uncommitted changes in {folder}.")));
    }
    let top = hub.run(&["rev-parse", "--show-toplevel"]).await.map_err(refused)?;
    match Path::new(top.trim_end_matches('\n')) == Path::new(folder) {
        true => Ok(()),
        false => Err(CONFLICT.error(format!("{base} is checked out in {folder}. Merge it there."))),
    }
}

impl Ready {
    async fn land(&self, ctx: &Ctx, caller: &Caller, session: &str, is_merge: bool) -> Result<Landing> {
        let into = self.worktree.base.clone();
        let looked = match is_merge {
            true => land::merge(&self.review, &self.hub, &into, &self.branch).await,
            false => self.look().await,
        };
        match looked {
            Ok(Merged::Conflicts(files)) => Ok(Landing::Conflicts { into, files }),
            Ok(Merged::Done(_)) if !is_merge => Ok(Landing::Ready { into }),
            Ok(Merged::Done(commit)) => {
                ops::record(ctx, caller, session, "merged", json!({"commit": commit, "into": into})).await?;
                Ok(Landing::Merged { into, commit })
            }
            Err(Failed(reason)) => Ok(Landing::Skipped { reason }),
        }
    }

    async fn look(&self) -> std::result::Result<Merged, Failed> {
        let (onto, from) = (format!("refs/heads/{}", self.worktree.base), format!("refs/heads/{}", self.branch));
        let merged = land::merged_tree(&self.review.git, &onto, &from).await?;
        Ok(merged.map_or_else(Merged::Conflicts, Merged::Done))
    }
}

//! A look at all branches of an account.

use crate::branches::{self, Base, Branch};
use crate::landed::Looking;
use crate::repositories::{self, Candidate, Found, Repository};
use crate::reviews::{self, Host};
use crate::service::{RepositoryRow, Row, Work};
use crate::sort::{self, Facts, Landed, OnIt};
use futures_util::StreamExt;
use futures_util::stream;
use git::Failed;
use kit::ids::hex;
use kit::lookup::{BranchSession, HubFolder, SessionBranches, WorkFolders};
use kit::{Ctx, Result};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum comparisons at once.
const AT_ONCE: usize = 4;

/// The hubs' folders and the sessions of an account, each repository once.
pub(crate) async fn places(ctx: &Ctx, account: &str) -> Result<(Vec<Candidate>, Vec<BranchSession>)> {
    let hubs: Vec<HubFolder> = match ctx.find_service::<WorkFolders>() {
        Some(folders) => folders.0.hubs().await?,
        None => Vec::new(),
    };
    let hubs = hubs.into_iter().filter(|hub| hub.account == account).collect();
    let sessions = match ctx.find_service::<SessionBranches>() {
        Some(branches) => branches.0.all(account).await?,
        None => Vec::new(),
    };
    let all = repositories::candidates(hubs, &sessions);
    // The disks may be slow or remote.
    let distinct = tokio::task::spawn_blocking(move || repositories::distinct(all)).await;
    Ok((distinct.map_err(|fault| kit::error::INTERNAL.error("Couldn't look at folders.").caused_by(fault))?, sessions))
}

/// Starts a look, unless one is in progress or what is known is current.
pub(crate) fn start(work: &Arc<Work>, ctx: &Ctx, account: &str, is_refresh: bool) {
    if !work.begin(account, ctx.now_ms(), is_refresh) {
        return;
    }
    let (work, ctx, account) = (work.clone(), ctx.clone(), account.to_owned());
    tokio::spawn(async move {
        let looking = tokio::spawn({
            let (work, ctx, account) = (work.clone(), ctx.clone(), account.clone());
            async move { scan(&work, &ctx, &account).await }
        });
        match looking.await {
            Ok(Ok(())) => {}
            Ok(Err(why)) => tracing::warn!("couldn't look at branches: {why}"),
            Err(fault) => tracing::error!("couldn't look at branches: {fault}"),
        }
        work.end(&account, ctx.now_ms());
    });
}

async fn scan(work: &Work, ctx: &Ctx, account: &str) -> Result<()> {
    let (candidates, sessions) = places(ctx, account).await?;
    let mut seen = HashSet::new();
    for candidate in candidates {
        let mut row = RepositoryRow {
            id: id(&candidate.folder, ""),
            name: candidate.name.clone(),
            folder: candidate.folder.clone(),
            hub: candidate.hub.clone(),
            ..RepositoryRow::default()
        };
        match repositories::open(work, &candidate).await {
            Found::Nothing => continue,
            Found::Trouble(why) => row.notes.push(why),
            Found::Repository(repository) => {
                if !seen.insert(repository.common.clone()) {
                    continue;
                }
                row.id = id(&repository.common.to_string_lossy(), "");
                if let Err(Failed(why)) = look(work, account, &repository, &sessions, &mut row).await {
                    row.notes.push(why);
                }
            }
        }
        work.add(account, |found| found.repositories.push(row));
    }
    Ok(())
}

/// Identifies a repository or a branch.
fn id(repository: &str, branch: &str) -> String {
    hex(&Sha256::digest(format!("{repository}\0{branch}")))[..24].to_owned()
}

async fn look(
    work: &Work,
    account: &str,
    repository: &Repository,
    sessions: &[BranchSession],
    row: &mut RepositoryRow,
) -> std::result::Result<(), Failed> {
    if repository.is_shallow {
        row.notes.push("The clone is shallow: older commits are missing, so some branches may look unmerged.".into());
    }
    let of_sessions: BTreeSet<String> =
        sessions.iter().filter(|one| !one.base.is_empty()).map(|one| one.base.clone()).collect();
    let bases = branches::bases(&repository.git, &of_sessions).await?;
    let Some(own) = bases.first() else {
        let (any, _) = branches::branches(repository, &[]).await?;
        row.notes.push(match any.is_empty() {
            true => "The repository has no commits yet.".to_owned(),
            false => "The repository has no base branch such as main, so its branches can't be sorted.".to_owned(),
        });
        return Ok(());
    };
    row.base = own.label.clone();
    let (listed, host) = tokio::join!(branches::branches(repository, &bases), reviews::ask(work, repository));
    let (mut listed, left_out) = listed?;
    listed.retain(|branch| branch.name != own.branch);
    if left_out > 0 {
        row.notes.push(format!("{left_out} branches were left out: only {} are read.", branches::BRANCHES_MAX));
    }
    row.is_host_known = matches!(host, Host::Answered(_));
    if let Host::Silent(why) = &host
        && !listed.is_empty()
    {
        row.notes.push(why.clone());
    }
    work.add(account, |found| found.total += listed.len());
    let looking = Looking::new(repository, &work.spare)
        .map_err(|why| Failed(format!("Couldn't create a temporary folder: {why}.")))?;
    let on_it = sessions_on(&listed, repository, sessions).await;
    let compare = (0..listed.len()).map(|at| {
        let session = on_it.get(&at).copied();
        let (looking, bases, listed) = (&looking, &bases, &listed);
        async move {
            let branch = &listed[at];
            let base_at = session.and_then(|one| bases.iter().position(|base| base.branch == one.base)).unwrap_or(0);
            let base = &bases[base_at];
            let base = if base.branch == branch.name { &bases[0] } else { base };
            let (distance, landed) = compared(work, looking, branch, base, base_at).await;
            (at, base, distance, landed)
        }
    });
    let mut compared = stream::iter(compare).buffer_unordered(AT_ONCE);
    while let Some((at, base, distance, landed)) = compared.next().await {
        let of = Of { repository, row, base, host: &host, session: on_it.get(&at).copied() };
        let row = of.sorted(&listed[at], distance, landed);
        work.add(account, |found| {
            found.checked += 1;
            found.rows.push(row);
        });
    }
    Ok(())
}

async fn compared(
    work: &Work,
    looking: &Looking,
    branch: &Branch,
    base: &Base,
    at: usize,
) -> (Option<(u64, u64)>, Landed) {
    let distance = match branch.distances.get(at).copied().flatten() {
        Some(known) => Some(known),
        None => looking.distance(&branch.commit, base).await,
    };
    let Some((ahead, behind)) = distance else { return (None, Landed::No) };
    if ahead == 0 {
        return (distance, Landed::Merged);
    }
    let is_landed = match work.verdict(&branch.commit, &base.commit) {
        Some(known) => known,
        None => {
            let is_landed = looking.has_landed(&branch.commit, base, behind).await;
            work.set_verdict(&branch.commit, &base.commit, is_landed);
            is_landed
        }
    };
    (distance, if is_landed { Landed::Squashed } else { Landed::No })
}

/// The session on each branch, by the branch's position: of several, one that isn't archived, then the newest.
async fn sessions_on<'a>(
    listed: &[Branch],
    repository: &Repository,
    sessions: &'a [BranchSession],
) -> HashMap<usize, &'a BranchSession> {
    let real = |folder: &str| PathBuf::from(folder).canonicalize().unwrap_or_else(|_| PathBuf::from(folder));
    let worktrees: Vec<(usize, PathBuf)> = listed
        .iter()
        .enumerate()
        .filter(|(_, branch)| !branch.worktree.is_empty())
        .map(|(at, branch)| (at, real(&branch.worktree)))
        .collect();
    let by_name: HashMap<&str, usize> = listed.iter().enumerate().map(|(at, one)| (&*one.name, at)).collect();
    let mut own: HashMap<&str, bool> = HashMap::new();
    let mut on_it: HashMap<usize, &BranchSession> = HashMap::new();
    for session in sessions {
        let folder = real(&session.folder);
        let within = worktrees.iter().filter(|(_, worktree)| folder.starts_with(worktree));
        let deepest = within.max_by_key(|(_, worktree)| worktree.as_os_str().len()).map(|(at, _)| *at);
        // The worktree may be gone: then the branch that it was created for counts.
        let mut is_own = || *own.entry(&session.repository).or_insert_with(|| is_in(&session.repository, repository));
        let by_branch = || by_name.get(&*session.branch).copied();
        let at = match deepest {
            Some(at) => Some(at),
            None if session.branch.is_empty() || !is_own() || folder.is_dir() => None,
            None => by_branch(),
        };
        if let Some(at) = at {
            match on_it.get(&at) {
                Some(known) if !known.is_archived || session.is_archived => {}
                _ => drop(on_it.insert(at, session)),
            }
        }
    }
    on_it
}

/// Whether a folder is the top of a repository or of a worktree of it.
fn is_in(folder: &str, repository: &Repository) -> bool {
    let real = Path::new(folder).canonicalize().unwrap_or_default();
    real == repository.common || real.join(".git") == repository.common || repository.git.folder() == Path::new(folder)
}

/// What a branch's row is made of, besides the branch.
struct Of<'a> {
    repository: &'a Repository,
    row: &'a RepositoryRow,
    base: &'a Base,
    host: &'a Host,
    session: Option<&'a BranchSession>,
}

impl Of<'_> {
    fn sorted(&self, branch: &Branch, distance: Option<(u64, u64)>, landed: Landed) -> Row {
        let pull = match self.host {
            Host::Answered(pulls) => pulls.get(&branch.name),
            Host::Silent(_) => None,
        };
        let ahead = distance.map_or(u64::MAX, |(ahead, _)| ahead);
        let is_other = branch.upstream.as_deref() != Some(&self.base.label);
        let facts = Facts {
            commit: &branch.commit,
            base: &self.base.label,
            landed,
            session: self.session.map(|one| OnIt {
                state: &one.state,
                is_archived: one.is_archived,
                is_working: one.is_working,
                is_at_start: one.base_commit.is_empty() || one.base_commit == branch.commit,
            }),
            pull,
            is_host_known: self.row.is_host_known,
            pushed: branch.upstream.as_deref().filter(|_| is_other && branch.unpushed < ahead),
        };
        let (group, reason) = sort::sort(&facts);
        let worktree = Some(branch.worktree.clone()).filter(|folder| !folder.is_empty());
        Row {
            id: id(&self.repository.common.to_string_lossy(), &branch.name),
            repository: self.row.id.clone(),
            branch: branch.name.clone(),
            group,
            reason,
            base: self.base.label.clone(),
            distance,
            commit: branch.commit.clone(),
            subject: branch.subject.clone(),
            committed_s: branch.committed_s,
            session: self.session.map(|one| (one.id.clone(), one.parent.clone(), one.title.clone())),
            pull_request: pull.map(|pull| pull.url.clone()),
            is_deletable: group == sort::Group::Landed && landed != Landed::No && worktree.is_none(),
            worktree,
        }
    }
}

/// Looks at one branch again, before it's deleted: whether its work is in its base, and where it's checked out.
pub(crate) async fn is_landed(
    work: &Work,
    repository: &Repository,
    (branch, commit): (&str, &str),
    base: &str,
) -> std::result::Result<bool, Failed> {
    let of_sessions = BTreeSet::from([base.to_owned()]);
    let bases = branches::bases(&repository.git, &of_sessions).await?;
    let Some(at) = bases.iter().position(|one| one.label == base) else { return Ok(false) };
    let (listed, _) = branches::branches(repository, &bases).await?;
    let found = listed.iter().find(|one| one.name == branch && one.commit == commit && one.worktree.is_empty());
    let Some(found) = found.filter(|one| bases.iter().all(|base| base.branch != one.name)) else { return Ok(false) };
    let looking = Looking::new(repository, &work.spare)
        .map_err(|why| Failed(format!("Couldn't create a temporary folder: {why}.")))?;
    Ok(compared(work, &looking, found, &bases[at], at).await.1 != Landed::No)
}

/// The repository with this ID.
pub(crate) async fn repository(work: &Work, row: &RepositoryRow) -> std::result::Result<Repository, Failed> {
    let candidate = Candidate { folder: row.folder.clone(), hub: row.hub.clone(), name: row.name.clone() };
    match repositories::open(work, &candidate).await {
        Found::Repository(repository) if id(&repository.common.to_string_lossy(), "") == row.id => Ok(*repository),
        Found::Trouble(why) => Err(Failed(why)),
        _ => Err(Failed(format!("{} isn't the same repository anymore. Reload the list.", row.folder))),
    }
}

//! The branches of a repository, read with a few git commands however many there are.

use crate::repositories::Repository;
use git::{Failed, Git};
use std::collections::BTreeSet;

/// Maximum branches of a repository that are read.
pub(crate) const BRANCHES_MAX: usize = 20_000;
/// Maximum branches that others are compared with.
const BASES_MAX: usize = 8;
/// Names that a base branch usually has, the likeliest first.
const USUAL: [&str; 5] = ["main", "master", "trunk", "develop", "default"];
/// Fields of a branch before its distances.
const FIELDS: usize = 7;

type Done<T> = Result<T, Failed>;

/// A branch that others are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base {
    /// The local branch; empty if only the remote has it.
    pub(crate) branch: String,
    /// What is compared with: the branch, or its upstream if that is ahead.
    pub(crate) label: String,
    pub(crate) commit: String,
    pub(crate) tree: String,
}

/// A branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) name: String,
    pub(crate) commit: String,
    pub(crate) committed_s: i64,
    pub(crate) subject: String,
    /// The folder in which it's checked out; empty if nowhere.
    pub(crate) worktree: String,
    /// Its upstream, such as `origin/fix`, if that exists.
    pub(crate) upstream: Option<String>,
    /// Commits that the upstream doesn't have.
    pub(crate) unpushed: u64,
    /// Commits ahead of and behind each base; none if git is too old to tell.
    pub(crate) distances: Vec<Option<(u64, u64)>>,
}

/// A reference, as candidates for bases are read.
struct Reference {
    name: String,
    commit: String,
    tree: String,
    symref: String,
    upstream: String,
    track: String,
}

/// The repository's base first, then the bases of sessions' worktrees that exist. Empty without one.
pub(crate) async fn bases(git: &Git, of_sessions: &BTreeSet<String>) -> Done<Vec<Base>> {
    let mut patterns: Vec<String> = vec!["refs/remotes/origin/HEAD".into()];
    for name in USUAL {
        patterns.extend([format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")]);
    }
    patterns.extend(of_sessions.iter().take(BASES_MAX).map(|name| format!("refs/heads/{name}")));
    let (_, head) = git.try_run(&["symbolic-ref", "--quiet", "HEAD"]).await?;
    patterns.push(head.trim().to_owned());
    patterns.retain(|pattern| pattern.starts_with("refs/"));
    let found = references(git, &patterns).await?;
    let named = |name: &str| found.iter().find(|one| one.name == name);
    let remote_head = named("refs/remotes/origin/HEAD").map(|one| one.symref.clone());
    let of_remote = remote_head.as_deref().and_then(|name| name.strip_prefix("refs/remotes/origin/"));
    let mut wanted: Vec<String> = of_remote.map(|name| format!("refs/heads/{name}")).into_iter().collect();
    wanted.extend(USUAL.map(|name| format!("refs/heads/{name}")));
    wanted.push(head.trim().to_owned());
    wanted.extend(remote_head.clone());
    wanted.extend(USUAL.map(|name| format!("refs/remotes/origin/{name}")));
    let Some(own) = wanted.iter().find_map(|name| named(name)) else { return Ok(Vec::new()) };
    let others = of_sessions.iter().filter_map(|name| named(&format!("refs/heads/{name}")));
    let mut bases: Vec<Base> = Vec::new();
    for one in std::iter::once(own).chain(others.filter(|one| one.name != own.name)).take(BASES_MAX) {
        bases.push(base(git, one).await?);
    }
    Ok(bases)
}

async fn references(git: &Git, patterns: &[String]) -> Done<Vec<Reference>> {
    let format =
        "--format=%(refname)%00%(objectname)%00%(tree)%00%(symref)%00%(upstream)%00%(upstream:track,nobracket)%00";
    let args: Vec<&str> =
        ["for-each-ref", format, "--"].into_iter().chain(patterns.iter().map(String::as_str)).collect();
    let (fields, _) = git.records(&args, 1_000, |_| true).await?;
    let one = |of: &[String]| Reference {
        name: of[0].trim_start_matches('\n').to_owned(),
        commit: of[1].clone(),
        tree: of[2].clone(),
        symref: of[3].clone(),
        upstream: of[4].clone(),
        track: of[5].clone(),
    };
    Ok(fields.chunks_exact(6).map(one).collect())
}

/// A base: its upstream if that is only ahead, because what landed there landed.
async fn base(git: &Git, one: &Reference) -> Done<Base> {
    let branch = one.name.strip_prefix("refs/heads/").unwrap_or_default().to_owned();
    if one.track.starts_with("behind") {
        let found = references(git, std::slice::from_ref(&one.upstream)).await?;
        if let Some(upstream) = found.into_iter().find(|found| found.name == one.upstream) {
            let label = upstream.name.trim_start_matches("refs/remotes/").to_owned();
            return Ok(Base { branch, label, commit: upstream.commit, tree: upstream.tree });
        }
    }
    let label = one.name.trim_start_matches("refs/heads/").trim_start_matches("refs/remotes/").to_owned();
    Ok(Base { branch, label, commit: one.commit.clone(), tree: one.tree.clone() })
}

/// All branches, and how many were left out.
pub(crate) async fn branches(repository: &Repository, bases: &[Base]) -> Done<(Vec<Branch>, usize)> {
    match read(repository, bases).await {
        // Git before 2.41 knows no distances to others than the upstream.
        Err(Failed(why)) if why.contains("ahead-behind") => {
            let (mut all, left_out) = read(repository, &[]).await?;
            all.iter_mut().for_each(|one| one.distances = vec![None; bases.len()]);
            Ok((all, left_out))
        }
        read => read,
    }
}

async fn read(repository: &Repository, bases: &[Base]) -> Done<(Vec<Branch>, usize)> {
    let mut format =
        "--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)%00%(worktreepath)%00\
         %(upstream)%00%(upstream:track,nobracket)%00"
            .to_owned();
    for base in bases {
        format.push_str(&format!("%(ahead-behind:{})%00", base.commit));
    }
    let width = FIELDS + bases.len();
    let (fields, count) =
        repository.git.records(&["for-each-ref", &format, "refs/heads/"], BRANCHES_MAX * width, |_| true).await?;
    let all = fields.chunks_exact(width).map(branch).collect();
    Ok((all, (count / width).saturating_sub(BRANCHES_MAX)))
}

fn branch(of: &[String]) -> Branch {
    let number = |text: &str| text.parse().unwrap_or(0);
    let track = &of[6];
    let is_there = !of[5].is_empty() && track != "gone";
    let ahead = track.split(", ").find_map(|part| part.strip_prefix("ahead ")).map_or(0, number);
    let distance = |text: &String| text.split_once(' ').map(|(ahead, behind)| (number(ahead), number(behind)));
    Branch {
        name: of[0].trim_start_matches('\n').trim_start_matches("refs/heads/").to_owned(),
        commit: of[1].clone(),
        committed_s: of[2].parse().unwrap_or(0),
        subject: of[3].chars().take(200).collect(),
        worktree: of[4].clone(),
        upstream: is_there.then(|| of[5].trim_start_matches("refs/remotes/").to_owned()),
        unpushed: ahead,
        distances: of[FIELDS..].iter().map(distance).collect(),
    }
}

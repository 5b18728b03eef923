//! Landing a session's work: commits, merges into the base branch, and pull requests.

use super::{Review, compare};
use crate::worktrees;
use ::git::{Failed, Git};
use engines::port::Machine;
use std::path::Path;

type Done<T> = Result<T, Failed>;

/// Files that the folder's attributes give to Git LFS.
const LFS: &str = ":(top,attr:filter=lfs)";
/// Maximum files that a message names.
pub(super) const SHOWN_MAX: usize = 10;

/// What to commit.
pub(super) enum Chosen<'a> {
    All,
    Staged,
    /// Only these files, whatever else is staged.
    Paths(Vec<&'a str>),
}

/// Makes a commit. Returns it; none if it would change nothing. The commands below look into no submodule, as
/// `git commit` does.
pub(super) async fn commit(review: &Review, message: &str, chosen: &Chosen<'_>) -> Done<Option<String>> {
    let git = identified(review).await?;
    let head = git.run(&["rev-parse", "--verify", "HEAD^{commit}"]).await?.trim().to_owned();
    let tree = match chosen {
        Chosen::Staged => git.run(&["write-tree"]).await?,
        Chosen::All => {
            worktrees::stage(&git, &[]).await?;
            git.run(&["write-tree"]).await?
        }
        Chosen::Paths(paths) => {
            let (own, _removed_later) = compare::own_index(&git, &review.private).await?;
            own.run(&["read-tree", "HEAD"]).await?;
            worktrees::stage(&own, paths).await?;
            own.run(&["write-tree"]).await?
        }
    };
    if tree == git.run(&["rev-parse", "HEAD^{tree}"]).await? {
        return Ok(None);
    }
    let commit = git.run(&["commit-tree", tree.trim(), "-p", &head, "-m", message]).await?.trim().to_owned();
    if let Chosen::Paths(paths) = chosen {
        worktrees::stage(&git, paths).await?;
    }
    let subject = format!("commit: {}", message.lines().next().unwrap_or_default());
    // Only if nobody committed since.
    git.run(&["update-ref", "-m", &subject, "HEAD", &commit, &head]).await?;
    Ok(Some(commit))
}

/// Files for Git LFS that would be committed whole, because no filter runs that stores a pointer to them.
pub(super) async fn unfiltered(git: &Git) -> Done<Vec<String>> {
    if !git.global("filter.lfs.clean").await?.is_empty() {
        return Ok(Vec::new());
    }
    let changed = ["ls-files", "--modified", "--others", "--exclude-standard", "-z", "--", LFS];
    let (mut files, _) = git.records(&changed, compare::FILES_MAX, |_| true).await?;
    files.retain(|file| git.folder().join(file).symlink_metadata().is_ok());
    Ok(files)
}

/// Whether the folder has files for Git LFS.
pub(super) async fn has_lfs(git: &Git) -> Done<bool> {
    Ok(git.records(&["ls-files", "-z", "--", LFS], 0, |_| true).await?.1 > 0)
}

/// Git with the name and address that the user configured, or our own where there are none.
async fn identified(review: &Review) -> Done<Git> {
    let mut git = review.git.at(review.git.folder());
    for (key, part) in [("user.name", "NAME"), ("user.email", "EMAIL")] {
        // Not the repository's own: a session can write that.
        let (is_set, value) = git.try_run(&["config", "--global", "--get", key]).await?;
        if is_set && !value.trim().is_empty() {
            for who in ["AUTHOR", "COMMITTER"] {
                git = git.with(&format!("GIT_{who}_{part}"), Path::new(value.trim()));
            }
        }
    }
    Ok(git)
}

/// How a merge ended.
pub(super) enum Merged {
    /// The base branch has everything; its new commit.
    Done(String),
    /// Nothing was changed: these files conflict.
    Conflicts(Vec<String>),
}

/// The tree of a merge, or the files that conflict. No branch or file is changed.
pub(super) async fn merged_tree(git: &Git, onto: &str, from: &str) -> Done<Result<String, Vec<String>>> {
    // The merged tree, then the files with conflicts.
    let (is_clean, said, why) =
        git.output(&["merge-tree", "--write-tree", "--name-only", "--no-messages", onto, from]).await?;
    let mut lines = said.lines().filter(|line| !line.is_empty()).map(str::to_owned);
    let tree = lines.next().unwrap_or_default();
    if is_clean {
        return Ok(Ok(tree));
    }
    let files: Vec<String> = lines.collect();
    if files.is_empty() { Err(Failed(format!("git merge-tree failed: {why}"))) } else { Ok(Err(files)) }
}

/// Merges a worktree's branch into its base branch, in the hub's folder if that is on it.
pub(super) async fn merge(review: &Review, hub: &Git, base: &str, branch: &str) -> Done<Merged> {
    let git = identified(review).await?;
    let (onto, from) = (format!("refs/heads/{base}"), format!("refs/heads/{branch}"));
    let tree = match merged_tree(&git, &onto, &from).await? {
        Ok(tree) => tree,
        Err(files) => return Ok(Merged::Conflicts(files)),
    };
    let message = format!("Merge branch '{branch}'");
    if hub.run(&["symbolic-ref", "--quiet", "--short", "HEAD"]).await.is_ok_and(|now| now.trim() == base) {
        let hub = git.reopened(hub.folder()).await?;
        let (is_done, why) = hub.try_run(&["merge", "--no-edit", "--no-verify", "-m", &message, &from]).await?;
        if !is_done {
            let _ = hub.try_run(&["merge", "--abort"]).await;
            return Err(Failed(format!("Couldn't merge in {}: {why}", hub.folder().display())));
        }
        return Ok(Merged::Done(hub.run(&["rev-parse", "HEAD"]).await?.trim().to_owned()));
    }
    let before = git.run(&["rev-parse", &onto]).await?.trim().to_owned();
    let (is_behind, _) = git.try_run(&["merge-base", "--is-ancestor", &onto, &from]).await?;
    let commit = match is_behind {
        true => git.run(&["rev-parse", &from]).await?,
        false => git.run(&["commit-tree", &tree, "-p", &onto, "-p", &from, "-m", &message]).await?,
    };
    let commit = commit.trim().to_owned();
    // Only if nobody moved the branch since.
    git.run(&["update-ref", "-m", &message, &onto, &commit, &before]).await?;
    Ok(Merged::Done(commit))
}

/// Pushes a branch with the user's own credentials. Never prompts: a missing login is an error.
pub(super) async fn push(git: &Git, machine: &Machine, remote: &str, branch: &str) -> Done<()> {
    let git = git.with_credentials(machine).await?;
    let refs = format!("refs/heads/{branch}:refs/heads/{branch}");
    // For a folder as the remote, the repository's configuration could name another program, and git would run it here.
    let program = "--receive-pack=git-receive-pack";
    let pushed =
        git.try_run(&["push", "--quiet", "--no-verify", program, "--set-upstream", "--", remote, &refs]).await?;
    let (true, _) = pushed else {
        return Err(Failed(format!("Couldn't push to {remote}: {}{}", pushed.1, way_in(&pushed.1))));
    };
    Ok(())
}

/// How to log in, if a push failed for that reason.
fn way_in(why: &str) -> &'static str {
    let is = |signs: &[&str]| signs.iter().any(|sign| why.contains(sign));
    if is(&["Permission denied (publickey", "Host key verification failed"]) {
        " Pilothouse can't ask for a passphrase. Unlock your key with `ssh-add` before you start Pilothouse, or push in a terminal."
    } else if is(&[
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "terminal prompts disabled",
    ]) {
        " Pilothouse can't ask for a password. Set up a credential helper, such as `gh auth setup-git`, or push in a terminal."
    } else {
        ""
    }
}

/// Opens a pull request with `gh`; none if it isn't installed. Returns its address.
pub(super) async fn open_with_gh(
    git: &Git,
    machine: &Machine,
    (base, branch): (&str, &str),
    (title, body): (&str, &str),
) -> Option<Done<String>> {
    let gh = engines::probe::find("gh", machine)?;
    let args = ["pr", "create", "--head", branch, "--base", base, "--title", title, "--body", body];
    let said = git.run_other(&gh, machine, &args).await;
    let url = |said: String| {
        let url = said.lines().rev().map(str::trim).find(|line| line.starts_with("https://")).map(str::to_owned);
        url.ok_or_else(|| Failed(format!("gh returned no address: {}", said.trim())))
    };
    Some(said.and_then(url))
}

/// A remote, as far as a pull request needs it.
#[derive(Debug, PartialEq)]
pub(super) struct Remote {
    pub(super) name: String,
    /// As configured, without a password.
    pub(super) url: String,
    /// `https://host/owner/repository`; none if the address has no such form.
    pub(super) web: Option<String>,
}

/// The remote that branches are pushed to: the base branch's, else `origin`, else the only one.
pub(super) async fn remote(git: &Git, base: &str) -> Done<Option<Remote>> {
    let (_, of_base) = git.try_run(&["config", "--get", &format!("branch.{base}.remote")]).await?;
    let all = git.run(&["remote"]).await?;
    let names: Vec<&str> = all.lines().collect();
    let name = [of_base.trim(), "origin"].into_iter().find(|name| names.contains(name)).or(match names[..] {
        [only] => Some(only),
        _ => None,
    });
    let Some(name) = name else { return Ok(None) };
    let url = git.run(&["remote", "get-url", "--push", "--", name]).await?.trim().to_owned();
    Ok(Some(Remote { name: name.to_owned(), web: web_of(&url), url: without_password(&url) }))
}

/// The web address of a repository: of `git@host:owner/repo.git`, `ssh://git@host/owner/repo`, or an https address.
fn web_of(url: &str) -> Option<String> {
    let (host, path) = match url.split_once("://") {
        Some(("https" | "http" | "ssh", rest)) => {
            let (host, path) = rest.split_once('/')?;
            (host.rsplit('@').next()?.split(':').next()?, path)
        }
        Some(_) => return None,
        None => {
            let (host, path) = url.split_once(':')?;
            (host.rsplit('@').next()?, path.trim_start_matches('/'))
        }
    };
    let path = path.trim_end_matches('/').trim_end_matches(".git");
    let is_plain = |text: &str| {
        !text.is_empty() && text.chars().all(|sign| sign.is_ascii_alphanumeric() || "-._~/".contains(sign))
    };
    (is_plain(host) && host.contains('.') && is_plain(path) && path.contains('/') && !path.contains(".."))
        .then(|| format!("https://{host}/{path}"))
}

fn without_password(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (user, rest))) if user.contains(':') && !user.contains('/') => format!("{scheme}://{rest}"),
        _ => url.to_owned(),
    }
}

/// The page on which a pull request is opened.
pub(super) fn compare_page(web: &str, base: &str, branch: &str) -> String {
    let (base, branch) = (encoded(base), encoded(branch));
    let host = web.trim_start_matches("https://").split('/').next().unwrap_or_default();
    match host {
        _ if host.contains("gitlab") => format!(
            "{web}/-/merge_requests/new?merge_request%5Bsource_branch%5D={branch}&merge_request%5Btarget_branch%5D={base}"
        ),
        _ if host.contains("bitbucket") => format!("{web}/pull-requests/new?source={branch}&dest={base}"),
        _ => format!("{web}/compare/{base}...{branch}?expand=1"),
    }
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_has_a_web_page_where_its_address_has_one() {
        for (url, web) in [
            ("git@github.com:owner/repo.git", Some("https://github.com/owner/repo")),
            ("ssh://git@git.example.org:22/team/sub/repo", Some("https://git.example.org/team/sub/repo")),
            ("https://user:secret@github.com/owner/repo.git", Some("https://github.com/owner/repo")),
            ("/srv/git/repo.git", None),
            ("file:///srv/git/repo.git", None),
            ("https://github.com/owner/re po", None),
            ("git@host:owner/repo", None),
        ] {
            assert_eq!(web_of(url).as_deref(), web, "{url}");
        }
        assert_eq!(without_password("https://user:secret@github.com/o/r"), "https://github.com/o/r");
        assert_eq!(without_password("git@github.com:o/r"), "git@github.com:o/r");
    }

    #[test]
    fn each_host_has_its_own_compare_page() {
        assert_eq!(
            compare_page("https://github.com/o/r", "main", "pilothouse/fix#1"),
            "https://github.com/o/r/compare/main...pilothouse/fix%231?expand=1"
        );
        assert!(compare_page("https://gitlab.com/o/r", "main", "x").contains("/-/merge_requests/new?"));
    }
}
